import { createHmac, timingSafeEqual } from 'node:crypto';
import { CraError, invalidField, type StatusCode } from '../model/errors.ts';
import { DECISIONS } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type { ListOutput } from '../store/contract/records.ts';
import type { BlockedInput, TrailStore } from '../store/contract/trail.ts';
import {
  createDecideRfc,
  type DecisionsOptions,
  nameOf,
  operationId,
  partOperationId,
  type Requester,
  redactNamed,
  requestHash,
} from './decisions.ts';

export interface BulkAsk {
  filter: BulkFilter;
  /** May hold secrets. */
  reason: string;
  /** From the answer to the call before; null: the first call. */
  next: string | null;
}

/** The result for one RFC. */
export type BulkResult =
  | { rfc_id: string; ok: true; overall_status: RfcStatus | null }
  | { rfc_id: string; ok: false; error: string; code: StatusCode };

export interface BulkOutcome {
  results: BulkResult[];
  /** Set when there are more: to be sent with the same filters. */
  next: string | null;
  op_id: string;
}

/** Overrides of many RFCs for one reason. */
export interface BulkOverride {
  /**
   * Overrides at most DECISIONS.BULK_MAX RFCs, each a decision of its own: one may fail and another
   * not. RFCs that are not BLOCKED any more are answered as failed where they were named, and
   * left out else. Rejects with INVALID_ARGUMENT without a filter, and like `Decisions.decide`
   * when nothing could be overridden at all.
   */
  override(ask: BulkAsk, requester: Requester): Promise<BulkOutcome & { replayed: boolean }>;
  /**
   * What these filters select now, the oldest first: JSON of an array of RfcSummary. A page may be
   * short and not be the last. INVALID_ARGUMENT as for `override`.
   */
  preview(principal: Pick<Principal, 'tenant_id'>, page: BulkPreview): Promise<ListOutput>;
}

export interface BulkPreview {
  repo: string | null;
  /** ISO 8601 as it came. */
  beforeDate: string | null;
  limit: number;
  cursor: string | null;
}

export interface BulkOverrideOptions extends DecisionsOptions {
  trail: Pick<TrailStore, 'decide' | 'listBlocked'>;
  /** Signs `next`: the same in all daemons of a store. */
  signingKey: Uint8Array;
}

/** Creates the service. */
export function createBulkOverride(options: BulkOverrideOptions): BulkOverride {
  const decideRfc = createDecideRfc(options);
  const replays = createReplays<BulkOutcome>(DECISIONS.BULK_REPLAYS_MAX);

  async function overrideAll(
    rfcIds: readonly string[],
    reason: string,
    opId: string,
    requester: Requester,
  ): Promise<BulkResult[]> {
    const request = {
      action: 'override' as const,
      actor: nameOf(requester.principal),
      reason,
      commit_sha: null,
      repo_full_name: null,
      accept_findings: false,
    };
    /** Set when the trail cannot be written: the rest would fail as well. */
    let refusal: CraError | null = null;
    const results = await inParallel(rfcIds, async (rfcId): Promise<BulkResult> => {
      if (refusal !== null) return failed(rfcId, refusal);
      const named = { rfcId, opId: partOperationId(opId, rfcId) };
      const part = { ...named, request, emergency: false, expectedRev: null };
      try {
        const { rfc_id, overall_status } = await decideRfc(part, requester);
        return { rfc_id, ok: true, overall_status };
      } catch (thrown) {
        const error = CraError.fromUnknown(thrown);
        if (error.code === 'UNAVAILABLE') refusal = error;
        return failed(rfcId, error);
      }
    });
    if (refusal !== null && !results.some(({ ok }) => ok)) throw refusal;
    return results;
  }

  async function page(ask: BulkAsk, start: BulkStart, tenantId: string): Promise<Page> {
    const { filter } = ask;
    if (filter.rfcIds === null) {
      const query = { tenant_id: tenantId, repo: filter.repo, before: start.before };
      const { ids, cursor } = await someBlocked(options.trail, query, start.cursor);
      return { selected: ids, missed: [], next: cursor === null ? null : { ...start, cursor } };
    }
    const end = start.index + DECISIONS.BULK_MAX;
    const named = [...new Set(filter.rfcIds)];
    const rfcIds = named.slice(start.index, end);
    const next = end < named.length ? { ...start, index: end } : null;
    if (filter.repo === null && filter.beforeDate === null) {
      return { selected: rfcIds, missed: [], next };
    }
    const query = { tenant_id: tenantId, repo: filter.repo, before: start.before };
    const blocked = await allBlocked(options.trail, query);
    return {
      selected: rfcIds.filter((id) => blocked.has(id)),
      missed: rfcIds.filter((id) => !blocked.has(id)),
      next,
    };
  }

  return {
    preview: createPreview(options),

    async override(ask, requester) {
      const { tenant_id } = requester.principal;
      const signer = { key: options.signingKey, principal: requester.principal };
      const start = startOf(ask.filter, ask.next, options.now(), signer);
      const { reason } = await redactNamed({ reason: ask.reason }, options.redact, requester);
      const opId = operationId('bulk-override', requester);
      const hash = requestHash({ filter: { ...ask.filter }, next: ask.next, reason });
      const run = async () => {
        const { selected, missed, next } = await page(ask, start, tenant_id);
        const done = await overrideAll(selected, reason, opId, requester);
        const results = [...done, ...missed.map((id) => failed(id, NOT_SELECTED))];
        return { results, next: next && writeNext(ask.filter, next, signer), op_id: opId };
      };
      // Without a key it cannot be repeated: it must not take the place of an answer that can.
      if (requester.idempotencyKey === null) return { ...(await run()), replayed: false };
      const { answer, replayed } = await replays.run(opId, hash, run);
      return { ...answer, replayed };
    },
  };
}

/** Pages of the store that one preview looks at while they are empty. */
const PREVIEW_LOOKS_MAX = 20;

function createPreview({ trail, now }: BulkOverrideOptions): BulkOverride['preview'] {
  return async ({ tenant_id }, { repo, beforeDate, limit, cursor: from }) => {
    const { before } = firstStart({ repo, beforeDate, rfcIds: null }, now());
    const query = { tenant_id, repo, before, limit, summaries: true };
    let cursor = from;
    for (let looks = 1; ; looks += 1) {
      const { summaries, next_cursor } = await trail.listBlocked({ ...query, cursor });
      cursor = next_cursor;
      if (summaries.length > 0 || looks === PREVIEW_LOOKS_MAX || cursor === null) {
        return { json: `[${summaries.join(',')}]`, next_cursor: cursor };
      }
    }
  };
}

interface Page {
  selected: readonly string[];
  /** Named, but not BLOCKED or kept out by another filter. */
  missed: readonly string[];
  next: BulkStart | null;
}

const NOT_SELECTED = new CraError(
  'FAILED_PRECONDITION',
  'is not BLOCKED, or not what the other filters ask for',
);

function failed(rfc_id: string, { message, code }: CraError): BulkResult {
  return { rfc_id, ok: false, error: message, code };
}

type Blocked = Pick<TrailStore, 'listBlocked'>;
type BlockedFilter = Pick<BlockedInput, 'tenant_id' | 'repo' | 'before'>;

/** The next page that is not empty, if there is one: the store may have pages that are. */
async function someBlocked(trail: Blocked, filter: BlockedFilter, from: string | null) {
  let cursor = from;
  for (;;) {
    const query = { ...filter, limit: DECISIONS.BULK_MAX, cursor, summaries: false };
    const page = await trail.listBlocked(query);
    cursor = page.next_cursor;
    if (page.rfcIds.length > 0 || cursor === null) return { ids: page.rfcIds, cursor };
  }
}

async function allBlocked(trail: Blocked, filter: BlockedFilter): Promise<Set<string>> {
  const found = new Set<string>();
  let from: string | null = null;
  do {
    const { ids, cursor } = await someBlocked(trail, filter, from);
    for (const id of ids) found.add(id);
    from = cursor;
  } while (from !== null);
  return found;
}

/** The results in the order of the items, of which DECISIONS.BULK_PARALLEL run at once. */
async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += DECISIONS.BULK_PARALLEL) {
    results.push(...(await Promise.all(items.slice(at, at + DECISIONS.BULK_PARALLEL).map(run))));
  }
  return results;
}

/** Answers of operations that the store knows in parts only, for repeats with the same key. */
interface Replays<T> {
  /**
   * Runs an operation, or answers as the same one did before; ALREADY_EXISTS when `opId` stands
   * for another request. An operation that failed may be tried again.
   */
  run(
    opId: string,
    hash: string,
    operation: () => Promise<T>,
  ): Promise<{ answer: T; replayed: boolean }>;
}

/** Creates a register of the newest `kept` answers. It is lost with the process. */
function createReplays<T>(kept: number): Replays<T> {
  const answers = new Map<string, { hash: string; answer: Promise<T> }>();
  return {
    async run(opId, hash, operation) {
      const known = answers.get(opId);
      if (known !== undefined) {
        if (known.hash !== hash) throw otherRequest();
        return { answer: await known.answer, replayed: true };
      }
      const entry = { hash, answer: operation() };
      answers.set(opId, entry);
      const [oldest] = answers.keys();
      if (answers.size > kept && oldest !== undefined) answers.delete(oldest);
      try {
        return { answer: await entry.answer, replayed: false };
      } catch (thrown) {
        if (answers.get(opId) === entry) answers.delete(opId);
        throw thrown;
      }
    },
  };
}

function otherRequest(): CraError {
  const message = 'this Idempotency-Key was used for another request: send a new one';
  return new CraError('ALREADY_EXISTS', message);
}

/** Selects the RFCs that match all filters of a bulk call. */
export interface BulkFilter {
  /** Name of a repository, without regard to case. */
  repo: string | null;
  /** ISO 8601 as it came. */
  beforeDate: string | null;
  rfcIds: readonly string[] | null;
}

/** Where one call of a series starts. */
export interface BulkStart {
  /** Only RFCs created before (ISO 8601, UTC): RFCs made during the series are left out. */
  before: string;
  /** Cursor of the store, where no ids are given; null: from the oldest. */
  cursor: string | null;
  /** Of the ids given, the first that remains. */
  index: number;
}

const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const HAS_ZONE = /(?:Z|T.*[+-]\d{2}:?\d{2})$/;

/** Whom a `next` is given to, and the key that signs it. */
export interface NextSigner {
  key: Uint8Array;
  principal: Pick<Principal, 'tenant_id' | 'id'>;
}

/**
 * Where to start: at the beginning, or where `next` of the answer before says. Throws
 * INVALID_ARGUMENT without a filter, for an invalid date, and for a `next` that this service did
 * not sign for this caller and these filters.
 */
export function startOf(
  filter: BulkFilter,
  next: string | null,
  now: Date,
  signer: NextSigner,
): BulkStart {
  const first = firstStart(filter, now);
  return next === null ? first : readNext(filter, next, signer);
}

function firstStart({ repo, beforeDate, rfcIds }: BulkFilter, now: Date): BulkStart {
  if (repo === null && beforeDate === null && rfcIds === null) {
    throw invalidField('body', 'needs at least one of repo, before_date and rfc_ids');
  }
  const before = beforeDate === null ? now.toISOString() : readDate(beforeDate);
  return { before, cursor: null, index: 0 };
}

/** The `next` of an answer: it goes with this caller and these filters only. */
export function writeNext(filter: BulkFilter, start: BulkStart, signer: NextSigner): string {
  const payload = Buffer.from(JSON.stringify(start)).toString('base64url');
  return `${payload}.${signatureOf(payload, filter, signer).toString('base64url')}`;
}

function readNext(filter: BulkFilter, next: string, signer: NextSigner): BulkStart {
  const [payload = '', signature = '', ...rest] = next.split('.');
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(payload, filter, signer);
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  // Base64 has more than one spelling of the same bytes: only the sent one counts.
  if (rest.length > 0 || !isSigned || given.toString('base64url') !== signature) {
    const message =
      'does not belong to this caller and these filters; send the filters of the call before';
    throw invalidField('next', message);
  }
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as BulkStart;
}

function signatureOf(payload: string, filter: BulkFilter, { key, principal }: NextSigner): Buffer {
  const { tenant_id, id } = principal;
  const text = JSON.stringify(['bulk-override next', tenant_id, id, filterHash(filter), payload]);
  return createHmac('sha256', key).update(text).digest();
}

function filterHash({ repo, beforeDate, rfcIds }: BulkFilter): string {
  return requestHash([repo?.toLowerCase() ?? null, beforeDate, rfcIds]);
}

/** In the form of `created_at` of records. A time without a zone is UTC. */
function readDate(text: string): string {
  const isTime = text.includes('T');
  const ms =
    ISO_8601.test(text) && isDay(text.slice(0, 10))
      ? Date.parse(isTime && !HAS_ZONE.test(text) ? `${text}Z` : text)
      : Number.NaN;
  if (Number.isNaN(ms)) {
    throw invalidField('before_date', 'must be a date or time of ISO 8601, like 2026-01-31');
  }
  return new Date(ms).toISOString();
}

/** Whether the calendar has this day; `Date` turns 30 February into 2 March. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
