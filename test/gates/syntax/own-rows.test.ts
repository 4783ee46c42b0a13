import test from 'ava';
import { tryOwnRows } from '../../../src/gates/syntax/own-examples.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import type { OwnRows } from '../../../src/model/rules.ts';
import { findingsIn, findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { ruleSet } from '../patterns/scan-text.ts';
import { readPackaged } from './code.ts';

/** A class with a method that has this body. */
function java(body: string): string {
  return `import com.acme.db.Db;
import com.acme.web.Call;
class A {
  void a(HttpServletRequest request, Call call, Db db) throws Exception {
    ${body}
  }
}
`;
}

const JAVA: readonly OwnRows[] = [
  {
    language: 'java',
    package: 'com.acme.db types=Db',
    lines: ['sink sql Db.select', 'sanitizer sql Db.quote'],
    examples: [
      {
        bad: java(`db.select("select b from c where d = '" + request.getParameter("a") + "'");`),
        good: java(
          `db.select("select b from c where d = '" + Db.quote(request.getParameter("a")) + "'");`,
        ),
      },
    ],
  },
  {
    language: 'java',
    package: 'com.acme.web',
    lines: ['source Call.text()'],
    examples: [
      {
        bad: java('Runtime.getRuntime().exec(call.text());'),
        good: java('System.out.println(call.text());'),
      },
    ],
  },
  {
    language: 'java',
    lines: ['route Handles'],
    examples: [
      {
        bad: 'class A {\n  @Handles("a")\n  void a(String c) throws Exception {\n    Runtime.getRuntime().exec(c);\n  }\n}\n',
        good: 'class A {\n  void a(String c) throws Exception {\n    System.out.println(c);\n  }\n}\n',
      },
    ],
  },
];

const PYTHON: OwnRows = {
  language: 'python',
  package: 'acme.db',
  lines: ['sink sql *.select_rows'],
  examples: [
    {
      bad: "from acme import db\nfrom flask import request\n\n@app.route('/a')\ndef a():\n    db.open().select_rows('select ' + request.args['a'])\n",
      good: "from acme import db\nfrom flask import request\n\n@app.route('/a')\ndef a():\n    db.open().select_rows('select 1', request.args['a'])\n",
    },
  ],
};

const GO: OwnRows = {
  language: 'go',
  package: 'acme.org/db',
  lines: ['sink sql *.SelectRows'],
  examples: [
    {
      bad: 'package a\n\nimport (\n\t"net/http"\n\n\t"acme.org/db"\n)\n\nfunc H(w http.ResponseWriter, r *http.Request) {\n\tdb.Open().SelectRows("select " + r.FormValue("a"))\n}\n',
      good: 'package a\n\nimport (\n\t"net/http"\n\n\t"acme.org/db"\n)\n\nfunc H(w http.ResponseWriter, r *http.Request) {\n\tdb.Open().SelectRows("select 1", r.FormValue("a"))\n}\n',
    },
  ],
};

const tryRows = (rows: readonly OwnRows[]) => tryOwnRows(rows, readPackaged);

/** Handlers of Python: what is said of them, and code in which `r` or `job_event` has the data. */
const HANDLERS: readonly [line: string, code: string][] = [
  ['decorates acme.Request handler', '@acme.handler\ndef a(r):\n    CALL(r.body)\n'],
  ['registers acme.Request acme.on', 'def a(r):\n    CALL(r.body)\n\nacme.on(a)\n'],
  [
    'serves acme.Request Base handle',
    'class A(acme.Base):\n    def handle(self, r):\n        CALL(r.body)\n',
  ],
  ['called job_event job_context', 'def a(job_event, job_context):\n    CALL(job_event)\n'],
];

for (const [line, code] of HANDLERS) {
  test(`tryOwnRows finds data of a handler: ${line}`, async (t) => {
    const text = (call: string) => `import acme\nimport os\n\n${code.replace('CALL', call)}`;
    const lines = line.startsWith('called') ? [line] : [line, 'source Request.body'];
    const examples = [{ bad: text('os.system'), good: text('print') }];
    const entry: OwnRows = { language: 'python', package: 'acme types=Request', lines, examples };
    t.deepEqual(await tryRows([entry]), []);
    const less = { ...entry, lines: lines.slice(1) };
    if (less.lines.length > 0) t.is((await tryRows([less])).length, 1);
  });
}

test('tryOwnRows accepts sinks, sources, sanitizers and handlers whose examples come out so', async (t) => {
  t.deepEqual(await tryRows([...JAVA, PYTHON, GO]), []);
});

/** The first entry with other lines or examples. */
function changed(over: Partial<OwnRows>): readonly OwnRows[] {
  const [first, ...rest] = JAVA;
  if (first === undefined) throw new TypeError('there is a first entry');
  return [{ ...first, ...over }, ...rest];
}

test('tryOwnRows says which example has no finding, and which one has', async (t) => {
  t.deepEqual(await tryRows(changed({ lines: ['sink sql Db.other', 'sanitizer sql Db.quote'] })), [
    'ast.catalogue[0].examples[0].bad gives no finding',
  ]);
  const [problem = '', ...more] = await tryRows(changed({ lines: ['sink sql Db.select'] }));
  t.deepEqual(more, []);
  t.regex(problem, /^ast\.catalogue\[0\]\.examples\[0\]\.good gives \S+ \(line 5\)$/);
});

test('tryOwnRows names a row without which all examples are the same', async (t) => {
  const lines = ['sink sql Db.select', 'sink sql Db.other', 'sanitizer sql Db.quote'];
  t.deepEqual(await tryRows(changed({ lines })), [
    'ast.catalogue[0].lines[1]: no example comes out otherwise without "sink sql Db.other"',
  ]);
});

test('tryOwnRows names an example that is not of its language', async (t) => {
  const examples = [{ bad: 'db.select( request (((', good: java('') }];
  const [problem = ''] = await tryRows(changed({ examples }));
  t.regex(problem, /^ast\.catalogue\[0\]\.examples\[0\]\.bad is not followed: ast-unparsed/);
});

const PATH = 'src/main/java/A.java';
const withRows = (catalogue: readonly OwnRows[]) => {
  return { rules: { ...ruleSet([], []), ast: { catalogue } } };
};
const ids = (findings: readonly { id: string; gate: string }[]) =>
  findings.filter(({ gate }) => gate === 'ast').map(({ id }) => id);

for (const [index, { lines, examples }] of JAVA.entries()) {
  test(`gate 2 finds what rows of the rules say, and without them nothing: ${lines.join(', ')}`, async (t) => {
    const [{ bad = '', good = '' } = {}] = examples;
    t.is(ids(await findingsIn(bad, withRows(JAVA), PATH)).length, 1);
    t.deepEqual(ids(await findingsIn(good, withRows(JAVA), PATH)), []);
    t.deepEqual(ids(await findingsIn(bad, withRows(JAVA.toSpliced(index, 1)), PATH)), []);
    t.deepEqual(ids(await findingsIn(bad, withRows([]), PATH)), []);
  });
}

test('gate 2 reads rows for Python and Go, each for its own language', async (t) => {
  const rows = withRows([PYTHON, GO]);
  t.is(ids(await findingsIn(PYTHON.examples[0]?.bad ?? '', rows, 'a.py')).length, 1);
  t.is(ids(await findingsIn(GO.examples[0]?.bad ?? '', rows, 'a.go')).length, 1);
  t.deepEqual(ids(await findingsIn(GO.examples[0]?.bad ?? '', withRows([PYTHON]), 'a.go')), []);
});

test('results of whole files under other rows are not taken again', async (t) => {
  const base = java('db.select("select 1");');
  const head = JAVA[0]?.examples[0]?.bad ?? '';
  const diff = `diff --git a/${PATH} b/${PATH}
index 1111111..2222222 100644
--- a/${PATH}
+++ b/${PATH}
@@ -5 +5 @@ class A {
-    db.select("select 1");
+    db.select("select b from c where d = '" + request.getParameter("a") + "'");
`;
  const files: TreeFiles = [
    { side: 'base', path: PATH, state: 'read', bytes: Buffer.from(base) },
    { side: 'head', path: PATH, state: 'read', bytes: Buffer.from(head) },
  ];
  // One child, whose results are kept, for all of them.
  const { syntax } = gateTools();
  const found = async (rows: readonly OwnRows[]) =>
    ids(await findingsOf(diff, { ...withRows(rows), files, syntax }));
  t.deepEqual(await found([]), []);
  t.is((await found(JAVA)).length, 1);
  t.deepEqual(await found([]), []);
});

test('many names of rows cost a text no more than few', async (t) => {
  const lines = Array.from({ length: 100 }, (_, index) => {
    return `sink sql ${Array.from({ length: 40 }, (_, at) => `m${index}x${at}`).join(' ')}`;
  });
  const many: OwnRows = {
    language: 'java',
    package: 'com.acme.many types=Many',
    lines,
    examples: [],
  };
  const text = JAVA[0]?.examples[0]?.bad ?? '';
  t.is(ids(await findingsIn(text, withRows([...JAVA, many]), PATH)).length, 1);
});
