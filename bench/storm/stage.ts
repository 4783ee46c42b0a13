import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeTemporary } from '../disk.ts';
import { type GitField, makeGitField } from './git-field.ts';
import { startWebhookLoad, type WebhookLoad } from './webhooks-load.ts';

/** What a storm needs beside the daemon: a Git host, its webhooks and who takes statuses. */
export interface Stage {
  dataDir: string;
  path: string;
  secret: string;
  field: GitField;
  /** Settings of the daemon. */
  settings: Readonly<Record<string, string>>;
  load: WebhookLoad;
  /** Statuses that were posted. */
  readonly statuses: number;
  close(): Promise<void>;
}

/** Makes the repositories and starts what has to run. */
export async function openStage(options: { repos: number; seed: number }): Promise<Stage> {
  const temporary = makeTemporary();
  const root = join(temporary.path, 'host');
  const field = makeGitField({ root, ...options });
  const secret = randomBytes(24).toString('hex');
  let statuses = 0;
  const receiver = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      statuses += 1;
      response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const config = join(temporary.path, 'vcs.json');
  const host = { id: 'forge', provider: 'github', url: `file://${root}` };
  const api_url = `http://127.0.0.1:${port}`;
  const entry = {
    ...host,
    api_url,
    webhook_secrets: [secret],
    token: randomBytes(20).toString('hex'),
  };
  writeFileSync(config, JSON.stringify({ hosts: [entry] }), { mode: 0o600 });
  const load = await startWebhookLoad({ root, repos: field.repos, secret, seed: options.seed });
  return {
    dataDir: join(temporary.path, 'data'),
    path: temporary.path,
    secret,
    field,
    load,
    settings: { SERVICE_VCS_CONFIG: config },
    get statuses() {
      return statuses;
    },
    async close() {
      await load.stop();
      receiver.closeAllConnections();
      receiver.close();
      temporary.remove();
    },
  };
}

const POLL_MS = 250;

/** Waits until no push waits any more; resolves with false when that takes longer than `ms`. */
export async function waitForDrain(url: string, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  for (;;) {
    const response = await fetch(`${url}/rfcs?status=DRAFT&limit=1`);
    const { data } = (await response.json()) as { data: unknown[] };
    if (data.length === 0) return true;
    if (performance.now() > end) return false;
    await delay(POLL_MS);
  }
}

const WAIT_SECONDS = 30;

/** Waits until an RFC is final; resolves with its status. */
export async function waitForVerdict(url: string, rfcId: string): Promise<string> {
  for (;;) {
    const response = await fetch(`${url}/rfc/${rfcId}?wait=${WAIT_SECONDS}`);
    const { data } = (await response.json()) as { data?: { overall_status: string } };
    if (data === undefined) throw new Error(`rfc/${rfcId} answered ${response.status}`);
    if (data.overall_status !== 'DRAFT') return data.overall_status;
  }
}
