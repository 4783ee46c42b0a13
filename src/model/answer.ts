import type { Static } from 'typebox';
import { NEXT_STEPS } from './next-steps.ts';
import { RFC, type RfcRecord, VCS_STATUS } from './records.ts';
import { GATES, STATS, STATUS } from './rfc.ts';
import { exactly, SCORE, TEXT } from './schema.ts';

const PLAIN_ANSWER = exactly({
  rfc_id: TEXT,
  diff_hash: { type: 'string', description: "SHA-256 of the diff's bytes, hex" },
  overall_status: STATUS,
  risk_score: SCORE,
  gates: GATES,
  stats: STATS,
});

/**
 * `data` of the analyze answer: exactly the spec's fields and `stats`; `components` where the RFC
 * has them, `vcs_status` where the status that the caller asked for cannot be posted, and
 * `next_steps` where it is BLOCKED.
 */
export const ANALYZE_ANSWER = {
  ...PLAIN_ANSWER,
  properties: {
    ...PLAIN_ANSWER.properties,
    components: RFC.properties.components,
    required_reports: RFC.properties.required_reports,
    vcs_status: VCS_STATUS,
    next_steps: NEXT_STEPS,
  },
} as const;
export type AnalyzeAnswer = Pick<
  RfcRecord,
  keyof Static<typeof PLAIN_ANSWER> | 'components' | 'required_reports'
> &
  Partial<Pick<Static<typeof ANALYZE_ANSWER>, 'vcs_status' | 'next_steps'>>;

/** A record with the next steps of its caller. */
export type AnsweredRecord = AnalyzeAnswer | (RfcRecord & Pick<AnalyzeAnswer, 'next_steps'>);

const FIELDS = Object.keys(ANALYZE_ANSWER.properties) as (keyof AnalyzeAnswer)[];

/** The answer about a record: its fields that the schema names, in that order, if they are set. */
export function answerOf(record: AnsweredRecord): AnalyzeAnswer {
  const fields = FIELDS.map((name) => [name, record[name]] as const);
  const present = fields.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as unknown as AnalyzeAnswer;
}
