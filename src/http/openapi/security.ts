import type { Route } from '../server/route.ts';

/** All kinds of credentials. */
export const SECURITY_SCHEMES = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'One of CRA_API_TOKEN and SERVICE_API_TOKENS: machines',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The legacy form of an API token; ignored beside Authorization',
  },
  overrideToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'CRA_OVERRIDE_TOKEN on its own: only for override, approve and bulk-override',
  },
  overrideHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CRA-Override-Token',
    description: 'The override token next to an API token',
  },
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of SERVICE_OIDC_ISSUER for SERVICE_OIDC_AUDIENCE: people, by role',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: '`sha256=` and the HMAC-SHA-256 of the raw body with CRA_WEBHOOK_SECRET, in hex',
  },
  webhookToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Provider-Token',
    description: 'SERVICE_PROVIDER_SECRET itself; GitLab sends it as X-Gitlab-Token',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-cra_session',
    description: 'A browser session; without https its name is cra_session',
  },
} as const;

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, []>>;

/** The credentials that a route accepts: any one entry is enough; an empty list asks for none. */
export function securityOf({ auth: row, isDelivery }: Pick<Route, 'auth' | 'isDelivery'>) {
  const ways: Requirement[] = [];
  if (isDelivery === true) ways.push({ webhookSignature: [] }, { webhookToken: [] });
  if (row.apiToken) ways.push({ apiToken: [] }, { apiKey: [] });
  if (row.overrideToken) {
    const beside: Requirement[] = [
      { apiToken: [], overrideHeader: [] },
      { apiKey: [], overrideHeader: [] },
    ];
    ways.push({ overrideToken: [] }, ...beside);
  }
  if (row.role !== null && row.unauthenticated !== 'yes') ways.push({ jwt: [] });
  if (row.session !== 'no') ways.push({ session: [] });
  return ways;
}
