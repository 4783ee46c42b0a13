import { parseArgs } from 'node:util';
import { type CheckpointSigner, createCheckpointSigner } from '../audit/checkpoint.ts';
import type { StoredTrail } from '../audit/continuity.ts';
import { type AuditSettings, readAuditSettings } from '../daemon/config/config.ts';
import { findCheckpointSeed } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import { openSqliteAuditSource } from '../store/sqlite/audit-source.ts';

/** Opens the trail of the configured store, for reading. */
export async function openSource({ dataDir, store }: AuditSettings): Promise<StoredTrail> {
  if (store.kind === 'sqlite') return openSqliteAuditSource(dataDir);
  // Loaded where it is used: the driver costs 100 ms and 20 MB.
  const { openMongoAuditSource } = await import('../store/mongo/audit-source.ts');
  return openMongoAuditSource(store);
}

/** `cra audit key`: prints the public key that checkpoints are verified with. */
export function run(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const settings = readAuditSettings();
  const signer = findSigner(settings);
  if (signer === null) {
    const message = `${settings.dataDir} holds no key: set SERVICE_DATA_DIR, or start the service once`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  process.stdout.write(`${signer.verifierKey}\n`);
  return Promise.resolve(0);
}

/** The signer of the settings, else of the data directory; null: no key (nothing is made). */
export function findSigner({ dataDir, checkpointSeed }: AuditSettings): CheckpointSigner | null {
  const seed = checkpointSeed ?? findCheckpointSeed(dataDir);
  return seed === null ? null : createCheckpointSigner(seed);
}
