import test from 'ava';
import { BULK_ANSWER } from '../src/http/api/schemas.ts';
import { AUDIT } from '../src/limits.ts';
import { createValidator } from '../src/model/validate.ts';
import { startDaemonProcess, temporaryDir } from './daemon.ts';
import { blocked, type Reply, send, statusOf, submit } from './decision-calls.ts';
import { insert } from './store/conformance/steps.ts';
import { blockedRecord } from './store/fixtures/decisions.ts';
import { openSqlite } from './store/sqlite/harness.ts';

test.serial('bulk-override walks through more RFCs than one call takes', async (t) => {
  const dataDir = temporaryDir(t);
  const rfcIds = Array.from({ length: AUDIT.BULK_MAX + 200 }, (_, n) => `RFC-${n}`);
  await insertBlocked(dataDir, rfcIds);
  const daemon = await startDaemonProcess(t, dataDir);
  const elsewhere = await submit(t, daemon, { ...blocked('x'), repo_name: OTHER });
  const ask = { reason: 'examples', repo: 'ACME/shop' };
  const first = await send(daemon, 'bulk-override', ask);
  t.is(first.status, 200);
  createValidator(BULK_ANSWER, 'answer')(first.body.data);
  t.is(first.body.data.results.length, AUDIT.BULK_MAX);
  const late = await submit(t, daemon, blocked('late'));
  const second = await send(daemon, 'bulk-override', { ...ask, next: first.body.data.next });
  t.is(second.body.data.next, null);
  const results = [...first.body.data.results, ...second.body.data.results];
  t.true(results.every(({ ok, overall_status }) => ok && overall_status === 'OVERRIDDEN'));
  t.deepEqual(results.map(({ rfc_id }) => rfc_id).sort(), [...rfcIds].sort());
  t.is(await statusOf(daemon, late), 'BLOCKED');
  t.is(await statusOf(daemon, elsewhere), 'BLOCKED');
  const foreign = { reason: 'r', repo: OTHER, next: first.body.data.next };
  t.is((await send(daemon, 'bulk-override', foreign)).status, 400);

  const named = { reason: 'r', rfc_ids: [late, rfcIds[0], 'RFC-NONE', elsewhere] };
  const filtered = await send(daemon, 'bulk-override', { ...named, repo: OTHER });
  const codes = (answer: Reply) =>
    answer.body.data.results.map(({ rfc_id, ok, code }: never) => [rfc_id, ok ? 'ok' : code]);
  t.deepEqual(codes(filtered), [
    [elsewhere, 'ok'],
    [late, 'FAILED_PRECONDITION'],
    [rfcIds[0], 'FAILED_PRECONDITION'],
    ['RFC-NONE', 'FAILED_PRECONDITION'],
  ]);
  const old = await send(daemon, 'bulk-override', { ...named, before_date: '2020-01-01' });
  t.true(old.body.data.results.every(({ ok }: { ok: boolean }) => !ok));
  const plain = await send(daemon, 'bulk-override', named);
  t.deepEqual(codes(plain), [
    [late, 'ok'],
    [rfcIds[0], 'ABORTED'],
    ['RFC-NONE', 'NOT_FOUND'],
    [elsewhere, 'ABORTED'],
  ]);
  t.is(await daemon.stop(), 0);
});

const OTHER = 'acme/other';

/** As if a daemon had judged them before. */
async function insertBlocked(dataDir: string, rfcIds: readonly string[]): Promise<void> {
  const { store, close } = openSqlite(dataDir, Date.now);
  const created_at = new Date().toISOString();
  const of = (rfc_id: string) => blockedRecord({ rfc_id, created_at, repo_name: 'acme/shop' });
  await Promise.all(rfcIds.map((rfc_id) => insert(store, of(rfc_id))));
  await close();
}
