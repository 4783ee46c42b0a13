import { Console } from 'node:console';
import { join } from 'node:path';
import { openAuditLog } from './audit-log.ts';
import { readCredential } from './credentials.ts';
import { serveTools } from './server.ts';
import { createServiceApi } from './service-api.ts';
import { openSessions, type Sessions } from './sessions.ts';
import { readSettings } from './settings.ts';
import type { ToolContext } from './tool.ts';
import { overrideTools } from './tools-override.ts';
import { readTools } from './tools-read.ts';

/** Starts the tool server on standard input and output; it ends when its input does. */
export async function startToolServer(version: string): Promise<void> {
  // Standard output carries the protocol alone, whatever a package prints.
  globalThis.console = new Console(process.stderr);
  const settings = readSettings();
  const [api, override] = await Promise.all([
    readCredential('cra-mcp'),
    readCredential('cra-mcp-override'),
  ]);
  const apiToken = api.token || settings.apiToken;
  const overrideToken = override.token || settings.overrideToken;
  const hide = createTokenHider([apiToken, overrideToken]);
  const warn = (text: string) => void process.stderr.write(`cra mcp: ${hide(text)}\n`);
  for (const text of settings.warnings) warn(text);
  if (api.problem !== null && apiToken === '') {
    warn(`the credential store cannot be read (${api.problem}), and CRA_MCP_TOKEN is not set`);
  }
  const audit = openAuditLog(settings.auditPath, hide);
  const sessions = openSessions(join(settings.stateDir, 'sessions.json'));
  const context: ToolContext = {
    ...{ settings, sessions, overrideToken },
    api: createServiceApi({ ...settings, apiToken }),
    checkAuditLog: () => audit.check(),
  };
  const tools = [...readTools(context), ...overrideTools(context)];
  serveTools({ version, tools, audit, hide, warn, ...settings });
  try {
    await auditCutOverrides(sessions, audit);
  } catch (thrown) {
    warn(`could not look for overrides that were cut off: ${(thrown as Error).message}`);
  }
}

/** An override whose process was killed before its answer came gets its line now. */
async function auditCutOverrides(
  sessions: Sessions,
  audit: ReturnType<typeof openAuditLog>,
): Promise<void> {
  for (const { rfcId, reason, sessionId } of await sessions.takeCut()) {
    const args = { rfc_id: rfcId, reason };
    await audit.append({ tool: 'cra.override', args, result: 'unknown', sessionId });
  }
}

const HIDDEN = '[token]';
const TOKEN_CHARS_MIN = 8;

/**
 * Replaces tokens in every text of a value, keys included. A token may stand in an argument, or
 * come back in what the service or a proxy answers.
 */
function createTokenHider(tokens: readonly string[]): <T>(value: T) => T {
  const known = tokens.filter((token) => token.length >= TOKEN_CHARS_MIN);
  const forms = known.flatMap((token) => [token, encodeURIComponent(token)]);
  const hideText = (text: string) =>
    forms.reduce((hidden, form) => hidden.replaceAll(form, HIDDEN), text);
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return hideText(value);
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, each]) => [hideText(key), hide(each)]);
    return Object.fromEntries(entries);
  };
  return (value) => hide(value) as typeof value;
}
