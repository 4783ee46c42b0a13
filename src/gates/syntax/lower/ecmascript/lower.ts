import type { Module, Statement } from '../../il/il.ts';
import { field, type SyntaxNode } from '../../parse/swc-node.ts';
import { load } from '../forms.ts';
import { Context, type Piece } from './context.ts';
import { lowerExpression, valueNamed } from './expressions.ts';
import { lowerFunction } from './functions.ts';
import { declareAll, functionsOf, noteNames, unwrapped } from './scopes.ts';
import { lowerBody, lowerStatement } from './statements.ts';

/**
 * Lowers a file of JavaScript or TypeScript, or the trees of a part of one: they are looked at as
 * one file.
 */
export function lowerEcmascript(pieces: readonly Piece[]): Module {
  const context = new Context({
    expression: lowerExpression,
    statement: lowerStatement,
    body: lowerBody,
    closure: (own, node, name) => lowerFunction(own, node, { name }),
    valueNamed,
  });
  for (const { tree } of pieces) noteNames(context, tree);
  for (const name of context.assigned) context.globals.set(name, context.temporary(name));
  const exported = context.temporary('exports');
  context.exported = exported;
  const body: Statement[] = [];
  const statements = pieces.map((piece) => {
    context.open(piece);
    return unwrapped(context, nodesOf(piece));
  });
  for (const [index, piece] of pieces.entries()) {
    context.open(piece);
    declareAll(context, statements[index] ?? [], true);
  }
  for (const [index, piece] of pieces.entries()) {
    context.open(piece);
    body.push(...functionsOf(context, statements[index] ?? []));
  }
  for (const [index, piece] of pieces.entries()) {
    context.open(piece);
    body.push(...(statements[index] ?? []).flatMap((node) => context.statement(node)));
  }
  const { variables, functions, classes, unknown, cut } = context;
  const nowhere = { start: 0, end: 0 };
  const offer = { ...context.offer, whole: load(nowhere, exported) };
  return { variables, functions, classes, body, unknown, cut, exported, offer };
}

function nodesOf({ tree }: Piece): SyntaxNode[] {
  const body = field(tree, 'body');
  return Array.isArray(body) ? (body as SyntaxNode[]) : [];
}
