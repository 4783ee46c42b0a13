import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DIFF_OPTIONS, type Git } from './git.ts';
import { CLI } from './terminal.ts';

/** A commit as git shows it. */
export interface Commit {
  sha: string;
  message: string;
  /** The text of its diff, three lines of context; null when it is above CLI.DIFF_BYTES_MAX. */
  diff: Buffer | null;
  /** Size of the diff, whether it is here or not. */
  bytes: number;
  /** What `git show --numstat` counts; null unless asked for. */
  numstat: Numstat | null;
}

interface Numstat {
  files: number;
  additions: number;
  deletions: number;
}

export interface CommitsOptions {
  /** The newest so many; null: all. */
  count: number | null;
  numstat: boolean;
}

/** How many commits `readCommits` will give. */
export async function countCommits(git: Git, count: number | null): Promise<number> {
  const text = await git.run(['rev-list', '--count', ...selection(count), 'HEAD', '--']);
  return Number(text.toString());
}

/**
 * The commits that are not merges, oldest first, from one git process that runs as fast as they
 * are taken. Rejects with FAILED_PRECONDITION when git fails.
 */
export async function* readCommits(git: Git, options: CommitsOptions): AsyncGenerator<Commit> {
  // Made now, so nothing that was committed before can hold it.
  const delimiter = randomBytes(DELIMITER_BYTES).toString('hex');
  const { output, ended, stop } = git.stream(logArguments(options, delimiter));
  // Before the first delimiter there is nothing, then head and diff take turns.
  const bytesMax = (index: number) =>
    index % 2 === 1 ? CLI.COMMIT_HEAD_BYTES_MAX : CLI.DIFF_BYTES_MAX + CLI.COMMIT_HEAD_BYTES_MAX;
  try {
    let head: Part | null = null;
    let index = 0;
    for await (const part of splitStream(output, Buffer.from(delimiter), bytesMax)) {
      if (index % 2 === 1) head = part;
      else if (head !== null) yield readCommit(head, part, options.numstat);
      index += 1;
    }
    await ended;
  } finally {
    stop();
  }
}

const DELIMITER_BYTES = 24;

function selection(count: number | null): string[] {
  return ['--no-merges', ...(count === null ? [] : [`--max-count=${count}`])];
}

function logArguments({ count, numstat }: CommitsOptions, delimiter: string): string[] {
  return [
    'log',
    ...selection(count),
    '--reverse',
    '--root',
    '--no-show-signature',
    '--encoding=UTF-8',
    `--format=tformat:${delimiter}%H%x00%B${delimiter}`,
    '--patch',
    ...(numstat ? ['--numstat'] : []),
    ...DIFF_OPTIONS,
    '--unified=3',
    'HEAD',
    '--',
  ];
}

function readCommit(head: Part, body: Part, hasNumstat: boolean): Commit {
  const text = head.bytes.toString('utf8');
  const end = text.indexOf('\0');
  // Line breaks stand after the head and, where there is a diff, before it.
  let from = 0;
  while (body.bytes[from] === LF) from += 1;
  const numstat = hasNumstat ? readNumstat(body.bytes, from) : null;
  if (numstat !== null) from = numstat.end;
  const bytes = body.size - from;
  return {
    sha: text.slice(0, end),
    message: text.slice(end + 1),
    diff: bytes > CLI.DIFF_BYTES_MAX ? null : body.bytes.subarray(from),
    bytes,
    numstat: numstat?.counts ?? null,
  };
}

const LF = 0x0a;
const NUMSTAT_LINE = /^(\d+|-)\t(\d+|-)\t/;
const NUMSTAT_HEAD_BYTES = 32;

/** A line for each file (names are quoted, so none holds a line break), then an empty line. */
function readNumstat(bytes: Buffer, from: number): { counts: Numstat; end: number } {
  const counts = { files: 0, additions: 0, deletions: 0 };
  let at = from;
  for (;;) {
    const line = NUMSTAT_LINE.exec(bytes.toString('latin1', at, at + NUMSTAT_HEAD_BYTES));
    const end = bytes.indexOf(LF, at);
    if (line === null || end < 0) break;
    counts.files += 1;
    counts.additions += Number(line[1]) || 0;
    counts.deletions += Number(line[2]) || 0;
    at = end + 1;
  }
  return { counts, end: bytes[at] === LF ? at + 1 : at };
}

/** What stood between two delimiters. */
export interface Part {
  /** At most the limit; what came after is dropped. */
  bytes: Buffer;
  /** True size. */
  size: number;
}

/**
 * Cuts a stream at a delimiter, without it; the last part ends with the stream. Linear in the
 * stream, holds one part and one chunk. `bytesMax` tells how much to keep of the n-th part, from 0.
 */
export async function* splitStream(
  stream: Readable,
  delimiter: Buffer,
  bytesMax: (index: number) => number,
): AsyncGenerator<Part> {
  let index = 0;
  let part = createPart(bytesMax(index));
  // The end of what has come, which may be the start of a delimiter.
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
      part.add(text.subarray(from, at));
      yield part.end();
      index += 1;
      part = createPart(bytesMax(index));
      from = at + delimiter.length;
    }
    const kept = Math.max(from, text.length - delimiter.length + 1);
    part.add(text.subarray(from, kept));
    rest = text.subarray(kept);
  }
  part.add(rest);
  yield part.end();
}

function createPart(bytesMax: number): { add(bytes: Buffer): void; end(): Part } {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    add(bytes) {
      const room = Math.max(0, bytesMax - size);
      if (room > 0 && bytes.length > 0) pieces.push(bytes.subarray(0, room));
      size += bytes.length;
    },
    end: () => ({ bytes: Buffer.concat(pieces), size }),
  };
}
