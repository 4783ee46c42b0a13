import { createReadStream, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readVerifierKey } from '../audit/checkpoint.ts';
import { readAuditSettings } from '../daemon/config/config.ts';
import { type EvidenceKey, readEvidenceKey } from '../deploys/evidence/envelope.ts';
import {
  type VerifiedBundle,
  type VerifiedChange,
  verifyBundle,
} from '../deploys/evidence/verify.ts';
import { CraError } from '../model/errors.ts';
import type { DeployRangeReview } from '../model/evidence.ts';
import { findSigner } from './audit-verify.ts';
import { dataOf, withService } from './service-client.ts';
import { CLI, printable, readAll } from './terminal.ts';

const ACTIONS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  get,
  verify,
  key: printKey,
};

/** `cra evidence get|verify|key`. Resolves with the exit code of the action. */
export async function run([name, ...args]: string[]): Promise<number> {
  if ([name, ...args].some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  const action = name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const what = name === undefined ? 'an action is missing' : `unknown action "${name}"`;
    throw new CraError('INVALID_ARGUMENT', `${what}\n\n${HELP}`);
  }
  return await action(args);
}

const HELP = `usage: cra evidence get RFC [--out FILE] [--server URL] [--token TOKEN]
       cra evidence verify FILE [--key KEY]...
       cra evidence key

get     Writes signed evidence about an RFC: what the gates found, who decided what, and the
        entries of the audit trail with their proofs. A line of JSON for each statement (in-toto,
        DSSE). A caller who may not read the audit trail gets hashes in place of the entries.
  --out FILE     where to; default: standard output
  --server URL   the service (default: CRA_BASE_URL)
  --token TOKEN  its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps
verify  Checks evidence without the service, and says what it proves.
        Exit code: 0 the evidence is in order, 1 it is not, 2 it could not be read.
  --key KEY      public key, as cra audit key prints it; may be given several times. Default: that
                 of SERVICE_CHECKPOINT_KEY or SERVICE_DATA_DIR
key     Prints the public key as PEM, for cosign and other tools.

  cra evidence get RFC-0197A1B2C3 --out change.intoto.jsonl
  cra evidence verify change.intoto.jsonl --key "$(cat cra-audit.pub)"
`;

const GET = {
  out: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
} as const;

async function get(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: GET, allowPositionals: true });
  const [rfcId, ...others] = positionals;
  if (rfcId === undefined || others.length > 0) {
    throw new CraError('INVALID_ARGUMENT', 'give one RFC');
  }
  const path = `rfc/${encodeURIComponent(rfcId)}/evidence`;
  const bundle = await withService(values, async (client, signal) =>
    String(dataOf(await client.evidence(path, signal))),
  );
  if (values.out === undefined) process.stdout.write(bundle);
  else writeFileSync(values.out, bundle);
  return 0;
}

async function verify(args: string[]): Promise<number> {
  const options = { key: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    throw new CraError('INVALID_ARGUMENT', 'give one FILE');
  }
  const keys = (values.key ?? [ownKey()]).map(readKey);
  const { bundle, fault } = verifyBundle(await readText(file), keys);
  process.stdout.write(fault === null ? textOf(bundle) : `BAD: ${printable(fault)}\n`);
  return fault === null ? 0 : 1;
}

function ownKey(): string {
  const signer = findSigner(readAuditSettings());
  if (signer !== null) return signer.verifierKey;
  throw new CraError('INVALID_ARGUMENT', 'give the public key of the service (--key)');
}

function readKey(text: string): EvidenceKey {
  try {
    return readEvidenceKey(text.trim());
  } catch (thrown) {
    throw new CraError('INVALID_ARGUMENT', `--key: ${(thrown as RangeError).message}`);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return (await readAll(createReadStream(path), CLI.REPLY_BYTES_MAX, path)).toString();
  } catch (thrown) {
    if (thrown instanceof CraError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    throw new CraError('INVALID_ARGUMENT', `${path} cannot be read: ${code}`, { cause: thrown });
  }
}

/** What the evidence says, and of that what is proven and what is not. */
function textOf({ changes, range }: VerifiedBundle): string {
  const isWithheld = changes.some(({ review }) => review.entries.some(({ text }) => text === null));
  const lines = [
    'OK: the evidence is whole, and signed with the key',
    ...(range === null ? [] : rangeLines(range)),
    ...changes.flatMap(changeLines),
    'proven: the service with this key said all of this, and its trail has the entries',
    isWithheld
      ? 'not proven: what the entries say, as the evidence holds their hashes alone'
      : 'proven: the decisions are as the entries of the trail say',
    'not proven: that the findings are right, and what callers claimed (actor, message, branch)',
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function rangeLines(range: DeployRangeReview): string[] {
  const { repo, from, to, commits, rfcs, refusals, unjudged } = range;
  return [
    `  range ${from}..${to} of ${repo}: ${commits} commits, ${rfcs.length} RFCs`,
    ...refusals.map(({ commit_sha, reason }) => `    refused   ${commit_sha}: ${reason}`),
    ...unjudged.map((sha) => `    unjudged  ${sha}`),
  ];
}

function changeLines({ review, summary }: VerifiedChange): string[] {
  const { rfc, entries, refusal, carried, made_at } = review;
  const commit = rfc.commit_sha ?? 'no commit';
  const claimed = rfc.push === null && rfc.commit_sha !== null ? ' (claimed)' : '';
  return [
    `  ${rfc.rfc_id}: ${summary.verificationResult} (${rfc.overall_status}), ${made_at}`,
    `    change    ${commit}${claimed} of ${rfc.repo_name}, diff sha256:${rfc.diff_hash}`,
    `    rules     ${rfc.rules_revision}`,
    ...rfc.override_history.map(
      ({ action, principal, actor, reason, at }) =>
        `    ${action.padEnd(10)}${principal.id} as ${actor}, ${at}: ${reason}`,
    ),
    ...carried.map(({ rfc_id }) => `    carried   by the decision about ${rfc_id}`),
    ...(refusal === null ? [] : [`    refused   ${refusal.rfc_id}: ${refusal.reason}`]),
    `    trail     ${entries.length} entries`,
  ];
}

function printKey(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const { key } = readVerifierKey(ownKey());
  process.stdout.write(key.export({ format: 'pem', type: 'spki' }));
  return Promise.resolve(0);
}
