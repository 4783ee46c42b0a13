import { parseArgs } from 'node:util';
import { CraError } from '../model/errors.ts';
import { dataOf, pauseFor, type ServiceReply, withService } from './service-client.ts';
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
  if (!repo || others.length > 0 || !environment || !sha || !result || component === '') {
    const needed = 'give one REPO, --environment, --sha and --result, and no empty --component';
    throw new CraError('INVALID_ARGUMENT', needed);
  }
  const report = { repo, environment, sha, result, component, url, at: new Date().toISOString() };
  await withService(values, async (client, signal) => {
    const send = () => {
      const sent = { ...report, sent_at: new Date().toISOString() };
      return client.reportDeploy(Buffer.from(JSON.stringify(sent)), signal);
    };
    dataOf(await untilAnswered(send, signal));
  });
  process.stdout.write(`${printable(`${result}  ${repo} ${sha} in ${environment}`)}\n`);
  return 0;
}

/** How often a report is sent to a service that does not answer, and the time between. */
const TRIES_MAX = 6;
const PAUSE_MS = 5_000;

/** A service that restarts must not miss a deploy. By its `at` a report counts once. */
async function untilAnswered(
  send: () => Promise<ServiceReply>,
  signal: AbortSignal,
): Promise<ServiceReply> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (thrown) {
      const isAway = thrown instanceof CraError && thrown.code === 'UNAVAILABLE';
      if (!isAway || tries === TRIES_MAX) throw thrown;
      process.stderr.write(`${printable(`waiting: ${thrown.message}`)}\n`);
      await pauseFor(PAUSE_MS, signal);
    }
  }
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

Reports a deploy to a running service, which keeps what runs where. A service that does not answer
is asked again for half a minute.

  --result RESULT    started, succeeded, failed or rolled_back
  --url URL          of the job that deploys
  --server URL       the service (default: CRA_BASE_URL)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps

Exit code: 0 the report is kept, 2 it is not.
`;
