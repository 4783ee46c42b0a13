import { createHmac } from 'node:crypto';
import type { CancelFlag } from '../../core/cancel-flag.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { planReview, REVIEW_BYTES_MAX } from '../../gates/review/chunks.ts';
import { lineKey } from '../../gates/review/memory.ts';
import { PROMPT_VERSION } from '../../gates/review/prompt.ts';
import { findingsOf, type RfcRecord } from '../../model/records.ts';
import { type ReviewHunk, type ReviewLine, SENSITIVE_PRIORITY } from '../../model/review.ts';
import { redactHunks } from '../../redaction/prompt-redactor.ts';
import type { PlannedReview } from '../../rpc/contract.ts';
import { type FileKind, fileKind } from './change-shape.ts';
import type { ActiveRules } from './rules-cache.ts';

/**
 * Prepares the review of a diff: its hunks without secrets, spread over calls, the riskiest first.
 * Files that nobody writes by hand are listed only. `key` is the HMAC key of fingerprints.
 */
export function planChange(
  diff: Uint8Array,
  record: Pick<RfcRecord, 'tenant_id' | 'gates'>,
  rules: ActiveRules,
  key: Uint8Array,
  cancel: CancelFlag,
): PlannedReview {
  // The diff of a push that changes no file.
  if (diff.length === 0) {
    const plan = { chunks: [], paths: [], left: [] };
    return { plan, redactions: 0, keys: [], line_keys: [] };
  }
  const { files } = parseDiff(diff);
  const found = new Set(findingsOf(record).map(({ file }) => file));
  const hunks = files
    .filter((file) => !isMachineMade(file))
    .flatMap((file) => hunksOf(diff, file, priorityOf(file.path, found)))
    .map((hunk) => withFacts(hunk, record, rules));
  const { sent, rest } = withinBounds(hunks);
  const numbers = new Map<string, number>();
  const redacted = redactHunks(sent, rules.compiled, cancel, { values: [], numbers });
  const paths = redactPaths(files, rules, cancel);
  const left = redactPaths(rest, rules, cancel);
  const redactions = numbers.size;
  if (redacted === null || paths === null || left === null) {
    return { plan: null, redactions, keys: [], line_keys: [] };
  }
  const plan = planReview(redacted);
  const keys = plan.chunks.map((chunk) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['review', record.tenant_id, PROMPT_VERSION, chunk.hunks]))
      .digest('hex'),
  );
  const line_keys = plan.chunks.map(({ hunks: read }) =>
    read.flatMap(({ lines }) => lines.map((line) => lineKey(key, line))),
  );
  const all = [...new Set([...plan.left, ...left])];
  return { plan: { ...plan, paths, left: all }, redactions, keys, line_keys };
}

/** Findings of other gates that do not block; that there are none is never said. */
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
): string[] | null {
  const paths = [...new Set(files.map(({ path }) => path))].slice(0, PATHS_MAX);
  const hunks = paths.map((path) => ({ path, lines: [], priority: 0 }));
  return redactHunks(hunks, rules.compiled, cancel)?.map(({ path }) => path) ?? null;
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
