import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { ask } from '../api.ts';
import { useLoaded } from '../loaded.ts';
import { FailureBox, StatusLabel, Time } from '../parts.tsx';
import { queueLink, rfcLink, route } from '../route.ts';
import { Untrusted } from '../untrusted.tsx';

/** The filters, in the order in which lists show them. */
const STATUSES: readonly RfcStatus[] = [
  ...(['BLOCKED', 'DRAFT', 'REJECTED', 'OVERRIDDEN'] as const),
  ...(['APPROVED', 'PASSED', 'SUPERSEDED'] as const),
];

/** RFCs that need a person, newest first, with filters that stand in the address. */
export function QueuePage() {
  const { query } = route.value;
  const status = query.get('status') ?? '';
  const repo = query.get('repo') ?? '';
  const search = new URLSearchParams();
  if (status !== '') search.set('status', status);
  if (repo !== '') search.set('repo', repo);
  const { data, nextCursor, failure, isLoading, reload } = useLoaded<RfcSummary[]>(
    `rfcs?${search}`,
  );
  const older = useSignal<RfcSummary[]>([]);
  const cursor = useSignal<string | null>(null);
  useEffect(() => {
    older.value = [];
    cursor.value = nextCursor.value;
  }, [data.value]);
  useEffect(() => {
    document.title = 'Queue · cra';
  }, []);

  const loadOlder = async () => {
    const more = new URLSearchParams(search);
    more.set('cursor', cursor.value ?? '');
    const reply = await ask<RfcSummary[]>(`rfcs?${more}`);
    if (reply.kind === 'data') {
      older.value = [...older.value, ...reply.data];
      cursor.value = reply.nextCursor;
    } else if (reply.kind === 'failure') {
      failure.value = reply;
    }
  };

  const rows = data.value === null ? null : [...data.value, ...older.value];
  return (
    <section>
      <h1>Queue</h1>
      <Filters status={status} repo={repo} />
      {failure.value !== null && <FailureBox failure={failure.value} retry={reload} />}
      {rows === null && isLoading.value && <p class="quiet late">Loading…</p>}
      {rows?.length === 0 && <Empty isFiltered={status !== '' || repo !== ''} />}
      {rows !== null && rows.length > 0 && <Rows rows={rows} />}
      <p class="actions">
        {cursor.value !== null && (
          <button type="button" onClick={() => void loadOlder()}>
            Show older
          </button>
        )}
        <button type="button" onClick={reload}>
          Reload
        </button>
      </p>
    </section>
  );
}

function Filters({ status, repo }: { status: string; repo: string }) {
  const typed = useSignal(repo);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = queueLink({ status, repo: typed.value.trim() });
      }}
    >
      <nav aria-label="Status">
        {['', ...STATUSES].map((each) => (
          <a
            key={each}
            href={queueLink({ status: each, repo })}
            {...(each === status && { 'aria-current': 'true' as const })}
          >
            {each === '' ? 'all' : each.toLowerCase()}
          </a>
        ))}
      </nav>
      <label>
        Repository
        <input
          id="filter"
          type="search"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit">Filter</button>
    </form>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <p>
        Nothing matches these filters. <a href="#/queue">Show all</a>
      </p>
    );
  }
  return (
    <div class="box">
      <p>No change has been analyzed yet. Submit the first one:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the focus. */}
      <pre tabIndex={0}>git diff HEAD~1 | cra analyze --url {location.origin}</pre>
    </div>
  );
}

function Rows({ rows }: { rows: RfcSummary[] }) {
  return (
    <table class="queue">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Score</th>
          <th scope="col">Repository</th>
          <th scope="col">Change</th>
          <th scope="col">Findings</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.rfc_id} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: RfcSummary }) {
  const { risk, ast, llm } = row.gates;
  const count = risk.findings_total + ast.findings_total + llm.findings_total;
  return (
    <tr>
      <td>
        <StatusLabel status={row.overall_status as RfcStatus} />
      </td>
      <td class="number">{row.risk_score}</td>
      <td>
        <Untrusted text={row.repo_name} max={120} />{' '}
        <span class="quiet">
          <Untrusted text={row.branch} max={80} />
        </span>
      </td>
      <td>
        <a href={rfcLink(row.rfc_id)}>
          {row.commit_message.trim() === '' ? (
            row.rfc_id
          ) : (
            <Untrusted text={row.commit_message.split('\n')[0] ?? ''} max={120} />
          )}
        </a>
      </td>
      <td class="number">{count}</td>
      <td>
        <Time at={row.created_at} />
      </td>
    </tr>
  );
}
