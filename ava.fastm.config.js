import { shareMongod } from './tools/shared-mongod.mjs';
export default () => ({ files: ['dist/test/**/*.test.js'], workerThreads: false, concurrency: 1, timeout: '600s', environmentVariables: { CRA_TEST_MONGOD_SOCKET: shareMongod() }, nodeArguments: ['--enable-source-maps','--cpu-prof','--cpu-prof-dir=/tmp/fa-p5','--cpu-prof-interval=1000'] });
