import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { LegalHold, RetentionRule } from '../../../src/model/retention.ts';
import { parseSearch } from '../../../src/model/search.ts';
import { type ArchiveReport, archiveRfcs } from '../../../src/store/archive.ts';
import {
  createArchiveFiles,
  readArchived,
  verifyArchive,
} from '../../../src/store/archive-files.ts';
import type { PushKeys } from '../../../src/store/contract/pushes.ts';
import type { TrendsInput } from '../../../src/store/contract/records.ts';
import { createDailyArchive } from '../../../src/store/daily-archive.ts';
import { ARCHIVE } from '../../../src/store/limits.ts';
import { blockedRecord, decisionOn, MANAGER } from '../fixtures/decisions.ts';
import { judgedPush, keysOf, samplePush } from '../fixtures/pushes.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { type Check, DAY_MS, fails, type Harness, idOf, insert, list, NOW, read } from './steps.ts';

const SEED = new Uint8Array(32).fill(3);
const { verifierKey } = createCheckpointSigner(SEED);
const OLD = '2026-01-05T00:00:00.000Z';

const JANUARY: TrendsInput = {
  tenant_id: 'default',
  repo: null,
  since: '2026-01-01',
  until: '2026-01-31',
  by: 'day',
};

const filterOf = (q: string) => parseSearch(q, { principal: MANAGER, nowMs: NOW });
const ruleOf = (q: string, days = 100): RetentionRule => {
  return { tenantId: 'default', filter: filterOf(q), days };
};

interface Asked {
  rules?: RetentionRule[];
  holds?: LegalHold[];
  isDry?: boolean;
  /** In place of the step of the store. */
  replace?: () => Promise<boolean>;
}

/** Runs the archive on a harness, as a daemon named "one". */
async function archive({ archived: { side, root }, store }: Harness, asked: Asked = {}) {
  // A record that the trends have not counted yet stays; a read of them waits for that.
  await store.trends(JANUARY);
  const { rules = [ruleOf('')], holds = [], isDry = false, replace } = asked;
  return await archiveRfcs({
    side: replace === undefined ? side : { ...side, replace },
    files: isDry ? null : createArchiveFiles({ root, owner: 'one', seed: SEED }),
    retention: { rules, holds },
    instance: 'one',
    nowMs: NOW,
    signal: new AbortController().signal,
  });
}

/** Ids of all RFCs in the files, in the order of the file. */
function idsIn({ archived: { root } }: Harness): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => name.endsWith('.gz'))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(root, name)))
        .toString()
        .trim()
        .split('\n'),
    )
    .map((line) => (JSON.parse(line) as RfcRecord).rfc_id);
}

const passed = (rfc_id: string, over: Partial<RfcRecord> = {}) =>
  sampleRecord({ rfc_id, created_at: OLD, updated_at: OLD, ...over });

async function insertAll({ store }: Harness, records: readonly RfcRecord[]): Promise<void> {
  for (const record of records) await insert(store, record);
}

const countOf = ({ rfcs, held }: ArchiveReport) => ({ rfcs, held });

/** RFCs that leave the store for the archive. */
export function checkArchive(check: Check): void {
  checkLeaving(check);
  checkPlaces(check);
  checkPushes(check);
  checkCommits(check);
  checkSteps(check);
  checkHolds(check);
  checkRefusedStep(check);
  checkLostFile(check);
}

function checkLeaving(check: Check): void {
  check('an archived RFC answers as before, and nothing else knows it', async (t, harness) => {
    const { store, trail } = harness;
    const records = [passed('RFC-1', { commit_message: 'ünï \u2028' }), passed('RFC-2')];
    await insertAll(harness, records);
    const [first] = records as [RfcRecord];
    const before = await store.getRfc(idOf(first));
    const trends = await store.trends(JANUARY);

    const dry = await archive(harness, { isDry: true });
    t.deepEqual(countOf(dry), { rfcs: 1, held: 0 });
    t.deepEqual(dry.months, [{ tenant_id: 'default', month: '2026-01', rfcs: 1 }]);
    t.deepEqual(await list(store, {}).then(({ summaries }) => summaries.length), 2);

    const report = await archive(harness);
    t.deepEqual(countOf(report), { rfcs: 1, held: 0 }, 'the newest of the branch stays');
    t.is(report.bytes, before.json.length);
    t.deepEqual(await store.getRfc(idOf(first)), before);
    t.deepEqual(await store.getState(idOf(first)), { overall_status: 'PASSED', rev: 1 });
    t.deepEqual(
      (await list(store, {})).summaries.map(({ rfc_id }) => rfc_id),
      ['RFC-2'],
    );
    t.deepEqual(await store.trends(JANUARY), trends, 'what was counted stays');
    await fails(t, store.getRfc({ tenant_id: 'other', rfc_id: 'RFC-1' }), 'NOT_FOUND');
    const late = decisionOn(first, 'op-late', { action: 'reject' });
    const refused = await fails(t, trail.decide(late), 'FAILED_PRECONDITION');
    t.regex(refused?.message ?? '', /archived/);
    t.deepEqual(countOf(await archive(harness)), { rfcs: 0, held: 0 });
    await harness.reopen();
    t.deepEqual(await harness.store.getRfc(idOf(first)), before);
    t.deepEqual(await harness.verify(), []);
    const checks = [...verifyArchive(harness.archived.root, verifierKey)];
    t.like(checks, [{ file: 'one/2026-01.jsonl.gz', records: 1, flaw: null }]);
  });
}

function checkPlaces(check: Check): void {
  check('refusals, decisions, drafts, newest and young RFCs stay', async (t, harness) => {
    const { store, trail } = harness;
    const sha = 'c'.repeat(40);
    const component = { id: 'pay', status: 'PASSED', findings: [], same_as: null } as const;
    const part = { component_map: 'm', components: [component] } as unknown as Partial<RfcRecord>;
    const decided = blockedRecord({ rfc_id: 'RFC-decided', created_at: OLD, updated_at: OLD });
    await insertAll(harness, [
      decided,
      blockedRecord({ rfc_id: 'RFC-blocked', created_at: OLD, updated_at: OLD }),
      passed('RFC-part', part),
      blockedRecord({ rfc_id: 'RFC-sha', created_at: OLD, commit_sha: sha, branch: 'x' }),
      passed('RFC-later-verdict', { commit_sha: sha, branch: 'x' }),
      passed('RFC-new-on-x', { branch: 'x' }),
      passed('RFC-young', { updated_at: new Date(NOW - 99 * DAY_MS).toISOString() }),
      passed('RFC-other-repo', { repo_name: 'Org/Other' }),
      passed('RFC-leaves'),
      passed('RFC-other-tenant', { tenant_id: 'other' }),
      passed('RFC-newest'),
    ]);
    await trail.decide(decisionOn(decided, 'op-1'));
    const report = await archive(harness);
    t.deepEqual(idsIn(harness), ['RFC-leaves']);
    t.is(report.rfcs, 1);
    const left = (await list(store, {})).summaries.map(({ rfc_id }) => rfc_id);
    t.is(left.length, 9);
    t.false(left.includes('RFC-leaves'));
    t.deepEqual(await harness.verify(), []);
  });
}

function checkPushes(check: Check): void {
  check('accepted heads and the newest push stay, superseded pushes leave', async (t, harness) => {
    const { store, pushes } = harness;
    const push = async (rfc_id: string, over: Partial<RfcRecord>) => {
      const times = { created_at: OLD, updated_at: OLD, post_vcs_status: false };
      const { push: _, ...fields } = over;
      const draft = samplePush({ rfc_id, ...times, ...fields });
      await pushes.acceptPush({ record: recordText(draft), push: keysOf(draft) });
      return draft;
    };
    const judge = async (draft: RfcRecord) => {
      const record = recordText(judgedPush(draft, { updated_at: OLD }));
      await store.completeDraft({ record, expectedRev: draft.rev });
    };
    const old = await push('RFC-old', {});
    const head = await push('RFC-head', {});
    const at = OLD;
    const superseding = { tenant_id: 'default', by: 'RFC-head', at };
    await pushes.supersedePushes({ ...superseding, pushes: [{ rfc_id: 'RFC-old', rev: old.rev }] });
    await judge(head);
    for (const rfc_id of ['RFC-pull', 'RFC-pull-newest']) {
      await judge(await push(rfc_id, { ref: 'refs/pull/7/head', branch: '7' }));
    }
    await push('RFC-pull-waits', { ref: 'refs/pull/7/head', branch: '7' });
    await push('RFC-waits', {});
    t.deepEqual(countOf(await archive(harness)), { rfcs: 2, held: 0 });
    t.deepEqual(idsIn(harness).sort(), ['RFC-old', 'RFC-pull']);
    t.is((await read(store, old)).overall_status, 'SUPERSEDED');
    const shas = [head.commit_sha ?? ''];
    const place = { tenant_id: 'default', repo_key: keysOf(head).repo_key };
    const { accepted } = await pushes.acceptedHeads({ ...place, shas });
    t.deepEqual(
      accepted.map(({ rfc_id }) => rfc_id),
      ['RFC-head'],
    );
    const again = samplePush({ rfc_id: 'RFC-again', commit_sha: old.commit_sha });
    const repeat = async (keys: Partial<PushKeys>) =>
      await pushes.acceptPush({
        record: recordText(again),
        push: { ...keysOf(old), ...keys },
      });
    const known = { rfc_id: 'RFC-old' };
    t.deepEqual(await repeat({}), { outcome: 'same-delivery', ...known });
    t.deepEqual(await repeat({ delivery: 'github/hub/again' }), { outcome: 'same-body', ...known });
    // Nor does a push that a sweep has found take the old webhook for its own.
    const found = { source: 'sweep', behind: 'RFC-waits' } as const;
    const swept = { delivery: 'sweep/1', body_hash: null, ...found };
    t.is((await repeat(swept)).outcome, 'new');
    const other = { delivery: 'github/hub/third' };
    t.deepEqual(await repeat(other), { outcome: 'same-body', ...known });
  });
}

function checkCommits(check: Check): void {
  check('a verdict on a commit stays while an older one would speak again', async (t, harness) => {
    const { trail } = harness;
    const one = 'c'.repeat(40);
    const two = 'd'.repeat(40);
    const gone = blockedRecord({ rfc_id: 'RFC-gone', created_at: OLD, commit_sha: one });
    await insertAll(harness, [
      gone,
      passed('RFC-after-deletion', { commit_sha: one }),
      blockedRecord({ rfc_id: 'RFC-elsewhere', repo_name: 'Org/Fork', commit_sha: two }),
      passed('RFC-after-elsewhere', { commit_sha: two }),
      passed('RFC-newest'),
    ]);
    await trail.decide(decisionOn(gone, 'op-1', { action: 'delete' }));
    t.is((await archive(harness)).rfcs, 0);
    t.deepEqual(await harness.verify(), []);
  });
}

function checkSteps(check: Check): void {
  check('a walk lets others run, and a step looks again what is newest', async (t, harness) => {
    const { side } = harness.archived;
    await insertAll(harness, [passed('RFC-1'), passed('RFC-2'), passed('RFC-3')]);
    await harness.store.trends(JANUARY);
    const place = { tenant_id: 'default', status: 'PASSED', after: null } as const;
    let hasRun = false;
    setImmediate(() => {
      hasRun = true;
    });
    const { rfcs } = await side.free({ ...place, before: '2026-02-01' });
    t.true(hasRun);
    t.deepEqual(
      rfcs.map(({ rfc_id }) => rfc_id),
      ['RFC-1', 'RFC-2'],
    );
    await harness.edit.remove('RFC-3');
    const at = { file: 'one/2026-01.jsonl.gz', offset: 0, bytes: 1, archived_at: OLD };
    const moved = rfcs.map(({ json: _, ...rfc }, line) => ({ ...rfc, ...at, line, rests_on: [] }));
    t.false(await side.replace(moved), 'RFC-2 is the newest now');
    t.deepEqual([...(await side.ends())], []);
    t.true(await side.replace(moved.slice(0, 1)));
    t.deepEqual([...(await side.ends())], [[at.file, 1]]);
  });
}

function checkHolds(check: Check): void {
  check('the first rule counts, and a legal hold keeps what it finds', async (t, harness) => {
    await insertAll(harness, [
      passed('RFC-a', { repo_name: 'Org/Pay' }),
      passed('RFC-b'),
      passed('RFC-c'),
      passed('RFC-d', { repo_name: 'Org/Pay', created_at: '2026-02-05T00:00:00.000Z' }),
      passed('RFC-e', { repo_name: 'Org/Pay' }),
    ]);
    const rules = [ruleOf('repo:org/pay'), ruleOf('', 3_000)];
    const hold = { name: 'case 17', tenantId: 'default', filter: filterOf('word'), since: null };
    const late = { ...hold, filter: filterOf('repo:org/pay'), since: '2026-02-01', until: null };
    t.deepEqual(countOf(await archive(harness, { rules, holds: [late] })), { rfcs: 1, held: 1 });
    t.deepEqual(idsIn(harness), ['RFC-a']);
    const all = [ruleOf('-rule:secret-example')];
    const none = { ...late, tenantId: 'other' };
    t.deepEqual(countOf(await archive(harness, { rules: all, holds: [none] })), {
      rfcs: 2,
      held: 0,
    });
    t.deepEqual(idsIn(harness), ['RFC-a', 'RFC-b', 'RFC-d']);
  });

  check(
    'legal holds of other daemons keep RFCs, until a daemon has not run for long',
    async (t, harness) => {
      const { side } = harness.archived;
      const hold = { name: 'case 17', tenantId: 'default', filter: filterOf(''), since: null };
      const holds = [{ ...hold, until: null }];
      await side.shareHolds({ instance: 'two', holds, nowMs: NOW });
      const theirs = await side.shareHolds({ instance: 'one', holds: [], nowMs: NOW });
      // A store in SQLite has one daemon.
      t.true(theirs.length <= 1);
      if (theirs.length === 0) return;
      t.deepEqual(theirs, holds);
      await insertAll(harness, [passed('RFC-a'), passed('RFC-b')]);
      t.deepEqual(countOf(await archive(harness)), { rfcs: 0, held: 1 });
      t.deepEqual(await side.shareHolds({ instance: 'two', holds: [], nowMs: NOW }), []);
      t.deepEqual(countOf(await archive(harness)), { rfcs: 1, held: 0 });
      await side.shareHolds({
        instance: 'old',
        holds,
        nowMs: NOW - ARCHIVE.HOLDS_DAYS * DAY_MS - 1,
      });
      t.deepEqual(await side.shareHolds(null), []);
    },
  );

  check(
    'a daemon archives once a day, at its hour, and again after a failure',
    async (t, harness) => {
      const { side, root } = harness.archived;
      await insertAll(harness, [passed('RFC-a'), passed('RFC-b')]);
      await harness.store.trends(JANUARY);
      let now = new Date(2026, 8, 1, ARCHIVE.HOUR - 1, 50);
      let fails = true;
      let shared = 0;
      const said: string[] = [];
      const daily = createDailyArchive({
        side: {
          ...side,
          async shareHolds(own) {
            shared += 1;
            if (shared === 1) throw new Error('no store');
            return await side.shareHolds(own);
          },
          free: (asked) => (fails ? Promise.reject(new Error('no disk')) : side.free(asked)),
        },
        files: createArchiveFiles({ root, owner: 'one', seed: SEED }),
        retention: { rules: [ruleOf('')], holds: [] },
        instance: 'one',
        now: () => now,
        say: (text) => said.push(text),
      });
      const lookAt = async (day: number, hour: number, minute: number) => {
        now = new Date(2026, 8, day, hour, minute);
        await daily.look();
        return said.splice(0);
      };
      // Holds are shared again until that succeeds, long before the hour of the archive.
      const lost = ['Legal holds could not be shared: Error: no store'];
      t.deepEqual(await lookAt(1, ARCHIVE.HOUR - 1, 58), lost);
      t.is(shared, 2);
      t.deepEqual(await lookAt(1, ARCHIVE.HOUR - 1, 59), []);
      t.is(shared, 2);
      t.deepEqual(await lookAt(1, ARCHIVE.HOUR, 14), [
        'RFCs could not be archived: Error: no disk',
      ]);
      fails = false;
      t.deepEqual(await lookAt(1, ARCHIVE.HOUR, 29), []);
      t.deepEqual(await lookAt(2, ARCHIVE.HOUR, 1), ['1 RFCs were archived']);
      t.deepEqual(idsIn(harness), ['RFC-a']);
      await daily.close();
    },
  );
}

function checkRefusedStep(check: Check): void {
  check('a member whose RFCs did not leave is cut off again', async (t, harness) => {
    await insertAll(harness, [passed('RFC-1'), passed('RFC-2')]);
    const changed = await archive(harness, { replace: async () => false });
    t.is(changed.rfcs, 0);
    t.deepEqual(idsIn(harness), []);
    const failure = new Error('the store is gone');
    const failing = archive(harness, { replace: () => Promise.reject(failure) });
    await t.throwsAsync(failing, { is: failure });
    const { root } = harness.archived;
    t.true(statSync(join(root, 'one/2026-01.jsonl.gz')).size > 0, 'nobody knows yet');
    t.is((await archive(harness)).rfcs, 1);
    t.deepEqual(idsIn(harness), ['RFC-1']);
    t.like([...verifyArchive(root, verifierKey)], [{ records: 1, flaw: null }]);
  });
}

function checkLostFile(check: Check): void {
  check('an archive that is elsewhere or was edited is not an absent RFC', async (t, harness) => {
    const { store } = harness;
    const record = passed('RFC-1');
    await insertAll(harness, [record, passed('RFC-2')]);
    await archive(harness);
    const { root } = harness.archived;
    const path = join(root, 'one/2026-01.jsonl.gz');
    const ends = await harness.archived.side.ends();
    const whole = { file: 'one/2026-01.jsonl.gz', offset: 0, bytes: statSync(path).size };
    const reference = { ...whole, line: 0, status: 'PASSED', rev: 1 } as const;
    t.is(readArchived(root, idOf(record), reference).rev, 1);
    for (const wrong of [{ rfc_id: 'RFC-2' }, { tenant_id: 'other' }]) {
      const id = { ...idOf(record), ...wrong };
      t.throws(() => readArchived(root, id, reference), { message: /cannot be read/ });
    }
    t.deepEqual(
      [...verifyArchive(root, verifierKey, ends)].map(({ flaw }) => flaw),
      [null],
    );
    const further = new Map([[whole.file, whole.bytes + 1]]);
    t.regex([...verifyArchive(root, verifierKey, further)][0]?.flaw ?? '', /the store refers to/);
    const deleted = [...verifyArchive(join(root, 'none'), verifierKey, ends)];
    t.like(deleted, [{ file: whole.file, flaw: 'the file is missing' }]);
    mkdirSync(join(root, 'away'));
    renameSync(path, join(root, 'away/moved'));
    const error = await fails(t, store.getRfc(idOf(record)), 'NOT_FOUND');
    t.deepEqual(error?.details, { code: 'archived', file: 'one/2026-01.jsonl.gz' });
    t.regex([...verifyArchive(root, verifierKey)][0]?.flaw ?? '', /the file is missing/);
    const bytes = readFileSync(join(root, 'away/moved'));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await fails(t, store.getRfc(idOf(record)), 'DATA_LOSS');
    t.regex([...verifyArchive(root, verifierKey)][0]?.flaw ?? '', /is not as it was signed/);
    const other = createCheckpointSigner(new Uint8Array(32).fill(4)).verifierKey;
    t.regex([...verifyArchive(root, other)][0]?.flaw ?? '', /not signed by this key/);
  });
}
