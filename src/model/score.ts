import type { Static } from 'typebox';
import { isPullRequestRef } from './push.ts';
import type { RfcRecord } from './records.ts';
import { COUNT, exactly, SCORE, TEXT, TEXT_OR_NULL, TIME } from './schema.ts';

/** Bounds of calibration. */
export const CALIBRATION = {
  /** Labelled changes of a group that a curve takes, and at least so many of each label. */
  CHANGES_MIN: 200,
  OF_EACH_MIN: 20,
  /** Groups of a tenant that have a curve: the ones with most changes. */
  GROUPS_MAX: 100,
  /** How far back changes are looked at. */
  DAYS_MAX: 365,
  /** A change of which nothing bad was heard for so long counts as fine. */
  SETTLED_DAYS: 30,
  /** RFCs of a tenant that one look reads: the newest. */
  RFCS_MAX: 20_000,
  /** RFCs that one read of a store returns. */
  READ_PAGE: 100,
  /** How often the newest curves are read, and how often they are fitted. */
  READ_INTERVAL_MS: 600_000,
  FIT_INTERVAL_MS: 7 * 24 * 3_600_000,
} as const;

/** The name of a group: the owner of repositories, in lower case; empty: they have none. */
export function scoreGroupOf(repoName: string): string {
  return repoName.slice(0, Math.max(0, repoName.lastIndexOf('/'))).toLowerCase();
}

/** Takes log-odds of the model to log-odds of what happens in a group. */
const SCORE_CURVE = exactly({
  group: {
    ...TEXT,
    description: 'Owner of the repositories, in lower case; empty: they have none',
  },
  slope: { type: 'number', exclusiveMinimum: 0 },
  offset: { type: 'number' },
  changes: { ...COUNT, description: 'Labelled changes that it was fitted to' },
  failures: COUNT,
});
export type ScoreCurve = Static<typeof SCORE_CURVE>;

/** The curves of a tenant. A version never changes; scores name theirs. */
export const SCORE_CURVES = exactly({
  version: { ...COUNT, description: 'From 1 on' },
  made_at: TIME,
  curves: { type: 'array', items: SCORE_CURVE, maxItems: CALIBRATION.GROUPS_MAX },
});
export type ScoreCurves = Static<typeof SCORE_CURVES>;

/** What calibration reads of an RFC that has a verdict. */
export const SCORED_CHANGE = exactly({
  rfc_id: TEXT,
  repo_name: TEXT,
  commit_sha: TEXT_OR_NULL,
  created_at: TIME,
  model: TEXT,
  change_risk: SCORE,
  model_risk: SCORE,
  is_landed: { type: 'boolean', description: 'It is a push to the default branch' },
});
export type ScoredChange = Static<typeof SCORED_CHANGE>;

/** Null: the RFC has no verdict, was overtaken, or changes nothing. */
export function scoredChangeOf(record: RfcRecord): ScoredChange | null {
  const { rfc_id, repo_name, commit_sha, created_at, overall_status, score, push, ref } = record;
  if (overall_status === 'DRAFT' || overall_status === 'SUPERSEDED') return null;
  if (record.stats.files === 0) return null;
  const { model, change_risk, calibration } = score;
  const branch = push?.default_branch ?? null;
  const isOfBranch = ref !== null && !isPullRequestRef(ref) && branch !== null;
  return {
    rfc_id,
    repo_name,
    commit_sha,
    created_at,
    model,
    change_risk,
    model_risk: calibration?.model_risk ?? change_risk,
    is_landed: isOfBranch && record.branch === branch,
  };
}
