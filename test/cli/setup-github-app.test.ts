import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { PROGRAM, temporaryDir } from '../daemon.ts';
import { PRIVATE_KEY } from '../hosts/app-host.ts';
import { describeProblem } from '../hosts/operations.ts';

const APP = {
  id: 4711,
  slug: 'cra-gate',
  html_url: 'https://github.example/apps/cra-gate',
  pem: PRIVATE_KEY,
  webhook_secret: 'a-secret-of-the-webhook',
};

/** GitHub, which takes one code once. */
async function startGitHub(t: ExecutionContext) {
  const codes = new Set(['good-code']);
  const server = createServer((request, response) => {
    const [, code = ''] =
      /^\/api\/v3\/app-manifests\/(.+)\/conversions$/.exec(request.url ?? '') ?? [];
    const { method = '', url = '' } = request;
    const path = url.replace('/api/v3', '');
    const isDescribed = describeProblem('github', { method, url: path, body: '' }) === null;
    const isKnown = isDescribed && codes.delete(code);
    response.writeHead(isKnown ? 201 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? APP : { message: 'Not Found' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function start(t: ExecutionContext, args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'setup', 'github-app', ...args]);
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

test('a browser registers the App, and the command writes its key and settings', async (t) => {
  const github = await startGitHub(t);
  const out = join(temporaryDir(t), 'app');
  const child = start(t, [
    ...['--service', 'https://cra.example', '--organization', 'acme'],
    ...['--github', github, '--out', out],
  ]);
  const stdout = text(child.stdout);
  let told = '';
  while (!told.includes('\n')) told += String((await once(child.stderr, 'data'))[0]);
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(told) ?? [];
  const page = await (await fetch(address)).text();
  const [, action = ''] = /action="([^"]+)"/.exec(page) ?? [];
  const [, value = ''] = /name="manifest" value="([^"]+)"/.exec(page) ?? [];
  const manifest = JSON.parse(value.replaceAll('&#34;', '"')) as Record<string, unknown>;
  t.true(action.startsWith(`${github}/organizations/acme/settings/apps/new?state=`));
  t.like(manifest, {
    name: 'cra cra.example',
    hook_attributes: { url: 'https://cra.example/api/cra/webhook', active: true },
    redirect_url: `${address}created`,
    public: false,
    default_permissions: {
      checks: 'write',
      contents: 'read',
      deployments: 'write',
      actions: 'read',
    },
  });
  const state = action.split('state=').at(-1) ?? '';
  t.is((await fetch(`${address}created?code=good-code&state=wrong`)).status, 404);
  t.is((await fetch(`${address}created?code=good-code&state=${state}`)).status, 200);
  const [code] = await once(child, 'close');
  t.is(code, 0, told);
  const key = join(out, 'cra-gate-4711.private-key.pem');
  t.is(readFileSync(key, 'utf8'), PRIVATE_KEY);
  t.is(statSync(key).mode & 0o777, 0o600);
  const secret = join(out, 'cra-gate-4711.webhook-secret');
  t.is(readFileSync(secret, 'utf8'), `${APP.webhook_secret}\n`);
  const printed = await stdout;
  t.true(printed.includes(`"private_key_file": "${key}"`));
  t.true(printed.includes(`${APP.html_url}/installations/new`));
  t.false(printed.includes(APP.webhook_secret));
});

test('a code counts once, and the command says what is wrong', async (t) => {
  const github = await startGitHub(t);
  const out = temporaryDir(t);
  const run = async (args: string[]) => {
    const child = start(t, [...args, '--github', github, '--out', out]);
    const stderr = text(child.stderr);
    const [code] = await once(child, 'close');
    return { code, stderr: await stderr };
  };
  t.is((await run(['--code', 'good-code'])).code, 0);
  const again = await run(['--code', 'good-code']);
  t.is(again.code, 2);
  t.regex(again.stderr, /does not take the code \(status 404\): it is valid once/);
  t.regex((await run([])).stderr, /--service is required/);
  t.regex((await run(['--service', 'http://cra.example'])).stderr, /--service must be an https/);
  t.regex(
    (await run(['--service', 'https://cra.example', '--organization', 'a/b'])).stderr,
    /--organization must be the name/,
  );
});
