import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Severity } from '../model/finding.ts';
import type { RfcStatus } from '../model/rfc.ts';
import { type Ask, ask, type Failure, isSessionOver, offlineSince } from './api.ts';
import { Icon, type IconName } from './icons.tsx';
import { type AnyFinding, countedBySeverity } from './row.ts';

/** Small parts that several pages share. */

/**
 * Characters that change how text is read without being seen: controls, bidirectional marks,
 * zero-width characters, byte order marks, tags (Unicode, "Source code spoofing", UTS 55).
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Characters of one text that are shown; more are counted. */
const CHARS_MAX = 4_000;

/** Text that comes from a change or its author: shown as it is stored, never as markup. */
export function Untrusted({ text, max = CHARS_MAX }: { text: string; max?: number }) {
  const shown = text.length > max ? text.slice(0, max) : text;
  const parts: (string | { mark: string })[] = [];
  let end = 0;
  for (const match of shown.matchAll(INVISIBLE)) {
    parts.push(shown.slice(end, match.index), { mark: codePoint(match[0]) });
    end = match.index + match[0].length;
  }
  parts.push(shown.slice(end));
  return (
    <bdi>
      {parts.map((part) =>
        typeof part === 'string' ? part : <span class="mark">{part.mark}</span>,
      )}
      {text.length > max && <span class="mark">{text.length - max} more characters</span>}
    </bdi>
  );
}

/** `U+202E`. */
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Text in lines, in a box that scrolls; `text` may come from anybody. */
export function Pre({ text, max, kind }: { text: string; max?: number; kind?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <pre tabIndex={0} {...(kind !== undefined && { class: kind })}>
      <Untrusted text={text} {...(max !== undefined && { max })} />
    </pre>
  );
}

/** A sentence of the service: what stands between backticks quotes the change. */
export function Words({ text, max = CHARS_MAX }: { text: string; max?: number }) {
  const parts = text.slice(0, max).split(/`([^`]*)`/);
  return (
    <>
      {parts.map((part, index) => {
        const shown = <Untrusted key={index} text={part} />;
        return index % 2 === 1 ? <code key={index}>{shown}</code> : shown;
      })}
      {text.length > max && <span class="mark">{text.length - max} more characters</span>}
    </>
  );
}

/** A severity as word, shape and colour, so that none of them is needed to read it. */
export function SeverityLabel({ severity }: { severity: Severity }) {
  return (
    <span class={`badge severity ${severity}`}>
      <Icon name={severity} /> {severity}
    </span>
  );
}

/** How many findings there are of each severity that there is. */
export function SeverityBadges({ findings }: { findings: readonly AnyFinding[] }) {
  return (
    <>
      {countedBySeverity(findings).map(([severity, count]) => (
        <span key={severity} class={`badge ${severity}`} title={severity}>
          <Icon name={severity} /> {count}
          <span class="unseen"> {severity}</span>
        </span>
      ))}
    </>
  );
}

/** The status of an RFC as word, shape and colour. */
export function StatusLabel({ status }: { status: RfcStatus }) {
  const name = status.toLowerCase() as IconName;
  return (
    <span class={`badge status ${name}`}>
      <Icon name={name} /> {status}
    </span>
  );
}

const UTC = 'cra-utc';
/** Whether times stand as UTC instead of relative to now: what the person chose here. */
export const isUtc = signal(localStorage.getItem(UTC) !== null);

/** Changes between relative times and UTC. */
export function switchUtc(): void {
  isUtc.value = !isUtc.value;
  if (isUtc.value) localStorage.setItem(UTC, '1');
  else localStorage.removeItem(UTC);
}

/** Now, for relative times; moves once a minute. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 60_000);

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** A time as people say it, with the exact time in UTC on top; or the exact time, by the switch. */
export function Time({ at }: { at: string }) {
  if (isUtc.value) return <time dateTime={at}>{at.slice(0, 16).replace('T', ' ')} UTC</time>;
  const seconds = (Date.parse(at) - now.value) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const text = unit === 'second' ? 'just now' : RELATIVE.format(Math.round(seconds / size), unit);
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {text}
    </time>
  );
}

/** Shown while a reply is pending; visible only after 200 ms. */
export function Loading({ what = '' }: { what?: string }) {
  return (
    <div class="quiet late">
      <p>Loading{what === '' ? '' : ` ${what}`}…</p>
      <div class="skeleton" aria-hidden="true" />
    </div>
  );
}

/** Stands where there is nothing yet, and says what will be there. */
export function Empty({
  icon = 'draft',
  children,
}: {
  icon?: IconName;
  children: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** What went wrong, what to quote when asking for help, and another try. */
export function FailureBox({ failure, retry }: { failure: Failure; retry?: () => void }) {
  const { error, requestId, retryAfterSeconds: wait } = failure;
  return (
    <div class="box problem" role="alert">
      <p>
        {error}
        {wait !== null && ` (try again in ${wait} s)`}
      </p>
      {requestId !== null && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={() => retry()}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that the data on the page is old. */
export function OfflineBar() {
  if (offlineSince.value === null) return null;
  const at = new Date(offlineSince.value).toISOString();
  return (
    <div class="bar problem" role="status">
      The service does not answer (<Time at={at} />
      ). What is shown may be old, and decisions are off.
    </div>
  );
}

/** A line of a list of facts. */
export function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A group that is folded, and whose content is not made before it is opened. */
export function Folded(props: {
  title: ComponentChildren;
  isOpen?: boolean;
  kind?: string;
  children: () => ComponentChildren;
}) {
  const { title, isOpen = false, kind, children } = props;
  const open = useSignal(isOpen);
  return (
    <details
      open={open.value}
      {...(kind !== undefined && { class: kind })}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      {open.value && children()}
    </details>
  );
}

/** A bar as long as its share of `most`; it stands beside its number, which screen readers read. */
export function Bar({ value, most, kind = '' }: { value: number; most: number; kind?: string }) {
  const width = most <= 0 ? 0 : Math.min(100, (100 * value) / most);
  return (
    <svg
      class={`bar-chart ${kind}`}
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="rail" width="100" height="10" />
      <rect width={width} height="10" />
    </svg>
  );
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
