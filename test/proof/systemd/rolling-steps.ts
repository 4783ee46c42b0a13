import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { freePort } from '../../free-port.ts';
import { startMongod } from '../../mongod/mongod.ts';
import { outcomeOf, startLoad } from './load.ts';
import type { Machine } from './machine.ts';
import { answers, eventually, type Steps, serviceAt } from './steps.ts';

const RATE = 100;
const ROUNDS = 3;

/** Two daemons on one MongoDB are restarted one after the other under load: nobody notices. */
export async function proveRolling(
  { step }: Steps,
  machine: Machine,
  file: string,
  onEnd: (step: () => unknown) => void,
): Promise<void> {
  const mongod = await startMongod({ auth: true });
  onEnd(mongod.stop);
  const ports = [await freePort(), await freePort()] as const;
  const token = randomBytes(32).toString('hex');
  const overrideToken = randomBytes(32).toString('hex');
  const services = ports.map((port) => serviceAt(port, token));
  const secret = (name: string, text: string) =>
    machine.write(`/etc/credstore/${name}`, text, '0600');

  await step('cra setup mongodb makes the trail, its role and two users', async () => {
    await machine.sh(
      'mkdir -p /etc/systemd/system-preset; echo "disable cra.service" > /etc/systemd/system-preset/00-cra.preset',
    );
    await machine.sh(
      'DEBIAN_FRONTEND=noninteractive dpkg --install "/packages/$1"; systemctl disable --now cra',
      file,
    );
    const script = 'CRA_ADMIN_URL="$1" cra setup mongodb --audit-size-gib 1';
    const output = await machine.sh(script, mongod.url);
    const [storeUrl = '', auditUrl = ''] = output.match(/^mongodb:\S+$/gm) ?? [];
    assert.match(auditUrl, /cra_audit/);
    await secret('service_store_url', storeUrl);
    await secret('service_audit_url', auditUrl);
    return `${output.match(/^made /gm)?.length} things made`;
  });
  await step('cra@1 and cra@2 start with shared keys', async () => {
    for (const key of ['service_seal_key', 'service_fingerprint_key', 'service_checkpoint_key']) {
      await secret(key, randomBytes(32).toString('hex'));
    }
    await secret('cra_api_token', token);
    await secret('cra_override_token', overrideToken);
    for (const [index, port] of ports.entries()) {
      await machine.write(
        `/etc/cra/cra-${index + 1}.env`,
        `SERVICE_PORT=${port}\nSERVICE_THREADS=2\n`,
      );
    }
    await machine.run('systemctl', 'start', 'cra@1', 'cra@2');
    for (const service of services) {
      await eventually(60, () => answers(service));
      const { body } = await service.call('dispatcher/status');
      assert.equal(body.data.audit.worm, 'enforced', JSON.stringify(body.data.audit));
    }
    return 'both active, trail enforced';
  });
  await step(
    `${ROUNDS} rolling restarts at ${RATE} requests a second, callers try again`,
    async () => {
      const load = startLoad(services, overrideToken, RATE);
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          for (const [index, service] of services.entries()) {
            await machine.run('systemctl', 'restart', `cra@${index + 1}`);
            await eventually(60, () => answers(service));
            assert.equal(await machine.property(`cra@${index + 1}.service`, 'Result'), 'success');
          }
        }
      } finally {
        load.end();
      }
      return await outcomeOf(await load.done, services);
    },
  );
  await step('the trail of both is in order', async () => {
    const script =
      'systemctl start cra-audit-verify; systemctl show --value -p Result cra-audit-verify';
    assert.equal((await machine.sh(script)).trim(), 'success');
    return 'cra-audit-verify.service: success';
  });
}
