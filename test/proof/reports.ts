import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { readChange } from '../../src/analysis/worker/gates.ts';
import { inspectReport } from '../../src/analysis/worker/report.ts';
import { createCancelFlag } from '../../src/core/deadline.ts';
import { fake } from '../../src/rules/fake.ts';
import { gateTools } from '../analysis/worker/gates-run.ts';
import { createRepository, type Repository } from '../cli/fixtures/repository.ts';
import { request, startDaemonProcess, type Teardown, temporaryDir } from '../daemon.ts';
import { run as killRounds } from './report-kills.ts';

/** The program that filters as reviewdog does; Go fetches reviewdog for it. */
const PROGRAM = fileURLToPath(new URL('../../../test/proof/reviewdog/', import.meta.url));
/** Where tools are installed, and stay for the next run, of another work tree as well. */
const INSTALLED = join(homedir(), '.cache/cra-proof-tools');

const CHANGES = 40;

/**
 * Reports of real tools beside reviewdog (--only tools, or the name of a tool), hostile ones to a
 * service (faults), and required ones through kills of the service (required).
 */
export async function run(options: RunOptions): Promise<Report> {
  const { only, progress } = options;
  const isAsked = (part: string) => only.length === 0 || only.includes(part);
  const tools = Object.keys(TOOLS).filter((tool) => isAsked('tools') || only.includes(tool));
  const parts: Report[] = [];
  if (tools.length > 0) parts.push(await besideReviewdog(tools, progress));
  if (isAsked('faults')) parts.push(await hostileReports(progress));
  if (isAsked('required')) parts.push(await killRounds({ ...options, only: [] }));
  return {
    title: 'Reports of other tools',
    facts: parts.flatMap(({ facts }) => facts),
    tables: parts.flatMap(({ tables }) => tables),
    notes: parts.flatMap(({ notes }) => notes),
    holds: parts.length > 0 && parts.every(({ holds }) => holds),
  };
}

type Progress = RunOptions['progress'];

async function besideReviewdog(tools: readonly string[], progress: Progress): Promise<Report> {
  const ends: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown) => void ends.push(end) };
  try {
    const repository = fillRepository(t);
    const diffs = Array.from({ length: CHANGES }, (_, at) =>
      repository.git('-c', 'core.quotePath=true', 'diff', '-M', `HEAD~${at + 1}`, 'HEAD'),
    );
    const rows: Cell[][] = [];
    const faults: string[] = [];
    for (const tool of tools) {
      progress(tool);
      const compared = await compare(tool, repository, diffs);
      rows.push([tool, compared.version, compared.results, compared.kept, compared.faults.length]);
      faults.push(...compared.faults);
      if (compared.kept === 0) faults.push(`${tool}: nothing is kept`);
    }
    const columns = [
      'tool',
      'version',
      'results',
      'kept in all changes',
      '**changes that differ**',
    ];
    return {
      title: 'Reports of real tools beside reviewdog',
      facts: [
        `${CHANGES} changes: the last commit, the last two, and so on, of a repository whose commits add, change, move and delete files`,
        'reviewdog v0.21.3, its package `filter` with `ModeAdded`, on the same results',
      ],
      tables: [{ columns, rows }],
      notes: faults,
      holds: faults.length === 0,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function hostileReports(progress: Progress): Promise<Report> {
  const ends: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown) => void ends.push(end) };
  try {
    const sent = await sendHostile(t, progress);
    const faults = sent.filter(({ isRight }) => !isRight);
    const rows = sent.map(({ what, answer }) => [what, answer]);
    return {
      title: 'Reports that nobody should send',
      facts: [],
      tables: [{ columns: ['a report that', 'answer'], rows }],
      notes: faults.map(({ what, answer }) => `${what}: ${answer}`),
      holds: faults.length === 0,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** What the service keeps of a report in each change, beside what reviewdog keeps. */
async function compare(tool: string, repository: Repository, diffs: readonly string[]) {
  const report = reportOf(tool, repository);
  const { driver } = JSON.parse(report).runs[0].tool;
  const { sarif, places } = numbered(report, repository.path);
  const input = JSON.stringify(diffs.map((Diff) => ({ Diff, Results: places })));
  const options = { cwd: PROGRAM, encoding: 'utf8', input } as const;
  const theirs = execFileSync('go', ['run', '-mod=readonly', '.'], options).split('\n');
  const faults: string[] = [];
  let kept = 0;
  for (const [at, diff] of diffs.entries()) {
    const change = readChange(Buffer.from(diff, 'latin1'));
    const { findings } = await inspectReport(sarif, change, [], gateTools(), createCancelFlag());
    const ours = findings.map(({ id }) => Number(/-number-(\d+)$/.exec(id)?.[1] ?? -1));
    const sorted = ours.sort((a, b) => a - b).join(' ');
    if (sorted !== theirs[at]) {
      faults.push(`${tool}, the last ${at + 1} commits: ${sorted}; reviewdog: ${theirs[at]}`);
    }
    kept += ours.length;
  }
  const version = String(driver.semanticVersion ?? driver.version ?? '');
  return { version, results: places.length, kept, faults };
}

interface Sent {
  what: string;
  answer: string;
  isRight: boolean;
}

const COMMIT = 'a'.repeat(40);
const MEBI = 1024 * 1024;

/** Reports that nobody should send, and one that is in order after each. */
async function sendHostile(t: Teardown, progress: Progress): Promise<Sent[]> {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const post = async (body: Uint8Array | string) =>
    await request(`${daemon.url}/reports?repo=acme/shop&commit=${COMMIT}`, {
      method: 'POST',
      body: typeof body === 'string' ? Buffer.from(body) : Buffer.from(body),
    });
  const log = (results: string, more = '') =>
    `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"One"}},"results":[${results}]${more}}]}`;
  const result = '{"message":{"text":"a"}}';
  const million = log(`${`${result},`.repeat(1_000_000)}${result}`);
  const nested = (depth: number) =>
    log('', `,"properties":${'['.repeat(depth)}${']'.repeat(depth)}`);
  const provenance = `,"versionControlProvenance":[{"revisionId":"${'f'.repeat(40)}"}]`;
  const hostile: [what: string, body: string | Uint8Array, status: number, why: RegExp][] = [
    ['has 100 MiB', `{"version":"2.1.0"}${' '.repeat(100 * MEBI)}`, 413, /bytes|large/],
    ['has 100 MiB when it is unpacked', gzipSync(Buffer.alloc(100 * MEBI, ' ')), 400, /bytes/],
    ['has 1,000,001 results', million, 400, /results/],
    ['has as many results in gzip', gzipSync(million), 400, /results/],
    ['is nested 900 deep', nested(900), 200, /^$/],
    ['is nested 1,000,000 deep', nested(1_000_000), 400, /within each other/],
    ['is of SARIF 2.0.0', '{"version":"2.0.0","runs":[]}', 400, /2\.1\.0/],
    ['has no run', '{"version":"2.1.0","runs":[]}', 400, /no run/],
    [
      'has results that are no list',
      '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a"}},"results":{}}]}',
      400,
      /not a list/,
    ],
    ['is not JSON', '<sarif/>', 400, /not JSON/],
    ['is broken gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1]), 400, /gzip/],
    ['is about another commit', log('', provenance), 400, /is about commit/],
  ];
  const sent: Sent[] = [];
  for (const [what, body, status, why] of hostile) {
    progress(what);
    const given = await post(body);
    const error = String(given.body.error ?? '');
    const after = await post(log(result));
    const isRight = given.status === status && why.test(error) && after.status === 200;
    const lost = after.status === 200 ? '' : `; the next one: ${after.status}`;
    sent.push({ what, answer: `${given.status} ${error}${lost}`.trim(), isRight });
  }
  const code = await daemon.stop();
  if (code !== 0) sent.push({ what: 'the last', answer: `ended with ${code}`, isRight: false });
  return sent;
}

/** Texts in which the tools find something, by the end of their names. */
const TEXTS: Readonly<Record<string, string>> = {
  py: [
    'import pickle, subprocess, hashlib',
    '',
    'def run(command):',
    '    subprocess.call(',
    '        command,',
    '        shell=True,',
    '    )',
    '    return hashlib.md5(command)',
    '',
    'def load(data):',
    '    assert data',
    '    return eval(pickle.loads(data))',
    '',
  ].join('\n'),
  tf: [
    'resource "aws_s3_bucket" "NAME" {',
    '  bucket = "NAME"',
    '  acl    = "public-read"',
    '}',
    '',
    'resource "aws_security_group" "NAME" {',
    '  ingress {',
    '    from_port   = 22',
    '    to_port     = 22',
    '    protocol    = "tcp"',
    '    cidr_blocks = ["0.0.0.0/0"]',
    '  }',
    '}',
    '',
  ].join('\n'),
  yml: [
    'name: NAME',
    'on: pull_request_target',
    'jobs:',
    '  build:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - uses: actions/checkout@v4',
    '      - run: |',
    '          echo one',
    `          echo \${{ github.event.pull_request.title }}`,
    '',
  ].join('\n'),
  js: ['function run(a) {', '  var unused = 1;', '  debugger;', '  return eval(a);', '}', ''].join(
    '\n',
  ),
  go: [
    'package main',
    '',
    'import (',
    '\t"crypto/md5"',
    '\t"os/exec"',
    ')',
    '',
    'func runNAME(a string) {',
    '\tmd5.Sum([]byte(a))',
    '\texec.Command("sh", "-c", a).Run()',
    '}',
    '',
  ].join('\n'),
  env: `TOKEN=${fake('ghp_', 36)}\n`,
};

const FOLDERS: Readonly<Record<string, string>> = {
  yml: '.github/workflows',
  tf: 'infra',
  py: 'app/ü b',
  js: 'web',
  go: 'cmd',
  env: 'deploy',
};

/** A repository whose commits add files, change them in their middle, rename and delete them. */
function fillRepository(t: Teardown): Repository {
  const repository = createRepository(t);
  const { write, commit } = repository;
  const kinds = Object.keys(TEXTS);
  const names: string[] = [];
  const read = (name: string) => readFileSync(join(repository.path, name), 'utf8');
  const textOf = (kind: string, at: number) => (TEXTS[kind] ?? '').replaceAll('NAME', `n${at}`);
  const add = (at: number) => {
    const kind = kinds[at % kinds.length] ?? '';
    const name = `${FOLDERS[kind]}/file-${at}.${kind}`;
    write(name, textOf(kind, at));
    names.push(name);
  };
  write('go.mod', 'module shop\n\ngo 1.24\n');
  for (let at = 0; at < 2 * kinds.length; at += 1) add(at);
  commit('first');
  for (let at = 0; at < CHANGES; at += 1) {
    const index = (at * 7) % names.length;
    const name = names[index] ?? '';
    const lines = read(name).split('\n');
    const isComment = /\.(?:js|go)$/.test(name) ? '//' : '#';
    if (at % 5 === 0) {
      add(100 + at);
    } else if (at % 5 === 1) {
      // Results move, and do not count for that.
      write(name, [`${isComment} line ${at}`, ...lines].join('\n'));
    } else if (at % 5 === 2) {
      const middle = Math.floor(lines.length / 2);
      lines.splice(middle, 0, ...(name.endsWith('.yml') ? [] : [`${isComment} ${at}`]));
      write(name, lines.map((line) => line.replace('md5', 'sha1').replace('22', '23')).join('\n'));
    } else if (at % 5 === 3) {
      const renamed = name.replace('file-', `moved-${at}-`);
      rmSync(join(repository.path, name));
      write(renamed, [...lines.slice(0, -1), `${isComment} moved`, ''].join('\n'));
      names[index] = renamed;
    } else {
      const kind = name.slice(name.lastIndexOf('.') + 1);
      // Another file of a kind may have one name each: its text is there twice then.
      write(name, kind === 'py' ? `${read(name)}\n${textOf(kind, at)}` : lines.join('\n'));
      if (at % 10 === 9) rmSync(join(repository.path, names.splice(index, 1)[0] ?? ''));
    }
    commit(`change ${at}`);
  }
  return repository;
}

/** Most tools end with 1 when they find something, and some say by it how grave that is. */
function runTool(program: string, args: readonly string[], cwd: string): string {
  const env = { ...process.env, SEMGREP_SEND_METRICS: 'off' };
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const { error, stdout, stderr, status } = spawnSync(program, args, options);
  const isFailed = status === null || (status > 1 && status < 10);
  if (error !== undefined || isFailed) {
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.slice(-2_000)}`);
  }
  return stdout;
}

interface Tool {
  /** The packages that bring its program. */
  from: { pip: string } | { npm: readonly string[] } | { go: string };
  /**
   * Arguments; the report goes to `out`, a file in the empty directory `directory`, where further
   * files may be written. `installed` is shared with other runs.
   */
  args(out: string, directory: string, installed: string): readonly string[];
  /** In place of `out`; `stdout`: what it prints. */
  report?: string;
}

const TOOLS: Readonly<Record<string, Tool>> = {
  bandit: {
    from: { pip: 'bandit[sarif]==1.9.4' },
    args: (out) => ['-q', '-r', '.', '-f', 'sarif', '-o', out],
  },
  checkov: {
    from: { pip: 'checkov==3.3.30' },
    args: (_, directory) => [
      ...['-d', '.', '--framework', 'terraform', '--compact', '--quiet'],
      ...['-o', 'sarif', '--output-file-path', directory],
    ],
    report: 'results_sarif.sarif',
  },
  zizmor: {
    from: { pip: 'zizmor==1.32.0' },
    args: () => ['--offline', '--no-progress', '--format', 'sarif', '.github'],
    report: 'stdout',
  },
  ruff: {
    from: { pip: 'ruff==0.17.6' },
    args: (out) => ['check', '--select', 'S,F', '--output-format', 'sarif', '-o', out, '.'],
  },
  semgrep: {
    from: { pip: 'semgrep==1.185.0' },
    args(out, directory) {
      const rules = join(directory, 'rules.yml');
      writeFileSync(rules, SEMGREP_RULES);
      const quiet = ['--quiet', '--disable-version-check'];
      return ['scan', '--config', rules, '--sarif', '--output', out, ...quiet, '.'];
    },
  },
  eslint: {
    from: { npm: ['eslint@10.15.0', '@microsoft/eslint-formatter-sarif@3.1.0'] },
    args(out, directory, installed) {
      const config = join(directory, 'eslint.config.mjs');
      writeFileSync(config, ESLINT_CONFIG);
      const formatter = join(installed, 'node_modules/@microsoft/eslint-formatter-sarif/sarif.js');
      return ['-c', config, '-f', formatter, '-o', out, 'web'];
    },
  },
  gitleaks: {
    from: { go: 'github.com/zricethezav/gitleaks/v8@v8.30.1' },
    args: (out) => ['dir', '.', '--no-banner', '-f', 'sarif', '-r', out],
  },
  gosec: {
    from: { go: 'github.com/securego/gosec/v2/cmd/gosec@v2.30.0' },
    args: (out) => ['-quiet', '-fmt', 'sarif', '-out', out, './...'],
  },
};

/** Where a tool of these versions is installed. */
const directoryOf = (name: string, { from }: Tool) =>
  join(INSTALLED, `${name}-${createHash('sha256').update(JSON.stringify(from)).digest('hex')}`);

/** Installs a tool, unless a run before came to the end of it; the path of its program. */
function install(name: string, tool: Tool): string {
  const directory = directoryOf(name, tool);
  const { from } = tool;
  const bin = 'go' in from ? '' : 'npm' in from ? 'node_modules/.bin' : 'bin';
  const finished = join(directory, 'installed');
  if (!existsSync(finished)) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    if ('go' in from) {
      const env = { ...process.env, GOBIN: directory };
      execFileSync('go', ['install', from.go], { cwd: directory, env, stdio: 'pipe' });
    } else if ('npm' in from) {
      runTool('npm', ['install', '--silent', '--prefix', directory, ...from.npm], directory);
    } else {
      runTool('python3', ['-m', 'venv', directory], directory);
      const quiet = ['install', '--quiet', '--no-compile'];
      runTool(join(directory, 'bin/pip'), [...quiet, from.pip], directory);
    }
    writeFileSync(finished, '');
  }
  return join(directory, bin, name);
}

/** The report of a tool about what is checked out: SARIF. */
function reportOf(name: string, { path }: Repository): string {
  const tool = TOOLS[name];
  if (tool === undefined) throw new Error(name);
  const program = install(name, tool);
  const { report = 'report.sarif' } = tool;
  const directory = mkdtempSync(join(tmpdir(), 'cra-report-'));
  try {
    const out = join(directory, 'report.sarif');
    const printed = runTool(program, tool.args(out, directory, directoryOf(name, tool)), path);
    return report === 'stdout' ? printed : readFileSync(join(directory, report), 'utf8');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const SEMGREP_RULES = `rules:
  - id: shell
    languages: [python]
    severity: ERROR
    message: a shell runs it
    pattern: subprocess.call(..., shell=True, ...)
  - id: eval
    languages: [python, javascript]
    severity: WARNING
    message: text is run
    pattern: eval(...)
`;

const ESLINT_CONFIG = `export default [
  { rules: { 'no-eval': 'error', 'no-unused-vars': 'warn', 'no-debugger': 'error' } },
];
`;

interface Place {
  Path: string;
  Start: number;
  End: number;
}

/** The results of a report, each with a rule of its own so that its finding is known. */
function numbered(report: string, root: string): { sarif: Buffer; places: Place[] } {
  const log = JSON.parse(report);
  const [run] = log.runs;
  const places = run.results.map((result: Record<string, unknown>, index: number): Place => {
    const [location] = result['locations'] as { physicalLocation: Physical }[];
    const { artifactLocation, region } = location?.physicalLocation ?? {};
    Object.assign(result, { ruleId: `number-${index}`, rule: {}, message: { text: `${index}` } });
    const path = decodeURIComponent(artifactLocation?.uri ?? '').replace(/^file:\/\//, '');
    const Start = region?.startLine ?? 0;
    const Path = path.replace(`${root}/`, '').replace(/^\.?\//, '');
    return { Path, Start, End: region?.endLine ?? Start };
  });
  return { sarif: Buffer.from(JSON.stringify(log)), places };
}

interface Physical {
  artifactLocation?: { uri?: string };
  region?: { startLine?: number; endLine?: number };
}
