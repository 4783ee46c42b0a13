import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { WantedFile } from '../../model/change.ts';
import type { LineFact } from './pins.ts';

/** Settings that make an installation safer than it is by itself. */
interface Guards {
  file: RegExp;
  /** The first group is the name, the second the value. */
  line: RegExp;
  /** Files of one tool may hold the same settings. */
  tool: 'npm' | 'yarn' | 'pip' | 'uv' | 'bundler';
  /** Tables of TOML with settings of the tool, and their names in all of its files. */
  tables?: ReadonlyMap<string, string>;
}

/** Settings of uv; tables in uv.toml, and their names in both of its files. */
const UV_TABLES: ReadonlyMap<string, string> = new Map([
  ['', 'uv'],
  ['pip', 'uv.pip'],
]);
const UV_LINE = /^(exclude-newer|require-hashes|no-build)\s*=(.*)$/;

const GUARDS: readonly Guards[] = [
  {
    // docs.npmjs.com/cli/using-npm/config#ignore-scripts, pnpm.io/settings
    file: /(?:^|\/)\.npmrc$/,
    line: /^(ignore-scripts|strict-dep-builds|block-exotic-subdeps|minimum-release-age|min-release-age|before)\s*=(.*)$/,
    tool: 'npm',
  },
  {
    file: /(?:^|\/)pnpm-workspace\.yaml$/,
    line: /^(minimumReleaseAge|blockExoticSubdeps|strictDepBuilds|trustPolicy|ignoreScripts):(.*)$/,
    tool: 'npm',
  },
  {
    // yarnpkg.com/configuration/yarnrc
    file: /(?:^|\/)\.yarnrc\.yml$/,
    line: /^(enableScripts|enableHardenedMode|enableImmutableInstalls|npmMinimalAgeGate):(.*)$/,
    tool: 'yarn',
  },
  {
    // pip.pypa.io/en/stable/topics/secure-installs
    file: /(?:^|\/)pip\.(?:conf|ini)$/,
    line: /^(require[-_]hashes|only[-_]binary|no[-_]binary)\s*=(.*)$/i,
    tool: 'pip',
  },
  {
    file: /(?:^|\/)(?:[^/]*requirements[^/]*|requirements\/[^/]+)\.(?:txt|in)$/,
    line: /^--(require-hashes|only-binary|no-binary)(.*)$/,
    tool: 'pip',
  },
  {
    // docs.astral.sh/uv/reference/settings
    file: /(?:^|\/)uv\.toml$/,
    line: UV_LINE,
    tool: 'uv',
    tables: UV_TABLES,
  },
  {
    file: /(?:^|\/)pyproject\.toml$/,
    line: UV_LINE,
    tool: 'uv',
    tables: new Map([
      ['tool.uv', 'uv'],
      ['tool.uv.pip', 'uv.pip'],
    ]),
  },
  {
    // nodejs.org/api/corepack.html: a version with the checksum of the package manager.
    file: /(?:^|\/)package\.json$/,
    line: /^"(packageManager)"\s*:\s*(".*)$/,
    tool: 'npm',
  },
  {
    // bundler.io/man/bundle-config.1.html
    file: /(?:^|\/)\.bundle\/config$/,
    line: /^(BUNDLE_FROZEN|BUNDLE_DEPLOYMENT):(.*)$/,
    tool: 'bundler',
  },
];
/** Settings of pnpm alone, which it reads in both of its files; npm reads others in .npmrc only. */
const OF_PNPM: ReadonlySet<string> = new Set([
  ...['strict-dep-builds', 'block-exotic-subdeps', 'minimum-release-age'],
]);
/** Of a line, without the blanks around it: tools read what stands behind, too. Characters. */
const LINE_CHARS_MAX = 500;
/** Settings of one side of a file that are read; that there are more is a finding. */
const SETTINGS_MAX = 1_000;
/** Where they name packages, too: without the file nothing is installed. */
const MANIFEST = /requirements(?:\/[^/]*|[^/]*)$|pyproject\.toml$|package\.json$/;

const guardsOf = (path: string | null) =>
  GUARDS.find(({ file }) => file.test(path?.trimEnd() ?? ''));

/** A setting as the last line of one side says it. */
interface Setting {
  /** In small letters with hyphens, and with the name of its table. */
  name: string;
  text: string;
  /** In the new file, from 1. */
  line: number;
  /** Of two values the greater one is safer; 0: off. */
  strength: number;
  /** It is a point in time, which moves on now and then. */
  isDate: boolean;
}

type Settings = Map<string, Setting>;

/** A fact, and the file that its finding names. */
interface PlacedFact extends LineFact {
  path: string;
}

/** Both sides of a file with settings. */
interface Sides {
  file: DiffFile;
  /** Of the settings that may go: the old one of a file that is deleted or gets another name. */
  path: string;
  guards: Guards;
  isGone: boolean;
  before: Settings;
  after: Settings;
  /** A side has more settings than are read. */
  isCrowded: boolean;
}

/** The versions before the change of files whose settings go with their name. */
export function wantedForGuards(files: readonly DiffFile[]): WantedFile[] {
  return files.flatMap((file) =>
    file.oldPath !== null && isRenamedAway(file) ? [{ side: 'base', path: file.oldPath }] : [],
  );
}

/** Whether a tool that reads the file in the root does not find it any more. */
function isRenamedAway({ change, oldPath, path }: DiffFile): boolean {
  if (change !== 'renamed' || oldPath === null || guardsOf(oldPath) === undefined) return false;
  // Below the root a project moves with its settings.
  const isOfAll = !oldPath.includes('/') && !MANIFEST.test(oldPath);
  return guardsOf(path) !== guardsOf(oldPath) || (isOfAll && path.includes('/'));
}

/**
 * Settings that make an installation safer, and that a change takes out of a file, turns off or
 * weakens, unless they move to another file of the tool. `baseOf` gives the text before the change
 * of a file that gets another name; null: it is not at hand.
 */
export function guardFacts(
  bytes: Uint8Array,
  files: readonly DiffFile[],
  baseOf: (path: string) => string | null,
  nowMs: number,
): PlacedFact[] {
  const facts: PlacedFact[] = [];
  const all: Sides[] = [];
  for (const file of files) {
    const isDeleted = file.change === 'deleted';
    const isMoved = isRenamedAway(file);
    const path = (isDeleted || isMoved ? file.oldPath : null) ?? file.path;
    const guards = guardsOf(path);
    if (guards === undefined || (isDeleted && MANIFEST.test(path))) continue;
    const base = isMoved ? baseOf(path) : null;
    if (isMoved && base === null) {
      const detail = `The file ${path} gets another name, and settings that it may have go.`;
      facts.push({ path: file.path, ...factOf(path, path, detail, 1, '') });
      continue;
    }
    const shown = shownSettings(bytes, file, guards, nowMs);
    all.push({
      file,
      path,
      guards,
      isGone: isDeleted || isMoved,
      ...shown,
      ...(base === null ? {} : settingsOf(base, guards, nowMs)),
      ...(isDeleted || isMoved ? { after: new Map() } : {}),
    });
  }
  const besides = besideEach(all);
  for (const one of all) {
    const beside = besides.get(placeOf(one)) ?? [];
    for (const { key, was, now } of weakened(one)) {
      if (beside.some((other) => hasMoved(key, was, one, other))) continue;
      const isOn = now !== undefined && (now.strength > 0 || isOfNames(now));
      const end = isOn ? `gives way to “${now.text}”` : 'goes';
      const detail = `The setting “${was.text}” ${end}.`;
      const line = now?.line ?? was.line;
      const fact = factOf(was.name, one.path, detail, line, was.text, now?.text);
      facts.push({ path: one.file.path, ...fact });
    }
    if (one.isCrowded) {
      const detail = `${one.path} has more than ${SETTINGS_MAX} settings, and gate 1 reads no more.`;
      facts.push({ path: one.file.path, ...factOf(one.path, one.path, detail, 1, '') });
    }
  }
  return facts;
}

/** Settings of a file that go or become weaker, and what is there in their place. */
function weakened({ before, after }: Sides) {
  const isException = (key: string) => key.startsWith(NO) && !before.has(key);
  const [, exceptOfAll] = [...after].find(([key]) => isException(key)) ?? [];
  const exceptOf = (key: string) => {
    if (key === ONLY_ALL) return exceptOfAll;
    const no = key.startsWith(ONLY) ? key.replace(ONLY, NO) : '';
    return isException(no) ? after.get(no) : undefined;
  };
  return [...before].flatMap(([key, was]) => {
    if (was.strength === 0) return [];
    const except = exceptOf(key);
    const like = after.get(key) ?? likeIn(after, key);
    const now = like ?? (key.startsWith(ONLY) ? after.get(ONLY_ALL) : undefined);
    const isKept = now !== undefined && !isWeaker(now, was);
    return isKept && except === undefined ? [] : [{ key, was, now: except ?? now }];
  });
}

/** pip adds up the names of packages behind these options. */
const ONLY = 'only-binary ';
const ONLY_ALL = `${ONLY}:all:`;
const NO = 'no-binary ';

/** A setting of which one side does not show the table. */
function likeIn(settings: Settings, key: string): Setting | undefined {
  const at = key.indexOf('/');
  const isUnknown = key.slice(0, at) === UNKNOWN;
  for (const table of isUnknown ? [...UV_TABLES.values(), UNKNOWN] : [UNKNOWN]) {
    const like = settings.get(`${table}${key.slice(at)}`);
    if (like !== undefined) return like;
  }
  return undefined;
}

/**
 * Files to which settings move, by tool and folder: one of each kind, the last one. Files
 * of pip are not among them: each is of an installation of its own.
 */
function besideEach(all: readonly Sides[]): ReadonlyMap<string, readonly Sides[]> {
  const besides = new Map<string, Sides[]>();
  for (const one of all) {
    if (one.isGone || !(one.guards.tool === 'npm' || one.guards.tool === 'uv')) continue;
    const others = besides.get(placeOf(one)) ?? [];
    besides.set(placeOf(one), [...others.filter(({ guards }) => guards !== one.guards), one]);
  }
  return besides;
}

const placeOf = ({ guards, path }: Sides) => `${guards.tool} ${folderOf(path)}`;

/** Whether another file of the tool in the same folder has a setting from now on. */
function hasMoved(key: string, was: Setting, from: Sides, to: Sides): boolean {
  const { tool, file } = to.guards;
  if (to.guards === from.guards || (tool === 'npm' && !OF_PNPM.has(was.name))) return false;
  // uv reads no settings of pyproject.toml where a uv.toml stands beside it.
  if (tool === 'uv' && !file.test('uv.toml') && !from.isGone) return false;
  const now = to.after.get(key) ?? likeIn(to.after, key);
  return now !== undefined && !isWeaker(now, was);
}

/** With the `/` at its end; empty for the root. */
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

/** An acceptance holds for one file: others are of other projects. */
function factOf(
  name: string,
  path: string,
  detail: string,
  line: number,
  text: string,
  version = '',
): LineFact {
  const kind = 'guard-removed';
  const fact = { kind, name, version, detail, origin: path, isLesser: false } as const;
  return { fact, line, text };
}

function settingsOf(text: string, guards: Guards, nowMs: number) {
  const before: Settings = new Map();
  const reader = readerOf(guards, before, nowMs);
  reader.open(true);
  for (const line of text.split('\n')) reader.read(line, 1);
  return { before, isCrowded: reader.isCrowded() };
}

/** The settings of both sides, as far as hunks show them. */
function shownSettings(bytes: Uint8Array, file: DiffFile, guards: Guards, nowMs: number) {
  const before: Settings = new Map();
  const after: Settings = new Map();
  const old = readerOf(guards, before, nowMs);
  const now = readerOf(guards, after, nowMs);
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    old.open(hunk.oldStart <= 1);
    now.open(hunk.newStart <= 1);
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine } = cursor;
      const text = asBuffer(bytes).toString('utf8', start, end);
      const line = Math.max(1, newLine);
      if (kind !== LINE.ADDED) old.read(text, line);
      if (kind !== LINE.REMOVED) now.read(text, line);
    }
  }
  return { before, after, isCrowded: old.isCrowded() || now.isCrowded() };
}

/** A table whose name stands above the hunk. */
const UNKNOWN = '?';

/** Puts the setting of each line among `settings`; the last line of a name holds. */
function readerOf({ line: form, file, tables }: Guards, settings: Settings, nowMs: number) {
  const hasSections = file.test('.npmrc');
  /** Of TOML, as it is named in all files of the tool; null: of other tools. */
  let table: string | null = UNKNOWN;
  let isInSection = false;
  let count = 0;
  /** Names of packages among `settings`, by their option. */
  const named = new Map<string, string[]>();
  return {
    isCrowded: () => count > SETTINGS_MAX,
    /** The next lines stand in the table at the head of the file, or in an unknown table. */
    open(isHead: boolean): void {
      table = isHead ? (tables?.get('') ?? null) : UNKNOWN;
    },
    read(raw: string, line: number): void {
      const text = raw.trim().slice(0, LINE_CHARS_MAX);
      if (tables !== undefined) {
        const [, opened] = TABLE.exec(text) ?? [];
        if (opened !== undefined) table = tables.get(opened) ?? null;
      }
      // npm reads no setting below the name of a section.
      isInSection ||= hasSections && text.startsWith('[');
      const isRead = tables === undefined ? !isInSection : table !== null;
      const [, written, value = ''] = isRead ? (form.exec(text) ?? []) : [];
      if (written === undefined) return;
      const name = written
        .replace(/[a-z][A-Z]/g, ([one, other]) => `${one}-${other}`)
        .replaceAll('_', '-')
        .toLowerCase();
      const key = tables === undefined ? name : `${table}/${name}`;
      if (BY_NAME.has(name)) readNames(name, value, { text, line });
      else if (hasRoom())
        settings.set(key, { name, text, line, ...strengthOf(name, value, nowMs) });
    },
  };

  function hasRoom(): boolean {
    count += 1;
    return count <= SETTINGS_MAX;
  }

  function readNames(option: string, value: string, place: Pick<Setting, 'text' | 'line'>): void {
    for (const one of value.toLowerCase().split(/[\s=,]+/)) {
      if (one === ':none:') {
        for (const name of named.get(option) ?? []) settings.delete(name);
        named.delete(option);
      } else if (one !== '' && hasRoom()) {
        const name = `${option} ${one}`;
        const strength = option === 'no-binary' ? 0 : 1;
        settings.set(name, { name, ...place, strength, isDate: false });
        const names = named.get(option) ?? [];
        names.push(name);
        named.set(option, names);
      }
    }
  }
}

/** Options of pip, with names of packages behind them. */
const BY_NAME: ReadonlySet<string> = new Set(['only-binary', 'no-binary']);
const isOfNames = ({ name }: Setting) => BY_NAME.has(name.split(' ')[0] ?? '');

/**
 * The name of a table of TOML. No blank at either end of the name can be one of the blanks around
 * it: linear in the line.
 */
export const TABLE = /^\[{1,2}\s*([^[\]\s](?:[^[\]]*[^[\]\s])?)\s*\]{1,2}\s*(?:#.*)?$/;

const isWeaker = (now: Setting, was: Setting) =>
  now.strength === 0 || (!was.isDate && now.strength < was.strength);

/** Minutes; a number without a unit is compared with others of its setting. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1 / 60,
  m: 1,
  h: 60,
  d: 1_440,
  w: 10_080,
  mo: 43_200,
};
/** `30`, `3d`, `7 days ago`, `P1DT12H`. */
const AGE = /^P?T?\d/i;
const AGE_PART = /(\d+(?:\.\d+)?)\s*(mo|[smhdw]?)/gi;
const ON = /^(?:true|yes|on|:all:|no-downgrade)$/i;

/** Without operator, quotes and blanks around it. */
const VALUE = /[^\s="'](?:.*[^\s"'])?/;

function strengthOf(
  name: string,
  given: string,
  nowMs: number,
): Pick<Setting, 'strength' | 'isDate'> {
  const [uncommented = ''] = given.split(/[#;]/, 1);
  const [value = ''] = VALUE.exec(uncommented) ?? [];
  if (/^\d{4}-/.test(value)) {
    const age = (nowMs - Date.parse(value.replace(/\[.*$/, ''))) / 60_000;
    return { strength: age > 0 ? age : 0, isDate: true };
  }
  return { strength: agedOrOn(name, value), isDate: false };
}

function agedOrOn(name: string, value: string): number {
  if (name === 'package-manager') return value.includes('+sha') ? 1 : 0;
  if (name === 'enable-scripts') return /^(?:false|0)$/.test(value) ? 1 : 0;
  if (AGE.test(value)) {
    const parts = [...value.matchAll(AGE_PART)];
    const minutes = parts.map(
      ([, count, unit = '']) => Number(count) * (UNITS[unit.toLowerCase()] ?? 1),
    );
    return minutes.reduce((sum, one) => sum + one, 0);
  }
  return ON.test(value) || (value === '' && name === 'require-hashes') ? 1 : 0;
}
