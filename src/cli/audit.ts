import { CraError } from '../model/errors.ts';

/** What can be done with the audit trail: arguments in, exit code out. */
const ACTIONS: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  verify: () => import('./audit-verify.ts'),
  export: () => import('./audit-export.ts'),
  key: () => import('./audit-source.ts'),
  accept: () => import('./audit-accept.ts'),
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
  const { run: act } = await action();
  return act(args);
}

const HELP = `usage: cra audit verify [FILE] [--key KEY]... [--checkpoint FILE]... [--json]
       cra audit export [--out FILE] [--since TIME]
       cra audit key
       cra audit accept --chain ID --reason TEXT

verify  Checks every entry of FILE, an export, or without FILE of the trail of the service whose
        settings are in the environment, and names the first bad one. Without FILE the trail is
        compared with checkpoint.note of the data directory and with every decided RFC, too.
        Exit code: 0 the trail is in order, 1 it is not, 2 it could not be read.
  --key KEY          public key that signatures must be of (from cra audit key); may be given
                     several times. Default, without FILE: that of SERVICE_CHECKPOINT_KEY or
                     SERVICE_DATA_DIR
  --checkpoint FILE  checkpoints that were kept elsewhere: the trail must still hold what they say
  --json             print the result as JSON
export  Writes all entries as lines of JSON, with a last line that counts them. It is
        signed when there is a key (as below) and the trail is in order.
        Exit code: 0, 1 the trail is bad (it is written, not signed), 2 it failed.
  --out FILE         where to; default: standard output
  --since TIME       leave out chains that ended before (ISO 8601)
key     Prints the public key of SERVICE_CHECKPOINT_KEY or SERVICE_DATA_DIR. Keep a copy where the
        service cannot write.
accept  Accepts that the trail lacks entries, so that decisions are taken again. That is an entry of
        the trail itself. With SQLite stop the service first.
  --chain ID         the chain that lacks entries, as the status and verify name it
  --reason TEXT      kept in the trail: no secrets

  cra audit export --out trail.jsonl && cra audit verify trail.jsonl --key "$(cra audit key)"
`;
