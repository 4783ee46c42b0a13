import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../disk.ts';
import type { Load, LoadRequest, LoadResult } from './load.ts';

/**
 * Runs a load by wrk, one thread. Its clock has microseconds. Its CPU is read from
 * RUSAGE_CHILDREN as the shell's `times` gives it, for Node tells that of its own process only.
 */
export async function runWrk(load: Load): Promise<LoadResult> {
  const temporary = makeTemporary();
  try {
    const script = join(temporary.path, 'load.lua');
    writeFileSync(script, luaScript(writeRequests(temporary.path, load.requests)));
    const output = await execute([
      '-t1',
      `-c${load.connections}`,
      `-d${load.seconds}s`,
      '--timeout=60s',
      `-s${script}`,
      `http://127.0.0.1:${load.port}`,
    ]);
    return readResult(output);
  } finally {
    temporary.remove();
  }
}

/** Bodies stand in files: they may hold whatever a Lua string cannot. */
function writeRequests(directory: string, requests: readonly LoadRequest[]): string[] {
  return requests.map(({ path, body, headers = {} }, index) => {
    if (body === null) return `get(${JSON.stringify(path)}, ${luaTable(headers)})`;
    const file = join(directory, `${index}.json`);
    writeFileSync(file, body);
    const all = luaTable({ 'content-type': 'application/json', ...headers });
    return `post(${JSON.stringify(path)}, ${JSON.stringify(file)}, ${all})`;
  });
}

/** Names and values of headers are short ASCII, which JSON and Lua write alike. */
function luaTable(headers: Readonly<Record<string, string>>): string {
  const entries = Object.entries(headers);
  const fields = entries.map(
    ([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

function luaScript(requests: readonly string[]): string {
  return `
local function get(path, headers) return wrk.format("GET", path, headers) end
local function post(path, name, headers)
  local file = io.open(name, "rb")
  local body = file:read("*a")
  file:close()
  return wrk.format("POST", path, headers, body)
end
local requests
local next = 0
function init()
  requests = { ${requests.join(',\n')} }
end
function request()
  next = next % #requests + 1
  return requests[next]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max, failed))
end
`;
}

async function execute(args: readonly string[]): Promise<string> {
  const command = 'wrk "$@"; times';
  const child = spawn('sh', ['-c', command, 'sh', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return output;
}

function readResult(output: string): LoadResult {
  const numbers = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output)?.slice(1).map(Number);
  if (numbers === undefined) throw new Error(`wrk failed: ${output.slice(0, 500)}`);
  const [requests = 0, us = 0, p50 = 0, p99 = 0, max = 0, failed = 0] = numbers;
  return {
    requests,
    seconds: us / 1e6,
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    maxMs: max / 1000,
    failed,
    cpuSeconds: childSeconds(output),
  };
}

/** The last line of `times`: user and system time of the children, as `0m1.234s 0m0.567s`. */
function childSeconds(output: string): number {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const parts = [...last.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
