import { words } from '../words.ts';
import { constructorOf, globalValue, prototypeValue } from './globals.ts';
import { child, fixedName, list, memberPath, type SyntaxNode, text } from './node.ts';
import { typeNameOf } from './parameters.ts';
import type { Run } from './run.ts';
import { assign, narrow, type Scope } from './scope.ts';
import { isForeignName, memberOfRole, memberOfSource, roleOf, roleOfType } from './sources.ts';
import {
  fromSource,
  outside,
  partOf,
  TRUSTED,
  through,
  UNKNOWN,
  type Value,
  withOrigin,
  withRole,
  worse,
} from './value.ts';

/** How names get their values: declared here, assigned wherever they are, or as parameters. */
type Binding = 'declare' | 'assign' | 'parameter';

/** Binds the names of a pattern to the parts of a value. */
export function bind(run: Run, pattern: SyntaxNode | null, value: Value, how: Binding): void {
  switch (pattern?.type) {
    case 'Identifier':
      bindName(run, pattern, value, how);
      break;
    case 'AssignmentPattern': {
      const fallback = run.evaluate(child(pattern, 'right'));
      const isPlain = value.source === null && value.origin === null && value.role === null;
      const joined = isPlain ? defaulted(value, fallback) : value;
      bind(run, child(pattern, 'left'), joined, how);
      break;
    }
    case 'RestElement':
      bind(run, child(pattern, 'argument'), { ...value, elements: null }, how);
      break;
    case 'ObjectPattern':
      for (const property of list(pattern, 'properties')) bindProperty(run, property, value, how);
      break;
    case 'ArrayPattern':
      for (const [index, element] of list(pattern, 'elements').entries()) {
        if (element !== null) bind(run, element, elementOf(value, index), how);
      }
      break;
    case 'MemberExpression':
      run.evaluate(child(pattern, 'object'));
      if (how === 'assign') assignMember(run, pattern, value);
      break;
    default:
      if (pattern !== null) run.evaluate(pattern);
  }
}

/** A parameter's default says nothing of what callers give. */
function defaulted(value: Value, fallback: Value): Value {
  return value === UNKNOWN && fallback.isTrusted ? UNKNOWN : worse(value, fallback);
}

function bindName(run: Run, pattern: SyntaxNode, value: Value, how: Binding): void {
  const name = text(pattern, 'value');
  if (how === 'parameter') {
    run.scope.values.set(name, parameter(pattern, name, value));
    return;
  }
  const named = value.source === null ? value : through(value, name, run.lineOf(pattern));
  if (how === 'assign') assign(run.scope, name, named, worse);
  else run.scope.values.set(name, named);
}

/** A parameter is what its type or else its name says. */
function parameter(pattern: SyntaxNode, name: string, value: Value): Value {
  if (isHarmlessType(child(child(pattern, 'typeAnnotation'), 'typeAnnotation'))) return TRUSTED;
  const type = typeNameOf(pattern);
  const role = roleOfType(type) ?? roleOf(name);
  const isOpen = value.source === null || value.source.strength === 'weak';
  if (role !== null && isOpen && value.role === null) return withRole(role);
  return type === 'string' ? { ...value, source: partOf(value.source) } : value;
}

/** Numbers, booleans and literals hold no text of an outsider's. */
function isHarmlessType(type: SyntaxNode | null): boolean {
  switch (type?.type) {
    case 'TsKeywordType':
      return /^(?:number|boolean|bigint|null|undefined|never)$/.test(text(type, 'kind'));
    case 'TsLiteralType':
      return child(type, 'literal')?.type !== 'TemplateLiteral';
    case 'TsUnionType':
      return list(type, 'types').every(isHarmlessType);
    case 'TsArrayType':
      return isHarmlessType(child(type, 'elemType'));
    case 'TsParenthesizedType':
      return isHarmlessType(child(type, 'typeAnnotation'));
    default:
      return false;
  }
}

function bindProperty(run: Run, property: SyntaxNode | null, value: Value, how: Binding): void {
  if (property?.type === 'RestElement') {
    bind(run, child(property, 'argument'), value, how);
    return;
  }
  const key = child(property, 'key');
  const computed = key?.type === 'Computed' ? child(key, 'expression') : null;
  const name = fixedName(key) ?? run.evaluate(computed).constant;
  const part = memberOf(value, name, name ?? '', run.lineOf(key ?? property));
  if (property?.type === 'KeyValuePatternProperty') {
    bind(run, child(property, 'value'), part, how);
    return;
  }
  const fallback = child(property, 'value');
  const whole = fallback === null ? part : defaulted(part, run.evaluate(fallback));
  if (key !== null) bind(run, key, whole, how);
}

function elementOf(value: Value, index: number): Value {
  const element = value.elements?.[index];
  if (element !== undefined) return element;
  if (value.source !== null) return fromSource(memberOfSource(value.source, String(index)));
  return value.isTrusted ? TRUSTED : UNKNOWN;
}

/** Members that are numbers whatever the object is; `status` or `size` may be a field of a form. */
const HARMLESS_MEMBERS = words('length byteLength');

/** What a member of a value is. `name` is null when it is computed from something unknown. */
export function memberOf(value: Value, name: string | null, path: string, line: number): Value {
  if (value.role !== null && name !== null) {
    const global = value.role === 'window' ? globalValue(name) : null;
    const isLoader = value.role === 'process' && name === 'getBuiltinModule';
    if (isLoader) return globalValue('require') ?? UNKNOWN;
    const special = global ?? memberOfRole(value.role, name, path, line);
    if (special !== null) return special;
  }
  if (name !== null) {
    const known = value.properties?.get(name) ?? value.elements?.[Number(name)];
    if (known !== undefined) return known;
    if (name === 'constructor' && value.source === null) return constructorOf(value);
    if (name === '__proto__' && value.callable !== null) return prototypeValue();
    if (value.origin !== null) {
      return withOrigin(name === 'default' ? value.origin : `${value.origin}.${name}`);
    }
  }
  if (value.source !== null) {
    if (name !== null && HARMLESS_MEMBERS.has(name)) return TRUSTED;
    return fromSource(memberOfSource(value.source, name));
  }
  if (name !== null && isForeignName(name)) return outside('strong', path || name, line);
  // `anything.req` is a request wherever it hangs.
  if (name === 'req') return withRole('request');
  const isTable = value.properties !== null && [...value.properties.values()].every(isFixed);
  if (value.isTrusted || isTable) return TRUSTED;
  // Of a constant the name is known, wherever it comes from: `yaml.DEFAULT_FULL_SCHEMA`.
  const isConstant = name !== null && isConstantName(name);
  return isConstant ? { ...TRUSTED, origin: `constant.${name}` } : UNKNOWN;
}

function isFixed(value: Value): boolean {
  return value.isTrusted;
}

/** `GIT_BINARY`: a constant by everybody's habit. */
export function isConstantName(name: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(name) && name.length > 1;
}

/** `a.b = value`: remembered for the path within the scope; of `this`, within the class. */
function assignMember(run: Run, pattern: SyntaxNode, value: Value): void {
  const path = memberPath(pattern);
  if (path === null) return;
  if (!path.startsWith('this.')) {
    narrow(run.scope, path, value);
    return;
  }
  let scope: Scope = run.scope;
  while (!scope.isClass && scope.parent !== null) scope = scope.parent;
  const before = scope.isClass ? scope.narrowed.get(path) : undefined;
  narrow(
    scope.isClass ? scope : run.scope,
    path,
    before === undefined ? value : worse(before, value),
  );
}
