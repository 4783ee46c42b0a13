import test from 'ava';
import { nextStatus, type RfcStatus, STATUSES, type Transition } from '../../src/model/rfc.ts';

const TRANSITIONS: Transition[] = ['pass', 'block', 'supersede', 'override', 'approve', 'reject'];

/** Written from the spec, "States and transitions"; every other move is a conflict. */
const ALLOWED: Record<string, RfcStatus> = {
  'DRAFT pass': 'PASSED',
  'DRAFT block': 'BLOCKED',
  'DRAFT supersede': 'SUPERSEDED',
  'BLOCKED override': 'OVERRIDDEN',
  'BLOCKED approve': 'OVERRIDDEN',
  'PASSED approve': 'APPROVED',
  'DRAFT reject': 'REJECTED',
  'BLOCKED reject': 'REJECTED',
  'PASSED reject': 'REJECTED',
  'OVERRIDDEN reject': 'REJECTED',
  'APPROVED reject': 'REJECTED',
  'REJECTED reject': 'REJECTED',
  'SUPERSEDED reject': 'REJECTED',
};

for (const status of STATUSES) {
  test(`nextStatus allows from ${status} exactly what the spec says`, (t) => {
    for (const transition of TRANSITIONS) {
      const wanted = ALLOWED[`${status} ${transition}`] ?? null;
      t.is(nextStatus(status, transition), wanted, `${status} + ${transition}`);
    }
  });
}
