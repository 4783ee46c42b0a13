import {
  childrenOf,
  type Expression,
  type FunctionDeclaration,
  type Span,
  type Statement,
  type Variable,
} from '../il/il.ts';
import { dottedName } from './names.ts';
import type { Flaw, Run } from './run.ts';
import { UNKNOWN } from './value.ts';

/** A computed member, by how what holds it and its key are written. */
interface Member {
  readonly target: string;
  readonly key: string;
}

/** What is known of a function's form. */
interface Form {
  /** Names that hold a key of some object, in turn. */
  readonly keys: Set<string>;
  /** `target[key] = value` */
  readonly writes: (Member & { readonly value: Expression | null; readonly at: Span })[];
  /**
   * Computed members given to a call of the function itself; `isAlone`: with no other object that
   * could be merged into it.
   */
  readonly recursions: (Member & { readonly isAlone: boolean })[];
  /** `at = at[key]` */
  readonly descents: Set<string>;
  /** Names given to a call of the function itself. */
  readonly passed: Set<string>;
  /** `const inner = at[key]` */
  readonly aliases: Map<string, Member>;
  /** `const other = test ? inner : {}`: by a name, the names that it may stand for. */
  readonly copies: Map<string, Set<string>>;
  /** Names that get numbers and nothing else lead to elements of a list. */
  readonly numbers: Set<string>;
  readonly others: Set<string>;
  /** Targets of `hasOwnProperty`. */
  readonly owned: Set<string>;
  readonly parameters: ReadonlySet<string>;
  /** Parameters of the function and of functions within it. */
  readonly innerParameters: Set<string>;
}

/** What functions call, by variable: each call of a function asks for it. */
const CALLEES = new WeakMap<FunctionDeclaration, ReadonlyMap<Variable, Expression>>();

/**
 * Finds the assignment by which a function lets the keys of data reach a prototype: a recursive
 * merge of one object into another, or a setter that walks down a path of keys, when neither
 * refuses the key that leads to it. Null for all other functions.
 */
export function pollutionOf(run: Run, declared: FunctionDeclaration): Flaw | null {
  const { name, body } = declared;
  return flawOf(
    run,
    { name, declared, body: body ?? [], parameters: namesOf(declared) },
    run.textOf(declared),
  );
}

/**
 * The same for statements outside of functions: of a hunk they may be the rest of a function whose
 * begin is not in view. Names that nothing declares count as its parameters.
 */
export function pollutionOfBlock(run: Run): Flaw | null {
  const body = run.module.body.filter(
    (statement) => statement.form !== 'function' && run.isOwnPlace(statement.start),
  );
  const first = body[0];
  const last = body.at(-1);
  if (first === undefined || last === undefined) return null;
  const written = run.textOf({ start: first.start, end: last.end });
  return flawOf(run, { name: null, declared: null, body, parameters: [] }, written);
}

/** A function as it is read; `name` null: it is a block whose function is not in view. */
interface Block {
  readonly name: string | null;
  readonly declared: FunctionDeclaration | null;
  readonly body: readonly Statement[];
  readonly parameters: readonly string[];
}

function flawOf(run: Run, block: Block, written: string): Flaw | null {
  const { knowledge } = run;
  // `constructor.prototype` leads to it as well, where nothing asks for the type on the way.
  const others = written.replaceAll('__proto__', '');
  const isHalfGuarded = others !== written;
  if (!knowledge.is('merge-likely', written) || knowledge.is('merge-guard', others)) return null;
  if (isHalfGuarded && knowledge.is('type-check', written)) return null;
  if (!knowledge.is('merge-loop', written) && !knowledge.is('merge-call', written)) return null;
  const reader = new Reader(run, block, 0);
  const form = reader.read(block.body);
  if (reader.isGuarded) return null;
  const merged = isHalfGuarded ? null : mergeIn(form);
  const given = merged ?? setterIn(run, form, block.name);
  if (given !== null) return { at: given, isRead: isHalfGuarded };
  if (isHalfGuarded) return null;
  const read = knowledge.is('key-path', written) ? walkIn(form) : null;
  return read === null ? null : { at: read, isRead: true };
}

function mergeIn({ writes, keys, owned, recursions }: Form): Span | null {
  for (const { target, key, at } of writes) {
    if (!keys.has(key) || owned.has(target)) continue;
    const descends = recursions.some(
      (call) => call.target === target && call.key === key && !call.isAlone,
    );
    if (descends) return at;
  }
  return null;
}

function namesOf({ parameters }: FunctionDeclaration): string[] {
  return parameters.map(({ name }) => name).filter(Boolean);
}

function setterIn(run: Run, form: Form, name: string | null): Span | null {
  for (const { target, key, value, at } of form.writes) {
    if (form.numbers.has(key) && !form.others.has(key)) continue;
    // `at[key] = unfold(source[path])`
    const isOwn = value?.form === 'apply' && value.name === name && name !== '';
    const values = isOwn ? value.arguments.map((one) => one.value) : [value];
    const isGiven = (names: ReadonlySet<string>) =>
      values.some((one) => {
        if (one === null) return false;
        // In a block, nothing in view declares such a name.
        return givenIn(run, one, names) || (name === null && one.form === 'name');
      });
    // `parent = at; at = at[key]`
    const names = [target, ...(form.copies.get(target) ?? [])];
    const descends = names.some((one) => form.descents.has(one)) && isGiven(form.innerParameters);
    const recurs = form.recursions.some((call) => call.target === target && !call.isAlone);
    const isOpen = descends || (recurs && isGiven(form.parameters));
    if (isOpen && !form.owned.has(target)) return at;
  }
  return null;
}

/** A reader of `a.b.c=1` or `a[b][c]=1`, which writes wherever the keys of its text lead. */
function walkIn({ writes, descents, owned }: Form): Span | null {
  return writes.find(({ target }) => descents.has(target) && !owned.has(target))?.at ?? null;
}

/** Whether a value may be a parameter, or a member of a parameter that a key leads to. */
function givenIn(run: Run, value: Expression, parameters: ReadonlySet<string>): boolean {
  switch (value.form) {
    case 'load':
      return parameters.has(run.module.variables[value.variable] ?? '');
    case 'choose':
      return givenIn(run, value.yes, parameters) || givenIn(run, value.no, parameters);
    case 'cast':
      return givenIn(run, value.value, parameters);
    case 'index':
    case 'member': {
      const target = dottedName(run, value.object) ?? '';
      return parameters.has(target.split('.', 1)[0] ?? '');
    }
    default:
      return false;
  }
}

const FIRST_OF_KEYS = /(?:^|\.)(?:keys|entries|ownKeys|getOwnPropertyNames)$/;
const EACH = /^(?:forEach|each|map|every|some|reduce)$/;
const QUEUED = /^(?:push|unshift|enqueue)$/;
/** Functions of packages that call another one with each value and its key. */
const EACH_MEMBER = /^(?:for(?:Own|In)(?:Right)?|each(?:Own|Member|Property)?|forEachOwn)$/;

/** Different writes, and calls of the function in question, looked at in a function it calls. */
const CALLED_MEMBERS_MAX = 20;

/** Reads the statements of a function and of functions within it. */
class Reader {
  readonly #run: Run;
  readonly #name: string | null;
  readonly #declared: FunctionDeclaration | null;
  readonly #form: Form;
  /** 1 within a function that the one in question calls. */
  readonly #depth: number;
  /** Functions of the file that were called, which is often many times. */
  readonly #called = new Map<FunctionDeclaration, Pick<Form, 'writes' | 'recursions'>>();
  #body: readonly Statement[] = [];
  /** Variables that are declared with a list of literals; null: not looked for yet. */
  #literals: ReadonlySet<Variable> | null = null;
  /** It asks another function of the file, which refuses the key that leads to a prototype. */
  isGuarded = false;
  /** Variables without a name hold what is taken apart: `[key, value]`. */
  readonly #taken = new Set<Variable>();

  /** `name`: of the function in question, to whose calls objects and keys are given. */
  constructor(run: Run, { name, declared, parameters }: Omit<Block, 'body'>, depth: number) {
    this.#run = run;
    this.#name = name;
    this.#declared = declared;
    this.#depth = depth;
    this.#form = {
      keys: new Set(),
      writes: [],
      recursions: [],
      descents: new Set(),
      passed: new Set(),
      aliases: new Map(),
      copies: new Map(),
      numbers: new Set(),
      others: new Set(),
      owned: new Set(),
      parameters: new Set(parameters),
      innerParameters: new Set(parameters),
    };
  }

  read(body: readonly Statement[]): Form {
    this.#body = body;
    // The last write is found first, and counts.
    const waiting: (Statement | Expression)[] = [...body];
    const seen = new Set<number>();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      this.#read(node);
      waiting.push(...childrenOf(node));
      if ((node.form !== 'closure' && node.form !== 'function') || seen.has(node.id)) continue;
      seen.add(node.id);
      const inner = this.#run.functionOf(node.id);
      for (const name of inner === null ? [] : namesOf(inner)) this.#form.innerParameters.add(name);
      waiting.push(...(inner?.body ?? []));
    }
    const { passed, copies, aliases, recursions } = this.#form;
    for (const one of passed) {
      for (const name of [one, ...(copies.get(one) ?? [])]) {
        const member = aliases.get(name);
        if (member !== undefined) recursions.push({ ...member, isAlone: false });
      }
    }
    return this.#form;
  }

  /** A list of keys, or a variable `keys` that holds no list of literals in view. */
  #isKeyList(node: Expression): boolean {
    if (node.form !== 'load') return isKeyList(this.#run, node);
    if (this.#nameOf(node.variable) !== 'keys') return false;
    const [known] = this.#run.objectsOf(this.#run.state.get(node.variable) ?? UNKNOWN);
    const isKnown = known !== undefined && known[1].kind === 'list' && known[1].length !== null;
    return !isKnown && !this.#literalLists().has(node.variable);
  }

  #literalLists(): ReadonlySet<Variable> {
    if (this.#literals !== null) return this.#literals;
    const found = new Set<Variable>();
    const waiting: (Statement | Expression)[] = [...this.#body];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const list = node.form === 'declare' ? node.value : null;
      const isFixed = list?.form === 'list' && list.items.every(({ form }) => form === 'constant');
      if (node.form === 'declare' && isFixed) found.add(node.variable);
      waiting.push(...childrenOf(node));
    }
    this.#literals = found;
    return found;
  }

  #nameOf(variable: Variable): string {
    return this.#run.module.variables[variable] ?? '';
  }

  #read(node: Statement | Expression): void {
    switch (node.form) {
      case 'each':
        if (this.#isKeyList(node.of)) this.#readKey(node.variable);
        else if (givenIn(this.#run, node.of, this.#form.innerParameters)) {
          this.#form.innerParameters.add(this.#nameOf(node.variable));
        }
        return;
      case 'declare':
        if (node.value !== null) this.#readName(node.variable, node.value);
        return;
      case 'assign':
        this.#readAssignment(node);
        return;
      case 'call':
      case 'apply':
        this.#readCall(node);
    }
  }

  #readKey(variable: Variable): void {
    const name = this.#nameOf(variable);
    if (name === '') this.#taken.add(variable);
    else this.#form.keys.add(name);
  }

  #readName(variable: Variable, value: Expression): void {
    const name = this.#nameOf(variable);
    const { aliases, copies, keys } = this.#form;
    const isFirst =
      value.form === 'index' &&
      value.object.form === 'load' &&
      this.#taken.has(value.object.variable) &&
      value.key.form === 'constant' &&
      value.key.value === 0;
    if (isFirst) keys.add(name);
    this.#readDescent(name, value);
    if (name === '') return;
    const isNumber = value.form === 'constant' && typeof value.value === 'number';
    (isNumber ? this.#form.numbers : this.#form.others).add(name);
    const inner = withoutDefault(value);
    const member = computed(this.#run, inner);
    if (member !== null) aliases.set(name, member);
    if (inner.form !== 'load') return;
    // `for (key in object)` of a key that was declared before
    if (this.#taken.has(inner.variable)) keys.add(name);
    const names = copies.get(name) ?? new Set();
    copies.set(name, names.add(this.#nameOf(inner.variable)));
  }

  #readAssignment({ place, value, start, end }: Expression & { readonly form: 'assign' }): void {
    const member = computed(this.#run, place);
    if (member !== null) this.#form.writes.push({ ...member, value, at: { start, end } });
    else if (place.form === 'load') this.#readName(place.variable, value);
  }

  /** `at = at[key]`, `at = at[key] = {}`, `at = at[key] || (at[key] = {})`, `at = next[key]`. */
  #readDescent(name: string, value: Expression): void {
    if (name === '') return;
    // `keys.reduce((at, key) => (at[key] ??= {}), object)`
    if (value.form === 'call' && value.name === 'reduce') this.#form.descents.add(name);
    const inner = withoutDefault(value);
    const member = computed(this.#run, inner) ?? readBy(this.#run, inner);
    if (member?.target === name) this.#form.descents.add(name);
  }

  #readCall(call: Expression & { readonly form: 'call' | 'apply' }): void {
    const run = this.#run;
    const { owned, passed, recursions } = this.#form;
    const receiver = call.form === 'call' ? call.receiver : null;
    const before = receiver === null ? null : dottedName(run, receiver);
    const args = call.arguments.map(({ value }) => value);
    const isOwnTest =
      /^hasOwn(?:Property)?$/.test(call.name) ||
      (call.name === 'call' && /(?:^|\.)hasOwnProperty$/.test(before ?? ''));
    if (isOwnTest) {
      const [first] = args;
      const owner = args.length > 1 && first !== undefined ? dottedName(run, first) : before;
      if (owner !== null) owned.add(owner);
    }
    this.#readCallback(call.name, receiver, args);
    if (call.name === 'assign') this.#readAssign(args, call);
    const called = call.form === 'apply' ? functionIn(run, call.callee) : null;
    // `_merge = function merge() {...}` calls itself by the variable.
    const isItself = called !== null && called === this.#declared;
    const isOther = called !== null && !isItself && called.name !== this.#name;
    if (isOther && this.#depth === 0) this.#readCalled(called, args, call);
    // `keys.filter(isHarmless)`
    for (const given of [called, ...args.map((argument) => functionIn(run, argument))]) {
      if (given !== null && refuses(run, given, 0)) this.isGuarded = true;
    }
    // `waiting.push([target[key], source[key]])`
    const [pair] = args;
    const isPair = QUEUED.test(call.name) && pair?.form === 'list';
    const isNamed = this.#name === null ? receiver === null : call.name === this.#name;
    const isOwn = isItself || (isNamed && this.#name !== '') || this.#isCalledBackBy(called);
    if (!isOwn && !isPair) return;
    const given = isPair ? pair.items : args;
    const isAlone = given.filter(({ form }) => form !== 'constant').length === 1;
    for (const argument of given) {
      const inner = withoutDefault(argument);
      if (inner.form === 'load') passed.add(this.#nameOf(inner.variable));
      const member = computed(run, inner);
      if (member !== null) recursions.push({ ...member, isAlone });
    }
  }

  /** Whether a function that this one calls may call it back: `mergeKeys` and `merge`. */
  #isCalledBackBy(called: FunctionDeclaration | null): boolean {
    const own = this.#declared;
    if (called === null || own === null || this.#depth > 0) return false;
    const callees = CALLEES.get(called) ?? calleesOf(called);
    CALLEES.set(called, callees);
    return [...callees.values()].some((callee) => functionIn(this.#run, callee) === own);
  }

  /** A function of the file that writes under a key, or calls this one with what a key leads to. */
  #readCalled(
    called: FunctionDeclaration,
    args: readonly Expression[],
    { start, end }: Span,
  ): void {
    const run = this.#run;
    const parameters = new Map(called.parameters.map(({ name }, index) => [name, args[index]]));
    const given = (member: Member): Member | null => {
      const holder = parameters.get(member.target);
      const key = parameters.get(member.key);
      const target = holder === undefined ? null : dottedName(run, holder);
      if (target === null || key === undefined) return null;
      return { target, key: dottedName(run, key) ?? '' };
    };
    const { writes, recursions } = this.#formOf(called);
    for (const one of writes) {
      const member = given(one);
      if (member === null) continue;
      const name = one.value?.form === 'load' ? this.#nameOf(one.value.variable) : '';
      const value = parameters.get(name) ?? null;
      this.#form.writes.push({ ...member, value, at: { start, end } });
    }
    for (const { isAlone, ...one } of recursions) {
      const member = given(one);
      if (member !== null) this.#form.recursions.push({ ...member, isAlone });
    }
  }

  /** What a called function does to its parameters, each in turn. */
  #formOf(called: FunctionDeclaration): Pick<Form, 'writes' | 'recursions'> {
    const known = this.#called.get(called);
    if (known !== undefined) return known;
    const names = namesOf(called);
    const block = { name: this.#name, declared: this.#declared, parameters: names };
    const reader = new Reader(this.#run, block, this.#depth + 1);
    const { writes, recursions } = reader.read(called.body ?? []);
    const isGiven = ({ target, key }: Member) => names.includes(target) && names.includes(key);
    const ofWrite = ({ target, key, value }: Form['writes'][number]) =>
      `${target} ${key} ${value?.form === 'load' ? value.variable : ''}`;
    const ofCall = ({ target, key, isAlone }: Form['recursions'][number]) =>
      `${target} ${key} ${isAlone}`;
    const form = {
      writes: different(writes.filter(isGiven), ofWrite),
      recursions: different(recursions.filter(isGiven), ofCall),
    };
    this.#called.set(called, form);
    return form;
  }

  /** `Object.assign(target, { [key]: value })` */
  #readAssign([first, ...rest]: readonly Expression[], { start, end }: Span): void {
    const target = first === undefined ? null : dottedName(this.#run, first);
    if (target === null) return;
    for (const given of rest) {
      if (given.form !== 'object') continue;
      for (const { key, value } of given.entries) {
        if (key === null || key.form === 'constant') continue;
        const written = dottedName(this.#run, key) ?? '';
        this.#form.writes.push({ target, key: written, value, at: { start, end } });
      }
    }
  }

  #readCallback(name: string, receiver: Expression | null, args: readonly Expression[]): void {
    const run = this.#run;
    const callback = args.find(({ form }) => form === 'closure');
    const declared = callback?.form === 'closure' ? run.functionOf(callback.id) : null;
    const [first, second] = declared?.parameters ?? [];
    // `forOwn(source, (value, key) => ...)`
    const isOfMembers = EACH_MEMBER.test(name) && args.length > 1;
    if (isOfMembers && second !== undefined) this.#readKey(second.variable);
    if (declared === null || first === undefined || !EACH.test(name)) return;
    if (receiver !== null && this.#isKeyList(receiver)) this.#readKey(first.variable);
    // `keys.reduce((at, key) => (at[key] = at[key] || {}), object)`
    const last = declared.body?.at(-1);
    const value = last?.form === 'return' ? last.value : null;
    const result = value === null ? null : computed(run, withoutDefault(value));
    if (result !== null && result.target === first.name) this.#form.descents.add(result.target);
  }
}

/** The first of each name, of `CALLED_MEMBERS_MAX` names. */
function different<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  const found = new Map<string, Item>();
  for (const item of items) {
    const name = nameOf(item);
    if (found.size < CALLED_MEMBERS_MAX && !found.has(name)) found.set(name, item);
  }
  return [...found.values()];
}

/** Functions that a function asks about a key, each within the other. */
const ASKED_DEPTH_MAX = 2;

/** Whether a function names the key that leads to a prototype, or asks a function that does. */
function refuses(run: Run, asked: FunctionDeclaration, depth: number): boolean {
  if (/['"`]__proto__['"`]/.test(run.textOf(asked))) return true;
  if (depth === ASKED_DEPTH_MAX) return false;
  const waiting: (Statement | Expression)[] = [...(asked.body ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    waiting.push(...childrenOf(node));
    const inner = node.form === 'apply' ? functionIn(run, node.callee) : null;
    if (inner !== null && refuses(run, inner, depth + 1)) return true;
  }
  return false;
}

/** The function of the file that a name stands for; null: it is another expression. */
function functionIn(run: Run, node: Expression): FunctionDeclaration | null {
  if (node.form !== 'load') return null;
  const [one] = run.state.get(node.variable)?.closures ?? [];
  return one?.kind === 'function' ? run.functionOf(one.id) : null;
}

/** `Object.keys(x)`, `Object.entries(x)`, `Reflect.ownKeys(x)`, keys of a loop. */
function isKeyList(run: Run, node: Expression): boolean {
  if (node.form === 'unary') return node.sign === 'keys';
  if (node.form !== 'call') return false;
  const before = node.receiver === null ? '' : `${dottedName(run, node.receiver) ?? ''}.`;
  return FIRST_OF_KEYS.test(`${before}${node.path ?? node.name}`);
}

/** `a[k]` of `a[k] || {}`, `a[k] = a[k] || {}`, `isObject(a[k]) ? a[k] : {}`. */
export function withoutDefault(node: Expression): Expression {
  let inner = node;
  for (;;) {
    if (inner.form === 'choose') inner = inner.yes;
    else if (inner.form === 'logic') inner = inner.left;
    else if (inner.form === 'assign') inner = inner.place;
    else if (inner.form === 'cast') inner = inner.value;
    else return inner;
  }
}

/** `get(target, key)` of a function that returns the member; null for all else. */
function readBy(run: Run, node: Expression): Member | null {
  const called = node.form === 'apply' ? functionIn(run, node.callee) : null;
  const last = called?.body?.at(-1);
  if (called === null || node.form !== 'apply' || last?.form !== 'return') return null;
  const results = last.value?.form === 'choose' ? [last.value.yes, last.value.no] : [last.value];
  const members = results.flatMap((one) => (one == null ? [] : (computed(run, one) ?? [])));
  const names = namesOf(called);
  const [member] = members;
  if (member === undefined || !names.includes(member.key)) return null;
  const holder = node.arguments[names.indexOf(member.target)]?.value;
  const target = holder === undefined ? null : dottedName(run, holder);
  return target === null ? null : { target, key: '' };
}

/** `target[key]` with a name for the target; null for all else. */
function computed(run: Run, node: Expression): Member | null {
  if (node.form !== 'index' || node.key.form === 'constant') return null;
  const target = dottedName(run, node.object);
  return target === null ? null : { target, key: dottedName(run, node.key) ?? '' };
}

function calleesOf({ body }: FunctionDeclaration): ReadonlyMap<Variable, Expression> {
  const found = new Map<Variable, Expression>();
  const waiting: (Statement | Expression)[] = [...(body ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'apply' && node.callee.form === 'load') {
      found.set(node.callee.variable, node.callee);
    }
    waiting.push(...childrenOf(node));
  }
  return found;
}
