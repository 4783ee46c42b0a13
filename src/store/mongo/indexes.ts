import type { IndexDescription } from 'mongodb';
import { STORE } from '../../limits.ts';
import type { Collections } from './connection.ts';
import { OPEN_TASK } from './desk/queries.ts';
import { fromMongo } from './mongo-error.ts';
import { LIVE_STATUSES } from './queries.ts';

type IndexTable = Partial<Record<keyof Collections, readonly IndexDescription[]>>;

const LIVE = { status: { $in: LIVE_STATUSES } };
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
    {
      name: 'live_by_branch',
      key: { tenant_id: 1, repo_key: 1, branch: 1, seq: -1 },
      partialFilterExpression: LIVE,
    },
    {
      name: 'live_by_commit',
      key: { tenant_id: 1, repo_key: 1, commit_sha: 1, seq: -1 },
      // Any text: most records of the API name no commit.
      partialFilterExpression: { ...LIVE, commit_sha: { $gt: '' } },
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
  tasks: [
    {
      name: 'open',
      key: { tenant_id: 1, finding_id: 1 },
      unique: true,
      partialFilterExpression: OPEN_TASK,
    },
    {
      name: 'pending',
      key: { tenant_id: 1, seq: 1 },
      partialFilterExpression: { status: 'pending' },
    },
  ],
  usage: [{ name: 'by_time', key: { tenant_id: 1, at_ms: 1 } }],
  usageHours: [{ name: 'by_hour', key: { tenant_id: 1, hour: 1 } }],
  sessions: [
    { name: 'by_principal', key: { tenant_id: 1, principal_id: 1 } },
    { name: 'ended', key: { ends: 1 }, expireAfterSeconds: 0 },
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
