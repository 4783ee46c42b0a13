import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { AsyncEntry } from '@napi-rs/keyring';
import { readBody, startDeadline } from '../core/deadline.ts';

/** Settings of the tool server. This file is the only one of `mcp` that reads the environment. */
export interface McpSettings {
  /** Address of the service, with a trailing slash; null: `CRA_BASE_URL` cannot be used. */
  baseUrl: URL | null;
  /** Why `baseUrl` is null, in a sentence; empty otherwise. */
  baseUrlProblem: string;
  /** Start of links to the dashboard, without a trailing slash. */
  publicUrl: string;
  /** Highest risk score that any session overrides. */
  maxScore: number;
  /** Overrides of a session, and of all sessions within an hour. */
  maxOverrides: number;
  /** Whether a person has to confirm each session. */
  confirmsSessions: boolean;
  /** Names with underscores, for hosts that refuse dots. */
  hasUnderscoreNames: boolean;
  /** Folder of sessions and, unless set otherwise, of the audit log; made with mode 0700. */
  stateDir: string;
  auditPath: string;
  /** Tokens from the environment, for platforms without a credential store; empty: not set. */
  apiToken: string;
  overrideToken: string;
  /** The override token of agents; used in the place of the other one. */
  agentToken: string;
  /** Settings that were ignored, in sentences, for standard error. */
  warnings: string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_BASE_URL = 'http://127.0.0.1:3011';
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
/** System defaults of an override session, which are its ceilings, too (specification, Limits). */
const MAX_SCORE = 70;
const MAX_OVERRIDES = 5;
const MAX_SCORE_LIMIT = 100;
const MAX_OVERRIDES_LIMIT = 100;

/** Reads the settings. Never throws: what cannot be used is named where it is needed. */
export function readSettings(env: Environment = process.env): McpSettings {
  const warnings: string[] = [];
  const base = readBaseUrl(env['CRA_BASE_URL']?.trim() || DEFAULT_BASE_URL);
  const stateDir = join(stateHome(env), 'cra-mcp');
  const names = env['CRA_MCP_TOOL_NAMES']?.trim() ?? '';
  if (!['', 'dotted', 'underscore'].includes(names)) {
    warnings.push('CRA_MCP_TOOL_NAMES must be "dotted" or "underscore"; using dotted names');
  }
  return {
    ...base,
    publicUrl: withoutSlash(env['CRA_MCP_PUBLIC_URL']?.trim() || (base.baseUrl?.href ?? '')),
    maxScore: readInteger(env, 'CRA_MCP_MAX_SCORE', MAX_SCORE, 0, MAX_SCORE_LIMIT, warnings),
    maxOverrides: readInteger(
      ...([env, 'CRA_MCP_MAX_OVERRIDES', MAX_OVERRIDES, 1, MAX_OVERRIDES_LIMIT] as const),
      warnings,
    ),
    confirmsSessions: readConfirms(env['CRA_MCP_CONFIRM_SESSIONS']?.trim() ?? '', warnings),
    hasUnderscoreNames: names === 'underscore',
    stateDir,
    auditPath: env['SERVICE_MCP_AUDIT_PATH']?.trim() || join(stateDir, 'audit.jsonl'),
    apiToken: env['CRA_MCP_TOKEN']?.trim() ?? '',
    overrideToken: env['CRA_MCP_OVERRIDE_TOKEN']?.trim() ?? '',
    agentToken: env['CRA_MCP_AGENT_OVERRIDE_TOKEN']?.trim() ?? '',
    warnings,
  };
}

/** What cannot be read asks a person: it was set for that. */
function readConfirms(text: string, warnings: string[]): boolean {
  if (text === '' || text === 'false') return false;
  if (text !== 'true') {
    warnings.push('CRA_MCP_CONFIRM_SESSIONS must be true or false; sessions have to be confirmed');
  }
  return true;
}

/** XDG Base Directory Specification: a relative path in `XDG_STATE_HOME` is ignored. */
function stateHome(env: Environment): string {
  const given = env['XDG_STATE_HOME'] ?? '';
  return isAbsolute(given) ? given : join(env['HOME'] || homedir(), '.local', 'state');
}

function readBaseUrl(text: string): Pick<McpSettings, 'baseUrl' | 'baseUrlProblem'> {
  const url = URL.canParse(text) ? new URL(text.endsWith('/') ? text : `${text}/`) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return refusedUrl('CRA_BASE_URL must be an address such as https://cra.example.com');
  }
  if (url.username !== '' || url.password !== '') {
    return refusedUrl('CRA_BASE_URL must not hold a user name or password');
  }
  if (url.protocol === 'http:' && !LOOPBACK_NAMES.has(url.hostname)) {
    return refusedUrl('CRA_BASE_URL must use https, because tokens would cross the network');
  }
  return { baseUrl: url, baseUrlProblem: '' };
}

function refusedUrl(baseUrlProblem: string): Pick<McpSettings, 'baseUrl' | 'baseUrlProblem'> {
  return { baseUrl: null, baseUrlProblem };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function readInteger(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
  warnings: string[],
): number {
  const text = env[name]?.trim() ?? '';
  if (text === '') return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  warnings.push(`${name} must be a whole number from ${min} to ${max}; using ${fallback}`);
  return fallback;
}

/** Names of the entries in the credential store (specification, Tool server credentials). */
export type CredentialName = 'cra-mcp' | 'cra-mcp-override';

const ACCOUNT = 'default';
/** Hosts start the server on every launch: a store that waits for a desktop prompt is skipped. */
const START_TIMEOUT_MS = 300;
/** At login a person may have to unlock the store. */
const LOGIN_TIMEOUT_MS = 60_000;

/**
 * Reads a token from the credential store of the platform. Empty: the store does not hold it.
 * `problem` says why the store could not be read; most servers have none.
 */
export async function readCredential(
  name: CredentialName,
): Promise<{ token: string; problem: string | null }> {
  try {
    const limit = AbortSignal.timeout(START_TIMEOUT_MS);
    const late = new Promise<never>((_, reject) => {
      limit.addEventListener('abort', () =>
        reject(new Error(`no answer in ${START_TIMEOUT_MS} ms`)),
      );
    });
    const read = openEntry(name).then((entry) => entry.getPassword(limit));
    const token = await Promise.race([read, late]);
    return { token: token?.trim() ?? '', problem: null };
  } catch (thrown) {
    return { token: '', problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Writes a token. Throws when there is no credential store. */
export async function writeCredential(name: CredentialName, token: string): Promise<void> {
  const entry = await openEntry(name);
  await entry.setPassword(token, AbortSignal.timeout(LOGIN_TIMEOUT_MS));
}

/** Removes a token; false: there was no such entry. Throws when there is no credential store. */
export async function removeCredential(name: CredentialName): Promise<boolean> {
  const entry = await openEntry(name);
  const limit = AbortSignal.timeout(LOGIN_TIMEOUT_MS);
  if ((await entry.getPassword(limit)) == null) return false;
  await entry.deletePassword(limit);
  return true;
}

/**
 * The package is optional: a platform without a prebuilt binary has no store. On Linux the Secret
 * Service is named, because without it the package falls back to the kernel's keyring, which
 * accepts a token and loses it at logout.
 */
async function openEntry(name: CredentialName): Promise<AsyncEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry(name, ACCOUNT, { linux: { store: 'secret-service' } });
}

/** A request to the service. */
export interface ApiRequest {
  method: 'GET' | 'POST';
  /** Below `/api/cra/`, with its query. */
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Replaces the API token as the credential. */
  token?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What came back: the service answered, or whether it got the request is not known. */
export type ApiReply =
  | { kind: 'data'; data: unknown; nextCursor: string | null }
  | { kind: 'refused'; status: number; error: string; details: Readonly<Record<string, unknown>> }
  /** Nothing was sent, or the connection was refused: the service changed nothing. */
  | { kind: 'not-sent'; error: string }
  /** Sent, but no readable answer came. */
  | { kind: 'unknown'; error: string };

/** The HTTP API of the service, as the tools call it. Never throws. */
export type CallApi = (request: ApiRequest) => Promise<ApiReply>;

export interface ServiceApiOptions {
  /** Null: the address cannot be used, for the reason in `baseUrlProblem`. */
  baseUrl: URL | null;
  baseUrlProblem: string;
  /** Empty: not found. */
  apiToken: string;
}

const TIMEOUT_MS = 30_000;
/** 50 RFCs with 500 findings each stay far below; a larger answer is not from this service. */
const REPLY_BYTES_MAX = 8 * 1024 * 1024;
const ERROR_CHARS_MAX = 500;

/** Creates the client. Redirects are not followed: a token goes to the configured address only. */
export function createServiceApi(options: ServiceApiOptions): CallApi {
  const { baseUrl, baseUrlProblem, apiToken } = options;
  return async ({ method, path, body, headers = {}, token, timeoutMs, signal }) => {
    if (baseUrl === null) return { kind: 'not-sent', error: baseUrlProblem };
    const credential = token ?? apiToken;
    if (credential === '') return { kind: 'not-sent', error: NO_TOKEN };
    const limit = startDeadline(timeoutMs ?? TIMEOUT_MS, signal === undefined ? [] : [signal]);
    try {
      const response = await fetch(new URL(`api/cra/${path}`, baseUrl), {
        method,
        redirect: 'error',
        headers: {
          ...headers,
          authorization: `Bearer ${credential}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: limit.signal,
      });
      const bytes = await readBody(response, limit.signal, REPLY_BYTES_MAX);
      return bytes === null ? tooLarge(baseUrl) : readReply(response.status, bytes);
    } catch (thrown) {
      return failure(thrown, baseUrl, limit.signal.aborted && signal?.aborted !== true);
    } finally {
      limit.clear();
    }
  };
}

const NO_TOKEN =
  'no API token was found: run "cra mcp login", or set CRA_MCP_TOKEN in the configuration of the ' +
  'tool server';

/** Errors of a connection that was never made: nothing reached the service. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function failure(thrown: unknown, baseUrl: URL, isLate: boolean): ApiReply {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const at = baseUrl.origin;
  if (NOT_CONNECTED.has(code)) {
    const error = `could not connect to the service at ${at} (${code}): check CRA_BASE_URL and that the service runs`;
    return { kind: 'not-sent', error };
  }
  if (isLate) return { kind: 'unknown', error: `the service at ${at} did not answer in time` };
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return { kind: 'unknown', error: `the connection to ${at} broke${why}` };
}

function tooLarge({ origin }: URL): ApiReply {
  const error = `the answer from ${origin} is larger than ${REPLY_BYTES_MAX} bytes: check CRA_BASE_URL`;
  return { kind: 'unknown', error };
}

/** Accepts success with and without the envelope (specification, Errors: Response envelope). */
function readReply(status: number, bytes: Buffer): ApiReply {
  const json = parse(bytes);
  const envelope = isRecord(json) ? json : {};
  if (status < 200 || status > 299 || envelope['ok'] === false) {
    const said = typeof envelope['error'] === 'string' ? envelope['error'] : 'no reason given';
    const error = said.slice(0, ERROR_CHARS_MAX);
    const details = isRecord(envelope['details']) ? envelope['details'] : {};
    return { kind: 'refused', status, error, details };
  }
  if (json === undefined || typeof json !== 'object') {
    return { kind: 'unknown', error: 'the answer is not JSON: check CRA_BASE_URL' };
  }
  if (envelope['ok'] !== true) return { kind: 'data', data: json, nextCursor: null };
  const cursor = envelope['next_cursor'];
  return {
    kind: 'data',
    data: envelope['data'] ?? null,
    nextCursor: typeof cursor === 'string' ? cursor : null,
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
