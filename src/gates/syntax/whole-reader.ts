import { createHash } from 'node:crypto';
import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { CraError } from '../../model/errors.ts';
import type { GateFinding } from '../../model/finding.ts';
import type { OwnTable } from '../../model/rules.ts';
import type {
  AskedName,
  Fragment,
  FragmentResult,
  Offered,
  SettledCall,
  Syntax,
} from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import { AST_GATE, PROGRAM } from '../limits.ts';
import { withoutLongLines } from './collect.ts';
import { embeddedCode } from './fragments/embedded-code.ts';
import { batches, failureOf } from './inspect.ts';
import {
  embedsScript,
  hasJsx,
  isTreeLanguage,
  languageOf,
  mayHandOn,
  mayHoldSink,
  type SinkFilter,
  sinkFilterWith,
  withoutTail,
} from './languages.ts';
import { findHazard } from './parse/hazard.ts';
import { asCompiled, HIDDEN_BREAK, hiddenBreaks } from './parse/readings.ts';
import { newRoom, ProgramBuilder } from './program/builder.ts';
import type { ProgramTree } from './program/tree.ts';
import { clip, isLoss } from './report/findings.ts';

/** A version of a file: its text, and the path by which it is judged. */
export interface Version {
  path: string;
  bytes: Uint8Array;
  /**
   * Whether it may hold lines above LINE_BYTES_MAX: what is minified already stays so with each
   * build, but nobody can read a text any more that becomes so.
   */
  mayBeMinified: boolean;
  /** The side of the change that it is of. */
  side: 'base' | 'head';
  /** Whether it is asked for what the file offers to others; see `WholeReader.offeredBy`. */
  wantsOffered?: boolean;
  /** The change does not touch the file. */
  isUnchanged?: boolean;
}

/** A finding and what makes it the same in another place; see `FragmentResult.flows`. */
export interface Flow {
  finding: GateFinding;
  flow: string;
}

interface WholeReaderInput {
  client: Client<typeof Syntax>;
  fingerprintKey: Uint8Array;
  cancel: CancelFlag;
  /** Rows of the rules for the catalogue; absent: they have none. */
  catalogue?: readonly OwnTable[];
  /** The repository on both sides of the change; absent: no other file is at hand. */
  program?: Readonly<Record<'base' | 'head', ProgramTree>> | null;
}

/** Times that a file is followed again because more of its program is in view. */
const ROUNDS_MAX = 2 * PROGRAM.DEPTH_MAX;

export const LOST = 'the parser gave no answer';

/** Findings of whole files by the AST child, within bounds of their own. */
export class WholeReader {
  readonly #input: WholeReaderInput;
  readonly #filter: SinkFilter;
  /** What results depend on besides their fragment. */
  readonly #catalogue: string;
  #work = 0;
  #cpuMs = 0;
  #failures = 0;
  readonly #rooms = { base: newRoom(), head: newRoom() };
  /** Files of which flows lead to others that a bound left out. */
  readonly cut: { readonly path: string; readonly asked: readonly AskedName[] }[] = [];

  readonly #offered = new Map<Version, readonly Offered[]>();
  readonly #settled = new Map<Version, readonly SettledCall[]>();

  constructor(input: WholeReaderInput) {
    this.#input = input;
    this.#filter = sinkFilterWith(input.catalogue ?? []);
    this.#catalogue = JSON.stringify(input.catalogue ?? []);
  }

  /** Of each version its findings, or why it can't be judged as a whole. */
  async inspect(versions: readonly Version[]): Promise<(Flow[] | string)[]> {
    const hasProgram = this.#input.program != null;
    const prepared = versions.map((version) => prepare(version, this.#filter, hasProgram));
    const answers = new Map<Fragment, FragmentResult | string>();
    const fragments = prepared.flatMap((one) => ('fragment' in one ? [one.fragment] : []));
    for (const batch of batches(fragments)) {
      const isDone = await this.#send(batch, answers);
      if (isDone) continue;
      for (const fragment of batch) await this.#send([fragment], answers);
    }
    for (const [index, one] of prepared.entries()) {
      const side = versions[index]?.side ?? 'head';
      if ('fragment' in one) await this.#follow(one.fragment, side, answers);
    }
    for (const [index, one] of prepared.entries()) {
      const answer = 'fragment' in one ? answers.get(one.fragment) : undefined;
      const version = versions[index];
      if (typeof answer !== 'object' || isUnknown(answer) || version === undefined) continue;
      if (answer.offered !== undefined) this.#offered.set(version, answer.offered);
      if (answer.settled !== undefined) this.#settled.set(version, answer.settled);
    }
    return prepared.map((one) => {
      if ('reason' in one) return one.reason;
      if (!('fragment' in one)) return [];
      const answer = answers.get(one.fragment) ?? LOST;
      if (!one.mayHoldSink && (typeof answer === 'string' || isUnknown(answer))) return [];
      if (typeof answer === 'string') return answer;
      if (answer.unparsed.length > 0) return 'the parser does not know all of its syntax';
      if (answer.findings.some(isLoss)) return 'it is too nested or has too much to follow';
      return answer.findings.map((finding, index) => ({
        finding: withExcerpt(finding, one.lines),
        flow: answer.flows[index] ?? '',
      }));
    });
  }

  /** Calls of a version that get only what the program itself says. */
  settledIn(version: Version): readonly SettledCall[] {
    return this.#settled.get(version) ?? [];
  }

  /** What a version offers to other files, if it was asked for that; null: it is not known. */
  offeredBy(version: Version): readonly Offered[] | null {
    return this.#offered.get(version) ?? null;
  }

  /**
   * Brings what flows lead to into view, until they lead to nothing new. Where that is too much to
   * follow, what the file alone shows stands.
   */
  async #follow(
    fragment: Fragment,
    side: Version['side'],
    answers: Map<Fragment, FragmentResult | string>,
  ): Promise<void> {
    const tree = this.#input.program?.[side];
    let best = answers.get(fragment);
    if (tree == null || typeof best !== 'object' || best.asked.length === 0) return;
    // What is not known as a whole is left to its hunks.
    if (isUnknown(best)) return;
    const builder = new ProgramBuilder(tree, this.#rooms[side], fragment);
    for (let round = 0; await builder.add(best.asked); round += 1) {
      const whole: Fragment = { ...fragment, program: builder.program };
      if (round < ROUNDS_MAX) await this.#send([whole], answers);
      const result = answers.get(whole);
      if (typeof result !== 'object' || isUnknown(result)) {
        builder.left.push(...best.asked);
        break;
      }
      best = result;
    }
    answers.set(fragment, best);
    // A bound of the search may have hidden any of the names that nothing explains.
    builder.left.push(...best.asked.filter(({ isUnread }) => tree.isCut || isUnread === true));
    if (builder.left.length > 0) this.cut.push({ path: fragment.path, asked: builder.left });
  }

  /** False: they broke the child, and may do better one by one. */
  async #send(
    fragments: readonly Fragment[],
    answers: Map<Fragment, FragmentResult | string>,
  ): Promise<boolean> {
    const { client, fingerprintKey, cancel, catalogue = [] } = this.#input;
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
      const result = known.get(nameOf(fragment, fingerprintKey, this.#catalogue));
      if (result !== undefined) take(fragment, result);
      return result === undefined;
    });
    if (asked.length === 0) return true;
    try {
      const { results, cpuMs } = await client.inspect(
        { fragments: asked, fingerprintKey, catalogue },
        { timeoutMs },
      );
      this.#cpuMs += cpuMs;
      for (const [index, fragment] of asked.entries()) {
        const result = results[index];
        const name = nameOf(fragment, fingerprintKey, this.#catalogue);
        if (result !== undefined) known.add(name, result);
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
  static readonly #byClient = new WeakMap<WholeReaderInput['client'], KnownResults>();
  /** The one used longest ago comes first. */
  readonly #results = new Map<string, FragmentResult>();

  /** What the child of a client has answered. */
  static of(client: WholeReaderInput['client']): KnownResults {
    const known = KnownResults.#byClient.get(client) ?? new KnownResults();
    KnownResults.#byClient.set(client, known);
    return known;
  }

  get(name: string): FragmentResult | undefined {
    const result = this.#results.get(name);
    if (result === undefined || !this.#results.delete(name)) return undefined;
    this.#results.set(name, result);
    return result;
  }

  add(name: string, result: FragmentResult): void {
    const { KNOWN_RESULTS_MAX, KNOWN_FINDINGS_MAX } = AST_GATE;
    if (result.findings.length > KNOWN_FINDINGS_MAX) return;
    this.#results.set(name, result);
    const [oldest] = this.#results.keys();
    if (this.#results.size > KNOWN_RESULTS_MAX && oldest !== undefined) {
      this.#results.delete(oldest);
    }
  }
}

/** All that a result depends on. A text in UTF-8 loses lone surrogates, which no file holds. */
function nameOf({ text, ...rest }: Fragment, key: Uint8Array, catalogue: string): string {
  const place = JSON.stringify([rest, catalogue]);
  return createHash('sha256').update(key).update(place).update(text).digest('base64');
}

/** The bounds of a change were reached before the file. */
export const USED_UP = 'this change has more code than is parsed in whole files';

/** Whether a part of a text was not looked at. */
function isUnknown({ unparsed, findings }: FragmentResult): boolean {
  return unparsed.length > 0 || findings.some(isLoss);
}

/** A text ready for the parser; `lines`: of the file, where they differ. */
type Prepared =
  | { fragment: Fragment; lines: readonly string[] | null; mayHoldSink: boolean }
  | { reason: string }
  | Record<never, never>;

/** The whole of a file as one fragment, or why it is not; neither: it holds no sink. */
function prepare(
  { path, bytes, mayBeMinified, wantsOffered = false, isUnchanged = false }: Version,
  { mayHold }: SinkFilter,
  hasProgram: boolean,
): Prepared {
  const shown = asBuffer(bytes);
  const language = languageOf(path) ?? 'js';
  const text = asCompiled(shown, language);
  const holdsSink = mayHold(text, language);
  if (!holdsSink && !wantsOffered && !(hasProgram && mayHandOn(text, language))) return {};
  // Without a sink of its own nothing is lost that its hunks would show.
  const refused = (reason: string): Prepared => (holdsSink ? { reason } : {});
  const { FRAGMENT_BYTES_MAX, LINE_BYTES_MAX } = AST_GATE;
  if (text.length > FRAGMENT_BYTES_MAX) {
    return refused(`it is longer than ${FRAGMENT_BYTES_MAX / 1024} KiB`);
  }
  if (hiddenBreaks(shown, language).length > 0) return refused(HIDDEN_BREAK);
  const name = withoutTail(path);
  const content = text.toString();
  const isMarkup = embedsScript(name);
  const { code, doubts } = isMarkup
    ? embeddedCode(name, content, true)
    : { code: content, doubts: [] };
  if (doubts.length > 0) return refused('it may be markup or code');
  if (isMarkup && !mayHoldSink(Buffer.from(code))) return {};
  const added: [number, number][] = [[0, content.split('\n').length]];
  const whole: Fragment = {
    path,
    text: code,
    startLine: 1,
    added,
    isWhole: true,
    ...(wantsOffered ? { wantsOffered } : {}),
    ...(isUnchanged ? { isUnchanged } : {}),
  };
  let isCut = false;
  const cut = () => withoutLongLines(whole, language, mayHold, () => (isCut = true));
  const fragment = mayBeMinified ? whole : cut();
  if (isCut) {
    return refused(`a line is longer than ${LINE_BYTES_MAX} bytes, in a file not minified before`);
  }
  const hazard = isTreeLanguage(language) ? null : findHazard(fragment.text, hasJsx(language));
  if (hazard !== null) return refused(hazard.reason);
  const isShown = !isMarkup && text === shown;
  const lines = isShown ? null : shown.toString().split('\n');
  return { fragment, lines, mayHoldSink: holdsSink };
}

function withExcerpt(finding: GateFinding, lines: readonly string[] | null): GateFinding {
  const line = lines?.[(finding.line ?? 0) - 1];
  return line === undefined ? finding : { ...finding, excerpt: clip(line) };
}
