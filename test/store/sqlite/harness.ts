import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import { createClient } from '../../../src/rpc/client.ts';
import { Records } from '../../../src/rpc/contract.ts';
import { connectInProcess } from '../../../src/rpc/in-process.ts';
import { createServer, implement } from '../../../src/rpc/server.ts';
import { Sessions } from '../../../src/rpc/sessions-contract.ts';
import { Trail } from '../../../src/rpc/trail-contract.ts';
import { openSqliteAuditSource } from '../../../src/store/sqlite/audit-source.ts';
import { type Connection, openForWriting } from '../../../src/store/sqlite/database.ts';
import { createSqliteReader, type SqliteReader } from '../../../src/store/sqlite/reader.ts';
import {
  createSqliteWriter,
  type SqliteWriter,
  type SqliteWriterOptions,
} from '../../../src/store/sqlite/writer.ts';
import type { SessionStore, Store, TrailStore } from '../../../src/store/store.ts';
import {
  createSessionStore,
  createStore,
  createTrailStore,
} from '../../../src/store/store-client.ts';
import type { Harness } from '../conformance/steps.ts';

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

/** Both halves of a driver behind the carrier of one thread. */
export function connectStore(
  writer: Pick<SqliteWriter, 'records' | 'trail' | 'sessions'>,
  reader: Pick<SqliteReader, 'records' | 'trail' | 'sessions'>,
): { store: Store; trail: TrailStore; sessions: SessionStore } {
  const server = createServer([
    implement(Records, { ...writer.records, ...reader.records }),
    implement(Trail, { ...writer.trail, ...reader.trail }),
    implement(Sessions, { ...writer.sessions, ...reader.sessions }),
  ]);
  const transport = connectInProcess(server);
  const records = createClient(Records, transport);
  const trail = createClient(Trail, transport);
  const sessions = createClient(Sessions, transport);
  return {
    store: createStore({ writer: records, reader: records }),
    trail: createTrailStore({ writer: trail, reader: trail }),
    sessions: createSessionStore({ writer: sessions, reader: sessions }),
  };
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
  const reader = createSqliteReader({ dataDir });
  return {
    ...connectStore(writer, reader),
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
    get trail() {
      return opened.trail;
    },
    get sessions() {
      return opened.sessions;
    },
    async reopen() {
      await opened.close();
      opened = openSqlite(dataDir, now);
    },
    async entries() {
      const source = openSqliteAuditSource(dataDir);
      const chains = await source.chains();
      const texts: string[] = [];
      for (const chain of chains) for await (const text of source.entries(chain)) texts.push(text);
      await source.close();
      return texts.map((text) => JSON.parse(text) as AuditEntry);
    },
    pruneDiffs: async (nowMs) => opened.pruneDiffs(nowMs),
    async close() {
      await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
