import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { ACCESS } from '../../src/auth/access.ts';
import { OPEN_PRINCIPAL } from '../../src/auth/authenticate.ts';
import { needsLook } from '../../src/dashboard/row.ts';
import {
  type Assets,
  createDashboardHandlers,
  createPulseHandlers,
} from '../../src/http/api/dashboard.ts';
import type { Call } from '../../src/http/server/dispatch.ts';
import { CraError } from '../../src/model/errors.ts';
import type { Severity } from '../../src/model/finding.ts';
import {
  analyze,
  change,
  daemonForAll,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../daemon.ts';

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A GET whose body stays as it was sent. */
function get(url: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      response.toArray().then((chunks) => {
        resolve({ status, headers: received, body: Buffer.concat(chunks) });
      }, reject);
    }).on('error', reject);
  });
}

/** Of a minified module. */
const STATIC_IMPORT = /(?:\bfrom|\bimport)"\.\/([^"]+)"/g;

test('dashboard and handbook are public and sandboxed by their headers', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: 'a'.repeat(32),
  });
  const origin = new URL(daemon.url).origin;
  const page = await get(`${origin}/cra`);
  t.is(page.status, 200);
  t.like(page.headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  const policy = String(page.headers['content-security-policy']);
  t.regex(policy, /default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'/);
  t.notRegex(policy, /unsafe|\*/);
  const paths = [...page.body.toString().matchAll(/"(\/cra\/assets\/[^"]+)"/g)].map(([, at]) => at);
  const imported = new Set<string>();
  for (const path of paths) {
    const plain = await get(`${origin}${path}`);
    const script = path?.endsWith('.js') ? plain.body.toString() : '';
    for (const [, name] of script.matchAll(STATIC_IMPORT)) imported.add(`/cra/assets/${name}`);
    t.like(plain.headers, {
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    t.is(plain.headers['content-encoding'], undefined);
    const brotli = await get(`${origin}${path}`, { 'accept-encoding': 'gzip, deflate, br' });
    t.is(brotli.headers['content-encoding'], 'br');
    t.deepEqual(brotliDecompressSync(brotli.body), plain.body);
    const gzip = await get(`${origin}${path}`, { 'accept-encoding': 'br;q=0, gzip' });
    t.deepEqual(gunzipSync(gzip.body), plain.body);
  }
  // With what the script imports, and nothing else.
  const rest = paths.filter((path) => !imported.has(path ?? ''));
  t.deepEqual(
    rest.map((path) => /\/(\w+)-\w+\.\w+$/.exec(path ?? '')?.[1]),
    ['icon', 'style', 'main'],
  );
  t.is(new Set(paths).size, imported.size + rest.length);
  for (const path of ['/cra/assets/none.js', '/cra/assets/..%2Findex.html', '/cra/', '/cra/x']) {
    t.is((await get(`${origin}${path}`)).status, 404, path);
  }
  const first = await get(`${origin}/cra/docs`);
  t.is(first.status, 303);
  const slashed = await get(`${origin}/cra/docs/`);
  t.is(slashed.headers.location, first.headers.location);
  const handbook = `${origin}${first.headers.location}`;
  const start = await get(handbook);
  t.regex(start.body.toString(), /<h1[^>]*>The handbook<\/h1>/);
  t.is(start.headers['content-security-policy'], policy);
  const known = { 'if-none-match': String(start.headers.etag) };
  t.is((await get(handbook, known)).status, 304);
  const rule = await get(`${origin}/cra/docs/rules/vuln-03.html`);
  t.regex(rule.body.toString(), /An attacker can read and change data of the database/);
  const own = await get(`${origin}/cra/docs/rules/risk-of-our-own.html`);
  t.is(own.status, 404);
  t.regex(own.body.toString(), /the rules file of/);
  for (const path of [
    'no.html',
    '..%2F..%2Fpackage.json',
    '../../package.json',
    'rules',
    'a//b.js',
  ]) {
    t.is((await get(`${origin}/cra/docs/${path}`)).status, 404, path);
  }
});

const shared = daemonForAll(test);

test('auth/session says what the caller may do', async (t) => {
  const { body } = await get(`${shared().url}/auth/session`);
  t.like(JSON.parse(body.toString()).data, {
    auth: 'off',
    role: 'admin',
    can: [
      ...['override', 'approve', 'reject', 'review', 'add-finding', 'comment'],
      ...['end-acceptance', 'audit', 'bulk-override', 'delete', 'rules'],
    ],
  });
});

test.serial('pulse and rfc/<id> answer 304 while nothing has changed', async (t) => {
  const { url } = shared();
  const { rfc_id } = (await analyze(url, change(MIXED))).body.data;
  const pulse = await get(`${url}/pulse?rfc=${rfc_id}`);
  const { data } = JSON.parse(pulse.body.toString());
  t.is(data.counts.BLOCKED, 1);
  t.deepEqual(data.rfc, { rfc_id, overall_status: 'BLOCKED', rev: 1 });
  t.deepEqual(data.problems, []);
  for (const path of [`pulse?rfc=${rfc_id}`, `rfc/${rfc_id}`, 'rfcs', 'rfcs?status=BLOCKED']) {
    const first = await get(`${url}/${path}`);
    const tag = String(first.headers.etag);
    const again = await get(`${url}/${path}`, { 'if-none-match': `"x", W/${tag}` });
    t.is(again.status, 304, path);
    t.is(again.body.length, 0);
    t.is(again.headers.etag, tag);
    t.is((await get(`${url}/${path}`, { 'if-none-match': '"x"' })).status, 200);
  }
  for (const [search, status, says] of [
    ['q=severity:critical+is:blocked', 200, rfc_id],
    ['q=severity:critical+is:passed', 200, '"data":[]'],
    ['q=colour:red', 400, 'q: \\"colour:red\\" has no such key'],
    ['q=fix&status=BLOCKED', 400, 'status: is a term of q where q is given'],
  ] as const) {
    const found = await get(`${url}/rfcs?${search}`);
    t.is(found.status, status, search);
    t.true(found.body.toString().includes(says), `${search}: ${found.body.toString()}`);
  }
  t.is((await get(`${url}/rfc/${rfc_id}`)).headers.etag, '"1"');
  const listed = String((await get(`${url}/rfcs`)).headers.etag);
  const reject = { method: 'POST', body: JSON.stringify({ reason: 'no' }) };
  t.is((await request(`${url}/reject/${rfc_id}`, reject)).status, 200);
  t.is((await get(`${url}/rfc/${rfc_id}`, { 'if-none-match': '"1"' })).status, 200);
  t.is((await get(`${url}/rfcs`, { 'if-none-match': listed })).status, 200);
  await until(async () => {
    const now = await get(`${url}/pulse?rfc=${rfc_id}`, {
      'if-none-match': `${pulse.headers.etag}`,
    });
    return now.status === 200 && JSON.parse(now.body.toString()).data.counts.REJECTED === 1;
  });
  const none = JSON.parse((await get(`${url}/pulse?rfc=RFC-0`)).body.toString());
  t.is(none.data.rfc, null);
});

const KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const MIXED = [
  ...['diff --git a/src/a.js b/src/a.js', '--- a/src/a.js', '+++ b/src/a.js', '@@ -4,4 +4,5 @@'],
  " const { exec } = require('child_process');",
  `-const old = '${KEY}';`,
  ` const kept = '${KEY.slice(0, 9)}' + '${KEY.slice(9)}';`,
  "+app.get('/', (req) => exec('ls ' + req.query.dir));",
  `+const key = '${KEY}'; // \u202e${KEY.slice(0, 6)}\u200b${KEY.slice(6)}`,
  ' module.exports = app; // \u202e',
  '',
].join('\n');

test('rfc/<id>/code shows the lines around findings, and none of their secrets', async (t) => {
  const { url } = shared();
  const { rfc_id, gates } = (await analyze(url, change(MIXED))).body.data;
  const { status, body } = await request(`${url}/rfc/${rfc_id}/code`);
  t.is(status, 200);
  const { available, reason, blocks, left_out } = body.data;
  t.deepEqual({ available, reason, left_out }, { available: true, reason: null, left_out: 0 });
  const ids = [...gates.ast.findings, ...gates.risk.findings].map((one) => one.finding_id);
  t.deepEqual([...blocks[0].finding_ids].sort(), ids.sort());
  const [first, ...rest] = blocks[0].lines;
  t.deepEqual(first, {
    side: 'context',
    old: 4,
    new: 4,
    is_cut: false,
    text: "const { exec } = require('child_process');",
  });
  t.deepEqual(
    rest.map((line: { old: number; new: number; text: string }) => [line.old, line.new, line.text]),
    [
      [5, null, "const old = '[secret 1]';"],
      [6, 5, "const kept = '[secret 2]' + '[secret 3]';"],
      [null, 6, "app.get('/', (req) => exec('ls ' + req.query.dir));"],
      [null, 7, "const key = '[secret 1]'; // [secret 1]"],
      // What is hard to see stays where nothing was hidden: its reader has to know of it.
      [7, 8, 'module.exports = app; // \u202e'],
    ],
  );
  const gone = await request(`${url}/rfc/RFC-0/code`);
  t.is(gone.status, 404);
});

test('needsLook ticks for a bulk override only what the row shows whole', (t) => {
  const secret = { id: 'secret-aws', severity: 'critical' as Severity };
  const look = (over: { findings?: object[]; total?: number; llm?: string }) => {
    const findings = (over.findings ?? [secret]) as (typeof secret)[];
    const none = { status: 'pass', findings: [], findings_total: 0 };
    return needsLook({
      gates: {
        risk: { status: 'fail', findings, findings_total: over.total ?? findings.length },
        ast: none,
        llm: { ...none, status: over.llm ?? 'skipped' },
      },
    });
  };
  const low = { id: 'risk-curl', severity: 'low' };
  const suppressed = { by: 'ann', reason: 'known' };
  t.is(look({}), null);
  t.is(look({ findings: [secret, low], total: 30 }), null, 'what is not shown is less grave');
  t.is(look({ findings: [secret, { ...secret, suppressed }], total: 30 }), null);
  t.is(look({ findings: [secret, { ...secret, suppressed: true }], total: 30 }), null);
  t.is(look({ findings: [], total: 3 }), 'more findings than this list shows');
  t.is(look({ total: 2 }), 'more findings than this list shows');
  t.is(look({ findings: [] }), 'no critical or high finding explains it');
  t.is(look({ findings: [low] }), 'no critical or high finding explains it');
  t.is(look({ findings: [{ ...secret, suppressed }] }), 'no critical or high finding explains it');
  t.is(look({ findings: [secret, { id: 'vuln-03', severity: 'critical' }] }), 'holds vuln-03');
  t.is(
    look({ findings: [secret, { id: 'binary-file', severity: 'high' }] }),
    'something was not looked at',
  );
  t.is(look({ llm: 'fail' }), 'the LLM review failed it');
});

test('the preview of a bulk override is what it decides about, and trends count it', async (t) => {
  const { url } = await startDaemonProcess(t, temporaryDir(t));
  const json = async (path: string) => JSON.parse((await get(`${url}/${path}`)).body.toString());
  const ids: string[] = [];
  for (const n of [1, 2, 3]) {
    const posted = await analyze(url, { ...change(MIXED), repo_name: `acme/bulk-${n % 2}` });
    ids.push(posted.body.data.rfc_id);
  }
  const [first, second, third] = ids as [string, string, string];
  const idsIn = (answer: { data: { rfc_id: string }[] }) => answer.data.map((row) => row.rfc_id);
  t.is((await get(`${url}/bulk-override`)).status, 400);
  t.is((await get(`${url}/bulk-override?before_date=yesterday`)).status, 400);
  t.deepEqual(idsIn(await json('bulk-override?before_date=2020-01-01')), []);
  t.deepEqual(idsIn(await json('bulk-override?repo=ACME/bulk-1')), [first, third]);
  const page = await json('bulk-override?before_date=2999-01-01&limit=2');
  t.deepEqual(idsIn(page), [first, second]);
  const rest = await json(`bulk-override?before_date=2999-01-01&cursor=${page.next_cursor}`);
  t.deepEqual(idsIn(rest), [third]);
  t.is(rest.next_cursor, null);

  const body = JSON.stringify({ reason: 'seen and accepted', repo: 'acme/bulk-1' });
  const done = await request(`${url}/bulk-override`, { method: 'POST', body });
  t.is(done.status, 200);
  t.deepEqual(idsIn(await json('bulk-override?repo=acme/bulk-1')), []);
  const { data } = await json('stats');
  t.like(data, { repo: null, complete: true });
  t.like(data.totals, { blocked: 3, overridden: 2, rejected: 0 });
  const noisy = data.rules.find(({ rule }: { rule: string }) => rule === 'vuln-01');
  t.like(noisy, { hits: 3, blocked: 3, decided: 2, noise: 1 });
  t.is((await json('stats?repo=acme/bulk-0')).data.totals.overridden, 0);
  t.is((await get(`${url}/stats?since=2026-02-30`)).status, 400);
});

/** A call of a handler that reads no body. */
const CALL = {
  principal: OPEN_PRINCIPAL,
  params: [],
  query: {},
  request: { headers: { ifNoneMatch: '', cookies: '' } },
} as unknown as Call;

test('the store is asked for a pulse once a second, and again after a failure', async (t) => {
  let nowMs = 0;
  let asked = 0;
  let isDown = true;
  const { pulse } = createPulseHandlers({
    async counts() {
      asked += 1;
      if (isDown) throw new CraError('UNAVAILABLE', 'the store does not answer');
      return { counts: {}, newest: null, oldest_blocked_at: null };
    },
    emergencies: async () => ({ due: 2, overdue: 1 }),
    state: async () => ({ overall_status: 'PASSED', rev: 1 }),
    pushesWaiting: () => null,
    parts: async () => ({ store: { state: 'up' }, git: { state: 'down' }, rules: { number: 1 } }),
    version: '1',
    now: () => nowMs,
  });
  await t.throwsAsync(pulse(CALL), { code: 'UNAVAILABLE' });
  isDown = false;
  const { body } = await pulse(CALL);
  t.like(JSON.parse(String(body)).data, {
    problems: ['git'],
    emergencies: { due: 2, overdue: 1 },
  });
  await Promise.all([pulse(CALL), pulse(CALL)]);
  t.is(asked, 2);
  nowMs = 1_000;
  await pulse(CALL);
  t.is(asked, 3);
});

test('auth/session names the actions that the caller may take, and no others', async (t) => {
  const { session } = createDashboardHandlers({
    assets: {} as Assets,
    may: (_principal, row) => row === ACCESS.comment,
    isAuthEnabled: true,
    sessionDecisions: 'admin',
    fourEyes: false,
    hosts: [],
    sessions: null,
  });
  const { body } = await session(CALL);
  t.deepEqual(JSON.parse(String(body)).data.can, ['comment']);
});
