import { type PropagatorLine, USES, words } from '../../../rules/catalogue/line.ts';
import {
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
import {
  addTo,
  elementOf,
  factsOn,
  holdsOutside,
  isOutside,
  joinTexts,
  listed,
  subSource,
} from '../tree/scope.ts';
import { part, type TreeNode } from '../tree/tree.ts';
import { claims, small } from './conditions.ts';
import { evaluate, formatCall, memberOf } from './expressions.ts';
import { instanceOf, pathOf } from './parameters.ts';

const PATH_CHARS_MAX = 160;

/** Evaluates a call: its arguments, whether it is a sink, and what it gives back. */
export function evaluateCall(run: Run, node: TreeNode): Value {
  const call = readCall(run, node);
  judge(run, call);
  const result = resultOf(run, call);
  throughCallbacks(run, call);
  return result;
}

function readCall(run: Run, node: TreeNode): Call {
  const target = part(node, 'function');
  let name = '';
  let receiver: Value | null = null;
  let receiverPath: string | null = null;
  let callee: Value;
  const nameNode = target?.type === 'attribute' ? part(target, 'attribute') : null;
  if (target !== null && nameNode !== null) {
    const object = part(target, 'object');
    receiver = evaluate(run, object);
    receiverPath = pathOf(run, object);
    name = run.textOf(nameNode);
    const assigned = receiverPath === null ? undefined : run.scope.get(`${receiverPath}.${name}`);
    callee = assigned ?? memberOf(run, receiver, name, receiverPath, target);
  } else {
    callee = evaluate(run, target);
    name = target?.type === 'identifier' ? run.textOf(target) : '';
  }
  const { origin } = callee;
  if (origin !== null) name = origin.slice(origin.lastIndexOf('.') + 1).replaceAll('()', '');
  const { args, keywords } = argumentsOf(run, part(node, 'arguments'));
  return { site: { name, origin, receiver, receiverPath }, node, callee, args, keywords };
}

function argumentsOf(run: Run, list: TreeNode | null) {
  const args: Value[] = [];
  const keywords = new Map<string, Value>();
  const children = list?.type === 'generator_expression' ? [list] : (list?.children ?? []);
  for (const child of children) {
    if (child.type === 'keyword_argument') {
      const name = part(child, 'name');
      const value = evaluate(run, part(child, 'value'));
      if (name !== null) keywords.set(run.textOf(name), value);
      continue;
    }
    const value = evaluate(run, child);
    if (child.type === 'list_splat') args.push(...(value.elements ?? [value]));
    else if (child.type !== 'dictionary_splat') args.push(value);
    else for (const [key, one] of value.properties ?? []) keywords.set(key, one);
  }
  return { args, keywords };
}

/** Methods whose result is the text, list or table they are called on, or a part of it. */
const PASSING = words(`
  strip lstrip rstrip lower upper title capitalize casefold swapcase encode decode replace split
  rsplit splitlines partition rpartition items values keys copy read readline readlines zfill
  ljust rjust center expandtabs removeprefix removesuffix translate dict model_dump to_dict
  to_python tobytes chunks stream getvalue data text json as_posix get_data form lists dict
  popitem __str__ __getitem__ group groups groupdict expanduser with_suffix joinpath absolute
  resolve body flat multi_items
`);
/** Methods that give what stands under a key. */
const READING = words(`
  get pop getlist getall get_all getfirst getvalue getone setdefault get_argument getunicode
  getheader get_list popleft
`);
const RESOLVING = /^(?:realpath|abspath|normpath|resolve)$/;
const ADDING = /^(?:append|add|insert|extend|update|appendleft|write|writelines)$/;

function resultOf(run: Run, call: Call): Value {
  const { site, callee, args, node } = call;
  const { receiver, name, origin } = site;
  if (callee.callable !== null) return follow(run, callee.callable as OwnFunction, call);
  if (callee.made?.startsWith('class ') === true)
    return instantiate(run, callee.made.slice(6), call);
  const known = knownResult(run, call);
  if (known !== null) return known;
  const sanitizer = run.language.catalogue.sanitizerAt(site);
  if (sanitizer !== null) {
    const input = derive(args.length > 0 ? args.slice(0, 2) : [receiver ?? UNKNOWN]);
    const { safeFor } = sanitizer;
    if (safeFor.length === USES.length) return TRUSTED;
    return input.source === null ? { ...UNKNOWN, safeFor } : madeSafe(input, safeFor);
  }
  const source = run.language.catalogue.callAt(site);
  if (source !== null && !isOutside(receiver)) {
    const written = textOfCall(run, node);
    const isWhole = source.whole === true;
    return outside('strong', written, run.lineOf(node), { isWhole, mayBeObject: isWhole });
  }
  const propagator = run.language.catalogue.propagatorAt(site);
  if (propagator !== null) return propagated(call, propagator);
  if (receiver !== null) {
    const own = methodResult(run, call, receiver);
    if (own !== null) return own;
  }
  const path = origin === null ? null : `${origin}()`;
  if (path === null || path.length > PATH_CHARS_MAX || path.startsWith('builtins.')) return RESULT;
  return {
    ...RESULT,
    origin: path,
    fallback: name === 'compile' ? (args[0]?.constant ?? null) : null,
  };
}

const WRITTEN_CHARS_MAX = 60;

function textOfCall(run: Run, node: TreeNode): string {
  const text = run.textOf(node).replace(/\s+/g, ' ').replaceAll('.get(', '[').replace(/['"]/g, '');
  return text.slice(0, WRITTEN_CHARS_MAX);
}

/** What inputs become in a function that hands them on. */
function propagated(
  { site, args, keywords }: Call,
  { from, whole, decodes }: PropagatorLine,
): Value {
  const all = [...args, ...keywords.values()];
  const inputs =
    from === undefined
      ? all
      : from.flatMap((index) => (index < 0 ? (site.receiver ?? []) : (args[index] ?? [])));
  const picked = inputs.length === 0 && from !== undefined ? [...keywords.values()] : inputs;
  const flat = picked.map((value) => (value.elements === null ? value : listed(value.elements)));
  const value = derive(flat);
  const origin = site.origin === null ? null : `${site.origin}()`;
  const { source } = value;
  if (source === null) return { ...value, origin };
  const isUrl = /^url(?:parse|split)$/.test(site.name);
  const safeFor = decodes === true ? [] : source.safeFor;
  const isWhole = whole === true;
  const isResolved = RESOLVING.test(site.name);
  const shaped: Source = { ...source, isUrl, isResolved, isWhole, safeFor };
  return { ...value, source: shaped, origin };
}

/** Functions of the language that need more than a line of the catalogue; null: another one. */
function knownResult(run: Run, { site, args, node }: Call): Value | null {
  const [first, second] = args;
  switch (site.origin) {
    case 'builtins.__import__':
    case 'importlib.import_module':
      return first?.constant == null ? RESULT : at(first.constant);
    case 'builtins.getattr':
      return first === undefined || second?.constant == null
        ? RESULT
        : memberOf(run, first, second.constant, null, node);
    case 'builtins.next':
    case 'builtins.min':
    case 'builtins.max':
      return first === undefined ? RESULT : elementOf(first);
    case 'builtins.map':
    case 'builtins.filter':
      return second === undefined
        ? RESULT
        : { ...UNKNOWN, source: second.source, elements: second.elements };
    case 'builtins.enumerate':
      return first === undefined ? RESULT : listOf(listOfTwo(TRUSTED, elementOf(first)));
    case 'builtins.zip':
      return listOf({ ...UNKNOWN, elements: args.map(elementOf), source: listed(args).source });
    case 're.sub':
    case 're.subn':
      return substituted(first, second, args[2]);
    case 'shlex.split':
      // The program of a command that begins with known text is known.
      return first === undefined || typeof first.pieces?.[0] === 'string'
        ? RESULT
        : derive([first]);
    case 'functools.partial':
      return first ?? RESULT;
    default:
      return null;
  }
}

function listOf(element: Value): Value {
  return { ...UNKNOWN, elements: [element], source: element.source };
}

function listOfTwo(first: Value, second: Value): Value {
  return { ...UNKNOWN, elements: [first, second], source: second.source };
}

/** `re.sub('[^a-z0-9_-]', '', name)` leaves nothing but what the class names. */
function substituted(pattern?: Value, by?: Value, text?: Value): Value {
  if (text === undefined) return RESULT;
  const isKept = /^\[\^[^/;&|<>"'`\\\]]*(?:\\[wd-][^/;&|<>"'`\\\]]*)*\][+*]?$/.test(
    pattern?.constant ?? '',
  );
  if (!isKept || by?.constant == null || !/^[\w-]?$/.test(by.constant)) return derive([text]);
  return /\.(?=[^\]]*\])/.test(pattern?.constant ?? '')
    ? madeSafe(
        derive([text]),
        USES.filter((use) => use !== 'url'),
      )
    : TRUSTED;
}

/** What a method of data, a text, a list or a table gives back; null: of neither. */
function methodResult(run: Run, call: Call, receiver: Value): Value | null {
  const { site, args, keywords, node } = call;
  const { name, receiverPath, origin } = site;
  const [first] = args;
  if (name === 'format' && receiver.constant !== null) {
    return formatCall(run, receiver.constant, args, keywords, node);
  }
  if (name === 'join' && first !== undefined && receiver.source === null) {
    return joinTexts(run, receiver, first, node);
  }
  if (ADDING.test(name) && receiverPath !== null && args.length > 0) {
    for (const value of args) {
      const isList = name === 'extend' || name === 'update';
      addTo(run, receiverPath, run.scope.settled(isList ? elementOf(value) : value));
    }
    return TRUSTED;
  }
  if (receiver.properties !== null && /^(?:get|pop|setdefault)$/.test(name)) {
    const found = receiver.properties.get(first?.constant ?? '*');
    if (found !== undefined) return found;
    if (first?.constant == null)
      return listed([...receiver.properties.values(), args[1] ?? TRUSTED]);
  }
  if (receiver.elements !== null) {
    if (PASSING.has(name)) return receiver;
    if (/^pop(?:left)?$/.test(name)) return listed(receiver.elements);
  }
  if (/^(?:joinpath|with_name)$/.test(name)) {
    return { ...derive([receiver, ...args]), origin: 'pathlib.Path()' };
  }
  const { source } = receiver;
  if (source === null)
    return receiver.pieces !== null && PASSING.has(name) ? derive([receiver]) : null;
  if (READING.has(name)) {
    const type = keywords.get('type') ?? keywords.get('cast');
    if (type !== undefined && /^builtins\.(?:int|float|bool)$/.test(type.origin ?? ''))
      return TRUSTED;
    const key = first?.constant;
    return { ...UNKNOWN, source: key == null ? source : subSource(source, key) };
  }
  if (name === 'replace') return replaced(receiver, first, args[1]);
  if (PASSING.has(name)) {
    const isResolved = source.isResolved || RESOLVING.test(name);
    const isPath = origin?.startsWith('pathlib.') === true;
    const passed = { ...UNKNOWN, source: { ...source, isResolved } };
    return isPath ? { ...passed, origin: 'pathlib.Path()' } : passed;
  }
  if (name === 'format') return derive([receiver, ...args]);
  return /^(?:is[a-z]+|count|find|index|startswith|endswith)$/.test(name) ? TRUSTED : null;
}

/** A text without separators names no other directory. */
function replaced(receiver: Value, what?: Value, by?: Value): Value {
  const { source } = receiver;
  const passed = { ...UNKNOWN, source };
  const isKept = by?.constant?.includes('/') !== false;
  return what?.constant === '/' && !isKept ? madeSafe(passed, ['path']) : passed;
}

const CONVERTERS =
  /^(?:builtins\.(?:int|float)|uuid\.UUID|decimal\.Decimal|ipaddress\.\w+|datetime\.(?:date|datetime)\.\w+)$/;

/** A call that stands alone: what it raises an error for does not come to what follows. */
export function afterCall(run: Run, node: TreeNode): void {
  const target = part(node, 'function');
  const name = target?.type === 'attribute' ? part(target, 'attribute') : target;
  const text = name === null ? '' : run.textOf(name);
  const args = (part(node, 'arguments')?.children ?? []).map((child) => {
    return small(run, child.type === 'keyword_argument' ? part(child, 'value') : child);
  });
  if (CONVERTERS.test(small(run, target).origin ?? ''))
    run.scope.guard(args.flatMap((arg) => factsOn(arg)));
  else if (text === 'relative_to') {
    const receiver = target === null ? UNKNOWN : small(run, part(target, 'object'));
    run.scope.guard(factsOn(receiver, ['path']));
  } else if (claims(text)) run.scope.guard(args.flatMap((arg) => factsOn(arg, USES, true)));
}

/** Functions given to a call, with what they are called with by it: `submit(work, name)`. */
function throughCallbacks(run: Run, { callee, args, keywords, node, site }: Call): void {
  if (callee.callable !== null) return;
  const given = keywords.get('args')?.elements ?? [];
  const targets: [Value, readonly Value[]][] = args.map((value, index) => [
    value,
    args.slice(index + 1),
  ]);
  const target = keywords.get('target') ?? keywords.get('func') ?? keywords.get('fn');
  if (target !== undefined) targets.push([target, given]);
  const isEach =
    site.origin === 'builtins.map' ||
    site.origin === 'builtins.filter' ||
    /^(?:map|starmap|imap)$/.test(site.name);
  for (const [value, rest] of targets) {
    const own = isEach ? rest.map(elementOf) : rest;
    if (!own.some(holdsOutside)) continue;
    const inner = { node, callee: value, args: own, keywords, site: siteOf(value) };
    if (value.callable !== null) follow(run, value.callable as OwnFunction, inner);
    // What a function gave back is not called.
    else if (value.origin?.endsWith(')') === false) judge(run, inner);
  }
}

function siteOf({ origin }: Value): Site {
  const name = origin?.slice(origin.lastIndexOf('.') + 1) ?? '';
  return { name, origin, receiver: null, receiverPath: null };
}

/** Makes an object of a class of the text. */
function instantiate(run: Run, name: string, call: Call): Value {
  const owner = run.classes.get(name);
  const init = owner?.methods.get('__init__');
  if (owner === undefined) return RESULT;
  const { args, keywords } = call;
  if (init !== undefined) {
    follow(
      run,
      { node: init, scope: owner.scope, name: '__init__', home: run, pollutes: false },
      call,
    );
    return instanceOf(owner);
  }
  if (owner.fields.size === 0) return instanceOf(owner);
  const properties = new Map<string, Value>();
  for (const [index, field] of [...owner.fields.keys()].entries()) {
    properties.set(field, args[index] ?? keywords.get(field) ?? UNKNOWN);
  }
  return { ...instanceOf(owner), properties };
}
