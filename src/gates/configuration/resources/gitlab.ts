import {
  type Entry,
  entriesOf,
  type MapNode,
  type Node,
  scalarsOf,
  valuesOf,
} from '../document.ts';
import { type Resource, resourceOf } from './resource.ts';

/** Keys of a pipeline of GitLab that do not name jobs (docs.gitlab.com/ci/yaml). */
const GLOBAL = new Set([
  'after_script',
  'before_script',
  'cache',
  'default',
  'image',
  'include',
  'services',
  'spec',
  'stages',
  'variables',
  'workflow',
]);
/** Keys of a job that it may have from elsewhere. */
const INHERITED = new Set([
  'after_script',
  'allow_failure',
  'artifacts',
  'before_script',
  'cache',
  'environment',
  'except',
  'hooks',
  'id_tokens',
  'identity',
  'image',
  'interruptible',
  'only',
  'retry',
  'rules',
  'script',
  'secrets',
  'services',
  'stage',
  'tags',
  'timeout',
  'trigger',
  'when',
]);
/** GitLab takes up to eleven levels of `extends`. */
const BASES_MAX = 11;

/**
 * The `Pipeline`, and each `Job` with what it has from `extends` and from the defaults of the file;
 * templates are jobs, too. Variables of all of these stand beside each other.
 */
export function gitlab(root: Node): Resource[] {
  if (root.kind !== 'map') return [];
  const jobs = root.entries.filter(({ key, value }) => !GLOBAL.has(key) && value.kind === 'map');
  const named = new Map(jobs.map(({ key, value }) => [key, value]));
  const isPipeline = root.entries.some(({ key }) => GLOBAL.has(key));
  const { start, end, entries } = root;
  const headEnd = entries[0]?.keyEnd ?? start;
  const own = { type: 'Pipeline', address: 'Pipeline', node: root, around: null };
  const defaults = [...valuesOf(root, 'default'), root];
  return [
    ...(isPipeline ? [{ ...own, start, headEnd, end }] : []),
    ...jobs.map((entry) => {
      const job = resourceOf({ type: 'Job', address: entry.key, entry });
      const bases = basesOf(entry.value, named);
      return { ...job, node: merged(entry.value, [...bases, ...defaults]), around: root };
    }),
  ];
}

/** What a job extends, the nearest first. */
function basesOf(job: Node, named: ReadonlyMap<string, Node>): Node[] {
  const bases: Node[] = [];
  const seen = new Set([job]);
  const waiting = [job];
  while (bases.length < BASES_MAX) {
    const next = waiting.shift();
    if (next === undefined) break;
    // Of several, the last counts first.
    for (const { value } of scalarsOf(valuesOf(next, 'extends')).reverse()) {
      const base = named.get(value);
      if (base === undefined || seen.has(base)) continue;
      seen.add(base);
      bases.push(base);
      waiting.push(base);
    }
  }
  return bases;
}

function merged(job: Node, bases: readonly Node[]): MapNode {
  const entries: Entry[] = [...entriesOf([job])];
  const has = new Set(entries.map(({ key }) => key));
  for (const base of bases) {
    const own = entriesOf([base]).filter(({ key }) => {
      return key === 'variables' || (INHERITED.has(key) && !has.has(key));
    });
    for (const entry of own) {
      has.add(entry.key);
      entries.push(entry);
    }
  }
  return { kind: 'map', start: job.start, end: job.end, entries };
}
