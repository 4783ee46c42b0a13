import type { Allowlist, Pattern } from '../../model/rules.ts';
import { START } from './delimited.ts';
import { BASIC_EXAMPLES } from './generic-schemes.ts';
import { CWE, FIX, QUIET_VALUES, TESTS } from './generic-values.ts';

const raw = String.raw;

/** Hosts that are this machine, a container beside it, or exist nowhere (RFC 2606, RFC 6761). */
const LOCAL_HOSTS: Allowlist = {
  description: 'this machine, containers beside it, and names that exist nowhere',
  regexTarget: 'match',
  regexes: [
    raw`(?i)(?:@|[=/])(?:tcp\()?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|host\.docker\.internal|(?:[\w-]+\.)*(?:example|test|invalid|localhost|local)(?:\.(?:com|org|net|edu))?|(?:my|your)?[_-]?(?:host|hostname|server|domain|site|foo|bar|a|b|x)(?:\.(?:com|org|net|dev|io))?)(?:[:/;?"'&\s)]|$)`,
  ],
};

const SAME_NAME: Allowlist = {
  description: 'user and password of one common word: postgres:postgres, guest:guest',
  regexTarget: 'match',
  regexes: [
    raw`(?i)(?:postgres(?:ql)?:postgres(?:ql)?|root:root|admin:admin|guest:guest|user(?:name)?:pass(?:w(?:or)?d)?|mongo:mongo|mysql:mysql|app:app|a:b|foo:bar|test:test|usr:pwd|u:p|me:pwd)@`,
  ],
};

/** Schemes whose URLs hold a password as a matter of course. */
const SCHEMES = [
  ...['postgres', 'postgresql', 'mysql', 'mysql2', 'mariadb', 'mongodb', 'mongodb+srv', 'redis'],
  ...['rediss', 'amqp', 'amqps', 'mssql', 'sqlserver', 'oracle', 'ldap', 'ldaps', 'smtp', 'smtps'],
  ...['imap', 'imaps', 'ftp', 'ftps', 'sftp', 'ssh', 'clickhouse', 'cockroachdb', 'cassandra'],
  ...['couchbase', 'couchbases', 'couchdb', 'nats', 'kafka', 'mqtt', 'mqtts', 'vertica', 'db2'],
  ...['snowflake', 'firebird', 'neo4j', 'neo4j+s', 'bolt', 'influxdb', 'elasticsearch'],
];
/** SQLAlchemy and Celery name a driver or transport behind a `+`. */
const WITH_DRIVER = ['postgres', 'postgresql', 'mysql', 'mariadb', 'mssql', 'oracle', 'celery'];
const SCHEME_PATTERN = `(?:${SCHEMES.map((scheme) => scheme.replace('+', '\\+')).join('|')}|celery)`;

/** Passwords in addresses: URLs, connection strings, commands. Exact forms block. */
export const addressPatterns = [
  {
    id: 'secret-connection-string',
    description: 'Hard-coded password in the URL of a database, queue, mail or file server',
    regex: raw`(?i)\b(?:jdbc:)?${SCHEME_PATTERN}(?:\+\w+)?://[^\s:@/"'\x60<>]*:([^\s@"'\x60<>/]{5,})@[\w.\-\[\]:,()]+(?:["'\x60/?\s,;)&]|$)`,
    keywords: [
      ...SCHEMES.map((scheme) => `${scheme}://`),
      ...WITH_DRIVER.map((scheme) => `${scheme}+`),
    ],
    secretGroup: 1,
    entropy: 2.2,
    randomness: 0.25,
    allowlists: [...QUIET_VALUES, LOCAL_HOSTS, SAME_NAME, TESTS],
    severity: 'high',
    message: 'Anybody who can read the repository can connect with this password.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS',
    examples: {
      match: [
        `DATABASE_URL=postgres://app:${'kX9pVq2LmZ'}@db.internal.acme.io:5432/app`,
        `"mongodb+srv://svc:${'q7Wz!p3Rk'}@cluster0.ab1cd.mongodb.net/prod?w=majority"`,
        `redis://:${'v8Rt2xQz9'}@cache.acme.io:6379/0`,
        `amqp://shop:${'gX7vq0Pz2'}@mq.prod.acme.io`,
        `jdbc:mysql://root:${'jR4kq8Zx'}@10.0.4.7/shop`,
      ],
      noMatch: [
        'postgres://app:password@db.internal/app',
        `postgres://app:${'kX9pVq2LmZ'}@localhost/app`,
        `postgres://app:\${PASSWORD}@db.internal/app`,
        'postgresql://postgres:postgres@db:5432/app',
        'mongodb://user:pass@example.com/db',
      ],
    },
  },
  {
    id: 'secret-url-password',
    description: 'Hard-coded password in a web URL',
    regex: raw`(?i)\b(?:https?|git|wss?|svn|hg|[a-z]{2,12}\+https?)://[\w.~%+-]+:([\w.~%!*&=;,^+$-]{6,})@[\w.-]+(?:["'\x60/?:\s,;)&]|$)`,
    keywords: ['://'],
    secretGroup: 1,
    entropy: 2.5,
    randomness: 0.3,
    allowlists: [...QUIET_VALUES, LOCAL_HOSTS, SAME_NAME, TESTS],
    severity: 'medium',
    message: 'Anybody who can read the repository can log in with this password.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1',
    examples: {
      match: [
        `git clone https://ci:${'kX9pVq2LmZ'}@git.acme.io/shop.git`,
        `proxy=http://svc:${'v8Rt2xQz9'}@proxy.acme.io:3128`,
        `"https://elastic:${'gX7vq0Pz2'}@es.prod.acme.io/"`,
      ],
      noMatch: [
        'https://acme.io:8443/a@b',
        `https://ci:\${TOKEN}@git.acme.io/shop.git`,
        `https://user:${'kX9pVq2LmZ'}@example.com/`,
        'https://cdn.acme.io/npm/:package@version/file',
      ],
    },
  },
  {
    id: 'secret-connection-settings',
    description: 'Hard-coded password in a connection string (ADO.NET, ODBC, JDBC, libpq)',
    regex: raw`(?i)(?:(?:server|data source|host|hostname|driver|dsn|user id|uid|user|username|database|initial catalog|account|endpoint|addr|address|port|dbname)\s{0,2}=[^;"'\r\n]*[;\s&?]\s{0,4}){1,8}(?:[\w ]+=[^;"'\r\n]*;\s{0,4}){0,6}(?:password|pwd|passwd|pass|accesskey|accountkey|sharedaccesskey)\s{0,2}=\s{0,2}([^;"'\s&<>]{5,})`,
    keywords: ['password=', 'password =', 'pwd=', 'pwd =', 'passwd=', 'pass=', 'accesskey='],
    secretGroup: 1,
    entropy: 2.2,
    randomness: 0.3,
    allowlists: [...QUIET_VALUES, LOCAL_HOSTS, TESTS],
    severity: 'high',
    message: 'Anybody who can read the repository can connect with this password.',
    fix: FIX,
    cwe: CWE,
    source: 'https://learn.microsoft.com/dotnet/framework/data/adonet/connection-string-syntax',
    examples: {
      match: [
        `"Server=sql.acme.io;Database=shop;User Id=app;Password=${'kX9pVq2LmZ'};"`,
        `Driver={ODBC Driver 17};Server=10.0.4.7;Uid=sa;Pwd=${'v8Rt2xQz'};`,
        `jdbc:sqlserver://db.acme.io;user=app;password=${'q7Wz!p3Rk'};encrypt=true`,
        `host=db.acme.io port=5432 user=app password=${'gX7vq0Pz2'} dbname=shop`,
        `jdbc:mysql://db.acme.io/shop?user=app&password=${'jR4kq8Zx'}`,
      ],
      noMatch: [
        '"Server=sql.acme.io;Database=shop;User Id=app;Password=your_password;"',
        `Server=localhost;Uid=sa;Pwd=${'v8Rt2xQz'};`,
        `host=$HOST user=$USER password=$PASSWORD`,
        'const password = form.password',
      ],
    },
  },
  {
    id: 'secret-bearer-header',
    description: 'Hard-coded token in an Authorization header',
    regex: raw`(?i)\b(?:(?:proxy-)?authorization|x-[\w-]*(?:token|api-?key|auth|secret)|private-token)["'\x60]?\]?\s{0,4}[:=,]\s{0,4}(?:\w{1,12}\s{0,2}\+\s{0,2})?["'\x60]?\s{0,2}(?:(?:bearer|token|apikey|key|splunk|genie\w{0,6}|pat|oauth|jwt)\s{1,4})?([\w.~+/=-]{16,})(?:["'\x60\s,;\\)]|$)`,
    keywords: ['authorization', 'x-api', '-token', '-auth', '-secret', '-key'],
    secretGroup: 1,
    entropy: 3.2,
    randomness: 0.45,
    allowlists: [...QUIET_VALUES, TESTS],
    severity: 'medium',
    message: 'Anybody who can read the repository can send requests with this token.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc6750#section-2.1',
    examples: {
      match: [
        `curl -H "Authorization: Bearer ${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}" https://api.acme.io`,
        `headers: { Authorization: 'Bearer ${'x7Gq1vRz8kWp3LmN0tBy5c'}' },`,
        `"X-Api-Key": "${'zq81kx7rvp02mw4t'}",`,
        `req.Header.Set("Authorization", "token ${'b7e2c9fa14d80536be7f'}")`,
        `X-Auth-Token: ${'9xKq2Zr7Wm4Lp8Vt'}`,
      ],
      noMatch: [
        `Authorization: Bearer \${token}`,
        "headers: { Authorization: 'Bearer ' + token }",
        'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE',
        `"Access-Control-Allow-Headers": "Authorization, X-Requested-With"`,
        'authorization: authorizationHeaderFromRequest',
      ],
    },
  },
  {
    id: 'secret-basic-header',
    description: 'Hard-coded user and password in an Authorization header (base64)',
    regex: raw`(?i)\bauthorization["'\x60]?\s{0,4}[:=,]\s{0,4}["'\x60]?\s{0,2}basic\s{1,4}([A-Za-z0-9+/]{12,}={0,2})(?:["'\x60\s,;\\)]|$)`,
    keywords: ['authorization'],
    secretGroup: 1,
    entropy: 3,
    allowlists: [TESTS, BASIC_EXAMPLES],
    severity: 'medium',
    message: 'Anybody who can read the repository can send requests as this user.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc7617#section-2',
    examples: {
      match: [
        `Authorization: Basic ${Buffer.from('svc:kX9pVq2LmZ').toString('base64')}`,
        `"Authorization": "Basic ${Buffer.from('deploy:v8Rt2xQz').toString('base64')}"`,
        `header('Authorization: Basic ${Buffer.from('api:q7Wz!p3Rk').toString('base64')}')`,
      ],
      noMatch: [
        'Authorization: Basic dXNlcjpwYXNzd29yZA==',
        `Authorization: Basic \${credentials}`,
        'Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
      ],
    },
  },
  {
    id: 'secret-url-parameter',
    description: 'Hard-coded token or key in the query of a URL',
    regex: raw`(?i)[?&;](?:access_?token|api_?key|apikey|auth_?token|auth|token|secret|client_?secret|private_?token|password|passwd|pwd|subscription-key|code|sig)=([\w.~%+/-]{12,}=?=?)(?:["'\x60&#\s,;)<\\]|$)`,
    keywords: ['token=', 'key=', 'auth=', 'secret=', 'passw', 'pwd=', '?code=', '&code=', 'sig='],
    secretGroup: 1,
    entropy: 3.2,
    randomness: 0.5,
    allowlists: [
      ...QUIET_VALUES,
      TESTS,
      {
        description: 'text of a program in the URL of a playground',
        regexTarget: 'line',
        regexes: [raw`(?i)/play(?:ground)?/?[?#]`],
      },
    ],
    severity: 'medium',
    message: 'Anybody who can read the repository can send requests with this token.',
    fix: FIX,
    cwe: 'CWE-598',
    source: 'https://cwe.mitre.org/data/definitions/598.html',
    examples: {
      match: [
        `https://api.acme.io/v1/items?access_token=${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}`,
        `fetch("https://maps.acme.io/tile?z=1&api_key=${'zq81kx7rvp02mw4t'}")`,
        `https://fn.acme.io/api/run?code=${'x7Gq1vRz8kWp3LmN0tBy5c'}==`,
      ],
      noMatch: [
        `https://api.acme.io/v1/items?access_token=\${token}`,
        '/oauth/authorize?response_type=code&token=your-token-goes-here',
        'https://badge.acme.io/repo.svg?token=placeholder-token',
        `https://lint.acme.io/play#ts=5.9&code=${'x7Gq1vRz8kWp3LmN0tBy5c'}&filetype=.ts`,
      ],
    },
  },
  {
    id: 'secret-command-password',
    description: 'Hard-coded password in a command or in settings of Redis',
    regex: raw`(?i)\b(?:curl|wget|http|https|xh)\b[^\n]*?\s(?:-u|--user|--proxy-user|-a|--auth)[ =]?\s{0,2}["']?[\w.@%+-]+:([^\s"':@/]{6,})|\s--?(?:password|passwd|passphrase|passin|token|api-?key|secret)(?:[ =]\s{0,2}|=?pass:)["']?([^\s"'-][^\s"']{5,})|\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS|RESTIC_PASSWORD)=["']?([^\s"']{5,})|\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]*?\s-p([^\s"'-][^\s"']{5,})|\bredis-cli\b[^\n]*?\s-a\s{1,2}["']?([^\s"']{5,})|\bdocker\s+login\b[^\n]*?\s-p\s{0,2}["']?([^\s"']{5,})|\b(?:sqlcmd|bcp)\b[^\n]*?\s(?-i:-P)\s{0,2}["']?([^\s"']{5,})|\bnet\s+use\s[^\n]*?/user:\S+\s+["']?([^\s"'/]{5,})|^\s{0,8}(?:requirepass|masterauth)\s{1,4}["']?([^\s"']{5,})`,
    keywords: [
      ...['curl', 'wget', 'sshpass=', '--passw', '-password', '-passphrase', '-passin', '--token'],
      ...['--api-key', '--apikey', '--secret', 'pgpassword', 'mysql_pwd', 'rediscli_auth'],
      ...['restic_password', 'mysql', 'mariadb', 'redis-cli', 'docker login'],
      ...['sqlcmd', 'bcp', 'net use', 'requirepass', 'masterauth'],
    ],
    entropy: 2.5,
    randomness: 0.42,
    allowlists: QUIET_VALUES,
    severity: 'medium',
    message: 'Anybody who can read the repository can log in with this password.',
    fix: 'Replace it; read it from a file or a variable, which other users of a machine cannot see.',
    cwe: 'CWE-214',
    source: 'https://cwe.mitre.org/data/definitions/214.html',
    examples: {
      path: 'deploy/push.sh',
      match: [
        `curl -s -u deploy:${'kX9pVq2LmZ'} https://nexus.acme.io/repo`,
        `mysql -h db -u root -p${'v8Rt2xQz'} shop < dump.sql`,
        `PGPASSWORD=${'gX7vq0Pz2'} psql -h db.acme.io`,
        `tool login --username ci --password ${'jR4kq8Zx'}`,
        `sqlcmd -S db -U sa -P ${'mK7wq2Tz'} -i a.sql`,
        `net use Z: \\\\files\\ci /user:acme\\ci ${'pV3xk9Rm'}`,
        `requirepass ${'hJ6tq4Wz9'}`,
        `tool login --password="${'zQ5xw9Kd'}"`,
      ],
      noMatch: [
        'curl -s -u "$USER:$PASS" https://nexus.acme.io/repo',
        'curl -u user:password https://acme.io',
        'tool login --password-stdin',
        'tool --token $TOKEN',
        'mysql -h db -u root -p shop',
        'docker login -u ci -p "$PASSWORD"',
        'sqlcmd -S db -p 1 -i restore_all_tables.sql',
        'net use Z: /delete',
        'requirepass {{ redis_password }}',
      ],
    },
  },
  {
    id: 'secret-sshpass-password',
    description: 'Hard-coded password of a login by SSH',
    regex: raw`(?i)${START}sshpass["']?[,\s]\s{0,60}(?:(?:-v|(?-i:-P)\s{0,60}["']?[^\s"']{1,60})["']?\s{1,60}){0,3}["']?(?-i:-p)(?:["'],\s{0,60}|\s{0,60})["']?([^\s"',]{4,})`,
    keywords: ['sshpass'],
    entropy: 2,
    allowlists: QUIET_VALUES,
    severity: 'medium',
    message: 'Anybody who can read the repository can log in to that machine.',
    fix: 'Replace it; log in with a key, which the machine that needs it holds.',
    cwe: 'CWE-214',
    source: 'https://manpages.debian.org/bookworm/sshpass/sshpass.1.en.html',
    examples: {
      path: 'deploy/push.sh',
      match: [
        `sshpass -p '${'q7Wz!p3Rk'}' ssh root@10.0.4.7`,
        `sshpass      -v      -p      "${'Sommer2031!'}" scp a b@c:/srv`,
        `sshpass -p${'hunter7x'} ssh root@10.0.4.7`,
        `run(["sshpass", "-p", "${'q7Wzkp3Rk'}", "ssh", "root@h"])`,
      ],
      noMatch: [
        'sshpass -p "$PASSWORD" ssh root@10.0.4.7',
        'sshpass -p password ssh root@10.0.4.7',
        'sshpass -e ssh root@10.0.4.7',
        'sshpass -f ~/.password ssh -p 2222 root@10.0.4.7',
      ],
    },
  },
  {
    id: 'secret-sql-password',
    description: 'Hard-coded password of a database user in SQL',
    regex: raw`(?i)(?:identified\s{1,4}(?:(?:with|via)\s{1,4}[\w.\x60"']{1,60}\s{1,4})?by\s{1,4}|(?:create|alter)\s{1,4}(?:user|role|login)\s[^;\n]{1,200}?\spassword\s{0,4}=?\s{0,4}N?)\\?["']([^\s"'\\]{5,})\\?["']`,
    keywords: [
      ...['identified', 'create user', 'create role', 'create login'],
      ...['alter user', 'alter role', 'alter login'],
    ],
    entropy: 2.2,
    randomness: 0.42,
    allowlists: [...QUIET_VALUES, TESTS],
    severity: 'medium',
    message: 'Anybody who can read the repository can log in to that database.',
    fix: FIX,
    cwe: CWE,
    source: 'https://dev.mysql.com/doc/refman/8.4/en/create-user.html',
    examples: {
      path: 'db/init.sql',
      match: [
        `CREATE USER 'app'@'%' IDENTIFIED BY '${'kX9pVq2LmZ'}';`,
        `ALTER USER root IDENTIFIED WITH caching_sha2_password BY '${'v8Rt2xQz'}';`,
        `ALTER ROLE app WITH LOGIN PASSWORD '${'gX7vq0Pz2'}';`,
        `CREATE LOGIN app WITH PASSWORD = N'${'jR4kq8Zx'}';`,
      ],
      noMatch: [
        `CREATE USER 'app'@'%' IDENTIFIED BY '\${APP_PASSWORD}';`,
        `CREATE USER 'app'@'%' IDENTIFIED BY 'password';`,
        'ALTER ROLE app PASSWORD NULL;',
      ],
    },
  },
] satisfies readonly Pattern[];
