import {
  type Entry,
  entriesOf,
  itemsOf,
  type MapNode,
  type Node,
  scalarsOf,
  valuesOf,
} from '../document.ts';
import { mapOf, nameOf, type Resource } from './resource.ts';

const LISTS = ['stages', 'jobs', 'steps', 'pool'] as const;
/** What makes an item of a list a step: a task, or the short form of one. */
const STEP =
  /^(?:task|script|bash|pwsh|powershell|checkout|download|downloadBuild|getPackage|publish|template|reviewApp)$/;

/**
 * The `Pipeline` of Azure, each `Job` and each `Step`, wherever stages, deployments and templates
 * have them. Scripts of steps and tasks stand in `run`.
 */
export function azurePipelines(root: Node): Resource[] {
  if (root.kind !== 'map' || !LISTS.some((key) => valuesOf(root, key).length > 0)) return [];
  const node: MapNode = { ...root, entries: root.entries.map(withVariables) };
  const { start, end } = node;
  const headEnd = node.entries[0]?.keyEnd ?? start;
  const pipeline = { type: 'Pipeline', address: 'Pipeline', node, around: null };
  const found: Resource[] = [{ ...pipeline, start, headEnd, end }];
  // A pipeline of steps is one job.
  const isJob = valuesOf(node, 'steps').length > 0;
  const around = isJob ? withPipeline(node, node) : node;
  if (isJob) {
    found.push({ type: 'Job', address: 'Job', node, around: node, start, headEnd, end });
  }
  new Reader(node, found).map(node, '', around);
  return found;
}

class Reader {
  private readonly root: MapNode;
  private readonly found: Resource[];

  constructor(root: MapNode, found: Resource[]) {
    this.root = root;
    this.found = found;
  }

  /** Looks for jobs and steps in a map; `around` is the job, or the pipeline. */
  map(node: MapNode, prefix: string, around: Node): void {
    for (const { key, value } of node.entries) {
      if (key === 'steps') this.steps(value, prefix, around);
      else if (key === 'jobs') this.jobs(value, prefix);
      else if (
        value.kind === 'map' &&
        /^(?:strategy|runOnce|rolling|canary|preDeploy|deploy|routeTraffic|postRouteTraffic|on|success|failure)$/.test(
          key,
        )
      ) {
        this.map(value, prefix, around);
      } else if (key === 'stages') {
        for (const stage of expanded(value)) {
          if (stage.kind !== 'map') continue;
          this.map(stage, `${prefix}${nameOf(stage, 'stage') ?? ''}.`, this.root);
        }
      }
    }
  }

  private jobs(list: Node, prefix: string): void {
    for (const job of expanded(list)) {
      if (job.kind !== 'map') continue;
      const address = `${prefix}${nameOf(job, 'job', 'deployment', 'template') ?? ''}`;
      const outer = this.root.entries.filter(({ key }) => {
        return key === 'pool' && valuesOf(job, 'pool').length === 0;
      });
      const node = { ...job, entries: [...job.entries.map(withVariables), ...outer] };
      const { start, end } = job;
      const headEnd = job.entries[0]?.value.end ?? start;
      this.found.push({ type: 'Job', address, node, around: this.root, start, headEnd, end });
      this.map(job, `${address}.`, withPipeline(node, this.root));
    }
  }

  private steps(list: Node, prefix: string, around: Node): void {
    for (const [index, step] of expanded(list).entries()) {
      if (step.kind !== 'map' || !step.entries.some(({ key }) => STEP.test(key))) continue;
      const name = nameOf(step, 'name', 'displayName') ?? nameOf(step, 'task') ?? index;
      const scripts = step.entries.filter(({ key }) =>
        /^(?:script|bash|pwsh|powershell)$/.test(key),
      );
      const inputs = entriesOf(valuesOf(step, 'inputs')).filter(({ key }) => {
        return /^(?:script|inline(?:script)?)$/i.test(key);
      });
      const run = [...scripts, ...inputs].map((one) => ({ ...one, key: 'run' }));
      const node = { ...step, entries: [...step.entries, ...run] };
      const { start, end } = step;
      const headEnd = step.entries[0]?.value.end ?? start;
      const address = `${prefix}steps[${name}]`;
      this.found.push({ type: 'Step', address, node, around, start, headEnd, end });
    }
  }
}

/** A job as its steps see it around them. */
function withPipeline(job: MapNode, pipeline: MapNode): MapNode {
  const { start } = job;
  const entry = { key: 'pipeline', keyStart: start, keyEnd: start, value: pipeline };
  return { ...job, entries: [...job.entries, entry] };
}

/** The items of a list, with the items of `${{ if }}` and `${{ each }}` in place of these. */
function expanded(list: Node): Node[] {
  return itemsOf([list]).flatMap((item) => {
    const [only, ...more] = item.kind === 'map' ? item.entries : [];
    const isTemplate = only !== undefined && more.length === 0 && only.key.startsWith('${{');
    return isTemplate ? expanded(only.value) : [item];
  });
}

/** `variables` as a map of values by names; groups stand in `group`. */
function withVariables(entry: Entry): Entry {
  const { key, value } = entry;
  if (key !== 'variables' || value.kind !== 'list') return entry;
  const entries = expanded(value).flatMap((item): Entry[] => {
    const groups = entriesOf([item]).filter((one) => one.key === 'group');
    const [name] = scalarsOf(valuesOf(item, 'name'));
    const [text] = valuesOf(item, 'value');
    if (name === undefined || text === undefined) return groups;
    return [{ key: name.value, keyStart: name.start, keyEnd: name.end, value: text }];
  });
  return { ...entry, value: mapOf(value, entries) };
}
