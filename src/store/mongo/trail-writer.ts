import { AUDIT } from '../../limits.ts';
import type { AuditEntry, AuditEvent, AuditStatus } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type { AppendOutput, DecideInput, DecideOutput, TrailWriter } from '../contract/trail.ts';
import { fullTrail, notWhole, otherRequest } from '../trail-errors.ts';
import { isSameEvent } from '../trail-events.ts';
import type { TrailGate } from '../trail-gate.ts';
import { readFailure } from './audit-error.ts';
import type { Appended } from './audit-groups.ts';
import { decide } from './decide.ts';
import type { DecideSteps } from './decide-steps.ts';

export interface TrailWriterOptions {
  steps: DecideSteps;
  gate: TrailGate;
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  isFull(): boolean;
  status(): Promise<AuditStatus>;
}

/** The writing methods of Trail. */
export function createTrailWriter(options: TrailWriterOptions): TrailWriter {
  const { steps, gate, append, isFull, status } = options;
  /** Decisions that run here, by op_id: a second call waits for the first. */
  const running = new Map<string, Promise<unknown>>();

  async function decideOnce(input: DecideInput): Promise<DecideOutput> {
    // Whatever became of the first: the trail tells the second one.
    await running.get(input.op_id)?.catch(() => undefined);
    const output = decide(steps, isFull, input);
    running.set(input.op_id, output);
    try {
      return await output;
    } catch (thrown) {
      throw unchanged(readFailure(thrown));
    } finally {
      if (running.get(input.op_id) === output) running.delete(input.op_id);
    }
  }

  return {
    async decide(input, call) {
      if (gate.state !== 'open') await gate.pass();
      const reason = call.stopReason();
      if (reason !== null) throw reason;
      return decideOnce(input);
    },
    async appendEvent({ event }) {
      if (event.phase !== 'whole') throw notWhole();
      if (isFull()) throw fullTrail();
      return outputOf(event, await append(event, AUDIT.INTENT_WAIT_MS));
    },
    auditStatus: status,
  };
}

/** What fails before the intent is written has changed nothing; later, `decide` says UNKNOWN. */
function unchanged(error: CraError): CraError {
  if (error.code !== 'UNAVAILABLE' || error.details['changed'] === false) return error;
  return new CraError('UNAVAILABLE', `${error.message}: nothing was changed`, {
    details: { ...error.details, changed: false },
    cause: error,
  });
}

/** ALREADY_EXISTS when the entry under this op_id tells of something else. */
function outputOf(event: AuditEvent, { chain, seq, entry, isOwn }: Appended): AppendOutput {
  if (!isOwn && !isSameEvent(JSON.parse(entry) as AuditEntry, event)) throw otherRequest();
  return { chain, seq, replayed: !isOwn };
}
