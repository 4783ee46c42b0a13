import type { Channel } from './channel.ts';
import type { RpcMessage } from './message.ts';

/**
 * A channel whose messages of one turn cross together. Waking the other side is most of what a
 * message costs, and a commit answers all calls of its batch at once.
 */
export function createOutbox(
  send: (messages: RpcMessage[], transfer: ArrayBuffer[]) => void,
): Channel {
  let messages: RpcMessage[] = [];
  let buffers: ArrayBuffer[] = [];

  function flush(): void {
    const [batch, transfer] = [messages, buffers];
    messages = [];
    buffers = [];
    send(batch, transfer);
  }

  return {
    post(message, transfer) {
      // Runs after the answers that are settled already have been posted.
      if (messages.length === 0) queueMicrotask(flush);
      messages.push(message);
      buffers.push(...transfer);
    },
  };
}
