import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { until } from '../../daemon.ts';

/** A Debian 12 with systemd as its first process, in a container; the network is the host's. */
export interface Machine {
  /** Runs a program in it and resolves with its output; rejects when it fails. */
  run(program: string, ...args: string[]): Promise<string>;
  /** The same of a shell script; `$1`, `$2`, ... are the arguments. */
  sh(script: string, ...args: string[]): Promise<string>;
  write(path: string, text: string, mode?: string): Promise<void>;
  /** A property of a unit, as `systemctl show` prints it. */
  property(unit: string, name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Debian 12 as the package expects to find it: nothing but its dependencies. */
const BASE = resolve('.cache/debian-12');
const PACKAGES = 'systemd,systemd-sysv,git,ca-certificates';
const MIRROR = 'http://deb.debian.org/debian';

/** Boots a machine, whose changes are kept in memory; `folder` is there as `/packages`. */
export async function bootMachine(folder: string): Promise<Machine> {
  makeBase();
  const args = [
    ...['--quiet', '--register=no', '--keep-unit', '--console=pipe', '--volatile=overlay'],
    ...[`--directory=${BASE}`, `--machine=cra-${randomBytes(4).toString('hex')}`],
    ...[`--bind-ro=${folder}:/packages`, '--boot', 'systemd.firstboot=no'],
  ];
  const nspawn = spawn('systemd-nspawn', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(nspawn, 'exit');
  // The first child of systemd-nspawn is a passing one: only the last has systemd in it.
  const leader = () => childOf(nspawn.pid ?? 0);
  const run = (...command: string[]) => {
    const enter = ['--mount', '--uts', '--ipc', '--pid', '--cgroup', '--'];
    return output('nsenter', ['--target', leader(), ...enter, ...command]);
  };
  const machine: Machine = {
    run,
    sh: (script, ...more) => run('/bin/sh', '-euc', script, 'sh', ...more),
    async write(path, text, mode = '0644') {
      const script = 'mkdir -p "$(dirname "$1")"; printf %s "$2" > "$1"; chmod "$3" "$1"';
      await machine.sh(script, path, text, mode);
    },
    async property(unit, name) {
      return (await run('systemctl', 'show', '--value', '-p', name, unit)).trim();
    },
    async stop() {
      process.kill(Number(leader()), 'SIGKILL');
      await ended;
    },
  };
  await until(() => {
    if (nspawn.exitCode !== null) throw new Error('systemd-nspawn ended: is it run by root?');
    return isUp(machine);
  });
  return machine;
}

function makeBase(): void {
  if (existsSync(BASE)) return;
  const fresh = `${BASE}.new`;
  mkdirSync(fresh, { recursive: true });
  const args = ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', fresh, MIRROR];
  execFileSync('debootstrap', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(fresh, BASE);
}

function childOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  } catch {
    return '';
  }
}

async function isUp(machine: Machine): Promise<boolean> {
  const state = await machine.run('systemctl', 'is-system-running').catch((error) => error.stdout);
  return /^(?:running|degraded)/.test(state);
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Rejects with an Error whose message ends with what the program printed. */
function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((settle, reject) => {
    execFile(program, args, { maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
      if (error === null) return settle(stdout);
      error.message = `${args.slice(8).join(' ')}: code ${error.code}: ${stdout}${stderr}`;
      reject(Object.assign(error, { stdout }));
    });
  });
}
