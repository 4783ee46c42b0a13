import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { newFile, PROGRAM, temporaryDir } from '../daemon.ts';
import { someOf } from '../some-cases.ts';

const BUNDLE = dirname(PROGRAM);
const PROJECT = join(BUNDLE, '../..');

/** The programs that come with the code that V8 made of them. */
const SCRIPTS = ['ast', 'scan'];

/** Gate 2 finds a shell command made from a request in it. */
const CHANGE = newFile(
  'app.js',
  `import { exec } from 'node:child_process';
import express from 'express';

const app = express();
app.get('/list', (req, res) => {
  exec(\`ls \${req.query.name}\`, (error, text) => res.send(error ? 'failed' : text));
});
`,
);

/** Notes in a file beside it what each script was compiled from, also in threads and the child. */
const WATCH = `
const childProcess = require('node:child_process');
const { appendFileSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { basename } = require('node:path');
const vm = require('node:vm');

const { fork } = childProcess;
childProcess.fork = (entry, args, options) =>
  fork(entry, args, { ...options, execArgv: ['--require', __filename, ...options.execArgv] });
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    const how = new Map([[undefined, 'compiled'], [true, 'rejected'], [false, 'used']]);
    const line = basename(options.filename) + ' ' + how.get(this.cachedDataRejected);
    appendFileSync(__filename + '.log', line + '\\n');
  }
};
syncBuiltinESMExports();
`;

/** A bundle of its own, which a test may damage. */
function copyBundle(t: ExecutionContext) {
  const root = temporaryDir(t);
  const bundle = join(root, 'dist/bundle');
  mkdirSync(bundle, { recursive: true });
  cpSync(BUNDLE, bundle, { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const beside of ['node_modules', 'package.json', 'dist/src']) {
    symlinkSync(join(PROJECT, beside), join(root, beside));
  }
  const watch = join(root, 'watch.cjs');
  writeFileSync(watch, WATCH);
  return {
    path: (name: string) => join(bundle, name),
    /** Judges a change in a process of its own. */
    analyze(change = CHANGE) {
      writeFileSync(`${watch}.log`, '');
      const args = ['--require', watch, join(bundle, 'cra.js'), 'analyze', '-'];
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: root,
        env: { PATH: process.env['PATH'] },
        input: change,
        encoding: 'utf8',
      });
      const scripts = readFileSync(`${watch}.log`, 'utf8').trim().split('\n').sort();
      return { code: signal ?? status, output: stdout + stderr, scripts };
    },
  };
}

/** Replaces text by another of the same length, wherever it stands. */
function replaceIn(path: string, before: string, after: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replaceAll(before, after.padEnd(before.length)));
}

test.serial('the bundled scan and AST programs run the code that V8 made of them', (t) => {
  const { code, output, scripts } = copyBundle(t).analyze();
  t.is(code, 1, output);
  t.regex(output, /critical vuln-01 .*Request parameter `\w+` reaches a shell command/);
  t.deepEqual(scripts, ['ast.cjs used', 'scan.cjs used']);
});

/** In each language whose parser is loaded with its first text, a value that becomes a path. */
const OTHERS = [
  newFile(
    'app.py',
    `from flask import request, send_file

@app.route('/file')
def read():
    return send_file(request.args['name'])
`,
  ),
  newFile(
    'main.go',
    `package main

import (
\t"net/http"
\t"os"
)

func read(w http.ResponseWriter, r *http.Request) {
\tos.ReadFile(r.URL.Query().Get("name"))
}
`,
  ),
  newFile(
    'Files.java',
    `import java.io.FileReader;
import javax.servlet.http.*;

class Files extends HttpServlet {
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws Exception {
    new FileReader(request.getParameter("name"));
  }
}
`,
  ),
];

test.serial('the bundled AST program reads Python, Go and Java, from its code as well', (t) => {
  const bundle = copyBundle(t);
  for (const how of ['used', 'compiled']) {
    if (how === 'compiled') rmSync(bundle.path('ast.code'));
    const { code, output, scripts } = bundle.analyze(OTHERS.join(''));
    t.is(code, 1, output);
    for (const path of ['app.py', 'main.go', 'Files.java']) {
      t.regex(output, new RegExp(`^${path}\\n +\\d+:\\d+ +critical vuln-05`, 'm'));
    }
    t.notRegex(output, /ast-unparsed/);
    t.deepEqual(scripts, [`ast.cjs ${how}`, 'scan.cjs used']);
  }
});

test.serial(
  'a bundled program that was replaced by one of the same length runs as it is now',
  (t) => {
    const bundle = copyBundle(t);
    replaceIn(bundle.path('ast.cjs'), 'a shell command', 'a new command');
    const blocked = bundle.analyze();
    t.is(blocked.code, 1, blocked.output);
    t.regex(blocked.output, /critical vuln-01 .*Request parameter `\w+` reaches a new command/);
    t.deepEqual(blocked.scripts, ['ast.cjs compiled', 'scan.cjs used']);

    replaceIn(bundle.path('scan.cjs'), '"BLOCKED"', '"PASSED"');
    const passed = bundle.analyze();
    t.is(passed.code, 0, passed.output);
    t.true(passed.output.startsWith('PASSED'), passed.output);
    t.deepEqual(passed.scripts, ['ast.cjs compiled', 'scan.cjs compiled']);
  },
);

/** The code begins with what it belongs to (tools/build-bundle.mjs). */
const HEADER_BYTES = 128;

const PAGE_BYTES = 4096;

/** What becomes of a file of code in an accident. */
const ACCIDENTS: Readonly<Record<string, (path: string, bytes: Buffer) => void>> = {
  ...Object.fromEntries(
    someOf([0.7, 0.3, 0.5, 0.9]).map((share) => [
      `has a page of zeros at ${share} of it`,
      (path: string, bytes: Buffer) => {
        const isZero = (at: number) =>
          bytes.subarray(at, at + PAGE_BYTES).every((one) => one === 0);
        let start = Math.floor(bytes.length * share);
        while (isZero(start)) start += PAGE_BYTES;
        writeFileSync(path, bytes.fill(0, start, start + PAGE_BYTES));
      },
    ]),
  ),
  'was cut': (path, bytes) => truncateSync(path, Math.floor(bytes.length / 2)),
  'is empty': (path) => truncateSync(path),
  'is missing': (path) => rmSync(path),
  'is a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'comes from another version of Node, or another architecture': (path, bytes) => {
    const [mine, other] = path.endsWith('scan.code')
      ? [process.version, 'v20.0.0']
      : [` ${process.arch} `, ' s9 '];
    const header = bytes.toString('latin1', 0, HEADER_BYTES);
    bytes.write(header.replace(mine, other.padEnd(mine.length)), 'latin1');
    writeFileSync(path, bytes);
  },
};

for (const [accident, happen] of Object.entries(ACCIDENTS)) {
  test.serial(`a change is judged as ever where the code of the bundle ${accident}`, (t) => {
    const bundle = copyBundle(t);
    for (const name of SCRIPTS) {
      const path = bundle.path(`${name}.code`);
      happen(path, readFileSync(path));
    }
    const { code, output, scripts } = bundle.analyze();
    t.is(code, 1, output);
    t.true(output.startsWith('BLOCKED'), output);
    t.regex(output, /critical vuln-01 /);
    t.deepEqual(scripts, ['ast.cjs compiled', 'scan.cjs compiled']);
  });
}

test.serial('every bundled script is strict, as the modules are that it was made of', (t) => {
  const names = readdirSync(BUNDLE).filter((name) => name.endsWith('.cjs'));
  t.deepEqual(names.sort(), ['ast.cjs', 'scan.cjs']);
  const bundle = copyBundle(t);
  for (const name of names) {
    const own = 'String((function () { return this; })())';
    const note = `require('node:fs').writeFileSync(__filename + '.this', ${own});`;
    appendFileSync(bundle.path(name), `\n${note}\n`);
  }
  const { code, output } = bundle.analyze();
  t.is(code, 1, output);
  for (const name of names) t.is(readFileSync(bundle.path(`${name}.this`), 'utf8'), 'undefined');
});
