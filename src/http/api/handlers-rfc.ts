import type { Pipeline } from '../../analysis/pipeline.ts';
import type { Rfcs } from '../../analysis/rfcs.ts';
import { STORE } from '../../limits.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { SARIF_TYPE } from '../../model/sarif.ts';
import type { Handlers } from '../server/dispatch.ts';
import { dataReply, documentReply, type Reply } from '../server/reply.ts';

const SECOND_MS = 1000;

/** Handlers of the RFC lifecycle. */
export function createRfcHandlers(
  pipeline: Pipeline,
  rfcs: Rfcs,
): Pick<Handlers, 'analyze' | 'rfc' | 'sarif' | 'rfcs'> {
  return {
    async analyze({ request, principal }) {
      const body = await request.body();
      const { remoteAddress, signal } = request;
      return dataReply(await pipeline.analyze({ body, principal, remoteAddress, signal }));
    },

    async rfc({ request, principal, params, query }) {
      const waitMs = Number(query['wait'] ?? 0) * SECOND_MS;
      const signal = waitMs === 0 ? null : request.signal;
      const view = await rfcs.get(principal, params[0] ?? '', waitMs, signal);
      return dataReply(view.json);
    },

    async sarif({ request, principal, params, query }) {
      const waitMs = Number(query['wait'] ?? 0) * SECOND_MS;
      const log = await rfcs.sarif(principal, params[0] ?? '', waitMs, request.signal);
      return documentReply(SARIF_TYPE, log);
    },

    async rfcs({ principal, query }) {
      const list = await rfcs.list(principal, {
        status: (query['status'] as RfcStatus | undefined) ?? null,
        repo: query['repo'] === undefined ? null : String(query['repo']),
        limit: Number(query['limit'] ?? STORE.LIST_LIMIT_DEFAULT),
        cursor: query['cursor'] === undefined ? null : String(query['cursor']),
      });
      return dataReply(list.json, `,"next_cursor":${JSON.stringify(list.next_cursor)}`);
    },
  };
}

/** 200 `ok`; while the service stops, 503, so that nobody sends more. */
export function healthReply(isStopping: boolean): Reply {
  const status = isStopping ? 'stopping' : 'ok';
  const reply = dataReply(JSON.stringify({ status }), `,"status":"${status}"`);
  return isStopping ? { ...reply, status: 503 } : reply;
}
