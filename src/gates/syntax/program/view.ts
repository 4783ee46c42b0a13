import { lineIndex, lineStarts } from '../../../core/line-offsets.ts';
import type { AskedName, Fragment, ProgramFile } from '../../../rpc/contract.ts';
import type { Flows } from '../engine/engine.ts';
import type { Module } from '../il/il.ts';
import { type Linked, linkModules, type UnitFinder } from '../il/link.ts';
import { isTreeLanguage, languageOf } from '../languages.ts';
import type { Locator } from '../report/wording.ts';
import { folderOf, within } from './tree.ts';

/** The text that a module is made of, and where its own lines and columns are. */
interface Own {
  readonly module: Module;
  readonly text: string;
  readonly lineAt: (offset: number) => number;
  readonly columnAt: (offset: number) => number;
}

/** A module of another file. */
interface LoweredFile {
  readonly module: Module;
  /** Characters that were put before the text to parse it: spans count them. */
  readonly before: number;
}

/** Lowers the text of another file; null: it is not followed. */
export type LowerFile = (path: string, text: string) => LoweredFile | null;

/** A module with the place at which its text begins. */
interface Placed extends Linked {
  readonly start: number;
}

/** A fragment with the files of its program that are in view: one module, and one text. */
export interface ProgramView extends Own {
  /** Length of the text of the fragment itself, which comes first. */
  readonly ownLength: number;
  /** Names that files in view hand on from others that are not. */
  readonly handedOn: readonly AskedName[];
  /** Beginnings of names whose files the parser cannot read. */
  readonly unread: readonly string[];
  /** Texts of files of settings, by the names that the program has for them. */
  readonly data: ReadonlyMap<string, string>;
  /** The file of an offset. */
  fileAt(offset: number): string;
  /** A name as a file writes it that the fragment would write so. */
  nameIn(file: string, name: string): string;
}

/** A file within the text of all. */
interface Part {
  readonly path: string;
  readonly start: number;
  readonly text: string;
  starts: readonly number[] | null;
}

/** Characters of files whose modules are kept; a module takes some twenty bytes for each. */
const KEPT_CHARS_MAX = 2 * 1024 * 1024;

/** Keeps what was lowered last: helpers are shared by files, changes and both sides of a change. */
export function remembering(lower: LowerFile): LowerFile {
  /** The one used longest ago comes first. */
  const known = new Map<string, LoweredFile | null>();
  let kept = 0;
  return (path, text) => {
    const key = `${path}\0${text}`;
    const before = known.get(key);
    const lowered = before === undefined ? lower(path, text) : before;
    if (before === undefined) kept += key.length;
    known.delete(key);
    known.set(key, lowered);
    for (const oldest of known.keys()) {
      if (kept <= KEPT_CHARS_MAX) break;
      known.delete(oldest);
      kept -= oldest.length;
    }
    return lowered;
  };
}

/** The text of a fragment with that of other files of its package behind it. */
export function withBeside(text: string, { program }: Fragment): string {
  return program === undefined
    ? text
    : [text, ...program.beside.map((file) => file.text)].join('\n');
}

/**
 * What is in view of a fragment's program. `own` is the module of the fragment and of the files
 * beside it; `ownLength` that of the text of the fragment alone.
 */
export function viewOf(
  fragment: Fragment,
  own: Own,
  ownLength: number,
  lower: LowerFile,
): ProgramView {
  const { path, program } = fragment;
  const parts: Part[] = [];
  const add = (files: readonly ProgramFile[], from: number) => {
    let start = from;
    for (const file of files) {
      parts.push({ ...file, start, starts: null });
      start += file.text.length + 1;
    }
  };
  add(program?.beside ?? [], ownLength + 1);
  let { text } = own;
  const linked: (Placed | null)[] = [{ module: own.module, offset: 0, start: 0 }];
  for (const { files } of program?.units ?? []) {
    const whole = files.map((file) => file.text).join('\n');
    const lowered = lower(files[0]?.path ?? path, whole);
    const start = text.length + 1;
    linked.push(lowered && { module: lowered.module, offset: start - lowered.before, start });
    if (lowered === null) continue;
    add(files, start);
    text += `\n${whole}`;
  }
  const units = linked.filter((one) => one !== null);
  const { module, missing } =
    units.length < 2
      ? { module: own.module, missing: [] }
      : linkModules(units, finder(fragment, linked));
  const partAt = (offset: number) => parts.findLast(({ start }) => start <= offset) ?? null;
  const fileAt = (offset: number) => partAt(offset)?.path ?? path;
  const handedOn = missing.map(({ unit, path: name }) => ({
    path: fileAt(units[unit]?.start ?? 0),
    name,
    isData: true,
  }));
  const unread = (program?.links ?? []).flatMap((link) =>
    linked[link.unit] === null ? [link.module] : [],
  );
  return {
    module,
    handedOn,
    unread,
    data: new Map((program?.data ?? []).map((one) => [one.name, one.text])),
    text,
    ownLength,
    fileAt,
    nameIn(file, name) {
      // `./name` is a module beside the file, in other languages a name of its package.
      const isOfPackage = name.startsWith('./') && isTreeLanguage(languageOf(path));
      return isOfPackage ? name : fromFolder(folderOf(file), folderOf(path), name);
    },
    lineAt(offset) {
      const part = partAt(offset);
      return part === null
        ? own.lineAt(offset)
        : lineIndex(startsOf(part), offset - part.start) + 1;
    },
    columnAt(offset) {
      const part = partAt(offset);
      if (part === null) return own.columnAt(offset);
      const at = offset - part.start;
      const lineStart = startsOf(part)[lineIndex(startsOf(part), at)] ?? 0;
      return Buffer.byteLength(part.text.slice(lineStart, at)) + 1;
    },
  };
}

/** How a reporter finds places in a view. */
export function locatorOf({ text, lineAt, columnAt, fileAt }: ProgramView): Locator {
  return { lineAt, columnAt, fileAt, textOf: (start, end) => text.slice(start, end) };
}

/** The names that flows lead to, with the files that use them. */
export function askedNames(view: ProgramView, { asked }: Pick<Flows, 'asked'>): AskedName[] {
  const own = [...asked].map(([name, { at, isData }]): AskedName => {
    const path = view.fileAt(at);
    const one = { path, name: view.nameIn(path, name), isData };
    return view.unread.some((module) => name.startsWith(module)) ? { ...one, isUnread: true } : one;
  });
  return [...own, ...view.handedOn];
}

function startsOf(part: Part): readonly number[] {
  part.starts ??= lineStarts(part.text);
  return part.starts;
}

/** Finds the unit that a path stands for, by the longest module that is its beginning. */
function finder(
  { path: first, program }: Fragment,
  linked: readonly (Linked | null)[],
): UnitFinder {
  const numbers = linked.map((one, index) =>
    one === null ? -1 : linked.slice(0, index).filter(Boolean).length,
  );
  const modules = new Map<number, Modules>();
  for (const { from, module, unit, names } of program?.links ?? []) {
    const number = numbers[unit] ?? -1;
    const importer = numbers[from] ?? -1;
    if (number < 0 || importer < 0) continue;
    const own: Modules = modules.get(importer) ?? new Map();
    modules.set(importer, own.set(module, { unit: number, names: new Set(names) }));
  }
  const folders = linked.flatMap((one, index) => {
    const file = index === 0 ? first : program?.units[index - 1]?.files[0]?.path;
    return one === null ? [] : [folderOf(file ?? first)];
  });
  const inFirst = (from: number, path: string) =>
    from === 0 ? path : fromFolder(folders[0] ?? '', folders[from] ?? '', path);
  const all: Modules = new Map();
  for (const [importer, own] of modules) {
    for (const [module, found] of own) all.set(inFirst(importer, module), found);
  }
  return {
    inFirst,
    find(from, path) {
      const own = longestOf(modules.get(from), path);
      if (own !== null) return own;
      // Another file asked for it, by what it got from this one.
      const written = inFirst(from, path);
      const found = longestOf(all, written);
      return found && { ...found, length: found.length - written.length + path.length };
    },
  };
}

/** Units by the modules that are the beginnings of paths. */
type Modules = Map<string, { readonly unit: number; readonly names: Set<string> }>;

function longestOf(modules: Modules | undefined, path: string) {
  if (modules === undefined || modules.size === 0) return null;
  for (let length = path.length; length > 0; length = path.lastIndexOf('.', length - 1)) {
    const found = modules.get(path.slice(0, length));
    if (found !== undefined) return { ...found, length };
  }
  // `from . import a`: the package around the file.
  const { length } = /^\.*/.exec(path)?.[0] ?? '';
  const found = modules.get(path.slice(0, length));
  return found === undefined ? null : { ...found, length };
}

/** A path that begins at a file, `../lib/a.b` or `..lib.a.b`, as files of folder `to` write it. */
function fromFolder(to: string, from: string, path: string): string {
  const [, dots = '', steps = ''] = /^(\.+)([^./].*)$/.exec(path) ?? [];
  const isDotted = dots !== '';
  if (!isDotted && !/^\.{1,2}\//.test(path)) return path;
  const end = isDotted ? dots.length : path.lastIndexOf('/');
  const target = within(from, isDotted ? '../'.repeat(dots.length - 1) : path.slice(0, end));
  if (target === null) return path;
  const own = to.split('/').filter(Boolean);
  const other = target.split('/').filter(Boolean);
  const common = own.findIndex((step, index) => step !== other[index]);
  const same = common < 0 ? Math.min(own.length, other.length) : common;
  const up = own.length - same;
  const down = other.slice(same);
  if (isDotted) return `${'.'.repeat(up + 1)}${[...down, steps].join('.')}`;
  const before = up === 0 ? './' : '../'.repeat(up);
  return before + [...down, path.slice(end + 1)].join('/');
}
