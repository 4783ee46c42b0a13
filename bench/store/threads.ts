import { type ServiceThread, startServiceThread } from '../../src/rpc/thread.ts';
import { workerEntry } from '../../src/rpc/thread-entry.ts';
import {
  connectStore,
  type StoreClients,
  type StoreThreadData,
} from '../../src/store/contract/store.ts';

/** The threads of a daemon's store, without the daemon; the first writes, the last reads. */
export async function openStoreThreads(
  threads: readonly StoreThreadData[],
): Promise<StoreClients & { close(): Promise<void> }> {
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
  const first = opened[0];
  const last = opened.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('no thread');
  return {
    ...connectStore({ writer: first, reader: last }),
    async close() {
      for (const thread of opened.reverse()) await thread.close();
    },
  };
}
