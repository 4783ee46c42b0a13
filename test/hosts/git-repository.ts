import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Blob, changeOf, latin1 } from '../diff/repository.ts';
import { runGit } from '../run-git.ts';

/** What a commit is made of. */
export interface CommitOptions {
  /** Full name of the ref that is moved to it. */
  ref?: string;
  /** First parent: an id; null: none. Default: where the ref stands. */
  from?: string | null;
  /** Further parents. */
  merge?: readonly string[];
  message?: string | Buffer;
}

/** A bare repository as a host has it, written by real git; names have one character a byte. */
export interface HostedRepository {
  readonly dir: string;
  /** Changes files against the first parent; returns the id of the commit. */
  commit(files: readonly Blob[], options?: CommitOptions): string;
  /** The commit of a ref, by its full name; null when absent. */
  tip(ref: string): string | null;
  /** Any git command in it. */
  git(...args: string[]): Buffer;
}

const MAIN = 'refs/heads/main';
/**
 * Large files are sent as they are: looking for what they have in common takes seconds. Who may
 * write to the repository may push to it.
 */
const SETTINGS = '[core]\n\tbigFileThreshold = 512k\n[http]\n\treceivepack = true\n';
const ENV = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** Opens a bare repository, made where there is none. */
export function openRepository(dir: string, format: 'sha1' | 'sha256' = 'sha1'): HostedRepository {
  const git = (...args: string[]) => runGit(['--git-dir', dir, ...args], { env: ENV });
  if (!existsSync(dir)) {
    mkdirSync(dir, { recursive: true });
    const form = ['--bare', `--object-format=${format}`, '--initial-branch=main'];
    runGit(['init', '--quiet', ...form, dir], { env: ENV });
    appendFileSync(join(dir, 'config'), SETTINGS);
  }
  // Most refs are files: to read one takes a hundredth of a process of git.
  const tip = (ref: string) => {
    try {
      return readFileSync(join(dir, ref), 'latin1').trim();
    } catch {
      // It is absent, or packed.
    }
    return git('for-each-ref', '--format=%(objectname)', ref).toString().trim() || null;
  };
  let time = 1_700_000_000;
  return {
    dir,
    git,
    tip,
    commit(files, options = {}) {
      const ref = options.ref ?? MAIN;
      const from = options.from === undefined ? tip(ref) : options.from;
      time += 1;
      const stream = importStream(ref, files, { ...options, from }, time);
      const args = ['--git-dir', dir, 'fast-import', '--quiet', '--force'];
      return runGit(args, { env: ENV, input: stream }).toString().trim();
    },
  };
}

/** A commit; git answers with its id. https://git-scm.com/docs/git-fast-import#_input_format */
function importStream(
  ref: string,
  files: readonly Blob[],
  { from, merge = [], message = 'a change\n' }: CommitOptions,
  time: number,
): Buffer {
  const text = Buffer.from(message);
  const parents = [...(from ? [`from ${from}`] : []), ...merge.map((id) => `merge ${id}`)];
  return Buffer.concat([
    latin1(`commit ${ref}\nmark :1\ncommitter A U Thor <author@example.com> ${time} +0000\n`),
    latin1(`data ${text.length}\n`),
    text,
    latin1(['', ...parents, ''].join('\n')),
    ...files.flatMap(changeOf),
    latin1('\nget-mark :1\n'),
  ]);
}
