import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../free-port.ts';
import { onPath } from './binary.ts';

export interface MemberOptions {
  binary: string;
  /** For data and log; `dbpath` survives `kill` and is met again by `start`. */
  folder: string;
  /** More arguments of mongod. */
  args: readonly string[];
  /** Variables beside those of this process. */
  env: Readonly<Record<string, string>>;
}

/** One mongod process. */
export interface MongodMember {
  /** 127.0.0.1:port */
  readonly host: string;
  readonly dbpath: string;
  /** Of the running process; null: it does not run. */
  pid(): number | null;
  /** Starts it again, on the same port and data, and waits until it answers. */
  start(): Promise<void>;
  /** Ends it (SIGKILL unless told otherwise) and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Recovery after a kill takes its time where others use the same cores. */
const START_MS_MAX = 120_000;

/** Every member that runs: none outlives this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a mongod on a free port of the loopback and waits until it answers. */
export async function startMember(options: MemberOptions): Promise<MongodMember> {
  const { binary, folder, args, env } = options;
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const dbpath = join(folder, 'db');
  const logPath = join(folder, 'mongod.log');
  mkdirSync(dbpath, { recursive: true });
  const command = [binary, ...fixedArgs(port, dbpath, logPath), ...args];
  let child: ChildProcess | null = null;

  const member: MongodMember = {
    host,
    dbpath,
    pid: () => child?.pid ?? null,
    async start() {
      const started = spawnBound(command, { ...process.env, ...env });
      child = started;
      running.add(started);
      started.once('exit', () => {
        running.delete(started);
        if (child === started) child = null;
      });
      await answers(host, started, logPath);
      // A process that has nothing else to do ends, and its mongod with it.
      started.unref();
    },
    async kill(signal = 'SIGKILL') {
      if (child === null) return;
      const gone = once(child, 'exit');
      child.ref();
      child.kill(signal);
      await gone;
    },
  };
  await member.start();
  return member;
}

function fixedArgs(port: number, dbpath: string, logPath: string): string[] {
  return [
    ...['--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ...['--dbpath', dbpath, '--logpath', logPath, '--logappend', '--quiet'],
    ...['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '64'],
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // Tests have clocks of their own, so nothing may expire by that of the machine.
    ...['--setParameter', 'ttlMonitorEnabled=false'],
  ];
}

/** Where setpriv is at hand, the kernel ends mongod also when this process is killed. */
function spawnBound(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const setpriv = process.platform === 'linux' ? onPath('setpriv') : null;
  return setpriv === null
    ? spawn(program, args, { stdio: 'ignore', env })
    : spawn(setpriv, ['--pdeathsig', 'KILL', program, ...args], { stdio: 'ignore', env });
}

async function answers(host: string, child: ChildProcess, logPath: string): Promise<void> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: START_MS_MAX,
    heartbeatFrequencyMS: 500,
  });
  const ended = new AbortController();
  const died = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`mongod ended at once:\n${lastLines(logPath)}`);
  });
  try {
    await Promise.race([client.db('admin').command({ hello: 1 }), died]);
  } finally {
    died.catch(() => undefined);
    ended.abort();
    await client.close();
  }
}

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trim().split('\n').slice(-5).join('\n');
}
