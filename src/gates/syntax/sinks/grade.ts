import type { Severity } from '../../../model/finding.ts';
import type { Use } from '../../../rules/catalogue/line.ts';
import type { Source, Value } from '../taint/value.ts';
import type { CallSite, Danger } from './sink.ts';
import { sourceFor } from './sink.ts';

/** A class of findings that only data from outside makes. */
interface Class {
  use: Use;
  cwe: string;
  sink: string;
  fix: string;
  /**
   * Id and severity by the source's strength; what is missing is no finding. What a check of
   * unknown effect has seen is graded like data from outside, but never critical.
   */
  grades: Readonly<
    Partial<
      Record<Exclude<Source['strength'], 'checked'>, readonly [id: string, severity: Severity]>
    >
  >;
}

/** A finding when data from outside reaches the value and nothing made it safe; else null. */
export function fromOutside(
  value: Value | undefined,
  argument: number,
  kind: Class,
  site: Pick<CallSite, 'safetyOf'>,
): Danger | null {
  if (value === undefined) return null;
  const source = sourceFor(value, kind.use, site.safetyOf);
  if (source === null) return null;
  const isChecked = source.strength === 'checked';
  const grade = kind.grades[isChecked ? 'strong' : source.strength];
  if (grade === undefined) return null;
  const { cwe, sink, fix } = kind;
  const isLess = isChecked && grade[1] === 'critical';
  const [id, severity] = isLess ? [lesserId({ id: grade[0], cwe }), 'high' as const] : grade;
  return { id, severity, cwe, sink, fix, value, source, argument };
}

/** The first finding among arguments, or what a list holds. */
export function firstOf(dangers: Iterable<Danger | null>): Danger | null {
  for (const danger of dangers) if (danger !== null) return danger;
  return null;
}

/** Ids of findings that are not critical, by the id of the critical ones of their class. */
const LESSER_IDS: Readonly<Record<string, string>> = {
  'vuln-01': 'ast-command',
  'vuln-02': 'ast-code',
  'vuln-03': 'ast-sql',
  'vuln-04': 'ast-xss',
  'vuln-05': 'ast-path',
  'vuln-06': 'ast-ssrf',
  'vuln-07': 'ast-deserialise',
  'vuln-08': 'ast-prototype',
  'vuln-09': 'ast-crypto',
  'vuln-10': 'ast-token',
};
/** Where a class holds two kinds of mistakes, the second one by its CWE. */
const LESSER_IDS_BY_CWE: Readonly<Record<string, string>> = {
  'CWE-943': 'ast-nosql',
  'CWE-611': 'ast-xxe',
};

/** The id of a danger that turned out to be less than critical. */
export function lesserId({ id, cwe }: Pick<Danger, 'id' | 'cwe'>): string {
  if (!id.startsWith('vuln-')) return id;
  return LESSER_IDS_BY_CWE[cwe] ?? LESSER_IDS[id] ?? id;
}
