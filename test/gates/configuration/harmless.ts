// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of workflows
const wf = (name: string) => `.github/workflows/${name}.yml`;
const SHA = '8f4b7f84864484a7bf31766abe9204da3cbe65b3';

/** Files of configuration as projects have them every day: nothing in them is above low. */
export const HARMLESS: readonly (readonly [path: string, text: string])[] = [
  [
    wf('ci'),
    `name: CI
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
concurrency:
  group: \${{ github.workflow }}-\${{ github.ref }}
  cancel-in-progress: true
jobs:
  test:
    runs-on: \${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        node: [20, 22]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: \${{ matrix.node }}
          cache: npm
      - run: npm ci
      - run: npm test -- --shard=\${{ matrix.node }}
`,
  ],
  [
    wf('label'),
    `name: Label
on: pull_request_target
permissions: { contents: read, pull-requests: write }
jobs:
  label:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/labeler@v5
        with:
          repo-token: "\${{ secrets.GITHUB_TOKEN }}"
`,
  ],
  [
    wf('release'),
    `on: { push: { tags: ['v*'] } }
jobs:
  publish:
    runs-on: ubuntu-latest
    permissions: { contents: write, id-token: write }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22, registry-url: 'https://npm.example.com' }
      - run: npm ci && npm publish --provenance
        env:
          NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
      - run: gh release create "\${{ github.ref_name }}" --generate-notes
        env:
          GH_TOKEN: \${{ github.token }}
`,
  ],
  [
    wf('triage'),
    `on:
  issues:
    types: [opened]
jobs:
  triage:
    runs-on: ubuntu-latest
    if: contains(github.event.issue.title, 'bug')
    steps:
      - name: Comment
        env:
          TITLE: \${{ github.event.issue.title }}
          NUMBER: \${{ github.event.issue.number }}
          GH_TOKEN: \${{ github.token }}
        run: |
          gh issue comment "$NUMBER" --body "Thank you for: $TITLE"
          gh issue edit \${{ github.event.issue.number }} --add-label bug
`,
  ],
  [
    wf('script'),
    `on: issue_comment
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/github-script@v7
        env:
          BODY: \${{ github.event.comment.body }}
        with:
          script: |
            const body = process.env.BODY;
            if (!body.startsWith('/retest')) return;
            await github.rest.actions.reRunWorkflow({ ...context.repo, run_id: 1 });
`,
  ],
  [
    wf('docker'),
    `on: [push]
env:
  REGISTRY: ghcr.io
  IMAGE: \${{ github.repository }}
jobs:
  build:
    runs-on: ubuntu-latest
    permissions: { packages: write }
    steps:
      - uses: actions/checkout@v4
      - uses: docker/login-action@v3
        with:
          registry: \${{ env.REGISTRY }}
          username: \${{ github.actor }}
          password: \${{ secrets.GITHUB_TOKEN }}
      - uses: docker/build-push-action@v6
        with:
          push: true
          tags: \${{ env.REGISTRY }}/\${{ env.IMAGE }}:\${{ github.sha }}
`,
  ],
  [
    wf('notify'),
    `on: [workflow_dispatch]
jobs:
  notify:
    runs-on: ubuntu-latest
    steps:
      - run: |
          curl -X POST -H 'Content-Type: application/json' \\
            -d '{"text":"deployed \${{ github.sha }}"}' \\
            "\${{ secrets.SLACK_WEBHOOK_URL }}"
      - run: |
          curl -sf -H "Authorization: Bearer \${{ secrets.GITHUB_TOKEN }}" \\
            https://api.github.com/repos/\${{ github.repository }}/deployments | jq '.[0].id'
`,
  ],
  [
    wf('kubectl'),
    `on: push
jobs:
  deploy:
    runs-on: ubuntu-latest
    environment: production
    steps:
      - uses: actions/checkout@v4
      - run: |
          curl -fsSLO https://dl.k8s.io/release/v1.31.0/bin/linux/amd64/kubectl
          chmod +x kubectl
          sudo mv kubectl /usr/local/bin/
      - run: |
          mkdir -p ~/.kube
          echo "\${{ secrets.KUBECONFIG }}" > ~/.kube/config
          kubectl apply -f deploy/
`,
  ],
  [
    wf('outputs'),
    `on: push
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs:
      version: \${{ steps.v.outputs.version }}
      matrix: \${{ steps.m.outputs.matrix }}
    steps:
      - uses: actions/checkout@v4
      - id: v
        run: echo "version=$(jq -r .version package.json)" >> "$GITHUB_OUTPUT"
      - id: m
        run: echo 'matrix={"a":[1,2]}' >> $GITHUB_OUTPUT
  build:
    needs: plan
    runs-on: ubuntu-latest
    strategy: { matrix: "\${{ fromJSON(needs.plan.outputs.matrix) }}" }
    steps:
      - run: echo "\${{ needs.plan.outputs.version }}"
`,
  ],
  [
    wf('reuse'),
    `on:
  workflow_call:
    inputs:
      target: { type: string, required: true }
    secrets:
      token: { required: true }
jobs:
  call:
    uses: ./.github/workflows/deploy.yml
    secrets: inherit
  other:
    runs-on: ubuntu-latest
    steps:
      - run: ./deploy.sh "$TARGET"
        env: { TARGET: "\${{ inputs.target }}", TOKEN: "\${{ secrets.token }}" }
`,
  ],
  [
    wf('codeql'),
    `on: { schedule: [{ cron: '0 3 * * 1' }] }
jobs:
  analyze:
    runs-on: ubuntu-latest
    permissions: { security-events: write }
    strategy:
      matrix: { language: [javascript, python] }
    steps:
      - uses: actions/checkout@${SHA}
      - uses: github/codeql-action/init@v3
        with: { languages: "\${{ matrix.language }}" }
      - uses: github/codeql-action/analyze@v3
`,
  ],
  [
    wf('comment'),
    `on:
  workflow_run:
    workflows: [CI]
    types: [completed]
jobs:
  comment:
    if: github.event.workflow_run.conclusion == 'success'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with:
          run-id: \${{ github.event.workflow_run.id }}
          github-token: \${{ github.token }}
      - run: test "$(cat pr)" -gt 0
`,
  ],
  [
    wf('anchors'),
    `x-steps:
  setup: &setup
    - uses: actions/checkout@v4
    - run: corepack enable
on: pull_request
jobs:
  lint:
    runs-on: ubuntu-latest
    steps: *setup
  test:
    runs-on: ubuntu-latest
    steps:
      - run: pnpm install --frozen-lockfile
      - run: pnpm test
`,
  ],
  [
    wf('merge'),
    `on: pull_request
jobs:
  dependabot:
    if: github.actor == 'dependabot[bot]'
    runs-on: ubuntu-latest
    steps:
      - id: meta
        uses: dependabot/fetch-metadata@${SHA}
      - if: steps.meta.outputs.update-type == 'version-update:semver-patch'
        run: gh pr merge --auto --squash "$PR_URL"
        env:
          PR_URL: \${{ github.event.pull_request.html_url }}
          GH_TOKEN: \${{ secrets.GITHUB_TOKEN }}
`,
  ],
  [
    '.github/actions/setup/action.yml',
    `name: Setup
inputs:
  node: { description: version, default: '22' }
runs:
  using: composite
  steps:
    - uses: actions/setup-node@v4
      with: { node-version: "\${{ inputs.node }}" }
    - shell: bash
      run: |
        npm ci
        echo "$PWD/node_modules/.bin" >> "$GITHUB_PATH"
`,
  ],
  [
    'action.yml',
    `name: Greeter
description: Say hello
inputs: { who: { description: whom } }
outputs: { time: { description: when } }
runs: { using: node20, main: dist/index.js }
`,
  ],
  [
    'package.json',
    `{
  "name": "@acme/app",
  "version": "1.2.3",
  "type": "module",
  "bin": { "acme": "dist/cli.js" },
  "scripts": {
    "build": "tsc -b",
    "test": "vitest run",
    "prepare": "husky",
    "lint": "eslint . && prettier --check .",
    "release": "npm run build && changeset publish"
  },
  "dependencies": { "fastify": "^5.0.0" },
  "devDependencies": { "vitest": "~2.1.0", "typescript": "5.6.3" }
}
`,
  ],
  ['package.json', '{"name":"a","version":"0.0.1","main":"a.js","license":"MIT"}\n'],
  [
    'packages/ui/package.json',
    `{
  "name": "@acme/ui",
  "repository": { "type": "git", "url": "git+https://github.com/acme/ui.git", "directory": "packages/ui" },
  "homepage": "https://acme.io/ui#readme",
  "bugs": "https://github.com/acme/ui/issues",
  "scripts": { "storybook": "storybook dev -p 6006", "prepack": "npm run build" },
  "peerDependencies": { "react": ">=18" },
  "dependencies": { "@acme/core": "workspace:*", "clsx": "^2.1.1" }
}
`,
  ],
  [
    'package.json',
    `{
  "private": true,
  "packageManager": "pnpm@9.12.0",
  "engines": { "node": ">=20", "npm": ">=10" },
  "workspaces": ["apps/*", "packages/*"],
  "scripts": { "dev": "turbo dev", "health": "curl -f http://localhost:3000/health" },
  "pnpm": { "overrides": { "semver@<7.5.2": ">=7.5.2" }, "patchedDependencies": { "a@1.0.0": "patches/a.patch" } }
}
`,
  ],
  [
    'package.json',
    '{"scripts":{"postinstall":"patch-package"},"devDependencies":{"patch-package":"8.0.0"}}\n',
  ],
  [
    'package.json',
    '{\n\t"scripts": {\n\t\t"postinstall": "prisma generate",\n\t\t"start": "node ."\n\t}\n}\n',
  ],
  [
    'examples/basic/package.json',
    '{"name":"basic","private":true,"dependencies":{"acme":"file:../.."}}\n',
  ],
  [
    'docker-compose.yml',
    `services:
  db:
    image: postgres:16
    environment:
      POSTGRES_DB: app
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?set it}
    volumes: [db:/var/lib/postgresql/data]
    healthcheck:
      test: ["CMD-SHELL", "pg_isready -U postgres"]
  app:
    build: .
    ports: ["127.0.0.1:3000:3000"]
    depends_on: { db: { condition: service_healthy } }
volumes: { db: {} }
`,
  ],
  [
    'compose.yaml',
    `x-common: &common
  restart: unless-stopped
  logging: { driver: json-file, options: { max-size: 10m } }
services:
  web:
    <<: *common
    image: nginx:1.27
    volumes:
      - type: bind
        source: ./nginx.conf
        target: /etc/nginx/nginx.conf
        read_only: true
    cap_drop: [ALL]
    cap_add: [NET_BIND_SERVICE]
    security_opt: ["no-new-privileges:true"]
  worker:
    <<: *common
    build: { context: ., target: worker }
    command: ["node", "dist/worker.js"]
`,
  ],
  [
    'docker-compose.override.yml',
    'services:\n  app:\n    environment:\n      - DEBUG=app:*\n    volumes:\n      - .:/app\n',
  ],
  [
    'compose.test.yaml',
    'name: test\nservices:\n  redis: { image: "redis:7-alpine", ports: ["6379"] }\n  app: { build: ., command: npm test }\n',
  ],
  [
    'docker-compose.yml',
    'version: "3.8"\nservices:\n  mail:\n    image: axllent/mailpit:v1.20\n    network_mode: bridge\n    healthcheck:\n      test: curl -f http://localhost:8025 || exit 1\n',
  ],
  [
    'compose.prod.yml',
    'services:\n  app:\n    image: ghcr.io/acme/app:${TAG}\n    secrets: [db]\nsecrets:\n  db: { file: ./db.txt }\n',
  ],
  [
    '.gitlab-ci.yml',
    `stages: [test, deploy]
default:
  image: node:22
  cache: { key: $CI_COMMIT_REF_SLUG, paths: [.npm/] }
test:
  stage: test
  script:
    - npm ci --cache .npm
    - npm test
    - echo "tested $CI_COMMIT_SHORT_SHA of $CI_COMMIT_REF_NAME"
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  ],
  [
    '.gitlab-ci.yml',
    `include:
  - template: Security/SAST.gitlab-ci.yml
  - local: ci/test.yml
  - project: acme/ci
    ref: v1.2.0
    file: build.yml
variables:
  DOCKER_TLS_CERTDIR: "/certs"
build:
  services: [docker:27-dind]
  before_script:
    - docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY"
  script:
    - docker build -t "$CI_REGISTRY_IMAGE:$CI_COMMIT_SHA" .
    - docker push "$CI_REGISTRY_IMAGE:$CI_COMMIT_SHA"
`,
  ],
  [
    'ci/lint.gitlab-ci.yml',
    '.base: &base\n  image: alpine:3.20\n  tags: [linux]\nlint:\n  <<: *base\n  script: ["apk add shellcheck", "shellcheck scripts/*.sh"]\n',
  ],
  [
    '.gitlab-ci.yml',
    '.setup:\n  script:\n    - apt-get update\ndeploy:\n  script:\n    - !reference [.setup, script]\n    - eval "$(ssh-agent -s)"\n    - ssh-add <(echo "$SSH_KEY")\n    - scp dist.tgz "deploy@$HOST:"\n',
  ],
  [
    '.gitlab-ci.yml',
    'pages:\n  script:\n    - pip install mkdocs==1.6.1\n    - mkdocs build\n  artifacts:\n    paths: [public]\n  only: [main]\n',
  ],
  [
    '.gitlab-ci.yml',
    'notify:\n  script:\n    - \'curl --fail -H "PRIVATE-TOKEN: $TOKEN" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/releases"\'\n    - git log -1 --format=%s\n',
  ],
  [
    '.devcontainer/devcontainer.json',
    `{
  // For VS Code
  "name": "App",
  "image": "mcr.microsoft.com/devcontainers/typescript-node:22",
  "features": { "ghcr.io/devcontainers/features/docker-in-docker:2": {} },
  "postCreateCommand": "npm ci",
  "customizations": { "vscode": { "extensions": ["biomejs.biome",] } },
}
`,
  ],
  [
    '.mcp.json',
    '{ "mcpServers": { "docs": { "command": "npx", "args": ["-y", "@acme/docs-mcp@1.2.0"] } } }\n',
  ],
  [
    '.vscode/tasks.json',
    '{\n  "version": "2.0.0",\n  "tasks": [{ "label": "build", "type": "npm", "script": "build", "group": "build" }]\n}\n',
  ],
  [
    '.claude/settings.json',
    '{ "permissions": { "allow": ["Bash(npm test:*)"] }, "hooks": { "PostToolUse": [{ "matcher": "Edit", "hooks": [{ "type": "command", "command": "npx biome check --write" }] }] } }\n',
  ],
  [
    '.pre-commit-config.yaml',
    'repos:\n  - repo: https://github.com/pre-commit/pre-commit-hooks\n    rev: v5.0.0\n    hooks: [{ id: check-yaml }, { id: end-of-file-fixer }]\n',
  ],
  [
    '.circleci/config.yml',
    'version: 2.1\norbs: { node: circleci/node@5.2.0 }\njobs:\n  test:\n    docker: [{ image: "cimg/node:22.9" }]\n    steps: [checkout, { run: npm ci }, { run: { name: Test, command: npm test } }]\n',
  ],
  [
    'azure-pipelines.yml',
    'trigger: [main]\npool: { vmImage: ubuntu-latest }\nsteps:\n  - task: NodeTool@0\n    inputs: { versionSpec: 22.x }\n  - script: npm ci && npm test\n',
  ],
  [
    'bitbucket-pipelines.yml',
    'image: node:22\npipelines:\n  default:\n    - step:\n        caches: [node]\n        script: [npm ci, npm test]\n',
  ],
  [
    'Dockerfile',
    'FROM node:22-slim AS build\nWORKDIR /app\nRUN apt-get update && apt-get install -y --no-install-recommends curl ca-certificates && rm -rf /var/lib/apt/lists/*\nCOPY package*.json ./\nRUN npm ci --omit=dev\nCOPY . .\nUSER node\nHEALTHCHECK CMD curl -f http://localhost:3000/ || exit 1\nCMD ["node", "dist/main.js"]\n',
  ],
  [
    'Dockerfile',
    'FROM alpine:3.20\nARG V=1.2.3\nRUN curl -fsSL -o /tmp/t.tgz https://github.com/acme/t/releases/download/v$V/t.tgz \\\n && echo "abc  /tmp/t.tgz" | sha256sum -c - \\\n && tar -xzf /tmp/t.tgz -C /usr/local/bin\n',
  ],
  ['.husky/pre-commit', 'npx lint-staged\n'],
  [
    'setup.py',
    'from setuptools import find_packages, setup\n\nsetup(name="app", version="1.0", packages=find_packages(), install_requires=["requests>=2"])\n',
  ],
  [
    'deploy/app.service',
    '[Unit]\nDescription=App\n[Service]\nExecStart=/usr/bin/node /opt/app/main.js\nUser=app\nNoNewPrivileges=yes\n[Install]\nWantedBy=multi-user.target\n',
  ],
];
