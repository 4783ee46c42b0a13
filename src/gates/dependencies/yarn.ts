import { readIndentedLines } from './indented-lines.ts';
import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  unquoted,
} from './locked-package.ts';
import { aliased } from './npm.ts';

const DEPENDENCIES: ReadonlySet<string> = new Set([
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
]);

/** Of checksums of later versions: of archives in the cache, of which each version has its own. */
export const YARN_CACHE = 'yarn-cache-';

/** Lines of yarn 1, which has no colon behind a key; later versions write YAML. */
const YARN_1 =
  /^# yarn lockfile v1|^ +(?:version|resolved|"?[@\w][^\s":]*"?) "[^"\n]*"$|^ +integrity sha/m;

/**
 * Reads `yarn.lock` of yarn 1 (its own notation, classic.yarnpkg.com/lang/en/docs/yarn-lock) and of
 * later ones (YAML). A package is a block that is not indented.
 */
export function readYarnLock(text: string, isPart: boolean): LockedPackages {
  const isYarn1 = YARN_1.test(text);
  const packages: Draft[] = [];
  const roots: string[] = [];
  let draft = isPart ? emptyPackage(0) : null;
  let isLocal = false;
  let part: string | null = null;
  let cache: string | null = null;
  let isMetadata = false;
  const problem = readIndentedLines(text, isYarn1, ({ indent, key, value, line }) => {
    if (key === null) return;
    if (indent === 0) {
      finish();
      isMetadata = key === '__metadata';
      draft = isMetadata ? null : { ...emptyPackage(line), key, name: nameOf(key) };
      isLocal = false;
      part = null;
    } else if (draft === null) {
      if (isMetadata) cache = `${cache === null ? '' : `${cache}, `}${key} ${value ?? ''}`;
    } else if (indent <= 2 && value === null) {
      part = key;
    } else if (indent <= 2) {
      part = null;
      readField(key, value ?? '', line);
    } else if (part === null || DEPENDENCIES.has(part)) {
      draft.requires.push(key, ...aliased(value ?? ''));
    }
  });
  finish();
  return { packages, roots: isPart ? null : roots, cache, problem };

  function readField(key: string, value: string, line: number): void {
    if (draft === null) return;
    if (key === 'version') draft.version = value;
    else if (key === 'resolved' || key === 'resolution') {
      draft.source = value;
      draft.sourceLine = line;
      if (key === 'resolution' && draft.name === null) draft.name = descriptor(value).name;
      if (/@(?:workspace|link|portal):/.test(value)) isLocal = true;
      // What a patch of the repository makes of a version is another version.
      if (/@patch:/.test(value)) draft.version = `${draft.version ?? ''}+${value.slice(-40)}`;
    } else if (key === 'integrity') draft.hashes.push(...hashesIn(value, line));
    else if (key === 'checksum') {
      const at = value.indexOf('/');
      const algorithm = `${YARN_CACHE}${value.slice(0, Math.max(0, at))}`;
      draft.hashes.push({ file: '', algorithm, value: value.slice(at + 1), line });
    }
  }

  function finish(): void {
    if (draft === null) return;
    if (isLocal) roots.push(...draft.requires);
    const source = isLocal ? 'link:' : draft.source;
    const saysMore = source !== null || draft.hashes.length > 0 || draft.requires.length > 0;
    if (draft.key !== null || saysMore) packages.push({ ...draft, source });
  }
}

/** The name of the package behind the first of the ranges for which it was chosen. */
function nameOf(key: string): string {
  const first = unquoted(key).split(/,\s/)[0] ?? '';
  const { name, range } = descriptor(unquoted(first.replace(/^["']|["']$/g, '')));
  return aliased(range)[0] ?? name;
}

/** Parts of `name@range`, where a scope has an `@` of its own. */
function descriptor(text: string): { name: string; range: string } {
  const at = text.indexOf('@', 1);
  return at === -1
    ? { name: text, range: '' }
    : { name: text.slice(0, at), range: text.slice(at + 1) };
}
