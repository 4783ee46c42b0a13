import { words } from '../../../rules/catalogue/line.ts';
import {
  build,
  constant,
  derive,
  madeSafe,
  RESULT,
  type Source,
  TRUSTED,
  UNKNOWN,
  type Value,
} from '../taint/value.ts';
import { follow } from '../tree/follow.ts';
import { judge, type Site } from '../tree/lines.ts';
import type { Call, OwnFunction, Run } from '../tree/run.ts';
import { elementOf, joinTexts, listed, listValue, subSource } from '../tree/scope.ts';
import type { TreeNode } from '../tree/tree.ts';
import { gotFrom, partOf } from './expressions.ts';

/** Methods whose result is the text they are called on, and no more. */
const SAME = words('toString trim strip intern toLowerCase toUpperCase stripIndent stripLeading');

/** Methods of data that give no text of it. */
const NUMERIC =
  /^(?:is[A-Z]\w*|has[A-Z]\w*|can[A-Z]\w*|equals\w*|contains\w*|startsWith|endsWith|matches|compareTo\w*|\w*[iI]ndexOf|count|size|length|hashCode|isEmpty|exists|intValue|longValue|next(?:Int|Long|Double|Boolean)|get(?:Int|Long|Boolean|Double|Port|Size|ContentLength|Class)\w*|as(?:Int|Long|Boolean|Double)|\w*Match)$/;

export const BUILDER = /^java\.lang\.String(?:Builder|Buffer)\(\)$/;

export const FILE = /^java\.(?:io\.File|nio\.file\.(?:Path|Paths|Files))\b/;

/** Functions after which a path has no steps up any more. */
export const RESOLVING = /^(?:normalize|toRealPath|getCanonical(?:Path|File)|realpath|cleanPath)$/;

export const PATH_CHARS_MAX = 160;

const VERB = /%(?:\d+\$)?[-#+ 0,(]*\d*(?:\.\d+)?(?:[tT]?([a-zA-Z%]))/;

/** `String.format`: values stand where the verbs are; `%d` takes no text. */
export function formatted(run: Run, all: readonly Value[], node: TreeNode): Value {
  const [first = UNKNOWN, ...rest] = all;
  // A locale may stand before the format.
  const isFirst = first.constant !== null || first.pieces !== null || rest.length === 0;
  const [format = UNKNOWN, ...values] = isFirst ? all : rest;
  const text = format.constant;
  if (text === null) return build([format, ...values], run.linesOf(node));
  const pieces: Value[] = [];
  let left = text;
  let index = 0;
  for (let match = VERB.exec(left); match !== null; match = VERB.exec(left)) {
    const [whole, verb = ''] = match;
    pieces.push(constant(left.slice(0, match.index)));
    left = left.slice(match.index + whole.length);
    if (verb === '%' || verb === 'n') pieces.push(constant(verb === '%' ? '%' : '\n'));
    else {
      const place = /^%(\d+)\$/.exec(whole)?.[1];
      const value = values[place === undefined ? index : Number(place) - 1] ?? UNKNOWN;
      const flat = value.elements === null ? value : listed(value.elements);
      pieces.push(/[sSc]/.test(verb) ? flat : TRUSTED);
      index += 1;
    }
  }
  return build([...pieces, constant(left)], run.linesOf(node));
}

/** What any call gives back: of a function that is handed on. */
type ResultOf = (run: Run, call: Call) => Value;

/** What a method of a text, a list or data gives back; null: of something else. */
export function methodResult(
  run: Run,
  call: Call,
  receiver: Value,
  resultOf: ResultOf,
): Value | null {
  const { site, args, node } = call;
  const { name, origin } = site;
  const [first = UNKNOWN] = args;
  const { source } = receiver;
  const isBuilder = BUILDER.test(receiver.origin ?? '');
  if (isBuilder && /^(?:append|insert|replace|repeat)$/.test(name)) {
    const added = args.slice(name === 'append' ? 0 : 1);
    return { ...build([receiver, ...added], run.linesOf(node)), origin: receiver.origin };
  }
  if (isBuilder && !NUMERIC.test(name)) {
    return SAME.has(name) ? { ...receiver, origin: null } : receiver;
  }
  if (name === 'concat' && origin === null) return build([receiver, ...args], run.linesOf(node));
  if (/^resolve(?:Sibling)?$/.test(name) && origin === null) {
    return { ...derive([receiver, ...args]), origin: 'java.nio.file.Path()' };
  }
  if (/^format(?:ted)?$/.test(name) && receiver.constant !== null) {
    return formatted(run, [receiver, ...args], node);
  }
  const through = throughFunction(run, call, receiver, resultOf);
  if (through !== null) return through;
  if (receiver.elements !== null) {
    if (/^(?:get|getFirst|getLast|pop|poll|remove|next|orElse\w*)$/.test(name)) {
      const found = first.constant === null ? undefined : receiver.elements[Number(first.constant)];
      return found ?? elementOf(receiver);
    }
    if (name === 'getOrDefault') return listed([elementOf(receiver), ...args.slice(1)]);
    if (name === 'collect' && /joining\(\)$/.test(first.origin ?? '')) {
      return joinTexts(
        run,
        first.fallback === null ? UNKNOWN : constant(first.fallback),
        receiver,
        node,
      );
    }
    return NUMERIC.test(name) ? TRUSTED : receiver;
  }
  if (receiver.properties !== null) {
    const field = receiver.properties.get(fieldOf(name)) ?? receiver.properties.get(name);
    if (field !== undefined) return field;
  }
  if (source === null) {
    if (receiver.isTrusted && name === 'collect') return TRUSTED;
    if (receiver.pieces !== null && SAME.has(name)) return { ...receiver, constant: null };
    if (receiver.role === 'plain') return { ...RESULT, role: 'plain' };
    return receiver.constant !== null && args.every(({ isTrusted }) => isTrusted) ? TRUSTED : null;
  }
  return partResult(call, source);
}

/** A method of data from outside. */
function partResult({ site, args }: Call, source: Source): Value | null {
  const { name, origin, receiver } = site;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  if (NUMERIC.test(name)) return TRUSTED;
  if (/^replace(?:All|First)?$/.test(name)) return replaced(source, first, second, name);
  const isFile = FILE.test(receiver?.origin ?? '');
  // The last part of a path.
  if (isFile && /^get(?:Name|FileName)$/.test(name)) {
    return madeSafe({ ...UNKNOWN, source }, ['path']);
  }
  const path = origin === null ? null : `${origin}()`;
  if (source.isUrl && /^(?:getHost|getAuthority|host)$/.test(name)) return partOf(source, 'host');
  const isGetter = args.length === 0 && /^get[A-Z]/.test(name) && !isFile;
  if (isGetter && !/^get(?:Bytes|Value|Body|InputStream|Reader|Path|OrNull)$/.test(name)) {
    return { ...gotFrom(source, fieldOf(name)), origin: path };
  }
  const isKeyed =
    first.constant !== null && /^(?:get\w*|path|at|remove|opt\w*|first|param)$/.test(name);
  if (isKeyed) return { ...UNKNOWN, source: subSource(source, first.constant ?? '') };
  const isResolved = RESOLVING.test(name) || (source.isResolved && isFile);
  const isKept = /^(?:orElse\w*|get|toString|trim|strip|value|block|join)$/.test(name);
  const others = /^orElse$/.test(name) ? args : [];
  const kept = { ...UNKNOWN, source: { ...source, isResolved, isUrl: source.isUrl && isKept } };
  const all = others.length === 0 ? kept : listed([kept, ...others]);
  const isText = name === 'toString' || /^java\.lang\./.test(path ?? '');
  return { ...all, origin: isText || path === null || path.length > PATH_CHARS_MAX ? null : path };
}

/** `getFileName` gives the field `fileName`. */
function fieldOf(name: string): string {
  const bareName = name.replace(/^(?:get|is)(?=[A-Z])/, '');
  return bareName === name ? name : bareName.charAt(0).toLowerCase() + bareName.slice(1);
}

/** A text without separators, or of nothing but some characters. */
function replaced(source: Source, what: Value, by: Value, name: string): Value {
  const passed = { ...UNKNOWN, source };
  const pattern = what.constant ?? '';
  const isClass = /^\[\^[\w\-\\]*\][+*]?$/.test(pattern) && !/\\[SDW]/.test(pattern);
  if (name !== 'replace' && isClass && /^[\w-]?$/.test(by.constant ?? '/')) return TRUSTED;
  const isCut =
    /^(?:\/|\[\\\\?\/\]|\[\/\\\\+\])[+]?$/.test(pattern) && !/[/.]/.test(by.constant ?? '/');
  return isCut ? madeSafe(passed, ['path']) : passed;
}

/** Functions that get what another function is called on, or an element of it. */
const MAPS = /^(?:map\w*|flatMap\w*|thenApply\w*|thenCompose\w*|handle|transform\w*|onItem|chain)$/;
const KEEPS = /^(?:filter|takeWhile|dropWhile|removeIf)$/;

/** A lambda or method given to a method of data: it gets the data. Null when it gives nothing. */
function throughFunction(run: Run, call: Call, receiver: Value, resultOf: ResultOf): Value | null {
  const { args, site } = call;
  const given = args.filter(({ callable, origin }) => callable !== null || isReference(origin));
  const isData = receiver.source !== null || receiver.elements !== null;
  const [fn] = given;
  if (fn === undefined || !isData || receiver.properties !== null) return null;
  const element = receiver.elements === null ? receiver : elementOf(receiver);
  if (KEEPS.test(site.name)) return filteredBy(run, fn, element, receiver, call, resultOf);
  const result = callWith(run, fn, element, call, resultOf);
  if (!MAPS.test(site.name)) return receiver.elements === null ? { ...receiver } : receiver;
  return receiver.elements === null ? result : listValue([result]);
}

function isReference(origin: string | null): boolean {
  return origin !== null && !origin.endsWith(')') && /\.[A-Z]\w*(?:\.[a-z]\w*)?$/.test(origin);
}

/** What a function gives for a value. */
function callWith(run: Run, fn: Value, value: Value, { node }: Call, resultOf: ResultOf): Value {
  const { origin } = fn;
  const name = origin?.slice(origin.lastIndexOf('.') + 1) ?? '';
  const site: Site = { name, origin, receiver: null, receiverPath: null };
  const call: Call = { site, node, callee: fn, args: [value], keywords: new Map() };
  if (fn.callable !== null) return follow(run, fn.callable as OwnFunction, call);
  judge(run, call);
  const result = resultOf(run, call);
  // `String::trim`: a method of the value itself.
  return result.isResult
    ? (methodResult(run, { ...call, args: [] }, value, resultOf) ?? result)
    : result;
}

/** The elements for which a function gave true. */
function filteredBy(
  run: Run,
  fn: Value,
  element: Value,
  list: Value,
  call: Call,
  resultOf: ResultOf,
): Value {
  const { callable } = fn;
  if (callable === null) return list;
  callWith(run, fn, element, call, resultOf);
  const known = run.proven.get(call.node);
  let kept = element;
  run.branch(run.scope, () => {
    run.scope.guard(known?.whenTrue ?? []);
    kept = run.scope.settled(element);
  });
  return list.elements === null ? kept : listValue([kept]);
}
