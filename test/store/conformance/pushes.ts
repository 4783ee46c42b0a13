import { decisionOn } from '../fixtures/decisions.ts';
import { judgedPush, keysOf, samplePush, shaOf } from '../fixtures/pushes.ts';
import { recordText, sampleDraft } from '../fixtures/records.ts';
import { accept, claim, claimedId, judged, LONG_MS, pushed } from './push-steps.ts';
import { type Check, fails, idOf, insert, list, read } from './steps.ts';

/** Pushes are taken once, and are records like others. */
export function checkPushes(check: Check): void {
  checkDeliveries(check);
  checkSamePush(check);
  checkThirdPush(check);
  checkKnownIds(check);
  checkAsRecords(check);
  checkDrafts(check);
  checkProgress(check);
}

function checkDeliveries(check: Check): void {
  check('acceptPush writes the draft; it is there after a restart', async (t, harness) => {
    const record = samplePush({ rfc_id: 'RFC-1' });
    t.deepEqual(await accept(harness.pushes, record), { outcome: 'new', rfc_id: 'RFC-1' });
    await harness.reopen();
    t.deepEqual(await read(harness.store, record), record);
    t.is(claimedId(await claim(harness.pushes)), 'RFC-1');
  });

  check(
    'acceptPush: the same delivery writes nothing and answers the first',
    async (t, harness) => {
      const first = await pushed(harness.pushes, { rfc_id: 'RFC-1' });
      const delivery = 'github/hub/RFC-1';
      const again = { outcome: 'same-delivery' as const, rfc_id: 'RFC-1' };
      t.deepEqual(await accept(harness.pushes, first), again);
      const second = samplePush({ rfc_id: 'RFC-2', ref: 'refs/heads/next' });
      t.deepEqual(await accept(harness.pushes, second, { delivery }), again);
      await harness.reopen();
      t.deepEqual(await accept(harness.pushes, second, { delivery }), again);
      await fails(t, read(harness.store, second), 'NOT_FOUND');
      t.is((await harness.pushes.queueDepth(null)).open, 1);
    },
  );

  check('acceptPush: the same body under another delivery is the first', async (t, harness) => {
    const { pushes, store } = harness;
    const body_hash = 'b'.repeat(64);
    const first = await judged(harness, { rfc_id: 'RFC-0' });
    await accept(pushes, samplePush({ rfc_id: 'RFC-1' }), { body_hash });
    const second = samplePush({ rfc_id: 'RFC-2' });
    const answer = await accept(pushes, second, { body_hash });
    t.deepEqual(answer, { outcome: 'same-body', rfc_id: 'RFC-1' });
    await fails(t, read(store, second), 'NOT_FOUND');
    // A verdict in between changes nothing: the body is known.
    const known = await accept(pushes, samplePush({ rfc_id: 'RFC-3' }), {
      body_hash: keysOf(first).body_hash,
    });
    t.deepEqual(known, { outcome: 'same-body', rfc_id: first.rfc_id });
    // A sweep has no body: its pushes are told apart by their deliveries alone.
    for (const rfc_id of ['RFC-4', 'RFC-5']) {
      const outcome = await accept(pushes, samplePush({ rfc_id }), { body_hash: null });
      t.deepEqual(outcome, { outcome: 'new', rfc_id });
    }
  });

  check('acceptPush: of 20 racing deliveries of one body one writes', async (t, { pushes }) => {
    for (const same of ['delivery', 'body_hash'] as const) {
      const value = same === 'delivery' ? 'github/hub/one' : 'c'.repeat(64);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          accept(pushes, samplePush({ rfc_id: `RFC-${same}-${n}` }), { [same]: value }),
        ),
      );
      const written = answers.filter(({ outcome }) => outcome === 'new');
      t.is(written.length, 1);
      t.deepEqual([...new Set(answers.map(({ rfc_id }) => rfc_id))], [written[0]?.rfc_id]);
    }
    t.is((await pushes.queueDepth(null)).open, 2);
  });
}

function checkThirdPush(check: Check): void {
  check(
    'acceptPush: a third push leaves a webhook and a sweep of one head one RFC',
    async (t, harness) => {
      const { pushes } = harness;
      const at = (ref: string, head: string, n: number) => {
        const place = { ref: `refs/heads/${ref}`, commit_sha: shaOf(`${ref} ${head}`) };
        return samplePush({ rfc_id: `RFC-${ref}-${n}`, ...place });
      };
      const steps = (ref: string) => ({
        sweep: () => accept(pushes, at(ref, 'a', 1), { body_hash: null, behind: null }),
        third: () => accept(pushes, at(ref, 'b', 2), { before: shaOf(`${ref} a`) }),
        webhook: () => accept(pushes, at(ref, 'a', 3), { before: null }),
        again: () => accept(pushes, at(ref, 'a', 4), { before: shaOf(`${ref} b`) }),
      });
      const swept = steps('swept');
      t.is((await swept.sweep()).outcome, 'new');
      t.is((await swept.third()).outcome, 'new');
      t.deepEqual(await swept.webhook(), { outcome: 'same-push', rfc_id: 'RFC-swept-1' });
      // That one says that it came after the third.
      t.is((await swept.again()).outcome, 'new');
      const late = steps('late');
      t.is((await late.webhook()).outcome, 'new');
      t.is((await late.third()).outcome, 'new');
      // It was pushed since the sweep looked.
      t.deepEqual(await late.sweep(), { outcome: 'same-push', rfc_id: 'RFC-late-2' });
      for (let n = 0; n < 20; n += 1) {
        const { sweep, third, webhook } = steps(`at-once-${n}`);
        const [one, , other] = await Promise.all([sweep(), third(), webhook()]);
        const written = [one, other].filter(({ outcome }) => outcome === 'new');
        t.is(written.length, 1, `${one.outcome} and ${other.outcome}`);
      }
    },
  );
}

function checkSamePush(check: Check): void {
  check('acceptPush: a webhook and a sweep of one head make one RFC', async (t, harness) => {
    const { pushes } = harness;
    const webhook = {};
    const sweep = { body_hash: null };
    const pair = (n: string, keys: { body_hash?: null }[], before = '') => {
      const shared = { commit_sha: shaOf(n), ref: `refs/heads/${n}` };
      return keys.map((own, at) => {
        const record = samplePush({ rfc_id: `RFC-${n}-${before}${at}`, ...shared });
        return () => accept(pushes, record, own);
      });
    };
    for (const keys of [
      [webhook, sweep],
      [sweep, webhook],
    ]) {
      const [first, second] = pair(`in-order-${keys.indexOf(sweep)}`, keys);
      const one = await first?.();
      t.is(one?.outcome, 'new');
      t.deepEqual(await second?.(), { outcome: 'same-push', rfc_id: one?.rfc_id ?? '' });
    }
    const refs = Array.from({ length: 20 }, (_, n) => `race-${n}`);
    const answers = await Promise.all(
      refs.map((ref) => Promise.all(pair(ref, [webhook, sweep, sweep]).map((call) => call()))),
    );
    for (const each of answers) {
      t.is(each.filter(({ outcome }) => outcome === 'new').length, 1);
      t.is(new Set(each.map(({ rfc_id }) => rfc_id)).size, 1);
    }
    t.is((await pushes.queueDepth(null)).open, 22);
  });

  check('acceptPush: a head that comes again behind another push is new', async (t, harness) => {
    const { pushes } = harness;
    const at = (rfc_id: string, name: string) => samplePush({ rfc_id, commit_sha: shaOf(name) });
    for (const [id, name] of [
      ['RFC-1', 'a'],
      ['RFC-2', 'b'],
      ['RFC-3', 'a'],
    ] as const) {
      t.is((await accept(pushes, at(id, name))).outcome, 'new', id);
    }
    // Two webhooks are two pushes, also where they come at once.
    const twice = ['RFC-4', 'RFC-5', 'RFC-6'].map((id) => accept(pushes, at(id, 'c')));
    t.deepEqual(
      (await Promise.all(twice)).map(({ outcome }) => outcome),
      ['new', 'new', 'new'],
    );
  });

  check('acceptPush: a sweep finds a head whose push was superseded', async (t, harness) => {
    const { pushes } = harness;
    const first = await pushed(pushes, { rfc_id: 'RFC-1', commit_sha: shaOf('a') });
    const at = '2026-01-01T00:00:00.000Z';
    const older = { tenant_id: 'default', pushes: [{ rfc_id: first.rfc_id, rev: 1 }] };
    await pushes.supersedePushes({ ...older, by: null, at });
    const found = samplePush({ rfc_id: 'RFC-2', commit_sha: shaOf('a') });
    const answer = await accept(pushes, found, { body_hash: null });
    t.deepEqual(answer, { outcome: 'new', rfc_id: 'RFC-2' });
  });
}

function checkKnownIds(check: Check): void {
  check('acceptPush refuses another push under a known id', async (t, { pushes, store }) => {
    const record = await pushed(pushes, { rfc_id: 'RFC-1' });
    const other = samplePush({ rfc_id: 'RFC-1', ref: 'refs/heads/next' });
    const keys = { delivery: 'github/hub/other', body_hash: 'd'.repeat(64) };
    await fails(t, accept(pushes, other, keys), 'ALREADY_EXISTS');
    t.deepEqual(await read(store, record), record);
  });

  check('acceptPush takes a push again whose RFC was deleted', async (t, harness) => {
    const { pushes, trail } = harness;
    const record = await pushed(pushes, { rfc_id: 'RFC-1' });
    await trail.decide(decisionOn(record, 'op-1', { action: 'delete' }));
    const again = samplePush({ rfc_id: 'RFC-2', push: { delivery_id: 'RFC-1' } });
    t.deepEqual(await accept(pushes, again), { outcome: 'new', rfc_id: 'RFC-2' });
  });
}

function checkAsRecords(check: Check): void {
  check('a push is the newest RFC of its repository and in lists', async (t, { pushes, store }) => {
    await insert(store, sampleDraft({ rfc_id: 'RFC-0' }));
    const push = await pushed(pushes, { rfc_id: 'RFC-1' });
    const input = { tenant_id: 'default', repo_name: 'org/repo', branch: 'main' };
    const { newest } = await pushes.prodView({ ...input, commit_sha: push.commit_sha });
    t.is(newest.rfc_id, 'RFC-1');
    t.deepEqual(await read(store, push), push);
    t.deepEqual(
      (await list(store, {})).summaries.map(({ rfc_id }) => rfc_id),
      ['RFC-1', 'RFC-0'],
    );
  });

  check('listDrafts leaves out pushes, which are claimed', async (t, { pushes, store }) => {
    await pushed(pushes, { rfc_id: 'RFC-1' });
    const draft = sampleDraft({ rfc_id: 'RFC-2' });
    await insert(store, draft);
    await pushed(pushes, { rfc_id: 'RFC-3' });
    t.deepEqual((await store.listDrafts({ limit: 1 })).drafts, [draft]);
    t.deepEqual((await store.listDrafts({ limit: 100 })).drafts, [draft]);
  });

  check('a push that was rejected or deleted is not claimed', async (t, { pushes, trail }) => {
    const one = await pushed(pushes, { rfc_id: 'RFC-1' });
    const two = await pushed(pushes, { rfc_id: 'RFC-2', ref: 'refs/heads/next' });
    await trail.decide(decisionOn(one, 'op-1', { action: 'reject' }));
    await trail.decide(decisionOn(two, 'op-2', { action: 'delete' }));
    t.is(await claim(pushes), null);
    t.is((await pushes.queueDepth(null)).open, 0);
  });
}

function checkDrafts(check: Check): void {
  check('takePush claims one push by its id, where its rev is still that', async (t, harness) => {
    const { pushes, store } = harness;
    const older = await pushed(pushes, { rfc_id: 'RFC-1' });
    await pushed(pushes, { rfc_id: 'RFC-2' });
    const lease = { owner: 'daemon-1', leaseMs: LONG_MS };
    const take = (record = older, expectedRev = 1) =>
      pushes.takePush({ ...idOf(record), ...lease, expectedRev });
    await fails(t, take(older, 2), 'ABORTED');
    await fails(t, take({ ...older, tenant_id: 'other' }), 'NOT_FOUND');
    await fails(t, take({ ...older, rfc_id: 'RFC-9' }), 'NOT_FOUND');
    const { record } = await take();
    t.like(record, {
      rfc_id: 'RFC-1',
      rev: 2,
      queue: { attempts: 1 },
      push: { phase: 'fetching' },
    });
    t.deepEqual(await read(store, older), record);
    const error = await fails(t, take(), 'ABORTED');
    t.deepEqual(error?.details, { status: 'DRAFT', rev: 2 });
    // Its holder may take it again, another daemon may not.
    const other = { ...idOf(older), owner: 'daemon-2', leaseMs: LONG_MS, expectedRev: 2 };
    await fails(t, pushes.takePush(other), 'ABORTED');
    t.is((await take(older, 2)).record.queue?.attempts, 2);
    const api = sampleDraft({ rfc_id: 'RFC-3' });
    await insert(store, api);
    await fails(t, take(api), 'NOT_FOUND');
    const outcome = recordText(judgedPush({ ...record, rev: 3 }));
    await store.completeDraft({ record: outcome, expectedRev: 3 });
    await fails(t, take(older, 4), 'ABORTED');
  });
}

function checkProgress(check: Check): void {
  check('takePush: of 20 racing daemons one gets it', async (t, { pushes, store }) => {
    const push = await pushed(pushes, { rfc_id: 'RFC-1' });
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => {
        const lease = { owner: `daemon-${n}`, leaseMs: LONG_MS };
        return pushes.takePush({ ...idOf(push), ...lease, expectedRev: 1 });
      }),
    );
    t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
    t.is((await read(store, push)).queue?.attempts, 1);
  });

  check('savePush writes progress by compare-and-set; again is the same', async (t, harness) => {
    const { pushes, store, trail } = harness;
    await pushed(pushes, { rfc_id: 'RFC-1' });
    const first = (await claim(pushes))?.record ?? samplePush({ rfc_id: 'none' });
    const next = { ...first, rev: first.rev + 1, push: first.push && { ...first.push, base: 'b' } };
    const save = (record = next, expectedRev = first.rev) =>
      pushes.savePush({ record: recordText(record), expectedRev, holdMs: LONG_MS });
    t.deepEqual(await save(), { rev: next.rev });
    t.deepEqual(await read(store, next), next);
    // A caller that did not hear the answer asks again.
    t.deepEqual(await save(), { rev: next.rev });
    await fails(t, save({ ...next, branch: 'other' }), 'ABORTED');
    await fails(t, save({ ...next, rev: 9 }, 8), 'ABORTED');
    await fails(t, save({ ...next, rev: 9 }), 'INVALID_ARGUMENT');
    await fails(t, save({ ...next, overall_status: 'PASSED' }), 'INVALID_ARGUMENT');
    await fails(t, save({ ...next, tenant_id: 'other' }), 'NOT_FOUND');
    await fails(t, save({ ...next, rfc_id: 'RFC-9' }), 'NOT_FOUND');
    await trail.decide(decisionOn(next, 'op-1', { action: 'reject' }));
    await fails(t, save({ ...next, rev: next.rev + 1 }, next.rev), 'ABORTED');
    t.is((await read(store, next)).overall_status, 'REJECTED');
  });

  check('savePush holds a push or lets it go', async (t, { pushes }) => {
    await pushed(pushes, { rfc_id: 'RFC-1' });
    const first = (await claim(pushes))?.record ?? samplePush({ rfc_id: 'none' });
    const next = { ...first, rev: first.rev + 1 };
    const save = (record: typeof next, holdMs: number) =>
      pushes.savePush({ record: recordText(record), expectedRev: record.rev - 1, holdMs });
    await save(next, LONG_MS);
    t.is(await claim(pushes), null);
    await save({ ...next, rev: next.rev + 1 }, 0);
    t.is((await claim(pushes))?.record.queue?.attempts, 2);
  });
}
