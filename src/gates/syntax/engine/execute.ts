import { USES } from '../../../rules/catalogue/line.ts';
import {
  type Constant,
  childrenOf,
  type Expression,
  type Statement,
  type Variable,
} from '../il/il.ts';
import { declare } from './assign.ts';
import { bodyOf } from './call.ts';
import { checkAnswer, lineSiteOf } from './check-lines.ts';
import { assertedBy } from './facts.ts';
import { ownValueFacts, verdictOf } from './guard.ts';
import { dottedName, lastOf } from './names.ts';
import { truthIn } from './operators.ts';
import { memberOfData } from './partial-data.ts';
import { typedAs, typeValue } from './roles.ts';
import type { Run, Target } from './run.ts';
import { factsOn, type State } from './state.ts';
import { specialResult } from './summary.ts';
import { folded } from './text.ts';
import {
  changed,
  isOutside,
  isPartOfText,
  isTainted,
  joinAll,
  named,
  type ObjectId,
  type Origin,
  originsIn,
  outside,
  type Shape,
  TRUSTED,
  truthOf,
  UNKNOWN,
} from './value.ts';

/** Rounds of a loop whose end is not known, and of a loop whose condition is. */
const ROUNDS = 2;
const KNOWN_ROUNDS = 3;
/** Rounds while each brings data where none was before. */
const ROUNDS_MAX = 24;

/** Executes statements in order; true when none after them is reached. */
export function execute(run: Run, body: readonly Statement[]): boolean {
  let isOver = false;
  let hasFunctions = false;
  const { members } = run;
  run.members = [];
  for (const statement of body) {
    if (statement.form !== 'function') continue;
    hasFunctions = true;
    const closure = { kind: 'function', id: statement.id, self: null } as const;
    run.state.set(statement.variable, changed(UNKNOWN, { closures: [closure] }));
  }
  for (const statement of body) {
    if (isOver) lookBehind(run, statement);
    else isOver = executeOne(run, statement);
  }
  const own = run.members;
  run.members = members;
  for (const id of own) run.lookAt(id);
  if (!hasFunctions || run.depth > 0) return isOver;
  // They see what the block holds in the end, constants declared after them too.
  for (const statement of body) if (statement.form === 'function') run.lookAt(statement.id);
  return isOver;
}

/**
 * What stands behind the end is looked at all the same, as a hunk may have lost the branch; it
 * leaves no loop or block.
 */
function lookBehind(run: Run, statement: Statement): void {
  const left = run.frame.targets.map((target) => {
    return { target, breaks: target.breaks.length, continues: target.continues.length };
  });
  executeOne(run, statement);
  for (const { target, breaks, continues } of left) {
    target.breaks.length = breaks;
    target.continues.length = continues;
  }
}

type Of<F extends Statement['form']> = Statement & { readonly form: F };

function executeOne(run: Run, statement: Statement): boolean {
  run.count();
  run.enter(statement.start);
  switch (statement.form) {
    case 'function':
      return false;
    case 'evaluate':
      return standing(run, statement.value);
    case 'declare':
      declare(run, statement);
      return false;
    case 'if':
      return branch(run, statement);
    case 'loop':
      return loop(run, statement);
    case 'each':
      return each(run, statement);
    case 'switch':
      return choose(run, statement);
    case 'try':
      return attempt(run, statement);
    case 'block':
      return within(run, statement.label, () => run.execute(statement.body));
    case 'return': {
      const value = statement.value === null ? TRUSTED : run.evaluate(statement.value);
      const { frame, state } = run;
      if (frame.answers !== null && statement.value !== null) {
        checkAnswer(run, statement.value, value, frame.answers);
      }
      frame.exits.push({ state: state.since(frame.base), value: state.settled(value) });
      return true;
    }
    case 'throw':
      if (statement.value !== null) {
        const value = run.evaluate(statement.value);
        run.thrown?.push(run.state.settled(value));
      }
      return true;
    case 'break':
    case 'continue':
      leave(run, statement);
      return true;
    case 'assert':
      run.state.guard(verdictOf(run.evaluate(statement.test)).whenTrue);
      return false;
  }
}

/**
 * A call that stands alone: what it throws for does not come to what follows. True when nothing
 * after it is reached.
 */
function standing(run: Run, expression: Expression): boolean {
  if (run.knowledge.traits.has('keys')) {
    run.evaluate(expression);
    run.state.guard(assertedBy(run, expression));
    return false;
  }
  if (expression.form !== 'call') {
    run.evaluate(expression);
    return false;
  }
  const { name, receiver } = expression;
  const type = receiver === null ? null : dottedName(run, receiver);
  const path = receiver === null ? name : `${type ?? ''}.${name}`;
  if (run.knowledge.has('asserts', path)) {
    const [first] = expression.arguments;
    const test = first === undefined ? UNKNOWN : run.evaluate(first.value);
    run.state.guard(verdictOf(test).whenTrue);
    return false;
  }
  const { followed } = run;
  const before = followed.size;
  const result = run.evaluate(expression);
  if (run.knowledge.has('raises', name)) run.state.guard(verdictOf(result).whenTrue);
  const isEnd = run.knowledge.has('ends', path);
  // Where calls do not throw, what is not looked at proves nothing.
  if (run.knowledge.is('silent', name)) return isEnd;
  const isConverter =
    run.knowledge.has('converts', path) || (name === 'valueOf' && receiver !== null);
  const isClaim =
    run.knowledge.is('claims', name) && followed.size === before && !run.declares(name);
  if (!isConverter && !isClaim) return isEnd;
  for (const { value } of expression.arguments) {
    if (value.form === 'closure' || value.form === 'assign') continue;
    const given = value.form === 'load' ? (run.state.get(value.variable) ?? UNKNOWN) : UNKNOWN;
    run.state.guard(factsOn(given, USES, !isConverter));
  }
  return isEnd;
}

/** Goes on with the ways that reach what follows; true when none does. */
function meet(run: Run, outer: State, ways: readonly State[]): boolean {
  run.state = outer;
  outer.merge(ways);
  return ways.length === 0;
}

/** Branches of `if` and of each `else if`: without recursion, as their depth is their length. */
function branch(run: Run, statement: Of<'if'>): boolean {
  /** Where the branches of each meet, and the branches that come there. */
  const meetings: { readonly outer: State; readonly ways: State[] }[] = [];
  let isOver: boolean | null = null;
  for (let at = statement; isOver === null; ) {
    const condition = run.evaluate(at.test);
    const truth = isUnchanged(run, at.test) ? truthIn(run, condition) : truthOf(condition);
    const known = verdictOf(condition);
    if (truth === null) {
      const outer = run.state;
      const { result, state } = run.branch(outer, () => {
        run.state.guard(known.whenTrue);
        return run.execute(at.yes);
      });
      meetings.push({ outer, ways: result ? [] : [state] });
      run.state = outer.fork();
    }
    run.state.guard(truth === true ? known.whenTrue : known.whenFalse);
    const rest: readonly Statement[] = truth === true ? at.yes : at.no;
    const [only] = rest;
    if (rest.length !== 1 || only?.form !== 'if') isOver = run.execute(rest);
    else {
      run.count();
      run.enter(only.start);
      at = only;
    }
  }
  for (const { outer, ways } of meetings.reverse()) {
    if (!isOver) ways.push(run.state);
    isOver = meet(run, outer, ways);
  }
  return isOver;
}

/** Whether nothing outside can change a tested value: other variables may be set at any time. */
function isUnchanged(run: Run, test: Expression): boolean {
  if (test.form === 'assign') return test.value.form === 'constant' || isUnchanged(run, test.value);
  return test.form === 'load' && run.isOwnVariable(test.variable);
}

/** Runs a block that `break` may leave. */
function within(run: Run, label: string | null, inner: () => boolean): boolean {
  if (label === null) return inner();
  const outer = run.state;
  const target: Target = {
    label,
    kind: 'block',
    base: outer,
    round: outer,
    breaks: [],
    continues: [],
  };
  run.frame.targets.push(target);
  const { result: isOver, state } = run.branch(outer, inner);
  run.frame.targets.pop();
  return meet(run, outer, isOver ? target.breaks : [...target.breaks, state]);
}

function leave(run: Run, { form, label }: Of<'break' | 'continue'>): void {
  const { targets } = run.frame;
  for (let index = targets.length - 1; index >= 0; index -= 1) {
    const target = targets[index];
    if (target === undefined) return;
    const fits =
      label === null
        ? target.kind === 'loop' || (form === 'break' && target.kind === 'switch')
        : target.label === label && (form === 'break' || target.kind === 'loop');
    if (!fits) continue;
    if (form === 'break') target.breaks.push(run.state.since(target.base));
    else target.continues.push(run.state.since(target.round));
    return;
  }
}

function loop(run: Run, statement: Of<'loop'>): boolean {
  const { body, step, isTestedLast, label } = statement;
  // `while (true)` says as little of its end as a loop without a condition.
  const isEndless = statement.test?.form === 'constant' && isTrue(statement.test.value);
  const test = isEndless ? null : statement.test;
  const { result: first } = run.branch(run.state, () =>
    test === null ? null : run.evaluate(test),
  );
  const isOpen = first !== null && truthOf(first) === null;
  return rounds(run, label, statement, isOpen, (isFirst) => {
    let truth: boolean | null = null;
    if (test !== null && !(isTestedLast && isFirst)) {
      const condition = run.evaluate(test);
      truth = truthOf(condition);
      const known = verdictOf(condition);
      const exit = truth === true ? null : run.state.fork();
      exit?.guard(known.whenFalse);
      if (truth === false) return { exit, next: null, isKnown: true };
      if (exit !== null) {
        const round = run.branch(run.state, () => {
          run.state.guard(known.whenTrue);
          return run.execute(body);
        });
        return { exit, next: round.result ? null : round.state, isKnown: false, step };
      }
    } else if (test === null) truth = true;
    const round = run.branch(run.state, () => run.execute(body));
    const isKnown = truth === true && test !== null;
    return { exit: null, next: round.result ? null : round.state, isKnown, step };
  });
}

/** `while 1` is `while True`. */
function isTrue(value: Constant): boolean {
  return value === true || value === 1;
}

/** Variables that a loop assigns, functions within them left out. */
function assignedIn(loop: Statement): ReadonlySet<Variable> {
  const known = ASSIGNED.get(loop);
  if (known !== undefined) return known;
  const found = new Set<Variable>();
  const waiting: (Statement | Expression)[] = [loop];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'assign' && node.place.form === 'load') found.add(node.place.variable);
    waiting.push(...childrenOf(node));
  }
  ASSIGNED.set(loop, found);
  return found;
}

/** By the loop: it is run often. */
const ASSIGNED = new WeakMap<Statement, ReadonlySet<Variable>>();

/** What a round of a loop came to. */
interface Round {
  /** Where the loop ends before the round; null: it goes on. */
  readonly exit: State | null;
  /** The end of the round; null: it is not reached. */
  readonly next: State | null;
  /** The condition is known: it runs so often and no more. */
  readonly isKnown: boolean;
  readonly step?: readonly Expression[];
}

/** Runs rounds until nothing new can come: what a round assigns is seen by the next one. */
function rounds(
  run: Run,
  label: string | null,
  statement: Statement,
  isOpen: boolean,
  round: (isFirst: boolean) => Round,
): boolean {
  const outer = run.state;
  const exits: State[] = [];
  const target: Target = {
    label,
    kind: 'loop',
    base: outer,
    round: outer,
    breaks: [],
    continues: [],
  };
  const isInner = run.isInLoop;
  run.isInLoop = true;
  run.loops += 1;
  run.frame.targets.push(target);
  const assigned = assignedIn(statement);
  const seen = new Set<ObjectId>();
  let current: State | null = outer.fork();
  // What counts the rounds is any number, unless there are few of them.
  if (isOpen) current.widen(assigned);
  let open = !run.mayRepeat() ? 0 : isInner ? ROUNDS - 1 : ROUNDS;
  for (let count = 0; current !== null; count += 1) {
    run.state = current;
    const before: State = current.since(outer);
    target.round = current;
    target.continues.length = 0;
    const { exit, next, isKnown, step } = round(count === 0);
    if (exit !== null) exits.push(exit.since(outer));
    if (!isKnown) open -= 1;
    const ends: State[] = next === null ? [...target.continues] : [...target.continues, next];
    if (ends.length === 0) {
      current = null;
      break;
    }
    // Of the last rounds each keeps what was there before it, so that no values only take turns.
    current.merge(open < 0 ? [...ends, current.fork()] : ends);
    run.state = current;
    for (const one of step ?? []) run.evaluate(one);
    if (!isKnown || count >= KNOWN_ROUNDS - 1) current.widen(assigned);
    const isChain = () => current !== null && reachesOther(run, current, outer, seen);
    if (!isKnown && current.isLike(before, outer) && !isChain()) break;
    const isLast = open < 0 || count > KNOWN_ROUNDS + ROUNDS;
    if (isLast && !hasNewData(run, current, before, outer) && !isChain()) break;
    if (isLast && (count >= ROUNDS_MAX || !run.mayRepeat())) {
      run.lose('data goes on from round to round of a loop', statement.start);
      break;
    }
  }
  run.frame.targets.pop();
  run.isInLoop = isInner;
  run.loops -= 1;
  if (current !== null) exits.push(current.since(outer));
  return meet(run, outer, [...exits, ...target.breaks]);
}

/** Whether variables hold data at the end of a round that they did not hold before it. */
function hasNewData(run: Run, after: State, before: State, outer: State): boolean {
  const dataIn = (state: State, variable: Variable) => {
    const { result } = run.branch(state, () => run.flat(state.get(variable) ?? UNKNOWN));
    return originsIn(result);
  };
  for (const variable of after.writtenSince(outer)) {
    const known = dataIn(before, variable);
    const isNew = dataIn(after, variable).some(
      (origin) => !known.some((other) => isPartOf(origin, other)),
    );
    if (isNew) return true;
  }
  return false;
}

/**
 * Whether variables are other objects of before the loop by now, through which data is reached: the
 * next one of a chain. Each counts once.
 */
function reachesOther(run: Run, after: State, outer: State, seen: Set<ObjectId>): boolean {
  const others: ObjectId[] = [];
  for (const variable of after.writtenSince(outer)) {
    for (const id of after.get(variable)?.objects ?? []) {
      if (seen.has(id) || outer.object(id) === undefined) continue;
      seen.add(id);
      others.push(id);
    }
  }
  return others.length > 0 && run.branch(after, () => run.reachesData(others)).result;
}

/** Whether data is the same, or a part of it, and no less safe. */
function isPartOf(origin: Origin, whole: Origin): boolean {
  return (
    isPartOfText(origin.text, whole.text) &&
    whole.safeFor.every((use) => origin.safeFor.includes(use)) &&
    whole.claimedFor.every((use) => origin.claimedFor.includes(use))
  );
}

function each(run: Run, statement: Of<'each'>): boolean {
  const { variable, key = null, type, of, body, label, start } = statement;
  const list = elementsGiven(run, run.evaluate(of), of.start);
  const known = typeValue(run, type?.own == null ? type : null);
  const name = run.module.variables[variable] ?? '';
  return rounds(run, label, statement, true, () => {
    const exit = run.state.fork();
    const { result: isOver, state } = run.branch(run.state, () => {
      const given = bodyOf(run, list, start) ?? elementIn(run, list, name, known?.path != null);
      const element = typedAs(run, known, given);
      run.state.set(variable, named(element, name, run.placeOf(start)));
      if (key !== null) run.state.set(key, keyIn(run, list));
      return run.execute(body);
    });
    return { exit, next: isOver ? null : state, isKnown: false };
  });
}

/** An element of a list; of data it has a name of its own: its check is about no other element. */
function elementIn(run: Run, list: Shape, name: string, isTyped: boolean): Shape {
  const isData = list.objects.length === 0 && list.origins.length > 0;
  const isNamed = name !== '' && run.knowledge.traits.has('hands-on');
  if (!isData || !isNamed) return run.elementOf(list);
  const element = memberOfData(run, list, name);
  // A row may say what members of the elements are: `reader.File` of `zip.OpenReader(name)`.
  return isTyped || isOutside(list) ? element : changed(element, { path: list.path });
}

/** A list of what a function gives to what it is called with. */
const YIELDED = 'yielded';

/** What a function that is gone through like a list gives to what it is called with. */
function elementsGiven(run: Run, value: Shape, start: number): Shape {
  const [closure] = value.closures;
  if (closure === undefined) {
    return specialResult(run, 'iterated-as', value, []) ?? deliveredBy(run, value, start) ?? value;
  }
  const list = changed(run.list([]), { path: YIELDED });
  const taker: Shape = changed(UNKNOWN, {
    closures: [{ kind: 'method', object: list, name: 'append' }],
  });
  run.parts.invoke(run, closure, [taker], null);
  return list;
}

/** What comes of an object that is gone through: messages of a socket; null: it is a list. */
function deliveredBy(run: Run, value: Shape, start: number): Shape | null {
  const name = run.knowledge.word('iterated-as');
  if (value.path === null || name === '' || isOutside(value)) return null;
  const site = { name, path: `${value.path}.${name}`, receiver: value, receiverPath: null };
  const line = run.knowledge.catalogue.callAt(lineSiteOf(run, site));
  if (line === null) return null;
  const text = `messages of ${lastOf(value.path.replace(/\(\)$/, ''))}`;
  return outside('strong', text, run.placeOf(start), { isWhole: line.whole === true });
}

/** Any key of a value: the sender chooses the keys of an object that it made. */
function keyIn(run: Run, list: Shape): Shape {
  const isElement = list.path === YIELDED || run.knowledge.is('element-key', list.path ?? '');
  if (isElement) return run.elementOf(list);
  const origins = list.origins.filter(
    ({ mayBeObject, text }) => mayBeObject || run.knowledge.is('keyed-source', text),
  );
  return origins.length === 0 ? TRUSTED : changed(UNKNOWN, { origins });
}

/**
 * Each case is a way; a case of known values proves that the subject is one of them. Of a subject
 * that is known only the case that it takes is run.
 */
function choose(run: Run, { subject, cases, label }: Of<'switch'>): boolean {
  const value = run.evaluate(subject);
  const outer = run.state;
  const target: Target = {
    label,
    kind: 'switch',
    base: outer,
    round: outer,
    breaks: [],
    continues: [],
  };
  run.frame.targets.push(target);
  const tests = cases.map(({ values }) => (values === null ? null : caseTest(run, value, values)));
  const isTaken = tests.some((test) => test === true);
  const isFixed = cases.map(({ values }) => values?.every((one) => isOwnValue(run, one)) === true);
  let before: State | null = null;
  for (const [index, { body }] of cases.entries()) {
    const test = tests[index] ?? null;
    const isDefault = cases[index]?.values === null;
    const isPossible = isDefault ? !isTaken : test !== false && !(isTaken && test !== true);
    const entries: State[] = before === null ? [] : [before];
    if (isPossible) {
      const entry = outer.fork();
      if (isFixed[index] === true) entry.guard(ownValueFacts(value));
      entries.push(entry);
    }
    before = null;
    if (entries.length === 0) continue;
    const from = outer.fork();
    from.merge(entries.map((entry) => entry.since(outer).onto(from)));
    run.state = from;
    const isOver = run.execute(body);
    if (!isOver) before = run.state;
  }
  run.frame.targets.pop();
  run.state = outer;
  const ways = [...target.breaks];
  if (before !== null) ways.push(before);
  if (!isTaken && cases.every(({ values }) => values !== null)) ways.push(outer.fork());
  return meet(run, outer, ways);
}

/** Whether the value of a case is the program's: a pattern takes any value of its type. */
function isOwnValue(run: Run, value: Expression): boolean {
  return value.form === 'name' || (value.form !== 'unknown' && !isTainted(run.evaluate(value)));
}

/** Whether a case takes a value; null: it may. */
function caseTest(run: Run, value: Shape, values: readonly Expression[]): boolean | null {
  const tests = values.map((one) => {
    if (one.form === 'name' && value.namedType !== null) {
      return truthOf(folded([value], ([own]) => String(own).endsWith(`.${one.name}`)) ?? TRUSTED);
    }
    if (one.form === 'name' || one.form === 'unknown') return null;
    return truthOf(
      folded([value, run.evaluate(one)], ([left, right]) => left === right) ?? TRUSTED,
    );
  });
  if (tests.includes(true)) return true;
  return tests.every((test) => test === false) ? false : null;
}

/** After what is tried comes its own end, or that of a handler that goes on. */
function attempt(run: Run, { body, handlers, last }: Of<'try'>): boolean {
  const outer = run.state;
  const ways: State[] = [];
  const { thrown } = run;
  const caught: Shape[] = [];
  run.thrown = caught;
  const tried = run.branch(outer, () => run.execute(body));
  run.thrown = thrown;
  if (handlers.length === 0) thrown?.push(...caught);
  if (!tried.result) ways.push(tried.state);
  for (const handler of handlers) {
    const { result: isOver, state } = run.branch(outer, () => {
      // Of what was tried, names may hold the new values; checks may have failed.
      run.state.merge([tried.state.onto(run.state), run.state.fork()]);
      const value = caught.length === 0 ? UNKNOWN : joinAll(caught);
      if (handler.variable !== null) run.state.set(handler.variable, value);
      return run.execute(handler.body);
    });
    if (!isOver) ways.push(state);
  }
  if (ways.length === 0) {
    run.branch(outer, () => run.execute(last));
    return meet(run, outer, ways);
  }
  const isOver = meet(run, outer, ways);
  return run.execute(last) || isOver;
}
