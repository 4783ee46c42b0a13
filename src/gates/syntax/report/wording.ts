import type { FlowStep } from '../../../model/finding.ts';
import { FLOW } from '../../../model/limits.ts';
import { SINK_WORDS, type SinkWords } from '../../../rules/wording/sinks.ts';
import { sourceWords } from '../../../rules/wording/sources.ts';
import type { Danger } from '../sinks/sink.ts';
import type { Source, Step, Strength } from '../sinks/value.ts';

/** Says where an offset of what was parsed stands. */
export interface Locator {
  /** 1-based line of the new file. */
  lineAt(offset: number): number;
  /** 1-based column in bytes. */
  columnAt(offset: number): number;
  fileAt(offset: number): string;
  /** The text between two offsets. */
  textOf(start: number, end: number): string;
}

/** Where data reaches a sink: the name of what is called or set, and its line of the new file. */
export interface SinkPlace {
  readonly name: string;
  readonly line: number;
  readonly file: string;
  /** It is another file than that of the finding. */
  readonly isBeyond: boolean;
}

/** The title of a finding, one line: "Request parameter `id` reaches an SQL statement". */
export function titleOf(danger: Danger, source: Source | null): string {
  const { alone, reached }: SinkWords = SINK_WORDS[danger.sink];
  if (source === null || reached === undefined) return alone;
  return capital(`${describe(source)} reaches ${reached}`);
}

/** What an attacker can do, and where. */
export function messageOf(
  danger: Danger,
  source: Source | null,
  place: SinkPlace,
  lineOf: (source: Source) => string = ({ line }) => `line ${line}`,
): string {
  const { attack } = SINK_WORDS[danger.sink];
  const at = lineIn(place.line, place.isBeyond ? place.file : null);
  const sink = `${quoted(place.name)} (${at})`;
  const { pieces, isTrusted, role } = danger.value;
  if (source !== null) {
    const from = source.line > 0 ? `${describe(source)} (${lineOf(source)})` : describe(source);
    const seen =
      source.strength === 'checked' ? ' A check has seen it, which may not be enough.' : '';
    const { through } = source;
    const by =
      through === undefined ? '' : ` It went through ${quoted(through)}, which is not in view.`;
    return capital(`${GIVEN[source.strength]}${attack}: ${from} reaches ${sink}.${seen}${by}`);
  }
  if (isTrusted || role !== null) return capital(`${attack}: ${sink}.`);
  const is =
    pieces === null ? 'gets what is not a literal' : 'gets a text that holds more than literals';
  return `If a part of it comes from outside, ${attack}: ${sink} ${is}.`;
}

/** A line, and the file where that is not the one of the finding. */
export function lineIn(line: number, file: string | null): string {
  return file === null ? `line ${line}` : `line ${line} of ${quoted(file)}`;
}

/** What has to hold for an attack, by what the source is. */
const GIVEN: Readonly<Record<Strength, string>> = {
  strong: '',
  checked: '',
  weak: 'if a caller of this exported function passes data from outside, ',
  operator: 'with control of the command line or the environment, ',
};

/** Source, steps and sink of a flow; `end` is where the finding is. */
export function stepsOf(
  danger: Danger,
  source: Source,
  end: SinkPlace & Pick<FlowStep, 'column'>,
  locator: Pick<Locator, 'columnAt' | 'fileAt'>,
): FlowStep[] {
  const { file, column } = end;
  const at = ({ line, offset }: Pick<Step, 'line' | 'offset'>) => ({
    file: offset === undefined ? file : locator.fileAt(offset),
    line: line > 0 ? line : null,
    column: line > 0 && offset !== undefined ? locator.columnAt(offset) : null,
  });
  const steps = source.steps.slice(0, FLOW.STEPS_MAX - 2);
  return [
    { ...at(source), what: describe(source) },
    ...steps.map((step) => ({ ...at(step), what: describeStep(step) })),
    { file, line: end.line, column, what: `${danger.sink} of ${quoted(end.name)}` },
  ];
}

function describeStep({ name, how }: Step): string {
  if (how === undefined) return `assigned to ${quoted(name)}`;
  if (how === 'result') return `returned by ${quoted(name)}`;
  return `passed to ${quoted(how.passedTo)} as ${quoted(name)}`;
}

function describe({ strength, text }: Source): string {
  if (strength === 'weak') return `parameter ${quoted(text)}`;
  const { noun, name } = sourceWords(text);
  if (strength === 'operator' && noun === 'user input') return `setting ${quoted(text)}`;
  return name === null ? noun : `${noun} ${quoted(name, isLong(text))}`;
}

/** A run without a break at the end of a name that is cut: it may be a part of a secret. */
const CUT_RUN = /[\w+/=.~%-]{20,}$/;

/** Whether a text is as long as engines cut them. */
function isLong({ length }: string): boolean {
  return length >= FLOW.NAME_CHARS_MAX;
}

/**
 * Text of the change as one short line between backticks; words of ours stay as they are.
 * `isCut`: its end may be missing.
 */
function quoted(text: string, isCut = isLong(text)): string {
  if (OWN_WORDS.has(text)) return text;
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s\u2028\u2029`]+/gu, ' ').trim();
  if (!isCut) return `\`${plain}\``;
  const start = plain.slice(0, FLOW.NAME_CHARS_MAX - 1).toWellFormed();
  return `\`${start.replace(CUT_RUN, '')}…\``;
}

/** How a sink is named that has no name in the code. */
const OWN_WORDS: ReadonlySet<string> = new Set(['a call', 'a function', 'a tag', 'an assignment']);

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
