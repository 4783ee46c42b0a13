import type { SealedDiff } from '../../core/seal.ts';
import { CraError, type StatusCode } from '../../model/errors.ts';
import type { RecordText } from '../../model/records.ts';
import { movableBuffers } from '../../rpc/channel.ts';
import { connect, type Sides } from '../../rpc/client.ts';
import { implement, type Registration } from '../../rpc/server.ts';
import type { CallOptions, Reader, Writer } from '../../rpc/service.ts';
import { Pushes, type PushStore } from './pushes.ts';
import { type RecordStore, Records } from './records.ts';
import { type ReviewStore, Reviews } from './reviews.ts';
import { Rulebook, type RulebookStore } from './rulebook.ts';
import { type SessionStore, Sessions } from './sessions.ts';
import { type TaskStore, Tasks } from './tasks.ts';
import { Trail, type TrailStore } from './trail.ts';
import { Usage, type UsageStore } from './usage.ts';

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
}

/** The two halves of a driver, as a server runs them: SQLite has a thread for each. */
export type StoreWriter = { [Name in keyof Services]: Writer<Services[Name]> };
export type StoreReader = { [Name in keyof Services]: Reader<Services[Name]> };
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
  };
}

/** The server's side of a driver or of one half of it: the other's methods are UNIMPLEMENTED. */
export function implementStore(
  driver: Partial<StoreWriter> | Partial<StoreReader>,
): Registration[] {
  const names = Object.keys(SERVICES) as (keyof Services)[];
  return names.map((name) => implement(SERVICES[name], driver[name] ?? {}));
}

/** Reads a write whose outcome is unknown again by its id before its caller hears of a failure. */
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
  | ({ role: 'writer'; dataDir: string } & TrailThreadData)
  | ({
      role: 'mongo';
      dataDir: string;
      url: string;
      /** Of the trail; null: the servers and the user of the records. */
      auditUrl: string | null;
      instance: string;
      /** Hashes of the keys that all daemons of a store have in common. */
      keys: { seal: string; fingerprint: string };
    } & TrailThreadData);

/** What the thread needs that writes the audit trail. */
export interface TrailThreadData {
  /** Ed25519 seed of the trail's checkpoints, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon: the trail says which one wrote it. */
  version: string;
  /** Where sealed segments of the trail go; null: nowhere. */
  segments: BucketSettings | null;
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
