import { createHash } from 'node:crypto';
import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import { CraError } from '../../model/errors.ts';
import { type GateFinding, severityRank } from '../../model/finding.ts';
import type { Fragment, FragmentResult, Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import { LESSER_PATH } from '../coverage/paths.ts';
import { AST_GATE } from '../limits.ts';
import { replacedPaths, withoutLongLines } from './collect.ts';
import { embeddedCode } from './embedded-code.ts';
import { clip, hunksOnlyFinding, isLoss, MINIFIED_LINE_CHARS_MIN } from './findings.ts';
import { findHazard } from './hazard.ts';
import { batches, failureOf } from './inspect.ts';
import {
  embedsScript,
  hasJsx,
  isScriptByShebang,
  isTreeLanguage,
  languageOf,
  mayHoldSink,
  withoutTail,
} from './languages.ts';

/**
 * Gate 2 over changed files of which both versions are at hand: what the new one has and the base
 * has not. So a source far from its sink, a step between them and the end of a check are seen
 * wherever the diff shows nothing of the rest.
 */
interface WholeFilesInput {
  /** The diff, and its files. */
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** As `wantedForSyntax` asked; null: there is no repository at hand. */
  trees: TreeFiles;
  client: Client<typeof Syntax>;
  fingerprintKey: Uint8Array;
  cancel: CancelFlag;
}

export interface WholeFiles {
  /** What is new in the files of `judged`, and one finding for each reason to leave files out. */
  findings: GateFinding[];
  /** Files that need not be judged by their hunks any more. */
  judged: ReadonlySet<DiffFile>;
}

/** The versions of changed files that `inspectWholeFiles` compares. */
export function wantedForSyntax(files: readonly DiffFile[]): WantedFile[] {
  const replaced = replacedPaths(files);
  const compared = comparedFiles(files, replaced).filter(({ path }) => languageOf(path) !== null);
  return compared.slice(0, AST_GATE.WHOLE_FILES_MAX).flatMap((file) => [
    { side: 'head', path: file.path },
    { side: 'base', path: file.oldPath ?? replaced.get(file) ?? file.path },
  ]);
}

/**
 * Files of which there are two versions. Those changed in place come first: a build may bring
 * hundreds of files under another digest, which must not use up the bounds of an RFC before.
 */
function comparedFiles(
  files: readonly DiffFile[],
  replaced: ReadonlyMap<DiffFile, string>,
): DiffFile[] {
  return [...files.filter(isChanged), ...files.filter((file) => replaced.has(file))];
}

/** Whether a file has two versions, with lines that differ. */
function isChanged({ change, content, hunks }: DiffFile): boolean {
  const hasBoth = change === 'modified' || change === 'renamed';
  return hasBoth && content === 'text' && hunks.length > 0;
}

/**
 * Judges the files whose versions could be read, parsed and followed as a whole; the others are
 * left to their hunks, and a finding says so. Bases are parsed only where the new version has
 * findings, and no text without a word of some sink is. Throws CANCELLED.
 */
export async function inspectWholeFiles(input: WholeFilesInput): Promise<WholeFiles> {
  const { bytes, trees, fingerprintKey } = input;
  const judged = new Set<DiffFile>();
  if (trees === null) return { findings: [], judged };
  const replaced = replacedPaths(input.files);
  const compared = comparedFiles(input.files, replaced);
  if (compared.length === 0) return { findings: [], judged };
  const left = new Map<string, DiffFile[]>();
  const leave = (file: DiffFile, reason: string) => {
    // The hunks of a new file are the whole of it.
    if (!replaced.has(file)) left.set(reason, [...(left.get(reason) ?? []), file]);
  };
  const pairs = pairsOf(compared, replaced, trees, leave);
  const child = new WholeReader(input);
  const findings: GateFinding[] = [];
  const compare = async (some: readonly Pair[]) => {
    const heads = await child.inspect(some.map(({ head }) => head));
    const found: [Pair, Flow[]][] = [];
    for (const [index, pair] of some.entries()) {
      const head = heads[index] ?? LOST;
      if (typeof head === 'string') leave(pair.file, head);
      else if (head.length === 0) judged.add(pair.file);
      else found.push([pair, head]);
    }
    const bases = await child.inspect(found.map(([{ base }]) => base));
    for (const [index, [{ file }, head]] of found.entries()) {
      const base = bases[index] ?? LOST;
      if (typeof base === 'string') {
        leave(file, `of the version before the change: ${base}`);
        continue;
      }
      judged.add(file);
      findings.push(...newOf(head, base, addedLines(bytes, file)));
    }
  };
  await compare(pairs.filter(({ file }) => !replaced.has(file)));
  await compare(pairs.filter(({ file }) => replaced.has(file)));
  for (const [reason, files] of left) {
    findings.push(hunksOnlyFinding(fingerprintKey, { reason, files }));
  }
  return { findings, judged };
}

const LOST = 'the parser gave no answer';
const UNREAD = 'the whole of it could not be read, or the change has too many';

/** A version of a file: its text, and the path by which it is judged. */
interface Version {
  path: string;
  bytes: Uint8Array;
  /**
   * Whether it may hold lines above LINE_BYTES_MAX: what is minified already stays so with each
   * build, but a text that becomes so is one that nobody can read any more.
   */
  mayBeMinified: boolean;
}

interface Pair {
  file: DiffFile;
  base: Version;
  head: Version;
}

function pairsOf(
  compared: readonly DiffFile[],
  replaced: ReadonlyMap<DiffFile, string>,
  trees: NonNullable<TreeFiles>,
  leave: (file: DiffFile, reason: string) => void,
): Pair[] {
  const key = (side: string, path: string) => `${side}:${path}`;
  const read = new Map(trees.map(({ side, path, bytes }) => [key(side, path), bytes]));
  const times = new Map<string, number>();
  for (const { path } of compared) times.set(path, (times.get(path) ?? 0) + 1);
  const pairs: Pair[] = [];
  for (const file of compared) {
    const { path } = file;
    const oldPath = file.oldPath ?? replaced.get(file) ?? path;
    const head = read.get(key('head', path)) ?? null;
    const base = read.get(key('base', oldPath)) ?? null;
    const isScript = languageOf(path) !== null;
    if (head === null || base === null) {
      if (isScript) leave(file, UNREAD);
      continue;
    }
    if (!isScript && !isScriptByShebang(asBuffer(head).toString('latin1', 0, SHEBANG_BYTES_MAX))) {
      continue;
    }
    // Names alone do not make one file of two: only what nobody reads is a build.
    if (replaced.has(file) && !(isMinified(base) && isMinified(head))) continue;
    // Diffs of several states in one text: nobody knows to which of them the files belong.
    if ((times.get(path) ?? 0) > 1) continue;
    // Where the new path is judged more mildly, what was there before is not new.
    const seenAs = LESSER_PATH.test(oldPath) ? oldPath : path;
    pairs.push({
      file,
      head: { path, bytes: head, mayBeMinified: isMinified(base) },
      base: { path: seenAs, bytes: base, mayBeMinified: true },
    });
  }
  return pairs;
}

const SHEBANG_BYTES_MAX = 1_024;

/** Whether more than half of a text stands in lines as long as only programs write them. */
function isMinified(bytes: Uint8Array): boolean {
  let inLong = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    const after = end < 0 ? bytes.length : end + 1;
    if (after - start > MINIFIED_LINE_CHARS_MIN) inLong += after - start;
    start = after;
  }
  return inLong * 2 > bytes.length;
}

const NEWLINE = 10;

/** A finding and what makes it the same in another place; see `FragmentResult.flows`. */
interface Flow {
  finding: GateFinding;
  flow: string;
}

/** Findings of whole files by the AST child, within bounds of their own. */
class WholeReader {
  readonly #input: WholeFilesInput;
  #work = 0;
  #cpuMs = 0;
  #failures = 0;

  constructor(input: WholeFilesInput) {
    this.#input = input;
  }

  /** Of each version its findings, or why it can't be judged as a whole. */
  async inspect(versions: readonly Version[]): Promise<(Flow[] | string)[]> {
    const prepared = versions.map(prepare);
    const answers = new Map<Fragment, FragmentResult | string>();
    const fragments = prepared.flatMap((one) => ('fragment' in one ? [one.fragment] : []));
    for (const batch of batches(fragments)) {
      const isDone = await this.#send(batch, answers);
      if (isDone) continue;
      for (const fragment of batch) await this.#send([fragment], answers);
    }
    return prepared.map((one) => {
      if ('reason' in one) return one.reason;
      if (!('fragment' in one)) return [];
      const answer = answers.get(one.fragment) ?? LOST;
      if (typeof answer === 'string') return answer;
      if (answer.unparsed.length > 0) return 'the parser does not know all of its syntax';
      if (answer.findings.some(isLoss)) return 'it is too nested or has too much to follow';
      return answer.findings.map((finding, index) => ({
        finding: withExcerpt(finding, one.lines),
        flow: answer.flows[index] ?? '',
      }));
    });
  }

  /** False: they broke the child, and may do better one by one. */
  async #send(
    fragments: readonly Fragment[],
    answers: Map<Fragment, FragmentResult | string>,
  ): Promise<boolean> {
    const { client, fingerprintKey, cancel } = this.#input;
    if (isRaised(cancel)) throw new CraError('CANCELLED', 'the analysis was cancelled');
    const { WHOLE_WORK_MAX, WHOLE_CPU_MS, WHOLE_FAILURES_MAX, CALL_CPU_MS } = AST_GATE;
    const isUsedUp = this.#work >= WHOLE_WORK_MAX || this.#cpuMs >= WHOLE_CPU_MS;
    if (isUsedUp || this.#failures >= WHOLE_FAILURES_MAX) {
      for (const fragment of fragments) answers.set(fragment, USED_UP);
      return true;
    }
    const timeoutMs = Math.ceil(Math.min(WHOLE_CPU_MS - this.#cpuMs, CALL_CPU_MS));
    const known = KnownResults.of(client);
    const take = (fragment: Fragment, result: FragmentResult | undefined) => {
      // What is known counts, once: the same change ends at the same file each time.
      if (typeof answers.get(fragment) !== 'object') this.#work += result?.work ?? 0;
      answers.set(fragment, result ?? LOST);
    };
    const asked = fragments.filter((fragment) => {
      const result = known.get(fragment, fingerprintKey);
      if (result !== undefined) take(fragment, result);
      return result === undefined;
    });
    if (asked.length === 0) return true;
    try {
      const { results, cpuMs } = await client.inspect(
        { fragments: asked, fingerprintKey },
        { timeoutMs },
      );
      this.#cpuMs += cpuMs;
      for (const [index, fragment] of asked.entries()) {
        const result = results[index];
        if (result !== undefined) known.add(fragment, fingerprintKey, result);
        take(fragment, result);
      }
      return true;
    } catch (thrown) {
      const { code, reason } = failureOf(thrown);
      this.#failures += 1;
      if (code === 'DEADLINE_EXCEEDED') this.#cpuMs += timeoutMs;
      for (const fragment of asked) answers.set(fragment, reason);
      return fragments.length === 1;
    }
  }
}

/**
 * Results by what they follow from. A change comes more than once: to its branch, to the branch it
 * is merged into, rebased, or tried again; and its new files are the bases of the next.
 */
class KnownResults {
  static readonly #byClient = new WeakMap<WholeFilesInput['client'], KnownResults>();
  /** The one used longest ago comes first. */
  readonly #results = new Map<string, FragmentResult>();

  /** What the child of a client has answered. */
  static of(client: WholeFilesInput['client']): KnownResults {
    const known = KnownResults.#byClient.get(client) ?? new KnownResults();
    KnownResults.#byClient.set(client, known);
    return known;
  }

  get(fragment: Fragment, key: Uint8Array): FragmentResult | undefined {
    const name = nameOf(fragment, key);
    const result = this.#results.get(name);
    if (result === undefined || !this.#results.delete(name)) return undefined;
    this.#results.set(name, result);
    return result;
  }

  add(fragment: Fragment, key: Uint8Array, result: FragmentResult): void {
    const { KNOWN_RESULTS_MAX, KNOWN_FINDINGS_MAX } = AST_GATE;
    if (result.findings.length > KNOWN_FINDINGS_MAX) return;
    this.#results.set(nameOf(fragment, key), result);
    const [oldest] = this.#results.keys();
    if (this.#results.size > KNOWN_RESULTS_MAX && oldest !== undefined) {
      this.#results.delete(oldest);
    }
  }
}

/** All that a result depends on. A text in UTF-8 loses lone surrogates, which no file holds. */
function nameOf({ path, text, startLine, added }: Fragment, key: Uint8Array): string {
  const place = JSON.stringify([path, startLine, added]);
  return createHash('sha256').update(key).update(place).update(text).digest('base64');
}

const USED_UP = 'this change has more code than is parsed in whole files';

/** A text ready for the parser; `lines` are those of the file, where they are others. */
type Prepared =
  | { fragment: Fragment; lines: readonly string[] | null }
  | { reason: string }
  | Record<never, never>;

/** The whole of a file as one fragment, or why it is not; neither: it holds no sink. */
function prepare({ path, bytes, mayBeMinified }: Version): Prepared {
  const text = asBuffer(bytes);
  const language = languageOf(path) ?? 'js';
  if (!mayHoldSink(text, language)) return {};
  const { FRAGMENT_BYTES_MAX, LINE_BYTES_MAX } = AST_GATE;
  if (text.length > FRAGMENT_BYTES_MAX) {
    return { reason: `it is longer than ${FRAGMENT_BYTES_MAX / 1024} KiB` };
  }
  const name = withoutTail(path);
  const content = text.toString();
  const isMarkup = embedsScript(name);
  const { code, doubts } = isMarkup
    ? embeddedCode(name, content, true)
    : { code: content, doubts: [] };
  if (doubts.length > 0) return { reason: 'it may be markup or code' };
  if (isMarkup && !mayHoldSink(Buffer.from(code))) return {};
  const added: [number, number][] = [[0, content.split('\n').length]];
  const whole: Fragment = { path, text: code, startLine: 1, added };
  let isCut = false;
  const cut = () => withoutLongLines(whole, language, () => (isCut = true));
  const fragment = mayBeMinified ? whole : cut();
  if (isCut) {
    return {
      reason: `a line is longer than ${LINE_BYTES_MAX} bytes, in a file not minified before`,
    };
  }
  const hazard = isTreeLanguage(language) ? null : findHazard(fragment.text, hasJsx(language));
  if (hazard !== null) return { reason: hazard.reason };
  return { fragment, lines: isMarkup ? content.split('\n') : null };
}

function withExcerpt(finding: GateFinding, lines: readonly string[] | null): GateFinding {
  const line = lines?.[(finding.line ?? 0) - 1];
  return line === undefined ? finding : { ...finding, excerpt: clip(line) };
}

/**
 * The findings that the base has not, or has less grave. Where a file has one more of the same,
 * those on added lines are the new ones.
 */
function newOf(head: readonly Flow[], base: readonly Flow[], added: ReadonlySet<number>) {
  const known = new Map<string, GateFinding[]>();
  for (const { flow, finding } of gravestFirst(base)) {
    known.set(flow, [...(known.get(flow) ?? []), finding]);
  }
  const isAdded = ({ finding }: Flow) => added.has(finding.line ?? 0);
  const ordered = [...head.filter((one) => !isAdded(one)), ...head.filter(isAdded)];
  const fresh = new Set<Flow>();
  for (const one of gravestFirst(ordered)) {
    const same = known.get(one.flow) ?? [];
    const rank = severityRank(one.finding.severity);
    // The least grave one that will do: the others may be needed for graver findings.
    const match = same.findLastIndex(({ severity }) => severityRank(severity) <= rank);
    if (match === -1) fresh.add(one);
    else same.splice(match, 1);
  }
  return head.filter((one) => fresh.has(one)).map(({ finding }) => finding);
}

function gravestFirst(flows: readonly Flow[]): Flow[] {
  const rank = ({ finding }: Flow) => severityRank(finding.severity);
  return [...flows].sort((left, right) => rank(left) - rank(right));
}

/** Numbers of the lines that the diff adds to a file. */
function addedLines(bytes: Uint8Array, { hunks }: DiffFile): ReadonlySet<number> {
  const lines = new Set<number>();
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) if (cursor.kind === LINE.ADDED) lines.add(cursor.newLine);
  }
  return lines;
}
