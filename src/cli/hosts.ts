import { parseArgs } from 'node:util';
import type { HostCoverage, RepositoryCoverage } from '../model/coverage.ts';
import { CraError } from '../model/errors.ts';
import { dataOf, pauseFor, withService } from './service-client.ts';
import { printable } from './terminal.ts';

/** How often a round under way is asked for. */
const POLL_MS = 5_000;

/**
 * `cra hosts check`: what a running service found of the repositories of the configured owners.
 * Resolves with 0 where all are covered, 1 for a gap, 2 where something is not known.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (positionals.join() !== 'check') {
    throw new CraError('INVALID_ARGUMENT', 'cra hosts takes one command: check');
  }
  return await withService(values, async (client, signal) => {
    const ask = async () => dataOf(await client.coverage(signal)) as HostCoverage[];
    let hosts = await ask();
    while (values.wait && hosts.some(isUnderWay)) {
      for (const host of hosts.filter(isUnderWay)) process.stderr.write(progressOf(host));
      await pauseFor(POLL_MS, signal);
      hosts = await ask();
    }
    process.stdout.write(values.json ? `${JSON.stringify(hosts, null, 2)}\n` : tableOf(hosts));
    return codeOf(hosts);
  });
}

/** A host whose first or next round has not ended. */
function isUnderWay({ started_at, finished_at }: HostCoverage): boolean {
  return started_at !== null || finished_at === null;
}

function progressOf({ host, checked, listed, problem }: HostCoverage): string {
  const why = problem === null ? '' : ` (${problem})`;
  return `${printable(`${host}: ${checked} of ${listed} repositories checked${why}`)}\n`;
}

function codeOf(hosts: readonly HostCoverage[]): number {
  const rows = hosts.flatMap(({ repositories }) => repositories);
  if (rows.some(({ coverage }) => coverage === 'gap')) return 1;
  const isKnown = hosts.length > 0 && hosts.every((host) => !isUnderWay(host) && !host.problem);
  return isKnown && rows.every(({ coverage }) => coverage === 'covered') ? 0 : 2;
}

const HEAD = ['REPOSITORY', 'STATE', 'WEBHOOK', 'LAST DELIVERY', 'GATE', 'BYPASS', 'NEWEST PUSH'];
const ORDER: readonly RepositoryCoverage['coverage'][] = ['gap', 'unknown', 'covered'];

/** What needs somebody comes first. */
function tableOf(hosts: readonly HostCoverage[]): string {
  if (hosts.length === 0) {
    return 'No owners are configured: name them in "owners" of a host (SERVICE_VCS_CONFIG).\n';
  }
  return hosts.map((host) => `${headOf(host)}${rowsOf(host)}`).join('\n');
}

function headOf(host: HostCoverage): string {
  const counts = ORDER.map((state) => {
    const count = host.repositories.filter(({ coverage }) => coverage === state).length;
    return `${count} ${state}`;
  });
  const when = isUnderWay(host)
    ? `${host.checked} of ${host.listed} repositories checked`
    : `checked at ${host.finished_at}`;
  const why = host.problem === null ? '' : `; ${host.problem}`;
  return `${printable(`${host.host} (${host.owners.join(', ')}): ${counts.join(', ')}; ${when}${why}`)}\n`;
}

function rowsOf({ repositories }: HostCoverage): string {
  if (repositories.length === 0) return '';
  const sorted = [...repositories].sort(
    (one, other) =>
      ORDER.indexOf(one.coverage) - ORDER.indexOf(other.coverage) ||
      (one.repo < other.repo ? -1 : 1),
  );
  const cells = [HEAD, ...sorted.map(cellsOf)].map((row) => row.map(printable));
  const widths = HEAD.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return lines.map((line) => `  ${line.trimEnd()}\n`).join('');
}

function cellsOf(row: RepositoryCoverage): string[] {
  const by = row.gate_source === null ? '' : ` (${row.gate_source})`;
  const bypass = row.bypass === null ? 'unknown' : row.bypass.join(', ') || 'nobody';
  return [
    row.repo,
    row.coverage,
    row.webhook,
    row.last_delivery_at ?? '-',
    `${row.gate}${by}`,
    bypass,
    row.newest_push,
  ];
}

const OPTIONS = {
  server: { type: 'string' },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra hosts check [--server URL] [--wait] [--json]

Shows whether every repository of the owners that SERVICE_VCS_CONFIG names ("owners" of a host) is
covered by the gate: the webhook of the service and its last delivery, whether the default branch
requires cra/gate and from whom (the App, or anybody), who may change the branch without it, and
whether the newest push of it was judged. "unknown": the token of the service may not see it.

A running service checks them, each 10 minutes to 6 hours, within the budget of calls of each host;
this command shows what it found.

  --server URL   the service (default: CRA_BASE_URL, or http://127.0.0.1:3011)
  --wait         wait for the end of a round that is under way, with its progress on standard error
  --json         the answer of GET /api/cra/coverage

CRA_API_TOKEN or CRA_API_TOKEN_FILE hold the API token.

Exit code: 0 all are covered, 1 at least one is not, 2 something is not known or the command failed.
`;
