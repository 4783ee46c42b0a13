export default {
  files: ['dist/test/interop/**/*.test.js'],
  workerThreads: false,
  concurrency: 1,
  timeout: '300s',
  nodeArguments: ['--enable-source-maps'],
};
