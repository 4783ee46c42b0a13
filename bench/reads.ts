import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { watchDuring } from './daemon/watch.ts';
import { makeTemporary } from './disk.ts';
import { findLoadGenerator, type LoadGenerator, type LoadRequest } from './load/load.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { ANALYZE_PATH, analyzeBody } from './request-body.ts';

const DIFF_BYTES = 10_000;
/** RFCs that are there before anything is read, and read in turn. */
const RFCS = 200;
const READ_CONNECTIONS = 16;
/** The storm beside the reads. */
const ANALYZE_CONNECTIONS = 16;

/** GET rfc/<id> and GET rfcs, alone and while analyze is under as much load as it takes. */
export async function run(options: RunOptions): Promise<Report> {
  const corpus = sized(await openCorpus(options, 'plain'), DIFF_BYTES);
  const bodies = corpus.diffs.slice(0, RFCS).map((diff) => analyzeBody(diff));
  const generator = findLoadGenerator();
  const temporary = makeTemporary();
  const daemon = await startHostedDaemon({ dataDir: temporary.path });
  try {
    const ids = await submitAll(daemon, bodies);
    const reads: [string, LoadRequest[]][] = [
      ['GET rfc/<id>', ids.map((id) => ({ path: `/api/cra/rfc/${id}`, body: null }))],
      ['GET rfcs (50)', [{ path: '/api/cra/rfcs', body: null }]],
      ['GET health', [{ path: '/api/cra/health', body: null }]],
    ];
    const rows: Cell[][] = [];
    for (const [name, requests] of reads) {
      for (const storm of [null, bodies]) {
        rows.push([name, ...(await measure(daemon, generator, { requests, storm, options }))]);
      }
      options.progress(`reads: ${name} done`);
    }
    return {
      title: 'Reads, alone and during an analyze storm',
      facts: [
        describeCorpus(corpus),
        `load: ${generator.name} on the same machine; ${READ_CONNECTIONS} connections read; the ` +
          `storm is analyze of 10 KB diffs on ${ANALYZE_CONNECTIONS} connections without a pause`,
      ],
      tables: [{ columns: COLUMNS, rows }],
      notes: ['both loads and the daemon share the cores of the machine'],
      holds: true,
    };
  } finally {
    await daemon.stop();
    temporary.remove();
  }
}

const COLUMNS = [
  'read',
  'beside',
  'reads/s',
  'p50, ms',
  'p99, ms',
  'failed',
  'analyze/s beside',
  'CPU of the daemon, cores',
  'lag p99, ms',
];

interface Plan {
  requests: readonly LoadRequest[];
  storm: readonly Buffer[] | null;
  options: RunOptions;
}

async function measure(
  daemon: HostedDaemon,
  generator: LoadGenerator,
  { requests, storm, options }: Plan,
): Promise<Cell[]> {
  const common = { port: daemon.port, seconds: options.seconds };
  const { result, strain } = await watchDuring(daemon, () => {
    const analyzed = storm?.map((body) => ({ path: ANALYZE_PATH, body }));
    const connections = options.connections ?? READ_CONNECTIONS;
    return Promise.all([
      generator.run({ ...common, connections, requests }),
      analyzed === undefined
        ? null
        : generator.run({ ...common, connections: ANALYZE_CONNECTIONS, requests: analyzed }),
    ]);
  });
  const [read, beside] = result;
  return [
    beside === null ? 'nothing' : 'storm',
    read.requests / read.seconds,
    read.p50Ms,
    read.p99Ms,
    read.failed + (beside?.failed ?? 0),
    beside === null ? 0 : beside.requests / beside.seconds,
    strain.cpuSeconds / read.seconds,
    strain.lagP99Ms,
  ];
}

/** Posts the bodies one after the other; gives the ids of their RFCs. */
async function submitAll(daemon: HostedDaemon, bodies: readonly Buffer[]): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const response = await fetch(`${daemon.url}/analyze`, { method: 'POST', body });
    const answer = (await response.json()) as { data: { rfc_id: string } };
    ids.push(answer.data.rfc_id);
  }
  return ids;
}
