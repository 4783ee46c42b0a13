import type {
  Annotation,
  ClassId,
  Field,
  FunctionDeclaration,
  FunctionId,
  Parameter,
  Span,
  Type,
} from '../il/il.ts';
import { decoratedWith, givenBy, isHostData, routeOf, routeOfClass } from './handlers.ts';
import { memberOfData } from './partial-data.ts';
import { heldBy } from './pattern.ts';
import type { Route, Run } from './run.ts';
import {
  at,
  changed,
  constantOf,
  join,
  madeSafe,
  outside,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

/**
 * What a value of that type is before anything is known of it; null: it may be text, or nothing is
 * known of it.
 */
export function typeValue(run: Run, type: Type | null): Shape | null {
  if (type === null) return null;
  const { knowledge } = run;
  const last = type.name.slice(type.name.lastIndexOf('.') + 1);
  const usual =
    type.own === null
      ? knowledge.rows('usual').find(([, ...names]) => names.includes(last))
      : undefined;
  if (usual !== undefined && type.path === null) return at(`${usual[0]}()`);
  if (type.isList) {
    const isText = /^(?:byte|char|String)\b/.test(type.name);
    const [element] = type.arguments;
    const isHarmless = element !== undefined && isTrusted(run, element);
    return isHarmless && !isText ? TRUSTED : null;
  }
  if (type.own !== null) return ownValue(run, type.own);
  if (knowledge.has('harmless', type.path ?? '')) return TRUSTED;
  if (knowledge.has('textual', last) || knowledge.has('textual', type.name)) {
    const inner = type.arguments;
    if (inner.length > 0 && inner.every((one) => isTrusted(run, one))) return TRUSTED;
    return null;
  }
  if (knowledge.has('harmless', last)) return TRUSTED;
  const isClosed = knowledge.is('closed-type', type.name);
  if (type.path !== null && !isClosed && knowledge.isKnown(type.path)) return at(`${type.path}()`);
  if (knowledge.is('telling', last)) return null;
  return knowledge.is('telling-type', type.name) ? UNKNOWN : changed(UNKNOWN, { isPlain: true });
}

function isTrusted(run: Run, type: Type): boolean {
  return type.own === null && typeValue(run, type)?.isTrusted === true;
}

/** An object of a class of the file that was made elsewhere. */
export function ownValue(run: Run, id: ClassId): Shape {
  const declared = run.classOf(id);
  if (declared?.kind === 'enum') return TRUSTED;
  if (declared?.kind === 'named') {
    const [type] = declared.bases;
    const isSelf = type === undefined || type.own === id;
    return changed((isSelf ? null : typeValue(run, type)) ?? UNKNOWN, { namedType: id });
  }
  const { shape } = run.make('instance', { type: id, isOpen: true });
  return changed(shape, { path: basePath(run, id) });
}

/** A value under a type of the file that has methods, though it is a text, number or list. */
export function asNamed(run: Run, type: Type | null, value: Shape): Shape {
  const own = type?.own ?? null;
  if (own === null || run.classOf(own)?.kind !== 'named') return value;
  const [base] = run.classOf(own)?.bases ?? [];
  const isNumber = base !== undefined && isTrusted(run, base) && value.constants === null;
  return changed(isNumber ? TRUSTED : value, { namedType: own });
}

/** The path of the first base of another file, as its objects have it; null when absent. */
export function basePath(run: Run, id: ClassId): string | null {
  const seen = new Set<ClassId>();
  let at = id;
  let found = run.basePaths.get(at);
  while (found === undefined) {
    seen.add(at);
    const bases = run.classOf(at)?.bases ?? [];
    const other = bases.find(({ own }) => own === null);
    const next = bases[0]?.own ?? null;
    if (other !== undefined) found = `${other.path ?? other.name}()`;
    else if (next === null || seen.has(next)) found = null;
    else {
      at = next;
      found = run.basePaths.get(at);
    }
  }
  // All of them have it: of a long chain each class is walked once.
  for (const one of seen) run.basePaths.set(one, found);
  return found;
}

/** A value under a type that is written: numbers are harmless, and types say what methods do. */
export function typedAs(run: Run, known: Shape | null, value: Shape): Shape {
  if (known === null) return value;
  const isClosed = value.objects.length > 0 || value.closures.length > 0;
  if (known.isTrusted) {
    // A name of a package says which number it is: `tls.VersionTLS10`.
    const isName = value.path?.endsWith(')') === false;
    const isNumber = value.constants === null && !isClosed && value.role === null && !isName;
    // `boolean isLocal = to.startsWith("/")` tells what the condition does.
    return isNumber ? changed(TRUSTED, { verdict: value.verdict }) : value;
  }
  const isNamed = isClosed || (value.path !== null && !isOutOfView(run, value.path));
  const isBare = !isNamed && value.origins.length === 0 && value.pieces === null;
  if (isBare && value.constants === null) {
    // The path says which function of another file made it.
    return known.path === null && value.path !== null
      ? changed(known, { path: value.path })
      : known;
  }
  return isNamed || known.path === null ? value : changed(value, { path: known.path });
}

/** Whether a path leads to functions of the program, which say less than a declared type. */
function isOutOfView({ knowledge }: Run, path: string): boolean {
  if (knowledge.traits.has('keys')) return false;
  return path.startsWith('./') || !knowledge.isKnown(path.replace(/^new |\(\).*$/g, ''));
}

/** Whether annotations say that nothing but numbers and plain names comes. */
function isLimited({ knowledge }: Run, annotations: readonly Annotation[]): boolean {
  return annotations.some(({ name }) => knowledge.has('limits', name));
}

/** A value that is as safe as the characters of the patterns that annotations say it has. */
function bounded(run: Run, annotations: readonly Annotation[], value: Shape): Shape {
  // Patterns of pydantic ask for a part of the text, unless they have anchors.
  const isWhole = !run.knowledge.traits.has('hints');
  const uses = annotations
    .filter(({ name }) => run.knowledge.has('bound', name))
    .flatMap(({ arguments: [pattern] }) => {
      const text = pattern === undefined ? null : textOf(run.evaluate(pattern));
      return text === null ? [] : (heldBy(text, isWhole, isWhole)?.safe ?? []);
    });
  return uses.length === 0 ? value : asText(madeSafe(value, uses));
}

/** The annotation that makes a parameter or field data from outside; null when absent. */
function servedBy(run: Run, annotations: readonly Annotation[]): string | null {
  for (const { name, path } of annotations) {
    if (path === null) continue;
    const site = { name, origin: path, receiver: null, receiverPath: null };
    if (run.knowledge.catalogue.readAt(site)?.decorator === true) return name;
  }
  return null;
}

/** What a parameter or field is declared as. */
type Declared = Span & Pick<Parameter, 'name' | 'type' | 'annotations'>;

/** Data that a server puts into a parameter or field of that type. */
function servedValue(run: Run, declared: Declared, kind: string): Shape {
  const { name, type, annotations, start } = declared;
  const known = typeValue(run, type);
  if (known?.isTrusted === true || isLimited(run, annotations)) return TRUSTED;
  const isWhole = type !== null && run.knowledge.is('whole', type.name);
  const isStep = run.knowledge.is('one-step', kind);
  // One step of a route holds no slash.
  const claimedFor = isStep ? (['path'] as const) : [];
  const given = outside('strong', name, run.placeOf(start), { isWhole, claimedFor });
  const value = bounded(run, annotations, given);
  if (type?.own != null) return filled(run, type.own, value, []);
  return known?.path == null ? value : changed(value, { path: known.path });
}

/** An object that was filled with data: fields of text are data, numbers are not. */
export function filled(run: Run, id: ClassId, value: Shape, within: readonly ClassId[]): Shape {
  const cells = new Map<string, Shape>();
  for (const { name, type, annotations } of allFields(run, id, [])) {
    const own = type?.own ?? null;
    // Types within types double at each step: what is too much is data as a whole.
    const inner = own === null || within.includes(own) || !run.mayFill() ? null : own;
    const isNumber = own === null && typeValue(run, type)?.isTrusted === true;
    const member = memberOfData(run, value, name);
    const isText = run.knowledge.has('text-type', type?.name ?? '');
    const part = bounded(run, annotations, isText ? asText(member) : member);
    if (isNumber || isLimited(run, annotations)) cells.set(name, TRUSTED);
    else if (inner === null) cells.set(name, part);
    else if (run.classOf(inner)?.kind === 'enum') cells.set(name, TRUSTED);
    else if (run.classOf(inner)?.kind === 'named') cells.set(name, asNamed(run, type, part));
    else cells.set(name, filled(run, inner, part, [...within, id]));
  }
  const { shape } = run.make('instance', { type: id, cells, isOpen: true });
  return changed(shape, { origins: value.origins, path: basePath(run, id) });
}

/** Data as a text: no object whose keys the sender chooses. */
function asText(value: Shape): Shape {
  const origins = value.origins.map((one) => ({ ...one, isWhole: false, mayBeObject: false }));
  return changed(value, { origins });
}

/** The fields of a class and of its bases. */
function allFields(run: Run, id: ClassId, within: readonly ClassId[]): readonly Field[] {
  const declared = run.classOf(id);
  if (declared === null || within.includes(id)) return [];
  const inherited = declared.bases.flatMap(({ own }) =>
    own === null ? [] : allFields(run, own, [...within, id]),
  );
  return inherited.length === 0 ? declared.fields : [...declared.fields, ...inherited];
}

/** What a server puts into a field or variable that is annotated so; null: nothing. */
export function served(run: Run, declared: Declared): Shape | null {
  const kind = servedBy(run, declared.annotations);
  return kind === null ? null : servedValue(run, declared, kind);
}

/** What a field holds in an object that was made elsewhere; null: the class has no such field. */
export function fieldOf(run: Run, id: ClassId, name: string): Shape | null {
  const found = findField(run, id, name);
  if (found === null) return run.assigned.get(`${id}.${name}`) ?? null;
  const [owner, field] = found;
  if (field.isMember) return memberOfEnum(run, owner, field);
  if (run.classOf(owner)?.kind === 'enum') return TRUSTED;
  const data = served(run, field) ?? filledByServer(run, owner, field);
  const assigned = run.assigned.get(`${owner}.${name}`) ?? run.assigned.get(`${id}.${name}`);
  const known = typeValue(run, field.type);
  let value = data ?? known ?? UNKNOWN;
  if (data === null && field.initial !== null) {
    const initial = initialOf(run, owner, field);
    const isFixed = field.isFixed || initial.constants === null;
    value = typedAs(run, known, isFixed ? initial : changed(initial, { constants: null }));
  }
  // What is assigned says more of an object than the type of the field.
  return assigned === undefined ? value : join(assigned, value);
}

/** A member of an enumeration: it is known by its name, one with a body by what that does. */
function memberOfEnum(run: Run, id: ClassId, field: Field): Shape {
  const { initial, name } = field;
  if (initial?.form === 'constant') return changed(constantOf(initial.value), { namedType: id });
  if (initial === null) return TRUSTED;
  if (initial.form !== 'new') {
    const held = initialOf(run, id, field);
    const isCode = held.closures.length > 0 || held.objects.length > 0 || held.origins.length > 0;
    return isCode ? changed(held, { namedType: id }) : TRUSTED;
  }
  if (initial.type.own !== id) return initialOf(run, id, field);
  const own = `${run.classOf(id)?.name ?? ''}.${name}`;
  return changed(constantOf(own), { namedType: id });
}

/** What a field is made with; evaluated where it is asked for, with what is known there. */
function initialOf(run: Run, id: ClassId, field: Field): Shape {
  const key = `${id}.${field.name}`;
  const known = run.initials.get(key);
  if (known !== undefined) return known;
  if (field.initial === null || run.initial.has(key)) return UNKNOWN;
  run.initial.add(key);
  try {
    const { initial } = field;
    const { state, result } = run.branch(run.state, () => {
      const self = run.classOf(id)?.self;
      if (self !== undefined && !field.isStatic && run.state.get(self) === undefined) {
        run.state.set(self, ownValue(run, id));
      }
      return run.evaluate(initial);
    });
    const isOne = result.objects.length > 0 || result.closures.length > 0;
    if (!isOne) run.initials.set(key, result);
    else run.state.merge([state]);
    return result;
  } finally {
    run.initial.delete(key);
  }
}

/** The field of a class or of its bases, and the class that declares it; null when absent. */
function findField(run: Run, id: ClassId, name: string): readonly [ClassId, Field] | null {
  const key = `${id} ${name}`;
  const known = run.fields.get(key);
  if (known !== undefined) return known;
  const found = lookForField(run, id, name);
  run.fields.set(key, found);
  return found;
}

function lookForField(run: Run, id: ClassId, name: string): readonly [ClassId, Field] | null {
  const seen = new Set<ClassId>();
  const waiting = [id];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const declared = run.classOf(at);
    const field = declared?.fields.find((one) => one.name === name);
    if (field !== undefined) return [at, field];
    for (const { own } of declared?.bases ?? []) if (own !== null) waiting.push(own);
  }
  // Nor has any of its bases, so that these are not walked again.
  for (const one of seen) run.fields.set(`${one} ${name}`, null);
  return null;
}

/** Fields of classes that a server fills before their method is called. */
function filledByServer(run: Run, id: ClassId, field: Field): Shape | null {
  const { name } = field;
  const setter = `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const base = basePath(run, id)?.replace(/\(\)$/, '') ?? '';
  if (!run.knowledge.has('action', base.slice(base.lastIndexOf('.') + 1))) return null;
  const functions = run.classOf(id)?.functions ?? [];
  const hasSetter = functions.some((one) => run.functionOf(one)?.name === setter);
  return hasSetter ? servedValue(run, field, '') : null;
}

/** Whether a method is one of a class that a server calls: its base is generated for that. */
function isOfServer(run: Run, { owner, name }: FunctionDeclaration): boolean {
  if (owner === null || !run.knowledge.is('served-method', name)) return false;
  const bases = run.classOf(owner)?.bases ?? [];
  return bases.some((base) => run.knowledge.is('served-base', base.path ?? base.name));
}

/** What a parameter holds when no call of its function is in view. */
export function parameterValue(run: Run, declared: FunctionDeclaration, index: number): Shape {
  const { annotations, parameters, name, kind } = declared;
  const parameter = parameters[index];
  if (parameter === undefined) return UNKNOWN;
  // A request that the program sends is its own.
  const isRequest = run.knowledge.has('request', parameter.type?.path ?? '');
  if (isRequest && !isServed(run, declared, parameter)) return changed(UNKNOWN, { isPlain: true });
  const by = servedBy(run, parameter.annotations);
  if (by !== null) return servedValue(run, parameter, by);
  const { type, variable, start } = parameter;
  const given = givenTo(run, declared, index);
  if (given !== UNKNOWN) return typedAs(run, typeValue(run, type), given);
  const isCalled = run.servedMethods.has(declared.id) || isOfServer(run, declared);
  if (isCalled && type?.own === null && !run.knowledge.is('context-path', type.path ?? '')) {
    return servedValue(run, parameter, '');
  }
  const isGiven = run.served.has(declared.id) && type !== null;
  if (isGiven && isData(run, type)) return servedValue(run, parameter, '');
  if (run.knowledge.traits.has('hints')) return hintedValue(run, declared, parameter, index);
  if (type === null || kind === 'closure') {
    const own = type === null && index === 0 ? run.registered.get(declared.id) : undefined;
    if (own !== undefined) return at(`${own}()`);
    const known = typeValue(run, type);
    return known ?? (type === null ? UNKNOWN : weak(run, parameter.name, start, variable));
  }
  const isRoute =
    isAction(run, declared) || annotations.some((one) => run.knowledge.has('route', one.name));
  const isHandler = run.knowledge.has('handler', name);
  const isEvent = isHandler && index === 0 && parameters.length === 2;
  const isText = type.own === null && typeValue(run, type) === null;
  const isPlain = parameter.annotations.every((one) => !run.knowledge.is('context', one.text));
  if (((isRoute && isPlain) || isEvent) && isData(run, type)) {
    return servedValue(run, parameter, '');
  }
  if (!isText) return typeValue(run, type) ?? UNKNOWN;
  return weak(run, parameter.name, start, variable);
}

/** What a call gives to a function that it is given, or a decorator to the function below it. */
function givenTo(run: Run, { id, annotations }: FunctionDeclaration, index: number): Shape {
  const told = run.given.get(id)?.[index];
  if (told !== undefined || !run.knowledge.traits.has('callbacks')) return told ?? UNKNOWN;
  for (const one of annotations) {
    const value = decoratedWith(run, one)?.[index];
    if (value !== undefined) return value;
  }
  return UNKNOWN;
}

/** Whether a function gets the requests of others: by what it answers with, or by names. */
function isServed(run: Run, declared: FunctionDeclaration, { name }: Parameter): boolean {
  const { knowledge } = run;
  const { parameters, owner } = declared;
  if (run.served.has(declared.id)) return true;
  if (parameters.some(({ type }) => knowledge.has('answer', type?.path ?? ''))) return true;
  const names = [
    declared.name,
    owner === null ? '' : (run.classOf(owner)?.name ?? ''),
    ...parameters.map(({ type }) => type?.name ?? ''),
  ];
  return knowledge.is('request-name', name) && !names.some((one) => knowledge.is('client', one));
}

/** The same in a language whose types are hints, so that how a function is registered says more. */
function hintedValue(
  run: Run,
  declared: FunctionDeclaration,
  parameter: Parameter,
  index: number,
): Shape {
  const { annotations, parameters, owner } = declared;
  const { name, type, variable, start } = parameter;
  const base = owner === null ? null : basePath(run, owner);
  const route =
    routeOf(run, annotations) ??
    run.routes.get(declared.id) ??
    routeOfClass(run, base, declared.name, name);
  if (route !== null && !run.knowledge.is('request-name', name)) {
    const value = routedValue(run, route, parameter);
    if (value !== null) return value;
  }
  if (isHostData(run, parameters, index)) {
    return outside('strong', name, run.placeOf(start), { isWhole: !/environ/.test(name) });
  }
  const known = typeValue(run, type);
  const given = givenBy(run, declared, base, index);
  if (given !== null && known === null) return at(`${given}()`);
  if (known?.isTrusted === true) return UNKNOWN;
  if (known !== null) return known;
  // A table or list of all that is given is not data by itself.
  if (parameter.isRest || parameter.isTable === true) return UNKNOWN;
  const value = weak(run, name, start, variable);
  return type?.path == null ? value : at(`${type.path}()`);
}

/** What a parameter of a route's function holds; null: nothing of the caller. */
function routedValue(
  run: Run,
  { inPath, takesAll }: Route,
  parameter: Parameter,
  within: readonly FunctionId[] = [],
): Shape | null {
  const { name, type, annotations, start } = parameter;
  const { knowledge } = run;
  const known = typeValue(run, type);
  const place = run.placeOf(start);
  if (known?.isTrusted === true || isLimited(run, annotations)) return TRUSTED;
  const held = (value: Shape) => bounded(run, annotations, value);
  const converter = inPath.get(name);
  if (converter !== undefined) {
    if (knowledge.is('hole-number', converter)) return TRUSTED;
    // Without a slash: of a path it can only be one step.
    const isStep = !knowledge.is('hole-path', converter);
    return held(outside('strong', name, place, { claimedFor: isStep ? ['path'] : [] }));
  }
  if (!takesAll || knowledge.is('given-type', type?.name ?? '')) return null;
  const given = annotations.find((one) => knowledge.is('given', one.name));
  if (given !== undefined) return dependencyValue(run, given, within);
  if (type?.own != null) return servedValue(run, parameter, '');
  const last = (type?.name ?? '').replace(/^.*\./, '');
  if (type === null || knowledge.has('textual', last)) {
    return held(outside('strong', name, place, { isWhole: knowledge.is('whole', last) }));
  }
  if (known?.path != null) return known;
  return held(outside('checked', name, place, { isWhole: true }));
}

/**
 * What a function of the program makes of parameters of the route, as a server calls it for that:
 * `Depends(chosen)`; null: nothing of the caller.
 */
function dependencyValue(
  run: Run,
  { arguments: list }: Annotation,
  within: readonly FunctionId[],
): Shape | null {
  const [asked] = list;
  const [closure] = asked === undefined ? [] : run.evaluate(asked).closures;
  if (closure?.kind !== 'function' || within.includes(closure.id)) return null;
  const declared = run.functionOf(closure.id);
  if (declared === null || within.length > DEPENDENCY_DEPTH_MAX) return null;
  const route: Route = { inPath: new Map(), takesAll: true };
  const args = declared.parameters.map((parameter) => {
    const value = routedValue(run, route, parameter, [...within, closure.id]);
    return value ?? typeValue(run, parameter.type) ?? UNKNOWN;
  });
  const value = run.parts.follow(run, closure.id, args, closure.self);
  const one = declared.isGenerator === true ? run.elementOf(value) : value;
  if (run.flat(one).origins.length > 0) return one;
  // Of numbers alone comes no text of the caller's.
  return args.length > 0 && args.every(({ isTrusted }) => isTrusted) ? TRUSTED : null;
}

/** Functions that ask for what others make, each within the other. */
const DEPENDENCY_DEPTH_MAX = 4;

/** Whether a server puts data into what is of that type: a text, or an object that it fills. */
function isData(run: Run, type: Type): boolean {
  if (type.own !== null) return run.classOf(type.own)?.kind !== 'enum';
  const known = typeValue(run, type);
  return known === null || (known.path === null && run.knowledge.is('filled-type', type.name));
}

/** Whether a server calls a method because of the class that it is a method of. */
function isAction(run: Run, { owner, kind, name, isPrivate, isStatic }: FunctionDeclaration) {
  if (owner === null || kind !== 'method' || isPrivate || isStatic) return false;
  const base = basePath(run, owner)?.replace(/\(\)$/, '') ?? '';
  return run.knowledge.is('served-action', `${base.slice(base.lastIndexOf('.') + 1)}.${name}`);
}

function weak(run: Run, name: string, start: number, parameter: number): Shape {
  return outside('weak', name, run.placeOf(start), { parameter });
}
