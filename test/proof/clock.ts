import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report, Table } from '../../bench/report.ts';
import type { Mongod } from '../mongod/mongod.ts';
import { withPlace } from './decisions.ts';
import { ClockSteps, iso, type SteppedClock } from './operations/clock-steps.ts';
import { verifyFaults } from './operations/stored.ts';

const STEPS = 300;
const FAULTS_SHOWN = 20;
const SHARED_MEMORY = '/dev/shm';
/** Where the package libfaketime puts the library for programs of several threads. */
const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
);

/** Steps the clock of daemon and store (`--only SQLite`, `--only MongoDB`) forth and back. */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  const temporary = makeTemporary();
  const others = new Set(sharedMemory());
  try {
    for (const name of ['SQLite', 'MongoDB'] as const) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const folder = join(temporary.path, name);
      // A mongod whose clock stands does not answer for long times.
      const clock = createClock(folder, name === 'SQLite');
      const steps = await withPlace(
        name,
        folder,
        async (place, mongod) => {
          const settings = { ...place.settings, ...clock.env };
          const start = () => startServedDaemon(place.dataDir, settings);
          const random = createRandom(options.seed);
          const progress = (text: string) => options.progress(`${name}: ${text}`);
          const revive = mongod === null ? null : () => startHungAgain(mongod);
          const proof = new ClockSteps({ clock, random, start, revive, progress });
          await proof.run(options.count ?? STEPS);
          proof.faults.push(...(await verifyFaults(place)));
          return proof;
        },
        clock.env,
      );
      const { counts, faults: found } = steps;
      const rows = [...counts, ['**faults**', found.length] as const];
      tables.push({ columns: [name, 'number'], rows });
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    }
  } finally {
    temporary.remove();
    const own = sharedMemory().filter((name) => !others.has(name) && !isOfRunning(name));
    for (const name of own) rmSync(join(SHARED_MEMORY, name), { force: true });
  }
  return {
    title: 'acceptances and emergencies under a clock that steps forth and back',
    facts: [
      `seed ${options.seed}; the daemon, and mongod, run under libfaketime; the clock steps within ` +
        '30 days, two times of three to an end, the ms before or after it, or 2 s before it; there ' +
        'the clock stands with SQLite, and goes on with MongoDB',
      'findings accepted by decisions (3 repositories), by the rules (2) and by markers (2), and ' +
        'emergencies whose review is due after 2 days; one step of five while the daemon is down',
    ],
    tables,
    notes: [
      'after each step prod-check, a change, prod-check again (of each repository), the exceptions, ' +
        'the emergencies and their counts are what the model says: ended from its time on, whatever ' +
        'the clock showed before; at the end the whole trail is verified',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

const PROBE_MS_MAX = 20_000;

/**
 * Asks mongod itself for a durable write, past the service and by a clock that does not step.
 * Where it does not answer, it is killed and started again: true.
 */
async function startHungAgain({ url, members }: Mongod): Promise<boolean> {
  const client = new MongoClient(url, { socketTimeoutMS: PROBE_MS_MAX, retryWrites: false });
  try {
    const written = client
      .db('probe')
      .collection('probe')
      .insertOne({}, { writeConcern: { w: 'majority', journal: true } });
    const late = setTimeout(PROBE_MS_MAX, null);
    if ((await Promise.race([written, late]).catch(() => null)) !== null) return false;
  } finally {
    await client.close(true);
  }
  for (const member of members) {
    await member.kill();
    await member.start();
  }
  return true;
}

/** What the library leaves behind of processes that were killed; names end with their pid. */
function sharedMemory(): string[] {
  return readdirSync(SHARED_MEMORY).filter((name) => /faketime_s(?:em|hm)_\d+$/.test(name));
}

function isOfRunning(name: string): boolean {
  return existsSync(join('/proc', name.slice(name.lastIndexOf('_') + 1)));
}

/** A clock for the processes that are started with `env`; throws without the library. */
function createClock(
  folder: string,
  canStand: boolean,
): SteppedClock & { env: Record<string, string> } {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) {
    throw new Error(
      'libfaketime was not found. Install it (apt-get install libfaketime); ' +
        `looked for ${LIBRARIES.join(' and ')}`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'clock');
  let frozenMs: number | null = null;
  let offsetMs = 0;
  /** Processes read it at each look at the clock: they must never see half of it. */
  function write(text: string): void {
    writeFileSync(`${path}.new`, `${text}\n`);
    renameSync(`${path}.new`, path);
  }
  function go(ms: number): void {
    frozenMs = null;
    offsetMs = ms - Date.now();
    write(`${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs) / 1000}`);
  }
  write('+0');
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      // Timers and deadlines go on; only the time of day steps.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
      // Times in the file are local ones.
      TZ: 'UTC',
    },
    now: () => frozenMs ?? Date.now() + offsetMs,
    go,
    freeze(ms) {
      if (!canStand) return go(ms);
      frozenMs = ms;
      // The library reads the fraction as a double: half a ms more, or .001 becomes .000.
      write(`${iso(ms).slice(0, 23).replace('T', ' ')}5`);
    },
  };
}
