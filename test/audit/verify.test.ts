import test from 'ava';
import { rootOf } from '../../src/audit/chain.ts';
import { createOperationCheck, type Flaw } from '../../src/audit/chain-check.ts';
import { AUDIT_READ } from '../../src/audit/limits.ts';
import type { AuditEvent } from '../../src/model/audit.ts';
import {
  BEGIN_MS,
  boot,
  type ChainWriter,
  exported,
  FORGER,
  SIGNER,
  sourceOf,
  startChain,
  verify,
} from './trail.ts';

function trailOf(...writers: ChainWriter[]) {
  return sourceOf(new Map(writers.map(({ state, texts }) => [state.chain, texts])));
}

function place(flaw: Flaw | null): string | null {
  return flaw && `${flaw.chain} ${flaw.seq}`;
}

function begun(name: string, others: readonly ChainWriter[] = []): ChainWriter {
  const writer = startChain(name);
  boot(writer, others);
  return writer;
}

test('verify sums up a trail that is in order', async (t) => {
  const first = begun('a');
  first.write({});
  first.write({ kind: 'reject' });
  const second = begun('b', [first]);
  second.checkpoint();
  const { op_id } = second.write({ kind: 'approve', phase: 'intent' });
  second.write({ kind: 'approve', phase: 'done', op_id });
  second.write({ kind: 'approve', phase: 'intent' });
  const { flaw, warnings, summary } = await verify(trailOf(first, second));
  t.is(flaw, null);
  t.deepEqual(warnings, []);
  // The signature over the boot entry of b covers what that names of a.
  t.like(summary, { chains: 2, entries: 8, checkpoints: 1, unsealed: 4, openIntents: 1 });
  t.deepEqual(summary.operations, { override: 1, reject: 1, approve: 1 });
});

test('verify says when there was no key', async (t) => {
  const chain = begun('a');
  chain.checkpoint(FORGER);
  const { flaw, warnings, summary } = await verify(trailOf(chain), { open: null });
  t.is(flaw, null);
  t.regex(warnings[0] ?? '', /^signatures were not checked/);
  t.is(summary.unsealed, 2);
  const withKey = await verify(trailOf(chain));
  t.is(place(withKey.flaw), 'a 2');
  t.regex(withKey.flaw?.reason ?? '', /not signed with this key/);
});

test('verify warns of intents without an outcome, but not in the newest chain', async (t) => {
  const old = begun('a');
  const { op_id, ts } = old.write({ kind: 'delete', phase: 'intent' });
  const newest = begun('b', [old]);
  newest.write({ kind: 'delete', phase: 'intent' });
  const nowMs = Date.parse(ts) + 90_000;
  const { flaw, warnings } = await verify(trailOf(old, newest), { nowMs });
  t.is(flaw, null);
  const what = `the intent to delete (${op_id}) has had no outcome for 90 s`;
  t.deepEqual(warnings, [`chain a, entry 2: ${what}`]);
});

test('verify finds the outcome of an intent in a newer or an older chain', async (t) => {
  const older = begun('a');
  const newer = begun('b', [older]);
  const one = older.write({ phase: 'intent' });
  newer.write({ phase: 'aborted', op_id: one.op_id });
  const two = newer.write({ phase: 'intent' });
  older.write({ phase: 'refused', op_id: two.op_id });
  const { flaw, summary, warnings } = await verify(trailOf(older, newer));
  t.is(flaw, null);
  t.is(summary.openIntents, 0);
  t.deepEqual(warnings, []);
});

const BAD_OPERATIONS: Readonly<Record<string, readonly Partial<AuditEvent>[]>> = {
  'an op_id used twice': [{ op_id: 'x' }, { op_id: 'x' }],
  'two intents of one operation': [
    { op_id: 'x', phase: 'intent' },
    { op_id: 'x', phase: 'intent' },
  ],
  'an outcome of what was done as a whole': [{ op_id: 'x' }, { op_id: 'x', phase: 'done' }],
  'an outcome of another operation': [
    { op_id: 'x', phase: 'intent' },
    { op_id: 'x', phase: 'done', rfc_id: 'RFC-0' },
  ],
  'a second boot': [{}, { kind: 'boot', details: { heads: [] } }],
  'a checkpoint that is not valid': [{}, { kind: 'checkpoint', details: { note: 'no' } }],
  'a checkpoint with an intent': [{}, { kind: 'clock-step', phase: 'intent' }],
};
for (const [name, [first = {}, second = {}]] of Object.entries(BAD_OPERATIONS)) {
  test(`verify refuses ${name}`, async (t) => {
    const chain = begun('a');
    chain.write(first);
    chain.write(second);
    const { flaw } = await verify(trailOf(chain));
    t.is(place(flaw), 'a 3', flaw?.reason);
  });
}

test('verify refuses a second outcome and an outcome without an intent', async (t) => {
  const chain = begun('a');
  const { op_id } = chain.write({ phase: 'intent' });
  chain.write({ phase: 'done', op_id });
  const orphan = chain.write({ phase: 'done', op_id: 'none' });
  const alone = await verify(trailOf(chain));
  t.is(place(alone.flaw), 'a 4');
  // What was written while the trail was read may have its intent where it was read before.
  const live = await verify(trailOf(chain), { nowMs: Date.parse(orphan.ts) });
  t.is(live.flaw, null);
  t.is(live.warningsCount, 1);
  chain.write({ phase: 'aborted', op_id });
  t.is(place((await verify(trailOf(chain))).flaw), 'a 5');
});

test('createOperationCheck finds a repeat among the newest op_ids in bounded memory', (t) => {
  const chain = begun('a');
  const operations = createOperationCheck(3);
  const read = (op_id: string) => operations.read(chain.write({ op_id }));
  t.is(read('x'), null);
  for (const op_id of ['1', '2', '3']) t.is(read(op_id), null);
  t.regex(read('x') ?? '', /used twice/);
  for (const op_id of ['4', '5', '6', '7', '8']) read(op_id);
  t.is(read('x'), null);
});

test('createOperationCheck gives up on more open intents than it can hold', (t) => {
  const entry = begun('a').write({ phase: 'intent' });
  const operations = createOperationCheck();
  for (let i = 0; i < AUDIT_READ.OPEN_OPERATIONS_MAX; i += 1) {
    if (operations.read({ ...entry, op_id: String(i) }) !== null) t.fail(`intent ${i}`);
  }
  t.regex(operations.read({ ...entry, op_id: 'one more' }) ?? '', /more than 100000 operations/);
});

test('verify gives up on more chains than it can hold', async (t) => {
  const names = new Array(AUDIT_READ.CHAINS_MAX + 1).fill('a');
  const source = { ...sourceOf(new Map()), chains: () => Promise.resolve(names) };
  await t.throwsAsync(verify(source), { code: 'RESOURCE_EXHAUSTED' });
});

test('a signature over a boot entry covers what that names, and so on', async (t) => {
  const first = begun('a');
  const second = begun('b', [first]);
  const third = begun('c', [second]);
  t.is((await verify(trailOf(first, second, third))).summary.unsealed, 3);
  third.checkpoint();
  t.is((await verify(trailOf(first, second, third))).summary.unsealed, 1);
  first.write({});
  t.is((await verify(trailOf(first, second, third))).summary.unsealed, 2);
});

test('verify refuses a chain that does not begin with a boot entry', async (t) => {
  const chain = startChain('a');
  chain.write({});
  t.is(place((await verify(trailOf(chain))).flaw), 'a 1');
  const headless = startChain('b');
  headless.write({ kind: 'boot', details: {} });
  t.is(place((await verify(trailOf(headless))).flaw), 'b 1');
});

test('verify compares what boot entries name', async (t) => {
  const first = begun('a');
  first.write({});
  const named = { chain: 'a', seq: 2, hash: '0'.repeat(64) };
  const liar = startChain('b');
  liar.write({ kind: 'boot', details: { heads: [named] } });
  t.is(place((await verify(trailOf(first, liar))).flaw), 'a 2');
  const missing = startChain('c');
  missing.write({ kind: 'boot', details: { heads: [{ ...named, seq: 9 }] } });
  t.is(place((await verify(trailOf(first, missing))).flaw), 'a 3');
  const { flaw } = await verify(trailOf(begun('b', [first])));
  t.is(place(flaw), 'a 1');
  t.regex(flaw?.reason ?? '', /chain is missing: the boot entry of chain b names it/);
});

test('verify holds the trail against checkpoints that were kept elsewhere', async (t) => {
  const chain = begun('a');
  chain.write({});
  const { size, frontier } = chain.state;
  const checkpoint = { chain: 'a', size, root: rootOf(frontier) };
  chain.write({});
  const kept = [{ from: 'note.txt', checkpoint }];
  const grown = await verify(trailOf(chain), { kept });
  t.is(grown.flaw, null);
  t.is(grown.summary.unsealed, 1);
  const cut = sourceOf(new Map([['a', chain.texts.slice(0, 1)]]));
  const { flaw } = await verify(cut, { kept });
  t.is(place(flaw), 'a 2');
  t.is(flaw?.reason, 'it is missing: the checkpoint in note.txt names entry 2');
  const other = begun('a');
  other.write({ reason: 'another' });
  t.is(place((await verify(trailOf(other), { kept })).flaw), 'a 2');
});

test('verify refuses names of chains that are not valid or stand there twice', async (t) => {
  const { texts } = begun('a');
  const named = (...chains: string[]) => ({
    ...sourceOf(new Map([['a', texts]])),
    chains: () => Promise.resolve(chains),
  });
  t.is(place((await verify(named('a', 'a'))).flaw), 'a null');
  t.is(place((await verify(named('a b'))).flaw), 'a b null');
  t.is(place((await verify(named('a', 'b'))).flaw), 'b 1');
});

test('verify notes clocks that went back', async (t) => {
  const chain = begun('a');
  const later = startChain('a', { state: chain.state, at: 500 });
  later.write({});
  const back = startChain('a', { state: later.state, at: -500 });
  back.write({});
  const texts = [...chain.texts, ...later.texts, ...back.texts];
  const { flaw, warnings } = await verify(sourceOf(new Map([['a', texts]])));
  t.is(flaw, null);
  t.deepEqual(warnings, ['chain a: the clock went back 1 times, first at entry 3']);
});

test('an export is signed only when the trail is in order', async (t) => {
  const chain = begun('a');
  chain.write({});
  chain.write({});
  const good = await exported(trailOf(chain));
  t.is(good.result.flaw, null);
  t.is(good.lines.length, 5);
  t.deepEqual(
    good.lines.slice(1, -1),
    chain.texts.map((text) => `${text}\n`),
  );
  const [said] = good.closing.chains;
  t.like(said, { chain: 'a', entries: 3, head: chain.state.head });
  t.is(said?.note, SIGNER.sign({ chain: 'a', size: 3, root: rootOf(chain.state.frontier) }));
  const bad = await exported(sourceOf(new Map([['a', chain.texts.toSpliced(1, 1)]])));
  t.is(place(bad.result.flaw), 'a 2');
  t.is(bad.lines.length, 4);
  t.is(bad.closing.chains[0]?.note, null);
  const unsigned = await exported(trailOf(chain), null);
  t.is(unsigned.closing.chains[0]?.note, null);
});

test('an export leaves out chains that ended before, and says so', async (t) => {
  const old = begun('a');
  old.write({});
  const newer = startChain('b', null);
  for (let i = 0; i < 10; i += 1)
    newer.write(i === 0 ? { kind: 'boot', details: headsOf(old) } : {});
  const since = new Date(BEGIN_MS + 5000).toISOString();
  const { lines, closing, result } = await exported(trailOf(old, newer), SIGNER, since);
  t.is(result.flaw, null);
  t.is(lines.length, 12);
  t.deepEqual(JSON.parse(lines[0] ?? '').omitted, ['a']);
  const claims = { omitted: ['a'], closing };
  const { flaw, warnings } = await verify(trailOf(newer), { claims });
  t.is(flaw, null);
  t.is(warnings.length, 2);
});

function headsOf({ state: { chain, size, head } }: ChainWriter) {
  return { heads: [{ chain, seq: size, hash: head }] };
}
