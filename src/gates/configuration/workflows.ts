import {
  type Entry,
  entriesOf,
  type MapNode,
  type Node,
  type ScalarNode,
  scalarsOf,
  valuesAt,
  valuesOf,
  walk,
} from './document.ts';
import { insertionsOf } from './expressions.ts';
import { type Observation, observe } from './observation.ts';
import { type SecretVariables, secretOf, sentSecrets } from './sent-secrets.ts';
import { type Names, type Taint, taintOfPath, taintOfText, worseOf } from './taint.ts';

/**
 * Checks of workflows and actions of GitHub, Gitea and Forgejo. `isPart`: the roots are what hunks
 * show of a file, of which nobody knows the triggers.
 */
export function inspectWorkflow(roots: readonly Node[], isPart: boolean): Observation[] {
  const outputs = new Map<string, Taint>();
  // Jobs may use the outputs of jobs that stand below them.
  for (const root of roots) new Reader(outputs, [], new Set()).root(root);
  return roots.flatMap((root) => {
    const found: Observation[] = [];
    const triggers = isPart ? new Set<string>() : triggersOf(root);
    new Reader(outputs, found, triggers).root(root);
    found.push(...settings(root, triggers));
    return found;
  });
}

/** Triggers that run with secrets for what others propose. */
const PRIVILEGED = ['pull_request_target', 'workflow_run'];
const SCRIPT_INPUTS =
  /^(?:script|inlinescript|inline-script|run|cmd|command|commands|exec|script_stop|eval)$/i;

function triggersOf(root: Node): Set<string> {
  const triggers = new Set<string>();
  for (const node of [...valuesOf(root, 'on', true), ...valuesOf(root, 'true')]) {
    for (const { value } of scalarsOf([node])) triggers.add(value.trim());
    for (const { key } of entriesOf(node.kind === 'list' ? node.items : [node])) triggers.add(key);
  }
  return triggers;
}

/** What holds where a map stands. */
interface Scope {
  names: Names;
  secrets: SecretVariables;
}

class Reader {
  private readonly outputs: Map<string, Taint>;
  private readonly found: Observation[];
  private readonly privileged: string | null;
  private readonly seen = new Set<Node>();

  constructor(outputs: Map<string, Taint>, found: Observation[], triggers: ReadonlySet<string>) {
    this.outputs = outputs;
    this.found = found;
    this.privileged = PRIVILEGED.find((name) => triggers.has(name)) ?? null;
  }

  root(node: Node): void {
    this.visit(node, { names: new Map(), secrets: new Map() });
  }

  private visit(node: Node, scope: Scope): void {
    if (node.kind === 'list') for (const item of node.items) this.visit(item, scope);
    if (node.kind !== 'map') return;
    const inner = this.within(node, scope);
    const isStep = node.entries.some(({ key }) => key === 'run' || key === 'uses');
    if (isStep) this.step(node, inner);
    for (const { key, value } of node.entries) {
      if (key === 'env' || key === 'with') continue;
      if (key === 'jobs' && value.kind === 'map')
        for (const job of value.entries) this.job(job, inner);
      else this.visit(value, inner);
    }
  }

  private job({ key, value }: Entry, scope: Scope): void {
    this.visit(value, scope);
    const inner = this.within(value, scope);
    for (const { key: name, value: output } of entriesOf(valuesOf(value, 'outputs'))) {
      for (const one of scalarsOf([output])) {
        const taint = taintOfText(one.value, this.known(inner));
        if (taint !== null) this.outputs.set(`needs.${key}.outputs.${name}`.toLowerCase(), taint);
      }
    }
  }

  /** The scope with the `env` of a map. */
  private within(node: Node, scope: Scope): Scope {
    const env = entriesOf(valuesOf(node, 'env'));
    if (env.length === 0) return scope;
    const names = new Map(scope.names);
    const secrets = new Map(scope.secrets);
    for (const { key, value } of env) {
      if (value.kind !== 'scalar') continue;
      const taint = taintOfText(value.value, this.known(scope));
      const name = `env.${key.toLowerCase()}`;
      if (taint === null) names.delete(name);
      else names.set(name, taint);
      const held = insertionsOf(value.value).flatMap(({ paths }) =>
        paths.flatMap((path) => secretOf(path.names, path.isWhole)),
      );
      if (held.length > 0) secrets.set(key, held);
    }
    return { names, secrets };
  }

  private known({ names }: Scope): Names {
    return new Map([...this.outputs, ...names]);
  }

  private step(step: MapNode, scope: Scope): void {
    // An alias names the same step again.
    if (this.seen.has(step)) return;
    this.seen.add(step);
    const scripts = valuesOf(step, 'run');
    const inputs = entriesOf(valuesOf(step, 'with'));
    const isUsed = valuesOf(step, 'uses').length > 0;
    for (const { key, value } of inputs) if (isUsed && SCRIPT_INPUTS.test(key)) scripts.push(value);
    for (const script of scalarsOf(scripts)) this.script(script, scope);
    this.shell(step, scope);
    this.outputsOf(step, scope);
    if (this.privileged !== null) this.checkout(step, scope, this.privileged);
  }

  private script(node: ScalarNode, scope: Scope): void {
    const known = this.known(scope);
    const { value } = node;
    for (const insertion of insertionsOf(value)) {
      const text = value.slice(insertion.start, insertion.end);
      let worst: Taint | null = null;
      for (const path of insertion.paths) worst = worseOf(worst, taintOfPath(path, known));
      if (worst === 'text') this.found.push(this.at('risk-workflow-script-injection', node, text));
      if (worst === 'branch')
        this.found.push(this.at('risk-workflow-branch-injection', node, text));
    }
    for (const [name, taint] of scope.names) {
      const variable = name.slice('env.'.length);
      const match = taint === 'head' ? null : evaluates(value, variable);
      if (match === null) continue;
      const kind = taint === 'text' ? 'script' : 'branch';
      this.found.push(this.at(`risk-workflow-${kind}-injection`, node, match));
    }
    for (const { text, severity } of sentSecrets(value, scope.secrets)) {
      this.found.push({ ...this.at('risk-workflow-secret-sent', node, text), severity });
    }
  }

  /** `shell: bash -c "${{ ... }}" {0}`. */
  private shell(step: MapNode, scope: Scope): void {
    for (const node of scalarsOf(valuesOf(step, 'shell'))) {
      const taint = taintOfText(node.value, this.known(scope));
      if (taint === 'text' || taint === 'branch') {
        this.found.push(this.at('risk-workflow-script-injection', node, node.value));
      }
    }
  }

  /** What a step writes to its outputs from data of others. */
  private outputsOf(step: MapNode, scope: Scope): void {
    const known = this.known(scope);
    for (const id of scalarsOf(valuesOf(step, 'id'))) {
      for (const run of scalarsOf(valuesOf(step, 'run'))) {
        for (const line of run.value.split('\n')) {
          const [, name] = /(?:^|[\s"'{])([\w-]+)(?:=|<<)/.exec(line) ?? [];
          const [, old] = /::set-output\s+name=([\w-]+)::/.exec(line) ?? [];
          const output = old ?? name;
          if (output === undefined) continue;
          let taint = taintOfText(line, known);
          for (const [variable, other] of scope.names) {
            const word = variable.slice('env.'.length);
            if (new RegExp(`\\$\\{?${word}\\b`, 'i').test(line)) taint = worseOf(taint, other);
          }
          const key = `steps.${id.value}.outputs.${output}`.toLowerCase();
          if (taint !== null && run.value.includes('GITHUB_OUTPUT')) this.outputs.set(key, taint);
          else if (taint !== null && old !== undefined) this.outputs.set(key, taint);
        }
      }
      for (const uses of scalarsOf(valuesOf(step, 'uses'))) {
        if (!BRANCH_ACTION.test(uses.value)) continue;
        for (const output of [
          'head_ref',
          'head-ref',
          'ref',
          'branch',
          'current_branch',
          'head_ref_branch',
        ]) {
          this.outputs.set(`steps.${id.value}.outputs.${output}`.toLowerCase(), 'branch');
        }
        for (const output of ['head_sha', 'sha']) {
          this.outputs.set(`steps.${id.value}.outputs.${output}`.toLowerCase(), 'head');
        }
      }
    }
  }

  /** A step that brings the code of a pull request onto a runner with secrets. */
  private checkout(step: MapNode, scope: Scope, trigger: string): void {
    const known = this.known(scope);
    const id = 'risk-workflow-untrusted-checkout';
    const isCheckout = scalarsOf(valuesOf(step, 'uses')).some(({ value }) =>
      /checkout/i.test(value),
    );
    for (const { key, value } of entriesOf(valuesOf(step, 'with'))) {
      if (!isCheckout || value.kind !== 'scalar' || !/^(?:ref|repository)$/i.test(key)) continue;
      const isHead = taintOfText(value.value, known) !== null;
      const isPull = /(?:^|\/)pull\//.test(value.value);
      if (isHead || isPull) this.found.push(observe(id, value, `${trigger} ${value.value}`));
    }
    for (const run of scalarsOf(valuesOf(step, 'run'))) {
      for (const line of run.value.replace(/\\\r?\n/g, ' ').split('\n')) {
        if (/^\s*#/.test(line)) continue;
        const isPull =
          /\bgh\s+pr\s+checkout\b|\bgit\s+(?:[^|;&]*\s)?(?:fetch|pull)\b[^|;&]*\bpull\//.test(line);
        const isGit =
          /\bgit\s+(?:-\S+\s+\S+\s+)*(?:checkout|switch|reset|merge|fetch|pull|clone|worktree|cherry-pick)\b/.test(
            line,
          );
        const reads = [...scope.names].some(([name]) => {
          return new RegExp(`\\$\\{?${name.slice('env.'.length)}\\b`, 'i').test(line);
        });
        if (isPull || (isGit && (reads || taintOfText(line, known) !== null))) {
          this.found.push(this.at(id, run, line.trim(), `${trigger} ${line.trim()}`));
        }
      }
    }
  }

  private at(id: string, node: ScalarNode, text: string, match = text): Observation {
    return { ...observe(id, node, match), within: text };
  }
}

/** Actions whose outputs are the branch of a pull request. */
const BRANCH_ACTION =
  /^(?:xt0rted\/pull-request-comment-branch|tj-actions\/branch-names|alessbell\/pull-request-comment-branch|eficode\/resolve-pr-refs)@/i;

/** A shell or language that is given the value of a variable as code. */
export function evaluates(script: string, variable: string): string | null {
  const value = `\\$(?:\\{${variable}\\b|${variable}\\b|env:${variable}\\b)`;
  const shell = `\\b(?:eval|(?:ba|z|da|k)?sh\\s+(?:-\\w+\\s+)*-\\w*c|python[\\d.]*\\s+-c|node\\s+(?:-e|--eval)|perl\\s+-\\w*e|ruby\\s+-e|iex|Invoke-Expression|ssh\\s+\\S+)\\s[^\\n;|]{0,200}?${value}`;
  // A command given in single quotes reads the variable itself: it is data there.
  const match = new RegExp(shell, 'i').exec(script);
  if (match === null) return null;
  const isQuoted = (match[0].match(/'/g)?.length ?? 0) % 2 === 1;
  return isQuoted && !/\beval\b/.test(match[0]) ? null : match[0];
}

/** Checks of keys and values anywhere. */
function settings(root: Node, triggers: ReadonlySet<string>): Observation[] {
  const found: Observation[] = [];
  const jobs = entriesOf(valuesOf(root, 'jobs')).map(({ value }) => value);
  for (const node of [root, ...jobs].flatMap((one) => valuesOf(one, 'permissions'))) {
    if (node.kind === 'scalar' && node.value.trim() === 'write-all') {
      found.push(observe('risk-workflow-write-all', node, 'write-all'));
    }
  }
  const isForPulls = triggers.has('pull_request') || triggers.has('pull_request_target');
  for (const job of jobs) {
    for (const node of valuesOf(job, 'runs-on')) {
      const labels = scalarsOf([...(node.kind === 'map' ? valuesOf(node, 'labels') : [node])]);
      const own = labels.find(({ value }) => value === 'self-hosted');
      if (own !== undefined && isForPulls) {
        found.push(observe('risk-workflow-own-runner', own, 'self-hosted'));
      }
    }
    const isElsewhere = scalarsOf(valuesOf(job, 'uses')).some(({ value }) =>
      /^[\w-]+\/.*@/.test(value),
    );
    for (const node of scalarsOf(valuesOf(job, 'secrets'))) {
      if (isElsewhere && node.value === 'inherit') {
        found.push(
          observe(
            'risk-workflow-secrets-inherit',
            node,
            scalarsOf(valuesOf(job, 'uses'))[0]?.value ?? '',
          ),
        );
      }
    }
  }
  if (triggers.has('pull_request_target')) {
    const [on] = valuesOf(root, 'on', true);
    if (on !== undefined) {
      found.push(observe('risk-workflow-privileged-trigger', on, 'pull_request_target'));
    }
  }
  const used = [
    ...jobs,
    ...jobs.flatMap((job) => valuesOf(job, 'steps')),
    ...valuesAt(root, 'runs', 'steps'),
  ];
  for (const list of used) {
    const holders = list.kind === 'list' ? list.items : [list];
    for (const node of scalarsOf(holders.flatMap((one) => valuesOf(one, 'uses')))) {
      const id = pinOf(node.value.trim());
      if (id !== null) found.push(observe(id, node, node.value.trim()));
    }
  }
  walk(root, (node) => {
    if (node.kind !== 'scalar' || !/secrets/i.test(node.value)) return;
    for (const { paths, start, end } of insertionsOf(node.value)) {
      const isAll = paths.some(({ names, isWhole }) => secretOf(names, isWhole).includes('*'));
      const text = node.value.slice(start, end);
      if (isAll) found.push({ ...observe('risk-workflow-all-secrets', node, text), within: text });
    }
  });
  return found;
}

function pinOf(uses: string): string | null {
  if (!/^[\w.-]+\/[\w./-]+@\S+$/.test(uses)) return null;
  const version = uses.slice(uses.indexOf('@') + 1);
  if (/^(?:main|master|develop|dev|trunk|latest|HEAD|next)$/.test(version)) {
    return /^(?:actions|github)\//.test(uses) ? null : 'risk-action-branch';
  }
  if (!/^v?\d[\w.-]{0,20}$/.test(version)) return null;
  return /^(?:actions|github|docker)\//.test(uses) ? null : 'risk-action-mutable-tag';
}
