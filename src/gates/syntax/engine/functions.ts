import type { Use } from '../../../rules/catalogue/line.ts';
import type { Expression } from '../il/il.ts';
import { ANY_NAME, withoutCalls } from './catalogue-lines.ts';
import { checkInput } from './check-lines.ts';
import { checkPattern } from './check-sinks.ts';
import {
  containerResult,
  copiedObject,
  copyElements,
  entryOf,
  fillFromFile,
  fillList,
  itemsOf,
  makeContainer,
  readText,
} from './container.ts';
import { isClass } from './guard.ts';
import { dottedName, lastOf } from './names.ts';
import { memberOfData } from './partial-data.ts';
import { groupsIn } from './pattern.ts';
import { prototypeCall } from './prototype.ts';
import type { Call, Run } from './run.ts';
import { storeObject } from './shared-state.ts';
import type { ContainerKind } from './state.ts';
import { folded, formatted, joined, matchedPart, substituted, textOperation } from './text.ts';
import {
  asDecoded,
  at,
  build,
  type Closure,
  changed,
  constantOf,
  derive,
  join,
  joinAll,
  madeSafe,
  mapOrigins,
  onlyConstant,
  RANDOM,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

const PLACES: readonly Use[] = ['url', 'redirect'];

interface Substitution {
  readonly text: Shape;
  readonly by: Shape;
  /** How many matches at most; 0 or absent: all of them. */
  readonly count?: Shape | undefined;
}

/** A text in which what a compiled pattern matches is replaced; null: the pattern is not known. */
function substitutedBy(pattern: Shape | null, { text, by, count }: Substitution): Shape | null {
  if (pattern?.pattern == null) return null;
  return substituted(text, pattern, by, count === undefined || onlyConstant(count) === 0);
}

/** What a function gives back by its operation in the table; null: that says nothing of it. */
export function functionResult(run: Run, call: Call): Shape | null {
  const { path, args, expression } = call;
  if (call.isDeclared) return null;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const span = [expression.start, expression.end] as const;
  const { knowledge } = run;
  // A method of a value without a name is not the function of its name.
  const full = path !== null && knowledge.functions.has(path) ? path : writtenName(call);
  const { functions } = knowledge;
  const tuple = namedTuple(run, call);
  if (tuple !== null) return tuple;
  const operation = functions.get(full) ?? functions.get(withoutCalls(path ?? ''));
  if (call.isNew || operation === undefined) {
    const kind = knowledge.kinds.get(path ?? (call.isNew ? call.name : ''));
    if (kind !== undefined) return madeOf(run, kind, call);
  }
  const flat = () => args.map((one) => run.flat(readText(run, one)));
  switch (operation) {
    case 'format':
      return formatted(run, args, call);
    case 'build':
      return build(
        args.map((one) => run.flat(readText(run, one))),
        span,
      );
    case 'first':
      return changed(run.flat(readText(run, first)), { path: null, objects: [] });
    case 'either':
      return join(first, second);
    case 'join':
      return joined(run, first, args.length === 2 ? second : run.list(args.slice(1)), call);
    case 'list':
      return args.length === 1 && first.objects.length > 0 ? first : run.list(args);
    case 'table':
      return tableOf(run, args);
    case 'pattern': {
      // Of a literal nothing is known: it neither finds nor takes by classes of characters.
      const isLiteral = second.path?.endsWith('.LITERAL') === true;
      const pattern = isLiteral ? null : textOf(first);
      const flags = knowledge.is('by-line', second.path ?? '') ? 'm' : '';
      checkPattern(run, pattern ?? '', flags, call.expression);
      return changed(RESULT, { path: `${path}()`, pattern, flags });
    }
    case 'join-list':
      return joined(run, second, first, call);
    case 'append':
      return appended(run, first, args.slice(1));
    case 'builder':
      return makeContainer(run, 'builder', call);
    case 'delete':
      containerResult(run, { ...call, name: 'Delete', receiver: first, args: args.slice(1) });
      return TRUSTED;
    case 'print':
      return printed(run, call, args.slice(1));
    case 'print-format':
      return printed(run, call, [formatted(run, args.slice(1), call)]);
    case 'program':
      return changed(RESULT, { path: `${path ?? call.name}()`, pattern: interpreterOf(run, args) });
    case 'input':
      return changed(RESULT, { path: `${path}()`, pattern: call.receiver?.pattern ?? null });
    case 'bundle': {
      const table = makeContainer(run, 'table', { ...call, args: [] });
      fillFromFile(run, table, `${textOf(first)?.replaceAll('.', '/')}.properties`, call);
      return table;
    }
    case 'class-named':
      return classNamed(run, call, textOf(first));
    case 'error': {
      const data = derive(flat());
      return changed(data.origins.length === 0 ? TRUSTED : data, { isPresent: true });
    }
    case 'sum':
      // With a second argument, or `start=`, it puts lists together.
      return isOnlyArgument(call) ? TRUSTED : null;
    case 'number': {
      const number = folded([first], ([text]) => {
        const value = Number(text);
        return typeof text === 'string' && Number.isInteger(value) ? value : undefined;
      });
      return number;
    }
    default:
      return (
        valueResult(run, operation, full, flat, call) ??
        operationResult(run, operation, call) ??
        textFunction(run, call) ??
        staticResult(run, call)
      );
  }
}

/** Whether a call has one argument, which stands for itself. */
function isOnlyArgument({ expression }: Call): boolean {
  const [first, ...others] = expression.arguments;
  return others.length === 0 && first?.name === null && !first.isSpread;
}

/** How what is called is written by names alone; '' where it is a method of something else. */
function writtenName({ receiver, receiverPath, name }: Call): string {
  if (receiver === null) return name;
  return receiverPath === null ? '' : `${receiverPath}.${name}`;
}

/** What `namedtuple` makes: its objects are lists whose elements have names, too. */
const NAMED_TUPLE = 'collections.namedtuple()';

/** An object of a class that `namedtuple` made; null: another call. */
function namedTuple(run: Run, { called, args, options }: Call): Shape | null {
  if (called.path !== NAMED_TUPLE || called.pattern === null) return null;
  const fields = called.pattern.split(' ');
  const values = fields.map((name, index) => options.get(name) ?? args[index] ?? UNKNOWN);
  const list = run.list(values);
  for (const [index, name] of fields.entries()) run.write(list, name, values[index] ?? UNKNOWN);
  return list;
}

/** What a table of settings has under a key, where all of it is known; null: it is not. */
function heldUnder(run: Run, call: Call): Shape | null {
  const key = textOf(call.args[0] ?? UNKNOWN);
  const tables = call.receiver === null ? [] : run.objectsOf(call.receiver);
  const isKnown = tables.some(
    ([, { kind, isOpen, cells }]) => kind === 'table' && (!isOpen || cells.has(key ?? '')),
  );
  return isKnown ? containerResult(run, call) : null;
}

/** `Class.forName(name)`: a class of the program, which may stand in another file. */
function classNamed(run: Run, { expression }: Call, name: string | null): Shape | null {
  if (name === null) return null;
  const declared = run.module.classes.findLast((one) => one.name === lastOf(name));
  if (declared !== undefined) return changed(UNKNOWN, { ownClass: declared.id });
  run.ask(`${name}.<init>`, expression.start, false);
  return null;
}

function madeOf(run: Run, kind: ContainerKind, call: Call): Shape {
  const [first] = call.args;
  if (!run.knowledge.traits.has('keys')) return makeContainer(run, kind, call);
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
    return changed(list, { origins: run.flat(first).origins });
  }
  return makeContainer(run, kind, call);
}

/** The same for functions whose result is an object, or that are about texts from outside. */
function valueResult(
  run: Run,
  operation: string | undefined,
  full: string,
  flat: () => Shape[],
  call: Call,
): Shape | null {
  const { args, expression, name, path } = call;
  const { knowledge } = run;
  const [first = UNKNOWN, second] = args;
  const span = [expression.start, expression.end] as const;
  switch (operation) {
    case 'text':
      return asText(first);
    case 'decode':
      return decodedBy(args) ?? asText(first);
    case 'decode-percent':
    case 'decode-base64': {
      const plain = folded(args.slice(0, 1), ([text]) => decodedText(operation, text));
      if (plain !== null && operation === 'decode-base64') return asDecoded(plain);
      return plain ?? decoded(full, derive(flat()));
    }
    case 'characters': {
      const codes = args.map(onlyConstant);
      const isKnown = codes.every((one) => typeof one === 'number');
      return isKnown ? constantOf(String.fromCharCode(...codes)) : null;
    }
    case 'pattern-flags': {
      if (first.pattern !== null) return first;
      const text = textOf(first);
      // Flags that are not known may hold any.
      const flags = second === undefined ? '' : (textOf(second) ?? 'm');
      if (text === null) return null;
      checkPattern(run, text, flags, expression);
      return changed(TRUSTED, { pattern: text, flags });
    }
    case 'address':
      return addressOf(asText(run.flat(first)), second);
    case 'format-values': {
      const text = textOf(first) ?? '';
      return /%[LI]/.test(text) && !text.includes('%s') ? TRUSTED : build(flat(), span);
    }
    case 'json':
      return changed(derive(flat()), { isJson: true });
    case 'random':
      return knowledge.traits.has('keys') ? RANDOM : changed(RANDOM, { path: `${path}()` });
    case 'default': {
      const held = heldUnder(run, call);
      if (held !== null) return held;
      return changed(RESULT, { fallback: second === undefined ? null : textOf(second) });
    }
    case 'create':
    case 'inherit':
    case 'inherit-maker':
    case 'put':
    case 'define':
      return prototypeCall(run, operation, args);
    case 'stream':
      return changed(at(`new ${path ?? name}()`), { objects: first.objects });
    case 'proxy':
      return proxied(run, first, second);
    case 'symbol':
      return args.length === 0 ? TRUSTED : folded([first], ([text]) => `Symbol(${text})`);
    case 'items':
      return run.list(args);
    case 'list-of': {
      const items = run.elementsOf(first);
      if (items !== null) return run.list(items);
      const list = run.openList([], run.elementOf(first));
      return changed(list, { origins: derive(flat()).origins });
    }
    case 'keys':
      return keysOf(run, first);
    case 'values':
      return changed(run.openList([], run.elementOf(first)), { origins: first.origins });
    case 'entries': {
      const key = first.origins.length > 0 ? memberOfData(run, first, null) : TRUSTED;
      const entry = run.list([key, run.elementOf(first)]);
      return changed(run.openList([], entry), { origins: first.origins });
    }
    case 'object':
      return parsed(flat(), false);
    case 'assign': {
      const [target] = expression.arguments;
      if (target !== undefined) {
        for (const one of args.slice(1)) storeObject(run, target.value, first, one);
      }
      return assigned(run, args);
    }
    case 'parse':
      return parsed(flat(), true);
    case 'resolve': {
      // What is joined to other text does not begin as the sender likes, but for whole paths.
      const isBehind = hasDataBehind(args, 'path') && !knowledge.is('whole-path', full);
      const known = changed(derive(flat().reverse()), { isResult: isBehind });
      return mapOrigins(known, (origin) => ({ ...origin, isResolved: true }));
    }
    case 'raw-text':
    case 'pass': {
      return changed(derive(flat().reverse()), { isResult: hasDataBehind(args) });
    }
    default:
      return null;
  }
}

/** Whether data, but for what is safe for a use, is joined to something that stands before it. */
function hasDataBehind([, ...args]: readonly Shape[], use?: Use): boolean {
  return args.some(({ origins }) =>
    origins.some(
      ({ safeFor, claimedFor }) =>
        use === undefined || !(safeFor.includes(use) || claimedFor.includes(use)),
    ),
  );
}

/** The value as a text: no object that the sender made. */
export function asText(shape: Shape): Shape {
  return mapOrigins(
    changed(shape, { objects: shape.origins.length > 0 ? [] : shape.objects }),
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
      .map((one) => changed(UNKNOWN, { origins: one.origins }));
    const rest =
      open.length === 0
        ? object.rest
        : joinAll(object.rest === null ? open : [object.rest, ...open]);
    run.state.setObject(id, { ...object, cells, rest });
  }
  // What the objects hold that are merged stands under its keys.
  const own = args.filter(({ objects, origins }) => objects.length === 0 || origins.length > 0);
  const value = derive(target.objects.length > 0 ? own : args.map((one) => run.flat(one)));
  const whole = mapOrigins(value, (origin) => ({ ...origin, mayBeObject: true, isWhole: false }));
  if (target.objects.length === 0)
    return target.origins.length > 0 || data.origins.length > 0 ? whole : value;
  return changed(target, { origins: whole.origins });
}

function keysOf(run: Run, first: Shape): Shape {
  if (first.origins.length > 0) {
    return changed(run.openList([], memberOfData(run, first, null)), {
      origins: derive([first]).origins,
    });
  }
  const [object] = run.objectsOf(first);
  if (object === undefined) return derive([first]);
  const [, { cells, rest, isOpen }] = object;
  const names = [...cells.keys()].map(constantOf);
  return rest === null && !isOpen ? run.list(names) : run.openList(names, UNKNOWN);
}

function decodedText(operation: string, text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (operation === 'decode-base64') return Buffer.from(text, 'base64').toString('latin1');
  return text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A text in an encoding whose name is given; null: they are not known. */
function decodedBy(args: readonly Shape[]): Shape | null {
  if (args.length < 2) return null;
  const plain = folded(args, ([text, encoding]) => {
    const known = /^(?:hex|base64|base64url|utf-?8|ascii|latin1|binary)$/i.test(String(encoding));
    if (typeof text !== 'string' || !known) return undefined;
    return Buffer.from(text, String(encoding).toLowerCase() as BufferEncoding).toString();
  });
  const isHidden = /^(?:hex|base64)/i.test(String(onlyConstant(args[1] ?? UNKNOWN)));
  return plain !== null && isHidden ? asDecoded(plain) : plain;
}

/** Data after its encoding was undone: no check from before holds for it. */
export function decoded(name: string, value: Shape): Shape {
  return mapOrigins(value, (origin) => ({
    ...origin,
    safeFor: [],
    claimedFor: [],
    text: `${name}(${origin.text})`,
  }));
}

/** The functions that a value stands for: closures, or a function of a package by its path. */
function functionsOf({ closures, path }: Shape): readonly Closure[] {
  if (closures.length > 0 || path === null || path.endsWith(')')) return closures;
  const before = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return [{ kind: 'method', object: before === '' ? UNKNOWN : at(before), name: lastOf(path) }];
}

/** What a function gives back by its operation in the table; null: that says another thing. */
function operationResult(run: Run, operation: string | undefined, call: Call): Shape | null {
  const { args, options } = call;
  const [first = UNKNOWN, second = UNKNOWN, third] = args;
  switch (operation) {
    case 'same':
      return first;
    case 'begun':
      return begun(first, args.slice(1));
    case 'called':
      return joinAll(first.closures.map((one) => run.parts.invoke(run, one, [], call)));
    case 'module': {
      const name = textOf(first);
      const prefix = run.knowledge.word('module-prefix');
      return name === null ? null : at(name.startsWith(prefix) ? name.slice(prefix.length) : name);
    }
    case 'member': {
      const name = textOf(second);
      return name === null ? null : memberNamed(run, call, name);
    }
    case 'any-element':
      return args.length === 1 ? run.elementOf(first) : joinAll(args.map((one) => run.flat(one)));
    case 'copy':
      return copied(run, first);
    case 'map': {
      const functions = functionsOf(first);
      if (functions.length === 0) return second.objects.length > 0 ? second : derive([second]);
      const inputs = args.slice(1).map((one) => run.elementOf(one));
      return run.openList(
        [],
        joinAll(functions.map((one) => run.parts.invoke(run, one, inputs, call))),
      );
    }
    case 'reduce': {
      const element = run.elementOf(second);
      const before = third ?? element;
      const made = functionsOf(first).map((one) =>
        run.parts.invoke(run, one, [before, element], call),
      );
      return made.length === 0 ? null : joinAll([before, ...made]);
    }
    case 'enumerate':
      return run.openList([], run.list([TRUSTED, run.elementOf(first)]));
    case 'zip': {
      const lists = args.map((one) => run.elementsOf(one));
      const known = lists.filter((one) => one !== null);
      if (known.length === lists.length && known[0] !== undefined) {
        const [shortest] = [...known].sort((left, right) => left.length - right.length);
        const rows = (shortest ?? []).map((_, at) => known.map((one) => one[at] ?? UNKNOWN));
        return run.list(rows.map((row) => run.list(row)));
      }
      return run.openList([], run.list(args.map((one) => run.elementOf(one))));
    }
    case 'named-tuple': {
      const named = textOf(second)?.split(/[\s,]+/) ?? run.elementsOf(second)?.map(textOf) ?? [];
      const fields = named.filter((one) => one !== null && one !== '').join(' ');
      return fields === '' ? null : changed(at(NAMED_TUPLE), { pattern: fields });
    }
    case 'substitute': {
      const count = args[3] ?? options.get('count');
      const isAll = count === undefined || onlyConstant(count) === 0;
      return third === undefined ? null : substituted(third, first, second, isAll);
    }
    case 'substitute-by':
      return substitutedBy(call.receiver, {
        text: second,
        by: first,
        count: third ?? options.get('count'),
      });
    case 'substitute-in':
      return substitutedBy(call.receiver, { text: first, by: second });
    case 'match': {
      const pattern = textOf(first) ?? first.pattern;
      return pattern === null ? null : changed(matchedPart(second, pattern), { pattern });
    }
    case 'match-by':
      return call.receiver?.pattern == null ? null : matchedPart(first, call.receiver.pattern);
    case 'groups-by': {
      const pattern = call.receiver?.pattern ?? null;
      if (pattern === null) return null;
      const parts = [pattern, ...groupsIn(pattern).map(({ body }) => body)];
      return run.list(parts.map((one) => matchedPart(first, one)));
    }
    case 'copy-object':
      // Names of arguments that are not known may be the name of any field.
      if (options.has(ANY_NAME)) return null;
      return copiedObject(run, first, options) ?? (options.size === 0 ? first : null);
    case 'fields-of': {
      const [object] = first.objects.length === 1 ? run.objectsOf(first) : [];
      return object === undefined ? null : run.table(object[1].cells, object[1].rest);
    }
    case 'start':
      // The program of a command that begins with known text is known.
      return typeof first.pieces?.[0] === 'string' ? RESULT : null;
    case 'gather':
      return run.list(args);
    case 'fill':
      return fillList(run, first, args.at(-1) ?? UNKNOWN);
    case 'copy-elements':
      return copyElements(run, args);
    case 'entry':
      return entryOf(run, first, second);
    case 'layers': {
      const cells = new Map<string, Shape>();
      const rest: Shape[] = [];
      // The first table that has a key says what stands there.
      for (const [, object] of [...args].reverse().flatMap((one) => run.objectsOf(one))) {
        for (const [key, value] of object.cells) cells.set(key, value);
        if (object.rest !== null || object.isOpen) rest.push(object.rest ?? UNKNOWN);
      }
      const isKnown = args.every(({ objects }) => objects.length > 0);
      return isKnown ? run.table(cells, rest.length === 0 ? null : joinAll(rest)) : null;
    }
    case 'length': {
      const elements = run.elementsOf(first);
      const text = textOf(first);
      const { length } = elements ?? text ?? [];
      return elements === null && text === null ? null : changed(TRUSTED, { constants: [length] });
    }
    case 'starts': {
      const [program] = run.elementsOf(first) ?? [first];
      const path = call.path === null ? null : `${call.path}()`;
      return changed(RESULT, { path, pattern: program === undefined ? null : textOf(program) });
    }
    case 'named-table':
      return run.table(new Map(options), null);
    default:
      return null;
  }
}

/** `getattr(object, 'name')` */
function memberNamed(run: Run, { expression }: Call, name: string): Shape | null {
  if (expression.form === 'new') return null;
  const [object] = expression.arguments;
  if (object === undefined) return null;
  const { start, end } = expression;
  const member: Expression = { start, end, form: 'member', object: object.value, name };
  return run.evaluate(member);
}

/** A function, each call of which begins with these arguments. */
function begun(called: Shape, args: readonly Shape[]): Shape {
  const closures = called.closures.map((one) =>
    one.kind === 'function' ? { ...one, first: [...(one.first ?? []), ...args] } : one,
  );
  return { ...called, closures };
}

/** A list of the same elements. */
function copied(run: Run, shape: Shape): Shape | null {
  const [first] = run.objectsOf(shape);
  if (first === undefined) return null;
  if (first[1].kind === 'table') return shape.origins.length > 0 ? null : TRUSTED;
  const elements = itemsOf(first[1]);
  return elements === null ? run.openList([], run.elementOf(shape)) : run.list(elements);
}

/** What methods of a text are elsewhere, as a function whose first argument is the text. */
function textFunction(run: Run, call: Call): Shape | null {
  const [first, ...args] = call.args;
  const operation = run.knowledge.statics.get(call.path ?? '');
  if (operation === undefined || first === undefined) return null;
  return textOperation(run, operation, { ...call, receiver: first, args });
}

/** A list with more elements; the first one may be data itself. */
function appended(run: Run, first: Shape, added: readonly Shape[]): Shape {
  const own = first.objects.length > 0 ? run.elementsOf(first) : null;
  const isEmpty = onlyConstant(first) === null;
  if (own !== null || isEmpty) return run.list([...(own ?? []), ...added]);
  const isData = first.origins.length > 0 || first.objects.length > 0;
  const before = isData ? run.elementOf(first) : first;
  const list = run.openList([], joinAll([before, ...added.map((one) => run.state.settled(one))]));
  return changed(list, { path: first.path });
}

/** Texts that are written into a builder, or into what an interpreter reads. */
function printed(run: Run, call: Call, texts: readonly Shape[]): Shape {
  const [target = UNKNOWN] = call.args;
  const added = texts.map((one) => run.state.settled(run.flat(readText(run, one))));
  for (const one of added) {
    checkInput(run, call, target, one);
    containerResult(run, { ...call, name: 'Write', receiver: target, args: [one] });
  }
  return TRUSTED;
}

/** The program that reads a script where its arguments name none; null: another program. */
function interpreterOf(run: Run, [first, ...others]: readonly Shape[]): string | null {
  const text = first === undefined ? null : textOf(first);
  const isShell = run.knowledge.traits.has('keys');
  const words = isShell ? (text?.split(/\s+/) ?? []) : [text];
  const [second] = others;
  const list = !isShell ? others : second === undefined ? [] : (run.elementsOf(second) ?? []);
  const [name = '', ...rest] = [...words, ...list.map(textOf)];
  const isPlain = rest.every((one) => one !== null && /^-(?:s|i|l|)$/.test(one));
  return isPlain && text !== null ? name : null;
}

/** `new Proxy(target, traps)`: the target, or what its traps make of it. */
function proxied(run: Run, target: Shape, traps: Shape | undefined): Shape {
  const cells = run.objectsOf(traps ?? UNKNOWN).map(([, object]) => object.cells);
  const getters = cells.flatMap((own) => own.get('get')?.closures ?? []);
  if (getters.length === 0) return target;
  const got = getters.map((one) => run.parts.invoke(run, one, [target, UNKNOWN], null));
  return run.table(new Map(), joinAll(got));
}

/** Functions of types: `Color.valueOf(text)` is one of the program's, or throws. */
function staticResult(run: Run, { receiver, name, args, expression, path }: Call): Shape | null {
  const object = expression.form === 'call' ? expression.receiver : null;
  const type = object === null ? null : dottedName(run, object);
  const isType = type !== null && /^(?:\w+\.)*[A-Z]\w*$/.test(type);
  if (name === 'valueOf' && receiver !== null && args.length === 1) {
    return isClass(receiver) || path !== null || isType ? TRUSTED : null;
  }
  if (type !== null && run.knowledge.has('harmless', lastOf(type)) && isType) return TRUSTED;
  const isSafe = args.some((one) => run.knowledge.is('safe-argument', one.path ?? ''));
  return isSafe && expression.form === 'new' ? changed(UNKNOWN, { isPlain: true }) : null;
}

function tableOf(run: Run, args: readonly Shape[]): Shape {
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  for (let index = 0; index + 1 < args.length; index += 2) {
    const key = textOf(args[index] ?? UNKNOWN);
    const value = args[index + 1] ?? UNKNOWN;
    if (key !== null) cells.set(key, value);
    else rest = rest === null ? value : join(rest, value);
  }
  return run.table(cells, rest);
}

/**
 * Functions that are given to a call, with what stands behind them: `submit(work, name)`; or by the
 * names that threads and schedulers have for them.
 */
export function handedOver(call: Call): (readonly [Shape, readonly Shape[], boolean])[] {
  const { args, options } = call;
  const targets = args.map((value, index) => [value, args.slice(index + 1), false] as const);
  const target = options.get('target') ?? options.get('func') ?? options.get('fn');
  const given = options.get('args');
  return target === undefined
    ? targets
    : [...targets, [target, given === undefined ? [] : [given], true] as const];
}
