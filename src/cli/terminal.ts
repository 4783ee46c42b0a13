import { setMaxListeners } from 'node:events';
import { CraError } from '../model/errors.ts';
import { BODY } from '../model/limits.ts';

const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** Command line client. */
export const CLI = {
  HTTP_TIMEOUT_MS: 180 * SECOND_MS,
  CONCURRENCY_DEFAULT: 8,
  CONCURRENCY_MAX: 256,
  COMMITS_DEFAULT: 1_000,
  /** A change in one request; what the service takes as a body. */
  DIFF_BYTES_MAX: BODY.LARGE_BYTES_MAX,
  REPLY_BYTES_MAX: 64 * MIB,
  /** Ids, message and the like that git writes about one commit, beside its diff. */
  COMMIT_HEAD_BYTES_MAX: 1 * MIB,
  /** Most bytes of git's error output that are kept. */
  GIT_ERROR_BYTES_MAX: 8 * KIB,
  /** How often a request that got 503 is sent again, and how long a server may make it wait. */
  RETRIES_MAX: 30,
  RETRY_AFTER_SECONDS_MAX: 30,
  /** `?wait=` of one poll, and how long a DRAFT may take before it counts as stuck. */
  POLL_SECONDS: 30,
  DRAFT_WAIT_MS: 600 * SECOND_MS,
  /** Requests in a row without any answer after which a replay gives up. */
  FAILURES_IN_A_ROW_MAX: 20,
  PROGRESS_INTERVAL_MS: 10 * SECOND_MS,
  /** Commits or rules that a summary names; it counts all of them. */
  LISTED_MAX: 20,
} as const;

/**
 * What a terminal would obey or hide instead of show: control characters (escape sequences start
 * with one), format characters (they reorder or hide text: https://trojansource.codes), line and
 * paragraph separators, lone surrogates, private use.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/**
 * Text from a diff, a path, git or a server, safe to write to a terminal on one line: what would
 * act instead of show is written as `\x1b` or `\u{202e}`. Tabs become blanks. A text that begins
 * like a workflow command does so no more, as it may come first on its line.
 */
export function printable(text: string): string {
  const shown = text.replace(UNPRINTABLE, (character) => {
    if (character === '\t') return ' ';
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code <= 0xff ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
  });
  return withoutCommands(shown);
}

/**
 * The lines of a text, of which none is a command to the runner of a workflow: GitHub's obeys
 * `::name::` behind nothing but blanks at the start of a line of output.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gm, '$1\\x3a');
}

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** Wraps a text in a colour, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

/** SGR codes: on and off. */
const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** Creates the painter of an output; the text it is given must be printable already. */
export function createPaint(hasColours: boolean): Paint {
  if (!hasColours) return (_colour, text) => text;
  return (colour, text) => {
    const [on, off] = CODES[colour];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
}

/** A whole number given as an option. Throws INVALID_ARGUMENT naming the option and its range. */
export function wholeNumber(
  option: string,
  text: string | undefined,
  fallback: number,
  max: number,
): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new CraError('INVALID_ARGUMENT', `--${option} must be a whole number from 1 to ${max}`);
}

/**
 * A signal that fires on SIGINT, SIGTERM or SIGHUP (the terminal is gone), so that a command can
 * end in order; a second one ends the process at once. Call `release` when the command is done.
 */
export function onInterrupt(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  // Every request that runs listens to it.
  setMaxListeners(0, controller.signal);
  const abort = () => controller.abort();
  for (const name of INTERRUPTS) process.once(name, abort);
  return {
    signal: controller.signal,
    release() {
      for (const name of INTERRUPTS) process.off(name, abort);
    },
  };
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Reads a stream to its end. Throws OUT_OF_RANGE when it holds more than `bytesMax`. */
export async function readAll(
  stream: AsyncIterable<Buffer>,
  bytesMax: number,
  what: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new CraError('OUT_OF_RANGE', `${what} is larger than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
