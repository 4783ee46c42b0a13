import type { DecideSteps } from '../../../src/store/mongo/decide-steps.ts';

type StepName = keyof DecideSteps;
type When = 'before' | 'after';

export interface Interruption {
  wrap(steps: DecideSteps): DecideSteps;
  /** The step has been reached, and nothing of its caller goes on. */
  reached: Promise<void>;
  /** Lets it go on all the same. */
  release(): void;
}

/** Holds the caller of a step, before it begins or after it ended, as the end of a daemon does. */
export function interruptAt(step: StepName, when: When, nth = 1): Interruption {
  const reached = withResolvers();
  const release = withResolvers();
  let calls = 0;
  return {
    reached: reached.promise,
    release: release.resolve,
    wrap(steps) {
      const inner = steps[step] as (...args: unknown[]) => Promise<unknown>;
      const held = async (...args: unknown[]) => {
        calls += 1;
        const isMine = calls === nth;
        if (isMine && when === 'before') {
          reached.resolve();
          await release.promise;
        }
        const result = await inner(...args);
        if (isMine && when === 'after') {
          reached.resolve();
          await release.promise;
        }
        return result;
      };
      return { ...steps, [step]: held };
    },
  };
}

function withResolvers(): { promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Every place between two steps, and what the trail must say in the end. */
export const INTERRUPTIONS = (['override', 'delete'] as const).flatMap((action) =>
  (
    [
      { step: 'readState', when: 'after', nth: 1, expected: [] },
      { step: 'append', when: 'before', nth: 1, expected: [] },
      { step: 'append', when: 'after', nth: 1, expected: ['intent', 'aborted'] },
      { step: 'replaceRecord', when: 'before', nth: 1, expected: ['intent', 'aborted'] },
      { step: 'replaceRecord', when: 'after', nth: 1, expected: ['intent', 'done'] },
      { step: 'accept', when: 'before', nth: 1, expected: ['intent', 'done'] },
      { step: 'accept', when: 'after', nth: 1, expected: ['intent', 'done'] },
      { step: 'append', when: 'before', nth: 2, expected: ['intent', 'done'] },
      { step: 'append', when: 'after', nth: 2, expected: ['intent', 'done'] },
    ] as const
  ).map((row) => ({ ...row, expected: [...row.expected] as string[], action })),
);

/** A carry has the same steps; it accepts nothing. */
export const CARRY_INTERRUPTIONS = INTERRUPTIONS.filter(
  ({ action, step }) => action === 'override' && step !== 'accept',
);

/** The end of an acceptance: from its intent on it happens. */
export const END_INTERRUPTIONS = [
  { step: 'isAccepted', when: 'after', nth: 1, expected: [] },
  { step: 'append', when: 'before', nth: 1, expected: [] },
  { step: 'append', when: 'after', nth: 1, expected: ['intent', 'done'] },
  { step: 'endAcceptance', when: 'before', nth: 1, expected: ['intent', 'done'] },
  { step: 'endAcceptance', when: 'after', nth: 1, expected: ['intent', 'done'] },
  { step: 'append', when: 'before', nth: 2, expected: ['intent', 'done'] },
  { step: 'append', when: 'after', nth: 2, expected: ['intent', 'done'] },
] as const;
