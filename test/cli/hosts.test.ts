import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { HostCoverage, RepositoryCoverage } from '../../src/model/coverage.ts';
import { PROGRAM } from '../daemon.ts';

const ROW: RepositoryCoverage = {
  repo: 'acme/shop',
  default_branch: 'main',
  checked_at: '2026-11-21T10:00:00.000Z',
  webhook: 'active',
  last_delivery_at: '2026-11-21T09:00:00.000Z',
  gate: 'required',
  gate_source: 'app',
  bypass: [],
  newest_push: 'judged',
  coverage: 'covered',
};
const OPEN: RepositoryCoverage = {
  ...ROW,
  repo: 'acme/open\u001b[31m',
  webhook: 'missing',
  last_delivery_at: null,
  gate: 'missing',
  gate_source: null,
  bypass: null,
  newest_push: 'none',
  coverage: 'gap',
};
const HOST: HostCoverage = {
  host: 'hub',
  provider: 'github',
  owners: ['acme'],
  started_at: null,
  finished_at: '2026-11-21T10:00:00.000Z',
  listed: 1,
  checked: 1,
  problem: null,
  repositories: [ROW],
};

/** Runs the command at a service that gives these answers, the last one for ever. */
async function check(t: ExecutionContext, answers: readonly unknown[], args: string[] = []) {
  let count = 0;
  const server = createServer((_, response) => {
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    const isRefusal = typeof answer === 'string';
    response.writeHead(isRefusal ? 401 : 200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(isRefusal ? { ok: false, error: answer } : { ok: true, data: answer }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const all = [PROGRAM, 'hosts', 'check', '--server', url, ...args];
    const child = execFile(process.execPath, all, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

test('cra hosts check shows gaps first, and its exit code says what there is', async (t) => {
  const covered = await check(t, [[HOST]]);
  t.is(covered.code, 0, covered.stderr);
  t.regex(covered.stdout, /hub \(acme\): 0 gap, 0 unknown, 1 covered; checked at 2026-11-21T10/);
  t.regex(covered.stdout, /acme\/shop +covered +active .* required \(app\) +nobody +judged/);

  const gap = await check(t, [[{ ...HOST, repositories: [ROW, OPEN] }]]);
  t.is(gap.code, 1);
  const lines = gap.stdout.split('\n').slice(2, 4);
  t.regex(lines[0] ?? '', /acme\/open.* gap .* missing .* unknown {2}none/);
  t.false(gap.stdout.includes('\u001b'), 'names cannot move the cursor');

  const unknown = { ...HOST, repositories: [{ ...ROW, coverage: 'unknown' }] };
  t.is((await check(t, [[unknown]])).code, 2);
  t.is((await check(t, [[{ ...HOST, problem: 'the host is down' }]])).code, 2);
  const nothing = await check(t, [[]]);
  t.is(nothing.code, 2);
  t.regex(nothing.stdout, /No owners are configured/);
  const json = await check(t, [[HOST]], ['--json']);
  t.deepEqual(JSON.parse(json.stdout), [HOST]);
  const refused = await check(t, ['the token is not known']);
  t.is(refused.code, 2);
  t.regex(refused.stderr, /the token is not known/);
});

test('cra hosts check --wait shows the progress of a round', async (t) => {
  const started = { ...HOST, started_at: HOST.finished_at, finished_at: null };
  const running = { ...started, listed: 1_000, checked: 250, repositories: [] };
  const { code, stderr } = await check(t, [[running], [HOST]], ['--wait']);
  t.is(code, 0);
  t.regex(stderr, /hub: 250 of 1000 repositories checked\n/);
});
