import { derive, outside, TRUSTED, through, UNKNOWN, type Value, worse } from '../taint/value.ts';
import { at, type Call, type Handler, type OwnClass, type Run } from '../tree/run.ts';
import { addTo, elementOf, itemOf, named } from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';

const ROUTE_METHODS =
  /^(?:route|get|post|put|patch|delete|head|options|api_route|websocket|trace|api_view)$/;
const HOLE = /<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>|\{(\w+)(?::(\w+))?\}/g;

/** What a decorator such as `@app.get('/files/{name}')` makes of a function; null: nothing. */
export function handlerOf(run: Run, decorators: readonly TreeNode[]): Handler | null {
  for (const decorator of decorators) {
    const call = typed(decorator, 'call');
    const callee = part(call, 'function');
    const name = part(callee, 'attribute');
    if (callee?.type !== 'attribute' || name === null) continue;
    if (!ROUTE_METHODS.test(run.textOf(name))) continue;
    const route = part(call, 'arguments')?.children.find((child) => child.type === 'string');
    const path = route === undefined ? '' : run.textOf(route).replace(/^\w*['"]|['"]$/g, '');
    if (path !== '' && !path.startsWith('/')) continue;
    const inPath = new Map<string, string>();
    for (const [, before, flask, fast, after] of path.matchAll(HOLE)) {
      inPath.set(flask ?? fast ?? '', before ?? after ?? 'str');
    }
    const isRoute = run.textOf(name) === 'route' || path.includes('<');
    return { inPath, takesAll: !isRoute };
  }
  return null;
}

/** Types that hold no text of the caller's choice. */
const HARMLESS =
  /^(?:Optional\[|Annotated\[|Union\[|List\[|list\[|Set\[|set\[)*\s*(?:int|float|bool|complex|UUID\d?|uuid\.UUID|date|datetime(?:\.\w+)?|timedelta|Decimal|Literal|typing\.Literal|IPv[46]Address|Positive\w+|NonNegative\w+|con(?:int|float)|NoneType|None)\b/;
const TEXT =
  /\b(?:str|bytes|Any|dict|Dict|list|List|Form|Query|Body|Header|Cookie|Path|HttpUrl|AnyUrl|AnyHttpUrl|SecretStr|Json|EmailStr)\b/;
const GIVEN =
  /\b(?:Depends|Security|Request|Response|WebSocket|BackgroundTasks|Session|AsyncSession)\b/;

/** Name and value of a parameter. */
export function parameterValue(
  run: Run,
  node: TreeNode,
  handler: Handler | null,
): { name: TreeNode | null; value: Value } {
  const name = nameOf(node);
  if (name === null) return { name, value: UNKNOWN };
  const type = part(node, 'type');
  const written = type === null ? '' : run.textOf(type);
  const given = part(node, 'value');
  const text = run.textOf(name);
  const instance = typeValue(run, type);
  if (handler !== null && !/^(?:self|cls|request|req|websocket|ws)$/.test(text)) {
    const value = handled(run, handler, name, written, given);
    if (value !== null) return { name, value };
  }
  if (instance !== null) return { name, value: instance };
  // Of what callers elsewhere give, checks are seen.
  const isPlain =
    !/splat/.test(node.type) && !/^(?:self|cls)$/.test(text) && !HARMLESS.test(written);
  return { name, value: isPlain ? outside('weak', text, run.lineOf(name)) : UNKNOWN };
}

/** What a parameter of a route's function holds; null: nothing of the caller. */
function handled(
  run: Run,
  handler: Handler,
  node: TreeNode,
  type: string,
  given: TreeNode | null,
): Value | null {
  const name = run.textOf(node);
  const line = run.lineOf(node);
  const converter = handler.inPath.get(name);
  if (HARMLESS.test(type)) return TRUSTED;
  if (converter !== undefined) {
    if (/^(?:int|float|uuid|any)$/.test(converter)) return TRUSTED;
    const value = outside('strong', name, line);
    // Without a slash: of a path it can only be one step.
    const isStep = converter !== 'path' && value.source !== null;
    return isStep && value.source !== null
      ? { ...value, source: { ...value.source, claimedFor: ['path'] } }
      : value;
  }
  const isGiven =
    GIVEN.test(type) || (given !== null && /^(?:Depends|Security)\b/.test(run.textOf(given)));
  if (!handler.takesAll || isGiven) return null;
  const owner = run.classes.get(type.replace(/^(?:Optional|Annotated)\[([\w.]+).*$/, '$1').trim());
  if (owner !== undefined) return modelValue(run, owner, name, line, []);
  if (type === '' || TEXT.test(type)) {
    const isWhole = /\b(?:dict|Dict|Any)\b/.test(type);
    return outside('strong', name, line, { isWhole, mayBeObject: isWhole });
  }
  if (/\bUploadFile\b/.test(type)) return at('fastapi.UploadFile()');
  return outside('checked', name, line, { isWhole: true, mayBeObject: true });
}

/** A body that a class of the text describes: fields of text are data, numbers are not. */
function modelValue(
  run: Run,
  owner: OwnClass,
  name: string,
  line: number,
  within: readonly string[],
): Value {
  if (owner.isEnum || within.includes(owner.name)) return TRUSTED;
  const properties = new Map<string, Value>();
  for (const [field, type] of owner.fields) {
    if (!run.mayFill()) break;
    const written = run.textOf(type);
    const inner = run.classes.get(written);
    const path = `${name}.${field}`;
    if (HARMLESS.test(written)) properties.set(field, TRUSTED);
    else if (inner !== undefined) {
      properties.set(field, modelValue(run, inner, path, line, [...within, owner.name]));
    } else properties.set(field, outside('strong', path, line));
  }
  return { ...outside('strong', name, line, { isWhole: true }), properties };
}

/** What a parameter of that type is, where the type was imported or is a class of the text. */
function typeValue(run: Run, type: TreeNode | null): Value | null {
  if (type === null) return null;
  const name = /^(?:Optional\[|Annotated\[|["'])?([\w.]+)/.exec(run.textOf(type))?.[1] ?? '';
  if (run.classes.has(name)) return { ...UNKNOWN, made: name };
  const [root = '', ...rest] = name.split('.');
  const origin = run.scope.get(root)?.origin ?? null;
  return origin === null || origin.startsWith('.') ? null : at(`${[origin, ...rest].join('.')}()`);
}

function nameOf(node: TreeNode): TreeNode | null {
  if (node.type === 'identifier') return node;
  const named = part(node, 'name');
  if (named !== null) return nameOf(named);
  const [first] = node.children;
  return first === undefined || first.field === 'type' ? null : nameOf(first);
}

/** The parameters of a function or lambda. */
function parametersOf(node: TreeNode): readonly TreeNode[] {
  const list = part(node, 'parameters') ?? parts(node, 'parameters')[0];
  return (list?.children ?? []).filter(({ type }) => !/_separator$/.test(type));
}

/** Binds the parameters of a function of which no call is in view. */
export function bindParameters(run: Run, node: TreeNode): void {
  const handler = run.handlers.get(node) ?? null;
  const parameters = parametersOf(node);
  const first = bindSelf(run, node, parameters);
  for (const parameter of parameters.slice(first)) {
    const { name, value } = parameterValue(run, parameter, handler);
    if (name === null) continue;
    run.evaluate(part(parameter, 'value'));
    run.scope.set(run.textOf(name), value);
  }
  bindPairs(run, parameters);
}

/** The same with what a call gives it. */
export function bindArguments(run: Run, node: TreeNode, call: Call): void {
  const parameters = parametersOf(node);
  const first = bindSelf(run, node, parameters);
  for (const [index, parameter] of parameters.slice(first).entries()) {
    bindArgument(run, parameter, index, call);
  }
}

/** Names of parameters that servers and hosts of functions give data from outside. */
const PAIRS = new Map([
  ['event context', 'event'],
  ['environ start_response', 'environ'],
]);

/** `def handler(event, context)`, `def app(environ, start_response)`. */
function bindPairs(run: Run, parameters: readonly TreeNode[]): void {
  const names = parameters.map((parameter) => parameterValue(run, parameter, null).name);
  const [first, second] = names.slice(-2);
  if (names.length > 3 || first == null || second == null) return;
  const name = PAIRS.get(
    `${run.textOf(first).replace(/^_/, '')} ${run.textOf(second).replace(/^_/, '')}`,
  );
  if (name === undefined) return;
  const base = {
    claimedFor: [],
    safeFor: [],
    hostOf: null,
    isUrl: false,
    isResolved: false,
    steps: [],
  };
  const shape = { isWhole: name === 'event', mayBeObject: name === 'event' };
  const source = {
    strength: 'strong',
    text: name,
    line: run.lineOf(first),
    ...base,
    ...shape,
  } as const;
  run.scope.set(run.textOf(first), { ...UNKNOWN, source });
}

/** Binds `self`; gives the number of parameters that are bound by it. */
function bindSelf(run: Run, node: TreeNode, parameters: readonly TreeNode[]): number {
  const owner = run.owners.get(node);
  const [self] = parameters;
  if (owner === undefined || self === undefined || run.statics.has(node)) return 0;
  run.scope.set(run.textOf(self), instanceOf(owner));
  return 1;
}

function bindArgument(run: Run, parameter: TreeNode, index: number, call: Call): void {
  const { name, value: known } = parameterValue(run, parameter, null);
  if (name === null) return;
  const text = run.textOf(name);
  const shape =
    parameter.type === 'typed_parameter' ? (parameter.children[0]?.type ?? '') : parameter.type;
  if (shape === 'list_splat_pattern') {
    const elements = call.args.slice(index);
    const source = derive(elements).source;
    run.scope.set(text, { ...UNKNOWN, elements, source });
    return;
  }
  if (shape === 'dictionary_splat_pattern') {
    run.scope.set(text, { ...UNKNOWN, properties: new Map(call.keywords) });
    return;
  }
  const value = call.args[index] ?? call.keywords.get(text);
  if (value !== undefined)
    bind(run, name, value.source === null && value === UNKNOWN ? known : value);
  else
    run.scope.set(
      text,
      part(parameter, 'value') === null ? known : run.evaluate(part(parameter, 'value')),
    );
}

/** What a class makes: its methods see it as `self`. */
export function instanceOf(owner: OwnClass): Value {
  const origin = owner.base === null ? null : `${owner.base}()`;
  return { ...UNKNOWN, made: owner.name, origin };
}

/** Steps of a chain of names; a longer one has no name. */
const PATH_STEPS_MAX = 8;

/** `a.b.c` as it is written, without quotes and blanks; null for anything but a chain of names. */
export function pathOf(run: Run, node: TreeNode | null): string | null {
  const names: string[] = [];
  let inner = node;
  while (inner?.type === 'attribute' && names.length < PATH_STEPS_MAX) {
    const name = part(inner, 'attribute');
    if (name !== null) names.unshift(run.textOf(name));
    inner = part(inner, 'object');
  }
  return inner?.type === 'identifier' ? [run.textOf(inner), ...names].join('.') : null;
}

/** Binds the target of a loop to an element of what is looped over. */
export function bindElement(run: Run, clause: TreeNode): void {
  const value = run.evaluate(part(clause, 'right'));
  bind(run, part(clause, 'left'), elementOf(value));
}

/** Assigns to a name, a member, or the parts of a list of targets. */
export function bind(run: Run, target: TreeNode | null, value: Value): void {
  switch (target?.type) {
    case undefined:
      return;
    case 'identifier':
      run.scope.set(run.textOf(target), named(run, value, target));
      return;
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
    case 'expression_list':
    case 'tuple':
    case 'list':
      for (const [index, child] of target.children.entries())
        bind(run, child, itemOf(value, index));
      return;
    case 'list_splat_pattern':
    case 'as_pattern_target':
    case 'parenthesized_expression':
      bind(run, target.children[0] ?? null, value);
      return;
    case 'attribute':
      bindMember(run, target, value);
      return;
    case 'subscript':
      bindItem(run, target, value);
      return;
    default:
      run.evaluate(target);
  }
}

function bindMember(run: Run, target: TreeNode, value: Value): void {
  const path = pathOf(run, target);
  const base = run.evaluate(part(target, 'object'));
  if (path !== null) run.scope.set(path, through(value, path, run.lineOf(target)));
  const owner = base.made === null ? undefined : run.classes.get(base.made);
  const name = part(target, 'attribute');
  if (owner === undefined || name === null) return;
  const key = run.textOf(name);
  const before = owner.attributes.get(key);
  const kept = run.scope.settled(value);
  owner.attributes.set(key, before === undefined ? kept : worse(before, kept));
}

function bindItem(run: Run, target: TreeNode, value: Value): void {
  const object = part(target, 'value');
  const key = run.evaluate(part(target, 'subscript'));
  const path = pathOf(run, object);
  if (path === null) return;
  const kept = run.scope.settled(value);
  if (key.constant !== null) run.scope.set(`${path}[${key.constant}]`, kept);
  addTo(run, path, kept);
}
