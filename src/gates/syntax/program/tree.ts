import type { Mentions } from '../../../rpc/source-contract.ts';
import { PROGRAM } from '../../limits.ts';
import { compileGlob } from '../../patterns/component-paths.ts';

/**
 * The files of a repository at one side of a change, asked for one by one: nobody lists the whole
 * tree. A mirror and a work tree answer alike.
 */
export interface ProgramTree {
  /** Texts of files, in the order of `paths`; null: there is no such file, or it is too large. */
  read(paths: readonly string[]): Promise<readonly (string | null)[]>;
  /** Names of the files and folders of a folder; a folder's name ends with `/`. */
  list(folder: string): Promise<readonly string[]>;
  /** The given files whose texts hold one of some words. */
  mentions(paths: readonly string[], words: readonly string[]): Promise<Mentions>;
  /** Notes that a bound left something out that may explain a name. */
  cut(): void;
  /** Whether a bound left anything out. */
  readonly isCut: boolean;
}

/** A file with its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a name stands for that a file uses. */
export interface Located {
  /** The part of the name that stands for the module; '' for the package of the file itself. */
  readonly module: string;
  /** The files that make it up, in a fixed order. */
  readonly files: readonly SourceFile[];
}

/** Finds the files behind a name as `importer` writes it; none: it is not of this repository. */
export type Locate = (
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
) => Promise<readonly Located[]>;

/** Where files and folders are read, many at once. */
export interface TreeReader {
  /** As `ProgramTree.read`; `isCut`: one of them is too large. */
  texts(paths: readonly string[]): Promise<{ texts: readonly (string | null)[]; isCut: boolean }>;
  /** Of each folder what `ProgramTree.list` gives. */
  names(folders: readonly string[]): Promise<readonly (readonly string[])[]>;
  /** As `ProgramTree.mentions`. */
  mentions(paths: readonly string[], words: readonly string[]): Promise<Mentions>;
}

/**
 * A tree that asks its reader once for each file and folder, together with all that is asked for in
 * the same turn. Behind the bounds nothing is there, and `isCut` says so.
 */
export function openTree(reader: TreeReader): ProgramTree {
  let isCut = false;
  const cut = () => {
    isCut = true;
  };
  const read = async (paths: readonly string[]) => {
    const answer = await reader.texts(paths);
    if (answer.isCut) cut();
    return answer.texts;
  };
  const texts = new Batch<string | null>(PROGRAM.PATHS_MAX, null, read, cut);
  const names = new Batch<readonly string[]>(PROGRAM.FOLDERS_MAX, [], reader.names, cut);
  return {
    read: (paths) => Promise.all(paths.map((path) => texts.get(path))),
    list: (folder) => names.get(folder),
    mentions: reader.mentions,
    cut,
    get isCut() {
      return isCut;
    },
  };
}

/** Values by their keys, each of which is asked for once, with others. */
class Batch<Value> {
  readonly #known = new Map<string, Promise<Value>>();
  readonly #room: number;
  readonly #absent: Value;
  readonly #read: (keys: readonly string[]) => Promise<readonly Value[]>;
  readonly #cut: () => void;
  /** The reads that were asked for in this turn. */
  #waiting: { readonly keys: string[]; readonly values: Promise<readonly Value[]> } | null = null;

  constructor(
    room: number,
    absent: Value,
    read: (keys: readonly string[]) => Promise<readonly Value[]>,
    cut: () => void,
  ) {
    this.#room = room;
    this.#absent = absent;
    this.#read = read;
    this.#cut = cut;
  }

  get(key: string): Promise<Value> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#room) {
      this.#cut();
      return Promise.resolve(this.#absent);
    }
    const { keys, values } = this.#batch();
    const at = keys.push(key) - 1;
    const value = values.then((all) => all[at] ?? this.#absent);
    this.#known.set(key, value);
    return value;
  }

  #batch() {
    if (this.#waiting !== null) return this.#waiting;
    const keys: string[] = [];
    const turn = new Promise<void>((resolve) => void setImmediate(resolve));
    const values = turn.then(() => {
      this.#waiting = null;
      return this.#read(keys);
    });
    this.#waiting = { keys, values };
    return this.#waiting;
  }
}

/** The first of these files that is there; null when absent. */
export async function firstOf(
  tree: ProgramTree,
  paths: readonly string[],
): Promise<SourceFile | null> {
  const texts = await tree.read(paths);
  const at = texts.findIndex((text) => text !== null);
  const path = paths[at];
  const text = texts[at];
  return path === undefined || text == null ? null : { path, text };
}

/** The files that exist, in the order of `paths`. */
export async function allOf(tree: ProgramTree, paths: readonly string[]): Promise<SourceFile[]> {
  const texts = await tree.read(paths);
  return paths.flatMap((path, index) => {
    const text = texts[index];
    return text == null ? [] : [{ path, text }];
  });
}

/** Files at the root of a repository that Bazel builds. */
export const BAZEL_ROOTS = ['MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel'];
/** What Bazel calls the file of a folder with its targets. */
export const BAZEL_FILES = ['BUILD.bazel', 'BUILD'];

/** The folder of a path; '' of the root. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}

/** The path of a file within a folder; null: it leads out of the repository. */
export function within(folder: string, path: string): string | null {
  const steps: string[] = folder === '' ? [] : folder.split('/');
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return null;
  }
  return steps.join('/');
}

/** Paths of the files in some folders whose names are wanted. */
export async function pathsIn(
  tree: ProgramTree,
  folders: readonly string[],
  isWanted: (file: string) => boolean,
): Promise<string[]> {
  const lists = await Promise.all(folders.map((folder) => tree.list(folder)));
  return folders.flatMap((folder, index) =>
    (lists[index] ?? []).filter(isWanted).flatMap((file) => within(folder, file) ?? []),
  );
}

/** Folders around a file that are looked at; real trees are less deep. */
const FOLDERS_MAX = 24;

/** The folders around a path, the innermost first; the last one is the root. */
export function foldersAround(path: string): string[] {
  const folders: string[] = [];
  for (let at = folderOf(path); at !== '' && folders.length < FOLDERS_MAX; at = folderOf(at)) {
    folders.push(at);
  }
  return [...folders, ''];
}

/** The first of some things that may explain a name; the tree notes that there are more. */
export function atMost<Item>(
  tree: Pick<ProgramTree, 'cut'>,
  items: readonly Item[],
  max: number,
): readonly Item[] {
  if (items.length <= max) return items;
  tree.cut();
  return items.slice(0, max);
}

/** Folders and manifests of one pattern that are looked at. */
const MATCHES_MAX = 500;

/** The folders that a pattern of a workspace names: `packages/*`, `apps/**`, `tools/cli`. */
export async function foldersLike(
  tree: ProgramTree,
  root: string,
  pattern: string,
): Promise<string[]> {
  const steps = pattern.replace(/^\.\//, '').split('/').filter(Boolean);
  let folders = [root];
  for (const step of steps) {
    const next: string[] = [];
    const isMatch = step.includes('**') ? isShown : compileGlob(step);
    for (const folder of folders) {
      if (!step.includes('*')) {
        const inner = within(folder, step);
        if (inner !== null) next.push(inner);
        continue;
      }
      for (const name of await tree.list(folder)) {
        const isFolder = name.endsWith('/') && isMatch(name.slice(0, -1));
        const inner = isFolder ? within(folder, name) : null;
        if (inner !== null && !inner.endsWith('node_modules')) next.push(inner);
      }
    }
    folders = [...atMost(tree, next, MATCHES_MAX)];
  }
  return folders;
}

function isShown(name: string): boolean {
  return !name.startsWith('.');
}
