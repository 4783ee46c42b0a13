import { severityRank } from '../../../model/finding.ts';
import { USES } from '../../../rules/catalogue/line.ts';
import type { Danger } from '../sinks/sink.ts';
import {
  type Callable,
  UNKNOWN as NO_VALUE,
  type Piece,
  type Source,
  type Value,
} from '../taint/value.ts';
import { dangerAtCall, type Site } from '../tree/lines.ts';
import type { Call, Reach, Run } from './run.ts';
import { byWeight, onlyConstant, type Origin, originsIn, type Shape, textOf, UNKNOWN } from './value.ts';

/** Elements and members of an object that a sink looks at, and how deep. */
const SHOWN_MAX = 64;
const SHOWN_DEPTH_MAX = 3;
/** Calls of one function that data of its parameters reaches. */
const REACHES_MAX = 64;

const CALLABLE: Callable = { node: null, scope: null, name: '', home: null, pollutes: false };

/** The site of a call as the catalogue looks it up. */
export function siteOf(
  run: Run,
  call: Pick<Call, 'name' | 'path' | 'receiver' | 'receiverPath'>,
): Site {
  const { name, path, receiver, receiverPath } = call;
  return {
    name,
    origin: path,
    receiverPath,
    receiver: receiver === null ? null : kindOf(run, receiver),
  };
}

/** As much of a value as the catalogue asks for: whether it is known what it is. */
function kindOf(run: Run, shape: Shape): Value {
  const { constants, pieces, closures, isPlain } = shape;
  if (constants !== null || pieces !== null || closures.length > 0) return KNOWN;
  // Where types are hints, an object of the file may have a base that nobody sees.
  const isHint = run.knowledge.has('trait', 'hints');
  const objects = run.objectsOf(shape);
  if (objects.some(([, { type }]) => !isHint || type === null)) return KNOWN;
  return isPlain ? PLAIN : NO_VALUE;
}

const KNOWN: Value = { ...NO_VALUE, elements: [] };
const PLAIN: Value = { ...NO_VALUE, role: 'plain' };

/** Reports what data from outside does at a call; keeps what a caller's data may do there. */
export function judge(run: Run, call: Call): void {
  const { expression } = call;
  if (run.knowledge.catalogue.sinksAt(siteOf(run, call)).length === 0) return;
  const last = (argument: number) =>
    expression.arguments[Math.max(0, argument)]?.value ?? expression;
  const reach: Reach = { call, at: expression.at, last };
  const given = [...call.args, ...call.options.values(), call.receiver ?? UNKNOWN];
  const flat = given.flatMap((one) => originsIn(run.flat(one)));
  if (flat.some(({ parameter }) => parameter !== null) && run.frame.reaches.length < REACHES_MAX) {
    run.frame.reaches.push(reach);
  }
  judgeReach(run, reach);
}

/** Reports what data does at a call. */
export function judgeReach(run: Run, { call, at, last }: Reach): void {
  const { path, name, receiver, receiverPath } = call;
  const site = siteOf(run, { path, name, receiver, receiverPath });
  const { catalogue } = run.knowledge;
  let worst: Danger | null = null;
  for (const which of waysOf(run, call)) {
    const convert = (shape: Shape) => shownAs(run, shape, 0, pick(shape, which));
    // An option that is nothing is as good as absent.
    const optionOf = (shape: Shape): Value =>
      onlyConstant(shape) === null ? { ...NO_VALUE, constant: '' } : convert(shape);
    const options = new Map([...call.options].map(([key, value]) => [key, optionOf(value)]));
    const own = { ...site, receiver: receiver === null ? null : convert(receiver) };
    const danger = dangerAtCall(
      { catalogue, isTyped: !run.knowledge.has('trait', 'hints'), isStream: (value) => isStream(run, value) },
      run.state,
      { site: own, args: call.args.map(convert), keywords: options },
    );
    if (danger === null) continue;
    if (worst === null || severityRank(danger.severity) < severityRank(worst.severity)) {
      worst = danger;
    }
  }
  if (worst !== null) run.report(worst, at, last(worst.argument), name || 'a call');
}

/** How many origins the values of a call have at most: each of them is looked at. */
function waysOf(run: Run, { args, options, receiver }: Call): number[] {
  const given = [...args, ...options.values(), receiver ?? UNKNOWN];
  const most = given.reduce((count, shape) => Math.max(count, run.flat(shape).origins.length), 1);
  return [...Array(most).keys()];
}

function pick({ origins }: Shape, index: number): Origin | null {
  return [...origins].sort(byWeight)[Math.min(index, origins.length - 1)] ?? null;
}

function isStream(run: Run, { origin, pieces, source }: Value): boolean {
  if (pieces !== null) return false;
  const isSource = run.knowledge.is('stream-source', source?.text ?? '');
  return isSource || run.knowledge.is('stream', origin ?? '');
}

/** A value as sinks look at it, with one of its origins. */
function shownAs(run: Run, shape: Shape, depth: number, origin: Origin | null): Value {
  const { path, isTrusted, isResult, safeFor, pattern, closures, isPlain } = shape;
  const settled = origin === null ? null : settledOrigin(run, origin);
  const plain: Value = {
    ...NO_VALUE,
    ...{ origin: path, isTrusted, isResult, safeFor, fallback: pattern },
    source: settled,
    constant: textOf(shape),
    pieces: shape.pieces === null ? null : piecesOf(run, shape.pieces, depth),
    builtOn: shape.builtOn === null ? null : linesOf(run, shape.builtOn),
    callable: closures.length > 0 ? CALLABLE : null,
    role: isPlain ? 'plain' : null,
  };
  if (depth >= SHOWN_DEPTH_MAX || shape.objects.length === 0) return plain;
  return withMembers(run, shape, plain, depth);
}

function withMembers(run: Run, shape: Shape, plain: Value, depth: number): Value {
  const [first] = run.objectsOf(shape);
  if (first === undefined) return plain;
  const [, object] = first;
  if (object.kind === 'builder') {
    const text = object.rest;
    if (text === null) return plain;
    const inner = shownAs(run, text, depth + 1, pick(text, 0));
    return { ...inner, origin: plain.origin };
  }
  const inner = (value: Shape) => shownAs(run, value, depth + 1, pick(value, 0));
  if (object.kind === 'list') {
    const all = run.objectsOf(shape).flatMap(([, one]) => run.contentsOf(one));
    const elements = all.slice(0, SHOWN_MAX).map(inner);
    return { ...plain, elements, source: plain.source ?? firstSource(elements) };
  }
  if (object.kind === 'instance' && object.isOpen && plain.source === null) return plain;
  const cells = [...object.cells].slice(0, SHOWN_MAX);
  const properties = new Map(cells.map(([key, value]) => [key, inner(value)] as const));
  if (object.rest !== null) properties.set('*', inner(object.rest));
  return { ...plain, properties, source: plain.source ?? firstSource([...properties.values()]) };
}

function firstSource(values: readonly Value[]): Source | null {
  return values.find(({ source }) => source !== null)?.source ?? null;
}

function piecesOf(run: Run, pieces: readonly (string | Shape)[], depth: number): Piece[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? piece : shownAs(run, piece, depth + 1, pick(piece, 0)),
  );
}

function linesOf(run: Run, [start, end]: readonly [number, number]): [number, number] {
  return [run.lineAt(start), run.lineAt(Math.max(start, end - 1))];
}

/** What an origin is safe for by all checks that hold now. */
function settledOrigin(run: Run, origin: Origin): Origin {
  return USES.length === origin.safeFor.length
    ? origin
    : (run.state.settled({ ...UNKNOWN, origins: [origin] }).origins[0] ?? origin);
}
