import type { Annotation, FunctionDeclaration, Parameter } from '../il/il.ts';
import { lineSiteOf } from './check-lines.ts';
import { siteOf } from './check-sinks.ts';
import { dottedName } from './names.ts';
import type { Call, Route, Run } from './run.ts';
import { at, outside, type Place, type Shape, textOf, UNKNOWN } from './value.ts';

/** What annotations such as `@app.get('/files/{name}')` make of a function; null: nothing. */
export function routeOf(run: Run, annotations: readonly Annotation[]): Route | null {
  const { knowledge } = run;
  for (const { name, path: own, text, arguments: list } of annotations) {
    // A model calls it: with or without brackets, under any name.
    const isTool =
      knowledge.is('tool', name) &&
      (/^[\w.]+\.\w+\s*(?:\(|$)/.test(text) || knowledge.is('tool-package', own ?? ''));
    if (isTool) return { inPath: new Map(), takesAll: true };
    // They are methods of the program or a part of it, and take a path.
    const isRoute = /^[\w.]+\.\w+\s*\(/.test(text) || knowledge.is('route-package', own ?? '');
    if (!knowledge.has('route', name) || !isRoute) continue;
    const [first] = list;
    const path = first === undefined ? '' : run.textOf(first).replace(/^\w*['"]|['"]$/g, '');
    if (path !== '' && !path.startsWith('/')) continue;
    return {
      inPath: holesIn(run, path),
      takesAll: !knowledge.is('one-route', name) && !path.includes('<'),
    };
  }
  return null;
}

/** Whether parameters have names in the first of which a server or host gives data. */
export function isHostData(run: Run, parameters: readonly Parameter[], index: number): boolean {
  const names = parameters.map(({ name }) => name.replace(/^_/, ''));
  if (names.length > 3) return false;
  return run.knowledge.rows('called').some((row) => {
    const isSame = row.every((name, at) => names[names.length - row.length + at] === name);
    return isSame && index === names.length - row.length;
  });
}

/**
 * The class of what a server gives a function as its first parameter, by how the function is
 * registered, or the class that it is a method of; null: nothing says it.
 */
export function givenBy(
  run: Run,
  declared: FunctionDeclaration,
  base: string | null,
  index: number,
): string | null {
  if (index !== 0) return null;
  const { id, annotations, owner, name } = declared;
  const registered = run.registered.get(id);
  if (registered !== undefined) return registered;
  for (const [path = '', ...names] of run.knowledge.rows('decorates')) {
    if (annotations.some((one) => names.includes(one.name))) return path;
  }
  if (owner === null) return null;
  const whole = (base ?? '').replace(/\(\)$/, '');
  const last = whole.slice(whole.lastIndexOf('.') + 1);
  for (const [path = '', own, ...methods] of run.knowledge.rows('serves')) {
    const isBase = own !== undefined && last.endsWith(own);
    if (isBase && methods.includes(name)) return path;
  }
  return null;
}

/** Methods of a class that get parts of the address: `def get(self, name)` of a `MethodView`. */
export function routeOfClass(
  run: Run,
  base: string | null,
  method: string,
  parameter: string,
): Route | null {
  const { knowledge } = run;
  if (knowledge.is('number-parameter', parameter)) return null;
  if (knowledge.is('routed-beside', parameter)) return null;
  const last = (base ?? '').replace(/\(\)$/, '').replace(/^.*\./, '');
  const isOf = (name: string) =>
    name.endsWith('*') ? method.startsWith(name.slice(0, -1)) : name === method;
  const isRouted = knowledge
    .rows('routed')
    .some(([own = '', ...methods]) => last.endsWith(own) && methods.some(isOf));
  return isRouted ? { inPath: new Map(), takesAll: true } : null;
}

/** The class of what functions are called with that are given to a call; null: nothing says it. */
export function registeredBy(run: Run, { path, name }: Pick<Call, 'path' | 'name'>): string | null {
  const row = run.knowledge
    .rows('registers')
    .find(([, ...functions]) => functions.includes(path ?? '') || functions.includes(name));
  return row?.[0] ?? null;
}

/** Notes functions that a call registers for requests; asks for functions of other files. */
export function noteRegistered(run: Run, call: Call): void {
  const given = [...call.args, ...call.options.values()];
  const isFunction = ({ closures, path: own }: Shape) => closures.length > 0 || own !== null;
  const path = given.some(isFunction) ? registeredBy(run, call) : null;
  if (path === null) return;
  const { start } = call.expression;
  const [first] = call.args;
  const inPath = holesIn(run, first === undefined ? '' : (textOf(first) ?? ''));
  for (const { closures, path: own } of given) {
    if (closures.length === 0 && own !== null && !run.knowledge.isKnown(own)) {
      run.ask(own, start, true);
    }
    for (const one of closures) {
      if (one.kind !== 'function') continue;
      // It may have been looked at before, as a function of whose calls nothing is known.
      const isNew = !run.registered.has(one.id) && run.resultOf(one.id) !== null;
      run.hasNewAssigned ||= isNew;
      run.registered.set(one.id, path);
      if (inPath.size > 0) run.routes.set(one.id, { inPath, takesAll: false });
      if (run.isOwnPlace(start) && !run.isOwnFunction(one.id)) run.handed.set(one.id, start);
    }
  }
}

/** Names in the path of a route, with what may stand there. */
function holesIn({ knowledge }: Run, path: string): ReadonlyMap<string, string> {
  const inPath = new Map<string, string>();
  for (const { groups } of knowledge.all('hole', path)) {
    const { name, other, before, after } = groups ?? {};
    inPath.set(name ?? other ?? '', before ?? after ?? 'str');
  }
  return inPath;
}

/** What lines of the catalogue say that a call gives to its functions; null: nothing. */
export function catalogued(run: Run, call: Call, event: string): readonly Shape[] | null {
  const lines = run.knowledge.catalogue.callbacksAt(siteOf(run, call));
  const own = lines.filter(({ line: { callback } }) => {
    const isOfEvent = callback?.event === undefined || callback.event === event;
    return callback?.option === undefined && isOfEvent;
  });
  return own.length === 0 ? null : parametersOf(own);
}

/** What lines say that a decorator gives to the function below it; null: nothing. */
export function decoratedWith(
  run: Run,
  { name, path, callee }: Annotation,
): readonly Shape[] | null {
  if (callee === undefined) return null;
  const called = callee.form === 'member' ? run.evaluate(callee.object) : UNKNOWN;
  const own = path ?? (called.path === null ? null : `${called.path}.${name}`);
  const receiverPath = callee.form === 'member' ? dottedName(run, callee.object) : null;
  const site = lineSiteOf(run, { name, path: own, receiver: called, receiverPath });
  const lines = run.knowledge.catalogue.callbacksAt(site);
  return lines.length === 0 ? null : parametersOf(lines);
}

/** Parameters from the first that gets data, where the others behind it get data as well. */
const PARAMETERS_MAX = 15;
const NO_PLACE: Place = { line: 0, offset: 0 };

type CallbackLines = ReturnType<Run['knowledge']['catalogue']['callbacksAt']>;

/** What each parameter gets by lines of sources that are given to functions. */
export function parametersOf(lines: CallbackLines): readonly Shape[] {
  const values: Shape[] = [];
  for (const { line, entry } of lines) {
    const { parameter = 0, is, rest } = line.callback ?? {};
    while (values.length < parameter) values.push(UNKNOWN);
    if (is !== undefined) values[parameter] = at(`${entry.package}.${is}()`);
    else {
      const isWhole = line.whole === true;
      const mayBeObject = isWhole || line.object === true;
      const shape = { isWhole, mayBeObject, safeFor: line.safeFor ?? [] };
      const value = outside('strong', `data of ${entry.package}`, NO_PLACE, shape);
      const last = rest === true ? PARAMETERS_MAX : parameter;
      for (let at = parameter; at <= last; at += 1) values[at] = value;
    }
  }
  return values;
}
