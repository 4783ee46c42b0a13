import { shareMongod } from './tools/shared-mongod.mjs';

export default () => ({
  files: ['dist/test/**/*.test.js', '!dist/test/{interop,proof}/**'],
  workerThreads: false,
  concurrency: 2,
  timeout: '300s',
  environmentVariables: { CRA_TEST_MONGOD_SOCKET: shareMongod() },
  nodeArguments: ['--enable-source-maps'],
});
