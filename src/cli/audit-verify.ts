import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  type Checkpoint,
  createCheckpointVerifier,
  type OpenCheckpoint,
  readUnverified,
} from '../audit/checkpoint.ts';
import type { Verification } from '../audit/trail-check.ts';
import { type VerifyOptions, verifyTrail } from '../audit/verify.ts';
import { readAuditSettings } from '../daemon/config/config.ts';
import { AUDIT_READ } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { readKeptNote } from '../store/trail-gate.ts';
import { openExport } from './audit-file.ts';
import { startCounter, verificationText } from './audit-report.ts';
import { findSigner, openSource } from './audit-source.ts';
import { readAll } from './read-all.ts';

const OPTIONS = {
  key: { type: 'string', multiple: true },
  checkpoint: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

/** `cra audit verify`: exit code 0 when the trail is in order, 1 when it is not. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [path, ...more] = positionals;
  if (more.length > 0) throw new CraError('INVALID_ARGUMENT', 'give one file, or none');
  const open = openerOf(values.key ?? (path === undefined ? ownKeys() : []));
  const kept = [];
  for (const file of values.checkpoint ?? []) kept.push(...(await readKept(file, open)));
  const result =
    path === undefined ? await verifyStore({ open, kept }) : await verifyFile(path, { open, kept });
  const text = values.json ? `${JSON.stringify(result, null, 2)}\n` : verificationText(result);
  process.stdout.write(text);
  return result.flaw === null ? 0 : 1;
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
  return verify(source, { open, kept: all, nowMs: Date.now(), claims: null, undocumented });
}

/** The checkpoint that the service keeps in its data directory. */
function ownNote(dataDir: string, open: OpenCheckpoint | null): VerifyOptions['kept'] {
  const note = readKeptNote(dataDir);
  const checkpoint = note === null ? null : (open ?? readUnverified)(note);
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
    throw new CraError('INVALID_ARGUMENT', `${path} cannot be read`, { cause: thrown });
  }
}
