import { once } from '../../../core/once.ts';
import { type Entry, entriesOf, itemsOf, type Node, valuesOf } from '../document.ts';
import { statementsOf } from './policy-statements.ts';
import { isEmpty, placedAt, type Resolve, type Resource, resourceOf } from './resource.ts';

/** Blocks with two labels, with one, and without, by their type. */
const TWO_LABELS = new Map([
  ['resource', ''],
  ['data', 'data.'],
]);
const ONE_LABEL = /^(?:provider|module|variable|output)$/;

/** Resources, data sources and other blocks of a document of Terraform. */
export function terraform(root: Node): Resource[] {
  return entriesOf([root]).flatMap((block): Resource[] => {
    const prefix = TWO_LABELS.get(block.key);
    if (prefix !== undefined) {
      return labelled(block.value).flatMap(({ key, value }) => {
        return labelled(value).flatMap((entry) => {
          const type = `${prefix}${key}`;
          const own = resourceOf({ type, address: `${type}.${entry.key}`, entry });
          return [own, ...statementsOf(own)];
        });
      });
    }
    if (ONE_LABEL.test(block.key)) {
      return labelled(block.value).map((entry) => {
        const type = block.key === 'provider' ? `provider.${entry.key}` : block.key;
        return resourceOf({ type, address: `${block.key}.${entry.key}`, entry });
      });
    }
    const own = resourceOf({ type: block.key, address: block.key, entry: block });
    return block.key === 'terraform' ? [own, ...partsOfSettings(block)] : [own];
  });
}

/** Where the state is kept, and the providers with their versions. */
function partsOfSettings({ value }: Entry): Resource[] {
  const backends = labelled(value).flatMap((entry) => {
    if (entry.key === 'cloud') return [entry];
    return entry.key === 'backend' ? labelled(entry.value) : [];
  });
  const providers = labelled(value).flatMap(({ key, value: required }) => {
    return key === 'required_providers' ? labelled(required) : [];
  });
  return [
    ...backends.map((entry) => {
      return resourceOf({ type: 'backend', address: `backend.${entry.key}`, entry });
    }),
    ...providers.map((entry) => {
      return resourceOf({ type: 'required_provider', address: entry.key, entry });
    }),
  ];
}

/** Entries of a map of labels; the JSON form may have lists of such maps. */
function labelled(node: Node): Entry[] {
  return entriesOf(itemsOf([node]));
}

/** References that are followed from one to the next. */
const REFERENCES_MAX = 10;

/** Values of variables and locals of a module of Terraform that do not depend on who uses it. */
export function variablesOf(roots: readonly Node[]): Resolve {
  // Many documents use none.
  const values = once(() => valuesIn(roots));
  return (node) => {
    let known = node;
    let borrowed: NonNullable<Node['borrowed']> = 'value';
    for (let count = 0; count < REFERENCES_MAX; count += 1) {
      if (known.kind !== 'scalar' || known.computed !== true) break;
      const name = known.value.replace(/^\$\{\s*([\w.-]+)\s*\}$/, '$1');
      const next = values().get(name);
      if (next === undefined) break;
      if (name.startsWith('var.')) borrowed = 'default';
      known = next;
    }
    return placedAt(known, node, borrowed);
  };
}

/** By `var.` or `local.` and the name. */
function valuesIn(roots: readonly Node[]): Map<string, Node> {
  const values = new Map<string, Node>();
  for (const block of entriesOf(roots)) {
    if (block.key === 'variable') {
      for (const { key, value } of labelled(block.value)) {
        const [known] = valuesOf(value, 'default');
        // A module that gives an empty default waits for the value of its user.
        if (known !== undefined && !isEmpty(known)) values.set(`var.${key}`, known);
      }
    }
    if (block.key === 'locals') {
      for (const { key, value } of labelled(block.value)) values.set(`local.${key}`, value);
    }
  }
  return values;
}
