import {
  allOf,
  firstOf,
  folderOf,
  foldersAround,
  foldersLike,
  type Located,
  type ProgramTree,
  type SourceFile,
  within,
} from './tree.ts';

/** Names of one path that may be a module; the rest is looked for in it. */
const STEPS_MAX = 8;

/**
 * The file of a module. `app.store.find` is `app/store.py` in one of the roots, `.store.find` is
 * beside the file: the longest part of the name that is a file counts.
 */
export async function locatePython(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  const [dots = ''] = /^\.*/.exec(name) ?? [];
  const steps = name.slice(dots.length).split('.').filter(Boolean).slice(0, STEPS_MAX);
  if (!steps.every((step) => /^\w+$/.test(step))) return [];
  const folder = folderOf(importer.path);
  const roots =
    dots === '' ? await rootsOf(tree, importer) : [within(folder, '../'.repeat(dots.length - 1))];
  const places: { path: string; module: string }[] = [];
  // A package by itself explains a name only where it imports what stands behind it.
  const first = dots === '' ? 1 : 0;
  for (let length = steps.length; length >= first; length -= 1) {
    const inner = steps.slice(0, length).join('/');
    const module = dots + steps.slice(0, length).join('.');
    for (const root of roots) {
      const base = root === null ? null : within(root, inner);
      if (base === null) continue;
      if (length > 0) places.push({ path: `${base}.py`, module });
      places.push({ path: base === '' ? '__init__.py' : `${base}/__init__.py`, module });
    }
  }
  const found = await firstOf(
    tree,
    places.map(({ path }) => path),
  );
  const place = places.find(({ path }) => path === found?.path);
  if (found === null || place === undefined || found.path === importer.path) return [];
  const last = steps.at(-1) ?? '';
  if (steps.length > 1 && found.path.endsWith(`/${last}.py`)) {
    // `from .run import run` in a package hides the module of that name.
    const [around] = await allOf(tree, [`${folderOf(found.path)}/__init__.py`]);
    if (around !== undefined && around.path !== importer.path && gives(around.text, last)) {
      const module = dots + steps.slice(0, -1).join('.');
      return [{ module, files: [around] }];
    }
  }
  return [{ module: place.module, files: [found] }];
}

/** Whether a package has this name from one of its modules. */
function gives(text: string, name: string): boolean {
  const lists = text.matchAll(/^from[ \t]+\.+\w[\w.]*[ \t]+import\b([ \t]*\([^)]*|[^(\n]*)/gm);
  const named = new RegExp(`\\b${name}\\b`);
  return [...lists].some(([, list = '']) => named.test(list));
}

/** Folders in which absolute imports are looked for, the nearest first. */
async function rootsOf(tree: ProgramTree, { path }: SourceFile): Promise<string[]> {
  const around = foldersAround(path);
  const places = around.flatMap((folder) => [
    folder,
    ...LAYOUTS.flatMap((one) => within(folder, one) ?? []),
  ]);
  const manifests = await allOf(
    tree,
    around.flatMap((one) => within(one, 'pyproject.toml') ?? []),
  );
  const others: string[] = [];
  for (const { path: file, text } of manifests) {
    const root = folderOf(file);
    for (const pattern of membersIn(text)) {
      for (const folder of await foldersLike(tree, root, pattern)) {
        others.push(folder, ...LAYOUTS.flatMap((one) => within(folder, one) ?? []));
      }
    }
    for (const from of sourcesIn(text))
      others.push(...(within(root, from) === null ? [] : [within(root, from) ?? '']));
  }
  return [...new Set([...places, ...others])];
}

const LAYOUTS = ['src', 'lib', 'python'];

/** Other projects of the repository: members of a workspace, and packages named by their paths. */
function membersIn(text: string): string[] {
  const lists = [...text.matchAll(/^[ \t]*members[ \t]*=[ \t]*\[([^\]]*)(?:\]|$(?![\s\S]))/gm)].map(
    ([, list = '']) => list,
  );
  const members = lists.flatMap((list) =>
    [...list.matchAll(/["']([^"']+)["']/g)].map(([, one = '']) => one),
  );
  const paths = [...text.matchAll(/\bpath\s*=\s*["']([^"']+)["']/g)].map(([, one = '']) => one);
  return [...members, ...paths];
}

/** Folders with packages by settings of build tools: `where = ["backend"]`, `from = "lib"`. */
function sourcesIn(text: string): string[] {
  const where = [...text.matchAll(/^[ \t]*where[ \t]*=[ \t]*\[([^\]]*)(?:\]|$(?![\s\S]))/gm)].map(
    ([, list = '']) => list,
  );
  const listed = where.flatMap((list) =>
    [...list.matchAll(/["']([^"']+)["']/g)].map(([, one = '']) => one),
  );
  const from = [...text.matchAll(/\bfrom\s*=\s*["']([^"']+)["']/g)].map(([, one = '']) => one);
  return [...listed, ...from];
}
