import type { Rfcs } from '../../analysis/read-rfcs.ts';
import { ACCESS } from '../../auth/access.ts';
import type { PreReceive } from '../../decisions/pre-receive.ts';
import {
  PRE_RECEIVE_ANSWER,
  PRE_RECEIVE_REQUEST,
  UNJUDGED_PUSH,
  type UnjudgedPush,
} from '../../model/change.ts';
import { CraError } from '../../model/errors.ts';
import { BODY } from '../../model/limits.ts';
import { SHOWN_RFC } from '../../model/next-steps.ts';
import { exactly, TEXT } from '../../model/schema.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import { createBodyReader, GET, POST, requesterOf, WAIT_QUERY, waitMsOf } from './endpoint.ts';

/** A push event has the host's own fields; docs/how-to/webhooks.md names what is read. */
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
        enum: ['new', 'same-delivery', 'same-body', 'same-push', 'again', 'stands'],
        description:
          'Whether this delivery made the RFC, or an earlier one; `again`: it is judged again, `stands`: its verdict is shown again',
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
    bodyBytesMax: BODY.LARGE_BYTES_MAX,
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
    data: SHOWN_RFC,
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** Handlers of pushes. */
export function createWebhookHandlers(
  newestPush: Rfcs['newestPush'],
): Record<'webhook' | 'webhook-status', Handler> {
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

/** What `cra pre-receive` asks on a Git host. */
export const PRE_RECEIVE_ROUTES = [
  {
    ...POST,
    name: 'pre-receive',
    path: '/api/cra/pre-receive',
    summary: 'Judge a push before it is public; makes no RFC',
    auth: ACCESS.submit,
    body: PRE_RECEIVE_REQUEST,
    bodyBytesMax: BODY.LARGE_BYTES_MAX,
    headers: ['Idempotency-Key'],
    data: PRE_RECEIVE_ANSWER,
  },
  {
    ...POST,
    name: 'pre-receive-unjudged',
    path: '/api/cra/pre-receive/unjudged',
    summary: 'Record a push that a host decided about by itself',
    auth: ACCESS.submit,
    body: UNJUDGED_PUSH,
    headers: ['Idempotency-Key'],
    data: exactly({ op_id: TEXT }),
    refusals: [409],
  },
] as const satisfies readonly Route[];

/** Their handlers. */
export function createPreReceiveHandlers(
  service: PreReceive,
): Record<(typeof PRE_RECEIVE_ROUTES)[number]['name'], Handler> {
  const read = createBodyReader(UNJUDGED_PUSH);
  return {
    async 'pre-receive'(call) {
      const requester = requesterOf(call);
      const body = await call.request.body();
      return dataReply(JSON.stringify(await service.screen(body, requester)));
    },
    async 'pre-receive-unjudged'(call) {
      const push = (await read(call.request)) as UnjudgedPush;
      return dataReply(JSON.stringify(await service.unjudged(push, requesterOf(call))));
    },
  };
}
