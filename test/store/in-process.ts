import { createClient } from '../../src/rpc/client.ts';
import { Records } from '../../src/rpc/contract.ts';
import { connectInProcess } from '../../src/rpc/in-process.ts';
import { createServer, implement } from '../../src/rpc/server.ts';
import { Trail } from '../../src/rpc/trail-contract.ts';
import type {
  RecordsReader,
  RecordsWriter,
  Store,
  TrailReader,
  TrailStore,
  TrailWriter,
} from '../../src/store/store.ts';
import { createStore, createTrailStore } from '../../src/store/store-client.ts';

/** Both halves of a driver behind the carrier of one thread. */
export function connectStore(
  writer: { records: RecordsWriter; trail: TrailWriter },
  reader: { records: RecordsReader; trail: TrailReader },
): { store: Store; trail: TrailStore } {
  const server = createServer([
    implement(Records, { ...writer.records, ...reader.records }),
    implement(Trail, { ...writer.trail, ...reader.trail }),
  ]);
  const transport = connectInProcess(server);
  const records = createClient(Records, transport);
  const trail = createClient(Trail, transport);
  return {
    store: createStore({ writer: records, reader: records }),
    trail: createTrailStore({ writer: trail, reader: trail }),
  };
}
