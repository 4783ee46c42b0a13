/**
 * Test files of `npm test` that share a process. A process costs .3 s of CPU before its first test,
 * and reads rules, parsers and validators again.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../dist/test/', import.meta.url));
const GROUPS = `${TESTS}groups/`;

/**
 * Folders and files of `test` by the process that runs them. Their tests compute only: tests of
 * one process wait for each other, so a test with a server, a process or a deadline is `ALONE`.
 * Titles are unique within a group.
 */
const TOGETHER = {
  analysis: ['analysis/worker', 'analysis/review-memory', 'redaction', 'verdict'],
  configuration: [
    ...['gates/configuration', 'gates/coverage', 'gates/external'],
    ...['gates/dependencies/lockfiles', 'gates/review/answer'],
    'gates/review/memory',
  ],
  patterns: ['gates/patterns'],
  services: [
    ...['analysis/analysis', 'auth/authenticate', 'auth/sessions', 'decisions/decisions'],
    ...['heads/heads', 'http/decisions', 'pushes/revocation', 'pushes/statuses/overwritten'],
    ...['tasks/tasks', 'telemetry/status', 'usage/usage'],
  ],
  syntax: ['gates/syntax'],
  rest: [
    ...['audit', 'auth/access', 'bench', 'core', 'deploys', 'diff', 'docs/handbook'],
    ...['heads/carrying', 'hosts/signature', 'hosts/webhook', 'model', 'pushes/statuses/report'],
    ...['rules', 'store/contract', 'store/steps', 'telemetry/operations', 'telemetry/readiness'],
  ],
};

const ALONE = [
  ...['analysis/worker/builds', 'analysis/worker/large-files', 'analysis/worker/show-code'],
  ...['analysis/worker/whole-files', 'audit/cli', 'audit/verify-records', 'core/batching'],
  ...['diff/git', 'gates/patterns/default-rules', 'gates/patterns/hunk-edge', 'model/next-steps'],
  ...['gates/syntax/forms', 'gates/syntax/own-rows', 'gates/syntax/readings'],
  ...['gates/syntax/program/completed', 'gates/syntax/program/flows'],
  'gates/syntax/program/handlers',
  // They load a parser before they declare their tests.
  ...['gates/syntax/lowering', 'gates/syntax/lowering-csharp', 'gates/syntax/lowering-golang'],
  ...['gates/syntax/lowering-kotlin', 'gates/syntax/lowering-python'],
  // As long as a group. A process that only computes reports its tests at its end, and ava gives
  // up one that reports nothing for its `timeout`.
  ...['gates/configuration/resources', 'gates/patterns/hostile', 'gates/patterns/secret-edges'],
  ...['gates/syntax/bounds', 'gates/syntax/catalogue', 'gates/syntax/embedded'],
  ...['gates/syntax/fragment-tree', 'gates/syntax/trees'],
];

/** Files that take longest, in order: one of them that starts last keeps one core busy alone. */
const LONGEST = [
  ...['interop/dashboard', 'pushes/daemon/heads', 'gates/syntax/trees', 'gates/review/daemon'],
  ...['store/mongo/conformance', 'store/mongo/decide', 'groups/configuration', 'git/sync'],
  ...['store/sqlite/conformance', 'cli/commands', 'http/resources', 'groups/patterns'],
  ...['pushes/daemon/components', 'pushes/daemon/laundering', 'pushes/daemon/kinds'],
  ...['pushes/laundering', 'groups/analysis', 'groups/rest', 'gates/configuration/resources'],
  ...['gates/syntax/catalogue', 'git/same-change'],
];

/** Compares two paths of test files: the longest come first, the others as they were found. */
export function longestFirst(one, other) {
  return rankOf(one) - rankOf(other);
}

function rankOf(path) {
  const rank = LONGEST.findIndex((place) => path.endsWith(`/test/${place}.test.js`));
  return rank < 0 ? LONGEST.length : rank;
}

/**
 * Patterns of all test files except interop and proof. Where a run names files or folders, each
 * file runs by itself: ava finds the file of a group only by the name of the group.
 */
export function groupedTests(args = process.argv.slice(2)) {
  const all = ['dist/test/**/*.test.js', '!dist/test/{interop,proof}/**'];
  if (args.some((arg) => !arg.startsWith('-'))) return all;
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS);
  const found = readdirSync(TESTS, { recursive: true }).filter((path) => path.endsWith('.test.js'));
  const grouped = [];
  for (const [group, places] of Object.entries(TOGETHER)) {
    const members = found.filter((path) => places.some((place) => isAt(path, place))).sort();
    const files = members.filter((path) => !ALONE.some((alone) => isAt(path, alone)));
    const imports = files.map((path) => `import '${relative(GROUPS, `${TESTS}${path}`)}';\n`);
    writeFileSync(`${GROUPS}${group}.test.js`, imports.join(''));
    grouped.push(...files);
  }
  return [...all, ...grouped.map((path) => `!dist/test/${path}`)];
}

function isAt(path, place) {
  return path === `${place}.test.js` || path.startsWith(`${place}/`);
}
