import { sourceRoots } from './java.ts';
import {
  allOf,
  atMost,
  folderOf,
  type Located,
  type ProgramTree,
  pathsIn,
  type SourceFile,
  within,
} from './tree.ts';

/** Files of packages that are looked through for a name; a file may have any name. */
const FILES_MAX = 100;

/**
 * The files that declare a name. `com.shop.Store.find` is of the class, and `com.shop.find` a
 * function, of the package `com.shop`; `./find` is of the same package, or of classes that the
 * file names. Files of a package may stand in the folder of its whole name, or of its last steps.
 */
export async function locateKotlin(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  if (name.startsWith('./')) {
    const [, type = null, member = ''] = /^\.\/(?:([A-Z]\w*)\.)?(\w+)/.exec(name) ?? [];
    return neighbours(tree, importer, member, type);
  }
  const [, path, before = '', first = ''] = /^(((?:[a-z_]\w*\.)+)([A-Za-z_]\w*))/.exec(name) ?? [];
  // `com.shop.Store` begins with its package; of `com.shop.find.trim` that is not known.
  if (path === undefined) return [];
  const folders = await foldersOf(tree, importer, before.slice(0, -1));
  const files = await filesIn(tree, importer, folders);
  const declared = declares([first]);
  const found = files.filter(({ text }) => declared.test(text));
  return found.length === 0 ? [] : [{ module: path, files: found }];
}

/** Imports of what may be of the repository: a class, a function, or all of a package. */
const IMPORT =
  /^[ \t]*import[ \t]+((?!javax?\.|jakarta\.|kotlinx?\.|io\.ktor\.|org\.springframework\.)(?:[a-z_]\w*\.)+)(\w+|\*)/gm;

/** Files of the same package, or imported, that have the member in a class that the file names. */
async function neighbours(
  tree: ProgramTree,
  importer: SourceFile,
  member: string,
  type: string | null,
): Promise<Located[]> {
  if (!/^\w+$/.test(member)) return [];
  const packages = new Set([...importer.text.matchAll(IMPORT)].map(([, before = '']) => before));
  const imported = await Promise.all(
    [...packages].map((before) => foldersOf(tree, importer, before.slice(0, -1))),
  );
  const folders = [folderOf(importer.path), ...imported.flat()];
  const files = await filesIn(tree, importer, [...new Set(folders)]);
  const words = type === null ? (importer.text.match(/\b[A-Z]\w*/g) ?? []) : [type];
  const isClass = declares([...new Set(words)]);
  const isFunction = declares([member]);
  const has = new RegExp(`\\b${member}\\b`);
  const found = files.filter(
    ({ text }) =>
      has.test(text) && (isClass.test(text) || (type === null && isFunction.test(text))),
  );
  return found.length === 0 ? [] : [{ module: '', files: found }];
}

/** Whether a text declares one of some names, also as an extension: `fun String.clean()`. */
function declares(names: readonly string[]): RegExp {
  const all = names.length === 0 ? '(?!)' : names.join('|');
  return new RegExp(
    `\\b(?:class|interface|object|typealias|(?:fun|va[lr])[ \\t]+(?:<[^>\\n]{0,80}>[ \\t]*)?(?:[\\w<>?]{1,80}\\.)?)[ \\t]*(?:${all})\\b`,
  );
}

async function filesIn(
  tree: ProgramTree,
  importer: SourceFile,
  folders: readonly string[],
): Promise<SourceFile[]> {
  const paths = new Set(await pathsIn(tree, folders, (file) => file.endsWith('.kt')));
  paths.delete(importer.path);
  return allOf(tree, atMost(tree, [...paths], FILES_MAX));
}

/**
 * Folders that may hold a package. The steps that all packages of a module begin with may have no
 * folder: then the folder of the importer lacks them as well.
 */
async function foldersOf(tree: ProgramTree, importer: SourceFile, name: string): Promise<string[]> {
  const steps = name.split('.');
  const roots = await sourceRoots(tree, importer);
  const [, own = ''] = /^[ \t]*package[ \t]+([\w.]+)/m.exec(importer.text) ?? [];
  const ownSteps = own.split('.');
  const folder = folderOf(importer.path);
  const last = ownSteps.findIndex((_, index) => endsWith(folder, ownSteps.slice(index)));
  const lacking = last < 0 ? ownSteps : ownSteps.slice(0, last);
  const inner = ownSteps.slice(lacking.length);
  const root = inner.reduce((one) => folderOf(one), folder);
  const isBelow = lacking.length > 0 && lacking.every((step, index) => step === steps[index]);
  const short = steps.slice(lacking.length).join('/');
  const near = !isBelow ? null : short === '' ? root : within(root, short);
  const whole = roots.flatMap((one) => within(one, steps.join('/')) ?? []);
  return [...whole, ...(near === null ? [] : [near])];
}

function endsWith(folder: string, steps: readonly string[]): boolean {
  const path = steps.join('/');
  return folder === path || folder.endsWith(`/${path}`);
}
