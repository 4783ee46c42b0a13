import { severityRank } from '../../../model/finding.ts';
import { USES } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import { childrenOf, type Expression, type Span, type Statement } from '../il/il.ts';
import { isUnguessable } from '../sinks/crypto.ts';
import { settingAt } from '../sinks/kinds.ts';
import type { Danger } from '../sinks/sink.ts';
import {
  type Callable,
  UNKNOWN as NO_VALUE,
  type Piece,
  type Source,
  type Value,
} from '../sinks/value.ts';
import { writtenBy } from './answer-types.ts';
import { dangerAtCall, type Judged, type Site, withoutCalls } from './catalogue-lines.ts';
import { readText } from './container.ts';
import { lastOf } from './names.ts';
import { type Call, type Frame, PLAIN, type Reach, type Run } from './run.ts';
import { settle } from './settled.ts';
import {
  byWeight,
  changed,
  constantOf,
  join,
  type Origin,
  onlyConstant,
  originsIn,
  type Pieces,
  type Shape,
  textOf,
  UNKNOWN,
} from './value.ts';
import { askForValue } from './view.ts';

/** Elements and members of an object that a sink looks at one by one, and how deep. */
const SHOWN_MAX = TAINT.MEMBERS_MAX + 1;
const SHOWN_DEPTH_MAX = 3;
/** Calls of one function that data of its parameters reaches. */
const REACHES_MAX = 512;

const CALLABLE: Callable = { node: null, scope: null, name: '', home: null, pollutes: false };

/** The site of a call as the catalogue looks it up. */
export function lineSiteOf(
  run: Run,
  call: Pick<Call, 'name' | 'path' | 'receiver' | 'receiverPath'>,
): Site {
  return new CalledSite(run, call);
}

/** What a call is on is looked at where it counts: most names mean nothing to the catalogue. */
class CalledSite implements Site {
  readonly name: string;
  readonly origin: string | null;
  readonly receiverPath: string | null;
  readonly #run: Run;
  readonly #receiver: Shape | null;

  constructor(
    run: Run,
    {
      name,
      path,
      receiver,
      receiverPath,
    }: Pick<Call, 'name' | 'path' | 'receiver' | 'receiverPath'>,
  ) {
    this.name = name;
    this.origin = path;
    this.receiverPath = receiverPath;
    this.#run = run;
    this.#receiver = receiver;
  }

  get receiver(): Value | null {
    return this.#receiver === null ? null : kindOf(this.#run, this.#receiver);
  }
}

/** As much of a value as the catalogue asks for: whether it is known what it is. */
function kindOf(run: Run, shape: Shape): Value {
  const { constants, pieces, closures, isPlain } = shape;
  if (constants !== null || pieces !== null || closures.length > 0) return KNOWN;
  // Where types are hints, an object of the file may have a base that nobody sees.
  const isHint = run.knowledge.traits.has('hints');
  const objects = run.objectsOf(shape);
  if (objects.some(([, { type }]) => !isHint || type === null)) return KNOWN;
  return isPlain ? PLAIN_VALUE : NO_VALUE;
}

const KNOWN: Value = { ...NO_VALUE, elements: [] };
const PLAIN_VALUE: Value = { ...NO_VALUE, role: 'plain' };

/** Reports what data from outside does at a call; keeps what a caller's data may do there. */
export function checkLines(run: Run, call: Call): void {
  checkBy(run, call, run.knowledge.catalogue.sinksAt(lineSiteOf(run, call)));
}

/** Reports what a value does where it is assigned; the call says what to, and the value. */
export function checkAssignedLines(run: Run, call: Call): void {
  checkBy(run, call, run.knowledge.catalogue.assignsAt(lineSiteOf(run, call)));
}

/** Reports what a server does with what a function gives back to it. */
export function checkAnswer(
  run: Run,
  given: Expression,
  value: Shape,
  lines: readonly Judged[],
): void {
  const items = given.form === 'list' ? (run.elementsOf(value) ?? []) : [];
  const [text = UNKNOWN, status = UNKNOWN] = items;
  // An answer with its status: `return text, 400`.
  const args = typeof onlyConstant(status) === 'number' ? items : [value];
  // Objects are sent as JSON.
  if (run.objectsOf(args === items ? text : value).length > 0) return;
  const { start, end } = given;
  const name = 'the answer';
  const expression = {
    start,
    end,
    form: 'call',
    receiver: null,
    name,
    path: null,
    arguments: [{ value: given, name: null, isSpread: false }],
    at: { start, end },
    isBase: false,
  } as const;
  checkBy(run, { ...PLAIN, expression, name, path: null, args }, lines);
}

/** Whether a call makes or writes an answer with a media type without scripts. */
function isPlainAnswer(run: Run, expression: Call['expression']): boolean {
  if (run.plainAnswers.has(expression)) return true;
  if (expression.form !== 'call') return false;
  const { receiver, start } = expression;
  // `w.getWriter().print(x)`
  const made = receiver?.form === 'call' ? writtenBy(run.knowledge, receiver) : null;
  const written = made ?? writtenBy(run.knowledge, expression);
  const writer = written ?? (receiver?.form === 'load' ? receiver.variable : null);
  const from = writer === null ? undefined : run.plainWriters.get(writer);
  return from !== undefined && from <= start;
}

/** Whether the calls before one, or the annotations of its function, say that it sends HTML. */
function isTypedPage(run: Run, expression: Call['expression']): boolean {
  const before = expression.form === 'call' ? expression.receiver : null;
  const text = before === null ? '' : run.textOf(before);
  const isTyped = run.knowledge.is('answer-type', text);
  return isTyped ? run.knowledge.is('page-type', text) : run.frame.isPage === true;
}

/** Whether the calls before one say that the answer is about something new: `status(201)`. */
function isMadeAnswer(run: Run, expression: Call['expression']): boolean {
  const before = expression.form === 'call' ? expression.receiver : null;
  return before !== null && run.knowledge.is('made-answer', run.textOf(before));
}

/** The same by lines that say what the call does. */
function checkBy(run: Run, call: Call, all: readonly Judged[]): void {
  const { expression } = call;
  const mayBePage = all.some(({ line }) => line.kind === 'page');
  const isPlain = mayBePage && isPlainAnswer(run, expression);
  const lines = all.filter(({ line }) => {
    if (line.page === true && !isTypedPage(run, expression)) return false;
    if (line.kind === 'redirect' && isMadeAnswer(run, expression)) return false;
    return !isPlain || line.kind !== 'page';
  });
  if (lines.length === 0) return;
  const last = (argument: number) =>
    expression.arguments[Math.max(0, argument)]?.value ?? expression;
  const reach: Reach = { call, at: expression.at, last, lines };
  const given = [...call.args, ...call.options.values(), call.receiver ?? UNKNOWN];
  const flat = given.flatMap((one) => originsIn(run.flat(one)));
  if (flat.some(({ parameter }) => parameter !== null)) keepReach(run, run.frame, reach);
  for (const one of given) askForValue(run, one);
  if (flat.some(({ strength }) => strength !== 'weak')) askForNames(run, expression);
  checkReach(run, reach);
}

/** Reports a value that can be guessed under a name that says it must not be. */
export function checkNamed(run: Run, name: string, value: Shape, at: Span): void {
  if (value.role !== 'random' || !isUnguessable(name)) return;
  const danger = settingAt('random', shownAs(run, value, 0, { origin: 0, text: 0 }), -1);
  if (danger !== null) run.report(danger, at, at, name);
}

/** Asks for constants of the package that stand beside data in a call. */
function askForNames(run: Run, { arguments: given }: Call['expression']): void {
  if (!run.knowledge.traits.has('package')) return;
  askForPackage(
    run,
    given.map(({ value }) => value),
  );
}

/**
 * Asks for what conditions of the file are about, where data from outside reaches a sink: a
 * constant of another file may say that a check is never made.
 */
export function askForConditions(run: Run): void {
  const waiting: (Expression | Statement)[] = run.module.functions.flatMap(({ id, body }) =>
    run.isOwnFunction(id) ? (body ?? []) : [],
  );
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'if' || node.form === 'choose') askForTested(run, node.test);
    // What is spread over an object decides what stands under its keys.
    for (const { key, value } of node.form === 'object' ? node.entries : []) {
      if (key === null) askForTested(run, value);
    }
    waiting.push(...childrenOf(node));
  }
}

/**
 * Asks for names in a condition or in what is spread by themselves; functions in it are asked for
 * with their data.
 */
function askForTested(run: Run, test: Expression): void {
  if (run.knowledge.traits.has('package')) askForPackage(run, [test]);
  const waiting: (Expression | Statement)[] = [test];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const path = node.form === 'name' || node.form === 'member' ? pathOf(node) : null;
    if (path === null) waiting.push(...childrenOf(node));
    else if (!run.knowledge.isKnown(path)) run.ask(path, node.start, false);
  }
}

/** The path of a name with the members behind it; null: it is another expression. */
function pathOf(node: Expression): string | null {
  if (node.form === 'name') return node.path;
  const before = node.form === 'member' ? pathOf(node.object) : null;
  return before === null || node.form !== 'member' ? null : `${before}.${node.name}`;
}

/** Asks for names of the package in expressions. */
function askForPackage(run: Run, given: readonly Expression[]): void {
  const waiting: (Expression | Statement)[] = [...given];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'name' && node.path === null) run.ask(`./${node.name}`, node.start, false);
    const { object } = node.form === 'member' ? node : { object: null };
    const isOfName = object?.form === 'name' && object.path === null;
    if (node.form === 'member' && isOfName) run.ask(`./${node.name}`, node.start, false);
    waiting.push(...childrenOf(node));
  }
}

/** Keeps a call that a caller's data may reach. */
export function keepReach(run: Run, { reaches }: Frame, reach: Reach): void {
  if (reaches.length < REACHES_MAX) reaches.push(reach);
  else run.lose('parameters of a function reach more calls than are kept', reach.at.start);
}

/** Reports what data does at a call. */
export function checkReach(run: Run, { call, at, last, lines }: Reach): void {
  const { path, name, receiver, receiverPath } = call;
  let worst: Danger | null = null;
  for (const way of waysOf(run, call)) {
    const convert = (shape: Shape) => shownAs(run, shape, 0, way);
    // An option that is nothing is as good as absent.
    const optionOf = (shape: Shape): Value =>
      onlyConstant(shape) === null ? { ...NO_VALUE, constant: '' } : convert(shape);
    const options = new Map([...call.options].map(([key, value]) => [key, optionOf(value)]));
    const shown = receiver === null ? null : convert(receiver);
    const own: Site = { name, origin: path, receiver: shown, receiverPath };
    const looked = { site: own, args: call.args.map(convert), keywords: options };
    if (run.isOwnPlace(at.start)) settle(run, call.expression, looked, lines);
    const danger = dangerAtCall(
      {
        isTyped: !run.knowledge.traits.has('hints'),
        isStream: (value) => isStream(run, value),
      },
      run.state,
      looked,
      lines,
    );
    if (danger === null) continue;
    if (worst === null || severityRank(danger.severity) < severityRank(worst.severity)) {
      worst = danger;
    }
  }
  const given = [...call.args, ...call.options.values(), receiver ?? UNKNOWN];
  // Beside a danger that was found, too: people may accept that one, and it is not all.
  if (given.some(({ isCut }) => isCut)) {
    run.lose('a value may be more texts than are kept', run.here);
  }
  if (worst !== null) run.report(worst, at, last(worst.argument), name || 'a call');
}

/** Judges what an interpreter is given to read as a script that it runs. */
export function checkInput(
  run: Run,
  { expression }: Pick<Call, 'expression'>,
  { path, pattern }: Shape,
  text: Shape,
): void {
  const plain = withoutCalls(path ?? '');
  if (pattern === null || !run.knowledge.has('script', plain)) return;
  const root = path?.slice(0, path.indexOf('()')) ?? '';
  const args = [constantOf(pattern), constantOf('-c'), run.flat(readText(run, text))];
  checkLines(run, { ...PLAIN, expression, name: lastOf(root), path: root, args });
}

/** One of the origins of each value, and one of the texts that it may be. */
interface Way {
  readonly origin: number;
  readonly text: number;
}

/** As many ways as the values of a call have origins and texts at most: each is looked at. */
function waysOf(run: Run, { args, options, receiver }: Call): Way[] {
  const given = [...args, ...options.values(), receiver ?? UNKNOWN];
  let origins = 1;
  let texts = 1;
  for (const shape of given) {
    origins = Math.max(origins, run.flat(shape).origins.length);
    texts = Math.max(texts, readText(run, shape).texts.length + 1, alternativesIn(run, shape));
  }
  return [...Array(origins * texts).keys()].map((index) => ({
    origin: index % origins,
    text: Math.floor(index / origins),
  }));
}

/** How many texts a value may be, or an element of a list: `isWindows ? "cmd.exe" : "sh"`. */
function alternativesIn(run: Run, shape: Shape): number {
  const inner = shape.objects.length === 0 ? [] : (run.elementsOf(shape) ?? []);
  return Math.max(1, ...[shape, ...inner].map(({ constants }) => constants?.length ?? 1));
}

/** The constant that a way says; null where it says no constant, or no text. */
function constantAt(shape: Shape, { text }: Way): string | null {
  const { constants } = shape;
  if (constants === null || constants.length < 2) return textOf(shape);
  const one = constants[Math.min(text, constants.length - 1)];
  return typeof one === 'string' ? one : null;
}

function pick({ origins }: Shape, { origin }: Way): Origin | null {
  return [...origins].sort(byWeight)[Math.min(origin, origins.length - 1)] ?? null;
}

/** The pieces of the text that a way says; null: it was not put together. */
function piecesAt({ pieces, texts }: Shape, { text }: Way): Pieces | null {
  return text === 0 ? pieces : (texts[Math.min(text, texts.length) - 1] ?? pieces);
}

function isStream(run: Run, { origin, pieces, source }: Value): boolean {
  if (pieces !== null) return false;
  const isSource = run.knowledge.is('stream-source', source?.text ?? '');
  return isSource || run.knowledge.is('stream', origin ?? '');
}

/**
 * What a function always gives, whatever it is called with: `true` of an empty check. A method goes
 * by its name: `http.csrf(CsrfConfigurer::disable)`.
 */
function answerOf(run: Run, closures: Shape['closures']): string | null {
  const [only, ...others] = closures;
  if (only?.kind === 'method') return only.name;
  if (only?.kind !== 'function' || others.length > 0) return null;
  const [last, ...rest] = run.functionOf(only.id)?.body ?? [];
  const value = last?.form === 'return' && rest.length === 0 ? last.value : null;
  return value?.form === 'constant' ? String(value.value) : null;
}

/** A value as sinks look at it, with one origin of it and one of each value that it holds. */
function shownAs(run: Run, shape: Shape, depth: number, way: Way): Value {
  const { path, isTrusted, isResult, safeFor, pattern, closures, isPlain } = shape;
  const origin = pick(shape, way);
  const pieces = piecesAt(shape, way);
  const settled = origin === null ? null : settledOrigin(run, origin);
  const plain: Value = {
    ...NO_VALUE,
    origin: path,
    isTrusted,
    isResult,
    safeFor,
    fallback: shape.fallback ?? pattern ?? answerOf(run, closures),
    source: settled,
    constant: constantAt(shape, way),
    setting: constantAt(shape, way),
    pieces: pieces === null ? null : piecesOf(run, pieces, depth, way),
    builtOn: shape.builtOn === null ? null : linesOf(run, shape.builtOn),
    callable: closures.length > 0 ? CALLABLE : null,
    role: isPlain ? 'plain' : shownRole(shape),
  };
  if (shape.objects.length === 0) return plain;
  if (depth < SHOWN_DEPTH_MAX) return withMembers(run, shape, plain, depth, way);
  // Deeper within, all that it holds is one.
  const inner = pick(run.flat(shape), way);
  return { ...plain, source: settled ?? (inner === null ? null : settledOrigin(run, inner)) };
}

function shownRole({ role }: Shape): Value['role'] {
  return role === 'random' || role === 'decoded' ? role : null;
}

function withMembers(run: Run, shape: Shape, plain: Value, depth: number, way: Way): Value {
  const objects = run.objectsOf(shape).map(([, object]) => object);
  const [first] = objects;
  if (first === undefined) return plain;
  const inner = (value: Shape) => shownAs(run, value, depth + 1, way);
  const settingsOf = () => new Map([...first.cells].map(([key, value]) => [key, inner(value)]));
  if (first.kind === 'product') {
    return first.isOpen || objects.length > 1 ? plain : { ...plain, settings: settingsOf() };
  }
  if (first.kind === 'builder') return { ...inner(readText(run, shape)), origin: plain.origin };
  if (first.kind === 'list') {
    const all = objects.flatMap((object) => run.contentsOf(object));
    if (all.length > SHOWN_MAX) run.lose(TOO_MANY_MEMBERS, run.here);
    const elements = all.slice(0, SHOWN_MAX).map(inner);
    return { ...plain, elements, source: plain.source ?? firstSource(elements) };
  }
  const isOpen = objects.every((object) => object.kind === 'instance' && object.isOpen);
  if (isOpen && plain.source === null) {
    return first.type === null ? { ...plain, settings: settingsOf() } : plain;
  }
  const cells = new Map<string, Shape>();
  const put = (key: string, value: Shape) => {
    const known = cells.get(key);
    cells.set(key, known === undefined ? value : join(known, value));
  };
  for (const object of objects) {
    for (const [key, value] of object.cells) put(key, value);
    if (object.rest !== null) put('*', object.rest);
  }
  if (cells.size > SHOWN_MAX) run.lose(TOO_MANY_MEMBERS, run.here);
  const shown = [...cells].slice(0, SHOWN_MAX);
  const properties = new Map(shown.map(([key, value]) => [key, inner(value)] as const));
  return { ...plain, properties, source: plain.source ?? firstSource([...properties.values()]) };
}

const TOO_MANY_MEMBERS = 'a list or table has more members than are looked at';

function firstSource(values: readonly Value[]): Source | null {
  return values.find(({ source }) => source !== null)?.source ?? null;
}

function piecesOf(run: Run, pieces: Pieces, depth: number, way: Way): Piece[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? piece : shownAs(run, piece, depth + 1, way),
  );
}

function linesOf(run: Run, [start, end]: readonly [number, number]): [number, number] {
  return [run.lineAt(start), run.lineAt(Math.max(start, end - 1))];
}

/** What an origin is safe for by all checks that hold now. */
function settledOrigin(run: Run, origin: Origin): Origin {
  return USES.length === origin.safeFor.length
    ? origin
    : (run.state.settled(changed(UNKNOWN, { origins: [origin] })).origins[0] ?? origin);
}
