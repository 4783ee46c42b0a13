import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { ask, useLoadedList } from '../api.ts';
import { Choices, FilterForm, Listing, REPOSITORY_FIELD, useTitle } from '../lists.tsx';
import { Pre, StatusLabel, Time, Untrusted } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { isGrave, openFindings } from '../row.ts';
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

function Changes(filters: FilterValues) {
  const list = useLoadedList<RfcSummary>(
    `rfcs?${searchOf({ ...filters, status: filters.status === ALL ? '' : filters.status })}`,
  );
  const { rows, unseen, showNew } = useSteadyRows(list.rows);
  useReread(() => list.reload(true));
  return (
    <>
      <p class="actions pill" aria-live="polite">
        {unseen > 0 && (
          <button type="button" class="main" data-key="r" onClick={showNew}>
            {unseen} new: show (r)
          </button>
        )}
      </p>
      <Listing
        list={list}
        rows={rows}
        columns={['Status', 'Score', 'Change', 'Repository', 'Findings', 'By', 'When']}
        kind="queue"
        empty={<Empty {...filters} />}
      >
        {(row) => <Row key={row.rfc_id} row={row} />}
      </Listing>
    </>
  );
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
      <p>Nothing is blocked{counts !== undefined && `; ${counts.PASSED} changes have passed`}.</p>
    );
  }
  if (!isFirst) {
    return (
      <p>
        Nothing matches these filters. <a href={pageLink('queue', { status: ALL })}>Show all</a>
      </p>
    );
  }
  return (
    <div class="box">
      <p>No change has been analyzed yet. Submit the first one:</p>
      <Pre text={`cra analyze --range HEAD~1..HEAD --server ${location.origin}`} />
    </div>
  );
}

function Row({ row }: { row: RfcSummary }) {
  return (
    <tr>
      <td>
        <StatusLabel status={row.overall_status} />
      </td>
      <td class="number">{row.risk_score}</td>
      <td>
        <a href={rfcLink(row.rfc_id)}>
          <Title row={row} />
        </a>
      </td>
      <td>
        <Untrusted text={row.repo_name} max={120} />{' '}
        <span class="quiet">
          <Untrusted text={row.branch} max={80} />
        </span>
      </td>
      <td>
        <Worst row={row} />
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

/** The first line of the commit message, or the id where the message is empty. */
export function Title({ row }: { row: Pick<RfcSummary, 'rfc_id' | 'commit_message'> }) {
  const [line = ''] = row.commit_message.trim().split('\n');
  return line === '' ? row.rfc_id : <Untrusted text={line} max={120} />;
}

/** The worst finding with its title, and how many more there are; `3 below high`; or nothing. */
export function Worst({ row }: { row: RfcSummary }) {
  const open = openFindings(row);
  const [worst, ...others] = open.filter(isGrave);
  if (worst === undefined) return <>{open.length === 0 ? '' : `${open.length} below high`}</>;
  return (
    <>
      <code>{worst.id}</code>
      {others.length > 0 && ` +${others.length}`}
      {worst.title !== undefined && (
        <span class="quiet">
          {' '}
          <Untrusted text={worst.title} max={120} />
        </span>
      )}
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
      empty={<p>No emergency override waits for a review.</p>}
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
