import type { ExecutionContext } from 'ava';
import type { AuthRow } from '../../src/auth/access.ts';
import { fake } from '../../src/rules/fake.ts';
import { startSigningIssuer } from '../auth/signing-issuer.ts';
import { type DaemonProcess, startDaemonProcess, temporaryDir } from '../daemon.ts';

const API_TOKEN = fake('api-', 40);
const OVERRIDE_TOKEN = fake('override-', 40);
const HOUR_SECONDS = 3600;

/** A daemon with authentication on, and somebody for every endpoint. */
export interface GuardedDaemon extends DaemonProcess {
  apiToken: string;
  overrideToken: string;
  /** A token of a person; of the tenant `default` unless told otherwise. */
  person(role: string, tenant?: string): Promise<string>;
  /** A token that gets past this row. */
  tokenFor(row: AuthRow): Promise<string>;
}

/** Starts it with an issuer of its own. */
export async function startGuardedDaemon(
  t: Pick<ExecutionContext, 'teardown'>,
  env: Record<string, string> = {},
  dataDir = temporaryDir(t),
): Promise<GuardedDaemon> {
  const issuer = await startSigningIssuer(t);
  const daemon = await startDaemonProcess(t, dataDir, {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: API_TOKEN,
    CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    SERVICE_OIDC_ISSUER: issuer.url,
    SERVICE_OIDC_AUDIENCE: issuer.audience,
    ...env,
  });
  const person = (role: string, tenant?: string) => {
    const iat = Math.floor(Date.now() / 1000);
    const own = tenant === undefined ? {} : { meridian_tenant: tenant };
    const exp = iat + HOUR_SECONDS;
    return issuer.sign({ sub: 'ann', meridian_roles: [role], iat, exp, ...own });
  };
  return {
    ...daemon,
    apiToken: API_TOKEN,
    overrideToken: OVERRIDE_TOKEN,
    person,
    async tokenFor(row) {
      if (row.apiToken || row.unauthenticated === 'yes') return API_TOKEN;
      return row.overrideToken ? OVERRIDE_TOKEN : person('admin');
    },
  };
}
