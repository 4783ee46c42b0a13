import { writeFileSync } from 'node:fs';
import { emptyHistory } from '../src/model/change.ts';
import { assessChange, scoreChange } from '../src/verdict/score.ts';
import { EMPTY_SHAPE, FEATURES, readMessage } from '../src/verdict/score-model.ts';
import { RISK_MODEL } from '../src/verdict/score-trees.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';
import { fitModel, SETTINGS } from './risk/fit.ts';
import { brier, calibration, calibrationError, mean } from './risk/metrics.ts';
import { modelSource } from './risk/model-source.ts';
import {
  aucOf,
  type Held,
  macroAuc,
  macroRecall,
  type Protocol,
  runProtocol,
  shiftToOwnRate,
} from './risk/protocol.ts';
import { readTable } from './risk/table.ts';

const MODEL_NAME = 'change-trees-1';
const SHARES = [0.05, 0.1, 0.2, 0.5];

/** Trains the change model on labelled changes (`--data`), judges it, writes it (`--out`). */
export async function run(options: RunOptions): Promise<Report> {
  if (options.data === null) throw new TypeError('train-risk needs --data PATH, a CSV of changes');
  const table = readTable(options.data);
  const protocol = runProtocol(table, options.progress);
  const rows = Array.from({ length: table.size }, (_value, row) => row);
  const model = fitModel(table, rows, MODEL_NAME);
  const facts = [
    `${table.size} changes of ${table.repos.length} repositories, ` +
      `${Math.round(100 * mean([...table.labels]))} % of them with a later fix`,
    `${SETTINGS.trees} trees of ${SETTINGS.leaves} leaves on ${FEATURES.length} features`,
  ];
  if (options.out !== null) writeFileSync(options.out, modelSource(model, facts));
  return {
    title: 'The change model',
    facts,
    tables: [
      splitTable(protocol),
      recallTable(protocol),
      repoTable(protocol.unseen),
      calibrationTable(protocol.unseen),
      speedTable(),
    ],
    notes: [
      'AUC and recall are taken within each repository; the figures are means over repositories',
      'served: chances as they are, with a mean of 25 %; own rate: shifted to each repository',
    ],
    holds: JSON.stringify(fitModel(table, rows, MODEL_NAME)) === JSON.stringify(model),
  };
}

function splitTable({ late, unseen, strange }: Protocol): Table {
  const row = (name: string, held: readonly Held[]): Cell[] => {
    const labels = held.flatMap((repo) => repo.labels);
    const served = held.flatMap((repo) => repo.chances);
    const own = held.flatMap(shiftToOwnRate);
    return [
      name,
      labels.length,
      macroAuc(held, 'chances').toFixed(4),
      macroAuc(held, 'scores').toFixed(4),
      macroAuc(held, 'cold').toFixed(4),
      macroAuc(held, 'sizes').toFixed(4),
      ...[served, own].flatMap((chances) => [
        brier(chances, labels).toFixed(4),
        calibrationError(calibration(chances, labels)).toFixed(4),
      ]),
    ];
  };
  return {
    columns: [
      'judged on',
      'changes',
      'AUC',
      'AUC of whole points',
      'AUC without history',
      'AUC of lines added',
      'Brier, served',
      'ECE, served',
      'Brier, own rate',
      'ECE, own rate',
    ],
    rows: [
      row('last 20 % of each repository', late),
      row('a repository never seen', unseen),
      row('a family never seen', strange),
    ],
  };
}

function recallTable({ late, unseen }: Protocol): Table {
  const row = (name: string, held: readonly Held[], by: 'chances' | 'sizes'): Cell[] => [
    name,
    ...SHARES.map((share) => macroRecall(held, by, share)),
  ];
  return {
    columns: ['bad changes in the riskiest', ...SHARES.map((share) => `${100 * share} %`)],
    rows: [
      row('late, model', late, 'chances'),
      row('late, lines added', late, 'sizes'),
      row('never seen, model', unseen, 'chances'),
      row('never seen, lines added', unseen, 'sizes'),
    ],
  };
}

function repoTable(unseen: readonly Held[]): Table {
  return {
    columns: ['repository, never seen', 'changes', 'bad', 'AUC', 'AUC of lines added'],
    rows: unseen.map((held) => [
      held.repo,
      held.labels.length,
      `${Math.round(100 * mean(held.labels))} %`,
      aucOf(held, 'chances').toFixed(3),
      aucOf(held, 'sizes').toFixed(3),
    ]),
  };
}

function calibrationTable(unseen: readonly Held[]): Table {
  const labels = unseen.flatMap((held) => held.labels);
  const served = calibration(
    unseen.flatMap((held) => held.chances),
    labels,
  );
  const own = calibration(unseen.flatMap(shiftToOwnRate), labels);
  const percent = (value: number) => (Number.isNaN(value) ? '-' : `${Math.round(100 * value)} %`);
  return {
    columns: ['change_risk', 'changes', 'expected', 'with a later fix', 'the same at own rate'],
    rows: served.map((decile, index) => [
      `${index}0-${index}9`,
      decile.count,
      percent(decile.expected),
      percent(decile.observed),
      percent(own[index]?.observed ?? Number.NaN),
    ]),
  };
}

/** Of the model that the service has, which is the trained one after `--out` and a build. */
function speedTable(): Table {
  const shape = { ...EMPTY_SHAPE, nf: 3, nd: 2, ns: 1, hunks: 9, nf_code: 2, code_la: 80 };
  const hints = readMessage('Fix the cart');
  const history = { ...emptyHistory(3), changes: 500, files_known: 2, touches: 9, fixes: 4 };
  const rounds = 100_000;
  const work = () => {
    for (let la = 0; la < rounds; la += 1) {
      scoreChange(assessChange({ ...shape, la: la % 1000 }, hints, history), []);
    }
  };
  work();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return {
    columns: ['model in the service', 'CPU us a score, words included'],
    rows: [[RISK_MODEL.name, (user + system) / rounds]],
  };
}
