import { setImmediate as turn } from 'node:timers/promises';
import { CALIBRATION } from '../model/score.ts';
import { brier } from './score-measures.ts';

/** A line on log-odds (J. Platt 1999): it keeps the order of changes, as its slope is positive. */
export interface Curve {
  slope: number;
  offset: number;
}

/** A change whose outcome is known. */
export interface Labelled {
  /** Chance of the model alone, 0..1. */
  chance: number;
  /** 1: it failed; 0: it is fine. */
  label: number;
}

/** Why a group has no curve. */
export type NoCurve = 'few' | 'no better';

/**
 * The curve of changes, the oldest first; `few`: fewer than `CALIBRATION.CHANGES_MIN`, or than
 * `OF_EACH_MIN` of a label; `no better`: of the newest fifth a curve of the others is further off
 * (Brier) than the model alone, or it turns their order. Other work runs between its rounds.
 */
export async function calibrate(changes: readonly Labelled[]): Promise<Curve | NoCurve> {
  const failures = changes.reduce((sum, { label }) => sum + label, 0);
  const isFew =
    changes.length < CALIBRATION.CHANGES_MIN ||
    Math.min(failures, changes.length - failures) < CALIBRATION.OF_EACH_MIN;
  if (isFew) return 'few';
  const cut = Math.floor(changes.length * EARLY_SHARE);
  const late = changes.slice(cut);
  const early = await fitCurve(changes.slice(0, cut));
  const whole = await fitCurve(changes);
  if (early === null || whole === null) return 'no better';
  const labels = late.map(({ label }) => label);
  const isWorse =
    brier(
      late.map(({ chance }) => curved(early, chance)),
      labels,
    ) >
    brier(
      late.map(({ chance }) => chance),
      labels,
    );
  return isWorse ? 'no better' : whole;
}

const EARLY_SHARE = 0.8;

/** The chance that a curve makes of a chance of the model. */
export function curved({ slope, offset }: Curve, chance: number): number {
  return sigmoid(slope * logOddsOf(chance) + offset);
}

/** Log-odds of a chance; scores are whole points, so 0 stands for half a point, as does 100. */
function logOddsOf(chance: number): number {
  const within = Math.min(1 - HALF_POINT, Math.max(HALF_POINT, chance));
  return Math.log(within / (1 - within));
}

const HALF_POINT = 0.005;
const ROUNDS_MAX = 100;
const STEP_MIN = 1e-7;
/** A slope below it would make nearly the same of all changes. */
const SLOPE_MIN = 0.05;
const DIGITS = 1_000;

/** The most likely line, by Newton's method; null: it does not rise. */
async function fitCurve(changes: readonly Labelled[]): Promise<Curve | null> {
  const failures = changes.reduce((sum, { label }) => sum + label, 0);
  // Targets short of 0 and 1, as Platt has them: no sample makes an outcome certain.
  const high = (failures + 1) / (failures + 2);
  const low = 1 / (changes.length - failures + 2);
  const points = changes.map(({ chance, label }) => {
    return { x: logOddsOf(chance), target: label === 1 ? high : low };
  });
  let slope = 1;
  let offset = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // A round over 20,000 changes takes a ms.
    await turn();
    let g0 = 0;
    let g1 = 0;
    let h00 = RIDGE;
    let h01 = 0;
    let h11 = RIDGE;
    for (const { x, target } of points) {
      const chance = sigmoid(slope * x + offset);
      const weight = chance * (1 - chance);
      g0 += chance - target;
      g1 += (chance - target) * x;
      h00 += weight;
      h01 += weight * x;
      h11 += weight * x * x;
    }
    const determinant = h00 * h11 - h01 * h01;
    const offsetStep = (h11 * g0 - h01 * g1) / determinant;
    const slopeStep = (h00 * g1 - h01 * g0) / determinant;
    offset -= offsetStep;
    slope -= slopeStep;
    if (Math.abs(offsetStep) + Math.abs(slopeStep) < STEP_MIN) break;
  }
  const isLine = Number.isFinite(slope) && Number.isFinite(offset) && slope >= SLOPE_MIN;
  return isLine ? { slope: rounded(slope), offset: rounded(offset) } : null;
}

/** Keeps the equations solvable where all changes have one chance. */
const RIDGE = 1e-9;

function rounded(value: number): number {
  return Math.round(value * DIGITS) / DIGITS;
}

/** The chance of log-odds. */
export function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
