import type { Pipeline } from '../../analysis/drafts.ts';
import { ACCESS } from '../../auth/access.ts';
import { ANALYZE_REQUEST } from '../../model/change.ts';
import { VCS_STATUS } from '../../model/records.ts';
import { GATES, STATS, STATUS } from '../../model/rfc.ts';
import { exactly, SCORE, TEXT } from '../../model/schema.ts';
import type { Handlers } from '../server/dispatch.ts';
import { HTTP } from '../server/limits.ts';
import { dataReply } from '../server/reply.ts';
import type { Route } from '../server/route.ts';

const ANALYZED = exactly({
  rfc_id: TEXT,
  diff_hash: { type: 'string', description: "SHA-256 of the diff's bytes, hex" },
  overall_status: STATUS,
  risk_score: SCORE,
  gates: GATES,
  stats: STATS,
});

export const ANALYZE_ANSWER = {
  ...ANALYZED,
  properties: { ...ANALYZED.properties, vcs_status: VCS_STATUS },
} as const;

export const ANALYZE_ROUTES = [
  {
    name: 'analyze',
    method: 'POST',
    path: '/api/cra/analyze',
    summary: 'Create an RFC from a unified diff and run the gates',
    auth: ACCESS.submit,
    query: null,
    body: ANALYZE_REQUEST,
    bodyBytesMax: HTTP.LARGE_BODY_BYTES_MAX,
    data: ANALYZE_ANSWER,
  },
] as const satisfies readonly Route[];

/** The handler of analyze. */
export function createAnalyzeHandlers(pipeline: Pipeline): Pick<Handlers, 'analyze'> {
  return {
    async analyze({ request, principal }) {
      const body = await request.body();
      const { remoteAddress, signal } = request;
      return dataReply(await pipeline.analyze({ body, principal, remoteAddress, signal }));
    },
  };
}
