import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { type SigningIssuer, startSigningIssuer } from '../auth/signing-issuer.ts';
import { change, newFile, request, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { type FakeVendor, startFakeVendor } from '../gates/review/fake-vendor.ts';
import { databaseUrl, sharedMongod } from '../mongod/mongod.ts';
import { llmSettings } from '../proof/llm/world.ts';
import { someOf } from '../some-cases.ts';

const API_TOKEN = fake('api-', 40);
const OVERRIDE_TOKEN = fake('override-', 40);
const BAD = 'const secret = 1;\nexport const run = (x) => eval(x + process.argv[2]);\n';
const TEST_MS_MAX = 300_000;

const STORES = {
  SQLite: async () => ({}),
  MongoDB: async () => ({
    SERVICE_STORE_URL: databaseUrl(await sharedMongod()),
    SERVICE_SEAL_KEY: hex(),
    SERVICE_FINGERPRINT_KEY: hex(),
    SERVICE_CHECKPOINT_KEY: hex(),
  }),
} as const;

const hex = () => randomBytes(32).toString('hex');

interface World {
  url: string;
  vendor: FakeVendor;
  issuer: SigningIssuer;
  /** A call as somebody: a person by name, or `api` and `override` for the tokens. */
  as(who: string, method: string, path: string, body?: unknown): ReturnType<typeof request>;
}

/** A daemon with people of an issuer, tokens and a model. */
async function open(
  t: ExecutionContext,
  store: keyof typeof STORES,
  over: Record<string, string> = {},
): Promise<World> {
  const issuer = await startSigningIssuer(t);
  const vendor = await startFakeVendor(t);
  const folder = temporaryDir(t);
  const daemon = await startDaemonProcess(t, folder, {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: API_TOKEN,
    CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    SERVICE_OIDC_ISSUER: issuer.url,
    SERVICE_OIDC_AUDIENCE: issuer.audience,
    ...llmSettings(folder, vendor),
    ...(await STORES[store]()),
    ...over,
  });
  const credentials = new Map([
    ['api', API_TOKEN],
    ['override', OVERRIDE_TOKEN],
  ]);
  for (const sub of ['ann', 'bob', 'cid']) {
    const seconds = Math.floor(Date.now() / 1000);
    const times = { iat: seconds - 10, exp: seconds + 3_600 };
    const claims = { sub, email: `${sub}@example.com`, meridian_roles: ['admin'] };
    credentials.set(sub, await issuer.sign({ ...claims, ...times }));
  }
  const as = async (who: string, method: string, path: string, body?: unknown) =>
    request(`${daemon.url}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${credentials.get(who)}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { url: daemon.url, vendor, issuer, as };
}

const REASON = { reason: 'an example that is long enough' };
let count = 0;

/** Submits a change to a repository of its own, and waits for its verdict. */
async function submit({ as }: World, who: string, diff: string, over: object = {}) {
  count += 1;
  const repo = `acme/r${count}`;
  const { body } = await as(who, 'POST', 'analyze', { ...change(diff), repo_name: repo, ...over });
  const id: string = body.data.rfc_id;
  const read = await as('cid', 'GET', `rfc/${id}?wait=30`);
  return { id, repo, status: read.body.data.overall_status as string };
}

type Submitted = Awaited<ReturnType<typeof submit>>;

/** What holds a change back, and against whom. */
const HELD = {
  blocked: (world: World) => submit(world, 'ann', newFile('a.js', BAD)),
  'of a token': (world: World) => submit(world, 'api', newFile('a.js', BAD)),
  async rejected(world: World) {
    const held = await submit(world, 'ann', newFile('a.js', BAD));
    await world.as('bob', 'POST', `reject/${held.id}`, REASON);
    return { ...held, status: 'REJECTED' };
  },
  async unreviewed(world: World) {
    const held = await submit(world, 'ann', newFile('a.js', BAD));
    const body = { actor: 'bob', ...REASON, emergency: true };
    const { status } = await world.as('bob', 'POST', `rfc/${held.id}/override`, body);
    return { ...held, status: status === 200 ? 'OVERRIDDEN' : 'not overridden' };
  },
  async 'held by gate 3'(world: World) {
    world.vendor.script = () => ({ kind: 'http', status: 400 });
    const held = await submit(world, 'ann', newFile('b.js', 'use(1);\n'));
    world.vendor.script = () => ({ kind: 'answer' });
    return held;
  },
};

type Ask = (held: Submitted) => [method: string, path: string, body?: unknown];
type AskName = 'override' | 'emergency' | 'approve' | 'approve as override' | 'bulk' | Other;
type Other = 'delete' | 'delete by POST' | 'confirm' | 'review';
const ASKS: Record<AskName, Ask> = {
  override: ({ id }) => ['POST', `rfc/${id}/override`, { actor: 'x', ...REASON }],
  emergency: ({ id }) => [
    ...(['POST', `rfc/${id}/override`] as const),
    { actor: 'x', ...REASON, emergency: true },
  ],
  approve: ({ id }) => ['POST', `approve/${id}`, REASON],
  'approve as override': ({ id }) => ['POST', `approve/${id}`, { ...REASON, action: 'override' }],
  bulk: ({ id }) => ['POST', 'bulk-override', { ...REASON, rfc_ids: [id] }],
  delete: ({ id }) => ['DELETE', `rfc/${id}`],
  'delete by POST': ({ id }) => ['POST', `rfc/${id}/delete`],
  confirm: ({ id }) => ['POST', `rfc/${id}/review-emergency`, { ...REASON, outcome: 'confirm' }],
  review: ({ id }) => ['POST', `rfc/${id}/review`, REASON],
};

/** Requests that would release a change, or take its RFC away, without a second person. */
const REFUSED: [held: keyof typeof HELD, ask: AskName, who: string][] = [
  ['blocked', 'override', 'ann'],
  ['blocked', 'override', 'override'],
  ['blocked', 'emergency', 'ann'],
  ['blocked', 'emergency', 'override'],
  ['blocked', 'approve', 'ann'],
  ['blocked', 'approve as override', 'ann'],
  ['blocked', 'bulk', 'ann'],
  ['blocked', 'bulk', 'override'],
  ['blocked', 'delete', 'ann'],
  ['blocked', 'delete by POST', 'ann'],
  ['of a token', 'override', 'cid'],
  ['of a token', 'delete', 'cid'],
  ['rejected', 'delete', 'ann'],
  ['unreviewed', 'confirm', 'ann'],
  ['unreviewed', 'confirm', 'bob'],
  ['unreviewed', 'delete', 'ann'],
  ['unreviewed', 'delete', 'bob'],
  ['held by gate 3', 'override', 'ann'],
  ['held by gate 3', 'delete', 'ann'],
  ['held by gate 3', 'review', 'ann'],
];

/** The same by a second person, and whether the change may be deployed then. */
const RELEASED: [held: keyof typeof HELD, ask: AskName, isDeployed: boolean][] = [
  ['blocked', 'override', true],
  ['blocked', 'approve', true],
  ['blocked', 'bulk', true],
  ['blocked', 'delete', false],
  ['rejected', 'delete', false],
  ['unreviewed', 'confirm', true],
  ['unreviewed', 'delete', false],
  ['held by gate 3', 'override', true],
  ['held by gate 3', 'review', true],
  ['held by gate 3', 'delete', false],
];

const isAllowed = async ({ as }: World, repo: string) =>
  (await as('cid', 'GET', `prod-check/${repo}`)).body.data.allowed as boolean;

for (const store of someOf(['SQLite', 'MongoDB'] as const)) {
  test.serial(`with four eyes nobody releases a held change alone, on ${store}`, async (t) => {
    t.timeout(TEST_MS_MAX);
    const world = await open(t, store, { SERVICE_FOUR_EYES: 'true' });
    for (const [name, ask, who] of REFUSED) {
      const title = `${name}, ${ask} by ${who}`;
      const held = await HELD[name](world);
      t.true(['BLOCKED', 'REJECTED', 'OVERRIDDEN'].includes(held.status), title);
      const isDeployed = await isAllowed(world, held.repo);
      t.is(isDeployed, name === 'unreviewed', title);
      const answer = await world.as(who, ...ASKS[ask](held));
      const [result = { ok: true, error: '', code: '' }] = answer.body.data?.results ?? [];
      if (ask === 'bulk') t.like(result, { ok: false, code: 'PERMISSION_DENIED' }, title);
      else t.is(answer.status, 403, title);
      t.regex(ask === 'bulk' ? result.error : answer.body.error, /FOUR_EYES|your own/, title);
      const read = await world.as('cid', 'GET', `rfc/${held.id}`);
      t.is(read.body.data.overall_status, held.status, title);
      t.is(await isAllowed(world, held.repo), isDeployed, title);
    }
    for (const [name, ask, isDeployed] of RELEASED) {
      const title = `${name}, ${ask} by a second person`;
      const held = await HELD[name](world);
      const answer = await world.as('cid', ...ASKS[ask](held));
      t.is(answer.status, 200, title);
      if (ask === 'review') await until(() => isAllowed(world, held.repo));
      t.is(await isAllowed(world, held.repo), isDeployed, title);
      if (ask !== 'delete') continue;
      t.is((await world.as('cid', 'GET', `rfc/${held.id}`)).status, 404, title);
      const next = await submit(world, 'ann', newFile('c.txt', 'text\n'), { repo_name: held.repo });
      t.is(next.status, 'PASSED', title);
      t.true(await isAllowed(world, held.repo), title);
    }
  });
}

const SHA = () => randomBytes(20).toString('hex');

/** Harmless changes that name a commit which somebody rejected. */
const LATER: [name: string, over: (repo: string, sha: string) => object, who?: string][] = [
  ['the same', (_, commitSha) => ({ commitSha })],
  ['upper case', (_, sha) => ({ commitSha: sha.toUpperCase() })],
  ['another branch', (_, commitSha) => ({ commitSha, branch: 'next' })],
  ['another message', (_, commitSha) => ({ commitSha, commit_message: 'Revert it' })],
  ['another caller', (_, commitSha) => ({ commitSha }), 'bob'],
  ['another source', (_, commitSha) => ({ commitSha, diffSource: 'vcs-pr' })],
  ['a full name', (repo, commitSha) => ({ commitSha, repoFullName: repo })],
  ['other letters', (repo, commitSha) => ({ commitSha, repo_name: repo.toUpperCase() })],
  [
    'a full name in other letters',
    (repo, sha) => ({ commitSha: sha, repoFullName: repo.toUpperCase() }),
  ],
  ['the full name alone', (repo, sha) => ({ commitSha: sha, repo_name: 'x', repoFullName: repo })],
];

for (const store of someOf(['SQLite', 'MongoDB'] as const)) {
  test.serial(`a rejected commit is refused until a person decides, on ${store}`, async (t) => {
    t.timeout(TEST_MS_MAX);
    const world = await open(t, store);
    const { as } = world;
    for (const isDeleted of [false, true]) {
      for (const [name, over, who = 'api'] of LATER) {
        const title = `${name}${isDeleted ? ', the rejected one deleted' : ''}`;
        const commitSha = SHA();
        const bad = await submit(world, 'api', newFile('a.js', BAD), { commitSha });
        await as('bob', 'POST', `reject/${bad.id}`, REASON);
        if (isDeleted) t.is((await as('bob', 'DELETE', `rfc/${bad.id}`)).status, 200, title);
        const harmless = { repo_name: bad.repo, ...over(bad.repo, commitSha) };
        const later = await submit(world, who, newFile('b.txt', 'text\n'), harmless);
        t.is(later.status, 'BLOCKED', title);
        const { body } = await as('bob', 'GET', `rfc/${later.id}`);
        const found = body.data.gates.risk.findings.map(({ id }: { id: string }) => id);
        t.true(found.includes('commit-rejected'), title);
        for (const query of ['', `?sha=${commitSha}`]) {
          const answer = await as('bob', 'GET', `prod-check/${bad.repo}${query}`);
          t.false(answer.body.data.allowed, `${title} ${query}`);
        }
        const decided = await as('bob', 'POST', `approve/${later.id}`, REASON);
        t.is(decided.status, 200, title);
        const own = harmless.repo_name;
        const asked = `prod-check/${own}?sha=${commitSha}`;
        t.true((await as('bob', 'GET', asked)).body.data.allowed, title);
      }
    }
  });
}

/** Asks by which somebody lets a harmless RFC of a rejected commit pass. */
const LIFTING: [name: string, ask: (id: string, sha: string) => ReturnType<Ask>][] = [
  ['override', (id) => ['POST', `rfc/${id}/override`, { actor: 'x', ...REASON }]],
  ['emergency', (id) => ['POST', `rfc/${id}/override`, { actor: 'x', ...REASON, emergency: true }]],
  ['approve', (id) => ['POST', `approve/${id}`, REASON]],
  ['approve as override', (id) => ['POST', `approve/${id}`, { ...REASON, action: 'override' }]],
  ['bulk', (id) => ['POST', 'bulk-override', { ...REASON, rfc_ids: [id] }]],
  [
    'pinned',
    (id, sha) => {
      const pin = { force_commit_sha: sha.toUpperCase(), force_repo_full_name: 'acme/other' };
      return ['POST', `approve/${id}`, { ...REASON, ...pin }];
    },
  ],
];

/** How the harmless RFC names the repository and the commit. */
const NAMINGS: [name: string, over: (repo: string, sha: string) => object][] = [
  ['the same', (_, commitSha) => ({ commitSha })],
  [
    'other letters',
    (repo, sha) => ({ repo_name: repo.toUpperCase(), commitSha: sha.toUpperCase() }),
  ],
  ['the full name alone', (repo, sha) => ({ repo_name: 'x', repoFullName: repo, commitSha: sha })],
];

for (const store of someOf(['SQLite', 'MongoDB'] as const)) {
  test.serial(`with four eyes nobody lifts a rejection of their own, on ${store}`, async (t) => {
    t.timeout(TEST_MS_MAX);
    const world = await open(t, store, { SERVICE_FOUR_EYES: 'true' });
    const { as } = world;
    const rejected = async (who: string, isDeleted: boolean) => {
      const commitSha = SHA();
      const bad = await submit(world, who, newFile('a.js', BAD), { commitSha });
      t.is((await as('bob', 'POST', `reject/${bad.id}`, REASON)).status, 200);
      if (isDeleted) t.is((await as('cid', 'DELETE', `rfc/${bad.id}`)).status, 200);
      return { ...bad, commitSha };
    };
    const refuses = async (answer: Awaited<ReturnType<typeof request>>, title: string) => {
      const [result = { code: '', error: '' }] = answer.body.data?.results ?? [];
      const isRefused = answer.status === 403 || result.code === 'PERMISSION_DENIED';
      t.true(isRefused, title);
      t.regex(answer.body.error ?? result.error, /FOUR_EYES.*rejected for the same commit/, title);
    };
    for (const isDeleted of [false, true]) {
      for (const [naming, over] of NAMINGS) {
        for (const [ask, asked] of LIFTING) {
          const title = `${ask}, ${naming}${isDeleted ? ', deleted' : ''}`;
          const bad = await rejected('ann', isDeleted);
          const named = { repo_name: bad.repo, ...over(bad.repo, bad.commitSha) };
          const harmless = await submit(world, 'bob', newFile('b.txt', 'text\n'), named);
          t.is(harmless.status, 'BLOCKED', title);
          await refuses(await as('ann', ...asked(harmless.id, bad.commitSha)), title);
          const query = `prod-check/${bad.repo}?sha=${bad.commitSha}`;
          t.false((await as('cid', 'GET', query)).body.data.allowed, title);
          const second = await as('cid', ...asked(harmless.id, bad.commitSha));
          t.is(second.status, 200, title);
        }
      }
    }
    // A pin to the rejected commit, of an RFC about another one.
    const bad = await rejected('ann', false);
    const over = { repo_name: bad.repo, commitSha: SHA(), repoFullName: bad.repo };
    const other = await submit(world, 'bob', newFile('b.txt', 'text\n'), over);
    const pin = { ...REASON, force_commit_sha: bad.commitSha };
    await refuses(await as('ann', 'POST', `approve/${other.id}`, pin), 'pinned elsewhere');
    t.is((await as('ann', 'POST', `approve/${other.id}`, REASON)).status, 200);
    // Whoever uses the token may be the one who lets it pass.
    const byToken = await rejected('api', false);
    const same = { repo_name: byToken.repo, commitSha: byToken.commitSha };
    const later = await submit(world, 'bob', newFile('b.txt', 'text\n'), same);
    await refuses(await as('cid', 'POST', `approve/${later.id}`, REASON), 'of a token');
    // An emergency override of a second person, which the first one confirms.
    const held = await rejected('ann', false);
    const again = { repo_name: held.repo, commitSha: held.commitSha };
    const urgent = await submit(world, 'bob', newFile('b.txt', 'text\n'), again);
    const emergency = { actor: 'x', ...REASON, emergency: true };
    t.is((await as('cid', 'POST', `rfc/${urgent.id}/override`, emergency)).status, 200);
    const confirm = { ...REASON, outcome: 'confirm' };
    await refuses(await as('ann', 'POST', `rfc/${urgent.id}/review-emergency`, confirm), 'confirm');
  });

  test.serial(`a decision in one repository lifts nothing in another, on ${store}`, async (t) => {
    t.timeout(TEST_MS_MAX);
    const world = await open(t, store);
    const { as } = world;
    /** How an RFC connects the repository of the rejection with another one. */
    const BRIDGES: [name: string, over: (one: string, other: string) => object][] = [
      ['its full name', (one, other) => ({ repo_name: one, repoFullName: other })],
      ['its name', (one, other) => ({ repo_name: other, repoFullName: one })],
      [
        'other letters',
        (one, other) => ({ repo_name: one.toUpperCase(), repoFullName: other.toUpperCase() }),
      ],
    ];
    for (const [name, over] of BRIDGES) {
      for (const isDeleted of [false, true]) {
        const title = `${name}${isDeleted ? ', deleted' : ''}`;
        const commitSha = SHA();
        const bad = await submit(world, 'api', newFile('a.js', BAD), { commitSha });
        await as('bob', 'POST', `reject/${bad.id}`, REASON);
        if (isDeleted) await as('bob', 'DELETE', `rfc/${bad.id}`);
        const other = await submit(world, 'api', newFile('b.txt', 'text\n'), { commitSha });
        t.is(other.status, 'PASSED', title);
        t.is((await as('bob', 'POST', `approve/${other.id}`, REASON)).status, 200, title);
        const both = { commitSha, ...over(bad.repo, other.repo) };
        const bridge = await submit(world, 'api', newFile('b.txt', 'text\n'), both);
        t.is(bridge.status, 'BLOCKED', title);
        const query = `prod-check/${bad.repo}?sha=${commitSha}`;
        t.false((await as('bob', 'GET', query)).body.data.allowed, title);
      }
    }
  });
}
