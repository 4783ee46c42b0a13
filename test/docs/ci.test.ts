import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { createRepository, ENVIRONMENT } from '../cli/fixtures/repository.ts';
import { daemonForAll, PROGRAM, temporaryDir } from '../daemon.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';

const PAGE = readFileSync('docs/how-to/ci.md', 'utf8');
const REPOSITORY = 'acme/shop';
const TOKEN = 'ci-token-that-the-daemon-does-not-ask-for';
const daemon = daemonForAll(test);

/** What a CI system runs of a recipe, and how it clones. */
interface Job {
  /** As `git clone --depth`; null: the whole history. */
  depth: number | null;
  shell: readonly string[];
  script: string;
  env: Record<string, string>;
}

interface Recipe {
  gate: Job;
  deploy: Job;
}

/** The block below a heading of the page. */
function blockOf(heading: string): string {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const [, block] = /^```\w+\n([\s\S]+?)^```$/m.exec(section) ?? [];
  if (block === undefined) throw new Error(`the page has no recipe for ${heading}`);
  return block;
}

interface Workflow {
  jobs: Record<'gate' | 'deploy', { steps: Step[] }>;
}

interface Step {
  uses?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
  run?: string;
}

/** https://docs.github.com/en/actions/writing-workflows/workflow-syntax-for-github-actions */
function readWorkflow(heading: string): Recipe {
  const { jobs } = parse(blockOf(heading)) as Workflow;
  const read = (name: 'gate' | 'deploy'): Job => {
    const { steps } = jobs[name];
    const [step, ...others] = steps.filter(({ run }) => run !== undefined);
    if (step?.run === undefined || others.length > 0) throw new Error(`${name}: one step runs`);
    const checkout = steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
    // The action clones one commit unless it is told otherwise.
    const depth = Number(checkout?.with?.['fetch-depth'] ?? 1);
    const env = Object.entries(step.env ?? {}).map(([key, value]) => [key, inContext(value)]);
    return {
      depth: depth === 0 ? null : depth,
      shell: ['bash', '-e'],
      script: step.run,
      env: Object.fromEntries(env),
    };
  };
  return { gate: read('gate'), deploy: read('deploy') };
}

/** The value of an expression such as `${{ vars.CRA_URL }}`. */
function inContext(text: string): string {
  return text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => {
    const value = contexts()[name];
    if (value === undefined) throw new Error(`no runner knows ${name}`);
    return value;
  });
}

const contexts = (): Record<string, string> => ({
  'vars.CRA_URL': `http://127.0.0.1:${daemon().port}`,
  'secrets.CRA_API_TOKEN': TOKEN,
});

type GitLabJob = { variables: Record<string, unknown>; script: string[] };

/** https://docs.gitlab.com/ci/yaml/ */
function readGitLab(): Recipe {
  const jobs = parse(blockOf('GitLab CI')) as Record<'gate' | 'deploy', GitLabJob>;
  const env = {
    CRA_URL: contexts()['vars.CRA_URL'] ?? '',
    CRA_API_TOKEN: TOKEN,
  };
  const read = ({ variables, script }: GitLabJob): Job => {
    const depth = Number(variables['GIT_DEPTH'] ?? 20);
    const text = script.join('\n');
    return {
      depth: depth === 0 ? null : depth,
      shell: ['bash', '-eo', 'pipefail'],
      script: text,
      env,
    };
  };
  return { gate: read(jobs.gate), deploy: read(jobs.deploy) };
}

/** https://www.jenkins.io/doc/pipeline/steps/workflow-durable-task-step/#sh-shell-script */
function readJenkins(): Recipe {
  const scripts = [...blockOf('Jenkins').matchAll(/sh '''\n([\s\S]+?)'''/g)];
  // Groovy joins a line that ends with a backslash to the next one, as the shell does.
  const read = (at: number, depth: number | null): Job => ({
    depth,
    shell: ['sh', '-xe'],
    script: scripts[at]?.[1] ?? '',
    env: {
      CRA_URL: contexts()['vars.CRA_URL'] ?? '',
      CRA_API_TOKEN: TOKEN,
      REPOSITORY,
    },
  });
  return { gate: read(0, 1), deploy: read(1, null) };
}

const RECIPES: [name: string, read: () => Recipe][] = [
  ['GitHub Actions', () => readWorkflow('GitHub Actions')],
  ['GitLab CI', readGitLab],
  ['Jenkins', readJenkins],
  ['Gitea Actions', () => readWorkflow('Gitea Actions')],
];

/** A repository at its host, with a branch that a pull request asks to merge. */
function origin(t: ExecutionContext, file: string) {
  const repository = createRepository(t);
  const { git, commit, path } = repository;
  commit('one', { 'README.md': 'Shop\n' });
  commit('two', { 'b.txt': `${t.title}\n` });
  const base = git('rev-parse', 'HEAD').trim();
  git('checkout', '-q', '-b', 'feature');
  commit('three', { 'c.txt': `${t.title}\n` });
  const head = commit('four', { 'server.js': file });
  return { path, base, head };
}

/** Clones as the runner does, and runs the script of a job there. */
function run(
  t: ExecutionContext,
  job: Job,
  { path, base, head }: ReturnType<typeof origin>,
  programs: Readonly<Record<string, string>> = {},
) {
  const folder = temporaryDir(t);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  const work = join(folder, 'work');
  const cra = join(folder, 'cra');
  writeFileSync(cra, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, { mode: 0o755 });
  const depth = job.depth === null ? ['--no-single-branch'] : ['--depth', String(job.depth)];
  const clone = ['clone', '--quiet', ...depth, '--branch', 'feature', `file://${path}`, work];
  execFileSync('git', clone, { env: { ...ENVIRONMENT }, stdio: 'pipe' });
  const [shell = 'sh', ...flags] = job.shell;
  const script = join(folder, 'script');
  writeFileSync(script, job.script);
  return spawnSync(shell, [...flags, script], {
    cwd: work,
    encoding: 'utf8',
    env: {
      ...ENVIRONMENT,
      PATH: `${folder}:${process.env['PATH']}`,
      ...RUNNER,
      GITHUB_SHA: head,
      GIT_COMMIT: head,
      CI_COMMIT_SHA: head,
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
      ...job.env,
    },
  });
}

/** Variables that the CI systems set. */
const RUNNER = {
  GITHUB_BASE_REF: 'main',
  GITHUB_HEAD_REF: 'feature',
  GITHUB_REPOSITORY: REPOSITORY,
  CI_PROJECT_PATH: REPOSITORY,
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
  CHANGE_TARGET: 'main',
  CHANGE_BRANCH: 'feature',
};

for (const [name, read] of RECIPES) {
  test.serial(`the recipe for ${name} lets a good change be deployed`, (t) => {
    const { gate, deploy } = read();
    const good = origin(t, 'export const port = 80;\n');
    const judged = run(t, gate, good);
    t.is(judged.status, 0, judged.stderr + judged.stdout);
    t.regex(judged.stdout, /PASSED/);
    const asked = run(t, deploy, good);
    t.is(asked.status, 0, asked.stderr + asked.stdout);
  });

  test.serial(`the recipe for ${name} stops a bad change`, (t) => {
    const { gate, deploy } = read();
    const bad = origin(t, HOLE);
    const judged = run(t, gate, bad);
    t.is(judged.status, 1, judged.stderr + judged.stdout);
    t.regex(judged.stdout, /BLOCKED/);
    const asked = run(t, deploy, bad);
    t.is(asked.status, 1, asked.stderr + asked.stdout);
    t.is(run(t, { ...deploy, env: { ...deploy.env, CRA_URL: NOWHERE } }, bad).status === 0, false);
  });
}

/** A scanner that writes a report, with a result on line 1, where its options say. */
function scanner(name: string, rule: string, uri: string): string {
  const rules = [{ id: rule, properties: { 'security-severity': '9.8' } }];
  const region = { startLine: 1 };
  const locations = [{ physicalLocation: { artifactLocation: { uri }, region } }];
  const results = [{ ruleId: rule, message: { text: 'weak' }, locations }];
  const sarif = { version: '2.1.0', runs: [{ tool: { driver: { name, rules } }, results }] };
  return `#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in -o | --output) echo '${JSON.stringify(sarif)}' > "$2" ;; esac
  shift
done
`;
}

test.serial('the recipes for reports judge what other tools found', (t) => {
  const [, section = ''] = PAGE.split('\n## Reports of other tools\n');
  const blocks = [...section.matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(
    ([, script = '']) => script,
  );
  const programs = {
    bandit: scanner('Bandit', 'B602', 'server.js'),
    trivy: scanner('Trivy', 'CVE-2026-1', 'server.js'),
  };
  const change = origin(t, 'export const port = 80;\n');
  for (const [program, id] of [
    ['bandit', 'ext-bandit-b602'],
    ['trivy', 'ext-trivy-cve-2026-1'],
  ] as const) {
    const script = blocks.find((block) => block.startsWith(`${program} `)) ?? '';
    const job = { depth: null, shell: ['sh', '-e'], script, env: {} };
    const judged = run(t, job, change, programs);
    t.is(judged.status, 1, judged.stderr + judged.stdout);
    t.true(judged.stdout.includes(id), judged.stdout);
  }
});

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

for (const [name, read] of RECIPES.filter(([each]) => each !== 'Jenkins')) {
  test.serial(`without the whole history the recipe for ${name} refuses and says how`, (t) => {
    const { gate } = read();
    const { status, stderr } = run(t, { ...gate, depth: 1 }, origin(t, HOLE));
    t.is(status, 2);
    t.regex(stderr, /this clone is shallow.*git fetch --unshallow.*fetch-depth: 0.*GIT_DEPTH: 0/);
  });
}
