import { regexText } from '../../core/regex-text.ts';
import { asBuffer } from '../../diff/bytes.ts';
import type { Component, ComponentMap } from '../../model/components.ts';
import { type ByteRegex, compileRegex } from './regex.ts';

/** Which components a path belongs to. */
export interface ComponentPaths {
  /** Ids of the components whose paths claim it; all of them when none does. */
  ownersOf(path: string): ReadonlySet<string>;
}

/** Whether a glob, or an expression after `re:`, matches a path. */
export type Matches = (path: string) => boolean;

/** The paths of a map, compiled once for each of the maps that were asked for last. */
export function componentPaths(map: ComponentMap): ComponentPaths {
  const known = compiled.get(map.key);
  if (known !== undefined) return known;
  const paths = compileComponents(map.components);
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(map.key, paths);
  return paths;
}

/** Compiled maps, by their key. */
const compiled = new Map<string, ComponentPaths>();
const COMPILED_MAX = 16;

/** Compiles the paths of components; SyntaxError for a path that cannot be compiled. */
export function compileComponents(components: readonly Component[]): ComponentPaths {
  const all = new Set(components.map(({ id }) => id));
  const claims = components.map(({ id, paths }) => ({ id, claims: paths.map(compilePath) }));
  const known = new Map<string, ReadonlySet<string>>();
  return {
    ownersOf(path) {
      const before = known.get(path);
      if (before !== undefined) return before;
      const own = claims.filter((one) => one.claims.some((matches) => matches(path)));
      const owners = own.length === 0 ? all : new Set(own.map(({ id }) => id));
      // A change names most paths several times; another change names others.
      if (known.size >= KNOWN_MAX) known.clear();
      known.set(path, owners);
      return owners;
    },
  };
}

const KNOWN_MAX = 10_000;

/** Problems of components, in sentences that name them. */
export function componentProblems(components: readonly Component[]): string[] {
  const met = new Set<string>();
  return components.flatMap(({ id, repo, paths }) => {
    const key = `${repo?.toLowerCase() ?? ''} ${id}`;
    const isKnown = met.has(key) || met.has(` ${id}`);
    met.add(key);
    const twice = isKnown ? [`component ${id} is there twice: give each an id of its own`] : [];
    return [...twice, ...paths.flatMap((path) => problemOf(id, path))];
  });
}

function problemOf(id: string, path: string): string[] {
  const problem = pathProblem(path);
  return problem === null ? [] : [`component ${id}: ${problem}`];
}

/** The problem of a glob or an expression after `re:`, as a sentence; null when it is valid. */
export function pathProblem(path: string): string | null {
  const reason = path.startsWith(RE) ? null : globProblem(path);
  if (reason !== null) return `the path ${path} ${reason}`;
  try {
    compilePath(path);
    return null;
  } catch (thrown) {
    return `the path ${path} does not compile: ${(thrown as Error).message}`;
  }
}

/** Git names paths from the root of the repository on, with `/` between their parts. */
function globProblem(path: string): string | null {
  if (/^\.{0,2}\//.test(path)) return 'must begin at the root of the repository, without a slash';
  if (path.endsWith('/')) return `matches no file: write ${path}** for all that is in the folder`;
  if (/[[\]{}\\!]/.test(path)) return 'may hold *, ** and ? only; write more after re:';
  return /\*\*[^/]|[^/]\*\*/.test(path) ? 'must have ** as a whole part, as in a/**/b' : null;
}

const RE = 're:';

/** Compiles a glob or an expression after `re:`; SyntaxError where it cannot be compiled. */
export function compilePath(path: string): Matches {
  return path.startsWith(RE) ? matcherOf(compileRegex(path.slice(RE.length))) : compileGlob(path);
}

/** Compiles a glob of `*`, `**` and `?`; it matches in time linear in a path. */
export function compileGlob(path: string): Matches {
  const wild = path.search(/[*?]/);
  if (wild === -1) return (one) => one === path;
  const start = path.slice(0, wild);
  if (path.slice(wild) === '**') return (one) => one.startsWith(start);
  const matches = matcherOf(compileRegex(`^${globParts(path)}$`));
  return (one) => one.startsWith(start) && matches(one);
}

function matcherOf(regex: ByteRegex): Matches {
  return (path) => regex.test(asBuffer(Buffer.from(path)));
}

/** `**` stands for any number of folders, the others for characters within one name. */
function globParts(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|[*?]|[^*?]+/g, (part) => {
    if (part === '**/') return '(?:[^/]+/)*';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : regexText(part);
  });
}
