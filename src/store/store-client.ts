import type { SealedDiff } from '../core/seal.ts';
import { movableBuffers } from '../core/transfer.ts';
import { CraError, type StatusCode } from '../model/errors.ts';
import type { RecordText } from '../rpc/contract.ts';
import type { CallOptions } from '../rpc/service.ts';
import type {
  ReadMethod,
  Store,
  TrailReadMethod,
  TrailStore,
  TrailWriteMethod,
  WriteMethod,
} from './store.ts';

export interface StoreClients {
  writer: Pick<Store, WriteMethod>;
  reader: Pick<Store, ReadMethod>;
}

/**
 * One store from the clients of its writing and its reading side. A write whose outcome is
 * unknown is read again by id before its caller hears of a failure.
 */
export function createStore({ writer, reader }: StoreClients): Store {
  return {
    insertRfc: (input, options = {}) =>
      writer
        .insertRfc(input, withTransfer(options, input.diff))
        .catch((error: unknown) => settle(reader, input.record, error)),
    completeDraft: (input, options) =>
      writer
        .completeDraft(input, options)
        .catch((error: unknown) => settle(reader, input.record, error)),
    startAttempt: writer.startAttempt,
    ping: writer.ping,
    getRfc: reader.getRfc,
    getSarif: reader.getSarif,
    findFindings: reader.findFindings,
    listRfcs: reader.listRfcs,
    listDrafts: reader.listDrafts,
    getDiff: reader.getDiff,
    repoHistory: reader.repoHistory,
  };
}

export interface TrailClients {
  writer: Pick<TrailStore, TrailWriteMethod>;
  reader: Pick<TrailStore, TrailReadMethod>;
}

/** One trail from the clients of its two sides. */
export function createTrailStore({ writer, reader }: TrailClients): TrailStore {
  return {
    decide: (input, options) => writer.decide(input, options).catch(failDeed),
    appendEvent: (input, options) => writer.appendEvent(input, options).catch(failDeed),
    auditStatus: writer.auditStatus,
    listBlocked: reader.listBlocked,
    acceptedAmong: reader.acceptedAmong,
  };
}

/**
 * A driver that could not write says so (`changed: false`). A thread that was lost with the call
 * is UNAVAILABLE, too, but nobody knows what it did last.
 */
function failDeed(error: unknown): never {
  if (!(error instanceof CraError) || error.code !== 'UNAVAILABLE') throw error;
  if (error.details['changed'] === false) throw error;
  const message = 'whether it happened is not known: ask again with the same op_id';
  throw new CraError('UNKNOWN', message, { cause: error });
}

/** After these codes a write may have happened all the same. */
const UNKNOWN_OUTCOME: ReadonlySet<StatusCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'UNKNOWN',
]);

/** Success if the store holds exactly `record`, else the error of the write. */
async function settle(
  reader: StoreClients['reader'],
  record: RecordText,
  error: unknown,
): Promise<{ rev: number }> {
  if (!(error instanceof CraError) || !UNKNOWN_OUTCOME.has(error.code)) throw error;
  const { tenant_id, rfc_id, rev, json } = record;
  const stored = await reader.getRfc({ tenant_id, rfc_id }).catch(() => null);
  if (stored === null || !isText(stored.json, json)) throw error;
  return { rev };
}

function isText(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(text).equals(bytes);
}

function withTransfer(options: CallOptions, diff: SealedDiff | null): CallOptions {
  const buffers = movableBuffers(diff?.chunks ?? []);
  if (buffers.length === 0) return options;
  return { ...options, transfer: [...(options.transfer ?? []), ...buffers] };
}
