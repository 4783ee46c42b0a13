import { CraError, type StatusCode } from '../model/errors.ts';

/**
 * The errors of a store, one text each for both drivers. `details.changed` is false where nothing
 * was changed: callers go by that, not by the words.
 */

/** The trail cannot be written, whatever the cause. */
export function unwritableTrail(cause?: unknown): CraError {
  const message = 'the audit trail cannot be written: nothing was changed';
  return new CraError('UNAVAILABLE', message, { details: { changed: false }, cause });
}

/** The trail has no room for decisions. */
export function fullTrail(): CraError {
  const message = 'the audit trail is full: nothing was changed';
  return new CraError('UNAVAILABLE', message, { details: { changed: false, full: true } });
}

/** The decision or change was given up before it changed anything; the same op_id may try again. */
export function abandoned(): CraError {
  const message = 'the operation was given up: nothing was changed, send it again';
  return new CraError('UNAVAILABLE', message, { details: { changed: false } });
}

/** The operation may have happened; the trail shows it to a repeat with this op_id. */
export function unknownOutcome(opId: string, cause: unknown): CraError {
  const message = 'it is not known yet whether this was done: send it again with this op_id';
  return new CraError('UNKNOWN', message, { details: { op_id: opId }, cause });
}

/** One op_id is one operation. */
export function otherRequest(): CraError {
  const message = 'this Idempotency-Key was used for another request: send a new one';
  return new CraError('ALREADY_EXISTS', message);
}

/** For a change that expects another revision. */
export function staleRules(number: number): CraError {
  return new CraError('ABORTED', `the rules have changed: revision ${number} is the newest`, {
    details: { number },
  });
}

/** For an id that is not there, and for one of another tenant. */
export function unknownRfc(): CraError {
  return new CraError('NOT_FOUND', 'RFC not found');
}

/** For the read of an RFC whose archive is not on this machine; HTTP answers 410. */
export function archivedElsewhere(file: string): CraError {
  const message =
    `the RFC is archived in ${file}, which is not in the archive directory of this daemon: ` +
    'put the file there, or read it with zcat';
  return new CraError('NOT_FOUND', message, { details: { code: 'archived', file } });
}

/** For a change of an RFC that is in the archive. */
export function archivedRfc(): CraError {
  const message = 'the RFC is archived: it can be read, and not changed any more';
  return new CraError('FAILED_PRECONDITION', message, { details: { changed: false } });
}

/** For a write that expects another state of the record. */
export function staleRfc({ status, rev }: { status: string; rev: number }): CraError {
  return new CraError('ABORTED', `the RFC has changed: it is ${status} now`, {
    details: { status, rev },
  });
}

/** For an emergency while the review of another one is overdue. */
export function overdueReview({ rfc_id, due_at }: { rfc_id: string; due_at: string }): CraError {
  const message =
    `emergencies are refused while a review is overdue: that of ${rfc_id} was due at ${due_at} ` +
    '(pipeline.refuse_overdue_emergencies); review it, or override without emergency';
  return new CraError('FAILED_PRECONDITION', message, { details: { rfc_id, due_at } });
}

/** For another record under a known id. */
export function duplicateRfc(): CraError {
  return new CraError('ALREADY_EXISTS', 'another RFC has this id');
}

/** For a fingerprint that nothing accepts. */
export function unknownAcceptance(): CraError {
  return new CraError('NOT_FOUND', 'no decision accepts this fingerprint in this repository');
}

/** For a push that is somebody's already; `rev` as the store has it. */
export function leasedPush(rev: number): CraError {
  const details = { status: 'DRAFT', rev };
  return new CraError('ABORTED', 'another daemon holds the push', { details });
}

/** For a diff that was never kept, or whose retention is over. */
export function unknownDiff(): CraError {
  return new CraError('NOT_FOUND', 'the diff of this RFC was not kept');
}

/** For a diff that was kept, until its retention was over. */
export function expiredDiff(): CraError {
  return new CraError('NOT_FOUND', 'the diff is gone: its retention is over');
}

/** For a diff of which a part is missing. */
export function incompleteDiff(): CraError {
  return new CraError('DATA_LOSS', 'the stored diff is not complete');
}

/** For a repository that was never pushed. */
export function unknownPush(): CraError {
  return new CraError('NOT_FOUND', 'there is no push of this repository');
}

/** For a deployment of what was never analyzed. */
export function nothingToDeploy(): CraError {
  const message = 'there is no RFC of this repository, or of the branch or commit asked for';
  return new CraError('NOT_FOUND', message);
}

/** For a number that no revision of the rules has. */
export function unknownRevision(): CraError {
  return new CraError('NOT_FOUND', 'revision of the rules not found');
}

/** For another session under a known id. */
export function duplicateSession(): CraError {
  return new CraError('ALREADY_EXISTS', 'another session has this id');
}

/** Ms since the epoch of the bound `before` of a list; INVALID_ARGUMENT unless it is ISO 8601. */
export function timeOfBefore(before: string): number {
  const ms = Date.parse(before);
  if (!Number.isNaN(ms)) return ms;
  throw new CraError('INVALID_ARGUMENT', 'before must be a time in ISO 8601', {
    details: { field: 'before' },
  });
}

/** A failure of a database, as callers get it: no paths, no hosts, no statements. */
export type Failure = readonly [status: StatusCode, message: string];

/** The failures of both databases; each driver maps its own codes to them. */
export const FAILURES = {
  diskFull: ['RESOURCE_EXHAUSTED', 'the disk of the store is full'],
  outOfMemory: ['RESOURCE_EXHAUSTED', 'the store is out of memory'],
  damaged: ['DATA_LOSS', 'the database of the store is damaged'],
  busy: ['UNAVAILABLE', 'the database of the store is busy'],
  diskFails: ['UNAVAILABLE', 'the disk of the store fails'],
  unusableFiles: ['UNAVAILABLE', 'the files of the store cannot be used'],
  unreachable: ['UNAVAILABLE', 'the database of the store cannot be reached'],
  noPrimary: ['UNAVAILABLE', 'the database of the store has no primary just now'],
  slow: ['UNAVAILABLE', 'the database of the store did not confirm in time'],
  refused: ['UNAVAILABLE', 'the database of the store refuses the user of this daemon'],
  tooLarge: ['INVALID_ARGUMENT', 'the record is too large to be stored'],
  taken: ['ALREADY_EXISTS', 'another record has this id'],
  failed: ['UNKNOWN', 'the database of the store failed'],
} as const satisfies Record<string, Failure>;
