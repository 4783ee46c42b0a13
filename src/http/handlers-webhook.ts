import { CraError } from '../domain/errors.ts';
import type { Rfcs } from '../services/rfcs.ts';
import type { Handlers } from './dispatch.ts';
import { dataReply } from './reply.ts';

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
    async 'webhook-status'({ principal, params }) {
      return dataReply((await newestPush(principal, params[0] ?? '')).json);
    },
  };
}
