import { lineIndex, lineStarts } from '../../../core/line-offsets.ts';
import type { AskedName, Fragment, ProgramFile } from '../../../rpc/contract.ts';
import type { Flows } from '../engine/engine.ts';
import type { Module } from '../il/il.ts';
import { type Linked, linkModules } from '../il/link.ts';
import type { Locator } from '../report/wording.ts';

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
    const one = { path: view.fileAt(at), name, isData };
    return view.unread.some((module) => name.startsWith(module)) ? { ...one, isUnread: true } : one;
  });
  return [...own, ...view.handedOn];
}

function startsOf(part: Part): readonly number[] {
  part.starts ??= lineStarts(part.text);
  return part.starts;
}

/** Finds the unit that a path stands for, by the longest module that is its beginning. */
function finder({ program }: Fragment, linked: readonly (Linked | null)[]) {
  const numbers = linked.map((one, index) =>
    one === null ? -1 : linked.slice(0, index).filter(Boolean).length,
  );
  const modules = new Map<number, Map<string, { unit: number; names: Set<string> }>>();
  for (const { from, module, unit, names } of program?.links ?? []) {
    const number = numbers[unit] ?? -1;
    const importer = numbers[from] ?? -1;
    if (number < 0 || importer < 0) continue;
    const own = modules.get(importer) ?? new Map();
    modules.set(importer, own.set(module, { unit: number, names: new Set(names) }));
  }
  return (from: number, path: string) => {
    const own = modules.get(from);
    if (own === undefined) return null;
    for (let length = path.length; length > 0; length = path.lastIndexOf('.', length - 1)) {
      const found = own.get(path.slice(0, length));
      if (found !== undefined) return { ...found, length };
    }
    // `from . import a`: the package around the file.
    const { length } = /^\.*/.exec(path)?.[0] ?? '';
    const found = own.get(path.slice(0, length));
    return found === undefined ? null : { ...found, length };
  };
}
