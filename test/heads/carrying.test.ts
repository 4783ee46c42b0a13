import test from 'ava';
import { carriedRecord, findCarry } from '../../src/heads/carrying.ts';
import type { Finding } from '../../src/model/finding.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import type { GateResult } from '../../src/model/rfc.ts';
import type { PipelineSettings } from '../../src/model/rules.ts';
import { newPushRecord } from '../../src/pushes/push-record.ts';
import { NOW } from '../store/conformance/steps.ts';
import { sampleFinding, sampleRecord } from '../store/fixtures/records.ts';

const FIRST = 'a'.repeat(40);
const SECOND = 'b'.repeat(40);

const BASE = 'c'.repeat(40);
/** Commits of the range that is blocked: the second is its head. */
const STEP = 'd'.repeat(40);
const HEAD = 'e'.repeat(40);
const FOUND = sampleFinding(1);
const failing = (...findings: Finding[]): GateResult => ({ ...JUDGED, status: 'fail', findings });
const JUDGED = sampleRecord({ rfc_id: 'RFC-0' }).gates.risk;

/** A push that a person let pass, although `FOUND` blocks it. */
function overridden(overrides: Partial<RfcRecord> = {}): RfcRecord {
  const info = { source: 'webhook', delivery_id: 'D', before: FIRST, pusher: null } as const;
  const { push, ...record } = newPushRecord(
    {
      host: { id: 'hub', provider: 'github', tenantId: 'default', hasStatuses: false },
      repoFullName: 'acme/shop',
      ref: 'refs/heads/next',
      sha: SECOND,
      rulesRevision: 'r1',
      pusherEmail: null,
      pullRequest: null,
      info: { ...info, default_branch: 'main', repository_id: null },
    },
    new Date(NOW),
  );
  return sampleRecord({
    ...record,
    rfc_id: 'RFC-D',
    overall_status: 'OVERRIDDEN',
    commit_sha: SECOND,
    risk_score: 60,
    gates: { risk: failing(FOUND), ast: JUDGED, llm: JUDGED },
    override: { actor: 'ann', reason: 'a sample' },
    push: push && { ...push, base: FIRST, phase: null },
    ...overrides,
  });
}

interface CarryCase {
  decided?: Partial<RfcRecord>;
  blocked?: Partial<RfcRecord>;
  settings?: Partial<PipelineSettings>;
  /** The range that is exactly what the decided change makes of its base; null: no range is. */
  same?: string | null;
  /** The verdict on each commit of the range alone; a range of one commit is not divided. */
  alone?: Record<string, RfcRecord>;
}

/** The RFCs whose decisions cover a blocked range; null: none does. */
async function covering({ same = `${BASE}..${HEAD}`, ...given }: CarryCase) {
  const decider = overridden(given.decided);
  const gates = { risk: failing(FOUND), ast: JUDGED, llm: JUDGED };
  const blocked = sampleRecord({
    rfc_id: 'RFC-B',
    overall_status: 'BLOCKED',
    risk_score: 60,
    gates,
    ...given.blocked,
  });
  const alone = given.alone ?? {};
  const found = await findCarry(
    {
      base: BASE,
      head: HEAD,
      record: blocked,
      repository: { host: 'hub', repo_full_name: 'acme/shop' },
      place: { tenant_id: 'default', repo_key: 'hub#1' },
    },
    {
      source: {
        isSameChange: async ({ base, head, decided }) => {
          const isDecided = decided.base === FIRST && decided.head === SECOND;
          return { is_same: isDecided && same === `${base}..${head}` };
        },
        firstParents: async () => ({ shas: Object.keys(alone).reverse() }),
      },
      pushes: {
        overriddenPushes: async () => ({ records: [decider] }),
        dependentsOf: async () => ({ records: [] }),
        pushesOfCommit: async () => ({ records: [] }),
        decisionsOfCommit: async () => ({ records: [] }),
      },
      settings: { block_severities: ['critical', 'high'], block_score: null, ...given.settings },
      judgeAlone: async ({ head }) => alone[head] ?? outside(),
    },
  );
  return found?.map(({ rfc_id }) => rfc_id) ?? null;
}

function outside(): never {
  throw new Error('the commit is not in the range');
}

const passes = sampleRecord({ rfc_id: 'RFC-P' });
const blocks = sampleRecord({
  rfc_id: 'RFC-S',
  overall_status: 'BLOCKED',
  risk_score: 60,
  gates: { risk: failing(FOUND), ast: JUDGED, llm: JUDGED },
});
const gatesOf = (risk: GateResult, others: Partial<RfcRecord['gates']> = {}) => ({
  gates: { risk, ast: JUDGED, llm: JUDGED, ...others },
});

const CARRIES: [string, CarryCase, boolean][] = [
  ['the same change with the same finding', {}, true],
  ['another change', { same: null }, false],
  [
    'another finding',
    { blocked: gatesOf(failing(FOUND, { ...FOUND, fingerprint: 'e'.repeat(64) })) },
    false,
  ],
  ['a graver finding', { blocked: gatesOf(failing({ ...FOUND, severity: 'critical' })) }, false],
  [
    'a finding without a fingerprint',
    {
      decided: gatesOf(failing({ ...FOUND, fingerprint: '' })),
      blocked: gatesOf(failing({ ...FOUND, fingerprint: '' })),
    },
    false,
  ],
  [
    'a finding that was suppressed when somebody decided',
    { decided: gatesOf(failing({ ...FOUND, suppressed: { by: 'cra-ignore', reason: 'x' } })) },
    false,
  ],
  [
    'a review that failed',
    { blocked: gatesOf(failing(FOUND), { llm: { ...JUDGED, status: 'fail' } }) },
    false,
  ],
  [
    'more findings than are listed',
    { blocked: gatesOf(failing(FOUND, { ...FOUND, id: 'findings-overflow', severity: 'info' })) },
    false,
  ],
  [
    'a gate that fails without a finding',
    { blocked: gatesOf(failing(FOUND), { ast: { ...JUDGED, status: 'fail' } }) },
    false,
  ],
  ['a score that was as high', { settings: { block_score: 50 } }, true],
  [
    'a score that is higher now',
    { settings: { block_score: 50 }, blocked: { risk_score: 61 } },
    false,
  ],
  ['a verdict that was itself carried', { decided: { carried_from: ['RFC-A'] } }, false],
  ['a decision that was revoked', { decided: { overall_status: 'REJECTED' } }, false],
  [
    'a line of commits that pass or are covered',
    { same: `${STEP}..${HEAD}`, alone: { [STEP]: passes, [HEAD]: blocks } },
    true,
  ],
  [
    'a line with a commit that is not covered',
    { same: `${STEP}..${HEAD}`, alone: { [STEP]: blocks, [HEAD]: blocks } },
    false,
  ],
];

for (const [title, given, isCovered] of CARRIES) {
  test(`a decision ${isCovered ? 'covers' : 'does not cover'} ${title}`, async (t) => {
    t.deepEqual(await covering(given), isCovered ? ['RFC-D'] : null);
  });
}

test('a carried push depends on the decisions that cover it', (t) => {
  const record = carriedRecord(overridden({ override: null }), [overridden()]);
  t.deepEqual(record.carried_from, ['RFC-D']);
  t.deepEqual(record.push?.rests_on, ['RFC-D']);
  t.is(record.overall_status, 'OVERRIDDEN');
  t.is(record.override?.reason, 'carried from RFC-D: a sample');
});
