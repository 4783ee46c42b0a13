import type { SealedDiff } from '../../core/seal.ts';
import type { AuditEvent, AuditPlace } from '../../model/audit.ts';
import { CraError, type StatusCode } from '../../model/errors.ts';
import { RULES, TASKS } from '../../model/limits.ts';
import type { StoredSession } from '../../model/principal.ts';
import type { RecordText } from '../../model/records.ts';
import type { Retention } from '../../model/retention.ts';
import type { TaskRecord, TaskStatus } from '../../model/task.ts';
import type { UsageDay, UsageRecord, UsageSums } from '../../model/usage.ts';
import { movableBuffers } from '../../rpc/channel.ts';
import {
  type CallOptions,
  type Client,
  connect,
  implement,
  type Reader,
  type Registration,
  type Sides,
  type Writer,
} from '../../rpc/service.ts';
import { type DeployStore, Deploys } from './deploys.ts';
import { type EventLane, type EventStore, Events } from './events.ts';
import { limited, read, write } from './method.ts';
import { Pushes, type PushStore } from './pushes.ts';
import {
  type RecordStore,
  Records,
  type RecordsReader,
  type ReviewStore,
  Reviews,
} from './records.ts';
import { Trail, type TrailStore } from './trail.ts';

/** Revisions of the rules configuration at rest. The promises of `Records` hold here, too. */
export const Rulebook = {
  name: 'Rulebook',
  methods: {
    /** The newest revision; its text only when its number is not `known`. */
    newestRules: read<{ known: number }, { newest: RulesEntry | null; text: string | null }>(),
    /** NOT_FOUND for a number that was never given. */
    rulesAt: read<{ number: number }, { entry: RulesEntry; text: string }>(),
    /** Newest first. */
    listRules: read<{ limit: number; before: number | null }, { entries: RulesEntry[] }>(
      limited(RULES.LIST_MAX),
    ),
    /**
     * Makes a revision the newest and writes its audit entry, as one step. ABORTED with `{number}`
     * when the newest is not `expected`; UNAVAILABLE when the trail can't be written: nothing
     * changed.
     */
    addRules: write<AddRules, { entry: RulesEntry; audit: AuditPlace }>(),
  },
} as const;

export type RulebookStore = Client<typeof Rulebook>;

/** One revision of the rules configuration, without its text. */
export interface RulesEntry {
  /** 1, 2, 3, ...; the newest is in force. */
  number: number;
  /** Hash of the rule set that it stands for, as RFCs name it. */
  revision: string;
  source: 'file' | 'api';
  /** SHA-256 of the text, hex. */
  text_sha256: string;
  added_at: string;
  /** Principal id, or the service. */
  added_by: string;
  comment: string;
}

export interface AddRules {
  /** Number of the newest revision that the caller knows; 0: it is absent. */
  expected: number;
  /** The rules file as JSON. */
  text: string;
  entry: Omit<RulesEntry, 'number'>;
  /** Entry of the trail: kind `rules`; its details get the number. */
  event: AuditEvent;
}

/**
 * Browser sessions, shared by all daemons. Whether a session has ended is decided by its reader;
 * a store only has to forget sessions some time after `expires_at`.
 */
const Sessions = {
  name: 'Sessions',
  methods: {
    /** ALREADY_EXISTS for a known id. */
    createSession: write<{ session: StoredSession }, Done>(),
    /** Null for an unknown id. Sees every change that resolved before. */
    findSession: read<{ session_id: string }, { session: StoredSession | null }>(),
    /** Moves `last_seen_at` forward, never back; an unknown session changes nothing. */
    touchSession: write<{ session_id: string; last_seen_at: string }, Done>(),
    /** An unknown session changes nothing. */
    deleteSession: write<{ session_id: string }, Done>(),
    /** Ends all sessions of a person (logout everywhere); answers how many there were. */
    deleteSessionsOf: write<{ tenant_id: string; principal_id: string }, { deleted: number }>(),
  },
} as const;

export type SessionStore = Client<typeof Sessions>;

interface Done {
  ok: true;
}

/** The LLM cost ledger at rest. The promises of `Records` hold here, too. */
const Usage = {
  name: 'Usage',
  methods: {
    /** The same `usage_id` again is the same record. */
    logUsage: write<{ record: UsageRecord }, { usage_id: string }>(),
    /** Sums over the records with `at_ms` >= `sinceMs`: exact to the millisecond, over millions. */
    usageTotal: read<{ tenant_id: string; sinceMs: number }, UsageSums>(),
    /**
     * The same by day, provider and model, oldest day first, then by name; null when they are
     * more than `limit`.
     */
    usageDays: read<
      { tenant_id: string; sinceMs: number; limit: number },
      { days: UsageDay[] | null }
    >(),
  },
} as const;

export type UsageStore = Client<typeof Usage>;

/** Worker tasks at rest. The promises of `Records` hold here, too. */
const Tasks = {
  name: 'Tasks',
  methods: {
    /**
     * Creates a task, or answers the open one (`pending`, `picked`) of the same finding with
     * `created: false`: of racing calls one creates.
     */
    createTask: write<{ task: TaskRecord }, { task: TaskRecord; created: boolean }>(),
    /**
     * Sets a task's status, whatever it was; the same again changes nothing. With `resolvedBy`
     * the finding in its RFC gets `resolved` (the first one stays), its rev one higher, as one
     * step; the verdict stays. NOT_FOUND for an unknown task; a deleted RFC does not fail it.
     */
    updateTask: write<UpdateTask, { task: TaskRecord }>(),
    /** Of any status, or of one; newest first. */
    listTasks: read<ListTasksInput, { tasks: TaskRecord[]; next_cursor: string | null }>(
      limited(TASKS.LIST_LIMIT_MAX),
    ),
    /** Oldest first. */
    listPendingTasks: read<
      { tenant_id: string; limit: number; cursor: string | null },
      { tasks: TaskRecord[]; next_cursor: string | null }
    >(limited(TASKS.LIST_LIMIT_MAX)),
  },
} as const;

export type TaskStore = Client<typeof Tasks>;

export interface ListTasksInput {
  tenant_id: string;
  /** Null: any. */
  status: TaskStatus | null;
  limit: number;
  cursor: string | null;
}

export interface UpdateTask {
  tenant_id: string;
  task_id: string;
  status: TaskStatus;
  /** Also marks the finding resolved, by this name; null: leaves it. */
  resolvedBy: string | null;
  /** ISO 8601, UTC. */
  at: string;
}

/** All services of a store, by the names that drivers use for them. */
const SERVICES = {
  records: Records,
  trail: Trail,
  pushes: Pushes,
  tasks: Tasks,
  usage: Usage,
  reviews: Reviews,
  rulebook: Rulebook,
  sessions: Sessions,
  deploys: Deploys,
  events: Events,
} as const;

type Services = typeof SERVICES;

/** The services of a store as their callers see them. */
export interface StoreClients {
  store: RecordStore;
  trail: TrailStore;
  pushes: PushStore;
  tasks: TaskStore;
  usage: UsageStore;
  reviews: ReviewStore;
  rulebook: RulebookStore;
  sessions: SessionStore;
  deploys: DeployStore;
  events: EventStore;
}

/** The two halves of a driver: SQLite has a thread for each. */
export type StoreWriter = { [Name in keyof Services]: Writer<Services[Name]> };
export type StoreReader = {
  [Name in keyof Services]: Name extends 'records' ? RecordsReader : Reader<Services[Name]>;
};
export type StoreDriver = StoreWriter & StoreReader;

/** The caller's side of a store whose writes and reads are served at these two ends. */
export function connectStore(sides: Sides): StoreClients {
  return {
    store: confirmWrites(connect(Records, sides)),
    trail: markUnknown(connect(Trail, sides)),
    pushes: connect(Pushes, sides),
    tasks: connect(Tasks, sides),
    usage: connect(Usage, sides),
    reviews: connect(Reviews, sides),
    rulebook: connect(Rulebook, sides),
    sessions: connect(Sessions, sides),
    deploys: connect(Deploys, sides),
    events: connect(Events, sides),
  };
}

/** The server's side of a store or of one half of it: the other's methods are UNIMPLEMENTED. */
export function implementServices(
  methods: Partial<Record<keyof Services, object>>,
): Registration[] {
  const names = Object.keys(SERVICES) as (keyof Services)[];
  return names.map((name) => implement(SERVICES[name], methods[name] ?? {}));
}

/** Reads a write whose outcome is unknown again by its id before its caller gets a failure. */
export function confirmWrites(records: RecordStore): RecordStore {
  return {
    ...records,
    insertRfc: (input, options = {}) =>
      records
        .insertRfc(input, withTransfer(options, input.diff))
        .catch((error: unknown) => confirm(records, input.record, error)),
    completeDraft: (input, options) =>
      records
        .completeDraft(input, options)
        .catch((error: unknown) => confirm(records, input.record, error)),
    reviseRfc: (input, options) =>
      records
        .reviseRfc(input, options)
        .catch((error: unknown) => confirm(records, input.record, error)),
  };
}

/** After these codes a write may have happened all the same. */
const UNKNOWN_OUTCOME: ReadonlySet<StatusCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'UNKNOWN',
]);

/** Success if the store holds exactly `record`, else the error of the write. */
async function confirm(
  records: Pick<RecordStore, 'getRfc'>,
  record: RecordText,
  error: unknown,
): Promise<{ rev: number }> {
  if (!(error instanceof CraError) || !UNKNOWN_OUTCOME.has(error.code)) throw error;
  const { tenant_id, rfc_id, rev, json } = record;
  const stored = await records.getRfc({ tenant_id, rfc_id }).catch(() => null);
  if (stored === null || !Buffer.from(json).equals(stored.json)) throw error;
  return { rev };
}

function withTransfer(options: CallOptions, diff: SealedDiff | null): CallOptions {
  const buffers = movableBuffers(diff?.chunks ?? []);
  if (buffers.length === 0) return options;
  return { ...options, transfer: [...(options.transfer ?? []), ...buffers] };
}

/**
 * Makes UNKNOWN of a failure that leaves the outcome open. A driver that could not write says so
 * (`changed: false`); a thread that was lost with the call is UNAVAILABLE, too, but its last write
 * may have happened.
 */
export function markUnknown(trail: TrailStore): TrailStore {
  return {
    ...trail,
    decide: (input, options) => trail.decide(input, options).catch(failOpen),
    appendEvent: (input, options) => trail.appendEvent(input, options).catch(failOpen),
    moveRfc: (input, options) => trail.moveRfc(input, options).catch(failOpen),
    addRemark: (input, options) => trail.addRemark(input, options).catch(failOpen),
    endAcceptance: (input, options) => trail.endAcceptance(input, options).catch(failOpen),
  };
}

function failOpen(error: unknown): never {
  if (!(error instanceof CraError) || error.code !== 'UNAVAILABLE') throw error;
  if (error.details['changed'] === false) throw error;
  const message = 'the outcome is unknown: send it again with the same op_id';
  throw new CraError('UNKNOWN', message, { cause: error });
}

/** What a store thread is started with: SQLite has one for each half, MongoDB one for both. */
export type StoreThreadData =
  | { role: 'reader'; dataDir: string }
  | ({ role: 'writer'; dataDir: string; lanes: EventLane[] } & TrailThreadData)
  | ({
      role: 'mongo';
      dataDir: string;
      url: string;
      /** Of the trail; null: the servers and the user of the records. */
      auditUrl: string | null;
      /** Hashes of the keys that all daemons of a store have in common. */
      keys: { seal: string; fingerprint: string };
      lanes: EventLane[];
    } & TrailThreadData);

/** What the thread needs that writes the audit trail and the archive. */
export interface TrailThreadData {
  /** Ed25519 seed of the trail's checkpoints, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon: the trail says which one wrote it. */
  version: string;
  /** Where sealed segments of the trail go; null: nowhere. */
  segments: BucketSettings | null;
  /** The daemon, the same after a restart; its archive has this name. */
  instance: string;
  /** When RFCs leave the store for the archive. */
  retention: Retention;
}

/** A bucket with object lock, for sealed segments of the trail. */
export interface BucketSettings {
  bucket: string;
  /** URL of the service; null: AWS. */
  endpoint: string | null;
  region: string;
  accessKey: string;
  secretKey: string;
  /** How long a segment is locked. */
  retentionDays: number;
}
