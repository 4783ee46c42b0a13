import { type ResourceKind, SETTINGS_KINDS } from '../../model/rules.ts';
import { migrationFileOf } from './migrations/migration-file.ts';
import { SETTINGS } from './settings.ts';

/** What a file of configuration is read as. */
export type DocumentKind = 'workflow' | 'action' | 'package' | 'gitlab' | 'compose' | 'commands';

const KINDS: readonly (readonly [name: RegExp, kind: DocumentKind])[] = [
  [/^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/i, 'workflow'],
  [/(?:^|\/)action\.ya?ml$/i, 'action'],
  [/(?:^|\/)package\.json$/i, 'package'],
  [/(?:^|\/)[^/]*\.gitlab-ci\.ya?ml$|^\.gitlab(?:-ci)?\/.*\.ya?ml$/i, 'gitlab'],
  [/(?:^|\/)(?:docker-|podman-)?compose(?:[.-][^/]+)?\.ya?ml$/i, 'compose'],
  // Pipelines of other services, and what editors, containers and agents start by themselves.
  [
    /^\.(?:circleci|buildkite|woodpecker|semaphore|tekton)\/.*\.ya?ml$|(?:^|\/)(?:azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|buildspec[^/]*\.ya?ml|cloudbuild[^/]*\.ya?ml|\.travis\.yml|\.(?:drone|woodpecker|cirrus)\.ya?ml|appveyor\.yml|\.pre-commit-(?:config|hooks)\.yaml|lefthook\.ya?ml|\.gitpod\.yml)$/i,
    'commands',
  ],
  [
    /(?:^|\/)(?:\.?mcp\.json|\.devcontainer\.json|devcontainer\.json|composer\.json|\.(?:claude|gemini|qwen)\/settings(?:\.local)?\.json|\.(?:cursor|codex|windsurf|kiro)\/(?:[^/]+\/)*(?:mcp|hooks)\.json|\.vscode\/(?:tasks|mcp)\.json|\.zed\/(?:tasks|settings)\.json|opencode\.jsonc?|[^/]+\.code-workspace)$/i,
    'commands',
  ],
];

/** What a file is read as by its path; null: its kind is not known. */
export function kindOfDocument(path: string): DocumentKind | null {
  return KINDS.find(([name]) => name.test(path))?.[1] ?? null;
}

/**
 * Files with resources that rules on documents look at; `data`: YAML or JSON of any kind, `conf`:
 * nginx or Apache, as the text says.
 */
export type ResourceFile = Exclude<ResourceKind, 'kubernetes' | 'cloudformation'> | 'data' | 'conf';

const RESOURCE_FILES: readonly (readonly [name: RegExp, kind: ResourceFile])[] = [
  [/\.(?:tf|tofu)(?:\.json)?$/i, 'terraform'],
  // With an extension behind another beginning it may be a program about such files.
  [
    /(?:^|\/)(?:(?:[^/]*\.)?(?:Docker|Container)file(?:[.-][^/]*)?|[^/]*(?:Docker|Container)file(?:[_-][^/.]*|\d*))$|\.dockerfile$/i,
    'dockerfile',
  ],
  [/(?:^|\/)(?:docker-|podman-)?compose(?:[.-][^/]+)?\.ya?ml$/i, 'compose'],
  [/^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$|(?:^|\/)action\.ya?ml$/i, 'workflow'],
  [/(?:^|\/)[^/]*\.gitlab-ci\.ya?ml$|^\.gitlab(?:-ci)?\/.*\.ya?ml$/i, 'gitlab'],
  [/(?:^|\/)[^/]*Jenkinsfile[^/]*$/i, 'jenkins'],
  [
    /(?:^|\/)azure-pipelines[^/]*\.ya?ml$|(?:^|\/)\.?azure-?(?:pipelines|devops)\/.*\.ya?ml$/i,
    'azure-pipelines',
  ],
  [/^\.circleci\/.*\.ya?ml$/i, 'circleci'],
  [/(?:^|\/)bitbucket-pipelines\.ya?ml$/i, 'bitbucket'],
  [/^\.woodpecker\/.*\.ya?ml$|(?:^|\/)\.(?:drone|woodpecker)\.ya?ml$/i, 'drone'],
  ...SETTINGS_KINDS.map((kind) => [SETTINGS[kind].files, kind] as const),
  [/\.(?:conf|vhost)(?:\.(?:j2|jinja2?|erb|epp|tpl|tmpl|template|in|dist))?$/i, 'conf'],
  [/(?:^|\/)sites-(?:available|enabled)\/[^/]+$/i, 'conf'],
  [/\.template$|\.ya?ml$/i, 'data'],
  // Most JSON is data of programs, and there is much of it.
  [
    /(?:cloudformation|cfn|template|stack|kube|k8s|manifest|deploy|infra)[^/]*(?:\/(?:[^/]+\/)*[^/]+)?\.json$/i,
    'data',
  ],
];
/** Written by tools, and long. */
const LOCKFILE = /(?:^|\/)(?:pnpm-lock|[^/]*\.lock)\.ya?ml$|(?:^|\/)package-lock\.json$/i;

/** What each row of the table asks for, so that one test is enough for most files. */
const MAY_DECLARE =
  /\.(?:tf|tofu|json|ya?ml|conf|vhost|cfg|cnf|toml|properties|service|socket|timer|mount|j2|jinja2?|erb|epp|tpl|tmpl|template|in|ini|ini-production|dist|htaccess|npmrc|condarc)$|dockerfile|containerfile|jenkinsfile|sshd_config|sites-|settings[^/]*\.py$|settings\/[^/]*\.py$|kustomization|Pipfile$|\.cargo\//i;

/** What rules on documents take a file for by its path; null: they do not look at it. */
export function resourceFileOf(path: string): ResourceFile | null {
  if (LOCKFILE.test(path)) return null;
  if (migrationFileOf(path) !== null) return 'migration';
  if (!MAY_DECLARE.test(path)) return null;
  return RESOURCE_FILES.find(([name]) => name.test(path))?.[1] ?? null;
}

/**
 * A file whose blocks change arguments of blocks that other files declare
 * (developer.hashicorp.com/terraform/language/files/override).
 */
export function isOverride(path: string): boolean {
  return /(?:^|[/_])override\.(?:tf|tofu)(?:\.json)?$/.test(path);
}

/** Whether the notation of a document is JSON; else it is YAML. */
export function isJson(path: string): boolean {
  return /\.(?:jsonc?|code-workspace)$/i.test(path);
}

/**
 * Files that run without a person who starts them by name: pipelines, builds of images,
 * installations, git hooks, services, and what an editor, a container or an agent starts when a
 * folder is opened. Makefiles and other scripts are started by somebody.
 */
const RUNS_BY_ITSELF = new RegExp(
  [
    // Pipelines.
    String.raw`^\.(?:github|gitea|forgejo)/(?:workflows|actions)/|(?:^|/)action\.ya?ml$`,
    String.raw`^\.(?:circleci|buildkite|woodpecker|semaphore|tekton|gitlab|gitlab-ci)/`,
    String.raw`(?:^|/)(?:[^/]*\.gitlab-ci\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|buildspec[^/]*\.ya?ml|cloudbuild[^/]*\.ya?ml|\.travis\.yml|\.(?:drone|woodpecker|cirrus)\.ya?ml|appveyor\.yml|[^/]*Jenkinsfile[^/]*|\.gitpod\.yml)$`,
    // Images.
    String.raw`(?:^|/)(?:[^/]*Dockerfile[^/]*|[^/]*Containerfile[^/]*|[^/]*Earthfile|(?:docker-|podman-)?compose(?:[.-][^/]+)?\.ya?ml)$`,
    // Installations and builds of packages.
    String.raw`(?:^|/)(?:package\.json|\.pnpmfile\.c?js|\.npmrc|\.yarnrc(?:\.yml)?|setup\.py|conftest\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.pth|build\.rs|\.cargo/config(?:\.toml)?|binding\.gyp|[^/]+\.gypi|extconf\.rb|composer\.json|[^/]+\.podspec|PKGBUILD|[^/]+\.ebuild)$`,
    String.raw`(?:^|/)(?:build|settings|init)\.gradle(?:\.kts)?$|(?:^|/)(?:gradle/init|init\.d)/|(?:^|/)\.yarn/(?:plugins|releases)/`,
    String.raw`(?:^|/)debian/(?:pre|post)(?:inst|rm)$|\.(?:spec|install)$`,
    // Hooks of git.
    String.raw`(?:^|/)(?:\.husky|\.githooks|\.git-hooks|git-hooks|hooks)/(?:_/)?(?:pre-|post-|commit-msg|prepare-commit-msg|applypatch-msg|update$|reference-transaction)[^/]*$|(?:^|/)(?:\.husky|\.githooks)/`,
    String.raw`(?:^|/)(?:\.pre-commit-(?:config|hooks)\.yaml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json))$`,
    // Services and timers.
    String.raw`\.(?:service|timer|socket)$|(?:^|/)(?:etc/)?cron\.(?:d|hourly|daily|weekly|monthly)/|(?:^|/)[^/]*crontab[^/]*$|\.cron$|(?:^|/)Procfile$|(?:^|/)(?:user-data|cloud-init)[^/]*$`,
    // Shells, editors, containers, agents.
    String.raw`(?:^|/)(?:\.envrc|\.(?:bash|zsh)rc|\.(?:bash_|z)?profile|\.zshenv)$`,
    String.raw`(?:^|/)(?:\.vscode/(?:tasks|mcp)\.json|[^/]+\.code-workspace|\.?devcontainer\.json)$|(?:^|/)\.devcontainer/`,
    String.raw`(?:^|/)\.?mcp\.json$|(?:^|/)\.(?:claude|cursor|codex|gemini|windsurf|kiro|qwen|zed|roo|amazonq|opencode)/|(?:^|/)opencode\.jsonc?$`,
  ].join('|'),
  'i',
);

/** Whether a file runs without a person who starts it by its name. */
export function runsByItself(path: string): boolean {
  return RUNS_BY_ITSELF.test(path);
}

/** The folder that a file stands in. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
