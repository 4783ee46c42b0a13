import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import {
  CONFIG_PATHS,
  CWE,
  CWE_798,
  DOCUMENTATION_SEARCH,
  FIX,
  QUIET,
  QUIET_MARKUP,
} from './generic-values.ts';

const raw = String.raw;

/** What stands between a name and a quoted value, in any of the common languages:
 * `= := => == : , (`, a type annotation, `.to_s`, closing quotes and brackets of the name. */
const SEPARATOR = raw`(?:(?:\\?["'\x60\])]){0,3}\s{0,12}(?::\s{0,4}[\w.<>\[\]?|& ]*?=|:=|=>|[!=]==?|[:=]|\.(?:equals|set)\()|\\?["'\x60]\s{0,4},|\()\s{0,12}(?:[\w.]*\(\s{0,2})?(?:[\w.$]+(?:\[["']\w+["']\])?\s{0,2}(?:\|\||\?\?|\?:|or)\s{0,2})?[@$bBfFrRuULN]{0,2}`;
const OPEN = raw`\\?["'\x60]`;
const CLOSE = raw`\\?["'\x60]`;
/** A quoted value without blanks; at its end there is the quote again. */
const quoted = (least: number) => raw`${OPEN}([^"'\x60\s\\]{${least},})${CLOSE}`;

const PASSWORD_NAME = raw`(?:passw(?:or)?d|passphrase|passcode|passkey|pwd|(?:\b|_)pass(?:\b|_)|(?-i:[a-z]Pass\b))`;
const PASSWORD_KEYWORDS = [
  ...[
    'passw',
    'passphrase',
    'passcode',
    'passkey',
    'pwd=',
    'pwd =',
    'pwd:',
    'pwd"',
    "pwd'",
    'pwd_',
    'pwd(',
    '_pwd',
  ],
  ...['pass =', 'pass=', 'pass:', 'pass"', "pass'", 'pass_', 'pass('],
];

const SECRET_NAME = raw`(?:secret|api_?-?key|auth_?-?(?:key|token)|access_?-?key|private_?-?key|token|credential|app_?-?key|(?:encrypt(?:ion)?|signing|signature|hmac|aes|master|session|cookie|jwt|shared|storage|account|subscription|license|consumer|client|service|deploy|admin|root|server|webhook|hash|crypto?)_?-?(?:key|salt)|bearer)`;
const SECRET_KEYWORDS = [
  ...['secret', 'apikey', 'api_key', 'api-key', 'authkey', 'auth_key', 'accesskey', 'access_key'],
  ...['token', 'credential', 'bearer', 'privatekey', 'private_key', 'appkey', 'app_key'],
  ...['tion_key', 'tionkey', 'ing_key', 'ingkey', 'hmac', 'aes_key', 'aeskey', 'master_key'],
  ...['masterkey', 'session_key', 'cookie_key', 'jwt_key', 'jwtkey', 'shared_key', 'sharedkey'],
  ...['storage_key', 'account_key', 'accountkey', 'license_key', 'licensekey', 'consumer_key'],
  ...['client_key', 'service_key', 'deploy_key', 'admin_key', 'server_key', 'webhook_key'],
  ...['_salt', 'crypt_key', 'cryptkey', 'private-key', 'access-key', 'auth-key', 'app-key'],
];

/** Values of names, judged by their randomness. They tell and do not block. */
export const assignmentPatterns = [
  {
    id: 'secret-password',
    description: 'A literal that is no word, given to a name such as password or pwd',
    regex: raw`(?i)${PASSWORD_NAME}[\w-]*${SEPARATOR}${quoted(6)}`,
    keywords: PASSWORD_KEYWORDS,
    secretGroup: 1,
    entropy: 2.5,
    randomness: 0.42,
    allowlists: QUIET,
    severity: 'medium',
    message: 'A literal that looks like a password is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/259.html',
    examples: {
      match: [
        `password = "${'Tr0ub4dor&3-Zq9'}"`,
        `  "db_password": "${'kX9pVq2LmZ'}",`,
        `String pwd = "${'v8Rt2xQz'}";`,
        `define('DB_PASSWORD', '${'q7Wz!p3Rk'}');`,
        `$config['smtp_pass'] = '${'jR4kq8Zx'}';`,
        `conn.setPassword("${'gX7vq0Pz2'}")`,
        `password: str = "${'zQ5xw9Kd'}"`,
      ],
      noMatch: [
        'password = "your-password-here"',
        'password = os.environ["DB_PASSWORD"]',
        `password: "must be at least 8 characters"`,
        `<input type="password" name="password" id="x1b2">`,
        'password = "aaaaaaaaaaaaaaaa"',
        `passwordField = "kX9pVq2LmZ"`,
        `const PASSWORD_RESET = 'password-reset'`,
      ],
    },
  },
  {
    id: 'secret-assignment',
    description: 'A random-looking literal given to a name such as apiKey, secret or token',
    regex: raw`(?i)[\w:-]*${SECRET_NAME}[\w-]*${SEPARATOR}${quoted(12)}`,
    keywords: SECRET_KEYWORDS,
    secretGroup: 1,
    entropy: 3,
    randomness: 0.45,
    allowlists: [...QUIET, ...DOCUMENTATION_SEARCH],
    severity: 'medium',
    message: 'A literal that looks like a credential is committed.',
    fix: FIX,
    cwe: CWE,
    source: CWE_798,
    examples: {
      match: [
        `  "api_key": "${fake('', 3)}9aK2mZ7pQ4vX8cL1",`,
        `const refreshToken = '${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}';`,
        `SECRET_KEY = '${'k3#9zq!w8v_x2p$r7mgt5h'}'`,
        `var clientSecret = @"${'9xKq2Zr7Wm4Lp8Vt'}";`,
        `:secret_token => "${'b7e2c9fa14d80536be7f'}"`,
        `apiKey := "${'zq81kx7rvp02mw4t'}"`,
      ],
      noMatch: [
        `secretName: "projects/acme/secrets/db"`,
        'apiKey: "getApiKeyFromConfig"',
        'token_type = "urn:ietf:params:oauth:token-type:jwt"',
        `tokenHash = "${fake('', 40, 'hex')}"`,
        `const token = "\${{ secrets.NPM_TOKEN }}"`,
        'secret: "correct-horse-battery-staple"',
        '"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA",',
        `{appId:"OFCNCOG2CU",apiKey:"${fake('', 32, 'hex')}",indexName:"docs"}`,
        'token = request.Header.Get("X-Csrf-Token")',
        `headers['X-Auth-Token'] = 'user1:%s:m3mber'`,
      ],
    },
  },
  {
    id: 'secret-key-literal',
    description: 'A long random literal given to a name that ends in key, auth, salt or seed',
    regex: raw`(?i)(?:\bkey|[_-]key|[_-]?salt|\bauth|[_-]auth|\bseed|[_-]seed)${SEPARATOR}${quoted(20)}`,
    keywords: [
      ...['key =', 'key=', 'key:', 'key"', "key'", 'auth =', 'auth=', 'auth:', 'auth"', "auth'"],
      ...['salt', 'seed =', 'seed=', 'seed:', 'seed"'],
    ],
    secretGroup: 1,
    entropy: 3.5,
    randomness: 0.55,
    allowlists: [
      ...QUIET,
      {
        description: 'what is not letters and digits both, or names something public',
        regexes: [raw`^[^0-9]*$`, raw`^[^A-Za-z]*$`, raw`[^\w+/=.-]`, raw`^[0-9a-f]{40}$`],
      },
      {
        description: 'the nonce of a WebSocket handshake: https://www.rfc-editor.org/rfc/rfc6455',
        regexTarget: 'line',
        regexes: [raw`(?i)\bSec-WebSocket-Key\b`],
      },
    ],
    severity: 'low',
    message: 'A long random literal is committed under the name of a key.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/321.html',
    examples: {
      match: [
        `key: '${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}',`,
        `"salt": "${'9xKq2Zr7Wm4Lp8Vt0Bd3'}"`,
        `const KEY = "${'x7Gq1vRz8kWp3LmN0tBy5c'}"`,
      ],
      noMatch: [
        `key: 'settings.account.password'`,
        `<li key="navigation-item-2024-04">`,
        `key: '${fake('', 40, 'hex')}'`,
        'const key = "user:1234567890:profile"',
        `WWW-Authenticate: Digest nonce="${'6x7Gq1vRz8kWp3LmN0tBy5'}"`,
        `headers.set("Sec-WebSocket-Key", "${'x7Gq1vRz8kWp3LmN0tBy5c=='}")`,
      ],
    },
  },
  {
    id: 'secret-config-password',
    description: 'A password in a configuration or shell file, without quotes',
    regex: raw`(?i)^\s*(?:#\s{0,4})?(?:-\s{1,4}|export\s{1,4}|set\s{1,4}|ENV\s{1,4}|ARG\s{1,4}|-D)?[\w.-]*(?:passw(?:or)?d|passphrase|pwd|(?:\b|_)pass)[\w.-]*\s{0,8}[=:]\s{0,8}([^\s"'\x60,;<>{}()\[\]|]{6,})\s{0,4}(?:[#;].*)?$`,
    path: CONFIG_PATHS,
    keywords: PASSWORD_KEYWORDS,
    secretGroup: 1,
    entropy: 2.5,
    randomness: 0.42,
    allowlists: QUIET,
    severity: 'medium',
    message: 'A value that looks like a password is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/260.html',
    examples: {
      path: 'deploy/application.properties',
      match: [
        `spring.datasource.password=${'kX9pVq2LmZ'}`,
        `export DB_PASSWORD=${'v8Rt2xQz'}`,
        `  password: ${'q7Wz!p3Rk'}  # prod`,
        `- POSTGRES_PASSWORD=${'jR4kq8Zx'}`,
        `smtp.pass = ${'gX7vq0Pz2'}`,
      ],
      noMatch: [
        'spring.datasource.password=changeit',
        `password: \${DB_PASSWORD}`,
        'password: {{ .Values.password }}',
        'PASSWORD_FILE=/run/secrets/db',
        'password=postgres',
        'The password is stored as a hash.',
      ],
    },
  },
  {
    id: 'secret-config-value',
    description: 'A key, secret or token in a configuration or shell file, without quotes',
    regex: raw`(?i)^\s*(?:#\s{0,4})?(?:-\s{1,4}|export\s{1,4}|set\s{1,4}|ENV\s{1,4}|ARG\s{1,4}|-D)?[\w.-]*${SECRET_NAME}[\w.-]*\s{0,8}[=:]\s{0,8}([^\s"'\x60,;<>{}()\[\]|]{12,})\s{0,4}(?:[#;].*)?$`,
    path: CONFIG_PATHS,
    keywords: SECRET_KEYWORDS,
    secretGroup: 1,
    entropy: 3,
    randomness: 0.45,
    allowlists: QUIET,
    severity: 'medium',
    message: 'A value that looks like a credential is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/260.html',
    examples: {
      path: '.env.production',
      match: [
        `JWT_SECRET=${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}`,
        `  client_secret: ${'9xKq2Zr7Wm4Lp8Vt'}`,
        `api.key = ${'zq81kx7rvp02mw4t'}`.replace('api.key', 'api_key'),
        `export STRIPE_TOKEN=${'b7e2c9fa14d80536be7f'}`,
        `ENV APP_KEY=${'x7Gq1vRz8kWp3LmN0tBy5c'}`,
      ],
      noMatch: [
        `JWT_SECRET=\${JWT_SECRET}`,
        'secretName: my-app-tls-2024-cert',
        'NPM_TOKEN=$NPM_AUTH_TOKEN_READ_ONLY',
        'token: ghp_your_token_goes_here',
        'TOKEN_URL=https://auth.acme.io/oauth2/v1/token',
        'secret: correct-horse-battery',
      ],
    },
  },
  {
    id: 'secret-markup-value',
    description: 'A password, key or token in XML: an element, or an entry with key and value',
    regex: raw`(?i)<[\w:.-]*(?:passw(?:or)?d|passphrase|pwd|secret|api_?-?key|access_?-?key|token|private_?-?key)[\w.-]*>\s{0,8}([^<>\s]{6,})\s{0,8}</|(?:key|name|id)=["'][^"'<>]*(?:passw(?:or)?d|passphrase|pwd|secret|api_?-?key|access_?-?key|token)[\w.-]*["']\s{1,8}value=["']([^"'<>\s]{6,})["']|<(?:property|entry|string|constructor-arg)\s[^>]*(?:passw(?:or)?d|secret|api_?key|token)["']>\s{0,4}([^<>\s]{6,})</`,
    path: raw`(?i)\.(?:xml|config|plist|pom|csproj|props|targets|settings|resx|xaml|wsdl|jelly|iml|storyboard|md)$`,
    keywords: [
      'passw',
      'passphrase',
      'pwd>',
      'pwd"',
      'secret',
      'apikey',
      'api_key',
      'token',
      'access',
    ],
    entropy: 2.8,
    randomness: 0.45,
    allowlists: QUIET_MARKUP,
    severity: 'medium',
    message: 'A value that looks like a credential is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/260.html',
    examples: {
      path: 'app/web.config',
      match: [
        `<password>${'kX9pVq2LmZ'}</password>`,
        `<add key="SmtpPassword" value="${'q7Wz!p3Rk'}" />`,
        `<string name="api_key">${'zq81kx7rvp02mw4t'}</string>`,
        `  <clientSecret>${'9xKq2Zr7Wm4Lp8Vt'}</clientSecret>`,
        `<property name="hibernate.connection.password">${'v8Rt2xQz'}</property>`,
      ],
      noMatch: [
        `<password>\${db.password}</password>`,
        '<add key="SmtpPassword" value="" />',
        '<add key="TokenLifetime" value="00:30:00" />',
        '<string name="password_hint">Password</string>',
        `<publicKeyToken>b77a5c561934e089</publicKeyToken>`,
      ],
    },
  },
] satisfies readonly Pattern[];
