import { createHmac } from 'node:crypto';
import {
  type GateFinding,
  plainFinding,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import { lesserId } from './sinks/sink.ts';

const UNPARSED_ID = 'ast-unparsed';

/** Code that gate 2 could not look at. */
interface Unparsed {
  path: string;
  /** Why, as part of a sentence. */
  reason: string;
  /** 1-based line of the new file. */
  line: number;
  /** The code, for excerpt and fingerprint; the excerpt is its line `excerptLine` (from 0). */
  text: string;
  excerptLine: number;
  /**
   * `high` for what was kept from the parser or broke it, `medium` where a generator wrote it,
   * `low` for text that is not a program.
   */
  severity: Extract<Severity, 'high' | 'medium' | 'low'>;
}

/** The finding for code that could not be looked at. */
export function unparsedFinding(key: Uint8Array, unparsed: Unparsed): GateFinding {
  const { path, reason, line, text, excerptLine, severity } = unparsed;
  return plainFinding({
    id: UNPARSED_ID,
    gate: 'ast',
    severity,
    message: `added code was not checked for injection: ${reason}`,
    file: path,
    line,
    end_line: line,
    excerpt: clip(text.split('\n', excerptLine + 1)[excerptLine] ?? ''),
    fingerprint: fingerprint(key, UNPARSED_ID, `${path}\0${text}`),
    fix: 'Split what is nested or written by a generator, or have the change looked at by hand.',
  });
}

const HUNKS_ONLY_ID = 'ast-hunks-only';

/** Says which files were judged by the lines that the diff shows, though the rest was at hand. */
export function hunksOnlyFinding(
  key: Uint8Array,
  { reason, files }: { reason: string; files: readonly { path: string }[] },
): GateFinding {
  const path = files[0]?.path ?? '';
  const others = files.length - 1;
  const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'file' : 'files'})`;
  const message =
    `only the lines that the diff shows of this file${more} were checked for injection, not what ` +
    `they do to the rest of it: ${reason}`;
  return plainFinding({
    id: HUNKS_ONLY_ID,
    gate: 'ast',
    severity: 'low',
    message,
    file: path,
    fingerprint: fingerprint(key, HUNKS_ONLY_ID, `${path}\0${reason}`),
    fix: 'Look at sources, checks and sinks elsewhere in the file, or split it.',
  });
}

/** Whether a finding says that something was not looked at or not listed. */
export function isLoss({ id }: GateFinding): boolean {
  return id === UNPARSED_ID || id === OVERFLOW_ID;
}

/** One finding of this kind a file: the worst, and of those the first line. */
export function worstPerFile(findings: readonly GateFinding[]): GateFinding[] {
  const others = findings.filter((finding) => finding.id !== UNPARSED_ID);
  const worst = new Map<string | null, GateFinding>();
  for (const finding of findings) {
    if (finding.id !== UNPARSED_ID) continue;
    const known = worst.get(finding.file);
    if (known === undefined || isWorse(finding, known)) worst.set(finding.file, finding);
  }
  return [...others, ...worst.values()];
}

function isWorse(left: GateFinding, right: GateFinding): boolean {
  const order = severityRank(left.severity) - severityRank(right.severity);
  return order < 0 || (order === 0 && (left.line ?? 0) < (right.line ?? 0));
}

const OVERFLOW_ID = 'findings-overflow';

/**
 * The finding as it counts in a test or an example, where nothing runs in production: listed, but
 * it blocks nothing and never has the id of a `vuln-NN`. What could not be looked at stays what it
 * is.
 */
export function asInTest(finding: GateFinding): GateFinding {
  const { id, cwe, severity } = finding;
  if (id === UNPARSED_ID || id === OVERFLOW_ID) return finding;
  const isGrave = severityRank(severity) < severityRank('medium');
  const lesser = { id: lesserId({ id, cwe: cwe ?? '' }), severity: 'medium' } as const;
  return isGrave ? { ...finding, ...lesser } : finding;
}

/** Where findings begin that are not listed. */
interface Overflow {
  path: string;
  /** 1-based line of the new file. */
  line: number;
  message: string;
}

/** Says that there is more: what is listed may all be suppressed, and nobody knows the rest. */
export function overflowFinding(key: Uint8Array, { path, line, message }: Overflow): GateFinding {
  return plainFinding({
    id: OVERFLOW_ID,
    gate: 'ast',
    severity: 'high',
    message,
    file: path,
    line,
    end_line: line,
    fingerprint: fingerprint(key, OVERFLOW_ID, path),
    fix: 'Fix the listed findings, or split the change, and submit it again.',
  });
}

/** More than is shown: the scan thread hides secrets first, and knows none that was cut. */
const EXCERPT_CHARS_MAX = 512;

/** Keyed HMAC of a rule and what it matched, hex; white space does not count. */
export function fingerprint(key: Uint8Array, id: string, text: string): string {
  const normalised = text.replace(/\s+/g, ' ').trim();
  return createHmac('sha256', key).update(`${id}\0${normalised}`).digest('hex');
}

/** A line as shown: without its indent, clipped. */
export function clip(line: string): string {
  const text = line.trim();
  return text.length > EXCERPT_CHARS_MAX ? `${text.slice(0, EXCERPT_CHARS_MAX - 1)}…` : text;
}
