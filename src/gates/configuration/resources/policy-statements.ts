import {
  type Entry,
  entriesOf,
  itemsOf,
  type MapNode,
  type Node,
  scalarsOf,
  valuesAt,
  valuesOf,
} from '../document.ts';
import { readJson } from '../json.ts';
import type { Resource } from './resource.ts';

/** Names of the parts of a statement in blocks of `aws_iam_policy_document`. */
const STATEMENT_KEYS = new Map([
  ['effect', 'Effect'],
  ['actions', 'Action'],
  ['not_actions', 'NotAction'],
  ['resources', 'Resource'],
  ['not_resources', 'NotResource'],
  ['condition', 'Condition'],
]);

/** The statements of policies of IAM within a resource, in the words of the policy language. */
export function statementsOf(own: Resource): Resource[] {
  const found: Resource[] = [];
  const sids = new Set(['']);
  const add = (statement: MapNode) => {
    const type = 'PolicyStatement';
    const entries = statement.entries.map(withPrincipalOfAws);
    const node = withoutIdleConditions({ ...statement, entries });
    // A statement that is put before another one must not take its place.
    const [sid] = scalarsOf([...valuesOf(node, 'Sid'), ...valuesOf(node, 'sid')]);
    const name = sid?.value ?? '';
    const address = `${own.address}.statement[${sids.has(name) ? `#${found.length}` : name}]`;
    sids.add(name);
    const { start, end } = node;
    found.push({ type, address, node, around: own.node, start, headEnd: start, end });
  };
  const visit = (node: Node): void => {
    if (node.kind === 'list') node.items.forEach(visit);
    // A policy may be a text in quotes.
    if (node.kind === 'scalar' && /^\s*\{[\s\S]*"Effect"/.test(node.value)) {
      for (const root of readJson(node.value).roots) visit(placed(root, node));
    }
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

/** A node of a text whose escapes are undone stands where the text does. */
function placed(node: Node, at: Node): Node {
  const { start, end } = at;
  if (node.kind === 'scalar') return { ...node, start, end };
  if (node.kind === 'list') {
    return { ...node, start, end, items: node.items.map((item) => placed(item, at)) };
  }
  const entries = node.entries.map(({ key, value }) => {
    return { key, keyStart: start, keyEnd: end, value: placed(value, at) };
  });
  return { ...node, start, end, entries };
}

/** `"Principal": "*"` means the same as `{"AWS": "*"}`. */
function withPrincipalOfAws(entry: Entry): Entry {
  const { key, value } = entry;
  if (key !== 'Principal' || value.kind === 'map') return entry;
  const { start, end } = value;
  return { ...entry, value: { kind: 'map', start, end, entries: [{ ...entry, key: 'AWS' }] } };
}

/**
 * Conditions that also hold where their key is not in the request ask nothing of everybody
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html).
 */
const IDLE = /^ForAllValues:|IfExists$/i;

/** A statement that allows everybody, without a condition where it asks nothing. */
function withoutIdleConditions(node: MapNode): MapNode {
  const says = (value: string, ...path: string[]) =>
    scalarsOf(valuesAt(node, ...path)).some((one) => one.value === value);
  if (!says('Allow', 'Effect') || !says('*', 'Principal', 'AWS')) return node;
  const conditions = valuesOf(node, 'Condition').flatMap((value) => itemsOf([value]));
  const operators = conditions.flatMap((one) => {
    const [test] = scalarsOf(valuesOf(one, 'test'));
    return test === undefined ? entriesOf([one]).map(({ key }) => key) : [test.value];
  });
  if (operators.length === 0 || !operators.every((one) => IDLE.test(one))) return node;
  return { ...node, entries: node.entries.filter(({ key }) => key !== 'Condition') };
}

function inPolicyWords(node: MapNode): MapNode {
  const entries = node.entries.map((entry) => {
    return { ...entry, key: STATEMENT_KEYS.get(entry.key) ?? entry.key };
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
