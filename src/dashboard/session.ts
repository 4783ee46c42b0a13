import { computed, signal } from '@preact/signals';
import { ask, type Failure, isSessionOver } from './api.ts';

/** What a person may do, as the service decides it again with every request. */
export type Ability =
  | 'override'
  | 'approve'
  | 'reject'
  | 'review'
  | 'add-finding'
  | 'comment'
  | 'end-acceptance'
  | 'audit'
  | 'bulk-override'
  | 'delete'
  | 'rules';

/** The person at the browser (`GET auth/session`). */
export interface Session {
  id: string;
  name: string | null;
  email: string | null;
  role: string;
  tenant_id: string;
  /** `off`: development mode, where everybody may do what no token protects. */
  auth: 'on' | 'off';
  can: Ability[];
  /** Who may decide, in a sentence. */
  decides: string;
  /** Nobody may let a change of their own pass. */
  four_eyes: boolean;
  /** When the session ends unless it is used, and when it ends anyway; null: it does not. */
  idle_ends_at: string | null;
  ends_at: string | null;
}

export const session = signal<Session | null>(null);
export const sessionFailure = signal<Failure | null>(null);

export const abilities = computed(() => new Set(session.value?.can ?? []));

/** Reads who is logged in; goes to the login page, and back to this view, when nobody is. */
export async function loadSession(): Promise<void> {
  const reply = await ask<Session>('auth/session');
  if (reply.kind === 'data') {
    session.value = reply.data;
    sessionFailure.value = null;
  } else if (reply.kind === 'failure' && reply.status === 401) {
    location.assign(loginUrl());
  } else if (reply.kind === 'failure') {
    sessionFailure.value = reply;
  }
}

const REFRESH_MS = 60_000;

/** Reads the session again while the page is open, so that its end is known before a decision. */
export function watchSession(): void {
  setInterval(async () => {
    if (document.hidden || isSessionOver.value || session.value?.ends_at == null) return;
    const reply = await ask<Session>('auth/session', { isBackground: true });
    if (reply.kind === 'data') session.value = reply.data;
    if (reply.kind === 'failure' && reply.status === 401) isSessionOver.value = true;
  }, REFRESH_MS);
}

const WARNED_MS = 5 * 60_000;

/** When the session ends, if that is soon. */
export function endsSoon(): string | null {
  const { idle_ends_at: idle = null, ends_at: last = null } = session.value ?? {};
  const [end] = [idle, last].filter((each) => each !== null).sort();
  return end !== undefined && Date.parse(end) - Date.now() < WARNED_MS ? end : null;
}

/** The login page, which leads back to the view that is open now. */
export function loginUrl(): string {
  const view = `/cra${location.hash}`;
  return `/api/cra/auth/login?return_to=${encodeURIComponent(view)}`;
}

/** Ends the session here and, where there is one, with the identity provider. */
export async function logOut(): Promise<void> {
  sessionStorage.clear();
  const reply = await ask<{ logout_url: string | null }>('auth/logout', { method: 'POST' });
  const url = reply.kind === 'data' ? reply.data.logout_url : null;
  location.assign(url ?? '/api/cra/auth/login?return_to=%2Fcra');
}

/** How a person is named on the page. */
export function nameOf({ name, email, id }: Pick<Session, 'name' | 'email' | 'id'>): string {
  return name ?? email ?? id;
}
