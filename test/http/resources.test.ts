import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { PROD_DECISION } from '../../src/http/api/rfc.ts';
import { REVISION_ANSWER, REVISION_LIST } from '../../src/http/api/rules.ts';
import { STATUS_REPORT } from '../../src/http/api/status.ts';
import { TASK_LIST, TASK_STATUS_ANSWER } from '../../src/http/api/tasks.ts';
import { USAGE_SUMMARY, USAGE_TOTAL } from '../../src/http/api/usage.ts';
import { SHOWN_RFC } from '../../src/model/next-steps.ts';
import { CREATED_TASK } from '../../src/model/task.ts';
import { createProblemFinder, type JsonSchema } from '../../src/model/validate.ts';
import {
  change,
  daemonForAll,
  newFile,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../daemon.ts';
import { type GuardedDaemon, startGuardedDaemon } from './credentials.ts';

const SHA = 'A1B2C3D4E5F60718293A4B5C6D7E8F9001122334';
const INJECTION = newFile('a.js', 'app.get("/", (req) => exec("ls " + req.query.dir));\n');
const HARMLESS = newFile('a.txt', 'text\n');
const KILL_SWITCH = {
  id: 'risk-kill-switch',
  description: 'The kill switch is touched',
  regex: 'KILL_SWITCH\\s*=',
  severity: 'high',
  message: 'the kill switch changes',
  source: 'https://wiki.example/kill-switch',
  examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill_switches = 1'] },
};
const RULES = { version: 1, risk_patterns: [KILL_SWITCH], allow_empty: true };

interface Reply {
  status: number;
  etag: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer.
  body: any;
}

/** Calls that say who calls. */
function callerOf(url: string, token: string | null, sent: Record<string, string> = {}) {
  return async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const own = token === null ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/${path}`, {
      method,
      headers: { ...own, ...sent },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers } = response;
    return { status, etag: headers.get('etag'), body: await response.json() };
  };
}

function fits(t: ExecutionContext, schema: JsonSchema, { status, body }: Reply): void {
  t.is(status, 200, JSON.stringify(body).slice(0, 300));
  t.deepEqual(createProblemFinder(schema, 'data')(body.data), []);
}

function refused(t: ExecutionContext, reply: Reply, status: number, code: string, says: RegExp) {
  t.is(reply.status, status, JSON.stringify(reply.body));
  t.false(reply.body.ok);
  t.is(reply.body.code, code);
  t.regex(reply.body.error, says);
}

/** The tests that share it run in this order: the first one needs the only vuln-01. */
const shared = daemonForAll(test);

test.serial('a task goes from a finding to done, by POST and GET alike', async (t) => {
  const { url } = shared();
  const call = callerOf(url, null);
  const { body } = await call('POST', 'analyze', change(INJECTION));
  const [finding] = body.data.gates.ast.findings;
  t.is(finding.id, 'vuln-01');
  const made = await call('POST', 'claude-task', { findingId: 'vuln-01', more: 1 });
  fits(t, CREATED_TASK, made);
  t.like(made.body.data, { findingId: finding.finding_id, lineHint: 1, filePath: 'a.js' });
  const { taskId } = made.body.data;
  for (const method of ['GET', 'POST']) {
    const listed = await call(method, 'pending-tasks', method === 'POST' ? {} : undefined);
    fits(t, TASK_LIST, listed);
    t.is(listed.body.data[0].taskId, taskId);
    t.is(listed.body.next_cursor, null);
  }
  const set = (more: object) => call('POST', 'task-status', { taskId, ...more });
  fits(t, TASK_STATUS_ANSWER, await set({ status: 'picked' }));
  t.deepEqual((await call('GET', 'pending-tasks')).body.data, []);
  for (const again of [1, 2]) {
    const done = await set({ status: 'done', markFixed: true });
    t.deepEqual(
      done.body.data,
      { taskId, findingId: finding.finding_id, status: 'done' },
      `${again}`,
    );
  }
  const rfc = await call('GET', `rfc/${body.data.rfc_id}`);
  fits(t, SHOWN_RFC, rfc);
  t.is(rfc.body.data.overall_status, 'BLOCKED');
  t.is(rfc.body.data.gates.ast.findings[0].resolved.by, 'dev-mode');
  refused(
    t,
    await call('POST', 'claude-task', { findingId: 'F-0-1' }),
    404,
    'NOT_FOUND',
    /finding/,
  );
  refused(
    t,
    await call('POST', 'task-status', { taskId: 'T', status: 'done' }),
    404,
    'NOT_FOUND',
    /task/,
  );
  refused(t, await set({ status: 'paused' }), 400, 'INVALID_ARGUMENT', /^status: must be one of/);
  refused(
    t,
    await set({ status: 'done', markFixed: 'yes' }),
    400,
    'INVALID_ARGUMENT',
    /^markFixed: /,
  );
  await call('POST', 'analyze', change(INJECTION, { repo_name: 'acme/other' }));
  await call('POST', 'analyze', change(INJECTION, { repo_name: 'acme/third' }));
  const two = await call('POST', 'claude-task', { findingId: 'vuln-01' });
  refused(t, two, 409, 'FAILED_PRECONDITION', /finding_id/);
});

test.serial('prod-check finds a repository however its name is written', async (t) => {
  const { url } = shared();
  const call = callerOf(url, null);
  const names = ['Acme/Shop', 'shop', 'a/b/c/d', 'a b%2F?#&+', 'ünï/cödé', '../x', 'x/revisions'];
  for (const repo_name of names) {
    const { body } = await call('POST', 'analyze', change(HARMLESS, { repo_name }));
    const found = await call('GET', `prod-check/${encodeURIComponent(repo_name)}`);
    fits(t, PROD_DECISION, found);
    t.like(found.body.data, { allowed: true, rfcId: body.data.rfc_id }, repo_name);
    t.is(found.body.data.approveUrl, `${new URL(url).origin}/cra#approve-${body.data.rfc_id}`);
  }
  for (const path of ['acme/shop', 'ACME/shop', 'acme%2Fshop', 'Acme%2fShop', '%61cme/shop']) {
    t.is((await call('GET', `prod-check/${path}`)).status, 200, path);
  }
  for (const path of ['acme', 'acme/shop/', 'acme//shop', 'acme%252Fshop', '%FF', '%00', 'a%']) {
    refused(t, await call('GET', `prod-check/${path}`), 404, 'NOT_FOUND', /\w/);
  }
  t.is((await call('GET', 'prod-check/')).status, 404);
  const malformed = ['sha=abc123', 'sha=main', `sha=${SHA}0`, `Sha=${SHA}`, 'branch=main&commit=x'];
  const empty = ['branch=', 'sha=', 'environment=', 'environment=prod&component='];
  for (const query of [...empty, 'sha=a&sha=b', ...malformed]) {
    refused(
      t,
      await call('GET', `prod-check/shop?${query}`),
      400,
      'INVALID_ARGUMENT',
      /^(?:branch|sha|Sha|commit|environment|component): /,
    );
  }
  const unknown = await call('GET', 'prod-check/shop?commit=x');
  t.is(unknown.body.error, 'commit: is not a known field');
});

test.serial('an approval for a commit lets that commit pass alone', async (t) => {
  const { url } = shared();
  const call = callerOf(url, null);
  const repo_name = 'acme/pinned';
  const { body } = await call('POST', 'analyze', change(INJECTION, { repo_name, commitSha: SHA }));
  t.is(body.data.overall_status, 'BLOCKED');
  const check = (sha: string) => call('GET', `prod-check/acme/pinned?sha=${sha}`);
  t.false((await check(SHA)).body.data.allowed);
  const without = (await call('POST', 'analyze', change(INJECTION, { repo_name }))).body.data
    .rfc_id;
  const other = 'b'.repeat(40);
  const approval = { reason: 'known', force_commit_sha: other, force_repo_full_name: 'a/b' };
  const alone = { reason: 'known', force_commit_sha: other };
  const answer = await call('POST', `approve/${without}`, alone);
  refused(t, answer, 400, 'INVALID_ARGUMENT', /^force_repo_full_name: is needed/);
  t.is((await call('POST', `approve/${without}`, approval)).status, 200);
  t.like((await check(other)).body.data, { allowed: true, rfcId: without });
  t.like((await check(SHA.toLowerCase())).body.data, { allowed: false, rfcId: body.data.rfc_id });
  t.regex((await call('GET', 'prod-check/acme/pinned')).body.data.reason, /\?sha=/);
  t.is((await check('c'.repeat(40))).status, 404);
});

const CALL = { provider: 'a', model: 'm', input_tokens: 3, output_tokens: 4, cost_usd: 0.1 };

test.serial('usage is logged and summed; what is wrong with a record is named', async (t) => {
  const { url } = shared();
  const call = callerOf(url, null);
  for (const cost_usd of [0.1, 0.2, 1e-9]) {
    t.is((await call('POST', 'usage/log', { ...CALL, cost_usd })).status, 200);
  }
  const total = await call('GET', 'usage/total');
  fits(t, USAGE_TOTAL, total);
  t.like(total.body.data, { hours: 24, calls: 3, input_tokens: 9, cost_usd: 0.300000001 });
  t.is((await call('GET', 'usage/total?hours=1')).body.data.hours, 1);
  const today = new Date().toISOString().slice(0, 10);
  const summary = await call('GET', `usage/summary?since=${today}`);
  fits(t, USAGE_SUMMARY, summary);
  t.deepEqual(summary.body.data.since, today);
  fits(t, USAGE_SUMMARY, await call('GET', 'usage/summary'));
  const wrong: [string, unknown][] = [
    ['provider', ''],
    ['model', null],
    ['input_tokens', -1],
    ['input_tokens', 1.5],
    ['output_tokens', '4'],
    ['cache_read_tokens', 1e15],
    ['cost_usd', -0.1],
    ['cost_usd', 'free'],
    ['cost_usd', 1e9],
    ['context', 'a\0'],
  ];
  for (const [field, value] of wrong) {
    const reply = await call('POST', 'usage/log', { ...CALL, [field]: value });
    refused(t, reply, 400, 'INVALID_ARGUMENT', new RegExp(`^${field}: `));
  }
  for (const path of ['total?hours=0', 'total?hours=1.5', 'total?hours=', 'total?hours=87601']) {
    refused(t, await call('GET', `usage/${path}`), 400, 'INVALID_ARGUMENT', /^hours: /);
  }
  for (const since of ['', '2026-1-1', '2026-02-30', 'today', '2026-01-01T00:00:00Z']) {
    const reply = await call('GET', `usage/summary?since=${since}`);
    refused(t, reply, 400, 'INVALID_ARGUMENT', /^since: /);
  }
  t.is((await call('GET', 'usage/total')).body.data.calls, 3);
});

const WARNED = { id: 'kill', paths: ['a.py'], modes: { 'risk-*': 'warn' } };
const PARTED = { ...RULES, components: [WARNED, { id: 'all', paths: ['*.py'] }] };

test.serial('rules are replaced by their ETag, tried before, and brought back', async (t) => {
  const { url } = await startDaemonProcess(t, temporaryDir(t));
  const call = callerOf(url, null);
  const text = 'KILL_SWITCH = 1\n';
  const { body } = await call('POST', 'analyze', change(newFile('a.py', text)));
  t.is(body.data.overall_status, 'PASSED');
  await call('POST', 'analyze', change(INJECTION));
  const first = await call('GET', 'rules');
  t.regex(first.etag ?? '', /^"0-[0-9a-f]{16}"$/);
  t.true(first.body.data.secret_patterns.length > 100);

  const dry = await call('PUT', 'rules?dry_run=true', { ...PARTED, extends: 'default' });
  t.is(dry.status, 200);
  t.like(dry.body.data, { checked: 2, skipped: 0, unreached: 0 });
  t.deepEqual(dry.body.data.changed, [
    {
      rfc_id: body.data.rfc_id,
      repo_name: 'acme/shop',
      from: 'PASSED',
      to: 'BLOCKED',
      new_rules: ['risk-kill-switch'],
      gone_rules: [],
      components: [{ id: 'all', from: 'PASSED', to: 'BLOCKED' }],
    },
  ]);
  t.is((await call('GET', 'rules')).etag, first.etag);
  t.is((await call('PUT', 'rules?dry_run=true&limit=1', RULES)).body.data.checked, 1);
  const same = await call('POST', 'rules/dry-run', { ...PARTED, extends: 'default' });
  t.deepEqual(same.body.data, dry.body.data);
  t.like(same.body.data.looked_at, { rfcs: 2, from_store: 2, from_mirror: 0 });
  t.deepEqual(same.body.data.left_out, []);

  const matching = callerOf(url, null, { 'If-Match': first.etag ?? '' });
  const put = await matching('PUT', 'rules?comment=kill%20switch', RULES);
  fits(t, REVISION_ANSWER, put);
  t.like(put.body.data, { number: 1, source: 'api', comment: 'kill switch', added_by: 'dev-mode' });
  const inForce = await call('GET', 'rules');
  t.is(inForce.etag, put.etag);
  t.deepEqual(inForce.body.data.risk_patterns, [KILL_SWITCH]);
  t.deepEqual(inForce.body.data.secret_patterns, []);
  const again = await call('POST', 'analyze', change(newFile('a.py', text)));
  t.is(again.body.data.overall_status, 'BLOCKED');
  t.deepEqual(
    again.body.data.gates.risk.findings.map(({ id }: { id: string }) => id),
    ['risk-kill-switch', 'rules-empty'],
  );
  const { warnings } = (await call('GET', 'dispatcher/status')).body.data.rules;
  t.is(warnings.length, 2);
  t.regex(warnings[0], /no secret_patterns: allow_empty/);

  const late = await matching('PUT', 'rules', RULES);
  refused(t, late, 412, 'FAILED_PRECONDITION', /in force is "1-/);
  const bad = await call('PUT', 'rules', {
    ...RULES,
    risk_patterns: [{ ...KILL_SWITCH, regex: '(' }],
  });
  refused(t, bad, 400, 'INVALID_ARGUMENT', /risk-kill-switch/);
  for (const body of ['', '[]', '{', '{"version":1}', '{"version":1,"nope":1}']) {
    refused(t, await call('PUT', 'rules', body), 400, 'INVALID_ARGUMENT', /^rules: /);
  }
  t.is((await call('GET', 'rules')).etag, put.etag);

  const second = await call('PUT', 'rules', { ...RULES, extends: 'default' });
  t.is(second.body.data.number, 2);
  const back = await call('POST', 'rules/revisions/1/restore');
  fits(t, REVISION_ANSWER, back);
  t.like(back.body.data, { number: 3, revision: put.body.data.revision });
  const list = await call('GET', 'rules/revisions');
  fits(t, REVISION_LIST, list);
  t.deepEqual(
    list.body.data.map(({ number }: { number: number }) => number),
    [3, 2, 1],
  );
  t.is((await call('GET', 'rules/revisions?before=2')).body.data.length, 1);
  t.deepEqual((await call('GET', 'rules/revisions/1')).body.data, RULES);
  for (const number of ['0', '4', '-1', '1.0', 'one', '9'.repeat(30), '%31x']) {
    t.is((await call('GET', `rules/revisions/${number}`)).status, 404, number);
    t.is((await call('POST', `rules/revisions/${number}/restore`)).status, 404, number);
  }
});

test.serial(
  'a path that another route takes first has the methods of that one alone',
  async (t) => {
    const { url } = shared();
    const { rfc_id } = (await callerOf(url, null)('POST', 'analyze', change(HARMLESS))).body.data;
    const answer = await fetch(`${url}/rfc/${rfc_id}.sarif`, { method: 'DELETE' });
    t.is(answer.status, 405);
    t.is(answer.headers.get('allow'), 'GET');
    const own = await fetch(`${url}/rfc/${rfc_id}`, { method: 'OPTIONS' });
    t.is(own.headers.get('allow'), 'GET, DELETE');
  },
);

test.serial(
  'rules that are slow, or leave a class empty without saying so, are refused',
  async (t) => {
    const { url } = shared();
    const call = callerOf(url, null);
    const slow = { ...KILL_SWITCH, regex: '(?:.{0,500}a){2}.{0,500}bcd|KILL_SWITCH\\s*=' };
    const refusedSlow = await call('PUT', 'rules', { ...RULES, risk_patterns: [slow] });
    refused(t, refusedSlow, 400, 'INVALID_ARGUMENT', /risk-kill-switch: the regex takes \d+ times/);
    const { allow_empty: _, ...unsaid } = RULES;
    refused(t, await call('PUT', 'rules', unsaid), 400, 'INVALID_ARGUMENT', /"allow_empty": true/);
    const toothless = { version: 1, extends: 'default', pipeline: { block_severities: ['info'] } };
    const refusedEmpty = await call('PUT', 'rules', toothless);
    refused(t, refusedEmpty, 400, 'INVALID_ARGUMENT', /no block_severities are left.* would block/);
  },
);

test.serial(
  'SIGHUP takes up the rules file; a bad one changes nothing but the status',
  async (t) => {
    const dir = temporaryDir(t);
    const path = join(dir, 'rules.json');
    writeFileSync(path, JSON.stringify(RULES));
    const daemon = await startDaemonProcess(t, join(dir, 'data'), { SERVICE_RULES_PATH: path });
    const call = callerOf(daemon.url, null);
    const first = await call('GET', 'rules');
    const reload = async (text: string) => {
      const before = daemon.log.length;
      writeFileSync(path, text);
      daemon.process.kill('SIGHUP');
      const done = /^rules (?:in force|not taken up)$/;
      await until(() => daemon.log.slice(before).some(({ msg }) => done.test(String(msg))));
    };
    await reload('{"version": 1, "risk_patterns": [{}]}');
    t.is((await call('GET', 'rules')).etag, first.etag);
    const status = await call('GET', 'dispatcher/status');
    fits(t, STATUS_REPORT, status);
    t.like(status.body.data.rules, { state: 'down', number: 1 });
    t.regex(status.body.data.rules.problems[0], /rules\.json: /);
    await reload(JSON.stringify({ ...RULES, disabled_rules: [], allowlists: [{ paths: ['x'] }] }));
    const changed = await call('GET', 'rules');
    t.not(changed.etag, first.etag);
    t.deepEqual(changed.body.data.allowlists, [{ paths: ['x'] }]);
    const after = (await call('GET', 'dispatcher/status')).body.data;
    t.like(after.rules, { state: 'up', number: 2, problems: [] });
    t.like(after, { store: { state: 'up', driver: 'sqlite' }, pool: { state: 'up' } });
  },
);

test.serial('a tenant sees, decides and counts its own alone', async (t) => {
  const daemon = await startGuardedDaemon(t);
  const { url } = daemon;
  const acme = callerOf(url, await daemon.person('admin', 'acme'));
  const other = callerOf(url, await daemon.person('admin', 'other'));
  const { rfc_id } = (await acme('POST', 'analyze', change(INJECTION))).body.data;
  const own = await acme('GET', 'prod-check/acme/shop');
  t.is(own.body.data.rfcId, rfc_id);
  t.is((await other('GET', 'prod-check/acme/shop')).status, 404);
  t.is((await callerOf(url, daemon.apiToken)('GET', 'prod-check/acme/shop')).status, 404);
  const { finding_id } = (await acme('GET', `rfc/${rfc_id}`)).body.data.gates.ast.findings[0];
  t.is((await other('POST', 'claude-task', { findingId: finding_id })).status, 404);
  t.is((await other('POST', 'claude-task', { findingId: 'vuln-01' })).status, 404);
  t.is((await acme('POST', 'claude-task', { findingId: 'vuln-01' })).status, 200);
  t.is((await other('PUT', 'rules', RULES)).status, 403);
  t.is((await other('PUT', 'rules?dry_run=true', RULES)).status, 403);
  t.is((await other('POST', 'rules/dry-run', RULES)).status, 403);
  t.is((await other('POST', 'rules/revisions/1/restore')).status, 403);
  await checkMachines(t, daemon);
});

test.serial('PUT rules goes back to the built-in set, and says so', async (t) => {
  const { url } = await startDaemonProcess(t, temporaryDir(t));
  const call = callerOf(url, null);
  const state = async () => (await call('GET', 'dispatcher/status')).body.data.rules.built_in;
  const built = await call('GET', 'rules');
  t.true(await state());
  t.false((await call('PUT', 'rules', RULES)).body.data.built_in);
  t.false(await state());
  const back = await call('PUT', 'rules', { version: 1, extends: 'default' });
  fits(t, REVISION_ANSWER, back);
  t.true(back.body.data.built_in);
  t.true(await state());
  t.deepEqual((await call('GET', 'rules')).body.data, built.body.data);
  const listed = await call('GET', 'rules/revisions');
  fits(t, REVISION_LIST, listed);
  t.deepEqual(
    listed.body.data.map(({ built_in }: { built_in: boolean }) => built_in),
    [true, false],
  );
  const entries = await call('GET', 'audit?kind=rules');
  t.is(entries.body.data[0].details.revision, back.body.data.revision);
  const restored = await call('POST', 'rules/revisions/1/restore');
  t.false(restored.body.data.built_in);
});

/** Tokens are of the default tenant: they see nothing of the others. */
async function checkMachines(t: ExecutionContext, daemon: GuardedDaemon): Promise<void> {
  const machine = callerOf(daemon.url, daemon.apiToken);
  t.deepEqual((await machine('GET', 'pending-tasks')).body.data, []);
  t.is((await machine('POST', 'usage/log', CALL)).status, 200);
  t.is((await machine('POST', 'rules/dry-run', RULES)).status, 200);
  t.is((await machine('PUT', 'rules?dry_run=true', RULES)).status, 403);
  t.is((await machine('PUT', 'rules', RULES)).status, 403);
  const acme = callerOf(daemon.url, await daemon.person('viewer', 'acme'));
  t.is((await acme('GET', 'usage/total')).body.data.calls, 0);
  t.is((await machine('GET', 'usage/total')).body.data.calls, 1);
}
