import type { Pattern } from '../../../domain/rules.ts';

const raw = String.raw;

const WORKFLOWS = raw`^\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$`;
const SCRIPTS = raw`(?i)(?:^|/)(?:[^/]*Dockerfile[^/]*|Containerfile|Makefile|Jenkinsfile|[^/]+\.(?:sh|bash|zsh|ya?ml|mk|tf|json))$`;
const PROSE = raw`(?i)\.(?:md|mdx|rst|adoc|txt|po|pot|arb|xlf)$`;
const TEST_FILES = raw`(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress)/|[._-](?:test|spec|cy)\.[cm]?[jt]sx?$`;

/** Characters from `first` to `last`, as keywords. */
function characters(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) =>
    String.fromCodePoint(first + index),
  );
}

/** Changes that are risky by what they touch. Few block: most such lines are meant. */
export const riskPatterns = [
  {
    id: 'risk-schema-drop',
    description: 'A migration that drops or empties a table, schema or database',
    regex: raw`(?i)\b(?:DROP\s+(?:TABLE|SCHEMA|DATABASE)|TRUNCATE\s+TABLE)\s+[\w"\x60\[]`,
    path: raw`(?i)(?:^|/)(?:migrations?|migrate|alembic|flyway|liquibase|db)/|\.sql$`,
    keywords: ['drop', 'truncate'],
    severity: 'medium',
    message: 'This migration destroys data; a rollback will not bring it back.',
    fix: 'Take the readers out first, keep a backup, and drop in a later release.',
    source: 'https://www.postgresql.org/docs/current/sql-droptable.html',
    examples: {
      path: 'db/migrations/0042_cleanup.sql',
      match: ['DROP TABLE users;', '  truncate table "audit_log" cascade;'],
      noMatch: ['ALTER TABLE users DROP COLUMN nickname;', '-- drop the old index'],
    },
  },
  {
    id: 'risk-world-writable',
    description: 'chmod that lets everybody write',
    regex: raw`\bchmod\s+(?:-[A-Za-z]+\s+)*(?:[0-7]{0,2}[0-7]{2}[2367]|(?:a|o|go|ugo)\+[rx]*w[rx]*)\s`,
    keywords: ['chmod'],
    allowlists: [{ description: 'prose', paths: [PROSE] }],
    severity: 'low',
    message: 'Every user of the machine may write to this file.',
    fix: 'Give the right to the owner or a group: 0755 or 0644, or chown.',
    cwe: 'CWE-732',
    source: 'https://cwe.mitre.org/data/definitions/732.html',
    examples: {
      path: 'deploy/setup.sh',
      match: ['chmod -R 777 /srv/app', 'RUN chmod a+rw /data && true'],
      noMatch: ['chmod 755 /srv/app/run.sh', 'chmod +w file', 'chmod 0600 key.pem'],
    },
  },
  {
    id: 'risk-workflow-untrusted-checkout',
    description: 'A workflow with secrets that checks out, and may run, the code of a pull request',
    regex: raw`(?s)\b(?:pull_request_target|workflow_run)\b.*?\bref:\s*["']?\$\{\{\s*github\.(?:event\.(?:pull_request\.head|workflow_run\.head)|head_ref)`,
    path: WORKFLOWS,
    keywords: ['pull_request_target', 'workflow_run'],
    target: 'hunk',
    severity: 'high',
    message: 'Whoever opens a pull request can run code with the secrets of this workflow.',
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
      ],
      noMatch: [
        'on: pull_request_target\njobs:\n  label:\n    steps:\n      - uses: actions/labeler@v5',
        'on: pull_request\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4',
      ],
    },
  },
  {
    id: 'risk-pipe-to-shell',
    description: 'A download that is run at once, unseen and unverified',
    regex: raw`\b(?:curl|wget)\b[^|;&]*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:/(?:usr/)?bin/)?(?:ba|da|z|k)?sh\b`,
    path: SCRIPTS,
    keywords: ['curl', 'wget'],
    severity: 'medium',
    message: 'Whatever this server sends is run.',
    fix: 'Download a fixed version, check its hash, then run it.',
    cwe: 'CWE-494',
    source: 'https://cwe.mitre.org/data/definitions/494.html',
    examples: {
      path: 'Dockerfile',
      match: [
        'RUN curl -fsSL https://get.tool.io/install.sh | sh',
        'wget -qO- https://tool.io/setup | sudo -E bash -',
      ],
      noMatch: [
        'RUN curl -fsSL https://tool.io/v1.tgz | tar xz',
        'curl -O https://tool.io/a.sh && sh a.sh',
      ],
    },
  },
  {
    id: 'risk-privileged-container',
    description: 'A container with all rights of its host',
    regex: raw`^\s*-?\s*(?:privileged|hostPID|hostNetwork)["']?:\s*["']?true\b|\bdocker\s+run\b.*\s--privileged\b`,
    path: SCRIPTS,
    keywords: ['privileged', 'hostpid', 'hostnetwork'],
    severity: 'medium',
    message: 'This container is not confined: its root is the root of the host.',
    fix: 'Add only the capabilities it needs.',
    cwe: 'CWE-250',
    source: 'https://kubernetes.io/docs/concepts/security/pod-security-standards/',
    examples: {
      path: 'deploy/daemonset.yaml',
      match: [
        '        privileged: true',
        '    - hostNetwork: true',
        'docker run --rm --privileged x',
      ],
      noMatch: ['        privileged: false', '# privileged: true would be too much'],
    },
  },
  {
    id: 'risk-bidi-control',
    description: 'Characters that make source code read differently from what it does',
    regex: raw`[\x{202a}-\x{202e}\x{2066}-\x{2069}]`,
    keywords: [...characters(0x202a, 0x202e), ...characters(0x2066, 0x2069)],
    allowlists: [{ description: 'prose and translations may need them', paths: [PROSE] }],
    severity: 'high',
    message: 'This line holds invisible characters that change the order of what is shown.',
    fix: 'Remove them, or write them as escapes.',
    cwe: 'CWE-1007',
    source: 'https://trojansource.codes/',
    examples: {
      path: 'src/access.ts',
      match: [
        'if (level !== "user\u202e \u2066// admin\u2069 \u2066") {',
        'const note = "\u2067x\u2069";',
      ],
      noMatch: ['const name = "\u05d0\u05d1\u05d2";', raw`const rlo = '\u202e';`],
    },
  },
  {
    id: 'risk-invisible-text',
    description: 'Text in Unicode tag characters: people do not see it, language models read it',
    regex: raw`(?:^|[^\x{1f3f4}\x{e0020}-\x{e007f}])[\x{e0020}-\x{e007e}]`,
    keywords: characters(0xe0020, 0xe007e),
    severity: 'high',
    message: 'This line holds text that nothing displays.',
    fix: 'Remove it.',
    cwe: 'CWE-1007',
    source: 'https://www.unicode.org/charts/PDF/UE0000.pdf',
    examples: {
      match: ['Hello\u{e0049}\u{e0067}\u{e006e}', '\u{e0041} at the start'],
      noMatch: [
        'England: \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
        'Hello',
      ],
    },
  },
  {
    id: 'risk-iam-wildcard',
    description: 'A policy that allows every action',
    regex: raw`(?i)["']?\b(?:not)?actions?["']?\s*[:=]\s*\[?\s*["'](?:\*|\*:\*)["']`,
    path: raw`(?i)\.(?:tf|json|ya?ml|hcl|ts|py|template)$`,
    keywords: ['action'],
    severity: 'medium',
    message: 'This policy allows everything that the service can do.',
    fix: 'List the actions that are needed.',
    cwe: 'CWE-732',
    source:
      'https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege',
    examples: {
      path: 'infra/policy.tf',
      match: ['      "Action": "*",', '    actions   = ["*"]'],
      noMatch: ['      "Action": "s3:GetObject",', '    actions   = ["s3:*"]'],
    },
  },
  {
    id: 'risk-executable-bit',
    description: 'A file that was data before can now be run',
    regex: raw`(?m)^old mode 100644\r?\nnew mode 100755\r?$`,
    keywords: ['new mode 100755'],
    target: 'header',
    severity: 'low',
    message: 'This file became executable.',
    source: 'https://git-scm.com/docs/diff-format#generate_patch_text_with_p',
    examples: {
      path: 'bin/release',
      match: [
        'old mode 100644\nnew mode 100755',
        'old mode 100644\nnew mode 100755\nindex 1234567..89abcde',
      ],
      noMatch: ['old mode 100755\nnew mode 100644', 'new file mode 100755\nindex 0000000..e69de29'],
    },
  },
  {
    id: 'risk-symlink',
    description: 'A new symbolic link: what it names may lie outside the repository',
    regex: raw`(?m)^new (?:file )?mode 120000\r?$`,
    target: 'header',
    keywords: ['120000'],
    severity: 'low',
    message: 'This is a symbolic link; look at where it points.',
    cwe: 'CWE-61',
    source: 'https://cwe.mitre.org/data/definitions/61.html',
    examples: {
      path: 'config/current',
      match: ['new file mode 120000\nindex 0000000..e69de29', 'old mode 100644\nnew mode 120000'],
      noMatch: ['deleted file mode 120000\nindex e69de29..0000000', 'new file mode 100644'],
    },
  },
  {
    id: 'risk-guard-removed',
    description: 'A workflow or the owners file is deleted',
    regex: raw`(?m)^deleted file mode \d+\r?$`,
    path: raw`^\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|(?:^|/)CODEOWNERS$`,
    target: 'header',
    keywords: ['deleted file mode'],
    severity: 'medium',
    message: 'A file that checks or guards changes is deleted.',
    source:
      'https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners',
    examples: {
      path: '.github/CODEOWNERS',
      match: [
        'deleted file mode 100644\nindex e69de29..0000000',
        'deleted file mode 100755\nindex e69de29..0000000',
      ],
      noMatch: ['new file mode 100644\nindex 0000000..e69de29', 'old mode 100644\nnew mode 100755'],
    },
  },
  {
    id: 'risk-root-user',
    description: 'An image that runs as root by its own decision',
    regex: raw`(?i)^\s*USER\s+(?:root|0)(?::\S+)?\s*$`,
    path: raw`(?i)(?:^|/)(?:[^/]*Dockerfile[^/]*|Containerfile)$`,
    severity: 'low',
    message: 'What follows in this image runs as root.',
    fix: 'Switch back to an unprivileged user before the end.',
    cwe: 'CWE-250',
    source: 'https://docs.docker.com/build/building/best-practices/#user',
    examples: {
      path: 'Dockerfile',
      match: ['USER root', 'user 0:0'],
      noMatch: ['USER node', '# USER root'],
    },
  },
  {
    id: 'risk-key-file',
    description: 'A file that by its name holds keys',
    path: raw`(?i)(?:^|/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:p12|pfx|jks|keystore|kdbx|ppk))$`,
    keywords: ['id_', '.p12', '.pfx', '.jks', '.keystore', '.kdbx', '.ppk'],
    allowlists: [
      {
        description: 'made for a test',
        paths: [raw`(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|testdata)/`],
      },
    ],
    severity: 'medium',
    message: 'Files of this kind hold private keys.',
    fix: 'Keep it in a secret store; replace the keys in it if they were real.',
    cwe: 'CWE-321',
    source: 'https://cwe.mitre.org/data/definitions/321.html',
    examples: {
      match: ['deploy/.ssh/id_ed25519', 'android/release.keystore'],
      noMatch: ['deploy/.ssh/id_ed25519.pub', 'test/fixtures/server.p12'],
    },
  },
  {
    id: 'risk-focused-test',
    description: 'A test that keeps all others of its file from running',
    regex: raw`\b(?:describe|it|test|suite|context)(?:\.\w+)?\.only\s*(?:\(|\.each)|^\s*(?:fdescribe|fit)\s*\(`,
    path: TEST_FILES,
    keywords: ['.only', 'fdescribe', 'fit('],
    severity: 'low',
    message: 'With this line most tests do not run any more.',
    fix: 'Remove `.only`.',
    source: 'https://mochajs.org/#exclusive-tests',
    examples: {
      path: 'test/login.test.ts',
      match: ["describe.only('login', () => {", "  it.only.each([1, 2])('n', () => {", '  fit(1);'],
      noMatch: ["describe('only this', () => {", 'profit(3)'],
    },
  },
] satisfies readonly Pattern[];
