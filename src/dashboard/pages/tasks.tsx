import type { TaskStatus } from '../../model/task.ts';
import { useLoadedList } from '../api.ts';
import { Choices, Listing, useTitle } from '../lists.tsx';
import { Time, Untrusted } from '../parts.tsx';
import { rfcLink, route, searchOf } from '../route.ts';

const STATUSES = ['pending', 'picked', 'done', 'failed'] as const satisfies TaskStatus[];

/** A task without what it says, which stays with the agents that work on it. */
interface TaskRow {
  taskId: string;
  findingId: string;
  rfc_id: string;
  repo_name: string;
  status: TaskStatus;
  created_at: string;
  updated_at: string;
}

/** Remediation tasks and how far they are. */
export function Page() {
  useTitle('Tasks');
  const filters = { status: route.value.query.get('status') ?? '' };
  return (
    <section>
      <h1>Tasks</h1>
      <Choices
        page="tasks"
        label="Status"
        filters={filters}
        name="status"
        values={['', ...STATUSES]}
        text={(status) => (status === '' ? 'all' : status)}
      />
      <Tasks key={filters.status} search={searchOf(filters)} />
    </section>
  );
}

function Tasks({ search }: { search: string }) {
  const list = useLoadedList<TaskRow>(`tasks?${search}`);
  return (
    <Listing
      list={list}
      columns={['Status', 'Finding', 'Repository', 'Made', 'Changed']}
      empty={<p>There are no such tasks.</p>}
    >
      {(row) => (
        <tr key={row.taskId}>
          <td>
            <strong>{row.status}</strong>
          </td>
          <td>
            <a href={rfcLink(row.rfc_id)}>{row.findingId}</a>
          </td>
          <td>
            <Untrusted text={row.repo_name} max={120} />
          </td>
          <td>
            <Time at={row.created_at} />
          </td>
          <td>
            <Time at={row.updated_at} />
          </td>
        </tr>
      )}
    </Listing>
  );
}
