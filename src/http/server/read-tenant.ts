import { denied } from '../../auth/refusal.ts';
import { AUTH } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { Request } from './exchange.ts';

const NAME = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The tenant that a request reads: tokens belong to the deployment, not to a tenant, so they read
 * the one that X-CRA-Tenant names, and write to their own alone. Throws INVALID_ARGUMENT for a
 * write, PERMISSION_DENIED for a person who names another tenant.
 */
export function inTenant(principal: Principal, { method, headers }: Request): Principal {
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
