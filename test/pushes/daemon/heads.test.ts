import { cpSync } from 'node:fs';
import test from 'ava';
import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import { findCheckpointSeed } from '../../../src/daemon/data-dir.ts';
import { readEvidenceKey } from '../../../src/deploys/evidence/envelope.ts';
import { verifyBundle } from '../../../src/deploys/evidence/verify.ts';
import { newFile, request, until } from '../../daemon.ts';
import { someOf } from '../../some-cases.ts';
import { HOLE, leak } from './bad-code.ts';
import { houseForAll } from './house.ts';
import { MAIN, PushedRepository } from './pushed-repository.ts';

const house = houseForAll(test, {
  times: { retryMs: [100, 100, 100], graceMs: 500, pollMs: 200, sweepMs: 3_600_000 },
});

const SIDE = 'refs/heads/side';

/** A repository whose state so far counts as accepted, and one push that was. */
async function founded(name: string): Promise<{ repo: PushedRepository; good: string }> {
  const repo = new PushedRepository(house(), name);
  repo.commit({ 'README.md': 'read me\n' });
  const push = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(push);
  return { repo, good: push.sha };
}

/** The same repository under another name, as its host redirects nobody. */
function renamed(repo: PushedRepository, name: string): PushedRepository {
  const other = new PushedRepository(house(), name);
  cpSync(repo.hosted.dir, other.hosted.dir, { recursive: true });
  return Object.assign(other, { id: repo.id });
}

async function status(repo: PushedRepository, rfcId: string): Promise<string> {
  return (await repo.verdict({ rfcId })).overall_status;
}

test('a rename keeps the heads: what was BLOCKED stays BLOCKED', async (t) => {
  const { repo, good } = await founded('rename/shop');
  const bad = await repo.push({ 'env.sh': leak('renamed') });
  t.is(await status(repo, bad.rfcId), 'BLOCKED');
  const store = renamed(repo, 'rename/store');
  const next = await store.verdict(await store.push({ 'b.txt': 'two\n' }));
  t.is(next.overall_status, 'BLOCKED');
  t.is(next.push?.base, good);
  t.false(await store.isAllowed());
});

test('a refused commit becomes no baseline of another repository', async (t) => {
  const { repo } = await founded('refused/shop');
  const bad = await repo.push({ 'env.sh': leak('forked') });
  t.is(await status(repo, bad.rfcId), 'BLOCKED');
  const fork = Object.assign(renamed(repo, 'refused/fork'), { id: 99_001 });
  const record = await fork.verdict(await fork.push({ 'b.txt': 'two\n' }));
  t.is(record.overall_status, 'BLOCKED');
  t.like(record.push, { base: null, base_kind: 'empty-tree' });
});

test('a rejection revokes the same commit on other refs, and all that depends on it', async (t) => {
  const { repo, good } = await founded('taken/shop');
  const bad = await repo.push({ 'env.sh': leak('revoked') });
  t.is(await status(repo, bad.rfcId), 'BLOCKED');
  await repo.decide(bad.rfcId, 'override');
  const side = await repo.move(SIDE, bad.sha);
  t.is(await status(repo, side.rfcId), 'PASSED');
  await repo.decide(bad.rfcId, 'reject');
  await until(async () => (await repo.verdict(side)).overall_status === 'BLOCKED');
  await repo.shows(bad.sha, 'failure');
  t.false(await repo.isAllowed('?branch=side'));
  const next = await repo.verdict(await repo.push({ 'b.txt': 'two\n' }));
  t.is(next.overall_status, 'BLOCKED');
  t.is(next.push?.base, good);
  t.false(await repo.isAllowed());
});

test('a rejected commit that the gates would pass is BLOCKED on every ref', async (t) => {
  const { repo } = await founded('taken/commit');
  const push = await repo.push({ 'b.txt': 'two\n' });
  t.is(await status(repo, push.rfcId), 'PASSED');
  await repo.decide(push.rfcId, 'reject');
  const side = await repo.verdict(await repo.move(SIDE, push.sha));
  t.is(side.overall_status, 'BLOCKED');
  t.true(side.gates.risk.findings.some(({ id }) => id === 'commit-rejected'));
  await repo.decide(side.rfc_id, 'override');
  t.true(await repo.isAllowed('?branch=side'));
});

test('first sight by a side branch: the late webhook of main opens its range again', async (t) => {
  const repo = new PushedRepository(house(), 'sight/side');
  const root = repo.commit({ 'README.md': 'read me\n' });
  const leaking = repo.commit({ 'env.sh': leak('first sight') });
  const made = repo.commit({ 'b.txt': 'two\n' }, { ref: SIDE, from: leaking });
  const side = await repo.tell({ ref: SIDE, before: null, after: made });
  t.is((await repo.verdict(side)).push?.base, leaking);
  const main = await repo.verdict(await repo.tell({ ref: MAIN, before: root, after: leaking }));
  t.is(main.overall_status, 'BLOCKED');
  t.is(main.push?.base, root);
  await until(async () => (await repo.verdict(side)).overall_status === 'BLOCKED');
  t.false(await repo.isAllowed());
  t.false(await repo.isAllowed('?branch=side'));
});

test('two webhooks that arrive newest first: the older one is judged, and the newer falls with it', async (t) => {
  const repo = new PushedRepository(house(), 'sight/order');
  const root = repo.commit({ 'README.md': 'read me\n' });
  const older = repo.commit({ 'run.js': HOLE });
  const newer = repo.commit({ 'b.txt': 'two\n' });
  const first = await repo.tell({ ref: MAIN, before: older, after: newer });
  t.is((await repo.verdict(first)).push?.base, older);
  const late = await repo.verdict(await repo.tell({ ref: MAIN, before: root, after: older }));
  t.is(late.overall_status, 'BLOCKED');
  t.is(late.push?.base, root);
  await until(async () => (await repo.verdict(first)).overall_status === 'BLOCKED');
  t.false(await repo.isAllowed());
});

test('a push that a sweep found has one RFC, also when its webhook comes late', async (t) => {
  const { repo, good } = await founded('late/sweep');
  const pushed = { ref: MAIN, before: good, after: repo.commit({ 'b.txt': 'two\n' }) };
  const known = { ref: MAIN, before: null, after: good };
  const again = repo.hook(known, { id: 'again' });
  await house().deliver(again);
  await house().deliver({ ...again, headers: repo.hook(known, { id: 'twice' }).headers });
  const swept = await repo.judgedAt(pushed.after);
  t.is(swept.push?.source, 'sweep');
  const late = await repo.tell(pushed);
  t.deepEqual([late.outcome, late.rfcId], ['same-push', swept.rfc_id]);
  t.deepEqual([(await repo.tell(pushed)).rfcId], [swept.rfc_id]);
});

/** A branch of two commits whose leak is overridden, while main went on. */
async function decided(name: string, more: Readonly<Record<string, string>> = {}) {
  const { repo, good } = await founded(name);
  repo.commit({ 'b.txt': 'two\n', ...more }, { ref: SIDE, from: good });
  const after = repo.commit({ 'env.sh': leak(name) }, { ref: SIDE });
  const branch = await repo.tell({ ref: SIDE, before: null, after });
  const found = await status(repo, branch.rfcId);
  if (found !== 'BLOCKED') throw new Error(`the branch is ${found}`);
  await repo.decide(branch.rfcId, 'override');
  const main = await repo.push({ 'c.txt': 'three\n' });
  await repo.verdict(main);
  return { repo, good, branch, main };
}

type Decided = Awaited<ReturnType<typeof decided>>;

const CHANGE = (name: string) => ({ 'env.sh': leak(name), 'b.txt': 'two\n' });
const NO_FF = ['merge', '--quiet', '--no-ff', '--no-edit'];

/** The commits of the branch again, on main, by another committer. */
function rebased({ repo, branch, main }: Decided): string {
  return repo.workTree(branch.sha, ['rebase', '--quiet', '--force-rebase', main.sha]);
}

/** All of the branch as one commit on another one. */
function squashed({ repo, branch }: Decided, onto: string): string {
  const merge = ['merge', '--quiet', '--squash', branch.sha];
  return repo.workTree(onto, merge, ['commit', '--quiet', '-m', 'All of it (#1)']);
}

/** What hosts push for a merge, made by real git: the rows of the table in docs/why/heads.md. */
const STYLES: Record<string, (at: Decided) => { ref: string; after: string }> = {
  squash: (at) => ({ ref: MAIN, after: squashed(at, at.main.sha) }),
  // GitLab squashes onto the commit where the branch began.
  'squash, then merge commit': (at) => ({
    ref: MAIN,
    after: at.repo.workTree(at.main.sha, [...NO_FF, squashed(at, at.good)]),
  }),
  'merge commit': ({ repo, branch, main }) => ({
    ref: MAIN,
    after: repo.workTree(main.sha, [...NO_FF, branch.sha]),
  }),
  rebase: (at) => ({ ref: MAIN, after: rebased(at) }),
  'rebase, then merge commit': (at) => ({
    ref: MAIN,
    after: at.repo.workTree(at.main.sha, [...NO_FF, rebased(at)]),
  }),
  'rebase of the branch, to fast-forward later': (at) => ({ ref: SIDE, after: rebased(at) }),
  'queue ref': ({ repo, branch, main }) => ({
    ref: `refs/heads/gh-readonly-queue/main/pr-1-${main.sha}`,
    after: repo.workTree(main.sha, [...NO_FF, branch.sha]),
  }),
  'cherry-pick of each commit': ({ repo, good, branch, main }) => ({
    ref: 'refs/heads/release',
    after: repo.workTree(main.sha, ['cherry-pick', `${good}..${branch.sha}`]),
  }),
};

for (const [style, made] of someOf(Object.entries(STYLES))) {
  test(`a decision is made once: ${style}`, async (t) => {
    const at = await decided(`carry/${style.replaceAll(/\W+/g, '-')}`);
    const { repo, branch, main } = at;
    const { ref, after } = made(at);
    const push = await repo.move(ref, after);
    const record = await repo.verdict(push);
    t.is(record.overall_status, 'OVERRIDDEN');
    t.deepEqual(record.carried_from, [branch.rfcId]);
    await repo.shows(push.sha, 'success');
    t.true(await repo.isAllowed(`?sha=${push.sha}`));
    if (ref !== MAIN) {
      // What the ref has is fast-forwarded to main: it is judged already.
      const forwarded = await repo.verdict(await repo.move(MAIN, after));
      t.is(forwarded.overall_status, 'PASSED');
      t.is(forwarded.push?.base, after);
    }

    const off = await repo.push({ 'd.txt': 'four\n' }, { ref: 'refs/heads/off', from: push.sha });
    t.is(await status(repo, off.rfcId), 'PASSED');

    await repo.decide(branch.rfcId, 'reject');
    await until(async () => (await repo.verdict(push)).overall_status === 'BLOCKED');
    await until(async () => (await repo.verdict(off)).overall_status === 'BLOCKED');
    t.false(await repo.isAllowed(`?sha=${push.sha}`));
    t.false(ref !== MAIN && (await repo.isAllowed()));
    t.true(await repo.isAllowed(`?sha=${main.sha}`));
  });
}

/** Two branches off one commit, each with a leak that is overridden. */
async function twoDecided(name: string) {
  const { repo, good } = await founded(name);
  const bad = async (file: string) => {
    const ref = `refs/heads/${file}`;
    const files = { [`${file}.sh`]: leak(`${name} ${file}`) };
    const push = await repo.push(files, { ref, from: good });
    await repo.verdict(push);
    await repo.decide(push.rfcId, 'override');
    return { files, push };
  };
  return { repo, good, one: await bad('one'), two: await bad('two') };
}

test('commits of a queue are each covered by another decision, or pass alone', async (t) => {
  const { repo, one, two } = await twoDecided('carry/queue');
  const before = repo.head(MAIN);
  repo.commit(one.files);
  repo.commit({ 'c.txt': 'three\n' });
  const after = repo.commit(two.files);
  const record = await repo.verdict(await repo.tell({ ref: MAIN, before, after }));
  t.is(record.overall_status, 'OVERRIDDEN');
  t.deepEqual(record.carried_from.sort(), [one.push.rfcId, two.push.rfcId].sort());
});

test('a train of two merges is carried from both decisions, and falls with either', async (t) => {
  const { repo, good, one, two } = await twoDecided('carry/train');
  const main = await repo.push({ 'c.txt': 'three\n' });
  await repo.verdict(main);
  const merges = [one, two].map(({ push }) => [...NO_FF, push.sha]);
  const push = await repo.move(MAIN, repo.workTree(main.sha, ...merges));
  const record = await repo.verdict(push);
  t.is(record.overall_status, 'OVERRIDDEN');
  t.deepEqual(record.carried_from.sort(), [one.push.rfcId, two.push.rfcId].sort());
  // The first of the two as a ref of its own, as a queue builds it, is not new either.
  const first = repo.git('rev-parse', `${push.sha}^`);
  t.is(await status(repo, (await repo.move('refs/heads/queue', first)).rfcId), 'OVERRIDDEN');
  await repo.decide(two.push.rfcId, 'reject');
  await until(async () => (await repo.verdict(push)).overall_status === 'BLOCKED');
  t.is((await repo.verdict(main)).push?.base, good);
});

test('a rebase of commits that were decided apart is carried from all of them', async (t) => {
  const name = 'carry/apart';
  const { repo, branch, main } = await decided(name);
  const second = await repo.push({ 'more.sh': leak('decided apart') }, { ref: SIDE });
  t.is(await status(repo, second.rfcId), 'BLOCKED');
  await repo.decide(second.rfcId, 'override');
  const after = repo.workTree(second.sha, ['rebase', '--quiet', '--force-rebase', main.sha]);
  const record = await repo.verdict(await repo.move(MAIN, after));
  t.is(record.overall_status, 'OVERRIDDEN');
  t.deepEqual(record.carried_from.sort(), [branch.rfcId, second.rfcId].sort());
});

test('a conflict that was resolved by hand, or a merge with more in it, is not carried', async (t) => {
  const { repo, branch, main } = await decided('carry/by-hand', { 'c.txt': 'ours\n' });
  const byHand = [
    ['-c', 'merge.conflictStyle=merge', ...NO_FF, '-X', 'theirs', branch.sha],
    ['-c', 'merge.conflictStyle=merge', ...NO_FF, '-X', 'ours', branch.sha],
  ];
  for (const [n, merge] of byHand.entries()) {
    const push = await repo.move(`refs/heads/hand-${n}`, repo.workTree(main.sha, merge));
    t.is(await status(repo, push.rfcId), 'BLOCKED', `${n}`);
  }
  const { repo: other, branch: side, main: onto } = await decided('carry/evil');
  const files = { ...CHANGE('carry/evil'), 'e.txt': 'one line more\n' };
  const evil = await other.push(files, { from: onto.sha, merge: [side.sha] });
  t.is(await status(other, evil.rfcId), 'BLOCKED');
});

test('nothing is carried to one byte or one finding more, nor to another repository', async (t) => {
  const name = 'carry/more';
  const { repo, branch } = await decided(name, { 'run.py': 'if ok:\n    stop()\n' });
  const change = { ...CHANGE(name), 'run.py': 'if ok:\n    stop()\n' };
  const variants = {
    indented: { ...change, 'run.py': 'if ok:\n        stop()\n' },
    'end of file': { ...change, 'run.py': 'if ok:\n    stop()' },
    more: { ...change, 'more.txt': 'more\n' },
    hole: { ...change, 'run.js': HOLE },
    less: { 'env.sh': leak(name) },
  };
  const main = repo.head(MAIN);
  for (const [what, files] of Object.entries(variants)) {
    const ref = `refs/heads/${what.replaceAll(' ', '-')}`;
    const push = await repo.push(files, { ref, from: main });
    t.is(await status(repo, push.rfcId), 'BLOCKED', what);
  }
  const same = await repo.push(change, { ref: 'refs/heads/same', from: main });
  t.is(await status(repo, same.rfcId), 'OVERRIDDEN');
  const again = await repo.push(change, { ref: 'refs/heads/again', from: main });
  t.deepEqual((await repo.verdict(again)).carried_from, [branch.rfcId], 'of the original alone');

  const { repo: other } = await founded('carry/other');
  t.is((await other.judge(change)).overall_status, 'BLOCKED');
});

test('a line that somebody let pass in one handler is decided again in another one', async (t) => {
  const { repo } = await founded('carry/handler');
  const handler = (name: string, line = '') =>
    `app.get('/${name}', (req, res) => {\n  log(req.path);\n  count(req.path);\n  check(req.path);\n${line}  done(res);\n  tell(res);\n  end(res);\n});\n`;
  const file = (...handlers: string[]) =>
    `const cp = require('node:child_process');\n${handlers.join('')}`;
  const line = '  cp.exec(req.query.command);\n';
  await repo.judge({ 'run.js': file(handler('admin'), handler('open')) });
  const decidedFile = { 'run.js': file(handler('admin', line), handler('open')) };
  const from = repo.head(MAIN);
  const branch = await repo.push(decidedFile, { ref: SIDE, from });
  t.is(await status(repo, branch.rfcId), 'BLOCKED');
  await repo.decide(branch.rfcId, 'override');

  const pasted = { 'run.js': file(handler('admin'), handler('open', line)) };
  const elsewhere = await repo.push(pasted, { ref: 'refs/heads/elsewhere', from });
  t.is(await status(repo, elsewhere.rfcId), 'BLOCKED');
  t.false(await repo.isAllowed(`?sha=${elsewhere.sha}`));
  const same = await repo.push(decidedFile, { ref: 'refs/heads/same', from });
  t.is(await status(repo, same.rfcId), 'OVERRIDDEN');
});

test('a rejection of a commit counts for annotated tags of it', async (t) => {
  const { repo } = await founded('tags/rejected');
  const by = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const tag = (name: string, of: string) => {
    repo.git(...by, 'tag', '--annotate', '--message', 'tag', name, of);
    return repo.git('rev-parse', `refs/tags/${name}`);
  };
  const pushed = await repo.push({ 'b.txt': 'two\n' });
  t.is(await status(repo, pushed.rfcId), 'PASSED');
  await repo.decide(pushed.rfcId, 'reject');
  const one = tag('one', pushed.sha);
  const two = tag('two', 'refs/tags/one');
  const refs = [
    ['refs/tags/one', one],
    ['refs/tags/two', two],
  ] as const;
  for (const [ref, after] of refs) {
    const record = await repo.verdict(await repo.tell({ ref, before: null, after }));
    t.is(record.overall_status, 'BLOCKED', ref);
    t.true(
      record.gates.risk.findings.some(({ id }) => id === 'commit-rejected'),
      ref,
    );
    t.false(await repo.isAllowed(`?sha=${after}`), ref);
  }
  const again = await repo.move('refs/heads/again', pushed.sha);
  t.is(await status(repo, again.rfcId), 'BLOCKED');
  await repo.decide(again.rfcId, 'override');
  const later = tag('three', pushed.sha);
  const free = await repo.tell({ ref: 'refs/tags/three', before: null, after: later });
  t.is(await status(repo, free.rfcId), 'PASSED');
});

test('a deploy is judged over all pushes since what runs, and a rollback passes', async (t) => {
  const { repo, good } = await founded('deployed/shop');
  const { url } = house().daemon;
  const report = async (sha: string) => {
    const body = { repo: repo.name, environment: 'prod', sha, result: 'succeeded' };
    const answer = await request(`${url}/deploys`, { method: 'POST', body: JSON.stringify(body) });
    t.is(answer.status, 200);
  };
  const ask = async (sha: string) => {
    const name = encodeURIComponent(repo.name);
    return (await request(`${url}/prod-check/${name}?environment=prod&sha=${sha}`)).body.data;
  };
  t.like(await ask(good), { allowed: true, deploy: { running: null, range: null } });
  await report(good);
  const bad = await repo.push({ 'env.sh': leak('deployed') });
  await repo.verdict(bad);
  const held = await ask(bad.sha);
  t.like(held, { allowed: false, rfcId: bad.rfcId, deploy: { range: { commits: 1 } } });
  // Two commits, of which the first takes the secret out again.
  repo.commit({ 'env.sh': '' });
  const next = await repo.push({ 'c.txt': 'three\n' });
  await repo.verdict(next);
  await repo.decide(next.rfcId, 'override');
  const repaired = await ask(next.sha);
  t.like(repaired, { allowed: true, deploy: { holds: [], range: { commits: 3, rfcs_total: 1 } } });
  await report(next.sha);
  t.like(await ask(good), { allowed: true, deploy: { is_rollback: true } });
  // Evidence of the deploy: every RFC since what ran before.
  const path = `evidence?${new URLSearchParams({ repo: repo.name, environment: 'prod' })}`;
  const evidence = await (await fetch(`${url}/${path}`)).text();
  const signer = createCheckpointSigner(findCheckpointSeed(house().dataDir) ?? Buffer.alloc(32));
  const { bundle, fault } = verifyBundle(evidence, [readEvidenceKey(signer.verifierKey)]);
  t.is(fault, null);
  t.like(bundle?.range, { from: good, to: next.sha, commits: 3, refusals: [], unjudged: [] });
  t.deepEqual(
    bundle?.changes.map(({ review, summary }) => [
      review.rfc.rfc_id,
      review.entries.length > 0,
      summary.verificationResult,
    ]),
    [[next.rfcId, true, 'PASSED']],
  );
  // A submitted diff of a commit on top clears no BLOCKED push behind it.
  const worse = await repo.push({ 'more.sh': leak('deployed again') });
  await repo.verdict(worse);
  const sha = repo.commit({ 'd.txt': 'four\n' });
  const change = { repo_name: repo.name, branch: 'main', commit_message: '', commitSha: sha };
  const diff = newFile('d.txt', 'four\n');
  await request(`${url}/analyze`, { method: 'POST', body: JSON.stringify({ ...change, diff }) });
  const { allowed, deploy } = await ask(sha);
  t.false(allowed);
  t.deepEqual(
    deploy.holds.map(({ kind, rfc_id }: { kind: string; rfc_id: string }) => [kind, rfc_id]),
    [['rfc', worse.rfcId]],
  );
});
