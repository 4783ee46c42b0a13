import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { type SigningIssuer, startSigningIssuer } from '../auth/signing-issuer.ts';
import { change, newFile, request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import { databaseUrl, sharedMongod } from '../mongod/mongod.ts';

const API_TOKEN = fake('api-', 40);
const AGENT_TOKEN = fake('agent-', 40);
const BASE_URL = 'https://cra.example';
const TEST_MS_MAX = 300_000;
const PER_DAY = 5;

/** Blocked by a secret, below any score of a vulnerability. */
const SECRET = (n: number) => {
  return newFile(`deploy/env-${n}.sh`, `export AWS_KEY=${AWS_KEY}\nexport N=${n}\n`);
};
const VULNERABLE = newFile('src/a.js', "exec('tar ' + req.query.name)\n");
const REASON = { reason: 'an example that is long enough' };
const SHA = 'c'.repeat(40);
const OTHER_SHA = 'd'.repeat(40);

const hex = () => randomBytes(32).toString('hex');

/** Settings of the daemons of one store: one of them with SQLite, two with MongoDB. */
const STORES: Record<'SQLite' | 'MongoDB', () => Promise<Record<string, string>[]>> = {
  SQLite: async () => [{}],
  MongoDB: async () => {
    const shared = {
      SERVICE_STORE_URL: databaseUrl(await sharedMongod()),
      SERVICE_SEAL_KEY: hex(),
      SERVICE_FINGERPRINT_KEY: hex(),
      SERVICE_CHECKPOINT_KEY: hex(),
    };
    return [shared, shared];
  },
};

type Call = ReturnType<typeof request>;
/** A call as the agent, as a person, or as the agent beside an API token. */
type As = (
  who: 'agent' | 'api' | 'person' | 'beside',
  method: string,
  path: string,
  body?: object,
) => Call;

async function open(
  t: ExecutionContext,
  store: keyof typeof STORES,
  over: Record<string, string> = {},
): Promise<As[]> {
  const issuer: SigningIssuer = await startSigningIssuer(t);
  const seconds = Math.floor(Date.now() / 1000);
  const person = await issuer.sign({
    sub: 'ann',
    meridian_roles: ['admin'],
    iat: seconds - 10,
    exp: seconds + 3_600,
  });
  const settings = await STORES[store]();
  const daemons = await Promise.all(
    settings.map((of) =>
      startDaemonProcess(t, temporaryDir(t), {
        SERVICE_AUTH_ENABLED: 'true',
        CRA_API_TOKEN: API_TOKEN,
        CRA_AGENT_OVERRIDE_TOKEN: AGENT_TOKEN,
        SERVICE_BASE_URL: BASE_URL,
        SERVICE_OIDC_ISSUER: issuer.url,
        SERVICE_OIDC_AUDIENCE: issuer.audience,
        SERVICE_AGENT_MAX_SCORE: '100',
        SERVICE_AGENT_MAX_OVERRIDES_PER_DAY: String(PER_DAY),
        ...of,
        ...over,
      }),
    ),
  );
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const credentials = {
    agent: bearer(AGENT_TOKEN),
    api: bearer(API_TOKEN),
    person: bearer(person),
    beside: { ...bearer(API_TOKEN), 'X-CRA-Override-Token': AGENT_TOKEN },
  };
  return daemons.map(
    ({ url }): As =>
      (who, method, path, body) =>
        request(`${url}/${path}`, {
          method,
          headers: credentials[who],
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
  );
}

async function submit(as: As, repo: string, diff: string, over: object = {}): Promise<string> {
  const body = { ...change(diff), repo_name: repo, ...over };
  const answer = await as('api', 'POST', 'analyze', body);
  return answer.body.data.rfc_id;
}

/** What an agent may not do with an RFC that it may override, and which limit says so. */
const REFUSED: [limit: string, ask: (id: string) => [string, string, object?]][] = [
  ['action', (id) => ['POST', `approve/${id}`, REASON]],
  ['action', (id) => ['POST', `approve/${id}`, { ...REASON, action: 'approve' }]],
  ['emergency', (id) => ['POST', `rfc/${id}/override`, { ...REASON, actor: 'x', emergency: true }]],
  [
    'emergency',
    (id) => [
      ...(['POST', `approve/${id}`] as const),
      { ...REASON, action: 'override', emergency: true },
    ],
  ],
  [
    'accept_findings',
    (id) => [
      ...(['POST', `rfc/${id}/override`] as const),
      { ...REASON, actor: 'x', accept_findings: true },
    ],
  ],
  [
    'accept_findings',
    (id) => [
      ...(['POST', `approve/${id}`] as const),
      { ...REASON, action: 'override', accept_findings: true, expires_at: '2999-01-01' },
    ],
  ],
  ...[
    { force_commit_sha: OTHER_SHA },
    { force_repo_full_name: 'evil/repo' },
    { force_commit_sha: SHA, force_repo_full_name: 'evil/repo' },
    { force_commit_sha: OTHER_SHA, force_repo_full_name: 'acme/own' },
  ].map((pin): (typeof REFUSED)[number] => [
    'pin',
    (id) => ['POST', `approve/${id}`, { ...REASON, action: 'override', ...pin }],
  ]),
];

/** What the token is refused for before anything is read, and whether the RFC is named. */
const CLOSED: [method: string, path: (id: string) => string, body?: object][] = [
  ['POST', () => 'bulk-override', { ...REASON, rfc_ids: ['RFC-1'] }],
  ['POST', () => 'bulk-override', { ...REASON, repo: 'acme/own' }],
  ['POST', () => 'bulk-override', { ...REASON, before_date: '2999-01-01' }],
  ['POST', (id) => `rfc/${id}/review-emergency`, { ...REASON, outcome: 'object' }],
  ['POST', (id) => `rfc/${id}/review-emergency`, { ...REASON, outcome: 'confirm' }],
  ['POST', (id) => `rfc/${id}/review`, REASON],
  ['POST', (id) => `reject/${id}`, REASON],
  ['DELETE', (id) => `rfc/${id}`],
  ['POST', (id) => `rfc/${id}/delete`, REASON],
  ['PUT', () => 'rules', { version: 1 }],
  ['POST', () => 'rules/revisions/1/restore', REASON],
  ['POST', () => 'accepted/end', { repo: 'acme/own', fingerprint: '0'.repeat(64), ...REASON }],
  ['POST', (id) => `rfc/${id}/findings`, { message: 'seen' }],
  ['GET', () => 'audit'],
];

/** The same for what an API token may do, so that only the token alone is refused. */
const CLOSED_ALONE: [method: string, path: (id: string) => string, body?: object][] = [
  ['GET', (id) => `rfc/${id}`],
  ['GET', () => 'rfcs'],
  ['POST', () => 'analyze', change(SECRET(0))],
  ['GET', () => 'rules'],
  ['GET', () => 'pending-tasks'],
  ['POST', () => 'ops-log', { action: 'a', description: 'b' }],
];

for (const store of ['SQLite', 'MongoDB'] as const) {
  test.serial(`an agent overrides one RFC at a time and nothing else, on ${store}`, async (t) => {
    t.timeout(TEST_MS_MAX);
    const daemons = await open(t, store);
    const [as] = daemons as [As];
    const own = { commitSha: SHA, repoFullName: 'acme/own' };
    const id = await submit(as, 'acme/own', SECRET(1), own);
    const asPerson = (path: string) => as('person', 'GET', path);
    const link = `${BASE_URL}/cra#approve-${id}`;

    for (const [limit, ask] of REFUSED) {
      const [method, path, body] = ask(id);
      for (const who of ['agent', 'beside'] as const) {
        const { status, body: answer } = await as(who, method, path, body);
        const title = `${who}: ${path} ${JSON.stringify(body)}`;
        t.is(status, 403, title);
        t.is(answer.code, 'agent-limit', title);
        const details = { limit, requiresDashboardApproval: true, approveUrl: link };
        t.deepEqual(answer.details, details, title);
      }
    }
    for (const [method, pathOf, body] of [...CLOSED, ...CLOSED_ALONE]) {
      const path = pathOf(id);
      const isAlone = CLOSED_ALONE.some((row) => row[1] === pathOf);
      for (const who of isAlone ? (['agent'] as const) : (['agent', 'beside'] as const)) {
        const { status, body: answer } = await as(who, method, path, body);
        t.is(status, 403, `${who}: ${method} ${path}`);
        t.is(answer.code, 'agent-limit', `${who}: ${method} ${path}`);
        const approveUrl = path.includes(id) ? link : `${BASE_URL}/cra`;
        t.deepEqual(answer.details, { requiresDashboardApproval: true, approveUrl });
      }
    }
    const vulnerable = await submit(as, 'acme/vuln', VULNERABLE);
    for (const who of ['agent', 'beside'] as const) {
      const body = { ...REASON, actor: 'x' };
      const refused = await as(who, 'POST', `rfc/${vulnerable}/override`, body);
      t.is(refused.status, 403);
      t.like(refused.body.details, { limit: 'hard-limit' });
      t.regex(refused.body.error, /no agent overrides vuln-01/);
    }
    for (const one of [id, vulnerable]) {
      const read = await asPerson(`rfc/${one}`);
      t.like(read.body.data, { overall_status: 'BLOCKED', override_history: [] });
    }
    t.deepEqual((await asPerson(`audit?rfc_id=${id}`)).body.data, []);

    // A rejection of the commit stands until a person decides.
    const rejected = await submit(as, 'acme/other', SECRET(2), { ...own, commitSha: OTHER_SHA });
    t.is((await as('person', 'POST', `reject/${rejected}`, REASON)).status, 200);
    const again = await submit(as, 'acme/other', SECRET(3), { ...own, commitSha: OTHER_SHA });
    const lifting = await as('agent', 'POST', `approve/${again}`, {
      ...REASON,
      action: 'override',
    });
    t.like(lifting, { status: 403, body: { details: { limit: 'rejected-commit' } } });

    const pinned = { ...REASON, action: 'override', force_commit_sha: SHA.toUpperCase() };
    const done = await as('agent', 'POST', `approve/${id}`, pinned);
    t.like(done, { status: 200, body: { data: { overall_status: 'OVERRIDDEN' } } });
    t.like(done.body.data.decision.principal, { credential: 'agent-token', role: 'cab-member' });
    t.regex(done.body.data.decision.principal.id, /^agent-token:[0-9a-f]{8}$/);
    const trail = (await asPerson(`audit?rfc_id=${id}`)).body.data;
    for (const { kind, principal } of trail) {
      t.deepEqual([kind, principal.credential], ['override', 'agent-token']);
    }
    t.true(trail.length > 0);
    // Deleted or rejected, it stays counted.
    t.is((await as('person', 'DELETE', `rfc/${id}`)).status, 200);

    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await submit(as, `acme/race-${n}`, SECRET(10 + n)));
    const answers = await Promise.all(
      ids.map((one, n) => {
        const daemon = daemons[n % daemons.length] as As;
        const who = n % 2 === 0 ? 'agent' : 'beside';
        return daemon(who, 'POST', `rfc/${one}/override`, { ...REASON, actor: `agent ${n}` });
      }),
    );
    const made = answers.filter(({ status }) => status === 200);
    t.is(made.length, PER_DAY - 1);
    for (const [n, { status, body }] of answers.entries()) {
      if (status === 200) continue;
      t.is(status, 403);
      const approveUrl = `${BASE_URL}/cra#approve-${ids[n]}`;
      const details = { limit: 'overrides-per-day', requiresDashboardApproval: true, approveUrl };
      t.deepEqual(body.details, details);
    }
    const statuses = await Promise.all(ids.map((one) => asPerson(`rfc/${one}`)));
    const passed = statuses.filter(({ body }) => body.data.overall_status === 'OVERRIDDEN');
    t.is(passed.length, PER_DAY - 1);
    // A person goes on where the agent may not.
    const blocked = statuses.find(({ body }) => body.data.overall_status === 'BLOCKED');
    const rest = blocked?.body.data.rfc_id;
    t.is(
      (await as('person', 'POST', `approve/${rest}`, { ...REASON, action: 'override' })).status,
      200,
    );
  });
}

test('an agent overrides up to the risk score of the settings', async (t) => {
  const [as] = (await open(t, 'SQLite', { SERVICE_AGENT_MAX_SCORE: '1' })) as [As];
  const id = await submit(as, 'acme/own', SECRET(1));
  const refused = await as('agent', 'POST', `rfc/${id}/override`, { ...REASON, actor: 'x' });
  t.like(refused, { status: 403, body: { code: 'agent-limit', details: { limit: 'score' } } });
  t.regex(refused.body.error, /is above 1 \(SERVICE_AGENT_MAX_SCORE\); a person has to decide/);
});

test('with four eyes no agent lets a change pass', async (t) => {
  const [as] = (await open(t, 'SQLite', { SERVICE_FOUR_EYES: 'true' })) as [As];
  const id = await submit(as, 'acme/own', SECRET(1));
  const refused = await as('agent', 'POST', `rfc/${id}/override`, { ...REASON, actor: 'x' });
  t.is(refused.status, 403);
  t.regex(refused.body.error, /SERVICE_FOUR_EYES: only a person/);
});

test('in dev mode the token of agents is a privilege, so that nobody overrides without it', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    CRA_AGENT_OVERRIDE_TOKEN: AGENT_TOKEN,
    SERVICE_AGENT_MAX_SCORE: '100',
  });
  const post = (path: string, body: object, token = '') =>
    request(`${daemon.url}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
    });
  const { rfc_id: id } = (await post('analyze', change(SECRET(1)))).body.data;
  const asked = { ...REASON, actor: 'x' };
  t.is((await post(`rfc/${id}/override`, asked)).status, 401);
  t.is((await post('bulk-override', { ...REASON, rfc_ids: [id] })).status, 401);
  t.is((await post(`rfc/${id}/override`, { ...asked, emergency: true }, AGENT_TOKEN)).status, 403);
  // What is open to everybody does not become a decision of the agent.
  t.is((await post(`reject/${id}`, REASON, AGENT_TOKEN)).status, 403);
  t.is((await post(`rfc/${id}/override`, asked, AGENT_TOKEN)).status, 200);
});
