import { join } from 'node:path';
import { bootMachine, type Machine } from '../systemd/machine.ts';
import { fileOf } from './make.ts';

/**
 * Boots a machine as an administrator has it, with sudo and ssh-keygen, and the releases of
 * `folder` in /root, each with the key of the owner. Its service listens on `port`.
 */
export async function bootAdministered(folder: string, port: number): Promise<Machine> {
  const machine = await bootMachine(folder);
  try {
    await machine.sh(
      [
        `echo 'APT::Get::Assume-Yes "true";' > /etc/apt/apt.conf.d/90yes`,
        'export DEBIAN_FRONTEND=noninteractive',
        'apt-get -qq update; apt-get -qq install --no-install-recommends sudo openssh-client',
        'for name in before one; do cp -r "/packages/$name" /root/; cp /packages/release.pub "/root/$name/"; done',
      ].join('\n'),
    );
    const drop = `[Service]\nEnvironment=SERVICE_PORT=${port} SERVICE_THREADS=2\n`;
    await machine.write('/etc/systemd/system/cra.service.d/port.conf', drop);
  } catch (thrown) {
    await machine.stop();
    throw thrown;
  }
  return machine;
}

/** Runs commands of the instructions in the folder of a release. */
export async function follow(
  machine: Machine,
  name: 'before' | 'one',
  commands: string,
): Promise<string> {
  return machine.sh(`cd "/root/$1"; export DEBIAN_FRONTEND=noninteractive; ${commands}`, name);
}

/** The version of a release, as its package names it. */
export function versionOf(folder: string, name: 'before' | 'one'): string {
  const [, version = ''] =
    /^cra_(.*)_[a-z0-9]+\.deb$/.exec(fileOf(join(folder, name), '.deb')) ?? [];
  return version;
}

/** The version of the package that is installed. */
export async function installedVersion(machine: Machine): Promise<string> {
  return (await machine.run('dpkg-query', '--show', 'cra')).trim().replace(/^\S+\s+/, '');
}
