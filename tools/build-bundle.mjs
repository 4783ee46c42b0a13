#!/usr/bin/env node
/**
 * Bundles the program into dist/bundle: cra.js and one file for each worker, with the packages
 * that are plain JavaScript. To find, read and link some hundred modules in each thread is most of
 * what a start costs. Names stay as they are, so stack traces can be read; the maps beside the
 * files serve `node --enable-source-maps`, which costs time at the start and is therefore not set.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { build } from 'esbuild';
import { LATE_OPTIMISATION } from '../dist/src/rpc/child.js';

const TARGET = 'dist/bundle';
/** What tsc has written of the program. */
const COMPILED = ['dist/src', 'dist/workers'];
/** Native code, or files that a package looks for beside its own; or rarely used and large. */
const EXTERNAL = [
  '@napi-rs/keyring',
  '@swc/core',
  'better-sqlite3',
  'piscina',
  're2',
  'uWebSockets.js',
  'web-tree-sitter',
  '@aws-sdk/*',
];
/** Modules find what lies beside them as if they were in a room of dist/src. */
const BANNER = `
import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);
const moduleUrl = new URL('../src/bundle/module.js', import.meta.url).href;
`;

/** Plugins that found their module: of one that has moved nobody else would tell. */
const folded = new Set();

/**
 * The signs of sinks as what they come to: without it each scan thread reads and works through the
 * whole catalogue of gate 2, which only the AST child has a use for.
 */
const foldHints = {
  name: 'fold-hints',
  setup({ onLoad }) {
    onLoad({ filter: /dist\/src\/gates\/syntax\/sinks\/hints\.js$/ }, async ({ path }) => {
      folded.add(foldHints.name);
      const { HINTS } = await import(path);
      const entries = Object.entries(HINTS);
      const all = entries.flatMap(([, hints]) => hints);
      // Most of them share a few long ones.
      const patterns = [...new Set(all.flatMap((hint) => hint.patterns.map(String)))];
      const textOf = ({ words, patterns: own }) => {
        const shared = own.map((pattern) => `P[${patterns.indexOf(String(pattern))}]`);
        return `{ words: ${JSON.stringify(words)}, patterns: [${shared}] }`;
      };
      const families = entries.map(
        ([name, hints]) => `get ${name}() { return [${hints.map(textOf)}]; }`,
      );
      const contents = `const P = [${patterns}];\nexport const HINTS = {${families}};\n`;
      return { contents };
    });
  },
};

/** The tables of the catalogue as what they say, a language only where it is asked for. */
const foldTables = {
  name: 'fold-tables',
  setup({ onLoad }) {
    onLoad({ filter: /dist\/src\/rules\/catalogue\/tables\.js$/ }, async ({ path }) => {
      folded.add(foldTables.name);
      const { CATALOGUE_LANGUAGES, tablesOf } = await import(path);
      const tables = CATALOGUE_LANGUAGES.map(
        (language) => `${language}: () => (${literalOf(tablesOf(language))})`,
      );
      const contents = `const TABLES = {${tables}};
export const tablesOf = (language) => TABLES[language]();
`;
      return { contents };
    });
  },
};

/** JavaScript for what JSON has, and for regular expressions. */
function literalOf(value) {
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return `[${value.map(literalOf)}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, own]) => `${JSON.stringify(key)}:${literalOf(own)}`,
  );
  return `{${fields}}`;
}

/** A change that gates 1 and 2 look at, and block. */
const SAMPLE = `diff --git a/app.js b/app.js
new file mode 100644
--- /dev/null
+++ b/app.js
@@ -0,0 +1,7 @@
+import { exec } from 'node:child_process';
+import express from 'express';
+
+const app = express();
+app.get('/list', (req, res) => {
+  exec(\`ls \${req.query.name}\`, (error, text) => res.send(error ? 'failed' : text));
+});
`;
/** What every analysis waits for: these come with the code that V8 has made of them. */
const CACHED = new Set(['scan', 'ast']);
/** Hashes of names are in that code: with the same seed each build writes the same bytes. */
const SEEDS = ['--hash-seed=1', '--random-seed=1'];
/** Gives the AST child the seeds, which gets other options than the process that starts it. */
const SEED_CHILDREN = `import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const { fork } = childProcess;
childProcess.fork = (entry, args, options) =>
  fork(entry, args, { ...options, execArgv: [...${JSON.stringify(SEEDS)}, ...options.execArgv] });
syncBuiltinESMExports();`;
/** What follows data needs the sinks themselves. */
const FOLLOWS = new Set(['ast', 'debug', 'rules']);
/**
 * The same for what is a script and no module. esbuild writes its own "use strict" behind this,
 * where it is no directive any more; modules are strict.
 */
const SCRIPT_BANNER = `"use strict";
const { pathToFileURL: urlOfPath } = require('node:url');
const moduleUrl = new URL('../src/bundle/module.js', urlOfPath(__filename)).href;
const resolveModule = (name) => urlOfPath(require.resolve(name)).href;
`;

const AS_MODULES = {
  format: 'esm',
  splitting: true,
  chunkNames: '[name]-[hash]',
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: BANNER },
};
/**
 * V8 keeps the code of scripts, not of modules: Node 20 has no way to give it to the latter. A
 * script that is made of such code cannot import() (ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING, in
 * spite of `importModuleDynamically`), so it requires.
 */
const AS_SCRIPT = {
  format: 'cjs',
  supported: { 'dynamic-import': false },
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'moduleUrl', 'import.meta.resolve': 'resolveModule' },
  banner: { js: SCRIPT_BANNER },
};

for (const folder of COMPILED) rewriteSpreads(folder);
rmSync(TARGET, { recursive: true, force: true });
const workers = readdirSync('workers').map((file) => {
  const name = file.replace('.ts', '');
  return [name, { [name]: `dist/workers/${name}.js` }];
});
// The program, and beside it the daemon for tests, which set its times and limits.
const program = { cra: 'dist/src/cli/main.js', daemon: 'dist/src/daemon/main.js' };
// Each by itself: what several share would be cut into many small files.
await Promise.all(
  [['cra', program], ...workers].map(([out, entryPoints]) =>
    build({
      entryPoints,
      outdir: TARGET,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      external: EXTERNAL,
      plugins: FOLLOWS.has(out) ? [foldTables] : [foldTables, foldHints],
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
      ...(CACHED.has(out) ? AS_SCRIPT : AS_MODULES),
    }),
  ),
);
for (const { name } of [foldHints, foldTables]) {
  if (!folded.has(name)) throw new Error(`${name} found no module`);
}
recordCode();

/**
 * Lets literals that begin with a spread begin with one of nothing. For `{ ...a, b }` the V8 of
 * Node 20 makes a hidden class of its own with each object: 1.3 us instead of .06, and memory that
 * only a full collection of garbage frees: a sixth of the CPU of a scan (bench/results/budget.md).
 */
function rewriteSpreads(folder) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    if (!entry.endsWith('.js')) continue;
    const path = join(folder, entry);
    const text = readFileSync(path, 'utf8');
    // To parse a file takes longer than to see that it has no such literal.
    const places = /\{\s*\.\.\./.test(text) ? findFirstSpreads(text) : [];
    if (places.length > 0) writeFileSync(path, insertAt(places, '...null, ', Buffer.from(text)));
  }
}

/** Where object literals begin with a spread, but of null: byte offsets, in order. */
function findFirstSpreads(text) {
  // SWC counts on from its last parse, and begins a module at its first token: that is the `;`.
  const [{ span }, ...statements] = parseSync(`;${text}`, { target: 'es2023' }).body;
  const places = [];
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    const [first] = node.type === 'ObjectExpression' ? node.properties : [];
    if (first?.type === 'SpreadElement' && first.arguments.type !== 'NullLiteral') {
      places.push(first.spread.start - span.end);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(statements);
  return places.sort((a, b) => a - b);
}

function insertAt(places, text, bytes) {
  const pieces = places.map((at, index) => [bytes.subarray(places[index - 1] ?? 0, at), text]);
  const rest = bytes.subarray(places.at(-1));
  return Buffer.concat([...pieces.flat(), rest].map((piece) => Buffer.from(piece)));
}

/**
 * Runs one analysis and keeps the code that V8 made for it, so that no thread and no child has to
 * compile a megabyte of source first. Where the code does not belong to the source (see
 * `entryOf`), or Node has other options, the source is compiled as it would be without.
 */
function recordCode() {
  for (const name of CACHED) writeFileSync(join(TARGET, `${name}.js`), entryOf(name, true));
  const seeded = [...SEEDS, `--import=data:text/javascript,${encodeURIComponent(SEED_CHILDREN)}`];
  const args = [...seeded, join(TARGET, 'cra.js'), 'analyze', '-'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    input: SAMPLE,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  // It is blocked.
  if (status !== 1) throw new Error(`the analysis of the build ended with ${status}: ${stderr}`);
  for (const name of CACHED) {
    if (!existsSync(join(TARGET, `${name}.code`))) throw new Error(`${name} kept no code`);
    writeFileSync(join(TARGET, `${name}.js`), entryOf(name, false));
  }
}

/**
 * What Node loads first of a worker: the script, with its code. `records`: it keeps that now.
 *
 * V8 believes what it gets: of the source it compares only the length, of the code nothing. It
 * would run the code of another program, or end the process over a damaged page. So the file of
 * the code begins with what the code belongs to, and checksums of both. They are against accidents
 * (one of the files copied, a page lost); who can write the code can write the program, too.
 * CRC-32 costs .3 of SHA-256.
 */
function entryOf(name, records) {
  const imports = records ? ', writeFileSync' : '';
  const record = `
// Before an answer goes out, so that it is there when the process is ended.
const keep = () => {
  // V8 takes only code that was made under its own options, of which a seed is one.
  setFlagsFromString('--hash-seed=0');
  const code = script.createCachedData();
  writeFileSync(codePath, Buffer.concat([headerOf(readFileSync(path), code), code]));
};
const { write } = Socket.prototype;
Socket.prototype.write = function (...what) {
  keep();
  return write.apply(this, what);
};
export const run = async (task) => {
  const answer = await module.exports.run(task);
  keep();
  return answer;
};
`;
  const late = `
// As \`optimiseLate\` does it, before V8 sees its code: that is of no use with other flags.
if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('${LATE_OPTIMISATION}');
`;
  return `${records ? "import { Socket } from 'node:net';\n" : ''}\
import { isAscii } from 'node:buffer';
import { readFileSync${imports} } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
${records || name === 'ast' ? "import { setFlagsFromString } from 'node:v8';\n" : ''}\
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
${name === 'ast' ? late : ''}
// V8 reads the code where it lies if it begins at a multiple of 8.
const HEADER_BYTES = 128;
const path = fileURLToPath(new URL('${name}.cjs', import.meta.url));
const codePath = fileURLToPath(new URL('${name}.code', import.meta.url));
const require = createRequire(path);
const module = { exports: {} };
let script = null;
if (process.sourceMapsEnabled) module.exports = require(path);
else {
  const source = readFileSync(path);
  // The same text, for a third of the time.
  const text = isAscii(source) ? source.latin1Slice() : source.toString();
  script = new Script(\`(function (exports, require, module, __filename) {\${text}\\n})\`, {
    // The code holds this name, so it is the same wherever the program was built and lies.
    filename: '${name}.cjs',
    cachedData: codeOf(source),
  });
  script.runInThisContext()(module.exports, require, module, path);
}

function codeOf(source) {
  try {
    const file = readFileSync(codePath);
    const code = file.subarray(HEADER_BYTES);
    return headerOf(source, code).equals(file.subarray(0, HEADER_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function headerOf(source, code) {
  const sums = [source, code].map((bytes) => bytes.length + ':' + crc32(bytes).toString(16));
  const { version, platform, arch } = process;
  return Buffer.from([version, platform, arch, ...sums].join(' ').padEnd(HEADER_BYTES));
}
${records ? record : 'export const { run } = module.exports;\n'}`;
}
