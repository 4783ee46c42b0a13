import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { change, newFile, request, startDaemonProcess, temporaryDir, until } from '../../daemon.ts';
import { type FakeVendor, type Script, startFakeVendor } from '../../gates/review/fake-vendor.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { openHouse } from '../../pushes/daemon/house.ts';
import { MAIN, PushedRepository } from '../../pushes/daemon/pushed-repository.ts';
import { llmSettings, priceOf, reserveOf } from './world.ts';

/** Retries come after 30 s, and two daemons look at each other every 5 s. */
const TEST_MS_MAX = 300_000;

const BAD_LINE = "run('tar ' + name, 'x')";
const FINDS: Script = {
  kind: 'answer',
  findings: [
    {
      file: 1,
      side: 'added',
      line: 1,
      quote: BAD_LINE,
      why: 'a name is a command',
      class: 'command-injection',
      attacker_input: 'yes',
      guard: '',
    },
  ],
};

/** Real git, hosts that take statuses, a daemon, and a vendor that does what `scripts` says. */
async function openPushes(t: ExecutionContext, name: string) {
  const vendor = await startFakeVendor(t);
  const scripts = new Map<string, Script>();
  vendor.script = (user) => {
    const file = /^file 1: (.*)$/m.exec(user)?.[1] ?? '';
    return scripts.get(file) ?? { kind: 'answer' };
  };
  const env = llmSettings(temporaryDir(t), vendor);
  const house = await openHouse(t, { env });
  const repo = new PushedRepository(house, name);
  repo.commit({ 'README.md': 'read me\n' });
  const read = async (rfcId: string) =>
    (await request(`${house.daemon.url}/rfc/${rfcId}`)).body.data;
  return { vendor, scripts, house, repo, read };
}

test.serial(
  'a held push passes by its retry: status, head and the next range follow',
  async (t) => {
    t.timeout(TEST_MS_MAX);
    const { scripts, repo, read } = await openPushes(t, 'acme/held');
    scripts.set('a.js', { kind: 'http', status: 529 });
    const push = await repo.push({ 'a.js': 'use(1)\n' });
    const held = await repo.verdict(push);
    t.is(held.overall_status, 'BLOCKED');
    t.like(held.gates.llm, { status: 'skipped', skip_reason: 'unavailable', held: true });
    await repo.shows(push.sha, 'failure');
    t.false(await repo.isAllowed());
    scripts.delete('a.js');
    await until(async () => (await read(push.rfcId)).overall_status === 'PASSED');
    await repo.shows(push.sha, 'success');
    t.true(await repo.isAllowed());
    const next = await repo.judge({ 'b.js': 'use(2)\n' });
    t.is(next.overall_status, 'PASSED');
    t.is(next.push?.base, push.sha, 'the head counts as accepted');
  },
);

test.serial('a review that finds something revokes the head and what depended on it', async (t) => {
  t.timeout(TEST_MS_MAX);
  const { scripts, house, repo, read } = await openPushes(t, 'acme/recalled');
  const root = await repo.judge({ 'root.txt': 'one\n' });
  const first = await repo.push({ 'a.js': `${BAD_LINE}\n` });
  t.is((await repo.verdict(first)).overall_status, 'PASSED');
  const second = await repo.push({ 'b.txt': 'two\n' });
  const onTop = await repo.verdict(second);
  t.is(onTop.overall_status, 'PASSED');
  t.is(onTop.push?.base, first.sha);
  await repo.shows(second.sha, 'success');
  scripts.set('a.js', FINDS);
  const asked = await request(`${house.daemon.url}/rfc/${first.rfcId}/review`, {
    method: 'POST',
    body: JSON.stringify({ reason: 'look again' }),
  });
  t.is(asked.status, 200);
  await until(async () => (await read(first.rfcId)).overall_status === 'BLOCKED');
  await repo.shows(first.sha, 'failure');
  await until(async () => !(await repo.isAllowed()));
  await until(() => repo.statesOf(second.sha).at(-1) === 'failure');
  t.not((await read(second.rfcId)).overall_status, 'PASSED');
  t.deepEqual((await read(first.rfcId)).hard_limits, ['llm']);
  const next = await repo.judge({ 'c.txt': 'three\n' });
  t.is(next.push?.base, root.commit_sha, 'the range begins where nothing was revoked');
  t.is(next.overall_status, 'BLOCKED', 'the line that blocked is still in it');
  await repo.decide(first.rfcId, 'override');
  await repo.shows(first.sha, 'success');
});

for (const where of ['the same daemon', 'another daemon']) {
  test.serial(`a newer push, sent to ${where}, ends the review of the older one`, async (t) => {
    t.timeout(TEST_MS_MAX);
    const vendor = await startFakeVendor(t);
    vendor.script = (_, index) => ({ kind: index === 0 ? 'hang' : 'answer' });
    const house = await openHouse(t, { env: await sharedSettings(t, vendor), isStarted: false });
    const one = await house.start();
    const isOther = where === 'another daemon';
    const two = isOther ? await house.start({ dataDir: temporaryDir(t) }) : one;
    const repo = new PushedRepository(house, `acme/superseded-${isOther}`);
    repo.commit({ 'README.md': 'read me\n' });
    const tell = (files: Record<string, string>, daemon: typeof one) => {
      const before = repo.head(MAIN);
      return repo.tell({ ref: MAIN, before, after: repo.commit(files) }, {}, daemon);
    };
    const older = await tell({ 'a.js': 'use(1)\n' }, one);
    await until(() => vendor.openRequests() === 1);
    const newer = await tell({ 'b.js': 'use(2)\n' }, two);
    t.is((await repo.verdict(newer)).overall_status, 'PASSED');
    const gone = await repo.verdict(older);
    t.is(gone.overall_status, 'SUPERSEDED');
    t.is(gone.push?.superseded_by, newer.rfcId);
    await repo.shows(newer.sha, 'success');
    await until(() => vendor.openRequests() === 0);
    // Nobody knows what the vendor takes for the call that was cut: it is settled at its reserve.
    const [cut] = vendor.requests;
    if (cut === undefined) return t.fail('nothing was asked');
    const nano = vendor.bill.reduce((sum, each) => sum + priceOf(each), reserveOf(cut));
    const usage = async () => (await request(`${two.url}/usage/total`)).body.data;
    await until(async () => (await usage()).calls === vendor.requests.length);
    t.is(Math.round((await usage()).cost_usd * 1e9), nano);
    t.deepEqual(
      repo.statesOf(older.sha).filter((state) => state !== 'pending' && state !== 'error'),
      [],
      'the older one gets no verdict',
    );
  });
}

/** Of daemons on one MongoDB, with one tier on the vendor. */
async function sharedSettings(t: ExecutionContext, vendor: FakeVendor) {
  const key = () => randomBytes(32).toString('hex');
  return {
    ...llmSettings(temporaryDir(t), vendor, { timeout_ms: 100_000 }),
    SERVICE_STORE_URL: databaseUrl(await sharedMongod()),
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
  };
}

/** Two daemons on one MongoDB, and a vendor that answers when it is let. */
async function openTwo(t: ExecutionContext) {
  const vendor = await startFakeVendor(t);
  const env = await sharedSettings(t, vendor);
  const start = () => startDaemonProcess(t, temporaryDir(t), env);
  const [one, two] = await Promise.all([start(), start()]);
  return { vendor, one, two };
}

/** A DRAFT whose call is under way. */
async function begin(vendor: FakeVendor, url: string, file: string): Promise<string> {
  const open = vendor.openRequests();
  const body = JSON.stringify(change(newFile(file, `use('${file}')\n`)));
  const { body: answer } = await request(`${url}/analyze`, { method: 'POST', body });
  await until(() => vendor.openRequests() === open + 1);
  return answer.data.rfc_id;
}

test.serial('a decision in one daemon ends the call of another', async (t) => {
  t.timeout(TEST_MS_MAX);
  const { vendor, one, two } = await openTwo(t);
  vendor.script = () => ({ kind: 'hang' });
  const rejected = await begin(vendor, one.url, 'src/a.js');
  const removed = await begin(vendor, one.url, 'src/b.js');
  const reason = JSON.stringify({ reason: 'not this one' });
  const answer = await request(`${two.url}/reject/${rejected}`, { method: 'POST', body: reason });
  t.is(answer.body.data.overall_status, 'REJECTED');
  await until(() => vendor.openRequests() === 1);
  await request(`${two.url}/rfc/${removed}`, { method: 'DELETE' });
  await until(() => vendor.openRequests() === 0);
  for (const { url } of [one, two]) {
    t.is((await request(`${url}/rfc/${rejected}`)).body.data.overall_status, 'REJECTED');
    t.is((await request(`${url}/rfc/${removed}`)).status, 404);
  }
});

test.serial(
  'an answer that comes after a decision in another daemon changes nothing',
  async (t) => {
    t.timeout(TEST_MS_MAX);
    const { vendor, one, two } = await openTwo(t);
    let answer: (value: unknown) => void = () => undefined;
    const after = new Promise((resolve) => {
      answer = resolve;
    });
    vendor.script = () => ({ ...FINDS, after }) as Script;
    const rfcId = await begin(vendor, one.url, 'src/late.js');
    const reason = JSON.stringify({ reason: 'not this one' });
    await request(`${two.url}/reject/${rfcId}`, { method: 'POST', body: reason });
    answer(null);
    const status = async (url: string) => (await request(`${url}/dispatcher/status`)).body.data;
    await until(() => vendor.openRequests() === 0);
    await until(async () => (await status(one.url)).queue.drafts === 0);
    const { body } = await request(`${two.url}/rfc/${rfcId}`);
    t.is(body.data.overall_status, 'REJECTED');
    t.deepEqual(body.data.gates.llm.findings, []);
  },
);
