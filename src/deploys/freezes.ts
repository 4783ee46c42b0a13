import type { Calendar, Occurrence } from '../core/calendar.ts';
import type { DeployPlace } from '../model/deploy.ts';
import { FREEZES, type Freeze, MAY_PASS_DEFAULT } from '../model/freeze.ts';

/** A freeze that holds deploys now. */
export interface ActiveFreeze {
  freeze: Freeze;
  /** ISO 8601, UTC: since when. Null: its calendar cannot be computed, so it holds. */
  since: string | null;
  /** Until when, in words. */
  until: string;
}

/**
 * The freezes of a place at a time (ms since the epoch); without an environment the freezes of
 * every environment, and without a component of every component.
 */
export type FindFreezes = (place: FrozenPlace, nowMs: number) => Promise<ActiveFreeze[]>;

type FrozenPlace = Omit<DeployPlace, 'environment'> & { environment: string | null };

/** What a Git host shows of a freeze that holds deploys of a repository. */
export function freezeSentence({ freeze, since, until }: ActiveFreeze): string {
  const { id, environments, components, reason, may_pass = MAY_PASS_DEFAULT } = freeze;
  const where = [
    ...(environments === undefined ? [] : [`to ${environments.join(', ')}`]),
    ...(components === undefined ? [] : [`of ${components.join(', ')}`]),
  ];
  const who = since === null ? '' : ` A ${may_pass} may let a commit pass, with a reason.`;
  const what = ['Deploys', ...where].join(' ');
  return `${what} are held until ${until} by the freeze ${id}: ${reason}.${who}`;
}

/** Finds the freezes of the rules in force; calendars are read once for each list. */
export function createFreezeFinder(
  rules: () => { freezes?: readonly Freeze[] | undefined },
): FindFreezes {
  let known: readonly Freeze[] | undefined;
  let calendars = new Map<string, Promise<Calendar>>();
  return async (place, nowMs) => {
    const { freezes } = rules();
    if (freezes === undefined) return [];
    if (freezes !== known) calendars = new Map();
    known = freezes;
    const active: ActiveFreeze[] = [];
    for (const freeze of freezes.filter((one) => isAbout(one, place))) {
      const calendar = calendars.get(freeze.id) ?? openCalendar(freeze);
      calendars.set(freeze.id, calendar);
      const found = await occurrenceAt(calendar, nowMs);
      if (found !== null) active.push({ freeze, ...found });
    }
    return active;
  };
}

function isAbout({ environments, repos, components }: Freeze, place: FrozenPlace): boolean {
  // A deploy of the whole repository deploys every component.
  const has = (names: readonly string[] | undefined, name: string | null) =>
    name === null ||
    names === undefined ||
    names.some((one) => one.toLowerCase() === name.toLowerCase());
  return (
    has(environments, place.environment) &&
    has(repos, place.repo) &&
    has(components, place.component)
  );
}

/** Loaded with the first freeze: most installations have none. */
async function openCalendar({ calendar, time_zone = 'UTC' }: Freeze): Promise<Calendar> {
  const { readCalendar } = await import('../core/calendar.ts');
  return readCalendar(calendar, time_zone);
}

async function occurrenceAt(
  opening: Promise<Calendar>,
  nowMs: number,
): Promise<Omit<ActiveFreeze, 'freeze'> | null> {
  try {
    const calendar = await opening;
    const found = await calendar.at(nowMs, FREEZES.OCCURRENCES_MAX);
    return found && (await shownTimes(found));
  } catch (thrown) {
    const why = (thrown as Error).message;
    return { since: null, until: `an end that is not known, as its calendar fails: ${why}` };
  }
}

async function shownTimes({ startMs, endMs, zone }: Occurrence) {
  const { openClock } = await import('../core/calendar.ts');
  const shown = new Date(openClock(zone)(endMs)).toISOString();
  const until = shown.slice(0, LOCAL_CHARS).replace('T', ' ');
  return { since: new Date(startMs).toISOString(), until: `${until} ${zone}` };
}

const LOCAL_CHARS = 'YYYY-MM-DDTHH:MM'.length;

/** Problems of freezes, in sentences that name them; `nowMs` is ms since the epoch. */
export async function freezeProblems(freezes: readonly Freeze[], nowMs: number): Promise<string[]> {
  const problems: string[] = [];
  const met = new Set<string>();
  for (const freeze of freezes) {
    const { id } = freeze;
    if (met.has(id)) problems.push(`freeze ${id} is there twice: give each an id of its own`);
    met.add(id);
    try {
      await (await openCalendar(freeze)).at(nowMs, FREEZES.OCCURRENCES_MAX);
    } catch (thrown) {
      problems.push(`freeze ${id}: calendar: ${(thrown as Error).message}`);
    }
  }
  return problems;
}
