import { child, list, type SyntaxNode, text } from './node.ts';
import type { Run } from './run.ts';
import { safetyOf } from './scope.ts';
import { constant, UNKNOWN, type Value } from './value.ts';

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
