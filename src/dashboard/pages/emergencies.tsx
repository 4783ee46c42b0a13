import { useEffect, useRef } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import { useLoadedList } from '../api.ts';
import { Listing } from '../lists.tsx';
import { ChangeTitle, Empty, Time, Untrusted } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import { pulse } from '../session.ts';

/** A row of `GET emergencies`. */
interface EmergencyRow {
  rfc: RfcSummary;
  overdue: boolean;
}

/** The emergency overrides to review, the earliest date first. */
export function Page({ repo }: { repo: string }) {
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
        <Empty>
          <p>No emergency override waits for a review.</p>
        </Empty>
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
              <ChangeTitle row={rfc} />
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
