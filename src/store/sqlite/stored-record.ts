import { CraError } from '../../domain/errors.ts';
import type { RfcRecord } from '../../domain/records.ts';

/** What writing steps look at before they change a row (`QUERIES.state`). */
export interface StateRow {
  tenant_id: string;
  status: string;
  rev: number;
  json: string;
}

/** A record as it stands in `rfc.json`. Only this service writes there: no more is checked. */
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

/** For a step that the RFC, as it is now, does not allow. */
export function stale({ status, rev }: Pick<StateRow, 'status' | 'rev'>): CraError {
  return new CraError('ABORTED', `the RFC has changed: it is ${status} now`, {
    details: { status, rev },
  });
}
