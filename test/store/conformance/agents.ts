import type { DecisionRequest } from '../../../src/model/decision.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { Principal } from '../../../src/model/principal.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { GateResult } from '../../../src/model/rfc.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { type Check, fails, type Harness, insert, read } from './steps.ts';

/** An agent with a token of its own, by the digits that name the token. */
const agentOf = (digits: string): Principal => ({
  id: `agent-token:${digits}`,
  name: null,
  credential: 'agent-token',
  role: 'cab-member',
  tenant_id: 'default',
});
const AGENT = agentOf('0a1b2c3d');
const CEILINGS = { max_score: 70, max_overrides_per_day: 5 };

/** What an agent asks for, below the ceilings unless told. */
export const byAgent = (over: Partial<DecisionRequest> = {}): Partial<DecisionRequest> => ({
  principal: AGENT,
  agent: CEILINGS,
  ...over,
});

/** Overrides by the token of agents, whose ceilings the service holds. */
export function checkAgents(check: Check): void {
  checkLimits(check);
  checkRejectedCommit(check);
  checkDay(check);
  checkRaces(check);
}

const SETTLED = new Set(['whole', 'done']);
const SHA = 'c'.repeat(40);

const llm = (status: string, over: Partial<GateResult> = {}): Partial<RfcRecord> => {
  const { gates } = blockedRecord({ rfc_id: 'RFC-0' });
  return { gates: { ...gates, llm: { ...gates.llm, status, ...over } as GateResult } };
};
const found = (id: string, isSuppressed = false): Partial<RfcRecord> => {
  const { gates } = blockedRecord({ rfc_id: 'RFC-0' });
  const why = { kind: 'accepted', reason: 'known', by: 'ann' };
  const hidden = isSuppressed ? { suppressed: why as never } : {};
  return {
    gates: { ...gates, ast: { ...gates.ast, findings: [findingWith('a', { id, ...hidden })] } },
  };
};

/** What an RFC has, what the agent asks for, and the limit that refuses it; null: it may. */
const CASES: [has: Partial<RfcRecord>, asks: Partial<DecisionRequest>, limit: string | null][] = [
  [{}, {}, null],
  [{ risk_score: 70 }, {}, null],
  [{ risk_score: 0 }, {}, null],
  [{ risk_score: 70.5 }, {}, 'score'],
  [{ risk_score: 71 }, {}, 'score'],
  [{ risk_score: 100 }, {}, 'score'],
  [{ risk_score: 1 }, { agent: { ...CEILINGS, max_score: 0 } }, 'score'],
  [{ risk_score: null as unknown as number }, { agent: { ...CEILINGS, max_score: -1 } }, 'score'],
  [{}, { action: 'approve' }, 'action'],
  [{}, { action: 'reject' }, 'action'],
  [{}, { action: 'delete' }, 'action'],
  [{}, { action: 'confirm' }, 'action'],
  [{}, { action: 'object' }, 'action'],
  [{ overall_status: 'PASSED' }, { action: 'approve' }, 'action'],
  [{ overall_status: 'DRAFT' }, { action: 'delete' }, 'action'],
  [{}, { accept_findings: true }, 'accept_findings'],
  [{}, { accept_findings: true, expires_at: '2120-01-01T00:00:00.000Z' }, 'accept_findings'],
  [{}, { review_due_at: '2120-01-01T00:00:00.000Z' }, 'emergency'],
  [{ hard_limits: ['vuln-01'] }, {}, 'hard-limit'],
  [{ hard_limits: ['vuln-10'] }, {}, 'hard-limit'],
  [{ hard_limits: ['llm'] }, {}, 'hard-limit'],
  [{ hard_limits: ['something new'] }, {}, 'hard-limit'],
  [found('vuln-03'), {}, 'hard-limit'],
  [{ ...found('vuln-03'), hard_limits: undefined as never }, {}, 'hard-limit'],
  [found('vuln-03', true), {}, null],
  [found('secret-aws'), {}, null],
  [llm('skipped'), {}, null],
  [llm('pass'), {}, null],
  [llm('fail'), {}, 'gate-3'],
  [llm('FAIL'), {}, 'gate-3'],
  [llm('Pass'), {}, 'gate-3'],
  [llm('pass '), {}, 'gate-3'],
  [llm('pending'), {}, 'gate-3'],
  [llm(''), {}, 'gate-3'],
  [llm('skipped', { held: true }), {}, 'gate-3'],
  [{ commit_sha: SHA, repo_full_name: 'Org/Repo' }, { commit_sha: SHA }, null],
  [{ commit_sha: SHA, repo_full_name: 'Org/Repo' }, { commit_sha: SHA.toUpperCase() }, null],
  [{ commit_sha: SHA, repo_full_name: 'Org/Repo' }, { repo_full_name: 'org/repo' }, null],
  [{ commit_sha: SHA, repo_full_name: 'Org/Repo' }, { commit_sha: 'd'.repeat(40) }, 'pin'],
  [{ commit_sha: SHA, repo_full_name: 'Org/Repo' }, { repo_full_name: 'org/other' }, 'pin'],
  [
    { commit_sha: SHA, repo_full_name: 'Org/Repo' },
    { commit_sha: SHA, repo_full_name: 'evil/repo' },
    'pin',
  ],
  [{}, { commit_sha: SHA, repo_full_name: 'Org/Repo' }, 'pin'],
  [{ repo_full_name: 'Org/Repo' }, { commit_sha: SHA }, 'pin'],
  [{ commit_sha: SHA }, { repo_full_name: 'Org/Repo' }, 'pin'],
  [{}, { agent: { ...CEILINGS, max_overrides_per_day: 0 } }, 'overrides-per-day'],
];

function checkLimits(check: Check): void {
  check('an agent overrides below its ceilings, and decides nothing else', async (t, harness) => {
    const { store, trail, entries } = harness;
    const wide = { max_score: 70, max_overrides_per_day: 100 };
    for (const [n, [has, asks, limit]] of CASES.entries()) {
      const record = blockedRecord({ rfc_id: `RFC-${n}`, repo_name: `org/r${n}`, ...has });
      await insert(store, record);
      const asked = decisionOn(record, `op-${n}`, byAgent({ agent: wide, ...asks }));
      const title = `case ${n}: ${limit}`;
      if (limit === null) {
        const { overall_status, decision } = await trail.decide(asked);
        t.is(overall_status, 'OVERRIDDEN', title);
        t.is(decision?.principal.credential, 'agent-token');
        continue;
      }
      const error = await fails(t, trail.decide(asked), 'PERMISSION_DENIED');
      const details = { code: 'agent-limit', requiresDashboardApproval: true, limit };
      t.deepEqual(error?.details, details, title);
      t.regex(error?.message ?? '', /a person has to decide at the dashboard$/);
      t.is((await read(store, record)).overall_status, record.overall_status, title);
    }
    const told = (await entries()).filter(({ rfc_id }) => rfc_id !== null);
    const allowed = CASES.flatMap(([, , limit], n) => (limit === null ? [`RFC-${n}`] : []));
    t.deepEqual([...new Set(told.map(({ rfc_id }) => rfc_id))].sort(), allowed.sort());
    for (const { principal } of told) t.deepEqual(principal, AGENT);
  });

  check('an agent decides nothing where no ceilings came with its request', async (t, harness) => {
    const record = blockedRecord({ rfc_id: 'RFC-1', risk_score: 0 });
    await insert(harness.store, record);
    const asked = decisionOn(record, 'op-1', { principal: AGENT });
    await fails(t, harness.trail.decide(asked), 'PERMISSION_DENIED');
    t.is((await read(harness.store, record)).overall_status, 'BLOCKED');
  });
}

function checkRejectedCommit(check: Check): void {
  check('an agent lifts no rejection of a commit', async (t, harness) => {
    const { store, trail } = harness;
    const [first, again] = ['RFC-1', 'RFC-2'].map((rfc_id) =>
      blockedRecord({ rfc_id, commit_sha: SHA }),
    ) as [RfcRecord, RfcRecord];
    await insert(store, first);
    await insert(store, again);
    await trail.decide(decisionOn(first, 'op-1', { action: 'reject' }));
    const error = await fails(
      t,
      trail.decide(decisionOn(again, 'op-2', byAgent())),
      'PERMISSION_DENIED',
    );
    t.is(error?.details['limit'], 'rejected-commit');
    t.regex(error?.message ?? '', /RFC-1/);
    // Of two at the same moment, the decision of the agent does not list what it did not see.
    const other = blockedRecord({ rfc_id: 'RFC-3', commit_sha: 'e'.repeat(40) });
    await insert(store, other);
    const { decision } = await trail.decide(decisionOn(other, 'op-3', byAgent()));
    t.deepEqual(decision?.lifts, []);
    // A person decides about the commit.
    t.is((await trail.decide(decisionOn(again, 'op-4'))).overall_status, 'OVERRIDDEN');
  });
}

async function manyBlocked({ store }: Pick<Harness, 'store'>, count: number, from = 0) {
  const records = Array.from({ length: count }, (_, n) =>
    blockedRecord({ rfc_id: `RFC-${from + n}`, repo_name: `org/r${from + n}` }),
  );
  for (const record of records) await insert(store, record);
  return records;
}

/** The limits that refused; null: it was done. */
async function outcomes(decisions: Promise<unknown>[]): Promise<(string | null)[]> {
  const settled = await Promise.allSettled(decisions);
  return settled.map((one) => {
    if (one.status === 'fulfilled') return null;
    if (!(one.reason instanceof CraError)) throw one.reason;
    return String(one.reason.details['limit'] ?? one.reason.code);
  });
}

const made = (list: readonly (string | null)[]) => list.filter((one) => one === null).length;

const overridden = async ({ entries }: Pick<Harness, 'entries'>) =>
  (await entries()).filter(({ kind, phase }) => kind === 'override' && SETTLED.has(phase));

function checkDay(check: Check): void {
  check(
    'the overrides of agents in a day are counted, also those deleted since',
    async (t, harness) => {
      const records = await manyBlocked(harness, 12);
      const [one, two, three, four, five, six, seven, eight] = records as [
        ...[RfcRecord, RfcRecord, RfcRecord, RfcRecord],
        ...[RfcRecord, RfcRecord, RfcRecord, RfcRecord],
      ];
      const ask = (record: RfcRecord, over: Partial<DecisionRequest> = {}, op = record.rfc_id) =>
        harness.trail.decide(decisionOn(record, `op-${op}`, byAgent(over)));
      const refused = async (record: RfcRecord, over: Partial<DecisionRequest> = {}) => {
        const [limit] = await outcomes([ask(record, over)]);
        t.is(limit, 'overrides-per-day');
        t.is((await read(harness.store, record)).overall_status, 'BLOCKED');
      };
      // What is refused takes no place: a limit, another status, another revision, another tenant.
      await outcomes([
        ask(one, { accept_findings: true }, 'x1'),
        ask(one, { commit_sha: SHA }, 'x2'),
        harness.trail.decide({ ...decisionOn(one, 'op-x3', byAgent()), expectedRev: 7 }),
        harness.trail.decide({ ...decisionOn(one, 'op-x4', byAgent()), tenant_id: 'other' }),
      ]);
      const first = await ask(one);
      await outcomes([ask(one, {}, 'x5'), ask(one, {}, 'x6')]);
      await ask(two);
      // Another token, as after a rotation, has no ceiling of its own.
      await ask(three, { principal: agentOf('ffffffff') });
      await ask(four);
      await ask(five);
      await refused(six);
      await refused(seven, { principal: agentOf('ffffffff') });
      // Other daemons may be set to more, or to less.
      const most = (max_overrides_per_day: number) => ({
        agent: { ...CEILINGS, max_overrides_per_day },
      });
      await refused(six, most(1));
      await ask(six, most(6));
      await refused(seven, most(6));
      // A repeat is answered; a rejection or deletion gives no place back.
      t.deepEqual(await ask(one), { ...first, replayed: true });
      await harness.trail.decide(decisionOn(two, 'op-reject', { action: 'reject' }));
      await harness.trail.decide(decisionOn(three, 'op-delete', { action: 'delete' }));
      await refused(seven);
      await harness.reopen();
      await refused(seven);
      await refused(eight);
      // Nobody else is concerned, and their overrides are not counted.
      t.is((await harness.trail.decide(decisionOn(seven, 'op-ann'))).overall_status, 'OVERRIDDEN');
      const token: Principal = { ...MANAGER, id: 'override-token:1', credential: 'override-token' };
      const byToken = decisionOn(eight, 'op-token', { principal: token });
      t.is((await harness.trail.decide(byToken)).overall_status, 'OVERRIDDEN');
      const agents = (await overridden(harness)).filter(
        ({ principal }) => principal?.credential === 'agent-token',
      );
      t.is(agents.length, 6);
    },
  );
}

function checkRaces(check: Check): void {
  check('of 20 overrides by agents at the same moment 5 are made', async (t, harness) => {
    const records = await manyBlocked(harness, 20);
    const ask = (record: RfcRecord, n: number) =>
      harness.trail.decide(
        decisionOn(record, `op-${n}`, byAgent({ principal: agentOf(`token-${n % 3}`) })),
      );
    const list = await outcomes(records.map(ask));
    t.is(made(list), 5);
    t.deepEqual([...new Set(list)].sort(), ['overrides-per-day', null].sort());
    t.is((await overridden(harness)).length, 5);
    const after = await Promise.all(records.map((record) => read(harness.store, record)));
    t.is(after.filter(({ overall_status }) => overall_status === 'OVERRIDDEN').length, 5);
    const more = await manyBlocked(harness, 5, 20);
    t.is(made(await outcomes(more.map((record, n) => ask(record, 20 + n)))), 0);
  });

  check(
    '20 decisions of agents about one RFC at the same moment take one place',
    async (t, harness) => {
      const [record, ...rest] = await manyBlocked(harness, 10);
      const same = (trail: TrailStore, n: number) =>
        trail.decide(decisionOn(record as RfcRecord, `op-same-${n}`, byAgent()));
      const list = await outcomes(Array.from({ length: 20 }, (_, n) => same(harness.trail, n)));
      t.is(made(list), 1);
      const next = await outcomes(
        rest.map((one) => harness.trail.decide(decisionOn(one, `op-${one.rfc_id}`, byAgent()))),
      );
      t.is(made(next), 4);
      t.is((await overridden(harness)).length, 5);
    },
  );

  check(
    '20 repeats of one decision of an agent at the same moment take one place',
    async (t, harness) => {
      const [record, ...rest] = await manyBlocked(harness, 10);
      const asked = decisionOn(record as RfcRecord, 'op-same', byAgent());
      await outcomes(Array.from({ length: 20 }, () => harness.trail.decide(asked)));
      t.is((await harness.trail.decide(asked)).overall_status, 'OVERRIDDEN');
      const next = await outcomes(
        rest.map((one) => harness.trail.decide(decisionOn(one, `op-${one.rfc_id}`, byAgent()))),
      );
      t.is(made(next), 4);
    },
  );
}
