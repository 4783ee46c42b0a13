import test from 'ava';
import { ACCESS, AuthRefusal, type AuthRow } from '../../src/auth/access.ts';
import { type Credentials, createAuthentication } from '../../src/auth/authenticate.ts';
import { secretDigest } from '../../src/core/credentials.ts';
import { type Principal, ROLES, type Role } from '../../src/model/principal.ts';

const TOKENS = { api: 'a'.repeat(32), override: 'o'.repeat(32), agent: 'g'.repeat(32) };
const ASKED: Credentials = {
  authorization: '',
  apiKey: '',
  overrideToken: '',
  cookies: '',
  isRepeated: false,
  isInQuery: false,
  isBackground: false,
};

/** Of each row: the least role of a JWT and of a session (null: none), and the tokens. */
const ROWS: [keyof typeof ACCESS, Role | null, Role | null, string[]][] = [
  ['read', 'viewer', 'viewer', ['api']],
  ['submit', 'submitter', 'submitter', ['api']],
  ['machine', null, null, ['api']],
  ['self', 'viewer', 'viewer', []],
  ['person', 'viewer', 'viewer', []],
  ['override', 'cab-member', 'admin', ['override', 'agent']],
  ['reviewEmergency', 'cab-member', 'admin', ['override']],
  ['reject', 'cab-member', 'cab-member', []],
  ['addFinding', 'submitter', 'submitter', []],
  ['comment', 'reviewer', 'reviewer', []],
  ['endAcceptance', 'change-manager', 'change-manager', []],
  ['review', 'reviewer', 'reviewer', []],
  ['audit', 'change-manager', 'change-manager', []],
  ['bulkOverride', 'admin', 'admin', ['override']],
  ['erase', 'admin', 'admin', []],
  ['replayEvents', 'change-manager', 'change-manager', ['api']],
  ['rules', 'change-manager', 'admin', []],
  ['tryRules', 'submitter', 'submitter', ['api']],
];

for (const [name, jwt, session, tokens] of ROWS) {
  test(`access "${name}" takes the roles and tokens that it names, and no others`, async (t) => {
    const row: AuthRow = ACCESS[name];
    const admits = async (credentials: Credentials, role: Role) => {
      const person = async (credential: 'oidc' | 'session'): Promise<Principal> => ({
        id: 'ann',
        name: null,
        credential,
        role,
        tenant_id: 'default',
      });
      const { check, isOpen } = createAuthentication({
        isEnabled: true,
        apiTokens: [secretDigest(TOKENS.api)],
        overrideToken: secretDigest(TOKENS.override),
        agentToken: secretDigest(TOKENS.agent),
        checkJwt: () => person('oidc'),
        findSession: () => person('session'),
        sessionDecisions: 'admin',
      });
      t.false(isOpen(row));
      try {
        await check(credentials, row);
        return true;
      } catch (thrown) {
        t.true(thrown instanceof AuthRefusal, String(thrown));
        return false;
      }
    };
    const least = async (credentials: Credentials) => {
      const admitted: Role[] = [];
      for (const role of ROLES) if (await admits(credentials, role)) admitted.push(role);
      t.deepEqual(admitted, admitted.length === 0 ? [] : ROLES.slice(-admitted.length));
      return admitted[0] ?? null;
    };
    t.is(await least({ ...ASKED, authorization: 'Bearer a.b.c' }), jwt);
    t.is(await least({ ...ASKED, cookies: 'x' }), session);
    for (const [label, token] of Object.entries(TOKENS)) {
      const isIn = await admits({ ...ASKED, authorization: `Bearer ${token}` }, 'viewer');
      t.is(isIn, tokens.includes(label), label);
    }
  });
}

test('the table of access above has every row but the open one', (t) => {
  t.deepEqual([...ROWS.map(([name]) => name), 'everybody'].sort(), Object.keys(ACCESS).sort());
});
