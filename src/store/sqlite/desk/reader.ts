import { RULES, TASKS } from '../../../limits.ts';
import type { StoreReader } from '../../contract/store.ts';
import { checkLimit } from '../../list-page.ts';
import type { Connection } from '../database.ts';
import { guarded } from '../reading.ts';
import { createRulesReader } from './rules-book.ts';
import { createSessionFinder } from './sessions.ts';
import { createTaskReader } from './tasks.ts';
import { createUsageReader } from './usage.ts';

/** The reading methods beside records and trail, on an open database. */
export function createDeskReader(
  database: Connection,
): Pick<StoreReader, 'tasks' | 'usage' | 'rulebook' | 'sessions'> {
  const findPending = createTaskReader(database);
  const usage = createUsageReader(database);
  const rules = createRulesReader(database);
  const findSession = createSessionFinder(database);

  return {
    tasks: {
      listPendingTasks: ({ tenant_id, limit, cursor }) =>
        guarded(() => {
          checkLimit(limit, TASKS.LIST_LIMIT_MAX);
          return findPending(tenant_id, limit, cursor);
        }),
    },
    usage: {
      usageTotal: ({ tenant_id, since_ms }) => guarded(() => usage.total(tenant_id, since_ms)),
      usageDays: ({ tenant_id, since_ms, limit }) =>
        guarded(() => ({ days: usage.days(tenant_id, since_ms, limit) })),
    },
    rulebook: {
      newestRules: ({ known }) => guarded(() => rules.newest(known)),
      rulesAt: ({ number }) => guarded(() => rules.at(number)),
      listRules: ({ limit, before }) =>
        guarded(() => {
          checkLimit(limit, RULES.LIST_MAX);
          return rules.list(limit, before);
        }),
    },
    sessions: { findSession: ({ session_id }) => guarded(() => findSession(session_id)) },
  };
}
