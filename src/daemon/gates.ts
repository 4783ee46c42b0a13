import { createLateReports, type LateReports } from '../analysis/late-reports.ts';
import { PIPELINE } from '../analysis/limits.ts';
import { createPipeline, type Pipeline } from '../analysis/pipeline.ts';
import { createRereviews, type Rereviews } from '../analysis/rereview.ts';
import { createReviewer, REVIEW_RETRY_MS, type Reviewer } from '../analysis/review.ts';
import { rejectedNote, rejectionOf } from '../heads/rejections.ts';
import { statusProblem } from '../hosts/status-api.ts';
import { JOB } from '../model/limits.ts';
import type { Base, Parts } from './parts.ts';

/** Opens gate 3. */
export function openReviewer(parts: Base & Pick<Parts, 'stores' | 'scan'>): Reviewer {
  const { config, dataDir, telemetry, stores, scan } = parts;
  return createReviewer({
    ...scan,
    settings: config.llm,
    store: stores.reviews,
    records: stores.store,
    key: dataDir.keys.fingerprint,
    owner: dataDir.instance,
    retryMs: parts.reviewRetryMs ?? REVIEW_RETRY_MS,
    now: () => new Date(),
    events: { onCall: telemetry.modelCalled, onVote: telemetry.voted },
  });
}

/** Opens the path of submitted diffs. */
export function openPipeline(
  parts: Base & Pick<Parts, 'stores' | 'scan' | 'waiters' | 'reviewer' | 'late'>,
): Pipeline {
  const { config, log, stores, scan, waiters, reviewer, late, baseUrl } = parts;
  return createPipeline({
    ...scan,
    late,
    store: stores.store,
    reviewer,
    waiters,
    baseUrl,
    rejectedNote: async (change) =>
      (await rejectionOf(change, stores.pushes)) === null ? null : rejectedNote(),
    vcsProblem: (tenantId) => statusProblem(config.vcs, tenantId),
    now: () => new Date(),
    answerWithinMs: parts.answerWithinMs ?? PIPELINE.ANSWER_WITHIN_MS,
    attemptsMax: parts.attemptsMax ?? JOB.ATTEMPTS_MAX,
    finishDrafts: parts.finishDrafts ?? true,
    orphansIntervalMs: config.store.kind === 'mongodb' ? PIPELINE.ORPHANS_INTERVAL_MS : null,
    onBackgroundError: (error, rfcId) => log.error({ err: error, rfcId }, 'draft not finished'),
  });
}

/** Opens what counts reports that came while a verdict was written. */
export function openLateReports(
  { lifecycle, log, stores, scan, git }: Base & Pick<Parts, 'stores' | 'scan' | 'git'>,
  onChanged: (rfcId: string, hasMoved: boolean) => void,
): LateReports {
  const { store, trail } = stores;
  const late = createLateReports({
    ...scan,
    store,
    trail,
    source: git.source,
    onChanged,
    onError: (error, rfcId) => log.error({ err: error, rfcId }, 'a report does not count yet'),
  });
  lifecycle.onStop('late reports', late.stop);
  return late;
}

/** Opens the reviews of verdicts: a new status revokes what depended on the old one. */
export function openRereviews(
  parts: Base & Pick<Parts, 'stores' | 'git' | 'waiters' | 'reviewer' | 'pushes'>,
): Rereviews {
  const { config, log, dataDir, stores, git, waiters, reviewer, pushes } = parts;
  return createRereviews({
    reviews: stores.reviews,
    store: stores.store,
    trail: stores.trail,
    reviewer,
    source: git.source,
    owner: dataDir.instance,
    retryMs: parts.reviewRetryMs ?? REVIEW_RETRY_MS,
    now: () => new Date(),
    fourEyes: config.auth.fourEyes,
    isRefused: async (record) => (await rejectionOf(record, stores.pushes)) !== null,
    onChanged: onVerdictRevised({ waiters, pushes }),
    onError: (error, rfcId) => log.error({ err: error, rfcId }, 'review not finished'),
  });
}

/** What follows when a review or a plan has changed an RFC; `hasMoved`: its status, too. */
export function onVerdictRevised({ waiters, pushes }: Pick<Parts, 'waiters' | 'pushes'>) {
  return (rfcId: string, hasMoved: boolean) => {
    waiters.wake(rfcId);
    if (!hasMoved) return;
    pushes.runner.cancel(rfcId);
    pushes.outbox.wake();
  };
}
