import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Check } from '../../src/cli/doctor/check.ts';
import { checkDataDir, checkGit } from '../../src/cli/doctor/machine.ts';
import { checkCertificate, checkClock } from '../../src/cli/doctor/network.ts';
import { checkRoom } from '../../src/cli/doctor/store.ts';
import { fake } from '../../src/rules/fake.ts';
import { temporaryDir } from '../daemon.ts';
import { startReceiver } from '../events/receiver.ts';
import { runCommand } from './fixtures/command.ts';

test('doctor names each problem of an installation, its way out, and exits with 1', async (t) => {
  const folder = temporaryDir(t);
  const data = join(folder, 'data');
  mkdirSync(join(data, 'keys'), { recursive: true, mode: 0o700 });
  writeFileSync(join(data, 'keys', 'seal'), 'k'.repeat(32), { mode: 0o644 });
  const rules = join(folder, 'rules.json');
  writeFileSync(rules, '{"version": 1, "risk_patterns": [{"id": "a", "regex": "("}]}');
  const receiver = await startReceiver(t);
  const secrets = [`whsec_${Buffer.from(fake('event-', 32)).toString('base64')}`];
  const ops = { url: `${receiver.url}/path-secret`, secrets, types: ['rfc.*'] };
  const events = join(folder, 'events.json');
  const subscriptions = [
    { id: 'ops', ...ops, allow_private: true },
    { id: 'private', ...ops, url: 'https://10.1.2.3/path-secret' },
  ];
  writeFileSync(events, JSON.stringify({ subscriptions }));
  const env = {
    SERVICE_DATA_DIR: data,
    SERVICE_RULES_PATH: rules,
    SERVICE_THREADS: '64',
    SERVICE_EVENTS_CONFIG: events,
  };
  const { code, stdout } = await runCommand(['doctor', '--json'], { env });
  const checks = JSON.parse(stdout) as Check[];
  const stateOf = (name: string) => checks.find((check) => check.name === name)?.state;
  t.is(code, 1);
  t.is(stateOf('version'), 'ok');
  t.is(stateOf('data directory'), 'failure');
  t.is(stateOf('rules'), 'failure');
  t.is(stateOf('threads'), 'warning');
  t.is(stateOf('events ops'), 'ok');
  t.regex(checks.find(({ name }) => name === 'events private')?.says ?? '', /allow_private/);
  t.false(stdout.includes('path-secret'));
  for (const { state, advice } of checks) {
    t.is(advice !== null, state === 'warning' || state === 'failure');
  }
});

test('doctor with wrong settings names all of them', async (t) => {
  const env = { SERVICE_PORT: 'x', SERVICE_LOG_LEVEL: 'loud' };
  const { code, stdout } = await runCommand(['doctor'], { env });
  t.is(code, 1);
  t.regex(stdout, /FAILURE {2}settings .*SERVICE_PORT[\s\S]*SERVICE_LOG_LEVEL/);
});

test('checkGit refuses a git that is too old, and one without HTTPS', async (t) => {
  const folder = temporaryDir(t);
  const shim = (text: string) => {
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, 'git'), 0o755);
  };
  const path = `${folder}:/usr/bin:/bin`;
  shim('echo git version 2.20.1');
  t.like(await checkGit(path), { state: 'failure' });
  t.regex((await checkGit(path)).says, /git 2\.39 or newer.*2\.20\.1/);
  shim(`case $* in *version) echo git version 2.40.0;; *) echo ${folder};; esac`);
  t.regex((await checkGit(path)).says, /2\.40\.0 lacks git-remote-https/);
});

test('checkDataDir tells rights that are too wide, and a file in place of a folder', (t) => {
  const folder = temporaryDir(t);
  chmodSync(folder, 0o700);
  t.is(checkDataDir(folder).state, 'ok');
  t.is(checkDataDir(join(folder, 'absent')).state, 'ok');
  chmodSync(folder, 0o755);
  t.is(checkDataDir(folder).state, 'warning');
  writeFileSync(join(folder, 'file'), '');
  t.is(checkDataDir(join(folder, 'file')).state, 'failure');
});

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
const inDays = (days: number) => new Date(NOW + days * DAY_MS);
const trusted = (days: number, problem: string | null = null) =>
  checkCertificate('host', 'https://git', { endsAt: inDays(days), problem }, NOW).state;

const STATES: readonly [title: string, found: Check['state'], expected: Check['state']][] = [
  ['a certificate for a year', trusted(365), 'ok'],
  ['one for a week', trusted(7), 'warning'],
  ['one that has ended', trusted(-1), 'failure'],
  ['one of an unknown authority', trusted(365, 'SELF_SIGNED'), 'failure'],
  ['a clock 1 s off', checkClock('git', new Date(NOW + 1_000), NOW).state, 'ok'],
  ['a clock 20 s behind', checkClock('git', new Date(NOW + 20_000), NOW).state, 'warning'],
  ['a clock an hour off', checkClock('git', new Date(NOW - 3_600_000), NOW).state, 'failure'],
  ['a trail for years', checkRoom(10, 10_000, inDays(-100), NOW).state, 'ok'],
  [
    'a trail that fills within months',
    checkRoom(5_000, 10_000, inDays(-100), NOW).state,
    'warning',
  ],
  ['a trail at .75', checkRoom(7_500, 10_000, null, NOW).state, 'warning'],
  ['a trail at .95', checkRoom(9_500, 10_000, inDays(-3_000), NOW).state, 'failure'],
  ['a trail that is not capped', checkRoom(10, null, null, NOW).state, 'skipped'],
];
for (const [title, found, expected] of STATES) {
  test(`doctor: ${title}`, (t) => t.is(found, expected));
}
