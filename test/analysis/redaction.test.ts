import test, { type ExecutionContext } from 'ava';
import { createAdmission } from '../../src/analysis/admission.ts';
import { createRedact, type RedactOptions } from '../../src/analysis/redaction.ts';
import { CraError } from '../../src/model/errors.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';

type Thread = RedactOptions['analysis']['redact'];

/** Redaction over one thread that does as told. */
function createOver(redact: Thread) {
  const admission = createAdmission(1);
  const rules = { revision: 'r1', rules: {} } as RedactOptions['rules'];
  const analysis = { redact } as RedactOptions['analysis'];
  return { admission, redact: createRedact({ admission, analysis, rules }) };
}

const author = (signal: AbortSignal | null = null) => ({
  principal: MANAGER,
  remoteAddress: '127.0.0.1',
  signal,
});

async function refusal(t: ExecutionContext, call: Promise<unknown>): Promise<CraError> {
  return (await t.throwsAsync(call, { instanceOf: CraError })) ?? new CraError('INTERNAL', '');
}

test('redact gives a thread its rules when it asks for them', async (t) => {
  const revisions: boolean[] = [];
  const { redact, admission } = createOver(async ({ texts, rules }) => {
    revisions.push(rules !== null);
    if (rules === null) {
      throw new CraError('FAILED_PRECONDITION', 'unknown', { details: { rules_unknown: true } });
    }
    return { texts: texts.map((text) => text.toUpperCase()) };
  });
  t.deepEqual(await redact(['a', 'b'], author()), ['A', 'B']);
  t.deepEqual(revisions, [false, true]);
  t.is(admission.running, 0);
});

for (const [what, error] of [
  ['is lost', new CraError('INTERNAL', 'lost', { details: { thread_lost: true } })],
  ['is too slow', new CraError('DEADLINE_EXCEEDED', 'slow', { details: { thread_lost: true } })],
  ['has a defect', new TypeError('defect')],
] as const) {
  test(`a thread that ${what} is told as UNAVAILABLE: nothing was changed`, async (t) => {
    const { redact, admission } = createOver(() => Promise.reject(error));
    const { code, message } = await refusal(t, redact(['a'], author()));
    t.is(code, 'UNAVAILABLE');
    t.regex(message, /nothing was changed$/);
    t.is(admission.running, 0);
  });
}

test('without a free thread redact gives up in time: nothing was changed', async (t) => {
  const { redact, admission } = createOver(async ({ texts }) => ({ texts }));
  const release = await admission.acquire({ caller: 'a', bytes: 1, waitMs: null, signal: null });
  const { code, message } = await refusal(t, redact(['a'], author()));
  t.is(code, 'RESOURCE_EXHAUSTED');
  t.regex(message, /busy.*nothing was changed$/);
  release();
  t.deepEqual(await redact(['a'], author()), ['a']);
});

test('a client that goes away waits no more', async (t) => {
  const { redact, admission } = createOver(async ({ texts }) => ({ texts }));
  const release = await admission.acquire({ caller: 'a', bytes: 1, waitMs: null, signal: null });
  const gone = new AbortController();
  const call = redact(['a'], author(gone.signal));
  gone.abort();
  t.is((await refusal(t, call)).code, 'CANCELLED');
  t.is(admission.waiting, 0);
  release();
});
