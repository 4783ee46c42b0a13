import { writeSync } from 'node:fs';
import { sealDiff } from '../../../src/core/seal.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { openSqlite } from './harness.ts';
import { diffOf, KILL_KEY } from './kill.ts';

/** Writes with 32 in flight until it is killed; says on stdout what was acknowledged. */
const [dataDir = '', seed = ''] = process.argv.slice(2);
const { store } = openSqlite(dataDir, Date.now);
let next = 0;

async function writeForever(): Promise<never> {
  for (;;) {
    const rfc_id = `RFC-${seed}-${next}`;
    const diff = sealDiff(diffOf(rfc_id), KILL_KEY, rfc_id, 4_000);
    next += 1;
    const isDraft = next % 3 === 0;
    const record = isDraft ? sampleDraft({ rfc_id }) : sampleRecord({ rfc_id });
    await store.insertRfc({ record: recordText(record), diff });
    acknowledge(rfc_id, 1);
    if (!isDraft) continue;
    const id = { tenant_id: record.tenant_id, rfc_id };
    const attempt = await store.startAttempt({ ...id, expectedRev: 1 });
    acknowledge(rfc_id, 2);
    const outcome = recordText(outcomeOf(attempt.record));
    await store.completeDraft({ record: outcome, expectedRev: 2 });
    acknowledge(rfc_id, 3);
  }
}

// One write call a line: a pipe takes it whole or not at all.
function acknowledge(rfcId: string, rev: number): void {
  writeSync(1, `${rfcId} ${rev}\n`);
}

await Promise.all(Array.from({ length: 32 }, writeForever));
