import { fstatSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ClientSettings } from '../daemon/config/reader.ts';
import { findWideContext } from '../gates/patterns/wide-context.ts';
import { type BlobRange, type RunGit, readBlobs } from '../git/diff.ts';
import { WIDE_CONTEXT } from '../git/environment.ts';
import { GIT } from '../git/limits.ts';
import type { AnalyzeRequest, TreeFile, WantedFile } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { FIELDS } from '../model/limits.ts';
import { DIFF_OPTIONS, type Git, openGit } from './git.ts';
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
  if (source.kind === 'stdin') return { request: await readStdin(given), readFiles: null };
  const head = source.kind === 'range' ? headOf(source.range) : '';
  const git = await openGit(source.repo, settings.gitEnvironment);
  if (source.kind === 'range') return readRange(git, source.range, head, given);
  const [diff, names] = await Promise.all([readDiff(git, ['--cached']), namesOf(git, given)]);
  const request = { ...names, commit_message: given.message ?? '', diff };
  return {
    request: { ...request, diffSource: 'pre-commit' },
    async readFiles(wants) {
      const [base, head] = await Promise.all([
        readId(git, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}']),
        // Git follows the links of a tree, not those of an index; one with conflicts has no tree.
        readId(git, ['write-tree']),
      ]);
      return readTrees(git, { base, head }, wants);
    },
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

/** Name of a repository and the branch that is checked out, where the user gave none. */
export async function namesOf(
  git: Git,
  given: Pick<Given, 'repoName' | 'branch'>,
): Promise<Pick<AnalyzeRequest, 'repo_name' | 'branch'>> {
  return {
    repo_name: given.repoName ?? repoName(git),
    branch: given.branch ?? (await branchName(git)),
  };
}

async function readStdin(given: Given): Promise<AnalyzeRequest> {
  const diff = await readAll(process.stdin, CLI.DIFF_BYTES_MAX, 'the diff on standard input');
  if (diff.toString('utf8').trim() === '') {
    const message = 'the diff on standard input is empty; --staged takes what is staged instead';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  return {
    repo_name: given.repoName ?? (basename(resolve('.')) || 'stdin'),
    branch: given.branch ?? NO_BRANCH,
    commit_message: given.message ?? '',
    diff: diff.toString('utf8'),
    diffSource: 'local',
  };
}

/** The end of a range; the rest is git's to check. */
function headOf(range: string): string {
  // Git would take these two for an option, and for a comparison with the work tree.
  if (range.startsWith('-')) throw usage('--range: a revision cannot start with "-"');
  const [, head] = /^.*?\.\.\.?(.*)$/s.exec(range) ?? [];
  if (head === undefined) throw usage('--range must be like A..B or A...B');
  return head === '' ? 'HEAD' : head;
}

async function readRange(git: Git, range: string, head: string, given: Given): Promise<Change> {
  const diff = await readDiff(git, ['--end-of-options', range]);
  const tip = ['log', '-1', '--no-show-signature', '--format=%H%x00%B'];
  const text = await git.run([...tip, '--end-of-options', head, '--']);
  const [sha = '', message = ''] = text.toString('utf8').split('\0');
  const request = {
    ...(await namesOf(git, given)),
    commit_message: given.message ?? messageField(message),
    ...{ diff, diffSource: 'local' as const, commitSha: sha },
  };
  return {
    request,
    async readFiles(wants) {
      const start = range.slice(0, range.indexOf('..')) || 'HEAD';
      const base = range.includes('...')
        ? await readId(git, ['merge-base', '--end-of-options', start, head])
        : await readId(git, ['rev-parse', '--verify', '--end-of-options', `${start}^{tree}`]);
      return readTrees(git, { base, head: sha }, wants);
    },
  };
}

/** The id that a command prints; null: it fails, as there is nothing of the kind. */
async function readId(git: Git, args: readonly string[]): Promise<string | null> {
  try {
    return (await git.run(args)).toString('latin1').trim() || null;
  } catch {
    return null;
  }
}

function readTrees(git: Git, range: BlobRange, wants: readonly WantedFile[]): Promise<TreeFile[]> {
  const run: RunGit = (args, { input, bytesMax }) => git.run(args, bytesMax, input);
  return readBlobs(run, range, wants, GIT.BLOBS_BYTES_MAX);
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

function usage(message: string): CraError {
  return new CraError('INVALID_ARGUMENT', message);
}
