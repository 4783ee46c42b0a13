import type { GateFinding } from '../../model/finding.ts';
import type { SettledCall } from '../../rpc/contract.ts';
import { CALL_TAG } from '../../rules/risk/paths.ts';
import type { CompiledRules } from '../patterns/compiled-rules.ts';

/**
 * Findings of gate 1, without those about a call of which gate 2 knows that it gets nothing else
 * than what the program says. `settled`: these calls by the path of their file.
 */
export function withoutSettled(
  findings: readonly GateFinding[],
  settled: ReadonlyMap<string, readonly SettledCall[]>,
  { rules }: CompiledRules,
): readonly GateFinding[] {
  if (settled.size === 0) return findings;
  const ofCalls = rules.filter(({ pattern }) => pattern.tags?.includes(CALL_TAG) === true);
  const names = new Set(ofCalls.map(({ reportId, pattern }) => `${reportId} ${pattern.cwe}`));
  return findings.filter(({ id, cwe, file, line, column }) => {
    const calls = settled.get(file ?? '');
    if (calls === undefined || line === null || column === null) return true;
    if (!names.has(`${id} ${cwe}`)) return true;
    // Expressions of rules take the character before a name as well.
    const isFrom = ([first, from]: SettledCall['start']) =>
      line > first || (line === first && column + 1 >= from);
    const isTo = ([last, to]: SettledCall['end']) => line < last || (line === last && column < to);
    return !calls.some((one) => one.cwe === cwe && isFrom(one.start) && isTo(one.end));
  });
}
