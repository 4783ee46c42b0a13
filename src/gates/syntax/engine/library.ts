import {
  type PropagatorLine,
  type SourceLine,
  USES,
  type Use,
} from '../../../rules/catalogue/line.ts';
import type { Expression } from '../il/il.ts';
import { assignTo } from './call.ts';
import { charactersOf } from './characters.ts';
import { containerResult, makeContainer, readText } from './container.ts';
import { checkedCall } from './facts.ts';
import { leaveObject, storeCall } from './left.ts';
import { memberOf, partOfData } from './member.ts';
import { prototypeCall } from './prototype.ts';
import type { Run, ValueCall } from './run.ts';
import { namedOf } from './sites.ts';
import { folded, textResult } from './text.ts';
import {
  at,
  build,
  claimedSafe,
  clip,
  constantOf,
  derive,
  join,
  joinAll,
  madeSafe,
  mapOrigins,
  type Origin,
  onlyConstant,
  outside,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

const HTML: readonly Use[] = ['html'];
const PLACES: readonly Use[] = ['url', 'redirect'];

/**
 * What a call gives back of a function that is not in view, or (`isOwn`) of one that is, of whose
 * result nothing else is known.
 */
export function libraryResult(run: Run, call: ValueCall, isOwn: boolean): Shape {
  const result = checkedCall(run, call, withPath(run, call, knownResult(run, call, isOwn)));
  return result === UNKNOWN ? RESULT : result;
}

/** What a package of the catalogue makes keeps its name. */
function withPath(run: Run, { path, called, isNew }: ValueCall, result: Shape): Shape {
  if (path === null || called.closures.length > 0) return result;
  if (result.path !== null && !result.path.startsWith('new ')) return result;
  if (!run.knowledge.isKnown(path)) return result;
  const full = path.endsWith('()()') ? path : `${path}()`;
  return { ...result, path: isNew && !full.startsWith('new ') ? `new ${full}` : full };
}

function knownResult(run: Run, call: ValueCall, isOwn: boolean): Shape {
  const { receiver, name, args, expression } = call;
  const stored = storeCall(run, call);
  if (stored !== null) return stored;
  if (receiver !== null) {
    grow(run, call, receiver);
    const { role } = receiver;
    if (role === null || run.knowledge.has('emitter', role)) listen(run, call);
  }
  const line = run.knowledge.catalogue.callAt(namedOf(run, call));
  if (line !== null) return dataOf(run, call, line);
  if (receiver?.role === 'request' && run.knowledge.has('reads:request', name)) {
    const isWhole = name === 'json';
    return outside('strong', `${written(call)}()`, run.placeOf(expression.start), { isWhole });
  }
  const response = responseOf(run, call);
  if (response !== null) return response;
  const special = moduleCall(run, call);
  if (special !== null) return special;
  if (isOwn) return RESULT;
  const known = foldedCall(run, call) ?? sanitized(run, call);
  if (known !== null) return known;
  const handed = run.knowledge.catalogue.propagatorAt(namedOf(run, call));
  if (handed !== null && handed.callback === undefined) return handedOn(call, handed, run);
  if (isSchema(run, call)) {
    return mapOrigins(derive(args.map((one) => run.flat(one))), (origin) =>
      origin.strength === 'strong' ? { ...origin, strength: 'checked' } : origin,
    );
  }
  return (
    functionResult(run, call) ??
    (receiver === null ? plainCall(run, call) : methodCall(run, call, receiver))
  );
}

/** How what is called is written, for messages. */
function written({ receiverPath, name }: ValueCall): string {
  return receiverPath === null ? name : `${receiverPath}.${name}`;
}

function dataOf(run: Run, call: ValueCall, line: SourceLine): Shape {
  const isWhole = line.whole === true;
  const mayBeObject = isWhole || line.object === true;
  const shape = { isWhole, mayBeObject, safeFor: line.safeFor ?? [] };
  return outside('strong', `${written(call)}()`, run.placeOf(call.expression.start), shape);
}

const GROWING = /^(?:push|unshift|add|append)$/;

/** `list.push(x)` of what is not known: it holds x from now on. */
function grow(run: Run, { name, args, expression }: ValueCall, receiver: Shape): void {
  const isMap = receiver.isTrusted && name === 'set';
  if (!GROWING.test(name) && !isMap) return;
  if (receiver.objects.length > 0 || expression.form !== 'call') return;
  const place = expression.receiver;
  if (place === null || place.form !== 'load') return;
  const added = derive((isMap ? args.slice(1) : args).map((one) => run.flat(one)));
  if (added.origins.length === 0) return;
  assignTo(run, place, join(receiver, { ...receiver, origins: added.origins, isTrusted: false }));
}

/**
 * Functions that wait for an event of an emitter, and what it is emitted with. What comes first is
 * kept for the other one.
 */
function listen(run: Run, call: ValueCall): void {
  const { name, receiverPath, args } = call;
  const [event, ...data] = args;
  const text = event === undefined ? null : textOf(event);
  if (receiverPath === null || text === null) return;
  // A class emits for those that listen to its object under another name.
  const own = receiverPath === run.knowledge.word('self') ? '' : receiverPath;
  const isSame = (other: string) => other === '' || own === '' || other === own;
  const known = run.events.get(text) ?? { handlers: new Map(), data: new Map() };
  const { start } = call.expression;
  if (run.knowledge.has('listens', name)) {
    const [handler] = data;
    if (handler === undefined || handler.closures.length === 0) return;
    run.events.set(text, known);
    known.handlers.set(start, { on: own, handler });
    for (const one of known.data.values()) {
      if (isSame(one.on)) give(run, handler, one.data, call);
    }
  } else if (run.knowledge.has('emits', name)) {
    const flat = data.map((one) => run.flat(one));
    if (flat.every(({ origins }) => origins.length === 0)) return;
    run.events.set(text, known);
    const kept = flat.map(({ origins }) => ({ ...UNKNOWN, origins }));
    known.data.set(start, { on: own, data: kept });
    for (const one of known.handlers.values()) {
      if (isSame(one.on)) give(run, one.handler, data, call);
    }
  }
}

function give(run: Run, { closures }: Shape, data: readonly Shape[], call: ValueCall): void {
  for (const one of closures) run.parts.invoke(run, one, data, call);
}

/**
 * What a method of a response gives back: the response, as a page or as plain data, once its
 * content type is known. Null for all else.
 */
function responseOf(run: Run, call: ValueCall): Shape | null {
  const { receiverPath, receiver, name, expression } = call;
  const { knowledge } = run;
  const role = receiver?.role ?? null;
  const isResponse = knowledge.is('response', receiverPath ?? '');
  if (!isResponse && role !== 'page' && role !== 'plain') return null;
  const type = contentType(run, call);
  if (type === null && !knowledge.has('chaining', name)) return null;
  const known = type === null ? role : knowledge.is('page-type', type) ? 'page' : 'plain';
  const isReply = knowledge.is('reply', receiverPath ?? '');
  if (known === null) return isReply ? null : { ...UNKNOWN, role: 'page' };
  const typed = { ...UNKNOWN, role: known, path: receiver?.path ?? null };
  const place = expression.form === 'call' ? expression.receiver : null;
  if (type !== null && place?.form === 'load') run.state.set(place.variable, typed);
  return typed;
}

/** The content type that a call sets; '' when it is computed, null when it sets none. */
function contentType(run: Run, { name, args }: ValueCall): string | null {
  const [first = UNKNOWN, second = UNKNOWN] = args;
  if (name === 'type' || name === 'contentType') return textOf(first) ?? '';
  const isHeader = /^(?:set|header|setHeader)$/.test(name);
  if (isHeader && textOf(first)?.toLowerCase() === 'content-type') return textOf(second) ?? '';
  if (!/^(?:set|writeHead|headers|header)$/.test(name)) return null;
  for (const argument of args) {
    for (const [, { cells }] of run.objectsOf(argument)) {
      for (const [header, value] of cells) {
        if (header.toLowerCase() === 'content-type') return textOf(value) ?? '';
      }
    }
  }
  return null;
}

/** `require`, `promisify`, `bind`: what comes out is still that module's function. */
function moduleCall(run: Run, call: ValueCall): Shape | null {
  const { name, receiver, receiverPath, args, path, isDeclared } = call;
  const { knowledge } = run;
  const [first = UNKNOWN, second] = args;
  if ((name === 'require' || name === 'import') && receiver === null) {
    const module = textOf(first);
    return module === null ? UNKNOWN : at(module.replace(/^node:/, ''));
  }
  if (name === 'createRequire') return at(knowledge.word('loader'));
  if (name === 'getPrototypeOf' && first.closures.length > 0)
    return at(knowledge.word('prototype'));
  if (/^promisify(?:All)?$/.test(name)) {
    return first.path === null && first.closures.length === 0
      ? UNKNOWN
      : { ...first, isTrusted: false };
  }
  // `$({ shell: true })` is a tag with options.
  if (name === '$' && first.objects.length > 0 && first.origins.length === 0) {
    return { ...at(path ?? 'zx.$'), objects: first.objects };
  }
  if (name === 'createHash') return { ...UNKNOWN, role: 'hash', constants: first.constants };
  if (name === 'update' && receiver?.role === 'hash') return receiver;
  if (/^readFile(?:Sync)?$/.test(name) && first.origins.length > 0) {
    const stored = first.origins.filter(
      ({ text, strength }) => strength === 'strong' && knowledge.is('stored-path', text),
    );
    if (stored.length > 0) {
      return mapOrigins({ ...UNKNOWN, origins: stored }, (origin) => ({
        ...origin,
        safeFor: [],
        mayBeObject: false,
        isWhole: false,
      }));
    }
  }
  if (name === 'RegExp' && receiver === null && !isDeclared) {
    if (first.pattern !== null) return first;
    const text = textOf(first);
    // Flags that are not known may hold any.
    const flags = second === undefined ? '' : (textOf(second) ?? 'm');
    return text === null ? null : { ...TRUSTED, pattern: text, flags };
  }
  if (knowledge.is('query-object', name) && receiver === null)
    return { ...UNKNOWN, role: 'elements' };
  if (knowledge.has('client-maker', name)) {
    const client = receiver?.path ?? receiverPath ?? '';
    if (knowledge.is('client', client)) return at(client);
  }
  if (name === 'getEntries' && receiver !== null) return { ...UNKNOWN, role: 'archive' };
  if (name === 'collection' && receiver !== null) return { ...UNKNOWN, role: 'collection' };
  return null;
}

/** The text that a call gives when all that goes into it is known; null: it is not. */
function foldedCall(run: Run, call: ValueCall): Shape | null {
  const { name, receiver, receiverPath, args, isNew } = call;
  if (isNew) return null;
  if (receiver === null || receiverPath === 'window') {
    return folded(args.slice(0, 1), ([text]) =>
      typeof text === 'string' ? decodedText(name, text) : undefined,
    );
  }
  if (receiverPath === 'String' && /^fromC(?:har|ode)/.test(name)) {
    const codes = args.map(onlyConstant);
    return codes.every((one) => typeof one === 'number')
      ? constantOf(String.fromCharCode(...(codes as number[])))
      : null;
  }
  if (receiverPath === 'Buffer' && name === 'from' && args.length > 1) {
    return folded(args, ([text, encoding]) => {
      const known = /^(?:hex|base64|base64url|utf-?8|ascii|latin1|binary)$/i.test(String(encoding));
      if (typeof text !== 'string' || !known) return undefined;
      return Buffer.from(text, String(encoding).toLowerCase() as BufferEncoding).toString();
    });
  }
  if (receiver.role !== null || receiver.pattern !== null) return null;
  const isText = receiver.constants?.every((one) => typeof one === 'string') === true;
  if (!isText) return null;
  const [first] = args;
  if (name === 'split' && args.length === 1 && first?.pattern === null) {
    const text = textOf(receiver);
    const by = textOf(first);
    return text === null || by === null ? null : run.list(text.split(by, 64).map(constantOf));
  }
  return folded([receiver, ...args], ([text, ...rest]) => foldText(String(text), name, rest));
}

function decodedText(name: string, text: string): string | undefined {
  switch (name) {
    case 'atob':
      return Buffer.from(text, 'base64').toString('latin1');
    case 'unescape':
    case 'decodeURIComponent':
    case 'decodeURI':
      return text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    default:
      return undefined;
  }
}

type Known = string | number | boolean | null;

function foldText(text: string, name: string, args: readonly Known[]): Known | undefined {
  const [first, second] = args;
  const from = typeof first === 'number' ? first : 0;
  const to = typeof second === 'number' ? second : undefined;
  switch (name) {
    case 'slice':
      return text.slice(from, to);
    case 'substring':
      return text.substring(from, to);
    case 'substr':
      return text.slice(from).slice(0, to);
    case 'charAt':
    case 'at':
      return text.at(from) ?? '';
    case 'toLowerCase':
      return text.toLowerCase();
    case 'toUpperCase':
      return text.toUpperCase();
    case 'trim':
      return text.trim();
    case 'concat':
      return text + args.map(String).join('');
    case 'replace':
    case 'replaceAll':
      if (typeof first !== 'string' || typeof second !== 'string' || first === '') return undefined;
      return text.replaceAll(first, () => second);
    default:
      return undefined;
  }
}

/** What a cleaning function makes of its first argument; null for another function. */
function sanitized(run: Run, call: ValueCall): Shape | null {
  const { knowledge } = run;
  const { name, args } = call;
  const [first] = args;
  if (first === undefined) return null;
  const known = knowledge.catalogue.sanitizerAt(namedOf(run, call));
  const given = run.flat(readText(run, first));
  if (known !== null) return clean(given, known.safeFor);
  const uses = knowledge.is('cleans-markup', name)
    ? HTML
    : knowledge.is('cleans', name)
      ? USES
      : null;
  return uses === null ? null : claimed(given, uses);
}

/** The same data in another spelling. */
function clean(value: Shape, uses: readonly Use[]): Shape {
  // What can be guessed stays so as another number.
  if (uses.length === USES.length) return value.role === 'random' ? RANDOM : TRUSTED;
  const data = derive([value]);
  if (data.origins.length === 0) return value.isTrusted ? TRUSTED : { ...UNKNOWN, safeFor: uses };
  return madeSafe(data, uses);
}

const RANDOM: Shape = { ...TRUSTED, role: 'random' };

/** The data after a function of which only the name is known. */
function claimed(value: Shape, uses: readonly Use[]): Shape {
  const data = derive([value]);
  return data.origins.length === 0 ? RESULT : claimedSafe(data, uses);
}

/** What a function of the catalogue makes of its arguments. */
function handedOn({ args, receiver, name }: ValueCall, line: PropagatorLine, run: Run): Shape {
  const inputs = line.from?.map((index) => (index < 0 ? receiver : args[index]) ?? TRUSTED) ?? args;
  const value = { ...derive(inputs.map((one) => run.flat(one))), isResult: inputs.length > 1 };
  const isWhole = line.whole === true;
  if (!isWhole && line.decodes !== true) return value;
  return mapOrigins(value, (origin) => ({
    // No check from before holds for what the text says once it is read.

    ...origin,
    safeFor: [],
    claimedFor: [],
    mayBeObject: isWhole,
    isWhole,
    text: isWhole ? origin.text : `${name}(${origin.text})`,
  }));
}

function isSchema(run: Run, { name, receiver, receiverPath }: ValueCall): boolean {
  const { knowledge } = run;
  if (!knowledge.has('schema-call', name) || receiver === null) return false;
  return receiver.origins.length === 0 && !knowledge.is('parser', receiverPath ?? '');
}

/** Functions of the table of operations; null: another one. */
function functionResult(run: Run, call: ValueCall): Shape | null {
  const { knowledge } = run;
  const { path, args, isDeclared, expression, name, receiver, receiverPath } = call;
  // A method of a value without a name is not the function of its name.
  const own = receiver !== null && receiverPath === null ? '' : written(call);
  const full = path !== null && knowledge.functions.has(path) ? path : own;
  const operation = knowledge.functions.get(full);
  if (call.isNew && !isDeclared) {
    const kind = knowledge.kinds.get(name);
    if (kind !== undefined) return container(run, kind, call);
  }
  if (operation === undefined || isDeclared) return null;
  const [first = UNKNOWN, second] = args;
  const flat = args.map((one) => run.flat(readText(run, one)));
  const span = [expression.start, expression.end] as const;
  switch (operation) {
    case 'text':
      return asText(first);
    case 'address':
      return addressOf(asText(run.flat(first)), second);
    case 'format': {
      const text = textOf(first) ?? '';
      return /%[LI]/.test(text) && !text.includes('%s') ? TRUSTED : build(flat, span);
    }
    case 'json':
      return { ...derive(flat), isJson: true };
    case 'random':
      return RANDOM;
    case 'create':
    case 'inherit':
    case 'inherit-maker':
    case 'put':
    case 'define':
      return prototypeCall(run, operation, args);
    case 'stream':
      return { ...at(`new ${path ?? name}()`), objects: first.objects };
    case 'proxy':
      return proxied(run, first, second);
    case 'symbol':
      return args.length === 0 ? TRUSTED : folded([first], ([text]) => `Symbol(${text})`);
    case 'program':
      return { ...UNKNOWN, path: `${path ?? name}()`, pattern: interpreterIn(run, args) };
    case 'same':
      return first;
    case 'items':
      return run.list(args);
    case 'list-of': {
      const items = run.elementsOf(first);
      if (items !== null) return run.list(items);
      const list = run.openList([], run.elementOf(first));
      return { ...list, origins: derive(flat).origins };
    }
    case 'keys':
      return keysOf(run, first);
    case 'values': {
      const whole = derive(flat);
      const list = run.openList([], run.elementOf(first));
      return { ...list, origins: whole.origins };
    }
    case 'entries': {
      const key = first.origins.length > 0 ? partOfData(run, first, null) : TRUSTED;
      const entry = run.list([key, run.elementOf(first)]);
      const list = run.openList([], entry);
      return { ...list, origins: derive(flat).origins };
    }
    case 'object': {
      if (name !== 'assign') return parsed(flat, false);
      const [target] = expression.arguments;
      if (target !== undefined) {
        for (const one of args.slice(1)) leaveObject(run, target.value, first, one);
      }
      return assigned(run, args);
    }
    case 'parse':
      return parsed(flat, true);
    case 'resolve': {
      // What is joined to other text does not begin as the sender likes, but for whole paths.
      const isBehind =
        args.length > 1 && first.origins.length === 0 && !knowledge.is('whole-path', full);
      const known = { ...derive(flat), isResult: isBehind };
      return mapOrigins(known, (origin) => ({ ...origin, isResolved: true }));
    }
    case 'pass': {
      const passed = { ...derive(flat), isResult: args.length > 1 && first.origins.length === 0 };
      return knowledge.has('decoder', full) ? decoded(full, passed) : passed;
    }
    default:
      return null;
  }
}

/** `new Proxy(target, traps)`: the target, or what its traps make of it. */
function proxied(run: Run, target: Shape, traps: Shape | undefined): Shape {
  const cells = run.objectsOf(traps ?? UNKNOWN).map(([, object]) => object.cells);
  const getters = cells.flatMap((own) => own.get('get')?.closures ?? []);
  if (getters.length === 0) return target;
  const got = getters.map((one) => run.parts.invoke(run, one, [target, UNKNOWN], null));
  return run.table(new Map(), joinAll(got));
}

/** The program that reads a script where its arguments name none; null: another program. */
function interpreterIn(run: Run, [program, second]: readonly Shape[]): string | null {
  const text = program === undefined ? null : textOf(program);
  const list = second === undefined ? [] : (run.elementsOf(second) ?? []);
  const [name = '', ...rest] = [...(text?.split(/\s+/) ?? []), ...list.map(textOf)];
  const isPlain = rest.every((one) => one !== null && /^-(?:s|i|l|)$/.test(one));
  return isPlain && text !== null ? name : null;
}

function container(
  run: Run,
  kind: 'list' | 'table' | 'builder' | 'instance',
  call: ValueCall,
): Shape {
  const [first] = call.args;
  if (kind === 'table' && first !== undefined) {
    const cells = new Map<string, Shape>();
    let rest: Shape | null = null;
    for (const entry of run.elementsOf(first) ?? [run.elementOf(first)]) {
      const [key, value] = run.elementsOf(entry) ?? [];
      const text = key === undefined ? null : textOf(key);
      const held = value ?? run.elementOf(entry);
      if (text !== null) cells.set(text, held);
      else rest = rest === null ? held : join(rest, held);
    }
    return run.table(cells, rest);
  }
  if (kind === 'list') {
    if (first === undefined) return run.list([]);
    const items = run.elementsOf(first);
    if (items !== null) return run.list(items);
    const list = run.openList([], run.elementOf(first));
    return { ...list, origins: run.flat(first).origins };
  }
  return makeContainer(run, kind, call);
}

function asText(shape: Shape): Shape {
  return mapOrigins(
    { ...shape, objects: shape.origins.length > 0 ? [] : shape.objects },
    (origin) =>
      origin.isWhole || origin.mayBeObject
        ? { ...origin, isWhole: false, mayBeObject: false }
        : origin,
  );
}

/** `new URL(x)`: with a base, `x` may still be a whole address. */
function addressOf(text: Shape, base: Shape | undefined): Shape {
  const url = mapOrigins(text, (origin) => ({ ...origin, isUrl: true }));
  const start = text.pieces?.[0];
  if (base === undefined || base.origins.length > 0) return url;
  const isPath = typeof start === 'string' && /^(?:\/(?!\/)|\.|\?)/.test(start);
  return isPath ? madeSafe(url, PLACES) : url;
}

function parsed(flat: readonly Shape[], isWhole: boolean): Shape {
  const value = derive(flat);
  return mapOrigins(value, (origin) => ({
    ...origin,
    ...(isWhole ? { safeFor: [], claimedFor: [] } : {}),
    mayBeObject: true,
    isWhole,
  }));
}

/** `Object.assign(target, ...)`: the target has all of the others from now on. */
function assigned(run: Run, args: readonly Shape[]): Shape {
  const [target = UNKNOWN, ...others] = args;
  const data = derive(others.map((one) => run.flat(one)));
  for (const [id, object] of run.objectsOf(target)) {
    const cells = new Map(object.cells);
    for (const other of others) {
      for (const [, { cells: own }] of run.objectsOf(other)) {
        for (const [key, value] of own) cells.set(key, value);
      }
    }
    const open = others
      .filter(({ origins }) => origins.length > 0)
      .map((one) => ({ ...UNKNOWN, origins: one.origins }));
    const rest =
      open.length === 0
        ? object.rest
        : joinAll(object.rest === null ? open : [object.rest, ...open]);
    run.state.setObject(id, { ...object, cells, rest });
  }
  const value = derive(args.map((one) => run.flat(one)));
  const whole = mapOrigins(value, (origin) => ({ ...origin, mayBeObject: true, isWhole: false }));
  if (target.objects.length === 0)
    return target.origins.length > 0 || data.origins.length > 0 ? whole : value;
  return { ...target, origins: whole.origins };
}

function keysOf(run: Run, first: Shape): Shape {
  if (first.origins.length > 0) {
    return { ...run.openList([], partOfData(run, first, null)), origins: derive([first]).origins };
  }
  const [object] = run.objectsOf(first);
  if (object === undefined) return derive([first]);
  const [, { cells, rest, isOpen }] = object;
  const names = [...cells.keys()].map(constantOf);
  return rest === null && !isOpen ? run.list(names) : run.openList(names, UNKNOWN);
}

/** Data after its encoding was undone: no check from before holds for it. */
function decoded(name: string, value: Shape): Shape {
  return mapOrigins(value, (origin) => ({
    ...origin,
    safeFor: [],
    claimedFor: [],
    text: `${name}(${origin.text})`,
  }));
}

function isRandom({ role }: Shape): boolean {
  return role === 'random';
}

function plainCall(run: Run, call: ValueCall): Shape {
  const { knowledge } = run;
  const { name, args, isDeclared, isNew, path } = call;
  if (knowledge.has('harmless-call', name))
    return args.some(isRandom) ? RANDOM : harmless(run, call);
  const source = sourceCall(run, call);
  if (source !== null) return source;
  const isConverter = knowledge.is('converter', name) || knowledge.has('resolver', name);
  if (isConverter && !isDeclared && args.length > 0) {
    const value = derive(args.map((one) => run.flat(one)));
    const result = knowledge.is('decodes', name) ? decoded(name, value) : value;
    if (result.origins.length > 0) return result;
  }
  return isNew ? instanceOf(path) : passedOn(run, call);
}

/** A call that gives outside data by its name: `getQuery(event)`; or null. */
function sourceCall(run: Run, { name, args, expression }: ValueCall): Shape | null {
  const { knowledge } = run;
  const role = knowledge.roles.get(`call ${name}`);
  if (role !== undefined) return { ...UNKNOWN, role };
  if (!knowledge.has('source-call', name)) return null;
  // Others have functions of these names too, but for an event only h3 does.
  if (!knowledge.is('free-source-call', name) && args[0]?.role !== 'event') return null;
  const isWhole = name === 'readBody';
  return outside('strong', `${name}()`, run.placeOf(expression.start), { isWhole });
}

/** An object of an imported class: its methods are that class's. */
function instanceOf(path: string | null): Shape {
  return path === null ? UNKNOWN : at(`new ${path}()`);
}

/** By its name a number, a digest or the like: of data from outside nothing shows it. */
function harmless(run: Run, { args, receiver }: ValueCall): Shape {
  const flat = args.map((one) => run.flat(one));
  const isOpen = flat.some(({ origins }) => origins.length > 0) && receiver?.role !== 'hash';
  return isOpen ? claimed(derive(flat), USES) : TRUSTED;
}

function methodCall(run: Run, call: ValueCall, receiver: Shape): Shape {
  const { knowledge } = run;
  const { name, args, path, isNew, expression } = call;
  if (isRandom(receiver) || args.some(isRandom)) return RANDOM;
  const [first, second] = args;
  const flat = args.map((one) => run.flat(readText(run, one)));
  if (knowledge.is('decodes', name) && args.length > 0 && receiver.origins.length === 0) {
    return decoded(name, derive(flat));
  }
  const promised = promiseResult(run, call, receiver);
  if (promised !== null) return promised;
  const through = elementResult(run, call, receiver);
  if (through !== null) return through;
  if (knowledge.has('harmless-method', name)) return receiver.path === null ? TRUSTED : UNKNOWN;
  if (knowledge.has('harmless-call', name)) return harmless(run, call);
  if (knowledge.has('resolver', name)) return resolvedHost(derive(flat));
  // Text as bytes is the same text.
  if (name === 'encode' && first?.constants != null) return first;
  const isText = receiver.constants !== null || receiver.pieces !== null;
  if (knowledge.has('keeping', name) && isText) {
    return receiver.pieces === null ? { ...receiver } : receiver;
  }
  const isList = run.objectsOf(receiver).some(([, { kind }]) => kind === 'list');
  if (name === 'concat' && !isList)
    return build([receiver, ...flat], [expression.start, expression.end]);
  if (name === 'join') return joinElements(run, receiver, first, expression);
  if (isList) {
    const listed = listResult(run, call, receiver);
    if (listed !== null) return listed;
  }
  const held = containerResult(run, call);
  if (held !== null) return held;
  if (/^replace(?:All)?$/.test(name)) {
    return replacedSafely(run, receiver, first, second) ?? replaced(run, call, receiver, second);
  }
  const matched = matchOf(call, receiver);
  if (matched !== null) return matched;
  if (knowledge.has('cut', name)) return cut(run.flat(receiver), name);
  if (isNew) return instanceOf(path);
  if (receiver.role === 'elements') return receiver;
  const own = textResult(run, call);
  if (own !== null) return own;
  if (receiver.origins.length > 0) {
    const data = { ...UNKNOWN, origins: receiver.origins };
    return knowledge.has('item', name) ? data : asText(data);
  }
  return receiver.isTrusted && args.every((arg) => arg.isTrusted) ? TRUSTED : passedOn(run, call);
}

/**
 * What a function out of sight is given may come out of it, but for what it looks up by that
 * (`findUser(id)`): a record of the program is not the data.
 */
function passedOn(run: Run, { name, path, args, receiver }: ValueCall): Shape {
  const { knowledge } = run;
  const isOfRole = receiver !== null && receiver.role !== null;
  if (name === '' || isOfRole || knowledge.is('looks-up', name)) return UNKNOWN;
  if (path !== null && knowledge.isKnown(path)) return UNKNOWN;
  const given = derive(receiver === null ? args : [...args, receiver]);
  const strong = given.origins.find(({ strength }) => strength === 'strong') ?? null;
  const origin = strong ?? given.passed;
  if (origin === null) return UNKNOWN;
  run.hasPassed = true;
  const through = origin.through ?? name;
  return { ...RESULT, passed: { ...origin, through, isWhole: false, mayBeObject: false } };
}

/** `then`, `catch`, `finally`: what the function gives back, or what came before. */
function promiseResult(run: Run, call: ValueCall, receiver: Shape): Shape | null {
  const { name, args } = call;
  if (name === 'catch' || name === 'finally') {
    return args.some(({ closures }) => closures.length > 0) ? receiver : null;
  }
  if (name !== 'then') return null;
  const closures = args[0]?.closures ?? [];
  if (closures.length === 0) return null;
  return joinAll(closures.map((one) => returnedBy(run, one, [receiver], call)));
}

type AnyClosure = Shape['closures'][number];

/** What a function gives back that was looked at where it is given. */
function returnedBy(run: Run, closure: AnyClosure, args: readonly Shape[], call: ValueCall): Shape {
  const known = closure.kind === 'function' ? run.resultOf(closure.id) : null;
  return known ?? run.parts.invoke(run, closure, args, call);
}

/** Methods that call back with elements: what the new elements are is what that gives. */
function elementResult(run: Run, call: ValueCall, receiver: Shape): Shape | null {
  const { name, args } = call;
  const [first = UNKNOWN, second] = args;
  if (!run.knowledge.has('element-call', name)) return null;
  const { closures } = first;
  if (closures.length === 0) {
    if (
      name === 'map' &&
      run.knowledge.has(
        'harmless-call',
        call.expression.form === 'call' ? nameOfArgument(call.expression.arguments[0]?.value) : '',
      )
    )
      return TRUSTED;
    return name === 'map' || name === 'flatMap' ? derive([run.flat(first)]) : null;
  }
  const element = run.objectsOf(receiver).length > 0 ? run.elementOf(receiver) : receiver;
  const given = name === 'reduce' ? [second ?? UNKNOWN, element] : [element];
  const results = closures.map((one) => returnedBy(run, one, given, call));
  const result = joinAll(results);
  switch (name) {
    case 'map':
    case 'flatMap': {
      const inner =
        name === 'flatMap' && result.objects.length > 0 ? run.elementOf(result) : result;
      return { ...run.openList([], inner), origins: run.flat(inner).origins };
    }
    case 'reduce': {
      const start = second === undefined ? [] : [second];
      return joinAll([result, ...start]);
    }
    case 'filter':
    case 'sort':
      return receiver;
    case 'find':
    case 'findLast':
      return receiver.objects.length > 0
        ? run.elementOf(receiver)
        : receiver.origins.length > 0
          ? { ...UNKNOWN, origins: receiver.origins }
          : null;
    default:
      return null;
  }
}

function nameOfArgument(value: Expression | undefined): string {
  return value?.form === 'name' || value?.form === 'member' ? value.name : '';
}

/** Methods of a list that is in view; null: another one. */
function listResult(run: Run, { name, args }: ValueCall, receiver: Shape): Shape | null {
  const items = run.elementsOf(receiver);
  switch (name) {
    case 'reverse':
      return items === null ? receiver : run.list([...items].reverse());
    case 'concat': {
      const lists = [receiver, ...args];
      const known = lists.map(
        (one) => run.elementsOf(one) ?? (one.objects.length === 0 ? [run.elementOf(one)] : null),
      );
      if (known.every((one) => one !== null)) return run.list(known.flat());
      return run.openList([], joinAll(lists.map((one) => run.elementOf(one))));
    }
    case 'slice': {
      const [from, to] = args.map(onlyConstant);
      if (items === null || (args.length > 0 && typeof from !== 'number')) return receiver;
      return run.list(items.slice(Number(from ?? 0), typeof to === 'number' ? to : undefined));
    }
    case 'flat':
      return run.openList(
        [],
        joinAll(
          (items ?? [run.elementOf(receiver)]).map((one) =>
            one.objects.length > 0 ? run.elementOf(one) : one,
          ),
        ),
      );
    case 'next':
      return run.table(new Map([['value', run.elementOf(receiver)]]), null);
    case 'at':
      return memberOf(run, receiver, null, { text: '', offset: 0 });
    case 'splice':
      return receiver;
    case 'fill':
      return run.openList([], args[0] ?? UNKNOWN);
    default:
      return null;
  }
}

/** What a name server answers for a host: its addresses are those of the host's address. */
function resolvedHost(value: Shape): Shape {
  return mapOrigins(value, (origin) =>
    origin.hostOf === null ? origin : { ...origin, text: origin.hostOf, isUrl: true },
  );
}

/** `['a', b].join(' ')`. */
function joinElements(
  run: Run,
  receiver: Shape,
  by: Shape | undefined,
  { start, end }: Expression,
): Shape {
  const items = run.elementsOf(receiver);
  if (items === null) return derive([run.flat(receiver), ...(by === undefined ? [] : [by])]);
  const parts: Shape[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(by ?? constantOf(','));
    parts.push(run.flat(readText(run, item)));
  }
  return parts.length === 0 ? constantOf('') : build(parts, [start, end]);
}

/** The pattern of a regular expression that no flag opens up; null for all others. */
function wholePattern({ pattern, flags }: Shape): string | null {
  return pattern !== null && !flags.includes('m') ? pattern : null;
}

/** `regex.exec(text)`, `text.match(regex)`: parts of the text, harmless if the regex is strict. */
function matchOf({ name, args }: ValueCall, receiver: Shape): Shape | null {
  const [first] = args;
  if (first === undefined) return null;
  const isExec = name === 'exec' && receiver.pattern !== null;
  const isMatch = /^match(?:All)?$/.test(name) && first.pattern !== null;
  if (!isExec && !isMatch) return null;
  const regex = isExec ? receiver : first;
  const text = isExec ? first : receiver;
  const uses = charactersOf(wholePattern(regex) ?? '');
  if (uses === null) return cut(text, name);
  return uses.length === USES.length ? TRUSTED : madeSafe(cut(text, name), uses);
}

/** A part of a text may mean something else than the whole: `req.url.slice(1)`. */
function cut(receiver: Shape, name: string): Shape {
  const data = asText(derive([receiver]));
  if (data.origins.length === 0) return receiver.isTrusted ? TRUSTED : UNKNOWN;
  return mapOrigins({ ...UNKNOWN, origins: data.origins }, (origin): Origin => {
    const safeFor = origin.safeFor.filter((use) => use !== 'url' && use !== 'redirect');
    // What is known of a part tells nothing of the whole.
    const text = name === '' ? origin.text : clip(`${origin.text}.${name}()`);
    return { ...origin, text, safeFor, hostOf: null, isUrl: false };
  });
}

/** The rest of a text after `replace(pattern, by)`; null when that makes nothing safe. */
function replacedSafely(
  run: Run,
  receiver: Shape,
  pattern: Shape | undefined,
  by: Shape | undefined,
): Shape | null {
  const text = pattern?.pattern ?? null;
  if (pattern === undefined || text === null) return null;
  const isGlobal = pattern.flags.includes('g');
  const [closure] = by?.closures ?? [];
  const isEntities = isGlobal && /^\[[^\]]*<[^\]]*\]$/.test(text);
  // `replace(/[&<>"']/g, (c) => ENTITIES[c])`
  if (closure?.kind === 'function' && isEntities) {
    const result = run.resultOf(closure.id);
    if (result?.isTrusted === true || result?.origins.length === 0) return madeSafe(receiver, HTML);
  }
  const given = by === undefined ? null : textOf(by);
  if (given === null) return null;
  const kept = isGlobal ? keptBy(text) : null;
  if (kept !== null && charactersOf(`^[${given}]*$`) !== null)
    return clean(run.flat(receiver), kept);
  // `normalize(p).replace(/^(\.\.(\/|\\|$))+/, '')` takes away every step up.
  const isStart = text.startsWith('^') && text.includes('\\.\\.');
  const isResolved = receiver.origins.length > 0 && receiver.origins.every((one) => one.isResolved);
  if (isStart && isResolved) return madeSafe(receiver, ['path']);
  if (isGlobal && given.includes('\\$&')) return madeSafe(receiver, ['regex']);
  const isEscaped = given.startsWith('&') && given.endsWith(';');
  return isGlobal && isEscaped && /[<&]/.test(text) ? madeSafe(receiver, HTML) : null;
}

/** `[^\w.-]` with or without a `+`: the characters of the class stay, as those of `[\w.-]*`. */
function keptBy(pattern: string): readonly Use[] | null {
  const kept = /^\[\^((?:[^\]\\]|\\.)*)\][+*]?$/.exec(pattern)?.[1];
  return kept === undefined ? null : charactersOf(`^[${kept}]*$`);
}

/** The old text with something of the new one in it. */
function replaced(
  run: Run,
  { expression }: ValueCall,
  receiver: Shape,
  by: Shape | undefined,
): Shape {
  const [closure] = by?.closures ?? [];
  const result = closure?.kind === 'function' ? run.resultOf(closure.id) : null;
  const given = closure === undefined ? by : (result ?? undefined);
  if (receiver.constants === null && receiver.pieces === null) {
    const data = derive([receiver, ...(given === undefined ? [] : [run.flat(given)])]);
    return data.origins.length === 0 && receiver.isTrusted ? TRUSTED : data;
  }
  if (given === undefined || given.isTrusted) return { ...receiver, constants: null };
  return build(
    [{ ...receiver, constants: receiver.constants }, run.flat(given)],
    [expression.start, expression.end],
  );
}
