import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { CraError } from '../../domain/errors.ts';
import { GIT } from '../../limits.ts';
import { killGroup, killGroups, noteGroup } from './process-groups.ts';

/** Runs git commands; none outlives it. */
export interface Git {
  /**
   * Runs one command to its end and resolves with all of its output. Rejects with GitFailure when
   * git says no, and with a CraError when it had to be ended: what `stop` says, OUT_OF_RANGE above
   * `bytesMax`, UNAVAILABLE when git is missing, was ended by others or all this is closed.
   */
  run(args: readonly string[], options: GitOptions): Promise<GitOutput>;
  /** Ends what runs; resolves when all of it is gone. */
  close(): Promise<void>;
}

export interface GitOptions {
  env: Readonly<Record<string, string>>;
  bytesMax: number;
  /** Output above `bytesMax`: the beginning is kept, and that is no failure. */
  cut?: boolean;
  /** Exit codes beside 0 that are answers. */
  codes?: readonly number[];
  input?: Uint8Array;
  /** Asked regularly while the command runs; an error ends it. */
  stop(): CraError | null;
}

export interface GitOutput {
  bytes: Buffer;
  /** The end of what git said beside it: warnings, traces. */
  said: string;
  code: number;
  isCut: boolean;
}

/** A command ended by itself and badly. What git said is for `reasonOf` only. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly said: string;

  constructor(command: string, code: number, said: string) {
    super(`git ${command} ended with code ${code}`);
    this.said = said;
  }
}

/** What a command must not do: page, ask, take locks that it does not need, follow replacements. */
const ALWAYS = ['--no-pager', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs'];

/**
 * What a few kilobytes of a repository unfold to is bounded by nothing else: a tree that names
 * another one ten times, ten levels deep, or a file of line breaks. RLIMIT_DATA leaves out the
 * packs that git maps. A lower limit that is set already stays.
 */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec git "$@"';

/** What holds an object of each kind that a repository has, not of one change alone. */
const HUNGRY: ReadonlySet<string> = new Set(['fetch', 'rev-list', 'repack', 'commit-graph']);

/** How a shell says that there is no such command. */
const NOT_FOUND = 127;

const OUT_OF_MEMORY = /^(?:fatal|error): .*(?:[Oo]ut of memory|Cannot allocate memory)/m;

/**
 * Git that runs in a directory of ours, outside of whatever repository that may stand in, and
 * whose process groups are noted in shared memory.
 */
export function createGit(directory: string, groups: SharedArrayBuffer): Git {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  async function run(args: readonly string[], options: GitOptions): Promise<GitOutput> {
    const refusal = isClosed ? CLOSED() : options.stop();
    if (refusal !== null) throw refusal;
    const stop = () => (isClosed ? CLOSED() : options.stop());
    const env = { ...options.env, GIT_CEILING_DIRECTORIES: dirname(directory) };
    const ended = runOnce(args, { ...options, env, stop, directory, groups });
    running.add(ended);
    try {
      return await ended;
    } finally {
      running.delete(ended);
    }
  }

  return {
    run,
    async close() {
      isClosed = true;
      killGroups(groups);
      await Promise.allSettled(running);
    },
  };
}

const CLOSED = () => new CraError('UNAVAILABLE', 'the service is stopping');

interface Started extends GitOptions {
  directory: string;
  groups: SharedArrayBuffer;
}

function runOnce(args: readonly string[], options: Started): Promise<GitOutput> {
  const command = args[0] ?? '';
  const memoryMax = HUNGRY.has(command) ? GIT.FETCH_MEMORY_BYTES_MAX : GIT.MEMORY_BYTES_MAX;
  const kib = memoryMax / 1024;
  return new Promise((resolve, reject) => {
    // A group of its own: git starts others, and all of them end together.
    const child = spawn('/bin/sh', ['-c', LIMITED, String(kib), ...ALWAYS, ...args], {
      cwd: options.directory,
      env: options.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const forget = child.pid === undefined ? null : noteGroup(options.groups, child.pid);
    let fault: CraError | null = null;
    const end = (error: CraError) => {
      fault ??= error;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    if (child.pid !== undefined && forget === null) end(TOO_MANY());
    const watch = setInterval(() => {
      const error = options.stop();
      if (error !== null) end(error);
    }, GIT.WATCH_INTERVAL_MS);

    let isCut = false;
    const output = collect(child.stdout, options.bytesMax, () => {
      isCut = true;
      end(tooLong(command, options.bytesMax));
    });
    const complaint = collectEnd(child.stderr, GIT.ERROR_BYTES_MAX);
    // Git may end before it has read all of it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');

    child.on('error', (error) => {
      fault ??= notStarted(error);
    });
    child.on('close', (code, signal) => {
      clearInterval(watch);
      forget?.();
      const said = complaint();
      const done = (exit: number) => resolve({ bytes: output(), said, code: exit, isCut });
      if (isCut && options.cut === true) return done(0);
      if (fault !== null) return reject(fault);
      if (code === null) return reject(endedBy(command, signal));
      if (code === 0 || options.codes?.includes(code)) return done(code);
      if (code === NOT_FOUND) return reject(notStarted());
      if (OUT_OF_MEMORY.test(said)) return reject(tooHungry(command, memoryMax));
      reject(new GitFailure(command, code, said));
    });
  });
}

/** Keeps the beginning of a stream, reads all of it; told once when there is more. */
function collect(
  stream: NonNullable<ChildProcess['stdout']>,
  bytesMax: number,
  onMore: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < bytesMax) chunks.push(chunk.subarray(0, bytesMax - size));
    if (size <= bytesMax && size + chunk.length > bytesMax) onMore();
    size += chunk.length;
  });
  return () => Buffer.concat(chunks);
}

/** Keeps whole lines of the end of a stream: a host may have said a lot before git says why. */
function collectEnd(stream: NonNullable<ChildProcess['stderr']>, bytesMax: number): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length <= 2 * bytesMax) return;
    const end = kept.subarray(-bytesMax);
    kept = end.subarray(end.indexOf(LF) + 1);
  });
  return () => kept.toString('utf8');
}

const LF = 0x0a;

function tooLong(command: string, bytesMax: number): CraError {
  const reason = `git ${command} gives more than ${bytesMax} bytes`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

function tooHungry(command: string, memoryMax: number): CraError {
  const mib = memoryMax / (1024 * 1024);
  const reason = `git ${command} needs more than ${mib} MiB of memory`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

function notStarted(cause?: Error): CraError {
  const reason = cause === undefined ? 'git is not installed' : 'git cannot be started';
  return new CraError('UNAVAILABLE', reason, { details: { reason }, cause });
}

function endedBy(command: string, signal: string | null): CraError {
  const reason = `git ${command} was ended by ${signal ?? 'the system'}`;
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

function TOO_MANY(): CraError {
  const reason = 'too many git processes run';
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}
