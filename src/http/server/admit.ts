import { AuthRefusal, type AuthRow, denied } from '../../auth/access.ts';
import { type Authentication, OPEN_PRINCIPAL } from '../../auth/authenticate.ts';
import { AUTH } from '../../auth/limits.ts';
import type { FailedAttempts } from '../../auth/login.ts';
import { CraError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { approveUrl } from '../../model/records.ts';
import type { Request } from './exchange.ts';
import { foreignHost, HttpRefusal, tooManyFailures } from './reply.ts';

/**
 * Admits a request as its caller, or throws or rejects with 401, 403, 421 or 429. `rfcId`: the RFC
 * that the request is about; null: it names no RFC.
 */
export type Admit = (
  request: Request,
  row: AuthRow,
  rfcId: string | null,
) => Principal | Promise<Principal>;

interface AdmitOptions {
  authentication: Authentication;
  failedAttempts: FailedAttempts;
  /** The origin that browsers reach the service by; null: there are no browser sessions. */
  ownOrigin: string | null;
  /** Names in `Host` that are served, without port, in lower case; null: all of them. */
  ownHosts: ReadonlySet<string> | null;
  /** Base of links. */
  baseUrl(): string;
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

  function refused(thrown: unknown, request: Request, rfcId: string | null): unknown {
    if (!(thrown instanceof AuthRefusal)) return thrown;
    const waitSeconds = thrown.isFailedAttempt ? failedAttempts.add(request.remoteAddress) : 0;
    if (waitSeconds > 0) return tooManyFailures(waitSeconds);
    onRefused(thrown, request);
    if (thrown.code === 'UNAUTHENTICATED') return unauthenticated(thrown);
    if (thrown.details['requiresDashboardApproval'] !== true) return thrown;
    const link = dashboardUrl(options.baseUrl(), rfcId);
    const details = { ...thrown.details, approveUrl: link };
    return new CraError(thrown.code, thrown.message, { details });
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

  /** A route that is open without a credential is open with a refused credential, too. */
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

  function admitted(
    request: Request,
    row: AuthRow,
    rfcId: string | null,
  ): Principal | Promise<Principal> {
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
        throw refused(thrown, request, rfcId);
      });
  }

  return (request, row, rfcId) => {
    if (ownHosts !== null && !ownHosts.has(hostName(request.headers.host))) throw foreignHost();
    try {
      return admitted(request, row, rfcId);
    } catch (thrown) {
      throw refused(thrown, request, rfcId);
    }
  };
}

/** Where a person decides about an RFC; null: where all of them are. */
function dashboardUrl(baseUrl: string, rfcId: string | null): string {
  return rfcId === null ? `${baseUrl}/cra` : approveUrl(baseUrl, rfcId);
}

function credentialsOf({ headers, query }: Request) {
  const { authorization, apiKey, overrideToken, isCredentialRepeated, cookies } = headers;
  return {
    authorization,
    apiKey,
    overrideToken,
    cookies,
    isRepeated: isCredentialRepeated,
    isBackground: headers.background !== '',
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

/**
 * Whether a request that a cookie authenticates was made by a page of ours, or changes nothing.
 * Browsers say where a request comes from (Fetch Metadata), and have said its origin before;
 * without either it is refused. A body must be JSON, which no form of another site can send.
 */
function isOwnRequest({ method, headers }: Request, ownOrigin: string | null): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const hasBody = Number(headers.contentLength) > 0 || headers.transferEncoding !== '';
  if (hasBody && !JSON_TYPE.test(headers.contentType)) return false;
  return isOwnPage(headers, ownOrigin);
}

/**
 * Whether a request that needed no credential was made by a program or by a page of ours, or
 * changes nothing. Programs send neither header; a page of another site cannot leave them out.
 */
export function isOpenRequest({ method, headers }: Request, ownOrigin: string | null): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const { fetchSite, origin } = headers;
  if (fetchSite !== '') return fetchSite === 'same-origin' || fetchSite === 'none';
  return origin === '' || origin === ownOrigin;
}

/** Whether a page of ours sent it; `none`, which is the address line, does not POST. */
export function isOwnPage(
  { fetchSite, origin }: Request['headers'],
  ownOrigin: string | null,
): boolean {
  if (fetchSite !== '') return fetchSite === 'same-origin';
  return origin !== '' && origin === ownOrigin;
}

const JSON_TYPE = /^application\/json(?: *;|$)/i;

const NAME = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The tenant that a request reads: tokens belong to the deployment, not to a tenant, so they read
 * the tenant that X-CRA-Tenant names, and write to their own alone. Throws INVALID_ARGUMENT for a
 * write, PERMISSION_DENIED for a person who names another tenant.
 */
function inTenant(principal: Principal, { method, headers }: Request): Principal {
  const { tenant } = headers;
  if (tenant === '' || tenant === principal.tenant_id) return principal;
  if (principal.credential === 'oidc' || principal.credential === 'session') {
    throw denied(principal.id, 'X-CRA-Tenant names a tenant that is not yours');
  }
  if (!NAME.test(tenant) || tenant.length > AUTH.TENANT_CHARS_MAX) {
    throw new CraError('INVALID_ARGUMENT', 'X-CRA-Tenant is not a valid tenant name');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    throw new CraError('INVALID_ARGUMENT', 'X-CRA-Tenant is for reads; tokens write to "default"');
  }
  return { ...principal, tenant_id: tenant };
}
