import type { FunctionDeclaration, FunctionId, Parameter, Statement } from '../../il/il.ts';
import { child, field, fixedName, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { assign, declaration, evaluate, load, member, parameterWith } from '../forms.ts';
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
}

/** Lowers a function, method, accessor or static block; gives its number. */
export function lowerFunction(
  context: Context,
  node: SyntaxNode,
  { name, kind = 'closure', owner = null, isPrivate = false }: FunctionOptions,
): FunctionId {
  const { frame: outerFrame } = context;
  const span = context.spanOf(node);
  const isArrow = node.type === 'ArrowFunctionExpression';
  const head = {
    ...span,
    name,
    kind,
    owner: owner?.id ?? null,
    isStatic: owner?.isStatic === true,
    isPrivate,
    isAsync: field(node, 'async') === true,
    isGenerator: field(node, 'generator') === true,
  };
  const number = context.addFunction(head, (id) => {
    // An arrow sees `this` and `arguments` of the function around it.
    const frame = isArrow ? null : context.newFrame(owner);
    if (frame !== null) context.frame = frame;
    const inside = context.within(true, () => {
      const own = text(child(node, 'identifier'), 'value');
      const opening: Statement[] = [];
      if (node.type === 'FunctionExpression' && own !== '') {
        const { variable } = context.declare(own);
        opening.push(declaration(span, variable, { ...span, form: 'closure', id }));
      }
      const { parameters, statements } = parametersOf(context, node);
      const body = bodyOf(context, node);
      return { parameters, body: body === null ? null : [...opening, ...statements, ...body] };
    });
    return {
      ...inside,
      result: typeOf(context, child(child(node, 'returnType'), 'typeAnnotation')),
      annotations: annotationsOf(context, node),
      ...(frame?.usesSelf === true ? { self: frame.self } : {}),
      ...(frame?.usesGiven === true ? { given: frame.given } : {}),
    };
  });
  context.frame = outerFrame;
  return number;
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
  const place = load(span, variable);
  const statements: Statement[] = [];
  if (isOptional) {
    const value = isMissing(place, context.expression(child(pattern, 'right'), pattern));
    statements.push(evaluate(span, assign(span, place, value)));
  }
  if (!isName) {
    for (const { name: part } of boundNames(inner)) context.declare(part);
    statements.push(...bind(context, inner, place, 'declare'));
  }
  const keys = list(inner, 'properties').flatMap((one) => fixedName(child(one, 'key')) ?? []);
  const parameter = parameterWith(span, name, variable, {
    type: annotatedType(context, inner) ?? annotatedType(context, pattern),
    annotations: annotationsOf(context, outer),
    isRest,
    ...(inner?.type === 'ObjectPattern' ? { keys } : {}),
  });
  return { parameter, statements };
}

/** `constructor(private pool: Pool)`: the parameter is a field as well. */
function keptIn(context: Context, parameter: Parameter): Statement[] {
  const owner = context.frame?.owner ?? null;
  if (owner === null) return [];
  const place = member(parameter, load(parameter, owner.self), parameter.name);
  return [evaluate(parameter, assign(parameter, place, load(parameter, parameter.variable)))];
}

function bodyOf(context: Context, node: SyntaxNode): readonly Statement[] | null {
  const body = child(node, 'body');
  if (body === null) return null;
  if (/^(?:BlockStatement|FunctionBody)$/.test(body.type ?? '')) {
    return context.parts.body(context, list(body, 'stmts'), true);
  }
  const { start, end } = context.spanOf(body);
  return [{ start, end, form: 'return', value: context.expression(body, node) }];
}
