import { type Entry, entriesOf, itemsOf, type Node, valuesOf } from '../document.ts';

/** Blocks of Terraform that are items of a list of another name in a manifest. */
const LISTS = new Map([
  ['container', 'containers'],
  ['init_container', 'initContainers'],
  ['volume', 'volumes'],
  ['volume_mount', 'volumeMounts'],
  ['port', 'ports'],
  ['toleration', 'tolerations'],
  ['rule', 'rules'],
  ['subject', 'subjects'],
]);

/** Their keys are names that the user gives. */
const OF_USER = /^(?:labels|annotations|match_labels|data|binary_data|node_selector)$/;

/**
 * Manifests of the objects that a document of Terraform declares for the provider `kubernetes`: a
 * `kubernetes_deployment` says in snake case what a Deployment says.
 */
export function manifestsOf(root: Node): Node[] {
  const types = itemsOf(valuesOf(root, 'resource')).flatMap((value) => entriesOf([value]));
  return types.flatMap(({ key, value }) => {
    const [, name] = /^kubernetes_(\w+?)(?:_v\d\w*)?$/.exec(key) ?? [];
    if (name === undefined) return [];
    return entriesOf(itemsOf([value])).flatMap((entry) => {
      if (name === 'manifest') return valuesOf(entry.value, 'manifest');
      return [manifestOf(kindOf(name), entry)];
    });
  });
}

function kindOf(name: string): string {
  const kind = camel(`_${name}`);
  return kind === 'Daemonset' ? 'DaemonSet' : kind;
}

function manifestOf(kind: string, { keyStart, keyEnd, value }: Entry): Node {
  const said = (key: string, text: string): Entry => {
    const scalar: Node = { kind: 'scalar', start: keyStart, end: keyEnd, value: text };
    return { key, keyStart, keyEnd, value: scalar };
  };
  const { start, end } = value;
  const entries = entriesOf([inWordsOfManifest(value)]);
  return {
    kind: 'map',
    start,
    end,
    entries: [said('kind', kind), said('apiVersion', ''), ...entries],
  };
}

function inWordsOfManifest(node: Node): Node {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'list') return { ...node, items: node.items.map(inWordsOfManifest) };
  const entries = node.entries.map((entry) => {
    const value = OF_USER.test(entry.key) ? entry.value : inWordsOfManifest(entry.value);
    return { ...entry, key: LISTS.get(entry.key) ?? camel(entry.key), value };
  });
  return { ...node, entries };
}

/** Words that a manifest writes in capitals, as in `hostIPC`. */
const CAPITALS = /_(?:ip|ipc|pid|urls?)(?=_|$)/g;

function camel(name: string): string {
  const capitals = name.replace(CAPITALS, (word) =>
    word.slice(1).toUpperCase().replace('URLS', 'URLs'),
  );
  return capitals.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
