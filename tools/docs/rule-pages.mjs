import { readFileSync } from 'node:fs';
import { TITLES } from '../../dist/src/model/finding.js';
import { CLASSES } from '../../dist/src/model/sarif.js';
import { KIND_PAGES, NOTE_PAGES } from '../../dist/src/rules/wording/pages.js';
import { codeBlock, escaped } from './markdown.mjs';

const OUT = {
  rules: '../how-to/suppression.html',
  gate2: '../reference/gate-2.html',
  file: '../reference/rules.html',
};
/** Examples that are longer say little more. */
const EXAMPLE_CHARACTERS_MAX = 4_000;

/**
 * A page for each id of a finding, from the built-in rules, the classes of gate 2, and the findings
 * that come of no rule; the list of all; and the page that is served for ids without one. `text` is
 * for the search; null: not found by it.
 */
export function rulePages() {
  const patterns = groupBy(readPatterns(), (rule) => rule.report_as ?? rule.id);
  const kinds = new Map(
    KIND_PAGES.flatMap((kind) => Object.keys(kind.bad).map((id) => [id, kind])),
  );
  const ids = [...new Set([...patterns.keys(), ...kinds.keys(), ...TITLES.keys()])].sort();
  const pages = ids.map((id) => {
    const rules = patterns.get(id) ?? [];
    const name = CLASSES[id] ?? TITLES.get(id) ?? rules[0].description;
    const parts = [
      ...(kinds.has(id) ? [kindPart(id, kinds.get(id))] : []),
      ...(NOTE_PAGES[id] === undefined ? [] : [notePart(NOTE_PAGES[id])]),
      ...rules.map((rule) => rulePart(rule, rules.length > 1 || kinds.has(id))),
    ];
    return page(id, name, parts.join(''));
  });
  return [...pages, listPage(pages), UNLISTED];
}

function readPatterns() {
  const { rules } = JSON.parse(readFileSync('dist/src/rules/default.json', 'utf8'));
  return [...rules.vulnerability_patterns, ...rules.secret_patterns, ...rules.risk_patterns];
}

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const entry of list) {
    const key = keyOf(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}

function page(id, name, parts) {
  const html = `<h1><code>${id}</code>: ${escaped(name)}</h1>
${parts}<h2>Other ways out</h2>
<p>${WAYS_OUT}</p>
`;
  return {
    target: `rules/${id}.html`,
    title: escaped(`${id}: ${name}`),
    html,
    text: name,
    id,
    name,
  };
}

const WAYS_OUT = `A comment in the code suppresses a finding below critical, with a reason.
A person who may override lets the change pass, or accepts the finding for a time.
<a href="${OUT.rules}">Get a finding out of the way</a> says how.`;

function rulePart(rule, isOneOfMany) {
  const { id, description, severity, message, fix, cwe, source, examples } = rule;
  const heading = isOneOfMany ? `<h2>${escaped(description)}</h2>\n` : '';
  const level = isOneOfMany ? 'h3' : 'h2';
  return `${heading}${facts([
    ['Gate', '1, patterns'],
    ['Severity', severity],
    ['Weakness', cwe === undefined ? null : cweLink(cwe)],
    ['Looks at', where(rule)],
    ['Written from', source.startsWith('http') ? link(source) : escaped(source)],
    ...(isOneOfMany ? [['Rule', `<code>${escaped(id)}</code>`]] : []),
  ])}<${level}>Why it matters</${level}>
<p>${escaped(message)}</p>
<${level}>The way out</${level}>
<p>${escaped(fix)}</p>
${example(level, 'Found', examples.match[0])}${example(level, 'Not found', examples.noMatch[0])}`;
}

function kindPart(id, { finds, why, fix, cwe, bad, good }) {
  const isCertain = id.startsWith('vuln-');
  return `<p>${escaped(finds)}</p>
${facts([
  ['Gate', '2, syntax and data flow'],
  ['Severity', isCertain ? 'critical' : 'high, medium or low: as far as the source is certain'],
  ['Weakness', cwe.map(cweLink).join(', ')],
  ['Looks at', `code of the languages of <a href="${OUT.gate2}">gate 2</a>`],
])}<h2>Why it matters</h2>
<p>${escaped(why)}</p>
<h2>The way out</h2>
<p>${escaped(fix)}</p>
${example('h2', 'Found', bad[id])}${example('h2', 'Not found', good)}`;
}

function notePart([means, act]) {
  return `<h2>What it means</h2>
<p>${inline(means)}</p>
<h2>The way out</h2>
<p>${inline(act)}</p>
`;
}

/** What a rule on text or on documents is run on, in words. */
function where({ document, path, target }) {
  if (document !== undefined) {
    const types = document.on.map((type) => `<code>${escaped(type)}</code>`).join(', ');
    return `${escaped(document.kind)}: ${types}`;
  }
  const on = { hunk: 'changed lines with those beside them', header: 'names and modes of files' };
  const what = on[target] ?? 'added lines';
  return path === undefined
    ? what
    : `${what} of files whose path matches <code>${escaped(path)}</code>`;
}

function facts(rows) {
  const shown = rows.filter(([, value]) => value !== null);
  return `<dl>\n${shown.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>\n`).join('')}</dl>\n`;
}

function example(level, title, text) {
  if (text === undefined) return '';
  const shown =
    text.length > EXAMPLE_CHARACTERS_MAX ? `${text.slice(0, EXAMPLE_CHARACTERS_MAX)}\n...` : text;
  return `<${level}>${title}</${level}>\n${codeBlock(shown)}`;
}

function cweLink(cwe) {
  const number = cwe.replace('CWE-', '');
  return `<a href="https://cwe.mitre.org/data/definitions/${number}.html">${escaped(cwe)}</a>`;
}

function link(address) {
  return `<a href="${escaped(address)}">${escaped(address)}</a>`;
}

/** Text with names in backquotes. */
function inline(text) {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

const FAMILIES = {
  vuln: 'Vulnerabilities: nothing lowers them',
  ast: 'Gate 2',
  secret: 'Secrets',
  risk: 'Risks',
};

function listPage(pages) {
  const families = groupBy(pages, ({ id }) => FAMILIES[id.split('-')[0]] ?? 'Notes');
  const parts = [...new Set([...Object.values(FAMILIES), 'Notes'])].map((family) => {
    const rows = (families.get(family) ?? []).map(
      ({ id, name }) => `<li><a href="${id}.html">${id}</a>: ${escaped(name)}</li>\n`,
    );
    return `<h2>${family}</h2>\n<ul>\n${rows.join('')}</ul>\n`;
  });
  const html = `<h1>Rules and findings</h1>
<p>${pages.length} ids. The search finds them by words, too.</p>
${parts.join('')}`;
  return {
    target: 'rules/index.html',
    title: 'Rules and findings',
    html,
    text: 'list of all rules',
  };
}

const UNLISTED = {
  target: 'rules/unlisted.html',
  title: 'No page for this id',
  html: `<h1>No page for this id</h1>
<p>The handbook has pages for built-in rules. This finding comes of a rule in the rules file of
this service, of a model of gate 3, or of another version.</p>
<p>The page "Rules" of the dashboard shows the rule. <a href="${OUT.file}">The rules file</a> says
what its fields mean.</p>
`,
  text: null,
};
