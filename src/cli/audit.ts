import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { createCheckpointSigner } from '../audit/checkpoint.ts';
import { type AuditSettings, readAuditSettings } from '../daemon/config/config.ts';
import { findCheckpointSeed, ownVersion } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import { DECISIONS } from '../model/limits.ts';
import { storePaths } from '../store/sqlite/database.ts';
import { createSqliteWriter } from '../store/sqlite/store.ts';
import { keepNote, readKeptNote, type TrailGate } from '../store/trail-gate.ts';

/** What can be done with the audit trail: arguments in, exit code out. */
const ACTIONS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  verify: async (args) => (await import('./audit-verify.ts')).run(args),
  export: async (args) => (await import('./audit-export.ts')).run(args),
  key: async (args) => (await import('./audit-verify.ts')).printKey(args),
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
        compared with checkpoint.note of the data directory and with every decided RFC, too.
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
        again. With SQLite stop the service first.
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
