export default {
  files: ['dist/test/**/*.test.js', '!dist/test/{interop,proof}/**'],
  workerThreads: false,
  concurrency: 2,
  timeout: '120s',
  nodeArguments: ['--enable-source-maps'],
};
