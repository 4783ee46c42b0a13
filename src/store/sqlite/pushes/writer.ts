import type { Baseline, PushWriter } from '../../contract/pushes.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Connection } from '../database.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { TrailSettle } from '../trail-writer.ts';
import { createAcceptStep } from './accept-step.ts';
import { createBaselineSteps } from './baselines.ts';
import { createClaimSteps } from './claim-steps.ts';
import { createEndSteps } from './end-steps.ts';

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
  const { database, log, settle, now } = options;
  const { write } = options.commits;
  const accept = createAcceptStep(database, now);
  const claims = createClaimSteps(database, now);
  const ends = createEndSteps(database, now);
  const baselines = createBaselineSteps(database, log.append);

  return {
    acceptPush: ({ record, push }, call) =>
      write(record.json.length + record.summary.length, () => accept(record, push), call),
    claimPush: (input, call) => write(RECORD_BYTES, () => claims.claim(input), call),
    takePush: (input, call) => write(RECORD_BYTES, () => claims.take(input), call),
    renewPushes: (input, call) =>
      write(input.pushes.length * LEASE_BYTES, () => claims.renew(input), call),
    freeHeld: ({ owner }, call) => write(RECORD_BYTES, () => claims.free(owner), call),
    savePush: (input, call) => write(RECORD_BYTES, () => claims.save(input), call),
    supersedePushes: (input, call) =>
      write(input.pushes.length * RECORD_BYTES, () => ends.supersede(input), call),
    adoptBaseline: (input, call) => {
      const bytes = Object.keys(input.baseline.heads).length * HEAD_BYTES;
      return settle<{ baseline: Baseline; adopted: boolean }>(
        write(bytes, () => baselines.adopt(input), call),
      );
    },
    lowerBaseline: (input, call) =>
      settle<{ lowered: boolean }>(write(RECORD_BYTES, () => baselines.lower(input), call)),
    bindRepository: (input, call) => write(RECORD_BYTES, () => baselines.bind(input), call),
    reopenPush: (input, call) => write(input.record.json.length, () => ends.reopen(input), call),
    settleFallen: ({ tenant_id, id }, call) =>
      write(0, () => ends.settleFallen(tenant_id, id), call),
    settleStatus: (input, call) => write(0, () => ends.settle(input), call),
  };
}

/** About what they weigh; only the size of batches depends on it. */
const RECORD_BYTES = 2 * 1024;
const HEAD_BYTES = 100;
const LEASE_BYTES = 100;
