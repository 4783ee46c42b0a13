import { writeSync } from 'node:fs';
import { blockedRecord, decisionOn, findingWith, sampleEvent } from '../fixtures/decisions.ts';
import { recordText } from '../fixtures/records.ts';
import { openSqlite } from './harness.ts';

/** Decides with 16 in flight until it is killed; says on stdout what was answered. */
const [dataDir = '', seed = ''] = process.argv.slice(2);
const { store, trail } = openSqlite(dataDir, Date.now, { checkpointEntries: 50 });
let next = 0;

async function decideForever(): Promise<never> {
  for (;;) {
    const n = next++;
    const rfc_id = `RFC-${seed}-${n}`;
    const record = blockedRecord({ rfc_id }, [findingWith('a')]);
    await store.insertRfc({ record: recordText(record), diff: null });
    const override = decisionOn(record, `${rfc_id}:override`, { accept_findings: true });
    await trail.decide(override);
    acknowledge(override.op_id);
    const action = n % 2 === 0 ? 'reject' : 'delete';
    const second = decisionOn(record, `${rfc_id}:${action}`, { action });
    await trail.decide(second);
    acknowledge(second.op_id);
    const event = sampleEvent(`${rfc_id}:event`);
    await trail.appendEvent({ event });
    acknowledge(event.op_id);
  }
}

// One write call a line: a pipe takes it whole or not at all.
function acknowledge(opId: string): void {
  writeSync(1, `${opId}\n`);
}

await Promise.all(Array.from({ length: 16 }, decideForever));
