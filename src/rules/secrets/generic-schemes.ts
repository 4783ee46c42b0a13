import type { Allowlist, Pattern } from '../../model/rules.ts';
import { UUID } from './assignment.ts';
import { CWE, FIX, QUIET, QUIET_PATHS, QUIET_VALUES, TESTS } from './generic-values.ts';

const raw = String.raw;

/** A made-up UUID that no example of a specification uses, put together at run time. */
const SAMPLE_UUID = ['7c9e01d4', 'b35f', '4a82', '9d6e', 'e0b4f1c27a93'].join('-');

/** Logins of examples, in base64. */
export const BASIC_EXAMPLES: Allowlist = {
  description: 'user:pass, admin:, test:, username:, Aladdin of RFC 7617, your..., foo:',
  regexes: [
    raw`^(?:dXNlcjpwYXNz|YWRtaW46(?:YWRtaW4|cGFzc)|dGVzdDp0|dXNlcm5hbWU6|QWxhZGRpbjpvcGVuIHNlc2FtZQ|eW91c|Zm9vOmJ|bXl1c2Vy)`,
  ],
};

/** What a value ends with that stands in a literal, a header or a command. */
const END = raw`(?:["'\x60\s,;\\)&<]|$)`;

/**
 * Credentials known by what stands right before them, wherever that is: a scheme of
 * `Authorization`, the name of a cookie, a name in a pair, a name with `=` within a longer text.
 */
export const schemePatterns = [
  {
    id: 'secret-scheme-value',
    description: 'Hard-coded token behind its scheme (Bearer, ApiKey, Token)',
    regex: raw`(?i)(?:(?:^|[^\w.-])(?:bearer|api-?key)|["'\x60](?:token|key|jwt|oauth))(?:\s{1,4}|%20|\+)([A-Za-z0-9_~+/.=-]{20,})${END}`,
    keywords: [
      ...[
        'bearer ',
        'bearer%20',
        'bearer+',
        'apikey ',
        'api-key ',
        '"token ',
        "'token ",
        '`token ',
      ],
      ...['"key ', "'key ", '`key ', '"jwt ', "'jwt ", '"oauth ', "'oauth "],
    ],
    secretGroup: 1,
    entropy: 3.4,
    randomness: 0.45,
    allowlists: [...QUIET_VALUES, TESTS],
    severity: 'medium',
    message: 'Anybody who can read the repository can send requests with this token.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc6750#section-2.1',
    examples: {
      match: [
        `const AUTH = 'Bearer ${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}';`,
        `{ name: 'Authorization', value: "Bearer ${'x7Gq1vRz8kWp3LmN0tBy5c'}" }`,
        `const ci = "token ${'b7e2c9fa14d80536be7f93ac'}"`,
        `headers = [("auth", "ApiKey ${'zq81kx7rvp02mw4t3nb6'}")]`,
        `run("curl -H Auth:Bearer ${'q8Zr2Lw5Nn7Yt1Vb3Kc6'} https://api.acme.io")`,
      ],
      noMatch: [
        `const AUTH = \`Bearer \${token}\`;`,
        'the bearer configuration-of-the-application is read first',
        `challenge = 'Bearer realm="https://auth.acme.io/v2/token",service="registry"'`,
        `"token expired-or-revoked-by-its-owner"`,
        'Bearer YOUR_ACCESS_TOKEN_GOES_HERE',
      ],
    },
  },
  {
    id: 'secret-basic-value',
    description: 'Hard-coded user and password in base64 behind the word Basic',
    regex: raw`(?:^|["'\x60\s:=,(>])(?:Basic|basic|BASIC)(?:\s{1,4}|%20|\+)([A-Za-z0-9+/]{14,}={0,2})${END}`,
    keywords: ['basic ', 'basic%20', 'basic+'],
    secretGroup: 1,
    entropy: 3,
    randomness: 0.4,
    allowlists: [
      TESTS,
      BASIC_EXAMPLES,
      { description: 'words', regexes: [raw`^[A-Za-z/+]+$`, raw`^[a-z0-9/+]+$`] },
    ],
    severity: 'medium',
    message: 'Anybody who can read the repository can log in as this user: base64 hides nothing.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc7617#section-2',
    examples: {
      match: [
        `const AUTH = 'Basic ${Buffer.from('svc:kX9pVq2LmZ').toString('base64')}';`,
        `["auth", "Basic ${Buffer.from('deploy:v8Rt2xQz').toString('base64')}"],`,
        `curl -H "Auth: Basic ${Buffer.from('api:q7Wz!p3Rk').toString('base64')}"`,
      ],
      noMatch: [
        `const AUTH = 'Basic dXNlcjpwYXNzd29yZA==';`,
        'Basic authentication/authorization',
        `type = "Basic \${credentials}"`,
        'Basic understandingofthe2021edition is assumed',
      ],
    },
  },
  {
    id: 'secret-cookie',
    description: 'Hard-coded cookie of a session',
    regex: raw`(?i)cookies?["'\x60\])]{0,3}(?:\s{0,4}(?:[:=,(]|=>|\.set\()\s{0,4}|\s{1,4})(?:\w{1,12}\s{0,2}\+\s{0,2})?["'\x60]?(?:[^"'\x60\n]{0,200}?[;\s])?[\w.-]{0,24}?(?:sess(?:ion)?(?:_?-?id)?|sid|auth|token|jwt|remember_?me|credential)[\w.-]{0,12}(?:=|["'\x60]\s{0,4}[,:]\s{0,4}["'\x60])([\w%.~+/:=-]{16,})(?:["'\x60\s;,\\)]|$)`,
    keywords: ['cookie'],
    secretGroup: 1,
    entropy: 3.2,
    randomness: 0.5,
    allowlists: [...QUIET_VALUES, TESTS],
    severity: 'medium',
    message: 'Anybody who can read the repository can take over the session while it lasts.',
    fix: 'End the session; do not commit recorded requests with their cookies.',
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc6265#section-4.2',
    examples: {
      match: [
        `Cookie: theme=dark; session=${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}; lang=en`,
        `document.cookie = "auth_token=${'x7Gq1vRz8kWp3LmN0tBy5c'}";`,
        `headers: { Cookie: 'connect.sid=s%3A${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}' },`,
        `curl --cookie "PHPSESSID=${'zq81kx7rvp02mw4t3nb6'}" https://shop.acme.io`,
        `s.cookies.set("sessionid", "${'b7e2c9fa14d80536be7f93ac'}")`,
      ],
      noMatch: [
        'Cookie: session=abc; theme=dark',
        `res.cookie('session', token, { httpOnly: true });`,
        `document.cookie = "theme=solarized-dark-2024-edition";`,
        'Set-Cookie: sid=the-id-of-the-session; Path=/; HttpOnly',
        `cookie: \`session=\${sessionId}\``,
      ],
    },
  },
  {
    id: 'secret-pair',
    description: 'Hard-coded password, key or token beside its name',
    regex: raw`(?i)["']?\b(?:name|key|id|header|field|variable)["']?\s{0,4}[:=]\s{0,4}["']?[\w.-]{0,40}?(?:passw(?:or)?d|passphrase|pwd|secret|api_?-?key|access_?-?key|private_?-?key|auth_?-?key|token)[\w.-]{0,16}["']?\s{0,8},?\s{0,80}["']?\b(?:value|val|default|content)["']?\s{0,4}[:=]\s{0,4}["']?([^\s"'\x60,;<>{}()\[\]|\\]{8,})["']?(?:[\s,;}\])]|$)`,
    keywords: ['value:', 'value"', "value'", 'value =', 'value=', 'default:', 'content:'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 2.8,
    randomness: 0.45,
    // Not those on names: here the match begins with `name:`.
    allowlists: [...QUIET_VALUES, QUIET_PATHS, TESTS],
    severity: 'medium',
    message: 'If it is a real credential, anybody who can read the repository can use it.',
    fix: FIX,
    cwe: CWE,
    source: 'https://kubernetes.io/docs/concepts/configuration/secret/',
    examples: {
      path: 'deploy/app.yaml',
      match: [
        `env:\n  - name: DB_PASSWORD\n    value: ${'kX9pVq2LmZ'}`,
        `- { name: API_TOKEN, value: "${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}" }`,
        `{\n  "key": "CLIENT_SECRET",\n  "value": "${'9xKq2Zr7Wm4Lp8Vt'}"\n}`,
      ],
      noMatch: [
        'env:\n  - name: DB_PASSWORD\n    value: $(PASSWORD)',
        'env:\n  - name: TOKEN_TTL\n    value: "86400"',
        `- name: TOKEN_URL\n  value: https://auth.acme.io/oauth2/v1/token`,
        '- name: PASSWORD\n  valueFrom:\n    secretKeyRef: { name: db, key: password }',
      ],
    },
  },
  {
    id: 'secret-inline-value',
    description: 'Hard-coded password, key or token within a longer text',
    regex: raw`(?i)(?:^|["'\x60\s;&|,{?])[\w.-]{0,40}?(?:passw(?:or)?d|passphrase|pwd|secret|api_?-?key|auth_?-?key|access_?-?key|private_?-?key|token)=([^\s"'\x60,;&|<>{}()\[\]$\\]{8,})(?:["'\x60\s;&|\\]|$)`,
    keywords: [
      ...['password=', 'passwd=', 'passphrase=', 'pwd=', 'secret=', 'apikey=', 'api_key='],
      ...['api-key=', 'authkey=', 'auth_key=', 'auth-key=', 'accesskey=', 'access_key='],
      ...['access-key=', 'privatekey=', 'private_key=', 'private-key=', 'token='],
    ],
    secretGroup: 1,
    entropy: 2.8,
    randomness: 0.5,
    allowlists: [...QUIET, TESTS],
    severity: 'medium',
    message: 'If it is a real credential, anybody who can read the repository can use it.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/260.html',
    examples: {
      path: 'deploy/run.sh',
      match: [
        `docker run -e DB_PASSWORD=${'kX9pVq2LmZ'} -e MODE=fast shop`,
        `exec("env API_TOKEN=${'q8Zr2Lw5Nn7Yt1Vb3Kc6'} ./deploy")`,
        `body = 'grant_type=password&client_secret=${'9xKq2Zr7Wm4Lp8Vt'}&scope=all'`,
        `ENV MODE=fast JWT_SECRET=${'x7Gq1vRz8kWp3LmN0tBy5c'}`,
      ],
      noMatch: [
        `docker run -e DB_PASSWORD=$DB_PASSWORD shop`,
        'connect(password=database_password, token=access_token_of_user)',
        'https://acme.io/docs?next_token=the-next-page-of-the-list',
        'env TOKEN_FILE=/run/secrets/token ./deploy',
      ],
    },
  },
  {
    id: 'secret-vendor-uuid',
    description: 'Hard-coded UUID as the key of a service',
    regex: raw`(?i)(?:^|[^a-z0-9])[a-z][a-z0-9]{2,24}[_.-]?(?:api[_-]?(?:key|token|secret)|access[_-]?(?:key|token)|auth[_-]?(?:key|token)|secret[_-]?key|private[_-]?key|client[_-]?secret)["'\x60\])]{0,3}\s{0,8}(?::=|=>|[:=,(])\s{0,8}["'\x60]?(${UUID})["'\x60]?(?:[\s,;)}\]]|$)`,
    keywords: [
      ...['api_key', 'apikey', 'api-key', 'api_token', 'apitoken', 'api_secret', 'apisecret'],
      ...['access_key', 'accesskey', 'access_token', 'accesstoken', 'auth_key', 'authkey'],
      ...['auth_token', 'authtoken', 'secret_key', 'secretkey', 'private_key', 'privatekey'],
      ...['client_secret', 'clientsecret'],
    ],
    secretGroup: 1,
    entropy: 3,
    allowlists: [
      TESTS,
      {
        description: 'names that name no service',
        regexTarget: 'match',
        regexes: [
          raw`(?i)(?:^|[^a-z0-9])(?:my|your|the|our|test|mock|fake|dummy|example|sample|demo|user|client|default|some|new|old|current|get|set|with|public|valid|invalid|expected|random)[_.-]?(?:api|access|auth|secret|private|client)[_-]?(?:key|token|secret)`,
        ],
      },
      {
        description: 'UUIDs of examples, and UUIDs of one digit',
        regexes: [raw`(?i)01234567-89ab|12345678-1234|deadbeef|^(?:0{8}|1{8}|a{8}|f{8})-`],
      },
    ],
    severity: 'medium',
    message: 'Anybody who can read the repository can use that service with this key.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/798.html',
    examples: {
      match: [
        `ACMEPAY_API_KEY=${SAMPLE_UUID}`,
        `  shoplyAccessToken: '${SAMPLE_UUID}',`,
        `config["acmemail_client_secret"] = "${SAMPLE_UUID}"`,
      ],
      noMatch: [
        `api_key = "${SAMPLE_UUID}"`,
        `MY_API_KEY=${SAMPLE_UUID}`,
        'ACMEPAY_API_KEY=01234567-89ab-cdef-0123-456789abcdef',
        `acmepay_project_id: ${SAMPLE_UUID}`,
      ],
    },
  },
] satisfies readonly Pattern[];
