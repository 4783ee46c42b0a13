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
import { at, type Call, type OwnFunction, type Run } from '../tree/run.ts';
import { isOutside, joinTexts, listed, listValue, subSource } from '../tree/scope.ts';
import { part, type TreeNode } from '../tree/tree.ts';
import { bare, filled, pathOf, typeValue } from './declarations.ts';
import { memberOf, partOf } from './expressions.ts';

const PATH_CHARS_MAX = 160;

/** Evaluates a call: its arguments, whether it is a sink, and what it gives back. */
export function evaluateCall(run: Run, node: TreeNode): Value {
  const { call, nodes } = readCall(run, node);
  const plain = withoutContext(run, call, nodes);
  judge(run, plain.call);
  const result = resultOf(run, call, plain);
  fillTargets(run, plain);
  return result;
}

/** A call, and the nodes of its arguments. */
interface Plain {
  readonly call: Call;
  readonly nodes: readonly TreeNode[];
}

function readCall(run: Run, node: TreeNode): Plain {
  const target = calledOf(node);
  const nameNode = target?.type === 'selector_expression' ? part(target, 'field') : null;
  let name = '';
  let receiver: Value | null = null;
  let receiverPath: string | null = null;
  let callee: Value;
  if (target !== null && nameNode !== null) {
    const object = part(target, 'operand');
    receiver = run.evaluate(object);
    receiverPath = pathOf(run, object);
    name = run.textOf(nameNode);
    callee = memberOf(run, receiver, name, receiverPath, target);
  } else {
    callee = run.evaluate(target);
    name = target?.type === 'identifier' ? run.textOf(target) : '';
  }
  const nodes = part(node, 'arguments')?.children ?? [];
  const args = nodes.flatMap((child) => {
    const value = run.evaluate(child);
    return child.type === 'variadic_argument' ? (value.elements ?? [value]) : [value];
  });
  const { origin } = callee;
  const site: Site = { name, origin, receiver, receiverPath };
  return { call: { site, node, callee, args, keywords: new Map() }, nodes };
}

/** What is called, without types: `f` of `f[T](x)`. */
function calledOf(node: TreeNode): TreeNode | null {
  const target = part(node, 'function') ?? part(node, 'type');
  const inner = target?.type === 'parenthesized_expression' ? bare(target) : target;
  return inner?.type === 'index_expression' ? part(inner, 'operand') : inner;
}

/** The node of the last name of what is called or made. */
export function calleeOf(node: TreeNode): TreeNode | null {
  const target = calledOf(node);
  return part(target, 'field') ?? target;
}

const CONTEXT = /^(?:\w+\.)*_?(?:ctx|[cC]ontext|\w*Ctx)(?:\(\))?$|^context\.\w+\(/;

/**
 * The same without the context that it is given: the catalogue counts arguments without it, as
 * `Query(text)` and `QueryContext(ctx, text)` are the same to it.
 */
function withoutContext(run: Run, call: Call, nodes: readonly TreeNode[]): Plain {
  const [first] = nodes;
  if (first === undefined || nodes.length < 2) return { call, nodes };
  const isContext =
    call.args[0]?.origin?.startsWith('context.') === true || CONTEXT.test(run.textOf(first));
  if (!isContext || call.args[0]?.source?.strength === 'strong') return { call, nodes };
  return { call: { ...call, args: call.args.slice(1) }, nodes: nodes.slice(1) };
}

/** Methods whose result is the text or list they are called on, or a part of it. */
const PASSING = words(`
  String Bytes Text Get Values Query Cookie Value FormValue Clone EscapedPath Path RequestURI
  ReadString ReadBytes ReadLine ReadAll ReadByte Next Body Buffer GetBody Peek Scan Unwrap
  Open Stream Name Interface Slice Index ToString Hostname Port Hostname
`);
const NUMERIC = /^(?:Read|Len|Size|Int\w*|Uint\w*|Float\w*|Bool|Count|Unix\w*|Kind|Is[A-Z]\w*)$/;
const RESOLVING = /^(?:Clean|Abs|EvalSymlinks|Join|Rel|ResolveReference|JoinPath)$/;

function resultOf(run: Run, call: Call, { call: plain }: Plain): Value {
  const { site, callee, args, node } = call;
  const { receiver, name, origin } = site;
  if (callee.callable !== null) return follow(run, callee.callable as OwnFunction, call);
  if (receiver === null && run.classes.has(name) && args.length === 1) return args[0] ?? RESULT;
  const isRequest = name === 'Request' && args.length === 0 && isServer(site);
  if (isRequest) return at('net/http.Request');
  // Its methods take parameters.
  if (/^Prepare(?:x|Named)?(?:Context)?$/.test(name)) return { ...RESULT, role: 'plain' };
  const known = knownResult(run, plain);
  if (known !== null) return known;
  const { catalogue } = run.language;
  const sanitizer = catalogue.sanitizerAt(site);
  if (sanitizer !== null) return sanitized(run, plain, sanitizer.safeFor);
  const source = catalogue.callAt(site);
  if (source !== null && source.into === undefined && !isOutside(receiver)) {
    const isWhole = source.whole === true;
    const shape = { isWhole, mayBeObject: isWhole, safeFor: source.safeFor ?? [] };
    const value = outside('strong', textOfCall(run, node), run.lineOf(node), shape);
    if (STEPS.test(origin ?? '')) return claimed(value);
    return origin === null ? value : { ...value, origin: `${origin}()` };
  }
  const propagator = catalogue.propagatorAt(site);
  if (propagator !== null && propagator.into === undefined) return propagated(plain, propagator);
  if (receiver !== null) {
    const own = methodResult(plain, receiver);
    if (own !== null) return own;
  }
  const path = origin === null ? null : `${origin}()`;
  if (path === null || path.length > PATH_CHARS_MAX || path.startsWith('builtin.')) return RESULT;
  const isPattern = /^regexp\.(?:Must)?Compile(?:POSIX)?$/.test(origin ?? '');
  return { ...RESULT, origin: path, fallback: isPattern ? (args[0]?.constant ?? null) : null };
}

/** `c.Request()` of echo and its kin. */
function isServer({ origin, receiverPath }: Site): boolean {
  if (origin !== null) return /(?:\.Context|Ctx)\.Request$/.test(origin);
  return /^(?:c|ctx|context)$/.test(receiverPath ?? '');
}

/** Steps of a route that hold no slash: the routers match the path after it was cleaned. */
const STEPS = /^github\.com\/(?:go-chi\/chi|gorilla\/mux)\./;

function claimed(value: Value): Value {
  const { source } = value;
  return source === null ? value : { ...value, source: { ...source, claimedFor: ['path'] } };
}

function sanitized(run: Run, { args, site }: Call, safeFor: readonly Use[]): Value {
  const input = derive(args.length > 0 ? args : [site.receiver ?? UNKNOWN]);
  const value =
    safeFor.length === USES.length
      ? { ...TRUSTED }
      : input.source === null
        ? { ...UNKNOWN, safeFor }
        : madeSafe(input, safeFor);
  return run.scope.settled(value);
}

const WRITTEN_CHARS_MAX = 60;

function textOfCall(run: Run, node: TreeNode): string {
  const text = run.textOf(node).replace(/\s+/g, ' ').replace(/['"]/g, '');
  return text.slice(0, WRITTEN_CHARS_MAX);
}

/** What inputs become in a function that hands them on. */
function propagated({ site, args }: Call, { from, whole, decodes }: PropagatorLine): Value {
  const inputs =
    from === undefined
      ? args
      : from.flatMap((index) => (index < 0 ? (site.receiver ?? []) : (args[index] ?? [])));
  const flat = inputs.map((value) => (value.elements === null ? value : listed(value.elements)));
  const value = derive(flat);
  const origin = site.origin === null ? null : `${site.origin}()`;
  const { source } = value;
  if (source === null) return { ...value, origin };
  const isResolved = RESOLVING.test(site.name);
  const isUrl = /^Parse(?:RequestURI)?$/.test(site.name) || (source.isUrl && isResolved);
  // `filepath.Clean("/" + name)` has no step up that leads anywhere.
  const [first] = args;
  const start = first?.pieces?.[0];
  const isRooted = site.name === 'Clean' && typeof start === 'string' && start.startsWith('/');
  const isWhole = whole === true;
  const safeFor = decodes === true ? [] : source.safeFor;
  const shaped: Source = { ...source, isUrl, isResolved, isWhole, safeFor };
  const result = { ...value, source: shaped, origin: isUrl ? 'net/url.URL' : origin };
  return isRooted ? madeSafe(result, ['path']) : result;
}

const MAKES_ERROR =
  /^(?:New(?:f|HTTPError|Error)?|Errorf|Error|Wrapf?|WithStack|WithMessagef?|Join)$/;

/** Functions that need more than a line of the catalogue; null: another one. */
function knownResult(run: Run, { site, args, node }: Call): Value | null {
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const { origin, name } = site;
  if (origin === null) return null;
  const isErrors = /(?:^|\/)(?:errors|xerrors|status)\.\w+$/.test(origin);
  if (isErrors && MAKES_ERROR.test(name)) return constant('error');
  switch (origin) {
    case 'fmt.Errorf':
    case 'github.com/labstack/echo.NewHTTPError':
    case 'github.com/gofiber/fiber.NewError':
      return constant('error');
    case 'fmt.Sprintf':
      return formatted(run, first, args.slice(1), node);
    case 'fmt.Sprint':
    case 'fmt.Sprintln':
      return build(args, run.linesOf(node));
    case 'strings.Join':
      return joinTexts(run, second, first, node);
    case 'strings.ReplaceAll':
    case 'strings.Replace':
      return replaced(first, second, args[2]);
    case 'strings.Split':
    case 'strings.SplitN':
      return derive([first]);
    case 'strings.TrimPrefix':
    case 'strings.TrimSuffix':
    case 'strings.TrimLeft':
      return { ...first, constant: null };
    case 'builtin.string':
    case 'builtin.byte':
    case 'builtin.rune':
    case 'net/url.URL':
      return first;
    case 'builtin.new':
      return typeValue(run, part(node, 'arguments')?.children[0] ?? null) ?? UNKNOWN;
    case 'builtin.append':
      return appended(args);
    default:
      return /^builtin\.(?:len|cap|u?int\d*|float\d+|bool)$/.test(origin) ? TRUSTED : null;
  }
}

function appended([list, ...added]: readonly Value[]): Value {
  if (list === undefined) return UNKNOWN;
  if (list.elements === null && list.source === null && list.constant !== 'nil') {
    const { source } = listValue(added);
    return source === null ? list : { ...UNKNOWN, source };
  }
  return listValue([...(list.elements ?? (list.source === null ? [] : [list])), ...added]);
}

const VERB = /%[-+# 0]*(?:\[\d+\])?(?:\d+|\*)?(?:\.\d+)?([a-zA-Z%])/;

/** `fmt.Sprintf`: values stand where the verbs are; `%d` and `%x` take no text as it is. */
function formatted(run: Run, format: Value, values: readonly Value[], node: TreeNode): Value {
  const text = format.constant;
  if (text === null) return build([format, ...values], run.linesOf(node));
  const pieces: Value[] = [];
  let rest = text;
  let index = 0;
  for (let match = VERB.exec(rest); match !== null; match = VERB.exec(rest)) {
    const [whole, verb = ''] = match;
    pieces.push(constant(rest.slice(0, match.index)));
    rest = rest.slice(match.index + whole.length);
    if (verb === '%') pieces.push(constant('%'));
    else {
      const value = values[index] ?? UNKNOWN;
      pieces.push(/[svqw]/.test(verb) ? flat(value) : TRUSTED);
      index += 1;
    }
  }
  return build([...pieces, constant(rest)], run.linesOf(node));
}

function flat(value: Value): Value {
  return value.elements === null ? value : listed(value.elements);
}

/** A text without separators, or without two dots, names no other directory. */
function replaced(text: Value, what: Value, by?: Value): Value {
  const passed = derive([text]);
  const isCut = /^(?:\/|\\\\|\.\.)$/.test(what.constant ?? '') && !/[/.]/.test(by?.constant ?? '/');
  return isCut && what.constant === '/' ? madeSafe(passed, ['path']) : passed;
}

/** What a method of data gives back; null: of something else. */
function methodResult({ site, args }: Call, receiver: Value): Value | null {
  const { name, origin } = site;
  const { source } = receiver;
  const isText = receiver.pieces !== null || receiver.constant !== null;
  if (isText && /^(?:String|Bytes)$/.test(name)) return receiver;
  if (source === null) {
    if (receiver.role === 'plain') return RESULT;
    const isOwn = receiver.isTrusted && receiver.origin === null && receiver.properties === null;
    return isOwn && args.every((arg) => arg.source === null) ? TRUSTED : null;
  }
  if (NUMERIC.test(name)) return TRUSTED;
  if (/^(?:Hostname|FileName)$/.test(name)) return partOf(source, name);
  if (!PASSING.has(name))
    return origin === null ? null : { ...UNKNOWN, source, origin: `${origin}()` };
  if (name === 'Port') return TRUSTED;
  const key = args[0]?.constant;
  const isRead = /^(?:Get|Values|Value|FormValue|Cookie)$/.test(name) && key != null;
  if (isRead) return { ...UNKNOWN, source: subSource(source, key) };
  if (/^(?:String|Path|EscapedPath)$/.test(name)) return { ...UNKNOWN, source };
  return {
    ...UNKNOWN,
    source: { ...source, isUrl: false },
    origin: origin === null ? null : `${origin}()`,
  };
}

/** What a call writes: a decoder into its target, a builder into itself. */
function fillTargets(run: Run, { call, nodes }: Plain): void {
  const { site, args } = call;
  const { catalogue } = run.language;
  if (call.callee.callable !== null) {
    return;
  }
  const { source: read } = site.receiver ?? UNKNOWN;
  if (site.name === 'Read' && read !== null) {
    fill(run, nodes[0] ?? null, null, { ...UNKNOWN, source: read });
    return;
  }
  if (/^Write(?:String|Byte|Rune)?$/.test(site.name) && site.receiverPath !== null) {
    appendText(run, site.receiverPath, site.receiver ?? UNKNOWN, args, call.node);
    return;
  }
  if (/^fmt\.Fprint(?:f|ln)?$/.test(site.origin ?? '')) {
    const path = pathOf(run, nodes[0] ?? null);
    const text =
      site.name === 'Fprintf'
        ? [formatted(run, args[1] ?? UNKNOWN, args.slice(2), call.node)]
        : args.slice(1);
    if (path !== null) appendText(run, path, args[0] ?? UNKNOWN, text, call.node);
    return;
  }
  const source = catalogue.callAt(site);
  if (source?.into !== undefined) {
    const target = nodes[source.into] ?? null;
    const written = textOfCall(run, call.node);
    const shape = { isWhole: source.whole === true };
    const value = outside('strong', written, run.lineOf(call.node), shape);
    fill(run, target, pathOf(run, target) ?? written, value);
    return;
  }
  const line = catalogue.propagatorAt(site);
  if (line?.into === undefined) return;
  const inputs = (line.from ?? []).map((index) => (index < 0 ? site.receiver : args[index]));
  const input = derive(inputs.flatMap((value) => value ?? []));
  if (input.source === null) return;
  const target = line.into < 0 ? part(calledOf(call.node), 'operand') : (nodes[line.into] ?? null);
  const { source: data } = input;
  const isWhole = line.whole === true;
  const safeFor = line.decodes === true ? [] : data.safeFor;
  fill(run, target, null, {
    ...input,
    source: { ...data, isWhole, mayBeObject: isWhole, safeFor },
  });
}

/** Puts data into a variable; of a struct in view, into those of its fields that hold text. */
function fill(run: Run, node: TreeNode | null, name: string | null, value: Value): void {
  const path = pathOf(run, node);
  const { source } = value;
  if (path === null || source === null) return;
  const made = run.scope.get(path)?.made ?? null;
  const owner = made === null ? undefined : run.classes.get(made);
  const own = name === null ? source : { ...source, text: name };
  const isStruct = owner !== undefined && owner.fields.size > 0;
  run.scope.set(path, isStruct ? filled(run, owner, own) : { ...UNKNOWN, source: own });
}

/** What text is put into, if nothing says that it is something else. */
const BUILDER = /^(?:strings\.Builder|bytes\.(?:Buffer|NewBuffer\w*\(\)))$/;

function appendText(
  run: Run,
  path: string,
  before: Value,
  added: readonly Value[],
  node: TreeNode,
): void {
  const isText = before.pieces !== null || before.constant !== null;
  if (!isText && !BUILDER.test(before.origin ?? '')) return;
  const start = isText ? before : constant('');
  run.scope.set(path, build([start, ...added.map(flat)], run.linesOf(node)));
}
