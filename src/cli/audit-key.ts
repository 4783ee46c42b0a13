import { parseArgs } from 'node:util';
import { type CheckpointSigner, createCheckpointSigner } from '../audit/checkpoint.ts';
import { readAuditSettings } from '../config.ts';
import { findCheckpointSeed } from '../data-dir.ts';
import { CraError } from '../domain/errors.ts';

/** `cra audit key`: prints the public key that checkpoints are verified with. */
export function run(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const { dataDir } = readAuditSettings();
  const signer = findSigner(dataDir);
  if (signer === null) {
    const message = `${dataDir} holds no key: set SERVICE_DATA_DIR, or start the service once`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  process.stdout.write(`${signer.verifierKey}\n`);
  return Promise.resolve(0);
}

/** The signer of a data directory; null: it has no key (nothing is made). */
export function findSigner(dataDir: string): CheckpointSigner | null {
  const seed = findCheckpointSeed(dataDir);
  return seed === null ? null : createCheckpointSigner(seed);
}
