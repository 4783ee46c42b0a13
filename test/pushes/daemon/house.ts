import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestFn } from 'ava';
import { readConfig } from '../../../src/daemon/config/config.ts';
import type { PushTimes } from '../../../src/pushes/push-record.ts';
import { fake } from '../../../src/rules/fake.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import {
  type Answer,
  request,
  startDaemonProcess,
  startDaemonWithin,
  type Teardown,
  temporaryDir,
} from '../../daemon.ts';
import { type GitHost, startGitHost } from '../../hosts/git-host.ts';
import { type StatusHost, startStatusHost } from '../../hosts/status-host.ts';
import type { Hook } from './hooks.ts';

/** The configured hosts: each has a secret of its own, all have their repositories in one place. */
export const SECRETS = {
  hub: fake('hub-', 40),
  tea: fake('tea-', 40),
  lab: fake('lab-', 40),
} as const;
export type HostId = keyof typeof SECRETS;

const TOKEN = fake('token-', 40);
const PROVIDERS = { hub: 'github', tea: 'gitea', lab: 'gitlab' } as const;

/** A running daemon, whichever way it was started. */
export interface PushDaemon {
  /** With `/api/cra`. */
  url: string;
  port: number;
  /** Lines of its log so far; of one within this process: none. */
  log: readonly Record<string, unknown>[];
  kill(): Promise<void>;
  stop(): Promise<unknown>;
}

/** Git over HTTP, receivers of statuses with the quirks of each host, and where a daemon lives. */
export interface PushHouse {
  git: GitHost;
  statuses: Record<HostId, StatusHost>;
  dataDir: string;
  /** SERVICE_VCS_CONFIG. */
  configPath: string;
  /** The one that was started last. */
  daemon: PushDaemon;
  /** Starts a daemon as `npm start` runs it. */
  start(options?: { dataDir?: string; env?: Record<string, string> }): Promise<PushDaemon>;
  /** Sends a webhook. */
  deliver(hook: Hook, daemon?: PushDaemon): Promise<Answer>;
}

export interface HouseOptions {
  /** More of SERVICE_VCS_CONFIG. */
  config?: Readonly<Record<string, unknown>>;
  /** Runs the daemon within this process, so that it waits as long as the test tells. */
  times?: PushTimes & { sweepMs: number };
  /** False: none is started yet. */
  isStarted?: boolean;
  env?: Record<string, string>;
}

/** Opens a house, its daemon started. */
export async function openHouse(t: Teardown, options: HouseOptions = {}): Promise<PushHouse> {
  const git = await startGitHost({ token: TOKEN });
  t.teardown(git.close);
  const [hub, tea, lab] = await Promise.all(
    Object.values(PROVIDERS).map((kind) => startStatusHost(t, { kind, token: TOKEN })),
  );
  if (!hub || !tea || !lab) throw new Error('a host of statuses is missing');
  const statuses = { hub, tea, lab };
  const dataDir = temporaryDir(t);
  const path = join(temporaryDir(t), 'vcs.json');
  const hosts = (Object.keys(PROVIDERS) as HostId[]).map((id) => ({
    id,
    provider: PROVIDERS[id],
    url: git.url,
    api_url: statuses[id].apiUrl,
    token: TOKEN,
    username: git.username,
    webhook_secrets: [SECRETS[id]],
  }));
  const settings = { hosts, default_host: 'hub', ...options.config };
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 });
  const common = {
    SERVICE_VCS_CONFIG: path,
    SERVICE_THREADS: process.env['SERVICE_THREADS'] ?? '1',
    ...options.env,
  };

  const house: PushHouse = {
    git,
    statuses,
    dataDir,
    configPath: path,
    daemon: NONE,
    async start(own = {}) {
      const env = { ...common, ...own.env };
      const dir = own.dataDir ?? dataDir;
      const { times } = options;
      house.daemon =
        times === undefined
          ? await startDaemonProcess(t, dir, env)
          : await startWithin(t, dir, env, times);
      return house.daemon;
    },
    deliver: ({ body, headers }, daemon = house.daemon) =>
      request(`${daemon.url}/webhook`, { method: 'POST', headers, body: new Uint8Array(body) }),
  };
  if (options.isStarted !== false) await house.start();
  return house;
}

const NONE: PushDaemon = {
  url: 'http://127.0.0.1:9/api/cra',
  port: 9,
  log: [],
  kill: () => Promise.reject(new Error('not started')),
  stop: () => Promise.reject(new Error('not started')),
};

async function startWithin(
  t: Teardown,
  dataDir: string,
  env: Record<string, string>,
  { sweepMs, ...pushTimes }: NonNullable<HouseOptions['times']>,
): Promise<PushDaemon> {
  const config = readConfig({ SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir, ...env });
  const daemon = await startDaemonWithin({
    config: { ...config, vcs: { ...config.vcs, sweepIntervalMs: sweepMs } },
    log: createLogger('silent'),
    pushTimes,
    onFatal: (error) => console.error(error),
    onWornOut: () => undefined,
  });
  t.teardown(() => daemon.stop());
  return {
    url: `http://127.0.0.1:${daemon.port}/api/cra`,
    port: daemon.port,
    log: [],
    kill: () => Promise.reject(new Error('it runs within this process')),
    stop: daemon.stop,
  };
}

/** One for all tests of a file, opened before them. */
export function houseForAll(test: TestFn, options: HouseOptions = {}): () => PushHouse {
  const undo: (() => unknown)[] = [];
  let house: PushHouse | null = null;
  test.before(async () => {
    house = await openHouse({ teardown: (step) => undo.push(step) }, options);
  });
  test.after.always(async () => {
    for (const step of undo.reverse()) await step();
  });
  return () => {
    if (house === null) throw new Error('not opened');
    return house;
  };
}
