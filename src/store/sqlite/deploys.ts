import { type DeployReport, placeKey, reportOrder } from '../../model/deploy.ts';
import type { ScoreCurves } from '../../model/score.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { Steps } from './group-commit.ts';
import type { JsonRow } from './queries.ts';

/** Statements on reports of deploys, and on curves of scores. */
export const DEPLOY_QUERIES = {
  addReport: insertInto(
    'deploy_report',
    'report_id tenant_id place sorted sha result json',
    'ON CONFLICT (report_id) DO NOTHING',
  ),
  report: sql<JsonRow>('SELECT json FROM deploy_report WHERE report_id = ?'),
  reportsBelow: sql<JsonRow>(`
    SELECT json FROM deploy_report INDEXED BY deploy_report_by_place
    WHERE tenant_id = ? AND place = ? AND sorted < ? ORDER BY sorted DESC LIMIT ?`),
  reportsOf: sql<JsonRow>(`
    SELECT json FROM deploy_report INDEXED BY deploy_report_by_commit
    WHERE tenant_id = ? AND place = ? AND sha = ? AND result = ? AND sorted < ?
    ORDER BY sorted DESC LIMIT ?`),
  addCurves: insertInto(
    'score_curves',
    'tenant_id version json',
    'ON CONFLICT (tenant_id, version) DO NOTHING',
  ),
  newestCurves: sql<JsonRow>(`
    SELECT json FROM score_curves WHERE tenant_id = ? AND version < ?
    ORDER BY version DESC LIMIT 1`),
  nextPlace: sql<{ place: string }>(`
    SELECT place FROM deploy_report INDEXED BY deploy_report_by_place
    WHERE tenant_id = ? AND place > ? ORDER BY place LIMIT 1`),
} as const;

/** The writing steps on deploys. */
export function createDeploySteps(database: Connection): Steps<StoreWriter['deploys']> {
  const queries = prepared(database, DEPLOY_QUERIES);
  return {
    addReport({ tenant_id, report }) {
      const { report_id, sha, result } = report;
      const row = [report_id, tenant_id, placeKey(report), reportOrder(report), sha, result];
      const { changes } = queries.addReport.run(...row, JSON.stringify(report));
      const json = changes === 1 ? undefined : queries.report.get(report_id)?.json;
      if (json === undefined) return { report, added: true };
      return { report: JSON.parse(json) as DeployReport, added: false };
    },
    addCurves({ tenant_id, curves }) {
      const { changes } = queries.addCurves.run(tenant_id, curves.version, JSON.stringify(curves));
      return { added: changes === 1 };
    },
  };
}

/** The reading methods of Deploys. */
export function createDeployReader(database: Connection): StoreReader['deploys'] {
  const queries = prepared(database, DEPLOY_QUERIES);
  return {
    reportsBelow({ tenant_id, place, order, limit }) {
      const rows = queries.reportsBelow.all(tenant_id, place, order, limit);
      return { reports: rows.map(({ json }) => JSON.parse(json) as DeployReport) };
    },
    reportsOf({ tenant_id, place, sha, result, order, limit }) {
      const rows = queries.reportsOf.all(tenant_id, place, sha, result, order, limit);
      return { reports: rows.map(({ json }) => JSON.parse(json) as DeployReport) };
    },
    newestCurves({ tenant_id, below }) {
      const row = queries.newestCurves.get(tenant_id, below ?? Number.MAX_SAFE_INTEGER);
      return { curves: row === undefined ? null : (JSON.parse(row.json) as ScoreCurves) };
    },
    nextPlace: ({ tenant_id, after }) => ({
      place: queries.nextPlace.get(tenant_id, after)?.place ?? null,
    }),
  };
}
