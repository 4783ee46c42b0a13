import { embedsScript } from './embedded.ts';

/** How a file's text is parsed: JSX in all but plain TypeScript, where `<T>x` is a cast. */
export type Dialect = 'js' | 'ts' | 'tsx';

const EXTENSION = /\.(?:([cm]?js|jsx)|([cm]?ts)|tsx)$/i;

/**
 * The dialect of a path by its extension; null when gate 2 does not read such files. Scripts in
 * markup name their language in a tag that a hunk may not show: TypeScript is nearly all of both.
 */
export function dialectOf(path: string): Dialect | null {
  const match = EXTENSION.exec(path);
  if (match === null) return embedsScript(path) ? 'ts' : null;
  if (match[1] !== undefined) return 'js';
  return match[2] === undefined ? 'tsx' : 'ts';
}

/** Whether `<a>` may be an element in this dialect. */
export function hasJsx(dialect: Dialect): boolean {
  return dialect !== 'ts';
}
