import { SOURCE } from '../model/limits.ts';
import type { Mentions, TreeTexts } from '../rpc/source-contract.ts';
import { NOT_FOLLOWED, type RunGit, readBlobs } from './diff.ts';
import { GIT } from './limits.ts';

/** Texts of files of a tree, within the bounds of what a mirror reads. */
export async function readTexts(
  run: RunGit,
  tree: string,
  paths: readonly string[],
): Promise<TreeTexts> {
  const texts: (string | null)[] = [];
  let isCut = false;
  for (let from = 0; from < paths.length; from += SOURCE.BLOBS_MAX) {
    const some = paths.slice(from, from + SOURCE.BLOBS_MAX);
    const wants = some.map((path) => ({ side: 'head', path }) as const);
    const range = { base: null, head: tree };
    const files = await readBlobs(run, range, wants, GIT.PROGRAM_BYTES_MAX);
    for (const { bytes, state } of files) {
      texts.push(bytes === null ? null : Buffer.from(bytes).toString());
      isCut ||= state === 'too-large';
    }
  }
  return { texts, isCut };
}

/** The given files of a tree whose texts hold one of some words; links are not followed. */
export async function findMentions(
  run: RunGit,
  tree: string,
  paths: readonly string[],
  words: readonly string[],
): Promise<Mentions> {
  const named = paths.filter(isNamed).slice(0, SOURCE.BLOBS_MAX);
  if (named.length === 0 || words.length === 0) return { paths: [], isCut: false };
  const names = named.map((path) => `${tree}:${path}\n`).join('');
  const options = { input: Buffer.from(names), bytesMax: GIT.LIST_BYTES_MAX };
  const listed = await run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], options);
  const found: { path: string; id: string }[] = [];
  let left: number = GIT.PROGRAM_BYTES_MAX;
  let isCut = named.length < paths.length;
  for (const [index, line] of listed.toString('latin1').split('\n').entries()) {
    const [, id, size] = /^([0-9a-f]+) (\d+)$/.exec(line) ?? [];
    const path = named[index];
    if (id === undefined || path === undefined) continue;
    if (Number(size) > left) {
      isCut = true;
      continue;
    }
    left -= Number(size);
    found.push({ path, id });
  }
  const contents = await run(['cat-file', '--batch'], {
    input: Buffer.from(found.map(({ id }) => `${id}\n`).join('')),
    bytesMax: GIT.LIST_BYTES_MAX,
  });
  const wanted = words.map((word) => Buffer.from(word));
  const holding: string[] = [];
  let at = 0;
  for (const { path } of found) {
    const end = contents.indexOf(LF, at);
    const size = Number(contents.toString('latin1', at, end).split(' ').at(-1));
    const content = contents.subarray(end + 1, end + 1 + size);
    if (wanted.some((word) => content.includes(word))) holding.push(path);
    at = end + 1 + size + 1;
  }
  return { paths: holding, isCut };
}

/**
 * Names in folders of a tree, without names of other repositories; a folder's ends with `/`. Links
 * to folders of the tree are followed.
 */
export async function readNames(
  run: RunGit,
  tree: string,
  folders: readonly string[],
): Promise<string[][]> {
  if (folders.length === 0) return [];
  const named = folders.filter(isNamed);
  const output = await run(['cat-file', '--batch', '--follow-symlinks'], {
    input: Buffer.from(named.map((folder) => `${tree}:${folder}\n`).join('')),
    bytesMax: GIT.LIST_BYTES_MAX,
  });
  const found = new Map<string, string[]>();
  let at = 0;
  for (const folder of named) {
    const end = output.indexOf(LF, at);
    const line = output.toString('latin1', at, Math.max(at, end));
    const [, id = '', type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(line) ?? [];
    at = end < 0 ? output.length : end + 1;
    // The text of a link that leads out of the tree, or nowhere, follows.
    const [, linkBytes] = NOT_FOLLOWED.exec(line) ?? [];
    if (linkBytes !== undefined) at += Number(linkBytes) + 1;
    if (size === undefined) continue;
    const content = output.subarray(at, at + Number(size));
    if (type === 'tree') found.set(folder, namesIn(content, id.length / 2));
    at += Number(size) + 1;
  }
  return folders.map((folder) => found.get(folder) ?? []);
}

/** Whether a path can stand on a line of git's input. */
function isNamed(path: string): boolean {
  return !/[\n\0\ufffd]/.test(path);
}

const LF = 0x0a;
const SPACE = 0x20;
const FOLDER_MODE = '40000';
const REPOSITORY_MODE = '160000';

/** Entries of a tree object: mode, blank, name, zero and an id of so many bytes. */
function namesIn(content: Buffer, idBytes: number): string[] {
  const names: string[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(SPACE, at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const mode = content.toString('latin1', at, space);
    const name = content.toString('utf8', space + 1, end);
    if (mode !== REPOSITORY_MODE) names.push(mode === FOLDER_MODE ? `${name}/` : name);
    at = end + 1 + idBytes;
  }
  return names;
}
