import type { RepoHistory } from '../model/change.ts';
import type { GateFinding, Severity } from '../model/finding.ts';
import type { ScoreParts } from '../model/rfc.ts';
import {
  type ChangeShape,
  createEstimator,
  FEATURES,
  type Feature,
  HINTS,
  historyFeatures,
  isTelling,
  type MessageHints,
  neutralFeatures,
} from './score-model.ts';
import { RISK_MODEL } from './score-trees.ts';

/**
 * How much a finding adds to the chance that the change does harm. Policy, not measured: a rule
 * counts once, findings combine by noisy-or, and the floors keep a small diff from hiding a
 * grave finding.
 */
const FINDING_WEIGHT = {
  critical: 0.85,
  high: 0.5,
  medium: 0.2,
  low: 0.05,
  info: 0,
} as const satisfies Record<Severity, number>;

const SCORE_FLOOR = {
  critical: 80,
  high: 50,
  medium: 0,
  low: 0,
  info: 0,
} as const satisfies Record<Severity, number>;

/** Contributions that a score names. */
export const FACTORS_MAX = 5;

const estimate = createEstimator(RISK_MODEL);

/** What the change model says of a change. */
export interface ChangeRisk {
  /** Chance, 0..1, that such a change needs a later fix. */
  chance: number;
  factors: readonly Factor[];
}

/** A contribution in points of the score, and what made it. */
interface Factor {
  points: number;
  text(): string;
}

/** Asks the model. Without a history the repository's part is neutral. */
export function assessChange(
  shape: ChangeShape,
  hints: MessageHints,
  history: RepoHistory | null,
): ChangeRisk {
  const isKnown = isTelling(history);
  const features = {
    ...shape,
    ...(isKnown
      ? historyFeatures(history, shape.la)
      : neutralFeatures(RISK_MODEL.neutral, shape.la)),
  };
  const { logOdds, parts, message } = estimate(features, hints);
  const chance = sigmoid(logOdds);
  const pointsOf = (part: number) => 100 * (chance - sigmoid(logOdds - part));
  const factors: Factor[] = [];
  FEATURES.forEach((name, index) => {
    // The default for an unknown history is not a reason.
    if (!isKnown && name.startsWith('h_')) return;
    const points = pointsOf(parts[index] ?? 0);
    factors.push({ points, text: () => describeFeature(name, features[name]) });
  });
  factors.push({ points: pointsOf(message), text: () => describeHints(hints) });
  return { chance, factors };
}

/**
 * risk_score 0..100 of a change with these findings, and its parts; docs/risk-score.md says what
 * they mean. Suppressed findings do not count. The order of findings makes no difference, and
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
    },
  };
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Noisy-or: the change does harm unless neither it nor any of its findings does. */
function addFindings(
  chance: number,
  findings: readonly GateFinding[],
): { riskScore: number; factors: Factor[] } {
  const factors: Factor[] = [];
  let harmless = 1 - chance;
  let floor = 0;
  for (const [rule, severity] of worstByRule(findings)) {
    const weight = FINDING_WEIGHT[severity];
    factors.push({ points: 100 * harmless * weight, text: () => `${severity} finding ${rule}` });
    harmless *= 1 - weight;
    floor = Math.max(floor, SCORE_FLOOR[severity]);
  }
  const sum = 100 * (1 - harmless);
  const [worst] = factors;
  if (worst !== undefined) worst.points += Math.max(0, floor - sum);
  return { riskScore: Math.max(floor, Math.round(sum)), factors };
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
function describeFeature(feature: Feature, value: number): string {
  return WORDS[feature](value);
}

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
  h_rel_la: relativeSize,
  h_fixratio: (value) => `${Math.round(100 * value)} % of its files' earlier changes were fixes`,
  h_recent: (value) => `each of its files changed ${times(value)} in the last 200 changes`,
  h_gap: lastTouched,
};

function relativeSize(value: number): string {
  const than = value < 0 ? 'smaller' : 'larger';
  const deviations = Math.abs(value).toFixed(1);
  return `${than} than usual in this repository (${deviations} standard deviations)`;
}

function lastTouched(value: number): string {
  if (value < 0) return 'none of its files changed before';
  return `its files last changed ${counted(Math.round(Math.expm1(value)), 'change')} ago`;
}

function times(value: number): string {
  const text = value.toFixed(1);
  return text === '1.0' ? 'once' : `${text} times`;
}

/** "no file", "1 file", "2 files". */
function counted(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `no ${one}`;
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}
