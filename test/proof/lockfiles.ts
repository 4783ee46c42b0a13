import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { inspectDependencies } from '../../src/gates/dependencies/inspect.ts';
import type { GateFinding } from '../../src/model/finding.ts';
import { diffOf } from '../gates/configuration/run.ts';
import { compareParsers, type ParseYarn } from './lock-parsers.ts';
import { createLint } from './lockfile-lint.ts';
import { type Noise, noiseOf } from './lockfile-noise.ts';

/** Where package managers are installed, and stay for the next run. */
const INSTALLED = fileURLToPath(new URL('../../proof-managers/', import.meta.url));

/**
 * Lockfiles that real package managers write: honest updates are silent, attacks are found. With
 * repositories (--repo): how many of their changes to lockfiles are blocked.
 */
export async function run(options: RunOptions): Promise<Report> {
  if (options.repos.length > 0) return await measureNoise(options);
  const rows: Cell[][] = [];
  const notes: string[] = [];
  let forms = 0;
  const parsers: Cell[][] = [];
  const parseYarn = yarnParser();
  const lint = createLint(INSTALLED);
  for (const manager of MANAGERS) {
    if (options.only.length > 0 && !options.only.includes(manager.name)) continue;
    options.progress(manager.name);
    const [before, after] = manager.steps.map((step) => lockfileOf(manager, step));
    if (before === undefined || after === undefined) throw new Error(manager.name);
    const honest = (await inspect(manager, before, after)).filter(isOpen);
    for (const { id, message } of honest) notes.push(`${manager.name}, honest: ${id}: ${message}`);
    let found = 0;
    let tried = 0;
    let linted = 0;
    const type = lintedAs(manager.name);
    const complaints = type === null ? [] : lint(after, type);
    if (complaints[0] !== undefined) notes.push(`${manager.name}, lockfile-lint: ${complaints[0]}`);
    for (const { form, edit, expected } of ATTACKS) {
      const attacked = edit(after, manager.name);
      if (attacked === null || attacked === after) continue;
      tried += 1;
      const ids = (await inspect(manager, after, attacked)).filter(isOpen).map(({ id }) => id);
      const isFound = ids.some((id) => expected.test(id));
      const isLinted = type !== null && lint(attacked, type).length > 0;
      if (isLinted) linted += 1;
      if (isLinted && !isFound) notes.push(`${manager.name}, ${form}: only lockfile-lint`);
      if (isFound) found += 1;
      else notes.push(`${manager.name}, ${form}: ${ids.join(', ') || 'nothing'}`);
    }
    forms += tried;
    const parsed = compareParsers(manager.path, after, parseYarn);
    if (parsed !== null) {
      const { read, refused, differing } = parsed;
      parsers.push([manager.name, read, refused, differing.length, parsed.ratio ?? 0]);
      for (const one of differing) notes.push(`${manager.name}, read otherwise: ${one}`);
    }
    const lines = after.split('\n').length;
    const byLint = type === null ? '-' : linted;
    rows.push([manager.name, lines, honest.length, tried, tried - found, byLint]);
  }
  const facts = [`${forms} attacks on lockfiles as package managers wrote them, read whole`];
  if (options.only.length === 0) {
    options.progress(ORACLE);
    const { changes, differing } = await compareWithOracle();
    facts.push(
      `${changes} changes of the lockfile of this repository: ${ORACLE} names the same versions that come and go in ${changes - differing.length}`,
    );
    notes.push(...differing);
  }
  return {
    title: 'Lockfiles of real package managers',
    facts,
    tables: [
      {
        columns: [
          'written by',
          'lines',
          '**findings of an honest update**',
          'attacks',
          '**missed**',
          'of them found by lockfile-lint',
        ],
        rows,
      },
      {
        columns: [
          'variants of a lockfile',
          'read by its parser and by ours',
          'refused by ours alone',
          'read otherwise',
          'CPU of ours / of the parser',
        ],
        rows: parsers,
      },
    ],
    notes,
    holds: notes.length === 0,
  };
}

const YARN_PARSERS = '@yarnpkg/parsers@3.1.0';

/** The parser that yarn itself has of the notation of yarn 1. */
function yarnParser(): ParseYarn {
  const directory = join(INSTALLED, 'yarn-parsers');
  if (!existsSync(join(directory, 'node_modules'))) {
    mkdirSync(directory, { recursive: true });
    const quiet = ['install', '--silent', '--ignore-scripts', '--prefix', directory];
    execFileSync('npm', [...quiet, YARN_PARSERS], { cwd: directory, stdio: 'pipe' });
  }
  const { parseSyml } = createRequire(`${directory}/`)('@yarnpkg/parsers') as {
    parseSyml: ParseYarn;
  };
  return parseSyml;
}

/** Of changes to lockfiles that nobody meant badly. */
const BLOCKED_SHARE_MAX = 0.005;

async function measureNoise({ repos, count, progress }: RunOptions): Promise<Report> {
  const all: Noise[] = [];
  for (const path of repos) {
    progress(path);
    all.push(await noiseOf(path, count));
  }
  const commits = all.reduce((sum, one) => sum + one.commits, 0);
  const blocked = all.flatMap((one) => one.blocked);
  return {
    title: 'Changes to lockfiles in histories',
    facts: [`${commits} commits, ${blocked.length} of them with a critical or high finding`],
    tables: [
      {
        columns: ['repository', 'commits', '**blocked**', 'most frequent findings'],
        rows: all.map((one) => [
          one.name,
          one.commits,
          one.blocked.length,
          [...one.counts]
            .sort(([, a], [, b]) => b - a)
            .slice(0, 6)
            .map(([id, count]) => `${id}: ${count}`)
            .join(', '),
        ]),
      },
    ],
    notes: blocked,
    holds: blocked.length <= commits * BLOCKED_SHARE_MAX,
  };
}

/** It reads a lockfile as a graph of packages. */
const ORACLE_VERSION = '2.10.4';
const ORACLE = 'snyk-nodejs-lockfile-parser';

interface Oracle {
  parseNpmLockV2Project(
    manifest: string,
    lockfile: string,
    options: Record<string, boolean>,
  ): Promise<{ getPkgs(): readonly { name: string; version?: string }[] }>;
}

/** Compares what each commit changes in the own lockfile with the changes that a peer sees. */
async function compareWithOracle(): Promise<{ changes: number; differing: string[] }> {
  const directory = join(INSTALLED, 'oracle');
  if (!existsSync(join(directory, 'node_modules', ORACLE))) {
    mkdirSync(directory, { recursive: true });
    const options = { cwd: directory, stdio: 'pipe' } as const;
    const quiet = ['install', '--silent', '--ignore-scripts'];
    execFileSync('npm', [...quiet, '--prefix', directory, `${ORACLE}@${ORACLE_VERSION}`], options);
  }
  const oracle = createRequire(`${directory}/`)(ORACLE) as Oracle;
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const versionsAt = async (commit: string) => {
    const manifest = git('show', `${commit}:package.json`);
    const lockfile = git('show', `${commit}:package-lock.json`);
    const graph = await oracle.parseNpmLockV2Project(manifest, lockfile, {
      includeDevDeps: true,
      includeOptionalDeps: true,
      includePeerDeps: true,
      pruneCycles: true,
      strictOutOfSync: false,
      pruneNpmStrictOutOfSync: false,
    });
    // The first is the project itself.
    const versions = graph.getPkgs().slice(1);
    return { lockfile, versions: new Set(versions.map((one) => `${one.name}@${one.version}`)) };
  };
  const log = git('log', '--format=%H', '--diff-filter=M', '--', 'package-lock.json');
  const commits = log.trim().split('\n').filter(Boolean);
  const differing: string[] = [];
  for (const commit of commits) {
    const before = await versionsAt(`${commit}^`);
    const after = await versionsAt(commit);
    const path = 'package-lock.json';
    const bytes = Buffer.from(git('diff', `${commit}^`, commit, '--', path));
    const side = (name: 'base' | 'head', text: string) =>
      ({ side: name, path, state: 'read', bytes: Buffer.from(text) }) as const;
    const trees = [side('base', before.lockfile), side('head', after.lockfile)];
    const alone = { fingerprintKey: new Uint8Array(32), registry: null, nowMs: 0 };
    const { files } = parseDiff(bytes);
    const { summary } = await inspectDependencies({ bytes, files, trees, ...alone });
    const packages = summary?.packages ?? [];
    const come = packages.flatMap(({ name, to }) => (to === null ? [] : `${name}@${to}`));
    const gone = packages.flatMap(({ name, from }) => (from === null ? [] : `${name}@${from}`));
    const theirs = [
      ...[...after.versions].filter((one) => !before.versions.has(one)),
      ...[...before.versions].filter((one) => !after.versions.has(one)),
    ];
    if ([...come, ...gone].sort().join(' ') !== theirs.sort().join(' ')) {
      differing.push(`${ORACLE} names other packages for commit ${commit}`);
    }
  }
  return { changes: commits.length, differing };
}

/** What is more than a note. */
const isOpen = ({ severity }: GateFinding) => severity !== 'info' && severity !== 'low';

async function inspect(
  { path, steps }: Manager,
  before: string,
  after: string,
): Promise<GateFinding[]> {
  const bytes = Buffer.from(diffOf(path, before, after, 3));
  const { files } = parseDiff(bytes);
  const side = (name: 'base' | 'head', text: string) =>
    ({ side: name, path, state: 'read', bytes: Buffer.from(text) }) as const;
  const [manifest = '', asked = ''] = Object.entries(steps.at(-1) ?? {})[0] ?? [];
  const beside = {
    side: 'head',
    path: manifest,
    state: 'read',
    bytes: Buffer.from(asked),
  } as const;
  const trees = [side('base', before), side('head', after), beside];
  const alone = { fingerprintKey: new Uint8Array(32), registry: null, nowMs: 0 };
  return (await inspectDependencies({ bytes, files, trees, ...alone })).findings;
}

interface Manager {
  name: string;
  path: string;
  /** Where it is from; absent: it is on the PATH. */
  from?: { npm: string } | { pip: string };
  /** Files before it runs: first of the state before, then of the update. */
  steps: readonly Readonly<Record<string, string>>[];
  command(program: string): readonly (readonly string[])[];
}

const packageJson = (dependencies: Record<string, string>) => ({
  'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', dependencies }),
});
const NODE = [
  packageJson({ debug: '4.3.4', chalk: '4.1.0' }),
  packageJson({ debug: '4.3.7', chalk: '4.1.2', semver: '7.6.3' }),
];
const pyproject = (dependencies: readonly string[]) => ({
  'pyproject.toml': `[project]\nname = "shop"\nversion = "1.0.0"\nrequires-python = ">=3.10"\ndependencies = ${JSON.stringify(dependencies)}\n`,
});
const PYTHON = [
  pyproject(['requests==2.31.0']),
  pyproject(['requests==2.32.3', 'packaging==24.1']),
];

const npm = (version: number): Manager => ({
  name: `npm, version ${version}`,
  path: 'package-lock.json',
  steps: NODE,
  command: () => [
    [
      ...['npm', 'install', '--package-lock-only', `--lockfile-version=${version}`, '--no-audit'],
      // The settings of a machine may leave the addresses out.
      '--omit-lockfile-registry-resolved=false',
    ],
  ],
});

const MANAGERS: readonly Manager[] = [
  npm(1),
  npm(2),
  npm(3),
  {
    name: 'pnpm 9',
    path: 'pnpm-lock.yaml',
    from: { npm: 'pnpm@9.15.9' },
    steps: NODE,
    command: (program) => [[program, 'install', '--lockfile-only', '--ignore-scripts']],
  },
  {
    name: 'yarn 1',
    path: 'yarn.lock',
    from: { npm: 'yarn@1.22.22' },
    steps: NODE,
    command: (program) => [[program, 'install', '--ignore-scripts', '--no-progress']],
  },
  {
    name: 'yarn 4',
    path: 'yarn.lock',
    from: { npm: '@yarnpkg/cli-dist@4' },
    // Without a lockfile it looks for a project in the folders above.
    steps: NODE.map((files) => ({ ...files, 'yarn.lock': '' })),
    command: (program) => [
      ['sh', '-c', 'npm config get registry | xargs "$0" config set npmRegistryServer', program],
      [program, 'config', 'set', 'enableImmutableInstalls', 'false'],
      [program, 'install', '--mode=update-lockfile'],
    ],
  },
  {
    name: 'poetry',
    path: 'poetry.lock',
    from: { pip: 'poetry' },
    // It asks PyPI by an interface that mirrors do not have, unless a source is named.
    steps: PYTHON.map((files) => ({
      'pyproject.toml': `${files['pyproject.toml']}\n[[tool.poetry.source]]\nname = "index"\nurl = "https://pypi.org/simple/"\n`,
    })),
    command: (program) => [[program, 'lock']],
  },
  {
    name: 'pip-compile',
    path: 'requirements.txt',
    from: { pip: 'pip-tools' },
    steps: [
      { 'requirements.in': 'requests==2.31.0\n' },
      { 'requirements.in': 'requests==2.32.3\npackaging==24.1\n' },
    ],
    command: (program) => [
      [program, '--quiet', '--generate-hashes', '-o', 'requirements.txt', 'requirements.in'],
    ],
  },
  {
    name: 'uv',
    path: 'uv.lock',
    from: { pip: 'uv' },
    steps: PYTHON,
    command: (program) => [[program, 'lock', '--quiet']],
  },
  {
    name: 'go',
    path: 'go.sum',
    steps: [
      {
        'go.mod': 'module shop\n\ngo 1.24\n',
        'a.go': 'package shop\n\nimport _ "github.com/google/uuid"\n',
        version: 'github.com/google/uuid@v1.5.0',
      },
      {
        'a.go': 'package shop\n\nimport _ "github.com/google/uuid"\n',
        version: 'github.com/google/uuid@v1.6.0',
      },
    ],
    command: () => [['sh', '-c', 'go get "$(cat version)" && go mod tidy']],
  },
  {
    name: 'cargo',
    path: 'Cargo.lock',
    steps: ['1.0.130', '1.0.133'].map((version) => ({
      'Cargo.toml': `[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nserde_json = "=${version}"\n`,
      'src/lib.rs': '',
    })),
    command: () => [['cargo', 'generate-lockfile', '--quiet']],
  },
];

/** The lockfile that a package manager writes for a manifest; both states use one folder each. */
function lockfileOf(manager: Manager, step: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cra-lockfile-'));
  try {
    const files = { ...manager.steps[0], ...step };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    for (const [program = '', ...args] of manager.command(install(manager))) {
      execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
    }
    return readFileSync(join(folder, manager.path), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs a package manager, unless a run before did; the path of its program. */
function install({ name, from }: Manager): string {
  if (from === undefined) return '';
  const directory = join(INSTALLED, name.replaceAll(' ', '-'));
  const bin = 'npm' in from ? 'node_modules/.bin' : 'bin';
  const program = join(directory, bin, name.split(' ')[0] ?? '');
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  const options = { cwd: directory, stdio: 'pipe' } as const;
  if ('npm' in from) {
    execFileSync('npm', ['install', '--silent', '--prefix', directory, from.npm], options);
  } else {
    execFileSync('python3', ['-m', 'venv', directory], options);
    execFileSync(join(directory, 'bin/pip'), ['install', '--quiet', from.pip], options);
  }
  return program;
}

interface Attack {
  form: string;
  /** Null: there is nothing in the lockfile to change so. */
  edit(text: string, manager: string): string | null;
  expected: RegExp;
}

/** A checksum as lockfiles have it; its first group is what stands before it. */
const CHECKSUM = /((?:sha512-|sha256:|h1:|checksum: \w+\/|checksum = "))([A-Za-z0-9+/]{43,})/g;
const CHANGED = /^risk-lock-integrity-/;

/** Both halves of the nth checksum change places; -1: of the last one. */
function withOther(text: string, place: number): string | null {
  const match = [...text.matchAll(CHECKSUM)].at(place);
  if (match === undefined) return null;
  const [, before = '', sum = ''] = match;
  const half = Math.floor(sum.length / 2);
  const start = match.index + before.length;
  return (
    text.slice(0, start) + sum.slice(half) + sum.slice(0, half) + text.slice(start + sum.length)
  );
}

/** The two notations that lockfile-lint reads. */
function lintedAs(manager: string): 'npm' | 'yarn' | null {
  if (manager.startsWith('yarn 1')) return 'yarn';
  return manager.startsWith('npm') ? 'npm' : null;
}

const ofNode = (manager: string) => /^(?:npm|yarn 1)/.test(manager);
const NEW_NPM = (name: string, more: string) =>
  `    "node_modules/${name}": {\n      "version": "1.0.0",\n      "resolved": "https://registry.npmjs.org/${name}/-/${name}-1.0.0.tgz",\n      "integrity": "sha512-${'Aa0+'.repeat(21)}Aa=="${more}\n    },\n    "node_modules/debug": {`;
const withNew = (text: string, name: string, more = '') =>
  text.replace('    "node_modules/debug": {', NEW_NPM(name, more));

const ATTACKS: readonly Attack[] = [
  ...[0, 1, 2, -1].map((place) => ({
    form: `another checksum (${place})`,
    edit: (text: string) => withOther(text, place),
    expected: CHANGED,
  })),
  {
    form: 'a checksum goes',
    edit: (text) =>
      text.replace(
        /,\n *"integrity": "[^"]+"|\n {2}integrity \S+|\n {2}checksum: \S+|\nchecksum = "[^"]+"|integrity: [^},]+/,
        '',
      ),
    expected: /^risk-lock-integrity-removed|^lockfile-unread/,
  },
  {
    form: 'another server',
    edit: (text, manager) =>
      /^(?:npm|yarn|uv)/.test(manager)
        ? text.replace(/(resolved"?:? "|registry = ")https?:\/\/[^/"]+/, '$1https://evil.example')
        : null,
    expected: /^risk-lock-(?:source-changed|name-mismatch)/,
  },
  {
    form: 'the same server by HTTP',
    edit: (text, manager) =>
      ofNode(manager) ? text.replace(/(resolved"?:? ")https:/, '$1http:') : null,
    expected: /^risk-lock-source-changed/,
  },
  {
    form: 'git in place of the registry',
    edit: (text, manager) => {
      if (manager === 'cargo') {
        return text.replace(/"registry\+[^"]+"/, '"git+https://github.com/evil/one#1111"');
      }
      const git = '$1git+ssh://git@github.com/evil/one.git#1111"';
      return ofNode(manager) ? text.replace(/(resolved"?:? ")[^"]+"/, git) : null;
    },
    expected: /^risk-lock-(?:source-changed|foreign-source)/,
  },
  {
    form: 'the archive of another package',
    edit: (text, manager) =>
      ofNode(manager) ? text.replace('/debug/-/debug-', '/evil-one/-/evil-one-') : null,
    expected: /^risk-lock-name-mismatch/,
  },
  {
    form: 'the archive of another version',
    edit: (text, manager) =>
      ofNode(manager) ? text.replace('/debug-4.3.7.tgz', '/debug-9.9.9.tgz') : null,
    expected: /^risk-lock-name-mismatch/,
  },
  {
    form: 'a new package that nothing asks for',
    edit: (text) => withNew(text, 'evil-one'),
    expected: /^risk-lock-unexplained/,
  },
  {
    form: 'a new package with an install script',
    edit: (text) => withNew(text, 'evil-one', ',\n      "hasInstallScript": true'),
    expected: /^risk-lock-install-script/,
  },
  {
    form: 'a new package with an imitated name',
    edit: (text) => withNew(text, 'lodahs'),
    expected: /^risk-lock-imitated-name/,
  },
  {
    form: 'a new package with two names in one line',
    edit: (text) =>
      text.replace(
        '    "node_modules/debug": {',
        '    "node_modules/evil": {"version": "1.0.0"}, "node_modules/debug": {',
      ),
    expected: /^(?:lockfile-unread|risk-lock-unexplained)/,
  },
];
