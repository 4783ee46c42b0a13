import type { SinkKind, SinkLine } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import type { ClassDeclaration, ClassId, FunctionDeclaration, FunctionId } from '../il/il.ts';
import { ANY_NAME, withoutCalls } from './catalogue-lines.ts';
import { checkLines, checkReach, keepReach } from './check-lines.ts';
import { checkProperty } from './check-sinks.ts';
import { opposite, verdictOf } from './guard.ts';
import { entryParameter, typedParameter } from './parameter-values.ts';
import { selfOfMember } from './prototype.ts';
import { asNamed, basePath, ownValue, parameterValue, typedAs, typeValue } from './roles.ts';
import { type Call, type Exit, type Frame, PLAIN, type Reach, type Run } from './run.ts';
import { commonFacts, type HeapObject, type State } from './state.ts';
import {
  asUnchecked,
  build,
  changed,
  constantOf,
  derive,
  eachOnce,
  type Fact,
  hasSameOrigins,
  joinAll,
  named,
  type Origin,
  originsIn,
  outside,
  passed,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  truthOf,
  UNKNOWN,
} from './value.ts';

/** What a function does, whatever it is called with. */
export interface Summary {
  /** Its result, with data of its parameters as such. */
  readonly result: Shape;
  /** Calls that data of its parameters reaches. */
  readonly reaches: readonly Reach[];
  /** It gives back objects that it made or was given. */
  readonly makes: boolean;
}

/** Times that a function is looked at that calls itself, or others that call it. */
const ROUNDS_MAX = 6;
/** Changes of a summary behind which it keeps all data that it had, so that it comes to an end. */
const CHANGES_MAX = 2;
/** Functions that wait for the result of another one. */
const ACTIVE_MAX = 50;
/** Expressions and statements of a function that is evaluated for constants that it is given. */
const SMALL_SIZE_MAX = 200;
/** The same where the object is known that a function is called on, or only constants are. */
const OF_OBJECT_SIZE_MAX = 60;
const OF_CONSTANT_SIZE_MAX = 30;
/** Calls within calls that are followed for constants. */
const SMALL_DEPTH_MAX = 4;
/** Classes of the file that may stand for one of their bases. */
const IMPLEMENTATIONS_MAX = 64;

/** What is known of a function before it is looked at. */
const OPEN: Summary = { result: RESULT, reaches: [], makes: false };

const ENDLESS = 'what functions that call each other give back changes each time';
const TOO_MANY_CALLS = 'its functions call each other more often or deeper than is followed';

/** Summaries of the functions of one module. */
export class Summaries {
  readonly #known = new Map<FunctionId, Summary>();
  /** How often each summary has changed. */
  readonly #changes = new Map<FunctionId, number>();
  /** Functions whose summaries are being made, the outermost first. */
  readonly #stack: FunctionId[] = [];
  /** Functions whose summaries were asked for while they were being made. */
  readonly #asked = new Set<FunctionId>();
  /** Functions whose summaries were made with that of each. */
  readonly #callers = new Map<FunctionId, Set<FunctionId>>();
  /** Functions whose summaries were made with an incomplete summary. */
  readonly #dirty = new Set<FunctionId>();
  /** Functions that too many others waited for. */
  readonly #postponed = new Set<FunctionId>();
  /** Functions that were looked at since closures were looked at again: with those around them. */
  readonly #made = new Set<FunctionId>();
  /** What closures see. */
  readonly #bases = new Map<FunctionId, State>();
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Forgets all: what they depend on has changed. */
  clear(): void {
    this.#known.clear();
    this.#callers.clear();
    this.#dirty.clear();
    this.#postponed.clear();
  }

  /** Looks at a function by itself, with what is known of its parameters. */
  of(id: FunctionId): Summary {
    const caller = this.#stack.at(-1);
    if (caller !== undefined) {
      const callers = this.#callers.get(id) ?? new Set();
      this.#callers.set(id, callers.add(caller));
    }
    const known = this.#known.get(id);
    if (known !== undefined) {
      const at = this.#stack.indexOf(id);
      if (at >= 0) {
        this.#asked.add(id);
        for (const inner of this.#stack.slice(at + 1)) this.#dirty.add(inner);
      }
      return known;
    }
    const run = this.#run;
    const declared = run.functionOf(id);
    if (declared === null) return OPEN;
    if (run.active.size > ACTIVE_MAX) {
      this.#postponed.add(id);
      return OPEN;
    }
    const { kind, owner } = declared;
    const isLocal =
      owner !== null && !run.knowledge.traits.has('keys') && run.surroundingsOf(owner).isLocal;
    if (kind === 'closure' || isLocal) this.#bases.set(id, run.state);
    this.#known.set(id, OPEN);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      this.#asked.delete(id);
      const isSame = !this.#make(declared);
      // A function that asks for its own summary is looked at until that stays what it is.
      if (isSame || !this.#asked.has(id)) break;
      if (round === ROUNDS_MAX - 1) run.lose(ENDLESS, declared.start);
    }
    return this.#known.get(id) ?? OPEN;
  }

  /** Looks at a function once more where it stands, with what is known there. */
  again(id: FunctionId): void {
    const run = this.#run;
    const declared = run.functionOf(id);
    if (!this.#known.has(id) || declared === null) this.of(id);
    else if (!run.active.has(id) && run.active.size <= ACTIVE_MAX && run.steps < TAINT.STEPS_MAX) {
      this.#bases.set(id, run.state);
      if (!this.#make(declared) || run.knowledge.traits.has('keys')) return;
      for (const caller of this.#callers.get(id) ?? []) this.#dirty.add(caller);
    }
  }

  /** Looks at closures once more where they stand: what they reach elsewhere has changed. */
  closuresAgain(): void {
    const run = this.#run;
    this.#made.clear();
    for (const id of [...this.#bases.keys()]) {
      const declared = run.functionOf(id);
      if (declared === null || this.#made.has(id) || run.steps >= TAINT.STEPS_MAX) continue;
      this.#make(declared);
    }
  }

  /** Makes those again that were made with a summary that has changed since. */
  complete(): void {
    const times = new Map<FunctionId, number>();
    for (;;) {
      for (const id of [...this.#postponed].reverse()) {
        this.#postponed.delete(id);
        this.of(id);
        for (const caller of this.#callers.get(id) ?? []) this.#dirty.add(caller);
      }
      const last = [...this.#dirty].pop();
      if (last === undefined) return;
      this.#dirty.delete(last);
      const declared = this.#run.functionOf(last);
      // Times that it changed: a summary that does not change may be asked often.
      const count = times.get(last) ?? 0;
      if (declared === null) continue;
      if (count >= ROUNDS_MAX) this.#run.lose(ENDLESS, declared.start);
      else if (this.#make(declared)) {
        times.set(last, count + 1);
        for (const caller of this.#callers.get(last) ?? []) this.#dirty.add(caller);
      }
    }
  }

  /** Makes a summary with all others as they are; true if it is another one than before. */
  #make(declared: FunctionDeclaration): boolean {
    const { id } = declared;
    const run = this.#run;
    const before = this.#known.get(id);
    // A closure sees the variables around it; another function none of those.
    const base = this.#bases.get(id) ?? run.root;
    this.#stack.push(id);
    const { thrown } = run;
    run.thrown = null;
    try {
      const look = () => run.atItsTime(() => this.#evaluate(declared));
      const { result: made, state } = run.branch(base, look);
      const changes = this.#changes.get(id) ?? 0;
      const isOften = before !== undefined && changes >= CHANGES_MAX;
      const result = isOften ? { ...made, result: widened(before.result, made.result) } : made;
      this.#known.set(id, result);
      this.#made.add(id);
      // It may run at any time: what it does to the variables around it may have happened.
      if (run.knowledge.traits.has('keys') && base === run.state) {
        leaveBehind(base, state, declared);
      }
      const isSame = before !== undefined && isAlike(before, result);
      if (before !== undefined && !isSame) this.#changes.set(id, changes + 1);
      return !isSame;
    } finally {
      run.thrown = thrown;
      this.#stack.pop();
    }
  }

  /** The result of a function that was looked at; null: it was not, or is an object of a call. */
  resultOf(id: FunctionId, isOfObject = false): Shape | null {
    const known = this.#known.get(id);
    return known === undefined || (isOfObject && known.makes) ? null : known.result;
  }

  #evaluate(declared: FunctionDeclaration): Summary {
    const run = this.#run;
    bindSelf(run, declared, null);
    if (!run.knowledge.traits.has('keys')) bindAround(run, declared);
    run.pollutes(declared.id);
    const values: Shape[] = [];
    for (const [index, parameter] of declared.parameters.entries()) {
      const value = run.knowledge.traits.has('keys')
        ? asUnchecked(
            typedParameter(run, parameter, givenValue(run, declared, index)),
            parameter.name,
            parameter.start,
          )
        : parameterValue(run, declared, index);
      values.push(value);
      run.state.set(parameter.variable, value);
    }
    if (declared.given !== undefined) {
      const further = run.given.get(declared.id)?.slice(values.length) ?? [];
      run.state.set(declared.given, argumentsOf(run, declared, [...values, ...further]));
    }
    const { exits, frame } = runBody(run, declared);
    const result = resultOf(run, declared, exits, frame);
    if (result.role === 'random' && declared.name !== '') {
      const at = { start: declared.start, end: declared.end };
      const property = { name: declared.name, value: result, isLiteral: false, element: null };
      checkProperty(run, { ...property, key: at, at });
    }
    // Objects are made again where a call is followed; else it gives their content.
    const makes = result.objects.length > 0;
    const kept = withoutObjects(run.knowledge.traits.has('keys') ? result : run.flat(result));
    return { result: kept, reaches: frame.reaches, makes };
  }

  /** What a call of a function gives by its summary: arguments stand for its parameters. */
  instantiate(declared: FunctionDeclaration, args: readonly Shape[]): Shape {
    const run = this.#run;
    const { result, reaches } = this.of(declared.id);
    const given = new Map(declared.parameters.map(({ variable }, n) => [variable, args[n]]));
    const substitute = (shape: Shape): Shape => {
      const found = originsIn(shape).flatMap((origin): readonly Origin[] => {
        if (origin.parameter === null || !given.has(origin.parameter)) return [origin];
        const own = given.get(origin.parameter);
        const { text: name, line, offset = declared.start } = origin;
        const entry = { name, line, offset, how: { passedTo: calledAs(run, declared) } };
        const steps = [entry, ...origin.steps];
        return own === undefined ? [] : originsIn(run.flat(own)).map((one) => passed(one, steps));
      });
      const origins = eachOnce(found);
      const results = shape.results?.map(substitute) ?? null;
      const all = changed(shape, { origins, pieces: null, texts: [], results });
      return origins.length === 0 && shape.origins.length === 0 ? shape : all;
    };
    for (const { call, at, last, lines } of reaches) {
      const receiver = call.receiver === null ? null : substitute(call.receiver);
      const options = new Map([...call.options].map(([name, one]) => [name, substitute(one)]));
      const own: Call = { ...call, receiver, args: call.args.map(substitute), options };
      checkReach(run, { call: own, at, last, lines });
    }
    return substitute(result);
  }
}

/** What the call says of a parameter that the function is given to, or what is usual. */
function givenValue(run: Run, declared: FunctionDeclaration, index: number): Shape {
  const told = run.given.get(declared.id)?.[index];
  const { name = '', start = 0, isRest = false } = declared.parameters[index] ?? {};
  if (isRest && told !== undefined) return run.list(run.given.get(declared.id)?.slice(index) ?? []);
  if (told !== undefined && told !== UNKNOWN) return named(told, name, run.placeOf(start));
  return entryParameter(run, declared, index);
}

/** `arguments`: of a function that other files call, more than its parameters. */
function argumentsOf(run: Run, { id, start }: FunctionDeclaration, known: readonly Shape[]): Shape {
  if (!run.isExported(id)) return run.list(known);
  return run.openList(
    known,
    outside('weak', 'arguments', run.placeOf(start), {
      mayBeObject: true,
      isOfReturned: run.howExported(id) === 'returned',
    }),
  );
}

/** Writes of a function to variables and objects around it, which may have happened or not. */
function leaveBehind(base: State, state: State, { variables }: FunctionDeclaration): void {
  const left = state.since(base).withoutFacts();
  left.drop(variables);
  base.merge([left, base.fork()]);
}

function isAlike(left: Summary, right: Summary): boolean {
  return (
    left.reaches.length === right.reaches.length &&
    left.result.path === right.result.path &&
    left.result.isTrusted === right.result.isTrusted &&
    hasSameOrigins(eachOnce(originsIn(left.result)), eachOnce(originsIn(right.result)))
  );
}

/**
 * A result with all data of the one before: members of members of what a function walks through are
 * the data of its parameter, however they are written.
 */
function widened(before: Shape, after: Shape): Shape {
  const found = originsIn(after);
  const isSame = (one: Origin, other: Origin) =>
    one.parameter === other.parameter &&
    one.offset === other.offset &&
    one.strength === other.strength;
  const kept = originsIn(before).map((one) => {
    const same = found.filter((other) => isSame(one, other));
    const both = (name: 'safeFor' | 'claimedFor') =>
      one[name].filter((use) => same.every((other) => other[name].includes(use)));
    return { ...one, safeFor: both('safeFor'), claimedFor: both('claimedFor') };
  });
  const further = found.filter((one) => !kept.some((other) => isSame(one, other)));
  return changed(after, { origins: eachOnce([...kept, ...further]), pieces: null, texts: [] });
}

/** Objects that a function made for its summary are gone with its state. */
function withoutObjects(shape: Shape): Shape {
  const results = shape.results?.map(withoutObjects) ?? null;
  return changed(shape, { objects: [], results });
}

/** Follows a call into a function of the file. */
export function follow(
  run: Run,
  summaries: Summaries,
  id: FunctionId,
  positional: readonly Shape[],
  self: Shape | null,
  options: ReadonlyMap<string, Shape> = NO_FIELDS,
): Shape {
  const declared = run.functionOf(id);
  if (declared === null) return derive(positional);
  const args = arranged(run, declared, positional, options);
  if (declared.body === null) {
    // What is written beside a method without a body may be what it does.
    run.branch(run.state, () => {
      bindArguments(run, declared, args);
      checkStatement(run, declared);
    });
    return derive(args.map((one) => run.flat(one)));
  }
  const given = self === null ? args : [...args, self];
  const isData = given.some((one) => originsIn(run.flat(one)).some(isFromElsewhere));
  if (run.active.has(id)) {
    if (isData) lookOnce(run, declared, args, self);
    return summaries.instantiate(declared, args);
  }
  const isTelling = run.knowledge.traits.has('keys')
    ? tellsMore(run, declared, args, self)
    : given.some(
        (one) =>
          one.constants !== null ||
          one.closures.length > 0 ||
          one.role === 'random' ||
          isConstantOfPackage(run, one) ||
          run.knowledge.carriesData(one.path ?? '') ||
          run.objectsOf(one).some(([, object]) => isTellingObject(object)) ||
          // An object keeps what it is made with: a request, a connection, another object.
          (declared.kind === 'constructor' && (one.path !== null || one.objects.length > 0)),
      );
  const isSmall = declared.size <= SMALL_SIZE_MAX && run.depth < SMALL_DEPTH_MAX;
  // A function without parameters does what the names around it hold by now.
  const isOpen = declared.kind === 'closure' && declared.parameters.length === 0;
  const makesOwn = () => declared.result?.own != null || summaries.of(id).makes;
  const isOfCaller = () => isSmall && carriesParameter(run, declared, given);
  const isWorth = isData || (isSmall && (isTelling || isOpen || makesOwn())) || isOfCaller();
  if (!isWorth) return summaries.instantiate(declared, args);
  if (!run.mayFollow()) {
    if (isData) run.lose(TOO_MANY_CALLS, declared.start);
    return isData ? summaries.instantiate(declared, args) : summaries.of(id).result;
  }
  run.calls += isData ? 1 : 0;
  const { state } = run;
  run.depth += 1;
  run.followed.add(id);
  // What is known of the data by now is known there as well.
  const values = args.map((value) => state.settled(value));
  const { result: ended, state: inner } = run.branch(state, () => {
    bindSelf(run, declared, self);
    bindArguments(run, declared, values);
    const { exits, frame } = runBody(run, declared);
    return { exits, result: resultOf(run, declared, exits, frame) };
  });
  run.depth -= 1;
  const isLater = declared.isAsync === true || declared.isGenerator === true;
  const all = ended.exits.map((exit) => exit.state.since(state));
  const left = all.length > 0 ? all : [inner.since(state)];
  state.merge(isLater ? left.map((one) => one.withoutFacts()) : left);
  // A function that is handed out sees them still.
  const { result } = ended;
  if (result.closures.length + result.objects.length === 0) state.drop(declared.variables);
  if (!isLater || declared.isGenerator === true) return result;
  // A promise is true whatever comes of it, and nothing may have run yet.
  const facts = commonFacts(all.map((one) => one.factsSince(state)));
  return changed(result, { verdict: null, awaited: { verdict: result.verdict, facts } });
}

/**
 * Whether a call says more of what a function does than its summary, where functions are values and
 * most arguments are constants or objects: only a small function is followed for those.
 */
function tellsMore(
  run: Run,
  { size }: FunctionDeclaration,
  args: readonly Shape[],
  self: Shape | null,
): boolean {
  if (self !== null && self.objects.length > 0 && size <= OF_OBJECT_SIZE_MAX) return true;
  return args.some(({ closures, role, path, constants, objects }) => {
    if (closures.length > 0 || role !== null) return true;
    if (path !== null && run.knowledge.isKnown(path)) return true;
    return size <= OF_CONSTANT_SIZE_MAX && (constants !== null || objects.length > 0);
  });
}

/** A name of a package that stands for a value: a mode, a version, an algorithm. */
function isConstantOfPackage(run: Run, { path }: Shape): boolean {
  return path !== null && !path.endsWith(')') && run.knowledge.isKnown(path);
}

/** Whether more is known of an object than its class. */
function isTellingObject({ isOpen, cells, rest }: HeapObject): boolean {
  if (!isOpen) return cells.size > 0 || rest !== null;
  for (const { origins, closures, objects, path, constants } of cells.values()) {
    const isKnown =
      closures.length > 0 || objects.length > 0 || path !== null || constants !== null;
    if (isKnown || origins.length > 0) return true;
  }
  return false;
}

/**
 * Looks at a function that calls itself with data, whatever constants it is given: the constants of
 * the first call may have decided that a branch is never taken.
 */
function lookOnce(
  run: Run,
  declared: FunctionDeclaration,
  args: readonly Shape[],
  self: Shape | null,
): void {
  const { id, start } = declared;
  if (run.again.has(id)) return;
  if (!run.mayFollow()) {
    run.lose(TOO_MANY_CALLS, start);
    return;
  }
  const { state } = run;
  const values = args.map((value) => changed(state.settled(value), { constants: null }));
  run.calls += 1;
  run.depth += 1;
  run.again.add(id);
  run.branch(state, () => {
    bindSelf(run, declared, self);
    bindArguments(run, declared, values);
    return runBody(run, declared);
  });
  run.again.delete(id);
  run.depth -= 1;
}

/**
 * Whether a helper that no other file calls is given what callers of the file choose: its own
 * parameters tell nothing of that. It leaves most steps to data from outside.
 */
function carriesParameter(run: Run, { id }: FunctionDeclaration, given: readonly Shape[]): boolean {
  if (!run.knowledge.traits.has('keys') || run.steps >= TAINT.STEPS_MAX / 3) return false;
  if (run.isExported(id)) return false;
  return given.some((one) => originsIn(run.flat(one)).some(({ strength }) => strength === 'weak'));
}

function isFromElsewhere({ strength }: Origin): boolean {
  return strength === 'strong' || strength === 'checked' || strength === 'operator';
}

/** Binds `this` where a method is called on something, or its class stands by itself. */
function bindSelf(
  run: Run,
  { id, owner, isStatic, self: variable }: FunctionDeclaration,
  self: Shape | null,
): void {
  const role = run.knowledge.word('self') || null;
  if (owner === null && variable !== undefined) {
    const own = self ?? selfOfMember(run, id) ?? UNKNOWN;
    run.state.set(variable, self ?? changed(own, { role }));
  }
  if (owner === null || isStatic) return;
  const declared = run.classOf(owner);
  if (declared === null) return;
  const isKnown = self !== null && self.ownClass === null;
  const value = isKnown ? self : ownValue(run, owner);
  run.state.set(
    declared.self,
    role === null ? value : changed(value, { role: value.role ?? role }),
  );
}

/** Binds the objects of classes around the class of the method. */
function bindAround(run: Run, { owner }: FunctionDeclaration): void {
  if (owner === null) return;
  for (const { id, self } of run.surroundingsOf(owner).classes) {
    if (run.state.get(self) === undefined) run.state.set(self, ownValue(run, id));
  }
}

/**
 * Arguments in the order of the parameters, where some are given by name or a parameter follows on
 * the list of all others.
 */
function arranged(
  run: Run,
  { parameters }: FunctionDeclaration,
  args: readonly Shape[],
  options: ReadonlyMap<string, Shape>,
): readonly Shape[] {
  const rest = parameters.findIndex(({ isRest }) => isRest);
  const isLast = rest < 0 || rest === parameters.length - 1;
  if (options.size === 0 && isLast) return args;
  const any = options.get(ANY_NAME);
  const names = new Set(parameters.map(({ name }) => name));
  const result: Shape[] = [];
  for (const [index, { name, isRest, isTable, initial }] of parameters.entries()) {
    if (isRest) result.push(run.list(args.slice(index)));
    else if (isTable === true) {
      const others = [...options].filter(([key]) => key !== ANY_NAME && !names.has(key));
      result.push(run.table(new Map(others), any ?? null));
    } else {
      const given = options.get(name) ?? (rest >= 0 && index > rest ? undefined : args[index]);
      const missing = initial == null ? UNKNOWN : run.evaluate(initial);
      result.push(given ?? any ?? missing);
    }
  }
  return result;
}

function bindArguments(run: Run, declared: FunctionDeclaration, args: readonly Shape[]): void {
  const last = declared.parameters.length - 1;
  for (const [index, parameter] of declared.parameters.entries()) {
    const { variable, type, isRest, name, start, initial } = parameter;
    if (parameter.isTable === true) {
      run.state.set(variable, args[index] ?? run.table(new Map(), null));
      continue;
    }
    if (isRest && index < last) {
      run.state.set(variable, args[index] ?? run.list([]));
      continue;
    }
    if (isRest) {
      const rest = args.slice(index);
      const [only] = rest;
      const isList = rest.length === 1 && only !== undefined && only.objects.length > 0;
      run.state.set(variable, isList ? only : run.list(rest));
      continue;
    }
    const missing = initial == null ? UNKNOWN : run.evaluate(initial);
    const given = args[index] ?? missing;
    // Where types are hints, a value of another type may come.
    const isHint = run.knowledge.traits.has('hints');
    const value = run.knowledge.traits.has('keys')
      ? asUnchecked(typedParameter(run, parameter, given), name, start)
      : isHint
        ? given
        : asNamed(run, type, typedAs(run, typeOnly(run, type), given));
    const how = { passedTo: calledAs(run, declared) };
    run.state.set(variable, named(value, name, run.placeOf(start), how));
  }
  if (declared.given !== undefined) run.state.set(declared.given, run.list(args));
}

/** The name that calls of a function have: of a constructor that of its class. */
function calledAs(run: Run, { name, kind, owner }: FunctionDeclaration): string {
  return kind === 'constructor' && owner !== null ? (run.classOf(owner)?.name ?? name) : name;
}

/** As `typeValue`, without an object of a class of the file: the argument is one. */
function typeOnly(run: Run, type: FunctionDeclaration['result']): Shape | null {
  if (type?.own != null) {
    return run.classOf(type.own)?.kind === 'enum' ? TRUSTED : null;
  }
  return typeValue(run, type);
}

/** Runs the body of a function in the state that holds now. */
function runBody(
  run: Run,
  declared: FunctionDeclaration,
): { readonly exits: readonly Exit[]; readonly frame: Frame } {
  const { frame: outer, isInLoop, state: base, here, ownHere } = run;
  const frame: Frame = {
    base,
    exits: [],
    targets: [],
    reaches: [],
    yields: [],
    own: declared.variables,
    answers: answersOf(run, declared),
    isPage: declared.annotations.some((one) => run.knowledge.is('page-type', run.textOf(one))),
  };
  run.frame = frame;
  const wasActive = run.active.has(declared.id);
  run.isInLoop = false;
  run.active.add(declared.id);
  try {
    checkStatement(run, declared);
    // An early end does not know what is proved after it.
    run.state = base.fork();
    const isOver = run.execute(declared.body ?? []);
    if (!isOver) frame.exits.push({ state: run.state.since(frame.base), value: END });
    // What it wrote into variables around it is seen by all that follows.
    base.merge(frame.exits.length === 0 ? [run.state] : frame.exits.map(({ state }) => state));
    return { exits: frame.exits, frame };
  } finally {
    run.state = base;
    run.frame = outer;
    run.isInLoop = isInLoop;
    run.here = here;
    run.ownHere = ownHere;
    if (!wasActive) run.active.delete(declared.id);
    // What reaches a sink in a function that is followed may be the caller's parameter.
    for (const reach of frame.reaches) keepReach(run, outer, reach);
  }
}

/** Runs what classes do when they are loaded: static fields hold what that leaves in them. */
export function loadClasses(run: Run): void {
  for (const { initializers } of run.module.classes) {
    for (const id of initializers) {
      const declared = run.functionOf(id);
      const isSmall = declared !== null && declared.size <= SMALL_SIZE_MAX;
      if (isSmall && declared.isStatic) runBody(run, declared);
    }
  }
}

/** What a server does with what a function gives back that is decorated so. */
function answersOf(run: Run, declared: FunctionDeclaration): Frame['answers'] {
  const { annotations } = declared;
  for (const [kind, ...paths] of run.knowledge.rows('answers')) {
    const isServed = annotations.some(({ path, callee, name }) => {
      const own = path ?? (callee === undefined ? null : run.evaluate(callee).path);
      return paths.includes(own === null ? name : withoutCalls(own));
    });
    if (!isServed) continue;
    const own = kind === 'view' ? viewOrAnswer(run, declared) : (kind as SinkKind);
    if (own === null) return null;
    const line: SinkLine = { kind: own, exports: '', direct: true };
    return [{ line, isByName: false }];
  }
  return null;
}

/** The name of a view, or the text of the answer; null: it gives something else. */
function viewOrAnswer(run: Run, { annotations, owner, result }: FunctionDeclaration) {
  const around = owner === null ? [] : (run.classOf(owner)?.annotations ?? []);
  const all = [...annotations, ...around];
  if (!all.some(({ name }) => run.knowledge.has('answers-text', name))) return 'view';
  const isText = result !== null && run.knowledge.has('text-answer', result.name);
  const isOther = all.some((one) => run.knowledge.is('other-answer', run.textOf(one)));
  return isText && !isOther ? 'answer' : null;
}

/** `@Select("... ${name}")`: a parameter is written into the statement. */
function checkStatement(run: Run, { annotations, parameters }: FunctionDeclaration): void {
  for (const { name, path, start, end, arguments: list } of annotations) {
    if (!run.knowledge.has('statement', name)) continue;
    const pieces = list.flatMap((one) => {
      const text = textOf(run.evaluate(one)) ?? '';
      return text.split(/\$\{([\w.]+)\}/).map((part, index) => {
        if (index % 2 === 0) return constantOf(part);
        const root = part.split('.', 1)[0];
        const parameter = parameters.find((other) => other.name === root);
        const value = parameter === undefined ? undefined : run.state.get(parameter.variable);
        return run.flat(value ?? UNKNOWN);
      });
    });
    const at = { start, end };
    const expression: Call['expression'] = {
      ...at,
      form: 'call',
      receiver: null,
      name,
      path,
      at,
      isBase: false,
      arguments: [],
    };
    const args = [build(pieces, [start, end])];
    checkLines(run, { ...PLAIN, expression, name, path, args });
  }
}

/** The value of a function that ends without one. */
const END: Shape = changed(TRUSTED, {});

/** What a call of a function gives back. */
function resultOf(
  run: Run,
  declared: FunctionDeclaration,
  exits: readonly Exit[],
  { base, yields }: Frame,
): Shape {
  if (declared.isGenerator === true) return run.openList([], joinAll(yields));
  return returned(exits, base);
}

/** Any of the results, with what it tells as a condition; of several the last one tells it. */
function returned(exits: readonly Exit[], base: State): Shape {
  if (exits.length === 0) return TRUSTED;
  const values = exits.map(({ state, value }) => state.settled(value));
  const result = joinAll(values);
  const tells = (truth: boolean): Fact[] =>
    commonFacts(
      exits
        .map(({ state, value }) => ({ state, value: lastOf(value) }))
        .filter(({ value }) => mayBe(value, truth))
        .map(({ state, value }) => {
          const verdict = truth ? verdictOf(value) : opposite(verdictOf(value));
          return [...state.factsSince(base), ...verdict.whenTrue];
        }),
    );
  const all = { whenTrue: tells(true), whenFalse: tells(false) };
  const isEmpty = all.whenTrue.length === 0 && all.whenFalse.length === 0;
  const verdict = isEmpty ? null : all;
  if (result.results === null) return changed(result, { verdict });
  const last = lastOf(result);
  // That it is missing in one case tells nothing of the others.
  const constants = exits.length > 1 ? null : last.constants;
  const results = [...result.results.slice(0, -1), changed(last, { constants, verdict })];
  return changed(result, { verdict: null, results });
}

/** The last of several values that a function gives back together, or the only one. */
function lastOf(value: Shape): Shape {
  return value.results?.at(-1) ?? value;
}

/** Whether a result may count as true or false; a missing one is false. */
function mayBe(value: Shape, truth: boolean): boolean {
  if (value === END) return !truth;
  if (value.isPresent) return truth;
  const isMissing = value.constants?.every((one) => one === null || one === false) === true;
  if (isMissing) return !truth;
  const known = truthOf(value);
  if (value.constants !== null && known === null) return truth || value.constants.includes(null);
  return known === null || known === truth;
}

/** The methods that a call on an object of a class may run: its own, and overriding methods. */
export function methodsOf(
  run: Run,
  id: ClassId,
  name: string,
  count: number,
  isOpen: boolean,
): readonly FunctionDeclaration[] {
  const own = methodOf(run, id, name, count);
  const found = own === null || own.body === null ? [] : [own];
  if ((!isOpen && own?.body !== null) || own?.isPrivate === true || own?.isStatic === true) {
    return found;
  }
  for (const one of run.module.classes) {
    if (one.id === id || !extendsClass(run, one.id, id)) continue;
    const other = methodOf(run, one.id, name, count);
    if (other === null || other.body === null || found.includes(other)) continue;
    if (found.length < IMPLEMENTATIONS_MAX) found.push(other);
    else run.lose('a call may be of more methods than are followed', run.here);
  }
  return found;
}

function extendsClass(run: Run, id: ClassId, base: ClassId): boolean {
  const seen = new Set<ClassId>();
  const waiting = [id];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === base) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    for (const { own } of run.classOf(at)?.bases ?? []) if (own !== null) waiting.push(own);
  }
  return false;
}

/** The method of a class or of its bases, by its name and number of parameters. */
export function methodOf(
  run: Run,
  id: ClassId,
  name: string,
  count: number,
): FunctionDeclaration | null {
  const key = `${id} ${count} ${name}`;
  const known = run.methods.get(key);
  if (known !== undefined) return known;
  const found = findMethod(run, id, name, count, new Set());
  run.methods.set(key, found);
  return found;
}

function findMethod(
  run: Run,
  id: ClassId,
  name: string,
  count: number,
  seen: Set<ClassId>,
): FunctionDeclaration | null {
  const declared = run.classOf(id);
  if (declared === null || seen.has(id)) return null;
  seen.add(id);
  const own = run.methodsNamed(declared, name);
  const fits = own.filter(({ parameters }) => {
    const isRest = parameters.at(-1)?.isRest === true;
    return parameters.length === count || (isRest && count >= parameters.length - 1);
  });
  const [first] = fits.length > 0 ? fits : own;
  if (first !== undefined && (first.body !== null || name === '<init>')) return first;
  for (const base of declared.bases) {
    if (base.own === null) continue;
    const found = findMethod(run, base.own, name, count, seen);
    if (found !== null && (found.body !== null || first === undefined)) return found;
  }
  return first ?? null;
}

/** Makes an object of a class of the file: fields, then its constructor. */
export function instantiate(
  run: Run,
  id: ClassId,
  args: readonly Shape[],
  named: ReadonlyMap<string, Shape> = NO_FIELDS,
): Shape {
  const declared = run.classOf(id);
  if (declared === null) return derive(args);
  // Of an enumeration it is a value of the program, or an error.
  if (declared.kind === 'enum' && run.knowledge.traits.has('self')) return TRUSTED;
  const made = run.make('instance', { type: id, isOpen: !run.mayFill() });
  const self: Shape = changed(made.shape, { path: basePath(run, id) });
  if (run.making.size > TAINT.CALL_DEPTH_MAX * 4 || run.making.has(id)) {
    return changed(self, { origins: derive(args).origins });
  }
  run.making.add(id);
  fillFields(run, id, self, new Set());
  const maker = methodOf(run, id, '<init>', args.length);
  if (maker !== null) run.parts.follow(run, maker.id, args, self, named);
  else writeFields(run, declared, self, named);
  // Its methods see the variables around it as they are now, from wherever they are called.
  if (!run.knowledge.traits.has('keys') && run.surroundingsOf(id).isLocal) {
    for (const method of declared.functions) run.lookAgain(method);
  }
  // A base that nobody sees keeps what it is given: an error its message.
  const isKept = maker === null && args.length > 0 && run.knowledge.traits.has('self');
  const kept = isKept ? derive(args.map((one) => run.flat(one))).origins : [];
  run.making.delete(id);
  return kept.length === 0 ? self : changed(self, { origins: kept });
}

const NO_FIELDS: ReadonlyMap<string, Shape> = new Map();

/** Fields that an object is written with. */
function writeFields(
  run: Run,
  { fields, bases }: ClassDeclaration,
  self: Shape,
  named: ReadonlyMap<string, Shape>,
): void {
  for (const [name, value] of named) {
    // What is embedded is a part of the object itself, unless it may be one of several types.
    const base = bases.find((one) => one.name === name);
    if (base !== undefined) {
      for (const [, { cells }] of run.objectsOf(value)) {
        for (const [key, cell] of cells) run.write(self, key, cell);
      }
      if (base.own !== null && run.classOf(base.own)?.kind === 'class') continue;
    }
    const field = fields.find((one) => one.name === name);
    run.write(
      self,
      name,
      field === undefined ? value : typedAs(run, typeOnly(run, field.type), value),
    );
  }
}

/** The fields of a class and its bases as they are declared, and blocks that run with them. */
function fillFields(run: Run, id: ClassId, self: Shape, seen: Set<ClassId>): void {
  const declared = run.classOf(id);
  if (declared === null || seen.has(id)) return;
  seen.add(id);
  for (const { own } of declared.bases) if (own !== null) fillFields(run, own, self, seen);
  const outer = run.state.get(declared.self);
  run.state.set(declared.self, self);
  for (const field of declared.fields) {
    if (field.isStatic || field.initial === null) continue;
    const value = typedAs(run, typeOnly(run, field.type), run.evaluate(field.initial));
    run.write(self, field.name, run.firstValue(declared.self, value, field.name));
  }
  for (const one of declared.initializers) {
    if (run.functionOf(one)?.isStatic === false) run.parts.follow(run, one, [], self);
  }
  if (outer !== undefined) run.state.set(declared.self, outer);
}

/** A method of an object of the file. */
export function callObject(
  run: Run,
  name: string,
  object: Shape,
  args: readonly Shape[],
): Shape | null {
  const results = run.objectsOf(object).flatMap(([id, { type, isOpen }]) => {
    if (type === null || object.ownClass !== null) return [];
    const self = { ...object, objects: [id] };
    return methodsOf(run, type, name, args.length, isOpen).map((method) =>
      run.parts.follow(run, method.id, args, self),
    );
  });
  return results.length === 0 ? null : joinAll(results);
}

/** What a method of an object gives that stands for an operator; null: it has no such method. */
export function specialResult(
  run: Run,
  word: string,
  object: Shape,
  args: readonly Shape[],
): Shape | null {
  const name = run.knowledge.word(word);
  return name === '' || object.objects.length === 0 ? null : callObject(run, name, object, args);
}
