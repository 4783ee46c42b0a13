import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { createCheckpointSigner } from '../audit/checkpoint.ts';
import { exportTrail } from '../audit/export.ts';
import { AUDIT_READ } from '../audit/limits.ts';
import { type AuditSettings, readAuditSettings } from '../daemon/config/config.ts';
import { findCheckpointSeed, ownVersion } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import { DECISIONS } from '../model/limits.ts';
import { endTime } from '../model/schema.ts';
import type { AcceptedRow } from '../store/contract/trail.ts';
import { storePaths } from '../store/sqlite/database.ts';
import { createSqliteWriter } from '../store/sqlite/store.ts';
import { keepNote, readKeptNote, type TrailGate } from '../store/trail.ts';
import {
  describeFlaw,
  findSigner,
  openSource,
  printKey,
  runVerify,
  startCounter,
} from './audit-verify.ts';
import { withoutSecrets } from './redacted.ts';
import { dataOf, withService } from './service-client.ts';
import { printable, wholeNumber } from './terminal.ts';

/** What can be done with the audit trail: arguments in, exit code out. */
const ACTIONS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  verify: runVerify,
  export: runExport,
  key: printKey,
  accept,
};

/** `cra audit verify|export|key|accept`. Resolves with the exit code of the action. */
export async function run([name, ...args]: string[]): Promise<number> {
  const isHelp = [name, ...args].some((arg) => arg === '--help' || arg === '-h');
  if (isHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  const action = name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const what = name === undefined ? 'an action is missing' : `unknown action "${name}"`;
    throw new CraError('INVALID_ARGUMENT', `${what}\n\n${HELP}`);
  }
  return action(args);
}

const HELP = `usage: cra audit verify [FILE] [--key KEY]... [--checkpoint FILE]... [--segments] [--json]
       cra audit export [--out FILE] [--since TIME]
       cra audit key
       cra audit accept --chain ID --reason TEXT

verify  Checks every entry of FILE, an export, or without FILE of the trail of the service whose
        settings are in the environment, and names the first bad one. Without FILE the trail is
        compared with checkpoint.note of the data directory, with every decided RFC, with
        accepted fingerprints and the rules, too.
        Exit code: 0 the trail is in order, 1 it is not, 2 it could not be read.
  --key KEY          public key to check signatures with (from cra audit key); may be given
                     several times. Default, without FILE: that of SERVICE_CHECKPOINT_KEY or
                     SERVICE_DATA_DIR
  --checkpoint FILE  checkpoints that were kept elsewhere: the trail must still hold what they say
  --segments         without FILE: compare the sealed segments in object storage, too
  --json             print the result as JSON
export  Writes all entries as lines of JSON, with a last line that counts them. It is
        signed when there is a key (as below) and the trail is in order.
        Exit code: 0, 1 the trail is bad (it is written, not signed), 2 the command failed.
  --out FILE         where to; default: standard output
  --since TIME       leave out chains that ended before (ISO 8601)
key     Prints the public key of SERVICE_CHECKPOINT_KEY or SERVICE_DATA_DIR. Keep a copy where the
        service cannot write.
accept  Records in the trail that entries of a chain are lost, so that the service accepts decisions
        again. With SQLite stop the service first. Opens the trail as a service does: where there is
        no gap to accept, it still begins a chain.
  --chain ID         the chain that lacks entries, as the status and verify name it
  --reason TEXT      kept in the trail: no secrets

  cra audit export --out trail.jsonl && cra audit verify trail.jsonl --key "$(cra audit key)"
`;

const ACCEPT_OPTIONS = { chain: { type: 'string' }, reason: { type: 'string' } } as const;

/** A trail that is open for the acceptance. */
interface OpenTrail {
  gate: TrailGate;
  acceptGap(asked: { chain: string; actor: string; reason: string }): Promise<void>;
  close(): Promise<void>;
}

/** `cra audit accept`: exit code 0 when decisions are taken again. */
async function accept(args: string[]): Promise<number> {
  const { chain = '', reason = '' } = parseArgs({ args, options: ACCEPT_OPTIONS }).values;
  if (chain === '' || reason.trim() === '' || reason.length > DECISIONS.REASON_CHARS_MAX) {
    const limit = `at most ${DECISIONS.REASON_CHARS_MAX} characters`;
    throw new CraError('INVALID_ARGUMENT', `give --chain ID and --reason TEXT (${limit})`);
  }
  const settings = readAuditSettings();
  const trail = await openTrail(settings);
  try {
    const [actor = '', shown = ''] = await withoutSecrets([userInfo().username, reason], settings);
    await trail.acceptGap({ chain, actor, reason: shown });
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
      throw new CraError(
        'FAILED_PRECONDITION',
        `${dataDir} holds no database: set SERVICE_DATA_DIR`,
      );
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

const EXPORT_OPTIONS = { out: { type: 'string', short: 'o' }, since: { type: 'string' } } as const;

/** `cra audit export`: exit code 0, or 1 when the trail that was exported is bad. */
async function runExport(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: EXPORT_OPTIONS });
  const since = values.since === undefined ? null : timeOf(values.since);
  const settings = readAuditSettings();
  const signer = findSigner(settings);
  const source = await openSource(settings);
  const counter = startCounter(process.stderr, 'entries exported');
  try {
    const onEntry = counter.step;
    const { flaw, summary } = await writeLines(values.out ?? process.stdout, (write) =>
      exportTrail(source, { write, nowMs: Date.now(), since, signer, onEntry }),
    );
    const { chains, entries } = summary;
    if (flaw === null) {
      const signed = signer === null ? 'not signed: there is no key' : 'signed';
      process.stderr.write(`${entries} entries of ${chains} chains exported, ${signed}\n`);
      return 0;
    }
    const text = `the trail is bad, so the export is not signed: ${describeFlaw(flaw)}`;
    process.stderr.write(`${printable(text)}\n`);
    return 1;
  } finally {
    counter.stop();
    await source.close();
  }
}

function timeOf(text: string): string {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new CraError('INVALID_ARGUMENT', '--since must be a time, like 2026-11-21T10:00:00Z');
}

/** Takes a line; returns a promise when buffered lines have to be written first. */
type WriteLine = (line: string) => Promise<void> | undefined;

/**
 * Hands out a writer of lines to a file, or to a stream. The file has its name only when all of
 * it is on the disk; if anything fails it is absent, or the file from before.
 */
export async function writeLines<Result>(
  out: string | NodeJS.WritableStream,
  produce: (write: WriteLine) => Promise<Result>,
): Promise<Result> {
  return typeof out === 'string' ? toFile(out, produce) : toStream(out, produce);
}

async function toFile<Result>(
  path: string,
  produce: (write: WriteLine) => Promise<Result>,
): Promise<Result> {
  const partial = `${path}.partial-${process.pid}`;
  const file = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    throw new CraError('FAILED_PRECONDITION', `could not create ${partial}`, { cause });
  });
  try {
    const lines = createBuffer((text) => file.writeFile(text));
    const result = await produce(lines.write);
    await lines.flush();
    await file.sync();
    await file.close();
    await rename(partial, path);
    return result;
  } catch (thrown) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw thrown;
  }
}

async function toStream<Result>(
  stream: NodeJS.WritableStream,
  produce: (write: WriteLine) => Promise<Result>,
): Promise<Result> {
  const broken = new AbortController();
  // A reader that went away: `once` alone would miss an error between two writes.
  const onError = (cause: Error) => {
    broken.abort(new CraError('ABORTED', 'the output was closed', { cause }));
  };
  stream.on('error', onError);
  try {
    const lines = createBuffer(async (text) => {
      broken.signal.throwIfAborted();
      if (!stream.write(text)) await once(stream, 'drain', { signal: broken.signal });
    });
    const result = await produce(lines.write);
    await lines.flush();
    broken.signal.throwIfAborted();
    return result;
  } finally {
    stream.off('error', onError);
  }
}

function createBuffer(write: (text: string) => Promise<void>) {
  let kept: string[] = [];
  let chars = 0;
  const flush = () => {
    const text = kept.join('');
    kept = [];
    chars = 0;
    return write(text);
  };
  return {
    write(line: string) {
      kept.push(line);
      chars += line.length;
      return chars < AUDIT_READ.BLOCK_BYTES ? undefined : flush();
    },
    flush,
  };
}

const DAYS_DEFAULT = 30;
const DAYS_MAX = 36_500;
const DAY_MS = 24 * 3_600_000;
const DAY_CHARS = 'YYYY-MM-DD'.length;

/**
 * `cra exceptions`: lists the acceptances of findings that have ended or will soon. Resolves with
 * 0 when the list is empty, else with 1.
 */
export async function runExceptions(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: EXCEPTIONS_OPTIONS });
  if (values.help) {
    process.stdout.write(EXCEPTIONS_HELP);
    return 0;
  }
  const query = new URLSearchParams({
    ending_before: before(values['ending-before'], values.days),
    ...(values.repo === undefined ? {} : { repo: values.repo }),
  });
  let count = 0;
  await withService(values, async (client, signal) => {
    for (let cursor: string | null = ''; cursor !== null; ) {
      if (cursor !== '') query.set('cursor', cursor);
      const reply = await client.exceptions(query, signal);
      for (const row of dataOf(reply) as AcceptedRow[]) {
        count += 1;
        process.stdout.write(values.json ? `${JSON.stringify(row)}\n` : lineOf(row));
      }
      cursor = reply.nextCursor;
    }
  });
  return count === 0 ? 0 : 1;
}

function before(end: string | undefined, days: string | undefined): string {
  if (end === undefined) {
    // To the end of the last of these days.
    const ms = (wholeNumber('days', days, DAYS_DEFAULT, DAYS_MAX) + 1) * DAY_MS;
    return new Date(Date.now() + ms).toISOString().slice(0, DAY_CHARS);
  }
  if (end.length === DAY_CHARS && endTime(end) !== null && days === undefined) return end;
  const message = '--ending-before takes a day (2027-03-01), and no --days beside';
  throw new CraError('INVALID_ARGUMENT', message);
}

function lineOf({ repo, rule, fingerprint, rfc_id, by, reason, expires_at: end }: AcceptedRow) {
  const what = rule ?? fingerprint.slice(0, 12);
  return `${printable(`${end} ${repo} ${what} ${rfc_id} by ${by}: ${reason}`)}\n`;
}

const EXCEPTIONS_OPTIONS = {
  server: { type: 'string' },
  repo: { type: 'string' },
  days: { type: 'string' },
  'ending-before': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const EXCEPTIONS_HELP = `usage: cra exceptions [OPTIONS]

Lists the acceptances of findings (expires_at of a decision) that have ended or end soon, a line
each: when, repository, rule, the RFC that was decided about, by whom, why.

  --days N              acceptances that end within N days (default: ${DAYS_DEFAULT})
  --ending-before DAY   acceptances that end before a day (2027-03-01) begins in UTC
  --repo NAME           of one repository
  --server URL          the service (default: CRA_BASE_URL, or http://127.0.0.1:3011)
  --json                a JSON object a line
CRA_API_TOKEN or CRA_API_TOKEN_FILE hold the API token.

Exit code: 0 the list is empty, 1 it is not, 2 the command failed.
`;
