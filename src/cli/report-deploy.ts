import { parseArgs } from 'node:util';
import { CraError } from '../model/errors.ts';
import { dataOf, withService } from './service-client.ts';
import { printable } from './terminal.ts';

/**
 * `cra report-deploy`: reports a deploy to the ledger of a running service, with the clock of this
 * machine, by which the service corrects the time. Resolves with 0 once the report is kept.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [repo, ...others] = positionals;
  const { environment, sha, result, component, url } = values;
  if (repo === undefined || others.length > 0 || !environment || !sha || !result) {
    const needed = 'give one REPO, --environment, --sha and --result';
    throw new CraError('INVALID_ARGUMENT', needed);
  }
  const now = new Date().toISOString();
  const report = { repo, environment, sha, result, component, url, at: now, sent_at: now };
  const body = Buffer.from(JSON.stringify(report));
  await withService(values, async (client, signal) => {
    dataOf(await client.reportDeploy(body, signal));
  });
  process.stdout.write(`${printable(`${result}  ${repo} ${sha} in ${environment}`)}\n`);
  return 0;
}

const OPTIONS = {
  environment: { type: 'string' },
  sha: { type: 'string' },
  result: { type: 'string' },
  component: { type: 'string' },
  url: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra report-deploy REPO --environment NAME --sha COMMIT --result RESULT
                         [--component ID] [--url URL] [--server URL] [--token TOKEN]

Reports a deploy to a running service, which keeps what runs where.

  --result RESULT    started, succeeded, failed or rolled_back
  --url URL          of the job that deploys
  --server URL       the service (default: CRA_BASE_URL)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps

Exit code: 0 the report is kept, 2 it is not.
`;
