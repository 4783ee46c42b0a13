#!/usr/bin/env node
/**
 * Builds the dashboard into dist/dashboard: hashed assets, each beside its gzip and brotli form,
 * and index.html, which names them. Fails when the page grows past its budget.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const SOURCE = 'src/dashboard';
const TARGET = 'dist/dashboard';
/** Bytes as gzip: what the first view loads. */
const BUDGET_BYTES = { js: 30 * 1024, css: 8 * 1024, svg: 1024 };
const NAMES = { js: 'main', css: 'style', svg: 'icon' };

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(join(TARGET, 'assets'), { recursive: true });
const { outputFiles } = await build({
  entryPoints: [join(SOURCE, 'main.tsx'), join(SOURCE, 'style.css')],
  outdir: TARGET,
  bundle: true,
  write: false,
  minify: true,
  format: 'esm',
  target: ['chrome120', 'firefox121', 'safari17.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
});

const names = {};
const icon = { path: 'icon.svg', contents: readFileSync(join(SOURCE, 'icon.svg')) };
for (const { path, contents } of [...outputFiles, icon]) {
  const kind = path.split('.').at(-1);
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12);
  const name = `${NAMES[kind]}-${hash}.${kind}`;
  const file = join(TARGET, 'assets', name);
  const gzip = gzipSync(contents, { level: 9 });
  const brotli = brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
  writeFileSync(file, contents);
  writeFileSync(`${file}.gz`, gzip);
  writeFileSync(`${file}.br`, brotli);
  names[kind] = name;
  if (gzip.length > BUDGET_BYTES[kind]) {
    console.error(`${name} has ${gzip.length} bytes as gzip, at most ${BUDGET_BYTES[kind]}`);
    process.exitCode = 1;
  }
}
const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  .replace('{{icon}}', names.svg)
  .replace('{{style}}', names.css)
  .replace('{{script}}', names.js);
writeFileSync(join(TARGET, 'index.html'), page);
writeFileSync(
  join(TARGET, 'LICENSES.txt'),
  licences(['preact', '@preact/signals', '@preact/signals-core']),
);

/** The licences of the packages in the bundle, which ask to go with every copy. */
function licences(packages) {
  return packages
    .map((name) => `${name}\n\n${readFileSync(join('node_modules', name, 'LICENSE'), 'utf8')}`)
    .join('\n\n');
}
