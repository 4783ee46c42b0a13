import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Discussion, Finding, FindingComment, PersonFinding } from '../../model/finding.ts';
import { Field, useSend } from '../forms.tsx';
import { FailureBox, Folded, SeverityLabel, Time, Untrusted } from '../parts.tsx';
import { abilities, nameOf, session } from '../session.ts';
import { say } from '../toast.tsx';
import type { ShownRfc } from './actions.ts';

interface Discussed {
  rfc: ShownRfc;
  reload(): void;
}

const SEVERITIES = ['medium', 'low', 'info'] as const satisfies PersonFinding['severity'][];

const NOTHING: Discussion = { findings: [], comments: [] };

/** Findings that people added, apart from findings of the gates: they move no verdict. */
export function PersonFindings({ rfc, reload }: Discussed) {
  const { findings } = rfc.discussion ?? NOTHING;
  const mayAdd = abilities.value.has('add-finding') && rfc.overall_status !== 'DRAFT';
  if (findings.length === 0 && !mayAdd) return null;
  return (
    <section aria-label="Findings by people">
      {findings.length > 0 && <h2>Findings by people: they move no verdict</h2>}
      <ol class="findings">
        {findings.map(({ finding_id: id, severity, message, file, line, by, at }) => (
          <li key={id} class="finding" tabIndex={-1}>
            <p>
              <SeverityLabel severity={severity} />{' '}
              <Untrusted text={nameOf({ email: null, ...by })} max={120} /> <Time at={at} />
            </p>
            <p>
              <Untrusted text={message} />
            </p>
            {file !== null && (
              <p class="place">
                <Untrusted text={line === null ? file : `${file}:${line}`} />
              </p>
            )}
            <Comments rfc={rfc} findingId={id} />
            <div class="actions">
              <Say rfc={rfc} findingId={id} reload={reload} />
            </div>
          </li>
        ))}
      </ol>
      {mayAdd && <AddFinding rfc={rfc} reload={reload} />}
    </section>
  );
}

/** What people say about a finding. */
export function Comments({ rfc, findingId }: { rfc: ShownRfc; findingId: string }) {
  const comments = commentsOn(rfc, findingId);
  if (comments.length === 0) return null;
  return (
    <ul class="history">
      {comments.map(({ comment_id: id, text, false_alarm: mark, by, at }) => (
        <li key={id}>
          <Untrusted text={nameOf({ email: null, ...by })} max={120} /> <Time at={at} />
          {mark !== undefined && <strong>, {mark ? 'a false alarm' : 'no false alarm'}</strong>}:{' '}
          <Untrusted text={text} />
        </li>
      ))}
    </ul>
  );
}

function commentsOn({ discussion = NOTHING }: ShownRfc, findingId: string): FindingComment[] {
  return discussion.comments.filter(({ finding_id: id }) => id === findingId);
}

/** Whether people say, by the last word, that a finding is a false alarm. */
function isFalseAlarm(rfc: ShownRfc, findingId: string): boolean {
  const marks = commentsOn(rfc, findingId).filter(({ false_alarm: mark }) => mark !== undefined);
  return marks.at(-1)?.false_alarm === true;
}

/** Says it beside the severity. */
export function FalseAlarmMark({ rfc, finding }: { rfc: ShownRfc; finding: Finding }) {
  if (!isFalseAlarm(rfc, finding.finding_id)) return null;
  return <span class="badge superseded">false alarm</span>;
}

/** A way to say something about a finding: anything, or whether it is a false alarm. */
export function Say(props: Discussed & { findingId: string; asks?: 'false alarm' }) {
  const { rfc, findingId, reload, asks } = props;
  const text = useSignal('');
  if (!abilities.value.has('comment') || rfc.overall_status === 'DRAFT') return null;
  const isMarked = isFalseAlarm(rfc, findingId);
  const mark = asks === undefined ? {} : { false_alarm: !isMarked };
  return (
    <Form
      rfc={rfc}
      reload={reload}
      path={`findings/${encodeURIComponent(findingId)}/comments`}
      title={asks === undefined ? 'Comment' : isMarked ? 'No false alarm' : 'False alarm'}
      body={() => (text.value.trim() === '' ? null : { text: text.value, ...mark })}
      clear={() => {
        text.value = '';
      }}
    >
      {asks !== undefined && (
        <p class="quiet">It counts in the figures of the rule. The verdict stays.</p>
      )}
      <Input title={asks === undefined ? 'Comment (plain text)' : 'Why'} rows={3} value={text} />
    </Form>
  );
}

/** Who was asked to decide, and a way to ask: the queue of that person holds the change then. */
export function AskToDecide({ rfc, reload }: Discussed) {
  const asked = useSignal('');
  const { requests = [] } = rfc.discussion ?? NOTHING;
  return (
    <section aria-label="Asked to decide">
      {requests.map(({ request_id: id, asked: name, by, at }) => (
        <p key={id} class="quiet">
          <Untrusted text={nameOf({ email: null, ...by })} max={80} /> asked{' '}
          <Untrusted text={name} max={120} /> <Time at={at} />
        </p>
      ))}
      {abilities.value.has('add-finding') && (
        <Form
          rfc={rfc}
          reload={reload}
          path="requests"
          title="Ask somebody else"
          body={() => (asked.value.trim() === '' ? null : { asked: asked.value.trim() })}
          clear={() => {
            asked.value = '';
          }}
        >
          <p class="quiet">
            {session.value?.decides} The change stands under “asked of me” in the queue of the
            person; nothing is mailed.
          </p>
          <Input title="E-mail address (id, of a person without one)" value={asked} />
        </Form>
      )}
    </section>
  );
}

function AddFinding({ rfc, reload }: Discussed) {
  const message = useSignal('');
  const severity = useSignal<PersonFinding['severity']>('low');
  const file = useSignal('');
  const line = useSignal('');
  const body = () => {
    if (message.value.trim() === '') return null;
    return {
      message: message.value,
      severity: severity.value,
      ...(file.value.trim() !== '' && { file: file.value.trim() }),
      ...(/^[1-9]\d*$/.test(line.value.trim()) && { line: Number(line.value) }),
    };
  };
  const clear = () => {
    for (const field of [message, file, line]) field.value = '';
  };
  return (
    <Form rfc={rfc} reload={reload} body={body} clear={clear} path="findings" title="Add a finding">
      <Input title="What is wrong" rows={3} value={message} />
      <Field
        title="Severity"
        options={SEVERITIES}
        value={severity.value}
        change={(chosen) => {
          severity.value = SEVERITIES.find((each) => each === chosen) ?? 'low';
        }}
      />
      <Input title="File" value={file} />
      <Input title="Line" value={line} />
    </Form>
  );
}

interface FormProps extends Discussed {
  title: string;
  /** Below `rfc/<id>/`. */
  path: string;
  /** Null: something is missing. */
  body(): Record<string, unknown> | null;
  clear(): void;
  children: ComponentChildren;
}

/** Reviews by models after the verdict, and a way to ask for another one: it can only add. */
export function Reviews({ rfc, reload }: Discussed) {
  const reason = useSignal('');
  const entries = rfc.review_history ?? [];
  const { overall_status: status } = rfc;
  const mayAsk = abilities.value.has('review') && !NEVER_REVIEWED.has(status);
  const hasTier = rfc.gates.llm.skip_reason !== 'no_tier';
  if (entries.length === 0 && !(mayAsk && hasTier)) return null;
  return (
    <section aria-label="Reviews">
      <h2>Reviews after the verdict</h2>
      <ul class="history">
        {entries.map((entry) => (
          <li key={entry.review_id}>
            <strong>{entry.result}</strong>{' '}
            {entry.skip_reason !== null && `(${entry.skip_reason.replaceAll('_', ' ')}) `}
            <Time at={entry.at} />, asked by{' '}
            {entry.principal === null ? (
              'the service'
            ) : (
              <Untrusted text={nameOf({ email: null, ...entry.principal })} max={120} />
            )}
            {entry.reason !== null && (
              <>
                : <Untrusted text={entry.reason} max={400} />
              </>
            )}
            <br />
            {entry.findings_added} findings added
            {entry.status_before !== entry.status_after &&
              `; ${entry.status_before} became ${entry.status_after}`}
          </li>
        ))}
      </ul>
      {mayAsk && hasTier && (
        <Form
          rfc={rfc}
          reload={reload}
          path="review"
          title="Ask for another review"
          body={() => (reason.value.trim() === '' ? null : { reason: reason.value.trim() })}
          clear={() => {
            reason.value = '';
          }}
        >
          <Input title="Why" rows={3} value={reason} />
        </Form>
      )}
    </section>
  );
}

const NEVER_REVIEWED: ReadonlySet<string> = new Set(['DRAFT', 'REJECTED', 'SUPERSEDED']);

/** A folded form that adds something to an RFC; sent twice it is added once. */
function Form({ rfc, reload, title, path, body, clear, children }: FormProps) {
  const { isSending, failure, send } = useSend<unknown>();
  const add = async (form: HTMLFormElement) => {
    const given = body();
    if (given === null) {
      form.querySelector<HTMLElement>('textarea, input')?.focus();
      return;
    }
    const to = `rfc/${encodeURIComponent(rfc.rfc_id)}/${path}`;
    if ((await send(to, { method: 'POST', body: given })) === null) return;
    clear();
    const folded = form.closest('details');
    if (folded !== null) folded.open = false;
    folded?.querySelector('summary')?.focus();
    say('Added to the change');
    reload();
  };
  return (
    <Folded title={title}>
      {() => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void add(event.currentTarget);
          }}
        >
          {children}
          {failure.value !== null && <FailureBox failure={failure.value} />}
          <button type="submit">{isSending.value ? 'Sending…' : title}</button>
        </form>
      )}
    </Folded>
  );
}

/** A field that writes to a signal. */
function Input({ value, ...rest }: { title: string; value: Signal<string>; rows?: number }) {
  return <Field {...rest} value={value.value} change={(text) => (value.value = text)} />;
}
