import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report, Table } from '../../bench/report.ts';
import { severityRank } from '../../src/model/finding.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { findingsOf } from '../analysis/worker/gates-run.ts';
import { newFile } from '../gates/patterns/scan-text.ts';
import {
  judged,
  type Outcome,
  TWIN_LANGUAGES,
  type Twin,
  twinsOf,
} from '../gates/syntax/twins/twins.ts';

interface Judged extends Twin, Outcome {
  /** A rule of gate 1 reports the safe member. */
  isAlarmOfLine: boolean;
}

/** Every construction with every class: what gate 2 finds of the weak, and says of the safe. */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  for (const language of TWIN_LANGUAGES) {
    const twins: Judged[] = [];
    for (const twin of twinsOf(language)) {
      const isAlarmOfLine = await isReportedByLine(twin);
      twins.push({ ...twin, ...(await judged(twin)), isAlarmOfLine });
    }
    tables.push(tableOf(language, twins));
    if (options.list) tables.push(listOf(language, twins));
  }
  return {
    title: 'Own twins: constructions by classes',
    facts: [],
    tables,
    notes: [
      'found: a finding of the class in the weak member; false: one in the safe member',
      'line: a finding of gate 1 of at least medium in the safe member, as a new file by itself',
    ],
    holds: true,
  };
}

/** Whether gate 1 still reports the safe member beside what gate 2 knows of it. */
async function isReportedByLine({ path, good }: Twin): Promise<boolean> {
  const findings = await findingsOf(newFile(good, path), { rules: defaultRules });
  return findings.some(
    ({ gate, severity }) => gate === 'risk' && severityRank(severity) <= severityRank('medium'),
  );
}

function tableOf(language: string, twins: readonly Judged[]): Table {
  const names = [...new Set(twins.map(({ weakness }) => weakness))];
  const row = (name: string, some: readonly Judged[]): Cell[] => {
    const found = some.filter(({ isFound }) => isFound).length;
    const alarms = some.filter(({ isAlarm }) => isAlarm).length;
    const ofLines = some.filter(({ isAlarmOfLine }) => isAlarmOfLine).length;
    const share = (count: number) => (100 * count) / some.length;
    return [name, some.length, found, share(found), alarms, share(alarms), share(ofLines)];
  };
  return {
    columns: [language, 'twins', 'found', 'found %', 'false', 'false %', 'line %'],
    rows: [
      ...names.map((name) =>
        row(
          name,
          twins.filter(({ weakness }) => weakness === name),
        ),
      ),
      row('all', twins),
    ],
  };
}

/** Constructions that are wrong somewhere, with the classes where they are. */
function listOf(language: string, twins: readonly Judged[]): Table {
  const names = [...new Set(twins.map(({ construction }) => construction))];
  const rows = names.flatMap((name): Cell[][] => {
    const some = twins.filter(({ construction }) => construction === name);
    const missed = some.filter(({ isFound }) => !isFound).map(({ weakness }) => weakness);
    const alarms = some.filter(({ isAlarm }) => isAlarm).map(({ weakness }) => weakness);
    if (missed.length + alarms.length === 0) return [];
    return [[name, missed.join(' '), alarms.join(' ')]];
  });
  return { columns: [`${language}: construction`, 'missed', 'false'], rows };
}
