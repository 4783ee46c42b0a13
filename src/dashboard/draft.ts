import { type Signal, signal, useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';

/** What somebody typed about an RFC, kept until it is decided or the person logs out. */
export interface Draft {
  reason: string;
  typed: string;
  /** Whether the decision accepts all of its findings, or the findings with these ids. */
  accept_findings: boolean | string[];
  /** The day on which that ends, YYYY-MM-DD; empty: never. */
  expires_at: string;
  /** Somebody else has to review the override. */
  emergency: boolean;
  /** `Idempotency-Key` of this decision; another text gets another key. */
  key: string;
}

const DAY_MS = 24 * 3_600_000;

/** The day after so many days, as `expires_at` has it. */
export function dayAhead(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

const PREFIX = 'cra-draft ';

/**
 * The draft of an RFC, kept in this tab whenever it changes; the caller is not rendered again for
 * that.
 */
export function useDraft(rfcId: string): Signal<Draft> {
  const [draft] = useState(() => signal(readDraft(rfcId)));
  useSignalEffect(() => saveDraft(rfcId, draft.value));
  return draft;
}

/** The draft of an RFC; an empty one when it is absent. */
export function readDraft(rfcId: string): Draft {
  const text = rfcId === '' ? null : sessionStorage.getItem(PREFIX + rfcId);
  const key = crypto.randomUUID();
  const texts = { reason: '', typed: '', expires_at: '', key };
  const empty: Draft = { ...texts, accept_findings: false, emergency: false };
  if (text === null) return empty;
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Draft>) };
  } catch {
    return empty;
  }
}

/** Keeps a draft. It may hold what nobody else should read, so it stays in this tab. */
function saveDraft(rfcId: string, draft: Draft): void {
  const known = readDraft(rfcId);
  const fields = ['reason', 'typed', 'accept_findings', 'expires_at', 'emergency'] as const;
  const isSame = fields.every((name) => String(known[name]) === String(draft[name]));
  if (isSame) return;
  draft.key = crypto.randomUUID();
  sessionStorage.setItem(PREFIX + rfcId, JSON.stringify(draft));
}

/** Forgets the draft of an RFC that was decided. */
export function clearDraft(rfcId: string): void {
  sessionStorage.removeItem(PREFIX + rfcId);
}
