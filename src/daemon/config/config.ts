import { availableParallelism } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { PIPELINE } from '../../analysis/limits.ts';
import { isSafeUrl, secretDigest } from '../../core/credentials.ts';
import { digestSecrets, type SecretDigests } from '../../core/known-secrets.ts';
import type { Subscription } from '../../events/subscription.ts';
import type { LlmSettings } from '../../gates/review/tier.ts';
import type { VcsSettings } from '../../hosts/settings.ts';
import { HTTP } from '../../http/server/limits.ts';
import type { AgentCeilings } from '../../model/agent.ts';
import type { RegistrySettings } from '../../model/dependencies.ts';
import { AGENTS } from '../../model/limits.ts';
import {
  SESSION_DECISIONS,
  type SessionDecisions,
  type TokenBounds,
} from '../../model/principal.ts';
import type { Retention } from '../../model/retention.ts';
import type { BucketSettings } from '../../store/contract/store.ts';
import { LOG_LEVELS, type LogLevel } from '../../telemetry/logger.ts';
import type { NotifySetting } from '../../telemetry/systemd.ts';
import { readSubscriptions } from './events.ts';
import { readLlmConfig } from './llm.ts';
import { type LoginConfig, type Place, readLogin } from './login.ts';
import { createReader, type Environment, isStrong, type Reader, STRONG, VCS } from './reader.ts';
import { readRegistrySettings } from './registry.ts';
import { readRetention } from './retention.ts';
import { readTokenBounds } from './token-bounds.ts';
import { readVcsConfig } from './vcs.ts';

/** The settings of a daemon, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Of a Unix socket to listen on besides; null when absent. */
  readonly socketPath: string | null;
  readonly dataDir: string;
  /** Where people reach the service, without `/api/cra` and `/` at the end; null: not said. */
  readonly baseUrl: string | null;
  readonly store: StoreSetting;
  /** Where sealed segments of the audit trail go; null: nowhere. */
  readonly segments: BucketSettings | null;
  readonly keys: KeySettings;
  readonly threads: number;
  readonly logLevel: LogLevel;
  /** $JOURNAL_STREAM; null: not started by systemd. */
  readonly journalStream: string | null;
  /** The socket of sd_notify; null: the daemon does not run under systemd. */
  readonly notify: NotifySetting | null;
  /** Path of the rules file; null: the built-in rules. */
  readonly rulesPath: string | null;
  /** `X-Forwarded-For` names the client. */
  readonly trustsProxy: boolean;
  readonly auth: AuthConfig;
  /** The Git hosts; holds their credentials. */
  readonly vcs: VcsSettings;
  /** Secrets of webhooks of any host; several of each while they are rotated. */
  readonly webhook: WebhookConfig;
  /** The models of gate 3; holds their keys. */
  readonly llm: LlmSettings;
  /** Subscriptions to events; hold their secrets. */
  readonly subscriptions: readonly Subscription[];
  /** When RFCs leave the store for the archive. */
  readonly retention: Retention;
  /** Registries that are asked about new packages; null: no registry is set. Holds their tokens. */
  readonly registries: RegistrySettings | null;
  /** Variables that hold a secret, for `forgetSecrets`. */
  readonly secretVariables: readonly string[];
  /** Digests of all secrets among the settings: texts that are kept must not hold these. */
  readonly ownSecrets: SecretDigests;
  /** Warnings about settings that are allowed but not advised, in sentences for the log. */
  readonly warnings: readonly string[];
}

/** Of tokens only their SHA-256 digests (hex) are kept. */
interface AuthConfig {
  readonly isEnabled: boolean;
  readonly apiTokens: readonly string[];
  /** What single API tokens are bound to, by their labels. */
  readonly tokenBounds: TokenBounds;
  readonly overrideToken: string | null;
  /** Of agents; null: they have no token of their own. */
  readonly agentToken: string | null;
  readonly agentCeilings: AgentCeilings;
  /** Whose browser sessions override and approve: admins only, or every role that may. */
  readonly sessionDecisions: SessionDecisions;
  /** Whether nobody lets a change of their own pass. */
  readonly fourEyes: boolean;
  /** The issuer of JWTs and the audience they must have; null: JWTs are not accepted. */
  readonly oidc: { readonly issuer: string; readonly audience: string } | null;
  /** Login with a browser; null: it is absent. */
  readonly login: LoginConfig | null;
}

interface WebhookConfig {
  /** Of signatures in `X-Hub-Signature-256` (CRA_WEBHOOK_SECRET). */
  readonly hubSecrets: readonly string[];
  /** Sent as they are in the header of the second kind (SERVICE_PROVIDER_SECRET). */
  readonly providerSecrets: readonly string[];
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

/**
 * Reads the settings of the process. Throws INVALID_ARGUMENT that names every bad variable at
 * once and what it must be; values never show, as they may be secrets.
 */
export function readConfig(env: Environment = process.env): Config {
  const reader = createReader(env);
  const place = {
    host: reader.text('SERVICE_HOST', '127.0.0.1'),
    port: reader.integer('SERVICE_PORT', 3011, 0, 65_535),
    baseUrl: baseUrl(reader),
  };
  const auth = readAuth(reader, place);
  const vcs = readVcsConfig(reader, auth.isEnabled);
  const llm = readLlmConfig(reader);
  const config: Config = Object.freeze({
    ...place,
    socketPath: socketPath(reader),
    dataDir: resolve(reader.text('SERVICE_DATA_DIR', './data')),
    store: Object.freeze(storeSetting(reader)),
    segments: segmentsSetting(reader),
    keys: Object.freeze({
      fingerprint: sharedKey(reader, 'SERVICE_FINGERPRINT_KEY'),
      seal: sharedKey(reader, 'SERVICE_SEAL_KEY'),
      checkpoint: sharedKey(reader, 'SERVICE_CHECKPOINT_KEY'),
    }),
    threads: reader.integer('SERVICE_THREADS', defaultThreads(), 1, PIPELINE.THREADS_MAX),
    logLevel: reader.oneOf('SERVICE_LOG_LEVEL', LOG_LEVELS, 'info'),
    journalStream: reader.text('JOURNAL_STREAM', '') || null,
    notify: notifySetting(reader),
    rulesPath: reader.text('SERVICE_RULES_PATH', '') || null,
    trustsProxy: reader.boolean('SERVICE_TRUST_PROXY', false),
    auth: Object.freeze(auth),
    vcs: vcs.settings,
    webhook: Object.freeze({
      hubSecrets: webhookSecrets(reader, 'CRA_WEBHOOK_SECRET', auth.isEnabled),
      providerSecrets: webhookSecrets(reader, 'SERVICE_PROVIDER_SECRET', auth.isEnabled),
    }),
    llm: llm.settings,
    subscriptions: readSubscriptions(reader),
    retention: readRetention(reader),
    registries: readRegistrySettings(reader),
    secretVariables: [...SECRETS, ...vcs.tokenVariables, ...llm.keyVariables],
    ownSecrets: digestSecrets(reader.secrets),
    warnings: reader.warnings,
  });
  checkAgentToken(reader, config.auth);
  reader.warnOfUnknown('SERVICE_', OF_OTHER_COMMANDS);
  reader.finish();
  return config;
}

/** A token that is something else besides would give its agent that as well, in dev mode, too. */
function checkAgentToken(reader: Reader, { agentToken }: AuthConfig): void {
  const same = reader.secrets.filter((secret) => secretDigest(secret) === agentToken);
  if (same.length < 2) return;
  reader.problem('CRA_AGENT_OVERRIDE_TOKEN', 'must not be another token or secret of the service');
}

/** Settings with the prefix of the daemon's own that `cra mcp` reads. */
const OF_OTHER_COMMANDS = ['SERVICE_MCP_AUDIT_PATH'];

/** What `cra audit` reads from the environment. */
export interface AuditSettings {
  readonly dataDir: string;
  readonly store: StoreSetting;
  /** Where sealed segments are; null: nowhere. */
  readonly segments: BucketSettings | null;
  /** Seed that checkpoints are signed with; null: that of the data directory. */
  readonly checkpointSeed: Uint8Array | null;
  /** Secrets in the environment of the command: what it writes must not hold them. */
  readonly ownSecrets: SecretDigests;
}

/** Reads the settings of `cra audit`. Throws INVALID_ARGUMENT like `readConfig`. */
export function readAuditSettings(env: Environment = process.env): AuditSettings {
  const reader = createReader(env);
  const settings = Object.freeze({
    dataDir: resolve(reader.text('SERVICE_DATA_DIR', './data')),
    store: Object.freeze(storeSetting(reader)),
    segments: segmentsSetting(reader),
    checkpointSeed: sharedKey(reader, 'SERVICE_CHECKPOINT_KEY'),
    ownSecrets: ownSecrets(reader, env),
  });
  reader.finish();
  return settings;
}

/** Reads when RFCs leave the store for the archive. Throws INVALID_ARGUMENT like `readConfig`. */
export function readRetentionSettings(env: Environment = process.env): Retention {
  const reader = createReader(env);
  const retention = readRetention(reader);
  reader.finish();
  return retention;
}

/** Reads where mirrors are, and of which hosts. Throws INVALID_ARGUMENT like `readConfig`. */
export function readMirrorSettings(
  env: Environment = process.env,
): Pick<Config, 'dataDir' | 'vcs'> {
  const reader = createReader(env);
  const dataDir = resolve(reader.text('SERVICE_DATA_DIR', './data'));
  const { settings: vcs } = readVcsConfig(reader, false);
  reader.finish();
  return { dataDir, vcs };
}

/** Of variables that the command itself has no use for the values are enough. */
function ownSecrets(reader: Reader, env: Environment): SecretDigests {
  for (const name of SECRETS) reader.noteSecret(env[name]?.trim() ?? '');
  return digestSecrets(reader.secrets);
}

/** Reads the settings of `cra setup`. Throws INVALID_ARGUMENT like `readConfig`. */
export function readSetupSettings(env: Environment = process.env): {
  /** Connection string of an administrator; empty when absent. */
  readonly adminUrl: string;
} {
  const reader = createReader(env);
  const settings = Object.freeze({ adminUrl: reader.secret('CRA_ADMIN_URL') });
  reader.finish();
  return settings;
}

/** Reads the settings of `cra llm`. Throws INVALID_ARGUMENT like `readConfig`. */
export function readLlmSettings(env: Environment = process.env): LlmSettings {
  const reader = createReader(env);
  const { settings } = readLlmConfig(reader);
  reader.finish();
  return settings;
}

/** Settings of libraries that read the environment themselves; call before they are loaded. */
export function applyLibrarySettings(): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(HTTP.HEADER_BYTES_HARD_MAX);
  // The version in package-lock.json runs on the Node that is required.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
}

const SECRETS = [
  'CRA_API_TOKEN',
  'SERVICE_API_TOKENS',
  'CRA_OVERRIDE_TOKEN',
  'CRA_AGENT_OVERRIDE_TOKEN',
  'SERVICE_STORE_URL',
  'SERVICE_AUDIT_URL',
  'SERVICE_SEGMENTS_SECRET_KEY',
  'SERVICE_FINGERPRINT_KEY',
  'SERVICE_SEAL_KEY',
  'SERVICE_CHECKPOINT_KEY',
  'SERVICE_OIDC_CLIENT_SECRET',
  'SERVICE_SESSION_SECRET',
  'SERVICE_ADMIN_PASSWORD_HASH',
  'CRA_WEBHOOK_SECRET',
  'SERVICE_PROVIDER_SECRET',
  'SERVICE_NPM_REGISTRY_TOKEN',
  'SERVICE_PYPI_REGISTRY_TOKEN',
];

/** The secrets that were read do not go on to child processes. */
export function forgetSecrets({ secretVariables }: Pick<Config, 'secretVariables'>): void {
  for (const name of secretVariables) delete process.env[name];
}

/** What sd_notify(3) and sd_watchdog_enabled(3) say of these variables. */
function notifySetting(reader: Reader): NotifySetting | null {
  const socket = reader.text('NOTIFY_SOCKET', '');
  if (socket === '') return null;
  const watchdogMs = Number(reader.text('WATCHDOG_USEC', '0')) / 1000;
  const isOurs = reader.text('WATCHDOG_PID', String(process.pid)) === String(process.pid);
  return Object.freeze({
    socket,
    watchdogMs: isOurs && watchdogMs > 0 ? watchdogMs : null,
    path: reader.text('PATH', '/usr/bin:/bin'),
  });
}

/** The scan threads share the machine with the main and the store threads. */
function defaultThreads(): number {
  return Math.max(PIPELINE.THREADS_DEFAULT_MIN, availableParallelism());
}

function readAuth(reader: Reader, place: Place): AuthConfig {
  const isEnabled = reader.boolean('SERVICE_AUTH_ENABLED', false);
  const single = reader.secret('CRA_API_TOKEN');
  const tokens = [single, ...reader.secret('SERVICE_API_TOKENS').split(/[\s,]+/)].filter(Boolean);
  const override = reader.secret('CRA_OVERRIDE_TOKEN');
  const agent = reader.secret('CRA_AGENT_OVERRIDE_TOKEN');
  const oidc = readOidc(reader);
  // What dev mode only warns of ends the start once authentication is on.
  const weak = isEnabled ? reader.problem : reader.warning;
  if (isEnabled && tokens.length === 0 && oidc === null) {
    reader.problem('CRA_API_TOKEN', 'or SERVICE_API_TOKENS or SERVICE_OIDC_ISSUER is required');
  }
  if (!isEnabled) {
    reader.warning('SERVICE_AUTH_ENABLED', 'is false: everybody who reaches the port can use it');
  }
  if (!tokens.every(isStrong)) {
    weak('CRA_API_TOKEN', `and SERVICE_API_TOKENS must have ${STRONG} each`);
  }
  if (override !== '' && !isStrong(override)) weak('CRA_OVERRIDE_TOKEN', `must have ${STRONG}`);
  if (tokens.includes(override)) {
    weak('CRA_OVERRIDE_TOKEN', 'must not be one of the API tokens');
  }
  if (agent !== '' && !isStrong(agent)) weak('CRA_AGENT_OVERRIDE_TOKEN', `must have ${STRONG}`);
  const apiTokens = [...new Set(tokens)].map(secretDigest);
  return {
    isEnabled,
    apiTokens,
    tokenBounds: Object.freeze(readTokenBounds(reader, apiTokens)),
    overrideToken: override === '' ? null : secretDigest(override),
    agentToken: agent === '' ? null : secretDigest(agent),
    agentCeilings: Object.freeze(agentCeilings(reader)),
    sessionDecisions: reader.oneOf('SERVICE_SESSION_DECISIONS', SESSION_DECISIONS, 'admin'),
    fourEyes: reader.boolean('SERVICE_FOUR_EYES', false),
    oidc,
    // Rules and deletions need a person once an override token guards them, in dev mode as well.
    login: readLogin(reader, place, {
      isNeeded: isEnabled || override !== '' || agent !== '',
      hasIssuer: oidc !== null,
    }),
  };
}

/** Agents with a token of their own may override so much. */
function agentCeilings(reader: Reader): AgentCeilings {
  return {
    max_score: reader.integer('SERVICE_AGENT_MAX_SCORE', AGENTS.SCORE_DEFAULT, 0, 100),
    max_overrides_per_day: reader.integer(
      'SERVICE_AGENT_MAX_OVERRIDES_PER_DAY',
      AGENTS.OVERRIDES_PER_DAY_DEFAULT,
      0,
      AGENTS.OVERRIDES_PER_DAY_MAX,
    ),
  };
}

/** A list, so that a new secret can be added before the old one goes. */
function webhookSecrets(reader: Reader, name: string, isAuthEnabled: boolean): readonly string[] {
  const secrets = reader
    .secret(name)
    .split(',')
    .map((secret) => secret.trim());
  const given = secrets.filter((secret) => secret !== '');
  if (given.some((secret) => secret.length < VCS.WEBHOOK_SECRET_CHARS_MIN)) {
    const weak = isAuthEnabled ? reader.problem : reader.warning;
    weak(name, `must have at least ${VCS.WEBHOOK_SECRET_CHARS_MIN} characters (each of a list)`);
  }
  return Object.freeze(given);
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

/** A Unix socket's path has at most 107 bytes (man 7 unix), and is made in a folder beside it. */
const SOCKET_PATH_BYTES_MAX = 98;

function socketPath(reader: Reader): string | null {
  const path = reader.text('SERVICE_SOCKET', '');
  if (path === '') return null;
  if (!isAbsolute(path) || Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    const message = `must be an absolute path of at most ${SOCKET_PATH_BYTES_MAX} bytes`;
    reader.problem('SERVICE_SOCKET', message);
  }
  return path;
}

const RETENTION_DAYS_DEFAULT = 365;
const RETENTION_DAYS_MAX = 36_500;

/** Sealed segments of the audit trail in object storage; null: no bucket is named. */
function segmentsSetting(reader: Reader): BucketSettings | null {
  const settings = {
    bucket: reader.text('SERVICE_SEGMENTS_BUCKET', ''),
    endpoint: reader.text('SERVICE_SEGMENTS_ENDPOINT', '') || null,
    region: reader.text('SERVICE_SEGMENTS_REGION', 'us-east-1'),
    accessKey: reader.text('SERVICE_SEGMENTS_ACCESS_KEY', ''),
    secretKey: reader.secret('SERVICE_SEGMENTS_SECRET_KEY'),
    retentionDays: reader.integer(
      'SERVICE_SEGMENTS_RETENTION_DAYS',
      RETENTION_DAYS_DEFAULT,
      1,
      RETENTION_DAYS_MAX,
    ),
  };
  const { bucket, endpoint, accessKey, secretKey } = settings;
  if (bucket === '') return null;
  if (accessKey === '')
    reader.problem('SERVICE_SEGMENTS_ACCESS_KEY', 'is missing beside the bucket');
  if (secretKey === '')
    reader.problem('SERVICE_SEGMENTS_SECRET_KEY', 'is missing beside the bucket');
  if (endpoint !== null && !(URL.canParse(endpoint) && isSafeUrl(new URL(endpoint)))) {
    reader.problem('SERVICE_SEGMENTS_ENDPOINT', 'must be an https address (http on loopback only)');
  }
  return Object.freeze(settings);
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
