import test from 'ava';
import { BODY } from '../../../src/model/limits.ts';
import { request, until } from '../../daemon.ts';
import { HOLE, leak } from './bad-code.ts';
import { type HookKind, hookOf } from './hooks.ts';
import { type HostId, houseForAll, SECRETS } from './house.ts';
import { MAIN, PushedRepository } from './pushed-repository.ts';

const house = houseForAll(test);

function founded(name: string, host: HostId = 'hub', kind?: HookKind): PushedRepository {
  const repo = new PushedRepository(house(), name, host, kind);
  repo.commit({ 'README.md': 'read me\n' });
  return repo;
}

interface Case {
  host: HostId;
  kind: HookKind;
  isForm: boolean;
  /** What the host shows in the end. */
  green: string;
}

const CASES: Case[] = [
  { host: 'hub', kind: 'github', isForm: false, green: 'success' },
  { host: 'hub', kind: 'github', isForm: true, green: 'success' },
  { host: 'tea', kind: 'gitea', isForm: false, green: 'success' },
  { host: 'tea', kind: 'gitea', isForm: true, green: 'success' },
  { host: 'tea', kind: 'forgejo', isForm: false, green: 'success' },
  { host: 'lab', kind: 'gitlab', isForm: false, green: 'success' },
  { host: 'lab', kind: 'gitlab-signed', isForm: false, green: 'success' },
];

for (const { host, kind, isForm, green } of CASES) {
  const format = isForm ? 'form' : 'json';
  test(`a push of ${kind} as ${format}: judged, and its host gets the status`, async (t) => {
    const group = host === 'lab' ? 'acme/team/sub' : 'acme';
    const repo = founded(`${group}/${kind}-${format}`, host, kind);
    const before = repo.head(MAIN);
    const after = repo.commit({ 'a.txt': 'one\n' });
    const id = `delivery-${kind}-${format}`;
    // As the webhook of an organization or group sends it, of a repository that nobody knows.
    const more = { organization: { login: 'acme', id: 1 }, installation: { id: 8 } };
    const push = await repo.tell({ ref: MAIN, before, after }, { id, isForm, more });
    t.is(push.outcome, 'new');
    const record = await repo.verdict(push);
    t.is(record.overall_status, 'PASSED');
    t.is(record.repo_name, repo.name);
    t.like(record.push, { host, base: before, before, default_branch: 'main', delivery_id: id });
    t.like(record.submitted_by, { id: `webhook:${host}`, name: 'ann', credential: 'webhook' });
    await repo.shows(after, green);
    const told = house().statuses[host].taken.findLast(({ sha }) => sha === after);
    t.is(told?.ref, host === 'lab' ? 'main' : null);
  });
}

const IGNORED: [kind: HookKind, event: string, payload: object, told: string][] = [
  ['github', 'ping', { zen: 'Keep it logically awesome.', hook_id: 1 }, 'ping'],
  ['github', 'issues', { action: 'opened', repository: { full_name: 'acme/x' } }, 'issues'],
  ['github', 'installation', { action: 'created', installation: { id: 8 } }, 'installation'],
  [
    'github',
    'installation_repositories',
    { action: 'added', repositories_added: [{ full_name: 'acme/x' }] },
    'installation_repositories',
  ],
  ['github', 'repository', { action: 'created', organization: { login: 'acme' } }, 'repository'],
  ['gitea', 'repository', { action: 'created', organization: { username: 'acme' } }, 'repository'],
  ['gitlab', 'Subgroup Hook', { event_name: 'subgroup_create', group_id: 1 }, 'Subgroup Hook'],
  ['gitlab', 'Member Hook', { event_name: 'user_add_to_group', group_id: 1 }, 'Member Hook'],
  ['gitea', 'create', { ref: 'v1', ref_type: 'tag' }, 'create'],
  ['forgejo', 'delete', { ref: 'side', ref_type: 'branch' }, 'delete'],
  ['gitlab', 'Merge Request Hook', { object_kind: 'merge_request' }, 'Merge Request Hook'],
  ['gitlab', 'System Hook', { object_kind: 'project_create' }, 'System Hook'],
  ['github', 'x\u00e9"<b>', {}, '(no name of an event)'],
  ['github', '', { zen: 'Keep it logically awesome.' }, 'not a push'],
];

for (const [kind, event, payload, told] of IGNORED) {
  test(`${kind} ${encodeURI(event)} is ignored once its signature holds`, async (t) => {
    const host = kind === 'gitlab' ? 'lab' : kind === 'github' ? 'hub' : 'tea';
    const signed = hookOf(kind, payload, { secret: SECRETS[host], event });
    t.deepEqual(await house().deliver(signed), {
      status: 200,
      body: { ok: true, data: { ignored: told } },
    });
    const isLogged = () => house().daemon.log.some(({ what }) => what === told);
    await until(isLogged);
    const unsigned = hookOf(kind, payload, { secret: 'guess', event });
    t.is((await house().deliver(unsigned)).status, 401);
  });
}

for (const [host, kind] of [
  ['hub', 'github'],
  ['lab', 'gitlab'],
] as const) {
  test(`a push of ${kind} without an event header makes an RFC`, async (t) => {
    const repo = founded(`acme/plain-${kind}`, host, kind);
    const before = repo.head(MAIN);
    const after = repo.commit({ 'a.txt': 'one\n' });
    const push = await repo.tell({ ref: MAIN, before, after }, { event: '' });
    t.is((await repo.verdict(push)).overall_status, 'PASSED');
  });
}

test('a payload that can not be is refused by the name of its field', async (t) => {
  const repo = founded('acme/malformed');
  const good = { ref: MAIN, before: null, after: repo.head(MAIN) };
  const wrong: [field: string, more: Record<string, unknown>][] = [
    ['ref', { ref: 'refs/heads/a..b' }],
    ['after', { after: '--output=x' }],
    ['before', { before: null }],
    ['full_name', { repository: { full_name: '../../etc' } }],
    ['full_name', { repository: { full_name: 'acme/shop.git' } }],
    ['full_name', { repository: [] }],
  ];
  for (const [field, more] of wrong) {
    const { status, body } = await house().deliver(repo.hook(good, { more }));
    t.is(status, 400, JSON.stringify(body));
    t.regex(body.error, new RegExp(field));
  }
  for (const payload of [[], 'text', null, 1]) {
    const { status } = await house().deliver(hookOf('github', payload, { secret: SECRETS.hub }));
    t.is(status, 400, JSON.stringify(payload));
  }
  const { headers } = repo.hook(good);
  t.is((await house().deliver({ headers, body: Buffer.from('{') })).status, 401);
});

test('a payload of 25 MB is taken in, one above the limit is not', async (t) => {
  const repo = founded('acme/large');
  const before = repo.head(MAIN);
  const after = repo.commit({ 'a.txt': 'one\n' });
  const large = { commits: Array.from({ length: 25 }, () => ({ message: 'x'.repeat(1_000_000) })) };
  const push = await repo.tell({ ref: MAIN, before, after }, { more: large });
  const record = await repo.verdict(push);
  t.is(record.overall_status, 'PASSED');
  t.is(record.commit_message, 'a change');
  const more = { padding: 'x'.repeat(BODY.LARGE_BYTES_MAX) };
  const refused = await house().deliver(repo.hook({ ref: MAIN, before, after }, { more }));
  t.is(refused.status, 413);
});

test('the same delivery again is the same RFC; its body under a new id gets a look', async (t) => {
  const repo = founded('acme/again');
  const before = repo.head(MAIN);
  const after = repo.commit({ 'a.txt': 'one\n' });
  const pushed = { ref: MAIN, before, after };
  const first = await repo.tell(pushed, { id: 'first' });
  const again = await repo.tell(pushed, { id: 'first' });
  t.deepEqual([again.rfcId, again.outcome], [first.rfcId, 'same-delivery']);
  await repo.verdict(first);

  const looks = () => house().git.requests.filter(({ url }) => url.includes(repo.name)).length;
  const looked = looks();
  const replayed = await repo.tell(pushed, { id: 'second' });
  t.deepEqual([replayed.rfcId, replayed.outcome], [first.rfcId, 'same-body']);
  await until(() => looks() > looked);
  const { body } = await request(`${house().daemon.url}/rfcs?repo=${repo.name}`);
  t.is(body.data.length, 1);
});

test('a hundred deliveries of one push at once make one RFC', async (t) => {
  const repo = founded('acme/flood');
  const before = repo.head(MAIN);
  const pushed = { ref: MAIN, before, after: repo.commit({ 'a.txt': 'one\n' }) };
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, n) => repo.tell(pushed, { id: `flood-${n % 50}` })),
  );
  t.is(new Set(all.map(({ rfcId }) => rfcId)).size, 1);
  t.is(all.filter(({ outcome }) => outcome === 'new').length, 1);
  const { body } = await request(`${house().daemon.url}/rfcs?repo=${repo.name}`);
  t.is(body.data.length, 1);
});

test('the code around the findings of a push comes from the mirror', async (t) => {
  const repo = founded('acme/code');
  const before = repo.head(MAIN);
  repo.commit({ 'server.js': `${HOLE}${leak('code')}` });
  const push = await repo.tell({ ref: MAIN, before, after: repo.head(MAIN) ?? '' });
  t.is((await repo.verdict(push)).overall_status, 'BLOCKED');
  const { body } = await request(`${house().daemon.url}/rfc/${push.rfcId}/code`);
  t.like(body.data, { available: true, reason: null });
  const [block] = body.data.blocks;
  t.is(block.file, 'server.js');
  t.deepEqual(
    block.lines.map(({ text }: { text: string }) => text),
    [...HOLE.trim().split('\n'), 'export AWS_ACCESS_KEY_ID=[secret 1]'],
  );
});

for (const [host, kind, event] of [
  ['hub', 'github', 'status'],
  ['tea', 'gitea', 'status'],
  ['lab', 'gitlab', 'Pipeline Hook'],
] as const) {
  test(`a green status that somebody sets at ${kind} is set back and recorded`, async (t) => {
    const repo = founded(`acme/forged-${kind}`, host, kind);
    const before = repo.head(MAIN);
    const after = repo.commit({ 'server.js': HOLE });
    const { rfcId } = await repo.tell({ ref: MAIN, before, after });
    await repo.verdict({ rfcId });
    const red = host === 'lab' ? 'failed' : 'failure';
    await repo.shows(after, red);
    const { taken } = house().statuses[host];
    const ours = taken.findLast(({ sha }) => sha === after);
    if (ours === undefined) throw new Error('it is shown');
    taken.push({ ...ours, state: 'success', description: 'all is well' });
    const page = { id: repo.id, full_name: repo.name, html_url: `https://x.example/${repo.name}` };
    const payload =
      host === 'lab'
        ? {
            object_kind: 'pipeline',
            object_attributes: { sha: after, status: 'success' },
            user: { username: 'mallory' },
            project: { id: repo.id, path_with_namespace: repo.name },
          }
        : {
            context: 'cra/gate',
            sha: after,
            state: 'success',
            description: 'all is well',
            repository: page,
            sender: { login: 'mallory' },
          };
    const hook = hookOf(kind, payload, { secret: SECRETS[host], event });
    t.is((await house().deliver(hook)).status, 200);
    await until(() => taken.findLast(({ sha }) => sha === after)?.state === red);
    const { body } = await request(
      `${house().daemon.url}/audit?kind=status-overwritten&rfc_id=${rfcId}`,
    );
    t.is(body.data.length, 1);
    t.like(body.data[0].details, { commit_sha: after, set_by: 'mallory', count: 1 });
  });
}

test('a push that takes a check away is blocked by the sink that it does not show', async (t) => {
  const repo = founded('acme/check');
  const route = (check: string) =>
    `import { exec } from 'node:child_process';\napp.get('/run', (req, res) => {\n` +
    `  const { name } = req.query;\n${check}${'  step();\n'.repeat(30)}  exec(name);\n});\n`;
  repo.commit({ 'server.js': route("  if (name !== 'ls') return;\n") });
  const known = repo.head(MAIN) ?? '';
  const first = await repo.tell({ ref: MAIN, before: null, after: known });
  t.is((await repo.verdict(first)).overall_status, 'PASSED');
  repo.commit({ 'server.js': route('') });
  const push = await repo.tell({ ref: MAIN, before: known, after: repo.head(MAIN) ?? '' });
  const { overall_status, gates } = await repo.verdict(push);
  t.is(overall_status, 'BLOCKED');
  t.deepEqual(
    gates.ast.findings.map(({ id, line }) => [id, line]),
    [['vuln-01', 34]],
  );
});
