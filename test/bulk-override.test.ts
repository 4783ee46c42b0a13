import test from 'ava';
import { createValidator } from '../src/domain/validate.ts';
import { BULK_ANSWER } from '../src/http/schemas.ts';
import { AUDIT } from '../src/limits.ts';
import { startDaemonProcess, temporaryDir } from './daemon.ts';
import { blocked, type Reply, send, statusOf, submit } from './decision-calls.ts';

test.serial('bulk-override walks through more RFCs than one call takes', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const numbers = Array.from({ length: AUDIT.BULK_MAX + 200 }, (_, n) => n);
  const rfcIds: string[] = [];
  for (let at = 0; at < numbers.length; at += 50) {
    const some = numbers.slice(at, at + 50).map((n) => submit(t, daemon, blocked(n)));
    rfcIds.push(...(await Promise.all(some)));
  }
  const elsewhere = await submit(t, daemon, { ...blocked('x'), repo_name: 'acme/other' });
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
  const foreign = { reason: 'r', repo: 'acme/other', next: first.body.data.next };
  t.is((await send(daemon, 'bulk-override', foreign)).status, 400);

  const named = { reason: 'r', rfc_ids: [late, rfcIds[0], 'RFC-0', elsewhere] };
  const filtered = await send(daemon, 'bulk-override', { ...named, repo: 'acme/other' });
  const codes = (answer: Reply) =>
    answer.body.data.results.map(({ rfc_id, ok, code }: never) => [rfc_id, ok ? 'ok' : code]);
  t.deepEqual(codes(filtered), [
    [elsewhere, 'ok'],
    [late, 'FAILED_PRECONDITION'],
    [rfcIds[0], 'FAILED_PRECONDITION'],
    ['RFC-0', 'FAILED_PRECONDITION'],
  ]);
  const old = await send(daemon, 'bulk-override', { ...named, before_date: '2020-01-01' });
  t.true(old.body.data.results.every(({ ok }: { ok: boolean }) => !ok));
  const plain = await send(daemon, 'bulk-override', named);
  t.deepEqual(codes(plain), [
    [late, 'ok'],
    [rfcIds[0], 'ABORTED'],
    ['RFC-0', 'NOT_FOUND'],
    [elsewhere, 'ABORTED'],
  ]);
  t.is(await daemon.stop(), 0);
});
