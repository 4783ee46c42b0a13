import type { ExecutionContext } from 'ava';
import { databaseUrl, sharedMongod } from '../../../mongod/mongod.ts';
import { type OpenedMongo, openMongo } from '../harness.ts';

/** Two daemons on one database of the shared mongod; the clock of the second one is its own. */
export async function openTwo(
  t: ExecutionContext,
  now: () => number = Date.now,
): Promise<[OpenedMongo, OpenedMongo]> {
  const url = databaseUrl(await sharedMongod());
  const opened = await Promise.all([
    openMongo(url, Date.now, 'daemon-1'),
    openMongo(url, now, 'daemon-2'),
  ]);
  t.teardown(async () => {
    await opened[0].connection.db.dropDatabase();
    for (const each of opened) await each.close();
  });
  return opened;
}
