import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { ownVersion } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';

const USAGE = `usage: cra mcp [login [--override] | logout [--override]]

Serves the tools of the service to an agent over standard input and output (Model Context
Protocol). Hosts start it; docs/mcp.md has the configuration for each.

  login     read a token from standard input and keep it in the credential store
  logout    remove it from the credential store
  --override   the override token instead of the API token

Without a credential store: CRA_MCP_TOKEN, CRA_MCP_OVERRIDE_TOKEN.
Address of the service: CRA_BASE_URL (default http://127.0.0.1:3011).
`;

/** `cra mcp`: the tool server, and the credentials that it uses. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, override: { type: 'boolean' } },
  });
  const [action, ...rest] = positionals;
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (rest.length > 0 || !['login', 'logout', undefined].includes(action)) {
    throw new CraError('INVALID_ARGUMENT', `unknown argument "${rest[0] ?? action}"\n\n${USAGE}`);
  }
  if (action === undefined) {
    const { startToolServer } = await import('../mcp/main.ts');
    await startToolServer(ownVersion());
    return 0;
  }
  const name = values.override === true ? 'cra-mcp-override' : 'cra-mcp';
  const { removeCredential, writeCredential } = await import('../mcp/settings.ts');
  try {
    if (action === 'logout') {
      const isRemoved = await removeCredential(name);
      process.stderr.write(isRemoved ? `removed ${name}\n` : `${name} was not stored\n`);
      return 0;
    }
    const token = await readToken(values.override === true ? 'Override token' : 'API token');
    if (token === '') throw new CraError('INVALID_ARGUMENT', 'the token is empty');
    await writeCredential(name, token);
    process.stderr.write(`stored as ${name}; start the tool server again to use it\n`);
    return 0;
  } catch (thrown) {
    if (thrown instanceof CraError) throw thrown;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `the credential store cannot be used (${why}): set CRA_MCP_TOKEN and CRA_MCP_OVERRIDE_TOKEN in the configuration of the tool server instead`;
    throw new CraError('UNAVAILABLE', message, { cause: thrown });
  }
}

/** The first line of standard input; typed characters are not shown. */
async function readToken(label: string): Promise<string> {
  const isTyped = process.stdin.isTTY === true;
  if (isTyped) process.stderr.write(`${label} (not shown): `);
  const lines = createInterface({ input: process.stdin, terminal: isTyped });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (isTyped) process.stderr.write('\n');
  }
}
