import { lineIndex, lineStarts } from '../../../core/line-offsets.ts';
import type {
  AskedName,
  Fragment,
  FragmentResult,
  Offered,
  SettledCall,
} from '../../../rpc/contract.ts';
import type { Table } from '../../../rules/catalogue/table.ts';
import { AST_GATE } from '../../limits.ts';
import { childrenOf, type Expression, type Module, type Span, type Statement } from '../il/il.ts';
import { type Frame, readText } from '../parse/reading.ts';
import { TOO_DEEP, type TreeNode, type TreeParser } from '../parse/tree.ts';
import { askedNames, type LowerFile, locatorOf, viewOf, withBeside } from '../program/view.ts';
import type { Reporter } from '../report/findings.ts';
import { followModule } from './engine.ts';
import { type Knowledge, knowledgeOf } from './knowledge.ts';

/** What a language has of its own: its syntax, and its catalogue. */
export interface LanguageParts {
  readonly table: Table;
  /** Of the package `tree-sitter-...` with its grammar. */
  readonly grammar: string;
  /** Ways to make a hunk parse by itself; the first with the fewest errors is taken. */
  framesFor(text: string): readonly Frame[];
  /** The text with what the grammar does not know written as something else; all offsets stay. */
  repaired?(text: string): string;
  lowerWith(knowledge: Knowledge): (root: TreeNode, text: string) => Module;
}

/** A language with what its packages are known to do. */
export interface LoweredLanguage extends LanguageParts {
  readonly knowledge: Knowledge;
  readonly lower: (root: TreeNode, text: string) => Module;
}

/** A language with its own catalogue, or with another one. */
export function languageOf(
  parts: LanguageParts,
  knowledge: Knowledge = knowledgeOf(parts.table),
): LoweredLanguage {
  return { ...parts, knowledge, lower: parts.lowerWith(knowledge) };
}

/** Why parts of a fragment were not looked at; each is a finding. */
export type OnLost = (line: number, reason: string) => void;

/** What an engine sees in a fragment beside what it reports. */
export type Seen = Pick<FragmentResult, 'unparsed' | 'work' | 'asked' | 'offered' | 'settled'>;

/**
 * Looks at a fragment: findings of data from outside that reaches a sink. `onLost` gets code that
 * could not be followed, with its line from 0.
 */
export function inspectModule(
  language: LoweredLanguage,
  parser: TreeParser,
  fragment: Fragment,
  reporter: Reporter,
  onLost: OnLost,
  lowerOther: LowerFile = lowerWith(language, parser),
): Seen {
  const { startLine, added } = fragment;
  const text = withBeside(fragment.text, fragment);
  const { fitted, isForeign, work } = readText(parser, text, language.framesFor(text));
  const [first] = added;
  if (fitted === null) {
    onLost(first?.[0] ?? 0, 'the parser gave nothing');
    return { unparsed: [], work, asked: [] };
  }
  const { prefix, root, cut, hasErrors } = fitted;
  const whole = prefix + text;
  const starts = lineStarts(whole);
  const headLines = prefix.split('\n').length - 1;
  const indexAt = (offset: number) => lineIndex(starts, offset);
  const lineAt = (offset: number) => startLine + Math.max(0, indexAt(offset) - headLines);
  const columnAt = (offset: number) => {
    if (offset < prefix.length) return 1;
    const lineStart = starts[indexAt(offset)] ?? 0;
    return Buffer.byteLength(whole.slice(lineStart, offset)) + 1;
  };
  let steps = 0;
  let asked: AskedName[] = [];
  let offered: Offered[] | undefined;
  let settled: SettledCall[] = [];
  try {
    const module = language.lower(root, whole);
    const own = { module, text: whole, lineAt, columnAt };
    const ownLength = prefix.length + fragment.text.length;
    const view = viewOf(fragment, own, ownLength, lowerOther);
    reporter.locator = locatorOf(view);
    const flows = followModule(
      view.module,
      view.text,
      language.knowledge,
      view.lineAt,
      (danger, at, last, name, beyond) => {
        if (at.start < prefix.length) return;
        const end = Math.max(at.end, last.end);
        reporter.report(danger, { span: at }, { span: { start: last.start, end } }, name, beyond);
      },
      ownLength,
      view.data,
    );
    ({ steps } = flows);
    asked = askedNames(view, flows);
    if (fragment.wantsOffered) offered = flows.offered();
    if (cut !== null && !flows.lost.has(TOO_DEEP)) onLost(lineAt(cut) - startLine, TOO_DEEP);
    for (const [reason, at] of flows.lost) onLost(lineAt(at) - startLine, reason);
    // A hunk begins and ends anywhere, so that errors at its ends tell nothing.
    const isWhole = startLine === 1 && prefix === '' && !isForeign && cut === null;
    const errors = isWhole && hasErrors ? errorsIn(root) : [];
    const hidden = isWhole ? hiddenSink(language, errors, module, whole.slice(0, ownLength)) : null;
    if (hidden !== null) onLost(lineAt(hidden) - startLine, UNKNOWN_SYNTAX);
    const isSeen = isWhole && !hasErrors && fragment.isWhole === true && flows.lost.size === 0;
    const place = (offset: number): [number, number] => [view.lineAt(offset), columnAt(offset)];
    if (isSeen) {
      settled = flows
        .settled()
        .map(({ call, cwe }) => ({ cwe, start: place(call.start), end: place(call.at.end) }));
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    onLost(first?.[0] ?? 0, 'it nests too deeply to be followed');
  }
  const unparsed: [number, number][] =
    isForeign && first !== undefined ? [[first[0], first[0] + 1]] : [];
  return {
    unparsed,
    work: work + steps * AST_GATE.STEP_WORK,
    asked,
    ...(offered === undefined ? {} : { offered }),
    ...(settled.length === 0 ? {} : { settled }),
  };
}

/** Lowers whole files of a language. */
export function lowerWith(language: LoweredLanguage, parser: TreeParser): LowerFile {
  return (_, text) => {
    try {
      const { root, cut } = parser.parse(text);
      return root === null || cut !== null
        ? null
        : { module: language.lower(root, text), before: 0 };
    } catch (thrown) {
      if (thrown instanceof RangeError) return null;
      throw thrown;
    }
  };
}

const UNKNOWN_SYNTAX = 'a dangerous call may stand in syntax that is not known';

/**
 * Where a sink is named within what the grammar does not know or no lowering understands: offset of
 * the name; null when absent.
 */
function hiddenSink(
  { knowledge }: LoweredLanguage,
  errors: readonly Span[],
  module: Module,
  text: string,
): number | null {
  const spans = [...errors, ...(module.unknown.size > 0 ? unknownIn(module) : [])];
  for (const { start, end } of spans) {
    // Of another file it is not the change's.
    if (start >= text.length) continue;
    // What the grammar left out of an error may belong to it: the rest of its lines.
    const from = text.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = text.indexOf('\n', end);
    const lines = text.slice(from, lineEnd < 0 ? text.length : lineEnd);
    for (const { 0: name, index } of lines.matchAll(/[\w$]+(?=\s*\()/g)) {
      if (knowledge.catalogue.namesSink(name)) return from + index;
    }
  }
  return null;
}

function errorsIn(root: TreeNode): Span[] {
  const found: Span[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'ERROR') found.push(node);
    else waiting.push(...node.children);
  }
  return found;
}

function unknownIn({ functions, body }: Module): Span[] {
  const found: Span[] = [];
  const waiting: (Statement | Expression)[] = [
    ...body,
    ...functions.flatMap((declared) => declared.body ?? []),
  ];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'unknown') found.push(node);
    waiting.push(...childrenOf(node));
  }
  return found;
}
