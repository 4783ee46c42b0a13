import { readFileSync } from 'node:fs';
import { openCorpus, sized } from '../../bench/corpus/corpus.ts';
import { type HostedDaemon, startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { makeTemporary } from '../../bench/disk.ts';
import { findLoadGenerator, type LoadRequest } from '../../bench/load/load.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { ANALYZE_PATH, analyzeBody } from '../../bench/request-body.ts';

const MINUTES = 60;
const CONNECTIONS = 16;
const DIFF_BYTES = 10_000;
const PLAIN_BODIES = 40;
const SCRIPT_BODIES = 8;
const READS = ['rfcs?limit=50', 'stats', 'prod-check/acme/shop'];
/** RSS of the daemon, its children not included. */
const RSS_MB_MAX = 400;
/** RSS at the end beside that after a sixth of the time. */
const GROWTH_MAX = 1.1;
const ROWS = 12;

/** Memory of a daemon under full load for an hour (`--count` minutes). */
export async function run(options: RunOptions): Promise<Report> {
  const minutes = options.count ?? MINUTES;
  const requests = await makeRequests(options);
  const generator = findLoadGenerator();
  const temporary = makeTemporary();
  const daemon = await startHostedDaemon({ dataDir: `${temporary.path}/data` });
  const samples: Sample[] = [];
  let answered = 0;
  let failed = 0;
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      const load = { connections: CONNECTIONS, seconds: 60, requests };
      const result = await generator.run({ ...load, port: daemon.port });
      answered += result.requests;
      failed += result.failed;
      samples.push({ minute, answered, failed, ...(await memoryOf(daemon)) });
      options.progress(`memory: minute ${minute}, ${answered} answers`);
    }
    const { threadsReplaced } = await daemon.sample();
    const max = Math.max(...samples.map(({ rssMb }) => rssMb));
    const growth = growthOf(samples);
    return {
      title: 'Memory under load',
      facts: [
        `${CONNECTIONS} connections, ${generator.name}; of ${requests.length} requests in turn ` +
          `${PLAIN_BODIES} analyze 10 KB of text, ${SCRIPT_BODIES} 10 KB of JS/TS, ${READS.length} read`,
      ],
      tables: [
        {
          columns: ['minute', 'answers', 'failed', 'RSS of the daemon, MB', 'of its children'],
          rows: someOf(samples).map(({ minute, answered, failed, rssMb, childrenMb }): Cell[] => [
            ...[minute, answered, failed, rssMb, childrenMb],
          ]),
        },
      ],
      notes: [
        `RSS at most ${max.toFixed(0)} MB (bound ${RSS_MB_MAX}), at the end ${growth.toFixed(2)} ` +
          `times that after a sixth of the time (bound ${GROWTH_MAX}); scan threads replaced: ` +
          `${threadsReplaced}`,
      ],
      holds: failed === 0 && max <= RSS_MB_MAX && growth <= GROWTH_MAX,
    };
  } finally {
    await daemon.stop();
    temporary.remove();
  }
}

interface Sample {
  minute: number;
  answered: number;
  failed: number;
  rssMb: number;
  childrenMb: number;
}

async function makeRequests(options: RunOptions): Promise<LoadRequest[]> {
  const bodies = async (content: 'plain' | 'script', count: number) =>
    sized(await openCorpus(options, content), DIFF_BYTES)
      .diffs.slice(0, count)
      .map((diff): LoadRequest => ({ path: ANALYZE_PATH, body: analyzeBody(diff) }));
  return [
    ...(await bodies('plain', PLAIN_BODIES)),
    ...(await bodies('script', SCRIPT_BODIES)),
    ...READS.map((path) => ({ path: `/api/cra/${path}`, body: null })),
  ];
}

async function memoryOf(daemon: HostedDaemon) {
  const { rssMb, childPids } = await daemon.sample();
  const childrenMb = childPids.reduce((sum, pid) => sum + rssMbOf(pid), 0);
  return { rssMb, childrenMb };
}

/** 0 where the process has ended since. */
function rssMbOf(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kib ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

function growthOf(samples: readonly Sample[]): number {
  const early = samples[Math.floor(samples.length / 6)];
  const last = samples.at(-1);
  return early === undefined || last === undefined ? Number.NaN : last.rssMb / early.rssMb;
}

/** The first minute, the last, and some in between. */
function someOf(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(samples.length / ROWS);
  return samples.filter(
    ({ minute }) => minute === 1 || minute % step === 0 || minute === samples.length,
  );
}
