import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { childrenOf } from '../../bench/daemon/processes.ts';
import { readConfig } from '../../src/daemon/config/config.ts';
import { createLifecycle, LIFECYCLE } from '../../src/daemon/lifecycle.ts';
import { createNotifier } from '../../src/telemetry/systemd.ts';
import { startDaemonProcess, type Teardown, temporaryDir, until } from '../daemon.ts';

/** A `systemd-notify` that writes down what it is given, each assignment on a line. */
function recorder(t: Teardown) {
  const folder = temporaryDir(t);
  const record = join(folder, 'record');
  const program = join(folder, 'systemd-notify');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$NOTIFY_SOCKET $*" >> '${record}'\n`);
  chmodSync(program, 0o755);
  const heard = () =>
    existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [];
  return { path: `${folder}:/usr/bin:/bin`, heard };
}

test('the daemon tells systemd that it is ready, alive, reloading and stopping', async (t) => {
  const { path, heard } = recorder(t);
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    PATH: path,
    NOTIFY_SOCKET: '/run/there',
    WATCHDOG_USEC: '400000',
  });
  const hears = (message: string) => until(() => heard().includes(`/run/there ${message}`));
  await hears('READY=1');
  t.deepEqual(heard().slice(0, 2), [
    '/run/there STATUS=Starting',
    '/run/there EXTEND_TIMEOUT_USEC=60000000',
  ]);
  const listening = `STATUS=Listening on 127.0.0.1:${daemon.port}; 0 of `;
  const ready = heard().indexOf('/run/there READY=1');
  t.true(heard()[ready - 1]?.startsWith(`/run/there ${listening}`), heard()[ready - 1]);
  await hears('WATCHDOG=1');
  daemon.process.kill('SIGHUP');
  await hears('RELOADING=1');
  await until(() => heard().filter((line) => line.endsWith(' READY=1')).length === 2);
  const [shell] = childrenOf(daemon.process.pid ?? 0).filter(isNotifier);
  t.not(shell, undefined);
  t.is(await daemon.stop(), 0);
  // Ended by the daemon: systemd would kill it, and say so.
  t.false(existsSync(`/proc/${shell}`));
  const messages = heard().map((line) => line.replace('/run/there ', ''));
  t.is(messages.filter((message) => message === 'STOPPING=1').length, 1);
  t.true(messages.includes('STATUS=Finishing the requests in flight'));
});

function isNotifier(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('systemd-notify "$assignment"');
}

test('without systemd nothing is notified', (t) => {
  t.is(readConfig({}).notify, null);
  const notifier = createNotifier(null);
  t.notThrows(() => notifier.ready('Listening'));
});

test('the watchdog of another process is not ours', (t) => {
  const read = (pid: string) =>
    readConfig({ NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '30000000', WATCHDOG_PID: pid }).notify;
  t.is(read(String(process.pid))?.watchdogMs, 30_000);
  t.is(read('1')?.watchdogMs, null);
});

test('a start is extended as long as it uses CPU time, and no longer', async (t) => {
  const { path, heard } = recorder(t);
  const notifier = createNotifier({ socket: '/run/n', watchdogMs: null, path }, 40);
  let used = 0;
  let asked = 0;
  notifier.starting(() => {
    asked += 1;
    // From the fourth look on the start stands still.
    if (asked <= 3) used += 10;
    return used;
  });
  await until(() => asked >= 8);
  notifier.ready('Listening');
  await until(() => heard().includes('/run/n READY=1'));
  const extended = heard().filter((line) => line === '/run/n EXTEND_TIMEOUT_USEC=40000');
  t.is(extended.length, 3);
  const before = asked;
  notifier.watch(() => ({ stuck: null, status: 'Listening' }));
  notifier.stopping('Done');
  await until(() => heard().includes('/run/n STOPPING=1'));
  t.is(asked, before);
});

test('while something is stuck the watchdog is not pinged, and the status says what', async (t) => {
  const { path, heard } = recorder(t);
  const notifier = createNotifier({ socket: '/run/n', watchdogMs: 40, path });
  let stuck: string | null = null;
  notifier.watch(() => ({ stuck, status: stuck ?? 'Listening' }));
  await until(() => heard().includes('/run/n WATCHDOG=1'));
  stuck = 'the git thread\nhas not gone on';
  await until(() => heard().includes('/run/n STATUS=the git thread has not gone on'));
  notifier.stopping('Done');
  // A start or a reload that ends after the stop began.
  notifier.reloading('Taking up the rules file');
  notifier.ready('Listening');
  notifier.stopping('Again');
  await until(() => heard().includes('/run/n STOPPING=1'));
  const after = heard().slice(heard().indexOf('/run/n STATUS=the git thread has not gone on'));
  t.deepEqual(after.slice(1), ['/run/n STATUS=Done', '/run/n STOPPING=1']);
});

test('what does not go on for 10 s is stuck, until the daemon stops', async (t) => {
  const lifecycle = createLifecycle({ onStep: () => undefined });
  let lateMs = 0;
  lifecycle.onLook('the store thread (writer)', () => lateMs);
  t.is(lifecycle.stuck(), null);
  lateMs = LIFECYCLE.STUCK_MS - 1;
  t.is(lifecycle.stuck(), null);
  lateMs = LIFECYCLE.STUCK_MS;
  t.is(lifecycle.stuck(), 'the store thread (writer) has not gone on for 10 s');
  await lifecycle.stop();
  t.is(lifecycle.stuck(), null);
});

/** Runs a program whose standard output is a file; resolves with what it wrote. */
async function logged(t: Teardown, journalStream: (path: string) => string): Promise<string> {
  const folder = temporaryDir(t);
  const logger = new URL('../../src/telemetry/logger.js', import.meta.url).href;
  const program = `import { createLogger } from '${logger}';
    const log = createLogger('trace', process.env.JOURNAL_STREAM);
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug']) log[level](level);`;
  const output = join(folder, 'output');
  writeFileSync(output, '');
  const script = `exec "$0" --input-type=module -e "$1" >> '${output}'`;
  const env = { JOURNAL_STREAM: journalStream(output) };
  const child = spawn('/bin/sh', ['-c', script, process.execPath, program], { env });
  await new Promise((resolve) => child.on('close', resolve));
  return readFileSync(output, 'utf8');
}

test('lines that go to the journal have its priorities, others are JSON alone', async (t) => {
  const ours = (path: string) => `${statSync(path).dev}:${statSync(path).ino}`;
  const lines = (await logged(t, ours)).trimEnd().split('\n');
  const read = lines.map((line) => [line.slice(0, 3), JSON.parse(line.slice(3)).msg]);
  t.deepEqual(read, [
    ['<2>', 'fatal'],
    ['<3>', 'error'],
    ['<4>', 'warn'],
    ['<6>', 'info'],
    ['<7>', 'debug'],
  ]);
  const elsewhere = await logged(t, () => '1:2');
  t.is(JSON.parse(elsewhere.split('\n')[0] ?? '').msg, 'fatal');
});
