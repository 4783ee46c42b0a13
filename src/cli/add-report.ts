import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { REPORTS } from '../gates/external/limits.ts';
import { CraError } from '../model/errors.ts';
import type { CommitReport } from '../model/reports.ts';
import type { RfcStatus } from '../model/rfc.ts';
import { exitCode, isAnswer, notOurAnswer } from './answer.ts';
import { dataOf, type ServiceReply, withService } from './service-client.ts';
import { printable, readAll } from './terminal.ts';

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
  const { rfc, repo, commit } = values;
  const isOfCommit = repo !== undefined && commit !== undefined;
  const isOfRfc = rfc !== undefined && repo === undefined && commit === undefined;
  if (path === undefined || others.length > 0 || (isOfCommit ? rfc !== undefined : !isOfRfc)) {
    const usage = 'give one FILE (- for standard input), and --rfc ID or --repo NAME --commit SHA';
    throw new CraError('INVALID_ARGUMENT', usage);
  }
  const input = path === '-' ? process.stdin : createReadStream(path);
  const report = await readAll(input, REPORTS.BYTES_MAX, path).catch((thrown: unknown) => {
    if (thrown instanceof CraError) throw thrown;
    throw new CraError('INVALID_ARGUMENT', `could not read it: ${(thrown as Error).message}`);
  });
  return await withService(values, async (client, signal) => {
    if (isOfCommit) {
      const query = new URLSearchParams({ repo, commit });
      return printKept(await client.addCommitReport(query, report, signal));
    }
    return printJudged(await client.addReport(rfc ?? '', report, signal));
  });
}

/** Says what became of a report about an RFC; the exit code of its verdict. */
function printJudged(reply: ServiceReply): number {
  const data = dataOf(reply);
  if (!isAnswer(data)) throw notOurAnswer();
  const { overall_status, rfc_id, gates } = data;
  const own = gates.risk.findings.filter(({ id }) => id.startsWith('ext-'));
  const count = own.length === 1 ? '1 finding' : `${own.length} findings`;
  process.stdout.write(`${printable(`${overall_status}  ${rfc_id}: ${count} of other tools`)}\n`);
  return exitCode(overall_status);
}

/**
 * Says what became of a report about a commit. 0: it is kept, and no RFC of the commit is blocked;
 * a DRAFT may wait for others.
 */
function printKept(reply: ServiceReply): number {
  const { tools, rfcs, has_more } = (dataOf(reply) ?? {}) as Partial<CommitReport>;
  if (!Array.isArray(tools) || !Array.isArray(rfcs)) throw notOurAnswer();
  const names = tools.map(({ tool, results }) => `${tool} (${results} results)`).join(', ');
  const lines = [
    rfcs.length === 0 ? `kept: ${names}; the commit has no RFC yet` : `kept: ${names}`,
    ...rfcs.map(({ rfc_id, overall_status, reason }) => {
      return `${overall_status}  ${rfc_id}${reason === null ? '' : `: ${reason}`}`;
    }),
    ...(has_more === true ? ['older RFCs of the commit stay as they are'] : []),
  ];
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
  const isRefused = (status: RfcStatus) => status === 'BLOCKED' || status === 'REJECTED';
  return rfcs.some(({ overall_status }) => isRefused(overall_status)) ? 1 : 0;
}

const OPTIONS = {
  rfc: { type: 'string' },
  repo: { type: 'string' },
  commit: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra report FILE --rfc ID [--server URL] [--token TOKEN]
       cra report FILE --repo NAME --commit SHA [--server URL] [--token TOKEN]

Sends the report of another tool (SARIF 2.1.0, also as gzip; - for standard input) for an RFC, or
for a commit before or after it has one. Its results on lines that the change adds become findings;
it makes nothing milder.

  --rfc ID           of the change (rfc_id in the answer of analyze)
  --repo NAME        repo_name of the RFCs of the commit
  --commit SHA       the whole id of the commit that the tool looked at
  --server URL       the service (default: CRA_BASE_URL)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps

Exit code: 0 the change is accepted (with --commit: or not judged yet), 1 it is blocked,
2 the command failed, or with --rfc the verdict waits for other reports.

  semgrep scan --sarif --output semgrep.sarif && cra report semgrep.sarif --rfc RFC-...
`;
