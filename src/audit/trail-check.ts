import type { AuditEntry, AuditKind } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { leafHash } from './chain.ts';
import { ChainCheck, createOperationCheck, type Flaw, type HalfOperation } from './chain-check.ts';
import {
  type Checkpoint,
  createExternalCheckpoints,
  type ExternalCheckpoint,
  type NamedHead,
  namedHeads,
  type OpenCheckpoint,
} from './checkpoint.ts';
import { type Acceptance, Acceptances, isChainName, readEntry } from './entry.ts';
import { AUDIT_READ } from './limits.ts';
import type { Difference } from './source.ts';

/** The result of a check. */
export interface Verification {
  /** The first bad entry; null: the trail is in order. */
  flaw: Flaw | null;
  /** Findings that prove no change but should be looked at; the first of them. */
  warnings: string[];
  warningsCount: number;
  /**
   * What the store shows and the trail does not say, as sentences; the first of them. The first
   * one is the flaw, where the trail itself is in order.
   */
  differences: string[];
  differencesCount: number;
  summary: TrailSummary;
}

/** Counts the entries that were read: all of the trail, or all before the flaw. */
export interface TrailSummary {
  chains: number;
  entries: number;
  bytes: number;
  /** Entries of kind checkpoint that are in order. */
  checkpoints: number;
  /** Entries that no checked signature covers, directly or by way of another chain's boot. */
  unsealed: number;
  /** Intents without an outcome. */
  openIntents: number;
  /** OperationCheck that were done, by kind. */
  operations: Partial<Record<AuditKind, number>>;
}

export interface TrailCheckOptions {
  /** Null: without a key signatures are not checked. */
  open: OpenCheckpoint | null;
  /** When the trail was read, ms since the epoch. */
  nowMs: number;
  /** Chains that are known to be left out of the source. */
  omitted: ReadonlySet<string>;
}

/**
 * A trail, chain by chain and entry by entry. First everything that is known from outside is
 * added (`addExternal`, `keep`, then `readBoot` for every chain), then each chain is read. Memory
 * grows with the number of chains, not of entries. After a flaw only `result` may be called.
 */
export class TrailCheck {
  readonly #options: TrailCheckOptions;
  readonly #external = createExternalCheckpoints();
  readonly #operations = createOperationCheck();
  readonly #accepted = new Acceptances();
  readonly #boots = new Map<string, NamedHead[]>();
  readonly #checks = new Map<string, ChainCheck>();
  readonly #warnings: string[] = [];
  readonly #differences: string[] = [];
  #differencesCount = 0;
  readonly #done: Partial<Record<AuditKind, number>> = {};
  #current: { chain: string; check: ChainCheck } | null = null;
  #warningsCount = 0;
  #bytes = 0;

  constructor(options: TrailCheckOptions) {
    this.#options = options;
  }

  /** A statement about a chain from outside of it. */
  addExternal(external: ExternalCheckpoint): void {
    this.#external.add(external);
  }

  /** A checkpoint that was kept outside of the trail. */
  keep({ chain, size, root }: Checkpoint, by: string): void {
    const isSigned = this.#options.open !== null;
    this.#external.add({ chain, seq: size, head: null, root, isEnd: false, isSigned, by });
  }

  /** What an administrator has accepted, by an entry of the chain `by`. */
  accept(acceptance: Acceptance, by: string): void {
    this.#accepted.add(acceptance);
    const { chain, entries: seq, head } = acceptance;
    if (seq === 0 || head === null) return;
    const name = `the acceptance in chain ${by}`;
    const external = { chain, seq, head, root: null, isEnd: true, isSigned: false, by: name };
    this.#external.add(external);
  }

  /** Whether it was accepted that this decision has no entry. */
  isAccepted(decisionKey: string): boolean {
    return this.#accepted.hasDecision(decisionKey);
  }

  /** The first two entries of a chain: what its boot entry says about other chains. */
  readBoot(chain: string, first: string, second: string | null): void {
    const { entry } = readEntry(first);
    const heads = entry?.kind === 'boot' && entry.chain === chain ? namedHeads(entry) : null;
    if (heads === null || this.#isDoubtful(chain, first, second)) return;
    this.#boots.set(chain, heads);
    const by = `the boot entry of chain ${chain}`;
    for (const { chain: other, seq, hash: head } of heads) {
      this.addExternal({ chain: other, seq, head, root: null, isEnd: false, isSigned: false, by });
    }
  }

  /** Begins the next chain. */
  begin(chain: string): Flaw | null {
    const flaw = (reason: string): Flaw => ({ chain, seq: null, reason });
    if (!isChainName(chain)) return flaw('this is not a valid name of a chain');
    if (this.#checks.has(chain)) return flaw('the chain stands in the trail twice');
    const { open } = this.#options;
    const check = new ChainCheck({
      chain,
      open,
      external: this.#external,
      operations: this.#operations,
    });
    this.#current = { chain, check };
    this.#checks.set(chain, check);
    return null;
  }

  /** The next entry of the chain, as written. */
  read(text: string): Flaw | null {
    const { check } = this.#begun();
    const before = check.last;
    const flaw = check.read(text);
    // The same as before while it is not known yet which of two entries is bad.
    if (flaw !== null || check.last === null || check.last === before) return flaw;
    this.#bytes += Buffer.byteLength(text);
    this.#countOperation(check.last);
    return null;
  }

  /** The next entry could not even be read. */
  unreadable(reason: string): Flaw {
    return this.#begun().check.unreadable(reason);
  }

  /** The chain has no more entries. */
  end(): Flaw | null {
    const { chain, check } = this.#begun();
    const accepted = this.#accepted.of(chain);
    if (accepted === undefined || accepted.entries !== check.facts.entries) return check.end();
    const flaw = check.end(true);
    if (flaw === null) this.warn(`chain ${chain} lacks entries, which an administrator accepted`);
    return flaw;
  }

  /** After the last chain: the faults that only the whole trail shows. */
  finish(): Flaw | null {
    return this.#missingChain() ?? this.#orphan();
  }

  /** A finding that proves no change but should be looked at. */
  warn(warning: string): void {
    this.#warningsCount += 1;
    if (this.#warnings.length < AUDIT_READ.WARNINGS_LISTED_MAX) this.#warnings.push(warning);
  }

  /** What the store shows differs from what the trail says. */
  differ({ reason, key }: Difference): void {
    if (this.isAccepted(key)) {
      this.warn(`an administrator accepted: ${reason}`);
      return;
    }
    this.#differencesCount += 1;
    if (this.#differences.length < AUDIT_READ.DIFFERENCES_LISTED_MAX)
      this.#differences.push(reason);
  }

  /** The result, when there is a flaw or no more to read. */
  result(flawOfTrail: Flaw | null): Verification {
    const [reason] = this.#differences;
    const flaw = flawOfTrail ?? (reason === undefined ? null : { chain: null, seq: null, reason });
    const open = this.#operations.openIntents();
    // Behind a flaw there may be outcomes.
    if (flawOfTrail === null) for (const intent of open) this.#warnOfOpen(intent);
    const chains = [...this.#checks].map(([chain, { facts }]) => ({ chain, ...facts }));
    for (const { chain, clockSteps, firstClockStep } of chains) {
      if (clockSteps === 0) continue;
      const times = `${clockSteps} times, first at entry ${firstClockStep}`;
      this.warn(`chain ${chain}: the clock went back ${times}`);
    }
    return {
      flaw,
      warnings: this.#warnings,
      warningsCount: this.#warningsCount,
      differences: this.#differences,
      differencesCount: this.#differencesCount,
      summary: {
        chains: chains.length,
        entries: chains.reduce((sum, { entries }) => sum + entries, 0),
        bytes: this.#bytes,
        checkpoints: chains.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
        unsealed: countUnsealed(chains, this.#boots),
        openIntents: open.length,
        operations: this.#done,
      },
    };
  }

  #begun(): { chain: string; check: ChainCheck } {
    if (this.#current === null) throw new CraError('INTERNAL', 'no chain was begun');
    return this.#current;
  }

  #countOperation({ kind, phase }: AuditEntry): void {
    if (kind === 'boot' || kind === 'checkpoint') return;
    if (phase === 'whole' || phase === 'done') this.#done[kind] = (this.#done[kind] ?? 0) + 1;
  }

  /** Whether something shows that the first entry was another one: then it says nothing. */
  #isDoubtful(chain: string, first: string, second: string | null): boolean {
    const hash = leafHash(first).toString('hex');
    if (second !== null) return readEntry(second).entry?.prev !== hash;
    return this.#external.at(chain, 1).some(({ head }) => head !== null && head !== hash);
  }

  #missingChain(): Flaw | null {
    for (const chain of this.#external.chains()) {
      const first = this.#checks.has(chain) ? null : this.#external.beyond(chain, 0);
      if (first === null) continue;
      if (this.#accepted.of(chain)?.entries === 0) {
        this.warn(`chain ${chain} is missing, which an administrator accepted`);
        continue;
      }
      if (!this.#options.omitted.has(chain)) {
        return { chain, seq: 1, reason: `the chain is missing: ${first.by} names it` };
      }
      this.warn(`chain ${chain} is left out, so what ${first.by} says could not be compared`);
    }
    return null;
  }

  #orphan(): Flaw | null {
    const { omitted, nowMs } = this.#options;
    for (const { chain, seq, opId, ts } of this.#operations.orphans()) {
      // Of a trail that grows while it is read, the intent may be newer than what was read.
      const isWhole = omitted.size === 0 && this.#accepted.isEmpty;
      if (isWhole && Date.parse(ts) < nowMs) {
        return { chain, seq, reason: `it is the outcome of ${opId}, whose intent is missing` };
      }
      this.warn(`chain ${chain}, entry ${seq}: the intent of ${opId} was not read`);
    }
    return null;
  }

  #warnOfOpen({ chain, seq, kind, opId, ts }: HalfOperation): void {
    // In the newest chain it may be under way.
    if (chain === this.#current?.chain) return;
    const age = `${Math.round((this.#options.nowMs - Date.parse(ts)) / 1000)} s`;
    const what = `the intent to ${kind} (${opId}) has had no outcome for ${age}`;
    this.warn(`chain ${chain}, entry ${seq}: ${what}`);
  }
}

/**
 * Counts the entries that no signature covers. `signed`: entries at the beginning of each chain
 * that one covers. A signature over a boot entry also covers the heads of other chains that it
 * names, and whatever the boot entries of these name.
 */
function countUnsealed(
  chains: readonly { chain: string; entries: number; signed: number }[],
  boots: ReadonlyMap<string, readonly NamedHead[]>,
): number {
  const sealed = new Map(chains.map(({ chain, signed }) => [chain, signed]));
  const next = chains.filter(({ signed }) => signed > 0).map(({ chain }) => chain);
  for (const chain of next) {
    for (const { chain: other, seq } of boots.get(chain) ?? []) {
      const before = sealed.get(other) ?? 0;
      if (before === 0) next.push(other);
      sealed.set(other, Math.max(before, seq));
    }
  }
  return chains.reduce(
    (sum, { chain, entries }) => sum + Math.max(0, entries - (sealed.get(chain) ?? 0)),
    0,
  );
}
