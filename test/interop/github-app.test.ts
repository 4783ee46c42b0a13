import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { createAppTokens } from '../../src/hosts/github-app.ts';
import { temporaryDir } from '../daemon.ts';
import { APP_ID, FIRST_TOKEN, PRIVATE_KEY, PUBLIC_KEY, startAppHost } from '../hosts/app-host.ts';

const run = promisify(execFile);

/** An independent library of JSON web tokens. */
const PYJWT = 'PyJWT[crypto]==2.10.1';
const PIP_INSTALL = ['install', '--quiet', '--no-compile', '--disable-pip-version-check'];

/** Reads a token as GitHub does, and one that was changed after it was signed. */
const READ = `
import json, sys, jwt
key, issuer, token = sys.argv[1:]
options = {"require": ["iss", "iat", "exp"], "verify_iat": True}
read = lambda text: jwt.decode(text, key, algorithms=["RS256"], issuer=issuer, options=options)
head, claims, signature = token.split(".")
try:
    read(".".join([head, claims, signature[::-1]]))
    changed = "taken"
except jwt.InvalidSignatureError:
    changed = "refused"
print(json.dumps({"claims": read(token), "header": jwt.get_unverified_header(token), "changed": changed}))
`;

test('PyJWT takes the tokens with which a GitHub App asks for its own', async (t) => {
  t.timeout(240_000);
  const packages = join(temporaryDir(t), 'packages');
  await run('python3', ['-m', 'pip', ...PIP_INSTALL, '--target', packages, PYJWT]);
  const host = await startAppHost(t);
  host.now = Date.now();
  const tokens = createAppTokens(
    { apiUrl: host.apiUrl, app: { appId: APP_ID, privateKey: PRIVATE_KEY } },
    { deadlineMs: 5_000, now: () => host.now },
  );
  const asked = await tokens?.tokenFor('acme/shop', new AbortController().signal);
  t.deepEqual(asked, { token: FIRST_TOKEN });
  t.is(host.signatures.length, 2, 'for the installation, and for its token');
  const env = { ...process.env, PYTHONPATH: packages };
  for (const signature of host.signatures) {
    const { stdout } = await run('python3', ['-c', READ, PUBLIC_KEY, APP_ID, signature], { env });
    const { claims, header, changed } = JSON.parse(stdout);
    t.is(header.alg, 'RS256');
    t.is(claims.iss, APP_ID);
    t.true(claims.exp - claims.iat <= 600, 'GitHub takes ten minutes at most');
    t.is(changed, 'refused');
  }
});
