import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { blocked, harmless } from '../../decision-calls.ts';
import { HOLE } from '../../pushes/daemon/bad-code.ts';
import type { PushHouse } from '../../pushes/daemon/house.ts';
import { PushedRepository } from '../../pushes/daemon/pushed-repository.ts';
import type { Machine } from './machine.ts';
import { answers, eventually, inside, mainPid, type Service, type Steps } from './steps.ts';

const UNIT = 'cra.service';
const DROP_IN = '/etc/systemd/system/cra.service.d';
const IN_FLIGHT = 100;
/** Of the drop-in, so that the proof does not wait for half a minute each time. */
const WATCHDOG_SECONDS = 4;

/** What the unit promises, on a machine where the package is installed and the service runs. */
export async function proveUnit(
  { step }: Steps,
  machine: Machine,
  service: Service,
  house: PushHouse,
): Promise<void> {
  await step('ready, with a status text', async () => {
    assert.equal(await machine.property(UNIT, 'ActiveState'), 'active');
    const text = await machine.property(UNIT, 'StatusText');
    assert.match(
      text,
      new RegExp(`^Listening on 127.0.0.1:${service.port}; 0 of \\d+ scan threads`),
    );
    return text;
  });
  await step('systemd-analyze security of the running unit', async () => {
    const text = await machine.run(
      'systemd-analyze',
      'security',
      '--no-pager',
      '--threshold=15',
      UNIT,
    );
    return text.trim().split('\n').at(-1)?.replace(/^\W+/, '').replace(/\W+$/, '') ?? '';
  });
  await step('credentials: authentication is on, the token is no variable', async () => {
    const token = (await machine.run('cat', '/etc/credstore/cra_api_token')).trim();
    const { call } = service;
    assert.equal((await call('dispatcher/status')).status, 200);
    const bare = await fetch(`http://127.0.0.1:${service.port}/api/cra/dispatcher/status`);
    assert.equal(bare.status, 401);
    const pid = await mainPid(machine, UNIT);
    const environment = await machine.sh('tr "\\0" "\\n" < /proc/$1/environ', pid);
    assert.ok(!environment.includes(token));
    assert.match(environment, /^CREDENTIALS_DIRECTORY=/m);
    return '200 with it, 401 without';
  });
  await step(
    'the sandbox: /etc and /usr cannot be written, nothing in the data and /tmp can be run',
    async () => {
      const tried = await inside(
        machine,
        UNIT,
        'touch /etc/x 2>&1; touch /usr/x 2>&1; cp /bin/true /var/lib/cra/true && /var/lib/cra/true 2>&1; rm /var/lib/cra/true; cp /bin/true /tmp/true && /tmp/true 2>&1; ls /tmp; ls /home /root 2>&1 | head -2; true',
      );
      assert.equal(tried.match(/Read-only file system/g)?.length, 2, tried);
      assert.equal(tried.match(/true: Permission denied/g)?.length, 2, tried);
      assert.doesNotMatch(tried, /swc/, 'nothing is unpacked into /tmp');
      return 'EROFS, EROFS, EACCES, EACCES';
    },
  );
  await step('journal: warnings have priority 4, information 6', async () => {
    const read = async (priority: string) =>
      await machine.run('journalctl', '-u', UNIT, '-o', 'cat', '-p', `${priority}..${priority}`);
    const warnings = await read('4');
    const information = await read('6');
    assert.match(warnings, /"level":40/);
    assert.doesNotMatch(warnings, /"level":30/);
    assert.match(information, /"level":30.*"msg":"listening"/);
    return 'as the levels of the lines';
  });
  await provePushes({ step }, service, house);
  await proveReload({ step }, machine);
  await proveRestarts({ step }, machine, service);
  await proveDrain({ step }, machine, service);
  await proveNoCredentials({ step }, machine, service);
}

type Step = Pick<Steps, 'step'>;

async function provePushes({ step }: Step, service: Service, house: PushHouse): Promise<void> {
  await step('gates inside the sandbox: a secret and a command injection block', async () => {
    const { body: secret } = await service.call('analyze', blocked('sandbox'));
    assert.equal(secret.data.overall_status, 'BLOCKED');
    const { body: fine } = await service.call('analyze', harmless('sandbox'));
    assert.equal(fine.data.overall_status, 'PASSED');
    return 'BLOCKED, PASSED';
  });
  await step(
    'pushes over HTTP, judged by git and the AST child; statuses at the host',
    async () => {
      const repository = new PushedRepository(house, 'acme/sandbox');
      const judged = async (files: Record<string, string>) => {
        const { rfcId, sha } = await repository.push(files);
        const record = await eventually(60, async () => {
          const { body } = await service.call(`rfc/${rfcId}?wait=30`);
          assert.notEqual(body.data.overall_status, 'DRAFT');
          return body.data;
        });
        return { record, sha };
      };
      const first = await judged({ 'README.md': 'read me\n' });
      assert.equal(first.record.overall_status, 'PASSED', JSON.stringify(first.record.gates));
      const second = await judged({ 'run.js': HOLE });
      assert.equal(second.record.overall_status, 'BLOCKED');
      const ids = second.record.gates.ast.findings.map(({ id }: { id: string }) => id);
      assert.ok(ids.includes('vuln-01'), ids.join());
      await repository.shows(first.sha, 'success');
      await repository.shows(second.sha, 'failure');
      return 'PASSED and success, BLOCKED (vuln-01) and failure';
    },
  );
}

async function proveReload({ step }: Step, machine: Machine): Promise<void> {
  await step(
    'SIGHUP: a wrong rules file is named in the status, a right one is taken up',
    async () => {
      await machine.write('/etc/cra/rules.json', '{ "version": 1, "extends": "default" }');
      const text = () => machine.property(UNIT, 'StatusText');
      await machine.write('/etc/cra/rules.json', 'no JSON');
      await machine.run('systemctl', 'reload', UNIT);
      await eventually(60, async () => assert.match(await text(), /rules file was not taken up/));
      await machine.write(
        '/etc/cra/rules.json',
        '{ "version": 1, "extends": "default", "disabled_rules": [] }',
      );
      await machine.run('systemctl', 'reload', UNIT);
      await eventually(60, async () => {
        const lines = await machine.run('journalctl', '-u', UNIT, '-o', 'cat', '-n', '20');
        assert.match(lines, /"msg":"rules in force"/);
        assert.match(await text(), /^Listening/);
        assert.equal(await machine.property(UNIT, 'ActiveState'), 'active');
      });
      return 'active all the time, reloading in between';
    },
  );
}

async function restarts(machine: Machine): Promise<number> {
  return Number(await machine.property(UNIT, 'NRestarts'));
}

async function proveRestarts({ step }: Step, machine: Machine, service: Service): Promise<void> {
  const { body } = await service.call('analyze', blocked('kept'));
  const kept = async () => {
    const read = await service.call(`rfc/${body.data.rfc_id}`);
    assert.equal(read.body.data.overall_status, 'BLOCKED');
  };
  await step('kill -9: back, with what was answered', async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const pid = await mainPid(machine, UNIT);
      const start = performance.now();
      await machine.sh('kill -9 "$1"', pid);
      await eventually(60, () => answers(service));
      times.push((performance.now() - start) / 1000);
      await kept();
      assert.notEqual(await mainPid(machine, UNIT), pid);
    }
    const sorted = times.toSorted((a, b) => a - b).map((time) => time.toFixed(2));
    return `${sorted.join(', ')} s until health answers`;
  });
  await machine.write(`${DROP_IN}/watchdog.conf`, `[Service]\nWatchdogSec=${WATCHDOG_SECONDS}\n`);
  await machine.sh('systemctl daemon-reload; systemctl restart cra');
  const ways = [
    ['a main loop that is blocked (a loop, by the inspector)', blockLoop],
    [
      'a main process that is stopped (SIGSTOP)',
      (pid: string) => machine.sh('kill -STOP "$1"', pid),
    ],
  ] as const;
  for (const [what, block] of ways) {
    await step(`watchdog of ${WATCHDOG_SECONDS} s: ${what}`, async () => {
      const before = await restarts(machine);
      const pid = await mainPid(machine, UNIT);
      await eventually(90, async () => {
        // The inspector may not have got through on a busy machine.
        if ((await restarts(machine)) === before) await block(pid, machine);
        assert.equal(await restarts(machine), before + 1);
      });
      const log = await machine.run('journalctl', '-u', UNIT, '-o', 'cat', '-n', '60');
      assert.match(log, /Watchdog timeout/);
      await eventually(60, () => answers(service));
      await kept();
      return 'ended by SIGABRT, started again, answers';
    });
  }
  await machine.sh(`rm ${DROP_IN}/watchdog.conf; systemctl daemon-reload; systemctl restart cra`);
}

/** SIGUSR1 opens the inspector of Node, by which any code can be run in the process. */
async function blockLoop(pid: string, machine: Machine): Promise<void> {
  const node = '/usr/lib/cra/node/node';
  const script = `(sleep 2; echo 'exec("for(;;);")'; sleep 3) | timeout 20 ${node} inspect -p "$1" || true`;
  await machine.sh(script, pid);
}

async function proveDrain({ step }: Step, machine: Machine, service: Service): Promise<void> {
  await step(`SIGTERM with ${IN_FLIGHT} requests in flight`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
    // Connections first: what counts is what the daemon does with requests that it has.
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, () => service.call('health', undefined, { agent })),
    );
    const pid = await mainPid(machine, UNIT);
    const bodies = Array.from({ length: IN_FLIGHT }, (_, n) => harmless(`drain-${n}`));
    const asked = bodies.map((body) => service.call('analyze', body, { agent }));
    const [first] = await Promise.all([Promise.race(asked), null]);
    assert.equal(first?.status, 200);
    const stopped = machine.run('systemctl', 'stop', UNIT);
    const answered = await Promise.allSettled(asked);
    await stopped;
    agent.destroy();
    assert.equal(await machine.property(UNIT, 'Result'), 'success');
    const good = answered.filter(
      (each) => each.status === 'fulfilled' && each.value.status === 200,
    );
    const rest = answered
      .filter((each) => !good.includes(each))
      .map((each) =>
        JSON.stringify(each.status === 'fulfilled' ? each.value : String(each.reason)),
      );
    assert.deepEqual(rest, []);
    await machine.run('systemctl', 'start', UNIT);
    assert.notEqual(await mainPid(machine, UNIT), pid);
    for (const each of answered) {
      if (each.status !== 'fulfilled') continue;
      const { body } = await service.call(`rfc/${each.value.body.data.rfc_id}`);
      assert.equal(body.data.overall_status, 'PASSED');
    }
    return `${good.length} answered 200 and there after the next start, 0 failed`;
  });
}

async function proveNoCredentials(
  { step }: Step,
  machine: Machine,
  service: Service,
): Promise<void> {
  await step(
    'without any credential: it says what is missing, and is not started again',
    async () => {
      await machine.sh('mv /etc/credstore /etc/credstore.away; systemctl restart cra || true');
      await eventually(30, async () =>
        assert.equal(await machine.property(UNIT, 'ActiveState'), 'failed'),
      );
      assert.equal(await machine.property(UNIT, 'ExecMainStatus'), '2');
      const log = await machine.run('journalctl', '-u', UNIT, '-o', 'cat', '-n', '20');
      assert.match(log, /CRA_API_TOKEN or SERVICE_API_TOKENS or SERVICE_OIDC_ISSUER is required/);
      return 'code 2, the log names CRA_API_TOKEN';
    },
  );
  await step('without any credential, with an issuer: it starts, authentication on', async () => {
    const issuer =
      'Environment=SERVICE_OIDC_ISSUER=http://127.0.0.1:9/realm SERVICE_OIDC_AUDIENCE=cra';
    await machine.write(`${DROP_IN}/issuer.conf`, `[Service]\n${issuer}\n`);
    await machine.sh('systemctl daemon-reload; systemctl reset-failed cra; systemctl start cra');
    await answers(service);
    const bare = await fetch(`http://127.0.0.1:${service.port}/api/cra/rfcs`);
    assert.equal(bare.status, 401);
    await machine.sh(
      `rm ${DROP_IN}/issuer.conf; mv /etc/credstore.away /etc/credstore; systemctl daemon-reload; systemctl restart cra`,
    );
    assert.equal((await service.call('rfcs')).status, 200);
    return 'active';
  });
  await step('the daily check of the trail', async () => {
    assert.equal(await machine.property('cra-audit-verify.timer', 'ActiveState'), 'active');
    await machine.run('systemctl', 'start', 'cra-audit-verify.service');
    assert.equal(await machine.property('cra-audit-verify.service', 'Result'), 'success');
    const log = await machine.run('journalctl', '-u', 'cra-audit-verify', '-o', 'cat');
    return log.split('\n').find((line) => /entries/.test(line)) ?? log.slice(0, 120);
  });
}
