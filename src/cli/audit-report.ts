import type { Flaw } from '../audit/chain-check.ts';
import type { Verification } from '../audit/trail-check.ts';
import { CLI } from '../limits.ts';
import { printable } from './terminal.ts';

/** The result for people: the first bad entry, or that all are in order, then the figures. */
export function verificationText({ flaw, warnings, warningsCount, summary }: Verification): string {
  const { operations } = summary;
  const kinds = Object.entries(operations).map(([kind, count]) => `${count} ${kind}`);
  const rows = [
    ['chains', number(summary.chains)],
    ['entries', `${number(summary.entries)} (${number(summary.bytes)} bytes)`],
    ['checkpoints', number(summary.checkpoints)],
    ['unsealed', `${number(summary.unsealed)} entries that no checked signature covers`],
    ['operations', kinds.join(', ') || 'none'],
    ['open intents', number(summary.openIntents)],
  ];
  const more = warningsCount - warnings.length;
  const lines = [
    flaw === null ? 'OK: the trail is in order' : `BAD: ${describeFlaw(flaw)}`,
    ...rows.map(([name = '', value]) => `  ${name.padEnd(14)}${value}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(more > 0 ? [`warning: ${more} more`] : []),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** Where and why, in one line. */
export function describeFlaw({ chain, seq, reason }: Flaw): string {
  const place = [
    ...(chain === null ? [] : [`chain ${chain}`]),
    ...(seq === null ? [] : [`entry ${seq}`]),
  ];
  return place.length === 0 ? reason : `${place.join(', ')}: ${reason}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

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
