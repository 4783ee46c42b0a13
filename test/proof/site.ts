import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type ServedDaemon, startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import type { StoredPush } from '../../bench/storm/ledger.ts';
import type { Stage } from '../../bench/storm/stage.ts';
import { createCheckpointSigner, createCheckpointVerifier } from '../../src/audit/checkpoint.ts';
import { verifyTrail } from '../../src/audit/verify.ts';
import { describeFlaw } from '../../src/cli/audit-verify.ts';
import { retry } from '../../src/core/retry.ts';
import { openMongoAuditSource } from '../../src/store/mongo/audit-source.ts';
import { freePort } from '../free-port.ts';

export const DAEMONS = 2;
const READY_MS_MAX = 60_000;
const START_TRIES = 10;

/** Daemons of one store behind a load balancer. */
export interface Site {
  /** Of the load balancer. */
  port: number;
  url: string;
  storeUrl: string;
  checkpointSeed: Buffer;
  readonly stopSeconds: readonly number[];
  /** Stops a daemon and starts it again as this tree; resolves with its exit code. */
  replace(index: number): Promise<number | null>;
  /** Ends a daemon and its children by SIGKILL, and starts it again after so many ms. */
  kill(index: number, downMs: number): Promise<void>;
  /** Resolves with a sentence for each daemon that did not end in order. */
  stop(): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts the daemons, of the tree whose `dist` this is or of this one, and their load balancer. */
export async function openSite(stage: Stage, storeUrl: string, dist: string | null): Promise<Site> {
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
  const ended: string[] = [];
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
    async kill(index, downMs) {
      const daemon = daemons[index];
      if (daemon === undefined) return;
      try {
        process.kill(-daemon.pid, 'SIGKILL');
      } catch {
        // ESRCH: where systemd would have started it again.
        ended.push(`daemon ${index} ended by itself: ${daemon.errors()}`);
      }
      await daemon.exited;
      await delay(downMs);
      // It ends while the store is away, and systemd starts it again.
      const delayMs = (_: unknown, retries: number) => (retries < START_TRIES ? downMs : null);
      daemons[index] = await retry(() => start(index, null), { delayMs });
    },
    async stop() {
      const stopped = daemons.splice(0);
      const codes = await Promise.all(stopped.map((daemon) => daemon.stop()));
      const failed = codes.flatMap((code, index) => {
        return code === 0
          ? []
          : [`daemon ${index} ended with ${code}: ${stopped[index]?.errors()}`];
      });
      return [...ended, ...failed];
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
export async function readPushes(storeUrl: string): Promise<StoredPush[]> {
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
      const repo = String(record.repo_name);
      pushes.push({ rfcId: String(_id), source, delivery: delivery_id, status, repo, verdictMs });
    }
    return pushes;
  } finally {
    await client.close();
  }
}

/** What `cra audit verify` says of the trail, in words. */
export async function flawsOf({ storeUrl, checkpointSeed }: Site): Promise<string[]> {
  const { verifierKey } = createCheckpointSigner(checkpointSeed);
  const open = createCheckpointVerifier(verifierKey);
  const source = await openMongoAuditSource({ url: storeUrl, auditUrl: null });
  const how = { open, nowMs: Date.now(), kept: [], claims: null };
  const { flaw } = await verifyTrail(source, how).finally(() => source.close());
  return flaw === null ? [] : [`the audit trail: ${describeFlaw(flaw)}`];
}
