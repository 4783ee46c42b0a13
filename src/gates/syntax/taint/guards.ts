import { checks } from '../../../rules/catalogue/javascript.ts';
import { type CheckLine, USES, type Use, words } from '../../../rules/catalogue/line.ts';
import { type Callee, Catalogue, calleeOf } from './callee.ts';
import { findsStepsUp, holdsAddress, wholePattern } from './constants.ts';
import { type Proven, proofsOf } from './functions.ts';
import {
  bare,
  child,
  childNodes,
  field,
  fixedName,
  isFunction,
  list,
  memberPath,
  rootOf,
  type SyntaxNode,
  text,
} from './node.ts';
import {
  claimPath,
  type Facts,
  type Findings,
  guardPath,
  lookUp,
  lookUpNarrowed,
  type Run,
  smallValue,
} from './run.ts';
import { type Source, TRUSTED, UNKNOWN, type Value } from './value.ts';

export const NOTHING: Facts = new Map();
export const NONE: Findings = { whenTrue: NOTHING, whenFalse: NOTHING };

const KNOWN = new Catalogue<CheckLine>(checks);
const PLACES: readonly Use[] = ['path', 'url', 'redirect'];
const ADDRESS: readonly Use[] = ['url', 'redirect'];

/** Nodes of a condition that are searched for the data it is about. */
const NODES_MAX = 48;
/** Names that promise a check, where nothing else is known of the function. */
const PROMISING =
  /valid|allow|permitted|whitelist|trusted|safe|inside|within|contained|subpath|subdir|underroot|^is(?:IP|FQDN|UUID|Int|Numeric|Alpha|MongoId|Hexadecimal|Slug|Port|In[A-Z]|Local|Relative|Same|Own|Public|Url|Host|Path)/i;
const REFUSING =
  /private|internal|loopback|block|forbid|reserved|disallow|(?:un|not)_?safe|den(?:y|ied)|suspicious|danger|banned|invalid|malicious/i;
const ASSERTING =
  /^(?:assert|ensure|check|validate|verify|require|guard|enforce|restrict|reject|refuse)(?:[A-Z]\w*)?$/;
const DENIED_KEYS = /^(?:__proto__|constructor|prototype)$/;
const HOST_MEMBERS = /^(?:hostname|host|origin)$/;

/**
 * What a call proves of its arguments when its function is in view: the facts that hold on every
 * way to a result that may be true, or false. Null when the function is not in view.
 */
export function provenBy(run: Run, node: SyntaxNode, isAwaited: boolean): Proven | null {
  const path = memberPath(child(node, 'callee'));
  const root = rootOf(path ?? '');
  const isShown = path !== null && (lookUp(run.scope, root) ?? lookUpNarrowed(run.scope, path));
  const callable = isShown ? calleeOf(run, node).callable : null;
  if (callable === null) return null;
  const args = list(node, 'arguments').map((argument) => child(argument, 'expression'));
  const values = args.map((argument): [SyntaxNode | null, Value] => {
    return [argument, argumentValue(run, argument)];
  });
  const isOpen = values.some(([, value]) => value.source !== null);
  if (!isOpen || isDeferred(callable.node as SyntaxNode, isAwaited)) return UNPROVEN;
  return proofsOf(run, callable, values);
}

const UNPROVEN: Proven = { ...NONE, returned: NOTHING };

/** A promise or a generator is true whatever comes of it, and nothing has run yet. */
function isDeferred(node: SyntaxNode, isAwaited: boolean): boolean {
  return field(node, 'generator') === true || (field(node, 'async') === true && !isAwaited);
}

/** The callee of a call by names: to evaluate others anew at each level would take too long. */
function namedCallee(run: Run, node: SyntaxNode): Callee | null {
  return memberPath(child(node, 'callee')) === null ? null : calleeOf(run, node);
}

/** What a call that gives true or false tells of the data in it, by what it resolves to. */
export function callGuard(run: Run, node: SyntaxNode, name: string): Findings {
  const callee = namedCallee(run, node);
  const args = list(node, 'arguments').map((argument) => child(argument, 'expression'));
  const [first = null] = args;
  const isPatched = run.isPatched(name);
  const line = callee === null || isPatched ? null : KNOWN.find(callee);
  if (line !== null) return checked(run, first, line);
  const object = child(bare(child(node, 'callee')), 'object');
  const builtIn = object === null || isPatched ? null : methodGuard(run, name, object, first);
  if (builtIn !== null) return builtIn;
  if (REFUSING.test(name)) return { whenTrue: NOTHING, whenFalse: claims(run, node, USES) };
  return PROMISING.test(name) ? { whenTrue: claims(run, node, USES), whenFalse: NOTHING } : NONE;
}

function checked(run: Run, argument: SyntaxNode | null, line: CheckLine): Findings {
  const known = (uses: readonly Use[] = []) => {
    const found = new Map(facts(run, argument, uses));
    const path = memberPath(argument);
    if (path !== null && uses.length === USES.length) found.set(path, TRUSTED);
    return found;
  };
  return { whenTrue: known(line.whenTrue), whenFalse: known(line.whenFalse) };
}

/** Methods of texts, lists and patterns; null for all others. */
function methodGuard(
  run: Run,
  name: string,
  receiver: SyntaxNode | null,
  first: SyntaxNode | null,
): Findings | null {
  const literal = smallValue(run, first)?.constant ?? null;
  switch (name) {
    case 'startsWith':
      return prefixGuard(run, receiver, first, literal);
    case 'endsWith': {
      const isBelow = literal === null ? startsWithDot(first) : /^\.[^.]/.test(literal);
      return isBelow ? hostFacts(run, receiver) : NONE;
    }
    case 'includes':
      return literal === '..' || literal === '.'
        ? { whenTrue: NOTHING, whenFalse: facts(run, receiver, ['path']) }
        : NONE;
    case 'has':
    case 'hasOwn':
    case 'hasOwnProperty':
    case 'contains':
    case 'call':
      return NONE;
    case 'some':
      return someGuard(run, receiver, first);
    case 'test':
      return patternGuard(run, receiver, first);
    case 'match':
      return patternGuard(run, first, receiver);
    default:
      return null;
  }
}

/** `p.startsWith(root + sep)`, `rel.startsWith('..')`, `url.startsWith('https://a.example/')`. */
function prefixGuard(
  run: Run,
  receiver: SyntaxNode | null,
  prefix: SyntaxNode | null,
  literal: string | null,
): Findings {
  const found = (uses: readonly Use[]) => prefixFacts(run, receiver, uses);
  if (literal === null) {
    if (sourcesIn(run, prefix).length > 0) return NONE;
    return { whenTrue: found(PLACES), whenFalse: NOTHING };
  }
  if (literal.startsWith('..')) {
    return { whenTrue: NOTHING, whenFalse: found(['path']) };
  }
  if (literal === '/') return { whenTrue: facts(run, receiver, ['redirect']), whenFalse: NOTHING };
  if (literal === '//' || literal === '.') return NONE;
  if (/^https?:\/\/[^/]+\//.test(literal)) return { whenTrue: found(ADDRESS), whenFalse: NOTHING };
  return /^\/[^/]/.test(literal) ? { whenTrue: found(PLACES), whenFalse: NOTHING } : NONE;
}

/** What a path begins with says where it leads only once its steps up are resolved. */
function prefixFacts(run: Run, node: SyntaxNode | null, uses: readonly Use[]): Facts {
  const isResolved = sourcesIn(run, node).every((source) => source.isResolved);
  return facts(run, node, isResolved ? uses : uses.filter((use) => use !== 'path'));
}

/** `'.' + host`, `.${host}` */
function startsWithDot(node: SyntaxNode | null): boolean {
  const inner = bare(node);
  if (inner?.type === 'TemplateLiteral') {
    return text(list(inner, 'quasis')[0] ?? null, 'raw').startsWith('.');
  }
  const isSum = inner?.type === 'BinaryExpression' && text(inner, 'operator') === '+';
  return isSum && text(bare(child(inner, 'left')), 'value').startsWith('.');
}

function hostFacts(run: Run, node: SyntaxNode | null): Findings {
  const sources = hostSources(run, node);
  return { whenTrue: factsOf(sources, ADDRESS), whenFalse: NOTHING };
}

/** `HOSTS.some((host) => url.hostname === host)` for a list of literals in view. */
function someGuard(run: Run, holder: SyntaxNode | null, callback: SyntaxNode | null): Findings {
  if (literalKeys(run, holder) === null) {
    return { whenTrue: claims(run, callback, USES), whenFalse: NOTHING };
  }
  const inner = bare(callback);
  const isWritten = inner !== null && isFunction(inner);
  const { scope, home } = run;
  const callable = isWritten
    ? { node: inner, scope, name: '', home, pollutes: false }
    : (smallValue(run, inner)?.callable ?? null);
  if (callable === null) return NONE;
  const proven = proofsOf(run, callable, [[null, TRUSTED]]);
  return proven === null ? NONE : { whenTrue: proven.whenTrue, whenFalse: NOTHING };
}

/** A pattern that finds every step up, or holds a whole address to one host. */
function patternGuard(run: Run, regex: SyntaxNode | null, argument: SyntaxNode | null): Findings {
  const value = smallValue(run, regex);
  const source = value?.role === 'regex' ? (value.constant ?? '') : '';
  if (findsStepsUp(source)) {
    return { whenTrue: NOTHING, whenFalse: facts(run, argument, ['path']) };
  }
  const pattern = value === null ? null : wholePattern(value);
  return pattern !== null && holdsAddress(pattern)
    ? { whenTrue: facts(run, argument, ADDRESS), whenFalse: NOTHING }
    : NONE;
}

/** The item is one of literals: harmless for all uses; a host of an address, for the address. */
export function membershipFacts(
  run: Run,
  item: SyntaxNode | null,
  keys: readonly string[],
): Findings {
  const path = memberPath(item);
  const whenTrue = new Map(factsOf(hostSources(run, item), ADDRESS));
  if (path !== null) whenTrue.set(path, TRUSTED);
  const isDenial = keys.includes('__proto__');
  return { whenTrue, whenFalse: isDenial ? facts(run, item, ['key']) : NOTHING };
}

/** `url.hostname === 'a.example'`, `key === '__proto__'`. */
export function equalityGuard(
  run: Run,
  one: SyntaxNode | null,
  other: SyntaxNode | null,
): Findings | null {
  const hosts = hostSources(run, one);
  if (hosts.length > 0) {
    const isKnown = isFixed(run, other);
    if (!isKnown && sourcesIn(run, other).length > 0) return NONE;
    const whenTrue = isKnown ? factsOf(hosts, ADDRESS) : factsOf(hosts, ADDRESS, claimPath);
    return { whenTrue, whenFalse: NOTHING };
  }
  const literal = smallValue(run, other)?.constant ?? '';
  if (!DENIED_KEYS.test(literal)) return null;
  return { whenTrue: NOTHING, whenFalse: facts(run, one, ['key']) };
}

/** Whether an operand is the program's own: a literal, or something in view made of literals. */
export function isFixed(run: Run, node: SyntaxNode | null): boolean {
  const value = smallValue(run, node);
  if (value !== null) return value.isTrusted && value.source === null;
  return bare(node)?.type === 'TemplateLiteral' && sourcesIn(run, node).length === 0;
}

/** `x.indexOf('..')`, `p.indexOf(root)`: what the position tells when it is -1 and when 0. */
export function positionGuard(run: Run, node: SyntaxNode): { absent: Facts; first: Facts } {
  const receiver = child(bare(child(node, 'callee')), 'object');
  const argument = child(list(node, 'arguments')[0] ?? null, 'expression');
  const literal = smallValue(run, argument)?.constant ?? null;
  const isFree = literal === null && sourcesIn(run, argument).length === 0;
  return {
    absent: literal === '..' || literal === '.' ? facts(run, receiver, ['path']) : NOTHING,
    first: isFree ? prefixFacts(run, receiver, PLACES) : NOTHING,
  };
}

/** A call that stands alone: what its function proves, or what its name promises. */
export function assertionGuard(
  run: Run,
  node: SyntaxNode,
  name: string,
  isAwaited: boolean,
): Facts {
  const proven = provenBy(run, node, isAwaited);
  if (proven !== null) return proven.returned;
  return ASSERTING.test(name) ? claims(run, node, USES) : NOTHING;
}

/**
 * The literals of a list, a set, or the keys of an object that are in view and that nothing in
 * view changes; null for all else.
 */
export function literalKeys(run: Run, node: SyntaxNode | null): readonly string[] | null {
  const inner = bare(node);
  const isList = inner?.type === 'ArrayExpression' && list(inner, 'elements').every(isLiteral);
  const value = isList ? run.evaluate(inner) : smallValue(run, inner);
  if (value === null || value.source !== null) return null;
  if (value.properties === null && value.elements === null) return null;
  // Last, because it reads all of the text.
  const path = memberPath(inner);
  if (path !== null && run.isChanged(path)) return null;
  if (value.properties !== null) return [...value.properties.keys()];
  if (value.elements === null) return null;
  const keys: string[] = [];
  for (const { constant } of value.elements) {
    if (constant === null) return null;
    keys.push(constant);
  }
  return keys;
}

function isLiteral(element: SyntaxNode | null): boolean {
  return child(element, 'expression')?.type?.endsWith('Literal') === true;
}

/** All data from outside in a condition, as safe for the uses. */
export function facts(run: Run, node: SyntaxNode | null, uses: readonly Use[]): Facts {
  return uses.length === 0 ? NOTHING : factsOf(sourcesIn(run, node), uses);
}

/** The same where nothing but a name says so. */
export function claims(run: Run, node: SyntaxNode | null, uses: readonly Use[]): Facts {
  const sources = sourcesIn(run, node, true);
  const addresses = sources.flatMap(({ hostOf, ...source }) =>
    hostOf === null ? [] : [{ ...source, hostOf, text: hostOf }],
  );
  return factsOf([...sources, ...addresses], uses, claimPath);
}

function factsOf(
  sources: readonly Source[],
  uses: readonly Use[],
  pathOf: typeof guardPath = guardPath,
): Facts {
  const found = new Map<string, Value>();
  for (const source of sources) {
    for (const use of uses) {
      // What is known of an address' host is known of the address.
      const isAddress = ADDRESS.includes(use) && source.hostOf !== null;
      const about = isAddress ? { ...source, text: source.hostOf ?? source.text } : source;
      found.set(pathOf(use, about), TRUSTED);
    }
  }
  return found;
}

/** The address whose host a node is: `url.hostname`, `new URL(x).host`. */
function hostSources(run: Run, node: SyntaxNode | null): Source[] {
  const inner = bare(node);
  const source = smallValue(run, inner)?.source ?? null;
  if (source !== null) return source.hostOf === null ? [] : [source];
  const object = bare(child(inner, 'object'));
  const name = fixedName(child(inner, 'property')) ?? '';
  if (inner?.type === 'CallExpression') {
    const callee = bare(child(inner, 'callee'));
    const isSame = /^to(?:Lower|Upper)Case$/.test(fixedName(child(callee, 'property')) ?? '');
    return isSame ? hostSources(run, child(callee, 'object')) : [];
  }
  if (inner?.type !== 'MemberExpression' || !HOST_MEMBERS.test(name)) return [];
  const made = memberPath(child(object, 'callee'));
  const isUrl = made === 'URL' && lookUp(run.scope, 'URL') === undefined;
  if (!isUrl) return [];
  const [argument] = list(object, 'arguments');
  const address = smallValue(run, child(argument ?? null, 'expression'))?.source ?? null;
  return address === null ? [] : [{ ...address, hostOf: address.text }];
}

/** Functions whose result is the same data: what holds for it holds for what they were given. */
const TRANSPARENT = words(`
  String URL toString toLowerCase toUpperCase trim normalize toLocaleLowerCase resolve join relative
  decodeURIComponent isAbsolute
`);

/**
 * Data from outside that names and members within a node hold; `isLoose`: by way of functions too
 * that cut or change it.
 */
export function sourcesIn(run: Run, root: SyntaxNode | null, isLoose = false): Source[] {
  const sources: Source[] = [];
  const todo: SyntaxNode[] = root === null ? [] : [root];
  let count = 0;
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    count += 1;
    if (count > NODES_MAX) break;
    const inner = bare(node);
    if (inner === null) continue;
    const value = smallValue(run, inner);
    if (value?.source != null) sources.push(value.source);
    // `d.name` tells nothing of `d`.
    if (value !== null) continue;
    const callee = bare(child(inner, 'callee'));
    if (callee === null) {
      for (const part of childNodes(inner)) if (part.type !== 'Computed') todo.push(part);
      continue;
    }
    const name = fixedName(child(callee, 'property')) ?? text(callee, 'value');
    if (!isLoose && !TRANSPARENT.has(name)) continue;
    const object = child(callee, 'object');
    if (object !== null) todo.push(object);
    for (const argument of list(inner, 'arguments')) {
      const part = child(argument, 'expression');
      if (part !== null) todo.push(part);
    }
  }
  return sources;
}

/** An argument's value, where it is small enough to be evaluated once more, or a built address. */
function argumentValue(run: Run, node: SyntaxNode | null): Value {
  const small = smallValue(run, node);
  if (small !== null) return small;
  const [source] = sourcesIn(run, node);
  return source === undefined ? UNKNOWN : { ...UNKNOWN, source };
}
