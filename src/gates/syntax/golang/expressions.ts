import { words } from '../../../rules/catalogue/line.ts';
import {
  build,
  constant,
  derive,
  madeSafe,
  outside,
  type Source,
  TRUSTED,
  UNKNOWN,
  type Value,
} from '../taint/value.ts';
import { evaluateAlone } from '../tree/follow.ts';
import { judge } from '../tree/lines.ts';
import { at, type OwnFunction, type Run } from '../tree/run.ts';
import {
  clipped,
  elementOf,
  functionValue,
  isOutside,
  listed,
  listValue,
  MEMBERS_MAX,
  subSource,
} from '../tree/scope.ts';
import { part, type TreeNode } from '../tree/tree.ts';
import { packageNamed, pathOf, typeValue } from './declarations.ts';

/** What is known of an expression. Looks at all calls within. */
export function evaluate(run: Run, node: TreeNode | null): Value {
  if (node === null) return UNKNOWN;
  if (run.following > 0) run.steps += 1;
  switch (node.type) {
    case 'identifier':
      return nameValue(run, node);
    case 'interpreted_string_literal':
    case 'raw_string_literal':
      return constant(run.textOf(node).slice(1, -1));
    case 'int_literal':
    case 'float_literal':
    case 'imaginary_literal':
    case 'true':
    case 'false':
    case 'nil':
      return constant(run.textOf(node));
    case 'rune_literal':
      return constant(run.textOf(node).slice(1, -1));
    case 'iota':
      return TRUSTED;
    case 'selector_expression':
      return run.memberAt(node, part(node, 'operand'), part(node, 'field'));
    case 'index_expression':
      return indexValue(run, node);
    case 'slice_expression':
      return sliceValue(run, node);
    case 'call_expression':
      return run.evaluateCall(node);
    case 'composite_literal':
      return compositeValue(run, node);
    case 'literal_value':
      return literalValue(run, node);
    case 'func_literal':
      return literalFunction(run, node);
    case 'binary_expression':
      return binaryValue(run, node);
    case 'unary_expression':
      return unaryValue(run, node);
    case 'type_conversion_expression':
      return converted(run, part(node, 'type'), evaluate(run, part(node, 'operand')));
    case 'type_assertion_expression':
      return converted(run, part(node, 'type'), evaluate(run, part(node, 'operand')));
    case 'expression_list':
      if (node.children.length > 1)
        return listValue(node.children.map((one) => evaluate(run, one)));
      return evaluate(run, node.children[0] ?? null);
    case 'parenthesized_expression':
    case 'literal_element':
    case 'variadic_argument':
      return evaluate(run, node.children[0] ?? null);
    default:
      for (const child of node.children) evaluate(run, child);
      return UNKNOWN;
  }
}

const BUILTINS = words(`
  append cap clear close complex copy delete len make max min new panic print println recover
  string byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 bool
`);
/** Errors that packages keep ready, out of sight. */
const ERROR_NAME = /^[eE]rr[A-Z]/;

function nameValue(run: Run, node: TreeNode): Value {
  const name = run.textOf(node);
  const known = run.scope.get(name);
  if (known !== undefined) return known;
  if (BUILTINS.has(name)) return at(`builtin.${name}`);
  if (ERROR_NAME.test(name)) return constant('error');
  const path = packageNamed(run, name);
  if (path !== null) return at(path);
  return run.stars.length === 1 ? at(`${run.stars[0]}.${name}`) : UNKNOWN;
}

/** A member, by what is known of its type, by a line of the catalogue, or as a part of data. */
export function memberOf(
  run: Run,
  base: Value,
  name: string,
  receiverPath: string | null,
  node: TreeNode,
): Value {
  const owner = base.made === null ? undefined : run.classes.get(base.made);
  const method = owner?.methods.get(name);
  if (owner !== undefined && method !== undefined) {
    return functionValue(run, method, name, owner.scope);
  }
  const known = base.properties?.get(name) ?? owner?.attributes.get(name);
  if (known !== undefined) return known;
  const origin = base.origin === null ? null : `${base.origin}.${name}`;
  // What a type of the program's has is not what its name may suggest.
  const { readAt } = run.language.catalogue;
  const line = base.made === null ? readAt({ name, origin, receiver: base, receiverPath }) : null;
  if (SERVED.test(origin ?? '')) return at('net/http.Request');
  if (line !== null && !isOutside(base)) {
    const isWhole = line.whole === true;
    const shape = { isWhole, mayBeObject: isWhole, safeFor: line.safeFor ?? [] };
    const value = outside('strong', clipped(run.textOf(node)), run.lineOf(node), shape);
    // The address of a request has the members of any address.
    return name === 'URL' ? withUrl(value) : { ...value, origin };
  }
  const field = owner?.fields.get(name);
  const type = field === undefined ? null : typeValue(run, part(field, 'type'));
  if (type !== null && base.source === null) return type;
  if (base.source !== null) return { ...partOf(base.source, name), origin };
  if (ERROR_NAME.test(name)) return constant('error');
  return origin === null || base.role === 'plain' ? UNKNOWN : at(origin);
}

/** The request that a context was made for. */
const SERVED = /(?:gin-gonic\/gin|server\/web)\.\w*Context\.Request$/;

function withUrl(value: Value): Value {
  const { source } = value;
  return source === null
    ? value
    : { ...value, source: { ...source, isUrl: true }, origin: 'net/url.URL' };
}

/** A part of data: a check of it tells nothing of the rest. */
export function partOf(source: Source, name: string): Value {
  const part = subSource(source, name);
  const isHost = source.isUrl && /^(?:Host|Hostname)$/.test(name);
  // https://pkg.go.dev/mime/multipart#Part.FileName: the name without directories.
  if (/^File[nN]ame$/.test(name)) return madeSafe({ ...UNKNOWN, source: part }, ['path']);
  return { ...UNKNOWN, source: isHost ? { ...part, hostOf: source.text } : part };
}

/** `strings.Split(name, "/")[len(...)-1]` and the like give a name without directories. */
function indexValue(run: Run, node: TreeNode): Value {
  const operand = part(node, 'operand');
  const base = evaluate(run, operand);
  const key = evaluate(run, part(node, 'index')).constant;
  const path = pathOf(run, operand);
  const assigned = path === null || key === null ? undefined : run.scope.get(`${path}[${key}]`);
  if (assigned !== undefined) return assigned;
  if (base.elements !== null) {
    const index = Number(key);
    return (key === null ? undefined : base.elements[index]) ?? elementOf(base);
  }
  if (base.properties !== null) {
    // An entry of a table of the program's, whatever the key is.
    if (key === null) return listed([...base.properties.values()]);
    return base.properties.get(key) ?? base.properties.get('*') ?? UNKNOWN;
  }
  const { source } = base;
  if (source === null) return base.isTrusted ? TRUSTED : UNKNOWN;
  if (key === null || /^\d+$/.test(key)) return { ...UNKNOWN, source };
  return { ...UNKNOWN, source: subSource(source, key) };
}

function sliceValue(run: Run, node: TreeNode): Value {
  const [operand, ...bounds] = node.children;
  const base = evaluate(run, operand ?? null);
  for (const bound of bounds) evaluate(run, bound);
  return base.constant === null ? base : { ...base, constant: null };
}

/** `T{Field: value}`, `[]string{a, b}`, `map[string]bool{"a": true}`; some types are sinks. */
function compositeValue(run: Run, node: TreeNode): Value {
  const type = part(node, 'type');
  const known = typeValue(run, type);
  const value = literalValue(run, part(node, 'body'), isList(type));
  const { properties } = value;
  if (known === null) return value;
  const { origin, made } = known;
  // A list of a type with methods.
  if (properties === null) return value.elements === null ? value : { ...value, origin };
  if (origin !== null) {
    const name = origin.slice(origin.lastIndexOf('.') + 1);
    const site = { name, origin, receiver: null, receiverPath: null };
    judge(run, { site, node, callee: UNKNOWN, args: [], keywords: properties });
    if (origin === 'net/url.URL') return addressOf(properties);
  }
  return { ...value, origin, made };
}

/** An address by its members: the host is what matters. */
function addressOf(properties: ReadonlyMap<string, Value>): Value {
  const host = properties.get('Host');
  if (host?.source != null || host?.pieces != null) return { ...derive([host]), pieces: null };
  return { ...TRUSTED, origin: 'net/url.URL' };
}

function isList(type: TreeNode | null): boolean {
  return type !== null && /^(?:slice|array|implicit_length_array)_type$/.test(type.type);
}

function literalValue(run: Run, body: TreeNode | null, isPlainList = false): Value {
  const elements: Value[] = [];
  const properties = new Map<string, Value>();
  for (const child of body?.children ?? []) {
    if (child.type !== 'keyed_element') {
      elements.push(evaluate(run, child));
      continue;
    }
    const key = keyOf(run, part(child, 'key'));
    const value = evaluate(run, part(child, 'value'));
    if (isPlainList) elements.push(value);
    else if (properties.size < MEMBERS_MAX) {
      const before = key === '*' ? properties.get('*') : undefined;
      properties.set(key, before === undefined ? value : listed([before, value]));
    }
  }
  const all = [...elements, ...properties.values()];
  const { source, isTrusted } = listValue(all);
  if (elements.length > 0 || isPlainList) {
    return { ...UNKNOWN, elements: elements.slice(0, MEMBERS_MAX), source, isTrusted };
  }
  return { ...UNKNOWN, properties, source, isTrusted };
}

/** The name of a field, or what a key is known to be; `*` for others. */
function keyOf(run: Run, key: TreeNode | null): string {
  const inner = key?.children[0] ?? null;
  if (inner?.type === 'identifier') return run.textOf(inner);
  return evaluate(run, key).constant ?? '*';
}

/** A function as a value; its body is looked at by itself, with what is known here. */
function literalFunction(run: Run, node: TreeNode): Value {
  const value = functionValue(run, node, 'func', run.scope);
  if (run.following === 0 && value.callable !== null) {
    evaluateAlone(run, value.callable as OwnFunction);
  }
  return value;
}

function binaryValue(run: Run, node: TreeNode): Value {
  const operator = part(node, 'operator');
  const sign = operator === null ? '' : run.textOf(operator);
  if (sign !== '+') return run.readCondition(node).value;
  const left = evaluate(run, part(node, 'left'));
  const right = evaluate(run, part(node, 'right'));
  return build([left, right], run.linesOf(node));
}

function unaryValue(run: Run, node: TreeNode): Value {
  const operator = part(node, 'operator');
  const sign = operator === null ? '' : run.textOf(operator);
  if (sign === '!') return run.readCondition(node).value;
  const value = evaluate(run, part(node, 'operand'));
  if (sign === '<-') return elementOf(value);
  return sign === '&' || sign === '*' ? value : TRUSTED;
}

/** `string(data)`, `[]byte(text)`, `value.(string)`, `Name(text)`: the same data. */
function converted(run: Run, type: TreeNode | null, value: Value): Value {
  const known = typeValue(run, type);
  if (known?.isTrusted === true) return TRUSTED;
  if (value.source !== null || value.pieces !== null || value.constant !== null) return value;
  return known ?? value;
}
