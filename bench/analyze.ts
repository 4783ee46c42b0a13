import { type BareServer, startBareServer } from './bare/bare.ts';
import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { readProfiles } from './daemon/profile.ts';
import { watchDuring } from './daemon/watch.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { findLoadGenerator, type Load, type LoadGenerator, type LoadRequest } from './load/load.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { ANALYZE_PATH, analyzeBody } from './request-body.ts';

const DIFF_BYTES = 10_000;
/** Different diffs; enough that no cache of ours could hold their answers, if there were one. */
const BODIES = 64;
const CONNECTIONS = [8, 64];
/** Until V8 has compiled what is hot; at 500/s that takes most of it. */
const WARM_UP_SECONDS = 10;

/** POST analyze of 10 KB diffs without JS/TS over HTTP, durable, on a real daemon. */
export async function run(options: RunOptions): Promise<Report> {
  const corpus = sized(await openCorpus(options, 'plain'), DIFF_BYTES);
  const requests: LoadRequest[] = corpus.diffs
    .slice(0, BODIES)
    .map((diff) => ({ path: ANALYZE_PATH, body: analyzeBody(diff) }));
  const generator = findLoadGenerator();
  const temporary = makeTemporary();
  const disk = describeDisk(temporary.path);
  const profileDir = `${temporary.path}/profiles`;
  const daemon = await startHostedDaemon({
    dataDir: `${temporary.path}/data`,
    ...(options.profile && { profileDir }),
  });
  try {
    const rows: Cell[][] = [];
    const bareRows: Cell[][] = [];
    const cases = options.connections === null ? CONNECTIONS : [options.connections];
    const bare = await startBareServer(temporary.path);
    // In turn, so that what else the machine does meets both.
    for (const [index, connections] of cases.entries()) {
      const load = { connections, seconds: options.seconds, requests };
      const warmUp = { ...load, seconds: WARM_UP_SECONDS };
      if (index === 0) await generator.run({ ...warmUp, port: bare.port });
      const floor = await measureBare(bare, generator, load);
      if (index === 0) await generator.run({ ...warmUp, port: daemon.port });
      const { cells, rate } = await measure(daemon, generator, { ...load, port: daemon.port });
      rows.push(cells);
      bareRows.push([...floor.cells, rate / floor.rate]);
      options.progress(`analyze: ${connections} connections done`);
    }
    await bare.stop();
    await daemon.stop();
    return {
      title: 'POST analyze over HTTP, durable (SQLite)',
      facts: [
        describeCorpus(corpus),
        `${requests.length} of them in turn`,
        disk,
        loadFact(generator),
      ],
      tables: [
        { columns: COLUMNS, rows },
        { columns: BARE_COLUMNS, rows: bareRows },
        ...(options.profile ? readProfiles(profileDir) : []),
      ],
      notes: [
        'bare: the same bodies through uWebSockets.js, two piscina threads (JSON, SHA-256, brotli) ' +
          'and a SQLite writer, with nothing of the product around them (bench/bare)',
      ],
      holds: true,
    };
  } finally {
    temporary.remove();
  }
}

const COLUMNS = [
  'connections',
  'requests/s',
  'p50, ms',
  'p99, ms',
  'max, ms',
  'failed',
  'CPU of the daemon, ms each',
  'CPU of the load, ms each',
  'lag p99, ms',
  'lag max, ms',
  'RSS max, MB',
];

const BARE_COLUMNS = [
  'connections',
  'bare requests/s',
  'p99, ms',
  'failed',
  'CPU of the bare server, ms each',
  'daemon / bare',
];

async function measureBare(
  bare: BareServer,
  generator: LoadGenerator,
  load: Omit<Load, 'port'>,
): Promise<{ cells: Cell[]; rate: number }> {
  const cpu = bare.cpuSeconds();
  const result = await generator.run({ ...load, port: bare.port });
  const cpuMsEach = ((bare.cpuSeconds() - cpu) * 1000) / result.requests;
  const rate = result.requests / result.seconds;
  const cells = [load.connections, rate, result.p99Ms, result.failed, cpuMsEach];
  return { cells, rate };
}

async function measure(
  daemon: HostedDaemon,
  generator: LoadGenerator,
  load: Load,
): Promise<{ cells: Cell[]; rate: number }> {
  const { result, strain } = await watchDuring(daemon, () => generator.run(load));
  const rate = result.requests / result.seconds;
  const cells = [
    load.connections,
    rate,
    result.p50Ms,
    result.p99Ms,
    result.maxMs,
    result.failed,
    (strain.cpuSeconds * 1000) / result.requests,
    (result.cpuSeconds * 1000) / result.requests,
    strain.lagP99Ms,
    strain.lagMaxMs,
    strain.rssMaxMb,
  ];
  return { cells, rate };
}

function loadFact({ name }: LoadGenerator): string {
  return `load: ${name} on the same machine, loopback; daemon: settings as they come`;
}
