import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { daemonForAll, newFile, PROGRAM, temporaryDir } from '../daemon.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';

const PAGE = readFileSync('docs/how-to/deploys.md', 'utf8');
const REPOSITORY = 'acme/shop';
const daemon = daemonForAll(test);

/** The blocks below a heading of the page. */
function blocksOf(heading: string): string[] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```\w+\n([\s\S]+?)^```$/gm)].map(([, block = '']) => block);
}

/** What a recipe runs: before and with the deploy, and after it where that is a job of its own. */
interface Recipe {
  shell: readonly string[];
  scripts: readonly string[];
  args?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: forms of other programs.
type Any = any;

function readArgo(): Recipe {
  const jobs = parseAllDocuments(blocksOf('Argo CD')[0] ?? '').map((one) => one.toJS() as Any);
  const scripts = jobs.map(({ metadata, spec }, at) => {
    const hook = metadata.annotations['argocd.argoproj.io/hook'];
    if (hook !== ['PreSync', 'PostSync'][at]) throw new Error(`another hook: ${hook}`);
    const [{ command, args }] = spec.template.spec.containers;
    if (command.join(' ') !== 'sh -ec') throw new Error('another shell');
    return String(args[0]);
  });
  return { shell: ['sh', '-e'], scripts };
}

const RECIPES: readonly [name: string, read: () => Recipe][] = [
  [
    'GitHub Actions',
    () => {
      const { steps } = (parse(blocksOf('GitHub Actions')[0] ?? '') as Any).jobs.deploy;
      return { shell: ['bash', '-e'], scripts: [steps[1].run] };
    },
  ],
  [
    'GitLab CI',
    () => {
      const { script } = (parse(blocksOf('GitLab CI')[0] ?? '') as Any).deploy;
      return { shell: ['bash', '-eo', 'pipefail'], scripts: [script.join('\n')] };
    },
  ],
  [
    'Jenkins',
    () => {
      const [, script = ''] = /sh '''\n([\s\S]+?)'''/.exec(blocksOf('Jenkins')[0] ?? '') ?? [];
      return { shell: ['sh', '-xe'], scripts: [script] };
    },
  ],
  ['Argo CD', readArgo],
  [
    'A script with ssh',
    () => ({ shell: ['sh'], scripts: [blocksOf('A script with ssh')[0] ?? ''], args: ['COMMIT'] }),
  ],
];

const api = (path: string) => `http://127.0.0.1:${daemon().port}/api/cra/${path}`;

type Options = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

/** Meanwhile `fetch` sees which of its connections the daemon closes. */
function ended(program: string, args: readonly string[], options: Options) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(program, args, options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** Runs the scripts of a recipe; `deploys`: whether what it calls to deploy succeeds. */
async function run(t: ExecutionContext, recipe: Recipe, sha: string, deploys = true) {
  const folder = temporaryDir(t);
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  program('cra', `exec "${process.execPath}" "${PROGRAM}" "$@"`);
  program('deploy.sh', deploys ? 'exit 0' : 'exit 1');
  // The way back succeeds in any case.
  program('ssh', `case "$*" in *switch-back) exit 0;; esac; ${deploys ? 'exit 0' : 'exit 1'}`);
  let printed = '';
  for (const script of recipe.scripts) {
    const text = script.replaceAll('--wait 10m', '--wait 1s');
    writeFileSync(join(folder, 'script'), text);
    const [shell = 'sh', ...flags] = recipe.shell;
    const args = (recipe.args ?? []).map(() => sha);
    const { status, stdout, stderr } = await ended(shell, [...flags, 'script', ...args], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        CRA_BASE_URL: `http://127.0.0.1:${daemon().port}`,
        GITHUB_REPOSITORY: REPOSITORY,
        CI_PROJECT_PATH: REPOSITORY,
        REPOSITORY,
        GITHUB_SHA: sha,
        CI_COMMIT_SHA: sha,
        GIT_COMMIT: sha,
        COMMIT: sha,
      },
    });
    printed += stdout + stderr;
    if (status !== 0) return { status, printed };
  }
  return { status: 0, printed };
}

async function analyze(sha: string, file: string): Promise<void> {
  const body = { repo_name: REPOSITORY, branch: 'main', commit_message: sha, commitSha: sha };
  const diff = newFile('server.js', file);
  const response = await fetch(api('analyze'), {
    method: 'POST',
    body: JSON.stringify({ ...body, diff }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

/** What runs in production, and what the newest report says. */
async function ledger(): Promise<[string | undefined, string | undefined]> {
  const { data } = (await (await fetch(api('deploys?environment=production'))).json()) as Any;
  return [data[0]?.runs[0]?.sha, data[0]?.last.result];
}

const shaOf = (recipe: number, change: number) => `${recipe}${change}`.padStart(40, 'd');

for (const [index, [name, read]] of RECIPES.entries()) {
  test.serial(`the recipe for ${name} deploys a good commit and reports it`, async (t) => {
    const recipe = read();
    t.true(recipe.scripts.every((script) => script.includes('cra ')));
    const sha = shaOf(index, 0);
    await analyze(sha, `export const port = ${index};\n`);
    // No webhook reports the repository, so the range is not known: what runs was taken away.
    await endOfLast();
    const { status, printed } = await run(t, recipe, sha);
    t.is(status, 0, printed);
    t.regex(printed, /ALLOWED/);
    t.deepEqual(await ledger(), [sha, 'succeeded']);
  });

  test.serial(`the recipe for ${name} does not deploy a bad commit`, async (t) => {
    const sha = shaOf(index, 1);
    await analyze(sha, HOLE);
    const { status, printed } = await run(t, read(), sha);
    t.is(status, 1, printed);
    t.regex(printed, /HELD/);
    t.deepEqual(await ledger(), [shaOf(index, 0), 'succeeded']);
  });
}

test.serial('a deploy that fails is reported, and the commit that ran runs still', async (t) => {
  for (const [index, [name, read]] of RECIPES.entries()) {
    if (name === 'Argo CD') continue;
    const sha = shaOf(RECIPES.length - 1, 0);
    const { status, printed } = await run(t, read(), sha, false);
    t.not(status, 0, printed);
    const expected = name === 'A script with ssh' ? 'rolled_back' : 'failed';
    t.is((await ledger())[1], expected, `${index} ${name}`);
  }
});

test.serial('the web metric of Argo Rollouts asks what the page says', async (t) => {
  const template = parse(blocksOf('Argo CD')[1] ?? '') as Any;
  const [{ provider, successCondition }] = template.spec.metrics;
  t.is(successCondition, 'result == true');
  t.is(provider.web.jsonPath, '{$.data.allowed}');
  const { pathname, search } = new URL(provider.web.url.replace('{{args.commit}}', shaOf(0, 1)));
  const response = await fetch(api(`${pathname}${search}`.replace('/api/cra/', '')));
  const { data } = (await response.json()) as Any;
  t.is(data.allowed, false);
});

/** Takes what runs out of the ledger, as after a rollback to nothing that was reported. */
async function endOfLast(): Promise<void> {
  for (let [sha] = await ledger(); sha !== undefined; [sha] = await ledger()) {
    const report = { repo: REPOSITORY, environment: 'production', sha, result: 'rolled_back' };
    await fetch(api('deploys'), { method: 'POST', body: JSON.stringify(report) });
  }
}
