import type { Baseline } from '../../../rpc/queue-contract.ts';
import type { PushWriter } from '../../queue.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Connection } from '../database.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { TrailSettle } from '../trail-writer.ts';
import { createAdoptStep } from './baselines.ts';
import { createPushSteps } from './push-steps.ts';

export interface PushWriterOptions {
  database: Connection;
  log: AuditLog;
  commits: GroupCommit;
  settle: TrailSettle;
  /** Ms since the epoch; leases end by it. */
  now: () => number;
}

/** The writing methods of Pushes on an open database. */
export function createPushWriter(options: PushWriterOptions): PushWriter {
  const { database, log, settle } = options;
  const { write } = options.commits;
  const steps = createPushSteps(database, options.now);
  const adopt = createAdoptStep(database, log.append);

  return {
    acceptPush: ({ record, push }, call) =>
      write(record.json.length + record.summary.length, () => steps.accept(record, push), call),
    claimPush: (input, call) => write(RECORD_BYTES, () => steps.claim(input), call),
    takePush: (input, call) => write(RECORD_BYTES, () => steps.take(input), call),
    savePush: (input, call) => write(RECORD_BYTES, () => steps.save(input), call),
    supersedePushes: (input, call) =>
      write(input.pushes.length * RECORD_BYTES, () => steps.supersede(input), call),
    adoptBaseline: (input, call) => {
      const bytes = Object.keys(input.baseline.heads).length * HEAD_BYTES;
      return settle<{ baseline: Baseline; adopted: boolean }>(
        write(bytes, () => adopt(input), call),
      );
    },
    settleStatus: (input, call) => write(0, () => steps.settle(input), call),
  };
}

/** About what they weigh; only the size of batches depends on it. */
const RECORD_BYTES = 2 * 1024;
const HEAD_BYTES = 100;
