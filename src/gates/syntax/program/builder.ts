import type { AskedName, Program, ProgramFile } from '../../../rpc/contract.ts';
import { PROGRAM } from '../../limits.ts';
import { isTreeLanguage, languageOf } from '../languages.ts';
import { locateCsharp } from './csharp.ts';
import { DATA_FILE, locateDataFile } from './data-files.ts';
import { locateEcmascript } from './ecmascript.ts';
import { locateGolang } from './golang.ts';
import { locateJava } from './java.ts';
import { locateKotlin } from './kotlin.ts';
import { locatePython } from './python.ts';
import { folderOf, type Locate, type Located, type ProgramTree } from './tree.ts';

/** How a language finds files and puts them together. */
interface Kind {
  readonly locate: Locate;
  /** All files are one text: names of classes are enough to know them. */
  readonly isOneText: boolean;
  /** The files of a folder are one module. */
  readonly isByFolder: boolean;
}

const KINDS = {
  js: { locate: locateEcmascript, isOneText: false, isByFolder: false },
  py: { locate: locatePython, isOneText: false, isByFolder: false },
  go: { locate: locateGolang, isOneText: false, isByFolder: true },
  java: { locate: locateJava, isOneText: true, isByFolder: true },
  cs: { locate: locateCsharp, isOneText: true, isByFolder: true },
  kt: { locate: locateKotlin, isOneText: true, isByFolder: true },
} as const satisfies Record<string, Kind>;

/** What one side of a change may still read beside its own files. */
export interface ProgramRoom {
  /** Paths of the files that were read: many files of a change may lead to one. */
  readonly read: Set<string>;
  /** How often files may still be put into a program, and their characters. */
  uses: number;
  chars: number;
}

/** The room of one side before anything is read. */
export function newRoom(): ProgramRoom {
  return { read: new Set(), uses: PROGRAM.USES_MAX, chars: PROGRAM.CHARS_MAX };
}

/** Gathers the files that the flows of one file lead to, round by round. */
export class ProgramBuilder {
  /** Names that led to files which a bound left out. */
  readonly left: AskedName[] = [];
  readonly #tree: ProgramTree;
  readonly #room: ProgramRoom;
  readonly #kind: Kind;
  readonly #own: ProgramFile;
  readonly #beside: ProgramFile[] = [];
  readonly #units: { files: ProgramFile[] }[] = [];
  readonly #links: Program['links'] = [];
  readonly #data: { name: string; text: string }[] = [];
  /** Of each file its unit, and how many files lead to it. */
  readonly #known = new Map<string, { readonly unit: number; readonly depth: number }>();
  readonly #asked = new Set<string>();

  constructor(tree: ProgramTree, room: ProgramRoom, own: ProgramFile) {
    const language = languageOf(own.path) ?? 'js';
    this.#kind = KINDS[isTreeLanguage(language) ? language : 'js'];
    this.#tree = tree;
    this.#room = room;
    this.#own = own;
    this.#known.set(own.path, { unit: 0, depth: 0 });
  }

  /** The program as it is known by now. */
  get program(): Program {
    const units = this.#units.map(({ files }) => ({ files: [...files] }));
    const links = this.#links.map((link) => ({ ...link, names: [...link.names] }));
    const data = this.#data.length === 0 ? {} : { data: [...this.#data] };
    return { beside: [...this.#beside], units, links, ...data };
  }

  /** Adds the files of these names; false: there is nothing new in view. */
  async add(asked: readonly AskedName[]): Promise<boolean> {
    const found = asked.map(async (one) => {
      const key = `${one.path} ${one.name}`;
      const from = this.#known.get(one.path);
      if (this.#asked.has(key) || from === undefined) return [];
      this.#asked.add(key);
      const importer = this.#filesOf(from.unit).find(({ path }) => path === one.path);
      if (importer === undefined) return [];
      const locate = one.name.startsWith(DATA_FILE) ? locateDataFile : this.#kind.locate;
      const all = await locate(this.#tree, importer, one.name);
      return all.map((located) => ({ one, from, located }));
    });
    let isNew = false;
    // In the order in which they were asked for, whatever came first.
    for (const { one, from, located } of (await Promise.all(found)).flat()) {
      isNew = this.#take(one, from, located) || isNew;
    }
    return isNew;
  }

  #take(asked: AskedName, from: { unit: number; depth: number }, located: Located): boolean {
    const { isOneText, isByFolder } = this.#kind;
    const isOwn = isOneText || located.module === '';
    const [first] = located.files;
    if (first === undefined) return false;
    if (asked.name.startsWith(DATA_FILE)) return this.#takeData(asked, from.depth, first);
    const unit = isOwn ? from.unit : this.#unitOf(first.path, isByFolder);
    let isNew = false;
    for (const file of located.files) {
      if (this.#known.has(file.path)) continue;
      if (!this.#hasRoom(file, from.depth + 1)) {
        this.left.push(asked);
        continue;
      }
      this.#room.read.add(file.path);
      this.#room.uses -= 1;
      this.#room.chars -= file.text.length;
      this.#known.set(file.path, { unit, depth: from.depth + 1 });
      this.#put(unit, isOneText ? withoutOtherImports(file, this.#own.text) : file);
      isNew = true;
    }
    const { module } = located;
    if (isOwn || this.#filesOf(unit).length === 0) return isNew;
    const [name = ''] = asked.name.slice(module.length).split('.').filter(Boolean);
    const link = this.#links.find((one) => one.from === from.unit && one.module === module);
    if (link?.names.includes(name)) return isNew;
    if (link === undefined) this.#links.push({ from: from.unit, module, unit, names: [name] });
    else link.names.push(name);
    return true;
  }

  #takeData(asked: AskedName, depth: number, file: ProgramFile): boolean {
    if (this.#data.some(({ name }) => name === asked.name)) return false;
    if (!this.#hasRoom(file, depth)) {
      this.left.push(asked);
      return false;
    }
    this.#room.read.add(file.path);
    this.#room.uses -= 1;
    this.#room.chars -= file.text.length;
    this.#data.push({ name: asked.name, text: file.text });
    return true;
  }

  #hasRoom({ path, text }: ProgramFile, depth: number): boolean {
    const { read, uses, chars } = this.#room;
    const { DEPTH_MAX, FILES_MAX, FILE_CHARS_MAX } = PROGRAM;
    if (depth > DEPTH_MAX || text.length > FILE_CHARS_MAX) return false;
    return (read.has(path) || read.size < FILES_MAX) && uses > 0 && text.length <= chars;
  }

  #unitOf(path: string, isByFolder: boolean): number {
    const known = this.#known.get(path);
    if (known !== undefined) return known.unit;
    const folder = folderOf(path);
    const at = isByFolder
      ? this.#units.findIndex(({ files }) => files.some((file) => folderOf(file.path) === folder))
      : -1;
    if (at >= 0) return at + 1;
    return isByFolder && folderOf(this.#own.path) === folder ? 0 : this.#units.length + 1;
  }

  #put(unit: number, file: ProgramFile): void {
    if (unit === 0) this.#beside.push(file);
    else if (unit <= this.#units.length) this.#units[unit - 1]?.files.push(file);
    else this.#units.push({ files: [file] });
  }

  #filesOf(unit: number): readonly ProgramFile[] {
    return unit === 0 ? [this.#own, ...this.#beside] : (this.#units[unit - 1]?.files ?? []);
  }
}

const IMPORT = /^([ \t]*import[ \t]+)((?:\w+\.)+(\w+))(?=[ \t]*(?:;|\r?$))/gm;

/** Blanks imports of names by which the first file means other classes: all is one text. */
function withoutOtherImports({ path, text }: ProgramFile, first: string): ProgramFile {
  const own = new Map([...first.matchAll(IMPORT)].map(([, , whole, name]) => [name, whole]));
  const kept = text.replace(IMPORT, (line: string, _, whole: string, name: string) => {
    const other = own.get(name);
    return other === undefined || other === whole ? line : ' '.repeat(line.length);
  });
  return { path, text: kept };
}
