import { readdirSync, readFileSync } from 'node:fs';
import { shareMongod } from './tools/shared-mongod.mjs';

const TESTS = new URL('dist/test/', import.meta.url);

/** What a test asks of which `npm test` takes a part of its cases, stores or rounds. */
const ALL = {
  KILL_SEEDS: '20',
  LAUNDERING_RUNS: '10000',
  CRA_PROOF_RUNS: '150',
  CATALOGUE_LINES_EVERY: '1',
  ALL_CASES: '1',
};
const TAKES_PART = new RegExp(`/some-cases\\.js'|${Object.keys(ALL).join('|')}`);

/** Test files that take a part, or ask for a variable of `ALL`. */
function partial() {
  const files = readdirSync(TESTS, { recursive: true }).filter((path) => path.endsWith('.test.js'));
  return files
    .filter((path) => !/^(?:groups|interop|proof)\//.test(path))
    .filter((path) => TAKES_PART.test(readFileSync(new URL(path, TESTS), 'utf8')))
    .map((path) => `dist/test/${path}`);
}

/**
 * Kills, outages in real seconds, several daemons; and all cases, stores and rounds of the files of
 * which `npm test` takes a part.
 */
export default () => ({
  files: ['dist/test/proof/**/*.test.js', ...partial()],
  workerThreads: false,
  concurrency: 1,
  timeout: '600s',
  environmentVariables: {
    CRA_TEST_MONGOD_SOCKET: shareMongod(),
    ...ALL,
    SERVICE_THREADS: '2',
  },
  nodeArguments: ['--enable-source-maps'],
});
