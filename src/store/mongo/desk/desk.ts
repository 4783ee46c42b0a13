import { RULES, TASKS } from '../../../limits.ts';
import type { StoreDriver, StoreReader, StoreWriter } from '../../contract/store.ts';
import { checkLimit } from '../../list-page.ts';
import type { MongoConnection } from '../connection.ts';
import { fromMongo } from '../mongo-error.ts';
import { whenReachable } from '../store.ts';
import { createRulesReader, rulesCollection } from './rules-book.ts';
import { createSessionSteps } from './sessions.ts';
import { createTaskReader, createTaskSteps } from './tasks.ts';
import { createUsageReader } from './usage.ts';
import { createUsageLedger } from './usage-ledger.ts';

type Name = 'tasks' | 'usage' | 'rulebook' | 'sessions';
type Both<Service extends Name> = StoreDriver[Service];

/** Tasks, usage, rules revisions and sessions of one daemon on MongoDB. */
export interface MongoDesk {
  services: Pick<StoreDriver, Name>;
  /** Resolves when the usage that waits is written; refuses new one. */
  drained(): Promise<void>;
}

/** Creates it on the connection of the store; the trail knows how to change the rules. */
export function createMongoDesk(
  connection: MongoConnection,
  addRules: StoreWriter['rulebook']['addRules'],
): MongoDesk {
  const { db, collections } = connection;
  const tasks = createTaskSteps(collections);
  const findPending = createTaskReader(collections.tasks);
  const ledger = createUsageLedger({ client: db.client, ...collections });
  const usage = createUsageReader(collections);
  const rules = createRulesReader(rulesCollection(db));
  const sessions = createSessionSteps(collections.sessions);

  const services = {
    tasks: whenReachable<Both<'tasks'>>(connection, {
      createTask: ({ task }) => guarded(() => tasks.create(task)),
      updateTask: (input) => guarded(() => tasks.update(input)),
      listPendingTasks: ({ tenant_id, limit, cursor }) =>
        guarded(() => {
          checkLimit(limit, TASKS.LIST_LIMIT_MAX);
          return findPending(tenant_id, limit, cursor);
        }),
    }),
    usage: whenReachable<Both<'usage'>>(connection, {
      async logUsage({ record }, call) {
        await ledger.submit(record, call);
        return { usage_id: record.usage_id };
      },
      usageTotal: ({ tenant_id, since_ms }) => guarded(() => usage.total(tenant_id, since_ms)),
      usageDays: ({ tenant_id, since_ms, limit }) =>
        guarded(async () => ({ days: await usage.days(tenant_id, since_ms, limit) })),
    }),
    rulebook: {
      ...whenReachable<StoreReader['rulebook']>(connection, {
        newestRules: ({ known }) => guarded(() => rules.newest(known)),
        rulesAt: ({ number }) => guarded(() => rules.at(number)),
        listRules: ({ limit, before }) =>
          guarded(() => {
            checkLimit(limit, RULES.LIST_MAX);
            return rules.list(limit, before);
          }),
      }),
      // Its UNAVAILABLE says that nothing was changed, so it has bounds of its own.
      addRules: async (input, call) => {
        connection.requirePrimary();
        return await addRules(input, call);
      },
    } satisfies Both<'rulebook'>,
    sessions: whenReachable<Both<'sessions'>>(connection, {
      createSession: ({ session }) => guarded(() => sessions.create(session)),
      findSession: ({ session_id }) => guarded(() => sessions.find(session_id)),
      touchSession: ({ session_id, last_seen_at }) =>
        guarded(() => sessions.touch(session_id, last_seen_at)),
      deleteSession: ({ session_id }) => guarded(() => sessions.remove(session_id)),
      deleteSessionsOf: ({ tenant_id, principal_id }) =>
        guarded(() => sessions.removeOf(tenant_id, principal_id)),
    }),
  };
  return { services, drained: ledger.close };
}

async function guarded<Output>(step: () => Promise<Output>): Promise<Output> {
  try {
    return await step();
  } catch (thrown) {
    throw fromMongo(thrown);
  }
}
