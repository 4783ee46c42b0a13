import test from 'ava';
import { startOf, writeNext } from '../../src/decisions/bulk-filter.ts';
import type { BulkAsk } from '../../src/decisions/bulk-override.ts';
import { AUDIT } from '../../src/limits.ts';
import { failure, NOW, openServices, override, refusal, requester } from './services.ts';

const NO_FILTER = { repo: null, beforeDate: null, rfcIds: null };

function ask(filter: Partial<BulkAsk['filter']>, over: Partial<BulkAsk> = {}): BulkAsk {
  return { filter: { ...NO_FILTER, ...filter }, reason: 'examples', next: null, ...over };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `RFC-${n}`);

test('a bulk override without a filter is refused', async (t) => {
  const { bulkOverride } = await openServices(t);
  t.is((await refusal(t, bulkOverride.override(ask({}), requester()))).code, 'INVALID_ARGUMENT');
});

test('a bulk override is a decision for each RFC, in the trail one by one', async (t) => {
  const { bulkOverride, decisions, block, entries, cancelled } = await openServices(t);
  for (const id of names(3)) await block(id);
  await decisions.decide(override('RFC-1', { route: 'reject', action: 'reject' }), requester());
  const outcome = await bulkOverride.override(ask({ repo: 'ORG/REPO' }), requester());
  t.deepEqual(outcome.results, [
    { rfc_id: 'RFC-0', ok: true, overall_status: 'OVERRIDDEN' },
    { rfc_id: 'RFC-2', ok: true, overall_status: 'OVERRIDDEN' },
  ]);
  t.is(outcome.next, null);
  const written = (await entries()).filter(({ kind }) => kind === 'override');
  t.deepEqual(written.map(({ rfc_id }) => rfc_id).sort(), ['RFC-0', 'RFC-2']);
  t.true(written.every(({ actor, reason }) => actor === 'Alice' && reason === 'examples'));
  t.deepEqual(cancelled.slice(1).sort(), ['RFC-0', 'RFC-2']);
});

test('a bulk override with a key that is sent again does nothing more', async (t) => {
  const { bulkOverride, block, statusOf } = await openServices(t);
  await block('RFC-1');
  const keyed = requester({ idempotencyKey: 'k' });
  const both = await Promise.all([
    bulkOverride.override(ask({ repo: 'org/repo' }), keyed),
    bulkOverride.override(ask({ repo: 'org/repo' }), keyed),
  ]);
  t.deepEqual(both.map(({ replayed }) => replayed).sort(), [false, true]);
  await block('RFC-2');
  const again = await bulkOverride.override(ask({ repo: 'org/repo' }), keyed);
  t.true(again.replayed);
  t.deepEqual(again.results, both[0]?.results);
  t.is(await statusOf('RFC-2'), 'BLOCKED');
  const other = bulkOverride.override(ask({ repo: 'org/repo' }, { reason: 'others' }), keyed);
  t.is((await refusal(t, other)).code, 'ALREADY_EXISTS');
});

test('a trail that is away fails a bulk override as a whole', async (t) => {
  let calls = 0;
  const { bulkOverride, block, statusOf } = await openServices(t, {
    before: () => ({
      decide() {
        calls += 1;
        return Promise.reject(failure('UNAVAILABLE'));
      },
    }),
  });
  const ids = names(AUDIT.BULK_PARALLEL + 20);
  for (const id of ids) await block(id);
  const error = await refusal(t, bulkOverride.override(ask({ rfcIds: ids }), requester()));
  t.is(error.code, 'UNAVAILABLE');
  t.regex(error.message, /nothing was changed/);
  t.is(calls, AUDIT.BULK_PARALLEL, 'the rest is not tried');
  t.is(await statusOf('RFC-0'), 'BLOCKED');
});

test('a trail that goes away on the way is told for each RFC that is left', async (t) => {
  let left = 5;
  const { bulkOverride, block, statusOf } = await openServices(t, {
    before: ({ decide }) => ({
      decide(input) {
        left -= 1;
        return left < 0 ? Promise.reject(failure('UNAVAILABLE')) : decide(input);
      },
    }),
  });
  for (const id of names(8)) await block(id);
  const { results } = await bulkOverride.override(ask({ rfcIds: names(8) }), requester());
  t.deepEqual(
    results.map(({ ok }) => ok),
    [true, true, true, true, true, false, false, false],
  );
  t.like(results[7], { rfc_id: 'RFC-7', code: 'UNAVAILABLE' });
  t.is(await statusOf('RFC-7'), 'BLOCKED');
});

test('before_date is ISO 8601, in UTC unless it says otherwise', (t) => {
  const before = (beforeDate: string) => startOf({ ...NO_FILTER, beforeDate }, null, NOW).before;
  t.is(before('2026-11-21'), '2026-11-21T00:00:00.000Z');
  t.is(before('2026-11-21T10:00'), '2026-11-21T10:00:00.000Z');
  t.is(before('2026-11-21T10:00:00.5+02:00'), '2026-11-21T08:00:00.500Z');
  t.is(before('2026-11-21T10:00:00Z'), '2026-11-21T10:00:00.000Z');
  for (const text of ['', 'now', '21.11.2026', '2026-13-01', '2026-11-21 10:00', '1', 'Nov 2026']) {
    t.throws(() => before(text), { message: /^before_date: / }, text);
  }
});

test('a walk goes on with what was there when it began', (t) => {
  const filter = { ...NO_FILTER, repo: 'Shop' };
  const start = startOf(filter, null, NOW);
  t.deepEqual(start, { before: NOW.toISOString(), cursor: null, index: 0 });
  const next = writeNext(filter, { ...start, cursor: 'c' });
  const later = new Date(NOW.getTime() + 1000);
  t.deepEqual(startOf({ ...filter, repo: 'shop' }, next, later), { ...start, cursor: 'c' });
  for (const [other, token] of [
    [{ ...filter, repo: 'other' }, next],
    [{ ...filter, beforeDate: '2026-01-01' }, next],
    [filter, 'x'],
    [filter, Buffer.from('{}').toString('base64url')],
    [filter, Buffer.from('null').toString('base64url')],
    [filter, writeNext(filter, { before: 'x', cursor: null, index: -1 })],
  ] as const) {
    t.throws(() => startOf(other, token, later), { message: /^next: / });
  }
});
