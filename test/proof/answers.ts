import type { Gates } from '../../src/model/rfc.ts';

/** What analyze answers, and what an RFC repeats. */
export interface Answer {
  rfc_id: string;
  diff_hash: string;
  overall_status: string;
  risk_score: number;
  gates: Gates;
  stats: unknown;
}

/** `data` of a good answer. */
export function readAnswer(text: string): Answer {
  const { data } = JSON.parse(text) as { data: Answer };
  const { rfc_id, diff_hash, overall_status, risk_score, gates, stats } = data;
  return { rfc_id, diff_hash, overall_status, risk_score, gates, stats };
}

/** Whether gate 2 said that there is code it could not read. */
export function isUnparsed({ gates }: Answer): boolean {
  return gates.ast.findings.some(({ id }) => id === 'ast-unparsed');
}
