/** Places in a decision: one of its steps begins or has ended (see `DecideSteps`). */
export const MONGO_STEPS = [
  { name: 'record read', step: 'readState', phase: null, when: 'after' },
  { name: 'before the intent', step: 'append', phase: 'intent', when: 'before' },
  { name: 'intent written', step: 'append', phase: 'intent', when: 'after' },
  { name: 'before the compare-and-set', step: 'replaceRecord', phase: null, when: 'before' },
  { name: 'compare-and-set done', step: 'replaceRecord', phase: null, when: 'after' },
  { name: 'fingerprints accepted', step: 'accept', phase: null, when: 'after' },
  { name: 'before the outcome', step: 'append', phase: 'outcome', when: 'before' },
  { name: 'outcome written, not answered', step: 'append', phase: 'outcome', when: 'after' },
] as const;
