import { SEAL_CHUNK_BYTES, sealDiff } from '../../../src/core/seal.ts';
import { FINDINGS_PER_RFC_MAX } from '../../../src/model/limits.ts';
import { toSarif } from '../../../src/model/sarif.ts';
import {
  outcomeOf,
  recordText,
  sampleDraft,
  sampleFinding,
  sampleRecord,
} from '../fixtures/records.ts';
import { type Check, fails, idOf, idsOf, insert, KEY, list, read, readDiffText } from './steps.ts';

export function checkInsert(check: Check): void {
  check('insertRfc gives back every field, byte for byte', async (t, { store }) => {
    const record = sampleRecord({
      rfc_id: 'RFC-1',
      commit_message: 'NUL \0, lone surrogate \ud800, 😀, "quotes"',
      branch: '\ud800\0',
      repo_name: 'Ünïcode/\0\ud800',
      override_history: [
        {
          decision_id: 'D-1',
          action: 'override',
          principal: {
            id: 'alice',
            name: 'Alice',
            credential: 'oidc',
            role: 'change-manager',
            tenant_id: 'default',
          },
          actor: 'alice',
          reason: 'incident',
          at: '2026-11-21T10:00:00.000Z',
          commit_sha: null,
          repo_full_name: null,
        },
      ],
    });
    t.deepEqual(await insert(store, record), { rev: 1 });
    t.deepEqual(await read(store, record), record);
    const view = await store.getRfc(idOf(record));
    t.deepEqual([view.overall_status, view.rev], ['PASSED', 1]);
    t.is(Buffer.from(view.json).toString(), JSON.stringify(record));
    const sarif = await store.getSarif(idOf(record));
    t.is(Buffer.from(sarif.json).toString(), JSON.stringify(toSarif(record)));
    const listed = await list(store, { repo: record.repo_name });
    t.deepEqual(listed.summaries.map(idsOf), ['RFC-1']);
  });

  check('insertRfc keeps titles and flows beside findings without', async (t, { store }) => {
    const old = sampleFinding(1);
    const made = sampleFinding(2);
    const flow = [
      { file: 'a.ts', line: null, column: null, what: 'request parameter `\ud800`' },
      { file: 'a.ts', line: 2, column: 1, what: 'shell command of `exec`' },
    ];
    const findings = [old, { ...made, title: 'Example reaches a shell command', flow }];
    const record = sampleRecord({ rfc_id: 'RFC-FLOW' });
    record.gates = { ...record.gates, ast: { ...record.gates.ast, findings } };
    await insert(store, record);
    t.deepEqual(await read(store, record), record);
    const { summaries } = await list(store, {});
    const [first, second] = summaries[0]?.gates.ast.findings ?? [];
    t.false('title' in (first ?? {}));
    t.is(second?.title, 'Example reaches a shell command');
    const sarif = await store.getSarif(idOf(record));
    t.is(Buffer.from(sarif.json).toString(), JSON.stringify(toSarif(record)));
  });

  check('insertRfc keeps 500 findings', async (t, { store }) => {
    const findings = Array.from({ length: FINDINGS_PER_RFC_MAX }, (_, index) =>
      sampleFinding(index),
    );
    const record = sampleRecord({ rfc_id: 'RFC-BIG' });
    record.gates = { ...record.gates, risk: { ...record.gates.risk, findings } };
    await insert(store, record);
    t.deepEqual(await read(store, record), record);
    const { summaries } = await list(store, {});
    const { risk } = summaries[0]?.gates ?? t.fail();
    t.is(risk.findings_total, FINDINGS_PER_RFC_MAX);
    const [first] = findings;
    t.like(risk.findings[0], { id: first?.id, severity: first?.severity });
  });

  check('insertRfc takes 50 at once, and a read after each sees it', async (t, { store }) => {
    const records = Array.from({ length: 50 }, (_, n) => sampleRecord({ rfc_id: `RFC-${n}` }));
    const seen = await Promise.all(
      records.map(async (record) => {
        await insert(store, record);
        return read(store, record);
      }),
    );
    t.deepEqual(seen, records);
  });

  check('insertRfc outlives closing', async (t, harness) => {
    const record = sampleRecord({ rfc_id: 'RFC-1' });
    const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', SEAL_CHUNK_BYTES);
    await harness.store.insertRfc({ record: recordText(record), diff });
    await harness.reopen();
    t.deepEqual(await read(harness.store, record), record);
    t.is(await readDiffText(harness.store, 'RFC-1'), 'diff');
  });
}

export function checkIdentity(check: Check): void {
  check('insertRfc again: the same is accepted, another is refused', async (t, { store }) => {
    const record = sampleRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    t.deepEqual(await insert(store, record), { rev: 1 });
    const batch = [insert(store, record), insert(store, record)];
    t.deepEqual(await Promise.all(batch), [{ rev: 1 }, { rev: 1 }]);
    for (const other of [
      { ...record, branch: 'other' },
      { ...record, tenant_id: 'other' },
    ]) {
      await fails(t, insert(store, other), 'ALREADY_EXISTS');
    }
    const stolen = { ...recordText(record), tenant_id: 'other' };
    await fails(t, store.insertRfc({ record: stolen, diff: null }), 'ALREADY_EXISTS');
    t.deepEqual(await read(store, record), record);
    t.is((await list(store, {})).summaries.length, 1);
  });

  check('getRfc and all others hide what is of another tenant', async (t, { store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', SEAL_CHUNK_BYTES);
    await store.insertRfc({ record: recordText(draft), diff });
    const foreign = { tenant_id: 'other', rfc_id: 'RFC-1' };
    const outcome = recordText(outcomeOf({ ...draft, tenant_id: 'other' }));
    await fails(t, store.getRfc(foreign), 'NOT_FOUND');
    await fails(t, store.getSarif(foreign), 'NOT_FOUND');
    await fails(t, store.getDiff(foreign), 'NOT_FOUND');
    await fails(t, store.startAttempt({ ...foreign, expectedRev: 1 }), 'NOT_FOUND');
    await fails(t, store.completeDraft({ record: outcome, expectedRev: 1 }), 'NOT_FOUND');
    for (const filter of [{}, { repo: 'org/repo' }, { status: 'DRAFT' as const }]) {
      t.deepEqual((await list(store, { ...filter, tenant_id: 'other' })).summaries, []);
    }
    t.deepEqual(await read(store, draft), draft);
  });

  check('getRfc answers odd ids with NOT_FOUND', async (t, { store }) => {
    await insert(store, sampleRecord({ rfc_id: 'RFC-1' }));
    const odd = ['', ' ', 'rfc-1', 'RFC-1 ', 'RFC-1\0', '%', "' OR 1=1 --", '\ud800', '../x'];
    for (const rfc_id of [...odd, 'R'.repeat(100_000)]) {
      await fails(t, store.getRfc({ tenant_id: 'default', rfc_id }), 'NOT_FOUND');
      await fails(t, store.getDiff({ tenant_id: 'default', rfc_id }), 'NOT_FOUND');
    }
  });

  check('ping answers when the store can write', async (t, { store }) => {
    t.deepEqual(await store.ping(null), { ok: true });
  });
}
