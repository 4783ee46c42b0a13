import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { exportTrail } from '../audit/export.ts';
import { AUDIT_READ } from '../audit/limits.ts';
import { readAuditSettings } from '../daemon/config/config.ts';
import { CraError } from '../model/errors.ts';
import { describeFlaw, findSigner, openSource, startCounter } from './audit-verify.ts';
import { printable } from './terminal.ts';

const OPTIONS = { out: { type: 'string', short: 'o' }, since: { type: 'string' } } as const;

/** `cra audit export`: exit code 0, or 1 when the trail that was exported is bad. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const since = values.since === undefined ? null : timeOf(values.since);
  const settings = readAuditSettings();
  const signer = findSigner(settings);
  const source = await openSource(settings);
  const counter = startCounter(process.stderr, 'entries exported');
  try {
    const onEntry = counter.step;
    const { flaw, summary } = await writeLines(values.out ?? process.stdout, (write) =>
      exportTrail(source, { write, nowMs: Date.now(), since, signer, onEntry }),
    );
    const { chains, entries } = summary;
    if (flaw === null) {
      const signed = signer === null ? 'not signed: there is no key' : 'signed';
      process.stderr.write(`${entries} entries of ${chains} chains exported, ${signed}\n`);
      return 0;
    }
    const text = `the trail is bad, so the export is not signed: ${describeFlaw(flaw)}`;
    process.stderr.write(`${printable(text)}\n`);
    return 1;
  } finally {
    counter.stop();
    await source.close();
  }
}

function timeOf(text: string): string {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new CraError('INVALID_ARGUMENT', '--since must be a time, like 2026-11-21T10:00:00Z');
}

/** Takes a line; a promise that must be awaited when what is kept has to be written first. */
export type WriteLine = (line: string) => Promise<void> | undefined;

/**
 * Hands out a writer of lines to a file, or to a stream. The file has its name only when all of
 * it is on the disk; if anything fails it is absent, or the one that was there before.
 */
export async function writeLines<Result>(
  out: string | NodeJS.WritableStream,
  produce: (write: WriteLine) => Promise<Result>,
): Promise<Result> {
  return typeof out === 'string' ? toFile(out, produce) : toStream(out, produce);
}

async function toFile<Result>(
  path: string,
  produce: (write: WriteLine) => Promise<Result>,
): Promise<Result> {
  const partial = `${path}.partial-${process.pid}`;
  const file = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    throw new CraError('FAILED_PRECONDITION', `${partial} cannot be made`, { cause });
  });
  try {
    const lines = createBuffer((text) => file.writeFile(text));
    const result = await produce(lines.write);
    await lines.flush();
    await file.sync();
    await file.close();
    await rename(partial, path);
    return result;
  } catch (thrown) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw thrown;
  }
}

async function toStream<Result>(
  stream: NodeJS.WritableStream,
  produce: (write: WriteLine) => Promise<Result>,
): Promise<Result> {
  const broken = new AbortController();
  // A reader that went away: `once` alone would miss an error between two writes.
  const onError = (cause: Error) => {
    broken.abort(new CraError('ABORTED', 'the output was closed', { cause }));
  };
  stream.on('error', onError);
  try {
    const lines = createBuffer(async (text) => {
      broken.signal.throwIfAborted();
      if (!stream.write(text)) await once(stream, 'drain', { signal: broken.signal });
    });
    const result = await produce(lines.write);
    await lines.flush();
    broken.signal.throwIfAborted();
    return result;
  } finally {
    stream.off('error', onError);
  }
}

function createBuffer(write: (text: string) => Promise<void>) {
  let kept: string[] = [];
  let chars = 0;
  const flush = () => {
    const text = kept.join('');
    kept = [];
    chars = 0;
    return write(text);
  };
  return {
    write(line: string) {
      kept.push(line);
      chars += line.length;
      return chars < AUDIT_READ.BLOCK_BYTES ? undefined : flush();
    },
    flush,
  };
}
