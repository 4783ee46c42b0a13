import { childrenOf, type Expression, type Module, type Statement } from '../il/il.ts';
import type { Knowledge } from './knowledge.ts';

/**
 * Variables whose list or object is changed after it was made, or has another name: functions run
 * in any order, so what such a list allows is not known from where it stands.
 */
export function changedVariables(module: Module, { has }: Knowledge): ReadonlySet<number> {
  const changed = new Set<number>();
  const { exported, exportedElsewhere = [] } = module;
  const exports = new Set(exported === undefined ? [] : [exported, ...exportedElsewhere]);
  const waiting: (Statement | Expression)[] = [
    ...module.body,
    ...module.functions.flatMap(({ body }) => body ?? []),
  ];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    switch (node.form) {
      case 'declare':
        if (node.value?.form === 'load') changed.add(node.value.variable);
        break;
      case 'assign':
        note(node, exports, changed);
        break;
      case 'call': {
        const [first] = node.arguments;
        if (node.receiver?.form === 'load' && has('changes', node.name)) {
          changed.add(node.receiver.variable);
        }
        if (first?.value.form === 'load' && has('changes-first', node.name))
          changed.add(first.value.variable);
        break;
      }
      default:
    }
    waiting.push(...childrenOf(node));
  }
  return changed;
}

function note(
  { place, value }: Expression & { readonly form: 'assign' },
  exports: ReadonlySet<number>,
  changed: Set<number>,
): void {
  const isExport =
    place.form === 'member' && place.object.form === 'load' && exports.has(place.object.variable);
  if (isExport) return;
  if (value.form === 'load') changed.add(value.variable);
  if (place.form === 'load') changed.add(place.variable);
  else if ((place.form === 'member' || place.form === 'index') && place.object.form === 'load') {
    changed.add(place.object.variable);
  }
}

/**
 * Variables that a function sets which are not its own, as by `nonlocal`, and members of them as
 * `variable.member`: nobody knows when it runs. What a constructor sets is there from the start.
 */
export function placesSetByOthers({ functions }: Module): ReadonlySet<number | string> {
  const found = new Set<number | string>();
  for (const { body, variables, kind } of functions) {
    const [first, end] = variables;
    const isFirst = kind === 'constructor' || kind === 'initializer';
    const waiting: (Statement | Expression)[] = [...(body ?? [])];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.form === 'assign') {
        for (const place of [node.place, ...childrenOf(node.place)]) {
          const isOther =
            place.form === 'load' && (place.variable < first || place.variable >= end);
          if (isOther) found.add(place.variable);
        }
        const { place } = node;
        if (place.form === 'member' && place.object.form === 'load' && !isFirst) {
          found.add(`${place.object.variable}.${place.name}`);
        }
      }
      waiting.push(...childrenOf(node));
    }
  }
  return found;
}
