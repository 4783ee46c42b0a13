import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { isAlive, withFileLock } from './call-log.ts';

/** An override session as the tools show it (specification, Override session). */
export interface SessionView {
  id: string;
  reason: string;
  expires_at: string;
  max_overrides: number;
  used: number;
  max_score: number;
}

/** What an override may ask for besides, by the names of the HTTP API. */
export interface OverrideOptions {
  emergency?: unknown;
  accept_findings?: unknown;
  expires_at?: unknown;
}

/**
 * An override that was sent, or is about to be. Its place in the budget is kept until the service
 * is known to have changed nothing.
 */
export interface Reservation {
  /** `Idempotency-Key` of the call: asking again with it never overrides twice. */
  key: string;
  sessionId: string;
  rfcId: string;
  reason: string;
  /** Absent in files of older versions. */
  options?: OverrideOptions;
  /** Revision of the RFC whose findings were checked. */
  rev: number;
  pid: number;
  at: string;
  state: 'sent' | 'unknown';
  /** An earlier call with this key had no readable answer. */
  isRepeat: boolean;
}

interface StoredSession extends SessionView {
  created_at: string;
  /** A person confirmed it; absent: nobody was asked. */
  confirmed?: true;
  ended: boolean;
}

interface StateFile {
  version: 1;
  sessions: StoredSession[];
  reservations: Reservation[];
  /** Places taken within PERIOD_MS in any session; absent in files of older versions. */
  taken?: TakenPlace[];
}

/** A place in the ceiling of all sessions together. */
interface TakenPlace {
  /** Of the reservation. */
  key: string;
  at: string;
}

/** What holds for all sessions now; one may have been started under other settings. */
export interface Ceilings {
  /** Most overrides of a session, and of all sessions within PERIOD_MS. */
  overridesMax: number;
  /** Whether only sessions count that a person confirmed. */
  isConfirmedOnly: boolean;
}

/** What a session may do, checked when an override is about to be sent. */
export type SessionChoice =
  | { kind: 'session'; session: SessionView }
  | { kind: 'none' }
  | { kind: 'used-up'; session: SessionView }
  /** All sessions together have used the ceiling; `freeAt`: ISO 8601, UTC. */
  | { kind: 'full'; freeAt: string };

/** Sessions of the tool server, kept in one file for all of its processes. */
export interface Sessions {
  start(ask: StartAsk): Promise<SessionView>;
  /** Sessions that are neither ended nor expired, the newest first. */
  listActive(): SessionView[];
  /** Ends a session; false: there is no active session of this id. */
  end(id: string): Promise<boolean>;
  /** The session that an override would use: the newest active session with budget. */
  choose(ceilings: Ceilings): SessionChoice;
  /**
   * Takes a place in the budget of a session, if it is still active then; null: it is not. A
   * reservation of the same RFC whose outcome is unknown is answered instead, while its session
   * is active: the call is made again with its key.
   */
  reserve(ask: ReserveAsk): Promise<Reservation | null>;
  /** The service answered: `kept` when it overrode the RFC, else the place is given back. */
  settle(reservation: Reservation, outcome: Outcome): Promise<void>;
  /** Reservations of processes that ended before an answer came; each is answered once. */
  takeCut(): Promise<Reservation[]>;
}

export type Outcome = 'kept' | 'given-back' | 'unknown';

export interface StartAsk {
  reason: string;
  ttlMinutes: number;
  maxScore: number;
  maxOverrides: number;
  isConfirmed: boolean;
}

export interface ReserveAsk {
  sessionId: string;
  ceilings: Ceilings;
  rfcId: string;
  reason: string;
  options: OverrideOptions;
  rev: number;
}

/** As long as a session may last: many sessions at once get no more than one. */
const PERIOD_MS = 60 * 60 * 1000;

/** Sessions that ended or expired are forgotten after a day. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;
const SESSIONS_MAX = 1_000;

/** Opens the sessions in `path`. Writes are synced, and replace the file by one rename. */
export function openSessions(path: string, now: () => number = Date.now): Sessions {
  const isActive = (session: StoredSession) =>
    !session.ended && Date.parse(session.expires_at) > now();
  const activeIn = ({ sessions }: StateFile) => sessions.filter(isActive).reverse();
  const inPeriod = ({ at }: { at: string }) => Date.parse(at) > now() - PERIOD_MS;

  /** One change under the lock; an unchanged state is not written. */
  function change<T>(work: (state: StateFile) => T): Promise<T> {
    return withFileLock(path, () => {
      const state = read(path);
      const before = JSON.stringify(state);
      state.taken = state.taken?.filter(inPeriod) ?? [];
      const result = work(state);
      const recent = (at: string) => Date.parse(at) > now() - FORGOTTEN_MS;
      state.sessions = state.sessions.filter(({ expires_at }) => recent(expires_at));
      state.reservations = state.reservations.filter(({ at }) => recent(at));
      if (JSON.stringify(state) !== before) write(path, state);
      return result;
    });
  }

  return {
    start: (ask) => change((state) => addSession(state, ask, now())),
    listActive: () => activeIn(read(path)).map(viewOf),
    end: (id) =>
      change((state) => {
        const session = state.sessions.find((each) => each.id === id && isActive(each));
        if (session === undefined) return false;
        session.ended = true;
        return true;
      }),
    choose(ceilings) {
      const state = read(path);
      const sessions = activeIn(state).filter((each) => counts(each, ceilings));
      const session = sessions.find(({ used, max_overrides }) => used < max_overrides);
      const [newest] = sessions;
      if (newest === undefined) return { kind: 'none' };
      if (session === undefined) return { kind: 'used-up', session: viewOf(newest) };
      const taken = state.taken?.filter(inPeriod) ?? [];
      const freeAt = freeAtOf(taken, ceilings);
      return freeAt === null
        ? { kind: 'session', session: viewOf(session) }
        : { kind: 'full', freeAt };
    },
    reserve: (ask) =>
      change((state) => {
        const usable = activeIn(state).filter((each) => counts(each, ask.ceilings));
        return takePlace(state, new Map(usable.map((each) => [each.id, each])), ask, now());
      }),
    settle: ({ key }, outcome) => change((state) => settle(state, key, outcome)),
    takeCut: () =>
      change((state) => {
        const cut = state.reservations.filter(
          (each) => each.state === 'sent' && each.pid !== process.pid && !isAlive(each.pid),
        );
        for (const each of cut) each.state = 'unknown';
        return cut.map((each) => ({ ...each }));
      }),
  };
}

function counts({ confirmed }: StoredSession, { isConfirmedOnly }: Ceilings): boolean {
  return confirmed === true || !isConfirmedOnly;
}

/** When the next place of all sessions is free; null: there is one now. */
function freeAtOf(taken: readonly TakenPlace[], { overridesMax }: Ceilings): string | null {
  if (taken.length < overridesMax) return null;
  const times = taken.map(({ at }) => Date.parse(at)).sort((one, other) => other - one);
  return new Date((times[overridesMax - 1] ?? 0) + PERIOD_MS).toISOString();
}

function addSession(
  { sessions }: StateFile,
  { reason, ttlMinutes, maxScore, maxOverrides, isConfirmed }: StartAsk,
  nowMs: number,
): SessionView {
  if (sessions.length >= SESSIONS_MAX) {
    throw new Error(`${SESSIONS_MAX} sessions were started in a day; wait for older ones to end`);
  }
  const session: StoredSession = {
    id: `s_${randomUUID()}`,
    reason,
    created_at: new Date(nowMs).toISOString(),
    expires_at: new Date(nowMs + ttlMinutes * 60_000).toISOString(),
    max_overrides: maxOverrides,
    used: 0,
    max_score: maxScore,
    ended: false,
    ...(isConfirmed && { confirmed: true as const }),
  };
  sessions.push(session);
  return viewOf(session);
}

function takePlace(
  { reservations, taken = [] }: StateFile,
  active: ReadonlyMap<string, StoredSession>,
  { sessionId, ceilings, rfcId, reason, options, rev }: ReserveAsk,
  nowMs: number,
): Reservation | null {
  const at = new Date(nowMs).toISOString();
  const open = reservations.find((each) => each.rfcId === rfcId && active.has(each.sessionId));
  if (open !== undefined) {
    if (open.state === 'sent' && isAlive(open.pid)) return null;
    Object.assign(open, { pid: process.pid, state: 'sent', isRepeat: true });
    // It may be made only now.
    const place = taken.find(({ key }) => key === open.key);
    if (place !== undefined) place.at = at;
    return { ...open };
  }
  const session = active.get(sessionId);
  const most = Math.min(session?.max_overrides ?? 0, ceilings.overridesMax);
  if (session === undefined || session.used >= most) return null;
  if (freeAtOf(taken, ceilings) !== null) return null;
  session.used += 1;
  const reservation: Reservation = {
    key: randomUUID(),
    sessionId,
    rfcId,
    reason,
    options,
    rev,
    pid: process.pid,
    state: 'sent',
    isRepeat: false,
    at,
  };
  reservations.push(reservation);
  taken.push({ key: reservation.key, at });
  return { ...reservation };
}

function settle(state: StateFile, key: string, outcome: Outcome): void {
  const reservation = state.reservations.find((each) => each.key === key);
  if (reservation === undefined) return;
  if (outcome === 'unknown') {
    reservation.state = 'unknown';
    return;
  }
  state.reservations = state.reservations.filter((each) => each.key !== key);
  const session = state.sessions.find(({ id }) => id === reservation.sessionId);
  if (outcome !== 'given-back') return;
  if (session !== undefined) session.used -= 1;
  state.taken = state.taken?.filter((each) => each.key !== key) ?? [];
}

function viewOf({ id, reason, expires_at, max_overrides, used, max_score }: StoredSession) {
  return { id, reason, expires_at, max_overrides, used, max_score };
}

/** Throws when the file is there but cannot be read: budgets must not start again at zero. */
function read(path: string): StateFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    return { version: 1, sessions: [], reservations: [] };
  }
  try {
    const state = JSON.parse(text) as StateFile;
    if (state.version === 1 && Array.isArray(state.sessions) && Array.isArray(state.reservations)) {
      return state;
    }
  } catch {}
  throw new Error(`the file of override sessions is damaged: remove ${path} to start again`);
}

function write(path: string, state: StateFile): void {
  const next = `${path}.${process.pid}.new`;
  const file = openSync(next, 'w', 0o600);
  try {
    writeSync(file, JSON.stringify(state));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}
