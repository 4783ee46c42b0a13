import { AUDIT_READ } from '../limits.ts';
import type { AuditEntry, AuditKind } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { ChainCheck, type Flaw } from './chain-check.ts';
import type { Checkpoint, OpenCheckpoint } from './checkpoint.ts';
import { createDeeds, type HalfDeed } from './deeds.ts';
import { isChainName, readEntry } from './entry.ts';
import { leafHash } from './merkle.ts';
import { countUnsealed } from './sealing.ts';
import { createWitnesses, type NamedHead, namedHeads, type Witness } from './witnesses.ts';

/** What was found out about a trail. */
export interface Verification {
  /** The first bad entry; null: the trail is in order. */
  flaw: Flaw | null;
  /** What is no proof of a change but should be looked at; the first of them. */
  warnings: string[];
  warningsCount: number;
  summary: TrailSummary;
}

/** Counts what was read: all of the trail, or what stands before the flaw. */
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
  /** Deeds that were done, by kind. */
  deeds: Partial<Record<AuditKind, number>>;
}

export interface TrailCheckOptions {
  /** Null: without a key signatures are not checked. */
  open: OpenCheckpoint | null;
  /** When the trail was read, ms since the epoch. */
  nowMs: number;
  /** Chains that are known to be left out of what is read. */
  omitted: ReadonlySet<string>;
}

/**
 * A trail, chain by chain and entry by entry. First everything that is known from outside is
 * told (`witness`, `keep`, then `readBoot` for every chain), then each chain is read. Memory
 * grows with the number of chains, not of entries. After a flaw only `result` may be called.
 */
export class TrailCheck {
  readonly #options: TrailCheckOptions;
  readonly #witnesses = createWitnesses();
  readonly #deeds = createDeeds();
  readonly #boots = new Map<string, NamedHead[]>();
  readonly #checks = new Map<string, ChainCheck>();
  readonly #warnings: string[] = [];
  readonly #done: Partial<Record<AuditKind, number>> = {};
  #current: { chain: string; check: ChainCheck } | null = null;
  #warningsCount = 0;
  #bytes = 0;

  constructor(options: TrailCheckOptions) {
    this.#options = options;
  }

  /** What something outside of a chain says about it. */
  witness(witness: Witness): void {
    this.#witnesses.add(witness);
  }

  /** A checkpoint that was kept outside of the trail. */
  keep({ chain, size, root }: Checkpoint, by: string): void {
    const isSigned = this.#options.open !== null;
    this.#witnesses.add({ chain, seq: size, head: null, root, isEnd: false, isSigned, by });
  }

  /** The first two entries of a chain: what its boot entry says about other chains. */
  readBoot(chain: string, first: string, second: string | null): void {
    const { entry } = readEntry(first);
    const heads = entry?.kind === 'boot' && entry.chain === chain ? namedHeads(entry) : null;
    if (heads === null || this.#isDoubtful(chain, first, second)) return;
    this.#boots.set(chain, heads);
    const by = `the boot entry of chain ${chain}`;
    for (const { chain: other, seq, hash: head } of heads) {
      this.witness({ chain: other, seq, head, root: null, isEnd: false, isSigned: false, by });
    }
  }

  /** Begins the next chain. */
  begin(chain: string): Flaw | null {
    const flaw = (reason: string): Flaw => ({ chain, seq: null, reason });
    if (!isChainName(chain)) return flaw('this can not be the name of a chain');
    if (this.#checks.has(chain)) return flaw('the chain stands in the trail twice');
    const { open } = this.#options;
    const check = new ChainCheck({
      chain,
      open,
      witnesses: this.#witnesses,
      deeds: this.#deeds,
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
    this.#countDeed(check.last);
    return null;
  }

  /** The next entry could not even be read. */
  unreadable(reason: string): Flaw {
    return this.#begun().check.unreadable(reason);
  }

  /** The chain has no more entries. */
  end(): Flaw | null {
    return this.#begun().check.end();
  }

  /** After the last chain: what only the whole trail shows. */
  finish(): Flaw | null {
    return this.#missingChain() ?? this.#orphan();
  }

  /** What is no proof of a change but should be looked at. */
  warn(warning: string): void {
    this.#warningsCount += 1;
    if (this.#warnings.length < AUDIT_READ.WARNINGS_LISTED_MAX) this.#warnings.push(warning);
  }

  /** All that was found out, when there is a flaw or no more to read. */
  result(flaw: Flaw | null): Verification {
    const open = this.#deeds.openIntents();
    // Behind a flaw there may be outcomes.
    if (flaw === null) for (const deed of open) this.#warnOfOpen(deed);
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
      summary: {
        chains: chains.length,
        entries: chains.reduce((sum, { entries }) => sum + entries, 0),
        bytes: this.#bytes,
        checkpoints: chains.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
        unsealed: countUnsealed(chains, this.#boots),
        openIntents: open.length,
        deeds: this.#done,
      },
    };
  }

  #begun(): { chain: string; check: ChainCheck } {
    if (this.#current === null) throw new CraError('INTERNAL', 'no chain was begun');
    return this.#current;
  }

  #countDeed({ kind, phase }: AuditEntry): void {
    if (kind === 'boot' || kind === 'checkpoint') return;
    if (phase === 'whole' || phase === 'done') this.#done[kind] = (this.#done[kind] ?? 0) + 1;
  }

  /** Whether something shows that the first entry was another one: then it says nothing. */
  #isDoubtful(chain: string, first: string, second: string | null): boolean {
    const hash = leafHash(first).toString('hex');
    if (second !== null) return readEntry(second).entry?.prev !== hash;
    return this.#witnesses.at(chain, 1).some(({ head }) => head !== null && head !== hash);
  }

  #missingChain(): Flaw | null {
    for (const chain of this.#witnesses.chains()) {
      const first = this.#checks.has(chain) ? null : this.#witnesses.beyond(chain, 0);
      if (first === null) continue;
      if (!this.#options.omitted.has(chain)) {
        return { chain, seq: 1, reason: `the chain is missing: ${first.by} names it` };
      }
      this.warn(`chain ${chain} is left out, so what ${first.by} says could not be compared`);
    }
    return null;
  }

  #orphan(): Flaw | null {
    const { omitted, nowMs } = this.#options;
    for (const { chain, seq, opId, ts } of this.#deeds.orphans()) {
      // Of a trail that grows while it is read, the intent may be newer than what was read.
      if (omitted.size === 0 && Date.parse(ts) < nowMs) {
        return { chain, seq, reason: `it is the outcome of ${opId}, but there is no such intent` };
      }
      this.warn(`chain ${chain}, entry ${seq}: the intent of ${opId} was not read`);
    }
    return null;
  }

  #warnOfOpen({ chain, seq, kind, opId, ts }: HalfDeed): void {
    // In the newest chain it may be under way.
    if (chain === this.#current?.chain) return;
    const age = `${Math.round((this.#options.nowMs - Date.parse(ts)) / 1000)} s`;
    const what = `the intent to ${kind} (${opId}) has had no outcome for ${age}`;
    this.warn(`chain ${chain}, entry ${seq}: ${what}`);
  }
}
