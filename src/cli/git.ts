import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../daemon/config/reader.ts';
import type { RunGit } from '../git/diff.ts';
import { PATCH_OPTIONS } from '../git/environment.ts';
import { CraError } from '../model/errors.ts';
import { createObjectReader } from './object-reader.ts';
import { CLI, printable, readAll } from './terminal.ts';

/** Git in one repository. */
export interface Git {
  /** Where the repository is: `/x/.git`, for a bare one `/x.git`. */
  readonly dir: string;
  /**
   * Runs a command and resolves with its output. Throws FAILED_PRECONDITION with git's own words
   * when it fails, OUT_OF_RANGE when the output exceeds `bytesMax`. `input` is its standard input.
   */
  run(args: readonly string[], bytesMax?: number, input?: Buffer): Promise<Buffer>;
  /** Starts a command whose output is read as it comes. `input` is its standard input. */
  stream(args: readonly string[], input?: Buffer): GitStream;
  /** Runs `cat-file --batch…` in processes that are kept for the next calls. */
  readonly readObjects: RunGit;
}

interface GitStream {
  output: Readable;
  /** Resolves when git ended well; rejects like `run`. Never unhandled. */
  ended: Promise<void>;
  stop(): void;
}

/**
 * Keeps what a repository or its owner may have configured from changing, hiding or running
 * anything: no programs (fsmonitor, hooks), no replaced objects, no locks, no pager.
 */
const HARDENED = [
  '--no-pager',
  '--no-optional-locks',
  '--no-replace-objects',
  ...config('core.fsmonitor', 'false'),
  ...config('core.hooksPath', '/dev/null'),
  ...config('core.quotePath', 'true'),
  ...config('diff.suppressBlankEmpty', 'false'),
  // Above it git takes text for binary; GitLab sets 50 MB.
  ...config('core.bigFileThreshold', '2g'),
];

/** Options of the service, and options against the settings of a work tree and its user. */
export const DIFF_OPTIONS: readonly string[] = [
  ...PATCH_OPTIONS,
  '--no-relative',
  '--find-renames',
  '--inter-hunk-context=0',
  '-O/dev/null',
];

/**
 * Git in the repository at `path`, or, with null, in the one of the current directory as a hook
 * sees it: git gives a hook its index by environment, and `git commit -a` another one than usual.
 * Throws FAILED_PRECONDITION outside of a repository.
 */
export async function openGit(path: string | null, env: Environment): Promise<Git> {
  if (path === null) return open([], env);
  const named = await open(['-C', path], withoutRepository(env));
  if (!REPOSITORY_VARIABLES.some((name) => env[name] !== undefined)) return named;
  // A hook that names its own repository still means the index that it was given.
  const inherited = await open([], env);
  return inherited.dir === named.dir ? inherited : named;
}

/** Runs a command with an input and resolves with its output; rejects like `Git.run`. */
export type Read = (args: readonly string[], input?: Buffer) => Promise<Buffer>;

/**
 * Git in the repository that the environment names, as a hook has it: one start of git fewer.
 * Attributes of its user do not count. The signal ends commands.
 */
export function readerOfHook(env: Environment, signal: AbortSignal): Read {
  const git = createRunner(config('core.attributesFile', '/dev/null'), env);
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

/** Variables that point git at a repository: `git rev-parse --local-env-vars`. */
const REPOSITORY_VARIABLES = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
];

function withoutRepository(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => !REPOSITORY_VARIABLES.includes(name));
  return Object.fromEntries(kept);
}

async function open(place: readonly string[], env: Environment): Promise<Git> {
  const git = createRunner(place, env);
  const path = await git.run(['rev-parse', '--absolute-git-dir']);
  return { ...git, dir: realpathSync(path.toString().trimEnd()) };
}

function createRunner(place: readonly string[], env: Environment): Omit<Git, 'dir'> {
  function start(args: readonly string[]) {
    const child = spawn('git', [...place, ...HARDENED, ...args], {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A command that ends without reading all of it says why itself.
    child.stdin.on('error', () => undefined);
    const ended = waitFor(child, args[0] ?? '');
    ended.catch(() => undefined);
    return { child, ended };
  }

  function stream(args: readonly string[], input?: Buffer): GitStream {
    const { child, ended } = start(args);
    child.stdin.end(input);
    return { output: child.stdout, ended, stop: () => void child.kill() };
  }

  return {
    stream,
    readObjects: createObjectReader(start),
    async run(args, bytesMax = CLI.COMMIT_HEAD_BYTES_MAX, input) {
      const { output, ended, stop } = stream(args, input);
      try {
        const what = `the output of git ${args[0]}`;
        const bytes = await readAll(output, bytesMax, what);
        await ended;
        return bytes;
      } finally {
        stop();
      }
    },
  };
}

function waitFor(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  command: string,
): Promise<void> {
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < CLI.GIT_ERROR_BYTES_MAX) said += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown) => {
      reject(new CraError('FAILED_PRECONDITION', `git ${command}: ${why}`, { cause }));
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'ENOENT' ? 'git is not installed' : 'cannot be started', error);
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else fail(withOwner(firstLine(said)) || `ended by ${signal ?? `code ${code}`}`);
    });
  });
}

/** Git says what was wrong first and explains itself at length after. */
function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const fatal = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? '';
  return printable(fatal.slice(0, CLI.GIT_ERROR_BYTES_MAX)).replace(/^(?:fatal|error): /, '');
}

/** Git names the way out of this one in lines further down. */
function withOwner(said: string): string {
  const path = /^detected dubious ownership in repository at '(.*)'$/.exec(said)?.[1];
  return path === undefined
    ? said
    : `${said}: it belongs to another user; git config --global --add safe.directory ${path} trusts it`;
}

function config(name: string, value: string): string[] {
  return ['-c', `${name}=${value}`];
}

/** A commit as git shows it. */
export interface Commit {
  sha: string;
  message: string;
  /** The text of its diff, three lines of context; null when it is above CLI.DIFF_BYTES_MAX. */
  diff: Buffer | null;
  /** Size of the diff, whether it is here or not. */
  bytes: number;
  /** What `git show --numstat` counts; null unless asked for. */
  numstat: Numstat | null;
}

interface Numstat {
  files: number;
  additions: number;
  deletions: number;
}

interface CommitsOptions {
  /** The newest so many; null: all. */
  count: number | null;
  numstat: boolean;
}

/** How many commits `readCommits` will give. */
export async function countCommits(git: Git, count: number | null): Promise<number> {
  const text = await git.run(['rev-list', '--count', ...selection(count), 'HEAD', '--']);
  return Number(text.toString());
}

/**
 * The commits that are not merges, oldest first, from one git process that runs as fast as they
 * are taken. Rejects with FAILED_PRECONDITION when git fails.
 */
export async function* readCommits(git: Git, options: CommitsOptions): AsyncGenerator<Commit> {
  // Made now, so nothing that was committed before can hold it.
  const delimiter = randomBytes(DELIMITER_BYTES).toString('hex');
  const { output, ended, stop } = git.stream(logArguments(options, delimiter));
  // Before the first delimiter there is nothing, then head and diff take turns.
  const bytesMax = (index: number) =>
    index % 2 === 1 ? CLI.COMMIT_HEAD_BYTES_MAX : CLI.DIFF_BYTES_MAX + CLI.COMMIT_HEAD_BYTES_MAX;
  try {
    let head: Part | null = null;
    let index = 0;
    for await (const part of splitStream(output, Buffer.from(delimiter), bytesMax)) {
      if (index % 2 === 1) head = part;
      else if (head !== null) yield readCommit(head, part, options.numstat);
      index += 1;
    }
    await ended;
  } finally {
    stop();
  }
}

const DELIMITER_BYTES = 24;

function selection(count: number | null): string[] {
  return ['--no-merges', ...(count === null ? [] : [`--max-count=${count}`])];
}

function logArguments({ count, numstat }: CommitsOptions, delimiter: string): string[] {
  return [
    'log',
    ...selection(count),
    '--reverse',
    '--root',
    '--no-show-signature',
    '--encoding=UTF-8',
    `--format=tformat:${delimiter}%H%x00%B${delimiter}`,
    '--patch',
    ...(numstat ? ['--numstat'] : []),
    ...DIFF_OPTIONS,
    '--unified=3',
    'HEAD',
    '--',
  ];
}

function readCommit(head: Part, body: Part, hasNumstat: boolean): Commit {
  const text = head.bytes.toString('utf8');
  const end = text.indexOf('\0');
  // Line breaks stand after the head and, where there is a diff, before it.
  let from = 0;
  while (body.bytes[from] === LF) from += 1;
  const numstat = hasNumstat ? readNumstat(body.bytes, from) : null;
  if (numstat !== null) from = numstat.end;
  const bytes = body.size - from;
  return {
    sha: text.slice(0, end),
    message: text.slice(end + 1),
    diff: bytes > CLI.DIFF_BYTES_MAX ? null : body.bytes.subarray(from),
    bytes,
    numstat: numstat?.counts ?? null,
  };
}

const LF = 0x0a;
const NUMSTAT_LINE = /^(\d+|-)\t(\d+|-)\t/;
const NUMSTAT_HEAD_BYTES = 32;

/** A line for each file (names are quoted, so none holds a line break), then an empty line. */
function readNumstat(bytes: Buffer, from: number): { counts: Numstat; end: number } {
  const counts = { files: 0, additions: 0, deletions: 0 };
  let at = from;
  for (;;) {
    const line = NUMSTAT_LINE.exec(bytes.toString('latin1', at, at + NUMSTAT_HEAD_BYTES));
    const end = bytes.indexOf(LF, at);
    if (line === null || end < 0) break;
    counts.files += 1;
    counts.additions += Number(line[1]) || 0;
    counts.deletions += Number(line[2]) || 0;
    at = end + 1;
  }
  return { counts, end: bytes[at] === LF ? at + 1 : at };
}

/** What stood between two delimiters. */
export interface Part {
  /** At most the limit; what came after is dropped. */
  bytes: Buffer;
  /** True size. */
  size: number;
}

/**
 * Cuts a stream at a delimiter, without it; the last part ends with the stream. Linear in the
 * stream, holds one part and one chunk. `bytesMax` tells how much to keep of the n-th part, from 0.
 */
export async function* splitStream(
  stream: Readable,
  delimiter: Buffer,
  bytesMax: (index: number) => number,
): AsyncGenerator<Part> {
  let index = 0;
  let part = createPart(bytesMax(index));
  // The end of what has come, which may be the start of a delimiter.
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
      part.add(text.subarray(from, at));
      yield part.end();
      index += 1;
      part = createPart(bytesMax(index));
      from = at + delimiter.length;
    }
    const kept = Math.max(from, text.length - delimiter.length + 1);
    part.add(text.subarray(from, kept));
    rest = text.subarray(kept);
  }
  part.add(rest);
  yield part.end();
}

function createPart(bytesMax: number): { add(bytes: Buffer): void; end(): Part } {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    add(bytes) {
      const room = Math.max(0, bytesMax - size);
      if (room > 0 && bytes.length > 0) pieces.push(bytes.subarray(0, room));
      size += bytes.length;
    },
    end: () => ({ bytes: Buffer.concat(pieces), size }),
  };
}
