import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lineIndex, lineStarts } from '../core/line-offsets.ts';
import { AST_GATE } from '../gates/limits.ts';
import { type Flows, followModule } from '../gates/syntax/engine/engine.ts';
import type { Module } from '../gates/syntax/il/il.ts';
import { nameOfFunction, printModule } from '../gates/syntax/il/print.ts';
import { languageOf } from '../gates/syntax/languages.ts';
import { java } from '../gates/syntax/lower/java/language.ts';
import { loadParser } from '../gates/syntax/tree/tree.ts';
import { CraError } from '../model/errors.ts';
import { printable } from './terminal.ts';

const HELP = `usage: cra debug il|flows FILE

Shows what gate 2 makes of a file of Java, for people who write lines of its catalogue:
  il     the file in the intermediate language: names with the paths that lines of the catalogue
         are looked up by ("?" before a name: nothing says what it is)
  flows  what data from outside reaches, and of each function where data of its parameters goes
`;

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
  if (languageOf(path) !== 'java') {
    throw new CraError('INVALID_ARGUMENT', `${printable(path)} is no file of Java`);
  }
  const text = readFileSync(path, 'utf8');
  if (text.length > AST_GATE.FRAGMENT_BYTES_MAX) {
    const bound = AST_GATE.FRAGMENT_BYTES_MAX / 1024;
    throw new CraError('INVALID_ARGUMENT', `${printable(path)} is larger than ${bound} KiB`);
  }
  const parser = await loadParser(java.grammar, readPackaged);
  const { root } = parser.parse(text);
  if (root === null) throw new CraError('INVALID_ARGUMENT', 'it nests too deeply to be followed');
  const module = java.lower(root, text);
  const shown = what === 'il' ? printModule(module) : printFlows(module, text);
  for (const line of shown.split('\n').slice(0, -1)) process.stdout.write(`${printable(line)}\n`);
  return 0;
}

/** Grammars are files of packages. */
function readPackaged(name: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve(name)));
}

function printFlows(module: Module, text: string): string {
  const starts = lineStarts(text);
  const lineAt = (offset: number) => lineIndex(starts, offset) + 1;
  const lines: string[] = [];
  const flows = followModule(module, text, java.knowledge, lineAt, (danger, at, _, name) => {
    const { source } = danger.source === undefined ? danger.value : danger;
    const from =
      source === null ? 'text that is put together' : `${source?.text} (line ${source?.line})`;
    lines.push(`line ${lineAt(at.start)}: ${danger.id}, ${danger.severity}: ${name} gets ${from}`);
  });
  return `${[...lines, ...summaryLines(module, flows, lineAt)].join('\n')}\n`;
}

/** Of each function: what its result is made of, and which calls its parameters reach. */
function summaryLines(module: Module, flows: Flows, lineAt: (offset: number) => number): string[] {
  return flows.summaries().flatMap(({ declared, summary }) => {
    const { origins, path } = summary.result;
    const made = [
      ...origins.map(({ text, parameter }) => (parameter === null ? text : `parameter ${text}`)),
      ...(path === null ? [] : [path]),
    ];
    const head = `function ${nameOfFunction(module, declared)}, line ${lineAt(declared.start)}`;
    const calls = summary.reaches.map(
      ({ call, at }) =>
        `  its parameters reach ${call.path ?? call.name}, line ${lineAt(at.start)}`,
    );
    return [made.length === 0 ? head : `${head}: gives ${made.join(', ')}`, ...calls];
  });
}
