import { DIFF_OPTIONS, type Git, readCommits, splitStream } from '../../src/cli/git.ts';
import type { ParsedDiff } from '../../src/diff/diff.ts';
import { parseDiff } from '../../src/diff/parse.ts';

/** How the parser's counts compare with git's own, file by file. */
export interface NumstatReport {
  commits: number;
  files: number;
  binaries: number;
  /** Commits whose diff is too large to be posted, and so was not parsed. */
  tooLarge: number;
  /** Diffs of git's own in which the parser found something it could not read. */
  problems: string[];
  mismatches: string[];
}

/** `+3 -4`, or `binary`, by path. */
type Counts = Map<string, string>;

/** Parses every commit of a history that is not a merge and compares it with `--numstat`. */
export async function compareWithNumstat(git: Git): Promise<NumstatReport> {
  const report: NumstatReport = {
    commits: 0,
    files: 0,
    binaries: 0,
    tooLarge: 0,
    problems: [],
    mismatches: [],
  };
  const numstats = readNumstats(git);
  for await (const { sha, diff } of readCommits(git, { count: null, numstat: false })) {
    const { value } = await numstats.next();
    if (value === undefined || value.sha !== sha) throw new Error(`git log differs at ${sha}`);
    report.commits += 1;
    if (diff === null) report.tooLarge += 1;
    else compare(sha, parseDiff(diff), value.counts, report);
  }
  return report;
}

function compare(sha: string, diff: ParsedDiff, git: Counts, report: NumstatReport): void {
  const ours = countsOf(diff);
  for (const { message } of diff.problems) report.problems.push(`${sha}: ${message}`);
  for (const path of new Set([...ours.keys(), ...git.keys()])) {
    const own = ours.get(path);
    const gits = git.get(path);
    report.files += 1;
    if (gits === BINARY) report.binaries += 1;
    // A file that only moved has no hunk and no marker: its diff does not tell what it holds.
    const isMoved = gits === BINARY && own === UNCHANGED;
    if (own !== gits && !isMoved)
      report.mismatches.push(`${sha} ${path}: parser ${own}, git ${gits}`);
  }
}

const BINARY = 'binary';
const UNCHANGED = '+0 -0';

/**
 * A change of kind, as from a file to a symlink, is two files in a diff and one in a numstat, in
 * which no line counts when one of the two is binary.
 */
function countsOf({ files }: ParsedDiff): Counts {
  const sums = new Map<string, { additions: number; deletions: number; isBinary: boolean }>();
  for (const { path, additions, deletions, content } of files) {
    const sum = sums.get(path) ?? { additions: 0, deletions: 0, isBinary: false };
    sum.additions += additions;
    sum.deletions += deletions;
    sum.isBinary ||= content === 'binary';
    sums.set(path, sum);
  }
  return new Map(
    [...sums].map(([path, { additions, deletions, isBinary }]) => [
      path,
      isBinary ? BINARY : `+${additions} -${deletions}`,
    ]),
  );
}

/** Stands before each commit; no path can hold it, as NUL ends paths. */
const DELIMITER = '\u0001commit\u0001';

async function* readNumstats(git: Git): AsyncGenerator<{ sha: string; counts: Counts }> {
  const { output, ended, stop } = git.stream([
    'log',
    '--no-merges',
    '--reverse',
    '--root',
    `--format=tformat:${DELIMITER}%H`,
    '--numstat',
    '-z',
    ...DIFF_OPTIONS,
    'HEAD',
    '--',
  ]);
  try {
    const unlimited = () => Number.MAX_SAFE_INTEGER;
    let isFirst = true;
    for await (const { bytes } of splitStream(output, Buffer.from(DELIMITER), unlimited)) {
      if (!isFirst) yield readNumstat(bytes.toString('utf8'));
      isFirst = false;
    }
    await ended;
  } finally {
    stop();
  }
}

const SHA = /^[0-9a-f]+/;
const ENTRY = /^(\d+|-)\t(\d+|-)\t(.*)$/s;

/** `SHA`, then fields that NUL ends: `1\t2\tpath`, or `1\t2\t`, old path, new path for renames. */
function readNumstat(text: string): { sha: string; counts: Counts } {
  const sha = SHA.exec(text)?.[0] ?? '';
  const fields = text
    .slice(sha.length)
    .replace(/^[\0\n]+/, '')
    .split('\0');
  const counts: Counts = new Map();
  for (let index = 0; index < fields.length; index += 1) {
    const [, additions, deletions, path] = ENTRY.exec(fields[index] ?? '') ?? [];
    if (path === undefined) continue;
    if (path === '') index += 2;
    const name = path === '' ? (fields[index] ?? '') : path;
    counts.set(name, additions === '-' ? BINARY : `+${additions} -${deletions}`);
  }
  return { sha, counts };
}
