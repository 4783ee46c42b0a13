#!/usr/bin/env node
/**
 * Builds the dashboard into dist/dashboard: hashed assets, each beside its gzip and brotli form,
 * and index.html, which names them. Fails when the page grows past its budget.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { PAGE_PACKAGES } from './package/modules.mjs';

const SOURCE = 'src/dashboard';
const TARGET = 'dist/dashboard';
/** Bytes as gzip. `entry`: all scripts of the first view; `page`: a page that is loaded later. */
const BUDGET_BYTES = { entry: 40 * 1024, page: 12 * 1024, style: 8 * 1024, icon: 1024 };

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(join(TARGET, 'assets'), { recursive: true });
const { outputFiles, metafile } = await build({
  entryPoints: ['main.tsx', 'style.css', 'icon.svg'].map((name) => join(SOURCE, name)),
  outdir: join(TARGET, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'copy' },
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
  minify: true,
  format: 'esm',
  target: ['chrome120', 'firefox121', 'safari17.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
});

/** Path from here -> bytes as gzip. */
const sizes = new Map();
for (const { path, contents } of outputFiles) {
  const file = join(TARGET, 'assets', basename(path));
  const gzip = gzipSync(contents, { level: 9 });
  const brotli = brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
  writeFileSync(file, contents);
  writeFileSync(`${file}.gz`, gzip);
  writeFileSync(`${file}.br`, brotli);
  sizes.set(file, gzip.length);
}

const outputs = Object.entries(metafile.outputs);
const outputOf = (name) =>
  outputs.find(([path, { entryPoint }]) => (entryPoint ?? path).endsWith(name))?.[0] ??
  outputs.find(([path]) => basename(path).startsWith(name.split('.')[0]))?.[0];
const [script, style, icon] = ['main.tsx', 'style.css', 'icon.svg'].map(outputOf);

const entry = staticImports(script);
check('the first view', [...entry], BUDGET_BYTES.entry);
check('the style', [style], BUDGET_BYTES.style);
check('the icon', [icon], BUDGET_BYTES.icon);
for (const [path] of outputs) {
  if (path.endsWith('.js') && !entry.has(path)) check(basename(path), [path], BUDGET_BYTES.page);
}

const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  .replace('{{icon}}', basename(icon))
  .replace('{{style}}', basename(style))
  .replace('{{script}}', basename(script))
  .replace('{{preloads}}', preloadsOf(script));
writeFileSync(join(TARGET, 'index.html'), page);
const packages = packagesIn(Object.keys(metafile.inputs));
const unknown = packages.filter((name) => !PAGE_PACKAGES.includes(name));
if (unknown.length > 0) throw new Error(`PAGE_PACKAGES lacks ${unknown.join(', ')}`);
writeFileSync(join(TARGET, 'LICENSES.txt'), licences(packages));

function packagesIn(paths) {
  const names = paths.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** What a script imports is fetched beside it, not after it. */
function preloadsOf(path) {
  const imported = [...staticImports(path)].filter((each) => each !== path);
  return imported
    .map((each) => `<link rel="modulepreload" href="/cra/assets/${basename(each)}">`)
    .join('\n');
}

/** A script and what it imports before it runs. */
function staticImports(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind } of metafile.outputs[path].imports) {
    if (kind === 'import-statement') staticImports(imported, found);
  }
  return found;
}

function check(name, paths, most) {
  const bytes = paths.reduce((sum, path) => sum + sizes.get(path), 0);
  if (bytes <= most) return;
  console.error(`${name} has ${bytes} bytes as gzip, at most ${most}`);
  process.exitCode = 1;
}

/** The licences of the packages in the bundle, which ask to go with every copy. */
function licences(packages) {
  return packages.map((name) => `${name}\n\n${readFileSync(licenceOf(name), 'utf8')}`).join('\n\n');
}

/** Where Node finds the package from here. */
function licenceOf(name) {
  const folders = createRequire(import.meta.url).resolve.paths(name);
  return folders.map((folder) => join(folder, name, 'LICENSE')).find((path) => existsSync(path));
}
