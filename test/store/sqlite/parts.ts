import type { ExecutionContext } from 'ava';
import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import { CraError } from '../../../src/domain/errors.ts';
import { createAuditLog } from '../../../src/store/sqlite/audit-log.ts';
import { createAuditSeals } from '../../../src/store/sqlite/audit-seals.ts';
import {
  makeDirectory,
  openForReading,
  openForWriting,
  storePaths,
} from '../../../src/store/sqlite/database.ts';
import { createDiffSegments } from '../../../src/store/sqlite/diff-segments.ts';
import { createGroupCommit } from '../../../src/store/sqlite/group-commit.ts';
import { createRecordsReader } from '../../../src/store/sqlite/records-reader.ts';
import { createRecordsWriter } from '../../../src/store/sqlite/records-writer.ts';
import { createSessionsReader, createSessionsWriter } from '../../../src/store/sqlite/sessions.ts';
import { createTrailReader } from '../../../src/store/sqlite/trail-reader.ts';
import { createTrailWriter } from '../../../src/store/sqlite/trail-writer.ts';
import { NOW } from '../conformance/steps.ts';
import { connectStore, SEED, temporaryFor } from './harness.ts';

/** A store whose database, files and clock the test may hurt. */
export function openParts(t: ExecutionContext, now: () => number = () => NOW) {
  const dataDir = temporaryFor(t);
  const paths = storePaths(dataDir);
  const database = openForWriting(paths.database);
  makeDirectory(paths.diffs);
  const segments = createDiffSegments(paths.diffs, now);
  const signer = createCheckpointSigner(SEED);
  const log = createAuditLog(database, { signer, version: 'test', now });
  const commits = createGroupCommit(database, { segments, log });
  commits.writeNow(log.boot);
  const seals = createAuditSeals({ log, commits, dataDir });
  const writer = {
    records: createRecordsWriter({ database, segments, commits, now }),
    trail: createTrailWriter({ database, log, seals, commits }),
    sessions: createSessionsWriter(database, commits, now),
  };
  const reading = openForReading(paths.database);
  t.teardown(async () => {
    await commits.drained();
    segments.close();
    reading.close();
    database.close();
  });
  const clients = connectStore(writer, {
    records: createRecordsReader(reading, paths.diffs),
    trail: createTrailReader(reading),
    sessions: createSessionsReader(reading),
  });
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
