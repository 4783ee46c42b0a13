import { CraError } from '../model/errors.ts';
import type { StopSignal } from './deadline.ts';

/** A task that asks for one of the places. */
interface Ticket {
  /** The caller, repository or host among which places are shared. */
  key: string;
  /** Of large tasks only so many run at once. Default: false. */
  isLarge?: boolean;
  /** Light tasks share places. Default: false. */
  isLight?: boolean;
  /** How long (ms) it may wait; null, the default: as long as it takes. */
  waitMs?: number | null;
  signal?: StopSignal | null;
}

/** Lets so many tasks run at once; the others wait. */
export interface Semaphore {
  /**
   * Resolves when there is a place; call the result to give it back. Rejects with
   * RESOURCE_EXHAUSTED when the wait is over and with CANCELLED when the signal fires first.
   */
  acquire(ticket: Ticket): Promise<() => void>;
  /** Runs a task in a place. */
  use<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  readonly running: number;
  readonly waiting: number;
  /** How long (ms) the task that waits longest has waited; 0 when nothing waits. */
  readonly oldestMs: number;
}

export interface SemaphoreOptions {
  places: number;
  /** Places that large tasks may have. Default: all. */
  largePlaces?: number;
  /** How many light tasks share a place just now. Default: 1. */
  lightPerPlace?: () => number;
  /** The error of a wait that is over. */
  refusal?: () => CraError;
  /** Ms, from any moment on. */
  now?: () => number;
}

interface Kind {
  isLarge: boolean;
  isLight: boolean;
}

interface Waiter extends Kind {
  sinceMs: number;
  admit(): void;
}

/** The tasks of one key. */
interface Share {
  waiting: Waiter[];
  running: number;
  /** Running tasks that are light. */
  light: number;
  /** Sum of the times at which the running tasks began. */
  begun: number;
  /** One for each task, and one for each COST_MS that it ran. */
  cost: number;
}

const LIGHT: Kind = { isLarge: false, isLight: true };
const NO_TASKS = { running: 0, light: 0, begun: 0, cost: 0 };
/** A task that runs for so long weighs as much as another task. */
const COST_MS = 100;
/** Idle keys that are remembered while others wait. */
const IDLE_KEYS_MAX = 10_000;

/**
 * A semaphore that is fair between keys, and first come, first served within one. While several
 * keys wait, the next place goes to the key that has had the least time, and to a key that holds
 * half of the places only if no other can use it. A key that is alone gets all of them, and its
 * past is forgotten when nothing waits (start-time fair queueing: Goyal et al., 1996).
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  return new FairSemaphore(options);
}

class FairSemaphore implements Semaphore {
  running = 0;
  waiting = 0;
  private large = 0;
  private light = 0;
  /** The cost of the key that was served last: a new key begins with it. */
  private floor = 0;
  private readonly shares = new Map<string, Share>();
  /** Keys with tasks that wait, in the order of their turns. */
  private readonly ring = new Map<string, Share>();
  private readonly half: number;
  private readonly options: Required<SemaphoreOptions>;

  constructor({
    places,
    largePlaces = places,
    lightPerPlace = () => 1,
    refusal = full,
    now = () => performance.now(),
  }: SemaphoreOptions) {
    this.options = { places, largePlaces, lightPerPlace, refusal, now };
    this.half = Math.max(1, Math.floor(places / 2));
  }

  async acquire({ isLarge = false, isLight = false, ...ticket }: Ticket): Promise<() => void> {
    const kind = { isLarge, isLight };
    if (this.waiting === 0 && this.fits(kind)) return this.enter(ticket.key, kind);
    return await this.wait(ticket, kind);
  }

  async use<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire({ key });
    try {
      return await task();
    } finally {
      release();
    }
  }

  get oldestMs(): number {
    const now = this.options.now();
    const firsts = [...this.ring.values()].flatMap(({ waiting }) => waiting[0]?.sinceMs ?? []);
    return firsts.reduce((oldest, since) => Math.max(oldest, now - since), 0);
  }

  private fits(kind: Kind): boolean {
    const { places, lightPerPlace } = this.options;
    const open = places - (this.running - this.light);
    const perPlace = lightPerPlace();
    if (kind.isLight) return this.light < open * perPlace;
    return this.isNext(kind) && open > Math.ceil(this.light / perPlace);
  }

  /** Whether nothing but light tasks keeps a task from its place: no more of these pass it. */
  private isNext(kind: Kind): boolean {
    if (kind.isLight) return this.fits(kind);
    const { places, largePlaces } = this.options;
    return this.running - this.light < places && (!kind.isLarge || this.large < largePlaces);
  }

  /** A key that was away gets no credit for it. */
  private shareOf(key: string): Share {
    const share = this.shares.get(key) ?? { ...NO_TASKS, waiting: [] };
    this.shares.set(key, share);
    if (share.waiting.length + share.running === 0) share.cost = Math.max(share.cost, this.floor);
    return share;
  }

  private enter(key: string, { isLarge, isLight }: Kind): () => void {
    const { now } = this.options;
    const share = this.shareOf(key);
    const begun = now();
    this.running += 1;
    if (isLarge) this.large += 1;
    if (isLight) this.light += 1;
    this.floor = Math.max(this.floor, share.cost);
    share.running += 1;
    if (isLight) share.light += 1;
    share.begun += begun;
    share.cost += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.running -= 1;
      if (isLarge) this.large -= 1;
      if (isLight) this.light -= 1;
      share.running -= 1;
      if (isLight) share.light -= 1;
      share.begun -= begun;
      share.cost += Math.floor((now() - begun) / COST_MS);
      this.admitWaiting();
      this.forgetIdle();
    };
  }

  private wait(ticket: Omit<Ticket, keyof Kind>, kind: Kind): Promise<() => void> {
    const { key, waitMs = null, signal = null } = ticket;
    return new Promise((resolve, reject) => {
      const leave = (error: CraError) => {
        if (!this.remove(key, waiter)) return;
        settle();
        this.forgetIdle();
        reject(error);
      };
      const onAbort = () => leave(new CraError('CANCELLED', 'the caller went away'));
      const refuse = () => leave(this.options.refusal());
      const timer = waitMs === null ? null : setTimeout(refuse, waitMs);
      const settle = () => {
        if (timer !== null) clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const admit = () => {
        settle();
        resolve(this.enter(key, kind));
      };
      const waiter: Waiter = { ...kind, sinceMs: this.options.now(), admit };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.add(key, waiter);
      // The waiting tasks may all be large: a small task need not wait behind them.
      this.admitWaiting();
    });
  }

  private add(key: string, waiter: Waiter): void {
    const share = this.shareOf(key);
    share.waiting.push(waiter);
    this.waiting += 1;
    if (!this.ring.has(key)) this.ring.set(key, share);
  }

  private remove(key: string, waiter: Waiter): boolean {
    const share = this.ring.get(key);
    const index = share?.waiting.indexOf(waiter) ?? -1;
    if (share === undefined || index === -1) return false;
    share.waiting.splice(index, 1);
    this.waiting -= 1;
    if (share.waiting.length === 0) this.ring.delete(key);
    return true;
  }

  private admitWaiting(): void {
    // A light one fits wherever any other does.
    while (this.waiting > 0 && this.fits(LIGHT)) {
      const next = this.findNext();
      if (next === null) return;
      const { key, share, waiter } = next;
      this.remove(key, waiter);
      // Behind the others that cost as much.
      if (this.ring.delete(key)) this.ring.set(key, share);
      waiter.admit();
    }
  }

  private findNext(): { key: string; share: Share; waiter: Waiter } | null {
    let best: ReturnType<FairSemaphore['findNext']> = null;
    let least: Rank = [Number.POSITIVE_INFINITY, 0];
    for (const [key, share] of this.ring) {
      const waiter = share.waiting.find((one) => this.isNext(one));
      const rank: Rank = [this.placesOf(share) < this.half ? 0 : 1, this.costOf(share)];
      if (waiter === undefined || !isBelow(rank, least)) continue;
      best = { key, share, waiter };
      least = rank;
    }
    return best !== null && this.fits(best.waiter) ? best : null;
  }

  private placesOf({ running, light }: Share): number {
    return running - light + light / this.options.lightPerPlace();
  }

  private costOf({ cost, running, begun }: Share): number {
    return cost + Math.floor((running * this.options.now() - begun) / COST_MS);
  }

  private forgetIdle(): void {
    if (this.waiting > 0 && this.shares.size <= IDLE_KEYS_MAX) return;
    for (const [key, { waiting, running }] of this.shares) {
      if (waiting.length + running === 0) this.shares.delete(key);
    }
  }
}

/** Whether a key holds half of the places, and its cost. */
type Rank = [holdsHalf: number, cost: number];

function isBelow([half, cost]: Rank, other: Rank): boolean {
  return half === other[0] ? cost < other[1] : half < other[0];
}

function full(): CraError {
  return new CraError('RESOURCE_EXHAUSTED', 'all places are taken; try again later');
}

/** Runs the tasks of one key one after the other; tasks of different keys do not wait. */
export interface KeyedMutex {
  use<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** Whether a task of this key runs or waits. */
  isTaken(key: string): boolean;
}

/** Creates a semaphore that nobody holds. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async use(key, task) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
    isTaken: (key) => last.has(key),
  };
}
