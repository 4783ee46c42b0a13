import { type Signal, useSignal } from '@preact/signals';
import type { RfcSummary } from '../../model/records.ts';
import { ask, type Failure, type Loaded } from '../api.ts';
import { clearDraft, type Draft, readDraft } from '../draft.ts';
import { Curl, Field, ReasonField, reasonProblem, Tick } from '../forms.tsx';
import { FailureBox, Folded, StatusLabel, Time, Untrusted } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import { isGrave, openFindings } from '../row.ts';
import { abilities, nameOf, pulse, session } from '../session.ts';
import type { Action, Related, ShownRfc } from './actions.ts';
import { Consequences } from './consequences.tsx';
import { AskToDecide } from './remarks.tsx';

interface Decided {
  overall_status: ShownRfc['overall_status'];
  audit: { chain: string; seq: number };
}

interface PanelProps {
  rfc: ShownRfc;
  draft: Signal<Draft>;
  related: Loaded<Related>;
  /** The RFC has changed since this page read it. */
  isOld: boolean;
  reload(): void;
}

/** What a person may decide about an RFC, what follows from it, and the way to do it. */
export function DecisionPanel({ rfc, draft, related, isOld, reload }: PanelProps) {
  const done = useSignal<Decided | null>(null);
  // Here, as the form begins again when somebody else's decision is shown.
  const failure = useSignal<Failure | null>(null);
  /** In a narrow window, where the panel is a bar at the bottom until somebody opens it. */
  const isOpen = useSignal(false);
  const actions = actionsFor(rfc);
  const person = session.value;
  if (person === null) return null;
  const allowed = actions.filter((action) => abilities.value.has(action));
  const form = () => (
    <DecisionForm
      key={`${rfc.rfc_id} ${rfc.overall_status}`}
      rfc={rfc}
      draft={draft}
      related={related}
      isOld={isOld}
      reload={reload}
      failure={failure}
      actions={allowed}
      onDone={(decided) => {
        done.value = decided;
        reload();
      }}
    />
  );
  return (
    <aside class={`box decide ${isOpen.value ? 'open' : ''}`} aria-label="Decision">
      <header>
        <h2>
          Decide as <bdi>{nameOf(person)}</bdi>
        </h2>
        <NextBlocked after={rfc.rfc_id} />
        <button
          type="button"
          class="narrow"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Close' : 'Decide'}
        </button>
      </header>
      <div class="decide-body">
        {done.value !== null && <Done decided={done.value} />}
        {failure.value !== null && <Failed failure={failure.value} rfc={rfc} />}
        {rfc.overall_status === 'DRAFT' && (
          <p>The review still runs. This page shows the verdict when it is there.</p>
        )}
        {isOwn(rfc) && (
          <p class="severity medium">
            This is your own change.
            {person.four_eyes && ' Somebody else has to let it pass.'}
          </p>
        )}
        {allowed.length === 0 ? (
          <NotAllowed actions={actions} />
        ) : rfc.overall_status === 'BLOCKED' ? (
          form()
        ) : (
          <Folded key={rfc.overall_status} title={`${allowed.map(nameOfAction).join(' or ')} it`}>
            {form}
          </Folded>
        )}
        {rfc.overall_status === 'BLOCKED' && <AskToDecide rfc={rfc} reload={reload} />}
        {actions[0] !== undefined && (
          <Curl
            path={pathOf(rfc, actions[0])}
            body={bodyOf(rfc, actions[0], { ...readDraft(''), reason: 'YOUR REASON' })}
          />
        )}
        {abilities.value.has('delete') && <Deletion rfc={rfc} />}
      </div>
    </aside>
  );
}

/** Whether the person at the page submitted or pushed the change, as far as the page can tell. */
function isOwn({ submitted_by: submitter, push }: ShownRfc): boolean {
  const person = session.value;
  if (person === null || person.auth === 'off') return false;
  if (submitter.id === person.id) return true;
  const pusher = push?.pusher ?? null;
  return pusher !== null && [person.email, person.name, person.id].includes(pusher);
}

/** The transitions that the specification has for a person, the most likely first. */
function actionsFor({ overall_status }: ShownRfc): Action[] {
  if (overall_status === 'BLOCKED') return ['override', 'reject'];
  if (overall_status === 'PASSED') return ['approve', 'reject'];
  return overall_status === 'REJECTED' ? [] : ['reject'];
}

function NotAllowed({ actions }: { actions: Action[] }) {
  if (actions.length === 0) return <p>There is nothing left to decide.</p>;
  return (
    <p>
      Your role ({session.value?.role}) may not {actions.join(' or ')} this change.{' '}
      {session.value?.decides} {abilities.value.has('add-finding') && 'Ask one of them below.'}
    </p>
  );
}

function Done({ decided: { overall_status, audit } }: { decided: Decided }) {
  return (
    <div class="box done" role="status">
      <p>
        <StatusLabel status={overall_status} /> — recorded in the audit trail, chain{' '}
        <code>{audit.chain}</code>, entry {audit.seq}.
      </p>
    </div>
  );
}

export const OLD = 'This change is not what the page shows any more: show the newest state first.';

/** Whether the decision may have been made all the same. */
function isUnknown({ status }: Failure): boolean {
  return status === 0 || status === 500 || status === 504;
}

interface FormProps extends PanelProps {
  actions: Action[];
  /** Of the last try. */
  failure: Signal<Failure | null>;
  onDone(decided: Decided): void;
}

function DecisionForm(props: FormProps) {
  const { rfc, draft, related, isOld, actions, failure, onDone, reload } = props;
  const problem = useSignal<string | null>(null);
  const isSending = useSignal(false);

  const send = async (action: Action) => {
    if (isSending.value) return;
    // Sent again with the same key, the answer says what became of the first time.
    const isRepeat = failure.value !== null && isUnknown(failure.value);
    problem.value = isRepeat ? null : isOld ? OLD : missing(rfc, action, draft.value);
    if (problem.value !== null) return;
    isSending.value = true;
    const reply = await ask<Decided>(pathOf(rfc, action), {
      method: 'POST',
      body: bodyOf(rfc, action, draft.value),
      headers: {
        'Idempotency-Key': draft.value.key,
        ...(action !== 'reject' && { 'If-Match': `"${rfc.rev}"` }),
      },
    });
    isSending.value = false;
    if (reply.kind === 'data') {
      failure.value = null;
      clearDraft(rfc.rfc_id);
      draft.value = readDraft(rfc.rfc_id);
      onDone(reply.data);
    } else if (reply.kind === 'failure') {
      failure.value = reply;
      if (reply.status === 409 || reply.status === 412) reload();
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (actions[0] !== undefined) void send(actions[0]);
      }}
    >
      <Consequences rfc={rfc} action={actions[0] ?? 'reject'} related={related} />
      <Fields
        rfc={rfc}
        draft={draft.value}
        change={(next) => {
          draft.value = { ...draft.value, ...next };
        }}
        hasFindings={actions.includes('override')}
      />
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      <p class="actions">
        {actions.map((action, index) => (
          <button
            key={action}
            type={index === 0 ? 'submit' : 'button'}
            class={index === 0 ? 'main' : ''}
            {...(index > 0 && { onClick: () => void send(action) })}
          >
            {isSending.value && index === 0 ? 'Sending…' : titleOf(action, rfc)}
          </button>
        ))}
      </p>
    </form>
  );
}

interface FieldsProps {
  rfc: ShownRfc;
  draft: Draft;
  hasFindings: boolean;
  change(next: Partial<Draft>): void;
}

function Fields({ rfc, draft, hasFindings, change }: FieldsProps) {
  const limit = gravest(rfc);
  return (
    <>
      <ReasonField id="reason" value={draft.reason} change={(reason) => change({ reason })} />
      {hasFindings && (
        <Tick
          title={acceptTitle(draft)}
          value={draft.accept_findings !== false}
          change={(accept_findings) => change({ accept_findings })}
        />
      )}
      {hasFindings && draft.accept_findings !== false && (
        <Field
          title="Until (empty: for ever)"
          type="date"
          value={draft.expires_at}
          change={(expires_at) => change({ expires_at })}
        />
      )}
      {hasFindings && (
        <Tick
          title="Emergency: another person has to review this override"
          value={draft.emergency}
          change={(emergency) => change({ emergency })}
        />
      )}
      {hasFindings && limit !== null && (
        <Field
          title={
            <>
              Type <code>override {limit}</code> to override this class of finding
            </>
          }
          value={draft.typed}
          change={(text) => change({ typed: text })}
        />
      )}
    </>
  );
}

/** What the decision accepts: all that it can, or what was chosen at the findings. */
function acceptTitle({ accept_findings: chosen }: Draft): string {
  const what = typeof chosen === 'boolean' ? 'these findings' : `${chosen.length} of the findings`;
  return `Accept ${what} in this repository from now on (never vuln-*)`;
}

/** The gravest finding that no override session may pass; null: it is absent. */
function gravest({ hard_limits, gates }: ShownRfc): string | null {
  const findings = [...gates.risk.findings, ...gates.ast.findings].map(({ id }) => id);
  const limits = hard_limits ?? findings.filter((id) => /^vuln-\d\d$/.test(id));
  return limits[0] ?? (gates.llm.status === 'fail' ? 'llm' : null);
}

/** Why the decision cannot be sent yet, in a sentence; null: it can. */
function missing(rfc: ShownRfc, action: Action, { reason, typed }: Draft): string | null {
  const problem = reasonProblem(reason) ?? trailProblem();
  if (problem !== null) return problem;
  const limit = gravest(rfc);
  if (action === 'override' && limit !== null && typed.trim() !== `override ${limit}`) {
    return `Type “override ${limit}” first.`;
  }
  return null;
}

/** A decision without its audit entry does not exist. */
function trailProblem(): string | null {
  return pulse.value?.problems.includes('audit') === true
    ? 'The audit trail cannot be written now, so decisions are refused. Your text is kept.'
    : null;
}

function nameOfAction(action: Action): string {
  return { override: 'Override', approve: 'Approve', reject: 'Reject' }[action];
}

function titleOf(action: Action, rfc: ShownRfc): string {
  if (action !== 'override') return nameOfAction(action);
  const open = openFindings(rfc).filter(isGrave);
  return open.length === 1 ? 'Override 1 finding' : `Override ${open.length} findings`;
}

function pathOf({ rfc_id }: ShownRfc, action: Action): string {
  return `${action === 'reject' ? 'reject' : 'approve'}/${encodeURIComponent(rfc_id)}`;
}

function bodyOf(rfc: ShownRfc, action: Action, draft: Draft): Record<string, unknown> {
  const reason = draft.reason.trim();
  if (action === 'reject') return { reason };
  return {
    action,
    reason,
    accept_findings: draft.accept_findings,
    ...(draft.accept_findings !== false &&
      draft.expires_at !== '' && { expires_at: draft.expires_at }),
    ...(action === 'override' && draft.emergency && { emergency: true }),
    ...(rfc.commit_sha !== null &&
      rfc.repo_full_name !== null && { force_commit_sha: rfc.commit_sha }),
  };
}

function Failed({ failure, rfc }: { failure: Failure; rfc: ShownRfc }) {
  const { status, details } = failure;
  // An overdue review refuses further emergencies: the service says which.
  const isRefused = typeof details['due_at'] === 'string';
  if ((status === 409 || status === 412) && !isRefused) {
    const last = rfc.override_history.at(-1);
    return (
      <div role="alert">
        <p>
          {typeof details['status'] === 'string'
            ? `Nothing was done: the change is ${details['status']} now.`
            : 'Nothing was done: the change is no longer what this page showed.'}{' '}
          The page shows its newest state; your text is kept.
        </p>
        {last !== undefined && (
          <p>
            <Untrusted text={last.actor} max={120} /> decided <Time at={last.at} />: {last.action},{' '}
            “<Untrusted text={last.reason} max={400} />”
          </p>
        )}
      </div>
    );
  }
  if (isUnknown(failure)) {
    return (
      <p role="alert">
        It is not known whether the decision was made. Send it again: it is never made twice.
      </p>
    );
  }
  return <FailureBox failure={failure} />;
}

/** Deletes an RFC for good, after its id was typed. */
function Deletion({ rfc }: { rfc: ShownRfc }) {
  const typed = useSignal('');
  const failure = useSignal<Failure | null>(null);
  const isDone = useSignal(false);
  const erase = async () => {
    if (typed.value.trim() !== rfc.rfc_id || isDone.value) return;
    const path = `rfc/${encodeURIComponent(rfc.rfc_id)}`;
    const reply = await ask(path, { method: 'DELETE' });
    failure.value = reply.kind === 'failure' ? reply : null;
    isDone.value = reply.kind === 'data';
  };
  if (isDone.value) return <p role="status">Deleted. The audit trail keeps who did it.</p>;
  return (
    <details>
      <summary>More</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void erase();
        }}
      >
        <Field
          title={
            <>
              Type <code class="wrap">{rfc.rfc_id}</code> to delete this RFC and its approvals for
              good
            </>
          }
          value={typed.value}
          change={(text) => (typed.value = text)}
        />
        {failure.value !== null && <FailureBox failure={failure.value} />}
        <button type="submit">Delete</button>
      </form>
    </details>
  );
}

/** Opens the worst change that is BLOCKED and is not this one. */
function NextBlocked({ after }: { after: string }) {
  const isLast = useSignal(false);
  const open = async () => {
    const reply = await ask<RfcSummary[]>('rfcs?status=BLOCKED&limit=50');
    const rows = reply.kind === 'data' ? reply.data : [];
    const at = rows.findIndex(({ rfc_id: id }) => id === after);
    const next = rows[at + 1] ?? rows[0];
    if (next === undefined || next.rfc_id === after) isLast.value = true;
    else location.hash = rfcLink(next.rfc_id);
  };
  if (isLast.value) return <span class="quiet">No other change is blocked.</span>;
  return (
    <button type="button" class="small" data-key="n" onClick={() => void open()}>
      Next<span class="unseen"> blocked change</span> (n)
    </button>
  );
}
