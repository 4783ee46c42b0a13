import { readCalendar } from '../core/calendar.ts';
import { FREEZES, type Freeze } from '../model/freeze.ts';

/** Problems of freezes, in sentences that name them; `nowMs` is ms since the epoch. */
export async function freezeProblems(freezes: readonly Freeze[], nowMs: number): Promise<string[]> {
  const problems: string[] = [];
  const met = new Set<string>();
  for (const { id, calendar, time_zone = 'UTC' } of freezes) {
    if (met.has(id)) problems.push(`freeze ${id} is there twice: give each an id of its own`);
    met.add(id);
    try {
      await readCalendar(calendar, time_zone).at(nowMs, FREEZES.OCCURRENCES_MAX);
    } catch (thrown) {
      problems.push(`freeze ${id}: calendar: ${(thrown as Error).message}`);
    }
  }
  return problems;
}
