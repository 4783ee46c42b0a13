/**
 * The files of a repository at one side of a change, asked for one by one: nobody lists the whole
 * tree. A mirror and a work tree answer alike.
 */
export interface ProgramTree {
  /** Texts of files, in the order of `paths`; null: there is no such file, or it is too large. */
  read(paths: readonly string[]): Promise<readonly (string | null)[]>;
  /** Names of the files and folders of a folder; a folder's name ends with `/`. */
  list(folder: string): Promise<readonly string[]>;
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

/** Finds the files behind a name as `importer` writes it; null: it is not of this repository. */
export type Locate = (
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
) => Promise<Located | null>;

/** Reads each file and folder once. */
export function cachedTree(tree: ProgramTree): ProgramTree {
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  return {
    async read(paths) {
      const missing = [...new Set(paths.filter((path) => !texts.has(path)))];
      const found = missing.length === 0 ? [] : await tree.read(missing);
      for (const [index, path] of missing.entries()) texts.set(path, found[index] ?? null);
      return paths.map((path) => texts.get(path) ?? null);
    },
    async list(folder) {
      const known = folders.get(folder);
      if (known !== undefined) return known;
      const names = await tree.list(folder);
      folders.set(folder, names);
      return names;
    },
  };
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

/** Those of these files that are there, in their order. */
export async function allOf(tree: ProgramTree, paths: readonly string[]): Promise<SourceFile[]> {
  const texts = await tree.read(paths);
  return paths.flatMap((path, index) => {
    const text = texts[index];
    return text == null ? [] : [{ path, text }];
  });
}

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

/** Folders and manifests of one pattern that are looked at. */
const MATCHES_MAX = 500;

/** The folders that a pattern of a workspace names: `packages/*`, `apps/**`, `tools/cli`. */
export async function foldersLike(
  tree: ProgramTree,
  root: string,
  pattern: string,
): Promise<string[]> {
  const [steps, isDeep] = [pattern.replace(/^\.\//, '').split('/').filter(Boolean), /\*\*/];
  let folders = [root];
  for (const step of steps) {
    const next: string[] = [];
    for (const folder of folders) {
      if (!step.includes('*')) {
        const inner = within(folder, step);
        if (inner !== null) next.push(inner);
        continue;
      }
      const isMatch = isDeep.test(step) ? /^[^.]/ : likeName(step);
      for (const name of await tree.list(folder)) {
        const isFolder = name.endsWith('/') && isMatch.test(name.slice(0, -1));
        const inner = isFolder ? within(folder, name) : null;
        if (inner !== null && !inner.endsWith('node_modules')) next.push(inner);
      }
    }
    folders = next.slice(0, MATCHES_MAX);
  }
  return folders;
}

function likeName(step: string): RegExp {
  const plain = step.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${plain.replaceAll('*', '[^/]*')}$`);
}
