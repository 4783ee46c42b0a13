import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '../../../bench/daemon/http-client.ts';
import { startServedDaemon } from '../../../bench/daemon/served-daemon.ts';
import { keepInFlight } from '../../../bench/harness.ts';
import type { RunOptions } from '../../../bench/options.ts';
import type { Report } from '../../../bench/report.ts';
import { databaseUrl, startMongod } from '../../mongod/mongod.ts';
import {
  bodyOf,
  dataOf,
  finalOf,
  folderIn,
  type LlmWorld,
  nanoOf,
  priceOf,
  type ReviewedRfc,
  withVendor,
} from './world.ts';

const RFCS = 1_000;
/** Of these the budget pays for so many. */
const PAID_SHARE = 0.3;
const AT_A_TIME = 8;
/** Changes that tell what one costs. */
const WARM_UP = 3;
/** The reserves of calls under way may keep the last ones from being made. */
const SHORT_SHARE = 0.9;
const LOOK_MS = 20;

/** Two daemons on one MongoDB that share a budget of the day. */
export async function run(options: RunOptions): Promise<Report> {
  const mongod = await startMongod();
  try {
    return await withVendor(async (world) => {
      const rfcs = options.count ?? RFCS;
      const key = () => randomBytes(32).toString('hex');
      const shared = {
        SERVICE_STORE_URL: databaseUrl(mongod),
        SERVICE_SEAL_KEY: key(),
        SERVICE_FINGERPRINT_KEY: key(),
        SERVICE_CHECKPOINT_KEY: key(),
      };
      const costNano = await priceOfOne(world, shared);
      const paid = Math.round(rfcs * PAID_SHARE);
      const budgetNano = costNano * (paid + WARM_UP);
      const settings = world.settings({ concurrency: 8 }, { day: budgetNano / 1e9 });
      const daemons = await Promise.all(
        ['one', 'two'].map((name) =>
          startServedDaemon(folderIn(world, name), { ...shared, ...settings }),
        ),
      );
      const clients = daemons.map(({ port }) => createHttpClient(port));
      const spent = watchSpent(clients);
      const results = await submitAll(clients, rfcs, options);
      const mostNano = await spent.stop();
      for (const client of clients) client.close();
      await Promise.all(daemons.map((daemon) => daemon.stop()));
      const billNano = world.vendor.bill.reduce((sum, one) => sum + priceOf(one), 0);
      return reportOf({ rfcs, paid, budgetNano, billNano, mostNano, results });
    });
  } finally {
    await mongod.stop();
  }
}

/** The bill of one change, after the first, which also writes the vendor's cache. */
async function priceOfOne(world: LlmWorld, shared: Record<string, string>): Promise<number> {
  const settings = { ...shared, ...world.settings() };
  const daemon = await startServedDaemon(folderIn(world, 'first'), settings);
  const client = createHttpClient(daemon.port);
  for (let index = 1; index <= WARM_UP; index += 1) {
    const { text } = await client.analyze(bodyOf(filesOf(-index)));
    await finalOf(client, dataOf<ReviewedRfc>(text).rfc_id);
  }
  client.close();
  await daemon.stop();
  return Math.max(...world.vendor.bill.slice(1).map(priceOf));
}

/** Looks again and again at what both daemons say is settled and held back. */
function watchSpent(clients: readonly HttpClient[]) {
  let mostNano = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      for (const client of clients) {
        const { text } = await client.get('dispatcher/status');
        const { llm } = dataOf<{ llm: { spent_today_usd: string | null } }>(text);
        mostNano = Math.max(mostNano, nanoOf(llm.spent_today_usd ?? 0));
      }
      await delay(LOOK_MS);
    }
  })();
  return {
    async stop(): Promise<number> {
      isDone = true;
      await watching;
      return mostNano;
    },
  };
}

/** How often each end was reached. */
async function submitAll(
  clients: readonly HttpClient[],
  rfcs: number,
  { progress }: RunOptions,
): Promise<Map<string, number>> {
  const ids: string[] = [];
  let next = 0;
  const isDone = () => next >= rfcs;
  await keepInFlight(AT_A_TIME, isDone, async () => {
    const own = next++;
    const client = clients[own % clients.length];
    const answer = await client?.analyze(bodyOf(filesOf(own)));
    ids.push(dataOf<ReviewedRfc>(answer?.text ?? '').rfc_id);
    if (ids.length % 100 === 0) progress(`llm-budget: ${ids.length}`);
  });
  const results = new Map<string, number>();
  const [client] = clients;
  for (const id of client === undefined ? [] : ids) {
    const { overall_status, gates } = await finalOf(client as HttpClient, id);
    const { status, skip_reason } = gates.llm;
    const result = `${overall_status}, ${skip_reason ?? status}`;
    results.set(result, (results.get(result) ?? 0) + 1);
  }
  return results;
}

/** Of the same length for each, so that all cost the same. */
function filesOf(index: number): Record<string, string[]> {
  const name = `f${String(index + 100).padStart(6, '0')}`;
  return { [`src/${name}.js`]: [`use('${name}');`] };
}

interface Outcome {
  rfcs: number;
  paid: number;
  budgetNano: number;
  billNano: number;
  mostNano: number;
  results: ReadonlyMap<string, number>;
}

const PAID = 'PASSED, pass';
const HELD = 'BLOCKED, budget';

function reportOf({ rfcs, paid, budgetNano, billNano, mostNano, results }: Outcome): Report {
  const passed = results.get(PAID) ?? 0;
  const odd = [...results.keys()].filter((one) => one !== PAID && one !== HELD);
  const isWithin = billNano <= budgetNano && mostNano <= budgetNano && passed <= paid;
  return {
    title: 'One budget, two daemons',
    facts: [
      `${rfcs} changes to two daemons on one MongoDB, ${AT_A_TIME} at a time; the budget of the ` +
        `day pays for ${paid}`,
    ],
    tables: [
      {
        columns: ['what', 'number'],
        rows: [
          ['budget, nano-USD', budgetNano],
          ['bill of the vendor, nano-USD', billNano],
          ['most that was settled and held back at any look, nano-USD', mostNano],
          ...[...results].map(([result, count]): [string, number] => [result, count]),
        ],
      },
    ],
    notes: [
      'a call is made only if its reserve fits, which is more than it costs; what is held for ' +
        'want of budget is tried again later',
      ...odd.map((result) => `FAULT: ${result}`),
    ],
    holds: isWithin && odd.length === 0 && passed >= paid * SHORT_SHARE,
  };
}
