import type { CallApi } from './service-api.ts';
import type { Sessions } from './sessions.ts';
import type { McpSettings } from './settings.ts';

/** A tool of the server: its contract with the client, and what a call does. */
export interface ToolDefinition {
  /** Dotted, as the specification names it. */
  name: string;
  title: string;
  description: string;
  /** JSON Schema; arguments that do not match it never reach `run`. */
  inputSchema: InputSchema;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  /** `args` match the schema and hold its defaults. Throws a ToolError for a failure. */
  run(args: Readonly<Record<string, unknown>>, call: ToolCall): Promise<Record<string, unknown>>;
}

export interface InputSchema {
  type: 'object';
  additionalProperties: false;
  required?: readonly string[];
  properties: Readonly<Record<string, { default?: unknown; [keyword: string]: unknown }>>;
}

/** What a tool may use. */
export interface ToolContext {
  api: CallApi;
  sessions: Sessions;
  settings: McpSettings;
  /** Empty: there is no override token. */
  overrideToken: string;
  /** Throws when the audit log cannot be written. */
  checkAuditLog(): void;
}

/** One call. */
export interface ToolCall {
  signal: AbortSignal;
  /** Tells the client how far a long call is; null: the client did not ask for that. */
  progress: ((done: number, total: number, message: string) => Promise<void>) | null;
  /** Set by an override call, for its line in the audit log. */
  sessionId?: string | null;
  /**
   * Set by an override call: settles its place in the budget once the line is written. A kill in
   * between leaves the place to the next start, which writes a line for it.
   */
  settle?: () => Promise<void>;
}

/** A failure that the caller sees as `ERROR: ` and this message, which says what to do. */
export class ToolError extends Error {}

/** The data of a reply; throws a ToolError for every other reply. */
export function dataOf(reply: Awaited<ReturnType<CallApi>>): {
  data: unknown;
  next: string | null;
} {
  if (reply.kind === 'data') return { data: reply.data, next: reply.nextCursor };
  if (reply.kind === 'refused') throw new ToolError(refusalText(reply.status, reply.error));
  throw new ToolError(reply.error);
}

/** A refusal of the service in words, with what to do about it. */
export function refusalText(status: number, error: string): string {
  const text = `the service answered ${status}: ${error}`;
  if (status === 401) return `${text}. Check the API token ("cra mcp login" or CRA_MCP_TOKEN)`;
  if (status === 403) return `${text}. The token does not have this privilege`;
  if (status === 503) return `${text}. Nothing was changed; try again in a few seconds`;
  return text;
}
