import { RULES, TASKS } from '../../../limits.ts';
import type { DeskReader, DeskWriter } from '../../desk.ts';
import { checkLimit } from '../../list-page.ts';
import type { MongoConnection } from '../connection.ts';
import { fromMongo } from '../mongo-error.ts';
import { whenReachable } from '../store.ts';
import { createRulesReader, rulesCollection } from './rules-book.ts';
import { createSessionSteps } from './sessions.ts';
import { createTaskReader, createTaskSteps } from './tasks.ts';
import { createUsageReader } from './usage.ts';
import { createUsageLedger } from './usage-ledger.ts';

/** Tasks, usage, rules revisions and sessions of one daemon on MongoDB. */
export interface MongoDesk {
  methods: DeskWriter & DeskReader;
  /** Resolves when the usage that waits is written; refuses new one. */
  drained(): Promise<void>;
}

/** Creates it on the connection of the store; the trail knows how to change the rules. */
export function createMongoDesk(
  connection: MongoConnection,
  addRules: DeskWriter['addRules'],
): MongoDesk {
  const { db, collections } = connection;
  const tasks = createTaskSteps(collections);
  const findPending = createTaskReader(collections.tasks);
  const ledger = createUsageLedger({ client: db.client, ...collections });
  const usage = createUsageReader(collections);
  const rules = createRulesReader(rulesCollection(db));
  const sessions = createSessionSteps(collections.sessions);

  const methods: Omit<DeskWriter & DeskReader, 'addRules'> = {
    createTask: ({ task }) => guarded(() => tasks.create(task)),
    updateTask: (input) => guarded(() => tasks.update(input)),
    listPendingTasks: ({ tenant_id, limit, cursor }) =>
      guarded(() => {
        checkLimit(limit, TASKS.LIST_LIMIT_MAX);
        return findPending(tenant_id, limit, cursor);
      }),
    async logUsage({ record }, call) {
      await ledger.submit(record, call);
      return { usage_id: record.usage_id };
    },
    usageTotal: ({ tenant_id, since_ms }) => guarded(() => usage.total(tenant_id, since_ms)),
    usageDays: ({ tenant_id, since_ms, limit }) =>
      guarded(async () => ({ days: await usage.days(tenant_id, since_ms, limit) })),
    newestRules: ({ known }) => guarded(() => rules.newest(known)),
    rulesAt: ({ number }) => guarded(() => rules.at(number)),
    listRules: ({ limit, before }) =>
      guarded(() => {
        checkLimit(limit, RULES.LIST_MAX);
        return rules.list(limit, before);
      }),
    createSession: ({ session }) => guarded(() => sessions.create(session)),
    findSession: ({ session_id }) => guarded(() => sessions.find(session_id)),
    touchSession: ({ session_id, last_seen_at }) =>
      guarded(() => sessions.touch(session_id, last_seen_at)),
    deleteSession: ({ session_id }) => guarded(() => sessions.remove(session_id)),
    deleteSessionsOf: ({ tenant_id, principal_id }) =>
      guarded(() => sessions.removeOf(tenant_id, principal_id)),
  };
  return {
    methods: {
      ...whenReachable(connection, methods),
      // Its UNAVAILABLE says that nothing was changed, so it has bounds of its own.
      async addRules(input, call) {
        connection.requirePrimary();
        return await addRules(input, call);
      },
    },
    drained: ledger.close,
  };
}

async function guarded<Output>(step: () => Promise<Output>): Promise<Output> {
  try {
    return await step();
  } catch (thrown) {
    throw fromMongo(thrown);
  }
}
