import test, { type ExecutionContext } from 'ava';
import type { CraError } from '../../../../src/model/errors.ts';
import type { TaskRecord } from '../../../../src/model/task.ts';
import { databaseUrl, sharedMongod } from '../../../mongod/mongod.ts';
import { insert, read } from '../../conformance/steps.ts';
import { blockedRecord, decisionOn } from '../../fixtures/decisions.ts';
import { sampleFinding } from '../../fixtures/records.ts';
import { openMongo } from '../harness.ts';

const AT = '2026-11-21T12:00:00.000Z';

function task(over: Partial<TaskRecord>): TaskRecord {
  return {
    ...{ taskId: 'T-1', findingId: 'F-1', title: 'a title', severity: 'high' },
    ...{ description: '', suggestedFix: '', filePath: 'src/a.ts', lineHint: 1 },
    ...{ tenant_id: 'default', rfc_id: 'RFC-1', repo_name: 'acme/shop', status: 'pending' },
    ...{ created_at: AT, created_by: 'somebody', updated_at: AT, rev: 1 },
    ...over,
  };
}

async function openTwo(t: ExecutionContext) {
  const url = databaseUrl(await sharedMongod());
  const one = await openMongo(url, Date.now, 'daemon-1');
  const two = await openMongo(url, Date.now, 'daemon-2');
  t.teardown(async () => {
    await one.connection.db.dropDatabase();
    await one.close();
    await two.close();
  });
  return [one, two] as const;
}

test('two daemons make one open task of a finding, and close and reopen it', async (t) => {
  const daemons = await openTwo(t);
  for (let round = 0; round < 10; round += 1) {
    const findingId = `F-${round}`;
    const made = await Promise.all(
      [...daemons, ...daemons].map(({ tasks }, n) =>
        tasks.createTask({ task: task({ taskId: `T-${round}-${n}`, findingId }) }),
      ),
    );
    t.is(made.filter(({ created }) => created).length, 1);
    const task_id = made[0]?.task.taskId ?? '';
    t.true(made.every((one) => one.task.taskId === task_id));
    const close = { tenant_id: 'default', task_id, status: 'done', resolved_by: null, at: AT };
    const closed = await Promise.all(
      daemons.map(({ tasks }) => tasks.updateTask({ ...close, status: 'done' })),
    );
    t.deepEqual(
      closed.map((one) => one.task.rev),
      [2, 2],
    );
  }
});

test('a finding is resolved whatever else happens to its RFC', async (t) => {
  const [one, two] = await openTwo(t);
  for (let round = 0; round < 20; round += 1) {
    const findings = [1, 2].map((n) => ({ ...sampleFinding(n), finding_id: `F-${round}-${n}` }));
    const blocked = blockedRecord({ rfc_id: `RFC-${round}` });
    const gates = { ...blocked.gates, risk: { ...blocked.gates.risk, findings } };
    const record = { ...blocked, gates };
    await insert(one.store, record);
    for (const n of [1, 2]) {
      const ids = { taskId: `T-${round}-${n}`, findingId: `F-${round}-${n}` };
      await one.tasks.createTask({ task: task({ ...ids, rfc_id: record.rfc_id }) });
    }
    const close = { tenant_id: 'default', status: 'done', resolved_by: 'agent', at: AT } as const;
    const [decision] = await Promise.allSettled([
      two.trail.decide(decisionOn(record, `op-${round}`)),
      one.tasks.updateTask({ ...close, task_id: `T-${round}-1` }),
      two.tasks.updateTask({ ...close, task_id: `T-${round}-2` }),
    ]);
    const after = await read(one.store, record);
    t.deepEqual(
      after.gates.risk.findings.map(({ resolved }) => resolved?.by),
      ['agent', 'agent'],
    );
    // A decision on what was just changed is refused as a whole.
    const isDecided = decision.status === 'fulfilled';
    if (!isDecided) t.is((decision.reason as CraError).code, 'ABORTED');
    t.is(after.overall_status, isDecided ? 'OVERRIDDEN' : 'BLOCKED');
    t.is(after.rev, record.rev + (isDecided ? 3 : 2));
  }
});
