import { movableBuffers } from '../core/transfer.ts';
import { RPC } from '../limits.ts';
import { CraError } from '../model/errors.ts';
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
  id: number;
  timeoutMs: number;
  /** By performance.now(). */
  deadlineAt: number;
  timer: NodeJS.Timeout | null;
  signal: AbortSignal | null;
  onAbort: (() => void) | null;
  resolve(response: RpcResponse): void;
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

  function settle(call: Pending, response: RpcResponse): void {
    pending.delete(call.id);
    clearTimeout(call.timer ?? undefined);
    if (call.onAbort !== null) call.signal?.removeEventListener('abort', call.onAbort);
    call.resolve(response);
  }

  function giveUp(call: Pending, error: CraError): void {
    channel.post({ kind: 'cancel', id: call.id }, []);
    settle(call, failure(call.id, error));
  }

  function onDeadline(call: Pending): void {
    const overdueMs = performance.now() - call.deadlineAt;
    const more = options.moreTimeMs?.({ timeoutMs: call.timeoutMs, overdueMs }) ?? 0;
    if (more > 0) {
      call.timer = setTimeout(onDeadline, more, call);
      return;
    }
    giveUp(call, new CraError('DEADLINE_EXCEEDED', 'no answer within the deadline'));
    options.onOverdue?.();
  }

  const call: Transport['call'] = (request, signal, transfer) =>
    new Promise((resolve, reject) => {
      if (closed !== null) return reject(closed);
      if (pending.size >= RPC.PENDING_MAX) {
        return reject(new CraError('RESOURCE_EXHAUSTED', 'too many calls are pending'));
      }
      const id = nextId++;
      const { kind, service, method, input, timeoutMs } = request;
      const deadlineAt = performance.now() + timeoutMs;
      const entry: Pending = {
        id,
        timeoutMs,
        deadlineAt,
        timer: null,
        signal,
        onAbort: null,
        resolve,
      };
      entry.timer = setTimeout(onDeadline, timeoutMs + graceMs, entry);
      pending.set(id, entry);
      if (signal !== null) {
        entry.onAbort = () => giveUp(entry, new CraError('CANCELLED', 'the call was cancelled'));
        signal.addEventListener('abort', entry.onAbort, { once: true });
      }
      try {
        channel.post({ kind, id, service, method, input, timeoutMs }, transfer);
      } catch (thrown) {
        settle(entry, failure(id, CraError.fromUnknown(thrown)));
      }
    });

  return {
    call,
    receive(message) {
      if (isRpcMessage(message) && message.kind === 'response') {
        const call = pending.get(message.id);
        if (call !== undefined) settle(call, message);
      }
    },
    close(reason) {
      closed ??= reason;
      for (const call of pending.values()) settle(call, failure(call.id, reason));
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
