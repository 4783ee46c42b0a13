import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readSetupSettings } from '../daemon/config/config.ts';
import { CraError } from '../model/errors.ts';
import { MONGO_TRAIL } from '../store/limits.ts';
import type { SetupReport } from '../store/mongo/setup.ts';
import { readAll, wholeNumber } from './terminal.ts';

/** `cra setup mongodb`. Resolves with 0, or 1 when something that is there differs. */
export async function setUpMongodb(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const adminUrl = values['admin-url'] ?? readSetupSettings().adminUrl;
  if (adminUrl === '') {
    const message = 'give the address of an administrator: --admin-url, CRA_ADMIN_URL or its _FILE';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const size = values['audit-size-gib'];
  const isDryRun = values['dry-run'] === true;
  const { setUpMongo } = await import('../store/mongo/setup.ts');
  const report = await setUpMongo({
    adminUrl,
    database: databaseName(values.database ?? 'cra'),
    cappedGib:
      size === undefined
        ? null
        : wholeNumber('audit-size-gib', size, 1, MONGO_TRAIL.CAPPED_GIB_MAX),
    passwords: await readPasswords(values.passwords),
    renewsPasswords: values['new-passwords'] === true,
    isDryRun,
  });
  process.stdout.write(report.conflicts.length > 0 ? '' : outcomeText(report, isDryRun));
  for (const warning of report.warnings) process.stderr.write(`warning: ${warning}\n`);
  for (const conflict of report.conflicts) process.stderr.write(`differs: ${conflict}\n`);
  if (report.conflicts.length === 0) return 0;
  process.stderr.write('nothing was changed\n');
  return 1;
}

const OPTIONS = {
  'admin-url': { type: 'string' },
  database: { type: 'string' },
  'audit-size-gib': { type: 'string' },
  passwords: { type: 'string' },
  'new-passwords': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const;

/** Room for `_audit`; MongoDB's own rules for names are wider, its limit is 63 bytes. */
const DATABASE = /^[A-Za-z0-9_-]{1,48}$/;

function databaseName(name: string): string {
  if (DATABASE.test(name)) return name;
  const message = '--database must have 1 to 48 letters, digits, _ and -';
  throw new CraError('INVALID_ARGUMENT', message);
}

const PASSWORDS_BYTES_MAX = 4096;
const PASSWORD_CHARS_MIN = 16;

async function readPasswords(path: string | undefined): Promise<Map<string, string>> {
  if (path === undefined) return new Map();
  const bytes =
    path === '-'
      ? await readAll(process.stdin, PASSWORDS_BYTES_MAX, 'the list of passwords')
      : readFileSync(path);
  const [service = '', audit = '', ...more] = bytes.toString('utf8').trimEnd().split(/\r?\n/);
  const isShort = [service, audit].some((password) => password.length < PASSWORD_CHARS_MIN);
  if (isShort || more.length > 0 || service === audit) {
    const what = `two lines with different passwords of at least ${PASSWORD_CHARS_MIN} characters`;
    throw new CraError('INVALID_ARGUMENT', `--passwords must name ${what}`);
  }
  const { AUDIT_USER, SERVICE_USER } = await import('../store/mongo/setup-plan.ts');
  return new Map([
    [SERVICE_USER, service],
    [AUDIT_USER, audit],
  ]);
}

function outcomeText(report: SetupReport, isDryRun: boolean): string {
  const { steps, present, generated } = report;
  const lines = [
    ...present.map((title) => `exists   ${title}`),
    ...steps.flatMap(({ title, command }) =>
      isDryRun ? [`missing  ${title}`, `         ${command}`] : [`made     ${title}`],
    ),
  ];
  if (isDryRun) return `${lines.join('\n')}\nnothing was changed (--dry-run)\n`;
  const once = generated.length > 0 ? ', which are not shown again' : '';
  return `${lines.join('\n')}

Put these addresses${once} into two files that only the service can read (mode 0600), and name the
files in SERVICE_STORE_URL_FILE and SERVICE_AUDIT_URL_FILE:

${report.storeUrl}
${report.auditUrl}
`;
}

export const MONGODB_HELP = `usage: cra setup mongodb [--admin-url URL] [--database cra] [--audit-size-gib 64]
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

Exit code: 0 everything exists, 1 something differs, 2 the command failed.
See docs/how-to/mongodb.md.
`;
