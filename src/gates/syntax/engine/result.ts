import type { PropagatorLine, SourceLine, Use } from '../../../rules/catalogue/line.ts';
import type { ClassId, Expression, Type } from '../il/il.ts';
import { DATA_FILE } from '../program/data-files.ts';
import { withoutCalls } from './catalogue-lines.ts';
import { siteOf } from './check-sinks.ts';
import { containerResult, readText } from './container.ts';
import { checkedCall } from './facts.ts';
import { functionResult } from './functions.ts';
import { checkedBy, converted, equality, ifFalse, isClass, telling, verdictOf } from './guard.ts';
import { methodCall } from './methods.ts';
import {
  clean,
  cleanedResult,
  isSchema,
  namedResult,
  responseResult,
  resultByName,
} from './named-results.ts';
import { fieldNamed } from './names.ts';
import { memberOfData } from './partial-data.ts';
import type { Call, Run } from './run.ts';
import { schemaCall } from './schema.ts';
import { keyedStoreCall } from './shared-state.ts';
import { noOptionFacts } from './state.ts';
import { folded, foldedText, joined, textResult } from './text.ts';
import {
  at,
  changed,
  claimedSafe,
  clip,
  constantOf,
  derive,
  isOutside,
  isTainted,
  joinAll,
  madeSafe,
  mapOrigins,
  named,
  originsIn,
  outside,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';
import { askForValue } from './view.ts';

/** Paths of what calls of calls give; a longer one is not known. */
const PATH_CHARS_MAX = 4_000;

/**
 * What a call gives back of a function that is not in view; `own`: what a function in view gave,
 * of which nothing is known; null: there is no such function.
 */
export function resultOf(run: Run, call: Call, own: Shape | null): Shape {
  const result = checked(run, call, withPath(run, call, knownResult(run, call, own)));
  return result === UNKNOWN ? RESULT : marked(run, call, result);
}

/** The result of what a package makes, with room for what is set on it; what can be guessed. */
function marked(run: Run, { path, args, receiver }: Call, result: Shape): Shape {
  if (path !== null && run.knowledge.products.has(withoutCalls(path))) {
    return changed(result, { objects: run.make('product').shape.objects });
  }
  if (!run.knowledge.traits.has('hands-on') || result.role !== null) return result;
  // What can be guessed can still be guessed in another form.
  const isGuessed = [...args, receiver].some((one) => one?.role === 'random');
  return isGuessed ? changed(result, { role: 'random' }) : result;
}

/** The first that is known of it: data, what the file says, lines of the catalogue, names. */
function knownResult(run: Run, call: Call, own: Shape | null): Shape {
  const { knowledge } = run;
  const { receiver, name } = call;
  const schema = schemaCall(run, call);
  if (schema !== null) return schema;
  const site = siteOf(run, call);
  const stored = keyedStoreCall(run, call);
  if (stored !== null) return stored;
  const written = literalOf(run, call);
  if (written !== null) return written;
  const source = knowledge.catalogue.callAt(site);
  const isData = source !== null && source.into === undefined;
  if (isData && (receiver === null || !isOutside(receiver))) return dataOf(run, call, source);
  const usual = readResult(run, call) ?? responseResult(run, call) ?? namedResult(run, call);
  if (usual !== null) return usual;
  if (own !== null) return changed(own, { isResult: true });
  const operated = foldedText(run, call) ?? functionResult(run, call);
  if (operated !== null) return operated;
  const resource = knowledge.is('resource', name) ? textOf(call.args[0] ?? UNKNOWN) : null;
  if (resource?.endsWith('.properties')) return constantOf(`${DATA_FILE}${resource}`);
  const onAny = receiver === null ? undefined : knowledge.methods.get(`any ${name}`);
  if (receiver !== null && onAny === 'same') return receiver;
  const [task] = call.args;
  const composed = composedOf(run, call, onAny);
  if (composed !== null) return composed;
  if (onAny === 'make' && receiver !== null && receiver.ownClass !== null) {
    const maker = { kind: 'method', object: receiver, name: '<init>' } as const;
    return run.parts.invoke(run, maker, call.args, call);
  }
  if (onAny === 'called' && task !== undefined && task.closures.length > 0) {
    return joinAll(task.closures.map((one) => run.parts.invoke(run, one, [], call)));
  }
  if (onAny === 'called-once' && task !== undefined && task.closures.length > 0) {
    const once = () => joinAll(task.closures.map((one) => run.parts.invoke(run, one, [], call)));
    const { result, state } = run.branch(run.state, once);
    // An earlier call may have run it: then this one does not.
    run.state.merge([state, run.state.fork()]);
    return result;
  }
  const sanitizer = knowledge.catalogue.sanitizerAt(site);
  if (sanitizer !== null) {
    const value = sanitized(run, call, sanitizer.safeFor);
    const isConverter = knowledge.has('converts', call.path ?? '');
    return isConverter ? telling(converted(call.args), value) : value;
  }
  const given = knowledge.given(call);
  if (given !== null) return at(given);
  if (knowledge.is('closed', name)) return changed(RESULT, { isPlain: true });
  const line = knowledge.catalogue.propagatorAt(site);
  if (line !== null && line.callback === undefined && (line.into ?? -1) < 0) {
    return propagated(run, call, line);
  }
  if (!knowledge.traits.has('hands-on')) {
    const named = cleanedResult(run, call) ?? schemaResult(run, call);
    if (named !== null) return named;
    return receiver === null ? resultByName(run, call) : methodCall(run, call, receiver);
  }
  return (
    gatheredResult(run, call) ??
    containerResult(run, call) ??
    throughClosure(run, call) ??
    textResult(run, call) ??
    partResult(run, call) ??
    handedOn(run, call)
  );
}

/** Functions that one call runs one after the other. */
const COMPOSED_MAX = 16;

/** `f.andThen(g)`, `g.compose(f)`: one function of two that are known; null: another call. */
function composedOf(run: Run, call: Call, operation: string | undefined): Shape | null {
  const { receiver, args, expression } = call;
  const [other = UNKNOWN] = args;
  const isPair = operation === 'followed' || operation === 'preceded';
  if (!isPair || receiver === null) return null;
  const [first, next] = operation === 'followed' ? [receiver, other] : [other, receiver];
  if (first.closures.length === 0 || next.closures.length === 0) return null;
  if (functionsIn(first) + functionsIn(next) > COMPOSED_MAX) {
    run.lose('more functions are put together than are followed', expression.start);
    return null;
  }
  const closures = first.closures.map((one) => ({ ...one, after: [...(one.after ?? []), next] }));
  return changed(UNKNOWN, { closures });
}

function functionsIn({ closures }: Shape): number {
  return closures.reduce(
    (count, { after = [] }) => after.reduce((sum, one) => sum + functionsIn(one), count + 1),
    0,
  );
}

/** `text.startsWith('-')`: where it does not, no program takes the text for an option. */
function dashTested(run: Run, { name, receiver, args }: Call, result: Shape): Shape {
  const [start = UNKNOWN] = args;
  const isTest = run.knowledge.guards.get(name) === 'starts' && textOf(start) === '-';
  if (!isTest || receiver === null || run.isPatched(name)) return result;
  return telling(ifFalse(noOptionFacts(receiver)), result);
}

/** The result with what it tells as a condition. */
function checked(run: Run, call: Call, result: Shape): Shape {
  if (run.knowledge.traits.has('keys'))
    return checkedCall(run, call, dashTested(run, call, result));
  const { receiver, args, name } = call;
  const guard = run.knowledge.guards.get(name);
  if (guard === undefined && !run.knowledge.is('claims', name)) return result;
  const isStatic = receiver === null || isClass(receiver);
  const given = isStatic ? args : [receiver, ...args];
  const [first, second] = given;
  const isPair = first !== undefined && second !== undefined && given.length === 2;
  const known = isPair ? compared(run, guard, first, [second]) : null;
  if (known !== null) return known;
  return telling(checkedBy(run, call), result);
}

/** What a package of the catalogue makes keeps its name. */
function withPath(run: Run, { path, called, isNew }: Call, result: Shape): Shape {
  if (!run.knowledge.traits.has('keys')) return result;
  if (path === null || called.closures.length > 0) return result;
  if (result.path !== null && !result.path.startsWith('new ')) return result;
  if (!run.knowledge.isKnown(path)) return result;
  const full = path.endsWith('()()') ? path : `${path}()`;
  return changed(result, { path: isNew && !full.startsWith('new ') ? `new ${full}` : full });
}

/** An object of a type that the file does not show, written with its fields; null: another call. */
function literalOf(run: Run, { expression, path, args, options }: Call): Shape | null {
  const { knowledge } = run;
  if (expression.form !== 'new' || knowledge.kinds.has(path ?? '')) return null;
  if (options.size === 0 || args.length === expression.arguments.length) {
    if (path !== null || !knowledge.traits.has('hands-on')) return null;
    const made = knowledge.traits.has('package') ? `./${expression.type.name}` : null;
    // What a factory of another file makes.
    if (made !== null && !run.isOwnPlace(expression.start)) run.ask(made, expression.start, false);
    // The message of an error is the program's where all that it is made with is.
    if (/(?:Exception|Error)$/.test(expression.type.name) && args.every(isOwnText)) return TRUSTED;
    const data = derive(args.map((one) => run.flat(one)));
    return changed(data, { isPlain: true, path: made && `${made}()` });
  }
  const counted = knowledge.counted.get(path ?? '');
  if (counted !== undefined) {
    // All other fields say nothing of what it is used for.
    const value = options.get(counted);
    const data = value === undefined ? TRUSTED : derive([run.state.settled(value)]);
    return changed(data, { path: `${path}()` });
  }
  const cells = new Map<string, Shape>();
  for (const [key, value] of options) cells.set(key, run.state.settled(value));
  const { shape } = run.make('instance', { cells, isOpen: true });
  return path === null ? changed(shape, { isPlain: true }) : changed(shape, { path: `${path}()` });
}

function isOwnText({ isTrusted }: Shape): boolean {
  return isTrusted;
}

/** What a method of a request gives: data. */
function readResult(run: Run, { receiver, name, receiverPath, expression }: Call): Shape | null {
  const role = receiver?.role ?? null;
  if (role === null || !run.knowledge.has(`reads:${role}`, name)) return null;
  const text = receiverPath === null ? name : `${receiverPath}.${name}`;
  const isWhole = run.knowledge.has('reads-whole', name);
  return outside('strong', `${text}()`, run.placeOf(expression.start), { isWhole });
}

/** Data from outside, as a line of the catalogue says. */
function dataOf(run: Run, { expression, name, path, receiverPath }: Call, line: SourceLine): Shape {
  const { knowledge } = run;
  const isWhole = line.whole === true;
  const mayBeObject = isWhole || line.object === true;
  const isStep = knowledge.is('one-step-call', name) || knowledge.is('one-step-path', path ?? '');
  const claimedFor: readonly Use[] = isStep ? ['path'] : [];
  const shape = { isWhole, mayBeObject, claimedFor, safeFor: line.safeFor ?? [] };
  const written = receiverPath === null ? name : `${receiverPath}.${name}`;
  const text = knowledge.traits.has('keys') ? `${written}()` : textOfCall(run, expression);
  const value = outside('strong', text, run.placeOf(expression.start), shape);
  // A stream has yet to be read, whatever it is read from.
  const isStream = knowledge.is('stream', `${name}()`);
  const own = path === null && isStream ? `.${name}` : path;
  return changed(value, { path: own === null ? null : `${own}()` });
}

/** What a schema lets by; null: it is something else. */
function schemaResult(run: Run, call: Call): Shape | null {
  if (!isSchema(run, call)) return null;
  return mapOrigins(derive(call.args.map((one) => run.flat(one))), (origin) =>
    origin.strength === 'strong' ? { ...origin, strength: 'checked' } : origin,
  );
}

/** What an encoder makes of what it is given. */
function sanitized(run: Run, { args, receiver }: Call, safeFor: readonly Use[]): Shape {
  const given = args.length > 0 ? args : [receiver ?? UNKNOWN];
  // Objects behind the first argument are options.
  const inputs = run.knowledge.traits.has('keys') ? given.slice(0, 1) : given;
  const [only = UNKNOWN, ...others] = inputs.map((one) => run.flat(readText(run, one)));
  return clean(others.length === 0 ? only : derive([only, ...others]), safeFor);
}

/** Comparisons of texts that are known. */
function compared(
  run: Run,
  guard: string | undefined,
  receiver: Shape,
  args: readonly Shape[],
): Shape | null {
  const [first = UNKNOWN] = args.map((one) => readText(run, one));
  const own = readText(run, receiver);
  const isText = own.constants?.every((one) => typeof one === 'string') === true;
  if (!isText) return null;
  switch (guard) {
    case 'equal':
      return first.constants === null ? null : equality(run, own, first);
    case 'starts':
      return folded([own, first], ([one, other]) => String(one).startsWith(String(other)));
    case 'ends':
      return folded([own, first], ([one, other]) => String(one).endsWith(String(other)));
    default:
      return null;
  }
}

const WRITTEN_CHARS_MAX = 60;

/** A call as it is written, short enough for messages. */
export function textOfCall(run: Run, expression: Expression): string {
  return clip(run.textOf(expression).replace(/["']/g, ''), WRITTEN_CHARS_MAX);
}

/** What inputs become in a function that hands them on. */
export function propagated(run: Run, call: Call, line: PropagatorLine): Shape {
  const { args, options, receiver, name } = call;
  const named = [...options.values()];
  const picked =
    line.from === undefined
      ? [...args, ...named, ...(receiver === null ? [] : [receiver])]
      : line.from.flatMap((index) => (index < 0 ? (receiver ?? []) : (args[index] ?? [])));
  // What is asked for by its place may be given by its name.
  const inputs = picked.length === 0 ? named : picked;
  const flat = inputs.map((one) => run.flat(readText(run, one)));
  const path = call.path === null ? null : `${call.path}()`;
  // What is matched keeps the pattern.
  const pattern = receiver?.pattern ?? null;
  const [only] = flat;
  const resolves = run.knowledge.is('resolves', name);
  // A reader of a text that is known is as good as the text.
  if (
    flat.length === 1 &&
    !resolves &&
    only !== undefined &&
    (only.pieces ?? only.constants) !== null
  ) {
    return changed(only, { constants: null, path, pattern });
  }
  const data = derive(flat.map((one) => (one.pieces === null ? one : run.state.settled(one))));
  const value = changed(data, { isResult: flat.length > 1 });
  const { knowledge } = run;
  const isUrl = knowledge.is('address', name) && knowledge.is('address-path', call.path ?? '');
  const isWhole = line.whole === true;
  const handed = mapOrigins(value, (origin) => ({
    ...origin,
    isUrl,
    isResolved: resolves || (origin.isResolved && knowledge.is('file', path ?? '')),
    isWhole,
    mayBeObject: isWhole,
    // What was checked before it was decoded or parsed may hold anything now.
    ...(line.decodes === true ? { text: decodedText(name, origin.text) } : {}),
    ...(line.decodes === true || isWhole ? { safeFor: [], claimedFor: [] } : {}),
  }));
  // Of a path that begins at the root no step up leads anywhere.
  const start = only?.pieces?.[0];
  const isRooted = typeof start === 'string' && start.startsWith('/');
  const safe = isRooted && knowledge.is('rooted', name) ? madeSafe(handed, ['path']) : handed;
  return changed(safe, { path, pattern });
}

/** Data that a loop decodes again and again is the same from the third time on. */
function decodedText(name: string, text: string): string {
  const often = `${name}(...)`;
  const isOften = text === often || text.startsWith(`${name}(${name}(`);
  return isOften ? often : clip(`${name}(${text})`);
}

/** What a method of data from outside gives back; null: nothing that is known of it. */
function partResult(run: Run, call: Call): Shape | null {
  const { name, receiver, args, path } = call;
  const { knowledge } = run;
  const [first = UNKNOWN] = args;
  if (receiver === null || isClass(receiver)) return null;
  const isData = receiver.origins.length > 0;
  if (knowledge.is('numeric', name)) return TRUSTED;
  const own = path === null || path.length > PATH_CHARS_MAX ? null : `${path}()`;
  if (knowledge.is('resolves', name) && isData) {
    const resolved = mapOrigins(receiver, (origin) => ({ ...origin, isResolved: true }));
    return changed(derive([resolved, ...args]), { path: own });
  }
  if (!isData) {
    if (!receiver.isPlain || args.length > 0) return null;
    // A type that one package alone has: `getConnection()` of a class of the program.
    const type = knowledge.is('getter', name) ? name.replace(/^(?:get|is)/i, '') : '';
    const known = knowledge.types.get(type);
    return changed(RESULT, known === undefined ? { isPlain: true } : { path: `${known}()` });
  }
  const isFile = knowledge.is('file', receiver.path ?? '');
  // The last part of a path.
  if (isFile && knowledge.is('last-name', name)) return madeSafe(derive([receiver]), ['path']);
  if (knowledge.is('host', name) && receiver.origins.some(({ isUrl }) => isUrl)) {
    return memberOfData(run, receiver, 'host');
  }
  const isGetter = args.length === 0 && knowledge.is('getter', name) && !isFile;
  if (isGetter && !knowledge.is('whole-getter', name)) {
    const field = fieldNamed(run, name);
    const isWhole = receiver.origins.some((origin) => origin.isWhole);
    const value =
      knowledge.is('number-name', field) && !isWhole ? TRUSTED : memberOfData(run, receiver, field);
    return changed(value, { path: own });
  }
  const key = textOf(first);
  for (const [option, type] of call.options) {
    const converter = (type.path ?? '').replace(/^.*\./, '');
    if (knowledge.is('typed-by', option) && knowledge.has('harmless', converter)) return TRUSTED;
  }
  if (key !== null && knowledge.is('keyed', name)) return memberOfData(run, receiver, key);
  const isKept = knowledge.is('keeps', name);
  const isResult = receiver.isResult && knowledge.has('building', name);
  const kept = mapOrigins(changed(UNKNOWN, { origins: receiver.origins, isResult }), (origin) => ({
    ...origin,
    isResolved: origin.isResolved && isFile,
    isUrl: origin.isUrl && isKept,
  }));
  const given = [...args, ...call.options.values()].map((one) => run.flat(readText(run, one)));
  const all = joinAll([kept, ...given].filter(holdsData));
  const isText = name === 'toString' || /^java\.lang\./.test(own ?? '');
  return changed(all, { path: isText ? null : own });
}

function holdsData({ origins }: Shape): boolean {
  return origins.length > 0;
}

/** A result of which only the path is known. */
function withPathOf(path: string | null): Shape {
  return path === null ? RESULT : changed(RESULT, { path });
}

/** The path of what a function gives back; of the program's own package it begins with `./`. */
function resultPath(run: Run, { path, name, expression }: Call): string | null {
  if (path !== null) return path.length > PATH_CHARS_MAX ? null : `${path}()`;
  const isOfPackage = run.knowledge.traits.has('package') && expression.form === 'call';
  return isOfPackage ? `./${name}()` : null;
}

/** Notes that an unknown function gets an object of the file, which it may change. */
function noteSharing(run: Run, call: Call): void {
  if (run.sharesObject) return;
  const given = [...call.args, ...call.options.values()];
  if (given.every(({ objects }) => objects.length === 0)) return;
  run.sharesObject = run.knowledge.catalogue.sinksAt(siteOf(run, call)).length === 0;
}

/** What an unknown function gives back: data of all that it is given. */
function handedOn(run: Run, call: Call): Shape {
  const { name, args, receiver } = call;
  askAbout(run, call);
  noteSharing(run, call);
  const own = resultPath(run, call);
  if (run.knowledge.is('numeric', name)) return changed(TRUSTED, { path: null });
  // The caller does not choose the text of what is encrypted or hashed.
  if (run.knowledge.is('opaque', name)) return withPathOf(own);
  // What is found by data is a record of the program.
  if (receiver !== null && receiver.origins.length === 0 && isFinder(run, call, receiver)) {
    return withPathOf(own);
  }
  // What a table of the program has under a key is the program's.
  const isLookup = run.knowledge.methods.get(`table ${name}`) === 'get';
  const given = isLookup && receiver !== null ? args.slice(1) : args;
  const all = isLookup ? given : [...given, ...call.options.values()];
  const inputs = receiver === null ? all : [...all, receiver];
  const flat = inputs.map((one) => run.flat(readText(run, one)));
  const data = derive(flat.map((one) => run.state.settled(one)));
  // What a sink gives back is something else than what it was given.
  const endsThere = run.knowledge.traits.has('sinks-end');
  const isSink = endsThere && run.knowledge.catalogue.sinksAt(siteOf(run, call)).length > 0;
  if (data.origins.length === 0 || isSink) {
    const isOwn =
      !isSink && receiver?.isTrusted === true && flat.every(({ isTrusted }) => isTrusted);
    if (isOwn && (receiver?.constants !== null || receiver.path === null)) return TRUSTED;
    return own === null ? RESULT : changed(RESULT, { path: own });
  }
  const place = run.placeOf(call.expression.at.start);
  // What a function of elsewhere makes of a parameter says less than what it makes of data.
  const isResult = isTainted(data) || !run.knowledge.traits.has('hints');
  const result = changed(named(data, name, place, 'result'), { path: own, isResult });
  return run.knowledge.is('cleans', name) ? claimedSafe(result) : result;
}

/** Whether a method gives what it finds by its arguments: `jobRepository.findByName(name)`. */
function isFinder(run: Run, call: Call, receiver: Shape): boolean {
  const { knowledge } = run;
  const { name, receiverPath, args, whole } = call;
  const isFound = knowledge.is('finds-by', `${receiverPath ?? ''}.${name}`) && !isClass(receiver);
  if (isFound && args.every((one) => isKey(run, one))) return true;
  const isAsked = whole !== undefined || !knowledge.traits.has('package');
  return isAsked && knowledge.is('looks-up', name);
}

/** Whether an argument is one value: what is found in a whole body, request or table is data. */
function isKey(run: Run, { origins, objects, role, path }: Shape): boolean {
  const isWhole = origins.some(({ isWhole, mayBeObject, offset = -1, text }) => {
    return isWhole || mayBeObject || run.bodies.get(offset) === text;
  });
  return !isWhole && objects.length === 0 && role === null && !HOLDS_VALUES.test(path ?? '');
}

/** Names of parts of a request that hold many values. */
const HOLDS_VALUES =
  /(?:Map|Form|Body|BodyReader|Headers?|Cookies|Param(?:eter)?s|Query|QueryString|Values)(?:\(\))?$/;

/** A stream that is collected: into one text if the collector says what stands between. */
function gatheredResult(run: Run, call: Call): Shape | null {
  const { receiver, name, args } = call;
  if (receiver === null || !run.knowledge.is('gathers', name)) return null;
  const [first = UNKNOWN] = args;
  if (receiver.objects.length === 0) {
    return receiver.isTrusted ? TRUSTED : changed(receiver, { constants: null });
  }
  if (!run.knowledge.is('joins', first.path ?? '')) return receiver;
  return joined(run, first.pattern === null ? UNKNOWN : constantOf(first.pattern), receiver, call);
}

/** A closure that is given to a method of data or of a list: it gets the data. */
function throughClosure(run: Run, call: Call): Shape | null {
  const { receiver, args, name } = call;
  if (receiver === null) return null;
  const closure = args.find(({ closures }) => closures.length > 0)?.closures[0];
  if (closure === undefined) return null;
  const lists = run.objectsOf(receiver).filter(([, { kind }]) => kind === 'list');
  const isData = receiver.origins.length > 0 || lists.length > 0 || receiver.pieces !== null;
  const isKnown = receiver.constants !== null || receiver.isTrusted;
  if (!isData && !isKnown) return null;
  const element = lists.length > 0 ? run.elementOf(receiver) : receiver;
  if (run.knowledge.is('filters', name)) {
    const { result } = run.branch(run.state, () => {
      const test = run.parts.invoke(run, closure, [element], call);
      run.state.guard(verdictOf(test).whenTrue);
      return run.state.settled(element);
    });
    return lists.length > 0 ? run.list([result]) : result;
  }
  const result = run.parts.invoke(run, closure, [element], call);
  if (!run.knowledge.is('maps', name)) return receiver;
  return lists.length > 0 ? run.list([result]) : result;
}

/** What a method of a text or of data gives back; null: nothing that is known of it. */
export function partOfReceiver(run: Run, call: Call): Shape | null {
  return textResult(run, call) ?? partResult(run, call);
}

/**
 * Asks for the function of another file that gets data or a request, where nothing in view says
 * what it does.
 */
export function askAbout(run: Run, call: Call): void {
  const { path, name, receiver, args, options, expression } = call;
  const given = [...args, ...options.values(), ...(receiver === null ? [] : [receiver])];
  if (path !== null && run.knowledge.isKnown(path.split('()', 1)[0] ?? path)) return;
  const flat = given.map((one) => run.flat(one));
  noteHandedOn(run, path ?? name, flat);
  if (!flat.some((one) => isOfRequest(run, one))) return;
  if (receiver !== null) askForBases(run, receiver, name);
  // A base of the package has no path but its name.
  const isOfPackage = path === null || path.startsWith('./') || /^[A-Z]\w*\(\)\./.test(path);
  if (isOfPackage && run.knowledge.traits.has('package')) {
    const [constant = `./${name}`] = path?.match(/^\.\/[A-Z]\w*\.\w+/) ?? [];
    run.ask(constant, expression.start, true);
    // What made the object that it is called on: a factory.
    const [maker = './'] = path?.match(/^\.\/\w+(?=\(\)\.)/) ?? [];
    if (maker !== './') run.ask(maker, expression.start, false);
  } else if (path !== null) run.ask(path, expression.start, true);
  else if (expression.form === 'call' && expression.receiver !== null) {
    const type = writtenType(run, expression.receiver);
    const of = type === null || type.own !== null ? null : type.path;
    if (of !== null && !run.knowledge.isKnown(of)) run.ask(`${of}.${name}`, expression.start, true);
  }
}

/** Asks for values of other files that a function in view is given beside data. */
export function askBeside(run: Run, { args, options }: Call): void {
  const given = options.size === 0 ? args : [...args, ...options.values()];
  const open = given.filter(({ path, objects }) => path !== null && objects.length === 0);
  if (open.length === 0 || !given.some((one) => isTainted(run.flat(one)))) return;
  for (const one of open) askForValue(run, one, true);
}

/** Notes which parameters a function gets that nothing in view explains. */
function noteHandedOn(run: Run, called: string, given: readonly Shape[]): void {
  for (const shape of given) {
    for (const { parameter } of originsIn(shape)) {
      if (parameter === null) continue;
      const known = run.handedOn.get(parameter) ?? new Set();
      run.handedOn.set(parameter, known.add(called));
    }
  }
}

/** The type that is written for a field or a parameter: what is injected has no other sign. */
function writtenType(run: Run, receiver: Expression): Type | null {
  const { classes, functions } = run.module;
  if (receiver.form === 'member') {
    const fields = classes.flatMap((declared) => declared.fields);
    return fields.find(({ name, type }) => name === receiver.name && type !== null)?.type ?? null;
  }
  if (receiver.form !== 'load') return null;
  const parameters = functions.flatMap((declared) => declared.parameters);
  return parameters.find(({ variable }) => variable === receiver.variable)?.type ?? null;
}

/** Asks for bases in other files that may have a method which the classes in view do not. */
function askForBases(run: Run, receiver: Shape, name: string): void {
  const seen = new Set<ClassId>();
  const waiting = run.objectsOf(receiver).flatMap(([, { type }]) => type ?? []);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const declared = run.classOf(id);
    if (declared === null || seen.has(id)) continue;
    seen.add(id);
    for (const { own, path, name: base } of declared.bases) {
      if (own !== null) waiting.push(own);
      else if (path === null && run.knowledge.traits.has('package')) {
        run.ask(`./${base}`, declared.start, true);
      } else if (path !== null && !run.knowledge.isKnown(path)) {
        run.ask(`${path}.${name}`, declared.start, true);
      }
    }
  }
}

function isOfRequest(run: Run, shape: Shape): boolean {
  const isRequest = shape.role === 'request' || run.knowledge.carriesData(shape.path ?? '');
  return isRequest || isTainted(shape);
}
