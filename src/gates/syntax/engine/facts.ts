import { USES, type Use } from '../../../rules/catalogue/line.ts';
import type { Expression } from '../il/il.ts';
import { charactersOf, findsStepsUp, holdsAddress } from './characters.ts';
import { namedOf } from './check-sinks.ts';
import {
  ADDRESS,
  ifFalse,
  ifTrue,
  NOTHING,
  opposite,
  ownValueFacts,
  placeStart,
  placeWithout,
  telling,
  verdictOf,
} from './guard.ts';
import { dottedName } from './names.ts';
import { arePaths } from './partial-data.ts';
import { isOwnPlace } from './pattern.ts';
import type { Call, Run } from './run.ts';
import { addressFacts, asClaim, factsOf, textFacts } from './state.ts';
import { folded } from './text.ts';
import {
  type Fact,
  type Origin,
  onlyConstant,
  originsIn,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
  type Verdict,
} from './value.ts';

/** Uses of a path or address. */
const PLACES: readonly Use[] = ['path', ...ADDRESS];

/** Facts of all data in a value; what is known of an address' host is known of the address. */
function facts(shape: Shape, uses: readonly Use[], isClaimed = false): Fact[] {
  if (shape.checkedAs !== null) return isClaimed ? [] : factsOf(shape.checkedAs, uses);
  return originsIn(shape).flatMap((origin) => {
    const { hostOf } = origin;
    if (hostOf === null) return factsOf(textFor(origin, isClaimed), uses, isClaimed);
    const own = uses.filter((use) => !ADDRESS.includes(use));
    const ofHost = uses.filter((use) => ADDRESS.includes(use));
    return [...factsOf(origin.text, own, isClaimed), ...factsOf(hostOf, ofHost, isClaimed)];
  });
}

/** A check whose effect is not known may have looked at a part: the whole has been seen. */
function textFor({ text }: Origin, isClaimed: boolean): string {
  return isClaimed ? text.replace(/(?:\.\w+\([^()]*\))+$/, '') : text;
}

/** The same where nothing but a name says so. */
function claims(run: Run, shapes: readonly Shape[], uses: readonly Use[] = USES): Fact[] {
  return shapes.flatMap((one) => {
    const flat = run.flat(one);
    const hosts = originsIn(flat).flatMap(({ hostOf }) =>
      hostOf === null ? [] : factsOf(hostOf, uses, true),
    );
    const parts = originsIn(flat).flatMap(({ text }) => factsOf(text, uses, true));
    return [...facts(flat, uses, true), ...parts, ...hosts];
  });
}

/** As `ownValueFacts`, of values under a name of which nothing else is known as well. */
function namedValueFacts(shape: Shape): Fact[] {
  return shape.checkedAs === null ? ownValueFacts(shape) : factsOf(shape.checkedAs, USES);
}

function both(one: Verdict, other: Verdict): Verdict {
  const first = [...(one.whenFirst ?? []), ...(other.whenFirst ?? [])];
  return {
    whenTrue: [...one.whenTrue, ...other.whenTrue],
    whenFalse: [...one.whenFalse, ...other.whenFalse],
    ...(first.length === 0 ? {} : { whenFirst: first }),
  };
}

/** The result of a call with what it tells as a condition. */
export function checkedCall(run: Run, call: Call, result: Shape): Shape {
  if (call.called.closures.length > 0 || result.verdict !== null) return result;
  const verdict = both(callVerdict(run, call), membershipVerdict(run, call));
  return telling(verdict, result);
}

function callVerdict(run: Run, call: Call): Verdict {
  const { knowledge } = run;
  const { name, args, receiver } = call;
  const [first = UNKNOWN] = args;
  const isPatched = run.isPatched(name);
  const line = isPatched ? null : knowledge.catalogue.checkAt(namedOf(run, call));
  if (line !== null) {
    const known = (uses: readonly Use[] = []) => {
      return uses.length === USES.length ? namedValueFacts(first) : facts(first, uses);
    };
    return { whenTrue: known(line.whenTrue), whenFalse: known(line.whenFalse) };
  }
  const builtIn = receiver === null || isPatched ? null : methodVerdict(run, call, receiver, first);
  if (builtIn !== null) return builtIn;
  const given = receiver === null ? args : [receiver, ...args];
  if (knowledge.is('refuses', name)) return ifFalse(claims(run, given));
  return knowledge.is('promises', name) ? ifTrue(claims(run, given)) : NOTHING;
}

/** Methods of texts, lists and patterns; null for all others. */
function methodVerdict(run: Run, call: Call, receiver: Shape, first: Shape): Verdict | null {
  const literal = textOf(first);
  switch (run.knowledge.guards.get(call.name)) {
    case 'starts':
      return prefixVerdict(run, receiver, first, literal);
    case 'ends': {
      const start = literal ?? (typeof first.pieces?.[0] === 'string' ? first.pieces[0] : '');
      const isBelow = literal === null ? start.startsWith('.') : /^\.[^.]/.test(start);
      return isBelow ? ifTrue(hostFacts(receiver)) : NOTHING;
    }
    case 'search':
      if (literal === '..' || literal === '.') return ifFalse(facts(receiver, ['path']));
      return literal === null ? NOTHING : placeWithout(run, receiver, literal);
    case 'position': {
      const isStep = literal === '..' || literal === '.';
      const isOpen = literal === null && originsIn(first).length === 0;
      const whenFirst = isOpen ? prefixFacts(receiver, PLACES) : [];
      const { whenFalse } = placeWithout(run, receiver, literal ?? '');
      const path = isStep ? facts(receiver, ['path']) : [];
      return { whenTrue: [], whenFalse: [...path, ...whenFalse], whenFirst };
    }
    case 'nothing':
      return NOTHING;
    case 'some':
      return someVerdict(run, call, receiver, first);
    case 'tests':
      return both(patternVerdict(receiver, first), testVerdict(run, receiver, first));
    case 'matches':
      return both(patternVerdict(first, receiver), testVerdict(run, first, receiver));
    default:
      return null;
  }
}

/** `p.startsWith(root + sep)`, `rel.startsWith('..')`, `url.startsWith('https://a.example/')`. */
function prefixVerdict(run: Run, receiver: Shape, prefix: Shape, literal: string | null): Verdict {
  const found = (uses: readonly Use[]) => prefixFacts(receiver, uses);
  if (literal === null) {
    return originsIn(prefix).length > 0 ? NOTHING : ifTrue(found(PLACES));
  }
  if (literal.startsWith('..')) return ifFalse(found(['path']));
  if (/^[/\\]{1,2}$/.test(literal)) {
    const local = placeStart(run, receiver, literal);
    if (literal !== '//' || !arePaths(receiver)) return local;
    // The path of a request begins with a slash anyway.
    const texts = originsIn(receiver).map(({ text }) => text);
    const whole = addressFacts(texts, 'from-root', 'no-slash', 'no-backslash');
    return { ...local, whenFalse: [...local.whenFalse, ...whole] };
  }
  if (literal === '.') return NOTHING;
  if (/^https?:\/\/[^/]+\//.test(literal)) return ifTrue(found(ADDRESS));
  return /^\/[^/]/.test(literal) ? ifTrue(found(PLACES)) : NOTHING;
}

/** What a path begins with says where it leads only once its steps up are resolved. */
function prefixFacts(shape: Shape, uses: readonly Use[]): Fact[] {
  const isResolved = originsIn(shape).every((origin) => origin.isResolved);
  return facts(shape, isResolved ? uses : uses.filter((use) => use !== 'path'));
}

function hostFacts(shape: Shape): Fact[] {
  return originsIn(shape).flatMap(({ hostOf }) =>
    hostOf === null ? [] : factsOf(hostOf, ADDRESS),
  );
}

/** `HOSTS.some((host) => url.hostname === host)` for a list of literals in view. */
function someVerdict(run: Run, call: Call, receiver: Shape, callback: Shape): Verdict {
  const [closure] = callback.closures;
  const holder = call.expression.form === 'call' ? call.expression.receiver : null;
  if (run.isChanged(holder) || literalKeys(run, receiver) === null) {
    if (closure?.kind !== 'function') return NOTHING;
    const result = run.resultOf(closure.id);
    return ifTrue((result?.verdict?.whenTrue ?? []).map(asClaim));
  }
  if (closure === undefined) return NOTHING;
  const { result } = run.branch(run.state, () => run.parts.invoke(run, closure, [TRUSTED], call));
  return ifTrue(verdictOf(result).whenTrue);
}

/** A pattern that finds every step up, or holds a whole address to one host. */
function patternVerdict(regex: Shape, subject: Shape): Verdict {
  if (regex.pattern === null) return NOTHING;
  if (findsStepsUp(regex.pattern)) return ifFalse(facts(subject, ['path']));
  const pattern = regex.flags.includes('m') ? null : regex.pattern;
  if (pattern === null) return NOTHING;
  if (holdsAddress(pattern)) return ifTrue(facts(subject, ADDRESS));
  return isOwnPlace(pattern, false, false, '/') ? ifTrue(facts(subject, ['redirect'])) : NOTHING;
}

/** A regex that holds the whole text to a set of characters. */
function testVerdict(run: Run, regex: Shape, subject: Shape): Verdict {
  if (regex.pattern === null) {
    const isUnknown = regex.origins.length === 0 && regex.constants === null;
    return isUnknown ? ifTrue(claims(run, [subject])) : NOTHING;
  }
  const uses = regex.flags.includes('m') ? null : charactersOf(regex.pattern);
  if (uses === null) return NOTHING;
  return ifTrue(uses.length === USES.length ? namedValueFacts(subject) : facts(subject, uses));
}

function membershipVerdict(run: Run, call: Call): Verdict {
  const { name, receiver, receiverPath, args } = call;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  if (receiver === null || run.isPatched(name)) return NOTHING;
  // `Object.hasOwn(table, x)`, `Object.prototype.hasOwnProperty.call(table, x)`
  const isCalled = run.knowledge.is('own-member', `${receiverPath}.${name}`);
  const { expression } = call;
  if (isCalled) {
    return membership(run, first, second, expression.arguments[0]?.value);
  }
  const holder = expression.form === 'call' ? expression.receiver : null;
  return run.knowledge.has('membership', name) ? membership(run, receiver, first, holder) : NOTHING;
}

/** A list or table of literals in view holds the item; any other one only says so. */
export function membership(
  run: Run,
  holder: Shape,
  item: Shape,
  written: Expression | null | undefined = null,
): Verdict {
  // The sender's own list proves nothing, and a text holds all of its parts.
  const isText = holder.constants !== null || holder.pieces !== null;
  const isForeign =
    holder.origins.length > 0 ||
    originsIn(run.flat(holder)).some(({ strength }) => strength !== 'operator');
  if (isForeign || isText) return NOTHING;
  const keys = run.isChanged(written) ? null : literalKeys(run, holder);
  if (keys === null) {
    return { whenTrue: claims(run, [item]), whenFalse: claims(run, [item], ['key']) };
  }
  const whenFalse = keys.includes('__proto__') ? facts(item, ['key']) : [];
  return { whenTrue: [...namedValueFacts(item), ...hostFacts(item)], whenFalse };
}

/** The literals of a list or set, or the keys of an object or map, in view; null: others. */
function literalKeys(run: Run, shape: Shape): readonly string[] | null {
  const [first, ...others] = run.objectsOf(shape);
  if (first === undefined || others.length > 0) return null;
  const [, { kind, cells, rest, isOpen, length }] = first;
  if (isOpen || (kind === 'list' && length === null) || rest !== null) return null;
  if (kind !== 'list') return [...cells.keys()];
  const keys: string[] = [];
  for (const cell of cells.values()) {
    const text = textOf(cell);
    if (text === null) return null;
    keys.push(text);
  }
  return keys;
}

/** `===` and its likes. */
export function equalityDynamic(run: Run, left: Shape, right: Shape): Shape {
  const known = folded([left, right], ([one, other]) => one === other);
  if (known !== null && left.verdict === null && right.verdict === null) return known;
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const only = onlyConstant(other);
    if (only === true) return telling(verdictOf(one));
    if (only === false) return telling(opposite(verdictOf(one)));
    if (only === -1 && one.verdict !== null) return telling(opposite(one.verdict));
    if (only === 0 && one.verdict?.whenFirst !== undefined) {
      return telling(ifTrue(one.verdict.whenFirst));
    }
  }
  if (known !== null) return known;
  return telling(equalVerdict(run, left, right));
}

function equalVerdict(run: Run, left: Shape, right: Shape): Verdict {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const origins = originsIn(one);
    if (origins.length === 0 && one.checkedAs === null) continue;
    const isOpen = originsIn(run.flat(other)).length > 0;
    const isFixed = other.isTrusted && !isOpen;
    if (origins.length === 0 && !isFixed) continue;
    if (origins.some(({ hostOf }) => hostOf !== null)) {
      if (!isFixed && isOpen) return NOTHING;
      const hosts = origins.flatMap(({ hostOf }) =>
        hostOf === null ? [] : factsOf(hostOf, ADDRESS, !isFixed),
      );
      return ifTrue(isFixed ? [...hosts, ...namedValueFacts(one)] : hosts);
    }
    const isDenied = run.knowledge.is('denied-key', textOf(other) ?? '');
    const whenFalse = isDenied ? facts(one, ['key']) : [];
    if (isFixed) return { whenTrue: namedValueFacts(one), whenFalse };
    if (isOpen) return NOTHING;
    return { whenTrue: claims(run, [one]), whenFalse };
  }
  return NOTHING;
}

/** `typeof x === 'number'` makes it harmless; `'string'` at least no object; null: another test. */
export function typeTest(run: Run, left: Expression, right: Expression): Verdict | null {
  if (left.form !== 'unary' || left.sign !== 'typeof' || right.form !== 'constant') return null;
  const value = run.evaluate(left.operand);
  switch (right.value) {
    case 'number':
    case 'boolean':
    case 'bigint':
      return ifTrue(namedValueFacts(value));
    case 'string':
      return ifTrue(textFacts(value));
    default:
      return NOTHING;
  }
}

/** A call that stands alone: what it throws for does not come to what follows. */
export function assertedBy(run: Run, expression: Expression): readonly Fact[] {
  const call = expression.form === 'await' ? expression.value : expression;
  if (call.form !== 'call' && call.form !== 'apply') return [];
  const written =
    call.form === 'apply'
      ? dottedName(run, call.callee)
      : call.receiver === null
        ? call.name
        : `${dottedName(run, call.receiver) ?? ''}.${call.name}`;
  if (written === null || run.knowledge.is('goes-on', written)) return [];
  const [first] = call.arguments;
  if (first !== undefined && isAssert(run, call, written)) {
    return verdictOf(run.evaluate(first.value)).whenTrue;
  }
  if (!run.knowledge.is('asserts', call.name) || run.declares(call.name)) return [];
  const values = call.arguments.map(({ value }) =>
    value.form === 'closure' ? UNKNOWN : run.evaluate(value),
  );
  return claims(run, values);
}

/** Node's `assert`, or a package that does the same; `console.assert` and others go on. */
function isAssert(
  run: Run,
  call: Expression & { readonly form: 'call' | 'apply' },
  written: string,
): boolean {
  const path = call.form === 'call' && call.receiver === null ? call.path : null;
  if (path !== null) return run.knowledge.has('assert', path);
  if (call.form === 'apply') return false;
  if (call.receiver === null) return run.knowledge.has('assert', written);
  // Few calls have a name that any of them has: what they are on is not looked at again.
  if (!run.knowledge.is('assert-name', call.name)) return false;
  const base = run.evaluate(call.receiver);
  if (base.path !== null) return run.knowledge.has('assert', `${base.path}.${call.name}`);
  return call.receiver.form === 'name' && run.knowledge.has('assert', written);
}
