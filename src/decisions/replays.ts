import { CraError } from '../model/errors.ts';

/** Answers of deeds that the store does not know as one, for repeats with the same key. */
export interface Replays<T> {
  /**
   * Runs a deed, or answers what the same one answered before; ALREADY_EXISTS when `opId` stands
   * for another request. A deed that failed may be tried again.
   */
  run(
    opId: string,
    hash: string,
    deed: () => Promise<T>,
  ): Promise<{ answer: T; replayed: boolean }>;
}

/** Creates a register of the newest `kept` answers. It is lost with the process. */
export function createReplays<T>(kept: number): Replays<T> {
  const answers = new Map<string, { hash: string; answer: Promise<T> }>();
  return {
    async run(opId, hash, deed) {
      const known = answers.get(opId);
      if (known !== undefined) {
        if (known.hash !== hash) throw otherRequest();
        return { answer: await known.answer, replayed: true };
      }
      const entry = { hash, answer: deed() };
      answers.set(opId, entry);
      const [oldest] = answers.keys();
      if (answers.size > kept && oldest !== undefined) answers.delete(oldest);
      try {
        return { answer: await entry.answer, replayed: false };
      } catch (thrown) {
        if (answers.get(opId) === entry) answers.delete(opId);
        throw thrown;
      }
    },
  };
}

function otherRequest(): CraError {
  const message = 'this Idempotency-Key stands for another request; a new request needs a new one';
  return new CraError('ALREADY_EXISTS', message);
}
