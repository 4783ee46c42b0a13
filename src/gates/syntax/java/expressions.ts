import {
  build,
  constant,
  outside,
  type Source,
  TRUSTED,
  UNKNOWN,
  type Value,
} from '../taint/value.ts';
import { choose } from '../tree/conditions.ts';
import { evaluateAlone } from '../tree/follow.ts';
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
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';
import { bind, classNamed, METHOD, pathOf, typeValue } from './declarations.ts';
import { executeSwitch } from './ways.ts';

/** What is known of an expression. Looks at all calls within. */
export function evaluate(run: Run, node: TreeNode | null): Value {
  if (node === null) return UNKNOWN;
  if (run.following > 0) run.steps += 1;
  switch (node.type) {
    case 'identifier':
    case 'type_identifier':
      return nameValue(run, node);
    case 'this':
      return run.scope.get('this') ?? UNKNOWN;
    case 'super':
      return baseValue(run);
    case 'string_literal':
      return textValue(run, node);
    case 'character_literal':
      return constant(run.textOf(node).slice(1, -1));
    case 'decimal_integer_literal':
    case 'decimal_floating_point_literal':
    case 'hex_integer_literal':
    case 'true':
    case 'false':
    case 'null_literal':
      return constant(run.textOf(node));
    case 'class_literal':
    case 'instanceof_expression':
    case 'update_expression':
      for (const child of node.children) evaluate(run, child);
      return TRUSTED;
    case 'field_access':
    case 'scoped_type_identifier':
    case 'scoped_identifier':
      return memberValue(run, node);
    case 'array_access':
      return elementValue(run, node);
    case 'method_invocation':
    case 'object_creation_expression':
    case 'explicit_constructor_invocation':
      return run.evaluateCall(node);
    case 'array_creation_expression':
      return arrayValue(run, node);
    case 'array_initializer':
    case 'element_value_array_initializer':
      return elementsValue(run, node);
    case 'lambda_expression':
      return lambdaValue(run, node);
    case 'method_reference':
      return referenceValue(run, node);
    case 'binary_expression':
      return binaryValue(run, node);
    case 'unary_expression':
      return unaryValue(run, node);
    case 'assignment_expression':
      return assignedValue(run, node);
    case 'ternary_expression':
      return choose(
        run,
        part(node, 'condition'),
        part(node, 'consequence'),
        part(node, 'alternative'),
      );
    case 'cast_expression':
      return castValue(run, node);
    case 'switch_expression':
      return switchValue(run, node);
    case 'parenthesized_expression':
    case 'annotated_type':
    case 'generic_type':
      return evaluate(run, node.children[0] ?? null);
    default:
      for (const child of node.children) evaluate(run, child);
      return UNKNOWN;
  }
}

/** Any of what its cases give. */
function switchValue(run: Run, node: TreeNode): Value {
  const { returns } = run;
  run.returns = [];
  executeSwitch(run, node, true);
  const given = run.returns;
  run.returns = returns;
  return given.length === 0 ? UNKNOWN : listed(given);
}

/** Constants that stand elsewhere. */
const CONSTANT_NAME = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/;

function nameValue(run: Run, node: TreeNode): Value {
  const name = run.textOf(node);
  const known = run.scope.get(name);
  if (known !== undefined) return known;
  if (run.classes.has(name)) return { ...UNKNOWN, made: `class ${name}` };
  const path = /^[A-Z]/.test(name) ? classNamed(run, name) : null;
  if (path !== null) return at(path);
  if (/^[A-Z]/.test(name) && CONSTANT_NAME.test(name) && name.length > 1) return TRUSTED;
  // `com.acme.Thing` begins with the name of a package.
  return /^(?:java|javax|jakarta|org|com|io|net)$/.test(name) ? at(name) : UNKNOWN;
}

/** What `super` is: methods that another class has. */
function baseValue(run: Run): Value {
  const self = run.scope.get('this') ?? UNKNOWN;
  const base = run.classes.get(self.made ?? '')?.base ?? null;
  return base === null ? { ...UNKNOWN, role: 'plain' } : at(`${base}()`);
}

/** Text of a literal; escapes stay as they are written, but for what paths and queries need. */
function textValue(run: Run, node: TreeNode): Value {
  const text = run.textOf(node);
  const inner = text.startsWith('"""') ? text.slice(3, -3) : text.slice(1, -1);
  return constant(inner.replace(/\\\\/g, '\\').replace(/\\(?=["'])/g, ''));
}

function memberValue(run: Run, node: TreeNode): Value {
  const object = part(node, 'object') ?? part(node, 'scope') ?? node.children[0] ?? null;
  const name = part(node, 'field') ?? part(node, 'name') ?? node.children[1] ?? null;
  if (name?.type === 'this') return run.scope.get('this') ?? UNKNOWN;
  return run.memberAt(node, object, name);
}

/** A field, by what is known of its class, by a line of the catalogue, or as a part of data. */
export function memberOf(
  run: Run,
  base: Value,
  name: string,
  receiverPath: string | null,
  node: TreeNode,
): Value {
  const known = base.properties?.get(name);
  if (known !== undefined) return known;
  const owner = base.made === null ? undefined : run.classes.get(base.made.replace('class ', ''));
  if (owner?.isEnum === true) return TRUSTED;
  const field = owner?.scope.own.get(name);
  if (field !== undefined && base.source === null) return field;
  if (name === 'length') return TRUSTED;
  const origin = base.origin === null ? null : `${base.origin}.${name}`;
  const line = run.language.catalogue.readAt({ name, origin, receiver: base, receiverPath });
  if (line !== null && line.decorator !== true && !isOutside(base)) {
    const shape = { isWhole: line.whole === true };
    return { ...outside('strong', clipped(run.textOf(node)), run.lineOf(node), shape), origin };
  }
  if (base.source !== null) return { ...partOf(base.source, name), origin };
  if (CONSTANT_NAME.test(name) && name.length > 1) {
    return { ...TRUSTED, origin };
  }
  return origin === null ? UNKNOWN : at(origin);
}

/** Parts of data that are numbers, times or choices, by the names that everybody gives them. */
const NUMBER_NAME =
  /(?:^|[a-z])(?:[iI]ds?|[cC]ount|[sS]ize|[lL]imit|[oO]ffset|[pP]age|[nN]umber|[nN]um|[aA]ge|[tT]otal|[tT]ime|[dD]ate|[eE]nabled|[vV]ersion|[qQ]uantity|[aA]mount|[pP]rice|[lL]ength|[yY]ear|[mM]onth|[dD]ay|[pP]ort|[sS]tatus|[gG]ender|[lL]evel|[iI]ndex)$/;

/** A part of data: a check of it tells nothing of the rest. */
export function partOf(source: Source, name: string): Value {
  const part = subSource(source, name);
  const isHost = source.isUrl && /^(?:host|authority)$/.test(name);
  return { ...UNKNOWN, source: isHost ? { ...part, hostOf: source.text } : part };
}

/** The same by the getter of an object that another file describes. */
export function gotFrom(source: Source, name: string): Value {
  return NUMBER_NAME.test(name) && !source.isWhole ? TRUSTED : partOf(source, name);
}

function elementValue(run: Run, node: TreeNode): Value {
  const array = part(node, 'array');
  const base = evaluate(run, array);
  const key = evaluate(run, part(node, 'index')).constant;
  const path = pathOf(run, array);
  const assigned = path === null || key === null ? undefined : run.scope.get(`${path}[${key}]`);
  if (assigned !== undefined) return assigned;
  if (base.elements !== null && key !== null) return base.elements[Number(key)] ?? elementOf(base);
  return elementOf(base);
}

/** `new String[] {a, b}`; of `new String[3]` the elements come later. */
function arrayValue(run: Run, node: TreeNode): Value {
  const list = part(node, 'value');
  if (list !== null) return elementsValue(run, list);
  for (const child of node.children) evaluate(run, child);
  return { ...listValue([]), isTrusted: true };
}

function elementsValue(run: Run, node: TreeNode): Value {
  return listValue(node.children.slice(0, MEMBERS_MAX).map((child) => evaluate(run, child)));
}

/** A function as a value; its body is looked at by itself, with what is known here. */
function lambdaValue(run: Run, node: TreeNode): Value {
  const value = functionValue(run, node, 'lambda', run.scope);
  if (run.following === 0 && value.callable !== null) {
    evaluateAlone(run, value.callable as OwnFunction);
  }
  return value;
}

/** `this::clean`, `Files::readString`, `File::new`. */
function referenceValue(run: Run, node: TreeNode): Value {
  const [object, nameNode] = node.children;
  const base = evaluate(run, object ?? null);
  if (nameNode === undefined) return base.origin === null ? UNKNOWN : at(base.origin);
  const name = run.textOf(nameNode);
  const owner = base.made === null ? undefined : run.classes.get(base.made.replace('class ', ''));
  const method = owner?.methods.get(name);
  if (owner !== undefined && method !== undefined) {
    return functionValue(run, method, name, owner.scope);
  }
  const own = object?.type === 'this' ? run.scope.get(`${name}${METHOD}`) : undefined;
  return own ?? (base.origin === null ? UNKNOWN : at(`${base.origin}.${name}`));
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
  if (operator !== null && run.textOf(operator) === '!') return run.readCondition(node).value;
  const value = evaluate(run, part(node, 'operand'));
  return value.constant === null ? TRUSTED : constant(run.textOf(node));
}

/** `a = b`, `a += b`: gives what was assigned. */
function assignedValue(run: Run, node: TreeNode): Value {
  const operator = part(node, 'operator');
  const left = part(node, 'left');
  const sign = operator === null ? '=' : run.textOf(operator);
  const before = sign === '=' ? null : evaluate(run, left);
  const right = evaluate(run, part(node, 'right'));
  if (before === null) bind(run, left, right);
  else bind(run, left, sign === '+=' ? build([before, right], run.linesOf(node)) : TRUSTED);
  return right;
}

/** `(String) data`: the same data, but for numbers. */
function castValue(run: Run, node: TreeNode): Value {
  const value = evaluate(run, part(node, 'value'));
  const known = typeValue(run, parts(node, 'type')[0] ?? typed(node, 'type_identifier'));
  if (known?.isTrusted === true) return TRUSTED;
  if (known?.origin == null || known.made !== null) return value;
  return value.source === null && value.origin === null
    ? known
    : { ...value, origin: known.origin };
}
