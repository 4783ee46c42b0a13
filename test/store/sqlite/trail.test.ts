import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { AuditDetails } from '../../../src/model/audit.ts';
import { CraError } from '../../../src/model/errors.ts';
import { DECISIONS } from '../../../src/model/limits.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { TRAIL } from '../../../src/store/limits.ts';
import { createSealer } from '../../../src/store/objects/s3.ts';
import { createAuditLog } from '../../../src/store/sqlite/audit-log.ts';
import { openForWriting, storePaths } from '../../../src/store/sqlite/database.ts';
import { QUERIES } from '../../../src/store/sqlite/queries.ts';
import { createTrailGate } from '../../../src/store/trail.ts';
import { byAgent } from '../conformance/agents.ts';
import { insert, NOW } from '../conformance/steps.ts';
import { blockedRecord, decisionOn, sampleEvent } from '../fixtures/decisions.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { openSqlite, openWriter, temporaryFor } from './harness.ts';
import { openParts, refused } from './parts.ts';
import { faultsOf, readTrail } from './trail-check.ts';

const kindsOf = (chain: { entries: { kind: string }[] } | undefined) =>
  chain?.entries.map(({ kind }) => kind);

/** Appends `count` events, all in flight at once. */
function append(trail: TrailStore, count: number, prefix = 'op') {
  const calls = Array.from({ length: count }, (_, n) =>
    trail.appendEvent({ event: sampleEvent(`${prefix}-${n}`) }),
  );
  return Promise.all(calls);
}

test('a boot that does nothing writes its first entry and, at its end, a checkpoint', async (t) => {
  const dataDir = temporaryFor(t);
  for (let boot = 0; boot < 3; boot += 1) await openSqlite(dataDir, () => NOW).close();
  const chains = await readTrail(dataDir);
  t.deepEqual(faultsOf(chains), []);
  for (const chain of chains) t.deepEqual(kindsOf(chain), ['boot', 'checkpoint']);
  t.regex(chains[0]?.chain ?? '', /^20261121T120000Z-[0-9a-f]{16}$/);
  t.deepEqual(chains[0]?.entries[0]?.details, { version: 'test', heads: [] });
  for (const n of [1, 2]) {
    const { chain, end } = chains[n - 1] ?? t.fail();
    const heads = [{ chain, seq: 2, hash: end.head }];
    t.deepEqual(chains[n]?.entries[0]?.details, { version: 'test', heads });
  }
});

test('checkpoint.note begins with the first entry behind a boot', async (t) => {
  const dataDir = temporaryFor(t);
  const file = join(dataDir, 'checkpoint.note');
  await openSqlite(dataDir, () => NOW).close();
  t.false(existsSync(file), 'a service that has recorded nothing may get another store');
  for (const count of [1, 0]) {
    const opened = openSqlite(dataDir, () => NOW);
    await append(opened.trail, count);
    await opened.close();
    const last = (await readTrail(dataDir)).at(-1)?.entries.at(-1);
    t.deepEqual(last?.details, { note: readFileSync(file, 'utf8') });
  }
  t.is(statSync(file).mode & 0o777, 0o600);
});

test('a checkpoint follows after so many entries', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, () => NOW, { checkpointEntries: 10 });
  for (let round = 0; round < 3; round += 1) await append(opened.trail, 20, `op-${round}`);
  await until(async () => (await opened.trail.auditStatus(null)).last_checkpoint !== null);
  await opened.close();
  const chains = await readTrail(dataDir);
  t.deepEqual(faultsOf(chains), []);
  const count = kindsOf(chains[0])?.filter((kind) => kind === 'checkpoint').length ?? 0;
  t.true(count >= 3, `${count} checkpoints`);
  t.is(kindsOf(chains[0])?.at(-1), 'checkpoint');
});

test('a checkpoint follows after a time when there are entries', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, () => NOW, { checkpointIntervalMs: 5 });
  t.is((await opened.trail.auditStatus(null)).last_checkpoint, null);
  await append(opened.trail, 1);
  await until(async () => (await opened.trail.auditStatus(null)).last_checkpoint !== null);
  t.deepEqual((await opened.trail.auditStatus(null)).last_checkpoint, {
    seq: 3,
    at: new Date(NOW).toISOString(),
  });
  await opened.close();
  const [chain] = await readTrail(dataDir);
  t.deepEqual(kindsOf(chain), ['boot', 'ops-log', 'checkpoint']);
});

test('a clock that goes back is recorded, and the order stays', async (t) => {
  const dataDir = temporaryFor(t);
  let nowMs = NOW;
  const opened = openSqlite(dataDir, () => nowMs);
  await append(opened.trail, 1, 'a');
  nowMs -= TRAIL.CLOCK_STEP_MS;
  await append(opened.trail, 1, 'b');
  nowMs -= TRAIL.CLOCK_STEP_MS + 1;
  await append(opened.trail, 1, 'c');
  await opened.close();
  await openSqlite(dataDir, () => nowMs - 3_600_000).close();
  const chains = await readTrail(dataDir);
  t.deepEqual(faultsOf(chains), []);
  t.deepEqual(kindsOf(chains[0]), [
    'boot',
    'ops-log',
    'ops-log',
    'clock-step',
    'ops-log',
    'checkpoint',
  ]);
  t.deepEqual(chains[0]?.entries[3]?.details, {
    from: '2026-11-21T11:59:59.000Z',
    to: '2026-11-21T11:59:57.999Z',
  });
  t.deepEqual(kindsOf(chains[1]), ['boot', 'clock-step', 'checkpoint']);
  t.true((chains[1]?.chain ?? '') < (chains[0]?.chain ?? ''), 'older by name, newer in the trail');
});

test('a batch that fails takes its entries back, and the others keep an unbroken chain', async (t) => {
  const { database, dataDir, store, trail } = openParts(t);
  const records = Array.from({ length: 9 }, (_, n) => blockedRecord({ rfc_id: `RFC-${n}` }));
  for (const record of records) await store.insertRfc({ record: recordText(record), diff: null });
  database.exec(`
    CREATE TRIGGER refuse BEFORE UPDATE ON rfc WHEN new.rfc_id = 'RFC-3'
    BEGIN SELECT RAISE(ABORT, 'refused by the test'); END;
    CREATE TRIGGER undone AFTER INSERT ON decision_op WHEN new.rfc_id = 'RFC-6'
    BEGIN SELECT RAISE(FAIL, 'all rows are there, the last statement fails'); END`);
  const calls = records.map((record) => trail.decide(decisionOn(record, `op-${record.rfc_id}`)));
  const results = await Promise.allSettled(calls);
  const isDone = results.map(({ status }) => status === 'fulfilled');
  const expected = records.map((_, n) => n !== 3 && n !== 6);
  t.deepEqual(isDone, expected);
  const chains = await readTrail(dataDir);
  t.deepEqual(faultsOf(chains), []);
  const told = chains[0]?.entries.flatMap(({ rfc_id }) => rfc_id ?? []);
  t.deepEqual(
    told,
    records.flatMap(({ rfc_id }, n) => (expected[n] ? rfc_id : [])),
  );
  for (const [n, { rfc_id }] of records.entries()) {
    const { overall_status } = await store.getRfc({ tenant_id: 'default', rfc_id });
    t.is(overall_status, expected[n] ? 'OVERRIDDEN' : 'BLOCKED');
  }
});

test('decide on a full disk is UNAVAILABLE and changes nothing, until there is room', async (t) => {
  const { database, dataDir, store, trail } = openParts(t);
  const records = Array.from({ length: 400 }, (_, n) => blockedRecord({ rfc_id: `RFC-${n}` }));
  const inserts = records.map((record) =>
    store.insertRfc({ record: recordText(record), diff: null }),
  );
  await Promise.all(inserts);
  const pages = Number(database.pragma('page_count', { simple: true }));
  database.pragma(`max_page_count = ${pages + 30}`);
  const done: string[] = [];
  const failed: CraError[] = [];
  for (const record of records) {
    const decision = decisionOn(record, `op-${record.rfc_id}`);
    await trail.decide(decision).then(
      ({ rfc_id }) => done.push(rfc_id),
      (error: CraError) => failed.push(error),
    );
  }
  t.true(done.length > 0 && failed.length > 0, `${done.length} done, ${failed.length} failed`);
  for (const error of failed) {
    t.is(error.code, 'UNAVAILABLE');
    t.regex(error.message, /audit trail cannot be written/);
  }
  // A decision writes in four tables; for events there may be room for a while.
  t.is(await refused(t, append(trail, 500)), 'UNAVAILABLE');
  const full = await trail.auditStatus(null);
  t.is(full.state, 'full');
  t.true(full.problems.some((problem) => /disk is full/.test(problem)));
  await checkTold(done);
  const { rfcIds } = await trail.listBlocked({
    tenant_id: 'default',
    repo: null,
    before: null,
    limit: DECISIONS.BULK_MAX,
    cursor: null,
    summaries: false,
  });
  t.is(rfcIds.length, failed.length);
  database.pragma('max_page_count = 100000');
  const [again = ''] = rfcIds;
  const answer = await trail.decide(
    decisionOn({ tenant_id: 'default', rfc_id: again }, `op-${again}`),
  );
  t.false(answer.replayed);
  t.like(await trail.auditStatus(null), { state: 'up', problems: { length: 1 } });
  await checkTold([...done, again]);
  t.is(database.pragma('integrity_check', { simple: true }), 'ok');

  async function checkTold(ids: readonly string[]) {
    const [chain, ...others] = await readTrail(dataDir);
    t.deepEqual([chain?.faults, others.length], [[], 0]);
    t.deepEqual(
      chain?.entries.flatMap(({ rfc_id }) => rfc_id ?? []),
      ids,
    );
  }
});

test('a boot on a full disk serves reads, and begins its chain when there is room', async (t) => {
  const { database, dataDir, trail } = openParts(t, {
    // Longer than a page.
    version: 'v'.repeat(10_000),
    prepare(connection) {
      // Steps of the schema that drop tables leave pages without content.
      connection.exec('VACUUM');
      connection.pragma('max_page_count = 1');
    },
  });
  t.like(await trail.auditStatus(null), { state: 'full', seq: 0, bytes: 0 });
  t.is(await refused(t, append(trail, 1)), 'UNAVAILABLE');
  t.deepEqual(await readTrail(dataDir), []);
  database.pragma('max_page_count = 100000');
  t.is((await append(trail, 1))[0]?.seq, 2);
  t.like(await trail.auditStatus(null), { state: 'up', seq: 2 });
  const chains = await readTrail(dataDir);
  t.deepEqual(faultsOf(chains), []);
  t.deepEqual(kindsOf(chains[0]), ['boot', 'ops-log']);
});

test('a boot names the heads that no boot before it named, so many at once', (t) => {
  const { database, log } = openParts(t);
  const { chain, entries } = log.mark();
  const insert = database.prepare(QUERIES.auditAppend);
  const others = Array.from({ length: TRAIL.HEADS_NAMED_MAX + 5 }, (_, n) => `other-${n}`);
  for (const [n, name] of others.entries()) {
    const columns = [
      'whole',
      'boot',
      new Date(NOW).toISOString(),
      0,
      '0'.repeat(64),
      'f'.repeat(64),
    ];
    insert.run(entries + n + 1, name, 1, name, ...columns, n === 0 ? 'changed' : '{"details":{}}');
  }
  const named = () => {
    const signer = { verifierKey: '', sign: () => '' };
    const next = createAuditLog(database, { signer, version: 'test', now: () => NOW });
    next.boot();
    const { chain: name } = next.mark().chain;
    const row = database
      .prepare<[string, number], { entry: string }>(QUERIES.auditEntry)
      .get(name, 1);
    const { details } = JSON.parse(row?.entry ?? '') as { details: AuditDetails };
    return { name, heads: (details['heads'] as { chain: string }[]).map((head) => head.chain) };
  };
  const first = named();
  t.deepEqual(first.heads, [chain.chain, ...others].slice(0, TRAIL.HEADS_NAMED_MAX));
  const second = named();
  t.deepEqual(second.heads, [...others.slice(TRAIL.HEADS_NAMED_MAX - 1), first.name]);
  t.deepEqual(named().heads, [second.name]);
});

test('auditStatus counts the bytes of all chains and says what SQLite can not do', async (t) => {
  const dataDir = temporaryFor(t);
  let bytes = 0;
  for (let boot = 0; boot < 2; boot += 1) {
    const opened = openSqlite(dataDir, () => NOW);
    await append(opened.trail, 3);
    const status = await opened.trail.auditStatus(null);
    t.like(status, { worm: 'tamper-evident', state: 'up', bytes_max: null, open_intents: 0 });
    t.regex(status.problems[0] ?? '', /audit verify/);
    const entries = (await readTrail(dataDir)).flatMap((chain) => chain.entries);
    bytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
    t.is(status.bytes, bytes);
    await opened.close();
  }
});

test('openSqliteAuditSource reads in pages, and what is added meanwhile', async (t) => {
  const { dataDir, trail, store } = openParts(t);
  for (let n = 0; n < 5; n += 1) await append(trail, TRAIL.READ_PAGE / 2, `op-${n}`);
  await store.insertRfc({ record: recordText(sampleRecord({ rfc_id: 'RFC-1' })), diff: null });
  const [chain] = await readTrail(dataDir);
  t.deepEqual(chain?.faults, []);
  // The interval of checkpoints may add some, the boot is one.
  t.true((chain?.entries.length ?? 0) > 2.5 * TRAIL.READ_PAGE);
});

/** Waits for a condition that other parts bring about. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setImmediate();
}

const CUTS = [
  ['emptied', () => 'DELETE FROM audit', false],
  ['emptied, and the note removed', () => 'DELETE FROM audit', true],
  ['cut at its end', (chain: string) => `DELETE FROM audit WHERE chain = '${chain}' AND seq > 2`],
  [
    'cut, and the note removed',
    (chain: string) => `DELETE FROM audit WHERE chain = '${chain}' AND seq > 1`,
    true,
  ],
  [
    'changed behind the checkpoint',
    (chain: string) => `UPDATE audit SET entry = replace(entry, '"actor":"', '"actor":"not ')
      WHERE chain = '${chain}' AND seq = 5`,
  ],
] as const;

for (const [name, sqlOf, isNoteRemoved = false] of CUTS) {
  test(`a trail that was ${name} is found at the next start`, async (t) => {
    const dataDir = temporaryFor(t);
    const noteFile = join(dataDir, 'checkpoint.note');
    const first = openSqlite(dataDir, () => NOW, { checkpointEntries: 3 });
    for (const n of [1, 2]) {
      await insert(first.store, blockedRecord({ rfc_id: `RFC-${n}` }));
    }
    const [one, two] = [1, 2].map((n) => ({ tenant_id: 'default', rfc_id: `RFC-${n}` }));
    if (one === undefined || two === undefined) return t.fail();
    await first.trail.decide(decisionOn(one, 'op-1'));
    await append(first.trail, 1);
    await until(async () => (await first.trail.auditStatus(null)).last_checkpoint !== null);
    await append(first.trail, 1, 'later');
    const { chain } = await first.trail.auditStatus(null);
    const note = readFileSync(noteFile, 'utf8');
    await first.close();
    // The note of a daemon that was killed: the end of the chain is behind its checkpoint.
    if (isNoteRemoved) rmSync(noteFile);
    else writeFileSync(noteFile, note);
    tamper(dataDir, sqlOf(chain));

    const second = openSqlite(dataDir, () => NOW);
    const refusal = await t.throwsAsync(second.trail.decide(decisionOn(two, 'op-2')));
    t.like(refusal, { code: 'UNAVAILABLE', details: { code: 'trail-check', changed: false } });
    t.is((await second.trail.auditStatus(null)).state, 'refused');
    await append(second.trail, 1, 'other');
    await second.close();
    // What proves the gap is not written over.
    if (!isNoteRemoved) t.is(readFileSync(noteFile, 'utf8'), note);

    const accepted = isNoteRemoved ? 'unknown' : chain;
    const asked = { chain: accepted, actor: 'ann', reason: 'restored from a backup' };
    const writer = openWriter({ dataDir, now: () => NOW });
    await t.throwsAsync(writer.acceptGap({ ...asked, chain: 'another' }), {
      code: 'INVALID_ARGUMENT',
    } as object);
    await writer.acceptGap(asked);
    t.is(writer.gate.state, 'open');
    await t.throwsAsync(writer.acceptGap(asked), { code: 'FAILED_PRECONDITION' } as object);
    await writer.close();

    const third = openSqlite(dataDir, () => NOW);
    t.is((await third.trail.decide(decisionOn(two, 'op-2'))).overall_status, 'OVERRIDDEN');
    await third.close();
    const entries = (await readTrail(dataDir)).flatMap((read) => read.entries);
    const acceptance = entries.find(({ kind }) => kind === 'accept');
    t.like(acceptance, { actor: 'ann', reason: 'restored from a backup', principal: null });
    t.is(acceptance?.details['chain'], accepted);
  });
}

function tamper(dataDir: string, sql: string): void {
  const database = openForWriting(storePaths(dataDir).database);
  for (const trigger of ['audit_no_delete', 'audit_no_update']) {
    database.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
  }
  database.exec(sql);
  database.close();
}

test('decisions wait a moment for the comparison at the start, and are refused after that', async (t) => {
  let end: (gap: null) => void = () => undefined;
  const compared = new Promise<null>((resolve) => {
    end = resolve;
  });
  const gate = createTrailGate(() => compared, 1);
  t.is(gate.state, 'checking');
  const late = await t.throwsAsync(gate.pass(), { instanceOf: CraError });
  t.like(late, { code: 'UNAVAILABLE', details: { code: 'trail-check', changed: false } });
  const waiting = createTrailGate(() => compared, 600_000);
  const passed = waiting.pass();
  end(null);
  await passed;
  await gate.check();
  await t.notThrowsAsync(gate.pass());
  t.deepEqual([gate.state, gate.problem], ['open', null]);
});

test('segments wait for the object storage, and are sealed once, in order', async (t) => {
  const writer = openWriter({ dataDir: temporaryFor(t), now: () => NOW });
  t.teardown(() => writer.close());
  const until = new Date(NOW + 86_400_000);
  const put = [] as string[];
  let isUp = false;
  const bucket: Parameters<typeof createSealer>[0]['bucket'] = {
    put: async (key) => `version ${put.push(key)}`,
    newest: async () => null,
    lockOf: async () => ({ mode: 'COMPLIANCE', until }),
    get: async () => new Uint8Array(),
    probe: async () => {
      if (!isUp) throw new CraError('UNAVAILABLE', 'not now');
    },
  };
  const append = (event: ReturnType<typeof sampleEvent>) =>
    writer.trail.appendEvent({ event }, { stopReason: () => null });
  const sealer = createSealer({
    bucket,
    append,
    trail: writer.source,
    chain: writer.chain,
    retentionDays: 1,
    now: () => NOW,
    entriesMax: 4,
  });
  for (let n = 0; n < 8; n += 1) await append(sampleEvent(`op-${n}`));
  await sealer.round();
  t.deepEqual(sealer.state, { state: 'down', last_sealed_at: null, behind: 2, problem: 'not now' });
  isUp = true;
  for (const _ of [1, 2]) await sealer.round();
  t.like(sealer.state, { state: 'up', last_sealed_at: new Date(NOW).toISOString(), behind: 0 });
  t.deepEqual(
    put.map((key) => key.replace(/.*\//, '')),
    ['000000000001-000000000004.jsonl.gz', '000000000005-000000000008.jsonl.gz'],
  );
});

test('an override of an agent is counted for 24 hours, also where the clock went back', async (t) => {
  const dataDir = temporaryFor(t);
  let now = NOW;
  const { store, trail, close } = openSqlite(dataDir, () => now);
  t.teardown(close);
  let count = 0;
  const ask = async () => {
    const record = blockedRecord({ rfc_id: `RFC-${count}`, repo_name: `org/${count}` });
    count += 1;
    await insert(store, record);
    const agent = { max_score: 70, max_overrides_per_day: 3 };
    const decision = trail.decide(decisionOn(record, `op-${count}`, byAgent({ agent })));
    return await decision.then(
      () => 'made',
      (thrown: CraError) => thrown.details['limit'],
    );
  };
  const full = 'overrides-per-day';
  const hours = (n: number) => NOW + n * 3_600_000;
  const STEPS: [at: number, expected: string][] = [
    [hours(0), 'made'],
    [hours(10), 'made'],
    [hours(20), 'made'],
    [hours(23.9), full],
    // The clock goes back by days: what was made then still counts.
    [hours(-100), full],
    [hours(24) + 1, 'made'],
    [hours(24) + 2, full],
    [hours(33), full],
    [hours(34) + 1, 'made'],
    [hours(34) + 2, full],
    [hours(44) + 1, 'made'],
  ];
  for (const [at, expected] of STEPS) {
    now = at;
    t.is(await ask(), expected, new Date(at).toISOString());
  }
});
