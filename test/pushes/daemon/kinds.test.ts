import test from 'ava';
import { request } from '../../daemon.ts';
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

test('a ref that is removed, and one that is not a branch or tag, make no RFC', async (t) => {
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
});
