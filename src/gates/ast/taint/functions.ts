import { words } from '../words.ts';
import { child, fixedName, list, type SyntaxNode, text } from './node.ts';
import { bind } from './patterns.ts';
import { type Run, within } from './run.ts';
import { isRequestData } from './sources.ts';
import { fromSource, UNKNOWN, type Value, withRole, worse } from './value.ts';

const FUNCTIONS = new Set([
  'FunctionExpression',
  'FunctionDeclaration',
  'ArrowFunctionExpression',
  'MethodProperty',
  'Constructor',
]);
/** Second parameters of request handlers. */
const RESPONSE_NAMES = /^(?:res|reply|response|resp|h|rep)$/;
/** Entry points of frameworks: the destructured first parameter holds a request's parts. */
const ENTRY_NAMES = words(`
  loader action GET POST PUT PATCH DELETE HEAD OPTIONS handler load getServerSideProps
  getInitialProps Page default
`);
/** Parts of a request that only such entry points destructure. */
const ENTRY_DATA = new Set(['params', 'searchParams', 'query', 'url']);

/** Whether a node is a function of any kind. */
export function isFunction(node: SyntaxNode): boolean {
  return FUNCTIONS.has(node.type ?? '');
}

/**
 * Evaluates a function's body with its parameters bound; gives the worst value that it returns.
 * `known` holds what the call that takes the function says of its parameters.
 */
export function evaluateFunction(
  run: Run,
  node: SyntaxNode,
  known: readonly Value[],
  name: string,
): Value {
  const isExported = run.isExporting;
  const outerReturns = run.returns;
  run.isExporting = false;
  run.returns = [];
  const params = parametersOf(node);
  try {
    return within(run, true, () => {
      for (const [index, param] of params.entries()) {
        const value = known[index] ?? parameterValue(run, params, index, isExported, name);
        bind(run, param, value, 'parameter');
      }
      const body = child(node, 'body');
      const result = run.evaluate(body);
      const isExpression =
        body !== null && !/^(?:FunctionBody|BlockStatement)$/.test(body.type ?? '');
      if (isExpression) return result;
      return run.returns.reduce<Value>(
        (worst, value) => worse(worst, value),
        run.returns[0] ?? UNKNOWN,
      );
    });
  } finally {
    run.isExporting = isExported;
    run.returns = outerReturns;
  }
}

/** Patterns of the parameters, without what TypeScript and decorators put around them. */
function parametersOf(node: SyntaxNode): (SyntaxNode | null)[] {
  return list(node, 'params').map((param) => child(param, 'pat') ?? child(param, 'param') ?? param);
}

function parameterValue(
  run: Run,
  params: readonly (SyntaxNode | null)[],
  index: number,
  isExported: boolean,
  functionName: string,
): Value {
  const param = params[index] ?? null;
  if (param?.type === 'ObjectPattern' && index === 0) {
    const role = destructuredRole(param, params[1] ?? null, isExported, functionName);
    if (role !== null) return role;
  }
  if (index === 1 && isResolver(params)) {
    return fromSource({
      strength: 'strong',
      text: nameOf(param),
      line: run.lineOf(param),
      isWhole: false,
    });
  }
  if (!isExported || param === null) return UNKNOWN;
  const name = nameOf(param);
  return fromSource({ strength: 'weak', text: name, line: run.lineOf(param), isWhole: false });
}

/** `({ body }, res)`, `({ request })`, `export function loader({ params })`. */
function destructuredRole(
  pattern: SyntaxNode,
  second: SyntaxNode | null,
  isExported: boolean,
  functionName: string,
): Value | null {
  const keys = list(pattern, 'properties').map(
    (property) => fixedName(child(property, 'key')) ?? '',
  );
  if (keys.includes('request') || keys.includes('req')) return withRole('context');
  const isHandler = RESPONSE_NAMES.test(nameOf(second)) && keys.some(isRequestData);
  if (isHandler) return withRole('request');
  const isEntry = isExported && ENTRY_NAMES.has(functionName);
  return isEntry && keys.some((key) => ENTRY_DATA.has(key)) ? withRole('context') : null;
}

/** A resolver of GraphQL: `(parent, args, context)`. */
function isResolver(params: readonly (SyntaxNode | null)[]): boolean {
  const [first, second] = params;
  return (
    /^(?:parent|root|_parent|_root|obj)$/.test(nameOf(first ?? null)) &&
    nameOf(second ?? null) === 'args'
  );
}

function nameOf(param: SyntaxNode | null): string {
  if (param?.type === 'Identifier') return text(param, 'value');
  if (param?.type === 'AssignmentPattern') return nameOf(child(param, 'left'));
  return param?.type === 'RestElement' ? nameOf(child(param, 'argument')) : 'parameter';
}
