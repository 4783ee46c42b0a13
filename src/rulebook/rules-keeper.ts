import { createHash, randomUUID } from 'node:crypto';
import type { RulesSource } from '../analysis/job.ts';
import { idleSeverities } from '../gates/patterns/severities.ts';
import { plainEvent } from '../model/audit.ts';
import { type Component, componentMap, type EarlierMaps } from '../model/components.ts';
import { CraError } from '../model/errors.ts';
import { RULES } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import { emptyLists, type RuleSet } from '../model/rules.ts';
import type { RulebookStore, RulesEntry } from '../store/contract/store.ts';
import {
  type Built,
  buildRules,
  readBuiltInJson,
  readRulesText,
  withoutExamples,
} from './active-rules.ts';

/** The rules in force, as `GET rules` shows them. */
export interface RulesInForce {
  /** 0: the built-in rules, which are not a stored revision. */
  number: number;
  revision: string;
  /** The rule set, JSON. */
  json(): Uint8Array;
  /** They are the built-in set of this version, stored as a revision or not. */
  isBuiltIn: boolean;
}

export interface RulesState {
  number: number;
  revision: string;
  /** The rules in force are the built-in set of this version. */
  built_in: boolean;
  /** Sentences: what of the rules file, or of a stored revision, did not become active, and why. */
  problems: string[];
  /** Sentences on the rules in force: lists without patterns, rules that take much CPU time. */
  warnings: string[];
}

/**
 * Keeps the rules in force. The newest stored revision counts; a rules file becomes one when its
 * content is not that of the last file. Rules that are wrong never replace good ones.
 */
export interface RulesKeeper {
  /** What jobs run under: one object whose content changes with the rules. */
  readonly source: RulesSource;
  inForce(): RulesInForce;
  state(): RulesState;
  /** Takes up the rules file if it has changed, then what other daemons have stored. */
  reload(): Promise<void>;
  /** Takes up what other daemons have stored. Never rejects: `state` tells. */
  follow(): Promise<void>;
  /** Tries rules without storing them. INVALID_ARGUMENT names the problems. */
  build(text: string): Promise<Built>;
  /**
   * Makes rules the newest revision. ABORTED when the newest is not `expected` (a number; null:
   * whatever it is). INVALID_ARGUMENT names what is wrong with them.
   */
  replace(principal: Principal, change: RulesChange): Promise<RulesEntry>;
  /** Makes the text of an older revision the newest one. */
  rollBack(principal: Principal, number: number, expected: number | null): Promise<RulesEntry>;
  list(before: number | null): Promise<RulesEntry[]>;
  /**
   * Whether a revision is the built-in set of this version: by its hash, or, of the one in force,
   * as it was read by this version.
   */
  isBuiltIn(entry: Pick<RulesEntry, 'number' | 'revision'>): boolean;
  /** The rules file of a revision, JSON. NOT_FOUND. */
  textOf(number: number): Promise<string>;
  /** The components that a repository had by the rules that an RFC names. */
  readonly earlierMap: EarlierMaps;
}

export interface RulesChange {
  text: string;
  expected: number | null;
  comment: string;
}

export interface RulesKeeperOptions {
  store: RulebookStore;
  /** Path of the rules file; null when absent. */
  path: string | null;
  /** The built-in rules, without their examples. */
  defaults: RulesSource;
  now(): Date;
}

/** What a revision says besides its content; no principal: it comes from the rules file. */
type Meta = Pick<RulesEntry, 'source' | 'text_sha256' | 'comment'> & {
  principal: Principal | null;
};

/** Opens the rules. Rejects with INVALID_ARGUMENT when they are absent that could be run under. */
export async function openRules(options: RulesKeeperOptions): Promise<RulesKeeper> {
  const keeper = new Keeper(options);
  await keeper.open();
  return keeper;
}

class Keeper implements RulesKeeper {
  readonly source: { revision: string; rules: RuleSet };
  private readonly options: RulesKeeperOptions;
  private active: RulesInForce & { warnings: string[] };
  private following: Promise<void> | null = null;
  private fileProblem: string | null = null;
  private storeProblem: string | null = null;
  /** The stored revision that could not be built last. */
  private refused: { number: number; error: CraError } | null = null;
  /** By revision. */
  private readonly earlier = new Map<string, Promise<readonly Component[]>>();

  constructor(options: RulesKeeperOptions) {
    const { revision, rules } = options.defaults;
    this.options = options;
    this.source = { revision, rules };
    const json = () => readBuiltInJson(revision);
    this.active = { number: 0, revision, json, warnings: [], isBuiltIn: true };
  }

  inForce(): RulesInForce {
    return this.active;
  }

  state(): RulesState {
    const { number, revision, warnings, isBuiltIn: built_in } = this.active;
    const problems = [this.fileProblem, this.storeProblem].filter((one) => one !== null);
    return { number, revision, built_in, problems, warnings };
  }

  /** At the start a wrong file is only tolerable when there is something else to run under. */
  async open(): Promise<void> {
    await this.takeUpFile().catch((thrown: unknown) => this.tellFile(thrown));
    await this.takeUpStored().catch((thrown: unknown) => {
      throw withAdvice(thrown);
    });
    if (this.fileProblem !== null && this.active.number === 0) {
      throw new CraError('INVALID_ARGUMENT', this.fileProblem);
    }
  }

  async reload(): Promise<void> {
    this.fileProblem = null;
    await this.takeUpFile().catch((thrown: unknown) => this.tellFile(thrown));
    await this.follow();
  }

  /** One look at a time: trying rules may take longer than the time between two. */
  follow(): Promise<void> {
    this.following ??= this.lookOnce().finally(() => {
      this.following = null;
    });
    return this.following;
  }

  private async lookOnce(): Promise<void> {
    try {
      await this.takeUpStored();
      this.storeProblem = null;
    } catch (thrown) {
      this.storeProblem = CraError.fromUnknown(thrown).message;
    }
  }

  async build(text: string): Promise<Built> {
    const built = await buildRules({ name: 'rules', text, isToml: false });
    if (built.slow.length === 0) return built;
    const shown = built.slow.slice(0, RULES.PROBLEMS_SHOWN_MAX).join('; ');
    throw new CraError('INVALID_ARGUMENT', `rules: ${shown}`);
  }

  async replace(principal: Principal, { text, expected, comment }: RulesChange) {
    const built = await this.build(text);
    const meta = { source: 'api', text_sha256: sha256(text), comment, principal } as const;
    if (expected !== null) return this.add(built, expected, meta);
    for (;;) {
      // Not the revision in force: the newest may be of another daemon, or broken.
      const added = await this.addOnTop(built, await this.newestNumber(), meta);
      if (added !== null) return added;
    }
  }

  async rollBack(principal: Principal, number: number, expected: number | null) {
    const text = await this.textOf(number);
    return this.replace(principal, { text, expected, comment: `back to revision ${number}` });
  }

  async list(before: number | null): Promise<RulesEntry[]> {
    const { entries } = await this.options.store.listRules({ limit: RULES.LIST_MAX, before });
    return entries;
  }

  isBuiltIn({ number, revision }: Pick<RulesEntry, 'number' | 'revision'>): boolean {
    const { active, options } = this;
    return number === active.number ? active.isBuiltIn : revision === options.defaults.revision;
  }

  async textOf(number: number): Promise<string> {
    return (await this.options.store.rulesAt({ number })).text;
  }

  readonly earlierMap: EarlierMaps = async ({ rules_revision, repo_name }) => {
    const { earlier } = this;
    const components = earlier.get(rules_revision) ?? this.componentsAt(rules_revision);
    if (earlier.size >= RULES.LIST_MAX) earlier.clear();
    earlier.set(rules_revision, components);
    components.catch(() => earlier.delete(rules_revision));
    return componentMap({ components: await components }, repo_name);
  };
  /** The components of a revision, by the hash of its rules; empty where it is not stored. */
  private async componentsAt(revision: string): Promise<readonly Component[]> {
    for (let before: number | null = null; ; ) {
      const entries: RulesEntry[] = await this.list(before);
      const entry = entries.find((one) => one.revision === revision);
      const file = entry && (JSON.parse(await this.textOf(entry.number)) as RuleSet);
      before = entries.at(-1)?.number ?? null;
      if (file !== undefined || before === null) return file?.components ?? [];
    }
  }

  private tellFile(thrown: unknown): void {
    this.fileProblem = CraError.fromUnknown(thrown).message;
  }

  /** Stores the rules file, unless it is the file that was stored last. */
  private async takeUpFile(): Promise<void> {
    const { path } = this.options;
    if (path === null) return;
    const source = readRulesText(path);
    const text_sha256 = sha256(source.text);
    const meta = { source: 'file', text_sha256, comment: source.name, principal: null } as const;
    let built: Built | null = null;
    for (;;) {
      const newest = await this.newestNumber();
      if ((await this.lastFileHash()) === text_sha256) return;
      built ??= await buildRules(source);
      if ((await this.addOnTop(built, newest, meta)) !== null) return;
    }
  }

  /** Null: a revision was stored meanwhile. */
  private async addOnTop(built: Built, newest: number, meta: Meta): Promise<RulesEntry | null> {
    try {
      return await this.add(built, newest, meta);
    } catch (thrown) {
      if (thrown instanceof CraError && thrown.code === 'ABORTED') return null;
      throw thrown;
    }
  }

  private async newestNumber(): Promise<number> {
    const { newest } = await this.options.store.newestRules({ known: Number.MAX_SAFE_INTEGER });
    return newest?.number ?? 0;
  }

  private async lastFileHash(): Promise<string | null> {
    let before: number | null = null;
    for (;;) {
      const entries: RulesEntry[] = await this.list(before);
      const file = entries.find(({ source }) => source === 'file');
      if (file !== undefined) return file.text_sha256;
      before = entries.at(-1)?.number ?? null;
      if (before === null) return null;
    }
  }

  /** A revision that is wrong is not tried again: nothing about it changes. */
  private async takeUpStored(): Promise<void> {
    const { store } = this.options;
    const known = this.refused?.number ?? this.active.number;
    const { newest, text } = await store.newestRules({ known });
    if (newest === null || newest.number === this.active.number) return;
    if (text === null) {
      if (this.refused?.number === newest.number) throw this.refused.error;
      return;
    }
    const name = `stored rules, revision ${newest.number}`;
    try {
      this.activate(newest.number, await buildRules({ name, text, isToml: false, isStored: true }));
    } catch (thrown) {
      const error = CraError.fromUnknown(thrown);
      // A process that was killed or too slow says little about the rules: they are tried again.
      const isWrong = error.code === 'INVALID_ARGUMENT' && error.details['tried'] !== false;
      if (isWrong) this.refused = { number: newest.number, error };
      throw thrown;
    }
  }

  private activate(number: number, { rules, revision, json, slow }: Built): void {
    if (number < this.active.number) return;
    const empty = emptyLists(rules).map((list) => `there are no ${list}: allow_empty is set`);
    const weaker = rules.pipeline.allow_weaker === true ? [WEAKER] : [];
    const idle = idleSeverities(rules);
    const isBuiltIn = revision === this.options.defaults.revision;
    const warnings = [...empty, ...weaker, ...idle, ...slow];
    this.active = { number, revision, json: () => json, warnings, isBuiltIn };
    this.refused = null;
    this.storeProblem = null;
    // Together: a job reads both in one go.
    this.source.revision = revision;
    this.source.rules = withoutExamples(rules);
  }

  private async add(built: Built, expected: number, meta: Meta): Promise<RulesEntry> {
    const { principal, ...described } = meta;
    const { revision } = built;
    const added_at = this.options.now().toISOString();
    const added_by = principal?.id ?? 'cra';
    const { entry } = await this.options.store.addRules({
      expected,
      text: built.fileText,
      entry: { revision, ...described, added_at, added_by },
      event: plainEvent({
        kind: 'rules',
        op_id: randomUUID(),
        principal,
        details: { revision, ...described, stored_sha256: sha256(built.fileText) },
      }),
    });
    this.activate(entry.number, built);
    return entry;
  }
}

const WEAKER = 'modes may lower vulnerabilities and private keys: allow_weaker is set';

/** A start under weaker rules than the stored ones would let things pass: somebody has to look. */
function withAdvice(thrown: unknown): unknown {
  if (!(thrown instanceof CraError) || thrown.code !== 'INVALID_ARGUMENT') return thrown;
  const advice = 'put corrected rules into the file that SERVICE_RULES_PATH names';
  return new CraError('INVALID_ARGUMENT', `${thrown.message}; ${advice}`, { cause: thrown });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
