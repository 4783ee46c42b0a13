import type { Constant, Expression } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { cast, constant, plainType, spanOf } from '../forms.ts';
import type { Context } from './context.ts';

const INTEGER = plainType('int', 'builtins.int');

/** Text of a literal; of an f-string with what stands in its braces. */
export function stringOf(context: Context, node: TreeNode): Expression {
  const opening = typed(node, 'string_start');
  const isRaw = opening !== null && /r/i.test(context.textOf(opening));
  const parts: Expression[] = [];
  for (const child of node.children) {
    if (child.type === 'string_content') {
      const text = context.textOf(child).replace(/\{\{|\}\}/g, bracesIn(opening, context));
      const value = isRaw ? text : unescaped(text);
      parts.push(constant(child, value));
    } else if (child.type === 'interpolation') parts.push(...holeOf(context, child));
  }
  const [only] = parts;
  if (only === undefined) return constant(node, '');
  if (parts.length === 1 && only.form === 'constant') return { ...only, ...spanOf(node) };
  return { ...spanOf(node), form: 'text', parts };
}

/** In an f-string a brace stands twice for itself. */
function bracesIn(opening: TreeNode | null, context: Context): (found: string) => string {
  const isFormat = opening !== null && /f/i.test(context.textOf(opening));
  return (found) => (isFormat ? found.charAt(0) : found);
}

/** `{value!r:>{width}}`: numbers alone where the format says so. */
function holeOf(context: Context, node: TreeNode): Expression[] {
  const value = context.expressionOr(part(node, 'expression') ?? node.children[0] ?? null, node);
  const specifier = part(node, 'format_specifier');
  const inner = specifier === null ? [] : specifier.children;
  const nested = inner.flatMap((one) => holeOf(context, one));
  const format = specifier === null ? '' : context.textOf(specifier);
  const isNumber = /[dxXobeEfFgGn%]$/.test(format) && part(node, 'type_conversion') === null;
  if (!isNumber) return [value, ...nested];
  return [cast(node, INTEGER, value), ...nested];
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{2,3})|([\s\S]))/g,
    (whole, two?: string, four?: string, eight?: string, octal?: string, one = '') => {
      const hex = two ?? four ?? eight;
      const code = hex !== undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal ?? '', 8);
      if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      return ESCAPES.get(one) ?? whole;
    },
  );
}

/** The value of a number or of a name such as `None`. */
export function literalOf(type: string, text: string): Constant {
  switch (type) {
    case 'true':
    case 'false':
      return type === 'true';
    case 'none':
      return null;
    case 'ellipsis':
      return text;
    default: {
      const digits = text
        .replaceAll('_', '')
        .replace(/^0(?=[0-7]+$)/, '0o')
        .replace(/l$/i, '');
      const number = Number(digits);
      return Number.isNaN(number) ? text : number;
    }
  }
}
