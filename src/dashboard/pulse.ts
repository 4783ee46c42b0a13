import { signal } from '@preact/signals';
import type { RfcStatus } from '../model/rfc.ts';
import { ask, isSessionOver } from './api.ts';
import { route } from './route.ts';

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
  /** Parts of the service that are not up. */
  problems: string[];
  version: string;
  /** Of the RFC that was asked for; null: there is none. */
  rfc: { rfc_id: string; rev: number; overall_status: RfcStatus } | null;
}

/** The newest pulse; null before the first one. */
export const pulse = signal<Pulse | null>(null);

/** How many RFCs have a status: `7`, or `1000+`. */
export function counted({ counts, counts_max: most }: Pulse, status: RfcStatus): string {
  return counts[status] >= most ? `${most}+` : String(counts[status]);
}

/** Between two questions while somebody uses the page, after 5 minutes without, and at most. */
const BUSY_MS = 2_000;
const IDLE_MS = 15_000;
const BACKOFF_MAX_MS = 60_000;
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
    const rhythm = Date.now() - lastInputAt < IDLE_AFTER_MS ? BUSY_MS : IDLE_MS;
    const backoff = Math.min(BACKOFF_MAX_MS, rhythm * 2 ** failures);
    timer = setTimeout(
      () => void beat(),
      failures === 0 ? rhythm : backoff * (0.5 + Math.random() / 2),
    );
  };
  document.addEventListener('visibilitychange', () => void beat());
  addEventListener('hashchange', () => void beat());
  void beat();
}
