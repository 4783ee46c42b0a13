import {
  allOf,
  atMost,
  BAZEL_FILES,
  firstOf,
  folderOf,
  foldersAround,
  foldersLike,
  type Located,
  type ProgramTree,
  pathsIn,
  type SourceFile,
  within,
} from './tree.ts';

/** Classes of the same package that a file names, of which classes with the method are read. */
const NEIGHBOURS_MAX = 100;

/**
 * The file of a class. `com.shop.Store.find` is of the class `com.shop.Store`, in the source root
 * of the file or of another module of the build; `./find` is of classes of the same package, or of
 * imported ones, that the file names.
 */
export async function locateJava(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  if (name.startsWith('./')) {
    const [, type = null, member = ''] = /^\.\/(?:([A-Z]\w*)\.)?(\w+)/.exec(name) ?? [];
    return neighbours(tree, importer, member, type);
  }
  const [, path] = /^((?:[a-z_]\w*\.)+[A-Z]\w*)/.exec(name) ?? [];
  if (path === undefined) return [];
  const roots = await sourceRoots(tree, importer);
  const file = `${path.replaceAll('.', '/')}.java`;
  const found = await allOf(
    tree,
    roots.flatMap((root) => within(root, file) ?? []),
  );
  const [first] = found.filter((one) => one.path !== importer.path);
  if (first === undefined) return [];
  return [{ module: path, files: [first, ...(await implementations(tree, first))] }];
}

/** Imports of classes, and of all classes of a package, that may be of the repository. */
const IMPORT =
  /^[ \t]*import[ \t]+((?!javax?\.|jakarta\.|org\.springframework\.)(?:[a-z_]\w*\.)+)([A-Z]\w*|\*)[ \t]*;/gm;

/**
 * Classes of the same package, or imported, that the file names and which have the member; `type`:
 * the one class that may have it, where that is known.
 */
async function neighbours(
  tree: ProgramTree,
  importer: SourceFile,
  method: string,
  type: string | null,
): Promise<Located[]> {
  if (!/^\w+$/.test(method)) return [];
  const words = new Set(type === null ? importer.text.match(/\b[A-Z]\w*/g) : [type]);
  const imported = [...importer.text.matchAll(IMPORT)].map(([, before = '', name = '']) => {
    return { folder: before.replaceAll('.', '/'), name };
  });
  const roots = imported.length === 0 ? [] : await sourceRoots(tree, importer);
  const below = (path: string) => roots.flatMap((root) => within(root, path) ?? []);
  const isPackage = ({ name }: { name: string }) => name === '*';
  const packages = imported.filter(isPackage).flatMap(({ folder }) => below(folder));
  const folders = [folderOf(importer.path), ...atMost(tree, packages, NEIGHBOURS_MAX)];
  const beside = await pathsIn(
    tree,
    folders,
    (file) => file.endsWith('.java') && words.has(file.slice(0, -'.java'.length)),
  );
  const classes = imported.filter((one) => !isPackage(one) && (type === null || one.name === type));
  const paths = [
    ...atMost(tree, beside, NEIGHBOURS_MAX),
    ...atMost(tree, classes, NEIGHBOURS_MAX).flatMap(({ folder, name }) =>
      below(`${folder}${name}.java`),
    ),
  ];
  const others = await allOf(
    tree,
    paths.filter((path) => path !== importer.path),
  );
  const has = new RegExp(`\\b${method}\\b`);
  const files = others.filter(({ text }) => has.test(text));
  const made = await Promise.all(files.map((file) => implementations(tree, file)));
  const all = new Map([...files, ...made.flat()].map((file) => [file.path, file]));
  return all.size === 0 ? [] : [{ module: '', files: [...all.values()] }];
}

/** Where an interface is implemented by convention: `StoreImpl` beside it or in `impl`. */
async function implementations(tree: ProgramTree, { path, text }: SourceFile) {
  const name = path.slice(path.lastIndexOf('/') + 1, -'.java'.length);
  if (!new RegExp(`\\binterface\\s+${name}\\b`).test(text)) return [];
  const folder = folderOf(path);
  const places = [`${name}Impl.java`, `impl/${name}Impl.java`, `Default${name}.java`];
  return allOf(
    tree,
    places.flatMap((place) => within(folder, place) ?? []),
  );
}

/** Folders below which classes stand in the folders of their packages. */
export async function sourceRoots(
  tree: ProgramTree,
  { path, text }: SourceFile,
): Promise<string[]> {
  const folder = folderOf(path);
  const [, name = ''] = /^[ \t]*package[ \t]+([\w.]+)/m.exec(text) ?? [];
  const steps = name.replaceAll('.', '/');
  const isBelow = steps !== '' && (folder === steps || folder.endsWith(`/${steps}`));
  const own = isBelow ? folder.slice(0, folder.length - steps.length).replace(/\/$/, '') : folder;
  const modules = await modulesAround(tree, path);
  const roots = modules.flatMap((module) =>
    LAYOUTS.flatMap((layout) => within(module, layout) ?? []),
  );
  const all = new Set([own, ...roots, ...(await rootsOfTargets(tree, path))]);
  return [...all];
}

/** Builds within builds that are looked at. */
const BUILD_DEPTH_MAX = 3;

/** Folders of the builds around a file, and of the modules that they name. */
async function modulesAround(tree: ProgramTree, path: string): Promise<string[]> {
  const found = new Set<string>();
  let folders = foldersAround(path);
  for (let depth = 0; depth < BUILD_DEPTH_MAX && folders.length > 0; depth += 1) {
    const files = folders.flatMap((one) => MANIFESTS.flatMap((file) => within(one, file) ?? []));
    const next: string[] = [];
    for (const manifest of await allOf(tree, files)) {
      const root = folderOf(manifest.path);
      found.add(root);
      for (const module of modulesIn(manifest)) {
        next.push(...(await foldersLike(tree, root, module)));
      }
    }
    folders = [...new Set(next)].filter((folder) => !found.has(folder));
    for (const folder of folders) found.add(folder);
  }
  return [...found];
}

/** Targets of the nearest file of Bazel that may hold classes. */
const TARGETS_MAX = 100;

/** Source roots in the folders of targets that the nearest file of Bazel names. */
async function rootsOfTargets(tree: ProgramTree, path: string): Promise<string[]> {
  const files = foldersAround(path).flatMap((folder) =>
    BAZEL_FILES.flatMap((file) => within(folder, file) ?? []),
  );
  const targets = await firstOf(tree, files);
  const named = [...(targets?.text.matchAll(/"\/\/([\w./-]*)(?::[^"\n]*)?"/g) ?? [])];
  return atMost(tree, named, TARGETS_MAX).flatMap(([, folder = '']) => {
    // A target within the packages, or around the root of them.
    const [root = ''] = /^.*?(?:^|\/)(?:java|src)(?=\/|$)/.exec(folder) ?? [folder];
    return [root, ...LAYOUTS.flatMap((layout) => within(folder, layout) ?? [])];
  });
}

const MANIFESTS = [
  'pom.xml',
  'settings.gradle',
  'settings.gradle.kts',
  'build.gradle',
  'build.gradle.kts',
];
const LAYOUTS = ['src/main/java', 'src/main/kotlin', 'src', 'java'];

/** Modules that a build names: `<module>core</module>`, `include(':libs:core')`. */
function modulesIn({ path, text }: SourceFile): string[] {
  if (path.endsWith('pom.xml')) {
    return [...text.matchAll(/<module>\s*([^<\s]+)\s*<\/module>/g)].map(([, name = '']) => name);
  }
  if (!/settings\.gradle/.test(path)) return [];
  const builds = [...text.matchAll(/\bincludeBuild\b[ \t]*(?:\([ \t]*)?['"]([^'"]+)['"]/g)];
  const places = new Map(
    [
      ...text.matchAll(
        /project\(\s*['"]([^'"]+)['"]\s*\)\.projectDir\s*=\s*file\(\s*['"]([^'"]+)/g,
      ),
    ].map(([, name = '', folder = '']) => [name, folder]),
  );
  const included = [...text.matchAll(/\binclude\b\s*(?:\(\s*)?((?:['"][^'"]+['"]\s*(?:,\s*)?)+)/g)];
  const projects = included
    .flatMap(([, list = '']) => [...list.matchAll(/['"]([^'"]+)['"]/g)])
    .map(([, name = '']) => places.get(name) ?? name.replace(/^:/, '').replaceAll(':', '/'));
  return [...builds.map(([, folder = '']) => folder), ...projects];
}
