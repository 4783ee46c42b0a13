import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Dependencies of native modules that only their build at `npm ci` uses. */
const BUILD_ONLY = new Set([
  'install-artifact-from-github',
  'nan',
  'node-addon-api',
  'node-gyp',
  'prebuild-install',
]);

/** Of modules that are compiled where they are installed: sources, objects, other platforms. */
const LEFT_OUT = {
  'better-sqlite3': /^(?:deps|src)(?:\/|$)|^binding\.gyp$/,
  re2: /^(?:lib|scripts|vendor)(?:\/|$)|^binding\.gyp$/,
};

const LICENCE = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
/** What of a package nothing loads: types, maps, prose without a licence, its own tests. */
const UNUSED_FILE = /(?:\.(?:[cm]?ts|tsx|map|flow|md|markdown|html|sh)|(?:^|\/)\.[^/]+)$/i;
const UNUSED_FOLDER = /(?:^|\/)(?:tests?|benchmarks?|examples?|\.[^/]+)$/;

/**
 * Copies the packages that production needs, as package-lock.json has them, from the installed
 * node_modules. Native modules keep the one file that this Node on this platform loads.
 * Returns their names, versions and declared licences. Throws when one is absent, or installed in
 * another version.
 */
export function copyModules(root, target) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const wanted = productionPaths(packages);
  const copied = [];
  for (const path of wanted) {
    const { version, optional = false, license = 'see its files' } = packages[path];
    const from = join(root, path);
    if (!existsSync(from)) {
      if (optional) continue;
      throw new Error(`${path} is not installed: run npm ci`);
    }
    const installed = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).version;
    if (installed !== version) {
      throw new Error(`${path} is ${installed}, package-lock.json has ${version}: run npm ci`);
    }
    copyPackage(from, join(target, path), path.split('node_modules/').at(-1));
    copied.push({ name: path.split('node_modules/').at(-1), version, license });
  }
  return copied;
}

/** The paths of all packages that are reached from the project, those of the build left out. */
function productionPaths(packages) {
  const found = new Set();
  const visit = (from) => {
    const { dependencies = {}, optionalDependencies = {} } = packages[from];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
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
