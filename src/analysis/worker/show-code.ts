import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor, type LineKind } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { joinMasks } from '../../gates/patterns/excerpt.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { type Finding, lineInResult } from '../../model/finding.ts';
import { findingsOf, type RfcRecord } from '../../model/records.ts';
import type { ReviewHunk } from '../../model/review.ts';
import type { ChangedFile, CodeBlock, CodeLine } from '../../model/shown-code.ts';
import { redactHunks } from '../../redaction/prompt-redactor.ts';
import { type FindOwn, hideOwn } from '../../redaction/redact.ts';
import { worstFirst } from '../../verdict/verdict.ts';
import { CODE } from '../limits.ts';
import { diffHash } from './record.ts';
import type { ActiveRules } from './rules-cache.ts';

export interface Code {
  blocks: CodeBlock[];
  /** Findings with a line whose code is not shown, because CODE.BYTES_MAX is reached. */
  left_out: number;
}

export interface Changes {
  files: ChangedFile[];
  /** Files that are not named, because CODE.FILES_MAX is reached. */
  left_out: number;
}

interface ShowOptions {
  record: RfcRecord;
  diff: Uint8Array;
  rules: ActiveRules;
  /** Of `rules`. */
  revision: string;
  cancel: CancelFlag;
  /** Finds the service's own secrets. */
  own: FindOwn;
}

/**
 * The code around the findings of a record. Gate 1 looks for secrets in the whole diff as it does
 * for a verdict, and in every line of the hunks shown as if each were added, the removed ones, too;
 * what it finds, and what the record lists as found under other rules, is hidden wherever it
 * stands. Then the search of prompts runs over all that is left. A sentence: nothing may be shown.
 */
export function showCode(options: ShowOptions): Code | string {
  const findings = worstFirst(findingsOf(options.record)) as Finding[];
  const problem = problemOf(options, findings);
  if (problem !== null) return problem;
  const diff = asBuffer(options.diff);
  const { files } = parseDiff(diff);
  const { lines, leftOut } = linesAround(diff, files, findings);
  const blocks = redactedBlocks(options, { files, lines, findings });
  return typeof blocks === 'string' ? blocks : { blocks, left_out: leftOut };
}

/**
 * The files of a change with their lines, without secrets: of all files as long as there is room,
 * or of one file. A sentence: nothing may be shown.
 */
export function showChanges(options: ShowOptions, only: string | null): Changes | string {
  const findings = worstFirst(findingsOf(options.record)) as Finding[];
  const problem = problemOf(options, findings);
  if (problem !== null) return problem;
  const diff = asBuffer(options.diff);
  if (diff.length > CODE.DIFF_BYTES_MAX) {
    return `the diff has ${diff.length} bytes, and up to ${CODE.DIFF_BYTES_MAX} are shown`;
  }
  const { files } = parseDiff(diff);
  const wanted = files.filter(({ path }) => only === null || path === only);
  const named = wanted.slice(0, CODE.FILES_MAX);
  const shown = linesOfFiles(diff, named);
  const lines = named.flatMap((file) => shown.get(file)?.lines ?? []);
  const blocks = redactedBlocks(options, { files, lines, findings });
  if (typeof blocks === 'string') return blocks;
  const byFile = new Map<DiffFile, CodeLine[][]>();
  for (const [index, block] of toBlocks(lines).entries()) {
    const file = block[0]?.file;
    if (file === undefined) continue;
    byFile.set(file, [...(byFile.get(file) ?? []), blocks[index]?.lines ?? []]);
  }
  return {
    left_out: wanted.length - named.length,
    files: named.map((file) => ({
      file: hideOwn(file.path, options.own),
      old_file: file.oldPath === null ? null : hideOwn(file.oldPath, options.own),
      change: file.change,
      content: file.content,
      additions: file.additions,
      deletions: file.deletions,
      blocks: byFile.get(file) ?? [],
      is_cut: shown.get(file)?.isCut ?? true,
    })),
  };
}

/** Why nothing of the diff may be shown, in a sentence; null: it may. */
function problemOf(
  { record, revision, diff }: ShowOptions,
  findings: readonly Finding[],
): string | null {
  if (diffHash(asBuffer(diff)) !== record.diff_hash) {
    return 'the diff at hand is not the judged diff';
  }
  if (record.rules_revision !== revision && findings.some(isOverflow)) {
    return 'other rules are in force now, and not all that the former ones found is known';
  }
  return null;
}

function isOverflow({ id }: Finding): boolean {
  return id === 'findings-overflow';
}

interface Chosen {
  /** All of the diff. */
  files: readonly DiffFile[];
  lines: readonly Line[];
  findings: readonly Finding[];
}

/** The lines in blocks, without secrets. A sentence: they may not be shown. */
function redactedBlocks(options: ShowOptions, chosen: Chosen): CodeBlock[] | string {
  const { record, rules, revision, cancel, own } = options;
  const { files, lines, findings } = chosen;
  const diff = asBuffer(options.diff);
  const hunks = new Set(lines.map(({ hunk }) => hunk));
  const secrets = secretsOf(diff, files, hunks, { rules, cancel });
  if (secrets === null) return 'the change holds too many secrets';
  if (record.rules_revision !== revision) addRecorded(secrets, diff, lines, findings);
  const shown = render(diff, toBlocks(lines), secrets, { rules, cancel, own });
  return shown ?? 'a secret in it could not be hidden';
}

/** A line that is to be shown; `[start, end)` in the diff. */
interface Line {
  file: DiffFile;
  hunk: Hunk;
  /** Of the line in its hunk. */
  index: number;
  kind: LineKind;
  old: number | null;
  new: number | null;
  start: number;
  end: number;
  findings: Finding[];
  /** Byte of the line at which its gravest finding stands. */
  column: number;
}

const SIDES = {
  [LINE.ADDED]: 'added',
  [LINE.REMOVED]: 'removed',
  [LINE.CONTEXT]: 'context',
} as const;

/** The lines around the findings, the worst first as long as there is room, in their order. */
function linesAround(diff: Buffer, files: readonly DiffFile[], findings: readonly Finding[]) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const wanted = new Map<Hunk, { file: DiffFile; byLine: Map<number, Finding[]> }>();
  for (const finding of findings) {
    const file = byPath.get(finding.file ?? '');
    const line = lineInResult(finding);
    if (file === undefined || line === null) continue;
    const hunk = file.hunks.findLast(({ newStart }) => newStart <= line);
    if (hunk === undefined) continue;
    const { byLine } = wanted.get(hunk) ?? { byLine: new Map<number, Finding[]>() };
    byLine.set(line, [...(byLine.get(line) ?? []), finding]);
    wanted.set(hunk, { file, byLine });
  }
  const around = new Map<Finding, Line[]>();
  for (const [hunk, { file, byLine }] of wanted) linesOfHunk(diff, file, hunk, byLine, around);
  const taken = new Set<Line>();
  let bytes = 0;
  let leftOut = 0;
  for (const finding of findings) {
    const lines = (around.get(finding) ?? []).filter((line) => !taken.has(line));
    const size = lines.reduce((sum, { start, end }) => sum + lineBytes(end - start), 0);
    if (bytes + size > CODE.BYTES_MAX) {
      leftOut += 1;
      continue;
    }
    bytes += size;
    for (const line of lines) taken.add(line);
  }
  const lines = [...taken].sort((one, other) => one.start - other.start);
  return { lines, leftOut };
}

/** With what JSON needs around the text. */
function lineBytes(length: number): number {
  return Math.min(length, CODE.LINE_CHARS_MAX) + 64;
}

/** Puts the lines around each finding of a hunk into `around`; two walks keep memory flat. */
function linesOfHunk(
  diff: Buffer,
  file: DiffFile,
  hunk: Hunk,
  byLine: ReadonlyMap<number, Finding[]>,
  around: Map<Finding, Line[]>,
): void {
  const hits = new Map<number, Finding[]>();
  const cursor = new LineCursor(diff);
  cursor.open(hunk);
  for (let index = 0; cursor.next(); index += 1) {
    const found = cursor.kind === LINE.REMOVED ? undefined : byLine.get(cursor.newLine);
    if (found !== undefined) hits.set(index, found);
  }
  const near = new Set<number>();
  for (const index of hits.keys()) {
    for (let at = index - CODE.LINES_AROUND; at <= index + CODE.LINES_AROUND; at += 1) near.add(at);
  }
  const lines = new Map<number, Line>();
  for (const line of readLines(diff, file, hunk, hits)) {
    if (near.has(line.index)) lines.set(line.index, line);
  }
  for (const [index, findings] of hits) {
    const window: Line[] = [];
    for (let at = index - CODE.LINES_AROUND; at <= index + CODE.LINES_AROUND; at += 1) {
      const line = lines.get(at);
      if (line !== undefined) window.push(line);
    }
    for (const finding of findings) around.set(finding, window);
  }
}

/** The lines of a hunk; `hits` are findings by the index of their line. */
function* readLines(
  diff: Buffer,
  file: DiffFile,
  hunk: Hunk,
  hits: ReadonlyMap<number, Finding[]>,
): Generator<Line> {
  const cursor = new LineCursor(diff);
  cursor.open(hunk);
  let old = hunk.oldStart;
  for (let index = 0; cursor.next(); index += 1) {
    const { kind, start, end, newLine } = cursor;
    const findings = hits.get(index) ?? [];
    yield {
      file,
      hunk,
      index,
      kind,
      start,
      findings,
      end: diff[end - 1] === CR && end > start ? end - 1 : end,
      old: kind === LINE.ADDED ? null : old,
      new: kind === LINE.REMOVED ? null : newLine,
      column: Math.max(0, (findings[0]?.column ?? 1) - 1),
    };
    if (kind !== LINE.ADDED) old += 1;
  }
}

const NO_HITS: ReadonlyMap<number, Finding[]> = new Map();

/** The lines of files in their order, as long as there is room; of a single file its first ones. */
function linesOfFiles(diff: Buffer, files: readonly DiffFile[]) {
  const shown = new Map<DiffFile, { lines: Line[]; isCut: boolean }>();
  let bytes = 0;
  for (const file of files) {
    const lines: Line[] = [];
    let size = 0;
    for (const line of eachLine(diff, file)) {
      size += lineBytes(line.end - line.start);
      if (bytes + size > CODE.CHANGES_BYTES_MAX) break;
      lines.push(line);
    }
    const isCut = bytes + size > CODE.CHANGES_BYTES_MAX;
    const isKept = !isCut || files.length === 1;
    if (isKept) bytes += size;
    shown.set(file, { lines: isKept ? lines : [], isCut });
  }
  return shown;
}

function* eachLine(diff: Buffer, file: DiffFile): Generator<Line> {
  for (const hunk of file.hunks) yield* readLines(diff, file, hunk, NO_HITS);
}

const CR = 0x0d;
const LF = 0x0a;

interface Secrets {
  /** Ranges of the diff. */
  places: (readonly [start: number, end: number])[];
  values: Buffer[];
}

/** What gate 1 finds in the diff, and on both sides of the hunks as if all of it were new. */
function secretsOf(
  diff: Buffer,
  files: readonly DiffFile[],
  hunks: ReadonlySet<Hunk>,
  { rules, cancel }: Pick<ShowOptions, 'rules' | 'cancel'>,
): Secrets | null {
  const scan = (bytes: Uint8Array, some: readonly DiffFile[]) =>
    runScan({
      bytes,
      files: some,
      rules: rules.compiled,
      fingerprintKey: NO_KEY,
      cancel,
    }).report.knownSecrets();
  const sides = [LINE.REMOVED, LINE.ADDED].map((without) => {
    const side = sideOf(diff, files, hunks, without);
    return scan(side.bytes, side.files);
  });
  const all = [scan(diff, files), ...sides];
  const known = all.filter((one) => one !== null);
  if (known.length < all.length) return null;
  return {
    places: known.flatMap(({ places }) => places),
    values: known.flatMap(({ values }) => values),
  };
}

/** Fingerprints are of no use here. */
const NO_KEY = new Uint8Array(32);
const PLUS = 0x2b;
const MINUS = 0x2d;

/** The diff with one side of some hunks as added lines, every byte in its place. */
function sideOf(
  diff: Buffer,
  files: readonly DiffFile[],
  hunks: ReadonlySet<Hunk>,
  without: LineKind,
): { bytes: Buffer; files: DiffFile[] } {
  const bytes = Buffer.from(diff);
  const cursor = new LineCursor(diff);
  const turn = (hunk: Hunk): Hunk => {
    let additions = 0;
    let deletions = 0;
    cursor.open(hunk);
    while (cursor.next()) {
      const isLeft = cursor.kind === without;
      // An empty line may have lost its marker.
      const from = diff.lastIndexOf(LF, cursor.start - 1) + 1;
      bytes.fill(isLeft ? MINUS : PLUS, from, cursor.start);
      if (isLeft) deletions += 1;
      else additions += 1;
    }
    return { ...hunk, additions, deletions };
  };
  const some = files.filter((file) => file.hunks.some((hunk) => hunks.has(hunk)));
  const turned = some.map((file): DiffFile => {
    const own = file.hunks.filter((hunk) => hunks.has(hunk)).map(turn);
    return { ...file, change: 'modified', hunks: own };
  });
  return { bytes, files: turned };
}

/** Values that a secret of other rules may consist of. */
const WORDS = /[^\s"'`=:,;()<>{}[\]]{8,}/g;

/** What the record says of secrets under other rules: the lines from there on, and their words. */
function addRecorded(
  { places, values }: Secrets,
  diff: Buffer,
  lines: readonly Line[],
  findings: readonly Finding[],
): void {
  const secrets = findings.filter(({ id }) => id.startsWith('secret-'));
  for (const { file, line, end_line, column } of secrets) {
    if (line === null) continue;
    for (const shown of lines) {
      const isHit = shown.new !== null && shown.new >= line && shown.new <= (end_line ?? line);
      if (!isHit || shown.file.path !== file) continue;
      const from = shown.new === line ? Math.max(0, (column ?? 1) - 1) : 0;
      const start = Math.min(shown.start + from, shown.end);
      places.push([start, shown.end]);
      for (const [word] of diff.toString('latin1', start, shown.end).matchAll(WORDS)) {
        values.push(Buffer.from(word, 'latin1'));
      }
    }
  }
}

function toBlocks(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1)?.at(-1);
    const follows = last?.hunk === line.hunk && last.index === line.index - 1;
    if (follows) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

/** The text of a line before the search of prompts, and where its finding stands in it. */
interface Piece {
  text: string;
  at: number;
  isCut: boolean;
}

/** Null: the search of prompts still finds something after it hid all that it found. */
function render(
  diff: Buffer,
  blocks: readonly (readonly Line[])[],
  { places, values }: Secrets,
  { rules, cancel, own }: Pick<ShowOptions, 'rules' | 'cancel' | 'own'>,
): CodeBlock[] | null {
  const numbers = new Map<string, number>();
  const masks = joinMasks(places.map(([start, end]) => ({ start, end, visible: 0 })));
  const pieces = blocks.map((lines) => lines.map((line) => pieceOf(diff, line, masks, numbers)));
  const hunks = blocks.map((lines, block): ReviewHunk => {
    const texts = lines.map((line, index) => ({
      number: line.new ?? line.old ?? 0,
      side: SIDES[line.kind],
      text: visible(pieces[block]?.[index]?.text ?? ''),
    }));
    return { path: '', lines: texts, priority: 0 };
  });
  const redacted = redactHunks(hunks, rules.compiled, cancel, { values, numbers, own });
  if (redacted === null) return null;
  return blocks.map((lines, block) => ({
    file: hideOwn(lines[0]?.file.path ?? '', own),
    finding_ids: lines.flatMap(({ findings }) => findings.map(({ finding_id }) => finding_id)),
    lines: lines.map((line, index) => {
      const piece = pieces[block]?.[index] ?? { text: '', at: 0, isCut: true };
      const text = redacted[block]?.lines[index]?.text ?? '';
      // Where nothing was hidden, people also see the characters that are hard to see.
      const isPlain = text === visible(piece.text);
      return codeLine(line, { ...piece, text: isPlain ? piece.text : text });
    }),
  }));
}

function codeLine(line: Line, { text, at, isCut }: Piece): CodeLine {
  const room = CODE.LINE_CHARS_MAX;
  const from = text.length <= room ? 0 : Math.max(0, Math.min(at - room / 4, text.length - room));
  return {
    side: SIDES[line.kind],
    old: line.old,
    new: line.new,
    text: text.slice(from, from + room).toWellFormed(),
    is_cut: isCut || text.length > room,
  };
}

/** Less what takes no room: it may divide a secret. */
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

function visible(text: string): string {
  return text.replaceAll(INVISIBLE, '');
}

/** A line with placeholders for what gate 1 found, of a long one the part around its finding. */
function pieceOf(
  diff: Buffer,
  line: Line,
  masks: readonly { start: number; end: number }[],
  numbers: Map<string, number>,
): Piece {
  const hit = Math.min(line.start + line.column, line.end);
  const isCut = line.end - line.start > CODE.PIECE_BYTES_MAX;
  const half = CODE.PIECE_BYTES_MAX / 2;
  const from = isCut ? Math.max(line.start, Math.min(hit - half, line.end - 2 * half)) : line.start;
  const to = isCut ? from + 2 * half : line.end;
  let text = '';
  let at = from;
  let place = 0;
  const show = (end: number) => {
    if (hit >= at && hit <= end) place = text.length + diff.toString('utf8', at, hit).length;
    text += diff.toString('utf8', at, end);
  };
  for (const { start, end } of masks) {
    if (end <= at || start >= to) continue;
    show(Math.max(at, start));
    const value = diff.toString('latin1', start, end);
    const number = numbers.get(value) ?? numbers.size + 1;
    numbers.set(value, number);
    if (hit >= start && hit < end) place = text.length;
    text += `[secret ${number}]`;
    at = Math.min(end, to);
  }
  show(to);
  return { text, at: place, isCut };
}
