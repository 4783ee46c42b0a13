#!/usr/bin/env node
/**
 * Writes the built-in rules and their revision as one JSON, as it loads faster than modules, and
 * the index of their keywords, which each thread would make for itself.
 */
import { writeFileSync } from 'node:fs';
import { prepareRules } from '../dist/src/gates/patterns/compile.js';
import { rulesRevision } from '../dist/src/model/rules.js';
import { storeKeywords } from '../dist/src/rulebook/active-rules.js';
import { defaultRules } from '../dist/src/rules/default.js';

const revision = rulesRevision(defaultRules);
const text = JSON.stringify({ revision, rules: defaultRules });
writeFileSync(new URL('../dist/src/rules/default.json', import.meta.url), text);
storeKeywords({ revision, index: prepareRules(defaultRules).textKeywords });
