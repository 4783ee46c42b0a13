import type { Collection } from 'mongodb';
import { PUSHES } from '../../../limits.ts';
import type { RfcRecord } from '../../../model/records.ts';
import type { DueInput, DueStatus, SettleInput } from '../../contract/pushes.ts';
import { checkLimit } from '../../lists.ts';
import { parseRecord, repoKey } from '../../stored-record.ts';
import type { RfcDocument } from '../documents.ts';
import { findEach } from './parts.ts';
import { PUSH_QUERIES } from './queries.ts';

/** Records that are looked up at the same time. */
const AT_ONCE = 16;

/** Which hosts get the status of which records, and what they got. */
export function createStatuses(rfcs: Collection<RfcDocument>) {
  async function due({ host, now_ms, limit }: DueInput): Promise<{ due: DueStatus[] }> {
    checkLimit(limit, PUSHES.LIST_LIMIT_MAX);
    const { filter, options } = PUSH_QUERIES.due(host, now_ms, limit);
    const found = await rfcs.find(filter, options).toArray();
    const statuses = await findEach(found, AT_ONCE, async (document) => {
      const { posted = null, deleted } = document.vcs ?? {};
      const record = parseRecord(deleted ?? document.json);
      const is_outdated = await isOutdated(document, record);
      return { record, posted, is_outdated, is_deleted: deleted !== undefined };
    });
    return { due: statuses };
  }

  async function isOutdated(
    document: RfcDocument,
    { repo_full_name }: RfcRecord,
  ): Promise<boolean> {
    const { commit_sha, repo_key } = document;
    if (commit_sha === null) return false;
    // The status goes to the full name, which a submitted diff may give beside another name.
    const keys = [...new Set([repo_key, repoKey(repo_full_name ?? repo_key)])];
    const { filter, options } = PUSH_QUERIES.speakerOfCommit(document, keys, commit_sha);
    return (await rfcs.findOne(filter, options)) !== null;
  }

  async function settle(input: SettleInput): Promise<{ ok: true }> {
    const { tenant_id, rfc_id, rev, posted, due_ms } = input;
    const next = due_ms === null ? '$$REMOVE' : new Date(due_ms);
    // The host may have got the newer one before.
    const again = { $ifNull: ['$vcs.due', '$$NOW'] };
    const change = {
      ...(posted === null ? {} : { 'vcs.posted': { $literal: posted } }),
      'vcs.due': { $cond: [{ $eq: ['$rev', rev] }, next, posted === null ? '$vcs.due' : again] },
    };
    // A record that is gone has no `vcs` any more.
    const filter = { _id: rfc_id, tenant_id, 'vcs.host': { $exists: true } };
    await rfcs.updateOne(filter, [{ $set: change }]);
    return { ok: true };
  }

  return { due, settle };
}
