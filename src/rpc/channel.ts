import { movableBuffers } from '../core/transfer.ts';
import { CraError } from '../domain/errors.ts';
import { RPC } from '../limits.ts';
import type { Transport } from './client.ts';
import { failure, isRpcMessage, type RpcMessage, type RpcResponse } from './message.ts';
import type { RpcServer } from './server.ts';

/** A two-way stream of messages: a MessagePort, a worker, or a child's IPC. */
export interface Channel {
  post(message: RpcMessage, transfer: readonly ArrayBuffer[]): void;
}

export interface ChannelOptions {
  /** Added to a call's deadline before the client gives up; the server's own answer comes first. */
  graceMs?: number;
  /** How much longer a call that is overdue may take, in ms; 0 or absent: no longer. */
  moreTimeMs?: (request: { timeoutMs: number; overdueMs: number }) => number;
  /** Called when a call ran out of time: the other side may be stuck. */
  onOverdue?: () => void;
}

/** The caller's end of a channel. Feed it what arrives; tell it when the other side is gone. */
export interface ChannelTransport extends Transport {
  receive(message: unknown): void;
  /** Every pending call, and every later one, fails with `reason`. */
  close(reason: CraError): void;
  readonly isClosed: boolean;
}

interface Pending {
  settle(response: RpcResponse): void;
}

/** Creates a transport that matches responses to requests by id. */
export function createChannelTransport(
  channel: Channel,
  options: ChannelOptions = {},
): ChannelTransport {
  const graceMs = options.graceMs ?? RPC.GRACE_MS;
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let closed: CraError | null = null;

  const call: Transport['call'] = (request, signal, transfer) =>
    new Promise((resolve, reject) => {
      if (closed !== null) return reject(closed);
      if (pending.size >= RPC.PENDING_MAX) {
        return reject(new CraError('RESOURCE_EXHAUSTED', 'too many calls are pending'));
      }
      const id = nextId++;
      const giveUp = (error: CraError) => {
        channel.post({ kind: 'cancel', id }, []);
        settle(failure(id, error));
      };
      const onAbort = () => giveUp(new CraError('CANCELLED', 'the call was cancelled'));
      const deadlineAt = performance.now() + request.timeoutMs;
      const onDeadline = () => {
        const overdueMs = performance.now() - deadlineAt;
        const more = options.moreTimeMs?.({ timeoutMs: request.timeoutMs, overdueMs }) ?? 0;
        if (more > 0) {
          timer = setTimeout(onDeadline, more);
          return;
        }
        giveUp(new CraError('DEADLINE_EXCEEDED', 'no answer within the deadline'));
        options.onOverdue?.();
      };
      let timer = setTimeout(onDeadline, request.timeoutMs + graceMs);
      const settle = (response: RpcResponse) => {
        pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        resolve(response);
      };
      pending.set(id, { settle });
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        channel.post({ ...request, id }, transfer);
      } catch (thrown) {
        settle(failure(id, CraError.fromUnknown(thrown)));
      }
    });

  return {
    call,
    receive(message) {
      if (isRpcMessage(message) && message.kind === 'response') {
        pending.get(message.id)?.settle(message);
      }
    },
    close(reason) {
      closed ??= reason;
      for (const [id, entry] of pending) {
        entry.settle(failure(id, reason));
      }
    },
    get isClosed() {
      return closed !== null;
    },
  };
}

/** The server's end: runs what arrives on a channel and posts the responses. */
export function serveChannel(server: RpcServer, channel: Channel): (message: unknown) => void {
  return (message) => {
    if (!isRpcMessage(message)) return;
    if (message.kind === 'cancel') server.cancel(message.id);
    if (message.kind !== 'request') return;
    const answer = (response: RpcResponse) => channel.post(response, buffersOf(response));
    void server.handle(message).then(answer);
  };
}

/** The buffers directly in an output, or in a list in it, that move instead of being copied. */
export function buffersOf(response: RpcResponse): ArrayBuffer[] {
  if (!response.ok || typeof response.output !== 'object' || response.output === null) return [];
  return movableBuffers(Object.values(response.output));
}
