import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { fake } from '../../../src/rules/fake.ts';
import { startSigningIssuer } from '../../auth/signing-issuer.ts';
import { request } from '../../daemon.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { someOf } from '../../some-cases.ts';
import { HOLE } from './bad-code.ts';
import { openHouse } from './house.ts';
import { type Delivered, MAIN, PushedRepository } from './pushed-repository.ts';

const TEST_MS_MAX = 300_000;
const TIMES = { retryMs: [100, 100, 100], graceMs: 100, pollMs: 100, sweepMs: 3_600_000 };
const COMPONENTS = [
  { id: 'web', paths: ['web/**'] },
  { id: 'pay', paths: ['pay/**'], block_severities: ['critical', 'high', 'medium'] },
];
const hex = () => randomBytes(32).toString('hex');

const STORES = {
  SQLite: async () => ({}),
  MongoDB: async () => ({
    SERVICE_STORE_URL: databaseUrl(await sharedMongod()),
    SERVICE_SEAL_KEY: hex(),
    SERVICE_FINGERPRINT_KEY: hex(),
    SERVICE_CHECKPOINT_KEY: hex(),
  }),
} as const;

/** A repository that people push to, each with the e-mail address of their account. */
interface World {
  repo: PushedRepository;
  push(who: string, files: Record<string, string>, ref?: string, from?: string): Promise<Delivered>;
  move(who: string, ref: string, sha: string): Promise<Delivered>;
  as(who: string, method: string, path: string, body?: unknown): ReturnType<typeof request>;
  /** The status of a push once it is judged. */
  status(push: Delivered): Promise<string>;
}

async function open(t: ExecutionContext, store: keyof typeof STORES) {
  const issuer = await startSigningIssuer(t);
  const house = await openHouse(t, {
    times: TIMES,
    env: {
      SERVICE_AUTH_ENABLED: 'true',
      CRA_API_TOKEN: fake('api-', 40),
      SERVICE_FOUR_EYES: 'true',
      SERVICE_OIDC_ISSUER: issuer.url,
      SERVICE_OIDC_AUDIENCE: issuer.audience,
      ...(await STORES[store]()),
    },
  });
  const tokens = new Map<string, string>();
  for (const sub of ['ann', 'bob', 'dan']) {
    const seconds = Math.floor(Date.now() / 1000);
    const times = { iat: seconds - 10, exp: seconds + 3_600 };
    const claims = { sub, email: `${sub}@example.com`, meridian_roles: ['admin'] };
    tokens.set(sub, await issuer.sign({ ...claims, ...times }));
  }
  const as: World['as'] = (who, method, path, body) =>
    request(`${house.daemon.url}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${tokens.get(who)}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const status: World['status'] = async ({ rfcId }) => {
    for (;;) {
      const { body } = await as('dan', 'GET', `rfc/${rfcId}?wait=30`);
      if (body.data.overall_status !== 'DRAFT') return body.data.overall_status;
    }
  };
  let count = 0;
  return async (): Promise<World> => {
    count += 1;
    const repo = new PushedRepository(house, `eyes/${store}-${count}`);
    const move: World['move'] = (who, ref, after) => {
      const before = repo.head(ref);
      repo.set(ref, after);
      const more = { pusher: { name: who, email: `${who}@example.com` } };
      return repo.tell({ ref, before, after }, { more });
    };
    const push: World['push'] = async (who, files, ref = MAIN, from) => {
      const before = repo.head(ref);
      const after = repo.commit(files, { ref, ...(from === undefined ? {} : { from }) });
      repo.set(ref, before);
      return move(who, ref, after);
    };
    repo.commit({ 'README.md': 'read me\n' });
    await status(await push('zoe', { 'first.txt': 'one\n' }));
    return { repo, push, move, as, status };
  };
}

const REASON = { reason: 'an example that is long enough' };
const BAD = { 'a.js': HOLE };
const SIDE = 'refs/heads/side';
const head = ({ repo }: World) => repo.head(MAIN) ?? '';

/** What Ann did, in a push of Bob. */
const MEMBERS: Record<string, (world: World) => Promise<Delivered>> = {
  async 'a push on top of hers'(world) {
    await world.status(await world.push('ann', BAD));
    return world.push('bob', { 'b.txt': 'b\n' });
  },
  async 'a push that superseded hers'(world) {
    await world.push('ann', BAD);
    return world.push('bob', { 'b.txt': 'b\n' });
  },
  async 'her commit on another branch'(world) {
    const own = await world.push('ann', BAD);
    await world.status(own);
    return world.move('bob', SIDE, own.sha);
  },
  async 'a merge of her branch'(world) {
    const from = head(world);
    const own = await world.push('ann', BAD, SIDE, from);
    await world.status(own);
    const args = ['merge', '--quiet', '--no-ff', '-m', 'merge', own.sha];
    return world.move('bob', MAIN, world.repo.workTree(from, args));
  },
  async 'a branch on top of hers'(world) {
    const own = await world.push('ann', BAD, SIDE, head(world));
    await world.status(own);
    return world.push('bob', { 'b.txt': 'b\n' }, 'refs/heads/bob', own.sha);
  },
  async 'a push on top of hers, which was rejected'(world) {
    const own = await world.push('ann', BAD);
    await world.status(own);
    await world.as('dan', 'POST', `reject/${own.rfcId}`, REASON);
    return world.push('bob', { 'b.txt': 'b\n' });
  },
  async 'a push on top of hers, whose RFC was deleted'(world) {
    const own = await world.push('ann', BAD);
    await world.status(own);
    await world.as('bob', 'DELETE', `rfc/${own.rfcId}`);
    return world.push('bob', { 'b.txt': 'b\n' });
  },
  async 'a commit that she wrote'(world) {
    return amended(world, ['--author', 'Ann <Ann@example.com>']);
  },
  async 'a commit that she wrote by an address with a tag'(world) {
    return amended(world, ['--author', 'Ann <ann+git@example.com>']);
  },
  async 'a commit that she wrote behind others'(world) {
    const { sha } = await amended(world, ['--author', 'Ann <ann@example.com>']);
    return world.push('bob', { 'b.txt': 'b\n' }, SIDE, sha);
  },
  async 'an annotated tag of her commit'(world) {
    const own = await world.push('ann', BAD);
    await world.status(own);
    const { repo } = world;
    const by = ['-c', 'user.name=bob', '-c', 'user.email=bob@example.com'];
    repo.git(...by, 'tag', '--annotate', '--message', 'tag', 'v1', own.sha);
    return world.move('bob', 'refs/tags/v1', repo.git('rev-parse', 'refs/tags/v1'));
  },
};

function amended(world: World, args: readonly string[]): Promise<Delivered> {
  const sha = world.repo.commit(BAD, { ref: 'refs/draft/one', from: head(world) });
  const amend = ['commit', '--amend', '--quiet', '--no-edit', ...args];
  return world.move('bob', MAIN, world.repo.workTree(sha, amend));
}

/** Requests that let it pass, or take away what holds it. */
const ASKS: Record<string, (push: Delivered) => [string, string, unknown?]> = {
  override: ({ rfcId }) => ['POST', `rfc/${rfcId}/override`, { actor: 'x', ...REASON }],
  bulk: ({ rfcId }) => ['POST', 'bulk-override', { ...REASON, rfc_ids: [rfcId] }],
  pinned: ({ rfcId, sha }) => [
    ...(['POST', `approve/${rfcId}`] as const),
    { ...REASON, action: 'override', force_commit_sha: sha },
  ],
  delete: ({ rfcId }) => ['DELETE', `rfc/${rfcId}`],
};

for (const store of someOf(['SQLite', 'MongoDB'] as const)) {
  test.serial(
    `with four eyes nobody releases commits of their own in another's push, on ${store}`,
    async (t) => {
      t.timeout(TEST_MS_MAX);
      const found = await open(t, store);
      for (const [name, bring] of someOf(Object.entries(MEMBERS))) {
        const world = await found();
        const push = await bring(world);
        t.is(await world.status(push), 'BLOCKED', name);
        for (const [ask, asked] of Object.entries(ASKS)) {
          const answer = await world.as('ann', ...asked(push));
          const [result = { error: '' }] = answer.body.data?.results ?? [];
          t.regex(answer.body.error ?? result.error, /FOUR_EYES/, `${name}, ${ask}`);
          t.is(await world.status(push), 'BLOCKED', `${name}, ${ask}`);
        }
        const other = await world.as('dan', ...(ASKS['override']?.(push) ?? ['GET', 'health']));
        t.is(other.status, 200, name);
      }
      const world = await found();
      const rules = { version: 1, extends: 'default', components: COMPONENTS };
      const put = await world.as('dan', 'PUT', 'rules', rules);
      t.is(put.status, 200, JSON.stringify(put.body));
      const own = await world.push('ann', { 'pay/a.js': HOLE });
      await world.status(own);
      const next = await world.push('bob', { 'web/a.js': HOLE });
      t.is(await world.status(next), 'BLOCKED');
      const answer = await world.as('ann', ...(ASKS['override']?.(next) ?? ['GET', 'health']));
      t.is(answer.status, 403, 'a component that stands as her push was judged');
    },
  );
}
