import test from 'ava';
import { follow, newChain, rootOf } from '../../../src/audit/chain.ts';
import { createCheckpointSigner, createCheckpointVerifier } from '../../../src/audit/checkpoint.ts';
import { verifyTrail } from '../../../src/audit/verify.ts';
import type { AuditPlace } from '../../../src/model/audit.ts';
import { openMongoAuditSource } from '../../../src/store/mongo/audit-source.ts';
import { until } from '../../daemon.ts';
import { startMongod } from '../../mongod/mongod.ts';
import { interruptAt } from './reconcile-interrupt.ts';
import {
  decisionInput,
  login,
  openPlace,
  openTrail,
  putRecord,
  readChains,
} from './trail-harness.ts';

const VERIFIER = createCheckpointVerifier(
  createCheckpointSigner(new Uint8Array(32).fill(7)).verifierKey,
);

test('each boot begins a chain that names the heads no other names', async (t) => {
  const place = await openPlace(t);
  const chains: string[] = [];
  let now = Date.parse('2026-11-21T10:00:00.000Z');
  for (let boot = 0; boot < 3; boot += 1) {
    const trail = await openTrail(t, place, {
      instance: 'one',
      clock: { now: () => now, mono: () => 1 },
    });
    chains.push((await trail.auditStatus(null)).chain);
    await trail.close();
    now += 1_000;
  }
  t.regex(chains[0] ?? '', /^20261121T100000Z-[0-9a-f]{16}$/);
  const read = await readChains(place);
  t.deepEqual([...read.keys()], chains);
  const heads = chains.map((chain) => {
    const boot = read.get(chain)?.[0];
    t.like(boot, { kind: 'boot', details: { version: 'test', instance: 'one' } });
    const named = (boot?.details['heads'] ?? []) as unknown as AuditPlace[];
    return named.map(({ chain: name, seq }) => [name, seq]);
  });
  t.deepEqual(heads, [[], [[chains[0], 2]], [[chains[1], 2]]]);
});

test('cra audit verify finds no flaw in a trail of several daemons, with operations of every outcome', async (t) => {
  const place = await openPlace(t);
  for (const rfc_id of ['RFC-1', 'RFC-2', 'RFC-3']) await putRecord(place, { rfc_id });
  const ended = interruptAt('replaceRecord', 'before');
  const dead = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
  void dead.decide(decisionInput('RFC-1', 'op-1')).catch(() => undefined);
  await ended.reached;
  const one = await openTrail(t, place, { instance: 'one' });
  const two = await openTrail(t, place);
  await one.reconcile();
  await one.decide(decisionInput('RFC-1', 'op-1'));
  await two.decide(decisionInput('RFC-2', 'op-2', { action: 'delete' }));
  const race = [one, two].map((trail, at) => trail.decide(decisionInput('RFC-3', `race-${at}`)));
  await Promise.allSettled(race);
  await one.appendEvent({ event: login('login') });
  await Promise.all([one.close(), two.close()]);
  const source = await openMongoAuditSource({ url: place.auditUrl, auditUrl: place.auditUrl });
  t.teardown(source.close);
  const result = await verifyTrail(source, {
    open: VERIFIER,
    nowMs: Date.now(),
    kept: [],
    claims: null,
  });
  t.is(result.flaw, null);
  t.log(result);
});

test('1,000 entries and the end of a daemon are sealed by checkpoints that verify', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await Promise.all(
    Array.from({ length: 1_200 }, (_, at) => trail.appendEvent({ event: login(`op-${at}`) })),
  );
  await until(async () => (await trail.auditStatus(null)).last_checkpoint !== null);
  t.is(trail.notes.length, 1);
  await trail.appendEvent({ event: login('last') });
  await trail.close();
  t.is(trail.notes.length, 2);
  const [[chain, entries] = ['', []]] = await readChains(place);
  const sealed = entries.filter(({ kind }) => kind === 'checkpoint');
  t.deepEqual(
    sealed.map(({ details }) => details['note']),
    trail.notes,
  );
  t.is(sealed.at(-1)?.seq, 1_204);
  const source = await openMongoAuditSource({ url: place.auditUrl, auditUrl: place.auditUrl });
  t.teardown(source.close);
  let state = newChain(chain);
  for await (const text of source.entries(chain)) {
    const note = sealed.find(({ seq }) => seq === state.size + 1)?.details['note'];
    if (typeof note === 'string') {
      t.deepEqual(VERIFIER(note), { chain, size: state.size, root: rootOf(state.frontier) });
    }
    state = follow(state, text);
  }
});

test('a clock that goes back is recorded in the chain', async (t) => {
  const place = await openPlace(t);
  let now = Date.parse('2026-11-21T10:00:00.000Z');
  const trail = await openTrail(t, place, { clock: { now: () => now, mono: () => 5 } });
  now -= 1_000;
  await trail.appendEvent({ event: login('op-1') });
  now -= 3_600_000;
  t.like(await trail.appendEvent({ event: login('op-2') }), { seq: 4 });
  const [entries = []] = (await readChains(place)).values();
  t.deepEqual(
    entries.map(({ kind }) => kind),
    ['boot', 'login', 'clock-step', 'login'],
  );
  t.deepEqual(entries[2]?.details, {
    from: '2026-11-21T09:59:59.000Z',
    to: '2026-11-21T08:59:59.000Z',
  });
});

test('an insert that is not confirmed is written again with the same bytes', async (t) => {
  const mongod = await startMongod({ args: ['--setParameter', 'enableTestCommands=1'] });
  t.teardown(mongod.stop);
  const place = await openPlace(t, mongod);
  const trail = await openTrail(t, place);
  const admin = place.client.db('admin');
  const modes = [
    // Done, but no majority within the time.
    { writeConcernError: { code: 64, codeName: 'WriteConcernFailed', errmsg: 'timed out' } },
    // Not done, and no answer.
    { closeConnection: true },
    { errorCode: 11600 },
  ];
  let seq = 1;
  for (const mode of modes) {
    const data = { failCommands: ['insert'], appName: 'cra-audit', ...mode };
    await admin.command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    const places = await Promise.all(
      [1, 2, 3].map((at) => trail.appendEvent({ event: login(`${seq}.${at}`) })),
    );
    t.deepEqual(
      places.map((one) => one.seq),
      [seq + 1, seq + 2, seq + 3],
    );
    seq += 3;
  }
  const [entries = []] = (await readChains(place)).values();
  t.is(entries.length, 10);
  t.is((await trail.auditStatus(null)).state, 'up');
});

test('a place that somebody else has taken ends the chain: nothing is written behind it', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  const [boot] = await place.audit
    .collection<{ _id: string; seq: number }>('audit')
    .find()
    .toArray();
  const { chain } = await trail.auditStatus(null);
  await place.audit
    .collection<{ _id: string }>('audit')
    .insertOne({ ...boot, _id: `${chain}:2`, seq: 2, op_id: 'forged' } as never);
  await t.throwsAsync(trail.appendEvent({ event: login('op-1') }), { message: /start it again/ });
  await t.throwsAsync(trail.appendEvent({ event: login('op-2') }), { message: /start it again/ });
  t.is((await trail.auditStatus(null)).state, 'down');
  // The next boot has a chain of its own.
  const next = await openTrail(t, place);
  t.like(await next.appendEvent({ event: login('op-1') }), { seq: 2 });
});
