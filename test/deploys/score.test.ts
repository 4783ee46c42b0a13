import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import { createScoreKeeper, type ScoreKeeperOptions } from '../../src/deploys/score-keeper.ts';
import { DEPLOYS, type DeployReport, placeKey, reportOrder } from '../../src/model/deploy.ts';
import { CraError } from '../../src/model/errors.ts';
import type { Principal } from '../../src/model/principal.ts';
import { CALIBRATION, type ScoreCurves, type ScoredChange } from '../../src/model/score.ts';
import { assessChange, curveOf, knownRisk, scoreChange } from '../../src/verdict/score.ts';
import { calibrate, curved, type Labelled } from '../../src/verdict/score-curve.ts';
import {
  areaUnderCurve,
  brier,
  calibration,
  calibrationError,
} from '../../src/verdict/score-measures.ts';
import { EMPTY_SHAPE, readMessage } from '../../src/verdict/score-model.ts';
import { RISK_MODEL } from '../../src/verdict/score-trees.ts';
import { sampleReport } from '../store/conformance/deploys.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z');
const DAY_MS = 24 * 3_600_000;
const TRUTH = { slope: 0.8, offset: -1.2 };

/** Changes that fail by a curve of their own. */
function drawn(count: number, truth = TRUTH): Labelled[] {
  const random = createRandom(4_302);
  return Array.from({ length: count }, () => {
    const chance = random.between(1, 99) / 100;
    return {
      chance,
      label: Number(random.between(0, 999_999) / 1_000_000 < curved(truth, chance)),
    };
  });
}

test('calibrate finds the curve of changes that were drawn by it', async (t) => {
  const found = await calibrate(drawn(20_000));
  if (typeof found === 'string') return t.fail(found);
  t.true(Math.abs(found.slope - TRUTH.slope) < 0.05, String(found.slope));
  t.true(Math.abs(found.offset - TRUTH.offset) < 0.05, String(found.offset));
  const held = drawn(20_000);
  const labels = held.map(({ label }) => label);
  const before = held.map(({ chance }) => chance);
  const after = before.map((chance) => curved(found, chance));
  t.true(brier(after, labels) < brier(before, labels));
  t.true(calibrationError(calibration(after, labels)) < 0.02);
  t.is(areaUnderCurve(after, labels), areaUnderCurve(before, labels));
});

test('calibrate leaves few changes, and changes that the model fits better, to the shipped curve', async (t) => {
  t.is(await calibrate(drawn(CALIBRATION.CHANGES_MIN - 1)), 'few');
  t.is(await calibrate(drawn(300).map((one) => ({ ...one, label: 0 }))), 'few');
  t.not(await calibrate(drawn(CALIBRATION.CHANGES_MIN)), 'few');
  const turned = drawn(600).map(({ chance }) => ({ chance, label: Number(chance < 0.5) }));
  t.is(await calibrate(turned), 'no better');
  // What happened first says the opposite of what happens now.
  const changed = drawn(1_000, { slope: 1, offset: 0 }).map(({ chance, label }, index) => {
    return { chance, label: index < 800 ? Number(chance > 0.95) : label };
  });
  t.is(await calibrate(changed), 'no better');
});

const CURVES: ScoreCurves = {
  version: 3,
  made_at: '2026-11-20T00:00:00.000Z',
  curves: [{ group: 'acme', ...TRUTH, changes: 400, failures: 80 }],
};

test('a curve changes the risk of its group alone, keeps the risk of the model, and explains itself', (t) => {
  const hints = readMessage('Fix a race');
  const shape = { ...EMPTY_SHAPE, la: 80, src_la: 70, code_la: 70, nf: 3, nf_code: 3, hunks: 9 };
  t.is(curveOf(CURVES, 'other/shop'), null);
  t.is(curveOf(null, 'acme/shop'), null);
  const plain = assessChange(shape, hints);
  const own = assessChange(shape, hints, curveOf(CURVES, 'Acme/Shop'));
  t.is(plain.calibration, undefined);
  const model_risk = Math.round(100 * plain.chance);
  t.deepEqual(own.calibration, { group: 'acme', version: 3, model_risk });
  t.true(own.chance < plain.chance);
  t.true(Math.abs(own.chance - curved(TRUTH, plain.chance)) < 1e-9);
  const nothing = assessChange(EMPTY_SHAPE, readMessage(''), curveOf(CURVES, 'acme/shop'));
  const sum = (risk: typeof own) => risk.factors.reduce((all, { points }) => all + points, 0);
  const base = (risk: typeof own) => 100 * risk.chance - sum(risk);
  t.true(Math.abs(base(own) - base(nothing)) < 1e-6);
  // A finding that comes later changes neither the curve nor what the model said.
  const { parts } = scoreChange(own, []);
  t.deepEqual(scoreChange(knownRisk(parts), []).parts.calibration, own.calibration);
});

const VIEWER: Principal = {
  id: 'someone',
  name: null,
  credential: 'session',
  role: 'viewer',
  tenant_id: 'default',
};

const shaOf = (index: number) => index.toString(16).padStart(40, '0');

interface House {
  versions?: ScoreCurves[];
  deploys?: Partial<ScoreKeeperOptions['deploys']>;
  onRead?: (count: number) => void;
}

/** A keeper over RFCs and reports in memory; `wake` ends its pauses. */
function openKeeper(
  scores: readonly ScoredChange[],
  reports: readonly DeployReport[] = [],
  { versions = [], deploys, onRead }: House = {},
) {
  const clock = { ms: NOW_MS, wake: () => {} };
  const reads = { scores: 0 };
  const sorted = [...reports].sort((a, b) => (reportOrder(a) < reportOrder(b) ? 1 : -1));
  const keeper = createScoreKeeper({
    clock: {
      now: () => clock.ms,
      after(_ms, done) {
        clock.wake = done;
        return () => undefined;
      },
    },
    onError: (error) => {
      throw error;
    },
    records: {
      async listScores({ tenant_id, limit, cursor }) {
        reads.scores += 1;
        onRead?.(reads.scores);
        const from = Number(cursor ?? 0);
        const own = tenant_id === 'default' ? scores : [];
        const next = from + limit < own.length ? String(from + limit) : null;
        return { scores: own.slice(from, from + limit), next_cursor: next };
      },
    },
    deploys: {
      async nextPlace({ after }) {
        const places = [...new Set(reports.map(placeKey))].sort();
        return { place: places.find((place) => place > after) ?? null };
      },
      async reportsBelow({ place, order, limit }) {
        const below = sorted.filter((one) => placeKey(one) === place && reportOrder(one) < order);
        return { reports: below.slice(0, limit) };
      },
      async addCurves({ tenant_id, curves }) {
        if (tenant_id !== 'default') throw new CraError('INTERNAL', 'another tenant');
        versions.push(curves);
        return { added: true };
      },
      async newestCurves({ tenant_id, below }) {
        const own = tenant_id === 'default' ? versions : [];
        const found = own.findLast(({ version }) => below === null || version < below);
        return { curves: found ?? null };
      },
      ...deploys,
    },
  });
  return { keeper, clock, versions, reads };
}

/** A change of `acme/shop`, the newest for 0. */
function scored(index: number, fields: Partial<ScoredChange> = {}): ScoredChange {
  return {
    rfc_id: `RFC-${index}`,
    repo_name: 'Acme/Shop',
    commit_sha: shaOf(index),
    created_at: new Date(NOW_MS - 40 * DAY_MS - index * 3_600_000).toISOString(),
    model: RISK_MODEL.name,
    change_risk: 50,
    model_risk: 50,
    is_landed: true,
    ...fields,
  };
}

function outcome(result: DeployReport['result'], fields: Partial<DeployReport>): DeployReport {
  const at = new Date(NOW_MS - 35 * DAY_MS).toISOString();
  const place = { repo: 'acme/shop', environment: '', at, received_at: at };
  return sampleReport({ ...place, report_id: JSON.stringify([result, fields]), result, ...fields });
}

test('changes are labelled by outcomes, statements, and a month without either', async (t) => {
  const recent = new Date(NOW_MS - DAY_MS).toISOString();
  const scores = [
    scored(1),
    scored(2),
    scored(3, { created_at: recent }),
    scored(4, { created_at: recent }),
    scored(5, { is_landed: false }),
    scored(6, { is_landed: false }),
    scored(7, { commit_sha: null, is_landed: false }),
    // The same commit in another RFC is one change.
    scored(2, { rfc_id: 'RFC-2b', is_landed: false }),
  ];
  const { keeper } = openKeeper(scores, [
    outcome('reverted', { sha: shaOf(2), reverted_by: shaOf(99) }),
    outcome('fine', { sha: shaOf(4), at: recent }),
    outcome('succeeded', { sha: shaOf(6), environment: 'prod' }),
    outcome('incident', { sha: '', rfc_id: 'RFC-7' }),
  ]);
  const [group, ...others] = (await keeper.report(VIEWER)).groups;
  t.deepEqual(others, []);
  t.is(group?.group, 'acme');
  // 1 and 6 are settled, 4 is stated, 2 and 7 failed; 3 is too young, 5 came nowhere.
  t.deepEqual([group?.changes, group?.failures], [5, 2]);
  const other = await keeper.report({ ...VIEWER, tenant_id: 'other' });
  t.deepEqual([other.groups, other.version], [[], null]);
});

/** 600 changes of `acme/shop`, and what says which of them failed. */
function drawHistory() {
  const random = createRandom(9);
  const failed: DeployReport[] = [];
  const scores = Array.from({ length: 600 }, (_value, index) => {
    const risk = random.between(2, 98);
    if (random.between(0, 999) / 1_000 < curved(TRUTH, risk / 100)) {
      failed.push(outcome('reverted', { sha: shaOf(index), reverted_by: shaOf(9_999) }));
    }
    return scored(index, { change_risk: risk, model_risk: risk });
  });
  return { scores, failed };
}

test('a keeper makes a version where a curve differs, and hands the newest to analyses', async (t) => {
  const { scores, failed } = drawHistory();
  const { keeper, clock, versions, reads } = openKeeper(scores, failed);
  t.is(await keeper.curvesFor('default'), null);
  await keeper.fitCurves('default');
  await keeper.fitCurves('default');
  t.is(versions.length, 1);
  const curves = await keeper.curvesFor('default');
  t.is(curves?.version, 1);
  t.deepEqual(
    curves?.curves.map(({ group, changes, failures }) => [group, changes, failures]),
    [['acme', 600, failed.length]],
  );
  t.is(await keeper.curvesFor('other'), null);
  t.deepEqual(await keeper.version(VIEWER, 1), curves);
  await t.throwsAsync(keeper.version(VIEWER, 2), { code: 'NOT_FOUND' });

  const before = reads.scores;
  const report = await keeper.report(VIEWER);
  t.is(await keeper.report(VIEWER), report);
  t.true(reads.scores > before && reads.scores <= before + 7);
  const [group] = report.groups;
  t.deepEqual([report.version, group?.no_curve, group?.curve?.changes], [1, null, 600]);
  t.is(
    group?.months.reduce((sum, { changes }) => sum + changes, 0),
    600,
  );
  t.is(
    group?.reliability.reduce((sum, { changes }) => sum + changes, 0),
    600,
  );
  t.true((group?.ece ?? 0) > 0.1 && group?.auc !== null);
  // Changes that are older than a year say nothing any more: the shipped curve counts again.
  clock.ms += 400 * DAY_MS;
  await keeper.fitCurves('default');
  t.deepEqual((await keeper.curvesFor('default'))?.curves, []);
  t.is((await keeper.curvesFor('default'))?.version, 2);
});

test('a version is made once a week, also by another daemon; a curve counts its changes', async (t) => {
  const { scores, failed } = drawHistory();
  const { keeper, versions } = openKeeper(scores, failed);
  await keeper.fitCurves('default');
  // Of an older model: in the report, but no part of the curve.
  const older = scores.slice(0, 100).map((one) => ({ ...one, model: 'older' }));
  const restarted = openKeeper([...older, ...scores.slice(100)], failed, { versions });
  await restarted.keeper.fitCurves('default');
  t.is(restarted.reads.scores, 0);
  t.is(versions.length, 1);
  restarted.clock.ms += CALIBRATION.FIT_INTERVAL_MS;
  await restarted.keeper.fitCurves('default');
  t.is(versions.length, 2);
  const [curve] = versions.at(-1)?.curves ?? [];
  const [group] = (await restarted.keeper.report(VIEWER)).groups;
  t.is(group?.changes, 600);
  t.is(curve?.changes, 500);
  const names = new Set(failed.map(({ sha }) => sha));
  const failures = scores.slice(100).filter(({ commit_sha }) => names.has(commit_sha ?? ''));
  t.is(curve?.failures, failures.length);
});

test('the curve of a group stays while not all reports about its changes can be read', async (t) => {
  const { scores, failed } = drawHistory();
  const { keeper, versions } = openKeeper(scores, failed);
  await keeper.fitCurves('default');
  const curves = versions.at(-1)?.curves;
  t.is(curves?.length, 1);
  const busy = outcome('started', { sha: shaOf(1), environment: 'prod' });
  const others = scores.map((one, index) => {
    const commit_sha = shaOf(1_000 + index);
    return { ...one, repo_name: 'other/web', commit_sha, rfc_id: `RFC-O${index}` };
  });
  const othersFailed = failed.map((one) => {
    return { ...one, repo: 'other/web', sha: shaOf(1_000 + Number.parseInt(one.sha, 16)) };
  });
  const loud = openKeeper([...scores, ...others], [busy, ...othersFailed], {
    versions,
    deploys: {
      async reportsBelow({ place, limit }) {
        if (place === placeKey(busy)) return { reports: new Array(limit).fill(busy) };
        return { reports: othersFailed.slice(0, limit) };
      },
    },
  });
  loud.clock.ms += CALIBRATION.FIT_INTERVAL_MS;
  await loud.keeper.fitCurves('default');
  const [kept, own] = versions.at(-1)?.curves ?? [];
  t.deepEqual(kept, curves?.[0]);
  t.is(own?.group, 'other');
  const report = await loud.keeper.report(VIEWER);
  t.false(report.is_whole);
  t.deepEqual(
    report.groups.map(({ group, no_curve }) => [group, no_curve]),
    [
      ['acme', 'unread'],
      ['other', null],
    ],
  );

  // Of places that were not looked at nobody knows the repository.
  let places = 0;
  const many = openKeeper(scores, [], {
    versions,
    deploys: {
      async nextPlace() {
        places += 1;
        return { place: placeKey({ ...busy, repo: `acme/shop-${places}` }) };
      },
    },
  });
  many.clock.ms += 2 * CALIBRATION.FIT_INTERVAL_MS;
  await many.keeper.fitCurves('default');
  t.is(places, DEPLOYS.PLACES_LOOKED_MAX);
  t.deepEqual(versions.at(-1)?.curves[0], curves?.[0]);
});

test('a report gives requests a turn between months, and has 100 groups', async (t) => {
  const months = Array.from({ length: 10 }, (_value, month) => scored(month * 31 * 24));
  const { keeper } = openKeeper(months);
  let turns = 0;
  let isMade = false;
  const counting = (async () => {
    for (; !isMade; turns += 1) await turn();
  })();
  const [group] = (await keeper.report(VIEWER)).groups;
  isMade = true;
  await counting;
  t.is(group?.months.length, 10);
  t.true(turns >= 10, String(turns));

  const owners = Array.from({ length: CALIBRATION.GROUPS_MAX + 3 }, (_value, index) => {
    return scored(index, { repo_name: `owner-${index}/shop` });
  });
  const report = await openKeeper(owners).keeper.report(VIEWER);
  t.is(report.groups.length, CALIBRATION.GROUPS_MAX);
  t.is(report.groups_total, CALIBRATION.GROUPS_MAX + 3);
});

test('a stop waits for one read, not for the whole look', async (t) => {
  const scores = Array.from({ length: 1_000 }, (_value, index) => scored(index));
  const stops: Promise<void>[] = [];
  const { keeper, clock, reads } = openKeeper(scores, [], {
    onRead(count) {
      if (count === 3) stops.push(keeper.stop());
    },
  });
  await keeper.curvesFor('default');
  keeper.start();
  clock.wake();
  while (stops.length === 0) await turn();
  await Promise.all(stops);
  t.is(reads.scores, 3);
});
