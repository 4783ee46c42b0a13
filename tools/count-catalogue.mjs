#!/usr/bin/env node
/**
 * Prints packages, lines and tests of gate 2's catalogue by topic. A line is an entry of a package
 * in src/rules/catalogue; its test is the example of test/gates/syntax/catalogue that names it.
 * Run it after `npm run build`. Usage: count-catalogue.mjs
 */
import { existsSync, readFileSync } from 'node:fs';
import { topics } from '../dist/src/rules/catalogue.js';

const SORTS = ['sinks', 'sources', 'propagators'];
const byPackage = new Map();
const rows = Object.entries(topics).map(([topic, entries]) => {
  let lines = 0;
  for (const entry of entries) {
    const own = SORTS.reduce((sum, sort) => sum + (entry[sort]?.length ?? 0), 0);
    lines += own;
    byPackage.set(entry.package, (byPackage.get(entry.package) ?? 0) + own);
  }
  const path = `test/gates/syntax/catalogue/${topic}.txt`;
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return { topic, packages: entries.length, lines, tests: text.split(/^=== /m).length - 1 };
});
for (const { topic, packages, lines, tests } of rows) {
  console.log(`${topic.padEnd(24)} ${packages} packages, ${lines} lines, ${tests} tests`);
}
const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
const rich = [...byPackage.values()].filter((lines) => lines >= 5).length;
console.log(
  `in all ${byPackage.size} packages, ${rich} of them with 5 lines or more, ` +
    `${sum('lines')} lines, ${sum('tests')} tests`,
);
