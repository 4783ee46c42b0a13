import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckpointSigner, createCheckpointVerifier } from '../src/audit/checkpoint.ts';
import { verifyTrail } from '../src/audit/verify.ts';
import { describeFlaw } from '../src/cli/audit-verify.ts';
import { type AuditEvent, plainEvent } from '../src/model/audit.ts';
import { type DeployReport, orderAfter, placeKey } from '../src/model/deploy.ts';
import { SEARCH } from '../src/model/limits.ts';
import { type RecordText, type RfcRecord, recordText as textOf } from '../src/model/records.ts';
import { newRfcId } from '../src/model/rfc.ts';
import { wordTexts } from '../src/model/search.ts';
import { sampleReport } from '../test/store/conformance/deploys.ts';
import { judgedPush, keysOf, samplePush } from '../test/store/fixtures/pushes.ts';
import { recordText } from '../test/store/fixtures/records.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { keepInFlight, percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { MONGO, openMongo, sampleStore } from './store/mongo.ts';
import { createInserts, type Insert } from './store/sample.ts';
import { SQLITE } from './store/sqlite.ts';
import type { BenchedDriver, OpenedDriver } from './store.ts';

/** The first size of the store; each of the others is ten times the one before, up to `MANY`. */
const FEW = 10_000;
/** Records beyond as many (`--count`) are short at all sizes, for the room on the disk. */
const MANY = 1_000_000;
/** Each has a full page of records at any size. */
const REPOSITORIES = 200;
const IN_FLIGHT = 200;
const CALLS = 3_000;
/** Pushes that are accepted, claimed and judged at each size, one after the other. */
const PUSHES = 1_000;
const DIFF = Buffer.from(
  'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n',
);
/** Entries of the audit trail are a tenth as many. */
const RECORDS_PER_ENTRY = 10;
/** Reports of deploys are a twentieth as many, of places that have a full page each at `FEW`. */
const RECORDS_PER_REPORT = 20;
const PLACES = 10;
const COLUMNS = [
  ...['call', 'records', 'calls', 'p50, ms', 'p99, ms'],
  ...['p50 beside the first', 'p99 beside the first'],
];
const VERIFY_COLUMNS = ['store', 'records', 'entries', 's', 'us an entry', 'beside the first'];
const PLACE_COLUMNS = ['at the largest size', 'MB', 'bytes a record'];
/** Smaller tables and indexes are added up. */
const PLACE_BYTES_MIN = 2 ** 20;

/**
 * Calls of a large store beside those of a small one (`--count`, `--only SQLite`); `--data`: of a
 * MongoDB, by its address, that holds short records already.
 */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const disk = describeDisk(temporary.path);
  const all = options.data === null ? [SQLITE, MONGO] : [MONGO];
  const { only } = options;
  const drivers = all.filter(({ name }) => only.length === 0 || only.includes(name));
  const calls: Cell[][] = [];
  const verified: Cell[][] = [];
  const places: Cell[][] = [];
  const facts = [disk];
  try {
    for (const driver of drivers) {
      const measured = await measureDriver(driver, temporary.path, options);
      if (options.data !== null) await addFilled(measured, temporary.path, options.data);
      const { sizes, perSecond } = measured;
      facts.push(`${driver.name}: filled with ${Math.round(perSecond)} records a second`);
      calls.push(...callRows(driver.name, sizes));
      verified.push(...verifyRows(driver.name, sizes));
      places.push(...placeRows(driver.name, measured));
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'Calls of the store at many records',
    facts,
    tables: [
      { columns: COLUMNS, rows: calls },
      { columns: VERIFY_COLUMNS, rows: verified },
      { columns: PLACE_COLUMNS, rows: places },
    ],
    notes: [
      `records of ${REPOSITORIES} repositories without diffs, inserted by the store itself with ` +
        `${IN_FLIGHT} in flight; calls one at a time, ids and repositories drawn out of order`,
      `with --count above ${MANY} all of them are short: fewer fields, of which four records ` +
        'have room on a page of SQLite',
      'a push is accepted, claimed and judged before the next one; each is durable when its call ends',
    ],
    holds: true,
  };
}

interface Size {
  records: number;
  calls: Call[];
  /** The whole audit trail, read and verified by `cra audit verify`. */
  entries: number;
  verifyMs: number;
}

interface Call {
  name: string;
  count: number;
  p50: number;
  p99: number;
}

function callRows(store: string, sizes: readonly Size[]): Cell[][] {
  const [few] = sizes;
  return (few?.calls ?? []).flatMap((before, index) =>
    sizes.map(({ records, calls }): Cell[] => {
      const { name, count, p50, p99 } = calls[index] ?? before;
      return [`${store}: ${name}`, records, count, p50, p99, p50 / before.p50, p99 / before.p99];
    }),
  );
}

function verifyRows(store: string, sizes: readonly Size[]): Cell[][] {
  const each = ({ verifyMs, entries }: Size) => (verifyMs * 1000) / entries;
  const before = sizes[0] === undefined ? Number.NaN : each(sizes[0]);
  return sizes.map((size) => [
    ...[store, size.records, size.entries, size.verifyMs / 1000, each(size), each(size) / before],
  ]);
}

interface Measured {
  sizes: Size[];
  perSecond: number;
  /** Bytes by name of the table or index, at the largest size. */
  bytesOf: ReadonlyMap<string, number>;
}

/** The room of each table and index, the largest first, and all together. */
function placeRows(store: string, { sizes, bytesOf }: Measured): Cell[][] {
  const records = sizes.at(-1)?.records ?? 1;
  const row = (name: string, bytes: number): Cell[] => [
    ...[`${store}: ${name}`, bytes / 1e6, Math.round(bytes / records)],
  ];
  const byBytes = [...bytesOf].sort(([, one], [, other]) => other - one);
  const large = byBytes.filter(([, bytes]) => bytes >= PLACE_BYTES_MIN);
  const all = byBytes.reduce((sum, [, bytes]) => sum + bytes, 0);
  return [...large.map(([name, bytes]) => row(name, bytes)), row('all', all)];
}

async function measureDriver(
  driver: BenchedDriver,
  folder: string,
  options: RunOptions,
): Promise<Measured> {
  const opened = await driver.open(folder);
  const { store, trail, deploys } = opened;
  const many = options.data === null ? (options.count ?? MANY) : FEW;
  const areShort = many > MANY || options.data !== null;
  const nextInsert = createInserts([DIFF]);
  const ids: string[] = [];
  const insert = async () => {
    const moved = movedTo(nextInsert(), repoAt(ids.length));
    const record = areShort ? shortened(moved) : moved;
    const number = ids.push(record.rfc_id);
    await store.insertRfc({ record, diff: null });
    if (number % RECORDS_PER_ENTRY === 0) await trail.appendEvent({ event: entryOf(number) });
    if (number % RECORDS_PER_REPORT === 0) {
      await deploys.addReport({ tenant_id: 'default', report: reportOf(number) });
    }
  };
  let fillMs = 0;
  const fill = async (count: number) => {
    const start = performance.now();
    await keepInFlight(IN_FLIGHT, () => ids.length >= count, insert);
    fillMs += performance.now() - start;
    options.progress(`million: ${driver.name} holds ${ids.length}`);
  };
  try {
    const sizes: Size[] = [];
    for (let size = Math.min(FEW, many); ; size = Math.min(many, size * 10)) {
      while (ids.length < size) await fill(Math.min(size, ids.length + PROGRESS_EVERY));
      await untilCounted(opened);
      sizes.push(await measureSize(opened, { ids, records: ids.length }));
      if (size === many) {
        const perSecond = ids.length / (fillMs / 1000);
        return { sizes, perSecond, bytesOf: await opened.bytesOf() };
      }
    }
  } finally {
    await opened.close();
  }
}

/** The same calls of a MongoDB that is filled already, behind those of the small one. */
async function addFilled(measured: Measured, folder: string, url: string): Promise<void> {
  const filled = await sampleStore(url, CALLS);
  const opened = await openMongo(mkdtempSync(join(folder, 'filled-')), url);
  try {
    measured.sizes.push(await measureSize(opened, filled));
    measured.bytesOf = await opened.bytesOf();
  } finally {
    await opened.close();
  }
}

/** A store that is measured: ids of records of it, drawn or all, and how many it holds. */
interface Filled {
  ids: readonly string[];
  records: number;
}

async function measureSize(opened: OpenedDriver, filled: Filled): Promise<Size> {
  const written = await measurePushes(opened);
  const calls = [...(await measureReads(opened, filled)), ...written];
  return { records: filled.records, calls, ...(await measureVerify(opened)) };
}

/** As many of each status as the dashboard counts. */
const COUNTED_MAX = 1_000;
const PROGRESS_EVERY = 100_000;
const COUNTED_WITHIN_MS = 1_800_000;

/** The same record in another repository. */
function movedTo({ record }: Insert, repo_name: string): RecordText {
  return textOf({ ...(JSON.parse(record.json) as RfcRecord), repo_name });
}

const SHORT_FIELDS = [
  ...['rfc_id', 'tenant_id', 'repo_name', 'branch', 'commit_message', 'overall_status'],
  ...['risk_score', 'created_at', 'updated_at', 'rev', 'override_history'],
];

/** A record of which four have room on a page of SQLite, where one complete record fills one. */
function shortened(record: RecordText): RecordText {
  const pick = (json: string) => JSON.stringify(JSON.parse(json), SHORT_FIELDS);
  return { ...record, json: pick(record.json), summary: pick(record.summary) };
}

function reportOf(number: number): DeployReport {
  return sampleReport({
    report_id: `deploy-${number}`,
    repo: repoAt((number / RECORDS_PER_REPORT) % PLACES),
    sha: number.toString(16).padStart(40, '0'),
    at: new Date().toISOString(),
  });
}

/** Of a tenth of the entries the reader's tenant is the owner. */
function entryOf(number: number): AuditEvent {
  const tenant_id = number % (10 * RECORDS_PER_ENTRY) === 0 ? 'default' : 'other';
  return plainEvent({
    kind: 'ops-log',
    op_id: `op-${number}`,
    tenant_id,
    principal: null,
    details: { command: 'restart web' },
  });
}

/** A stride that meets all repositories out of order. */
function repoAt(index: number): string {
  return `acme/shop-${(index * 73) % REPOSITORIES}`;
}

/** MongoDB counts trends after the writes: its backlog would be measured as growth. */
async function untilCounted({ store }: OpenedDriver): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const days = { since: today, until: today, by: 'day' as const };
  const deadline = performance.now() + COUNTED_WITHIN_MS;
  while (!(await store.trends({ tenant_id: 'default', repo: null, ...days })).complete) {
    if (performance.now() > deadline) throw new Error('the trends are not counted');
  }
}

async function measureReads(
  { store, pushes, trail, deploys }: OpenedDriver,
  { ids, records }: Filled,
): Promise<Call[]> {
  const tenant_id = 'default';
  const list = { tenant_id, status: null, repo: null, limit: 50, cursor: null };
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const by = 'day' as const;
  const days = { since: day(Date.now() - 30 * 86_400_000), until: day(Date.now()), by };
  const entries = { tenant_id, kind: null, logins: false, rfc_id: null, limit: 50, cursor: null };
  const idAt = (call: number) => ids[(call * 7_919) % ids.length] ?? '';
  const prod = { tenant_id, branch: null, commit_sha: null };
  const searchOf = (texts: string[], since: string | null = null) => {
    return { texts, since, until: null, examined: SEARCH.EXAMINED_MAX };
  };
  const find = (texts: string[], since: string | null = null) =>
    store.listRfcs({ ...list, search: searchOf(texts, since) });
  const facets = (by: { status?: 'PASSED'; search?: ReturnType<typeof searchOf> }) =>
    store.countFacets({ tenant_id, status: null, repo: null, without: [], ...by });
  const found = await store.getRfc({ tenant_id, rfc_id: ids[Math.floor(ids.length / 2)] ?? '' });
  const { created_at: until } = JSON.parse(Buffer.from(found.json).toString()) as RfcRecord;
  const half = { ...list, limit: 1, search: { ...searchOf([]), until } };
  const middle = (await store.listRfcs(half)).next_cursor;
  const at = new Date().toISOString();
  const reports = Math.floor(records / RECORDS_PER_REPORT);
  const placeAt = (call: number) => {
    const place = { repo: repoAt(call % PLACES), environment: 'prod', component: null };
    return { tenant_id, place: placeKey(place) };
  };
  const reads: [string, (call: number) => Promise<unknown>][] = [
    ['rfcs, 50 newest', () => store.listRfcs(list)],
    ['rfcs of a status', () => store.listRfcs({ ...list, status: 'PASSED' })],
    ['rfcs of a repository', (call) => store.listRfcs({ ...list, repo: repoAt(call) })],
    ['stats, 30 days', () => store.trends({ tenant_id, repo: null, ...days })],
    ['stats of a repository', (call) => store.trends({ tenant_id, repo: repoAt(call), ...days })],
    ['audit, 50 newest of a tenant', () => trail.listEntries(entries)],
    ['audit of a kind', () => trail.listEntries({ ...entries, kind: 'ops-log' })],
    ['rfc/<id>', (call) => store.getRfc({ tenant_id, rfc_id: idAt(call) })],
    ['prod-check of a repository', (call) => pushes.prodView({ ...prod, repo_name: repoAt(call) })],
    [
      'prod-check of a branch',
      (call) => pushes.prodView({ ...prod, repo_name: repoAt(call), branch: 'main' }),
    ],
    ['webhook-status', (call) => pushes.newestPush({ tenant_id, repo_name: repoAt(call) })],
    ['search: a word of all records', () => find(['word:basket'])],
    ['search: a repository by its words', (call) => find(wordTexts(repoAt(call)))],
    ['search: an author, of the last day', () => find(['author:bench'], day(Date.now()))],
    ['facets of a status', () => facets({ status: 'PASSED' })],
    ['facets: a word of all records', () => facets({ search: searchOf(['word:basket']) })],
    ['rfcs, a page in the middle', () => store.listRfcs({ ...list, cursor: middle })],
    ['pulse of the dashboard', () => store.pulse({ tenant_id, most: COUNTED_MAX })],
    ['pushes and statuses that wait', () => pushes.queueDepth(null)],
    [
      'deploys of a place, 50 newest',
      (call) => deploys.reportsBelow({ ...placeAt(call), order: orderAfter(at), limit: 50 }),
    ],
    [
      'what a commit of a place became',
      (call) => {
        const number = RECORDS_PER_REPORT * (1 + ((call * 7_919) % reports));
        const { repo, sha, result } = reportOf(number);
        const place = placeKey({ repo, environment: 'prod', component: null });
        const of = { tenant_id, place, sha, result, order: orderAfter(at), limit: 50 };
        return deploys.reportsOf(of);
      },
    ],
    [
      'the next place with deploys',
      (call) => deploys.nextPlace({ tenant_id, after: placeAt(call).place }),
    ],
  ];
  const calls: Call[] = [];
  for (const [name, read] of reads) {
    const times: number[] = [];
    for (let call = 0; call < CALLS; call += 1) times.push(await timed(() => read(call)));
    calls.push(callOf(name, times));
  }
  return calls;
}

/** What a webhook costs the store, from its record to its verdict. */
async function measurePushes({ store, pushes }: OpenedDriver): Promise<Call[]> {
  const accept: number[] = [];
  const claim: number[] = [];
  const judge: number[] = [];
  const lease = { owner: 'bench', leaseMs: 60_000, after: null, busy: [] };
  for (let index = 0; index < PUSHES; index += 1) {
    const push = samplePush({ rfc_id: newRfcId(Date.now()), repo_name: repoAt(index) });
    const input = { record: recordText(push), push: keysOf(push) };
    accept.push(await timed(() => pushes.acceptPush(input)));
    const start = performance.now();
    const { claim: claimed } = await pushes.claimPush(lease);
    claim.push(performance.now() - start);
    if (claimed === null) throw new Error(`${push.rfc_id} was accepted, but nothing was claimed`);
    const record = recordText(judgedPush(claimed.record));
    const expectedRev = claimed.record.rev;
    judge.push(await timed(() => store.completeDraft({ record, expectedRev })));
  }
  return [
    callOf('accept a push', accept),
    callOf('claim it', claim),
    callOf('keep its verdict', judge),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function callOf(name: string, times: readonly number[]): Call {
  return {
    name,
    count: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

async function measureVerify(driver: OpenedDriver) {
  const { verifierKey } = createCheckpointSigner(new Uint8Array(32));
  const open = createCheckpointVerifier(verifierKey);
  const source = await driver.openTrail();
  const start = performance.now();
  const options = { open, nowMs: Date.now(), kept: [], claims: null };
  const { flaw, summary } = await verifyTrail(source, options).finally(() => source.close());
  const verifyMs = performance.now() - start;
  if (flaw !== null) throw new Error(describeFlaw(flaw));
  return { entries: summary.entries, verifyMs };
}
