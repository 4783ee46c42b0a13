import { setTimeout as delay } from 'node:timers/promises';
import { type HostedDaemon, startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { createHttpClient, type HttpClient } from '../../bench/daemon/http-client.ts';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom, type Random } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { type Answer, isUnparsed, readAnswer } from './answers.ts';
import { makeBodies } from './bodies.ts';

const KILLS = 200;
const AT_A_TIME = 8;
const PAUSE_MS_MAX = 100;
const BACK_WITHIN_MS = 10_000;
const FAULTS_SHOWN = 20;

/** Kills AST children drawn at random while every request needs them. */
export async function run(options: RunOptions): Promise<Report> {
  const kills = options.count ?? KILLS;
  const { script } = await makeBodies(options);
  const temporary = makeTemporary();
  const daemon = await startHostedDaemon({ dataDir: temporary.path });
  const client = createHttpClient(daemon.port);
  const random = createRandom(options.seed);
  const faults: string[] = [];
  try {
    const expected = await answerAll(client, script);
    // A child that is dying may be seen beside the one that takes its place.
    const { childPids: usual } = await daemon.sample();
    const load = startLoad(client, script, expected, random, faults);
    let killed = 0;
    let slowestMs = 0;
    while (killed < kills) {
      await delay(random.between(1, PAUSE_MS_MAX));
      const { childPids } = await daemon.sample();
      if (childPids.length > 0 && kill(random.pick(childPids))) killed += 1;
      slowestMs = Math.max(slowestMs, await untilBack(daemon, usual.length, faults));
      if (killed % 20 === 0) options.progress(`child-deaths: ${killed} killed`);
    }
    const { requests, same, unparsed } = await load.stop();
    const after = await daemon.sample();
    return {
      title: 'AST children killed during load',
      facts: [
        `seed ${options.seed}; ${AT_A_TIME} requests at a time, 10 KB of JS/TS with a sink each`,
      ],
      tables: [
        {
          columns: ['what', 'number'],
          rows: [
            ['children killed with SIGKILL', killed],
            ['requests', requests],
            ['answered as without kills', same],
            ['answered with `ast-unparsed` instead', unparsed],
            ['until all children were back, ms, slowest', slowestMs],
            ['scan threads replaced', after.threadsReplaced],
            ['children afterwards', after.childPids.length],
            ['**faults**', faults.length],
          ],
        },
      ],
      notes: faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      holds: faults.length === 0,
    };
  } finally {
    client.close();
    await daemon.stop();
    temporary.remove();
  }
}

/** What each body is answered when nobody is killed. */
async function answerAll(client: HttpClient, bodies: readonly Buffer[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const body of bodies) answers.push(readAnswer((await client.analyze(body)).text));
  return answers;
}

function startLoad(
  client: HttpClient,
  bodies: readonly Buffer[],
  expected: readonly Answer[],
  random: Random,
  faults: string[],
) {
  const counts = { requests: 0, same: 0, unparsed: 0 };
  let isStopped = false;

  async function send(): Promise<void> {
    while (!isStopped) {
      const index = random.between(0, bodies.length);
      const body = bodies[index] ?? Buffer.alloc(0);
      counts.requests += 1;
      try {
        const { status, text } = await client.analyze(body);
        if (status !== 200) faults.push(`${status}: ${text.slice(0, 200)}`);
        else compare(readAnswer(text), expected[index]);
      } catch (thrown) {
        faults.push(String(thrown));
      }
    }
  }

  function compare(answer: Answer, undisturbed: Answer | undefined): void {
    const names = ({ gates }: Answer) => gates.ast.findings.map(({ id, line }) => `${id}:${line}`);
    if (undisturbed !== undefined && String(names(answer)) === String(names(undisturbed))) {
      counts.same += 1;
    } else if (isUnparsed(answer)) counts.unparsed += 1;
    else faults.push(`${answer.rfc_id}: other findings, and no ast-unparsed`);
  }

  const senders = Array.from({ length: AT_A_TIME }, send);
  return {
    async stop() {
      isStopped = true;
      await Promise.all(senders);
      return counts;
    },
  };
}

/** False when it was gone already. */
function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Waits until as many children run as before; resolves with the time that took. */
async function untilBack(daemon: HostedDaemon, count: number, faults: string[]): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { childPids } = await daemon.sample();
    const ms = performance.now() - start;
    if (childPids.length >= count) return ms;
    if (ms > BACK_WITHIN_MS) {
      faults.push(`${childPids.length} children after ${BACK_WITHIN_MS} ms, ${count} before`);
      return ms;
    }
    await delay(5);
  }
}
