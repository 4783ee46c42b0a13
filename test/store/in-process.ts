import { connectInProcess } from '../../src/rpc/channel.ts';
import { createServer } from '../../src/rpc/service.ts';
import {
  connectStore,
  implementStore,
  type StoreClients,
  type StoreReader,
  type StoreWriter,
} from '../../src/store/contract/store.ts';

/** Both halves of a driver, each behind a carrier of its own. */
export function connectDriver(
  writer: Partial<StoreWriter>,
  reader: Partial<StoreReader>,
): StoreClients {
  return connectStore({
    writer: connectInProcess(createServer(implementStore(writer))),
    reader: connectInProcess(createServer(implementStore(reader))),
  });
}
