import { connect, type Socket } from 'node:net';
import { getPriority } from 'node:os';
import test from 'ava';
import { RFC_LIST } from '../src/http/api/rfc.ts';
import { ANALYZE_ANSWER } from '../src/model/answer.ts';
import { SHOWN_RFC } from '../src/model/next-steps.ts';
import type { toSarif } from '../src/model/sarif.ts';
import { createValidator } from '../src/model/validate.ts';
import {
  analyze,
  change,
  daemonForAll,
  newFile,
  nicerThreads,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from './daemon.ts';

const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const SECRET_DIFF = newFile('deploy/env.sh', `#!/bin/sh\n\nexport AWS_ACCESS_KEY_ID=${AWS_KEY}\n`);
const HARMLESS_DIFF = newFile('docs/notes.txt', 'a line\nanother line\n');

const shared = daemonForAll(test);

test.serial(
  'a verdict with findings at file and line outlives a restart; its data has one daemon at a time',
  async (t) => {
    const dataDir = temporaryDir(t);
    const first = await startDaemonProcess(t, dataDir);
    const { status, body } = await analyze(first.url, change(SECRET_DIFF));
    t.is(status, 200);
    createValidator(ANALYZE_ANSWER, 'answer')(body.data);
    t.is(body.data.overall_status, 'BLOCKED');
    t.deepEqual(body.data.stats, {
      files: 1,
      additions: 3,
      deletions: 0,
      bytes: SECRET_DIFF.length,
    });
    const finding = body.data.gates.risk.findings[0];
    t.is(`${finding.file}:${finding.line}`, 'deploy/env.sh:3');
    t.false(JSON.stringify(body).includes(AWS_KEY));
    t.is(body.data.gates.llm.status, 'skipped');
    t.truthy(body.data.gates.llm.skip_reason);
    await t.throwsAsync(startDaemonProcess(t, dataDir), {
      message: new RegExp(`in use by another cra \\(pid ${first.process.pid}\\)`),
    });
    t.is(await first.stop(), 0);

    const second = await startDaemonProcess(t, dataDir);
    const read = await request(`${second.url}/rfc/${body.data.rfc_id}`);
    createValidator(SHOWN_RFC, 'rfc')(read.body.data);
    t.is(read.body.data.repo_name, 'acme/shop');
    t.deepEqual(read.body.data.gates, body.data.gates);
    t.is(read.body.data.risk_score, body.data.risk_score);
    const list = await request(`${second.url}/rfcs`);
    createValidator(RFC_LIST, 'list')(list.body.data);
    t.is(list.body.data[0].rfc_id, body.data.rfc_id);
    t.is(await second.stop(), 0);
  },
);

test.serial('rfc/<id>.sarif is the RFC as a SARIF log, without the envelope', async (t) => {
  const daemon = shared();
  const { body } = await analyze(daemon.url, change(SECRET_DIFF));
  const url = `${daemon.url}/rfc/${body.data.rfc_id}.sarif`;
  const answer = await fetch(`${url}?wait=1`);
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'application/sarif+json');
  const log = (await answer.json()) as ReturnType<typeof toSarif>;
  t.is(log.version, '2.1.0');
  t.is(log.runs[0]?.properties.rfc_id, body.data.rfc_id);
  t.is(log.runs[0]?.results[0]?.ruleId, body.data.gates.risk.findings[0].id);
  t.false(JSON.stringify(log).includes(AWS_KEY));

  t.is((await request(`${daemon.url}/rfc/RFC-0.sarif`)).status, 404);
  t.is((await request(`${daemon.url}/rfc/.sarif`)).status, 404);
  t.is((await request(`${url}?wait=nonsense`)).status, 400);
  const post = await fetch(url, { method: 'POST', body: '{}' });
  t.is(post.status, 405);
  t.is(post.headers.get('allow'), 'GET');
});

test.serial('bad input gets a clear 4xx and disturbs nobody', async (t) => {
  const daemon = shared();
  const send = (body: string | Buffer) =>
    request(`${daemon.url}/analyze`, { method: 'POST', body });
  const json = (value: unknown) => JSON.stringify(value);
  const cases: [string, string | Buffer, number, RegExp][] = [
    ['no JSON', 'hello', 400, /body: is not JSON/],
    ['half JSON', json(change('x')).slice(0, 40), 400, /body: is not JSON/],
    ['nothing', '', 400, /body: is not JSON/],
    ['a wrong type', json({ ...change('x'), branch: 3 }), 400, /branch: must be string/],
    ['a missing field', json({ repo_name: 'a' }), 400, /branch: is required/],
    ['an empty diff', json(change('')), 400, /diff: must not be empty/],
    ['text that is not a diff', json(change('hello\nworld\n')), 400, /diff: holds no file/],
    ['bytes that are not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), 400, /must be UTF-8/],
    ['a lone surrogate', json(change('x', { branch: '\ud800' })), 400, /branch: .*surrogate/],
    ['half a commit', json(change('x', { commitSha: 'abc123' })), 400, /commitSha: must be the w/],
    ['a branch as commit', json(change('x', { commitSha: 'main' })), 400, /commitSha: must be/],
    ['no full name', json(change('x', { repoFullName: 'shop' })), 400, /repoFullName: must be the/],
    ['.git', json(change('x', { repoFullName: 'acme/shop.git' })), 400, /repoFullName: must be/],
    ['a NUL in a name', json(change('x', { repo_name: 'a\0' })), 400, /repo_name: must name/],
    ['34 MB', Buffer.alloc(34_000_000, 'x'), 413, /larger than 33554432 bytes/],
    ['a status without commit', json(change('x', { postVcsStatus: true })), 400, /commitSha/],
    ['2 MB of brackets', Buffer.alloc(2_000_000, '['), 400, /more than 100000 values/],
  ];
  for (const [title, body, status, says] of cases) {
    const answer = await send(body);
    t.is(answer.status, status, title);
    t.false(answer.body.ok);
    t.regex(answer.body.error, says, title);
  }
  t.is((await request(`${daemon.url}/rfc/nope`)).status, 404);
  t.is((await request(`${daemon.url}/nope`)).status, 404);
  const good = await analyze(daemon.url, change(HARMLESS_DIFF));
  t.is(good.body.data.overall_status, 'PASSED');
});

test.serial(
  'a status that no host can take does not refuse the change, and is reported',
  async (t) => {
    const daemon = shared();
    const place = { commitSha: '3f6f9de8b2c5a1d47e0c9a8b7d6e5f4031221345', repoFullName: 'a/b' };
    const asked = { ...place, postVcsStatus: true };
    const { status, body } = await analyze(daemon.url, change(HARMLESS_DIFF, asked));
    t.is(status, 200);
    createValidator(ANALYZE_ANSWER, 'answer')(body.data);
    t.is(body.data.overall_status, 'PASSED');
    const { posted, reason } = body.data.vcs_status;
    t.is(posted, false);
    t.regex(reason, /no default Git host is configured/);
    const read = await request(`${daemon.url}/rfc/${body.data.rfc_id}`);
    createValidator(SHOWN_RFC, 'rfc')(read.body.data);
    t.deepEqual(read.body.data.vcs_status, { posted, reason });
    const quiet = await analyze(daemon.url, change(HARMLESS_DIFF, place));
    t.false('vcs_status' in quiet.body.data);
  },
);

test.serial('strange but real diffs are scanned, and what cannot be read blocks', async (t) => {
  const daemon = shared();
  const status = async (diff: string) => {
    const { body } = await analyze(daemon.url, change(diff));
    return [body.data.overall_status, ...body.data.gates.risk.findings.map(idOf)].join(' ');
  };
  const files = Array.from({ length: 10_000 }, (_, index) => newFile(`f${index}.txt`, 'text'));
  t.is(await status(files.join('')), 'PASSED');
  const long = newFile('long.txt', `${'x'.repeat(20_000_000)} ${AWS_KEY}`);
  t.regex(await status(long), /^BLOCKED secret-/);
  t.regex(await status(newFile('nul.js', `a\0b\nconst key = "${AWS_KEY}";`)), /^BLOCKED secret-/);
  t.regex(await status(newFile('bad.txt', `\ufffd ${AWS_KEY}`)), /^BLOCKED secret-/);
  t.regex(await status(`${HARMLESS_DIFF}+smuggled\n`), /^BLOCKED .*diff-unreadable/);
});

test.serial(
  'a thousand connections that promise 32 MB and send nothing cost nothing',
  async (t) => {
    const daemon = await startDaemonProcess(t, temporaryDir(t));
    const sockets: Socket[] = [];
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
    });
    const head =
      'POST /api/cra/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 33554432\r\n\r\n';
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect(daemon.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(head);
      sockets.push(socket);
    }
    const refusals = sockets.map(firstText);
    for (let count = 0; count < 20; count += 1) {
      t.is((await analyze(daemon.url, change(HARMLESS_DIFF))).status, 200);
    }
    const answers = await Promise.all(refusals);
    t.true(
      answers.every((text) => text.startsWith('HTTP/1.1 408')),
      answers[0]?.slice(0, 100),
    );
    t.true(residentMb(await statm(daemon.process.pid ?? 0)) < 800);
  },
);

test.serial('scan threads, and no others, are nicer than the daemon', async (t) => {
  const { process: daemon } = shared();
  const own = getPriority(daemon.pid);
  await until(() => nicerThreads(daemon.pid ?? 0) === 2);
  t.is(getPriority(daemon.pid), own);
});

test.serial('SIGTERM lets requests in flight finish, then the daemon exits with 0', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t), { SERVICE_THREADS: '2' });
  const files = Array.from({ length: 2000 }, (_, index) => newFile(`f${index}.py`, 'x = 1'));
  const diff = change(files.join(''));
  // Not more than there are threads: on a busy machine further ones may wait too long for one.
  const answers = Promise.all([1, 2].map(() => analyze(daemon.url, diff)));
  const ready = () => request(`${daemon.url}/health?ready=1`);
  await until(async () => (await ready()).status === 200);
  t.is((await request(`${daemon.url}/dispatcher/status?ready`)).status, 200);
  t.is((await request(`${daemon.url}/health?ready=no`)).status, 400);
  const code = daemon.stop();
  // A load balancer takes it out after three refusals; what it sends until then is answered.
  await until(async () => (await ready()).status === 503);
  t.is((await request(`${daemon.url}/health`)).status, 200);
  t.is((await request(`${daemon.url}/rfcs`)).status, 200);
  const said = await request(`${daemon.url}/dispatcher/status?ready`);
  t.is(said.status, 503);
  t.is(said.body.error, 'not ready: the service is stopping');
  t.is((await ready()).status, 503);
  for (const answer of await answers) t.is(answer.status, 200);
  t.is(await code, 0);
});

test.serial('SIGTERM does not wait for a body that still arrives', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const socket = connect(daemon.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const answer = firstText(socket);
  socket.write(
    'POST /api/cra/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nhalf',
  );
  await request(`${daemon.url}/health`);
  t.is(await daemon.stop(), 0);
  // The stop or, on a slow machine, the watch over slow bodies: whichever comes first.
  t.regex(await answer, /^HTTP\/1\.1 (?:408|503) /);
});

test.serial('bad settings end the start with the names of all of them', async (t) => {
  const env = { SERVICE_THREADS: '0', SERVICE_LOG_LEVEL: 'loud' };
  await t.throwsAsync(startDaemonProcess(t, temporaryDir(t), env), {
    message: /exit code 2: .*SERVICE_THREADS.*SERVICE_LOG_LEVEL/s,
  });
});

test.serial('with authentication on only health answers without a token', async (t) => {
  const token = 'k'.repeat(40);
  const env = { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: token };
  const daemon = await startDaemonProcess(t, temporaryDir(t), env);
  t.is((await request(`${daemon.url}/health`)).status, 200);
  t.is((await request(`${daemon.url}/rfcs`)).status, 401);
  t.is((await analyze(daemon.url, change(HARMLESS_DIFF))).status, 401);
  const headers = { Authorization: `Bearer ${token}` };
  t.is((await request(`${daemon.url}/rfcs`, { headers })).status, 200);
  await until(() => daemon.log.length > 0);
  t.false(JSON.stringify(daemon.log).includes(token));
});

function idOf(finding: { id: string }): string {
  return finding.id;
}

function firstText(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.once('close', () => resolve('closed'));
  });
}

async function statm(pid: number): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(`/proc/${pid}/statm`, 'utf8');
}

/** Second field: resident pages of 4 KB. */
function residentMb(text: string): number {
  return (Number(text.split(' ')[1]) * 4096) / 1e6;
}
