#!/usr/bin/env node
/**
 * Builds the handbook into dist/docs, which the daemon serves at /cra/docs: the pages of docs/, a
 * page for each rule and kind of finding, and what its search needs. Links are relative, so the
 * folder can be read from disk, too.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { build } from 'esbuild';
import { createRenderer } from './docs/markdown.mjs';
import { rulePages } from './docs/rule-pages.mjs';

const TARGET = 'dist/docs';
/** Pages at the top, by their names in the handbook. */
const TOP = {
  'README.md': 'readme.html',
  'CONTRIBUTING.md': 'contributing.html',
  'SECURITY.md': 'security.html',
  'CHANGELOG.md': 'changelog.html',
};
/** Files that are served elsewhere. */
const SERVED = { 'docs/reference/openapi.json': '/api/cra/openapi.json' };

const names = readdirSync('docs', { recursive: true })
  .map((name) => posix.normalize(name))
  .sort();
const targets = new Map([
  ...Object.entries(TOP),
  ...names.filter((name) => name.endsWith('.md')).map((name) => [`docs/${name}`, pageOf(name)]),
]);

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
cpSync('docs/images', join(TARGET, 'images'), { recursive: true });
cpSync('src/dashboard/icon.svg', join(TARGET, 'icon.svg'));
// The licence asks to go with every copy of the search.
cpSync('node_modules/minisearch/LICENSE.txt', join(TARGET, 'LICENSE-minisearch.txt'));
await build({
  entryPoints: ['tools/docs/search.mjs', 'tools/docs/style.css'],
  outdir: TARGET,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome120', 'firefox121', 'safari17.4'],
  legalComments: 'eof',
});

/** Sections of the list of pages, which stand beside each of them. */
const sections = readFileSync('docs/README.md', 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((part) => ({
    heading: part.slice(0, part.indexOf('\n')),
    pages: [...part.matchAll(/^- \[([^\]]+)\]\((.+?\.md)\)/gm)].map(([, title, name]) => {
      return { title, target: pageOf(name) };
    }),
  }));

/** What the search finds: title, address below /cra/docs, and text. */
const entries = [];
for (const [source, target] of targets) {
  const { title, html, sections } = createRenderer((link) => rewrite(link, source, target))(
    readFileSync(source, 'utf8'),
  );
  write(target, title, `<main>\n${html}</main>\n${contents(target)}`);
  for (const { anchor, heading, text } of sections) {
    entries.push([heading, anchor === '' ? target : `${target}#${anchor}`, text]);
  }
}
for (const { target, title, html, text } of rulePages()) {
  write(target, title, `<main>\n${html}</main>`);
  if (text !== null) entries.push([title, target, text]);
}
writeFileSync(join(TARGET, 'search.json'), JSON.stringify(entries));

/** `docs/how-to/ci.md` is `how-to/ci.html`, the list of pages is the first page. */
function pageOf(name) {
  return name === 'README.md' ? 'index.html' : name.replace(/\.md$/, '.html');
}

/** A link of a Markdown page as one of the handbook; null: its target is not in the handbook. */
function rewrite(link, source, target) {
  if (/^(?:[a-z]+:|#)/.test(link)) return link;
  const [path, anchor] = link.split('#');
  const meant = posix.join(dirname(source), path);
  if (meant.startsWith('docs/images/')) return relative(target, meant.slice('docs/'.length));
  const found = SERVED[meant] ?? (targets.has(meant) ? relative(target, targets.get(meant)) : null);
  return found === null || anchor === undefined ? found : `${found}#${anchor}`;
}

function relative(from, to) {
  return posix.relative(dirname(from), to);
}

function contents(target) {
  const listed = sections.map(({ heading, pages }) => {
    const links = pages.map((page) => {
      const current = page.target === target ? ' aria-current="page"' : '';
      return `<li><a href="${relative(target, page.target)}"${current}>${page.title}</a></li>`;
    });
    return `<h2>${heading}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
  });
  return `<nav class="contents" aria-label="Pages">\n${listed.join('\n')}\n</nav>`;
}

function write(target, title, body) {
  const top = relative(target, '.') || '.';
  const file = join(TARGET, target);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - cra</title>
<link rel="icon" href="${top}/icon.svg">
<link rel="stylesheet" href="${top}/style.css">
<script type="module" src="${top}/search.js"></script>
</head>
<body data-top="${top}">
<header>
<nav aria-label="Handbook"><a href="${top}/index.html">Handbook</a> <a href="${top}/rules/index.html">Rules</a></nav>
<search><label for="search">Search</label> <input id="search" type="search" autocomplete="off"></search>
</header>
<div id="found" role="status"></div>
<div class="page">
${body}
</div>
</body>
</html>
`,
  );
}
