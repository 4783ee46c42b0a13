import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openDataDir } from '../src/daemon/data-dir.ts';
import { OPS_LOG_ANSWER } from '../src/http/api/audit.ts';
import { BULK_ANSWER, DECISION_ANSWER, OVERRIDE_ANSWER } from '../src/http/api/decisions.ts';
import { DECISIONS } from '../src/model/limits.ts';
import { SHOWN_RFC } from '../src/model/next-steps.ts';
import { createValidator } from '../src/model/validate.ts';
import {
  analyze,
  change,
  daemonForAll,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
} from './daemon.ts';
import {
  AWS_KEY,
  blocked,
  entriesOf,
  harmless,
  isInOrder,
  type Reply,
  send,
  statusOf,
  submit,
} from './decision-calls.ts';
import { plan, planned } from './gates/configuration/plan-file.ts';
import { insert } from './store/conformance/steps.ts';
import { blockedRecord } from './store/fixtures/decisions.ts';
import { openSqlite } from './store/sqlite/harness.ts';

const SECRET_PART = AWS_KEY.slice(6);
const API_TOKEN = 'api'.repeat(12);
const OVERRIDE_TOKEN = 'override'.repeat(5);
const WITH_AUTH = {
  SERVICE_AUTH_ENABLED: 'true',
  CRA_API_TOKEN: API_TOKEN,
  CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
};

const OVERRIDE = { actor: 'ann', reason: 'the key of the vendor example' };

const shared = daemonForAll(test);

test.serial('each decision changes the RFC, shows in its history and in the trail', async (t) => {
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir);
  const rfcId = await submit(t, daemon, blocked(1));
  const overridden = await send(daemon, `rfc/${rfcId}/override`, OVERRIDE);
  t.is(overridden.status, 200, JSON.stringify(overridden.body));
  createValidator(OVERRIDE_ANSWER, 'answer')(overridden.body.data);
  t.is(overridden.body.data.overall_status, 'OVERRIDDEN');
  t.deepEqual(overridden.body.data.override, OVERRIDE);
  t.like(overridden.body.data.decision, { ...OVERRIDE, action: 'override' });
  t.is(overridden.body.data.decision.principal.id, 'dev-mode');

  const rejected = await send(daemon, `reject/${rfcId}`, { reason: 'it was not an example' });
  createValidator(DECISION_ANSWER, 'answer')(rejected.body.data);
  t.is(rejected.body.data.overall_status, 'REJECTED');
  const read = await request(`${daemon.url}/rfc/${rfcId}`);
  createValidator(SHOWN_RFC, 'rfc')(read.body.data);
  t.is(read.body.data.override, null);
  const actions = read.body.data.override_history.map((one: { action: string }) => one.action);
  t.deepEqual(actions, ['override', 'reject']);

  const passed = await submit(t, daemon, harmless(1));
  const pinned = { force_commit_sha: 'ab12'.repeat(10), force_repo_full_name: 'acme/shop' };
  const approved = await send(daemon, `approve/${passed}`, { reason: 'reviewed', ...pinned });
  t.is(approved.body.data.overall_status, 'APPROVED');
  t.like(approved.body.data.decision, {
    actor: 'dev-mode',
    commit_sha: 'ab12'.repeat(10),
    repo_full_name: 'acme/shop',
  });
  const viaApprove = await submit(t, daemon, blocked(2));
  const approve = { reason: 'an example', action: 'override' };
  const done = await send(daemon, `approve/${viaApprove}`, approve);
  t.is(done.body.data.overall_status, 'OVERRIDDEN');

  for (const [path, method] of [
    [`rfc/${viaApprove}`, 'DELETE'],
    [`rfc/${passed}/delete`, 'POST'],
  ] as const) {
    const deleted = await send(daemon, path, null, { method });
    t.is(deleted.status, 200);
    createValidator(DECISION_ANSWER, 'answer')(deleted.body.data);
    t.is(deleted.body.data.overall_status, null);
    t.is((await send(daemon, path, null, { method })).status, 404);
  }
  const logged = await send(daemon, 'ops-log', {
    action: 'deploy',
    description: 'v1.2.3 to production',
    command: 'kubectl rollout restart deployment/shop',
    repo: 'acme/shop',
    app: 'shop',
    environment: 'production',
  });
  t.is(logged.status, 200);
  createValidator(OPS_LOG_ANSWER, 'answer')(logged.body.data);
  t.is(await daemon.stop(), 0);

  const entries = (await entriesOf(dataDir)).map((text) => JSON.parse(text));
  const kinds = entries.map(({ kind }) => kind).filter((kind) => !/boot|checkpoint/.test(kind));
  t.deepEqual(kinds, ['override', 'reject', 'approve', 'override', 'delete', 'delete', 'ops-log']);
  const told = entries.find(({ op_id }) => op_id === overridden.body.data.op_id);
  t.like(told, { actor: 'ann', reason: OVERRIDE.reason, rfc_id: rfcId });
  t.is(told.seq, overridden.body.data.audit.seq);
  t.like(entries.at(-1)?.kind === 'ops-log' ? entries.at(-1) : entries.at(-2), {
    repo_name: 'acme/shop',
    details: { action: 'deploy', app: 'shop', environment: 'production' },
  });
});

test.serial(
  'a report of another tool may block what has passed, and weakens nothing',
  async (t) => {
    const daemon = shared();
    const rfcId = await submit(t, daemon, harmless(1));
    const file = 'docs/note-1.txt';
    const line = 1;
    const report = (name: string, level: string | null) => {
      const location = {
        physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } },
      };
      const result = { ruleId: 'a', level, message: { text: 'bad' }, locations: [location] };
      const tool = { driver: { name } };
      const runs = [{ tool, results: level === null ? [] : [result] }];
      return new Uint8Array(Buffer.from(JSON.stringify({ version: '2.1.0', runs })));
    };
    const joined = (...some: Uint8Array[]) => {
      const runs = some.flatMap((one) => JSON.parse(Buffer.from(one).toString()).runs);
      return new Uint8Array(Buffer.from(JSON.stringify({ version: '2.1.0', runs })));
    };
    const post = (body: Uint8Array) =>
      request(`${daemon.url}/rfc/${rfcId}/reports`, { method: 'POST', body });
    const read = async () => (await request(`${daemon.url}/rfc/${rfcId}`)).body.data;
    const ids = (rfc: { gates: { risk: { findings: { id: string }[] } } }) =>
      rfc.gates.risk.findings.map(({ id }) => id);

    const mild = await post(report('One', 'note'));
    t.is(mild.status, 200, JSON.stringify(mild.body));
    t.is(mild.body.data.overall_status, 'PASSED');
    t.deepEqual(ids(mild.body.data), ['ext-one-a']);
    const blocking = await post(report('Two', 'error'));
    t.is(blocking.body.data.overall_status, 'BLOCKED');
    const record = await read();
    createValidator(SHOWN_RFC, 'rfc')(record);
    t.deepEqual(
      record.reports.map(({ tool, results }: { tool: string; results: number }) => [tool, results]),
      [
        ['one', 1],
        ['two', 1],
      ],
    );
    t.is((await post(report('Two', 'error'))).body.data.overall_status, 'BLOCKED');
    t.is((await read()).rev, record.rev, 'the same report changes nothing');
    // A later report of the tool takes its mild findings out, and no finding that blocks.
    t.deepEqual(ids((await post(report('One', null))).body.data), ['ext-two-a']);
    t.deepEqual(ids((await post(report('Two', null))).body.data), ['ext-two-a']);
    t.is((await read()).overall_status, 'BLOCKED');
    // A file of two tools counts again once one of them has reported otherwise.
    const both = joined(report('One', 'note'), report('Three', 'note'));
    t.true(ids((await post(both)).body.data).includes('ext-one-a'));
    t.false(ids((await post(report('One', null))).body.data).includes('ext-one-a'));
    t.true(ids((await post(both)).body.data).includes('ext-one-a'));
    const wrong = await post(new Uint8Array(Buffer.from('{"version":"2.0.0"}')));
    t.is(wrong.status, 400);
    t.regex(wrong.body.error, /needs "version": "2\.1\.0"/);
    const { body } = await request(`${daemon.url}/audit?kind=report&rfc_id=${rfcId}`);
    t.is(body.data.length, 7);
    t.like(body.data.at(-2), {
      details: { tools: ['two'], status_before: 'PASSED', status_after: 'BLOCKED' },
    });
  },
);

test.serial('a plan may block what has passed, and weakens nothing', async (t) => {
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir);
  const post = (id: string, body: Uint8Array) =>
    request(`${daemon.url}/rfc/${id}/terraform-plan`, { method: 'POST', body });
  const read = async (id: string) => (await request(`${daemon.url}/rfc/${id}`)).body.data;
  const deleted = (type: string, before: unknown = {}) =>
    planned({ address: `${type}.main`, actions: ['delete'], before });
  const ids = (rfc: { gates: { risk: { findings: { id: string }[] } } }) =>
    rfc.gates.risk.findings.map(({ id }) => id).filter((id) => id !== 'plan-read');

  const rfcId = await submit(t, daemon, harmless(1));
  const mild = await post(rfcId, plan([deleted('aws_iot_thing')]));
  t.is(mild.status, 200, JSON.stringify(mild.body));
  t.is(mild.body.data.overall_status, 'PASSED');
  t.deepEqual(ids(mild.body.data), ['risk-plan-deleted']);
  const worse = plan([deleted('aws_db_instance', { password: `${SECRET_PART}q` })]);
  const blocking = await post(rfcId, new Uint8Array(worse));
  t.is(blocking.body.data.overall_status, 'BLOCKED');
  t.deepEqual(ids(blocking.body.data), ['risk-terraform-database-removed']);
  const record = await read(rfcId);
  createValidator(SHOWN_RFC, 'rfc')(record);
  t.is(record.terraform_plan.finding_ids.length, 2);
  t.true(record.risk_score >= mild.body.data.risk_score);

  t.is((await post(rfcId, new Uint8Array(worse))).body.data.overall_status, 'BLOCKED');
  t.is((await read(rfcId)).rev, record.rev, 'the same plan changes nothing');
  const harmlessPlan = await post(rfcId, plan([]));
  t.is(harmlessPlan.body.data.overall_status, 'BLOCKED', 'another one makes nothing milder');
  t.deepEqual(ids(harmlessPlan.body.data), ['risk-terraform-database-removed']);

  const refused = await post(rfcId, Buffer.from('PK\x03\x04'));
  t.is(refused.status, 400);
  t.regex(refused.body.error, /is the binary file of a plan: write it by terraform show -json/);
  t.is((await post('RFC-0', plan([]))).status, 404);
  const secret = { ...deleted('aws_iot_thing'), address: `aws_iot_thing.main["${AWS_KEY}"]` };
  const hidden = await post(rfcId, plan([secret]));
  t.is(hidden.status, 200);
  t.false(JSON.stringify(await read(rfcId)).includes(AWS_KEY));
  await send(daemon, `rfc/${rfcId}/override`, OVERRIDE);
  const late = await post(rfcId, plan([deleted('aws_iot_thing_group')]));
  t.is(late.status, 409);
  t.regex(late.body.error, /is OVERRIDDEN.*analyze the change again/);
  t.is(await daemon.stop(), 0);
  const kinds = Array.from({ length: 4 }, () => 'terraform-plan');
  await isInOrder(t, { SERVICE_DATA_DIR: dataDir }, [...kinds, 'override']);
});

test.serial('a decision that cannot be made says why', async (t) => {
  const daemon = shared();
  const passed = await submit(t, daemon, harmless(1));
  const wrong = await send(daemon, `rfc/${passed}/override`, OVERRIDE);
  t.is(wrong.status, 409);
  t.is(wrong.body.details.status, 'PASSED');
  t.is(wrong.body.error, 'the RFC is PASSED, and override does not apply to that');
  t.is((await send(daemon, 'rfc/RFC-0/override', OVERRIDE)).status, 404);
  t.is((await send(daemon, 'approve/nope', { reason: 'r' })).status, 404);
  t.is((await send(daemon, 'reject/%00', { reason: 'r' })).status, 404);
  t.is((await send(daemon, 'rfc/nope', null, { method: 'DELETE' })).status, 404);
  const nameless = await send(daemon, `rfc/${passed}/override`, { reason: 'r' });
  t.is(nameless.status, 400);
  t.regex(nameless.body.error, /^actor: /);
  const large = await send(daemon, `reject/${passed}`, { reason: 'x'.repeat(300_000) });
  t.is(large.status, 413);
  const unfiltered = await send(daemon, 'bulk-override', { reason: 'r' });
  t.is(unfiltered.status, 400);
  t.regex(unfiltered.body.error, /at least one of repo, before_date and rfc_ids/);
  const date = await send(daemon, 'bulk-override', { reason: 'r', before_date: 'yesterday' });
  t.regex(date.body.error, /^before_date: must be a date/);
  const next = await send(daemon, 'bulk-override', { reason: 'r', repo: 'a', next: 'x' });
  t.regex(next.body.error, /^next: does not belong/);
  const changed = await send(daemon, `approve/${passed}`, { reason: 'r' }, { rev: 9 });
  t.is(changed.status, 412);
  t.regex(changed.body.error, /^the RFC has changed: its rev is 1, not 9; read it again$/);
  t.is(await statusOf(daemon, passed), 'PASSED');
  t.is((await send(daemon, `approve/${passed}`, { reason: 'r' }, { rev: 1 })).status, 200);
});

test.serial('with authentication on each endpoint wants its credential', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t), WITH_AUTH);
  const body = { ...OVERRIDE, rfc_ids: ['RFC-0'], action: 'override', description: 'd' };
  /** Status without a token, with an API token, with the override token; 404: it was let in. */
  const rows: [string, string, number[]][] = [
    ['POST', 'rfc/RFC-0/override', [401, 403, 404]],
    ['POST', 'approve/RFC-0', [401, 403, 404]],
    ['POST', 'bulk-override', [401, 403, 200]],
    ['POST', 'reject/RFC-0', [401, 403, 403]],
    ['DELETE', 'rfc/RFC-0', [401, 403, 403]],
    ['POST', 'rfc/RFC-0/delete', [401, 403, 403]],
    ['POST', 'ops-log', [401, 200, 403]],
  ];
  for (const [method, path, expected] of rows) {
    const statuses = [
      (await send(daemon, path, body, { method })).status,
      (await send(daemon, path, body, { method, token: API_TOKEN })).status,
      (await send(daemon, path, body, { method, token: OVERRIDE_TOKEN })).status,
    ];
    t.deepEqual(statuses, expected, `${method} ${path}`);
  }
  t.is(await daemon.stop(), 0);
});

test.serial('dev mode with an override token wants it for what waves through', async (t) => {
  const env = { CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN };
  const daemon = await startDaemonProcess(t, temporaryDir(t), env);
  const rfcId = await submit(t, daemon, blocked(1));
  t.is((await send(daemon, `rfc/${rfcId}/override`, OVERRIDE)).status, 401);
  t.is((await send(daemon, `rfc/${rfcId}`, null, { method: 'DELETE' })).status, 401);
  t.is(await statusOf(daemon, rfcId), 'BLOCKED');
  const answer = await send(daemon, `rfc/${rfcId}/override`, OVERRIDE, { token: OVERRIDE_TOKEN });
  t.is(answer.body.data.overall_status, 'OVERRIDDEN');
  t.is(answer.body.data.decision.principal.credential, 'override-token');
  t.is(answer.body.data.decision.actor, 'ann');
  t.is(await daemon.stop(), 0);
});

test.serial('of 50 overrides at once exactly one is made', async (t) => {
  const daemon = shared();
  const rfcId = await submit(t, daemon, blocked(1));
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      send(daemon, `rfc/${rfcId}/override`, { actor: `actor ${n}`, reason: `reason ${n}` }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  t.is(won.length, 1);
  const lost = answers.filter(({ status }) => status === 409);
  t.is(lost.length, 49);
  t.true(lost.every(({ body }) => body.details.status === 'OVERRIDDEN'));
  const read = await request(`${daemon.url}/rfc/${rfcId}`);
  t.deepEqual(read.body.data.override, won[0]?.body.data.override);
  t.is(read.body.data.override_history.length, 1);
  const { body } = await request(`${daemon.url}/audit?kind=override`);
  t.is(body.data.filter((entry: { rfc_id: string }) => entry.rfc_id === rfcId).length, 1);
});

test.serial('a request that is sent again is done once, also across a restart', async (t) => {
  const dataDir = temporaryDir(t);
  let daemon = await startDaemonProcess(t, dataDir);
  const rfcId = await submit(t, daemon, blocked(1));
  const entry = { action: 'deploy', description: 'v1' };
  const path = `rfc/${rfcId}/override`;
  const both = async () => [
    await send(daemon, path, OVERRIDE, { key: 'k 1' }),
    await send(daemon, 'ops-log', entry, { key: 'k 1' }),
    await send(daemon, 'bulk-override', { reason: 'r', rfc_ids: [rfcId] }, { key: 'k 1' }),
  ];
  const first = await both();
  t.deepEqual(
    first.map(({ status }) => status),
    [200, 200, 200],
  );
  t.deepEqual(
    first.map(({ headers }) => headers.get('idempotency-replayed')),
    [null, null, null],
  );
  const again = await both();
  t.deepEqual(
    again.map(({ body }) => body.data),
    first.map(({ body }) => body.data),
  );
  t.deepEqual(
    again.map(({ headers }) => headers.get('idempotency-replayed')),
    ['true', 'true', 'true'],
  );
  const others = [
    await send(daemon, path, { ...OVERRIDE, reason: 'another' }, { key: 'k 1' }),
    await send(daemon, 'ops-log', { ...entry, description: 'v2' }, { key: 'k 1' }),
    await send(daemon, 'bulk-override', { reason: 'x', rfc_ids: [rfcId] }, { key: 'k 1' }),
  ];
  t.deepEqual(
    others.map(({ status }) => status),
    [409, 409, 409],
  );
  t.true(others.every(({ body }) => body.code === 'ALREADY_EXISTS'));
  t.is(await daemon.stop(), 0);

  daemon = await startDaemonProcess(t, dataDir);
  const later = await both();
  t.deepEqual(
    later.slice(0, 2).map(({ body }) => body.data),
    first.slice(0, 2).map(({ body }) => body.data),
  );
  t.is(later[0]?.headers.get('idempotency-replayed'), 'true');
  t.is(later[1]?.headers.get('idempotency-replayed'), 'true');
  t.is(await daemon.stop(), 0);
  const kinds = (await entriesOf(dataDir)).map((text) => JSON.parse(text).kind);
  t.deepEqual(
    kinds.filter((kind) => /override|ops-log/.test(kind)),
    ['override', 'ops-log'],
  );
});

test.serial('a secret in a decision is stored nowhere', async (t) => {
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir);
  const rfcId = await submit(t, daemon, harmless(1));
  const other = await submit(t, daemon, blocked(1));
  const split = `${AWS_KEY.slice(0, 9)}\n${AWS_KEY.slice(9)}`;
  const told = [
    await send(daemon, `approve/${rfcId}`, { reason: `uses ${AWS_KEY} as agreed\nsee OPS-1` }),
    await send(daemon, `rfc/${other}/override`, { actor: AWS_KEY, reason: `split: ${split}` }),
    await send(daemon, `reject/${other}`, { reason: `again ${AWS_KEY}` }, { key: 'r' }),
    await send(daemon, 'bulk-override', { reason: AWS_KEY, rfc_ids: [other] }, { key: 'b' }),
    await send(daemon, 'ops-log', {
      action: 'rotate',
      description: `was ${AWS_KEY}`,
      command: `AWS_ACCESS_KEY_ID=${AWS_KEY} aws s3 ls \\\n --id ${split}`,
    }),
  ];
  t.deepEqual(
    told.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  t.true(told[0]?.body.data.decision.reason.endsWith('as agreed\nsee OPS-1'));
  const seen = [
    ...told.map(({ body }) => JSON.stringify(body)),
    JSON.stringify((await request(`${daemon.url}/rfc/${rfcId}`)).body),
    JSON.stringify((await request(`${daemon.url}/rfc/${other}`)).body),
    JSON.stringify((await request(`${daemon.url}/rfcs`)).body),
    JSON.stringify(daemon.log),
  ];
  t.is(await daemon.stop(), 0);
  seen.push(...(await entriesOf(dataDir)));
  for (const name of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    seen.push(readFileSync(join(name.parentPath, name.name), 'latin1'));
  }
  for (const text of seen) {
    t.false(text.includes(SECRET_PART));
    t.false(text.includes(AWS_KEY.slice(9)));
  }
});

test.serial('findings that an override accepts count no more in that repository', async (t) => {
  const daemon = shared();
  const text = (file: string, repo = 'acme/shop') =>
    change(newFile(file, `const key = "${AWS_KEY}";\n`), { repo_name: repo });
  const first = await submit(t, daemon, text('src/a.js'));
  t.is(await statusOf(daemon, first), 'BLOCKED');
  const accept = { actor: 'ann', reason: 'a made up key', accept_findings: true };
  t.is((await send(daemon, `rfc/${first}/override`, accept)).status, 200);

  const second = await analyze(daemon.url, text('src/b.js', 'Acme/Shop'));
  t.is(second.body.data.overall_status, 'PASSED');
  const [finding] = second.body.data.gates.risk.findings;
  t.true(finding.id.startsWith('secret-'));
  t.is(finding.suppressed.reason, 'a made up key');
  t.is(finding.suppressed.by, `ann (dev-mode), ${first}`);
  const elsewhere = await analyze(daemon.url, text('src/b.js', 'acme/other'));
  t.is(elsewhere.body.data.overall_status, 'BLOCKED');

  await send(daemon, `reject/${first}`, { reason: 'it is a real key' });
  const third = await analyze(daemon.url, text('src/c.js'));
  t.is(third.body.data.overall_status, 'BLOCKED');
  t.is(third.body.data.gates.risk.findings[0].suppressed, null);

  const exec = (file: string) =>
    change(
      newFile(
        file,
        "const { exec } = require('child_process');\napp.get('/', (req) => exec(req.query.c));\n",
      ),
    );
  const vulnerable = await submit(t, daemon, exec('src/d.js'));
  t.is((await send(daemon, `rfc/${vulnerable}/override`, accept)).status, 200);
  const again = await analyze(daemon.url, exec('src/e.js'));
  t.is(again.body.data.overall_status, 'BLOCKED');
  t.is(again.body.data.gates.ast.findings[0].id, 'vuln-01');
  t.is(again.body.data.gates.ast.findings[0].suppressed, null);
});

test.serial('bulk-override walks through more RFCs than one call takes', async (t) => {
  const dataDir = temporaryDir(t);
  const rfcIds = Array.from({ length: DECISIONS.BULK_MAX + 200 }, (_, n) => `RFC-${n}`);
  await insertBlocked(dataDir, rfcIds);
  const daemon = await startDaemonProcess(t, dataDir);
  const elsewhere = await submit(t, daemon, { ...blocked('x'), repo_name: OTHER });
  const ask = { reason: 'examples', repo: 'ACME/shop' };
  const first = await send(daemon, 'bulk-override', ask);
  t.is(first.status, 200);
  createValidator(BULK_ANSWER, 'answer')(first.body.data);
  t.is(first.body.data.results.length, DECISIONS.BULK_MAX);
  const late = await submit(t, daemon, blocked('late'));
  const second = await send(daemon, 'bulk-override', { ...ask, next: first.body.data.next });
  t.is(second.body.data.next, null);
  const results = [...first.body.data.results, ...second.body.data.results];
  t.true(results.every(({ ok, overall_status }) => ok && overall_status === 'OVERRIDDEN'));
  t.deepEqual(results.map(({ rfc_id }) => rfc_id).sort(), [...rfcIds].sort());
  t.is(await statusOf(daemon, late), 'BLOCKED');
  t.is(await statusOf(daemon, elsewhere), 'BLOCKED');
  const foreign = { reason: 'r', repo: OTHER, next: first.body.data.next };
  t.is((await send(daemon, 'bulk-override', foreign)).status, 400);

  const named = { reason: 'r', rfc_ids: [late, rfcIds[0], 'RFC-NONE', elsewhere] };
  const filtered = await send(daemon, 'bulk-override', { ...named, repo: OTHER });
  const codes = (answer: Reply) =>
    answer.body.data.results.map(({ rfc_id, ok, code }: never) => [rfc_id, ok ? 'ok' : code]);
  t.deepEqual(codes(filtered), [
    [elsewhere, 'ok'],
    [late, 'FAILED_PRECONDITION'],
    [rfcIds[0], 'FAILED_PRECONDITION'],
    ['RFC-NONE', 'FAILED_PRECONDITION'],
  ]);
  const old = await send(daemon, 'bulk-override', { ...named, before_date: '2020-01-01' });
  t.true(old.body.data.results.every(({ ok }: { ok: boolean }) => !ok));
  const plain = await send(daemon, 'bulk-override', named);
  t.deepEqual(codes(plain), [
    [late, 'ok'],
    [rfcIds[0], 'ABORTED'],
    ['RFC-NONE', 'NOT_FOUND'],
    [elsewhere, 'ABORTED'],
  ]);
  t.is(await daemon.stop(), 0);
});

const OTHER = 'acme/other';

/** As if a daemon had judged them before. */
async function insertBlocked(dataDir: string, rfcIds: readonly string[]): Promise<void> {
  openDataDir(dataDir, { fingerprint: null, seal: null, checkpoint: null });
  const { store, close } = openSqlite(dataDir, Date.now);
  const created_at = new Date().toISOString();
  const of = (rfc_id: string) => blockedRecord({ rfc_id, created_at, repo_name: 'acme/shop' });
  await Promise.all(rfcIds.map((rfc_id) => insert(store, of(rfc_id))));
  await close();
}
