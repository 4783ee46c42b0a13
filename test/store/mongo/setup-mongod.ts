import { MongoClient } from 'mongodb';
import { type SetupOptions, setUpMongo } from '../../../src/store/mongo/setup.ts';
import type { SharedMongod } from '../../mongod/mongod.ts';

/** Runs the set-up with an administrator's address. */
export function setUp(mongod: SharedMongod, options: Partial<SetupOptions> & { database: string }) {
  return setUpMongo({
    adminUrl: mongod.url,
    cappedGib: null,
    passwords: new Map(),
    renewsPasswords: false,
    isDryRun: false,
    ...options,
  });
}

/** A client that the test closes. */
export function clientOf(t: { teardown(done: () => Promise<void>): void }, url: string) {
  const client = new MongoClient(url);
  t.teardown(() => client.close());
  return client;
}
