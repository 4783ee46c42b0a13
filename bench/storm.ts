import { loadavg } from 'node:os';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { readProfiles } from './daemon/profile.ts';
import { threadCpuUs, usedBetween } from './daemon/thread-cpu.ts';
import { type Strain, watchDuring } from './daemon/watch.ts';
import { describeDisk } from './disk.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';
import { type BareIntake, startBareIntake } from './storm/bare-intake.ts';
import { startBeside } from './storm/beside.ts';
import type { BesideResult } from './storm/beside-message.ts';
import { checkLedger, type LedgerCheck, readStoredPushes } from './storm/ledger.ts';
import type { LoadOutcome } from './storm/load-message.ts';
import { openStage, type Stage, waitForDrain, waitForVerdict } from './storm/stage.ts';
import { BODY_BYTES } from './storm/webhooks.ts';

const REPOS = 50;
const COUNT = 4_000;
const CONNECTIONS = [16, 64, 256];
/** Of the traffic, for the first repository. */
const FLOODED_SHARE = 0.6;
const READS_PER_SECOND = 100;
const ANALYZES_PER_SECOND = 4;
/** Repositories whose verdicts are timed one by one, and how often. */
const PROBED = 8;
const PROBES = 2;
const FLOOD_PER_SECOND = 100;
/** What the record of a push weighs, with its summary. */
const RECORD_BYTES = 2_400;
const DRAIN_MS_MAX = 3_600_000;
const FAULTS_SHOWN = 20;

/** A storm of signed webhooks on a real daemon with a real Git host, while others use it too. */
export async function run(options: RunOptions): Promise<Report> {
  const stage = await openStage({ repos: REPOS, seed: options.seed });
  const profileDir = `${stage.path}/profiles`;
  const disk = describeDisk(stage.path);
  try {
    const daemon = await startHostedDaemon({
      dataDir: stage.dataDir,
      settings: stage.settings,
      ...(options.profile && { profileDir }),
    });
    const isIntakeOnly = options.only.includes('intake');
    const probes = isIntakeOnly ? null : await probeVerdicts(stage, daemon, options);
    const storm = await runStorm(stage, daemon, options);
    if (isIntakeOnly) {
      await daemon.stop();
      return intakeReport(storm, options.profile ? readProfiles(profileDir) : []);
    }
    const drain = await drainQueue(daemon);
    options.progress(`storm: drained after ${drain.seconds.toFixed(0)} s`);
    await daemon.stop();
    const check = checkLedger(await stage.load.ledger(), readStoredPushes(stage.dataDir));
    return {
      title: 'A storm of webhooks (SQLite)',
      facts: [
        `${REPOS} repositories on a host of kind file:///, ${Math.round(FLOODED_SHARE * 100)} % of ` +
          `the pushes to one of them; payloads of ${BODY_BYTES / 1024} KiB, 10 % sent twice, 5 % ` +
          `force pushes, one push of 25 MB, one payload of 25 MB; seed ${options.seed}`,
        `beside it: ${READS_PER_SECOND} reads/s (rfc/<id>, prod-check) and ${ANALYZES_PER_SECOND} ` +
          'analyze/s',
        disk,
        loadFact(),
      ],
      tables: [
        { columns: INTAKE_COLUMNS, rows: storm.rows },
        { columns: BARE_COLUMNS, rows: storm.bareRows },
        besideTable(storm.beside, storm.strain),
        ...(probes === null ? [] : [probes]),
        ledgerTable(check, drain, stage),
        ...(options.profile ? readProfiles(profileDir) : []),
      ],
      notes: [
        'bare: uWebSockets.js, HMAC, JSON.parse and an insert of as many bytes by a SQLite writer ' +
          'thread, with nothing else (bench/storm/bare-intake-process.ts); both in turn',
        'us of a thread each: CPU that it used for one webhook, which the load of the machine ' +
          'touches least; 10^6 / the larger of main and writer is what a free core for each takes',
        'the writer also claims, supersedes and completes; git and the gates run all the time',
        ...check.faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      ],
      holds: check.faults.length === 0 && check.bodies === check.rfcs && drain.isDone,
    };
  } finally {
    await stage.close();
  }
}

/** For work on the intake: nothing is waited for, nothing is proved. */
function intakeReport({ rows, bareRows, strain }: StormResult, profiles: Table[]): Report {
  return {
    title: 'A storm of webhooks, the intake alone',
    facts: [
      loadFact(),
      `lag p99 ${strain.lagP99Ms.toFixed(1)} ms, RSS ${strain.rssMaxMb.toFixed(0)} MB`,
    ],
    tables: [
      { columns: INTAKE_COLUMNS, rows },
      { columns: BARE_COLUMNS, rows: bareRows },
      ...profiles,
    ],
    notes: [],
    holds: true,
  };
}

function loadFact(): string {
  return `load average at the end: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`;
}

const INTAKE_COLUMNS = [
  'connections',
  'webhooks/s',
  'p50, ms',
  'p99, ms',
  'max, ms',
  'statuses',
  'main thread, us each',
  'busiest other thread, us each',
  'CPU of the load, us each',
];

const BARE_COLUMNS = [
  'connections',
  'bare webhooks/s',
  'p99, ms',
  'main thread, us each',
  'writer, us each',
  'rate: daemon / bare',
  'main thread: daemon / bare',
];

interface StormResult {
  rows: Cell[][];
  bareRows: Cell[][];
  beside: BesideResult;
  strain: Strain;
}

async function runStorm(
  stage: Stage,
  daemon: HostedDaemon,
  options: RunOptions,
): Promise<StormResult> {
  const bare = await startBareIntake(stage.path, stage.secret, RECORD_BYTES);
  const cases = options.connections === null ? CONNECTIONS : [options.connections];
  const count = Math.ceil((options.count ?? COUNT) / cases.length);
  const isWhole = !options.only.includes('intake');
  const rfcs = await newestRfcs(daemon);
  const beside = startBeside({
    port: daemon.port,
    rfcIds: rfcs,
    repos: stage.field.repos.slice(1, PROBED).map(({ name }) => name),
    analyzeBodies: [analyzeBody()],
    readsPerSecond: isWhole ? READS_PER_SECOND : 0,
    analyzesPerSecond: isWhole ? ANALYZES_PER_SECOND : 0,
  });
  const rows: Cell[][] = [];
  const bareRows: Cell[][] = [];
  const { strain } = await watchDuring(daemon, async () => {
    for (const [index, connections] of cases.entries()) {
      const run = { connections, count, name: `storm-${connections}`, resend: false };
      const floor = await loadBare(stage, bare, connections, Math.min(count, BARE_COUNT_MAX));
      const large = index === 0 && isWhole ? pushLarge(stage, daemon) : null;
      const storm = { ...run, port: daemon.port, floodedShare: FLOODED_SHARE, perSecond: null };
      const own = await loadOne(daemon.pid, () => stage.load.storm(storm));
      await large;
      rows.push(intakeRow(connections, own));
      bareRows.push(bareRow(connections, own, floor));
      options.progress(`storm: ${connections} connections done`);
    }
  });
  const result = await beside.stop();
  await bare.stop();
  return { rows, bareRows, beside: result, strain };
}

const BARE_COUNT_MAX = 5_000;

interface Measured {
  outcome: LoadOutcome;
  /** CPU seconds: main thread, then the others, the busiest first. */
  threads: number[];
}

async function loadOne(pid: number, load: () => Promise<LoadOutcome>): Promise<Measured> {
  const before = threadCpuUs(pid);
  const outcome = await load();
  return { outcome, threads: secondsSince(pid, before) };
}

/** The main thread first, then the busiest. */
function secondsSince(pid: number, before: ReadonlyMap<number, number>): number[] {
  const used = usedBetween(before, threadCpuUs(pid));
  const main = used.filter(({ thread }) => thread === pid);
  const others = used.filter(({ thread }) => thread !== pid);
  return [...main, ...others].map(({ us }) => us / 1e6);
}

/** The bare intake sees the same bytes; nothing of it is in the ledger. */
function loadBare(stage: Stage, { port, pid }: BareIntake, connections: number, count: number) {
  return loadOne(pid, () => stage.load.bare({ port, connections, count }));
}

/** A push of 25 MB, and a payload of 25 MB, amid the others. */
async function pushLarge({ load, field }: Stage, { port }: HostedDaemon): Promise<void> {
  const { largeCommit: after } = field;
  const common = { port, name: 'large', repo: 0 };
  await load.push({ ...common, ref: 'refs/heads/large', after, isLarge: false });
  await load.push({ ...common, ref: 'refs/heads/long', after: null, isLarge: true });
}

function usEach(seconds: number | undefined, { sent }: LoadOutcome): number {
  return ((seconds ?? 0) * 1e6) / sent;
}

function intakeRow(connections: number, { outcome, threads }: Measured): Cell[] {
  const { sent, seconds, p50Ms, p99Ms, maxMs, statuses, cpuSeconds } = outcome;
  const counted = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  const [main, other] = threads;
  return [
    ...[connections, sent / seconds, p50Ms, p99Ms, maxMs, counted.join(', ')],
    ...[usEach(main, outcome), usEach(other, outcome), usEach(cpuSeconds, outcome)],
  ];
}

function bareRow(connections: number, own: Measured, bare: Measured): Cell[] {
  const rate = ({ sent, seconds }: LoadOutcome) => sent / seconds;
  const mainEach = ({ threads, outcome }: Measured) => usEach(threads[0], outcome);
  return [
    ...[connections, rate(bare.outcome), bare.outcome.p99Ms],
    ...[mainEach(bare), usEach(bare.threads[1], bare.outcome)],
    ...[rate(own.outcome) / rate(bare.outcome), mainEach(own) / mainEach(bare)],
  ];
}

/** Verdicts of single pushes of some repositories: in quiet, then while another one is flooded. */
async function probeVerdicts(
  stage: Stage,
  daemon: HostedDaemon,
  options: RunOptions,
): Promise<Table> {
  const probeAll = async (name: string, rounds: number) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (let repo = 1; repo <= PROBED; repo += 1) {
        const run = { port: daemon.port, repo, name, after: null, isLarge: false };
        const start = performance.now();
        const { rfcId } = await stage.load.push({ ...run, ref: 'refs/heads/main' });
        if (rfcId === null) throw new Error('a webhook was not taken');
        await waitForVerdict(daemon.url, rfcId);
        times.push(performance.now() - start);
      }
    }
    return times;
  };
  await probeAll('warm', 1);
  const quiet = await probeAll('quiet', PROBES);
  options.progress('storm: quiet verdicts done');
  const flood = floodOne(stage, daemon);
  const flooded = await probeAll('beside', PROBES);
  const sent = await flood.stop();
  options.progress('storm: verdicts beside a flood done');
  const row = (name: string, times: number[]) => [
    ...[name, times.length, percentile(times, 0.5), percentile(times, 0.9)],
    percentile(times, 0.5) / percentile(quiet, 0.5),
  ];
  return {
    columns: ['verdicts of other repositories', 'pushes', 'p50, ms', 'p90, ms', 'p50 / quiet'],
    rows: [row('in quiet', quiet), row(`while one is flooded (${sent} webhooks)`, flooded)],
  };
}

/** Floods the first repository until it is told to stop. */
function floodOne({ load }: Stage, { port }: HostedDaemon): { stop(): Promise<number> } {
  let isStopping = false;
  const flood = async () => {
    let sent = 0;
    for (let round = 0; !isStopping; round += 1) {
      const run = { port, name: `flood-${round}`, connections: 8, resend: false };
      const outcome = await load.storm({
        ...run,
        count: FLOOD_PER_SECOND,
        perSecond: FLOOD_PER_SECOND,
        floodedShare: 1,
      });
      sent += outcome.sent;
    }
    return sent;
  };
  const flooding = flood();
  return {
    stop() {
      isStopping = true;
      return flooding;
    },
  };
}

function besideTable({ seconds, reads, analyzes, statuses }: BesideResult, strain: Strain): Table {
  const counted = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return {
    columns: ['during the storm', 'a second', 'p50, ms', 'p99, ms'],
    rows: [
      ['reads', reads.count / seconds, reads.p50Ms, reads.p99Ms],
      ['analyze, 4 KB', analyzes.count / seconds, analyzes.p50Ms, analyzes.p99Ms],
      ['their statuses', counted.join(', '), '', ''],
      ['lag of the main thread', '', strain.lagP50Ms, strain.lagP99Ms],
      ['lag, max', strain.lagMaxMs, '', ''],
      ['RSS max, MB', strain.rssMaxMb, '', ''],
    ],
  };
}

interface Drain {
  isDone: boolean;
  seconds: number;
  /** Of the daemon's own threads. */
  ownSeconds: number;
  /** Of git and of what else it starts. */
  childSeconds: number;
}

async function drainQueue(daemon: HostedDaemon): Promise<Drain> {
  const start = performance.now();
  const cpu = daemon.cpuSeconds();
  const before = threadCpuUs(daemon.pid);
  const isDone = await waitForDrain(daemon.url, DRAIN_MS_MAX);
  const seconds = (performance.now() - start) / 1000;
  const own = secondsSince(daemon.pid, before);
  const ownSeconds = own.reduce((sum, each) => sum + each, 0);
  const childSeconds = daemon.cpuSeconds() - cpu - ownSeconds;
  return { isDone, seconds, ownSeconds, childSeconds };
}

function ledgerTable(check: LedgerCheck, drain: Drain, stage: Stage): Table {
  const { acknowledged, bodies, rfcs, byStatus, faults } = check;
  const counted = Object.entries(byStatus).map(([status, count]) => `${status}: ${count}`);
  return {
    columns: ['what', 'number'],
    rows: [
      ['webhooks that were acknowledged (200)', acknowledged],
      ['different bodies among them', bodies],
      ['RFCs of webhooks in the store', rfcs],
      ['their statuses', counted.join(', ')],
      ['**lost, doubled or not final**', faults.length],
      ['after the last webhook, until nothing waited, s', drain.seconds],
      ['CPU of the daemon meanwhile, s', drain.ownSeconds],
      ['CPU of git and other children meanwhile, s', drain.childSeconds],
      ['commit statuses posted', stage.statuses],
    ],
  };
}

async function newestRfcs({ url }: HostedDaemon): Promise<string[]> {
  const response = await fetch(`${url}/rfcs`);
  const { data } = (await response.json()) as { data: { rfc_id: string }[] };
  return data.map(({ rfc_id }) => rfc_id);
}

function analyzeBody(): string {
  const lines = Array.from({ length: 100 }, (_, at) => `+    total_${at} = basket[${at}] * 2\n`);
  const head =
    'diff --git a/src/a.py b/src/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/src/a.py\n';
  const diff = `${head}@@ -0,0 +1,100 @@\n${lines.join('')}`;
  return JSON.stringify({ repo_name: 'acme/basket', branch: 'main', commit_message: 'x', diff });
}
