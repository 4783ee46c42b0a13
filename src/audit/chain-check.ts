import type { AuditEntry, AuditPlace } from '../model/audit.ts';
import { type ChainState, follow, NO_ENTRY, newChain, rootOf } from './chain.ts';
import {
  type Checkpoint,
  type ExternalCheckpoint,
  type ExternalCheckpoints,
  namedHeads,
  type OpenCheckpoint,
  readUnverified,
} from './checkpoint.ts';
import { readEntry } from './entry.ts';
import { AUDIT_READ } from './limits.ts';

/** A fault of a trail, and where it is. */
export interface Flaw {
  /** Null: it concerns no single chain. */
  chain: string | null;
  /** The first bad or missing entry; null: it concerns no single entry. */
  seq: number | null;
  /** One sentence. */
  reason: string;
}

/** Facts about the part of a chain that was read so far. */
export interface ChainFacts {
  entries: number;
  checkpoints: number;
  /** The first so many entries are covered by a signature that was checked. */
  signed: number;
  /** Entries whose clock shows less than that of the entry before, and the first such one. */
  clockSteps: number;
  firstClockStep: number | null;
}

export interface ChainCheckOptions {
  chain: string;
  /** Null: without a key signatures are not checked. */
  open: OpenCheckpoint | null;
  external: ExternalCheckpoints;
  operations: OperationCheck;
}

/** Kinds about the trail itself: they happen as they are written. */
const OWN_KINDS: ReadonlySet<string> = new Set(['boot', 'checkpoint', 'clock-step']);

/** Checks one chain, entry by entry, up to the first flaw. */
export class ChainCheck {
  readonly facts: ChainFacts = {
    entries: 0,
    checkpoints: 0,
    signed: 0,
    clockSteps: 0,
    firstClockStep: null,
  };
  readonly #options: ChainCheckOptions;
  #state: ChainState;
  /** The first so many entries are as a checkpoint says, in the chain or outside of it. */
  #proven = 0;
  #last: AuditEntry | null = null;
  #ended: ExternalCheckpoint | null = null;
  /** The chain with an entry that does not follow the one before; the next shows which is bad. */
  #suspect: ChainState | null = null;

  constructor(options: ChainCheckOptions) {
    this.#options = options;
    this.#state = newChain(options.chain);
  }

  /** The newest entry; null: the chain is empty. */
  get last(): AuditEntry | null {
    return this.#last;
  }

  /** The next entry as written. A flaw may be of the entry before: this one shows which it is. */
  read(text: string): Flaw | null {
    if (this.#suspect !== null) return this.#unlinked(this.#suspect, text);
    const seq = this.#state.size + 1;
    const { entry, problem } = readEntry(text);
    if (problem !== null) return this.#flaw(seq, `it is not an entry: ${problem}`);
    const misplaced = this.#problemOfPlace(entry);
    if (misplaced !== null) return this.#flaw(seq, misplaced);
    const after = follow(this.#state, text);
    if (entry.prev !== this.#state.head) return this.#notFollowing(entry, after);
    const wrong = this.#problemOfContent(entry);
    if (wrong !== null) return this.#flaw(seq, wrong);
    this.#state = after;
    this.#noteTime(entry);
    const contradicted = this.#problemOfExternal();
    return contradicted === null ? null : this.#flaw(seq, contradicted);
  }

  /** There are no more entries. `isShort`: that some are missing at its end was accepted. */
  end(isShort = false): Flaw | null {
    if (this.#suspect !== null) return this.#unlinked(this.#suspect, null);
    const { size } = this.#state;
    const missing = this.#options.external.beyond(this.#options.chain, size);
    if (missing !== null && !isShort) {
      return this.#flaw(size + 1, `it is missing: ${missing.by} names entry ${missing.seq}`);
    }
    return size === 0 ? this.#flaw(1, 'the chain has no entries') : null;
  }

  /** The next entry could not even be read. */
  unreadable(reason: string): Flaw {
    if (this.#suspect !== null) return this.#unlinked(this.#suspect, null);
    return this.#flaw(this.#state.size + 1, reason);
  }

  #flaw(seq: number, reason: string): Flaw {
    return { chain: this.#options.chain, seq, reason };
  }

  #problemOfPlace({ chain, seq, kind, phase }: AuditEntry): string | null {
    const place = this.#state.size + 1;
    const ended = this.#ended;
    if (ended !== null) return `it is one too many: ${ended.by} says that the chain ends before`;
    if (chain !== this.#options.chain) return `an entry of chain ${chain} stands in its place`;
    if (seq !== place) return `entry ${seq} stands in its place`;
    if (place === 1 && kind !== 'boot') return 'the first entry of a chain must be of kind boot';
    if (place > 1 && kind === 'boot') return 'only the first entry of a chain is of kind boot';
    if (OWN_KINDS.has(kind) && phase !== 'whole') return `an entry of kind ${kind} has no phases`;
    return null;
  }

  /** An entry whose `prev` is not the hash of the one before: which of the two was changed? */
  #notFollowing(entry: AuditEntry, after: ChainState): Flaw | null {
    const { chain, open, external } = this.#options;
    const seq = after.size;
    if (seq === 1) return this.#flaw(1, `prev of the first entry must be ${NO_ENTRY}`);
    const isConfirmed = external.at(chain, seq).some(({ head }) => head === after.head);
    if (isConfirmed) return this.#flaw(seq - 1, changedBefore(seq));
    if (this.#proven === seq - 1) return this.#flaw(seq, changed(seq));
    const checkpoint = checkpointIn(entry, open);
    if (checkpoint?.chain === chain && checkpoint.size === this.#state.size) {
      const isSame = checkpoint.root.equals(rootOf(this.#state.frontier));
      return isSame ? this.#flaw(seq, changed(seq)) : this.#flaw(seq - 1, changedBefore(seq));
    }
    this.#suspect = after;
    return null;
  }

  #unlinked({ size, head }: ChainState, next: string | null): Flaw {
    if (next === null) {
      return this.#flaw(size, `it does not follow entry ${size - 1}: one of the two was changed`);
    }
    if (prevOf(next) === head) return this.#flaw(size - 1, changedBefore(size));
    return this.#flaw(size, changed(size));
  }

  #problemOfContent(entry: AuditEntry): string | null {
    if (entry.kind === 'boot' && namedHeads(entry) === null) {
      return 'details.heads must name entries of other chains: chain, seq, hash';
    }
    const problem = entry.kind === 'checkpoint' ? this.#problemOfCheckpoint(entry) : null;
    return problem ?? this.#options.operations.read(entry);
  }

  #problemOfCheckpoint(entry: AuditEntry): string | null {
    const { chain, open } = this.#options;
    const { size, frontier } = this.#state;
    const checkpoint = checkpointIn(entry, open);
    if (checkpoint === null) {
      return open === null
        ? 'details.note must be a checkpoint'
        : 'its checkpoint was not signed with this key, or was changed';
    }
    if (checkpoint.chain !== chain || checkpoint.size !== size) {
      return `its checkpoint is over ${checkpoint.size} entries of chain ${checkpoint.chain}`;
    }
    if (!checkpoint.root.equals(rootOf(frontier))) {
      return `its signed root is not that of the entries before: ${this.#someChanged(size)}`;
    }
    this.#proven = size;
    this.facts.checkpoints += 1;
    if (open !== null) this.facts.signed = size;
    return null;
  }

  #problemOfExternal(): string | null {
    const { size, head, frontier } = this.#state;
    const here = this.#options.external.at(this.#options.chain, size);
    if (here.length === 0) return null;
    const root = rootOf(frontier);
    for (const { by, ...said } of here) {
      if (said.head !== null && said.head !== head) return `${by} names another hash for it`;
      if (said.root !== null && !said.root.equals(root)) {
        return `${by} has another root: ${this.#someChanged(size)}`;
      }
    }
    this.#proven = size;
    if (here.some(({ isSigned }) => isSigned)) this.facts.signed = size;
    this.#ended = here.find(({ isEnd }) => isEnd) ?? null;
    return null;
  }

  #someChanged(to: number): string {
    const from = this.#proven + 1;
    if (from >= to) return `entry ${to} was changed`;
    return `something in entries ${from} to ${to} was changed, added or removed`;
  }

  #noteTime(entry: AuditEntry): void {
    const last = this.#last;
    this.#last = entry;
    this.facts.entries = entry.seq;
    if (last === null || (entry.ts >= last.ts && entry.mono_ms >= last.mono_ms)) return;
    this.facts.clockSteps += 1;
    this.facts.firstClockStep ??= entry.seq;
  }
}

function checkpointIn(entry: AuditEntry, open: OpenCheckpoint | null): Checkpoint | null {
  const note = entry.kind === 'checkpoint' ? entry.details['note'] : null;
  if (typeof note !== 'string') return null;
  return open === null ? readUnverified(note) : open(note);
}

/** `prev` of a text that may not be an entry. */
function prevOf(text: string): string | null {
  const { entry } = readEntry(text);
  return entry === null ? null : entry.prev;
}

function changed(seq: number): string {
  return `it was changed: it does not follow entry ${seq - 1}`;
}

function changedBefore(seq: number): string {
  return `it was changed: entry ${seq} follows another one`;
}

/** An entry whose counterpart has not been read yet. */
export interface HalfOperation extends AuditPlace {
  opId: string;
  ts: string;
  kind: AuditEntry['kind'];
  tenantId: string;
  rfcId: string | null;
}

/**
 * Follows operations through a trail: no op_id is used twice, an intent has one outcome. The
 * outcome may stand in an older chain than its intent: any daemon settles an overdue intent.
 */
interface OperationCheck {
  /** The fault of the next entry: a sentence; null: it has none. */
  read(entry: AuditEntry): string | null;
  /** Intents without an outcome, as read. */
  openIntents(): HalfOperation[];
  /** Outcomes without an intent, as read. */
  orphans(): HalfOperation[];
}

/**
 * Creates the check. A repeated op_id is found among the newest `remembered` to twice as many;
 * the database refuses one anyway, and a key that signs checkpoints confirms the rest.
 */
export function createOperationCheck(
  remembered: number = AUDIT_READ.OP_IDS_REMEMBERED,
): OperationCheck {
  const intents = new Map<string, HalfOperation>();
  const outcomes = new Map<string, HalfOperation>();
  let recent = new Set<string>();
  let older = new Set<string>();

  function isKnown(opId: string): boolean {
    return recent.has(opId) || older.has(opId) || intents.has(opId);
  }

  function remember(opId: string): void {
    recent.add(opId);
    if (recent.size < remembered) return;
    older = recent;
    recent = new Set();
  }

  function readIntent(entry: AuditEntry): string | null {
    const outcome = outcomes.get(entry.op_id);
    if (outcome === undefined) return hold(intents, entry);
    outcomes.delete(entry.op_id);
    return mismatch(entry, outcome);
  }

  function readOutcome(entry: AuditEntry): string | null {
    const { op_id } = entry;
    const intent = intents.get(op_id);
    if (intent !== undefined) {
      intents.delete(op_id);
      return mismatch(entry, intent);
    }
    if (isKnown(op_id)) return `the operation ${op_id} has its outcome already`;
    remember(op_id);
    return hold(outcomes, entry);
  }

  return {
    read(entry) {
      const { op_id, phase } = entry;
      if (phase !== 'whole' && phase !== 'intent') return readOutcome(entry);
      if (phase === 'intent' && outcomes.has(op_id)) return readIntent(entry);
      if (isKnown(op_id)) return `the op_id ${op_id} is used twice`;
      remember(op_id);
      return phase === 'intent' ? readIntent(entry) : null;
    },
    openIntents: () => [...intents.values()],
    orphans: () => [...outcomes.values()],
  };
}

function hold(held: Map<string, HalfOperation>, entry: AuditEntry): string | null {
  if (held.size >= AUDIT_READ.OPEN_OPERATIONS_MAX) {
    return `more than ${AUDIT_READ.OPEN_OPERATIONS_MAX} operations lack their intent or their outcome`;
  }
  const { chain, seq, op_id, ts, kind, tenant_id, rfc_id } = entry;
  held.set(op_id, { chain, seq, opId: op_id, ts, kind, tenantId: tenant_id, rfcId: rfc_id });
  return null;
}

function mismatch(entry: AuditEntry, other: HalfOperation): string | null {
  const { kind, tenant_id, rfc_id } = entry;
  if (kind === other.kind && tenant_id === other.tenantId && rfc_id === other.rfcId) return null;
  return `intent and outcome of ${entry.op_id} are about different operations`;
}
