import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { TITLES } from '../../../src/model/finding.ts';
import { CLASSES } from '../../../src/model/sarif.ts';
import { KIND_PAGES, NOTE_PAGES } from '../../../src/rules/wording/pages.ts';
import { fragmentOf, inspectTree } from '../../gates/syntax/code.ts';

test('each class of gate 2, and each finding of no rule, has its page', (t) => {
  const kinds = KIND_PAGES.flatMap(({ bad }) => Object.keys(bad));
  t.deepEqual(kinds.sort(), Object.keys(CLASSES).sort());
  t.deepEqual(Object.keys(NOTE_PAGES).sort(), [...TITLES.keys()].sort());
});

test('the examples on the pages of gate 2 are found, and their counterparts are not', async (t) => {
  const idsIn = async (text: string, path = 'src/app.js') => {
    const { findings } = await inspectTree(fragmentOf(text, { path }));
    return findings.map(({ id }) => id);
  };
  for (const { bad, good, path } of KIND_PAGES) {
    for (const [id, text] of Object.entries(bad)) t.deepEqual(await idsIn(text, path), [id], text);
    t.deepEqual(await idsIn(good, path), [], good);
  }
});

test('an id that the gates write by name has a page', (t) => {
  const rules = JSON.parse(readFileSync('dist/src/rules/default.json', 'utf8')).rules;
  const patterns = [...rules.secret_patterns, ...rules.risk_patterns];
  const known = new Set([
    ...patterns.map(({ id, report_as }) => report_as ?? id),
    ...Object.keys(CLASSES),
    ...TITLES.keys(),
  ]);
  const sources = readdirSync('src/gates', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const written = sources.flatMap((name) =>
    [...readFileSync(`src/gates/${name}`, 'utf8').matchAll(/'((?:ast|vuln|risk)-[a-z\d-]+)'/g)].map(
      ([, id = '']) => id,
    ),
  );
  t.true(written.length > 100);
  t.deepEqual([...new Set(written.filter((id) => !known.has(id)))], []);
});
