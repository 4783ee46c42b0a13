import { dirname } from 'node:path';
import { CraError } from '../model/errors.ts';
import { type Address, PLAIN, secretsOf } from './environment.ts';
import {
  createGitLauncher,
  type GitLauncher,
  killGroup,
  killGroups,
  noteGroup,
} from './launcher.ts';
import { GIT } from './limits.ts';

/** Runs git commands; none outlives it. */
export interface Git {
  /**
   * Runs one command to its end and resolves with all of its output. Rejects with GitFailure when
   * git exits with another code, and with a CraError when it had to be ended: the error of `stop`,
   * OUT_OF_RANGE above `bytesMax`, UNAVAILABLE when git is missing, was killed or this is closed.
   */
  run(args: readonly string[], options: GitOptions): Promise<GitOutput>;
  /** Ends what runs; resolves when all of it is gone. */
  close(): Promise<void>;
}

export interface GitOptions {
  env: Readonly<Record<string, string>>;
  bytesMax: number;
  /** Output above `bytesMax`: the beginning is kept, and that is not a failure. */
  cut?: boolean;
  /** Exit codes beside 0 that are answers. */
  codes?: readonly number[];
  input?: Uint8Array;
  /** Asked regularly while the command runs; an error ends it. */
  stop(): CraError | null;
}

export interface GitOutput {
  bytes: Buffer;
  /** The end of stderr: warnings, traces. */
  stderr: string;
  code: number;
  isCut: boolean;
}

/** A command ended with another exit code. Its stderr is for `reasonOf` only. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly stderr: string;

  constructor(command: string, code: number, stderr: string) {
    super(`git ${command} ended with code ${code}`);
    this.stderr = stderr;
  }
}

/** No command pages, takes locks that it does not need, or follows replacements. */
const ALWAYS = ['--no-pager', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs'];

/** Commands that read a whole repository, not one change alone. */
const WHOLE_REPOSITORY: ReadonlySet<string> = new Set([
  'fetch',
  'index-pack',
  'rev-list',
  'repack',
  'commit-graph',
]);

/** The exit code of a shell that finds no such command. */
const NOT_FOUND = 127;

const OUT_OF_MEMORY = /^(?:fatal|error): .*(?:[Oo]ut of memory|Cannot allocate memory)/m;

/**
 * Git that runs in a directory of ours, outside of whatever repository that may stand in, and
 * whose process groups are noted in shared memory.
 */
export function createGit(directory: string, groups: SharedArrayBuffer): Git {
  const running = new Set<Promise<unknown>>();
  const launcher = createGitLauncher();
  let isClosed = false;

  async function run(args: readonly string[], options: GitOptions): Promise<GitOutput> {
    const refusal = isClosed ? CLOSED() : options.stop();
    if (refusal !== null) throw refusal;
    const stop = () => (isClosed ? CLOSED() : options.stop());
    const env = { ...options.env, GIT_CEILING_DIRECTORIES: dirname(directory) };
    const ended = runOnce(args, { ...options, env, stop, directory, groups, launcher });
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
      launcher.close();
    },
  };
}

const CLOSED = () => new CraError('UNAVAILABLE', 'the service is stopping');

interface Started extends GitOptions {
  directory: string;
  groups: SharedArrayBuffer;
  launcher: GitLauncher;
}

function runOnce(args: readonly string[], options: Started): Promise<GitOutput> {
  const command = args[0] ?? '';
  const { directory: cwd, env, input = NO_INPUT } = options;
  const memoryMax = WHOLE_REPOSITORY.has(command)
    ? GIT.FETCH_MEMORY_BYTES_MAX
    : GIT.MEMORY_BYTES_MAX;
  return new Promise((resolve, reject) => {
    let group: number | null = null;
    let forget: (() => void) | null = null;
    let fault: CraError | null = null;
    const end = (error: CraError) => {
      fault ??= error;
      if (group !== null) killGroup(group);
    };
    const watch = setInterval(() => {
      const error = options.stop();
      if (error !== null) end(error);
    }, GIT.WATCH_INTERVAL_MS);

    let isCut = false;
    const output = collect(options.bytesMax, () => {
      isCut = true;
      end(tooLong(command, options.bytesMax));
    });
    const errors = collectEnd(GIT.ERROR_BYTES_MAX);

    function onStarted(pid: number): void {
      group = pid;
      forget = noteGroup(options.groups, pid);
      if (forget === null) end(TOO_MANY());
      // It may have been of no use any more before it was there.
      else if (fault !== null) killGroup(pid);
    }

    function onClosed(code: number | null, signal: string | null): void {
      clearInterval(watch);
      forget?.();
      const stderr = errors.text();
      const done = (exit: number) => resolve({ bytes: output.bytes(), stderr, code: exit, isCut });
      if (isCut && options.cut === true) done(0);
      else if (fault !== null) reject(fault);
      else if (code === null) reject(endedBy(command, signal));
      else if (code === 0 || options.codes?.includes(code)) done(code);
      else if (code === NOT_FOUND) reject(notStarted('ENOENT'));
      else if (OUT_OF_MEMORY.test(stderr)) reject(tooMuchMemory(command, memoryMax));
      else reject(new GitFailure(command, code, stderr));
    }

    options.launcher.start({ args: [...ALWAYS, ...args], cwd, env, input, memoryMax }, (report) => {
      switch (report.kind) {
        case 'started':
          return onStarted(report.pid);
        case 'stdout':
          return output.add(asBuffer(report.bytes));
        case 'stderr':
          return errors.add(asBuffer(report.bytes));
        case 'failed':
          fault ??= notStarted(report.code);
          return;
        case 'closed':
          return onClosed(report.code, report.signal);
      }
    });
  });
}

const NO_INPUT = new Uint8Array(0);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Keeps the first bytes; calls `onMore` once when there are more. */
function collect(
  bytesMax: number,
  onMore: () => void,
): { add(chunk: Buffer): void; bytes(): Buffer } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (size < bytesMax) chunks.push(chunk.subarray(0, bytesMax - size));
      if (size <= bytesMax && size + chunk.length > bytesMax) onMore();
      size += chunk.length;
    },
    bytes: () => Buffer.concat(chunks),
  };
}

/** Keeps the last lines: a host may send many before git prints the reason. */
function collectEnd(bytesMax: number): { add(chunk: Buffer): void; text(): string } {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      kept = Buffer.concat([kept, chunk]);
      if (kept.length <= 2 * bytesMax) return;
      const end = kept.subarray(-bytesMax);
      kept = end.subarray(end.indexOf(LF) + 1);
    },
    text: () => kept.toString('utf8'),
  };
}

const LF = 0x0a;

function tooLong(command: string, bytesMax: number): CraError {
  const reason = `git ${command} gives more than ${bytesMax} bytes`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

function tooMuchMemory(command: string, memoryMax: number): CraError {
  const mib = memoryMax / (1024 * 1024);
  const reason = `git ${command} needs more than ${mib} MiB of memory`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

function notStarted(code: string | null): CraError {
  const reason = code === 'ENOENT' ? 'git is not installed' : 'git cannot be started';
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

function endedBy(command: string, signal: string | null): CraError {
  const reason = `git ${command} was ended by ${signal ?? 'the system'}`;
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

function TOO_MANY(): CraError {
  const reason = 'too many git processes run';
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

/** Debian 12 has 2.39, which knows all that is asked of it here and was tried. */
const OLDEST = [2, 39] as const;

/** The error for callers when git is missing or too old. */
export const NO_GIT = `git ${OLDEST.join('.')} or newer is not installed on the service`;

/**
 * The version of the git that is found, as `2.39.5`. Rejects with FAILED_PRECONDITION when git is
 * missing or too old (`details.version`). `path` is where to look for it.
 */
export async function findVersion(git: Git, path: string = PLAIN.PATH): Promise<string> {
  const env = { ...PLAIN, PATH: path };
  const options = { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop: () => null };
  const said = await git.run(['version'], options).catch((cause) => {
    throw refusal(`there is no git in ${path}`, null, cause);
  });
  const text = said.bytes.toString('latin1').trim();
  const [version = null, major, minor] = /(\d+)\.(\d+)(?:\.\d+)*/.exec(text) ?? [];
  if (version === null || isOlder(Number(major), Number(minor))) {
    throw refusal(`it says "${text.slice(0, GIT.REASON_CHARS_MAX)}"`, version);
  }
  return version;
}

function refusal(found: string, version: string | null, cause?: unknown): CraError {
  return new CraError('FAILED_PRECONDITION', `${NO_GIT}: ${found}`, {
    details: { version },
    cause,
  });
}

function isOlder(major: number, minor: number): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

const PROXY = 'look at HTTPS_PROXY and NO_PROXY';

/** Messages of git about a host, and their meaning for people. The first that fits counts. */
const MEANINGS: readonly (readonly [stderr: RegExp, reason: (match: RegExpExecArray) => string])[] =
  [
    [/No space left on device|Disk quota exceeded/, () => 'the disk of the mirrors is full'],
    [
      /returned error: (401|403)|Authentication failed|could not read (?:Username|Password)/,
      (match) =>
        `the host refuses access (HTTP ${match[1] ?? 401}): look at the token of this host in the settings`,
    ],
    [
      /returned error: 404|repository '[^']*' not found|does not appear to be a git repository/,
      () => 'the host has no such repository, or hides it from this token',
    ],
    [
      /returned error: (3\d\d)|redirect/,
      () => 'the host redirects to another place, which is not followed: set its final URL',
    ],
    [/returned error: (\d{3})/, (match) => `the host answered with HTTP ${match[1]}`],
    [
      /HTTP code (\d{3}) from proxy|CONNECT tunnel failed, response (\d{3})/,
      (match) =>
        `the proxy refuses to connect to the host (HTTP ${match[1] ?? match[2]}): ${PROXY}`,
    ],
    [/Could not resolve proxy/, () => `the name of the proxy cannot be resolved: ${PROXY}`],
    [/Proxy CONNECT aborted/, () => `the proxy closed the connection: ${PROXY}`],
    [/Could not resolve host/, () => 'the name of the host cannot be resolved'],
    [/[Cc]onnection refused|Failed to connect/, () => 'the host cannot be connected to'],
    [/Operation too slow|timed out|[Tt]imeout/, () => 'the host does not answer in time'],
    [
      /Problem with the SSL CA cert|error (?:setting|adding) (?:certificate|trust)/,
      () => 'the certificates that git trusts cannot be read: look at ca_file in the settings',
    ],
    [
      /[Cc]ertificate|SSL|TLS/,
      () => 'the certificate of the host is not trusted: name a private authority in ca_file',
    ],
    [/dubious ownership/, () => 'the repository belongs to another user of this machine'],
    [/transport '[^']*' not allowed/, () => 'the protocol of the URL is not allowed'],
    [/not valid: is this a git/, () => 'the host answered with something that is not git'],
    [/shallow/, () => 'the repository of the host lacks a part of its history (it is shallow)'],
    [
      /object ([0-9a-f]{40,64}): (\w+):/,
      (match) => `the host sent a malformed object (${match[2]} in ${match[1]})`,
    ],
    [
      /early EOF|hung up|unexpected disconnect|RPC failed|Recv failure|Empty reply|transfer closed/,
      () => 'the connection to the host was lost',
    ],
  ];

/** Messages of git about a damaged mirror. */
const DAMAGE =
  /bad object|bad (?:tree|config|signature|revision)|unable to (?:read|open|parse|resolve)|could not (?:read|parse|open)|corrupt|data stream error|not a (?:git repository|valid object|commit|tree)|missing (?:blob|tree|commit|object)|is empty|too small|far too short|mismatch|invalid (?:object|sha1|commit)|did not send all|broken|cannot be (?:accessed|mapped)|does not match/i;

/** Failures of the connection or of the host's objects: a new mirror would not help. */
const NO_DAMAGE =
  /early EOF|hung up|disconnect|RPC failed|Recv failure|fsck error|unable to access|No space left|returned error/;

/** Whether the mirror itself may be damaged. */
export function isDamage(failure: GitFailure): boolean {
  const own = failure.stderr.replace(/^(?:remote:|fatal: remote error:).*$/gm, '');
  return DAMAGE.test(own) && !NO_DAMAGE.test(own);
}

const NOT_OURS =
  /(?:not our ref|unadvertised object|no such remote ref|couldn't find remote ref) ([0-9a-f]{40,64})/g;

/** The commits that the host refuses to give. */
export function refusedIds(failure: GitFailure): string[] {
  return [...failure.stderr.matchAll(NOT_OURS)].map((match) => match[1] ?? '');
}

/** Whether the host has no ref of the name that was asked for. */
export function isUnknownRef(failure: GitFailure): boolean {
  return failure.stderr.includes("couldn't find remote ref refs/");
}

/** A failure on the way to a host, as UNAVAILABLE with a sentence that is safe. */
export function unavailable(thrown: unknown, address: Address): CraError {
  if (!(thrown instanceof GitFailure)) return CraError.fromUnknown(thrown);
  const reason = reasonOf(thrown.stderr, secretsOf(address.host));
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

/** A mirror that cannot be read, as DATA_LOSS with a sentence that is safe. */
export function unreadable(thrown: unknown): CraError {
  if (!(thrown instanceof GitFailure)) return CraError.fromUnknown(thrown);
  const reason = `the mirror cannot be read: ${ownWords(thrown.stderr, [])}`;
  return new CraError('DATA_LOSS', reason, { details: { reason } });
}

/** A sentence on why a call of a host failed: no URL, no credentials. */
export function reasonOf(stderr: string, secrets: readonly string[]): string {
  // Lines of the host itself are hostile text.
  const own = stderr.replace(/^remote:.*$/gm, '');
  for (const [pattern, reason] of MEANINGS) {
    const match = pattern.exec(own);
    if (match !== null) return reason(match);
  }
  return `git failed: ${ownWords(own, secrets)}`;
}

/** The first line has the reason, the others explain it. */
function ownWords(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines[0] ?? 'no message';
  let text = line.replace(/^(?:fatal|error): /, '');
  for (const secret of secrets) text = text.replaceAll(secret, '***');
  return text
    .replace(/\w+:\/\/[^\s'"]+/g, 'the host')
    .replace(/'?\/[^\s'"]+'?/g, 'a file')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, GIT.REASON_CHARS_MAX);
}
