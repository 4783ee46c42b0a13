import { parseArgs } from 'node:util';
import { readClientSettings } from '../daemon/config/client.ts';
import { CraError } from '../model/errors.ts';
import { endTime } from '../model/schema.ts';
import type { AcceptedRow } from '../store/contract/trail.ts';
import { createServiceClient } from './service-client.ts';
import { onInterrupt, printable, wholeNumber } from './terminal.ts';

const DAYS_DEFAULT = 30;
const DAYS_MAX = 36_500;
const DAY_MS = 24 * 3_600_000;
const DAY_CHARS = 'YYYY-MM-DD'.length;

/**
 * `cra exceptions`: lists the acceptances of findings that have ended or will soon. Resolves with
 * 0 when the list is empty, else with 1.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const settings = readClientSettings();
  const baseUrl = values.server ?? settings.baseUrl;
  const query = new URLSearchParams({
    ending_before: before(values['ending-before'], values.days),
    ...(values.repo === undefined ? {} : { repo: values.repo }),
  });
  const { signal, release } = onInterrupt();
  const client = createServiceClient({ baseUrl, token: settings.token, connections: 1 });
  let count = 0;
  try {
    for (let cursor: string | null = ''; cursor !== null; ) {
      if (cursor !== '') query.set('cursor', cursor);
      const { data, error, nextCursor } = await client.exceptions(query, signal);
      if (error !== null) throw new CraError('FAILED_PRECONDITION', `the service says ${error}`);
      for (const row of data as AcceptedRow[]) {
        count += 1;
        process.stdout.write(values.json ? `${JSON.stringify(row)}\n` : lineOf(row));
      }
      cursor = nextCursor;
    }
  } finally {
    release();
    client.close();
  }
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

const OPTIONS = {
  server: { type: 'string' },
  repo: { type: 'string' },
  days: { type: 'string' },
  'ending-before': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra exceptions [OPTIONS]

Lists the acceptances of findings (expires_at of a decision) that have ended or end soon, a line
each: when, repository, rule, the RFC that was decided about, by whom, why.

  --days N              those that end within N days (default: ${DAYS_DEFAULT})
  --ending-before DAY   those that end before a day (2027-03-01) begins in UTC
  --repo NAME           of one repository
  --server URL          the service (default: CRA_BASE_URL, or http://127.0.0.1:3011)
  --json                a JSON object a line
CRA_API_TOKEN or CRA_API_TOKEN_FILE hold the API token.

Exit code: 0 the list is empty, 1 it is not, 2 the command failed.
`;
