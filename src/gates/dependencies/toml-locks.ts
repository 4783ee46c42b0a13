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
const TABLE = /^\[{1,2}(([A-Za-z][\w-]*)(?:\.[\w-]+(?:\.(?:[\w-]+|"[^"]*"))*)?)\]{1,2}$/;
/** A table in one line, of texts and numbers. */
const INLINE = /^\{ ?[a-z_-]+ = (?:"[^"\\]*"|\d+)(?:, [a-z_-]+ = (?:"[^"\\]*"|\d+))* ?\},?$/;
const MEMBER = /([a-z_-]+) = (?:"([^"]*)"|\d+)/g;
/** Lists of files with their checksums, and the one file of the source. */
const FILES: ReadonlySet<string> = new Set(['files', 'wheels', 'sdist']);
/** An element of a list, or its end. */
const ELEMENT = /^[\]"{]/;
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
  /** Members of the source of the package. */
  let place = new Map<string, string>();
  let table = 'package';
  /** Files of earlier versions of poetry: a list for each name. */
  const files = new Map<string, PackageHash[]>();
  let list: string | null = null;
  let problem: string | null = null;
  let line = -1;
  for (const raw of text.split('\n')) {
    line += 1;
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    const opened = list === null && content.startsWith('[') ? TABLE.exec(content) : null;
    if (opened !== null) {
      const [, path = '', top = ''] = opened;
      table = path;
      // Tools write lists of files in square brackets, and not as tables.
      if (top === 'package' && FILES.has(path.slice('package.'.length))) problem ??= unusual(line);
      if (content === '[[package]]') {
        finish();
        draft = { ...emptyPackage(line), key: '' };
        place = new Map();
      } else if (top !== 'package') {
        finish();
        draft = null;
      } else if (draft === null || FILES.has(path.slice('package.'.length))) {
        // A table of the last package, which would not be seen, or files in another notation.
        problem ??= unusual(line);
      }
      continue;
    }
    const field = content.includes(' = ') ? FIELD.exec(content) : null;
    const isElement = field === null && ELEMENT.test(content) && (list !== null || isPart);
    const value = field?.[3] ?? content;
    const isPlain = (isElement || (field !== null && field[2] !== 'package')) && isBasic(value);
    if (content.length > LINE_CHARS_MAX || !isPlain || isOfManyLines(content)) {
      problem ??= unusual(line);
      continue;
    }
    const key: string | null = field?.[1] ?? field?.[2] ?? list;
    if (value.endsWith('[')) list = key;
    else if (content.startsWith(']')) list = null;
    let isRead = true;
    if (table === 'metadata.files' && key !== null) {
      const name = normalised(key);
      const hashes = files.get(name) ?? [];
      files.set(name, hashes);
      isRead = readFiles({ hashes }, value, line);
    } else if (draft !== null) {
      isRead = readField(draft, place, { table, key, value, line });
    }
    if (!isRead) problem ??= unusual(line);
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
    const { name, version, hashes } = draft;
    const [source = null, ...others] = addressesIn(place);
    const alsoFrom = [...others, ...(draft.alsoFrom ?? [])];
    const saysMore = hashes.length > 0 || source !== null || alsoFrom.length > 0;
    if (draft.key === null && !saysMore) return;
    const key = name === null ? null : `${name}@${version ?? ''}`;
    const more = alsoFrom.length > 0 ? { alsoFrom } : {};
    packages.push({ ...draft, ...more, source, version: withCommit(version, source), key });
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
  /** Null: a hunk shows an element of a list, and not of which. */
  key: string | null;
  value: string;
  line: number;
}

/**
 * Takes a field of the package itself or of its source: in other tables a key of that name is a
 * group of dependencies, and anybody writes one. False: no tool writes it so.
 */
function readField(draft: Draft, place: Map<string, string>, field: Field): boolean {
  const { table, key, value, line } = field;
  if (table === 'package.dependencies' && key !== null) {
    draft.requires.push(normalised(key));
    return true;
  }
  if (table === 'package.source' && key !== null) return readPlace(key, text(value));
  if (table !== 'package') return true;
  if (key === null) return readFiles(draft, value, line) || !/hash|url/.test(value);
  if (FILES.has(key)) return readFiles(draft, value, line);
  if (key === 'dependencies') draft.requires.push(...namesIn(value).map(normalised));
  else if (key === 'checksum') {
    draft.hashes.push(...hashesIn(`sha256:${text(value)}`, line, '', ':'));
  } else if (key === 'name' || key === 'version') {
    if (draft[key] !== null) return false;
    draft[key] = key === 'name' ? normalised(text(value)) : text(value);
  } else if (OWN_PLACES.has(key)) return readPlace(key, text(value));
  else if (key === 'source') {
    if (!value.startsWith('{')) return readPlace(key, text(value));
    return membersOf(value)?.every(([member, of]) => readPlace(member, of)) === true;
  }
  return true;

  function readPlace(member: string, of: string): boolean {
    if (place.has(member)) return false;
    place.set(member, of);
    draft.sourceLine = line;
    return true;
  }
}

/** Members of a source that are an address: of uv, and `source` of Cargo. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['source', ''],
  ['registry', ''],
  ['git', 'git+'],
  ['path', 'file:'],
  ['editable', 'link:'],
  ['virtual', 'link:'],
  ['directory', 'link:'],
]);
/** Members of a source that PDM writes into the package itself. */
const OWN_PLACES: ReadonlySet<string> = new Set(['git', 'url', 'path', 'revision']);
/** Types of a source of poetry. */
const PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ['git', 'git+'],
  ['file', 'file:'],
  ['directory', 'link:'],
  ['legacy', 'registry+'],
]);

/** All addresses that a source names, in whatever order its members stand. */
function addressesIn(place: ReadonlyMap<string, string>): string[] {
  if (place.size === 0) return [];
  const commit = place.get('resolved_reference') ?? place.get('revision');
  const end = commit === undefined ? '' : `#${commit}`;
  const type = place.get('type');
  const url = place.get('url');
  const addresses: string[] = [];
  if (type !== undefined || url !== undefined) {
    addresses.push(`${PROTOCOLS.get(type ?? '') ?? ''}${url ?? ''}${end}`);
  }
  for (const [member, of] of place) {
    const protocol = PLACES.get(member);
    if (protocol !== undefined) addresses.push(`${protocol}${of}${protocol === 'git+' ? end : ''}`);
  }
  return addresses;
}

/**
 * Takes a line of a list of files, or a file: its checksums and address. False: no tool writes it
 * so.
 */
function readFiles(
  draft: Pick<Draft, 'hashes' | 'alsoFrom'>,
  value: string,
  line: number,
): boolean {
  if (!value.startsWith('{')) return /^(?:\[\]?|\],?)$/.test(value);
  const members = membersOf(value);
  if (members === null) return false;
  const of = (member: string) => members.find(([name]) => name === member)?.[1];
  const address = of('url');
  const hash = of('hash') ?? '';
  const file = of('file') ?? address ?? '';
  if (hash.includes(':')) {
    draft.hashes.push(...hashesIn(hash, line, file.slice(file.lastIndexOf('/') + 1), ':'));
  }
  if (address === undefined) return true;
  draft.alsoFrom ??= [];
  draft.alsoFrom.push(address);
  return true;
}

/** Names and texts of a table in one line; null: no tool writes it so. */
function membersOf(value: string): [name: string, of: string][] | null {
  if (!INLINE.test(value)) return null;
  return [...value.matchAll(MEMBER)].map(([, name = '', of = '']) => [name, of]);
}

function unusual(line: number): string {
  return `line ${line + 1} is not as a package manager writes it`;
}

/**
 * Whether all texts of a value are in double quotes, and have no escapes but of these: tools write
 * nothing else, and another notation of a source would not be seen.
 */
function isBasic(value: string): boolean {
  if (value.includes("'") && value.replace(QUOTED, '').includes("'")) return false;
  return !value.includes('\\') || !/\\[uUxe]/.test(value.replaceAll('\\\\', ''));
}

/** Whether a text may go on in the next line. */
function isOfManyLines(content: string): boolean {
  if (content.includes('"""')) return true;
  return content.includes("'''") && content.replace(QUOTED, '').includes("'''");
}

/** Names of an array of strings (`"a 1.0"`) or of tables (`{ name = "a" }`). */
function namesIn(value: string): string[] {
  const only = onlyText(value);
  if (only !== null) return [firstWord(only)];
  const named = [...value.matchAll(/\bname = "([^"]+)"/g)].map(([, name = '']) => name);
  if (named.length > 0) return named;
  return [...value.matchAll(QUOTED)].map(([, name = '']) => firstWord(name));
}

function firstWord(name: string): string {
  const end = name.indexOf(' ');
  return end === -1 ? name : name.slice(0, end);
}

function text(value: string): string {
  const only = onlyText(value);
  if (only !== null) return only;
  const [match] = value.matchAll(QUOTED);
  return match?.[1] ?? value;
}

/**
 * The text of a value that has no more than this text, in quotes and without escapes, as nearly all
 * values have; null: it has other parts, which cost more to be read.
 */
function onlyText(value: string): string | null {
  const end = value.endsWith(',') ? value.length - 2 : value.length - 1;
  const isOnly = end > 0 && value.startsWith('"') && value.indexOf('"', 1) === end;
  return isOnly && !value.includes('\\') ? value.slice(1, end) : null;
}
