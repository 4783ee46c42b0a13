import { lesserId, severityRank } from '../../../model/finding.ts';
import type { Span } from '../il/il.ts';
import { backtrackingDanger } from '../sinks/backtracking.ts';
import type { AssignSite, CallSite, Danger, Named, PropertySite } from '../sinks/sink.ts';
import type { Site } from './catalogue-lines.ts';
import { checkLines, lineSiteOf } from './check-lines.ts';
import type { Call, Run } from './run.ts';
import { changed, type Shape, UNKNOWN } from './value.ts';
import { importOf, madeOf, View, waysIn } from './view.ts';

/** What is called, as the catalogue looks it up. */
export function namedOf(
  run: Run,
  call: Call,
  index = 0,
): Named & { readonly receiver: View | null } {
  const { name, path, receiver, receiverPath, called, isDeclared } = call;
  return {
    name,
    origin: importOf(path),
    made: madeOf(run, path),
    isDeclared,
    isPatched: run.isPatched(name),
    callable: called.closures.length === 0 ? null : new View(run, called).callable,
    receiver: receiver === null ? null : new View(run, receiver, index),
    receiverPath,
  };
}

/** What is called, as the catalogue of its language looks it up. */
export function siteOf(run: Run, call: Call): Site {
  return run.knowledge.sinks === null ? lineSiteOf(run, call) : namedOf(run, call);
}

/** A call as sinks see it. */
interface SeenSite extends CallSite {
  /** Whether a sink asked for more than names of the callee and the number of arguments. */
  isLookedAt(): boolean;
}

/** `index`: which of the origins of its values. */
function seenSite(run: Run, call: Call, index: number): SeenSite {
  const args = call.args.map((one) => new View(run, one, index));
  const named = namedOf(run, call, index);
  const { name, origin, made, isDeclared, isPatched, callable, receiver, receiverPath } = named;
  let isNamed = false;
  return {
    name,
    origin,
    made,
    isDeclared,
    isPatched,
    callable,
    receiver,
    receiverPath,
    isNew: call.isNew,
    args,
    isCatalogued: run.knowledge.catalogue.isKnown,
    isWritten: (pattern) => run.isWritten(pattern),
    argumentName(at) {
      isNamed = true;
      return lastName(run, call, at);
    },
    safetyOf: run.state.safetyTest,
    isLookedAt() {
      return isNamed || receiver?.isLookedAt === true || args.some((one) => one.isLookedAt);
    },
  };
}

/** Calls that are remembered as of no interest to sinks. */
const IGNORED_MAX = 4_096;

/** All that sinks ask of most calls; null: what is called is a function in view. */
function namesOf(run: Run, call: Call): string | null {
  const { called, name, path, receiver, receiverPath, args, isDeclared, isNew } = call;
  if (called.closures.length > 0) return null;
  const flags = (isDeclared ? 1 : 0) + (isNew ? 2 : 0) + (receiver === null ? 4 : 0);
  const isPatched = run.isPatched(name) ? 8 : 0;
  // A name may hold any character, so lengths tell where each text ends.
  const lengths = `${name.length} ${path?.length ?? -1} ${receiverPath?.length ?? -1}`;
  return `${flags + isPatched} ${args.length} ${lengths} ${name}${path}${receiverPath}`;
}

/** The last name of an argument that is a name or member. */
function lastName(run: Run, { expression }: Call, at: number): string {
  const value = expression.arguments[at]?.value;
  switch (value?.form) {
    case 'member':
    case 'name':
      return value.name;
    case 'load':
      return run.module.variables[value.variable] ?? '';
    default:
      return '';
  }
}

/** Reports what the values of a call do where it leads. */
export function checkCall(run: Run, call: Call): void {
  const { sinks } = run.knowledge;
  if (sinks === null) {
    checkLines(run, call);
    return;
  }
  const names = namesOf(run, call);
  if (names !== null && sinks.ignored.has(names)) return;
  const given = call.receiver === null ? call.args : [...call.args, call.receiver];
  const { expression, name } = call;
  let isIgnored = names !== null;
  worst(
    run,
    given,
    (index) => {
      const site = seenSite(run, call, index);
      const danger = sinks.inCall(site);
      isIgnored &&= danger === null && !site.isLookedAt();
      return danger;
    },
    (danger) => {
      const last = expression.arguments[danger.argument]?.value ?? expression;
      run.report(danger, expression.at, last, name || 'a call');
    },
  );
  if (!isIgnored || names === null) return;
  if (sinks.ignored.size >= IGNORED_MAX) sinks.ignored.clear();
  sinks.ignored.add(names);
}

/** Reports a pattern that is written down and takes exponential time for some texts. */
export function checkPattern(run: Run, pattern: string, flags: string, at: Span): void {
  if (!run.knowledge.traits.has('backtracks')) return;
  const danger = backtrackingDanger(pattern, flags);
  if (danger !== null) run.report(danger, at, at, 'a pattern');
}

/** Reports what a text that a function is put before does there. */
export function checkTag(run: Run, call: Call, text: Shape): void {
  const { sinks } = run.knowledge;
  if (sinks === null) return;
  const { expression, name, called } = call;
  worst(
    run,
    [text],
    (index) => {
      const site = seenSite(
        run,
        { ...call, args: [text, changed(UNKNOWN, { objects: called.objects })] },
        index,
      );
      return sinks.inTag(site);
    },
    (danger) => run.report(danger, expression, expression, name || 'a tag'),
  );
}

/** A property of an object literal, or an attribute of an element, as it is written. */
interface Property {
  readonly name: string;
  readonly value: Shape;
  readonly isLiteral: boolean;
  /** The element's name; null for an object's property. */
  readonly element: string | null;
  readonly key: Span;
  readonly at: Span;
}

/** Reports what a value does under the name of a property. */
export function checkProperty(run: Run, property: Property): void {
  const { sinks } = run.knowledge;
  if (sinks === null) return;
  const { name, value, isLiteral, element, key, at } = property;
  worst(
    run,
    [value],
    (index) => {
      const site: PropertySite = {
        name,
        isLiteral,
        element,
        safetyOf: run.state.safetyTest,
        value: new View(run, value, index),
      };
      return sinks.inProperty(site);
    },
    (danger) => run.report(danger, key, at, name),
  );
}

/** `object.name = value`, `object[first][second] = value`. */
interface Assignment {
  readonly name: string;
  readonly object: Shape;
  readonly objectPath: string | null;
  readonly keys: readonly [Shape | null, Shape | null];
  readonly isMadeOnDemand: boolean;
  readonly value: Shape;
  readonly at: Span;
}

/** Reports what a value does where it is assigned. */
export function checkAssignment(run: Run, assignment: Assignment): void {
  const { sinks } = run.knowledge;
  if (sinks === null) return;
  const { name, object, objectPath, keys, isMadeOnDemand, value, at } = assignment;
  const [outer, inner] = keys;
  const given = [value, ...(outer === null ? [] : [outer]), ...(inner === null ? [] : [inner])];
  worst(
    run,
    given,
    (index) => {
      const view = (shape: Shape | null) => (shape === null ? null : new View(run, shape, index));
      const site: AssignSite = {
        name,
        objectPath,
        safetyOf: run.state.safetyTest,
        object: new View(run, object),
        keys: [view(outer), view(inner)],
        isMadeOnDemand,
        value: new View(run, value, index),
      };
      return sinks.inAssign(site);
    },
    (danger) => run.report(danger, at, at, name || 'an assignment'),
  );
}

/** Looks at the values with each of their origins, and reports the worst that is found. */
function worst(
  run: Run,
  given: readonly Shape[],
  look: (index: number) => Danger | null,
  report: (danger: Danger) => void,
): void {
  const ways = waysIn(run, given);
  let found: Danger | null = null;
  for (let index = 0; index < ways; index += 1) {
    const danger = look(index);
    if (danger === null) continue;
    if (found === null || severityRank(danger.severity) < severityRank(found.severity)) {
      found = danger;
    }
  }
  if (found !== null) report(found);
  else if (run.hasPassed) reportPassed(run, look, report);
}

/** Reports data that may have passed through a function out of sight, which proves little. */
function reportPassed(
  run: Run,
  look: (index: number) => Danger | null,
  report: (danger: Danger) => void,
): void {
  run.showsPassed = true;
  const danger = look(0);
  run.showsPassed = false;
  if (danger === null || !run.knowledge.has('passed-class', danger.cwe)) return;
  const source = danger.source ?? danger.value.source;
  if (source?.through === undefined) return;
  report({ ...danger, source, severity: 'medium', id: lesserId(danger) });
}
