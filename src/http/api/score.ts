import { ACCESS } from '../../auth/access.ts';
import type { ScoreKeeper } from '../../deploys/score-keeper.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import { CALIBRATION, SCORE_CURVES } from '../../model/score.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import { GET } from './endpoint.ts';

const SHARE = { type: ['number', 'null'], minimum: 0, maximum: 1 } as const;

const MEASURES = {
  changes: { ...COUNT, description: 'Of which it is known what became of them' },
  failures: COUNT,
  base_rate: { ...SHARE, description: 'failures / changes; null, as below: nothing to measure' },
  auc: { ...SHARE, description: 'Chance that a failure had a higher change_risk than another' },
  ece: { ...SHARE, description: 'Mean distance of change_risk / 100 and the share of failures' },
  model_ece: { ...SHARE, description: 'The same of the shipped curve' },
} as const;

const GROUP = exactly({
  group: {
    ...TEXT,
    description: 'Owner of the repositories, in lower case; empty: they have none',
  },
  curve: {
    anyOf: [
      { type: 'null' },
      exactly({
        slope: { type: 'number' },
        offset: { type: 'number' },
        changes: COUNT,
        failures: COUNT,
      }),
    ],
    description: 'In force, on log-odds; null: the shipped one',
  },
  no_curve: {
    type: ['string', 'null'],
    enum: [null, 'few', 'no better', 'unread'],
    description:
      'Why these changes give no curve. few: fewer than 200, or than 20 failures or others; ' +
      'no better: the shipped one is closer to the newest fifth; unread: not all of ' +
      'its reports were read, so the curve in force stays',
  },
  ...MEASURES,
  months: {
    type: 'array',
    items: exactly({ month: { ...TEXT, description: 'YYYY-MM' }, ...MEASURES }),
    description: 'By the month (UTC) of their RFCs, the oldest first',
  },
  reliability: {
    type: 'array',
    items: exactly({
      from: COUNT,
      to: COUNT,
      changes: COUNT,
      expected: { type: 'number', description: 'Mean of change_risk / 100' },
      failed: { type: 'number', description: 'Share of failures' },
    }),
    description: 'Tenths of change_risk with changes',
  },
});

const REPORT = exactly({
  version: { type: ['integer', 'null'], description: 'Of the curves; null: no curve was fitted' },
  made_at: TEXT_OR_NULL,
  read_at: { ...TIME, description: 'At most 10 minutes ago' },
  is_whole: {
    type: 'boolean',
    description: 'False: only the newest 20,000 RFCs, or not all reports, were read',
  },
  groups_total: COUNT,
  groups: {
    type: 'array',
    items: GROUP,
    maxItems: CALIBRATION.GROUPS_MAX,
    description: 'Most changes first',
  },
});

/** Endpoints of scores beside what became of changes. */
export const SCORE_ROUTES = [
  {
    ...GET,
    name: 'score',
    path: '/api/cra/score',
    summary: 'How scores compare with what became of changes, by group and month',
    auth: ACCESS.read,
    query: null,
    data: REPORT,
  },
  {
    ...GET,
    name: 'score-curves',
    path: '/api/cra/score/curves/:number',
    summary: 'The curves of a version, which scores name',
    auth: ACCESS.read,
    query: null,
    data: SCORE_CURVES,
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** Their handlers. */
export function createScoreHandlers(
  scores: Pick<ScoreKeeper, 'report' | 'version'>,
): Record<(typeof SCORE_ROUTES)[number]['name'], Handler> {
  return {
    async score({ principal }) {
      return dataReply(JSON.stringify(await scores.report(principal)));
    },
    async 'score-curves'({ principal, params }) {
      return dataReply(JSON.stringify(await scores.version(principal, Number(params[0]))));
    },
  };
}
