import type { Use } from '../../../rules/catalogue/line.ts';
import { charactersOf } from './characters.ts';
import { memberOf } from './member.ts';
import type { Call, Run } from './run.ts';
import {
  at,
  changed,
  derive,
  join,
  mapOrigins,
  type Shape,
  TRUSTED,
  UNKNOWN,
  union,
} from './value.ts';

/** The path of a schema. It is trusted where it lets nothing by but known text and numbers. */
const SCHEMA = 'schema';
const OPEN = at(SCHEMA);
const CLOSED: Shape = { ...OPEN, isTrusted: true };
/** A step of a pipe that lets by what the steps before it do. */
const KEPT = at('schema-step');

/** Schemas within schemas that are followed. */
const DEPTH_MAX = 4;

/**
 * What a call of a package for schemas makes (`z.object({ mode: z.enum(['a', 'b']) })`), or what
 * the schema lets by; null: it is another call. A call that is not known makes a schema that bounds
 * nothing.
 */
export function schemaCall(run: Run, call: Call): Shape | null {
  const { knowledge } = run;
  const { name, receiver, args, path } = call;
  const own = receiver?.path === SCHEMA ? receiver : null;
  if (own === null && !knowledge.is('schema-package', path ?? '')) return null;
  if (!knowledge.has('schema-call', name)) {
    return own === null ? madeBy(run, call) : changedBy(run, call, own);
  }
  const [schema, data] = own === null ? args : [own, ...args];
  if (schema?.path !== SCHEMA || data === undefined) return null;
  const value = letBy(run, schema, data, 0);
  if (knowledge.has('schema-answer', name)) return run.table(new Map([['data', value]]), null);
  return knowledge.has('schema-error-answer', name) ? answerOf(run, call, value, data) : value;
}

/** The value itself, or an answer that holds it beside an error: `{ error, value }`. */
function answerOf(run: Run, call: Call, value: Shape, data: Shape): Shape {
  const [object] = run.objectsOf(value);
  const cells = new Map(object !== undefined && object[1].kind === 'table' ? object[1].cells : []);
  const answered = readsError(run, call) ? value : checked(run, data);
  const own = cells.get('value');
  cells.set('value', own === undefined ? answered : join(own, answered));
  return run.table(cells, object?.[1].rest ?? null);
}

/** Characters before and behind a call in which its error is read. */
const AROUND = 200;

/** Whether the program reads the error beside the value, which is there in any case. */
function readsError(run: Run, { expression: { start, end } }: Call): boolean {
  const before = run.text.slice(Math.max(0, start - AROUND), start);
  const behind = run.text.slice(end, end + AROUND);
  return run.knowledge.is('schema-error', before) || run.knowledge.is('schema-error-read', behind);
}

/** The schema that a function of the package makes. */
function madeBy(run: Run, { name, args }: Call): Shape {
  const { knowledge } = run;
  const [first = UNKNOWN] = args;
  const inner = args.flatMap((one) => run.elementsOf(one) ?? [one]);
  if (knowledge.has('schema-closed', name)) return CLOSED;
  if (knowledge.has('schema-constants', name)) return areOwn(run, inner) ? CLOSED : OPEN;
  if (knowledge.has('schema-pattern', name)) return withPattern(OPEN, args);
  if (knowledge.has('schema-table', name)) return changed(OPEN, { objects: first.objects });
  if (knowledge.has('schema-list', name)) return listOf(run, first);
  if (knowledge.has('schema-all', name)) return inner.every(isClosed) ? CLOSED : OPEN;
  if (knowledge.has('schema-pipe', name)) return lastOf(inner);
  if (knowledge.has('schema-kept', name)) {
    if (first.path !== SCHEMA) return KEPT;
    return areOwn(run, inner.slice(1)) ? first : OPEN;
  }
  return OPEN;
}

/** The schema that a method makes of another one. */
function changedBy(run: Run, { name, args }: Call, before: Shape): Shape {
  const { knowledge } = run;
  const inner = args.flatMap((one) => run.elementsOf(one) ?? [one]);
  const isScalar = before.objects.length === 0;
  if (knowledge.has('schema-kept', name)) return before;
  // `catch` and `default` give another value in place of the sender's.
  if (knowledge.has('schema-default', name)) return areOwn(run, inner) ? before : OPEN;
  if (isScalar && knowledge.has('schema-closed', name)) return CLOSED;
  if (isScalar && knowledge.has('schema-constants', name)) {
    return areOwn(run, inner) ? CLOSED : OPEN;
  }
  if (isScalar && knowledge.has('schema-pattern', name)) return withPattern(before, args);
  if (knowledge.has('schema-table', name) && args[0] !== undefined) {
    return isScalar ? changed(OPEN, { objects: args[0].objects }) : OPEN;
  }
  if (knowledge.has('schema-list', name)) return listOf(run, args[0] ?? before);
  if (knowledge.has('schema-all', name)) return [before, ...inner].every(isClosed) ? CLOSED : OPEN;
  return knowledge.has('schema-pipe', name) ? lastOf([before, ...inner]) : OPEN;
}

function isClosed({ path, isTrusted }: Shape): boolean {
  return path === SCHEMA && isTrusted;
}

/** Values of the program: no data, no reference to another field, no function that chooses. */
function areOwn(run: Run, values: readonly Shape[]): boolean {
  return values.every(
    (one) => run.flat(one).origins.length === 0 && one.path !== SCHEMA && one.closures.length === 0,
  );
}

function listOf(run: Run, element: Shape): Shape {
  return changed(OPEN, { objects: run.openList([], element).objects });
}

/** What the last step of a pipe lets by; steps that change nothing do not count. */
function lastOf(steps: readonly Shape[]): Shape {
  return steps.findLast(({ path }) => path !== KEPT.path) ?? OPEN;
}

/** A schema whose text a pattern holds to some characters; with options it may do the reverse. */
function withPattern(before: Shape, [given, options]: readonly Shape[]): Shape {
  if (isClosed(before)) return before;
  const isPlain = given?.pattern != null && options?.objects.length !== 1;
  if (!isPlain || given.flags.includes('m')) return before;
  return changed(before, { pattern: given.pattern });
}

/** The data that a schema lets by: text that it does not bound was checked, nothing more. */
function letBy(run: Run, schema: Shape, data: Shape, depth: number): Shape {
  if (isClosed(schema)) return TRUSTED;
  const isSchema = schema.path === SCHEMA;
  const [object] = isSchema ? run.objectsOf(schema) : [];
  if (object === undefined || depth >= DEPTH_MAX) {
    const pattern = isSchema ? schema.pattern : null;
    // `\w` lets `__proto__` by.
    const uses = pattern === null ? [] : (charactersOf(pattern) ?? []);
    return checked(
      run,
      data,
      uses.filter((use) => use !== 'key'),
    );
  }
  const [, { kind, cells, rest }] = object;
  const member = (name: string | null) => memberOf(run, data, name, { text: '', offset: 0 });
  if (kind === 'list') return run.openList([], letBy(run, rest ?? OPEN, member(null), depth + 1));
  if (kind !== 'table') return checked(run, data);
  const found = new Map<string, Shape>();
  for (const [name, one] of cells) found.set(name, letBy(run, one, member(name), depth + 1));
  // Schemas may let members by that they do not name.
  return run.table(found, checked(run, data));
}

function checked(run: Run, data: Shape, safeFor: readonly Use[] = []): Shape {
  return mapOrigins(derive([run.flat(data)]), (origin) => ({
    ...origin,
    strength: origin.strength === 'strong' ? 'checked' : origin.strength,
    safeFor: union(origin.safeFor, safeFor),
  }));
}
