import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../random.ts';

/** A repository on the host, whose refs move along its lines of commits. */
export interface FieldRepo {
  /** `acme/repo-00`. */
  name: string;
  /** Histories that begin alike and then differ: to go to another one is a force push. */
  lines: readonly (readonly string[])[];
  /** Full names. A flooded repository has more of them. */
  refs: readonly string[];
}

/** Bare repositories in one folder, as a host of kind `file:///` has them. */
export interface GitField {
  root: string;
  repos: readonly FieldRepo[];
  /** A commit of the first repository that adds a file of 25 MB. */
  largeCommit: string;
}

export interface FieldOptions {
  root: string;
  repos: number;
  seed: number;
}

const LINES = 8;
const COMMITS = 20;
const FLOODED_REFS = 30;
const OTHER_REFS = 2;
const LARGE_BYTES = 25_000_000;
const FILES = 12;

/** Makes the repositories with `git fast-import`: small ones, and one with a push of 25 MB. */
export function makeGitField({ root, repos, seed }: FieldOptions): GitField {
  const made = Array.from({ length: repos }, (_, index) => {
    const name = `acme/repo-${String(index).padStart(2, '0')}`;
    const count = index === 0 ? FLOODED_REFS : OTHER_REFS;
    const refs = Array.from({ length: count }, (_, at) => refName(at));
    const { lines, large } = makeRepo(join(root, `${name}.git`), seed + index, index === 0);
    return { repo: { name, lines, refs }, large };
  });
  return {
    root,
    repos: made.map(({ repo }) => repo),
    largeCommit: made[0]?.large ?? '',
  };
}

function refName(at: number): string {
  return at === 0 ? 'refs/heads/main' : `refs/heads/topic-${at}`;
}

function makeRepo(dir: string, seed: number, hasLarge: boolean) {
  mkdirSync(dir, { recursive: true });
  git(dir, ['init', '--quiet', '--bare', '--initial-branch=main', dir]);
  const { stream, marks } = importStream(seed, hasLarge);
  const marksPath = join(dir, 'marks');
  git(dir, ['--git-dir', dir, 'fast-import', '--quiet', `--export-marks=${marksPath}`], stream);
  const ids = new Map<number, string>();
  for (const line of readFileSync(marksPath, 'utf8').split('\n')) {
    const [mark, id] = line.split(' ');
    if (mark?.startsWith(':') && id) ids.set(Number(mark.slice(1)), id);
  }
  const idOf = (mark: number) => ids.get(mark) ?? '';
  return { lines: marks.lines.map((line) => line.map(idOf)), large: idOf(marks.large) };
}

/** The format: https://git-scm.com/docs/git-fast-import */
function importStream(seed: number, hasLarge: boolean) {
  const random = createRandom(seed);
  const parts: Buffer[] = [];
  let mark = 0;
  const commit = (branch: string, from: number | null, files: [path: string, text: Buffer][]) => {
    mark += 1;
    const message = `Change ${mark} of ${branch}`;
    const head = [
      `commit refs/kept/${branch}`,
      `mark :${mark}`,
      `committer A Person <a.person@example.com> ${1_700_000_000 + mark} +0000`,
      `data ${message.length}\n${message}`,
      ...(from === null ? [] : [`from :${from}`]),
    ];
    parts.push(Buffer.from(`${head.join('\n')}\n`));
    for (const [path, text] of files) {
      parts.push(Buffer.from(`M 100644 inline ${path}\ndata ${text.length}\n`), text, NEWLINE);
    }
    return mark;
  };
  const file = (): [string, Buffer] => [
    `src/part-${random.between(0, FILES)}.py`,
    sourceText(random.between(10, 60), random.between(0, 1e9)),
  ];
  const root = commit('root', null, [file()]);
  const lines = Array.from({ length: LINES }, (_, line) => {
    let from = root;
    return Array.from({ length: COMMITS }, () => {
      from = commit(`line-${line}`, from, [file()]);
      return from;
    });
  });
  const large = hasLarge ? commit('large', root, [['data/table.csv', largeText()]]) : 0;
  return { stream: Buffer.concat(parts), marks: { lines, large } };
}

const NEWLINE = Buffer.from('\n');

function sourceText(lines: number, seed: number): Buffer {
  const rows = Array.from(
    { length: lines },
    (_, at) => `    total_${at} = basket[${at}] * ${seed + at}`,
  );
  return Buffer.from(`def part(basket):\n${rows.join('\n')}\n    return total_0\n`);
}

function largeText(): Buffer {
  const row = (at: number) => `${at},${createHash('sha256').update(String(at)).digest('base64')}\n`;
  const rows: string[] = [];
  for (let bytes = 0, at = 0; bytes < LARGE_BYTES; at += 1) {
    const text = row(at);
    rows.push(text);
    bytes += text.length;
  }
  return Buffer.from(rows.join(''));
}

function git(cwd: string, args: readonly string[], input?: Buffer): Buffer {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' };
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd,
    env,
    input,
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.toString()}`);
  return stdout;
}
