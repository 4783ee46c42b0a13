#!/usr/bin/env node
/**
 * Checks the rules of the house that Biome, tsc and knip do not know: who may import whom, which
 * package is fenced in where, which folders do no I/O, and style. Part of `npm run check`.
 * Usage: check-house.mjs [ROOT]. Prints `file:line rule: message`; exits with 1 if there are any.
 */
import { resolve } from 'node:path';
import { checkCircles } from './house/circles.mjs';
import { checkFences } from './house/fences.mjs';
import { checkImports } from './house/layers.mjs';
import { checkLimits } from './house/limits.mjs';
import { checkPurity } from './house/purity.mjs';
import { checkReach } from './house/reach.mjs';
import { readPages, readSources } from './house/sources.mjs';
import { checkPages, checkStyle } from './house/style.mjs';

const CHECKS = [
  checkImports,
  checkCircles,
  checkFences,
  checkReach,
  checkPurity,
  checkStyle,
  checkLimits,
];

const root = resolve(process.argv[2] ?? '.');
const sources = readSources(root);
const found = [...CHECKS.flatMap((check) => check(sources)), ...checkPages(readPages(root))];
const lines = found.map(({ path, line, rule, message }) => `${path}:${line} ${rule}: ${message}`);
for (const line of [...new Set(lines)].sort()) console.log(line);
if (sources.length === 0) console.log('check-house: there is nothing to check here');
process.exitCode = found.length === 0 && sources.length > 0 ? 0 : 1;
