import type { Principal } from './principal.ts';

/** Something about logins that the log and the audit trail are told. */
export interface LoginEvent {
  event: 'login' | 'login failed' | 'logout';
  how: 'oidc' | 'password' | 'link' | 'session';
  /** Null: nobody that is known. */
  principal: Principal | null;
  /** Why it failed, for the log; never a part of a credential. */
  reason: string | null;
  remoteAddress: string;
}
