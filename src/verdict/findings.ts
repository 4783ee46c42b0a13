import { FINDINGS_PER_RFC_MAX } from '../limits.ts';
import {
  type Finding,
  type GateFinding,
  isVulnerability,
  plainFinding,
  severityRank,
} from '../model/finding.ts';
import { findingId } from '../model/ids.ts';

const OVERFLOW_ID = 'findings-overflow';
const NOTES_MAX = 3;

/**
 * Gives findings their ids and keeps the worst FINDINGS_PER_RFC_MAX of them, suppressed ones last.
 * When some are left out, one more finding counts them. It is high, because a finding that nobody
 * can read cannot pass, unless all that are left out were suppressed.
 */
export function nameFindings(rfcId: string, findings: readonly GateFinding[]): Finding[] {
  const sorted = worstFirst(findings);
  const left = sorted.length - FINDINGS_PER_RFC_MAX;
  const kept = left > 0 ? sorted.slice(0, FINDINGS_PER_RFC_MAX) : sorted;
  if (left > 0) kept.push(overflow(sorted.slice(FINDINGS_PER_RFC_MAX)));
  return kept.map((finding, index) => ({
    ...finding,
    finding_id: findingId(rfcId, index + 1),
    resolved: null,
  }));
}

/** Findings in the order of lists: suppressed ones last, vuln-* first, then the worst, by place. */
export function worstFirst(findings: readonly GateFinding[]): GateFinding[] {
  return [...findings].sort(inListOrder);
}

/**
 * One finding for each secret instead of one for each place: where the same rule found the same
 * value again, the first finding says in its message how often and where. For findings whose
 * suppression is settled: places that are suppressed and places that are not stay apart, so that
 * a marker at one place hides no other.
 */
export function foldRepeats(findings: readonly GateFinding[]): GateFinding[] {
  const repeats = new Map<string, GateFinding[]>();
  for (const finding of findings) {
    if (!isSecretInFile(finding)) continue;
    const key = valueKey(finding);
    const known = repeats.get(key);
    if (known === undefined) repeats.set(key, []);
    else known.push(finding);
  }
  const folded: GateFinding[] = [];
  for (const finding of findings) {
    const others = isSecretInFile(finding) ? repeats.get(valueKey(finding)) : [];
    if (others === undefined) continue;
    if (others.length === 0) {
      folded.push(finding);
      continue;
    }
    folded.push({ ...finding, message: `${finding.message} ${alsoAt(finding, others)}` });
    repeats.delete(valueKey(finding));
  }
  return folded;
}

function isSecretInFile({ id, file }: GateFinding): boolean {
  return id.startsWith('secret-') && file !== null;
}

function valueKey({ id, fingerprint, suppressed }: GateFinding): string {
  return JSON.stringify([id, fingerprint, suppressed?.by, suppressed?.reason]);
}

function alsoAt({ file }: GateFinding, others: readonly GateFinding[]): string {
  const named = others.slice(0, PLACES_NAMED_MAX).map((other) => {
    if (other.file === file && other.line !== null) return `line ${other.line}`;
    const path = printable(other.file ?? '');
    return other.line === null ? path : `${path}:${other.line}`;
  });
  const left = others.length - named.length;
  const places = others.length === 1 ? '1 other place' : `${others.length} other places`;
  return `It is also in ${places}: ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
}

const PLACES_NAMED_MAX = 3;
const PATH_CHARS_MAX = 80;

/** The end of a path, without what would rewrite the line in which it is shown. */
function printable(path: string): string {
  const text = path.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, '\ufffd');
  return text.length > PATH_CHARS_MAX ? `…${text.slice(1 - PATH_CHARS_MAX)}` : text;
}

function inListOrder(a: GateFinding, b: GateFinding): number {
  return (
    Number(a.suppressed !== null) - Number(b.suppressed !== null) ||
    Number(isVulnerability(b.id)) - Number(isVulnerability(a.id)) ||
    severityRank(a.severity) - severityRank(b.severity) ||
    compareText(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.id, b.id)
  );
}

/** Code unit order: the same on every machine, whatever its locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function overflow(left: readonly GateFinding[]): GateFinding {
  const isSuppressed = left.every(({ suppressed }) => suppressed !== null);
  const which = isSuppressed ? 'suppressed findings' : 'findings';
  // What the gates left out themselves is counted by none of these.
  const own = left.filter(({ id }) => id === OVERFLOW_ID);
  const notes = own.slice(0, NOTES_MAX).map(({ message }) => message);
  return plainFinding({
    id: OVERFLOW_ID,
    gate: 'risk',
    severity: isSuppressed ? 'info' : 'high',
    message: [
      `${left.length} more ${which} are not listed; the ${FINDINGS_PER_RFC_MAX} worst are`,
      ...new Set(notes),
    ].join('; '),
    fix: 'Fix the listed findings, or split the change, and submit it again.',
  });
}
