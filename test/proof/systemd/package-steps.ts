import assert from 'node:assert/strict';
import { blocked } from '../../decision-calls.ts';
import type { Machine } from './machine.ts';
import { answers, eventually, mainPid, type Service, type Steps } from './steps.ts';

const UNIT = 'cra.service';

/** Upgrade, removal, a second installation and purge, on a machine where the service runs. */
export async function provePackage(
  { step }: Steps,
  machine: Machine,
  service: Service,
  packages: { first: string; second: string },
): Promise<void> {
  const install = (file: string) =>
    machine.sh('DEBIAN_FRONTEND=noninteractive dpkg --install "/packages/$1"', file);
  const installed = () => machine.run('dpkg-query', '--show', 'cra');
  const { body } = await service.call('analyze', blocked('package'));
  const isKept = async () => {
    await eventually(30, () => answers(service));
    const read = await service.call(`rfc/${body.data.rfc_id}`);
    assert.equal(read.body.data?.overall_status, 'BLOCKED');
  };

  await step('upgrade: runs again, settings and data kept', async () => {
    await machine.sh('echo "SERVICE_LOG_LEVEL=debug" >> /etc/cra/cra.env');
    const pid = await mainPid(machine, UNIT);
    const output = await install(packages.second);
    assert.match(await installed(), /^cra\s+99\./);
    assert.notEqual(await mainPid(machine, UNIT), pid);
    await isKept();
    await machine.run('grep', '-q', '^SERVICE_LOG_LEVEL=debug', '/etc/cra/cra.env');
    assert.doesNotMatch(output, /Configuration file/);
    return 'new process, changed /etc/cra/cra.env as it was';
  });
  await step('upgrade of a service that was switched off: it stays off', async () => {
    await machine.run('systemctl', 'disable', '--now', UNIT);
    await install(packages.second);
    assert.equal(await machine.property(UNIT, 'ActiveState'), 'inactive');
    assert.equal(await machine.property(UNIT, 'UnitFileState'), 'disabled');
    await machine.run('systemctl', 'enable', '--now', UNIT);
    return 'inactive, disabled';
  });
  await step('remove: stopped, program gone, data, settings and token kept', async () => {
    await machine.run('dpkg', '--remove', 'cra');
    const left = await machine.sh(
      'ls -d /usr/lib/cra /usr/bin/cra /var/lib/cra/cra.db /etc/cra/cra.env /etc/credstore/cra_api_token 2>&1 || true',
    );
    assert.match(left, /\/usr\/lib\/cra'.*No such file/);
    assert.match(left, /\/usr\/bin\/cra'.*No such file/);
    for (const path of [
      '/var/lib/cra/cra.db',
      '/etc/cra/cra.env',
      '/etc/credstore/cra_api_token',
    ]) {
      assert.match(left, new RegExp(`^${path}$`, 'm'));
    }
    await assert.rejects(answers(service));
    return 'as Debian wants it';
  });
  await step('install again: the data is there', async () => {
    await install(packages.first);
    await isKept();
    return 'the RFC from before the removal is answered';
  });
  await step('purge: nothing is left', async () => {
    await machine.run('dpkg', '--purge', 'cra');
    const left = await machine.sh(
      'find / -xdev \\( -path "*/cra" -o -name "cra[.@-]*" -o -name cra_api_token \\) -not -path "/proc/*" -not -path "/packages*" -not -path "/etc/systemd/system/cra.service.d*" -not -path "/tmp/*" 2>/dev/null || true',
    );
    assert.equal(left.trim(), '');
    await assert.rejects(installed());
    return 'no file of it in the machine; the user stays';
  });
}
