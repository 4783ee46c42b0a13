import { createPatience, type Patience } from '../../src/rpc/child.ts';

/**
 * Patience that looks again at once, with its clock an hour later each time. `cpuMs` is the CPU
 * time that was used by then.
 */
export function hastyPatience(cpuMs: (looks: number) => number) {
  let looks = 0;
  const patience = (): Patience => {
    const own = createPatience(
      () => cpuMs(looks),
      () => looks * 3_600_000,
    );
    return {
      pid: 0,
      usedMs() {
        own.pid = 1;
        return own.usedMs();
      },
      moreTimeMs(call) {
        looks += 1;
        return Math.min(own.moreTimeMs(call), 1);
      },
    };
  };
  return { patience, looks: () => looks };
}
