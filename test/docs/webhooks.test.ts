import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { createRepository, ENVIRONMENT } from '../cli/fixtures/repository.ts';
import { PROGRAM, temporaryDir } from '../daemon.ts';
import { describeProblem } from '../hosts/operations.ts';

const PAGE = ['github', 'gitea', 'gitlab', 'pull-requests']
  .map((page) => readFileSync(`docs/how-to/${page}.md`, 'utf8'))
  .join('\n');
const run = promisify(execFile);

/** The blocks of commands that hold a text. */
function commandsWith(text: string): string[] {
  const blocks = [...PAGE.matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(([, block = '']) => block);
  return blocks.filter((block) => block.includes(text));
}

const HOSTS = [
  ['github', 'https://api.github.com', '', 'authorization', 'Bearer admin-token'],
  ['gitea', 'https://git.example.com', '/api/v1', 'authorization', 'token admin-token'],
  ['gitlab', 'https://gitlab.example.com', '/api/v4', 'private-token', 'admin-token'],
] as const;

/** A host that takes what its description knows; it keeps the bodies. */
async function startHost(
  t: ExecutionContext,
  [kind, , api, header, value]: (typeof HOSTS)[number],
) {
  const taken: { path: string; body: Record<string, unknown> }[] = [];
  const problems: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const isForm = request.headers['content-type']?.includes('urlencoded') && text[0] !== '{';
      const body = isForm ? formOf(text) : JSON.parse(text);
      const { method = '', url = '' } = request;
      const path = url.slice(api.length);
      const asked = { method, url: path, body: JSON.stringify(body) };
      if (request.headers[header] !== value) problems.push(`${url}: no token`);
      const problem = describeProblem(kind, asked);
      if (problem !== null) problems.push(problem);
      taken.push({ path, body });
      response.writeHead(201).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, taken, problems };
}

/** GitLab takes a form, too, whose values are texts. */
function formOf(text: string): Record<string, unknown> {
  const entries = [...new URLSearchParams(text)];
  return Object.fromEntries(entries.map(([key, value]) => [key, value === 'true' || value]));
}

for (const host of HOSTS) {
  const [kind, address] = host;
  test(`${kind} takes what the commands for its webhook and its required status send`, async (t) => {
    const { origin, taken, problems } = await startHost(t, host);
    const commands = commandsWith(address);
    const script = commands.join('\n').replaceAll(address, origin);
    const env = { ...ENVIRONMENT, PATH: process.env['PATH'] };
    const secrets = { ADMIN_TOKEN: 'admin-token', WEBHOOK_SECRET: 'a secret & more' };
    await run('bash', ['-euc', script], { env: { ...env, ...secrets } });
    t.deepEqual(problems, []);
    t.is(taken.length, kind === 'gitlab' ? 1 : 2);
    const [hook, required] = taken;
    const config = (hook?.body['config'] ?? hook?.body) as Record<string, unknown>;
    t.is(config['url'], 'https://cra.example.com/api/cra/webhook');
    t.is(config['secret'] ?? config['token'], secrets.WEBHOOK_SECRET);
    t.true(JSON.stringify(hook?.body).includes('pull_request') || config['merge_requests_events']);
    t.is(required === undefined || JSON.stringify(required.body).includes('"cra/gate"'), true);
  });
}

test('the change that the page makes to try the gate is BLOCKED, as it says', (t) => {
  const [script = '', ...others] = commandsWith('try-cra');
  t.deepEqual(others, []);
  const { git, commit, path } = createRepository(t);
  commit('one', { 'README.md': 'Shop\n' });
  const folder = temporaryDir(t);
  git('init', '-q', '--bare', join(folder, 'origin.git'));
  git('remote', 'add', 'origin', join(folder, 'origin.git'));
  const cra = join(folder, 'cra');
  writeFileSync(cra, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, { mode: 0o755 });
  const env = { ...ENVIRONMENT, PATH: `${folder}:${process.env['PATH']}` };
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: path,
    encoding: 'utf8',
    env,
  });
  t.regex(stdout, /BLOCKED/, stderr);
  t.regex(stdout, /vuln-01/);
  const [, score] = /risk (\d+)\/100/.exec(stdout) ?? [];
  const [, title = '?'] = /vuln-01 \(CWE-78\): (.+)/.exec(stdout) ?? [];
  const shown = PAGE.split('\n').filter((line) => line.startsWith('> '));
  t.true(
    shown.some((line) => line.includes(`risk score ${score} of 100`)),
    stdout,
  );
  t.true(
    shown.some((line) => line.includes(title) && line.includes('run.js:2')),
    stdout,
  );
  t.is(git('rev-parse', 'try-cra'), git('rev-parse', 'origin/try-cra'));
});
