import { STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';

/**
 * Gives an operation up that never ends. The driver has a gap: it waits for the `drain` of a
 * socket that was destroyed just before it wrote to it (Connection.writeCommand, seen with 7.8.0
 * when a server is killed), and no timeout of its own ends that. Whoever lets others wait for an
 * operation bounds it, so that one lost answer does not stop them all. UNAVAILABLE: it may have
 * happened.
 */
export async function bounded<Output>(
  operation: Promise<Output>,
  ms: number = STORE.HUNG_MS,
): Promise<Output> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CraError('UNAVAILABLE', 'the database of the store does not answer'));
    }, ms);
  });
  try {
    return await Promise.race([operation, hung]);
  } finally {
    clearTimeout(timer);
  }
}
