import test from 'ava';
import type { MongoClient } from 'mongodb';
import { guardedMongod } from '../../mongod/mongod.ts';
import { clientOf, setUp } from './setup-mongod.ts';
import { deed, openTrail, putRecord } from './trail-harness.ts';

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
  await trail.decide(deed('RFC-1', 'op-1'));
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
  await audit.command({ dropIndexes: 'audit', index: 'deed' });
  await audit.command({ createIndexes: 'audit', indexes: [{ name: 'deed', key: { op_id: 1 } }] });
  await audit.command({ dropIndexes: 'audit', index: 'intents' });
  await audit.command({ grantPrivilegesToRole: 'cra_audit_writer', privileges: [EXTRA] });
  await root.db('other').command({ grantRolesToUser: 'cra_service', roles: ['dbAdmin'] });
  const report = await setUp(mongod, { database: 'other', cappedGib: 1 });
  const found = report.conflicts.map((line) => line.replace(/;.*/, ''));
  t.deepEqual(found, [
    'collection other_audit.audit has 64 GiB, not 1',
    'collection other_audit.audit has another validator',
    'index deed of other_audit.audit is another one',
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
    ['index deed of other_audit.audit', 'index intents of other_audit.audit'],
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
