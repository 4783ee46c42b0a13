import { entriesOf, type Node, type ScalarNode, scalarsOf, valuesOf } from '../document.ts';
import { statementsOf } from './policy-statements.ts';
import { placedAt, type Resolve, type Resource, resourceOf } from './resource.ts';

/** Resources of a template, with the statements of policies in them. */
export function cloudformation(root: Node): Resource[] {
  return entriesOf(valuesOf(root, 'Resources')).flatMap((entry) => {
    const [type] = scalarsOf(valuesOf(entry.value, 'Type'));
    if (type === undefined) return [];
    const [properties] = valuesOf(entry.value, 'Properties');
    const empty: Node = { kind: 'map', start: type.start, end: type.end, entries: [] };
    const own = {
      ...resourceOf({ type: type.value, address: entry.key, entry }),
      node: properties ?? empty,
      around: entry.value,
    };
    return [own, ...statementsOf(own)];
  });
}

/**
 * Defaults of the parameters of a template, for `Ref`; other functions are not known, nor are
 * parameters with `NoEcho`, whose secrets the user of the template gives.
 */
export function parametersOf(roots: readonly Node[]): Resolve {
  const values = new Map<string, Node>();
  for (const { key, value } of roots.flatMap((root) => entriesOf(valuesOf(root, 'Parameters')))) {
    const [known] = valuesOf(value, 'Default');
    const isHidden = scalarsOf(valuesOf(value, 'NoEcho')).some((one) => one.value === 'true');
    if (known !== undefined && !isHidden) values.set(key, known);
  }
  return (node) => {
    if (node.kind === 'scalar' && node.computed === true) {
      const known = node.value.startsWith('!Ref ') ? values.get(node.value.slice(5)) : undefined;
      return known === undefined ? node : placedAt(known, node);
    }
    const [only, ...more] = node.kind === 'map' ? node.entries : [];
    if (only === undefined || more.length > 0 || !/^(?:Ref$|Fn::)/.test(only.key)) return node;
    const known = only.key === 'Ref' ? values.get(textOf(only.value)) : undefined;
    const { start, end } = node;
    const value = textOfFunction(only.value) || only.key;
    const unknown: ScalarNode = { kind: 'scalar', start, end, value, computed: true };
    return known === undefined ? unknown : placedAt(known, node);
  };
}

/** The text that functions such as `Fn::Base64` and `Fn::Sub` make their value of. */
function textOfFunction(node: Node): string {
  if (node.kind === 'scalar') return node.value;
  const inner = node.kind === 'list' ? node.items[0] : node.entries[0]?.value;
  return inner === undefined ? '' : textOfFunction(inner);
}

function textOf(node: Node): string {
  return node.kind === 'scalar' ? node.value : '';
}
