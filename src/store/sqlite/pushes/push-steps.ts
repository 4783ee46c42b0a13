import { createHash } from 'node:crypto';
import type { RfcRecord } from '../../../domain/records.ts';
import { PUSHES } from '../../../limits.ts';
import type { RecordText } from '../../../rpc/contract.ts';
import type {
  AcceptedPush,
  ClaimInput,
  PushClaim,
  PushKeys,
  SaveInput,
  SettleInput,
  SupersedeInput,
  TakeInput,
} from '../../../rpc/queue-contract.ts';
import { repoKey } from '../../repo-key.ts';
import {
  checkCount,
  checkProgress,
  claimedPush,
  heldPush,
  supersededPush,
  textsOf,
} from '../../stored-push.ts';
import { parseRecord, staleRfc, takenId, unknownRfc } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import type { StateRow } from '../stored-record.ts';
import { createClaimSearch } from './claim-search.ts';
import { PUSH_QUERIES } from './queries.ts';

interface PushRow extends StateRow {
  push_ref: string | null;
  push_held_until: number | null;
  vcs_posted: string | null;
}

type OlderRow = PushClaim['older'][number];

/** The writing steps on pushes, as they run within a transaction (see `Operation.run`). */
export function createPushSteps(database: Connection, now: () => number) {
  const insertRow = database.prepare(PUSH_QUERIES.acceptPush);
  const findByDelivery = database.prepare<[Buffer], IdRow>(PUSH_QUERIES.pushByDelivery);
  const findByBody = database.prepare<[Buffer | null], IdRow>(PUSH_QUERIES.pushByBody);
  const findPush = database.prepare<[string], PushRow>(PUSH_QUERIES.pushState);
  const findOlder = database.prepare<unknown[], OlderRow>(PUSH_QUERIES.olderOpen);
  const writeProgress = database.prepare(PUSH_QUERIES.progressPush);
  const writeEnd = database.prepare(PUSH_QUERIES.supersedePush);
  const writeSettled = database.prepare(PUSH_QUERIES.settleStatus);
  const search = createClaimSearch(database);

  function accept(record: RecordText, push: PushKeys): AcceptedPush {
    const { rfc_id, vcs_host } = record;
    const delivery = halfHash(createHash('sha256').update(push.delivery).digest('hex'));
    const body = push.body_hash === null ? null : halfHash(push.body_hash);
    const { changes } = insertRow.run(
      rfc_id,
      record.tenant_id,
      repoKey(record.repo_name),
      record.branch,
      record.commit_sha,
      record.overall_status,
      record.rev,
      record.created_at,
      record.summary,
      record.json,
      vcs_host,
      vcs_host === null ? null : now(),
      push.ref,
      delivery,
      body,
    );
    if (changes === 1) return { outcome: 'new', rfc_id };
    const first = findByDelivery.get(delivery);
    if (first !== undefined) return { outcome: 'same-delivery', rfc_id: first.rfc_id };
    const same = findByBody.get(body);
    if (same !== undefined) return { outcome: 'same-body', rfc_id: same.rfc_id };
    throw takenId();
  }

  function claim({ owner, lease_ms, after, busy }: ClaimInput): { claim: PushClaim | null } {
    const nowMs = now();
    const found = search({ after, busy }, nowMs);
    if (found === null) return { claim: null };
    const { place, rfc_id, seq } = found;
    const record = hold(requirePush(rfc_id, place.tenant_id), { owner, lease_ms, nowMs });
    const { tenant_id, repo_key, ref } = place;
    const rows = findOlder.all(tenant_id, repo_key, ref, seq, PUSHES.GROUP_MAX + 1);
    const older = rows.slice(0, PUSHES.GROUP_MAX);
    return { claim: { place, record, older, has_more: rows.length > older.length } };
  }

  function take({ tenant_id, rfc_id, expectedRev, owner, lease_ms }: TakeInput) {
    const push = requirePush(rfc_id, tenant_id);
    const { status, rev } = push;
    if (status !== 'DRAFT' || rev !== expectedRev) throw staleRfc(push);
    const nowMs = now();
    if ((push.push_held_until ?? 0) > nowMs) throw heldPush(rev);
    return { record: hold(push, { owner, lease_ms, nowMs }) };
  }

  function hold(push: PushRow, lease: { owner: string; lease_ms: number; nowMs: number }) {
    const { owner, lease_ms, nowMs } = lease;
    const record = claimedPush(parseRecord(push.json), nowMs);
    const { json, summary } = textsOf(record);
    writeProgress.run(record.rev, summary, json, nowMs + lease_ms, owner, record.rfc_id);
    return record;
  }

  function save({ record, expectedRev, hold_ms }: SaveInput): { rev: number } {
    checkProgress(record, expectedRev);
    const { rfc_id, rev, summary, json } = record;
    const push = requirePush(rfc_id, record.tenant_id);
    // Asked again by somebody who did not hear the answer: only the time counts from now on.
    const isAgain = push.rev === rev && push.json === json;
    if (push.status !== 'DRAFT' || !(isAgain || push.rev === expectedRev)) throw staleRfc(push);
    writeProgress.run(rev, summary, json, now() + hold_ms, null, rfc_id);
    return { rev };
  }

  function supersede({ tenant_id, pushes, by, at }: SupersedeInput): { superseded: number } {
    checkCount('pushes', pushes, PUSHES.GROUP_MAX);
    let superseded = 0;
    for (const { rfc_id, rev } of pushes) {
      const push = findPush.get(rfc_id);
      const isThere = push?.tenant_id === tenant_id && push.push_ref !== null;
      if (!isThere || push.status !== 'DRAFT' || push.rev !== rev) continue;
      writeSuperseded(supersededPush(parseRecord(push.json), by, at), push.vcs_posted !== null);
      superseded += 1;
    }
    return { superseded };
  }

  function writeSuperseded(record: RfcRecord, wasPosted: boolean): void {
    const { json, summary } = textsOf(record);
    const dueMs = wasPosted ? now() : null;
    writeEnd.run(record.overall_status, record.rev, summary, json, dueMs, record.rfc_id);
  }

  /** NOT_FOUND also for an RFC that is no push. */
  function requirePush(rfcId: string, tenantId: string): PushRow {
    const push = findPush.get(rfcId);
    if (push?.tenant_id !== tenantId || push.push_ref === null) throw unknownRfc();
    return push;
  }

  function settle({ tenant_id, rfc_id, rev, posted, due_ms }: SettleInput): { ok: true } {
    writeSettled.run(posted, rev, due_ms, rfc_id, tenant_id);
    return { ok: true };
  }

  return { accept, claim, take, save, supersede, settle };
}

interface IdRow {
  rfc_id: string;
}

/** Half of a SHA-256 tells all pushes of a store apart. */
function halfHash(hex: string): Buffer {
  return Buffer.from(hex.slice(0, 32), 'hex');
}
