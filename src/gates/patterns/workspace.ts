import { RISK_GATE } from '../limits.ts';
import type { CompiledRules } from './compile.ts';
import { PlainBuffer } from './plain-text.ts';
import { Scratch } from './utf8.ts';
import { FileRules, Waker } from './waker.ts';

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
