import { type Git, openGit, readCommits } from '../../src/cli/git.ts';
import { readClientSettings } from '../../src/daemon/config/reader.ts';

/** Shown of a commit id. */
const SHA_DIGITS = 12;

/** A repository as results name it: its folder and the commit that HEAD is. */
export interface Repository {
  git: Git;
  name: string;
  head: string;
}

/** Opens a repository, bare or not. */
export async function openRepository(path: string): Promise<Repository> {
  const git = await openGit(path, readClientSettings().gitEnvironment);
  const head = await git.run(['rev-parse', 'HEAD']);
  const folder = path.replace(/\/+$/, '').split('/').at(-1) ?? 'repository';
  const name = folder.replace(/\.git$/, '');
  return { git, name, head: head.toString('latin1').slice(0, SHA_DIGITS) };
}

/** The diffs of the newest `count` commits that are no merges, oldest first. */
export async function readCommitDiffs(
  path: string,
  count: number,
): Promise<{ source: string; diffs: Buffer[] }> {
  const { git, name, head } = await openRepository(path);
  const diffs: Buffer[] = [];
  for await (const { diff } of readCommits(git, { count, numstat: false })) {
    if (diff !== null && diff.length > 0) diffs.push(diff);
  }
  return { source: `newest ${count} commits of ${name} at ${head}`, diffs };
}
