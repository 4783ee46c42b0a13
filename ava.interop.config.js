export default {
  files: ['dist/test/interop/**/*.test.js'],
  workerThreads: false,
  // Much of what they do is waiting: for packages, browsers, clients that are slow on purpose.
  concurrency: 2,
  timeout: '300s',
  nodeArguments: ['--enable-source-maps'],
};
