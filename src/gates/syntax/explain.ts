import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { type Flows, followModule } from './engine/engine.ts';
import type { Module } from './il/il.ts';
import { nameOfFunction, printModule } from './il/print.ts';
import { java } from './lower/java/language.ts';
import { loadParser, type ReadPackaged } from './tree/tree.ts';

/** What is shown of a file: its intermediate language, or what data does in it. */
export interface Question {
  readonly what: 'il' | 'flows';
  readonly text: string;
}

/** What gate 2 makes of a file of Java, as lines of text; null: it nests too deeply. */
export async function explain(
  { what, text }: Question,
  readPackaged: ReadPackaged,
): Promise<string | null> {
  const parser = await loadParser(java.grammar, readPackaged);
  const { root } = parser.parse(text);
  if (root === null) return null;
  const module = java.lower(root, text);
  return what === 'il' ? printModule(module) : printFlows(module, text);
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
