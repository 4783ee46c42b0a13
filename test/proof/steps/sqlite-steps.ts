import { QUERIES } from '../../../src/store/sqlite/queries.ts';

/** Places in the transaction of a decision, by the statement that stands there. */
export const SQLITE_STEPS = [
  { name: 'before the transaction', sql: 'BEGIN IMMEDIATE', when: 'before' },
  { name: 'begun', sql: 'BEGIN IMMEDIATE', when: 'after' },
  { name: 'before the entry', sql: QUERIES.auditAppend, when: 'before' },
  { name: 'between entry and record', sql: QUERIES.auditAppend, when: 'after' },
  { name: 'record replaced', sql: QUERIES.decide, when: 'after' },
  { name: 'record removed', sql: QUERIES.remove, when: 'after' },
  { name: 'fingerprint accepted', sql: QUERIES.accept, when: 'after' },
  { name: 'answer kept', sql: QUERIES.addDecisionOp, when: 'after' },
  { name: 'before the commit', sql: 'COMMIT', when: 'before' },
  { name: 'committed, not answered', sql: 'COMMIT', when: 'after' },
] as const;
