import { type DeployReport, placeKey, reportOrder } from '../../model/deploy.ts';
import type { ScoreCurves } from '../../model/score.ts';
import type { StoreDriver } from '../contract/store.ts';
import type { Collections } from './database.ts';
import type { CurvesDocument, DeployDocument } from './documents.ts';
import { isDuplicate } from './operations.ts';
import { findAll, findFirst, type Query, query } from './queries.ts';

/** Queries on deploys and curves; test/store/mongo/services.test.ts holds the plan of each. */
export const DEPLOY_QUERIES = {
  reportsBelow: (place: { tenant_id: string; place: string }, order: string, limit: number) =>
    query<DeployDocument>({ ...place, sorted: { $lt: order } }, 'json', {
      sort: { sorted: -1 },
      limit,
      hint: 'by_place',
    }),
  reportsOf: (
    commit: Pick<DeployDocument, 'tenant_id' | 'place' | 'sha' | 'result'>,
    order: string,
    limit: number,
  ) =>
    query<DeployDocument>({ ...commit, sorted: { $lt: order } }, 'json', {
      sort: { sorted: -1 },
      limit,
      hint: 'by_commit',
    }),
  newestCurves: (tenant_id: string, below: number): Query<CurvesDocument> =>
    query<CurvesDocument>(
      { '_id.tenant_id': tenant_id, '_id.version': { $lt: below } },
      'json -_id',
      { sort: { '_id.version': -1 }, limit: 1, hint: 'newest' },
    ),
  nextPlace: (tenant_id: string, after: string): Query<DeployDocument> =>
    query<DeployDocument>({ tenant_id, place: { $gt: after } }, 'place -_id', {
      sort: { place: 1 },
      limit: 1,
      hint: 'by_place',
    }),
} as const;

/** The methods of Deploys. */
export function createDeployService({
  deployReports,
  scoreCurves,
}: Pick<Collections, 'deployReports' | 'scoreCurves'>): StoreDriver['deploys'] {
  return {
    async addReport({ tenant_id, report }) {
      const { report_id: _id, sha, result } = report;
      const place = { place: placeKey(report), sorted: reportOrder(report), sha, result };
      try {
        await deployReports.insertOne({ _id, tenant_id, ...place, json: JSON.stringify(report) });
        return { report, added: true };
      } catch (thrown) {
        if (!isDuplicate(thrown)) throw thrown;
        const known = await deployReports.findOne({ _id });
        if (known === null) throw thrown;
        return { report: JSON.parse(known.json) as DeployReport, added: false };
      }
    },
    async reportsBelow({ tenant_id, place, order, limit }) {
      const below = DEPLOY_QUERIES.reportsBelow({ tenant_id, place }, order, limit);
      const found = await findAll(deployReports, below);
      return { reports: found.map(({ json }) => JSON.parse(json) as DeployReport) };
    },
    async reportsOf({ order, limit, ...commit }) {
      const found = await findAll(deployReports, DEPLOY_QUERIES.reportsOf(commit, order, limit));
      return { reports: found.map(({ json }) => JSON.parse(json) as DeployReport) };
    },
    async addCurves({ tenant_id, curves }) {
      const _id = { tenant_id, version: curves.version };
      try {
        await scoreCurves.insertOne({ _id, json: JSON.stringify(curves) });
        return { added: true };
      } catch (thrown) {
        if (!isDuplicate(thrown)) throw thrown;
        return { added: false };
      }
    },
    async newestCurves({ tenant_id, below }) {
      const versions = DEPLOY_QUERIES.newestCurves(tenant_id, below ?? Number.MAX_SAFE_INTEGER);
      const found = await findFirst(scoreCurves, versions);
      return { curves: found === null ? null : (JSON.parse(found.json) as ScoreCurves) };
    },
    async nextPlace({ tenant_id, after }) {
      const found = await findFirst(deployReports, DEPLOY_QUERIES.nextPlace(tenant_id, after));
      return { place: found?.place ?? null };
    },
  };
}
