import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { deliver } from './daemon/deliver.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { cpuByKind, namingOption, THREAD_KINDS, type ThreadKind } from './daemon/thread-cpu.ts';
import { makeTemporary } from './disk.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import { createRandom } from './random.ts';
import type { Cell, Report } from './report.ts';
import { waitForVerdict } from './storm/stage.ts';

const PUSHES = 5_000;
const COMPONENTS = 200;
/** Pushes of one arm, then as many of the other. */
const BLOCK = 10;
/** Until V8 has compiled what is hot. */
const WARM_BLOCKS = 3;
/** Of the pushes, those that bring what blocks; it is taken out so many pushes later. */
const BAD_PERCENT = 4;
const TAKEN_OUT_AFTER = 3;
/** Of the pushes, those that merge a commit made beside the branch. */
const MERGE_PERCENT = 10;
/** What all of a push may cost beside the same without components. */
const RATIO_MAX = 1.3;
const NAME = 'acme/mono';

/** Pushes to a monorepo of 200 components beside the same pushes without components, in turn. */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const count = Math.max(2 * BLOCK, options.count ?? PUSHES);
  const { seed } = options;
  const secret = randomBytes(24).toString('hex');
  const names = join(temporary.path, 'threads');
  mkdirSync(names);
  const arms: Arm[] = [];
  try {
    for (const components of [0, COMPONENTS]) {
      arms.push(await openArm(temporary.path, { components, count, secret, names, seed }));
    }
    const blocks = Math.floor(count / BLOCK);
    for (let block = 0; block < blocks; block += 1) {
      // Each is first as often as the other.
      const order = block % 2 === 0 ? arms : [...arms].reverse();
      for (const arm of order) await runBlock(arm, block, { secret, names });
      if (block % 10 === 9) options.progress(`monorepo: ${(block + 1) * BLOCK} pushes`);
    }
    const [without, parted] = arms.map(summarise) as [Summary, Summary];
    const rows = Object.keys(without).map((what): Cell[] => {
      const one = without[what] ?? 0;
      const other = parted[what] ?? 0;
      return [what, one, other, one === 0 ? 'n/a' : other / one];
    });
    const ratio = (parted['all CPU, ms'] ?? 0) / (without['all CPU, ms'] ?? 1);
    return {
      title: `Pushes to a monorepo of ${COMPONENTS} components (SQLite)`,
      facts: [
        `${count} pushes to one branch, each arm with a daemon of its own, in turn, ${BLOCK} at a ` +
          `time; 1 to 3 files of 1 or 2 of ${COMPONENTS} folders each, ${MERGE_PERCENT} % ` +
          `merges, ${BAD_PERCENT} % bring what blocks, which is taken out ` +
          `${TAKEN_OUT_AFTER} pushes later; seed ${options.seed}`,
        `load average at the end: ${loadavg()[0]?.toFixed(1)}`,
      ],
      tables: [{ columns: ['a push', 'no components', `${COMPONENTS}`, 'ratio'], rows }],
      notes: [
        'CPU: main, scan, writer and reader are threads of the daemon; the rest is git, its thread ' +
          'and the helpers of V8. The writer inserts, claims and writes the verdict',
        'intake: from the webhook to its answer; verdict: from there to the verdict',
      ],
      holds: ratio <= RATIO_MAX,
    };
  } finally {
    for (const { daemon } of arms) await daemon.stop();
    temporary.remove();
  }
}

interface ArmOptions {
  components: number;
  count: number;
  secret: string;
  names: string;
  seed: number;
}

/** A daemon with a repository of its own. */
interface Arm {
  daemon: HostedDaemon;
  dir: string;
  commits: readonly string[];
  head: string | null;
  samples: Sample[];
}

interface Sample {
  cpuMs: Record<ThreadKind, number>;
  allMs: number;
  intakeMs: number[];
  verdictMs: number[];
  statuses: string[];
}

async function openArm(path: string, options: ArmOptions): Promise<Arm> {
  const { components, secret, names } = options;
  const home = join(path, `arm-${components}`);
  const dir = join(home, 'host', `${NAME}.git`);
  const commits = makeRepository(dir, options);
  const vcs = join(home, 'vcs.json');
  const host = { id: 'forge', provider: 'github', url: `file://${join(home, 'host')}` };
  writeFileSync(vcs, JSON.stringify({ hosts: [{ ...host, webhook_secrets: [secret] }] }));
  const rules = join(home, 'rules.json');
  writeFileSync(rules, JSON.stringify(rulesWith(components)));
  const daemon = await startHostedDaemon({
    dataDir: join(home, 'data'),
    settings: { SERVICE_VCS_CONFIG: vcs, SERVICE_RULES_PATH: rules },
    execArgv: [namingOption(names)],
  });
  return { daemon, dir, commits, head: null, samples: [] };
}

function rulesWith(components: number): object {
  const part = (at: number) => ({
    id: `part-${at}`,
    repo: NAME,
    paths: [`services/part-${at}/**`],
  });
  return {
    version: 1,
    extends: 'default',
    risk_patterns: [
      {
        id: 'risk-acme-kill-switch',
        description: 'The kill switch',
        severity: 'high',
        regex: 'KILL_SWITCH',
        keywords: ['kill_switch'],
        message: 'the kill switch changes',
        fix: 'Ask.',
        source: 'https://wiki.example/kill-switch',
        examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill'] },
      },
    ],
    pipeline: { block_score: null },
    ...(components === 0
      ? {}
      : { components: Array.from({ length: components }, (_, n) => part(n)) }),
  };
}

/** Commits of one branch, in order; the first has a file of each folder. */
function makeRepository(dir: string, { count, seed }: ArmOptions): string[] {
  mkdirSync(dir, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', dir]);
  const random = createRandom(seed);
  const parts: string[] = [];
  let mark = 0;
  const commit = (files: Record<string, string>, from: number | null, merged: number | null) => {
    mark += 1;
    const lines = [
      `commit refs/kept/made\nmark :${mark}`,
      `committer A Person <a.person@example.com> ${1_700_000_000 + mark} +0000\ndata 4\nmade`,
      ...(from === null ? [] : [`from :${from}`]),
      ...(merged === null ? [] : [`merge :${merged}`]),
    ];
    for (const [name, text] of Object.entries(files)) {
      lines.push(`M 100644 inline ${name}\ndata ${text.length}\n${text}`);
    }
    parts.push(`${lines.join('\n')}\n`);
    return mark;
  };
  const text = (bad: boolean) =>
    Array.from({ length: random.between(10, 60) }, () => {
      return `total = basket[${random.between(0, 99)}] * ${random.between(0, 1e9)}\n`;
    }).join('') + (bad ? 'KILL_SWITCH = 1\n' : '');
  const folder = () => `services/part-${random.between(0, COMPONENTS)}`;
  const all = Array.from({ length: COMPONENTS }, (_, at) => `services/part-${at}/file-0.py`);
  const heads = [commit(Object.fromEntries(all.map((name) => [name, text(false)])), null, null)];
  const bad = new Map<number, string>();
  for (let at = 1; at < count; at += 1) {
    const files: Record<string, string> = {};
    for (let left = random.between(1, 4), place = folder(); left > 0; left -= 1) {
      if (random.between(0, 3) === 0) place = folder();
      files[`${place}/file-${random.between(0, 5)}.py`] = text(false);
    }
    const out = bad.get(at);
    if (out !== undefined) files[out] = text(false);
    else if (random.between(0, 100) < BAD_PERCENT) {
      const name = `${folder()}/bad.py`;
      files[name] = text(true);
      bad.set(at + TAKEN_OUT_AFTER, name);
    }
    const last = heads.at(-1) ?? null;
    // Git merges nothing here: what was made beside the branch is what the merge brings.
    const isMerge = random.between(0, 100) < MERGE_PERCENT;
    const beside = isMerge ? commit(files, last, null) : null;
    heads.push(commit(files, last, beside));
  }
  const marks = join(dir, 'marks');
  const args = ['--git-dir', dir, 'fast-import', '--quiet', '--force', `--export-marks=${marks}`];
  execFileSync('git', args, { input: parts.join(''), maxBuffer: 2 ** 26 });
  const ids = execFileSync('cat', [marks], { maxBuffer: 2 ** 26 })
    .toString()
    .split('\n');
  const byMark = new Map(ids.map((line) => line.split(' ') as [string, string]));
  return heads.map((each) => byMark.get(`:${each}`) ?? '');
}

async function runBlock(
  arm: Arm,
  block: number,
  { secret, names }: Pick<ArmOptions, 'secret' | 'names'>,
): Promise<void> {
  const { daemon, samples } = arm;
  const before = cpuByKind(daemon.pid, names);
  const allBefore = daemon.cpuSeconds();
  const sample: Sample = { cpuMs: before, allMs: 0, intakeMs: [], verdictMs: [], statuses: [] };
  for (const sha of arm.commits.slice(block * BLOCK, (block + 1) * BLOCK)) {
    execFileSync('git', ['--git-dir', arm.dir, 'update-ref', 'refs/heads/main', sha]);
    const started = performance.now();
    const rfcId = await deliver(daemon.url, {
      name: NAME,
      secret,
      before: arm.head,
      after: sha,
    });
    const taken = performance.now();
    sample.statuses.push(await waitForVerdict(daemon.url, rfcId));
    sample.intakeMs.push(taken - started);
    sample.verdictMs.push(performance.now() - taken);
    arm.head = sha;
  }
  const after = cpuByKind(daemon.pid, names);
  for (const kind of THREAD_KINDS) sample.cpuMs[kind] = (after[kind] - before[kind]) / 1e3;
  sample.allMs = (daemon.cpuSeconds() - allBefore) * 1e3;
  samples.push(sample);
}

type Summary = Record<string, number>;

function summarise({ samples }: Arm): Summary {
  const warm = samples.length > 2 * WARM_BLOCKS ? samples.slice(WARM_BLOCKS) : samples;
  const mean = (numbersOf: (sample: Sample) => number) =>
    warm.reduce((sum, sample) => sum + numbersOf(sample), 0) / (warm.length * BLOCK);
  const threads = THREAD_KINDS.filter((kind) => kind !== 'other').map((kind) => {
    return [`${kind} CPU, ms`, mean(({ cpuMs }) => cpuMs[kind])] as const;
  });
  const listed = (numbersOf: (sample: Sample) => number[]) => warm.flatMap(numbersOf);
  return {
    'all CPU, ms': mean(({ allMs }) => allMs),
    ...Object.fromEntries(threads),
    'intake, wall ms, p50': percentile(
      listed(({ intakeMs }) => intakeMs),
      0.5,
    ),
    'verdict, wall ms, p50': percentile(
      listed(({ verdictMs }) => verdictMs),
      0.5,
    ),
    'verdict, wall ms, p95': percentile(
      listed(({ verdictMs }) => verdictMs),
      0.95,
    ),
    'share BLOCKED': mean(({ statuses }) => statuses.filter((one) => one === 'BLOCKED').length),
  };
}
