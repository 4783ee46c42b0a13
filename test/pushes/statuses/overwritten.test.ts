import test, { type ExecutionContext } from 'ava';
import type { StatusEvent } from '../../../src/model/push.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { COMMIT_STATUS } from '../../../src/pushes/limits.ts';
import { createStatusGuard } from '../../../src/pushes/statuses/overwritten.ts';
import { statusIntents } from '../../../src/pushes/statuses/post-record.ts';
import { createSteppedClock } from '../../hosts/stepped-clock.ts';
import { dueIds, judged, REPO } from '../../store/conformance/push-steps.ts';
import { NOW } from '../../store/conformance/steps.ts';
import { openHarness } from '../../store/sqlite/harness.ts';

const HOST = { id: 'hub', tenantId: REPO.tenant_id };
const OURS = { state: 'failure', description: '1 critical, 0 high, score 87' };
const THEIRS = { state: 'success', description: 'all is well' };
type Shown = { state: string; description: string } | null;

async function open(t: ExecutionContext) {
  const clock = createSteppedClock(NOW);
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const { pushes, trail } = harness;
  const host = { shown: OURS as Shown, reads: 0, failure: null as Error | null };
  const errors: unknown[] = [];
  let woken = 0;
  const guard = createStatusGuard({
    pushes,
    trail,
    readers: new Map([
      [
        'hub',
        async () => {
          host.reads += 1;
          if (host.failure !== null) throw host.failure;
          return host.shown;
        },
      ],
    ]),
    onReset: () => {
      woken += 1;
    },
    onError: (error) => errors.push(error),
    clock,
  });
  t.teardown(() => guard.stop());
  const record = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
  const place = `${record.repo_full_name}@${record.commit_sha}`;
  const settle = async (over: object = {}, dueMs: number | null = null) => {
    const posted = { ...(await postedOf()), [place]: textOf(OURS), ...over };
    const { tenant_id, rfc_id, rev } = record;
    await pushes.settleStatus({ tenant_id, rfc_id, rev, posted: JSON.stringify(posted), dueMs });
  };
  const postedOf = async (): Promise<Record<string, string>> => {
    const { tenant_id, rfc_id } = record;
    return JSON.parse((await pushes.postedStatus({ tenant_id, rfc_id })).posted ?? '{}');
  };
  await settle();
  const report = async (over: Partial<StatusEvent> = {}) => {
    guard.look(HOST, { ...eventOf(record), ...over });
    await guard.settled();
  };
  const recorded = async () =>
    (await harness.entries()).filter(({ kind }) => kind === 'status-overwritten');
  const later = async (ms: number) => {
    await clock.advance(ms, 0);
    await guard.settled();
  };
  const shared = { harness, host, record, settle, report, later, recorded, errors, place };
  return { ...shared, woken: () => woken };
}

function eventOf(record: RfcRecord): StatusEvent {
  return {
    repoFullName: record.repo_name,
    repositoryId: record.push?.repository_id ?? null,
    origin: null,
    sha: record.commit_sha ?? '',
    component: null,
    sender: 'mallory',
    appIds: null,
    ...THEIRS,
  };
}

const textOf = ({ state, description }: typeof OURS) => `${state}: ${description}`;

test('a status that somebody else overwrote is set again and recorded, three times', async (t) => {
  const { harness, host, record, settle, report, recorded, woken } = await open(t);
  for (let count = 1; count <= COMMIT_STATUS.RESETS_MAX; count += 1) {
    host.shown = THEIRS;
    await report();
    t.is(woken(), count);
    t.deepEqual(await dueIds(harness.pushes), [record.rfc_id], 'the outbox posts it again');
    const [newest] = (await recorded()).slice(-1);
    t.like(newest, { rfc_id: record.rfc_id, principal: null });
    t.like(newest?.details, {
      commit_sha: record.commit_sha,
      component: null,
      set_by: 'mallory',
      state: 'success',
      count,
      count_max: COMMIT_STATUS.RESETS_MAX,
    });
    await settle();
    t.deepEqual(await dueIds(harness.pushes), []);
  }
  // Another program that answers each of ours would go on for ever.
  await report();
  t.is((await recorded()).length, COMMIT_STATUS.RESETS_MAX);
  t.deepEqual(await dueIds(harness.pushes), []);
  t.is(host.reads, COMMIT_STATUS.RESETS_MAX);
});

const QUIET: [name: string, shown: Shown, event: Partial<StatusEvent>, reads: number][] = [
  ['our own status', OURS, OURS, 0],
  ['an older one of ours that comes late', OURS, { state: 'pending', description: 'x' }, 1],
  ['an event without a text that says our state', THEIRS, { ...OURS, description: null }, 0],
  ['a status that is gone', null, {}, 1],
  ['another commit', THEIRS, { sha: 'f'.repeat(40) }, 0],
  ['another repository', THEIRS, { repoFullName: 'acme/other' }, 0],
  ['a component of which we posted nothing', THEIRS, { component: 'web' }, 0],
];

for (const [name, shown, event, reads] of QUIET) {
  test(`${name} changes nothing`, async (t) => {
    const { harness, host, report, recorded } = await open(t);
    host.shown = shown;
    await report(event);
    t.deepEqual(await recorded(), []);
    t.deepEqual(await dueIds(harness.pushes), []);
    t.is(host.reads, reads);
  });
}

test('a pipeline of GitLab that succeeds is a reason to look', async (t) => {
  const { host, report, recorded } = await open(t);
  host.shown = OURS;
  await report({ description: null });
  t.is(host.reads, 1);
  t.deepEqual(await recorded(), [], 'another job of it ended');
  host.shown = THEIRS;
  await report({ description: null });
  t.is((await recorded()).length, 1);
});

test('a component has a status of its own', async (t) => {
  const { harness, host, record, settle, report, recorded, place } = await open(t);
  await settle({ [`${place} web`]: textOf(OURS) });
  host.shown = THEIRS;
  await report({ component: 'web' });
  t.is((await recorded())[0]?.details['component'], 'web');
  t.deepEqual(await dueIds(harness.pushes), [record.rfc_id]);
});

test('a long description of ours that the host cut is ours', async (t) => {
  const { host, settle, report, recorded, place } = await open(t);
  await settle({ [place]: `failure: ${'x'.repeat(200)}` });
  host.shown = { state: 'failure', description: `${'x'.repeat(139)}…` };
  await report(host.shown);
  t.is(host.reads, 0);
  t.deepEqual(await recorded(), []);
});

test('a check run of ours is known by its title, whatever findings it shows', async (t) => {
  const { host, settle, report, recorded, place } = await open(t);
  await settle({ [place]: `${textOf(OURS)} 0123456789abcd_-` });
  await report(OURS);
  t.is(host.reads, 0);
  const longer = { ...OURS, description: OURS.description.slice(0, -1) };
  host.shown = longer;
  await report(longer);
  t.is((await recorded()).length, 1);
});

test('a status that is being posted is looked at again once that is noted', async (t) => {
  const { host, settle, report, later, recorded, place } = await open(t);
  await settle({ [place]: 'pending: the analysis has not ended' }, NOW);
  host.shown = THEIRS;
  await report();
  t.is(host.reads, 0, 'the verdict is not noted yet');
  await settle();
  await later(2_000);
  t.is((await recorded()).length, 1);
});

test('a status that stays due is looked at a few times: it will be posted anyway', async (t) => {
  const { host, settle, report, later } = await open(t);
  await settle({}, NOW);
  host.shown = THEIRS;
  await report();
  for (const ms of COMMIT_STATUS.REPORT_RETRY_MS) await later(ms);
  t.is(host.reads, 0);
});

test('a push whose comment waits for its pull request has its status compared', async (t) => {
  const { harness, host, record, settle, report, recorded, place } = await open(t);
  const [{ state, description } = OURS] = statusIntents(record, {
    isOutdated: false,
    isDeleted: false,
    baseUrl: '',
  }).statuses;
  await settle({ [place]: textOf({ state, description }) }, NOW + 60_000);
  host.shown = THEIRS;
  await report();
  t.is((await recorded()).length, 1);
  t.deepEqual(await dueIds(harness.pushes), [record.rfc_id]);
});

test('while a host cannot be read nothing is recorded', async (t) => {
  const { host, report, recorded, errors } = await open(t);
  host.shown = THEIRS;
  host.failure = new Error('the host failed');
  await report();
  t.is(errors.length, 1);
  t.deepEqual(await recorded(), []);
});

test('a host is read only so often a minute', async (t) => {
  const { host, report } = await open(t);
  host.shown = null;
  for (let n = 0; n < COMMIT_STATUS.READS_PER_MINUTE + 5; n += 1) await report();
  t.is(host.reads, COMMIT_STATUS.READS_PER_MINUTE);
});
