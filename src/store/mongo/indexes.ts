import type { IndexDescription } from 'mongodb';
import { STORE } from '../../limits.ts';
import type { Collections } from './connection.ts';
import { fromMongo } from './mongo-error.ts';

type IndexTable = Partial<Record<keyof Collections, readonly IndexDescription[]>>;

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Every index but those of `_id`. The lists end with `seq`, so each gives its records in order of
 * age; test/store/mongo/queries.test.ts holds which query uses which.
 */
export const INDEXES: IndexTable = {
  rfcs: [
    { name: 'by_tenant', key: { tenant_id: 1, seq: -1 } },
    { name: 'by_repo', key: { tenant_id: 1, repo_key: 1, seq: -1 } },
    { name: 'by_status', key: { tenant_id: 1, status: 1, seq: -1 } },
    { name: 'by_repo_status', key: { tenant_id: 1, repo_key: 1, status: 1, seq: -1 } },
    {
      name: 'drafts',
      key: { status: 1, seq: 1 },
      partialFilterExpression: { status: 'DRAFT' },
    },
    // What is left of a deleted record, once the trail tells of it.
    { name: 'deleted', key: { expires_at: 1 }, expireAfterSeconds: 0, sparse: true },
  ],
  diffs: [
    {
      name: 'retention',
      key: { written_at: 1 },
      expireAfterSeconds: STORE.DIFF_RETENTION_DAYS * DAY_SECONDS,
    },
  ],
};

/** Creates what is missing; what is there stays as it is. */
export async function ensureIndexes(collections: Collections): Promise<void> {
  try {
    for (const [name, indexes] of Object.entries(INDEXES)) {
      await collections[name as keyof Collections].createIndexes([...indexes]);
    }
  } catch (thrown) {
    throw fromMongo(thrown);
  }
}
