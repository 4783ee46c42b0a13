import test from 'ava';
import { createCancelFlag } from '../../src/core/deadline.ts';
import { prepareRules } from '../../src/gates/patterns/compile.ts';
import { DECISIONS } from '../../src/model/limits.ts';
import { namedValues } from '../../src/redaction/named-values.ts';
import { redactTexts } from '../../src/redaction/redact.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { someOf } from '../some-cases.ts';

const rules = prepareRules(defaultRules);
const redact = (text: string) => redactTexts([text], rules, createCancelFlag(), () => [])[0] ?? '';

const X = ['Tr0ub4', 'dor&3'].join('');
/** A secret of letters alone. */
const WORD = 'swordfish';
const RANDOM = ['q8Zt3Lw', 'PxV0nRk', 'Y2sHd7Mb', 'Gc5Ju9Fe1A'].join('');

/** [class, texts whose secrets must not show]. `X` and `WORD` are the secrets. */
const CLASSES: readonly (readonly [name: string, texts: readonly string[]])[] = [
  [
    'a sentence that says it',
    [
      `the password is ${X}`,
      `password is ${X}, please rotate it`,
      `For the record: the admin password is ${X}. It will change.`,
      `the password for the staging database is ${X} until Monday`,
      `its token was ${X}`,
      `password is now ${X}`,
      `the passphrase is: ${X}`,
      `the password has been changed to ${X}`,
      `password set to ${X} for now`,
      `the secret equals ${X}`,
      `Password is "${WORD} with blanks"`,
      `the password is ${WORD}.`,
      `the password is ${WORD} and the user is bob`,
      `password is\n${X}\nas agreed`,
    ],
  ],
  [
    'a name and a colon',
    [
      `password: ${X}`,
      `rolled back, pwd: ${X}, then restarted`,
      `user: bob, password: ${X}`,
      `token : ${X}`,
      `API key: ${X}`,
      `api-key:${X}`,
      `Passphrase (prod): ${X}`,
      `db_password: ${X}`,
      `"password": "${X}"`,
      `{"user":"bob","password":"${WORD}"}`,
      `{\\"password\\":\\"${X}\\"}`,
      `password:\n  ${X}`,
      `dbPassword: '${WORD}'`,
      `login with pass: ${X}`,
      `password: ${WORD}`,
      `client_secret: ${X}`,
    ],
  ],
  [
    'a name and an equals sign',
    [
      `password=${X}`,
      `PASSWORD=${WORD}`,
      `export DB_PASSWORD=${X}`,
      `export DB_PASSWORD='${WORD} and more'`,
      `set TOKEN=${X}`,
      `ran with API_KEY=${X} ./deploy.sh`,
      `Server=db;Password=${X};Encrypt=yes`,
      `https://example.com/x?user=bob&token=${X}&page=2`,
      `PGPASSWORD=${X} psql`,
      `secret = ${X}`,
      `password => ${X}`,
      `const password = "${WORD}"`,
      `access_key=${X}`,
      `<password>${X}</password>`,
    ],
  ],
  [
    'a flag',
    [
      `mysql -u root -p ${X} shop`,
      `mysql -uroot -p${X} shop`,
      `mysql -p ${WORD} shop`,
      `sshpass -p '${X}' ssh bob@host`,
      `docker login -u bob -p ${X}`,
      `deploy --token ${X} --force`,
      `deploy --token=${X}`,
      `deploy --password ${WORD}`,
      `deploy --client-secret "${X}"`,
      `deploy --api-key ${X}`,
      `redis-cli -a ${X} ping`,
      `curl -u bob:${X} https://example.com`,
      `curl --user bob:${WORD} https://example.com`,
      `tool -p ${X}`,
    ],
  ],
  [
    'a header',
    [
      `Authorization: Bearer ${X}`,
      `curl -H "Authorization: Bearer ${RANDOM}" x`,
      `curl -H 'authorization: token ${X}' x`,
      `Authorization: Basic Ym9iOnN3b3JkZmlzaA==`.replace('Ym9iOnN3b3JkZmlzaA==', RANDOM),
      `X-Api-Key: ${X}`,
      `PRIVATE-TOKEN: ${X}`,
      `Authorization=${X}`,
      `sent Bearer ${RANDOM} to it`,
      `Cookie: session=${X}; theme=dark`,
      `Set-Cookie: sid=${RANDOM}; HttpOnly`,
      `Proxy-Authorization: Basic ${RANDOM}`,
    ],
  ],
  [
    'a name in another language',
    [
      `Passwort: ${X}`,
      `Kennwort: ${WORD}`,
      `das Passwort ist ${X}`,
      `mot de passe : ${X}`,
      `contraseña: ${X}`,
      `senha: ${X}`,
      `hasło: ${X}`,
      `wachtwoord: ${X}`,
      `пароль: ${X}`,
      `密码：${X}`,
      `パスワード: ${X}`,
    ],
  ],
  [
    'a value beside its name',
    [
      `password\n${X}`,
      `| password | ${X} |`,
      `password;${X}`,
      `password,${X}`,
      `password「${X}」`,
      `password <${X}>`,
      `x.setPassword("${X}")`,
      `setPassword(${X})`,
      `password("${X}")`,
      `changed the password from ${X} to another one`,
      `Bearer: ${X}`,
    ],
  ],
  [
    'an argument that nothing names',
    [
      `echo ${X} | sudo -S ls`,
      `echo "${WORD}" | docker login -u bob --password-stdin`,
      `printf '${X}' | gpg --passphrase-fd 0`,
      `net user bob ${X} /add`,
      `htpasswd -b file bob ${X}`,
      `openssl enc -aes-256-cbc -k ${X}`,
      `smbclient -U bob%${X} //host/share`,
      `db.example:5432:shop:bob:${X}`,
      `credentials: admin / ${X}`,
      `login with admin/${X}`,
      `log in as bob:${X}`,
      `-p${X}`,
    ],
  ],
  [
    'several in one text',
    [
      `password: ${X}, token: ${RANDOM}, and -p ${X}`,
      `user=bob password=${X} token=${WORD}`,
      `the password is ${X} and the token is ${RANDOM}`,
      `--password ${X} --token ${RANDOM}`,
      `password=${X}\ntoken=${RANDOM}\n`,
      `{"password":"${X}","token":"${RANDOM}"}`,
      `postgres://bob:${X}@db/shop and mysql -p ${X}`,
      `pwd: ${X}; secret: ${X}; api_key: ${X}`,
      `changed the password from ${X} to ${RANDOM}; password: ${X}`,
      `password ${X} and token ${RANDOM}`,
    ],
  ],
  [
    'a long run that looks random',
    [
      RANDOM,
      `it was ${RANDOM} before`,
      `(${RANDOM})`,
      `"${RANDOM}"`,
      `value:${RANDOM}.`,
      `x=${RANDOM}`,
      `a\n${RANDOM}\nb`,
      `key-${RANDOM}`,
      `${RANDOM}==`,
      `/v1/${RANDOM}/items`,
      `see ${RANDOM}, ${RANDOM}`,
    ],
  ],
];

for (const [name, texts] of CLASSES) {
  test(`redactTexts hides what stands as ${name}`, (t) => {
    t.true(texts.length >= 10);
    for (const text of texts) {
      const shown = redact(text);
      for (const secret of [X, WORD, RANDOM])
        t.false(shown.includes(secret), `${text} -> ${shown}`);
      t.false(shown.includes(X.slice(4)), `${text} -> ${shown}`);
      t.false(shown.includes(RANDOM.slice(8, 24)), `${text} -> ${shown}`);
    }
  });
}

/** What people write in reasons, commands and entries of the operations log. */
const HARMLESS: readonly string[] = [
  'override-token:b31f9c02, agent-token:9f8e7d6c and api-token:0a1b2c3d decided it',
  'The password is wrong, so the job failed.',
  'password is required',
  'The token is expired; see OPS-1234.',
  'the token was rotated yesterday and the old one is revoked',
  'Secrets are stored in the vault, the password is hashed with bcrypt.',
  'the secret is mounted from Kubernetes',
  'Password policy: at least twelve characters',
  'password handling: fixed in the login form',
  'Token: see vault',
  'The key: value store was restarted',
  'max_tokens=4096 and temperature=0',
  'reads password from process.env.DB_PASSWORD',
  ['password: $', '{DB_PASSWORD}'].join(''),
  'token = getToken()',
  'function login(user: string, password: string)',
  'export TOKEN=$VAULT_TOKEN',
  'deploy --password-file /run/secrets/db',
  'mkdir -p build/output && cp -p a b',
  'docker run -p 8080:80 nginx && ssh -p 2222 host',
  'git log -p HEAD~3',
  'reverts commit 3f786850e387550fdab836ed7e6dc881de23001b',
  'diff 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 was reviewed',
  'image nginx@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'same as RFC-019AA54C2F80D1E2F3041526374, finding F-019AA54C2F80D1E2F3041526374-12',
  'operation 6f1b9d3e-8c47-4d1a-9b52-0f3e7a6c5d41 was repeated',
  'Restored the backup; chain 20261122T063000Z-0a1b2c3d4e5f6071 is short',
  'task T-6f1b9d3e-8c47-4d1a-9b52-0f3e7a6c5d41 is done',
  'kubectl delete pod payments-api-7d9f8b6c5d-x2x4z -n shop',
  'see src/gates/patterns/randomness.ts and docs/very-long-file-names-in-folders.md',
  'False positive: the sample key of the vendor. See https://example.com/wiki/Keys#rotation',
  'https://github.com/acme/shop/commit/3f786850e387550fdab836ed7e6dc881de23001b',
  'compass: north, bypass: none, passage is blocked',
  'author is bob, keyboard: qwerty',
  'Authorization: required for all routes',
  'The bearer token authentication is covered by tests',
  'the api key is not used any more',
  'integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
  'token 3 of 5 was handled, pass 2 of 3 failed',
  'password reset emails are sent by the worker',
  'added a token to the parser; the secret scanner finds it',
  'claude-sonnet-4-5-20250929',
  'net user experience improved, htpasswd is not used any more',
  'Das Passwort ist abgelaufen; la clave es única; mot de passe oublié',
  'パスワードを変更',
  ['API_KEY=$', '{{ secrets.API_KEY }}'].join(''),
  'password;secret;token are column names',
  'the password\nis never logged',
  'password/username form, token (JWT) is validated',
  'log in with Google/GitHub, credentials are in 1Password',
  'localhost:5432:shop:app works',
  'echo done | tee log.txt',
  'mvn -Pproduction clean install',
  'token from the old issuer is refused',
  'anthropic.claude-3-5-sonnet-20241022-v2:0',
];

test('redactTexts leaves harmless texts as they are', (t) => {
  t.true(HARMLESS.length >= 20);
  t.deepEqual(HARMLESS.map(redact), HARMLESS);
});

/** Texts that keep the search busy, of any length. */
const HOSTILE: readonly ((length: number) => string)[] = [
  (length) => 'password '.repeat(length / 9),
  (length) => 'password is '.repeat(length / 12),
  (length) => 'password:'.repeat(length / 9),
  (length) => `password${' a'.repeat(length / 2)}`,
  (length) => 'password="'.repeat(length / 10),
  (length) => `password = "${'a'.repeat(length)}`,
  (length) => '-p '.repeat(length / 3),
  (length) => 'mysql -p a '.repeat(length / 11),
  (length) => '://'.repeat(length / 3),
  (length) => `://${'a:'.repeat(length / 2)}`,
  (length) => 'cookie:=a;'.repeat(length / 10),
  (length) => 'a1B2'.repeat(length / 4),
  (length) => `password${'('.repeat(length)}`,
  (length) => `password is${' '.repeat(length)}`,
  (length) => 'api key '.repeat(length / 8),
];

/** CPU time of the best of a few runs: other work on the machine only adds to a run. */
function fastestMs(work: () => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const begin = process.cpuUsage();
    work();
    return process.cpuUsage(begin).user / 1_000;
  });
  return Math.min(...runs);
}

test('the search for named values takes linear time', (t) => {
  for (const make of someOf(HOSTILE)) {
    const [small, large] = [make(20_000), make(160_000)].map((text) => Buffer.from(text));
    const [one, eight] = [small, large].map((bytes) =>
      fastestMs(() => namedValues(bytes as Buffer)),
    );
    // Eight times the text; square time would be 64 times as much.
    t.true((eight ?? 0) < 24 * (one ?? 0) + 20, `${make(60).slice(0, 60)}: ${one} ms, ${eight} ms`);
  }
});

test('redactTexts takes long texts that look like named values', (t) => {
  for (const make of HOSTILE) {
    const text = make(DECISIONS.REASON_CHARS_MAX);
    t.true(redact(text).length <= text.length);
  }
});
