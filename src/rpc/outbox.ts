import { RPC } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { Channel } from './channel.ts';
import type { RpcMessage } from './message.ts';

export interface OutboxOptions {
  /** Sends messages as one. Throws when one of them cannot be cloned or moved: none is sent. */
  send(messages: readonly RpcMessage[], transfer: readonly ArrayBuffer[]): void;
  /** Calls back when this turn is over. */
  defer(flush: () => void): void;
  /** Receives the one message that cannot be sent. */
  onUnsendable(message: RpcMessage, error: CraError): void;
}

/** A channel that sends a little later. */
export interface Outbox extends Channel {
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
