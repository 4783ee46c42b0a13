import { setTimeout as delay } from 'node:timers/promises';
import { startHostedDaemon } from '../../../bench/daemon/hosted-daemon.ts';
import { createHttpClient } from '../../../bench/daemon/http-client.ts';
import { keepInFlight } from '../../../bench/harness.ts';
import type { RunOptions } from '../../../bench/options.ts';
import type { Report } from '../../../bench/report.ts';
import { fake } from '../../../src/rules/fake.ts';
import { startIssuer } from '../../auth/issuer.ts';
import { bodyOf, dataOf, folderIn, type ReviewedRfc, withVendor } from './world.ts';

const DRAFTS = 1_000;
const PLACES = 32;
const VENDOR_MS = 2_000;
/** From the first DRAFT to the last verdict; 62.5 s are the calls alone. */
const WITHIN_MS = 75_000;
const SMALL_TENANTS = 9;
const SMALL_SHARE = 0.01;
const AT_A_TIME = 16;
const POLL_MS = 250;
/** Half of the places may be those of the largest tenant while others wait. */
const FAIR_FACTOR = 4;

/** Many DRAFTs of one tenant, then few of nine others: how long all take, and how long these. */
export async function run(options: RunOptions): Promise<Report> {
  const undo: (() => unknown)[] = [];
  const issuer = await startIssuer({ teardown: (step) => undo.push(step) });
  try {
    return await withVendor(async (world) => {
      const drafts = options.count ?? DRAFTS;
      world.vendor.script = () => ({ kind: 'answer', after: delay(VENDOR_MS) });
      const daemon = await startHostedDaemon({
        dataDir: folderIn(world, 'data'),
        settings: {
          ...world.settings({ concurrency: PLACES, timeout_ms: 110_000 }),
          SERVICE_AUTH_ENABLED: 'true',
          CRA_API_TOKEN: fake('', 40),
          SERVICE_OIDC_ISSUER: issuer.url,
          SERVICE_OIDC_AUDIENCE: issuer.audience,
        },
      });
      const tokens = await Promise.all(
        Array.from({ length: SMALL_TENANTS + 1 }, (_, index) =>
          issuer.sign({ meridian_roles: ['submitter'], meridian_tenant: `tenant-${index}` }),
        ),
      );
      const client = createHttpClient(daemon.port);
      const send: Send = (tenant, path, body) => {
        const headers = { authorization: `Bearer ${tokens[tenant]}` };
        return client.send({ method: body === null ? 'GET' : 'POST', path, body, headers });
      };
      const small = Math.max(1, Math.round(drafts * SMALL_SHARE));
      const cpuBefore = daemon.cpuSeconds();
      daemon.resetLag();
      const start = performance.now();
      const faults = await submitAll(send, drafts, small);
      const submittedMs = performance.now() - start;
      options.progress(`llm-drafts: ${drafts} DRAFTs`);
      const doneMs = (await untilJudged(send, tokens.length)).map((ms) => ms + submittedMs);
      const { lagP99Ms } = await daemon.sample();
      const cpuMs = ((daemon.cpuSeconds() - cpuBefore) * 1000) / drafts;
      const passed = await countPassed(tokens.keys(), send);
      if (passed !== drafts) faults.push(`${passed} of ${drafts} are PASSED`);
      client.close();
      await daemon.stop();
      const calls = world.vendor.requests.length;
      return reportOf({ drafts, small, submittedMs, doneMs, lagP99Ms, cpuMs, calls, faults });
    });
  } finally {
    for (const step of undo.reverse()) step();
  }
}

/** The changes of the large tenant, then those of the small ones in turn. */
async function submitAll(send: Send, drafts: number, small: number): Promise<string[]> {
  const faults: string[] = [];
  const large = drafts - SMALL_TENANTS * small;
  let next = 0;
  const isDone = () => next >= drafts;
  await keepInFlight(AT_A_TIME, isDone, async () => {
    const own = next++;
    const tenant = own < large ? 0 : 1 + ((own - large) % SMALL_TENANTS);
    const { text, status } = await send(
      ...([tenant, 'analyze', bodyOf({ [`src/f${own}.js`]: [`use(${own});`] })] as const),
    );
    const isDraft = status === 200 && dataOf<ReviewedRfc>(text).overall_status === 'DRAFT';
    if (!isDraft) faults.push(`change ${own}: ${status} ${text.slice(0, 200)}`);
  });
  return faults;
}

/** When each tenant had no DRAFT any more, in ms from now. */
async function untilJudged(send: Send, tenants: number): Promise<number[]> {
  const start = performance.now();
  const doneMs: number[] = [];
  const waiting = new Set(Array.from({ length: tenants }, (_, index) => index));
  while (waiting.size > 0 && performance.now() - start < WITHIN_MS * 10) {
    for (const tenant of waiting) {
      const { text } = await send(tenant, 'rfcs?status=DRAFT&limit=1', null);
      if (dataOf<unknown[]>(text).length > 0) continue;
      waiting.delete(tenant);
      doneMs[tenant] = performance.now() - start;
    }
    await delay(POLL_MS);
  }
  return doneMs;
}

interface Outcome {
  drafts: number;
  small: number;
  submittedMs: number;
  doneMs: readonly number[];
  lagP99Ms: number;
  cpuMs: number;
  calls: number;
  faults: readonly string[];
}

function reportOf({
  drafts,
  small,
  submittedMs,
  doneMs,
  lagP99Ms,
  cpuMs,
  calls,
  faults,
}: Outcome): Report {
  const allMs = Math.max(...doneMs);
  const smallMs = Math.max(...doneMs.slice(1));
  const fairMs = (SMALL_TENANTS * small * VENDOR_MS) / (PLACES / 2);
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  return {
    title: 'Many DRAFTs at once',
    facts: [
      `${drafts - SMALL_TENANTS * small} DRAFTs of one tenant, then ${small} of each of ` +
        `${SMALL_TENANTS} others; a vendor that takes ${VENDOR_MS} ms, ${PLACES} places`,
    ],
    tables: [
      {
        columns: ['what', 'number'],
        rows: [
          ['all were submitted after, s', seconds(submittedMs)],
          [`all have their verdict after, s (goal ${seconds(WITHIN_MS)})`, seconds(allMs)],
          ['the calls alone, s', seconds((drafts * VENDOR_MS) / PLACES)],
          ['the last of the small tenants so long after its change, s', seconds(smallMs)],
          ['the same with half of the places from the start, s', seconds(fairMs)],
          ['calls', calls],
          ['lag of the main thread p99, ms', lagP99Ms],
          ['CPU of the daemon a change, all included, ms', cpuMs],
          ['**faults**', faults.length],
        ],
      },
    ],
    notes: [
      'places go to tenants in turn, and one tenant holds at most half of them while others wait',
      ...faults.map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0 && allMs <= WITHIN_MS && smallMs <= fairMs * FAIR_FACTOR,
  };
}

type Send = (
  tenant: number,
  path: string,
  body: Buffer | null,
) => Promise<{ status: number; text: string }>;

async function countPassed(tenants: Iterable<number>, send: Send): Promise<number> {
  let passed = 0;
  for (const tenant of tenants) {
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { text } = await send(tenant, `rfcs?status=PASSED&limit=100${query}`, null);
      const page = JSON.parse(text) as { data: unknown[]; next_cursor: string | null };
      passed += page.data.length;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  return passed;
}
