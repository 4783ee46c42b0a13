import {
  allOf,
  atMost,
  BAZEL_ROOTS,
  firstOf,
  folderOf,
  foldersAround,
  foldersLike,
  type Located,
  type ProgramTree,
  type SourceFile,
  within,
} from './tree.ts';

/** Ways to cut a name into a module and what it exports: a module may have dots in its name. */
const CUTS_MAX = 4;
/** Configurations that extend or refer to others. */
const CONFIGURATIONS_MAX = 16;

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/**
 * The file of a module. `./store.find` is beside the file, `@shop/store.find` is what paths of
 * tsconfig.json, a workspace or a dependency by its folder say.
 */
export async function locateEcmascript(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  for (const module of cutsOf(name)) {
    const file = await fileOfModule(tree, importer.path, module);
    if (file !== null && file.path !== importer.path) return [{ module, files: [file] }];
  }
  return [];
}

/** The module that a name may begin with, the longest first. */
function cutsOf(name: string): string[] {
  const slash = name.lastIndexOf('/');
  const cuts = [name];
  for (let end = name.lastIndexOf('.'); end > slash + 1; end = name.lastIndexOf('.', end - 1)) {
    cuts.push(name.slice(0, end));
  }
  return cuts.length <= CUTS_MAX ? cuts : [...cuts.slice(-CUTS_MAX + 1), name];
}

/** The file that `importer` gets by this specifier; null: it is not of this repository. */
async function fileOfModule(
  tree: ProgramTree,
  importer: string,
  specifier: string,
): Promise<SourceFile | null> {
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) {
    const path = within(folderOf(importer), specifier);
    return path === null ? null : firstOf(tree, filesOf(path));
  }
  if (!/^[@#~\w]/.test(specifier)) return null;
  const mapped = await mappedBy(tree, importer, specifier);
  return mapped ?? (await inPackage(tree, importer, specifier));
}

/** Files that a path without an extension may be, as compilers and bundlers try them. */
function filesOf(path: string): string[] {
  const bare = /\.[cm]?jsx?$/.test(path) ? path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2') : null;
  const isFile = EXTENSIONS.some((extension) => path.endsWith(extension));
  const index = path === '' ? 'index' : `${path}/index`;
  return [
    ...(isFile ? [path] : []),
    ...(bare === null ? [] : [bare]),
    ...(path === '' ? [] : EXTENSIONS.map((extension) => path + extension)),
    ...EXTENSIONS.map((extension) => index + extension),
  ];
}

/** What the nearest tsconfig.json or jsconfig.json says by `paths` and `baseUrl`. */
async function mappedBy(
  tree: ProgramTree,
  importer: string,
  specifier: string,
): Promise<SourceFile | null> {
  const names = foldersAround(importer).flatMap((folder) =>
    ['tsconfig.json', 'jsconfig.json'].flatMap((name) => within(folder, name) ?? []),
  );
  const configurations = await allOf(tree, [...names, ...baseConfigurations(importer)]);
  for (const { path, text } of atMost(tree, configurations, CONFIGURATIONS_MAX)) {
    for (const places of await pathsOf(tree, { path, text }, specifier, new Set())) {
      const found = await firstOf(tree, filesOf(places));
      if (found !== null) return found;
    }
  }
  return fromRoot(tree, specifier);
}

/** Where Bazel builds, a path may begin at the root of the repository. */
async function fromRoot(tree: ProgramTree, specifier: string): Promise<SourceFile | null> {
  const path = /^\w[^/]*\//.test(specifier) ? within('', specifier) : null;
  if (path === null || (await firstOf(tree, BAZEL_ROOTS)) === null) return null;
  return firstOf(tree, filesOf(path));
}

/** The configuration at the root to which tools of monorepos write the paths of all libraries. */
function baseConfigurations(importer: string): string[] {
  return importer.includes('/') ? ['tsconfig.base.json'] : [];
}

interface Configuration {
  readonly extends?: unknown;
  readonly references?: unknown;
  readonly compilerOptions?: { readonly baseUrl?: unknown; readonly paths?: unknown };
}

/** Paths that a specifier may stand for by one configuration and what it is made of. */
async function pathsOf(
  tree: ProgramTree,
  { path, text }: SourceFile,
  specifier: string,
  seen: Set<string>,
): Promise<string[]> {
  if (seen.has(path)) return [];
  if (seen.size >= CONFIGURATIONS_MAX) {
    tree.cut();
    return [];
  }
  seen.add(path);
  const configuration = parsed<Configuration>(text);
  const { baseUrl, paths } = configuration?.compilerOptions ?? {};
  const folder = folderOf(path);
  const base = typeof baseUrl === 'string' ? within(folder, baseUrl) : null;
  const found: string[] = [];
  for (const [pattern, targets] of Object.entries(isTable(paths) ? paths : {})) {
    const star = matched(pattern, specifier);
    if (star === null || !Array.isArray(targets)) continue;
    for (const target of targets) {
      const place = typeof target === 'string' ? target.replace('*', () => star) : null;
      const inner = place === null ? null : within(base ?? folder, place);
      if (inner !== null) found.push(inner);
    }
  }
  const plain = base === null ? null : within(base, specifier);
  if (plain !== null) found.push(plain);
  for (const other of othersOf(configuration)) {
    const place = within(folder, other);
    const names = place === null ? [] : [place, `${place}.json`, `${place}/tsconfig.json`];
    const next = await firstOf(
      tree,
      names.filter((name) => name.endsWith('.json')),
    );
    if (next !== null) found.push(...(await pathsOf(tree, next, specifier, seen)));
  }
  return found;
}

/** Configurations that one extends or refers to, by their paths. */
function othersOf(configuration: Configuration | null): string[] {
  const extended = configuration?.extends;
  const bases = (Array.isArray(extended) ? extended : [extended]).filter(
    (one): one is string => typeof one === 'string' && one.startsWith('.'),
  );
  const references = configuration?.references;
  const referred = (Array.isArray(references) ? references : []).flatMap((one: unknown) => {
    const path = isTable(one) ? one['path'] : null;
    return typeof path === 'string' ? [path] : [];
  });
  return [...bases, ...referred];
}

/** What a star of a pattern stands for in a text; null: it does not match. */
function matched(pattern: string, text: string): string | null {
  const [before = '', after] = pattern.split('*', 2);
  if (after === undefined) return pattern === text ? '' : null;
  const isMatch =
    text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
  return isMatch ? text.slice(before.length, text.length - after.length) : null;
}

interface Manifest {
  readonly name?: unknown;
  readonly main?: unknown;
  readonly module?: unknown;
  readonly source?: unknown;
  readonly types?: unknown;
  readonly exports?: unknown;
  readonly imports?: unknown;
  readonly workspaces?: unknown;
  readonly dependencies?: unknown;
  readonly devDependencies?: unknown;
}

/** A package of the repository: of a workspace, by its folder, or that of the file itself. */
async function inPackage(
  tree: ProgramTree,
  importer: string,
  specifier: string,
): Promise<SourceFile | null> {
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  const around = foldersAround(importer);
  const manifests = await allOf(
    tree,
    around.flatMap((folder) => within(folder, 'package.json') ?? []),
  );
  const own = manifests[0];
  if (specifier.startsWith('#')) {
    const target = own === undefined ? null : inMap(parsed<Manifest>(own.text)?.imports, specifier);
    const path = own === undefined || target === null ? null : within(folderOf(own.path), target);
    return path === null ? null : firstOf(tree, builtFrom(path));
  }
  for (const { path, text } of manifests) {
    const manifest = parsed<Manifest>(text);
    const root = folderOf(path);
    if (manifest?.name === name) return entryOf(tree, root, manifest, rest);
    const linked = linkedFolder(manifest, name);
    const folder = linked === null ? null : within(root, linked);
    if (folder !== null) return entryIn(tree, folder, name, rest);
  }
  const pnpm = await allOf(
    tree,
    around.flatMap((folder) => within(folder, 'pnpm-workspace.yaml') ?? []),
  );
  const workspaces = [
    ...manifests.map(({ path, text }) => [folderOf(path), workspacesOf(text)] as const),
    ...pnpm.map(({ path, text }) => [folderOf(path), packagesOf(text)] as const),
  ];
  for (const [root, patterns] of workspaces) {
    const found = await memberNamed(tree, root, patterns, name);
    if (found !== null) return entryOf(tree, found.folder, found.manifest, rest);
  }
  return null;
}

/** The package of a workspace with that name; a folder is mostly called as it is. */
async function memberNamed(
  tree: ProgramTree,
  root: string,
  patterns: readonly string[],
  name: string,
): Promise<{ folder: string; manifest: Manifest } | null> {
  const last = name.slice(name.lastIndexOf('/') + 1);
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) continue;
    const folders = await foldersLike(tree, root, pattern);
    const ordered = [...folders.filter((one) => one.endsWith(last)), ...folders];
    for (const some of [ordered.slice(0, 1), ordered.slice(1)]) {
      const manifests = await allOf(
        tree,
        some.flatMap((folder) => within(folder, 'package.json') ?? []),
      );
      for (const { path, text } of manifests) {
        const manifest = parsed<Manifest>(text);
        if (manifest?.name === name) return { folder: folderOf(path), manifest };
      }
    }
  }
  return null;
}

function workspacesOf(text: string): string[] {
  const workspaces = parsed<Manifest>(text)?.workspaces;
  const list = isTable(workspaces) ? workspaces['packages'] : workspaces;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/** Of pnpm-workspace.yaml: the list under `packages`. */
function packagesOf(text: string): string[] {
  const [, list = ''] = /^packages:\s*\n((?:[ \t]*(?:-|#).*\n?|[ \t]*\n)*)/m.exec(text) ?? [];
  return [...list.matchAll(/^\s*-\s*["']?([^"'\s#]+)/gm)].map(([, one = '']) => one);
}

/** The folder of a dependency that is named by it: `file:../store`. */
function linkedFolder(manifest: Manifest | null, name: string): string | null {
  for (const list of [manifest?.dependencies, manifest?.devDependencies]) {
    const value = isTable(list) ? list[name] : null;
    const [, folder = null] = /^(?:file|link|portal):(.*)/.exec(String(value ?? '')) ?? [];
    if (folder !== null) return folder;
  }
  return null;
}

async function entryIn(tree: ProgramTree, folder: string, name: string, rest: string) {
  const [manifest] = await allOf(tree, [within(folder, 'package.json') ?? '']);
  const own = manifest === undefined ? null : parsed<Manifest>(manifest.text);
  return entryOf(tree, folder, own ?? { name }, rest);
}

/** The file of a package, or of a part of it, that others get. */
async function entryOf(
  tree: ProgramTree,
  folder: string,
  manifest: Manifest,
  rest: string,
): Promise<SourceFile | null> {
  const { source, module, main, types } = manifest;
  const exported = inMap(manifest.exports, rest === '' ? '.' : `./${rest}`);
  const named =
    rest === '' ? [source, exported, module, main, types] : [exported, rest, `src/${rest}`];
  const usual = rest === '' ? ['src/index', 'index', 'src/main', 'lib/index'] : [];
  const paths = [...named, ...usual].flatMap((one) => {
    const path = typeof one === 'string' ? within(folder, one) : null;
    return path === null ? [] : builtFrom(path);
  });
  return firstOf(tree, paths);
}

/** A file, or what it is built from: `dist/index.js` of `src/index.ts`. */
function builtFrom(path: string): string[] {
  const source = path.replace(
    /(^|\/)(?:dist|lib|build|out|esm|cjs)(?:\/(?:esm|cjs|src))?\//,
    '$1src/',
  );
  const bare = (one: string) =>
    one.replace(/\.d\.([cm]?ts)$/, '.$1').replace(/\.[cm]?[jt]sx?$/, '');
  const all = [path, bare(path), source, bare(source)];
  return [...new Set(all)].flatMap(filesOf);
}

/** The target of a key in `exports` or `imports`, whose values may depend on conditions. */
function inMap(map: unknown, key: string): string | null {
  if (typeof map === 'string' || Array.isArray(map)) return key === '.' ? targetOf(map) : null;
  if (!isTable(map)) return null;
  const isConditions = !Object.keys(map).some((name) => /^[.#]/.test(name));
  if (isConditions) return key === '.' ? targetOf(map) : null;
  for (const [pattern, target] of Object.entries(map)) {
    const star = matched(pattern, key);
    const place = star === null ? null : targetOf(target);
    if (place !== null) return place.replace('*', () => star ?? '');
  }
  return null;
}

const CONDITIONS = [
  'source',
  'development',
  'import',
  'module',
  'node',
  'default',
  'require',
  'types',
];

function targetOf(target: unknown, depth = 0): string | null {
  if (typeof target === 'string') return target;
  if (depth > CONDITIONS.length) return null;
  if (Array.isArray(target)) return targetOf(target[0], depth + 1);
  if (!isTable(target)) return null;
  for (const condition of CONDITIONS) {
    const inner = targetOf(target[condition], depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON with comments and commas at ends, as configurations have them; null: another text. */
function parsed<T extends object>(text: string): T | null {
  const plain = text.replace(
    /("(?:[^"\\\n]|\\.)*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_, kept = '') => kept,
  );
  try {
    const value: unknown = JSON.parse(plain.replace(/,(?=\s*[}\]])/g, ''));
    return isTable(value) ? (value as T) : null;
  } catch {
    return null;
  }
}
