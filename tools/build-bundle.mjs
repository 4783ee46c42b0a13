#!/usr/bin/env node
/**
 * Bundles the program into dist/bundle: cra.js and one file for each worker, with the packages
 * that are plain JavaScript. To find, read and link some hundred modules in each thread is most of
 * what a start costs. Names stay as they are, so stack traces can be read; the maps beside the
 * files serve `node --enable-source-maps`, which costs time at the start and is therefore not set.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const TARGET = 'dist/bundle';
/** What tsc has written of the program. */
const COMPILED = ['dist/src', 'dist/workers'];
/** An object literal that begins with a spread; biome writes it so. */
const SPREAD_FIRST = /\{(\s*)\.\.\.(?!null,)(?=[\w$({[])/g;
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

/**
 * The signs of sinks as what they come to: without it each scan thread reads and works through the
 * whole catalogue of gate 2, which only the AST child has a use for.
 */
const foldHints = {
  name: 'fold-hints',
  setup({ onLoad }) {
    onLoad({ filter: /dist\/src\/gates\/syntax\/hints\.js$/ }, async ({ path }) => {
      const { HINTS } = await import(path);
      const all = Object.values(HINTS).flat();
      // Most of them share a few long ones.
      const patterns = [...new Set(all.flatMap((hint) => hint.patterns.map(String)))];
      const textOf = ({ words, patterns: own }) => {
        const shared = own.map((pattern) => `P[${patterns.indexOf(String(pattern))}]`);
        return `{ words: ${JSON.stringify(words)}, patterns: [${shared}] }`;
      };
      const families = Object.entries(HINTS).map(
        ([name, hints]) => `${name}: [${hints.map(textOf)}]`,
      );
      const contents = `const P = [${patterns}];\nexport const HINTS = {${families}};\n`;
      return { contents };
    });
  },
};

for (const folder of COMPILED) rewriteSpreads(folder);
rmSync(TARGET, { recursive: true, force: true });
const workers = readdirSync('workers').map((file) => {
  const name = file.replace('.ts', '');
  return [name, `dist/workers/${name}.js`];
});
// Each by itself: what several share would be cut into many small files.
await Promise.all(
  [['cra', 'dist/src/cli/main.js'], ...workers].map(([out, entry]) =>
    build({
      entryPoints: [{ in: entry, out }],
      outdir: TARGET,
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: EXTERNAL,
      define: { 'import.meta.url': 'moduleUrl' },
      banner: { js: BANNER },
      plugins: out === 'ast' ? [] : [foldHints],
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
    }),
  ),
);

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
    const rewritten = text.replace(SPREAD_FIRST, '{$1...null, ...');
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
}
