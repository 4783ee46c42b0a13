import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AuditEntry } from '../../../src/model/audit.ts';
import { openSqliteAuditSource } from '../../../src/store/sqlite/audit-log.ts';
import { type Connection, openForWriting } from '../../../src/store/sqlite/database.ts';
import {
  createSqliteReader,
  createSqliteWriter,
  type SqliteWriterOptions,
} from '../../../src/store/sqlite/store.ts';
import type { Harness } from '../conformance/steps.ts';
import { connectDriver, PATIENT_MS } from '../in-process.ts';

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

/** In memory where the system has such a place: what is not about the disk need not wait for it. */
export const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function makeTemporary(parent = tmpdir()): string {
  return mkdtempSync(join(parent, 'cra-store-'));
}

/** Signs the checkpoints of tests. */
export const SEED = new Uint8Array(32).fill(3);

/** The writing side on a data directory. */
export function openWriter(options: Partial<SqliteWriterOptions> & { dataDir: string }) {
  return createSqliteWriter({ now: Date.now, checkpointSeed: SEED, version: 'test', ...options });
}

/** The SQLite driver on a data directory. */
export function openSqlite(
  dataDir: string,
  now: () => number,
  options: Partial<SqliteWriterOptions> = {},
) {
  const writer = openWriter({ dataDir, now, ...options });
  const reader = createSqliteReader({ dataDir, now });
  return {
    ...connectDriver(writer, reader, PATIENT_MS),
    pruneDiffs: writer.pruneDiffs,
    checked: writer.gate.check,
    async close() {
      reader.close();
      await writer.close();
    },
  };
}

const CLEARED = ['deleted_refusal', 'rfc', 'repository', 'push_rests', 'push_fallen'];

/** The SQLite driver for the conformance suite. */
export async function openHarness(now: () => number, parent = tmpdir()): Promise<Harness> {
  const dataDir = makeTemporary(parent);
  let passedMs = 0;
  const clock = () => now() + passedMs;
  let opened = openSqlite(dataDir, clock);
  await opened.checked();
  return {
    get store() {
      return opened.store;
    },
    get trail() {
      return opened.trail;
    },
    get tasks() {
      return opened.tasks;
    },
    get usage() {
      return opened.usage;
    },
    get reviews() {
      return opened.reviews;
    },
    get rulebook() {
      return opened.rulebook;
    },
    get sessions() {
      return opened.sessions;
    },
    get pushes() {
      return opened.pushes;
    },
    async passTime(ms) {
      passedMs += ms;
    },
    async reopen() {
      await opened.close();
      opened = openSqlite(dataDir, clock);
      await opened.checked();
    },
    async entries() {
      const source = openSqliteAuditSource(dataDir);
      const chains = await source.chains();
      const texts: string[] = [];
      for (const chain of chains) for await (const text of source.entries(chain)) texts.push(text);
      await source.close();
      return texts.map((text) => JSON.parse(text) as AuditEntry);
    },
    async clear() {
      const database = openForWriting(join(dataDir, 'cra.db'));
      for (const table of CLEARED) database.exec(`DELETE FROM ${table}`);
      database.close();
    },
    pruneDiffs: opened.pruneDiffs,
    async close() {
      await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
