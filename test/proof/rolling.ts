import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { checkLedger } from '../../bench/storm/ledger.ts';
import { openStage, waitForDrain } from '../../bench/storm/stage.ts';
import { startMongod } from '../mongod/mongod.ts';
import { DAEMONS, flawsOf, openSite, readPushes } from './site.ts';

const REPOS = 12;
const CONNECTIONS = 8;
const PER_SECOND = 20;
/** Of the whole storm: each step of the upgrade gets its part. */
const SECONDS = 120;
const DRAIN_MS_MAX = 900_000;
const FAULTS_SHOWN = 20;

/**
 * Two daemons on one MongoDB behind HAProxy, under a storm of webhooks. One after the other is
 * stopped and started again as this tree, where `--data` names the `dist` of the tree that they
 * were before; in between both versions work on one store. `--count`: seconds of the storm.
 */
export async function run(options: RunOptions): Promise<Report> {
  const seconds = options.count ?? SECONDS;
  const stage = await openStage({ repos: REPOS, seed: options.seed });
  const mongod = await startMongod({ folder: join(stage.path, 'mongod') });
  const site = await openSite(stage, mongod.url.replace('/?', '/cra?'), options.data);
  const faults: string[] = [];
  try {
    const storm = stage.load.storm({
      port: site.port,
      name: 'rolling',
      count: seconds * PER_SECOND,
      floodedShare: 0.4,
      connections: CONNECTIONS,
      perSecond: PER_SECOND,
      resend: false,
    });
    await stage.load.begun();
    // Old and old, old and new, new and new: a third of the storm each.
    const partMs = (seconds * 1000) / (DAEMONS + 1);
    for (let index = 0; index < DAEMONS; index += 1) {
      await delay(partMs);
      const code = await site.replace(index);
      if (code !== 0) faults.push(`daemon ${index} ended with ${code}`);
      options.progress(`rolling: ${index + 1} of ${DAEMONS} daemons are new`);
    }
    const outcome = await storm;
    const begun = performance.now();
    if (!(await waitForDrain(site.url, DRAIN_MS_MAX))) faults.push('the queue did not drain');
    const drainedSeconds = (performance.now() - begun) / 1000;
    faults.push(...(await site.stop()));
    const check = checkLedger(await stage.load.ledger(), await readPushes(site.storeUrl));
    faults.push(...check.faults, ...(await flawsOf(site)));
    const unanswered = outcome.statuses[0] ?? 0;
    if (unanswered > 0) faults.push(`${unanswered} webhooks got no answer`);
    const rows: Cell[][] = [
      ['webhooks sent through HAProxy', outcome.sent],
      ['answers by status', JSON.stringify(outcome.statuses)],
      ['answer, ms, p50', outcome.p50Ms],
      ['answer, ms, p99', outcome.p99Ms],
      ['different bodies acknowledged', check.bodies],
      ['RFCs of webhooks in the store', check.rfcs],
      ['RFCs of pushes that a sweep found first', check.swept],
      ['their statuses', JSON.stringify(check.byStatus)],
      [
        'stop until it has ended, s, each',
        site.stopSeconds.map((one) => one.toFixed(1)).join(', '),
      ],
      ['after the storm until nothing waited, s', drainedSeconds],
      ['**faults**', faults.length],
    ];
    return {
      title: 'A rolling upgrade behind HAProxy in a storm of webhooks (MongoDB)',
      facts: [
        `seed ${options.seed}; ${DAEMONS} daemons, ${PER_SECOND} webhooks a second for ` +
          `${seconds} s, ${REPOS} repositories on a host of kind file:///; ` +
          `from ${options.data === null ? 'this tree' : 'the tree of --data'} to this tree; ` +
          'a third of the time both are old, one is new, both are new',
        `load average at the end: ${loadavg()[0]?.toFixed(1)}`,
      ],
      tables: [{ columns: ['what', 'number'], rows }],
      notes: [
        'a fault: a webhook without an answer of 200, an acknowledged one whose RFC is not in the ' +
          'store, a body with two RFCs, a push that is not final in the end, a daemon that does ' +
          'not end with 0, an audit trail that does not verify',
        ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      ],
      holds: faults.length === 0,
    };
  } finally {
    await site.close();
    await mongod.stop();
    await stage.close();
  }
}
