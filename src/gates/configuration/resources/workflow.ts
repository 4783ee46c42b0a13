import { type Entry, entriesOf, itemsOf, type MapNode, type Node, valuesOf } from '../document.ts';
import { isNull, mapOf, nameOf, type Resource, resourceOf } from './resource.ts';

/**
 * The `Workflow`, each `Job` and each `Step` of a workflow of GitHub, Gitea or Forgejo; the
 * `Action` and its steps. Of a part of a file, the jobs and steps that stand in it.
 */
export function workflow(root: Node): Resource[] {
  if (root.kind === 'list') return stepsOf(root, '', null);
  if (root.kind !== 'map') return [];
  const has = (key: string) => valuesOf(root, key).length > 0;
  if (has('runs')) {
    const steps = valuesOf(root, 'runs').flatMap((runs) => valuesOf(runs, 'steps'));
    return [whole('Action', root), ...steps.flatMap((list) => stepsOf(list, 'runs.', root))];
  }
  if (has('jobs')) {
    const own: MapNode = { ...root, entries: [...withoutTriggers(root), triggersOf(root)] };
    const jobs = entriesOf(valuesOf(root, 'jobs'));
    return [whole('Workflow', own), ...jobs.flatMap((entry) => jobOf(entry, own))];
  }
  if (has('steps') || has('runs-on')) {
    const entry = { key: '', keyStart: root.start, keyEnd: root.start, value: root };
    return jobOf(entry, null);
  }
  if (has('run') || has('uses')) return stepsOf({ ...root, kind: 'list', items: [root] }, '', null);
  const jobs = root.entries.filter(({ value }) => valuesOf(value, 'steps').length > 0);
  return jobs.flatMap((entry) => jobOf(entry, null));
}

function whole(type: string, node: MapNode): Resource {
  const { start, end } = node;
  const headEnd = node.entries[0]?.keyEnd ?? start;
  return { type, address: type, node, around: null, start, headEnd, end };
}

/** A job; `grants` has the permissions that count for it. */
function jobOf(entry: Entry, root: MapNode | null): Resource[] {
  const { value } = entry;
  if (value.kind !== 'map') return [];
  const inherited = root === null ? [] : root.entries.filter(({ key }) => key === 'permissions');
  const own = value.entries.filter(({ key }) => key === 'permissions');
  const grants = (own.length > 0 ? own : inherited).map((one) => ({ ...one, key: 'grants' }));
  const node: MapNode = { ...value, entries: [...value.entries, ...grants] };
  const job = {
    ...resourceOf({ type: 'Job', address: `jobs.${entry.key}`, entry }),
    node,
    around: root,
  };
  const outer = root?.entries.filter(({ key }) => key === 'on') ?? [];
  const self = root === null ? [] : [{ ...entry, key: 'workflow', value: root }];
  const around: MapNode = { ...node, entries: [...node.entries, ...outer, ...self] };
  const steps = valuesOf(value, 'steps');
  return [job, ...steps.flatMap((list) => stepsOf(list, `${job.address}.`, around))];
}

function stepsOf(list: Node, prefix: string, around: Node | null): Resource[] {
  return itemsOf([list]).flatMap((node, index) => {
    if (node.kind !== 'map' || !node.entries.some(({ key }) => /^(?:run|uses)$/.test(key))) {
      return [];
    }
    // A step that uses another version of its action is the same step.
    const name = nameOf(node, 'id', 'name') ?? nameOf(node, 'uses')?.replace(/@.*/, '') ?? index;
    const { start, end } = node;
    const headEnd = node.entries[0]?.value.end ?? end;
    return [
      { type: 'Step', address: `${prefix}steps[${name}]`, node, around, start, headEnd, end },
    ];
  });
}

function withoutTriggers(root: MapNode): Entry[] {
  return root.entries.filter(({ key }) => !isTriggerKey(key));
}

/** YAML 1.1 reads `on` as a truth value. */
function isTriggerKey(key: string): boolean {
  return /^(?:on|true)$/i.test(key);
}

/** `on` as a map of triggers, in whatever form it is written. */
function triggersOf(root: MapNode): Entry {
  const own = root.entries.filter(({ key }) => isTriggerKey(key));
  const entries = itemsOf(own.map(({ value }) => value)).flatMap((node): Entry[] => {
    const { start, end } = node;
    if (node.kind === 'scalar') {
      return [{ key: node.value, keyStart: start, keyEnd: end, value: mapOf(node, []) }];
    }
    return entriesOf([node]).map((entry) => {
      const isEmpty = entry.value.kind === 'scalar' && isNull(entry.value);
      return isEmpty ? { ...entry, value: mapOf(entry.value, []) } : entry;
    });
  });
  const [first = { key: 'on', keyStart: root.start, keyEnd: root.start, value: root }] = own;
  return { ...first, key: 'on', value: mapOf(first.value, entries) };
}
