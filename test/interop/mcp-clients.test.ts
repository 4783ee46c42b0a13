import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { newFile, PROGRAM, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import { API_TOKEN, OVERRIDE_TOKEN, stateHome } from '../mcp/tool-server.ts';

const run = promisify(execFile);
const DIFF = newFile('deploy/env.sh', `export AWS_KEY=${AWS_KEY}\n`);

/** The whole flow with the session of the reference client, in both of its major versions. */
const REFERENCE_CLIENT = `
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(node, cli, diff):
    env = {k: v for k, v in os.environ.items() if k.startswith(("CRA_", "XDG_", "PATH"))}
    server = StdioServerParameters(command=node, args=[cli, "mcp"], env=env)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        async def call(name, **args):
            result = await session.call_tool(name, args)
            dumped = json.loads(result.model_dump_json(by_alias=True))
            return dumped["content"][0]["text"], dumped.get("isError", False)
        await flow(names, call, diff)
`;

const FASTMCP_CLIENT = `
import asyncio, json, os, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

async def main(node, cli, diff):
    env = {k: v for k, v in os.environ.items() if k.startswith(("CRA_", "XDG_", "PATH"))}
    async with Client(StdioTransport(command=node, args=[cli, "mcp"], env=env)) as client:
        names = [tool.name for tool in await client.list_tools()]
        async def call(name, **args):
            result = await client.call_tool(name, args, raise_on_error=False)
            return result.content[0].text, result.is_error
        await flow(names, call, diff)
`;

const FLOW = `
async def flow(names, call, diff):
    out = {"names": names}
    text, _ = await call("cra.analyze", repo_name="acme/shop", diff=diff)
    rfc = json.loads(text)
    out["verdict"] = rfc["overall_status"]
    text, _ = await call("cra.list_blockers", repo="acme/shop")
    out["total"] = json.loads(text)["total"]
    reason = "The key is revoked, see OPS-1"
    out["refused"] = await call("cra.override", rfc_id=rfc["rfc_id"], reason=reason)
    await call("cra.start_override_session", reason=reason, max_score=100)
    text, _ = await call("cra.override", rfc_id=rfc["rfc_id"], reason=reason)
    out["allowed"] = json.loads(text)["allowed"]
    text, _ = await call("cra.prod_check", repo="acme/shop")
    out["deploys"] = json.loads(text)["allowed"]
    print(json.dumps(out))

asyncio.run(main(*sys.argv[1:]))
`;

const CLIENTS: readonly [string, string][] = [
  ['mcp==2.3.0', REFERENCE_CLIENT],
  ['mcp==1.30.0', REFERENCE_CLIENT],
  ['fastmcp==4.1.0', FASTMCP_CLIENT],
];

/** Of one client each. What is not imported need not be compiled. */
const PIP_INSTALL = ['install', '--quiet', '--no-compile', '--disable-pip-version-check'];

for (const [requirement, client] of CLIENTS) {
  test(`${requirement} goes from a blocked change to an override`, async (t) => {
    t.timeout(240_000);
    const directory = temporaryDir(t);
    const packages = join(directory, 'packages');
    await run('python3', ['-m', 'pip', ...PIP_INSTALL, '--target', packages, requirement]);
    const script = join(directory, 'client.py');
    writeFileSync(script, client + FLOW);
    const env = { ...(await serviceEnv(t)), PYTHONPATH: packages };
    const { stdout } = await run('python3', [script, process.execPath, PROGRAM, DIFF], { env });
    const out = JSON.parse(stdout);
    t.is(out.names.length, 10);
    t.like(out, { verdict: 'BLOCKED', total: 1, allowed: true, deploys: true });
    const [text, isError] = out.refused;
    t.regex(text, /^ERROR: no override session is active/);
    t.true(isError);
  });
}

test('the Inspector lists the tools and calls one', async (t) => {
  t.timeout(240_000);
  const directory = temporaryDir(t);
  const packageName = '@modelcontextprotocol/inspector@2.12.0';
  await run('npm', ['install', '--silent', '--prefix', directory, packageName]);
  const inspector = join(directory, 'node_modules', '.bin', 'mcp-inspector');
  t.true(existsSync(inspector));
  const env = await serviceEnv(t);
  const call = async (...args: string[]) => {
    // It hands only a few variables of its own environment on.
    const given = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
    const command = ['--cli', ...given, process.execPath, PROGRAM, 'mcp', ...args];
    // A tool's error is its exit code, too; the answer stands in its output all the same.
    const failed = (thrown: { stdout: string }) => thrown;
    const { stdout } = await run(inspector, command, { env }).catch(failed);
    return JSON.parse(stdout);
  };
  const { tools } = await call('--method', 'tools/list');
  t.is(tools.length, 10);
  const method = 'tools/call';
  const name = 'cra.prod_check';
  const args = ['--method', method, '--tool-name', name, '--tool-arg', 'repo=acme/unknown'];
  const { content, isError } = await call(...args);
  t.true(isError);
  t.regex(content[0].text, /^ERROR: the service answered 404/);
});

async function serviceEnv(t: ExecutionContext): Promise<Record<string, string>> {
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: API_TOKEN,
    CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
  });
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    XDG_STATE_HOME: stateHome(t),
    CRA_BASE_URL: `http://127.0.0.1:${daemon.port}`,
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_MCP_MAX_SCORE: '100',
    CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
  };
}
