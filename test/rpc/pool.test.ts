import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CraError } from '../../src/model/errors.ts';
import { createChildHost } from '../../src/rpc/child-host.ts';
import { createClient } from '../../src/rpc/client.ts';
import { createThreadPool } from '../../src/rpc/pool.ts';
import { Chaos } from './fixtures/chaos.ts';

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
