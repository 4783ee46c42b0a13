import type { Allowlist, Pattern } from '../../model/rules.ts';
import { CWE, FIX, QUIET, QUIET_MARKUP, QUIET_PATHS, TESTS } from './generic-values.ts';

const raw = String.raw;

/**
 * Names that are a password and nothing else, with what it is for in front. Longer names are about
 * a password more often than not (`passwordHint`).
 */
const EXACT_NAME = raw`(?:(?:db|database|mysql|mysql_root|maria_?db|postgres|postgresql|pg|mongo|mongodb|mongo_initdb_root|redis|rabbitmq(?:_default)?|mssql(?:_sa)?|sa|oracle|smtp|smtp_auth|mail|email|ftp|sftp|ssh|ldap|ldap_admin|root|admin|administrator|superuser|django_superuser|sudo|su|vpn|wifi|wlan|keystore|key_?store|trust_?store|login|service|server|proxy|jdbc|datasource|spring\.datasource|spring\.mail|jenkins|grafana|gf_security_admin|nexus|elastic|kibana|minio_root|keycloak(?:_admin)?|kc_bootstrap_admin|registry|docker|wordpress_db|drupal|neo4j|influxdb(?:_admin)?|couchdb|cassandra|zookeeper|kafka|mqtt|snmp|router|host|remote|bind|basic_?auth)[._-]?)?(?:password|passwd|passphrase|pwd|pass)`;

/** Keywords for those names with `:` or `=`, in each usual spacing. */
const KEYWORDS = ['password', 'passwd', 'passphrase', 'pwd', 'pass'].flatMap((name) => {
  const ends = [':', '=', ' :', ' =', '":', "':", '" :', '"]', "']"];
  return ends.map((end) => name + end);
});

/** A password as people type it: a word, with digits and signs perhaps. */
const WORD = raw`[A-Za-z][A-Za-z0-9!@#*+_.-]{3,31}`;

/** Words that stand where a password belongs, and are none. */
const NO_PASSWORDS: readonly Allowlist[] = [
  {
    description: 'kinds, states, names of fields and variables, placeholders, texts of a page',
    regexes: [
      raw`(?i)^(?:string|str|text|varchar\w*|char|bytes?|binary|number|int(?:eger)?|bool(?:ean)?|object|any|unknown|never|void|none|null|nil|undefined|true|false|yes|no|on|off|required|optional|hidden|visible|disabled|enabled|input|field|label|type|value|values|plain|plaintext|basic|digest|oauth2?|bearer|bcrypt|argon2\w*|scrypt|pbkdf2\w*|hash(?:ed)?|sha\d+|md5|crypt|base64|encrypted|redacted|masked|secure|self|this|props|state|data|body|form|params|query|request|req|config|conf|options|opts|args|argv|env|environ|settings|vault|file|stdin|prompt|ask|auto|default|empty|blank|missing|wrong|incorrect|invalid|valid|error|weak|strong|medium|short|long|current|new|old|next|random|generated|generate|lorem|dolor|key|secret|token|username|user|login|email|mail|name|https?|tcp|file_?name|todo|tbd|fixme|icon|row|column|header|title|button|link|center|inherit|initial)$`,
      raw`(?i)pass(?:w(?:or)?d|phrase|wort|code)?s?(?:[_.-]|$)|^(?:pwd|pw|pass)$|passwor|contrase|senha|parola|wachtwoord|lozinka|heslo|salasana|jelsz|kennwort`,
      raw`(?i)change[_-]?(?:me|it|this)|example|placeholder|replace|insert|your|dummy|sample|redacted|xxxx|^(?:my|the|some|any|a|an|enter|confirm|repeat|forgot|reset|show|hide|type|set|get|is|has|must|should|please|no|use)[_.-]`,
      // Texts for people, constants, identifiers in camelCase, members, names with an ending.
      raw`^[A-Z][a-z]+$|^[A-Z][A-Z_]+$|^[a-z]+[A-Z][A-Za-z]*$|^[a-z_]+(?:\.[a-z_]+)+$|^[a-z]+(?:[_-][a-z]+)+$|^[A-Za-z]+[.!]$`,
    ],
  },
  {
    description: 'translations',
    paths: [
      raw`(?i)(?:^|/)(?:(?:ar|bg|bn|ca|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nb|nl|nn|no|pl|pt|ro|ru|sk|sl|sq|sr|sv|th|tr|uk|ur|vi|zh)(?:[_-][a-z]{2,4})?|messages[^/]*|strings?|i18n[^/]*|lang[^/]*|locale[^/]*)\.(?:json|ya?ml|[cm]?[jt]s|php|rb|properties|toml|xml|ini)$`,
    ],
  },
  QUIET_PATHS,
];

/** Lists and elements over several lines, and passwords that are words: what people type. */
export const wordPatterns = [
  {
    id: 'secret-word-password',
    description: 'Hard-coded word as a password',
    regex: raw`(?i)(?:^|[^\w.$>'"-])\\{0,3}["'\x60]?${EXACT_NAME}(?:\\{0,3}["'\x60]|["']\])?\s{0,8}[:=]\s{0,8}\\{0,3}["'\x60](${WORD})\\{0,3}["'\x60]\s{0,4}(?:[,;}\])#/]|\\|["'\x60]|$)`,
    keywords: KEYWORDS,
    secretGroup: 1,
    entropy: 1.5,
    allowlists: [...NO_PASSWORDS, TESTS],
    severity: 'low',
    message: 'If it is a real password, anybody who can read the repository can log in with it.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/259.html',
    examples: {
      match: [
        `DB_PASSWORD = "${['shop', 'admin1'].join('')}"`,
        `  "password": "${['sunshine', '99'].join('')}",`,
        `const client = new Client({ user: 'shop', password: '${['dragon', 'fly'].join('')}' });`,
        `root_pass = '${['Welcome', '2024!x'].join('')}';`,
      ],
      noMatch: [
        `password: 'string',`,
        `"password": "Passwort",`,
        `if (password === '${['sunshine', '99'].join('')}') return;`,
        `check(password('${['sunshine', '99'].join('')}'))`,
        `passwordHint: '${['sunshine', '99'].join('')}'`,
        `password: 'new-password',`,
        `password = "changeme"`,
        `password: 'userPassword'`,
      ],
    },
  },
  {
    id: 'secret-word-setting',
    description: 'Hard-coded word as a password in settings',
    regex: raw`(?i)^\s*(?:-\s{1,4}|export\s{1,4}|set\s{1,4}|ENV\s{1,4}|-D)?${EXACT_NAME}\s{0,8}[:=]\s{0,8}(${WORD})\s{0,4}(?:#.*)?$`,
    path: raw`(?i)(?:^|/)(?:[^/]*\.(?:properties|ini|conf|cnf|cfg|env|envrc|tfvars)|\.env[^/]*|[^/]*compose[^/]*\.ya?ml|application[^/]*\.ya?ml|(?:group|host)_vars/[^/]*)$`,
    keywords: KEYWORDS,
    secretGroup: 1,
    entropy: 1.5,
    allowlists: [...NO_PASSWORDS, TESTS],
    severity: 'low',
    message: 'If it is a real password, anybody who can read the repository can log in with it.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/260.html',
    examples: {
      path: 'deploy/docker-compose.yml',
      match: [
        `      MYSQL_ROOT_PASSWORD: ${['shop', 'admin1'].join('')}`,
        `      - POSTGRES_PASSWORD=${['sun', 'shine'].join('')}`,
        `  password: ${['dragon', 'fly7'].join('')} # shop`,
      ],
      noMatch: [
        '      MYSQL_ROOT_PASSWORD: password',
        '      - POSTGRES_PASSWORD=changeme',
        '  password: db_password',
        '      PASSWORD_HINT: sunshine99',
      ],
    },
  },
  {
    id: 'secret-list',
    description: 'Hard-coded credentials in a list',
    regex: raw`(?i)(?:passwords|passphrases|secrets|tokens|api_?-?keys|auth_?-?keys|access_?-?keys|private_?-?keys|credentials)["'\x60\])]{0,3}\s{0,4}(?::=|=>|[:=])\s{0,4}(?:[\w.\[\]]{0,24}[(\[{])?\s{0,4}\n\s{0,40}(?:-\s{1,4})?["'\x60]?([^\s"'\x60,;<>{}()\[\]|:\\]{12,})["'\x60]?\s{0,4}(?:,|\n|$)`,
    keywords: [
      ...['passwords', 'passphrases', 'secrets', 'tokens', 'apikeys', 'api_keys', 'api-keys'],
      ...['authkeys', 'auth_keys', 'accesskeys', 'access_keys', 'privatekeys', 'private_keys'],
      ...['credentials'],
    ],
    target: 'hunk',
    secretGroup: 1,
    entropy: 3,
    randomness: 0.5,
    allowlists: [...QUIET, TESTS],
    severity: 'medium',
    message: 'If they are real credentials, anybody who can read the repository can use them.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/798.html',
    examples: {
      path: 'config/app.yaml',
      match: [
        `api_keys:\n  - ${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}\n  - other`,
        `const tokens = [\n  '${'x7Gq1vRz8kWp3LmN0tBy5c'}',\n];`,
        `secrets: [\n  "${'9xKq2Zr7Wm4Lp8Vt'}"\n]`,
      ],
      noMatch: [
        'api_keys:\n  - production\n  - staging',
        'tokens:\n  - punctuation.definition.string\n',
        'secrets:\n  - source: db_password_2024_01\n',
      ],
    },
  },
  {
    id: 'secret-markup-lines',
    description: 'Hard-coded password, key or token in an XML element over several lines',
    regex: raw`(?i)<[\w:.-]*(?:passw(?:or)?d|passphrase|pwd|secret|api_?-?key|access_?-?key|token|private_?-?key)[\w.-]*>\s{0,8}\n\s{0,80}([^<>\s]{6,})\s{0,8}\n?\s{0,80}</|(?:key|name|id)=["'][^"'<>\n]*(?:passw(?:or)?d|passphrase|pwd|secret|api_?-?key|access_?-?key|token)[\w.-]*["']\s{0,8}\n\s{0,80}value=["']([^"'<>\s]{6,})["']`,
    path: raw`(?i)\.(?:xml|config|plist|pom|csproj|props|targets|settings|resx|xaml|wsdl|jelly|iml|storyboard)$`,
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
    target: 'hunk',
    entropy: 2.8,
    randomness: 0.45,
    allowlists: QUIET_MARKUP,
    severity: 'medium',
    message: 'If it is a real credential, anybody who can read the repository can use it.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/260.html',
    examples: {
      path: 'app/context.xml',
      match: [
        `<password>\n  ${'kX9pVq2LmZ'}\n</password>`,
        `<add key="SmtpPassword"\n     value="${'q7Wz!p3Rk'}" />`,
      ],
      noMatch: [
        `<password>\n  \${db.password}\n</password>`,
        '<token>\n  <name>x</name>\n</token>',
      ],
    },
  },
] satisfies readonly Pattern[];
