import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AUTH } from '../../auth/limits.ts';
import { CraError } from '../../model/errors.ts';

const MIB = 1024 * 1024;

/** Settings of Git hosts. */
export const VCS = {
  CONFIG_BYTES_MAX: 1 * MIB,
  /** Certificate authorities of a host; a Linux distribution has some 250 KiB of them. */
  CA_BYTES_MAX: 1 * MIB,
  HOSTS_MAX: 100,
  WEBHOOK_SECRET_CHARS_MIN: 16,
  APP_KEY_BITS_MIN: 2_048,
  SWEEP_SECONDS_MIN: 10,
  SWEEP_SECONDS_MAX: 24 * 3_600,
  MIRROR_GIB_DEFAULT: 20,
  MIRROR_GIB_MAX: 64 * 1024,
} as const;

/** What a token or secret must be that a person sets. */
export const STRONG = `at least ${AUTH.TOKEN_CHARS_MIN} characters of printable ASCII without spaces`;

/** Whether a secret is as `STRONG` says. Other characters do not arrive as they are in a header. */
export function isStrong(token: string): boolean {
  return token.length >= AUTH.TOKEN_CHARS_MIN && /^[!-~]+$/.test(token);
}

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads single settings, and collects their problems. */
export interface Reader {
  text(name: string, fallback: string): string;
  /**
   * From the variable, the file that NAME_FILE names, or the systemd credential named like the
   * variable in lower case; empty when it is absent of them.
   */
  secret(name: string): string;
  /** Every secret that was read or passed to `noteSecret`. */
  readonly secrets: readonly string[];
  /** Notes a secret that was read from elsewhere: texts that are kept must not hold it. */
  noteSecret(secret: string): void;
  integer(name: string, fallback: number, min: number, max: number): number;
  boolean(name: string, fallback: boolean): boolean;
  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T;
  problem(name: string, message: string): void;
  warning(name: string, message: string): void;
  readonly warnings: readonly string[];
  /** Warns of variables with this prefix that nothing has asked for until now, but for `others`. */
  warnOfUnknown(prefix: string, others: readonly string[]): void;
  /** Throws when there were problems. */
  finish(): void;
}

/** Reads from an environment: its variables, files that they name, systemd credentials. */
export function createReader(env: Environment): Reader {
  const problems: string[] = [];
  const warnings: string[] = [];
  const problem = (name: string, message: string) => {
    problems.push(`${name} ${message}`);
  };
  const secrets: string[] = [];
  const asked = new Set<string>();
  const noteSecret = (secret: string) => {
    secrets.push(...partsOfSecret(secret));
  };
  const text = (name: string, fallback: string) => {
    asked.add(name);
    return env[name]?.trim() || fallback;
  };

  return {
    text,
    problem,
    warning(name, message) {
      warnings.push(`${name} ${message}`);
    },
    warnings,
    secrets,
    noteSecret,
    warnOfUnknown(prefix, others) {
      const known = new Set([...asked, ...others]);
      const unread = Object.keys(env).filter((name) => name.startsWith(prefix) && !known.has(name));
      const why =
        'has no effect: no setting has this name, or it needs another setting that is missing';
      for (const name of unread) warnings.push(`${name} ${why}`);
    },
    secret(name) {
      const value = text(name, '');
      const file = text(`${name}_FILE`, '');
      const credential = credentialPath(text('CREDENTIALS_DIRECTORY', ''), name);
      const given = [value, file, credential].filter((source) => source !== '');
      if (given.length > 1) {
        problem(name, `is given twice: as variable, ${name}_FILE or systemd credential`);
      }
      const path = file || credential;
      if (path === '' || given.length > 1) {
        noteSecret(value);
        return value;
      }
      try {
        const secret = readFileSync(path, 'utf8').trim();
        if (secret === '') problem(name, 'is empty in its file');
        noteSecret(secret);
        return secret;
      } catch (thrown) {
        problem(file === '' ? name : `${name}_FILE`, unreadable(thrown));
        return '';
      }
    },
    integer(name, fallback, min, max) {
      const value = text(name, String(fallback));
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= min && number <= max) return number;
      problem(name, `must be a whole number from ${min} to ${max}`);
      return fallback;
    },
    boolean(name, fallback) {
      const value = text(name, String(fallback)).toLowerCase();
      if (value !== 'true' && value !== 'false') problem(name, 'must be true or false');
      return value === 'true';
    },
    oneOf(name, values, fallback) {
      const value = text(name, fallback);
      const found = values.find((known) => known === value);
      if (found === undefined) problem(name, `must be one of ${values.join(', ')}`);
      return found ?? fallback;
    },
    finish() {
      if (problems.length === 0) return;
      throw new CraError('INVALID_ARGUMENT', `settings: ${problems.join('; ')}`);
    },
  };
}

/**
 * What of a setting is secret: each of a list, and of an address its password, also as it is
 * without its percent-encoding.
 */
function partsOfSecret(secret: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:([^/?#@]*)@/i.exec(secret)?.[1];
  if (password !== undefined) return [password, decoded(password)];
  if (/^[a-z][a-z0-9+.-]*:(?:\/\/|$)/i.test(secret)) return [];
  const parts = secret.split(/[\s,]+/);
  return [...new Set([secret, ...parts])].filter((part) => part !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where systemd (LoadCredential=) put the secret; empty: nowhere. */
function credentialPath(directory: string, name: string): string {
  const path = join(directory, name.toLowerCase());
  return directory !== '' && existsSync(path) ? path : '';
}

/** Reads the fields of one JSON object of a settings file, and reports their problems. */
export interface JsonFields {
  /** Of this object, as `hosts[0]`; empty: the file as a whole. */
  readonly path: string;
  has(key: string): boolean;
  /** Null: absent, or wrong and reported. */
  text(key: string): string | null;
  texts(key: string): string[];
  oneOf<T extends string>(key: string, values: readonly T[]): T | null;
  integer(key: string, min: number, max: number): number | null;
  number(key: string, min: number, max: number): number | null;
  boolean(key: string): boolean | null;
  /** Null: it is not there, or not an object, which is reported. */
  object(key: string): JsonFields | null;
  /** Of an object whose keys are names. */
  keys(): string[];
  /** The objects of a list. */
  objects(key: string, countMax: number): JsonFields[];
  /** Reports a problem of a field; never with its value, which may be a secret. */
  problem(key: string, message: string): void;
  /** Reports every key that was not asked for. */
  finish(): void;
}

const TEXTS_MAX = 20;

/** `onProblem` is given a path, as `hosts[0].url`, and the problem. */
export function createJsonFields(
  value: object,
  path: string,
  onProblem: (path: string, message: string) => void,
): JsonFields {
  const fields = new Map<string, unknown>(Object.entries(value));
  const asked = new Set<string>();
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);

  /** Undefined: absent, or wrong and reported. */
  function read<T>(key: string, fits: (value: unknown) => value is T, must: string): T | undefined {
    asked.add(key);
    const found = fields.get(key);
    if (found === undefined) return undefined;
    if (fits(found)) return found;
    onProblem(at(key), `must be ${must}`);
    return undefined;
  }

  return {
    path,
    has: (key) => fields.has(key),
    text: (key) => read(key, isText, 'a text that is not empty') ?? null,
    texts(key) {
      const must = `a list of at most ${TEXTS_MAX} texts that are not empty`;
      const fits = (found: unknown): found is string[] =>
        Array.isArray(found) && found.length <= TEXTS_MAX && found.every(isText);
      return read(key, fits, must) ?? [];
    },
    oneOf<T extends string>(key: string, values: readonly T[]) {
      const fits = (found: unknown): found is T => values.some((known) => known === found);
      return read(key, fits, `one of ${values.join(', ')}`) ?? null;
    },
    integer(key, min, max) {
      const fits = (found: unknown): found is number =>
        Number.isInteger(found) && Number(found) >= min && Number(found) <= max;
      return read(key, fits, `a whole number from ${min} to ${max}`) ?? null;
    },
    number(key, min, max) {
      const fits = (found: unknown): found is number =>
        typeof found === 'number' && found >= min && found <= max;
      return read(key, fits, `a number from ${min} to ${max}`) ?? null;
    },
    object(key) {
      const found = read(key, isObject, 'an object');
      return found === undefined ? null : createJsonFields(found, at(key), onProblem);
    },
    keys: () => [...fields.keys()],
    boolean: (key) =>
      read(key, (found): found is boolean => typeof found === 'boolean', 'true or false') ?? null,
    objects(key, countMax) {
      const fits = (found: unknown): found is unknown[] =>
        Array.isArray(found) && found.length <= countMax;
      const list = read(key, fits, `a list of at most ${countMax} objects`) ?? [];
      return list.flatMap((item, index) => {
        const place = `${at(key)}[${index}]`;
        if (isObject(item)) return [createJsonFields(item, place, onProblem)];
        onProblem(place, 'must be an object');
        return [];
      });
    },
    problem: (key, message) => onProblem(at(key), message),
    finish() {
      for (const key of fields.keys()) {
        if (!asked.has(key)) onProblem(at(shownKey(key)), 'is not known');
      }
    },
  };
}

/** The object in the file that a setting names; an empty one, which is reported, if it is wrong. */
export function readJsonFile(reader: Reader, setting: string, path: string): object {
  try {
    if (statSync(path).size <= VCS.CONFIG_BYTES_MAX) {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (isObject(value)) return value;
    }
  } catch {
    // What the parser says quotes the text.
  }
  const size = `of at most ${VCS.CONFIG_BYTES_MAX} bytes`;
  reader.problem(setting, `must name a readable file ${size} that holds a JSON object`);
  return {};
}

/** The secret itself, or that in the variable or file of that name; null: absent, and reported. */
export function secretFrom(
  entry: JsonFields,
  key: string,
  value: string,
  { reader, folder }: { reader: Reader; folder: string },
): string | null {
  if (key.endsWith('_env')) {
    const secret = reader.secret(value);
    if (secret === '') entry.problem(key, 'names a variable that is not set');
    return secret || null;
  }
  if (!/_files?$/.test(key)) {
    reader.noteSecret(value.trim());
    return value.trim();
  }
  try {
    const secret = readFileSync(resolve(folder, value), 'utf8').trim();
    if (secret === '') entry.problem(key, 'names an empty file');
    reader.noteSecret(secret);
    return secret || null;
  } catch (thrown) {
    entry.problem(key, unreadable(thrown));
    return null;
  }
}

/** Whether a value is an object of JSON, and no list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** A key that could be something else, as a token that stands in the wrong place, is not shown. */
function shownKey(key: string): string {
  return /^[a-z_]{1,30}$/.test(key) ? key : '(a key)';
}

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
  const owner = env['GITEA_REPO_USER_NAME'];
  const name = env['GITEA_REPO_NAME'];
  const count = Math.min(Number(env['GIT_PUSH_OPTION_COUNT'] ?? 0) || 0, PUSH_OPTIONS_MAX);
  return {
    gitDir: env['GIT_DIR'] ?? '.',
    repoName: owner && name ? `${owner}/${name}` : first(REPOSITORIES),
    pusher: first([...PUSHERS, ...LESSER_PUSHERS]),
    pushOptions: Array.from({ length: count }, (_, index) => env[`GIT_PUSH_OPTION_${index}`] ?? ''),
  };
}

/** That a file cannot be read, and why; not its name, as a secret may stand there by mistake. */
export function unreadable(thrown: unknown): string {
  return `names a file that cannot be read: ${(thrown as NodeJS.ErrnoException).code}`;
}
