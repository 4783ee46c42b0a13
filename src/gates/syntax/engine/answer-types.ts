import {
  childrenOf,
  type Expression,
  type Module,
  type Statement,
  type Variable,
} from '../il/il.ts';
import type { Value } from '../sinks/value.ts';

/** What the language's sets say of a name. */
interface Sets {
  has(set: string, name: string): boolean;
}

/** Media types in which browsers run no scripts. */
const PLAIN =
  /^(?:text\/(?:plain|csv|calendar|markdown|event-stream|tab-separated-values|(?:x-)?yaml|vcard|x-shellscript)|application\/(?:json|ld\+json|problem\+json|x-ndjson|octet-stream|zip|gzip|(?:x-)?yaml|toml|x-sh)|image\/(?:png|jpeg|gif|webp))\s*(?:;|$)/i;
const TYPE_HEADER = 'content-type';
/** Arguments that name the media type of an answer. */
const NAMES: ReadonlySet<string> = new Set(['mimetype', 'content_type', 'media_type']);

function isPlainType(text: string | null): boolean {
  return text !== null && PLAIN.test(text);
}

/**
 * Whether the arguments that an answer is made with give it a media type without scripts, and no
 * other one. `headers` are arguments that may be tables of headers; `type` names the media type.
 */
export function isTypedPlain(
  keywords: ReadonlyMap<string, Value>,
  headers: readonly Value[],
  type: Value | undefined,
): boolean {
  const types = [...headers.flatMap(typesIn), ...(type === undefined ? [] : [type])];
  for (const [name, value] of keywords) {
    if (NAMES.has(name)) types.push(value);
    else if (name === 'headers') types.push(...typesIn(value));
  }
  return types.length > 0 && types.every(({ constant }) => isPlainType(constant));
}

function typesIn({ properties }: Value): Value[] {
  const entries = [...(properties ?? [])];
  return entries.filter(([name]) => name.toLowerCase() === TYPE_HEADER).map(([, value]) => value);
}

/**
 * Calls whose result is kept in a variable and gets a media type without scripts in a later
 * statement of the same block: `r = make_response(x)`, `r.headers['Content-Type'] = 'text/plain'`.
 * Only constants may be set between the two, so that nothing returns or fails there. Variables that
 * get another type anywhere, or another name, are left out.
 */
export function typedLater({ functions }: Module, knowledge: Sets): ReadonlySet<Expression> {
  const found = new Map<Expression, Variable>();
  const open = new Set<Variable>();
  const waiting: (readonly Statement[])[] = functions.map(({ body }) => body ?? []);
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    const made = new Map<Variable, Expression>();
    for (const statement of list) {
      const set = settingOf(knowledge, statement);
      if (set !== null && !set.isPlain) open.add(set.variable);
      const call = set === null ? undefined : made.get(set.variable);
      if (set !== null && call !== undefined) found.set(call, set.variable);
      if (!isConstantSet(statement)) made.clear();
      const kept = keptBy(statement);
      if (kept?.value.form === 'load') open.add(kept.value.variable);
      if (kept !== null) made.set(kept.variable, kept.value);
      waiting.push(...blocksOf(statement));
    }
  }
  return new Set([...found].filter(([, variable]) => !open.has(variable)).map(([call]) => call));
}

/**
 * Parameters that stand for an answer to which a statement of the function's own block gives a
 * media type without scripts (`w.setContentType("text/plain")`), and writers that are made of them.
 * By each the offset behind that statement. All uses of such a parameter are known to leave its
 * type alone, and none writes before.
 */
export function plainWriters(
  { functions }: Module,
  knowledge: Sets,
): ReadonlyMap<Variable, number> {
  const plain = new Map<Variable, number>();
  for (const { parameters, body } of functions) {
    const own = new Set(parameters.map(({ variable }) => variable));
    for (const statement of body ?? []) {
      const set = statement.form === 'evaluate' ? typeSetBy(knowledge, statement.value) : null;
      if (set?.isPlain === true && own.has(set.variable) && !plain.has(set.variable)) {
        plain.set(set.variable, statement.end);
      }
    }
  }
  if (plain.size === 0) return plain;
  const open = new Set<Variable>();
  const assigned = new Set<Variable>();
  const writers: { variable: Variable; of: Variable; start: number }[] = [];
  const waiting: (Statement | Expression)[] = functions.flatMap(({ body }) => body ?? []);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'load') open.add(node.variable);
    if (node.form === 'assign' && node.place.form === 'load') assigned.add(node.place.variable);
    const use = node.form === 'call' ? plainUse(knowledge, node, plain) : null;
    waiting.push(...childrenOf(node).filter((child) => child !== use));
    if (node.form !== 'declare' || node.value === null) continue;
    const of = writtenBy(knowledge, node.value);
    if (of !== null) writers.push({ variable: node.variable, of, start: node.start });
  }
  const found = new Map([...plain].filter(([variable]) => !open.has(variable)));
  for (const { variable, of, start } of writers) {
    const from = found.get(of);
    if (from !== undefined && !assigned.has(variable)) {
      found.set(variable, Math.max(from, start));
    }
  }
  return found;
}

/** The part of a call by which it uses an answer without giving it another type; null: no part. */
function plainUse(
  knowledge: Sets,
  call: Expression & { form: 'call' },
  plain: ReadonlyMap<Variable, number>,
): Expression | null {
  const { receiver, name, start } = call;
  const set = typeSetBy(knowledge, call);
  if (set !== null) return set.isPlain ? receiver : null;
  if (receiver !== null && knowledge.has('header-call', name)) {
    return headerOwner(knowledge, receiver) === null ? null : receiver;
  }
  if (receiver?.form === 'load' && knowledge.has('answer-call', name)) return receiver;
  const written = writtenBy(knowledge, call);
  if (written === null || (plain.get(written) ?? start) > start) return null;
  const isReceiver = receiver?.form === 'load' && receiver.variable === written;
  return isReceiver ? receiver : (call.arguments[0]?.value ?? null);
}

/** The variable of an answer that a call writes, or whose writer it gives; null: another call. */
export function writtenBy(knowledge: Sets, expression: Expression): Variable | null {
  if (expression.form !== 'call') return null;
  const { receiver, name } = expression;
  if (receiver?.form === 'load' && knowledge.has('writer-call', name)) return receiver.variable;
  const [first] = expression.arguments;
  // Templates are variables, `fmt` is a package.
  const isPrinted = receiver?.form !== 'load' && knowledge.has('print-to', name);
  const isWritten = isPrinted || knowledge.has('render-to', name);
  return isWritten && first !== undefined ? variableOf(first.value) : null;
}

/** The variable of the answer whose headers these are; null: they are something else. */
function headerOwner(knowledge: Sets, headers: Expression): Variable | null {
  const isPart = headers.form === 'call' && knowledge.has('answer-part', headers.name);
  return variableOf(isPart && headers.receiver !== null ? headers.receiver : headers);
}

/** The variable whose answer gets a media type by a call; null: the call does something else. */
function typeSetBy(knowledge: Sets, expression: Expression): Setting | null {
  if (expression.form !== 'call' || expression.receiver === null) return null;
  const [first, second] = expression.arguments;
  const isHeader = knowledge.has('header-call', expression.name);
  const isType = knowledge.has('type-call', expression.name);
  if (first === undefined || (!isType && !(isHeader && mayBeType(first.value)))) return null;
  const variable = headerOwner(knowledge, expression.receiver);
  const given = isType ? first : second;
  const text = given?.value.form === 'constant' ? given.value.value : null;
  const isNamed = isType || first.value.form === 'constant';
  // An added header may stand beside another value.
  const isOnly = isNamed && !knowledge.has('adds-header', expression.name);
  const isPlain = isOnly && typeof text === 'string' && isPlainType(text);
  return variable === null ? null : { variable, isPlain };
}

function keptBy(statement: Statement): { variable: Variable; value: Expression } | null {
  if (statement.form === 'declare' && statement.value !== null) {
    return { variable: statement.variable, value: statement.value };
  }
  const inner = statement.form === 'evaluate' ? statement.value : null;
  if (inner?.form !== 'assign' || inner.place.form !== 'load') return null;
  return { variable: inner.place.variable, value: inner.value };
}

function isConstantSet(statement: Statement): boolean {
  const inner = statement.form === 'evaluate' ? statement.value : null;
  return inner?.form === 'assign' && inner.value.form === 'constant';
}

interface Setting {
  readonly variable: Variable;
  readonly isPlain: boolean;
}

/** The variable whose answer a statement gives a media type or other headers; null when absent. */
function settingOf(knowledge: Sets, statement: Statement): Setting | null {
  const inner = statement.form === 'evaluate' ? statement.value : null;
  if (inner?.form === 'call') return settingBy(inner);
  if (inner?.form !== 'assign') return null;
  const { place, value } = inner;
  const text = value.form === 'constant' && typeof value.value === 'string' ? value.value : null;
  if (place.form === 'member') {
    const isType = knowledge.has('type-member', place.name);
    const isSet = isType || place.name === 'headers';
    return isSet ? settingTo(place.object, isType && isPlainType(text)) : null;
  }
  if (place.form !== 'index' || !mayBeType(place.key)) return null;
  const { object } = place;
  const isNamed = place.key.form === 'constant';
  return settingTo(object.form === 'member' ? object.object : object, isNamed && isPlainType(text));
}

/** A method of an answer's headers: `r.headers.set('Content-Type', 'text/html')`. */
function settingBy({ receiver, arguments: given }: Expression & { form: 'call' }): Setting | null {
  if (receiver?.form !== 'member' || receiver.name !== 'headers') return null;
  const [first] = given;
  return first === undefined || mayBeType(first.value) ? settingTo(receiver.object, false) : null;
}

function mayBeType(key: Expression): boolean {
  return key.form !== 'constant' || String(key.value).toLowerCase() === TYPE_HEADER;
}

function settingTo(object: Expression, isPlain: boolean): Setting | null {
  const variable = variableOf(object);
  return variable === null ? null : { variable, isPlain };
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
