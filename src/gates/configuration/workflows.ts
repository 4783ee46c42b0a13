import { regexText } from '../../core/regex-text.ts';
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
import { assignmentsOf, evaluates, readsVariable } from './evaluated.ts';
import { insertionsOf } from './expressions.ts';
import { type Observation, observe } from './observation.ts';
import { type SecretVariables, secretOf, sentSecrets } from './sent-secrets.ts';
import { joinTaints, type Names, type Taint, taintOfPath, taintOfText } from './taint.ts';

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
    if (triggers.has('issue_comment') && asksWhoWrites(root)) triggers.delete('issue_comment');
    new Reader(outputs, found, triggers).root(root);
    found.push(...settings(root, triggers));
    return found;
  });
}

/** Triggers that run with secrets for what others propose. */
const PRIVILEGED = ['pull_request_target', 'workflow_run', 'issue_comment'];
const SCRIPT_INPUTS =
  /(?:^|[-_])(?:script|run|cmd|commands?|exec|eval)$|^(?:inlinescript|script_stop)$/i;
/** Arguments of a container whose program is a shell. */
const SHELL_ARGUMENTS = /(?:^|\s)-\w*c\s/;
/** Variables that the runner sets from what others choose. */
const RUNNER_NAMES: Names = new Map([['env.github_head_ref', 'branch']]);
/** What a script asks for the head of a pull request. */
const ASKS_HEAD =
  /\bheadRef(?:Oid|Name)\b|\bhead\.(?:sha|ref)\b[^\n]*GITHUB_EVENT_PATH|GITHUB_EVENT_PATH[^\n]*\bhead\.(?:sha|ref)\b/;

/** Whether a workflow for comments looks at its author, as those do that only members start. */
function asksWhoWrites(root: Node): boolean {
  let asks = false;
  walk(root, (node) => {
    asks ||=
      node.kind === 'scalar' &&
      /author_association|collaborator|membership|permission|\bactor\b|\.login\b|team/i.test(
        node.value,
      );
  });
  return asks;
}

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
  /** Variables that steps of the job have set for later steps. */
  private exported = new Map<string, Taint>();

  constructor(outputs: Map<string, Taint>, found: Observation[], triggers: ReadonlySet<string>) {
    this.outputs = outputs;
    this.found = found;
    this.privileged = PRIVILEGED.find((name) => triggers.has(name)) ?? null;
  }

  root(node: Node): void {
    this.visit(node, { names: RUNNER_NAMES, secrets: new Map() });
  }

  private visit(node: Node, scope: Scope): void {
    if (node.kind === 'list') for (const item of node.items) this.visit(item, scope);
    if (node.kind !== 'map') return;
    const inner = this.within(node, scope);
    this.shell(valuesAt(node, 'defaults', 'run', 'shell'), inner);
    const isStep = node.entries.some(({ key }) => key === 'run' || key === 'uses');
    if (isStep) this.step(node, inner);
    for (const { key, value } of node.entries) {
      if (key === 'env' || key === 'with') continue;
      if (key === 'jobs' && value.kind === 'map')
        for (const job of value.entries) this.job(job, inner);
      else this.visit(value, inner);
    }
  }

  private job({ key, value }: Entry, outer: Scope): void {
    this.exported = new Map();
    const scope = this.withMatrix(value, outer);
    this.visit(value, scope);
    const inner = this.within(value, scope);
    for (const { key: name, value: output } of entriesOf(valuesOf(value, 'outputs'))) {
      for (const one of scalarsOf([output])) {
        const taint = taintOfText(one.value, this.known(inner));
        if (taint !== null) this.outputs.set(`needs.${key}.outputs.${name}`.toLowerCase(), taint);
      }
    }
  }

  /** The scope with the values of a job's matrix. */
  private withMatrix(job: Node, scope: Scope): Scope {
    const names = new Map(scope.names);
    const add = (name: string, values: readonly Node[]) => {
      for (const { value } of scalarsOf(values)) {
        const taint = joinTaints(names.get(name) ?? null, taintOfText(value, this.known(scope)));
        if (taint !== null) names.set(name, taint);
      }
    };
    for (const matrix of valuesAt(job, 'strategy', 'matrix')) {
      add('matrix.*', [matrix]);
      const include = valuesOf(matrix, 'include');
      add('matrix.*', include);
      const lists = include.flatMap((one) => (one.kind === 'list' ? one.items : []));
      for (const { key, value } of entriesOf([matrix, ...lists])) {
        add(`matrix.${key.toLowerCase()}`, [value]);
      }
    }
    return { ...scope, names };
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
    return new Map([...this.outputs, ...this.exported, ...names]);
  }

  /** The variables of a script that others choose, and variables with values from them. */
  private carriers(script: string, scope: Scope): Map<string, Taint> {
    const found = new Map<string, Taint>();
    for (const [name, taint] of [...this.exported, ...scope.names]) {
      if (name.startsWith('env.')) found.set(name.slice('env.'.length), taint);
    }
    const known = this.known(scope);
    for (const [name, value] of assignmentsOf(script)) {
      let taint = taintOfText(value, known);
      if (ASKS_HEAD.test(value)) taint = joinTaints(taint, 'head');
      // What a command makes of a text may be clean.
      const isPlain = !value.startsWith('$(') && !value.startsWith("'");
      for (const [other, its] of found) {
        if (isPlain && readsVariable(value, other)) taint = joinTaints(taint, its);
      }
      if (taint !== null) found.set(name.toLowerCase(), taint);
    }
    return found;
  }

  private step(step: MapNode, scope: Scope): void {
    // An alias names the same step again.
    if (this.seen.has(step)) return;
    this.seen.add(step);
    const scripts = valuesOf(step, 'run');
    const inputs = entriesOf(valuesOf(step, 'with'));
    const isUsed = valuesOf(step, 'uses').length > 0;
    for (const { key, value } of inputs) {
      const isArgument = /^(?:args|entrypoint)$/i.test(key);
      const isShell =
        isArgument && scalarsOf([value]).some((one) => SHELL_ARGUMENTS.test(one.value));
      if (isUsed && (isShell || SCRIPT_INPUTS.test(key))) scripts.push(value);
    }
    for (const script of scalarsOf(scripts)) this.script(script, scope);
    for (const script of scalarsOf(isUsed ? valuesAt(step, 'with', 'script') : [])) {
      this.program(script, scope);
    }
    this.shell(valuesOf(step, 'shell'), scope);
    this.outputsOf(step, scope);
    if (this.privileged !== null) this.checkout(step, scope, this.privileged);
  }

  private script(node: ScalarNode, scope: Scope): void {
    const known = this.known(scope);
    const { value } = node;
    for (const insertion of insertionsOf(value)) {
      const text = value.slice(insertion.start, insertion.end);
      let worst: Taint | null = null;
      for (const path of insertion.paths) worst = joinTaints(worst, taintOfPath(path, known));
      if (worst === 'text') this.found.push(this.at('risk-workflow-script-injection', node, text));
      if (worst === 'branch')
        this.found.push(this.at('risk-workflow-branch-injection', node, text));
    }
    for (const [variable, taint] of this.carriers(value, scope)) {
      const match = taint === 'head' ? null : evaluates(value, variable);
      if (match === null) continue;
      const kind = taint === 'text' ? 'script' : 'branch';
      this.found.push(this.at(`risk-workflow-${kind}-injection`, node, match));
    }
    for (const { text, severity } of sentSecrets(value, scope.secrets)) {
      this.found.push({ ...this.at('risk-workflow-secret-sent', node, text), severity });
    }
  }

  /** A program of github-script that runs a text of the event, or a variable with one. */
  private program(node: ScalarNode, scope: Scope): void {
    const names = new Map<string, Taint>();
    for (const [name, taint] of [...this.exported, ...scope.names]) {
      const own = regexText(name.slice('env.'.length));
      const key = String.raw`process\.env(?:\.|\[["'\x60])${own}\b`;
      if (name.startsWith('env.')) names.set(key, taint);
    }
    names.set(EVENT_TEXT, 'text');
    const { value } = node;
    for (const [source, taint] of names) {
      if (taint === 'head') continue;
      const [, copy] =
        new RegExp(`\\b(\\w+)\\s*=\\s*[^;\\n]{0,200}?${source}`, 'i').exec(value) ?? [];
      const read = copy === undefined ? source : `(?:${source}|\\b${copy}\\b)`;
      const match = new RegExp(`${RUNS_TEXT}[^;\\n]{0,300}?${read}`, 'i').exec(value);
      const kind = taint === 'text' ? 'script' : 'branch';
      if (match !== null)
        this.found.push(this.at(`risk-workflow-${kind}-injection`, node, match[0]));
    }
    const match = CHECKS_OUT_IN_PROGRAM.exec(value);
    if (match !== null && this.privileged !== null) {
      const id = 'risk-workflow-untrusted-checkout';
      this.found.push(this.at(id, node, match[0], `${this.privileged} ${match[0]}`));
    }
  }

  /** `shell: bash -c "${{ ... }}" {0}`. */
  private shell(shells: readonly Node[], scope: Scope): void {
    for (const node of scalarsOf(shells)) {
      const taint = taintOfText(node.value, this.known(scope));
      if (taint === 'text' || taint === 'branch') {
        this.found.push(this.at('risk-workflow-script-injection', node, node.value));
      }
    }
  }

  /** What a step writes to its outputs, and to variables of later steps, from data of others. */
  private outputsOf(step: MapNode, scope: Scope): void {
    if (valuesOf(step, 'id').length === 0) {
      for (const run of scalarsOf(valuesOf(step, 'run'))) this.written(run.value, null, scope);
    }
    for (const id of scalarsOf(valuesOf(step, 'id'))) {
      for (const run of scalarsOf(valuesOf(step, 'run'))) {
        this.written(run.value, id.value, scope);
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

  private written(script: string, id: string | null, scope: Scope): void {
    if (!/GITHUB_(?:OUTPUT|ENV)|::set-(?:output|env)/.test(script)) return;
    const known = this.known(scope);
    const carriers = this.carriers(script, scope);
    let open: string | undefined;
    for (const line of script.split('\n')) {
      const [, name, sign] = /(?:^|[\s"'{])([\w-]+)(=|<<)/.exec(line) ?? [];
      const [, old] = /::set-(?:output|env)\s+name=([\w-]+)::/.exec(line) ?? [];
      if (sign === '<<') open = name;
      const output = old ?? (sign === '=' ? name : open);
      if (output === undefined) continue;
      let taint = taintOfText(line, known);
      for (const [variable, other] of carriers) {
        if (readsVariable(line, variable)) taint = joinTaints(taint, other);
      }
      if (taint === null) continue;
      if (/GITHUB_OUTPUT|::set-output/.test(script) && id !== null) {
        this.outputs.set(`steps.${id}.outputs.${output}`.toLowerCase(), taint);
      }
      if (/GITHUB_ENV|::set-env/.test(script)) {
        this.exported.set(`env.${output.toLowerCase()}`, taint);
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
      const isPull = /(?:^|\/)pull\/|'pull'/.test(value.value);
      if (isHead || isPull) this.found.push(observe(id, value, `${trigger} ${value.value}`));
    }
    for (const run of scalarsOf(valuesOf(step, 'run'))) {
      const carriers = this.carriers(run.value, scope);
      for (const line of run.value.replace(/\\\r?\n/g, ' ').split('\n')) {
        if (/^\s*#/.test(line)) continue;
        const isHead = () =>
          ASKS_HEAD.test(line) ||
          taintOfText(line, known) !== null ||
          [...carriers.keys()].some((name) => readsVariable(line, name));
        // `"git" checkout` is what `git checkout` is.
        const bare = line.replace(/["'\\]/g, '');
        if (BRINGS_PULL.test(bare) || (BRINGS_CODE.test(bare) && isHead())) {
          this.found.push(this.at(id, run, line.trim(), `${trigger} ${line.trim()}`));
        }
      }
    }
  }

  private at(id: string, node: ScalarNode, text: string, match = text): Observation {
    return { ...observe(id, node, match), within: text };
  }
}

/** Commands that bring the code of a pull request, whatever their other words are. */
const BRINGS_PULL =
  /\bgh\s+pr\s+checkout\b|\bgh\s+pr\s+diff\b[^;&]*\|\s*(?:git\s+(?:apply|am)|patch)\b|\bgit\s[^|;&]*\bpull\/[^|;&]*|\bgit\s+config\s[^;&]*refs\/pull\//;
/** Commands that bring the code that a word of them names. */
const BRINGS_CODE =
  /\bgit\s+(?:-\S+\s+\S+\s+)*(?:checkout|switch|reset|restore|merge|rebase|fetch|pull|clone|worktree|cherry-pick|read-tree|archive|apply|am)\b|\bgh\s+repo\s+clone\b|\bsvn\s+(?:co|checkout|export)\b|\b(?:curl|wget|gh\s+api)\b[^;&]*(?:\/(?:archive|tarball|zipball)\/|\|\s*(?:tar|bsdtar|unzip|git\s+(?:apply|am)|patch|(?:ba)?sh)\b)/;

/** Texts of the event as programs of github-script read them. */
const EVENT_TEXT = String.raw`\bcontext\.payload\.(?:issue|pull_request|comment|review|discussion|head_commit|commits)\b[\w.?[\]]{0,40}\.(?:title|body|message|ref|label|name|email)\b`;
/** Calls that run a text; `regex.exec(text)` does not. */
const RUNS_TEXT = String.raw`(?:(?<![\w.])(?:eval|Function|exec|execSync)\(|\bnew\s+Function\(|child_process["']\)\.(?:exec|execSync)\(|\.execSync\(|\bexec\.(?:exec|getExecOutput)\([^;\n]{0,60}?\b(?:ba|z|da)?sh\b[^;\n]{0,20}?-\w*c\b)`;
const CHECKS_OUT_IN_PROGRAM =
  /\bgit\b["'\x60,\s[]{1,8}(?:checkout|switch|reset|merge|fetch|pull|clone)\b[^;\n]{0,200}?\bpull_request\.head\.(?:sha|ref|repo)|\bgit\b["'\x60,\s[]{1,8}(?:fetch|pull)\b[^;\n]{0,100}?\bpull\//;

/** Actions whose outputs are the branch of a pull request. */
const BRANCH_ACTION =
  /^(?:xt0rted\/pull-request-comment-branch|tj-actions\/branch-names|alessbell\/pull-request-comment-branch|eficode\/resolve-pr-refs)@/i;

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
