import { writeSync } from 'node:fs';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { recordText } from '../../store/fixtures/records.ts';
import { LINES, stepOperations } from './step-operations.ts';

const AT_A_TIME = 8;

/** Says that the step was reached and stops the whole process, until it is killed. */
export function stopHere(): never {
  say(LINES.reached);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('nobody killed this process');
}

/** Inserts and decides with several at a time, and says what was asked and answered. */
export async function decideForever(
  { insertRfc }: Pick<RecordStore, 'insertRfc'>,
  { decide }: Pick<TrailStore, 'decide'>,
  seed: number,
): Promise<never> {
  let next = 0;
  const worker = async () => {
    for (;;) {
      const n = next++;
      const { record, operations } = stepOperations(seed, n);
      await insertRfc({ record: recordText(record), diff: null });
      say(`${LINES.asked} ${n}`);
      for (const operation of operations) {
        await decide(operation);
        say(`${LINES.answered} ${operation.op_id}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  throw new Error('unreachable');
}

/** One write call a line: a pipe takes it whole or not at all. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}
