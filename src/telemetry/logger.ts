import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields whose values are never logged, at any depth. */
const SECRETS = ['authorization', 'apiKey', 'token', 'password', 'secret', 'diff', 'body'];

/**
 * Creates the log of the process: one JSON object a line on standard output. `journalStream` is
 * $JOURNAL_STREAM: where standard output goes to the journal of systemd, lines have its priorities.
 */
export function createLogger(level: LogLevel, journalStream: string | null = null): Logger {
  const options = {
    name: 'cra',
    level,
    redact: { paths: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)], censor: '[redacted]' },
  };
  return isStandardOutput(journalStream) ? pino(options, journal()) : pino(options);
}

/** systemd.exec(5): device and inode of the stream that systemd has connected to the journal. */
function isStandardOutput(journalStream: string | null): boolean {
  if (journalStream === null) return false;
  const { dev, ino } = fstatSync(process.stdout.fd);
  return journalStream === `${dev}:${ino}`;
}

/** sd-daemon(3), by the levels of pino: from critical (2) to debugging (7). */
const PRIORITIES: Readonly<Record<number, number>> = { 60: 2, 50: 3, 40: 4, 30: 6, 20: 7, 10: 7 };

function journal(): DestinationStream {
  const output = pino.destination(process.stdout.fd);
  return {
    // pino then sets `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 30,
    write(this: { lastLevel: number }, line: string) {
      output.write(`<${PRIORITIES[this.lastLevel] ?? 6}>${line}`);
    },
  } as DestinationStream;
}
