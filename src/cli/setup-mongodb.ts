import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readSetupSettings } from '../daemon/config/config.ts';
import { AUDIT } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { AUDIT_USER, SERVICE_USER } from '../store/mongo/roles.ts';
import { type SetupReport, setUpMongo } from '../store/mongo/setup.ts';
import { wholeNumber } from './arguments.ts';
import { readAll } from './read-all.ts';

/** `cra setup mongodb`. Resolves with 0, or 1 when something that is there differs. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const adminUrl = values['admin-url'] ?? readSetupSettings().adminUrl;
  if (adminUrl === '') {
    const message = 'give the address of an administrator: --admin-url, CRA_ADMIN_URL or its _FILE';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const size = values['audit-size-gib'];
  const isDryRun = values['dry-run'] === true;
  const report = await setUpMongo({
    adminUrl,
    database: databaseName(values.database ?? 'cra'),
    cappedGib:
      size === undefined ? null : wholeNumber('audit-size-gib', size, 1, AUDIT.CAPPED_GIB_MAX),
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
