import { shareMongod } from './tools/shared-mongod.mjs';

/**
 * Kills, outages in real seconds, several daemons; and all cases, stores and rounds of the files of
 * which `npm test` takes a part.
 */
export default () => ({
  files: [
    'dist/test/proof/**/*.test.js',
    'dist/test/store/sqlite/kill.test.js',
    'dist/test/store/mongo/conformance.test.js',
    'dist/test/audit/formats.test.js',
    'dist/test/diff/properties.test.js',
    'dist/test/pushes/laundering.test.js',
    'dist/test/cli/commands.test.js',
    'dist/test/cli/ranges.test.js',
    'dist/test/rulebook/rules-docs.test.js',
    'dist/test/git/sync.test.js',
    'dist/test/tools/bundle.test.js',
    'dist/test/mcp/sessions.test.js',
    'dist/test/http/decisions.test.js',
    'dist/test/verdict/verdict.test.js',
    'dist/test/gates/syntax/catalogue.test.js',
    'dist/test/gates/syntax/trees.test.js',
    'dist/test/gates/syntax/fragment-tree.test.js',
    'dist/test/analysis/worker/show-code.test.js',
    'dist/test/gates/review/held.test.js',
    'dist/test/gates/patterns/secret-edges.test.js',
    'dist/test/gates/patterns/report.test.js',
    'dist/test/gates/configuration/resources.test.js',
    'dist/test/decisions/release.test.js',
    'dist/test/pushes/one-push.test.js',
    'dist/test/pushes/rejected.test.js',
    'dist/test/pushes/daemon/four-eyes.test.js',
    'dist/test/pushes/daemon/heads.test.js',
    'dist/test/pushes/daemon/host-down.test.js',
  ],
  workerThreads: false,
  concurrency: 1,
  timeout: '600s',
  environmentVariables: {
    CRA_TEST_MONGOD_SOCKET: shareMongod(),
    KILL_SEEDS: '20',
    LAUNDERING_RUNS: '10000',
    CRA_PROOF_RUNS: '150',
    CATALOGUE_LINES_EVERY: '1',
    ALL_CASES: '1',
    SERVICE_THREADS: '2',
  },
  nodeArguments: ['--enable-source-maps'],
});
