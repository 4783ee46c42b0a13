import { type PropagatorLine, USES, type Use, words } from '../../../rules/catalogue/line.ts';
import {
  build,
  constant,
  derive,
  madeSafe,
  outside,
  RESULT,
  type Source,
  TRUSTED,
  UNKNOWN,
  type Value,
} from '../taint/value.ts';
import { follow } from '../tree/follow.ts';
import { judge, type Site } from '../tree/lines.ts';
import { at, type Call, type OwnClass, type OwnFunction, type Run } from '../tree/run.ts';
import {
  addTo,
  isOutside,
  joinTexts,
  listed,
  listValue,
  type Scope,
  sourcesIn,
} from '../tree/scope.ts';
import { part, type TreeNode, typed } from '../tree/tree.ts';
import { bare, classNamed, HARMLESS, METHOD, parametersOf, pathOf } from './declarations.ts';
import { BUILDER, FILE, formatted, methodResult, PATH_CHARS_MAX, RESOLVING } from './methods.ts';

/** Evaluates a call or `new`: its arguments, whether it is a sink, and what it gives back. */
export function evaluateCall(run: Run, node: TreeNode): Value {
  const call = node.type === 'method_invocation' ? readCall(run, node) : readNew(run, node);
  judge(run, call);
  const result = resultOf(run, call);
  fillTargets(run, call, result);
  return result;
}

/** The node of the last name of what is called or made. */
export function calleeOf(node: TreeNode): TreeNode | null {
  return part(node, 'name') ?? part(node, 'type');
}

function argumentsOf(run: Run, node: TreeNode) {
  const keywords = new Map<string, Value>();
  const args = (part(node, 'arguments')?.children ?? []).map((child) => {
    const value = run.evaluate(child);
    // Features are switched on by constants: `Feature.SupportAutoType`.
    const name = child.type === 'field_access' ? part(child, 'field') : null;
    if (name !== null) keywords.set(run.textOf(name), constant('on'));
    return value;
  });
  return { args, keywords };
}

function readCall(run: Run, node: TreeNode): Call {
  const object = part(node, 'object');
  const nameNode = part(node, 'name');
  const name = nameNode === null ? '' : run.textOf(nameNode);
  const receiver = object === null ? null : run.evaluate(object);
  const { args, keywords } = argumentsOf(run, node);
  const callee = calleeValue(run, object, receiver, name, args.length);
  const self = receiver ?? (callee.callable === null ? null : (run.scope.get('this') ?? null));
  const receiverPath = object === null ? null : usualName(run, object);
  const site: Site = { name, origin: callee.origin, receiver: self, receiverPath };
  return { site, node, callee, args, keywords };
}

/** How a receiver is named: `getJdbcTemplate()` gives what `jdbcTemplate` is. */
function usualName(run: Run, object: TreeNode): string | null {
  const path = pathOf(run, object);
  if (path !== null || object.type !== 'method_invocation') return path;
  const name = part(object, 'name');
  const isEmpty = part(object, 'arguments')?.children.length === 0;
  const got = name === null ? null : /^(?:get)?(\w+)$/.exec(run.textOf(name))?.[1];
  return got == null || !isEmpty ? null : got.charAt(0).toLowerCase() + got.slice(1);
}

/** Methods of functions as objects. */
const INVOKES = /^(?:apply|accept|test|get|run|call|applyAs\w+|getAs\w+|handle|invoke)$/;

function calleeValue(
  run: Run,
  object: TreeNode | null,
  receiver: Value | null,
  name: string,
  count: number,
): Value {
  if (object === null || receiver === null) {
    const own = run.scope.get(`${name}${METHOD}${count}`) ?? run.scope.get(`${name}${METHOD}`);
    if (own !== undefined) return own;
    const imported = run.scope.get(name)?.origin;
    if (imported != null) return at(imported);
    const base = run.scope.get('this')?.origin ?? null;
    const [star] = run.stars.filter((path) => /\.[A-Z]\w*$/.test(path));
    return at(base === null ? `${star ?? ''}.${name}` : `${base}.${name}`);
  }
  if (receiver.callable !== null && INVOKES.test(name)) return receiver;
  const owner = ownerOf(run, receiver);
  const method = methodOf(owner, name, count);
  if (owner !== undefined && method !== null) {
    const own = { node: method, scope: owner.scope, name, home: run, pollutes: false };
    return { ...UNKNOWN, callable: own };
  }
  return receiver.origin === null ? UNKNOWN : at(`${receiver.origin}.${name}`);
}

function ownerOf(run: Run, { made }: Value): OwnClass | undefined {
  return made === null ? undefined : run.classes.get(made.replace('class ', ''));
}

function methodOf(owner: OwnClass | undefined, name: string, count: number): TreeNode | null {
  return owner?.methods.get(`${name}${METHOD}${count}`) ?? owner?.methods.get(name) ?? null;
}

/** `new Name(...)`, `this(...)` and `super(...)`. */
function readNew(run: Run, node: TreeNode): Call {
  const type = part(node, 'type');
  const body = typed(node, 'class_body');
  const { args, keywords } = argumentsOf(run, node);
  const written = type === null ? '' : run.textOf(type).replace(/<.*$|\s+/gs, '');
  const [root = '', ...rest] = written.split('.');
  const path = /^[a-z]/.test(root) ? root : classNamed(run, root);
  if (body !== null) runAnonymous(run, body);
  // A class that overrides methods is not what its base is.
  const isOwn = run.classes.has(written) || body !== null || path === null;
  const origin = isOwn ? null : [path, ...rest].join('.');
  const name = rest.at(-1) ?? root;
  const site: Site = { name, origin, receiver: null, receiverPath: null };
  return { site, node, callee: origin === null ? UNKNOWN : at(origin), args, keywords };
}

/** The methods of a class without a name, with what is known where it stands. */
function runAnonymous(run: Run, body: TreeNode): void {
  for (const member of body.children) {
    const code = part(member, 'body');
    if (member.type !== 'method_declaration' || code === null) continue;
    const own = { node: member, scope: run.scope, name: '', home: run, pollutes: false };
    if (run.following === 0) {
      follow(run, own, emptyCall(member));
    }
  }
}

function emptyCall(node: TreeNode): Call {
  const site = { name: '', origin: null, receiver: null, receiverPath: null };
  return { site, node, callee: UNKNOWN, args: [], keywords: new Map() };
}

/** What puts an element into a list or table. */
const ADDING = words('add addAll put putAll addFirst addLast push offer set putIfAbsent command');

/** What a call gives back. */
function resultOf(run: Run, call: Call): Value {
  const { site, callee, args, node } = call;
  const { receiver, origin, name } = site;
  if (callee.callable !== null) return followed(run, call, callee.callable as OwnFunction);
  if (node.type !== 'method_invocation' && origin === null) return instantiate(run, call);
  const known = knownResult(run, call);
  if (known !== null) return known;
  const { catalogue } = run.language;
  const sanitizer = catalogue.sanitizerAt(site);
  if (sanitizer !== null) return sanitized(run, call, sanitizer.safeFor);
  const source = catalogue.callAt(site);
  if (source !== null && !isOutside(receiver)) {
    const isWhole = source.whole === true;
    const shape = { isWhole, mayBeObject: isWhole, safeFor: source.safeFor ?? [] };
    const value = outside('strong', textOfCall(run, node), run.lineOf(node), shape);
    const claimedFor: readonly Use[] = /^path(?:Param|Variable|Token)s?$/.test(name)
      ? ['path']
      : [];
    const own: Source | null = value.source === null ? null : { ...value.source, claimedFor };
    return { ...value, source: own, origin: origin === null ? null : `${origin}()` };
  }
  const propagator = catalogue.propagatorAt(site);
  if (propagator !== null) return propagated(run, call, propagator);
  if (receiver !== null) {
    const own = methodResult(run, call, receiver, resultOf);
    if (own !== null) return own;
  }
  const path = origin === null ? null : `${origin}()`;
  if (path === null || path.length > PATH_CHARS_MAX) return RESULT;
  const isKept = /\.(?:regex\.Pattern\.compile|stream\.Collectors\.joining)$/.test(origin ?? '');
  return { ...RESULT, origin: path, fallback: isKept ? (args[0]?.constant ?? null) : null };
}

/** A function of the text; what it wrote into objects that it was given is seen here. */
function followed(run: Run, call: Call, own: OwnFunction): Value {
  run.left = null;
  // What is known of the data by now is known there as well.
  const args = call.args.map((value) => run.scope.settled(value));
  const result = follow(run, own, { ...call, args });
  const left = run.left as Scope | null;
  if (left === null) return result;
  const nodes = part(call.node, 'arguments')?.children ?? [];
  for (const [index, { name }] of parametersOf(own.node).entries()) {
    const path = pathOf(run, nodes[index] ?? null);
    const after = left.own.get(run.textOf(name));
    const isShared = after?.properties != null || BUILDER.test(after?.origin ?? '');
    if (path !== null && after !== undefined && isShared) run.scope.set(path, left.settled(after));
  }
  const path = pathOf(run, part(call.node, 'object'));
  const self = left.own.get('this');
  if (path !== null && self?.properties != null) run.scope.set(path, self);
  return result;
}

/** Makes an object of a class of the text: a constructor, or the fields of a record. */
function instantiate(run: Run, call: Call): Value {
  const { node, args, site } = call;
  const type = part(node, 'type');
  const owner = run.classes.get(type === null ? '' : run.textOf(type).replace(/<.*$|\s+/gs, ''));
  if (owner === undefined) return { ...UNKNOWN, role: 'plain' };
  const fresh: Value = { ...UNKNOWN, made: owner.name, properties: new Map() };
  const made = methodOf(owner, '<init>', args.length);
  if (made === null || part(made, 'parameters') === null) {
    const names = [...owner.fields.keys()];
    const isRecord = names.length === args.length;
    const properties = new Map(isRecord ? names.map((name, n) => [name, args[n] ?? UNKNOWN]) : []);
    return { ...fresh, properties };
  }
  run.left = null;
  const own = { node: made, scope: owner.scope, name: '<init>', home: run, pollutes: false };
  follow(run, own, { ...call, site: { ...site, receiver: fresh } });
  const left = run.left as Scope | null;
  return left?.own.get('this') ?? { ...UNKNOWN, made: owner.name };
}

function sanitized(run: Run, { args, site }: Call, safeFor: readonly Use[]): Value {
  const input = derive([...args, ...(args.length > 0 ? [] : [site.receiver ?? UNKNOWN])]);
  if (safeFor.length === USES.length) return TRUSTED;
  const value = input.source === null ? { ...UNKNOWN, safeFor } : madeSafe(input, safeFor);
  return run.scope.settled(value);
}

const WRITTEN_CHARS_MAX = 60;

function textOfCall(run: Run, node: TreeNode): string {
  const text = run.textOf(node).replace(/\s+/g, ' ').replace(/["']/g, '');
  return text.slice(0, WRITTEN_CHARS_MAX);
}

/** What inputs become in a function that hands them on. */
function propagated(run: Run, { site, args }: Call, line: PropagatorLine): Value {
  const inputs =
    line.from === undefined
      ? [...args, ...(site.receiver === null ? [] : [site.receiver])]
      : line.from.flatMap((index) => (index < 0 ? (site.receiver ?? []) : (args[index] ?? [])));
  const flat = inputs.map((value) => (value.elements === null ? value : listed(value.elements)));
  const value = derive(flat.map((one) => (one.pieces === null ? one : run.scope.settled(one))));
  const origin = site.origin === null ? null : `${site.origin}()`;
  const [only] = flat;
  // What is matched keeps the pattern.
  const fallback = site.receiver?.fallback ?? null;
  // A reader of a text that is known is as good as the text.
  if (flat.length === 1 && only !== undefined && (only.pieces ?? only.constant) !== null) {
    return { ...only, constant: null, origin, fallback };
  }
  const { source } = value;
  if (source === null) return { ...value, origin, fallback };
  const isUrl = /^(?:URI|URL|HttpUrl|create|toURL|toURI|toUri|toUrl|get|parse|of)$/.test(site.name);
  const isAddress = isUrl && /UR[IL]|HttpUrl|\.net\./.test(site.origin ?? '');
  const isResolved = RESOLVING.test(site.name) || (source.isResolved && FILE.test(origin ?? ''));
  const safeFor = line.decodes === true ? [] : source.safeFor;
  const isWhole = line.whole === true;
  const shaped = {
    ...source,
    isUrl: isAddress,
    isResolved,
    isWhole,
    mayBeObject: isWhole,
    safeFor,
  };
  return { ...value, source: shaped, origin, fallback };
}

/** Functions that need more than a line of the catalogue; null: another one. */
function knownResult(run: Run, call: Call): Value | null {
  const { site, args, node } = call;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const { origin, name, receiver } = site;
  switch (origin) {
    case 'java.lang.String.format':
      return formatted(run, args, node);
    case 'java.text.MessageFormat.format':
      return build(args, run.linesOf(node));
    case 'java.lang.String.valueOf':
    case 'java.lang.String.copyValueOf':
    case 'java.lang.String':
    case 'java.util.Objects.requireNonNull':
    case 'java.util.Objects.toString':
      return first;
    case 'java.util.Objects.requireNonNullElse':
      return listed([first, second]);
    case 'java.lang.String.join':
      return joinTexts(run, first, args.length === 2 ? second : listValue(args.slice(1)), node);
    case 'java.util.List.of':
    case 'java.util.Set.of':
    case 'java.util.Arrays.asList':
    case 'java.util.stream.Stream.of':
    case 'java.util.Collections.singletonList':
      return args.length === 1 && first.elements !== null ? first : listValue(args);
    case 'java.util.Arrays.stream':
    case 'java.util.List.copyOf':
    case 'java.util.Optional.of':
    case 'java.util.Optional.ofNullable':
    case 'java.util.concurrent.CompletableFuture.completedFuture':
      return first;
    case 'java.util.Map.of':
      return listValue(args.filter((_, index) => index % 2 === 1));
    case 'java.lang.StringBuilder':
    case 'java.lang.StringBuffer':
      return {
        ...(args.length === 0 || first.isTrusted
          ? constant(first.constant ?? '')
          : build([constant(''), first], run.linesOf(node))),
        origin: 'java.lang.StringBuilder()',
      };
    default:
  }
  if (/^java\.util\.(?:Array|Linked)(?:List|Deque)$/.test(origin ?? '')) {
    return first.elements === null && first.source === null ? listValue([]) : first;
  }
  // `Color.valueOf(text)` is one of the program's, or throws.
  if (name === 'valueOf' && receiver !== null && args.length === 1) {
    const isClass = receiver.made?.startsWith('class ') === true || origin !== null;
    return isClass || isTypeName(run, part(node, 'object')) ? TRUSTED : null;
  }
  const object = part(node, 'object');
  if (object !== null && HARMLESS.has(run.textOf(object))) return TRUSTED;
  // `new Yaml(new SafeConstructor())`
  const isSafe = args.some((arg) => /\bSafe\w*\(\)$/.test(arg.origin ?? ''));
  return isSafe && node.type !== 'method_invocation' ? { ...UNKNOWN, role: 'plain' } : null;
}

function isTypeName(run: Run, node: TreeNode | null): boolean {
  return node !== null && /^(?:\w+\.)*[A-Z]\w*$/.test(run.textOf(node));
}

/** What a call writes into what it is called on. */
function fillTargets(run: Run, { site, args, node }: Call, result: Value): void {
  const { name, receiver } = site;
  if (receiver === null || node.type !== 'method_invocation') return;
  const path = rootPath(run, node);
  if (path === null) return;
  if (BUILDER.test(receiver.origin ?? '')) {
    const isKept = /^(?:append|insert|replace|repeat)$/.test(name);
    if (isKept) run.scope.set(path, result);
    else if (name === 'setLength' || name === 'delete') run.scope.set(path, receiver);
    return;
  }
  const line = run.language.catalogue.propagatorAt(site);
  if (line?.into === -1) {
    // The object is what the call makes of it: a reader with a filter.
    const origin = site.origin === null ? null : `${site.origin}()`;
    run.scope.set(path, { ...receiver, origin });
    return;
  }
  if (!ADDING.has(name) || args.length === 0) return;
  const value = args.at(-1) ?? UNKNOWN;
  const isMany = name === 'addAll' && value.elements !== null;
  for (const one of isMany ? (value.elements ?? []) : [value]) {
    if (one.source !== null || receiver.elements !== null) addTo(run, path, run.scope.settled(one));
  }
  if (sourcesIn(value).length > 0 && receiver.role === 'plain') {
    run.scope.set(path, { ...receiver, role: null, source: derive([value]).source });
  }
}

/** The name that a chain of calls begins with: `sql` of `sql.append(a).append(b)`. */
function rootPath(run: Run, node: TreeNode): string | null {
  let inner = bare(part(node, 'object'));
  while (inner?.type === 'method_invocation') {
    const name = part(inner, 'name');
    if (name === null || !/^(?:append|insert|allow\w*|set\w*)$/.test(run.textOf(name))) return null;
    inner = bare(part(inner, 'object'));
  }
  return pathOf(run, inner);
}
