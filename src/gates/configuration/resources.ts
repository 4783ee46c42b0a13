import type { ResourceKind } from '../../model/rules.ts';
import {
  type Entry,
  entriesOf,
  itemsOf,
  type MapNode,
  type Node,
  type ScalarNode,
  scalarsOf,
  valuesAt,
  valuesOf,
} from './document.ts';

/** A thing that a document declares, as rules name it. */
export interface Resource {
  /** `aws_s3_bucket`, `AWS::S3::Bucket`, `Deployment`, `RUN`; see docs/rules.md. */
  readonly type: string;
  /** The same in another version of the document. */
  readonly address: string;
  /** Where paths of rules begin. */
  readonly node: Node;
  /** What `^` in a path stands for: what the resource is a part of. */
  readonly around: Node | null;
  /** Where its declaration begins, and the end of the line that says so. */
  readonly start: number;
  readonly headEnd: number;
  readonly end: number;
}

/** What documents declare, and what their variables stand for. */
export interface Resources {
  readonly all: readonly Resource[];
  /** What other documents of the same module declare. */
  readonly others: readonly Resource[];
  /** Values at a path of keys, as rules write it: lists are entered, `*` is any key, `a|b` both. */
  valuesAt(from: Node, path: string): readonly Node[];
}

/** What an expression stands for; itself when nobody knows. */
type Resolve = (node: Node) => Node;

/**
 * The resources of a document; `module`: other documents of the same module of Terraform, for
 * values of variables. Documents of another kind have none.
 */
export function resourcesOf(
  kind: ResourceKind,
  roots: readonly Node[],
  module: readonly Node[] = [],
): Resources {
  const resolve = RESOLVERS[kind]?.([...roots, ...module]) ?? ((node) => node);
  return {
    all: roots.flatMap(DECLARATIONS[kind]),
    others: module.flatMap(DECLARATIONS[kind]),
    valuesAt: (from, path) => nodesAt(from, path, resolve),
  };
}

/** How an expression of each kind of document is resolved; absent: it has none. */
const RESOLVERS: Partial<Record<ResourceKind, (roots: readonly Node[]) => Resolve>> = {
  terraform: variablesOf,
  cloudformation: parametersOf,
};

const DECLARATIONS: Readonly<Record<ResourceKind, (root: Node) => Resource[]>> = {
  terraform,
  cloudformation,
  kubernetes,
  compose,
  dockerfile,
};

/** Values at the end of a path, resolved; lists on the way are entered. */
function nodesAt(from: Node, path: string, resolve: Resolve): Node[] {
  let nodes = entered([from], resolve);
  for (const [step] of path.matchAll(/\[[^\]]*\]|[^.]+/g)) {
    const key = step.replace(/^\[(.*)\]$/, '$1');
    const next = nodes.flatMap((node) => {
      // What is inside of an expression is not known either.
      if (node.kind === 'scalar') return node.computed === true ? [node] : [];
      if (key === '*') return node.kind === 'map' ? node.entries.map(({ value }) => value) : [];
      return key.split('|').flatMap((name) => valuesOf(node, name));
    });
    nodes = entered(next, resolve);
  }
  return nodes.filter((node) => node.kind !== 'scalar' || !isNull(node));
}

function entered(nodes: readonly Node[], resolve: Resolve): Node[] {
  return nodes.flatMap((node) => {
    const known = resolve(node);
    return known.kind === 'list' ? entered(known.items, resolve) : [known];
  });
}

function isNull({ value, computed }: ScalarNode): boolean {
  return computed !== true && /^(?:null|~|)$/i.test(value);
}

interface Declaration {
  readonly type: string;
  readonly address: string;
  readonly entry: Entry;
}

function resourceOf({ type, address, entry }: Declaration): Resource {
  const { keyStart, keyEnd, value } = entry;
  return {
    type,
    address,
    node: value,
    around: null,
    start: keyStart,
    headEnd: keyEnd,
    end: Math.max(keyEnd, value.end),
  };
}

/** Blocks with two labels, with one, and without, by their type. */
const TWO_LABELS: Readonly<Record<string, string>> = { resource: '', data: 'data.' };
const ONE_LABEL = /^(?:provider|module|variable|output)$/;

function terraform(root: Node): Resource[] {
  return entriesOf([root]).flatMap((block): Resource[] => {
    const prefix = TWO_LABELS[block.key];
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
    return [resourceOf({ type: block.key, address: block.key, entry: block })];
  });
}

/** Entries of a map of labels; the JSON form may have lists of such maps. */
function labelled(node: Node): Entry[] {
  return entriesOf(itemsOf([node]));
}

function cloudformation(root: Node): Resource[] {
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

/** Names of the parts of a statement in blocks of `aws_iam_policy_document`. */
const STATEMENT_KEYS: Readonly<Record<string, string>> = {
  effect: 'Effect',
  actions: 'Action',
  not_actions: 'NotAction',
  resources: 'Resource',
  not_resources: 'NotResource',
  condition: 'Condition',
};

/** The statements of policies of IAM within a resource, in the words of the policy language. */
function statementsOf(own: Resource): Resource[] {
  const found: Resource[] = [];
  const add = (statement: MapNode) => {
    const type = 'PolicyStatement';
    const node = { ...statement, entries: statement.entries.map(withPrincipalOfAws) };
    const address = `${own.address}.statement[${found.length}]`;
    const { start, end } = node;
    found.push({ type, address, node, around: own.node, start, headEnd: start, end });
  };
  const visit = (node: Node): void => {
    if (node.kind === 'list') node.items.forEach(visit);
    if (node.kind !== 'map') return;
    const has = (key: string) => node.entries.some((one) => one.key === key);
    if (has('Effect') && (has('Action') || has('NotAction'))) add(node);
    else for (const { value } of node.entries) visit(value);
  };
  if (own.type !== 'data.aws_iam_policy_document') visit(own.node);
  for (const node of valuesOf(own.node, 'statement')) {
    if (own.type === 'data.aws_iam_policy_document' && node.kind === 'map')
      add(inPolicyWords(node));
  }
  return found;
}

/** `"Principal": "*"` means the same as `{"AWS": "*"}`. */
function withPrincipalOfAws(entry: Entry): Entry {
  const { key, value } = entry;
  if (key !== 'Principal' || value.kind === 'map') return entry;
  const { start, end } = value;
  return { ...entry, value: { kind: 'map', start, end, entries: [{ ...entry, key: 'AWS' }] } };
}

function inPolicyWords(node: MapNode): MapNode {
  const entries = node.entries.map((entry) => {
    return { ...entry, key: STATEMENT_KEYS[entry.key] ?? entry.key };
  });
  for (const one of entries.filter(({ key }) => key === 'principals')) {
    const [type] = scalarsOf(valuesOf(one.value, 'type'));
    const [identifiers] = valuesOf(one.value, 'identifiers');
    if (identifiers === undefined) continue;
    const value: Node = {
      ...node,
      entries: [
        { ...one, key: type?.value === '*' ? 'AWS' : (type?.value ?? ''), value: identifiers },
      ],
    };
    entries.push({ ...one, key: 'Principal', value });
  }
  if (!entries.some(({ key }) => key === 'Effect')) {
    const { start, end } = node;
    const value: Node = { kind: 'scalar', start, end: Math.min(end, start + 1), value: 'Allow' };
    entries.push({ key: 'Effect', keyStart: start, keyEnd: start, value });
  }
  return { ...node, entries };
}

/** Where the objects of Kubernetes have the specification of their pods. */
const POD_SPECS = [
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
] as const;
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

function kubernetes(root: Node): Resource[] {
  const [kind] = scalarsOf(valuesOf(root, 'kind'));
  const hasVersion = valuesOf(root, 'apiVersion').length > 0;
  if (kind === undefined || !hasVersion) return [];
  if (kind.value.endsWith('List')) {
    const items = itemsOf(valuesOf(root, 'items'));
    if (items.length > 0) return items.flatMap(kubernetes);
  }
  const [name] = scalarsOf(valuesAt(root, 'metadata', 'name'));
  const address = `${kind.value}/${name?.value ?? ''}`;
  const part = (type: string, node: Node, at: string, around: Node | null): Resource => {
    const { start, end } = node;
    return { type, address: at, node, around, start, headEnd: start, end };
  };
  const object: Resource = {
    ...part(kind.value, root, address, null),
    start: kind.start,
    headEnd: kind.end,
  };
  const isPod = kind.value === 'Pod';
  const specs = isPod
    ? valuesOf(root, 'spec')
    : POD_SPECS.flatMap((path) => valuesAt(root, ...path));
  const parts = specs.flatMap((spec) => {
    const containers = CONTAINERS.flatMap((key) => itemsOf(valuesOf(spec, key)));
    return [
      { ...part('PodSpec', spec, address, root), start: kind.start, headEnd: kind.end },
      ...containers.map((node, index) => {
        const [own] = scalarsOf(valuesOf(node, 'name'));
        return part('Container', node, `${address}/${own?.value ?? index}`, spec);
      }),
    ];
  });
  return [object, ...parts];
}

function compose(root: Node): Resource[] {
  return entriesOf(valuesOf(root, 'services')).map((entry) => {
    return resourceOf({ type: 'service', address: entry.key, entry });
  });
}

/** The instructions, each by its name; each `Stage`; the `Image` that is made in the end; all. */
function dockerfile(root: Node): Resource[] {
  const entries = entriesOf([root]);
  const counts = new Map<string, number>();
  const instructions = entries.map((entry) => {
    const count = (counts.get(entry.key) ?? 0) + 1;
    counts.set(entry.key, count);
    return resourceOf({ type: entry.key, address: `${entry.key}#${count}`, entry });
  });
  const { start, end } = root;
  const file = {
    type: 'Dockerfile',
    address: '',
    node: root,
    around: null,
    start,
    headEnd: 1,
    end,
  };
  const starts = entries.flatMap(({ key }, index) => (key === 'FROM' ? [index] : []));
  const stages = starts.map((from, index) => entries.slice(from, starts[index + 1]));
  const last = stages.at(-1);
  return [
    ...instructions,
    ...stages.map((own, index) => stageOf('Stage', `Stage#${index + 1}`, own, own)),
    ...(last === undefined ? [] : [stageOf('Image', 'Image', last, inherited(stages))]),
    file,
  ];
}

/** The texts of instructions by their names, and `user`, the last USER. */
function stageOf(
  type: string,
  address: string,
  own: readonly Entry[],
  all: readonly Entry[],
): Resource {
  const texts = all.flatMap((entry) => {
    return valuesOf(entry.value, 'text').map((value) => ({ ...entry, value }));
  });
  const user = texts.findLast(({ key }) => key === 'USER');
  const last = user === undefined ? [] : [{ ...user, key: 'user' }];
  const { keyStart: start = 0, keyEnd: headEnd = 0 } = own[0] ?? {};
  const end = own.at(-1)?.value.end ?? headEnd;
  const node: Node = { kind: 'map', start, end, entries: [...texts, ...last] };
  return { type, address, node, around: null, start, headEnd, end };
}

/** Instructions of the last stage; before them, the instructions of stages it is built on. */
function inherited(stages: readonly (readonly Entry[])[]): Entry[] {
  const all: (readonly Entry[])[] = [];
  for (let at = stages.length - 1; at >= 0; ) {
    const own = stages[at] ?? [];
    all.unshift(own);
    const [image] = scalarsOf(own[0] === undefined ? [] : valuesOf(own[0].value, 'image'));
    at = stages.findLastIndex(([from], index) => {
      const [name] = from === undefined ? [] : scalarsOf(valuesOf(from.value, 'as'));
      return index < at && name !== undefined && name.value === image?.value;
    });
  }
  return all.flat();
}

/** References that are followed from one to the next. */
const REFERENCES_MAX = 10;

/** Values of variables and locals of a module of Terraform that do not depend on who uses it. */
function variablesOf(roots: readonly Node[]): Resolve {
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
  return (node) => {
    let known = node;
    for (let count = 0; count < REFERENCES_MAX; count += 1) {
      if (known.kind !== 'scalar' || known.computed !== true) break;
      const next = values.get(known.value.replace(/^\$\{\s*([\w.-]+)\s*\}$/, '$1'));
      if (next === undefined) break;
      known = next;
    }
    return placedAt(known, node);
  };
}

function isEmpty(node: Node): boolean {
  if (node.kind === 'scalar') return isNull(node);
  return node.kind === 'list' ? node.items.length === 0 : node.entries.length === 0;
}

/** Defaults of the parameters of a template, for `Ref`; other functions are not known. */
function parametersOf(roots: readonly Node[]): Resolve {
  const values = new Map<string, Node>();
  for (const { key, value } of roots.flatMap((root) => entriesOf(valuesOf(root, 'Parameters')))) {
    const [known] = valuesOf(value, 'Default');
    if (known !== undefined) values.set(key, known);
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

/** A value that stands elsewhere: what is wrong with it is wrong where it is used. */
function placedAt(known: Node, { start, end }: Node): Node {
  return known.start === start ? known : { ...known, start, end };
}
