import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../model/finding.ts';
import type { DECISIONS } from '../../model/limits.ts';
import { type Draft, dayAhead } from '../draft.ts';
import { useSend } from '../forms.tsx';
import { Icon } from '../icons.tsx';
import { SeverityLabel, StatusLabel, Time, Untrusted, Words } from '../parts.tsx';
import { findingLink, pageLink, rfcLink, route, ruleLink } from '../route.ts';
import { placeOf } from '../row.ts';
import { abilities } from '../session.ts';
import { say } from '../toast.tsx';
import type { Related, ShownRfc } from './actions.ts';
import { type Code, FindingCode } from './code.tsx';
import { Comments, FalseAlarmMark, Say } from './remarks.tsx';

/** What cards of findings are made of besides the finding. */
export interface CardContext {
  rfc: ShownRfc;
  draft: Signal<Draft>;
  /** `accept_findings` of the draft. */
  accepts: ReadonlySignal<Draft['accept_findings']>;
  related: Related | null;
  code: Code | null;
  reload(): void;
}

/** Whether a link names one of them: `#/rfc/ID?finding=FINDING_ID`. */
export function holdsAsked(findings: readonly Finding[]): boolean {
  const asked = route.value.query.get('finding');
  return findings.some(({ finding_id: id }) => id === asked);
}

/** One finding: what is wrong in words, where, the code, what comes of it and what mends it. */
export function FindingCard({ finding, ...context }: { finding: Finding } & CardContext) {
  const { code, rfc, related } = context;
  const { id, severity, message, title = message, file, line, column, fix, cwe } = finding;
  const place = placeOf(file, line, column);
  const item = useRef<HTMLLIElement>(null);
  const isAsked = holdsAsked([finding]);
  useEffect(() => {
    if (isAsked) item.current?.focus();
  }, [isAsked]);
  return (
    <li ref={item} class={`finding ${severity}`} tabIndex={-1} data-finding={finding.finding_id}>
      <div class="finding-head">
        <h3>
          <SeverityLabel severity={severity} />{' '}
          <span>
            <Words text={title} />
          </span>{' '}
          <FalseAlarmMark rfc={rfc} finding={finding} />
        </h3>
        <ul class="line quiet">
          {place !== '' && (
            <li class="place">
              <a href={`${findingLink(rfc.rfc_id, finding.finding_id)}&tab=changes`}>
                <Untrusted text={place} />
              </a>
            </li>
          )}
          <li>
            <a href={ruleLink(id)}>
              <code>{id}</code>
            </a>
          </li>
          {cwe !== null && <li>{cwe}</li>}
        </ul>
      </div>
      <div class="finding-body">
        <div>
          <FindingCode finding={finding} code={code} />
        </div>
        <div>
          {message !== title && (
            <p>
              <Words text={message} />
            </p>
          )}
          {fix !== null && (
            <p>
              <strong>Fix:</strong> <Words text={fix} />
            </p>
          )}
          <Remarks finding={finding} />
          <Comments rfc={rfc} findingId={finding.finding_id} />
        </div>
      </div>
      <div class="finding-foot">
        <Seen finding={finding} related={related} />
        <Actions finding={finding} {...context} />
      </div>
    </li>
  );
}

/** What a person can do about one finding. */
function Actions({ finding, ...context }: { finding: Finding } & CardContext) {
  const { rfc, reload } = context;
  const { finding_id: findingId, suppressed } = finding;
  const said = { rfc, findingId, reload };
  return (
    <div class="actions">
      <AcceptButton findingId={findingId} {...context} />
      {suppressed === null && abilities.value.has('add-finding') && (
        <TaskButton findingId={findingId} />
      )}
      <CopyLink rfc={rfc} finding={finding} />
      <Say {...said} />
      <Say {...said} asks="false alarm" />
    </div>
  );
}

interface AcceptProps extends Pick<CardContext, 'rfc' | 'draft' | 'accepts'> {
  findingId: string;
}

/** Chooses the finding for the decision: it accepts what is chosen, until the end that it says. */
function AcceptButton({ rfc, findingId, draft, accepts }: AcceptProps) {
  const step = rfc.next_steps?.find(({ way }) => way === 'accept');
  const { finding_ids: ids = [], max_days: days = ACCEPTED_DAYS } = step ?? {};
  if (!ids.includes(findingId) || !abilities.value.has('override')) return null;
  const { value: accepted } = accepts;
  const chosen = typeof accepted === 'boolean' ? (accepted ? ids : []) : accepted;
  const isChosen = chosen.includes(findingId);
  const next = isChosen ? chosen.filter((id) => id !== findingId) : [...chosen, findingId];
  if (next.length > ACCEPTED_IDS_MAX) {
    return (
      <span class="quiet">
        {isChosen ? 'Accepted with all' : 'Not accepted'}: a decision names at most{' '}
        {ACCEPTED_IDS_MAX} findings
      </span>
    );
  }
  const choose = () => {
    const { expires_at: end } = draft.value;
    draft.value = {
      ...draft.value,
      accept_findings: next.length > 0 && next,
      ids_of: rfc.updated_at,
      expires_at: end === '' ? dayAhead(Math.min(days, ACCEPTED_DAYS)) : end,
    };
  };
  return (
    <button type="button" class="small" aria-pressed={isChosen} onClick={choose}>
      {isChosen ? (
        <>
          <Icon name="pass" /> Accepted with the decision
        </>
      ) : (
        'Accept'
      )}
    </button>
  );
}

/** For so long a finding is accepted unless the person says otherwise. */
const ACCEPTED_DAYS = 90;
/** Findings that a decision names, by the service; all of them need no names. */
const ACCEPTED_IDS_MAX: (typeof DECISIONS)['ACCEPTED_IDS_MAX'] = 100;

/** Whether the finding is new, or where it stood before and what was decided there. */
function Seen({ finding, related }: { finding: Finding; related: Related | null }) {
  const { fingerprint } = finding;
  const seen = related?.findings.find((one) => one.fingerprint === fingerprint);
  const [newest] = seen?.before ?? [];
  if (seen === undefined || newest === undefined) {
    return seen?.is_new === true ? (
      <p class="seen">New since the last change of the branch</p>
    ) : null;
  }
  const { before, more, is_new } = seen;
  const decided = before.find(({ overall_status: status }) => DECIDED.has(status)) ?? newest;
  const group = fingerprint.slice(0, GROUP_DIGITS);
  return (
    <p class="seen">
      {is_new === true ? 'Not in the last change of the branch, but seen' : 'Seen'} before on{' '}
      <a href={pageLink('queue', { q: `is:any finding:${group}` })}>
        {before.length}
        {more && '+'} {before.length === 1 ? 'change' : 'changes'}
      </a>
      , {DECIDED.has(decided.overall_status) ? 'decided as' : 'newest'}{' '}
      <a href={rfcLink(decided.rfc_id)}>
        <StatusLabel status={decided.overall_status} />
      </a>{' '}
      {decided.override !== null && (
        <>
          by <Untrusted text={decided.override.actor} max={80} />: “
          <Untrusted text={decided.override.reason} max={160} />”{' '}
        </>
      )}
      {before.some(({ overall_status: status }) => status === 'BLOCKED') && (
        <a href={pageLink('bulk', { finding: group })}>Decide about all with it</a>
      )}
    </p>
  );
}

/** What people decide. */
const DECIDED: ReadonlySet<string> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

/** Of a fingerprint: as many as a search needs. */
const GROUP_DIGITS = 16;

/** What else is known of a finding: the words of a model, why it does not count. */
function Remarks({ finding: { why = '', suppressed, resolved } }: { finding: Finding }) {
  return (
    <>
      {why !== '' && (
        <p class="quiet">
          In the words of the model, which nobody has checked: “
          <Untrusted text={why} />”
        </p>
      )}
      {suppressed !== null && (
        <p class="quiet">
          Suppressed by <Untrusted text={suppressed.by} />: <Untrusted text={suppressed.reason} />
        </p>
      )}
      {resolved !== null && (
        <p class="quiet">
          Marked fixed by <Untrusted text={resolved.by} /> <Time at={resolved.at} />
        </p>
      )}
    </>
  );
}

/** Makes a task for an agent that mends the finding; asked twice it is the same task. */
function TaskButton({ findingId }: { findingId: string }) {
  const { send, failure } = useSend<{ taskId: string; status: string }>();
  const task = useSignal<{ status: string } | null>(null);
  const make = async () => {
    task.value = await send('claude-task', { method: 'POST', body: { findingId } });
  };
  if (task.value !== null) {
    return (
      <a class="button small" href="#/tasks" ref={takeFocus}>
        Task {task.value.status}
      </a>
    );
  }
  return (
    <>
      {failure.value !== null && <span role="alert">{failure.value.error}</span>}
      <button type="button" class="small" onClick={() => void make()}>
        Make a task
      </button>
    </>
  );
}

/** Stands where a button was that had the focus. */
function takeFocus(link: HTMLElement | null): void {
  link?.focus();
}

/** Leads to the finding, so that its address can be taken; copies it where the browser lets it. */
function CopyLink({ rfc, finding }: { rfc: ShownRfc; finding: Finding }) {
  const link = findingLink(rfc.rfc_id, finding.finding_id);
  const copy = async () => {
    await navigator.clipboard?.writeText(`${location.origin}/cra${link}`);
    if (navigator.clipboard !== undefined) say('Link copied');
  };
  return (
    <a class="button small" href={link} onClick={() => void copy().catch(() => undefined)}>
      <Icon name="link" /> Copy link
    </a>
  );
}
