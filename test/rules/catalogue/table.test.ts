import { readFileSync } from 'node:fs';
import test from 'ava';
import {
  LISTS,
  NAMED,
  PATTERNS,
  ROWS,
  SINK_KINDS,
  USES,
} from '../../../src/rules/catalogue/line.ts';
import { readTable, type Table } from '../../../src/rules/catalogue/table.ts';
import { CATALOGUE_LANGUAGES, tablesOf } from '../../../src/rules/catalogue/tables.ts';

const EMPTY: Table = {
  packages: [],
  sanitizers: [],
  checks: [],
  commands: [],
  consumers: [],
  operations: [],
};

/** What is wrong with rows of one package, the first of which is on line 2. */
function problemsOf(...rows: string[]): string[] {
  const { problems } = readTable(`package p https://p.example\n${rows.join('\n')}\n`);
  return problems.map(({ line, text }) => `${line}: ${text}`);
}

test('readTable gives each field of a sink, a source and a propagator', (t) => {
  const { table, problems } = readTable(`# A comment.

package pg https://node-postgres.com receivers=pool,client types=Pool closed=prepare
  aliases=pg versions=<4.2.1
sink sql *.query query args=0,-1 options=text,o.text value=false when=on unless=a,b
  severity=low receivers=none how=call versions=>=6 link=#q +missing +free
# Another one.
sink path a args=none
source *.on callback=1 event=message option=o is=Message
source body() safe-for=path,url into=0 receivers=r +decorator +whole +object
propagator parse from=0,1 callback=2 into=-1 link=/p +whole +decodes +free
`);
  t.deepEqual(problems, []);
  t.deepEqual(table, {
    ...EMPTY,
    packages: [
      {
        package: 'pg',
        link: 'https://node-postgres.com',
        receivers: 'pool client',
        types: 'Pool',
        closed: 'prepare',
        aliases: 'pg',
        versions: '<4.2.1',
        sinks: [
          {
            exports: '*.query query',
            kind: 'sql',
            args: [0, -1],
            options: 'text o.text',
            value: /^false$/,
            when: 'on',
            unless: 'a b',
            severity: 'low',
            receivers: '',
            how: 'call',
            versions: '>=6',
            link: '#q',
            missing: true,
            free: true,
          },
          { exports: 'a', kind: 'path', args: [] },
        ],
        sources: [
          {
            exports: '*.on',
            callback: { parameter: 1, event: 'message', option: 'o', is: 'Message' },
          },
          {
            exports: 'body()',
            safeFor: ['path', 'url'],
            into: 0,
            receivers: 'r',
            decorator: true,
            whole: true,
            object: true,
          },
        ],
        propagators: [
          {
            exports: 'parse',
            from: [0, 1],
            callback: 2,
            into: -1,
            link: '/p',
            whole: true,
            decodes: true,
            free: true,
          },
        ],
      },
    ],
  });
});

test('readTable gives rows that say themselves which package they are of', (t) => {
  const { table, problems } = readTable(`package he https://he.example/a aliases=he
sanitizer html,xpath encode link=#encode
sanitizer all number
check isInt when-true=all when-false=none
command shell exec link=https://other.example/x
consumer on parameter=1 event=message option=o receivers=a,b
`);
  const own = { package: 'he', aliases: 'he' };
  const link = 'https://he.example/a';
  t.deepEqual(problems, []);
  t.deepEqual(table, {
    ...EMPTY,
    sanitizers: [
      { ...own, exports: 'encode', safeFor: ['html', 'xpath'], link: `${link}#encode` },
      { ...own, exports: 'number', safeFor: USES, link },
    ],
    checks: [{ ...own, exports: 'isInt', whenTrue: USES, whenFalse: [], link }],
    commands: [{ ...own, exports: 'exec', takes: 'shell', link: 'https://other.example/x' }],
    consumers: [
      {
        ...own,
        exports: 'on',
        parameter: 1,
        event: 'message',
        option: 'o',
        receivers: 'a b',
        link,
      },
    ],
  });
});

test('readTable gives facts of a language', (t) => {
  const { table, problems } = readTable(`kind list java.util.ArrayList
list append add addLast
guard equal equals
route GetMapping PostMapping
pattern getter /^(?:get|is)(?=[A-Z])/
pattern slash /a \\/[/ ]b/i
`);
  t.deepEqual(problems, []);
  t.deepEqual(table.operations, [
    { sort: 'kind', words: ['list', 'java.util.ArrayList'] },
    { sort: 'list', words: ['append', 'add', 'addLast'] },
    { sort: 'guard', words: ['equal', 'equals'] },
    { sort: 'route', words: ['GetMapping', 'PostMapping'] },
    { sort: 'pattern', words: ['getter'], pattern: /^(?:get|is)(?=[A-Z])/ },
    { sort: 'pattern', words: ['slash'], pattern: /a \/[/ ]b/i },
  ]);
});

test('readTable reads wrong values as words or as a regular expression', (t) => {
  const { table, problems } = readTable(`package p https://p.example
sink token a value=none,false
sink token b value=/^(?:a b|c)$/i severity=low
`);
  t.deepEqual(problems, []);
  t.deepEqual(
    table.packages[0]?.sinks?.map(({ value, severity }) => ({ value, severity })),
    [
      { value: /^(?:none|false)$/, severity: undefined },
      { value: /^(?:a b|c)$/i, severity: 'low' },
    ],
  );
});

const WRONG: readonly [row: string, problem: RegExp][] = [
  ['sinkk sql a', /^"sinkk" is no sort of row: package sink source propagator sanitizer check /],
  ['__proto__ sql a', /^"__proto__" is no sort of row/],
  ['constructor a b', /^"constructor" is no sort of row/],
  ['sink sq1 a', /^"sq1" is none of: shell program code /],
  ['sink', /^"" is none of: shell/],
  ['sink sql', /^"sink" needs the names of exports$/],
  ['sink sql a,b', /^"a,b" is no name and no path of names$/],
  ['sink sql a arg=0', /^"arg" is no key of "sink": how args options /],
  ['sink sql a __proto__=0', /^"__proto__" is no key of "sink"/],
  [
    'sink sql a +whole',
    /^"\+whole" is no flag of "sink": \+missing \+free \+shell \+direct \+page$/,
  ],
  ['sanitizer html a +free', /^"\+free" is no flag of "sanitizer": no flags$/],
  ['sink sql a args=0 args=1', /^"args" stands twice$/],
  ['sink sql a args=', /^args: "" is no argument: 0 to 31, last, or -1 for the receiver$/],
  ['sink sql a args=0,x', /^args: "x" is no argument/],
  ['sink sql a args=32', /^args: "32" is no argument/],
  ['sink sql a args=-2', /^args: "-2" is no argument/],
  ['sink sql a options=a,,b', /^options: "" is no name/],
  ['sink sql a severity=critical', /^severity: "critical" is none of: high medium low$/],
  ['sink sql a how=new', /^how: "new" is none of: call tag assign property$/],
  ['sink sql a versions=3', /^versions: "3" is no range of versions: "<4.2.1", ">=6"$/],
  ['sink sql a link=http://p.example', /^link: "http:.*" is no address that begins with https:/],
  ['sink token a value=a-b', /^value: "a-b" is neither words with commas nor a regular expression/],
  ['sink token a value=/(/', /^value: Invalid regular expression: /],
  ['sink token a value=/a/y2', /^value: "\/a\/y2" is no regular expression between slashes$/],
  ['source a event=message', /^"event" needs "callback", the parameter that gets the data$/],
  ['source a safe-for=paths', /^safe-for: "paths" is none of: html path .* all none$/],
  ['sanitizer htm a', /^"htm" is none of: html path/],
  ['check a', /^a check needs "when-true" or "when-false"$/],
  ['command sh a', /^"sh" is none of: shell program list tag$/],
  ['consumer a event=message', /^a consumer needs "parameter", which gets the message$/],
  ['route', /^"route" needs a word or more$/],
  ['list append', /^"list" needs two words or more$/],
  ['operator %', /^"operator" needs two words or more$/],
  ['pattern a', /^"pattern" needs a name and one regular expression$/],
  ['pattern a b', /^"b" is no regular expression between slashes$/],
  ['package', /^a package needs its name$/],
  ['package q', /^a package needs the address of its documentation$/],
  ['package q aliases=q', /^a package needs the address of its documentation$/],
  ['package q http://q.example', /^"http:.*" is no address that begins with https:/],
  ['package q https://q.example r', /^"r" is neither key=value nor \+flag$/],
  ['package q https://q.example args=0', /^"args" is no key of "package": versions aliases /],
];

for (const [row, expected] of WRONG) {
  test(`readTable refuses "${row}" with its line and what is allowed`, (t) => {
    const { table, problems } = readTable(
      `package p https://p.example\nsink sql fine\n\n${row}\nsink sql after\n`,
    );
    t.deepEqual(
      problems.map(({ line }) => line),
      [4],
    );
    t.regex(problems[0]?.text ?? '', expected);
    // What is not wrong is there.
    t.is(table.packages[0]?.sinks?.[0]?.exports, 'fine');
  });
}

test('readTable refuses rows without what they belong to, and packages without rows', (t) => {
  t.deepEqual(readTable('  sink sql a\nsink sql a\n').problems, [
    { line: 1, text: 'a line that begins with white space has no row above it' },
    { line: 2, text: '"sink" needs a "package" row above it' },
  ]);
  t.deepEqual(readTable('package p https://p.example').problems, [
    { line: 1, text: 'the package has no row' },
  ]);
  t.deepEqual(readTable('package p https://p.example types=T').problems, []);
});

test('readTable refuses the same row twice, and says where a row of several lines begins', (t) => {
  t.deepEqual(problemsOf('sink sql a', 'sink sql a', '  args=0', 'sink sql', '  a'), [
    '5: the package has this row already: sink sql a',
  ]);
});

test('readTable keeps rows behind a package that it cannot read out of the one before', (t) => {
  const { table, problems } = readTable(
    'package p https://p.example\nsink sql a\npackage q\nsink sql b\n',
  );
  t.deepEqual(
    problems.map(({ line }) => line),
    [3],
  );
  t.deepEqual(
    table.packages.map(({ package: name, sinks }) => [name, sinks?.length]),
    [
      ['p', 1],
      ['q', 1],
    ],
  );
});

for (const language of CATALOGUE_LANGUAGES) {
  test(`the tables of ${language} hold rows, and nothing wrong`, (t) => {
    const tables = Object.values(tablesOf(language));
    t.true(tables.length > 3);
    t.true(
      tables.every(({ packages, operations, ...flat }) => {
        const rows = [packages, operations, ...Object.values(flat)];
        return rows.some(({ length }) => length > 0);
      }),
    );
  });
}

test('docs/reference/catalogue.md names every sort of row, key, flag, kind and use', (t) => {
  const url = new URL('../../../../docs/reference/catalogue.md', import.meta.url);
  const text = readFileSync(url, 'utf8');
  const sorts = ['sink', 'source', 'propagator', 'sanitizer', 'check', 'command', 'consumer'];
  // What the parser says is allowed.
  const allowed = [...sorts, 'package'].flatMap((sort) => {
    const lead = { sink: 'sql ', sanitizer: 'all ', command: 'shell ' }[sort] ?? '';
    const head = sort === 'package' ? 'package q https://q.example' : `${sort} ${lead}a`;
    const said = problemsOf(`${head} unknown=1`, `${head} +unknown`).slice(0, 2);
    return said.flatMap((problem) => problem.slice(problem.lastIndexOf(': ') + 2).split(' '));
  });
  const words = [...sorts, ...LISTS, ...ROWS, ...NAMED, ...PATTERNS, ...SINK_KINDS, ...USES];
  const missing = [...words, ...allowed]
    .filter((word) => word !== 'no' && word !== 'flags')
    .filter(
      (word) =>
        !text.includes(`\`${word}`) &&
        !new RegExp(`[ \`]${word.replace('+', '\\+')}\\b`).test(text),
    );
  t.deepEqual([...new Set(missing)], []);
  t.true(allowed.includes('when-true') && allowed.includes('+decodes'));
});
