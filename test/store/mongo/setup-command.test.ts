import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../../../src/daemon/config/config.ts';
import { runCommand } from '../../cli/fixtures/command.ts';
import { guardedMongod } from '../../mongod/mongod.ts';
import { clientOf } from './setup-mongod.ts';

/** Runs `cra` with these settings. */
function cra(args: string[], env: Record<string, string> = {}, stdin = '') {
  return runCommand(args, { env, stdin });
}

function fileWith(t: ExecutionContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cra-setup-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'secret');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

test('cra setup mongodb prints addresses that work, once, and never the one it was given', async (t) => {
  const { url } = await guardedMongod();
  const [, secret = ''] = /:([^:@]+)@/.exec(url) ?? [];
  const env = { CRA_ADMIN_URL_FILE: fileWith(t, `${url}\n`) };
  const args = ['setup', 'mongodb', '--database', 'told', '--audit-size-gib', '1'];

  const dry = await cra([...args, '--dry-run'], env);
  t.is(dry.code, 0);
  t.regex(dry.stdout, /"create":"audit","capped":true,"size":1073741824/);
  t.regex(dry.stdout, /"createUser":"cra_audit","pwd":"<password>"/);
  t.regex(dry.stdout, /nothing was changed/);

  const done = await cra(args, env);
  t.is(done.code, 0, done.stderr);
  const [store = '', audit = ''] = done.stdout.match(/^mongodb:\/\/.*$/gm) ?? [];
  t.is(await clientOf(t, audit).db().collection('audit').findOne(), null);
  t.is(await clientOf(t, store).db().collection('rfcs').findOne(), null);
  const again = await cra(args, env);
  t.is(again.code, 0);
  t.regex(again.stdout, /^exists {3}collection told_audit\.audit, capped at 1 GiB$/m);
  t.regex(again.stdout, /cra_audit:<password>@/);

  const differs = await cra([...args.slice(0, -1), '2'], env);
  t.is(differs.code, 1);
  t.regex(differs.stderr, /^differs: collection told_audit\.audit has 1 GiB, not 2; .*collMod/m);
  t.regex(differs.stderr, /nothing was changed/);

  for (const { stdout, stderr } of [dry, done, again, differs]) {
    t.false(`${stdout}${stderr}`.includes(secret));
  }
});

test('cra setup mongodb takes passwords from standard input', async (t) => {
  const { url } = await guardedMongod();
  const args = ['setup', 'mongodb', '--database', 'piped', '--passwords', '-'];
  const lines = 'a long password\nanother password\n';
  const env = { CRA_ADMIN_URL: url };
  const short = await cra(args, env, lines);
  t.is(short.code, 2);
  t.regex(short.stderr, /two lines with different passwords of at least 16 characters/);
  const done = await cra(args, env, lines.replaceAll('password', 'password for tests'));
  t.is(done.code, 0, done.stderr);
  t.notRegex(done.stdout, /for tests/);
  const [, audit = ''] = done.stdout.match(/^mongodb:\/\/.*$/gm) ?? [];
  const client = clientOf(t, audit.replace('<password>', 'another%20password%20for%20tests'));
  t.is(await client.db().collection('audit').findOne(), null);
});

test('cra setup says what is missing', async (t) => {
  t.regex((await cra(['setup', '--help'])).stdout, /^usage: cra setup mongodb/);
  const nothing = await cra(['setup', 'mongodb']);
  t.is(nothing.code, 2);
  t.regex(nothing.stderr, /give the address of an administrator/);
  const url = 'mongodb://root:secret-of-tests@127.0.0.1:1/';
  for (const given of [url, 'mysql://root:secret-of-tests@127.0.0.1/']) {
    const failed = await cra(['setup', 'mongodb', '--admin-url', given]);
    t.is(failed.code, 2);
    t.false(failed.stderr.includes('secret-of-tests'), failed.stderr);
  }
  t.is((await cra(['setup', 'mysql'])).code, 2);
});

test('readConfig: SERVICE_AUDIT_URL belongs to a SERVICE_STORE_URL of MongoDB', (t) => {
  const SERVICE_STORE_URL = 'mongodb://db/cra';
  const mongodb = { kind: 'mongodb', url: SERVICE_STORE_URL };
  t.like(readConfig({ SERVICE_STORE_URL }).store, { ...mongodb, auditUrl: null });
  const auditUrl = 'mongodb://cra_audit:secret-of-tests@db/cra_audit';
  const SERVICE_AUDIT_URL_FILE = fileWith(t, auditUrl);
  t.like(readConfig({ SERVICE_STORE_URL, SERVICE_AUDIT_URL_FILE }).store, { ...mongodb, auditUrl });
  const alone = t.throws(() => readConfig({ SERVICE_AUDIT_URL_FILE }));
  t.regex(alone?.message ?? '', /SERVICE_AUDIT_URL needs a SERVICE_STORE_URL/);
  const odd = { SERVICE_STORE_URL, SERVICE_AUDIT_URL: 'file:secret-of-tests' };
  const error = t.throws(() => readConfig(odd));
  t.regex(error?.message ?? '', /SERVICE_AUDIT_URL must begin with mongodb/);
  t.notRegex(`${alone} ${error}`, /secret-of-tests/);
});
