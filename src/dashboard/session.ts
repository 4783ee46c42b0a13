import { computed, signal } from '@preact/signals';
import type { Provider } from '../model/push.ts';
import type { RfcStatus } from '../model/rfc.ts';
import { ask, type Failure, isSessionOver } from './api.ts';
import { route } from './route.ts';

/** What a person may do, as the service decides it again with every request. */
type Ability =
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
  /** Git hosts that have pages: what links lead to. */
  hosts: { id: string; provider: Provider; url: string }[];
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

/** The state of the service in a few numbers (`GET pulse`). */
export interface Pulse {
  counts: Record<RfcStatus, number>;
  /** A count that is as high stands for more. */
  counts_max: number;
  /** Another text when there is a newer RFC. */
  newest: string | null;
  oldest_blocked_at: string | null;
  /** Null: nothing is pushed here. */
  pushes_waiting: number | null;
  /** Reviews of emergency overrides that are due, overdue ones included. */
  emergencies: { due: number; overdue: number };
  /** Parts of the service that are not up. */
  problems: string[];
  version: string;
  /** Of the RFC that was asked for; null when absent. */
  rfc: { rfc_id: string; rev: number; overall_status: RfcStatus } | null;
}

/** The newest pulse; null before the first one. */
export const pulse = signal<Pulse | null>(null);

/** How many RFCs have a status: `7`, or `1000+`. */
export function counted({ counts, counts_max: most }: Pulse, status: RfcStatus): string {
  return counts[status] >= most ? `${most}+` : String(counts[status]);
}

/** Between two questions while somebody uses the page, and at most where no answer comes. */
const BUSY_MS = 2_000;
const BUSY_BACKOFF_MAX_MS = 8_000;
/** The same after 5 minutes without use. */
const IDLE_MS = 15_000;
const IDLE_BACKOFF_MAX_MS = 60_000;
const IDLE_AFTER_MS = 5 * 60_000;

let lastInputAt = Date.now();
for (const type of ['keydown', 'pointerdown', 'pointermove', 'scroll'] as const) {
  addEventListener(type, () => (lastInputAt = Date.now()), { passive: true, capture: true });
}

/** Asks for the pulse for as long as the page is open; a hidden page does not ask. */
export function startPulse(): void {
  let failures = 0;
  let etag: string | null = null;
  let asked = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  const beat = async () => {
    clearTimeout(timer);
    if (document.hidden || isSessionOver.value) return;
    const { page, rest } = route.value;
    const path = page === 'rfc' ? `pulse?rfc=${encodeURIComponent(rest)}` : 'pulse';
    if (path !== asked) etag = null;
    asked = path;
    const reply = await ask<Pulse>(path, { isBackground: true, etag });
    failures = reply.kind === 'failure' ? failures + 1 : 0;
    if (reply.kind === 'data') {
      etag = reply.etag;
      pulse.value = reply.data;
    }
    // A session that asks by itself forever would defeat its idle limit; the service ends it.
    const isUsed = Date.now() - lastInputAt < IDLE_AFTER_MS;
    const rhythm = isUsed ? BUSY_MS : IDLE_MS;
    const most = isUsed ? BUSY_BACKOFF_MAX_MS : IDLE_BACKOFF_MAX_MS;
    const backoff = Math.min(most, rhythm * 2 ** failures);
    timer = setTimeout(
      () => void beat(),
      failures === 0 ? rhythm : backoff * (0.5 + Math.random() / 2),
    );
  };
  document.addEventListener('visibilitychange', () => void beat());
  addEventListener('hashchange', () => void beat());
  void beat();
}
