import { useSignal } from '@preact/signals';
import type { RfcSummary } from '../../model/records.ts';
import { useLoadedList } from '../api.ts';
import { Curl, Field, ReasonField, reasonProblem, useSend } from '../forms.tsx';
import { FilterForm, Listing, REPOSITORY_FIELD, useTitle } from '../lists.tsx';
import { ChangeTitle, Empty, FailureBox, Time, Untrusted, WorstFinding } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { needsLook } from '../row.ts';
import { termFor } from '../search.ts';
import { abilities, session } from '../session.ts';

interface Result {
  rfc_id: string;
  ok: boolean;
  overall_status?: string;
  error?: string;
}

/** Overrides many BLOCKED RFCs at once: the RFCs that were shown and ticked, and no others. */
export function Page() {
  useTitle('Bulk override');
  const { query } = route.value;
  const filters = {
    repo: query.get('repo') ?? '',
    before: query.get('before') ?? '',
    finding: query.get('finding') ?? '',
  };
  return (
    <section>
      <h1>Bulk override</h1>
      {!abilities.value.has('bulk-override') && (
        <p>
          Your role ({session.value?.role}) may not override. {session.value?.decides}
        </p>
      )}
      <FilterForm
        page="bulk"
        filters={filters}
        fields={{
          ...REPOSITORY_FIELD,
          before: { title: 'Submitted before (UTC)', type: 'date' },
        }}
        button="Preview"
      />
      {filters.finding !== '' && (
        <p>
          The BLOCKED changes with the same finding, <code>{filters.finding}</code>.{' '}
          <a href={pageLink('bulk', { ...filters, finding: '' })}>Without this filter</a>
        </p>
      )}
      {searchOf(filters) === '' ? (
        <p class="quiet">
          Name a repository or a day: what matches is shown before anything is done.
        </p>
      ) : (
        <Preview key={searchOf(filters)} {...filters} />
      )}
    </section>
  );
}

interface Filters {
  repo: string;
  /** YYYY-MM-DD. */
  before: string;
  /** The first digits of a fingerprint. */
  finding: string;
}

/** Where the rows are: a search finds rows with one finding, the filters all others. */
function pathOf({ repo, before, finding }: Filters): string {
  if (finding === '')
    return `bulk-override?${searchOf({ repo, before_date: before, limit: '100' })}`;
  const q = ['is:blocked', `finding:${finding}`, repo && termFor('repo', repo)].join(' ').trim();
  return `rfcs?${searchOf({ q, limit: '100' })}`;
}

function Preview(filters: Filters) {
  const list = useLoadedList<RfcSummary>(pathOf(filters));
  // A search knows no day, so older ones are left here.
  const rows = list.rows?.filter((row) => isBefore(row, filters)) ?? null;
  // Here, as the form goes with the last row.
  const results = useSignal<Result[] | null>(null);
  const mayOverride = abilities.value.has('bulk-override');
  const choices = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const isTicked = (row: RfcSummary) => choices.value.get(row.rfc_id) ?? needsLook(row) === null;
  const ticked = rows?.filter(isTicked).map(({ rfc_id: id }) => id) ?? [];
  return (
    <>
      <Listing
        list={list}
        rows={rows}
        columns={[
          ...(mayOverride ? ['Override'] : []),
          'Score',
          'Change',
          'Repository',
          'Findings',
          'Look first',
          'When',
        ]}
        kind="bulk"
        empty={
          <Empty>
            <p>No BLOCKED change matches.</p>
          </Empty>
        }
      >
        {(row) => (
          <tr key={row.rfc_id}>
            {mayOverride && (
              <td>
                <input
                  type="checkbox"
                  aria-label={`Override ${row.rfc_id}`}
                  checked={isTicked(row)}
                  onChange={(event) => {
                    const next = new Map(choices.value);
                    choices.value = next.set(row.rfc_id, event.currentTarget.checked);
                  }}
                />
              </td>
            )}
            <td class="number">{row.risk_score}</td>
            <td>
              <a href={rfcLink(row.rfc_id)}>
                <ChangeTitle row={row} />
              </a>
            </td>
            <td>
              <Untrusted text={row.repo_name} max={120} />
            </td>
            <td>
              <WorstFinding row={row} />
            </td>
            <td>{needsLook(row)}</td>
            <td>
              <Time at={row.created_at} />
            </td>
          </tr>
        )}
      </Listing>
      {results.value !== null && <Results results={results.value} />}
      {rows !== null && rows.length > 0 && mayOverride && (
        <OverrideForm
          ids={ticked}
          onDone={(done) => {
            results.value = done;
            list.reload();
          }}
        />
      )}
    </>
  );
}

function isBefore({ created_at }: RfcSummary, { before, finding }: Filters): boolean {
  return finding === '' || before === '' || created_at < before;
}

function OverrideForm({ ids, onDone }: { ids: string[]; onDone(results: Result[]): void }) {
  const reason = useSignal('');
  const count = useSignal('');
  const problem = useSignal<string | null>(null);
  const { isSending, failure, send } = useSend<{ results: Result[] }>();
  const override = async () => {
    problem.value = reasonProblem(reason.value) ?? countProblem(ids.length, count.value);
    if (problem.value !== null) return;
    const body = { reason: reason.value.trim(), rfc_ids: ids };
    const answer = await send('bulk-override', { method: 'POST', body });
    if (answer === null) return;
    onDone(answer.results);
  };

  return (
    <form
      class="box"
      onSubmit={(event) => {
        event.preventDefault();
        void override();
      }}
    >
      <ReasonField id="reason" value={reason.value} change={(value) => (reason.value = value)} />
      <Field
        title={
          <>
            Type <code>{ids.length}</code>, the number of changes
          </>
        }
        value={count.value}
        change={(value) => (count.value = value)}
      />
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {failure.value !== null && <FailureBox failure={failure.value} />}
      <p class="actions">
        <button type="submit" class="main">
          {isSending.value
            ? 'Sending…'
            : ids.length === 1
              ? 'Override 1 change'
              : `Override ${ids.length} changes`}
        </button>
      </p>
      <Curl path="bulk-override" body={{ reason: 'YOUR REASON', rfc_ids: ids }} />
    </form>
  );
}

function countProblem(count: number, typed: string): string | null {
  if (count === 0) return 'Tick at least one change.';
  return typed.trim() === String(count) ? null : `Type the number of changes, ${count}.`;
}

function Results({ results }: { results: Result[] }) {
  const failed = results.filter(({ ok }) => !ok);
  return (
    <div class="box done" role="status">
      <p>
        {results.length - failed.length} of {results.length} are overridden.
      </p>
      <ul>
        {failed.map(({ rfc_id: id, error }) => (
          <li key={id}>
            <a href={rfcLink(id)}>{id}</a>: <Untrusted text={error ?? 'not overridden'} />
          </li>
        ))}
      </ul>
    </div>
  );
}
