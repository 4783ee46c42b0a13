import { groupedTests, longestFirst } from './tools/grouped-tests.mjs';
import { shareMongod } from './tools/shared-mongod.mjs';
import { casesFrom } from './tools/some-cases.mjs';

/**
 * Most of what a test runs is not run again, so V8 need not optimise it. V8 12, which Node 22 has,
 * does not know the flag.
 */
const optimiseLate = () =>
  Number.parseInt(process.versions.v8, 10) < 12 ? ['--interrupt-budget=500000'] : [];

export default () => ({
  files: groupedTests(),
  sortTestFiles: longestFirst,
  workerThreads: false,
  // Files wait for 40 % of their time: for databases, processes and the clock of others. With
  // three at a time two cores were idle for an eighth of a run.
  concurrency: 4,
  timeout: '300s',
  environmentVariables: { CRA_TEST_MONGOD_SOCKET: shareMongod(), CASES_FROM: casesFrom() },
  nodeArguments: ['--enable-source-maps', ...optimiseLate()],
});
