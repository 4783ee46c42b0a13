import { regexText } from '../../../core/regex-text.ts';
import type { Package, SinkLine } from '../../../rules/catalogue/line.ts';
import { allOf, type Table } from '../../../rules/catalogue/table.ts';
import { type CatalogueLanguage, tablesOf } from '../../../rules/catalogue/tables.ts';
import { backtracking, nestedRepetition } from './backtracking.ts';
import { catalogueHints, isByName } from './catalogue.ts';
import { code } from './code.ts';
import { command } from './command.ts';
import { crypto, token } from './crypto.ts';
import { deserialise, pollution } from './deserialise-and-pollution.ts';
import { isSetting } from './kinds.ts';
import { path, request } from './path-and-request.ts';
import { expression, nosql, sql } from './query.ts';
import type { Hint, Sink } from './sink.ts';
import { SOURCE_SIGNS } from './source-signs.ts';
import { xss } from './xss.ts';

/**
 * Sinks of JavaScript that stand in no table. Facts of packages are lines of
 * `src/rules/catalogue`; what needs code of its own is a new file and an entry here.
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
  backtracking,
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

/** Signs of a text that is put together. */
const PYTHON_BUILT =
  /\b[rR]?[fF][rR]?["']|["']\s{0,9}[%+]|\+\s{0,9}["'frFR]|\.format\s{0,9}\(|%\s{0,9}\(|\+=|\.join\(/;
const SHELL =
  /\bshell\s{0,9}=|\b(?:system|popen|getoutput|getstatusoutput|create_subprocess_shell)\b/;
const STATEMENT = /\b(?:select|insert|update|delete|from|where|drop|alter|create)\b/i;

/** Text in base64 that a program may run. */
const HIDDEN_TEXT: Hint = {
  words: ['base64'],
  patterns: [
    /[dD]ecode(?:String)?\s{0,9}\(\s{0,9}b?["'`][\w+/-]{12}/,
    /\b(?:exec|eval|Command(?:Context)?|ProcessBuilder)\s{0,9}\(/,
  ],
};

/** Signs of the sinks of Python in raw text. */
function pythonHints(): Hint[] {
  const lines = sinksOf('python');
  const names = lastNames(lines);
  const statements = lastNames(lines.filter(({ kind }) => kind === 'sql'));
  return [
    { words: names, patterns: [wordOf(names), SOURCE_SIGNS.py] },
    HIDDEN_TEXT,
    {
      words: [
        'shell',
        'system',
        'popen',
        'getoutput',
        'getstatusoutput',
        'create_subprocess_shell',
      ],
      patterns: [SHELL, PYTHON_BUILT],
    },
    { words: statements, patterns: [wordOf(statements), STATEMENT, PYTHON_BUILT] },
    nestedRepetition('re.compile'),
    answerHint('python', SOURCE_SIGNS.py),
    ...settingHints('python'),
  ];
}

/** The same of Go. */
const GO_BUILT = /"\s{0,9}\+|\+\s{0,9}["\x60]|\bSprintf?\s{0,9}\(|\+=|\bWriteString\b|\bFprintf\b/;

/** Signs of the sinks of Go in raw text. */
function golangHints(): Hint[] {
  const lines = sinksOf('golang');
  const names = lastNames(lines);
  const statements = lastNames(lines.filter(({ kind }) => kind === 'sql'));
  return [
    { words: names, patterns: [wordOf(names), SOURCE_SIGNS.go] },
    HIDDEN_TEXT,
    {
      words: ['Command', 'Run'],
      patterns: [/\b(?:Command|CommandContext|Run)\s{0,9}\(/, GO_BUILT],
    },
    { words: statements, patterns: [wordOf(statements), STATEMENT, GO_BUILT] },
    ...settingHints('golang'),
  ];
}

/** The same of Java. */
const JAVA_BUILT =
  /"\s{0,9}\+|\+\s{0,9}"|\bformat(?:ted)?\s{0,9}\(|\+=|\bappend\s{0,9}\(|\bconcat\(|\$\{/;

/** Signs of the sinks of Java in raw text. */
function javaHints(): Hint[] {
  const lines = sinksOf('java').filter(({ kind }) => !isSetting(kind));
  const names = lastNames(lines);
  const statements = lastNames(lines.filter(({ kind }) => kind === 'sql'));
  return [
    { words: names, patterns: [calledOf(names), SOURCE_SIGNS.java] },
    HIDDEN_TEXT,
    { words: ['exec'], patterns: [/\bexec\s{0,9}\(/, JAVA_BUILT] },
    { words: statements, patterns: [calledOf(statements), STATEMENT, JAVA_BUILT] },
    nestedRepetition('Pattern.compile'),
    answerHint('java', SOURCE_SIGNS.java),
    ...settingHints('java', calledOf),
  ];
}

/**
 * Names of Java that are called, made, extended, handed over or looked up by reflection: `to`,
 * `of` and `copy` stand in the comments of nearly every file.
 */
function calledOf(words: readonly string[]): RegExp {
  return new RegExp(
    String.raw`(?<!\w)(?:${words.join('|')})(?!\w)` +
      String.raw`(?:\s*(?:[(<"{]|::|/[*/])|\s+implements\b|(?<=::\s*\w+))`,
  );
}

/** The same of C#. */
const CSHARP_BUILT =
  /\$@?"|@\$"|"\s{0,9}\+|\+\s{0,9}"|\bFormat\s{0,9}\(|\+=|\bAppend\w{0,9}\s{0,9}\(|\bConcat\(/;

/** Signs of the sinks of C# in raw text. */
function csharpHints(): Hint[] {
  const lines = sinksOf('csharp');
  const names = lastNames(lines);
  const statements = lastNames(lines.filter(({ kind }) => kind === 'sql'));
  return [
    { words: names, patterns: [wordOf(names), SOURCE_SIGNS.cs] },
    { words: ['Start'], patterns: [/\bStart\s{0,9}\(|\bProcessStartInfo\b/, CSHARP_BUILT] },
    { words: statements, patterns: [wordOf(statements), STATEMENT, CSHARP_BUILT] },
    nestedRepetition('new Regex'),
    ...settingHints('csharp'),
  ];
}

/** The same of Kotlin. */
const KOTLIN_BUILT = new RegExp(String.raw`${JAVA_BUILT.source}|\$\w|\bbuildString\b`);

/** Signs of the sinks of Kotlin in raw text, which has setters that are assigned to as well. */
function kotlinHints(): Hint[] {
  const lines = sinksOf('kotlin').filter(({ kind }) => !isSetting(kind));
  const names = lastNames(lines);
  const statements = lastNames(lines.filter(({ kind }) => kind === 'sql'));
  return [
    { words: names.flatMap(namesInKotlin), patterns: [usedOf(names), SOURCE_SIGNS.kt] },
    HIDDEN_TEXT,
    {
      words: ['exec', 'ProcessBuilder'],
      patterns: [calledOf(['exec', 'ProcessBuilder']), KOTLIN_BUILT],
    },
    { words: statements, patterns: [calledOf(statements), STATEMENT, KOTLIN_BUILT] },
    nestedRepetition('Pattern.compile'),
    nestedRepetition('Regex'),
    answerHint('kotlin', SOURCE_SIGNS.kt),
    ...settingHints('kotlin', usedOf, namesInKotlin),
  ];
}

/** A setter or getter is a property in Kotlin: `setUrl` is `url` as well. */
function namesInKotlin(name: string): string[] {
  const [, property] = /^[gs]et([A-Z]\w*)$/.exec(name) ?? [];
  if (property === undefined) return [name];
  return [name, property.charAt(0).toLowerCase() + property.slice(1)];
}

/** The same of names that are called, or properties that are read or assigned to. */
function usedOf(words: readonly string[]): RegExp {
  const called = calledOf(words).source;
  const properties = words.flatMap((word) => namesInKotlin(word).slice(1));
  if (properties.length === 0) return new RegExp(called);
  const all = properties.join('|');
  const read = String.raw`\.(?:${all})\b`;
  // `isHttpOnly` is the property of `setHttpOnly`.
  const set = String.raw`\b(?:${[all, ...properties.map(isName)].join('|')})\s*=`;
  return new RegExp(`${called}|${read}|${set}`);
}

function isName(property: string): string {
  return `is${property.charAt(0).toUpperCase()}${property.slice(1)}`;
}

/** What a function so decorated gives back is a sink, whatever it calls. */
function answerHint(language: CatalogueLanguage, sources: RegExp): Hint {
  const { operations } = tableOf(language);
  const paths = operations.flatMap(({ sort, words: [, ...own] }) =>
    sort === 'answers' ? own : [],
  );
  const names = [...new Set(paths.flatMap(lastWords))];
  const decorated = new RegExp(String.raw`@[\w.]{0,80}\b(?:${names.join('|')})\b`);
  return { words: names, patterns: [decorated, sources] };
}

/** Names that many packages have: they count beside that of their class or package only. */
const COMMON_NAMES =
  /^(?:getInstance|new|New|Sum|Key|generate|NewCipher|Password|Validate|Import|digest|setup|decode|auth|text|hash|parse|headers|csrf|connect|getConnection|password|login|setPassword)$/;
/** Names of what must not be guessed, and of calls and classes that keep such values. */
const UNGUESSABLE =
  /token|secret|passw|nonce|salt|otp|session|key|code|csrf|remember|cookie|attribute/i;

/** Signs of fixed values that are wrong: no data from outside stands beside them. */
function settingHints(
  language: CatalogueLanguage,
  namedOf = wordOf,
  namesOf = (name: string) => [name],
): Hint[] {
  const { packages, operations } = tableOf(language);
  const settings = packages.flatMap((entry) =>
    (entry.sinks ?? [])
      .filter(({ kind }) => isSetting(kind))
      .flatMap((line) => settingHint(entry, line, namedOf, namesOf)),
  );
  const random = operations
    .filter(({ sort, words: [operation] }) => sort === 'function' && operation === 'random')
    .flatMap(({ words: [, ...paths] }) => paths.map((path) => path.replace(/^.*[./]/, '')));
  const names = [...new Set(random)];
  return [...settings, { words: names, patterns: [namedOf(names), UNGUESSABLE] }];
}

function settingHint(
  entry: Package,
  line: SinkLine,
  namedOf: typeof wordOf,
  namesOf: (name: string) => string[],
): Hint[] {
  const { exports, options = '' } = line;
  const named = isByName(line) ? [wordOf(lastWords(options))] : [];
  const types = entry.types?.split(' ') ?? [];
  return exports.split(' ').map((path) => {
    const steps = `${entry.package}.${path}`.split(/[./]/).filter((step) => step !== '*');
    const [last = '', owner = ''] = steps.reverse();
    const called = namedOf([regexText(last)]);
    if (!COMMON_NAMES.test(last)) return { words: namesOf(last), patterns: [called, ...named] };
    const owners = [owner, ...types];
    return { words: owners, patterns: [wordOf(owners.map(regexText)), called, ...named] };
  });
}

/** Sinks of a language: read here, as a child that asks for no hints has no use for them. */
function sinksOf(language: CatalogueLanguage): SinkLine[] {
  return tableOf(language).packages.flatMap((entry) => entry.sinks ?? []);
}

/** All rows of a language: Kotlin has the rows of Java as well. */
function tableOf(language: CatalogueLanguage): Table {
  const own = tablesOf(language);
  return allOf(language === 'kotlin' ? { java: tableOf('java'), ...own } : own);
}

function wordOf(words: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<!\w)(?:${words.join('|')})(?!\w)`);
}

function lastNames(lines: readonly SinkLine[]): string[] {
  return [...new Set(lines.flatMap(({ exports }) => lastWords(exports)))];
}

/** The last word of each path: `b` of `a.b`. */
function lastWords(paths: string): string[] {
  return paths.split(' ').map((path) => path.slice(path.lastIndexOf('.') + 1));
}

/**
 * Signs of sinks in raw text, and of names that are written otherwise, by family of languages. Made
 * when they are asked for: an AST child asks for none.
 */
export const HINTS = {
  get script() {
    const own = [...SINKS.flatMap((sink) => sink.hints), ...catalogueHints()];
    return [...own, ESCAPED_LETTER, REFERENCED_LETTER, ...COMPUTED_NAMES];
  },
  get python() {
    return pythonHints();
  },
  get golang() {
    return golangHints();
  },
  get java() {
    return javaHints();
  },
  get csharp() {
    return csharpHints();
  },
  get kotlin() {
    return kotlinHints();
  },
} satisfies Record<string, readonly Hint[]>;
