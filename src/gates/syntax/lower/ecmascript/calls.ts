import type { Argument, Expression } from '../../il/il.ts';
import { bare, child, field, list, type SyntaxNode, text } from '../../taint/node.ts';
import { type Context, plainType } from './context.ts';
import { CONSTRUCTOR, memberName, pathOf, selfOf } from './names.ts';
import { namedType } from './types.ts';

function argumentsOf(context: Context, node: SyntaxNode): Argument[] {
  return list(node, 'arguments').map((argument) => ({
    value: context.expression(child(argument, 'expression'), node),
    name: null,
    isSpread: field(argument, 'spread') != null,
  }));
}

/** A call: of a method, of a name that the file does not declare, or of a value. */
export function callOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const path = pathOf(context, node);
  if (path !== null) return { ...span, form: 'name', name: path, path };
  const callee = bare(child(node, 'callee'));
  const at = context.spanOf(callee);
  switch (callee?.type) {
    case 'Identifier': {
      const name = text(callee, 'value');
      const target = context.expression(callee, node);
      if (target.form === 'name') {
        const own = {
          form: 'call',
          receiver: null,
          name,
          path: target.path,
          isBase: false,
        } as const;
        return { ...span, ...own, arguments: argumentsOf(context, node), at };
      }
      const call = { form: 'apply', callee: target, name, isNew: false } as const;
      return { ...span, ...call, arguments: argumentsOf(context, node), at };
    }
    case 'Super': {
      const receiver = selfOf(context, at);
      const call = { form: 'call', receiver, name: CONSTRUCTOR, path: null, isBase: true } as const;
      return { ...span, ...call, arguments: argumentsOf(context, node), at };
    }
    case 'Import': {
      const call = {
        form: 'call',
        receiver: null,
        name: 'import',
        path: null,
        isBase: false,
      } as const;
      return { ...span, ...call, arguments: argumentsOf(context, node), at };
    }
    case 'MemberExpression':
    case 'SuperPropExpression': {
      const property = child(callee, 'property');
      const name = memberName(property);
      const target = context.expression(callee, node);
      const where = context.spanOf(property);
      if (target.form !== 'member' || name === null) {
        const call = { form: 'apply', callee: target, name: name ?? '', isNew: false } as const;
        return { ...span, ...call, arguments: argumentsOf(context, node), at: where };
      }
      const isBase = callee.type === 'SuperPropExpression';
      const call = { form: 'call', receiver: target.object, name, path: null, isBase } as const;
      return { ...span, ...call, arguments: argumentsOf(context, node), at: where };
    }
    default: {
      const target = context.expression(callee, node);
      const call = { form: 'apply', callee: target, name: '', isNew: false } as const;
      return { ...span, ...call, arguments: argumentsOf(context, node), at };
    }
  }
}

/** `new A()`: of a class of the file, of a package or of a name, or of a value. */
export function makeOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const callee = bare(child(node, 'callee'));
  const target = context.expression(callee, node);
  const property = child(callee, 'property');
  const at = context.spanOf(property ?? callee);
  const isNamed = target.form === 'class' || isFreeName(target);
  if (!isNamed) {
    const name = memberName(property) ?? text(callee, 'value');
    const call = { form: 'apply', callee: target, name, isNew: true } as const;
    return { ...span, ...call, arguments: argumentsOf(context, node), at };
  }
  const type = namedType(context, callee) ?? plainType(context.textOf(callee));
  const own = target.form === 'class' ? target.id : null;
  const path = own === null ? pathOf(context, callee) : null;
  return {
    ...span,
    form: 'new',
    type: { ...type, own, path },
    arguments: argumentsOf(context, node),
    at,
  };
}

/** Whether nothing but names that the file does not declare stands there. */
function isFreeName(target: Expression): boolean {
  return target.form === 'member' ? isFreeName(target.object) : target.form === 'name';
}
