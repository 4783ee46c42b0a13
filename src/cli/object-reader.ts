import type { Readable, Writable } from 'node:stream';
import { NOT_FOLLOWED, type RunGit } from '../git/diff.ts';
import { CraError } from '../model/errors.ts';

/** `git cat-file` that runs, and how it ends: rejects with git's own words, is never unhandled. */
export interface CatFile {
  child: Kept & { stdin: Writable; stdout: Readable; stderr: Readable; kill(): boolean };
  ended: Promise<void>;
}

/** A handle that keeps this process from ending, or does not. */
interface Kept {
  ref(): void;
  unref(): void;
}

/**
 * Answers `cat-file --batch…` by one process for each list of arguments, which is kept: gate 2 asks
 * some fifty times for the files of a change, and a start of git takes longer than most answers. An
 * idle process keeps nobody from ending, and ends with its input. Rejects like `Git.run`; the next
 * call starts git again.
 */
export function createObjectReader(start: (args: readonly string[]) => CatFile): RunGit {
  const kept = new Map<string, Promise<CatFile | null>>();
  return (args, { input, bytesMax }) => {
    const key = args.join(' ');
    const before = kept.get(key) ?? Promise.resolve(null);
    const answer = before.then(async (running) => {
      const reader = running ?? start(args);
      return { reader, output: await ask(reader, input, bytesMax, args.includes('--batch')) };
    });
    // One question at a time: where an answer ends is counted.
    kept.set(
      key,
      answer.then(
        ({ reader }) => reader,
        () => null,
      ),
    );
    return answer.then(({ output }) => output);
  };
}

/** Writes names, one a line, and resolves with as many answers. */
async function ask(
  { child, ended }: CatFile,
  input: Buffer,
  bytesMax: number,
  hasContents: boolean,
): Promise<Buffer> {
  const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as Kept[];
  for (const handle of handles) handle.ref();
  const names = input.filter((byte) => byte === LF).length;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let answers = 0;
  const count = createCounter(hasContents);
  let take: (chunk: Buffer) => void = () => undefined;
  try {
    if (names === 0) return Buffer.alloc(0);
    const answered = new Promise<void>((resolve, reject) => {
      take = (chunk) => {
        chunks.push(chunk);
        bytes += chunk.length;
        answers += count(chunk);
        if (bytes > bytesMax) {
          const why = `the output of git cat-file is larger than ${bytesMax} bytes`;
          reject(new CraError('OUT_OF_RANGE', why));
        } else if (answers === names) resolve();
      };
    });
    child.stdout.on('data', take);
    child.stdin.write(input);
    const early = ended.then(() => {
      throw new CraError('FAILED_PRECONDITION', 'git cat-file: ended before its answers');
    });
    await Promise.race([answered, early]);
    return Buffer.concat(chunks);
  } catch (thrown) {
    child.kill();
    throw thrown;
  } finally {
    child.stdout.off('data', take);
    for (const handle of handles) handle.unref();
  }
}

const LF = 0x0a;

/**
 * Counts the answers that end in each chunk: a line, behind which the content of an object or the
 * text of a link may follow (https://git-scm.com/docs/git-cat-file#_batch_output).
 */
function createCounter(hasContents: boolean): (chunk: Buffer) => number {
  let line = '';
  /** Bytes of the present answer behind its line. */
  let left = 0;
  return (chunk) => {
    let answers = 0;
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        const end = chunk.indexOf(LF, at);
        line += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        if (end < 0) break;
        at = end + 1;
        const size = NOT_FOLLOWED.exec(line)?.[2] ?? (hasContents ? CONTENT.exec(line)?.[1] : null);
        left = size == null ? 0 : Number(size) + 1;
        line = '';
      }
      const some = Math.min(left, chunk.length - at);
      at += some;
      left -= some;
      if (left === 0) answers += 1;
    }
    return answers;
  };
}

const CONTENT = /^[0-9a-f]+ \w+ (\d+)$/;
