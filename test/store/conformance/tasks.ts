import { CraError } from '../../../src/model/errors.ts';
import type { TaskRecord } from '../../../src/model/task.ts';
import type { UpdateTask } from '../../../src/store/contract/store.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { recordText, sampleDraft, sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { type Check, fails, insert, read } from './steps.ts';

const AT = '2026-11-21T12:00:00.000Z';

function task(fields: Partial<TaskRecord>): TaskRecord {
  return {
    taskId: 'T-1',
    findingId: 'F-1-1',
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
    resolvedBy: null,
    at: AT,
    ...fields,
  };
}

/** An RFC with the findings F-<n>-1 to F-<n>-<count>. */
function found(n: number, count: number, make = sampleRecord) {
  const record = make({ rfc_id: `RFC-${n}` });
  const findings = Array.from({ length: count }, (_, index) => ({
    ...sampleFinding(index + 1),
    finding_id: `F-${n}-${index + 1}`,
  }));
  return { ...record, gates: { ...record.gates, risk: { ...record.gates.risk, findings } } };
}

/** Worker tasks. */
export function checkTasks(check: Check): void {
  checkOpenTasks(check);
  checkFindings(check);
}

function checkOpenTasks(check: Check): void {
  check('listTasks gives tasks of any status, the newest first', async (t, { store, tasks }) => {
    await insert(store, found(1, 5));
    for (let n = 1; n <= 5; n += 1) {
      await tasks.createTask({ task: task({ taskId: `T-${n}`, findingId: `F-1-${n}` }) });
    }
    await tasks.updateTask(update({ task_id: 'T-2' }));
    await tasks.updateTask(update({ task_id: 'T-4' }));
    const walk = async (status: TaskRecord['status'] | null, limit: number) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { tasks: TaskRecord[]; next_cursor: string | null } = await tasks.listTasks({
          tenant_id: 'default',
          status,
          limit,
          cursor,
        });
        seen.push(...page.tasks.map(({ taskId }) => taskId));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return seen.join(' ');
    };
    for (const limit of [1, 2, 50]) {
      t.is(await walk(null, limit), 'T-5 T-4 T-3 T-2 T-1');
      t.is(await walk('done', limit), 'T-4 T-2');
    }
    t.is(await walk('failed', 5), '');
    const other = { tenant_id: 'other', status: null, limit: 5, cursor: null };
    t.deepEqual((await tasks.listTasks(other)).tasks, []);
    await fails(t, tasks.listTasks({ ...other, cursor: '?' }), 'INVALID_ARGUMENT');
  });

  check('a finding has one open task, also when two are created at once', async (t, parts) => {
    const { tasks, store } = parts;
    await insert(store, found(1, 1));
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

  check('pending tasks are listed oldest first, in pages, by tenant', async (t, parts) => {
    const { tasks, store } = parts;
    await insert(store, found(1, 5));
    await insert(store, { ...found(2, 1), tenant_id: 'other' });
    for (let index = 1; index <= 5; index += 1) {
      const fields = { taskId: `T-${index}`, findingId: `F-1-${index}` };
      await tasks.createTask({ task: task(fields) });
    }
    const others = { rfc_id: 'RFC-2', findingId: 'F-2-1', tenant_id: 'other' };
    await tasks.createTask({ task: task({ taskId: 'T-x', ...others }) });
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
}

function checkFindings(check: Check): void {
  check(
    'updateTask resolves the finding once and leaves the verdict',
    async (t, { tasks, store }) => {
      const record = found(1, 2);
      await insert(store, record);
      await tasks.createTask({ task: task({}) });
      await tasks.updateTask(update({ resolvedBy: 'agent' }));
      await tasks.updateTask(update({ resolvedBy: 'another', at: '2026-11-22T00:00:00.000Z' }));
      const after = await read(store, record);
      t.deepEqual(after.gates.risk.findings[0]?.resolved, { by: 'agent', at: AT });
      t.is(after.gates.risk.findings[1]?.resolved, null);
      t.is(after.rev, record.rev + 1);
      t.is(after.overall_status, record.overall_status);
    },
  );

  check(
    'updateTask marks in a DRAFT what gates 1 and 2 have found',
    async (t, { tasks, store }) => {
      const draft = found(1, 1, sampleDraft);
      const { risk } = draft.gates;
      const pending = { ...draft, gates: { ...draft.gates, risk: { ...risk, duration_ms: null } } };
      await insert(store, pending);
      await tasks.createTask({ task: task({}) });
      await tasks.updateTask(update({ resolvedBy: 'agent' }));
      t.is((await read(store, draft)).rev, draft.rev, 'its gates have not run');
      const run = { ...draft, rev: draft.rev + 1 };
      const expectedRev = draft.rev;
      await store.reviseRfc({ record: recordText(run), from: 'DRAFT', expectedRev });
      await tasks.updateTask(update({ resolvedBy: 'agent' }));
      const marked = await read(store, draft);
      t.is(marked.rev, run.rev + 1);
      t.deepEqual(marked.gates.risk.findings[0]?.resolved, { by: 'agent', at: AT });
    },
  );

  check('a task ends when another finding has the id of its finding', async (t, parts) => {
    const { tasks, store } = parts;
    const draft = found(1, 1, sampleDraft);
    await insert(store, draft);
    const [finding = sampleFinding(1)] = draft.gates.risk.findings;
    const { fingerprint } = finding;
    await tasks.createTask({ task: task({ fingerprint }) });
    const findings = [{ ...finding, fingerprint: 'another' }];
    const risk = { ...draft.gates.risk, findings };
    const next = { ...draft, gates: { ...draft.gates, risk }, rev: draft.rev + 1 };
    await store.reviseRfc({ record: recordText(next), from: 'DRAFT', expectedRev: draft.rev });
    await fails(t, tasks.updateTask(update({ resolvedBy: 'agent' })), 'NOT_FOUND');
    const second = task({ taskId: 'T-2', fingerprint: 'another' });
    t.true((await tasks.createTask({ task: second })).created);
    t.false((await tasks.createTask({ task: { ...second, taskId: 'T-3' } })).created);
    const asked = { tenant_id: 'default', status: null, limit: 9, cursor: null };
    t.deepEqual(
      (await tasks.listTasks(asked)).tasks.map(({ taskId, status }) => [taskId, status]),
      [
        ['T-2', 'pending'],
        ['T-1', 'failed'],
      ],
    );
  });

  check('updateTask refuses tasks that do not exist, or of another tenant', async (t, parts) => {
    const { tasks, store } = parts;
    await insert(store, found(1, 1));
    await tasks.createTask({ task: task({}) });
    for (const fields of [{ task_id: 'T-9' }, { tenant_id: 'other' }]) {
      await fails(t, tasks.updateTask(update(fields)), 'NOT_FOUND');
    }
  });

  check(
    'a deletion closes the tasks of its RFC, which can not be opened again',
    async (t, parts) => {
      const { tasks, store, trail } = parts;
      await insert(store, found(1, 2));
      await insert(store, found(12, 1));
      await tasks.createTask({ task: task({}) });
      const second = task({ taskId: 'T-2', findingId: 'F-1-2' });
      await tasks.createTask({ task: second });
      await tasks.updateTask(update({ task_id: 'T-2', status: 'picked' }));
      await tasks.createTask({
        task: task({ taskId: 'T-3', rfc_id: 'RFC-12', findingId: 'F-12-1' }),
      });
      const id = { tenant_id: 'default', rfc_id: 'RFC-1' };
      await trail.decide(decisionOn(id, 'op-1', { action: 'delete' }));
      const page = await tasks.listPendingTasks({
        tenant_id: 'default',
        limit: 9,
        cursor: null,
      });
      t.deepEqual(
        page.tasks.map(({ taskId }) => taskId),
        ['T-3'],
      );
      for (const fields of [{ resolvedBy: 'agent' }, { status: 'pending' }] as const) {
        await fails(t, tasks.updateTask(update({ task_id: 'T-2', ...fields })), 'NOT_FOUND');
      }
      await fails(t, tasks.createTask({ task: task({ taskId: 'T-4' }) }), 'NOT_FOUND');
      t.is((await tasks.updateTask(update({ task_id: 'T-2' }))).task.status, 'done');
    },
  );
}
