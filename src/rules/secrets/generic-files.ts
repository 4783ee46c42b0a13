import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { ESCAPE, START } from './delimited.ts';
import { CWE, FIX, QUIET_VALUES, TESTS } from './generic-values.ts';

const raw = String.raw;

/** The kind and the values of a Secret of Kubernetes, and lines of one document between them. */
const SECRET_KIND = raw`kind:[ \t]{1,4}["']?Secret["']?[ \t\r]{0,4}(?:#.*)?$`;
const SECRET_DATA = raw`(?:data|stringData):[ \t\r]{0,4}((?:\n[ \t]{1,8}[\w.-]+:[ \t]{1,4}(?:[|>]-?[ \t\r]{0,4}\n[ \t]{2,12})?["']?[A-Za-z0-9+/_.!@#%^&*=-]{8,}["']?[ \t\r]{0,4})+)`;
const LINES = raw`(?:\n[^-\n].*)*?\n`;

/** Credentials by the form of the file they stand in. */
export const filePatterns = [
  {
    id: 'secret-netrc',
    description: 'Hard-coded password of a machine in .netrc',
    regex: raw`(?s)\bmachine\s{1,8}[\w.-]{3,}\s{1,16}login\s{1,8}\S+\s{1,16}password\s{1,8}["']?([^\s"']{5,})`,
    keywords: ['machine'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 2.2,
    randomness: 0.3,
    allowlists: [...QUIET_VALUES, TESTS],
    severity: 'high',
    message: 'Anybody who can read the repository can log in to that machine.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html',
    examples: {
      path: 'docker/.netrc',
      match: [
        `machine git.acme.io login ci password ${'kX9pVq2LmZ'}`,
        `machine git.acme.io\n  login ci\n  password ${'v8Rt2xQz'}`,
      ],
      noMatch: [
        'machine git.acme.io login ci password $TOKEN',
        'the machine has a login and a password for the team',
      ],
    },
  },
  {
    id: 'secret-pgpass',
    description: 'Hard-coded password in a PostgreSQL password file',
    regex: raw`^[^:#\s]+:(?:\d{1,5}|\*):[^:\s]+:[^:\s]+:([^\s]{4,})$`,
    path: raw`(?i)(?:^|/)(?:\.?pgpass(?:\.conf)?)$`,
    secretGroup: 1,
    entropy: 2,
    allowlists: QUIET_VALUES,
    severity: 'high',
    message: 'Anybody who can read the repository can log in to that database.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.postgresql.org/docs/current/libpq-pgpass.html',
    examples: {
      path: 'deploy/.pgpass',
      match: [`db.acme.io:5432:shop:app:${'kX9pVq2LmZ'}`, `*:*:*:postgres:${'v8Rt2xQz'}`],
      noMatch: ['# hostname:port:database:username:password', 'db.acme.io:5432:shop:app:$PASS'],
    },
  },
  {
    id: 'secret-npmrc',
    description: 'Hard-coded login of a registry in .npmrc or .yarnrc',
    regex: raw`(?i)(?:^|[:"'\s])(?:_auth|_password|npmAuthIdent)["']?\s{0,4}[=:]\s{0,4}["']?([A-Za-z0-9+/]{10,}={0,2})["']?\s{0,4}$`,
    path: raw`(?i)(?:^|/)(?:\.?npmrc|\.yarnrc(?:\.ya?ml)?|[^/]*Dockerfile[^/]*|[^/]+\.(?:sh|ya?ml))$`,
    keywords: ['_auth', '_password', 'npmauthident'],
    secretGroup: 1,
    entropy: 2.8,
    allowlists: QUIET_VALUES,
    severity: 'high',
    message: 'Anybody who can read the repository can use that registry with this login.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.npmjs.com/cli/configuring-npm/npmrc#auth-related-configuration',
    examples: {
      path: '.npmrc',
      match: [
        `//npm.acme.io/:_auth=${Buffer.from('ci:kX9pVq2LmZ').toString('base64')}`,
        `//npm.acme.io/:_password="${Buffer.from('v8Rt2xQz9').toString('base64')}"`,
      ],
      noMatch: [`//npm.acme.io/:_auth=\${NPM_AUTH}`, 'always-auth=true'],
    },
  },
  {
    id: 'secret-pypirc',
    description: 'Hard-coded password of a package index (.pypirc, pip.conf, poetry)',
    regex: raw`(?i)^\s{0,8}password\s{0,4}[:=]\s{0,4}([^\s"'$%{<]{5,})\s{0,4}$`,
    path: raw`(?i)(?:^|/)(?:\.?pypirc|pip\.(?:conf|ini))$`,
    keywords: ['password'],
    secretGroup: 1,
    entropy: 2,
    allowlists: QUIET_VALUES,
    severity: 'high',
    message: 'Anybody who can read the repository can publish packages with this password.',
    fix: FIX,
    cwe: CWE,
    source: 'https://packaging.python.org/en/latest/specifications/pypirc/',
    examples: {
      path: 'ci/.pypirc',
      match: [`password = ${'kX9pVq2LmZ'}`, `password: ${'v8Rt2xQz9w'}`],
      noMatch: ['password = %(PYPI_PASSWORD)s', 'password = <your token>'],
    },
  },
  {
    id: 'secret-docker-auth',
    description: 'Hard-coded login of a container registry in a Docker configuration',
    regex: raw`"auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{10,}={0,2})"`,
    path: raw`(?i)(?:^|/)(?:\.dockercfg|\.?dockerconfig(?:json)?|(?:\.?docker/)?config\.json|auth\.json|[^/]*docker[^/]*\.json|[^/]+\.ya?ml|[^/]+\.sh)$`,
    keywords: ['"auth"'],
    secretGroup: 1,
    entropy: 3,
    allowlists: [...QUIET_VALUES, TESTS],
    severity: 'high',
    message: 'Anybody who can read the repository can use that registry with this login.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.docker.com/reference/cli/docker/login/#credential-stores',
    examples: {
      path: '.docker/config.json',
      match: [
        `"auth": "${Buffer.from('ci:kX9pVq2LmZ').toString('base64')}"`,
        `{"auths":{"r.acme.io":{"auth":"${Buffer.from('svc:v8Rt2xQz').toString('base64')}"}}}`,
      ],
      noMatch: ['"auth": "none"', `"auth": "\${DOCKER_AUTH}"`],
    },
  },
  {
    id: 'secret-htpasswd',
    description: 'Hashed password of a user of Apache or nginx',
    regex: raw`^[^:#\s]+:(\$(?:2[abxy]|apr1|1|5|6|y)\$[./0-9A-Za-z$=,]{20,}|\{(?:SHA|SSHA)\}[A-Za-z0-9+/=]{20,}|[./0-9A-Za-z]{13})$`,
    path: raw`(?i)(?:^|/)[^/]*(?:htpasswd|passwd|shadow|htdigest)[^/]*$`,
    secretGroup: 1,
    entropy: 2.8,
    allowlists: [TESTS],
    severity: 'medium',
    message:
      'Anybody who can read the repository can find a weak password by trying, as its hash is here.',
    fix: FIX,
    cwe: 'CWE-522',
    source: 'https://httpd.apache.org/docs/current/misc/password_encryptions.html',
    examples: {
      path: 'nginx/.htpasswd',
      match: [`admin:$apr1$${fake('', 8)}$${fake('', 22)}`, `ci:{SHA}${fake('', 27)}=`],
      noMatch: ['# user:hash', 'admin:changeme'],
    },
  },
  {
    id: 'secret-kubernetes-secret',
    description: 'Kubernetes Secret with its data',
    // Programs write the keys of an object in the order of the alphabet, so that its kind follows.
    regex: `(?m)^${SECRET_KIND}${LINES}${SECRET_DATA}|^${SECRET_DATA}${LINES}${SECRET_KIND}`,
    path: raw`(?i)\.(?:ya?ml|json)(?:\.\w+)?$`,
    keywords: ['kind: secret', "kind: 'secret", 'kind: "secret'],
    target: 'hunk',
    entropy: 3,
    allowlists: [
      {
        description: 'placeholders: changeme, password, example and others, also in base64',
        stopwords: ['changeme', 'placeholder', 'y2hhbmdl', 'cgfzc3dvcmq', 'zxhhbxbsz', 'example'],
      },
      TESTS,
    ],
    severity: 'high',
    message: 'Anybody who can read the repository can read the Secret: base64 hides nothing.',
    fix: 'Replace the values, and commit a sealed or external secret instead.',
    cwe: CWE,
    source: 'https://kubernetes.io/docs/concepts/configuration/secret/',
    examples: {
      path: 'deploy/secret.yaml',
      match: [
        `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  password: ${Buffer.from('kX9pVq2LmZ').toString('base64')}`,
        `apiVersion: v1\ndata:\n  user: ${Buffer.from('shop-admin').toString('base64')}\n  password: ${Buffer.from('v8Rt2xQz9w').toString('base64')}\nkind: Secret`,
        `kind: Secret\nmetadata:\n  name: db\nstringData:\n  password: ${'q7Wz!p3Rk'}`,
      ],
      noMatch: [
        'kind: Secret\nmetadata:\n  name: db\ndata:\n  password: {{ .Values.password | b64enc }}',
        'kind: ConfigMap\nmetadata:\n  name: db\ndata:\n  level: information',
        'kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq',
        'kind: Secret\nmetadata:\n  name: db\ndata:\n  password: cGFzc3dvcmQ=',
        'kind: Secret\ndata:\n  a: {{ .Values.a }}\n---\nkind: ConfigMap\ndata:\n  mode: kX9pVq2LmZ41',
      ],
    },
  },
  {
    id: 'secret-terraform-default',
    description: 'Hard-coded default of a Terraform variable for a password, key or token',
    regex: raw`(?i)\bvariable\s{1,4}"[^"\n]*(?:password|passwd|secret|token|api_?key|access_?key|private_?key|credential)[^"\n]*"\s{0,4}\{[^{}]*?\bdefault\s{0,16}=\s{0,4}"([^"\s$]{6,})"`,
    path: raw`(?i)\.(?:tf|hcl)$`,
    keywords: ['variable "'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 2.5,
    randomness: 0.42,
    allowlists: QUIET_VALUES,
    severity: 'medium',
    message: 'If it is a real credential, anybody who can read the repository can use it.',
    fix: 'Leave the default out; pass the value by TF_VAR or from a secret store.',
    cwe: CWE,
    source: 'https://developer.hashicorp.com/terraform/language/values/variables',
    examples: {
      path: 'infra/variables.tf',
      match: [
        `variable "db_password" {\n  type    = string\n  default = "${'kX9pVq2LmZ'}"\n}`,
        `variable "api_token" { default = "${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}" }`,
      ],
      noMatch: [
        'variable "db_password" {\n  type      = string\n  sensitive = true\n}',
        'variable "token_name" {\n  default = "deploy-token"\n}',
      ],
    },
  },
  {
    id: 'secret-password-hash',
    description: 'Hash of a password',
    regex: raw`(\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:1|apr1)\$[./0-9A-Za-z]{1,8}\$[./0-9A-Za-z]{22}|\$5\$(?:rounds=\d{4,9}\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{43}|\$6\$(?:rounds=\d{4,9}\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{86}|\$y\$[./0-9A-Za-z]{3,8}\$[./0-9A-Za-z]{10,86}\$[./0-9A-Za-z]{43}|\$argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,9},p=\d{1,9}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}|(?i:SCRAM-SHA-256)\$\d{1,7}:[A-Za-z0-9+/]{8,64}={0,2}\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=)(?:[^./0-9A-Za-z]|$)`,
    keywords: [
      ...['$2a$', '$2b$', '$2x$', '$2y$', '$1$', '$apr1$', '$5$', '$6$', '$y$', '$argon2'],
      'scram-sha-256$',
    ],
    secretGroup: 1,
    entropy: 3.5,
    allowlists: [
      TESTS,
      {
        description: 'files of hashes, which another rule knows',
        paths: [raw`(?i)(?:^|/)[^/]*(?:htpasswd|htdigest)[^/]*$`],
      },
    ],
    severity: 'low',
    message:
      'Anybody who can read the repository can find a weak password by trying, as its hash is here.',
    fix: FIX,
    cwe: 'CWE-522',
    source: 'https://manpages.debian.org/bookworm/libcrypt-dev/crypt.5.en.html',
    examples: {
      path: 'db/seed.ts',
      match: [
        `passwordHash: '$2b$10$${fake('', 53)}',`,
        `root:$6$${fake('', 16)}$${fake('', 86)}:19000:0:99999:7:::`,
        `secret = "$1$${fake('', 8)}$${fake('', 22)}"`,
        `ALTER ROLE a PASSWORD 'SCRAM-SHA-256$4096:${fake('', 22)}==$${fake('', 43)}=:${fake('', 43)}=';`,
        `hash: "$argon2id$v=19$m=65536,t=3,p=4$${fake('', 22)}$${fake('', 43)}"`,
      ],
      noMatch: [
        `'$2b$10$' + salt`,
        `line.replace(/(\\w+)/, '$1$2$3')`,
        `'$2b$10$${'x'.repeat(53)}'`,
      ],
    },
  },
  {
    id: 'secret-postgresql-hash',
    description: 'MD5 hash of a PostgreSQL password',
    regex: raw`(?i)(?:${START}password\s{1,60}e?'|(?:^|${ESCAPE})\s{0,8}"[^"\n]{1,64}"\s{1,8}")(md5[0-9a-f]{32})["']`,
    keywords: ['md5'],
    secretGroup: 1,
    entropy: 3,
    allowlists: [TESTS],
    severity: 'medium',
    message: 'PostgreSQL and PgBouncer take this hash in place of the password.',
    fix: FIX,
    cwe: 'CWE-522',
    source: 'https://www.postgresql.org/docs/current/protocol-flow.html',
    examples: {
      path: 'db/users.sql',
      match: [
        `CREATE ROLE app LOGIN PASSWORD 'md5${fake('', 32, 'hex')}';`,
        `ALTER ROLE app ENCRYPTED PASSWORD      'md5${fake('', 32, 'hex')}' VALID UNTIL 'infinity';`,
        `"app" "md5${fake('', 32, 'hex')}" ""`,
      ],
      noMatch: [
        `CREATE ROLE app LOGIN PASSWORD 'md5${'0'.repeat(32)}';`,
        `INSERT INTO files VALUES ('md5${fake('', 32, 'hex')}');`,
        `"checksum": "md5${fake('', 32, 'hex')}"`,
      ],
    },
  },
  {
    id: 'secret-ntlm-hash',
    description: 'NTLM hash of a password',
    regex: '(?i)(aad3b435b51404eeaad3b435b51404ee:[0-9a-f]{32})(?:[^0-9a-f]|$)',
    keywords: ['aad3b435b51404ee:'],
    secretGroup: 1,
    allowlists: [
      {
        description: 'hash of the empty password',
        regexes: ['(?i):31d6cfe0d16ae931b73c59d7e0c089c0$'],
      },
    ],
    severity: 'medium',
    message: 'Windows takes this hash in place of the password.',
    fix: FIX,
    cwe: 'CWE-522',
    source:
      'https://learn.microsoft.com/en-us/windows-server/security/kerberos/passwords-technical-overview',
    examples: {
      match: [
        `svc:1001:aad3b435b51404eeaad3b435b51404ee:${fake('', 32, 'hex')}:::`,
        `-hashes aad3b435b51404eeaad3b435b51404ee:${fake('', 32, 'hex')}`,
      ],
      noMatch: [
        'svc:1001:aad3b435b51404eeaad3b435b51404ee:31d6cfe0d16ae931b73c59d7e0c089c0:::',
        'aad3b435b51404eeaad3b435b51404ee:...',
      ],
    },
  },
] satisfies readonly Pattern[];
