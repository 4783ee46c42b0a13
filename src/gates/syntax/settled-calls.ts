import { type GateFinding, lesserId, severityRank } from '../../model/finding.ts';
import type { SettledCall } from '../../rpc/contract.ts';
import { CALL_TAG } from '../../rules/risk/paths.ts';
import type { CompiledRules } from '../patterns/compiled-rules.ts';

/**
 * Findings of gate 1, of which those are low that are about a call that gets only what its function
 * writes down, as gate 2 knows. `settled`: these calls by the path of their file.
 */
export function lowerSettled(
  findings: readonly GateFinding[],
  settled: ReadonlyMap<string, readonly SettledCall[]>,
  { rules }: CompiledRules,
): readonly GateFinding[] {
  if (settled.size === 0) return findings;
  const ofCalls = rules.filter(({ pattern }) => pattern.tags?.includes(CALL_TAG) === true);
  const names = new Set(ofCalls.map(({ reportId, pattern }) => `${reportId} ${pattern.cwe}`));
  const isSettled = ({ id, cwe, file, line, column }: GateFinding) => {
    const calls = settled.get(file ?? '');
    if (calls === undefined || line === null || column === null) return false;
    if (!names.has(`${id} ${cwe}`)) return false;
    // Expressions of rules take the character before a name as well.
    const isFrom = ([first, from]: SettledCall['start']) =>
      line > first || (line === first && column + 1 >= from);
    const isTo = ([last, to]: SettledCall['end']) => line < last || (line === last && column < to);
    return calls.some((one) => one.cwe === cwe && isFrom(one.start) && isTo(one.end));
  };
  return findings.map((one): GateFinding => {
    if (!isSettled(one) || severityRank(one.severity) > severityRank('low')) return one;
    const id = lesserId({ id: one.id, cwe: one.cwe ?? '' });
    return { ...one, id, severity: 'low' };
  });
}
