import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { openHost } from '../cli/fixtures/pre-receive-host.ts';
import { request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { leak } from '../pushes/daemon/bad-code.ts';

const PUSHES = 100;
const MB = 1_000_000;

interface Entry {
  repo_name: string;
  details: { verdict: string; let_through: boolean; refs: string[] };
}

async function entriesOf(server: string): Promise<Entry[]> {
  return (await request(`${server}/api/cra/audit?kind=pre-receive&limit=100`)).body.data;
}

test.serial(
  '100 pushes at once: each one that holds a secret is refused, one entry each',
  async (t) => {
    t.timeout(400_000);
    const daemon = await startDaemonProcess(t, temporaryDir(t));
    const server = `http://127.0.0.1:${daemon.port}`;
    const host = openHost(t, { server });
    host.commit('base', { 'a.txt': 'a\n' });
    t.true((await host.push('main')).ok);
    const names = Array.from({ length: PUSHES }, (_, index) => `b${index}`);
    for (const [index, name] of names.entries()) {
      host.git('checkout', '--quiet', '-b', name, 'main');
      host.commit(name, { [`${name}.txt`]: index % 2 === 0 ? leak(name) : 'good\n' });
    }
    const pushed = await Promise.all(names.map((name) => host.push(name)));
    t.deepEqual(
      pushed.map(({ ok }) => ok),
      names.map((_, index) => index % 2 === 1),
      pushed.map(({ text }) => text).join(''),
    );
    const refs = (await entriesOf(server)).map(({ details }) => details.refs[0]);
    const bad = names.filter((_, index) => index % 2 === 0).map((name) => `refs/heads/${name}`);
    t.deepEqual(refs.sort(), bad.sort());
    t.deepEqual(host.left(), []);
  },
);

test.serial('25 MB in one push are judged; more than a request holds is not', async (t) => {
  t.timeout(400_000);
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const server = `http://127.0.0.1:${daemon.port}`;
  const host = openHost(t, { server, fail: 'closed' });
  const line = 'a line of a text that is long and says little about anything\n';
  host.commit('base', { 'a.txt': 'a\n' });
  t.true((await host.push('main')).ok);
  host.commit('large', { 'large.txt': line.repeat((25 * MB) / line.length) + leak('large') });
  const startedAt = performance.now();
  t.regex((await host.push('main')).text, /refused: 1 finding/);
  t.log(`25 MB took ${Math.round(performance.now() - startedAt)} ms`);
  host.git('reset', '--quiet', '--hard', 'HEAD~1');
  host.commit('larger', { 'large.txt': line.repeat((40 * MB) / line.length) });
  t.regex((await host.push('main')).text, /not judged \(what the push brings is larger than/);
});

test.serial('a service that is slow, or killed while it answers: `fail` decides', async (t) => {
  t.timeout(400_000);
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const slow = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const host = openHost(t, { server: slow, fail: 'closed', within: 2 });
  host.commit('base', { 'a.txt': 'a\n' });
  t.regex((await host.push('main')).text, /took longer than 2 s\); it is refused/);
  host.set({ server: slow, within: 2 });
  t.true((await host.push('main')).ok);

  const data = temporaryDir(t);
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) {
    const daemon = await startDaemonProcess(t, data);
    host.set({ server: `http://127.0.0.1:${daemon.port}`, fail: 'closed' });
    host.commit('leak', { 'leak.txt': leak(String(round)) });
    daemon.process.kill('SIGSTOP');
    const pushing = host.push('main');
    // The kernel takes the connection of the hook, and nobody answers it.
    while (!isConnected(daemon.port)) await new Promise((resolve) => setTimeout(resolve, 20));
    await daemon.kill();
    t.regex((await pushing).text, /was not judged .+ it is refused/);
  }
  t.is(host.left().length, 2 + rounds);
  const daemon = await startDaemonProcess(t, data);
  const server = `http://127.0.0.1:${daemon.port}`;
  host.set({ server });
  t.false((await host.push('main')).ok);
  t.deepEqual(host.left(), []);
  const verdicts = (await entriesOf(server)).map(({ details }) => {
    return `${details.verdict} ${details.let_through}`;
  });
  t.deepEqual(verdicts.sort(), [
    'refused false',
    ...Array.from({ length: 1 + rounds }, () => 'unjudged false'),
    'unjudged true',
  ]);
});

/** State 01 of /proc/net/tcp is ESTABLISHED; addresses are hexadecimal. */
function isConnected(port: number): boolean {
  const peer = `:${port.toString(16).toUpperCase().padStart(4, '0')} 01 `;
  return readFileSync('/proc/net/tcp', 'utf8').includes(peer);
}

test.serial('how long a push of 10 KB takes beside a bare node', async (t) => {
  t.timeout(400_000);
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const server = `http://127.0.0.1:${daemon.port}`;
  const [hooked, plain] = [openHost(t, { server }), openHost(t, { server })];
  plain.git('--git-dir', plain.dir, 'config', 'core.hooksPath', '/dev/null');
  const times = { hooked: [] as number[], plain: [] as number[], node: [] as number[] };
  for (let round = 0; round < 40; round += 1) {
    for (const [name, host] of [
      ['hooked', hooked],
      ['plain', plain],
    ] as const) {
      host.commit('more', {
        [`${round}.txt`]: `${round} is the number of this line\n`.repeat(350),
      });
      const start = performance.now();
      t.true((await host.push('main')).ok);
      times[name].push(performance.now() - start);
    }
    const start = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    times.node.push(performance.now() - start);
  }
  const p95 = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? 0;
  const [withHook, without, bare] = [p95(times.hooked), p95(times.plain), p95(times.node)];
  t.log(`p95: with the hook ${withHook | 0} ms, without ${without | 0} ms, node ${bare | 0} ms`);
  t.log(`the hook adds ${((withHook - without) / bare).toFixed(1)} x a bare node`);
});
