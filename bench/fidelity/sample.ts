import { readCommits } from '../../src/cli/git.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { newSideOf } from '../../src/gates/syntax/collect.ts';
import type { Fragment } from '../../src/rpc/contract.ts';
import { readPackageFile, readPackages } from '../corpus/package-corpus.ts';
import { openRepository } from '../corpus/repo-corpus.ts';
import { isScript } from '../corpus/section.ts';
import type { RunOptions } from '../options.ts';
import { createRandom } from '../random.ts';

/** A hunk of a changed file, and the file as it was after the change. */
export interface Specimen {
  fragment: Fragment;
  /** The whole new file; null when it can't be had. */
  readWhole(): Promise<Buffer | null>;
}

/** Hunks drawn from one place. */
export interface Sample {
  /** A repository with its commit, or the package folders. */
  source: string;
  specimens: readonly Specimen[];
}

/** Draws `count` hunks of JS/TS from the newest commits of a repository, by seed. */
export async function sampleRepository(
  path: string,
  options: RunOptions,
  count: number,
): Promise<Sample> {
  const { git, name, head } = await openRepository(path);
  const specimens: Specimen[] = [];
  for await (const { sha, diff } of readCommits(git, { count: options.commits, numstat: false })) {
    if (diff === null) continue;
    const readWhole = (file: string) =>
      git.run(['cat-file', 'blob', `${sha}:${file}`]).catch(() => null);
    specimens.push(...specimensOf(diff, readWhole));
  }
  const source = `${name} at ${head}, newest ${options.commits} commits`;
  return { source, specimens: draw(specimens, count, options.seed) };
}

/** Draws `count` hunks of the changes that are made up over the package folders. */
export function samplePackages({ seed }: RunOptions, count: number): Sample {
  const { source, diffs } = readPackages(seed, 'script');
  const readWhole = async (path: string) => readPackageFile(path);
  const specimens = diffs.flatMap((diff) => specimensOf(diff, readWhole));
  return { source, specimens: draw(specimens, count, seed) };
}

function specimensOf(
  diff: Buffer,
  readWhole: (path: string) => Promise<Buffer | null>,
): Specimen[] {
  const files = parseDiff(diff).files.filter(
    ({ path, change, content }) => change !== 'added' && content === 'text' && isScript(path),
  );
  return files.flatMap(({ path, hunks }) =>
    hunks
      .filter(({ additions }) => additions > 0)
      .map((hunk) => {
        const { text, added } = newSideOf(diff, hunk);
        const fragment = { path, text: text.toString(), startLine: hunk.newStart, added };
        return { fragment, readWhole: () => readWhole(path) };
      }),
  );
}

/** The first `count` of a shuffled list (Fisher and Yates). */
function draw<T>(values: readonly T[], count: number, seed: number): T[] {
  const random = createRandom(seed);
  const left = [...values];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const at = random.between(0, left.length);
    const last = left.pop();
    const chosen = at === left.length ? last : left[at];
    if (at < left.length && last !== undefined) left[at] = last;
    if (chosen !== undefined) drawn.push(chosen);
  }
  return drawn;
}
