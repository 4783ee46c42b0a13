import test from 'ava';
import fc from 'fast-check';
import { createCancelFlag } from '../../src/core/cancel-flag.ts';
import { compileRules } from '../../src/gates/patterns/compile.ts';
import { createDecisionHandlers } from '../../src/http/api/handlers-decisions.ts';
import { DECISION_ROUTES } from '../../src/http/api/routes-decisions.ts';
import { type Dispatch, dispatchTo } from '../../src/http/server/dispatch.ts';
import { redactTexts } from '../../src/redaction/redact.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { openServices } from '../decisions/services.ts';
import { openDoor } from './door.ts';
import { sendTo } from './send-to.ts';

const PATHS = [
  'rfc/RFC-1/override',
  'approve/RFC-1',
  'reject/RFC-1',
  'rfc/RFC-1/delete',
  'bulk-override',
  'ops-log',
];
const FIELDS = [
  'actor',
  'reason',
  'action',
  'accept_findings',
  'force_commit_sha',
  'force_repo_full_name',
  'repo',
  'before_date',
  'rfc_ids',
  'next',
  'description',
  'command',
  'app',
  'environment',
  '__proto__',
];

/** Any UTF-16, halves of characters and control characters included. */
const text = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x0a, 0x20, 0x22, 0xd83d)))
  .map((units) => String.fromCharCode(...units));
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: fc.constantFrom('approve', 'override', 'RFC-1', '2026-01-01', ' ') },
  fc.array(text, { maxLength: 3 }),
  fc.boolean(),
  fc.jsonValue({ maxDepth: 2 }),
);
const body = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), value) },
  fc.jsonValue(),
);

test('whatever is asked, a decision is made or refused in words, and the trail goes on', async (t) => {
  const rules = compileRules(defaultRules);
  const services = await openServices(t, {
    redact: async (texts) => redactTexts(texts, rules, createCancelFlag()),
  });
  await services.block('RFC-1');
  const door: Dispatch = dispatchTo(DECISION_ROUTES, createDecisionHandlers(services), openDoor());
  const seen = new Set<number>();
  let caller = 0;
  const property = fc.asyncProperty(fc.constantFrom(...PATHS), body, async (path, asked) => {
    caller += 1;
    const { status, body: answer } = await sendTo(door, path, asked, {
      remoteAddress: `10.0.${caller >> 8}.${caller & 255}`,
    });
    seen.add(status);
    const { ok, error, code } = JSON.parse(String(answer));
    if (ok) return status === 200;
    return [400, 404, 409].includes(status) && error.length > 0 && code !== 'INTERNAL';
  });
  await fc.assert(property, { numRuns: 1_000 });
  t.true(seen.has(200) && seen.has(400));
  const entries = await services.entries();
  t.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, index) => index + 1),
  );
});
