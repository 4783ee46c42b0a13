import { readJsonLines } from './json.ts';
import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  type Remark,
} from './locked-package.ts';
import { normalised } from './python-names.ts';

const REQUIREMENT = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s?={2,3}\s?([^\s;\\,]+)/;
const DIRECT = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s?@\s?(\S+)/;
const REQUIRED_HASH = /--hash[= ](\w+):([0-9a-fA-F]+)/g;

/**
 * Reads requirements of pip with checksums
 * (pip.pypa.io/en/stable/topics/secure-installs): `name==1.0 \` and `--hash=sha256:...` below it.
 * Options that name a server or another list are remarks.
 */
export function readRequirements(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const remarks: Remark[] = [];
  let problem: string | null = null;
  let draft: Draft | null = isPart ? emptyPackage(0) : null;
  const lines = text.split('\n').map((raw) => raw.trim());
  for (const [line, content] of lines.entries()) {
    if (OTHER_BREAK.test(content)) problem ??= `line ${line + 1} has a line break within`;
    // pip reads a line that goes on in the next ones as one.
    if (/^(?!#|--hash\b).*\S\\$/.test(content)) problem ??= `line ${line + 1} ends within a word`;
    const [code = ''] = content.split(/(?:^|\s)#/, 1);
    if (/[^\p{ASCII}]/u.test(code))
      problem ??= `line ${line + 1} has letters that pip does not take`;
    if (hasQuotedOption(code)) problem ??= `line ${line + 1} has a sign within an option`;
    for (const [, option = '', value = ''] of code.matchAll(OPTION)) {
      if (isAddressed(option, value)) remark(`${option} names ${value}.`, value, line);
    }
    const pinned = REQUIREMENT.exec(content);
    const direct = pinned === null ? (DIRECT.exec(content) ?? plainAddress(content)) : null;
    const [, name, rest] = pinned ?? direct ?? [];
    if (name !== undefined && rest !== undefined) {
      if (draft !== null) packages.push(draft);
      const own = normalised(name);
      const version = pinned === null ? null : rest;
      draft = { ...emptyPackage(line), key: own, name: own, version, source: direct && rest };
    }
    for (const [, algorithm = '', value = ''] of content.matchAll(REQUIRED_HASH)) {
      draft?.hashes.push({ file: '', algorithm, value, line });
    }
  }
  if (draft !== null && (draft.key !== null || draft.hashes.length > 0)) packages.push(draft);
  return { packages, roots: null, remarks, problem };

  function remark(text: string, address: string, line: number): void {
    if (PUBLIC.some((server) => address.startsWith(server))) return;
    remarks.push({ kind: 'source-changed', text, line: () => line, isLesser: false });
  }
}

const PYPI = 'https://pypi.org/';
/** PyTorch's handbook asks for its own server (pytorch.org/get-started). */
const PUBLIC = [PYPI, 'https://download.pytorch.org/'];

/** Line breaks of Python's `splitlines`, by which pip reads requirements, and other controls. */
const OTHER_BREAK = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}]/u;
/** Options and what stands behind them, several in a line. */
const OPTION = /(?<!\S)(-[a-zA-Z]|--[a-z][a-z-]*(?=[=\s]))[=\s]*(?=(\S+))/g;
/** Options that name a server, and those for a list that another server may have. */
const SERVERS = ['-i', '-f', '--index-url', '--pypi-url', '--find-links'];
const LISTS_OF = ['-r', '-c', '--requirement', '--constraint'];

/** pip takes the beginning of an option for it (docs.python.org/3/library/optparse.html). */
function isAddressed(option: string, value: string): boolean {
  const isBegun = (full: string) => full.startsWith(option);
  return SERVERS.some(isBegun) || (/^https?:/i.test(value) && LISTS_OF.some(isBegun));
}

/** Quotes and backslashes in the name of an option, which pip skips as a shell does. */
function hasQuotedOption(code: string): boolean {
  return code.split(/\s+/).some((word) => {
    const [name = ''] = word.split('=', 1);
    const plain = name.replace(/["'\\]/g, '');
    return plain.startsWith('-') && plain !== name;
  });
}

/** An address that stands alone; the name is that of the file, or behind `#egg=`. */
function plainAddress(content: string): readonly string[] | null {
  const [, address = ''] = /^(?:-e |--editable[ =])?((?:\w+\+)?\w+:\/\/\S+)/.exec(content) ?? [];
  if (address === '') return null;
  const [plain = ''] = address.split(/[?#]/);
  const [, fragment = ''] = address.split('#', 2);
  const egg = fragment.split('&').find((one) => one.startsWith('egg='));
  const [file = ''] = plain.slice(plain.lastIndexOf('/') + 1).split(/-\d|@/);
  return [content, egg?.slice('egg='.length) ?? file, address];
}

/** Reads `Pipfile.lock` (pipenv.pypa.io/en/latest/pipfile.html). */
export function readPipfileLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let draft: Draft | null = isPart ? emptyPackage(0) : null;
  const remarks: Remark[] = [];
  let list: string | null = null;
  /** Addresses of the indexes, by their names, and the name that was read last. */
  const indexes = new Map<string, string>();
  let index = '';
  /** What packages say of their index, whose address may stand below them. */
  const indexOf = new Map<Draft, string>();
  const finish = () => {
    if (draft !== null) packages.push(draft);
    draft = null;
  };
  const problem = readJsonLines(text, isPart, ({ key, value, event, line }) => {
    if (event === 'close') {
      if (list === null) finish();
      list = null;
    } else if (event === 'open' && key !== null && LISTS.has(key)) list = key;
    else if (event === 'value' && key === 'hashes') {
      for (const [, hash = ''] of (value ?? '').matchAll(/"([^"]*)"/g)) {
        draft?.hashes.push(...hashesIn(hash, line, '', ':'));
      }
    } else if (event === 'open') {
      finish();
      draft = key === null ? null : { ...emptyPackage(line), key, name: normalised(key) };
    } else if (key === null && value !== null) {
      const isHash = list === 'hashes' || (list === null && isPart);
      if (isHash) draft?.hashes.push(...hashesIn(value, line, '', ':'));
    } else if (key === 'name' && draft === null) index = value ?? '';
    else if (key === 'index' && draft !== null) {
      indexOf.set(draft, value ?? '');
    } else if (key === 'url' && (list === 'sources' || draft === null || isPart)) {
      indexes.set(index, value ?? '');
      const text = `An index is ${value ?? ''}.`;
      const isPublic = value?.startsWith(PYPI) === true;
      if (!isPublic)
        remarks.push({ kind: 'source-changed', text, line: () => line, isLesser: false });
    } else if (key === 'verify_ssl' && value === 'false') {
      const text = 'The certificate of an index is not checked.';
      remarks.push({ kind: 'source-changed', text, line: () => line, isLesser: false });
    } else if (key === 'version') {
      if (draft !== null) draft.version = (value ?? '').replace(/^==/, '');
    } else if (draft !== null && key !== null && SOURCES.has(key)) {
      draft.source = `${key === 'git' ? 'git+' : key === 'path' ? 'link:' : ''}${value ?? ''}`;
      draft.sourceLine = line;
    }
  });
  finish();
  for (const [one, name] of indexOf) {
    const address = indexes.get(name);
    one.source ??= address === undefined ? null : `registry+${address}`;
  }
  const said = packages.filter(
    ({ hashes, source, version }) => hashes.length > 0 || source !== null || version !== null,
  );
  return { packages: said, roots: null, remarks, problem };
}

const LISTS: ReadonlySet<string> = new Set(['hashes', 'extras', 'sources']);
const SOURCES: ReadonlySet<string> = new Set(['git', 'file', 'path']);
