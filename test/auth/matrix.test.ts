import test from 'ava';
import { ROUTES } from '../../src/http/api/routes.ts';
import { BODIES, CREDENTIALS, type CredentialName, MATRIX, type Row } from './matrix.ts';
import { cookieOf, type Secured, securedForAll } from './secured.ts';

type Headers = Readonly<Record<string, string>>;

const ROLES = ['viewer', 'submitter', 'reviewer', 'cab-member', 'change-manager', 'admin'];

/** What each credential sends. */
async function credentials(from: Secured): Promise<ReadonlyMap<CredentialName, Headers>> {
  const { issuer, apiToken, overrideToken, baseUrl } = from;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const expired = await issuer.sign({ meridian_roles: ['admin'], exp: 1_700_000_000 });
  const sent = new Map<CredentialName, Headers>([
    ['none', {}],
    ['garbage', bearer('garbage')],
    ['expired JWT', bearer(expired)],
    ['API token', bearer(apiToken)],
    ['X-API-Key', { 'X-API-Key': apiToken }],
    ['override token', bearer(overrideToken)],
    [
      'API token and X-CRA-Override-Token',
      { ...bearer(apiToken), 'X-CRA-Override-Token': overrideToken },
    ],
    ['JWT without a role', bearer(await issuer.accessToken('nobody'))],
  ]);
  for (const role of ROLES) {
    sent.set(`JWT ${role}` as CredentialName, bearer(await issuer.accessToken(role)));
    const cookie = cookieOf(await from.login(role), baseUrl);
    sent.set(`cookie ${role}` as CredentialName, { Cookie: cookie });
  }
  return sent;
}

/** Sends requests of the table, each from an address of its own: no guess slows another down. */
function sender({ daemon, baseUrl }: Secured) {
  let count = 0;
  return async (row: Row, headers: Headers, body = BODIES[row.path], query = '') => {
    count += 1;
    const response = await fetch(`${daemon.url}/${row.path}${query}`, {
      method: row.method,
      redirect: 'manual',
      headers: {
        'X-Forwarded-For': `10.0.${count >> 8}.${count & 255}`,
        Origin: baseUrl,
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(row.method === 'GET' || body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  };
}

const secured = securedForAll(test);

async function open() {
  return { sent: await credentials(secured()), send: sender(secured()) };
}

test('every credential at every endpoint gets what the specification gives it', async (t) => {
  const { sent, send } = await open();
  const wrong: string[] = [];
  let cells = 0;
  for (const row of MATRIX) {
    const answers = row.cells.map(async ({ credential, status }) => {
      const answer = await send(row, sent.get(credential) ?? {});
      cells += 1;
      if (answer.status === status) return;
      wrong.push(`${row.method} ${row.path}, ${credential}: ${answer.status}, not ${status}`);
    });
    await Promise.all(answers);
  }
  t.deepEqual(wrong, []);
  t.is(cells, MATRIX.length * CREDENTIALS.length);
  t.true(cells >= 600);
});

test('who is refused is refused before the query, the body and the id are looked at', async (t) => {
  const { sent, send } = await open();
  const wrong: string[] = [];
  let cells = 0;
  for (const row of MATRIX) {
    const refused = row.cells.filter(({ isLetIn }) => !isLetIn);
    const answers = refused.map(async ({ credential, status }) => {
      const query = '?limit=x&limit=y&wait=x&hours=x&since=x&dry_run=x&everywhere=x';
      const answer = await send(row, sent.get(credential) ?? {}, '{bad', query);
      cells += 1;
      const { ok, data } = JSON.parse(answer.text);
      if (answer.status === status && ok === false && data === undefined) return;
      wrong.push(`${row.method} ${row.path}, ${credential}: ${answer.status} ${answer.text}`);
    });
    await Promise.all(answers);
  }
  t.deepEqual(wrong, []);
  t.true(cells >= 250, String(cells));
});

test('every route of the route table is in the matrix, and nothing else is', (t) => {
  const plain = (method: string, path: string) => `${method} ${path}`;
  const values: Record<string, string> = { ':rfc_id': 'RFC-0', ':number': '999', '*': 'none' };
  const routes = ROUTES.map(({ method, path }) => {
    const filled = path.replaceAll(/:[a-z_]+|\*/g, (name) => values[name] ?? name);
    return plain(method, filled.slice('/api/cra/'.length));
  });
  const rows = MATRIX.map(({ method, path }) => plain(method, path));
  t.deepEqual(rows.toSorted(), routes.toSorted());
});
