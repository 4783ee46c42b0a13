import test from 'ava';
import { acceptsHead, type RfcRecord } from '../../../src/model/records.ts';
import { STATUSES } from '../../../src/model/rfc.ts';
import { PUSH_STORE } from '../../../src/store/limits.ts';
import {
  attempted,
  claimedPush,
  headRevoked,
  pushClaim,
  supersededPush,
  withPullRequest,
} from '../../../src/store/steps/push.ts';
import { samplePush } from '../fixtures/pushes.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { createRandom, frozen, type Random } from './random.ts';

const RUNS = 1_000;
const AT = '2026-11-21T11:00:00.000Z';

function anyPush(random: Random): RfcRecord {
  const status = random.one(['PASSED', 'BLOCKED'] as const);
  const part = { id: 'web', name: 'Web', status, findings: [], same_as: null };
  return samplePush({
    rfc_id: 'RFC-1',
    overall_status: random.one(STATUSES),
    rev: random.number(9) + 1,
    push: { waiting_for: random.one([null, 'diff-unavailable']) },
    ...(random.maybe() ? { components: [part] as never } : {}),
  });
}

test('a claim counts one attempt, and a superseded push has no phase', (t) => {
  for (let seed = 0; seed < RUNS; seed += 1) {
    const draft = frozen({ ...anyPush(createRandom(seed)), overall_status: 'DRAFT' as const });
    const attempts = draft.queue?.attempts ?? 0;
    const { overall_status: status, rev } = draft;
    const state = { status, rev, json: JSON.stringify(draft) };
    for (const next of [attempted(state, rev, 0), claimedPush(draft, 0)]) {
      t.like(next, { overall_status: 'DRAFT', rev: draft.rev + 1 }, `seed ${seed}`);
      t.is(next.queue?.attempts, attempts + 1);
    }
    t.is(claimedPush(draft, 0).push?.phase, 'fetching');
    const ended = supersededPush(draft, 'RFC-2', AT);
    t.like(ended, { overall_status: 'SUPERSEDED', rev: draft.rev + 1, queue: null });
    t.like(ended.push, { phase: null, waiting_for: null, superseded_by: 'RFC-2' });
    t.false(acceptsHead(ended));
  }
});

test('attempts and pull requests are for one rev and status, a claim names GROUP_MAX pushes', (t) => {
  const { rev, ...push } = samplePush({ rfc_id: 'RFC-1', overall_status: 'PASSED' });
  const json = JSON.stringify({ ...push, rev });
  const about = { title: 'a', author: null, url: null, base_branch: 'main' };
  const pullRequest = { ...about, number: 7, first_time: false, from_fork: false };
  const pull = { pullRequest, at: AT };
  const next = withPullRequest({ status: 'PASSED', rev, json }, { ...pull, expectedRev: rev });
  t.like(next, { pull_request: pull.pullRequest, updated_at: AT, rev: rev + 1 });
  for (const [status, expectedRev] of [
    ['PASSED', rev + 1],
    ['DRAFT', rev],
  ] as const) {
    const state = { status, rev, json };
    t.throws(() => withPullRequest(state, { ...pull, expectedRev }), { message: /has changed/ });
  }
  for (const state of [
    { status: 'PASSED', rev, json },
    { status: 'DRAFT', rev: rev + 1, json },
  ]) {
    t.throws(() => attempted(state, rev, 0), { message: /has changed/ });
  }
  const place = { tenant_id: 'acme', repo_key: 'shop', ref: 'refs/heads/main' };
  const older = Array.from({ length: PUSH_STORE.GROUP_MAX + 1 }, (_, n) => {
    return { rfc_id: `RFC-${n}`, rev: 1, commit_sha: '' };
  });
  const claim = pushClaim(place, next, older);
  t.deepEqual([claim.older.length, claim.hasMore], [PUSH_STORE.GROUP_MAX, true]);
  t.false(pushClaim(place, next, older.slice(1)).hasMore);
});

test('headRevoked: a rejected or reopened push, and a push that counted until now', (t) => {
  for (let seed = 0; seed < RUNS; seed += 1) {
    const random = createRandom(seed);
    const before = frozen(anyPush(random));
    const rejected = { ...before, overall_status: 'REJECTED' as const };
    t.deepEqual(headRevoked(before, rejected), { isRejected: true }, `seed ${seed}`);
    const draft = { ...before, overall_status: 'DRAFT' as const };
    t.deepEqual(headRevoked(before, draft), { isRejected: false });
    const counted = acceptsHead(before) || before.components !== undefined;
    t.deepEqual(headRevoked(before, null), counted ? { isRejected: false } : null);
    const passed = samplePush({ rfc_id: 'RFC-1', overall_status: 'APPROVED' });
    t.is(headRevoked(before, passed), null);
  }
});

test('headRevoked: a submitted record has no head', (t) => {
  const record = sampleRecord({ rfc_id: 'RFC-1', commit_sha: 'c'.repeat(40) });
  t.is(headRevoked(record, null), null);
  t.is(headRevoked(record, { ...record, overall_status: 'REJECTED' }), null);
});
