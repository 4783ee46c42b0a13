import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, type Failure } from '../api.ts';
import { useLoadedList } from '../loaded.ts';
import { FailureBox, OlderButton, ReasonField, reasonProblem, Time } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { abilities } from '../session.ts';
import { Untrusted } from '../untrusted.tsx';

/** A finding that a decision accepted for a repository (`GET accepted`). */
interface Accepted {
  /** In lower case. */
  repo: string;
  fingerprint: string;
  rfc_id: string;
  by: string;
  reason: string;
  at: string;
}

/** Findings that decisions have accepted, and the way to end that. */
export function Page() {
  useEffect(() => {
    document.title = 'Suppressions · cra';
  }, []);
  const repo = route.value.query.get('repo') ?? '';
  const typed = useSignal(repo);
  const list = useLoadedList<Accepted>(`accepted?${searchOf({ repo })}`);
  const { rows } = list;
  return (
    <section>
      <h1>Accepted findings</h1>
      <p class="quiet">
        A decision may accept its findings for its repository. Revoking ends that from now on;
        verdicts that were given stay.
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = pageLink('suppressions', { repo: typed.value.trim() });
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
        <button type="submit">Filter</button>
      </form>
      {list.failure.value !== null && (
        <FailureBox failure={list.failure.value} retry={list.reload} />
      )}
      {rows === null && list.isLoading && <p class="quiet late">Loading…</p>}
      {rows?.length === 0 && <p>No finding is accepted here.</p>}
      {rows !== null && rows.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Repository</th>
              <th scope="col">Finding</th>
              <th scope="col">By</th>
              <th scope="col">Reason</th>
              <th scope="col">When</th>
              <th scope="col">Revoke</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={`${row.repo} ${row.fingerprint} ${row.rfc_id}`}
                row={row}
                reload={list.reload}
              />
            ))}
          </tbody>
        </table>
      )}
      <OlderButton list={list} />
    </section>
  );
}

function Row({ row, reload }: { row: Accepted; reload(): void }) {
  return (
    <tr>
      <td>
        <Untrusted text={row.repo} max={120} />
      </td>
      <td>
        <a href={rfcLink(row.rfc_id)}>{row.fingerprint.slice(0, 12)}</a>
      </td>
      <td>
        <Untrusted text={row.by} max={120} />
      </td>
      <td>
        <Untrusted text={row.reason} max={400} />
      </td>
      <td>
        <Time at={row.at} />
      </td>
      <td>{abilities.value.has('end-acceptance') && <Revocation row={row} reload={reload} />}</td>
    </tr>
  );
}

function Revocation({ row, reload }: { row: Accepted; reload(): void }) {
  const reason = useSignal('');
  const problem = useSignal<string | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isSending = useSignal(false);
  const key = useSignal(crypto.randomUUID());
  const send = async () => {
    if (isSending.value) return;
    problem.value = reasonProblem(reason.value);
    if (problem.value !== null) return;
    isSending.value = true;
    const { repo, fingerprint } = row;
    const body = { repo, fingerprint, reason: reason.value.trim() };
    const reply = await ask('accepted/end', {
      method: 'POST',
      body,
      headers: { 'Idempotency-Key': key.value },
    });
    isSending.value = false;
    failure.value = reply.kind === 'failure' ? reply : null;
    if (reply.kind === 'data') reload();
  };
  return (
    <details>
      <summary>Revoke</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <ReasonField value={reason.value} change={(value) => (reason.value = value)} />
        {problem.value !== null && <p role="alert">{problem.value}</p>}
        {failure.value !== null && <FailureBox failure={failure.value} />}
        <button type="submit">{isSending.value ? 'Sending…' : 'Revoke'}</button>
      </form>
    </details>
  );
}
