import type { AuditEvent } from '../../../src/model/audit.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { AddRules } from '../../../src/store/contract/store.ts';
import type { Check } from './steps.ts';

function event(op_id: string, revision: string): AuditEvent {
  return {
    kind: 'rules',
    phase: 'whole',
    op_id,
    tenant_id: 'default',
    principal: null,
    actor: null,
    rfc_id: null,
    rfc_rev: null,
    repo_name: null,
    reason: null,
    details: { revision },
  };
}

function change(expected: number, text: string): AddRules {
  const entry = {
    revision: text,
    source: 'api',
    text_sha256: 'ab',
    added_at: '2026-11-21T12:00:00.000Z',
    added_by: 'cra',
    comment: '',
  } as const;
  return { expected, text, entry, event: event(`op-${text}`, text) };
}

/** Revisions of the rules. */
export function checkRulesBook(check: Check): void {
  check('rules get numbers, the newest is shown, old ones stay', async (t, { rulebook }) => {
    t.deepEqual(await rulebook.newestRules({ known: 0 }), { newest: null, text: null });
    for (const [index, text] of ['a', 'b', 'c'].entries()) {
      const { entry } = await rulebook.addRules(change(index, text));
      t.is(entry.number, index + 1);
    }
    const newest = await rulebook.newestRules({ known: 2 });
    t.is(newest.newest?.number, 3);
    t.is(newest.text, 'c');
    t.is((await rulebook.newestRules({ known: 3 })).text, null);
    t.is((await rulebook.rulesAt({ number: 1 })).text, 'a');
    const { entries } = await rulebook.listRules({ limit: 2, before: null });
    t.deepEqual(
      entries.map(({ number, revision }) => [number, revision]),
      [
        [3, 'c'],
        [2, 'b'],
      ],
    );
    t.is((await rulebook.listRules({ limit: 2, before: 2 })).entries[0]?.number, 1);
    const missing = rulebook.rulesAt({ number: 9 });
    t.is((await t.throwsAsync(missing, { instanceOf: CraError }))?.code, 'NOT_FOUND');
  });

  check('of racing changes of the rules one wins, and the trail agrees', async (t, harness) => {
    const { rulebook } = harness;
    const calls = Array.from({ length: 10 }, (_, index) =>
      rulebook.addRules(change(0, `r${index}`)),
    );
    const settled = await Promise.allSettled(calls);
    const won = settled.filter(({ status }) => status === 'fulfilled');
    t.is(won.length, 1);
    for (const one of settled) {
      if (one.status === 'rejected') t.is((one.reason as CraError).code, 'ABORTED');
    }
    const { newest } = await rulebook.newestRules({ known: 0 });
    const told = (await harness.entries()).filter(
      ({ kind, phase }) => kind === 'rules' && (phase === 'whole' || phase === 'done'),
    );
    t.is(told.length, 1);
    t.is(told[0]?.op_id, `op-${newest?.revision}`);
    t.is(told[0]?.details['number'], 1);
  });
}
