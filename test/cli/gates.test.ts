import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { AnalyzeAnswer } from '../../src/cli/answer.ts';
import type { ReplaySummary } from '../../src/cli/replay-summary.ts';
import { newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { runCommand } from './fixtures/command.ts';
import { createRepository } from './fixtures/repository.ts';

const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const SECRET = newFile('deploy/env.sh', `#!/bin/sh\n\nexport AWS_ACCESS_KEY_ID=${AWS_KEY}\n`);
const HARMLESS = newFile('docs/notes.txt', 'a line\nanother line\n');

/** What a verdict says, without what differs from run to run. */
function essence({ overall_status, risk_score, diff_hash, gates, stats }: AnalyzeAnswer) {
  const findings = [gates.risk, gates.ast, gates.llm].flatMap((gate) =>
    gate.findings.map(({ id, severity, file, line, column }) => [id, severity, file, line, column]),
  );
  return { overall_status, risk_score, diff_hash, findings, stats };
}

test.serial('analyze blocks a secret without a service, at its file and line', async (t) => {
  const { code, stdout, stderr } = await runCommand(['analyze', '-'], { stdin: SECRET });
  t.deepEqual([code, stderr], [1, '']);
  t.regex(stdout, /^BLOCKED {2}risk \d+\/100 {2}\(1 file, \+3 -0\)\n/);
  t.regex(stdout, /\ndeploy\/env\.sh\n {2}3:\d+ +(?:critical|high) +secret-/);
  t.regex(stdout, /why +\+\d+: (?:critical|high) finding secret-/);
  t.regex(stdout, /fix: /);
  t.false(stdout.includes(AWS_KEY));
});

test.serial('analyze passes a harmless change and leaves nothing behind', async (t) => {
  const TMPDIR = temporaryDir(t);
  const { code, stdout } = await runCommand(['analyze', '-'], { stdin: HARMLESS, env: { TMPDIR } });
  t.is(code, 0, stdout);
  t.deepEqual(readdirSync(TMPDIR), []);
});

test.serial('analyze refuses text that is no diff, and rules that are not good', async (t) => {
  const noDiff = await runCommand(['analyze', '-'], { stdin: 'hello\n' });
  t.is(noDiff.code, 2);
  t.regex(noDiff.stderr, /diff: holds no file of a unified diff/);
  const env = { SERVICE_RULES_PATH: join(temporaryDir(t), 'missing.json') };
  const noRules = await runCommand(['analyze', '-'], { stdin: HARMLESS, env });
  t.is(noRules.code, 2);
  t.regex(noRules.stderr, /rules file .*missing\.json/);
});

test.serial('analyze judges alike with and without a service', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const server = `http://127.0.0.1:${daemon.port}`;
  for (const stdin of [SECRET, HARMLESS]) {
    const local = await runCommand(['analyze', '--json'], { stdin });
    const remote = await runCommand(['analyze', '--json', '--server', server], { stdin });
    t.is(local.code, remote.code);
    t.deepEqual(essence(JSON.parse(local.stdout)), essence(JSON.parse(remote.stdout)));
  }
  const shown = await runCommand(['analyze', '--server', server], { stdin: SECRET });
  t.regex(shown.stdout, /why +\+\d+: (?:critical|high) finding secret-/);
  t.regex(shown.stdout, /rfc +RFC-[0-9A-F]+ at http/);
});

test.serial('replay counts with the service what git counts', async (t) => {
  const { path, git, commit } = createRepository(t);
  commit('first', { 'a.ts': 'one\ntwo\nthree\n', 'b.bin': Buffer.from([0, 1, 2]) });
  commit('Übung\n\n@@ -1 +1 @@', { 'Übung "x"\ty.sql': '-- a\n++ b\n' });
  commit('nothing');
  git('mv', 'a.ts', 'c.ts');
  commit('rename');
  commit('latin', { 'l.txt': Buffer.from([0xe9, 0x0a, 0xff, 0xfe, 0x0a, 0x41]) });
  commit('removed', { 'Übung "x"\ty.sql': '-- a\n', 'c.ts': 'one\r\ntwo\n' });
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const { code, stdout, stderr } = await runCommand([
    ...['replay', '--repo', path, '--server', `http://127.0.0.1:${daemon.port}`, '--json'],
    ...['--all', '--verify-stats', `--pid=${daemon.process.pid}`],
  ]);
  const summary = JSON.parse(stdout) as ReplaySummary;
  t.deepEqual([code, summary.stats_mismatches, summary.failed], [0, [], []], stderr);
  t.deepEqual([summary.commits, summary.skipped.empty], [5, 1]);
  t.true((summary.server_cpu_seconds ?? -1) >= 0);
});
