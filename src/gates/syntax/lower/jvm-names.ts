import type { ClassLowering } from './classes.ts';

/** What a file says of the names of classes. */
type Names = Pick<ClassLowering, 'imports' | 'stars' | 'isComplete' | 'usualPaths'>;
/** Paths of classes that every file of a language sees, by their names. */
export type SeenByAll = ReadonlyMap<string, string>;

/** Packages that moved from `javax` to `jakarta` without a change. */
const MOVED = /^javax\.(?=(?:servlet|ws\.rs|persistence|websocket|jms|mail|faces|el|inject)\b)/;

/** The path under which the catalogue has a class of the JVM. */
export function catalogued(path: string): string {
  return path.replace(MOVED, 'jakarta.');
}

/**
 * The path of a class by its name; null: one of the program's own. In a hunk whose imports are out
 * of sight, classes of the catalogue go by their names.
 */
export function pathOfClass(names: Names, name: string, seenByAll: SeenByAll): string | null {
  const imported = names.imports.get(name) ?? seenByAll.get(name);
  if (imported !== undefined) return imported;
  const known = names.usualPaths(name);
  const starred = known.find((path) => names.stars.includes(path.slice(0, path.lastIndexOf('.'))));
  return starred ?? (names.isComplete ? null : (known[0] ?? null));
}

/** The same by a name that may begin with its package or an outer class. */
export function pathOfName(names: Names, name: string, seenByAll: SeenByAll): string | null {
  const [root = '', ...rest] = name.split('.');
  if (/^[a-z]/.test(root)) return rest.length === 0 ? null : catalogued(name);
  const [inner, ...deeper] = rest;
  const isInner = inner !== undefined && !names.isComplete;
  const [within] = isInner ? names.usualPaths(`${root}.${inner}`) : [];
  if (within !== undefined) return [within, ...deeper].join('.');
  const path = pathOfClass(names, root, seenByAll);
  return path === null ? null : [path, ...rest].join('.');
}
