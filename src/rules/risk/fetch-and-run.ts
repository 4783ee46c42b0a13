import type { Allowlist, Pattern } from '../../model/rules.ts';
import { SCRIPT_COMMENTS } from './allowlists.ts';
import { DOCUMENT_TAG, GO, PROSE } from './paths.ts';

const raw = String.raw;

/**
 * Files that run by themselves: on a build server, when a package is installed, when a repository
 * is opened, committed to or built, or when a machine starts. Nobody decides to run them.
 */
const SELF_RUNNING = [
  // Build servers.
  raw`^\.(?:github|gitea|forgejo)/(?:workflows|actions)/.*\.ya?ml$`,
  raw`(?:^|/)(?:action\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|buildspec[^/]*\.ya?ml|cloudbuild[^/]*\.ya?ml|\.travis\.yml|\.(?:drone|woodpecker|cirrus)\.ya?ml|appveyor\.yml|[^/]*gitlab-ci[^/]*\.ya?ml|[^/]*jenkinsfile[^/]*)$`,
  raw`^\.(?:circleci|buildkite|woodpecker|semaphore|tekton|gitlab|gitlab-ci)/.*\.ya?ml$`,
  // Images and development containers.
  raw`(?:^|/)(?:[^/]*dockerfile[^/]*|containerfile|earthfile|devcontainer\.json|\.gitpod\.yml)$`,
  // Packages that are installed.
  raw`(?:^|/)(?:\.pnpmfile\.c?js|setup\.py|build\.rs|\.cargo/config(?:\.toml)?|binding\.gyp|extconf\.rb|conftest\.py|sitecustomize\.py)$`,
  // Hooks of git, shells that enter a folder, units and timers.
  raw`(?:^|/)(?:\.husky|\.githooks|githooks|hooks)/[^/]+$|(?:^|/)(?:\.envrc|\.pre-commit-config\.ya?ml|lefthook\.ya?ml)$`,
  raw`\.(?:service|timer|socket)$|(?:^|/)(?:[^/]*crontab[^/]*|cron\.(?:d|daily|hourly|weekly|monthly)/[^/]+)$`,
  // Agents, editors and their tool servers.
  raw`(?:^|/)(?:\.mcp|mcp|opencode)\.jsonc?$|(?:^|/)\.(?:claude|cursor|vscode|gemini|codex|windsurf|zed|roo|amazonq)/[^/]*\.(?:json|toml)$`,
].join('|');

/** What fetches a text: by a shell. */
const GET = raw`\b(?:curl|wget)(?:\.exe)?\b`;
/** What runs a text: shells and interpreters, also behind sudo, env and a path. */
const RUN = raw`(?:(?:sudo|doas|env|exec|command|time|nohup)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:/(?:usr/)?(?:local/)?s?bin/)?(?:(?:ba|da|z|k|a|c|fi)?sh|python[\d.]*|node|perl|ruby|php|deno|bun)\b`;
/** The end of a shell's command and the begin of the next one. */
const THEN = raw`\s*(?:&&|;|\|\|)\s*`;

/** Spellings of fetch and run on one line; RE2 compares no names, so the file may be another. */
const ON_ONE_LINE = [
  // curl u | sh, curl u | tee a | sudo bash
  raw`${GET}[^\n;&]*\|\s*${RUN}`,
  // sh -c "$(curl u)", bash <(curl u), eval "$(curl u)", . <(curl u), python -c "$(curl u)"
  raw`(?:${RUN}\s+(?:-\w+\s+)*|\beval\s+|\bsource\s+|(?:^|[\s;&|])\.\s+)(?:<\(|<<<\s*|["']?\$\(|["']?${'`'})\s*${GET}`,
  // curl -o a u && sh a, wget u; chmod +x a; ./a
  raw`(?:\bcurl\b[^\n;&|]*\s(?:-\w*[oO]\w*|--output|--remote-name|>)[^\n;&|]*|\bwget\b[^\n;&|]*)(?:${THEN}(?:cd|chmod|sudo\s+chmod|ls|test|sleep)\b[^\n;&|]*)*${THEN}(?:${RUN}\s+(?:-\S+\s+)*\.?/?[\w$]|(?:sudo\s+)?\./[\w$]|source\s+[\w./$]|\.\s+[\w./$])`,
  // x=$(curl u); eval "$x"
  raw`\b\w+=["']?(?:\$\(|${'`'})\s*${GET}[^\n]*${THEN}(?:eval|${RUN}\s+-c)\b`,
  // PowerShell: iwr u | iex, iex (iwr u), iex ((New-Object Net.WebClient).DownloadString(u))
  raw`(?i:\b(?:iwr|irm|curl|wget|Invoke-(?:WebRequest|RestMethod))\b[^\n;]*\|\s*(?:iex|Invoke-Expression)\b)`,
  raw`(?i:\b(?:iex|Invoke-Expression)\b[^\n;]*\b(?:iwr|irm|Invoke-(?:WebRequest|RestMethod)|DownloadString)\b)`,
  raw`(?i:\bDownloadString\s*\([^\n;]*\|\s*iex\b|\bcertutil\b[^\n;&|]*-urlcache\b[^\n]*[;&]\s*\S|\bmshta\s+["']?https?://)`,
  // Python: exec(urlopen(u).read()), exec(requests.get(u).text)
  raw`\b(?:exec|eval|compile)\s*\([^\n]*\b(?:urlopen|requests\.get|httpx\.get|urllib3?\.request)\s*\(`,
  raw`\b(?:os\.system|os\.popen|subprocess\.\w+)\s*\([^\n]*\b(?:urlopen|requests\.get|httpx\.get)\s*\(`,
  // Node: eval(await (await fetch(u)).text()), fetch(u).then(r => r.text()).then(eval)
  raw`\b(?:eval|Function|runIn\w*Context)\s*\([^\n]*\b(?:fetch|axios(?:\.get)?|got)\s*\(|\b(?:fetch|axios\.get|got)\s*\([^\n]*\.then\(\s*(?:eval|\w+\s*=>\s*(?:eval|new\s+Function)\b)`,
  // Ruby, Perl: eval(URI.open(u).read), eval get(u)
  raw`\b(?:eval|instance_eval|system|exec)\b[^\n]*\b(?:URI\.open|Net::HTTP\.get|HTTParty\.get|LWP::Simple|open-uri)\b|\beval\s*\(?\s*get\s*\(?\s*["']https?:`,
  // Installers that run what an address gives.
  raw`\b(?:npx|npm\s+exec|pnpm\s+dlx|bunx)\s+(?:-\S+\s+)*["']?(?:https?|git(?:\+\w+)?):`,
].join('|');

const CHECKED: Allowlist = {
  description: 'the hash or the signature of the download is checked on the same line',
  regexTarget: 'line',
  regexes: [
    raw`\b(?:sha(?:1|224|256|384|512)?sum|shasum|b2sum)\b[^\n]*(?:-c|--check)\b|\bgpg\b[^\n]*--verify\b|\bcosign\s+verify|\bminisign\s+-V`,
  ],
};

const THIS_MACHINE: Allowlist = {
  description: 'an address of this machine',
  regexTarget: 'match',
  regexes: [raw`https?://(?:localhost|127\.0\.0\.1|\[::1\])[:/"'\s]`],
};

const KEYWORDS = [
  ...['curl', 'wget', 'iwr', 'irm', 'invoke-', 'downloadstring', 'certutil', 'mshta', 'urlopen'],
  ...['requests.get', 'httpx.get', 'urllib', 'fetch(', 'axios', 'got(', 'uri.open', 'net::http'],
  ...['httparty', 'lwp::simple', 'open-uri', 'eval get', 'eval(get', 'npx', 'npm exec', 'pnpm dlx'],
  'bunx',
];

const COMMON = {
  cwe: 'CWE-494',
  source: 'https://cwe.mitre.org/data/definitions/494.html',
  fix: 'Download a fixed version, check its hash, then run it.',
} as const;

/** Code that is fetched and run at once, unseen: high where it runs by itself, else medium. */
export const fetchAndRunPatterns = [
  {
    ...COMMON,
    id: 'risk-fetch-and-run',
    description: 'Download is executed at once, in a file that runs automatically',
    regex: ON_ONE_LINE,
    path: `(?i)${SELF_RUNNING}`,
    keywords: KEYWORDS,
    allowlists: [...SCRIPT_COMMENTS, CHECKED, THIS_MACHINE],
    severity: 'high',
    message:
      'Whatever this server sends is run, often with secrets at hand: nobody starts this file.',
    examples: {
      path: '.github/workflows/ci.yml',
      match: [
        '      - run: curl -fsSL https://get.tool.io/install.sh | sudo -E bash -',
        '      - run: curl -fsSLo i.sh https://get.tool.io/i && chmod +x i.sh && ./i.sh',
        '      - run: bash <(wget -qO- https://tool.io/setup)',
        '      - run: python3 -c "$(curl -s https://tool.io/a.py)"',
        '      - run: iwr https://tool.io/a.ps1 -UseBasicParsing | iex',
      ],
      noMatch: [
        '      - run: curl -fsSL https://tool.io/v1.tgz | tar xz',
        '      - run: curl -fsS http://127.0.0.1:3000/health && sh stop.sh',
        '      - run: curl -fsSLo a.sh https://tool.io/a && sha256sum -c a.sum && sh a.sh',
        '      - run: npx playwright install',
      ],
    },
  },
  {
    ...COMMON,
    id: 'risk-pipe-to-shell',
    description: 'Download is executed without verification',
    regex: ON_ONE_LINE,
    keywords: KEYWORDS,
    allowlists: [
      ...SCRIPT_COMMENTS,
      CHECKED,
      THIS_MACHINE,
      { description: 'prose', paths: [PROSE] },
      {
        description: 'files that run by themselves: risk-fetch-and-run',
        paths: [`(?i)${SELF_RUNNING}`],
      },
    ],
    severity: 'medium',
    message: 'Whatever this server sends is run.',
    examples: {
      path: 'scripts/setup.sh',
      match: [
        'curl -fsSL https://get.tool.io/install.sh | sh',
        'wget -qO- https://tool.io/setup | sudo -E bash -',
        '/bin/bash -c "$(curl -fsSL https://tool.io/install.sh)"',
        'curl -O https://tool.io/a.sh && sh a.sh',
      ],
      noMatch: [
        'exports.load = async function (url) { const answer = await fetch(url); };',
        'curl -fsSL https://tool.io/v1.tgz | tar xz',
        'curl -O https://tool.io/a.sh',
        'curl -fsS https://tool.io/health && sh deploy.sh',
      ],
    },
  },
  {
    ...COMMON,
    id: 'risk-generate-fetch-and-run',
    description: 'go:generate downloads and runs code',
    regex: raw`^\s*//go:generate\s[^\n]*(?:${ON_ONE_LINE})`,
    path: GO,
    keywords: ['go:generate'],
    severity: 'high',
    message: 'Whatever this server sends is run wherever the code is generated.',
    examples: {
      path: 'internal/gen/gen.go',
      match: [
        '//go:generate sh -c "curl -s https://tool.io/gen.sh | sh"',
        '//go:generate bash -c "wget -O g.sh https://tool.io/g && bash g.sh"',
      ],
      noMatch: ['//go:generate stringer -type=Kind', '//go:generate go run ./gen'],
    },
  },
  {
    id: 'risk-install-download',
    description: 'Install script downloads or decodes code',
    regex: raw`^\s*"(?:pre|post)?install"\s*:\s*"[^"]*(?:\b(?:curl|wget|powershell|certutil|bitsadmin)\b|\bnode\s+-e\b|\bpython3?\s+-c\b|\bbase64\b|https?://|/dev/tcp/)|^\s*"(?:prepare|prepublish(?:Only)?|prepack|postpack|dependencies)"\s*:\s*"[^"]*\b(?:curl|wget|powershell|certutil|bitsadmin)\b`,
    path: raw`(?:^|/)package\.json$`,
    keywords: ['install"', 'prepare"', 'prepublish', 'pack"', 'dependencies"'],
    tags: [DOCUMENT_TAG],
    severity: 'high',
    message: 'Everybody who installs this, builds included, runs what that server sends.',
    fix: 'Ship what is needed in the package, or as an optional dependency per platform.',
    cwe: 'CWE-494',
    source: 'https://docs.npmjs.com/cli/v11/using-npm/scripts',
    examples: {
      path: 'package.json',
      match: [
        '    "postinstall": "curl -s https://acme.io/setup.sh | sh",',
        `    "preinstall": "node -e \\"require('https').get('...')\\"",`,
      ],
      noMatch: [
        '    "postinstall": "node scripts/build.js",',
        '    "start": "curl https://acme.io"',
      ],
    },
  },
  {
    ...COMMON,
    id: 'risk-npm-script-shell',
    description: 'npm script-shell points into the repository',
    regex: raw`^\s*script-shell\s*=\s*\S`,
    path: raw`(?:^|/)\.npmrc$`,
    keywords: ['script-shell'],
    allowlists: [
      {
        description: 'shells of the system',
        regexTarget: 'line',
        regexes: [
          raw`(?i)=\s*["']?(?:(?:/usr)?(?:/local)?/bin/|[a-z]:[\\/][^"'.]*[\\/])?(?:(?:ba|z|da|k)?sh|powershell|pwsh|cmd)(?:\.exe)?["']?\s*$`,
        ],
      },
    ],
    severity: 'high',
    message: 'Every npm command of everybody who works here runs this program.',
    fix: 'Leave script-shell to the settings of each machine.',
    source: 'https://docs.npmjs.com/cli/v11/using-npm/config#script-shell',
    examples: {
      path: '.npmrc',
      match: ['script-shell=./tools/run.sh', 'script-shell = "node_modules/.bin/x"'],
      noMatch: ['script-shell=/bin/bash', 'script-shell = pwsh.exe', 'shell=./a'],
    },
  },
] satisfies readonly Pattern[];
