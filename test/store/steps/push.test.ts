import test from 'ava';
import { acceptsHead, type RfcRecord } from '../../../src/model/records.ts';
import { STATUSES } from '../../../src/model/rfc.ts';
import {
  claimedPush,
  headRevoked,
  supersededPush,
  withAttempt,
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
    for (const next of [withAttempt(draft, 0), claimedPush(draft, 0)]) {
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

test('headRevoked: a rejected or reopened push, and one that counted until now', (t) => {
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
