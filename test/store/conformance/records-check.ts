import type { ExecutionContext } from 'ava';
import { createRandom, type Random } from '../../../bench/random.ts';
import { createPatrol } from '../../../src/audit/continuity.ts';
import type { StoredAcceptance } from '../../../src/audit/records-check.ts';
import { plainEvent } from '../../../src/model/audit.ts';
import type { PersonFinding } from '../../../src/model/finding.ts';
import type { Principal } from '../../../src/model/principal.ts';
import { type Decision, type RfcRecord, summarise } from '../../../src/model/records.ts';
import { reopenedRecord } from '../../../src/pushes/push-record.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { judged } from './push-steps.ts';
import { type Check, type Harness, insert, NOW, read } from './steps.ts';

const FUTURE = '2120-01-01T00:00:00.000Z';
const BOB: Principal = {
  id: 'bob',
  name: 'Bob',
  credential: 'session',
  role: 'admin',
  tenant_id: 'default',
};
const AT = '2026-11-21T11:00:00.000Z';
const atHour = (hour: number) => `2026-11-21T${hour}:00:00.000Z`;

/** RFCs of all kinds that decisions were made about, and revisions of the rules. */
async function fill({ store, trail, rulebook }: Harness): Promise<void> {
  const blocked = async (rfc_id: string, letters = 'ab') => {
    const findings = [...letters].map((letter) => findingWith(letter));
    const record = blockedRecord({ rfc_id, repo_name: 'org/a' }, findings);
    await insert(store, record);
    return record;
  };
  const passed = async (rfc_id: string) => {
    const record = sampleRecord({ rfc_id, repo_name: 'org/a', overall_status: 'PASSED' });
    await insert(store, record);
    return record;
  };
  await trail.decide(decisionOn(await blocked('RFC-OVER'), 'over', { at: atHour(10) }));
  const twice = await blocked('RFC-TWICE');
  await trail.decide(decisionOn(twice, 'twice-1', { at: atHour(10) }));
  const rejection = { action: 'reject', reason: 'not an example', at: AT } as const;
  await trail.decide(decisionOn(twice, 'twice-2', rejection));
  await trail.decide(decisionOn(await passed('RFC-APPR'), 'appr', { action: 'approve' }));
  await trail.decide(decisionOn(await blocked('RFC-REJ'), 'rej', { action: 'reject' }));
  const due = { review_due_at: FUTURE, at: atHour(10) };
  await trail.decide(decisionOn(await blocked('RFC-EMER'), 'emer', due));
  const confirmed = await blocked('RFC-CONF');
  await trail.decide(decisionOn(confirmed, 'conf-1', due));
  await trail.decide(decisionOn(confirmed, 'conf-2', { action: 'confirm', principal: BOB }));
  const accepting = { accept_findings: true, expires_at: '2027-01-01T00:00:00.000Z' };
  await trail.decide(decisionOn(await blocked('RFC-ACC', 'cd'), 'acc', accepting));
  await trail.decide(decisionOn(await blocked('RFC-GONE'), 'gone-1'));
  await trail.decide(
    decisionOn({ tenant_id: 'default', rfc_id: 'RFC-GONE' }, 'gone-2', { action: 'delete' }),
  );
  await blocked('RFC-LEFT');
  await trail.decide(
    decisionOn({ tenant_id: 'default', rfc_id: 'RFC-LEFT' }, 'left', { action: 'delete' }),
  );
  await blocked('RFC-OPEN');
  await passed('RFC-PASS');
  for (const [expected, text] of ['one', 'two'].entries()) {
    const stored_sha256 = ['7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed'];
    const event = plainEvent({
      kind: 'rules' as const,
      op_id: `rules-${text}`,
      principal: MANAGER,
      details: {
        revision: text,
        source: 'api',
        text_sha256: 'ab',
        comment: '',
        ...(text === 'one' ? { stored_sha256: stored_sha256[0] ?? '' } : {}),
      },
    });
    const entry = {
      revision: text,
      source: 'api' as const,
      text_sha256: 'ab',
      comment: '',
      added_at: AT,
      added_by: MANAGER.id,
    };
    await rulebook.addRules({ expected, text, entry, event });
  }
}

const decisionAt = (index: number, change: Partial<Decision>) => (record: RfcRecord) => ({
  ...record,
  override_history: record.override_history.map((one, at) =>
    at === index ? { ...one, ...change } : one,
  ),
});

const FORGED: StoredAcceptance = {
  tenant_id: 'default',
  repo_key: 'org/a',
  fingerprint: 'e'.repeat(64),
  rfc_id: 'RFC-ACC',
  by: 'Alice A. (alice), RFC-ACC',
  reason: 'incident 7',
  at: AT,
  rule: null,
  expires_at: '2027-01-01T00:00:00.000Z',
};

type Edit = (harness: Harness) => Promise<void>;

/** [what somebody does to the database, how, what `cra audit verify` says]. */
const EDITS: readonly (readonly [what: string, edit: Edit, says: RegExp])[] = [
  [
    'another actor',
    ({ edit }) => edit.record('RFC-OVER', decisionAt(0, { actor: 'Mallory' })),
    /RFC-OVER, decision over, actor: the trail says "Alice A\.", the store shows "Mallory"/,
  ],
  [
    'another reason',
    ({ edit }) => edit.record('RFC-TWICE', decisionAt(1, { reason: 'fine' })),
    /RFC-TWICE, decision twice-2, reason: the trail says "not an example", .* "fine"/,
  ],
  [
    'another principal',
    ({ edit }) => edit.record('RFC-APPR', decisionAt(0, { principal: BOB })),
    /RFC-APPR, decision appr, principal: the trail says "alice \| .*, the store shows "bob \| /,
  ],
  [
    'another role of the principal',
    ({ edit }) =>
      edit.record('RFC-APPR', decisionAt(0, { principal: { ...MANAGER, role: 'admin' } })),
    /RFC-APPR, decision appr, principal: .*change-manager.*admin/,
  ],
  [
    'another kind of decision',
    ({ edit }) => edit.record('RFC-REJ', decisionAt(0, { action: 'approve' })),
    /RFC-REJ, decision rej, kind: the trail says "reject", the store shows "approve"/,
  ],
  [
    'an emergency that is an ordinary override',
    ({ edit }) =>
      edit.record('RFC-EMER', ({ emergency, ...record }) => ({
        ...record,
        override_history: record.override_history.map(({ emergency: _, ...one }) => one),
      })),
    /RFC-EMER, decision emer, kind: the trail says "emergency-override", .* "override"/,
  ],
  [
    'another commit that it is pinned to',
    ({ edit }) => edit.record('RFC-OVER', decisionAt(0, { commit_sha: 'ab12'.repeat(10) })),
    /RFC-OVER, decision over, commit_sha: the trail says null/,
  ],
  [
    'another repository that it is pinned to',
    ({ edit }) => edit.record('RFC-OVER', decisionAt(0, { repo_full_name: 'org/other' })),
    /RFC-OVER, decision over, repo_full_name: the trail says null/,
  ],
  [
    'another time of the decision',
    ({ edit }) => edit.record('RFC-OVER', decisionAt(0, { at: atHour(12) })),
    /RFC-OVER, decision over, at: the trail says "2026-11-21T10/,
  ],
  [
    'an override by hand',
    ({ edit }) =>
      edit.record('RFC-OPEN', (record) => ({
        ...record,
        overall_status: 'OVERRIDDEN' as const,
        override: { actor: 'x', reason: 'y' },
      })),
    /RFC-OPEN/,
  ],
  [
    'an approval by hand',
    ({ edit }) =>
      edit.record('RFC-PASS', (record) => ({ ...record, overall_status: 'APPROVED' as const })),
    /RFC-PASS, overall_status: the store shows APPROVED, the trail has no decision/,
  ],
  [
    'an override by hand with a decision in the history',
    ({ edit }) =>
      edit.record('RFC-OPEN', (record) => ({
        ...record,
        overall_status: 'OVERRIDDEN' as const,
        rev: record.rev + 1,
        override_history: [
          {
            decision_id: 'forged',
            action: 'override' as const,
            principal: MANAGER,
            actor: 'a',
            reason: 'b',
            at: AT,
            commit_sha: null,
            repo_full_name: null,
          },
        ],
      })),
    /the trail has no entry of decision forged, which RFC-OPEN shows/,
  ],
  [
    'an override that borrows the entry of another RFC',
    ({ edit }) =>
      edit.record('RFC-OPEN', (record) => ({
        ...record,
        overall_status: 'OVERRIDDEN' as const,
        rev: record.rev + 1,
        override: { actor: 'Alice A.', reason: 'incident 7' },
        override_history: [
          {
            decision_id: 'over',
            action: 'override' as const,
            principal: MANAGER,
            actor: 'Alice A.',
            reason: 'incident 7',
            at: atHour(10),
            commit_sha: null,
            repo_full_name: null,
          },
        ],
      })),
    /RFC-OPEN, decision over, rfc_id: the trail says "RFC-OVER", the store shows "RFC-OPEN"/,
  ],
  [
    'a decision that was removed from the history',
    ({ edit }) =>
      edit.record('RFC-TWICE', (record) => ({
        ...record,
        overall_status: 'OVERRIDDEN' as const,
        override_history: record.override_history.slice(0, 1),
      })),
    /RFC-TWICE, override_history: decision twice-2 is missing \(reject, entry \d+ of chain/,
  ],
  [
    'a history that was emptied, and the status set back',
    ({ edit }) =>
      edit.record('RFC-REJ', (record) => ({
        ...record,
        overall_status: 'PASSED' as const,
        override_history: [],
      })),
    /RFC-REJ, override_history: decision rej is missing/,
  ],
  [
    'a decision that stands twice in the history',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => ({
        ...record,
        override_history: [...record.override_history, ...record.override_history],
      })),
    /RFC-OVER, override_history: over stands there twice/,
  ],
  [
    'another order of the history',
    ({ edit }) =>
      edit.record('RFC-TWICE', (record) => ({
        ...record,
        override_history: [...record.override_history].reverse(),
      })),
    /RFC-TWICE, override_history: twice-1 stands behind twice-2, but .* made before/,
  ],
  [
    'a rejection that was undone',
    ({ edit }) =>
      edit.record('RFC-TWICE', (record) => ({
        ...record,
        overall_status: 'OVERRIDDEN' as const,
        rev: record.rev + 1,
        override: { actor: 'Alice A.', reason: 'incident 7' },
      })),
    /RFC-TWICE, overall_status after decision twice-2: the trail says "REJECTED"/,
  ],
  [
    'a rejection that passed',
    ({ edit }) =>
      edit.record('RFC-REJ', (record) => ({ ...record, overall_status: 'PASSED' as const })),
    /RFC-REJ, overall_status after decision rej: the trail says "REJECTED", .* "PASSED"/,
  ],
  [
    'another override in the words of somebody else',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => ({ ...record, override: { actor: 'x', reason: 'y' } })),
    /RFC-OVER, override: the trail says .*incident 7.*, the store shows .*"x"/,
  ],
  [
    'an emergency that was confirmed by hand',
    ({ edit }) =>
      edit.record('RFC-EMER', (record) => ({
        ...record,
        emergency: { decision_id: 'emer', due_at: FUTURE, review: 'confirmed' as const },
      })),
    /RFC-EMER, emergency: the trail says .*"due".*, the store shows .*"confirmed"/,
  ],
  [
    'an emergency whose review was put off',
    ({ edit }) =>
      edit.record('RFC-EMER', (record) => ({
        ...record,
        emergency: {
          decision_id: 'emer',
          due_at: '2220-01-01T00:00:00.000Z',
          review: 'due' as const,
        },
      })),
    /RFC-EMER, emergency: the trail says .*2120.*, the store shows .*2220/,
  ],
  [
    'an emergency that is gone',
    ({ edit }) => edit.record('RFC-EMER', ({ emergency, ...record }) => record),
    /RFC-EMER, emergency: the trail says .*"due".*, the store shows null/,
  ],
  [
    'a review that was made by somebody else',
    ({ edit }) => edit.record('RFC-CONF', decisionAt(1, { principal: MANAGER })),
    /RFC-CONF, decision conf-2, principal: the trail says "bob/,
  ],
  [
    'a change that was decided in another repository',
    ({ edit }) => edit.record('RFC-OVER', (record) => ({ ...record, repo_name: 'org/other' })),
    /RFC-OVER, decision over, repo_name: the trail says "org\/a", .* "org\/other"/,
  ],
  [
    'another diff under the decision',
    ({ edit }) => edit.record('RFC-OVER', (record) => ({ ...record, diff_hash: 'f'.repeat(64) })),
    /RFC-OVER, diff_hash: the trail says/,
  ],
  [
    'another tenant',
    ({ edit }) => edit.record('RFC-OVER', (record) => ({ ...record, tenant_id: 'other' })),
    /RFC-OVER, decision over, tenant_id: the trail says "default", .* "other"/,
  ],
  [
    'an older rev',
    ({ edit }) => edit.record('RFC-OVER', (record) => ({ ...record, rev: 1 })),
    /RFC-OVER, rev: the trail says 2, the store shows 1/,
  ],
  [
    'the status of a row alone',
    ({ edit }) => edit.row('RFC-OPEN', { status: 'PASSED' }),
    /RFC-OPEN, status of its row: the record says "BLOCKED", the row "PASSED"/,
  ],
  [
    'another submitter of a change that was decided',
    ({ edit }) => edit.record('RFC-OVER', (record) => ({ ...record, submitted_by: BOB })),
    /RFC-OVER, the change and its findings \(SHA-256\): the trail says/,
  ],
  [
    'another message of a change that was decided',
    ({ edit }) => edit.record('RFC-APPR', (record) => ({ ...record, commit_message: 'typo' })),
    /RFC-APPR, the change and its findings/,
  ],
  [
    'another commit of a change that was decided',
    ({ edit }) =>
      edit.record('RFC-REJ', (record) => ({ ...record, commit_sha: 'cd34'.repeat(10) })),
    /RFC-REJ, the change and its findings/,
  ],
  [
    'a finding that was removed from a change that was decided',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => {
        const { risk, ast, llm } = record.gates;
        return { ...record, gates: { risk: { ...risk, findings: [] }, ast, llm } };
      }),
    /RFC-OVER, the change and its findings/,
  ],
  [
    'other words for a finding of a change that was decided',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => {
        const { risk, ast, llm } = record.gates;
        const findings = risk.findings.map((one) => ({ ...one, title: 'Nothing to see' }));
        return { ...record, gates: { risk: { ...risk, findings }, ast, llm } };
      }),
    /RFC-OVER, the change and its findings/,
  ],
  [
    'a milder finding in a change that was decided',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => {
        const { risk, ast, llm } = record.gates;
        const findings = risk.findings.map((one) => ({ ...one, severity: 'low' as const }));
        return { ...record, gates: { risk: { ...risk, findings }, ast, llm } };
      }),
    /RFC-OVER, the change and its findings/,
  ],
  [
    'a decided change that is called a push',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => ({
        ...record,
        branch: 'other',
        push: { base_kind: null } as unknown as RfcRecord['push'],
      })),
    /RFC-OVER, the change and its findings/,
  ],
  [
    'a decision without a person',
    ({ edit }) =>
      edit.record('RFC-OVER', (record) => ({
        ...record,
        override_history: record.override_history.map(
          ({ principal, ...decision }) => decision as Decision,
        ),
      })),
    /RFC-OVER: fields of the record are missing/,
  ],
  [
    'the branch of a row alone',
    ({ edit }) => edit.row('RFC-OVER', { branch: 'other' }),
    /RFC-OVER, branch of its row: the record says "main", the row "other"/,
  ],
  [
    'the commit of a row alone',
    ({ edit }) => edit.row('RFC-OVER', { commit_sha: 'ab12'.repeat(10) }),
    /RFC-OVER, commit_sha of its row: the record says/,
  ],
  [
    'the time of a row alone',
    ({ edit }) => edit.row('RFC-REJ', { created_at: FUTURE }),
    /RFC-REJ, created_at of its row: the record says .*, the row "2120/,
  ],
  [
    'the words of a row alone',
    async ({ edit, store }) => {
      const record = await read(store, blockedRecord({ rfc_id: 'RFC-OVER' }));
      const summary = { ...summarise(record), commit_message: 'typo' };
      await edit.row('RFC-OVER', { summary: JSON.stringify(summary) });
    },
    /RFC-OVER, commit_message in the summary of its row: the record says/,
  ],
  [
    'the findings of a row alone',
    async ({ edit, store }) => {
      const summary = summarise(await read(store, blockedRecord({ rfc_id: 'RFC-OVER' })));
      for (const finding of summary.gates.risk.findings) finding.severity = 'low';
      await edit.row('RFC-OVER', { summary: JSON.stringify(summary) });
    },
    /RFC-OVER, findings in the summary of its row: the record says/,
  ],
  [
    'what a deleted RFC refused, removed',
    ({ edit }) => edit.refusal('RFC-LEFT', () => null),
    /RFC-LEFT: what it refused is missing \(delete, entry \d+ of chain/,
  ],
  [
    'what a deleted RFC refused, changed',
    ({ edit }) => edit.refusal('RFC-LEFT', (json) => json.replace('"main"', '"other"')),
    /RFC-LEFT, SHA-256 of what it refused: the trail says/,
  ],
  [
    'another kind in the row of an entry',
    ({ edit }) => edit.entryKind('over', 'ops-log'),
    /entry \d+ of chain \S+, kind of its row: it says "override", not "ops-log"/,
  ],
  [
    'an RFC that was removed without a deletion',
    ({ edit }) => edit.remove('RFC-REJ'),
    /RFC-REJ is missing: decision rej is about it, and the trail has no deletion/,
  ],
  [
    'a deleted RFC that is there again',
    ({ edit }) => edit.insert(blockedRecord({ rfc_id: 'RFC-GONE', repo_name: 'org/a' })),
    /RFC-GONE is there, but delete, entry \d+ of chain .* deleted it/,
  ],
  [
    'a fingerprint that was accepted by hand',
    ({ edit }) => edit.accept(FORGED),
    /accepted fingerprint e{16} of RFC-ACC: decision acc does not accept it/,
  ],
  [
    'a fingerprint that no decision accepted',
    ({ edit }) => edit.accept({ ...FORGED, rfc_id: 'RFC-OVER', at: atHour(10) }),
    /accepted fingerprint e{16} of RFC-OVER: decision over does not accept it/,
  ],
  [
    'an acceptance of another repository',
    ({ edit }) => edit.accepted((row) => ({ ...row, repo_key: 'org/other' })),
    /accepted fingerprint c{16} of RFC-ACC, repository: the trail says "org\/a", .*"org\/other"/,
  ],
  [
    'an acceptance that ends later',
    ({ edit }) => edit.accepted((row) => ({ ...row, expires_at: FUTURE })),
    /accepted fingerprint c{16} of RFC-ACC, expires_at: the trail says "2027.*2120/,
  ],
  [
    'an acceptance that never ends',
    ({ edit }) => edit.accepted((row) => ({ ...row, expires_at: null })),
    /accepted fingerprint d{16} of RFC-ACC, expires_at: the trail says "2027.*null/,
  ],
  [
    'an acceptance for another reason',
    ({ edit }) => edit.accepted((row) => ({ ...row, reason: 'whatever' })),
    /accepted fingerprint c{16} of RFC-ACC, reason: the trail says "incident 7"/,
  ],
  [
    'an acceptance by somebody else',
    ({ edit }) => edit.accepted((row) => ({ ...row, by: 'Mallory' })),
    /accepted fingerprint c{16} of RFC-ACC, by: the trail says "Alice A\. \(alice\), RFC-ACC"/,
  ],
  [
    'an acceptance of another time',
    ({ edit }) => edit.accepted((row) => ({ ...row, at: atHour(20) })),
    /accepted fingerprint c{16} of RFC-ACC: the trail has no decision of 2026-11-21T20/,
  ],
  [
    'an acceptance that was ended and is there again',
    async ({ edit, trail }) => {
      const rows: StoredAcceptance[] = [];
      await edit.accepted((row) => {
        rows.push(row);
        return row;
      });
      const [row] = rows;
      if (row === undefined) return;
      const event = plainEvent({
        kind: 'acceptance-ended',
        op_id: 'ended',
        principal: MANAGER,
        repo_name: 'org/a',
        reason: 'it counts again',
        details: { fingerprint: row.fingerprint },
      });
      const place = { tenant_id: 'default', repo_name: 'org/a', fingerprint: row.fingerprint };
      await trail.endAcceptance({ ...place, event });
      await edit.accept(row);
    },
    /accepted fingerprint [cd]{16} of RFC-ACC: the store shows it, but acceptance-ended, entry/,
  ],
  [
    'another text of the rules',
    ({ edit }) => edit.revision(1, ({ entry }) => ({ entry, text: '{}' })),
    /rules, revision 1, SHA-256 of the text: the trail says "7692c3ad/,
  ],
  [
    'another hash of the rules',
    ({ edit }) =>
      edit.revision(2, ({ entry, text }) => ({ entry: entry.replace('"two"', '"other"'), text })),
    /rules, revision 2, revision: the trail says "two", the store shows "other"/,
  ],
  [
    'rules that somebody else set',
    ({ edit }) =>
      edit.revision(2, ({ entry, text }) => ({ entry: entry.replace('alice', 'bob'), text })),
    /rules, revision 2, added_by: the trail says "alice", the store shows "bob"/,
  ],
  [
    'a revision of the rules that was removed',
    ({ edit }) => edit.revision(2, () => null),
    /rules, revision 2 is missing: rules, entry \d+ of chain .* made it/,
  ],
];

/** What a writer of the database can change, and what `cra audit verify` says of it. */
export function checkRecordsCheck(check: Check): void {
  check('verify: records that the service wrote agree with the trail', async (t, harness) => {
    await fill(harness);
    t.deepEqual(await harness.verify(), []);
    t.is((await read(harness.store, blockedRecord({ rfc_id: 'RFC-CONF' }))).rev, 3);
    await harness.reopen();
    t.deepEqual(await harness.verify(), []);
  });

  check('verify names every direct edit of the database', async (t, harness) => {
    await fill(harness);
    for (const [what, edit, says] of EDITS) {
      const undo = await saved(harness);
      await edit(harness);
      const found = await harness.verify();
      t.true(
        found.some((difference) => says.test(difference)),
        `${what}: ${found.join('\n')}`,
      );
      await undo();
    }
    await untouched(t, harness);
  });
}

const RFCS = ['OVER', 'TWICE', 'APPR', 'REJ', 'EMER', 'CONF', 'ACC', 'OPEN', 'PASS'];

/** Puts everything back as it is now. */
async function saved({ store, edit, rulebook }: Harness): Promise<() => Promise<void>> {
  const records: RfcRecord[] = [];
  for (const name of RFCS)
    records.push(await read(store, blockedRecord({ rfc_id: `RFC-${name}` })));
  const rows: StoredAcceptance[] = [];
  await edit.accepted((row) => {
    rows.push(row);
    return row;
  });
  const left: string[] = [];
  await edit.refusal('RFC-LEFT', (json) => {
    left.push(json);
    return json;
  });
  const revisions: Awaited<ReturnType<typeof rulebook.rulesAt>>[] = [];
  for (const number of [1, 2]) revisions.push(await rulebook.rulesAt({ number }));
  return async () => {
    for (const record of records) await edit.insert(record);
    await edit.remove('RFC-GONE');
    await edit.putRefusal('RFC-LEFT', left[0] ?? '');
    await edit.entryKind('over', 'override');
    await edit.accepted(() => null);
    for (const row of rows) await edit.accept(row);
    for (const { entry, text } of revisions) {
      await edit.revision(entry.number, () => ({ entry: JSON.stringify(entry), text }));
    }
  };
}

async function untouched(t: ExecutionContext, harness: Harness): Promise<void> {
  const found = await harness.verify();
  // The last edit but those of the rules ended an acceptance, which `saved` put back.
  t.deepEqual(
    found.filter((difference) => !/acceptance-ended/.test(difference)),
    [],
  );
}

/** What a caller may do to an RFC; what its status does not allow is refused. */
type Move = (harness: Harness, rfcId: string, opId: string, random: Random) => Promise<unknown>;

const decision =
  (over: Parameters<typeof decisionOn>[2]): Move =>
  ({ trail }, rfc_id, opId) =>
    trail.decide(decisionOn({ tenant_id: 'default', rfc_id }, opId, over));

const MOVES: readonly Move[] = [
  decision({}),
  decision({ accept_findings: true }),
  decision({ accept_findings: true, expires_at: FUTURE, actor: 'Bob "B"', principal: BOB }),
  decision({ action: 'approve', accept_findings: true }),
  decision({ action: 'approve', commit_sha: 'ab12'.repeat(10), repo_full_name: 'org/a' }),
  decision({ action: 'reject', reason: 'x'.repeat(4_000) }),
  decision({ review_due_at: FUTURE }),
  decision({ action: 'confirm', principal: BOB }),
  decision({ action: 'object', principal: BOB, reason: 'not \ud800 \u2028 fine' }),
  decision({ action: 'delete' }),
  async ({ trail }, _, opId, random) => {
    const fingerprint = random.pick(['a', 'b', 'c', 'd']).repeat(64);
    const about = { repo_name: 'org/a', details: { fingerprint } };
    const event = plainEvent({
      kind: 'acceptance-ended',
      op_id: opId,
      principal: MANAGER,
      ...about,
    });
    await trail.endAcceptance({ tenant_id: 'default', repo_name: 'org/a', fingerprint, event });
  },
  async ({ trail }, rfc_id, opId) => {
    const finding: PersonFinding = {
      finding_id: `F-${opId}`,
      severity: 'low',
      message: 'look',
      file: null,
      line: null,
      by: { id: 'alice', name: null },
      at: AT,
    };
    const event = plainEvent({
      kind: 'finding',
      op_id: opId,
      principal: MANAGER,
      rfc_id,
      details: {},
    });
    await trail.addRemark({
      tenant_id: 'default',
      rfc_id,
      remark: { kind: 'finding', finding },
      event,
    });
  },
  async ({ trail, store }, rfc_id, opId) => {
    const held = await read(store, blockedRecord({ rfc_id }));
    const to = held.overall_status === 'BLOCKED' ? 'PASSED' : 'BLOCKED';
    const record = recordText({ ...held, overall_status: to, rev: held.rev + 1 });
    const from = held.overall_status as 'BLOCKED';
    const event = plainEvent({ kind: 'review', op_id: opId, principal: null, rfc_id, details: {} });
    await trail.moveRfc({ record, from, expectedRev: held.rev, event });
  },
  async ({ pushes, store }, rfc_id) => {
    const held = await read(store, blockedRecord({ rfc_id }));
    const record = reopenedRecord(held, 'its base was rejected', new Date(NOW));
    await pushes.reopenPush({ record: recordText(record), expectedRev: held.rev, atMs: NOW });
  },
];

/** Histories of random decisions, with repeats and races, and what was refused on the way. */
export function checkHonestHistories(check: Check): void {
  for (const seed of [1, 2, 3]) {
    check(`verify finds nothing in a history of random decisions, ${seed}`, async (t, harness) => {
      const random = createRandom(seed);
      const ids: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        const findings = [findingWith('abcd'.charAt(n % 4)), findingWith('bcda'.charAt(n % 4))];
        const rfc_id = `RFC-${n}`;
        const overall_status = n % 3 === 0 ? ('PASSED' as const) : ('BLOCKED' as const);
        const record = blockedRecord({ rfc_id, repo_name: 'org/a', overall_status }, findings);
        if (n % 4 === 3) ids.push((await judged(harness, { rfc_id }, { overall_status })).rfc_id);
        else {
          await insert(harness.store, record);
          ids.push(rfc_id);
        }
      }
      let done = 0;
      let refused = 0;
      for (let step = 0; step < 40; step += 1) {
        const calls = Array.from({ length: random.between(1, 4) }, (_, n) => {
          // Some calls of a step have one op_id: a repeat, or another request.
          const opId = `op-${step}-${random.next() < 0.15 ? 0 : n}`;
          return random.pick(MOVES)(harness, random.pick(ids), opId, random);
        });
        for (const { status } of await Promise.allSettled(calls)) {
          if (status === 'fulfilled') done += 1;
          else refused += 1;
        }
        if (step === 20) await harness.reopen();
      }
      t.true(done > 10 && refused > 0, `${done} done, ${refused} refused`);
      t.deepEqual(await harness.verify(), []);
    });
  }
}

/** What the daemon itself notices while it runs. */
export function checkPatrol(check: Check): void {
  check('a patrol names an RFC that differs from the trail, until it is accepted', async (t, h) => {
    await fill(h);
    const source = await h.source();
    const patrol = createPatrol(source, 3);
    const round = async () => {
      for (let step = 0; step < 30; step += 1) await patrol.step();
      return [patrol.problem, patrol.missing];
    };
    t.deepEqual(await round(), [null, 0]);
    const undo = await saved(h);
    await h.edit.record('RFC-REJ', decisionAt(0, { reason: 'a secret' }));
    const says = 'RFC-REJ, decision rej, reason: the records differ from the audit trail';
    t.deepEqual(await round(), [`${says}; run cra audit verify`, 0]);
    await undo();
    t.deepEqual(await round(), [null, 0]);
    await source.close();
  });
}
