import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type ServedDaemon, startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { checkLedger, type StoredPush } from '../../bench/storm/ledger.ts';
import { openStage, type Stage, waitForDrain } from '../../bench/storm/stage.ts';
import { createCheckpointSigner, createCheckpointVerifier } from '../../src/audit/checkpoint.ts';
import { verifyTrail } from '../../src/audit/verify.ts';
import { describeFlaw } from '../../src/cli/audit-verify.ts';
import { openMongoAuditSource } from '../../src/store/mongo/audit-source.ts';
import { freePort } from '../free-port.ts';
import { startMongod } from '../mongod/mongod.ts';

const DAEMONS = 2;
const REPOS = 12;
const CONNECTIONS = 8;
const PER_SECOND = 20;
/** Of the whole storm: each step of the upgrade gets its part. */
const SECONDS = 120;
const DRAIN_MS_MAX = 900_000;
const READY_MS_MAX = 60_000;
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
    const stops = await site.stop();
    if (stops.some((code) => code !== 0)) faults.push(`the new daemons ended with ${stops.join()}`);
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

/** Daemons of one store behind a load balancer. */
interface Site {
  /** Of the load balancer. */
  port: number;
  url: string;
  storeUrl: string;
  checkpointSeed: Buffer;
  readonly stopSeconds: readonly number[];
  /** Stops a daemon and starts it again as this tree; resolves with its exit code. */
  replace(index: number): Promise<number | null>;
  /** Resolves with the exit codes. */
  stop(): Promise<(number | null)[]>;
  close(): Promise<void>;
}

async function openSite(stage: Stage, storeUrl: string, dist: string | null): Promise<Site> {
  const checkpointSeed = randomBytes(32);
  const shared = {
    ...stage.settings,
    SERVICE_STORE_URL: storeUrl,
    SERVICE_THREADS: '1',
    SERVICE_LOG_LEVEL: 'info',
    SERVICE_SEAL_KEY: randomBytes(32).toString('hex'),
    SERVICE_FINGERPRINT_KEY: randomBytes(32).toString('hex'),
    SERVICE_CHECKPOINT_KEY: checkpointSeed.toString('hex'),
  };
  const ports: number[] = [];
  const daemons: ServedDaemon[] = [];
  const stopSeconds: number[] = [];
  const start = (index: number, from: string | null) => {
    const settings = { ...shared, SERVICE_PORT: String(ports[index]) };
    return startServedDaemon(join(stage.path, `daemon-${index}`), settings, from);
  };
  for (let index = 0; index < DAEMONS; index += 1) {
    ports.push(await freePort());
    daemons.push(await start(index, dist));
  }
  const port = await freePort();
  const balancer = startBalancer(stage.path, port, ports);
  const url = `http://127.0.0.1:${port}/api/cra`;
  await untilReady(url);
  return {
    port,
    url,
    storeUrl,
    checkpointSeed,
    stopSeconds,
    async replace(index) {
      const begun = performance.now();
      const code = (await daemons[index]?.stop()) ?? null;
      stopSeconds.push((performance.now() - begun) / 1000);
      daemons[index] = await start(index, null);
      await untilReady(`http://127.0.0.1:${ports[index]}/api/cra`);
      // HAProxy asks each second, and takes it back after two answers.
      await delay(BACK_MS);
      return code;
    },
    async stop() {
      const codes = await Promise.all(daemons.map((daemon) => daemon.stop()));
      daemons.length = 0;
      return codes;
    },
    async close() {
      await Promise.all(daemons.map((daemon) => daemon.stop()));
      balancer.kill();
    },
  };
}

const BACK_MS = 5_000;

/** The example of the package without TLS, for these ports. */
function startBalancer(folder: string, port: number, [one, two]: number[]): ChildProcess {
  const adapted = readFileSync('systemd/examples/haproxy.cfg', 'utf8')
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace('127.0.0.1:3011', `127.0.0.1:${one}`)
    .replace('#server cra2 127.0.0.1:3012', `server cra2 127.0.0.1:${two}`);
  const path = join(folder, 'haproxy.cfg');
  writeFileSync(path, `defaults\n    timeout client 90s\n\n${adapted}`);
  return spawn('haproxy', ['-f', path], { stdio: 'ignore' });
}

async function untilReady(url: string): Promise<void> {
  const end = performance.now() + READY_MS_MAX;
  for (;;) {
    const status = await fetch(`${url}/health?ready=1`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${url} is not ready`);
    await delay(200);
  }
}

/** What is stored, past all code of the daemons. */
async function readPushes(storeUrl: string): Promise<StoredPush[]> {
  const client = await MongoClient.connect(storeUrl);
  try {
    const documents = client
      .db()
      .collection('rfcs')
      .find({ 'push.repo': { $exists: true } });
    const pushes: StoredPush[] = [];
    for await (const { _id, status, json } of documents) {
      const record = JSON.parse(String(json));
      const verdictMs = Date.parse(record.updated_at) - Date.parse(record.created_at);
      const { delivery_id, source } = record.push;
      if (source !== 'webhook') continue;
      const repo = String(record.repo_name);
      pushes.push({ rfcId: String(_id), delivery: delivery_id, status, repo, verdictMs });
    }
    return pushes;
  } finally {
    await client.close();
  }
}

async function flawsOf({ storeUrl, checkpointSeed }: Site): Promise<string[]> {
  const { verifierKey } = createCheckpointSigner(checkpointSeed);
  const open = createCheckpointVerifier(verifierKey);
  const source = await openMongoAuditSource({ url: storeUrl, auditUrl: null });
  const how = { open, nowMs: Date.now(), kept: [], claims: null };
  const { flaw } = await verifyTrail(source, how).finally(() => source.close());
  return flaw === null ? [] : [`the audit trail: ${describeFlaw(flaw)}`];
}
