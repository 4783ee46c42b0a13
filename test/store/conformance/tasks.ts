import { CraError } from '../../../src/model/errors.ts';
import type { TaskRecord } from '../../../src/model/task.ts';
import type { UpdateTask } from '../../../src/store/contract/tasks.ts';
import { sampleDraft, sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { type Check, insert, read } from './steps.ts';

const AT = '2026-11-21T12:00:00.000Z';

function task(fields: Partial<TaskRecord>): TaskRecord {
  return {
    taskId: 'T-1',
    findingId: 'F-1',
    title: 'a title',
    severity: 'high',
    description: 'what is wrong',
    suggestedFix: 'what to do',
    filePath: 'src/a.ts',
    lineHint: 1,
    tenant_id: 'default',
    rfc_id: 'RFC-1',
    repo_name: 'acme/shop',
    status: 'pending',
    created_at: AT,
    created_by: 'somebody',
    updated_at: AT,
    rev: 1,
    ...fields,
  };
}

function update(fields: Partial<UpdateTask>): UpdateTask {
  return {
    tenant_id: 'default',
    task_id: 'T-1',
    status: 'done',
    resolved_by: null,
    at: AT,
    ...fields,
  };
}

/** Worker tasks. */
export function checkTasks(check: Check): void {
  check('a finding has one open task, also when two are created at once', async (t, { tasks }) => {
    const calls = Array.from({ length: 20 }, (_, index) =>
      tasks.createTask({ task: task({ taskId: `T-${index}` }) }),
    );
    const answers = await Promise.all(calls);
    t.is(answers.filter(({ created }) => created).length, 1);
    t.is(new Set(answers.map((answer) => answer.task.taskId)).size, 1);
    const first = answers[0]?.task.taskId ?? '';
    await tasks.updateTask(update({ task_id: first, status: 'failed' }));
    const next = await tasks.createTask({ task: task({ taskId: 'T-next' }) });
    t.true(next.created);
    const again = tasks.updateTask(update({ task_id: first, status: 'pending' }));
    t.is((await t.throwsAsync(again, { instanceOf: CraError }))?.code, 'ALREADY_EXISTS');
  });

  check('pending tasks are listed oldest first, in pages, by tenant', async (t, { tasks }) => {
    for (let index = 1; index <= 5; index += 1) {
      const fields = { taskId: `T-${index}`, findingId: `F-${index}` };
      await tasks.createTask({ task: task(fields) });
    }
    await tasks.createTask({ task: task({ taskId: 'T-x', findingId: 'F-x', tenant_id: 'other' }) });
    await tasks.updateTask(update({ task_id: 'T-2', status: 'picked' }));
    const page = { tenant_id: 'default', limit: 3, cursor: null };
    const first = await tasks.listPendingTasks(page);
    t.deepEqual(
      first.tasks.map(({ taskId }) => taskId),
      ['T-1', 'T-3', 'T-4'],
    );
    const second = await tasks.listPendingTasks({ ...page, cursor: first.next_cursor });
    t.deepEqual(
      second.tasks.map(({ taskId }) => taskId),
      ['T-5'],
    );
    t.is(second.next_cursor, null);
  });

  check(
    'updateTask resolves the finding once and leaves the verdict',
    async (t, { tasks, store }) => {
      const findings = [sampleFinding(1), sampleFinding(2)];
      const record = sampleRecord({ rfc_id: 'RFC-1' });
      const gates = { ...record.gates, risk: { ...record.gates.risk, findings } };
      await insert(store, { ...record, gates });
      await tasks.createTask({ task: task({}) });
      await tasks.updateTask(update({ resolved_by: 'agent' }));
      await tasks.updateTask(update({ resolved_by: 'another', at: '2026-11-22T00:00:00.000Z' }));
      const after = await read(store, record);
      t.deepEqual(after.gates.risk.findings[0]?.resolved, { by: 'agent', at: AT });
      t.is(after.gates.risk.findings[1]?.resolved, null);
      t.is(after.rev, record.rev + 1);
      t.is(after.overall_status, record.overall_status);
    },
  );

  check('updateTask leaves a DRAFT to its pipeline', async (t, { tasks, store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    const risk = { ...draft.gates.risk, findings: [sampleFinding(1)] };
    await insert(store, { ...draft, gates: { ...draft.gates, risk } });
    await tasks.createTask({ task: task({}) });
    await tasks.updateTask(update({ resolved_by: 'agent' }));
    t.is((await read(store, draft)).rev, draft.rev);
  });

  check('updateTask refuses tasks that are not there, or not ours', async (t, { tasks }) => {
    await tasks.createTask({ task: task({}) });
    for (const fields of [{ task_id: 'T-9' }, { tenant_id: 'other' }]) {
      const call = tasks.updateTask(update(fields));
      t.is((await t.throwsAsync(call, { instanceOf: CraError }))?.code, 'NOT_FOUND');
    }
    // The RFC of the task was never there, or was deleted: the task goes on.
    const { task: done } = await tasks.updateTask(update({ resolved_by: 'agent' }));
    t.is(done.status, 'done');
    t.is(done.rev, 2);
  });
}
