import { longestFirst } from './tools/grouped-tests.mjs';

export default {
  files: ['dist/test/interop/**/*.test.js'],
  sortTestFiles: longestFirst,
  workerThreads: false,
  // Some load the service: nothing else may run beside them.
  concurrency: 1,
  timeout: '300s',
  environmentVariables: { SERVICE_THREADS: '2' },
  nodeArguments: ['--enable-source-maps'],
};
