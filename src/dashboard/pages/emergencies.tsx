import { useSignal } from '@preact/signals';
import type { Decision } from '../../model/records.ts';
import { FailureBox, ReasonField, reasonProblem, Time, Untrusted, useSend } from '../parts.tsx';
import { abilities, session } from '../session.ts';
import { OLD, type ShownRfc } from './decide.tsx';

interface ReviewProps {
  rfc: ShownRfc;
  /** The RFC has changed since this page read it. */
  isOld: boolean;
  reload(): void;
}

/** What became of an emergency override, or the way for another person to review it. */
export function EmergencyReview({ rfc, isOld, reload }: ReviewProps) {
  const { emergency, override_history: history, overall_status } = rfc;
  const made = history.find(({ decision_id: id }) => id === emergency?.decision_id);
  if (emergency === undefined || made === undefined) return null;
  const { review, due_at } = emergency;
  if (review !== 'due') {
    const by = history.findLast(({ action }) => action === REVIEWED[review].action);
    return by === undefined ? null : <Reviewed text={REVIEWED[review].text} by={by} />;
  }
  if (overall_status !== 'OVERRIDDEN') return null;
  const isLate = Date.parse(due_at) <= Date.now();
  return (
    <section class={isLate ? 'box problem' : 'box warning'} aria-label="Emergency">
      <h2>Emergency: another person has to review this override</h2>
      <p>
        <Untrusted text={made.actor} max={120} /> overrode it <Time at={made.at} />: “
        <Untrusted text={made.reason} max={400} />
        ”. The review {isLate ? 'was' : 'is'} due <Time at={due_at} />.
      </p>
      <ReviewForm made={made} rfc={rfc} isOld={isOld} reload={reload} />
    </section>
  );
}

const REVIEWED = {
  confirmed: { action: 'confirm', text: 'It was confirmed' },
  objected: { action: 'object', text: 'It was objected to, and taken back,' },
  rejected: { action: 'reject', text: 'It was rejected before it was reviewed,' },
} as const;

function Reviewed({ text, by }: { text: string; by: Decision }) {
  return (
    <p role="status">
      This was an emergency override. {text} by <Untrusted text={by.actor} max={120} />{' '}
      <Time at={by.at} />: “<Untrusted text={by.reason} max={400} />”
    </p>
  );
}

/** Whether the person at the page made the override, as the service compares it. */
function isOwn({ principal }: Decision): boolean {
  const person = session.value;
  if (person === null || principal.tenant_id !== person.tenant_id) return false;
  const address = principal.email?.toLowerCase();
  const isSameAddress = address !== undefined && address === person.email?.toLowerCase();
  return principal.id === person.id || isSameAddress;
}

function ReviewForm({ made, ...shown }: ReviewProps & { made: Decision }) {
  if (session.value === null) return null;
  if (isOwn(made)) return <p>You made this override, so another person has to review it.</p>;
  if (abilities.value.has('override')) return <Form {...shown} />;
  return (
    <p>
      Your role ({session.value.role}) may not review it. {session.value.decides}
    </p>
  );
}

function Form({ rfc, isOld, reload }: ReviewProps) {
  const reason = useSignal('');
  const problem = useSignal<string | null>(null);
  const { send, failure, isSending } = useSend<object>();
  const review = async (outcome: 'confirm' | 'object') => {
    problem.value = isOld ? OLD : reasonProblem(reason.value);
    if (problem.value !== null) return;
    const done = await send(`rfc/${encodeURIComponent(rfc.rfc_id)}/review-emergency`, {
      method: 'POST',
      body: { outcome, reason: reason.value.trim() },
      headers: { 'If-Match': `"${rfc.rev}"` },
    });
    const status = failure.value?.status;
    if (done !== null || status === 409 || status === 412) reload();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void review('confirm');
      }}
    >
      <ReasonField
        id="review-reason"
        value={reason.value}
        change={(text) => {
          reason.value = text;
        }}
      />
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {failure.value !== null && <FailureBox failure={failure.value} />}
      <p class="actions">
        <button type="submit">{isSending.value ? 'Sending…' : 'Confirm the override'}</button>
        <button type="button" onClick={() => void review('object')}>
          Object: take it back
        </button>
      </p>
    </form>
  );
}
