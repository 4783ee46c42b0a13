import type { Collection } from 'mongodb';
import { CraError } from '../../model/errors.ts';
import type { MetaDocument } from './documents.ts';
import { fromMongo } from './errors.ts';

/** The layout of the collections; a daemon that knows another one does not touch them. */
const FORMAT = 1;

/** Hashes, in hex, of the keys that all daemons of a store must have in common. */
export interface KeyHashes {
  seal: string;
  fingerprint: string;
}

const SETTING = {
  seal: 'SERVICE_SEAL_KEY',
  fingerprint: 'SERVICE_FINGERPRINT_KEY',
} as const satisfies Record<keyof KeyHashes, string>;

/**
 * Compares what this daemon has with what the first daemon of the store wrote down, or is that
 * first one. FAILED_PRECONDITION when they differ: diffs that one sealed the other could not open,
 * and accepted fingerprints would be unknown to it.
 */
export async function agree(meta: Collection<MetaDocument>, keys: KeyHashes): Promise<void> {
  const found = await firstOf(meta, { format: FORMAT, ...keys });
  if (found['format'] !== FORMAT) {
    throw new CraError(
      'FAILED_PRECONDITION',
      `the store has format ${String(found['format'])}, this cra knows format ${FORMAT}: run the version of cra that wrote it`,
    );
  }
  for (const key of ['seal', 'fingerprint'] as const) {
    if (found[key] === keys[key]) continue;
    throw new CraError(
      'FAILED_PRECONDITION',
      `the ${key} key of this daemon is not that of the store: give all daemons of a store the same ${SETTING[key]} (64 hex digits)`,
    );
  }
}

/** The document that is stored, ours if there was no other. */
async function firstOf(
  meta: Collection<MetaDocument>,
  ours: Record<string, unknown>,
): Promise<MetaDocument> {
  const _id = 'store';
  try {
    await meta.updateOne({ _id }, { $setOnInsert: ours }, { upsert: true });
    const found = await meta.findOne({ _id });
    if (found !== null) return found;
  } catch (thrown) {
    throw fromMongo(thrown);
  }
  throw new CraError('UNAVAILABLE', 'another daemon is just setting the store up: start again');
}
