import { EMPTY_TREES, formatOf } from '../git/environment.ts';
import { CraError } from '../model/errors.ts';
import type { Git } from './git.ts';
import { printable } from './terminal.ts';

/** Two ends of a change, as they were given; an end that was left out is HEAD. */
export interface Range {
  start: string;
  head: string;
  /** `A...B`: from where both parted. */
  isFromFork: boolean;
}

/** Reads `A..B` or `A...B`. Throws INVALID_ARGUMENT for another text; git checks the rest. */
export function readRangeText(text: string): Range {
  // Git would take these two for an option, and for a comparison with the work tree.
  if (text.startsWith('-')) throw usage('--range: a revision cannot start with "-"');
  const [, start, dots, head] = /^(.*?)(\.\.\.?)(.*)$/s.exec(text) ?? [];
  if (dots === undefined) throw usage('--range must be like A..B or A...B, as in HEAD~1..HEAD');
  return { start: start || 'HEAD', head: head || 'HEAD', isFromFork: dots === '...' };
}

/** `HEAD~1`, `HEAD~`, `HEAD^1` and `HEAD^`: what they are the parent of. */
const PARENT = /^(.*?)(?:~1?|\^1?)$/s;

/**
 * What a range begins at when git could not compare its ends: of a first commit the parent is the
 * tree without files. Throws `failed`, with what to do, where there is no such tree.
 */
export async function startOfFirst(git: Git, range: Range, failed: unknown): Promise<string> {
  const error = CraError.fromUnknown(failed);
  if (error.code !== 'FAILED_PRECONDITION') throw error;
  const { start, head, isFromFork } = range;
  const [startId, headId] = await Promise.all([commitId(git, start), commitId(git, head)]);
  const [, child] = PARENT.exec(start) ?? [];
  if (startId === null && headId !== null && child !== undefined && !isFromFork) {
    const first = await commitId(git, child || 'HEAD');
    if (first !== null && (await isFirst(git, first))) return EMPTY_TREES[formatOf(first)];
  }
  const advice = await adviceFor(git, range, startId, headId);
  if (advice === null) throw error;
  const { code, message, cause } = error;
  throw new CraError(code, `${message}; ${printable(advice)}`, { cause });
}

/** What to do where git cannot compare the ends of a range; null: nobody knows. */
async function adviceFor(
  git: Git,
  { start, head, isFromFork }: Range,
  startId: string | null,
  headId: string | null,
): Promise<string | null> {
  const [missing] = [startId === null ? start : null, headId === null ? head : null].filter(
    (name) => name !== null,
  );
  if (missing === undefined && !isFromFork) return null;
  const empty = await adviceWithoutCommits(git);
  if (empty !== null) return empty;
  if (await isShallow(git)) return SHALLOW;
  if (missing === undefined) {
    return `${start} and ${head} have no commit in common: ${start}..${head} compares them as they are`;
  }
  if ((await commitId(git, `refs/remotes/origin/${missing}`)) !== null) {
    return `there is no branch ${missing} here: origin/${missing} is that of the remote`;
  }
  return `there is no commit ${missing} here: git fetch origin brings what is new, git log --oneline lists what there is`;
}

const SHALLOW =
  'this clone is shallow, it has the newest commits only: git fetch --unshallow brings the others (in GitHub Actions fetch-depth: 0 of actions/checkout, in GitLab CI GIT_DEPTH: 0)';

/** What to do in a repository without commits; null: it has some. */
export async function adviceWithoutCommits(git: Git): Promise<string | null> {
  if ((await commitId(git, 'HEAD')) !== null) return null;
  return 'there is no commit yet on this branch: commit first, or judge what is staged (cra analyze --staged)';
}

/** Why a range holds no change, and what to do, as a sentence. */
export async function whyNoChange(git: Git, text: string, range: Range): Promise<string> {
  const { start, head, isFromFork } = range;
  const [startId, headId] = await Promise.all([commitId(git, start), commitId(git, head)]);
  if (startId === headId) {
    return `Both ends of ${text} are the same commit. For the newest commit write HEAD~1..HEAD, for a branch origin/main...HEAD.`;
  }
  if (isFromFork && (await isAncestor(git, head, start))) {
    return `${start} holds all of ${head}: it is merged already. The other way round is ${head}...${start}.`;
  }
  return `The commits of ${text} leave the files as they were.`;
}

/** Whether a clone lacks older commits. */
export async function isShallow(git: Git): Promise<boolean> {
  return (await readId(git, ['rev-parse', '--is-shallow-repository'])) === 'true';
}

/** The id that a command prints; null: it fails, as there is nothing of the kind. */
export async function readId(git: Git, args: readonly string[]): Promise<string | null> {
  try {
    return (await git.run(args)).toString('latin1').trim() || null;
  } catch {
    return null;
  }
}

function commitId(git: Git, revision: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  return readId(git, args);
}

async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  const count = await readId(git, ['rev-list', '--count', '--end-of-options', older, `^${newer}`]);
  return count === '0';
}

/** As its object says: git takes the oldest commit of a shallow clone for a first one. */
async function isFirst(git: Git, id: string): Promise<boolean> {
  const text = (await git.run(['cat-file', 'commit', id])).toString('latin1');
  return !/^parent /m.test(text.slice(0, text.indexOf('\n\n')));
}

function usage(message: string): CraError {
  return new CraError('INVALID_ARGUMENT', message);
}
