import {
  allOf,
  atMost,
  folderOf,
  foldersAround,
  type Located,
  type ProgramTree,
  pathsIn,
  type SourceFile,
  within,
} from './tree.ts';

/** Classes that a file names, of which classes with the method are read. */
const NEIGHBOURS_MAX = 100;

/**
 * The files of classes that have a member, asked for as `./find`. A class stands in a file of its
 * name: beside the file that names it, or in the folder that its namespace says, below one of the
 * folders around.
 */
export async function locateCsharp(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  const member = name.slice(name.lastIndexOf('.') + 1).replace(/^\.?\//, '');
  if (!/^\w+$/.test(member)) return [];
  const folders = await foldersOf(tree, importer);
  const words = new Set(importer.text.match(/\b[A-Z]\w*/g));
  const paths = await pathsIn(
    tree,
    folders,
    (file) => file.endsWith('.cs') && isNamed(words, file.slice(0, -'.cs'.length)),
  );
  const others = paths.filter((path) => path !== importer.path);
  const files = await allOf(tree, atMost(tree, others, NEIGHBOURS_MAX));
  const has = new RegExp(`\\b${member}\\b`);
  const found = files.filter(({ text }) => has.test(text));
  return found.length === 0 ? [] : [{ module: '', files: found }];
}

/** `Store.cs`, `Store.Queries.cs` of a class in parts, and what implements `IStore`. */
function isNamed(words: ReadonlySet<string>, file: string): boolean {
  const [name = ''] = file.split('.', 1);
  return words.has(name) || words.has(`I${name}`);
}

/** The folder of a file, and the folders of namespaces that it uses. */
async function foldersOf(tree: ProgramTree, { path, text }: SourceFile): Promise<string[]> {
  const used = [...text.matchAll(USING)].map(([, name = '']) => name.split('.'));
  const around = foldersAround(path);
  const all = await Promise.all(around.map(async (folder) => [folder, await tree.list(folder)]));
  const found = [folderOf(path)];
  for (const [folder, list] of all as [string, readonly string[]][]) {
    const names = new Set(list);
    for (const steps of used) {
      const at = steps.findIndex((step) => names.has(`${step}/`));
      const inner = at < 0 ? null : within(folder, steps.slice(at).join('/'));
      if (inner !== null) found.push(inner);
    }
  }
  return [...new Set(found)];
}

/** Namespaces that may be of the repository. */
const USING = /^[ \t]*(?:global[ \t]+)?using[ \t]+((?!System\b|Microsoft\b)[\w.]+)[ \t]*;/gm;
