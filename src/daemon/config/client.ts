import { CraError } from '../../model/errors.ts';
import type { Environment } from './config.ts';
import { createReader } from './reader.ts';

/** What the commands other than `serve` read from the environment. */
export interface ClientSettings {
  /** Address of the service, without `/api/cra`, as `readServer` takes it. */
  readonly baseUrl: string;
  /** Sent as bearer token; empty when absent. */
  readonly token: string;
  /** Path of the rules file; null: the built-in rules. */
  readonly rulesPath: string | null;
  /** False when the user asked for none (https://no-color.org) or the terminal has none. */
  readonly wantsColour: boolean;
  /** The environment that git runs in: ours, less what would change or hide its output. */
  readonly gitEnvironment: Environment;
}

/** Reads the settings of a command. Throws INVALID_ARGUMENT like `readConfig`. */
export function readClientSettings(env: Environment = process.env): ClientSettings {
  const reader = createReader(env);
  const { GIT_EXTERNAL_DIFF, GIT_DIFF_OPTS, GIT_PAGER, ...inherited } = env;
  const settings: ClientSettings = Object.freeze({
    baseUrl: reader.text('CRA_BASE_URL', 'http://127.0.0.1:3011'),
    token: reader.secret('CRA_API_TOKEN'),
    rulesPath: reader.text('SERVICE_RULES_PATH', '') || null,
    wantsColour: !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    gitEnvironment: { ...inherited, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
  });
  reader.finish();
  return settings;
}

/** Where a service is. */
export interface ServerAddress {
  /** With `/` at the end. */
  readonly base: URL;
  /** Of its Unix socket; absent: it is reached by name and port. */
  readonly socketPath?: string;
  /** As a person knows it. */
  readonly shown: string;
}

const UNIX = 'unix:';

/**
 * Reads the address of a service: `http://`, `https://`, or `unix:` and the path of its socket.
 * Throws INVALID_ARGUMENT for another one.
 */
export function readServer(text: string): ServerAddress {
  if (text.startsWith(`${UNIX}/`)) {
    const socketPath = text.slice(UNIX.length);
    return { base: new URL('http://localhost/'), socketPath, shown: text };
  }
  const base = URL.canParse(text) ? new URL(text.endsWith('/') ? text : `${text}/`) : null;
  if (base !== null && /^https?:$/.test(base.protocol)) return { base, shown: base.origin };
  const message =
    'the address of the service must be like http://127.0.0.1:3011 or unix:/run/cra/cra.sock';
  throw new CraError('INVALID_ARGUMENT', message);
}

/** What a Git host says to its hooks. */
export interface HookFacts {
  /** Where the repository is; a hook starts there. */
  readonly gitDir: string;
  /** As the host names them; null: it does not. */
  readonly repoName: string | null;
  readonly pusher: string | null;
  /** The texts of `git push -o`, in order. */
  readonly pushOptions: readonly string[];
}

/**
 * Names of the repository and of the person who pushes, in the order in which they count:
 * our own, GitLab, Gitea and Forgejo, GitHub Enterprise, gitolite, a web server.
 * https://docs.gitlab.com/administration/server_hooks/
 * https://docs.github.com/enterprise-server/admin/enforcing-policies/enforcing-policy-with-pre-receive-hooks
 * https://gitolite.com/gitolite/dev-notes.html
 */
const PUSHERS = ['CRA_PUSHER', 'GL_USERNAME', 'GITEA_PUSHER_NAME', 'GITHUB_USER_LOGIN'] as const;
const LESSER_PUSHERS = ['GL_USER', 'REMOTE_USER'] as const;
const REPOSITORIES = ['GL_PROJECT_PATH', 'GITHUB_REPO_NAME', 'GL_REPO'] as const;

/** Push options that git reads: more of them, or more text, is not what a person types. */
const PUSH_OPTIONS_MAX = 100;

/** Reads what `cra pre-receive` knows of a push whatever its own settings are. */
export function readHookFacts(env: Environment = process.env): HookFacts {
  const first = (names: readonly string[]) => names.map((name) => env[name]).find(Boolean) ?? null;
  const [owner, name] = [env['GITEA_REPO_USER_NAME'], env['GITEA_REPO_NAME']];
  const count = Math.min(Number(env['GIT_PUSH_OPTION_COUNT'] ?? 0) || 0, PUSH_OPTIONS_MAX);
  return {
    gitDir: env['GIT_DIR'] ?? '.',
    repoName: owner && name ? `${owner}/${name}` : first(REPOSITORIES),
    pusher: first([...PUSHERS, ...LESSER_PUSHERS]),
    pushOptions: Array.from({ length: count }, (_, index) => env[`GIT_PUSH_OPTION_${index}`] ?? ''),
  };
}
