import { type Rereviews, startRereviews } from '../analysis/rereview.ts';
import { createReviewer, REVIEW_RETRY_MS, type Reviewer } from '../analysis/review.ts';
import type { Waiters } from '../analysis/rfcs.ts';
import type { Admission, ScanPool } from '../analysis/scan-pool.ts';
import { isRejected } from '../heads/adoption.ts';
import { repositoryKey } from '../model/push.ts';
import type { RulesKeeper } from '../rulebook/rules-keeper.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { DataDir } from './data-dir.ts';
import type { DaemonOptions } from './main.ts';
import type { Pushes } from './pushes.ts';
import type { OpenStore } from './threads.ts';

type ReviewsOptions = Pick<DaemonOptions, 'config' | 'log' | 'reviewRetryMs'>;

/** Gate 3; what the former run of this daemon left open is settled. */
export async function openReviewer(
  { config, reviewRetryMs = REVIEW_RETRY_MS }: ReviewsOptions,
  { reviews: store, store: records }: OpenStore,
  parts: {
    pool: ScanPool;
    admission: Admission;
    dataDir: DataDir;
    keeper: RulesKeeper;
    telemetry: Pick<Telemetry, 'modelCalled' | 'voted'>;
  },
): Promise<Reviewer> {
  const { pool, admission, dataDir, keeper, telemetry } = parts;
  const reviewer = createReviewer({
    ...{ settings: config.llm, store, records, analysis: pool.analysis, admission },
    ...{ rules: keeper.source, key: dataDir.keys.fingerprint, owner: dataDir.instance },
    ...{ retryMs: reviewRetryMs, now: () => new Date() },
    events: { onCall: telemetry.modelCalled, onVote: telemetry.voted },
  });
  await reviewer.settleLeft();
  return reviewer;
}

/** Reviews of verdicts: a move takes back what rested on it, and the host gets a new status. */
export function openRereviews(
  { log, reviewRetryMs = REVIEW_RETRY_MS }: ReviewsOptions,
  { reviews, store, trail, pushes }: OpenStore,
  parts: { queue: Pushes; reviewer: Reviewer; dataDir: DataDir; waiters: Waiters },
): Rereviews {
  const { queue, reviewer, dataDir, waiters } = parts;
  return startRereviews({
    ...{ reviews, store, trail, reviewer, source: queue.source, owner: dataDir.instance },
    ...{ retryMs: reviewRetryMs, now: () => new Date() },
    async isRefused(record) {
      const { tenant_id, commit_sha: sha, push } = record;
      if (push === null || sha === null) return false;
      const place = { tenant_id, repo_key: repositoryKey(record) };
      return isRejected((await pushes.pushesOfCommit({ ...place, sha })).records);
    },
    onChanged(rfcId, hasMoved) {
      waiters.wake(rfcId);
      if (!hasMoved) return;
      queue.runner.cancel(rfcId);
      queue.outbox.wake();
    },
    onError: (error, rfcId) => log.error({ err: error, rfcId }, 'review not finished'),
  });
}
