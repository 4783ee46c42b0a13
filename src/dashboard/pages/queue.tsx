import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { ask, useLoadedList } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Choices, FilterForm, Listing, REPOSITORY_FIELD, useTitle } from '../lists.tsx';
import { Bar, Empty as EmptyState, Pre, StatusLabel, Time, Untrusted, Words } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { countedBySeverity, isGrave, openFindings } from '../row.ts';
import { counted, type Pulse, pulse } from '../session.ts';

/** Stands for no filter: without one, the queue shows what waits for a decision. */
const ALL = 'ALL';

/** Emergency overrides that somebody has to review. */
const EMERGENCIES = 'EMERGENCIES';

/** The filters, in the order in which lists show them. */
const STATUSES = [
  ...(['BLOCKED', 'DRAFT', 'REJECTED', 'OVERRIDDEN'] as const),
  ...(['APPROVED', 'PASSED', 'SUPERSEDED'] as const),
] as const satisfies readonly RfcStatus[];

/** Between two readings of the list, when changes arrive faster. */
const REREAD_MS = 10_000;

/** RFCs by status and repository, with filters that stand in the address. */
export function QueuePage() {
  useTitle('Queue');
  const { query } = route.value;
  const filters = { status: query.get('status') ?? 'BLOCKED', repo: query.get('repo') ?? '' };
  return (
    <section>
      <h1>Queue</h1>
      <FilterForm page="queue" filters={filters} fields={REPOSITORY_FIELD}>
        <Choices
          page="queue"
          label="Status"
          filters={filters}
          name="status"
          values={[...STATUSES, ALL, EMERGENCIES]}
          text={(status) => <StatusChoice status={status} />}
        />
      </FilterForm>
      {filters.status === EMERGENCIES ? (
        <Emergencies key={filters.repo} repo={filters.repo} />
      ) : (
        <Changes key={searchOf(filters)} {...filters} />
      )}
    </section>
  );
}

/** A status, with how many changes have it; room for the digits is kept. */
function StatusChoice({ status }: { status: string }) {
  if (status === EMERGENCIES) return <ToReview />;
  const known = STATUSES.find((each) => each === status);
  if (known === undefined) return <>all</>;
  return (
    <>
      {known.toLowerCase()}
      <span class="count"> {pulse.value !== null && counted(pulse.value, known)}</span>
    </>
  );
}

/** Rows that the service gives at once, at most. */
const ROWS_MAX = 100;

function Changes(filters: FilterValues) {
  const { repo } = filters;
  const status = filters.status === ALL ? '' : filters.status;
  const list = useLoadedList<RfcSummary>(
    `rfcs?${searchOf({ status, repo, limit: String(ROWS_MAX) })}`,
  );
  const { rows, unseen, showNew } = useSteadyRows(list.rows);
  // Fixed, so that rows stay where they are while they wait.
  const openedAt = useRef(Date.now());
  const isByUrgency = status === 'BLOCKED' && !list.hasOlder;
  useReread(() => list.reload(true));
  return (
    <>
      <p class="actions pill" aria-live="polite">
        {unseen > 0 && (
          <button type="button" class="main" data-key="r" onClick={showNew}>
            {unseen} new: show (r)
          </button>
        )}
        {status === 'BLOCKED' && <Order isByUrgency={isByUrgency} />}
      </p>
      <Listing
        list={list}
        rows={isByUrgency ? byUrgency(rows, openedAt.current) : rows}
        columns={['Status', 'Risk', 'Change', 'Repository', 'Findings', 'By', 'When']}
        kind="queue"
        empty={<Empty {...filters} />}
      >
        {(row) => <Row key={row.rfc_id} row={row} />}
      </Listing>
    </>
  );
}

function Order({ isByUrgency }: { isByUrgency: boolean }) {
  return isByUrgency ? (
    <span
      class="quiet"
      title="Hours of waiting, and one more, times the risk: after an hour a risk of 50 stands where a new risk of 100 does"
    >
      Sorted by risk and waiting time
    </span>
  ) : (
    <span class="quiet" title={`Up to ${ROWS_MAX} changes are sorted by risk and waiting time`}>
      Newest first
    </span>
  );
}

const HOUR_MS = 3_600_000;

/** What waits longest against its risk comes first. */
function byUrgency(rows: RfcSummary[] | null, now: number): RfcSummary[] | null {
  const urgency = ({ risk_score, created_at }: RfcSummary) =>
    risk_score * (1 + Math.max(0, now - Date.parse(created_at)) / HOUR_MS);
  return rows?.toSorted((one, other) => urgency(other) - urgency(one)) ?? null;
}

/** Reads the list again when the pulse says that something changed, but not too often. */
function useReread(reread: () => void): void {
  const newest = pulse.value === null ? null : stateOf(pulse.value);
  const last = useRef({ newest, at: Date.now() });
  useEffect(() => {
    if (newest === null || newest === last.current.newest) return;
    const isFirst = last.current.newest === null;
    last.current.newest = newest;
    if (isFirst) return;
    const wait = Math.max(0, last.current.at + REREAD_MS - Date.now());
    const timer = setTimeout(() => {
      last.current.at = Date.now();
      reread();
    }, wait);
    return () => clearTimeout(timer);
  }, [newest]);
}

/** Another text when an RFC is new or has another status. */
function stateOf({ newest, counts }: Pulse): string {
  return JSON.stringify([newest, counts]);
}

/**
 * Rows that stay where they are while somebody reads: those that are shown change in place, new
 * ones wait until they are asked for.
 */
function useSteadyRows(newest: RfcSummary[] | null) {
  const shown = useSignal<readonly string[] | null>(null);
  const known = useRef(new Map<string, RfcSummary>());
  for (const row of newest ?? []) known.current.set(row.rfc_id, row);
  const all = newest?.map(({ rfc_id: id }) => id) ?? null;
  useEffect(() => {
    if (all === null) return;
    // The first rows, and older ones that were asked for, come at once.
    const ids = shown.value ?? [];
    const old = new Set(ids);
    const last = ids.at(-1);
    const after = last === undefined ? 0 : all.indexOf(last) + 1;
    const added = ids.length === 0 ? all : after === 0 ? [] : all.slice(after);
    const next = [...ids, ...added.filter((id) => !old.has(id))];
    if (shown.value === null || next.length !== ids.length) shown.value = next;
  }, [newest]);
  const ids = shown.value ?? all ?? [];
  const visible = new Set(ids);
  return {
    rows: newest === null ? null : ids.flatMap((id) => known.current.get(id) ?? []),
    unseen: (all ?? []).filter((id) => !visible.has(id)).length,
    showNew() {
      shown.value = all;
    },
  };
}

interface FilterValues {
  status: string;
  repo: string;
}

function Empty({ status, repo }: FilterValues) {
  const counts = pulse.value?.counts;
  const isFirst = counts !== undefined && Object.values(counts).every((count) => count === 0);
  if (!isFirst && repo === '' && status === 'BLOCKED') {
    return (
      <EmptyState icon="passed">
        <p>Nothing is blocked{counts !== undefined && `; ${counts.PASSED} changes have passed`}.</p>
        <p class="quiet">What a gate stops stands here until somebody decides.</p>
      </EmptyState>
    );
  }
  if (!isFirst) {
    return (
      <EmptyState>
        <p>
          Nothing matches these filters. <a href={pageLink('queue', { status: ALL })}>Show all</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState>
      <p>No change has been analyzed yet. Submit the first one:</p>
      <Pre text={`cra analyze --range HEAD~1..HEAD --server ${location.origin}`} />
    </EmptyState>
  );
}

function Row({ row }: { row: RfcSummary }) {
  return (
    <tr>
      <td>
        <StatusLabel status={row.overall_status} />
      </td>
      <td class="number">
        {row.risk_score} <Bar value={row.risk_score} most={100} />
      </td>
      <td>
        <a href={rfcLink(row.rfc_id)}>
          <Why row={row} />
        </a>
        <br />
        <span class="quiet">
          <Title row={row} />
        </span>
      </td>
      <td>
        <Untrusted text={row.repo_name} max={120} />
        <br />
        <span class="quiet">
          <Icon name="branch" /> <Untrusted text={row.branch} max={80} />
        </span>
      </td>
      <td>
        <SeverityCounts row={row} />
      </td>
      <td>
        <Untrusted text={row.submitted_by.name ?? row.submitted_by.id} max={80} />
      </td>
      <td>
        <Time at={row.created_at} />
      </td>
    </tr>
  );
}

/** The worst finding of a change in a sentence, else that nothing was found. */
function Why({ row }: { row: RfcSummary }) {
  const [worst] = openFindings(row);
  if (worst !== undefined) return <Words text={worst.title ?? worst.message} max={160} />;
  return <>{row.overall_status === 'DRAFT' ? 'The gates still look at it' : 'Nothing was found'}</>;
}

/** How many findings of each severity count; the list has the worst of each gate. */
function SeverityCounts({ row }: { row: RfcSummary }) {
  const counts = countedBySeverity(openFindings(row));
  const isCut = Object.values(row.gates).some((gate) => gate.findings_total > gate.findings.length);
  return (
    <span class="counts">
      {counts.map(([severity, count]) => (
        <span key={severity} class={`badge ${severity}`} title={severity}>
          <Icon name={severity} /> {count}
          <span class="unseen"> {severity}</span>
        </span>
      ))}
      {isCut && <span class="quiet">and more</span>}
    </span>
  );
}

/** The first line of the commit message, or the id where the message is empty. */
export function Title({ row }: { row: Pick<RfcSummary, 'rfc_id' | 'commit_message'> }) {
  const [line = ''] = row.commit_message.trim().split('\n');
  return line === '' ? row.rfc_id : <Untrusted text={line} max={120} />;
}

/** The worst finding in words, and how many more there are; `3 below high`; or nothing. */
export function Worst({ row }: { row: RfcSummary }) {
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

/** A row of `GET emergencies`. */
interface EmergencyRow {
  rfc: RfcSummary;
  overdue: boolean;
}

/** How many emergency overrides are to be reviewed. */
function ToReview() {
  const { due, overdue } = pulse.value?.emergencies ?? { due: null, overdue: 0 };
  return (
    <>
      to review
      <span class="count">
        {' '}
        {due !== null && (overdue > 0 ? `${due}, ${overdue} overdue` : due)}
      </span>
    </>
  );
}

/** The emergency overrides to review, the earliest date first. */
function Emergencies({ repo }: { repo: string }) {
  const list = useLoadedList<EmergencyRow>('emergencies');
  const { due, overdue } = pulse.value?.emergencies ?? { due: null, overdue: null };
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const state = due === null ? null : `${due} ${overdue}`;
    if (shown.current !== null && state !== shown.current) list.reload(true);
    shown.current = state;
  }, [due, overdue]);
  const name = repo.toLowerCase();
  const rows = list.rows?.filter(({ rfc }) => name === '' || rfc.repo_name.toLowerCase() === name);
  return (
    <Listing
      list={list}
      rows={rows ?? null}
      columns={['Review due', 'Change', 'Repository', 'Overridden by', 'Reason']}
      empty={
        <EmptyState>
          <p>No emergency override waits for a review.</p>
        </EmptyState>
      }
    >
      {({ rfc, overdue: isLate }) => (
        <tr key={rfc.rfc_id}>
          <td>
            {isLate && <strong class="severity high">overdue</strong>}{' '}
            {rfc.emergency !== undefined && <Time at={rfc.emergency.due_at} />}
          </td>
          <td>
            <a href={rfcLink(rfc.rfc_id)}>
              <Title row={rfc} />
            </a>
          </td>
          <td>
            <Untrusted text={rfc.repo_name} max={120} />
          </td>
          <td>
            <Untrusted text={rfc.override?.actor ?? ''} max={80} />
          </td>
          <td>
            <Untrusted text={rfc.override?.reason ?? ''} max={200} />
          </td>
        </tr>
      )}
    </Listing>
  );
}

/** Opens the worst change that is BLOCKED and is not this one. */
export function NextBlocked({ after }: { after: string }) {
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
      Next blocked (n)
    </button>
  );
}
