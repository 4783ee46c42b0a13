import { readJsonLines } from './json-lines.ts';
import { type Draft, emptyPackage, hashesIn, type LockedPackages } from './locked-package.ts';
import { normalised } from './toml-locks.ts';

const REQUIREMENT = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s?==\s?([^\s;\\,]+)/;
const DIRECT = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s?@\s?(\S+)/;
const REQUIRED_HASH = /--hash[= ](\w+):([0-9a-fA-F]+)/g;

/**
 * Reads requirements of pip with checksums
 * (pip.pypa.io/en/stable/topics/secure-installs): `name==1.0 \` and `--hash=sha256:...` below it.
 */
export function readRequirements(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let draft: Draft | null = isPart ? emptyPackage(0) : null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    const pinned = REQUIREMENT.exec(content);
    const direct = pinned === null ? DIRECT.exec(content) : null;
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
  return { packages, roots: null, problem: null };
}

/** Reads `Pipfile.lock` (pipenv.pypa.io/en/latest/pipfile.html). */
export function readPipfileLock(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let draft: Draft | null = isPart ? emptyPackage(0) : null;
  let list: string | null = null;
  const finish = () => {
    if (draft !== null && (draft.hashes.length > 0 || draft.source !== null)) packages.push(draft);
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
    } else if (key === 'version') {
      if (draft !== null) draft.version = (value ?? '').replace(/^==/, '');
    } else if (draft !== null && key !== null && SOURCES.has(key)) {
      draft.source = `${key === 'git' ? 'git+' : key === 'path' ? 'link:' : ''}${value ?? ''}`;
      draft.sourceLine = line;
    }
  });
  finish();
  return { packages, roots: null, problem };
}

const LISTS: ReadonlySet<string> = new Set(['hashes', 'extras', 'sources']);
const SOURCES: ReadonlySet<string> = new Set(['git', 'file', 'path']);
