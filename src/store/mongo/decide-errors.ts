import { CraError } from '../../domain/errors.ts';
import type { RfcRecord } from '../../domain/records.ts';

/** What decisions answer besides success; the messages are for callers. */

/** A record as it is stored. Only this service writes there: no more is checked. */
export function parseRecord(json: string): RfcRecord {
  try {
    return JSON.parse(json) as RfcRecord;
  } catch (thrown) {
    throw new CraError('DATA_LOSS', 'a stored record is damaged', { cause: thrown });
  }
}

/** For an id that is not there, and for one of another tenant. */
export function unknownRfc(): CraError {
  return new CraError('NOT_FOUND', 'there is no such RFC');
}

/** The transition table does not allow it, or somebody was faster. */
export function stale({ status, rev }: { status: string; rev: number }): CraError {
  return new CraError('ABORTED', `the RFC has changed: it is ${status} now`, {
    details: { status, rev },
  });
}

/** The deed was given up before it changed anything; the same op_id may try again. */
export function abandoned(): CraError {
  const message = 'the decision was given up: nothing was changed, ask again';
  return new CraError('UNAVAILABLE', message, { details: { changed: false } });
}

/** It may have happened; the trail will tell. */
export function unknownOutcome(opId: string, cause: unknown): CraError {
  const message = 'whether the decision was made is not known yet: ask again with this op_id';
  return new CraError('UNKNOWN', message, { details: { op_id: opId }, cause });
}

export function otherRequest(): CraError {
  const message = 'this op_id stands for another request; a new request needs a new one';
  return new CraError('ALREADY_EXISTS', message);
}
