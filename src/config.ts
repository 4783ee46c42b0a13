import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { type PasswordHash, readPasswordHash } from './core/password-hash.ts';
import { isSafeUrl } from './core/safe-url.ts';
import { secretDigest } from './core/secret-digest.ts';
import { CraError } from './domain/errors.ts';
import { AUTH, HTTP, PIPELINE } from './limits.ts';
import { LOG_LEVELS, type LogLevel } from './observability/logger.ts';

/** The settings of a daemon, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Where people reach the service, without `/api/cra` and `/` at the end; null: not said. */
  readonly baseUrl: string | null;
  readonly store: StoreSetting;
  readonly keys: KeySettings;
  readonly threads: number;
  readonly logLevel: LogLevel;
  /** Path of the rules file; null: the built-in rules. */
  readonly rulesPath: string | null;
  /** `X-Forwarded-For` names the client. */
  readonly trustsProxy: boolean;
  readonly auth: AuthConfig;
  /** What is allowed but should not stay so, in sentences for the log. */
  readonly warnings: readonly string[];
}

/** Of tokens only their SHA-256 digests (hex) are kept. */
interface AuthConfig {
  readonly isEnabled: boolean;
  readonly apiTokens: readonly string[];
  readonly overrideToken: string | null;
  /** The issuer of JWTs and the audience they must have; null: JWTs are not accepted. */
  readonly oidc: { readonly issuer: string; readonly audience: string } | null;
  /** Login with a browser; null: there is none. */
  readonly login: LoginConfig | null;
}

interface LoginConfig {
  /** The origin that browsers reach the service by. */
  readonly baseUrl: string;
  /** What the issuer knows the service by; null: nobody logs in with the issuer. */
  readonly client: { readonly clientId: string; readonly clientSecret: string } | null;
  readonly passwordHash: PasswordHash | null;
  /** Seals what browsers carry during a login; null: made for this start. */
  readonly sessionSecret: string | null;
}

/** Where records are kept: in the data directory, or in MongoDB (the URL may hold a password). */
export type StoreSetting =
  | { readonly kind: 'sqlite' }
  | {
      readonly kind: 'mongodb';
      readonly url: string;
      /** Of the audit trail; null: the servers and the user of the records. */
      readonly auditUrl: string | null;
    };

/** Keys that several daemons share, 32 bytes each; null: the one in the data directory. */
export interface KeySettings {
  readonly fingerprint: Uint8Array | null;
  readonly seal: Uint8Array | null;
  readonly checkpoint: Uint8Array | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of the process. Throws INVALID_ARGUMENT that names every bad variable at
 * once and what it must be; values never show, as they may be secrets.
 */
export function readConfig(env: Environment = process.env): Config {
  const reader = createReader(env);
  const config: Config = Object.freeze({
    host: reader.text('SERVICE_HOST', '127.0.0.1'),
    port: reader.integer('SERVICE_PORT', 3011, 0, 65_535),
    dataDir: resolve(reader.text('SERVICE_DATA_DIR', './data')),
    baseUrl: baseUrl(reader),
    store: Object.freeze(storeSetting(reader)),
    keys: Object.freeze({
      fingerprint: sharedKey(reader, 'SERVICE_FINGERPRINT_KEY'),
      seal: sharedKey(reader, 'SERVICE_SEAL_KEY'),
      checkpoint: sharedKey(reader, 'SERVICE_CHECKPOINT_KEY'),
    }),
    threads: reader.integer('SERVICE_THREADS', defaultThreads(), PIPELINE.THREADS_MIN, 64),
    logLevel: reader.oneOf('SERVICE_LOG_LEVEL', LOG_LEVELS, 'info'),
    rulesPath: reader.text('SERVICE_RULES_PATH', '') || null,
    trustsProxy: reader.boolean('SERVICE_TRUST_PROXY', false),
    auth: Object.freeze(readAuth(reader)),
    warnings: reader.warnings,
  });
  reader.finish();
  return config;
}

/** What the commands that are no daemon read from the environment. */
export interface ClientSettings {
  /** Address of the service, without `/api/cra`. */
  readonly baseUrl: string;
  /** Sent as bearer token; empty: none. */
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

/** What `cra audit` reads from the environment. */
export interface AuditSettings {
  readonly dataDir: string;
  readonly store: StoreSetting;
  /** Seed that checkpoints are signed with; null: that of the data directory. */
  readonly checkpointSeed: Uint8Array | null;
}

/** Reads the settings of `cra audit`. Throws INVALID_ARGUMENT like `readConfig`. */
export function readAuditSettings(env: Environment = process.env): AuditSettings {
  const reader = createReader(env);
  const settings = Object.freeze({
    dataDir: resolve(reader.text('SERVICE_DATA_DIR', './data')),
    store: Object.freeze(storeSetting(reader)),
    checkpointSeed: sharedKey(reader, 'SERVICE_CHECKPOINT_KEY'),
  });
  reader.finish();
  return settings;
}

/** Reads the settings of `cra setup`. Throws INVALID_ARGUMENT like `readConfig`. */
export function readSetupSettings(env: Environment = process.env): {
  /** Connection string of an administrator; empty: none. */
  readonly adminUrl: string;
} {
  const reader = createReader(env);
  const settings = Object.freeze({ adminUrl: reader.secret('CRA_ADMIN_URL') });
  reader.finish();
  return settings;
}

/** Settings of libraries that read the environment themselves; call before they are loaded. */
export function applyLibrarySettings(): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(HTTP.HEADER_BYTES_HARD_MAX);
}

const SECRETS = [
  'CRA_API_TOKEN',
  'SERVICE_API_TOKENS',
  'CRA_OVERRIDE_TOKEN',
  'SERVICE_STORE_URL',
  'SERVICE_AUDIT_URL',
  'SERVICE_FINGERPRINT_KEY',
  'SERVICE_SEAL_KEY',
  'SERVICE_CHECKPOINT_KEY',
  'SERVICE_OIDC_CLIENT_SECRET',
  'SERVICE_SESSION_SECRET',
  'SERVICE_ADMIN_PASSWORD_HASH',
];

/** The secrets that were read do not go on to child processes. Call after `readConfig`. */
export function forgetSecrets(): void {
  for (const name of SECRETS) delete process.env[name];
}

/** The scan threads share the machine with the main and the store threads. */
function defaultThreads(): number {
  return Math.max(PIPELINE.THREADS_MIN, availableParallelism());
}

function readAuth(reader: Reader): AuthConfig {
  const isEnabled = reader.boolean('SERVICE_AUTH_ENABLED', false);
  const single = reader.secret('CRA_API_TOKEN');
  const tokens = [single, ...reader.secret('SERVICE_API_TOKENS').split(/[\s,]+/)].filter(Boolean);
  const override = reader.secret('CRA_OVERRIDE_TOKEN');
  const oidc = readOidc(reader);
  // What dev mode only warns of ends the start once authentication is on.
  const weak = isEnabled ? reader.problem : reader.warning;
  if (isEnabled && tokens.length === 0 && oidc === null) {
    reader.problem('CRA_API_TOKEN', 'or SERVICE_API_TOKENS or SERVICE_OIDC_ISSUER is required');
  }
  if (!isEnabled) {
    reader.warning('SERVICE_AUTH_ENABLED', 'is false: whoever reaches the port may use it');
  }
  if (!tokens.every(isStrong)) {
    weak('CRA_API_TOKEN', `and SERVICE_API_TOKENS must have ${STRONG} each`);
  }
  if (override !== '' && !isStrong(override)) weak('CRA_OVERRIDE_TOKEN', `must have ${STRONG}`);
  if (tokens.includes(override)) {
    weak('CRA_OVERRIDE_TOKEN', 'must not be one of the API tokens');
  }
  return {
    isEnabled,
    apiTokens: [...new Set(tokens)].map(secretDigest),
    overrideToken: override === '' ? null : secretDigest(override),
    oidc,
    login: readLogin(reader, isEnabled, oidc !== null),
  };
}

/**
 * There is a login when browsers can be told where to come back to and there is a way in: the
 * issuer, a password or, with authentication on, the link that the start prints.
 */
function readLogin(reader: Reader, isEnabled: boolean, hasIssuer: boolean): LoginConfig | null {
  const baseUrl = readBaseUrl(reader);
  const clientId = reader.text('SERVICE_OIDC_CLIENT_ID', '');
  const clientSecret = reader.secret('SERVICE_OIDC_CLIENT_SECRET');
  const sessionSecret = reader.secret('SERVICE_SESSION_SECRET');
  const hash = reader.secret('SERVICE_ADMIN_PASSWORD_HASH');
  const passwordHash = hash === '' ? null : readPasswordHash(hash);
  if (hash !== '' && passwordHash === null) {
    const form = '$scrypt$ln=17,r=8,p=1$SALT$HASH, ln from 15 to 20';
    reader.problem('SERVICE_ADMIN_PASSWORD_HASH', `must have the form ${form}`);
  }
  if (sessionSecret !== '' && !isStrong(sessionSecret)) {
    reader.problem('SERVICE_SESSION_SECRET', `must have ${STRONG}`);
  }
  if ((clientId === '') !== (clientSecret === '')) {
    reader.problem('SERVICE_OIDC_CLIENT_ID', 'and SERVICE_OIDC_CLIENT_SECRET go together');
  }
  if (clientId !== '' && !hasIssuer) {
    reader.problem('SERVICE_OIDC_CLIENT_ID', 'needs SERVICE_OIDC_ISSUER');
  }
  const hasWay = clientId !== '' || passwordHash !== null;
  if (hasWay && baseUrl === '') reader.problem('SERVICE_BASE_URL', 'is required for logins');
  if (baseUrl === '' || !(hasWay || isEnabled)) return null;
  return Object.freeze({
    baseUrl,
    client: clientId === '' ? null : { clientId, clientSecret },
    passwordHash,
    sessionSecret: sessionSecret || null,
  });
}

/** An origin: whatever follows it in the address would be lost in redirects. */
function readBaseUrl(reader: Reader): string {
  const text = reader.text('SERVICE_BASE_URL', '');
  if (text === '') return '';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isSafeUrl(url) || url.href !== `${url.origin}/`) {
    reader.problem('SERVICE_BASE_URL', 'must be https://HOST (http on loopback only), no path');
    return '';
  }
  if (url.protocol === 'http:') {
    reader.warning('SERVICE_BASE_URL', 'is plain http: cookies of sessions are not Secure');
  }
  return url.origin;
}

const STRONG = `at least ${AUTH.TOKEN_CHARS_MIN} characters of printable ASCII without spaces`;

/** Other characters do not arrive as they are in a header. */
function isStrong(token: string): boolean {
  return token.length >= AUTH.TOKEN_CHARS_MIN && /^[!-~]+$/.test(token);
}

/** Without an audience every token of the issuer would do, whatever it was made for. */
function readOidc(reader: Reader): AuthConfig['oidc'] {
  const issuer = reader.text('SERVICE_OIDC_ISSUER', '');
  const audience = reader.text('SERVICE_OIDC_AUDIENCE', '');
  if (issuer === '' && audience === '') return null;
  if (issuer === '') reader.problem('SERVICE_OIDC_ISSUER', 'is missing beside the audience');
  if (audience === '') {
    reader.problem('SERVICE_OIDC_AUDIENCE', 'is required with SERVICE_OIDC_ISSUER');
  }
  if (issuer !== '' && !isIssuer(issuer)) {
    reader.problem('SERVICE_OIDC_ISSUER', 'must be an https address (http on loopback only)');
  }
  return Object.freeze({ issuer, audience });
}

/** OpenID Connect Discovery, 4.1: no query and no fragment. */
function isIssuer(issuer: string): boolean {
  return URL.canParse(issuer) && isSafeUrl(new URL(issuer)) && !/[?#]/.test(issuer);
}

/** Links to the dashboard are made from it: never from what a request says of its host. */
function baseUrl(reader: Reader): string | null {
  const url = reader.text('SERVICE_BASE_URL', '').replace(/\/+$/, '');
  if (url === '') return null;
  if (!/^https?:\/\/[^\s?#]+$/.test(url) || !URL.canParse(url)) {
    reader.problem('SERVICE_BASE_URL', 'must be an http or https URL without ? and #');
  }
  return url;
}

const MONGODB_URL = /^mongodb(?:\+srv)?:\/\/\S+$/;

function storeSetting(reader: Reader): StoreSetting {
  const url = reader.secret('SERVICE_STORE_URL');
  const auditUrl = reader.secret('SERVICE_AUDIT_URL');
  if (url === '' || url === 'sqlite:') {
    if (auditUrl !== '') {
      reader.problem('SERVICE_AUDIT_URL', 'needs a SERVICE_STORE_URL that names a MongoDB');
    }
    return { kind: 'sqlite' };
  }
  if (!MONGODB_URL.test(url)) {
    const forms = '"sqlite:" (kept in SERVICE_DATA_DIR) or begin with mongodb:// or mongodb+srv://';
    reader.problem('SERVICE_STORE_URL', `must be ${forms}`);
  }
  if (auditUrl !== '' && !MONGODB_URL.test(auditUrl)) {
    reader.problem('SERVICE_AUDIT_URL', 'must begin with mongodb:// or mongodb+srv://');
  }
  return { kind: 'mongodb', url, auditUrl: auditUrl || null };
}

function sharedKey(reader: Reader, name: string): Uint8Array | null {
  const hex = reader.secret(name);
  if (hex === '') return null;
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    reader.problem(name, 'must be 64 hex digits (32 bytes): openssl rand -hex 32');
  }
  return Buffer.from(hex, 'hex');
}

interface Reader {
  text(name: string, fallback: string): string;
  /**
   * From the variable, the file that NAME_FILE names, or the systemd credential named like the
   * variable in lower case; empty when there is none of them.
   */
  secret(name: string): string;
  integer(name: string, fallback: number, min: number, max: number): number;
  boolean(name: string, fallback: boolean): boolean;
  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T;
  problem(name: string, message: string): void;
  warning(name: string, message: string): void;
  readonly warnings: readonly string[];
  /** Throws when there were problems. */
  finish(): void;
}

function createReader(env: Environment): Reader {
  const problems: string[] = [];
  const warnings: string[] = [];
  const problem = (name: string, message: string) => {
    problems.push(`${name} ${message}`);
  };
  const text = (name: string, fallback: string) => env[name]?.trim() || fallback;

  return {
    text,
    problem,
    warning(name, message) {
      warnings.push(`${name} ${message}`);
    },
    warnings,
    secret(name) {
      const value = text(name, '');
      const file = text(`${name}_FILE`, '');
      const credential = credentialPath(text('CREDENTIALS_DIRECTORY', ''), name);
      const given = [value, file, credential].filter((source) => source !== '');
      if (given.length > 1) {
        problem(name, `is given twice: as variable, ${name}_FILE or systemd credential`);
      }
      const path = file || credential;
      if (path === '' || given.length > 1) return value;
      try {
        const secret = readFileSync(path, 'utf8').trim();
        if (secret === '') problem(name, 'is empty in its file');
        return secret;
      } catch {
        problem(file === '' ? name : `${name}_FILE`, 'names a file that cannot be read');
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

/** Where systemd (LoadCredential=) put the secret; empty: nowhere. */
function credentialPath(directory: string, name: string): string {
  const path = join(directory, name.toLowerCase());
  return directory !== '' && existsSync(path) ? path : '';
}
