import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { treeCpuSeconds } from '../src/cli/replay-summary.ts';
import { startFakeVendor } from '../test/gates/review/fake-vendor.ts';
import { startMongod } from '../test/mongod/mongod.ts';
import { llmSettings } from '../test/proof/llm/world.ts';
import { readPushes } from '../test/proof/site.ts';
import { childrenOf } from './daemon/processes.ts';
import { type ServedDaemon, startServedDaemon } from './daemon/served-daemon.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { checkLedger } from './storm/ledger.ts';
import { openStage } from './storm/stage.ts';

/** Each gets one push at once: a second one would supersede it, or bring what it brings. */
const REPOS = 80;
/** Of a core, for each daemon with its children. */
const SHARE = 0.35;
const PERIOD_US = 100_000;
const GROUPS = '/sys/fs/cgroup/cpu';
/** What the model waits before it answers, and calls of one daemon at once. */
const ANSWER_MS = 300;
const CALLS_AT_ONCE = 1;
const POLL_MS = 100;
const DRAIN_MS_MAX = 300_000;

interface Arm {
  daemons: number;
  /** One of them ends by kill -9 once all webhooks are answered. */
  isKilled?: true;
  /** Gate 3 reviews each push. */
  isReviewed?: true;
}

const ARMS: readonly Arm[] = [
  ...[1, 2, 4].map((daemons) => ({ daemons })),
  { daemons: 2, isKilled: true },
  ...[1, 2, 4].map((daemons) => ({ daemons, isReviewed: true as const })),
];

/**
 * What 1, 2 and 4 daemons of one MongoDB judge, each with a share of a core (a group of cgroup v1,
 * so root): webhooks in turn to all of them, one push a repository (`--count`).
 */
export async function run(options: RunOptions): Promise<Report> {
  if (!existsSync(join(GROUPS, 'cpu.cfs_quota_us'))) {
    throw new Error(`${GROUPS} is not the CPU controller of cgroup v1, which limits the daemons`);
  }
  const repos = options.count ?? REPOS;
  const runs: Measured[] = [];
  for (const arm of ARMS) {
    runs.push(await measure(arm, { repos, seed: options.seed }));
    options.progress(`daemons: ${runs.at(-1)?.name} measured`);
  }
  const alone = (arm: Arm) =>
    runs.find((one) => one.arm.daemons === 1 && one.arm.isReviewed === arm.isReviewed)?.perSecond;
  const faults = runs.flatMap((one) => one.faults);
  return {
    title: `Several daemons of ${SHARE} of a core each (MongoDB)`,
    facts: [
      `seed ${options.seed}; ${repos} webhooks for as many repositories, at once, after as many ` +
        'to warm up; one scan thread each',
      `gate 3: a model that answers after ${ANSWER_MS} ms, ${CALLS_AT_ONCE} call of a daemon at once`,
      `load average at the end: ${loadavg()[0]?.toFixed(1)}`,
    ],
    tables: [
      {
        columns: [
          ...['daemons', 'until nothing waits, s', 'RFCs with verdict', 'a second'],
          ...['of one daemon', 'judged more than once', 'calls of the model'],
          ...['CPU of an RFC, ms', 'CPU of each daemon, s', 'from kill -9 until nothing waits, s'],
        ],
        rows: runs.map((one): Cell[] => [
          ...[one.name, one.seconds, one.judged, one.perSecond],
          one.perSecond / (alone(one.arm) ?? Number.NaN),
          ...[one.again, one.calls],
          (one.cpu.reduce((sum, each) => sum + each, 0) / one.judged) * 1e3,
          one.cpu.map((each) => each.toFixed(1)).join(', '),
          one.killedSeconds ?? '',
        ]),
      },
    ],
    notes: ['CPU of a killed daemon is not counted', ...faults.map((fault) => `FAULT: ${fault}`)],
    holds: faults.length === 0,
  };
}

interface Measured {
  arm: Arm;
  name: string;
  seconds: number;
  judged: number;
  perSecond: number;
  /** Runs of gate 1 beyond one for each of them. */
  again: number;
  calls: number;
  /** Seconds of each daemon that lived. */
  cpu: number[];
  killedSeconds: number | null;
  faults: string[];
}

async function measure(
  arm: Arm,
  { repos, seed }: { repos: number; seed: number },
): Promise<Measured> {
  const undo: (() => unknown)[] = [];
  const stage = await openStage({ repos, seed });
  undo.push(stage.close);
  const mongod = await startMongod({ folder: join(stage.path, 'mongod') });
  undo.push(mongod.stop);
  const vendor = await startFakeVendor({ teardown: (step) => undo.push(step) });
  vendor.script = () => ({ kind: 'answer', after: delay(ANSWER_MS) });
  const storeUrl = mongod.url.replace('/?', '/cra?');
  const key = () => randomBytes(32).toString('hex');
  const settings = {
    ...stage.settings,
    ...(arm.isReviewed ? llmSettings(stage.path, vendor, { concurrency: CALLS_AT_ONCE }) : {}),
    SERVICE_STORE_URL: storeUrl,
    SERVICE_THREADS: '1',
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
  };
  const client = await MongoClient.connect(storeUrl);
  undo.push(() => client.close());
  const rfcs = client.db().collection('rfcs');
  const drained = async () => {
    const end = performance.now() + DRAIN_MS_MAX;
    while ((await rfcs.countDocuments({ status: 'DRAFT' })) > 0) {
      if (performance.now() > end) throw new Error('the queue did not drain');
      await delay(POLL_MS);
    }
  };
  const daemons: ServedDaemon[] = [];
  const post = async (name: string) => {
    for (const [repo, { refs }] of stage.field.repos.entries()) {
      const port = daemons[repo % daemons.length]?.port ?? 0;
      await stage.load.push({ port, name, repo, ref: refs[0] ?? '', after: null, isLarge: false });
    }
  };
  try {
    for (let index = 0; index < arm.daemons; index += 1) {
      const daemon = await startServedDaemon(join(stage.path, `daemon-${index}`), settings);
      undo.push(() => daemon.exited);
      undo.push(() => kill(daemon));
      daemons.push(daemon);
    }
    await post('warm');
    await drained();
    const warm = (await readPushes(storeUrl)).length;
    const calls = vendor.requests.length;
    const gatedBefore = await gatedBy(daemons);
    // A group is removed when its processes are gone: behind the steps that end them.
    for (const { pid } of daemons) undo.splice(-2 * arm.daemons, 0, limit(pid));
    const cpuBefore = daemons.map(({ pid }) => treeCpuSeconds(pid) ?? 0);
    const started = performance.now();
    await post('storm');
    const victim = arm.isKilled ? daemons.pop() : undefined;
    let gated = -gatedBefore;
    if (victim !== undefined) {
      gated += await gatedBy([victim]);
      kill(victim);
    }
    const killed = performance.now();
    await drained();
    const ended = performance.now();
    const seconds = (ended - started) / 1e3;
    const pushes = await readPushes(storeUrl);
    const judged = pushes.length - warm;
    gated += await gatedBy(daemons);
    const ledger = checkLedger(await stage.load.ledger(), pushes);
    return {
      arm,
      name: nameOf(arm),
      seconds,
      judged,
      perSecond: judged / seconds,
      again: gated - judged,
      calls: vendor.requests.length - calls,
      cpu: daemons.map(({ pid }, at) => (treeCpuSeconds(pid) ?? 0) - (cpuBefore[at] ?? 0)),
      killedSeconds: victim === undefined ? null : (ended - killed) / 1e3,
      faults: ledger.faults,
    };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function nameOf({ daemons, isKilled, isReviewed }: Arm): string {
  if (isKilled) return `${daemons}, of which kill -9 ends one`;
  return isReviewed ? `${daemons}, with gate 3` : String(daemons);
}

/** How often these daemons have run gate 1. */
async function gatedBy(daemons: readonly ServedDaemon[]): Promise<number> {
  let runs = 0;
  for (const { url } of daemons) {
    const response = await fetch(`${url}/dispatcher/status`, { headers: { accept: 'text/plain' } });
    const counts = (await response.text()).matchAll(GATE_1);
    for (const [, count] of counts) runs += Number(count);
  }
  return runs;
}

const GATE_1 = /^cra_gate_duration_seconds_count{gate="risk",[^}]*} (\d+)$/gm;

function kill({ pid }: ServedDaemon): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Moves a process and its children into a group of its own; what removes the empty group. */
function limit(pid: number): () => void {
  const group = join(GROUPS, `cra-bench-${pid}`);
  mkdirSync(group);
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(SHARE * PERIOD_US));
  const all = [pid];
  for (const one of all) {
    all.push(...childrenOf(one));
    writeFileSync(join(group, 'cgroup.procs'), String(one));
  }
  return () => rmdirSync(group);
}
