import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CraError } from '../../src/model/errors.ts';
import { connectInProcess } from '../../src/rpc/channel.ts';
import {
  createChildClient,
  createChildHost,
  createPatience,
  type Patience,
} from '../../src/rpc/child.ts';
import { createThreadPool } from '../../src/rpc/pool.ts';
import {
  type Client,
  createClient,
  createServer,
  implement,
  RPC,
  type Transport,
} from '../../src/rpc/service.ts';
import { offerPort, startServiceThread } from '../../src/rpc/thread.ts';
import { Chaos, createChaos } from './fixtures/chaos.ts';
import { hastyPatience } from './hasty-patience.ts';

type ChaosClient = Client<typeof Chaos>;

/** Every carrier, as a client of a fresh server behind it. */
const CARRIERS: Record<string, (t: ExecutionContext) => Transport> = {
  'in process': () => connectInProcess(createServer([implement(Chaos, createChaos())])),
  'worker port'(t) {
    const thread = startServiceThread({
      entry: new URL('./fixtures/chaos-thread.js', import.meta.url),
      workerData: null,
      onLost: () => undefined,
    });
    t.teardown(() => thread.close());
    return thread;
  },
  'offered port'(t) {
    const thread = startServiceThread({
      entry: new URL('./fixtures/chaos-thread.js', import.meta.url),
      workerData: null,
      onLost: () => undefined,
    });
    t.teardown(() => thread.close());
    return offerPort('store', thread.accept);
  },
  'child process'(t) {
    return startChild(t).transport;
  },
};

const CHILD = new URL('./fixtures/chaos-child.js', import.meta.url);

function startChild(t: ExecutionContext, entry = CHILD, patience?: () => Patience) {
  const socketDir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  const exits: { pid: number; signal: string | null }[] = [];
  const host = createChildHost({
    entry,
    oldSpaceMiB: 64,
    onExit: (event) => exits.push(event),
    ...(patience !== undefined && { patience }),
  });
  t.teardown(() => {
    host.close();
    rmSync(socketDir, { recursive: true, force: true });
  });
  return {
    transport: createChildClient({ threadId: 7, socketDir, ask: host.receive }),
    host,
    exits,
  };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`;
  } catch (thrown) {
    return thrown instanceof CraError ? thrown.code : String(thrown);
  }
}

for (const [name, connect] of Object.entries(CARRIERS)) {
  test(`${name} carries plain data both ways`, async (t) => {
    const client: ChaosClient = createClient(Chaos, connect(t));
    const value = { text: 'ä\0', bytes: new Uint8Array([1, 2, 3]), list: [null, 1.5, true] };
    t.deepEqual(await client.echo(value), value);
  });

  test(`${name} carries 200 calls at once to their own callers`, async (t) => {
    const client: ChaosClient = createClient(Chaos, connect(t));
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    t.deepEqual(await Promise.all(numbers.map((number) => client.echo(number))), numbers);
  });

  test(`${name} keeps code, message and details of an error`, async (t) => {
    const client: ChaosClient = createClient(Chaos, connect(t));
    const error = await t.throwsAsync(client.fail({ code: 'NOT_FOUND' }), { instanceOf: CraError });
    t.is(error.code, 'NOT_FOUND');
    t.is(error.message, 'it is not there');
    t.deepEqual(error.details, { field: 'x' });
  });

  test(`${name} hides the text of an unknown error, and keeps where it was thrown`, async (t) => {
    const client: ChaosClient = createClient(Chaos, connect(t));
    const error = await t.throwsAsync(client.fail({ code: 'plain' }), { instanceOf: CraError });
    t.is(error.code, 'INTERNAL');
    const { stack = '' } = error.cause as Error;
    t.regex(stack, /^Error\n +at .*chaos/);
    t.false(`${error.message}${stack}`.includes('secret'));
  });

  test(`${name} answers UNIMPLEMENTED for a method the server lacks`, async (t) => {
    const client: ChaosClient = createClient(Chaos, connect(t));
    t.is(await codeOf(client.missing(null)), 'UNIMPLEMENTED');
  });

  test(`${name} answers CANCELLED when the caller gives up`, async (t) => {
    const client: ChaosClient = createClient(Chaos, connect(t));
    const abort = new AbortController();
    const call = codeOf(client.wait(null, { signal: abort.signal }));
    await client.echo(1);
    abort.abort();
    t.is(await call, 'CANCELLED');
  });
}

test('the server side of a call learns that its deadline has passed', async (t) => {
  const connected = CARRIERS['in process']?.(t);
  if (connected === undefined) return t.fail();
  const client: ChaosClient = createClient(Chaos, connected);
  t.is(await client.wait(null, { timeoutMs: 20 }), 'DEADLINE_EXCEEDED');
});

test('a worker port answers UNAVAILABLE for pending and later calls when its thread ends', async (t) => {
  const connected = CARRIERS['worker port']?.(t);
  if (connected === undefined) return t.fail();
  const client: ChaosClient = createClient(Chaos, connected);
  await client.echo(1);
  t.deepEqual(await Promise.all([codeOf(client.wait(null)), codeOf(client.exit(null))]), [
    'UNAVAILABLE',
    'UNAVAILABLE',
  ]);
  t.is(await codeOf(client.echo(1)), 'UNAVAILABLE');
});

test('a worker port fails what it cannot carry, and nothing that crosses with it', async (t) => {
  const connected = CARRIERS['worker port']?.(t);
  if (connected === undefined) return t.fail();
  const client: ChaosClient = createClient(Chaos, connected);
  const calls = [client.echo(1), client.echo(() => null), client.unsendable(null), client.echo(2)];
  const answers = await Promise.all(calls.map(codeOf));
  t.deepEqual(answers, ['answered 1', 'INTERNAL', 'INTERNAL', 'answered 2']);
});

test('a worker port answers what was asked before it is closed', async (t) => {
  const thread = startServiceThread({
    entry: new URL('./fixtures/chaos-thread.js', import.meta.url),
    workerData: null,
    onLost: () => t.fail(),
  });
  await thread.ready;
  const client: ChaosClient = createClient(Chaos, thread);
  const answer = client.echo(1);
  await thread.close();
  t.is(await answer, 1);
});

test('a thread whose loop is blocked is silent until it goes on', async (t) => {
  const thread = startServiceThread({
    entry: new URL('./fixtures/chaos-thread.js', import.meta.url),
    workerData: null,
    onLost: () => t.fail(),
  });
  await thread.ready;
  const client: ChaosClient = createClient(Chaos, thread);
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const blocked = client.block({ flag: flag.buffer });
  t.is(thread.silentMs(), 0);
  await until(() => thread.silentMs() > 20);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  t.is(await blocked, null);
  await until(() => thread.silentMs() === 0);
  await thread.close();
});

for (const way of ['exit', 'kill', 'throwLater', 'fillMemory'] as const) {
  test(`a child that ends by ${way} costs its call and is started again`, async (t) => {
    const { transport, host, exits } = startChild(t);
    const client: ChaosClient = createClient(Chaos, transport);
    t.is(await codeOf(client[way](null)), 'UNAVAILABLE');
    t.is(await client.echo('again'), 'again');
    t.is(host.started, 2);
    t.is(exits.length, 1);
    t.is(host.pids().length, 1);
  });
}

test('a child that loops is killed at the deadline and started again', async (t) => {
  const { transport, exits } = startChild(t);
  const client: ChaosClient = createClient(Chaos, transport);
  t.is(await codeOf(client.loop(null)), 'DEADLINE_EXCEEDED');
  t.is(await client.echo('again'), 'again');
  t.is(exits[0]?.signal, 'SIGKILL');
});

test('a thread that was held up past the deadline of a call still reads the answer', async (t) => {
  const { transport, host } = startChild(t);
  const client: ChaosClient = createClient(Chaos, transport);
  await client.echo('up');
  const timeoutMs = 500;
  const first = codeOf(client.echo('first', { timeoutMs }));
  // It is sent before the loop of this thread stands still for half a deadline more.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs * 1.5);
  const second = codeOf(client.echo('second'));
  t.deepEqual(await Promise.all([first, second]), ['answered "first"', 'answered "second"']);
  t.is(host.started, 1);
});

/** A child of whose CPU time and clock the test is the master; `look` asks for more time. */
function fakeChild(timeoutMs: number) {
  const at = { cpuMs: 100, clockMs: 0 };
  const patience = createPatience(
    () => at.cpuMs,
    () => at.clockMs,
  );
  patience.pid = 1;
  const usedBeforeMs = patience.usedMs();
  const look = (isFirst = false) => patience.moreTimeMs({ timeoutMs, usedBeforeMs, isFirst });
  return { at, look };
}

test('createPatience gives up a child by the CPU time of the call, whatever the clock says', (t) => {
  const { at, look } = fakeChild(1000);
  t.true(look(true) > 0);
  // A tenth of a core, for hours.
  for (at.cpuMs = 100; at.cpuMs < 1100; at.cpuMs += 100) {
    t.true(look() > 0, `${at.cpuMs}`);
    at.clockMs += RPC.CHILD_HUNG_MS - 1;
  }
  t.is(look(), 0);
});

test('createPatience gives up a child that uses no CPU time for CHILD_HUNG_MS', (t) => {
  const { at, look } = fakeChild(1000);
  for (; at.clockMs < RPC.CHILD_HUNG_MS; at.clockMs += 1000) t.true(look() > 0);
  t.is(look(), 0);
  // What its watch over the parent takes is no sign of life.
  at.cpuMs += RPC.CHILD_HUNG_CPU_MS - 1;
  t.is(look(), 0);
});

test('createPatience looks again at the earliest moment at which a bound can be reached', (t) => {
  const { at, look } = fakeChild(1000);
  at.cpuMs += 400;
  t.is(look(), 600);
  at.clockMs = RPC.CHILD_HUNG_MS - 250;
  t.is(look(), 250);
});

test('a child that never connects and uses no CPU time is ended, and its call says so', async (t) => {
  const entry = new URL('./fixtures/silent-child.js', import.meta.url);
  const { transport, host, exits } = startChild(t, entry, hastyPatience(() => 50).patience);
  const client: ChaosClient = createClient(Chaos, transport);
  const error = await t.throwsAsync<CraError>(client.echo(1));
  t.like(error, { code: 'UNAVAILABLE', details: { not_started: true } });
  await until(() => exits.length === 1);
  t.like(exits[0], { signal: 'SIGKILL' });
  t.is(host.pids().length, 0);
});

test('a child that takes long to connect is waited for while it uses CPU time', async (t) => {
  const entry = new URL('./fixtures/silent-child.js', import.meta.url);
  // A tenth of a second in each hour: a machine that is very busy.
  const { patience, looks } = hastyPatience((looked) => looked * RPC.CHILD_HUNG_CPU_MS);
  const { transport, exits } = startChild(t, entry, patience);
  const call = codeOf(createClient(Chaos, transport).echo(1));
  await until(() => looks() >= 20);
  t.is(exits.length, 0);
  // In the end the CPU time itself is too much.
  t.is(await call, 'UNAVAILABLE');
  t.true(looks() >= RPC.CHILD_START_CPU_MS / RPC.CHILD_HUNG_CPU_MS / 2, `${looks()} looks`);
});

test('a child that dies before it connects fails its call at once', async (t) => {
  const { transport, host } = startChild(
    t,
    new URL('./fixtures/no-such-entry.js', import.meta.url),
  );
  const client: ChaosClient = createClient(Chaos, transport);
  t.is(await codeOf(client.echo(1)), 'UNAVAILABLE');
  t.is(host.pids().length, 0);
});

test('worker port: what cannot cross fails alone, and a call before the close is answered', async (t) => {
  const thread = startServiceThread({
    entry: new URL('./fixtures/chaos-thread.js', import.meta.url),
    workerData: null,
    onLost: () => undefined,
  });
  await thread.ready;
  const client = createClient(Chaos, thread);
  const calls = [client.echo(1), client.echo(() => 'a function'), client.echo(3)];
  const closing = thread.close();
  const [first, second, third] = await Promise.allSettled(calls);
  await closing;
  t.like(first, { status: 'fulfilled', value: 1 });
  t.is(second?.status, 'rejected');
  t.like(third, { status: 'fulfilled', value: 3 });
});

function startPool(t: ExecutionContext, threads = 2) {
  const socketDir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  const children = createChildHost({
    entry: new URL('./fixtures/chaos-child.js', import.meta.url),
    oldSpaceMiB: 64,
    onExit: () => undefined,
  });
  const pool = createThreadPool({
    entry: new URL('./fixtures/chaos-pool.js', import.meta.url),
    threads,
    workerData: { socketDir },
    oldSpaceMiB: 64,
    graceMs: 100,
    onMessage: children.receive,
    onThreadLost: () => undefined,
    onThreadsChanged: children.keepOnly,
  });
  t.teardown(async () => {
    await pool.close();
    children.close();
    rmSync(socketDir, { recursive: true, force: true });
  });
  return { pool, children, client: createClient(Chaos, pool) };
}

test('a call that is past its deadline shows until its thread is replaced', async (t) => {
  const { pool, client } = startPool(t);
  t.is(await client.echo(1), 1);
  t.is(pool.overdueMs(), 0);
  const loop = codeOf(client.loop(null));
  await until(() => pool.overdueMs() > 20);
  t.is(await loop, 'DEADLINE_EXCEEDED');
  t.is(pool.overdueMs(), 0);
});

/** Resolves once `condition` holds, checked each time the event loop turns. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const ENDS = {
  throwLater: 'INTERNAL',
  exit: 'INTERNAL',
  fillMemory: 'INTERNAL',
  loop: 'DEADLINE_EXCEEDED',
} as const;

for (const way of Object.keys(ENDS) as (keyof typeof ENDS)[]) {
  test(`a pool thread that ends by ${way} costs only its own call`, async (t) => {
    const { pool, client } = startPool(t);
    const [lost, other] = await Promise.allSettled([client[way](null), client.echo('other')]);
    t.is(other.status === 'fulfilled' && other.value, 'other');
    const reason = lost.status === 'rejected' ? (lost.reason as CraError) : null;
    t.is(reason?.code, ENDS[way]);
    t.is(reason?.details['thread_lost'], true);
    t.is(pool.replaced, 1);
    // Whole again: as many calls as threads are answered side by side.
    t.deepEqual(await Promise.all([client.echo(1), client.echo(2)]), [1, 2]);
  });
}

test('a cancelled call that does not stop has its thread replaced', async (t) => {
  const { pool, client } = startPool(t);
  const abort = new AbortController();
  const call = client.loop(null, { signal: abort.signal, timeoutMs: 60_000 });
  abort.abort();
  await t.throwsAsync(call, { instanceOf: CraError });
  t.is(pool.replaced, 1);
  t.is(await client.echo(1), 1);
});

test('the child of a thread that ends is killed and reaped', async (t) => {
  const { client, children } = startPool(t, 1);
  await client.echo({ child: 'echo' });
  const [pid] = children.pids();
  if (pid === undefined) return t.fail('no child');
  await t.throwsAsync(client.exit(null));
  await until(() => children.pids().length === 0);
  // A zombie would still take the signal.
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('a thread outlives its child', async (t) => {
  const { pool, client, children } = startPool(t, 1);
  for (const way of ['exit', 'kill', 'loop']) {
    await t.throwsAsync(client.echo({ child: way }), { instanceOf: CraError });
    for (let again = 0; again < 3; again += 1) t.is(await client.echo({ child: 'echo' }), null);
    t.is(children.pids().length, 1);
  }
  t.is(pool.replaced, 0);
});

test('20 calls on 2 threads are all answered', async (t) => {
  const { client } = startPool(t);
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  t.deepEqual(await Promise.all(numbers.map((number) => client.echo(number))), numbers);
});
