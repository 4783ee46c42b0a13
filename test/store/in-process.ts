import { connectInProcess } from '../../src/rpc/channel.ts';
import { createServer, type Transport } from '../../src/rpc/service.ts';
import {
  connectStore,
  type StoreClients,
  type StoreReader,
  type StoreWriter,
} from '../../src/store/contract/store.ts';
import { implementStore } from '../../src/store/serve.ts';

/**
 * Both halves of a driver, each behind a carrier of its own. `leastMs`: calls have at least so
 * long, so that nothing fails because the machine is busy.
 */
export function connectDriver(
  writer: Partial<StoreWriter>,
  reader: Partial<StoreReader>,
  leastMs = 0,
): StoreClients {
  const carrierOf = (half: Partial<StoreReader> | Partial<StoreWriter>): Transport => {
    const carrier = connectInProcess(createServer(implementStore(half)));
    return {
      call({ timeoutMs, ...request }, signal, transfer) {
        return carrier.call(
          { ...request, timeoutMs: Math.max(timeoutMs, leastMs) },
          signal,
          transfer,
        );
      },
    };
  };
  return connectStore({ writer: carrierOf(writer), reader: carrierOf(reader) });
}

/** What a call of a test may take. */
export const PATIENT_MS = 600_000;
