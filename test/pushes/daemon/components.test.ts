import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ANALYZE_ANSWER } from '../../../src/model/answer.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { createValidator } from '../../../src/model/validate.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { analyze, change, newFile, request, until } from '../../daemon.ts';
import { leak } from './bad-code.ts';
import { houseForAll } from './house.ts';
import { type Delivered, MAIN, PushedRepository } from './pushed-repository.ts';

/** In place of the rules: the parts of each repository of this file. */
const COMPONENTS = [
  { id: 'web', paths: ['services/web/**'] },
  { id: 'pay', paths: ['re:^services/pay/'] },
  { id: 'docs', paths: ['docs/*.md'], modes: { 'secret-*': 'warn' } },
  { id: 'ops', paths: ['ops/**'], block_severities: [], branches: ['main'] },
  { id: 'gate', paths: ['gate/**'], branches: ['main'] },
  { id: 'vault', paths: ['vault/**'], block_score: 0 },
] as const;
const [vulnerability] = defaultRules.vulnerability_patterns;
/** Few rules: all of them take seconds to load and to change. */
const FEW = {
  version: 1,
  secret_patterns: defaultRules.secret_patterns.filter(
    ({ id }) => id === 'secret-aws-access-key-id',
  ),
  risk_patterns: [
    {
      id: 'risk-acme-kill-switch',
      description: 'The kill switch',
      severity: 'high',
      regex: 'KILL_SWITCH',
      keywords: ['kill_switch'],
      message: 'the kill switch changes',
      fix: 'Ask.',
      source: 'https://wiki.example/kill-switch',
      examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill'] },
    },
  ],
  vulnerability_patterns: [vulnerability],
  allowlists: [],
  pipeline: { block_severities: ['critical', 'high'], block_score: null },
};
const rules = (components: readonly object[]) => ({ ...FEW, components });

const path = join(mkdtempSync(join(tmpdir(), 'cra-components-')), 'rules.json');
writeFileSync(path, JSON.stringify(rules(COMPONENTS)));
const house = houseForAll(test, {
  times: { retryMs: [100, 100, 100], graceMs: 500, pollMs: 200, sweepMs: 3_600_000 },
  env: { SERVICE_RULES_PATH: path },
});

const SIDE = 'refs/heads/side';

async function founded(name: string): Promise<PushedRepository> {
  const repo = new PushedRepository(house(), `parts/${name}`);
  repo.commit({
    'README.md': 'read me\n',
    'services/web/a.txt': 'a\n',
    'services/pay/a.txt': 'a\n',
  });
  await repo.judge({ 'services/web/b.txt': 'b\n', 'services/pay/b.txt': 'b\n' });
  return repo;
}

/** Each component that a record names: its status, and the RFC that judged it. */
function partsOf({ components = [] }: RfcRecord): string[] {
  return components.map(({ id, status, same_as }) =>
    [id, status, ...(same_as === null ? [] : [same_as])].join(' '),
  );
}

const isAllowed = (repo: PushedRepository, id: string, more = '') =>
  repo.isAllowed(`?component=${id}${more}`);

async function listed(repo: PushedRepository, component: string): Promise<string[]> {
  const url = `${house().daemon.url}/rfcs?repo=${repo.name}&component=${component}`;
  const { body } = await request(url);
  return body.data.map(({ rfc_id }: RfcRecord) => rfc_id);
}

test('what is BLOCKED in one component does not block another one', async (t) => {
  const repo = await founded('story');
  const bad = await repo.push({ 'services/pay/env.sh': leak('pay') });
  t.deepEqual(partsOf(await repo.verdict(bad)), ['pay BLOCKED']);
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, true]);
  const web = await repo.push({ 'services/web/c.txt': 'c\n' });
  const record = await repo.verdict(web);
  t.is(record.overall_status, 'BLOCKED', 'the whole repository is as it was');
  t.deepEqual(partsOf(record), ['web PASSED', `pay BLOCKED ${bad.rfcId}`]);
  t.is(record.components?.[0]?.base, bad.sha);
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, true]);
  t.false(await repo.isAllowed());
  t.is((await listed(repo, 'pay'))[0], bad.rfcId);
  t.false((await listed(repo, 'pay')).includes(web.rfcId));
  t.true((await listed(repo, 'web')).includes(web.rfcId));
  // The decision about the push that was refused is made once.
  await repo.decide(bad.rfcId, 'override');
  t.true(await isAllowed(repo, 'pay'));
  t.deepEqual(partsOf(await repo.judge({ 'services/pay/c.txt': 'c\n' })), ['pay PASSED']);
});

test('an override is about a component that stands, and a branch that comes to it begins there', async (t) => {
  const repo = await founded('standing');
  await repo.verdict(await repo.move(SIDE, repo.head(MAIN)));
  await repo.judge({ 'services/pay/env.sh': leak('standing') });
  const next = await repo.push({ 'services/web/c.txt': 'c\n' });
  t.is((await repo.verdict(next)).overall_status, 'BLOCKED');
  t.false(await isAllowed(repo, 'pay'));
  await repo.decide(next.rfcId, 'override');
  t.true(await isAllowed(repo, 'pay'));
  const side = await repo.verdict(await repo.move(SIDE, next.sha));
  t.deepEqual([side.overall_status, ...partsOf(side)], ['PASSED']);
});

test('a component keeps its own range: what it refused stays in it until it is taken out', async (t) => {
  const repo = await founded('range');
  await repo.judge({ 'services/web/env.sh': leak('range') });
  await repo.judge({ 'services/pay/c.txt': 'c\n' });
  const next = await repo.judge({ 'services/web/c.txt': 'c\n' });
  t.deepEqual(partsOf(next), ['web BLOCKED']);
  t.false(await isAllowed(repo, 'web'));
  t.true(await isAllowed(repo, 'pay'));
});

test('what no component claims counts for components that a push touches', async (t) => {
  const repo = await founded('shared');
  const record = await repo.judge({ 'env.sh': leak('shared'), 'services/web/c.txt': 'c\n' });
  t.deepEqual(partsOf(record), [
    ...['web BLOCKED', 'pay BLOCKED', 'docs PASSED', 'ops PASSED'],
    ...['gate BLOCKED', 'vault BLOCKED'],
  ]);
  t.is(record.components?.[2]?.findings_total, 0);
});

test('an analyze answers the components as the RFC has them', async (t) => {
  const { url } = house().daemon;
  const diff = newFile('services/web/a.txt', 'a\n') + newFile('services/pay/env.sh', leak('api'));
  const { data } = (await analyze(url, change(diff))).body;
  createValidator(ANALYZE_ANSWER, 'answer')(data);
  t.deepEqual(partsOf(data), ['web PASSED', 'pay BLOCKED']);
  t.deepEqual(data.components, (await request(`${url}/rfc/${data.rfc_id}`)).body.data.components);
});

test('a component has modes and severities of its own', async (t) => {
  const repo = await founded('modes');
  const record = await repo.judge({ 'docs/a.md': leak('docs'), 'ops/env.sh': leak('ops') });
  t.is(record.overall_status, 'BLOCKED');
  t.deepEqual(partsOf(record), ['docs PASSED', 'ops PASSED']);
  const side = await repo.judge({ 'ops/b.txt': 'b\n' }, { ref: SIDE });
  t.deepEqual(partsOf(side), [], 'ops is judged on main alone');
});

test('a file that moves to another component is new there', async (t) => {
  const repo = await founded('moved');
  const bad = await repo.push({
    'services/pay/env.sh': leak('moved'),
    'services/pay/key.sh': leak('renamed'),
  });
  await repo.verdict(bad);
  await repo.decide(bad.rfcId, 'override');
  t.true(await isAllowed(repo, 'pay'));
  const moved = repo.workTree(
    bad.sha,
    ['mv', 'services/pay/env.sh', 'services/web/env.sh'],
    ['mv', 'services/pay/key.sh', 'services/pay/other.sh'],
    ['commit', '--quiet', '-m', 'moved'],
  );
  const record = await repo.verdict(await repo.move(MAIN, moved));
  t.deepEqual(partsOf(record), ['web BLOCKED', 'pay PASSED']);
});

test('a rejection revokes what depends on the verdict of a component', async (t) => {
  const repo = await founded('rejected');
  const first = await repo.push({
    'services/pay/env.sh': leak('rejected'),
    'services/web/c.txt': 'c\n',
  });
  t.deepEqual(partsOf(await repo.verdict(first)), ['web PASSED', 'pay BLOCKED']);
  const side = await repo.move(SIDE, first.sha);
  await repo.verdict(side);
  const next: Delivered = await repo.push({ 'services/web/d.txt': 'd\n' });
  t.deepEqual(partsOf(await repo.verdict(next)), ['web PASSED', `pay BLOCKED ${first.rfcId}`]);
  await repo.decide(first.rfcId, 'reject');
  await until(async () => {
    const { overall_status, components } = await repo.verdict(next);
    return overall_status === 'BLOCKED' && components?.[1]?.status === 'REJECTED';
  });
  t.false(await isAllowed(repo, 'pay'));
});

test('an override accepts no component that stands as an earlier push was rejected', async (t) => {
  const repo = await founded('stands-rejected');
  const bad = await repo.push({ 'services/pay/env.sh': leak('stands-rejected') });
  await repo.verdict(bad);
  await repo.decide(bad.rfcId, 'reject');
  const next = await repo.push({ 'services/web/c.txt': 'c\n' });
  t.deepEqual(partsOf(await repo.verdict(next)), ['web PASSED', `pay REJECTED ${bad.rfcId}`]);
  await repo.decide(next.rfcId, 'override');
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, true]);
});

test('an override says nothing of what another branch brought of the component since', async (t) => {
  const repo = await founded('overridden-before');
  const options = { ref: SIDE, from: repo.head(MAIN) };
  await repo.judge({ 'services/pay/env.sh': leak('overridden-before') });
  const side = await repo.judge({ 'services/pay/key.sh': leak('since') }, options);
  t.deepEqual(partsOf(side), ['pay BLOCKED']);
  const next = await repo.push({ 'services/web/c.txt': 'c\n' });
  t.is((await repo.verdict(next)).overall_status, 'BLOCKED');
  await repo.decide(next.rfcId, 'override');
  t.true(await isAllowed(repo, 'pay', '&branch=main'));
  t.false(await isAllowed(repo, 'pay'), 'the newest push that touches it is refused');
  t.deepEqual((await listed(repo, 'pay')).slice(0, 1), [side.rfc_id]);
});

test('what a later push rejects of a component is rejected where it was judged', async (t) => {
  const repo = await founded('rejected-later');
  const bad = await repo.push({ 'services/pay/env.sh': leak('rejected-later') });
  await repo.verdict(bad);
  await repo.decide(bad.rfcId, 'override');
  const side = await repo.move(SIDE, bad.sha);
  t.is((await repo.verdict(side)).overall_status, 'PASSED');
  // One that stands by the same RFC, as it was judged before that was overridden.
  const other = await repo.push({ 'services/pay/key.sh': leak('rejected-later again') });
  await repo.verdict(other);
  const last = await repo.push({ 'services/web/c.txt': 'c\n' });
  t.deepEqual(partsOf(await repo.verdict(last)), ['web PASSED', `pay BLOCKED ${other.rfcId}`]);
  await repo.decide(other.rfcId, 'override');
  const beside = await repo.move('refs/heads/beside', other.sha);
  t.is((await repo.verdict(beside)).overall_status, 'PASSED');
  t.true(await isAllowed(repo, 'pay', '&branch=beside'));
  await repo.decide(last.rfcId, 'reject');
  await until(async () => (await repo.verdict(beside)).overall_status === 'BLOCKED');
  t.deepEqual(partsOf(await repo.verdict(beside)), ['pay BLOCKED']);
  t.false(await isAllowed(repo, 'pay', '&branch=beside'));
  t.true(await isAllowed(repo, 'pay', '&branch=side'), 'what was accepted before stays so');
  t.is((await repo.verdict(other)).overall_status, 'SUPERSEDED', 'nobody can override it again');
});

test('what was rejected of a component is refused on other branches that have it', async (t) => {
  const repo = await founded('rejected-elsewhere');
  const first = await repo.push({ 'services/pay/c.txt': 'c\n' });
  t.is((await repo.verdict(first)).overall_status, 'PASSED');
  const options = { ref: SIDE, from: first.sha };
  const side = await repo.push({ 'services/web/c.txt': 'c\n' }, options);
  await repo.verdict(side);
  t.true(await isAllowed(repo, 'pay', '&branch=side'));
  await repo.decide(first.rfcId, 'reject');
  await until(async () => (await repo.verdict(side)).components?.length === 2);
  t.deepEqual(partsOf(await repo.verdict(side)), ['web PASSED', 'pay BLOCKED']);
  t.false(await isAllowed(repo, 'pay', '&branch=side'));
  t.true(await isAllowed(repo, 'web', '&branch=side'));
});

test('what a merge brings back of a component counts since its newest head on either side', async (t) => {
  const repo = await founded('merged');
  const killed = await repo.push({ 'services/pay/k.txt': 'KILL_SWITCH = 1\n' });
  await repo.verdict(killed);
  await repo.decide(killed.rfcId, 'override');
  const options = { ref: SIDE, from: killed.sha };
  const side = await repo.push({ 'services/pay/k.txt': 'gone\n' }, options);
  t.is((await repo.verdict(side)).overall_status, 'PASSED');
  const own = await repo.judge({ 'services/web/c.txt': 'c\n' });
  t.is(own.overall_status, 'PASSED');
  const merged = repo.workTree(own.commit_sha ?? '', [
    ...['merge', '--quiet', '--strategy', 'ours', '-m', 'merge', side.sha],
  ]);
  const record = await repo.verdict(await repo.move(MAIN, merged));
  t.deepEqual(partsOf(record), ['pay BLOCKED']);
  t.is(record.components?.[0]?.base, side.sha);
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, true]);
});

test('a rejection counts behind a push that was rejected before', async (t) => {
  const repo = await founded('rejected-twice');
  const first = await repo.push({ 'services/pay/c.txt': 'c\n', 'services/web/c.txt': 'c\n' });
  await repo.verdict(first);
  const second = await repo.push({ 'services/pay/d.txt': 'd\n' });
  await repo.verdict(second);
  await repo.decide(second.rfcId, 'reject');
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, true]);
  await repo.decide(first.rfcId, 'reject');
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, false]);
  const next = await repo.judge({ 'docs/a.md': 'a\n' });
  t.true(partsOf(next).includes(`web REJECTED ${first.rfcId}`));
  t.false(await isAllowed(repo, 'web'));
});

test('a merge is a push of each component that both sides have changed', async (t) => {
  const repo = await founded('joined');
  const options = { ref: SIDE, from: repo.head(MAIN) };
  const side = await repo.push({ 'services/pay/k.txt': 'KILL_SWITCH = 1\n' }, options);
  t.deepEqual(partsOf(await repo.verdict(side)), ['pay BLOCKED']);
  const own = await repo.judge({ 'services/pay/c.txt': 'c\n' });
  t.true(await isAllowed(repo, 'pay'));
  const merged = repo.workTree(side.sha, [
    ...['merge', '--quiet', '--strategy', 'ours', '-m', 'merge', own.commit_sha ?? ''],
  ]);
  const record = await repo.verdict(await repo.move(SIDE, merged));
  t.deepEqual(partsOf(record), ['pay BLOCKED']);
  t.false(await isAllowed(repo, 'pay'), 'of any branch the newest push that touches it');
});

test('a component that a branch does not judge is not accepted there', async (t) => {
  const repo = await founded('unjudged');
  const options = { ref: SIDE, from: repo.head(MAIN) };
  const side = await repo.push({ 'gate/env.sh': leak('unjudged') }, options);
  t.deepEqual(partsOf(await repo.verdict(side)), []);
  const record = await repo.verdict(await repo.move(MAIN, side.sha));
  t.deepEqual(partsOf(record), ['gate BLOCKED']);
  t.false(await isAllowed(repo, 'gate'));
});

async function put(text: object) {
  const body = JSON.stringify(text);
  return await request(`${house().daemon.url}/rules`, { method: 'PUT', body });
}

/** The same; the rules become active. */
async function putAccepted(t: ExecutionContext, text: object): Promise<void> {
  const { status, body } = await put(text);
  t.is(status, 200, JSON.stringify(body));
}

// Its rules are those of all repositories here: no other test may change them meanwhile.
test.serial('what is refused of a component stays so when the map changes', async (t) => {
  const repo = await founded('map-refused');
  const record = await repo.judge({ 'vault/a.txt': 'a\n' });
  t.deepEqual([record.overall_status, ...partsOf(record)], ['PASSED', 'vault BLOCKED']);
  const more = ['one', 'two'].map((id) => ({ id, paths: [`services/${id}/**`], repo: repo.name }));
  await putAccepted(t, rules([...COMPONENTS, ...more.slice(0, 1)]));
  t.false(await isAllowed(repo, 'vault'), 'the whole is accepted');
  await repo.judge({ 'services/pay/env.sh': leak('map-refused') });
  await putAccepted(t, rules([...COMPONENTS, ...more]));
  t.deepEqual([await isAllowed(repo, 'pay'), await isAllowed(repo, 'web')], [false, true]);
  const wider = COMPONENTS.map((one) =>
    one.id === 'vault' ? { ...one, paths: ['vault/**', 'safe/**'] } : one,
  );
  await putAccepted(t, rules([...wider, ...more]));
  const next = await repo.judge({ 'services/web/c.txt': 'c\n' });
  t.deepEqual(partsOf(next).slice(0, 1), ['web PASSED']);
  t.deepEqual([await isAllowed(repo, 'vault'), await isAllowed(repo, 'web')], [false, true]);
  await putAccepted(t, rules(COMPONENTS));
});

test('a component stays refused after a submitted diff that does not touch it', async (t) => {
  const { url } = house().daemon;
  const name = 'parts/submitted';
  const submit = (path: string, text: string) =>
    analyze(url, change(newFile(path, text), { repo_name: name }));
  await submit('services/pay/env.sh', leak('submitted'));
  await submit('services/web/a.txt', 'a\n');
  t.false((await request(`${url}/prod-check/${name}?component=pay`)).body.data.allowed);
});

test.serial('a changed map begins at the heads that are accepted for the whole', async (t) => {
  const repo = await founded('map');
  // The last RFC that lists web is BLOCKED, and the whole is accepted since.
  await repo.judge({ 'services/pay/old.sh': leak('old'), 'services/web/c.txt': 'c\n' });
  const later = await repo.push({ 'services/pay/c.txt': 'c\n' });
  await repo.verdict(later);
  await repo.decide(later.rfcId, 'override');
  const grown = [...COMPONENTS, { id: 'new', paths: ['services/new/**'], repo: repo.name }];
  await putAccepted(t, rules(grown));
  t.true(await isAllowed(repo, 'web'), 'the whole decides');
  const bad = await repo.judge({ 'services/pay/env.sh': leak('map') });
  t.true(await isAllowed(repo, 'web'));
  const changed = [...COMPONENTS, { id: 'shop', paths: ['services/shop/**'], repo: repo.name }];
  await putAccepted(t, rules(changed));
  t.false(await isAllowed(repo, 'web'), 'until its next push the whole decides');
  const next = await repo.judge({ 'services/shop/a.txt': 'a\n' });
  t.deepEqual(partsOf(next), [`pay BLOCKED ${bad.rfc_id}`, 'shop PASSED']);
  t.is(next.components?.[1]?.base, bad.push?.base ?? '');
  t.true(await isAllowed(repo, 'web'));
  const unknown = await request(`${house().daemon.url}/prod-check/${repo.name}?component=nope`);
  t.is(unknown.status, 400);
  t.regex(unknown.body.error, /component/);
  t.is((await request(`${house().daemon.url}/prod-check/${repo.name}?path=a`)).status, 400);
  for (const [one, problem] of [
    [{ id: 'web', paths: ['b/**'] }, /web is there twice/],
    [{ id: 'one', paths: ['/a/**'] }, /one: the path \/a\/\*\* must begin at the root/],
    [{ id: 'one', paths: ['re:('] }, /one: the path re:\( does not compile/],
    [{ id: 'one', paths: ['a/**'], modes: { 'vuln-01': 'warn' } }, /allow_weaker/],
  ] as const) {
    const { status, body } = await put(rules([...COMPONENTS, one]));
    t.is(status, 400);
    t.regex(body.error, problem);
  }
});
