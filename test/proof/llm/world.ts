import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpClient } from '../../../bench/daemon/http-client.ts';
import { makeTemporary } from '../../../bench/disk.ts';
import type { Report } from '../../../bench/report.ts';
import { change, newFile } from '../../daemon.ts';
import { type Billed, type FakeVendor, startFakeVendor } from '../../gates/review/fake-vendor.ts';

/** USD a million tokens; nano-dollars a token are a thousand times as many. */
const PRICES = { input: 2, output: 10, cache_write: 2.5, cache_read: 0.2 };
const NANO = 1_000;
const OUTPUT_TOKENS_MAX = 1_000;
const RESERVE_BYTES_PER_TOKEN = 1.5;

/** A vendor, and where daemons may live. */
export interface LlmWorld {
  vendor: FakeVendor;
  path: string;
  /** Settings of a daemon whose tiers are on this vendor; `over` is put over each field. */
  settings(over?: Record<string, unknown>, budgets?: object): Record<string, string>;
}

/** Runs the work with a fake vendor and a directory that is removed afterwards. */
export async function withVendor(work: (world: LlmWorld) => Promise<Report>): Promise<Report> {
  const undo: (() => unknown)[] = [];
  const temporary = makeTemporary();
  try {
    const vendor = await startFakeVendor({ teardown: (step) => undo.push(step) });
    const { path } = temporary;
    return await work({
      vendor,
      path,
      settings: (over, budgets) => llmSettings(path, vendor, over, budgets),
    });
  } finally {
    for (const step of undo.reverse()) step();
    temporary.remove();
  }
}

/** Settings of a daemon with one tier on the vendor; the file stands in the folder. */
export function llmSettings(
  folder: string,
  vendor: FakeVendor,
  over: Record<string, unknown> = {},
  budgets: object = {},
): Record<string, string> {
  const tier = {
    name: 'first',
    role: 'review',
    protocol: 'anthropic',
    family: 'a',
    model: 'm',
    base_url: vendor.url,
    key_env: 'FAKE_KEY',
    locality: 'any',
    prices: PRICES,
    max_output: OUTPUT_TOKENS_MAX,
    ...over,
  };
  const path = join(folder, `llm-${randomUUID()}.json`);
  writeFileSync(path, JSON.stringify({ tiers: [tier], budgets }));
  return { SERVICE_LLM_CONFIG: path, FAKE_KEY: 'the-key' };
}

/** A data directory of its own below the world's. */
export function folderIn({ path }: LlmWorld, name: string): string {
  const folder = join(path, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What the vendor asks for a call, in nano-dollars. */
export function priceOf({ input, output, cacheWrite, cacheRead }: Billed): number {
  const { input: plain, output: out, cache_write: write, cache_read: read } = PRICES;
  const usd = input * plain + output * out + cacheWrite * write + cacheRead * read;
  return Math.round(usd * NANO);
}

/** What the gate must hold back: all bytes at the dearest input price, and all of the output. */
export function reserveOf({ system, user }: FakeVendor['requests'][number]): number {
  const bytes = Buffer.byteLength(system) + Buffer.byteLength(user);
  const tokens = Math.ceil(bytes / RESERVE_BYTES_PER_TOKEN);
  return (tokens * PRICES.cache_write + OUTPUT_TOKENS_MAX * PRICES.output) * NANO;
}

/** As the ledger names what was asked. */
export function payloadOf({ user }: FakeVendor['requests'][number]): string {
  return createHash('sha256').update(user).digest('hex');
}

/** One record of an RFC, as far as proofs look at it. */
export interface ReviewedRfc {
  rfc_id: string;
  overall_status: string;
  gates: Record<
    'risk' | 'ast' | 'llm',
    { status: string; findings: object[]; skip_reason?: string | null; held?: boolean }
  >;
}

/** `data` of an answer. */
export function dataOf<T>(text: string): T {
  return (JSON.parse(text) as { data: T }).data;
}

/** The body of an analyze of new files with these lines. */
export function bodyOf(files: Readonly<Record<string, readonly string[]>>): Buffer {
  const diff = Object.entries(files)
    .map(([path, lines]) => newFile(path, lines.join('\n')))
    .join('');
  return Buffer.from(JSON.stringify(change(diff)));
}

/** USD of a status report or of sums, in nano-dollars. */
export function nanoOf(usd: string | number): number {
  return Math.round(Number(usd) * 1e9);
}

/** The RFC when it has its verdict. */
export async function finalOf(client: HttpClient, rfcId: string): Promise<ReviewedRfc> {
  for (;;) {
    const rfc = dataOf<ReviewedRfc>((await client.get(`rfc/${rfcId}?wait=30`)).text);
    if (rfc.overall_status !== 'DRAFT') return rfc;
  }
}

const STARTS_MAX = 3;

/** Starts a daemon; on a busy machine a start may fail, and a supervisor would repeat it, too. */
export async function startAgain<T>(
  start: () => Promise<T>,
  onFailed: (error: Error) => void = () => undefined,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (thrown) {
      if (tries === STARTS_MAX) throw thrown;
      onFailed(thrown as Error);
    }
  }
}
