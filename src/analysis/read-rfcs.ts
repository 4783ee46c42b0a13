import { setTimeout as delay } from 'node:timers/promises';
import { CraError, invalidField, type StatusCode, unlessNotFound } from '../model/errors.ts';
import { RFCS, SEARCH, TRENDS } from '../model/limits.ts';
import type { Means } from '../model/next-steps.ts';
import type { Principal } from '../model/principal.ts';
import { type RfcRecord, viewedRecord } from '../model/records.ts';
import { isTerminal, type RfcStatus } from '../model/rfc.ts';
import { type Facets, parseSearch } from '../model/search.ts';
import type { ShowCodeInput, ShownCode } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushStore, RelatedRfcs } from '../store/contract/pushes.ts';
import type {
  ListOutput,
  RecordStore,
  RfcView,
  TrendsInput,
  TrendsView,
} from '../store/contract/records.ts';
import { runAdmitted, type ScanAccess } from './job.ts';
import { CODE } from './limits.ts';
import { seenBefore } from './seen-before.ts';

export interface ListFilter {
  status: RfcStatus | null;
  repo: string | null;
  component: string | null;
  /** The text of a search (model/search), in place of the filters before. */
  q: string | null;
  limit: number;
  cursor: string | null;
}

/** Reading RFCs, within the caller's tenant. */
export interface Rfcs {
  /**
   * The RFC as JSON. With `waitMs`, a DRAFT is answered when it becomes final or when the time
   * is over. NOT_FOUND for an id that the tenant does not have.
   */
  get(
    principal: Principal,
    rfcId: string,
    waitMs: number,
    signal: AbortSignal | null,
  ): Promise<RfcView>;
  /** The same as the JSON of a SARIF log, in bytes. */
  sarif(
    principal: Principal,
    rfcId: string,
    waitMs: number,
    signal: AbortSignal | null,
  ): Promise<Uint8Array>;
  /** INVALID_ARGUMENT for a search that can't be read. */
  list(principal: Principal, filter: ListFilter): Promise<ListOutput>;
  /** What the newest RFCs are that a search finds; INVALID_ARGUMENT as for `list`. */
  facets(principal: Principal, q: string): Promise<Facets>;
  /**
   * Trends from a day (YYYY-MM-DD, UTC; null: TRENDS.DAYS_DEFAULT ago) to today, of a repository or
   * of the tenant (null). INVALID_ARGUMENT for a day that does not exist.
   */
  trends(
    principal: Principal,
    asked: { since: string | null } & Pick<TrendsInput, 'repo' | 'by'>,
  ): Promise<TrendsView & Omit<TrendsInput, 'tenant_id'>>;
  /**
   * What is connected with an RFC, at most RFCS.RELATED_MAX of each kind, and where its findings
   * stood before. NOT_FOUND.
   */
  related(
    principal: Principal,
    rfcId: string,
  ): Promise<RelatedRfcs & Awaited<ReturnType<typeof seenBefore>>>;
  /** The RFC of the newest push of a repository; `waitMs` as for `get`. NOT_FOUND before any. */
  newestPush(
    principal: Principal,
    repo: string,
    waitMs: number,
    signal: AbortSignal | null,
  ): Promise<RfcView>;
}

/** Ends, without an error, when the signal fires. */
async function pause(ms: number, signal: AbortSignal): Promise<'paused'> {
  return await delay(ms, 'paused' as const, { signal }).catch(() => 'paused');
}

interface RfcsOptions {
  store: RecordStore;
  pushes: Pick<PushStore, 'newestPush' | 'relatedTo'>;
  waiters: Waiters;
  /** How often to read an RFC that another daemon may judge; null: no other daemon shares it. */
  pollMs: number | null;
  /** For the `next_steps` of BLOCKED RFCs. */
  means(): Means;
}

/** Creates the service over a store. */
export function createRfcs({ store, pushes, waiters, pollMs, means }: RfcsOptions): Rfcs {
  const shown = () => ({ means: means() });
  const rfcs: Rfcs = {
    async get(principal, rfcId, waitMs, signal) {
      const key = { tenant_id: principal.tenant_id, rfc_id: rfcId, ...shown() };
      if (waitMs === 0) return store.getRfc(key);
      // Registered before the read: it may become final in between.
      const left = new AbortController();
      const either = signal === null ? left.signal : AbortSignal.any([signal, left.signal]);
      const waited = waiters.wait(rfcId, waitMs, either);
      try {
        const until = performance.now() + waitMs;
        for (;;) {
          const view = await store.getRfc(key);
          if (isTerminal(view.overall_status) || performance.now() >= until) return view;
          // Another daemon may judge it: nobody here is woken then.
          const soon =
            pollMs === null ? waited : Promise.race([waited, pause(pollMs, left.signal)]);
          if ((await soon) !== 'paused') return await store.getRfc(key);
        }
      } finally {
        left.abort();
        await waited;
      }
    },
    async sarif(principal, rfcId, waitMs, signal) {
      if (waitMs > 0) await rfcs.get(principal, rfcId, waitMs, signal);
      const { tenant_id } = principal;
      const { json } = await store.getSarif({ tenant_id, rfc_id: rfcId, ...shown() });
      return json;
    },
    async newestPush(principal, repo, waitMs, signal) {
      const { tenant_id } = principal;
      const newest = await pushes.newestPush({ tenant_id, repo_name: repo, ...shown() });
      if (waitMs === 0 || isTerminal(newest.overall_status)) return newest;
      const { rfc_id } = viewedRecord(newest);
      return await rfcs.get(principal, rfc_id, waitMs, signal);
    },
    async trends({ tenant_id }, { since, ...how }) {
      const asked = { ...daysSince(since, Date.now()), ...how };
      return { ...asked, ...(await store.trends({ tenant_id, ...asked })) };
    },
    async related({ tenant_id }, rfc_id) {
      const key = { tenant_id, rfc_id };
      const [related, view] = await Promise.all([
        pushes.relatedTo({ ...key, limit: RFCS.RELATED_MAX }),
        store.getRfc({ ...key, ...shown() }),
      ]);
      return { ...related, ...(await seenBefore(store, viewedRecord(view))) };
    },
    async facets(principal, q) {
      const { tenant_id } = principal;
      const { texts, until, since, ...by } = parseSearch(q, { principal, nowMs: Date.now() });
      const search = { texts, until, since, examined: SEARCH.EXAMINED_MAX };
      return await store.countFacets({ tenant_id, ...by, search });
    },
    async list(principal, { q, ...filter }) {
      const { tenant_id } = principal;
      if (q === null) return await store.listRfcs({ tenant_id, ...filter });
      const { limit, cursor } = filter;
      const { texts, without, until, since, ...by } = parseSearch(q, {
        principal,
        nowMs: Date.now(),
      });
      const find = (all: string[], examined: number) => {
        const search = { texts: all, until, since, examined };
        return store.listRfcs({ tenant_id, ...by, search, limit, cursor });
      };
      const [found, ...left] = await Promise.all([
        find(texts, SEARCH.EXAMINED_MAX),
        ...without.map((text) => find([...texts, text], SEARCH.LEFT_OUT_EXAMINED_MAX)),
      ]);
      return left.length === 0 ? found : withoutRows(found, left);
    },
  };
  return rfcs;
}

/**
 * A page without the rows of others. These begin at the same place and are as many as the page may
 * have, so none of its rows stands behind them.
 */
function withoutRows({ json, next_cursor }: ListOutput, others: readonly ListOutput[]): ListOutput {
  const rowsOf = (text: string) => JSON.parse(text) as Pick<RfcRecord, 'rfc_id'>[];
  const left = new Set(others.flatMap((other) => rowsOf(other.json)).map(({ rfc_id }) => rfc_id));
  const kept = rowsOf(json).filter(({ rfc_id }) => !left.has(rfc_id));
  return { json: JSON.stringify(kept), next_cursor };
}

const DAY_MS = 24 * 3_600_000;

/** From a day on to today; INVALID_ARGUMENT for a day that does not exist. */
function daysSince(asked: string | null, nowMs: number): { since: string; until: string } {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const daysAgo = (days: number) => dayOf(nowMs - days * DAY_MS);
  const since = asked ?? daysAgo(TRENDS.DAYS_DEFAULT);
  const ms = Date.parse(`${since}T00:00:00Z`);
  if (Number.isNaN(ms) || dayOf(ms) !== since) {
    throw invalidField('since', 'is not a valid date (YYYY-MM-DD)');
  }
  const oldest = daysAgo(TRENDS.DAYS_MAX);
  return { since: since < oldest ? oldest : since, until: daysAgo(0) };
}

/** Callers that wait for a DRAFT to become final. */
export interface Waiters {
  /**
   * Resolves when the RFC is final, when `waitMs` is over, or when `signal` fires, whichever
   * comes first. How many wait is bounded by the requests in flight.
   */
  wait(rfcId: string, waitMs: number, signal: AbortSignal | null): Promise<void>;
  /** Wakes the callers that wait for this RFC. */
  wake(rfcId: string): void;
  /** Wakes all waiters, and later ones at once: the service stops. */
  close(): void;
}

/** Creates an empty register. */
export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  let isClosed = false;

  return {
    wait(rfcId, waitMs, signal) {
      if (isClosed || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const entry = waiting.get(rfcId) ?? new Set();
        waiting.set(rfcId, entry);
        const done = () => {
          if (!entry.delete(done)) return;
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          if (entry.size === 0) waiting.delete(rfcId);
          resolve();
        };
        const timer = setTimeout(done, waitMs);
        entry.add(done);
        signal?.addEventListener('abort', done, { once: true });
      });
    },
    wake(rfcId) {
      for (const done of waiting.get(rfcId) ?? []) done();
    },
    close() {
      isClosed = true;
      for (const entry of [...waiting.values()]) for (const done of [...entry]) done();
    },
  };
}

/**
 * The code around the findings of an RFC, or its change, as JSON (`data` of the answer), without
 * secrets.
 * NOT_FOUND for an id that the tenant does not have. What cannot be shown is an answer, too:
 * `available: false` with the reason.
 */
export type ReadCode = (
  principal: Principal,
  rfcId: string,
  changes: ShowCodeInput['changes'],
  signal: AbortSignal,
) => Promise<string>;

interface CodeOptions extends ScanAccess {
  store: Pick<RecordStore, 'getRfc' | 'getDiff'>;
  /** Where diffs of pushes are made again. */
  source: Pick<Client<typeof Source>, 'diff'>;
}

/** Creates it over the scan pool; its jobs are admitted like jobs of analyze. */
export function createCodeReader(options: CodeOptions): ReadCode {
  const { store, source } = options;

  async function show(
    caller: string,
    input: Pick<ShowCodeInput, 'record' | 'diff' | 'sealed' | 'changes'>,
    signal: AbortSignal,
  ): Promise<ShownCode> {
    const bytes = input.diff?.length ?? input.sealed?.bytes ?? 0;
    const ticket = { caller, bytes, waitMs: CODE.DEADLINE_MS, signal };
    return await runAdmitted(options, ticket, (analysis, job, call) =>
      analysis.showCode({ ...job, ...input }, call),
    );
  }

  async function read(
    caller: string,
    key: { tenant_id: string; rfc_id: string },
    changes: ShowCodeInput['changes'],
    signal: AbortSignal,
  ) {
    const { json: record } = await store.getRfc(key);
    const sealed = await store.getDiff(key).catch(unlessNotFound);
    const shown = await show(caller, { record, diff: null, sealed, changes }, signal);
    if (shown.wants === null) return shown.json;
    const made = await source.diff(shown.wants, { signal });
    return (await show(caller, { record, diff: made.diff, sealed: null, changes }, signal)).json;
  }

  return async (principal, rfc_id, changes, gone) => {
    const late = AbortSignal.timeout(CODE.DEADLINE_MS);
    const key = { tenant_id: principal.tenant_id, rfc_id };
    try {
      const json = await read(principal.id, key, changes, AbortSignal.any([gone, late]));
      return json ?? unavailable(rfc_id, changes, 'the diff could not be made again');
    } catch (thrown) {
      const reason = late.aborted ? 'it took too long; try again' : reasonOf(thrown);
      if (gone.aborted || reason === null) throw thrown;
      return unavailable(rfc_id, changes, reason);
    }
  };
}

/** What git says, or that a thread could not do it; null: another failure, or no such RFC. */
function reasonOf(thrown: unknown): string | null {
  if (!(thrown instanceof CraError)) return null;
  if (typeof thrown.details['reason'] === 'string') return thrown.details['reason'];
  return thrown.details['thread_lost'] === true || UNREADABLE.has(thrown.code)
    ? 'the diff could not be read'
    : null;
}

/** Of a text that is not a diff, or whose seal is broken. */
const UNREADABLE: ReadonlySet<StatusCode> = new Set(['INVALID_ARGUMENT', 'DATA_LOSS']);

function unavailable(rfc_id: string, changes: ShowCodeInput['changes'], reason: string): string {
  const nothing = changes === null ? { blocks: [] } : { files: [] };
  return JSON.stringify({ rfc_id, available: false, reason, ...nothing, left_out: 0 });
}
