import { USES, type Use } from '../../../rules/catalogue/line.ts';
import type { Expression } from '../il/il.ts';
import { readText } from './container.ts';
import { heldBy } from './pattern.ts';
import type { Call, Run } from './run.ts';
import { type AddressPart, addressFacts, commonFacts, factsOf, factsOn } from './state.ts';
import { folded } from './text.ts';
import {
  changed,
  constantOf,
  type Fact,
  isTainted,
  onlyConstant,
  originsIn,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
  type Verdict,
} from './value.ts';

/** Uses of an address. */
export const ADDRESS: readonly Use[] = ['url', 'redirect'];
/** Scheme, host and the slash that ends it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i;

/** What an address proves that has this nowhere, or not at its begin. */
const LACKS: ReadonlyMap<string, AddressPart> = new Map([
  ['//', 'no-slash'],
  ['/\\', 'no-backslash'],
  ['\\', 'no-backslash'],
]);

export const NOTHING: Verdict = { whenTrue: [], whenFalse: [] };

/** A condition that proves these facts when it holds. */
export function ifTrue(...facts: readonly (readonly Fact[])[]): Verdict {
  return { whenTrue: facts.flat(), whenFalse: [] };
}

/** A condition that proves these facts when it does not hold. */
export function ifFalse(...facts: readonly (readonly Fact[])[]): Verdict {
  return { whenTrue: [], whenFalse: facts.flat() };
}

/** What a condition tells behind a "not". */
export function opposite({ whenTrue, whenFalse }: Verdict): Verdict {
  return { whenTrue: whenFalse, whenFalse: whenTrue };
}

/** A condition that tells this. */
export function telling(verdict: Verdict, value: Shape = TRUSTED): Shape {
  const count = verdict.whenTrue.length + verdict.whenFalse.length;
  const isEmpty = count + (verdict.whenFirst?.length ?? 0) === 0;
  return isEmpty ? value : changed(value, { verdict });
}

/** What a value tells by whether it is true. */
export function verdictOf({ verdict }: Shape): Verdict {
  return verdict ?? NOTHING;
}

/** What is known of a value that turned out to be one of the program's. */
export function ownValueFacts(shape: Shape): Fact[] {
  return originsIn(shape).flatMap(({ text, hostOf }) =>
    hostOf === null ? factsOf(text, USES) : factsOf(hostOf, ADDRESS),
  );
}

/** Two values are the same: what is from outside is one of the program's. */
function same(run: Run, left: Shape, right: Shape): Verdict {
  if (isTainted(left) && isTainted(right)) {
    const isName = [left, right].some((one) =>
      originsIn(run.state.settled(one)).some(({ safeFor }) => safeFor.includes('path')),
    );
    return isName ? ifTrue(factsOn(left, ['path']), factsOn(right, ['path'])) : NOTHING;
  }
  return ifTrue(ownValueFacts(left), ownValueFacts(right));
}

/** `==` and its likes, or a method that compares. */
export function equality(run: Run, left: Shape, right: Shape): Shape {
  const known = folded([left, right], ([one, other]) => one === other);
  if (known !== null && left.verdict === null && right.verdict === null) return known;
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    // What tells something is compared with the other one.
    if (one.verdict !== null && other.verdict === null) continue;
    const [only] = one.constants?.length === 1 ? one.constants : [undefined];
    if (only === true) return telling(verdictOf(other));
    if (only === null) return telling(absent(other));
    if (only === false) return telling(opposite(verdictOf(other)));
    if (only === -1 && other.verdict !== null) return telling(opposite(other.verdict));
  }
  if (known !== null) return known;
  for (const one of [left, right]) {
    // The directory that paths share is the root: none of them is outside of it.
    if (run.knowledge.is('common-path', one.path ?? '')) {
      return telling(ifTrue(factsOn(one, ['path'])));
    }
  }
  return telling(same(run, left, right));
}

/** `url.getHost() == null`, and what the lack of any other value tells. */
function absent(value: Shape): Verdict {
  const { whenTrue, whenFalse } = opposite(verdictOf(value));
  const hosts = originsIn(value).flatMap(({ hostOf }) => hostOf ?? []);
  return { whenTrue: [...whenTrue, ...addressFacts(hosts, 'no-host')], whenFalse };
}

/** Whether a known value is in a known text or list; null: one of them is not known. */
function isWithin(run: Run, what: Shape, where: Shape): boolean | null {
  const item = onlyConstant(what);
  const text = textOf(where);
  if (item === undefined) return null;
  if (text !== null) return typeof item === 'string' ? text.includes(item) : null;
  const isList = run.objectsOf(where).some(([, { kind }]) => kind === 'list');
  const items = isList ? (run.elementsOf(where)?.map(onlyConstant) ?? null) : null;
  return items === null || items.includes(undefined) ? null : items.includes(item);
}

/** Whether something is an element or key: of what the program has, it is one of the program's. */
export function membership(run: Run, what: Shape, where: Shape): Shape {
  if (run.knowledge.is('ancestors', where.path ?? '')) {
    return telling(ifTrue(factsOn(where, ['path'])));
  }
  const known = isWithin(run, what, where);
  if (known !== null) return constantOf(known);
  if (what.constants !== null && originsIn(where).length > 0)
    return telling(contains(run, where, what));
  return isTainted(run.flat(where)) ? TRUSTED : telling(ifTrue(ownValueFacts(what)));
}

/** `name.indexOf("..") >= 0`: other orders tell nothing. */
export function compared(left: Shape, right: Shape, sign: string): Shape {
  const known = folded([left, right], ([one, other]) => {
    if (typeof one !== 'number' || typeof other !== 'number') return undefined;
    switch (sign) {
      case '<':
        return one < other;
      case '>':
        return one > other;
      case '<=':
        return one <= other;
      default:
        return one >= other;
    }
  });
  if (known !== null) return known;
  const number = right.constants?.length === 1 ? right.constants[0] : undefined;
  const isFound = (sign === '>=' && number === 0) || (sign === '>' && number === -1);
  const isMissing = sign === '<' && number === 0;
  if (left.verdict === null || !(isFound || isMissing)) return TRUSTED;
  return telling(isFound ? left.verdict : opposite(left.verdict));
}

/** What a boolean, or that there is a result at all, says of what a call was given. */
export function checkedBy(run: Run, call: Call): Verdict {
  const { name, receiver, args, options } = call;
  const [first = UNKNOWN, second = UNKNOWN] = args.map((one) => readText(run, one));
  const own = receiver === null ? UNKNOWN : readText(run, receiver);
  const isStatic = receiver === null || isClass(receiver);
  const [subject, given] = isStatic ? [first, second] : [own, first];
  switch (run.knowledge.guards.get(name)) {
    case 'plain':
      return ifTrue(factsOn(first));
    case 'plain-text':
      return ifTrue(factsOn(own));
    case 'under':
      return ifTrue(factsOn(own, ['path']));
    case 'host-of':
      return ifTrue(factsOn(first));
    case 'begins':
      return begun(own, first, second, isStatic);
    case 'every':
      return { ...NOTHING, whenTrue: ofElements(run, call).whenTrue };
    case 'some':
      return { ...ofElements(run, call), whenTrue: anyOne(run, call).whenTrue };
    case 'equal':
      return same(run, subject, given);
    case 'starts':
      return startsWithAny(run, subject, given);
    case 'ends':
      return endsWith(subject, given);
    case 'holds':
      return isTainted(run.flat(own)) ? NOTHING : ifTrue(ownValueFacts(first));
    case 'keyed':
      // Another value than the table's may be given: `get(key, True)`.
      if (args.length + options.size > 1) return NOTHING;
      if (!isTable(run, receiver) || isTainted(run.flat(own))) return NOTHING;
      return ifTrue(factsOn(first, ['path']));
    case 'matches':
      return matched(own, first, second, isStatic);
    case 'finds':
      return held(own, own.pattern, true);
    case 'found':
      return found(own, first, second, isStatic);
    case 'found-in':
      return isStatic ? held(first, textOf(second), true) : held(first, own.pattern, true);
    case 'absolute':
      return ifFalse(addressFacts(textsOf(own), 'from-root'));
    case 'local':
      return ifTrue(factsOn(first, ['path']));
    case 'tested':
      // `PATTERN.asPredicate().test(name)` and the like.
      return ifTrue(factsOn(first, USES, true));
    case 'any':
      return anyOne(run, call);
    case 'none':
      return opposite(anyOne(run, call));
    case 'search':
      // Of a text: what it must not hold. Of a list: what is allowed.
      if (subject.origins.length > 0 && isTainted(subject)) return contains(run, subject, given);
      return isTainted(run.flat(subject)) ? NOTHING : ifTrue(ownValueFacts(given));
    case 'nothing':
      return NOTHING;
    default:
      if (!run.knowledge.is('claims', name)) return NOTHING;
      return ifTrue(...[own, ...args].map((one) => factsOn(run.flat(one), USES, true)));
  }
}

/** A class, on which static functions are called. */
export function isClass({ path, objects, origins, ownClass }: Shape): boolean {
  if (ownClass !== null) return true;
  return path !== null && !path.endsWith(')') && objects.length === 0 && origins.length === 0;
}

/** Whether a value may be a table: it is nothing else that the catalogue knows. */
function isTable(run: Run, receiver: Shape | null): boolean {
  if (receiver === null || receiver.ownClass !== null || receiver.role !== null) return false;
  const { path } = receiver;
  if (path === null || !run.knowledge.isKnown(path)) return true;
  return run.objectsOf(receiver).some(([, { kind }]) => kind === 'table');
}

/** `text.matches("...")`, `Pattern.matches("...", text)`, `PATTERN.matcher(text).matches()`. */
function matched(own: Shape, first: Shape, second: Shape, isStatic: boolean): Verdict {
  if (isStatic) return held(second, textOf(first), false);
  if (own.pattern !== null && own.origins.length === 0) return held(first, own.pattern, false);
  // `text.matches("...")`, `text.matches(Regex("..."))`
  const pattern = own.pattern ?? textOf(first) ?? first.pattern;
  return held(own, pattern, false);
}

/** `regexp.MatchString("...", text)`, `pattern.MatchString(text)`: anywhere in the text. */
function found(own: Shape, first: Shape, second: Shape, isStatic: boolean): Verdict {
  const isPlain = isStatic && own.pattern === null;
  return isPlain ? held(second, textOf(first), true) : held(first, own.pattern, true);
}

/** What a function proves that fails for all but numbers and the like. */
export function converted(args: readonly Shape[]): Verdict {
  return ifTrue(args.flatMap((one) => factsOn(one)));
}

/** `re.match(pattern, text)`, `PATTERN.match(text)`: from the beginning, not to the end. */
function begun(own: Shape, first: Shape, second: Shape, isStatic: boolean): Verdict {
  const pattern = isStatic ? textOf(first) : own.pattern;
  // One of several lines fits: the others hold anything.
  if (own.flags.includes('m')) return NOTHING;
  return held(isStatic ? second : first, pattern, true, true);
}

/**
 * A pattern holds a text to the characters that it names; `isPartial`: it may match anywhere, so it
 * has to say where. Where it lets by what an attack needs, the check says nothing.
 */
function held(
  subject: Shape,
  pattern: string | null,
  isPartial: boolean,
  isFromStart = false,
): Verdict {
  const plain = pattern === null ? null : withoutFlags(pattern);
  const found = plain === null ? null : heldBy(plain, isFromStart || !isPartial, !isPartial);
  if (found === null) return ifTrue(factsOn(subject, USES, true));
  const { safe, open } = found;
  const claimed = USES.filter((use) => !safe.includes(use) && !open.includes(use));
  return ifTrue(factsOn(subject, safe), factsOn(subject, claimed, true));
}

/** A pattern without flags before it that change nothing here; null: it may match within lines. */
function withoutFlags(pattern: string): string | null {
  const [flags = '', letters = ''] = /^\(\?([a-zA-Z]+)\)/.exec(pattern) ?? [];
  if (letters.includes('m') || letters.includes('x')) return null;
  return pattern
    .slice(flags.length)
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CHARACTER_CLASSES.get(name) ?? whole);
}

/** Classes with a name, of letters and digits. */
const CHARACTER_CLASSES = new Map([
  ['alnum', 'a-zA-Z0-9'],
  ['alpha', 'a-zA-Z'],
  ['digit', '0-9'],
  ['lower', 'a-z'],
  ['upper', 'A-Z'],
  ['word', '\\w'],
  ['xdigit', '0-9a-fA-F'],
]);

/** `ALLOWED.stream().anyMatch(name::equals)`, `HOSTS.stream().anyMatch(h -> h.equals(host))`. */
function anyOne(run: Run, call: Call): Verdict {
  const { receiver, args } = call;
  const [closure] = args[0]?.closures ?? [];
  if (closure === undefined || receiver === null || isTainted(run.flat(receiver))) {
    return NOTHING;
  }
  const { result } = run.branch(run.state, () =>
    run.parts.invoke(run, closure, [changed(TRUSTED, {})], call),
  );
  return ifTrue(verdictOf(result).whenTrue);
}

/** What a test says of each element of data that it is called with. */
function ofElements(run: Run, { receiver, args }: Call): Verdict {
  const [closure] = args[0]?.closures ?? [];
  if (closure === undefined || receiver === null) return NOTHING;
  const { result } = run.branch(run.state, () =>
    run.parts.invoke(run, closure, [run.elementOf(receiver)], null),
  );
  return verdictOf(result);
}

/** `text.startswith(("/a/", "/b/"))`: as any of them. */
function startsWithAny(run: Run, subject: Shape, given: Shape): Verdict {
  const all = (run.elementsOf(given) ?? [given]).map((one) => startsWith(run, subject, one));
  return {
    whenTrue: commonFacts(all.map(({ whenTrue }) => whenTrue)),
    whenFalse: all.flatMap(({ whenFalse }) => whenFalse),
  };
}

/** A resolved path under a root; an address of a fixed host. */
function startsWith(run: Run, subject: Shape, start: Shape): Verdict {
  if (isTainted(start)) return NOTHING;
  const isResolved = subject.origins.length > 0 && subject.origins.every((one) => one.isResolved);
  const [piece] = start.pieces ?? [];
  const begin = textOf(start) ?? (typeof piece === 'string' ? piece : null);
  if (begin !== null && /^\.\.[/\\]?$/.test(begin)) {
    return ifFalse(factsOn(subject, ['path'], !isResolved));
  }
  const isOrigin = begin === null || ORIGIN.test(begin);
  const isRoot = begin === '/' || begin === '';
  const path = isRoot ? [] : factsOn(subject, ['path'], !isResolved);
  const local = placeStart(run, subject, begin ?? '');
  const address = isOrigin ? factsOn(subject, ADDRESS) : local.whenTrue;
  return { whenTrue: [...path, ...address], whenFalse: local.whenFalse };
}

function textsOf(shape: Shape): string[] {
  return originsIn(shape).map(({ text }) => text);
}

/** What it says of a place on this host that an address begins with this. */
export function placeStart(run: Run, subject: Shape, start: string): Verdict {
  if (start === '/') return ifTrue(addressFacts(textsOf(subject), 'from-root'));
  if (/^\/[^/\\]/.test(start)) return ifTrue(factsOn(subject, ['redirect']));
  return start.length === 2 ? placeWithout(run, subject, start) : NOTHING;
}

/** What it says of a place on this host that an address has this nowhere, or not at its begin. */
export function placeWithout(run: Run, subject: Shape, text: string): Verdict {
  const lack = LACKS.get(text);
  if (lack === undefined) return NOTHING;
  const isEncoded = run.knowledge.traits.has('encoded-backslash');
  return ifFalse(addressFacts(textsOf(subject), lack, isEncoded ? 'no-backslash' : lack));
}

/** `to[0] == '/'`, `to.charAt(1) != '/'`; null: another comparison. */
export function characterTest(run: Run, tested: Expression, other: Expression): Verdict | null {
  if (other.form !== 'constant' || (other.value !== '/' && other.value !== '\\')) return null;
  const [text, place] = characterOf(run, tested) ?? [];
  const index = place?.form === 'constant' ? place.value : null;
  if (text?.form !== 'load' || (index !== 0 && index !== 1)) return null;
  const subject = run.evaluate(text);
  if (originsIn(subject).length === 0) return null;
  return index === 0
    ? placeStart(run, subject, other.value)
    : placeWithout(run, subject, `/${other.value}`);
}

/** A text and the place of one of its characters. */
function characterOf(run: Run, tested: Expression): readonly (Expression | undefined)[] | null {
  if (tested.form === 'index') return [tested.object, tested.key];
  if (tested.form !== 'call' || tested.receiver === null) return null;
  if (run.knowledge.methods.get(`text ${tested.name}`) !== 'character') return null;
  return [tested.receiver, tested.arguments[0]?.value];
}

/** `.example.com` behind a host's name. */
function endsWith(subject: Shape, end: Shape): Verdict {
  const text = textOf(end);
  if (isTainted(end) || (text !== null && !text.startsWith('.'))) return NOTHING;
  return ifTrue(
    subject.origins.flatMap(({ hostOf }) => (hostOf === null ? [] : factsOf(hostOf, ADDRESS))),
  );
}

function contains(run: Run, subject: Shape, what: Shape): Verdict {
  const text = textOf(what);
  const isStep = text !== null && /^(?:\.\.[/\\]*|[/\\]+|\.\.?[/\\]+)$/.test(text);
  const path = isStep ? factsOn(subject, ['path']) : [];
  return ifFalse(path, text === null ? [] : placeWithout(run, subject, text).whenFalse);
}
