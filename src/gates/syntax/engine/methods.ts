import type { Use } from '../../../rules/catalogue/line.ts';
import type { Expression } from '../il/il.ts';
import { charactersOf, isMarkupEscape, keptBy } from './characters.ts';
import { containerResult, readText } from './container.ts';
import { asText, decoded } from './functions.ts';
import { clean, harmlessResult, instanceOf, unknownResult } from './named-results.ts';
import { arePaths } from './partial-data.ts';
import { isLineEnd, isWithoutLineEnd, matchedBy } from './pattern.ts';
import type { Call, Run } from './run.ts';
import { textResult, withReplacement } from './text.ts';
import {
  build,
  type Closure,
  changed,
  clip,
  constantOf,
  derive,
  isRandom,
  joinAll,
  madeSafe,
  mapOrigins,
  type Origin,
  originsIn,
  RANDOM,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

const HTML: readonly Use[] = ['html'];
/** Elements of a list that are put together one after the other. */
const REDUCED_MAX = 8;

/** What a method of a value gives back by the name that everybody gives to such methods. */
export function methodCall(run: Run, call: Call, receiver: Shape): Shape {
  const { knowledge } = run;
  const { name, args, path, isNew, expression } = call;
  if (isRandom(receiver) || args.some(isRandom)) return RANDOM;
  const [first, second] = args;
  const flat = args.map((one) => run.flat(readText(run, one)));
  if (knowledge.is('decodes', name) && args.length > 0 && receiver.origins.length === 0) {
    return decoded(name, derive(flat));
  }
  const operation = knowledge.methods.get(`any ${name}`);
  const through = calledBack(run, operation, call, receiver);
  if (through !== null) return through;
  if (knowledge.has('harmless-method', name)) return receiver.path === null ? TRUSTED : UNKNOWN;
  if (knowledge.has('harmless-call', name)) return harmlessResult(run, call);
  if (knowledge.has('resolver', name)) return resolvedHost(derive(flat));
  // Text as bytes is the same text.
  if (operation === 'bytes' && first?.constants != null) return first;
  const isText = receiver.constants !== null || receiver.pieces !== null;
  if (knowledge.has('keeping', name) && isText) {
    return receiver.pieces === null ? changed(receiver, {}) : receiver;
  }
  const isList = run.objectsOf(receiver).some(([, { kind }]) => kind === 'list');
  if (operation === 'concat' && !isList) {
    return build([receiver, ...flat], [expression.start, expression.end]);
  }
  if (operation === 'join') return joinElements(run, receiver, first, expression);
  const held = containerResult(run, call);
  if (held !== null) return held;
  if (operation === 'replace' || operation === 'replace-all') {
    const isAll = operation === 'replace-all';
    const safe = replacedSafely(run, receiver, first, second, isAll);
    return safe ?? replaced(run, call, receiver, second);
  }
  const matched = matchOf(operation, call, receiver);
  if (matched !== null) return matched;
  if (knowledge.has('cut', name)) return cut(run.flat(receiver), writtenCut(run, call));
  if (isNew) return instanceOf(path);
  if (receiver.role === 'elements') return receiver;
  if (isOfElements(run, call, receiver)) return changed(UNKNOWN, { role: 'elements' });
  const own = textResult(run, call);
  if (own !== null) return own;
  if (receiver.origins.length > 0) {
    const data = changed(UNKNOWN, { origins: receiver.origins });
    return knowledge.has('item', name) ? data : asText(data);
  }
  return receiver.isTrusted && args.every((arg) => arg.isTrusted)
    ? TRUSTED
    : unknownResult(run, call);
}

/** `$tip.find('.title')`: names of elements of jQuery begin with its sign. */
function isOfElements(run: Run, { name, receiverPath }: Call, receiver: Shape): boolean {
  if (!run.knowledge.has('walks', name)) return false;
  if (!/^(?:this\.)?\$\w+$/.test(receiverPath ?? '')) return false;
  return originsIn(run.flat(receiver)).length === 0;
}

/**
 * What a function gives back that was looked at where it is given; `isRead`: elements of the list
 * that it makes are read.
 */
function returnedBy(
  run: Run,
  closure: Closure,
  args: readonly Shape[],
  call: Call,
  isRead = false,
): Shape {
  // What was found before does not say which object a function gives back.
  const isPlain = closure.kind === 'function' && closure.after === undefined;
  const isOfObject = isRead || args.some(({ objects }) => objects.length > 0);
  const known = isPlain ? run.resultOf(closure.id, isOfObject) : null;
  return known ?? run.parts.invoke(run, closure, args, call);
}

/**
 * What a method makes of what the function that it is given gives back: with elements, or with the
 * value once it is there. Null: it is another method.
 */
function calledBack(
  run: Run,
  operation: string | undefined,
  call: Call,
  receiver: Shape,
): Shape | null {
  const [first = UNKNOWN, second] = call.args;
  const { closures } = first;
  const isMap = operation === 'map' || operation === 'flat-map';
  if (closures.length === 0) {
    if (operation === 'after')
      return call.args.some((one) => one.closures.length > 0) ? receiver : null;
    return isMap ? mappedByName(run, call, first) : null;
  }
  const result = (given: readonly Shape[]) =>
    joinAll(closures.map((one) => returnedBy(run, one, given, call, operation === 'flat-map')));
  const element = run.objectsOf(receiver).length > 0 ? run.elementOf(receiver) : receiver;
  switch (operation) {
    case 'then':
      return result([receiver]);
    case 'after':
      return receiver;
    case 'map':
    case 'flat-map': {
      const made = result([element]);
      const isFlat = operation === 'flat-map' && made.objects.length > 0;
      const inner = isFlat ? run.elementOf(made) : made;
      return changed(run.openList([], inner), { origins: run.flat(inner).origins });
    }
    case 'reduce': {
      const items = run.elementsOf(receiver);
      if (items !== null && items.length <= REDUCED_MAX && second !== undefined) {
        const each = (all: Shape, item: Shape, index: number) => {
          const given = [all, item, constantOf(index), receiver];
          return joinAll(closures.map((one) => run.parts.invoke(run, one, given, call)));
        };
        const reduced = items.reduce(each, second);
        // A function within itself is followed no further: what it starts with says what it gives.
        return reduced.closures.length === 0 ? reduced : joinAll([reduced, second]);
      }
      return joinAll([
        result([second ?? UNKNOWN, element]),
        ...(second === undefined ? [] : [second]),
      ]);
    }
    case 'keep':
      result([element]);
      return receiver;
    case 'find':
      result([element]);
      if (receiver.objects.length > 0) return run.elementOf(receiver);
      return receiver.origins.length > 0 ? changed(UNKNOWN, { origins: receiver.origins }) : null;
    case 'each':
      result([element]);
      return null;
    default:
      return null;
  }
}

/** `list.map(Number)`: by the function's name numbers, else its data. */
function mappedByName(run: Run, { expression }: Call, given: Shape): Shape {
  const name = expression.form === 'call' ? nameOfArgument(expression.arguments[0]?.value) : '';
  return run.knowledge.has('harmless-call', name) ? TRUSTED : derive([run.flat(given)]);
}

function nameOfArgument(value: Expression | undefined): string {
  return value?.form === 'name' || value?.form === 'member' ? value.name : '';
}

/** What a name server answers for a host: its addresses come from the host's. */
function resolvedHost(value: Shape): Shape {
  return mapOrigins(value, (origin) =>
    origin.hostOf === null ? origin : { ...origin, text: origin.hostOf, isUrl: true },
  );
}

/** `['a', b].join(' ')`. */
function joinElements(
  run: Run,
  receiver: Shape,
  by: Shape | undefined,
  { start, end }: Expression,
): Shape {
  const items = run.elementsOf(receiver);
  if (items === null) return derive([run.flat(receiver), ...(by === undefined ? [] : [by])]);
  const parts: Shape[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(by ?? constantOf(','));
    parts.push(run.flat(readText(run, item)));
  }
  return parts.length === 0 ? constantOf('') : build(parts, [start, end]);
}

/** `regex.exec(text)`, `text.match(regex)`: parts of the text, harmless if the regex is strict. */
function matchOf(
  operation: string | undefined,
  { name, args }: Call,
  receiver: Shape,
): Shape | null {
  const [first] = args;
  if (first === undefined) return null;
  const isExec = operation === 'exec' && receiver.pattern !== null;
  const isMatch = operation === 'match' && first.pattern !== null;
  if (!isExec && !isMatch) return null;
  const regex = isExec ? receiver : first;
  const text = isExec ? first : receiver;
  const pattern = regex.pattern ?? '';
  // From the first to the last character it says what a check of the text would.
  const whole = regex.flags.includes('m') ? null : charactersOf(pattern);
  return madeSafe(cut(text, `${name}()`), whole ?? matchedBy(pattern));
}

const BY_PLACE = /^(?:slice|substr|substring|at)$/;

/** The name of a part: what is known of `path.slice(-1)` tells nothing of `path.slice(0, -1)`. */
function writtenCut(run: Run, { name, expression }: Call): string {
  if (!BY_PLACE.test(name)) return `${name}()`;
  const places = expression.arguments.map(({ value }) => {
    return run.textOf(value).replace(/[^\w+*-]+/g, '_');
  });
  return `${name}(${places.join(',')})`;
}

/** A part of a text may mean something else than the whole: `req.url.slice(1)`. */
function cut(receiver: Shape, written: string): Shape {
  const data = asText(derive([receiver]));
  if (data.origins.length === 0) return receiver.isTrusted ? TRUSTED : UNKNOWN;
  return mapOrigins(changed(UNKNOWN, { origins: data.origins }), (origin): Origin => {
    const safeFor = origin.safeFor.filter((use) => use !== 'url' && use !== 'redirect');
    // What is known of a part tells nothing of the whole.
    const text = clip(`${origin.text}.${written}`);
    return { ...origin, text, safeFor, hostOf: null, isUrl: false };
  });
}

/**
 * The rest of a text after `replace(pattern, by)`; null when that makes nothing safe. `isAll`: of a
 * text as pattern each place is replaced.
 */
function replacedSafely(
  run: Run,
  receiver: Shape,
  pattern: Shape | undefined,
  by: Shape | undefined,
  isAll: boolean,
): Shape | null {
  if (pattern === undefined) return null;
  const text = pattern.pattern;
  if (text === null) {
    const taken = textOf(pattern) ?? '';
    const given = textOf(by ?? UNKNOWN);
    if (!isAll || given === null) return null;
    if (isLineEnd(taken, false) && isWithoutLineEnd(given)) return madeSafe(receiver, ['line']);
    return isMarkupEscape(taken, given) ? madeSafe(receiver, HTML) : null;
  }
  const isGlobal = pattern.flags.includes('g');
  const [closure] = by?.closures ?? [];
  const isEntities = isGlobal && /^\[[^\]]*<[^\]]*\]$/.test(text);
  // `replace(/[&<>"']/g, (c) => ENTITIES[c])`
  if (closure?.kind === 'function' && isEntities) {
    const result = run.resultOf(closure.id);
    if (result?.isTrusted === true || result?.origins.length === 0) return madeSafe(receiver, HTML);
  }
  const made = closure?.kind === 'function' ? run.resultOf(closure.id) : by;
  const given = made == null ? null : textOf(made);
  if (given === null) return null;
  const kept = isGlobal ? keptBy(text) : null;
  if (kept !== null && charactersOf(`^[${given}]*$`) !== null)
    return clean(run.flat(receiver), kept);
  // `normalize(p).replace(/^(\.\.(\/|\\|$))+/, '')` takes away every step up.
  const isStart = text.startsWith('^') && text.includes('\\.\\.');
  const isResolved = receiver.origins.length > 0 && receiver.origins.every((one) => one.isResolved);
  if (isStart && isResolved) return madeSafe(receiver, ['path']);
  // `url.replace(/^\/+/, '/')` leaves a path that no host can begin.
  const isSlashes = /^\^(?:\\?\/|\[[\\/]+\]){1,2}[+*]$/.test(text) && given.length < 2;
  if (isSlashes && arePaths(receiver)) return madeSafe(receiver, ['redirect']);
  if (isGlobal && given.includes('\\$&')) return madeSafe(receiver, ['regex']);
  const takesLineEnds = isGlobal && isLineEnd(text, true) && isWithoutLineEnd(given);
  if (takesLineEnds) return madeSafe(receiver, ['line']);
  return isGlobal && isMarkupEscape(text, given) ? madeSafe(receiver, HTML) : null;
}

/** The old text with something of the new one in it. */
function replaced(run: Run, { expression }: Call, receiver: Shape, by: Shape | undefined): Shape {
  const [closure] = by?.closures ?? [];
  const result = closure?.kind === 'function' ? run.resultOf(closure.id) : null;
  const given = closure === undefined ? by : (result ?? undefined);
  if (receiver.constants === null && receiver.pieces === null) {
    const all = derive([receiver, ...(given === undefined ? [] : [run.flat(given)])]);
    const data = withReplacement(all, given);
    return data.origins.length === 0 && receiver.isTrusted ? TRUSTED : data;
  }
  if (given === undefined || given.isTrusted) return changed(receiver, { constants: null });
  return build(
    [changed(receiver, { constants: receiver.constants }), run.flat(given)],
    [expression.start, expression.end],
  );
}
