import type { StopSignal } from '../core/deadline.ts';
import { CraError } from '../model/errors.ts';
import type { RpcServer, Transport } from './service.ts';
import { failure, isRpcMessage, RPC, type RpcMessage, type RpcResponse } from './service.ts';

/** A two-way stream of messages: a MessagePort, a worker, or a child's IPC. */
interface Channel {
  post(message: RpcMessage, transfer: readonly ArrayBuffer[]): void;
}

interface ChannelOptions {
  /** Added to a call's deadline before the client gives up; the server's own answer comes first. */
  graceMs?: number;
  /** What the other side has used so far (CPU time, ms), read as a call starts; null: unknown. */
  usedMs?: () => number | null;
  /** How much longer a call that is overdue may take, in ms; 0 or absent: no longer. */
  moreTimeMs?: (request: OverdueCall) => number;
  /** Called when a call ran out of time: the other side may be stuck. */
  onOverdue?: () => void;
}

/** A call whose deadline has passed; `isFirst`: nobody has asked for more time for it yet. */
export interface OverdueCall {
  timeoutMs: number;
  /** `usedMs` of the other side when the call started. */
  usedBeforeMs: number | null;
  isFirst: boolean;
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
  usedBeforeMs: number | null;
  isOverdue: boolean;
  timer: NodeJS.Timeout | null;
  signal: StopSignal | null;
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
    const { timeoutMs, usedBeforeMs, isOverdue } = call;
    const overdue = { timeoutMs, usedBeforeMs, isFirst: !isOverdue };
    call.isOverdue = true;
    const more = options.moreTimeMs?.(overdue) ?? 0;
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
      const entry: Pending = {
        id,
        timeoutMs,
        usedBeforeMs: options.usedMs?.() ?? null,
        isOverdue: false,
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

/**
 * Copying to another thread costs less than moving below this: 3 KB take 8 us against 9, 16 KB
 * take 18 against 15, and a call through the pool that moves anything takes 27 us more.
 */
const TRANSFER_BYTES_MIN = 16 * 1024;

/**
 * The buffers of these values, and of those in lists among them, that are worth moving to another
 * thread instead of being copied: large ones, each wholly used by its view, so that no neighbour
 * moves with it.
 */
export function movableBuffers(values: readonly unknown[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  for (const value of values) {
    if (!Array.isArray(value)) addMovable(found, value);
    else for (const item of value) addMovable(found, item);
  }
  return [...found];
}

function addMovable(found: Set<ArrayBuffer>, value: unknown): void {
  if (!(value instanceof Uint8Array) || value.byteLength < TRANSFER_BYTES_MIN) return;
  const { buffer, byteLength } = value;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) found.add(buffer);
}

interface OutboxOptions {
  /** Sends messages as one. Throws when one of them cannot be cloned or moved: none is sent. */
  send(messages: readonly RpcMessage[], transfer: readonly ArrayBuffer[]): void;
  /** Calls back when this turn is over. */
  defer(flush: () => void): void;
  /** Receives the one message that cannot be sent. */
  onUnsendable(message: RpcMessage, error: CraError): void;
}

/** A channel that sends a little later. */
interface Outbox extends Channel {
  /** Sends at once what is there: whatever is sent past the outbox would overtake it. */
  flush(): void;
}

interface Letter {
  message: RpcMessage;
  transfer: readonly ArrayBuffer[];
}

/**
 * A channel whose messages of one turn cross together. Waking the other side is most of what a
 * message costs: a commit answers all calls of its batch at once, and requests that arrive
 * together ask together.
 */
export function createOutbox({ send, defer, onUnsendable }: OutboxOptions): Outbox {
  let letters: Letter[] = [];

  function flush(): void {
    const batch = letters;
    if (batch.length === 0) return;
    letters = [];
    try {
      sendAll(batch);
    } catch {
      // One of them spoils it for all: each by itself.
      for (const letter of batch) sendAlone(letter);
    }
  }

  function sendAll(batch: readonly Letter[]): void {
    const buffers: ArrayBuffer[] = [];
    for (const { transfer } of batch) buffers.push(...transfer);
    const messages = batch.map(({ message }) => message);
    send(messages, buffers);
  }

  function sendAlone(letter: Letter): void {
    try {
      sendAll([letter]);
    } catch (thrown) {
      onUnsendable(letter.message, CraError.fromUnknown(thrown));
    }
  }

  return {
    post(message, transfer) {
      if (letters.length === 0) defer(flush);
      letters.push({ message, transfer });
      if (letters.length >= RPC.BATCH_MESSAGES_MAX) flush();
    },
    flush,
  };
}

/**
 * A carrier within one thread, for tests and the command line. Messages are cloned as on the
 * other carriers, so that what works here works there.
 */
export function connectInProcess(server: RpcServer): ChannelTransport {
  const transport: ChannelTransport = createChannelTransport({
    post(message, transfer) {
      const copy = structuredClone(message, { transfer: [...transfer] });
      queueMicrotask(() => receive(copy));
    },
  });
  const receive = serveChannel(server, {
    post(message, transfer) {
      const copy = structuredClone(message, { transfer: [...transfer] });
      queueMicrotask(() => transport.receive(copy));
    },
  });
  return transport;
}
