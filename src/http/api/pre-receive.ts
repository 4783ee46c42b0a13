import { ACCESS } from '../../auth/access.ts';
import type { PreReceive } from '../../decisions/pre-receive.ts';
import {
  PRE_RECEIVE_ANSWER,
  PRE_RECEIVE_REQUEST,
  UNJUDGED_PUSH,
  type UnjudgedPush,
} from '../../model/change.ts';
import { exactly, TEXT } from '../../model/schema.ts';
import type { Handlers, Route } from '../server/dispatch.ts';
import { HTTP } from '../server/limits.ts';
import { dataReply } from '../server/reply.ts';
import { createBodyReader, POST, requesterOf } from './endpoint.ts';

/** What `cra pre-receive` asks on a Git host. */
export const PRE_RECEIVE_ROUTES = [
  {
    ...POST,
    name: 'pre-receive',
    path: '/api/cra/pre-receive',
    summary: 'Judge a push before it is public; makes no RFC',
    auth: ACCESS.submit,
    body: PRE_RECEIVE_REQUEST,
    bodyBytesMax: HTTP.LARGE_BODY_BYTES_MAX,
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
): Pick<Handlers, (typeof PRE_RECEIVE_ROUTES)[number]['name']> {
  const read = createBodyReader(UNJUDGED_PUSH);
  return {
    async 'pre-receive'(call) {
      const requester = requesterOf(call);
      const body = await call.request.body();
      return dataReply(JSON.stringify(await service.judge(body, requester)));
    },
    async 'pre-receive-unjudged'(call) {
      const push = (await read(call.request)) as UnjudgedPush;
      return dataReply(JSON.stringify(await service.unjudged(push, requesterOf(call))));
    },
  };
}
