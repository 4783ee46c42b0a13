import test from 'ava';
import { PROGRAM } from '../../../../src/gates/limits.ts';
import { newRoom, ProgramBuilder } from '../../../../src/gates/syntax/program/builder.ts';
import { locateCsharp } from '../../../../src/gates/syntax/program/csharp.ts';
import { locateEcmascript } from '../../../../src/gates/syntax/program/ecmascript.ts';
import { locateGolang } from '../../../../src/gates/syntax/program/golang.ts';
import { locateJava } from '../../../../src/gates/syntax/program/java.ts';
import { locateKotlin } from '../../../../src/gates/syntax/program/kotlin.ts';
import { locatePython } from '../../../../src/gates/syntax/program/python.ts';
import { type Locate, openTree } from '../../../../src/gates/syntax/program/tree.ts';
import { readerOf } from '../code.ts';

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly from: string;
  readonly name: string;
  /** Module and paths; null: it is not of the repository. */
  readonly found: readonly [module: string, ...paths: string[]] | null;
}

async function check(
  t: { deepEqual(a: unknown, b: unknown, why: string): void },
  locate: Locate,
  cases: readonly Case[],
) {
  for (const { what, files, from, name, found } of cases) {
    const tree = openTree(readerOf({ [from]: '', ...files }));
    const located = await locate(tree, { path: from, text: files[from] ?? '' }, name);
    const [first] = located;
    const seen =
      first === undefined ? null : [first.module, ...first.files.map(({ path }) => path)];
    t.deepEqual(seen, found, what);
  }
}

const WEB = 'apps/web/src/routes.ts';
const STORE = {
  'packages/store/package.json': '{"name": "@shop/store", "main": "dist/index.js"}',
  'packages/store/src/index.ts': '',
};

test('locateEcmascript finds modules beside a file, by tsconfig.json and in workspaces', async (t) => {
  await check(t, locateEcmascript, [
    {
      what: 'beside the file',
      files: { 'apps/web/src/store.ts': '' },
      from: WEB,
      name: './store.find',
      found: ['./store', 'apps/web/src/store.ts'],
    },
    {
      what: 'with dots in its name',
      files: { 'apps/web/src/store.service.ts': '' },
      from: WEB,
      name: './store.service.find',
      found: ['./store.service', 'apps/web/src/store.service.ts'],
    },
    {
      what: 'an extension of what it is built to',
      files: { 'apps/web/src/store.ts': '' },
      from: WEB,
      name: './store.js.find',
      found: ['./store.js', 'apps/web/src/store.ts'],
    },
    {
      what: 'the index of a folder',
      files: { 'apps/web/lib/index.js': '' },
      from: WEB,
      name: '../lib.find',
      found: ['../lib', 'apps/web/lib/index.js'],
    },
    {
      what: 'paths of tsconfig.json with comments',
      files: {
        'apps/web/tsconfig.json':
          '{ /* a */ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], }, }, } // b',
        'apps/web/src/store.ts': '',
      },
      from: WEB,
      name: '@/store.find',
      found: ['@/store', 'apps/web/src/store.ts'],
    },
    {
      what: 'baseUrl alone',
      files: {
        'apps/web/tsconfig.json': '{"compilerOptions": {"baseUrl": "src"}}',
        'apps/web/src/data/store.ts': '',
      },
      from: WEB,
      name: 'data/store.find',
      found: ['data/store', 'apps/web/src/data/store.ts'],
    },
    {
      what: 'a configuration that is extended',
      files: {
        'apps/web/tsconfig.json': '{"extends": "../../tsconfig.base.json"}',
        'tsconfig.base.json':
          '{"compilerOptions": {"paths": {"@shop/store": ["packages/store/src/index.ts"]}}}',
        ...STORE,
      },
      from: WEB,
      name: '@shop/store.find',
      found: ['@shop/store', 'packages/store/src/index.ts'],
    },
    {
      what: 'a configuration that is referred to',
      files: {
        'apps/web/tsconfig.json': '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        'apps/web/tsconfig.app.json': '{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}}',
        'apps/web/src/store.ts': '',
      },
      from: WEB,
      name: '~/store.find',
      found: ['~/store', 'apps/web/src/store.ts'],
    },
    {
      what: 'a workspace of npm',
      files: { 'package.json': '{"workspaces": ["apps/*", "packages/*"]}', ...STORE },
      from: WEB,
      name: '@shop/store.find',
      found: ['@shop/store', 'packages/store/src/index.ts'],
    },
    {
      what: 'a workspace of yarn',
      files: { 'package.json': '{"workspaces": {"packages": ["packages/**"]}}', ...STORE },
      from: WEB,
      name: '@shop/store.find',
      found: ['@shop/store', 'packages/store/src/index.ts'],
    },
    {
      what: 'a workspace of pnpm',
      files: { 'pnpm-workspace.yaml': 'packages:\n  # all\n  - "packages/*"\n', ...STORE },
      from: WEB,
      name: '@shop/store.find',
      found: ['@shop/store', 'packages/store/src/index.ts'],
    },
    {
      what: 'exports of a package',
      files: {
        'package.json': '{"workspaces": ["packages/*"]}',
        'packages/store/package.json':
          '{"name": "@shop/store", "exports": {".": "./a.js", "./sql/*": {"types": "./dist/sql/*.d.ts", "import": "./dist/sql/*.js"}}}',
        'packages/store/src/sql/users.ts': '',
      },
      from: WEB,
      name: '@shop/store/sql/users.find',
      found: ['@shop/store/sql/users', 'packages/store/src/sql/users.ts'],
    },
    {
      what: 'a dependency by its folder',
      files: {
        'apps/web/package.json': '{"dependencies": {"store": "file:../../libs/store"}}',
        'libs/store/index.js': '',
      },
      from: WEB,
      name: 'store.find',
      found: ['store', 'libs/store/index.js'],
    },
    {
      what: 'imports of the package itself',
      files: {
        'apps/web/package.json': '{"imports": {"#data/*": "./src/data/*.js"}}',
        'apps/web/src/data/store.ts': '',
      },
      from: WEB,
      name: '#data/store.find',
      found: ['#data/store', 'apps/web/src/data/store.ts'],
    },
    {
      what: 'a package of others',
      files: { 'package.json': '{"workspaces": ["packages/*"]}', ...STORE },
      from: WEB,
      name: 'express.Router',
      found: null,
    },
    {
      what: 'a path out of the repository',
      files: {},
      from: WEB,
      name: '../../../../../etc/passwd',
      found: null,
    },
    { what: 'the file itself', files: {}, from: WEB, name: './routes.find', found: null },
    {
      what: 'manifests that are not in order',
      files: {
        'package.json': '[',
        'tsconfig.json': '{"extends": "./tsconfig.json", "compilerOptions": 1}',
        'pnpm-workspace.yaml': 'packages',
      },
      from: WEB,
      name: '@shop/store.find',
      found: null,
    },
  ]);
});

const VIEW = 'backend/src/shop/web/views.py';

test('locatePython finds modules beside a file, in roots, packages and other projects', async (t) => {
  await check(t, locatePython, [
    {
      what: 'beside the file',
      files: { 'backend/src/shop/web/store.py': '' },
      from: VIEW,
      name: '.store.find',
      found: ['.store', 'backend/src/shop/web/store.py'],
    },
    {
      what: 'in the package around it',
      files: { 'backend/src/shop/data/store.py': '' },
      from: VIEW,
      name: '..data.store.find',
      found: ['..data.store', 'backend/src/shop/data/store.py'],
    },
    {
      what: 'the package itself',
      files: { 'backend/src/shop/web/__init__.py': '' },
      from: VIEW,
      name: '.find',
      found: ['.', 'backend/src/shop/web/__init__.py'],
    },
    {
      what: 'a root with the src layout',
      files: { 'backend/src/shop/data/store.py': '' },
      from: VIEW,
      name: 'shop.data.store.Store.find',
      found: ['shop.data.store', 'backend/src/shop/data/store.py'],
    },
    {
      what: 'from tests beside src',
      files: { 'backend/src/shop/store.py': '' },
      from: 'backend/tests/unit/test_store.py',
      name: 'shop.store.find',
      found: ['shop.store', 'backend/src/shop/store.py'],
    },
    {
      what: 'what a package gives',
      files: { 'backend/src/shop/data/__init__.py': '' },
      from: VIEW,
      name: 'shop.data.find',
      found: ['shop.data', 'backend/src/shop/data/__init__.py'],
    },
    {
      what: 'a namespace package',
      files: { 'backend/src/shop/plugins/mail.py': '' },
      from: VIEW,
      name: 'shop.plugins.mail.send',
      found: ['shop.plugins.mail', 'backend/src/shop/plugins/mail.py'],
    },
    {
      what: 'a member of a workspace',
      files: {
        'pyproject.toml': '[tool.uv.workspace]\nmembers = ["libs/*"]\n',
        'libs/common/src/common/sql.py': '',
      },
      from: VIEW,
      name: 'common.sql.find',
      found: ['common.sql', 'libs/common/src/common/sql.py'],
    },
    {
      what: 'a package by its path',
      files: {
        'backend/pyproject.toml': 'common = { path = "../libs/common", develop = true }\n',
        'libs/common/common/sql.py': '',
      },
      from: VIEW,
      name: 'common.sql.find',
      found: ['common.sql', 'libs/common/common/sql.py'],
    },
    { what: 'a package of others', files: {}, from: VIEW, name: 'flask.request.args', found: null },
    { what: 'out of the repository', files: {}, from: VIEW, name: '.......os.system', found: null },
  ]);
});

const MAIN = 'services/shop/cmd/main.go';

test('locateGolang finds the files of a package that declare a name', async (t) => {
  const own = {
    'services/shop/go.mod': 'module example.com/shop/v2\n\nrequire example.com/kit v1.2.0\n',
  };
  const store = {
    'services/shop/store/find.go': 'package store\nfunc Find(name string) {}\n',
    'services/shop/store/other.go': 'package store\nfunc Other() {}\n',
    'services/shop/store/find_test.go': 'package store\nfunc Find() {}\n',
  };
  const kit = {
    'kit/go.mod': 'module example.com/kit\n',
    'kit/sql/sql.go': 'package sql\n\nvar (\n\tQuery = "a"\n)\n',
  };
  await check(t, locateGolang, [
    {
      what: 'of the same module',
      files: { ...own, ...store },
      from: MAIN,
      name: 'example.com/shop/store.Find',
      found: ['example.com/shop/store', 'services/shop/store/find.go'],
    },
    {
      what: 'what is no name',
      files: { ...own, ...store },
      from: MAIN,
      name: './Find(*x',
      found: null,
    },
    {
      what: 'a method with the file of its type',
      files: {
        ...own,
        'services/shop/store/a.go': 'package store\nfunc (s *Store) Find(n string) {}\n',
        'services/shop/store/b.go': 'package store\ntype Store struct {}\n',
      },
      from: MAIN,
      name: 'example.com/shop/store.Find',
      found: ['example.com/shop/store', 'services/shop/store/a.go', 'services/shop/store/b.go'],
    },
    {
      what: 'of its own package',
      files: { ...own, 'services/shop/cmd/find.go': 'package main\nfunc find(a string) {}\n' },
      from: MAIN,
      name: './find',
      found: ['', 'services/shop/cmd/find.go'],
    },
    {
      what: 'by replace',
      files: {
        'services/shop/go.mod':
          'module example.com/shop\nreplace (\n\texample.com/kit v1.2.0 => ../../kit\n)\n',
        ...kit,
      },
      from: MAIN,
      name: 'example.com/kit/sql.Query',
      found: ['example.com/kit/sql', 'kit/sql/sql.go'],
    },
    {
      what: 'by go.work',
      files: { ...own, 'go.work': 'go 1.22\n\nuse (\n\t./kit\n\t./services/shop\n)\n', ...kit },
      from: MAIN,
      name: 'example.com/kit/sql.Query',
      found: ['example.com/kit/sql', 'kit/sql/sql.go'],
    },
    {
      what: 'a vendored copy',
      files: {
        ...own,
        'services/shop/vendor/example.com/kit/sql/sql.go': 'package sql\nconst Query = 1\n',
      },
      from: MAIN,
      name: 'example.com/kit/sql.Query',
      found: ['example.com/kit/sql', 'services/shop/vendor/example.com/kit/sql/sql.go'],
    },
    { what: 'the standard library', files: own, from: MAIN, name: 'os/exec.Command', found: null },
    {
      what: 'a name that nothing declares',
      files: { ...own, ...store },
      from: MAIN,
      name: 'example.com/shop/store.Absent',
      found: null,
    },
  ]);
});

const CONTROLLER = 'web/src/main/java/com/shop/web/Users.java';
const PACKAGE = 'package com.shop.web;\nclass Users { UserStore store; }';

const KOTLIN = 'web/src/main/kotlin/com/shop/web/Users.kt';
const KOTLIN_PACKAGE = 'package com.shop.web\n\nimport com.shop.data.Store\n';

test('locateKotlin finds the files of a package that declare a name', async (t) => {
  const data = 'web/src/main/kotlin/com/shop/data';
  const files = {
    [KOTLIN]: KOTLIN_PACKAGE,
    [`${data}/Store.kt`]: 'package com.shop.data\nclass Store { fun find() = 1 }\n',
    [`${data}/Tools.kt`]: 'package com.shop.data\nfun String.clean() = trim()\nfun load() = 1\n',
  };
  await check(t, locateKotlin, [
    {
      what: 'a class',
      files,
      from: KOTLIN,
      name: 'com.shop.data.Store.find',
      found: ['com.shop.data.Store', `${data}/Store.kt`],
    },
    {
      what: 'a function in a file of any name',
      files,
      from: KOTLIN,
      name: 'com.shop.data.load',
      found: ['com.shop.data.load', `${data}/Tools.kt`],
    },
    {
      what: 'an extension',
      files,
      from: KOTLIN,
      name: 'com.shop.data.clean',
      found: ['com.shop.data.clean', `${data}/Tools.kt`],
    },
    {
      what: 'a method of a class that is imported',
      files,
      from: KOTLIN,
      name: './Store.find',
      found: ['', `${data}/Store.kt`],
    },
    {
      what: 'in folders without the first steps of the package',
      files: {
        'src/web/Users.kt': KOTLIN_PACKAGE,
        'src/data/Store.kt': 'package com.shop.data\nobject Store\n',
      },
      from: 'src/web/Users.kt',
      name: 'com.shop.data.Store',
      found: ['com.shop.data.Store', 'src/data/Store.kt'],
    },
    { what: 'of others', files, from: KOTLIN, name: 'io.ktor.http.ContentType', found: null },
  ]);
});

test('locateJava finds classes by package, in the modules of a build', async (t) => {
  const store = { 'data/src/main/java/com/shop/data/Store.java': 'public class Store {}' };
  await check(t, locateJava, [
    {
      what: 'in its own source root',
      files: { [CONTROLLER]: PACKAGE, 'web/src/main/java/com/shop/data/Store.java': '' },
      from: CONTROLLER,
      name: 'com.shop.data.Store.find',
      found: ['com.shop.data.Store', 'web/src/main/java/com/shop/data/Store.java'],
    },
    {
      what: 'in a module of Maven',
      files: {
        [CONTROLLER]: PACKAGE,
        'pom.xml': '<modules><module>web</module><module>data</module></modules>',
        ...store,
      },
      from: CONTROLLER,
      name: 'com.shop.data.Store().find',
      found: ['com.shop.data.Store', 'data/src/main/java/com/shop/data/Store.java'],
    },
    {
      what: 'in a module of Gradle',
      files: { [CONTROLLER]: PACKAGE, 'settings.gradle': "include ':web', ':data'\n", ...store },
      from: CONTROLLER,
      name: 'com.shop.data.Store.find',
      found: ['com.shop.data.Store', 'data/src/main/java/com/shop/data/Store.java'],
    },
    {
      what: 'in a folder that Gradle is told',
      files: {
        [CONTROLLER]: PACKAGE,
        'settings.gradle.kts':
          'include(":web", ":store")\nproject(":store").projectDir = file("data")\n',
        ...store,
      },
      from: CONTROLLER,
      name: 'com.shop.data.Store.find',
      found: ['com.shop.data.Store', 'data/src/main/java/com/shop/data/Store.java'],
    },
    {
      what: 'of the same package',
      files: {
        [CONTROLLER]: PACKAGE,
        'web/src/main/java/com/shop/web/UserStore.java': 'class UserStore { void find() {} }',
        'web/src/main/java/com/shop/web/Other.java': 'class Other { void find() {} }',
      },
      from: CONTROLLER,
      name: './find',
      found: ['', 'web/src/main/java/com/shop/web/UserStore.java'],
    },
    {
      what: 'what implements an interface',
      files: {
        [CONTROLLER]: PACKAGE,
        'web/src/main/java/com/shop/web/UserStore.java': 'interface UserStore { void find(); }',
        'web/src/main/java/com/shop/web/impl/UserStoreImpl.java': '',
      },
      from: CONTROLLER,
      name: './find',
      found: [
        '',
        'web/src/main/java/com/shop/web/UserStore.java',
        'web/src/main/java/com/shop/web/impl/UserStoreImpl.java',
      ],
    },
    {
      what: 'a class of others',
      files: { [CONTROLLER]: PACKAGE },
      from: CONTROLLER,
      name: 'org.slf4j.Logger.info',
      found: null,
    },
  ]);
});

test('openTree asks once for each file and folder, with all of the same turn', async (t) => {
  const reader = readerOf({ 'a/b.ts': 'b' });
  const tree = openTree(reader);
  const [both, other] = await Promise.all([tree.read(['a/b.ts', 'a/c.ts']), tree.read(['a/d.ts'])]);
  t.deepEqual([both, other], [['b', null], [null]]);
  t.deepEqual(await tree.read(['a/c.ts']), [null]);
  t.deepEqual(await tree.list('a'), ['b.ts']);
  t.deepEqual(await tree.list('a'), ['b.ts']);
  t.deepEqual(reader.asked, [['a/b.ts', 'a/c.ts', 'a/d.ts'], ['a/']]);
  t.false(tree.isCut);
});

test('openTree gives nothing behind its bounds, and says so', async (t) => {
  const tree = openTree(readerOf({ 'b.ts': 'b' }));
  await tree.read(Array.from({ length: PROGRAM.PATHS_MAX }, (_, index) => `${index}.ts`));
  t.deepEqual(await tree.read(['b.ts']), [null]);
  t.true(tree.isCut);
});

test.serial(
  'a helper counts once for the files that a change may read, whatever leads to it',
  async (t) => {
    const helpers = Array.from({ length: PROGRAM.FILES_MAX + 1 }, (_, index) => `lib/h${index}.ts`);
    const tree = openTree(readerOf(Object.fromEntries(helpers.map((path) => [path, 'export {}']))));
    const room = newRoom();
    const leftOf = async (index: number, helper: number) => {
      const own = { path: `app${index}.ts`, text: `import { run } from './lib/h${helper}';` };
      const builder = new ProgramBuilder(tree, room, own);
      await builder.add([{ path: own.path, name: `./lib/h${helper}.run`, isData: false }]);
      return builder.left.length;
    };
    for (const index of helpers.keys()) t.is(await leftOf(index, 0), 0);
    for (let helper = 1; helper < PROGRAM.FILES_MAX; helper += 1)
      t.is(await leftOf(helper, helper), 0);
    t.is(await leftOf(0, PROGRAM.FILES_MAX), 1);
    t.is(await leftOf(0, 1), 0);
  },
);

const HOSTILE: readonly (readonly [
  what: string,
  locate: Locate,
  files: Readonly<Record<string, string>>,
  from: string,
  name: string,
])[] = [
  [
    'a receiver of blanks',
    locateGolang,
    { 'go.mod': 'module a.b/c', 'x.go': `func Find(\nfunc (${' '.repeat(65_536)}`, 'm.go': '' },
    'm.go',
    './Find',
  ],
  [
    'receivers that do not end',
    locateGolang,
    { 'go.mod': 'module a.b/c', 'x.go': `// Find\n${'func (\n'.repeat(10_000)}`, 'm.go': '' },
    'm.go',
    './Find',
  ],
  [
    'lines without an import',
    locateGolang,
    { 'go.mod': 'module a.b/c', 'm.go': '\n'.repeat(65_536) },
    'm.go',
    './Find',
  ],
  [
    'a string of a configuration that does not end',
    locateEcmascript,
    { 'tsconfig.json': `{"a": "${'\\"'.repeat(32_768)}` },
    'src/a.ts',
    '@a/b.c',
  ],
  [
    'a pattern of a workspace with many wildcards',
    locateEcmascript,
    {
      'package.json': JSON.stringify({ workspaces: [`p/${'*a'.repeat(8)}b`] }),
      [`p/${'a'.repeat(60)}/package.json`]: '{}',
    },
    'src/a.ts',
    '@a/b.c',
  ],
  [
    'a list of imports that names nothing',
    locatePython,
    { 'a/run.py': '', 'a/__init__.py': `from .b import (${'import '.repeat(30_000)}`, 'm.py': '' },
    'm.py',
    'a.run',
  ],
  [
    'blanks behind an include of Gradle',
    locateJava,
    { 'settings.gradle': `include${' '.repeat(100_000)}`, 'a/A.java': 'package a;' },
    'a/A.java',
    'b.B',
  ],
  [
    'namespaces that no folder has',
    locateCsharp,
    {
      ...Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`d${n}/x.txt`, ''])),
      'm.cs': Array.from({ length: 14_000 }, (_, n) => `using a${n}.b.c.d;\n`).join(''),
    },
    'm.cs',
    './Find',
  ],
];

for (const [what, locate, files, from, name] of HOSTILE) {
  test.serial(`hostile files take time linear in their length: ${what}`, async (t) => {
    const tree = openTree(readerOf({ [from]: '', ...files }));
    const start = process.cpuUsage();
    await locate(tree, { path: from, text: files[from] ?? '' }, name);
    // A few milliseconds; it was between two seconds and a minute.
    t.true(process.cpuUsage(start).user < 1_000_000);
  });
}
