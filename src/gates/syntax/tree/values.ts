import {
  type Source,
  stronger,
  TRUSTED,
  through,
  UNKNOWN,
  type Value,
  worse,
} from '../taint/value.ts';
import type { Run } from './run.ts';
import type { TreeNode } from './tree.ts';

/** Elements and properties known of one list or dictionary. */
export const MEMBERS_MAX = 256;

/** The value after it got a name. */
export function named(run: Run, value: Value, node: TreeNode): Value {
  return through(value, run.textOf(node), run.lineOf(node));
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

/** Element of a value that is taken apart: of what a function gave back nothing else is known. */
export function itemOf(value: Value, index: number): Value {
  if (value.elements !== null) return value.elements[index] ?? UNKNOWN;
  const { source, origin } = value;
  return source !== null || origin !== null ? { ...UNKNOWN, source, origin } : UNKNOWN;
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

const SOURCE_CHARS_MAX = 80;

/** Data under a key: `request.args.name`, however it is read. */
export function subSource(source: Source, key: string): Source {
  const text = clipped(`${source.text}.${key.replace(/[^\w-]+/g, '_')}`);
  return { ...source, text, isUrl: false };
}

/** Text of a source, short enough for messages. */
export function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SOURCE_CHARS_MAX ? line.slice(0, SOURCE_CHARS_MAX) : line;
}
