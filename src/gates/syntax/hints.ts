import { catalogued } from './sinks/catalogue.ts';
import { code } from './sinks/code.ts';
import { command } from './sinks/command.ts';
import { crypto, token } from './sinks/crypto.ts';
import { deserialise, pollution } from './sinks/deserialise-and-pollution.ts';
import { path, request } from './sinks/path-and-request.ts';
import { expression, nosql, sql } from './sinks/query.ts';
import type { Hint, Sink } from './sinks/sink.ts';
import { xss } from './sinks/xss.ts';
import { pythonHints } from './tree/hints.ts';

/**
 * All sinks of gate 2. Facts of packages are lines of `src/rules/catalogue`; what needs code of its
 * own is a new file and an entry here.
 */
export const SINKS: readonly Sink[] = [
  command,
  code,
  sql,
  nosql,
  xss,
  path,
  request,
  deserialise,
  pollution,
  crypto,
  token,
  expression,
  catalogued,
];

/**
 * Escapes with which letters can be written in names and keys: `\u0065val`, `\u{65}val`,
 * `['\x65xec']`. Text that holds one is looked at whatever its words are.
 */
const ESCAPED_LETTER: Hint = {
  words: ['\\u{', '\\u00', '\\x'],
  patterns: [/\\(?:u\{|u00[4-7]|x[4-7])/],
};

/** The same in attributes of markup: `&#101;val`. */
const REFERENCED_LETTER: Hint = {
  words: ['&#'],
  patterns: [/&#(?:x0{0,4}[4-7][0-9a-f](?![0-9a-f])|0{0,5}(?:6[5-9]|[7-9]\d|1[0-2]\d)(?!\d))/i],
};

/**
 * Names put together from parts, which are not words: `c['ex' + 'ec']`, `c[a + b](x)`,
 * `c[['ex', 'ec'].join('')]`. Whole words side by side are rare in ordinary code.
 */
const COMPUTED_NAMES: readonly Hint[] = [
  {
    words: [']'],
    patterns: [/\](?=\s{0,20}(?:\?\.\s{0,20})?\()(?<=(?:[^\n]\+[^[\]\n]{1,80}|[)\x60]\s{0,9})\])/],
  },
  {
    words: [']'],
    patterns: [
      /\+(?<=['"`][\w$:/-]{1,24}['"`][\s*/]{0,20}\+)[\s+*/]{0,20}['"`][\w$:/-]{1,24}['"`]/,
    ],
  },
  {
    words: ['join'],
    patterns: [
      /\](?<=['"`][\w$]{1,20}['"`]\s{0,9}\])\s{0,20}\.\s{0,20}join\s{0,20}\(\s{0,20}(?:['"`]_?['"`])/,
    ],
  },
  {
    words: ['reverse'],
    patterns: [/\.\s{0,20}reverse\s{0,20}\(\s{0,20}\)\s{0,20}\.\s{0,20}join\b/],
  },
  { words: ['atob'], patterns: [/\batob\s{0,20}\(\s{0,20}['"`]/] },
  { words: ['fromCharCode', 'fromCodePoint'], patterns: [/\bfromC\w{1,12}\s{0,20}\(\s{0,20}\d/] },
  {
    words: ['Buffer.from'],
    patterns: [
      /\bBuffer\.from\s{0,20}\(\s{0,20}['"`][\w+/=-]{1,200}['"`]\s{0,20},\s{0,20}['"`](?:hex|base64)/,
    ],
  },
  { words: ["${'", '${"', '${`'], patterns: [/\$\{\s{0,20}(['"`])[\w$:/-]{1,24}\1\s{0,20}\}/] },
  { words: ['Reflect'], patterns: [/\bReflect\s{0,20}\.\s{0,20}(?:apply|construct|get)\b/] },
];

/** Signs of sinks in raw text, and of names that are written otherwise, by family of languages. */
export const HINTS = {
  script: [
    ...SINKS.flatMap((sink) => sink.hints),
    ESCAPED_LETTER,
    REFERENCED_LETTER,
    ...COMPUTED_NAMES,
  ],
  python: pythonHints(),
} satisfies Record<string, readonly Hint[]>;
