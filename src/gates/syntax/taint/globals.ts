import { words } from '../words.ts';
import { type Value, withOrigin } from './value.ts';

/** Origin of what every program has; `global.require` is whatever loads a module by its name. */
const GLOBAL = 'global.';
/** Global functions that sinks know by their names, so that other names for them are followed. */
const FUNCTIONS = words(`
  eval Function AsyncFunction GeneratorFunction require setTimeout setInterval setImmediate fetch
`);
const GLOBAL_MEMBER = /^(?:window|globalThis|global|self|top|parent|frames)\.(\w+)$/;
/** Other ways to `require`, as they are written or by where they were imported from. */
const LOADER =
  /^(?:(?:module|process\.mainModule|require\.main)\.require|(?:\w+\.)?getBuiltinModule|(?:Module|module|global\.constructor)\._load|new module\.require)$/;
/** What every function inherits from, by the origin of the function. */
const PROTOTYPE = 'global.Function.prototype';
/** Methods of texts and lists: their constructor is `Function`. */
const METHODS = words(`
  map filter find forEach reduce some every sort flat concat slice push pop at fill join includes
  indexOf replace split trim link big bold sub sup toString valueOf call apply bind
`);

/** The value of a global function's name; null for other names. */
export function globalValue(name: string): Value | null {
  return FUNCTIONS.has(name) || name === 'Reflect' ? withOrigin(GLOBAL + name) : null;
}

/** The same for a member path whose first name is not declared: `globalThis.eval`. */
export function globalMember(path: string): Value | null {
  if (LOADER.test(path)) return withOrigin(`${GLOBAL}require`);
  const name = GLOBAL_MEMBER.exec(path)?.[1];
  return name === undefined ? null : globalValue(name);
}

/** Name of the global function that an origin stands for; null when it is none. */
export function globalName(origin: string | null): string | null {
  if (origin === null) return null;
  if (LOADER.test(origin)) return 'require';
  const name = origin.startsWith(GLOBAL) ? origin.slice(GLOBAL.length) : '';
  return FUNCTIONS.has(name) ? name : null;
}

/** What a function or its like inherits from. */
export function prototypeValue(): Value {
  return withOrigin(PROTOTYPE);
}

/**
 * `value.constructor`: of a function, of its prototype or of another constructor it is
 * `Function`; of anything else only that it is a constructor is known.
 */
export function constructorOf({ origin, callable }: Value): Value {
  const isFunction = callable !== null || origin === PROTOTYPE || origin === `${GLOBAL}constructor`;
  const isGlobal = globalName(origin) !== null;
  return withOrigin(isFunction || isGlobal ? `${GLOBAL}Function` : `${GLOBAL}constructor`);
}

/** Whether members of that name are methods of texts and lists, and so functions. */
export function isBuiltInMethod(name: string | null): boolean {
  return name !== null && METHODS.has(name);
}
