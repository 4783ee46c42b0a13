import { parseArgs } from 'node:util';
import type { ScoreReport } from '../deploys/score-keeper.ts';
import type { GroupReport, ScoreMeasures } from '../deploys/score-report.ts';
import { CraError } from '../model/errors.ts';
import { CALIBRATION } from '../model/score.ts';
import { notOurAnswer } from './answer.ts';
import { dataOf, withService } from './service-client.ts';
import { printable } from './terminal.ts';

/** `cra score report`: how the scores of a running service compare with what became of changes. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (positionals.length !== 1 || positionals[0] !== 'report') {
    throw new CraError('INVALID_ARGUMENT', 'give one command: report');
  }
  const data = await withService(values, async (client, signal) =>
    dataOf(await client.score(signal)),
  );
  if (!Array.isArray((Object(data) as Partial<ScoreReport>).groups)) throw notOurAnswer();
  process.stdout.write(values.json ? `${JSON.stringify(data)}\n` : textOf(data as ScoreReport));
  return 0;
}

function textOf({ version, made_at, is_whole, groups }: ScoreReport): string {
  const lines = [
    version === null
      ? 'The shipped curve counts: no other was fitted.'
      : `Curves of version ${version}, made ${made_at}.`,
    ...(is_whole ? [] : ['Not all RFCs and reports were read: there are too many.']),
    ...(groups.length === 0 ? ['It is not known of any change what became of it.'] : []),
  ];
  for (const group of groups) {
    const name = group.group === '' ? 'repositories without an owner' : group.group;
    lines.push('', `${name}: ${curveText(group)}`, HEAD, rowOf('all', group));
    for (const month of group.months) lines.push(rowOf(month.month, month));
  }
  return `${lines.map(printable).join('\n')}\n`;
}

const { CHANGES_MIN, OF_EACH_MIN } = CALIBRATION;

const WHY: Readonly<Record<string, string>> = {
  few: `it takes ${CHANGES_MIN} changes, ${OF_EACH_MIN} of them failures, and ${OF_EACH_MIN} others`,
  'no better': 'it is closer to the newest changes than another',
  unread: 'not all reports about its changes were read',
};

function curveText({ curve, no_curve }: GroupReport): string {
  if (curve === null) {
    const why = no_curve === null ? '' : ` (${WHY[no_curve] ?? no_curve})`;
    return `the shipped curve${why}`;
  }
  const { slope, offset, changes } = curve;
  return `a curve of ${changes} changes: log-odds x ${slope} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`;
}

const WIDTHS = [7, 9, 10, 10, 7, 7, 12] as const;
const HEAD = cells(['month', 'changes', 'failures', 'base rate', 'AUC', 'ECE', 'ECE shipped']);

function rowOf(name: string, one: ScoreMeasures): string {
  const { changes, failures, base_rate, auc, ece, model_ece } = one;
  const rate = base_rate === null ? '-' : `${(100 * base_rate).toFixed(1)} %`;
  const shown = (value: number | null) => (value === null ? '-' : value.toFixed(3));
  return cells([name, changes, failures, rate, shown(auc), shown(ece), shown(model_ece)]);
}

function cells(row: readonly (string | number)[]): string {
  return row.map((cell, at) => String(cell).padStart(WIDTHS[at] ?? 0)).join('  ');
}

const OPTIONS = {
  json: { type: 'boolean' },
  server: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra score report [--json] [--server URL] [--token TOKEN]

Asks a running service how its scores compare with what became of changes: AUC (the chance that a
failure scored above another change), ECE (the mean distance of score and share of failures) and
base rate (the share of failures), by month, for each owner of repositories.

  --json             prints the answer of the service
  --server URL       the service (default: CRA_BASE_URL)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps
`;
