import type { BoundKind, Principal, TokenBounds } from '../model/principal.ts';
import { denied } from './access.ts';

/** Throws PERMISSION_DENIED when the caller has an API token that is bound to other names. */
export type RequireBound = (principal: Principal, kind: BoundKind, name: string) => void;

/** Creates the check from the setting SERVICE_API_TOKEN_BOUNDS. */
export function createBoundCheck(bounds: TokenBounds): RequireBound {
  return ({ id, credential }, kind, name) => {
    if (credential !== 'api-token') return;
    const names = bounds[id.slice(`${credential}:`.length)]?.[kind];
    if (names === undefined || names.includes(name.toLowerCase())) return;
    throw denied(id, `this API token is bound to other ${kind} (SERVICE_API_TOKEN_BOUNDS)`);
  };
}
