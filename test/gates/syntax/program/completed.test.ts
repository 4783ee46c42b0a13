import test from 'ava';
import { PROGRAM } from '../../../../src/gates/limits.ts';
import { judge } from '../../../analysis/worker/judge-commits.ts';

type Files = Readonly<Record<string, string>>;

/** The callers stay as they are; what they use changes, and what is found is in the change. */
interface Case {
  readonly what: string;
  readonly callers: Files;
  readonly before: Files;
  readonly after: Files;
  readonly found: readonly string[];
  /** Files that the steps of the first flow name. */
  readonly flow?: string;
}

const APP = (body: string, names = 'run, clean, isName') =>
  `import express from 'express';\nimport { ${names} } from './lib/names';\nimport { exec } from 'node:child_process';\nconst app = express();\napp.get('/', (req, res) => {\n  ${body}\n});\n`;

const ECMASCRIPT: Case[] = [
  {
    what: 'a sanitizer removed in a helper',
    callers: { 'app.ts': APP("exec('ls ' + clean(req.query.name));") },
    before: {
      'lib/names.ts':
        "export function clean(text: string) {\n  return text.replace(/[^a-z]/g, '');\n}\n",
    },
    after: { 'lib/names.ts': 'export function clean(text: string) {\n  return text.trim();\n}\n' },
    found: ['vuln-01 lib/names.ts:2'],
    flow: 'app.ts',
  },
  {
    what: 'a sanitizer removed behind a comment',
    callers: { 'app.ts': APP("exec('ls ' + clean(req.query.name));") },
    before: {
      'lib/names.ts':
        "export function clean(text: string) {\n  /**/ return text.replace(/[^a-z]/g, '');\n}\n",
    },
    after: {
      'lib/names.ts': 'export function clean(text: string) {\n  /**/ return text.trim();\n}\n',
    },
    found: ['vuln-01 lib/names.ts:2'],
    flow: 'app.ts',
  },
  {
    what: 'a check that no longer looks',
    callers: { 'app.ts': APP("if (isName(req.query.name)) exec('ls ' + req.query.name);") },
    before: {
      'lib/names.ts':
        'export function isName(text: string) {\n  return /^[a-z]+$/.test(text);\n}\n',
    },
    after: {
      'lib/names.ts': 'export function isName(text: string) {\n  return text.length > 0;\n}\n',
    },
    found: ['vuln-01 lib/names.ts:2'],
    flow: 'app.ts',
  },
  {
    what: 'a constant that turned off a check',
    callers: {
      'app.ts': APP(
        "if (CHECKS && !/^[a-z]+$/.test(req.query.name)) return;\n  exec('ls ' + req.query.name);",
        'CHECKS',
      ),
    },
    before: { 'lib/names.ts': 'export const LIMIT = 1;\nexport const CHECKS = true;\n' },
    after: { 'lib/names.ts': 'export const LIMIT = 1;\nexport const CHECKS = false;\n' },
    found: ['vuln-01 lib/names.ts:2'],
    flow: 'app.ts',
  },
  {
    what: 'a helper that now runs a shell',
    callers: { 'app.ts': APP('run(req.query.name);') },
    before: {
      'lib/names.ts':
        "import { execFile } from 'node:child_process';\nexport function run(name: string) {\n  execFile('ls', ['--', name]);\n}\n",
    },
    after: {
      'lib/names.ts':
        "import { exec } from 'node:child_process';\nexport function run(name: string) {\n  exec('ls ' + name);\n}\n",
    },
    found: ['vuln-01 lib/names.ts:3'],
    flow: 'app.ts',
  },
  {
    what: 'a helper that now calls another one that runs a shell',
    callers: {
      'app.ts': APP('run(req.query.name);'),
      'lib/shell.ts':
        "import { exec } from 'node:child_process';\nexport function start(name: string) { exec('ls ' + name); }\n",
    },
    before: { 'lib/names.ts': 'export function run(name: string) {\n  return name.length;\n}\n' },
    after: {
      'lib/names.ts':
        "import { start } from './shell';\nexport function run(name: string) {\n  start(name);\n}\n",
    },
    found: ['vuln-01 lib/names.ts:3'],
    flow: 'app.ts',
  },
  {
    what: 'a caller of a caller',
    callers: {
      'app.ts': APP("exec('ls ' + service(req.query.name));", 'service').replace(
        './lib/names',
        './service',
      ),
      'service.ts':
        "import { clean } from './lib/names';\nexport function service(name: string) { return clean(name); }\n",
    },
    before: {
      'lib/names.ts':
        "export function clean(text: string) {\n  return text.replace(/[^a-z]/g, '');\n}\n",
    },
    after: { 'lib/names.ts': 'export function clean(text: string) {\n  return text;\n}\n' },
    found: ['vuln-01 lib/names.ts:2'],
    flow: 'app.ts',
  },
  {
    what: 'a helper that is handed on by the index of its folder',
    callers: {
      'app.ts': APP("exec('ls ' + clean(req.query.name));").replace('./lib/names', './lib'),
      'lib/index.ts': "export * from './names';\n",
    },
    before: {
      'lib/names.ts':
        "export function clean(text: string) {\n  return text.replace(/[^a-z]/g, '');\n}\n",
    },
    after: { 'lib/names.ts': 'export function clean(text: string) {\n  return text;\n}\n' },
    found: ['vuln-01 lib/names.ts:2'],
  },
  {
    what: 'a helper that does the same in another way',
    callers: { 'app.ts': APP("exec('ls ' + clean(req.query.name));") },
    before: {
      'lib/names.ts':
        "export function clean(text: string) {\n  return text.replace(/[^a-z]/g, '');\n}\n",
    },
    after: {
      'lib/names.ts':
        "export function clean(other: string) {\n  const plain = other.replace(/[^a-z]/g, '');\n  return plain;\n}\n",
    },
    found: [],
  },
  {
    what: 'a flow that was there before',
    callers: { 'app.ts': APP("exec('ls ' + clean(req.query.name));") },
    before: { 'lib/names.ts': 'export function clean(text: string) {\n  return text;\n}\n' },
    after: { 'lib/names.ts': 'export function clean(text: string) {\n  return text.trim();\n}\n' },
    found: [],
  },
];

const VIEW = (imports: string, body: string) =>
  `import subprocess\nfrom flask import Flask, request\n${imports}\n\napp = Flask(__name__)\n\n\n@app.route('/')\ndef index():\n    name = request.args['name']\n    ${body}\n    return ''\n`;
const SHELL = "subprocess.call('ls ' + name, shell=True)";

const PYTHON: Case[] = [
  {
    what: 'a sanitizer removed in a helper',
    callers: {
      'shop/views.py': VIEW('from shop.names import clean', `name = clean(name)\n    ${SHELL}`),
    },
    before: {
      'shop/names.py': 'import shlex\n\n\ndef clean(text):\n    return shlex.quote(text)\n',
    },
    after: { 'shop/names.py': 'def clean(text):\n    return text.strip()\n' },
    found: ['vuln-01 shop/names.py:1'],
    flow: 'shop/views.py',
  },
  {
    what: 'a constant that turned off a check',
    callers: {
      'shop/views.py': VIEW(
        'from shop import settings',
        `if settings.CHECKS and not name.isalnum():\n        return ''\n    ${SHELL}`,
      ),
    },
    before: { 'shop/__init__.py': '', 'shop/settings.py': 'LIMIT = 3\nCHECKS = True\n' },
    after: { 'shop/__init__.py': '', 'shop/settings.py': 'LIMIT = 3\nCHECKS = False\n' },
    found: ['vuln-01 shop/settings.py:2'],
    flow: 'shop/views.py',
  },
  {
    what: 'a helper that now runs a shell',
    callers: { 'shop/views.py': VIEW('from .store import run', 'run(name)') },
    before: {
      'shop/store.py':
        "import subprocess\n\n\ndef run(name):\n    subprocess.call(['ls', '--', name])\n",
    },
    after: {
      'shop/store.py':
        "import subprocess\n\n\ndef run(name):\n    subprocess.call('ls ' + name, shell=True)\n",
    },
    found: ['vuln-01 shop/store.py:5'],
    flow: 'shop/views.py',
  },
  {
    what: 'a method that no longer checks, behind a caller of a caller',
    callers: {
      'shop/views.py': VIEW('from shop.service import start', 'start(name)'),
      'shop/service.py':
        'from shop.store import Store\n\n\ndef start(name):\n    Store().run(name)\n',
    },
    before: {
      'shop/store.py':
        "import subprocess\n\n\nclass Store:\n    def run(self, name):\n        if not name.isalnum():\n            raise ValueError(name)\n        subprocess.call('ls ' + name, shell=True)\n",
    },
    after: {
      'shop/store.py':
        "import subprocess\n\n\nclass Store:\n    def run(self, name):\n        subprocess.call('ls ' + name, shell=True)\n",
    },
    found: ['vuln-01 shop/store.py:6'],
    flow: 'shop/views.py',
  },
];

const GO = (call: string, imports = '') =>
  `package main\n\nimport (\n\t"net/http"\n\t"os/exec"\n${imports})\n\nfunc handle(w http.ResponseWriter, r *http.Request) {\n\tname := r.URL.Query().Get("name")\n\t${call}\n}\n`;
const GO_SHELL = 'exec.Command("sh", "-c", "ls "+name).Run()';
const STORE = '\n\t"example.com/shop/store"\n';

const GOLANG: Case[] = [
  {
    what: 'a sanitizer removed in a helper of the package',
    callers: {
      'go.mod': 'module example.com/shop\n',
      'main.go': GO(`name = clean(name)\n\t${GO_SHELL}`),
    },
    before: {
      'names.go':
        'package main\n\nimport "regexp"\n\nvar plain = regexp.MustCompile(`^[a-z]+$`)\n\nfunc clean(text string) string {\n\tif !plain.MatchString(text) {\n\t\treturn ""\n\t}\n\treturn text\n}\n',
    },
    after: {
      'names.go':
        'package main\n\nimport "strings"\n\nfunc clean(text string) string {\n\treturn strings.TrimSpace(text)\n}\n',
    },
    found: ['vuln-01 names.go:6'],
    flow: 'main.go',
  },
  {
    what: 'a helper of another package that now runs a shell',
    callers: { 'go.mod': 'module example.com/shop\n', 'main.go': GO('store.Run(name)', STORE) },
    before: {
      'store/run.go':
        'package store\n\nimport "os/exec"\n\nfunc Run(name string) {\n\texec.Command("ls", "--", name).Run()\n}\n',
    },
    after: {
      'store/run.go':
        'package store\n\nimport "os/exec"\n\nfunc Run(name string) {\n\texec.Command("sh", "-c", "ls "+name).Run()\n}\n',
    },
    found: ['vuln-01 store/run.go:6'],
    flow: 'main.go',
  },
  {
    what: 'a constant that turned off a check',
    callers: {
      'go.mod': 'module example.com/shop\n',
      'main.go': GO(`if checks && !plain.MatchString(name) {\n\t\treturn\n\t}\n\t${GO_SHELL}`),
      'plain.go': 'package main\n\nimport "regexp"\n\nvar plain = regexp.MustCompile(`^[a-z]+$`)\n',
    },
    before: { 'settings.go': 'package main\n\nconst checks = true\n' },
    after: { 'settings.go': 'package main\n\nconst checks = false\n' },
    found: ['vuln-01 settings.go:3'],
    flow: 'main.go',
  },
];

const SERVLET = (body: string) =>
  `package com.shop;\n\nimport javax.servlet.http.*;\n\npublic class Users extends HttpServlet {\n  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws Exception {\n    String name = req.getParameter("name");\n    ${body}\n  }\n}\n`;
const JAVA_SHELL = 'Runtime.getRuntime().exec(new String[] { "sh", "-c", name });';
const NAMES = 'src/main/java/com/shop/Names.java';
const names = (body: string) => `package com.shop;\n\npublic class Names {\n${body}}\n`;

const JAVA: Case[] = [
  {
    what: 'a sanitizer removed in a helper',
    callers: {
      'src/main/java/com/shop/Users.java': SERVLET(`name = Names.clean(name);\n    ${JAVA_SHELL}`),
    },
    before: {
      [NAMES]: names(
        '  static String clean(String text) {\n    return text.replaceAll("[^a-z]", "");\n  }\n',
      ),
    },
    after: {
      [NAMES]: names('  static String clean(String text) {\n    return text.trim();\n  }\n'),
    },
    found: [`vuln-01 ${NAMES}:5`],
    flow: 'Users.java',
  },
  {
    what: 'a helper that now runs a shell',
    callers: { 'src/main/java/com/shop/Users.java': SERVLET('Names.run(name);') },
    before: {
      [NAMES]: names(
        '  static void run(String name) throws Exception {\n    Runtime.getRuntime().exec(new String[] { "ls", "--", name });\n  }\n',
      ),
    },
    after: {
      [NAMES]: names(
        '  static void run(String name) throws Exception {\n    Runtime.getRuntime().exec("sh -c " + name);\n  }\n',
      ),
    },
    found: [`vuln-01 ${NAMES}:5`],
    flow: 'Users.java',
  },
  {
    what: 'a constant that turned off a check',
    callers: {
      'src/main/java/com/shop/Users.java': SERVLET(
        `if (Names.CHECKS && !name.matches("[a-z]+")) return;\n    ${JAVA_SHELL}`,
      ),
    },
    before: { [NAMES]: names('  static final boolean CHECKS = true;\n') },
    after: { [NAMES]: names('  static final boolean CHECKS = false;\n') },
    found: [`vuln-01 ${NAMES}:4`],
    flow: 'Users.java',
  },
];

for (const [language, cases] of Object.entries({ ECMASCRIPT, PYTHON, GOLANG, JAVA })) {
  for (const { what, callers, before, after, found, flow } of cases) {
    test.serial(`${language.toLowerCase()}: ${what}`, async (t) => {
      const judged = await judge(t, { ...callers, ...before }, { ...callers, ...after });
      const grave = judged.open.filter((one) => one.includes('vuln-'));
      t.deepEqual(
        grave.map((one) => one.replace(/^\w+ /, '')),
        [...found],
        judged.open.join('\n') + judged.flows.join('\n'),
      );
      if (flow !== undefined) t.true(judged.flows.some((one) => one.includes(flow)));
    });
  }
}
void PROGRAM;
