import type { DecideInput } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith } from '../../store/fixtures/decisions.ts';

/** What the n-th worker of a seed does: a record and two decisions about it. */
export function stepOperations(seed: number, n: number) {
  const rfc_id = `RFC-${seed}-${n}`;
  const record = blockedRecord({ rfc_id }, [findingWith('a')]);
  const second = n % 2 === 0 ? 'reject' : 'delete';
  const operations: DecideInput[] = [
    decisionOn(record, `${rfc_id}:override`, { accept_findings: true }),
    decisionOn(record, `${rfc_id}:${second}`, { action: second }),
  ];
  return { record, operations };
}

/** Lines that a child writes: an operation was asked for, was answered; the step was reached. */
export const LINES = { asked: 'asked', answered: 'answered', reached: 'reached' } as const;

/** Signs the checkpoints, whichever process opens the store. */
export const STEP_SEED = new Uint8Array(32).fill(3);
