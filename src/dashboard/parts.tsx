import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Severity } from '../model/finding.ts';
import type { RfcStatus } from '../model/rfc.ts';
import { type Failure, isSessionOver, offlineSince } from './api.ts';
import { isUtc } from './settings.ts';

/** Small parts that several pages share. */

const SHAPES: Readonly<Record<Severity, string>> = {
  critical: '◆',
  high: '▲',
  medium: '■',
  low: '●',
  info: '○',
};

/** A severity as word, shape and colour, so that none of them is needed to read it. */
export function SeverityLabel({ severity }: { severity: Severity }) {
  return (
    <span class={`severity ${severity}`}>
      <span aria-hidden="true">{SHAPES[severity]}</span> {severity}
    </span>
  );
}

/** The status of an RFC as word and colour. */
export function StatusLabel({ status }: { status: RfcStatus }) {
  return <span class={`status ${status.toLowerCase()}`}>{status}</span>;
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

/** A time as people say it, with the exact one in UTC on top; or that one, by the switch. */
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

/** What went wrong, what to quote when asking for help, and another try. */
export function FailureBox({ failure, retry }: { failure: Failure; retry?: () => void }) {
  return (
    <div class="box problem" role="alert">
      <p>{failure.error}</p>
      {failure.requestId !== null && (
        <p class="quiet">
          Request <code>{failure.requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
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

/** A group that is folded, and whose content is not made before it is opened. */
export function Folded(props: {
  title: ComponentChildren;
  isOpen?: boolean;
  children: () => ComponentChildren;
}) {
  const { title, isOpen = false, children } = props;
  const open = useSignal(isOpen);
  return (
    <details
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      {open.value && children()}
    </details>
  );
}

/** The way to the older rows of a list; absent at its end. */
export function OlderButton({ list }: { list: { hasOlder: boolean; loadOlder(): Promise<void> } }) {
  if (!list.hasOlder) return null;
  return (
    <p class="actions">
      <button type="button" onClick={() => void list.loadOlder()}>
        Show older
      </button>
    </p>
  );
}

/** Characters (code points, trimmed) that this page asks of a reason. */
const REASON_CHARS_MIN = 20;

/** The reason of a decision, with how much of it there is. */
export function ReasonField({ value, change }: { value: string; change(value: string): void }) {
  return (
    <label>
      Reason ({[...value.trim()].length} of {REASON_CHARS_MIN}+ characters, kept for good)
      <textarea
        id="reason"
        rows={4}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}

/** Why a decision with this reason cannot be sent now, in a sentence; null: it can. */
export function reasonProblem(reason: string): string | null {
  if (offlineSince.value !== null) return 'The service does not answer, so nothing is sent.';
  if (isSessionOver.value) return 'The session is over: log in again. Your text is kept.';
  if ([...reason.trim()].length >= REASON_CHARS_MIN) return null;
  return `The reason needs at least ${REASON_CHARS_MIN} characters.`;
}

/** A POST to the API as a command; the token stays a variable. */
export function Curl({ path, body }: { path: string; body: Readonly<Record<string, unknown>> }) {
  const command = [
    `curl -X POST "${location.origin}/api/cra/${path}"`,
    '-H "Authorization: Bearer $CRA_OVERRIDE_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n  ');
  return (
    <details>
      <summary>As curl</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the focus. */}
      <pre tabIndex={0}>{command}</pre>
    </details>
  );
}
