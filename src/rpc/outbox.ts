import type { Channel } from './channel.ts';
import type { RpcMessage } from './message.ts';

/** A channel that holds messages back for a moment. */
export interface Outbox extends Channel {
  /** Sends what is held back. */
  flush(): void;
}

/**
 * A channel whose messages of one turn cross together. Waking the other side is most of what a
 * message costs, and a commit answers all calls of its batch at once.
 */
export function createOutbox(
  send: (messages: RpcMessage[], transfer: ArrayBuffer[]) => void,
  schedule: (flush: () => void) => void = queueMicrotask,
): Outbox {
  let messages: RpcMessage[] = [];
  let buffers: ArrayBuffer[] = [];

  function flush(): void {
    if (messages.length === 0) return;
    const [batch, transfer] = [messages, buffers];
    messages = [];
    buffers = [];
    send(batch, transfer);
  }

  return {
    post(message, transfer) {
      // A microtask runs after the answers that are settled already have been posted.
      if (messages.length === 0) schedule(flush);
      messages.push(message);
      buffers.push(...transfer);
    },
    flush,
  };
}
