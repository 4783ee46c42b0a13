import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { RunningDaemon } from '../../bench/daemon/environment.ts';
import { startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { createHttpClient, type HttpClient } from '../../bench/daemon/http-client.ts';
import { childrenOf, waitUntilGone } from '../../bench/daemon/processes.ts';
import { startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import { createRandom, type Random } from '../../bench/random.ts';
import { type Answer, readAnswer } from './answers.ts';
import { type Bodies, drawBody } from './bodies.ts';

export interface KillOptions {
  dataDir: string;
  bodies: Bodies;
  kills: number;
  seed: number;
  onKill?: (report: KillReport) => void;
}

export interface KillReport {
  kills: number;
  /** Answers of 200. */
  answered: number;
  drafts: number;
  /** Requests without an answer when the daemon was killed. */
  cutOff: number;
  /** Children that ran when their daemon was killed. */
  children: number;
  startMs: number[];
  /** Whatever must not be, in words. */
  faults: string[];
}

const AT_A_TIME = 8;
/** A kill comes after so many answers at most. */
const ANSWERS_MAX = 150;
/** And so much later at most, so that it hits any moment of a request. */
const DELAY_MS_MAX = 20;
const GONE_WITHIN_MS = 10_000;
const FINAL_WITHIN_MS = 120_000;
const DRAFT_AFTER_MS = 1;
const READS_AT_A_TIME = 16;

/** Starts, loads and kills a daemon on one data directory again and again. */
export async function killRepeatedly(options: KillOptions): Promise<KillReport> {
  const report: KillReport = {
    kills: 0,
    answered: 0,
    drafts: 0,
    cutOff: 0,
    children: 0,
    startMs: [],
    faults: [],
  };
  const all: Answer[] = [];
  let last: Answer[] = [];
  for (let round = 0; round < options.kills; round += 1) {
    const random = createRandom(options.seed * 1_000_003 + round);
    const daemon = await start(options.dataDir, round % 2 === 1, report);
    const client = createHttpClient(daemon.port);
    report.faults.push(...(await checkAll(client, last, isSameOrMoved)));
    last = await loadUntilKilled({ daemon, client, options, random, report });
    all.push(...last);
    options.onKill?.(report);
  }
  await checkAtTheEnd(options.dataDir, all, report);
  return report;
}

async function start(dataDir: string, isHasty: boolean, report: KillReport) {
  const start = performance.now();
  const daemon: RunningDaemon = isHasty
    ? await startHostedDaemon({ dataDir, answerWithinMs: DRAFT_AFTER_MS })
    : await startServedDaemon(dataDir);
  report.startMs.push(performance.now() - start);
  return daemon;
}

interface Round {
  daemon: RunningDaemon;
  client: HttpClient;
  options: KillOptions;
  random: Random;
  report: KillReport;
}

/** Posts until the moment that the round draws, kills, and gives what was answered. */
async function loadUntilKilled(round: Round): Promise<Answer[]> {
  const { daemon, client, options, random, report } = round;
  const answers: Answer[] = [];
  const killAfter = random.between(1, ANSWERS_MAX + 1);
  const isGroup = random.next() < 0.5;
  let isKilled = false;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });

  async function send(): Promise<void> {
    while (!isKilled) {
      try {
        const { status, text } = await client.analyze(drawBody(options.bodies, random));
        if (status === 200) answers.push(readAnswer(text));
        else report.faults.push(`analyze answered ${status}: ${text.slice(0, 200)}`);
      } catch (thrown) {
        if (isKilled) report.cutOff += 1;
        else report.faults.push(`analyze failed before the kill: ${String(thrown)}`);
        if (!isKilled) reach();
        return;
      }
      if (answers.length >= killAfter) reach();
    }
  }

  const senders = Array.from({ length: AT_A_TIME }, send);
  await reached;
  await delay(random.between(0, DELAY_MS_MAX));
  const children = childrenOf(daemon.pid);
  isKilled = true;
  process.kill(isGroup ? -daemon.pid : daemon.pid, 'SIGKILL');
  await Promise.all([daemon.exited, ...senders]);
  client.close();
  const left = await waitUntilGone(children, GONE_WITHIN_MS);
  if (left.length > 0) report.faults.push(`${left.length} children outlived their daemon`);
  report.kills += 1;
  report.answered += answers.length;
  report.children += children.length;
  report.drafts += answers.filter(({ overall_status }) => overall_status === 'DRAFT').length;
  return answers;
}

/** All answers of all rounds once more, every DRAFT final, and an orderly end. */
async function checkAtTheEnd(
  dataDir: string,
  answers: readonly Answer[],
  report: KillReport,
): Promise<void> {
  const daemon = await startServedDaemon(dataDir);
  const client = createHttpClient(daemon.port);
  const end = performance.now() + FINAL_WITHIN_MS;
  let drafts = await countDrafts(client);
  while (drafts > 0 && performance.now() < end) {
    await delay(100);
    drafts = await countDrafts(client);
  }
  if (drafts > 0) report.faults.push(`${drafts} or more RFCs are stuck in DRAFT`);
  report.faults.push(...(await checkAll(client, answers, isSameOrFinal)));
  client.close();
  const code = await daemon.stop();
  if (code !== 0) report.faults.push(`the last daemon ended with ${code}`);
}

async function countDrafts(client: HttpClient): Promise<number> {
  const { text } = await client.get('rfcs?status=DRAFT');
  return (JSON.parse(text) as { data: unknown[] }).data.length;
}

type Check = (answered: Answer, stored: Answer) => boolean;

/** Faults of answers that are not there as they were given. */
async function checkAll(
  client: HttpClient,
  answers: readonly Answer[],
  check: Check,
): Promise<string[]> {
  const faults: string[] = [];
  const rest = [...answers];
  const worker = async () => {
    for (let answered = rest.pop(); answered !== undefined; answered = rest.pop()) {
      const { status, text } = await client.get(`rfc/${answered.rfc_id}`);
      const name = `${answered.rfc_id} (answered ${answered.overall_status})`;
      if (status !== 200) faults.push(`${name}: GET answers ${status}`);
      else if (!check(answered, readAnswer(text))) {
        faults.push(`${name}: stored otherwise, as ${readAnswer(text).overall_status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: READS_AT_A_TIME }, worker));
  return faults;
}

/** What was final stays as it was; a DRAFT may have gone on. */
function isSameOrMoved(answered: Answer, stored: Answer): boolean {
  if (answered.overall_status !== 'DRAFT') return isDeepStrictEqual(answered, stored);
  return answered.rfc_id === stored.rfc_id && answered.diff_hash === stored.diff_hash;
}

function isSameOrFinal(answered: Answer, stored: Answer): boolean {
  return stored.overall_status !== 'DRAFT' && isSameOrMoved(answered, stored);
}
