import { writeSync } from 'node:fs';
import { judgedPush, keysOf, samplePush } from '../fixtures/pushes.ts';
import { recordText } from '../fixtures/records.ts';
import { openSqlite } from './harness.ts';

/** Takes pushes, claims and judges them with 16 in flight until it is killed; says what it did. */
const [dataDir = '', seed = ''] = process.argv.slice(2);
const { store, pushes } = openSqlite(dataDir, Date.now);
let next = 0;

async function pushForever(): Promise<never> {
  for (;;) {
    const rfc_id = `RFC-${seed}-${next++}`;
    const draft = samplePush({ rfc_id, repo_name: `org/${next % 5}` });
    await pushes.acceptPush({ record: recordText(draft), push: keysOf(draft) });
    acknowledge(rfc_id, 1);
    if (next % 3 === 0) continue;
    const lease = { owner: 'daemon', leaseMs: 600_000, expectedRev: 1 };
    const { record } = await pushes.takePush({ tenant_id: draft.tenant_id, rfc_id, ...lease });
    acknowledge(rfc_id, 2);
    const outcome = recordText(judgedPush(record));
    await store.completeDraft({ record: outcome, expectedRev: 2 });
    acknowledge(rfc_id, 3);
  }
}

// One write call a line: a pipe takes it whole or not at all.
function acknowledge(rfcId: string, rev: number): void {
  writeSync(1, `${rfcId} ${rev}\n`);
}

await Promise.all(Array.from({ length: 16 }, pushForever));
