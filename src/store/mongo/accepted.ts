import { MaxKey } from 'mongodb';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import {
  type AcceptedInput,
  type AcceptedRow,
  type EndedAcceptance,
  type EndedInput,
  endsBefore,
  type ListAcceptedInput,
} from '../contract/trail.ts';
import { STORE } from '../limits.ts';
import { decodeKeys, encodeKeys } from '../lists.ts';
import { repoKey } from '../stored-record.ts';
import type { DecisionCollections } from './database.ts';
import type { AcceptedDocument } from './documents.ts';

/** Whether an acceptance has ended, by the clock of the server. */
const ENDED = {
  $and: [
    { $eq: [{ $type: '$expires_at' }, 'string'] },
    { $lte: [{ $toDate: '$expires_at' }, '$$NOW'] },
  ],
};

const LOOKUP = { maxTimeMS: STORE.LOOKUP_MS } as const;

/** Statuses of a record whose decisions hold: a rejection is final. */
const HOLDING: ReadonlySet<string> = new Set(['OVERRIDDEN', 'APPROVED']);

/** What is accepted, and the records whose decisions say so. */
type AcceptedPlaces = Pick<DecisionCollections, 'accepted' | 'records'>;

/** Which of these RFCs have decisions that hold: tombstones accept nothing. */
export async function holdingAmong(
  records: DecisionCollections['records'],
  found: readonly { rfc_id: string }[],
  bound: { maxTimeMS?: number } = {},
): Promise<ReadonlySet<string>> {
  const _id = { $in: [...new Set(found.map(({ rfc_id }) => rfc_id))] };
  const options = { projection: { status: 1, deleted: 1 }, ...bound };
  const known = await records.find({ _id }, options).toArray();
  const holding = known.filter(({ status, deleted }) => deleted !== true && HOLDING.has(status));
  return new Set(holding.map((record) => record._id));
}

/** A page of what decisions that hold accept; the bounds keep it to the keys that are shown. */
export async function listAccepted(
  { accepted, records }: AcceptedPlaces,
  { tenant_id, repo, limit, cursor, endingBefore }: ListAcceptedInput,
): Promise<{ accepted: AcceptedRow[]; next_cursor: string | null }> {
  const [repo_key = '', fingerprint = '', rfc_id = ''] =
    cursor === null ? [repo === null ? '' : repoKey(repo)] : decodeKeys(cursor, 3);
  const last = { fingerprint: new MaxKey(), rfc_id: new MaxKey() };
  const found = await accepted
    .find({ tenant_id, ...(repo === null ? {} : { repo_key: repoKey(repo) }) })
    .hint('listed')
    .min({ tenant_id, repo_key, fingerprint, rfc_id })
    .max({ tenant_id, repo_key: repo === null ? new MaxKey() : repoKey(repo), ...last })
    .sort({ repo_key: 1, fingerprint: 1, rfc_id: 1 })
    // The least key is that of the page before.
    .limit(limit + 2)
    .maxTimeMS(STORE.LOOKUP_MS)
    .toArray();
  const isAfter = (one: AcceptedDocument) =>
    one.repo_key !== repo_key || one.fingerprint !== fingerprint || one.rfc_id !== rfc_id;
  const rest = found.filter(isAfter);
  const page = rest.slice(0, limit);
  const holds = await holdingAmong(records, page, LOOKUP);
  const end = rest.length > limit ? page.at(-1) : undefined;
  return {
    accepted: page
      .filter((one) => holds.has(one.rfc_id))
      .map((one) => {
        const { repo_key: name, fingerprint: print, rfc_id: id, by, reason, at } = one;
        const { rule = null, expires_at = null } = one;
        return { repo: name, fingerprint: print, rfc_id: id, by, reason, at, rule, expires_at };
      })
      .filter((row) => endsBefore(row, endingBefore)),
    next_cursor: end === undefined ? null : encodeKeys([end.repo_key, end.fingerprint, end.rfc_id]),
  };
}

/**
 * Which fingerprints are accepted in a repository by decisions that hold, each once: now, or also
 * fingerprints whose acceptance has ended.
 */
export async function findAccepted(
  { accepted, records }: AcceptedPlaces,
  { tenant_id, repo_name, fingerprints }: AcceptedInput,
  which: 'now' | 'ever' = 'now',
): Promise<AcceptedFingerprint[]> {
  if (fingerprints.length === 0) return [];
  const found = await accepted
    .find({
      tenant_id,
      repo_key: repoKey(repo_name),
      fingerprint: { $in: fingerprints },
      ...(which === 'now' ? { $expr: { $not: [ENDED] } } : {}),
    })
    .maxTimeMS(STORE.LOOKUP_MS)
    .toArray();
  if (found.length === 0) return [];
  const holds = await holdingAmong(records, found, LOOKUP);
  const byFingerprint = new Map<string, AcceptedFingerprint>();
  for (const { fingerprint, rfc_id, by, reason } of found) {
    if (!holds.has(rfc_id)) continue;
    byFingerprint.set(fingerprint, { fingerprint, by, reason, repo: repo_name });
  }
  return [...byFingerprint.values()];
}

/** The acceptance that ended first and that nothing else goes on with; null when absent. */
export async function findEnded(
  places: AcceptedPlaces,
  { tenant_id, repo_name }: EndedInput,
): Promise<EndedAcceptance | null> {
  for (let skip = 0; ; skip += FINDINGS_PER_RFC_MAX) {
    const found = await places.accepted
      .find({
        tenant_id,
        repo_key: repoKey(repo_name),
        expires_at: { $type: 'string' },
        $expr: ENDED,
      })
      .hint('ending')
      .sort({ expires_at: 1, _id: 1 })
      .skip(skip)
      .limit(FINDINGS_PER_RFC_MAX)
      .maxTimeMS(STORE.LOOKUP_MS)
      .toArray();
    if (found.length === 0) return null;
    const holds = await holdingAmong(places.records, found, LOOKUP);
    const fingerprints = found.map(({ fingerprint }) => fingerprint);
    const others = await findAccepted(places, { tenant_id, repo_name, fingerprints });
    const continued = new Set(others.map(({ fingerprint }) => fingerprint));
    const ended = found.find((one) => holds.has(one.rfc_id) && !continued.has(one.fingerprint));
    if (ended !== undefined) {
      const { fingerprint, rfc_id, rule = null, expires_at = null } = ended;
      return { fingerprint, rule, rfc_id, expires_at };
    }
    if (found.length < FINDINGS_PER_RFC_MAX) return null;
  }
}
