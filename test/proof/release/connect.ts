import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Gitea } from '../gitea-host.ts';
import type { Machine } from '../systemd/machine.ts';
import { eventually } from '../systemd/steps.ts';
import { webhookCommand } from './instructions.ts';

/** A repository of a Gitea whose pushes the service of a machine judges. */
export interface Connection {
  /** Makes a branch with one file. */
  push(branch: string, text: string): Promise<void>;
  /** Resolves once the status of the branch is `state`; rejects when it does not become so. */
  shows(branch: string, state: 'success' | 'failure'): Promise<void>;
}

const STATUS_SECONDS = 180;
/** Gitea repeats no webhook that came while the service was replaced: a sweep finds its push. */
const SWEEP_SECONDS = 30;

/** Connects the service as docs/how-to/webhooks.md, systemd.md and gitea.md say. */
export async function connect(machine: Machine, gitea: Gitea, port: number): Promise<Connection> {
  const secret = randomBytes(32).toString('hex');
  await machine.write('/etc/credstore/cra_webhook_secret', secret, '0600');
  await machine.write('/etc/credstore/forge_token', gitea.token, '0600');
  const drop = '[Service]\nLoadCredential=forge_token\n';
  await machine.write('/etc/systemd/system/cra.service.d/override.conf', drop);
  const host = { id: 'forge', provider: 'gitea', url: gitea.url, token_env: 'FORGE_TOKEN' };
  const sweep = { sweep_interval_s: SWEEP_SECONDS };
  const settings = JSON.stringify({ hosts: [host], default_host: 'forge', ...sweep });
  await machine.write('/etc/cra/vcs.json', settings);
  await machine.sh('echo SERVICE_VCS_CONFIG=/etc/cra/vcs.json >> /etc/cra/cra.env');
  await machine.sh('systemctl daemon-reload; systemctl restart cra');

  const path = `repos/${gitea.user}/shop`;
  await gitea.call('POST', 'user/repos', { name: 'shop', auto_init: true, default_branch: 'main' });
  const command = webhookCommand()
    .replaceAll('https://git.example.com', gitea.url)
    .replaceAll('https://cra.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('acme/shop', `${gitea.user}/shop`);
  const env = { ...process.env, ADMIN_TOKEN: gitea.token, WEBHOOK_SECRET: secret };
  const hook = JSON.parse(execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }));
  assert.equal(hook.active, true, JSON.stringify(hook));

  return {
    async push(branch, text) {
      const content = Buffer.from(text).toString('base64');
      const body = { content, message: branch, branch: 'main', new_branch: branch };
      await gitea.call('POST', `${path}/contents/${branch}.sh`, body);
    },
    async shows(branch, state) {
      await eventually(STATUS_SECONDS, async () => {
        const shown = await gitea.call<{ state: string }>(
          'GET',
          `${path}/commits/${branch}/status`,
        );
        assert.equal(shown.state, state, branch);
      });
    },
  };
}

/** Pushes one branch after the other, every second one with a secret, until `end`. */
export function pushAllTheTime(connection: Connection, textOf: (name: string) => string) {
  const pushed = new Map<string, 'success' | 'failure'>();
  let isEnding = false;
  const pushOn = async () => {
    for (let n = 0; !isEnding; n += 1) {
      const branch = `load-${n}`;
      const isBad = n % 2 === 1;
      await connection.push(branch, isBad ? textOf(branch) : `echo ${n}\n`);
      pushed.set(branch, isBad ? 'failure' : 'success');
    }
    return pushed;
  };
  return {
    done: pushOn(),
    end() {
      isEnding = true;
    },
  };
}
