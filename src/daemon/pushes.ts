import { join } from 'node:path';
import { runAdmitted, type ScanAccess } from '../analysis/job.ts';
import { freezeSentence } from '../deploys/freezes.ts';
import { createRevertWatch } from '../deploys/revert-watch.ts';
import type { ReadStatus } from '../hosts/host.ts';
import { gitHost } from '../hosts/hosts.ts';
import type { VcsHost, VcsSettings } from '../hosts/settings.ts';
import type { SignatureFamily, WebhookSecret } from '../hosts/signature.ts';
import { openStatusReader } from '../hosts/status-api.ts';
import type { QueueDepth } from '../model/push.ts';
import { coverageCounts, createCoverage } from '../pushes/coverage.ts';
import { createDeployAnswers } from '../pushes/deploy-answers.ts';
import { createIntake, type LargeDelivery } from '../pushes/intake.ts';
import { COMMIT_STATUS, PUSHES } from '../pushes/limits.ts';
import { createPullNotes } from '../pushes/pull-requests.ts';
import { createPullSweep } from '../pushes/pull-sweep.ts';
import { PUSH_TIMES } from '../pushes/push-record.ts';
import { postMissingStatus } from '../pushes/recheck.ts';
import { createPushRunner } from '../pushes/runner.ts';
import { createOutbox } from '../pushes/statuses/outbox.ts';
import { createStatusGuard } from '../pushes/statuses/overwritten.ts';
import { createSweep, pushedRepositories } from '../pushes/sweep.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { PushesState } from '../telemetry/status.ts';
import type { Config } from './config/config.ts';
import type { Base, OpenStore, Parts, Pushes } from './parts.ts';

/** Opens the path of pushes; it runs nothing before `start`. */
export function openPushes(
  parts: Base &
    Pick<Parts, 'stores' | 'keeper' | 'scan' | 'git' | 'waiters' | 'reviewer' | 'late' | 'deploys'>,
): Pushes {
  const { config, log, lifecycle, dataDir, stores, keeper, scan, waiters } = parts;
  const { store, pushes } = stores;
  const { source } = parts.git;
  const { vcs } = config;
  const times = parts.pushTimes ?? PUSH_TIMES;
  const now = () => new Date();
  const { findFreezes, check } = parts.deploys;
  const statuses = createOutbox({
    settings: vcs,
    store: pushes,
    baseUrl: parts.baseUrl,
    components: () => scan.rules.rules.components ?? [],
    async freezes(repo) {
      const place = { repo, environment: null, component: null };
      return (await findFreezes(place, Date.now())).map(freezeSentence);
    },
    log,
  });
  const deploys = createDeployAnswers({
    hosts: vcs.hosts,
    check,
    onAnswered: (answered) => log.info(answered, 'a host has the answer about a deploy'),
    onError: (err, host) => log.warn({ err, host }, 'a deploy is not answered now'),
  });
  // What changes a verdict wakes the statuses: hosts that ask about deploys wait for the same.
  const outbox = {
    ...statuses,
    wake() {
      statuses.wake();
      deploys.wake();
    },
  };
  const pullNotes = createPullNotes({
    pushes,
    store,
    now,
    onError: (err, rfcId) => log.warn({ err, rfcId }, 'the pull request of a push is not noted'),
  });
  const runner = createPushRunner({
    ...scan,
    pushes,
    store,
    source,
    times,
    now,
    reviewer: parts.reviewer,
    late: parts.late,
    earlier: keeper.earlierMap,
    owner: dataDir.instance,
    threads: config.threads,
    hosts: vcs.hosts,
    adopt: vcs.adopt,
    onSettled(rfcId) {
      waiters.wake(rfcId);
      pullNotes.settled(rfcId);
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
  const guard = createStatusGuard({
    pushes,
    trail: stores.trail,
    readers: statusReaders(vcs.hosts),
    onReset: outbox.wake,
    onError: (error, host) => log.warn({ err: error, host }, 'a commit status was not compared'),
  });
  const counter = countDepth(pushes.queueDepth, log);
  let ignored = 0;
  const intake = createIntake({
    pushes,
    now,
    settings: vcs,
    secrets: secretsOf(config),
    readLarge: (delivery) => readLarge(delivery, scan),
    rulesRevision: () => scan.rules.revision,
    isFull: () => (counter.depth()?.open ?? 0) >= PUSHES.OPEN_MAX,
    onAccepted({ outcome, rfc_id }, { host: { tenantId }, repoFullName, repoKey, ref, ...more }) {
      if (outcome === 'same-body') sweep.look({ tenantId, repoFullName });
      if (outcome === 'same-push') {
        const id = { tenant_id: tenantId, rfc_id };
        const { pullRequest } = more;
        const noted = pullRequest === null ? null : pullNotes.note(id, ref, pullRequest);
        Promise.resolve(noted)
          .then(() => postMissingStatus(id, { pushes, store, now }))
          .then(outbox.wake)
          .catch((err) => log.warn({ err, rfcId: rfc_id }, 'a verdict is not shown again'));
      }
      if (outcome !== 'new') return;
      runner.accepted(rfc_id, { tenant_id: tenantId, repo_key: repoKey, ref });
      outbox.wake();
    },
    onRefused: ({ host, repoFullName }) => sweep.look({ tenantId: host.tenantId, repoFullName }),
    onStatus: guard.look,
    onDeployAsked: deploys.ask,
    onRechecked({ rfc_id: rfcId, outcome }) {
      log.info({ rfcId, outcome }, 'a user of the host asked for another run of its check');
      runner.wake();
      outbox.wake();
    },
    onIgnored(what, deliveryId) {
      ignored += 1;
      parts.telemetry.webhookIgnored(what);
      log.info({ what, deliveryId }, 'webhook ignored: it makes no RFC');
    },
  });
  const pullSweep = createPullSweep({
    hosts: vcs.hosts,
    pushes,
    takeUp: intake.takeUp,
    deploys,
    intervalMs: vcs.sweepIntervalMs,
    onError: (error, host) => log.warn({ err: error, host }, 'pull requests were not looked at'),
  });
  const coverage = createCoverage({
    hosts: vcs.hosts,
    pushes,
    file: join(config.dataDir, 'coverage.json'),
    tell: (events) => stores.events.addEvents({ events }),
    onError: (error, host) => log.warn({ err: error, host }, 'the coverage is not checked now'),
  });
  const reverts = createRevertWatch({
    listRepositories: () => pushedRepositories(pushes),
    pushes,
    records: store,
    deploys: stores.deploys,
    trail: stores.trail,
    source,
    onError: (error, repo) => log.warn({ err: error, repo }, 'not all reverts were looked for'),
  });
  lifecycle.onStop('reverts', reverts.stop);
  lifecycle.onStop('coverage', coverage.stop);
  lifecycle.onStop('overwritten statuses', guard.stop);
  lifecycle.onStop('statuses', outbox.stop);
  lifecycle.onStop('pushes', runner.stop);
  lifecycle.onStop('sweep', sweep.stop);
  lifecycle.onStop('sweep of pull requests', pullSweep.stop);
  lifecycle.onStop('answers about deploys', deploys.stop);
  lifecycle.onStop('depth of the queue', counter.stop);
  return {
    start() {
      runner.start();
      sweep.start();
      pullSweep.start();
      reverts.start();
      counter.start();
      outbox.start();
      coverage.start();
    },
    coverage: coverage.state,
    intake,
    runner,
    outbox,
    depth: counter.depth,
    ignored: () => ignored,
  };
}

/** Where statuses of hosts are read that tell when somebody sets one. */
function statusReaders(hosts: readonly VcsHost[]): Map<string, ReadStatus> {
  const options = { deadlineMs: COMMIT_STATUS.POST_DEADLINE_MS, now: Date.now };
  return new Map(
    hosts.flatMap((host) => {
      const read = openStatusReader(host, options);
      return read === null ? [] : [[host.id, read] as const];
    }),
  );
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
  { runner, outbox, depth, ignored, coverage }: Pushes,
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
    landed_blocked: counted?.landed_blocked ?? null,
    coverage: coverageCounts(coverage(null)),
    hosts: known.flatMap(({ id, provider }) => {
      const lane = hosts.find(({ host }) => host === id);
      if (lane === undefined) return [];
      const { state, posted: taken, failed: refused, last_error } = lane;
      const error = last_error?.reason ?? null;
      return [{ id, provider, state, posted: taken, failed: refused, error }];
    }),
  };
}

/** Reads a payload on a scan thread: see `Analysis.readDelivery`. */
async function readLarge(delivery: LargeDelivery, access: ScanAccess) {
  const ticket = {
    caller: 'webhooks',
    bytes: delivery.body.length,
    // Its signature holds, and hosts do not send a webhook again: many at once are read in turn.
    waitMs: null,
    signal: null,
  };
  const { event } = await runAdmitted(access, ticket, (analysis, job, call) =>
    analysis.readDelivery({ ...delivery, ...job }, call),
  );
  return event;
}

/** Counts the pushes that wait, at an interval: webhooks are refused above a bound. */
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
  let timer: NodeJS.Timeout | undefined;
  return {
    depth: () => depth,
    start() {
      count();
      timer = setInterval(count, PUSHES.DEPTH_INTERVAL_MS);
    },
    stop: () => clearInterval(timer),
  };
}
