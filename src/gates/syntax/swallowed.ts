import { mayHoldSink } from './hints.ts';
import { child, childNodes, list, type SyntaxNode, text } from './taint/node.ts';

/**
 * Whether a tree takes something for no code that may be code: the text of an element, a method's
 * signature. A hunk is parsed within guessed surroundings, and within `<>...</>` every text is
 * fine; a reading that hides a sink's words is no reading of code that has them. `isTemplate`: so
 * is the text of templates, because a template was guessed.
 */
export function swallowsCode(tree: SyntaxNode, isTemplate: boolean): boolean {
  const todo: SyntaxNode[] = [tree];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (hidesSink(node) || (isTemplate && isSinkTemplate(node))) return true;
    todo.push(...childNodes(node));
  }
  return false;
}

function hidesSink(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'JSXText':
      return isSink(text(node, 'value'));
    case 'TsMethodSignature':
      return isCallLike(node, text(child(node, 'key'), 'value'), child(node, 'typeAnn'));
    case 'ClassMethod': {
      const method = child(node, 'function');
      if (child(method, 'body') !== null) return false;
      return isCallLike(method, text(child(node, 'key'), 'value'), child(method, 'returnType'));
    }
    default:
      return false;
  }
}

function isSinkTemplate(node: SyntaxNode): boolean {
  return node.type === 'TemplateElement' && isSink(text(node, 'raw'));
}

/** `exec(command)` without a type anywhere: a signature would have some. */
function isCallLike(node: SyntaxNode | null, name: string, returnType: SyntaxNode | null): boolean {
  const params = list(node, 'params').map((param) => child(param, 'pat') ?? param);
  const isUntyped = params.every((param) => child(param, 'typeAnnotation') === null);
  return returnType === null && params.length > 0 && isUntyped && isSink(`${name}(x)`);
}

function isSink(code: string): boolean {
  return mayHoldSink(Buffer.from(code));
}
