import type { CraError, ErrorMessage } from '../model/errors.ts';

/**
 * What crosses between threads and processes. Plain data only: every property is present, an
 * intentionally unspecified one is `null`, and Error objects are never posted.
 */
export interface RpcRequest {
  kind: 'request';
  id: number;
  service: string;
  method: string;
  input: unknown;
  /** Time that remains to the caller, relative, so that clocks need not agree. */
  timeoutMs: number;
}

export interface RpcCancel {
  kind: 'cancel';
  id: number;
}

export type RpcResponse =
  | { kind: 'response'; id: number; ok: true; output: unknown }
  | { kind: 'response'; id: number; ok: false; error: ErrorMessage };

export type RpcMessage = RpcRequest | RpcCancel | RpcResponse;

/** Guard for messages that arrive from another thread or process. */
export function isRpcMessage(value: unknown): value is RpcMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id } = value as { kind?: unknown; id?: unknown };
  return typeof id === 'number' && (kind === 'request' || kind === 'cancel' || kind === 'response');
}

/** The response of a call that failed. */
export function failure(id: number, error: CraError): RpcResponse {
  return { kind: 'response', id, ok: false, error: error.toMessage() };
}
