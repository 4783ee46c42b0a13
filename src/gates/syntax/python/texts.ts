import { build, constant, derive, TRUSTED, UNKNOWN, type Value } from '../taint/value.ts';
import type { Run } from './run.ts';
import type { PyNode } from './tree.ts';

const PLACEHOLDER = /%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?([a-zA-Z%])/;

/** `'... %s' % values`: the values stand where the placeholders are; `%d` takes numbers alone. */
export function formatted(run: Run, left: Value, right: Value, node: PyNode): Value {
  const { constant: text } = left;
  if (text === null)
    return left.source === null ? build([left, right], run.linesOf(node)) : derive([left, right]);
  const values =
    right.elements ?? (right.properties === null ? [right] : [...right.properties.values()]);
  const byName = right.elements === null ? right.properties : null;
  const pieces: Value[] = [];
  let rest = text;
  let index = 0;
  for (let match = PLACEHOLDER.exec(rest); match !== null; match = PLACEHOLDER.exec(rest)) {
    pieces.push(constant(rest.slice(0, match.index)));
    rest = rest.slice(match.index + match[0].length);
    const name = /\((\w+)\)/.exec(match[0])?.[1];
    const value = (name === undefined ? values[index] : byName?.get(name)) ?? right;
    if (match[1] === '%') pieces.push(constant('%'));
    else pieces.push(/[sra]/.test(match[1] ?? '') ? value : TRUSTED);
    if (match[1] !== '%') index += 1;
  }
  return build([...pieces, constant(rest)], run.linesOf(node));
}

/** `'{} {name}'.format(...)` in the same way. */
export function formatCall(
  run: Run,
  text: string,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  node: PyNode,
): Value {
  const pieces: Value[] = [];
  let end = 0;
  let index = 0;
  for (const match of text.matchAll(/\{\{|\}\}|\{([^{}:!]*)([^{}]*)\}/g)) {
    pieces.push(constant(text.slice(end, match.index)));
    end = match.index + match[0].length;
    const [, name, format = ''] = match;
    if (name === undefined) continue;
    const root = name.split(/[.[]/, 1)[0] ?? '';
    const value = root === '' ? args[index++] : (keywords.get(root) ?? args[Number(root)]);
    pieces.push(/^:.*[dxXob]$/.test(format) ? TRUSTED : (value ?? UNKNOWN));
  }
  return build([...pieces, constant(text.slice(end))], run.linesOf(node));
}
