import { networkOf } from '../../auth/failed-attempts.ts';
import { HTTP } from '../../limits.ts';

/**
 * Which bodies go to disk at once, by address: uWebSockets.js hands over megabytes of a fast
 * connection before a pause holds, so that few of one host may be read together. Addresses do not
 * wait for each other.
 */
export interface DiskTurns {
  /** True: it is the turn of this body. Else `onTurn` is called when it is. */
  take(address: string, onTurn: () => void): boolean;
  /** The body needs its turn no more, whether it has come or not. */
  leave(address: string, onTurn: () => void): void;
}

/** Creates the queues. */
export function createDiskTurns(): DiskTurns {
  const queues = new Map<string, { active: Set<() => void>; waiting: Set<() => void> }>();
  return {
    take(address, onTurn) {
      const network = networkOf(address);
      const queue = queues.get(network) ?? { active: new Set(), waiting: new Set() };
      queues.set(network, queue);
      const isNow = queue.active.size < HTTP.SPOOLING_PER_ADDRESS_MAX;
      (isNow ? queue.active : queue.waiting).add(onTurn);
      return isNow;
    },
    leave(address, onTurn) {
      const network = networkOf(address);
      const queue = queues.get(network);
      if (queue === undefined || queue.waiting.delete(onTurn)) return;
      if (!queue.active.delete(onTurn)) return;
      const [next] = queue.waiting;
      if (next !== undefined) {
        queue.waiting.delete(next);
        queue.active.add(next);
        next();
      } else if (queue.active.size === 0) queues.delete(network);
    },
  };
}
