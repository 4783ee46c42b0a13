import { type RulesSource, runJob } from '../analysis/job.ts';
import type { Waiters } from '../analysis/read-rfcs.ts';
import type { Reviewer } from '../analysis/review.ts';
import type { Admission, ScanPool } from '../analysis/scan-pool.ts';
import { gitHost } from '../hosts/hosts.ts';
import type { VcsSettings } from '../hosts/settings.ts';
import type { SignatureFamily, WebhookSecret } from '../hosts/signature.ts';
import type { EarlierMaps } from '../model/components.ts';
import type { QueueDepth } from '../model/push.ts';
import { createIntake, type Intake, type LargeDelivery } from '../pushes/intake.ts';
import { PUSHES } from '../pushes/limits.ts';
import type { PushTimes } from '../pushes/push-record.ts';
import { createPushRunner, type PushRunner } from '../pushes/runner.ts';
import { createOutbox, type Outbox } from '../pushes/statuses/outbox.ts';
import { createSweep } from '../pushes/sweep.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { PushesState } from '../telemetry/status.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Config } from './config/config.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { OpenedSource, OpenStore } from './threads.ts';

/** Everything that happens to pushes, from the webhook to the status of the commit. */
export interface Pushes {
  /** Begins to post commit statuses: they link to the address at which the service listens. */
  start(): void;
  intake: Intake;
  runner: PushRunner;
  outbox: Outbox;
  git: OpenedSource['git'];
  /** The mirrors. */
  source: OpenedSource['source'];
  /** As it was counted last; null: not yet. */
  depth(): QueueDepth | null;
  /** Signed deliveries that made no RFC since the start. */
  ignored(): number;
}

export interface PushesOptions extends OpenStore {
  config: Config;
  owner: string;
  admission: Admission;
  pool: ScanPool;
  rules: RulesSource;
  earlier: EarlierMaps;
  reviewer: Reviewer;
  waiters: Waiters;
  lifecycle: Lifecycle;
  log: Logger;
  telemetry: Pick<Telemetry, 'webhookIgnored'>;
  times: PushTimes;
  baseUrl(): string;
  mirrors: OpenedSource;
}

/** Starts the queue and the sweep; the outbox begins with `start`. */
export function openPushes(options: PushesOptions): Pushes {
  const { config, store, pushes, admission, pool, rules, waiters, lifecycle, log, times } = options;
  const { vcs } = config;
  const { analysis } = pool;
  const now = () => new Date();
  const { source, git } = options.mirrors;
  const outbox = createOutbox({ settings: vcs, store: pushes, baseUrl: options.baseUrl, log });
  const runner = createPushRunner({
    pushes,
    store,
    source,
    analysis,
    admission,
    rules,
    times,
    now,
    reviewer: options.reviewer,
    earlier: options.earlier,
    owner: options.owner,
    threads: config.threads,
    adopt: vcs.adopt,
    onSettled(rfcId) {
      waiters.wake(rfcId);
      outbox.wake();
    },
    onError: (error, rfcId) => log.error({ err: error, rfcId }, 'push not judged'),
  });
  const sweep = createSweep({
    pushes,
    source,
    now,
    intervalMs: vcs.sweepIntervalMs,
    judgesTags: vcs.judgesTags,
    graceMs: times.graceMs,
    retryMs: times.pollMs,
    onFound: runner.wake,
    onError: (error, repo) => log.warn({ err: error, repo }, 'a repository was not looked at'),
  });
  const counter = countDepth(pushes.queueDepth, log);
  let ignored = 0;
  const intake = createIntake({
    pushes,
    now,
    settings: vcs,
    secrets: secretsOf(config),
    readLarge: (delivery) => readLarge(delivery, options),
    rulesRevision: () => rules.revision,
    isFull: () => (counter.depth()?.open ?? 0) >= PUSHES.OPEN_MAX,
    onAccepted({ outcome, rfc_id }, { host: { tenantId }, repoFullName, repoKey, ref }) {
      if (outcome === 'same-body') sweep.look({ tenantId, repoFullName });
      if (outcome !== 'new') return;
      runner.accepted(rfc_id, { tenant_id: tenantId, repo_key: repoKey, ref });
      outbox.wake();
    },
    onRefused: ({ host, repoFullName }) => sweep.look({ tenantId: host.tenantId, repoFullName }),
    onIgnored(what, deliveryId) {
      ignored += 1;
      options.telemetry.webhookIgnored(what);
      log.info({ what, deliveryId }, 'webhook ignored: it makes no RFC');
    },
  });
  lifecycle.onStop('statuses', outbox.stop);
  lifecycle.onStop('pushes', runner.stop);
  lifecycle.onStop('sweep', sweep.stop);
  lifecycle.onStop('depth of the queue', counter.stop);
  return {
    intake,
    runner,
    outbox,
    git,
    source,
    depth: counter.depth,
    start: outbox.start,
    ignored: () => ignored,
  };
}

/** The secrets that verify deliveries: of the environment for every host that signs like this. */
function secretsOf({ webhook, vcs }: Config): WebhookSecret[] {
  const everybody = (secrets: readonly string[], family: SignatureFamily) =>
    secrets.map((secret) => ({ family, secret, host: null }));
  const own = vcs.hosts.flatMap(({ id, provider, webhookSecrets }) =>
    webhookSecrets.map((secret) => ({ family: gitHost(provider).signature, secret, host: id })),
  );
  return [
    ...everybody(webhook.hubSecrets, 'hub'),
    ...everybody(webhook.providerSecrets, 'provider'),
    ...own,
  ];
}

/** What the status report shows of pushes. */
export function pushesState(
  { runner, outbox, depth, ignored }: Pushes,
  { hosts: known }: Pick<VcsSettings, 'hosts'>,
): PushesState {
  const counted = depth();
  const { posted, failed, hosts } = outbox.state();
  const waiting = counted?.open ?? null;
  const oldest = counted?.oldestAt ?? null;
  return {
    state: (waiting ?? 0) >= PUSHES.OPEN_MAX ? 'full' : 'up',
    waiting,
    oldest_seconds:
      oldest === null ? null : Math.max(0, Math.round((Date.now() - Date.parse(oldest)) / 1000)),
    running: runner.running,
    webhooks_ignored: ignored(),
    statuses_due: counted?.statuses_due ?? null,
    statuses_posted: posted,
    statuses_failed: failed,
    hosts: known.flatMap(({ id, provider }) => {
      const lane = hosts.find(({ host }) => host === id);
      if (lane === undefined) return [];
      const { state, posted: taken, failed: refused, last_error } = lane;
      const error = last_error?.reason ?? null;
      return [{ id, provider, state, posted: taken, failed: refused, error }];
    }),
  };
}

/** A payload that would hold the main thread up is read on a scan thread. */
async function readLarge(
  delivery: LargeDelivery,
  { admission, pool, rules }: Pick<PushesOptions, 'admission' | 'pool' | 'rules'>,
) {
  const release = await admission.acquire({
    caller: 'webhooks',
    bytes: delivery.body.length,
    // Its signature holds, and hosts do not send a webhook again: many at once are read in turn.
    waitMs: null,
    signal: null,
  });
  try {
    const { event } = await runJob(rules, { yieldAfterMs: null }, null, () =>
      pool.analysis.readDelivery(delivery),
    );
    return event;
  } finally {
    release();
  }
}

/** Counts what waits now and then: webhooks are refused above a bound, the status shows it. */
function countDepth(read: OpenStore['pushes']['queueDepth'], log: Logger) {
  let depth: QueueDepth | null = null;
  const count = () => {
    read(null)
      .then((counted) => {
        depth = counted;
        if (counted.open >= PUSHES.OPEN_MAX * PUSHES.OPEN_ALARM) {
          log.error({ open: counted.open, max: PUSHES.OPEN_MAX }, 'too many pushes wait');
        }
      })
      .catch((error) => log.warn({ err: error }, 'the pushes that wait were not counted'));
  };
  count();
  const timer = setInterval(count, PUSHES.DEPTH_INTERVAL_MS);
  return { depth: () => depth, stop: () => clearInterval(timer) };
}
