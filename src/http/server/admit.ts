import type { AuthRow } from '../../auth/access.ts';
import { type Authentication, OPEN_PRINCIPAL } from '../../auth/authenticate.ts';
import type { FailedAttempts } from '../../auth/failed-attempts.ts';
import { AuthRefusal, denied } from '../../auth/refusal.ts';
import type { Principal } from '../../model/principal.ts';
import { isOpenRequest, isOwnRequest } from './cross-site.ts';
import type { Request } from './exchange.ts';
import { inTenant } from './read-tenant.ts';
import { foreignHost, HttpRefusal } from './refusal.ts';

/** Admits a request as its caller, or throws or rejects with 401, 403, 421 or 429. */
export type Admit = (request: Request, row: AuthRow) => Principal | Promise<Principal>;

export interface AdmitOptions {
  authentication: Authentication;
  failedAttempts: FailedAttempts;
  /** The origin that browsers reach the service by; null: there are no browser sessions. */
  ownOrigin: string | null;
  /** Names in `Host` that are served, without port, in lower case; null: all of them. */
  ownHosts: ReadonlySet<string> | null;
  /** Gets every refusal that is not 429; it holds no part of a credential. */
  onRefused(refusal: AuthRefusal, request: Request): void;
  /** Gets the refusal of a credential that an open endpoint does without. */
  onIgnored(refusal: AuthRefusal, request: Request): void;
}

/** RFC 6750, 2.3 has tokens in the query. They end up in logs and histories: they never count. */
const TOKEN_IN_QUERY = /(?:^|&)access_token=/;

/** Creates the check that stands between a request and its handler. */
export function createAdmit(options: AdmitOptions): Admit {
  const { authentication, failedAttempts, ownOrigin, ownHosts, onRefused } = options;

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
      throw denied(id, 'with a session, only pages of this service may send this');
    }
    if (credential === 'open' && !isOpenRequest(request, ownOrigin)) {
      throw denied(id, 'pages of other sites may not send this');
    }
    return inTenant(principal, request);
  }

  /** Nothing that a valid credential lacks refuses what is open without it. */
  function withoutRefusal(principal: Principal, request: Request): Principal {
    try {
      return fromOwnSite(principal, request);
    } catch (thrown) {
      if (!(thrown instanceof AuthRefusal) || principal === OPEN_PRINCIPAL) throw thrown;
      ignore(thrown, request);
      return fromOwnSite(OPEN_PRINCIPAL, request);
    }
  }

  function ignore(refusal: AuthRefusal, request: Request): void {
    const isTooOften = refusal.isFailedAttempt && failedAttempts.add(request.remoteAddress) > 0;
    if (!isTooOften) options.onIgnored(refusal, request);
  }

  function admitted(request: Request, row: AuthRow): Principal | Promise<Principal> {
    const credentials = credentialsOf(request);
    const isOpen = authentication.isOpen(row);
    const principal = isOpen
      ? authentication.identify(credentials, (refusal) => ignore(refusal, request))
      : authentication.check(credentials, row);
    const settle = isOpen ? withoutRefusal : fromOwnSite;
    if (!(principal instanceof Promise)) return settle(principal, request);
    // Read now: a client that has gone when its credential turns out wrong counts as well.
    void request.remoteAddress;
    return principal
      .then((known) => settle(known, request))
      .catch((thrown) => {
        throw refused(thrown, request);
      });
  }

  return (request, row) => {
    if (ownHosts !== null && !ownHosts.has(hostName(request.headers.host))) throw foreignHost();
    try {
      return admitted(request, row);
    } catch (thrown) {
      throw refused(thrown, request);
    }
  };
}

function credentialsOf({ headers, query }: Request) {
  const { authorization, apiKey, overrideToken, isCredentialRepeated, cookies } = headers;
  return {
    ...{ authorization, apiKey, overrideToken, cookies },
    isRepeated: isCredentialRepeated,
    isInQuery: TOKEN_IN_QUERY.test(query),
  };
}

/** The name in a `Host` header: an address of IPv6 keeps its brackets. */
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

/** RFC 6750, 3: without a credential the challenge holds the scheme alone. */
function unauthenticated({ message, isFailedAttempt }: AuthRefusal): HttpRefusal {
  const challenge = isFailedAttempt ? 'Bearer error="invalid_token"' : 'Bearer';
  return new HttpRefusal(401, 'UNAUTHENTICATED', message, [['WWW-Authenticate', challenge]]);
}

function tooManyFailures(waitSeconds: number): HttpRefusal {
  const message = `too many wrong credentials from this address; try again in ${waitSeconds} s`;
  const headers = [['Retry-After', String(waitSeconds)]] as const;
  return new HttpRefusal(429, 'RESOURCE_EXHAUSTED', message, headers);
}
