import type { Rfcs } from '../../analysis/rfcs.ts';
import { CraError } from '../../model/errors.ts';
import type { Handlers } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';

const SECOND_MS = 1000;

/** Handlers of pushes. */
export function createWebhookHandlers(
  newestPush: Rfcs['newestPush'],
): Pick<Handlers, 'webhook' | 'webhook-status'> {
  return {
    async webhook({ request }) {
      if (request.delivery === null) throw new CraError('INTERNAL', 'a webhook without a check');
      const body = await request.body();
      return dataReply(JSON.stringify(await request.delivery.accept(body)));
    },
    async 'webhook-status'({ request, principal, params, query }) {
      const waitMs = Number(query['wait'] ?? 0) * SECOND_MS;
      const view = await newestPush(principal, params[0] ?? '', waitMs, request.signal);
      return dataReply(view.json);
    },
  };
}
