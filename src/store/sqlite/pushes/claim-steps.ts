import { PUSHES } from '../../../limits.ts';
import { recordText } from '../../../model/record-text.ts';
import type { RfcRecord } from '../../../model/records.ts';
import type {
  ClaimInput,
  PushClaim,
  RenewInput,
  SaveInput,
  TakeInput,
} from '../../contract/pushes.ts';
import { checkCount, checkProgress, claimedPush, heldPush } from '../../stored-push.ts';
import { parseRecord, staleRfc } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { createClaimSearch } from './claim-search.ts';
import { createPushFinder, type PushRow, requirePush } from './push-row.ts';
import { PUSH_QUERIES } from './queries.ts';

type OlderRow = PushClaim['older'][number];

/** Who holds which push, and its progress: the steps as they run within a transaction. */
export function createClaimSteps(database: Connection, now: () => number) {
  const find = createPushFinder(database);
  const findOlder = database.prepare<unknown[], OlderRow>(PUSH_QUERIES.olderOpen);
  const writeProgress = database.prepare(PUSH_QUERIES.progress);
  const writeLease = database.prepare(PUSH_QUERIES.renew);
  const writeFree = database.prepare(PUSH_QUERIES.free);
  const search = createClaimSearch(database);

  function hold(push: PushRow, owner: string, leaseMs: number): RfcRecord {
    const nowMs = now();
    const record = claimedPush(parseRecord(push.json), nowMs);
    const { json, summary } = recordText(record, null);
    writeProgress.run(record.rev, summary, json, nowMs + leaseMs, owner, record.rfc_id);
    return record;
  }

  return {
    claim({ owner, lease_ms, after, busy }: ClaimInput): { claim: PushClaim | null } {
      const found = search({ after, busy }, now());
      if (found === null) return { claim: null };
      const { place, rfc_id, seq } = found;
      const { tenant_id, repo_key, ref } = place;
      const record = hold(requirePush(find({ tenant_id, rfc_id })), owner, lease_ms);
      const rows = findOlder.all(tenant_id, repo_key, ref, seq, PUSHES.GROUP_MAX + 1);
      const older = rows.slice(0, PUSHES.GROUP_MAX);
      return { claim: { place, record, older, has_more: rows.length > older.length } };
    },

    take(input: TakeInput): { record: RfcRecord } {
      const push = requirePush(find(input));
      if (push.status !== 'DRAFT' || push.rev !== input.expectedRev) throw staleRfc(push);
      // What its own daemon has put off may be taken up by it sooner.
      const isHeld = (push.push_held_until ?? 0) > now();
      if (isHeld && push.push_owner !== input.owner) throw heldPush(push.rev);
      return { record: hold(push, input.owner, input.lease_ms) };
    },

    save({ record, expectedRev, hold_ms }: SaveInput): { rev: number } {
      checkProgress(record, expectedRev);
      const { rev, summary, json } = record;
      const push = requirePush(find(record));
      // Asked again by somebody who did not hear the answer: only the hold begins again.
      const isAgain = push.rev === rev && push.json === json;
      if (push.status !== 'DRAFT' || !(isAgain || push.rev === expectedRev)) throw staleRfc(push);
      writeProgress.run(rev, summary, json, now() + hold_ms, push.push_owner, push.rfc_id);
      return { rev };
    },

    renew({ owner, pushes, lease_ms }: RenewInput): { ok: true } {
      checkCount('pushes', pushes, PUSHES.GROUP_MAX);
      const heldUntil = now() + lease_ms;
      for (const { tenant_id, rfc_id } of pushes) {
        writeLease.run(heldUntil, rfc_id, tenant_id, owner);
      }
      return { ok: true };
    },

    free: (owner: string): { freed: number } => ({ freed: writeFree.run(now(), owner).changes }),
  };
}
