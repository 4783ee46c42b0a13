import { type AuditEvent, plainEvent } from '../src/model/audit.ts';
import type { PushStore } from '../src/store/contract/pushes.ts';
import type { RecordStore } from '../src/store/contract/records.ts';
import type { TrailStore } from '../src/store/contract/trail.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { keepInFlight, percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { MONGO } from './store/mongo.ts';
import { createInserts, type Insert } from './store/sample.ts';
import { SQLITE } from './store/sqlite.ts';
import type { BenchedDriver } from './store.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const REPOSITORIES = 1_000;
const IN_FLIGHT = 200;
const CALLS = 3_000;
const DIFF = Buffer.from(
  'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n',
);
/** Entries of the audit trail are a tenth as many. */
const RECORDS_PER_ENTRY = 10;
const COLUMNS = [
  ...['read', 'records', 'calls', 'p50, ms', 'p99, ms'],
  ...['p50 beside 10,000', 'p99 beside 10,000'],
];

/** Reads of a large store beside those of a small one (`--count`, `--only SQLite`). */
export async function run(options: RunOptions): Promise<Report> {
  const many = options.count ?? MANY;
  const temporary = makeTemporary();
  const disk = describeDisk(temporary.path);
  const drivers = [SQLITE, MONGO].filter(
    ({ name }) => options.only.length === 0 || options.only.includes(name),
  );
  const rows: Cell[][] = [];
  const facts = [disk];
  try {
    for (const driver of drivers) {
      const { reads, perSecond } = await measureDriver(driver, temporary.path, many, options);
      facts.push(`${driver.name}: filled with ${Math.round(perSecond)} records a second`);
      rows.push(...reads);
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'Reads at many records',
    facts,
    tables: [{ columns: COLUMNS, rows }],
    notes: [
      `records of ${REPOSITORIES} repositories without diffs, inserted by the store itself with ` +
        `${IN_FLIGHT} in flight; reads one at a time, ids and repositories drawn out of order`,
    ],
    holds: true,
  };
}

async function measureDriver(
  driver: BenchedDriver,
  folder: string,
  many: number,
  options: RunOptions,
) {
  const { store, pushes, trail, close } = await driver.open(folder);
  const nextInsert = createInserts([DIFF]);
  const ids: string[] = [];
  const insert = async () => {
    const { record } = movedTo(nextInsert(), `acme/shop-${ids.length % REPOSITORIES}`);
    ids.push(record.rfc_id);
    await store.insertRfc({ record, diff: null });
    if (ids.length % RECORDS_PER_ENTRY === 0)
      await trail.appendEvent({ event: entryOf(ids.length) });
  };
  const start = performance.now();
  const fill = async (count: number) => {
    await keepInFlight(IN_FLIGHT, () => ids.length >= count, insert);
    options.progress(`million: ${driver.name} holds ${ids.length}`);
  };
  try {
    await fill(FEW);
    const few = await measureReads({ store, pushes, trail }, ids);
    for (let count = FEW; count < many; ) {
      count = Math.min(many, count + PROGRESS_EVERY);
      await fill(count);
    }
    const perSecond = ids.length / ((performance.now() - start) / 1000);
    const large = await measureReads({ store, pushes, trail }, ids);
    const reads = large.flatMap(({ name, p50, p99 }, index): Cell[][] => {
      const before = few[index] ?? { p50: 0, p99: 0 };
      const title = `${driver.name}: ${name}`;
      return [
        [title, FEW, CALLS, before.p50, before.p99, 1, 1],
        [title, ids.length, CALLS, p50, p99, p50 / before.p50, p99 / before.p99],
      ];
    });
    return { reads, perSecond };
  } finally {
    await close();
  }
}

const PROGRESS_EVERY = 100_000;

/** The same record in another repository. */
function movedTo({ record, diff }: Insert, repo_name: string): Insert {
  const move = (text: string) => text.replace('"acme/shop"', JSON.stringify(repo_name));
  const { json, summary } = record;
  return { record: { ...record, repo_name, json: move(json), summary: move(summary) }, diff };
}

interface Read {
  name: string;
  p50: number;
  p99: number;
}

/** Of a tenth of the entries the reader's tenant is the owner. */
function entryOf(number: number): AuditEvent {
  const tenant_id = number % (10 * RECORDS_PER_ENTRY) === 0 ? 'default' : 'other';
  return plainEvent({
    ...{ kind: 'ops-log', op_id: `op-${number}`, tenant_id, principal: null },
    details: { command: 'restart web' },
  });
}

async function measureReads(
  { store, pushes, trail }: { store: RecordStore; pushes: PushStore; trail: TrailStore },
  ids: readonly string[],
): Promise<Read[]> {
  const tenant_id = 'default';
  const list = { tenant_id, status: null, repo: null, limit: 50, cursor: null };
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const days = { since: day(Date.now() - 30 * 86_400_000), until: day(Date.now()) };
  const entries = { tenant_id, kind: null, logins: false, rfc_id: null, limit: 50, cursor: null };
  // Strides that meet all of them out of order.
  const idAt = (call: number) => ids[(call * 7_919) % ids.length] ?? '';
  const repoAt = (call: number) => `acme/shop-${(call * 373) % REPOSITORIES}`;
  const reads: [string, (call: number) => Promise<unknown>][] = [
    ['rfcs, 50 newest', () => store.listRfcs(list)],
    ['rfcs of a status', () => store.listRfcs({ ...list, status: 'PASSED' })],
    ['rfcs of a repository', (call) => store.listRfcs({ ...list, repo: repoAt(call) })],
    ['stats, 30 days', () => store.trends({ tenant_id, repo: null, ...days })],
    ['stats of a repository', (call) => store.trends({ tenant_id, repo: repoAt(call), ...days })],
    ['audit, 50 newest of a tenant', () => trail.listEntries(entries)],
    ['audit of a kind', () => trail.listEntries({ ...entries, kind: 'ops-log' })],
    ['rfc/<id>', (call) => store.getRfc({ tenant_id, rfc_id: idAt(call) })],
    [
      'newest of a repository',
      (call) =>
        pushes.prodView({ tenant_id, repo_name: repoAt(call), branch: null, commit_sha: null }),
    ],
  ];
  const found: Read[] = [];
  for (const [name, read] of reads) {
    const times: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const start = performance.now();
      await read(call);
      times.push(performance.now() - start);
    }
    found.push({ name, p50: percentile(times, 0.5), p99: percentile(times, 0.99) });
  }
  return found;
}
