import type { AuthRow } from '../../auth/access.ts';

/** The credentials there are. */
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
    description: 'The legacy form of an API token; read only without Authorization',
  },
  overrideToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'CRA_OVERRIDE_TOKEN by itself: for override, approve and bulk-override alone',
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
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-cra_session',
    description: 'A browser session; without https its name is cra_session',
  },
} as const;

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, []>>;

/** What a row of the auth matrix asks for; each entry is one way in, none: nothing is asked. */
export function securityOf(row: AuthRow): Requirement[] {
  const ways: Requirement[] = [];
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
