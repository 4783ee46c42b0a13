import type { Filter } from 'mongodb';
import { type ChainState, rootOf } from '../../audit/chain.ts';
import type { CheckpointSigner } from '../../audit/checkpoint.ts';
import type { AuditEntry, AuditEvent, AuditStatus } from '../../model/audit.ts';
import { withRemark } from '../../model/decision.ts';
import { CraError } from '../../model/errors.ts';
import { DECISIONS, RFCS } from '../../model/limits.ts';
import { TRAIL } from '../contract/limits.ts';
import {
  type AcceptedInput,
  type AppendOutput,
  type BlockedInput,
  type BlockedOutput,
  type DecideInput,
  type DecideOutput,
  isListed,
  type ListEntriesInput,
  type RemarkInput,
  type RemarkOutput,
  type TrailReader,
  type TrailWriter,
} from '../contract/trail.ts';
import {
  checkFingerprints,
  fullTrail,
  notWhole,
  otherRequest,
  timeOfBefore,
  unknownAcceptance,
  unknownOutcome,
  unknownRfc,
} from '../errors.ts';
import { checkLimit, decodeKeys, encodeKeys } from '../lists.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { checkpointEvent, isSameEvent, type TrailGate } from '../trail.ts';
import type { AuditCollection } from './audit-collection.ts';
import type { Appended, Appender } from './audit-log.ts';
import { decide } from './decide.ts';
import type { RecordCollection, RecordDocument } from './decide-record.ts';
import { type DecidePlaces, type DecideSteps, findAccepted, listAccepted } from './decide-steps.ts';
import { readFailure } from './errors.ts';
import { MONGO, MONGO_TRAIL } from './limits.ts';
import { decodeSequence, encodeSequence } from './queries.ts';

interface TrailWriterOptions {
  steps: DecideSteps;
  gate: TrailGate;
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  isFull(): boolean;
  status(): Promise<AuditStatus>;
}

/** The writing methods of Trail. */
export function createTrailWriter(options: TrailWriterOptions): TrailWriter {
  const { steps, gate, append, isFull, status } = options;
  /** Decisions that run here, by op_id: a second call waits for the first. */
  const running = new Map<string, Promise<unknown>>();

  async function decideOnce(input: DecideInput): Promise<DecideOutput> {
    // However the first ended, the trail answers the second.
    await running.get(input.op_id)?.catch(() => undefined);
    const output = decide(steps, isFull, input);
    running.set(input.op_id, output);
    try {
      return await output;
    } catch (thrown) {
      throw unchanged(readFailure(thrown));
    } finally {
      if (running.get(input.op_id) === output) running.delete(input.op_id);
    }
  }

  return {
    async decide(input, call) {
      if (gate.state !== 'open') await gate.pass();
      const reason = call.stopReason();
      if (reason !== null) throw reason;
      return decideOnce(input);
    },
    async appendEvent({ event }) {
      if (event.phase !== 'whole') throw notWhole();
      if (isFull()) throw fullTrail();
      return outputOf(event, await append(event, MONGO_TRAIL.INTENT_WAIT_MS));
    },
    async addRemark(input) {
      try {
        return await addRemark(options, input);
      } catch (thrown) {
        throw unchanged(readFailure(thrown));
      }
    },
    async endAcceptance({ event, ...what }) {
      const isRepeat = (await steps.readOperations([event.op_id])).length > 0;
      if (!isRepeat && !(await steps.isAccepted(what))) throw unknownAcceptance();
      if (isFull()) throw fullTrail();
      const written = outputOf(event, await append(event, MONGO_TRAIL.INTENT_WAIT_MS));
      await steps.endAcceptance(what).catch((thrown: unknown) => {
        throw unknownOutcome(event.op_id, thrown);
      });
      return written;
    },
    auditStatus: status,
  };
}

/**
 * The entry goes before the change: a call that fails in between is repeated with the same op_id,
 * and a remark that its caller gave up is in the trail alone.
 */
async function addRemark(
  { steps, append, isFull }: TrailWriterOptions,
  input: RemarkInput,
): Promise<RemarkOutput> {
  const { remark, event, at } = input;
  const plan = async () => {
    const state = await steps.readState(input);
    if (state === null) throw unknownRfc();
    const record = parseRecord(state.json);
    return { state, record, next: withRemark(record, remark, at) };
  };
  const isDone = async ({ state, record, next }: Awaited<ReturnType<typeof plan>>) =>
    next === record || (await steps.amendRecord(state, next));
  let planned = await plan();
  if (isFull()) throw fullTrail();
  const written = outputOf(event, await append(event, MONGO_TRAIL.INTENT_WAIT_MS));
  for (let race = 0; race < MONGO.RACES_MAX; race += 1) {
    const isWritten = await isDone(planned).catch((thrown: unknown) => {
      throw unknownOutcome(event.op_id, thrown);
    });
    if (isWritten) return { ...written, rev: planned.next.rev };
    planned = await plan();
  }
  throw unknownOutcome(event.op_id, null);
}

/** What fails before the intent is written has changed nothing; later, `decide` says UNKNOWN. */
function unchanged(error: CraError): CraError {
  if (error.code !== 'UNAVAILABLE' || error.details['changed'] === false) return error;
  return new CraError('UNAVAILABLE', `${error.message}: nothing was changed`, {
    details: { ...error.details, changed: false },
    cause: error,
  });
}

/** ALREADY_EXISTS when the entry under this op_id records another event. */
function outputOf(event: AuditEvent, { chain, seq, entry, isOwn }: Appended): AppendOutput {
  if (!isOwn && !isSameEvent(JSON.parse(entry) as AuditEntry, event)) throw otherRequest();
  return { chain, seq, replayed: !isOwn };
}

/** The reading methods of Trail. */
export function createTrailReader(
  places: Pick<DecidePlaces, 'records' | 'accepted' | 'audit'>,
): TrailReader {
  return {
    async listAccepted(input) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      return await listAccepted(places, input).catch(rethrow);
    },
    async listEntries(input) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      return await listEntries(places.audit, input).catch(rethrow);
    },
    listBlocked: (input) => listBlocked(places.records, input).catch(rethrow),
    acceptedAmong: (input) => acceptedAmong(places, input).catch(rethrow),
  };
}

function rethrow(thrown: unknown): never {
  throw readFailure(thrown);
}

/**
 * From the end of the collection, which is capped and keeps the order of insertion; an index would
 * need more rights than the user of the trail has.
 */
async function listEntries(
  audit: AuditCollection,
  input: ListEntriesInput,
): Promise<{ entries: AuditEntry[]; next_cursor: string | null }> {
  const after = input.cursor === null ? null : decodeKeys(input.cursor, 1)[0];
  const entries: AuditEntry[] = [];
  let isBehind = after === null;
  let last = '';
  const newest = audit
    .find({}, { projection: { kind: 1, entry: 1 } })
    .sort({ $natural: -1 })
    .limit(TRAIL.LISTED_MAX)
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS);
  for await (const { _id, kind, entry: text } of newest) {
    if (!isBehind) {
      isBehind = _id === after;
      continue;
    }
    if (entries.length === input.limit) return { entries, next_cursor: encodeKeys([last]) };
    last = _id;
    if (input.kind !== null && kind !== input.kind) continue;
    const entry = JSON.parse(text) as AuditEntry;
    if (isListed(entry, input)) entries.push(entry);
  }
  return { entries, next_cursor: null };
}

async function acceptedAmong(
  places: Pick<DecidePlaces, 'records' | 'accepted'>,
  input: AcceptedInput,
) {
  checkFingerprints(input.fingerprints);
  return { accepted: await findAccepted(places, input) };
}

async function listBlocked(records: RecordCollection, input: BlockedInput): Promise<BlockedOutput> {
  const { repo, limit, summaries } = input;
  checkLimit(limit, DECISIONS.BULK_MAX);
  const found = await records
    .find(blockedFilter(input), { projection: { seq: 1, ...(summaries ? { summary: 1 } : {}) } })
    .sort({ seq: 1 })
    .limit(limit + 1)
    .hint(repo === null ? 'by_status' : 'by_repo_status')
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    rfc_ids: page.map(({ _id }) => _id),
    summaries: page.flatMap(({ summary }) => summary ?? []),
    next_cursor: hasMore ? encodeSequence(last.seq) : null,
  };
}

function blockedFilter({ tenant_id, repo, before, cursor }: BlockedInput): Filter<RecordDocument> {
  return {
    tenant_id,
    ...(repo === null ? {} : { repo_key: repoKey(repo) }),
    status: 'BLOCKED',
    ...(cursor === null ? {} : { seq: { $gt: decodeSequence(cursor) } }),
    ...(before === null
      ? {}
      : { created_at: { $lt: new Date(timeOfBefore(before)).toISOString() } }),
    deleted: { $ne: true },
  };
}

/** When the newest entries of a chain get their signed root. */
export interface Checkpoints {
  readonly last: AuditStatus['last_checkpoint'];
  /** To be called after every group of entries that became durable. */
  notice(state: ChainState): void;
  /** Seals what is left. */
  close(): Promise<void>;
}

interface CheckpointsOptions {
  appender: Pick<Appender, 'append' | 'state'>;
  signer: CheckpointSigner;
  /** Ms since the epoch. */
  now(): number;
  /** Called with each note; copied off the machine it proves what was there. */
  onNote(note: string): void;
  /** Bounds that tests set; `limits.ts` otherwise. */
  entries?: number;
  intervalMs?: number;
}

/** Writes a checkpoint after so many entries, after a time when there are any, and at the end. */
export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { appender, signer, now, onNote } = options;
  const { entries = TRAIL.CHECKPOINT_ENTRIES, intervalMs = TRAIL.CHECKPOINT_INTERVAL_MS } = options;
  let last: AuditStatus['last_checkpoint'] = null;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;

  const unsealed = (state: ChainState) => state.size - (last?.seq ?? 0);

  async function write(): Promise<void> {
    let note = '';
    const { seq } = await appender.append(({ chain, size, frontier }) => {
      note = signer.sign({ chain, size, root: rootOf(frontier) });
      return checkpointEvent(chain, size, note);
    }, TRAIL.DECIDE_DEADLINE_MS);
    last = { seq, at: new Date(now()).toISOString() };
    onNote(note);
  }

  function seal(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running ??= write()
      // The status reports a trail that cannot be written; there is another attempt later.
      .then(
        () => true,
        () => false,
      )
      .then((isWritten) => {
        running = null;
        if (isWritten) notice(appender.state);
        else wait();
      });
    return running;
  }

  function notice(state: ChainState): void {
    const count = unsealed(state);
    if (running !== null || count === 0) return;
    if (count >= entries) void seal();
    else wait();
  }

  function wait(): void {
    timer ??= setTimeout(() => void seal(), intervalMs).unref();
  }

  return {
    get last() {
      return last;
    },
    notice,
    async close() {
      await running;
      if (unsealed(appender.state) > 0) await seal();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
