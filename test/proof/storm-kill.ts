import { setTimeout as delay } from 'node:timers/promises';
import { startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { childrenOf, waitUntilGone } from '../../bench/daemon/processes.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { checkLedger, readStoredPushes } from '../../bench/storm/ledger.ts';
import { openStage, type Stage, waitForDrain } from '../../bench/storm/stage.ts';

const KILLS = 10;
const REPOS = 12;
const CONNECTIONS = 32;
const WEBHOOKS_A_ROUND = 5_000;
/** A kill comes so long after the first answer: in the storm, or when the queue works it off. */
const KILL_MS_MIN = 300;
const KILL_MS_MAX = 5_000;
const GONE_WITHIN_MS = 30_000;
const DRAIN_MS_MAX = 1_800_000;
const FAULTS_SHOWN = 20;

/** A storm of webhooks whose daemon is killed again and again, then left to finish. */
export async function run(options: RunOptions): Promise<Report> {
  const kills = options.count ?? KILLS;
  const random = createRandom(options.seed);
  const stage = await openStage({ repos: REPOS, seed: options.seed });
  try {
    const startMs: number[] = [];
    const faults: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      const killAfterMs = random.between(KILL_MS_MIN, KILL_MS_MAX);
      const begun = performance.now();
      const daemon = await startHostedDaemon(stage);
      startMs.push(performance.now() - begun);
      faults.push(...(await stormUntilKilled(stage, daemon, { round, killAfterMs })));
      options.progress(`storm-kill: ${round + 1} kills`);
    }
    const begun = performance.now();
    const last = await startHostedDaemon(stage);
    if (!(await waitForDrain(last.url, DRAIN_MS_MAX))) faults.push('the queue did not drain');
    const drainedSeconds = (performance.now() - begun) / 1000;
    const code = await last.stop();
    if (code !== 0) faults.push(`the last daemon ended with ${code}`);
    const entries = await stage.load.ledger();
    const check = checkLedger(entries, readStoredPushes(stage.dataDir));
    faults.push(...check.faults);
    const sent = new Set(entries.map(({ body }) => body)).size;
    const statuses = Object.entries(check.byStatus).map(([status, count]) => `${status}: ${count}`);
    return {
      title: 'kill -9 in a storm of webhooks (SQLite)',
      facts: [
        `seed ${options.seed}; ${REPOS} repositories on a host of kind file:///, ${CONNECTIONS} ` +
          'connections; payloads of 32 KiB, 10 % sent twice, 5 % force pushes',
        `a kill ${KILL_MS_MIN} to ${KILL_MS_MAX} ms after the first answer; what got no answer is ` +
          'sent again to the next daemon, under its id',
      ],
      tables: [
        {
          columns: ['what', 'number'],
          rows: [
            ['kills', kills],
            ['webhooks that were acknowledged (200)', check.acknowledged],
            ['without an answer, cut off by a kill', entries.length - check.acknowledged],
            ['different bodies that were sent', sent],
            ['different bodies that were acknowledged', check.bodies],
            ['RFCs of webhooks in the store', check.rfcs],
            ['their statuses', statuses.join(', ')],
            ['start until it listens, ms (median)', percentile(startMs, 0.5)],
            ['the last daemon: until nothing waited, s', drainedSeconds],
            ['**faults**', faults.length],
          ],
        },
      ],
      notes: [
        'a fault: an acknowledged webhook whose RFC is not in the store, a body with two RFCs, an ' +
          'RFC nobody sent a webhook for, an answer other than 200, a push that is not final in ' +
          'the end, a child that outlives its daemon by 30 s',
        ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      ],
      holds: faults.length === 0,
    };
  } finally {
    await stage.close();
  }
}

interface Round {
  round: number;
  killAfterMs: number;
}

async function stormUntilKilled(
  { load }: Stage,
  daemon: Awaited<ReturnType<typeof startHostedDaemon>>,
  { round, killAfterMs }: Round,
): Promise<string[]> {
  const storm = load.storm({
    port: daemon.port,
    name: `round-${round}`,
    count: WEBHOOKS_A_ROUND,
    floodedShare: 0.6,
    connections: CONNECTIONS,
    perSecond: null,
    resend: true,
  });
  await load.begun();
  await delay(killAfterMs);
  const children = childrenOf(daemon.pid);
  process.kill(round % 2 === 0 ? daemon.pid : -daemon.pid, 'SIGKILL');
  await Promise.all([daemon.exited, storm]);
  const left = await waitUntilGone(children, GONE_WITHIN_MS);
  return left.map((pid) => `process ${pid} outlived its daemon`);
}
