import type { Expression } from '../il/il.ts';
import { dottedName } from './names.ts';
import type { Call, Run } from './run.ts';
import { changed, hasSameOrigins, joinAll, type Shape, textOf, UNKNOWN } from './value.ts';

/** Stands for all names of a place. */
const ANY = '*';

/**
 * Leaves data in a place that other functions reach: `res.locals`, a session, a store. Only the
 * data is kept, as objects are known in their own flow.
 */
function store(run: Run, place: string, name: string, value: Shape): void {
  const isData = value.origins.some(({ strength }) => strength === 'strong');
  if (isData) {
    const names = run.sharedState.get(place) ?? new Map<string, Shape>();
    run.sharedState.set(place, names);
    const before = names.get(name);
    const own = changed(UNKNOWN, { origins: value.origins });
    const after = before === undefined ? own : joinAll([before, own]);
    if (before === undefined || !hasSameOrigins(before.origins, after.origins)) {
      names.set(name, after);
      run.hasNewSharedState = true;
    }
    return;
  }
  // What stands in an object that is left is left under its name.
  if (name !== ANY) return;
  for (const [, { cells, rest }] of run.objectsOf(value)) {
    for (const [key, cell] of cells) store(run, place, key, run.flat(cell));
    if (rest !== null) store(run, place, ANY, run.flat(rest));
  }
}

/** The place that a target is in every handler; null: it is an object of its own. */
function placeOf(run: Run, target: Expression, base: Shape): string | null {
  const { knowledge } = run;
  if (knowledge.has('carries', base.role ?? '')) return base.role;
  const written = dottedName(run, target);
  if (written === null || !knowledge.is('shared-place', written)) return null;
  return written.slice(written.lastIndexOf('.') + 1);
}

/** Notes what is written to a member of a target. */
export function storeMember(
  run: Run,
  target: Expression,
  base: Shape,
  name: string | null,
  value: Shape,
): void {
  if (value.origins.length + value.objects.length === 0) return;
  const place = placeOf(run, target, base);
  if (place !== null) store(run, place, name ?? ANY, run.flat(value));
}

/** Notes an object that is merged into a target. */
export function storeObject(run: Run, target: Expression, base: Shape, value: Shape): void {
  const place = placeOf(run, target, base);
  if (place !== null) store(run, place, ANY, value);
}

/** What another function left in a member of a target; null: nothing. */
export function loadMember(
  run: Run,
  target: Expression,
  base: Shape,
  name: string | null,
): Shape | null {
  if (run.sharedState.size === 0) return null;
  const place = placeOf(run, target, base);
  return place === null ? null : loadFrom(run, place, name);
}

function loadFrom(run: Run, place: string, name: string | null): Shape | null {
  const names = run.sharedState.get(place);
  if (names === undefined) return null;
  const found = name === null ? [...names.values()] : [names.get(name), names.get(ANY)];
  const known = found.filter((one) => one !== undefined);
  return known.length === 0 ? null : joinAll(known);
}

/** `app.set('a', x)`, `store.run(x, f)`, and what is got there; null: another call. */
export function keyedStoreCall(
  run: Run,
  { name, receiver, receiverPath, args }: Call,
): Shape | null {
  const { knowledge } = run;
  const [first = UNKNOWN, second] = args;
  if (receiver === null || receiverPath === null) return null;
  const last = receiverPath.slice(receiverPath.lastIndexOf('.') + 1);
  if (knowledge.is('store-class', receiver.path ?? '')) {
    const place = `store ${last}`;
    if (knowledge.has('store-leaves', name)) store(run, place, ANY, first);
    if (!knowledge.has('store-gives', name)) return null;
    const names = run.sharedState.get(place);
    if (names === undefined) return null;
    const whole = names.get(ANY);
    const cells = new Map([...names].filter(([key]) => key !== ANY));
    return changed(run.table(cells, null), { origins: whole?.origins ?? [] });
  }
  if (!knowledge.is('keyed-store', last)) return null;
  const key = textOf(first);
  if (key === null) return null;
  if (name === 'set' && second !== undefined) store(run, `keys of ${last}`, key, run.flat(second));
  return name === 'get' && args.length === 1 ? loadFrom(run, `keys of ${last}`, key) : null;
}
