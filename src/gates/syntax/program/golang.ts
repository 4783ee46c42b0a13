import {
  allOf,
  atMost,
  BAZEL_FILES,
  folderOf,
  foldersAround,
  type Located,
  type ProgramTree,
  type SourceFile,
  within,
} from './tree.ts';

/** Files of a package that are read to see what they declare. */
const PACKAGE_FILES_MAX = 200;

/**
 * The files of a package that declare a name. `example.com/shop/store.Find` is of the package that
 * go.mod, its `replace` lines, go.work, a vendored copy or the prefix of Gazelle say; `./Find` is
 * of the file's own.
 */
export async function locateGolang(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  const { path } = importer;
  if (name.startsWith('./')) {
    const declared = name.slice(2);
    const files = await filesDeclaring(tree, folderOf(path), declared);
    const others = files.filter((file) => file.path !== path);
    const own = others.length === 0 ? [] : [{ module: '', files: others }];
    return [...own, ...(await methodsOfImports(tree, importer, declared))];
  }
  const slash = name.lastIndexOf('/');
  const dot = name.indexOf('.', slash + 1);
  if (dot < 0 || slash < 0) return [];
  const module = name.slice(0, dot);
  const [declared = ''] = name.slice(dot + 1).split(/[.(]/, 1);
  for (const folder of await foldersOfPackage(tree, path, module)) {
    const files = await filesDeclaring(tree, folder, declared);
    if (files.length > 0) return [{ module, files }];
  }
  return [];
}

/** Imported packages that are looked through for a method. */
const IMPORTS_MAX = 16;

/** Packages of the repository that the file imports and whose types have a method of that name. */
async function methodsOfImports(
  tree: ProgramTree,
  { path, text }: SourceFile,
  method: string,
): Promise<Located[]> {
  if (!/^[A-Z]\w*$/.test(method)) return [];
  const imported = [
    ...text.matchAll(/^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w.~-]+(?:\/[\w.~-]+)+)"/gm),
  ];
  const has = new RegExp(`^func\\s*\\([^()]*\\)\\s*${method}\\b`, 'm');
  const found: Located[] = [];
  for (const [, name = ''] of atMost(tree, imported, IMPORTS_MAX)) {
    const module = withoutVersion(name);
    for (const folder of await foldersOfPackage(tree, path, module)) {
      const files = await filesDeclaring(tree, folder, method);
      if (files.some((file) => has.test(file.text))) found.push({ module, files });
    }
  }
  return found;
}

/** Folders in which a package may stand. */
async function foldersOfPackage(
  tree: ProgramTree,
  path: string,
  module: string,
): Promise<string[]> {
  const around = foldersAround(path);
  const [own] = await allOf(
    tree,
    around.map((folder) => fileIn(folder, 'go.mod')),
  );
  const [work] = await allOf(
    tree,
    around.map((folder) => fileIn(folder, 'go.work')),
  );
  const roots = new Map<string, string>();
  if (own === undefined) {
    const files = around.flatMap((folder) => BAZEL_FILES.map((name) => fileIn(folder, name)));
    for (const { path: file, text } of await allOf(tree, files)) {
      const [, prefix] = /^#[ \t]*gazelle:prefix[ \t]+(\S+)/m.exec(text) ?? [];
      if (prefix !== undefined) roots.set(withoutVersion(prefix), folderOf(file));
    }
  }
  const note = (root: string | null, text: string) => {
    const name = moduleOf(text);
    if (root !== null && name !== null && !roots.has(name)) roots.set(name, root);
  };
  if (own !== undefined) note(folderOf(own.path), own.text);
  for (const { path: file, text } of [own, work].filter((one) => one !== undefined)) {
    for (const [old, to] of replacedIn(text)) {
      const root = within(folderOf(file), to);
      if (root !== null) roots.set(withoutVersion(old), root);
    }
  }
  if (work !== undefined) {
    const used = usedIn(work.text).flatMap((to) => within(folderOf(work.path), to) ?? []);
    const manifests = await allOf(
      tree,
      used.map((folder) => fileIn(folder, 'go.mod')),
    );
    for (const one of manifests) note(folderOf(one.path), one.text);
  }
  const found: string[] = [];
  for (const [name, root] of [...roots].sort(([left], [right]) => right.length - left.length)) {
    const inner =
      name === module ? '' : module.startsWith(`${name}/`) ? module.slice(name.length) : null;
    const folder = inner === null ? null : within(root, inner);
    if (folder !== null) found.push(folder);
  }
  const vendored = own === undefined ? null : within(folderOf(own.path), `vendor/${module}`);
  return vendored === null ? found : [...found, vendored];
}

function fileIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The catalogue and the lowering know packages without the version in their paths. */
function withoutVersion(path: string): string {
  return path.replace(/[/.]v\d+(?=\/|$)/, '');
}

function moduleOf(text: string): string | null {
  const [, name] = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text) ?? [];
  return name === undefined ? null : withoutVersion(name);
}

/** `replace old => ../folder`, alone or in a list. */
function replacedIn(text: string): (readonly [string, string])[] {
  const lines = text.matchAll(
    /^[ \t]*(?:replace[ \t]+)?([\w./~-]+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*(\.{1,2}\/\S*|\.{1,2})/gm,
  );
  return [...lines].map(([, old = '', to = '']) => [old, to] as const);
}

/** `use ./folder`, alone or in a list. */
function usedIn(text: string): string[] {
  const lists = [...text.matchAll(/^use[ \t]*\(([^)]*)(?:\)|$(?![\s\S]))/gm)].map(
    ([, list = '']) => list,
  );
  const alone = [...text.matchAll(/^use[ \t]+([^\s(]+)/gm)].map(([, one = '']) => one);
  return [...lists.flatMap((list) => list.split(/\s+/).filter(Boolean)), ...alone];
}

/** The files of a folder that declare a name, at the top or as a method, and its types' files. */
async function filesDeclaring(
  tree: ProgramTree,
  folder: string,
  name: string,
): Promise<SourceFile[]> {
  if (!/^\w+$/.test(name)) return [];
  const names = (await tree.list(folder)).filter(
    (file) => file.endsWith('.go') && !file.endsWith('_test.go'),
  );
  const paths = atMost(tree, names, PACKAGE_FILES_MAX).map((file) => fileIn(folder, file));
  const all = await allOf(tree, paths);
  const declares = all.filter(({ text }) => text.includes(name) && declaration(name).test(text));
  const receivers = new Set(
    declares.flatMap(({ text }) => [...text.matchAll(RECEIVER)].map(([, type = '']) => type)),
  );
  const types = all.filter((file) => {
    return !declares.includes(file) && [...receivers].some((type) => declaresType(file, type));
  });
  return [...declares, ...types];
}

const RECEIVER = /^func\s*\(\s*(?:\w+\s+(?:\*\s*)?|\*\s*)?(\w+)/gm;

function declaresType({ text }: SourceFile, type: string): boolean {
  return (
    text.includes(type) &&
    new RegExp(`^(?:type\\s+|\\t)${type}\\s+(?:struct|interface)`, 'm').test(text)
  );
}

/** How a name is declared: a function, a method, a type, a variable, also in a list of those. */
function declaration(name: string): RegExp {
  return new RegExp(
    `^(?:func\\s+(?:\\([^()]*\\)\\s*)?|(?:type|var|const)\\s+|\\t)${name}\\b(?:\\s*[[(=]|\\s+[\\w*[(])`,
    'm',
  );
}
