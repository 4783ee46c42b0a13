import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PROGRAM, startDaemonProcess, type Teardown, temporaryDir } from '../daemon.ts';

export const API_TOKEN = 'api-token-'.padEnd(40, 'a');
export const AGENT_TOKEN = 'agent-token-'.padEnd(40, 'g');
export const OVERRIDE_TOKEN = 'override-token-'.padEnd(40, 'o');

/** What a tool answered. */
export interface ToolAnswer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer.
  data: any;
}

/** `cra mcp` as a process, with a client that speaks to it over standard input and output. */
export interface ToolServer {
  client: Client;
  pid: number;
  stderr(): string;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** A state directory of its own, removed at the end of the test. */
export function stateHome(t: Teardown): string {
  const path = mkdtempSync(join(tmpdir(), 'cra-mcp-test-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The service, and the environment of a tool server that uses it with both tokens. */
export async function startService(
  t: Teardown,
  {
    dataDir = temporaryDir(t),
    overrideToken = OVERRIDE_TOKEN,
    rulesPath = '',
    serve = {} as Record<string, string>,
  } = {},
) {
  const daemon = await startDaemonProcess(t, dataDir, {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: API_TOKEN,
    CRA_OVERRIDE_TOKEN: overrideToken,
    ...(rulesPath !== '' && { SERVICE_RULES_PATH: rulesPath }),
    ...serve,
  });
  const home = stateHome(t);
  const env = {
    XDG_STATE_HOME: home,
    CRA_BASE_URL: `http://127.0.0.1:${daemon.port}`,
    // The ceiling of the tests, which lower it where they are about it.
    CRA_MCP_MAX_SCORE: '100',
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_MCP_OVERRIDE_TOKEN: overrideToken,
  };
  return { daemon, home, env };
}

/** How a person at the client answers questions; `capability` is what the client offers. */
export interface Person {
  capability: object;
  answer(question: string): object;
}

/** Starts the tool server and connects a client of the given era of the protocol. */
export async function startToolServer(
  t: Teardown,
  env: Record<string, string>,
  era: 'legacy' | '2026-07-28' = 'legacy',
  person: Person | null = null,
): Promise<ToolServer> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const mode = era === 'legacy' ? 'legacy' : { pin: era };
  const client = new Client({ name: 'test', version: '1.0.0' }, {
    versionNegotiation: { mode },
    ...(person !== null && { capabilities: { elicitation: person.capability } }),
  } as ConstructorParameters<typeof Client>[1]);
  if (person !== null) {
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => person.answer(params.message) as { action: 'accept' },
    );
  }
  await client.connect(transport);
  t.teardown(() => client.close());
  return {
    client,
    pid: transport.pid ?? 0,
    stderr: () => stderr,
    close: () => client.close(),
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const [content] = result.content as { type: string; text: string }[];
      const text = content?.text ?? '';
      const isError = result.isError === true;
      return { isError, text, data: isError ? null : result.structuredContent };
    },
  };
}

/** The lines of the local audit log. */
export function auditLines(home: string): Record<string, unknown>[] {
  const text = readFileSync(join(home, 'cra-mcp', 'audit.jsonl'), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
