import test from 'ava';
import { createAdmission } from '../../src/analysis/admission.ts';
import { PIPELINE } from '../../src/limits.ts';
import type { CraError } from '../../src/model/errors.ts';

const SMALL = { caller: 'a', bytes: 10, waitMs: null, signal: null };
const LARGE = { ...SMALL, bytes: PIPELINE.SMALL_JOB_BYTES };

test('createAdmission lets as many in as there are threads', async (t) => {
  const admission = createAdmission(2);
  const first = await admission.acquire(SMALL);
  await admission.acquire(SMALL);
  let isIn = false;
  const third = admission.acquire(SMALL).then(() => {
    isIn = true;
  });
  t.is(admission.running, 2);
  t.is(admission.waiting, 1);
  t.false(isIn);
  first();
  first();
  await third;
  t.is(admission.running, 2);
});

test('createAdmission keeps one thread for small jobs', async (t) => {
  const admission = createAdmission(2);
  const large = await admission.acquire(LARGE);
  const waiting = admission.acquire(LARGE);
  t.is(admission.waiting, 1);
  // A small job passes the large one that waits.
  const small = await admission.acquire(SMALL);
  t.is(admission.running, 2);
  small();
  t.is(admission.waiting, 1);
  large();
  await waiting;
  t.is(admission.running, 1);
});

test('createAdmission answers RESOURCE_EXHAUSTED when the wait is over', async (t) => {
  const admission = createAdmission(1);
  const release = await admission.acquire(SMALL);
  const error = await t.throwsAsync<CraError>(admission.acquire({ ...SMALL, waitMs: 1 }));
  t.is(error.code, 'RESOURCE_EXHAUSTED');
  t.is(admission.waiting, 0);
  release();
  t.is(admission.running, 0);
});

test('createAdmission drops a caller that goes away', async (t) => {
  const admission = createAdmission(1);
  await admission.acquire(SMALL);
  const abort = new AbortController();
  const call = admission.acquire({ ...SMALL, signal: abort.signal });
  abort.abort();
  const error = await t.throwsAsync<CraError>(call);
  t.is(error.code, 'CANCELLED');
  t.is(admission.waiting, 0);
});
