import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGit } from '../run-git.ts';

/** A file as a commit has it; names are one character a byte. Null data deletes it. */
export interface Blob {
  name: string;
  data: string | Buffer | null;
  mode?: '100644' | '100755' | '120000' | '160000';
}

/** A bare repository that real git works on; `remove` takes it away. */
export interface Repository {
  git: (...args: string[]) => Buffer;
  remove: () => void;
}

/**
 * Makes a repository on branch `main` with one commit for each list, written by git fast-import:
 * so that names need no file system that can hold them.
 */
export function createRepository(commits: readonly (readonly Blob[])[]): Repository {
  const directory = mkdtempSync(join(tmpdir(), 'cra-diff-'));
  const git = (...args: string[]) => run(directory, args, null);
  run(directory, ['init', '--quiet', '--bare'], null);
  run(directory, ['fast-import', '--quiet'], importStream(commits));
  return { git, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

function run(directory: string, args: readonly string[], input: Buffer | null): Buffer {
  const settings = ['-c', 'diff.renameLimit=0', '-c', 'init.defaultBranch=main'];
  return runGit([...settings, '--git-dir', directory, ...args], {
    input: input ?? '',
    env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  });
}

/** https://git-scm.com/docs/git-fast-import#_input_format */
function importStream(commits: readonly (readonly Blob[])[]): Buffer {
  const parts: Buffer[] = [];
  commits.forEach((blobs, index) => {
    const message = `commit ${index}\n\n- one\n+ two\n`;
    const who = `A U Thor <author@example.com> ${1_700_000_000 + index} +0000`;
    parts.push(latin1(`commit refs/heads/main\nmark :${index + 1}\ncommitter ${who}\n`));
    parts.push(latin1(`data ${message.length}\n${message}\n`));
    if (index > 0) parts.push(latin1(`from :${index}\n`));
    for (const blob of blobs) parts.push(...changeOf(blob));
    parts.push(latin1('\n'));
  });
  return Buffer.concat(parts);
}

/** One file of a commit in the stream of `git fast-import`. */
export function changeOf({ name, data, mode = '100644' }: Blob): Buffer[] {
  const quoted = `"${name.replace(/["\\\n]/g, (text) => (text === '\n' ? '\\n' : `\\${text}`))}"`;
  if (data === null) return [latin1(`D ${quoted}\n`)];
  if (mode === '160000') return [latin1(`M 160000 ${data} ${quoted}\n`)];
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return [latin1(`M ${mode} inline ${quoted}\ndata ${bytes.length}\n`), bytes, latin1('\n')];
}

/** Names and texts have one character a byte. */
export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
