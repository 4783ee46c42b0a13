import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

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
