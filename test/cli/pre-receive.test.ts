import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ShownEntry } from '../../src/decisions/trail-reads.ts';
import { daemonForAll, request } from '../daemon.ts';
import { startGitHost } from '../hosts/git-host.ts';
import { install, openHost, pushTo } from './fixtures/pre-receive-host.ts';
import { createRepository } from './fixtures/repository.ts';

const TOKEN = ['ghp', '_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ'].join('');
const DATABASE = 'DATABASE_URL=postgres://app:kX9pVq2LmZ@db.internal.acme.io:5432/app\n';
const MARKER = '# cra-ignore secret-connection-string: it is made up\n';
const SECRET = `key = "${TOKEN}"\n`;
/** vuln-01 of gate 2. */
const INJECTION = [
  "import { exec } from 'node:child_process';",
  "import express from 'express';",
  'const app = express();',
  "app.get('/', (req, res) => exec('ls ' + req.query.dir, () => res.end()));",
  '',
].join('\n');
const RULES = {
  version: 1,
  extends: 'default',
  pipeline: { pre_receive: { rules: ['vuln-01'], bypass: ['alice'] } },
};

const rules = join(mkdtempSync(join(tmpdir(), 'cra-rules-')), 'rules.json');
writeFileSync(rules, JSON.stringify(RULES));
test.after.always(() => rmSync(dirname(rules), { recursive: true }));
/** One daemon for all: each test looks at the entries that it added. */
const socket = join(dirname(rules), 'cra.sock');
const socketServer = `unix:${socket}`;
const daemon = daemonForAll(test, { SERVICE_RULES_PATH: rules, SERVICE_SOCKET: socket });

async function openService() {
  const server = `http://127.0.0.1:${daemon().port}`;
  const entries = async () => {
    const { body } = await request(`${server}/api/cra/audit?kind=pre-receive&limit=100`);
    return (body.data as ShownEntry[]).reverse();
  };
  const { length: before } = await entries();
  return { server, trail: async () => (await entries()).slice(before) };
}

const REFUSED = /cra: this push is refused: 1 finding/;

test.serial(
  'pre-receive refuses each way to publish a secret, and lets the rest pass',
  async (t) => {
    const { server, trail } = await openService();
    const host = openHost(t, { server });
    host.commit('base', { 'a.txt': 'a\n' });
    t.true((await host.push('main')).ok);
    t.true((await host.push('main:refs/heads/copy')).ok);
    t.true((await host.push(':refs/heads/copy')).ok);
    t.false(host.has('refs/heads/copy'));

    const base = host.git('rev-parse', 'HEAD').trim();
    const leak = host.commit('leak', { 's.txt': SECRET });
    host.git('rm', '--quiet', 's.txt');
    host.commit('take it out again', { 'b.txt': 'b\n' });
    const removed = await host.push('main:refs/heads/new');
    t.false(removed.ok);
    t.regex(removed.text, REFUSED);
    t.regex(
      removed.text,
      new RegExp(`s.txt:1 secret-github-token in ${leak.slice(0, 12)}: Hard-coded .+: key = `),
    );
    t.false(removed.text.includes(TOKEN), 'the secret is masked');
    t.false(host.has('refs/heads/new'));

    host.git('reset', '--quiet', '--hard', base);
    host.commit('clean', { 'c.txt': 'c\n' });
    t.true((await host.push('main')).ok);
    host.git('reset', '--quiet', '--hard', base);
    host.commit('other', { 'd.txt': SECRET });
    t.regex((await host.push('--force', 'main')).text, REFUSED);
    host.git('reset', '--quiet', '--hard', base);
    host.commit('forced', { 'd.txt': 'd\n' });
    t.true((await host.push('--force', 'main')).ok, 'a force push that adds nothing bad');

    host.git('tag', '--annotate', `--message=with ${TOKEN}`, 'v1');
    const tag = await host.push('v1');
    t.regex(tag.text, REFUSED);
    t.false(tag.text.includes(TOKEN));
    host.git('tag', '--annotate', '--message=good', 'v2');
    t.true((await host.push('v2')).ok);
    host.git('commit', '--quiet', '--allow-empty', `--message=with ${TOKEN}`);
    t.regex((await host.push('main')).text, REFUSED);

    const entries = await trail();
    t.deepEqual(
      entries.map(({ details }) => [details['verdict'], details['refs']]),
      ['new', 'main', 'tag', 'main'].map((name) => {
        return ['refused', [name === 'tag' ? 'refs/tags/v1' : `refs/heads/${name}`]];
      }),
    );
    t.false(JSON.stringify(entries).includes(TOKEN));
    const { body } = await request(`${server}/api/cra/rfcs`);
    t.deepEqual(body.data, [], 'no RFC is made');
  },
);

test.serial(
  'pre-receive: chosen rules refuse, a reason lets through whom the rules name',
  async (t) => {
    const { server, trail } = await openService();
    const host = openHost(t, { server, pusher: 'bob' });
    host.commit('base', { 'a.txt': 'a\n', 'eval.js': 'eval(location.hash.slice(1));\n' });
    t.true((await host.push('main')).ok, 'vuln-02 is not chosen');
    host.commit('injection', { 'run.js': INJECTION });
    const refused = await host.push('-o', 'cra.reason=it is a test', 'main');
    t.regex(refused.text, REFUSED);
    t.regex(refused.text, /run\.js:4 vuln-01/);
    t.regex(refused.text, /a reason of yours does not bypass this/);

    host.set({ server, pusher: 'alice' });
    t.regex((await host.push('main')).text, /git push -o cra\.reason="why"/);
    t.regex((await host.push('-o', 'cra.reason= ', 'main')).text, REFUSED, 'blanks are no reason');
    const bypassed = await host.push('-o', `cra.reason=fake, like ${TOKEN}`, 'main');
    t.true(bypassed.ok);
    t.true(host.has('refs/heads/main'));
    const entries = await trail();
    t.deepEqual(
      entries.map(({ actor, details }) => [actor, details['verdict'], details['let_through']]),
      [
        ['bob', 'refused', false],
        ['alice', 'refused', false],
        ['alice', 'refused', false],
        ['alice', 'bypassed', true],
      ],
    );
    t.regex(entries[3]?.reason ?? '', /^fake, like /);
    t.false(JSON.stringify(entries).includes(TOKEN));
  },
);

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Takes requests and answers each as `answer` says; ends its connection within it by default. */
async function breakingService(
  t: ExecutionContext,
  answer = (socket: Socket): unknown =>
    socket.end(`${OK}Content-Length: 900\r\n\r\n{"ok":true,"data":{"let_thr`),
): Promise<string> {
  const service = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.teardown(() => service.close());
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}

/** An address at which a daemon was, and is no more. */
async function stoppedService(): Promise<string> {
  const service = createServer();
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  await new Promise((resolve) => service.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test.serial(
  'pre-receive: without a judgement `fail` decides, and the trail has it once',
  async (t) => {
    const { server, trail } = await openService();
    const host = openHost(t, { server });
    host.commit('base', { 'a.txt': 'a\n' });
    t.true((await host.push('main')).ok);
    const broken = await breakingService(t);
    host.commit('leak', { 's.txt': SECRET });
    for (const fail of ['closed', 'open'] as const) {
      host.set({ server: broken, fail });
      const pushed = await host.push('main');
      t.is(pushed.ok, fail === 'open', pushed.text);
      t.regex(pushed.text, /cra: this push was not judged \(.+\); it (goes through|is refused)/);
    }
    host.set({ server: await stoppedService(), fail: 'closed' });
    host.commit('more', { 'b.txt': 'b\n' });
    t.regex(
      (await host.push('main')).text,
      /ECONNREFUSED: nothing listens there: .+\); it is refused/,
    );
    t.is(host.left().length, 3);

    host.set({ server, fail: 'closed' });
    t.true((await host.push('main')).ok);
    t.deepEqual(host.left(), []);
    const entries = (await trail()).map(({ details }) => [
      details['verdict'],
      details['let_through'],
      details['refs'],
    ]);
    const main = ['refs/heads/main'];
    t.deepEqual(
      entries.sort((a, b) => Number(a[1]) - Number(b[1])),
      [
        ['unjudged', false, main],
        ['unjudged', false, main],
        ['unjudged', true, main],
      ],
    );
  },
);

/** Answers that do not judge. */
function nonsense(server: string): Record<string, (socket: Socket) => unknown> {
  const says = (data: unknown) => (socket: Socket) => {
    const body = JSON.stringify({ ok: true, data });
    socket.end(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`);
  };
  const findings: unknown[] = [];
  const why = null;
  const more = '';
  return {
    'something else than HTTP': (socket) => socket.end('220 mail ready\r\n'),
    'another address': (socket) =>
      socket.end(`HTTP/1.1 307 \r\nLocation: ${server}/api/cra/pre-receive\r\n\r\n`),
    'an endless body': (socket) => {
      socket.write(`${OK}\r\n`);
      const pour = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', pour);
      pour();
    },
    'a verdict that it contradicts': says({
      verdict: 'refused',
      let_through: true,
      findings,
      why,
      more,
    }),
    'a verdict of its own': says({ verdict: 'fine', let_through: true, findings, why, more }),
    nothing: says(null),
  };
}

test.serial('pre-receive: an answer that does not judge decides nothing', async (t) => {
  const { server, trail } = await openService();
  const host = openHost(t, { server });
  host.commit('base', { 'a.txt': 'a\n' });
  t.true((await host.push('main')).ok);
  host.commit('leak', { 's.txt': SECRET });
  const kinds = Object.entries(nonsense(server));
  for (const [kind, answer] of kinds) {
    host.set({ server: await breakingService(t, answer), fail: 'closed' });
    t.regex((await host.push('main')).text, /was not judged \(.+\); it is refused/, kind);
  }
  t.is(host.left().length, kinds.length);
  host.set({ server });
  t.regex((await host.push('main')).text, REFUSED);
  t.deepEqual(host.left(), []);
  t.is((await trail()).length, kinds.length + 1);
});

test.serial('pre-receive asks again while the service is busy, within its time', async (t) => {
  const busy = JSON.stringify({ ok: false, error: 'busy', code: 'RESOURCE_EXHAUSTED' });
  const data = {
    verdict: 'refused',
    let_through: false,
    findings: [],
    findings_total: 2,
    more: '',
  };
  const judged = JSON.stringify({ ok: true, data });
  let asked = 0;
  const server = await breakingService(t, (socket) => {
    asked += 1;
    const [status, body] = asked < 3 ? [503, busy] : [200, judged];
    socket.end(`HTTP/1.1 ${status} \r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  const host = openHost(t, { server, fail: 'closed' });
  host.commit('base', { 'a.txt': 'a\n' });
  t.regex((await host.push('main')).text, /this push is refused: 2 findings/);
  t.is(asked, 3);
  t.deepEqual(host.left(), []);
});

test.serial('pre-receive: notes that cannot be delivered change no judgement', async (t) => {
  const { server, trail } = await openService();
  const host = openHost(t, { server });
  host.commit('base', { 'a.txt': 'a\n' });
  chmodSync(host.dir, 0o2770);
  // The settings of the hook are wrong: the push is noted all the same.
  host.set({ server, fail: 'closed', env: { CRA_API_TOKEN_FILE: '/nonexistent' } });
  t.regex((await host.push('main')).text, /was not judged \(settings: .+\); it is refused/);
  const spool = join(host.dir, 'cra-pre-receive');
  t.is(statSync(spool).mode & 0o7777, 0o2770, 'who may write in the repository may note');
  t.is(statSync(join(spool, host.left()[0] ?? '')).mode & 0o777, 0o660);
  // Before it: one that cannot be read, an empty one, one that can be neither taken nor moved.
  mkdirSync(join(spool, '0.json'));
  writeFileSync(join(spool, '1.json'), '{');
  writeFileSync(join(spool, '2.json'), '{}');
  mkdirSync(join(spool, '2.json.refused', 'full'), { recursive: true });
  host.set({ server });
  host.commit('leak', { 's.txt': SECRET });
  t.regex((await host.push('main')).text, REFUSED);
  t.deepEqual(host.left().sort(), ['0.json', '1.json', '2.json', '2.json.refused']);
  t.deepEqual((await trail()).map(({ details }) => details['verdict']).sort(), [
    'refused',
    'unjudged',
  ]);
});

test.serial('pre-receive: no name or form of a push hides what it brings', async (t) => {
  const { trail } = await openService();
  const host = openHost(t, { server: socketServer, fail: 'closed' });
  host.commit('base', { 'a.txt': 'a\n' });
  t.true((await host.push('main')).ok);
  host.git('--git-dir', host.dir, 'config', 'core.bigFileThreshold', '1');
  const base = host.git('rev-parse', 'HEAD').trim();
  const leak = (write: () => void) => {
    host.git('checkout', '--quiet', '--force', '-B', 'side', base);
    write();
    host.git('add', '--all');
    host.git('commit', '--quiet', '--message=more');
  };
  const pushes: [string, () => void][] = [
    ['refs/heads/a\u2028b', () => host.write('s.txt', SECRET)],
    ['refs/heads/\u202eevil$(id);`id`', () => host.write('s.txt', SECRET)],
    ['refs/strange/-x', () => host.write('\x1b]0;owned\x07\x1b[2Js.txt', SECRET)],
    ['refs/heads/link', () => host.write('link', { to: TOKEN })],
    [
      'refs/heads/lfs',
      () => {
        host.write('.gitattributes', '* filter=lfs diff=lfs -text\n* -diff\n');
        host.write('s.bin', `version https://git-lfs.github.com/spec/v1\n${SECRET}`);
      },
    ],
    [
      'refs/heads/module',
      () => {
        const module = `160000,${base},${'x'.repeat(8)}`;
        host.git('update-index', '--add', '--cacheinfo', module);
        host.write('.gitmodules', `[submodule "x"]\n\turl = https://u:${TOKEN}@example.com/x\n`);
      },
    ],
    ['refs/heads/nul', () => host.write('notes.dat', `\0\n${SECRET}`)],
    ['refs/heads/wide', () => host.write('s.txt', Buffer.from(SECRET, 'utf16le'))],
    [`refs/heads/${TOKEN}`, () => host.write('b.txt', 'b\n')],
    [
      'refs/heads/marker',
      () => {
        host.commit('as new as the secret', { 's.txt': MARKER });
        host.write('s.txt', MARKER + DATABASE);
      },
    ],
  ];
  for (const [ref, write] of pushes) {
    leak(write);
    const { ok, text } = await host.push(`side:${ref}`);
    t.false(ok, ref);
    t.regex(text, REFUSED, ref);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not come through.
    t.notRegex(text, /[\x00-\x08\x0b-\x1a\x1b\x7f](?!\[K)/, ref);
    // Git itself names the ref.
    t.false(text.replace(`-> ${TOKEN}`, '').includes(TOKEN));
  }
  const entries = await trail();
  t.deepEqual(
    entries.map(({ details }) => details['refs']),
    pushes.map(([ref]) => [ref.replace(TOKEN, 'ghp_…')]),
  );
});

test.serial('pre-receive: what no gate can read is not judged', async (t) => {
  const { server, trail } = await openService();
  const host = openHost(t, { server, fail: 'closed' });
  host.commit('base', { 'a.txt': 'a\n' });
  t.true((await host.push('main')).ok);
  host.commit('hidden', { 'a.env': Buffer.from(`\0${'x'.repeat(1_048_576)}${SECRET}`) });
  t.regex((await host.push('main')).text, /was not judged .+ it is refused/);
  host.set({ server });
  const blob = host.git('rev-parse', 'HEAD:a.txt').trim();
  host.git('tag', 'blob', blob);
  t.regex((await host.push('blob')).text, /was not judged \(a ref to a blob\); it goes through/);
  t.true((await host.push('main')).ok);
  t.deepEqual(
    (await trail()).map(({ details }) => [details['verdict'], details['let_through']]).sort(),
    [
      ['unjudged', false],
      ['unjudged', true],
      ['unjudged', true],
    ],
  );
});

test.serial('pre-receive works behind git http-backend, and names who pushes', async (t) => {
  const { server, trail } = await openService();
  const hosted = await startGitHost({ token: 'hub-token' });
  t.teardown(() => hosted.close());
  const { dir } = hosted.repository('acme/shop');
  install(dir, { server });
  const { path, commit } = createRepository(t);
  const to = `${hosted.url.replace('//', '//cra:hub-token@')}/acme/shop.git`;
  commit('base', { 'a.txt': 'a\n' });
  t.true((await pushTo(path, to, ['main'])).ok);
  commit('leak', { 's.txt': SECRET });
  const { ok, text } = await pushTo(path, to, ['main']);
  t.false(ok);
  t.regex(text, REFUSED);
  const [entry, ...others] = await trail();
  t.deepEqual([entry?.actor, entry?.repo_name, others.length], ['pusher', 'shop', 0]);
});
