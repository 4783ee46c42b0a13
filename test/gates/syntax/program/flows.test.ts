import test from 'ava';
import { judge } from '../../../analysis/worker/judge-commits.ts';

type Files = Readonly<Record<string, string>>;

/** What is there, what the change adds or replaces, and what is found: `id file:line`. */
interface Case {
  readonly what: string;
  readonly before: Files;
  readonly after: Files;
  readonly found: readonly string[];
  /** Files and lines of the first flow. */
  readonly flow?: string;
}

const RUN =
  "const { exec } = require('child_process');\nexports.run = (name) => exec('ls ' + name);\n";
const RUN_TS =
  "import { exec } from 'node:child_process';\nexport function run(name: string) { exec('ls ' + name); }\n";
const route = (specifier: string, call = 'run(req.query.name)') =>
  `import express from 'express';\nimport { run } from '${specifier}';\nconst app = express();\napp.get('/', (req, res) => {\n  ${call};\n});\n`;
const WEB = 'apps/web/src/app.ts';
const STORE = {
  'packages/store/package.json': '{"name": "@shop/store", "main": "dist/index.js"}',
  'packages/store/src/index.ts': RUN_TS,
};

const ECMASCRIPT: Case[] = [
  {
    what: 'a new route calls an old helper of CommonJS',
    before: { 'lib/run.js': RUN, 'app.js': "const app = require('express')();\n" },
    after: {
      'app.js':
        "const app = require('express')();\nconst { run } = require('./lib/run');\napp.get('/', (req, res) => {\n  run(req.query.name);\n});\n",
    },
    found: ['vuln-01 app.js:4'],
    flow: 'app.js:4 lib/run.js:2 lib/run.js:2',
  },
  {
    what: 'with a constant it is harmless',
    before: { 'lib/run.js': RUN },
    after: { 'app.js': "const { run } = require('./lib/run');\nrun('docs');\n" },
    found: [],
  },
  {
    what: 'a new file, and a helper that hands on to another one',
    before: {
      'lib/run.ts': RUN_TS,
      'lib/index.ts': "export { run as start } from './run';\nexport * from './run';\n",
    },
    after: { 'app.ts': route('./lib') },
    found: ['vuln-01 app.ts:5'],
  },
  {
    what: 'a helper that takes out what harms',
    before: {
      'lib/run.ts':
        "import { execFile } from 'node:child_process';\nexport function run(name: string) { execFile('ls', ['--', name.replace(/[^a-z]/g, '')]); }\n",
    },
    after: { 'app.ts': route('./lib/run') },
    found: [],
  },
  {
    what: 'a check in a helper',
    before: {
      'lib/check.ts': 'export const isName = (text: string) => /^[a-z]+$/.test(text);\n',
      'lib/run.ts': RUN_TS,
    },
    after: {
      'app.ts': route('./lib/run', 'if (isName(req.query.name)) run(req.query.name)').replace(
        '\n',
        "\nimport { isName } from './lib/check';\n",
      ),
    },
    found: [],
  },
  {
    what: 'a source in a helper',
    before: {
      'lib/input.ts': 'export const nameOf = (req) => req.query.name;\n',
      'app.ts': "import express from 'express';\n",
    },
    after: {
      'app.ts':
        "import express from 'express';\nimport { exec } from 'node:child_process';\nimport { nameOf } from './lib/input';\nexpress().get('/', (req, res) => {\n  exec('ls ' + nameOf(req));\n});\n",
    },
    found: ['vuln-01 app.ts:5'],
  },
  {
    what: 'a class of another file, and its base',
    before: {
      'lib/base.ts':
        "import { exec } from 'node:child_process';\nexport class Base { run(name: string) { exec('ls ' + name); } }\n",
      'lib/runner.ts':
        "import { Base } from './base';\nexport default class Runner extends Base {}\n",
    },
    after: {
      'app.ts':
        "import express from 'express';\nimport Runner from './lib/runner';\nconst runner = new Runner();\nexpress().get('/', (req, res) => {\n  runner.run(req.query.name);\n});\n",
    },
    found: ['vuln-01 app.ts:5'],
  },
  {
    what: 'a workspace of npm',
    before: { 'package.json': '{"workspaces": ["apps/*", "packages/*"]}', ...STORE },
    after: { [WEB]: route('@shop/store') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'a workspace of yarn',
    before: { 'package.json': '{"workspaces": {"packages": ["packages/**"]}}', ...STORE },
    after: { [WEB]: route('@shop/store') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'a workspace of pnpm',
    before: { 'pnpm-workspace.yaml': 'packages:\n  - packages/*\n', ...STORE },
    after: { [WEB]: route('@shop/store') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'paths of tsconfig.json that others refer to',
    before: {
      'apps/web/tsconfig.json': '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
      'apps/web/tsconfig.app.json': '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
      'apps/web/src/run.ts': RUN_TS,
    },
    after: { [WEB]: route('@/run') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'libraries of Nx',
    before: {
      'tsconfig.base.json':
        '{"compilerOptions": {"baseUrl": ".", "paths": {"@shop/store": ["libs/store/src/index.ts"]}}}',
      'libs/store/src/index.ts': RUN_TS,
    },
    after: { [WEB]: route('@shop/store') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'modules that import each other',
    before: {
      'a.ts':
        "import { exec } from 'node:child_process';\nimport { b } from './b';\nexport function run(name: string) { if (b()) exec('ls ' + name); }\n",
      'b.ts':
        "import { run } from './a';\nexport function b() { return typeof run === 'function'; }\n",
    },
    after: { 'app.ts': route('./a') },
    found: ['vuln-01 app.ts:5'],
  },
  {
    what: 'a name that is nowhere',
    before: { 'lib/run.ts': 'export const other = 1;\n' },
    after: { 'app.ts': route('./lib/run'), 'app2.ts': route('./absent') },
    found: [],
  },
];

const PY_RUN =
  "import subprocess\n\n\ndef run(name):\n    subprocess.call('ls ' + name, shell=True)\n";
const view = (imports: string, call: string) =>
  `from flask import Flask, request\n${imports}\n\napp = Flask(__name__)\n\n\n@app.route('/')\ndef index():\n    ${call}\n    return ''\n`;

const PYTHON: Case[] = [
  {
    what: 'a module beside it',
    before: { 'shop/store.py': PY_RUN, 'shop/__init__.py': '' },
    after: { 'shop/views.py': view('from .store import run', "run(request.args['a'])") },
    found: ['vuln-01 shop/views.py:9'],
    flow: 'shop/views.py:9 shop/store.py:4 shop/store.py:5',
  },
  {
    what: 'a package that hands on, in the src layout',
    before: {
      'src/shop/__init__.py': '',
      'src/shop/data/__init__.py': 'from .store import run\n',
      'src/shop/data/store.py': PY_RUN,
    },
    after: { 'src/shop/views.py': view('from shop.data import run', "run(request.args['a'])") },
    found: ['vuln-01 src/shop/views.py:9'],
  },
  {
    what: 'a namespace package',
    before: { 'src/shop/plugins/store.py': PY_RUN },
    after: {
      'src/shop/web/views.py': view(
        'import shop.plugins.store',
        "shop.plugins.store.run(request.args['a'])",
      ),
    },
    found: ['vuln-01 src/shop/web/views.py:9'],
  },
  {
    what: 'a class, and a helper that quotes',
    before: {
      'shop/store.py':
        "import shlex\nimport subprocess\n\n\nclass Store:\n    def run(self, name):\n        subprocess.call('ls ' + shlex.quote(name), shell=True)\n",
    },
    after: {
      'shop/views.py': view('from shop.store import Store', "Store().run(request.args['a'])"),
    },
    found: [],
  },
  {
    what: 'a class that does not',
    before: {
      'shop/store.py':
        "import subprocess\n\n\nclass Store:\n    def run(self, name):\n        subprocess.call('ls ' + name, shell=True)\n",
    },
    after: {
      'shop/views.py': view('from shop.store import Store', "Store().run(request.args['a'])"),
    },
    found: ['vuln-01 shop/views.py:9'],
  },
  {
    what: 'a link that leads out of the repository',
    before: { 'shop/__init__.py': '' },
    after: { 'shop/views.py': view('from .....etc import run', "run(request.args['a'])") },
    found: [],
  },
];

const GO_RUN =
  'import "os/exec"\n\nfunc Run(name string) {\n\texec.Command("sh", "-c", "ls "+name).Run()\n}\n';
const handler = (path: string, call: string) =>
  `package main\n\nimport (\n\t"net/http"\n\n\t"${path}"\n)\n\nfunc handle(w http.ResponseWriter, r *http.Request) {\n\t${call}\n}\n`;
const ARG = 'r.URL.Query().Get("name")';

const GOLANG: Case[] = [
  {
    what: 'a package of the module',
    before: { 'go.mod': 'module example.com/shop\n', 'store/run.go': `package store\n\n${GO_RUN}` },
    after: { 'main.go': handler('example.com/shop/store', `store.Run(${ARG})`) },
    found: ['vuln-01 main.go:10'],
    flow: 'main.go:10 store/run.go:5 store/run.go:6',
  },
  {
    what: 'the package itself',
    before: { 'go.mod': 'module example.com/shop\n', 'run.go': `package main\n\n${GO_RUN}` },
    after: { 'main.go': handler('log', `Run(${ARG})`) },
    found: ['vuln-01 main.go:10'],
  },
  {
    what: 'a method of a type, two files away',
    before: {
      'go.mod': 'module example.com/shop\n',
      'store/type.go':
        'package store\n\ntype Store struct{}\n\nfunc New() *Store { return &Store{} }\n',
      'store/run.go': `package store\n\n${GO_RUN.replace('func Run', 'func (s *Store) Run')}`,
    },
    after: { 'main.go': handler('example.com/shop/store', `s := &store.Store{}\n\ts.Run(${ARG})`) },
    found: ['vuln-01 main.go:11'],
  },
  {
    what: 'another module by replace',
    before: {
      'shop/go.mod': 'module example.com/shop\n\nreplace example.com/kit => ../kit\n',
      'kit/go.mod': 'module example.com/kit\n',
      'kit/run/run.go': `package run\n\n${GO_RUN}`,
    },
    after: { 'shop/main.go': handler('example.com/kit/run', `run.Run(${ARG})`) },
    found: ['vuln-01 shop/main.go:10'],
  },
  {
    what: 'another module by go.work',
    before: {
      'go.work': 'go 1.22\n\nuse (\n\t./kit\n\t./shop\n)\n',
      'shop/go.mod': 'module example.com/shop\n',
      'kit/go.mod': 'module example.com/kit\n',
      'kit/run/run.go': `package run\n\n${GO_RUN}`,
    },
    after: { 'shop/main.go': handler('example.com/kit/run', `run.Run(${ARG})`) },
    found: ['vuln-01 shop/main.go:10'],
  },
  {
    what: 'a helper without a shell',
    before: {
      'go.mod': 'module example.com/shop\n',
      'store/run.go':
        'package store\n\nimport "os/exec"\n\nfunc Run(name string) {\n\texec.Command("ls", "--", name).Run()\n}\n',
    },
    after: { 'main.go': handler('example.com/shop/store', `store.Run(${ARG})`) },
    found: [],
  },
];

const JAVA_RUN =
  'public class Store {\n  public static void run(String name) throws Exception {\n    Runtime.getRuntime().exec("sh -c " + name);\n  }\n}\n';
const servlet = (imports: string, fields: string, call: string) =>
  `package com.shop.web;\n\n${imports}\nimport javax.servlet.http.*;\n\npublic class Users extends HttpServlet {\n  ${fields}\n  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws Exception {\n    ${call}\n  }\n}\n`;
const USERS = 'web/src/main/java/com/shop/web/Users.java';
const PARAMETER = 'req.getParameter("name")';

const JAVA: Case[] = [
  {
    what: 'a module of Maven',
    before: {
      'pom.xml': '<modules><module>web</module><module>data</module></modules>',
      'data/src/main/java/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
    },
    after: { [USERS]: servlet('import com.shop.data.Store;', '', `Store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
    flow: `${USERS}:9 data/src/main/java/com/shop/data/Store.java:4 data/src/main/java/com/shop/data/Store.java:5`,
  },
  {
    what: 'a module of Gradle',
    before: {
      'settings.gradle': "include ':web', ':libs:data'\n",
      'libs/data/src/main/java/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
    },
    after: { [USERS]: servlet('import com.shop.data.Store;', '', `Store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'a field of the same package whose interface another class implements',
    before: {
      'web/src/main/java/com/shop/web/Store.java':
        'package com.shop.web;\n\npublic interface Store {\n  void run(String name);\n}\n',
      'web/src/main/java/com/shop/web/StoreImpl.java': `package com.shop.web;\n\n${JAVA_RUN.replace('class Store', 'class StoreImpl implements Store').replace('static ', '')}`,
    },
    after: { [USERS]: servlet('', 'private Store store;', `store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'a base class, and a constant of another one',
    before: {
      'web/src/main/java/com/shop/web/Base.java':
        'package com.shop.web;\n\npublic class Base extends javax.servlet.http.HttpServlet {\n  void run(String name) throws Exception {\n    Runtime.getRuntime().exec(new String[] { Names.SHELL, "-c", name });\n  }\n}\n',
      'web/src/main/java/com/shop/web/Names.java':
        'package com.shop.web;\n\npublic class Names {\n  static final String SHELL = "sh";\n}\n',
    },
    after: {
      [USERS]: servlet('', '', `run(${PARAMETER});`).replace('extends HttpServlet', 'extends Base'),
    },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'a helper that makes a number of it',
    before: {
      'web/src/main/java/com/shop/web/Store.java':
        'package com.shop.web;\n\npublic class Store {\n  static void run(String name) throws Exception {\n    Runtime.getRuntime().exec("sh -c " + Integer.parseInt(name));\n  }\n}\n',
    },
    after: { [USERS]: servlet('', '', `Store.run(${PARAMETER});`) },
    found: [],
  },
];

for (const [language, cases] of Object.entries({ ECMASCRIPT, PYTHON, GOLANG, JAVA })) {
  for (const { what, before, after, found, flow } of cases) {
    test.serial(`${language.toLowerCase()}: ${what}`, async (t) => {
      const { open, flows } = await judge(t, before, { ...before, ...after });
      const grave = open.filter((one) => one.includes('vuln-'));
      t.deepEqual(
        grave.map((one) => one.replace(/^\w+ /, '')),
        [...found],
      );
      if (flow !== undefined)
        t.is(
          flows.find((one) => one !== ''),
          flow,
        );
    });
  }
}
