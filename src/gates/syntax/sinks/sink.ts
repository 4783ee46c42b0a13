import { regexText } from '../../../core/regex-text.ts';
import { lesserId, type Severity } from '../../../model/finding.ts';
import { javascriptTable } from '../../../rules/catalogue/javascript.ts';
import type { Use } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import { type Callable, holes, type Source, type Strength, stronger, type Value } from './value.ts';

/** `claimed`: all that is known of the check is a name that promises it. */
export type Safety = 'safe' | 'claimed' | null;

/**
 * Whether a check that holds at the sink made data of a source safe for a use; `option`: no program
 * takes it for one.
 */
type SafetyTest = (use: Use | 'option', source: Source) => Safety;

/** What is called, by its names. */
export interface Named {
  /** Last name of the callee: `exec` of `cp.exec`; '' when it is computed. */
  readonly name: string;
  /** What the callee was imported as, where the fragment shows it: `child_process.exec`. */
  readonly origin: string | null;
  /** How the callee came of a package of the catalogue: `pg.createPool().query`. */
  readonly made: string | null;
  /** The callee's name is declared in the fragment, as something that was not imported. */
  readonly isDeclared: boolean;
  /** The fragment assigns a global or a method of a prototype of this name. */
  readonly isPatched: boolean;
  /** The function itself, when the fragment shows it. */
  readonly callable: Callable | null;
  /** What stands before the last name; null for a plain name. */
  readonly receiver: Value | null;
  /** How that is written, when it is a chain of names: `this.db`. */
  readonly receiverPath: string | null;
}

/** A call or `new`, as a sink sees it. */
export interface CallSite extends Named {
  readonly isNew: boolean;
  readonly args: readonly Value[];
  /** Whether lines of the catalogue are of the package that a path begins with. */
  readonly isCatalogued: (path: string) => boolean;
  /** Whether a pattern matches somewhere in the file or hunk. */
  readonly isWritten: (pattern: RegExp) => boolean;
  /** The last name of an argument that is a name or member: `password` of `user.password`. */
  readonly argumentName: (index: number) => string;
  readonly safetyOf: SafetyTest;
}

/** A property of an object literal, or an attribute of an element. */
export interface PropertySite {
  readonly name: string;
  readonly value: Value;
  /** Written as a literal: patterns of gate 1 see it too. */
  readonly isLiteral: boolean;
  /** The element's name; null for an object's property. */
  readonly element: string | null;
  readonly safetyOf: SafetyTest;
}

/** `object.name = value`, `object[first][second] = value`. */
export interface AssignSite {
  /** '' when it is computed. */
  readonly name: string;
  readonly object: Value;
  readonly objectPath: string | null;
  /** The last two keys, where they are computed: `a[first][second]`. */
  readonly keys: readonly [Value | null, Value | null];
  /** The first key gets an empty object by default. */
  readonly isMadeOnDemand: boolean;
  readonly value: Value;
  readonly safetyOf: SafetyTest;
}

/** What a sink has found. */
export interface Danger {
  id: string;
  severity: Severity;
  cwe: string;
  /** What the data reaches. */
  sink: SinkName;
  fix: string;
  value: Value;
  /** Where it comes from, when that is not what weighs most in the value as a whole. */
  source?: Source | null;
  /** Index of the argument that holds the value; -1 for the receiver or a property. */
  argument: number;
}

/** A sign of a sink in raw text: the prefilter. */
export interface Hint {
  /** Literals of which one stands in the text, in any case: looked for first, all at once. */
  words: readonly string[];
  /** Expressions that must all match then. Linear: run on whole hunks of hostile text. */
  patterns: readonly RegExp[];
}

/** One class of vulnerability: data for the prefilter, and functions that look at code. */
export interface Sink {
  /** Of which at least one applies wherever this sink is used; a hunk with none is not parsed. */
  readonly hints: readonly Hint[];
  inCall?(site: CallSite): Danger | null;
  /** A tagged template: its text is the first argument, what the tag was given the second. */
  inTag?(site: CallSite): Danger | null;
  inProperty?(site: PropertySite): Danger | null;
  inAssign?(site: AssignSite): Danger | null;
}

/**
 * The worst source of a value that nothing made safe for the use; null when it is absent. What a
 * function cleaned or checked of which only the name is known has the strength `checked`.
 */
export function sourceFor(value: Value, use: Use, safetyOf: SafetyTest): Source | null {
  if (value.callable !== null) return null;
  const sources = value.pieces === null ? [value.source] : holes(value).map((hole) => hole.source);
  let worst: Source | null = null;
  for (const source of sources) {
    if (source === null || source.safeFor.includes(use)) continue;
    const safety = safetyOf(use, source);
    if (safety === 'safe') continue;
    const isClaimed = safety === 'claimed' || source.claimedFor.includes(use);
    const isLess = isClaimed && source.strength === 'strong';
    worst = stronger(worst, isLess ? { ...source, strength: 'checked' } : source);
  }
  // The text knows the names it had since it was put together.
  if (worst === null || worst.text !== value.source?.text) return worst;
  return { ...worst, steps: value.source.steps };
}

/** How dangerous a value is for a use, and by which source. */
interface Threat {
  /** `built`: a text put together from values, not literals alone; null: no shape to speak of. */
  kind: Strength | 'built' | null;
  source: Source | null;
}

/** Weighs a value: a part of which nothing is known is worse than what the operator gives. */
export function threatOf(value: Value, use: Use, safetyOf: SafetyTest): Threat {
  const source = sourceFor(value, use, safetyOf);
  const isOpen = holes(value).some((hole) => hole.source === null && !hole.safeFor.includes(use));
  if (source === null) return { kind: isOpen ? 'built' : null, source };
  return { kind: source.strength === 'operator' && isOpen ? 'built' : source.strength, source };
}

/** The last part of an origin if it is one of the modules', else null. */
export function exportOf(origin: string | null, modules: ReadonlySet<string>): string | null {
  if (origin === null) return null;
  if (modules.has(origin)) return '';
  const dot = origin.lastIndexOf('.');
  return dot > 0 && modules.has(origin.slice(0, dot)) ? origin.slice(dot + 1) : null;
}

/** The words themselves, as whole words. */
export function wholeWords(words: readonly string[]): Hint {
  const any = words.map((word) => word.replaceAll('$', '\\$')).join('|');
  return { words, patterns: [new RegExp(`(?<![\\w$])(?:${any})(?![\\w$])`)] };
}

const SOURCES = javascriptTable.packages.flatMap((entry) =>
  (entry.sources ?? []).map((line) => ({ line, entry })),
);
/** Names of decorators that bring data from outside. */
const DECORATORS = SOURCES.filter(({ line }) => line.decorator === true).flatMap(({ line }) =>
  line.exports.split(' '),
);
/** Usual names of what gives data from outside to functions. */
const RECEIVERS = new Set(
  SOURCES.filter(({ line }) => line.callback !== undefined).flatMap(({ line, entry }) =>
    (line.receivers ?? entry.receivers ?? '').split(' ').filter(Boolean),
  ),
);

/** Signs of data from outside: sinks that need a source are not looked for without one of them. */
export const SOURCE_SIGN = new RegExp(
  String.raw`\b(?:req|request|ctx|context|event|evt|location|searchParams|formData|argv|entry|queryStringParameters|pathParameters|originalname|entryName|` +
    'userInput|user_input|use(?:Params|SearchParams|Query|Router|Route)|socket|wss?|io|' +
    'args|_?parent|_?root|_|ipcMain|createServer|serve|onmessage|(?:get|read)(?:Query|Body|Cookie)|' +
    'each(?:Message|Batch)|handleMessage(?:Batch)?|process(?:Message|Events)|consume|subscribe|' +
    String.raw`job(?=\s{0,9}[.)])|document\.(?:cookie|referrer|URL))\b|['"]use server['"]|Request\b|Event\b|Context\b|` +
    String.raw`@(?:Body|Query|Param|Headers?|Cookies?|UploadedFiles?|Args?|Req|Request)\b|` +
    `@(?:${['(?!)', ...DECORATORS.map(regexText)].join('|')})\\b|` +
    String.raw`\.(?:get|post|put|patch|delete|del|all|use|head|route)\s{0,20}\(\s{0,20}['"\x60/]|` +
    String.raw`\b(?:params|query|body|res|reply)\b|\(\s{0,9}\{[^}]{0,80}\b(?:parsedI|i)nput\b|` +
    String.raw`\b(?:${['(?!)', ...RECEIVERS].join('|')})\s{0,9}\.|` +
    `['"](?:node:)?(?:${['(?!)', ...new Set(SOURCES.map(({ entry }) => regexText(entry.package)))].join('|')})['"/]`,
);

/** An argument that is not a plain literal; a call with a literal alone reaches no sink. */
const OPEN_ARGUMENT =
  String.raw`\s{0,20}\(\s{0,80}(?![)\d]|'[^'\n]{0,200}'\s{0,20}[,)]|"[^"\n]{0,200}"\s{0,20}[,)]|` +
  String.raw`(?:null|true|false|undefined|JSON\.stringify|err|error)\b)`;

/** Signs of functions that others call. */
const EXPORT_SIGN = /\bexports?\b/;

/** Calls of these with a text that is put together, in a module that exports something. */
export function builtNearExport(words: readonly string[]): Hint {
  const any = words.join('|');
  const call = new RegExp(
    String.raw`(?<![\w$])(?:${any})\s{0,20}\(\s{0,80}(?:[\w$.]{1,60}\s{0,9}[(+]|['"\x60][^\n]{0,200}(?:\+|\$\{))`,
  );
  return { words, patterns: [call, EXPORT_SIGN] };
}

/** Calls of these (a regex) with something else than a literal, in a text that shows a source. */
export function callsNearSource(words: readonly string[], callee: string): Hint {
  const pattern = new RegExp(String.raw`(?<![\w$])(?:${callee})${OPEN_ARGUMENT}`);
  return { words, patterns: [pattern, SOURCE_SIGN] };
}

/** A sink's words, in a text that shows data from outside. */
export function wordsNearSource(words: readonly string[]): Hint {
  const hint = wholeWords(words);
  return { words, patterns: [...hint.patterns, SOURCE_SIGN] };
}

/** A class of findings that only data from outside makes. */
export interface Class {
  use: Use;
  cwe: string;
  sink: SinkName;
  fix: string;
  /** A parameter of an exported function counts only behind other text: not as a root. */
  isWeakIfBuilt?: true;
  /**
   * Id and severity by the source's strength; what is missing is not a finding. What a check of
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
  // A parameter as it comes is what such a function is for; what it is put into is the program's.
  if (source.strength === 'weak' && kind.isWeakIfBuilt && !isPartOfText(value, kind.use))
    return null;
  const { cwe, sink, fix } = kind;
  const isLess = isChecked && grade[1] === 'critical';
  const [id, severity] = isLess ? [lesserId({ id: grade[0], cwe }), 'high' as const] : grade;
  return { id, severity, cwe, sink, fix, value, source, argument };
}

/** Something stands before data that is not safe for the use: a part of what the program says. */
export function isPartOfText({ pieces, isResult }: Value, use: Use): boolean {
  if (pieces === null) return isResult;
  const [start, ...others] = pieces;
  if (typeof start === 'string' && start !== '') return true;
  const [, ...behind] = start === '' ? others : pieces;
  return behind.some((piece) => {
    const source = typeof piece === 'object' ? piece.source : null;
    return source !== null && !source.safeFor.includes(use) && !source.claimedFor.includes(use);
  });
}

/** The first finding among arguments, or what a list holds. */
export function firstOf(dangers: Iterable<Danger | null>): Danger | null {
  for (const danger of dangers) if (danger !== null) return danger;
  return null;
}
