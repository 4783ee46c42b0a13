import test from 'ava';
import { createAdmission } from '../../src/analysis/admission.ts';
import { type DryRunOptions, dryRun } from '../../src/analysis/dry-run.ts';
import { CraError } from '../../src/model/errors.ts';
import { type RfcRecord, summarise } from '../../src/model/records.ts';
import type { AnalysisOutcome } from '../../src/rpc/contract.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

type Thread = DryRunOptions['analysis']['resume'];
const RULES = { revision: 'r2', rules: {} } as Parameters<typeof dryRun>[2];
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Two RFCs, the diff of the second of which is gone when `isSecondGone`; one thread. */
function createOver(resume: Thread, withinMs: number, isSecondGone = false) {
  const records = ['RFC-1', 'RFC-2'].map((rfc_id) => sampleRecord({ rfc_id }));
  const admission = createAdmission(1);
  const store = {
    listRfcs: async () => ({ json: JSON.stringify(records.map(summarise)), next_cursor: null }),
    async getRfc({ rfc_id }: { rfc_id: string }) {
      const record = records.find((one) => one.rfc_id === rfc_id) as RfcRecord;
      return { overall_status: record.overall_status, rev: record.rev, json: bytes(record) };
    },
    async getDiff({ rfc_id }: { rfc_id: string }) {
      if (isSecondGone && rfc_id === 'RFC-2') throw new CraError('NOT_FOUND', 'not kept');
      return { chunks: [] };
    },
  } as unknown as DryRunOptions['store'];
  const analysis = { resume } as DryRunOptions['analysis'];
  const options = { admission, analysis, store, withinMs };
  return {
    admission,
    run: (signal: AbortSignal | null = null) => dryRun(options, 'default', RULES, 10, signal),
  };
}

const passing: Thread = async ({ record }) =>
  ({ record: { json: JSON.stringify(record) } }) as AnalysisOutcome;

/** Ends only when it is told to. */
const endless: Thread = (_, call) =>
  new Promise((_resolve, reject) => {
    const end = () => reject(new CraError('CANCELLED', 'told to end'));
    call?.signal?.addEventListener('abort', end, { once: true });
  });

const busy = { caller: 'a', bytes: 1, waitMs: null, signal: null };

test('dryRun waits for a thread, and tells the RFCs for which there was none in time', async (t) => {
  const { admission, run } = createOver(passing, 50);
  const release = await admission.acquire(busy);
  t.deepEqual(await run(), { checked: 0, skipped: 0, unreached: 2, changed: [] });
  t.is(admission.waiting, 0);
  release();
  t.deepEqual(await run(), { checked: 2, skipped: 0, unreached: 0, changed: [] });
});

test('dryRun goes on when a thread becomes free', async (t) => {
  const { admission, run } = createOver(passing, 60_000);
  const release = await admission.acquire(busy);
  const report = run();
  while (admission.waiting === 0) await new Promise(setImmediate);
  release();
  t.like(await report, { checked: 2, unreached: 0 });
  t.is(admission.running, 0);
});

test('dryRun ends an analysis that is under way when its time is over', async (t) => {
  const { admission, run } = createOver(endless, 50);
  t.like(await run(), { checked: 0, unreached: 2 });
  t.is(admission.running, 0);
});

test('dryRun tells an RFC without a diff apart from one that it did not reach', async (t) => {
  const { run } = createOver(passing, 60_000, true);
  t.like(await run(), { checked: 1, skipped: 1, unreached: 0 });
});

test('dryRun ends when its caller goes away', async (t) => {
  const { admission, run } = createOver(endless, 60_000);
  const gone = new AbortController();
  const report = run(gone.signal);
  while (admission.running === 0) await new Promise(setImmediate);
  gone.abort(new CraError('CANCELLED', 'the client went away'));
  const error = await t.throwsAsync(report, { instanceOf: CraError });
  t.is(error?.code, 'CANCELLED');
  t.is(admission.running, 0);
});

test('dryRun fails when the analysis does', async (t) => {
  const { run } = createOver(() => Promise.reject(new CraError('INTERNAL', 'a defect')), 60_000);
  t.is((await t.throwsAsync(run(), { instanceOf: CraError }))?.code, 'INTERNAL');
});
