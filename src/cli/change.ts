import { fstatSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ClientSettings } from '../daemon/config/reader.ts';
import { findWideContext } from '../gates/patterns/wide-context.ts';
import { type BlobRange, type RunGit, readBlobs } from '../git/diff.ts';
import { WIDE_CONTEXT } from '../git/environment.ts';
import type { AnalyzeRequest, TreeFile, WantedFile } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { FIELDS, RULES, SOURCE } from '../model/limits.ts';
import { DIFF_OPTIONS, type Git, openGit } from './git.ts';
import { nameAtOrigin } from './origin.ts';
import { type Range, readId, readRangeText, startOfFirst, whyNoChange } from './range.ts';
import { CLI, printable, readAll } from './terminal.ts';

/** Where a change is taken from. */
export type Source =
  | { kind: 'stdin' }
  /** What is staged in the repository at `repo`, or in that of the current directory. */
  | { kind: 'staged'; repo: string | null }
  | { kind: 'range'; repo: string | null; range: string };

/** Fields of the request that the user gave; null: to be found out. */
export interface Given {
  repoName: string | null;
  branch: string | null;
  message: string | null;
}

/** A change, and what can be read beside its diff. */
export interface Change {
  /** The diff is empty only where git proves that nothing changed. */
  request: AnalyzeRequest;
  /** Reads whole files before and after the change; null: there is no repository to read from. */
  readFiles: ((wants: readonly WantedFile[]) => Promise<TreeFile[]>) | null;
  /** The trees before and after the change, in the repository; null: there is no repository. */
  readRange: (() => Promise<RepositoryRange>) | null;
  /** Reads the map of components that the repository has where the change begins. */
  readMap(): Promise<OwnMap | null>;
  /** Why the diff is empty, and what to do, as a sentence. */
  whyEmpty(): Promise<string>;
}

/** Both trees of a change, and git in their repository. */
export interface RepositoryRange extends BlobRange {
  run: RunGit;
}

/** Where a repository keeps its map of components, for `cra analyze` without a service. */
export const MAP_PATH = '.cra/components.json';

/** A map as it stands in a repository. */
export interface OwnMap {
  text: string;
  /** Where it was read, as in `HEAD:.cra/components.json`. */
  place: string;
}

/**
 * The map of a repository at a commit; null: it has none there. It is read where a change begins,
 * as nothing in a change may decide how it is judged.
 */
async function readOwnMap(git: Git, commit: string | null): Promise<OwnMap | null> {
  const place = `${commit}:${MAP_PATH}`;
  const find = ['rev-parse', '--verify', '--quiet', '--end-of-options', place];
  const id = commit === null ? null : await readId(git, find);
  if (id === null) return null;
  const text = await git.run(['cat-file', 'blob', id], RULES.FILE_BYTES_MAX);
  return { text: text.toString('utf8'), place };
}

/**
 * Lines of context. Three are enough to apply a diff; a syntax tree and a one-function taint
 * analysis see more with ten. Whole files would put every change of a large file above the limit
 * for a fragment, which blocks.
 */
const CONTEXT_LINES = 10;

/** Reads the change. Throws CraError with what the user can do about it. */
export async function readChange(
  source: Source,
  given: Given,
  settings: ClientSettings,
): Promise<Change> {
  if (source.kind === 'stdin') {
    const here = openGit(null, settings.gitEnvironment).catch(() => null);
    const request = await readStdin(given, here);
    return {
      request,
      readFiles: null,
      readRange: null,
      async readMap() {
        const git = await here;
        return git === null ? null : readOwnMap(git, 'HEAD');
      },
      whyEmpty: async () => '',
    };
  }
  const range = source.kind === 'range' ? readRangeText(source.range) : null;
  const git = await openGit(source.repo, settings.gitEnvironment);
  if (source.kind === 'range' && range !== null) return readRange(git, source.range, range, given);
  const [diff, names] = await Promise.all([readDiff(git, ['--cached']), namesOf(git, given)]);
  const request = { ...names, commit_message: given.message ?? '', diff };
  return {
    request: { ...request, diffSource: 'pre-commit' },
    readMap: () => readOwnMap(git, 'HEAD'),
    whyEmpty: async () =>
      'Nothing is staged: git add takes up what is to be judged; --range HEAD~1..HEAD judges the newest commit.',
    ...readersOf(git, async () => {
      const [base, head] = await Promise.all([
        readId(git, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}']),
        // Git follows the links of a tree, not the links of an index; one with conflicts has no
        // tree.
        readId(git, ['write-tree']),
      ]);
      return { base, head };
    }),
  };
}

/** Whether something was given on standard input: a pipe or a file, not a terminal or /dev/null. */
export function hasStdin(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}

/**
 * Name of a repository (as `origin` has it, else that of its folder) and the branch that is
 * checked out, where the user gave none.
 */
export async function namesOf(
  git: Git,
  given: Pick<Given, 'repoName' | 'branch'>,
): Promise<Pick<AnalyzeRequest, 'repo_name' | 'branch'>> {
  const [name, branch] = await Promise.all([
    given.repoName ?? nameAtOrigin(git),
    given.branch ?? branchName(git),
  ]);
  return { repo_name: name ?? repoName(git), branch };
}

/** The repository of a diff on standard input is that of the current directory, if it is one. */
async function nameHere(here: Promise<Git | null>): Promise<string> {
  const git = await here;
  if (git === null) return basename(resolve('.')) || 'stdin';
  return (await nameAtOrigin(git)) ?? repoName(git);
}

async function readStdin(given: Given, here: Promise<Git | null>): Promise<AnalyzeRequest> {
  const name = given.repoName ?? nameHere(here);
  const diff = await readAll(process.stdin, CLI.DIFF_BYTES_MAX, 'the diff on standard input');
  if (diff.toString('utf8').trim() === '') {
    const message = 'the diff on standard input is empty; --staged takes what is staged instead';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  return {
    repo_name: await name,
    branch: given.branch ?? NO_BRANCH,
    commit_message: given.message ?? '',
    diff: diff.toString('utf8'),
    diffSource: 'local',
  };
}

async function readRange(git: Git, text: string, range: Range, given: Given): Promise<Change> {
  const { start, head, isFromFork } = range;
  let first: string | null = null;
  const diff = await readDiff(git, ['--end-of-options', text]).catch(async (thrown) => {
    first = await startOfFirst(git, range, thrown);
    return readDiff(git, ['--end-of-options', first, head]);
  });
  const tip = ['log', '-1', '--no-show-signature', '--format=%H%x00%B'];
  const shown = await git.run([...tip, '--end-of-options', head, '--']);
  const [sha = '', message = ''] = shown.toString('utf8').split('\0');
  const request = {
    ...(await namesOf(git, given)),
    commit_message: given.message ?? messageField(message),
    diff,
    diffSource: 'local' as const,
    commitSha: sha,
  };
  const forkId = () => readId(git, ['merge-base', '--end-of-options', start, head]);
  return {
    request,
    async readMap() {
      if (first !== null) return null;
      return readOwnMap(git, isFromFork ? await forkId() : start);
    },
    whyEmpty: () => whyNoChange(git, text, range),
    ...readersOf(git, async () => {
      if (first !== null) return { base: first, head: sha };
      const base = isFromFork
        ? await forkId()
        : await readId(git, ['rev-parse', '--verify', '--end-of-options', `${start}^{tree}`]);
      return { base, head: sha };
    }),
  };
}

/** What reads the trees of a range, which is looked up once. */
function readersOf(
  git: Git,
  findRange: () => Promise<BlobRange>,
): Required<Pick<Change, 'readFiles' | 'readRange'>> {
  const { readObjects: run } = git;
  let range: Promise<BlobRange> | null = null;
  const find = () => {
    range ??= findRange();
    return range;
  };
  return {
    readFiles: async (wants) => readBlobs(run, await find(), wants, SOURCE.BLOBS_BYTES_MAX),
    readRange: async () => ({ ...(await find()), run }),
  };
}

/** A commit message as the request takes it: not too long, and without the newline at its end. */
export function messageField(message: string): string {
  return message.trimEnd().slice(0, FIELDS.COMMIT_MESSAGE_CHARS_MAX).toWellFormed();
}

/** With more context in the files that rules over several lines need, as far as they fit. */
async function readDiff(git: Git, change: readonly string[]): Promise<string> {
  const read = (context: string, paths: readonly string[]) => {
    const args = ['diff', ...DIFF_OPTIONS, context, ...change, '--', ...paths];
    return git.run(args, CLI.DIFF_BYTES_MAX);
  };
  const narrow = await read(`--unified=${CONTEXT_LINES}`, []);
  const found = findWideContext(narrow);
  if (found === null) return narrow.toString('utf8');
  const pathspecs = found.paths.map((path) => `:(top,literal)${path}`);
  const wide = await read(WIDE_CONTEXT, pathspecs).catch((thrown: unknown) => {
    // With so much context they are too large: the hunks have to do.
    if (CraError.fromUnknown(thrown).code === 'OUT_OF_RANGE') return null;
    throw thrown;
  });
  const { bytes, notes } = found.merge(wide, CLI.DIFF_BYTES_MAX);
  for (const { file, message } of notes) {
    process.stderr.write(`${printable(`warning: ${file}: ${message}`)}\n`);
  }
  return bytes.toString('utf8');
}

/** A detached head has no branch. */
const NO_BRANCH = 'HEAD';

async function branchName(git: Git): Promise<string> {
  try {
    const name = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD']);
    return name.toString('utf8').trimEnd();
  } catch {
    return NO_BRANCH;
  }
}

/** The folder's name, for further work trees that of the first; a bare one's without `.git`. */
function repoName({ dir }: Git): string {
  const path = dir.replace(WORK_TREE, '');
  const folder = basename(path) === '.git' ? resolve(path, '..') : path;
  return basename(folder, '.git') || 'repository';
}

const WORK_TREE = /\/worktrees\/[^/]+$/;
