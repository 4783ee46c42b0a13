import { lineIndex, lineStarts } from '../../../core/line-offsets.ts';
import { type Flows, followModule } from '../engine/engine.ts';
import type { Knowledge } from '../engine/knowledge.ts';
import type { Module } from '../il/il.ts';
import { nameOfFunction, printModule } from '../il/print.ts';
import { isTreeLanguage, type Language } from '../languages.ts';
import { TREE_LANGUAGES } from '../lower/tree-languages.ts';
import { loadParser, type ReadPackaged } from '../parse/tree.ts';

/** The view of a file: its intermediate language, or the flows in it. */
export interface Question {
  readonly what: 'il' | 'flows';
  readonly text: string;
  readonly language: Language;
}

/** A file in the intermediate language. */
interface Explained {
  readonly module: Module;
  /** The text to which its spans refer. */
  readonly text: string;
  readonly knowledge: Knowledge;
}

/** What gate 2 makes of a file, as lines of text; null: it nests too deeply. */
export async function explain(
  { what, text, language }: Question,
  readPackaged: ReadPackaged,
): Promise<string | null> {
  try {
    const explained = await lower(text, language, readPackaged);
    if (explained === null) return null;
    return what === 'il' ? printModule(explained.module) : printFlows(explained);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

async function lower(
  text: string,
  language: Language,
  readPackaged: ReadPackaged,
): Promise<Explained | null> {
  if (!isTreeLanguage(language)) {
    const { ecmascriptKnowledge: knowledge } = await import('../lower/ecmascript/knowledge.ts');
    const { lowerText } = await import('../lower/ecmascript/language.ts');
    const lowered = lowerText(text, language);
    return lowered.module.cut == null ? { ...lowered, knowledge } : null;
  }
  const own = await TREE_LANGUAGES[language]();
  const parser = await loadParser(own.grammar, readPackaged, own.repaired);
  const { root, cut } = parser.parse(text);
  if (root === null || cut !== null) return null;
  return { module: own.lower(root, text), text, knowledge: own.knowledge };
}

function printFlows({ module, text, knowledge }: Explained): string {
  const starts = lineStarts(text);
  const lineAt = (offset: number) => lineIndex(starts, offset) + 1;
  const lines: string[] = [];
  const flows = followModule(module, text, knowledge, lineAt, (danger, at, _, name) => {
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
