import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { readClientSettings } from '../daemon/config/reader.ts';
import { REPORTS } from '../gates/external/limits.ts';
import { CraError } from '../model/errors.ts';
import { exitCode, isAnswer, notOurAnswer } from './answer.ts';
import { createServiceClient } from './service-client.ts';
import { onInterrupt, printable, readAll } from './terminal.ts';

/**
 * `cra report`: sends the SARIF report of another tool for an RFC of a running service. Resolves
 * with the exit code of the verdict: 0 accepted, 1 blocked.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [path, ...others] = positionals;
  const { rfc } = values;
  if (path === undefined || others.length > 0 || rfc === undefined) {
    throw new CraError('INVALID_ARGUMENT', 'give one FILE (- for standard input) and --rfc ID');
  }
  const settings = readClientSettings();
  const input = path === '-' ? process.stdin : createReadStream(path);
  const report = await readAll(input, REPORTS.BYTES_MAX, path).catch((thrown: unknown) => {
    if (thrown instanceof CraError) throw thrown;
    throw new CraError('INVALID_ARGUMENT', `could not read it: ${(thrown as Error).message}`);
  });
  const client = createServiceClient({
    baseUrl: values.server ?? settings.baseUrl,
    token: values.token ?? settings.token,
    connections: 1,
  });
  const interrupt = onInterrupt();
  try {
    const { data, error } = await client.addReport(rfc, report, interrupt.signal);
    if (error !== null) throw new CraError('FAILED_PRECONDITION', `the service says ${error}`);
    if (!isAnswer(data)) throw notOurAnswer();
    const own = data.gates.risk.findings.filter(({ id }) => id.startsWith('ext-'));
    const count = own.length === 1 ? '1 finding' : `${own.length} findings`;
    process.stdout.write(
      `${printable(`${data.overall_status}  ${data.rfc_id}: ${count} of other tools`)}\n`,
    );
    return exitCode(data.overall_status);
  } finally {
    interrupt.release();
    client.close();
  }
}

const OPTIONS = {
  rfc: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra report FILE --rfc ID [--server URL] [--token TOKEN]

Sends the report of another tool (SARIF 2.1.0, also as gzip; - for standard input) for an RFC that
has a verdict. Its results on lines that the change adds become findings; it makes nothing milder.

  --rfc ID           of the change (rfc_id in the answer of analyze)
  --server URL       the service (default: CRA_BASE_URL)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps

Exit code: 0 the change is accepted, 1 it is blocked, 2 the command failed.

  semgrep scan --sarif --output semgrep.sarif && cra report semgrep.sarif --rfc RFC-...
`;
