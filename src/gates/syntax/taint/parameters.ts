import { words } from '../words.ts';
import { bare, child, fixedName, list, type SyntaxNode, text } from './node.ts';
import type { Run } from './run.ts';
import { isRequestData } from './sources.ts';
import { outside, TRUSTED, UNKNOWN, type Value, withRole } from './value.ts';

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
    const name = text(child(call, 'callee') ?? call, 'value');
    if (REQUEST_DECORATORS.has(name)) return withRole('request');
    if (!DATA_DECORATORS.has(name)) continue;
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

/** Name of a parameter's type: `string`, `Request` of `express.Request`; '' for all else. */
export function typeNameOf(pattern: SyntaxNode | null): string {
  const type = child(child(pattern, 'typeAnnotation'), 'typeAnnotation');
  if (type?.type === 'TsKeywordType') return text(type, 'kind');
  const name = child(type, 'typeName');
  return text(name?.type === 'TsQualifiedName' ? child(name, 'right') : name, 'value');
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
