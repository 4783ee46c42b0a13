import { RISK_GATE } from '../limits.ts';
import type { CompiledRule, CompiledRules } from './compiled-rules.ts';
import { allowsPath, type ByteRegex, type CompiledAllowlist } from './regex.ts';
import { Scratch } from './unicode.ts';

/** Whether a rule is to be run on the current file. */
const ACTIVITY = { UNKNOWN: 0, ACTIVE: 1, INACTIVE: 2 } as const;

/** Numbers of lines have to fit an Int32, and no file has as many as are left above this. */
const SERIAL_MAX = 2 ** 30;

/** Paths whose rules are remembered: changes come back to the same files. */
const PATHS_KEPT = 512;

/**
 * Which rules run on the current file: their paths and allowlists are asked once a file, and not
 * again for the PATHS_KEPT paths that came last.
 */
export class FileRules {
  private readonly rules: CompiledRules;
  /** By rule; the last one stands for `alwaysPath`. */
  private activity: Uint8Array;
  /** The same by path, as far as it was asked for. */
  private readonly kept = new Map<string, Uint8Array>();
  /** Whether an expression accepts the path; several rules may have the same. */
  private readonly accepted = new Map<ByteRegex, boolean>();
  /** Whether a list allows the whole file; several rules may have the same list. */
  private readonly allowed = new Map<CompiledAllowlist, boolean>();
  private path: Buffer = Buffer.alloc(0);

  constructor(rules: CompiledRules) {
    this.rules = rules;
    this.activity = this.newActivity();
  }

  open(path: Buffer): void {
    this.path = path;
    const name = path.toString('latin1');
    this.activity = this.kept.get(name) ?? this.newActivity();
    if (!this.kept.has(name)) this.kept.set(name, this.activity);
    if (this.accepted.size > 0) this.accepted.clear();
    if (this.allowed.size > 0) this.allowed.clear();
  }

  /** Whether one of `alwaysRules` may run on the file. */
  suitsAlways(): boolean {
    const { alwaysPath, rules } = this.rules;
    if (alwaysPath === null) return true;
    const known = this.activity[rules.length];
    if (known !== ACTIVITY.UNKNOWN) return known === ACTIVITY.ACTIVE;
    const suits = alwaysPath.test(this.path);
    this.activity[rules.length] = suits ? ACTIVITY.ACTIVE : ACTIVITY.INACTIVE;
    return suits;
  }

  /** Of the path that has been there longest, once there are enough. */
  private newActivity(): Uint8Array {
    const [oldest] = this.kept.size < PATHS_KEPT ? [] : this.kept;
    if (oldest === undefined) return new Uint8Array(this.rules.rules.length + 1);
    const [name, activity] = oldest;
    this.kept.delete(name);
    return activity.fill(ACTIVITY.UNKNOWN);
  }

  isActive(rule: CompiledRule): boolean {
    const known = this.activity[rule.index];
    if (known !== ACTIVITY.UNKNOWN) return known === ACTIVITY.ACTIVE;
    const isActive =
      (rule.path === null || this.isAccepted(rule.path)) &&
      !rule.allowlists.some((list) => this.isAllowed(list));
    this.activity[rule.index] = isActive ? ACTIVITY.ACTIVE : ACTIVITY.INACTIVE;
    return isActive;
  }

  private isAccepted(path: ByteRegex): boolean {
    const known = this.accepted.get(path);
    if (known !== undefined) return known;
    const isAccepted = path.test(this.path);
    this.accepted.set(path, isAccepted);
    return isAccepted;
  }

  private isAllowed(list: CompiledAllowlist): boolean {
    if (list.paths === null) return false;
    const known = this.allowed.get(list);
    if (known !== undefined) return known;
    const isAllowed = allowsPath(list, this.path);
    this.allowed.set(list, isAllowed);
    return isAllowed;
  }
}

/**
 * Collects the rules whose keywords a text holds. `next()` before each line; then `wake` for
 * every output state of `textKeywords` that the automaton reaches in it.
 */
export class Waker {
  /** Indices of the `line` rules that the current line woke, the first `lineCount` of these. */
  readonly lineRules: Int32Array;
  lineCount = 0;
  /** `hunk` rules woken since the caller last cleared the set. */
  readonly hunkRules = new Set<CompiledRule>();
  /** Whether the current line holds one of JOINTS: literals that are joined, or an escape. */
  hasJoint = false;
  /** Whether it holds a character that nobody sees. */
  hasInvisible = false;
  private readonly rules: CompiledRules;
  private readonly file: FileRules;
  private readonly secretsOnly: boolean;
  /** By rule: number of the line that last woke it, so that it is woken once. */
  private readonly wokenIn: Int32Array;
  private serial = 0;

  /** With `secretsOnly` other rules are never woken. */
  constructor(rules: CompiledRules, file: FileRules, secretsOnly: boolean) {
    this.rules = rules;
    this.file = file;
    this.secretsOnly = secretsOnly;
    this.wokenIn = new Int32Array(rules.rules.length + 2);
    this.lineRules = new Int32Array(rules.rules.length);
  }

  /** To be called at the start of a text: forgets what an earlier one left. */
  open(): void {
    this.hunkRules.clear();
    if (this.serial < SERIAL_MAX) return;
    this.wokenIn.fill(0);
    this.serial = 0;
  }

  next(): void {
    this.serial += 1;
    this.lineCount = 0;
    this.hasJoint = false;
    this.hasInvisible = false;
  }

  wake(state: number): void {
    const { automaton, ruleStart, ruleIds } = this.rules.textKeywords;
    const output = (state - automaton.firstOutput) / automaton.stride;
    const last = ruleStart[output + 1] ?? 0;
    for (let index = ruleStart[output] ?? 0; index < last; index += 1) {
      const id = ruleIds[index] ?? 0;
      if (this.wokenIn[id] === this.serial) continue;
      this.wokenIn[id] = this.serial;
      const rule = this.rules.rules[id];
      if (rule === undefined) this.note(id);
      else if (this.isWanted(rule)) this.add(rule);
    }
  }

  isWanted(rule: CompiledRule): boolean {
    return (!this.secretsOnly || rule.kind === 'secret') && this.file.isActive(rule);
  }

  private note(id: number): void {
    if (id === this.rules.rules.length) this.hasJoint = true;
    else this.hasInvisible = true;
  }

  private add(rule: CompiledRule): void {
    if (rule.target === 'hunk') this.hunkRules.add(rule);
    else this.lineRules[this.lineCount++] = rule.index;
  }
}

/** The memory of a `PlainText`: a text, and where in the diff each of its bytes stands. */
export class PlainBuffer {
  readonly text = Buffer.alloc(RISK_GATE.HUNK_WINDOW_BYTES + 1);
  readonly sources = new Uint32Array(RISK_GATE.HUNK_WINDOW_BYTES + 1);
}

/**
 * What scans with one rule set use again and again: most diffs are small, and would otherwise
 * spend more time on new arrays than on their lines. One scan at a time; it leaves nothing behind
 * that the next one reads.
 */
export class Workspace {
  readonly fileRules: FileRules;
  /** For the lines of the diff, and for texts made from them. */
  readonly waker: Waker;
  readonly secretWaker: Waker;
  readonly anyWaker: Waker;
  /** Copies of lines and texts that are not UTF-8. */
  readonly scratch = new Scratch();
  /** Joined literals, and decoded text by depth. */
  readonly literals = new Scratch();
  readonly decoded: readonly Scratch[];
  private hunkBuffer: Buffer | null = null;
  private plainBuffer: PlainBuffer | null = null;

  constructor(rules: CompiledRules) {
    this.fileRules = new FileRules(rules);
    this.waker = new Waker(rules, this.fileRules, false);
    this.secretWaker = new Waker(rules, this.fileRules, true);
    this.anyWaker = new Waker(rules, this.fileRules, false);
    this.decoded = Array.from({ length: RISK_GATE.ENCODED_DEPTH_MAX }, () => new Scratch());
  }

  /** For the joined lines of a hunk. Made when first needed. */
  get hunk(): Buffer {
    this.hunkBuffer ??= Buffer.alloc(RISK_GATE.HUNK_WINDOW_BYTES + 1);
    return this.hunkBuffer;
  }

  /** For these lines as they read. Made when first needed. */
  get plain(): PlainBuffer {
    this.plainBuffer ??= new PlainBuffer();
    return this.plainBuffer;
  }
}

const workspaces = new WeakMap<CompiledRules, Workspace>();

/** The workspace of a rule set; rule sets belong to one thread, and so do these. */
export function workspaceOf(rules: CompiledRules): Workspace {
  const known = workspaces.get(rules);
  if (known !== undefined) return known;
  const made = new Workspace(rules);
  workspaces.set(rules, made);
  return made;
}
