import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AuditEntry, AuditKind } from '../../model/audit.ts';
import { useLoadedList } from '../loaded.ts';
import { FailureBox, Folded, OlderButton, Time } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { Untrusted } from '../untrusted.tsx';

/** The kinds that people look for, in the order of the list. */
const KINDS = [
  ...(['override', 'approve', 'reject', 'delete', 'carry'] as const),
  ...(['rules', 'ops-log', 'login', 'baseline-adopted', 'baseline-lowered'] as const),
] as const satisfies readonly AuditKind[];

/** What was decided and changed, by whom and why, the newest first. */
export function Page() {
  useEffect(() => {
    document.title = 'Audit trail · cra';
  }, []);
  const { query } = route.value;
  const filters = { kind: query.get('kind') ?? '', rfc_id: query.get('rfc_id') ?? '' };
  const list = useLoadedList<AuditEntry>(`audit?${searchOf(filters)}`);
  const { rows } = list;
  return (
    <section>
      <h1>Audit trail</h1>
      <p class="quiet">
        Entries can be added, never changed. <code>cra audit verify</code> proves the whole trail.
      </p>
      <Filters {...filters} />
      {list.failure.value !== null && (
        <FailureBox failure={list.failure.value} retry={list.reload} />
      )}
      {rows === null && list.isLoading && <p class="quiet late">Loading…</p>}
      {rows?.length === 0 && <p>No entry matches.</p>}
      {rows !== null && rows.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">By</th>
              <th scope="col">Reason</th>
              <th scope="col">Entry</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((entry) => (
              <Row key={`${entry.chain} ${entry.seq}`} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      <OlderButton list={list} />
    </section>
  );
}

function Filters({ kind, rfc_id }: { kind: string; rfc_id: string }) {
  const typed = useSignal(rfc_id);
  const chosen = useSignal(kind);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = pageLink('audit', { kind: chosen.value, rfc_id: typed.value.trim() });
      }}
    >
      <label>
        Kind
        <select
          value={chosen.value}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        >
          <option value="">all</option>
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label>
        RFC
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
        {Object.keys(details).length > 0 && (
          <Folded title="Details">
            {() => (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls.
              <pre tabIndex={0}>
                <Untrusted text={JSON.stringify(details, null, 2)} />
              </pre>
            )}
          </Folded>
        )}
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
        <span class="quiet">{entry.chain}</span> {entry.seq}
      </td>
    </tr>
  );
}
