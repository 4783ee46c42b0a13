import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { createHttpClient, type HttpClient } from '../../../bench/daemon/http-client.ts';
import { type ServedDaemon, startServedDaemon } from '../../../bench/daemon/served-daemon.ts';
import type { RunOptions } from '../../../bench/options.ts';
import { createRandom, type Random } from '../../../bench/random.ts';
import type { Report } from '../../../bench/report.ts';
import {
  bodyOf,
  dataOf,
  folderIn,
  type LlmWorld,
  nanoOf,
  payloadOf,
  priceOf,
  type ReviewedRfc,
  reserveOf,
  startAgain,
  withVendor,
} from './world.ts';

const KILLS = 110;
const AT_A_TIME = 4;
/** A kill comes after so many calls at most, and so much later at most. */
const CALLS_MAX = 14;
const DELAY_MS_MAX = 120;
/** How long the vendor takes at most, and waits between the events of its answer. */
const ANSWER_MS_MAX = 150;
const EVENT_MS_MAX = 15;
/** A call is made by then, or the daemon is killed without one. */
const CALLS_WITHIN_MS = 20_000;
const FINAL_WITHIN_MS = 10 * 60_000;
const FAULTS_SHOWN = 20;
/** So many lines make a call of their own. */
const LINES = 600;

/** Kills a daemon among its reviews at random points, and compares its ledger with the bill. */
export function run(options: RunOptions): Promise<Report> {
  return withVendor(async (world) => {
    const kills = options.count ?? KILLS;
    const random = createRandom(options.seed);
    const { vendor } = world;
    vendor.script = () => ({
      kind: 'answer',
      after: delay(random.between(0, ANSWER_MS_MAX)),
      pause: () => delay(random.between(0, EVENT_MS_MAX)),
    });
    const dataDir = folderIn(world, 'data');
    const settings = world.settings({ concurrency: 8 });
    let failedStarts = 0;
    const start = () =>
      startAgain(
        () => startServedDaemon(dataDir, settings),
        ({ message }) => {
          failedStarts += 1;
          options.progress(`llm-kills: ${message}`);
        },
      );
    const accepted = new Set<string>();
    let inFlight = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const daemon = await start();
      inFlight += await loadUntilKilled(daemon, world, { random, kill, accepted });
      if (kill % 10 === 9)
        options.progress(`llm-kills: ${kill + 1}, ${vendor.requests.length} calls`);
    }
    const daemon = await start();
    const client = createHttpClient(daemon.port);
    const faults = await checkVerdicts(client, accepted);
    const total = dataOf<{ cost_usd: number; calls: number }>(
      (await client.get('usage/total?hours=48')).text,
    );
    client.close();
    await daemon.stop();
    const ledger = compare(join(dataDir, 'cra.db'), world);
    faults.push(...ledger.faults);
    if (nanoOf(total.cost_usd) !== ledger.costNano) {
      faults.push(`usage/total says ${total.cost_usd} USD, the records ${ledger.costNano} nano`);
    }
    return reportOf(
      { kills, failedStarts, accepted: accepted.size, inFlight, ledger, faults },
      [
        `seed ${options.seed}; ${AT_A_TIME} changes at a time, each of 1 to 3 calls; the vendor ` +
          `answers within ${ANSWER_MS_MAX} ms and streams; a kill up to ${DELAY_MS_MAX} ms after a ` +
          'call drawn at random',
      ],
      vendor.requests.length,
    );
  });
}

interface Outcome {
  kills: number;
  failedStarts: number;
  accepted: number;
  inFlight: number;
  ledger: ReturnType<typeof compare>;
  faults: readonly string[];
}

function reportOf(outcome: Outcome, facts: string[], calls: number): Report {
  const { kills, failedStarts, accepted, inFlight, ledger, faults } = outcome;
  return {
    title: 'kill -9 among LLM reviews',
    facts,
    tables: [
      {
        columns: ['what', 'number'],
        rows: [
          ['kills', kills],
          ['starts that failed and were repeated', failedStarts],
          ['RFCs that were answered for, all with their verdict', accepted],
          ['calls that reached the vendor', calls],
          ['answered and settled by its count', ledger.answered],
          ['cut by a kill, settled at the reserve', ledger.cut],
          ['of them cut before they reached the vendor', ledger.unsent],
          ['open at the vendor when a kill came', inFlight],
          ['calls that were made again', ledger.repeated],
          ['ledger, nano-USD', ledger.costNano],
          ['bill, nano-USD', ledger.billNano],
          ['ledger minus bill', ledger.costNano - ledger.billNano],
          ['sum of (reserve - billed) over the calls that were cut', ledger.overNano],
          ['**faults**', faults.length],
        ],
      },
    ],
    notes: [
      'a fault is a call without its record or with two, a cost that is not the bill of the call ' +
        'or its reserve, a part that was answered and asked for again, a reserve that stays open, ' +
        'an RFC without PASSED',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

interface Round {
  random: Random;
  kill: number;
  accepted: Set<string>;
}

/** Posts until the moment that the round draws, and kills; how many calls were open then. */
async function loadUntilKilled(
  daemon: ServedDaemon,
  { vendor }: LlmWorld,
  { random, kill, accepted }: Round,
): Promise<number> {
  const client = createHttpClient(daemon.port);
  let isKilled = false;
  let sent = 0;
  async function send(): Promise<void> {
    while (!isKilled) {
      sent += 1;
      const body = bodyOf(filesOf(`k${kill}n${sent}`, random.between(1, 4)));
      const answer = await client.analyze(body).catch(() => null);
      if (answer === null) return;
      if (answer.status === 200) accepted.add(dataOf<ReviewedRfc>(answer.text).rfc_id);
    }
  }
  const target = vendor.requests.length + random.between(1, CALLS_MAX + 1);
  const senders = Array.from({ length: AT_A_TIME }, send);
  const late = performance.now() + CALLS_WITHIN_MS;
  while (vendor.requests.length < target && performance.now() < late) await delay(2);
  await delay(random.between(0, DELAY_MS_MAX));
  const open = vendor.openRequests();
  isKilled = true;
  process.kill(daemon.pid, 'SIGKILL');
  await Promise.all([daemon.exited, ...senders]);
  client.close();
  return open;
}

/** Files of which each makes a call of its own, and whose lines stand nowhere else. */
function filesOf(name: string, calls: number): Record<string, string[]> {
  const parts = Array.from({ length: calls }, (_, part) => `${name}p${part}`);
  const linesOf = (part: string) =>
    Array.from({ length: LINES }, (_, n) => `use('${part}', ${n});`);
  return Object.fromEntries(parts.map((part) => [`src/${part}.js`, linesOf(part)]));
}

/** All RFCs that were answered for are PASSED in the end. */
async function checkVerdicts(client: HttpClient, accepted: ReadonlySet<string>): Promise<string[]> {
  const faults: string[] = [];
  const late = performance.now() + FINAL_WITHIN_MS;
  for (const rfcId of accepted) {
    for (;;) {
      const { status, text } = await client.get(`rfc/${rfcId}`);
      const rfc = status === 200 ? dataOf<ReviewedRfc>(text) : null;
      if (rfc?.overall_status === 'PASSED') break;
      if (performance.now() > late || rfc === null) {
        const { skip_reason } = rfc?.gates.llm ?? {};
        faults.push(`${rfcId} is ${rfc?.overall_status ?? status} (${skip_reason})`);
        break;
      }
      await delay(100);
    }
  }
  return faults;
}

interface LedgerRow {
  source: string;
  cost_nano_usd: number;
  context: string;
}

/** The ledger of the store beside what the vendor received and billed. */
function compare(file: string, { vendor }: LlmWorld) {
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare<[], LedgerRow>('SELECT source, cost_nano_usd, context FROM usage')
    .all();
  const open = database.prepare('SELECT count(*) FROM review_call').pluck().get();
  const day = database
    .prepare("SELECT sum(nano_usd) FROM budget WHERE scope LIKE 'day %'")
    .pluck()
    .get();
  database.close();
  const faults: string[] = [];
  if (open !== 0) faults.push(`${open} calls are still open`);
  const bills = new Map(vendor.bill.map((billed) => [billed.request, priceOf(billed)]));
  const byPayload = new Map(vendor.requests.map((asked, index) => [payloadOf(asked), index]));
  const seen = new Set<number>();
  const parts = new Map<string, { answered: number; asked: number }>();
  const sums = { answered: 0, cut: 0, unsent: 0, costNano: 0, overNano: 0 };
  for (const row of rows) {
    const context = JSON.parse(row.context) as Record<string, unknown>;
    const index = byPayload.get(String(context['payload']));
    const asked = index === undefined ? undefined : vendor.requests[index];
    const billed = index === undefined ? 0 : (bills.get(index) ?? 0);
    const place = `call ${index ?? context['payload']}`;
    sums.costNano += row.cost_nano_usd;
    if (row.source !== 'gate') faults.push(`${place} has the source ${row.source}`);
    if (index !== undefined && seen.has(index)) faults.push(`${place} has two records`);
    if (index !== undefined) seen.add(index);
    const isCut = context['estimated'] === true;
    if (isCut) {
      sums.cut += 1;
      sums.overNano += row.cost_nano_usd - billed;
      if (asked === undefined) sums.unsent += 1;
      else if (row.cost_nano_usd !== reserveOf(asked)) faults.push(`${place} is not its reserve`);
    } else {
      sums.answered += 1;
      if (row.cost_nano_usd !== billed) faults.push(`${place} is not what was billed`);
      if (context['request_id'] !== `req-${index}`) faults.push(`${place} has another id`);
    }
    const name = /'(k\d+n\d+p\d+)'/.exec(asked?.user ?? '')?.[1];
    if (name === undefined) continue;
    const part = parts.get(name) ?? { answered: 0, asked: 0 };
    parts.set(name, { answered: part.answered + Number(!isCut), asked: part.asked + 1 });
  }
  for (const [index] of vendor.requests.entries()) {
    if (!seen.has(index)) faults.push(`call ${index} has no record`);
  }
  for (const [name, { answered }] of parts) {
    if (answered > 1) faults.push(`${name} was answered ${answered} times`);
  }
  const billNano = [...bills.values()].reduce((sum, nano) => sum + nano, 0);
  if (sums.costNano - billNano !== sums.overNano) faults.push('ledger and bill do not add up');
  if (day !== sums.costNano) faults.push(`the scopes of days hold ${day}`);
  const repeated = [...parts.values()].reduce((sum, { asked }) => sum + asked - 1, 0);
  if (repeated > sums.cut) faults.push(`${repeated} parts again for ${sums.cut} calls cut`);
  return { ...sums, billNano, repeated, faults };
}
