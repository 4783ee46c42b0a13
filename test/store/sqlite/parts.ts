import type { ExecutionContext } from 'ava';
import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import { CraError } from '../../../src/model/errors.ts';
import { createEntryProofs } from '../../../src/store/proofs.ts';
import { createAuditLog, openSqliteAuditSource } from '../../../src/store/sqlite/audit-log.ts';
import type { Connection } from '../../../src/store/sqlite/connection.ts';
import {
  makeDirectory,
  openForReading,
  openForWriting,
  storePaths,
} from '../../../src/store/sqlite/database.ts';
import { createDiffSegments } from '../../../src/store/sqlite/diffs.ts';
import { createGroupCommit } from '../../../src/store/sqlite/group-commit.ts';
import { createReaders, createWriters } from '../../../src/store/sqlite/store.ts';
import { createAuditSeals, createTrailSettle } from '../../../src/store/sqlite/trail.ts';
import { createTrailGate } from '../../../src/store/trail.ts';
import { NOW } from '../conformance/steps.ts';
import { connectDriver } from '../in-process.ts';
import { SEED, temporaryFor } from './harness.ts';

/**
 * A store whose database and files the test may hurt. `prepare` gets the database before the
 * first entry of the trail, which holds `version`.
 */
export function openParts(
  t: ExecutionContext,
  {
    version = 'test',
    prepare,
  }: { version?: string; prepare?: (database: Connection) => void } = {},
) {
  const now = () => NOW;
  const dataDir = temporaryFor(t);
  const paths = storePaths(dataDir);
  const database = openForWriting(paths.database);
  makeDirectory(paths.diffs);
  const segments = createDiffSegments(paths.diffs, now);
  const signer = createCheckpointSigner(SEED);
  const log = createAuditLog(database, { signer, version, now });
  const commits = createGroupCommit(database, { segments, log });
  prepare?.(database);
  commits.writeNow(log.boot);
  const seals = createAuditSeals({ log, commits, dataDir, mayKeepNote: () => true });
  const settle = createTrailSettle(seals);
  const gate = createTrailGate(async () => null);
  void gate.check();
  const source = openSqliteAuditSource(dataDir);
  const chain = () => log.mark().chain.chain;
  const prove = createEntryProofs({ source, signer, chain, seal: seals.seal });
  const writer = createWriters({ database, segments, log, commits, settle, gate, prove, now });
  const reading = openForReading(paths.database);
  t.teardown(async () => {
    await commits.drained();
    segments.close();
    await source.close();
    reading.close();
    database.close();
  });
  const clients = connectDriver(writer, createReaders(reading, paths, now));
  return { dataDir, paths, database, log, ...clients };
}

/** The code with which a call is refused. */
export async function refused(
  t: ExecutionContext,
  call: Promise<unknown>,
): Promise<string | undefined> {
  const error = await t.throwsAsync(call, { instanceOf: CraError });
  return error?.code;
}
