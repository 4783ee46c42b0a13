import { buildAhoCorasick, matches } from '../../core/aho-corasick.ts';
import type { OwnTable } from '../../model/rules.ts';
import { namesOf } from '../../rules/catalogue/own.ts';
import { readTable } from '../../rules/catalogue/table.ts';
import { HINTS } from './sinks/hints.ts';
import type { Hint } from './sinks/sink.ts';
import { SOURCE_SIGNS } from './sinks/source-signs.ts';

/** How a file's text is parsed: JSX in all but plain TypeScript, where `<T>x` is a cast. */
export type Dialect = 'js' | 'ts' | 'tsx';

/** What has a grammar of tree-sitter, and a folder of its own here. */
export type TreeLanguage = 'py' | 'go' | 'java' | 'cs' | 'kt';

/** What gate 2 reads. */
export type Language = Dialect | TreeLanguage;

const EXTENSION = /\.(?:([cm]?js|jsx|jsm|es6?|ssjs)|([cm]?ts)|tsx)$/i;
const PYTHON = /\.(?:pyw?|wsgi)$/i;
/** `#!/usr/bin/env -S node --flag`, `#!/opt/node-20/bin/node`, and other engines and runners. */
const SHEBANG = /^\ufeff?#![^\n]{0,200}\b(?:node(?:js)?|deno|bun|tsx|ts-node|zx|qjs)\b/;

/**
 * The dialect of a path by its extension; null when gate 2 does not read such files. Scripts in
 * markup name their language in a tag that a hunk may not show: TypeScript is nearly all of both.
 */
export function dialectOf(path: string): Dialect | null {
  const name = withoutTail(path);
  const match = EXTENSION.exec(name);
  if (match === null) return embedsScript(name) ? 'ts' : null;
  if (match[1] !== undefined) return 'js';
  return match[2] === undefined ? 'tsx' : 'ts';
}

/** The language of a path by its extension; null when gate 2 does not read such files. */
export function languageOf(path: string): Language | null {
  const name = withoutTail(path);
  if (PYTHON.test(name)) return 'py';
  if (/\.java$/i.test(name)) return 'java';
  if (/\.csx?$/i.test(name)) return 'cs';
  if (/\.kts?$/i.test(name)) return 'kt';
  return /\.go$/i.test(name) ? 'go' : dialectOf(path);
}

/** Whether a language is not a dialect of JavaScript; null: no language. */
export function isTreeLanguage(language: Language | null): language is TreeLanguage {
  return language !== null && language in NAMES;
}

/** Languages that share a catalogue: all dialects of JavaScript do. */
export type Family = TreeLanguage | 'js';

/** The family of a language. */
export function familyOf(language: Language): Family {
  return isTreeLanguage(language) ? language : 'js';
}

/** Whether a language is lowered to the intermediate language. */
export function isLowered(language: Language | null): language is Language {
  return language !== null;
}

/** The name of a language in messages. */
export function nameOfLanguage(language: Language | null): string {
  return isTreeLanguage(language) ? NAMES[language] : 'JavaScript or TypeScript';
}

const NAMES: Readonly<Record<TreeLanguage, string>> = {
  py: 'Python',
  go: 'Go',
  java: 'Java',
  cs: 'C#',
  kt: 'Kotlin',
};

/** Some file systems and hasty readers drop blanks and dots at the end of a name. */
export function withoutTail(path: string): string {
  return path.replace(/[\s.\u200b\ufeff]+$/, '');
}

/** Whether a file's first line says that an engine for JavaScript runs it. */
export function isScriptByShebang(start: string): boolean {
  return SHEBANG.test(start);
}

/** Whether `<a>` may be an element in this dialect. */
export function hasJsx(dialect: Dialect): boolean {
  return dialect !== 'ts';
}

/** Files of markup with JavaScript or TypeScript in parts of them. */
const EMBEDDING = /\.(?:vue|svelte|x?html?|astro|mdx|ejs)$/i;

/** Whether files of that name hold scripts among other things. */
export function embedsScript(path: string): boolean {
  return EMBEDDING.test(path);
}

/** Made for the first text of its family: one takes 20 ms, and most starts need one at most. */
const prefilters = {
  script: lazily('script'),
  py: lazily('python'),
  go: lazily('golang'),
  java: lazily('java'),
  cs: lazily('csharp'),
  kt: lazily('kotlin'),
};

/** Of a large text this is looked at first: what is full of sinks is known by its beginning. */
const HEAD_BYTES = 65_536;

/** Whether a text (UTF-8) may hold a sink: most hunks do not and need no parser. */
export function mayHoldSink(text: Buffer, language: Language = 'js'): boolean {
  return holdsSign(text, language, (characters) => characters);
}

/** The same for the new side of lines of a diff, each with its marker. */
function mayAddSink(lines: Buffer, language: Language): boolean {
  return holdsSign(lines, language, (characters) =>
    characters.replace(/\n[-\\][^\n]*/g, '').replace(/\n[+ ]/g, '\n'),
  );
}

/** What names other files of the repository; Go, Java, C# and Kotlin see files beside it anyway. */
const USES_OTHERS = {
  script: /(?:\bfrom\s{0,9}|\brequire\s{0,9}\(\s{0,9}|\bimport\s{0,9}\(?\s{0,9})['"][.@#~\w]/,
  py: /^\s{0,80}(?:from|import)\s/m,
  go: /^package\b/m,
  java: /\bclass\b/,
  cs: /\b(?:class|record|app)\b/,
  kt: /\b(?:class|object|fun)\b/,
} as const;

/** What registers functions of other files for requests; elsewhere their types tell. */
const REGISTERS: Readonly<Partial<Record<keyof typeof USES_OTHERS, RegExp>>> = {
  script: /\.(?:get|post|put|patch|delete|all)\s{0,9}\(\s{0,9}['"`][/*]/,
  py: /\b(?:path|url)\s{0,9}\(|\badd_url_rule\b|\bRoute\s{0,9}\(/,
};

/** Whether data from outside may come into a text and go on into other files from there. */
export function mayHandOn(text: Buffer, language: Language): boolean {
  const family = isTreeLanguage(language) ? language : 'script';
  const characters = text.toString('latin1');
  if (!USES_OTHERS[family].test(characters)) return false;
  return SOURCE_SIGNS[family].test(characters) || REGISTERS[family]?.test(characters) === true;
}

/** What tells which texts need a parser. */
export interface SinkFilter {
  mayHold(text: Buffer, language?: Language): boolean;
  /** The same for the new side of lines of a diff, each with its marker. */
  mayAdd(lines: Buffer, language: Language): boolean;
}

/** The filter of the catalogue alone. */
export const CATALOGUE_FILTER: SinkFilter = { mayHold: mayHoldSink, mayAdd: mayAddSink };

/** What rules call the languages whose catalogue they may add to. */
export const OWN_LANGUAGES = {
  javascript: 'js',
  python: 'py',
  go: 'go',
  java: 'java',
  csharp: 'cs',
  kotlin: 'kt',
} as const;

/** The filter of the catalogue and of rows of the rules: their names may hold one as well. */
export function sinkFilterWith(tables: readonly OwnTable[]): SinkFilter {
  if (tables.length === 0) return CATALOGUE_FILTER;
  const named = new Map<Family, ReadonlySet<string>>();
  for (const { language, text } of tables) {
    named.set(OWN_LANGUAGES[language], new Set(namesOf(readTable(text).table)));
  }
  const holdsName = (text: Buffer, language: Language) => {
    const own = named.get(familyOf(language));
    return own !== undefined && holdsWord(text, own);
  };
  return {
    mayHold: (text, language = 'js') => mayHoldSink(text, language) || holdsName(text, language),
    mayAdd: (lines, language) => mayAddSink(lines, language) || holdsName(lines, language),
  };
}

/** However many words there are, each of the text is looked up once; they are ASCII. */
function holdsWord(text: Buffer, words: ReadonlySet<string>): boolean {
  for (const [word] of text.toString('latin1').matchAll(/[\w$]+/g)) {
    if (words.has(word)) return true;
  }
  return false;
}

/** Gives the characters of which a text in latin1 consists for the patterns. */
type Reading = (characters: string) => string;

function holdsSign(text: Buffer, language: Language, reading: Reading): boolean {
  const mayHold = prefilters[isTreeLanguage(language) ? language : 'script'];
  const isLarge = text.length > 2 * HEAD_BYTES;
  return (isLarge && mayHold(text.subarray(0, HEAD_BYTES), reading)) || mayHold(text, reading);
}

function lazily(family: keyof typeof HINTS): ReturnType<typeof createPrefilter> {
  let prefilter: ReturnType<typeof createPrefilter> | null = null;
  return (text, reading) => {
    prefilter ??= createPrefilter(HINTS[family]);
    return prefilter(text, reading);
  };
}

/** Looks for words first, all at once, and for the patterns of words that stand there. */
function createPrefilter(hints: readonly Hint[]): (text: Buffer, reading: Reading) => boolean {
  const words = hints.flatMap((hint) =>
    hint.words.map((word) => ({ word: Buffer.from(word), hint })),
  );
  const automaton = buildAhoCorasick(
    words.map(({ word }) => word),
    { caseSensitive: false },
  );
  return (text, reading) => {
    const ids = matches(automaton, text, 0, text.length);
    if (ids.size === 0) return false;
    const found = new Set<Hint>();
    for (const id of ids) {
      const hint = words[id]?.hint;
      if (hint !== undefined) found.add(hint);
    }
    // Words and patterns are ASCII: bytes as characters will do, and cost no decoding.
    const characters = reading(text.toString('latin1'));
    return [...found].some((hint) => hint.patterns.every((pattern) => pattern.test(characters)));
  };
}
