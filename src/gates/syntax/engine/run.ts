import { AST_GATE, TAINT } from '../../limits.ts';
import type {
  ClassDeclaration,
  ClassId,
  Constant,
  Expression,
  Field,
  FunctionDeclaration,
  FunctionId,
  Module,
  Parameter,
  Span,
  Statement,
  Variable,
} from '../il/il.ts';
import { TOO_DEEP } from '../parse/tree.ts';
import type { Danger } from '../sinks/sink.ts';
import { plainWriters, typedLater } from './answer-types.ts';
import type { Judged } from './catalogue-lines.ts';
import { changedVariables, placesSetByOthers } from './changed-variables.ts';
import { exportedFunctions, type HowExported } from './exports.ts';
import type { Knowledge } from './knowledge.ts';
import { filled, type HeapObject, heapObject, State, withCell } from './state.ts';
import {
  at,
  type Closure,
  changed,
  constantOf,
  dropped,
  eachOnce,
  hasSameOrigins,
  isOutside,
  isTainted,
  join,
  joinAll,
  type ObjectId,
  type Origin,
  originsIn,
  type Place,
  type Shape,
  UNKNOWN,
} from './value.ts';

/** Calls within calls that are followed. */
const CALLS_DEEP_MAX = 20;
/** Fields of objects of data that are kept apart: types within types double at each step. */
const FIELDS_MAX = 10_000;
/** Objects that one object holds, others in between, whose data is looked for. */
const REACHED_MAX = 1_000;
/** Objects of one expression within loops that are kept apart. */
const MADE_AT_MAX = 8;
const CUT = 'a value may be more objects or functions than are kept';

/**
 * Gets to see what data from outside reaches: the places of the callee and of the argument. Where
 * these stand in another file they are `beyond`, and both places are where the file leads there.
 */
export type Report = (danger: Danger, at: Span, last: Span, name: string, beyond?: Span) => void;

/** How a class stands for the program's own objects. */
export interface Self {
  readonly shape: Shape;
  readonly id: ObjectId;
}

/** A call with its arguments evaluated. */
export interface Call {
  readonly expression: Expression & { readonly form: 'call' | 'new' | 'apply' };
  /** The last name of what is called. */
  readonly name: string;
  /** Its path from a package; null: nothing in view says it. */
  readonly path: string | null;
  readonly receiver: Shape | null;
  /** How the receiver is written, by names alone; null: otherwise. */
  readonly receiverPath: string | null;
  readonly args: readonly Shape[];
  /** By their names, and constants that switch something on. */
  readonly options: ReadonlyMap<string, Shape>;
  /** What is called, as a value. */
  readonly called: Shape;
  /** Its name is declared in view, as something that was not imported. */
  readonly isDeclared: boolean;
  readonly isNew: boolean;
  /** The same with the context before its arguments; missing: no context stands there. */
  readonly whole?: Call;
}

/** How a server calls a function that is registered for a route. */
export interface Route {
  /** Names in the path of the route, with what may stand there: `str`, `int`, `path`. */
  readonly inPath: ReadonlyMap<string, string>;
  /** Parameters that are not in the path are data as well. */
  readonly takesAll: boolean;
}

/** A call that gate 1 may report by its line, and whether every evaluation knew what it gets. */
export interface Settled {
  readonly call: Call['expression'];
  readonly cwe: string;
  /** Names of options that count. */
  readonly options: Set<string>;
  isKnown: boolean;
}

/** A call that may be a danger with what a caller gives. */
export interface Reach {
  readonly call: Call;
  readonly at: Span;
  readonly last: (argument: number) => Span;
  /** Lines of the catalogue that say what the call does. */
  readonly lines: readonly Judged[];
}

/** An end of the function that is being evaluated. */
export interface Exit {
  readonly state: State;
  readonly value: Shape;
}

/** A statement that `break` and `continue` may leave. */
export interface Target {
  readonly label: string | null;
  readonly kind: 'loop' | 'switch' | 'block';
  readonly base: State;
  round: State;
  readonly breaks: State[];
  readonly continues: State[];
}

/** A function that is being evaluated. */
export interface Frame {
  readonly base: State;
  readonly exits: Exit[];
  readonly targets: Target[];
  /** Calls that data of its parameters reaches. */
  readonly reaches: Reach[];
  /** What it yields. */
  readonly yields: Shape[];
  /** What a server does with what it gives back: lines of the catalogue; null: nothing. */
  readonly answers: readonly Judged[] | null;
  /** Its annotations say that it answers with HTML. */
  readonly isPage?: boolean;
  /** Its own variables: from the first up to the last; missing: the variables of the module. */
  readonly own?: readonly [Variable, Variable];
}

/** How the parts of the engine call each other. */
export interface Parts {
  evaluate(run: Run, expression: Expression): Shape;
  /** Executes statements in order; true when none after them is reached. */
  execute(run: Run, body: readonly Statement[]): boolean;
  /** Follows a call into a function of the file; `options`: arguments by parameters' names. */
  follow(
    run: Run,
    id: FunctionId,
    args: readonly Shape[],
    self: Shape | null,
    options?: ReadonlyMap<string, Shape>,
  ): Shape;
  /** Calls a function that is a value. */
  invoke(run: Run, closure: Closure, args: readonly Shape[], call: Call | null): Shape;
  /** The method of a class or of its bases, by its name and number of parameters. */
  methodOf(run: Run, type: ClassId, name: string, count: number): FunctionDeclaration | null;
  /** What a field of an object holds that was made elsewhere. */
  fieldOf(run: Run, type: ClassId, name: string): Shape | null;
  /** The assignment by which a function writes wherever keys lead; null when absent. */
  pollutionOf(run: Run, declared: FunctionDeclaration): Flaw | null;
  pollutionOfBlock(run: Run): Flaw | null;
}

/** A call that the program does not write. */
const NO_CALL = { name: '' } as Call;
/** Evaluations, beside those due to the length of the text, before loops have one round each. */
const NODES_MAX = 100_000;
/** Names of other files that are asked for at once. */
const ASKED_MAX = 200;
const NO_METHODS: readonly never[] = [];
const NO_OBJECTS: readonly never[] = [];

/** One pass over a module: where it stands, and what it has seen. */
export class Run {
  state = new State(null);
  frame: Frame = {
    base: this.state,
    exits: [],
    targets: [],
    reaches: [],
    yields: [],
    answers: null,
  };
  /** Functions that are being evaluated. */
  readonly active = new Set<FunctionId>();
  /** Functions that were followed from a call, with all that it gave. */
  readonly followed = new Set<FunctionId>();
  /** Functions that are given to a server. */
  readonly served = new Set<FunctionId>();
  /** Methods of objects that a server calls for each request: all that they are given is data. */
  readonly servedMethods = new Set<FunctionId>();
  /** What methods assign to fields of objects that are made elsewhere: `class.field`. */
  readonly assigned = new Map<string, Shape>();
  hasNewAssigned = false;
  /** Types of variables that hold numbers and the like. */
  readonly types = new Map<Variable, Shape>();
  /** What was thrown in what is being tried; null: nothing is tried, or it is of no use. */
  thrown: Shape[] | null = null;
  /** Data that functions put into variables of the module. */
  readonly shared = new Map<Variable, Shape>();
  /** Functions that servers call, with the class of what they give first. */
  readonly registered = new Map<FunctionId, string>();
  /** What the paths say under which they are registered. */
  readonly routes = new Map<FunctionId, Route>();
  /** Functions of other files that get data of a parameter. */
  readonly handedOn = new Map<Variable, Set<string>>();
  /** Functions of other files that the file itself registers, and where. */
  readonly handed = new Map<FunctionId, number>();
  /** Whether one of those is being looked at: what happens there is due to the file itself. */
  isHanding = false;
  /** Functions that are to be looked at by themselves. */
  lookAt: (id: FunctionId) => void = () => undefined;
  /** The same with what is known here, whatever was known of them before. */
  lookAgain: (id: FunctionId) => void = () => undefined;
  /** What fields are made with, where that is the same for all objects: `class.field`. */
  readonly initials = new Map<string, Shape>();
  /** Classes of which objects are being made. */
  readonly making = new Set<ClassId>();
  /** The state before any function runs. */
  root = this.state;
  /** Fields whose first values are being evaluated: `class.field`. */
  readonly initial = new Set<string>();
  isInLoop = false;
  /** Loops that are being run, also around the calls that led here. */
  loops = 0;
  /** Calls of functions of the file that were followed. */
  calls = 0;
  /** Expressions and statements evaluated again within such calls. */
  steps = 0;
  /** Expressions and statements evaluated. */
  nodes = 0;
  /** Such calls that are being followed. */
  depth = 0;
  /** Functions that call themselves, and are looked at for any constants. */
  readonly again = new Set<FunctionId>();
  /** Methods that were looked up, by class, number of arguments and name. */
  readonly methods = new Map<string, FunctionDeclaration | null>();
  /** Of classes that were looked up, the path of the first base of another file. */
  readonly basePaths = new Map<ClassId, string | null>();
  /** Fields that were looked up, by class and name, each with the class that declares it. */
  readonly fields = new Map<string, readonly [ClassId, Field] | null>();
  /** Why parts of the module were not followed, each with the offset of the first place. */
  readonly lost = new Map<string, number>();
  /** Offset of the statement that is being executed, and of the last one of the file itself. */
  here = 0;
  ownHere = 0;
  /** Names of other files that data goes to or that a sink is given, with the first place. */
  readonly asked = new Map<string, { readonly at: number; readonly isData: boolean }>();
  /** A function out of sight got an object of the file, and may have put anything into it. */
  sharesObject = false;
  /** Calls that are sinks, and whether all is known of what each evaluation gave them. */
  readonly settled = new Map<string, Settled>();
  /** Places where forms were evaluated that no lowering understood. */
  unknown = 0;
  /** What calls say of the parameters of functions that are given to them. */
  readonly given = new Map<FunctionId, readonly Shape[]>();
  /** Functions that wait for an event and what it is emitted with, by the event. */
  readonly events = new Map<string, Events>();
  /** What the program has put in the place of members of packages, by their paths. */
  readonly replaced = new Map<string, Shape>();
  /** What objects of functions and classes inherit, where the program says so by hand. */
  readonly prototypes = new Map<string, Shape>();
  /** Variables with an element of an object, by a computed key, and how that element is written. */
  readonly elements = new Map<Variable, { readonly key: Shape; readonly text: string }>();
  /** Elements that get an empty object by default, as they are written: `table[key] ||= {}`. */
  readonly madeOnDemand = new Set<string>();
  /** Objects whose members functions are that have `this` of their own. */
  readonly holders = new Map<FunctionId, Shape>();
  /** Such functions of the block that is being executed, which may call others behind them. */
  members: FunctionId[] = [];
  /** Members called before an object had them, as `variable.name`, and whether it got them. */
  readonly calledEarly = new Map<string, boolean>();
  /** How many of these have got one since all functions were looked at. */
  calledEarlyNew = 0;
  /** Data that functions left for others, by its place and the name there. */
  readonly sharedState = new Map<string, Map<string, Shape>>();
  /** Data was given to functions out of sight, and whether sinks are shown that now. */
  hasPassed = false;
  showsPassed = false;
  /** More budget remains: functions that were looked at before may give it. */
  hasNewSharedState = false;
  /** What the promise that is being made was given as its result. */
  resolvedWith: Shape[] = [];
  /** What is called with the object that is being evaluated as its argument. */
  taker: Call | null = null;
  /**
   * What a function gave back that was looked at by itself; null: it was not, or `isOfObject` and
   * it gives back an object, which may be its argument.
   */
  resultOf: (id: FunctionId, isOfObject?: boolean) => Shape | null = () => null;
  /** Names of methods of all classes, and whether one of that name is a getter or setter. */
  #methodNames: Map<string, boolean> | null = null;
  #declared: ReadonlySet<string> | null = null;
  #patched: ReadonlySet<string> | null = null;
  #surroundings: ReadonlyMap<ClassId, Surroundings> | null = null;
  #exported: ReadonlyMap<FunctionId, HowExported> | null = null;
  #changed: ReadonlySet<Variable> | null = null;
  #setByOthers: ReadonlySet<number | string> | null = null;
  #plainAnswers: ReadonlySet<Expression> | null = null;
  #plainWriters: ReadonlyMap<Variable, number> | null = null;
  #parameters: ReadonlyMap<Variable, Parameter> | null = null;
  #bodies: ReadonlyMap<number, string> | null = null;
  /** Whether functions let keys of data reach a prototype, so far as anyone asked. */
  readonly #polluting = new Map<FunctionId, boolean>();
  readonly #constants = new Map<Constant, Shape>();
  readonly #named = new Map<string, Shape>();
  readonly #written = new Map<RegExp, boolean>();
  /** Expressions and blocks that are being evaluated. */
  levels = 0;
  #objects = 0;
  /** The last object that stood before the function that is looked at by itself. */
  #madeBefore: ObjectId = 0;
  #filled = 0;
  /** Objects that the expression at each offset has made. */
  readonly #madeAt = new Map<number, readonly ObjectId[]>();
  readonly #classObjects = new Map<ClassId, ObjectId>();
  readonly #methods = new Map<ClassId, Map<string, FunctionDeclaration[]>>();

  readonly module: Module;
  readonly knowledge: Knowledge;
  readonly parts: Parts;
  readonly report: Report;
  readonly lineAt: (offset: number) => number;
  readonly text: string;
  /** Length of the text of the file itself, which comes first. */
  readonly ownLength: number;
  /** Texts of files of settings, by the names that the program has for them. */
  readonly data: ReadonlyMap<string, string>;

  constructor(
    module: Module,
    text: string,
    knowledge: Knowledge,
    parts: Parts,
    lineAt: (offset: number) => number,
    report: Report,
    ownLength: number,
    data: ReadonlyMap<string, string>,
  ) {
    this.ownLength = ownLength;
    this.data = data;
    this.module = module;
    this.text = text;
    this.knowledge = knowledge;
    this.parts = parts;
    this.lineAt = lineAt;
    this.report = report;
  }

  evaluate(expression: Expression): Shape {
    if (this.levels >= AST_GATE.LEVELS_MAX) {
      this.lose(TOO_DEEP, expression.start);
      return UNKNOWN;
    }
    this.levels += 1;
    const value = this.parts.evaluate(this, expression);
    this.levels -= 1;
    return value;
  }

  execute(body: readonly Statement[]): boolean {
    if (this.levels >= AST_GATE.LEVELS_MAX) {
      this.lose(TOO_DEEP, body[0]?.start ?? this.here);
      return false;
    }
    this.levels += 1;
    const isOver = this.parts.execute(this, body);
    this.levels -= 1;
    return isOver;
  }

  /** Counts an expression or a statement that is evaluated. */
  count(): void {
    if (this.depth > 0) this.steps += 1;
    this.nodes += 1;
  }

  placeOf(offset: number): Place {
    return { line: this.lineAt(offset), offset };
  }

  textOf({ start, end }: Span): string {
    return this.text.slice(start, end);
  }

  /** A value that the text says, the same shape each time. */
  constantOf(value: Constant): Shape {
    let known = this.#constants.get(value);
    if (known === undefined) {
      known = constantOf(value);
      this.#constants.set(value, known);
    }
    return known;
  }

  /** The same for a name of which only the path is known. */
  at(path: string): Shape {
    let known = this.#named.get(path);
    if (known === undefined) {
      known = at(path);
      this.#named.set(path, known);
    }
    return known;
  }

  functionOf(id: FunctionId): FunctionDeclaration | null {
    return this.module.functions[id] ?? null;
  }

  /** Whether a function of the program has that name: its body says what it checks. */
  declares(name: string): boolean {
    const shown = () => this.module.functions.filter(({ body }) => body !== null);
    this.#declared ??= new Set(shown().map((declared) => declared.name));
    return this.#declared.has(name);
  }

  /** Notes the statement that is executed from now on. */
  enter(offset: number): void {
    this.here = offset;
    if (this.isOwnPlace(offset)) this.ownHere = offset;
  }

  /** Whether a place is of the file itself, not of an imported file. */
  isOwnPlace(offset: number): boolean {
    return offset < this.ownLength;
  }

  /** Whether a function is of the file itself. */
  isOwnFunction(id: FunctionId): boolean {
    return this.isOwnPlace(this.functionOf(id)?.start ?? 0);
  }

  /**
   * Asks for what stands behind a name that nothing in view explains; of the package of the file it
   * begins with `./`.
   */
  ask(name: string, at: number, isData: boolean): void {
    const plain = name.replace(/^new /, '').replaceAll('()', '');
    const before = this.asked.get(plain);
    if (before === undefined ? this.asked.size >= ASKED_MAX : before.isData || !isData) return;
    this.asked.set(plain, { at, isData });
  }

  /** Functions of a class itself by their name, in their order. */
  methodsNamed({ id, functions }: ClassDeclaration, name: string): readonly FunctionDeclaration[] {
    let byName = this.#methods.get(id);
    if (byName === undefined) {
      byName = new Map();
      for (const one of functions) {
        const found = this.functionOf(one);
        if (found === null) continue;
        const same = byName.get(found.name);
        if (same === undefined) byName.set(found.name, [found]);
        else same.push(found);
      }
      this.#methods.set(id, byName);
    }
    return byName.get(name) ?? NO_METHODS;
  }

  /** Calls that make an answer to which a later statement gives a media type without scripts. */
  get plainAnswers(): ReadonlySet<Expression> {
    this.#plainAnswers ??= typedLater(this.module, this.knowledge);
    return this.#plainAnswers;
  }

  /** Variables of answers with a media type without scripts, and from which offset on. */
  get plainWriters(): ReadonlyMap<Variable, number> {
    this.#plainWriters ??= plainWriters(this.module, this.knowledge);
    return this.#plainWriters;
  }

  /** The parameters of all functions. */
  get parameters(): ReadonlyMap<Variable, Parameter> {
    this.#parameters ??= new Map(
      this.module.functions.flatMap(({ parameters }) =>
        parameters.map((one) => [one.variable, one] as const),
      ),
    );
    return this.#parameters;
  }

  /** Parameters that hold the body of a request, by the offsets where they stand. */
  get bodies(): ReadonlyMap<number, string> {
    this.#bodies ??= new Map(
      [...this.parameters.values()]
        .filter(({ annotations }) => annotations.some(({ name }) => name.endsWith('Body')))
        .map(({ start, name }) => [start, name]),
    );
    return this.#bodies;
  }

  /** Whether a class has a method of that name, or a getter or setter. */
  namesMethod(name: string, isAccessor = false): boolean {
    if (this.#methodNames === null) {
      this.#methodNames = new Map();
      const all = this.module.classes.flatMap(({ functions }) => functions);
      for (const declared of all.map((id) => this.functionOf(id))) {
        if (declared === null) continue;
        const { name: own, kind } = declared;
        const known = this.#methodNames.get(own) === true;
        this.#methodNames.set(own, known || kind === 'getter' || kind === 'setter');
      }
    }
    const found = this.#methodNames.get(name);
    return isAccessor ? found === true : found !== undefined;
  }

  classOf(id: ClassId): ClassDeclaration | null {
    return this.module.classes[id] ?? null;
  }

  /** Where a class stands: in a function, whose variables its methods see, and in which classes. */
  surroundingsOf(id: ClassId): Surroundings {
    this.#surroundings ??= surroundingsIn(this.module);
    return this.#surroundings.get(id) ?? { isLocal: false, classes: [] };
  }

  /** Runs something in a state of its own; gives its result and that state. */
  branch<T>(base: State, inner: () => T): { readonly result: T; readonly state: State } {
    const outer = this.state;
    const state = base.fork();
    this.state = state;
    try {
      return { result: inner(), state };
    } finally {
      this.state = outer;
    }
  }

  /** Remembers that a bound cut something off; `reason` is a part of a sentence. */
  lose(reason: string, at: number): void {
    if (!this.lost.has(reason)) this.lost.set(reason, at);
  }

  /** Notes data that a function puts into a variable that is not its own. */
  share(variable: Variable, value: Shape): void {
    const { own } = this.frame;
    if (own === undefined || (variable >= own[0] && variable < own[1])) return;
    if (!value.origins.some(({ strength }) => strength === 'strong')) return;
    const before = this.shared.get(variable);
    const after = before === undefined ? value : join(before, value);
    if (before !== undefined && after.origins.length === before.origins.length) return;
    this.shared.set(variable, changed(after, { objects: [], closures: [] }));
    this.hasNewAssigned = true;
  }

  /** Whether one more field of an object of data may be kept apart from the others. */
  mayFill(): boolean {
    this.#filled += 1;
    return this.#filled <= FIELDS_MAX;
  }

  /** Whether a loop may have more rounds than each has. */
  mayRepeat(): boolean {
    return this.nodes < NODES_MAX + 2 * this.text.length;
  }

  /** Whether a function may be followed once more. */
  mayFollow(): boolean {
    const { calls, depth, steps } = this;
    return calls < TAINT.CALLS_MAX && depth < CALLS_DEEP_MAX && steps < TAINT.STEPS_MAX;
  }

  /** Makes an object; all that is not given of it is empty. */
  make(kind: HeapObject['kind'], parts: Partial<Omit<HeapObject, 'kind'>> = {}): Self {
    this.#objects += 1;
    const id = this.#objects;
    this.state.setObject(id, heapObject(kind, parts));
    return { id, shape: changed(UNKNOWN, { objects: [id] }) };
  }

  /**
   * Makes an object by the expression at an offset. A list of linked nodes has more of them with
   * each round, each of which may be the next of all others: of too many the last one stands for
   * all further ones.
   */
  makeAt(offset: number, kind: 'instance' | 'table', parts: Partial<HeapObject>): Shape {
    const made = this.#madeAt.get(offset) ?? [];
    const standing =
      this.loops === 0 ? [] : made.filter((id) => this.state.object(id)?.kind === kind);
    const last = standing.length < MADE_AT_MAX ? undefined : standing.at(-1);
    if (last !== undefined) {
      this.state.setObject(last, heapObject(kind, { ...parts, isMany: true }));
      return changed(UNKNOWN, { objects: [last] });
    }
    const { id, shape } = this.make(kind, parts);
    this.#madeAt.set(offset, [...made, id]);
    return shape;
  }

  /** The object that holds the static fields of a class. */
  classObject(type: ClassId): ObjectId {
    const known = this.#classObjects.get(type);
    if (known !== undefined) {
      const isGone = this.state.object(known) === undefined;
      if (isGone) this.state.setObject(known, heapObject('instance', { type, isOpen: true }));
      return known;
    }
    const { id } = this.make('instance', { type, isOpen: true });
    this.#classObjects.set(type, id);
    return id;
  }

  /** The objects that a value may be. */
  objectsOf(shape: Shape): readonly (readonly [ObjectId, HeapObject])[] {
    if (shape.ownClass === null && shape.objects.length === 0) return NO_OBJECTS;
    if (shape.isCut && !this.lost.has(CUT) && this.#holdsData(shape)) this.lose(CUT, this.here);
    const ids = shape.ownClass === null ? shape.objects : [this.classObject(shape.ownClass)];
    const found: (readonly [ObjectId, HeapObject])[] = [];
    for (const id of ids) {
      const object = this.state.object(id);
      if (object !== undefined) found.push([id, id <= this.#madeBefore ? filled(object) : object]);
    }
    return found;
  }

  /** Looks at a function by itself: what stands now was made before it runs. */
  atItsTime<Result>(look: () => Result): Result {
    const before = this.#madeBefore;
    this.#madeBefore = this.#objects;
    try {
      return look();
    } finally {
      this.#madeBefore = before;
    }
  }

  /** Reports functions that a value may be and that are not followed with data. */
  loseFunctions({ isCut, closures }: Shape, args: readonly Shape[]): void {
    if (isCut && closures.length > 0 && args.some((one) => isOutside(this.flat(one)))) {
      this.lose(CUT, this.here);
    }
  }

  /** Whether one of the objects has data from outside in it: lists of literals are long. */
  #holdsData(shape: Shape): boolean {
    return [...shape.objects, ...dropped(shape)].some((id) => {
      const object = this.state.object(id);
      return object !== undefined && this.contentsOf(object).some(isOutside);
    });
  }

  /** What a field or key of an object holds; null: it has none. */
  cellOf(id: ObjectId, object: HeapObject, key: string): Shape | null {
    const known = object.cells.get(key);
    if (known !== undefined) return known;
    if (object.kind === 'instance' && object.isOpen && object.type !== null) {
      const made = this.parts.fieldOf(this, object.type, key);
      const field = made === null ? null : this.#folded(made, id, object);
      for (const one of field?.objects ?? []) {
        const held = this.state.object(one);
        if (held !== undefined) this.state.setObject(one, filled(held));
      }
      // What the field holds is the same object each time.
      if (field !== null && field.objects.length > 0) {
        const cells = new Map(this.state.object(id)?.cells).set(key, field);
        this.state.setObject(id, { ...object, cells });
      }
      if (field !== null) return field;
    }
    return object.rest;
  }

  /** The next of objects of one class that nobody knows apart, `node.next`, is the same one. */
  #folded(field: Shape, id: ObjectId, { type }: HeapObject): Shape {
    const isSame = field.objects.every((one) => {
      const object = this.state.object(one);
      return object?.type === type && object.isOpen && object.cells.size === 0;
    });
    return isSame && field.objects.length > 0 ? { ...field, objects: [id] } : field;
  }

  /** Writes a field or key; of one of several objects it may hold the old value as well. */
  write(shape: Shape, key: string, value: Shape): void {
    const kept = this.state.settled(value);
    const objects = this.objectsOf(shape);
    for (const [id, object] of objects) {
      const before = objects.length > 1 ? this.cellOf(id, object, key) : null;
      this.state.setObject(id, withCell(object, key, before === null ? kept : join(before, kept)));
      if (object.isOpen && object.type !== null) this.#assign(object.type, key, kept);
    }
  }

  /** Puts a value into a variable or field. */
  assign(place: Expression, value: Shape): void {
    if (place.form === 'load') this.state.set(place.variable, value);
    else if (place.form === 'member') this.write(this.evaluate(place.object), place.name, value);
  }

  /** Data that is put into a field of an object is seen by all methods of its class. */
  #assign(type: ClassId, name: string, value: Shape): void {
    const isData = value.origins.some(({ strength }) => strength === 'strong');
    if (!isData && value.path === null) return;
    const key = `${type}.${name}`;
    const before = this.assigned.get(key);
    const after = before === undefined ? value : join(before, value);
    const isNew = before === undefined || !hasSameOrigins(before.origins, after.origins);
    if (!isNew) return;
    // An object is known in its own flow only.
    this.assigned.set(key, changed(after, { objects: [], closures: [] }));
    this.hasNewAssigned ||= isData;
  }

  /** All that may be in an object. */
  contentsOf({ kind, cells, rest }: HeapObject): Shape[] {
    if (kind === 'product') return [];
    return rest === null ? [...cells.values()] : [...cells.values(), rest];
  }

  /** Any element of a value. */
  elementOf(shape: Shape): Shape {
    const objects = this.objectsOf(shape).filter(
      ([, { kind }]) => kind !== 'instance' && kind !== 'product',
    );
    if (objects.length > 0) {
      const inner = objects.flatMap(([, object]) => this.contentsOf(object));
      const own = shape.origins.length > 0 ? [changed(UNKNOWN, { origins: shape.origins })] : [];
      return joinAll([...inner, ...own]);
    }
    if (shape.origins.length > 0) return changed(UNKNOWN, { origins: shape.origins });
    if (shape.isTrusted) return changed(shape, { constants: null });
    // What a package keeps together is of one kind.
    return shape.path === null ? UNKNOWN : changed(UNKNOWN, { path: shape.path });
  }

  /** The value with the data of all that it holds. */
  flat(shape: Shape): Shape {
    if (shape.objects.length === 0) return shape;
    const found = new Set<Origin>();
    // Whether all that is in it is the program's own.
    let isOwn = this.knowledge.traits.has('keys');
    this.#reach(shape, new Set(), (one, objects) => {
      isOwn &&= one.isTrusted || one.objects.length > 0;
      isOwn &&= objects.every(([, { isOpen }]) => !isOpen);
      for (const origin of originsIn(one)) found.add(origin);
      return true;
    });
    if (found.size > 0) return changed(shape, { origins: eachOnce([...found]) });
    return isOwn && !shape.isTrusted ? changed(shape, { isTrusted: true }) : shape;
  }

  /** Whether any of several objects has data from outside in it, at any depth. */
  reachesData(ids: readonly ObjectId[]): boolean {
    const seen = new Set<ObjectId>();
    return ids.some((id) => {
      let isData = false;
      this.#reach(changed(UNKNOWN, { objects: [id] }), seen, (one) => {
        isData = isTainted(one);
        return !isData;
      });
      return isData;
    });
  }

  /** Walks through a value and all that is in it, but in no object seen before, until false. */
  #reach(
    shape: Shape,
    seen: Set<ObjectId>,
    look: (one: Shape, objects: ReturnType<Run['objectsOf']>) => boolean,
  ): void {
    const walked = new Set<Shape>();
    const waiting = [shape];
    const last = seen.size + REACHED_MAX;
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (walked.has(one)) continue;
      walked.add(one);
      const objects = this.objectsOf(one);
      if (!look(one, objects)) return;
      for (const [id, object] of objects) {
        if (seen.has(id)) continue;
        seen.add(id);
        waiting.push(...this.contentsOf(object));
      }
      if (seen.size > last) {
        this.lose('an object holds more objects than are looked through', this.here);
        return;
      }
    }
  }

  /** Whether a pattern matches somewhere in the text; the answer is kept. */
  isWritten(pattern: RegExp): boolean {
    const known = this.#written.get(pattern) ?? pattern.test(this.text);
    this.#written.set(pattern, known);
    return known;
  }

  /** Whether the text assigns a global or a method of a prototype of that name again. */
  isPatched(name: string): boolean {
    this.#patched ??= patchedIn(this.text, this.knowledge);
    return this.#patched.size > 0 && (this.#patched.has(name) || this.#patched.has(EVERY_NAME));
  }

  /** Whether functions of other files can call it. */
  isExported(id: FunctionId): boolean {
    return this.howExported(id) !== null;
  }

  /** How other files come to call a function; null: they do not. */
  howExported(id: FunctionId): HowExported | null {
    this.#exported ??= exportedFunctions(this.module);
    return this.#exported.get(id) ?? null;
  }

  /** Whether anything in the text changes the list or object that an expression names. */
  isChanged(expression: Expression | null | undefined): boolean {
    if (expression?.form !== 'load') return false;
    this.#changed ??= changedVariables(this.module, this.knowledge);
    return this.#changed.has(expression.variable);
  }

  /** Whether a variable is of the function that runs, and of no other that sets it. */
  isOwnVariable(variable: Variable): boolean {
    const [first, end] = this.frame.own ?? [0, 0];
    if (variable < first || variable >= end) return false;
    return !this.#isSetByOthers(variable);
  }

  #isSetByOthers(place: number | string): boolean {
    this.#setByOthers ??= placesSetByOthers(this.module);
    return this.#setByOthers.has(place);
  }

  /** The first value of a place, without its constant where a function sets that place later. */
  firstValue(variable: Variable, value: Shape, member: string | null = null): Shape {
    const { constants } = value;
    if (constants === null || constants[0] === null || !this.knowledge.traits.has('keys')) {
      return value;
    }
    const isSet = this.#isSetByOthers(member === null ? variable : `${variable}.${member}`);
    return isSet ? changed(value, { constants: null }) : value;
  }

  /** Whether a function copies keys of one object into another, whatever they are. */
  pollutes(id: FunctionId): boolean {
    const known = this.#polluting.get(id);
    if (known !== undefined) return known;
    const declared = this.functionOf(id);
    const { pollution } = this.knowledge;
    if (declared === null || pollution === null) return false;
    const flaw = this.parts.pollutionOf(this, declared);
    this.#polluting.set(id, flaw !== null);
    if (flaw === null) return false;
    this.report(pollution(flaw.isRead), flaw.at, flaw.at, declared.name || 'a function');
    return true;
  }

  /** Reports the same of statements outside of functions. */
  checkBlock(): void {
    const { pollution } = this.knowledge;
    const flaw = pollution === null ? null : this.parts.pollutionOfBlock(this);
    if (pollution !== null && flaw !== null) {
      this.report(pollution(flaw.isRead), flaw.at, flaw.at, 'a function');
    }
  }

  /** Puts one more element into lists, at any place. */
  addTo(shape: Shape, value: Shape): void {
    for (const [id, object] of this.objectsOf(shape)) {
      const kept = this.state.settled(value);
      const rest = object.rest === null ? kept : join(object.rest, kept);
      this.state.setObject(id, { ...object, rest, length: null });
    }
  }

  /** The elements of a list whose number is known; null: it is not. */
  elementsOf(shape: Shape): readonly Shape[] | null {
    const [first, ...others] = this.objectsOf(shape);
    if (first === undefined || others.length > 0 || first[1].kind !== 'list') return null;
    const { cells, length } = first[1];
    if (length === null) return null;
    const elements: Shape[] = [];
    for (let index = 0; index < length; index += 1) {
      elements.push(cells.get(String(index)) ?? UNKNOWN);
    }
    return elements;
  }

  /** What a function gives back that stands for a value: a getter. */
  gotFrom(shape: Shape, self: Shape | null = null): Shape {
    const results = shape.closures.map((one) => {
      const bound = one.kind === 'function' && self !== null ? { ...one, self } : one;
      return this.parts.invoke(this, bound, [], NO_CALL);
    });
    return joinAll(results.length === 0 ? [UNKNOWN] : results);
  }

  /** A list that begins with these elements and goes on with others. */
  openList(items: readonly Shape[], rest: Shape): Shape {
    const cells = new Map<string, Shape>();
    const kept = items.slice(0, TAINT.MEMBERS_MAX);
    for (const [index, item] of kept.entries()) cells.set(String(index), item);
    const others = joinAll([rest, ...items.slice(TAINT.MEMBERS_MAX)]);
    return this.make('list', { cells, rest: others }).shape;
  }

  /** A list of such elements whose last one is known. */
  endingList(rest: Shape, last: Shape): Shape {
    return this.make('list', { cells: new Map([['-1', last]]), rest }).shape;
  }

  /** A list with these elements. */
  list(items: readonly Shape[]): Shape {
    if (items.length > TAINT.MEMBERS_MAX) {
      const kept = items.slice(0, TAINT.MEMBERS_MAX);
      return this.openList(kept, joinAll(items.slice(TAINT.MEMBERS_MAX)));
    }
    const cells = new Map(items.map((item, index) => [String(index), item]));
    return this.make('list', { cells, length: items.length }).shape;
  }

  /** A table with these keys. */
  table(cells: ReadonlyMap<string, Shape>, rest: Shape | null): Shape {
    return this.make('table', { cells, rest }).shape;
  }
}

/** What stands around a class. */
interface Surroundings {
  readonly isLocal: boolean;
  readonly classes: readonly ClassDeclaration[];
}

function surroundingsIn({ classes, functions }: Module): ReadonlyMap<ClassId, Surroundings> {
  const found = new Map<ClassId, Surroundings>();
  const all: (ClassDeclaration | FunctionDeclaration)[] = [...functions, ...classes];
  all.sort((left, right) => left.start - right.start || right.end - left.end);
  const open: typeof all = [];
  for (const one of all) {
    while ((open.at(-1)?.end ?? Number.POSITIVE_INFINITY) < one.end) open.pop();
    if ('fields' in one) {
      const around = open.filter((outer) => 'fields' in outer);
      found.set(one.id, { isLocal: around.length < open.length, classes: around });
    }
    open.push(one);
  }
  return found;
}

/** Of one event, by where each stands; `on`: how the emitter is written, '' within its class. */
interface Events {
  readonly handlers: Map<number, { readonly on: string; readonly handler: Shape }>;
  readonly data: Map<number, { readonly on: string; readonly data: readonly Shape[] }>;
}

/** Stands for all names. */
const EVERY_NAME = '*';

/** Names that a text gives to functions of its own which every program has. */
function patchedIn(text: string, { word }: Knowledge): ReadonlySet<string> {
  const found = new Set<string>();
  const pattern = word('patches');
  if (pattern === '' || !new RegExp(word('patch-signs')).test(text)) return found;
  for (const [, ...names] of text.matchAll(new RegExp(pattern, 'g'))) {
    found.add(names.find((name) => name !== undefined) ?? EVERY_NAME);
  }
  return found;
}

/** What a call is of which nothing but a path is known. */
export const PLAIN = {
  receiver: null,
  receiverPath: null,
  called: UNKNOWN,
  isDeclared: false,
  isNew: false,
  options: new Map(),
} as const satisfies Partial<Call>;

/** The assignment that writes wherever keys lead. */
export interface Flaw {
  readonly at: Span;
  /** The keys come out of a text: what is written may be the program's own. */
  readonly isRead: boolean;
}
