import { charactersOf } from './characters.ts';
import { memberOf } from './member.ts';
import type { Call, Run } from './run.ts';
import { at, changed, derive, mapOrigins, type Shape, TRUSTED } from './value.ts';

/** The path of a schema. It is trusted where it lets nothing by but known text and numbers. */
const SCHEMA = 'schema';
const OPEN = at(SCHEMA);
const CLOSED: Shape = { ...OPEN, isTrusted: true };

/** Schemas within schemas that are followed. */
const DEPTH_MAX = 4;

/**
 * What a call of a package for schemas makes (`z.object({ mode: z.enum(['a', 'b']) })`), or what
 * the schema lets by; null: it is another call.
 */
export function schemaCall(run: Run, call: Call): Shape | null {
  const { knowledge } = run;
  const { name, receiver, args, path } = call;
  const own = receiver?.path === SCHEMA ? receiver : null;
  if (own === null && !knowledge.is('schema-package', path ?? '')) return null;
  if (!knowledge.has('schema-call', name)) return schemaOf(run, call, own);
  const [schema, data] = own === null ? args : [own, ...args];
  if (schema?.path !== SCHEMA || data === undefined) return null;
  const value = letBy(run, schema, data, 0);
  const isTable = run.objectsOf(value).some(([, { kind }]) => kind === 'table');
  if (!knowledge.has('schema-answer', name) && !isTable) return value;
  // `{ success, data }`, `{ error, value }`, or the value itself.
  const [object] = run.objectsOf(value);
  const cells = new Map<string, Shape>(isTable && object !== undefined ? object[1].cells : []);
  for (const member of ['data', 'value']) if (!cells.has(member)) cells.set(member, value);
  return run.table(cells, null);
}

/** The schema that a call makes, or that a method makes of the one before. */
function schemaOf(run: Run, { name, args }: Call, before: Shape | null): Shape {
  const { knowledge } = run;
  const [first] = args;
  if (knowledge.has('schema-closed', name)) return CLOSED;
  if (knowledge.has('schema-open', name)) return OPEN;
  if (knowledge.has('schema-pattern', name)) {
    const uses = first?.pattern == null ? null : charactersOf(first.pattern);
    const isBound = uses?.includes('command') === true && uses.includes('path');
    return isBound ? CLOSED : (before ?? OPEN);
  }
  if (knowledge.has('schema-table', name) && first !== undefined) {
    return changed(OPEN, { objects: first.objects });
  }
  if (knowledge.has('schema-list', name)) {
    return changed(OPEN, { objects: run.openList([], first ?? before ?? OPEN).objects });
  }
  const inner = args.flatMap((one) => run.elementsOf(one) ?? [one]);
  const schemas = inner.filter((one) => one.path === SCHEMA);
  if (knowledge.has('schema-any', name)) {
    return schemas.find(({ isTrusted }) => isTrusted) ?? schemas[0] ?? OPEN;
  }
  if (knowledge.has('schema-all', name)) {
    const all = before === null ? inner : [before, ...inner];
    return all.every((one) => one.path === SCHEMA && one.isTrusted) ? CLOSED : OPEN;
  }
  return before ?? schemas[0] ?? OPEN;
}

/** The data that a schema lets by: text that it does not bound was checked, nothing more. */
function letBy(run: Run, schema: Shape, data: Shape, depth: number): Shape {
  if (schema.path === SCHEMA && schema.isTrusted) return TRUSTED;
  const [object] = schema.path === SCHEMA ? run.objectsOf(schema) : [];
  if (object === undefined || depth >= DEPTH_MAX) return checked(run, data);
  const [, { kind, cells, rest }] = object;
  const member = (name: string | null) => memberOf(run, data, name, { text: '', offset: 0 });
  if (kind === 'list') return run.openList([], letBy(run, rest ?? OPEN, member(null), depth + 1));
  if (kind !== 'table') return checked(run, data);
  const found = new Map<string, Shape>();
  for (const [name, one] of cells) found.set(name, letBy(run, one, member(name), depth + 1));
  return run.table(found, null);
}

function checked(run: Run, data: Shape): Shape {
  return mapOrigins(derive([run.flat(data)]), (origin) =>
    origin.strength === 'strong' ? { ...origin, strength: 'checked' } : origin,
  );
}
