import { posix } from 'node:path';
import { readIndentedLines } from './indented-lines.ts';
import {
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackages,
  type Remark,
  unquoted,
  withCommit,
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
  const remarks: Remark[] = [];
  let draft = isPart ? emptyPackage(0) : null;
  let isLocal = false;
  /** A folder that yarn links, from the root of the repository. */
  let folder = '';
  /** Of the address of an archive, as yarn 1 wrote it before it had other checksums. */
  let fragment: string | null = null;
  let part: string | null = null;
  let cache: string | null = null;
  let isMetadata = false;
  const problem = readIndentedLines(
    text,
    { isYarn: isYarn1, isPart },
    ({ indent, key, value, line }) => {
      if (key === null) return true;
      if (value?.startsWith('{') === true) return false;
      if (indent === 0) {
        finish();
        if (value !== null) return false;
        isMetadata = key === '__metadata';
        draft = isMetadata ? null : { ...emptyPackage(line), key, ...namesOf(key, line) };
        fragment = null;
        isLocal = false;
        folder = '';
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
      return true;
    },
  );
  finish();
  if (isYarn1 && !isPart) cache = 'yarn 1';
  else checkCacheKeys();
  return { packages, roots: isPart ? null : roots, cache, remarks, problem };

  /** yarn takes a checksum of another version of its cache for none. */
  function checkCacheKeys(): void {
    const key = /cacheKey (\S+)/.exec(cache ?? '')?.[1];
    for (const { name, version, hashes } of key === undefined ? [] : packages) {
      const other = hashes.find(({ algorithm }) => {
        return algorithm !== YARN_CACHE && algorithm !== `${YARN_CACHE}${key}`;
      });
      if (other === undefined) continue;
      const text = `The checksum of ${name} ${version} is of another version of the cache.`;
      remarks.push({ kind: 'integrity-removed', text, line: () => other.line, isLesser: false });
    }
  }

  function readField(key: string, value: string, line: number): void {
    if (draft === null) return;
    if (key === 'version') draft.version = value;
    else if (key === 'resolved') {
      draft.source = value;
      draft.sourceLine = line;
      fragment = /^https?:[^#]*#([0-9a-f]{40})$/.exec(value)?.[1] ?? null;
    } else if (key === 'resolution') resolve(value, line);
    else if (key === 'integrity') draft.hashes.push(...hashesIn(value, line));
    else if (key === 'checksum') {
      const at = value.indexOf('/');
      const algorithm = `${YARN_CACHE}${value.slice(0, Math.max(0, at))}`;
      draft.hashes.push({ file: '', algorithm, value: value.slice(at + 1), line });
    }
  }

  /** `name@npm:1.0.0`, or with another protocol and what it names. */
  function resolve(value: string, line: number): void {
    if (draft === null) return;
    const { name, range } = descriptor(value);
    draft.name ??= name;
    draft.sourceLine = line;
    // yarn-plugin-conditions writes a package whose only content is names of others.
    if (/^(?:workspace|link|portal|condition):/.test(range)) isLocal = true;
    const [, path = '', at = ''] = LINKED.exec(range) ?? [];
    const within = /%40workspace%3A([^&]*)/.exec(at)?.[1] ?? '.';
    if (path !== '') folder = path.startsWith('/') ? path : posix.join(decoded(within), path);
    const isPatch = range.startsWith('patch:');
    // What a patch of the repository makes of a version is another version.
    if (isPatch) draft.version = `${draft.version ?? ''}+${value.slice(-40)}`;
    const [, version, archive] = /^npm:([^:]*)(?:::.*?__archiveUrl=([^&]*))?/.exec(range) ?? [];
    if (archive !== undefined) draft.source = decoded(archive);
    else if (version === undefined && !isPatch) draft.source = range;
    const isOther = version !== undefined && draft.version !== null && version !== draft.version;
    if (name !== draft.name || isOther) remark(`${draft.name} ${draft.version}`, value, line);
  }

  function remark(what: string, real: string, line: number): void {
    const text = `${what} resolves to ${real}.`;
    remarks.push({ kind: 'name-mismatch', text, line: () => line, isLesser: false });
  }

  /** The name of the package behind the ranges for which it was chosen, and its alias. */
  function namesOf(key: string, line: number): Pick<Draft, 'name' | 'alias'> {
    const ranges = unquoted(key).split(/,\s/);
    const [name = '', ...others] = new Set(ranges.map(rangeName));
    if (others.length > 0) remark(others.join(', '), `the package ${name}`, line);
    const given = ranges.map((one) => descriptor(unquoted(one)).name);
    return { name, alias: given.find((one) => one !== name) ?? null };
  }

  function finish(): void {
    if (draft === null) return;
    if (isLocal) roots.push(...draft.requires);
    const source = isLocal ? `link:${folder}` : draft.source;
    if (fragment !== null && draft.hashes.length === 0) {
      draft.hashes.push({ file: '', algorithm: 'sha1', value: fragment, line: draft.sourceLine });
    }
    draft.version = withCommit(draft.version, source);
    const saysMore = source !== null || draft.hashes.length > 0 || draft.requires.length > 0;
    if (draft.key !== null || saysMore) packages.push({ ...draft, source });
  }
}

/** A folder that is named from that of the package which asks for it. */
const LINKED = /^(?:link|portal):([^:]*)(?:::locator=(.*))?$/;

function rangeName(text: string): string {
  const { name, range } = descriptor(unquoted(text.replace(/^["']|["']$/g, '')));
  return aliased(range)[0] ?? name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parts of `name@range`, where a scope has an `@` of its own. */
function descriptor(text: string): { name: string; range: string } {
  const at = text.indexOf('@', 1);
  return at === -1
    ? { name: text, range: '' }
    : { name: text.slice(0, at), range: text.slice(at + 1) };
}
