import { type Logger, pino } from 'pino';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Names that never show their value, wherever they stand in what is logged. */
const SECRETS = ['authorization', 'apiKey', 'token', 'password', 'secret', 'diff', 'body'];

/** Creates the log of the process: one JSON object a line on standard output. */
export function createLogger(level: LogLevel): Logger {
  return pino({
    name: 'cra',
    level,
    redact: { paths: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)], censor: '[redacted]' },
  });
}
