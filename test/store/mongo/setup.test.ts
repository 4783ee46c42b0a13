import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { MongoClient } from 'mongodb';
import { readConfig } from '../../../src/daemon/config/config.ts';
import { runCommand } from '../../cli/fixtures/command.ts';
import { guardedMongod, type Mongod, startMongod } from '../../mongod/mongod.ts';
import { ATTACKS } from './attacks.ts';
import { clientOf, setUp } from './setup-mongod.ts';
import { decisionInput, openTrail, putRecord } from './trail-harness.ts';

const GIB = 1024 ** 3;

async function admin(t: Parameters<typeof clientOf>[0]): Promise<MongoClient> {
  return clientOf(t, (await guardedMongod()).url);
}

test('setUpMongo makes what a daemon needs for an enforced trail, once', async (t) => {
  const mongod = await guardedMongod();
  const report = await setUp(mongod, { database: 'fresh', cappedGib: 2 });
  t.is(report.steps.length, 7);
  t.deepEqual([report.present, report.conflicts, report.warnings], [[], [], []]);
  t.deepEqual(report.generated, ['cra_service', 'cra_audit']);
  const records = clientOf(t, report.storeUrl).db();
  const trail = await openTrail(t, { records, auditUrl: report.auditUrl });
  await putRecord({ records }, { rfc_id: 'RFC-1' });
  await trail.decide(decisionInput('RFC-1', 'op-1'));
  const status = await trail.auditStatus(null);
  t.like(status, { worm: 'enforced', problems: [], state: 'up', bytes_max: 2 * GIB });

  const again = await setUp(mongod, { database: 'fresh' });
  t.is(again.steps.length, 0);
  t.is(again.present.length, 7);
  t.deepEqual(again.conflicts, []);
  t.deepEqual(again.generated, []);
  t.regex(again.storeUrl, /cra_service:<password>@/);
});

test('setUpMongo names all that differs and changes nothing; what it names mends it', async (t) => {
  const mongod = await guardedMongod();
  const root = await admin(t);
  await setUp(mongod, { database: 'other' });
  const audit = root.db('other_audit');
  await audit.command({ collMod: 'audit', validator: {} });
  await audit.command({ dropIndexes: 'audit', index: 'operation' });
  await audit.command({
    createIndexes: 'audit',
    indexes: [{ name: 'operation', key: { op_id: 1 } }],
  });
  await audit.command({ dropIndexes: 'audit', index: 'intents' });
  await audit.command({ grantPrivilegesToRole: 'cra_audit_writer', privileges: [EXTRA] });
  await root.db('other').command({ grantRolesToUser: 'cra_service', roles: ['dbAdmin'] });
  const report = await setUp(mongod, { database: 'other', cappedGib: 1 });
  const found = report.conflicts.map((line) => line.replace(/;.*/, ''));
  t.deepEqual(found, [
    'collection other_audit.audit has 64 GiB, not 1',
    'collection other_audit.audit has another validator',
    'index operation of other_audit.audit is another one',
    'role cra_audit_writer of other_audit has other privileges',
    'user cra_service of other has other roles',
  ]);
  t.is((await audit.collection('audit').indexes()).length, 3, 'nothing was done');
  for (const line of report.conflicts) {
    const [, db = '', command = ''] =
      /getSiblingDB\("([^"]+)"\)\.runCommand\((.*)\)$/.exec(line) ?? [];
    await root.db(db).command(JSON.parse(command));
  }
  const mended = await setUp(mongod, { database: 'other', cappedGib: 1 });
  t.deepEqual(mended.conflicts, []);
  t.deepEqual(
    mended.steps.map(({ title }) => title),
    ['index operation of other_audit.audit', 'index intents of other_audit.audit'],
  );
});

const EXTRA = { resource: { db: 'other_audit', collection: 'audit' }, actions: ['remove'] };

test('setUpMongo refuses a collection that is not capped', async (t) => {
  const mongod = await guardedMongod();
  const root = await admin(t);
  await root.db('plain_audit').createCollection('audit');
  const { conflicts } = await setUp(mongod, { database: 'plain' });
  t.regex(conflicts.join(), /plain_audit\.audit is not capped; .* rename it/);
});

test('setUpMongo --dry-run changes nothing and shows no password', async (t) => {
  const mongod = await guardedMongod();
  const root = await admin(t);
  const passwords = new Map([
    ['cra_service', 'service-password-1'],
    ['cra_audit', 'audit-password-12'],
  ]);
  const report = await setUp(mongod, { database: 'dry', isDryRun: true, passwords });
  t.is(report.steps.length, 7);
  t.notRegex(JSON.stringify(report), /password-1/);
  const { databases } = await root.db('admin').admin().listDatabases();
  t.false(databases.some(({ name }) => name.startsWith('dry')));
});

test('setUpMongo takes given passwords, and new ones when asked', async (t) => {
  const mongod = await guardedMongod();
  const passwords = new Map([
    ['cra_service', 'p@ss:word/ 1234567'],
    ['cra_audit', 'another password?'],
  ]);
  const report = await setUp(mongod, { database: 'given', passwords });
  t.deepEqual(report.generated, []);
  t.notRegex(JSON.stringify(report), /another|1234567/);
  const password = encodeURIComponent('another password?');
  const client = clientOf(t, report.auditUrl.replace('<password>', password));
  t.is(await client.db().collection('audit').findOne(), null);
  const renewed = await setUp(mongod, { database: 'given', renewsPasswords: true });
  t.deepEqual(renewed.generated, ['cra_service', 'cra_audit']);
  t.is(await clientOf(t, renewed.auditUrl).db().collection('audit').findOne(), null);
  const old = clientOf(t, report.auditUrl.replace('<password>', password));
  await t.throwsAsync(old.db().collection('audit').findOne(), { code: 18 });
});

test('setUpMongo tells without a secret why it can not', async (t) => {
  const mongod = await guardedMongod();
  const adminUrl = mongod.url.replace(/root:[^@]+@/, 'root:wrong-secret@');
  const error = await t.throwsAsync(setUp(mongod, { database: 'x', adminUrl }));
  t.regex(error?.message ?? '', /user or password is wrong/);
  t.notRegex(String(error?.stack), /wrong-secret/);
  const { auditUrl } = await setUp(mongod, { database: 'weak' });
  const weak = await t.throwsAsync(setUp(mongod, { database: 'weak', adminUrl: auditUrl }));
  t.regex(weak?.message ?? '', /lacks the privilege.*administrator/);
});

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

/** A server of this file's own: some attacks of an administrator harm all that use it. */
let mongod: Mongod;
test.before(async () => {
  mongod = await startMongod({ auth: true });
});
test.after.always(() => mongod.stop());

test(`the writer of the trail is refused in ${ATTACKS.length} of ${ATTACKS.length} attacks`, async (t) => {
  const { storeUrl, auditUrl } = await setUp(mongod, { database: 'attacked' });
  const records = clientOf(t, storeUrl).db();
  const trail = await openTrail(t, { records, auditUrl });
  const client = clientOf(t, auditUrl);
  const audit = client.db('attacked_audit');
  const before = await audit.collection('audit').find().toArray();
  t.is(before.length, 1);
  const done: string[] = [];
  for (const { name, run } of ATTACKS) {
    const code = await run(audit, client).then(() => null, codeOf);
    if (code !== UNAUTHORIZED && code !== COMMAND_NOT_FOUND) done.push(`${name}: ${code}`);
  }
  t.deepEqual(done, []);
  t.deepEqual(await audit.collection('audit').find().toArray(), before);
  t.is((await trail.auditStatus(null)).worm, 'enforced');
});

const UNAUTHORIZED = 13;
/** Some commands are not in every version. */
const COMMAND_NOT_FOUND = 59;

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : thrown;
}

test('the same attacks need no privilege that an administrator lacks', async (t) => {
  const root = clientOf(t, mongod.url);
  const audit = root.db('unguarded_audit');
  const harmful = new Set(['shutdown', 'fsyncLock']);
  for (const { name, run } of ATTACKS.filter((attack) => !harmful.has(attack.name))) {
    await setUp(mongod, { database: 'unguarded' });
    const code = await run(audit, root).then(() => null, codeOf);
    t.not(code, UNAUTHORIZED, name);
    await audit.dropDatabase();
    await audit.command({ dropAllUsersFromDatabase: 1 });
    await audit.command({ dropAllRolesFromDatabase: 1 });
  }
});

test('the user of the records can do nothing to the trail', async (t) => {
  const { storeUrl } = await setUp(mongod, { database: 'bystander' });
  const client = clientOf(t, storeUrl);
  const audit = client.db('bystander_audit');
  for (const { name, run } of ATTACKS) {
    t.true(
      [UNAUTHORIZED, COMMAND_NOT_FOUND].includes(Number(codeOf(await failure(run(audit, client))))),
      name,
    );
  }
  await t.throwsAsync(audit.collection('audit').findOne(), { code: 13 });
  await t.throwsAsync(audit.collection('audit').insertOne({}), { code: 13 });
});

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
}
