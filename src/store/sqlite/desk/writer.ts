import type { RulesEntry } from '../../contract/rulebook.ts';
import type { StoreWriter } from '../../contract/store.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Connection } from '../database.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { TrailSettle } from '../trail-writer.ts';
import { createRulesStep } from './rules-book.ts';
import { createSessionSteps } from './sessions.ts';
import { createTaskSteps } from './tasks.ts';
import { createUsageRecorder } from './usage.ts';

export interface DeskWriterOptions {
  database: Connection;
  log: AuditLog;
  commits: GroupCommit;
  settle: TrailSettle;
  /** Ms since the epoch. */
  now: () => number;
}

/** The writing methods beside records and trail, on an open database. */
export function createDeskWriter(
  options: DeskWriterOptions,
): Pick<StoreWriter, 'tasks' | 'usage' | 'rulebook' | 'sessions'> {
  const { database, log, settle, now } = options;
  const { write } = options.commits;
  const tasks = createTaskSteps(database);
  const sessions = createSessionSteps(database, now);
  const addUsage = createUsageRecorder(database);
  const addRules = createRulesStep(database, log.append);

  return {
    tasks: {
      createTask: ({ task }, call) => write(ROW_BYTES, () => tasks.create(task), call),
      updateTask: (input, call) => write(ROW_BYTES, () => tasks.update(input), call),
    },
    usage: {
      logUsage: ({ record }, call) =>
        write(
          ROW_BYTES,
          () => {
            addUsage(record);
            return { usage_id: record.usage_id };
          },
          call,
        ),
    },
    rulebook: {
      addRules: (input, call) =>
        settle<{ entry: RulesEntry; audit: { chain: string; seq: number } }>(
          write(input.text.length, () => addRules(input), call),
        ),
    },
    sessions: {
      createSession: ({ session }, call) => write(ROW_BYTES, () => sessions.create(session), call),
      touchSession: ({ session_id, last_seen_at }, call) =>
        write(ROW_BYTES, () => sessions.touch(session_id, last_seen_at), call),
      deleteSession: ({ session_id }, call) =>
        write(ROW_BYTES, () => sessions.remove(session_id), call),
      deleteSessionsOf: ({ tenant_id, principal_id }, call) =>
        write(ROW_BYTES, () => sessions.removeOf(tenant_id, principal_id), call),
    },
  };
}

/** About the bytes of a row; only the size of batches depends on it. */
const ROW_BYTES = 1024;
