import type { DecideInput } from '../../../src/rpc/trail-contract.ts';
import { blockedRecord, decisionOn, findingWith } from '../../../test/store/fixtures/decisions.ts';

/** What the n-th worker of a seed does: a record and two decisions about it. */
export function stepDeeds(seed: number, n: number) {
  const rfc_id = `RFC-${seed}-${n}`;
  const record = blockedRecord({ rfc_id }, [findingWith('a')]);
  const second = n % 2 === 0 ? 'reject' : 'delete';
  const deeds: DecideInput[] = [
    decisionOn(record, `${rfc_id}:override`, { accept_findings: true }),
    decisionOn(record, `${rfc_id}:${second}`, { action: second }),
  ];
  return { record, deeds };
}

/** Lines that a child writes: a deed was asked for, was answered; the step was reached. */
export const LINES = { asked: 'asked', answered: 'answered', reached: 'reached' } as const;

/** Signs the checkpoints, whoever opens the store. */
export const STEP_SEED = new Uint8Array(32).fill(3);
