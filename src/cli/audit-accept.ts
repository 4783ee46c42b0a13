import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { createCheckpointSigner } from '../audit/checkpoint.ts';
import { type AuditSettings, readAuditSettings } from '../daemon/config/config.ts';
import { findCheckpointSeed } from '../daemon/data-dir.ts';
import { ownVersion } from '../daemon/threads.ts';
import { AUDIT } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { storePaths } from '../store/sqlite/database.ts';
import { createSqliteWriter } from '../store/sqlite/store.ts';
import { keepNote, readKeptNote, type TrailGate } from '../store/trail-gate.ts';

const OPTIONS = { chain: { type: 'string' }, reason: { type: 'string' } } as const;

/** A trail that is open for the acceptance. */
interface OpenTrail {
  gate: TrailGate;
  acceptGap(asked: { chain: string; actor: string; reason: string }): Promise<void>;
  close(): Promise<void>;
}

/** `cra audit accept`: exit code 0 when decisions are taken again. */
export async function run(args: string[]): Promise<number> {
  const { chain = '', reason = '' } = parseArgs({ args, options: OPTIONS }).values;
  if (chain === '' || reason.trim() === '' || reason.length > AUDIT.REASON_CHARS_MAX) {
    const limit = `at most ${AUDIT.REASON_CHARS_MAX} characters`;
    throw new CraError('INVALID_ARGUMENT', `give --chain ID and --reason TEXT (${limit})`);
  }
  const trail = await openTrail(readAuditSettings());
  try {
    await trail.acceptGap({ chain, actor: userInfo().username, reason });
    if (trail.gate.problem !== null) {
      throw new CraError('FAILED_PRECONDITION', trail.gate.problem);
    }
  } finally {
    await trail.close();
  }
  process.stdout.write('accepted, as an entry of the audit trail: decisions are taken again\n');
  return 0;
}

async function openTrail(settings: AuditSettings): Promise<OpenTrail> {
  const { dataDir, store } = settings;
  const checkpointSeed = settings.checkpointSeed ?? findCheckpointSeed(dataDir);
  if (checkpointSeed === null) {
    const message = `${dataDir} holds no key: set SERVICE_DATA_DIR or SERVICE_CHECKPOINT_KEY`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  const version = ownVersion();
  if (store.kind === 'sqlite') {
    if (!existsSync(storePaths(dataDir).database)) {
      throw new CraError('FAILED_PRECONDITION', `${dataDir} holds no database`);
    }
    return createSqliteWriter({ dataDir, now: Date.now, checkpointSeed, version });
  }
  const { connectMongoTrail } = await import('../store/mongo/open-trail.ts');
  return connectMongoTrail(store, {
    signer: createCheckpointSigner(checkpointSeed),
    version,
    instance: `cli-${randomUUID()}`,
    clock: { now: Date.now, mono: () => performance.now() },
    keptNote: readKeptNote(dataDir),
    onNote: (note) => keepNote(dataDir, note),
    isPassive: true,
  });
}
