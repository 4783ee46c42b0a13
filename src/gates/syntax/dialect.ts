import { embedsScript } from './embedded.ts';

/** How a file's text is parsed: JSX in all but plain TypeScript, where `<T>x` is a cast. */
export type Dialect = 'js' | 'ts' | 'tsx';

const EXTENSION = /\.(?:([cm]?js|jsx|jsm|es6?|ssjs)|([cm]?ts)|tsx)$/i;
/** `#!/usr/bin/env -S node --flag`, `#!/opt/node-20/bin/node`, and other engines and runners. */
const SHEBANG = /^\ufeff?#![^\n]{0,200}\b(?:node(?:js)?|deno|bun|tsx|ts-node|zx|qjs)\b/;

/**
 * The dialect of a path by its extension; null when gate 2 does not read such files. Scripts in
 * markup name their language in a tag that a hunk may not show: TypeScript is nearly all of both.
 */
export function dialectOf(path: string): Dialect | null {
  const name = withoutTail(path);
  const match = EXTENSION.exec(name);
  if (match === null) return embedsScript(name) ? 'ts' : null;
  if (match[1] !== undefined) return 'js';
  return match[2] === undefined ? 'tsx' : 'ts';
}

/** Some file systems and hasty readers drop blanks and dots at the end of a name. */
export function withoutTail(path: string): string {
  return path.replace(/[\s.\u200b\ufeff]+$/, '');
}

/** Whether a file's first line says that an engine for JavaScript runs it. */
export function isScriptByShebang(start: string): boolean {
  return SHEBANG.test(start);
}

/** Whether `<a>` may be an element in this dialect. */
export function hasJsx(dialect: Dialect): boolean {
  return dialect !== 'ts';
}
