import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { freePort } from '../../free-port.ts';
import { startMongod } from '../../mongod/mongod.ts';
import { outcomeOf, startLoad } from '../systemd/load.ts';
import type { Machine } from '../systemd/machine.ts';
import { answers, eventually, type Service, type Steps, serviceAt } from '../systemd/steps.ts';
import { INSTALL, VERIFY } from './instructions.ts';
import { bootAdministered, follow, installedVersion, versionOf } from './machine.ts';

const RATE = 20;
const START_SECONDS = 180;

/** Two hosts on one MongoDB, which are upgraded one after the other under load. */
export async function proveTwoVersions({ step }: Steps, folder: string): Promise<void> {
  const undo: (() => unknown)[] = [];
  try {
    const mongod = await startMongod({ auth: true });
    undo.push(mongod.stop);
    const secrets = new Map(
      ['cra_api_token', 'cra_override_token', 'service_seal_key', 'service_fingerprint_key']
        .concat('service_checkpoint_key')
        .map((name) => [name, randomBytes(32).toString('hex')] as const),
    );
    const hosts: { machine: Machine; service: Service }[] = [];
    await step('the release before on two hosts, one MongoDB', async () => {
      for (const isFirst of [true, false]) {
        const port = await freePort();
        const machine = await bootAdministered(folder, port);
        undo.push(machine.stop);
        await follow(machine, 'before', VERIFY + INSTALL);
        if (isFirst) {
          const made = await machine.sh(
            'CRA_ADMIN_URL="$1" cra setup mongodb --audit-size-gib 1',
            mongod.url,
          );
          const [storeUrl = '', auditUrl = ''] = made.match(/^mongodb:\S+$/gm) ?? [];
          secrets.set('service_store_url', storeUrl).set('service_audit_url', auditUrl);
        }
        for (const [name, text] of secrets) {
          await machine.write(`/etc/credstore/${name}`, text, '0600');
        }
        // 1.0.0 refuses decisions on MongoDB where the package has begun a store with SQLite.
        await machine.sh(
          'systemctl stop cra; rm /var/lib/cra/checkpoint.note; systemctl start cra',
        );
        const service = serviceAt(port, secrets.get('cra_api_token') ?? '');
        await eventually(START_SECONDS, () => answers(service));
        hosts.push({ machine, service });
      }
      for (const { service } of hosts) {
        await eventually(START_SECONDS, async () => {
          const { worm, state, problems } = (await service.call('dispatcher/status')).body.data
            .audit;
          assert.deepEqual([worm, state, problems], ['enforced', 'up', []]);
        });
      }
      return `${versionOf(folder, 'before')} on both, trail enforced`;
    });
    await step('one after the other upgraded under load', async () => {
      const services = hosts.map(({ service }) => service);
      const load = startLoad(services, secrets.get('cra_override_token') ?? '', RATE);
      try {
        for (const { machine, service } of hosts) {
          await follow(machine, 'one', VERIFY + INSTALL);
          await eventually(START_SECONDS, () => answers(service));
          assert.equal(await installedVersion(machine), versionOf(folder, 'one'));
        }
      } finally {
        load.end();
      }
      return await outcomeOf(await load.done, services);
    });
    await step('the trail of both versions is in order', async () => {
      const [host] = hosts;
      assert.ok(host !== undefined, 'there is no host');
      const check =
        'systemctl start cra-audit-verify; systemctl show --value -p Result cra-audit-verify';
      assert.equal((await host.machine.sh(check)).trim(), 'success');
      return 'cra-audit-verify.service: success';
    });
  } finally {
    for (const end of undo.reverse()) await end();
  }
}
