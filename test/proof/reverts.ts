import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import { createGit } from '../../src/git/git.ts';
import { createGroups } from '../../src/git/launcher.ts';
import { createRead, type Mirror, type Read } from '../../src/git/mirrors.ts';
import { findReverts } from '../../src/git/reverts.ts';
import type { FoundRevert } from '../../src/rpc/source-contract.ts';
import { runGit } from '../run-git.ts';

const PYDRILLER = 'pydriller==2.12';
const LABELS = fileURLToPath(new URL('../../../test/proof/pydriller-labels.py', import.meta.url));
/** Of one history, at most: as many as the service looks at. */
const COMMITS_MAX = 5_000;
const AGREEMENT_MIN = 0.95;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const DIFFERENT_SHOWN = 40;
const SHORT_CHARS = 10;

interface Compared {
  name: string;
  commits: number;
  /** Of which the patch is not compared. */
  unread: number;
  ours: ReadonlyMap<string, string>;
  others: ReadonlyMap<string, string>;
}

/**
 * Reverts of real histories as the service finds them, beside labels that a script reads with
 * PyDriller from the same commits: messages by GitPython, patches by their text before and after.
 */
export async function run({ repos, commits, progress }: RunOptions): Promise<Report> {
  if (repos.length === 0) throw new TypeError('reverts needs --repo PATH, once or several times');
  const temporary = makeTemporary();
  const count = Math.min(COMMITS_MAX, commits);
  const compared: Compared[] = [];
  try {
    const packages = join(temporary.path, 'pydriller');
    const pip = ['-m', 'pip', 'install', '--quiet', '--target', packages, PYDRILLER];
    execFileSync('python3', pip, { stdio: 'pipe' });
    for (const path of repos) {
      const one = await compare(path, { temporary: temporary.path, packages, count });
      compared.push(one);
      progress(`reverts: ${one.name}, ${one.commits} commits, ${one.ours.size} reverts`);
    }
  } finally {
    temporary.remove();
  }
  return reportOf(compared);
}

async function compare(
  path: string,
  { temporary, packages, count }: { temporary: string; packages: string; count: number },
): Promise<Compared> {
  const name =
    path
      .replace(/\/+$/, '')
      .replace(/\/repo$/, '')
      .split('/')
      .at(-1) ?? path;
  // The service writes attributes into its mirrors.
  const dir = join(temporary, `${name}.git`);
  runGit(['clone', '--quiet', '--bare', '--shared', path, dir]);
  const inMirror = (...args: string[]) =>
    runGit(['--git-dir', dir, ...args])
      .toString()
      .trim();
  const list = ['rev-list', '--date-order', `--max-count=${count}`];
  const shas = inMirror(...list, 'HEAD').split('\n');
  const oldest = inMirror('log', '-1', '--format=%cI', shas.at(-1) ?? 'HEAD');
  const inWindow = new Set(shas);
  const git = createGit(temporary, createGroups());
  try {
    const mirror = { dir, format: 'sha1' } as Mirror;
    const unreadable = unreadableOf(inMirror, shas);
    const readAll = createRead(git, mirror, () => null);
    const read: Read = (args, options) =>
      readAll(args, args[0] === 'diff-tree' ? without(unreadable, options) : options);
    const head = shas[0] ?? '';
    const repository = { host: 'proof', repo_full_name: name };
    const found = await findReverts(read, { ...repository, head, since: oldest });
    const env = { ...process.env, PYTHONPATH: packages };
    const told = execFileSync('python3', [LABELS, dir], {
      input: shas.map((sha) => `${sha} ${unreadable.has(sha) ? 'message' : 'whole'}\n`).join(''),
      env,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    const labels = JSON.parse(told.toString()) as [string, string, FoundRevert['how']][];
    return {
      name,
      commits: shas.length,
      unread: unreadable.size,
      ours: pairs(found.reverts.filter(({ sha, by }) => inWindow.has(sha) && inWindow.has(by))),
      others: pairs(labels.map(([sha, by, how]) => ({ sha, by, how }))),
    };
  } finally {
    await git.close();
  }
}

/** Commits that change a file whose text the copy of the history lacks. */
function unreadableOf(
  git: (...args: string[]) => string,
  shas: readonly string[],
): ReadonlySet<string> {
  const objects = git('rev-list', '--objects', '--missing=print', ...shas.slice(0, 1));
  const missing = new Set(objects.split('\n').flatMap((line) => /^\?(\w+)/.exec(line)?.[1] ?? []));
  if (missing.size === 0) return new Set();
  const raw = ['log', '--raw', '--no-abbrev', '--no-renames', '--format=%x00%H'];
  const commits = git(...raw, `--max-count=${2 * shas.length}`).split('\0');
  const lacks = (text: string) =>
    (text.match(/\b[0-9a-f]{40,64}\b/g) ?? []).some((id) => missing.has(id));
  return new Set(commits.filter(lacks).map((text) => text.slice(0, text.indexOf('\n'))));
}

function without(shas: ReadonlySet<string>, options: Parameters<Read>[1]): Parameters<Read>[1] {
  const lines = (options?.input ?? Buffer.alloc(0)).toString().split('\n');
  return { ...options, input: Buffer.from(lines.filter((line) => !shas.has(line)).join('\n')) };
}

function pairs(reverts: readonly FoundRevert[]): Map<string, string> {
  return new Map(reverts.map(({ sha, by, how }) => [`${sha} ${by}`, how]));
}

function reportOf(compared: readonly Compared[]): Report {
  const rows = compared.map((one) => rowOf(one.name, [one]));
  const all = sumOf(compared);
  const different = compared.flatMap(({ name, ours, others }) => [
    ...[...ours].filter(([pair]) => !others.has(pair)).map((one) => shown(name, one, 'cra')),
    ...[...others].filter(([pair]) => !ours.has(pair)).map((one) => shown(name, one, 'PyDriller')),
  ]);
  return {
    title: 'Reverts, beside labels of PyDriller',
    facts: [
      `${PYDRILLER}; of each history the newest commits (--commits), at most ${COMMITS_MAX.toLocaleString('en')}`,
      'a label is a pair of a reverted and a reverting commit; the agreement is the share of ' +
        'labels of either that both have',
    ],
    tables: [
      {
        columns: [
          'history',
          'commits',
          'patches not read',
          'labels of cra',
          'by patch alone',
          'labels of PyDriller',
          'both',
          'agreement',
        ],
        rows: [...rows, rowOf('all', compared)],
      },
      {
        columns: ['labels that one alone has', 'reverted', 'by', 'how'],
        rows: different.slice(0, DIFFERENT_SHOWN),
      },
    ],
    notes: [
      `${different.length} labels are of one alone` +
        (different.length > DIFFERENT_SHOWN ? `, of which ${DIFFERENT_SHOWN} are shown` : ''),
    ],
    holds: all.both / Math.max(1, all.either) >= AGREEMENT_MIN,
  };
}

function sumOf(compared: readonly Compared[]) {
  const sum = { commits: 0, unread: 0, ours: 0, byPatch: 0, others: 0, both: 0, either: 0 };
  for (const { commits, unread, ours, others } of compared) {
    sum.commits += commits;
    sum.unread += unread;
    sum.ours += ours.size;
    sum.byPatch += [...ours.values()].filter((how) => how === 'patch').length;
    sum.others += others.size;
    sum.both += [...ours.keys()].filter((pair) => others.has(pair)).length;
    sum.either += new Set([...ours.keys(), ...others.keys()]).size;
  }
  return sum;
}

function rowOf(name: string, compared: readonly Compared[]): (string | number)[] {
  const { commits, unread, ours, byPatch, others, both, either } = sumOf(compared);
  const agreement = either === 0 ? '–' : `${((100 * both) / either).toFixed(1)} %`;
  return [name, commits, unread, ours, byPatch, others, both, agreement];
}

function shown(name: string, [pair, how]: [string, string], by: string): string[] {
  const [sha = '', reverting = ''] = pair.split(' ');
  return [`${name}: ${by}`, sha.slice(0, SHORT_CHARS), reverting.slice(0, SHORT_CHARS), how];
}
