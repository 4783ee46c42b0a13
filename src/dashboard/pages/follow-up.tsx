import { useSignal } from '@preact/signals';
import type { AuditEntry, AuditKind } from '../../model/audit.ts';
import type { TaskStatus } from '../../model/task.ts';
import { useLoadedList } from '../api.ts';
import { ReasonField, reasonProblem, useSend } from '../forms.tsx';
import { Choices, FilterForm, Listing, REPOSITORY_FIELD, useTitle } from '../lists.tsx';
import { Empty, FailureBox, Folded, Pre, Time, Untrusted } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { abilities } from '../session.ts';

/** What follows a verdict: the trail of decisions, the findings that they accepted, tasks. */

/** The kinds that people look for, in the order of the list. */
const KINDS = [
  ...(['override', 'approve', 'reject', 'delete', 'carry'] as const),
  ...(['emergency-override', 'emergency-confirm', 'emergency-object'] as const),
  ...(['rules', 'ops-log', 'deploy', 'pre-receive', 'login'] as const),
  ...(['baseline-adopted', 'baseline-lowered', 'landed-blocked', 'status-overwritten'] as const),
] as const satisfies readonly AuditKind[];

/** The audit trail: decisions and changes, by whom and why, the newest first. */
export function AuditPage() {
  useTitle('Audit trail');
  const { query } = route.value;
  const filters = { kind: query.get('kind') ?? '', rfc_id: query.get('rfc_id') ?? '' };
  return (
    <section>
      <h1>Audit trail</h1>
      <p class="quiet">
        Entries can be added, never changed. <code>cra audit verify</code> proves the whole trail.
      </p>
      <FilterForm
        page="audit"
        filters={filters}
        fields={{
          rfc_id: { title: 'RFC', type: 'search' },
          kind: { title: 'Kind', options: ['', ...KINDS] },
        }}
      />
      <Entries key={searchOf(filters)} search={searchOf(filters)} />
    </section>
  );
}

function Entries({ search }: { search: string }) {
  const list = useLoadedList<AuditEntry>(`audit?${search}`);
  return (
    <Listing
      list={list}
      columns={['When', 'What', 'By', 'Reason', 'Entry']}
      empty={
        <Empty>
          <p>No entry matches. Decisions, changes of the rules and deletions stand here.</p>
        </Empty>
      }
    >
      {(entry) => <Row key={`${entry.chain} ${entry.seq}`} entry={entry} />}
    </Listing>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const { ts, kind, phase, actor, principal, rfc_id: id, repo_name: repo, reason, details } = entry;
  return (
    <tr>
      <td>
        <Time at={ts} />
      </td>
      <td>
        <strong>{kind}</strong>
        {phase !== 'whole' && <span class="quiet"> {phase}</span>}
        {repo !== null && (
          <>
            {' '}
            <Untrusted text={repo} max={120} />
          </>
        )}
        {id !== null && (
          <>
            {' '}
            <a href={rfcLink(id)}>{id}</a>
          </>
        )}
        <Folded title="Details">
          {() => <Pre text={JSON.stringify({ chain: entry.chain, ...details }, null, 2)} />}
        </Folded>
      </td>
      <td>
        <Untrusted text={actor ?? principal?.name ?? principal?.id ?? 'the service'} max={120} />
        {principal !== null && actor !== null && actor !== principal.id && (
          <span class="quiet">
            {' '}
            as <Untrusted text={principal.id} max={120} />
          </span>
        )}
      </td>
      <td>{reason !== null && <Untrusted text={reason} max={1_000} />}</td>
      <td class="number">
        {entry.seq} <span class="quiet">of …{entry.chain.slice(-6)}</span>
      </td>
    </tr>
  );
}

/** A finding that a decision accepted for a repository (`GET accepted`). */
interface Accepted {
  /** In lower case. */
  repo: string;
  fingerprint: string;
  rfc_id: string;
  by: string;
  reason: string;
  at: string;
  /** Null: never. */
  expires_at: string | null;
}

/** Findings that decisions have accepted, and the way to end that. */
export function SuppressionsPage() {
  useTitle('Suppressions');
  const filters = { repo: route.value.query.get('repo') ?? '' };
  return (
    <section>
      <h1>Accepted findings</h1>
      <p class="quiet">
        A decision may accept its findings for its repository. Revoking ends that from now on;
        verdicts that were given stay. Where an acceptance has ended, the finding counts again, and
        the repository may not deploy until it is revoked.
      </p>
      <FilterForm page="suppressions" filters={filters} fields={REPOSITORY_FIELD} />
      <AcceptedFindings key={filters.repo} search={searchOf(filters)} />
    </section>
  );
}

function AcceptedFindings({ search }: { search: string }) {
  const list = useLoadedList<Accepted>(`accepted?${search}`);
  return (
    <Listing
      list={list}
      columns={['Repository', 'Finding', 'By', 'Reason', 'When', 'Ends', 'Revoke']}
      empty={
        <Empty>
          <p>
            No finding is accepted here. An override that accepts its findings puts them here, with
            their end.
          </p>
        </Empty>
      }
    >
      {(row) => (
        <AcceptedRow
          key={`${row.repo} ${row.fingerprint} ${row.rfc_id}`}
          row={row}
          reload={() => list.reload()}
        />
      )}
    </Listing>
  );
}

function AcceptedRow({ row, reload }: { row: Accepted; reload(): void }) {
  return (
    <tr>
      <td>
        <Untrusted text={row.repo} max={120} />
      </td>
      <td>
        <a href={rfcLink(row.rfc_id)}>{row.fingerprint.slice(0, 12)}</a>
      </td>
      <td>
        <Untrusted text={row.by.replace(/, RFC-\w+$/, '')} max={120} />
      </td>
      <td>
        <Untrusted text={row.reason} max={400} />
      </td>
      <td>
        <Time at={row.at} />
      </td>
      <td>{row.expires_at === null ? 'never' : <Time at={row.expires_at} />}</td>
      <td>{abilities.value.has('end-acceptance') && <Revocation row={row} reload={reload} />}</td>
    </tr>
  );
}

function Revocation({ row, reload }: { row: Accepted; reload(): void }) {
  const reason = useSignal('');
  const problem = useSignal<string | null>(null);
  const { isSending, failure, send } = useSend<unknown>();
  const revoke = async () => {
    problem.value = reasonProblem(reason.value);
    if (problem.value !== null) return;
    const { repo, fingerprint } = row;
    const body = { repo, fingerprint, reason: reason.value.trim() };
    if ((await send('accepted/end', { method: 'POST', body })) !== null) reload();
  };
  return (
    <Folded title="Revoke">
      {() => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void revoke();
          }}
        >
          <ReasonField value={reason.value} change={(value) => (reason.value = value)} />
          {problem.value !== null && <p role="alert">{problem.value}</p>}
          {failure.value !== null && <FailureBox failure={failure.value} />}
          <button type="submit">{isSending.value ? 'Sending…' : 'Revoke'}</button>
        </form>
      )}
    </Folded>
  );
}

const STATUSES = ['pending', 'picked', 'done', 'failed'] as const satisfies TaskStatus[];

/** A task without what it says, which stays with the agents that work on it. */
interface TaskRow {
  taskId: string;
  findingId: string;
  rfc_id: string;
  repo_name: string;
  status: TaskStatus;
  created_at: string;
  updated_at: string;
}

/** Remediation tasks and how far they are. */
export function TasksPage() {
  useTitle('Tasks');
  const filters = { status: route.value.query.get('status') ?? '' };
  return (
    <section>
      <h1>Tasks</h1>
      <Choices
        label="Status"
        values={['', ...STATUSES]}
        current={filters.status}
        link={(each) => pageLink('tasks', { ...filters, status: each })}
        text={(status) => (status === '' ? 'all' : status)}
      />
      <Tasks key={filters.status} search={searchOf(filters)} />
    </section>
  );
}

function Tasks({ search }: { search: string }) {
  const list = useLoadedList<TaskRow>(`tasks?${search}`);
  return (
    <Listing
      list={list}
      columns={['Status', 'Finding', 'Repository', 'Made', 'Changed']}
      empty={
        <Empty>
          <p>There are no such tasks. “Make a task” at a finding has an agent mend it.</p>
        </Empty>
      }
    >
      {(row) => (
        <tr key={row.taskId}>
          <td>
            <strong>{row.status}</strong>
          </td>
          <td>
            <a href={rfcLink(row.rfc_id)}>{row.findingId}</a>
          </td>
          <td>
            <Untrusted text={row.repo_name} max={120} />
          </td>
          <td>
            <Time at={row.created_at} />
          </td>
          <td>
            <Time at={row.updated_at} />
          </td>
        </tr>
      )}
    </Listing>
  );
}
