import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import { ask, type Failure } from '../api.ts';
import { useLoadedList } from '../loaded.ts';
import { Curl, FailureBox, OlderButton, ReasonField, reasonProblem, Time } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { needsLook } from '../row.ts';
import { abilities, session } from '../session.ts';
import { Untrusted } from '../untrusted.tsx';
import { Title } from './queue.tsx';

interface Result {
  rfc_id: string;
  ok: boolean;
  overall_status?: string;
  error?: string;
}

/** Overrides many BLOCKED RFCs at once: those that were shown and ticked, and no others. */
export function Page() {
  useEffect(() => {
    document.title = 'Bulk override · cra';
  }, []);
  const repo = route.value.query.get('repo') ?? '';
  const before = route.value.query.get('before') ?? '';
  const typed = useSignal(repo);
  const day = useSignal(before);
  return (
    <section>
      <h1>Bulk override</h1>
      {!abilities.value.has('bulk-override') && (
        <p>
          Your role ({session.value?.role}) may not override. {session.value?.decides}
        </p>
      )}
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = pageLink('bulk', { repo: typed.value.trim(), before: day.value });
        }}
      >
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
        <label>
          Submitted before (UTC)
          <input
            type="date"
            value={day.value}
            onInput={(event) => {
              day.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit">Preview</button>
      </form>
      {repo === '' && before === '' ? (
        <p class="quiet">
          Name a repository or a day: what matches is shown before anything is done.
        </p>
      ) : (
        <Preview key={`${repo} ${before}`} repo={repo} before={before} />
      )}
    </section>
  );
}

function Preview({ repo, before }: { repo: string; before: string }) {
  const list = useLoadedList<RfcSummary>(
    `rfcs?${searchOf({ status: 'BLOCKED', repo, limit: '100' })}`,
  );
  const rows = list.rows?.filter(({ created_at: at }) => before === '' || at < before) ?? null;
  const choices = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const isTicked = (row: RfcSummary) => choices.value.get(row.rfc_id) ?? needsLook(row) === null;
  const ticked = rows?.filter(isTicked).map(({ rfc_id: id }) => id) ?? [];
  return (
    <>
      {list.failure.value !== null && (
        <FailureBox failure={list.failure.value} retry={list.reload} />
      )}
      {rows === null && list.isLoading && <p class="quiet late">Loading…</p>}
      {rows?.length === 0 && <p>No BLOCKED change matches.</p>}
      {rows !== null && rows.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Override</th>
              <th scope="col">Change</th>
              <th scope="col">Repository</th>
              <th scope="col">Look first</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.rfc_id}>
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
                <td>
                  <a href={rfcLink(row.rfc_id)}>
                    <Title row={row} />
                  </a>
                </td>
                <td>
                  <Untrusted text={row.repo_name} max={120} />
                </td>
                <td>{needsLook(row)}</td>
                <td>
                  <Time at={row.created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <OlderButton list={list} />
      {rows !== null && rows.length > 0 && abilities.value.has('bulk-override') && (
        <OverrideForm ids={ticked} onDone={() => list.reload()} />
      )}
    </>
  );
}

function OverrideForm({ ids, onDone }: { ids: string[]; onDone(): void }) {
  const reason = useSignal('');
  const count = useSignal('');
  const problem = useSignal<string | null>(null);
  const failure = useSignal<Failure | null>(null);
  const results = useSignal<Result[] | null>(null);
  const isSending = useSignal(false);
  // The same ids and reason sent again are the same operation.
  const key = useSignal({ of: '', value: crypto.randomUUID() });

  const send = async () => {
    if (isSending.value) return;
    problem.value = reasonProblem(reason.value) ?? countProblem(ids.length, count.value);
    if (problem.value !== null) return;
    const body = { reason: reason.value.trim(), rfc_ids: ids };
    const of = JSON.stringify(body);
    if (key.value.of !== of) key.value = { of, value: crypto.randomUUID() };
    isSending.value = true;
    const reply = await ask<{ results: Result[] }>('bulk-override', {
      method: 'POST',
      body,
      headers: { 'Idempotency-Key': key.value.value },
    });
    isSending.value = false;
    failure.value = reply.kind === 'failure' ? reply : null;
    if (reply.kind !== 'data') return;
    results.value = reply.data.results;
    onDone();
  };

  return (
    <form
      class="box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <ReasonField value={reason.value} change={(value) => (reason.value = value)} />
      <label>
        Type <code>{ids.length}</code>, the number of changes
        <input
          type="text"
          inputMode="numeric"
          autocomplete="off"
          value={count.value}
          onInput={(event) => {
            count.value = event.currentTarget.value;
          }}
        />
      </label>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {failure.value !== null && <FailureBox failure={failure.value} />}
      <p class="actions">
        <button type="submit" class="main">
          {isSending.value ? 'Sending…' : `Override ${ids.length} changes`}
        </button>
      </p>
      {results.value !== null && <Results results={results.value} />}
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
