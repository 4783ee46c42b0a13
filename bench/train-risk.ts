import { writeFileSync } from 'node:fs';
import { assessChange, scoreChange } from '../src/verdict/score.ts';
import { brier, calibration, calibrationError, mean } from '../src/verdict/score-measures.ts';
import { EMPTY_SHAPE, FEATURES, readMessage } from '../src/verdict/score-model.ts';
import { RISK_MODEL } from '../src/verdict/score-trees.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';
import { fitModel, SETTINGS } from './risk/fit.ts';
import { modelSource } from './risk/model-source.ts';
import {
  aucOf,
  columnsAuc,
  type Held,
  macroAuc,
  macroRecall,
  type Protocol,
  runProtocol,
  shiftToOwnRate,
} from './risk/protocol.ts';
import { type RiskTable, readTable } from './risk/table.ts';

const MODEL_NAME = 'change-trees-2';
const SHARES = [0.05, 0.1, 0.2, 0.5];
/** What rows and columns the trees see is drawn; figures are means over these draws. */
const SEEDS = [1, 2, 3];

/** Trains the change model on labelled changes (`--data`), judges it, writes it (`--out`). */
export async function run(options: RunOptions): Promise<Report> {
  if (options.data === null) throw new TypeError('train-risk needs --data PATH, a CSV of changes');
  const table = readTable(options.data);
  const protocols = SEEDS.map((seed) => runProtocol(table, seed, options.progress));
  const [shown] = protocols;
  if (shown === undefined) throw new TypeError('train-risk needs a seed');
  const rows = Array.from({ length: table.size }, (_value, row) => row);
  const model = fitModel(table, rows, MODEL_NAME);
  const facts = [
    `${table.size} changes of ${table.repos.length} repositories, ` +
      `${Math.round(100 * mean([...table.labels]))} % of them with a later fix`,
    `${SETTINGS.trees} trees of ${SETTINGS.leaves} leaves on ${FEATURES.length} features, each on ` +
      `${100 * SETTINGS.rowShare} % of the rows and ${100 * SETTINGS.columnShare} % of the columns`,
  ];
  if (options.out !== null) writeFileSync(options.out, modelSource(model, facts));
  return {
    title: 'The change model',
    facts,
    tables: [
      splitTable(protocols),
      columnsTable(table, options.progress),
      recallTable(shown),
      repoTable(shown.unseen),
      calibrationTable(shown.unseen),
      speedTable(),
    ],
    notes: [
      'AUC and recall are taken within each repository; the figures are means over repositories',
      `the first table has means over ${SEEDS.length} seeds, in brackets their least and greatest ` +
        `AUC; the others are of seed ${SETTINGS.seed}`,
      'served: chances as they are; own rate: shifted to each repository',
    ],
    holds: JSON.stringify(fitModel(table, rows, MODEL_NAME)) === JSON.stringify(model),
  };
}

function splitTable(protocols: readonly Protocol[]): Table {
  const row = (name: string, split: keyof Protocol): Cell[] => {
    const runs = protocols.map((protocol) => protocol[split]);
    const over = (value: (held: readonly Held[]) => number) => mean(runs.map(value)).toFixed(4);
    const served = (held: readonly Held[]) => held.flatMap((repo) => repo.chances);
    const own = (held: readonly Held[]) => held.flatMap(shiftToOwnRate);
    const labels = runs[0]?.flatMap((repo) => repo.labels) ?? [];
    const aucs = runs.map((held) => macroAuc(held, 'chances'));
    const ends = [Math.min(...aucs), Math.max(...aucs)].map((auc) => auc.toFixed(4));
    return [
      name,
      labels.length,
      `${over((held) => macroAuc(held, 'chances'))} (${ends.join('..')})`,
      over((held) => macroAuc(held, 'scores')),
      over((held) => macroAuc(held, 'silent')),
      over((held) => macroAuc(held, 'sizes')),
      ...[served, own].flatMap((chances) => [
        over((held) => brier(chances(held), labels)),
        over((held) => calibrationError(calibration(chances(held), labels))),
      ]),
    ];
  };
  return {
    columns: [
      'judged on',
      'changes',
      'AUC',
      'AUC of whole points',
      'AUC without message',
      'AUC of lines added',
      'Brier, served',
      'ECE, served',
      'Brier, own rate',
      'ECE, own rate',
    ],
    rows: [
      row('last 20 % of each repository', 'late'),
      row('a repository never seen', 'unseen'),
      row('a family never seen', 'strange'),
    ],
  };
}

/** Columns that the model uses or could use; data that lacks some gets no such line. */
const CODE = ['src_la', 'cx_add'];
const HISTORY = ['h_rel_la', 'h_fixratio', 'h_recent', 'h_gap'];
const FREE = ['h_gap', 'entropy'];
const COLUMN_SETS: readonly (readonly [string, without: string[], more: string[]])[] = [
  ['those of the model', [], []],
  ['without branches', ['cx_add'], []],
  ['without code lines but comments, and without branches', CODE, []],
  ['and how the lines are spread over files (entropy, most in one)', [], ['entropy', 'max_file']],
  ['and the history of the repository', [], HISTORY],
];

function columnsTable(table: RiskTable, progress: (text: string) => void): Table {
  const sets = COLUMN_SETS.filter(([, , more]) => more.every((name) => table.columns.has(name)));
  return {
    columns: ['columns, no message', 'AUC, repository never seen', 'AUC, family never seen'],
    rows: sets.map(([name, without, more]) => {
      progress(`risk: columns ${name}`);
      const features = [...FEATURES.filter((feature) => !without.includes(feature)), ...more];
      const { unseen, strange } = columnsAuc(table, features, FREE, SETTINGS.seed);
      return [name, unseen.toFixed(4), strange.toFixed(4)];
    }),
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
  const rounds = 100_000;
  const work = () => {
    for (let la = 0; la < rounds; la += 1) {
      scoreChange(assessChange({ ...shape, la: la % 1000 }, hints), []);
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
