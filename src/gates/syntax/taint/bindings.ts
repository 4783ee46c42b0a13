import { words } from '../../../rules/catalogue/line.ts';
import { bare, child, fixedName, list, memberPath, type SyntaxNode, text } from './node.ts';
import { dataAt, decoratedData, isCatalogued, memberPathOf } from './packages.ts';
import {
  assign,
  isHarmlessType,
  lookUp,
  narrow,
  type Run,
  type Scope,
  typedValue,
  typeNameOf,
} from './run.ts';
import {
  constructorOf,
  globalValue,
  isForeignName,
  isRequestData,
  memberOfRole,
  memberOfSource,
  prototypeValue,
  roleOf,
  roleOfType,
} from './sources.ts';
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

/** Second parameters of request handlers. */
const RESPONSE_NAMES = /^_?(?:res|reply|response|resp|h|rep)$/;
/** A request goes by these names; in `(err, res)` and `(data, response)` it is absent. */
const REQUEST_NAMES = /req|^_?[rq]$|^_+$|incoming|^msg$/i;
/** Entry points of frameworks: the destructured first parameter holds a request's parts. */
const ENTRY_NAMES = words(`
  loader action GET POST PUT PATCH DELETE HEAD OPTIONS handler load getServerSideProps
  getInitialProps Page default generateMetadata
`);
/** Handlers of Next's route files: `GET(request, { params })`. */
const VERBS = words('GET POST PUT PATCH DELETE HEAD OPTIONS');
/** Parts of a request that only such entry points destructure. */
const ENTRY_DATA = words('params searchParams query url');
/** Parts of an event that only Lambda's handlers destructure. */
const EVENT_KEYS = words('queryStringParameters pathParameters rawQueryString rawPath Records');
/** Decorators of NestJS, TypeGraphQL, routing-controllers and tsoa. */
const DATA_DECORATORS = words(`
  Body Query Param Params Headers Header Cookies Cookie UploadedFile UploadedFiles RawBody Args Arg
  BodyParam QueryParam QueryParams HeaderParam CookieParam Path FormField MessageBody Payload
`);
const REQUEST_DECORATORS = words('Req Request Ctx Context');
/** Decorators that give an object of the sender's making. */
const OBJECT_DECORATORS = words('Body Query QueryParams Args Arg MessageBody Payload BodyParam');
/** Pipes of NestJS that let no free text through. */
const STRICT_PIPE = /^Parse(?:Int|Float|Bool|UUID|Enum|Date)Pipe$/;
const PARENT_NAMES = /^(?:_+|parent|root|_?(?:parent|root|source|obj))$/;

/** What a parameter holds of which no call tells anything. */
export function parameterValue(
  run: Run,
  node: SyntaxNode,
  index: number,
  isExported: boolean,
  functionName: string,
): Value {
  const raw = list(node, 'params');
  const params = raw.map(patternOf);
  const param = params[index] ?? null;
  const decorated = decoratedValue(run, raw[index] ?? null, param);
  if (decorated !== null) return decorated;
  if (isRequestPlace(params, index)) return withRole('request');
  if (param?.type === 'ObjectPattern' && index === 0) {
    const role = destructuredRole(param, params[1] ?? null, isExported, functionName);
    if (role !== null) return role;
  }
  if (index === 1 && isExported && VERBS.has(functionName)) return withRole('context');
  const written = nameOf(param) || 'parameter';
  const strong = () => outside('strong', written, run.lineOf(param), { mayBeObject: true });
  if (index === 1 && isResolver(params)) return strong();
  if (isServerAction(run, node, isExported)) return strong();
  if (!isExported || param === null) return UNKNOWN;
  return outside('weak', written, run.lineOf(param), { mayBeObject: true });
}

/** A parameter without what TypeScript and decorators put around it. */
export function patternOf(param: SyntaxNode | null): SyntaxNode | null {
  return child(param, 'pat') ?? child(param, 'param') ?? param;
}

/** `(request, res)` and `(err, request, res, next)` under any usual name. */
function isRequestPlace(params: readonly (SyntaxNode | null)[], index: number): boolean {
  if (params[index]?.type === 'ObjectPattern') return false;
  const next = nameOf(params[index + 1] ?? null);
  if (!RESPONSE_NAMES.test(next) || next === 'h') return false;
  if (!REQUEST_NAMES.test(nameOf(params[index] ?? null))) return false;
  return index === 0 || (index === 1 && /^_?e(?:rr(?:or)?)?$/.test(nameOf(params[0] ?? null)));
}

/** `@Body() dto`, `@Param('id', ParseIntPipe) id`, `@Req() r`. */
function decoratedValue(run: Run, raw: SyntaxNode | null, param: SyntaxNode | null): Value | null {
  for (const decorator of list(raw, 'decorators')) {
    const call = bare(child(decorator, 'expression'));
    const name = memberPath(child(call, 'callee') ?? call) ?? '';
    if (REQUEST_DECORATORS.has(name)) return withRole('request');
    if (!DATA_DECORATORS.has(name)) {
      const known = decoratedData(name, `@${name}() ${nameOf(param)}`, run.lineOf(param));
      if (known !== null) return known;
      continue;
    }
    const args = list(call, 'arguments').map((argument) => bare(child(argument, 'expression')));
    if (args.some((argument) => STRICT_PIPE.test(pipeName(argument)))) return TRUSTED;
    const mayBeObject = OBJECT_DECORATORS.has(name);
    const isWhole = mayBeObject && args.every((argument) => argument?.type !== 'StringLiteral');
    const shown = `@${name}() ${nameOf(param)}`.trim();
    const isText = typeNameOf(param) === 'string';
    const line = run.lineOf(param);
    return outside('strong', shown, line, {
      isWhole: isWhole && !isText,
      mayBeObject: mayBeObject && !isText,
    });
  }
  return null;
}

function pipeName(argument: SyntaxNode | null): string {
  const callee = argument?.type === 'NewExpression' ? child(argument, 'callee') : argument;
  return text(callee, 'value');
}

/** `({ body }, res)`, `({ request })`, `export function loader({ params })`. */
function destructuredRole(
  pattern: SyntaxNode,
  second: SyntaxNode | null,
  isExported: boolean,
  functionName: string,
): Value | null {
  const keys = patternKeys(pattern);
  if (keys.includes('request') || keys.includes('req')) return withRole('context');
  if (keys.some((key) => EVENT_KEYS.has(key))) return withRole('event');
  const isHandler = RESPONSE_NAMES.test(nameOf(second)) && keys.some(isRequestData);
  if (isHandler) return withRole('request');
  const isEntry = isExported && (ENTRY_NAMES.has(functionName) || /Page$/.test(functionName));
  return isEntry && keys.some((key) => ENTRY_DATA.has(key)) ? withRole('context') : null;
}

/** The keys of an object's pattern. */
export function patternKeys(pattern: SyntaxNode): string[] {
  return list(pattern, 'properties').map((property) => fixedName(child(property, 'key')) ?? '');
}

/** A resolver of GraphQL: `(parent, args, context)`, `(_, { id })`. */
function isResolver(params: readonly (SyntaxNode | null)[]): boolean {
  const [first = null, second = null] = params;
  if (!PARENT_NAMES.test(nameOf(first)) || params.length > 4) return false;
  return nameOf(second) === 'args' || second?.type === 'ObjectPattern';
}

/** A function that browsers call over the network: `'use server'` in it or atop its module. */
function isServerAction(run: Run, node: SyntaxNode, isExported: boolean): boolean {
  if (isExported && run.isServerModule) return true;
  const [first] = list(child(node, 'body'), 'stmts');
  return first != null && directiveOf(first) === 'use server';
}

/** `use server` of a statement that is nothing but that text; else ''. */
export function directiveOf(statement: SyntaxNode | null): string {
  const expression = child(statement, 'expression');
  return expression?.type === 'StringLiteral' ? text(expression, 'value') : '';
}

/** A parameter's name; '' for a pattern. */
export function nameOf(param: SyntaxNode | null): string {
  if (param?.type === 'Identifier') return text(param, 'value');
  if (param?.type === 'AssignmentPattern') return nameOf(child(param, 'left'));
  return param?.type === 'RestElement' ? nameOf(child(param, 'argument')) : '';
}

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
    run.scope.values.set(name, parameter(run, pattern, name, value));
    return;
  }
  const typed = how === 'declare' && isUnmade(value) ? typedValue(run, pattern, value) : value;
  const named = typed.source === null ? typed : through(typed, name, run.lineOf(pattern));
  if (how === 'assign') assign(run.scope, name, named, worse);
  else run.scope.values.set(name, named);
}

/** A parameter is what its type or else its name says. */
function parameter(run: Run, pattern: SyntaxNode, name: string, value: Value): Value {
  if (isHarmlessType(child(child(pattern, 'typeAnnotation'), 'typeAnnotation'))) return TRUSTED;
  const type = typeNameOf(pattern);
  const role = roleOfType(type) ?? roleOf(name);
  const isOpen = value.source === null || value.source.strength === 'weak';
  if (role !== null && isOpen && value.role === null) {
    return typedValue(run, pattern, { ...withRole(role), made: value.made });
  }
  if (isOpen && isUnmade(value)) {
    const typed = typedValue(run, pattern, value);
    // What is made by a package is not what a caller writes.
    if (typed !== value) return { ...typed, source: null };
  }
  return type === 'string' ? { ...value, source: partOf(value.source) } : value;
}

function isUnmade({ origin, made, callable, isTrusted }: Value): boolean {
  return origin === null && made === null && callable === null && !isTrusted;
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
  if (value.made === null || name === null) return plainMember(value, name, path, line);
  const made = memberPathOf(value.made, name);
  const data = dataAt(made, path || name, line);
  return data ?? { ...plainMember(value, name, path, line), made };
}

function plainMember(value: Value, name: string | null, path: string, line: number): Value {
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
      if (name === 'default') return withOrigin(value.origin);
      if (OWN_DATA.test(value.origin)) return TRUSTED;
      const origin = `${value.origin}.${name}`;
      return (
        (isCatalogued(origin) ? dataAt(origin, path || name, line) : null) ?? withOrigin(origin)
      );
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

/** A file of data in the program's own repository: `../package.json`. */
const OWN_DATA = /^\.{1,2}\/.*\.json$/;

function isFixed(value: Value): boolean {
  return value.isTrusted;
}

/** `GIT_BINARY`: a constant by everybody's habit. */
export function isConstantName(name: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(name) && name.length > 1;
}

/** `object[key] = data`: any member of a local object may be the data from now on. */
function fill(run: Run, object: SyntaxNode | null, value: Value): void {
  const name = bare(object)?.type === 'Identifier' ? text(bare(object), 'value') : '';
  const before = name === '' ? undefined : lookUp(run.scope, name);
  if (before === undefined || before.role !== null || before.origin !== null) return;
  if (before.source !== null || value.source?.strength !== 'strong') return;
  assign(run.scope, name, { ...before, source: partOf(value.source), isTrusted: false }, worse);
}

/** `a.b = value`: remembered for the path within the scope; of `this`, within the class. */
function assignMember(run: Run, pattern: SyntaxNode, value: Value): void {
  const path = memberPath(pattern);
  if (path === null) {
    fill(run, child(pattern, 'object'), value);
    return;
  }
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
