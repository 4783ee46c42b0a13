import { loadavg } from 'node:os';
import { type BareServer, startBareServer } from './bare/bare.ts';
import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { type Callers, openCallers } from './daemon/callers.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { readProfiles } from './daemon/profile.ts';
import { threadCpuUs, usedBetween } from './daemon/thread-cpu.ts';
import { watchDuring } from './daemon/watch.ts';
import { makeTemporary } from './disk.ts';
import {
  findLoadGenerator,
  type LoadGenerator,
  type LoadRequest,
  type LoadResult,
} from './load/load.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { ANALYZE_PATH, analyzeBody } from './request-body.ts';

const DIFF_BYTES = 10_000;
/** RFCs that are there before anything is read, and read in turn. */
const RFCS = 200;
const REPOS = 40;
const READ_CONNECTIONS = 16;
/** The storm beside the reads. */
const ANALYZE_CONNECTIONS = 16;
/** Until V8 has compiled what is hot. */
const WARM_UP_SECONDS = 2;

/** prod-check, rfc/<id> and rfcs, by token and by JWT, alone and beside as much analyze as goes. */
export async function run(options: RunOptions): Promise<Report> {
  const corpus = sized(await openCorpus(options, 'plain'), DIFF_BYTES);
  const callers = await openCallers();
  const bodies = corpus.diffs
    .slice(0, RFCS)
    .map((diff, index) => analyzeBody(diff, `acme/shop-${index % REPOS}`));
  const generator = findLoadGenerator();
  const temporary = makeTemporary();
  const profileDir = `${temporary.path}/profiles`;
  const loadBefore = loadText();
  const daemon = await startHostedDaemon({
    dataDir: `${temporary.path}/data`,
    settings: callers.settings,
    ...(options.profile && { profileDir }),
  });
  const bare = await startBareServer(temporary.path);
  try {
    const ids = await submitAll(daemon, bodies, callers);
    const bench = { daemon, bare, generator, options, callers, bodies };
    const rows: Cell[][] = [];
    for (const { name, paths } of readsOf(ids)) {
      rows.push(...(await measureKind(bench, name, paths)));
      options.progress(`reads: ${name} done`);
    }
    await daemon.stop();
    return {
      title: 'Reads with authentication, alone and during an analyze storm',
      facts: [
        describeCorpus(corpus),
        `load: ${generator.name} on the same machine; ${READ_CONNECTIONS} connections read; the ` +
          `storm is analyze of 10 KB diffs on ${ANALYZE_CONNECTIONS} connections without a pause`,
        `load average of the machine: ${loadBefore} before, ${loadText()} after`,
      ],
      tables: [{ columns: COLUMNS, rows }, ...(options.profile ? readProfiles(profileDir) : [])],
      notes: [
        'both loads and the daemon share the cores of the machine',
        'bare: uWebSockets.js answering as many bytes from memory; a storm beside it is on bare, too',
      ],
      holds: true,
    };
  } finally {
    callers.close();
    await bare.stop();
    temporary.remove();
  }
}

const COLUMNS = [
  'read',
  'by',
  'beside',
  'reads/s',
  'p50, ms',
  'p99, ms',
  'failed',
  'analyze/s beside',
  'CPU of the main thread, us each',
  'of the store reader, us each',
  'lag p99, ms',
  'bare, reads/s',
  'daemon / bare',
];

function readsOf(ids: readonly string[]): { name: string; paths: string[] }[] {
  const repos = Array.from({ length: REPOS }, (_, index) => `acme/shop-${index}`);
  return [
    { name: 'GET prod-check/<repo>', paths: repos.map((repo) => `/api/cra/prod-check/${repo}`) },
    { name: 'GET rfc/<id>', paths: ids.map((id) => `/api/cra/rfc/${id}`) },
    { name: 'GET rfcs (50)', paths: ['/api/cra/rfcs'] },
  ];
}

interface Bench {
  daemon: HostedDaemon;
  bare: BareServer;
  generator: LoadGenerator;
  options: RunOptions;
  callers: Callers;
  bodies: readonly Buffer[];
}

async function measureKind(bench: Bench, name: string, paths: string[]): Promise<Cell[][]> {
  const { daemon, bare, generator, options, callers } = bench;
  const connections = options.connections ?? READ_CONNECTIONS;
  const load = { connections, seconds: options.seconds };
  const bytes = await bytesOf(daemon, paths[0] ?? '', callers);
  const rows: Cell[][] = [];
  for (const [by, headers] of [
    ['token', callers.machine],
    ['JWT', callers.person],
  ] as const) {
    const requests = paths.map((path) => ({ path, body: null, headers }));
    const warmUp = { ...load, seconds: WARM_UP_SECONDS, requests, port: daemon.port };
    await generator.run(warmUp);
    for (const isStorm of [false, true]) {
      const same = [{ path: `/bytes/${bytes}`, body: null, headers }];
      const [floor] = await loadBoth(bench, bare.port, same, isStorm);
      const { cells, rate } = await measure(bench, requests, isStorm);
      const bareRate = floor.requests / floor.seconds;
      rows.push([name, by, ...cells, bareRate, rate / bareRate]);
    }
  }
  return rows;
}

/** Reads, and the storm beside them; null: there is none. */
function loadBoth(
  { generator, options, callers, bodies }: Bench,
  port: number,
  requests: readonly LoadRequest[],
  isStorm: boolean,
): Promise<[LoadResult, LoadResult | null]> {
  const common = { port, seconds: options.seconds };
  const connections = options.connections ?? READ_CONNECTIONS;
  const headers = callers.machine;
  const analyzed = bodies.map((body) => ({ path: ANALYZE_PATH, body, headers }));
  const storm = { ...common, connections: ANALYZE_CONNECTIONS, requests: analyzed };
  return Promise.all([
    generator.run({ ...common, connections, requests }),
    isStorm ? generator.run(storm) : null,
  ]);
}

async function measure(
  bench: Bench,
  requests: readonly LoadRequest[],
  isStorm: boolean,
): Promise<{ cells: Cell[]; rate: number }> {
  const { daemon } = bench;
  const before = threadCpuUs(daemon.pid);
  const { result, strain } = await watchDuring(daemon, () =>
    loadBoth(bench, daemon.port, requests, isStorm),
  );
  const used = usedBetween(before, threadCpuUs(daemon.pid));
  const [read, beside] = result;
  const main = used.find(({ thread }) => thread === daemon.pid)?.us ?? 0;
  const reader = used.find(({ thread }) => thread !== daemon.pid)?.us ?? 0;
  const rate = read.requests / read.seconds;
  const cells = [
    isStorm ? 'storm' : 'nothing',
    rate,
    read.p50Ms,
    read.p99Ms,
    read.failed + (beside?.failed ?? 0),
    beside === null ? 0 : beside.requests / beside.seconds,
    // In a storm they do more than reads.
    isStorm ? '-' : main / read.requests,
    isStorm ? '-' : reader / read.requests,
    strain.lagP99Ms,
  ];
  return { cells, rate };
}

/** Posts the bodies one after the other; gives the ids of their RFCs. */
async function submitAll(
  daemon: HostedDaemon,
  bodies: readonly Buffer[],
  { machine: headers }: Callers,
): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const response = await fetch(`${daemon.url}/analyze`, { method: 'POST', body, headers });
    const answer = (await response.json()) as { data: { rfc_id: string } };
    ids.push(answer.data.rfc_id);
  }
  return ids;
}

async function bytesOf(daemon: HostedDaemon, path: string, { machine }: Callers): Promise<number> {
  const response = await fetch(new URL(path, daemon.url), { headers: machine });
  return (await response.arrayBuffer()).byteLength;
}

function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
