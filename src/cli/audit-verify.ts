import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Flaw } from '../audit/chain-check.ts';
import {
  type Checkpoint,
  type CheckpointSigner,
  createCheckpointSigner,
  createCheckpointVerifier,
  type OpenCheckpoint,
  readUnverified,
} from '../audit/checkpoint.ts';
import type { StoredTrail } from '../audit/continuity.ts';
import { AUDIT_READ } from '../audit/limits.ts';
import type { Verification } from '../audit/trail-check.ts';
import { type VerifyOptions, verifyTrail } from '../audit/verify.ts';
import {
  type AuditSettings,
  applyLibrarySettings,
  readAuditSettings,
} from '../daemon/config/config.ts';
import { findCheckpointSeed } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import type { SegmentsCheck } from '../store/objects/segments.ts';
import { openSqliteAuditSource } from '../store/sqlite/audit-log.ts';
import { readKeptNote } from '../store/trail.ts';
import { openExport } from './audit-file.ts';
import { withoutSecrets } from './redacted.ts';
import { CLI, printable, readAll } from './terminal.ts';

const OPTIONS = {
  key: { type: 'string', multiple: true },
  checkpoint: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  segments: { type: 'boolean' },
} as const;

/** `cra audit verify`: exit code 0 when the trail is in order, 1 when it is not. */
export async function runVerify(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [path, ...more] = positionals;
  if (more.length > 0) throw new CraError('INVALID_ARGUMENT', 'give one file, or none');
  const open = openerOf(values.key ?? (path === undefined ? ownKeys() : []));
  const kept = [];
  for (const file of values.checkpoint ?? []) kept.push(...(await readKept(file, open)));
  const result =
    path === undefined ? await verifyStore({ open, kept }) : await verifyFile(path, { open, kept });
  const segments = values.segments && result.flaw === null ? await checkSegments(path) : null;
  const text = values.json
    ? `${JSON.stringify(segments === null ? result : { ...result, segments }, null, 2)}\n`
    : verificationText(result) + segmentsText(segments);
  process.stdout.write(text);
  return result.flaw === null && (segments?.flaw ?? null) === null ? 0 : 1;
}

/** Compares the trail of the service with what is sealed in object storage. */
async function checkSegments(path: string | undefined): Promise<SegmentsCheck> {
  const settings = readAuditSettings();
  if (path !== undefined || settings.segments === null) {
    const message = '--segments needs the store of the service, and SERVICE_SEGMENTS_BUCKET';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const [{ openBucket }, { verifySegments }] = await Promise.all([
    import('../store/objects/s3.ts'),
    import('../store/objects/segments.ts'),
  ]);
  const source = await openSource(settings);
  applyLibrarySettings();
  const bucket = openBucket(settings.segments);
  try {
    return await verifySegments(source, bucket);
  } finally {
    bucket.close();
    await source.close();
  }
}

function segmentsText(check: SegmentsCheck | null): string {
  if (check === null) return '';
  if (check.flaw !== null) return `BAD: ${printable(check.flaw)}\n`;
  return `  segments      ${number(check.segments)} with ${number(check.entries)} entries, locked and equal\n`;
}

type Asked = Pick<VerifyOptions, 'open' | 'kept'>;

async function verifyFile(path: string, asked: Asked): Promise<Verification> {
  const { source, header, closing } = await openExport(path);
  const nowMs = Date.parse(header.at);
  const { omitted } = header;
  return verify(source, { ...asked, nowMs, claims: { omitted, closing } });
}

async function verifyStore({ open, kept }: Asked): Promise<Verification> {
  const settings = readAuditSettings();
  const source = await openSource(settings);
  const undocumented = source.undocumented({ kind: 'all' });
  const all = [...kept, ...ownNote(settings.dataDir, open)];
  const { records } = source;
  const asked = { open, kept: all, nowMs: Date.now(), claims: null };
  return shownSafely(await verify(source, { ...asked, undocumented, records }), settings);
}

/** What people put into a store by hand may hold secrets. */
async function shownSafely(result: Verification, settings: AuditSettings): Promise<Verification> {
  const [first] = result.differences;
  if (first === undefined) return result;
  const differences = await withoutSecrets(result.differences, settings);
  const isFlaw = result.flaw !== null && result.flaw.reason === first;
  const flaw = isFlaw ? { chain: null, seq: null, reason: differences[0] ?? '' } : result.flaw;
  return { ...result, flaw, differences };
}

/** The checkpoint that the service keeps in its data directory, whichever key has signed it. */
function ownNote(dataDir: string, open: OpenCheckpoint | null): VerifyOptions['kept'] {
  const note = readKeptNote(dataDir);
  const checkpoint = note === null ? null : (open?.(note) ?? readUnverified(note));
  return checkpoint === null ? [] : [{ from: 'checkpoint.note', checkpoint }];
}

async function verify(
  source: Parameters<typeof verifyTrail>[0],
  options: VerifyOptions,
): Promise<Verification> {
  const counter = startCounter(process.stderr, 'entries verified');
  try {
    return await verifyTrail(source, { ...options, onEntry: counter.step });
  } finally {
    counter.stop();
    await source.close();
  }
}

function ownKeys(): string[] {
  const signer = findSigner(readAuditSettings());
  return signer === null ? [] : [signer.verifierKey];
}

/** Opens what one of the keys signed; null: there is no key. */
function openerOf(keys: readonly string[]): OpenCheckpoint | null {
  if (keys.length === 0) return null;
  const openers = keys.map((key) => {
    try {
      return createCheckpointVerifier(key.trim());
    } catch (thrown) {
      throw new CraError('INVALID_ARGUMENT', `--key: ${(thrown as RangeError).message}`);
    }
  });
  return (note) => {
    for (const openNote of openers) {
      const checkpoint = openNote(note);
      if (checkpoint !== null) return checkpoint;
    }
    return null;
  };
}

/** Checkpoints in a file, one after the other; each begins with its origin. */
async function readKept(
  path: string,
  open: OpenCheckpoint | null,
): Promise<{ from: string; checkpoint: Checkpoint }[]> {
  const text = await readText(path);
  const notes = text.split(/(?=^cra-audit\/)/m).filter((note) => note.trim() !== '');
  if (notes.length === 0) throw new CraError('INVALID_ARGUMENT', `${path} holds no checkpoint`);
  return notes.map((note, index) => {
    const trimmed = `${note.trimEnd()}\n`;
    const checkpoint = open === null ? readUnverified(trimmed) : open(trimmed);
    if (checkpoint !== null) return { from: path, checkpoint };
    const why = open === null ? 'is not a checkpoint' : 'was not signed with this key';
    throw new CraError('INVALID_ARGUMENT', `${path}: checkpoint ${index + 1} ${why}`);
  });
}

async function readText(path: string): Promise<string> {
  try {
    const stream = createReadStream(path);
    return (await readAll(stream, AUDIT_READ.KEPT_CHECKPOINT_BYTES_MAX, path)).toString();
  } catch (thrown) {
    if (thrown instanceof CraError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    throw new CraError('INVALID_ARGUMENT', `${path} cannot be read: ${code}`, { cause: thrown });
  }
}

/** The result for people: the first bad entry, or that all are in order, then the figures. */
function verificationText(result: Verification): string {
  const { flaw, warnings, warningsCount, differences, differencesCount, summary } = result;
  const unlisted = differencesCount - differences.length;
  const { operations } = summary;
  const kinds = Object.entries(operations).map(([kind, count]) => `${count} ${kind}`);
  const rows = [
    ['chains', number(summary.chains)],
    ['entries', `${number(summary.entries)} (${number(summary.bytes)} bytes)`],
    ['checkpoints', number(summary.checkpoints)],
    ['unsealed', `${number(summary.unsealed)} entries that no checked signature covers`],
    ['operations', kinds.join(', ') || 'none'],
    ['open intents', number(summary.openIntents)],
  ];
  const more = warningsCount - warnings.length;
  const lines = [
    flaw === null ? 'OK: the trail is in order' : `BAD: ${describeFlaw(flaw)}`,
    ...differences.slice(1).map((difference) => `BAD: ${difference}`),
    ...(unlisted > 0 ? [`BAD: ${unlisted} more differences`] : []),
    ...rows.map(([name = '', value]) => `  ${name.padEnd(14)}${value}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(more > 0 ? [`warning: ${more} more`] : []),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** Where and why, in one line. */
export function describeFlaw({ chain, seq, reason }: Flaw): string {
  const place = [
    ...(chain === null ? [] : [`chain ${chain}`]),
    ...(seq === null ? [] : [`entry ${seq}`]),
  ];
  return place.length === 0 ? reason : `${place.join(', ')}: ${reason}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** Tells now and then how many there were; of how many is not known. */
interface Counter {
  step(): void;
  stop(): void;
}

/** Counts on an output that is not the result, such as standard error. */
export function startCounter(output: NodeJS.WritableStream, unit: string): Counter {
  let count = 0;
  const timer = setInterval(() => {
    output.write(`${count.toLocaleString('en-US')} ${unit}\n`);
  }, CLI.PROGRESS_INTERVAL_MS);
  timer.unref();
  return {
    step() {
      count += 1;
    },
    stop: () => clearInterval(timer),
  };
}

/** Opens the trail of the configured store, for reading. */
export async function openSource({ dataDir, store }: AuditSettings): Promise<StoredTrail> {
  if (store.kind === 'sqlite') return openSqliteAuditSource(dataDir);
  // Loaded where it is used: the driver costs 100 ms and 20 MB.
  const { openMongoAuditSource } = await import('../store/mongo/audit-source.ts');
  return openMongoAuditSource(store);
}

/** `cra audit key`: prints the public key that checkpoints are verified with. */
export function printKey(args: string[]): Promise<number> {
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
