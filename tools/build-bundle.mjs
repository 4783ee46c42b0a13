#!/usr/bin/env node
/**
 * Bundles the program into dist/bundle: cra.js and one file for each worker, with the packages
 * that are plain JavaScript. To find, read and link some hundred modules in each thread is most of
 * what a start costs. Names stay as they are, so stack traces can be read; the maps beside the
 * files serve `node --enable-source-maps`, which costs time at the start and is therefore not set.
 */
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const TARGET = 'dist/bundle';
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

rmSync(TARGET, { recursive: true, force: true });
const workers = readdirSync('workers').map((file) => [file.replace('.ts', ''), `workers/${file}`]);
// Each by itself: what several share would be cut into many small files.
await Promise.all(
  [['cra', 'src/cli/main.ts'], ...workers].map(([out, entry]) =>
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
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
    }),
  ),
);
