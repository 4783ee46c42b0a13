import test, { type ExecutionContext } from 'ava';
import { createRereviews, type Rereviews } from '../../src/analysis/rereview.ts';
import type { Reviewer } from '../../src/analysis/review.ts';
import { sealDiff } from '../../src/core/seal.ts';
import type { Principal } from '../../src/model/principal.ts';
import { type RfcRecord, recordText } from '../../src/model/records.ts';
import { until } from '../daemon.ts';
import { NO_REVIEWER } from '../pushes/fake-analysis.ts';
import { KEY, NOW } from '../store/conformance/steps.ts';
import { blockedRecord } from '../store/fixtures/decisions.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const person = (id: string, over: Partial<Principal> = {}): Principal => ({
  id,
  name: null,
  credential: 'oidc',
  role: 'reviewer',
  tenant_id: 'default',
  ...over,
});
const ANN = person('ann');
const BOB = person('bob');

/** What becomes of a held RFC of ANN by a review that proves all of it read. */
async function reviewed(
  t: ExecutionContext,
  over: { by: Principal | null; fourEyes?: boolean; isRefused?: boolean },
): Promise<string> {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const { reviews, store, trail } = harness;
  const sample = blockedRecord({ rfc_id: 'RFC-1', submitted_by: ANN });
  const llm = { ...sample.gates.llm, status: 'skipped', skip_reason: 'unavailable' } as const;
  const record = { ...sample, gates: { ...sample.gates, llm: { ...llm, held: true as const } } };
  const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', 100);
  await store.insertRfc({ record: recordText(record), diff });
  const passed: RfcRecord = {
    ...record,
    overall_status: 'PASSED',
    rev: record.rev + 1,
    gates: { ...sample.gates, llm: { ...llm, status: 'pass', skip_reason: null } },
  };
  const reviewer = {
    ...NO_REVIEWER,
    isConfigured: true,
    isReady: true,
    isUp: true,
    acquire: async () => () => undefined,
    review: async () => ({ record: recordText(passed), answer: '', diff: null, timings: null }),
  } as unknown as Reviewer;
  const rereviews: Rereviews = createRereviews({
    reviews,
    store,
    trail,
    reviewer,
    source: {} as never,
    owner: 'daemon',
    retryMs: 1,
    isRefused: async () => over.isRefused ?? false,
    fourEyes: over.fourEyes ?? false,
    now: () => new Date(NOW),
    onChanged: () => undefined,
    onError: ({ message }) => t.fail(message),
  });
  t.teardown(rereviews.stop);
  rereviews.start();
  const { by: principal } = over;
  const asked = principal && { principal, reason: 'again', at: new Date(NOW).toISOString() };
  const review = { review_id: 'r-1', tenant_id: 'default', rfc_id: 'RFC-1', asked, tries: 0 };
  await rereviews.queue(review);
  await until(async () => (await reviews.reviewDepth(null)).reviews === 0);
  return (await store.getRfc({ tenant_id: 'default', rfc_id: 'RFC-1' })).overall_status;
}

const CASES: [name: string, over: Parameters<typeof reviewed>[1], status: string][] = [
  ['the service tries again', { by: null }, 'PASSED'],
  ['the submitter asks', { by: ANN }, 'PASSED'],
  ['with four eyes the service tries again', { by: null, fourEyes: true }, 'PASSED'],
  ['with four eyes somebody else asks', { by: BOB, fourEyes: true }, 'PASSED'],
  ['with four eyes the submitter asks', { by: ANN, fourEyes: true }, 'BLOCKED'],
  [
    'with four eyes the submitter asks by another login',
    { by: { ...ANN, credential: 'session' }, fourEyes: true },
    'BLOCKED',
  ],
  [
    'with four eyes a token asks',
    { by: { ...BOB, credential: 'api-token' }, fourEyes: true },
    'BLOCKED',
  ],
  [
    'the commit was rejected, and the service tries again',
    { by: null, isRefused: true },
    'BLOCKED',
  ],
  ['the commit was rejected, and somebody asks', { by: BOB, isRefused: true }, 'BLOCKED'],
];

for (const [name, over, status] of CASES) {
  test(`a review of a held RFC: ${name}`, async (t) => {
    t.is(await reviewed(t, over), status);
  });
}
