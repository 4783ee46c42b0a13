import { fake } from '../../src/rules/fake.ts';
import { startSigningIssuer } from '../../test/auth/signing-issuer.ts';

/** Who calls a daemon that wants to know. */
export interface Callers {
  /** Makes the daemon ask for credentials. */
  settings: Readonly<Record<string, string>>;
  /** The headers of a machine with an API token. */
  machine: Readonly<Record<string, string>>;
  /** Those of a person with a JWT. */
  person: Readonly<Record<string, string>>;
  close(): void;
}

const HOUR_SECONDS = 3600;

/** Starts an issuer and makes a credential of each kind. */
export async function openCallers(): Promise<Callers> {
  const undo: (() => unknown)[] = [];
  const issuer = await startSigningIssuer({ teardown: (step) => void undo.push(step) });
  const token = fake('api-', 40);
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: 'ann', meridian_roles: ['viewer'], iat, exp: iat + HOUR_SECONDS };
  return {
    settings: {
      SERVICE_AUTH_ENABLED: 'true',
      CRA_API_TOKEN: token,
      SERVICE_OIDC_ISSUER: issuer.url,
      SERVICE_OIDC_AUDIENCE: issuer.audience,
    },
    machine: { authorization: `Bearer ${token}` },
    person: { authorization: `Bearer ${await issuer.sign(claims)}` },
    close: () => undo.forEach((step) => void step()),
  };
}
