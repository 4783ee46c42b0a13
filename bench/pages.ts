import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openCorpus, sized } from './corpus/corpus.ts';
import { type Callers, openCallers } from './daemon/callers.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { threadCpuUs, usedBetween } from './daemon/thread-cpu.ts';
import { makeTemporary } from './disk.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { analyzeBody } from './request-body.ts';

const PAGES = 100;
/** As the page asks while it is used (src/dashboard/session.ts, pages/queue.tsx). */
const PULSE_MS = 2_000;
const REREAD_MS = 10_000;
const RFCS = 60;
const ROUNDS = 5;
/** Goals: requests a second of all pages, and the CPU of one beside that of a prod-check. */
const RATE_MAX = 60;
const RATIO_MAX = 1.2;

/** What 100 open pages ask of a daemon, and what one of their questions costs. */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const callers = await openCallers();
  const corpus = sized(await openCorpus(options, 'plain'), 10_000);
  const bodies = corpus.diffs.slice(0, RFCS).map((diff) => analyzeBody(diff, 'acme/shop'));
  const loadBefore = (loadavg()[0] ?? 0).toFixed(1);
  const dataDir = `${temporary.path}/data`;
  const daemon = await startHostedDaemon({ dataDir, settings: callers.settings });
  try {
    const bench = { daemon, callers, bodies, seconds: options.seconds };
    const ids = await Promise.all(bodies.map((body) => submit(bench, body)));
    const kinds = kindsOf(ids);
    const costs = new Map(kinds.map(({ name }) => [name, [] as number[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kind of kinds) costs.get(kind.name)?.push(await costOf(bench, kind));
      options.progress(`pages: round ${round + 1} of ${ROUNDS}`);
    }
    const { rate, failed } = await pagesDuring(bench, ids);
    const median = (name: string) => percentile(costs.get(name) ?? [], 0.5);
    const rows = kinds.map(({ name }): Cell[] => [
      name,
      median(name),
      median(name) / median('GET prod-check'),
    ]);
    const worst = Math.max(...ASKED.map((name) => median(name) / median('GET prod-check')));
    await daemon.stop();
    return {
      title: `${PAGES} open pages`,
      facts: [
        `load average of the machine: ${loadBefore} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`,
        `${PAGES} pages, half on the queue and half on an RFC, each asks every ${PULSE_MS} ms, ` +
          'while an RFC comes each second: ' +
          `${rate.toFixed(1)} requests a second, ${failed} failed (goal: ${RATE_MAX})`,
      ],
      tables: [{ columns: ['question', 'CPU of the main thread, us', 'beside prod-check'], rows }],
      notes: [
        `the median of ${ROUNDS} rounds of ${options.seconds} s, in turn; ${PAGES} connections, ` +
          'each asks again when it has its answer, by JWT',
        'the pages are simulated: they ask as src/dashboard does, with If-None-Match',
        `goal: what is asked while nothing changes costs at most ${RATIO_MAX} x`,
      ],
      holds: worst <= RATIO_MAX && rate <= RATE_MAX && failed === 0,
    };
  } finally {
    callers.close();
    temporary.remove();
  }
}

interface Bench {
  daemon: HostedDaemon;
  callers: Callers;
  bodies: readonly Buffer[];
  seconds: number;
}

interface Kind {
  name: string;
  path(page: number): string;
  isConditional: boolean;
}

const ASKED = ['GET pulse, 304', 'GET pulse?rfc=, 304'] as const;

function kindsOf(ids: readonly string[]): Kind[] {
  const idOf = (page: number) => ids[page % ids.length] ?? '';
  return [
    { name: 'GET prod-check', path: () => 'prod-check/acme/shop', isConditional: false },
    { name: ASKED[0], path: () => 'pulse', isConditional: true },
    { name: ASKED[1], path: (page) => `pulse?rfc=${idOf(page)}`, isConditional: true },
    { name: 'GET rfcs, 304', path: () => 'rfcs', isConditional: true },
    { name: 'GET rfcs, 50 rows', path: () => 'rfcs', isConditional: false },
  ];
}

/**
 * CPU of the main thread for one question of a kind, when all pages ask it one after the other: at
 * their own pace what the daemon does at rest would be most of it.
 */
async function costOf(bench: Bench, { path, isConditional }: Kind): Promise<number> {
  const pages = openPages(bench);
  const tags = new Map<number, string>();
  const asking = (page: number) => async () => {
    const tag = isConditional ? (tags.get(page) ?? '') : '';
    const { headers } = await pages.ask(page, path(page), tag);
    tags.set(page, String(headers.etag ?? ''));
  };
  await Promise.all(Array.from({ length: PAGES }, (_, page) => asking(page)()));
  const before = threadCpuUs(bench.daemon.pid);
  const start = pages.asked;
  await beating(bench.seconds, 0, asking);
  const used = usedBetween(before, threadCpuUs(bench.daemon.pid));
  pages.close();
  const main = used.find(({ thread }) => thread === bench.daemon.pid)?.us ?? 0;
  return main / (pages.asked - start);
}

/** The pages as they are, while RFCs come. */
async function pagesDuring(bench: Bench, ids: readonly string[]) {
  const pages = openPages(bench);
  let isOver = false;
  const coming = (async () => {
    for (let n = 0; !isOver; n += 1) {
      await submit(bench, bench.bodies[n % bench.bodies.length] ?? Buffer.from(''));
      await delay(1_000);
    }
  })();
  const start = performance.now();
  await beating(Math.max(bench.seconds, 3 * (REREAD_MS / 1_000)), PULSE_MS, (page) => {
    const path = page % 2 === 0 ? 'pulse' : `pulse?rfc=${ids[page % ids.length] ?? ''}`;
    let tag = '';
    let listTag = '';
    let newest = '';
    let reread = performance.now();
    return async () => {
      const { headers, body } = await pages.ask(page, path, tag);
      tag = String(headers.etag ?? '');
      if (page % 2 === 1 || body === '') return;
      const { data } = JSON.parse(body) as { data: { newest: string; counts: object } };
      const state = JSON.stringify([data.newest, data.counts]);
      if (state === newest || performance.now() - reread < REREAD_MS) return;
      [newest, reread] = [state, performance.now()];
      const list = await pages.ask(page, 'rfcs', listTag);
      listTag = String(list.headers.etag ?? '');
    };
  });
  const seconds = (performance.now() - start) / 1_000;
  isOver = true;
  await coming;
  pages.close();
  return { rate: pages.asked / seconds, failed: pages.failed };
}

/** Each page does its part, evenly spread, every `pauseMs` for so many seconds. */
async function beating(
  seconds: number,
  pauseMs: number,
  makePage: (page: number) => () => Promise<void>,
) {
  const end = performance.now() + seconds * 1_000;
  const live = async (page: number) => {
    const beat = makePage(page);
    await delay((page * pauseMs) / PAGES);
    while (performance.now() < end) {
      await beat();
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: PAGES }, (_, page) => live(page)));
}

interface Answer {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A connection for each page. */
function openPages({ daemon, callers }: Bench) {
  const agents = Array.from({ length: PAGES }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const pages = {
    asked: 0,
    failed: 0,
    close: () => agents.forEach((agent) => void agent.destroy()),
    ask(page: number, path: string, tag: string): Promise<Answer> {
      pages.asked += 1;
      const headers = { ...callers.person, 'x-cra-background': '1', 'if-none-match': tag };
      return new Promise((resolve, reject) => {
        const agent = agents[page];
        const sent = request(`${daemon.url}/${path}`, { headers, ...(agent && { agent }) });
        sent.on('error', reject);
        sent.on('response', (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          response.on('end', () => {
            if (response.statusCode !== 200 && response.statusCode !== 304) pages.failed += 1;
            resolve({ headers: response.headers, body });
          });
        });
        sent.end();
      });
    },
  };
  return pages;
}

async function submit({ daemon, callers }: Bench, body: Buffer): Promise<string> {
  const headers = callers.machine;
  const response = await fetch(`${daemon.url}/analyze`, { method: 'POST', body, headers });
  const answer = (await response.json()) as { data: { rfc_id: string } };
  return answer.data.rfc_id;
}
