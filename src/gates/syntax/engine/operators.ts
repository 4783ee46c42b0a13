import type { Run } from './run.ts';
import { formatOf } from './text.ts';
import { derive, join, type Shape, TRUSTED } from './value.ts';

/** Two lists as one; null: neither of them is one. */
export function concatenated(run: Run, left: Shape, right: Shape): Shape | null {
  const isList = (shape: Shape) => run.objectsOf(shape).some(([, { kind }]) => kind === 'list');
  if (!isList(left) && !isList(right)) return null;
  const first = run.elementsOf(left);
  const second = run.elementsOf(right);
  if (first !== null && second !== null) return run.list([...first, ...second]);
  const rest = run.elementOf(right);
  return first === null
    ? run.openList([], join(run.elementOf(left), rest))
    : run.openList(first, rest);
}

/** What an operator makes of values other than numbers, where the language has it. */
export function overloaded(
  run: Run,
  sign: string,
  left: Shape,
  right: Shape,
  [start, end]: readonly [number, number],
): Shape {
  const [, what] = run.knowledge.rows('operator').find(([own]) => own === sign) ?? [];
  if (what === undefined) return TRUSTED;
  if (what === 'format') {
    // Numbers alone have a rest.
    const isText = left.pieces !== null || left.constants?.some((one) => typeof one === 'string');
    if (isText === true || !left.isTrusted) return formatOf(run, left, right, { start, end });
    return TRUSTED;
  }
  const inputs = [left, right].map((one) => run.flat(one));
  if (what === 'data') {
    const merged = mergedTables(run, left, right);
    return merged ?? derive(inputs);
  }
  // Text has no such operator: one of the two is an object of that class.
  const isObject = inputs.some(
    ({ path, origins, isTrusted }) =>
      run.knowledge.is('file', path ?? '') || origins.length > 0 || !isTrusted,
  );
  return isObject ? { ...derive(inputs), path: `${what}()` } : TRUSTED;
}

/** A table with the keys of both; null: one of them is something else. */
function mergedTables(run: Run, left: Shape, right: Shape): Shape | null {
  const tables = [...run.objectsOf(left), ...run.objectsOf(right)];
  if (tables.length < 2 || tables.some(([, { kind }]) => kind !== 'table')) return null;
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  for (const [, object] of tables) {
    for (const [key, value] of object.cells) cells.set(key, value);
    if (object.rest !== null) rest = rest === null ? object.rest : join(rest, object.rest);
  }
  return run.table(cells, rest);
}
