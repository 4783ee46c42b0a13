import test from 'ava';
import { knownBaseline } from '../../src/heads/baseline.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { newPushRecord } from '../../src/pushes/push-record.ts';
import type { Baseline } from '../../src/store/contract/pushes.ts';
import { NOW } from '../store/conformance/steps.ts';

const [FIRST, SECOND] = ['a'.repeat(40), 'b'.repeat(40)];
const GRACE_MS = 5_000;
const REFS = { 'refs/heads/main': SECOND, 'refs/heads/next': SECOND };

function pushOf(ref: string, before: string | null): RfcRecord {
  const info = { source: 'webhook', delivery_id: ref, before, pusher: null } as const;
  return newPushRecord(
    {
      host: { id: 'hub', provider: 'github', tenantId: 'default', hasStatuses: false },
      ...{ repoFullName: 'acme/shop', ref, sha: SECOND, rulesRevision: 'r1' },
      info: { ...info, default_branch: 'main' },
    },
    new Date(NOW),
  );
}

/** What is adopted for a push of another branch, so many ms after it came. */
async function adopted(ageMs: number, ofMain: RfcRecord | null) {
  let kept: Baseline | null = null;
  await knownBaseline(pushOf('refs/heads/next', null), REFS, null, {
    pushes: {
      oldestPush: async () => ({ record: ofMain }),
      adoptBaseline: async ({ baseline }) => {
        kept = baseline;
        return { baseline, adopted: true };
      },
    },
    adopt: 'baseline',
    times: { graceMs: GRACE_MS },
    now: () => new Date(NOW + ageMs),
  });
  return kept;
}

test('of two branches pushed at once none has the other adopted by its webhook', async (t) => {
  t.is(await adopted(0, null), null);
  const ofMain = pushOf('refs/heads/main', FIRST);
  t.like(await adopted(GRACE_MS, ofMain), { sha: FIRST });
  t.like(await adopted(0, ofMain), { sha: FIRST });
});

test('without a push to the default branch its state is adopted after a while', async (t) => {
  t.is(await adopted(GRACE_MS - 1, null), null);
  t.like(await adopted(GRACE_MS, null), { sha: SECOND });
});
