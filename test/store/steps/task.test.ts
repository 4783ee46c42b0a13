import test from 'ava';
import { CraError } from '../../../src/model/errors.ts';
import type { TaskRecord, TaskStatus } from '../../../src/model/task.ts';
import { updatedTask } from '../../../src/store/steps/task.ts';
import { blockedRecord, findingWith } from '../fixtures/decisions.ts';
import { createRandom, frozen } from './random.ts';

const AT = '2026-11-21T11:00:00.000Z';
const STATUSES: readonly TaskStatus[] = ['pending', 'picked', 'done', 'failed'];
const RUNS = 2_000;

function taskWith(overrides: Partial<TaskRecord>): TaskRecord {
  return {
    taskId: 'T-1',
    findingId: 'F-1',
    title: 'secret',
    severity: 'high',
    description: '',
    suggestedFix: '',
    filePath: 'a.ts',
    lineHint: 1,
    tenant_id: 'default',
    rfc_id: 'RFC-1',
    repo_name: 'Org/Repo',
    status: 'pending',
    created_at: AT,
    created_by: 'alice',
    updated_at: AT,
    rev: 1,
    ...overrides,
  };
}

test('updatedTask sets a status and marks the finding, or refuses; it changes nothing itself', (t) => {
  const met = new Set<string>();
  for (let seed = 0; seed < RUNS; seed += 1) {
    const random = createRandom(seed);
    const record = random.maybe()
      ? blockedRecord({ rfc_id: 'RFC-1' }, random.maybe() ? [findingWith('a')] : [])
      : null;
    const known = frozen(taskWith({ status: random.one(STATUSES), rev: random.number(5) + 1 }));
    const open = random.one([null, known, taskWith({ taskId: 'T-2' })]);
    const status = random.one(STATUSES);
    const resolvedBy = random.one([null, 'alice']);
    const input = { tenant_id: 'default', task_id: 'T-1', status, resolvedBy, at: AT };
    const isOpened = status === 'pending' || status === 'picked';
    const hasFinding = record?.gates.risk.findings.length === 1;
    const needsFinding = isOpened || resolvedBy !== null;
    const isSecond = isOpened && open?.taskId === 'T-2';
    const run = () => updatedTask(known, input, { record: frozen(record), open });
    if (needsFinding && !hasFinding) {
      t.like(t.throws(run, { instanceOf: CraError }), { code: 'NOT_FOUND' }, `seed ${seed}`);
      met.add('gone');
      continue;
    }
    if (isSecond) {
      t.like(t.throws(run, { instanceOf: CraError }), { code: 'ALREADY_EXISTS' }, `seed ${seed}`);
      met.add('second');
      continue;
    }
    const { task, record: next } = run();
    met.add(next === null ? 'set' : 'marked');
    t.is(task === known, known.status === status, `seed ${seed}`);
    t.is(task.rev, known.rev + (known.status === status ? 0 : 1));
    t.is(next !== null, resolvedBy !== null);
    if (next === null || record === null) continue;
    t.is(next.rev, record.rev + 1);
    t.is(next.overall_status, record.overall_status);
    t.deepEqual(next.gates.risk.findings[0]?.resolved, { by: 'alice', at: AT });
  }
  t.deepEqual([...met].sort(), ['gone', 'marked', 'second', 'set']);
});
