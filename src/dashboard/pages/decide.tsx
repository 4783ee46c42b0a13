import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RfcRecord } from '../../model/records.ts';
import { ask, type Failure, isSessionOver, offlineSince } from '../api.ts';
import { clearDraft, type Draft, readDraft, saveDraft } from '../drafts.ts';
import { FailureBox, StatusLabel } from '../parts.tsx';
import { abilities, nameOf, session } from '../session.ts';

/** An RFC as the API shows it; newer fields are missing from older records. */
export type ShownRfc = Omit<RfcRecord, 'hard_limits'> & { hard_limits?: string[] };

const REASON_CHARS_MIN = 20;

type Action = 'override' | 'approve' | 'reject';

interface Decided {
  overall_status: ShownRfc['overall_status'];
  audit: { chain: string; seq: number };
}

/** What a person may decide about an RFC, what follows from it, and the way to do it. */
export function DecisionPanel({ rfc, reload }: { rfc: ShownRfc; reload: () => void }) {
  const done = useSignal<Decided | null>(null);
  const actions = actionsFor(rfc);
  const person = session.value;
  if (person === null) return null;
  const allowed = actions.filter((action) => abilities.value.has(action));
  return (
    <section class="box decide" aria-label="Decision">
      <h2>
        Decide as <bdi>{nameOf(person)}</bdi>
      </h2>
      {done.value !== null && <Done decided={done.value} />}
      {rfc.overall_status === 'DRAFT' && (
        <p>The review still runs. This page shows the verdict when it is there.</p>
      )}
      {allowed.length === 0 ? (
        <NotAllowed actions={actions} />
      ) : (
        <DecisionForm
          key={`${rfc.rfc_id} ${rfc.overall_status}`}
          rfc={rfc}
          actions={allowed}
          onDone={(decided) => {
            done.value = decided;
            reload();
          }}
          reload={reload}
        />
      )}
      <Curl rfc={rfc} action={actions[0] ?? 'reject'} />
    </section>
  );
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
      {session.value?.decides} Send them the address of this page.
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
      <p>
        <a href="#/queue?status=BLOCKED">Next blocked change</a>
      </p>
    </div>
  );
}

interface FormProps {
  rfc: ShownRfc;
  actions: Action[];
  onDone(decided: Decided): void;
  reload(): void;
}

function DecisionForm({ rfc, actions, onDone, reload }: FormProps) {
  const draft = useSignal<Draft>(readDraft(rfc.rfc_id));
  const problem = useSignal<string | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isSending = useSignal(false);
  useEffect(() => saveDraft(rfc.rfc_id, draft.value), [draft.value]);

  const send = async (action: Action) => {
    if (isSending.value) return;
    problem.value = missing(rfc, action, draft.value);
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
      clearDraft(rfc.rfc_id);
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
      <Consequences rfc={rfc} action={actions[0] ?? 'reject'} />
      <Fields
        rfc={rfc}
        draft={draft.value}
        change={(next) => {
          draft.value = { ...draft.value, ...next };
        }}
        hasFindings={actions.includes('override')}
      />
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {failure.value !== null && <Failed failure={failure.value} />}
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
      <label>
        Reason ({[...draft.reason.trim()].length} of {REASON_CHARS_MIN}+ characters, kept for good)
        <textarea
          id="reason"
          rows={4}
          value={draft.reason}
          onInput={(event) => change({ reason: event.currentTarget.value })}
        />
      </label>
      {hasFindings && (
        <label class="tick">
          <input
            type="checkbox"
            checked={draft.acceptFindings}
            onChange={(event) => change({ acceptFindings: event.currentTarget.checked })}
          />
          Accept these findings in this repository from now on (never vuln-*)
        </label>
      )}
      {hasFindings && limit !== null && (
        <label>
          Type <code>override {limit}</code> to override this class of finding
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={draft.typed}
            onInput={(event) => change({ typed: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  );
}

/** The gravest finding that no override session may pass; null: it is absent. */
function gravest({ hard_limits, gates }: ShownRfc): string | null {
  const findings = [...gates.risk.findings, ...gates.ast.findings].map(({ id }) => id);
  const limits = hard_limits ?? findings.filter((id) => /^vuln-\d\d$/.test(id));
  return limits[0] ?? (gates.llm.status === 'fail' ? 'llm' : null);
}

/** Why the decision cannot be sent yet, in a sentence; null: it can. */
function missing(rfc: ShownRfc, action: Action, { reason, typed }: Draft): string | null {
  if (offlineSince.value !== null) return 'The service does not answer, so nothing is sent.';
  if (isSessionOver.value) return 'The session is over: log in again. Your text is kept.';
  if ([...reason.trim()].length < REASON_CHARS_MIN) {
    return `The reason needs at least ${REASON_CHARS_MIN} characters.`;
  }
  const limit = gravest(rfc);
  if (action === 'override' && limit !== null && typed.trim() !== `override ${limit}`) {
    return `Type “override ${limit}” first.`;
  }
  return null;
}

function titleOf(action: Action, { gates }: ShownRfc): string {
  if (action === 'reject') return 'Reject';
  if (action === 'approve') return 'Approve';
  const open = [...gates.risk.findings, ...gates.ast.findings, ...gates.llm.findings].filter(
    ({ suppressed, severity }) =>
      suppressed === null && (severity === 'critical' || severity === 'high'),
  );
  return open.length === 1 ? 'Override 1 finding' : `Override ${open.length} findings`;
}

function pathOf({ rfc_id }: ShownRfc, action: Action): string {
  return `${action === 'reject' ? 'reject' : 'approve'}/${encodeURIComponent(rfc_id)}`;
}

function bodyOf(rfc: ShownRfc, action: Action, draft: Draft): Record<string, unknown> {
  const reason = draft.reason.trim();
  if (action === 'reject') return { reason };
  return {
    ...{ action, reason, accept_findings: draft.acceptFindings },
    ...(rfc.commit_sha !== null &&
      rfc.repo_full_name !== null && { force_commit_sha: rfc.commit_sha }),
  };
}

/** What the decision does, in sentences made from the record. */
function Consequences({ rfc, action }: { rfc: ShownRfc; action: Action }) {
  const commit = rfc.commit_sha === null ? 'this change' : rfc.commit_sha.slice(0, 10);
  const verb =
    action === 'override' ? 'Overriding' : action === 'approve' ? 'Approving' : 'Rejecting';
  const lets = action !== 'reject';
  return (
    <>
      <p>
        {verb} <code>{commit}</code>:
      </p>
      <ul>
        <li>{lets ? 'lets it deploy' : 'stops it from being deployed'}</li>
        {rfc.post_vcs_status && (
          <li>turns its commit status {lets ? 'green' : 'red'} at the Git host</li>
        )}
        {rfc.push !== null && lets && (
          <li>makes it the base of later pushes: what it holds is not reported again</li>
        )}
        {!lets && <li>takes back accepted findings and commits that rested on this change</li>}
        <li>is written to the audit trail for good, with your name and reason</li>
      </ul>
    </>
  );
}

function Failed({ failure }: { failure: Failure }) {
  const { status, details } = failure;
  if (status === 409 || status === 412) {
    return (
      <p role="alert">
        {typeof details['status'] === 'string'
          ? `Somebody was faster: the change is ${details['status']} now.`
          : 'The change is no longer what this page showed.'}{' '}
        The page shows its newest state; your text is kept.
      </p>
    );
  }
  if (status === 0 || status === 500 || status === 504) {
    return (
      <p role="alert">
        It is not known whether the decision was made. Send it again: it is never made twice.
      </p>
    );
  }
  return <FailureBox failure={failure} />;
}

/** The same decision in a shell; the token stays a variable. */
function Curl({ rfc, action }: { rfc: ShownRfc; action: Action }) {
  const body = JSON.stringify(bodyOf(rfc, action, { ...readDraft(''), reason: 'YOUR REASON' }));
  const command = [
    `curl -X POST "${location.origin}/api/cra/${pathOf(rfc, action)}"`,
    '-H "Authorization: Bearer $CRA_OVERRIDE_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n  ');
  return (
    <details>
      <summary>As curl</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the focus. */}
      <pre tabIndex={0}>{command}</pre>
    </details>
  );
}
