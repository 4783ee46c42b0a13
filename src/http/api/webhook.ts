import type { Rfcs } from '../../analysis/read-rfcs.ts';
import { ACCESS } from '../../auth/access.ts';
import { CraError } from '../../model/errors.ts';
import { RFC } from '../../model/records.ts';
import { exactly, TEXT } from '../../model/schema.ts';
import type { Handlers, Route } from '../server/dispatch.ts';
import { HTTP } from '../server/limits.ts';
import { dataReply } from '../server/reply.ts';
import { GET, POST, WAIT_QUERY, waitMsOf } from './endpoint.ts';

/** A push event has the host's own fields; docs/webhooks.md names those that are read. */
const PUSH_PAYLOAD = {
  type: 'object',
  description: "The push event of GitHub, Gitea, Forgejo or GitLab, as the host's API has it",
} as const;

const WEBHOOK_ANSWER = {
  anyOf: [
    exactly({
      rfc_id: TEXT,
      outcome: {
        type: 'string',
        enum: ['new', 'same-delivery', 'same-body', 'same-push'],
        description: 'Whether this delivery made the RFC, or an earlier one',
      },
    }),
    exactly({ ignored: { type: 'string', description: 'The event or ref that makes no RFC' } }),
  ],
} as const;

export const WEBHOOK_ROUTES = [
  {
    ...POST,
    name: 'webhook',
    path: '/api/cra/webhook',
    summary: 'Receive a push event of a Git host; the signature over the body is the credential',
    auth: ACCESS.everybody,
    body: PUSH_PAYLOAD,
    bodyBytesMax: HTTP.LARGE_BODY_BYTES_MAX,
    data: WEBHOOK_ANSWER,
    isDelivery: true,
    refusals: [401],
  },
  {
    ...GET,
    name: 'webhook-status',
    path: '/api/cra/webhook-status/*',
    summary: 'The RFC of the newest push of a repository; ?wait=SECONDS as for the RFC',
    auth: ACCESS.read,
    query: WAIT_QUERY,
    data: RFC,
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** Handlers of pushes. */
export function createWebhookHandlers(
  newestPush: Rfcs['newestPush'],
): Pick<Handlers, 'webhook' | 'webhook-status'> {
  return {
    async webhook({ request }) {
      const { delivery } = request;
      if (delivery === null)
        throw new CraError('INTERNAL', 'the webhook signature was not checked');
      return dataReply(JSON.stringify(await delivery.accept(await request.body())));
    },
    async 'webhook-status'({ request, principal, params, query }) {
      const view = await newestPush(principal, params[0] ?? '', waitMsOf(query), request.signal);
      return dataReply(view.json);
    },
  };
}
