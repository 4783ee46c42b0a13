/**
 * The rules of docs/why/heads.md once more, over commits whose trees are sets of words: those that
 * begin with `bad` are what the gates block. Written from its table, without a line of the service:
 * each verdict of the service, and what it revokes, is compared with what the table says.
 */
import { mergeWords } from '../pushes/fake-host.ts';

/** What the model knows of the host. */
export interface Graph {
  /** A commit and its ancestors, newest first; null: nothing. */
  reach(sha: string | null): string[];
  tree(sha: string | null): ReadonlySet<string>;
  /** Words that a commit has and none of its parents. */
  addedBy(sha: string): string[];
  /** What git merges without a conflict; null: it does not. */
  merge(one: string, other: string): ReadonlySet<string> | null;
  parents(sha: string): readonly string[];
}

/** A push as its record shows it. */
export interface ModelPush {
  id: string;
  ref: string;
  sha: string;
  before: string | null;
  isSwept: boolean;
  status: string;
  /** Whether a person's decision about it counts, in order of time, and what it was. */
  decisions: readonly { action: string; at: string }[];
  base: string | null;
  dependsOn: readonly string[];
  carriedFrom: readonly string[];
  /** Bad words that its verdict named. */
  seen: readonly string[];
  /** Its change could not be fetched. */
  isUnjudged: boolean;
}

export interface State {
  /** In the order in which they came. */
  pushes: readonly ModelPush[];
  baseline: string | null;
  mainRef: string;
}

const ACCEPTING = ['PASSED', 'APPROVED', 'OVERRIDDEN'];

/** Rule "accepted". */
export function isAccepted({ status, isUnjudged }: ModelPush): boolean {
  return ACCEPTING.includes(status) && !isUnjudged;
}

function isAcceptedSha(sha: string, { pushes, baseline }: State): boolean {
  return sha === baseline || pushes.some((push) => push.sha === sha && isAccepted(push));
}

/** Rule "base": a rejected commit is none, whatever accepts it. */
function isBase(sha: string, state: State): boolean {
  return isAcceptedSha(sha, state) && !isRejected(sha, state);
}

/**
 * What is wrong with a verdict that was just made, in a sentence; null: the table says the same.
 * `state`: all pushes as they were then.
 */
export function faultOf(push: ModelPush, state: State, graph: Graph): string | null {
  if (push.isUnjudged) return push.status === 'BLOCKED' ? null : 'it passed unseen';
  const base = faultOfBase(push, state, graph);
  if (base !== null) return base;
  const words = wordsOf(push, graph);
  const isRefused = isRejected(push.sha, state);
  const isBlocked = words.length > 0 || isRefused;
  const covered = isBlocked && !isRefused && isCovered(push, state, graph);
  const expected = !isBlocked ? 'PASSED' : covered ? 'OVERRIDDEN' : 'BLOCKED';
  if (push.status !== expected) return `it is ${push.status}, not ${expected} (${words.join()})`;
  const own = expected === 'OVERRIDDEN' ? faultOfCarry(push, state) : null;
  if (own !== null) return own;
  const isSeen = expected === 'PASSED' || words.every((word) => push.seen.includes(word));
  return isSeen ? null : `it does not name ${words.join()}`;
}

/** Rules "base", "baseline" and "opened". */
function faultOfBase(push: ModelPush, state: State, graph: Graph): string | null {
  const { base, sha } = push;
  const nearest = graph.reach(sha).find((each) => isBase(each, state)) ?? null;
  const isOwn = nearest === null || !isJudged(nearest, state, graph);
  const isWithin = isOwn && graph.reach(state.baseline).includes(sha);
  if (isWithin && isAnnounced(push, state)) {
    // Opened: all that was announced is in the range.
    const range = new Set(rangeOf(base, sha, graph));
    const [from = push.before] = originsOf(sha, state, graph);
    const before = new Set(graph.reach(from));
    const missing = graph.reach(sha).find((each) => !before.has(each) && !range.has(each));
    return missing === undefined ? null : `${missing} was announced and is not in the range`;
  }
  if (nearest !== null) return base === nearest ? null : `its base is ${base}, not ${nearest}`;
  const isRelated = (one: string) =>
    graph.reach(one).some((each) => graph.reach(sha).includes(each));
  const others = state.pushes
    .filter((each) => isAccepted(each) && [push.ref, state.mainRef].includes(each.ref))
    .map((each) => each.sha);
  const possible = [...others, state.baseline].filter(
    (each) => each !== null && isRelated(each) && !isRejected(each, state),
  );
  if (base === null) return possible.length === 0 ? null : `its base is empty, not ${possible[0]}`;
  const isKnown = possible.includes(base) || graph.reach(state.baseline).includes(base);
  return isKnown ? null : `its base ${base} is not accepted`;
}

/**
 * Rule "baseline": what a webhook names as `after` was pushed, so its `before` counts instead; that
 * of another webhook of the commit, where the first leads back. Where refs stood before all that
 * led to a commit, the first webhook's first; not where one of them was moved back from.
 */
function originsOf(head: string, state: State, graph: Graph): (string | null)[] {
  const met = new Set<string>();
  const origins: (string | null)[] = [];
  const left: (string | null)[] = [head];
  while (left.length > 0) {
    const sha = left.pop() ?? null;
    if (sha !== null && met.has(sha)) continue;
    if (sha !== null) met.add(sha);
    const naming = state.pushes.filter((push) => push.sha === sha && isAnnounced(push, state));
    const isKnown = sha === null || naming.length === 0 || isJudged(sha, state, graph);
    if (isKnown) origins.push(sha);
    else left.push(...naming.map((push) => push.before).reverse());
  }
  return origins.filter((sha) => !graph.reach(sha).includes(head));
}

/** Rule "baseline", where one was adopted just now: no webhook that had come names it. */
export function faultOfAdopted(state: State, graph: Graph): string | null {
  const { baseline, pushes } = state;
  if (baseline === null || isJudged(baseline, state, graph)) return null;
  const naming = pushes.find((push) => push.sha === baseline && isAnnounced(push, state));
  return naming === undefined ? null : `${baseline} was adopted, and ${naming.id} announces it`;
}

/** A webhook that names where its range begins. */
export function isAnnounced(
  { isSwept, before, ref }: ModelPush,
  { mainRef }: Pick<State, 'mainRef'>,
): boolean {
  return !isSwept && (before !== null || ref === mainRef);
}

/** Accepted by a verdict over commits: a range without any says no more than the adoption. */
function isJudged(sha: string, { pushes }: State, graph: Graph): boolean {
  const accepted = pushes.filter((push) => push.sha === sha && isAccepted(push));
  return accepted.some(({ base }) => rangeOf(base, sha, graph).length > 0);
}

function rangeOf(base: string | null, head: string, graph: Graph): string[] {
  const before = new Set(graph.reach(base));
  return graph.reach(head).filter((sha) => !before.has(sha));
}

/** Bad words that the range of a push brings, taken out again or not. */
function wordsOf({ base, sha }: Pick<ModelPush, 'base' | 'sha'>, graph: Graph): string[] {
  const known = graph.tree(base);
  const brought = [...graph.tree(sha)].filter((word) => !known.has(word));
  const range = rangeOf(base, sha, graph);
  // What a single commit adds that the base has as well was accepted with that.
  const passed = range.length > 1 ? range.flatMap((each) => graph.addedBy(each)) : [];
  return [...new Set([...brought, ...passed])].filter((word) => word.startsWith('bad'));
}

/** Rule "rejected commit". */
function isRejected(sha: string, { pushes }: State): boolean {
  const same = pushes.filter((push) => push.sha === sha);
  const times = (push: ModelPush, isReject: boolean) =>
    push.decisions.filter(({ action }) => (action === 'reject') === isReject).map(({ at }) => at);
  const rejected = same
    .flatMap((push) => times(push, true))
    .sort()
    .at(-1);
  const accepted = same.filter(isAccepted).flatMap((push) => times(push, false));
  return rejected !== undefined && !accepted.some((at) => at > rejected);
}

/** "A decision is made once", 1 to 3. */
function isCovered(push: ModelPush, state: State, graph: Graph): boolean {
  const { base, sha } = push;
  if (base === null) return false;
  const all = decidedIn(state).flatMap(({ seen }) => seen);
  const covers = (from: string, to: string) =>
    candidatesOf(state).some(({ change, deciders }) => {
      const seen = deciders.flatMap((each) => each.seen);
      const isSeen = wordsOf({ base: from, sha: to }, graph).every((word) => seen.includes(word));
      const range = { base: from, sha: to };
      return isSeen && (isSame(range, change, graph) || isMerge(range, change.sha, graph));
    });
  if (covers(base, sha)) return true;
  const line = firstParents(base, sha, graph);
  if (line === null || line.length < 2) return false;
  if (!wordsOf(push, graph).every((word) => all.includes(word))) return false;
  return line.every(([from, to]) => {
    return wordsOf({ base: from, sha: to }, graph).length === 0 || covers(from, to);
  });
}

type Range = Pick<ModelPush, 'base' | 'sha'>;

function decidedIn(state: State): ModelPush[] {
  return state.pushes.filter((push) => {
    const isOverridden = push.status === 'OVERRIDDEN' && isAccepted(push);
    return isOverridden && push.carriedFrom.length === 0 && !isRejected(push.sha, state);
  });
}

/** Decided pushes, alone and with the accepted pushes on top of them. */
function candidatesOf(state: State): { change: Range; deciders: ModelPush[] }[] {
  const found = decidedIn(state)
    .filter(({ base }) => base !== null)
    .map((push) => ({ change: push as Range, deciders: [push], ids: [push.id] }));
  for (const below of found) {
    const onTop = state.pushes.filter((push) => {
      const isOwn = isAccepted(push) && push.carriedFrom.length === 0;
      return isOwn && push.base === below.change.sha && !below.ids.includes(push.id);
    });
    for (const push of onTop) {
      if (!push.dependsOn.includes(below.ids.at(-1) ?? '')) continue;
      const isDecided = push.status === 'OVERRIDDEN';
      if (isDecided && isRejected(push.sha, state)) continue;
      const deciders = isDecided ? [...below.deciders, push] : below.deciders;
      const change = { base: below.change.base, sha: push.sha };
      found.push({ change, deciders, ids: [...below.ids, push.id] });
    }
  }
  return found;
}

/** The decided change makes exactly this tree of this base. */
function isSame({ base, sha }: Range, decided: Range, graph: Graph): boolean {
  const before = graph.tree(base);
  const tree = graph.tree(sha);
  const made = mergeWords(graph.tree(decided.base), before, graph.tree(decided.sha));
  return !isEqual(before, tree) && isEqual(made, tree);
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((word) => other.has(word));
}

function isMerge({ base, sha }: Range, decided: string, graph: Graph): boolean {
  const merged = base === null ? null : graph.merge(base, decided);
  return merged !== null && isEqual(merged, graph.tree(sha));
}

/** Steps of the first-parent line from `base` to `head`; null: `base` is not on it. */
function firstParents(base: string, head: string, graph: Graph): [string, string][] | null {
  const steps: [string, string][] = [];
  for (let sha = head; sha !== base; ) {
    const [parent] = graph.parents(sha);
    if (parent === undefined) return null;
    steps.push([parent, sha]);
    sha = parent;
  }
  return steps;
}

function faultOfCarry({ carriedFrom, dependsOn }: ModelPush, state: State): string | null {
  const standing = decidedIn(state).map(({ id }) => id);
  const isStanding = carriedFrom.length > 0 && carriedFrom.every((id) => standing.includes(id));
  if (!isStanding) return `it carries ${carriedFrom.join()}, which do not stand`;
  return carriedFrom.every((id) => dependsOn.includes(id))
    ? null
    : 'it does not depend on decisions';
}

/** Rules "resting" and "revoked", once all was revoked: what stands without its support. */
export function unsupported(state: State): string[] {
  const standing = new Set(state.pushes.filter(isAccepted).map(({ id }) => id));
  const isKept = (id: string) => standing.has(id) || id === `baseline ${state.baseline}`;
  return state.pushes
    .filter(({ status }) => [...ACCEPTING, 'BLOCKED'].includes(status))
    .filter(({ dependsOn }) => !dependsOn.every(isKept))
    .map(({ id }) => id);
}
