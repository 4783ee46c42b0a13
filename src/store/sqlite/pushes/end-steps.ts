import { PUSHES } from '../../../limits.ts';
import { recordText } from '../../../model/record-text.ts';
import type { SettleInput, SupersedeInput } from '../../contract/pushes.ts';
import { checkCount, supersededPush } from '../../stored-push.ts';
import { parseRecord } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { createPushFinder } from './push-row.ts';
import { PUSH_QUERIES } from './queries.ts';

/** The steps on what is not judged, and on what hosts were told, within a transaction. */
export function createEndSteps(database: Connection, now: () => number) {
  const find = createPushFinder(database);
  const writeEnd = database.prepare(PUSH_QUERIES.supersede);
  const putOffDeleted = database.prepare(PUSH_QUERIES.putOffDeleted);
  const removeDeleted = database.prepare(PUSH_QUERIES.removeDeleted);
  const writeSettled = database.prepare(PUSH_QUERIES.settleStatus);

  return {
    supersede({ tenant_id, pushes, by, at }: SupersedeInput): { superseded: number } {
      checkCount('pushes', pushes, PUSHES.GROUP_MAX);
      let superseded = 0;
      for (const { rfc_id, rev } of pushes) {
        const push = find({ tenant_id, rfc_id });
        if (push?.status !== 'DRAFT' || push.rev !== rev) continue;
        const record = supersededPush(parseRecord(push.json), by, at);
        const { overall_status, json, summary } = recordText(record, null);
        // Who was told nothing of it needs not be told that it is over.
        const dueMs = push.vcs_posted === null ? null : now();
        writeEnd.run(overall_status, record.rev, summary, json, dueMs, rfc_id);
        superseded += 1;
      }
      return { superseded };
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
