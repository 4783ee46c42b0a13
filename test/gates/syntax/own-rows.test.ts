import test from 'ava';
import { tryOwnRows } from '../../../src/gates/syntax/own-examples.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import type { OwnRows } from '../../../src/model/rules.ts';
import { findingsIn, findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { ruleSet } from '../patterns/scan-text.ts';
import { readPackaged } from './code.ts';

const tryRows = (rows: readonly OwnRows[]) => tryOwnRows(rows, readPackaged);

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

/** A script whose function `a` has data from outside in `d`. */
function script(body: string, imports = "import { db } from '@acme/db';"): string {
  return `${imports}
import { exec } from 'node:child_process';
export function a(req: Request) {
  const d = (req as any).query.id;
  ${body}
}
`;
}

/** Rows for JavaScript, each with code that has a finding, and code that has none. */
const SCRIPTS: readonly [name: string, line: string, bad: string, good: string][] = [
  [
    '@acme/db',
    'sink sql db.select',
    script('db.select("select " + d);'),
    script('db.select("select 1");'),
  ],
  [
    '@acme/db receivers=store',
    'sink sql *.rows',
    script('this.store.rows("select " + d);', ''),
    script('this.store.rows("select ?", d);', ''),
  ],
  ['@acme/db aliases=db', 'sink shell run', script('db.run(d);', ''), script('db.run("ls");', '')],
  [
    '@acme/db',
    'sink shell tag how=tag',
    script(`tag\`select \${d}\`;`, "import { tag } from '@acme/db';"),
    script('tag`select 1`;', "import { tag } from '@acme/db';"),
  ],
  [
    '@acme/db',
    'sink html Page.body how=assign',
    script('const p = new Page(); p.body = d;', "import { Page } from '@acme/db';"),
    script('const p = new Page(); p.body = "b";', "import { Page } from '@acme/db';"),
  ],
  [
    '@acme/in',
    'source text()',
    script('exec(text());', "import { text } from '@acme/in';"),
    script('text();', "import { text } from '@acme/in';"),
  ],
  [
    '@acme/in types=Call',
    'source Call.text',
    'import { exec } from "child_process";\nexport const a = (call: Call) => exec(call.text);\n',
    'import { exec } from "child_process";\nexport const a = (call: Call) => exec(call.size);\n',
  ],
  [
    '@acme/in',
    'source listen callback=0',
    'import { listen } from "@acme/in";\nimport { exec } from "child_process";\nlisten((d) => exec(d));\n',
    'import { listen } from "@acme/in";\nimport { exec } from "child_process";\nlisten((d) => exec("ls"));\n',
  ],
  [
    '@acme/in',
    'source FromCaller +decorator',
    'import { exec } from "child_process";\nclass A {\n  run(@FromCaller() d: string) { exec(d); }\n}\n',
    'import { exec } from "child_process";\nclass A {\n  run(d: string) { exec("ls"); }\n}\n',
  ],
  [
    '@acme/in',
    'propagator later callback=0',
    script('later(d, (one) => exec(one));', "import { later } from '@acme/in';"),
    script('later(d, (one) => exec("ls"));', "import { later } from '@acme/in';"),
  ],
  [
    '@acme/in',
    'consumer onJob parameter=0 receivers=bus',
    'import { exec } from "child_process";\nbus.onJob("a", (d) => exec(d));\n',
    'import { exec } from "child_process";\nbus.onJob("a", (d) => exec("ls"));\n',
  ],
];

for (const [name, line, bad, good] of SCRIPTS) {
  test(`tryOwnRows takes rows for JavaScript: ${line}`, async (t) => {
    const entry: OwnRows = {
      language: 'javascript',
      package: name,
      lines: [line],
      examples: [{ bad, good }],
    };
    t.deepEqual(await tryRows([entry]), []);
    t.deepEqual(await tryRows([{ ...entry, lines: ['sink sql nothing'] }]), [
      'ast.catalogue[0].examples[0].bad gives no finding',
    ]);
  });
}

/** Handlers of JavaScript: what is said of them, and code in which `d` has the data. */
const SCRIPT_HANDLERS: readonly [line: string, code: string][] = [
  [
    'decorates @acme/in.Job Handles',
    'class A {\n  @Handles("a")\n  run(job) { CALL(job.data); }\n}',
  ],
  [
    'registers @acme/in.Job @acme/in.on',
    'import { on } from "@acme/in";\non((job) => CALL(job.data));',
  ],
  ['registers @acme/in.Job onJob', 'function run(job) { CALL(job.data); }\nbus.onJob(run);'],
  [
    'serves @acme/in.Job Worker run',
    'import { Worker } from "@acme/in";\nclass A extends Worker {\n  run(job) { CALL(job.data); }\n}',
  ],
  ['called jobData jobContext', 'export function run(jobData, jobContext) { CALL(jobData); }'],
];

for (const [line, code] of SCRIPT_HANDLERS) {
  test(`tryOwnRows finds data of a handler of JavaScript: ${line}, ${code}`, async (t) => {
    const text = (call: string) =>
      `import { exec } from "node:child_process";\n${code.replace('CALL', call)}\n`;
    const lines = line.startsWith('called') ? [line] : [line, 'source Job.data'];
    const examples = [{ bad: text('exec'), good: text('console.info') }];
    const entry: OwnRows = { language: 'javascript', package: '@acme/in', lines, examples };
    t.deepEqual(await tryRows([entry]), []);
  });
}

/** Rows that make less of a finding, which is there without them. */
const HARMLESS: readonly [line: string, code: string][] = [
  ['sanitizer sql quote', 'db.query("select * from b where c = " + quote(d));'],
  ['check isOwn when-true=all', 'if (isOwn(d)) exec(d);'],
];

for (const [line, code] of HARMLESS) {
  test(`tryOwnRows takes rows for JavaScript: ${line}`, async (t) => {
    const imports = "import { isOwn, quote } from '@acme/safe';";
    const bad = script('exec(d);', imports);
    const examples = [{ bad, good: script(code, imports) }];
    const entry: OwnRows = {
      language: 'javascript',
      package: '@acme/safe',
      lines: [line],
      examples,
    };
    t.deepEqual(await tryRows([entry]), []);
    const [problem = ''] = await tryRows([{ ...entry, lines: ['sanitizer sql other'] }]);
    t.regex(problem, /^ast\.catalogue\[0\]\.examples\[0\]\.good gives /);
  });
}

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

test('gate 2 reads rows for JavaScript in every dialect and in hunks, and without them nothing', async (t) => {
  const [[name, line, bad] = ['', '', '']] = SCRIPTS;
  const rows = withRows([{ language: 'javascript', package: name, lines: [line], examples: [] }]);
  for (const path of ['a.ts', 'a.tsx', 'a.mts']) {
    t.is(ids(await findingsIn(bad, rows, path)).length, 1, path);
    t.deepEqual(ids(await findingsIn(bad, withRows([]), path)), [], path);
  }
  const plain = bad.replaceAll(/: (?:Request|any)| as any/g, '');
  t.is(ids(await findingsIn(plain, rows, 'a.js')).length, 1);
  t.deepEqual(ids(await findingsIn(plain, withRows([PYTHON]), 'a.js')), []);
});

// Calls of a child end by the clock here: other tests would use it up.
test.serial('results of whole files under other rows are not taken again', async (t) => {
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
