import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Ask, ask, type Failure, isSessionOver, offlineSince } from './api.ts';

/** Fields, and what is sent by forms. */

/** How a field looks: a line, unless it has rows or options. */
export interface FieldKind {
  type?: 'text' | 'search' | 'date';
  rows?: number;
  /** To choose from; '' stands as "all". */
  options?: readonly string[];
  isCode?: boolean;
  id?: string;
}

interface FieldProps extends FieldKind {
  title: ComponentChildren;
  value: string;
  change(value: string): void;
}

/** A field with its title. */
export function Field(props: FieldProps) {
  const { title, value, change, type = 'text', rows, options, isCode = false, id } = props;
  const common = {
    ...(id !== undefined && { id }),
    ...(isCode && { class: 'code', spellcheck: false }),
    value,
    onInput: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of three controls is inside.
    <label>
      {title}
      {options !== undefined ? (
        <select {...common}>
          {options.map((each) => (
            <option key={each} value={each}>
              {each === '' ? 'all' : each}
            </option>
          ))}
        </select>
      ) : rows !== undefined ? (
        <textarea rows={rows} {...common} />
      ) : (
        <input type={type as 'text'} autocomplete="off" spellcheck={false} {...common} />
      )}
    </label>
  );
}

/** Characters (code points, trimmed) that this page asks of a reason. */
const REASON_CHARS_MIN = 20;

/** The reason of a decision, with how much of it there is. */
export function ReasonField(props: { value: string; change(value: string): void; id?: string }) {
  const length = [...props.value.trim()].length;
  const title = `Reason (${length} of ${REASON_CHARS_MIN}+ characters, kept for good)`;
  return <Field {...props} title={title} rows={4} />;
}

/** Why a decision with this reason cannot be sent now, in a sentence; null: it can. */
export function reasonProblem(reason: string): string | null {
  if (offlineSince.value !== null) return 'The service does not answer, so nothing is sent.';
  if (isSessionOver.value) return 'The session is over: log in again. Your text is kept.';
  if ([...reason.trim()].length >= REASON_CHARS_MIN) return null;
  return `The reason needs at least ${REASON_CHARS_MIN} characters.`;
}

/** Sends a form, one request at a time; the same content sent again is the same operation. */
export function useSend<T>() {
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const key = useSignal({ of: '', value: '' });
  return {
    isSending,
    failure,
    /** What the service answered; null: it did not, and `failure` says why, or one is under way. */
    async send(path: string, { headers, ...asked }: Ask): Promise<T | null> {
      if (isSending.value) return null;
      const of = JSON.stringify([path, asked.body]);
      if (key.value.of !== of) key.value = { of, value: crypto.randomUUID() };
      isSending.value = true;
      const reply = await ask<T>(path, {
        ...asked,
        headers: { 'Idempotency-Key': key.value.value, ...headers },
      });
      isSending.value = false;
      failure.value = reply.kind === 'failure' ? reply : null;
      return reply.kind === 'data' ? reply.data : null;
    },
  };
}

/** What somebody typed about an RFC, kept until it is decided or the person logs out. */
export interface Draft {
  reason: string;
  typed: string;
  acceptFindings: boolean;
  /** The day on which that ends, YYYY-MM-DD; empty: never. */
  expiresAt: string;
  /** `Idempotency-Key` of this decision; another text gets another key. */
  key: string;
}

const PREFIX = 'cra-draft ';

/** The draft of an RFC; an empty one when it is absent. */
export function readDraft(rfcId: string): Draft {
  const text = rfcId === '' ? null : sessionStorage.getItem(PREFIX + rfcId);
  const key = crypto.randomUUID();
  const empty: Draft = { reason: '', typed: '', acceptFindings: false, expiresAt: '', key };
  if (text === null) return empty;
  try {
    return { ...empty, ...(JSON.parse(text) as Partial<Draft>) };
  } catch {
    return empty;
  }
}

/** Keeps a draft. It may hold what nobody else should read, so it stays in this tab. */
export function saveDraft(rfcId: string, draft: Draft): void {
  const known = readDraft(rfcId);
  const fields = ['reason', 'typed', 'acceptFindings', 'expiresAt'] as const;
  const isSame = fields.every((name) => known[name] === draft[name]);
  if (isSame) return;
  draft.key = crypto.randomUUID();
  sessionStorage.setItem(PREFIX + rfcId, JSON.stringify(draft));
}

/** Forgets the draft of an RFC that was decided. */
export function clearDraft(rfcId: string): void {
  sessionStorage.removeItem(PREFIX + rfcId);
}
