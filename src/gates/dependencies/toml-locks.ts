import { type Draft, emptyPackage, hashesIn, type LockedPackages } from './locked-package.ts';

const FIELD = /^(?:"([^"]+)"|([A-Za-z0-9_-]+)) = (.*)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;
const HASH = /\bhash = "([^":]+:[^"]+)"/;
const FILE = /\b(?:file|url) = "(?:[^"]*\/)?([^"/]+)"/;
const TABLE = /^\[{1,2}([A-Za-z][\w-]*)(?:\.([\w-]+))?(?:\.(?:[\w-]+|"[^"]*"))*\]{1,2}$/;
/** An element of a list, or its end. */
const ELEMENT = /^[\]"{]/;
/** A longer line is not one that a package manager writes. Characters. */
const LINE_CHARS_MAX = 20_000;

/**
 * Reads lockfiles in TOML: of Cargo (doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html),
 * poetry, uv and PDM. Packages are the tables `[[package]]`; names of Python packages are
 * normalised (PEP 503).
 */
export function readTomlLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let draft = isPart ? emptyPackage(0) : null;
  let table = 'package';
  let list: string | null = null;
  let problem: string | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    const opened = list === null ? TABLE.exec(content) : null;
    if (opened !== null) {
      const [, top = '', part] = opened;
      table = part ?? top;
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
    const isPlain = isElement || (field !== null && field[2] !== 'package');
    if (content.length > LINE_CHARS_MAX || !isPlain || /"{3}|'{3}/.test(content)) {
      problem ??= `line ${line + 1} is not as a package manager writes it`;
      continue;
    }
    const key: string | null = field?.[1] ?? field?.[2] ?? list;
    const value = field?.[3] ?? content;
    if (value.endsWith('[')) list = key;
    else if (content.startsWith(']')) list = null;
    if (draft === null) continue;
    if (key !== null) readField(draft, { table, key, value, line });
    else readHashes(draft, value, line);
  }
  finish();
  return { packages, roots: null, problem };

  function finish(): void {
    if (draft === null) return;
    const { name, version, hashes } = draft;
    if (draft.key === null && hashes.length === 0 && draft.source === null) return;
    packages.push({ ...draft, key: name === null ? null : `${name}@${version ?? ''}` });
  }
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
  } else if (table === 'source' || key === 'source') {
    const url = /(?:\b(?:url|registry|git|path|editable|virtual|directory) = )?"([^"]*)"/.exec(
      value,
    );
    if (table === 'source' && key !== 'url') return;
    const isLocal = /\b(?:path|editable|virtual|directory) = "/.test(value);
    const isGit = /\bgit = "/.test(value);
    draft.source =
      url?.[1] === undefined ? null : `${isLocal ? 'link:' : isGit ? 'git+' : ''}${url[1]}`;
    draft.sourceLine = line;
  } else if (table === 'package' && key === 'name') draft.name = normalised(text(value));
  else if (table === 'package' && key === 'version') draft.version = text(value);
  else if (key === 'checksum')
    draft.hashes.push(...hashesIn(`sha256:${text(value)}`, line, '', ':'));
  else readHashes(draft, value, line);
}

function readHashes(draft: Draft, value: string, line: number): void {
  const hash = HASH.exec(value)?.[1];
  if (hash === undefined) return;
  draft.hashes.push(...hashesIn(hash, line, FILE.exec(value)?.[1] ?? '', ':'));
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

/** A name as PEP 503 compares it; crates.io ignores these signs as well. */
export function normalised(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
