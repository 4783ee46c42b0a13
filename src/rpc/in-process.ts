import { type ChannelTransport, createChannelTransport, serveChannel } from './channel.ts';
import type { RpcServer } from './server.ts';

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
