import { isMap, linesBefore, type Members, parseMembers, readJsonLines, textOf } from './json.ts';
import {
  type Draft,
  emptyPackage,
  type LockedPackage,
  type LockedPackages,
  type PackageHash,
  type Remark,
} from './locked-package.ts';

/** Lists of packages. */
const HOLDERS = ['packages', 'packages-dev'];
/** Maps with a commit. */
const COMMITS = ['dist', 'source'] as const;
/** Maps with names of packages that one depends on. */
const REQUIRES = ['require', 'require-dev'];
/** Packages whose code runs when packages are installed. */
const PLUGIN = /^composer-(?:plugin|installer)$/i;
/** A map that is a package, among the keys of the maps and lists around a line. */
const PACKAGE = ' package';
/** Options of a folder; others are of connections, such as certificates that are not checked. */
const OPTIONS_OF_FOLDERS: ReadonlySet<string> = new Set(['symlink', 'relative', 'reference']);

/** Addresses and checksums of one package, each. */
const KEPT_MAX = 100;
const CROWDED = `a package has more than ${KEPT_MAX} addresses or checksums`;

/** Reads `composer.lock` (getcomposer.org/doc/01-basic-usage.md#composer-lock-the-lock-file). */
export function readComposerLock(text: string, isPart: boolean): LockedPackages {
  return isPart ? readHunk(text) : readWhole(text);
}

/** Most packages stay as they were, so lines are looked up when they are asked for. */
function readWhole(text: string): LockedPackages {
  const packages: WholePackage[] = [];
  const remarks: Remark[] = [];
  let { members: lockfile, problem } = parseMembers(text);
  for (const holder of HOLDERS) {
    // Composer takes the values of a map as it takes a list.
    for (const entry of Object.values(lockfile[holder] ?? {})) {
      if (!isMap(entry)) {
        problem ??= 'one of its packages is not a map';
        continue;
      }
      const one = new WholePackage(entry, holder, text);
      packages.push(one);
      if (one.alsoFrom.length > KEPT_MAX) problem ??= CROWDED;
      for (const [option, value] of Object.entries(mapIn(entry, 'transport-options'))) {
        if (OPTIONS_OF_FOLDERS.has(option)) continue;
        const names = Object.keys(isMap(value) ? value : {}).map((name) => `${option}.${name}`);
        for (const name of names.length > 0 ? names : [option])
          remarks.push(remarkOn(one.name, name, () => one.line));
      }
    }
  }
  return { packages, roots: null, remarks, problem };
}

/** `option`: with the name of the context around it (`ssl.verify_peer`). */
const remarkOn = (name: string | null, option: string, line: () => number): Remark => {
  const [label, shown] = [name ?? 'A package', option].map((one) => one.slice(0, NAME_CHARS_MAX));
  const text = `${label} is fetched with the transport option “${shown}”.`;
  return { kind: 'source-changed', text, line, isLesser: false };
};
/** Of a package or an option, in a finding. Characters. */
const NAME_CHARS_MAX = 100;

function mapIn(members: Members, name: string): Members {
  const value = members[name];
  return isMap(value) ? value : {};
}

/** A package of a lockfile that was parsed as a whole. */
class WholePackage implements LockedPackage {
  readonly name: string | null;
  readonly version: string | null;
  readonly source: string | null;
  readonly alsoFrom: readonly string[];
  readonly hashText: string;
  readonly hasScript: boolean;
  readonly isDev: boolean;
  readonly key: string | null;
  readonly hunk = 0;
  readonly #entry: Members;
  readonly #text: string;
  #hashes: readonly PackageHash[] | null = null;
  #requires: readonly string[] | null = null;

  /** `holder`: the list that it is in; `text`: the whole lockfile, in which lines are looked up. */
  constructor(entry: Members, holder: string, text: string) {
    const dist = mapIn(entry, 'dist');
    const source = mapIn(entry, 'source');
    // Composer compares names in lower case.
    this.name = textOf(entry['name'])?.toLowerCase() ?? null;
    this.version = textOf(entry['version']);
    this.source = textOf(dist['url']);
    this.alsoFrom = [textOf(source['url']), ...mirrorsIn(dist), ...mirrorsIn(source)].flatMap(
      (address) => address ?? [],
    );
    this.hashText = [dist['reference'], source['reference'], dist['shasum']].join(' ');
    this.hasScript = PLUGIN.test(textOf(entry['type']) ?? '');
    this.isDev = holder === 'packages-dev';
    this.key = this.name;
    this.#entry = entry;
    this.#text = text;
  }

  get hashes(): readonly PackageHash[] {
    this.#hashes ??= this.#readHashes();
    return this.#hashes;
  }

  #readHashes(): PackageHash[] {
    const hashes: PackageHash[] = [];
    for (const map of isBranch(this.version) ? [] : COMMITS) {
      const value = textOf(mapIn(this.#entry, map)['reference']) ?? '';
      if (value !== '') hashes.push(commitOf(map, value, -1));
    }
    const sum = textOf(mapIn(this.#entry, 'dist')['shasum']) ?? '';
    return sum === '' ? hashes : [...hashes, sumOf(sum, -1)];
  }

  get requires(): readonly string[] {
    this.#requires ??= REQUIRES.flatMap((part) =>
      Object.keys(mapIn(this.#entry, part)).map((name) => name.toLowerCase()),
    );
    return this.#requires;
  }

  get line(): number {
    return linesBefore(this.#text, this.#offset());
  }

  get sourceLine(): number {
    return linesBefore(this.#text, this.#offset('dist', 'url'));
  }

  get hashLine(): number {
    return linesBefore(this.#text, this.#offset('dist', 'reference'));
  }

  /** Where its name stands, or a member behind it, as far as the file is written so. */
  #offset(...members: readonly string[]): number {
    const name = `"name": ${JSON.stringify(this.#entry['name'])},\n`;
    const version = `            "version": ${JSON.stringify(this.#entry['version'])}`;
    const start = this.#text.indexOf(name + version);
    let at = start === -1 ? this.#text.indexOf(name) : start;
    for (const member of at === -1 ? [] : members) {
      const next = this.#text.indexOf(`"${member}": `, at);
      at = next === -1 ? at : next;
    }
    return Math.max(0, at);
  }
}

/** Servers that Composer asks before the one of the map itself, or after it. */
function mirrorsIn(map: Members): (string | null)[] {
  return Object.values(map['mirrors'] ?? {}).map((one) => (isMap(one) ? textOf(one['url']) : null));
}

/** A branch moves, and of what has no version here nobody knows whether it is one. */
const isBranch = (version: string | null) => version === null || /^dev-|-dev$/.test(version);

/** The commit: what `dist` downloads, and `source` clones. */
const commitOf = (map: string, value: string, line: number): PackageHash => {
  return { file: `${map}.reference`, algorithm: 'git', value, line };
};
const sumOf = (value: string, line: number): PackageHash => {
  return { file: '', algorithm: 'sha1', value, line };
};

function readHunk(text: string): LockedPackages {
  const packages: Draft[] = [];
  const remarks: Remark[] = [];
  let draft: Draft = emptyPackage(0);
  const around: string[] = [];
  let crowded: string | null = null;
  const keep = <T>(list: T[], one: T) => {
    if (list.length < KEPT_MAX) list.push(one);
    else crowded = CROWDED;
  };
  const finish = (line: number) => {
    const { name, source, version, alsoFrom } = draft;
    const hashes = isBranch(version)
      ? draft.hashes.filter(({ file }) => file === '')
      : draft.hashes;
    const hasAddress = source !== null || alsoFrom !== undefined;
    if (name !== null || hasAddress || hashes.length > 0) {
      packages.push({ ...draft, hashes, key: name });
    }
    draft = emptyPackage(line);
  };
  const problem = readJsonLines(text, true, ({ key, value, event, line }) => {
    const map = around.at(-1) ?? PACKAGE;
    const isContext = around.at(-2) === 'transport-options';
    const option = isContext ? map : key;
    const isOption = isContext || (map === 'transport-options' && event === 'value');
    if (isOption && key !== null && option !== null && !OPTIONS_OF_FOLDERS.has(option)) {
      const name = isContext ? `${map}.${key}` : key;
      remarks.push(remarkOn(draft.name, name, () => line));
    }
    if (event === 'open') {
      const isPackage = key === null && (around.length === 0 || HOLDERS.includes(map));
      if (isPackage) finish(line);
      around.push(isPackage ? PACKAGE : (key ?? ''));
    } else if (event === 'close') {
      const closed = around.pop();
      if (closed === PACKAGE || closed === undefined) finish(line);
    } else if (key !== null && value !== null) {
      if (REQUIRES.includes(map)) draft.requires.push(key.toLowerCase());
      else if (key === 'name' && map === PACKAGE && value.includes('/')) {
        draft.name = value.toLowerCase();
      } else if (key === 'version' && map === PACKAGE) draft.version = value;
      else if (key === 'type' && map === PACKAGE) draft.hasScript = PLUGIN.test(value);
      else if (key === 'url' && (map === 'source' || around.includes('mirrors'))) {
        draft.alsoFrom ??= [];
        keep(draft.alsoFrom, value);
      } else if (key === 'url' && map === 'dist') {
        draft.source = value;
        draft.sourceLine = line;
      } else if (key === 'reference' && (map === 'dist' || map === 'source') && value !== '') {
        keep(draft.hashes, commitOf(map, value, line));
      } else if (key === 'shasum' && value !== '') keep(draft.hashes, sumOf(value, line));
    }
  });
  finish(0);
  return { packages, roots: null, remarks, problem: problem ?? crowded };
}
