import { sanitizers } from '../../../rules/catalogue/javascript.ts';
import {
  type CatalogueLine,
  type SanitizerLine,
  USES,
  type Use,
  words,
} from '../../../rules/catalogue/line.ts';
import type { CallSite } from '../sinks/sink.ts';
import { memberOf } from './bindings.ts';
import { charactersOf } from './constants.ts';
import { bare, child, fixedName, list, memberPath, rootOf, type SyntaxNode, text } from './node.ts';
import { lookUp, lookUpNarrowed, type Run } from './run.ts';
import { globalMember, globalName, memberOfSource } from './sources.ts';
import {
  type Callable,
  claimedSafe,
  fromSource,
  madeSafe,
  partOf,
  RESULT,
  TRUSTED,
  UNKNOWN,
  type Value,
  withOrigin,
} from './value.ts';

/** What is called, before its arguments are known. */
export type Callee = Omit<CallSite, 'args' | 'isNew' | 'safetyOf' | 'argumentName'> & {
  path: string | null;
  /** What stands before the last name, for the calls that go by way of `call` and the like. */
  object: SyntaxNode | null;
};

/** A callee of which only this is known. Spelt out: copies by spreading cost a tenth of gate 2. */
function plain(
  name: string,
  origin: string | null,
  callable: Callable | null,
  path: string | null = null,
  isDeclared = false,
  isPatched = false,
  made: string | null = null,
): Callee {
  return {
    name,
    origin,
    made,
    isDeclared,
    isPatched,
    receiver: null,
    receiverPath: null,
    path,
    callable,
    object: null,
  };
}

/** A call as sinks see it. */
export function siteOf(
  callee: Callee,
  isNew: boolean,
  args: readonly Value[],
  argumentName: CallSite['argumentName'],
  safety: CallSite['safetyOf'],
): CallSite {
  const { name, origin, made, isDeclared, isPatched, receiver, receiverPath, callable } = callee;
  return {
    name,
    origin,
    made,
    isDeclared,
    isPatched,
    receiver,
    receiverPath,
    callable,
    isNew,
    args,
    argumentName,
    safetyOf: safety,
  };
}

/** The callee of a call or `new`; evaluates what stands before its last name. */
export function calleeOf(run: Run, node: SyntaxNode): Callee {
  return resolved(run, calleeAt(run, child(node, 'callee')));
}

function calleeAt(run: Run, outer: SyntaxNode | null): Callee {
  let callee = bare(outer);
  // `(0, eval)(x)`
  if (callee?.type === 'SequenceExpression')
    callee = bare(list(callee, 'expressions').at(-1) ?? null);
  switch (callee?.type) {
    case 'Import':
      return plain('import', null, null);
    case 'Identifier': {
      const name = text(callee, 'value');
      const value = lookUp(run.scope, name);
      const origin = value?.origin ?? null;
      const isDeclared = value !== undefined && origin === null;
      const callable = value?.callable ?? null;
      const made = value?.made ?? null;
      return plain(name, origin, callable, name, isDeclared, run.isPatched(name), made);
    }
    case 'MemberExpression':
      return methodOf(run, callee);
    default: {
      const { origin, callable, made } = run.evaluate(callee);
      return plain('', origin, callable, null, false, false, made);
    }
  }
}

function methodOf(run: Run, callee: SyntaxNode): Callee {
  const object = child(callee, 'object');
  const receiver = run.evaluate(object);
  const name = keyName(run, child(callee, 'property')) ?? '';
  const receiverPath = memberPath(object);
  const root = rootOf(receiverPath ?? '');
  const path = receiverPath === null || name === '' ? null : `${receiverPath}.${name}`;
  const assigned = path === null ? undefined : lookUpNarrowed(run.scope, path);
  const value = assigned ?? (name === '' ? anyMember(receiver) : memberOf(receiver, name, '', 0));
  const isDeclared =
    receiver.origin === null && root !== '' && lookUp(run.scope, root) !== undefined;
  const { origin, made, callable } = value;
  const isPatched = run.isPatched(name);
  const called = { receiver, receiverPath, path, callable, object };
  return { name, origin, made, isDeclared, isPatched, ...called };
}

/** A member whose name is not known: of a module, any of its functions. */
function anyMember(receiver: Value): Value {
  const { origin } = receiver;
  return origin === null ? memberOf(receiver, null, '', 0) : withOrigin(`${origin}.*`);
}

/** Name of a property or key; a computed one is evaluated, and null when it is not known. */
export function keyName(run: Run, key: SyntaxNode | null): string | null {
  const fixed = fixedName(key);
  if (fixed !== null) return fixed;
  return run.evaluate(key?.type === 'Computed' ? child(key, 'expression') : key).constant;
}

/** What is called by way of a value: `exec` of `exec.call(null, x)`. */
export function calleeFrom(run: Run, node: SyntaxNode | null, value: Value): Callee {
  const { origin, callable, made } = value;
  const path = memberPath(node);
  const names = (path ?? origin ?? '').split('.');
  const name = names.at(-1) ?? '';
  const receiverPath = names.length > 1 ? names.slice(0, -1).join('.') : null;
  const receiver = receiverPath === null ? null : UNKNOWN;
  const isDeclared =
    origin === null && path !== null && lookUp(run.scope, names[0] ?? '') !== undefined;
  const isPatched = run.isPatched(name);
  const callee = plain(name, origin, callable, path, isDeclared, isPatched, made);
  return resolved(run, { ...callee, receiver, receiverPath });
}

/** A global function is called by its own name, whatever name it goes by. */
function resolved(run: Run, callee: Callee): Callee {
  const { origin, path, isDeclared, name } = callee;
  const isFree = origin === null && !isDeclared && path !== null && path !== name;
  const root = rootOf(path ?? '');
  const member = isFree && lookUp(run.scope, root) === undefined ? globalMember(path) : null;
  const isLoader = name === 'getBuiltinModule' && !isDeclared;
  const global = isLoader ? 'require' : globalName(member?.origin ?? origin);
  if (global === null) return callee;
  return plain(global, null, null, callee.path);
}

/** A call that is made by way of another one. */
export interface Indirect {
  callee: Callee;
  args: readonly Value[];
  isNew: boolean;
  /** It is only prepared: `bind`. */
  isBound: boolean;
}

const METHODS = words('call apply bind');
const PROTOTYPE = 'Function.prototype';

/**
 * The call behind `f.call(that, x)`, `f.apply(that, [x])`, `f.bind(that, x)`,
 * `Reflect.apply(f, that, [x])`, `Reflect.construct(F, [x])` and
 * `Function.prototype.call.call(f, that, x)`; null for any other call.
 */
export function indirectCall(
  run: Run,
  callee: Callee,
  argumentNodes: readonly (SyntaxNode | null)[],
  args: readonly Value[],
): Indirect | null {
  const { name, receiver, receiverPath, object } = callee;
  const reflectedName = /^global\.Reflect\.(\w+)$/.exec(callee.origin ?? '')?.[1];
  if (reflectedName !== undefined) return reflected(run, reflectedName, argumentNodes, args);
  if (receiverPath === 'Reflect') return reflected(run, name, argumentNodes, args);
  if (!METHODS.has(name) || receiver === null) return null;
  const inner = bare(object);
  const method = inner?.type === 'MemberExpression' ? fixedName(child(inner, 'property')) : null;
  const isGeneric = method !== null && METHODS.has(method);
  if (isGeneric && memberPath(child(inner, 'object')) === PROTOTYPE) {
    const target = calleeFrom(run, argumentNodes[0] ?? null, args[0] ?? UNKNOWN);
    const given = name === 'apply' ? elementsOf(args[1]) : args.slice(1);
    return made(target, method, given);
  }
  return made(calleeFrom(run, object, receiver), name, args);
}

/** `given` begins with what is to be `this`. */
function made(callee: Callee, method: string, given: readonly Value[]): Indirect | null {
  // `exec` of a regular expression, whose import is out of sight.
  if (given[0]?.role === 'regex') return null;
  const args = method === 'apply' ? elementsOf(given[1]) : given.slice(1);
  return { callee, args, isNew: false, isBound: method === 'bind' };
}

/** The call that somebody else makes of a function that is given by its name; null if none is. */
export function callbackCall(
  run: Run,
  argument: SyntaxNode | null,
  value: Value,
  given: readonly Value[],
): Indirect | null {
  if (value.origin === null || value.callable !== null || given.length === 0) return null;
  return { callee: calleeFrom(run, argument, value), args: given, isNew: false, isBound: false };
}

function reflected(
  run: Run,
  name: string,
  nodes: readonly (SyntaxNode | null)[],
  args: readonly Value[],
): Indirect | null {
  const isNew = name === 'construct';
  if (!isNew && name !== 'apply') return null;
  const [first, second, third] = args;
  if (!isNew && second?.role === 'regex') return null;
  const callee = calleeFrom(run, nodes[0] ?? null, first ?? UNKNOWN);
  return { callee, args: elementsOf(isNew ? second : third), isNew, isBound: false };
}

/** What a list holds; one element of it when it came as a whole. */
function elementsOf(value: Value | undefined): readonly Value[] {
  if (value === undefined) return [];
  if (value.elements !== null) return value.elements;
  return value.source === null ? [] : [fromSource(memberOfSource(value.source, '0'))];
}

/** What resolving a call to a line of the catalogue needs of it. */
type Named = Pick<
  CallSite,
  'name' | 'origin' | 'isDeclared' | 'isPatched' | 'callable' | 'receiver' | 'receiverPath'
>;

/** `lodash/escape`, `validator/lib/escape.js`: a package's export by the file that holds it. */
const EXPORT_FILE = /^((?:@[^/]+\/)?[^/.]+)\/(?:(?:lib|es|esm|dist|fp)\/)?([\w-]+)(?:\.js)?$/;
/** Namespaces that hold the same functions once more. */
const NAMESPACES = /\.(?:default|posix|win32|strict)(?=\.|$)/g;

/**
 * Lines of the catalogue by the functions they name. A call resolves by what it was imported as;
 * where nothing in view declares its first name, by the names that everybody imports the package
 * as. What is declared in view is that and nothing else, whatever it is called.
 */
export class Catalogue<L extends CatalogueLine> {
  readonly #byOrigin = new Map<string, L>();
  readonly #byAlias = new Map<string, L>();
  readonly #names = new Set<string>();
  /** Last names of all exports: most calls have another one. */
  readonly #lastNames = new Set<string>();

  constructor(lines: readonly L[]) {
    for (const line of lines) {
      for (const name of line.exports.split(' ')) {
        const isGlobal = line.package === 'global';
        this.#lastNames.add(name.split('.').at(-1) ?? '');
        if (isGlobal) this.#byAlias.set(name, line);
        else
          this.#byOrigin.set(name === 'default' ? line.package : `${line.package}.${name}`, line);
        for (const alias of line.aliases?.split(' ') ?? []) {
          if (name !== 'default') this.#byAlias.set(`${alias}.${name}`, line);
        }
      }
    }
    for (const path of this.#byAlias.keys()) this.#names.add(path.split('.', 1)[0] ?? '');
  }

  /** The line for the function that is called; null for another one, or an unknown one. */
  find(site: Named): L | null {
    const { name, origin, receiver, receiverPath } = site;
    if (site.callable !== null || site.isPatched) return null;
    if (origin !== null) return this.findOrigin(origin);
    if (site.isDeclared || !this.#lastNames.has(name)) return null;
    if (receiver === null) return this.#byAlias.get(name) ?? null;
    const path = receiverPath?.replace(/^(?:window|globalThis|this)\./, '') ?? '';
    return this.#byAlias.get(`${path}.${name}`.replace(NAMESPACES, '')) ?? null;
  }

  /** Whether a name means something of the catalogue where nothing declares it. */
  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** The line for something imported: `lodash.escape`. */
  findOrigin(origin: string): L | null {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined || !/[/]|\.(?:default|posix|win32|strict)/.test(origin))
      return known ?? null;
    const plain = origin.replace(NAMESPACES, '');
    return (
      this.#byOrigin.get(plain) ?? this.#byOrigin.get(plain.replace(EXPORT_FILE, '$1.$2')) ?? null
    );
  }
}

const KNOWN = new Catalogue<SanitizerLine>(sanitizers);

/** Whether a name means a function or package of the catalogue where nothing declares it. */
export function isKnownName(name: string): boolean {
  return KNOWN.hasName(name);
}

/** Names of functions that promise to make a text harmless, and those for HTML alone. */
const PROMISING =
  /^(?!un|de)\w*(?:escape|saniti[sz]e|quote|slugify|clean|purify)|^(?:parameterize|encodeSQL|slug|kebabCase|basename|validated?)$/i;
const PROMISING_HTML =
  /^(?:encode|escape|saniti[sz]e|clean|strip|purify|filter)\w*(?:html|xml|markup|tags|entities|xss)\w*$|^(?:xss|filterXSS|striptags|htmlEncode|htmlspecialchars|purify|escapeHTML)$/i;

/** What a cleaning function makes of its first argument; null for another function. */
export function sanitized(site: CallSite): Value | null {
  const [first] = site.args;
  if (first === undefined) return null;
  const known = KNOWN.find(site);
  if (known !== null) return clean(first, known.safeFor);
  const uses = PROMISING_HTML.test(site.name) ? HTML : PROMISING.test(site.name) ? USES : null;
  return uses === null ? null : claimed(first, uses);
}

const HTML: readonly Use[] = ['html'];

/** The data after a function of which only the name is known. */
export function claimed(value: Value, uses: readonly Use[]): Value {
  const { source } = value;
  if (source === null) return RESULT;
  return claimedSafe({ ...UNKNOWN, source: partOf(source) }, uses);
}

/** The same data in another spelling. */
function clean(value: Value, uses: readonly Use[]): Value {
  const { source } = value;
  // What can be guessed stays so as another number.
  if (uses.length === USES.length) {
    return value.role === 'random' ? { ...TRUSTED, role: 'random' } : TRUSTED;
  }
  if (source === null) return value.isTrusted ? TRUSTED : { ...UNKNOWN, safeFor: uses };
  return madeSafe({ ...UNKNOWN, source: partOf(source) }, uses);
}

/** What is left of a text after `replace(pattern, by)`; null when that makes nothing safe. */
export function replacedSafely(
  receiver: Value,
  pattern: Value | undefined,
  by: Value | undefined,
): Value | null {
  const text = pattern?.constant ?? null;
  if (text === null || pattern?.role !== 'regex') return null;
  const isGlobal = pattern.properties?.get('flags')?.constant?.includes('g') === true;
  // `replace(/[&<>"']/g, (c) => ENTITIES[c])`
  if (by?.callable != null && isGlobal && /^\[[^\]]*<[^\]]*\]$/.test(text) && givesOther(by))
    return madeSafe(receiver, HTML);
  if (by?.constant == null) return null;
  const kept = isGlobal ? keptBy(text) : null;
  if (kept !== null && charactersOf(`^[${by.constant}]*$`) !== null) return clean(receiver, kept);
  // `normalize(p).replace(/^(\.\.(\/|\\|$))+/, '')` takes away every step up.
  const isStart = text.startsWith('^') && text.includes('\\.\\.');
  if (isStart && receiver.source?.isResolved === true) return madeSafe(receiver, ['path']);
  if (isGlobal && by.constant.includes('\\$&')) return madeSafe(receiver, ['regex']);
  const isEscaped = by.constant.startsWith('&') && by.constant.endsWith(';');
  return isGlobal && isEscaped && /[<&]/.test(text) ? madeSafe(receiver, HTML) : null;
}

/** `[^\w.-]` with or without a `+`: the characters of the class stay, as those of `[\w.-]*`. */
function keptBy(pattern: string): readonly Use[] | null {
  const kept = /^\[\^((?:[^\]\\]|\\.)*)\][+*]?$/.exec(pattern)?.[1];
  return kept === undefined ? null : charactersOf(`^[${kept}]*$`);
}

/** A function that gives a character back as it came escapes nothing. */
function givesOther({ isTrusted, source, callable }: Value): boolean {
  if (callable === null) return false;
  return isTrusted || source === null;
}
