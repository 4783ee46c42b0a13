import { runJob } from '../analysis/job.ts';
import type { Base } from '../heads/base.ts';
import { carriedRecord, findCarry, isDecided } from '../heads/carrying.ts';
import { type JudgedRange, judgeComponents } from '../heads/component-ranges.ts';
import { findKnownHeads } from '../heads/components.ts';
import { HEADS } from '../heads/limits.ts';
import { plainEvent } from '../model/audit.ts';
import type { TreeFile } from '../model/change.ts';
import { componentMap, withComponents } from '../model/components.ts';
import type { GateFinding } from '../model/finding.ts';
import { SOURCE } from '../model/limits.ts';
import { type RfcRecord, recordText } from '../model/records.ts';
import type { AnalysisOutcome } from '../rpc/contract.ts';
import type { DiffOutput, TreeRange } from '../rpc/source-contract.ts';
import type { CompletePushInput } from '../store/contract/pushes.ts';
import { contributorsBehind, contributorsOf, withContributors } from './contributors.ts';
import { readDecidedFiles } from './decided-files.ts';
import type { PushOptions, RangeOptions } from './judgement-options.ts';
import type { ClaimedPush, PushPlace } from './push-record.ts';

/**
 * The verdict on a blocked range that decisions cover, and its audit entry; null: it is not
 * blocked, or nothing covers it.
 */
export async function carriedOutcome(
  claimed: ClaimedPush,
  base: Base,
  outcome: AnalysisOutcome,
  options: PushOptions,
): Promise<Omit<CompletePushInput, 'expectedRev'> | null> {
  const { pushes, source } = options;
  const settings = options.rules.rules.pipeline;
  const isBlocked = outcome.record.overall_status === 'BLOCKED';
  if (!isBlocked || base.sha === null || settings.carry === 'off') return null;
  const { repository, place, sha: head } = claimed;
  const blocked = JSON.parse(outcome.record.json) as RfcRecord;
  const { llm } = blocked.gates;
  // Parts of a range are judged without a model: they prove nothing of what gate 3 blocks.
  if (llm.status === 'fail' || llm.held === true) return null;
  const judgeAlone = async (range: { base: string; head: string }) =>
    (await judgeRange(claimed, range, options)).record;
  const decided = await findCarry(
    { repository, place, base: base.sha, head, record: blocked },
    { source, pushes, settings, judgeAlone },
  );
  if (decided === null) return null;
  const record = carriedRecord(blocked, decided);
  const { rfc_id, tenant_id, repo_name, rev } = record;
  const event = plainEvent({
    kind: 'carry',
    op_id: `carry ${rfc_id} ${rev}`,
    principal: null,
    tenant_id,
    rfc_id,
    rfc_rev: rev,
    repo_name,
    details: { carried_from: record.carried_from, commit_sha: head, base: base.sha },
  });
  const limit = HEADS.CARRY_DECISIONS_MAX;
  const { records } = await pushes.overriddenPushes({ ...place, limit });
  const standing = new Set(records.filter(isDecided).map((each) => each.rfc_id));
  if (!record.carried_from.every((id) => standing.has(id))) return null;
  return { record: recordText(record), event };
}

/**
 * A part of the range of a push, as if it were pushed alone; nothing is written. With
 * `without_renames` a file that moved counts as a new one. `known`: what is known of the change
 * besides its diff.
 */
export async function judgeRange(
  claimed: PushPlace,
  range: { base: string | null; head: string; without_renames?: boolean },
  options: RangeOptions,
  known: readonly GateFinding[] = [],
): Promise<JudgedRange> {
  const { repository, record } = claimed;
  const { source, analysis, rules, signal } = options;
  const change = await source.diff({ ...repository, ...range });
  const { diff, history, messages, message } = change;
  const notes = [...change.notes, ...known];
  const { rfc_id, submitted_by: principal, created_at } = record;
  const files = await readFiles(claimed, { diff: change, range }, options);
  const decided = await readDecidedFiles(claimed, files, options);
  const places = rangeOf(repository, range);
  const texts = { diff, history, messages, message, notes, files, decided, range: places };
  const curves = (await options.curvesFor?.(record.tenant_id)) ?? null;
  const input = { rfc_id, principal, created_at, curves, record, ...texts };
  const outcome = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
    analysis.judge({ ...input, ...job }, call),
  );
  const judged = JSON.parse(outcome.record.json) as RfcRecord;
  const commits = { objects: messages, isWhole: range.base === null };
  const contributors = await contributorsOf(commits, claimed.place, options.pushes);
  return {
    record: withContributors(judged, contributors),
    movesTo: outcome.moves_to ?? [],
    commits: change.commits,
  };
}

/** Where the files of both ends of a range are read. */
export function rangeOf(
  repository: PushPlace['repository'],
  { base, head }: { base: string | null; head: string },
): TreeRange {
  const place = (commit: string) => ({ ...repository, commit });
  return { base: base === null ? null : place(base), head: place(head) };
}

/** The whole files that the gates ask for beside the diff, from the mirror. */
export async function readFiles(
  claimed: Pick<PushPlace, 'repository'>,
  { diff, range }: { diff: DiffOutput; range: { base: string | null; head: string } },
  { analysis, rules, source, signal }: RangeOptions,
): Promise<TreeFile[]> {
  const { wants } = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
    analysis.wantedFiles({ ...job, diff: diff.diff }, call),
  );
  if (wants.length === 0) return [];
  const place = { ...claimed.repository, ...range };
  const { files } = await source.blobs({ ...place, wants, bytes_max: SOURCE.BLOBS_BYTES_MAX });
  return files;
}

/**
 * The outcome of a push with the verdicts of the components that it touches, each over the range
 * since its own newest accepted head (`heads/components`); as it is where there are no components.
 */
export async function partitionedOutcome(
  claimed: ClaimedPush,
  { base, isRefused }: { base: Base; isRefused: boolean },
  outcome: AnalysisOutcome,
  options: PushOptions,
): Promise<AnalysisOutcome> {
  const { record, repository, place, push, sha } = claimed;
  const map = componentMap(options.rules.rules, record.repo_name);
  if (map === null) return outcome;
  const head = { repository, place, sha, ref: record.ref ?? '', push };
  const judged = JSON.parse(outcome.record.json) as RfcRecord;
  const known = await findKnownHeads(head, base, map, options);
  const rejected = isRefused ? await rejectedParts(claimed, options) : null;
  const commits = judged.push?.commits ?? 0;
  const whole = { head, base, record: judged, movesTo: outcome.moves_to ?? [], commits, rejected };
  const contributors: string[] = [];
  const verdict = await judgeComponents(whole, known, map, async (from, without_renames) => {
    const part = await judgeRange(claimed, { base: from, head: sha, without_renames }, options);
    contributors.push(...(part.record.push?.contributors ?? []));
    return part;
  });
  const rests_on = [...new Set([...(judged.push?.rests_on ?? []), ...verdict.dependsOn])];
  const next = withComponents(judged, verdict);
  const parted = { ...next, push: next.push && { ...next.push, rests_on } };
  const more = [...contributors, ...(await contributorsBehind(parted, options.store))];
  return { ...outcome, record: recordText(withContributors(parted, more)) };
}

/** The components that were rejected with the commit of a push. */
async function rejectedParts(
  { place, sha }: ClaimedPush,
  { pushes }: Pick<PushOptions, 'pushes'>,
): Promise<Set<string>> {
  const { records } = await pushes.pushesOfCommit({ ...place, sha });
  const listed = records.flatMap(({ components = [] }) => components);
  return new Set(listed.filter(({ status }) => status === 'REJECTED').map(({ id }) => id));
}
