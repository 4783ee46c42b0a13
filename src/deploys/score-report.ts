import { setImmediate as turn } from 'node:timers/promises';
import { type ScoreCurve, type ScoreCurves, scoreGroupOf } from '../model/score.ts';
import { calibrate, type NoCurve } from '../verdict/score-curve.ts';
import { areaUnderCurve, calibration, calibrationError } from '../verdict/score-measures.ts';
import { RISK_MODEL } from '../verdict/score-trees.ts';
import type { LabelledChange } from './score-labels.ts';

/** What became of changes, beside what their scores said when they were made. */
export interface ScoreMeasures {
  changes: number;
  failures: number;
  /** Share of failures; null, as below: there is nothing to measure. */
  base_rate: number | null;
  auc: number | null;
  ece: number | null;
  /** The same of the shipped curve. */
  model_ece: number | null;
}

/** Changes whose score was in one tenth. */
export interface ReliabilityBin {
  /** Points, both in it. */
  from: number;
  to: number;
  changes: number;
  /** Mean of the scores, and share of failures: 0..1. */
  expected: number;
  failed: number;
}

export interface GroupReport extends ScoreMeasures {
  group: string;
  /** The curve in force; null: the shipped one. */
  curve: { slope: number; offset: number; changes: number; failures: number } | null;
  /** Why this look fits no curve; null: it fits one. */
  no_curve: NoCurve | 'unread' | null;
  months: (ScoreMeasures & { month: string })[];
  reliability: ReliabilityBin[];
}

/** The labelled changes of each group, most first. */
export function groupsOf(changes: readonly LabelledChange[]): [string, LabelledChange[]][] {
  const groups = new Map<string, LabelledChange[]>();
  for (const change of changes) {
    const group = scoreGroupOf(change.repo_name);
    const own = groups.get(group) ?? [];
    own.push(change);
    groups.set(group, own);
  }
  return [...groups].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));
}

/** The curve of a group's changes, the oldest first; only scores of the model in force count. */
export async function fitGroup(
  changes: readonly LabelledChange[],
): Promise<Omit<ScoreCurve, 'group'> | NoCurve> {
  const ofModel = changes.filter(({ model }) => model === RISK_MODEL.name);
  const fitted = await calibrate(
    ofModel.map(({ model_risk, isFailure }) => {
      return { chance: model_risk / 100, label: Number(isFailure) };
    }),
  );
  if (typeof fitted === 'string') return fitted;
  const failures = ofModel.filter(({ isFailure }) => isFailure).length;
  return { ...fitted, changes: ofModel.length, failures };
}

/**
 * The report of a group's changes, the oldest first; `isUnread`: some of its reports were not read.
 * 20,000 changes take some ten ms: between its steps requests are served.
 */
export async function reportGroup(
  group: string,
  changes: readonly LabelledChange[],
  { isUnread, curves }: { isUnread: boolean; curves: ScoreCurves | null },
): Promise<GroupReport> {
  const found = curves?.curves.find((curve) => curve.group === group) ?? null;
  const fitted = await fitGroup(changes);
  const ofMonths = new Map<string, LabelledChange[]>();
  for (const change of changes) {
    const month = change.created_at.slice(0, 'YYYY-MM'.length);
    const own = ofMonths.get(month) ?? [];
    own.push(change);
    ofMonths.set(month, own);
  }
  const months: GroupReport['months'] = [];
  for (const [month, own] of ofMonths) {
    months.push({ month, ...(await measure(own)) });
  }
  const measures = await measure(changes);
  return {
    group,
    curve: found && {
      slope: found.slope,
      offset: found.offset,
      changes: found.changes,
      failures: found.failures,
    },
    no_curve: isUnread ? 'unread' : typeof fitted === 'string' ? fitted : null,
    ...measures,
    months,
    reliability: reliabilityOf(changes),
  };
}

async function measure(changes: readonly LabelledChange[]): Promise<ScoreMeasures> {
  const labels = changes.map(({ isFailure }) => Number(isFailure));
  const failures = labels.reduce((sum, label) => sum + label, 0);
  const served = changes.map(({ change_risk }) => change_risk / 100);
  const model = changes.map(({ model_risk }) => model_risk / 100);
  const isMixed = failures > 0 && failures < changes.length;
  const error = (chances: readonly number[]) =>
    changes.length === 0 ? null : rounded(calibrationError(calibration(chances, labels)));
  await turn();
  const auc = isMixed ? rounded(areaUnderCurve(served, labels)) : null;
  await turn();
  return {
    changes: changes.length,
    failures,
    base_rate: changes.length === 0 ? null : rounded(failures / changes.length),
    auc,
    ece: error(served),
    model_ece: error(model),
  };
}

function reliabilityOf(changes: readonly LabelledChange[]): ReliabilityBin[] {
  const labels = changes.map(({ isFailure }) => Number(isFailure));
  const served = changes.map(({ change_risk }) => change_risk / 100);
  return calibration(served, labels).flatMap(({ count, expected, observed }, tenth) => {
    const from = 10 * tenth;
    const to = tenth === 9 ? 100 : from + 9;
    if (count === 0) return [];
    return { from, to, changes: count, expected: rounded(expected), failed: rounded(observed) };
  });
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
