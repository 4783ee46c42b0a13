import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom, type Random } from '../../bench/random.ts';
import type { Report, Table } from '../../bench/report.ts';
import { USAGE } from '../../src/model/limits.ts';
import type { UsageDay, UsageRecord, UsageSums } from '../../src/model/usage.ts';
import type { UsageStore } from '../../src/store/contract/store.ts';
import { databaseUrl, startMongod } from '../mongod/mongod.ts';
import { openMongo } from '../store/mongo/harness.ts';
import { openSqlite } from '../store/sqlite/harness.ts';

const COUNT = 1_000_000;
const AT_A_TIME = 2_000;
const FAULTS_SHOWN = 20;
const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-21T12:34:56.789Z');
const DAYS = 30;
const WINDOWS_MS = [1, 24, 24 * 7, 24 * 40].map((hours) => NOW - hours * HOUR_MS);
const PROVIDERS = ['anthropic', 'openai', 'local'];
const MODELS = ['small', 'large', 'huge', 'other'];
const TENANTS = ['default', 'acme'];
const NANO = 1_000_000_000;
const FIELDS = [
  'calls',
  'input_tokens',
  'output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'cost_nano_usd',
] as const;
type Sums = Record<(typeof FIELDS)[number], bigint>;

const STORES: Readonly<Record<string, (folder: string) => Promise<Opened>>> = {
  SQLite: async (folder) => openSqlite(folder, () => NOW),
  MongoDB: openOnMongod,
};

/** The usage calls of a store; `close` also ends what it runs on. */
interface Opened {
  usage: UsageStore;
  close(): Promise<unknown>;
}

/** A million calls logged and summed by each store, against sums made with integers here. */
export async function run(options: RunOptions): Promise<Report> {
  const count = options.count ?? COUNT;
  const tables: Table[] = [];
  const faults: string[] = [];
  for (const [name, open] of Object.entries(STORES)) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const outcome = await measure(name, open, count, options);
    tables.push(outcome.table);
    faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`));
  }
  return {
    title: 'Sums of usage',
    facts: [`${count} calls of ${TENANTS.length} tenants over ${DAYS} days, seed ${options.seed}`],
    tables,
    notes: [
      'compared with sums of BigInt, to the nano-dollar',
      `${AT_A_TIME} calls at a time, the store in the process that logs them, without HTTP`,
      ...faults.slice(0, FAULTS_SHOWN),
    ],
    holds: faults.length === 0,
  };
}

async function measure(
  name: string,
  open: (folder: string) => Promise<Opened>,
  count: number,
  options: RunOptions,
): Promise<{ table: Table; faults: readonly string[] }> {
  const temporary = makeTemporary();
  const { usage, close } = await open(temporary.path);
  try {
    const start = performance.now();
    const progress = (text: string) => options.progress(`usage-sums: ${name}: ${text}`);
    const expected = await logCalls(usage, count, { ...options, progress });
    const perSecond = count / ((performance.now() - start) / 1000);
    const { compared, slowestMs, faults } = await compareSums(usage, expected);
    const rows: [string, number][] = [
      ['calls logged, durable', count],
      ['calls logged a second', perSecond],
      ['sums compared, six numbers each', compared],
      ['slowest total, ms', slowestMs],
      ['**sums that differ in any digit**', faults.length],
    ];
    return { table: { columns: [name, 'number'], rows }, faults };
  } finally {
    await close();
    temporary.remove();
  }
}

async function openOnMongod(folder: string): Promise<Opened> {
  const mongod = await startMongod({ folder });
  const { usage, close } = await openMongo(databaseUrl(mongod), () => NOW);
  return { usage, close: () => close().finally(() => mongod.stop()) };
}

async function logCalls(
  usage: UsageStore,
  count: number,
  { seed, progress }: RunOptions,
): Promise<Map<string, Sums>> {
  const expected = new Map<string, Sums>();
  const random = createRandom(seed);
  for (let done = 0; done < count; done += AT_A_TIME) {
    const size = Math.min(AT_A_TIME, count - done);
    const records = Array.from({ length: size }, (_, at) => makeRecord(done + at, random));
    for (const record of records) for (const key of keysOf(record)) add(expected, key, record);
    await Promise.all(records.map((record) => usage.logUsage({ record })));
    if (done % 100_000 === 0) progress(`${done} of ${count}`);
  }
  return expected;
}

async function compareSums(usage: UsageStore, expected: ReadonlyMap<string, Sums>) {
  const result = { compared: 0, slowestMs: 0, faults: [] as string[] };
  const compare = (key: string, found: UsageSums) => {
    result.compared += 1;
    const wanted = expected.get(key) ?? NOTHING;
    const isSame = FIELDS.every((field) => BigInt(found[field]) === wanted[field]);
    if (!isSame) result.faults.push(`${key}: ${JSON.stringify(found)}`);
  };
  for (const tenant_id of TENANTS) {
    for (const sinceMs of WINDOWS_MS) {
      const asked = performance.now();
      const total = await usage.usageTotal({ tenant_id, sinceMs });
      result.slowestMs = Math.max(result.slowestMs, performance.now() - asked);
      compare(`${tenant_id} ${sinceMs}`, total);
    }
    const limit = USAGE.SUMMARY_LINES_MAX;
    const { days } = await usage.usageDays({ tenant_id, sinceMs: 0, limit });
    for (const day of days ?? []) compare(dayKey(tenant_id, day), day);
  }
  // What the store left out would not show otherwise.
  if (result.compared !== expected.size) result.faults.push(`${expected.size} sums expected`);
  return result;
}

const NOTHING: Sums = {
  calls: 0n,
  input_tokens: 0n,
  output_tokens: 0n,
  cache_creation_tokens: 0n,
  cache_read_tokens: 0n,
  cost_nano_usd: 0n,
};

function makeRecord(index: number, random: Random): UsageRecord {
  const isDear = random.next() < 0.01;
  const cost = isDear ? USAGE.COST_USD_MAX : random.next() / 10;
  return {
    usage_id: `U-${index}`,
    tenant_id: random.pick(TENANTS),
    at_ms: NOW - random.between(0, DAYS * 24 * HOUR_MS),
    provider: random.pick(PROVIDERS),
    model: random.pick(MODELS),
    input_tokens: random.between(0, isDear ? USAGE.TOKENS_MAX : 100_000),
    output_tokens: random.between(0, 10_000),
    cache_creation_tokens: random.between(0, 1_000),
    cache_read_tokens: random.between(0, 1_000),
    cost_nano_usd: Math.round(cost * NANO),
    context: null,
    logged_by: 'proof',
    source: 'api',
  };
}

function keysOf(record: UsageRecord): string[] {
  const { tenant_id, at_ms, provider, model } = record;
  const date = new Date(at_ms).toISOString().slice(0, 10);
  const windows = WINDOWS_MS.filter((since) => at_ms >= since);
  return [
    ...windows.map((since) => `${tenant_id} ${since}`),
    dayKey(tenant_id, { date, provider, model }),
  ];
}

function dayKey(tenant: string, day: Omit<UsageDay, keyof UsageSums>): string {
  return `${tenant} ${day.date} ${day.provider} ${day.model}`;
}

function add(sums: Map<string, Sums>, key: string, record: UsageRecord): void {
  const sum = sums.get(key) ?? { ...NOTHING };
  for (const field of FIELDS) sum[field] += field === 'calls' ? 1n : BigInt(record[field]);
  sums.set(key, sum);
}
