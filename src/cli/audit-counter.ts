import { CLI } from '../limits.ts';

/** Tells now and then how many there were; of how many is not known. */
export interface Counter {
  step(): void;
  stop(): void;
}

/** Counts on an output that is not the result, such as standard error. */
export function startCounter(output: NodeJS.WritableStream, unit: string): Counter {
  let count = 0;
  const timer = setInterval(() => {
    output.write(`${count.toLocaleString('en-US')} ${unit}\n`);
  }, CLI.PROGRESS_INTERVAL_MS);
  timer.unref();
  return {
    step() {
      count += 1;
    },
    stop: () => clearInterval(timer),
  };
}
