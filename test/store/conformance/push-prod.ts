import { createProdCheck } from '../../../src/heads/prod-check.ts';
import {
  type ComponentVerdict,
  componentMap,
  type EarlierMaps,
} from '../../../src/model/components.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { judged, pushed, REPO } from './push-steps.ts';
import { type Check, fails, type Harness, insert, read } from './steps.ts';

const [MAIN, NEXT] = ['refs/heads/main', 'refs/heads/next'] as const;
const NEWEST = { ...REPO, branch: null, commit_sha: null };

/** What deployments and sweeps ask about pushes. */
export function checkProd(check: Check): void {
  checkOldest(check);
  checkFacts(check);
  checkBranches(check);
  checkCommits(check);
  checkComponents(check);
  checkDecidedComponents(check);
}

function checkOldest(check: Check): void {
  check('oldestPush is the first of its ref, whatever became of it', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const oldest = async (ref: string, repo = REPO) =>
      (await pushes.oldestPush({ ...repo, ref })).record;
    t.is(await oldest(MAIN), null);
    await insert(store, sampleRecord({ rfc_id: 'RFC-0', ref: MAIN }));
    const superseded = { overall_status: 'SUPERSEDED' } as const;
    const first = await judged(harness, { rfc_id: 'RFC-1' }, superseded);
    const second = await judged(harness, { rfc_id: 'RFC-2' });
    const third = await pushed(pushes, { rfc_id: 'RFC-3' });
    const next = await pushed(pushes, { rfc_id: 'RFC-4', ref: NEXT });
    t.deepEqual(await oldest(MAIN), first);
    t.deepEqual(await oldest(MAIN, { ...REPO, repo_name: 'ORG/repo' }), first);
    t.deepEqual(await oldest(NEXT), next);
    t.is(await oldest(MAIN, { ...REPO, tenant_id: 'other' }), null);
    await trail.decide(decisionOn(first, 'op-1', { action: 'delete' }));
    t.deepEqual(await oldest(MAIN), second);
    await trail.decide(decisionOn(second, 'op-2', { action: 'delete' }));
    t.deepEqual(await oldest(MAIN), third);
  });
}

function checkFacts(check: Check): void {
  check('prodView gives the newest RFC, without pushes of it alone', async (t, harness) => {
    const { pushes, store, trail } = harness;
    await fails(t, pushes.prodView(NEWEST), 'NOT_FOUND');
    const fields = { rfc_id: 'RFC-1', commit_sha: shaOf('one'), risk_score: 7.5 };
    const record = sampleRecord({ ...fields, repo_full_name: 'org/repo' });
    await insert(store, record);
    await insert(store, sampleRecord({ rfc_id: 'RFC-2', branch: 'next' }));
    await insert(store, sampleRecord({ rfc_id: 'RFC-3', overall_status: 'SUPERSEDED' }));
    const newest = {
      rfc_id: 'RFC-1',
      overall_status: 'PASSED' as const,
      risk_score: 7.5,
      commit_sha: shaOf('one'),
      pin: null,
      carried_from: [],
    };
    const ofMain = { ...NEWEST, repo_name: 'ORG/repo', branch: 'main' };
    t.deepEqual(await pushes.prodView(ofMain), { newest, head: null });
    const ofCommit = { ...NEWEST, commit_sha: shaOf('one') };
    t.deepEqual(await pushes.prodView(ofCommit), { newest, head: null });
    t.is((await pushes.prodView(NEWEST)).newest.rfc_id, 'RFC-2');
    const pin = { action: 'approve', commit_sha: shaOf('pin').toUpperCase() } as const;
    await trail.decide(decisionOn(record, 'op-1', pin));
    const pinned = { ...newest, overall_status: 'APPROVED' as const, pin: shaOf('pin') };
    t.deepEqual((await pushes.prodView(ofCommit)).newest, pinned);
    await trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
    const rejected = { ...pinned, overall_status: 'REJECTED' as const };
    t.deepEqual((await pushes.prodView(ofCommit)).newest, rejected);
    for (const other of [{ branch: 'gone' }, { commit_sha: shaOf('x') }, { tenant_id: 'other' }]) {
      await fails(t, pushes.prodView({ ...NEWEST, ...other }), 'NOT_FOUND');
    }
  });
}

function checkBranches(check: Check): void {
  check('prodView gives the newest push of the branch that counts', async (t, harness) => {
    const { pushes, store } = harness;
    const push = { default_branch: 'next' };
    await judged(harness, { rfc_id: 'RFC-1', ref: NEXT, push });
    await judged(harness, { rfc_id: 'RFC-2' });
    await judged(harness, { rfc_id: 'RFC-3' }, { overall_status: 'BLOCKED' });
    const head = async (input: object) => (await pushes.prodView({ ...NEWEST, ...input })).head;
    // The newest push says that it is "main".
    const blocked = {
      ref: MAIN,
      rfc_id: 'RFC-3',
      commit_sha: shaOf('RFC-3'),
      overall_status: 'BLOCKED',
      isAccepted: false,
      isUnjudged: false,
      risk_score: 12.5,
    } as const;
    t.deepEqual(await head({}), blocked);
    await insert(store, sampleRecord({ rfc_id: 'RFC-4' }));
    t.deepEqual(await head({}), blocked);
    t.like(await head({ branch: 'next' }), { rfc_id: 'RFC-1', isAccepted: true });
    t.deepEqual(await head({ commit_sha: shaOf('RFC-3') }), blocked);
    await pushed(pushes, { rfc_id: 'RFC-5', ref: NEXT, push });
    t.like(await head({}), { rfc_id: 'RFC-5', overall_status: 'DRAFT', isAccepted: false });
    await pushed(pushes, { rfc_id: 'RFC-6', push: { default_branch: null } });
    t.is(await head({}), null);
    const { newest } = await pushes.prodView(NEWEST);
    t.is(newest.rfc_id, 'RFC-6');
  });

  check('a push that could not be fetched differs from what was judged', async (t, harness) => {
    const { pushes } = harness;
    const draft = { rfc_id: 'RFC-1', push: { waiting_for: 'the host is down' } };
    const waiting = await pushed(pushes, draft);
    const views = async () => (await pushes.newestPushes({ ...REPO, refs: [MAIN] })).pushes;
    t.like((await views())[0], { overall_status: 'DRAFT', isUnjudged: false });
    const unjudged = { overall_status: 'BLOCKED', push: waiting.push } as const;
    await judged(harness, { ...draft, rfc_id: 'RFC-2' }, unjudged);
    t.like((await views())[0], { rfc_id: 'RFC-2', isAccepted: false, isUnjudged: true });
    await judged(harness, { rfc_id: 'RFC-3' }, { overall_status: 'BLOCKED' });
    t.like((await views())[0], { rfc_id: 'RFC-3', isUnjudged: false });
  });
}

function checkCommits(check: Check): void {
  check('prodView of a commit gives the newest push of that commit', async (t, harness) => {
    const { pushes, store } = harness;
    const commit_sha = shaOf('bad');
    await judged(harness, { rfc_id: 'RFC-1', commit_sha }, { overall_status: 'BLOCKED' });
    await judged(harness, { rfc_id: 'RFC-2' });
    await judged(harness, { rfc_id: 'RFC-3', commit_sha }, { overall_status: 'SUPERSEDED' });
    await insert(store, sampleRecord({ rfc_id: 'RFC-4', commit_sha }));
    const { newest, head } = await pushes.prodView({ ...NEWEST, commit_sha });
    t.is(newest.rfc_id, 'RFC-4');
    t.like(head, { ref: MAIN, rfc_id: 'RFC-1', overall_status: 'BLOCKED', isAccepted: false });
  });
}

const PARTS = ['web', 'pay'].map((id) => ({ id, paths: [`${id}/**`] }));
const MAP = componentMap({ components: PARTS }, REPO.repo_name)?.key ?? '';

function verdict(
  id: string,
  status: ComponentVerdict['status'],
  same_as: string | null = null,
): ComponentVerdict {
  const found = { risk_score: 9, findings: [], findings_total: 0 };
  return { id, status, ...found, base: null, same_as };
}

/** Two pushes that block: the first in `pay`, where the second does not touch it. */
async function judgedApart(harness: Harness) {
  const blocked = { overall_status: 'BLOCKED', component_map: MAP } as const;
  const components = [verdict('pay', 'BLOCKED')];
  const first = await judged(harness, { rfc_id: 'RFC-1' }, { ...blocked, components });
  const standing = [verdict('web', 'PASSED'), verdict('pay', 'BLOCKED', 'RFC-1')];
  const push = { rests_on: ['RFC-1'] };
  const second = await judged(
    harness,
    { rfc_id: 'RFC-2', push },
    { ...blocked, components: standing },
  );
  return { first, second };
}

/** Whether each component may be deployed, with these components more. */
async function deployable(
  { pushes, trail, store: records }: Harness,
  more: readonly string[] = [],
  earlier?: EarlierMaps,
) {
  const added = more.map((id) => ({ id, paths: [`${id}/**`] }));
  const rules = () => ({ components: [...PARTS, ...added] });
  const stores = { pushes, trail, records };
  const check = createProdCheck(stores, () => 'https://cra.example.com', rules, earlier);
  const principal = { tenant_id: 'default' } as Parameters<typeof check>[0];
  const answers: Record<string, boolean> = {};
  for (const component of ['web', 'pay']) {
    const question = { repo: REPO.repo_name, branch: null, sha: null, component };
    answers[component] = (await check(principal, question)).allowed;
  }
  return answers;
}

function checkComponents(check: Check): void {
  check('a component is deployed by what RFCs say of it, whatever the map', async (t, harness) => {
    const { first } = await judgedApart(harness);
    const { trail } = harness;
    t.deepEqual(await deployable(harness), { web: true, pay: false });
    t.deepEqual(await deployable(harness, ['new']), { web: false, pay: false });
    const earlier: EarlierMaps = async () => componentMap({ components: PARTS }, REPO.repo_name);
    t.deepEqual(await deployable(harness, ['new'], earlier), { web: true, pay: false });
    await trail.decide(decisionOn(first, 'op-1'));
    t.deepEqual(await deployable(harness), { web: true, pay: true });
    t.deepEqual(await deployable(harness, ['new'], earlier), { web: true, pay: true });
  });

  check('a rejection speaks for all components that it lists', async (t, harness) => {
    const { second } = await judgedApart(harness);
    await harness.trail.decide(decisionOn(second, 'op-1', { action: 'reject' }));
    const page = {
      tenant_id: 'default',
      repo: REPO.repo_name,
      status: null,
      limit: 1,
      cursor: null,
    };
    const { json } = await harness.store.listRfcs({ ...page, component: 'pay' });
    const listed = JSON.parse(Buffer.from(json).toString()) as { rfc_id: string }[];
    const [newest] = listed;
    t.is(newest?.rfc_id, 'RFC-2');
    t.deepEqual(await deployable(harness), { web: false, pay: false });
  });

  check(
    'a diff that is submitted clears no component that it does not touch',
    async (t, harness) => {
      const { second } = await judgedApart(harness);
      const web = { overall_status: 'PASSED', component_map: MAP } as const;
      const submitted = { ...web, components: [verdict('web', 'PASSED')], push: null };
      const apart = { rfc_id: 'RFC-8', ref: null, commit_sha: null };
      await insert(harness.store, { ...second, ...submitted, ...apart });
      t.deepEqual(await deployable(harness), { web: true, pay: false });
      await harness.trail.decide(decisionOn(second, 'op-1'));
      t.deepEqual(await deployable(harness), { web: true, pay: true });
    },
  );
}

function checkDecidedComponents(check: Check): void {
  check('an override is about an earlier push of the component alone', async (t, harness) => {
    const { second } = await judgedApart(harness);
    const { trail, store } = harness;
    await trail.decide(decisionOn(second, 'op-1'));
    t.deepEqual(await deployable(harness), { web: true, pay: true });
    const pay = (await read(store, second)).components?.find(({ id }) => id === 'pay');
    t.like(pay, { status: 'OVERRIDDEN', same_as: 'RFC-1' });
    const blocked = { overall_status: 'BLOCKED', component_map: MAP } as const;
    const components = [verdict('pay', 'BLOCKED')];
    await judged(harness, { rfc_id: 'RFC-3', ref: NEXT }, { ...blocked, components });
    t.deepEqual(await deployable(harness), { web: true, pay: false });
  });

  check(
    'a rejected component is accepted by no override, and takes others back',
    async (t, harness) => {
      const { first, second } = await judgedApart(harness);
      const { pushes, trail, store } = harness;
      await trail.decide(decisionOn(first, 'op-1', { action: 'reject' }));
      const { revocations } = await pushes.revocations({ limit: 10 });
      t.deepEqual(
        revocations.map(({ id }) => id),
        ['RFC-1'],
        'heads of components may depend on it, though it was not accepted',
      );
      const resting = await pushes.dependentsOf({ ...REPO, id: 'RFC-1', limit: 10 });
      t.deepEqual(
        resting.records.map(({ rfc_id }) => rfc_id),
        ['RFC-2'],
      );
      t.deepEqual(await deployable(harness), { web: true, pay: false });
      const components = [verdict('web', 'PASSED'), verdict('pay', 'REJECTED', 'RFC-1')];
      const third = { overall_status: 'BLOCKED', component_map: MAP, components } as const;
      const record = await judged(harness, { rfc_id: 'RFC-3' }, third);
      await trail.decide(decisionOn(record, 'op-2'));
      const { components: after } = await read(store, record);
      t.deepEqual(
        after?.map(({ id, status, same_as }) => [id, status, same_as]),
        [
          ['web', 'PASSED', null],
          ['pay', 'REJECTED', 'RFC-1'],
        ],
      );
      t.deepEqual(await deployable(harness), { web: true, pay: false });
      t.is((await read(store, second)).overall_status, 'BLOCKED');
    },
  );
}
