import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { readProfiles } from './daemon/profile.ts';
import { watchDuring } from './daemon/watch.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { findLoadGenerator, type LoadGenerator, type LoadRequest } from './load/load.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { ANALYZE_PATH, analyzeBody } from './request-body.ts';

const DIFF_BYTES = 10_000;
/** Different diffs; enough that no cache of ours could hold their answers, if there were one. */
const BODIES = 64;
const CONNECTIONS = [8, 64];
const WARM_UP_SECONDS = 2;

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
    const load = { port: daemon.port, seconds: WARM_UP_SECONDS, connections: 8, requests };
    await generator.run(load);
    const rows: Cell[][] = [];
    const cases = options.connections === null ? CONNECTIONS : [options.connections];
    for (const connections of cases) {
      rows.push(
        await measure(daemon, generator, { ...load, connections, seconds: options.seconds }),
      );
      options.progress(`analyze: ${connections} connections done`);
    }
    await daemon.stop();
    return {
      title: 'POST analyze over HTTP, durable (SQLite)',
      facts: [
        describeCorpus(corpus),
        `${requests.length} of them in turn`,
        disk,
        loadFact(generator),
      ],
      tables: [{ columns: COLUMNS, rows }, ...(options.profile ? readProfiles(profileDir) : [])],
      notes: [],
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

async function measure(
  daemon: HostedDaemon,
  generator: LoadGenerator,
  load: Parameters<LoadGenerator['run']>[0],
): Promise<Cell[]> {
  const { result, strain } = await watchDuring(daemon, () => generator.run(load));
  return [
    load.connections,
    result.requests / result.seconds,
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
}

function loadFact({ name }: LoadGenerator): string {
  return `load: ${name} on the same machine, loopback; daemon: settings as they come`;
}
