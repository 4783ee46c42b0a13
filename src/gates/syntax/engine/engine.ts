import { lesserId } from '../../../model/finding.ts';
import type { Offered } from '../../../rpc/contract.ts';
import { TAINT } from '../../limits.ts';
import type { FunctionDeclaration, FunctionId, Module } from '../il/il.ts';
import { ReporterFull } from '../report/findings.ts';
import type { Danger } from '../sinks/sink.ts';
import type { Source } from '../sinks/value.ts';
import { invoke } from './call.ts';
import { askForConditions } from './check-lines.ts';
import { evaluate } from './evaluate.ts';
import { execute } from './execute.ts';
import type { Knowledge } from './knowledge.ts';
import { summariseModule } from './module-summary.ts';
import { pollutionOf, pollutionOfBlock } from './pollution.ts';
import { fieldOf } from './roles.ts';
import { type Report, Run, type Settled } from './run.ts';
import { settledCalls } from './settled.ts';
import { follow, loadClasses, methodOf, Summaries, type Summary } from './summary.ts';
import { join } from './value.ts';

/** Times that all functions are looked at while objects still get new data. */
const ROUNDS_MAX = 8;
/** Members that are set after calls of them: for more, functions are not looked at again. */
const CALLED_EARLY_MAX = 40;

/** What is found in a module, apart from what was reported. */
export interface Flows {
  /** What functions do, whatever they are called with; missing summaries are made now. */
  summaries(): { readonly declared: FunctionDeclaration; readonly summary: Summary }[];
  /** What other files get of the module. */
  offered(): Offered[];
  /** Why parts of the module were not followed, each with the offset of the first place. */
  readonly lost: ReadonlyMap<string, number>;
  /** Expressions and statements evaluated again, within calls and in rounds of loops. */
  readonly steps: number;
  /** Evaluations of forms that no lowering understood. */
  readonly unknown: number;
  /** Names of other files that flows lead to, with the offset of the first place. */
  readonly asked: Run['asked'];
  /** Calls that get only what their own function writes down. */
  settled(): Settled[];
}

/**
 * Follows data through a module and reports what it reaches. `ownLength`: of the text of the file
 * itself; what is reported behind it gets the place in the file that leads there. `data`: texts of
 * files of settings.
 */
export function followModule(
  module: Module,
  text: string,
  knowledge: Knowledge,
  lineAt: (offset: number) => number,
  report: Report,
  ownLength = text.length + 1,
  data: Run['data'] = new Map(),
): Flows {
  const parts = {
    evaluate,
    execute,
    invoke,
    fieldOf,
    methodOf,
    pollutionOf,
    pollutionOfBlock,
    follow: (...[run, id, args, self, options]: Parameters<Run['parts']['follow']>) =>
      follow(run, summaries, id, args, self, options),
  };
  let isReached = false;
  const placed: Report = (found, at, last, name) => {
    const source = found.source === undefined ? found.value.source : found.source;
    const danger = source?.isOfReturned === true ? withFewerCallers(found) : found;
    isReached ||= source?.strength === 'strong' || source?.strength === 'checked';
    if (run.isOwnPlace(at.start)) return report(danger, at, last, name);
    const here = { start: run.ownHere, end: run.ownHere };
    const beyond = { start: at.start, end: Math.max(at.end, last.end) };
    if (source !== null && isOfFile(run, source)) report(danger, here, here, name, beyond);
  };
  const run: Run = new Run(module, text, knowledge, parts, lineAt, placed, ownLength, data);
  const summaries = new Summaries(run);
  // Of other files only what is called is looked at, with the closures that it gives to others.
  const isLookedAt = (id: FunctionId) => run.isOwnFunction(id) || run.depth > 0;
  run.lookAt = (id) => void (run.isOwnFunction(id) && summaries.of(id));
  run.lookAgain = (id) => void (isLookedAt(id) && summaries.again(id));
  run.resultOf = (id, isOfObject) => summaries.resultOf(id, isOfObject);
  try {
    followAll(run, summaries);
  } catch (thrown) {
    // The stack has ended, and what was found up to there stands.
    if (thrown instanceof RangeError) run.lose('it nests too deeply to be followed', run.here);
    // The reporter says that there is more; nothing of it is graver.
    else if (!(thrown instanceof ReporterFull)) throw thrown;
    run.levels = 0;
  }
  if (isReached) askForConditions(run);
  const { lost, nodes, unknown, asked } = run;
  const again = Math.max(run.steps, nodes - text.length);
  const all = () =>
    module.functions
      .filter(({ kind }) => kind !== 'closure')
      .map((declared) => ({ declared, summary: summaries.of(declared.id) }));
  const offered = () => summariseModule(run, (id) => summaries.of(id));
  const settled = () => settledCalls(run);
  return { summaries: all, offered, lost, steps: again, unknown, asked, settled };
}

/** What a function does that callers get only from another one is one grade less. */
function withFewerCallers(danger: Danger): Danger {
  const { severity } = danger;
  if (severity === 'critical') return { ...danger, id: lesserId(danger), severity: 'high' };
  return severity === 'high' ? { ...danger, severity: 'medium' } : danger;
}

/**
 * Whether data from outside has been in the file itself on its way to another one, or a function
 * there gets it because the file registers that.
 */
function isOfFile(run: Run, { strength, offset, steps }: Source): boolean {
  if (strength !== 'strong' && strength !== 'checked') return false;
  if (run.isHanding) return true;
  return [offset, ...steps.map((step) => step.offset)].some(
    (one) => one !== undefined && run.isOwnPlace(one),
  );
}

/** Looks at all of a module, until no object gets new data. */
function followAll(run: Run, summaries: Summaries): void {
  run.execute(run.module.body);
  initialise(run);
  loadClasses(run);
  run.checkBlock();
  run.root = run.state;
  // What functions of the module's own block saw may be old by now.
  if (run.hasNewAssigned && !run.knowledge.traits.has('keys')) summaries.clear();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    run.hasNewAssigned = false;
    for (const [variable, value] of run.shared) {
      const before = run.root.get(variable);
      run.root.set(variable, before === undefined ? value : join(before, value));
    }
    if (isSharedStateNew(run)) {
      run.hasNewSharedState = false;
      run.calledEarlyNew = 0;
      // What they were followed for the first time is followed again.
      run.calls = 0;
      summaries.closuresAgain();
    }
    lookAtAll(run, summaries);
    summaries.complete();
    if (!run.hasNewAssigned && !isSharedStateNew(run)) break;
    if (round === ROUNDS_MAX - 1 || run.steps >= TAINT.STEPS_MAX) {
      run.lose('data goes through more fields than are followed', 0);
      break;
    }
    summaries.clear();
  }
}

/** Whether functions may have seen less than what shared variables and members hold by now. */
function isSharedStateNew({ hasNewSharedState, calledEarlyNew }: Run): boolean {
  return hasNewSharedState || (calledEarlyNew > 0 && calledEarlyNew <= CALLED_EARLY_MAX);
}

/** First values of fields, which may hold calls. */
function initialise(run: Run): void {
  for (const { id, fields } of run.module.classes) {
    for (const { initial, name } of fields) {
      if (initial !== null) run.branch(run.state, () => fieldOf(run, id, name));
    }
  }
}

/** Functions by themselves; functions that only others here can call come last, if nobody did. */
function lookAtAll(run: Run, summaries: Summaries): void {
  const { functions } = run.module;
  const named = functions.filter(({ kind, id }) => kind !== 'closure' && run.isOwnFunction(id));
  // What constructors put into fields is seen by the others.
  for (const { id, kind } of named) if (kind === 'constructor') summaries.of(id);
  for (const { id, isPrivate } of named) if (!isPrivate) summaries.of(id);
  for (const { id } of named) if (!run.followed.has(id)) summaries.of(id);
  for (const [id, at] of run.handed) {
    run.ownHere = at;
    run.isHanding = true;
    summaries.of(id);
    run.isHanding = false;
  }
}
