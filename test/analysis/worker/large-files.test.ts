import test from 'ava';
import { AST_GATE } from '../../../src/gates/limits.ts';
import { judge } from './judge-commits.ts';

interface Large {
  readonly name: string;
  readonly path: string;
  /** Stands before, between and behind what matters; `index` makes names differ. */
  readonly filler: (index: number) => string;
  /** The parts, in their order, with filler between each two. */
  readonly parts: readonly string[];
  /** What a change writes, and what it puts there. */
  readonly from: string;
  readonly to: string;
  readonly id: string;
}

const SERVLET = 'import jakarta.servlet.http.*;\nimport java.io.*;\nclass A {';
const METHOD = (index: number) =>
  `  int add${index}(int left, int right) {\n    return left + right + ${index};\n  }\n`;
const FUNCTION = (index: number) =>
  `function add${index}(left, right) {\n  return left + right + ${index};\n}\n`;
const PYTHON = (index: number) => `def add${index}(left, right):\n    return left + ${index}\n\n`;
const GO = (index: number) => `func add${index}(left int) int {\n\treturn left + ${index}\n}\n`;

const FILES: readonly Large[] = [
  {
    name: 'a check that a helper made is gone',
    path: 'src/app.js',
    filler: FUNCTION,
    parts: [
      "const { exec } = require('child_process');\n",
      "function run(name) {\n  if (!/^[a-z]+$/.test(name)) throw new Error('bad');\n  exec('ls ' + name);\n}\n",
      "app.get('/a', (req, res) => {\n  run(req.query.name);\n});\n",
    ],
    from: "  if (!/^[a-z]+$/.test(name)) throw new Error('bad');\n",
    to: '',
    id: 'vuln-01',
  },
  {
    name: 'a handler gives data to a helper far from it',
    path: 'src/app.ts',
    filler: (index) => `export const add${index} = (left: number): number => left + ${index}\n`,
    parts: [
      "import { exec } from 'node:child_process'\n",
      "export function run(name: string): void {\n  exec('ls ' + name)\n}\n",
      "app.get('/a', (req: Request) => {\n  run('fixed')\n})\n",
    ],
    from: "run('fixed')",
    to: 'run(req.query.name)',
    id: 'vuln-01',
  },
  {
    name: 'a member of a class that fills the file',
    path: 'src/app.js',
    filler: (index) => `  add${index}(left) {\n    return left + ${index};\n  }\n`,
    parts: [
      "const { exec } = require('child_process');\nclass Service {\n",
      '  handle(req) {\n    this.run(req.query.name);\n  }\n',
      "  run(name) {\n    exec('ls');\n  }\n",
      "}\napp.get('/a', (req, res) => new Service().handle(req));\n",
    ],
    from: "exec('ls')",
    to: "exec('ls ' + name)",
    id: 'vuln-01',
  },
  {
    name: 'a function within one that wraps the file',
    path: 'src/app.js',
    filler: (index) => `  function add${index}(left) {\n    return left + ${index};\n  }\n`,
    parts: [
      "(function () {\n  'use strict';\n  const { exec } = require('child_process');\n",
      "  function run(name) {\n    exec('ls ' + name);\n  }\n",
      "  app.get('/a', (req, res) => {\n    run('x');\n  });\n",
      '})();\n',
    ],
    from: "run('x')",
    to: 'run(req.query.name)',
    id: 'vuln-01',
  },
  {
    name: 'entries of one object',
    path: 'src/app.js',
    filler: (index) => `  add${index}: function (left) {\n    return left + ${index};\n  },\n`,
    parts: [
      "const { exec } = require('child_process');\nconst api = {\n",
      "  run: function (name) {\n    exec('ls ' + name);\n  },\n",
      "};\napp.get('/a', (req, res) => {\n  api.run('x');\n});\n",
    ],
    from: "api.run('x')",
    to: 'api.run(req.query.name)',
    id: 'vuln-01',
  },
  {
    name: 'constants with functions, without semicolons',
    path: 'src/app.mjs',
    filler: (index) => `const add${index} = (left) => {\n  return left + ${index}\n}\n`,
    parts: [
      "import { exec } from 'node:child_process'\n",
      "const run = (name) => {\n  exec('ls ' + name)\n}\n",
      "app.get('/a', async (req, res) => {\n  run('x')\n})\n",
    ],
    from: "run('x')",
    to: 'run(req.query.name)',
    id: 'vuln-01',
  },
  {
    name: 'methods of a class of Java',
    path: 'src/A.java',
    filler: METHOD,
    parts: [
      `${SERVLET}\n`,
      '  void read(String name) throws IOException {\n    new FileReader("/data/" + name);\n  }\n',
      '  void doGet(HttpServletRequest request) throws IOException {\n    read("x");\n  }\n',
      '}\n',
    ],
    from: 'read("x")',
    to: 'read(request.getParameter("name"))',
    id: 'vuln-05',
  },
  {
    name: 'a field of a class of Java between a setter and its use',
    path: 'src/A.java',
    filler: METHOD,
    parts: [
      `${SERVLET}\n  private String name;\n`,
      '  void doGet(HttpServletRequest request) {\n    this.name = "x";\n  }\n',
      '  void read() throws IOException {\n    new FileReader(this.name);\n  }\n',
      '}\n',
    ],
    from: 'this.name = "x"',
    to: 'this.name = request.getParameter("name")',
    id: 'vuln-05',
  },
  {
    name: 'functions of Python',
    path: 'src/app.py',
    filler: PYTHON,
    parts: [
      'import os\nfrom flask import Flask, request\napp = Flask(__name__)\n\n',
      "def run(name):\n    os.system('ls ' + name)\n\n",
      "@app.route('/a')\ndef view():\n    run('x')\n\n",
    ],
    from: "run('x')",
    to: "run(request.args['name'])",
    id: 'vuln-01',
  },
  {
    name: 'functions of Go',
    path: 'src/app.go',
    filler: GO,
    parts: [
      'package main\n\nimport (\n\t"net/http"\n\t"os/exec"\n)\n\n',
      'func run(name string) {\n\texec.Command("sh", "-c", "ls "+name).Run()\n}\n',
      'func handle(w http.ResponseWriter, r *http.Request) {\n\trun("x")\n}\n',
    ],
    from: 'run("x")',
    to: 'run(r.FormValue("name"))',
    id: 'vuln-01',
  },
];

/** A file above the bound with filler between its parts. */
function textOf({ parts, filler }: Large): string {
  const length = AST_GATE.FRAGMENT_BYTES_MAX / (parts.length - 1);
  let count = 0;
  const between = () => {
    let text = '';
    while (text.length < length + 4_000) {
      text += filler(count);
      count += 1;
    }
    return text;
  };
  return parts.reduce((whole, part) => (whole === '' ? part : `${whole}${between()}${part}`), '');
}

for (const file of FILES) {
  test.serial(
    `a file above the bound is read by what a change touches: ${file.name}`,
    async (t) => {
      const before = textOf(file);
      t.true(before.length > AST_GATE.FRAGMENT_BYTES_MAX);
      const after = before.replace(file.from, file.to);
      t.not(after, before);
      const { path } = file;
      const { open } = await judge(t, { [path]: before }, { [path]: after });
      const [first, ...others] = [...open].sort();
      t.true(first?.startsWith(`critical ${file.id} ${path}:`), open.join());
      t.deepEqual(others, [`low ast-hunks-only ${path}:null`]);
      const edited = after.replace(`${file.filler(9)}`, file.filler(999_999));
      t.not(edited, after);
      const other = await judge(t, { [path]: after }, { [path]: edited });
      t.deepEqual(other.open, others, 'what stood there is not new');
    },
  );
}
