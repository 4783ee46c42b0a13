import { useSignal } from '@preact/signals';
import { useLoadedList } from '../api.ts';
import { FilterForm, Listing, REPOSITORY_FIELD, useTitle } from '../lists.tsx';
import {
  FailureBox,
  Folded,
  ReasonField,
  reasonProblem,
  Time,
  Untrusted,
  useSend,
} from '../parts.tsx';
import { rfcLink, route, searchOf } from '../route.ts';
import { abilities } from '../session.ts';

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
export function Page() {
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
      empty={<p>No finding is accepted here.</p>}
    >
      {(row) => (
        <Row
          key={`${row.repo} ${row.fingerprint} ${row.rfc_id}`}
          row={row}
          reload={() => list.reload()}
        />
      )}
    </Listing>
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
