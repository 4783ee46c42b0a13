import { createClient } from '../../src/rpc/client.ts';
import { Records } from '../../src/rpc/contract.ts';
import { Pushes } from '../../src/rpc/queue-contract.ts';
import { type ServiceThread, startServiceThread } from '../../src/rpc/thread.ts';
import { workerEntry } from '../../src/rpc/thread-entry.ts';
import { Trail } from '../../src/rpc/trail-contract.ts';
import { createPushStore } from '../../src/store/push-client.ts';
import type { PushStore } from '../../src/store/queue.ts';
import type { Store, TrailStore } from '../../src/store/store.ts';
import { createStore, createTrailStore } from '../../src/store/store-client.ts';
import type { StoreThreadData } from '../../src/store/thread-data.ts';

/** The threads of a daemon's store, without the daemon; the first writes, the last reads. */
export async function openStoreThreads(
  threads: readonly StoreThreadData[],
): Promise<{ store: Store; pushes: PushStore; trail: TrailStore; close(): Promise<void> }> {
  const opened: ServiceThread[] = [];
  for (const workerData of threads) {
    const thread = startServiceThread({
      entry: workerEntry('store'),
      workerData,
      onLost: () => undefined,
    });
    await thread.ready;
    opened.push(thread);
  }
  const [first, last] = [opened[0], opened.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no thread');
  return {
    store: createStore({
      writer: createClient(Records, first),
      reader: createClient(Records, last),
    }),
    pushes: createPushStore({
      writer: createClient(Pushes, first),
      reader: createClient(Pushes, last),
    }),
    trail: createTrailStore({
      writer: createClient(Trail, first),
      reader: createClient(Trail, last),
    }),
    async close() {
      for (const thread of opened.reverse()) await thread.close();
    },
  };
}
