import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Ask, ask, type Failure, isSessionOver, offlineSince } from './api.ts';
import { Folded, Pre } from './parts.tsx';

/** Fields, and requests that forms send. */

/** How a field looks: a line, unless it has rows or options. */
export interface FieldKind {
  type?: 'text' | 'search' | 'date';
  rows?: number;
  /** To choose from; '' stands as "all". */
  options?: readonly string[];
  isCode?: boolean;
  id?: string;
  placeholder?: string;
}

interface FieldProps extends FieldKind {
  title: ComponentChildren;
  value: string;
  change(value: string): void;
}

/** A field with its title. */
export function Field(props: FieldProps) {
  const { title, value, change, type = 'text', rows, options, isCode = false, id } = props;
  const { placeholder } = props;
  const common = {
    ...(id !== undefined && { id }),
    ...(placeholder !== undefined && { placeholder }),
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

/** A box to tick, with what that means. */
export function Tick(props: { title: string; value: boolean; change(value: boolean): void }) {
  const { title, value, change } = props;
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={value}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {title}
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

/** A POST to the API as a command; the token stays a variable. */
export function Curl({ path, body }: { path: string; body: Readonly<Record<string, unknown>> }) {
  const command = [
    `curl -X POST "${location.origin}/api/cra/${path}"`,
    '-H "Authorization: Bearer $CRA_OVERRIDE_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n  ');
  return <Folded title="As curl">{() => <Pre text={command} max={200_000} />}</Folded>;
}
