import { CraError } from '../../src/model/errors.ts';
import type { Client } from '../../src/rpc/service.ts';
import type { Source } from '../../src/rpc/source-contract.ts';

/** A commit whose tree is a set of words; those that begin with `bad` are what the gates block. */
export interface Commit {
  sha: string;
  parents: string[];
  tree: ReadonlySet<string>;
}

/** What the source showed to be judged. */
export interface ShownRange {
  base: string | null;
  head: string;
  commits: string[];
}

/** What a diff of this host holds, in place of a patch. */
export interface WordDiff {
  added: string[];
  /** Added by commits of the range, taken out again or not. */
  passed: string[];
}

/** A Git host in memory, and the mirror of it: everything is decided by sets of words. */
export class FakeHost {
  readonly commits = new Map<string, Commit>();
  readonly refs = new Map<string, string>();
  readonly shown: ShownRange[] = [];
  isUp = true;
  /** Calls of the source until one fails as if the process died; null: none does. */
  diesAfter: number | null = null;
  private readonly mirror = new Set<string>();
  private readonly order = new Map<string, number>();
  private refsSeen = 0;

  commit(parents: string[], tree: Iterable<string>): string {
    const words = new Set(tree);
    const sha = this.nameOf(parents, words);
    this.commits.set(sha, { sha, parents, tree: words });
    this.order.set(sha, this.commits.size);
    return sha;
  }

  /** What the next commit is called. */
  protected nameOf(_parents: readonly string[], _words: ReadonlySet<string>): string {
    return (this.commits.size + 1).toString(16).padStart(40, 'c');
  }

  tree(sha: string | null): ReadonlySet<string> {
    return sha === null ? new Set() : this.get(sha).tree;
  }

  get(sha: string): Commit {
    const commit = this.commits.get(sha);
    if (commit === undefined) throw new Error(`no commit ${sha}`);
    return commit;
  }

  /** Everything reachable from a commit, itself first, newest first. */
  reach(sha: string | null): string[] {
    const seen = new Set<string>();
    const todo = sha === null ? [] : [sha];
    for (const next of todo) {
      if (seen.has(next)) continue;
      seen.add(next);
      todo.push(...this.get(next).parents);
    }
    const orderOf = (sha: string) => this.order.get(sha) ?? 0;
    return [...seen].sort((one, other) => orderOf(other) - orderOf(one));
  }

  /** Words that a commit has and none of its parents. */
  addedBy(sha: string): string[] {
    const { parents, tree } = this.get(sha);
    return [...tree].filter((word) => !parents.some((parent) => this.tree(parent).has(word)));
  }

  /** Commits that one can reach and another cannot, merges left out, oldest first. */
  newOf(sha: string, without: string): string[] {
    const known = new Set(this.reach(without));
    const fresh = this.reach(sha).filter((each) => !known.has(each));
    return fresh.filter((each) => this.get(each).parents.length === 1).reverse();
  }

  /** What a commit changed, again on top of another one. */
  again(sha: string, onto: string): string {
    const [parent = null] = this.get(sha).parents;
    const gone = parent === null ? [] : this.without(parent, sha);
    const tree = [...this.tree(onto), ...this.addedBy(sha)].filter((word) => !gone.includes(word));
    return this.commit([onto], tree);
  }

  /** Ends what it runs. */
  async close(): Promise<void> {}

  protected readonly fake: Client<typeof Source> = {
    sync: async ({ wants }) => {
      this.step();
      if (this.isUp) {
        for (const sha of wants) if (this.commits.has(sha)) this.fetch(sha);
        for (const sha of this.refs.values()) this.fetch(sha);
      }
      const missing = wants.filter((sha) => !this.mirror.has(sha));
      const problem = this.isUp ? null : 'the host is down';
      return { refs: this.isUp ? Object.fromEntries(this.refs) : null, missing, problem };
    },
    listRefs: async () => {
      this.refsSeen += 1;
      if (!this.isUp) throw this.unavailable('the host is down');
      return { refs: Object.fromEntries(this.refs) };
    },
    ancestry: async ({ from, skip, limit }) => {
      this.step();
      const all = this.reach(from);
      return { shas: all.slice(skip, skip + limit), hasMore: all.length > skip + limit };
    },
    areRelated: async ({ one, other }) => {
      this.step();
      const known = new Set(this.reach(one));
      return { related: this.reach(other).some((sha) => known.has(sha)) };
    },
    reverts: async () => ({ reverts: [], isWhole: true }),
    isAncestor: async ({ one, other }) => {
      this.step();
      return { is_ancestor: this.reach(other).includes(one) };
    },
    ancestorsAmong: async ({ head, shas }) => {
      this.step();
      const reached = new Set(this.reach(head));
      return { shas: [...new Set(shas)].filter((sha) => reached.has(sha)) };
    },
    firstParents: async ({ from, until, limit }) => {
      this.step();
      const shas: string[] = [];
      for (let sha: string | undefined = from; sha !== until; [sha] = this.get(sha).parents) {
        if (sha === undefined || shas.length === limit) return { shas: null };
        shas.push(sha);
      }
      return { shas };
    },
    isSameChange: async ({ base, head, decided }) => {
      this.step();
      const tree = this.tree(head);
      const merged = this.merge(base, decided.head);
      const picked = mergeWords(this.tree(decided.base), this.tree(base), this.tree(decided.head));
      const isPicked = sameWords(picked, tree) && !sameWords(tree, this.tree(base));
      return { is_same: isPicked || (merged !== null && sameWords(merged, tree)) };
    },
    diff: async ({ base, head }) => {
      this.step();
      const before = new Set(this.reach(base));
      const commits = this.reach(head).filter((sha) => !before.has(sha));
      const added = [...this.tree(head)].filter((word) => !this.tree(base).has(word));
      // Of one commit the diff shows it all.
      const passed = commits.length > 1 ? commits.flatMap((sha) => this.addedBy(sha)) : added;
      this.shown.push({ base, head, commits });
      const isSame = added.length === 0 && this.tree(head).size === this.tree(base).size;
      const text = isSame && passed.length === 0 ? '' : JSON.stringify({ added, passed });
      const diff = Buffer.from(text);
      const parts = { history: null, messages: new Uint8Array(0), is_annotated: false, notes: [] };
      return { ...parts, diff, commits: commits.length, message: `head ${head}` };
    },
    blobs: async () => ({ files: [] }),
  };

  readonly source: Client<typeof Source> = this.fake;

  /** The tree that git would make of two commits; null: they have nothing in common. */
  merge(one: string, other: string): Set<string> | null {
    const known = new Set(this.reach(one));
    const base = this.reach(other).find((sha) => known.has(sha));
    if (base === undefined) return null;
    return mergeWords(this.tree(base), this.tree(one), this.tree(other));
  }

  /** Words that one commit has and another has not. */
  private without(sha: string, other: string): string[] {
    const tree = this.tree(other);
    return [...this.tree(sha)].filter((word) => !tree.has(word)).sort();
  }

  /** One more call; the one at which the process dies fails. */
  step(): void {
    if (this.diesAfter === null) return;
    this.diesAfter -= 1;
    if (this.diesAfter < 0) throw new Error('the process died');
  }

  private fetch(sha: string): void {
    for (const reached of this.reach(sha)) this.mirror.add(reached);
  }

  private unavailable(reason: string): CraError {
    return new CraError('UNAVAILABLE', reason, { details: { reason } });
  }
}

/** What git makes of three trees whose files never conflict. */
export function mergeWords(
  base: ReadonlySet<string>,
  one: ReadonlySet<string>,
  other: ReadonlySet<string>,
): Set<string> {
  const isGone = (word: string) => base.has(word) && !(one.has(word) && other.has(word));
  return new Set([...one, ...other].filter((word) => !isGone(word)));
}

function sameWords(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((word) => other.has(word));
}
