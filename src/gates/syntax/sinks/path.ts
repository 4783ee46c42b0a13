import { words } from '../../../rules/catalogue/line.ts';
import type { Value } from '../taint/value.ts';
import {
  builtNearExport,
  type CallSite,
  callsNearSource,
  type Danger,
  exportOf,
  firstOf,
  fromOutside,
  type Sink,
  wordsNearSource,
} from './sink.ts';

/** Modules for files. */
const MODULES = new Set([
  'fs',
  'fs.promises',
  'fs/promises',
  'fs-extra',
  'graceful-fs',
  'mz/fs',
  'jsonfile',
  'rimraf',
  'del',
]);
/** Names that these go by where the import is out of sight. */
const RECEIVERS = /(?:^|\.)(?:fs|fsp|fse|fsExtra|fsPromises|fileSystem|fs\.promises|jsonfile)$/;
/** Functions that read, write or remove the file that their first argument names. */
const FILE_CALLS = words(`
  readFile readFileSync writeFile writeFileSync appendFile appendFileSync createReadStream
  createWriteStream unlink unlinkSync rm rmSync rmdir rmdirSync readdir readdirSync open openSync
  mkdir mkdirSync mkdirp ensureDir ensureFile outputFile outputFileSync outputJson remove
  removeSync readJson readJsonSync writeJson writeJsonSync readJSON emptyDir truncate chmod
  chmodSync chown readlink opendir rimraf
`);
/** Those that take two of them. */
const PAIR_CALLS = words(`
  copyFile copyFileSync rename renameSync copy copySync move moveSync symlink symlinkSync link
  linkSync cp cpSync
`);
/** Of all these, the names that mean files without their module. */
const FREE_CALLS = words(`
  readFile readFileSync writeFile writeFileSync appendFile appendFileSync createReadStream
  createWriteStream unlink unlinkSync rmSync readdirSync copyFile copyFileSync rimraf readJson
  outputFile readFileAsync writeFileAsync
`);
/** What only tells whether a file is there, or how large it is. */
const LOOK_CALLS = words('stat statSync lstat lstatSync access accessSync existsSync exists');
/** Methods of a response or upload that take a file's name. */
const SEND_CALLS = words('sendFile sendfile download');
const RESPONSES = /(?:^|\.)(?:res|resp|response|reply|ctx|this)$/;

const FIX =
  'Resolve the path against a fixed directory and refuse what does not begin with that directory ' +
  'and a separator; or take path.basename of the name, or look the file up by an id.';

const CLASS = {
  use: 'path',
  cwe: 'CWE-22',
  sink: 'the path of a file',
  fix: FIX,
  isWeakIfBuilt: true,
  grades: { strong: ['vuln-05', 'critical'], weak: ['ast-path', 'medium'] },
} as const;
const LOOK_CLASS = { ...CLASS, grades: { strong: ['ast-path', 'medium'] } } as const;

/** vuln-05: path traversal, and archives whose entries leave their directory (CWE-22, 73). */
export const path: Sink = {
  hints: [
    wordsNearSource([...new Set([...FILE_CALLS, ...PAIR_CALLS, ...LOOK_CALLS])].filter(isTelling)),
    builtNearExport([...FILE_CALLS, ...PAIR_CALLS].filter(isTelling)),
    wordsNearSource([...SEND_CALLS, 'mv']),
    callsNearSource(
      ['fs', 'bun', 'promises'],
      String.raw`(?:fs\w{0,20}|Bun|promises)\s{0,20}\.\s{0,20}\w{2,20}`,
    ),
  ],
  inCall(site) {
    if (site.isNew) return null;
    if (SEND_CALLS.has(site.name)) return sent(site);
    if (site.name === 'mv' && site.receiver !== null) return moved(site);
    if (site.receiverPath === 'Bun' && /^(?:file|write)$/.test(site.name)) return file(site, [0]);
    const module = exportOf(site.origin, MODULES);
    const name = module === null || module === '' ? site.name : module;
    if (!isFile(site, module)) return null;
    if (LOOK_CALLS.has(name)) return fromOutside(site.args[0], 0, LOOK_CLASS, site);
    if (PAIR_CALLS.has(name)) return file(site, [0, 1]);
    return FILE_CALLS.has(name) || module === '' ? file(site, [0]) : null;
  },
};

/** Everyday words count with their module's name only. */
function isTelling(word: string): boolean {
  return (word.length > 6 || word === 'unlink') && word !== 'truncate';
}

/** A function of a module for files, or what goes by such a name and is not declared here. */
function isFile(site: CallSite, module: string | null): boolean {
  if (module !== null) return true;
  if (site.origin !== null) return false;
  if (site.receiver === null) return FREE_CALLS.has(site.name) && !site.isDeclared;
  return RECEIVERS.test(site.receiverPath ?? '');
}

function file(site: CallSite, at: readonly number[]): Danger | null {
  return firstOf(at.map((index) => fromOutside(site.args[index], index, CLASS, site)));
}

/** `res.sendFile(name, { root })` refuses to leave the root. */
function sent(site: CallSite): Danger | null {
  const { receiverPath, receiver, args, name } = site;
  const isResponse = RESPONSES.test(receiverPath ?? '') || receiver?.role === 'page';
  if (!isResponse) return null;
  if (name !== 'download' && args.some(hasRoot)) return null;
  if (receiverPath?.endsWith('reply') === true) return null;
  return file(site, [0]);
}

function hasRoot(value: Value): boolean {
  return value.properties?.has('root') === true;
}

/** `req.files.a.mv(dir + req.files.a.name)` of express-fileupload. */
function moved(site: CallSite): Danger | null {
  return site.receiver?.source === null ? null : file(site, [0]);
}
