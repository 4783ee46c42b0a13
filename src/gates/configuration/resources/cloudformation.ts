import { entriesOf, type Node, type ScalarNode, scalarsOf, valuesOf } from '../document.ts';
import { statementsOf } from './policy-statements.ts';
import { placedAt, type Resolve, type Resource, resourceOf } from './resource.ts';

/** Resources of a template, with the statements of policies in them. */
export function cloudformation(root: Node): Resource[] {
  const globals = new Map(
    entriesOf(valuesOf(root, 'Globals')).map(({ key, value }) => [
      `AWS::Serverless::${key}`,
      value,
    ]),
  );
  return entriesOf(valuesOf(root, 'Resources')).flatMap((entry) => {
    const [type] = scalarsOf(valuesOf(entry.value, 'Type'));
    if (type === undefined) return [];
    const [properties] = valuesOf(entry.value, 'Properties');
    const empty: Node = { kind: 'map', start: type.start, end: type.end, entries: [] };
    const shared = globals.get(type.value);
    const node = properties ?? empty;
    const own = {
      ...resourceOf({ type: type.value, address: entry.key, entry }),
      node: shared === undefined ? node : withShared(node, shared),
      around: entry.value,
    };
    return [own, ...statementsOf(own)];
  });
}

/** Keys of one map of `Globals` that are read: SAM knows some 40. */
const SHARED_KEYS_MAX = 200;

/**
 * Properties with the properties that `Globals` of SAM gives to all resources of the type: maps are
 * joined, lists are put one behind the other, and of any other value that of the resource counts
 * (docs.aws.amazon.com/serverless-application-model, "Globals section").
 */
function withShared(own: Node, shared: Node): Node {
  if (own.kind === 'list' && shared.kind === 'list') {
    return { ...own, items: [...shared.items.slice(0, SHARED_KEYS_MAX), ...own.items] };
  }
  if (own.kind !== 'map' || shared.kind !== 'map') return own;
  const given = new Map(shared.entries.slice(0, SHARED_KEYS_MAX).map((one) => [one.key, one]));
  const entries = own.entries.map((entry) => {
    const other = given.get(entry.key);
    return other === undefined ? entry : { ...entry, value: withShared(entry.value, other.value) };
  });
  const known = new Set(own.entries.map(({ key }) => key));
  const added = [...given.values()].filter(({ key }) => !known.has(key));
  return { ...own, entries: [...entries, ...added] };
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
      return known === undefined ? node : placedAt(known, node, 'default');
    }
    const [only, ...more] = node.kind === 'map' ? node.entries : [];
    if (only === undefined || more.length > 0 || !/^(?:Ref$|Fn::)/.test(only.key)) return node;
    const known = only.key === 'Ref' ? values.get(textOf(only.value)) : undefined;
    const { start, end } = node;
    const value = textOfFunction(only.value) || only.key;
    const unknown: ScalarNode = { kind: 'scalar', start, end, value, computed: true };
    return known === undefined ? unknown : placedAt(known, node, 'default');
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
