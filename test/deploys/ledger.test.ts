import test from 'ava';
import { createBoundCheck } from '../../src/auth/access.ts';
import { figuresSince } from '../../src/deploys/figures.ts';
import type { ActiveFreeze } from '../../src/deploys/freezes.ts';
import { createDeployLedger, type LedgerQuestion } from '../../src/deploys/ledger.ts';
import { runsSince } from '../../src/deploys/runs.ts';
import {
  DEPLOYS,
  type DeployReport,
  type DeployRequest,
  OUTCOMES,
  type OutcomeRequest,
  type PassFreezeRequest,
  placeKey,
  placeOf,
  reportOrder,
} from '../../src/model/deploy.ts';
import { CraError } from '../../src/model/errors.ts';
import type { ServiceEvent } from '../../src/model/event.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { ReportStore } from '../../src/store/contract/deploys.ts';
import type { EventStore } from '../../src/store/contract/events.ts';
import type { RecordStore } from '../../src/store/contract/records.ts';
import { sampleReport } from '../store/conformance/deploys.ts';
import { createRandom, type Random } from '../store/steps/random.ts';

const SHAS = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
const START_MS = Date.UTC(2026, 10, 21, 12);
const NOW_MS = START_MS + 3_600_000;
const time = (minute: number) => new Date(START_MS + minute * 60_000).toISOString();

/** What runs after each minute, told by walking through the reports from the oldest. */
function modelRuns(reports: readonly DeployReport[], minutes: number): (string | null)[] {
  return Array.from({ length: minutes }, (_, minute) => {
    const known = reports.filter(({ at }) => at <= time(minute));
    const succeeded = known.filter(({ result }) => result === 'succeeded');
    const standing = succeeded.filter(
      ({ sha, at }) =>
        !known.some((later) => {
          return later.result === 'rolled_back' && later.sha === sha && later.at >= at;
        }),
    );
    return standing.sort((a, b) => (reportOrder(a) < reportOrder(b) ? 1 : -1))[0]?.sha ?? null;
  });
}

function anyReports(random: Random): DeployReport[] {
  return Array.from({ length: 1 + random.number(12) }, (_, n) =>
    sampleReport({
      report_id: `D-${n}`,
      sha: random.one(SHAS),
      result: random.one(['started', 'succeeded', 'succeeded', 'failed', 'rolled_back'] as const),
      at: time(random.number(10)),
    }),
  );
}

test('figuresSince counts each failed deploy once, by what made it fail, until another runs', async (t) => {
  const [a = '', b = '', c = ''] = SHAS;
  const told: [number, string, DeployReport['result']][] = [
    [0, a, 'succeeded'],
    [10, b, 'started'],
    [11, b, 'failed'],
    [20, b, 'succeeded'],
    [21, b, 'incident'],
    [25, b, 'rolled_back'],
    [30, c, 'succeeded'],
    [31, c, 'defect'],
    [40, c, 'fine'],
    [50, c, 'failed'],
  ];
  const reports = told.map(([minute, sha, result]) =>
    sampleReport({ report_id: `D-${minute}`, sha, result, at: time(minute) }),
  );
  const newestFirst = reports.reverse();
  const of = (from: number) => figuresSince(async (at) => newestFirst[at] ?? null, time(from));
  t.deepEqual(await of(0), {
    days: [{ date: '2026-11-21', deploys: 5, failed: 3 }],
    deploys: 5,
    failures: { failed: 2, rolled_back: 1, replaced: 0, reverted: 0, incident: 0, defect: 0 },
    restore_seconds: 300,
    restored: 2,
    unrestored: 1,
  });
  // The deploy that the statement is about was before the time asked for.
  t.like(await of(21), { deploys: 2, restored: 0, unrestored: 1 });
  t.like(await of(51), { days: [], deploys: 0, restore_seconds: null });
});

test('runsSince tells what ran at each minute as a walk through all reports does', async (t) => {
  const random = createRandom(43);
  for (let round = 0; round < 400; round += 1) {
    const reports = anyReports(random);
    const from = random.number(10);
    const newestFirst = [...reports].sort((a, b) => (reportOrder(a) < reportOrder(b) ? 1 : -1));
    const runs = await runsSince(async (index) => newestFirst[index] ?? null, time(from));
    const told = Array.from({ length: 10 }, (_, minute) => {
      const at = time(minute);
      return runs.find(({ since, until }) => since <= at && (until === null || at < until))?.sha;
    });
    const expected = modelRuns(reports, 10);
    const title = JSON.stringify(reports.map(({ at, sha, result }) => [at, sha[0], result]));
    for (let minute = from; minute < 10; minute += 1) {
      t.is(told[minute] ?? null, expected[minute] ?? null, `${minute} of ${title}`);
    }
    // The first minute of a run is the one in which it began, however long before `from` that was.
    const [first] = runs.slice(-1);
    if (first !== undefined) {
      const begun = reports.some(({ at }) => at === first.since);
      const before = modelRuns(reports, 10)[
        Math.round((Date.parse(first.since) - START_MS) / 60_000) - 1
      ];
      t.true(begun && before !== first.sha, title);
    }
  }
});

const findFreezes = async () => [];

const CALLER: Principal = {
  id: 'api-token:1a2b3c4d',
  name: null,
  credential: 'api-token',
  role: 'submitter',
  tenant_id: 'default',
};

/** A ledger over a store in memory, and the entries that it wrote. */
function openLedger(clock: { ms: number } = { ms: NOW_MS }, active: readonly ActiveFreeze[] = []) {
  const findFreezes = async () => [...active];
  const reports = new Map<string, DeployReport>();
  const entries = new Map<string, string>();
  const deploys: ReportStore = {
    async addReport({ report }) {
      const known = reports.get(report.report_id);
      if (known !== undefined) return { report: known, added: false };
      reports.set(report.report_id, report);
      return { report, added: true };
    },
    async reportsBelow({ place, order, limit }) {
      const sorted = [...reports.values()].filter((report) => {
        return placeKey(report) === place && reportOrder(report) < order;
      });
      sorted.sort((a, b) => (reportOrder(a) < reportOrder(b) ? 1 : -1));
      return { reports: sorted.slice(0, limit) };
    },
    async reportsOf({ sha, result, limit, ...below }) {
      const page = await deploys.reportsBelow({ ...below, limit: reports.size });
      const found = page.reports.filter((one) => one.sha === sha && one.result === result);
      return { reports: found.slice(0, limit) };
    },
    async nextPlace({ after }) {
      const places = [...new Set([...reports.values()].map((report) => placeKey(report)))].sort();
      return { place: places.find((place) => place > after) ?? null };
    },
  };
  const trail = {
    async appendEvent({ event }: { event: { op_id: string; details: object } }) {
      const known = entries.get(event.op_id);
      const text = JSON.stringify(event.details);
      if (known !== undefined && known !== text) throw new CraError('ALREADY_EXISTS', 'another');
      entries.set(event.op_id, text);
      return { chain: 'c', seq: entries.size, replayed: known !== undefined };
    },
  };
  const told = new Map<string, ServiceEvent>();
  const outbox = { isAway: false };
  const events: Pick<EventStore, 'addEvents'> = {
    async addEvents({ events: added }) {
      if (outbox.isAway) throw new CraError('UNAVAILABLE', 'the store is away');
      for (const event of added) told.set(event.event_id, event);
      return { ok: true };
    },
  };
  const redact = async (texts: readonly string[]) =>
    texts.map((text) => text.replace('hunter2', '[redacted]'));
  const rfcs = new Map<string, { repo_name: string; commit_sha: string | null; at: string }>();
  const repos: string[] = [];
  const records: Pick<RecordStore, 'getRfc' | 'rfcsOfCommit'> = {
    async getRfc({ rfc_id }) {
      const rfc = rfcs.get(rfc_id);
      if (rfc === undefined) throw new CraError('NOT_FOUND', 'there is no such RFC');
      const json = Buffer.from(JSON.stringify({ ...rfc, rfc_id, created_at: rfc.at }));
      return { overall_status: 'PASSED', rev: 1, json };
    },
    async rfcsOfCommit({ commit_sha }) {
      const found = [...rfcs].filter(([, rfc]) => rfc.commit_sha === commit_sha);
      return { rfc_ids: found.map(([rfc_id]) => rfc_id), has_more: false };
    },
  };
  const ledger = createDeployLedger({
    deploys,
    trail,
    events,
    records,
    redact,
    findFreezes,
    now: () => clock.ms,
  });
  const requester = { principal: CALLER, remoteAddress: '', signal: null, idempotencyKey: null };
  const report = (fields: Partial<DeployRequest>) =>
    ledger.report(
      {
        repo: 'acme/shop',
        environment: 'prod',
        sha: SHAS[0] ?? '',
        result: 'succeeded',
        ...fields,
      },
      requester,
    );
  const running = (component: string | null = null) =>
    ledger.running(CALLER, { ...WHOLE, component });
  const passFreeze = (fields: Partial<PassFreezeRequest>, role: Principal['role'] = 'admin') => {
    const principal = { ...CALLER, role, credential: 'oidc' as const };
    return ledger.passFreeze(
      {
        repo: WHOLE.repo,
        environment: 'prod',
        sha: SHAS[0] ?? '',
        freeze: 'f',
        reason: 'an outage',
        ...fields,
      },
      { ...requester, principal },
    );
  };
  const state = (fields: Partial<OutcomeRequest>) =>
    ledger.state(
      { repo: WHOLE.repo, environment: 'prod', sha: SHAS[0] ?? '', kind: 'defect', ...fields },
      requester,
      (repo) => repos.push(repo),
    );
  const stateOf = (request: OutcomeRequest) =>
    ledger.state(request, requester, (repo) => repos.push(repo));
  const outcomes = async (sha: string | null = null) => {
    const all = { environment: null, repo: null, component: null, limit: 10, cursor: null, sha };
    const { places } = await ledger.outcomes(CALLER, all);
    return places.flatMap((place) =>
      place.outcomes.map((one) => [one.sha?.slice(0, 1), one.kind, one.at, one.url]),
    );
  };
  const asked = { ledger, report, running, passFreeze, state, stateOf, outcomes };
  return { ...asked, deploys, trail, records, reports, entries, told, outbox, rfcs, repos };
}

const WHOLE = { environment: 'prod', repo: 'acme/shop', component: null };

test('doubled and reordered reports of deploys give one ledger', async (t) => {
  const random = createRandom(44);
  const said: Partial<DeployRequest>[] = [
    { sha: SHAS[0] ?? '', result: 'succeeded', at: time(1) },
    { sha: SHAS[1] ?? '', result: 'started', at: time(2) },
    { sha: SHAS[1] ?? '', result: 'succeeded', at: time(4), started_at: time(2) },
    { sha: SHAS[2] ?? '', result: 'started', at: time(5) },
    { sha: SHAS[2] ?? '', result: 'failed', at: time(6), started_at: time(5) },
  ];
  for (let round = 0; round < 20; round += 1) {
    const { report, running, reports, entries, told } = openLedger();
    const sent = [...said, ...said].sort(() => (random.maybe() ? -1 : 1));
    for (const each of sent) await report(each);
    t.is(reports.size, said.length);
    t.is(entries.size, said.length);
    const types = [...told.values()].sort((a, b) => a.place - b.place).map(({ type }) => type);
    t.deepEqual(
      types,
      said.map(({ result }) => `deploy.${result}`),
    );
    const run = await running();
    t.deepEqual([run?.sha, run?.since, run?.until], [SHAS[1], time(4), null]);
  }
});

test('a report that comes again with another url is refused', async (t) => {
  const { report } = openLedger();
  await report({ at: time(1), url: 'https://ci.example/1' });
  await t.throwsAsync(report({ at: time(1), url: 'https://ci.example/2' }), {
    code: 'ALREADY_EXISTS',
  });
});

test('a report whose clock shows no time leaves no entry in the trail', async (t) => {
  const { report, entries } = openLedger();
  const sent_at = '2026-02-30T12:00:00Z';
  await t.throwsAsync(report({ sent_at }), { code: 'INVALID_ARGUMENT', message: /sent_at/ });
  t.is(entries.size, 0);
});

test('clocks of callers that differ do not change the order of deploys', async (t) => {
  const clock = { ms: NOW_MS };
  const { report, running } = openLedger(clock);
  const fast = 10 * 60_000;
  const local = (ms: number) => new Date(ms).toISOString();
  // Ahead, and says so or not: never later than the report.
  const ahead = { at: local(clock.ms + fast), sent_at: local(clock.ms + fast) };
  t.is((await report({ sha: SHAS[0] ?? '', ...ahead })).deploy.at, local(clock.ms));
  clock.ms += 60_000;
  t.is(
    (await report({ sha: SHAS[1] ?? '', at: local(clock.ms + fast) })).deploy.at,
    local(clock.ms),
  );
  clock.ms += 60_000;
  // Behind, and says so.
  const behind = { at: local(clock.ms - fast), sent_at: local(clock.ms - fast) };
  t.is((await report({ sha: SHAS[2] ?? '', ...behind })).deploy.at, local(clock.ms));
  t.is((await running())?.sha, SHAS[2]);
  // An end that another machine reports does not come before its start.
  const { deploy } = await report({ at: time(1), started_at: time(3) });
  t.is(deploy.at, time(3));
});

for (const at of ['2026-02-30T10:00:00Z', '2026-11-21T25:00:00Z']) {
  test(`a report of ${at} is refused`, async (t) => {
    await t.throwsAsync(openLedger().report({ at }), { code: 'INVALID_ARGUMENT' });
  });
}

test('an API token that is bound to environments may not name others', (t) => {
  const requireBound = createBoundCheck({ '1a2b3c4d': { environments: ['prod'] } });
  t.notThrows(() => requireBound(CALLER, 'environments', 'Prod'));
  t.notThrows(() => requireBound(CALLER, 'repos', 'any/repo'));
  t.notThrows(() => requireBound({ ...CALLER, id: 'api-token:0' }, 'environments', 'staging'));
  t.throws(() => requireBound(CALLER, 'environments', 'staging'), { code: 'PERMISSION_DENIED' });
});

test('places are listed by pages, and narrowed without a look at those in between', async (t) => {
  const places = ['prod', 'stage', 'test'].flatMap((environment) =>
    ['acme/a', 'acme/b', 'acme/c'].flatMap((repo) =>
      [null, 'pay'].map((component) => placeKey({ environment, repo, component })),
    ),
  );
  let looks = 0;
  const deploys: ReportStore = {
    addReport: async ({ report }) => ({ report, added: true }),
    reportsOf: async () => ({ reports: [] }),
    reportsBelow: async ({ place }) => {
      const report = sampleReport({ ...placeOf(place), at: time(0) });
      return { reports: [report] };
    },
    nextPlace: async ({ after }) => {
      looks += 1;
      return { place: places.find((place) => place > after) ?? null };
    },
  };
  const trail = { appendEvent: async () => ({ chain: '', seq: 1, replayed: false }) };
  const redact = async (texts: readonly string[]) => [...texts];
  const events = { addEvents: async () => ({ ok: true as const }) };
  const { list } = createDeployLedger({
    deploys,
    trail,
    events,
    records: openLedger().records,
    redact,
    findFreezes,
    now: () => NOW_MS,
  });
  const ask = async (over: Partial<LedgerQuestion>) => {
    const all = {
      environment: null,
      repo: null,
      component: null,
      at: null,
      limit: 4,
      cursor: null,
    };
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(CALLER, { ...all, ...over, cursor });
      t.true(page.places.length <= 4);
      found.push(...page.places.map((place) => placeKey(place)));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  };
  t.deepEqual(await ask({}), places);
  const of = (part: string) => places.filter((place) => place.includes(part));
  t.deepEqual(await ask({ environment: 'Stage' }), of('stage'));
  t.deepEqual(await ask({ component: 'pay' }), of('pay'));
  looks = 0;
  t.deepEqual(await ask({ repo: 'Acme/B' }), of('acme/b'));
  t.true(looks < places.length, `${looks}`);
});

test('places of changes by themselves take no room in lists of deploys', async (t) => {
  const { report, ledger, deploys } = openLedger();
  await report({});
  for (let index = 0; index < 5; index += 1) {
    const of = { report_id: `R-${index}`, repo: `acme/${index}`, environment: '' };
    const found = sampleReport({ ...of, result: 'reverted', at: time(0) });
    await deploys.addReport({ tenant_id: 'default', report: found });
  }
  const all = { environment: null, repo: null, component: null, limit: 2, cursor: null };
  const { places } = await ledger.list(CALLER, { ...all, at: null });
  t.deepEqual(
    places.map(({ environment }) => environment),
    ['prod'],
  );
  const figures = await ledger.figures(CALLER, { ...all, days: 30 });
  t.deepEqual(
    figures.places.map(({ deploys }) => deploys),
    [1],
  );
  const outcomes = await ledger.outcomes(CALLER, { ...all, limit: 10, sha: null });
  t.is(outcomes.places.length, 5);
});

test('figures read what became of the changes of a repository once', async (t) => {
  const { report, ledger, deploys } = openLedger();
  for (const environment of ['prod', 'stage', 'test']) await report({ environment });
  let reads = 0;
  const { reportsBelow } = deploys;
  const counted: typeof reportsBelow = (input) => {
    if (placeOf(input.place).environment === '') reads += 1;
    return reportsBelow(input);
  };
  Object.assign(deploys, { reportsBelow: counted });
  const all = { environment: null, repo: null, component: null, limit: 10, cursor: null };
  const { places } = await ledger.figures(CALLER, { ...all, days: 30 });
  t.deepEqual([places.length, reads], [3, 1]);
});

test('a person lets a commit pass a freeze for a reason; a lower role does not', async (t) => {
  const freeze = { id: 'year-end', calendar: '', reason: 'r', may_pass: 'change-manager' as const };
  const active = [{ freeze, since: time(0), until: 'later' }];
  const { ledger, passFreeze, entries } = openLedger({ ms: NOW_MS }, active);
  const pass = { freeze: 'year-end' };
  await t.throwsAsync(passFreeze(pass, 'cab-member'), { code: 'PERMISSION_DENIED' });
  await t.throwsAsync(passFreeze({ freeze: 'other' }), { code: 'NOT_FOUND' });
  t.is(entries.size, 0);
  await passFreeze(pass, 'change-manager');
  t.is(entries.size, 1);
  const has = (sha: string, since: string, component: string | null = null) =>
    ledger.hasPassed(CALLER, { ...WHOLE, component }, { sha, freeze: 'year-end', since });
  t.true(await has(SHAS[0] ?? '', time(0)));
  t.true(await has(SHAS[0] ?? '', time(0), 'web'));
  t.false(await has(SHAS[1] ?? '', time(0)));
  t.false(await has(SHAS[0] ?? '', new Date(NOW_MS + 1).toISOString()));
  // It is no deploy.
  t.is(await ledger.running(CALLER, WHOLE), null);
});

test('nobody passes a freeze whose calendar fails, and a pass keeps no secret', async (t) => {
  const freeze = { id: 'f', calendar: '', reason: 'r' };
  const { passFreeze, entries } = openLedger(undefined, [{ freeze, since: null, until: 'an end' }]);
  await t.throwsAsync(passFreeze({}), { code: 'FAILED_PRECONDITION', message: /until an end/ });
  t.is(entries.size, 0);
  const known = openLedger(undefined, [{ freeze, since: time(0), until: 'later' }]);
  const secrets = { repo: 'acme/hunter2', environment: 'hunter2', component: 'hunter2' };
  await known.passFreeze({ ...secrets, reason: 'by hunter2' });
  t.notRegex(JSON.stringify([...known.entries.values(), ...known.reports.values()]), /hunter2/);
});

test('whether a commit ran there is read from its own reports, however many others there are', async (t) => {
  const clock = { ms: NOW_MS };
  const { ledger, report, reports } = openLedger(clock);
  for (let n = 0; n <= DEPLOYS.READ_MAX; n += 1) {
    const report_id = `D-${n}`;
    reports.set(report_id, sampleReport({ report_id, result: 'failed', at: time(1) }));
  }
  await report({ sha: SHAS[1] ?? '', at: time(0) });
  const ran = async (sha: number, before: string | null = null, component: string | null = null) =>
    (await ledger.ranBefore(CALLER, { ...WHOLE, component }, SHAS[sha] ?? '', before))?.at ?? null;
  t.is(await ran(0), null);
  t.is(await ran(1), time(0));
  t.is(await ran(1, null, 'web'), time(0));
  // What is reported now is of no use against what began before, whatever time it says.
  const freezeBegan = new Date(NOW_MS).toISOString();
  t.is(await ran(1, freezeBegan), null);
  clock.ms += 60_000;
  t.is(await ran(1, new Date(NOW_MS + 1).toISOString()), time(0));
  await report({ sha: SHAS[1] ?? '', result: 'rolled_back', at: time(2) });
  t.is(await ran(1), null);
  await report({ sha: SHAS[1] ?? '', at: time(3) });
  t.is(await ran(1), time(3));
});

test('a component runs what was deployed last of it or of the whole repository', async (t) => {
  const { report, running } = openLedger();
  await report({ sha: SHAS[0] ?? '', at: time(1) });
  t.is((await running('web'))?.sha, SHAS[0]);
  await report({ sha: SHAS[1] ?? '', at: time(2), component: 'web' });
  t.is((await running('web'))?.sha, SHAS[1]);
  t.is((await running('pay'))?.sha, SHAS[0]);
  await report({ sha: SHAS[2] ?? '', at: time(3) });
  t.is((await running('web'))?.sha, SHAS[2]);
  t.is((await running())?.sha, SHAS[2]);
});

test('a report whose entry is in the trail does not say that nothing was changed', async (t) => {
  const { report, reports, told, outbox } = openLedger();
  outbox.isAway = true;
  const error = await t.throwsAsync(report({ at: time(1) }), {
    instanceOf: CraError,
    code: 'UNAVAILABLE',
    message: /its entry is in the audit trail.*send it again/,
  });
  t.false('changed' in error.details);
  t.is(reports.size, 1);
  outbox.isAway = false;
  t.true((await report({ at: time(1) })).replayed);
  t.is(told.size, 1);
});

test('runsSince reads each report once', async (t) => {
  const half = 5_000;
  const count = 2 * half;
  // Each commit is rolled back to the one before it.
  const reports = Array.from({ length: count }, (_, n) =>
    sampleReport({
      report_id: `${n}`,
      sha: String(n < half ? half - 1 - n : n - half).padStart(40, '0'),
      result: n < half ? 'rolled_back' : 'succeeded',
      at: new Date(START_MS - n * 1000).toISOString(),
    }),
  );
  let reads = 0;
  const runs = await runsSince(async (index) => {
    reads += 1;
    return reports[index] ?? null;
  }, '2020-01-01T00:00:00.000Z');
  t.is(reads, count + 1);
  t.is(runs.length, count - 1);
});

test('outcomes are read from deploys: failed, rolled back, or replaced by an older commit soon', async (t) => {
  const { report, outcomes } = openLedger({ ms: NOW_MS });
  const hours = (count: number) => new Date(NOW_MS - count * 3_600_000).toISOString();
  const [a = '', b = '', c = ''] = SHAS;
  const said: Partial<DeployRequest>[] = [
    { sha: a, at: hours(90) },
    { sha: b, at: hours(80) },
    // 30 hours later an older commit is deployed: b is not a change that failed by that.
    { sha: a, at: hours(50) },
    { sha: b, at: hours(40) },
    { sha: a, at: hours(39) },
    { sha: c, at: hours(30), result: 'failed', url: 'https://ci.example/1' },
    { sha: c, at: hours(20) },
    { sha: c, at: hours(10), result: 'rolled_back' },
  ];
  const random = createRandom(45);
  for (const each of [...said].sort(() => (random.maybe() ? -1 : 1))) await report(each);
  t.deepEqual(await outcomes(), [
    ['c', 'rolled_back', hours(10), null],
    ['c', 'failed', hours(30), 'https://ci.example/1'],
    ['b', 'replaced', hours(39), null],
  ]);
  t.deepEqual(await outcomes(b.toUpperCase()), [['b', 'replaced', hours(39), null]]);
});

test('statements about a commit that ran are kept, and the newest counts for a time', async (t) => {
  const clock = { ms: NOW_MS };
  const { report, state, outcomes, running, entries, ledger } = openLedger(clock);
  await t.throwsAsync(state({}), { code: 'NOT_FOUND', message: /no report says .* 90 days/ });
  t.is(entries.size, 0);
  await report({ at: time(1) });
  await state({ kind: 'incident', url: 'https://ops.example/hunter2' });
  const first = new Date(clock.ms).toISOString();
  t.deepEqual(await outcomes(), [['a', 'incident', first, 'https://ops.example/[redacted]']]);
  clock.ms += 60_000;
  await state({ kind: 'fine' });
  t.deepEqual(await outcomes(), [['a', 'fine', new Date(clock.ms).toISOString(), null]]);
  // Each statement has its entry in the trail, and none of them is a deploy.
  t.is(entries.size, 3);
  t.is((await running())?.sha, SHAS[0]);
  t.true((await ledger.ranBefore(CALLER, WHOLE, SHAS[0] ?? '', null)) !== null);
  // What runs may be spoken of, however long ago it was deployed; what ran long ago may not.
  clock.ms += (OUTCOMES.DAYS_MAX + 1) * 24 * 3_600_000;
  t.deepEqual(await outcomes(), []);
  await state({ kind: 'defect' });
  await report({ sha: SHAS[1] ?? '' });
  await t.throwsAsync(state({ kind: 'defect' }), { code: 'NOT_FOUND' });
});

test('an outcome of a change needs no environment: by RFC, or by commit', async (t) => {
  const clock = { ms: NOW_MS };
  const { stateOf, report, rfcs, repos, ledger, outcomes, entries } = openLedger(clock);
  const [sha = '', other = ''] = SHAS;
  const repo = WHOLE.repo;
  rfcs.set('RFC-1', { repo_name: repo, commit_sha: sha, at: time(0) });
  rfcs.set('RFC-2', { repo_name: repo, commit_sha: null, at: time(0) });
  rfcs.set('RFC-3', { repo_name: repo, commit_sha: other, at: '2020-01-01T00:00:00.000Z' });
  const byRfc = await stateOf({ rfc_id: 'RFC-1', kind: 'defect' });
  clock.ms += 1;
  const { deploy } = await stateOf({ repo, sha: sha.toUpperCase(), kind: 'incident' });
  t.deepEqual(repos, [repo, repo]);
  t.deepEqual([byRfc.deploy.sha, deploy.rfc_id, deploy.environment], [sha, 'RFC-1', '']);
  await stateOf({ rfc_id: 'RFC-2', kind: 'defect' });
  const all = { environment: null, repo, component: null, limit: 10, cursor: null, sha: null };
  const [place] = (await ledger.outcomes(CALLER, all)).places;
  const told = place?.outcomes.map(({ sha, rfc_id, kind }) => [sha, rfc_id, kind]).sort();
  t.deepEqual(told, [
    [null, 'RFC-2', 'defect'],
    [sha, 'RFC-1', 'incident'],
  ]);
  // It runs nowhere by that.
  t.deepEqual((await ledger.list(CALLER, { ...all, at: null })).places, []);
  // What was observed is no failure any more once somebody says that it is fine.
  await report({ sha: other, result: 'failed' });
  await report({ sha: other });
  await stateOf({ repo, sha: other, environment: 'prod', kind: 'fine' });
  const of = await ledger.outcomes(CALLER, { ...all, environment: 'prod' });
  t.deepEqual(of.places[0]?.outcomes.map(({ kind, is_failure }) => [kind, is_failure]).sort(), [
    ['failed', false],
    ['fine', false],
  ]);
  t.is((await outcomes()).length, 4);
  const count = entries.size;
  const refuse = async (request: Parameters<typeof stateOf>[0], code: string) =>
    await t.throwsAsync(stateOf(request), { code });
  await refuse({ rfc_id: 'RFC-9', kind: 'fine' }, 'NOT_FOUND');
  await refuse({ repo, sha: 'c'.repeat(40), kind: 'fine' }, 'NOT_FOUND');
  await refuse({ rfc_id: 'RFC-3', kind: 'fine' }, 'FAILED_PRECONDITION');
  await refuse({ rfc_id: 'RFC-2', environment: 'prod', kind: 'fine' }, 'FAILED_PRECONDITION');
  await refuse({ rfc_id: 'RFC-1', repo, kind: 'fine' }, 'INVALID_ARGUMENT');
  await refuse({ kind: 'fine' }, 'INVALID_ARGUMENT');
  await refuse({ repo, kind: 'fine' }, 'INVALID_ARGUMENT');
  t.is(entries.size, count);
});

test('outcomes of changes by themselves count in the figures of where they run', async (t) => {
  const clock = { ms: NOW_MS };
  const { report, stateOf, ledger, rfcs } = openLedger(clock);
  const sha = SHAS[0] ?? '';
  await report({ sha, at: time(0) });
  rfcs.set('RFC-1', { repo_name: WHOLE.repo, commit_sha: sha, at: time(0) });
  const all = { environment: null, repo: null, component: null, limit: 10, cursor: null, days: 30 };
  const failures = async () =>
    (await ledger.figures(CALLER, all)).places.map((place) => [
      place.environment,
      place.failures.incident,
    ]);
  t.deepEqual(await failures(), [['prod', 0]]);
  await stateOf({ rfc_id: 'RFC-1', kind: 'incident' });
  t.deepEqual(await failures(), [['prod', 1]]);
  clock.ms += 1;
  await stateOf({ rfc_id: 'RFC-1', kind: 'fine' });
  t.deepEqual(await failures(), [['prod', 0]]);
});
