import { shareMongod } from './tools/shared-mongod.mjs';

export default () => ({
  files: ['dist/test/**/*.test.js', '!dist/test/{interop,proof}/**'],
  workerThreads: false,
  // Files wait for databases, processes and the clock of others more than they compute.
  concurrency: 3,
  timeout: '300s',
  environmentVariables: { CRA_TEST_MONGOD_SOCKET: shareMongod() },
  nodeArguments: ['--enable-source-maps'],
});
