import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Check } from '../../src/cli/doctor/check.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { startDaemonProcess, temporaryDir } from '../daemon.ts';
import { findMongod } from '../mongod/binary.ts';
import { startMember } from '../mongod/member.ts';
import { startMongod } from '../mongod/mongod.ts';

/** The checks of `cra doctor --json`, by name, with the exit code. */
async function examine(t: ExecutionContext, env: Record<string, string>) {
  const given = { SERVICE_DATA_DIR: join(temporaryDir(t), 'data'), ...env };
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], { env: given });
  t.is(stderr, '');
  const checks = JSON.parse(stdout) as Check[];
  return { code, of: (name: string) => checks.find((check) => check.name === name) };
}

test('doctor finds a full disk', async (t) => {
  const folder = temporaryDir(t);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
  if (mount.status !== 0) return t.log('skipped: mount needs root');
  t.teardown(() => spawnSync('umount', [folder]));
  writeFileSync(join(folder, 'filler'), Buffer.alloc(4 * 1024 * 1024 - 64 * 1024));
  const { code, of } = await examine(t, { SERVICE_DATA_DIR: join(folder, 'data') });
  t.is(code, 1);
  t.is(of('disk')?.state, 'failure');
});

test('doctor finds a mongod without replica set, and says what it lacks', async (t) => {
  const binary = await findMongod();
  const member = await startMember({ binary, folder: temporaryDir(t), args: [], env: {} });
  t.teardown(() => member.kill());
  const { code, of } = await examine(t, { SERVICE_STORE_URL: `mongodb://${member.host}/` });
  t.is(code, 1);
  t.regex(of('store')?.says ?? '', /not a replica set: start mongod with --replSet/);
});

test('doctor tells the roles and the room of the trail of a replica set', async (t) => {
  const mongod = await startMongod({ auth: true });
  t.teardown(mongod.stop);
  const setup = await runCommand(['setup', 'mongodb', '--audit-size-gib', '1'], {
    env: { CRA_ADMIN_URL: mongod.url },
  });
  const [url = '', auditUrl = ''] = setup.stdout.match(/^mongodb:\S+/gm) ?? [];
  const store = { SERVICE_STORE_URL: url, SERVICE_AUDIT_URL: auditUrl };
  const { of } = await examine(t, store);
  t.is(of('store')?.state, 'ok');
  t.is(of('clock against MongoDB')?.state, 'ok');
  t.is(of('trail')?.says, 'the audit trail is write-once (enforced)');
  t.is(of('room of the trail')?.state, 'ok');
  const asRoot = await examine(t, { SERVICE_STORE_URL: mongod.url, SERVICE_AUDIT_URL: mongod.url });
  t.is(asRoot.of('trail')?.state, 'warning');
  t.is(of('room of the trail')?.says.includes(new URL(auditUrl).password), false);
});

test('doctor finds an expired certificate and a clock that differs', async (t) => {
  const folder = temporaryDir(t);
  const file = (name: string) => join(folder, name);
  if (spawnSync('openssl', ['version']).status !== 0) return t.log('skipped: needs openssl');
  mkdirSync(file('new'));
  writeFileSync(file('index'), '');
  writeFileSync(
    file('ca.cnf'),
    `[ca]\ndefault_ca=c\n[c]\ndatabase=${file('index')}\nnew_certs_dir=${file('new')}\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n`,
  );
  const quiet = { stdio: 'ignore' } as const;
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const request = ['-subj', '/CN=localhost', '-keyout', file('key'), '-out', file('csr')];
  execFileSync('openssl', ['req', ...curve, ...request], quiet);
  const dates = ['-startdate', '20240101000000Z', '-enddate', '20240201000000Z'];
  const signing = ['-selfsign', '-keyfile', file('key'), '-in', file('csr'), '-out', file('cert')];
  execFileSync('openssl', ['ca', '-batch', '-config', file('ca.cnf'), ...dates, ...signing], quiet);
  const server = createServer(
    { key: readFileSync(file('key')), cert: readFileSync(file('cert')) },
    (_, response) => response.setHeader('Date', 'Mon, 01 Jan 2024 00:00:00 GMT').end('{}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { code, of } = await examine(t, {
    SERVICE_OIDC_ISSUER: `https://localhost:${port}`,
    SERVICE_OIDC_AUDIENCE: 'cra',
  });
  t.is(code, 1);
  t.regex(of('OIDC')?.says ?? '', /ends on 2024-02-01: it has expired/);
  t.is(of('clock against OIDC')?.state, 'failure');
});

test('doctor sees a running service, whose data stay as they are', async (t) => {
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir);
  const { of } = await examine(t, {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_PORT: String(daemon.port),
  });
  t.is(of('service')?.state, 'ok');
  t.is(of('store')?.state, 'ok');
  t.regex(of('open files')?.says ?? '', new RegExp(`pid ${daemon.process.pid}`));
  t.is(await daemon.stop(), 0);
});
