import type { Severity } from '../../model/finding.ts';

/** What a check finds in a document. Offsets count in the text. */
export interface Observation {
  /** The rule, which says severity, message and fix. */
  id: string;
  start: number;
  end: number;
  /** What makes it the same in another version of the file, and its fingerprint. */
  match: string;
  /** A text between `start` and `end`: the finding stands on its first line. */
  within?: string;
  /** In place of the severity of the rule. */
  severity?: Severity;
  /** A sentence behind the message of the rule. */
  note?: string;
}

/** An observation of a node of which all counts. */
export function observe(
  id: string,
  node: { start: number; end: number },
  match: string,
  severity?: Severity,
): Observation {
  const { start, end } = node;
  return { id, start, end, match, ...(severity === undefined ? {} : { severity }) };
}

/** Lines that end in a backslash joined with the next, without a change of offsets. */
export function joinContinued(script: string): string {
  return script.replace(/\\\r?\n/g, (end) => ' '.repeat(end.length));
}
