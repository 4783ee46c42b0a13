import { isMap, linesBefore, type Members, parseMembers, readJsonLines, textOf } from './json.ts';
import {
  addressIn,
  type Draft,
  emptyPackage,
  hashesIn,
  type LockedPackage,
  type LockedPackages,
  type PackageHash,
  type Remark,
  withCommit,
} from './locked-package.ts';

/** Maps within a package, by which a hunk tells them from packages. */
const PARTS: ReadonlySet<string> = new Set([
  'bin',
  'dependencies',
  'devDependencies',
  'engines',
  'optionalDependencies',
  'packages',
  'peerDependencies',
  'peerDependenciesMeta',
  'requires',
]);
const DEPENDENCIES: ReadonlySet<string> = new Set([
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'requires',
]);

/** A map that is open. `package` null: a part of the package around it. */
interface Level {
  key: string | null;
  package: Draft | null;
}

/**
 * Reads `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3
 * (docs.npmjs.com/cli/v11/configuring-npm/package-lock-json).
 */
export function readNpmLock(text: string, isPart: boolean): LockedPackages {
  return isPart ? readHunk(text) : readWhole(text);
}

/**
 * Reads a whole lockfile as npm does: with `JSON.parse`, which takes the last of two members of one
 * name. Most packages of a large lockfile stay as they were, so the line of a package is looked up
 * when it is asked for.
 */
function readWhole(text: string): LockedPackages {
  const packages: WholePackage[] = [];
  let roots: string[] | null = null;
  let { members: lockfile, problem } = parseMembers(text);
  const maps = HOLDERS.map((key) => lockfile[key]).filter(isMap);
  // Version 1 has no such member.
  const saysScripts = problem !== null || isMap(lockfile['packages']);
  const asking: Members[] = [];
  for (let map = maps.pop(); map !== undefined; map = maps.pop()) {
    for (const key in map) {
      const entry = map[key];
      if (!isMap(entry)) {
        problem ??= `its entry ${JSON.stringify(key.slice(0, ENTRY_CHARS_MAX))} is not a map`;
        continue;
      }
      asking.push(entry);
      const within = entry['dependencies'];
      // Version 1 has packages within packages.
      if (isMap(within) && hasMaps(within)) maps.push(within);
      if (key === '') roots = namesOf(entry);
      else packages.push(new WholePackage(key, entry, text));
    }
  }
  const renamed = packages.filter(({ isRenamed }) => isRenamed);
  const asked = renamed.length === 0 ? null : aliasesOf(asking);
  const remarks = renamed
    .filter(({ key, name }) => asked?.has(`${nameOf(key)} ${name}`) === false)
    .filter(({ key }) => asked?.has(nameOf(key)) === false)
    .map((one): Remark => {
      const as = nameOf(one.key);
      const detail = `${as} resolves to the package ${one.name}, for which nothing asks so.`;
      const line = () => one.line;
      return { kind: 'name-mismatch', text: detail, line, isLesser: false, real: one.name };
    });
  return { packages, roots, saysScripts, remarks, problem };
}

/** Members of a lockfile that hold packages; version 2 has both. */
const HOLDERS = ['packages', 'dependencies'] as const;
/** Of the name of an entry, in an error. Characters. */
const ENTRY_CHARS_MAX = 100;

function hasMaps(map: Members): boolean {
  for (const name in map) if (isMap(map[name])) return true;
  return false;
}

/** Calls `visit` with the names that an entry asks for, and their ranges. */
function visitAsked(entry: Members, visit: (name: string, spec: string) => void): void {
  for (const part of DEPENDENCIES) {
    const asked = entry[part];
    if (!isMap(asked)) continue;
    for (const name in asked) {
      const spec = asked[name];
      if (typeof spec === 'string') visit(name, spec);
    }
  }
}

function namesOf(entry: Members): string[] {
  const names: string[] = [];
  visitAsked(entry, (name, spec) => {
    names.push(name);
    if (spec.startsWith('npm:')) names.push(...aliased(spec));
  });
  return names;
}

/** Names under which entries ask for others (`alias real`), or for what stands at an address. */
function aliasesOf(entries: readonly Members[]): ReadonlySet<string> {
  const aliases = new Set<string>();
  for (const entry of entries) {
    visitAsked(entry, (name, spec) => {
      const [real] = spec.startsWith('npm:') ? aliased(spec) : [];
      if (real !== undefined) aliases.add(`${name} ${real}`);
      else if (spec.includes(':') || spec.includes('/')) aliases.add(name);
    });
  }
  return aliases;
}

/** A package of a lockfile that was parsed as a whole. */
class WholePackage implements LockedPackage {
  readonly name: string;
  readonly version: string | null;
  readonly source: string | null;
  readonly hashText: string;
  readonly hasScript: boolean;
  readonly key: string;
  readonly alias: string | null;
  /** It is another package than its place says. */
  readonly isRenamed: boolean;
  readonly hunk = 0;
  readonly #text: string;
  readonly #entry: Members;
  #requires: readonly string[] | null = null;
  #hashes: readonly PackageHash[] | null = null;

  /** `text`: the whole lockfile, in which lines are looked up. */
  constructor(key: string, entry: Members, text: string) {
    const version = textOf(entry['version']);
    const [real] = version?.startsWith('npm:') ? aliased(version) : [];
    this.key = key;
    const own = real ?? textOf(entry['name']);
    const place = nameOf(key);
    this.name = own ?? place;
    this.alias = own === null || own === place ? null : place;
    const isInstalled = key.includes('node_modules/') || real !== undefined;
    this.isRenamed = own !== null && own !== place && isInstalled && entry['link'] !== true;
    const address = textOf(entry['resolved']) ?? addressIn(version ?? '');
    const plain = real === undefined ? version : version?.slice(`npm:${real}@`.length);
    this.version = withCommit(plain ?? null, address);
    this.source = entry['link'] === true ? `${LINK}${address ?? ''}` : address;
    this.hashText = textOf(entry['integrity']) ?? '';
    this.hasScript = Boolean(entry['hasInstallScript']);
    this.#text = text;
    this.#entry = entry;
  }

  get hashes(): readonly PackageHash[] {
    this.#hashes ??= hashesIn(this.hashText, -1);
    return this.#hashes;
  }

  get requires(): readonly string[] {
    this.#requires ??= namesOf(this.#entry);
    return this.#requires;
  }

  get line(): number {
    return lineIn(this.#text, this.key, this.version);
  }

  get hashLine(): number {
    return lineIn(this.#text, this.key, this.version, 'integrity');
  }

  get sourceLine(): number {
    return lineIn(this.#text, this.key, this.version, 'resolved');
  }
}

const VERSION = /\s*(?:"name": "[^"\n]*",\s*)?"version": "([^"\n]*)"/y;
/** Entries with one key that are looked at for the one with a version; the first counts else. */
const PLACES_MAX = 1_000;

/**
 * The line (from 0) of an entry of a lockfile that has a line for each member, or of a member of
 * the entry; -1: the file is not written so.
 */
function lineIn(text: string, key: string, version: string | null, member?: string): number {
  const opening = `${JSON.stringify(key)}: {`;
  const first = text.indexOf(opening);
  let start = first;
  for (let tried = 0; start !== -1 && tried < PLACES_MAX; tried += 1) {
    const from = start + opening.length;
    VERSION.lastIndex = from;
    if (version === null || VERSION.exec(text)?.[1] === version) break;
    start = text.indexOf(opening, from);
  }
  if (start === -1) start = first;
  if (start === -1) return -1;
  for (let at = start; member !== undefined; ) {
    at = text.indexOf('\n', at) + 1;
    const line = text.slice(at, text.indexOf('\n', at)).trim();
    if (line.startsWith(`"${member}"`)) return linesBefore(text, at);
    if (at === 0 || line.endsWith('{') || line.startsWith('}')) break;
  }
  return linesBefore(text, start);
}

function readHunk(text: string): LockedPackages {
  const packages: Draft[] = [];
  const roots: string[] = [];
  const top = (): Level => ({ key: null, package: emptyPackage(0) });
  let levels: Level[] = [top()];
  const problem = readJsonLines(text, true, ({ key, value, event, line }) => {
    const level = levels.at(-1);
    if (event === 'close') {
      keep(levels.pop());
      if (levels.length === 0) levels = [top()];
    } else if (event === 'open') {
      levels.push({ key, package: opened(key, line) });
    } else if (level !== undefined && key !== null) {
      if (level.package !== null) readField(level.package, key, value ?? '', line);
      else if (level.key !== null && DEPENDENCIES.has(level.key)) asks(key, value ?? '');
    }
  });
  for (const level of levels) keep(level);
  return { packages, roots, problem };

  function opened(key: string | null, line: number): Draft | null {
    const parent = levels.at(-1)?.key ?? null;
    const isUnknown = levels.length === 1 && !PARTS.has(key ?? 'packages');
    if (key === null || !(parent === 'packages' || parent === 'dependencies' || isUnknown)) {
      return null;
    }
    const draft = emptyPackage(line);
    const around = levels.findLast((level) => level.package !== null)?.package?.key ?? null;
    draft.key = around === null || key.includes('node_modules/') ? key : `${around}>${key}`;
    draft.name = nameOf(key);
    return draft;
  }

  function asks(name: string, spec: string): void {
    const by = levels.findLast((level) => level.package !== null)?.package ?? null;
    const names = [name, ...aliased(spec)];
    if (by?.key === '') roots.push(...names);
    else by?.requires.push(...names);
  }

  function keep(level: Level | undefined): void {
    const draft = level?.package ?? null;
    if (draft === null || draft.key === '') return;
    const isFolder = draft.key?.includes('node_modules/') === true;
    const saysMore = draft.source !== null || draft.hashes.length > 0 || draft.requires.length > 0;
    draft.version = withCommit(draft.version, draft.source);
    if (isFolder || saysMore) packages.push(draft);
  }
}

function readField(draft: Draft, key: string, value: string, line: number): void {
  if (key === 'version') {
    // Version 1 has an alias as `npm:name@1.0.0`.
    const [real] = aliased(value);
    draft.name = real ?? draft.name;
    draft.version = real === undefined ? value : value.slice(`npm:${real}@`.length);
    if (addressIn(value) !== null) Object.assign(draft, { source: value, sourceLine: line });
  } else if (key === 'resolved') {
    // `false`: earlier versions of npm wrote no address.
    if (draft.source !== LINK && value !== 'false') draft.source = value;
    draft.sourceLine = line;
  } else if (key === 'integrity') draft.hashes.push(...hashesIn(value, line));
  else if (key === 'hasInstallScript') draft.hasScript = value === 'true';
  else if (key === 'link' && value === 'true') draft.source = LINK;
  else if (key === 'name') draft.name = value;
  // The end of a list of dependencies, as a hunk may begin in the middle of one.
  else if (draft.key === null) draft.requires.push(key, ...aliased(value));
}

/** A folder of the repository itself. */
const LINK = 'link:';

function nameOf(key: string): string {
  const at = key.lastIndexOf('node_modules/');
  return at === -1 ? key : key.slice(at + 'node_modules/'.length);
}

/** The package that `npm:name@range` stands for. */
export function aliased(spec: string): string[] {
  const match = /^npm:(@?[^@]+)@/.exec(spec);
  return match?.[1] === undefined ? [] : [match[1]];
}
