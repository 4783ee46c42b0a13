import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { freePort } from '../free-port.ts';
import { openHouse } from '../pushes/daemon/house.ts';
import { bootMachine, type Machine } from './systemd/machine.ts';
import { provePackage } from './systemd/package-steps.ts';
import { proveRolling } from './systemd/rolling-steps.ts';
import { answers, createSteps, eventually, type Steps, serviceAt } from './systemd/steps.ts';
import { proveUnit } from './systemd/unit-steps.ts';

/**
 * Builds the package and boots Debian 12 with it in `systemd-nspawn` (`--only unit`,
 * `--only daemons`). Needs root, systemd-container and, the first time, debootstrap.
 */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const undo: (() => unknown)[] = [() => temporary.remove()];
  const tables: Table[] = [];
  let failed = 0;
  try {
    const packages = buildTwo(temporary.path);
    for (const [name, title, prove] of PARTS) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const steps = createSteps((text) => options.progress(`systemd: ${text}`));
      const machine = await bootMachine(temporary.path);
      try {
        await prove(steps, machine, packages, (step) => undo.push(step));
      } finally {
        await machine.stop();
      }
      failed += steps.failed;
      tables.push({ columns: [title, 'result'], rows: steps.rows });
    }
  } finally {
    for (const step of undo.reverse()) await step();
  }
  return {
    title: 'Units and package under systemd',
    facts: [
      'Debian 12 with nothing but git and ca-certificates, systemd 252 as its first process, in ' +
        'systemd-nspawn with the network of the host; cgroup v1 here, so no limits of memory',
    ],
    tables,
    notes: [],
    holds: failed === 0,
  };
}

interface Packages {
  first: string;
  second: string;
}

type OnEnd = (step: () => unknown) => void;

const PARTS: readonly (readonly [
  name: string,
  title: string,
  prove: (steps: Steps, machine: Machine, packages: Packages, onEnd: OnEnd) => Promise<void>,
])[] = [
  ['unit', 'one daemon', proveSingle],
  [
    'daemons',
    'two daemons',
    (steps, machine, { first }, onEnd) => proveRolling(steps, machine, first, onEnd),
  ],
];

/** The package of this tree, and the same as a later version. */
function buildTwo(folder: string): Packages {
  const build = (...args: string[]) => {
    const output = execFileSync(process.execPath, ['tools/package.mjs', ...args], {
      encoding: 'utf8',
    });
    const path = output.trim().split('\n').at(-1) ?? '';
    copyFileSync(path, join(folder, basename(path)));
    return basename(path);
  };
  return { first: build(), second: build('--version', '99.0.0') };
}

async function proveSingle(
  steps: Steps,
  machine: Machine,
  packages: Packages,
  onEnd: OnEnd,
): Promise<void> {
  const port = await freePort();
  const house = await openHouse({ teardown: onEnd }, { isStarted: false });
  house.daemon = { ...house.daemon, url: `http://127.0.0.1:${port}/api/cra`, port };
  const drop = `[Service]\nEnvironment=SERVICE_PORT=${port} SERVICE_THREADS=2\nEnvironment=SERVICE_VCS_CONFIG=/etc/cra/vcs.json SERVICE_RULES_PATH=/etc/cra/rules.json\n`;
  await machine.write('/etc/systemd/system/cra.service.d/port.conf', drop);
  await machine.write('/etc/cra/vcs.json', readFileSync(house.configPath, 'utf8'));
  await machine.write('/etc/cra/rules.json', '{ "version": 1, "extends": "default" }');
  await steps.step('install on a bare Debian 12: starts by itself', async () => {
    await machine.sh(
      'DEBIAN_FRONTEND=noninteractive dpkg --install "/packages/$1"',
      packages.first,
    );
    await eventually(60, () => answers(serviceAt(port, '')));
    return packages.first;
  });
  const token = (await machine.run('cat', '/etc/credstore/cra_api_token')).trim();
  const service = serviceAt(port, token);
  await proveUnit(steps, machine, service, house);
  await machine.sh('rm -f /etc/cra/vcs.json /etc/cra/rules.json');
  await machine.write(
    '/etc/systemd/system/cra.service.d/port.conf',
    drop.replace(/\nEnvironment=SERVICE_VCS.*/, ''),
  );
  await machine.sh('systemctl daemon-reload; systemctl restart cra');
  await provePackage(steps, machine, service, packages);
}
