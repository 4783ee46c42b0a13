import type { Expression, Module, Statement, Variable } from '../il/il.ts';
import type { Value } from '../sinks/value.ts';

/** What the language's sets say of a name. */
interface Sets {
  has(set: string, name: string): boolean;
}

/** A media type; browsers run scripts in HTML, XML and SVG. */
const TYPE = /^[a-z]{1,20}\/[\w.+*-]{1,80}(?:\s*;|$)/i;
const ACTIVE = /html|xml|svg|\*/i;

/** Whether a text names a media type in which browsers run no scripts. */
function isPlainType(text: string | null): boolean {
  return text !== null && TYPE.test(text) && !ACTIVE.test(text);
}

/** Whether one of the values that an answer is made with gives it a media type without scripts. */
export function isTypedPlain(given: readonly Value[]): boolean {
  return given.some((one) => isPlainType(one.constant) || hasType(one));
}

function hasType({ properties }: Value): boolean {
  for (const [name, { constant }] of properties ?? []) {
    if (name.toLowerCase() === 'content-type') return isPlainType(constant);
  }
  return false;
}

/**
 * Calls whose result is kept in a variable and gets a media type without scripts in a later
 * statement of the same block: `r = make_response(x)`, `r.headers['Content-Type'] = 'text/plain'`.
 */
export function typedLater({ functions }: Module, knowledge: Sets): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  const waiting: (readonly Statement[])[] = functions.map(({ body }) => body ?? []);
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    const made = new Map<Variable, Expression>();
    for (const statement of list) {
      const set = settingOf(knowledge, statement);
      const call = set === null ? undefined : made.get(set);
      if (call !== undefined) found.add(call);
      const kept = keptBy(statement);
      if (kept !== null) made.set(kept.variable, kept.value);
      waiting.push(...blocksOf(statement));
    }
  }
  return found;
}

function keptBy(statement: Statement): { variable: Variable; value: Expression } | null {
  if (statement.form === 'declare' && statement.value !== null) {
    return { variable: statement.variable, value: statement.value };
  }
  const inner = statement.form === 'evaluate' ? statement.value : null;
  if (inner?.form !== 'assign' || inner.place.form !== 'load') return null;
  return { variable: inner.place.variable, value: inner.value };
}

/** The variable whose answer a statement gives such a type; null: another statement. */
function settingOf(knowledge: Sets, statement: Statement): Variable | null {
  const inner = statement.form === 'evaluate' ? statement.value : null;
  if (inner?.form !== 'assign' || inner.value.form !== 'constant') return null;
  const { place, value } = inner;
  if (!isPlainType(typeof value.value === 'string' ? value.value : null)) return null;
  if (place.form === 'member') {
    const isType = knowledge.has('type-member', place.name);
    return isType ? variableOf(place.object) : null;
  }
  if (place.form !== 'index' || place.key.form !== 'constant') return null;
  if (String(place.key.value).toLowerCase() !== 'content-type') return null;
  const { object } = place;
  return variableOf(object.form === 'member' ? object.object : object);
}

function variableOf(expression: Expression): Variable | null {
  return expression.form === 'load' ? expression.variable : null;
}

function blocksOf(statement: Statement): (readonly Statement[])[] {
  switch (statement.form) {
    case 'if':
      return [statement.yes, statement.no];
    case 'loop':
    case 'each':
    case 'block':
      return [statement.body];
    case 'switch':
      return statement.cases.map(({ body }) => body);
    case 'try':
      return [statement.body, ...statement.handlers.map(({ body }) => body), statement.last];
    default:
      return [];
  }
}
