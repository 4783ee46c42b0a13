#!/usr/bin/env node
/**
 * Sums up test runs: `tap-count.mjs FILE...` reads what `ava --tap` wrote and prints
 * `N passed, N failed` as its last line, and before it each failure with the lines that the run
 * indented below it. A test that was skipped or is to be written has failed, and so has a run that
 * did not reach its plan. Exits with 1 unless everything passed.
 */
import { readFileSync } from 'node:fs';

const totals = { passed: 0, failed: 0 };
for (const path of process.argv.slice(2)) {
  const { passed, failures } = countTap(readFileSync(path, 'utf8'));
  for (const failure of failures) console.log(`failed: ${failure.trimEnd()}`);
  totals.passed += passed;
  totals.failed += failures.length;
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;

/** Points are numbered without gaps, so other output that looks like one is not counted. */
function countTap(text) {
  const failures = [];
  let points = 0;
  let plan = 0;
  let hasFailed = false;
  for (const line of text.split('\n')) {
    plan = Number(/^1\.\.(\d+)$/.exec(line)?.[1] ?? plan);
    const point = /^(not )?ok (\d+)(?: - (.*))?$/.exec(line);
    if (point === null || Number(point[2]) !== points + 1) {
      // A blank line ends nothing: a message may have one.
      if (!/^(?: {2}|$)/.test(line)) hasFailed = false;
      else if (hasFailed) failures.push(`${failures.pop()}\n${line}`);
      continue;
    }
    points += 1;
    const title = point[3] ?? 'a test without a name';
    hasFailed = point[1] !== undefined || / # (?:SKIP|TODO)\b/.test(title);
    if (hasFailed) failures.push(title);
  }
  const passed = points - failures.length;
  if (points === 0 || points < plan || !/^1\.\.\d+$/m.test(text)) {
    failures.push(`a run that ended after ${points} tests, ${plan} of them planned`);
  }
  return { passed, failures };
}
