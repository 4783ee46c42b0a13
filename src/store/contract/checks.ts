import type { AuditEvent } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { RecordText } from '../../model/records.ts';
import { nextStatus, type RfcStatus } from '../../model/rfc.ts';

/** INVALID_ARGUMENT for inputs that no driver accepts. */

/** `limit` must be a whole number from 1 to `max`. */
export function checkLimit(limit: number, max: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return;
  throw new CraError('INVALID_ARGUMENT', `limit must be a whole number from 1 to ${max}`, {
    details: { field: 'limit' },
  });
}

/** A list may have `max` entries. */
export function checkCount(field: string, list: readonly unknown[], max: number): void {
  if (list.length <= max) return;
  throw new CraError('INVALID_ARGUMENT', `${field} has at most ${max} entries`, {
    details: { field },
  });
}

/** An RFC has no more fingerprints than findings. */
export function checkFingerprints(fingerprints: readonly string[]): void {
  if (fingerprints.length <= FINDINGS_PER_RFC_MAX) return;
  const message = `at most ${FINDINGS_PER_RFC_MAX} fingerprints are looked up at once`;
  throw new CraError('INVALID_ARGUMENT', message, { details: { field: 'fingerprints' } });
}

/** An event that is part of an operation cannot be appended by itself. */
export function requireWhole({ phase }: AuditEvent): void {
  if (phase === 'whole') return;
  throw new CraError('INVALID_ARGUMENT', 'an event is one entry: its phase is "whole"');
}

/** A record that replaces another one, whose rev must be `expectedRev`. */
interface NextRecord {
  record: RecordText;
  expectedRev: number;
}

/** The record must be an outcome of a DRAFT at `expectedRev`. */
export function checkOutcome({ record, expectedRev }: NextRecord): void {
  if (record.overall_status !== 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError(
    'INVALID_ARGUMENT',
    'the outcome of a DRAFT must have another status and the next rev',
  );
}

/** The record must be able to follow one with the status `from`. */
export function checkRevision({ record, from, expectedRev }: NextRecord & { from: RfcStatus }) {
  const { overall_status: to, rev } = record;
  const moves = [nextStatus(from, 'release'), nextStatus(from, 'recall')];
  const isAllowed = to === from || moves.includes(to);
  if (isAllowed && rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', `a review or a plan does not make ${to} of ${from}`);
}

/** The record must be the progress of a DRAFT at `expectedRev`. */
export function checkProgress({ record, expectedRev }: NextRecord): void {
  if (record.overall_status === 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', 'a push in progress must stay a DRAFT with the next rev');
}
