#!/usr/bin/env node
/**
 * Prints packages, rows and tests of gate 2's catalogue by topic. A row is a fact of a table in
 * src/rules/catalogue; its test, for JavaScript, is the example of test/gates/syntax/catalogue that
 * names it, for other languages a case of test/gates/syntax/<language>.
 * Run it after `npm run build`. Usage: count-catalogue.mjs
 */
import { existsSync, readFileSync } from 'node:fs';
import { CATALOGUE_LANGUAGES, tablesOf } from '../dist/src/rules/catalogue/tables.js';

const SORTS = ['sinks', 'sources', 'propagators'];
const FLAT = ['sanitizers', 'checks', 'commands', 'consumers'];
const byPackage = new Map();

function countTopic(language, topic, table) {
  const add = (name, rows) => byPackage.set(name, (byPackage.get(name) ?? 0) + rows);
  const names = new Set();
  let rows = 0;
  for (const entry of table.packages) {
    const own = SORTS.reduce((sum, sort) => sum + (entry[sort]?.length ?? 0), 0);
    rows += own;
    names.add(entry.package);
    add(`${language} ${entry.package}`, own);
  }
  for (const line of FLAT.flatMap((sort) => table[sort])) {
    rows += 1;
    names.add(line.package);
    add(`${language} ${line.package}`, 1);
  }
  const path = `test/gates/syntax/catalogue/${topic}.txt`;
  const isTested = language === 'javascript' && existsSync(path);
  const text = isTested ? readFileSync(path, 'utf8') : '';
  const tests = text.split(/^=== /m).length - 1;
  const operations = table.operations.length;
  return { language, topic, packages: names.size, rows, operations, tests };
}

const counts = CATALOGUE_LANGUAGES.flatMap((language) =>
  Object.entries(tablesOf(language)).map(([topic, table]) => countTopic(language, topic, table)),
);
for (const { language, topic, packages, rows, operations, tests } of counts) {
  const more = operations === 0 ? '' : `, ${operations} operations`;
  const name = `${language}/${topic}`.padEnd(32);
  console.log(`${name} ${packages} packages, ${rows} rows, ${tests} tests${more}`);
}
const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
const rich = [...byPackage.values()].filter((rows) => rows >= 5).length;
console.log(
  `in all ${byPackage.size} packages, ${rich} of them with 5 rows or more, ` +
    `${sum('rows')} rows, ${sum('operations')} operations, ${sum('tests')} tests`,
);
