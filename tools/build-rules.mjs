#!/usr/bin/env node
/**
 * Writes the built-in rules and their revision as one JSON, as it loads faster than modules; the
 * same without examples, which no scan needs; and the index of their keywords, which each thread
 * would make for itself. Before that it checks the tables of gate 2's catalogue:
 * `file:line: problem`.
 */
import { writeFileSync } from 'node:fs';
import { prepareRules } from '../dist/src/gates/patterns/compile.js';
import { rulesRevision } from '../dist/src/model/rules.js';
import { storeKeywords, withoutExamples } from '../dist/src/rulebook/active-rules.js';
import { CATALOGUE_LANGUAGES, tablesOf } from '../dist/src/rules/catalogue/tables.js';
import { defaultRules } from '../dist/src/rules/default.js';
import { storeFacts } from '../dist/src/rules/documents.js';

for (const language of CATALOGUE_LANGUAGES) {
  try {
    tablesOf(language);
  } catch (thrown) {
    console.error(thrown.message);
    process.exitCode = 1;
  }
}
if (process.exitCode === 1) process.exit();

const revision = rulesRevision(defaultRules);
const text = JSON.stringify({ revision, rules: defaultRules });
writeFileSync(new URL('../dist/src/rules/default.json', import.meta.url), text);
const active = JSON.stringify({ revision, rules: withoutExamples(defaultRules) });
writeFileSync(new URL('../dist/src/rules/active.json', import.meta.url), active);
storeFacts();
storeKeywords({ revision, index: prepareRules(defaultRules).textKeywords });
