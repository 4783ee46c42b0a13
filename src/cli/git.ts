import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../daemon/config/config.ts';
import { PATCH_OPTIONS } from '../git/patch-options.ts';
import { CraError } from '../model/errors.ts';
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
  /** Starts a command whose output is read as it comes. */
  stream(args: readonly string[]): GitStream;
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
];

/** Those of the service, and what a work tree and the settings of its user bring besides. */
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
  function stream(args: readonly string[], input?: Buffer): GitStream {
    const child = spawn('git', [...place, ...HARDENED, ...args], {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A command that ends without reading all of it says why itself.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const ended = waitFor(child, args[0] ?? '');
    ended.catch(() => undefined);
    return { output: child.stdout, ended, stop: () => void child.kill() };
  }

  return {
    stream,
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
      else fail(firstLine(said) || `ended by ${signal ?? `code ${code}`}`);
    });
  });
}

/** Git says what was wrong first and explains itself at length after. */
function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const fatal = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? '';
  return printable(fatal.slice(0, CLI.GIT_ERROR_BYTES_MAX)).replace(/^(?:fatal|error): /, '');
}

function config(name: string, value: string): string[] {
  return ['-c', `${name}=${value}`];
}
