import { CraError } from '../model/errors.ts';

/** What can be set up: arguments in, exit code out. */
const TARGETS: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  mongodb: () => import('./setup-mongodb.ts'),
};

/** `cra setup mongodb`. Resolves with the exit code of the target. */
export async function run([name, ...args]: string[]): Promise<number> {
  const wantsHelp = [name, ...args].some((argument) => argument === '--help' || argument === '-h');
  if (wantsHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  const target = name !== undefined && Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
  if (target === undefined) {
    const what = name === undefined ? 'say what to set up' : `"${name}" can not be set up`;
    throw new CraError('INVALID_ARGUMENT', `${what}\n\n${HELP}`);
  }
  const { run: setUp } = await target();
  return setUp(args);
}

const HELP = `usage: cra setup mongodb [--admin-url URL] [--database cra] [--audit-size-gib 64]
                         [--passwords FILE] [--new-passwords] [--dry-run]

Prepares a MongoDB server for the service; to be run once, by an administrator of the server. Makes

  a capped collection "audit" in database cra_audit: the write-once trail
  a role cra_audit_writer: insert, find and collStats on that collection, nothing else
  a user cra_service: reads and writes database cra
  a user cra_audit: holds the role

and prints the two addresses for SERVICE_STORE_URL and SERVICE_AUDIT_URL. What is there already
stays as it is; when something differs, nothing is changed, and every difference is named with the
command that mends it.

  --admin-url URL       address with user and password of an administrator. A URL on the command
                        line is seen by every user of the machine: CRA_ADMIN_URL, or the path of a
                        file in CRA_ADMIN_URL_FILE, does the same
  --database NAME       database of the records; the trail is in NAME_audit (default: cra)
  --audit-size-gib N    size of the trail; it must never run full (default: 64, four years of
                        20,000 decisions a day)
  --passwords FILE      two lines: the password of cra_service, and that of cra_audit; - reads
                        them from standard input. Without it they are generated and printed once
  --new-passwords       set new passwords for users that are there already
  --dry-run             change nothing, print the commands

Exit code: 0 all is there, 1 something differs, 2 it failed. docs/mongodb.md tells more.
`;
