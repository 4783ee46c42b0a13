import { allowsPath, type CompiledAllowlist } from './allowlist.ts';
import type { CompiledRule, CompiledRules } from './compile.ts';
import type { ByteRegex } from './regex.ts';

/** Whether a rule is to be run on the current file. */
const ACTIVITY = { UNKNOWN: 0, ACTIVE: 1, INACTIVE: 2 } as const;

/** Numbers of lines have to fit an Int32, and no file has as many as are left above this. */
const SERIAL_MAX = 2 ** 30;

/** Which rules run on the current file: their paths and allowlists are asked once a file. */
export class FileRules {
  private readonly activity: Uint8Array;
  /** Whether an expression accepts the path; several rules may have the same. */
  private readonly accepted = new Map<ByteRegex, boolean>();
  /** Whether a list allows the whole file; several rules may have the same list. */
  private readonly allowed = new Map<CompiledAllowlist, boolean>();
  private path: Buffer = Buffer.alloc(0);

  constructor(rules: CompiledRules) {
    this.activity = new Uint8Array(rules.rules.length);
  }

  open(path: Buffer): void {
    this.path = path;
    this.activity.fill(ACTIVITY.UNKNOWN);
    if (this.accepted.size > 0) this.accepted.clear();
    if (this.allowed.size > 0) this.allowed.clear();
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
  /** Whether the current line holds two string literals that are joined by an operator. */
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
