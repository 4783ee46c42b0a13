import { createClient } from '../../src/rpc/client.ts';
import { Records } from '../../src/rpc/contract.ts';
import { createDeskClient, implementDesk } from '../../src/rpc/desk.ts';
import { connectInProcess } from '../../src/rpc/in-process.ts';
import { Pushes } from '../../src/rpc/queue-contract.ts';
import { createServer, implement } from '../../src/rpc/server.ts';
import { Trail } from '../../src/rpc/trail-contract.ts';
import type { Desk, DeskReader, DeskWriter } from '../../src/store/desk.ts';
import { createPushStore } from '../../src/store/push-client.ts';
import type { PushReader, PushStore, PushWriter } from '../../src/store/queue.ts';
import type {
  RecordsReader,
  RecordsWriter,
  Store,
  TrailReader,
  TrailStore,
  TrailWriter,
} from '../../src/store/store.ts';
import { createStore, createTrailStore } from '../../src/store/store-client.ts';

/** One half of a driver. */
interface Writer {
  records: RecordsWriter;
  trail: TrailWriter;
  desk: DeskWriter;
  pushes?: PushWriter;
}
interface Reader {
  records: RecordsReader;
  trail: TrailReader;
  desk: DeskReader;
  pushes?: PushReader;
}

/** Both halves of a driver behind the carrier of one thread. */
export function connectStore(
  writer: Writer,
  reader: Reader,
): { store: Store; trail: TrailStore; desk: Desk; pushes: PushStore } {
  const server = createServer([
    implement(Records, { ...writer.records, ...reader.records }),
    implement(Trail, { ...writer.trail, ...reader.trail }),
    implement(Pushes, { ...writer.pushes, ...reader.pushes }),
    ...implementDesk({ ...writer.desk, ...reader.desk }),
  ]);
  const transport = connectInProcess(server);
  const records = createClient(Records, transport);
  const trail = createClient(Trail, transport);
  const pushes = createClient(Pushes, transport);
  return {
    store: createStore({ writer: records, reader: records }),
    trail: createTrailStore({ writer: trail, reader: trail }),
    desk: createDeskClient(transport),
    pushes: createPushStore({ writer: pushes, reader: pushes }),
  };
}
