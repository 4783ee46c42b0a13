import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Severity } from '../model/finding.ts';
import type { RfcSummary } from '../model/records.ts';
import type { RfcStatus } from '../model/rfc.ts';
import { type Failure, offlineSince } from './api.ts';
import { Icon, type IconName } from './icons.tsx';
import { type AnyFinding, countedBySeverity, isGrave, openFindings } from './row.ts';

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
      <Icon name={severity} />
      {severity}
    </span>
  );
}

/** How many findings there are of each severity that there is. */
export function SeverityBadges({ findings }: { findings: readonly AnyFinding[] }) {
  return (
    <>
      {countedBySeverity(findings).map(([severity, count]) => (
        <span key={severity} class={`badge ${severity}`} title={severity}>
          <Icon name={severity} />
          {count}
          <span class="unseen">{` ${severity}`}</span>
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
      <Icon name={name} />
      {status}
    </span>
  );
}

/** The first line of the commit message, or the id where the message is empty. */
export function ChangeTitle({ row }: { row: Pick<RfcSummary, 'rfc_id' | 'commit_message'> }) {
  const [line = ''] = row.commit_message.trim().split('\n');
  return line === '' ? row.rfc_id : <Untrusted text={line} max={120} />;
}

/** The worst finding in words, and how many more there are; `3 below high`; or nothing. */
export function WorstFinding({ row }: { row: RfcSummary }) {
  const open = openFindings(row);
  const [worst, ...others] = open.filter(isGrave);
  if (worst === undefined) return <>{open.length === 0 ? '' : `${open.length} below high`}</>;
  return (
    <>
      <Words text={worst.title ?? worst.message} max={120} />{' '}
      <span class="quiet">
        <code>{worst.id}</code>
        {others.length > 0 && ` +${others.length}`}
      </span>
    </>
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
      <rect width={width} height="10" />
    </svg>
  );
}
