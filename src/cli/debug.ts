import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AST_GATE } from '../gates/limits.ts';
import { isLowered, languageOf } from '../gates/syntax/languages.ts';
import { CraError } from '../model/errors.ts';
import { createPatience, watchProcess } from '../rpc/child.ts';
import { runInChild, workerEntry } from '../rpc/thread-entry.ts';
import { printable } from './terminal.ts';

const HELP = `usage: cra debug il|flows FILE

Shows what gate 2 makes of a file of Python, Go, Java, Kotlin, C#, JavaScript or TypeScript, for
people who write lines of its catalogue:
  il     the file in the intermediate language: names with the paths that lines of the catalogue
         are looked up by ("?" before a name: nothing says what it is)
  flows  what data from outside reaches, and of each function where data of its parameters goes
`;

/** CPU time (ms) for one file; large ones take a few seconds. */
const CPU_MS = 60_000;

/** `cra debug il|flows FILE`. Resolves with the exit code. */
export async function run(args: string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args,
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [what, path, ...more] = positionals;
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  if ((what !== 'il' && what !== 'flows') || path === undefined || more.length > 0) {
    throw new CraError('INVALID_ARGUMENT', `give il or flows, and one file\n\n${HELP}`);
  }
  const language = languageOf(path);
  if (!isLowered(language)) {
    const known = 'Python, Go, Java, Kotlin, C#, JavaScript or TypeScript';
    throw new CraError('INVALID_ARGUMENT', `${printable(path)} must be a file of ${known}`);
  }
  const text = readText(path);
  if (text.length > AST_GATE.FRAGMENT_BYTES_MAX) {
    const bound = AST_GATE.FRAGMENT_BYTES_MAX / 1024;
    throw new CraError('INVALID_ARGUMENT', `${printable(path)} is larger than ${bound} KiB`);
  }
  const shown = await runInChild(workerEntry('debug'), { what, text, language }, (pid, giveUp) =>
    watchProcess(pid, CPU_MS, createPatience(), () => giveUp('the file takes too long')),
  );
  if (typeof shown !== 'string') {
    throw new CraError('INVALID_ARGUMENT', `${printable(path)} nests too deeply to be followed`);
  }
  for (const line of shown.split('\n').slice(0, -1)) process.stdout.write(`${printable(line)}\n`);
  return 0;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const message = `${printable(path)} cannot be read: ${code}`;
    throw new CraError('INVALID_ARGUMENT', message, { cause: thrown });
  }
}
