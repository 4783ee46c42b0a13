import type { NextStep } from '../../model/next-steps.ts';
import type { RfcRecord } from '../../model/records.ts';

/** An RFC as the API shows it; newer fields are missing from older records. */
export type ShownRfc = Omit<RfcRecord, 'hard_limits'> & {
  hard_limits?: string[];
  next_steps?: NextStep[];
};

/** Decisions that a person may take about an RFC. */
export type Action = 'override' | 'approve' | 'reject';
