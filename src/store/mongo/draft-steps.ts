import type { Document } from 'mongodb';
import type { RecordText } from '../../model/record-text.ts';
import { summarise } from '../../model/records.ts';
import { checkOutcome, parseRecord, staleRfc, unknownRfc, withAttempt } from '../stored-record.ts';
import type { Collections } from './connection.ts';
import { countChanges } from './history-counter.ts';
import { fromMongo } from './mongo-error.ts';
import { LEASE_MS, QUERIES } from './queries.ts';
import { dueStatus, judgedPush, texts } from './record-changes.ts';

interface DraftStepsOptions {
  collections: Collections;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * The steps of a DRAFT, each a compare-and-set of one document: they need no batch, as drafts are
 * few and the server commits what is written at once together.
 */
export function createDraftSteps({ collections, instance, now }: DraftStepsOptions) {
  const { rfcs } = collections;

  /** Only a DRAFT of `expectedRev` is changed; `update` is a pipeline. */
  async function replace(
    { rfc_id, tenant_id }: Pick<RecordText, 'rfc_id' | 'tenant_id'>,
    expectedRev: number,
    update: Document,
  ): Promise<void> {
    const filter = QUERIES.draftAt(rfc_id, tenant_id, expectedRev);
    const { matchedCount } = await rfcs.updateOne(filter, [{ $set: update }]);
    if (matchedCount === 1) return;
    const { status, rev } = await find(rfc_id, tenant_id);
    throw staleRfc({ status, rev });
  }

  async function find(rfc_id: string, tenant_id: string) {
    const { filter, options } = QUERIES.view({ rfc_id, tenant_id });
    const found = await rfcs.findOne(filter, options);
    if (found === null) throw unknownRfc();
    return found;
  }

  return {
    complete: (record: RecordText, expectedRev: number) =>
      guarded(async () => {
        checkOutcome(record, expectedRev);
        const { overall_status: status, rev, tenant_id, repo_name, change: entry } = record;
        const outcome = parseRecord(record.json);
        await replace(record, expectedRev, {
          ...{ status, rev, owner: null, lease_until: null },
          ...texts(record),
          ...judgedPush(outcome),
          ...dueStatus(record.vcs_host, now()),
        });
        // The change of a push is known only now; any other was counted when it came.
        const isCounted = outcome.push !== null && entry !== null;
        if (isCounted) await countChanges(collections, [{ tenant_id, repo_name, entry }]);
        return { rev };
      }),
    startAttempt: (tenant_id: string, rfc_id: string, expectedRev: number) =>
      guarded(async () => {
        const state = await find(rfc_id, tenant_id);
        if (state.status !== 'DRAFT' || state.rev !== expectedRev) throw staleRfc(state);
        const record = withAttempt(parseRecord(state.json), now());
        const json = JSON.stringify(record);
        const summary = JSON.stringify(summarise(record));
        await replace(record, expectedRev, {
          rev: record.rev,
          ...texts({ json, summary }),
          owner: { $literal: instance },
          lease_until: { $add: ['$$NOW', LEASE_MS] },
        });
        return { record };
      }),
  };
}

async function guarded<Output>(step: () => Promise<Output>): Promise<Output> {
  try {
    return await step();
  } catch (thrown) {
    throw fromMongo(thrown);
  }
}
