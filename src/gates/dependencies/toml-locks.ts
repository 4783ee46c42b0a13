import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  type PackageHash,
  withCommit,
} from './locked-package.ts';
import { isFileOf, normalised } from './python-names.ts';

const FIELD = /^(?:"([^"]+)"|([A-Za-z0-9_-]+)) = (.*)$/;
/** A text without its end goes to the end of the line, so that each line is read once. */
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)(?:"|\\?$)/g;
const HASH = /\bhash = "(\w+:[\w+/=-]+)"/;
const ADDRESS = /\burl = "([^"]*)"/;
const FILE = /\b(?:file|url) = "(?:[^"]*\/)?([^"/]+)"/;
const TABLE = /^\[{1,2}([A-Za-z][\w-]*)(?:\.([\w-]+)(?:\.(?:[\w-]+|"[^"]*"))*)?\]{1,2}$/;
/** An element of a list, or its end. */
const ELEMENT = /^[\]"{]/;
/** Lists of archives, which tools write in square brackets and not as tables. */
const ARCHIVES: ReadonlySet<string> = new Set(['files', 'wheels', 'sdist', 'archive']);
/** Characters; no package manager writes a longer line. */
const LINE_CHARS_MAX = 20_000;

/**
 * Reads `Cargo.lock`, in which a package without a source is a folder of the repository
 * (doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html).
 */
export function readCargoLock(text: string, isPart: boolean): LockedPackages {
  const read = readTomlLock(text, isPart);
  if (isPart) return read;
  const packages = read.packages.map((one) => ({ ...one, source: one.source ?? 'link:' }));
  return { ...read, packages };
}

/**
 * Reads lockfiles in TOML, of poetry, uv and PDM too. Packages are the tables `[[package]]`; names
 * of Python packages are normalised (PEP 503).
 */
export function readTomlLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let draft = isPart ? emptyPackage(0) : null;
  let table = 'package';
  /** Files of earlier versions of poetry: a list for each name. */
  const files = new Map<string, PackageHash[]>();
  let isOfFiles = false;
  let list: string | null = null;
  let problem: string | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    const opened = list === null ? TABLE.exec(content) : null;
    if (opened !== null) {
      const [, top = '', part] = opened;
      table = part ?? top;
      if (top === 'package' && ARCHIVES.has(table)) {
        problem ??= `line ${line + 1} is not as a package manager writes it`;
      }
      isOfFiles = top === 'metadata' && part === 'files';
      if (content === '[[package]]') {
        finish();
        draft = { ...emptyPackage(line), key: '' };
      } else if (top !== 'package') {
        finish();
        draft = null;
      }
      continue;
    }
    const field = FIELD.exec(content);
    const isElement = field === null && ELEMENT.test(content) && (list !== null || isPart);
    const value = field?.[3] ?? content;
    const isRead = isElement || (field !== null && field[2] !== 'package');
    const isHashRead = !value.includes('hash = ') || HASH.test(value);
    const isPlain = isRead && isHashRead && isBasic(value) && isInline(value);
    if (content.length > LINE_CHARS_MAX || !isPlain || /"{3}|'{3}/.test(content)) {
      problem ??= `line ${line + 1} is not as a package manager writes it`;
      continue;
    }
    const key: string | null = field?.[1] ?? field?.[2] ?? list;
    if (value.endsWith('[')) list = key;
    else if (content.startsWith(']')) list = null;
    if (isOfFiles && key !== null) {
      const name = normalised(key);
      const own = files.get(name) ?? [];
      own.push(...hashIn(value, line));
      files.set(name, own);
    }
    if (draft === null) continue;
    if (key !== null) readField(draft, { table, key, value, line });
    else if (table === 'package') readHashes(draft, value, line);
  }
  finish();
  if (!shareFiles(packages, files)) {
    problem ??= `one name has more than ${SHARING_MAX} packages and one list of files`;
  }
  // A hunk does not show the versions, which the names of the files have.
  for (const [name, hashes] of isPart ? files : []) {
    packages.push({ ...emptyPackage(hashes[0]?.line ?? 0), name, key: name, hashes });
  }
  return { packages, roots: null, problem };

  function finish(): void {
    if (draft === null) return;
    const { name, version, hashes, alsoFrom } = draft;
    const saysMore = hashes.length > 0 || draft.source !== null || alsoFrom !== undefined;
    if (draft.key === null && !saysMore) return;
    const key = name === null ? null : `${name}@${version ?? ''}`;
    packages.push({ ...draft, version: withCommit(version, draft.source), key });
  }
}

/** Packages of one name among which a list of files is shared. */
const SHARING_MAX = 20;

/**
 * Gives packages the files that stand under their name: of several versions each its own, and what
 * is of none of them to all. False: some have none, as too many have one name.
 */
function shareFiles(
  packages: readonly Draft[],
  files: ReadonlyMap<string, readonly PackageHash[]>,
): boolean {
  const byName = new Map<string, Draft[]>();
  for (const one of packages) {
    if (one.name === null || !files.has(one.name)) continue;
    const sharing = byName.get(one.name) ?? [];
    sharing.push(one);
    byName.set(one.name, sharing);
  }
  let areAllGiven = true;
  for (const [name, sharing] of byName) {
    const given = sharing.slice(0, SHARING_MAX);
    areAllGiven &&= given.length === sharing.length;
    for (const hash of files.get(name) ?? []) {
      const own = given.filter(({ version }) => isFileOf(hash.file, name, version));
      for (const one of own.length > 0 ? own : given) one.hashes.push(hash);
    }
  }
  return areAllGiven;
}

interface Field {
  table: string;
  key: string;
  value: string;
  line: number;
}

function readField(draft: Draft, { table, key, value, line }: Field): void {
  if (table === 'dependencies' || key === 'dependencies') {
    const names = table === 'dependencies' ? [key] : namesIn(value);
    draft.requires.push(...names.map(normalised));
  } else if (table === 'source' || (table === 'package' && key === 'source')) {
    const url = /(?:\b(?:url|registry|git|path|editable|virtual|directory) = )?"([^"]*)"/.exec(
      value,
    );
    if (table === 'source') {
      readSource(draft, key, text(value), line);
      return;
    }
    const isFolder = /\b(?:editable|virtual|directory) = "/.test(value);
    const isArchive = /\bpath = "/.test(value);
    const isGit = /\bgit = "/.test(value);
    const protocol = isFolder ? 'link:' : isArchive ? 'file:' : isGit ? 'git+' : '';
    draft.source = url?.[1] === undefined ? null : `${protocol}${url[1]}`;
    draft.sourceLine = line;
  } else if (table === 'package' && key === 'name') draft.name = normalised(text(value));
  else if (table === 'package' && key === 'version') draft.version = text(value);
  else if (table !== 'package') return;
  else if (key === 'checksum')
    draft.hashes.push(...hashesIn(`sha256:${text(value)}`, line, '', ':'));
  else readHashes(draft, value, line);
}

/** A table `[package.source]` of poetry: type, address, and for git the commit. */
function readSource(draft: Draft, key: string, value: string, line: number): void {
  draft.sourceLine = line;
  if (key === 'type') draft.source = PROTOCOLS[value] ?? '';
  else if (key === 'url') draft.source = `${draft.source ?? ''}${value}`;
  else if (key === 'resolved_reference') draft.source = `${draft.source ?? ''}#${value}`;
  else if (key in PLACES) draft.source = `${PLACES[key]}${value}`;
}

/** Members of a source of uv. */
const PLACES: Readonly<Record<string, string>> = {
  registry: '',
  git: 'git+',
  path: 'file:',
  editable: 'link:',
  virtual: 'link:',
  directory: 'link:',
};

const PROTOCOLS: Readonly<Record<string, string>> = {
  git: 'git+',
  file: 'file:',
  directory: 'link:',
  legacy: 'registry+',
};

function readHashes(draft: Draft, value: string, line: number): void {
  draft.hashes.push(...hashIn(value, line));
  const address = ADDRESS.exec(value)?.[1];
  if (address === undefined) return;
  draft.alsoFrom ??= [];
  draft.alsoFrom.push(address);
}

/** The checksum in a table of a file. */
function hashIn(value: string, line: number): PackageHash[] {
  const hash = HASH.exec(value)?.[1];
  return hash === undefined ? [] : hashesIn(hash, line, FILE.exec(value)?.[1] ?? '', ':');
}

/**
 * Whether all texts of a value are in double quotes, and have no escapes but of these: tools write
 * nothing else, and another notation of a source would not be seen.
 */
function isBasic(value: string): boolean {
  if (value.includes("'") && value.replace(QUOTED, '').includes("'")) return false;
  return !/\\[uUxe]/.test(value);
}

/** A table of texts and numbers, as most lines have it. */
const ARCHIVE = /^\{ ?[\w-]+ = (?:"[^"\\]*"|\w+)(?:, [\w-]+ = (?:"[^"\\]*"|\w+))* ?\},?$/;

/**
 * Whether tables within a line are as tools write them: a blank on both sides of each `=`, no
 * quotes around keys, and one archive a line.
 */
function isInline(value: string): boolean {
  if (!value.includes('{') || ARCHIVE.test(value)) return true;
  const bare = value.replace(QUOTED, '""');
  return !/(?<![\w-] )=|=(?! \S)/.test(bare) && !/\b(?:hash|url|file) = .*\{/.test(bare);
}

/** Names of an array of strings (`"a 1.0"`) or of tables (`{ name = "a" }`). */
function namesIn(value: string): string[] {
  const named = [...value.matchAll(/\bname = "([^"]+)"/g)].map(([, name = '']) => name);
  if (named.length > 0) return named;
  return [...value.matchAll(QUOTED)].map(([, name = '']) => name.split(' ')[0] ?? name);
}

function text(value: string): string {
  const [match] = value.matchAll(QUOTED);
  return match?.[1] ?? value;
}
