import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { percentile } from '../../../bench/harness.ts';
import { blocked, harmless } from '../../decision-calls.ts';
import { freePort } from '../../free-port.ts';
import { startMongod } from '../../mongod/mongod.ts';
import type { Machine } from './machine.ts';
import { answers, type Called, eventually, type Service, type Steps, serviceAt } from './steps.ts';

const RATE = 100;
const ROUNDS = 3;
/** A caller gives up after this. */
const RETRY_SECONDS = 60;

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
      const load = startLoad(services, overrideToken);
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
      const summary = await load.done;
      const lost = await countLost(summary.known, services);
      assert.deepEqual([summary.wrong, lost], [[], []]);
      const latency = summary.times.toSorted((a, b) => a - b);
      const p99 = Math.round(percentile(latency, 0.99));
      return `${summary.times.length} requests in ${summary.seconds.toFixed(0)} s (${summary.retried} tried again), 0 wrong, 0 of ${summary.known.size} RFCs lost, ${summary.overridden} overrides; p99 ${p99} ms`;
    },
  );
  await step('the trail of both is in order', async () => {
    const script =
      'systemctl start cra-audit-verify; systemctl show --value -p Result cra-audit-verify';
    assert.equal((await machine.sh(script)).trim(), 'success');
    return 'cra-audit-verify.service: success';
  });
}

interface Summary {
  seconds: number;
  /** Milliseconds from the first try to the answer. */
  times: number[];
  retried: number;
  overridden: number;
  wrong: string[];
  /** The status that each RFC must have. */
  known: Map<string, string>;
}

/** Asks as many times a second as `RATE`, whatever becomes of the answers. */
function startLoad(services: readonly Service[], overrideToken: string) {
  const startAt = performance.now();
  const known = new Map<string, string>();
  const summary: Summary = { seconds: 0, times: [], retried: 0, overridden: 0, wrong: [], known };
  const running = new Set<Promise<void>>();
  let ending = false;
  let sent = 0;

  /** As a careful client: another daemon when one refuses, breaks off or stops. */
  async function ask(path: string, body?: unknown, headers: Record<string, string> = {}) {
    const firstAt = performance.now();
    for (let tried = sent; ; tried += 1) {
      const service = services[tried % services.length];
      const answer: Called | null =
        (await (service?.call(path, body, { headers }) ?? null)?.catch(() => null)) ?? null;
      if (answer !== null && answer.status !== 503) {
        summary.times.push(performance.now() - firstAt);
        return answer;
      }
      summary.retried += 1;
      if (performance.now() - firstAt > RETRY_SECONDS * 1000) throw new Error(`${path}: no answer`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function one(n: number): Promise<void> {
    const isBad = n % 5 === 0;
    if (n % 3 === 0 && known.size > 0) {
      const [id, status] = [...known][n % known.size] ?? ['', ''];
      const { body } = await ask(`rfc/${id}`);
      const seen = body.data?.overall_status;
      if (seen !== status && known.get(id) === status)
        summary.wrong.push(`${id}: ${seen}, not ${status}`);
      return;
    }
    const { status, body } = await ask('analyze', isBad ? blocked(n) : harmless(n));
    const expected = isBad ? 'BLOCKED' : 'PASSED';
    if (status !== 200 || body.data.overall_status !== expected) {
      summary.wrong.push(`analyze ${n}: ${status} ${body.data?.overall_status ?? body.error}`);
      return;
    }
    const id: string = body.data.rfc_id;
    if (!isBad || n % 2 === 0) return void known.set(id, expected);
    const reason = { actor: 'ann', reason: 'the example of the vendor' };
    const headers = { authorization: `Bearer ${overrideToken}`, 'idempotency-key': `rolling-${n}` };
    const decided = await ask(`rfc/${id}/override`, reason, headers);
    if (decided.status === 200) {
      known.set(id, 'OVERRIDDEN');
      summary.overridden += 1;
    } else summary.wrong.push(`override ${n}: ${decided.status} ${JSON.stringify(decided.body)}`);
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - startAt) / 1000) * RATE;
    for (; sent < due; sent += 1) {
      const run = one(sent).catch((thrown) => void summary.wrong.push(String(thrown)));
      running.add(run);
      void run.finally(() => running.delete(run));
    }
  }, 5);
  let finish: (summary: Summary) => void = () => undefined;
  const done = new Promise<Summary>((resolve) => {
    finish = resolve;
  });
  return {
    done,
    end() {
      if (ending) return;
      ending = true;
      clearInterval(timer);
      summary.seconds = (performance.now() - startAt) / 1000;
      void Promise.all(running).then(() => finish(summary));
    },
  };
}

/** What was acknowledged and is not there, or not as it was said. */
async function countLost(known: Map<string, string>, [service]: readonly Service[]) {
  const lost: string[] = [];
  for (const [id, status] of known) {
    const { body } = (await service?.call(`rfc/${id}`)) ?? { body: null };
    if (body?.data?.overall_status !== status) lost.push(`${id}: ${body?.data?.overall_status}`);
  }
  return lost;
}
