import { entriesOf, type Node, valuesAt, valuesOf } from '../document.ts';
import { type Resource, resourceOf } from './resource.ts';

/**
 * The `Pipeline` of CircleCI, each `Job` with its executor, and the `Step`s of jobs and commands
 * (circleci.com/docs/configuration-reference).
 */
export function circleci(root: Node): Resource[] {
  const named = ['jobs', 'executors', 'commands'].flatMap((key) => entriesOf(valuesOf(root, key)));
  if (named.length === 0 && valuesOf(root, 'orbs').length === 0) return [];
  return [
    pipelineOf(root),
    ...named.flatMap((entry) => [
      { ...resourceOf({ type: 'Job', address: entry.key, entry }), around: root },
      ...stepsIn(valuesOf(entry.value, 'steps'), entry.key, entry.value),
    ]),
  ];
}

/**
 * The `Pipeline` of Bitbucket, and each `Step` wherever it stands: in stages, in parallel ones and
 * in definitions (support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference).
 */
export function bitbucket(root: Node): Resource[] {
  const places = [...valuesOf(root, 'pipelines'), ...valuesAt(root, 'definitions', 'steps')];
  if (places.length === 0) return [];
  const found = [pipelineOf(root)];
  const open = places.map((node) => ({ node, path: '' }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    for (const [index, item] of (node.kind === 'list' ? node.items : []).entries()) {
      open.push({ node: item, path: `${path}.${index}` });
    }
    for (const entry of entriesOf([node])) {
      const address = `${path}.${entry.key}`;
      if (entry.key === 'step') {
        found.push({ ...resourceOf({ type: 'Step', address, entry }), around: root });
      } else if (entry.value.kind !== 'scalar') open.push({ node: entry.value, path: address });
    }
  }
  return found;
}

/**
 * The `Pipeline` of Drone or Woodpecker, and each `Step`, services included
 * (docs.drone.io/pipeline/docker/syntax, woodpecker-ci.org/docs/usage/workflow-syntax).
 */
export function drone(root: Node): Resource[] {
  const steps = ['steps', 'pipeline', 'services'].flatMap((key) => {
    const nodes = valuesOf(root, key);
    const items = stepsIn(nodes, key, root);
    const named = entriesOf(nodes).map((entry) => {
      const address = `${key}.${entry.key}`;
      return { ...resourceOf({ type: 'Step', address, entry }), around: root };
    });
    return [...items, ...named];
  });
  return steps.length === 0 ? [] : [pipelineOf(root), ...steps];
}

function pipelineOf(root: Node): Resource {
  const { start, end } = root;
  const headEnd = entriesOf([root])[0]?.keyEnd ?? start;
  return { type: 'Pipeline', address: 'Pipeline', node: root, around: null, start, headEnd, end };
}

/** Items of lists. */
function stepsIn(nodes: readonly Node[], path: string, around: Node): Resource[] {
  const items = nodes.flatMap((node) => (node.kind === 'list' ? node.items : []));
  return items.map((node, index) => {
    const { start, end } = node;
    const address = `${path}.${index}`;
    return { type: 'Step', address, node, around, start, headEnd: start, end };
  });
}
