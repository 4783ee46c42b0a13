import { useEffect } from 'preact/hooks';
import type { TaskStatus } from '../../model/task.ts';
import { useLoadedList } from '../loaded.ts';
import { FailureBox, OlderButton, Time } from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { Untrusted } from '../untrusted.tsx';

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
  useEffect(() => {
    document.title = 'Tasks · cra';
  }, []);
  const status = route.value.query.get('status') ?? '';
  const list = useLoadedList<TaskRow>(`tasks?${searchOf({ status })}`);
  const { rows } = list;
  return (
    <section>
      <h1>Tasks</h1>
      <nav aria-label="Status" class="filters">
        {['', ...STATUSES].map((each) => (
          <a
            key={each}
            href={pageLink('tasks', { status: each })}
            {...(each === status && { 'aria-current': 'true' as const })}
          >
            {each === '' ? 'all' : each}
          </a>
        ))}
      </nav>
      {list.failure.value !== null && (
        <FailureBox failure={list.failure.value} retry={list.reload} />
      )}
      {rows === null && list.isLoading && <p class="quiet late">Loading…</p>}
      {rows?.length === 0 && <p>There are no such tasks.</p>}
      {rows !== null && rows.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Finding</th>
              <th scope="col">Repository</th>
              <th scope="col">Made</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
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
            ))}
          </tbody>
        </table>
      )}
      <OlderButton list={list} />
    </section>
  );
}
