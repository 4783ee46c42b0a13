/** What somebody typed about an RFC, kept until it is decided or the person logs out. */
export interface Draft {
  reason: string;
  typed: string;
  acceptFindings: boolean;
  /** `Idempotency-Key` of this decision; another text gets another key. */
  key: string;
}

const PREFIX = 'cra-draft ';

/** The draft of an RFC; an empty one when it is absent. */
export function readDraft(rfcId: string): Draft {
  const text = rfcId === '' ? null : sessionStorage.getItem(PREFIX + rfcId);
  const empty: Draft = { reason: '', typed: '', acceptFindings: false, key: crypto.randomUUID() };
  if (text === null) return empty;
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Draft>) };
  } catch {
    return empty;
  }
}

/** Keeps a draft. It may hold what nobody else should read, so it stays in this tab. */
export function saveDraft(rfcId: string, draft: Draft): void {
  const { reason, typed, acceptFindings } = readDraft(rfcId);
  const isSame =
    reason === draft.reason && typed === draft.typed && acceptFindings === draft.acceptFindings;
  if (isSame) return;
  draft.key = crypto.randomUUID();
  sessionStorage.setItem(PREFIX + rfcId, JSON.stringify(draft));
}

/** Forgets the draft of an RFC that was decided. */
export function clearDraft(rfcId: string): void {
  sessionStorage.removeItem(PREFIX + rfcId);
}
