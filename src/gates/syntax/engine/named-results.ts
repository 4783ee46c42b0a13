import { USES, type Use } from '../../../rules/catalogue/line.ts';
import { readText } from './container.ts';
import { decoded } from './functions.ts';
import { PATH_CHARS_MAX } from './names.ts';
import type { Call, Run } from './run.ts';
import {
  at,
  changed,
  claimedSafe,
  derive,
  isOfProgram,
  isRandom,
  madeSafe,
  mapOrigins,
  outside,
  RANDOM,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

const HTML: readonly Use[] = ['html'];

/**
 * What a method of a response gives back: the response, as a page or as plain data, once its
 * content type is known. Null for all else.
 */
export function responseResult(run: Run, call: Call): Shape | null {
  const { receiverPath, receiver, name, expression } = call;
  const { knowledge } = run;
  const role = receiver?.role ?? null;
  const isResponse = knowledge.is('response', receiverPath ?? '');
  if (!isResponse && role !== 'page' && role !== 'plain') return null;
  const type = contentType(run, call);
  if (type === null && !knowledge.has('chaining', name)) return null;
  const known = type === null ? role : knowledge.is('page-type', type) ? 'page' : 'plain';
  const isReply = knowledge.is('reply', receiverPath ?? '');
  if (known === null) return isReply ? null : changed(UNKNOWN, { role: 'page' });
  const typed = changed(UNKNOWN, { role: known, path: receiver?.path ?? null });
  const place = expression.form === 'call' ? expression.receiver : null;
  if (type !== null && place?.form === 'load') run.state.set(place.variable, typed);
  return typed;
}

/** The content type that a call sets; '' when it is computed, null when it sets none. */
function contentType(run: Run, { name, args }: Call): string | null {
  const [first = UNKNOWN, second = UNKNOWN] = args;
  if (run.knowledge.has('sets-type', name)) return textOf(first) ?? '';
  const isHeader = run.knowledge.has('sets-header', name);
  if (isHeader && textOf(first)?.toLowerCase() === 'content-type') return textOf(second) ?? '';
  if (!run.knowledge.has('sets-headers', name)) return null;
  for (const argument of args) {
    for (const [, { cells }] of run.objectsOf(argument)) {
      for (const [header, value] of cells) {
        if (header.toLowerCase() === 'content-type') return textOf(value) ?? '';
      }
    }
  }
  return null;
}

/**
 * What a call gives by its name alone, whatever it is called on: a role, or what the table says
 * that functions of the name do. Null: nothing.
 */
export function namedResult(run: Run, call: Call): Shape | null {
  const { name, receiver, receiverPath } = call;
  const { knowledge } = run;
  if (knowledge.roles.size === 0) return null;
  if (receiver !== null && knowledge.has(`same:${receiver.role ?? ''}`, name)) return receiver;
  if (knowledge.has('client-maker', name)) {
    const client = receiver?.path ?? receiverPath ?? '';
    if (knowledge.is('client', client)) return at(client);
  }
  const operated = operatedByName(run, knowledge.methods.get(`any ${name}`), call);
  if (operated !== null) return operated;
  const role = knowledge.roles.get(`${receiver === null ? 'call' : 'method'} ${name}`);
  return role === undefined ? null : changed(UNKNOWN, { role });
}

function operatedByName(run: Run, operation: string | undefined, call: Call): Shape | null {
  const { knowledge } = run;
  const [first = UNKNOWN] = call.args;
  switch (operation) {
    case 'loader':
      return at(knowledge.word('loader'));
    case 'prototype':
      return first.closures.length > 0 ? at(knowledge.word('prototype')) : null;
    case 'function': {
      // What comes out is still that function.
      const isKnown = first.path !== null || first.closures.length > 0;
      return isKnown ? changed(first, { isTrusted: false }) : UNKNOWN;
    }
    case 'configured': {
      const isOptions = first.objects.length > 0 && first.origins.length === 0;
      const known = call.path ?? knowledge.word('configured');
      return isOptions ? changed(at(known), { objects: first.objects }) : null;
    }
    case 'hash':
      return changed(UNKNOWN, { role: 'hash', constants: first.constants });
    case 'stored':
      return storedData(run, first);
    default:
      return null;
  }
}

/** What stands in a file that was uploaded; null: the path is another one. */
function storedData(run: Run, { origins }: Shape): Shape | null {
  const stored = origins.filter(
    ({ text, strength }) => strength === 'strong' && run.knowledge.is('stored-path', text),
  );
  if (stored.length === 0) return null;
  return mapOrigins(changed(UNKNOWN, { origins: stored }), (origin) => ({
    ...origin,
    safeFor: [],
    mayBeObject: false,
    isWhole: false,
  }));
}

/** What a cleaning function makes of its first argument; null for another function. */
export function cleanedResult(run: Run, call: Call): Shape | null {
  const { knowledge } = run;
  const { name, args } = call;
  const [first] = args;
  if (first === undefined) return null;
  const given = run.flat(readText(run, first));
  const uses = knowledge.is('cleans-markup', name)
    ? HTML
    : knowledge.is('cleans', name)
      ? USES
      : null;
  return uses === null ? null : claimed(given, uses);
}

/** The same data in another spelling. */
export function clean(value: Shape, uses: readonly Use[]): Shape {
  // What can be guessed stays so as another number.
  if (uses.length === USES.length) return value.role === 'random' ? RANDOM : TRUSTED;
  const data = derive([value]);
  if (data.origins.length === 0)
    return value.isTrusted ? TRUSTED : changed(UNKNOWN, { safeFor: uses });
  return madeSafe(data, uses);
}

/** The data after a function of which only the name is known. */
function claimed(value: Shape, uses: readonly Use[]): Shape {
  const data = derive([value]);
  return data.origins.length === 0 ? RESULT : claimedSafe(data, uses);
}

/** Whether a method lets by what a schema describes. */
export function isSchema(run: Run, { name, receiver, receiverPath }: Call): boolean {
  const { knowledge } = run;
  if (!knowledge.has('schema-call', name) || receiver === null) return false;
  return receiver.origins.length === 0 && !knowledge.is('parser', receiverPath ?? '');
}

/** What a function by its name alone gives back. */
export function resultByName(run: Run, call: Call): Shape {
  const { knowledge } = run;
  const { name, args, isDeclared, isNew, path } = call;
  if (knowledge.has('harmless-call', name))
    return args.some(isRandom) ? RANDOM : harmlessResult(run, call);
  const source = sourceCall(run, call);
  if (source !== null) return source;
  const isConverter = knowledge.is('converter', name) || knowledge.has('resolver', name);
  if (isConverter && !isDeclared && args.length > 0) {
    const value = derive(args.map((one) => run.flat(one)));
    const result = knowledge.is('decodes', name) ? decoded(name, value) : value;
    if (result.origins.length > 0) return result;
  }
  return isNew ? instanceOf(path) : unknownResult(run, call);
}

/** A call that gives outside data by its name: `getQuery(event)`; or null. */
function sourceCall(run: Run, { name, args, expression }: Call): Shape | null {
  const { knowledge } = run;
  if (!knowledge.has('source-call', name)) return null;
  // Others have functions of these names too, but for an event only h3 does.
  if (!knowledge.is('free-source-call', name) && args[0]?.role !== 'event') return null;
  const isWhole = knowledge.has('reads-whole', name);
  return outside('strong', `${name}()`, run.placeOf(expression.start), { isWhole });
}

/** An object of an imported class: its methods are that class's. */
export function instanceOf(path: string | null): Shape {
  return path === null ? UNKNOWN : at(`new ${path}()`);
}

/** By its name a number, a digest or the like: of data from outside nothing shows it. */
export function harmlessResult(run: Run, { args, receiver }: Call): Shape {
  const flat = args.map((one) => run.flat(one));
  const isOpen = flat.some(({ origins }) => origins.length > 0) && receiver?.role !== 'hash';
  return isOpen ? claimed(derive(flat), USES) : TRUSTED;
}

/**
 * What a function out of sight is given may come out of it, but for what it looks up by that
 * (`findUser(id)`): a record of the program is not the data.
 */
export function unknownResult(run: Run, { name, path, args, receiver }: Call): Shape {
  const { knowledge } = run;
  if (path !== null && knowledge.isKnown(path)) return UNKNOWN;
  const isOfRole = receiver !== null && receiver.role !== null;
  // What a function of another file gives is known by that: what is done with it asks for it.
  const isOwn = path !== null && path.length <= PATH_CHARS_MAX && isOfProgram(path);
  const own = isOwn && !isOfRole ? run.at(`${path}()`) : UNKNOWN;
  if (name === '' || isOfRole || knowledge.is('looks-up', name)) return own;
  const given = derive(receiver === null ? args : [...args, receiver]);
  const strong = given.origins.find(({ strength }) => strength === 'strong') ?? null;
  const origin = strong ?? given.passed;
  if (origin === null) return own;
  run.hasPassed = true;
  const through = origin.through ?? name;
  const data = { ...origin, through, isWhole: false, mayBeObject: false };
  return changed(RESULT, { path: own.path, passed: data });
}
