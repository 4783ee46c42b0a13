import test from 'ava';
import { PROGRAM } from '../../../../src/gates/limits.ts';
import { GIT } from '../../../../src/git/limits.ts';
import { judge } from '../../../analysis/worker/judge-commits.ts';

type Files = Readonly<Record<string, string | { to: string }>>;

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

/** Values that other files make and hold, each used with and without the data. */
const HELD = {
  'lib/container.ts':
    "import { Plain } from './parts/plain';\nimport { Empty } from './parts/empty';\nexport const container = { plain: new Plain(), empty: new Empty() };\n",
  'lib/parts/plain.ts': "export class Plain {\n  render(text: string) { return '[' + text; }\n}\n",
  'lib/parts/empty.ts': "export class Empty {\n  render(text: string) { return '[]'; }\n}\n",
  'lib/filter.ts':
    'export class Filter {\n  private parts: string[] = [];\n  private label = 1;\n  where(part: string) { this.parts.push(part); return this; }\n  limit(most: number) { this.label = most; return this; }\n  build() { return this.parts.join(); }\n}\n',
  'lib/formats.ts':
    "export const formats = new Map([\n  ['plain', (text: string) => text],\n  ['masked', (text: string) => '*'],\n]);\n",
  'lib/mode.ts':
    "export enum Mode { Raw = 'raw', Hidden = 'hidden' }\nexport const show = (text: string, mode: Mode) => (mode === Mode.Raw ? text : '*');\n",
  'lib/names.ts':
    "export const NAMES = ['a', 'b'];\nexport const DEFAULTS = { name: 'c' };\nexport const label = (isShown: boolean) => (text: string) => (isShown ? text : '#');\n",
};
const HOLDING = `import express from 'express';
import { exec } from 'node:child_process';
import { container } from '../lib/container';
import { Filter } from '../lib/filter';
import { formats } from '../lib/formats';
import { Mode, show } from '../lib/mode';
import { DEFAULTS, label, NAMES } from '../lib/names';
const app = express();
app.get('/', (req, res) => {
  const name = String(req.query.name);
  exec('a ' + container.plain.render(name));
  exec('a ' + container.empty.render(name));
  exec('a ' + new Filter().limit(1).where(name).build());
  exec('a ' + formats.get('plain')(name));
  exec('a ' + formats.get('masked')(name));
  exec('a ' + show(name, Mode.Raw));
  exec('a ' + show(name, Mode.Hidden));
  exec('a ' + (NAMES.includes(name) ? name : NAMES[0]));
  exec('a ' + { ...DEFAULTS, name }.name);
  exec('a ' + { name, ...DEFAULTS }.name);
  exec('a ' + label(true)(name));
  exec('a ' + label(false)(name));
});
`;

const ECMASCRIPT: Case[] = [
  {
    what: 'values that other files make and hold',
    before: HELD,
    after: { 'routes/app.ts': HOLDING },
    found: [11, 13, 14, 16, 19, 21].map((line) => `vuln-01 routes/app.ts:${line}`),
  },
  {
    what: 'settings that other files hold and give',
    before: {
      'lib/cipher.ts': "export const settings = () => ({ name: 'des-ede3-cbc', size: 8 });\n",
    },
    after: {
      'routes/app.ts':
        "import crypto from 'node:crypto';\nimport { settings } from '../lib/cipher';\nexport const sealed = (key) => crypto.createCipheriv(settings().name, key, crypto.randomBytes(8));\n",
    },
    found: ['vuln-09 routes/app.ts:3'],
  },
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
    what: 'exports of an internal package in the layout of Turborepo',
    before: {
      'turbo.json': '{"tasks": {"build": {"dependsOn": ["^build"]}}}',
      'pnpm-workspace.yaml': 'packages:\n  - "apps/*"\n  - "packages/*"\n',
      'apps/web/package.json': '{"name": "web", "dependencies": {"@repo/shell": "workspace:*"}}',
      'packages/shell/package.json':
        '{"name": "@repo/shell", "exports": {"./*": {"types": "./src/*.ts", "default": "./dist/*.js"}}}',
      'packages/shell/src/run.ts': RUN_TS,
    },
    after: { [WEB]: route('@repo/shell/run') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'a path from the root of a repository that Bazel builds',
    before: {
      'MODULE.bazel': 'module(name = "shop")\n',
      'libs/shell/BUILD.bazel': 'ts_project(name = "shell", srcs = ["run.ts"])\n',
      'libs/shell/run.ts': RUN_TS,
    },
    after: { [WEB]: route('libs/shell/run') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'a folder that is a link to another one',
    before: {
      'shared/src/run.ts': "export { run } from './shell';\n",
      'shared/src/shell.ts': RUN_TS,
      'apps/web/src/shared': { to: '../../../shared/src' },
    },
    after: { [WEB]: route('./shared/run') },
    found: [`vuln-01 ${WEB}:5`],
  },
  {
    what: 'links to each other and out of the repository',
    before: {
      'apps/web/src/one': { to: 'two' },
      'apps/web/src/two': { to: 'one' },
      'apps/web/src/out': { to: '../../../../../../../etc' },
    },
    after: { [WEB]: route('./one/run'), 'apps/web/src/app2.ts': route('./out/run') },
    found: [],
  },
  {
    what: 'a vendored copy',
    before: { 'apps/web/vendor/kit/index.js': RUN },
    after: { [WEB]: route('../vendor/kit') },
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
    what: 'values that other files make and hold',
    before: {
      'app/lib/__init__.py': '',
      'app/lib/held.py':
        "from app.lib.parts import Empty, Plain\n\nHELD = {'plain': Plain(), 'empty': Empty()}\nDEFAULTS = {'name': 'a'}\nOPTIONS = {'shell': True}\n",
      'app/lib/parts.py':
        "class Plain:\n    def find(self, text):\n        return '[' + text\n\n\nclass Empty:\n    def find(self, text):\n        return '[]'\n",
      'app/lib/service.py':
        'class Service:\n    def __init__(self, part):\n        self._part = part\n\n    def settle(self, text):\n        return self._part.find(text)\n',
      'app/lib/mode.py':
        "from enum import Enum\n\nfrom pydantic import BaseModel\n\n\nclass Mode(Enum):\n    RAW = 'raw'\n    HIDDEN = 'hidden'\n\n\nclass Form(BaseModel):\n    mode: Mode\n    text: str\n\n\ndef show(text, mode):\n    return text if mode is Mode.RAW else '*'\n",
    },
    after: {
      'app/views.py': `import os
import subprocess
from flask import Flask, request
from app.lib.held import DEFAULTS, HELD, OPTIONS
from app.lib.mode import Form, Mode, show
from app.lib.parts import Empty, Plain
from app.lib.service import Service
app = Flask(__name__)
@app.route('/')
def view():
    name = request.args['name']
    os.system('a ' + HELD['plain'].find(name))
    os.system('a ' + HELD['empty'].find(name))
    os.system('a ' + Service(Plain()).settle(name))
    os.system('a ' + Service(Empty()).settle(name))
    os.system('a ' + show(name, Mode.RAW))
    os.system('a ' + show(name, Mode.HIDDEN))
    os.system('a ' + {**DEFAULTS, 'name': name}['name'])
    os.system('a ' + {'name': name, **DEFAULTS}['name'])
    os.system('a ' + Form(mode=name, text=name).text)
    os.system('a ' + Form(mode=name, text=name).mode.value)
    subprocess.run('a ' + name, **OPTIONS)
    return 'b'
`,
    },
    found: [12, 14, 16, 18, 20, 22].map((line) => `vuln-01 app/views.py:${line}`),
  },
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
    what: 'what a factory of another module makes drops the data',
    before: {
      'shop/__init__.py': '',
      'shop/shapes.py':
        "class Fixing:\n    def work(self, text):\n        return 'fixed'\n\n\ndef make():\n    return Fixing()\n",
    },
    after: {
      'shop/views.py': view(
        'import os\nfrom .shapes import make',
        "os.system('ls ' + make().work(request.args['a']))",
      ),
    },
    found: [],
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
    what: 'a namespace package of two projects of a workspace',
    before: {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["libs/*", "services/*"]\n',
      'libs/data/pyproject.toml': '[project]\nname = "shop-data"\n',
      'libs/data/src/shop/data/store.py': PY_RUN,
      'services/web/pyproject.toml': '[project]\nname = "shop-web"\n',
    },
    after: {
      'services/web/src/shop/web/views.py': view(
        'from shop.data.store import run',
        "run(request.args['a'])",
      ),
    },
    found: ['vuln-01 services/web/src/shop/web/views.py:9'],
  },
  {
    what: 'a package by its path',
    before: {
      'web/pyproject.toml': '[tool.poetry.dependencies]\nstore = { path = "../libs/store" }\n',
      'libs/store/store/__init__.py': 'from .run import run\n',
      'libs/store/store/run.py': PY_RUN,
    },
    after: { 'web/views.py': view('from store import run', "run(request.args['a'])") },
    found: ['vuln-01 web/views.py:9'],
  },
  {
    what: 'a path from the root of a repository that Bazel builds',
    before: {
      WORKSPACE: 'workspace(name = "shop")\n',
      'libs/store/run.py': PY_RUN,
    },
    after: { 'web/views.py': view('from libs.store.run import run', "run(request.args['a'])") },
    found: ['vuln-01 web/views.py:9'],
  },
  {
    what: 'a vendored copy',
    before: { 'shop/__init__.py': '', 'shop/_vendor/store/__init__.py': PY_RUN },
    after: {
      'shop/views.py': view('from shop._vendor import store', "store.run(request.args['a'])"),
    },
    found: ['vuln-01 shop/views.py:9'],
  },
  {
    what: 'a package that is a link to another project',
    before: {
      'libs/store/store/run.py': PY_RUN,
      'web/store': { to: '../libs/store/store' },
    },
    after: { 'web/views.py': view('from store.run import run', "run(request.args['a'])") },
    found: ['vuln-01 web/views.py:9'],
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
    what: 'a vendored copy',
    before: {
      'go.mod': 'module example.com/shop\n\nrequire example.com/kit v1.0.0\n',
      'vendor/example.com/kit/run/run.go': `package run\n\n${GO_RUN}`,
    },
    after: { 'main.go': handler('example.com/kit/run', `run.Run(${ARG})`) },
    found: ['vuln-01 main.go:10'],
  },
  {
    what: 'the prefix of a repository that Bazel builds',
    before: {
      'BUILD.bazel': '# gazelle:prefix example.com/shop\ngazelle(name = "gazelle")\n',
      'libs/run/run.go': `package run\n\n${GO_RUN}`,
    },
    after: { 'web/main.go': handler('example.com/shop/libs/run', `run.Run(${ARG})`) },
    found: ['vuln-01 web/main.go:10'],
  },
  {
    what: 'a folder that is a link to another one',
    before: {
      'go.mod': 'module example.com/shop\n',
      'libs/run/run.go': `package run\n\n${GO_RUN}`,
      run: { to: 'libs/run' },
    },
    after: { 'main.go': handler('example.com/shop/run', `run.Run(${ARG})`) },
    found: ['vuln-01 main.go:10'],
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
const DATA = 'web/src/main/java/com/shop/data';
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
    what: 'values of a property file that another class reads',
    before: {
      'web/src/main/resources/app.properties': '# programs\nshell=sh\nlist = ls\n',
      'web/src/main/java/com/shop/web/Settings.java':
        'package com.shop.web;\n\nimport java.io.InputStream;\nimport java.util.Properties;\n\npublic class Settings {\n  private static final Properties ALL = new Properties();\n  static {\n    try (InputStream in = Settings.class.getClassLoader().getResourceAsStream("app.properties")) {\n      ALL.load(in);\n    } catch (java.io.IOException e) {\n      throw new IllegalStateException(e);\n    }\n  }\n  static String get(String key, String other) {\n    return ALL.getProperty(key, other);\n  }\n}\n',
    },
    after: {
      [USERS]: servlet(
        '',
        '',
        ['"list", "sh"', '"shell", "ls"']
          .map((one) => `new ProcessBuilder(Settings.get(${one}), "-c", ${PARAMETER}).start();`)
          .join('\n'),
      ),
    },
    found: [`vuln-01 ${USERS}:10`],
  },
  {
    what: 'a factory by its whole name, and a base of a base that calls what its class does',
    before: {
      'web/src/main/java/com/shop/tool/Tools.java':
        'package com.shop.tool;\n\npublic class Tools {\n  public static Tool plain() {\n    return new Plain();\n  }\n  public static Tool fixed() {\n    return new Fixed();\n  }\n}\n',
      'web/src/main/java/com/shop/tool/Tool.java':
        'package com.shop.tool;\n\npublic abstract class Tool {\n  public String run(String in) {\n    return step(in);\n  }\n  protected abstract String step(String in);\n}\n',
      'web/src/main/java/com/shop/tool/Plain.java':
        'package com.shop.tool;\n\npublic class Plain extends Tool {\n  protected String step(String in) {\n    return in;\n  }\n}\n',
      'web/src/main/java/com/shop/tool/Fixed.java':
        'package com.shop.tool;\n\npublic class Fixed extends Tool {\n  protected String step(String in) {\n    return "docs";\n  }\n}\n',
    },
    after: {
      [USERS]: servlet(
        '',
        '',
        ['fixed', 'plain']
          .map(
            (one) =>
              `Runtime.getRuntime().exec("ls " + com.shop.tool.Tools.${one}().run(${PARAMETER}));`,
          )
          .join('\n'),
      ),
    },
    found: [`vuln-01 ${USERS}:10`],
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
    what: 'a module of a module of Maven',
    before: {
      'pom.xml': '<modules><module>web</module><module>libs</module></modules>',
      'libs/pom.xml': '<modules><module>data</module></modules>',
      'libs/data/src/main/java/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
    },
    after: { [USERS]: servlet('import com.shop.data.Store;', '', `Store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'a build that Gradle includes',
    before: {
      'web/settings.gradle.kts': 'includeBuild("../libs")\n',
      'libs/settings.gradle.kts': 'include(\n  ":data",\n)\n',
      'libs/data/src/main/java/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
    },
    after: { [USERS]: servlet('import com.shop.data.Store;', '', `Store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'one root for all packages, as Bazel has it',
    before: {
      WORKSPACE: 'workspace(name = "shop")\n',
      'java/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
    },
    after: {
      'java/com/shop/web/Users.java': servlet(
        'import com.shop.data.Store;',
        '',
        `Store.run(${PARAMETER});`,
      ),
    },
    found: ['vuln-01 java/com/shop/web/Users.java:9'],
  },
  {
    what: 'targets that a file of Bazel names',
    before: {
      'libs/data/BUILD': 'java_library(name = "data", srcs = glob(["**/*.java"]))\n',
      'libs/data/src/main/java/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
      'web/BUILD.bazel':
        'java_binary(\n    name = "web",\n    deps = ["//libs/data:data", "@maven//:a"],\n)\n',
    },
    after: { [USERS]: servlet('import com.shop.data.Store;', '', `Store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'a source root that is a link',
    before: {
      'libs/src/com/shop/data/Store.java': `package com.shop.data;\n\n${JAVA_RUN}`,
      'web/src/main/java/com/shop/data': { to: '../../../../../../libs/src/com/shop/data' },
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
    what: 'an import of all classes of a package',
    before: { [`${DATA}/Store.java`]: `package com.shop.data;\n\n${JAVA_RUN}` },
    after: { [USERS]: servlet('import com.shop.data.*;', '', `Store.run(${PARAMETER});`) },
    found: [`vuln-01 ${USERS}:9`],
  },
  {
    what: 'a helper that reads the request which it is made with',
    before: {
      [`${DATA}/Form.java`]:
        'package com.shop.data;\n\nimport javax.servlet.http.*;\n\npublic class Form {\n  private final HttpServletRequest request;\n  public Form(HttpServletRequest request) { this.request = request; }\n  public String name() { return request.getParameter("name"); }\n}\n',
    },
    after: {
      [USERS]: servlet(
        'import com.shop.data.Form;',
        '',
        'Form form = new Form(req);\n    Runtime.getRuntime().exec("sh -c " + form.name());',
      ),
    },
    found: [`vuln-01 ${USERS}:10`],
  },
  {
    what: 'constants of classes beside the file',
    before: {
      'web/src/main/java/com/shop/web/Ways.java':
        'package com.shop.web;\n\nimport java.util.Map;\nimport java.util.function.Function;\n\npublic class Ways {\n  static final Map<String, Function<String, String>> ALL = Map.of("plain", s -> s, "masked", s -> "*");\n}\n',
      'web/src/main/java/com/shop/web/Mode.java':
        'package com.shop.web;\n\npublic enum Mode {\n  RAW { String show(String in) { return in; } },\n  HIDDEN { String show(String in) { return "*"; } };\n  abstract String show(String in);\n}\n',
    },
    after: {
      [USERS]: servlet(
        '',
        '',
        [
          'Ways.ALL.get("plain").apply',
          'Ways.ALL.get("masked").apply',
          'Mode.RAW.show',
          'Mode.HIDDEN.show',
        ]
          .map((call) => `Runtime.getRuntime().exec("sh -c " + ${call}(${PARAMETER}));`)
          .join('\n    '),
      ),
    },
    found: [9, 11].map((line) => `vuln-01 ${USERS}:${line}`),
  },
  ...(['Passing', 'Fixing'] as const).map((made) => ({
    what: `a factory that makes a ${made}`,
    before: {
      [`${DATA}/Shape.java`]:
        'package com.shop.data;\n\npublic interface Shape { String work(String in); }\n',
      [`${DATA}/Shapes.java`]: `package com.shop.data;\n\npublic class Shapes {\n  public static Shape make() { return new ${made}(); }\n}\n`,
      [`${DATA}/Passing.java`]:
        'package com.shop.data;\n\npublic class Passing implements Shape {\n  public String work(String in) { return in.trim(); }\n}\n',
      [`${DATA}/Fixing.java`]:
        'package com.shop.data;\n\npublic class Fixing implements Shape {\n  public String work(String in) { return "fixed"; }\n}\n',
    },
    after: {
      [USERS]: servlet(
        'import com.shop.data.*;',
        '',
        `Shape shape = Shapes.make();\n    Runtime.getRuntime().exec("sh -c " + shape.work(${PARAMETER}));`,
      ),
    },
    found: made === 'Passing' ? [`vuln-01 ${USERS}:10`] : [],
  })),
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

const KT = 'web/src/main/kotlin/com/shop';
const KT_USERS = `${KT}/web/Users.kt`;
const ktorRoute = (imports: string, call: string) =>
  `package com.shop.web\n\n${imports}\nimport io.ktor.server.application.ApplicationCall\n\nsuspend fun show(call: ApplicationCall) {\n    val name = call.parameters["name"]!!\n    ${call}\n}\n`;

const KOTLIN: Case[] = [
  {
    what: 'a function of another package',
    before: {
      [`${KT}/data/Tools.kt`]:
        'package com.shop.data\n\nimport java.io.File\n\nfun load(name: String) = File("/srv/$name").readText()\n',
    },
    after: { [KT_USERS]: ktorRoute('import com.shop.data.load', 'load(name)') },
    found: [`vuln-05 ${KT_USERS}:8`],
  },
  {
    what: 'a class whose packages have no folder for their first steps',
    before: {
      'src/data/Store.kt':
        'package com.shop.data\n\nclass Store {\n    fun run(line: String) {\n        Runtime.getRuntime().exec("sh -c $line")\n    }\n}\n',
    },
    after: { 'src/web/Users.kt': ktorRoute('import com.shop.data.Store', 'Store().run(name)') },
    found: ['vuln-01 src/web/Users.kt:8'],
  },
  {
    what: 'a function of the same package that cleans',
    before: {
      [`${KT}/web/Clean.kt`]:
        'package com.shop.web\n\nfun clean(name: String) = name.replace(Regex("[^a-z]"), "")\n',
    },
    after: {
      [KT_USERS]: ktorRoute('', 'Runtime.getRuntime().exec("show " + clean(name))'),
    },
    found: [],
  },
];

for (const [language, cases] of Object.entries({ ECMASCRIPT, PYTHON, GOLANG, JAVA, KOTLIN })) {
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

/** Functions that hand a value on, from one file to the next; the last one runs it. */
function chain(length: number): Files {
  const files = Array.from({ length }, (_, index): [string, string] => [
    `lib/step${index}.ts`,
    `import { run as next } from './step${index + 1}';\nexport const run = (name: string) => next(name);\n`,
  ]);
  return { ...Object.fromEntries(files), [`lib/step${length}.ts`]: RUN_TS };
}

const GO_MAIN = handler('example.com/shop/store', `store.Run(${ARG})`);

const CUT: Omit<Case, 'found'>[] = [
  {
    what: 'more files from one to the next than are followed',
    before: chain(PROGRAM.DEPTH_MAX + 1),
    after: { 'app.ts': route('./lib/step0') },
  },
  {
    what: 'a helper that is longer than a file that is followed',
    before: { 'lib/run.ts': RUN_TS + '\n'.repeat(PROGRAM.FILE_CHARS_MAX) },
    after: { 'app.ts': route('./lib/run') },
  },
  {
    what: 'a helper that is larger than a file that is read',
    before: { 'lib/run.ts': RUN_TS + '\n'.repeat(GIT.PROGRAM_BYTES_MAX) },
    after: { 'app.ts': route('./lib/run') },
  },
  {
    what: 'a helper that the parser cannot read',
    before: { 'lib/run.ts': `${RUN_TS}}}}} @@\n` },
    after: { 'app.ts': route('./lib/run') },
  },
  {
    what: 'a package with more files than are read',
    before: {
      'go.mod': 'module example.com/shop\n',
      ...Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`store/a${index}.go`, 'package store\n']),
      ),
      'store/run.go': `package store\n\n${GO_RUN}`,
    },
    after: { 'main.go': GO_MAIN },
  },
];

for (const { what, before, after } of CUT) {
  test.serial(`a flow that a bound ends is said to be followed in part: ${what}`, async (t) => {
    const { open } = await judge(t, before, { ...before, ...after });
    t.deepEqual(
      open.filter((one) => /vuln-|ast-program/.test(one)).map((one) => one.replace(/:null$/, '')),
      [`low ast-program-partial ${Object.keys(after)[0]}`],
    );
  });
}
