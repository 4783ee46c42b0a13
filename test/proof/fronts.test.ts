import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { change, newFile, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { freePort } from '../free-port.ts';

/** What stands in front of the service: the example of systemd/examples, on ports of the test. */
interface Front {
  name: string;
  url: string;
  /** The access log. */
  log(): string;
}

interface Place {
  t: ExecutionContext;
  folder: string;
  port: number;
  /** Of the daemon, and one where nothing listens. */
  daemonPort: number;
  deadPort: number;
}

const TOKEN = 'the-token-of-the-test-of-the-fronts-0123456789';

/** Each of these stands in the example; what an operator changes is changed, and nothing else. */
function adapted(path: string, changes: [string, string][]): string {
  let text = readFileSync(path, 'utf8');
  for (const [before, after] of changes) {
    if (!text.includes(before)) throw new Error(`${path} has no ${before}`);
    text = text.replace(before, after);
  }
  return text;
}

function start(t: ExecutionContext, program: string, args: string[], env = {}): ChildProcess {
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  t.teardown(() => child.kill());
  return child;
}

function startNginx({ t, folder, port, daemonPort, deadPort }: Place): Front {
  const site = adapted('systemd/examples/nginx.conf', [
    ['    listen 443 ssl http2;\n', `    listen 127.0.0.1:${port} ssl http2;\n`],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['/etc/letsencrypt/live/cra.example.com/fullchain.pem', join(folder, 'cert.pem')],
    ['/etc/letsencrypt/live/cra.example.com/privkey.pem', join(folder, 'key.pem')],
    ['server_name cra.example.com', 'server_name localhost'],
    ['server 127.0.0.1:3011', `server 127.0.0.1:${deadPort}`],
    ['#server 127.0.0.1:3012', `server 127.0.0.1:${daemonPort}`],
  ]);
  const log = join(folder, 'access.log');
  const config = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  writeFileSync(
    config,
    `user root;\ndaemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {
log_format own '$remote_addr $request_id $status $request';
access_log ${log} own;\n${temporary}\n${site}}\n`,
  );
  start(t, 'nginx', ['-c', config]);
  return {
    name: 'nginx',
    url: `https://localhost:${port}/api/cra`,
    log: () => readFileSync(log, 'utf8'),
  };
}

function startCaddy({ t, folder, port, daemonPort, deadPort }: Place): Front {
  const log = join(folder, 'caddy.log');
  const own = `tls ${folder}/cert.pem ${folder}/key.pem\n\tlog {\n\t\toutput file ${log}\n\t}`;
  const site = adapted('systemd/examples/Caddyfile', [
    ['cra.example.com {\n', `https://localhost:${port} {\n\t${own}\n`],
    ['127.0.0.1:3011', `127.0.0.1:${deadPort} 127.0.0.1:${daemonPort}`],
  ]);
  const config = join(folder, 'Caddyfile');
  writeFileSync(config, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  start(t, 'caddy', ['run', '--adapter', 'caddyfile', '--config', config], { HOME: folder });
  return {
    name: 'Caddy',
    url: `https://localhost:${port}/api/cra`,
    log: () => readFileSync(log, 'utf8'),
  };
}

const run = promisify(execFile);

/** By curl, over HTTP/2, from an address of loopback. */
async function call(folder: string, url: string, ...args: string[]) {
  const authorized = ['-H', `Authorization: Bearer ${TOKEN}`];
  const { stdout } = await run(
    'curl',
    [
      ...['-sS', '-i', '--http2', '--cacert', join(folder, 'cert.pem'), '--max-time', '240'],
      ...['-w', '\n%{http_code} %{http_version} %{time_total}'],
      ...(args.some((arg) => arg.startsWith('Authorization:')) ? [] : authorized),
      ...[...args, url],
    ],
    { maxBuffer: 1 << 26 },
  );
  const [status, version, seconds] = (stdout.split('\n').at(-1) ?? '').split(' ');
  const body = /\r\n\r\n(\{[\s\S]*\})\n[^\n]*$/.exec(stdout)?.[1] ?? 'null';
  return {
    status: Number(status),
    version,
    seconds: Number(seconds),
    head: stdout.slice(0, stdout.indexOf('\r\n\r\n')),
    body: JSON.parse(body),
  };
}

/** A model that never answers: an RFC stays a DRAFT. */
async function startSilentModel(t: ExecutionContext, folder: string): Promise<string> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const tier = {
    name: 'first',
    role: 'review',
    protocol: 'anthropic',
    family: 'a',
    model: 'm',
    base_url: `http://127.0.0.1:${port}`,
    key_env: 'FAKE_KEY',
    locality: 'any',
    prices: { input: 1, output: 1, cache_write: 1, cache_read: 1 },
  };
  const path = join(folder, 'llm.json');
  writeFileSync(path, JSON.stringify({ tiers: [tier], budgets: { rfc: 1 } }));
  return path;
}

const MISSING = ['nginx', 'caddy', 'curl', 'openssl'].filter(
  (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
);
/** Just below the largest body of the service. */
const LARGE = 33_400_000;

test('the examples of nginx and Caddy: HTTPS, large bodies, long waits, addresses', async (t) => {
  if (MISSING.length > 0) return t.log(`skipped: needs ${MISSING.join(', ')}`);
  t.timeout(500_000);
  const folder = temporaryDir(t);
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
      ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
    ],
    { stdio: 'ignore' },
  );
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: TOKEN,
    SERVICE_TRUST_PROXY: 'true',
    SERVICE_LLM_CONFIG: await startSilentModel(t, folder),
    FAKE_KEY: 'the-key',
  });
  const deadPort = await freePort();
  const place = async () => ({
    t,
    folder,
    daemonPort: daemon.port,
    deadPort,
    port: await freePort(),
  });
  const fronts = [startNginx(await place()), startCaddy(await place())];
  const small = join(folder, 'small.json');
  writeFileSync(small, JSON.stringify(change(newFile('a.py', 'print(1)\n'))));
  const text = JSON.stringify({ ...change(newFile('b.py', 'print(2)\n')), padding: '' });
  const padded = (bytes: number) =>
    text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
  const large = join(folder, 'large.json');
  const tooLarge = join(folder, 'too-large.json');
  writeFileSync(large, padded(LARGE));
  writeFileSync(tooLarge, padded(LARGE + 200_000));

  await Promise.all(
    fronts.map(async ({ name, url, log }, index) => {
      const curl = (path: string, ...args: string[]) => call(folder, `${url}/${path}`, ...args);
      await until(() =>
        curl('health')
          .then(({ status }) => status === 200)
          .catch(() => false),
      );
      // One of the two addresses behind it answers nobody.
      for (let n = 0; n < 10; n += 1) {
        const health = await curl('health');
        t.is(health.status, 200, name);
        t.is(health.version, '2', name);
        t.regex(health.head, /^strict-transport-security: max-age=31536000\r?$/im, name);
      }
      t.is((await curl('analyze', '--data-binary', `@${large}`)).status, 200, `${name}: large`);
      t.is((await curl('analyze', '--data-binary', `@${tooLarge}`)).status, 413, name);

      const { body } = await curl('analyze', '--data-binary', `@${small}`);
      t.is(body.data.overall_status, 'DRAFT', name);
      const waited = await curl(`rfc/${body.data.rfc_id}?wait=60`);
      t.is(waited.status, 200, name);
      t.is(waited.body.data.overall_status, 'DRAFT', name);
      t.true(waited.seconds >= 59, `${name}: waited ${waited.seconds} s`);

      // What a client says of its address does not count; what the front sees does.
      const from = (address: string, n: number) =>
        curl('rfcs', '-H', 'Authorization: Bearer wrong', '--interface', address, '-H', FORGED(n));
      const bad = `127.0.0.${10 + index}`;
      const good = `127.0.0.${20 + index}`;
      let refused = 0;
      for (; refused < 100; refused += 1) if ((await from(bad, refused)).status === 429) break;
      t.true(refused > 0 && refused < 100, `${name}: 429 after ${refused} wrong credentials`);
      const other = await from(good, 0);
      t.is(other.status, 401, `${name}: another address`);
      const line =
        log()
          .split('\n')
          .filter((text) => text.includes(good))
          .at(-1) ?? '';
      t.true(line.includes(good), `${name}: the address is in its log`);
      if (name === 'nginx') t.true(line.includes(other.body.request_id), 'and so is the request');
      t.log(`${name}: waited ${waited.seconds} s, 429 after ${refused} wrong credentials`);
    }),
  );
});

const FORGED = (n: number) => `X-Forwarded-For: 203.0.113.${n}`;

test('the example of HAProxy: a daemon that stops is taken out before it refuses', async (t) => {
  if (spawnSync('sh', ['-c', 'command -v haproxy']).status !== 0) return t.log('needs haproxy');
  t.timeout(200_000);
  const folder = temporaryDir(t);
  const daemons = [
    await startDaemonProcess(t, temporaryDir(t)),
    await startDaemonProcess(t, temporaryDir(t)),
  ];
  const [first, second] = daemons;
  if (first === undefined || second === undefined) return t.fail();
  const port = await freePort();
  const config = join(folder, 'haproxy.cfg');
  const site = adapted('systemd/examples/haproxy.cfg', [
    ['bind :443 ssl crt /etc/haproxy/cra.pem alpn h2,http/1.1', `bind 127.0.0.1:${port}`],
    ['127.0.0.1:3011', `127.0.0.1:${first.port}`],
    ['#server cra2 127.0.0.1:3012', `server cra2 127.0.0.1:${second.port}`],
  ]);
  writeFileSync(config, `defaults\n    timeout client 90s\n\n${site}`);
  start(t, 'haproxy', ['-f', config]);
  const ask = () => fetch(`http://127.0.0.1:${port}/api/cra/rfcs`).then(({ status }) => status);
  await until(() =>
    ask().then(
      (status) => status === 200,
      () => false,
    ),
  );

  let isOver = false;
  const answers: Record<string, number> = {};
  const caller = async () => {
    while (!isOver) {
      const answer = await ask().catch(({ cause }) => String(cause?.code));
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  };
  const callers = Promise.all([1, 2, 3, 4].map(caller));
  t.is(await first.stop(), 0);
  isOver = true;
  await callers;
  t.log(answers);
  t.deepEqual(Object.keys(answers), ['200']);
});
