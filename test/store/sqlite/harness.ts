import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Connection, openForWriting } from '../../../src/store/sqlite/database.ts';
import { createSqliteReader } from '../../../src/store/sqlite/reader.ts';
import { createSqliteWriter } from '../../../src/store/sqlite/writer.ts';
import type { Harness } from '../conformance/steps.ts';
import { connectStore } from '../in-process.ts';

/** A directory of the test's own, gone after it. */
export function temporaryFor(t: ExecutionContext): string {
  const directory = makeTemporary();
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An empty database of the newest version. */
export function openTemporary(t: ExecutionContext): Connection {
  const database = openForWriting(join(temporaryFor(t), 'cra.db'));
  t.teardown(() => void database.close());
  return database;
}

function makeTemporary(): string {
  return mkdtempSync(join(tmpdir(), 'cra-store-'));
}

/** The SQLite driver on a data directory. */
export function openSqlite(dataDir: string, now: () => number) {
  const writer = createSqliteWriter({ dataDir, now });
  const reader = createSqliteReader({ dataDir });
  return {
    store: connectStore(writer.records, reader.records),
    pruneDiffs: writer.pruneDiffs,
    async close() {
      reader.close();
      await writer.close();
    },
  };
}

/** The SQLite driver for the conformance suite. */
export async function openHarness(now: () => number): Promise<Harness> {
  const dataDir = makeTemporary();
  let opened = openSqlite(dataDir, now);
  return {
    get store() {
      return opened.store;
    },
    async reopen() {
      await opened.close();
      opened = openSqlite(dataDir, now);
    },
    pruneDiffs: async (nowMs) => opened.pruneDiffs(nowMs),
    async close() {
      await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
