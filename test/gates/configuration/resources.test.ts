// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of Terraform
import test from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { readDockerfile } from '../../../src/gates/configuration/dockerfile.ts';
import type { Node } from '../../../src/gates/configuration/document.ts';
import { tryDocumentRules } from '../../../src/gates/configuration/document-examples.ts';
import { DocumentRules } from '../../../src/gates/configuration/document-rules.ts';
import { readHcl } from '../../../src/gates/configuration/hcl.ts';
import { readJenkinsfile } from '../../../src/gates/configuration/jenkinsfile.ts';
import { readJson } from '../../../src/gates/configuration/json.ts';
import { resourceFileOf } from '../../../src/gates/configuration/kinds.ts';
import { DOCUMENTS } from '../../../src/gates/configuration/limits.ts';
import { pathsOf, resourcesOf } from '../../../src/gates/configuration/resources/resources.ts';
import { readTemplate } from '../../../src/gates/configuration/templates.ts';
import { declaredIn } from '../../../src/gates/configuration/weak-resources.ts';
import { openTree } from '../../../src/gates/syntax/program/tree.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import type { Pattern, ResourceKind } from '../../../src/model/rules.ts';
import { documentPatterns } from '../../../src/rules/documents.ts';
import { riskPatterns } from '../../../src/rules/risk.ts';
import { findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { someOf } from '../../some-cases.ts';
import { newFile } from '../patterns/scan-text.ts';
import { cpuOf, diffOf } from './run.ts';

test('each rule on documents comes out as its examples say', async (t) => {
  t.deepEqual(await tryDocumentRules(documentPatterns), []);
});

test('each rule on documents has two examples of both kinds and a link to the vendor', (t) => {
  for (const { id, examples, source, message, fix } of documentPatterns) {
    t.true(examples.match.length >= 2, `${id}: bad examples`);
    t.true(examples.noMatch.length >= 2, `${id}: good examples`);
    t.regex(source, /^https:\/\//, id);
    t.regex(message, /\.$/, id);
    t.truthy(fix, id);
  }
});

/** Facts that the rules on documents know at least, by the kinds of documents that say them. */
const BREADTH: readonly (readonly [least: number, ...kinds: ResourceKind[]])[] = [
  [250, 'terraform'],
  [60, 'kubernetes', 'helm', 'kustomize'],
  [40, 'dockerfile', 'compose'],
  [60, 'workflow', 'gitlab', 'jenkins', 'azure-pipelines'],
  [60, 'nginx', 'apache', 'sshd', 'systemd', 'spring', 'django', 'npm', 'pip'],
];

test('the built-in rules on documents are as broad as they are said to be', (t) => {
  for (const [least, ...kinds] of BREADTH) {
    const own = documentPatterns.filter(({ document }) => kinds.some((k) => k === document?.kind));
    t.true(own.length >= least, `${kinds.join(', ')}: ${own.length}`);
    for (const kind of kinds)
      t.true(
        own.some(({ document }) => document?.kind === kind),
        kind,
      );
  }
  const ofCloud = (provider: string) => {
    const start = `${provider}_`;
    return documentPatterns.filter(({ document: { kind, on } = { kind: null, on: [] } }) => {
      return (
        kind === 'terraform' && on.some((type) => type.replace(/^data\./, '').startsWith(start))
      );
    }).length;
  };
  const clouds = ['aws', 'azurerm', 'google'].map(ofCloud);
  t.true(clouds.reduce((sum, count) => sum + count, 0) >= 250, clouds.join());
});

/** A rule of each kind, so that tests do not depend on the catalogue. */
const RULES: Pattern[] = (
  [
    ['terraform', 'aws_s3_bucket', { acl: ['public-read'] }],
    ['cloudformation', 'AWS::S3::Bucket', { AccessControl: 'PublicRead' }],
    ['kubernetes', 'Container', { 'securityContext.privileged': true }],
    ['dockerfile', 'Image', { user: { is: 'root', default: 'root' } }],
    ['compose', 'service', { read_only: { not: true } }],
    ['workflow', 'Step', { uses: { matches: '^acme/' }, '^.on.issues': { absent: false } }],
    ['gitlab', 'Job', { allow_failure: true }],
    ['jenkins', 'sh', { interpolated: { matches: 'params' } }],
    ['azure-pipelines', 'Step', { persistCredentials: true }],
    ['circleci', 'Step', { 'b.c': true }],
    ['bitbucket', 'Step', { c: true }],
    ['drone', 'Step', { c: true }],
    ['nginx', 'server', { autoindex: 'on', '^.user': { not: 'app' } }],
    ['sshd', 'main', { permitrootlogin: 'yes' }],
    ['spring', 'application', { 'server.ssl.enabled': false }],
  ] as const
).map(([kind, on, when]) => ({
  id: `risk-${kind}-test`,
  description: 'Weak',
  document: { kind, on: [on], when },
  severity: 'medium',
  message: 'It is weak.',
  source: 'https://example.com',
  examples: { match: [], noMatch: [] },
}));

async function shown(diff: string | Buffer, files?: TreeFiles, patterns = RULES) {
  const found = await findingsOf(diff, {
    patterns,
    ...(files === undefined ? {} : { files }),
  });
  return found
    .filter(({ id }) => id.startsWith('risk-') || id.startsWith('config-'))
    .map(({ severity, id, line }) => `${severity} ${id}:${line}`);
}

test('in a statement or a pod that is read whole, rules on lines leave it to rules on documents', async (t) => {
  const ids = ['risk-iam-principal-any', 'risk-iam-wildcard', 'risk-privileged-container'];
  const own = riskPatterns.filter(({ id }) => ids.includes(id));
  const policy = (effect: string) =>
    `resource "aws_sqs_queue_policy" "a" {\n  policy = jsonencode({ Statement = [{\n    Effect = "${effect}"\n    Principal = "*"\n    Action = "sqs:*"\n  }] })\n}\n`;
  const pod = 'apiVersion: v1\nkind: Pod\nspec:\n  hostNetwork: true\n  containers: []\n';
  const cases: [path: string, text: string, expected: string[]][] = [
    ['main.tf', policy('Deny'), []],
    ['main.tf', policy('Deny').replace('sqs:*', '*').replace('Principal = "*"', 'Sid = "all"'), []],
    // Not in a statement, or of no such kind.
    ['main.tf', 'locals {\n  a = { Principal = "*" }\n}\n', ['risk-iam-principal-any']],
    ['app.yaml', pod, []],
    ['app.yaml', 'a:\n  hostNetwork: true\n', ['risk-privileged-container']],
  ];
  for (const [path, text, expected] of cases) {
    const found = await findingsOf(newFile(text, path), { patterns: [...RULES, ...own] });
    t.deepEqual(
      found.map(({ id }) => id),
      expected,
      text,
    );
    // A rule that a rules file puts in the place of a built-in one counts by itself.
    const replaced = own.map(({ tags, ...rule }) => rule);
    const others = await findingsOf(newFile(text, path), { patterns: [...RULES, ...replaced] });
    t.true(others.length === 1, text);
  }
});

const inNew = (path: string, text: string) => shown(newFile(text, path));

function inChange(path: string, before: string, after: string, patterns = RULES) {
  const files = (['base', 'head'] as const).map((side) => {
    const bytes = Buffer.from(side === 'base' ? before : after);
    return { side, path, state: 'read', bytes } as const;
  });
  return shown(diffOf(path, before, after, 0), files, patterns);
}

const BUCKET = (acl: string, tag = 'a') =>
  `resource "aws_s3_bucket" "logs" {\n  acl = "${acl}"\n  tags = {\n    team = "${tag}"\n  }\n}\n`;

test('a weak resource of each kind of document is found in a new file', async (t) => {
  for (const [path, text, found] of [
    ['main.tf', BUCKET('public-read'), 'medium risk-terraform-test:2'],
    [
      'main.tf.json',
      '{"resource": {"aws_s3_bucket": {"logs": {"acl": "public-read"}}}}',
      'medium risk-terraform-test:1',
    ],
    [
      'stack.yaml',
      'Parameters:\n  Acl: {Type: String, Default: PublicRead}\nResources:\n  Logs:\n    Type: AWS::S3::Bucket\n    Properties:\n      AccessControl: !Ref Acl\n',
      'medium risk-cloudformation-test:7',
    ],
    [
      'stack.template.json',
      '{"Resources": {"Logs": {"Type": "AWS::S3::Bucket", "Properties": {"AccessControl": "PublicRead"}}}}',
      'medium risk-cloudformation-test:1',
    ],
    [
      'deploy.yaml',
      'apiVersion: v1\nkind: Service\n---\napiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n        - name: app\n          securityContext:\n            privileged: true\n',
      'medium risk-kubernetes-test:12',
    ],
    [
      'list.yaml',
      'apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Pod\n    spec:\n      initContainers:\n        - securityContext: {privileged: true}\n',
      'medium risk-kubernetes-test:8',
    ],
    [
      'chart/templates/app.yaml',
      '{{- if .Values.on }}\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  containers:\n    - image: "a:{{ .Values.tag }}"\n      securityContext:\n        privileged: true\n{{- end }}\n',
      'medium risk-kubernetes-test:10',
    ],
    [
      'build/Dockerfile',
      'FROM a AS base\nUSER app\nFROM b\nCOPY --from=base /a /a\n',
      'medium risk-dockerfile-test:3',
    ],
    ['compose.yaml', 'services:\n  app:\n    image: a\n', 'medium risk-compose-test:2'],
    ['etc/nginx/a.conf', '# a\nserver {\n  autoindex on;\n}\n', 'medium risk-nginx-test:3'],
    [
      'deploy/site.conf.j2',
      'server\n{\n  listen {{ port }};\n  autoindex on;\n}\n',
      'medium risk-nginx-test:4',
    ],
    ['ssh/sshd_config', 'Port 22\r\nPermitRootLogin=yes # a\r\n', 'medium risk-sshd-test:2'],
    [
      'src/main/resources/application-prod.yml',
      'server:\n  ssl.enabled: ${TLS:false}\n',
      'medium risk-spring-test:2',
    ],
    ['application.properties', 'server.ssl.enabled=false\n', 'medium risk-spring-test:1'],
  ] as const) {
    t.deepEqual(await inNew(path, text), [found], `${path}\n${text}`);
  }
});

test('of a rule on lines and one on resources that say the same, the latter stays', async (t) => {
  const group =
    'resource "aws_security_group" "a" {\n  ingress {\n    from_port   = 22\n    to_port     = 22\n    protocol    = "tcp"\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n}\n';
  const patterns = [...riskPatterns, ...documentPatterns];
  const idsOf = async (diff: string | Buffer) =>
    (await findingsOf(diff, { patterns })).map(({ id }) => id).filter((id) => /ingress/.test(id));
  t.deepEqual(await idsOf(newFile(group, 'main.tf')), ['risk-terraform-ingress-ssh']);
  const hunk = group.split('\n').slice(1, 7).join('\n');
  const before = hunk.replace('0.0.0.0/0', '10.0.0.0/8');
  t.deepEqual(await idsOf(diffOf('main.tf', before, hunk, 5)), [
    'risk-ingress-admin-port',
    'risk-ingress-any',
  ]);
});

test('a document before others, escapes and many mild findings hide nothing', async (t) => {
  const pod = (key: string) =>
    `${key}: v1\nkind: Pod\nspec:\n  containers:\n    - securityContext: {privileged: true}\n`;
  const found = ['medium risk-kubernetes-test:7'];
  t.deepEqual(
    await inNew('a.yaml', `AWSTemplateFormatVersion: x\n---\n${pod('apiVersion')}`),
    found,
  );
  t.deepEqual(await inNew('a.yaml', `a: b\n---\n${pod('"\\u0061piVersion"')}`), found);
  const stack =
    'Resources:\n  A:\n    Type: AWS::S3::Bucket\n    Properties: {AccessControl: PublicRead}\n';
  t.deepEqual(await inNew('a.yaml', `apiVersion: v1\nkind: List\n---\n${stack}`), [
    'medium risk-cloudformation-test:7',
  ]);
});

test('jobs and steps of pipelines are resources, however they are nested', async (t) => {
  const steps = (on: string) =>
    `on: ${on}\njobs:\n  a:\n    runs-on: b\n    steps:\n      - uses: acme/a@v1\n`;
  const workflow = '.github/workflows/a.yml';
  const azure = (job: string) =>
    `stages:\n  - stage: a\n    jobs:\n      - ${job}\n            - checkout: self\n              persistCredentials: true\n`;
  const circleci = (line: number) => `medium risk-circleci-test:${line}`;
  for (const [path, text, found] of [
    [workflow, steps('issues'), 'medium risk-workflow-test:6'],
    [workflow, steps('[push, issues]'), 'medium risk-workflow-test:6'],
    [workflow, steps('{ issues: }'), 'medium risk-workflow-test:6'],
    [workflow, steps('push'), null],
    ['action.yml', 'runs:\n  using: composite\n  steps:\n    - uses: acme/a@v1\n', null],
    ['.gitlab-ci.yml', 'a:\n  script: b\n  allow_failure: true\n', 'medium risk-gitlab-test:3'],
    [
      '.gitlab-ci.yml',
      '.c: &c\n  allow_failure: true\n.d:\n  extends: .c\na:\n  extends: [.d]\n  script: b\n',
      'medium risk-gitlab-test:2',
    ],
    [
      '.gitlab-ci.yml',
      'a:\n  extends: .c\n  script: b\n  allow_failure: false\n.c:\n  tags: [d]\n',
      null,
    ],
    ['.gitlab-ci.yml', 'a:\n  extends: a\n  script: b\n', null],
    ['Jenkinsfile', 'node {\n  sh "a ${params.b}"\n}\n', 'medium risk-jenkins-test:2'],
    ['Jenkinsfile', 'node {\n  sh "a \\${params.b}"\n}\n', null],
    [
      'ci/Jenkinsfile.release',
      "pipeline {\n  stages {\n    stage('a') {\n      steps {\n        sh(script: 'a ' + params.b)\n      }\n    }\n  }\n}\n",
      'medium risk-jenkins-test:5',
    ],
    [
      'azure-pipelines.yml',
      azure('job: b\n        steps:\n          - ${{ if true }}:'),
      'medium risk-azure-pipelines-test:8',
    ],
    ['azure-pipelines.yml', 'steps:\n  - checkout: self\n    persistCredentials: false\n', null],
    ['.circleci/config.yml', 'jobs:\n  a:\n    steps:\n      - b: {c: true}\n', circleci(4)],
    ['.circleci/config.yml', 'commands:\n  a:\n    steps: [b]\n', null],
    [
      'bitbucket-pipelines.yml',
      'pipelines:\n  branches:\n    main:\n      - stage:\n          steps:\n            - parallel:\n                - step: {c: true}\n',
      'medium risk-bitbucket-test:7',
    ],
    ['bitbucket-pipelines.yml', 'options: {c: true}\npipelines: {}\n', null],
    ['.drone.yml', 'kind: a\n---\nservices:\n  - c: true\n', 'medium risk-drone-test:4'],
    ['.woodpecker.yml', 'steps:\n  a:\n    c: true\n', 'medium risk-drone-test:3'],
  ] as const) {
    t.deepEqual(await inNew(path, text), found === null ? [] : [found], `${path}\n${text}`);
  }
  t.deepEqual(await inChange(workflow, steps('push'), steps('issues')), [
    'high risk-workflow-test:6',
  ]);
  const hunk = diffOf(workflow, steps('issues'), steps('issues').replace('a@v1', 'b@v1'), 1);
  t.deepEqual(await shown(hunk), [], 'nobody knows the triggers of a hunk');
});

test('many mild findings block nothing, and leave room for graver ones', async (t) => {
  const container = (index: number) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: a${index}}\nspec:\n  containers: [{name: a, image: "a:1"}]\n---\n`;
  const pods = Array.from({ length: 60 }, (_, index) => container(index)).join('');
  const last = 'apiVersion: v1\nkind: Pod\nspec: {hostPID: true}\n';
  const found = await findingsOf(newFile(`${pods}${last}`, 'app.yaml'), {
    patterns: documentPatterns,
  });
  const ids = found.filter(({ severity }) => severity !== 'low').map(({ id }) => id);
  t.deepEqual(ids, ['risk-kubernetes-host-pid']);
  t.deepEqual(
    found.filter(({ id }) => id === 'config-unread').map(({ severity }) => severity),
    ['low'],
  );
});

test('many manifests take no whole file from other checks', (t) => {
  const change = (path: string) => diffOf(path, 'a: 1\n', 'a: 2\n', 0);
  const manifests = Array.from({ length: 1_200 }, (_, index) => change(`m${index}.yaml`));
  const others = ['.github/workflows/ci.yml', 'src/app.ts'].map(change);
  const { rules } = gateTools();
  const wanted = wantedFiles(Buffer.from([...manifests, ...others].join('')), rules);
  const paths = wanted.filter(({ side }) => side === 'head').map(({ path }) => path);
  t.true(paths.includes('.github/workflows/ci.yml'));
  t.true(paths.includes('src/app.ts'));
  t.true(paths.includes('m0.yaml'));
});

test('a file that the repository does not give whole is a finding', async (t) => {
  const path = 'main.tf';
  const files = (['base', 'head'] as const).map((side) => {
    return { side, path, state: 'too-large', bytes: null } as const;
  });
  const diff = diffOf(path, BUCKET('private'), BUCKET('private', 'b'), 1);
  t.deepEqual(await shown(diff, files), ['medium config-unread:null']);
  t.deepEqual(await shown(diff, []), ['medium config-unread:null']);
});

test('a resource in a folder of tests that was there before blocks nothing', async (t) => {
  const before = BUCKET('private');
  const after = BUCKET('public-read');
  t.deepEqual(await inChange('infra/main.tf', before, after), ['high risk-terraform-test:2']);
  t.deepEqual(await inChange('tests/main.tf', before, after), ['medium risk-terraform-test:2']);
  const [severe] = await findingsOf(newFile(after, 'tests/main.tf'), {
    patterns: RULES.map((rule) => ({ ...rule, severity: 'high' })),
  });
  t.is(severe?.severity, 'high', 'the change makes the folder');
  const { rules } = gateTools({ patterns: RULES });
  const wanted = wantedFiles(Buffer.from(newFile(after, 'a/testdata/main.tf')), rules);
  t.true(wanted.some(({ side, path }) => side === 'base' && path === 'a/testdata'));
});

test('a change with more documents than are read says so', async (t) => {
  const big = `apiVersion: v1\nkind: ConfigMap\ndata:\n${'  a: b\n'.repeat(30_000)}`;
  const files = Array.from({ length: 25 }, (_, index) => newFile(big, `app${index}.yaml`));
  const found = await shown(files.join(''));
  t.deepEqual(found, ['medium config-unread:null']);
});

test('no rule on settings looks at files of other programs and at profiles of development', async (t) => {
  for (const [path, text] of [
    ['nginx/php-fpm.conf', '; a\n\n[www]\nautoindex on;\n'],
    ['nginx/fluent.conf', '# a\n<source>\n  @type a\n</source>\n'],
    ['conf/application.conf', 'server {\n  autoindex = on\n}\n'],
    ['named.conf', 'options {\n  directory "/var";\n};\n'],
    ['docs/nginx.conf.md', 'server {\n  autoindex on;\n}\n'],
    ['ssh_config', 'PermitRootLogin yes\n'],
    ['application-dev.properties', 'server.ssl.enabled=false\n'],
    ['application-ldap-sample.properties', 'server.ssl.enabled=false\n'],
    ['a/src/test/resources/application.properties', 'server.ssl.enabled=false\n'],
    ['application.yml', 'spring.config.activate.on-profile: test\nserver.ssl.enabled: false\n'],
    ['application-messages.txt', 'server.ssl.enabled=false\n'],
  ] as const) {
    t.deepEqual(await inNew(path, text), [], path);
  }
});

test('of settings that have nothing to do with each other, only settings that a change touches count', async (t) => {
  const before = 'Port 22\nPermitRootLogin yes\nX11Forwarding no\n';
  t.deepEqual(await inChange('sshd_config', before, before.replace('22', '23')), [
    'info config-known:null',
  ]);
  const safe = 'Port 22\nPermitRootLogin no\n';
  t.deepEqual(await inChange('sshd_config', safe, safe.replace('no', 'yes')), [
    'high risk-sshd-test:2',
  ]);
});

test('a resource without the weakness is not found', async (t) => {
  for (const [path, text] of [
    ['main.tf', BUCKET('private')],
    ['main.tf', 'variable "acl" {}\nresource "aws_s3_bucket" "a" {\n  acl = var.acl\n}\n'],
    [
      'main.tf',
      'locals {\n  acl = "private"\n}\nresource "aws_s3_bucket" "a" {\n  acl = local.acl\n}\n',
    ],
    ['notes.yaml', 'acl: public-read\n'],
    ['Dockerfile', 'FROM a AS base\nUSER app\nFROM base\nRUN x\n'],
    ['compose.yaml', 'services:\n  app:\n    read_only: true\n'],
  ] as const) {
    t.deepEqual(await inNew(path, text), [], `${path}\n${text}`);
  }
});

test('a change that weakens a resource is a grade graver, and says what was there', async (t) => {
  const before = BUCKET('private');
  const after = BUCKET('public-read');
  t.deepEqual(await inChange('main.tf', before, after), ['high risk-terraform-test:2']);
  const files = [
    { side: 'base', path: 'main.tf', state: 'read', bytes: Buffer.from(before) },
    { side: 'head', path: 'main.tf', state: 'read', bytes: Buffer.from(after) },
  ] as const;
  const [found] = await findingsOf(diffOf('main.tf', before, after, 0), { patterns: RULES, files });
  t.is(found?.message, 'It is weak. Before this change, acl was private.');
});

test('a resource that was weak before counts when the change touches it', async (t) => {
  const before = BUCKET('public-read');
  t.deepEqual(await inChange('main.tf', before, BUCKET('public-read', 'b')), [
    'medium risk-terraform-test:2',
  ]);
  t.deepEqual(await inChange('main.tf', before, `${before}locals {\n  a = 1\n}\n`), [
    'info config-known:null',
  ]);
});

test('a weak default of a variable counts when the change touches it or its use', async (t) => {
  const module = (use: string, tag: string, usual: string, list = '[var.acl]') =>
    `variable "acl" {\n  default = "${usual}"\n}\nlocals {\n  all = ${list}\n}\nresource "aws_s3_bucket" "a" {\n  acl  = ${use}\n  tags = "${tag}"\n}\n`;
  const before = module('var.acl', 'a', 'public-read');
  const found = ['medium risk-terraform-test:8'];
  const cases: [after: string, expected: string[]][] = [
    [module('var.acl', 'b', 'public-read'), ['info config-known:null']],
    [module('local.all', 'a', 'public-read'), found],
    [module('var.acl', 'a', 'public-read', '[]'), ['info config-known:null']],
    [module('"public-read"', 'b', 'public-read'), found],
    [module('var.acl', 'a', 'Public-Read'), found],
  ];
  for (const [after, expected] of cases) {
    t.deepEqual(await inChange('main.tf', before, after), expected, after);
  }
  const safe = module('var.acl', 'a', 'private');
  t.deepEqual(await inChange('main.tf', safe, before), found);
});

/** A template of a chart with a container, before which stands `above`. */
const chart = (context: string, above = '') =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n${above}spec:\n  template:\n    spec:\n      containers:\n        - name: {{ .Chart.Name }}\n${context}          image: "{{ .Values.image }}"\n`;

test('templates of Helm are read, whatever their actions put where', async (t) => {
  const privileged = '          securityContext:\n            privileged: true\n';
  for (const above of [
    '  labels: {{- include "a.labels" . | nindent 4 }}\n    part: web\n',
    '  labels:\n    {{- include "a.labels" . | nindent 4 }}\n    part: web\n',
    '  labels:\n    part: web\n    {{- toYaml .Values.labels | nindent 4 }}\n',
    '  labels:\n{{ include "a.labels" . | indent 4 }}\n',
    '  annotations: {{- toYaml .Values.a | nindent 4 }}\n',
    '  {{- with .Values.a }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n',
    '  {{- if .Values.a }}{{ $x := dict "a" "{b}" }}{{ end }}\n  name: a\n',
    '  finalizers:\n    - a\n    {{- toYaml .Values.f | nindent 4 }}\n    - b\n',
    '  finalizers:\n  {{- toYaml .Values.f | nindent 2 }}\n  - b\n',
    '  text: |\n    {{- .Files.Get "a" | nindent 4 }}\n  name: a\n',
    '  {{ .Values.key }}: a\n  name: {{ if .Values.a }}a{{ else }}b{{ end }}\n',
  ]) {
    const lines = above.split('\n').length + 9;
    t.deepEqual(
      await inNew('web/templates/app.yaml', chart(privileged, above)),
      [`medium risk-kubernetes-test:${lines}`],
      above,
    );
  }
});

test('what a template may put in is neither there nor missing', async (t) => {
  const rule = (absent: boolean): Pattern => ({
    ...(RULES[2] as Pattern),
    document: {
      kind: 'kubernetes',
      on: ['Container'],
      when: { 'securityContext.privileged': { absent } },
    },
  });
  const put = '          securityContext:\n            {{- toYaml .Values.a | nindent 12 }}\n';
  const more = `${put}            runAsUser: 1\n`;
  const none = '          securityContext:\n            runAsUser: 1\n';
  const there = '          securityContext:\n            privileged: {{ .Values.a }}\n';
  for (const [text, isMissing, isThere] of [
    [put, false, false],
    [more, false, false],
    [none, true, false],
    [there, false, true],
  ] as const) {
    for (const absent of [true, false]) {
      const diff = newFile(chart(text), 'web/templates/app.yaml');
      const found = await findingsOf(diff, { patterns: [rule(absent)] });
      t.is(found.length, (absent ? isMissing : isThere) ? 1 : 0, `${absent} ${text}`);
    }
  }
});

test('what a chart gives its templates by default counts', async (t) => {
  const values = 'image: a\nweb:\n  root: true\n  context:\n    privileged: true\n';
  const found = 'medium risk-kubernetes-test:10';
  const cases: [context: string, expected: string[]][] = [
    ['          securityContext:\n            privileged: {{ .Values.web.root }}\n', [found]],
    [
      '          securityContext:\n            privileged: {{ $.Values.web.root | quote }}\n',
      [found],
    ],
    [
      '          securityContext: {{- toYaml .Values.web.context | nindent 12 }}\n',
      ['medium risk-kubernetes-test:9'],
    ],
    [
      '          {{- with .Values.web.context }}\n          securityContext:\n            {{- toYaml . | nindent 12 }}\n          {{- end }}\n',
      ['medium risk-kubernetes-test:11'],
    ],
    [
      '          {{- with .Values.web }}\n          securityContext:\n            privileged: {{ .root }}\n          {{- end }}\n',
      ['medium risk-kubernetes-test:11'],
    ],
    [
      '          {{- range .Values.web }}\n          securityContext:\n            privileged: {{ .root }}\n          {{- end }}\n',
      [],
    ],
    ['          securityContext:\n            privileged: {{ .Values.other.root }}\n', []],
    ['          securityContext:\n            privileged: {{ not .Values.web.root }}\n', []],
  ];
  for (const [context, expected] of cases) {
    const template = newFile(chart(context), 'web/templates/app.yaml');
    t.deepEqual(await shown(`${template}${newFile(values, 'web/values.yaml')}`), expected, context);
    t.deepEqual(await shown(`${template}${newFile(values, 'other/values.yaml')}`), [], context);
  }
});

test('actions in texts of the values of a chart spoil nothing', async (t) => {
  const text = 'file: |\n  http {\n      {{ .Values.a | nindent 1 }}\n    b: c\n  }\n';
  const values = `${text}auth: {enabled: true}\nweb: {privileged: true}\n`;
  const patterns = documentPatterns.filter(({ document }) => document?.kind === 'helm');
  const found = await findingsOf(newFile(values, 'web/values.yaml'), { patterns });
  t.deepEqual(
    found.map(({ id }) => id),
    ['risk-helm-privileged'],
  );
});

test('values of variables stand in other files of a module', async (t) => {
  const bucket = 'resource "aws_s3_bucket" "a" {\n  acl = var.acl\n}\n';
  const variable = 'variable "acl" {\n  default = "public-read"\n}\n';
  const both = (path: string) =>
    shown(`${newFile(bucket, 'infra/main.tf')}${newFile(variable, path)}`);
  t.deepEqual(await both('infra/variables.tf'), ['medium risk-terraform-test:2']);
  t.deepEqual(await both('other/variables.tf'), []);
  const head = {
    list: async (folder: string) => (folder === 'infra' ? ['main.tf', 'variables.tf'] : []),
    read: async (paths: readonly string[]) =>
      paths.map((path) => (path === 'infra/variables.tf' ? variable : null)),
    mentions: async () => ({ paths: [], isCut: false }),
    cut: () => undefined,
    isCut: false,
  };
  const found = await findingsOf(newFile(bucket, 'infra/main.tf'), {
    patterns: RULES,
    program: { base: head, head },
  });
  t.deepEqual(
    found.map(({ id, line }) => `${id}:${line}`),
    ['risk-terraform-test:2'],
  );
});

test('a value of a variable makes a resource weak in a file that the change leaves alone', async (t) => {
  const values = (acl: string) =>
    `variable "other" {\n}\nvariable "acl" {\n  default = "${acl}"\n}\n`;
  const bucket = 'resource "aws_s3_bucket" "a" {\n  acl = var.acl\n}\n';
  const side = (acl: string) => ({
    list: async () => ['main.tf', 'variables.tf'],
    read: async (paths: readonly string[]) =>
      paths.map((path) => (path === 'infra/main.tf' ? bucket : values(acl))),
    mentions: async () => ({ paths: [], isCut: false }),
    cut: () => undefined,
    isCut: false,
  });
  const found = async (before: string, after: string) => {
    const files = (['base', 'head'] as const).map((side) => {
      const bytes = Buffer.from(values(side === 'base' ? before : after));
      return { side, path: 'infra/variables.tf', state: 'read', bytes } as const;
    });
    return findingsOf(diffOf('infra/variables.tf', values(before), values(after), 0), {
      patterns: RULES,
      files,
      program: { base: side(before), head: side(after) },
    });
  };
  const [one, ...more] = await found('private', 'public-read');
  t.deepEqual(more, []);
  t.is(
    `${one?.severity} ${one?.id} ${one?.file}:${one?.line}`,
    'medium risk-terraform-test infra/variables.tf:3',
  );
  t.is(
    one?.message,
    'It is weak. It is aws_s3_bucket.a, in a file that the change leaves alone. Before this change, acl was private.',
  );
  t.deepEqual(await found('public-read', 'private'), []);
});

test('the modules of all files of a change are asked for in one turn', async (t) => {
  const folders = ['a', 'b', 'c', 'd'];
  const turns = { names: 0, texts: 0 };
  const reader = {
    names: async (asked: readonly string[]) => {
      turns.names += 1;
      return asked.map(() => ['variables.tf']);
    },
    texts: async (paths: readonly string[]) => {
      turns.texts += 1;
      const variable = 'variable "acl" {\n  default = "public-read"\n}\n';
      return { texts: paths.map(() => variable), isCut: false };
    },
    mentions: async () => ({ paths: [], isCut: false }),
  };
  const program = { base: openTree(reader), head: openTree(reader) };
  const bucket = 'resource "aws_s3_bucket" "a" {\n  acl = var.acl\n}\n';
  const diff = folders.map((folder) => newFile(bucket, `${folder}/main.tf`)).join('');
  const found = await findingsOf(diff, { patterns: RULES, program });
  t.deepEqual(
    found.map(({ id, file }) => `${id}:${file}`),
    folders.map((folder) => `risk-terraform-test:${folder}/main.tf`),
  );
  t.deepEqual(turns, { names: 1, texts: 1 });
});

test('that modules have more files than are read is one finding of a change', async (t) => {
  const folders = ['a', 'b', 'c'];
  const files = folders.map((folder) => newFile('variable "a" {}\n', `${folder}/main.tf`));
  const names = Array.from({ length: DOCUMENTS.MODULE_FILES_MAX }, (_, index) => `${index}.tf`);
  const tree = {
    list: async () => names,
    read: async (paths: readonly string[]) => paths.map(() => ''),
    mentions: async () => ({ paths: [], isCut: false }),
    cut: () => undefined,
    isCut: false,
  };
  const found = await findingsOf(files.join(''), {
    patterns: RULES,
    program: { base: tree, head: tree },
  });
  t.deepEqual(
    found.map(({ id, file }) => `${id}:${file}`),
    ['config-unread:b/*.tf'],
  );
});

test('the folders of a change with more modules than are read are not all listed', async (t) => {
  const listed = new Set<string>();
  const tree = {
    list: async (folder: string) => {
      listed.add(folder);
      return ['main.tf'];
    },
    read: async (paths: readonly string[]) => paths.map(() => ''),
    mentions: async () => ({ paths: [], isCut: false }),
    cut: () => undefined,
    isCut: false,
  };
  const count = DOCUMENTS.MODULE_FILES_MAX + 100;
  const files = Array.from({ length: count }, (_, index) =>
    newFile('variable "a" {}\n', `m${index}/main.tf`),
  );
  const found = await findingsOf(files.join(''), {
    patterns: RULES,
    program: { base: tree, head: tree },
  });
  t.is(listed.size, DOCUMENTS.MODULE_FILES_MAX);
  t.deepEqual(
    found.filter(({ id }) => id === 'config-unread').map(({ file }) => file),
    [`m${DOCUMENTS.MODULE_FILES_MAX}/*.tf`],
  );
});

test('a hunk of a posted diff shows what stands in it, and nothing is missing there', async (t) => {
  const hunk = (path: string, before: string, after: string) =>
    shown(diffOf(path, before, after, 3));
  t.deepEqual(await hunk('main.tf', BUCKET('private'), BUCKET('public-read')), [
    'medium risk-terraform-test:2',
  ]);
  const app = (port: number) => `services:\n  app:\n    image: a\n    ports: [${port}]\n`;
  t.deepEqual(await hunk('compose.yaml', app(1), app(2)), []);
});

test('a file that cannot be read as what it is called is a finding', async (t) => {
  t.deepEqual(await inNew('main.tf', 'resource "a" {\n'), ['medium config-unread:null']);
  t.deepEqual(await inNew('a.yaml', 'apiVersion: v1\nkind: Pod\n  spec: [\n'), [
    'medium config-unread:null',
  ]);
});

/** A document as plain data; `(x)` is computed. */
function plain(node: Node | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.kind === 'scalar') return node.computed ? `(${node.value})` : node.value;
  if (node.kind === 'list') return node.items.map(plain);
  const known: Record<string, unknown[]> = {};
  for (const { key, value } of node.entries) known[key] = [...(known[key] ?? []), plain(value)];
  return Object.fromEntries(
    Object.entries(known).map(([key, all]) => [key, all.length === 1 ? all[0] : all]),
  );
}

const read = (text: string) => plain(readHcl(text).roots[0]);

test('readHcl reads attributes, blocks, expressions and templates', (t) => {
  for (const [text, data] of [
    ['a = 1\nb = "x" # c\nc = true // d\n', { a: '1', b: 'x', c: 'true' }],
    ['a = [1, "b", [c]]\n', { a: ['1', 'b', ['(c)']] }],
    ['a = {\n  b = 1\n  "c d" : 2, e = 3\n}\n', { a: { b: '1', 'c d': '2', e: '3' } }],
    ['a b "c" {\n  d = 1\n}\na b "e" {}\n', { a: [{ b: { c: { d: '1' } } }, { b: { e: {} } }] }],
    ['a = b ? "c" : d\ne = 1 + 2\n', { a: '(b ? "c" : d)', e: '(1 + 2)' }],
    ['a = b.c[0].d\n', { a: '(b.c[0].d)' }],
    ['a = f(\n  1,\n  { b = "}" }\n)\nc = 1\n', { a: '(f(\n  1,\n  { b = "}" }\n))', c: '1' }],
    ['a = b &&\n  c\nd = 1\n', { a: '(b &&\n  c)', d: '1' }],
    ['a = "${f("${b}/x")}-\\"c\\""\n', { a: '(${f("${b}/x")}-"c")' }],
    ['a = "$${b}"\n', { a: '($${b})' }],
    ['a = <<-EOT\n  b\n  EOT\nc = 1\n', { a: '  b\n', c: '1' }],
    ['a = <<EOT\n{"b": ["c", "${d}"]}\nEOT\n', { a: { b: ['c', '${d}'] } }],
    ['a = jsonencode({ b = ["c"] })\n', { a: { b: ['c'] } }],
    ['a = jsonencode({\n  b = [\n    { c = 1 }\n  ]\n})\n', { a: { b: [{ c: '1' }] } }],
    ['a = toset(["b"])\n', { a: ['b'] }],
    ['a = [for b in c : b.d]\n', { a: '([for b in c : b.d])' }],
    ['a = { for b in c : b => 1 }\n', { a: '({ for b in c : b => 1 })' }],
    ['dynamic "a" {\n  for_each = b\n  content {\n    c = 1\n  }\n}\n', { a: { c: '1' } }],
    ['/* a */ b = 1\r\nc = 2\r\n', { b: '1', c: '2' }],
    ['a { b = 1 }\n', { a: { b: '1' } }],
  ] as const) {
    t.deepEqual(read(text), data, text);
  }
});

test('resourcesOf gives statements of policies their principals of AWS', (t) => {
  const policy = (principal: string) => `resource "aws_sqs_queue_policy" "a" {
    policy = jsonencode({
      Statement = [
        { Effect = "Allow", Action = "sqs:*", Principal = ${principal} }
      ]
    })
  }\n`;
  for (const [principal, found] of [
    ['"*"', ['*']],
    ['["a", "*"]', ['a', '*']],
    ['{ AWS = "*" }', ['*']],
    ['{ Service = "a" }', []],
  ] as const) {
    const { all, valuesAt } = resourcesOf('terraform', readHcl(policy(principal)).roots);
    const statement = all.find(({ type }) => type === 'PolicyStatement');
    const values =
      statement === undefined ? [] : valuesAt(statement.node, pathsOf('Principal.AWS'));
    t.deepEqual(values.map(plain), [...found], principal);
  }
});

test('a condition that also holds without its key asks nothing of everybody', (t) => {
  const conditionsOf = (text: string) => {
    const { all, valuesAt } = resourcesOf('terraform', readHcl(text).roots);
    const statement = all.find(({ type }) => type === 'PolicyStatement');
    return statement === undefined ? 'none' : valuesAt(statement.node, pathsOf('Condition')).length;
  };
  const policy = (effect: string, principal: string, condition: string) =>
    `resource "aws_sqs_queue_policy" "a" {\n  policy = jsonencode({ Statement = [{ Effect = "${effect}", Action = "sqs:*", Principal = "${principal}", Condition = { ${condition} } }] })\n}\n`;
  const all = '"ForAllValues:StringEquals" = { "aws:username" = "a" }';
  const exists = 'StringEqualsIfExists = { "aws:SourceVpce" = "vpce-1" }';
  const equals = 'StringEquals = { "aws:SourceVpce" = "vpce-1" }';
  t.is(conditionsOf(policy('Allow', '*', all)), 0);
  t.is(conditionsOf(policy('Allow', '*', `${all}, ${exists}`)), 0);
  t.is(conditionsOf(policy('Allow', '*', `${all}, ${equals}`)), 1);
  t.is(conditionsOf(policy('Allow', '111122223333', all)), 1);
  t.is(conditionsOf(policy('Deny', '*', exists)), 1);
  const block = (test: string) =>
    `data "aws_iam_policy_document" "a" {\n  statement {\n    actions = ["sqs:*"]\n    principals {\n      type = "*"\n      identifiers = ["*"]\n    }\n    condition {\n      test = "${test}"\n      variable = "aws:username"\n      values = ["a"]\n    }\n  }\n}\n`;
  t.is(conditionsOf(block('ForAllValues:StringEquals')), 0);
  t.is(conditionsOf(block('StringEquals')), 1);
});

test('an instruction put before a weak one weakens nothing', async (t) => {
  const weak = 'RUN one\nRUN sudo two\n';
  const patterns: Pattern[] = RULES.filter(({ document }) => document?.kind === 'dockerfile').map(
    (pattern) => ({
      ...pattern,
      document: { kind: 'dockerfile', on: ['RUN'], when: { text: { matches: 'sudo' } } },
    }),
  );
  const change = (after: string) => {
    const before = `FROM a:1\n${weak}`;
    const files = (['base', 'head'] as const).map((side) => {
      const bytes = Buffer.from(side === 'base' ? before : after);
      return { side, path: 'Dockerfile', state: 'read', bytes } as const;
    });
    return findingsOf(diffOf('Dockerfile', before, after, 0), { patterns, files });
  };
  const known = await change(`FROM a:1\nRUN zero\n${weak}`);
  t.deepEqual(
    known.map(({ id }) => id),
    ['config-known'],
  );
  const added = await change(`FROM a:1\nRUN sudo zero\n${weak}`);
  t.deepEqual(
    added.filter(({ id }) => id === 'risk-dockerfile-test').map(({ severity }) => severity),
    ['medium'],
  );
});

test('a statement put before a weak one weakens nothing', async (t) => {
  const statement = (sid: string, action: string) =>
    `  statement { # ${sid}\n    sid = "${sid}"\n    actions = ["${action}"]\n    resources = ["*"]\n  }\n`;
  const policy = (statements: string) => `data "aws_iam_policy_document" "a" {\n${statements}}\n`;
  const weak = statement('Keys', 'kms:Decrypt') + statement('Disks', 'ec2:*');
  const patterns = documentPatterns.filter(({ document }) => {
    return document?.kind === 'terraform' && document.on.includes('PolicyStatement');
  });
  const change = async (before: string, after: string) => {
    const found = await inChange('main.tf', policy(before), policy(after), patterns);
    return found.map((one) => one.replace(/:\d+$/, ''));
  };
  const known = ['info config-known:null'];
  t.deepEqual(await change(weak, statement('Tags', 'a:b') + weak), known);
  t.deepEqual(await change(statement('Disks', 'ec2:Describe'), statement('Disks', 'ec2:*')), [
    'high risk-terraform-policy-service-wildcard',
  ]);
  const append = async (...sids: readonly [string, string]) => {
    const [first, second] = sids.map((sid, n) => statement(sid, n === 0 ? 'kms:Decrypt' : '*'));
    return await change(`${first}`, `${first}${second}`);
  };
  const distinct = await append('Keys', 'All');
  t.not(distinct.length, 0);
  t.deepEqual(await append('', ''), distinct, 'without names');
  t.deepEqual(await append('Keys', 'Keys'), distinct, 'of one name');
});

test('Globals of a template of SAM count for its resources of the type', (t) => {
  const template = {
    Globals: {
      Function: {
        Tracing: 'Active',
        Runtime: 'nodejs22.x',
        Environment: { Variables: { A: '1', B: '2' } },
        Layers: ['one'],
      },
      Api: { TracingEnabled: true },
    },
    Resources: {
      Plain: { Type: 'AWS::Serverless::Function' },
      Own: {
        Type: 'AWS::Serverless::Function',
        Properties: {
          Tracing: 'PassThrough',
          Environment: { Variables: { B: '3' } },
          Layers: ['two'],
        },
      },
      Other: { Type: 'AWS::Lambda::Function', Properties: {} },
    },
  };
  const { all, valuesAt } = resourcesOf('cloudformation', readJson(JSON.stringify(template)).roots);
  const of = (name: string, path: string) => {
    const [own] = all.filter(({ address }) => address === name);
    if (own === undefined) return null;
    return valuesAt(own.node, pathsOf(path)).map((node) =>
      node.kind === 'scalar' ? node.value : '',
    );
  };
  t.deepEqual(of('Plain', 'Tracing'), ['Active']);
  t.deepEqual(of('Own', 'Tracing'), ['PassThrough']);
  t.deepEqual(of('Own', 'Runtime'), ['nodejs22.x']);
  t.deepEqual(of('Own', 'Environment.Variables.A'), ['1']);
  t.deepEqual(of('Own', 'Environment.Variables.B'), ['3']);
  t.deepEqual(of('Own', 'Layers'), ['one', 'two']);
  t.deepEqual(of('Plain', 'TracingEnabled'), []);
  t.deepEqual(of('Other', 'Tracing'), []);
});

test('resourcesOf takes no default of a hidden parameter of CloudFormation', (t) => {
  const text = JSON.stringify({
    Parameters: {
      Shown: { Type: 'String', Default: 'a' },
      Hidden: { Type: 'String', Default: 'b', NoEcho: true },
    },
    Resources: {
      A: { Type: 'AWS::A', Properties: { Shown: { Ref: 'Shown' }, Hidden: { Ref: 'Hidden' } } },
    },
  });
  const { all, valuesAt } = resourcesOf('cloudformation', readJson(text).roots);
  const nodes = all.flatMap(({ node }) => valuesAt(node, pathsOf('*')));
  t.deepEqual(
    nodes.map((node) => node.kind === 'scalar' && node.computed === true),
    [false, true],
  );
});

test('resourcesOf reads policies that are written as a text', (t) => {
  const text = String.raw`resource "aws_iam_role" "a" {
  assume_role_policy = "{\"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:*\"}]}"
}`;
  const { all, valuesAt } = resourcesOf('terraform', readHcl(text).roots);
  const statement = all.find(({ type }) => type === 'PolicyStatement');
  const shown = statement === undefined ? [] : valuesAt(statement.node, pathsOf('Action'));
  const start = text.indexOf('"{');
  t.deepEqual(
    shown.map((node) => [node.kind === 'scalar' && node.value, node.start]),
    [['sts:*', start]],
  );
});

test('resourcesOf reads objects of the provider kubernetes as manifests', (t) => {
  const text = `
variable "host" { default = true }
resource "kubernetes_daemonset_v1" "a" {
  metadata { name = "agent" }
  spec {
    template {
      spec {
        host_network = var.host
        host_ipc     = true
        container {
          name = "a"
          security_context { allow_privilege_escalation = true }
        }
        container { name = "b" }
        volume {
          host_path { path = "/" }
        }
      }
    }
  }
}
resource "kubernetes_manifest" "b" {
  manifest = { apiVersion = "v1", kind = "Pod", metadata = { name = "b" }, spec = {} }
}
resource "kubernetes_config_map" "c" {
  metadata { name = "c" }
  data = { a_b = "x" }
}`;
  const { all, valuesAt } = resourcesOf('kubernetes', readHcl(text).roots);
  t.deepEqual(
    all.map(({ type, address }) => `${type} ${address}`),
    [
      'DaemonSet DaemonSet/agent',
      'PodSpec DaemonSet/agent',
      'Container DaemonSet/agent/a',
      'Container DaemonSet/agent/b',
      'Pod Pod/b',
      'PodSpec Pod/b',
      'ConfigMap ConfigMap/c',
    ],
  );
  const shown = (index: number, path: string) => {
    const from = all[index]?.node;
    const nodes = from === undefined ? [] : valuesAt(from, pathsOf(path));
    return nodes.map((node) => (node.kind === 'scalar' ? node.value : ''));
  };
  t.deepEqual(shown(1, 'hostNetwork'), ['true']);
  t.deepEqual(shown(1, 'hostIPC'), ['true']);
  t.deepEqual(shown(1, 'volumes.hostPath.path'), ['/']);
  t.deepEqual(shown(2, 'securityContext.allowPrivilegeEscalation'), ['true']);
  t.deepEqual(shown(6, 'data.a_b'), ['x']);
});

test('resourcesOf shows texts within functions of CloudFormation as expressions', (t) => {
  const data = { 'Fn::Base64': { 'Fn::Sub': ['key=${Key}', { Key: 'b' }] } };
  const stack = {
    Resources: { A: { Type: 'AWS::EC2::Instance', Properties: { UserData: data } } },
  };
  const { all, valuesAt } = resourcesOf('cloudformation', readJson(JSON.stringify(stack)).roots);
  const values = all.flatMap(({ node }) => valuesAt(node, pathsOf('UserData')));
  t.deepEqual(values.map(plain), ['(key=${Key})']);
});

test('readHcl refuses other texts, and names the line', (t) => {
  for (const [text, problem] of [
    ['a = 1\nb = "c\n', 'line 2 is not HCL'],
    ['a {\n', 'line 2 is not HCL'],
    ['a = [1\n', 'line 2 is not HCL'],
    ['}\n', 'line 1 is not HCL'],
    ['a = <<EOT\nb\n', 'line 1 is not HCL'],
    [`a = ${'['.repeat(200)}`, 'it is nested deeper than 100'],
    [`a = ${'(['.repeat(200)}`, 'it is nested deeper than 100'],
    [`a = "${'${"'.repeat(200)}`, 'it is nested deeper than 100'],
    [`${'a {'.repeat(200)}`, 'it is nested deeper than 100'],
  ] as const) {
    t.is(readHcl(text).problem, problem, text.slice(0, 40));
  }
});

test('resourceFileOf knows Dockerfiles by their usual names, and no programs about them', (t) => {
  const dockerfiles = [
    ...['Dockerfile', 'a/web.Dockerfile', 'Dockerfile.prod', 'Containerfile', 'a.dockerfile'],
    ...['web-Dockerfile', 'base_Dockerfile', 'Dockerfile_prod', 'Dockerfile2', 'webDockerfile'],
  ];
  for (const path of dockerfiles) t.is(resourceFileOf(path), 'dockerfile', path);
  for (const path of ['parseDockerfile.ts', 'parse_dockerfile.py', 'Dockerfiles/a.go']) {
    t.is(resourceFileOf(path), null, path);
  }
});

test('readDockerfile joins what is continued, and leaves heredocs whole', (t) => {
  const data = (text: string) => plain(readDockerfile(text).roots[0]);
  t.deepEqual(data('FROM --platform=linux/amd64 a:1 AS b\nrun x \\\n# no\n  y\nUSER c'), {
    FROM: { platform: 'linux/amd64', text: 'a:1 AS b', image: 'a:1', as: 'b' },
    RUN: { text: 'x \\\n# no\n  y' },
    USER: { text: 'c' },
  });
  t.deepEqual(data('RUN <<EOF\nUSER root\nEOF\nUSER app\n'), {
    RUN: { text: '<<EOF\nUSER root\nEOF' },
    USER: { text: 'app' },
  });
  t.deepEqual(data('# escape=`\nRUN a `\n  b\nUSER c\n'), {
    escape: { text: '`' },
    RUN: { text: 'a `\n  b' },
    USER: { text: 'c' },
  });
  // Below the first other line, a directive is a comment.
  t.deepEqual(data('#!/a\n// SYNTAX = a/b:1 \n# c\n# check=skip=all\nFROM a\n'), {
    syntax: { text: 'a/b:1' },
    FROM: { text: 'a', image: 'a' },
  });
});

test('readJenkinsfile reads blocks, calls and texts', (t) => {
  const data = (text: string) => plain(readJenkinsfile(text).roots[0]);
  for (const [text, expected] of [
    [
      "sh 'a'\nsh(script: 'b', returnStdout: true)\n",
      { sh: [{ text: 'a' }, { script: 'b', returnStdout: 'true' }] },
    ],
    ['sh "a ${b["c"]} d"', { sh: { text: '(a ${b["c"]} d)', interpolated: '(a ${b["c"]} d)' } }],
    ['sh "a \\$b"', { sh: { text: 'a $b' } }],
    ["sh '''a\n$b'''", { sh: { text: 'a\n$b' } }],
    ['a { b { c() } }', { a: { b: { c: {} } } }],
    ["A = 'b' // c\n/* d */ e 'f'", { A: 'b', e: { text: 'f' } }],
    ["def a = sh('b').trim()", { sh: { text: 'b' }, trim: {} }],
    [
      "a([b(c: 'd'), e(f: 'g')]) { h 'i' }",
      { a: { b: { c: 'd' }, e: { f: 'g' }, h: { text: 'i' } } },
    ],
    ["a b: 'c',\n  d: [e: 'f']", { a: { b: 'c', d: { e: 'f' } } }],
    [
      "if (a =~ /b'{/) { c 'd' }",
      { if: { text: "(a =~ /b'{/)", interpolated: "(a =~ /b'{/)", c: { text: 'd' } } },
    ],
    ["@Library('a@b') _\n", { '@Library': { text: 'a@b' }, _: {} }],
  ] as const) {
    t.deepEqual(data(text), expected, text);
  }
  for (const [text, problem] of [
    ['a {\n', 'line 2 is not Groovy'],
    ["sh 'a\n", 'line 1 is not Groovy'],
    ['a(\n]', 'line 2 is not Groovy'],
    ['}', 'line 1 is not Groovy'],
    ['a {'.repeat(200), 'it is nested deeper than 100'],
    ['a('.repeat(200), 'it is nested deeper than 100'],
    [`"${'${"'.repeat(200)}`, 'it is nested deeper than 100'],
  ] as const) {
    t.is(readJenkinsfile(text).problem, problem, text.slice(0, 40));
  }
});

test('settings of servers and frameworks are read as what their programs take them for', (t) => {
  const args = '';
  for (const [path, text, expected] of [
    [
      'nginx.conf',
      '\ufeffuser root; # a\nhttp {\r\n  server { listen 80; location ~ "a;b" { return 301 /$uri; } }\n}\n',
      {
        user: 'root',
        http: {
          args,
          server: { args, listen: '80', location: { args: '~ a;b', return: '301 /$uri' } },
        },
      },
    ],
    ['nginx.conf', "add_header A 'it\\'s\nb';\ngzip;\n", { add_header: "A it's\nb", gzip: 'true' }],
    [
      'nginx.conf',
      'content_by_lua_block { if a then b("}") end -- }\n}\nautoindex on;\n',
      { content_by_lua_block: 'true', autoindex: 'on' },
    ],
    [
      '.htaccess',
      '# a\nOptions -Indexes \\\n  +All\n<IfModule mod_a.c>\nHeader set A "b c"\n</IfModule>\n',
      { options: '-Indexes +All', header: 'set A b c' },
    ],
    [
      'apache2.conf',
      '<VirtualHost *:80>\r\n<Directory "/">\r\nRequire all granted\r\n</directory>\r\n</VirtualHost>\r\n',
      { virtualhost: { args: '*:80', directory: { args: '/', require: 'all granted' } } },
    ],
    [
      'sshd_config',
      'PermitRootLogin=yes # a\nMatch User a,b\n  X11Forwarding "no"\n',
      { permitrootlogin: 'yes', match: { args: 'User a,b', x11forwarding: 'no' } },
    ],
    [
      'a.service',
      '[Unit]\nAfter=a\n[Service]\nExecStart=a \\\n  --b\n# c\nExecStart=d\n',
      { Unit: { args, After: 'a' }, Service: { args, ExecStart: ['a  --b', 'd'] } },
    ],
    ['a.service', 'User=root\n', { Service: { args, User: 'root' } }],
    [
      'application.properties',
      'a.bC=d\n! e\n#---\nf: g \\\n  h\n',
      { 'a.bC': 'd', '---': { args, f: 'g  h' } },
    ],
    [
      'app/settings.py',
      'A = True\nB = [\n  "a",  # b\n  "c" "d", e(),\n]\nC: str = f"{x}"\nD = {"x": {"y": None, **z}, 1: (2)}\nif A:\n    A = 1\nB += ("f",)\nE = """a\nA = 1"""\n',
      {
        A: 'True',
        B: [['a', 'cd', '(e())'], ['f']],
        C: '({x})',
        D: { 1: '2', x: { y: 'null' } },
        E: 'a\nA = 1',
      },
    ],
    ['app/settings.py', 'A = "b\nC = 1\n', { A: 'b', C: '1' }],
    [
      '.npmrc',
      '@acme:registry = http://a.b/ ; c\n//a.b/:_auth=${B}\nengine-strict\n',
      { registry: 'http://a.b/', '//a.b/:_auth': '${B}', 'engine-strict': 'true' },
    ],
    [
      'pip.conf',
      '[global]\nextra_index_url =\n  https://a.b\n  https://c.d\n',
      { global: { args, 'extra-index-url': 'https://a.b https://c.d' } },
    ],
    ['php.ini', '; a\ndisplay_errors = "On" ; b\n', { display_errors: 'On' }],
    [
      'my.cnf',
      '[mysqld]\nskip_grant_tables\nbind-address=a # b\n',
      { mysqld: { args, 'skip-grant-tables': 'true', 'bind-address': 'a' } },
    ],
    [
      'postgresql.conf',
      "a = '*' # b\nfsync off\nc = 'a=''b'''\n",
      { a: '*', fsync: 'off', c: "a='b'" },
    ],
    [
      'pg_hba.conf',
      '# a\nhost all all 10.0.0.0 255.0.0.0 md5\nlocal all "a b" peer\n',
      {
        hba: [
          {
            args: 'host all all 10.0.0.0 255.0.0.0 md5',
            type: 'host',
            database: 'all',
            user: 'all',
            address: '10.0.0.0',
            method: 'md5',
          },
          {
            args: 'local all "a b" peer',
            type: 'local',
            database: 'all',
            user: 'a b',
            method: 'peer',
          },
        ],
      },
    ],
    [
      'redis.conf',
      'bind 0.0.0.0 ::1\nrequirepass "a b"\n',
      { bind: '0.0.0.0 ::1', requirepass: 'a b' },
    ],
    [
      'haproxy.cfg',
      'global\n  user root\nbackend a\n  server x b:443 verify none # c\n',
      { global: { args, user: 'root' }, backend: { args: 'a', server: 'x b:443 verify none' } },
    ],
    [
      'gitlab-runner/config.toml',
      'a = \'b\' # c\n[[runners]]\n  [runners."d"] # e\n    volumes = [\n  "/[",\n  "/f", # g\n]\nh = true\n',
      {
        a: 'b',
        runners: { args },
        'runners."d"': { args, volumes: '[ "/[", "/f",     ]', h: 'true' },
      },
    ],
    [
      'pyproject.toml',
      'a = """\n [b\n"""\n[tool.uv]\nc = [1\nd = "e"\n',
      { a: '"""', '[b\n': 'true', 'tool.uv': { args, c: '[1', d: 'e' } },
    ],
  ] as const) {
    t.deepEqual(plain(declared(path, text).roots[0]), expected, `${path}\n${text}`);
  }
  for (const [path, text, problem] of [
    ['nginx.conf', 'server {\n  listen 80\n}\n', 'line 2 has a directive without an end'],
    ['nginx.conf', 'server {\n', 'line 2 ends in the block server'],
    ['nginx.conf', '}\n', 'line 1 closes a block that is not open'],
    ['nginx.conf', 'a "b\n;', 'line 1 has a directive without an end'],
    ['nginx.conf', 'a {'.repeat(200), 'it is nested deeper than 100'],
    ['nginx.conf', 'a {}'.repeat(6_000), 'it has more than 5000 blocks'],
    ['.htaccess', '<A b>\n</C>\n', 'line 2 closes <C>, which is not open'],
    ['.htaccess', '<A>\n'.repeat(200), 'it is nested deeper than 100'],
    ['application.properties', '#---\n'.repeat(6_000), 'it has more than 5000 blocks'],
    ['redis.conf', 'a'.repeat(1024 * 1024), 'it is longer than 256 KiB'],
    ['app/settings.py', 'a'.repeat(1024 * 1024), 'it is longer than 256 KiB'],
  ] as const) {
    t.is(declared(path, text).problem, problem, `${path} ${text.slice(0, 40)}`);
  }
});

function declared(path: string, text: string) {
  const file = resourceFileOf(path);
  if (file === null) throw new Error(`${path} has no settings`);
  return declaredIn(file, path, text, null);
}

test('a line of XML hides no section of a unit of systemd', (t) => {
  const unit = '[Service]\nUser=root\n';
  t.deepEqual(declared('a.service', `<?xml?>\n${unit}`).kinds, ['systemd']);
  t.deepEqual(declared('a.service', '<service-group>\n</service-group>\n').kinds, []);
});

test('hostile paths cost time linear in their length', (t) => {
  for (const folder of ['nginx/', 'apache/', 'mysql/', 'php7.4/']) {
    const path = `${folder.repeat(4_000 / folder.length)}x`;
    const ms = cpuOf(() => {
      for (let n = 0; n < 300; n += 1) resourceFileOf(path);
    });
    t.true(ms < 1_000, `${folder} ${ms}`);
  }
});

test('hostile settings cost time linear in their length', (t) => {
  const long = 80_000;
  const rules = new DocumentRules(documentPatterns.map((pattern) => ({ pattern })));
  for (const [index, path] of [
    'nginx.conf',
    '.htaccess',
    'sshd_config',
    'a.service',
    'application.properties',
    'app/settings.py',
    'pip.conf',
    'pg_hba.conf',
    'php.ini',
    'pyproject.toml',
  ].entries()) {
    const texts = [
      'a'.repeat(long),
      `${' '.repeat(long)}x`,
      `A = ${'"'.repeat(long)}`,
      `A = "${'a\\'.repeat(long / 2)}`,
      'a {\n'.repeat(long / 4),
      `A = [${'[1] + '.repeat(long / 6)}`,
      `A = {${'"a": ['.repeat(long / 6)}`,
      '<Directory "/">\n'.repeat(long / 16),
      '[a]\n'.repeat(long / 4),
      `a${'.a'.repeat(long / 2)}=b`,
      'a \\\n'.repeat(long / 4),
      '#\n'.repeat(long / 2),
      '\0'.repeat(long),
      '{{ a'.repeat(long / 4),
      `http {${'server {listen 443 ssl;}'.repeat(2_000)}}`,
      `server ${'x'.repeat(long / 2)} {${'location a {}\n'.repeat(2_000)}}`,
      'Match User a\nPermitRootLogin yes\n'.repeat(2_000),
      '#---\na=b\n'.repeat(2_000),
      `A = "${'\\"'.repeat(long / 2)}`,
      'a = [\n'.repeat(long / 6),
    ];
    for (const text of someOf(texts, index)) {
      const ms = cpuOf(() => {
        const { kinds, roots } = declared(path, text);
        for (const kind of kinds) rules.look(kind, resourcesOf(kind, roots), false);
      });
      // As much for a character as before the texts were shortened: 3 s for 250,000.
      t.true(ms < 0.012 * long, `${path} ${text.slice(0, 30)}: ${ms} ms`);
    }
  }
});

test('variables that stand for lists of each other are followed so far, and it is said', async (t) => {
  const rule = 'resource "aws_security_group_rule" "a" {\n  type = "ingress"\n';
  const text = (locals: string) => `locals {\n${locals}\n}\n${rule}  cidr_blocks = local.a\n}\n`;
  const doubled = Array.from({ length: 26 }, (_, index) => {
    const next = String.fromCharCode('a'.charCodeAt(0) + index + 1);
    const value = index === 25 ? '"0.0.0.0/0"' : `local.${next}, local.${next}`;
    return `  ${String.fromCharCode('a'.charCodeAt(0) + index)} = [${value}]`;
  });
  const unread = 'medium config-unread';
  for (const [locals, expected] of [
    ['  a = [local.b]\n  b = ["10.0.0.0/8", local.c]\n  c = [["0.0.0.0/0"]]', false],
    ['  a = [local.a]', true],
    ['  a = [local.b]\n  b = [[local.a, local.a]]', true],
    [doubled.join('\n'), true],
  ] as const) {
    const found = await findingsOf(newFile(text(locals), 'main.tf'), {
      patterns: documentPatterns,
    });
    const said = found.map(({ severity, id }) => `${severity} ${id}`);
    t.is(said.includes(unread), expected, locals);
    t.true(expected || said.length > 0, locals);
  }
});

test('aliases within aliases count as deep as what they stand for', async (t) => {
  const nested = (levels: number) => {
    const inner = (at: number) =>
      `${'['.repeat(9)}${at === 0 ? 'x' : `*a${at - 1}`}${']'.repeat(9)}`;
    return Array.from({ length: levels }, (_, at) => `a${at}: &a${at} ${inner(at)}\n`).join('');
  };
  const manifest = (levels: number) => `apiVersion: v1\nkind: ConfigMap\n${nested(levels)}`;
  const found = async (levels: number) => {
    const files = newFile(manifest(levels), 'deploy/a.yaml');
    return (await findingsOf(files, { patterns: documentPatterns })).map(({ id }) => id);
  };
  t.deepEqual(await found(10), []);
  t.deepEqual(await found(12), ['config-unread']);
  t.deepEqual(await found(200), ['config-unread']);
});

test('names that every object of JavaScript has are names as others', async (t) => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    for (const [path, text] of [
      ['main.tf', `${name} "a" "b" {}\nresource "${name}" "${name}" {}\n${name} = {}\n`],
      [
        'iam.tf',
        `data "aws_iam_policy_document" "a" {\n  statement {\n    ${name} = "x"\n    actions = ["*"]\n  }\n}\n`,
      ],
      [
        'pod.tf',
        `resource "kubernetes_pod" "a" {\n  ${name} = 1\n  spec {\n    container {\n      ${name} = 1\n    }\n  }\n}\n`,
      ],
      ['deploy/a.yaml', `apiVersion: v1\nkind: ${name}\nspec: { ${name}: 1 }\n`],
      ['stack.yaml', `Resources:\n  a:\n    Type: AWS::${name}\n    Properties: { ${name}: 1 }\n`],
    ] as const) {
      const change = diffOf(path, text, `${text}# more\n`, 0);
      const files = (['base', 'head'] as const).map((side) => {
        const bytes = Buffer.from(side === 'base' ? text : `${text.replace('1', '2')}# more\n`);
        return { side, path, state: 'read', bytes } as const;
      });
      await t.notThrowsAsync(
        findingsOf(change, { patterns: documentPatterns, files }),
        `${path} ${name}`,
      );
    }
  }
});

test('hostile documents cost time linear in their length', (t) => {
  const long = 250_000;
  for (const text of [
    `a = ${'[1 + '.repeat(90)}${'1,'.repeat(long / 2)}`,
    `${'a = b ? \n'.repeat(long / 10)}`,
    `${'a = <<X\n'.repeat(long / 8)}`,
    `a = "${'${'.repeat(long / 2)}`,
    `${'/* '.repeat(long / 3)}`,
    `${'a.b['.repeat(long / 4)}`,
    `${'\n'.repeat(long)}a`,
    `a = b ${' '.repeat(long)}`,
    `a = ${'"x" + '.repeat(long / 6)}`,
  ]) {
    t.true(cpuOf(() => readHcl(text)) < 1_500, text.slice(0, 30));
  }
  for (const text of [
    '{{ '.repeat(long / 3),
    `{{ ${'a'.repeat(long)}`,
    `a: {{ ${'a'.repeat(long)} | nindent 2 }} x\n`,
    '  {{ a | nindent 2 }}\n'.repeat(long / 22),
    'a:\n'.repeat(long / 3),
    `${'{{ if a }}'.repeat(long / 10)}`,
    Array.from({ length: 600 }, (_, index) => `${' '.repeat(index)}a:\n`).join(''),
  ]) {
    t.true(cpuOf(() => readTemplate(text)) < 1_500, text.slice(0, 30));
  }
  for (const text of [
    'a '.repeat(long / 2),
    'a.b('.repeat(90) + 'c, '.repeat(long / 3),
    "a 'b' + ".repeat(long / 8),
    '/'.repeat(long),
    '"${'.repeat(90) + '{'.repeat(long),
    'stage("a") {'.repeat(90) + 'sh "a"\n'.repeat(20_000) + '}'.repeat(90),
    '['.repeat(90) + 'a: b, '.repeat(long / 6),
  ]) {
    const { roots } = readJenkinsfile(text);
    t.true(cpuOf(() => readJenkinsfile(text)) < 1_500, text.slice(0, 30));
    t.true(cpuOf(() => resourcesOf('jenkins', roots)) < 1_500, text.slice(0, 30));
  }
  for (const text of [
    'RUN <<A\n'.repeat(long / 8),
    Array.from({ length: 20_000 }, (_, index) => `RUN <<A${index}\n`).join(''),
    `RUN ${'\\\n'.repeat(long / 2)}`,
    `FROM ${'--a '.repeat(long / 4)}`,
    `${Array.from({ length: 5_000 }, (_, index) => `FROM a${index} AS a${index + 1}\nRUN x`).join('\n')}`,
  ]) {
    t.true(cpuOf(() => readDockerfile(text)) < 1_500, text.slice(0, 30));
  }
});
