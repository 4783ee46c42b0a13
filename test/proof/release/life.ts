import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { blocked } from '../../decision-calls.ts';
import { freePort } from '../../free-port.ts';
import { leak } from '../../pushes/daemon/bad-code.ts';
import { startGitea } from '../gitea-host.ts';
import { outcomeOf, startLoad } from '../systemd/load.ts';
import type { Machine } from '../systemd/machine.ts';
import { answers, eventually, type Steps, serviceAt } from '../systemd/steps.ts';
import { type Connection, connect, pushAllTheTime } from './connect.ts';
import { BACK, BACKUP, INSTALL, INTERRUPTED, UNINSTALL, VERIFY } from './instructions.ts';
import { bootAdministered, follow, installedVersion, versionOf } from './machine.ts';

/** Requests a second while it is upgraded. */
const RATE = 20;
/** Of the load, before the upgrade and behind it. */
const LOAD_MS = 5_000;
const START_SECONDS = 180;

/** A machine on which the release before is installed, connected, upgraded, and removed. */
export async function proveLife({ step }: Steps, folder: string): Promise<void> {
  const undo: (() => unknown)[] = [];
  try {
    const gitea = await startGitea();
    undo.push(gitea.stop);
    const port = await freePort();
    const machine = await bootAdministered(folder, port);
    undo.push(machine.stop);
    const filesBefore = new Set(await everyFile(machine));
    let service = serviceAt(port, '');
    const runs = async (name: 'before' | 'one') => {
      await eventually(START_SECONDS, () => answers(service));
      const version = versionOf(folder, name);
      assert.equal(await installedVersion(machine), version);
      await machine.run('cra', '--version');
      return version;
    };

    await step('the release before: verified and installed', async () => {
      await follow(machine, 'before', VERIFY + INSTALL);
      const version = await runs('before');
      const token = (await machine.run('cat', '/etc/credstore/cra_api_token')).trim();
      service = serviceAt(port, token);
      return version;
    });
    let connection: Connection | null = null;
    await step('connected to a Gitea: a push passes, one with a secret fails', async () => {
      const made = await connect(machine, gitea, port);
      await runs('before');
      await made.push('fine', 'echo fine\n');
      await made.push('bad', leak('bad'));
      await made.shows('fine', 'success');
      await made.shows('bad', 'failure');
      connection = made;
      return 'success, failure';
    });
    const { body: kept } = await service.call('analyze', blocked('kept'));
    const isKept = async () => {
      const { body } = await service.call(`rfc/${kept.data.rfc_id}`);
      assert.equal(body.data?.overall_status, 'BLOCKED');
    };
    await step('backup', async () => {
      await follow(machine, 'before', BACKUP);
      const names = await machine.run('ls', '/var/backups/cra/before');
      return names.trim().replaceAll('\n', ', ');
    });
    await step('verified and upgraded under load, with pushes all the time', async () => {
      assert.ok(connection !== null, 'there is no connection');
      const overrideToken = randomBytes(32).toString('hex');
      await machine.write('/etc/credstore/cra_override_token', overrideToken, '0600');
      await machine.run('systemctl', 'restart', 'cra');
      await runs('before');
      const load = startLoad([service], overrideToken, RATE);
      const pushes = pushAllTheTime(connection, leak);
      try {
        await pass(LOAD_MS);
        await follow(machine, 'one', VERIFY + INSTALL);
        await runs('one');
        await pass(LOAD_MS);
      } finally {
        load.end();
        pushes.end();
      }
      const pushed = await pushes.done;
      const outcome = await outcomeOf(await load.done, [service]);
      for (const [branch, state] of pushed) await connection.shows(branch, state);
      await isKept();
      return `${versionOf(folder, 'one')}: ${outcome}; ${pushed.size} pushes, each with its status`;
    });
    await step('the version before on the newer store: refused', async () => {
      const allowing = INSTALL.replace('apt install', 'apt install --allow-downgrades');
      await follow(machine, 'before', VERIFY + allowing);
      return await eventually(START_SECONDS, async () => {
        const log = await machine.run('journalctl', '-u', 'cra', '-o', 'cat', '-n', '20');
        const [said] = /[^"\n]*written by a newer cra[^"\n]*/.exec(log) ?? [];
        assert.ok(said !== undefined, log.slice(-300));
        return said.trim();
      });
    });
    await step('back to the version before', async () => {
      await follow(machine, 'before', BACK);
      await runs('before');
      await isKept();
      return 'it answers, with what the backup has';
    });
    for (const [title, moment] of KILLS) {
      await step(`dpkg is killed ${title}; the same file is installed again`, async () => {
        const state = await machine.run('bash', '-c', KILLED.replace('MOMENT', moment));
        assert.notEqual(state, 'install ok installed');
        await follow(machine, 'one', VERIFY + INTERRUPTED);
        await runs('one');
        await isKept();
        return `${state}, then it runs again, with its data`;
      });
    }
    await step('removed: no file is left that was not there before', async () => {
      await follow(
        machine,
        'one',
        `sudo rm /etc/credstore/forge_token\n${UNINSTALL}sudo userdel cra`,
      );
      const files = await everyFile(machine);
      assert.deepEqual(
        files.filter((path) => !filesBefore.has(path)),
        [],
      );
      return `${files.length} files and folders, all from before`;
    });
  } finally {
    for (const end of undo.reverse()) await end();
  }
}

/** Ends dpkg and all that it runs at a moment, and prints what it holds of the package then. */
const KILLED = `
  setsid dpkg --install /root/one/*.deb > /dev/null 2>&1 &
  until MOMENT; do :; done
  kill -9 -- -$!
  wait
  dpkg-query -W -f '\${Status}' cra`;

/** When an upgrade breaks off, as a condition of the shell. */
const KILLS = [
  ['while it stops the service', '! systemctl is-active --quiet cra'],
  ['while it unpacks', 'ls /usr/bin/cra.dpkg-new > /dev/null 2>&1'],
] as const;

/** All files and folders without the ones of apt, dpkg, logs and the proof itself. */
async function everyFile(machine: Machine): Promise<readonly string[]> {
  const other = ['/packages', '/root', '/var/lib/dpkg', '/var/lib/apt', '/var/cache/apt'];
  const skipped = [...other, '/var/log'].map((path) => `-path ${path}`).join(' -o ');
  const found = await machine.sh(`find / -xdev \\( ${skipped} \\) -prune -o -print`);
  return found.trim().split('\n');
}

function pass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
