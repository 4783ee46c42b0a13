import assert from 'node:assert/strict';
import { mock } from 'node:test';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type RulesSource, runJob } from '../../src/analysis/job.ts';
import { PIPELINE } from '../../src/analysis/limits.ts';
import { createPipeline, type PipelineOptions } from '../../src/analysis/pipeline.ts';
import { createAdmission } from '../../src/analysis/scan-pool.ts';
import { type BatcherOptions, createBatcher, type Outcome } from '../../src/core/batcher.ts';
import { isRaised, isYield } from '../../src/core/deadline.ts';
import { CraError } from '../../src/model/errors.ts';
import { JOB } from '../../src/model/limits.ts';
import type { AnalyzeInput } from '../../src/rpc/contract.ts';
import { createThreadPool } from '../../src/rpc/pool.ts';
import { createClient } from '../../src/rpc/service.ts';
import { Chaos } from '../rpc/fixtures/chaos.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';

/** A commit that the test ends by hand, so that batches form while it runs. */
function manualCommit() {
  const batches: (readonly string[])[] = [];
  const pending: { batch: readonly string[]; resolve(outcomes: Outcome<string>[]): void }[] = [];
  const started: (() => void)[] = [];
  return {
    batches,
    commit(batch: readonly string[]) {
      batches.push(batch);
      for (const wake of started.splice(0)) wake();
      return new Promise<Outcome<string>[]>((resolve) => pending.push({ batch, resolve }));
    },
    /** Waits until a commit runs, then ends it. */
    async end(outcome: (name: string) => Outcome<string> = succeed) {
      while (pending.length === 0) await new Promise<void>((resolve) => started.push(resolve));
      const [running] = pending.splice(0, 1);
      running?.resolve(running.batch.map(outcome));
    },
  };
}

const succeed = (name: string): Outcome<string> => ({ ok: true, value: `${name} done` });

function options(overrides: Partial<BatcherOptions<string, string>>) {
  return {
    commit: (batch: readonly string[]) => batch.map(succeed),
    weigh: (name: string) => name.length,
    batchMax: 100,
    batchBytesMax: 1_000_000,
    pendingMax: 100,
    ...overrides,
  };
}

test('createBatcher commits at once when idle; what comes then is the next batch', async (t) => {
  const manual = manualCommit();
  const { submit } = createBatcher(options({ commit: manual.commit }));
  const first = submit('a', null);
  const ending = manual.end();
  // `a` is being committed once its batch has begun.
  while (manual.batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const rest = [submit('b', null), submit('c', null)];
  await ending;
  t.is(await first, 'a done');
  await manual.end();
  t.deepEqual(await Promise.all(rest), ['b done', 'c done']);
  t.deepEqual(manual.batches, [['a'], ['b', 'c']]);
});

test('createBatcher resolves only after the commit', async (t) => {
  const manual = manualCommit();
  const { submit } = createBatcher(options({ commit: manual.commit }));
  let isSettled = false;
  const write = submit('a', null).then(() => {
    isSettled = true;
  });
  while (manual.batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.false(isSettled);
  await manual.end();
  await write;
  t.true(isSettled);
});

test('createBatcher gives each operation its own outcome', async (t) => {
  const refused = new CraError('ABORTED', 'stale');
  const commit = (batch: readonly string[]) =>
    batch.map((name) => (name === 'b' ? { ok: false as const, error: refused } : succeed(name)));
  const { submit } = createBatcher(options({ commit }));
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => submit(name, null)));
  t.deepEqual(results, [
    { status: 'fulfilled', value: 'a done' },
    { status: 'rejected', reason: refused },
    { status: 'fulfilled', value: 'c done' },
  ]);
});

for (const [title, fail] of [
  ['throws', () => assert.fail('disk')],
  ['rejects', () => Promise.reject(new Error('disk'))],
  ['tells too few outcomes', () => []],
] as const) {
  test(`createBatcher acknowledges nothing when a commit ${title}, and goes on`, async (t) => {
    let commits = 0;
    const { submit } = createBatcher(
      options({ commit: (batch) => (commits++ === 0 ? fail() : batch.map(succeed)) }),
    );
    const results = await Promise.allSettled(['a', 'b'].map((name) => submit(name, null)));
    t.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    t.is(await submit('c', null), 'c done');
  });
}

test('createBatcher ends a batch at its bounds; a heavier operation goes alone', async (t) => {
  const batches: (readonly string[])[] = [];
  const { submit } = createBatcher(
    options({
      batchMax: 3,
      batchBytesMax: 5,
      commit(batch) {
        batches.push(batch);
        return batch.map(succeed);
      },
    }),
  );
  const names = ['a', 'b', 'c', 'd', '22', '333', '4444444', 'e', '666666', '55555'];
  await Promise.all(names.map((name) => submit(name, null)));
  t.deepEqual(batches, [
    ['a', 'b', 'c'],
    ['d', '22'],
    ['333'],
    ['4444444'],
    ['e'],
    ['666666'],
    ['55555'],
  ]);
});

test('createBatcher refuses more than pendingMax with RESOURCE_EXHAUSTED', async (t) => {
  const { submit } = createBatcher(options({ pendingMax: 2 }));
  const accepted = [submit('a', null), submit('b', null)];
  const error = await t.throwsAsync(submit('c', null), { instanceOf: CraError });
  t.is(error?.code, 'RESOURCE_EXHAUSTED');
  t.deepEqual(await Promise.all(accepted), ['a done', 'b done']);
});

test('createBatcher drops what was cancelled before its batch began', async (t) => {
  const batches: (readonly string[])[] = [];
  const { submit } = createBatcher(
    options({
      commit(batch) {
        batches.push(batch);
        return batch.map(succeed);
      },
    }),
  );
  const reasons = new Map<string, CraError>();
  const callerOf = (name: string) => ({ stopReason: () => reasons.get(name) ?? null });
  const writes = ['a', 'b', 'c'].map((name) => submit(name, callerOf(name)));
  reasons.set('a', new CraError('CANCELLED', 'gone'));
  reasons.set('b', new CraError('DEADLINE_EXCEEDED', 'too late'));
  const results = await Promise.allSettled(writes);
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'ok'));
  t.deepEqual(codes, ['CANCELLED', 'DEADLINE_EXCEEDED', 'ok']);
  t.deepEqual(batches, [['c']]);
});

test('createBatcher.close settles what waits and refuses the rest', async (t) => {
  const batcher = createBatcher(options({ batchMax: 1 }));
  await t.notThrowsAsync(createBatcher(options({})).close());
  const settled: string[] = [];
  const writes = ['a', 'b', 'c'].map((name) =>
    batcher.submit(name, null).then((done) => settled.push(done)),
  );
  await batcher.close();
  t.deepEqual(settled, ['a done', 'b done', 'c done']);
  await Promise.all(writes);
  const error = await t.throwsAsync(batcher.submit('d', null), { instanceOf: CraError });
  t.is(error?.code, 'UNAVAILABLE');
});

test('createBatcher commits everything once, in order, within its bounds', async (t) => {
  const property = fc.asyncProperty(
    fc.array(fc.record({ bytes: fc.integer({ min: 0, max: 9 }), pause: fc.boolean() })),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 20 }),
    async (operations, batchMax, batchBytesMax) => {
      const committed: number[] = [];
      const bytesOf = (index: number) => operations[index]?.bytes ?? 0;
      const batcher = createBatcher<number, number>({
        async commit(batch) {
          const bytes = batch.reduce((sum, index) => sum + bytesOf(index), 0);
          assert.ok(batch.length >= 1 && batch.length <= batchMax);
          assert.ok(bytes <= batchBytesMax || batch.length === 1);
          await new Promise((resolve) => setImmediate(resolve));
          committed.push(...batch);
          return batch.map((value) => ({ ok: true, value }));
        },
        weigh: bytesOf,
        batchMax,
        batchBytesMax,
        pendingMax: 1_000,
      });
      const writes: Promise<number>[] = [];
      for (const [index, { pause }] of operations.entries()) {
        writes.push(batcher.submit(index, null));
        if (pause) await new Promise((resolve) => setImmediate(resolve));
      }
      const order = operations.map((_, index) => index);
      assert.deepEqual(await Promise.all(writes), order);
      assert.deepEqual(committed, order);
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: 100 }));
});

const NEVER_MS = 1_000_000;

/** One thread that is up, all of whose calls may share. */
async function startSharing(t: ExecutionContext, shareMs = NEVER_MS) {
  let lost = 0;
  const pool = createThreadPool({
    entry: new URL('../rpc/fixtures/chaos-pool.js', import.meta.url),
    threads: 1,
    workerData: { socketDir: '' },
    oldSpaceMiB: 64,
    graceMs: NEVER_MS,
    shareMs,
    mayShare: () => true,
    onMessage: () => undefined,
    onThreadLost: () => (lost += 1),
    onThreadsChanged: () => undefined,
  });
  t.teardown(pool.close);
  const client = createClient(Chaos, pool);
  for (let isUp = false; !isUp || pool.callsPerThread() === 1; ) {
    const [answer] = await outcomes([client.echo('up')]);
    isUp = answer === 'up';
  }
  return { pool, client, lost: () => lost };
}

/** What became of calls: their values, or `not run`, or the code of their errors. */
async function outcomes(calls: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => {
    if (one.status === 'fulfilled') return one.value;
    const { code, details } = CraError.fromUnknown(one.reason);
    if (details['not_run'] === true) return 'not run';
    return details['thread_lost'] === true ? `${code}, thread lost` : code;
  });
}

test('createThreadPool answers each of the calls that share a thread', async (t) => {
  const { client, lost } = await startSharing(t);
  const calls = [
    ...[1, 2, 3].map((n) => client.echo(n)),
    client.fail({ code: 'NOT_FOUND' }),
    ...[4, 5, 6, 7].map((n) => client.echo(n)),
  ];
  t.deepEqual(await outcomes(calls), [1, 2, 3, 'NOT_FOUND', 4, 5, 6, 7]);
  t.is(lost(), 0);
});

test('createThreadPool: only the call that ends the thread fails of it', async (t) => {
  const { client, lost } = await startSharing(t);
  const calls = [client.echo(1), client.exit(null), client.echo(2)];
  t.deepEqual(await outcomes(calls), ['not run', 'INTERNAL, thread lost', 'not run']);
  t.is(lost(), 1);
  t.is(await client.echo(3), 3);
});

test('createThreadPool gives back the calls that share with an endless one', async (t) => {
  const { client, pool } = await startSharing(t, 50);
  const flag = new SharedArrayBuffer(4);
  let blocked: Promise<unknown>;
  let ended: unknown;
  do {
    ended = null;
    blocked = outcomes([client.block({ flag })]).then(([outcome]) => (ended = outcome));
    t.deepEqual(await outcomes([client.echo(1), client.echo(2)]), ['not run', 'not run']);
    // On a busy machine the thread may not have begun any of them.
  } while (ended === 'not run');
  // Nor does another wait for the thread here.
  t.deepEqual(await outcomes([client.echo(3)]), ['not run']);
  t.is(pool.callsPerThread(), 1);
  Atomics.store(new Int32Array(flag), 0, 1);
  Atomics.notify(new Int32Array(flag), 0);
  t.is(await blocked, null);
});

test('createThreadPool: calls that go outside of their thread soon share it no more', async (t) => {
  const { client, pool } = await startSharing(t);
  t.true(pool.callsPerThread() > 1);
  for (let n = 0; n < 10; n += 1) {
    // `wait` asks again and again, while the event loop turns.
    const late = client.wait(null, { timeoutMs: 1 });
    t.deepEqual(await outcomes([late, client.echo(n)]), ['DEADLINE_EXCEEDED', n]);
  }
  t.is(pool.callsPerThread(), 1);
  for (let n = 0; pool.callsPerThread() === 1; n += 1) t.is(await client.echo(n), n);
});

test('createPipeline runs a job alone that its neighbours kept from its thread', async (t) => {
  const admission = createAdmission(1);
  const ran: [boolean | undefined, number][] = [];
  const record = { overall_status: 'PASSED', commit_sha: null, json: '{}' };
  const analysis = {
    async analyze(input: AnalyzeInput) {
      ran.push([input.may_share, admission.running]);
      if (input.may_share) {
        throw new CraError('ABORTED', 'busy', { details: { not_run: true } });
      }
      return { record, diff: null, answer: input.rfc_id };
    },
  };
  const stored: unknown[] = [];
  const store = { insertRfc: async (input: unknown) => void stored.push(input) };
  const pipeline = createPipeline({
    admission,
    analysis,
    store,
    rules: { revision: 'r', rules: { pipeline: {} } },
    reviewer: { isConfigured: false },
    vcsProblem: () => null,
    now: () => new Date(),
    rejectedNote: async () => null,
    baseUrl: () => '',
    answerWithinMs: 10_000,
    finishDrafts: false,
    orphansIntervalMs: null,
  } as unknown as PipelineOptions);
  const analyze = (bytes: number) =>
    pipeline.analyze({
      body: new Uint8Array(bytes),
      principal: MANAGER,
      remoteAddress: '',
      signal: null,
    });
  t.regex(await analyze(100), /^RFC-/);
  t.deepEqual(ran.splice(0), [
    [true, 1],
    [false, 1],
  ]);
  t.is(stored.length, 1);
  await analyze(PIPELINE.LIGHT_JOB_BYTES_MAX + 1);
  t.deepEqual(ran, [[false, 1]]);
  t.is(admission.running, 0);
});

test.serial(
  'a job whose caller waits for a DRAFT is not cancelled, however late it is',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const rules = { revision: 'r', rules: {} } as RulesSource;
    const stops = (yieldAfterMs: number | null) =>
      runJob(rules, { yieldAfterMs }, null, async ({ cancel }) => {
        mock.timers.tick(JOB.ATTEMPT_DEADLINE_MS);
        return { isRaised: isRaised(cancel), isYield: isYield(cancel) };
      });
    t.deepEqual(await stops(PIPELINE.ANSWER_WITHIN_MS), { isRaised: true, isYield: true });
    t.deepEqual(await stops(null), { isRaised: true, isYield: false });
  },
);
