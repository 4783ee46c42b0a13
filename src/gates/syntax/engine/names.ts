import type { Expression } from '../il/il.ts';
import type { Run } from './run.ts';

/** Members of a chain of names; a longer one has no name. */
const NAMES_MAX = 64;
/** Of a package and what it makes; a longer path is not known. */
export const PATH_CHARS_MAX = 160;

/** How something is written by names alone: `this.a.b`; null: otherwise. */
export function dottedName(run: Run, expression: Expression, depth = 0): string | null {
  if (depth > NAMES_MAX) return null;
  switch (expression.form) {
    case 'load':
      return run.module.variables[expression.variable] ?? null;
    case 'name':
      return expression.name;
    case 'cast':
      return dottedName(run, expression.value, depth + 1);
    case 'unary':
      return expression.sign === '*' ? dottedName(run, expression.operand, depth + 1) : null;
    case 'member': {
      // A static field, or a variable of the package, goes by its own name.
      if (expression.object.form === 'class') return expression.name;
      const object = dottedName(run, expression.object, depth + 1);
      return object === null ? null : `${object}.${expression.name}`;
    }
    default:
      return null;
  }
}

/** How a receiver is named: `getJdbcTemplate()` gives what `jdbcTemplate` is. */
export function receiverName(run: Run, expression: Expression): string | null {
  if (expression.form !== 'call') return dottedName(run, expression);
  const got = /^(?:get)?(\w+)$/.exec(expression.name)?.[1];
  if (got === undefined || expression.arguments.length > 0) return null;
  return got.charAt(0).toLowerCase() + got.slice(1);
}

/** The path of a member of what has that path; null: it is not known. */
export function memberPath(run: Run, path: string | null, name: string): string | null {
  if (path === null) return null;
  if (name === 'default') return path;
  const next = `${path}.${name}`;
  if (next.length <= PATH_CHARS_MAX) return next;
  return run.knowledge.isKnown(path) ? next.slice(-PATH_CHARS_MAX) : null;
}

/** `getFileName` gives the field `fileName`. */
export function fieldNamed(run: Run, name: string): string {
  if (!run.knowledge.is('getter', name)) return name;
  const bare = name.replace(/^(?:get|is)/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}

/** The last name of a path; '' when absent. */
export function lastOf(path: string | null): string {
  return path === null ? '' : path.slice(path.lastIndexOf('.') + 1);
}
