import test, { type ExecutionContext } from 'ava';
import { plainEvent } from '../../src/model/audit.ts';
import { componentMap } from '../../src/model/components.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { revoke } from '../../src/pushes/revocation.ts';
import { judged, REPO } from '../store/conformance/push-steps.ts';
import { type Harness, read } from '../store/conformance/steps.ts';
import { decisionOn, MANAGER } from '../store/fixtures/decisions.ts';
import { judgedPush } from '../store/fixtures/pushes.ts';
import { recordText } from '../store/fixtures/records.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const PARTS = [
  { id: 'web', paths: ['web/**'] },
  { id: 'pay', paths: ['pay/**'] },
];
const component_map = componentMap({ components: PARTS }, REPO.repo_name)?.key ?? '';
const START_MS = Date.parse('2026-11-21T11:00:00.000Z');

/** RFC-1 judged `pay` and passed; RFC-2 lists that verdict, and is rejected a second later. */
async function openRejected(t: ExecutionContext) {
  let nowMs = START_MS;
  const harness = await openHarness(() => nowMs);
  t.teardown(() => harness.close());
  const verdict = (id: string, status: 'PASSED' | 'BLOCKED', same_as: string | null = null) => ({
    id,
    status,
    risk_score: 9,
    findings: [],
    findings_total: 0,
    base: null,
    same_as,
  });
  const first = await judged(
    harness,
    { rfc_id: 'RFC-1', ref: 'refs/heads/side' },
    { component_map, components: [verdict('pay', 'PASSED')] },
  );
  const second = await judged(
    harness,
    { rfc_id: 'RFC-2' },
    {
      overall_status: 'BLOCKED',
      component_map,
      components: [verdict('web', 'BLOCKED'), verdict('pay', 'PASSED', 'RFC-1')],
    },
  );
  const pass = (ms: number) => {
    nowMs += ms;
    return new Date(nowMs).toISOString();
  };
  await harness.trail.decide(decisionOn(second, 'op-1', { action: 'reject', at: pass(1_000) }));
  const { pushes, store } = harness;
  const source = { isAncestor: async () => ({ is_ancestor: false }) };
  const take = () => revoke({ pushes, store, source, now: () => new Date(nowMs) });
  return { harness, first, second, verdict, pass, take };
}

async function comment({ trail, store }: Harness, record: RfcRecord, at: string): Promise<void> {
  const { tenant_id, rfc_id, repo_name } = await read(store, record);
  const finding = { finding_id: 'F-P1', severity: 'low', file: null, line: null } as const;
  await trail.addRemark({
    tenant_id,
    rfc_id,
    remark: {
      kind: 'finding',
      finding: { ...finding, message: 'Why?', by: { id: 'bob', name: null }, at },
    },
    event: plainEvent({
      kind: 'finding',
      op_id: `remark on ${rfc_id}`,
      principal: MANAGER,

      rfc_id,
      repo_name,
      details: {},
    }),
  });
}

test('a remark does not save what a rejection is about', async (t) => {
  const { harness, first, pass, take } = await openRejected(t);
  await comment(harness, first, pass(1_000));
  t.deepEqual(await take(), ['RFC-1']);
  t.is((await read(harness.store, first)).overall_status, 'DRAFT');
});

test('a remark on what was rejected does not take a later override back', async (t) => {
  const { harness, first, second, verdict, pass, take } = await openRejected(t);
  const { store, trail } = harness;
  t.deepEqual(await take(), ['RFC-1']);
  await rejudge(harness, first, verdict('pay', 'BLOCKED'), pass(1_000));
  await trail.decide(decisionOn(first, 'op-2', { action: 'override', at: pass(1_000) }));
  await comment(harness, second, pass(1_000));
  t.deepEqual(await take(), []);
  t.is((await read(store, first)).overall_status, 'OVERRIDDEN');
});

test('a verdict whose base was looked up before a rejection is revoked after it, too', async (t) => {
  const { harness, first, verdict, pass, take } = await openRejected(t);
  t.deepEqual(await take(), ['RFC-1']);
  const before = new Date(START_MS).toISOString();
  await rejudge(harness, first, verdict('pay', 'PASSED'), pass(1_000), before);
  t.deepEqual(await take(), ['RFC-1']);
  await rejudge(harness, first, verdict('pay', 'PASSED'), pass(1_000));
  t.deepEqual(await take(), []);
  t.is((await read(harness.store, first)).overall_status, 'PASSED');
});

/** The verdict of a push that was reopened; its base was looked up at `based_at`. */
async function rejudge(
  { store }: Harness,
  record: RfcRecord,
  component: NonNullable<RfcRecord['components']>[number],
  updated_at: string,
  based_at = updated_at,
): Promise<void> {
  const draft = await read(store, record);
  const push = draft.push && { ...draft.push, based_at };
  const overall_status = component.status;
  const verdict = { overall_status, component_map, components: [component], updated_at };
  const text = recordText(judgedPush({ ...draft, push }, verdict));
  await store.completeDraft({ record: text, expectedRev: draft.rev });
}
