import { ACCESS } from '../../auth/access.ts';
import { HTTP } from '../../limits.ts';
import type { Route } from '../server/route.ts';
import { RFC, RFC_QUERY } from './schemas.ts';
import { PUSH_PAYLOAD, WEBHOOK_ANSWER } from './schemas-webhook.ts';

/** Endpoints of pushes. */
export const WEBHOOK_ROUTES = [
  {
    name: 'webhook',
    method: 'POST',
    path: '/api/cra/webhook',
    summary: 'Take in a push event of a Git host; the signature over the body is the credential',
    auth: ACCESS.everybody,
    query: null,
    body: PUSH_PAYLOAD,
    bodyBytesMax: HTTP.LARGE_BODY_BYTES_MAX,
    data: WEBHOOK_ANSWER,
    isDelivery: true,
    refusals: [401],
  },
  {
    name: 'webhook-status',
    method: 'GET',
    path: '/api/cra/webhook-status/*',
    summary: 'The RFC of the newest push of a repository; ?wait=SECONDS as for the RFC',
    auth: ACCESS.read,
    query: RFC_QUERY,
    body: null,
    bodyBytesMax: 0,
    data: RFC,
    refusals: [404],
  },
] as const satisfies readonly Route[];
