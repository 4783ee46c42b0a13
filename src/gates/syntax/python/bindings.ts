import { stronger, TRUSTED, through, UNKNOWN, type Value, worse } from '../taint/value.ts';
import type { Run } from './run.ts';
import { type PyNode, part } from './tree.ts';

/** Elements and properties known of one list or dictionary. */
export const MEMBERS_MAX = 256;
/** Steps of a chain of names; a longer one has no name. */
const PATH_STEPS_MAX = 8;

/** `a.b.c` as it is written, without quotes and blanks; null for anything but a chain of names. */
export function pathOf(run: Run, node: PyNode | null): string | null {
  const names: string[] = [];
  let inner = node;
  while (inner?.type === 'attribute' && names.length < PATH_STEPS_MAX) {
    const name = part(inner, 'attribute');
    if (name !== null) names.unshift(run.textOf(name));
    inner = part(inner, 'object');
  }
  return inner?.type === 'identifier' ? [run.textOf(inner), ...names].join('.') : null;
}

/** The value after it got a name. */
export function named(run: Run, value: Value, node: PyNode): Value {
  return through(value, run.textOf(node), run.lineOf(node));
}

/** Binds the target of a loop to an element of what is looped over. */
export function bindElement(run: Run, clause: PyNode): void {
  const value = run.evaluate(part(clause, 'right'));
  bind(run, part(clause, 'left'), elementOf(value));
}

/** Any element of a list, or a key of a table. */
export function elementOf(value: Value): Value {
  if (value.elements !== null) return listed(value.elements);
  if (value.properties !== null) return TRUSTED;
  if (value.source !== null) return { ...UNKNOWN, source: value.source };
  return value.isTrusted ? TRUSTED : UNKNOWN;
}

/** Any of several values: the most dangerous. */
export function listed(values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return TRUSTED;
  return rest.reduce((found, value) => worse(found, value), first);
}

/** Assigns to a name, a member, or the parts of a list of targets. */
export function bind(run: Run, target: PyNode | null, value: Value): void {
  switch (target?.type) {
    case undefined:
      return;
    case 'identifier':
      run.scope.set(run.textOf(target), named(run, value, target));
      return;
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
    case 'expression_list':
    case 'tuple':
    case 'list':
      for (const [index, child] of target.children.entries())
        bind(run, child, itemOf(value, index));
      return;
    case 'list_splat_pattern':
    case 'as_pattern_target':
    case 'parenthesized_expression':
      bind(run, target.children[0] ?? null, value);
      return;
    case 'attribute':
      bindMember(run, target, value);
      return;
    case 'subscript':
      bindItem(run, target, value);
      return;
    default:
      run.evaluate(target);
  }
}

/** Element of a value that is taken apart: of what a function gave back nothing else is known. */
function itemOf(value: Value, index: number): Value {
  if (value.elements !== null) return value.elements[index] ?? UNKNOWN;
  const { source, origin } = value;
  return source !== null || origin !== null ? { ...UNKNOWN, source, origin } : UNKNOWN;
}

function bindMember(run: Run, target: PyNode, value: Value): void {
  const path = pathOf(run, target);
  const base = run.evaluate(part(target, 'object'));
  if (path !== null) run.scope.set(path, through(value, path, run.lineOf(target)));
  const owner = base.made === null ? undefined : run.classes.get(base.made);
  const name = part(target, 'attribute');
  if (owner === undefined || name === null) return;
  const key = run.textOf(name);
  const before = owner.attributes.get(key);
  const kept = run.scope.settled(value);
  owner.attributes.set(key, before === undefined ? kept : worse(before, kept));
}

function bindItem(run: Run, target: PyNode, value: Value): void {
  const object = part(target, 'value');
  const key = run.evaluate(part(target, 'subscript'));
  const path = pathOf(run, object);
  if (path === null) return;
  const kept = run.scope.settled(value);
  if (key.constant !== null) run.scope.set(`${path}[${key.constant}]`, kept);
  addTo(run, path, kept);
}

/** Data put into a list or table makes the whole of it data. */
export function addTo(run: Run, path: string, value: Value): void {
  const dot = path.lastIndexOf('.');
  const owner =
    dot < 0 ? undefined : run.classes.get(run.scope.get(path.slice(0, dot))?.made ?? '');
  const name = path.slice(dot + 1);
  const before = run.scope.get(path) ?? owner?.attributes.get(name);
  const after = withAdded(before, value);
  if (after === null) return;
  run.scope.set(path, after);
  owner?.attributes.set(name, after);
}

function withAdded(before: Value | undefined, value: Value): Value | null {
  const source = stronger(before?.source ?? null, value.source);
  if (before?.elements != null) {
    const elements = [...before.elements, value].slice(-MEMBERS_MAX);
    return { ...before, elements, source, isTrusted: before.isTrusted && value.isTrusted };
  }
  return value.source === null ? null : { ...(before ?? UNKNOWN), source, isTrusted: false };
}
