import { isUtf8 } from 'node:buffer';
import { Compile } from 'typebox/schema';
import { invalidField } from './errors.ts';
import { PATTERN_PROBLEMS } from './schema.ts';

/** A JSON Schema, written as data so that no builder has to be loaded in threads. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The problem of a field, named like `risk_patterns.0.id`. */
export interface FieldProblem {
  field: string;
  problem: string;
}

/**
 * Compiles a schema into a check. The check returns the value, typed, or throws INVALID_ARGUMENT
 * with a message that names the first wrong field (`details.field`) and what is wrong with it.
 * `what` names the whole in messages: "body", "query".
 */
export function createValidator<T>(schema: JsonSchema, what: string): (value: unknown) => T {
  const find = createProblemFinder(schema, what);
  return (value) => {
    const [first] = find(value);
    if (first === undefined) return value as T;
    const { field, problem } = first;
    throw invalidField(field, problem);
  };
}

/** The same check, but it lists everything that is wrong; nothing: the value fits. */
export function createProblemFinder(
  schema: JsonSchema,
  what: string,
): (value: unknown) => FieldProblem[] {
  let compiled: ReturnType<typeof Compile> | null = null;
  return (value) => {
    // At its first use: a start would wait for the schemas of all routes.
    compiled ??= Compile(schema);
    const validator = compiled;
    if (validator.Check(value)) return [];
    const errors = (validator.Errors(value)[1] as readonly SchemaError[]).filter(isOfOneField);
    if (errors.length === 0) return [{ field: what, problem: 'is not valid' }];
    return errors.map((error) => ({ field: fieldOf(error, what), problem: problemOf(error) }));
  };
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: Readonly<Record<string, unknown>>;
  message: string;
}

/** Unknown fields are named together, and once more each on its own (`boolean`). */
function isOfOneField({ keyword }: SchemaError): boolean {
  return keyword !== 'additionalProperties';
}

function fieldOf(error: SchemaError, what: string): string {
  const named = error.params['requiredProperties'];
  const name = Array.isArray(named) ? `/${String(named[0])}` : '';
  return `${error.instancePath}${name}`.slice(1).replaceAll('/', '.') || what;
}

function problemOf(error: SchemaError): string {
  const { limit, allowedValues } = error.params;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'boolean':
      return 'is not a known field';
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'pattern':
      return (
        PATTERN_PROBLEMS.get(error.params['pattern']) ?? 'holds a character that is not allowed'
      );
    case 'enum':
      return `must be one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : '...'}`;
    default:
      return error.message;
  }
}

/** The value of a JSON body. Throws INVALID_ARGUMENT that quotes nothing of it. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    throw invalidField('body', 'must be UTF-8; replace or escape bytes that are not');
  }
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    // The parser's own message quotes the body, which may hold secrets.
    const position = /position (\d+)/.exec(String(thrown))?.[1];
    const where = position === undefined ? '' : ` at character ${position}`;
    throw invalidField('body', `is not JSON${where}`);
  }
  requireUniqueNames(text, value, 'body');
  return value;
}

/**
 * INVALID_ARGUMENT for JSON in which an object has the same name twice, at any level: parsers
 * differ in which of the two counts (RFC 8259, 4), so a check on the way may have seen the other
 * one. `value` is what `JSON.parse` made of `text`: it keeps one entry of a repeated name, however
 * that is escaped, so the text then has more names than the value. Linear in the text; strings are
 * passed over by their quotation marks.
 */
export function requireUniqueNames(text: string, value: unknown, what: string): void {
  if (countNames(text) === countEntries(value)) return;
  throw invalidField(what, 'gives a field twice in one object; send each field once');
}

/** The names of members in a valid JSON text: its strings that a colon follows. */
function countNames(text: string): number {
  let names = 0;
  let open = text.indexOf('"');
  while (open !== -1) {
    let close = text.indexOf('"', open + 1);
    while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
    let after = close + 1;
    while (isJsonSpace(text.charCodeAt(after))) after += 1;
    if (text.charCodeAt(after) === COLON) names += 1;
    open = text.indexOf('"', after);
  }
  return names;
}

/** Whether an odd number of backslashes stands before a place in a string. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}

function isJsonSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

/** The members of all objects in a value that `JSON.parse` made; no call for each level. */
function countEntries(value: unknown): number {
  let entries = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inside = Object.values(next);
    if (!Array.isArray(next)) entries += inside.length;
    for (const one of inside) if (typeof one === 'object' && one !== null) open.push(one);
  }
  return entries;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;

/**
 * INVALID_ARGUMENT for a body whose sheer number of values would fill the heap of the thread, or
 * whose lists and maps are within each other so often that to write it again would end the stack.
 */
export function checkJsonValues(bytes: Buffer, max: number, depthMax = Infinity): void {
  let inString = false;
  let values = 0;
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === QUOTE) inString = !inString;
    else if (inString && byte === BACKSLASH) i += 1;
    else if (!inString && (byte === OPEN_BRACKET || byte === OPEN_BRACE || byte === COMMA)) {
      values += 1;
      if (byte === COMMA) continue;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (!inString && (byte === CLOSE_BRACKET || byte === CLOSE_BRACE)) depth -= 1;
  }
  if (values > max) {
    throw invalidField('body', `more than ${max} values`);
  }
  if (deepest > depthMax) {
    throw invalidField('body', `more than ${depthMax} lists and maps within each other`);
  }
}
