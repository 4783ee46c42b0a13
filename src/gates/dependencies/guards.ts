import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { WantedFile } from '../../model/change.ts';
import type { LineFact } from './pins.ts';

/** Settings that make an installation safer than it is by itself. */
interface Guards {
  file: RegExp;
  /** The first group is the name, the second the value. */
  line: RegExp;
}

const GUARDS: readonly Guards[] = [
  {
    // docs.npmjs.com/cli/using-npm/config#ignore-scripts, pnpm.io/settings
    file: /(?:^|\/)\.npmrc$/,
    line: /^(ignore-scripts|strict-dep-builds|block-exotic-subdeps|minimum-release-age|min-release-age|before)\s*=(.*)$/,
  },
  {
    file: /(?:^|\/)pnpm-workspace\.yaml$/,
    line: /^(minimumReleaseAge|blockExoticSubdeps|strictDepBuilds|trustPolicy):(.*)$/,
  },
  {
    // yarnpkg.com/configuration/yarnrc
    file: /(?:^|\/)\.yarnrc\.yml$/,
    line: /^(enableScripts|enableHardenedMode|enableImmutableInstalls|npmMinimalAgeGate):(.*)$/,
  },
  {
    // pip.pypa.io/en/stable/topics/secure-installs
    file: /(?:^|\/)pip\.(?:conf|ini)$/,
    line: /^(require[-_]hashes|only[-_]binary)\s*=(.*)$/i,
  },
  {
    file: /(?:^|\/)(?:[^/]*requirements[^/]*|requirements\/[^/]+)\.(?:txt|in)$/,
    line: /^--(require-hashes|only-binary)(.*)$/,
  },
  {
    // docs.astral.sh/uv/reference/settings
    file: /(?:^|\/)(?:uv|pyproject)\.toml$/,
    line: /^(exclude-newer|require-hashes|no-build)\s*=(.*)$/,
  },
];
/** A longer line is not read. Bytes. */
const LINE_BYTES_MAX = 500;
/** Where they name packages, too: without the file nothing is installed. */
const MANIFEST = /requirements(?:\/[^/]*|[^/]*)$|pyproject\.toml$/;

const guardsOf = (path: string | null) =>
  GUARDS.find(({ file }) => file.test(path?.trimEnd() ?? ''));

/** A setting as the last line of one side says it. */
interface Setting {
  text: string;
  /** In the new file, from 1. */
  line: number;
  /** Of two values the greater one is safer; 0: off. */
  strength: number;
  /** It is a point in time, which moves on now and then. */
  isDate: boolean;
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
 * weakens. `baseOf` gives the text before the change of a file that gets another name; null: it is
 * not at hand.
 */
export function guardFacts(
  bytes: Uint8Array,
  file: DiffFile,
  baseOf: (path: string) => string | null,
  nowMs: number,
): LineFact[] {
  const isDeleted = file.change === 'deleted';
  const isMoved = isRenamedAway(file);
  const path = (isDeleted || isMoved ? file.oldPath : null) ?? file.path;
  const guards = guardsOf(path);
  if (guards === undefined || (isDeleted && MANIFEST.test(path))) return [];
  const base = isMoved ? baseOf(path) : null;
  if (isMoved && base === null) {
    const detail = `The file ${path} gets another name, and settings that it may have go.`;
    return [factOf(path, detail, 1, '')];
  }
  const { before, after } =
    base === null
      ? shownSettings(bytes, file, guards, nowMs)
      : { before: settingsOf(base, guards, nowMs), after: new Map<string, Setting>() };
  return [...before].flatMap(([name, was]) => {
    const now = isDeleted ? undefined : after.get(name);
    if (was.strength === 0 || (now !== undefined && !isWeaker(now, was))) return [];
    const isOn = now !== undefined && now.strength > 0;
    const end = isOn ? `becomes “${now.text}”` : 'goes';
    const detail = `The setting “${was.text}” ${end}.`;
    return [factOf(name, detail, now?.line ?? was.line, was.text, now?.text)];
  });
}

function factOf(name: string, detail: string, line: number, text: string, version = ''): LineFact {
  const fact = { kind: 'guard-removed', name, version, detail, isLesser: false } as const;
  return { fact, line, text };
}

function settingsOf(text: string, guards: Guards, nowMs: number): Map<string, Setting> {
  const settings = new Map<string, Setting>();
  const read = readerOf(guards, settings, nowMs);
  for (const line of text.split('\n')) read(line, 1);
  return settings;
}

/** The settings of both sides, as far as hunks show them. */
function shownSettings(bytes: Uint8Array, file: DiffFile, guards: Guards, nowMs: number) {
  const before = new Map<string, Setting>();
  const after = new Map<string, Setting>();
  const readOld = readerOf(guards, before, nowMs);
  const readNew = readerOf(guards, after, nowMs);
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine } = cursor;
      if (end - start > LINE_BYTES_MAX) continue;
      const text = asBuffer(bytes).toString('utf8', start, end);
      const line = Math.max(1, newLine);
      if (kind !== LINE.ADDED) readOld(text, line);
      if (kind !== LINE.REMOVED) readNew(text, line);
    }
  }
  return { before, after };
}

/** Puts the setting of each line among `settings`; the last line of a name holds. */
function readerOf({ line: form, file }: Guards, settings: Map<string, Setting>, nowMs: number) {
  const hasSections = file.test('.npmrc');
  let isInSection = false;
  return (raw: string, line: number) => {
    const text = raw.trim();
    // npm reads no setting below the name of a section.
    isInSection ||= hasSections && text.startsWith('[');
    const [, name, value = ''] = isInSection ? [] : (form.exec(text) ?? []);
    if (name === undefined) return;
    settings.set(name, { text, line, ...strengthOf(name, value, nowMs) });
  };
}

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

function strengthOf(
  name: string,
  given: string,
  nowMs: number,
): Pick<Setting, 'strength' | 'isDate'> {
  const value = given.replace(/\s*[#;].*$/, '').replace(/^[\s="']+|[\s"']+$/g, '');
  if (/^\d{4}-/.test(value)) {
    const age = (nowMs - Date.parse(value.replace(/\[.*$/, ''))) / 60_000;
    return { strength: age > 0 ? age : 0, isDate: true };
  }
  return { strength: agedOrOn(name, value), isDate: false };
}

function agedOrOn(name: string, value: string): number {
  if (name === 'enableScripts') return /^(?:false|0)$/.test(value) ? 1 : 0;
  if (AGE.test(value)) {
    const parts = [...value.matchAll(AGE_PART)];
    const minutes = parts.map(
      ([, count, unit = '']) => Number(count) * (UNITS[unit.toLowerCase()] ?? 1),
    );
    return minutes.reduce((sum, one) => sum + one, 0);
  }
  return ON.test(value) || (value === '' && name === 'require-hashes') ? 1 : 0;
}
