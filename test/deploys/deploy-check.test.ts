import test from 'ava';
import { createDeployCheck, type DeployCheckOptions } from '../../src/deploys/deploy-check.ts';
import { createFreezeFinder, freezeSentence } from '../../src/deploys/freezes.ts';
import type { ProdVerdict } from '../../src/heads/prod-check.ts';
import { CraError } from '../../src/model/errors.ts';
import type { Freeze } from '../../src/model/freeze.ts';
import type { RfcStatus } from '../../src/model/rfc.ts';
import { sampleReport } from '../store/conformance/deploys.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';
import { createRandom, type Random } from '../store/steps/random.ts';

/** All of them in `npm run proof -- tests`. */
const ROUNDS = process.env['ALL_CASES'] === '1' ? 10_000 : 400;

/** A commit and what is known of it. */
interface Commit {
  sha: string;
  parents: number[];
  /** Null: no RFC names it. */
  status: RfcStatus | null;
  /** Whether its RFC is a push. */
  isPush: boolean;
  /** Whether that push was read whole: one that was not is no accepted head. */
  isSeen: boolean;
  score: number;
}

interface World {
  commits: Commit[];
  running: number | null;
  /** Commits that succeeded there before. */
  ran: number[];
  hasEnded: boolean;
  target: number;
}

const PASSING: readonly (RfcStatus | null)[] = ['PASSED', 'APPROVED', 'OVERRIDDEN'];

function anyWorld(random: Random): World {
  const count = 2 + random.number(9);
  const commits = Array.from({ length: count }, (_, index): Commit => {
    const parents = index === 0 ? [] : [index - 1 - random.number(Math.min(index, 2))];
    if (index > 1 && random.number(4) === 0) parents.push(random.number(index));
    const status = random.one([
      ...(['PASSED', 'PASSED', 'APPROVED', 'OVERRIDDEN'] as const),
      ...(['BLOCKED', 'REJECTED', 'DRAFT', null, null] as const),
    ]);
    const sha = index.toString(16).padStart(40, 'c');
    return {
      sha,
      parents: [...new Set(parents)],
      status,
      isPush: random.maybe(),
      isSeen: random.number(4) > 0,
      score: random.number(101),
    };
  });
  const running = random.number(5) === 0 ? null : random.number(count);
  const ran = running === null ? [] : [running, ...(random.maybe() ? [random.number(count)] : [])];
  const hasEnded = random.number(6) === 0;
  return { commits, running, ran, hasEnded, target: random.number(count) };
}

function reach(commits: readonly Commit[], from: number): Set<number> {
  const found = new Set<number>();
  const left = [from];
  for (const index of left) {
    if (found.has(index)) continue;
    found.add(index);
    left.push(...(commits[index]?.parents ?? []));
  }
  return found;
}

const isAccepted = ({ isPush, isSeen, status }: Commit) =>
  isPush && isSeen && PASSING.includes(status);

/** The conjunction over all RFCs of the range, commit by commit. */
function expected({ commits, running, ran, hasEnded, target }: World): boolean {
  const isOwn = PASSING.includes(commits[target]?.status ?? null);
  if (isOwn && ran.includes(target)) return true;
  if (!isOwn || hasEnded) return false;
  if (running === null) return true;
  const known = reach(commits, running);
  const range = [...reach(commits, target)].filter((index) => !known.has(index));
  return range.every((index) => {
    const isJudged = PASSING.includes(commits[index]?.status ?? null);
    const isCovered = range.some(
      (top) => isAccepted(commits[top] as Commit) && reach(commits, top).has(index),
    );
    return isJudged || isCovered;
  });
}

/** The services of a check over a world. */
function servicesOf({ commits, running, ran, hasEnded }: World): DeployCheckOptions {
  const indexOf = (sha: string) => commits.findIndex((commit) => commit.sha === sha);
  return {
    baseUrl: () => 'https://cra.example',
    async judge(_principal, { sha }): Promise<ProdVerdict> {
      const commit = commits[indexOf(sha ?? '')];
      if (commit?.status == null) throw new CraError('NOT_FOUND', 'no RFC');
      const { status, score, isPush } = commit;
      const facts = { rfc_id: `RFC-${commit.sha}`, risk_score: score, commit_sha: commit.sha };
      const by = { rfc_id: facts.rfc_id, risk_score: score };
      const refusal = PASSING.includes(status) ? null : { reason: `it is ${status}`, by };
      const newest = { ...facts, overall_status: status, pin: null, carried_from: [] };
      const push = { ref: 'refs/heads/main', isAccepted: isAccepted(commit), isUnjudged: false };
      const head = isPush ? { ...newest, ...push, commit_sha: commit.sha } : null;
      return { newest, head, refusal };
    },
    async judgeEnd() {
      const by = { rfc_id: 'RFC-E', risk_score: 1 };
      return hasEnded ? { reason: 'an acceptance ended', by } : null;
    },
    source: {
      async ancestry({ from, without = [], limit }) {
        const left = new Set(without.flatMap((sha) => [...reach(commits, indexOf(sha))]));
        const all = [...reach(commits, indexOf(from))].filter((index) => !left.has(index));
        const shas = all.sort((a, b) => b - a).map((index) => commits[index]?.sha ?? '');
        return { shas: shas.slice(0, limit), hasMore: shas.length > limit };
      },
    },
    pushes: {
      async newestPush() {
        const push = { host: 'hub', repository_id: '1' };
        const record = { repo_name: 'acme/shop', repo_full_name: 'acme/shop', push };
        return { json: Buffer.from(JSON.stringify(record)), overall_status: 'PASSED', rev: 1 };
      },
      async acceptedHeads({ shas }) {
        const accepted = shas.filter((sha) => isAccepted(commits[indexOf(sha)] as Commit));
        return { accepted: accepted.map((sha) => ({ sha, rfc_id: `RFC-${sha}`, ref: 'main' })) };
      },
    },
    records: {
      async getRfc({ rfc_id }) {
        const commit = commits[indexOf(rfc_id.slice('RFC-'.length))];
        const { status: overall_status, score: risk_score, sha: commit_sha } = commit as Commit;
        const json = Buffer.from(JSON.stringify({ overall_status, risk_score, commit_sha }));
        return { json, overall_status: overall_status ?? 'PASSED', rev: 1 };
      },
    },
    findFreezes: async () => [],
    now: () => 0,
    ledger: {
      hasPassed: async () => false,
      async running() {
        const sha = running === null ? null : (commits[running]?.sha ?? null);
        const report = sampleReport({ sha: sha ?? '' });
        return sha === null ? null : { sha, since: report.at, until: null, report };
      },
      async ranBefore(_principal, _place, sha) {
        return ran.includes(indexOf(sha)) ? sampleReport({ sha }) : null;
      },
    },
  };
}

const ask = (world: World) =>
  createDeployCheck(servicesOf(world))(MANAGER, {
    repo: 'acme/shop',
    environment: 'prod',
    branch: null,
    sha: world.commits[world.target]?.sha ?? '',
    component: null,
  });

test('a range may be deployed when each RFC in it lets it pass, by brute force', async (t) => {
  const random = createRandom(4_301);
  let allowedCount = 0;
  let held = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const world = anyWorld(random);
    const title = JSON.stringify(world);
    if (world.commits[world.target]?.status === null) {
      await t.throwsAsync(ask(world), { code: 'NOT_FOUND' }, title);
      continue;
    }
    const { allowed, rfcId, reason, deploy } = await ask(world);
    t.is(allowed, expected(world), title);
    t.is(allowed, deploy.holds.length === 0, title);
    if (allowed) allowedCount += 1;
    else {
      held += 1;
      t.is(reason, deploy.holds[0]?.reason ?? '', title);
      t.true(deploy.holds.every((hold) => (hold.rfc_id === null) === (hold.may_decide === null)));
      t.is(rfcId, deploy.holds.find(({ rfc_id }) => rfc_id !== null)?.rfc_id ?? rfcId, title);
    }
  }
  // Both answers are tried often.
  t.true(allowedCount > ROUNDS / 8 && held > ROUNDS / 8, `${allowedCount} ${held}`);
});

const chain = (statuses: readonly (RfcStatus | null)[], isPush = true): Commit[] =>
  statuses.map((status, index) => ({
    sha: index.toString(16).padStart(40, '0'),
    parents: index === 0 ? [] : [index - 1],
    status,
    isPush,
    isSeen: true,
    score: 50,
  }));

test('a rollback to a commit that stands as accepted is always allowed, and says so', async (t) => {
  const commits = chain(['PASSED', 'BLOCKED', 'PASSED']);
  const world = { commits, running: 2, ran: [2, 0], hasEnded: true, target: 0 };
  const { allowed, reason, deploy } = await ask(world);
  t.true(allowed);
  t.true(deploy.is_rollback);
  t.is(reason, 'the commit ran in prod (2026-11-21T12:00:00.000Z) and stands as accepted');
  commits[0] = { ...(commits[0] as Commit), status: 'REJECTED' };
  t.false((await ask(world)).allowed);
});

test('a BLOCKED push that a later one repaired holds nothing; a submitted RFC repairs none', async (t) => {
  const repaired = chain(['PASSED', 'BLOCKED', null, 'PASSED']);
  const world = { commits: repaired, running: 0, ran: [0], hasEnded: false, target: 3 };
  const { allowed, deploy } = await ask(world);
  t.true(allowed);
  t.like(deploy.range, { commits: 3, rfcs_total: 1, joint_risk: 50 });
  const submitted = repaired.map((one, index) => (index === 3 ? { ...one, isPush: false } : one));
  const { deploy: held } = await ask({ ...world, commits: submitted });
  t.deepEqual(
    held.holds.map(({ kind, rfc_id, may_decide }) => [kind, rfc_id, may_decide]),
    [
      ['rfc', `RFC-${submitted[1]?.sha}`, 'cab-member'],
      ['unjudged', null, null],
    ],
  );
});

test('a push that passed, and is not an accepted head, answers for itself alone', async (t) => {
  const commits = chain(['PASSED', 'BLOCKED', 'OVERRIDDEN']);
  commits[2] = { ...(commits[2] as Commit), isSeen: false };
  const world = { commits, running: 0, ran: [0], hasEnded: false, target: 2 };
  const { allowed, deploy } = await ask(world);
  t.false(allowed);
  t.deepEqual(
    deploy.holds.map(({ rfc_id }) => rfc_id),
    [`RFC-${commits[1]?.sha}`],
  );
  t.is(deploy.range?.rfcs_total, 2);
});

test('commits that need an RFC of their own, and are too many, hold a deploy and say so', async (t) => {
  const commits = chain(
    Array.from({ length: 522 }, () => 'PASSED'),
    false,
  );
  const world = { commits, running: 0, ran: [0], hasEnded: false, target: 521 };
  const { deploy } = await ask(world);
  t.deepEqual(
    deploy.holds.map(({ kind, reason }) => [kind, reason]),
    [
      [
        'range',
        '21 commits were not looked at: at most 500 commits behind no accepted push are judged one by one',
      ],
    ],
  );
  t.like(deploy.range, { commits: 521, rfcs_total: 500 });
});

test('the end of an acceptance is read once for a range', async (t) => {
  const commits = chain(['PASSED', 'PASSED', 'PASSED'], false);
  const services = servicesOf({ commits, running: 0, ran: [0], hasEnded: false, target: 2 });
  let reads = 0;
  const judgeEnd = async () => {
    reads += 1;
    return null;
  };
  const check = createDeployCheck({ ...services, judgeEnd });
  const question = { repo: 'acme/shop', environment: 'prod', branch: null, component: null };
  await check(MANAGER, { ...question, sha: commits[2]?.sha ?? '' });
  t.is(reads, 1);
});

test('a deploy of what runs already has no range', async (t) => {
  const commits = chain(['BLOCKED', 'PASSED']);
  const world = { commits, running: 0, ran: [0], hasEnded: false, target: 0 };
  const { deploy } = await ask(world);
  t.is(deploy.range, null);
  t.deepEqual(
    deploy.holds.map(({ kind }) => kind),
    ['rfc'],
  );
});

test('commits that cannot be listed hold a deploy', async (t) => {
  const commits = chain(['PASSED', 'PASSED', 'PASSED']);
  const world = { commits, running: 0, ran: [0], hasEnded: false, target: 2 };
  const services = servicesOf(world);
  const question = { repo: 'acme/shop', environment: 'prod', branch: null, component: null };
  const holds = async (over: Partial<DeployCheckOptions>) => {
    const check = createDeployCheck({ ...services, ...over });
    return await check(MANAGER, { ...question, sha: commits[2]?.sha ?? '' });
  };
  const fails = async () => {
    throw new CraError('NOT_FOUND', 'away');
  };
  const noMirror = await holds({ pushes: { ...services.pushes, newestPush: fails } });
  t.false(noMirror.allowed);
  t.regex(noMirror.reason, /no webhook reports pushes/);
  const noCommit = await holds({ source: { ancestry: fails } });
  t.regex(noCommit.reason, /cannot be listed: away/);
  const endless = async () => ({ shas: [], hasMore: true });
  t.regex((await holds({ source: { ancestry: endless } })).reason, /more than 5000 commits/);
});

const FREEZE: Freeze = {
  id: 'year-end',
  environments: ['Prod'],
  components: ['pay'],
  calendar: 'DTSTART:20261121T000000\nDURATION:P2D',
  time_zone: 'Europe/Berlin',
  reason: 'nobody is here',
  may_pass: 'change-manager',
};

test('a freeze holds deploys of its environments and components, but no rollback', async (t) => {
  const commits = chain(['PASSED', 'PASSED']);
  const world = { commits, running: 0, ran: [0], hasEnded: false, target: 1 };
  const passes = new Set<string>();
  // A report that came during the freeze is no proof that the commit ran before it.
  const receivedBefore: (string | null)[] = [];
  const services = servicesOf(world);
  const check = createDeployCheck({
    ...services,
    findFreezes: createFreezeFinder(() => ({ freezes: [FREEZE] })),
    now: () => Date.parse('2026-11-21T12:00:00Z'),
    ledger: {
      ...services.ledger,
      async hasPassed(_principal, _place, { sha, freeze, since }) {
        t.is(since, '2026-11-20T23:00:00.000Z');
        return passes.has(`${sha} ${freeze}`);
      },
      async ranBefore(principal, place, sha, before) {
        receivedBefore.push(before);
        return await services.ledger.ranBefore(principal, place, sha, before);
      },
    },
  });
  const of = async (index: number, over: object = {}) => {
    const sha = commits[index]?.sha ?? '';
    const whole = { repo: 'acme/shop', environment: 'prod', branch: null, component: null };
    return await check(MANAGER, { ...whole, sha, ...over });
  };
  const { allowed, reason, deploy } = await of(1);
  t.false(allowed);
  t.is(
    reason,
    'the freeze year-end holds deploys until 2026-11-23 00:00 Europe/Berlin: nobody is here',
  );
  const held = { kind: 'freeze', freeze: 'year-end', may_decide: 'change-manager', rfc_id: null };
  t.like(deploy.holds[0], held);
  t.false((await of(1, { component: 'pay' })).allowed);
  t.true((await of(1, { component: 'web' })).allowed);
  t.true((await of(1, { environment: 'stage' })).allowed);
  t.true((await of(0)).allowed);
  t.is(receivedBefore.at(-1), '2026-11-20T23:00:00.000Z');
  passes.add(`${commits[1]?.sha} year-end`);
  t.true((await of(1)).allowed);
  // What a Git host shows beside the verdict, whichever environment is next.
  const find = createFreezeFinder(() => ({ freezes: [FREEZE] }));
  const place = { repo: 'acme/shop', environment: null, component: null };
  const shown = (await find(place, Date.parse('2026-11-21T12:00:00Z'))).map(freezeSentence);
  t.is(shown.length, 1);
  t.regex(shown[0] ?? '', /^Deploys to Prod of pay are held until 2026-11-23 00:00 Europe/);
  t.regex(
    shown[0] ?? '',
    /nobody is here\. A change-manager may let a commit pass, with a reason\.$/,
  );
  t.deepEqual(await find(place, Date.parse('2026-12-21T12:00:00Z')), []);
});

test('a freeze whose calendar fails holds, and nobody may decide about it', async (t) => {
  const freezes = [{ ...FREEZE, calendar: 'DTSTART:2026' }];
  const find = createFreezeFinder(() => ({ freezes }));
  const commits = chain(['PASSED', 'PASSED']);
  const world = { commits, running: 0, ran: [0], hasEnded: false, target: 1 };
  const check = createDeployCheck({ ...servicesOf(world), findFreezes: find });
  const question = { repo: 'acme/shop', environment: 'prod', branch: null, component: null };
  const { deploy } = await check(MANAGER, { ...question, sha: commits[1]?.sha ?? '' });
  t.like(deploy.holds, [{ kind: 'freeze', may_decide: null }]);
  const place = { repo: 'acme/shop', environment: 'prod', component: null };
  const [found] = await find(place, Date.parse('2026-11-21T12:00:00Z'));
  t.is(found?.since, null);
  t.regex(found?.until ?? '', /its calendar fails/);
});
