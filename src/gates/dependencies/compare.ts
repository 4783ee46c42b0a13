import { once } from '../../core/once.ts';
import type { DependencyChange } from '../../model/dependencies.ts';
import type { KnownPackages } from './known-packages.ts';
import {
  emptyPackage,
  type LockedPackage,
  type LockedPackages,
  type PackageHash,
} from './locked-package.ts';
import type { Ecosystem } from './lockfiles.ts';
import {
  archiveMismatch,
  hasPublicOrigin,
  isBuiltTwice,
  isForeign,
  isLocal,
  isPublic,
  namedPart,
  originOf,
  originsOf,
  terraformHost,
} from './origins.ts';
import type { Arrival } from './registry.ts';
import { YARN_CACHE } from './yarn.ts';

/** What a change does to a package of a lockfile. */
export interface Fact {
  kind: FactKind;
  name: string;
  version: string;
  /** A sentence with the names and addresses in it. */
  detail: string;
  /** What an acceptance of the finding holds for alone: an address, a checksum, a file. */
  origin?: string;
  /** It is less grave here than elsewhere. */
  isLesser: boolean;
}

/** Index of the line in the new text that shows it; looked up only where a finding shows it. */
interface Placed {
  line: () => number;
}

export type FactKind =
  | 'integrity-changed'
  | 'integrity-added'
  | 'integrity-removed'
  | 'name-mismatch'
  | 'source-changed'
  | 'foreign-source'
  | 'install-script'
  | 'known-install-script'
  | 'imitated-name'
  | 'imitated-own-name'
  | 'scope-source'
  | 'unexplained'
  | 'downgrade'
  | 'major'
  | 'published-lately'
  | 'withdrawn'
  | 'new-publisher'
  | 'not-in-registry'
  | 'pin-removed'
  | 'pin-moved'
  | 'guard-removed'
  | 'alone'
  | 'stale';

/** A package that a change adds, removes, or brings in another version. */
export type VersionChange = Omit<DependencyChange, 'file'>;

export interface Comparison {
  facts: (Fact & Placed)[];
  /** Versions of a registry that were not there before. */
  arrivals: (Arrival & Placed)[];
  changes: VersionChange[];
  /** What was not compared; null: everything was. */
  problem: string | null;
}

/** Both versions of a lockfile, or both sides of one of its hunks. */
export interface LockfileVersions {
  before: LockedPackages;
  after: LockedPackages;
  ecosystem: Ecosystem;
  /** People write it, and reviewers read it. */
  isManifest: boolean;
  /** Both versions are there as a whole, and not as far as hunks show them. */
  isWhole: boolean;
  /** The file comes with the change. */
  isNewFile: boolean;
  /** Whether another file of the change, such as a manifest, names a package. */
  isNamed(name: string): boolean;
  /** Whether such a file names a server, a repository or a path, for a package. */
  isSourceNamed(part: string, name: string): boolean;
  /** Whether its name was compared with known ones where a manifest of the change asks for it. */
  isCompared(name: string): boolean;
  known: KnownPackages;
}

/**
 * Compares two versions of a lockfile by names and versions of packages. Places in `node_modules`
 * count for nothing: packages move there whenever others come and go.
 */
export function compareLockfiles({
  before: shownBefore,
  after: shownAfter,
  ecosystem,
  isManifest,
  isWhole,
  isNewFile,
  isNamed: isNamedElsewhere,
  isSourceNamed,
  isCompared,
  known,
}: LockfileVersions): Comparison {
  const isOfModules = ecosystem === 'terraform' && !isWhole;
  const before = isOfModules ? namedBySource(shownBefore, shownAfter) : shownBefore;
  const after = isOfModules ? namedBySource(shownAfter, shownBefore) : shownAfter;
  const old = indexed(before.packages);
  const { arrived, touched, crowded } = changedEntries(old.entries, after.packages);
  const now = indexed(after.packages.filter((one) => touched.has(groupOf(one))));
  const isNamed = (name: string) => isManifest || isNamedElsewhere(name);
  const roots = new Set(after.roots ?? []);
  const isDirect = (name: string) => roots.has(name) || isNamed(name);
  const required = once(() => {
    const names = new Set(roots);
    const fixed =
      isWhole && hasFixedRequires(ecosystem) ? requiresByVersion(before.packages) : null;
    for (const one of after.packages) {
      // What a published version depends on never changes.
      const same = isHashed(one) ? fixed?.get(versionKey(one)) : undefined;
      for (const name of one.requires) if (same?.has(name) !== false) names.add(name);
    }
    return names;
  });
  const own = once(() => ownPackages(before.packages, ecosystem));
  const owners = once(() => ownersIn(isWhole ? before.packages : [], ecosystem));
  const knownOrigins = once(() => new Set(before.packages.flatMap(originsOf)));
  const newOrigins = (one: LockedPackage) =>
    originsOf(one).filter((origin) => !isPublic(origin, ecosystem) && !knownOrigins().has(origin));
  const hasHashes = once(() => before.packages.some(({ hashes }) => hashes.length > 0));
  /** What comes with the first lockfile stands in manifests that the change does not touch. */
  const isFirst = isWhole && before.packages.length === 0;
  const facts: Comparison['facts'] = [];
  const arrivals: Comparison['arrivals'] = [];
  const majors: { one: LockedPackage; step: string }[] = [];
  const seen = new Set<string>();
  const add = (
    kind: FactKind,
    one: LockedPackage,
    detail: string,
    more: Partial<Fact & Placed> = {},
  ) => {
    const name = one.name ?? 'a package';
    const version = one.version ?? '';
    const key = `${kind} ${name} ${version} ${detail}`;
    if (seen.has(key)) return;
    seen.add(key);
    facts.push({
      kind,
      name,
      version,
      line: () => one.line,
      detail: shown(detail),
      isLesser: false,
      ...more,
    });
  };
  const unnamed = surplusChecksum(after.packages, old.entries);
  if (unnamed !== null) {
    const detail = 'A checksum changed without the version of its package.';
    const [hash] = unnamed[0]?.hashes ?? [];
    const origin = accepted(unnamed.flatMap(({ hashes }) => hashes));
    add('integrity-changed', unnamed[0], detail, { line: () => hash?.line ?? 0, origin });
  }
  const remarked = new Set((before.remarks ?? []).map(({ text }) => text));
  for (const { kind, text, line, isLesser, real } of after.remarks ?? []) {
    const isExplained = real !== undefined && isNamed(`npm:${real}`);
    if (remarked.has(text) || isExplained || (isNewFile && kind === 'integrity-removed')) continue;
    const one = { ...emptyPackage(0), name: text };
    add(kind, one, text, { line, isLesser: isLesser || isNewFile });
  }
  for (const one of arrived) {
    if (isFarFromVersion(one)) continue;
    const { name, source } = one;
    const entries = old.entries.get(groupOf(one)) ?? [];
    const same = entries.filter(({ version }) => version === one.version);
    const earlier = name === null ? [] : entries;
    const label = labelOf(one);
    const sourceLine = () => one.sourceLine;
    const others = same.length > 0 ? same : earlier;
    const isSourceNew = !same.some((other) => hasSameSources(one, other));
    const wrong = isSourceNew || ecosystem !== 'npm' ? archiveMismatch(one, ecosystem) : null;
    if (wrong !== null) {
      add('name-mismatch', one, `${label} resolves to ${wrong}.`, { line: sourceLine });
    }
    // All lines of a new package are in its hunk, and its name with them.
    const isMoved = isSourceNew && (others.length > 0 || name === null);
    const moved = isMoved ? sourceChange(one, others, newOrigins(one)) : null;
    if (moved !== null) {
      const isBack = others.every((other) => isForeign(other) || isLocal(other));
      // Each new address brings what is installed.
      const isExplained = (to: string) =>
        isSameOwner(moved.from, to) ||
        (moved.from.every((from) => isPublic(from, ecosystem)) && owners().has(ownerOf(to, one))) ||
        (isBack && isPublic(to, ecosystem)) ||
        isSourceNamed(isLocal(one) ? pathOf(one) : namedPart(to), name ?? '');
      // A registry keeps its versions; git does not. What a manifest says, its reviewers read.
      const isLesser =
        isManifest || isSameArchive(one, same, ecosystem) || moved.to.every(isExplained);
      const was = moved.from.length === 0 ? 'the usual registry' : listed(moved.from);
      const detail = `${label}: it came from ${was}, and comes from ${listed(moved.to)} now.`;
      const origin = isLocal(one) ? pathOf(one) : moved.to.join(' ');
      add('source-changed', one, detail, { line: sourceLine, isLesser, origin });
    }
    if (same.length > 0) {
      // Other checksums are right there, none are not.
      const isSame = (other: LockedPackage) => one.hashes.length === 0 || !isBuiltTwice(one, other);
      const comparable = same.filter(isSame);
      for (const { kind, detail, ...more } of checksumFacts(one, comparable)) {
        // PyPI takes further files for a version, and lists of checksums without names grow: of
        // a provider of Terraform by platform.
        const isGrowing = ecosystem === 'pypi' || ecosystem === 'terraform';
        // npm itself loses address and checksum now and then (github.com/npm/cli/issues/4460).
        const isLost = ecosystem === 'npm' && one.source === null && source !== others[0]?.source;
        const isLesser =
          (kind === 'integrity-added' && isGrowing) || (kind === 'integrity-removed' && isLost);
        add(kind, one, `${label}: ${detail}`, { ...more, isLesser });
      }
      if (one.hasScript && same.every(({ hasScript }) => !hasScript)) {
        const isKnown = before.saysScripts === false || known.runsScript(name ?? '', ecosystem);
        const kind = isKnown ? 'known-install-script' : 'install-script';
        add(kind, one, `${label} had none before, at the same version.`);
      }
      continue;
    }
    if (name === null) continue;
    if (one.version !== null && isOfRegistry(one)) {
      const versions = new Set(earlier.flatMap(({ version }) => version ?? []));
      const [from = null] = versions.size === 1 ? versions : [];
      arrivals.push({ ecosystem, name, version: one.version, from, line: () => one.line });
    }
    const isNew = earlier.length === 0;
    // What a manifest says, its reviewers read, but for an address that anybody on the way changes.
    if (isNew && !isFirst && (!isManifest || /^http:/i.test(source ?? ''))) {
      const from = isForeign(one) || isOutside(one) ? originOf(source) : null;
      const [fresh] = hasPublicOrigin(ecosystem) && !isLocal(one) ? newOrigins(one) : [];
      const part = isOutside(one) ? pathOf(one) : namedPart(from ?? fresh ?? '');
      const isExplained = !isManifest && isSourceNamed(part, name);
      if ((from !== null || fresh !== undefined) && !isExplained) {
        const place = (source ?? '').replace(/\/\/[^/@\s]*@/, '//');
        const detail = from === null ? `${fresh}, as no package did before` : place;
        // A hunk does not show where the other packages come from.
        const isUnshown = from === null && !isWhole;
        const isLesser = isManifest || isUnshown || isReviewed(one);
        add('foreign-source', one, `${label} comes from ${detail}.`, {
          line: sourceLine,
          isLesser,
          origin: part,
        });
      }
    }
    const hadHashes = isNew ? source !== null && hasHashes() : earlier.every(isHashed);
    if ((isWhole || !isNew) && hadHashes && !isHashed(one) && isOfRegistry(one)) {
      add('integrity-removed', one, `${label} has no checksum.`, { isLesser: true });
    }
    if (isNew && one.alias && known.isUsed(one.alias, ecosystem) && !isNamed(name)) {
      add('name-mismatch', one, `${one.alias} is the package ${name}, and no manifest says so.`, {
        isLesser: isFirst,
      });
    }
    const isUnknown = before.saysScripts === false && !isNew;
    const hadScript = earlier.some(({ hasScript }) => hasScript);
    if (one.hasScript && hadScript) {
      const detail = `${label} replaces ${versionsOf(earlier)}, so the script may be another.`;
      add('known-install-script', one, detail);
    } else if (one.hasScript) {
      const versions = versionsOf(earlier);
      const was = isUnknown
        ? `replaces ${versions}, which may have had none`
        : `had none in ${versions}`;
      const since = isNew ? 'is new' : was;
      const kind = known.runsScript(name, ecosystem) ? 'known-install-script' : 'install-script';
      const isUsed = earlier.length === 0 && known.isUsed(name, ecosystem);
      // Composer runs a plugin only where composer.json allows it by name.
      const isAllowed = ecosystem === 'composer' && isNamed(name);
      add(kind, one, `${label} ${since}.`, {
        isLesser: isFirst || isUsed || isAllowed || isUnknown,
      });
    }
    if (earlier.length === 0) {
      const like = isLocal(one) || isCompared(name) ? null : known.resembled(name, ecosystem);
      if (like !== null) {
        const isLesser = !isDirect(name);
        add('imitated-name', one, `${label} is named almost like ${like}.`, { isLesser });
      }
      const imitated = isLocal(one) ? null : own().resembled(one);
      if (imitated !== null) {
        const detail = `${label} is named almost like ${imitated} of this repository.`;
        add('imitated-own-name', one, detail);
      }
      const elsewhere = own().sourceOfScope(one);
      if (elsewhere !== null) {
        const detail = `${label} comes from ${originOf(source)}, and its scope from ${elsewhere}.`;
        add('scope-source', one, detail, { line: sourceLine });
      }
      const isExplained = required().has(name) || isLocal(one) || isNamed(name);
      if (!isExplained && !isFirst && hasRequires(ecosystem)) {
        add('unexplained', one, `Nothing in the change asks for ${label}.`);
      }
    } else if (earlier.length === 1 && now.entries.get(name)?.length === 1) {
      const [was] = earlier;
      if (was?.version && one.version && isLower(one.version, was.version)) {
        add('downgrade', one, `${name} goes from ${was.version} to ${one.version}.`);
      } else if (isUnpinned(was?.version, one, ecosystem)) {
        const detail = `${name} goes from ${was?.version} to ${one.version ?? 'no version'}.`;
        add('pin-removed', one, detail);
      } else if (was?.version && one.version && isOtherMajor(one.version, was.version)) {
        majors.push({ one, step: `${name} from ${was.version} to ${one.version}` });
      }
    }
  }
  const [first] = majors;
  if (first !== undefined) {
    // One finding, whatever their number: such steps are frequent, and none of them is an attack.
    const listed = majors.slice(0, MAJORS_LISTED_MAX).map(({ step }) => step);
    const rest = majors.length - listed.length;
    const more = rest === 0 ? '' : `, and ${rest} more`;
    const name = listed.join(', ');
    const detail = `To another major version go: ${name}${more}.`;
    add('major', first.one, detail, { name, version: '' });
  }
  const changed = versionSteps(touched, old.entries, now.entries, ecosystem);
  const isAnyGone = [...changed.values()].some(({ come }) => come.length === 0);
  const all = isAnyGone ? [...before.packages, ...after.packages] : after.packages;
  const changes = versionChanges(changed, all, isDirect);
  return { facts, arrivals, changes, problem: old.crowded ?? crowded ?? now.crowded };
}

/** Modules whose names stand above their hunk have the name of the source that both sides show. */
function namedBySource(side: LockedPackages, other: LockedPackages): LockedPackages {
  const packages = side.packages.map((one) => {
    const isShown = other.packages.some(
      ({ name, hunk, source }) => name === null && hunk === one.hunk && source === one.source,
    );
    if (one.name !== null || one.source === null || !isShown) return one;
    return { ...one, name: namedPart(originOf(one.source) ?? one.source) };
  });
  return { ...side, packages };
}

/** What the versions of a lockfile depend on. */
function requiresByVersion(packages: readonly LockedPackage[]) {
  const byVersion = new Map<string, Set<string>>();
  for (const one of packages) {
    const key = versionKey(one);
    const names = byVersion.get(key) ?? new Set();
    for (const name of one.requires) names.add(name);
    byVersion.set(key, names);
  }
  return byVersion;
}

const versionKey = (one: LockedPackage) => `${groupOf(one)}\n${one.version}`;

/** Whether an entry says of a version what one of the entries before the change said. */
function isUnchanged(one: LockedPackage, other: LockedPackage): boolean {
  return (
    one.version === other.version &&
    one.hasScript === other.hasScript &&
    hasSameSources(one, other) &&
    hasSameHashes(one, other)
  );
}

function hasSameSources(one: LockedPackage, other: LockedPackage): boolean {
  const also = one.alsoFrom ?? [];
  const otherAlso = other.alsoFrom ?? [];
  return (
    one.source === other.source &&
    also.length === otherAlso.length &&
    also.every((address, index) => address === otherAlso[index])
  );
}

function hasSameHashes(one: LockedPackage, other: LockedPackage): boolean {
  if (one.hashText !== undefined && one.hashText === other.hashText) return true;
  return (
    one.hashes.length === other.hashes.length &&
    one.hashes.every(({ file, algorithm, value }, index) => {
      const hash = other.hashes[index];
      return hash?.value === value && hash.algorithm === algorithm && hash.file === file;
    })
  );
}

interface OwnPackages {
  /** The own package that a name of another one is easily taken for; null: it is like none. */
  resembled(one: LockedPackage): string | null;
  /** Where the scope of a package came from so far, if this one comes from elsewhere; else null. */
  sourceOfScope(one: LockedPackage): string | null;
}

/**
 * Packages of the organization, by the lockfile before the change: folders of the repository, and
 * what a registry of its own holds. An install that does not name the registry takes a public
 * package with such a name or scope in their place (dependency confusion; A. Birsan, 2021).
 */
function ownPackages(before: readonly LockedPackage[], ecosystem: Ecosystem): OwnPackages {
  const byLetters = new Map<string, string>();
  const origins = new Map<string, Set<string>>();
  for (const one of ecosystem === 'npm' || ecosystem === 'pypi' ? before : []) {
    const origin = originOf(one.source);
    if (one.name === null || origin === null || isForeign(one)) continue;
    const scope = scopeOf(one.name);
    if (scope !== null && !isLocal(one)) {
      origins.set(scope, (origins.get(scope) ?? new Set()).add(origin));
    }
    if (isLocal(one) || !isPublic(origin, ecosystem)) {
      byLetters.set(lettersOf(one.name), one.name);
    }
  }
  return {
    resembled({ name }) {
      if (name === null || byLetters.size === 0) return null;
      const own = byLetters.get(lettersOf(name));
      const isOfScope = own?.startsWith('@') && scopeOf(own) === scopeOf(name);
      return own === undefined || isOfScope ? null : own;
    },
    sourceOfScope(one) {
      const scope = one.name === null ? null : scopeOf(one.name);
      const known = scope === null ? undefined : origins.get(scope);
      const origin = originOf(one.source);
      if (known === undefined || origin === null || isLocal(one) || isForeign(one)) return null;
      return known.has(origin) ? null : [...known].slice(0, 2).join(', ');
    },
  };
}

/** `@acme/core`, `acme-core` and `acme_core` read the same. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const scopeOf = (name: string) => (name.startsWith('@') ? name.slice(0, name.indexOf('/')) : null);

/**
 * Whether a hunk may show the checksum of a package and not that its version changed: later
 * versions of yarn write the dependencies between the two.
 */
function isFarFromVersion({ name, version, hashes }: LockedPackage): boolean {
  return name === null && version === null && hashes[0]?.algorithm.startsWith(YARN_CACHE) === true;
}

/**
 * Such packages whose checksums changed, if the version of one of them did not: there are more
 * checksums that changed than packages of which the hunks show a new version and no checksum.
 */
function surplusChecksum(
  packages: readonly LockedPackage[],
  old: Entries,
): [LockedPackage, ...LockedPackage[]] | null {
  if (!packages.some(isFarFromVersion)) return null;
  const sameAs = (one: LockedPackage) =>
    (old.get(groupOf(one)) ?? []).filter(({ version }) => version === one.version);
  const changed = packages.filter((one) => {
    const before = sameAs(one).flatMap(({ hashes }) => hashes);
    const isNew = one.hashes.some(({ algorithm, value }) =>
      before.some((hash) => hash.algorithm === algorithm && hash.value !== value),
    );
    return isFarFromVersion(one) && isNew;
  });
  const updated = packages.filter((one) => {
    const before = sameAs(one);
    const isNew = before.every(({ hunk }) => hunk !== one.hunk);
    return one.version !== null && one.hashes.length === 0 && isNew;
  });
  const [first, ...rest] = changed;
  return first !== undefined && changed.length > updated.length ? [first, ...rest] : null;
}

const isHashed = ({ hashes }: LockedPackage) => hashes.length > 0;

/** Whether a package is an archive on this machine, or a folder above that of the lockfile. */
const isOutside = ({ source }: LockedPackage) =>
  /^(?:file:|link:(?:\.\.\/|[/~\\]|[a-zA-Z]:))/.test(source ?? '');

const pathOf = ({ source }: LockedPackage) =>
  (source ?? '').replace(/^(?:file|link):(?:\.\/)?/, '');

/**
 * Whether a package is a folder of the repository, which reviewers read: neither an archive nor a
 * path that leads out of it, of Windows or with escapes (`%2e%2e`) either.
 */
function isReviewed(one: LockedPackage): boolean {
  const path = pathOf(one);
  const isWithin =
    one.source?.startsWith('file:') === true && !/^[/~\\]|^[a-zA-Z]:|%|(?:^|[/\\])\.\./.test(path);
  return isWithin && path !== '' && !ARCHIVE.test(path);
}

/** What npm, pip and the like unpack; yarn writes `#` or `::` and more behind it. */
const ARCHIVE = /\.(?:tgz|tbz2?|txz|tlz|tar|tar\.\w{1,4}|zip|whl|egg|gem|crate|jar)(?=[\s#:?]|$)/i;

/** Whether a lockfile says of a version what it depends on, and not what was chosen of it. */
function hasFixedRequires(ecosystem: Ecosystem): boolean {
  return ecosystem === 'npm' || ecosystem === 'composer';
}

/** go.sum and the like list checksums alone, and not what depends on what. */
function hasRequires(ecosystem: Ecosystem): boolean {
  return ecosystem === 'npm' || ecosystem === 'cargo' || ecosystem === 'composer';
}

function labelOf({ name, version }: LockedPackage): string {
  if (name === null) return 'a package';
  return version === null ? name : `${name} ${version}`;
}

function versionsOf(packages: readonly LockedPackage[]): string {
  return [...new Set(packages.map(({ version }) => version ?? '?'))].slice(0, 3).join(', ');
}

/** Before the place of an entry of which no name is known. */
const UNNAMED = '\n';

/** Entries of one name are compared with each other; so are entries of a hunk without a name. */
const groupOf = ({ key, name }: LockedPackage) => name ?? `${UNNAMED}${key ?? ''}`;

type Entries = ReadonlyMap<string, readonly LockedPackage[]>;

/** What is not as before: entries that come, and the names of all that come or go. */
function changedEntries(old: Entries, packages: readonly LockedPackage[]) {
  const kept = new Set<LockedPackage>();
  const arrived: LockedPackage[] = [];
  const counts = new Map<string, number>();
  let crowded: string | null = null;
  for (const one of packages) {
    const group = groupOf(one);
    if (counts.get(group) === ENTRIES_MAX) {
      crowded = CROWDED;
      continue;
    }
    const was = old.get(group)?.find((other) => isUnchanged(one, other));
    if (was === undefined) {
      arrived.push(one);
      counts.set(group, (counts.get(group) ?? 0) + 1);
    } else kept.add(was);
  }
  const touched = new Set(arrived.map(groupOf));
  for (const [name, entries] of old) {
    if (entries.some((one) => !kept.has(one))) touched.add(name);
  }
  return { arrived, touched, crowded };
}

/** Different entries of one name that are compared: each new one with each old one. */
const ENTRIES_MAX = 1_000;
const CROWDED = `one name has more than ${ENTRIES_MAX} entries`;

/** Packages by name; an entry that says the same as another counts once. */
function indexed(packages: readonly LockedPackage[]) {
  const entries = new Map<string, LockedPackage[]>();
  let crowded: string | null = null;
  for (const one of packages) {
    const group = groupOf(one);
    const others = entries.get(group);
    if (others === undefined) entries.set(group, [one]);
    else if (others.some((other) => isUnchanged(one, other) && one.hunk === other.hunk)) continue;
    else if (others.length < ENTRIES_MAX) others.push(one);
    else crowded = CROWDED;
  }
  return { entries, crowded };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

type ChecksumFact = Pick<Fact, 'kind' | 'detail' | 'origin'> & Placed;

/** Checksums of a version that was there before: they have no reason to change. */
function checksumFacts(one: LockedPackage, same: readonly LockedPackage[]): ChecksumFact[] {
  const before = new Map<string, Set<string>>();
  for (const { hashes } of same) {
    for (const { file, algorithm, value } of hashes) {
      const group = `${file} ${algorithm}`;
      before.set(group, (before.get(group) ?? new Set()).add(value));
    }
  }
  if (before.size === 0) return [];
  // A version may get one more file for another platform, but not another file of one name.
  const groups = new Map<string, PackageHash[]>();
  for (const hash of one.hashes) push(groups, `${hash.file} ${hash.algorithm}`, hash);
  const lost = lostFile(one, before, groups);
  if (lost !== null) {
    const detail = `${lost} has no checksum of the strength that it had.`;
    return [{ kind: 'integrity-removed', detail, line: () => hashLine(one, one.hashes[0]) }];
  }
  const differing = [...groups].flatMap(([group, hashes]): ChecksumFact[] => {
    const values = before.get(group);
    const other = hashes.find(({ value }) => values?.has(value) === false);
    if (other === undefined) return [];
    const more = { line: () => hashLine(one, other) };
    const of = other.file === '' ? other.algorithm : `${other.algorithm} of ${other.file}`;
    return hashes.some(({ value }) => values?.has(value))
      ? [{ kind: 'integrity-added', detail: `there is one more ${of}.`, ...more }]
      : [{ kind: 'integrity-changed', detail: `its ${of} is another.`, ...more }];
  });
  const changed = differing.find(({ kind }) => kind === 'integrity-changed');
  const [shown = null] = changed === undefined ? differing : [changed];
  if (shown !== null) {
    const isNew = (hash: PackageHash) =>
      before.get(`${hash.file} ${hash.algorithm}`)?.has(hash.value) !== true;
    return [{ ...shown, origin: accepted(one.hashes.filter(isNew)) }];
  }
  if ([...groups.keys()].some((group) => before.has(group))) return [];
  const origin = originOf(one.source);
  if (origin !== null && origin !== originOf(same[0]?.source ?? null)) return [];
  const line = () => hashLine(one, one.hashes[0]);
  if (one.hashes.length === 0) {
    const wasThere = one.name !== null && same.every(({ hashes }) => hashes.length > 0);
    return wasThere ? [{ kind: 'integrity-removed', detail: 'its checksum is gone.', line }] : [];
  }
  const strongest = Math.max(...[...before.keys()].map(strengthOf));
  const own = Math.max(...[...groups.keys()].map(strengthOf));
  const isWeaker = own < strongest;
  const detail = 'its checksum is of a weaker algorithm.';
  return isWeaker ? [{ kind: 'integrity-removed', detail, line }] : [];
}

/** What an acceptance of checksums holds for: all of them, in any order. */
const accepted = (hashes: readonly PackageHash[]) =>
  hashes
    .map(({ file, algorithm, value }) => `${file} ${algorithm} ${value}`)
    .sort()
    .join('\n');

/** A file that is still there, and whose checksum is gone or of a weaker algorithm; else null. */
function lostFile(
  { alsoFrom = [] }: LockedPackage,
  before: ReadonlyMap<string, unknown>,
  groups: ReadonlyMap<string, unknown>,
): string | null {
  const strengths = (of: ReadonlyMap<string, unknown>) => {
    const byFile = new Map<string, number>();
    for (const group of of.keys()) {
      const file = group.slice(0, group.lastIndexOf(' '));
      byFile.set(file, Math.max(byFile.get(file) ?? -1, strengthOf(group)));
    }
    return byFile;
  };
  const now = strengths(groups);
  for (const [file, strength] of strengths(before)) {
    const isThere = now.has(file) || alsoFrom.some((address) => address.endsWith(`/${file}`));
    if (file !== '' && isThere && strength > (now.get(file) ?? -1)) return file;
  }
  return null;
}

function hashLine(one: LockedPackage, hash: PackageHash | undefined): number {
  if (hash === undefined) return one.line;
  return hash.line === -1 ? (one.hashLine ?? one.line) : hash.line;
}

/** Algorithms from the weakest to the strongest. */
const STRENGTHS = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'];

/** -1: nobody knows. */
function strengthOf(group: string): number {
  return STRENGTHS.indexOf(group.slice(group.lastIndexOf(' ') + 1));
}

/**
 * From where a package comes now, as far as none of the others comes from there; null: as before.
 * `newOrigins`: servers from which no package came before.
 */
function sourceChange(
  one: LockedPackage,
  others: readonly LockedPackage[],
  newOrigins: readonly string[],
): { from: readonly string[]; to: readonly string[] } | null {
  const before = new Set(others.flatMap(originsOf));
  const now = before.size === 0 ? newOrigins : originsOf(one).filter((it) => !before.has(it));
  return now.length === 0 ? null : { from: [...before], to: [...new Set(now)] };
}

/** Two of the origins of a package, for a sentence. */
const listed = (origins: readonly string[]) => origins.slice(0, 2).join(', ');

/**
 * Whether another address cannot bring another archive: version and checksums are as before, and
 * it goes from `http:` to `https:`, or the same commit comes from another repository.
 */
function isSameArchive(
  one: LockedPackage,
  same: readonly LockedPackage[],
  ecosystem: Ecosystem,
): boolean {
  const isCommit =
    one.hashes.some(({ algorithm }) => algorithm === 'git') &&
    originsOf(one).every((origin) => isPublic(origin, ecosystem)) &&
    archiveMismatch(one, ecosystem) === null;
  return same.some((other) => {
    const isSafer =
      one.alsoFrom === undefined && other.source?.replace(/^http:/i, 'https:') === one.source;
    return (isSafer || isCommit) && isHashed(one) && hasSameHashes(one, other);
  });
}

/** Whether a repository goes to another of the same owner. */
function isSameOwner(from: readonly string[], to: string): boolean {
  const owner = siteAndOwner(to);
  return owner !== null && from.some((origin) => siteAndOwner(origin) === owner);
}

const siteAndOwner = (origin: string) =>
  /^(?:github\.com|gitlab\.com|bitbucket\.org)\/[^/]+\//.exec(origin)?.[0] ?? null;

/**
 * Owners of the repositories from which Composer takes packages before the change. Each of them can
 * bring other code by a new version alone; the owner of a package for development only there.
 */
function ownersIn(before: readonly LockedPackage[], ecosystem: Ecosystem): ReadonlySet<string> {
  const owners = new Set<string>();
  for (const one of ecosystem === 'composer' ? before : []) {
    for (const origin of originsOf(one)) {
      if (!isPublic(origin, ecosystem)) continue;
      owners.add(ownerOf(origin, { isDev: true }));
      owners.add(ownerOf(origin, one));
    }
  }
  return owners;
}

const ownerOf = (origin: string, { isDev }: Pick<LockedPackage, 'isDev'>) =>
  `${siteAndOwner(origin)} ${isDev === true}`;

/** Whether a module of Terraform goes from a number or commit to a branch, or to no version. */
function isUnpinned(
  was: string | null | undefined,
  { version }: LockedPackage,
  ecosystem: Ecosystem,
): boolean {
  const isFixed = (one: string) => /\d\.\d|^v?\d+$|^[0-9a-f]{40}$/.test(one);
  return ecosystem === 'terraform' && isFixed(was ?? '') && !isFixed(version ?? '');
}

/** Steps to another major version that a finding names. */
const MAJORS_LISTED_MAX = 5;

/** Whether a registry has such a version; go.sum has lines of files of a module as well. */
function isOfRegistry(one: LockedPackage): boolean {
  const isServed = !isForeign(one) || /^http:/i.test(one.source ?? '');
  return !isLocal(one) && isServed && one.version?.endsWith('/go.mod') === false;
}

/** A longer sentence is cut: names and addresses are texts of anybody. Characters. */
const DETAIL_CHARS_MAX = 400;

function shown(detail: string): string {
  const isShort = detail.length <= DETAIL_CHARS_MAX;
  return (isShort ? detail : `${detail.slice(0, DETAIL_CHARS_MAX)}…`).toWellFormed();
}

/** Whether a version is lower than another by its first three numbers; false: nobody can say. */
function isLower(version: string, than: string): boolean {
  const one = numbersOf(version);
  const other = numbersOf(than);
  if (one === null || other === null) return false;
  const at = one.findIndex((number, index) => number !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
}

/** Whether a step may break users (semver.org, 4 and 8): below 1.0.0 by the second number. */
function isOtherMajor(version: string, than: string): boolean {
  const [major, minor] = numbersOf(version) ?? [];
  const [oldMajor, oldMinor] = numbersOf(than) ?? [];
  if (major === undefined || oldMajor === undefined) return false;
  return major !== oldMajor || (major === 0 && minor !== oldMinor);
}

function numbersOf(version: string): number[] | null {
  const match = /^[~^<>=v [(\]]{0,10}(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(version);
  return match === null ? null : [1, 2, 3].map((index) => Number(match[index] ?? 0));
}

/** Versions of packages that go and come, by name. */
function versionSteps(
  names: ReadonlySet<string>,
  old: Entries,
  now: Entries,
  ecosystem: Ecosystem,
): VersionSteps {
  const changed: VersionSteps = new Map();
  for (const name of names) {
    if (name.startsWith(UNNAMED)) continue;
    const before = versionsIn(old.get(name) ?? [], ecosystem);
    const after = versionsIn(now.get(name) ?? [], ecosystem);
    const gone = [...before].filter((version) => !after.has(version));
    const come = [...after].filter((version) => !before.has(version));
    if (gone.length + come.length > 0) changed.set(name, { gone, come });
  }
  return changed;
}

type VersionSteps = Map<string, { gone: string[]; come: string[] }>;

function versionChanges(
  changed: VersionSteps,
  packages: readonly LockedPackage[],
  isDirect: (name: string) => boolean,
): VersionChange[] {
  const requiredBy = new Map<string, string>();
  for (const { name, requires } of packages) {
    for (const one of requires) if (name !== null && changed.has(one)) requiredBy.set(one, name);
  }
  return [...changed].flatMap(([name, { gone, come }]) => {
    return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => ({
      name,
      from: gone[index] ?? null,
      to: come[index] ?? null,
      direct: isDirect(name),
      required_by: requiredBy.get(name) ?? null,
    }));
  });
}

/**
 * Distinct versions, with the host of another registry of Terraform; in go.sum the file go.mod of
 * a module has a checksum of its own.
 */
function versionsIn(packages: readonly LockedPackage[], ecosystem: Ecosystem): Set<string> {
  const versions = new Set<string>();
  for (const { version, source } of packages) {
    if (version === null || version.endsWith('/go.mod')) continue;
    const host = ecosystem === 'terraform' ? terraformHost(source) : null;
    versions.add(host === null ? version : `${version} from ${host}`);
  }
  return versions;
}
