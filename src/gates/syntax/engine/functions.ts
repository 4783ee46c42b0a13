import type { Expression } from '../il/il.ts';
import { itemsOf } from './container.ts';
import type { Call, Run } from './run.ts';
import { substituted } from './text.ts';
import { at, derive, joinAll, RESULT, type Shape, TRUSTED, textOf, UNKNOWN } from './value.ts';

/** What a function gives back by its operation in the table; null: that says another thing. */
export function operationResult(run: Run, operation: string | undefined, call: Call): Shape | null {
  const { args, options } = call;
  const [first = UNKNOWN, second = UNKNOWN, third] = args;
  switch (operation) {
    case 'same':
      return first;
    case 'called':
      return joinAll(first.closures.map((one) => run.parts.invoke(run, one, [], call)));
    case 'module': {
      const name = textOf(first);
      return name === null ? null : at(name);
    }
    case 'member': {
      const name = textOf(second);
      return name === null ? null : memberNamed(run, call, name);
    }
    case 'any-element':
      return args.length === 1 ? run.elementOf(first) : joinAll(args.map((one) => run.flat(one)));
    case 'copy':
      return copied(run, first);
    case 'map': {
      if (first.closures.length === 0) return second.objects.length > 0 ? second : derive([second]);
      const inputs = args.slice(1).map((one) => run.elementOf(one));
      return run.openList(
        [],
        joinAll(first.closures.map((one) => run.parts.invoke(run, one, inputs, call))),
      );
    }
    case 'enumerate':
      return run.openList([], run.list([TRUSTED, run.elementOf(first)]));
    case 'zip':
      return run.openList([], run.list(args.map((one) => run.elementOf(one))));
    case 'substitute':
      return third === undefined ? null : substituted(third, first, second);
    case 'start':
      // The program of a command that begins with known text is known.
      return typeof first.pieces?.[0] === 'string' ? RESULT : null;
    case 'gather':
      return run.list(args);
    case 'length': {
      const elements = run.elementsOf(first);
      const text = textOf(first);
      const { length } = elements ?? text ?? [];
      return elements === null && text === null ? null : { ...TRUSTED, constants: [length] };
    }
    case 'starts': {
      const [program] = run.elementsOf(first) ?? [first];
      const path = call.path === null ? null : `${call.path}()`;
      return { ...RESULT, path, pattern: program === undefined ? null : textOf(program) };
    }
    case 'named-table':
      return run.table(new Map(options), null);
    default:
      return null;
  }
}

/** `getattr(object, 'name')` */
function memberNamed(run: Run, { expression }: Call, name: string): Shape | null {
  if (expression.form === 'new') return null;
  const [object] = expression.arguments;
  if (object === undefined) return null;
  const { start, end } = expression;
  const member: Expression = { start, end, form: 'member', object: object.value, name };
  return run.evaluate(member);
}

/** A list of the same elements. */
function copied(run: Run, shape: Shape): Shape | null {
  const [first] = run.objectsOf(shape);
  if (first === undefined) return null;
  if (first[1].kind === 'table') return shape.origins.length > 0 ? null : TRUSTED;
  const elements = itemsOf(first[1]);
  return elements === null ? run.openList([], run.elementOf(shape)) : run.list(elements);
}

/**
 * Functions that are given to a call, with what stands behind them: `submit(work, name)`; or by the
 * names that threads and schedulers have for them.
 */
export function handedOver(call: Call): (readonly [Shape, readonly Shape[], boolean])[] {
  const { args, options } = call;
  const targets = args.map((value, index) => [value, args.slice(index + 1), false] as const);
  const target = options.get('target') ?? options.get('func') ?? options.get('fn');
  const given = options.get('args');
  return target === undefined
    ? targets
    : [...targets, [target, given === undefined ? [] : [given], true] as const];
}
