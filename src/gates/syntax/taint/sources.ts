import { type Use, words } from '../../../rules/catalogue/line.ts';
import { child, fixedName, list, type SyntaxNode, text } from './node.ts';
import type { Run } from './run.ts';
import {
  outside,
  type Role,
  type Source,
  UNKNOWN,
  type Value,
  withOrigin,
  withRole,
} from './value.ts';

/** Names that everybody gives to the things that carry outside data. */
const ROLE_NAMES: ReadonlyMap<string, Role> = new Map([
  ['req', 'request'],
  ['request', 'request'],
  ['ctx', 'context'],
  ['context', 'context'],
  ['event', 'event'],
  ['evt', 'event'],
  ['location', 'location'],
  ['document', 'document'],
  ['window', 'window'],
  ['globalThis', 'window'],
  ['process', 'process'],
  ['socket', 'socket'],
]);

/** Types of Express, Fastify, Koa, Next, Remix, Lambda, Node and the DOM. */
const ROLE_TYPES: readonly (readonly [RegExp, Role])[] = [
  [
    /(?:^|Api|Fastify|Next|Http|Server|Auth\w{0,40})Request$|^(?:IncomingMessage|ServerRequest)$/,
    'request',
  ],
  [
    /^(?:Koa|Router|Parameterized|Hono|Gin|ExecutionC)?Context$|^GetServerSidePropsContext$/,
    'context',
  ],
  [/^(?:Loader|Action)(?:FunctionArgs|Args)$|^(?:DataFunctionArgs|RouteContext)$/, 'context'],
  [/^APIGateway\w*Event(?:V2)?$|^(?:LambdaFunctionURL|SQS|S3|SNS|ALB|H3|Message)Event$/, 'event'],
  [/^(?:Web)?Socket$/, 'socket'],
];

const REQUEST_DATA = words(`
  body query params headers cookies signedCookies url originalUrl path hostname file files
  rawBody rawHeaders querystring nextUrl fields payload
`);
/** Of these the sender makes the whole object. */
const WHOLE_DATA = new Set(['body', 'query', 'payload', 'rawBody']);
const REQUEST_CALLS = words(`
  get header param query json text formData arrayBuffer valid cookie parseBody queries input all
  qs
`);
const CONTEXT_DATA = words(`
  query params querystring url originalUrl path headers header cookies searchParams
`);
const EVENT_DATA = words(`
  body queryStringParameters pathParameters multiValueQueryStringParameters headers
  multiValueHeaders rawQueryString rawPath data Records arguments
`);
const GLOBAL_ROLES: ReadonlyMap<string, Value> = new Map([
  ['location', withRole('location')],
  ['document', withRole('document')],
]);
const LOCATION_DATA = words('hash search href pathname');
const DOCUMENT_DATA = words('cookie referrer URL documentURI');
/** Names of files in an archive, in the readers that call back with entries. */
const ARCHIVE_DATA = words('path fileName filename entryName name');

/** Functions that read a request given to them, or of the framework: h3, Nuxt, Next. */
const SOURCE_CALLS = words(`
  getQuery readBody readRawBody readFormData getRouterParam getRouterParams getCookie getHeader
  getHeaders getRequestHeader useSearchParams useQuery useParams
`);
/** Functions whose result carries a request's data. */
const ROLE_CALLS: ReadonlyMap<string, Role> = new Map([
  ['useRouter', 'context'],
  ['useRoute', 'context'],
  ['getCurrentRequest', 'request'],
]);
/** Free names that hold outside data wherever they are not declared. */
const SOURCE_NAMES = words('searchParams formData userInput user_input');
/** A client can't put another host or scheme into these; what is cut out of them it can. */
const OWN_PLACE: readonly Use[] = ['url', 'redirect'];
const PLACE_DATA = words('url originalUrl path hostname nextUrl rawPath pathname href');

/** Names that the readers of uploads make up themselves: multer, formidable. */
const STORED_NAMES = words('path filename destination tempFilePath filepath buffer');
const STORED: readonly Use[] = ['path'];

/** The role of a name that is a parameter or is declared outside the fragment. */
export function roleOf(name: string): Role | null {
  return ROLE_NAMES.get(name) ?? null;
}

/** The role of a parameter of that type. */
export function roleOfType(name: string): Role | null {
  return ROLE_TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** Properties of a destructured parameter that make it a request: `({ body, query }, res)`. */
export function isRequestData(name: string): boolean {
  return REQUEST_DATA.has(name);
}

/** A free name that is a source by itself. */
export function freeSource(name: string, line: number): Value | null {
  if (name === 'argv') return outside('operator', name, line);
  return SOURCE_NAMES.has(name) ? outside('strong', name, line) : null;
}

/**
 * A member of something with a role: a source, another role, or null when it is nothing special.
 * `path` is how it is written, for the message.
 */
export function memberOfRole(role: Role, name: string, path: string, line: number): Value | null {
  const strong = () => {
    const isWhole = WHOLE_DATA.has(name);
    return outside('strong', path, line, {
      isWhole,
      mayBeObject: isWhole || name === 'arguments' || name === 'data',
      safeFor: PLACE_DATA.has(name) ? OWN_PLACE : [],
    });
  };
  switch (role) {
    case 'request':
      if (name === 'request' || name === 'req' || name === 'raw') return withRole('request');
      return REQUEST_DATA.has(name) ? strong() : null;
    case 'context':
      if (name === 'request' || name === 'req') return withRole('request');
      return CONTEXT_DATA.has(name) ? strong() : null;
    case 'event':
      if (name === 'request' || name === 'req') return withRole('request');
      if (name === 'node') return withRole('context');
      return EVENT_DATA.has(name) ? strong() : null;
    case 'location':
      return LOCATION_DATA.has(name) ? strong() : null;
    case 'document':
      if (name === 'location') return withRole('location');
      return DOCUMENT_DATA.has(name) ? strong() : null;
    case 'window':
      return name === 'name' ? strong() : (GLOBAL_ROLES.get(name) ?? null);
    case 'archive':
      return ARCHIVE_DATA.has(name) ? strong() : null;
    case 'process':
      if (name === 'env') return outside('operator', path, line);
      return name === 'argv' ? outside('operator', path, line) : null;
    case 'this':
      if (name === 'req' || name === 'request') return withRole('request');
      return name === 'ctx' ? withRole('context') : null;
    case 'regex':
    case 'socket':
    case 'collection':
    case 'page':
    case 'plain':
    case 'elements':
    case 'hash':
    case 'random':
    case 'nothing':
      return null;
  }
}

/** A call on something with a role: `req.get('x')`, `await request.json()`; or null. */
export function callOnRole(role: Role, name: string, path: string, line: number): Value | null {
  if (role !== 'request' || !REQUEST_CALLS.has(name)) return null;
  const isWhole = name === 'json';
  return outside('strong', `${path}()`, line, { isWhole });
}

/** A call that gives outside data by its name: `getQuery(event)`; or null. */
export function sourceCall(name: string, argument: Value | undefined, line: number): Value | null {
  const role = ROLE_CALLS.get(name);
  if (role !== undefined) return withRole(role);
  if (!SOURCE_CALLS.has(name)) return null;
  // Others have functions of these names too, but for an event only h3 does.
  if (!name.startsWith('use') && argument?.role !== 'event') return null;
  return outside('strong', `${name}()`, line, { isWhole: name === 'readBody' });
}

/** A member of data from outside. Its parts are no longer bound to the sender's own place. */
export function memberOfSource(source: Source, name: string | null): Source {
  const text = memberText(source.text, name);
  // What Host says is where the request went: a redirect there stays there.
  const isHost = name === 'host' || name === 'hostname';
  const isOfFile = /\bfiles?$|^data of formidable(?:\.\w+)?$/.test(source.text);
  const isStored = isOfFile && STORED_NAMES.has(name ?? '');
  const safeFor = isHost && /headers?$/.test(source.text) ? OWN_PLACE : isStored ? STORED : [];
  // `origin` of an address, `address` of what a name server answers, or one of several.
  const isOfUrl =
    source.isUrl && (isHost || name === null || /^(?:origin|address|\d+)$/.test(name));
  return {
    ...source,
    isWhole: false,
    safeFor,
    hostOf: isOfUrl ? source.text : null,
    isUrl: false,
    text: text.length > 80 ? source.text : text,
  };
}

function memberText(text: string, name: string | null): string {
  if (name === null) return `${text}[...]`;
  return text === 'parameter' ? name : `${text}.${name}`;
}

/** Members that hold an outsider's name for a file, whatever they are members of. */
export function isForeignName(name: string): boolean {
  return name === 'originalname' || name === 'entryName';
}

/** Origin of what every program has; `global.require` is whatever loads a module by its name. */
const GLOBAL = 'global.';
/** Global functions that sinks know by their names, so that other names for them are followed. */
const FUNCTIONS = words(`
  eval Function AsyncFunction GeneratorFunction require setTimeout setInterval setImmediate fetch
`);
const GLOBAL_MEMBER = /^(?:window|globalThis|global|self|top|parent|frames)\.(\w+)$/;
/** Other ways to `require`, as they are written or by where they were imported from. */
const LOADER =
  /^(?:(?:module|process\.mainModule|require\.main)\.require|(?:\w+\.)?getBuiltinModule|(?:Module|module|global\.constructor)\._load|new module\.require)$/;
/** What every function inherits from, by the origin of the function. */
const PROTOTYPE = 'global.Function.prototype';
/** Methods of texts and lists: their constructor is `Function`. */
const METHODS = words(`
  map filter find forEach reduce some every sort flat concat slice push pop at fill join includes
  indexOf replace split trim link big bold sub sup toString valueOf call apply bind
`);

/** The value of a global function's name; null for other names. */
export function globalValue(name: string): Value | null {
  return FUNCTIONS.has(name) || name === 'Reflect' ? withOrigin(GLOBAL + name) : null;
}

/** The same for a member path whose first name is not declared: `globalThis.eval`. */
export function globalMember(path: string): Value | null {
  if (LOADER.test(path)) return withOrigin(`${GLOBAL}require`);
  const name = GLOBAL_MEMBER.exec(path)?.[1];
  return name === undefined ? null : globalValue(name);
}

/** Name of the global function that an origin stands for; null for another one. */
export function globalName(origin: string | null): string | null {
  if (origin === null) return null;
  if (LOADER.test(origin)) return 'require';
  const name = origin.startsWith(GLOBAL) ? origin.slice(GLOBAL.length) : '';
  return FUNCTIONS.has(name) ? name : null;
}

/** What a function or its like inherits from. */
export function prototypeValue(): Value {
  return withOrigin(PROTOTYPE);
}

/**
 * `value.constructor`: of a function, of its prototype or of another constructor it is
 * `Function`; of anything else only that it is a constructor is known.
 */
export function constructorOf({ origin, callable }: Value): Value {
  const isFunction = callable !== null || origin === PROTOTYPE || origin === `${GLOBAL}constructor`;
  const isGlobal = globalName(origin) !== null;
  return withOrigin(isFunction || isGlobal ? `${GLOBAL}Function` : `${GLOBAL}constructor`);
}

/** Whether members of that name are methods of texts and lists, and so functions. */
export function isBuiltInMethod(name: string | null): boolean {
  return name !== null && METHODS.has(name);
}

/** `import { a as b } from 'c'` */
export function importDeclaration(run: Run, node: SyntaxNode): Value {
  const module = text(child(node, 'source'), 'value').replace(/^node:/, '');
  if (run.isSynthetic(child(node, 'source') ?? node)) return UNKNOWN;
  for (const specifier of list(node, 'specifiers')) {
    const local = text(child(specifier, 'local'), 'value');
    const isNamed = specifier?.type === 'ImportSpecifier';
    const imported = text(child(specifier, 'imported'), 'value') || local;
    const isWhole = !isNamed || imported === 'default';
    run.scope.values.set(local, withOrigin(isWhole ? module : `${module}.${imported}`));
  }
  return UNKNOWN;
}

/** `import fs = require('fs')` */
export function importEquals(run: Run, node: SyntaxNode): Value {
  const module = text(child(child(node, 'moduleRef'), 'expression'), 'value');
  const name = text(child(node, 'id'), 'value');
  run.scope.values.set(name, module === '' ? UNKNOWN : withOrigin(module.replace(/^node:/, '')));
  return UNKNOWN;
}

/** What is exported: its parameters come from callers elsewhere. */
export function exported(run: Run, node: SyntaxNode | null): Value {
  run.isExporting = true;
  run.evaluate(node);
  run.isExporting = false;
  return UNKNOWN;
}

/** `export { run }`, `module.exports = { run }`, `exports.run = run`. */
export function collectExports(run: Run, statements: readonly (SyntaxNode | null)[]): void {
  for (const statement of statements) {
    for (const specifier of list(statement, 'specifiers')) {
      const original = text(child(specifier, 'orig'), 'value');
      if (original !== '') run.exportedNames.add(original);
    }
    const expression = child(statement, 'expression');
    if (statement?.type === 'ExportDefaultExpression') {
      for (const name of exportedIdentifiers(expression)) run.exportedNames.add(name);
    }
    if (expression?.type !== 'AssignmentExpression') continue;
    const target = child(expression, 'left');
    const object = child(target, 'object');
    const root = text(object, 'value');
    if (
      root !== 'module' &&
      root !== 'exports' &&
      fixedName(child(object, 'property')) !== 'exports'
    )
      continue;
    const right = child(expression, 'right');
    for (const name of exportedIdentifiers(right)) run.exportedNames.add(name);
  }
}

function exportedIdentifiers(node: SyntaxNode | null): string[] {
  if (node?.type === 'Identifier') return [text(node, 'value')];
  if (node?.type !== 'ObjectExpression') return [];
  return list(node, 'properties').flatMap((property) => {
    return exportedIdentifiers(
      property?.type === 'Identifier' ? property : child(property, 'value'),
    );
  });
}
