import test, { type ExecutionContext } from 'ava';
import type { Finding } from '../../src/model/finding.ts';
import { TASKS } from '../../src/model/limits.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { STATUSES } from '../../src/model/rfc.ts';
import { createTaskQueue } from '../../src/tasks/tasks.ts';
import { fails, insert, NOW, read } from '../store/conformance/steps.ts';
import { blockedRecord, decisionOn, MANAGER } from '../store/fixtures/decisions.ts';
import { sampleFinding, sampleRecord } from '../store/fixtures/records.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const OTHER_TENANT = { ...MANAGER, tenant_id: 'other' };

function finding(rfcHex: string, index: number, over: Partial<Finding> = {}): Finding {
  return { ...sampleFinding(index), finding_id: `F-${rfcHex}-${index}`, ...over };
}

async function openQueue(t: ExecutionContext) {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const { store, trail, tasks } = harness;
  const parts = { ...tasks, findFindings: store.findFindings, listRfcs: store.listRfcs };
  return {
    store,
    trail,
    tasks: createTaskQueue(parts, () => NOW),
    block: (rfc_id: string, findings: Finding[], over: Partial<RfcRecord> = {}) =>
      insert(store, blockedRecord({ rfc_id, repo_name: 'acme/shop', ...over }, findings)),
  };
}

test('a task tells an agent what the finding knows', async (t) => {
  const { tasks, block } = await openQueue(t);
  const fix = 'Take it out';
  await block('RFC-A1', [finding('A1', 1), finding('A1', 2, { file: 'a.ts', line: 12, fix })]);
  const { taskId, ...task } = await tasks.create(MANAGER, 'F-A1-2');
  t.regex(taskId, /^T-[0-9a-f-]{36}$/);
  t.deepEqual(task, {
    findingId: 'F-A1-2',
    title: 'secret-example in acme/shop, a.ts',
    severity: 'high',
    description: sampleFinding(2).message,
    suggestedFix: fix,
    filePath: 'a.ts',
    lineHint: 12,
    status: 'pending',
    created: true,
  });
  const page = await tasks.pending(MANAGER, 10, null);
  const { status, created, ...listed } = task;
  t.deepEqual(page.tasks, [{ taskId, ...listed }]);
  t.is(page.next_cursor, null);
});

test('a finding about the whole change gives a task without file, line 0 and no fix', async (t) => {
  const { tasks, block } = await openQueue(t);
  const nowhere = { file: null, line: null, end_line: null, column: null, fix: null };
  await block('RFC-A1', [finding('A1', 1, nowhere)]);
  t.like(await tasks.create(MANAGER, 'F-A1-1'), {
    title: 'secret-example in acme/shop',
    suggestedFix: '',
    filePath: '',
    lineHint: 0,
  });
});

test('the title of a task holds that of its finding', async (t) => {
  const { tasks, block } = await openQueue(t);
  await block('RFC-A1', [finding('A1', 1, { file: 'a.ts', title: 'Hard-coded example' })]);
  const { title } = await tasks.create(MANAGER, 'F-A1-1');
  t.is(title, 'secret-example in acme/shop, a.ts: Hard-coded example');
});

test('a title is cut without halving a character', async (t) => {
  const { tasks, block } = await openQueue(t);
  await block('RFC-A1', [finding('A1', 1, { file: '\u{1f600}'.repeat(TASKS.TITLE_CHARS_MAX) })]);
  const { title } = await tasks.create(MANAGER, 'F-A1-1');
  t.true(title.length <= TASKS.TITLE_CHARS_MAX && title.isWellFormed());
});

test('asking again answers the open task; after it has failed there is a new one', async (t) => {
  const { tasks, block } = await openQueue(t);
  await block('RFC-A1', [finding('A1', 1)]);
  const first = await tasks.create(MANAGER, 'F-A1-1');
  await tasks.update(MANAGER, { taskId: first.taskId, status: 'picked' });
  const again = await tasks.create(MANAGER, 'F-A1-1');
  t.deepEqual(again, { ...first, status: 'picked', created: false });
  await tasks.update(MANAGER, { taskId: first.taskId, status: 'failed' });
  t.true((await tasks.create(MANAGER, 'F-A1-1')).created);
});

test('a rule names a finding as long as no other open one has it', async (t) => {
  const { tasks, block } = await openQueue(t);
  const suppressed = { by: 'marker', reason: 'a test' };
  await block('RFC-A1', [
    finding('A1', 1, { id: 'risk-a', suppressed }),
    finding('A1', 2, { id: 'risk-a', resolved: { by: 'x', at: 'y' } }),
    finding('A1', 3, { id: 'risk-a' }),
    finding('A1', 4, { id: 'risk-b' }),
  ]);
  t.is((await tasks.create(MANAGER, 'risk-a')).findingId, 'F-A1-3');
  await block('RFC-A2', [finding('A2', 1, { id: 'risk-a' })]);
  await fails(t, tasks.create(MANAGER, 'risk-a'), 'FAILED_PRECONDITION');
  t.is((await tasks.create(MANAGER, 'risk-b')).findingId, 'F-A1-4');
});

for (const overall_status of STATUSES) {
  const isFound = overall_status !== 'DRAFT';
  test(`the rule of a finding in an RFC that is ${overall_status}: found is ${isFound}`, async (t) => {
    const { tasks, block } = await openQueue(t);
    await block('RFC-A1', [finding('A1', 1, { id: 'risk-a' })], { overall_status });
    await block('RFC-A2', [], { overall_status: 'PASSED' });
    if (isFound) t.is((await tasks.create(MANAGER, 'risk-a')).findingId, 'F-A1-1');
    else await fails(t, tasks.create(MANAGER, 'risk-a'), 'NOT_FOUND');
  });
}

test('deleting an RFC closes its tasks, and its findings can not be marked any more', async (t) => {
  const { tasks, block, trail } = await openQueue(t);
  await block('RFC-A1', [finding('A1', 1), finding('A1', 2)]);
  await block('RFC-A12', [finding('A12', 1)]);
  const gone = await tasks.create(MANAGER, 'F-A1-1');
  await tasks.create(MANAGER, 'F-A1-2');
  await tasks.create(MANAGER, 'F-A12-1');
  const record = blockedRecord({ rfc_id: 'RFC-A1' });
  await trail.decide(decisionOn(record, 'op-1', { action: 'delete' }));
  const { tasks: left } = await tasks.pending(MANAGER, 10, null);
  t.deepEqual(
    left.map(({ findingId }) => findingId),
    ['F-A12-1'],
  );
  const update = { taskId: gone.taskId, status: 'done', markFixed: true } as const;
  await fails(t, tasks.update(MANAGER, update), 'NOT_FOUND');
  await fails(
    t,
    tasks.update(MANAGER, { ...update, markFixed: false, status: 'picked' }),
    'NOT_FOUND',
  );
  t.is((await tasks.update(MANAGER, { ...update, markFixed: false })).status, 'done');
});

test('what is not a finding of the tenant is not found', async (t) => {
  const { tasks, block, store } = await openQueue(t);
  await block('RFC-A1', [finding('A1', 1)]);
  await insert(store, sampleRecord({ rfc_id: 'RFC-A3' }));
  for (const id of ['F-A1-2', 'F-A1-0', 'F-A9-1', 'F-A3-1', 'risk-none', 'F-', '', 'RFC-A1']) {
    await fails(t, tasks.create(MANAGER, id), 'NOT_FOUND');
  }
  await fails(t, tasks.create(OTHER_TENANT, 'F-A1-1'), 'NOT_FOUND');
  await fails(t, tasks.create(OTHER_TENANT, 'secret-example'), 'NOT_FOUND');
});

test('tasks of another tenant are neither seen nor changed', async (t) => {
  const { tasks, block } = await openQueue(t);
  await block('RFC-A1', [finding('A1', 1)]);
  const { taskId } = await tasks.create(MANAGER, 'F-A1-1');
  t.deepEqual((await tasks.pending(OTHER_TENANT, 10, null)).tasks, []);
  await fails(t, tasks.update(OTHER_TENANT, { taskId, status: 'done' }), 'NOT_FOUND');
  t.is((await tasks.pending(MANAGER, 10, null)).tasks.length, 1);
});

test('markFixed resolves the finding and leaves the verdict; without it the finding stays', async (t) => {
  const { tasks, block, store } = await openQueue(t);
  const record = blockedRecord({ rfc_id: 'RFC-A1' });
  await block('RFC-A1', [finding('A1', 1), finding('A1', 2)]);
  const { taskId } = await tasks.create(MANAGER, 'F-A1-1');
  await tasks.update(MANAGER, { taskId, status: 'picked', markFixed: false });
  t.is((await read(store, record)).gates.risk.findings[0]?.resolved, null);
  await tasks.update(MANAGER, { taskId, status: 'done', markFixed: true });
  const { gates, overall_status } = await read(store, record);
  t.is(overall_status, 'BLOCKED');
  t.is(gates.risk.findings[0]?.resolved?.by, MANAGER.id);
  t.is(gates.risk.findings[1]?.resolved, null);
  t.deepEqual((await tasks.pending(MANAGER, 10, null)).tasks, []);
});

test('pending tasks come in pages; a cursor that was not given is refused', async (t) => {
  const { tasks, block } = await openQueue(t);
  await block(
    'RFC-A1',
    [1, 2, 3].map((index) => finding('A1', index)),
  );
  for (const index of [1, 2, 3]) await tasks.create(MANAGER, `F-A1-${index}`);
  const first = await tasks.pending(MANAGER, 2, null);
  const rest = await tasks.pending(MANAGER, 2, first.next_cursor);
  const ids = [...first.tasks, ...rest.tasks].map(({ findingId }) => findingId);
  t.deepEqual(ids, ['F-A1-1', 'F-A1-2', 'F-A1-3']);
  t.is(rest.next_cursor, null);
  await fails(t, tasks.pending(MANAGER, 2, 'x'), 'INVALID_ARGUMENT');
});
