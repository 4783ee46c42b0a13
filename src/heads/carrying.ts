import type { ComponentVerdict } from '../model/components.ts';
import { CraError } from '../model/errors.ts';
import { type Finding, severityRank } from '../model/finding.ts';
import type { RepositoryPlace } from '../model/push.ts';
import {
  acceptsHead,
  acceptsPush,
  carriedFrom,
  findingsOf,
  type RfcRecord,
} from '../model/records.ts';
import type { PipelineSettings } from '../model/rules.ts';
import type { Client } from '../rpc/service.ts';
import type { Source, SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import { HEADS } from './limits.ts';
import { isHeadRejected, type RejectionReads } from './rejections.ts';

export interface CarrySearch {
  source: Pick<Client<typeof Source>, 'firstParents' | 'isSameChange'>;
  pushes: RejectionReads & Pick<PushStore, 'overriddenPushes' | 'dependentsOf'>;
  settings: PipelineSettings;
  /** The record that a part of the range would have if it were pushed alone. */
  judgeAlone(range: Range): Promise<RfcRecord>;
}

interface Range {
  base: string;
  head: string;
}

/** A range that the gates block. */
export interface BlockedRange extends Range {
  repository: SourceRepository;
  place: RepositoryPlace;
  record: RfcRecord;
}

/** An accepted change: one decided push, or its dependents with what they added. */
interface Candidate extends Range {
  /** The pushes of it that a person let pass. */
  decided: RfcRecord[];
}

/**
 * The decisions in force that cover a blocked range: their authors saw every finding that
 * blocks it, and the range is exactly what the decided change makes of its base. Else each
 * commit of the first-parent line must pass the gates alone or be covered.
 * Null: no decision covers it, and the range stays blocked (docs/why/heads.md).
 */
export async function findCarry(
  blocked: BlockedRange,
  search: CarrySearch,
): Promise<RfcRecord[] | null> {
  const candidates = await candidatesOf(blocked.place, search);
  if (candidates.length === 0) return null;
  const whole = await coverOf(blocked, candidates, search);
  return whole ?? (await coverOfSteps(blocked, candidates, search));
}

/** A decision is in force, and its own: a carried verdict is never carried further. */
export function isDecided(record: RfcRecord): boolean {
  const isOverridden = record.overall_status === 'OVERRIDDEN' && acceptsPush(record);
  return isOverridden && carriedFrom(record).length === 0;
}

/** Whether the deciders of a change saw all that blocks a record now, as severe as it is now. */
function sawAll(
  decided: readonly RfcRecord[],
  blocked: RfcRecord,
  settings: PipelineSettings,
): boolean {
  const { block_score, block_severities } = settings;
  const isBlocking = ({ suppressed, severity }: Finding) =>
    suppressed === null && block_severities.includes(severity);
  const found = findingsOf(blocked);
  const { risk, ast, llm } = blocked.gates;
  if (llm.status === 'fail' || found.some(({ id }) => id === OVERFLOW)) return false;
  // A gate that fails for another reason than its findings: that reason was not seen.
  const failed = [risk, ast].filter(({ status }) => status === 'fail');
  if (failed.some(({ findings }) => !findings.some(isBlocking))) return false;
  const seen = new Map<string, number>();
  for (const finding of decided.flatMap(findingsOf)) {
    const rank = Math.min(severityRank(finding.severity), seen.get(keyOf(finding)) ?? Infinity);
    if (finding.suppressed === null) seen.set(keyOf(finding), rank);
  }
  const isScored = block_score !== null && blocked.risk_score >= block_score;
  if (failed.length === 0 && !isScored) return false;
  const scoreSeen = Math.max(...decided.map(({ risk_score }) => risk_score));
  if (isScored && scoreSeen < blocked.risk_score) return false;
  return found.filter(isBlocking).every((finding) => {
    const rank = seen.get(keyOf(finding)) ?? Number.POSITIVE_INFINITY;
    return finding.fingerprint !== '' && rank <= severityRank(finding.severity);
  });
}

const OVERFLOW = 'findings-overflow';

function keyOf({ id, fingerprint }: Finding): string {
  return `${id} ${fingerprint}`;
}

/** The newest decided pushes, each alone and with the accepted pushes on top of it. */
async function candidatesOf(place: RepositoryPlace, { pushes }: CarrySearch): Promise<Candidate[]> {
  const limit = HEADS.CARRY_DECISIONS_MAX;
  const { records } = await pushes.overriddenPushes({ ...place, limit });
  const all: Candidate[] = [];
  for (const record of records.filter(isDecided)) {
    const { push, commit_sha: head } = record;
    if (push === null || push.base === null || head === null) continue;
    const onTop: Candidate[] = [{ base: push.base, head, decided: [record] }];
    const ids = [record.rfc_id];
    for (let at = 0; at < onTop.length && onTop.length < HEADS.CARRY_ON_TOP_MAX; at += 1) {
      const below = onTop[at] as Candidate;
      const id = ids[at] ?? '';
      const resting = await pushes.dependentsOf({ ...place, id, limit: HEADS.CARRY_ON_TOP_MAX });
      for (const next of resting.records) {
        const isOwn = acceptsHead(next) && carriedFrom(next).length === 0;
        const isNew = isOwn && !ids.includes(next.rfc_id);
        if (!isNew || next.push?.base !== below.head || next.commit_sha === null) continue;
        const decided = isDecided(next) ? [...below.decided, next] : below.decided;
        ids.push(next.rfc_id);
        onTop.push({ base: below.base, head: next.commit_sha, decided });
      }
    }
    all.push(...onTop);
  }
  return all;
}

/** The decisions of the first candidate that covers all of a range. */
async function coverOf(
  { base, head, record, repository, place }: BlockedRange,
  candidates: readonly Candidate[],
  { source, settings, pushes }: CarrySearch,
): Promise<RfcRecord[] | null> {
  for (const { decided, ...change } of candidates) {
    if (!sawAll(decided, record, settings)) continue;
    const compared = source.isSameChange({ ...repository, base, head, decided: change });
    const { is_same } = await readOr(compared, { is_same: false });
    if (is_same && !(await isAnyRejected(decided))) return decided;
  }
  return null;

  /** A rejection of a submitted diff does not revoke a decision about a push of the same commit. */
  async function isAnyRejected(decided: readonly RfcRecord[]): Promise<boolean> {
    for (const { commit_sha: sha } of decided) {
      if (sha === null || (await isHeadRejected(sha, { place, repository }, pushes))) return true;
    }
    return false;
  }
}

/** Queues and batches put several changes on one line. */
async function coverOfSteps(
  blocked: BlockedRange,
  candidates: readonly Candidate[],
  search: CarrySearch,
): Promise<RfcRecord[] | null> {
  const { base, head, repository, record } = blocked;
  // Nothing of it was seen by any decider: no step can be covered.
  const all = candidates.flatMap(({ decided }) => decided);
  if (!sawAll(all, record, search.settings)) return null;
  const line = { ...repository, from: head, until: base, limit: HEADS.CARRY_STEPS_MAX };
  const { shas } = await readOr(search.source.firstParents(line), { shas: null });
  if (shas === null || shas.length < 2) return null;
  const found = new Map<string, RfcRecord>();
  let before = base;
  for (const sha of [...shas].reverse()) {
    const step = { base: before, head: sha };
    const alone = await search.judgeAlone(step);
    if (alone.overall_status !== 'PASSED') {
      const cover = await coverOf({ ...blocked, ...step, record: alone }, candidates, search);
      if (cover === null) return null;
      for (const each of cover) found.set(each.rfc_id, each);
    }
    before = sha;
  }
  const decided = [...found.values()];
  return decided.length > 0 && sawAll(decided, record, search.settings) ? decided : null;
}

/** A commit that neither host nor mirror has any more is compared with nothing. */
async function readOr<Value>(read: Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await read;
  } catch (thrown) {
    const { code, details } = CraError.fromUnknown(thrown);
    if (code === 'CANCELLED' || typeof details['reason'] !== 'string') throw thrown;
    return otherwise;
  }
}

/** The record of a range that decisions cover: OVERRIDDEN, and revoked with any of them. */
export function carriedRecord(blocked: RfcRecord, decided: readonly RfcRecord[]): RfcRecord {
  const ids = decided.map(({ rfc_id }) => rfc_id);
  const [first] = decided;
  const override = first?.override ?? null;
  const { push, components } = blocked;
  // A range of a component that is another one holds what no decider saw.
  const isCovered = ({ base }: ComponentVerdict) => base === (push?.base ?? null);
  const covered = components?.map((one): ComponentVerdict => {
    const isOpen = one.status === 'BLOCKED' && one.same_as === null && isCovered(one);
    return isOpen ? { ...one, status: 'OVERRIDDEN' } : one;
  });
  return {
    ...blocked,
    ...(covered === undefined ? {} : { components: covered }),
    overall_status: 'OVERRIDDEN',
    override: override && { ...override, reason: `carried from ${ids[0]}: ${override.reason}` },
    carried_from: ids,
    push: push && { ...push, rests_on: [...new Set([...(push.rests_on ?? []), ...ids])] },
  };
}
