import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startBareServer } from './bare/bare.ts';
import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { openCallers } from './daemon/callers.ts';
import { startHostedDaemon } from './daemon/hosted-daemon.ts';
import { readProfiles } from './daemon/profile.ts';
import { cpuByKind, namingOption, THREAD_KINDS, type ThreadKind } from './daemon/thread-cpu.ts';
import { makeTemporary } from './disk.ts';
import { percentile } from './harness.ts';
import { findLoadGenerator, type LoadGenerator, type LoadRequest } from './load/load.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';
import { ANALYZE_PATH, analyzeBody } from './request-body.ts';
import { startBareIntake } from './storm/bare-intake.ts';
import { openStage } from './storm/stage.ts';
import { BODY_BYTES } from './storm/webhooks.ts';

/**
 * What a request may cost: CPU of a thread as a share of what bare takes for it. An analyze of
 * 10 KB is held against all threads of the bare server together; a webhook of 32 KB against the
 * same thread of the bare intake.
 */
const BUDGET: Readonly<Record<Part, Partial<Record<ThreadKind, number>>>> = {
  analyze: { main: 0.12, scan: 0.9, writer: 0.18, reader: 0.04 },
  intake: { main: 1.2, writer: 1.3 },
};
type Part = 'analyze' | 'intake';

const ROUNDS = 3;
const DIFF_BYTES = 10_000;
const BODIES = 64;
const ANALYZE_CONNECTIONS = [8, 64];
const INTAKE_CONNECTIONS = [64];
const WEBHOOKS = 3_000;
const REPOS = 20;
const FLOODED_SHARE = 0.6;
/** What the record of a push weighs, with its summary. */
const RECORD_BYTES = 2_400;
/** Until V8 has compiled what is hot. */
const WARM_UP_SECONDS = 10;

/** CPU by thread of a request beside bare, in rounds, so that what else runs meets all alike. */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const bench = {
    options,
    path: temporary.path,
    names: join(temporary.path, 'threads'),
    profiles: join(temporary.path, 'profiles'),
    rounds: options.count ?? ROUNDS,
    trees: [
      { name: 'this tree', dist: null },
      ...(options.data === null ? [] : [{ name: 'the other tree', dist: options.data }]),
    ],
  };
  mkdirSync(bench.names);
  const isWanted = (part: Part) => options.only.length === 0 || options.only.includes(part);
  const loadBefore = loadText();
  try {
    const analyze = isWanted('analyze') ? await measureAnalyze(bench) : null;
    const intake = isWanted('intake') ? await measureIntake(bench) : null;
    const parts = [analyze, intake].flatMap((part) => part ?? []);
    const rows = parts.flatMap(budgetRows);
    return {
      title: 'CPU of a request by thread, and its budget',
      facts: [
        ...parts.map(({ fact }) => fact),
        `${bench.rounds} rounds, bare and the trees in turn; medians`,
        `load average of the machine: ${loadBefore} before, ${loadText()} after`,
      ],
      tables: [
        ...parts.map(costTable),
        { columns: BUDGET_COLUMNS, rows },
        ...(options.profile ? readProfiles(bench.profiles) : []),
      ],
      notes: [
        'main, scan, writer, reader: CPU of these threads; other: helpers of V8 and libuv, git ' +
          'thread; children (AST, git) are not counted',
        'budget of analyze: a share of all threads of bare; of intake: of the same thread of bare',
        'bare has no credentials to check, and commits record and diff as one row',
      ],
      holds: rows.every((row) => row.at(-1) !== 'passed'),
    };
  } finally {
    temporary.remove();
  }
}

interface Bench {
  options: RunOptions;
  path: string;
  /** Where threads leave their names. */
  names: string;
  profiles: string;
  rounds: number;
  /** `dist` null: of this tree. */
  trees: readonly { name: string; dist: string | null }[];
}

/** One server in one round. */
interface Sample {
  perSecond: number;
  p99Ms: number;
  failed: number;
  /** us a request. */
  us: Record<ThreadKind, number>;
}

interface PartResult {
  part: Part;
  fact: string;
  /** By connections, then by server: bare first, then the trees. */
  cases: { connections: number; servers: { name: string; samples: Sample[] }[] }[];
}

interface Load {
  requests: number;
  seconds: number;
  p99Ms: number;
  failed: number;
}

interface Server {
  name: string;
  pid: number;
  load(connections: number, isWarmUp: boolean): Promise<Load>;
}

async function inRounds(
  { rounds, names, options }: Bench,
  part: Part,
  { servers, connections }: { servers: readonly Server[]; connections: readonly number[] },
): Promise<PartResult['cases']> {
  const asked = options.connections === null ? connections : [options.connections];
  const cases = asked.map((count) => ({
    connections: count,
    servers: servers.map(({ name }) => ({ name, samples: [] as Sample[] })),
  }));
  for (const server of servers) await server.load(asked[0] ?? 1, true);
  for (let round = 1; round <= rounds; round += 1) {
    for (const each of cases) {
      for (const [index, server] of servers.entries()) {
        const sample = await measureOne(server, each.connections, names);
        each.servers[index]?.samples.push(sample);
      }
    }
    options.progress(`budget: ${part}, round ${round} done`);
  }
  return cases;
}

async function measureOne(server: Server, connections: number, names: string): Promise<Sample> {
  const before = cpuByKind(server.pid, names);
  const { requests, seconds, p99Ms, failed } = await server.load(connections, false);
  const after = cpuByKind(server.pid, names);
  const us = Object.fromEntries(
    THREAD_KINDS.map((kind) => [kind, (after[kind] - before[kind]) / requests]),
  ) as Sample['us'];
  return { perSecond: requests / seconds, p99Ms, failed, us };
}

async function measureAnalyze(bench: Bench): Promise<PartResult> {
  const { options, path, names } = bench;
  const corpus = sized(await openCorpus(options, 'plain'), DIFF_BYTES);
  const callers = await openCallers();
  const requests: LoadRequest[] = corpus.diffs
    .slice(0, BODIES)
    .map((diff) => ({ path: ANALYZE_PATH, body: analyzeBody(diff), headers: callers.machine }));
  const generator = findLoadGenerator();
  const at = (port: number) => loadOf(generator, { port, requests, seconds: options.seconds });
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const bare = await startBareServer(path, [namingOption(names)]);
    undo.push(bare.stop);
    const servers: Server[] = [{ name: 'bare', pid: bare.pid, load: at(bare.port) }];
    for (const [index, { name, dist }] of bench.trees.entries()) {
      const daemon = await startHostedDaemon({
        dataDir: join(path, `analyze-${index}`),
        settings: callers.settings,
        execArgv: [namingOption(names)],
        ...(dist !== null && { dist }),
        ...(options.profile && index === 0 && { profileDir: bench.profiles }),
      });
      undo.push(daemon.stop);
      servers.push({ name, pid: daemon.pid, load: at(daemon.port) });
    }
    const cases = await inRounds(bench, 'analyze', { servers, connections: ANALYZE_CONNECTIONS });
    const fact = `analyze: ${describeCorpus(corpus)}; API token, SQLite; load: ${generator.name}`;
    return { part: 'analyze', fact, cases };
  } finally {
    callers.close();
    for (const stop of undo.reverse()) await stop();
  }
}

function loadOf(
  generator: LoadGenerator,
  { seconds, ...load }: { port: number; requests: readonly LoadRequest[]; seconds: number },
): Server['load'] {
  return (connections, isWarmUp) =>
    generator.run({ ...load, connections, seconds: isWarmUp ? WARM_UP_SECONDS : seconds });
}

async function measureIntake(bench: Bench): Promise<PartResult> {
  const { options, path, names } = bench;
  const callers = await openCallers();
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const servers: Server[] = [];
    for (const [index, { name, dist }] of bench.trees.entries()) {
      // A stage for each: what one daemon is told, the other has never heard of.
      const stage = await openStage({ repos: REPOS, seed: options.seed });
      undo.push(stage.close);
      if (index === 0) {
        const bareDir = join(path, 'bare-intake');
        mkdirSync(bareDir);
        const args = [bareDir, stage.secret, RECORD_BYTES, [namingOption(names)]] as const;
        const { port, pid, stop } = await startBareIntake(...args);
        undo.push(stop);
        const load = async (connections: number) =>
          asLoad(await stage.load.bare({ port, connections, count: WEBHOOKS }));
        servers.push({ name: 'bare', pid, load });
      }
      const { port, pid, stop } = await startHostedDaemon({
        dataDir: stage.dataDir,
        settings: { ...callers.settings, ...stage.settings },
        execArgv: [namingOption(names)],
        ...(dist !== null && { dist }),
        ...(options.profile && index === 0 && { profileDir: bench.profiles }),
      });
      undo.push(stop);
      let turn = 0;
      const load = async (connections: number) => {
        turn += 1;
        const what = { connections, count: WEBHOOKS, name: `budget-${turn}`, resend: false };
        const how = { floodedShare: FLOODED_SHARE, perSecond: null };
        return asLoad(await stage.load.storm({ port, ...what, ...how }));
      };
      servers.push({ name, pid, load });
    }
    const cases = await inRounds(bench, 'intake', { servers, connections: INTAKE_CONNECTIONS });
    const fact =
      `intake: ${WEBHOOKS} signed webhooks of ${BODY_BYTES / 1024} KiB a round for ${REPOS} ` +
      'repositories; claims, git and the gates go on meanwhile';
    return { part: 'intake', fact, cases };
  } finally {
    callers.close();
    for (const stop of undo.reverse()) await stop();
  }
}

function asLoad({ sent, seconds, p99Ms, statuses }: Outcome): Load {
  return { requests: sent, seconds, p99Ms, failed: sent - (statuses['200'] ?? 0) };
}

type Outcome = Awaited<ReturnType<Awaited<ReturnType<typeof openStage>>['load']['storm']>>;

const COST_COLUMNS = [
  'connections',
  'server',
  'requests/s',
  'of bare',
  'p99, ms',
  'failed',
  ...THREAD_KINDS.map((kind) => `${kind}, us each`),
  'together, us each',
  'of bare',
];

function costTable({ part, cases }: PartResult): Table {
  const rows = cases.flatMap(({ connections, servers }) => {
    const [bare] = servers;
    return servers.map(({ name, samples }): Cell[] => [
      ...[connections, `${part}: ${name}`],
      median(samples.map(({ perSecond }) => perSecond)),
      medianRatio(samples, bare?.samples, ({ perSecond }) => perSecond),
      median(samples.map(({ p99Ms }) => p99Ms)),
      samples.reduce((sum, { failed }) => sum + failed, 0),
      ...THREAD_KINDS.map((kind) => median(samples.map(({ us }) => us[kind]))),
      median(samples.map(togetherUs)),
      medianRatio(samples, bare?.samples, togetherUs),
    ]);
  });
  return { columns: COST_COLUMNS, rows };
}

const BUDGET_COLUMNS = ['request', 'connections', 'thread', 'tree', 'share', 'budget', 'budget is'];

function budgetRows({ part, cases }: PartResult): Cell[][] {
  return cases.flatMap(({ connections, servers: [bare, ...trees] }) =>
    Object.entries(BUDGET[part]).flatMap(([kind, budget]) => {
      const ofThread = ({ us }: Sample) => us[kind as ThreadKind];
      const whole = part === 'analyze' ? togetherUs : ofThread;
      return trees.map(({ name, samples }, index): Cell[] => {
        const share = medianRatio(samples, bare?.samples, ofThread, whole);
        const is = share <= budget ? 'kept' : index === 0 ? 'passed' : 'passed (other tree)';
        return [part, connections, kind, name, share, budget, is];
      });
    }),
  );
}

function togetherUs({ us }: Sample): number {
  return Object.values(us).reduce((sum, each) => sum + each, 0);
}

/** Round by round, as the machine is not the same in all of them. */
function medianRatio(
  samples: readonly Sample[],
  bare: readonly Sample[] | undefined,
  of: (sample: Sample) => number,
  ofBare = of,
): number {
  const ratios = samples.map((sample, round) => {
    const beside = bare?.[round];
    return beside === undefined ? Number.NaN : of(sample) / ofBare(beside);
  });
  return median(ratios);
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
