import { outside, TRUSTED, UNKNOWN, type Value } from '../taint/value.ts';
import { at, type Handler, type PyClass, type Run } from './run.ts';
import { type PyNode, part, parts, typed } from './tree.ts';

const ROUTE_METHODS =
  /^(?:route|get|post|put|patch|delete|head|options|api_route|websocket|trace|api_view)$/;
const HOLE = /<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>|\{(\w+)(?::(\w+))?\}/g;

/** What a decorator such as `@app.get('/files/{name}')` makes of a function; null: nothing. */
export function handlerOf(run: Run, decorators: readonly PyNode[]): Handler | null {
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
  node: PyNode,
  handler: Handler | null,
): { name: PyNode | null; value: Value } {
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
  node: PyNode,
  type: string,
  given: PyNode | null,
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
  owner: PyClass,
  name: string,
  line: number,
  within: readonly string[],
): Value {
  if (owner.isEnum || within.includes(owner.name)) return TRUSTED;
  const properties = new Map<string, Value>();
  for (const [field, type] of owner.fields) {
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
function typeValue(run: Run, type: PyNode | null): Value | null {
  if (type === null) return null;
  const name = /^(?:Optional\[|Annotated\[|["'])?([\w.]+)/.exec(run.textOf(type))?.[1] ?? '';
  if (run.classes.has(name)) return { ...UNKNOWN, made: name };
  const [root = '', ...rest] = name.split('.');
  const origin = run.scope.get(root)?.origin ?? null;
  return origin === null || origin.startsWith('.') ? null : at(`${[origin, ...rest].join('.')}()`);
}

function nameOf(node: PyNode): PyNode | null {
  if (node.type === 'identifier') return node;
  const named = part(node, 'name');
  if (named !== null) return nameOf(named);
  const [first] = node.children;
  return first === undefined || first.field === 'type' ? null : nameOf(first);
}

/** The parameters of a function or lambda. */
export function parametersOf(node: PyNode): readonly PyNode[] {
  const list = part(node, 'parameters') ?? parts(node, 'parameters')[0];
  return (list?.children ?? []).filter(({ type }) => !/_separator$/.test(type));
}
