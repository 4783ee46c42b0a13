import test from 'ava';
import type { OwnRows } from '../../../src/model/rules.ts';
import { namesOf, ownProblems, ownTables } from '../../../src/rules/catalogue/own.ts';
import { readTable } from '../../../src/rules/catalogue/table.ts';

function rows(lines: string[], over: Partial<OwnRows> = {}): OwnRows {
  const examples = [{ bad: 'a', good: 'b' }];
  return { language: 'java', package: 'com.acme.db', lines, examples, ...over };
}

const FORMS: readonly [row: string, problem: RegExp][] = [
  ['sinkk sql a', /^"sinkk" is none of: sink source propagator sanitizer route handler /],
  ['sink sq1 a', /^"sq1" is none of: shell /],
  ['sink sql a value=/(a+)+$/', /^value: words with commas; rules have no regular expression/],
  ['sink sql a\nroute b', /^it holds a line break or a control character$/],
  ['sink sql a\u2028route b', /^it holds a line break or a control character$/],
  ['sink sql a\u0000', /^it holds a line break or a control character$/],
  ['# a comment', /^"#" is none of: sink /],
  ['  args=0', /^"" is none of: sink /],
  ['package other https://other.example', /^"package" is none of: sink /],
  ['pattern getter /^get/', /^"pattern" is none of: sink /],
  ['check a when-true=all', /^"check" is none of: sink /],
  ['__proto__ a', /^"__proto__" is none of: sink /],
  ['sink sql a __proto__=1', /^"__proto__" is no key of "sink": /],
];

for (const [row, expected] of FORMS) {
  test(`ownProblems refuses ${JSON.stringify(row)} with the entry and the row`, (t) => {
    const [, second, ...more] = ownProblems([rows(['sink sql fine']), rows(['sink sql x', row])]);
    t.deepEqual([second, ...more], [undefined]);
    const [problem = ''] = ownProblems([rows(['sink sql fine']), rows(['sink sql x', row])]);
    t.true(problem.startsWith('ast.catalogue[1].lines[1]: '), problem);
    t.regex(problem.replace(/^\S+ /, ''), expected);
  });
}

test('ownProblems knows which sorts of rows a language has', (t) => {
  const script = (line: string) => ownProblems([rows([line], { language: 'javascript' })]);
  for (const line of ['check a when-true=all', 'consumer on parameter=0', 'source on callback=0']) {
    t.deepEqual(script(line), []);
  }
  t.regex(script('route A').join(), /"route" is none of: sink .* check consumer /);
});

test('ownProblems tells what is wrong with a package, and that rows need one', (t) => {
  const problem = (over: Partial<OwnRows>) => ownProblems([rows(['sink sql a'], over)]).join('; ');
  t.is(problem({ package: 'a b' }), 'ast.catalogue[0].package: "b" is neither key=value nor +flag');
  t.regex(
    problem({ package: 'a b=c' }),
    /^ast\.catalogue\[0\]\.package: "b" is no key of "package"/,
  );
  t.regex(problem({ package: 'a\nroute b' }), /^ast\.catalogue\[0\]\.package: it holds a line/);
  const loose: OwnRows = { language: 'java', lines: ['sink sql a', 'route B'], examples: [] };
  t.deepEqual(ownProblems([rows(['sink sql b']), loose]), [
    'ast.catalogue[1].lines[0]: "sink" needs a "package" row above it',
  ]);
});

test('ownTables gives a table a language, whose rows stand below their packages', (t) => {
  const tables = ownTables([
    rows(['sink sql Db.run', 'sanitizer sql Db.escape'], { package: 'com.acme.db types=Db' }),
    rows(['sink sql run'], { language: 'python', package: 'acme' }),
    rows(['sink shell Sh.run'], { package: 'com.acme.sh' }),
  ]);
  t.deepEqual(
    tables.map(({ language }) => language),
    ['java', 'python'],
  );
  const { table, problems } = readTable(tables[0]?.text ?? '');
  t.deepEqual(problems, []);
  t.deepEqual(
    table.packages.map(({ package: name, types, sinks }) => [name, types, sinks?.[0]?.exports]),
    [
      ['com.acme.db', 'Db', 'Db.run'],
      ['com.acme.sh', undefined, 'Sh.run'],
    ],
  );
  t.is(table.sanitizers[0]?.package, 'com.acme.db');
});

test('namesOf gives the last names of sinks, sources and handlers', (t) => {
  const { table } = readTable(`package acme.org/db-tool https://rules.invalid/
sink sql Db.run() *.query default
source Call.text() +whole
sanitizer sql escape
route Handles
harmless Id
`);
  t.deepEqual(namesOf(table), ['run', 'query', 'db-tool', 'text', 'Handles']);
});
