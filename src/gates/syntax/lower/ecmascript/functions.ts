import type {
  Expression,
  FunctionDeclaration,
  FunctionId,
  Parameter,
  Span,
  Statement,
} from '../../il/il.ts';
import { child, field, fixedName, list, type SyntaxNode, text } from '../../taint/node.ts';
import { annotationsOf } from './annotations.ts';
import type { Context, Frame } from './context.ts';
import { bind, isMissing } from './patterns.ts';
import { boundNames } from './scopes.ts';
import { annotatedType, typeOf } from './types.ts';

/** What is known of a function apart from its node. */
interface FunctionOptions {
  readonly name: string;
  readonly kind?: FunctionDeclaration['kind'];
  /** The class whose member it is; null: it has `this` of its own, or sees that of outside. */
  readonly owner?: Frame['owner'];
  readonly isPrivate?: boolean;
  /** The node that holds its decorators, where that is another one. */
  readonly decorated?: SyntaxNode | null;
}

/** Lowers a function, method, accessor or static block; gives its number. */
export function lowerFunction(
  context: Context,
  node: SyntaxNode,
  { name, kind = 'closure', owner = null, isPrivate = false, decorated }: FunctionOptions,
): FunctionId {
  const { size: outerSize, frame: outerFrame } = context;
  const span = context.spanOf(node);
  const isArrow = node.type === 'ArrowFunctionExpression';
  const frame: Frame = { owner, self: null, given: null };
  context.size = 0;
  if (!isArrow || outerFrame === null) context.frame = isArrow ? null : frame;
  const id = context.functions.push(placeholder(span)) - 1;
  const first = context.variables.length;
  const lowered = context.within(true, () => {
    const own = text(child(node, 'identifier'), 'value');
    const opening: Statement[] = [];
    if (node.type === 'FunctionExpression' && own !== '') {
      const { variable } = context.declare(own);
      const value: Expression = { ...span, form: 'closure', id };
      opening.push({ ...span, form: 'declare', variable, type: null, value, annotations: [] });
    }
    const { parameters, statements } = parametersOf(context, node);
    const body = bodyOf(context, node);
    return { parameters, body: body === null ? null : [...opening, ...statements, ...body] };
  });
  context.functions[id] = {
    ...{ id, ...span, name, kind, isPrivate },
    ...lowered,
    result: typeOf(context, child(child(node, 'returnType'), 'typeAnnotation')),
    owner: owner?.id ?? null,
    isStatic: owner?.isStatic === true,
    annotations: annotationsOf(context, decorated ?? node),
    size: context.size,
    variables: [first, context.variables.length],
    ...(frame.self === null || owner !== null ? {} : { self: frame.self }),
    ...(frame.given === null ? {} : { given: frame.given }),
    isAsync: field(node, 'async') === true,
    isGenerator: field(node, 'generator') === true,
  };
  context.size += outerSize;
  context.frame = outerFrame;
  return id;
}

function placeholder({ start, end }: Span): FunctionDeclaration {
  return {
    ...{ start, end, id: -1, name: '', kind: 'closure', parameters: [], body: null, result: null },
    ...{ owner: null, isStatic: false, isPrivate: false, annotations: [], size: 0 },
    variables: [0, 0],
  };
}

/** Parameters, and the statements that take them apart or give them what is missing. */
function parametersOf(
  context: Context,
  node: SyntaxNode,
): { readonly parameters: Parameter[]; readonly statements: Statement[] } {
  const statements: Statement[] = [];
  const nodes = list(node, 'params');
  const single = child(node, 'param');
  const parameters = [...nodes, ...(single === null ? [] : [single])].map((outer) => {
    const isProperty = outer?.type === 'TsParameterProperty';
    const pattern = child(outer, 'pat') ?? child(outer, 'param') ?? outer;
    const lowered = parameterOf(context, outer, pattern);
    statements.push(...lowered.statements);
    if (isProperty) statements.push(...keptIn(context, lowered.parameter));
    return lowered.parameter;
  });
  return { parameters, statements };
}

function parameterOf(
  context: Context,
  outer: SyntaxNode | null,
  pattern: SyntaxNode | null,
): { readonly parameter: Parameter; readonly statements: Statement[] } {
  const span = context.spanOf(pattern);
  const isRest = pattern?.type === 'RestElement';
  const isOptional = pattern?.type === 'AssignmentPattern';
  const inner = isRest ? child(pattern, 'argument') : isOptional ? child(pattern, 'left') : pattern;
  const isName = inner?.type === 'Identifier';
  const name = isName ? text(inner, 'value') : '';
  const variable = isName ? context.declare(name).variable : context.temporary();
  const place: Expression = { ...span, form: 'load', variable };
  const statements: Statement[] = [];
  if (isOptional) {
    const fallback = context.expression(child(pattern, 'right'), pattern);
    const value = isMissing(place, fallback);
    const assign: Expression = {
      ...{ ...span, form: 'assign', place, sign: null, value, isAfter: false },
    };
    statements.push({ ...span, form: 'evaluate', value: assign });
  }
  if (!isName) {
    for (const { name: part } of boundNames(inner)) context.declare(part);
    statements.push(...bind(context, inner, place, 'declare'));
  }
  const keys = list(inner, 'properties').flatMap((one) => fixedName(child(one, 'key')) ?? []);
  const parameter: Parameter = {
    ...{ ...span, variable, name, isRest },
    type: annotatedType(context, inner) ?? annotatedType(context, pattern),
    annotations: annotationsOf(context, outer),
    ...(inner?.type === 'ObjectPattern' ? { keys } : {}),
  };
  return { parameter, statements };
}

/** `constructor(private pool: Pool)`: the parameter is a field as well. */
function keptIn(context: Context, { start, end, name, variable }: Parameter): Statement[] {
  const owner = context.frame?.owner ?? null;
  if (owner === null) return [];
  const object: Expression = { start, end, form: 'load', variable: owner.self };
  const place: Expression = { start, end, form: 'member', object, name };
  const value: Expression = { start, end, form: 'load', variable };
  const assign: Expression = {
    ...{ start, end, form: 'assign', place, sign: null, value, isAfter: false },
  };
  return [{ start, end, form: 'evaluate', value: assign }];
}

function bodyOf(context: Context, node: SyntaxNode): readonly Statement[] | null {
  const body = child(node, 'body');
  if (body === null) return null;
  if (/^(?:BlockStatement|FunctionBody)$/.test(body.type ?? '')) {
    return context.parts.body(context, list(body, 'stmts'), true);
  }
  const value = context.expression(body, node);
  return [{ ...context.spanOf(body), form: 'return', value }];
}
