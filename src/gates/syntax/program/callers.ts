import { isLesserPath } from '../../coverage/paths.ts';
import { PROGRAM } from '../../limits.ts';
import { familyOf, languageOf } from '../languages.ts';
import {
  allOf,
  folderOf,
  foldersAround,
  type ProgramTree,
  type SourceFile,
  within,
} from './tree.ts';

/** Files that may use what another one offers, the nearest first. */
interface Callers {
  readonly files: readonly SourceFile[];
  /** Whether a bound left some out. */
  readonly isCut: boolean;
}

/** Looks for users of what files offer, around each of them. */
export class CallerSearch {
  readonly #tree: ProgramTree;
  /** Of each folder the files around it. */
  readonly #around = new Map<string, Promise<{ paths: readonly string[]; isCut: boolean }>>();

  constructor(tree: ProgramTree) {
    this.#tree = tree;
  }

  /** Files of the same language that name one of `names` and the module of `path`. */
  async find(path: string, names: readonly string[]): Promise<Callers> {
    const all = names.filter((name) => /^[\w$]+$/.test(name));
    const words = all.slice(0, WORDS_MAX);
    const [stem = ''] = modulesOf(path);
    // A function without a name has that which its file gives it.
    const sought = names.some((name) => name === '') ? [...words, stem] : words;
    if (sought.length === 0) return { files: [], isCut: false };
    const { paths, isCut: isAreaCut } = await this.#filesAround(path);
    const others = paths.filter((one) => one !== path);
    const found = await this.#tree.mentions(others, sought);
    const some = await allOf(this.#tree, found.paths.slice(0, READ_MAX));
    const named = wordsPattern(sought);
    const modules = wordsPattern(modulesOf(path));
    const folder = folderOf(path);
    const files = some.filter((one) => {
      return named.test(one.text) && (folderOf(one.path) === folder || modules.test(one.text));
    });
    const isReadCut = found.isCut || found.paths.length > READ_MAX;
    return { files, isCut: isAreaCut || isReadCut || words.length < all.length };
  }

  #filesAround(path: string) {
    const key = `${folderOf(path)} ${familyOf(languageOf(path) ?? 'js')}`;
    const known = this.#around.get(key) ?? filesNear(this.#tree, path);
    this.#around.set(key, known);
    return known;
  }
}

/** Names of one file whose users are looked for. */
const WORDS_MAX = 20;
/** Files with the name that are read to see whether they name the module, too. */
const READ_MAX = 200;

/** How others may name the module of a file: by the file, or by a folder that hands it on. */
function modulesOf(path: string): string[] {
  const steps = path
    .replace(/\.\w+$/, '')
    .split('/')
    .reverse();
  const [stem = ''] = steps;
  return /^(?:index|main|__init__|mod)$/.test(stem) ? steps.slice(1) : steps;
}

function wordsPattern(words: readonly string[]): RegExp {
  const all = words.map((word) => word.replace(/[^\w]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\w$])(?:${all})(?![\\w$])`);
}

/**
 * Files of the language of a file by the folders that lie between, up to the bounds. Folders of one
 * distance are listed together.
 */
async function filesNear(tree: ProgramTree, path: string) {
  const family = familyOf(languageOf(path) ?? 'js');
  const around = foldersAround(path);
  // Asked for at once.
  await Promise.all(around.map((folder) => tree.list(folder)));
  const byDistance = around.map((folder) => [folder]);
  const seen = new Set(around);
  const paths: string[] = [];
  let isCut = false;
  for (let distance = 0; distance < byDistance.length; distance += 1) {
    const folders = byDistance[distance] ?? [];
    const next = byDistance[distance + 1] ?? [];
    const lists = await Promise.all(folders.map((folder) => tree.list(folder)));
    for (const [index, folder] of folders.entries()) {
      for (const name of lists[index] ?? []) {
        const inner = within(folder, name);
        if (inner === null || seen.has(inner) || isOutOfSight(inner, name)) continue;
        if (!name.endsWith('/')) {
          const language = languageOf(name);
          if (language === null || familyOf(language) !== family) continue;
          if (paths.length < PROGRAM.CALLER_FILES_MAX) paths.push(inner);
          else isCut = true;
        } else if (seen.size < PROGRAM.CALLER_FOLDERS_MAX) {
          seen.add(inner);
          next.push(inner);
        } else isCut = true;
      }
    }
    if (next.length > 0) byDistance[distance + 1] = next;
  }
  return { paths, isCut };
}

/** Folders of tools and of copies of other projects, tests, and what is built. */
function isOutOfSight(path: string, name: string): boolean {
  if (/^(?:\.|node_modules\/|vendor\/|third_party\/)/.test(name)) return true;
  return isLesserPath(name.endsWith('/') ? `${path}/x` : path);
}
