import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import {
  analyze,
  change,
  type DaemonProcess,
  newFile,
  PROGRAM,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../../daemon.ts';
import { openRepository } from '../../hosts/git-repository.ts';
import { type Hook, pullHook, pushHook } from '../../pushes/daemon/hooks.ts';
import { type FakeVendor, type Script, startFakeVendor } from './fake-vendor.ts';

/** USD a million tokens; nano-dollars a token are a thousand times as many. */
const PRICES = { input: 2, output: 10, cache_write: 2.5, cache_read: 0.2 };
const OUTPUT_MAX = 1_000;
/** A line of its own for each file: what blocked a line goes on to block it. */
const lineOf = (name: string) => `run('tar ' + name, '${name}')`;
const findingIn = (name: string) => ({
  file: 1,
  side: 'added',
  line: 1,
  quote: lineOf(name),
  class: 'command-injection',
  attacker_input: 'yes',
  guard: '',
  why: 'see <b>https://evil.example</b>',
});

/** What the vendor does with a change, by the name of its file. */
const SCRIPTS: Record<string, Script> = {
  'refused.js': { kind: 'stop', reason: 'refusal' },
  'prose.js': { kind: 'text', text: 'All fine.' },
  'bad.js': { kind: 'answer', findings: [findingIn('bad.js')] },
  'shadow.js': { kind: 'answer', findings: [findingIn('shadow.js')] },
  'hang.js': { kind: 'hang' },
};

function scripted(user: string): Script {
  const name = /^file 1: src\/(.*)$/m.exec(user)?.[1] ?? '';
  return SCRIPTS[name] ?? { kind: 'answer' };
}

/** One service and its vendor for all tests of this file: a start takes seconds. */
interface World {
  vendor: FakeVendor;
  /** Where the repositories of the host are. */
  root: string;
  daemon: DaemonProcess;
  env: Record<string, string>;
  restart(): Promise<void>;
}

const HOOK_SECRET = fake('hub-', 40);
const undo: (() => unknown)[] = [];
const world = {} as World;

test.before(async () => {
  const t = { teardown: (step: () => unknown) => undo.push(step) };
  const vendor = await startFakeVendor(t);
  vendor.script = scripted;
  const dataDir = temporaryDir(t);
  const tier = {
    name: 'first',
    role: 'review',
    protocol: 'anthropic',
    family: 'a',
    model: 'm',
    base_url: vendor.url,
    key_env: 'FAKE_KEY',
    locality: 'any',
    prices: PRICES,
    max_output: OUTPUT_MAX,
  };
  const path = join(dataDir, 'llm.json');
  writeFileSync(path, JSON.stringify({ tiers: [tier], budgets: { rfc: 0.2 } }));
  const root = temporaryDir(t);
  const hub = { id: 'hub', provider: 'github', url: pathToFileURL(root).href };
  const vcs = join(dataDir, 'vcs.json');
  writeFileSync(vcs, JSON.stringify({ hosts: [{ ...hub, webhook_secrets: [HOOK_SECRET] }] }), {
    mode: 0o600,
  });
  const env = { SERVICE_LLM_CONFIG: path, FAKE_KEY: 'the-key', SERVICE_VCS_CONFIG: vcs };
  const start = () => startDaemonProcess(t, dataDir, env);
  world.vendor = vendor;
  world.root = root;
  world.env = env;
  world.daemon = await start();
  world.restart = async () => {
    world.daemon = await start();
  };
});

test.after.always(() => {
  for (const step of undo.reverse()) step();
});

/** Sets `pipeline.llm`. */
async function setRules(t: ExecutionContext, llm: Record<string, unknown>): Promise<void> {
  const rules = { version: 1, extends: 'default', pipeline: { llm } };
  const url = `${world.daemon.url}/rules`;
  const { status } = await request(url, { method: 'PUT', body: JSON.stringify(rules) });
  t.is(status, 200);
}

async function settled(url: string, diff: string, over: Record<string, unknown> = {}) {
  const { body } = await analyze(url, change(diff, over));
  const { body: final } = await request(`${url}/rfc/${body.data.rfc_id}?wait=30`);
  return { first: body.data, final: final.data };
}

const diffOf = (name: string) => newFile(`src/${name}`, `${lineOf(name)}\n`);

test.serial('a change is a DRAFT with gates 1 and 2; a clean review passes it', async (t) => {
  const { vendor, daemon } = world;
  const { first, final } = await settled(daemon.url, diffOf('clean.js'));
  t.like(first, { overall_status: 'DRAFT' });
  t.like(first.gates.risk, { status: 'pass' });
  t.like(first.gates.llm, { status: 'skipped', skip_reason: 'pending' });
  t.like(final, { overall_status: 'PASSED', queue: null });
  t.like(final.gates.llm, { status: 'pass', skip_reason: null, findings: [] });
  t.is(final.gates.llm.held, undefined);
  const [asked] = vendor.requests;
  t.true(asked?.user.includes(lineOf('clean.js')));
  t.false(asked?.user.includes('acme/shop'), 'only the change is sent');
  await settled(daemon.url, diffOf('clean.js'));
  t.is(vendor.requests.length, 1, 'the same text is not asked again');
  t.is((await usage()).cost_usd, billed(vendor));
  const { body } = await request(`${daemon.url}/dispatcher/status`);
  t.like(body.data.llm, { state: 'up', spent_today_usd: billed(vendor).toFixed(9) });
  const spent_today_usd = billed(vendor).toFixed(9);
  t.like(body.data.llm.tiers[0], { name: 'first', state: 'up', calls: 1, spent_today_usd });
});

test.serial('the code of a fork goes to no model, unless review_forks is on', async (t) => {
  const { vendor, daemon, root } = world;
  const repo = { repo: 'acme/forked', repoId: 42 };
  const hosted = openRepository(join(root, `${repo.repo}.git`));
  const base = hosted.commit([{ name: 'README.md', data: 'read me\n' }]);
  const judged = async ({ body, headers }: Hook) => {
    const init = { method: 'POST', headers, body: new Uint8Array(body) };
    const { body: taken } = await request(`${daemon.url}/webhook`, init);
    const { body: final } = await request(`${daemon.url}/rfc/${taken.data.rfc_id}?wait=30`);
    return final.data;
  };
  const pull = (number: number) => {
    const file = { name: `src/fork-${number}.js`, data: `${lineOf(`fork-${number}.js`)}\n` };
    const ref = `refs/pull/${number}/head`;
    const sha = hosted.commit([file], { ref, from: base });
    return judged(pullHook('github', { ...repo, number, sha }, { secret: HOOK_SECRET }));
  };
  const first = { ...repo, ref: 'refs/heads/main', before: null, after: base };
  await judged(pushHook('github', first, { secret: HOOK_SECRET }));
  const wasSent = (number: number) =>
    vendor.requests.some(({ user }) => user.includes(`fork-${number}.js`));
  const off = await pull(1);
  t.like(off, { overall_status: 'BLOCKED', pull_request: { from_fork: true } });
  t.like(off.gates.llm, { status: 'skipped', skip_reason: 'review_forks', held: true });
  t.false(wasSent(1));
  await setRules(t, { review_forks: 'on' });
  const on = await pull(2);
  t.is(on.overall_status, 'PASSED');
  t.like(on.gates.llm, { status: 'pass', skip_reason: null });
  t.true(wasSent(2));
  await setRules(t, {});
});

test.serial('a finding BLOCKS in our words; words of the model stand in `why` alone', async (t) => {
  const { url } = world.daemon;
  const { final } = await settled(url, diffOf('bad.js'));
  t.like(final, { overall_status: 'BLOCKED' });
  t.deepEqual(final.hard_limits, ['llm']);
  t.is(final.gates.llm.status, 'fail');
  const [finding] = final.gates.llm.findings;
  t.like(finding, { id: 'llm-command-injection', severity: 'critical', line: 1 });
  t.is(finding.why, 'see b link /b');
  const sarif = await request(`${url}/rfc/${final.rfc_id}/sarif`);
  t.false(JSON.stringify(sarif.body).includes('see b link'));
  const again = await settled(url, diffOf('bad.js'));
  t.is(again.final.overall_status, 'BLOCKED', 'the same change does not get another chance');
});

test.serial('what is marked as fixed while the review runs stays so', async (t) => {
  const { url } = world.daemon;
  let answer: (value: unknown) => void = () => undefined;
  const after = new Promise((resolve) => {
    answer = resolve;
  });
  SCRIPTS['marked.js'] = { kind: 'answer', after };
  const image =
    'diff --git a/a.png b/a.png\nnew file mode 100644\nBinary files /dev/null and b/a.png differ\n';
  const { body } = await analyze(url, change(image + diffOf('marked.js')));
  t.is(body.data.overall_status, 'DRAFT');
  const [{ finding_id: findingId }] = body.data.gates.risk.findings;
  const send = async (path: string, fields: unknown) =>
    (await request(`${url}/${path}`, { method: 'POST', body: JSON.stringify(fields) })).body.data;
  const { taskId } = await send('claude-task', { findingId });
  await send('task-status', { taskId, status: 'done', markFixed: true });
  answer(null);
  const { body: final } = await request(`${url}/rfc/${body.data.rfc_id}?wait=30`);
  t.is(final.data.overall_status, 'PASSED');
  t.not(final.data.gates.risk.findings[0].resolved, null);
});

test.serial('what is not proven read is held, whatever the model says', async (t) => {
  const { final: refused } = await settled(world.daemon.url, diffOf('refused.js'));
  t.is(refused.overall_status, 'BLOCKED');
  t.like(refused.gates.llm, { status: 'skipped', skip_reason: 'refused', held: true });
  t.deepEqual(refused.hard_limits, []);
  const { final: prose } = await settled(world.daemon.url, diffOf('prose.js'));
  t.like(prose.gates.llm, { status: 'skipped', skip_reason: 'invalid_output', held: true });
});

test.serial('what gates 1 and 2 block is final at once, and costs nothing', async (t) => {
  const { vendor, daemon } = world;
  const before = vendor.requests.length;
  const code = newFile('src/run.js', 'require("child_process").exec(req.query.name)\n');
  const { body } = await analyze(daemon.url, change(code));
  t.is(body.data.overall_status, 'BLOCKED');
  t.like(body.data.gates.llm, { status: 'skipped', skip_reason: 'blocked' });
  t.is(vendor.requests.length, before);
});

test.serial('a rejection closes the connection to the vendor', async (t) => {
  const { vendor, daemon } = world;
  const { calls } = await usage();
  const { body } = await analyze(daemon.url, change(diffOf('hang.js')));
  await until(() => vendor.openRequests() === 1);
  const reason = JSON.stringify({ reason: 'no' });
  const url = `${daemon.url}/reject/${body.data.rfc_id}`;
  const { body: rejected } = await request(url, { method: 'POST', body: reason });
  t.is(rejected.data.overall_status, 'REJECTED');
  await until(() => vendor.openRequests() === 0);
  // Nobody knows what it cost, so it is settled at its reserve.
  await until(async () => (await usage()).calls === calls + 1);
  const { body: final } = await request(`${daemon.url}/rfc/${body.data.rfc_id}`);
  t.is(final.data.overall_status, 'REJECTED');
});

test.serial(
  'after kill -9 a review goes on, and the call that was cut costs its reserve',
  async (t) => {
    const { vendor, daemon } = world;
    const part = (name: string) => {
      const lines = Array.from({ length: 500 }, (_, n) => `use(${n}, '${'word '.repeat(8)}')\n`);
      return newFile(`src/${name}`, lines.join(''));
    };
    const calls = vendor.requests.length;
    const before = await usage();
    const paid = billed(vendor);
    const { body } = await analyze(daemon.url, change(part('one.js') + part('hang.js')));
    await until(() => vendor.requests.length === calls + 2 && vendor.openRequests() === 1);
    await until(async () => (await usage()).calls === before.calls + 1);
    await daemon.kill();
    const cut = vendor.requests
      .slice(calls)
      .find(({ user }) => user.includes('file 1: src/hang.js'));
    const script = SCRIPTS['hang.js'];
    SCRIPTS['hang.js'] = { kind: 'answer' };
    await world.restart();
    const { body: final } = await request(`${world.daemon.url}/rfc/${body.data.rfc_id}?wait=30`);
    if (script !== undefined) SCRIPTS['hang.js'] = script;
    t.is(final.data.overall_status, 'PASSED');
    t.is(vendor.requests.length, calls + 3, 'what was answered is not asked again');
    const after = await usage();
    t.is(after.calls, before.calls + 3);
    const difference = after.cost_usd - before.cost_usd - (billed(vendor) - paid);
    t.is(Math.round(difference * 1e9), reserveOf(cut), 'the reserve of the call that was cut');
  },
);

async function usage(): Promise<{ calls: number; cost_usd: number }> {
  return (await request(`${world.daemon.url}/usage/total`)).body.data;
}

/** As the gate reserves: bytes / 1.5 at the dearest input price, and all of the output. */
function reserveOf(asked: FakeVendor['requests'][number] | undefined): number {
  const bytes = Buffer.byteLength(asked?.system ?? '') + Buffer.byteLength(asked?.user ?? '');
  return Math.ceil(bytes / 1.5) * PRICES.cache_write * 1_000 + OUTPUT_MAX * PRICES.output * 1_000;
}

test.serial('a budget that is used up holds the rest of the change', async (t) => {
  const lines = Array.from({ length: 2_600 }, (_, n) => `use(${n}, 'word word word word word')\n`);
  const { final } = await settled(world.daemon.url, newFile('src/large.js', lines.join('')));
  t.like(final.gates.llm, { status: 'skipped', skip_reason: 'budget', held: true });
});

/** Waits until a review has ended, and answers the RFC. */
async function reviewed(rfcId: string, reviews: number) {
  const read = async () => (await request(`${world.daemon.url}/rfc/${rfcId}`)).body.data;
  await until(async () => ((await read()).review_history ?? []).length === reviews);
  return await read();
}

function ask(rfcId: string, reason = 'look again') {
  const body = JSON.stringify({ reason });
  return request(`${world.daemon.url}/rfc/${rfcId}/review`, { method: 'POST', body });
}

test.serial('a held change passes when its vendor is back, also after a restart', async (t) => {
  SCRIPTS['down.js'] = { kind: 'http', status: 401 };
  const { final: held } = await settled(world.daemon.url, diffOf('down.js'));
  t.is(held.overall_status, 'BLOCKED');
  t.like(held.gates.llm, { status: 'skipped', skip_reason: 'misconfigured', held: true });
  const { body: off } = await request(`${world.daemon.url}/dispatcher/status`);
  t.like(off.data.llm.tiers[0], { state: 'off' });
  await world.daemon.kill();
  SCRIPTS['down.js'] = { kind: 'answer' };
  await world.restart();
  const passed = await reviewed(held.rfc_id, 1);
  t.is(passed.overall_status, 'PASSED');
  t.like(passed.gates.llm, { status: 'pass', skip_reason: null });
  t.is(passed.gates.llm.held, undefined);
  t.like(passed.review_history[0], {
    principal: null,
    reason: null,
    result: 'pass',
    findings_added: 0,
    status_before: 'BLOCKED',
    status_after: 'PASSED',
  });
});

test.serial('a person asks for a review, which only adds', async (t) => {
  const { url } = world.daemon;
  const { final: first } = await settled(url, diffOf('later.js'));
  t.is(first.overall_status, 'PASSED');
  SCRIPTS['later.js'] = { kind: 'answer', findings: [findingIn('later.js')] };
  const { body: asked } = await ask(first.rfc_id, 'key AKIAIOSFODNN7EXAMPLF is odd');
  t.like(asked.data, { rfc_id: first.rfc_id, overall_status: 'PASSED' });
  const blocked = await reviewed(first.rfc_id, 1);
  t.is(blocked.overall_status, 'BLOCKED');
  t.is(blocked.gates.llm.status, 'fail');
  t.deepEqual(blocked.hard_limits, ['llm']);
  t.like(blocked.review_history[0], {
    review_id: asked.data.review_id,
    result: 'fail',
    findings_added: 1,
    status_before: 'PASSED',
    status_after: 'BLOCKED',
  });
  t.false(JSON.stringify(blocked.review_history).includes('AKIAIOSFODNN7EXAMPLF'));
  SCRIPTS['later.js'] = { kind: 'answer' };
  await ask(first.rfc_id);
  const same = await reviewed(first.rfc_id, 2);
  t.is(same.overall_status, 'BLOCKED', 'a finding is not revoked');
  t.is(same.gates.llm.findings.length, 1);
  const override = JSON.stringify({ actor: 'a', reason: 'known and accepted by us' });
  await request(`${url}/rfc/${first.rfc_id}/override`, { method: 'POST', body: override });
  await ask(first.rfc_id);
  t.is((await reviewed(first.rfc_id, 3)).overall_status, 'OVERRIDDEN');
});

test.serial(
  'what blocked a line blocks it again, in any file, and a decision ends that',
  async (t) => {
    const { url } = world.daemon;
    const code = (name: string) => newFile(`lib/${name}`, `${lineOf('sticky')}\n`);
    const once = { kind: 'answer' as const, findings: [findingIn('sticky')] };
    world.vendor.script = () => once;
    const { final: first } = await settled(url, code('one.js'));
    t.is(first.overall_status, 'BLOCKED');
    world.vendor.script = scripted;
    const { final: again } = await settled(url, code('two.js'));
    t.is(again.overall_status, 'BLOCKED', 'the model finds nothing this time');
    t.like(again.gates.llm.findings[0], {
      id: 'llm-command-injection',
      file: 'lib/two.js',
      carried: true,
      why: '',
    });
    const override = { actor: 'a', reason: 'the handlers are fixed', accept_findings: true };
    await request(`${url}/rfc/${again.rfc_id}/override`, {
      method: 'POST',
      body: JSON.stringify(override),
    });
    const { final: accepted } = await settled(url, code('three.js'));
    t.is(accepted.overall_status, 'PASSED');
    t.is(accepted.gates.llm.suppressed_count, 1);
  },
);

test.serial('a review is refused where there is nothing to review', async (t) => {
  const { url } = world.daemon;
  t.is((await ask('RFC-0')).status, 404);
  const { body } = await analyze(url, change(diffOf('hang.js')));
  const { rfc_id } = body.data;
  const draft = await ask(rfc_id);
  t.is(draft.status, 409);
  t.is(draft.body.error, 'the RFC is DRAFT, and a review does not apply to that');
  await request(`${url}/reject/${rfc_id}`, { method: 'POST', body: '{"reason":"no"}' });
  t.is((await ask(rfc_id)).status, 409);
});

test.serial('the rules decide about shadow, failures and where a change may go', async (t) => {
  await setRules(t, { mode: 'shadow' });
  const { final: shadow } = await settled(world.daemon.url, diffOf('shadow.js'));
  t.is(shadow.overall_status, 'PASSED');
  t.like(shadow.gates.llm, { status: 'skipped', skip_reason: 'shadow' });
  t.is(shadow.gates.llm.findings[0].id, 'llm-command-injection');
  await setRules(t, { on_skipped: 'allow', residency: { 'acme/shop': 'eu' } });
  const { final: allowed } = await settled(world.daemon.url, diffOf('refused.js'));
  t.is(allowed.overall_status, 'PASSED');
  t.like(allowed.gates.llm, { status: 'skipped', skip_reason: 'residency' });
  t.is(allowed.gates.llm.held, undefined);
  // A repository is the same in any case; of two spellings the narrower one holds as well.
  for (const residency of [{ 'ACME/Shop': 'eu' }, { 'acme/shop': 'any', 'Acme/shop': 'local' }]) {
    await setRules(t, { on_skipped: 'allow', residency });
    const { final } = await settled(world.daemon.url, diffOf('refused.js'));
    t.like(final.gates.llm, { status: 'skipped', skip_reason: 'residency' });
  }
});

test.serial('no secret of our own rules is in a prompt, on whichever line it stands', async (t) => {
  const { vendor, daemon } = world;
  await setRules(t, { on_blocked: true });
  const examples = defaultRules.secret_patterns
    .filter(({ examples: { path } }) => path === undefined)
    .flatMap(({ examples: { match } }) => match.slice(0, 1))
    .filter((text) => !text.includes('\n'));
  const secrets = examples.flatMap((text) => text.match(/[A-Za-z0-9+/=_-]{20,}/g) ?? []);
  for (let at = 0; at < examples.length; at += 120) {
    const lines = examples
      .slice(at, at + 120)
      .flatMap((text) => [`+${text}`, `-${text}`, ` ${text}`]);
    const size = (lines.length / 3) * 2;
    const head = '--- a/conf.txt\n+++ b/conf.txt\n';
    const diff = `${head}@@ -1,${size} +1,${size} @@\n${lines.join('\n')}\n`;
    const { final } = await settled(daemon.url, diff);
    t.is(final.gates.llm.status, 'pass', JSON.stringify(final.gates.llm));
  }
  const sent = vendor.requests.map(({ user }) => user).join('\n');
  t.deepEqual(
    secrets.filter((secret) => isRandom(secret) && sent.includes(secret)),
    [],
  );
  t.true(examples.length > 200 && sent.includes('[secret 1]'));
});

test.serial('`cra llm check` says which models work', async (t) => {
  const { env } = world;
  const check = (extra: Record<string, string>) =>
    promisify(execFile)(process.execPath, [PROGRAM, 'llm', 'check'], { env: { ...env, ...extra } });
  const { stdout } = await check({});
  t.regex(stdout, /^first \(review, m\): works, answers as fake-model-1, does not report /);
  type Failure = Error & { code: number; stderr: string };
  const refused = await t.throwsAsync<Failure>(check({ FAKE_KEY: '' }));
  t.is(refused?.code, 2);
  t.regex(refused?.stderr ?? '', /tiers\[0\]\.key_env names FAKE_KEY, which is not set/);
});

/** Names of variables in the examples are not secrets. */
function isRandom(text: string): boolean {
  return /\d/.test(text) && /[a-z]/i.test(text) && new Set(text).size > 9;
}

function billed(vendor: FakeVendor): number {
  const nano = vendor.bill.reduce(
    (sum, { input, output, cacheWrite, cacheRead }) =>
      sum + input * 2_000 + output * 10_000 + cacheWrite * 2_500 + cacheRead * 200,
    0,
  );
  return nano / 1e9;
}
