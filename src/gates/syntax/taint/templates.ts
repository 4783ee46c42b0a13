import { calleeFrom, siteOf } from './callee.ts';
import { child, field, list, memberPath, type SyntaxNode, text } from './node.ts';
import type { Run } from './run.ts';
import { safetyOf } from './scope.ts';
import { build, constant, RESULT, UNKNOWN, type Value } from './value.ts';

/** A text with values in it. */
export function template(run: Run, node: SyntaxNode): Value {
  const parts: Value[] = [];
  const values = list(node, 'expressions').map((item) => run.evaluate(item));
  for (const [index, quasi] of list(node, 'quasis').entries()) {
    const cooked = field(quasi, 'cooked');
    parts.push(constant(typeof cooked === 'string' ? cooked : text(quasi, 'raw')));
    const value = values[index];
    if (value !== undefined) parts.push(value);
  }
  return build(parts, run.linesOf(node));
}

/** A tag makes of the template what it wants; `String.raw` leaves it a text. */
export function tagged(run: Run, node: SyntaxNode): Value {
  const tag = child(node, 'tag');
  const text = template(run, child(node, 'template') ?? node);
  const value = run.evaluate(tag);
  const { scope } = run;
  run.observer.onTag(
    siteOf(
      calleeFrom(run, tag, value),
      false,
      [text, { ...UNKNOWN, properties: value.properties }],
      () => '',
      (use, source) => safetyOf(scope, use, source),
    ),
    node,
  );
  return memberPath(tag) === 'String.raw' ? text : RESULT;
}

/** The attributes of an element, one by one: `<a href={x}>`. */
export function attributes(run: Run, node: SyntaxNode): Value {
  const { scope } = run;
  const element = text(child(node, 'name'), 'value');
  for (const attribute of list(node, 'attributes')) {
    if (attribute?.type !== 'JSXAttribute') {
      run.evaluate(child(attribute, 'arguments'));
      continue;
    }
    const given = child(attribute, 'value');
    const isLiteral = given?.type === 'StringLiteral';
    const value = isLiteral
      ? constant(text(given, 'value'))
      : run.evaluate(child(given, 'expression') ?? given);
    run.observer.onProperty(
      {
        name: text(child(attribute, 'name'), 'value'),
        value,
        isLiteral,
        element,
        safetyOf: (use, source) => safetyOf(scope, use, source),
      },
      attribute,
    );
  }
  return UNKNOWN;
}
