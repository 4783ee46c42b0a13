import type { Environment } from '../daemon/config/config.ts';
import { EMPTY_TREES, formatOf } from '../git/environment.ts';
import { CraError } from '../model/errors.ts';
import { DIFF_OPTIONS, gitOfHook } from './git.ts';
import { CLI, readAll } from './terminal.ts';

/** A line that git writes to the hook, but for deletions. */
export interface RefUpdate {
  /** What the ref will point at. */
  id: string;
  ref: string;
}

/** Of 200,000 refs and more. */
const LINES_BYTES_MAX = 16 * 1024 * 1024;
/** With `s`: git takes separators of lines of Unicode in the name of a ref. */
const LINE = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) (\S.*)$/s;

/** Reads `OLD NEW REF` lines. What a deletion takes away was public already. */
export async function readUpdates(stdin: AsyncIterable<Buffer>): Promise<RefUpdate[]> {
  const text = (await readAll(stdin, LINES_BYTES_MAX, 'the list of refs')).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, id = '', ref = ''] = LINE.exec(line) ?? [];
      if (id !== '') return { id, ref };
      throw new CraError('INVALID_ARGUMENT', 'expects the lines that git writes to a hook');
    })
    .filter(({ id }) => !/^0+$/.test(id));
}

/** What a push brings that no ref of the repository had. */
export interface NewContent {
  commits: number;
  /** Of each new commit `commit ID` and its patch; of merges what is in none of their parents. */
  patches: string;
  /** The same commits and the annotated tags as `git cat-file --batch` writes them, base64. */
  messages: string;
}

/** Context lines, as `cra analyze` has them. */
const CONTEXT = '--unified=10';
const HEAD = /(?:^|\n)commit ([0-9a-f]{40,64})(?=\n|$)/g;

/**
 * Reads what is new, in the quarantine that git has named in the environment of the hook; null:
 * nothing is. Rejects when git fails, when it is too much for one request, and when a ref points
 * at something that has no commit.
 */
export async function newContent(
  env: Environment,
  updates: readonly RefUpdate[],
  signal: AbortSignal,
): Promise<NewContent | null> {
  const ids = [...new Set(updates.map(({ id }) => id))];
  // No attributes of a tree hide anything; older versions of git read none in a bare repository.
  const empty = EMPTY_TREES[formatOf(ids[0] ?? '')];
  const read = createRead({ ...env, GIT_ATTR_SOURCE: empty }, signal);
  const others = updates.filter(({ ref }) => !ref.startsWith('refs/heads/'));
  const [patches, tags] = await Promise.all([
    read(
      [
        ...['log', '--root', '--no-show-signature', '--no-notes', '--diff-merges=dense-combined'],
        ...['--format=tformat:commit %H', '--patch', ...DIFF_OPTIONS, '--no-renames', CONTEXT],
        // What it reads from there is never negated.
        ...['--stdin', '--not', '--all'],
      ],
      lines(ids),
    ),
    others.length === 0 ? [] : tagsOf(read, [...new Set(others.map(({ id }) => id))]),
  ]);
  const commits = [...patches.toString('latin1').matchAll(HEAD)].map(([, id]) => id ?? '');
  if (commits.length + tags.length === 0) return null;
  const messages = await read(['cat-file', '--batch'], lines([...commits, ...tags]));
  return {
    commits: commits.length,
    patches: patches.toString('utf8'),
    messages: messages.toString('base64'),
  };
}

type Read = (args: readonly string[], input?: Buffer) => Promise<Buffer>;

function createRead(env: Environment, signal: AbortSignal): Read {
  const git = gitOfHook(env);
  return async (args, input) => {
    signal.throwIfAborted();
    const { output, ended, stop } = git.stream(args, input);
    signal.addEventListener('abort', stop);
    try {
      const bytes = await readAll(output, CLI.DIFF_BYTES_MAX, 'what the push brings');
      await ended;
      return bytes;
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  };
}

/** Tags of tags of tags. */
const DEPTH_MAX = 10;

/** The annotated tags among objects, and those that they point at. */
async function tagsOf(read: Read, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let next = [...ids];
  for (let depth = 0; next.length > 0; depth += 1) {
    if (depth === DEPTH_MAX) throw new CraError('OUT_OF_RANGE', 'a tag of too many tags');
    const kinds = (
      await read(['cat-file', '--batch-check=%(objectname) %(objecttype)'], lines(next))
    )
      .toString('latin1')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ', 2) as [string, string]);
    const odd = kinds.find(([, kind]) => kind !== 'commit' && kind !== 'tag');
    if (odd !== undefined) throw new CraError('FAILED_PRECONDITION', `a ref to a ${odd[1]}`);
    const tags = kinds.filter(([, kind]) => kind === 'tag').map(([id]) => id);
    found.push(...tags);
    next = tags.length === 0 ? [] : targetsIn(await read(['cat-file', '--batch'], lines(tags)));
  }
  return found;
}

const TAG = /([0-9a-f]{40,64}) tag (\d+)\nobject ([0-9a-f]{40,64})\n/y;

/** What tags point at, from the output of `git cat-file --batch`. */
function targetsIn(output: Buffer): string[] {
  const text = output.toString('latin1');
  const targets = new Set<string>();
  for (let at = 0; at < text.length; ) {
    TAG.lastIndex = at;
    const [head, id = '', size = '', target = ''] = TAG.exec(text) ?? [];
    if (head === undefined) throw new CraError('FAILED_PRECONDITION', 'a tag that git cannot show');
    targets.add(target);
    at += `${id} tag ${size}\n`.length + Number(size) + 1;
  }
  return [...targets];
}

function lines(ids: readonly string[]): Buffer {
  return Buffer.from(ids.map((id) => `${id}\n`).join(''));
}
