import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { CraError } from '../model/errors.ts';
import { createChannelTransport } from './channel.ts';
import type { Transport } from './client.ts';

/**
 * One end of a channel on its way to a service thread: a pool thread makes the channel, and the
 * main thread, which knows both, only hands the end over. Calls then go from thread to thread.
 */
export interface PortOffer {
  kind: 'port-offer';
  port: MessagePort;
}

/** Makes a channel, offers one end by `post`, and calls over the other. */
export function offerPort(
  post: (offer: PortOffer, transfer: readonly MessagePort[]) => void,
): Transport {
  const { port1: own, port2: port } = new MessageChannel();
  const transport = createChannelTransport({
    post: (message, transfer) => own.postMessage(message, [...transfer]),
  });
  own.on('message', transport.receive);
  own.on('close', () => transport.close(new CraError('UNAVAILABLE', 'the other thread ended')));
  // A call keeps its thread alive by its deadline; the channel alone need not.
  own.unref();
  post({ kind: 'port-offer', port }, [port]);
  return transport;
}

/** Whether a thread's message is an offer. */
export function isPortOffer(message: unknown): message is PortOffer {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'port-offer'
  );
}
