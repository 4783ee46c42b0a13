import test from 'ava';
import { type Mongod, startMongod } from '../../mongod/mongod.ts';
import { ATTACKS } from './attacks.ts';
import { clientOf, setUp } from './setup-mongod.ts';
import { openTrail } from './trail-harness.ts';

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

test('the same attacks are no matter of privilege to an administrator', async (t) => {
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
