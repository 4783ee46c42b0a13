import test from 'ava';
import { request, until } from '../../daemon.ts';
import { plan, planned } from '../../gates/configuration/plan-file.ts';
import { leak } from './bad-code.ts';
import { houseForAll } from './house.ts';
import { MAIN, PushedRepository, riskIds } from './pushed-repository.ts';

const house = houseForAll(test);

/** A repository that was there before the service heard of it. */
function founded(name: string): { repo: PushedRepository; root: string } {
  const repo = new PushedRepository(house(), name);
  return { repo, root: repo.commit({ 'README.md': 'read me\n' }) };
}

test('a plain push: its diff from where the branch was, verdict, status', async (t) => {
  const { repo, root } = founded('acme/plain');
  const push = await repo.push({ 'a.txt': 'one\n' }, { message: 'Add a\n\nIt is needed.\n' });
  const record = await repo.verdict(push);
  t.is(record.overall_status, 'PASSED');
  t.is(record.diff_hash, repo.diffHash(root, push.sha));
  t.is(record.commit_message, 'Add a\n\nIt is needed.', 'that of git, not that of the payload');
  t.like(record.push, { base: root, base_kind: 'ancestor', commits: 1, source: 'webhook' });
  t.like(record, { trigger: 'webhook', branch: 'main', ref: MAIN, commit_sha: push.sha });
  t.deepEqual(riskIds(record), ['baseline-adopted']);
  t.is(record.stats.files, 1);

  await repo.shows(push.sha, 'success');
  const [kept] = house().statuses.hub.taken.filter(({ repo: name }) => name === repo.name);
  t.is(kept?.context, 'cra/gate');
  t.regex(kept?.targetUrl ?? '', new RegExp(push.rfcId));
  t.true(await repo.isAllowed());
  t.true(await repo.isAllowed(`?sha=${push.sha}`));
  const { body } = await request(`${house().daemon.url}/webhook-status/Acme/Plain`);
  t.is(body.data.rfc_id, push.rfcId);
});

test('a push that leaks a key is BLOCKED, and the host shows failure', async (t) => {
  const { repo, root } = founded('acme/leak');
  const push = await repo.push({ 'env.sh': leak('plain') });
  const record = await repo.verdict(push);
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.diff_hash, repo.diffHash(root, push.sha));
  await repo.shows(push.sha, 'failure');
  t.false(await repo.isAllowed());
  t.false(repo.statesOf(push.sha).includes('success'));
});

test('a plan that deletes a database blocks a push that has passed', async (t) => {
  const { repo } = founded('acme/planned');
  const push = await repo.push({ 'main.tf': 'resource "aws_db_instance" "main" {\n}\n' });
  t.is((await repo.verdict(push)).overall_status, 'PASSED');
  await repo.shows(push.sha, 'success');
  const gone = planned({ address: 'aws_db_instance.main', actions: ['delete'], before: {} });
  const path = `${house().daemon.url}/rfc/${push.rfcId}/terraform-plan`;
  const body = new Uint8Array(plan([gone]));
  const { status, body: answer } = await request(path, { method: 'POST', body });
  t.is(status, 200, JSON.stringify(answer));
  t.is(answer.data.overall_status, 'BLOCKED');
  await repo.shows(push.sha, 'failure');
  t.false(await repo.isAllowed(`?sha=${push.sha}`));
  const record = await repo.verdict(push);
  const found = record.gates.risk.findings.find(({ id }) => id.endsWith('database-removed'));
  t.like(found, { severity: 'high', file: 'main.tf', line: 1 });
});

test('a new branch starts from the accepted head that it was made from', async (t) => {
  const { repo, root } = founded('acme/branch');
  await repo.judge({ 'a.txt': 'one\n' });
  const ref = 'refs/heads/feature/one';
  const push = await repo.push({ 'b.txt': 'two\n' }, { ref, from: root });
  t.is(push.before, null);
  const record = await repo.verdict(push);
  t.is(record.branch, 'feature/one');
  t.is(record.overall_status, 'PASSED');
  t.like(record.push, { base: root, base_kind: 'ancestor' });
  t.is(record.diff_hash, repo.diffHash(root, push.sha));
  await repo.shows(push.sha, 'success');
});

test('the first push of a repository is judged as a whole', async (t) => {
  const repo = new PushedRepository(house(), 'acme/first');
  const push = await repo.push({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
  const record = await repo.verdict(push);
  t.like(record.push, { base: null, base_kind: 'empty-tree', commits: 1 });
  const emptyTree = repo.git('hash-object', '-t', 'tree', '/dev/null');
  t.is(record.diff_hash, repo.diffHash(emptyTree, push.sha));
  t.is(record.overall_status, 'PASSED');
});

test('a forced push starts from what was accepted before the branches part', async (t) => {
  const { repo, root } = founded('acme/force');
  const first = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(first);
  const forced = await repo.push({ 'a.txt': 'other\n' }, { from: root });
  t.is(forced.before, first.sha);
  const record = await repo.verdict(forced);
  t.like(record.push, { base: root, base_kind: 'ancestor', commits: 1 });
  t.is(record.diff_hash, repo.diffHash(root, forced.sha));
  t.is(record.overall_status, 'PASSED');
});

test('25 commits are one change, whatever of them the payload lists', async (t) => {
  const { repo, root } = founded('acme/many');
  const before = repo.head(MAIN);
  for (let n = 1; n < 25; n += 1) {
    repo.commit({ [`f${n}.txt`]: `${n}\n`, 'env.sh': n < 3 ? 'none\n' : leak('many') });
  }
  const push = await repo.tell({ ref: MAIN, before, after: repo.commit({ 'z.txt': 'z\n' }) });
  const record = await repo.verdict(push);
  t.like(record.push, { base: root, commits: 25 });
  t.is(record.diff_hash, repo.diffHash(root, push.sha));
  t.is(record.stats.files, 26);
  t.is(record.overall_status, 'BLOCKED');
});

test('a ref that is removed, and a ref that is not a branch or tag, make no RFC', async (t) => {
  const { repo } = founded('acme/none');
  const push = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(push);
  repo.set('refs/heads/gone', push.sha);
  const gone = repo.hook({ ref: 'refs/heads/gone', before: push.sha, after: null });
  const notes = repo.hook({ ref: 'refs/notes/commits', before: null, after: push.sha });
  const answers = await Promise.all([gone, notes].map((hook) => house().deliver(hook)));
  t.deepEqual(
    answers.map(({ body }) => body.data),
    [{ ignored: 'delete' }, { ignored: 'refs/notes/commits' }],
  );
  t.is((await repo.newest()).rfc_id, push.rfcId);
  t.true(await repo.isAllowed());
});

test('a secret in a message of a commit or of a tag is BLOCKED', async (t) => {
  const { repo } = founded('acme/messages');
  const before = repo.head(MAIN);
  const message = `Set the key\n\n${leak('message')}`;
  const first = repo.commit({ 'a.txt': 'one\n' }, { message });
  const push = await repo.tell({ ref: MAIN, before, after: repo.commit({ 'b.txt': 'two\n' }) });
  const record = await repo.verdict(push);
  const [finding] = record.gates.risk.findings;
  t.is(record.overall_status, 'BLOCKED');
  t.like(finding, { id: 'secret-aws-access-key-id', severity: 'high', file: null });
  t.true(finding?.message.includes(`commit ${first.slice(0, 12)}`));

  const clean = await repo.push({ 'a.txt': 'one\n' }, { from: before });
  t.is((await repo.verdict(clean)).overall_status, 'PASSED');
  const person = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  repo.git(...person, 'tag', '-a', '-m', leak('tag'), 'v1', clean.sha);
  repo.git(...person, 'tag', '-a', '-m', 'x', 'v2', 'v1');
  const [inner, outer] = ['refs/tags/v1', 'refs/tags/v2'].map((ref) => repo.head(ref));
  const tag = await repo.tell({ ref: 'refs/tags/v2', before: null, after: outer ?? '' });
  const tagged = await repo.verdict(tag);
  t.is(tagged.overall_status, 'BLOCKED');
  t.true(JSON.stringify(tagged.gates).includes(`annotated tag ${inner?.slice(0, 12)}`));
  for (const { gates } of [record, tagged]) t.false(/AKIA[A-Z2-7]{16}/.test(JSON.stringify(gates)));
});

test('a merge brings what the other branch has', async (t) => {
  const { repo, root } = founded('acme/merge');
  const main = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(main);
  const side = repo.commit({ 'b.txt': 'two\n' }, { ref: 'refs/heads/side', from: root });
  const push = await repo.push({ 'b.txt': 'two\n' }, { merge: [side] });
  const record = await repo.verdict(push);
  t.like(record.push, { base: main.sha, commits: 2 });
  t.is(record.diff_hash, repo.diffHash(main.sha, push.sha));
  t.is(record.overall_status, 'PASSED');
});

test('a merge that adds what neither side has is judged for it', async (t) => {
  const { repo, root } = founded('acme/evil-merge');
  const main = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(main);
  const side = repo.commit({ 'b.txt': 'two\n' }, { ref: 'refs/heads/side', from: root });
  const evil = await repo.push({ 'b.txt': 'two\n', 'e.sh': leak('evil') }, { merge: [side] });
  const record = await repo.verdict(evil);
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.diff_hash, repo.diffHash(main.sha, evil.sha));

  const before = repo.commit({}, { ref: 'refs/heads/hidden', from: main.sha });
  const ref = 'refs/heads/hidden';
  repo.commit({ 'b.txt': 'two\n', 'e.sh': leak('hidden') }, { ref, merge: [side] });
  const after = repo.commit({ 'e.sh': null }, { ref });
  const hidden = await repo.verdict(await repo.tell({ ref, before, after }));
  t.is(hidden.overall_status, 'BLOCKED', 'the merge added it, the next commit took it out');
  t.is(hidden.diff_hash, repo.diffHash(main.sha, after));
});

test('a file that is renamed and changed is judged by what was changed', async (t) => {
  const { repo } = founded('acme/rename');
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join('');
  const first = await repo.push({ 'old.sh': lines });
  await repo.verdict(first);
  const push = await repo.push({ 'old.sh': null, 'new.sh': lines + leak('rename') });
  const record = await repo.verdict(push);
  t.is(record.diff_hash, repo.diffHash(first.sha, push.sha));
  t.like(record.stats, { files: 1, additions: 1, deletions: 0 });
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.gates.risk.findings[0]?.file, 'new.sh');
});

test('a NUL byte hides no source', async (t) => {
  const { repo, root } = founded('acme/nul');
  const push = await repo.push({ 'a.py': `X = "\0"\n${leak('nul')}` });
  const record = await repo.verdict(push);
  t.is(record.diff_hash, repo.diffHash(root, push.sha, '--text'));
  t.not(record.diff_hash, repo.diffHash(root, push.sha), 'git takes it for binary');
  t.is(record.overall_status, 'BLOCKED');
  t.true(record.gates.risk.findings.some(({ id }) => id.startsWith('secret-')));
});

test('a pushed .gitattributes hides no source', async (t) => {
  const { repo, root } = founded('acme/attributes');
  const attributes = '*.py -diff\n* binary\na.py -text diff=none\n';
  const push = await repo.push({ '.gitattributes': attributes, 'a.py': leak('attributes') });
  const record = await repo.verdict(push);
  t.is(record.diff_hash, repo.diffHash(root, push.sha, '--text'));
  t.is(record.overall_status, 'BLOCKED');
  t.true(record.gates.risk.findings.some(({ id }) => id.startsWith('secret-')));
});

test('a submodule and an LFS pointer are reported as outside of the diff', async (t) => {
  const { repo, root } = founded('acme/outside');
  const oid = 'ab'.repeat(32);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 123\n`;
  const files = { 'model.bin': pointer };
  const before = repo.head(MAIN);
  const middle = repo.commit(files);
  const after = repo.hosted.commit([{ name: 'vendor', data: 'c'.repeat(40), mode: '160000' }]);
  const push = await repo.tell({ ref: MAIN, before, after });
  t.not(middle, after);
  const record = await repo.verdict(push);
  t.is(record.diff_hash, repo.diffHash(root, push.sha, '--submodule=short'));
  const outside = record.gates.risk.findings.filter(({ id }) => id === 'outside-diff');
  t.deepEqual(outside.map(({ file }) => file).sort(), ['model.bin', 'vendor']);
  t.is(record.overall_status, 'PASSED');
});

test('code behind a link, a new name or a first line is read from the mirror', async (t) => {
  const { repo } = founded('acme/hidden');
  const code = "app.get('/', (req) => require('child_process').exec(req.query.c));\n";
  const notes = await repo.judge({ 'notes.txt': code, tool: code, 'old.txt': code });
  t.is(notes.overall_status, 'PASSED', 'nobody runs text');
  const before = repo.head(MAIN);
  const after = repo.hosted.commit([
    { name: 'server.js', data: 'notes.txt', mode: '120000' },
    { name: 'passwd.js', data: '/etc/passwd', mode: '120000' },
    { name: 'tool', data: `#!/usr/bin/env node\n${code}` },
    { name: 'old.txt', data: null },
    { name: 'new.js', data: code },
  ]);
  const record = await repo.verdict(await repo.tell({ ref: MAIN, before, after }));
  const found = [...record.gates.risk.findings, ...record.gates.ast.findings]
    .filter(({ severity }) => severity === 'critical' || severity === 'high')
    .map(({ id, file, line }) => `${id} ${file}:${line}`);
  t.deepEqual(found.sort(), [
    'outside-diff passwd.js:null',
    'outside-diff server.js:null',
    'vuln-01 new.js:1',
    'vuln-01 server.js:1',
    'vuln-01 tool:2',
  ]);
  t.deepEqual(record.hard_limits, ['vuln-01']);
});

test('data is followed into other files of the mirror, at the state that is pushed', async (t) => {
  const { repo } = founded('acme/program');
  const helper =
    "const { exec } = require('child_process');\nexports.run = (name) => exec('ls ' + name);\n";
  const route =
    "const { run } = require('./lib/run');\napp.get('/', (req) => run(req.query.name));\n";
  await repo.judge({ 'lib/run.js': helper });
  const record = await repo.judge({ 'app.js': route });
  const [grave] = record.gates.ast.findings.filter(({ file }) => file === 'app.js');
  t.is(grave?.id, 'vuln-01');
  t.is(grave?.line, 2);
  const files = grave?.flow?.map(({ file }) => file) ?? [];
  t.deepEqual([...new Set(files)], ['app.js', 'lib/run.js']);
});

test('a marker holds for high findings once somebody approved the RFC that brought it', async (t) => {
  const { repo } = founded('acme/markers');
  const line = (name: string, reason: string) =>
    `const ${name} = (x) => db.query("SELECT * FROM t WHERE id=" + x); // cra-ignore ast-*: ${reason}\n`;
  const padding = '//\n'.repeat(40);
  const brought = await repo.push({ 'a.js': `${padding}// cra-ignore ast-*: reviewed\n` });
  await repo.verdict(brought);
  await repo.decide(brought.rfcId, 'approve');
  const old = await repo.judge({
    'a.js': `${line('a', 'reviewed')}${padding}// cra-ignore ast-*: reviewed\n`,
  });
  t.is(old.overall_status, 'PASSED', riskIds(old).join());
  t.is(old.gates.ast.suppressed_count, 1);
  const fresh = await repo.judge({ 'b.js': line('b', 'mine') });
  t.is(fresh.overall_status, 'BLOCKED');
  t.true(riskIds(fresh).includes('marker-invalid'));
});

test('a range in which nothing is left is PASSED as no change', async (t) => {
  const { repo, root } = founded('acme/nothing');
  const ref = 'refs/heads/same';
  repo.set(ref, root);
  await repo.judge({ 'a.txt': 'one\n' });
  const record = await repo.verdict(await repo.tell({ ref, before: null, after: root }));
  t.is(record.overall_status, 'PASSED');
  t.true(riskIds(record).includes('no-changes'), riskIds(record).join());
});

const FORK = 'refs/pull/7/head';

test('a pull request of a fork is judged by its own ref, and makes no accepted head', async (t) => {
  const { repo, root } = founded('acme/fork');
  const main = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(main);
  const sha = repo.forked(main.sha, { 'b.txt': 'two\n' });
  const pull = await repo.pull({ number: 7, sha, title: `Add ${leak('title')}\n@all` });
  const record = await repo.verdict(pull);
  t.is(record.overall_status, 'PASSED');
  t.is(record.diff_hash, repo.diffHash(main.sha, sha));
  t.like(record, { ref: FORK, branch: FORK, commit_sha: sha, repo_name: repo.name });
  t.like(record.push, { source: 'pull-request', pusher: 'eve', base: main.sha, commits: 1 });
  const { title, ...pulled } = record.pull_request ?? { title: '' };
  t.deepEqual(pulled, {
    number: 7,
    author: 'eve',
    from_fork: true,
    first_time: false,
    base_branch: 'main',
    url: `https://git.example.com/${repo.name}/pull/7`,
  });
  t.regex(title, /^Add .* @all$/);
  t.notRegex(title, /AKIA[A-Z2-7]{16}/);
  await repo.shows(sha, 'success');

  const branch = await repo.move('refs/heads/taken', sha);
  const taken = await repo.verdict(branch);
  t.like(taken.push, { base: main.sha, commits: 1 }, 'its own verdict, from the accepted head');
  t.not(root, main.sha);
});

test('a pull request of a branch and the push of that branch are one RFC', async (t) => {
  const { repo } = founded('acme/pull-own');
  await repo.judge({ 'a.txt': 'one\n' });
  const ref = 'refs/heads/next';
  const sha = repo.commit({ 'b.txt': 'two\n' }, { ref, from: repo.head(MAIN) });
  const pull = await repo.pull({ number: 1, sha, branch: 'next' });
  const push = await repo.tell({ ref, before: null, after: sha });
  const again = await repo.pull({ number: 1, sha, branch: 'next', action: 'reopened' });
  t.like(push, { rfcId: pull.rfcId, outcome: 'same-push' });
  t.like(again, { rfcId: pull.rfcId, outcome: 'same-push' });
  const record = await repo.verdict(pull);
  t.like(record, { ref, branch: 'next', overall_status: 'PASSED' });
  t.like(record.pull_request, { number: 1, from_fork: false });
  // Its range does not depend on the base branch.
  const more = { changes: { base: { ref: { from: 'main' } } } };
  const edited = { number: 1, sha, branch: 'next', action: 'edited', base: 'other', more };
  t.like(await repo.pull(edited), { rfcId: pull.rfcId, outcome: 'same-push' });
});

test('a pull request that is opened after the push of its branch is noted in its RFC', async (t) => {
  const { repo } = founded('acme/pull-later');
  await repo.judge({ 'a.txt': 'one\n' });
  const ref = 'refs/heads/next';
  const noted = async (number: number, push: { rfcId: string; sha: string }, title = 'Add it') => {
    const pull = await repo.pull({ number, sha: push.sha, branch: 'next', title });
    t.like(pull, { rfcId: push.rfcId, outcome: 'same-push' });
    await until(async () => (await repo.verdict(push)).pull_request?.title === title);
    return await repo.verdict(push);
  };
  const judged = await repo.push({ 'b.txt': 'two\n' }, { ref, from: repo.head(MAIN) });
  await repo.verdict(judged);
  t.like(await noted(1, judged), { overall_status: 'PASSED', pull_request: { number: 1 } });
  // The webhooks of a push to a branch with a pull request come together.
  const waits = await repo.push({ 'c.txt': 'three\n' }, { ref });
  t.like(await noted(1, waits, 'Add more'), { commit_sha: waits.sha });
  // A second pull request of the same head changes nothing.
  await repo.pull({ number: 2, sha: waits.sha, branch: 'next', base: 'other' });
  t.is((await repo.verdict(waits)).pull_request?.number, 1);
});

test('a fork begins where it leaves its base branch, also between two pushes', async (t) => {
  const { repo } = founded('acme/fork-base');
  const before = repo.head(MAIN);
  const middle = repo.commit({ 'a.txt': 'one\n' });
  const after = repo.commit({ 'a.txt': 'two\n' });
  await repo.verdict(await repo.tell({ ref: MAIN, before, after }));
  const sha = repo.forked(middle, { 'b.txt': 'two\n' }, { 'c.txt': 'three\n' });
  const record = await repo.verdict(await repo.pull({ number: 1, sha }));
  t.like(record.push, { base: middle, base_kind: 'ancestor', commits: 2 });
  t.is(record.diff_hash, repo.diffHash(middle, sha));

  // What was refused on the base branch is refused behind it, too.
  const bad = await repo.judge({ 'env.sh': leak('base') });
  const behind = repo.forked(bad.commit_sha ?? '', { 'd.txt': 'four\n' });
  const refused = await repo.verdict(await repo.pull({ number: 2, sha: behind }));
  t.like(refused, { overall_status: 'BLOCKED' });
  t.is(refused.push?.base, after);

  // With nothing in common the whole tree counts.
  const alone = repo.commit({ 'e.txt': 'five\n' }, { ref: 'refs/forks/alone', from: null });
  repo.set('refs/forks/alone', null);
  const whole = await repo.verdict(await repo.pull({ number: 3, sha: alone }));
  t.like(whole.push, { base: null, base_kind: 'empty-tree' });
});

test('another base branch gives another RFC, closing none, reopening the same', async (t) => {
  const { repo, root } = founded('acme/fork-moves');
  const main = await repo.judge({ 'a.txt': 'one\n' });
  const old = await repo.judge({ 'old.txt': 'x\n' }, { ref: 'refs/heads/old', from: root });
  const sha = repo.forked(main.commit_sha ?? '', { 'b.txt': 'two\n' });
  const first = await repo.verdict(await repo.pull({ number: 7, sha }));
  t.is(first.push?.base, main.commit_sha);
  const closed = await repo.pull({ number: 7, sha, action: 'closed' });
  t.is(closed.outcome, 'pull_request');
  const reopened = await repo.pull({ number: 7, sha, action: 'reopened' });
  t.like(reopened, { rfcId: first.rfc_id, outcome: 'same-push' });

  const more = { changes: { base: { ref: { from: 'main' } } } };
  const edited = await repo.pull({ number: 7, sha, action: 'edited', base: 'old', more });
  t.not(edited.rfcId, first.rfc_id);
  const moved = await repo.verdict(edited);
  t.like(moved.push, { base: root, commits: 2 });
  t.is(moved.pull_request?.base_branch, 'old');
  t.not(old.commit_sha, root);

  const forced = repo.forked(main.commit_sha ?? '', { 'c.txt': 'three\n' });
  const pushed = await repo.verdict(
    await repo.pull({ number: 7, sha: forced, action: 'synchronize' }),
  );
  t.like(pushed, { commit_sha: forced, overall_status: 'PASSED' });
  t.is(pushed.push?.base, main.commit_sha);
  t.is(pushed.push?.pusher, 'ann');

  // An event that comes late names the head before: the newest one stays judged.
  const late = await house().deliver(repo.pullHook({ number: 7, sha, action: 'synchronize' }));
  const dropped = await repo.verdict({ rfcId: late.body.data.rfc_id });
  t.like(dropped, { overall_status: 'SUPERSEDED', commit_sha: sha });
  t.is((await repo.judgedAtRef(FORK)).rfc_id, pushed.rfc_id);
  await repo.shows(forced, 'success');
});

test('a head that the host does not have there is not judged, nor a repeated one', async (t) => {
  const { repo } = founded('acme/fork-forged');
  const main = await repo.judge({ 'a.txt': 'one\n' });
  const sha = repo.forked(main.commit_sha ?? '', { 'b.txt': 'two\n' });
  repo.set(FORK, sha);
  const elsewhere = repo.commit({ 'c.sh': leak('other') }, { ref: 'refs/heads/other' });
  const forged = repo.pullHook({ number: 7, sha: elsewhere });
  const { body } = await house().deliver(forged);
  const record = await repo.judgedAtRef(FORK);
  t.is(record.commit_sha, sha);
  const dropped = await repo.verdict({ rfcId: body.data.rfc_id });
  t.is(dropped.overall_status, 'SUPERSEDED');
  t.is(record.pull_request?.number, 7);

  const again = await repo.pull({ number: 7, sha });
  const hook = repo.pullHook({ number: 7, sha }, { id: 'another' });
  const replayed = await house().deliver(hook);
  t.is(replayed.body.data.rfc_id, again.rfcId);
  const isOwn = repo.pullHook({ number: 8, sha, branch: 'main' });
  const claimed = await repo.verdict({ rfcId: (await house().deliver(isOwn)).body.data.rfc_id });
  t.is(claimed.overall_status, 'SUPERSEDED', 'its branch stands elsewhere');
  t.is(repo.head(MAIN), main.commit_sha);
});

test('deployments and branches do not depend on the pull request of a fork', async (t) => {
  const { repo } = founded('acme/fork-prod');
  const main = await repo.judge({ 'a.txt': 'one\n' });
  const sha = repo.forked(main.commit_sha ?? '', { 'env.sh': leak('fork') });
  const pull = await repo.pull({ number: 7, sha });
  const record = await repo.verdict(pull);
  t.is(record.overall_status, 'BLOCKED');
  await repo.shows(sha, 'failure');
  t.true(await repo.isAllowed(), 'anybody can open a pull request');
  t.is((await repo.newest()).rfc_id, main.rfc_id);
  await repo.decide(pull.rfcId, 'override');
  await repo.shows(sha, 'success');
  const asked = await request(`${house().daemon.url}/prod-check/${repo.name}?sha=${sha}`);
  t.is(asked.status, 404, 'a commit of a fork alone');

  const same = repo.forked(main.commit_sha ?? '');
  const shared = await repo.pull({ number: 9, sha: same, base: 'other' });
  t.like(shared, { rfcId: main.rfc_id, outcome: 'same-push' });

  // The decision is carried to the merge queue, and the target stands at an accepted head.
  const queue = 'refs/heads/gh-readonly-queue/main/pr-7';
  const merge = ['merge', '--no-ff', '-m', 'Merge pull request #7', sha];
  const merged = repo.workTree(main.commit_sha ?? '', merge);
  const queued = await repo.verdict(await repo.move(queue, merged));
  t.like(queued, { overall_status: 'OVERRIDDEN', carried_from: [pull.rfcId] });
  const landed = await repo.verdict(await repo.move(MAIN, merged));
  t.is(landed.overall_status, 'PASSED');

  // What was carried falls with the decision, and the rejection counts for the commit.
  await repo.decide(pull.rfcId, 'reject');
  await repo.shows(merged, 'failure');
  t.false(await repo.isAllowed());
  const pushed = await repo.verdict(await repo.move('refs/heads/again', sha));
  t.true(riskIds(pushed).includes('commit-rejected'), riskIds(pushed).join());
});

test('stacked pull requests of own branches: each is judged behind the one below', async (t) => {
  const { repo } = founded('acme/stacked');
  const main = await repo.judge({ 'a.txt': 'one\n' });
  const lower = 'refs/heads/lower';
  const below = repo.commit({ 'b.txt': 'two\n' }, { ref: lower, from: main.commit_sha });
  await repo.verdict(await repo.pull({ number: 1, sha: below, branch: 'lower' }));
  const sha = repo.commit({ 'c.txt': 'three\n' }, { ref: 'refs/heads/upper', from: below });
  const upper = await repo.pull({ number: 2, sha, branch: 'upper', base: 'lower' });
  const record = await repo.verdict(upper);
  t.like(record.push, { base: below, commits: 1 });
  t.is(record.pull_request?.base_branch, 'lower');
});

test('a merge request of GitLab is judged by its own ref', async (t) => {
  const lab = new PushedRepository(house(), 'group/merge', 'lab');
  lab.commit({ 'README.md': 'read me\n' });
  const main = await lab.judge({ 'a.txt': 'one\n' });
  const sha = lab.forked(main.commit_sha ?? '', { 'b.txt': 'two\n' });
  lab.set('refs/merge-requests/3/head', sha);
  const { body } = await house().deliver(
    lab.mergeRequestHook({ iid: 3, sha, project: lab.id + 1 }),
  );
  const record = await lab.verdict({ rfcId: body.data.rfc_id });
  t.like(record, { ref: 'refs/merge-requests/3/head', overall_status: 'PASSED' });
  t.like(record.pull_request, { number: 3, from_fork: true, author: 'eve' });
  await lab.shows(sha, 'success');
});
