import {
  type GateFinding,
  isSuppressible,
  isVulnerability,
  type Severity,
} from '../model/finding.ts';
import type { ScoreParts } from '../model/rfc.ts';
import { type ScoreCurves, scoreGroupOf } from '../model/score.ts';
import { type Curve, sigmoid } from './score-curve.ts';
import {
  type ChangeShape,
  createEstimator,
  FEATURES,
  type Feature,
  HINTS,
  type MessageHints,
} from './score-model.ts';
import { RISK_MODEL } from './score-trees.ts';

/**
 * How much a finding adds to the chance that the change does harm. Policy, not measured: a rule
 * counts once, findings combine by noisy-or.
 */
const FINDING_WEIGHT = {
  critical: 0.85,
  high: 0.5,
  medium: 0.2,
  low: 0.05,
  info: 0,
} as const satisfies Record<Severity, number>;

/**
 * The same for what says that something was not looked at, at most. It blocks by its gate, but
 * such changes need no more fixes than others: by severity these findings alone lowered the AUC
 * (docs/why/risk-score.md).
 */
const UNSEEN_WEIGHT = 0.02;

/** Contributions that a score names. */
export const FACTORS_MAX = 5;

const estimate = createEstimator(RISK_MODEL);

/** What the change model says of a change. */
export interface ChangeRisk {
  /** Chance, 0..1, that such a change needs a later fix. */
  chance: number;
  factors: readonly Factor[];
  /** The curve by which the chance was made; absent: the shipped one. */
  calibration?: NonNullable<ScoreParts['calibration']>;
}

/** The curve of a group, with its version. */
export interface GroupCurve extends Curve {
  group: string;
  version: number;
}

/** The curve of a repository in the curves of its tenant; null: the shipped one. */
export function curveOf(curves: ScoreCurves | null | undefined, repoName: string) {
  const group = scoreGroupOf(repoName);
  const found = curves?.curves.find((curve) => curve.group === group);
  return found === undefined || !curves ? null : { ...found, version: curves.version };
}

/** The risk of a change whose record is known, without its factors. */
export function knownRisk({ change_risk, calibration }: ScoreParts): ChangeRisk {
  const known = { chance: change_risk / 100, factors: [] };
  return calibration === undefined ? known : { ...known, calibration };
}

/** A contribution in points of the score, and what made it. */
interface Factor {
  points: number;
  text(): string;
}

/**
 * Asks the model, and makes what happens in a group of its chance where there is a curve. The base
 * and all factors add up to 100 times the chance.
 */
export function assessChange(
  shape: ChangeShape,
  hints: MessageHints,
  curve: GroupCurve | null = null,
): ChangeRisk {
  const plain = estimate(shape, hints);
  const { slope: scale, offset } = curve ?? SHIPPED;
  const base = scale * plain.base + offset;
  const logOdds = scale * plain.logOdds + offset;
  const message = scale * plain.message;
  const chance = sigmoid(logOdds);
  // Each part at the mean slope between the base and the chance (Aumann, Shapley 1974).
  const way = logOdds - base;
  const slope = Math.abs(way) < 1e-6 ? chance * (1 - chance) : (chance - sigmoid(base)) / way;
  const factors: Factor[] = FEATURES.map((name, index) => ({
    points: 100 * slope * scale * (plain.parts[index] ?? 0),
    text: () => WORDS[name](shape[name]),
  }));
  factors.push({ points: 100 * slope * message, text: () => describeHints(hints) });
  if (curve === null) return { chance, factors };
  const { group, version } = curve;
  const model_risk = Math.round(100 * sigmoid(plain.logOdds));
  return { chance, factors, calibration: { group, version, model_risk } };
}

const SHIPPED: Curve = { slope: 1, offset: 0 };

/**
 * risk_score 0..100 of a change with these findings, and its parts; docs/why/risk-score.md says
 * what they mean. Suppressed findings do not count. The order of findings makes no difference, and
 * no further finding lowers the score.
 */
export function scoreChange(
  change: ChangeRisk,
  findings: readonly GateFinding[],
): { risk_score: number; parts: ScoreParts } {
  const { riskScore, factors } = addFindings(change.chance, findings);
  const changeRisk = Math.round(100 * change.chance);
  const strongest = [...factors, ...change.factors]
    .filter(({ points }) => Math.round(points) !== 0)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
    .slice(0, FACTORS_MAX);
  return {
    risk_score: riskScore,
    parts: {
      change_risk: changeRisk,
      findings_risk: riskScore - changeRisk,
      factors: strongest.map(({ points, text }) => `${signed(points)}: ${text()}`),
      model: RISK_MODEL.name,
      ...(change.calibration === undefined ? {} : { calibration: change.calibration }),
    },
  };
}

/** Noisy-or: the change does harm unless neither it nor any of its findings does. */
function addFindings(
  chance: number,
  findings: readonly GateFinding[],
): { riskScore: number; factors: Factor[] } {
  const factors: Factor[] = [];
  let harmless = 1 - chance;
  for (const [rule, severity] of worstByRule(findings)) {
    const weight = weightOf(rule, severity);
    factors.push({ points: 100 * harmless * weight, text: () => `${severity} finding ${rule}` });
    harmless *= 1 - weight;
  }
  return { riskScore: Math.round(100 * (1 - harmless)), factors };
}

function weightOf(rule: string, severity: Severity): number {
  const weight = FINDING_WEIGHT[severity];
  const isSeen = isSuppressible(rule) || isVulnerability(rule);
  return isSeen ? weight : Math.min(weight, UNSEEN_WEIGHT);
}

/** Each rule with its gravest finding, gravest first, then by name. */
function worstByRule(findings: readonly GateFinding[]): [rule: string, severity: Severity][] {
  const worst = new Map<string, Severity>();
  for (const finding of findings) {
    if (finding.suppressed !== null) continue;
    const known = worst.get(finding.id);
    if (known === undefined || FINDING_WEIGHT[finding.severity] > FINDING_WEIGHT[known]) {
      worst.set(finding.id, finding.severity);
    }
  }
  return [...worst].sort(
    ([a, x], [b, y]) => FINDING_WEIGHT[y] - FINDING_WEIGHT[x] || (a < b ? -1 : 1),
  );
}

function describeHints(hints: MessageHints): string {
  const named = HINTS.filter((hint) => hints[hint] === 1);
  return `the message says ${named.length === 0 ? 'nothing of its purpose' : named.join(', ')}`;
}

/** "+12", "-3". */
function signed(points: number): string {
  const rounded = Math.round(points);
  return rounded > 0 ? `+${rounded}` : String(rounded);
}

/** What a feature says, with its value, as the reason of a score. */
const WORDS: Record<Feature, (value: number) => string> = {
  la: (value) => `${counted(value, 'non-blank line')} added`,
  nf: (value) => `${counted(value, 'file')} touched`,
  nd: (value) => `${counted(value, 'directory', 'directories')} touched`,
  ns: (value) => `${counted(value, 'top-level directory', 'top-level directories')} touched`,
  hunks: (value) => `${counted(value, 'place')} changed`,
  n_new: (value) => counted(value, 'new file'),
  nf_code: (value) => counted(value, 'code file'),
  nf_test: (value) => counted(value, 'test file'),
  nf_doc: (value) => counted(value, 'text or documentation file'),
  nf_dep: (value) => counted(value, 'build or dependency file'),
  nf_mig: (value) => counted(value, 'migration'),
  nf_cfg: (value) => counted(value, 'configuration file'),
  nf_other: (value) => counted(value, 'file of another kind', 'files of other kinds'),
  code_la: (value) => `${counted(value, 'line')} added to code`,
  test_la: (value) => `${counted(value, 'line')} added to tests`,
  src_la: (value) => `${counted(value, 'line')} added to code, comments left out`,
  cx_add: (value) => `${counted(value, 'branch', 'branches')} added to code`,
};

/** "no file", "1 file", "2 files". */
function counted(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `no ${one}`;
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}
