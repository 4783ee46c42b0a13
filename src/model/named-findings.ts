import type { Finding } from './finding.ts';
import { findingsOf } from './outcome.ts';
import type { RfcRecord } from './records.ts';

/**
 * The findings that somebody means by a name: the one whose finding_id it is, else the open ones
 * (neither suppressed nor resolved) of this rule. Two at most, which tell that it is ambiguous.
 */
export function findingsNamed(record: RfcRecord, name: string): Finding[] {
  const findings = findingsOf(record);
  const own = findings.find(({ finding_id }) => finding_id === name);
  if (own !== undefined) return [own];
  const isOpen = ({ suppressed, resolved }: Finding) => suppressed === null && resolved === null;
  return findings.filter((one) => one.id === name && isOpen(one)).slice(0, 2);
}
