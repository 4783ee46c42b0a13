import test from 'ava';
import { createAdmission } from '../../src/analysis/admission.ts';
import { createDrafts } from '../../src/analysis/drafts.ts';
import type { PipelineOptions } from '../../src/analysis/pipeline.ts';
import { createWaiters } from '../../src/analysis/waiters.ts';
import { CraError } from '../../src/model/errors.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

/** The background part over a store and an analysis that only wait to be told to stop. */
function createStuck() {
  const admission = createAdmission(1);
  const waiters = createWaiters();
  const problems: string[] = [];
  let started: (signal: AbortSignal) => void = () => undefined;
  const running = new Promise<AbortSignal>((resolve) => {
    started = resolve;
  });
  const options = {
    admission,
    waiters,
    rules: { revision: 'test' },
    store: {
      startAttempt: async ({ expectedRev }: { expectedRev: number }) => ({
        record: { ...DRAFT, rev: expectedRev + 1 },
      }),
      getDiff: async () => ({ chunks: [] }),
      completeDraft: async () => {
        problems.push('an outcome was written');
      },
    },
    analysis: {
      resume: (_input: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new CraError('CANCELLED', 'cancelled')));
          started(signal);
        }),
    },
    attemptsMax: 3,
    finishDrafts: true,
    orphansIntervalMs: null,
    onBackgroundError: ({ message }: CraError) => problems.push(message),
  } as unknown as PipelineOptions;
  return { admission, waiters, problems, running, drafts: createDrafts(options) };
}

const DRAFT: RfcRecord = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'DRAFT' });
const LONG_MS = 60_000;

test('cancel ends the job of a draft, frees its thread and wakes those who wait', async (t) => {
  const { drafts, running, waiters, admission, problems } = createStuck();
  drafts.goOn(DRAFT);
  const signal = await running;
  const woken = waiters.wait('RFC-1', LONG_MS, null);
  t.is(admission.running, 1);
  drafts.cancel('RFC-1');
  await woken;
  t.true(signal.aborted);
  await drafts.stop();
  t.is(admission.running, 0);
  t.deepEqual(problems, []);
});

test('cancel takes a draft that waits for a thread out of the queue', async (t) => {
  const { drafts, admission, problems } = createStuck();
  const ticket = { caller: 'a', bytes: 1, waitMs: null, signal: null };
  const release = await admission.acquire(ticket);
  drafts.goOn(DRAFT);
  t.is(admission.waiting, 1);
  drafts.cancel('RFC-1');
  t.is(admission.waiting, 0);
  release();
  await drafts.stop();
  t.deepEqual(problems, []);
});

test('cancel of an RFC that has no job only wakes', async (t) => {
  const { drafts, waiters } = createStuck();
  const woken = waiters.wait('RFC-2', LONG_MS, null);
  drafts.cancel('RFC-2');
  await woken;
  t.pass();
});
