import type { AuthRow } from '../../auth/access.ts';
import type { Authenticate } from '../../auth/authenticate.ts';
import type { FailedAttempts } from '../../auth/failed-attempts.ts';
import { AuthRefusal, denied } from '../../auth/refusal.ts';
import type { Principal } from '../../model/principal.ts';
import { isOpenRequest, isOwnRequest } from './cross-site.ts';
import type { Request } from './exchange.ts';
import { inTenant } from './read-tenant.ts';
import { HttpRefusal } from './refusal.ts';

/** Lets a request in as somebody, or throws or rejects with 401, 403 or 429. */
export type Admit = (request: Request, row: AuthRow) => Principal | Promise<Principal>;

export interface AdmitOptions {
  authenticate: Authenticate;
  failedAttempts: FailedAttempts;
  /** The origin that browsers reach the service by; null: there are no browser sessions. */
  ownOrigin: string | null;
  /** Told of every refusal that is not 429: why, who and from where; no part of a credential. */
  onRefused(refusal: AuthRefusal, request: Request): void;
}

/** RFC 6750, 2.3 has tokens in the query. They end up in logs and histories: they never count. */
const TOKEN_IN_QUERY = /(?:^|&)access_token=/;

/** Creates what stands between a request and its handler. */
export function createAdmit(options: AdmitOptions): Admit {
  const { authenticate, failedAttempts, ownOrigin, onRefused } = options;

  function refused(thrown: unknown, request: Request): unknown {
    if (!(thrown instanceof AuthRefusal)) return thrown;
    const waitSeconds = thrown.isFailedAttempt ? failedAttempts.add(request.remoteAddress) : 0;
    if (waitSeconds > 0) return tooManyFailures(waitSeconds);
    onRefused(thrown, request);
    return thrown.code === 'UNAUTHENTICATED' ? unauthenticated(thrown) : thrown;
  }

  /** Browsers send cookies along with what other sites make them send. */
  function fromOwnSite(principal: Principal, request: Request): Principal {
    const { credential, id } = principal;
    if (credential === 'session' && !isOwnRequest(request, ownOrigin)) {
      throw denied(id, 'with a session, only the own pages may send this');
    }
    if (credential === 'open' && !isOpenRequest(request, ownOrigin)) {
      throw denied(id, 'pages of other sites may not send this');
    }
    return inTenant(principal, request);
  }

  return (request, row) => {
    const { authorization, apiKey, overrideToken, isCredentialRepeated, cookies } = request.headers;
    const credentials = {
      authorization,
      apiKey,
      overrideToken,
      isRepeated: isCredentialRepeated,
      isInQuery: TOKEN_IN_QUERY.test(request.query),
      cookies,
    };
    try {
      const principal = authenticate(credentials, row);
      if (!(principal instanceof Promise)) return fromOwnSite(principal, request);
      // Kept now: who has gone by the time that the credential turns out wrong counts as well.
      void request.remoteAddress;
      return principal
        .then((known) => fromOwnSite(known, request))
        .catch((thrown) => {
          throw refused(thrown, request);
        });
    } catch (thrown) {
      throw refused(thrown, request);
    }
  };
}

/** RFC 6750, 3: without a credential the challenge says nothing but the scheme. */
function unauthenticated({ message, isFailedAttempt }: AuthRefusal): HttpRefusal {
  const challenge = isFailedAttempt ? 'Bearer error="invalid_token"' : 'Bearer';
  return new HttpRefusal(401, 'UNAUTHENTICATED', message, [['WWW-Authenticate', challenge]]);
}

function tooManyFailures(waitSeconds: number): HttpRefusal {
  const message = `too many wrong credentials from this address; try again in ${waitSeconds} s`;
  const headers = [['Retry-After', String(waitSeconds)]] as const;
  return new HttpRefusal(429, 'RESOURCE_EXHAUSTED', message, headers);
}
