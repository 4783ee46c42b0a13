import { plainEvent } from '../../../src/model/audit.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { type Check, fails, insert, read } from './steps.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
type Harness = Parameters<Parameters<Check>[1]>[1];

/** What is accepted now. */
async function among(trail: TrailStore): Promise<string[]> {
  const place = { tenant_id: 'default', repo_name: 'org/REPO' };
  const { accepted } = await trail.acceptedAmong({ ...place, fingerprints: [A, B, C] });
  return accepted.map(({ fingerprint }) => fingerprint).sort();
}

/** Long ago and far ahead: the clock of the machine that runs the tests is between. */
const [PAST, FUTURE] = ['2020-01-01T00:00:00.000Z', '2120-01-01T00:00:00.000Z'] as const;

async function setUp({ store, trail }: Harness) {
  const decideOn = async (rfc_id: string, letters: string, over: object) => {
    const record = blockedRecord(
      { rfc_id },
      [...letters].map((letter) => findingWith(letter, { id: `secret-${letter}` })),
    );
    await insert(store, record);
    const input = decisionOn(record, `op-${rfc_id}`, { accept_findings: true, ...over });
    return trail.decide(input);
  };
  const place = { tenant_id: 'default', repo_name: 'ORG/repo' };
  const ended = async () => (await trail.endedAcceptance(place)).ended;
  return { decideOn, ended };
}

/** Acceptances that end. */
export function checkExpiry(check: Check): void {
  checkEnd(check);
  checkMoment(check);
  checkList(check);
  checkLimit(check);
}

function checkEnd(check: Check): void {
  check(
    'an acceptance ends by the clock of the store, and is found as ended',
    async (t, harness) => {
      const { trail, entries } = harness;
      const { decideOn, ended } = await setUp(harness);
      await decideOn('RFC-1', 'a', { expires_at: FUTURE });
      t.deepEqual(await among(trail), [A]);
      t.is(await ended(), null);
      await decideOn('RFC-2', 'bc', { expires_at: PAST });
      t.deepEqual(await among(trail), [A]);
      t.like(await ended(), { rfc_id: 'RFC-2', expires_at: PAST, rule: 'secret-b' });
      const entry = (await entries()).find(({ op_id }) => op_id === 'op-RFC-2');
      t.like(entry?.details, { accepted: 2, expires_at: PAST });
      await decideOn('RFC-3', 'b', {});
      t.deepEqual(await among(trail), [A, B], 'another decision goes on with it');
      t.like(await ended(), { fingerprint: C, rule: 'secret-c' });
      await harness.reopen();
      t.deepEqual(await among(harness.trail), [A, B]);
      await harness.trail.endAcceptance({
        tenant_id: 'default',
        repo_name: 'org/repo',
        fingerprint: C,
        event: plainEvent({
          kind: 'acceptance-ended',
          op_id: 'end-c',
          principal: MANAGER,
          details: {},
        }),
      });
      const place = { tenant_id: 'default', repo_name: 'org/repo' };
      t.deepEqual(await harness.trail.endedAcceptance(place), { ended: null }, 'it is settled');
      const reject = decisionOn({ tenant_id: 'default', rfc_id: 'RFC-3' }, 'op-r', {
        action: 'reject',
      });
      await harness.trail.decide(reject);
      t.like(await harness.trail.endedAcceptance(place), { ended: { fingerprint: B } });
      const other = { ...place, tenant_id: 'other' };
      t.deepEqual(await harness.trail.endedAcceptance(other), { ended: null });
    },
  );
}

function checkMoment(check: Check): void {
  check('an acceptance ends while the store is open', async (t, harness) => {
    const { trail } = harness;
    const { decideOn, ended } = await setUp(harness);
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    await decideOn('RFC-1', 'a', { expires_at });
    let found = await ended();
    while (found === null) {
      const before = await among(trail);
      // Read before and after: it may end in between, but never early.
      if (Date.now() < Date.parse(expires_at) - 200) t.deepEqual(before, [A]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      found = await ended();
    }
    t.is(found.expires_at, expires_at);
    t.deepEqual(await among(trail), []);
  });
}

function checkList(check: Check): void {
  check(
    'listAccepted tells when acceptances end, and finds those before a time',
    async (t, harness) => {
      const { decideOn } = await setUp(harness);
      await decideOn('RFC-1', 'a', { expires_at: FUTURE });
      await decideOn('RFC-2', 'b', { expires_at: PAST });
      await decideOn('RFC-3', 'c', {});
      const list = async (endingBefore: string | null) => {
        const page = { tenant_id: 'default', repo: null, limit: 50, cursor: null };
        const { accepted } = await harness.trail.listAccepted({ ...page, endingBefore });
        return accepted.map(({ rule, expires_at }) => [rule, expires_at]);
      };
      const a = ['secret-a', FUTURE];
      const b = ['secret-b', PAST];
      const c = ['secret-c', null];
      t.deepEqual(await list(null), [a, b, c]);
      t.deepEqual(await list('2100-01-01T00:00:00.000Z'), [b]);
      t.deepEqual(await list('2121-01-01T00:00:00.000Z'), [a, b]);
      t.deepEqual(await list(PAST), []);
    },
  );
}

function checkLimit(check: Check): void {
  check('decide refuses to accept for longer than the rules allow', async (t, harness) => {
    const { store, trail, entries } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [
      findingWith('a', { severity: 'high' }),
      findingWith('b', { severity: 'medium' }),
    ]);
    await insert(store, record);
    const before = (await entries()).length;
    const at = '2026-11-21T11:00:00.000Z';
    const most = { max_acceptance_days: { high: 10 }, accept_findings: true, at };
    for (const [n, over] of [{}, { expires_at: '2026-12-01T11:00:00.001Z' }].entries()) {
      const input = decisionOn(record, `op-${n}`, { ...most, ...over });
      const error = await fails(t, trail.decide(input), 'INVALID_ARGUMENT');
      t.regex(error?.message ?? '', /^expires_at: .*2026-12-01T11:00:00\.000Z.*at most 10 days/);
    }
    t.is((await entries()).length, before);
    t.is((await read(store, record)).overall_status, 'BLOCKED');
    const plain = decisionOn(record, 'op-2', { ...most, expires_at: '2026-12-01T11:00:00.000Z' });
    t.is((await trail.decide(plain)).overall_status, 'OVERRIDDEN');
  });
}
