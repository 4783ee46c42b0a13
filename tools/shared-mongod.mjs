/**
 * One mongod of each kind for all test files of an ava run. It lives in ava's own process, starts
 * when the first test file asks for it, and ends with the run.
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MODULE = new URL('../dist/test/mongod/mongod.js', import.meta.url);

/** Else it gathers figures for the support of MongoDB each second. */
const NO_DIAGNOSTICS = ['--setParameter', 'diagnosticDataCollectionEnabled=false'];

/**
 * Each test has a database of its own, of some sixty files. Those of databases that were dropped
 * go after 15 s, longer than any read lasts, not after five minutes, and idle ones are closed, or
 * a run needs 20,000 descriptors.
 */
const FEW_FILES = [
  ...['--setParameter', 'minSnapshotHistoryWindowInSeconds=15', '--syncdelay', '15'],
  '--wiredTigerEngineConfigString',
  'file_manager=(close_handle_minimum=100,close_idle_time=5,close_scan_interval=5)',
];

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 6 * 2 ** 30;

/** Options of `startMongod` by the name that a test file sends. */
const KINDS = {
  open: { args: [...NO_DIAGNOSTICS, ...FEW_FILES, '--setParameter', 'enableTestCommands=1'] },
  guarded: { args: [...NO_DIAGNOSTICS, ...FEW_FILES], auth: true },
};

/**
 * The path of a Unix socket: to the name of a kind it answers `{"url"}` or `{"error"}`, then
 * closes the connection. `test/mongod/mongod.ts` is its client.
 */
export function shareMongod() {
  const folder = mkdtempSync(join(fastFolder(), 'cra-ava-'));
  const path = join(folder, 'mongod.sock');
  const started = new Map();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.unref();
    socket.setEncoding('utf8');
    socket.on('error', () => socket.destroy());
    socket.once('data', async (kind) => {
      if (!started.has(kind)) started.set(kind, start(folder, kind));
      const answer = await started.get(kind).then(
        ({ url }) => ({ url }),
        (thrown) => ({ error: String(thrown) }),
      );
      socket.end(JSON.stringify(answer));
    });
  });
  server.listen(path).unref();
  process.on('exit', () => rmSync(path, { force: true }));
  return path;
}

/** In memory where there is enough of it: here a sync of mongod's journal proves nothing. */
function fastFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const free = Math.min(bavail * bsize, freemem());
    return free > MEMORY_BYTES_MIN ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function start(folder, kind) {
  const { startMongod } = await import(MODULE);
  // After the module's own listener, which kills the servers; they may still write for a moment.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  process.on('exit', () => rmSync(folder, options));
  return startMongod({ ...KINDS[kind], folder: join(folder, kind) });
}
