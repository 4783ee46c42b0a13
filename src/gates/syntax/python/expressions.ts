import { words } from '../../../rules/catalogue/line.ts';
import {
  build,
  constant,
  derive,
  madeSafe,
  outside,
  type Source,
  stronger,
  TRUSTED,
  UNKNOWN,
  type Value,
  worse,
} from '../taint/value.ts';
import { choose } from '../tree/conditions.ts';
import { at, type Run } from '../tree/run.ts';
import {
  clipped,
  functionValue,
  isOutside,
  listed,
  listValue,
  MEMBERS_MAX,
  named,
  subSource,
} from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';
import { bind, bindElement, parameterValue, pathOf } from './parameters.ts';

/** What is known of an expression. Looks at all calls within. */
export function evaluate(run: Run, node: TreeNode | null): Value {
  if (node === null) return UNKNOWN;
  if (run.following > 0) run.steps += 1;
  switch (node.type) {
    case 'identifier':
      return nameValue(run, node);
    case 'string':
      return stringValue(run, node);
    case 'concatenated_string':
      return build(
        node.children.map((child) => evaluate(run, child)),
        run.linesOf(node),
      );
    case 'integer':
    case 'float':
    case 'true':
    case 'false':
    case 'none':
      return constant(run.textOf(node));
    case 'attribute':
      return run.memberAt(node, part(node, 'object'), part(node, 'attribute'));
    case 'subscript':
      return subscriptValue(run, node);
    case 'call':
      return run.evaluateCall(node);
    case 'list':
    case 'tuple':
    case 'set':
    case 'expression_list':
      return elementsValue(run, node.children);
    case 'dictionary':
      return dictionaryValue(run, node);
    case 'binary_operator':
      return binaryValue(run, node);
    case 'boolean_operator':
    case 'not_operator':
    case 'comparison_operator':
      return run.readCondition(node).value;
    case 'conditional_expression': {
      const [yes = null, condition = null, no = null] = node.children;
      return choose(run, condition, yes, no);
    }
    case 'named_expression':
      return assignedValue(run, node);
    case 'list_comprehension':
    case 'set_comprehension':
    case 'generator_expression':
    case 'dictionary_comprehension':
      return comprehensionValue(run, node);
    case 'lambda':
      return lambdaValue(run, node);
    case 'unary_operator':
      for (const child of node.children) evaluate(run, child);
      return TRUSTED;
    case 'parenthesized_expression':
    case 'await':
    case 'list_splat':
    case 'dictionary_splat':
    case 'interpolation':
    case 'as_pattern':
      return evaluate(
        run,
        node.children.find((child) => child.type !== 'as_pattern_target') ?? null,
      );
    case 'yield': {
      const value = listed(node.children.map((child) => evaluate(run, child)));
      run.returns.push(value);
      return UNKNOWN;
    }
    default:
      for (const child of node.children) evaluate(run, child);
      return UNKNOWN;
  }
}

function nameValue(run: Run, node: TreeNode): Value {
  const name = run.textOf(node);
  const known = run.scope.get(name);
  if (known !== undefined) return known;
  if (BUILTINS.has(name)) return at(`builtins.${name}`);
  return run.stars.length === 1 ? at(`${run.stars[0]}.${name}`) : UNKNOWN;
}

/** Functions that every module has. */
const BUILTINS = words(`
  abs all any ascii bin bool bytearray bytes callable chr dict divmod enumerate eval exec filter
  float format frozenset getattr hash hex id input int isinstance issubclass iter len list map max
  memoryview min next oct open ord pow print range repr reversed round set slice sorted str sum
  tuple type vars zip __import__ compile unicode raw_input file
`);

/** Text of a literal: f-strings are put together, escapes stay as they are written. */
function stringValue(run: Run, node: TreeNode): Value {
  const content = node.children.filter(({ type }) =>
    /^(?:string_content|interpolation)$/.test(type),
  );
  const pieces = content.map((child) => {
    if (child.type === 'string_content') return constant(run.textOf(child));
    const value = evaluate(run, part(child, 'expression') ?? child.children[0] ?? null);
    const format = run.textOf(child);
    // `{x:d}` takes numbers alone.
    return /:[^'"}]*[dxXobeEfFgGn%]\}$/.test(format) && !/![rsa]/.test(format) ? TRUSTED : value;
  });
  return pieces.length === 0 ? constant('') : build(pieces, run.linesOf(node));
}

/** A member, by a line of the catalogue, or by what it is a part of. */
export function memberOf(
  run: Run,
  base: Value,
  name: string,
  receiverPath: string | null,
  node: TreeNode,
): Value {
  const owner = base.made === null ? undefined : run.classes.get(base.made.replace('class ', ''));
  const attribute = owner?.attributes.get(name);
  if (attribute !== undefined) return attribute;
  const method = owner?.methods.get(name);
  if (owner !== undefined && method !== undefined)
    return functionValue(run, method, name, owner.scope);
  const origin = base.origin === null ? null : `${base.origin}.${name}`;
  const line = run.language.catalogue.readAt({ name, origin, receiver: base, receiverPath });
  if (line !== null && !isOutside(base)) {
    const isWhole = line.whole === true;
    const written = clipped(run.textOf(node));
    const shape = { isWhole, mayBeObject: isWhole, safeFor: line.safeFor ?? [] };
    return outside(CHECKED.test(name) ? 'checked' : 'strong', written, run.lineOf(node), shape);
  }
  const known = base.properties?.get(name);
  if (known !== undefined) return known;
  if (base.source !== null) return { ...partOf(base, name), origin };
  return origin === null ? UNKNOWN : at(origin);
}

/** What forms and serializers looked at. */
const CHECKED = /^(?:cleaned_data|validated_data|kwargs)$/;

/** Members of a path that are a name alone. */
const PATH_NAMES = /^(?:name|stem|suffix)$/;

/** A part of data: a check of it tells nothing of the rest. */
function partOf(base: Value, name: string): Value {
  const { source } = base;
  if (source === null) return UNKNOWN;
  if (source.isUrl && /^(?:hostname|netloc)$/.test(name)) {
    return { ...UNKNOWN, source: { ...source, hostOf: source.text } };
  }
  if (base.origin?.startsWith('pathlib.') === true) {
    const value = { ...UNKNOWN, source };
    return PATH_NAMES.test(name) ? madeSafe(value, ['path']) : value;
  }
  return { ...UNKNOWN, source: subSource(source, name) };
}

/** `name.split('/')[-1]` is a name without directories. */
const LAST_PART =
  /\.r?split\(\s*(?:['"]\/['"]|os\.sep|os\.path\.sep)(?:\s*,\s*1)?\s*\)\s*\[\s*-1\s*\]$/;

function subscriptValue(run: Run, node: TreeNode): Value {
  const object = part(node, 'value');
  const base = evaluate(run, object);
  const keys = parts(node, 'subscript');
  const values = keys.map((key) => evaluate(run, key));
  const key = values[0]?.constant ?? null;
  const path = pathOf(run, object);
  const assigned = path === null || key === null ? undefined : run.scope.get(`${path}[${key}]`);
  if (assigned !== undefined) return assigned;
  if (keys[0]?.type === 'slice') return base.constant === null ? base : { ...base, constant: null };
  if (base.elements !== null) {
    const index = Number(key);
    const found = Number.isInteger(index) && key !== null ? base.elements.at(index) : undefined;
    return found ?? listed(base.elements);
  }
  if (base.properties !== null) {
    // An entry of a table of the program's: whatever the key is.
    if (key === null) return listed([...base.properties.values()]);
    const found = base.properties.get(key) ?? base.properties.get('*');
    if (found !== undefined) return found;
  }
  if (base.source === null) return UNKNOWN;
  if (LAST_PART.test(run.textOf(node)))
    return madeSafe({ ...UNKNOWN, source: base.source }, ['path']);
  if (key === null || /^-?\d+$/.test(key)) return { ...UNKNOWN, source: base.source };
  return { ...UNKNOWN, source: subSource(base.source, key) };
}

function elementsValue(run: Run, nodes: readonly TreeNode[]): Value {
  const elements: Value[] = [];
  for (const node of nodes) {
    const value = evaluate(run, node);
    if (node.type !== 'list_splat') elements.push(value);
    else elements.push(...(value.elements ?? [value]));
  }
  return listValue(elements);
}

function dictionaryValue(run: Run, node: TreeNode): Value {
  const properties = new Map<string, Value>();
  let source: Source | null = null;
  let isTrusted = true;
  for (const entry of node.children) {
    const key = entry.type === 'pair' ? evaluate(run, part(entry, 'key')) : UNKNOWN;
    const value = evaluate(run, entry.type === 'pair' ? part(entry, 'value') : entry);
    source = stronger(source, value.source);
    isTrusted &&= value.isTrusted;
    const name = key.constant ?? '*';
    if (properties.size < MEMBERS_MAX) {
      properties.set(name, name === '*' ? worse(properties.get('*') ?? value, value) : value);
    }
  }
  return { ...UNKNOWN, properties, source, isTrusted };
}

function binaryValue(run: Run, node: TreeNode): Value {
  const left = evaluate(run, part(node, 'left'));
  const right = evaluate(run, part(node, 'right'));
  const operator = part(node, 'operator');
  const sign = operator === null ? '' : run.textOf(operator);
  if (sign === '+') return sumOf(run, left, right, node);
  if (sign === '%') return formatted(run, left, right, node);
  if (sign === '/') {
    const isPath = [left, right].some(({ origin }) => origin?.startsWith('pathlib.') === true);
    const source = stronger(left.source, right.source);
    // Text has no such operator: the other side is a path.
    return isPath || source !== null ? { ...UNKNOWN, source, origin: 'pathlib.Path()' } : UNKNOWN;
  }
  if (sign === '*' || sign === '|' || sign === '&') return derive([left, right]);
  return TRUSTED;
}

function sumOf(run: Run, left: Value, right: Value, node: TreeNode): Value {
  if (left.elements !== null || right.elements !== null) {
    const elements = [...(left.elements ?? [left]), ...(right.elements ?? [right])];
    const source = stronger(left.source, right.source);
    return { ...UNKNOWN, elements: elements.slice(0, MEMBERS_MAX), source };
  }
  return build([left, right], run.linesOf(node));
}

function assignedValue(run: Run, node: TreeNode): Value {
  const name = part(node, 'name');
  const value = evaluate(run, part(node, 'value'));
  if (name !== null) run.scope.set(run.textOf(name), named(run, value, name));
  return value;
}

/** `[body for x in list if check]` */
function comprehensionValue(run: Run, node: TreeNode): Value {
  let result = UNKNOWN;
  run.branch(run.scope, () => {
    for (const clause of node.children) {
      if (clause.type === 'for_in_clause') bindElement(run, clause);
      else if (clause.type === 'if_clause') {
        const facts = run.readCondition(clause.children[0] ?? null);
        run.scope.guard(facts.whenTrue);
      }
    }
    const body = part(node, 'body');
    const values = body?.type === 'pair' ? body.children : [body];
    result = run.scope.settled(listed(values.map((value) => evaluate(run, value))));
  });
  return { ...UNKNOWN, elements: [result], source: result.source, isTrusted: result.isTrusted };
}

/** A lambda as a value; its body is looked at by itself, too. */
function lambdaValue(run: Run, node: TreeNode): Value {
  const value = functionValue(run, node, 'lambda', run.scope);
  run.branch(run.scope, () => {
    for (const parameter of typed(node, 'lambda_parameters')?.children ?? []) {
      bind(run, parameter, parameterValue(run, parameter, null).value);
    }
    evaluate(run, part(node, 'body'));
  });
  return value;
}

const PLACEHOLDER = /%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?([a-zA-Z%])/;

/** `'... %s' % values`: the values stand where the placeholders are; `%d` takes numbers alone. */
function formatted(run: Run, left: Value, right: Value, node: TreeNode): Value {
  const { constant: text } = left;
  if (text === null)
    return left.source === null ? build([left, right], run.linesOf(node)) : derive([left, right]);
  const values =
    right.elements ?? (right.properties === null ? [right] : [...right.properties.values()]);
  const byName = right.elements === null ? right.properties : null;
  const pieces: Value[] = [];
  let rest = text;
  let index = 0;
  for (let match = PLACEHOLDER.exec(rest); match !== null; match = PLACEHOLDER.exec(rest)) {
    pieces.push(constant(rest.slice(0, match.index)));
    rest = rest.slice(match.index + match[0].length);
    const name = /\((\w+)\)/.exec(match[0])?.[1];
    const value = (name === undefined ? values[index] : byName?.get(name)) ?? right;
    if (match[1] === '%') pieces.push(constant('%'));
    else pieces.push(/[sra]/.test(match[1] ?? '') ? value : TRUSTED);
    if (match[1] !== '%') index += 1;
  }
  return build([...pieces, constant(rest)], run.linesOf(node));
}

/** `'{} {name}'.format(...)` in the same way. */
export function formatCall(
  run: Run,
  text: string,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  node: TreeNode,
): Value {
  const pieces: Value[] = [];
  let end = 0;
  let index = 0;
  for (const match of text.matchAll(/\{\{|\}\}|\{([^{}:!]*)([^{}]*)\}/g)) {
    pieces.push(constant(text.slice(end, match.index)));
    end = match.index + match[0].length;
    const [, name, format = ''] = match;
    if (name === undefined) continue;
    const root = name.split(/[.[]/, 1)[0] ?? '';
    const value = root === '' ? args[index++] : (keywords.get(root) ?? args[Number(root)]);
    pieces.push(/^:.*[dxXob]$/.test(format) ? TRUSTED : (value ?? UNKNOWN));
  }
  return build([...pieces, constant(text.slice(end))], run.linesOf(node));
}
