import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ShownEntry } from '../../src/decisions/trail-reads.ts';
import { type Host, openHost, type Site } from '../cli/fixtures/pre-receive-host.ts';
import {
  type DaemonProcess,
  request,
  startDaemonProcess,
  type Teardown,
  temporaryDir,
  until,
} from '../daemon.ts';
import { leak } from '../pushes/daemon/bad-code.ts';

/** A site, and the daemon that its hook asks over a Unix socket. */
export interface Scene {
  host: Host;
  /** For `--server`. */
  server: string;
  daemon: DaemonProcess;
  /** Entries since the last call, oldest first: verdict, whether it went through, refs. */
  trail(): Promise<string[]>;
  /** Starts the daemon again after it was ended. */
  restart(): Promise<void>;
}

/** Opens a scene; the repository has a first commit. */
export async function openScene(t: Teardown, site: Site): Promise<Scene> {
  const dataDir = temporaryDir(t);
  const socketDir = temporaryDir(t);
  const socket = join(socketDir, 'cra.sock');
  const rules = join(socketDir, 'rules.json');
  const pre_receive = { bypass: site.pusher === null ? [] : [site.pusher] };
  writeFileSync(
    rules,
    JSON.stringify({ version: 1, extends: 'default', pipeline: { pre_receive } }),
  );
  const start = () =>
    startDaemonProcess(t, dataDir, { SERVICE_SOCKET: socket, SERVICE_RULES_PATH: rules });
  const server = `unix:${socket}`;
  const host = openHost(t, { server, fail: 'closed' }, site);
  let seen = 0;
  const scene: Scene = {
    host,
    server,
    daemon: await start(),
    async trail() {
      const { body } = await request(
        `http://127.0.0.1:${scene.daemon.port}/api/cra/audit?kind=pre-receive&limit=100`,
      );
      const entries = (body.data as ShownEntry[]).reverse();
      const fresh = entries.slice(seen);
      seen = entries.length;
      return fresh.map(({ actor, repo_name, details }) => {
        assert.deepEqual([actor, repo_name], [site.pusher, site.repoName]);
        const { verdict, let_through, refs } = details;
        return `${verdict} ${let_through ? 'through' : 'stopped'} ${refs}`;
      });
    },
    async restart() {
      scene.daemon = await start();
    },
  };
  openTo(site, socketDir, socket);
  host.commit('base', { 'a.txt': 'a\n' });
  await goesThrough(host, 'main');
  return scene;
}

/** A hook of another user is in the group of the socket. */
function openTo({ dir }: Site, socketDir: string, socket: string): void {
  const { uid, gid } = statSync(dir);
  if (uid === process.getuid?.()) return;
  const own = process.getuid?.() ?? 0;
  for (const path of [socketDir, socket]) chownSync(path, own, gid);
  chmodSync(socketDir, 0o2750);
}

async function goesThrough(host: Host, ...args: string[]): Promise<string> {
  const { ok, text } = await host.push(...args);
  assert.ok(ok, text);
  return text;
}

async function isStopped(host: Host, says: RegExp, ...args: string[]): Promise<void> {
  const { ok, text } = await host.push(...args);
  assert.ok(!ok, text);
  assert.match(text, says);
}

const REFUSED = /cra: this push is refused: 1 finding/;

/** New branch, force push, tag, deletion, bypass: each as it should, one entry for each refusal. */
export async function forms({ host, server, trail }: Scene): Promise<void> {
  host.set({ server, fail: 'closed' });
  const base = host.git('rev-parse', 'HEAD').trim();
  const from = (message: string, files: Record<string, string>) => {
    host.git('checkout', '--quiet', '--force', '-B', 'side', base);
    host.commit(message, files);
  };
  await goesThrough(host, 'main:refs/heads/copy');
  await goesThrough(host, ':refs/heads/copy');
  assert.ok(!host.has('refs/heads/copy'));
  from('leak', { 's.sh': leak('new') });
  await isStopped(host, REFUSED, 'side:refs/heads/new');
  assert.ok(!host.has('refs/heads/new'));
  from('good', { 'b.txt': 'b\n' });
  await goesThrough(host, 'side:refs/heads/new');
  from('leak', { 's.sh': leak('forced') });
  await isStopped(host, REFUSED, '--force', 'side:refs/heads/new');
  from('other', { 'c.txt': 'c\n' });
  await goesThrough(host, '--force', 'side:refs/heads/new');
  const token = ['ghp', '_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ'].join('');
  host.git('tag', '--annotate', `--message=with ${token}`, 'v1');
  await isStopped(host, REFUSED, 'v1');
  host.git('tag', '--annotate', '--message=good', 'v2');
  await goesThrough(host, 'v2');
  from('leak', { 's.sh': leak('bypass') });
  const reason = 'cra.reason=\u001b[2J it\'s $(id) `id` "CRA_PUSHER=eve"';
  const text = await goesThrough(host, '-o', reason, 'side:refs/heads/bypass');
  assert.match(text, /would be refused; the reason given lets it through/);
  assert.deepEqual(await trail(), [
    'refused stopped refs/heads/new',
    'refused stopped refs/heads/new',
    'refused stopped refs/tags/v1',
    'bypassed through refs/heads/bypass',
  ]);
  await goesThrough(host, ':refs/heads/new');
}

/** Pushes that hide a secret: each is refused, and has one entry. */
export async function hostile({ host, server, trail }: Scene): Promise<void> {
  host.set({ server, fail: 'closed' });
  const base = host.git('rev-parse', 'main').trim();
  const at = (id: string) => host.git('checkout', '--quiet', '--force', '-B', 'side', id);
  const tip = () => host.git('rev-parse', 'HEAD').trim();
  const secret = (name: string) => `\0\n${leak(name)}`;
  /** A merge of so many commits, whose result has what none of them has. */
  const merged = (parents: number, name: string, content: string) => {
    const ids = Array.from({ length: parents }, (_, index) => {
      at(base);
      return host.commit(`${index}`, { [name]: `${index}\n` });
    });
    host.commit('result', { [name]: content });
    const tree = host.git('rev-parse', 'HEAD^{tree}').trim();
    const parts = ids.flatMap((id) => ['-p', id]);
    at(host.git('commit-tree', tree, '-m', 'merge', ...parts).trim());
  };
  const named = (name: string) => () => host.commit('hidden', { [name]: secret(name) });
  const hidden: Record<string, () => unknown> = {
    nul: named('notes.dat'),
    'nul-quoted': named('a"\t\n b/x.dat'),
    'nul-blank': named('x b/x'),
    merge: () => merged(2, 'a.txt', leak('merge')),
    'merge-nul': () => merged(2, '"a.dat', secret('merge')),
    octopus: () => merged(12, 'a.dat', secret('octopus')),
    attributes: () => host.commit('hidden', { '.gitattributes': '* -diff\n', s: leak('diff') }),
    removed: () => {
      named('gone.dat')();
      host.git('rm', '--quiet', 'gone.dat');
      host.commit('gone');
    },
    replaced: async () => {
      const good = host.commit('good', { 'good.txt': 'good\n' });
      at(base);
      const bad = named('replaced.dat')();
      await goesThrough(host, `${good}:refs/replace/${bad}`);
    },
  };
  for (const [name, make] of Object.entries(hidden)) {
    at(base);
    await make();
    await isStopped(host, REFUSED, `${tip()}:refs/heads/${name}`);
  }
  at(base);
  host.git('notes', 'add', '--force', `--message=${leak('note')}`);
  await isStopped(host, REFUSED, 'refs/notes/commits');
  named('options.dat')();
  const options = Array.from({ length: 16 }, () => ['-o', 'x'.repeat(60_000)]).flat();
  await isStopped(host, REFUSED, ...options, 'side:refs/heads/options');
  const token = ['ghp', '_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ'].join('');
  await isStopped(host, REFUSED, `main:refs/tags/${token}`);
  const heads = [...Object.keys(hidden), 'options'].map((name) => `refs/heads/${name}`);
  const refs = [...heads, 'refs/notes/commits', 'refs/tags/ghp_…'];
  assert.deepEqual((await trail()).sort(), refs.map((ref) => `refused stopped ${ref}`).sort());
}

/** Takes connections on loopback and does with them what `serve` does. */
async function listenWith(serve: (socket: Socket) => void): Promise<{ url: string; end(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => serve(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${port}`, end };
}

const HALF = 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"ok":true,"data":{"let_thr';

/** A daemon that is stopped, slow, or ends within its answer: `fail` decides, one entry each. */
export async function withoutJudgement({ host, server, trail }: Scene): Promise<void> {
  const stopped = await listenWith(() => undefined);
  stopped.end();
  const slow = await listenWith(() => undefined);
  const broken = await listenWith((socket) => socket.end(HALF));
  const expected: string[] = [];
  for (const [name, url, within] of [
    ['stopped', stopped.url, 120],
    ['no-file', `${server}.gone`, 120],
    ['slow', slow.url, 1.5],
    ['broken', broken.url, 120],
  ] as const) {
    host.git('checkout', '--quiet', '--force', '-B', 'side', 'main');
    host.commit('leak', { 's.sh': leak(name) });
    host.set({ server: url, within, fail: 'closed' });
    await isStopped(host, /not judged \(.+\); it is refused/, `side:refs/heads/${name}`);
    host.set({ server: url, within, fail: 'open' });
    const text = await goesThrough(host, `side:refs/heads/${name}`);
    assert.match(text, /not judged \(.+\); it goes through/);
    expected.push(`stopped refs/heads/${name}`, `through refs/heads/${name}`);
  }
  slow.end();
  broken.end();
  assert.equal(host.left().length, expected.length);
  host.set({ server, fail: 'closed' });
  host.git('checkout', '--quiet', '--force', 'main');
  host.commit('good', { 'good.txt': 'good\n' });
  await goesThrough(host, 'main');
  assert.deepEqual(host.left(), []);
  const entries = expected.map((entry) => `unjudged ${entry}`);
  assert.deepEqual((await trail()).sort(), entries.sort());
}

/** The daemon is killed while it has the question. */
export async function killed(scene: Scene): Promise<void> {
  const { host, server } = scene;
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) {
    for (const fail of ['closed', 'open'] as const) {
      host.set({ server, fail });
      host.git('checkout', '--quiet', '--force', '-B', 'side', 'main');
      host.commit('leak', { 's.sh': leak(`${round} ${fail}`) });
      scene.daemon.process.kill('SIGSTOP');
      const pushing = host.push(`side:refs/heads/killed-${round}`);
      // The kernel takes the connection of the hook, and nobody answers it.
      await until(() => hasPeers(server.slice('unix:'.length)));
      await scene.daemon.kill();
      const { ok, text } = await pushing;
      assert.equal(ok, fail === 'open', text);
      assert.match(text, /not judged/);
      await scene.restart();
    }
  }
  host.git('checkout', '--quiet', '--force', 'main');
  host.commit('good', { 'after.txt': 'good\n' });
  await goesThrough(host, 'main');
  assert.deepEqual(host.left(), []);
  const each = Array.from({ length: rounds }, (_, round) => `refs/heads/killed-${round}`);
  const expected = each.flatMap((ref) => [`unjudged stopped ${ref}`, `unjudged through ${ref}`]);
  assert.deepEqual((await scene.trail()).sort(), expected.sort());
}

/** Connections to the socket beside the one that listens (its flags have 10000). */
function hasPeers(path: string): boolean {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return lines.some((line) => line.includes(path) && !line.includes(' 00010000 '));
}

const MB = 1_000_000;

/** 25 MB are judged; more than a request holds is not. */
export async function large({ host, server, trail }: Scene): Promise<void> {
  host.set({ server, fail: 'closed' });
  const line = 'a line of a text that is long and says little about anything\n';
  host.git('checkout', '--quiet', '--force', '-B', 'side', 'main');
  host.commit('large', { 'large.txt': line.repeat((25 * MB) / line.length) + leak('large') });
  await isStopped(host, REFUSED, 'side:refs/heads/large');
  host.git('checkout', '--quiet', '--force', '-B', 'side', 'main');
  host.commit('large', { 'large.txt': line.repeat((25 * MB) / line.length) });
  await goesThrough(host, 'side:refs/heads/large');
  host.git('checkout', '--quiet', '--force', '-B', 'side', 'main');
  host.commit('larger', { 'large.txt': line.repeat((40 * MB) / line.length) });
  const tooMuch = /not judged \(what the push brings is larger than/;
  await isStopped(host, tooMuch, 'side:refs/heads/larger');
  host.git('checkout', '--quiet', '--force', 'main');
  host.commit('good', { 'large-after.txt': 'good\n' });
  await goesThrough(host, 'main');
  assert.deepEqual(await trail(), [
    'refused stopped refs/heads/large',
    'unjudged stopped refs/heads/larger',
  ]);
}

/** 100 pushes at once, half of them with a secret. */
export async function crowd({ host, server, trail }: Scene): Promise<void> {
  host.set({ server, fail: 'closed' });
  const names = Array.from({ length: 100 }, (_, index) => `b${index}`);
  const isBad = (index: number) => index % 2 === 0;
  for (const [index, name] of names.entries()) {
    host.git('checkout', '--quiet', '-b', name, 'main');
    host.commit(name, { [`${name}.sh`]: isBad(index) ? leak(name) : 'good\n' });
  }
  host.git('checkout', '--quiet', 'main');
  const pushed = await Promise.all(names.map((name) => host.push(name)));
  assert.deepEqual(
    pushed.map(({ ok }) => ok),
    names.map((_, index) => !isBad(index)),
    pushed.map(({ text }) => text).join(''),
  );
  const bad = names.filter((_, index) => isBad(index));
  const expected = bad.map((name) => `refused stopped refs/heads/${name}`);
  assert.deepEqual((await trail()).sort(), expected.sort());
  assert.deepEqual(host.left(), []);
}

/** Gitea itself takes minutes for thousands of tags, with its own hooks and releases. */
const TAGS = { Gitea: 300, others: 10_000 };

/** Many annotated tags in one push, the last of which has a secret in its message. */
export async function manyTags({ host, server, trail }: Scene): Promise<void> {
  host.set({ server, fail: 'closed' });
  const head = host.git('rev-parse', 'main').trim();
  const tag = (name: string, message: string) =>
    `tag ${name}\nfrom ${head}\ntagger T <t@example.org> 1700000000 +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`;
  const count = host.site.name === 'Gitea' ? TAGS.Gitea : TAGS.others;
  const names = Array.from({ length: count }, (_, index) => `many-${index}`);
  const make = (last: string) => {
    const input = names.map((name, index) => tag(name, index === count - 1 ? last : name)).join('');
    execFileSync('git', ['-C', host.path, 'fast-import', '--quiet', '--force'], { input });
  };
  make(leak('many'));
  await isStopped(host, REFUSED, 'refs/tags/many-*:refs/tags/many-*');
  assert.ok(!host.has('refs/tags/many-0'));
  make('good');
  await goesThrough(host, 'refs/tags/many-*:refs/tags/many-*');
  assert.ok(host.has(`refs/tags/many-${count - 1}`));
  const [entry, ...others] = await trail();
  assert.match(entry ?? '', /^refused stopped refs\/tags\/many-/);
  assert.deepEqual(others, []);
}

/** p95 of the hook over pushes of 10 KB, and of a bare node between them, in ms. */
export async function duration({ host, server }: Scene, pushes: number) {
  const times = join(host.path, '..', 'times');
  writeFileSync(times, '', { mode: 0o666 });
  // The hook may run as another user.
  chmodSync(times, 0o666);
  chmodSync(join(host.path, '..'), 0o755);
  host.set({ server, fail: 'closed', times });
  const bare: number[] = [];
  host.git('checkout', '--quiet', '--force', 'main');
  for (let round = 0; round < pushes; round += 1) {
    host.commit('more', { [`${round}.txt`]: `${round} is a line of text\n`.repeat(450) });
    await goesThrough(host, 'main');
    const start = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    bare.push(performance.now() - start);
  }
  const hooked = readFileSync(times, 'utf8')
    .trim()
    .split('\n')
    .map((ns) => Number(ns) / 1e6);
  assert.equal(hooked.length, pushes);
  return { hook: p95(hooked), bare: p95(bare) };
}

function p95(all: number[]): number {
  return all.sort((a, b) => a - b)[Math.ceil(all.length * 0.95) - 1] ?? 0;
}
