import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Dependencies of native modules that only their build at `npm ci` uses. */
const BUILD_ONLY = new Set([
  'install-artifact-from-github',
  'nan',
  'node-addon-api',
  'node-gyp',
  'node-gyp-build',
  // The grammar of Kotlin names it, and does not use it.
  'npm-check-updates',
  'prebuild-install',
]);

/** Of modules that are compiled where they are installed: sources, objects, other platforms. */
const LEFT_OUT = {
  'better-sqlite3': /^(?:deps|src)(?:\/|$)|^binding\.gyp$/,
  re2: /^(?:lib|scripts|vendor)(?:\/|$)|^binding\.gyp$/,
  // Their grammars are the one file for WebAssembly each.
  '@tree-sitter-grammars/tree-sitter-kotlin':
    /^(?:bindings|prebuilds|queries|src)(?:\/|$)|^(?:binding\.gyp|grammar\.js)$/,
  'tree-sitter-c-sharp':
    /^(?:bindings|prebuilds|queries|src)(?:\/|$)|^(?:binding\.gyp|grammar\.js)$/,
  'tree-sitter-go': /^(?:bindings|prebuilds|queries|src)(?:\/|$)|^(?:binding\.gyp|grammar\.js)$/,
  'tree-sitter-java': /^(?:bindings|prebuilds|queries|src)(?:\/|$)|^(?:binding\.gyp|grammar\.js)$/,
  'tree-sitter-python':
    /^(?:bindings|prebuilds|queries|src)(?:\/|$)|^(?:binding\.gyp|grammar\.js)$/,
  // Scripts require it: tools/build-bundle.mjs.
  'web-tree-sitter': /^(?:debug(?:\/|$)|web-tree-sitter\.js$)/,
};

/** Files of a package that its licence asks to keep with every copy. */
export const LICENCE = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;

/** Packages whose code is in the dashboard and the handbook; nothing else of them is needed. */
export const PAGE_PACKAGES = [
  '@preact/signals',
  '@preact/signals-core',
  'lucide',
  'minisearch',
  'preact',
];
/** What of a package nothing loads: types, maps, prose without a licence, its own tests. */
const UNUSED_FILE = /(?:\.(?:[cm]?ts|tsx|map|flow|md|markdown|html|sh)|(?:^|\/)\.[^/]+)$/i;
const UNUSED_FOLDER = /(?:^|\/)(?:tests?|benchmarks?|examples?|\.[^/]+)$/;

/**
 * Copies the packages that production needs, as package-lock.json has them, from the installed
 * node_modules. Native modules keep the one file that this Node on this platform loads.
 * Returns what package-lock.json says of them (see `describe`). Throws when one is absent,
 * installed in another version, or has no native module for this Node.
 */
export function copyModules(root, target) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const wanted = productionPaths(packages);
  const copied = [];
  for (const path of wanted) {
    const { version, optional = false } = packages[path];
    const from = join(root, path);
    if (!existsSync(from)) {
      if (optional) continue;
      throw new Error(`${path} is not installed: run npm ci`);
    }
    const installed = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).version;
    if (installed !== version) {
      throw new Error(`${path} is ${installed}, package-lock.json has ${version}: run npm ci`);
    }
    copyPackage(from, join(target, path), nameOf(path));
    copied.push(path);
  }
  requireServer(join(target, 'node_modules/uWebSockets.js'));
  unpackSwc(join(target, 'node_modules/@swc'));
  return copied.map((path) => describe(packages, path, new Set(copied)));
}

/** uWebSockets.js comes compiled, for some processors and some versions of Node. */
function requireServer(folder) {
  const binaries = readdirSync(folder, { recursive: true }).filter((name) =>
    name.endsWith('.node'),
  );
  if (binaries.length > 0) return;
  const { arch, version } = process;
  throw new Error(
    `uWebSockets.js has no binary for ${arch} and Node ${version}: build on amd64 or arm64 with Node 20 or 22`,
  );
}

/** The packages of which the pages have code, in the form of `copyModules`. */
export function pagePackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const paths = PAGE_PACKAGES.map((name) => `node_modules/${name}`);
  return paths.map((path) => describe(packages, path, new Set(paths)));
}

/**
 * `path` in the tree, `name` at the registry, `version`, `license` as declared, `integrity` of its
 * archive, and `needs`: the paths of the packages that it needs, of those in `present`.
 */
function describe(packages, path, present) {
  const { name, version, license = null, integrity } = packages[path];
  const needs = dependenciesOf(packages[path])
    .map((needed) => resolvePath(packages, path, needed))
    .filter((needed) => present.has(needed));
  return { path, name: name ?? nameOf(path), version, license, integrity, needs };
}

function nameOf(path) {
  return path.split('node_modules/').at(-1);
}

function dependenciesOf({ dependencies = {}, optionalDependencies = {} }) {
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

/**
 * The native module of @swc/core is a loader, which unpacks 30 MB into a cache of its user before
 * it loads them: in the private /tmp of the unit at each start. The package has them unpacked.
 * https://github.com/swc-project/swc/blob/main/docs/native-addon-carriers.md
 */
function unpackSwc(folder) {
  const carriers = readdirSync(folder, { recursive: true }).filter((name) =>
    name.endsWith('.node'),
  );
  const cache = mkdtempSync(join(tmpdir(), 'cra-package-'));
  try {
    for (const carrier of carriers.map((name) => join(folder, name))) {
      const env = { SWC_NATIVE_BINDING_CACHE: cache };
      const load = (variables) =>
        execFileSync(process.execPath, ['-e', 'require(process.argv[1])', carrier], {
          env: variables,
        });
      load(env);
      const [raw] = readdirSync(cache, { recursive: true }).filter((name) =>
        name.endsWith('.node'),
      );
      if (raw === undefined) throw new Error(`${carrier} did not unpack its native code`);
      copyFileSync(join(cache, raw), carrier);
      // It unpacks nothing any more: a loader would refuse this cache.
      load({ SWC_NATIVE_BINDING_CACHE: 'nowhere' });
    }
  } finally {
    rmSync(cache, { recursive: true });
  }
}

/** The paths of all packages that are reached from the project, those of the build left out. */
function productionPaths(packages) {
  const found = new Set();
  const visit = (from) => {
    for (const name of dependenciesOf(packages[from])) {
      if (BUILD_ONLY.has(name)) continue;
      const path = resolvePath(packages, from, name);
      if (path === null || found.has(path)) continue;
      found.add(path);
      visit(path);
    }
  };
  visit('');
  return [...found].sort();
}

/** As Node looks for it: in the package's own node_modules, then in those above. */
function resolvePath(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (at === '') return null;
  }
}

function copyPackage(from, to, name) {
  const left = LEFT_OUT[name];
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter(source) {
      const inside = source.slice(from.length + 1);
      if (inside === '') return true;
      if (basename(inside) === 'node_modules') return false;
      if (left !== undefined && /^build(?:\/|$)/.test(inside)) return isBuilt(inside, name);
      if (statSync(source).isDirectory()) return !UNUSED_FOLDER.test(inside);
      if (LICENCE.test(inside)) return true;
      return !left?.test(inside) && !UNUSED_FILE.test(inside) && !isOther(inside);
    },
  });
  removeEmptyFolders(to);
}

/** Of a build by node-gyp the module itself. */
function isBuilt(path, name) {
  const module = `${name.replaceAll('-', '_')}.node`;
  return [`build`, `build/Release`, `build/Release/${module}`].includes(path);
}

/** A native module for another platform, architecture or version of Node, as uWebSockets.js has. */
function isOther(path) {
  if (!path.endsWith('.node')) return false;
  const { platform, arch, versions } = process;
  const [, of] = /uws_(.+)\.node$/.exec(path) ?? [];
  return of !== undefined && of !== `${platform}_${arch}_${versions.modules}`;
}

function removeEmptyFolders(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(path, entry.name));
  }
  if (readdirSync(path).length === 0) rmSync(path, { recursive: true });
}
