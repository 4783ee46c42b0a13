import { lineStarts } from '../../core/line-offsets.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import {
  DEPENDENCIES_LISTED_MAX,
  type Dependencies,
  type DependencyChange,
} from '../../model/dependencies.ts';
import { type GateFinding, severityRank } from '../../model/finding.ts';
import { lineEnd, type Piece, sideOf, textOf } from '../configuration/pieces.ts';
import { compareLockfiles, type Fact, type LockfileVersions } from './compare.ts';
import {
  comparedByHunks,
  type FactPlace,
  factSeverity,
  findingOf,
  registryUnanswered,
  unreadLockfile,
} from './findings.ts';
import { guardFacts, wantedForGuards } from './guards.ts';
import type { KnownPackages } from './known-packages.ts';
import { DEPENDENCIES } from './limits.ts';
import type { LockedPackage, LockedPackages, ReadLockfile, Remark } from './locked-package.ts';
import { isUnreadLockfile, lockfileOf } from './lockfiles.ts';
import { aloneLockfile, lockfilesFor, staleLockfile } from './manifest-pairs.ts';
import { askedPackages } from './manifests.ts';
import { movedSourceFacts } from './moved-sources.ts';
import { sourcesNamedIn } from './named-sources.ts';
import { pinFacts } from './pins.ts';
import { normalised } from './python-names.ts';
import type { Arrival, Registry, RegistryFacts } from './registry.ts';

interface DependencyInput {
  /** The diff, and its files. */
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** As the functions `wantedFor...` below asked; null: there is no repository at hand. */
  trees: TreeFiles;
  fingerprintKey: Uint8Array;
  /** Asked about new packages; null: no registry is set. */
  registry: Registry | null;
  nowMs: number;
}

interface InspectedDependencies {
  findings: GateFinding[];
  /** Packages that come, go or change; null: the change alters no lockfile. */
  summary: Dependencies | null;
}

let known: KnownPackages | null = null;

/** Loads the lists of names, which few changes need. */
async function loadKnownPackages(): Promise<KnownPackages> {
  const { createKnownPackages } = await import('./known-packages.ts');
  return createKnownPackages();
}

/**
 * Both versions of changed lockfiles, manifests beside them, and settings that get another name,
 * for `inspectDependencies`.
 */
export function wantedForDependencies(files: readonly DiffFile[]): WantedFile[] {
  const locks = comparedFiles(files).filter(({ change }) => change !== 'added');
  const ofLocks = locks
    .slice(0, DEPENDENCIES.FILES_MAX)
    .flatMap(({ path, oldPath }) => [
      { side: 'head', path } as const,
      { side: 'base', path: oldPath ?? path } as const,
      ...besideOf(path).map((beside) => ({ side: 'head', path: beside }) as const),
    ]);
  return [...ofLocks, ...wantedForGuards(files).slice(0, DEPENDENCIES.FILES_MAX)];
}

/** Lockfiles beside changed manifests: `inspectDependencies` only asks whether they exist. */
export function wantedForManifests(bytes: Uint8Array, files: readonly DiffFile[]): WantedFile[] {
  const asking = files.filter((file) => askedPackages(bytes, file).length > 0);
  const beside = asking.slice(0, DEPENDENCIES.FILES_MAX).flatMap(({ path }) => lockfilesFor(path));
  const changed = new Set(files.map(({ path }) => path));
  return beside.filter(({ path }) => !changed.has(path));
}

/** Lockfiles, and after them manifests that say versions. */
function comparedFiles(files: readonly DiffFile[]): DiffFile[] {
  const compared = files.filter(isCompared);
  const isManifest = ({ path }: DiffFile) => lockfileOf(path)?.isManifest === true;
  return [...compared.filter((one) => !isManifest(one)), ...compared.filter(isManifest)];
}

/** The path of the manifest that stands beside a lockfile. */
function besideOf(path: string): string[] {
  const beside = lockfileOf(path)?.beside ?? '';
  return beside === '' ? [] : [path.slice(0, path.lastIndexOf('/') + 1) + beside];
}

function isCompared(file: DiffFile): boolean {
  const { change, content, hunks, path } = file;
  const isChanged = content === 'text' && hunks.length > 0;
  return change !== 'deleted' && lockfileOf(path) !== null && (isChanged || isNewName(file));
}

/** Whether another file becomes a lockfile by its new name; it has no version before then. */
function isNewName({ path, oldPath }: DiffFile): boolean {
  return (
    oldPath !== null && oldPath !== path && lockfileOf(oldPath)?.read !== lockfileOf(path)?.read
  );
}

/**
 * Gate 1 over lockfiles: what comes in, from where, and whether a checksum changed that never
 * does. Both versions are compared whole where a repository is at hand, else what the hunks show.
 * Throws nothing; what could not be read is `lockfile-unread`.
 */
export async function inspectDependencies(input: DependencyInput): Promise<InspectedDependencies> {
  const { bytes, files, trees, fingerprintKey, nowMs } = input;
  const baseOf = (path: string) => read(trees, 'base', path);
  const ofLines = [
    ...files.flatMap((file) => {
      const facts = [...pinFacts(bytes, file), ...movedSourceFacts(bytes, file)];
      return facts.map((one) => ({ path: file.path, ...one }));
    }),
    ...guardFacts(bytes, files, baseOf, nowMs),
  ];
  const findings = ofLines.map(({ fact, path, line, text }) =>
    findingOf(fact, { path, line, excerpt: text.trim(), fingerprintKey }),
  );
  const unread = files.filter(({ change, path }) => change !== 'deleted' && isUnreadLockfile(path));
  for (const [index, { path }] of unread.slice(0, DEPENDENCIES.UNREAD_MAX).entries()) {
    const more = index === 0 ? unread.length - DEPENDENCIES.UNREAD_MAX : 0;
    const rest = more > 0 ? ` ${more} more are not listed.` : '';
    const reason = `gate 1 does not read lockfiles of this tool.${rest}`;
    findings.push(unreadLockfile(path, reason, 'low', fingerprintKey));
  }
  const locks = comparedFiles(files);
  const asking = files.flatMap((file) =>
    askedPackages(bytes, file).map((one) => ({ ...one, path: file.path })),
  );
  const unpaired = [
    ...locks.slice(0, DEPENDENCIES.FILES_MAX).flatMap((file) => aloneLockfile(file, files)),
    ...[...new Set(asking.map(({ path }) => path))]
      .slice(0, DEPENDENCIES.FILES_MAX)
      .flatMap((path) => staleLockfile(path, files, trees)),
  ];
  for (const { path, fact } of unpaired) {
    findings.push(findingOf(fact, { path, line: null, excerpt: null, fingerprintKey }));
  }
  const asked = asking.filter(
    ({ isNew, ecosystem }) => isNew && (ecosystem === 'npm' || ecosystem === 'pypi'),
  );
  if (locks.length === 0 && asked.length === 0) return { findings, summary: null };
  known ??= await loadKnownPackages();
  const compared = asked.slice(0, DEPENDENCIES.ASKED_MAX);
  for (const { name, alias, ecosystem, path, line, text } of compared) {
    const add = (kind: Fact['kind'], detail: string, isLesser: boolean) => {
      const fact: Fact = { kind, name, version: '', detail, isLesser };
      findings.push(findingOf(fact, { path, line, excerpt: text.trim(), fingerprintKey }));
    };
    const like = known.resembled(name, ecosystem);
    if (like !== null) add('imitated-name', `${name} is named almost like ${like}.`, false);
    else if (alias !== null && known.isUsed(alias, ecosystem) && !known.isUsed(name, ecosystem)) {
      add('name-mismatch', `In place of ${alias} stands ${name}, which few packages use.`, true);
    }
  }
  const [left] = asked.slice(DEPENDENCIES.ASKED_MAX);
  if (left !== undefined) {
    const reason = `the change asks for more than ${DEPENDENCIES.ASKED_MAX} new packages.`;
    findings.push(unreadLockfile(left.path, reason, 'high', fingerprintKey));
  }
  const comparedNames = new Set(compared.map(({ name }) => name));
  const texts = manifestTexts(input, locks);
  const isNamed = namedIn(texts);
  const isSourceNamed = sourcesNamedIn(texts);
  const isComparedName = (name: string) => comparedNames.has(name);
  const room = { files: DEPENDENCIES.FILES_MAX, chars: DEPENDENCIES.CHARS_MAX };
  const isCompared = isComparedName;
  const tools: LockfileTools = { isNamed, isSourceNamed, isCompared, known, room };
  const ofLocks = locks.map((file) => inspectLockfile(file, input, tools));
  const arrivals = ofLocks.flatMap((one) => one.arrivals);
  findings.push(...(await registryFindings(arrivals, input)));
  const changes = ofLocks.flatMap((one) => one.changes);
  // Most changes of a manifest change no version.
  const isSilent = changes.length === 0 && locks.every(({ path }) => lockfileOf(path)?.isManifest);
  return {
    findings: [...findings, ...ofLocks.flatMap((one) => one.findings)],
    summary: isSilent ? null : summaryOf(changes),
  };
}

type NamesOfChange = 'isNamed' | 'isSourceNamed' | 'isCompared' | 'known';

interface LockfileTools extends Pick<LockfileVersions, NamesOfChange> {
  /** What may still be compared of the change. */
  room: { files: number; chars: number };
}

/** A version that comes in, and the line of its lockfile. */
interface PlacedArrival extends Arrival {
  place: () => Omit<FactPlace, 'fingerprintKey'>;
}

/** What the registries of the organization say of versions that come in. */
async function registryFindings(
  arrivals: readonly PlacedArrival[],
  { registry, nowMs, fingerprintKey }: DependencyInput,
): Promise<GateFinding[]> {
  const [first] = arrivals;
  if (registry === null || first === undefined) return [];
  const { answered, unanswered, problem } = await registry.ask(arrivals, nowMs);
  const findings = answered.flatMap(({ arrival, facts }) => {
    return registryFacts(arrival, facts, nowMs - registry.hoursMin * HOUR_MS, nowMs).map((fact) =>
      findingOf(fact, { ...arrival.place(), fingerprintKey }),
    );
  });
  if (unanswered > 0) {
    const reason = `${unanswered} of them: ${problem ?? ''}.`;
    const severity = registry.holds ? 'high' : 'info';
    findings.push(registryUnanswered(first.place().path, reason, severity, fingerprintKey));
  }
  return findings;
}

const HOUR_MS = 3_600_000;

function registryFacts(
  { name, version }: Arrival,
  facts: RegistryFacts,
  latestMs: number,
  nowMs: number,
): Fact[] {
  const label = `${name} ${version}`;
  const fact = (kind: Fact['kind'], detail: string): Fact[] => [
    { kind, name, version, detail: `${label} ${detail}.`, isLesser: false },
  ];
  if (facts === null) return fact('not-in-registry', 'is not in the registry');
  const { publishedMs, withdrawn, newPublisher } = facts;
  const isLate = publishedMs !== null && publishedMs > latestMs;
  const hours = isLate ? Math.max(0, Math.floor((nowMs - publishedMs) / HOUR_MS)) : 0;
  const publisher = newPublisher?.slice(0, FIELD_CHARS_MAX).toWellFormed();
  return [
    ...(isLate ? fact('published-lately', `was published ${hours} hours ago`) : []),
    ...(withdrawn === null ? [] : fact('withdrawn', `is ${withdrawn}`)),
    ...(publisher === undefined
      ? []
      : fact('new-publisher', `comes from ${publisher}, who did not maintain it before`)),
  ];
}

/** What a change does to the packages of one lockfile. */
function inspectLockfile(
  file: DiffFile,
  { bytes, trees, fingerprintKey }: DependencyInput,
  { room, ...tools }: LockfileTools,
): { findings: GateFinding[]; changes: DependencyChange[]; arrivals: PlacedArrival[] } {
  const findings: GateFinding[] = [];
  const kind = lockfileOf(file.path);
  // Other parts of gate 1 and people read manifests as well.
  const severity = kind?.isManifest ? 'low' : 'high';
  const unread = (reason: string) =>
    findings.push(unreadLockfile(file.path, reason, severity, fingerprintKey));
  room.files -= 1;
  if (kind === null || room.files < 0) {
    // One finding for all: lockfiles come before manifests.
    if (room.files === -1)
      unread(
        `the change has more than ${DEPENDENCIES.FILES_MAX} lockfiles and manifests of versions.`,
      );
    return { findings, changes: [], arrivals: [] };
  }
  const versions = versionsOf(file, bytes, trees);
  const { isWhole } = versions;
  for (const { text } of [...versions.before, ...versions.after]) room.chars -= text.length;
  if (room.chars < 0) {
    const limit = DEPENDENCIES.CHARS_MAX / 1024 / 1024;
    unread(`the lockfiles of the change have more than ${limit} Mi characters.`);
    return { findings, changes: [], arrivals: [] };
  }
  if (!isWhole && trees === null && !kind.isManifest)
    findings.push(comparedByHunks(file.path, fingerprintKey));
  if (!isWhole && isNewName(file)) unread('it had another name before, and is not shown whole.');
  if (!isWhole && trees !== null) unread('one of its versions could not be read whole.');
  let before = readPieces(versions.before, kind.read, isWhole);
  let after = readPieces(versions.after, kind.read, isWhole);
  if (after.problem !== null) unread(`${after.problem}.`);
  if (before.cache && after.cache && before.cache !== after.cache) {
    const [was, now] = [before.cache, after.cache].map((one) => one.slice(0, CACHE_CHARS_MAX));
    unread(`its checksums are of another version of the cache of yarn (${now}, before ${was}).`);
    before = withoutHashes(before);
    after = withoutHashes(after);
  }
  const { facts, changes, arrivals, problem } = compareLockfiles({
    before,
    after,
    ecosystem: kind.ecosystem,
    isManifest: kind.isManifest === true,
    isWhole,
    isNewFile: isWhole && versions.before.every(({ text }) => text === ''),
    ...tools,
  });
  if (problem !== null) unread(`${problem}.`);
  const { worst, left } = worstOf(facts);
  const [overflowing] = left;
  const placeOf = placesIn(file.path, versions);
  for (const fact of worst) {
    findings.push(findingOf(fact, { ...placeOf(fact.line()), fingerprintKey }));
  }
  if (overflowing !== undefined) {
    const reason = `it has more than ${DEPENDENCIES.FINDINGS_MAX} findings, ${left.length} of which are not listed.`;
    // The listed ones are as grave or graver.
    const grade = factSeverity(overflowing);
    findings.push(unreadLockfile(file.path, reason, grade, fingerprintKey));
  }
  return {
    findings,
    changes: changes.map((change) => ({ file: file.path, ...change })),
    arrivals: arrivals.map((one) => ({ ...one, place: () => placeOf(one.line()) })),
  };
}

/** Looks up lines of the new text: findings need few of them. */
function placesIn(path: string, { after, isWhole }: Versions) {
  const text = after.map((piece) => piece.text).join('');
  const numbers = after.flatMap((piece) => piece.numbers);
  let starts: readonly number[] | null = null;
  return (line: number) => {
    starts ??= lineStarts(text);
    const start = starts[line] ?? text.length;
    const excerpt = text.slice(start, lineEnd(text, start)).trim();
    const shown = excerpt.slice(0, DEPENDENCIES.EXCERPT_CHARS_MAX).toWellFormed();
    return { path, excerpt: shown, line: (isWhole ? line + 1 : numbers[line]) || null };
  };
}

/** The facts that are listed, and the rest; the gravest come first. */
function worstOf<T extends Fact>(facts: readonly T[]): { worst: T[]; left: T[] } {
  const rankOf = (fact: Fact) => severityRank(factSeverity(fact));
  const sorted = [...facts].sort((a, b) => rankOf(a) - rankOf(b));
  const worst = sorted.slice(0, DEPENDENCIES.FINDINGS_MAX);
  return { worst, left: sorted.slice(worst.length) };
}

function summaryOf(changes: readonly DependencyChange[]): Dependencies {
  const added = changes.filter(({ from }) => from === null);
  const removed = changes.filter(({ to }) => to === null).length;
  const sorted = [...changes].sort((a, b) => Number(b.direct) - Number(a.direct));
  const packages = sorted.slice(0, DEPENDENCIES_LISTED_MAX);
  const transitive = added.filter(({ direct }) => !direct).length;
  const changed = changes.length - added.length - removed;
  return { added: added.length, transitive, removed, changed, packages };
}

interface Versions {
  before: readonly Piece[];
  after: readonly Piece[];
  isWhole: boolean;
}

/** Both versions whole, or both sides of each hunk. */
function versionsOf(file: DiffFile, bytes: Uint8Array, trees: TreeFiles): Versions {
  const isNew = file.change === 'added' && file.hunks.length === 1;
  const head = isNew ? null : read(trees, 'head', file.path);
  const base =
    file.change === 'added' || isNewName(file)
      ? ''
      : read(trees, 'base', file.oldPath ?? file.path);
  if (head === null || base === null) {
    const after = sideOf(bytes, file.hunks, LINE.REMOVED);
    return { before: isNew ? [] : sideOf(bytes, file.hunks, LINE.ADDED), after, isWhole: isNew };
  }
  return { before: [whole(base)], after: [whole(head)], isWhole: true };
}

/** A text whose lines are numbered from 1, however many there are. */
const whole = (text: string): Piece => ({ text, numbers: [], added: null });

/** Of what yarn says of the version of its cache. */
const CACHE_CHARS_MAX = 100;

/** Names of npm have 214 characters at most, and versions fewer than 256. */
const FIELD_CHARS_MAX = 500;

/** The packages of all pieces. A package whose name no hunk shows is one of its hunk alone. */
function readPieces(
  pieces: readonly Piece[],
  readLockfile: ReadLockfile,
  isWhole: boolean,
): LockedPackages {
  const packages: LockedPackage[] = [];
  const roots: string[] = [];
  const remarks: Remark[] = [];
  let areRootsListed = true;
  let saysScripts = true;
  let problem: string | null = null;
  let cache: string | null = null;
  let offset = 0;
  for (const [index, { text, numbers }] of pieces.entries()) {
    const own = readLockfile(text, !isWhole);
    problem ??= own.problem;
    cache ??= own.cache ?? null;
    saysScripts &&= own.saysScripts !== false;
    areRootsListed &&= own.roots !== null;
    for (const name of own.roots ?? []) roots.push(name);
    const from = offset;
    for (const one of own.remarks ?? []) {
      remarks.push({ ...one, line: () => one.line() + from });
    }
    for (const one of own.packages) {
      if (!isShort(one.name) || !isShort(one.version)) {
        problem ??= `a name or version has more than ${FIELD_CHARS_MAX} characters`;
      } else if (one.source !== null && AROUND_ADDRESS.test(one.source)) {
        problem ??= 'an address has blanks around it, or control characters';
        packages.push(isWhole ? one : placed(one, index, from));
      } else packages.push(isWhole ? one : placed(one, index, from));
    }
    offset += numbers.length;
  }
  const known = { roots: areRootsListed ? roots : null, cache, saysScripts };
  return { packages, ...known, remarks, problem };
}

/** Blanks before or after an address, and controls within, which programs skip. */
const AROUND_ADDRESS = /^\s|\s$|\p{Cc}/u;

const isShort = (text: string | null) => text === null || text.length <= FIELD_CHARS_MAX;

/** A package of a hunk that begins at a line of the text of all hunks. */
function placed(one: LockedPackage, hunk: number, from: number): LockedPackage {
  return {
    ...one,
    key: one.name === null ? `hunk ${hunk}` : one.key,
    hunk,
    line: one.line + from,
    sourceLine: one.sourceLine + from,
    hashes: one.hashes.map((hash) => ({ ...hash, line: hash.line + from })),
  };
}

function read(trees: TreeFiles, side: 'base' | 'head', path: string): string | null {
  const file = trees?.find((one) => one.side === side && one.path === path);
  return file?.bytes ? textOf(file.bytes) : null;
}

function withoutHashes(read: LockedPackages): LockedPackages {
  const remarks = (read.remarks ?? []).filter(({ kind }) => kind !== 'integrity-removed');
  return { ...read, remarks, packages: read.packages.map((one) => ({ ...one, hashes: [] })) };
}

/** What manifests of the change show, and those beside lockfiles say. */
function manifestTexts(
  { bytes, files, trees }: DependencyInput,
  locks: readonly DiffFile[],
): string[] {
  const kinds = locks.flatMap(({ path }) => lockfileOf(path) ?? []);
  const changed = files.filter(({ path, change }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return change !== 'deleted' && kinds.some(({ manifest }) => manifest.test(name));
  });
  const texts = changed.flatMap(({ hunks }) =>
    hunks.map(({ start, end }) => asBuffer(bytes).toString('utf8', start, end)),
  );
  const beside = locks.flatMap(({ path }) => besideOf(path));
  return [...texts, ...beside.map((path) => read(trees, 'head', path) ?? '')];
}

/** Whether one of the texts names a package; `npm:name`: in place of another one. */
function namedIn(texts: readonly string[]): (name: string) => boolean {
  const words = texts.flatMap((text) => text.match(/@?[\w.-]+(?:\/[\w.-]+)?/g) ?? []);
  const aliases = texts.flatMap((text) => text.match(/\bnpm:@?[\w.-]+(?:\/[\w.-]+)?/g) ?? []);
  // Composer compares names in lower case, signs and all.
  const lowered = words.map((word) => word.toLowerCase());
  const names = new Set([...words, ...lowered, ...words.map(normalised), ...aliases]);
  return (name) => names.has(name);
}
