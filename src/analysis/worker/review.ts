import { createHmac } from 'node:crypto';
import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { lineKey } from '../../gates/review/memory.ts';
import { PROMPT_VERSION, planReview, REVIEW_BYTES_MAX } from '../../gates/review/prompt.ts';
import type { Finding } from '../../model/finding.ts';
import { findingsOf, type ReviewEntry, type RfcRecord } from '../../model/records.ts';
import {
  type ReviewedFinding,
  type ReviewHunk,
  type ReviewLine,
  SENSITIVE_PRIORITY,
  type SkipReason,
} from '../../model/review.ts';
import { findingId, type GateResult } from '../../model/rfc.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import { redactHunks } from '../../redaction/prompt-redactor.ts';
import type { FindOwn } from '../../redaction/redact.ts';
import type { PlannedReview, ReviewAgain } from '../../rpc/contract.ts';
import { verdictOfReview, worstFirst } from '../../verdict/verdict.ts';
import { type FileKind, fileKind } from './change-shape.ts';
import { settledRecord } from './record.ts';
import { lastFindingNumber, revisedStatus, withGates } from './revised-record.ts';
import type { ActiveRules } from './rules-cache.ts';

/**
 * Prepares the review of a diff: its hunks without secrets, spread over calls, the riskiest first.
 * Files that nobody writes by hand are listed only. `key` is the HMAC key of fingerprints; `own`
 * finds the service's own secrets, which leave it under no rules.
 */
export function planChange(
  diff: Uint8Array,
  record: Pick<RfcRecord, 'tenant_id' | 'gates'>,
  { rules, key, own }: { rules: ActiveRules; key: Uint8Array; own: FindOwn },
  cancel: CancelFlag,
): PlannedReview {
  // The diff of a push that changes no file.
  if (diff.length === 0) {
    const plan = { chunks: [], paths: [], left: [] };
    return { plan, redactions: 0, keys: [], lineKeys: [] };
  }
  const { files } = parseDiff(diff);
  const found = new Set(findingsOf(record).map(({ file }) => file));
  const hunks = files
    .filter((file) => !isMachineMade(file))
    .flatMap((file) => hunksOf(diff, file, priorityOf(file.path, found)))
    .map((hunk) => withFacts(hunk, record, rules));
  const { sent, rest } = withinBounds(hunks);
  const numbers = new Map<string, number>();
  const known = { values: [], numbers, own };
  const redacted = redactHunks(sent, rules.compiled, cancel, known);
  const paths = redactPaths(files, rules, cancel, own);
  const left = redactPaths(rest, rules, cancel, own);
  const redactions = numbers.size;
  if (redacted === null || paths === null || left === null) {
    return { plan: null, redactions, keys: [], lineKeys: [] };
  }
  const plan = planReview(redacted);
  const keys = plan.chunks.map((chunk) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['review', record.tenant_id, PROMPT_VERSION, chunk.hunks]))
      .digest('hex'),
  );
  const lineKeys = plan.chunks.map(({ hunks: read }) =>
    read.flatMap(({ path, lines }) => lines.map((line) => lineKey(key, line, path))),
  );
  const all = [...new Set([...plan.left, ...left])];
  return { plan: { ...plan, paths, left: all }, redactions, keys, lineKeys };
}

/** Findings of other gates that do not block; the prompt never says that they found nothing. */
function withFacts(
  hunk: ReviewHunk,
  record: Pick<RfcRecord, 'gates'>,
  { pipeline }: ActiveRules,
): ReviewHunk {
  const shown = new Set(
    hunk.lines.filter(({ side }) => side !== 'removed').map((one) => one.number),
  );
  const facts = findingsOf(record).flatMap(({ gate, file, line, id, severity, suppressed }) => {
    const isMeant = gate !== 'llm' && suppressed === null && file === hunk.path;
    const isHere = isMeant && line !== null && shown.has(line);
    return isHere && !pipeline.block_severities.includes(severity) ? [{ line, id }] : [];
  });
  return facts.length === 0 ? hunk : { ...hunk, facts: facts.slice(0, FACTS_MAX) };
}

const FACTS_MAX = 20;

const MACHINE_MADE = [
  /(?:^|\/)(?:node_modules|vendor|third_party|bower_components)\//,
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock)$/,
  /(?:^|\/)(?:cargo\.lock|go\.sum|poetry\.lock|uv\.lock|composer\.lock|gemfile\.lock)$/i,
  /\.(?:min\.(?:js|css)|map|snap)$|_pb2\.py$|\.pb\.go$/,
];

function isMachineMade({ path, content }: DiffFile): boolean {
  return content === 'binary' || MACHINE_MADE.some((pattern) => pattern.test(path));
}

/** Where a small change has grave effects. */
const SENSITIVE_PATH =
  /(?:^|[/_.-])(?:auth|login|session|permission|polic(?:y|ies)|rbac|acl|crypto|secret|token|password|oauth|saml|jwt|sudoers)/i;
const SENSITIVE_KINDS: ReadonlySet<FileKind> = new Set(['ci', 'dep', 'mig', 'infra']);
const KIND_PRIORITY: Partial<Record<FileKind, number>> = { code: 30, cfg: 20, test: 5, doc: 0 };

function priorityOf(path: string, found: ReadonlySet<string | null>): number {
  const kind = fileKind(path);
  const isSensitive = SENSITIVE_KINDS.has(kind) || (kind !== 'doc' && SENSITIVE_PATH.test(path));
  return (
    (KIND_PRIORITY[kind] ?? 10) +
    (isSensitive ? SENSITIVE_PRIORITY : 0) +
    (found.has(path) ? 50 : 0)
  );
}

/** The riskiest hunks that all calls together can read, and the others. */
function withinBounds(hunks: readonly ReviewHunk[]) {
  const ordered = [...hunks].sort((one, other) => other.priority - one.priority);
  const sent: ReviewHunk[] = [];
  const rest: ReviewHunk[] = [];
  let bytes = 0;
  for (const hunk of ordered) {
    bytes += hunk.lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    (bytes <= REVIEW_BYTES_MAX ? sent : rest).push(hunk);
  }
  return { sent, rest };
}

function redactPaths(
  files: readonly { path: string }[],
  rules: ActiveRules,
  cancel: CancelFlag,
  own: FindOwn,
): string[] | null {
  const paths = [...new Set(files.map(({ path }) => path))].slice(0, PATHS_MAX);
  const hunks = paths.map((path) => ({ path, lines: [], priority: 0 }));
  const known = { values: [], numbers: new Map<string, number>(), own };
  return redactHunks(hunks, rules.compiled, cancel, known)?.map(({ path }) => path) ?? null;
}

/** Paths of a change that a prompt lists at most. */
const PATHS_MAX = 400;

function hunksOf(diff: Uint8Array, file: DiffFile, priority: number): ReviewHunk[] {
  const bytes = asBuffer(diff);
  const cursor = new LineCursor(bytes);
  return file.hunks.map((hunk) => ({
    path: file.path,
    priority,
    lines: linesOf(bytes, cursor, hunk),
  }));
}

const SIDES = {
  [LINE.ADDED]: 'added',
  [LINE.REMOVED]: 'removed',
  [LINE.CONTEXT]: 'context',
} as const;

function linesOf(bytes: Buffer, cursor: LineCursor, hunk: Hunk): ReviewLine[] {
  const lines: ReviewLine[] = [];
  let oldLine = hunk.oldStart;
  cursor.open(hunk);
  while (cursor.next()) {
    const side = SIDES[cursor.kind];
    const number = side === 'removed' ? oldLine : cursor.newLine;
    if (side !== 'added') oldLine += 1;
    const text = bytes.toString('utf8', cursor.start, cursor.end).replace(/\r$/, '');
    lines.push({ number, side, text });
  }
  return lines;
}

/** What a review of gate 3 found. */
interface Review {
  findings: readonly ReviewedFinding[];
  /** Null: all of the change is proven read. */
  skip_reason: SkipReason | null;
  duration_ms: number;
}

/** A DRAFT whose gates 1 and 2 have run, with what its review found; only the score may rise. */
export function reviewedRecord(
  draft: RfcRecord,
  review: Review,
  settings: PipelineSettings,
  now: string,
): RfcRecord {
  const found = named(draft, review.findings);
  const llm = verdictOfReview(found, review.skip_reason, settings, review.duration_ms);
  return settledRecord(withReview(draft, llm, now), settings);
}

/**
 * A record that has a verdict, with what another review found. It only adds: findings stay, `fail`
 * stays, and what was read stays read. A held record passes when all of the change is proven read
 * and nothing else blocks; a passed one is blocked by what was found now; any other keeps its
 * status. The same record (and rev) where a retry of the service has changed nothing.
 */
export function reviewedAgain(
  before: RfcRecord,
  review: Review,
  again: ReviewAgain,
  settings: PipelineSettings,
  now: string,
): RfcRecord {
  const known = new Set(before.gates.llm.findings.map(keyOf));
  const added = named(
    before,
    review.findings.filter((one) => !known.has(keyOf(one))),
  );
  const llm = strongerOf(before.gates.llm, added, review, settings);
  const next = withReview(before, llm, now);
  const overall_status = revisedStatus(before, next, settings);
  const { asked, review_id } = again;
  const { status, skip_reason } = before.gates.llm;
  const isSame = llm.status === status && llm.skip_reason === skip_reason && added.length === 0;
  const history = before.review_history ?? [];
  const isKnown = asked === null || history.some((one) => one.review_id === review_id);
  if (isSame && isKnown) return before;
  const entry: ReviewEntry = {
    review_id,
    principal: asked?.principal ?? null,
    reason: asked?.reason ?? null,
    at: now,
    result: llm.status,
    skip_reason: review.skip_reason,
    findings_added: added.length,
    status_before: before.overall_status,
    status_after: overall_status,
  };
  // A review that was put off has one entry, whatever became of it in between.
  const others = history.filter((one) => one.review_id !== review_id);
  return { ...next, overall_status, review_history: [...others, entry] };
}

/** Notes have no fingerprint: one of each kind is enough. */
function keyOf({ id, fingerprint }: { id: string; fingerprint: string }): string {
  return `${id} ${fingerprint}`;
}

/** The findings with ids that follow the ids of the record. */
function named(record: RfcRecord, found: readonly ReviewedFinding[]): Finding[] {
  const taken = lastFindingNumber(record);
  return worstFirst(found).map((finding, index) => ({
    ...finding,
    finding_id: findingId(record.rfc_id, taken + index + 1),
    resolved: null,
  }));
}

/** Gate 3 with the findings of both reviews; never a weaker result than before. */
function strongerOf(
  before: GateResult,
  added: readonly Finding[],
  { skip_reason, duration_ms }: Review,
  settings: PipelineSettings,
): GateResult {
  const findings = [...before.findings, ...added];
  const result = verdictOfReview(findings, skip_reason, settings, duration_ms);
  if (result.status === 'fail') return result;
  const { suppressed_count } = result;
  const isRead = result.status === 'pass' && before.status === 'skipped';
  if (isRead) return result;
  if (before.status !== 'skipped') return { ...before, findings, suppressed_count };
  // What was held stays held, whatever the rules say of failures by now.
  return before.held === true ? { ...result, held: true } : result;
}

/** The record with another result of gate 3, one rev higher; its status is not touched. */
function withReview(record: RfcRecord, llm: GateResult, now: string): RfcRecord {
  const { gates, hard_limits } = record;
  const isLimited = llm.status === 'fail' && !hard_limits.includes('llm');
  const next = withGates(record, { ...gates, llm }, now);
  return { ...next, hard_limits: isLimited ? [...hard_limits, 'llm'] : hard_limits };
}
