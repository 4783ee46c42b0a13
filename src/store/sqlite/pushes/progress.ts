import { acceptsHead, type RfcRecord, recordText } from '../../../model/records.ts';
import { PUSH_STORE } from '../../contract/limits.ts';
import type { Fallen, ReopenInput, SettleInput, SupersedeInput } from '../../contract/pushes.ts';
import { staleRfc } from '../../errors.ts';
import {
  canReopen,
  checkCount,
  checkProgress,
  parseRecord,
  supersededPush,
} from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { createFallenWriter } from './baselines.ts';
import { createPushFinder, requirePush } from './claims.ts';
import { PUSH_QUERIES } from './queries.ts';

/** The steps on what is not judged, and on statuses that hosts received, within a transaction. */
export function createEndSteps(database: Connection, now: () => number) {
  const find = createPushFinder(database);
  const writeEnd = database.prepare(PUSH_QUERIES.supersede);
  const putOffDeleted = database.prepare(PUSH_QUERIES.putOffDeleted);
  const removeDeleted = database.prepare(PUSH_QUERIES.removeDeleted);
  const writeSettled = database.prepare(PUSH_QUERIES.settleStatus);

  const writeReopened = database.prepare(PUSH_QUERIES.reopen);
  const removeFallen = database.prepare(PUSH_QUERIES.removeFallen);
  const heads = createHeadSteps(database, now);

  return {
    supersede({ tenant_id, pushes, by, at }: SupersedeInput): { superseded: number } {
      checkCount('pushes', pushes, PUSH_STORE.GROUP_MAX);
      let superseded = 0;
      for (const { rfc_id, rev } of pushes) {
        const push = find({ tenant_id, rfc_id });
        if (push?.status !== 'DRAFT' || push.rev !== rev) continue;
        const record = supersededPush(parseRecord(push.json), by, at);
        const { overall_status, json, summary } = recordText(record, null);
        // A host that got no status of it needs none about its end.
        const dueMs = push.vcs_posted === null ? null : now();
        writeEnd.run(overall_status, record.rev, summary, json, dueMs, rfc_id);
        superseded += 1;
      }
      return { superseded };
    },

    /** Takes a head back: the push waits for another verdict. */
    reopen({ record, expectedRev, at_ms }: ReopenInput): { rev: number } {
      checkProgress(record, expectedRev);
      const { rfc_id, tenant_id, rev, summary, json, vcs_host } = record;
      const push = requirePush(find({ tenant_id, rfc_id }));
      const before = parseRecord(push.json);
      if (push.rev === rev && push.json === json) return { rev };
      if (push.rev !== expectedRev || !canReopen(before)) throw staleRfc(push);
      const dueMs = vcs_host === null ? null : now();
      heads.takeBack(before, { is_rejected: false, at_ms });
      writeReopened.run('DRAFT', rev, summary, json, vcs_host, dueMs, rfc_id, expectedRev);
      return { rev };
    },

    settleFallen(tenantId: string, id: string): { ok: true } {
      removeFallen.run(tenantId, id);
      return { ok: true };
    },

    settle({ tenant_id, rfc_id, rev, posted, due_ms }: SettleInput): { ok: true } {
      const { changes } = writeSettled.run(posted, rev, due_ms, posted, now(), rfc_id, tenant_id);
      if (changes > 0) return { ok: true };
      if (due_ms === null) removeDeleted.run(rfc_id, tenant_id);
      else putOffDeleted.run(due_ms, posted, rfc_id, tenant_id);
      return { ok: true };
    },
  };
}

/** Which heads are accepted, and what they rest on: within the transaction of what decides it. */
export function createHeadSteps(database: Connection, now: () => number) {
  const findRepo = database.prepare<[string], { push_repo: string | null }>(
    PUSH_QUERIES.repoOfPush,
  );
  const acceptHead = database.prepare(PUSH_QUERIES.acceptHead);
  const addRest = database.prepare(PUSH_QUERIES.addRest);
  const removeRest = database.prepare(PUSH_QUERIES.removeRest);
  const addFallen = createFallenWriter(database);

  function addRests({ tenant_id, rfc_id, push }: RfcRecord): void {
    for (const onId of push?.rests_on ?? []) addRest.run(tenant_id, onId, rfc_id);
  }

  /** Before the write that takes it back. */
  function takeBack(record: RfcRecord, { is_rejected, at_ms }: FallenHow): void {
    const { tenant_id, rfc_id: id, commit_sha: sha, push } = record;
    const repo_key = findRepo.get(id)?.push_repo ?? null;
    if (push === null || sha === null || repo_key === null) return;
    for (const onId of push.rests_on ?? []) removeRest.run(tenant_id, onId, id);
    addFallen({ tenant_id, id, repo_key, sha, is_rejected, at_ms });
  }

  return {
    takeBack,

    /** A push has a verdict. */
    settled(record: RfcRecord): void {
      if (acceptsHead(record)) acceptHead.run(record.rfc_id);
      addRests(record);
    },

    /** A record is decided about; `next` null: it is deleted. A rejection counts for the commit. */
    decided(before: RfcRecord, next: RfcRecord | null): void {
      const is_rejected = next?.overall_status === 'REJECTED';
      const isAccepted = next !== null && acceptsHead(next);
      if (is_rejected || (acceptsHead(before) && !isAccepted)) {
        takeBack(before, { is_rejected, at_ms: now() });
      }
    },
  };
}

type FallenHow = Pick<Fallen, 'is_rejected' | 'at_ms'>;
