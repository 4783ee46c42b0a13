import { createClient } from '../../src/rpc/client.ts';
import { Records } from '../../src/rpc/contract.ts';
import { connectInProcess } from '../../src/rpc/in-process.ts';
import { createServer, implement } from '../../src/rpc/server.ts';
import type { RecordsReader, RecordsWriter, Store } from '../../src/store/store.ts';
import { createStore } from '../../src/store/store-client.ts';

/** Both halves of a driver behind the carrier of one thread. */
export function connectStore(writer: RecordsWriter, reader: RecordsReader): Store {
  const server = createServer([implement(Records, { ...writer, ...reader })]);
  const client = createClient(Records, connectInProcess(server));
  return createStore({ writer: client, reader: client });
}
