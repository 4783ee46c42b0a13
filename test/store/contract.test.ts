import test from 'ava';
import { CraError, type StatusCode } from '../../src/model/errors.ts';
import type { CallOptions } from '../../src/rpc/service.ts';
import type { RecordStore } from '../../src/store/contract/records.ts';
import { confirmWrites, markUnknown } from '../../src/store/contract/store.ts';
import type { TrailStore } from '../../src/store/contract/trail.ts';
import { decisionOn, sampleEvent } from './fixtures/decisions.ts';
import { outcomeOf, recordText, sampleDraft } from './fixtures/records.ts';

const unused = () => Promise.reject(new Error('not expected to be called'));

/** A store of which only the given methods answer. */
function storeWith(methods: Partial<RecordStore>): RecordStore {
  const clients: RecordStore = {
    insertRfc: unused,
    completeDraft: unused,
    reviseRfc: unused,
    startAttempt: unused,
    getRfc: unused,
    getState: unused,
    pulse: unused,
    getSarif: unused,
    findFindings: unused,
    listRfcs: unused,
    countFacets: unused,
    listDrafts: unused,
    listScores: unused,
    getDiff: unused,
    trends: unused,
    keepReports: unused,
    reportNames: unused,
    getReport: unused,
    rfcsOfCommit: unused,
    ping: unused,
    ...methods,
  };
  return confirmWrites(clients);
}

const DRAFT = recordText(sampleDraft({ rfc_id: 'RFC-1' }));
const OUTCOME = recordText(outcomeOf(sampleDraft({ rfc_id: 'RFC-1' })));

function holding(record: typeof DRAFT | null): RecordStore['getRfc'] {
  return async () => {
    if (record === null) throw new CraError('NOT_FOUND', 'not there');
    return {
      overall_status: record.overall_status,
      rev: record.rev,
      json: Buffer.from(record.json),
    };
  };
}

const failing = (code: StatusCode) => () => Promise.reject(new CraError(code, 'failed'));

for (const code of ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNKNOWN'] as const) {
  test(`confirmWrites reads a write again after ${code} before it fails`, async (t) => {
    const write = { insertRfc: failing(code), completeDraft: failing(code) };
    const insert = { record: DRAFT, diff: null };
    const complete = { record: OUTCOME, expectedRev: 1 };
    t.deepEqual(await storeWith({ ...write, getRfc: holding(DRAFT) }).insertRfc(insert), {
      rev: 1,
    });
    t.deepEqual(await storeWith({ ...write, getRfc: holding(OUTCOME) }).completeDraft(complete), {
      rev: 2,
    });
    for (const getRfc of [holding(null), holding({ ...DRAFT, json: '{}' }), failing(code)]) {
      const store = storeWith({ ...write, getRfc });
      const errors = [
        await t.throwsAsync(store.insertRfc(insert), { instanceOf: CraError }),
        await t.throwsAsync(store.completeDraft(complete), { instanceOf: CraError }),
      ];
      t.deepEqual(
        errors.map((error) => error?.code),
        [code, code],
      );
    }
  });
}

test('confirmWrites does not read again what certainly did not happen', async (t) => {
  for (const code of ['ABORTED', 'RESOURCE_EXHAUSTED', 'ALREADY_EXISTS', 'CANCELLED'] as const) {
    const store = storeWith({ insertRfc: failing(code), getRfc: holding(DRAFT) });
    const call = store.insertRfc({ record: DRAFT, diff: null });
    t.is((await t.throwsAsync(call, { instanceOf: CraError }))?.code, code);
  }
});

test('confirmWrites moves large chunks to the store, and copies small or shared ones', async (t) => {
  const seen: CallOptions[] = [];
  const store = storeWith({
    insertRfc: async (_input, options = {}) => {
      seen.push(options);
      return { rev: 1 };
    },
  });
  const large = new Uint8Array(100_000);
  const chunks = [large, new Uint8Array(100), new Uint8Array(100_000).subarray(1)];
  const own = new ArrayBuffer(8);
  await store.insertRfc({ record: DRAFT, diff: { chunks, bytes: 1 } }, { transfer: [own] });
  await store.insertRfc({ record: DRAFT, diff: null });
  t.deepEqual(
    seen.map((options) => options.transfer?.length),
    [2, undefined],
  );
  t.is(seen[0]?.transfer?.[1], large.buffer);
});

test('markUnknown: only a trail that says so has changed nothing', async (t) => {
  const refusal = new CraError('UNAVAILABLE', 'cannot be written', { details: { changed: false } });
  const cases = [
    [refusal, 'UNAVAILABLE'],
    [new CraError('UNAVAILABLE', 'a service thread ended'), 'UNKNOWN'],
    [new CraError('ABORTED', 'it is PASSED now'), 'ABORTED'],
    [new CraError('DEADLINE_EXCEEDED', 'too late'), 'DEADLINE_EXCEEDED'],
  ] as const;
  for (const [error, code] of cases) {
    const fail = () => Promise.reject(error);
    const clients: TrailStore = {
      decide: fail,
      appendEvent: fail,
      moveRfc: fail,
      addRemark: fail,
      endAcceptance: fail,
      proveEntries: fail,
      auditStatus: fail,
      decisionState: fail,
      listBlocked: fail,
      listEmergencies: fail,
      countEmergencies: fail,
      acceptedAmong: fail,
      listAccepted: fail,
      endedAcceptance: fail,
      listEntries: fail,
    };
    const trail = markUnknown(clients);
    const decision = decisionOn({ tenant_id: 'default', rfc_id: 'RFC-1' }, 'op-1');
    for (const call of [
      trail.decide(decision),
      trail.appendEvent({ event: sampleEvent('op-1') }),
    ]) {
      t.is((await t.throwsAsync(call, { instanceOf: CraError }))?.code, code);
    }
    t.is(await t.throwsAsync(trail.auditStatus(null), { instanceOf: CraError }), error);
  }
});
