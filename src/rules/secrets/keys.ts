import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { assignment, exactAssignment, TOKEN_END } from './assignment.ts';
import { BEFORE, delimitedInCode, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

const LINE = fake('', 64);

/** Seed of a user, an account or an operator: 36 bytes in base32, of which the first are fixed. */
const NKEY_SEED = 'S[UAO]A[A-P][A-Z2-7]{54}';
const FAKE_SEED = `SUAF${'QPZRYX2GF7TVDW3SJN54KHCE6MUAL'.repeat(2).slice(0, 54)}`;

/** Private keys that are no PEM, and the keys that web frameworks sign and encrypt with. */
export const keyPatterns: readonly Pattern[] = [
  token({
    id: 'secret-putty-private-key',
    what: 'PuTTY private key',
    regex: raw`Private-Lines: \d{1,3}\s{1,2}([A-Za-z0-9+/=\s]{40,})`,
    keywords: ['private-lines: '],
    target: 'hunk',
    entropy: 4,
    severity: 'critical',
    source: 'https://tartarus.org/~simon/putty-snapshots/htmldoc/AppendixC.html',
    match: [
      `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: a\nPublic-Lines: 2\n${LINE}\nAAAA\nPrivate-Lines: 1\n${LINE}\nPrivate-MAC: 00`,
      `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: b\nPublic-Lines: 1\n${LINE}\nPrivate-Lines: 2\n${LINE}\n${LINE}`,
    ],
    noMatch: [
      `PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\n${LINE}\nEnd`,
      'if (text.startsWith("PuTTY-User-Key-File-2: "))',
    ],
  }),
  token({
    id: 'secret-ssh2-private-key',
    what: 'SSH2 private key (of ssh.com)',
    regex: raw`---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----\s((?:[A-Za-z0-9+/=:"\\ -]{0,120}\n){0,8}?[A-Za-z0-9+/=\s]{64,})`,
    keywords: ['begin ssh2 '],
    target: 'hunk',
    entropy: 3.5,
    severity: 'critical',
    source: 'https://www.rfc-editor.org/rfc/rfc4716',
    match: [
      `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "a"\n${LINE}\n${LINE}\n`,
      `---- BEGIN SSH2 PRIVATE KEY ----\n${LINE}\n${LINE}\n---- END SSH2 PRIVATE KEY ----`,
    ],
    noMatch: [
      `---- BEGIN SSH2 PUBLIC KEY ----\n${LINE}\n---- END SSH2 PUBLIC KEY ----`,
      '---- BEGIN SSH2 PRIVATE KEY ----\n...',
    ],
  }),
  token({
    id: 'secret-age-private-key',
    what: 'age private key',
    regex: raw`(AGE-SECRET-KEY-(?:PQ-)?1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,})`,
    keywords: ['age-secret-key-'],
    entropy: 3.5,
    severity: 'critical',
    source: 'https://github.com/C2SP/C2SP/blob/main/age.md',
    match: [
      `AGE-SECRET-KEY-1${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`,
      `SOPS_AGE_KEY=AGE-SECRET-KEY-1${'GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8'.repeat(2).slice(0, 58)}`,
    ],
    noMatch: ['AGE-SECRET-KEY-1...', `AGE-SECRET-KEY-1${'Q'.repeat(58)}`],
  }),
  token({
    id: 'secret-nats-seed',
    what: 'seed of a NATS key (NKEY)',
    regex: raw`${BEFORE}(${NKEY_SEED})${TOKEN_END}`,
    keywords: delimitedInCode('sua', 'saa', 'soa'),
    entropy: 3.5,
    severity: 'critical',
    source:
      'https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth',
    match: [`NATS_NKEY=${FAKE_SEED}`, `seed := "${FAKE_SEED}"`],
    noMatch: ['NATS_NKEY=SUA...', `const key = "${FAKE_SEED.slice(1)}"`],
  }),
  token({
    id: 'secret-minisign-private-key',
    what: 'minisign or Tauri signing key',
    regex: raw`${START}(RWRTY0Iy[A-Za-z0-9+/]{190,220}={0,2}|dW50cnVzdGVkIGNvbW1lbnQ6IHJzaWduIGVuY3J5cHRlZCBzZWNyZXQga2V5[A-Za-z0-9+/]{200,}={0,2})`,
    keywords: ['rwrty0iy', 'dw50cnvzdgvkignvbw1lbnq6ihjzawduigvuy3j5chrlzcbzzwnyzxqga2v5'],
    entropy: 4,
    severity: 'critical',
    source: 'https://jedisct1.github.io/minisign/',
    match: [
      `untrusted comment: minisign encrypted secret key\n${fake('RWRTY0Iy', 204)}=`,
      `TAURI_SIGNING_PRIVATE_KEY=${fake('dW50cnVzdGVkIGNvbW1lbnQ6IHJzaWduIGVuY3J5cHRlZCBzZWNyZXQga2V5', 280)}`,
    ],
    noMatch: [
      `untrusted comment: minisign public key\n${fake('RWQ', 53)}`,
      `RWRTY0Iy${'A'.repeat(200)}`,
    ],
  }),
  token({
    id: 'secret-laravel-app-key',
    what: 'Laravel application key',
    regex: exactAssignment('app_(?:previous_)?keys?', raw`base64:[a-z0-9+/]{43}=`),
    keywords: ['app_key', 'app_previous_key'],
    entropy: 4,
    source: 'https://laravel.com/docs/encryption#configuration',
    match: [`APP_KEY=base64:${fake('', 43)}=`, `      APP_KEY: "base64:${fake('', 43)}="`],
    noMatch: ['APP_KEY=', 'APP_KEY=base64:your-32-byte-key'],
  }),
  token({
    id: 'secret-rails-master-key',
    what: 'Rails master key',
    regex: exactAssignment('rails_master_key', '[a-f0-9]{32}'),
    keywords: ['rails_master_key'],
    entropy: 3,
    severity: 'critical',
    source: 'https://guides.rubyonrails.org/security.html#custom-credentials',
    match: [
      `RAILS_MASTER_KEY=${fake('', 32, 'hex')}`,
      `RAILS_MASTER_KEY: "${fake('', 32, 'hex')}"`,
    ],
    noMatch: ['RAILS_MASTER_KEY=$(cat config/master.key)', `RAILS_MASTER_KEY=${'0'.repeat(32)}`],
  }),
  token({
    id: 'secret-session-key-base',
    what: 'session key of a Rails or Phoenix application',
    regex: exactAssignment('secret_key_base', '[a-f0-9]{128}|(?-i:[A-Za-z0-9+/]{64})'),
    keywords: ['secret_key_base'],
    entropy: 3.3,
    allowlists: [
      {
        description: 'generated for development and tests, and committed there',
        paths: [raw`(?:^|/)config/(?:dev|test)\.exs$`, raw`(?i)(?:^|/)(?:tests?|spec)/`],
      },
    ],
    source: 'https://hexdocs.pm/phoenix/deployment.html#handling-of-your-application-secrets',
    match: [`secret_key_base: ${fake('', 128, 'hex')}`, `SECRET_KEY_BASE=${fake('', 64)}`],
    noMatch: [
      'secret_key_base: <%= ENV["SECRET_KEY_BASE"] %>',
      `secret_key_base: ${'0'.repeat(128)}`,
    ],
  }),
  token({
    id: 'secret-wordpress-application-password',
    what: 'WordPress application password',
    regex: assignment('wp|wordpress', '(?-i:[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5})', 'pass'),
    keywords: ['wordpress', 'wp_app', 'wp-app', 'wp.app', 'wpapp', 'wp_pass'],
    entropy: 3.5,
    source: 'https://developer.wordpress.org/rest-api/reference/application-passwords/',
    match: [
      `WP_APPLICATION_PASSWORD="${'F4ke T0ke nN0t ARea lS3c retJ'}"`,
      `wordpressAppPassword: '${'F4ke T0ke nN0t ARea lS3c retJ'}'`,
    ],
    noMatch: ['WP_APPLICATION_PASSWORD="xxxx xxxx xxxx xxxx xxxx xxxx"', 'WP_PASSWORD=$PASSWORD'],
  }),
  token({
    id: 'secret-wordpress-salt',
    what: 'WordPress authentication key or salt',
    regex: raw`define\(\s{0,8}["'](?:(?:SECURE_)?AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)["']\s{0,8},\s{0,20}["']([^\n]{60,70})["']\s{0,8}\)`,
    keywords: [
      'auth_key',
      'auth_salt',
      'logged_in_key',
      'logged_in_salt',
      'nonce_key',
      'nonce_salt',
    ],
    entropy: 4,
    source: 'https://developer.wordpress.org/apis/wp-config-php/#security-keys',
    match: [
      `define('AUTH_KEY',         '${fake('%{|', 61)}');`,
      `define( "NONCE_SALT", "${fake('', 64)}" );`,
    ],
    noMatch: [
      `define('AUTH_KEY',         'put your unique phrase here');`,
      `define('NONCE_SALT', getenv('NONCE_SALT'));`,
    ],
  }),
  token({
    id: 'secret-aspnet-machine-key',
    what: 'ASP.NET machine key',
    regex: raw`(?i)(?:validation|decryption)Key\s{0,4}=\s{0,4}["']([a-f0-9]{40,256})["'\s,]`,
    keywords: ['validationkey', 'decryptionkey'],
    entropy: 3,
    severity: 'critical',
    source:
      'https://learn.microsoft.com/en-us/dotnet/api/system.web.configuration.machinekeysection',
    match: [
      `<machineKey validationKey="${fake('', 128, 'hex')}" validation="SHA1" />`,
      `decryptionKey="${fake('', 48, 'hex').toUpperCase()}"`,
    ],
    noMatch: [
      '<machineKey validationKey="AutoGenerate,IsolateApps" />',
      'decryptionKey = GetKey("decryption")',
    ],
  }),
];
