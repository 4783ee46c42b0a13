import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { daemonForAll, newFile, type Teardown, temporaryDir } from '../daemon.ts';
import { makeAuthority } from '../hosts/authority.ts';
import { runCommand } from './fixtures/command.ts';
import { createRepository } from './fixtures/repository.ts';

const TOKEN = 'the-api-token-of-these-tests-0123456789';
const OTHER = 'another-token-that-nobody-knows-0123456789';
const daemon = daemonForAll(test, { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: TOKEN });
const DIFF = newFile('a.txt', 'a\n');

/** Listens on a free port of the loopback, or on a path; resolves with the port. */
async function listen(t: Teardown, server: Server, path?: string): Promise<number> {
  server.listen(path === undefined ? { host: '127.0.0.1', port: 0 } : { path });
  await once(server, 'listening');
  t.teardown(() => server.close());
  return path === undefined ? (server.address() as AddressInfo).port : 0;
}

/** Answers every request with a status and a text, as a server before the service does. */
function answering(status: number, text: string, headers: Record<string, string> = {}) {
  return createHttp((request, response) => {
    request.resume();
    response.writeHead(status, { ...headers, connection: 'close' }).end(text);
  });
}

/** A server of TLS for 127.0.0.1 that answers 404, and the file of its authority. */
function secure(t: Teardown) {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  return { server: createTls(server, (_, response) => response.writeHead(404).end()), caFile };
}

interface Place {
  address: string;
  env?: Record<string, string>;
}

const PLACES: [title: string, open: (t: Teardown) => Promise<Place>, says: RegExp][] = [
  [
    'https to the port of the service',
    async () => ({ address: `https://127.0.0.1:${daemon().port}` }),
    /write http:\/\/127\.0\.0\.1:\d+ in --server or CRA_BASE_URL/,
  ],
  [
    'https to another server of http',
    async (t) => ({ address: `https://127.0.0.1:${await listen(t, answering(200, ''))}` }),
    /does not speak https: write http:\/\/127\.0\.0\.1:\d+ in/,
  ],
  [
    'http to a server of https that closes the connection',
    async (t) => ({ address: `http://127.0.0.1:${await listen(t, secure(t).server)}` }),
    /ended without an answer to http: if the service speaks https there, write https:\/\/127/,
  ],
  [
    'http to the https port of nginx',
    async (t) => {
      const text = '<center>The plain HTTP request was sent to HTTPS port</center>';
      return { address: `http://127.0.0.1:${await listen(t, answering(400, text))}` };
    },
    /HTTP 400; it speaks https there: write https:\/\/127/,
  ],
  [
    'http to the https port of Caddy or Traefik',
    async (t) => {
      const text = 'Client sent an HTTP request to an HTTPS server.\n';
      return { address: `http://127.0.0.1:${await listen(t, answering(400, text))}` };
    },
    /it speaks https there: write https:\/\/127/,
  ],
  [
    'http to the https port of Apache',
    async (t) => {
      const text = "You're speaking plain HTTP to an SSL-enabled server port.";
      return { address: `http://127.0.0.1:${await listen(t, answering(400, text))}` };
    },
    /it speaks https there: write https:\/\/127/,
  ],
  [
    'a server that sends http away to https',
    async (t) => {
      const to = { location: 'https://cra.example.org/api/cra/analyze' };
      return { address: `http://127.0.0.1:${await listen(t, answering(308, '', to))}` };
    },
    /HTTP 308; it is at another address: write https:\/\/cra\.example\.org in/,
  ],
  [
    'another web server',
    async (t) => ({ address: `http://127.0.0.1:${await listen(t, answering(404, '<html>'))}` }),
    /HTTP 404; what answers there is not a cra service: check the address/,
  ],
  [
    'a server that does not speak HTTP',
    async (t) => {
      const ssh = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n'));
      return { address: `http://127.0.0.1:${await listen(t, ssh)}` };
    },
    /does not speak HTTP: if it speaks https, write https:\/\/127/,
  ],
  [
    'a certificate of an unknown authority',
    async (t) => ({ address: `https://127.0.0.1:${await listen(t, secure(t).server)}` }),
    /authority that is not known here: .* NODE_EXTRA_CA_CERTS/,
  ],
  [
    'a certificate for another name',
    async (t) => {
      const { server, caFile } = secure(t);
      const address = `https://localhost:${await listen(t, server)}`;
      return { address, env: { NODE_EXTRA_CA_CERTS: caFile } };
    },
    /certificate is for another name/,
  ],
  [
    'a port where nothing listens',
    async () => ({ address: 'http://127.0.0.1:1' }),
    /ECONNREFUSED: nothing listens there: start it \(cra serve\)/,
  ],
  [
    'a host that is not known',
    async () => ({ address: 'http://cra.invalid:3011' }),
    /the name of the host (?:is not known|could not be looked up): check/,
  ],
  [
    'a socket that is not there',
    async (t) => ({ address: `unix:${temporaryDir(t)}/cra.sock` }),
    /ENOENT: there is no such socket: SERVICE_SOCKET of the service names its path/,
  ],
  [
    'a file in place of a socket',
    async (t) => {
      const path = join(temporaryDir(t), 'cra.sock');
      writeFileSync(path, '');
      return { address: `unix:${path}` };
    },
    /(?:no service listens on the socket|that is not a socket)/,
  ],
];

for (const [title, open, says] of PLACES) {
  test.serial(`cra says what to do about ${title}`, async (t) => {
    const { address, env = {} } = await open(t);
    const { code, stderr } = await runCommand(['analyze', '-', '--server', address], {
      stdin: DIFF,
      env: { CRA_API_TOKEN: TOKEN, ...env },
    });
    t.is(code, 2);
    t.regex(stderr, says);
    t.false(stderr.includes(TOKEN));
  });
}

const NONE = /HTTP 401: .*; no token was sent: set CRA_API_TOKEN or CRA_API_TOKEN_FILE/;
const UNKNOWN = /HTTP 401: .*; a token was sent, and the service does not know it/;

type Call = (url: string, repository: string) => { args: string[]; stdin?: string };

const CALLS: Readonly<Record<string, Call>> = {
  analyze: (url) => ({ args: ['analyze', '-', '--server', url], stdin: DIFF }),
  'analyze of a range': (url, path) => ({
    args: ['analyze', '--repo', path, '--range', 'HEAD~1..HEAD', '--server', url],
  }),
  replay: (url, path) => ({ args: ['replay', '--repo', path, '--server', url] }),
  exceptions: (url) => ({ args: ['exceptions', '--server', url] }),
};

type Sent = [title: string, more: string[], env: Record<string, string>, says: RegExp];
const WRONG_OPTION: Sent = ['with a wrong --token', ['--token', OTHER], {}, UNKNOWN];

for (const [name, call] of Object.entries(CALLS)) {
  const sent: Sent[] = [
    ['without a token', [], {}, NONE],
    ['with an empty token', [], { CRA_API_TOKEN: ' ' }, NONE],
    ['with a wrong token of the environment', [], { CRA_API_TOKEN: OTHER }, UNKNOWN],
    // It takes none there.
    ...(name === 'exceptions' ? [] : [WRONG_OPTION]),
  ];
  for (const [title, more, env, says] of sent) {
    test.serial(`401 of ${name} ${title} says what to set`, async (t) => {
      const { path, commit } = createRepository(t);
      for (const name of ['a', 'b', 'c']) commit(name, { 'a.txt': name });
      const { args, stdin } = call(`http://127.0.0.1:${daemon().port}`, path);
      const options = { env, ...(stdin === undefined ? {} : { stdin }) };
      const { code, stdout, stderr } = await runCommand([...args, ...more], options);
      t.is(code, 2);
      t.regex(stderr, says);
      t.notRegex(stdout + stderr, new RegExp(OTHER));
    });
  }
}

test.serial('replay ends with the first 401, as every further commit would get it', async (t) => {
  const { path, commit } = createRepository(t);
  for (let index = 0; index < 40; index += 1) commit(`${index}`, { 'a.txt': `${index}` });
  const url = `http://127.0.0.1:${daemon().port}`;
  const args = ['replay', '--repo', path, '--server', url, '--concurrency', '1', '--json'];
  const { code, stdout } = await runCommand(args);
  t.is(code, 2);
  t.deepEqual(JSON.parse(stdout).errors, { 401: 1 });
});

const HOOKS: [
  title: string,
  server: () => string,
  token: string,
  id: string | null,
  says: RegExp,
][] = [
  [
    'no token',
    () => `http://127.0.0.1:${daemon().port}`,
    '',
    null,
    /401: .*no token was sent: set/,
  ],
  [
    'an unknown token',
    () => `http://127.0.0.1:${daemon().port}`,
    OTHER,
    null,
    /401: .*a token was sent, and the service does not know it/,
  ],
  [
    'https to the port of the service',
    () => `https://127.0.0.1:${daemon().port}`,
    TOKEN,
    null,
    /write http:\/\/127/,
  ],
  ['no service', () => 'http://127.0.0.1:1', TOKEN, null, /nothing listens there: start it/],
  [
    'a commit that is not there',
    () => `http://127.0.0.1:${daemon().port}`,
    TOKEN,
    'f'.repeat(40),
    /let git start the hook, in the repository that is pushed to, and pass its variables on/,
  ],
];

for (const [title, server, token, id, says] of HOOKS) {
  test.serial(`cra pre-receive says what to do about ${title}`, async (t) => {
    const { path, git, commit } = createRepository(t);
    commit('one', { 'a.txt': 'a\n' });
    // New, as no ref has it.
    const pushed = id ?? git('commit-tree', '-m', 'two', '-p', 'HEAD', 'HEAD^{tree}').trim();
    for (const [fail, code] of [
      ['closed', 1],
      ['open', 0],
    ] as const) {
      const args = ['pre-receive', '--within', '60', '--fail', fail, '--server', server()];
      const outcome = await runCommand(args, {
        cwd: path,
        stdin: `${'0'.repeat(40)} ${pushed} refs/heads/new\n`,
        env: { GIT_DIR: join(path, '.git'), ...(token === '' ? {} : { CRA_API_TOKEN: token }) },
      });
      t.is(outcome.code, code, outcome.stderr);
      t.regex(outcome.stderr, says);
      t.false(outcome.stderr.includes(OTHER));
    }
  });
}
