import { SingleBar } from 'cli-progress';
import { CLI } from '../limits.ts';

/** How far a long command is. */
export interface Progress {
  step(): void;
  stop(): void;
}

/**
 * Shows progress on an output: a bar on a terminal, else a line now and then. It writes only
 * there, so that standard output holds nothing but the result.
 */
export function startProgress(output: NodeJS.WriteStream, total: number, unit: string): Progress {
  return output.isTTY ? startBar(output, total, unit) : startLines(output, total, unit);
}

function startBar(output: NodeJS.WriteStream, total: number, unit: string): Progress {
  const format = `{bar} {percentage} % | {value}/{total} ${unit} | {eta_formatted} left`;
  const bar = new SingleBar({ format, stream: output, hideCursor: true, clearOnComplete: true });
  bar.start(total, 0);
  return { step: () => bar.increment(), stop: () => bar.stop() };
}

function startLines(output: NodeJS.WriteStream, total: number, unit: string): Progress {
  let done = 0;
  const timer = setInterval(() => {
    output.write(`${done}/${total} ${unit}\n`);
  }, CLI.PROGRESS_INTERVAL_MS);
  timer.unref();
  return {
    step() {
      done += 1;
    },
    stop: () => clearInterval(timer),
  };
}
