import type { Random } from '../../bench/random.ts';
import type { Component } from '../../src/model/components.ts';
import type { RealHost } from '../pushes/checked-host.ts';
import { leak } from '../pushes/daemon/bad-code.ts';
import { MAIN, type World } from '../pushes/world.ts';

/** Folders that are components. */
export const PARTS = ['web', 'pay', 'docs'] as const;
/** What prod-check is asked for. */
export const BRANCHES = [null, 'main', 'side'] as const;

const SIDE = 'refs/heads/side';
const STEPS = 28;
const FILES = 4;

/** A repository with components that is played, and how its prod-check is asked. */
export interface Mono {
  host: RealHost;
  world: World;
  setMap(components: readonly Component[]): void;
  ask(question: { component: string | null; branch: string | null }): Promise<string>;
}

/** What is told to the service; `what` names it in counts, `told` says more. */
export type Event = { what: string; told: string } & (
  | { kind: 'push'; ref: string; sha: string }
  /** `push`: the step of the push; `listed`: the components that it is about. */
  | { kind: 'decide'; action: 'override' | 'reject'; push: number; listed: readonly string[] }
  | { kind: 'map' }
);

/** An event, and for each component what prod-check answers after it, by BRANCHES. */
export interface Step {
  event: Event;
  answers: Readonly<Record<string, readonly string[]>>;
}

type Tree = ReadonlyMap<string, string>;

/** Plays a random history. `isShared`: no component claims the folder `shared`. */
export async function makeHistory(
  random: Random,
  mono: Mono,
): Promise<{ steps: Step[]; isShared: boolean }> {
  const history = new History(random, mono);
  await history.play();
  return history;
}

class History {
  readonly steps: Step[] = [];
  readonly isShared: boolean;
  /** Fewer findings: more merges, and changes of the map. */
  private readonly isCalm: boolean;
  private readonly random: Random;
  private readonly mono: Mono;
  private readonly trees = new Map<string, Tree>();
  private readonly records = new Map<number, string>();
  /** Components that no file belongs to: they change the map alone. */
  private extras: string[] = [];
  private maps = 0;
  private words = 0;

  constructor(random: Random, mono: Mono) {
    this.random = random;
    this.mono = mono;
    this.isShared = random.between(0, 2) === 0;
    this.isCalm = random.between(0, 2) === 0;
  }

  private setMap() {
    const folders = [...PARTS, ...(this.isShared ? [] : ['shared'])];
    this.mono.setMap([...folders, ...this.extras].map((id) => ({ id, paths: [`${id}/**`] })));
  }
  private async note(event: Event) {
    await this.mono.world.drain();
    const answers: Record<string, string[]> = {};
    for (const component of PARTS) {
      answers[component] = [];
      for (const branch of BRANCHES) {
        answers[component].push(await this.mono.ask({ component, branch }));
      }
    }
    this.steps.push({ event, answers });
  }
  private async push(ref: string, sha: string, what: string, told: string) {
    this.mono.host.repository.git('update-ref', ref, sha);
    const known = new Set(this.mono.world.known.keys());
    await this.mono.world.deliver(this.mono.world.push(ref, sha));
    const id = [...this.mono.world.known.keys()].find((each) => !known.has(each));
    if (id !== undefined) this.records.set(this.steps.length, id);
    await this.note({ kind: 'push', ref, sha, what, told: `${ref.slice(11)} ${told}` });
  }
  /** Commits a tree and answers its id; the ref is moved when it is pushed. */
  private commit(tree: Tree, from: string | null, merge: readonly string[] = []) {
    const before: Tree = from === null ? new Map() : (this.trees.get(from) ?? new Map());
    const names = new Set([...before.keys(), ...tree.keys()]);
    const changed = [...names].filter((name) => before.get(name) !== tree.get(name));
    const blobs = changed.map((name) => ({ name, data: tree.get(name) ?? null }));
    const sha = this.mono.host.repository.commit(blobs, { ref: 'refs/made/next', from, merge });
    this.mono.host.repository.git('update-ref', '-d', 'refs/made/next');
    this.trees.set(sha, tree);
    return sha;
  }
  private treeAt(ref: string) {
    return new Map(this.trees.get(this.mono.host.refs.get(ref) ?? ''));
  }
  private word() {
    this.words += 1;
    return this.words;
  }
  private line(): [text: string, told: string] {
    const kind = this.random.between(0, 10) + (this.isCalm ? 0 : 3);
    if (kind < 9) return [`line ${this.word()}\n`, 'clean'];
    if (kind < 11) return [`KILL_SWITCH = ${this.word()}\n`, 'bad'];
    return [leak(`${this.random.next()} ${this.word()}`), 'secret'];
  }
  private fileIn(folder: string) {
    return `${folder}/f${this.random.between(0, FILES)}.txt`;
  }
  private folder() {
    return this.random.pick([...PARTS, ...PARTS, 'shared']);
  }
  private onRef() {
    return this.random.pick(this.mono.host.refs.has(SIDE) ? [MAIN, MAIN, SIDE] : [MAIN]);
  }

  private async edit() {
    const ref = this.onRef();
    const told: string[] = [];
    let from = this.mono.host.refs.get(ref) ?? null;
    // One push may have several commits.
    for (let left = this.random.between(1, 3); left > 0; left -= 1) {
      const tree = new Map(this.trees.get(from ?? ''));
      for (let files = this.random.between(1, 3); files > 0; files -= 1) {
        const name = this.fileIn(this.folder());
        const [text, kind] = this.line();
        tree.set(name, `${tree.get(name) ?? ''}${text}`);
        told.push(`${kind} in ${name}`);
      }
      from = this.commit(tree, from);
    }
    await this.push(ref, from ?? '', 'pushes: edits', told.join(', '));
  }

  private async clean() {
    const ref = this.onRef();
    const tree = this.treeAt(ref);
    const bad = [...tree].filter(([, text]) => /KILL_SWITCH|AKIA/.test(text));
    if (bad.length === 0) return;
    const [name, text] = this.random.pick(bad);
    const rest = text.split('\n').filter((each) => !/KILL_SWITCH|AKIA/.test(each));
    tree.set(name, `${rest.join('\n')}\nclean ${this.word()}\n`);
    await this.push(
      ref,
      this.commit(tree, this.mono.host.refs.get(ref) ?? null),
      'pushes: taken out',
      name,
    );
  }

  private async move() {
    const ref = this.onRef();
    const tree = this.treeAt(ref);
    const [name, text] = this.random.pick([...tree]);
    const isAcross = this.random.between(0, 2) === 0;
    const to = `${isAcross ? this.folder() : name.split('/')[0]}/m${this.word()}.txt`;
    tree.delete(name);
    tree.set(to, text);
    const sha = this.commit(tree, this.mono.host.refs.get(ref) ?? null);
    await this.push(ref, sha, 'pushes: moves', `${name} to ${to}`);
  }

  private async branch() {
    if (this.mono.host.refs.has(SIDE)) return;
    await this.push(SIDE, this.mono.host.refs.get(MAIN) ?? '', 'pushes: new branch', 'at main');
  }

  private async merge() {
    if (!this.mono.host.refs.has(SIDE)) return;
    const [into, other] = this.random.pick([
      [MAIN, SIDE],
      [SIDE, MAIN],
    ] as const);
    const own = this.mono.host.refs.get(into) ?? '';
    const theirs = this.mono.host.refs.get(other) ?? '';
    const base = this.mono.host.repository.git('merge-base', own, theirs).toString().trim();
    if (base === theirs) return;
    if (base === own) return await this.push(into, theirs, 'pushes: fast-forward', `to ${other}`);
    // Now and then somebody resolves by hand what git would merge.
    const isByHand = this.random.between(0, 4) === 0;
    const pick = isByHand ? () => this.random.between(0, 2) === 0 : null;
    const sha = this.commit(mergeOf(this.trees, { base, own, theirs, pick }), own, [theirs]);
    const what = isByHand ? 'pushes: merges by hand' : 'pushes: merges';
    await this.push(into, sha, what, `of ${other.slice(11)}`);
  }

  /** A file as it was in some earlier commit. */
  private async restore() {
    const ref = this.onRef();
    const tree = this.treeAt(ref);
    const [name, text] = this.random.pick([...this.random.pick([...this.trees.values()])]);
    if (tree.get(name) === text) return;
    tree.set(name, text);
    const sha = this.commit(tree, this.mono.host.refs.get(ref) ?? null);
    await this.push(ref, sha, 'pushes: restored', name);
  }

  private async map() {
    this.maps += 1;
    const isSmaller = this.extras.length > 0 && this.random.between(0, 3) === 0;
    if (isSmaller) this.extras = this.extras.slice(1);
    else this.extras = [...this.extras, `extra-${this.maps}`];
    this.setMap();
    await this.note({ kind: 'map', what: 'changes of the map', told: isSmaller ? 'less' : 'more' });
  }

  private async decide(action: 'override' | 'reject') {
    const wanted = action === 'override' ? ['BLOCKED'] : ['BLOCKED', 'PASSED', 'OVERRIDDEN'];
    const open = [...this.records].flatMap(([at, id]) => {
      const record = this.mono.world.known.get(id);
      return record && wanted.includes(record.overall_status) ? [[at, record] as const] : [];
    });
    // Mostly the newest ones: older ones are history for people, too.
    const [at, record] = open.at(-1 - Math.min(this.random.between(0, 3), open.length - 1)) ?? [];
    if (at === undefined || record === undefined) return;
    // An override is not about what was rejected.
    const about = (record.components ?? []).filter(
      ({ status }) => action === 'reject' || status !== 'REJECTED',
    );
    const listed = about.map(({ id }) => id);
    await this.mono.world.decide(record, action);
    const told = `${at}, which lists ${listed.join(', ')}`;
    await this.note({
      kind: 'decide',
      action,
      push: at,
      listed,
      what: `decisions: ${action}`,
      told,
    });
  }

  /** From a first commit with a file of each folder. */
  async play(): Promise<void> {
    const moves: Record<string, () => Promise<void>> = {
      edit: () => this.edit(),
      clean: () => this.clean(),
      move: () => this.move(),
      branch: () => this.branch(),
      merge: () => this.merge(),
      restore: () => this.restore(),
      map: () => this.map(),
      override: () => this.decide('override'),
      reject: () => this.decide('reject'),
    };
    this.setMap();
    const first = new Map([...PARTS, 'shared'].map((part) => [`${part}/f0.txt`, `of ${part}\n`]));
    await this.push(MAIN, this.commit(first, null), 'pushes: first', '');
    while (this.steps.length < STEPS) await moves[this.random.pick(WEIGHTS)]?.();
  }
}

const WEIGHTS = [
  ...['edit', 'edit', 'edit', 'edit', 'edit', 'edit', 'clean', 'move', 'restore', 'map'],
  ...['branch', 'branch', 'merge', 'merge', 'merge', 'override', 'override', 'override', 'reject'],
];

interface MergeParts {
  base: string;
  own: string;
  theirs: string;
  /** Whether a file is that of the own side; null: as git merges, in a conflict it is. */
  pick: (() => boolean) | null;
}

function mergeOf(
  trees: ReadonlyMap<string, Tree>,
  { base, own, theirs, pick }: MergeParts,
): Map<string, string> {
  const [before, one, two] = [base, own, theirs].map((sha) => trees.get(sha) ?? new Map());
  const merged = new Map<string, string>();
  for (const name of new Set([...(one?.keys() ?? []), ...(two?.keys() ?? [])])) {
    const isSame = one?.get(name) === two?.get(name);
    const isOwn = pick !== null && !isSame ? pick() : one?.get(name) !== before?.get(name);
    const text: string | undefined = isOwn ? one?.get(name) : two?.get(name);
    if (text !== undefined) merged.set(name, text);
  }
  return merged;
}
