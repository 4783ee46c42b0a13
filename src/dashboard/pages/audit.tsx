import type { AuditEntry, AuditKind } from '../../model/audit.ts';
import { useLoadedList } from '../api.ts';
import { FilterForm, Listing, useTitle } from '../lists.tsx';
import { Folded, Pre, Time, Untrusted } from '../parts.tsx';
import { rfcLink, route, searchOf } from '../route.ts';

/** The kinds that people look for, in the order of the list. */
const KINDS = [
  ...(['override', 'approve', 'reject', 'delete', 'carry'] as const),
  ...(['emergency-override', 'emergency-confirm', 'emergency-object'] as const),
  ...(['rules', 'ops-log', 'pre-receive', 'login'] as const),
  ...(['baseline-adopted', 'baseline-lowered'] as const),
] as const satisfies readonly AuditKind[];

/** What was decided and changed, by whom and why, the newest first. */
export function Page() {
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
      empty={<p>No entry matches.</p>}
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
