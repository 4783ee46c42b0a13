import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { deliver } from './daemon/deliver.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { childrenOf } from './daemon/processes.ts';
import { makeTemporary } from './disk.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import { createRandom } from './random.ts';
import type { Cell, Report } from './report.ts';
import { waitForVerdict } from './storm/stage.ts';

const PUSHES = 60;
const NAME = 'acme/mono';
/** Files that a measured push changes, in as many folders. */
const CHANGED_FILES = 5;
/** Pushes that are not counted: V8 compiles what is hot. */
const WARM_PUSHES = 10;
/** What a push to a large repository may take beside one of 2,000 files. */
const RATIO_MAX = 1.3;

interface Shape {
  files: number;
  commits: number;
  /** Refs of pull requests that the host keeps. */
  refs: number;
  /** A repository whose history and refs these commits are added to. */
  from?: string;
}

const SHAPES: readonly Shape[] = [
  { files: 2_000, commits: 2_000, refs: 0 },
  { files: 2_000, commits: 2_000, refs: 100_000 },
  { files: 300_000, commits: 200_000, refs: 0 },
];

/**
 * Pushes to very large repositories beside those to a small one, in turn; --data: of that tree.
 * --repo: to real histories, copied, with the same commits added.
 */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const count = Math.max(2 * WARM_PUSHES, options.count ?? PUSHES);
  const secret = randomBytes(24).toString('hex');
  const arms: Arm[] = [];
  const shapes = shapesOf(options, count);
  try {
    for (const shape of shapes) {
      const home = join(temporary.path, `arm-${arms.length}`);
      const commits = await makeRepository(join(home, 'host', `${NAME}.git`), shape, {
        count,
        seed: options.seed,
      });
      arms.push(await openArm(home, { commits, secret, dist: options.data }));
      options.progress(`large: ${shape.files} files, ${shape.commits} commits are there`);
    }
    for (let at = 0; at < count; at += 1) {
      for (const arm of arms) await push(arm, at, secret);
      if (at % 10 === 0) options.progress(`large: ${at + 1} pushes to each`);
    }
    const summaries = arms.map(summarise);
    const [small] = summaries as [Summary, ...Summary[]];
    const names = Object.keys(small) as (keyof Summary)[];
    const rows = names.map((name): Cell[] => [name, ...summaries.map((each) => each[name])]);
    const of = 'a push: verdict, wall ms, p50';
    const ratios = summaries.map((each) => each[of] / small[of]);
    return {
      title: 'Pushes to very large repositories (SQLite)',
      facts: [
        `${count} pushes of one commit that changes ${CHANGED_FILES} files, the first ` +
          `${WARM_PUSHES} not counted; a daemon for each repository, in turn; host: a folder`,
        `seed ${options.seed}; load average at the end: ${loadavg()[0]?.toFixed(1)}`,
      ],
      tables: [
        {
          columns: ['', ...shapes.map(headingOf)],
          rows: [...rows, ['ratio of the verdict', ...ratios]],
        },
      ],
      notes: [
        'CPU is that of the daemon, of its git and of the git of the host',
        'first clone: from the webhook of the first push to its verdict',
      ],
      holds: ratios.every((ratio) => ratio <= RATIO_MAX),
    };
  } finally {
    for (const { daemon } of arms) await daemon.stop();
    temporary.remove();
  }
}

function shapesOf({ repos }: RunOptions, count: number): readonly Shape[] {
  const [small, ...large] = SHAPES as [Shape, ...Shape[]];
  if (repos.length === 0) return [small, ...large];
  const real = repos.map((from) => ({ files: small.files, commits: count + 1, refs: 0, from }));
  return [small, ...real];
}

function headingOf({ files, commits, refs, from }: Shape): string {
  if (from !== undefined) {
    const read = (...args: string[]) =>
      execFileSync('git', ['--git-dir', from, ...args], { maxBuffer: 2 ** 28 }).toString();
    const tree = read('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n').length;
    const found = read('for-each-ref', '--format=.').trim().split('\n').length;
    const all = read('rev-list', '--count', '--all').trim();
    return `${basename(from)}: ${tree} files, ${all} commits, ${found} refs`;
  }
  const pulls = refs === 0 ? '' : `, ${refs} pull requests`;
  return `${files} files, ${commits} commits${pulls}`;
}

/** A daemon with a repository of its own. */
interface Arm {
  daemon: HostedDaemon;
  dir: string;
  commits: readonly string[];
  verdictMs: number[];
  cpuMs: number[];
  /** The most that a process of git had in memory at the first push. */
  gitMb: number;
}

async function openArm(
  home: string,
  { commits, secret, dist }: { commits: string[]; secret: string; dist: string | null },
): Promise<Arm> {
  const vcs = join(home, 'vcs.json');
  const host = { id: 'forge', provider: 'github', url: `file://${join(home, 'host')}` };
  writeFileSync(vcs, JSON.stringify({ hosts: [{ ...host, webhook_secrets: [secret] }] }));
  const daemon = await startHostedDaemon({
    dataDir: join(home, 'data'),
    settings: { SERVICE_VCS_CONFIG: vcs },
    ...(dist === null ? {} : { dist }),
  });
  const dir = join(home, 'host', `${NAME}.git`);
  return { daemon, dir, commits, verdictMs: [], cpuMs: [], gitMb: 0 };
}

async function push(arm: Arm, at: number, secret: string): Promise<void> {
  const { daemon, dir, commits } = arm;
  const [before = '', after = ''] = commits.slice(at, at + 2);
  execFileSync('git', ['--git-dir', dir, 'update-ref', 'refs/heads/main', after]);
  const cpuSeconds = daemon.cpuSeconds();
  const look = () => {
    if (at === 0) arm.gitMb = Math.max(arm.gitMb, largestGitMb(daemon.pid));
  };
  const timer = setInterval(look, LOOK_MS);
  const started = performance.now();
  const rfcId = await deliver(daemon.url, { name: NAME, secret, before, after });
  await waitForVerdict(daemon.url, rfcId).finally(() => clearInterval(timer));
  arm.verdictMs.push(performance.now() - started);
  arm.cpuMs.push((daemon.cpuSeconds() - cpuSeconds) * 1e3);
}

const LOOK_MS = 100;

/** The most memory (MB) that a process of git below another process has had until now. */
function largestGitMb(pid: number): number {
  const sizes = childrenOf(pid).map((child) => {
    let status = '';
    try {
      status = readFileSync(`/proc/${child}/status`, 'utf8');
    } catch {
      // It has ended.
    }
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? '0';
    const own = status.startsWith('Name:\tgit\n') ? (Number(peak) * 1024) / 1e6 : 0;
    return Math.max(own, largestGitMb(child));
  });
  return Math.max(0, ...sizes);
}

function summarise({ verdictMs, cpuMs, gitMb }: Arm) {
  const [verdicts, cpu] = [verdictMs, cpuMs].map((all) => all.slice(WARM_PUSHES)) as [
    number[],
    number[],
  ];
  return {
    'first clone: wall, s': (verdictMs[0] ?? 0) / 1e3,
    'first clone: CPU, s': (cpuMs[0] ?? 0) / 1e3,
    'first clone: memory of the largest git, MB': gitMb,
    'a push: verdict, wall ms, p50': percentile(verdicts, 0.5),
    'a push: verdict, wall ms, p95': percentile(verdicts, 0.95),
    'a push: CPU, ms, mean': cpu.reduce((sum, each) => sum + each, 0) / cpu.length,
  };
}

type Summary = ReturnType<typeof summarise>;

/**
 * Writes so many commits of so many changed files behind those before; the first one has all files.
 * `isAdded`: to a repository that has commits.
 */
function commitWriter(
  dir: string,
  { files, isAdded, seed }: { files: number; isAdded: boolean; seed: number },
): (commits: number, changed: number) => Promise<void> {
  const random = createRandom(seed);
  const placeOf = (file: number) => `part-${file % 300}/dir-${Math.floor(file / 300) % 20}`;
  const change = (file: number) => {
    const lines = Array.from({ length: 12 }, () => {
      return `total = basket[${random.between(0, 99)}] * ${random.between(0, 1e9)}\n`;
    });
    const text = lines.join('');
    return `M 100644 inline ${placeOf(file)}/file-${file}.py\ndata ${text.length}\n${text}`;
  };
  let at = 0;
  return async (commits, changed) => {
    const importing = ['-c', `fastimport.unpackLimit=${LOOSE_MAX}`, '--git-dir', dir];
    const git = spawn('git', [...importing, 'fast-import', '--quiet'], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const write = async (text: string) => {
      if (!git.stdin.write(text)) await once(git.stdin, 'drain');
    };
    for (const end = at + commits; at < end; at += 1) {
      const who = `committer A Person <a.person@example.com> ${1_600_000_000 + at} +0000`;
      const isFirst = end - at === commits && (at > 0 || isAdded);
      const parent = isFirst ? 'from refs/heads/main^0\n' : '';
      await write(`commit refs/heads/main\n${who}\ndata 4\nmade\n${parent}`);
      if (at === 0) for (let file = 0; file < files; file += 1) await write(change(file));
      else
        for (let left = changed; left > 0; left -= 1) await write(change(random.between(0, files)));
    }
    git.stdin.end();
    await once(git, 'close');
  };
}

/** Objects of an import that a host keeps loose, as it does those of pushes. */
const LOOSE_MAX = 2_000;

/** One branch; answers its newest `count` commits and the one before them, oldest first. */
async function makeRepository(
  dir: string,
  { files, commits, refs, from }: Shape,
  { count, seed }: { count: number; seed: number },
): Promise<string[]> {
  mkdirSync(dir, { recursive: true });
  if (from === undefined) {
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', dir]);
  } else {
    execFileSync('git', ['clone', '--quiet', '--mirror', '--no-hardlinks', from, dir]);
    execFileSync('git', ['--git-dir', dir, 'update-ref', 'refs/heads/main', 'HEAD']);
  }
  const write = commitWriter(dir, { files, isAdded: from !== undefined, seed });
  await write(commits - count, 1);
  // Hosts pack what they have from time to time; what was pushed since is not packed.
  if (from === undefined) execFileSync('git', ['--git-dir', dir, 'repack', '-adqb']);
  await write(count, CHANGED_FILES);
  const args = ['--git-dir', dir, 'rev-list', '--reverse', `--max-count=${count + 1}`, 'main'];
  const newest = execFileSync('git', args).toString().trim().split('\n');
  if (refs > 0) {
    execFileSync('git', ['--git-dir', dir, 'pack-refs', '--all']);
    const pulls = Array.from({ length: refs }, (_, pull) => `refs/pull/${pull}/head`).sort();
    // Sorted by name, and heads come before pulls.
    const lines = pulls.map((name) => `${newest[0]} ${name}\n`);
    appendFileSync(join(dir, 'packed-refs'), lines.join(''));
  }
  return newest;
}
