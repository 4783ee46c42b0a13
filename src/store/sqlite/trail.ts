import { wrapMethods } from '../../core/methods.ts';
import type { AuditEntry, AuditStatus, DecisionState } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { DECISIONS } from '../../model/limits.ts';
import { type CheckpointTimerOptions, createCheckpointTimer } from '../checkpoints.ts';
import {
  endsBefore,
  isListed,
  type ListEntriesInput,
  type TrailReader,
  type TrailWriter,
} from '../contract/trail.ts';
import { timeOfBefore, unwritableTrail } from '../errors.ts';
import {
  cutPage,
  decodeCursor,
  decodeKeys,
  decodeTimed,
  encodeCursor,
  encodeKeys,
} from '../lists.ts';
import type { ProveEntries } from '../proofs.ts';
import { repoKey } from '../stored-record.ts';
import { keepNote, type TrailGate } from '../trail.ts';
import type { AuditLog } from './audit-log.ts';
import { type Connection, prepared } from './connection.ts';
import { createAcceptedFinder } from './database.ts';
import { createDecisionSteps } from './decide.ts';
import { errorCode } from './errors.ts';
import { type GroupCommit, inGroups, type WriterParts } from './group-commit.ts';
import { type BlockedRow, QUERIES } from './queries.ts';

/** Waits for a write to the trail; its failures become errors for callers. */
export type TrailSettle = <Output>(write: Promise<Output>) => Promise<Output>;

/** Creates it; `seals` learns of new entries. */
export function createTrailSettle(seals: { notice(): void }): TrailSettle {
  return async (write) => {
    try {
      const output = await write;
      seals.notice();
      return output;
    } catch (thrown) {
      throw asTrailError(thrown);
    }
  };
}

/** The writing methods of Trail on an open database; decisions wait for the gate. */
export function createTrailWriter(
  parts: WriterParts & { settle: TrailSettle; gate: TrailGate; prove: ProveEntries },
): TrailWriter {
  const { log, commits, settle, gate, prove } = parts;
  const { completePush: _, ...steps } = createDecisionSteps(parts);
  const methods = settled(settle, inGroups(commits, steps));
  return {
    ...methods,
    async decide(input, call) {
      if (gate.state !== 'open') await gate.pass();
      return methods.decide(input, call);
    },
    proveEntries: async ({ places }) => ({ entries: await prove(places) }),
    auditStatus: () => statusOf(log, decisionState(commits.isFull, gate)),
    decisionState: () => decisionState(commits.isFull, gate),
  };
}

/** The same methods, each of which writes to the trail. */
export function settled<Methods extends object>(settle: TrailSettle, methods: Methods): Methods {
  return wrapMethods(methods, (method, input, call) =>
    settle(method(input, call) as Promise<unknown>),
  );
}

const NOT_ENFORCED =
  'SQLite can not refuse its own writer: what is changed or removed in the file is found by ' +
  '`cra audit verify`, not prevented';
const FULL = 'the disk is full: decisions are refused until there is room again';

function decisionState(isFull: boolean, gate: TrailGate): DecisionState {
  return {
    state: isFull ? 'full' : gate.state === 'open' ? 'up' : gate.state,
    reasons: [isFull ? FULL : null, gate.problem].filter((one) => one !== null),
  };
}

function statusOf(log: AuditLog, { state, reasons }: DecisionState): AuditStatus {
  const { chain, bytes, checkpoint } = log.mark();
  return {
    worm: 'tamper-evident',
    problems: [NOT_ENFORCED, ...reasons],
    state,
    chain: chain.chain,
    seq: chain.size,
    bytes,
    bytes_max: null,
    last_checkpoint: checkpoint === null ? null : { seq: checkpoint.seq, at: checkpoint.at },
    open_intents: 0,
    missing_entries: 0,
    segments: null,
  };
}

/** Codes after which nothing of a write is there: its transaction was undone or never begun. */
const UNDONE = new Set(['UNAVAILABLE', 'RESOURCE_EXHAUSTED']);

/**
 * A trail that can't be written is UNAVAILABLE, whatever the reason; `changed: false` sets it
 * apart from a thread that was lost on the way. A sync that fails leaves open what is on the disk.
 */
function asTrailError(thrown: unknown): unknown {
  if (!(thrown instanceof CraError) || !UNDONE.has(thrown.code)) return thrown;
  const cause = errorCode(thrown.cause);
  if (cause.endsWith('_FSYNC')) {
    const message = 'the disk failed: it is not known whether this was done';
    return new CraError('UNKNOWN', message, { cause: thrown });
  }
  // Too many writes wait: that passes, and the trail itself works.
  if (cause === '' && thrown.code === 'RESOURCE_EXHAUSTED') return thrown;
  return unwritableTrail(thrown);
}

/** The reading methods of Trail. */
export function createTrailReader(database: Connection): TrailReader {
  const findAccepted = createAcceptedFinder(database);
  const queries = prepared(database, QUERIES);
  return {
    listEmergencies({ tenant_id, limit, cursor }) {
      const { at, rest } = cursor === null ? { at: '', rest: '' } : decodeTimed(cursor);
      const rows = queries.emergencies.all(tenant_id, at, at, Number(rest), limit + 1);
      const { page, next_cursor } = cutPage(rows, limit, ({ due_at, seq }) =>
        encodeKeys([due_at, String(seq)]),
      );
      const emergencies = page.map(({ summary, overdue }) => ({ summary, overdue: overdue === 1 }));
      return { emergencies, next_cursor };
    },
    countEmergencies({ tenant_id }) {
      const { allEmergencyCounts, emergencyCounts } = queries;
      const row = tenant_id === null ? allEmergencyCounts.get() : emergencyCounts.get(tenant_id);
      return row ?? { due: 0, overdue: 0 };
    },
    listBlocked: createBlockedFinder(database),
    listAccepted({ tenant_id, repo, limit, cursor, endingBefore }) {
      const after = cursor === null ? ['', '', ''] : decodeKeys(cursor, 3);
      const rows =
        repo === null
          ? queries.listAccepted.all(tenant_id, ...after, limit + 1)
          : queries.listAcceptedIn.all(tenant_id, repoKey(repo), ...after.slice(1), limit + 1);
      const { page, next_cursor } = cutPage(rows, limit, (last) =>
        encodeKeys([last.repo, last.fingerprint, last.rfc_id]),
      );
      return { accepted: page.filter((row) => endsBefore(row, endingBefore)), next_cursor };
    },
    listEntries: createEntryList(database),
    endedAcceptance: ({ tenant_id, repo_name }) => ({
      ended: queries.endedAcceptance.get(tenant_id, repoKey(repo_name)) ?? null,
    }),
    acceptedAmong: (input) => ({ accepted: findAccepted(input) }),
  };
}

function createEntryList(database: Connection) {
  const queries = prepared(database, QUERIES);

  function find({ tenant_id, kind, logins, rfc_id, cursor }: ListEntriesInput) {
    const before = cursor === null ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor);
    if (rfc_id !== null) return queries.listEntriesOfRfc.iterate(tenant_id, rfc_id, before);
    if (kind !== null) return queries.listEntriesOfKind.iterate(tenant_id, kind, before);
    const all = logins ? queries.listEntries : queries.listWithoutLogins;
    return all.iterate(tenant_id, before);
  }

  return (input: ListEntriesInput) => {
    const { limit } = input;
    const entries: AuditEntry[] = [];
    if (input.kind === 'login' && !input.logins) return { entries, next_cursor: null };
    let last = 0;
    for (const { n, entry: text } of find(input)) {
      const entry = JSON.parse(text) as AuditEntry;
      if (!isListed(entry, input)) continue;
      if (entries.length === limit) return { entries, next_cursor: encodeCursor(last) };
      entries.push(entry);
      last = n;
    }
    return { entries, next_cursor: null };
  };
}

function createBlockedFinder(database: Connection): TrailReader['listBlocked'] {
  const queries = prepared(database, QUERIES);

  return ({ tenant_id: tenant, repo, before, limit, cursor, summaries }) => {
    const beforeMs = before === null ? Number.POSITIVE_INFINITY : timeOfBefore(before);
    const after = cursor === null ? 0 : decodeCursor(cursor);
    const asked = summaries ? 1 : 0;
    // The time is compared here, row by row: an index for it would cost every insert.
    const looked = before === null ? limit : DECISIONS.BULK_MAX;
    const rows =
      repo === null
        ? queries.blocked.all(asked, tenant, after, looked + 1)
        : queries.blockedByRepo.all(asked, tenant, repoKey(repo), after, looked + 1);
    const found: BlockedRow[] = [];
    let end: BlockedRow | undefined;
    for (const row of rows.slice(0, looked)) {
      if (found.length === limit) break;
      if (Date.parse(row.created_at) < beforeMs) found.push(row);
      end = row;
    }
    const hasMore = end !== undefined && end !== rows.at(-1);
    return {
      rfcIds: found.map(({ rfc_id }) => rfc_id),
      summaries: found.flatMap(({ summary }) => summary ?? []),
      next_cursor: hasMore && end !== undefined ? encodeCursor(end.seq) : null,
    };
  };
}

interface AuditSealsOptions extends Pick<CheckpointTimerOptions, 'entries' | 'intervalMs'> {
  log: AuditLog;
  commits: GroupCommit;
  dataDir: string;
  /** Whether the note of a new checkpoint may replace the kept one, which may prove a gap. */
  mayKeepNote(): boolean;
}

/** Writes checkpoints when they are due, and at the end. */
export function createAuditSeals(options: AuditSealsOptions) {
  const { log, commits, dataDir, entries, intervalMs } = options;

  function unsealed(): number {
    const { chain, sealed } = log.mark();
    return chain.size - sealed;
  }

  function keepNewest(): void {
    const { checkpoint } = log.mark();
    if (checkpoint !== null && options.mayKeepNote()) keepNote(dataDir, checkpoint.note);
  }

  function writeCheckpoint(): void {
    if (unsealed() > 0) log.checkpoint();
  }

  async function seal(): Promise<void> {
    await commits.write(0, writeCheckpoint, null);
    keepNewest();
  }

  const timer = createCheckpointTimer({ unsealed, entries, intervalMs, write: seal });

  return {
    /** Entries have become durable. */
    notice: timer.notice,
    seal,
    /** Seals the remaining entries; after `commits.drained`. */
    async close() {
      await timer.stop();
      if (unsealed() === 0) return;
      try {
        if (commits.writeNow(writeCheckpoint)) keepNewest();
      } catch {
        // The next boot names the head of this chain, and that gets a checkpoint.
      }
    },
  };
}
