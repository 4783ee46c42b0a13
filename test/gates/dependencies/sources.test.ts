import test from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { readComposerLock } from '../../../src/gates/dependencies/composer.ts';
import { guardFacts } from '../../../src/gates/dependencies/guards.ts';
import { movedSourceFacts } from '../../../src/gates/dependencies/moved-sources.ts';
import { findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { diffOf, inChange, inHunk } from '../configuration/run.ts';

/** A change of one file, and what gate 1 says of it; null: nothing above low. */
type Case = readonly [path: string, before: string, after: string, expected: string | null];

/** The id and severity of the only finding above low; the line must be one of the new file. */
async function gravest([path, before, after]: Case, isWhole: boolean): Promise<string | null> {
  const findings = await (isWhole ? inChange : inHunk)(path, before, after, 3);
  const open = findings.filter(({ severity }) => severity !== 'low' && severity !== 'info');
  const lines = after.split('\n').length;
  for (const { line } of open) if ((line ?? 0) < 1 || (line ?? 0) > lines) return `line ${line}`;
  return open.length === 0 ? null : open.map(({ id, severity }) => `${id} ${severity}`).join(', ');
}

const GUARD = 'risk-install-guard-removed medium';
const SOURCE = 'risk-lock-source-changed medium';

const manager = (version: string) => `{\n  "packageManager": "pnpm@${version}"\n}\n`;
const ON_FIRST = 'ignore-scripts=true\n';
const GUARDS: readonly Case[] = [
  ['.npmrc', 'save-exact=true\nignore-scripts=true\n', 'save-exact=true\n', GUARD],
  ['a/.npmrc', 'ignore-scripts = true\n', 'ignore-scripts = false\n', GUARD],
  ['.npmrc', 'minimum-release-age=1440\n', 'minimum-release-age=0\n', GUARD],
  ['.npmrc', 'minimum-release-age=1440\n', 'minimum-release-age=2880\n', null],
  ['.npmrc', 'ignore-scripts=true\n', '# scripts\nignore-scripts = true\n', null],
  ['.npmrc', 'save-exact=true\n', 'ignore-scripts=true\n', null],
  ['pnpm-workspace.yaml', 'minimumReleaseAge: 1440\npackages:\n', 'packages:\n', GUARD],
  ['pnpm-workspace.yaml', 'trustPolicy: no-downgrade\npackages:\n', 'packages:\n', GUARD],
  ['.yarnrc.yml', 'enableScripts: false\n', 'enableTelemetry: false\n', GUARD],
  ['.yarnrc.yml', 'npmMinimalAgeGate: 3d\n', 'npmMinimalAgeGate: 7d\n', null],
  ['pip.conf', '[install]\nrequire-hashes = true\n', '[install]\ntimeout = 3\n', GUARD],
  ['requirements.txt', '--require-hashes\n', '\n', GUARD],
  ['uv.toml', 'exclude-newer = "7 days"\n', 'preview = true\n', GUARD],
  ['notes.txt', 'ignore-scripts=true\n', '\n', null],
  // A weaker value.
  ['.npmrc', 'min-release-age=30\n', 'min-release-age=1\n', GUARD],
  ['.npmrc', 'before=2026-01-01\n', 'before=2026-02-01\n', null],
  ['.npmrc', 'before=2026-01-01\n', 'before=2099-01-01\n', GUARD],
  ['.npmrc', 'min-release-age=30\n', 'min-release-age=30\nmin-release-age=0\n', GUARD],
  // However long its line is.
  ['.npmrc', ON_FIRST, `${ON_FIRST}ignore-scripts=false${' '.repeat(600)}\n`, GUARD],
  ['.npmrc', ON_FIRST, `${ON_FIRST}ignore-scripts=false ;${'x'.repeat(600)}\n`, GUARD],
  ['pnpm-workspace.yaml', 'minimumReleaseAge: 10080\n', 'minimumReleaseAge: 1\n', GUARD],
  ['pnpm-workspace.yaml', 'minimumReleaseAge: 10080\n', 'minimumReleaseAge: 10080 # 7 d\n', null],
  ['pnpm-workspace.yaml', 'trustPolicy: no-downgrade\n', 'trustPolicy: off\n', GUARD],
  ['.yarnrc.yml', 'npmMinimalAgeGate: 3d\n', 'npmMinimalAgeGate: 3h\n', GUARD],
  ['.yarnrc.yml', 'npmMinimalAgeGate: 3d\n', 'npmMinimalAgeGate: "72h"\n', null],
  ['uv.toml', 'exclude-newer = "2024-01-01"\n', 'exclude-newer = "2099-01-01"\n', GUARD],
  ['uv.toml', 'exclude-newer = "2024-01-01"\n', 'exclude-newer = "2025-01-01T00:00:00Z"\n', null],
  ['uv.toml', 'exclude-newer = "2024-01-01"\n', 'exclude-newer = "7 days"\n', null],
  ['uv.toml', 'exclude-newer = "1 week"\n', 'exclude-newer = "P7D"\n', null],
  ['uv.toml', 'exclude-newer = "1 day"\n', 'exclude-newer = "1 day 12 hours"\n', null],
  ['uv.toml', 'exclude-newer = "P1DT12H"\n', 'exclude-newer = "P1D"\n', GUARD],
  ['uv.toml', 'exclude-newer = "7 days ago"\n', 'preview = true\n', GUARD],
  ['uv.toml', 'exclude-newer = "1 week"\n', 'exclude-newer = "1 day"\n', GUARD],
  ['requirements.txt', '--only-binary :all:\n', '--only-binary=:all:\n', null],
  // pip adds up the names of several lines, and takes exceptions out of them.
  ['requirements.txt', '--only-binary :all:\n', '--only-binary :all:\n--only-binary a\n', null],
  ['requirements.txt', '--only-binary a\n--only-binary b\n', '--only-binary b\n', GUARD],
  ['requirements.txt', '--only-binary a,b\n', '--only-binary b\n--only-binary=a\n', null],
  ['requirements.txt', '--only-binary a\n', '--only-binary :all:\n', null],
  ['requirements.txt', '--only-binary :all:\n', '--only-binary :all:\n--no-binary a\n', GUARD],
  ['requirements.txt', '--only-binary a\n', '--only-binary a\n--no-binary b\n', null],
  ['pip.conf', '[install]\nonly-binary = a b\n', '[install]\nonly-binary = a\n', GUARD],
  // Each table of TOML has settings of its own.
  [
    'pyproject.toml',
    '[tool.uv]\nno-build = true\n[tool.uv.pip]\nno-build = true\n',
    '[tool.uv]\n[tool.uv.pip]\nno-build = true\n',
    GUARD,
  ],
  ['uv.toml', 'no-build = true\n[pip]\n', '[pip]\nno-build = true\n', GUARD],
  ['pyproject.toml', '[tool.acme]\nno-build = true\n', '[tool.acme]\n', null],
  ['pyproject.toml', 'a\nb\nc\nd\nno-build = true\n', 'a\nno-build = true\nb\nc\nd\n', null],
  ['.bundle/config', '---\nBUNDLE_FROZEN: "true"\n', '---\nBUNDLE_FROZEN: "false"\n', GUARD],
  ['package.json', manager('9.1.0+sha512.aa'), manager('9.1.0'), GUARD],
  ['package.json', manager('9.1.0'), manager('9.2.0'), null],
  // npm reads no setting below the name of a section.
  ['.npmrc', 'ignore-scripts=true\na=b\n', 'a=b\n[x]\nignore-scripts=true\n', GUARD],
  ['.npmrc', 'ignore-scripts=true\n', '[x]\nignore-scripts=true\n', GUARD],
];

test('a setting that makes installations safer does not go unseen', async (t) => {
  for (const one of GUARDS) {
    for (const isWhole of [true, false]) t.is(await gravest(one, isWhole), one[3], one.join('\n'));
  }
});

const removal = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n` +
  `@@ -1 +0,0 @@\n-${line}\n`;
const rename = (from: string, to: string) =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;

const HASHES = '--require-hashes\n';

test('a setting moves to another file that its tool reads', async (t) => {
  const age = 'minimum-release-age=1440';
  const workspace = 'packages:\n  - a\n';
  const uv = 'no-build = true';
  const cases: readonly (readonly [isFound: boolean, ...diffs: string[]])[] = [
    [
      false,
      removal('.npmrc', age),
      diffOf('pnpm-workspace.yaml', '\n', 'minimumReleaseAge: 1440\n', 0),
    ],
    [
      true,
      removal('.npmrc', age),
      diffOf('pnpm-workspace.yaml', '\n', 'minimumReleaseAge: 1\n', 0),
    ],
    [
      true,
      removal('.npmrc', age),
      diffOf('a/pnpm-workspace.yaml', '\n', 'minimumReleaseAge: 1440\n', 0),
    ],
    // npm, too, may read the first file, and never the second.
    [
      true,
      removal('.npmrc', 'ignore-scripts=true'),
      diffOf('pnpm-workspace.yaml', workspace, `${workspace}ignoreScripts: true\n`, 0),
    ],
    [false, removal('uv.toml', uv), diffOf('pyproject.toml', '\n', `[tool.uv]\n${uv}\n`, 0)],
    [true, removal('uv.toml', uv), diffOf('pyproject.toml', '\n', `[tool.uv.pip]\n${uv}\n`, 0)],
    // Where a uv.toml stays, uv does not read pyproject.toml.
    [
      true,
      diffOf('uv.toml', `a = 1\n${uv}\n`, 'a = 1\n', 0),
      diffOf('pyproject.toml', '\n', `[tool.uv]\n${uv}\n`, 0),
    ],
    [
      false,
      diffOf('pyproject.toml', `[tool.uv]\n${uv}\n`, '[tool.uv]\n', 3),
      diffOf('uv.toml', 'a = 1\n', `${uv}\na = 1\n`, 0),
    ],
    // Each file of pip is of an installation of its own.
    [
      true,
      diffOf('requirements.txt', `${HASHES}a==1\n`, 'a==1\n', 3),
      diffOf('requirements-dev.txt', 'b==1\n', `${HASHES}b==1\n`, 3),
    ],
    [
      true,
      diffOf('requirements.txt', `${HASHES}a==1\n`, 'a==1\n', 3),
      diffOf('requirements-dev.txt', `${HASHES}b==1\n`, `${HASHES}b==2\n`, 3),
    ],
    [
      true,
      diffOf('pip.conf', '[global]\nrequire-hashes = true\n', '[global]\n', 3),
      diffOf('requirements.txt', 'a==1\n', `${HASHES}a==1\n`, 3),
    ],
  ];
  for (const [isFound, ...diffs] of cases) {
    const findings = await findingsOf(diffs.join(''), {});
    const found = findings.some(({ id }) => id === 'risk-install-guard-removed');
    t.is(found, isFound, diffs.join(''));
  }
});

/** Milliseconds; cubic, quadratic in settings or in files it was more than ten times as much. */
const SETTINGS_CPU_MAX = 2_000;

test('settings are read in time linear in the diff, and as far as their bound', async (t) => {
  const blanks = `${`[${' '.repeat(480)}x\n`.repeat(300)}`;
  const names = Array.from({ length: 8_000 }, (_, index) => `--only-binary a${index}`).join('\n');
  const folders = Array.from({ length: 2_000 }, (_, index) =>
    removal(`a${index}/.npmrc`, 'minimum-release-age=1440'),
  ).join('');
  const guards = (diff: string) => {
    const bytes = Buffer.from(diff);
    return guardFacts(bytes, parseDiff(bytes).files, () => null, 0);
  };
  const started = process.cpuUsage();
  guards(diffOf('pyproject.toml', blanks, '\n', 0));
  const crowded = guards(diffOf('requirements.txt', `${names}\n`, '\n', 0));
  t.is(guards(folders).length, 2_000);
  const { user, system } = process.cpuUsage(started);
  t.true((user + system) / 1_000 < SETTINGS_CPU_MAX, `${(user + system) / 1_000} ms`);
  t.true(crowded.some(({ fact }) => fact.detail.includes('more than 1000 settings')));
});

const rack = (more: string) => `source "https://rubygems.org"\ngem "rack"${more}\n`;
const serde = (more: string) => `[dependencies]\nserde = ${more}\n`;
const uv = (more: string) => `[project]\nname = "a"\n${more}`;
const index = (more: string) =>
  `[[tool.uv.index]]\nname = "acme"\nurl = "https://pypi.acme.io/simple"\n${more}`;
const poetry = (more: string) => index(more).replace('tool.uv.index', 'tool.poetry.source');
const mirror = (host: string) =>
  `<settings>\n  <mirrors>\n    <mirror>\n      <mirrorOf>*</mirrorOf>\n` +
  `      <url>https://${host}/m2</url>\n    </mirror>\n  </mirrors>\n</settings>\n`;
const substitute = (to: string) =>
  `configurations.all {\n  substitute module("org.a:b") using ${to}\n}\n`;
const trust = (more: string) =>
  '<verification-metadata>\n  <configuration>\n    <trusted-artifacts>\n' +
  `${more}    </trusted-artifacts>\n  </configuration>\n</verification-metadata>\n`;
const TRUSTED = '      <trust group="org.a"/>\n';

const npm = (line: string) => `{\n  "dependencies": {\n    ${line}\n  }\n}\n`;
const engines = (node: string) => `{\n  "engines": {\n    "node": "${node}"\n  }\n}\n`;

const MOVED: readonly Case[] = [
  // From a registry, or another owner, to a repository.
  ['Gemfile', rack(''), rack(', git: "https://github.com/evil/rack"'), SOURCE],
  ['Gemfile', rack(', "~> 3"'), rack(',\n  github: "evil/rack"'), SOURCE],
  ['Gemfile', rack(''), rack(", :git => 'https://evil.io/rack.git'"), SOURCE],
  ['Gemfile', rack(''), rack(', { git: "https://evil.io/rack.git" }'), SOURCE],
  ['Gemfile', rack(''), rack(', {git: "https://evil.io/rack.git"}'), SOURCE],
  ['Gemfile', rack(''), rack(', "git": "https://evil.io/rack.git"'), SOURCE],
  ['Gemfile', rack(''), rack(', git:\n  "https://evil.io/rack.git"'), SOURCE],
  ['Gemfile', rack(''), rack(', \\\n  git: "https://evil.io/rack.git"'), SOURCE],
  ['Gemfile', rack(''), rack(', {path: "/opt/evil"}'), SOURCE],
  ['Gemfile', rack(', "a # b"'), rack(', "a # b", github: "evil/rack"'), SOURCE],
  ['Gemfile', rack(', github: "rack/rack"'), rack(', github: "evil/rack"'), SOURCE],
  ['Gemfile', rack(', github: "rack/rack"'), rack(', github: "rack/rack", ref: "a"'), null],
  ['Gemfile', rack(', github: "rack/rack"'), rack(', "~> 3.1"'), null],
  ['Gemfile', rack(''), rack(', "~> 3.1" # github: "evil/rack"'), null],
  ['Gemfile', rack(''), rack('\ngem "acme", github: "acme/acme"'), null],
  ['Cargo.toml', serde('"1"'), serde('{ git = "https://github.com/evil/serde" }'), SOURCE],
  [
    'Cargo.toml',
    '[dependencies.serde]\nversion = "1"\n',
    '[dependencies.serde]\ngit = "https://github.com/evil/serde"\n',
    SOURCE,
  ],
  ['Cargo.toml', serde('"1"'), serde('{ "git" = "https://github.com/evil/serde" }'), SOURCE],
  ['Cargo.toml', serde('"1"'), serde("{ 'git'='https://github.com/evil/serde' }"), SOURCE],
  ['Cargo.toml', serde('"1"'), serde('{ "path" = "/tmp/serde" }'), SOURCE],
  [
    'Cargo.toml',
    '[dependencies]\nserde = "1"\n',
    '[dependencies]\n"serde"."git" = "https://github.com/evil/serde"\n',
    SOURCE,
  ],
  ['Cargo.toml', serde('"1"'), serde('{ version = "1", features = ["git"] }'), null],
  ['pyproject.toml', uv(''), uv('[tool.uv.sources]\nb = { git = "https://evil.io/b" }\n'), SOURCE],
  ['pyproject.toml', uv(''), uv('[tool.uv.sources]\nb = { workspace = true }\n'), null],
  [
    'pyproject.toml',
    uv('dependencies = [\n]\n'),
    uv('dependencies = [\n  "b",\n]\n[tool.uv.sources]\nb = { git = "https://acme.io/b" }\n'),
    null,
  ],
  ['package.json', npm('"a": "^1.0.0"'), npm('"a": "evil/a"'), SOURCE],
  ['package.json', npm('"a": "^1.0.0"'), npm('"a": "git+https://evil.io/a"'), SOURCE],
  ['package.json', npm('"npm": "^1.0.0"'), npm('"npm": "evil/npm"'), SOURCE],
  ['package.json', npm('"a": {\n"b": "1.0.0"\n}'), npm('"a": {\n"b": "evil/b"\n}'), SOURCE],
  ['package.json', npm('"a": "^1.0.0"'), npm('"a": "evil/a.js"'), SOURCE],
  ['package.json', '{\n  "main": "lib/a.js"\n}\n', '{\n  "main": "dist/a.js"\n}\n', null],
  ['package.json', engines('>=18'), engines('lts/iron'), null],
  ['package.json', '{\n  "c": "git push a"\n}\n', '{\n  "c": "git push --tags"\n}\n', null],
  [
    'Cargo.toml',
    serde('{ git = "https://a.io/acme/b" }'),
    serde('{ git = "https://a.io/evil/b" }'),
    SOURCE,
  ],
  [
    'Cargo.toml',
    '[package.metadata.rpm]\n',
    '[package.metadata.rpm]\na = { path = "/usr/bin/a" }\n',
    null,
  ],
  ['package.json', '{\n  "homepage": "a/b"\n}\n', '{\n  "homepage": "c/d"\n}\n', null],
  // A folder outside of the repository.
  ['settings.gradle', 'include "a"\n', 'include "a"\nincludeBuild "../evil"\n', SOURCE],
  ['a/settings.gradle', 'include "a"\n', 'include "a"\nincludeBuild "../logic"\n', null],
  ['settings.gradle.kts', '\n', 'includeBuild("$rootDir/../evil")\n', SOURCE],
  ['Cargo.toml', serde('"1"'), serde('{ path = "/tmp/serde" }'), SOURCE],
  ['b/Cargo.toml', serde('"1"'), serde('{ path = "../serde" }'), null],
  // Modules in place of others.
  ['build.gradle', substitute('module("org.a:b:1")'), substitute('module("io.evil:b:1")'), SOURCE],
  ['build.gradle', substitute('project(":c")'), substitute('module("org.a:b:1.1")'), null],
  ['build.gradle', substitute('project(":c")'), substitute('module("org.slf4j:b:1")'), null],
  ['build.gradle', 'a\n', 'a\nd.useTarget("io.evil:b:1")\n', SOURCE],
  // Indexes that serve what nobody asks them for.
  ['pyproject.toml', index('explicit = true\n'), index(''), GUARD],
  ['pyproject.toml', index('explicit = true\n'), index('explicit = false\n'), GUARD],
  ['pyproject.toml', index(''), index('explicit = true\n'), null],
  ['pyproject.toml', index('explicit = true\n'), 'a = 1\n', null],
  [
    'pyproject.toml',
    poetry('priority = "explicit"\n'),
    poetry('priority = "supplemental"\n'),
    GUARD,
  ],
  // Servers whose address alone changes.
  ['settings.xml', mirror('repo.acme.io'), mirror('evil.io'), SOURCE],
  ['settings.xml', '<a/>\n', mirror('evil.io').replace('<mirror>', '<mirror >'), SOURCE],
  ['settings.xml', mirror('evil.io'), mirror('repo.maven.apache.org'), null],
  ['settings.xml', '<a>\n<url>b</url>\n</a>\n', '<a>\n<url>c</url>\n</a>\n', null],
  [
    'requirements.txt',
    'a==1\n',
    '-f https://download.pytorch.org/whl/torch_stable.html\na==1\n',
    null,
  ],
];

test('a line of a manifest that takes a dependency from elsewhere is found', async (t) => {
  for (const one of MOVED) {
    for (const isWhole of [true, false]) t.is(await gravest(one, isWhole), one[3], one.join('\n'));
  }
});

test('an artifact that is trusted without a checksum is found where no other has one', async (t) => {
  const path = 'gradle/verification-metadata.xml';
  const found = 'risk-lock-integrity-removed high';
  t.is(await gravest([path, trust(''), trust(TRUSTED), null], true), found);
  const sources = '      <trust file=".*-sources[.]jar" regex="true"/>\n';
  t.is(await gravest([path, trust(''), trust(sources), null], true), null);
  t.is(await gravest([path, trust(TRUSTED), trust(TRUSTED + sources), null], true), null);
  const explained = '      <trust regex="true" reason="no code" file=".*-javadoc[.]jar"/>\n';
  t.is(await gravest([path, trust(''), trust(explained), null], true), null);
  for (const attack of [
    `group="a" reason="file='.*-sources[.]jar' regex='true'"`,
    'file=".*-sources[.]jar" regex="false"',
    'file=".*-sources[.]jar|.*" regex="true"',
  ]) {
    const text = trust(`      <trust ${attack}/>\n`);
    t.is(await gravest([path, trust(''), text, null], true), found, attack);
  }
});

test('sources are compared in time linear in the diff, and as far as their bound', (t) => {
  const facts = (path: string, text: string) => {
    const bytes = Buffer.from(diffOf(path, '\n', text, 0));
    return parseDiff(bytes).files.flatMap((file) => movedSourceFacts(bytes, file));
  };
  const started = process.cpuUsage();
  for (const path of ['Gemfile', 'Cargo.toml', 'package.json', 'settings.gradle']) {
    for (const part of [
      'gem "a", ',
      'a = { ',
      '"a": "',
      'module("',
      'includeBuild "',
      '[a.',
      ' # ',
    ]) {
      facts(path, `${part.repeat(200_000 / part.length)}\n`);
      facts(path, `${part}\n`.repeat(10_000));
    }
  }
  const { user, system } = process.cpuUsage(started);
  t.true((user + system) / 1_000 < SOURCES_CPU_MAX, `${(user + system) / 1_000} ms`);
  const outside = Array.from({ length: 1_001 }, (_, at) => `includeBuild "../a${at}"\n`).join('');
  const crowded = facts('settings.gradle', outside);
  t.is(crowded.length, 1_001);
  t.regex(crowded.at(-1)?.fact.detail ?? '', /More than 1000 lines/);
});

/** Milliseconds; of 280,000 lines and 28 long ones. */
const SOURCES_CPU_MAX = 4_000;

/** A lockfile of Composer; each package has these members besides its own. */
function composerLock(...packages: readonly object[]): string {
  const listed = packages.map((one, index) => ({
    name: `acme/p${index}`,
    version: '1.0.0',
    type: 'library',
    ...one,
  }));
  return `${JSON.stringify({ packages: listed, 'packages-dev': [] }, null, 4)}\n`;
}

test('options, types and names in a lockfile of Composer are compared as Composer does', async (t) => {
  const idsOf = async (before: string, after: string, isWhole: boolean) => {
    const findings = await (isWhole ? inChange : inHunk)('composer.lock', before, after, 99);
    return findings.map(({ id }) => id).filter((id) => /lock-(?!alone|major)/.test(id));
  };
  const safe = { 'transport-options': { ssl: { cafile: '/ca.pem' } } };
  const unsafe = { 'transport-options': { ssl: { verify_peer: false } } };
  for (const isWhole of [true, false]) {
    // Options of one package say nothing of another, and a new option is one of any context.
    const of = (...now: readonly object[]) =>
      idsOf(composerLock(safe, {}), composerLock(...now), isWhole);
    t.deepEqual(await of(safe, unsafe), ['risk-lock-source-changed']);
    t.deepEqual(await of(unsafe, {}), ['risk-lock-source-changed']);
    // Composer compares names and types in lower case.
    const plugin = [{}, { type: 'Composer-Plugin' }].map((one) => composerLock(one));
    t.deepEqual(await idsOf(plugin[0] ?? '', plugin[1] ?? '', isWhole), [
      'risk-lock-install-script',
    ]);
    const required = composerLock(
      { require: { 'Acme/P1': '^1' }, version: '1.0.1' },
      { name: 'Acme/P1' },
    );
    t.deepEqual(await idsOf(composerLock({}), required, isWhole), []);
  }
  const many = composerLock({}).replace('"type"', `${'"url": "x",\n'.repeat(100)}"type"`);
  const crowded = `"source": {\n${'"url": "x",\n'.repeat(80_000)}"type": "git"\n},\n"type"`;
  const started = process.cpuUsage();
  const text = composerLock({}).replace('"type"', crowded);
  t.regex(readComposerLock(text, true).problem ?? '', /more than 100 addresses/);
  t.is(readComposerLock(many, true).problem, null);
  const { user, system } = process.cpuUsage(started);
  t.true((user + system) / 1_000 < SETTINGS_CPU_MAX, `${(user + system) / 1_000} ms`);
});

test('an acceptance holds for one file of settings, one checksum and one commit', async (t) => {
  const fingerprintOf = async (path: string, before: string, after: string) => {
    const [one] = (await inHunk(path, before, after, 9)).filter(
      ({ severity }) => severity !== 'info',
    );
    return one?.fingerprint;
  };
  const guard = (path: string) => fingerprintOf(path, 'ignore-scripts=true\n', '\n');
  t.not(await guard('.npmrc'), await guard('tools/.npmrc'));
  const lock = (sum: string) => `a==1.0 \\\n    --hash=sha256:${sum.repeat(64)}\n`;
  const sum = (to: string) => fingerprintOf('requirements.txt', lock('a'), lock(to));
  t.is(await sum('b'), await sum('b'));
  t.not(await sum('b'), await sum('c'));
  const pinned = (digit: string) => step(`acme/lint@${digit.repeat(40)} # v1.2.3`);
  const sri = (letter: string) => `sha512-${Buffer.alloc(64, letter).toString('base64')}`;
  const npm = (integrity: string) =>
    `{\n  "lockfileVersion": 3,\n  "packages": {\n    "": {},\n    "node_modules/a": {\n      "version": "1.0.0",\n      "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz",\n      "integrity": "${integrity}"\n    }\n  }\n}\n`;
  const archive = (to: string) => fingerprintOf('package-lock.json', npm(sri('a')), npm(to));
  t.not(await archive(sri('b')), undefined);
  t.not(await archive(sri('b')), await archive(`${sri('b')} ${sri('c')}`));
  const composer = (dist: string, source: string) =>
    composerLock({ source: { reference: source }, dist: { reference: dist } });
  const reference = (dist: string, source: string) =>
    fingerprintOf('composer.lock', composer('a', 'a'), composer(dist, source));
  t.not(await reference('b', 'a'), undefined);
  t.not(await reference('b', 'a'), await reference('b', 'c'));
  const commit = (to: string) => fingerprintOf(WORKFLOW, pinned('a'), pinned(to));
  t.not(await commit('b'), await commit('c'));
});

test('such a setting goes with its file, too', async (t) => {
  const isFound = async (diff: string, path?: string, text = '') => {
    const base = { side: 'base', path: path ?? '', state: 'read' } as const;
    const files = path === undefined ? null : [{ ...base, bytes: Buffer.from(text) }];
    const findings = await findingsOf(diff, { files });
    return findings.some(({ id }) => id === 'risk-install-guard-removed');
  };
  t.true(await isFound(removal('.npmrc', 'ignore-scripts=true')));
  t.false(await isFound(removal('.npmrc', 'save-exact=true')));
  t.false(await isFound(removal('requirements.txt', '--require-hashes')));
  for (const to of ['npmrc.bak', 'old/.npmrc', 'pnpm-workspace.yaml']) {
    t.true(await isFound(rename('.npmrc', to), '.npmrc', 'a=b\nignore-scripts=true\n'), to);
    t.false(await isFound(rename('.npmrc', to), '.npmrc', 'save-exact=true\n'), to);
    // Nobody sees what a posted diff does not show.
    t.true(await isFound(rename('.npmrc', to)), to);
  }
  t.false(await isFound(rename('requirements.txt', 'requirements-dev.txt')));
  // A project that moves takes its settings with it.
  for (const [old, now] of [
    ['api/.npmrc', 'services/api/.npmrc'],
    ['requirements.txt', 'requirements/base.txt'],
    ['pyproject.toml', 'api/pyproject.toml'],
  ] as const) {
    t.false(await isFound(rename(old, now)), old);
  }
  const wanted = wantedFiles(Buffer.from(rename('.npmrc', 'x')), gateTools().rules);
  t.true(wanted.some(({ side, path }) => side === 'base' && path === '.npmrc'));
});

const DIGESTS = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`);
const from = (image: string, before = '') => `${before}FROM ${image}\nUSER node\n`;
const WORKFLOW = '.github/workflows/a.yml';
const step = (action: string) => `      - uses: ${action}\n`;
const compose = (image: string) => `services:\n  db:\n    image: ${image}\n`;
const IMAGES: readonly Case[] = [
  ['Dockerfile', from('node:20'), from('reg.evil.io/library/node:20'), SOURCE],
  ['Dockerfile', from(`node:20@${DIGESTS[0]}`), from(`reg.evil.io/node:20@${DIGESTS[1]}`), SOURCE],
  // One digest is one content, wherever it comes from.
  ['Dockerfile', from(`node@${DIGESTS[0]}`), from(`reg.acme.io/node@${DIGESTS[0]}`), null],
  ['Dockerfile', from('node:20'), from('docker.io/library/node:22'), null],
  ['Dockerfile', from('node:20'), from('reg.evil.io/other:1'), null],
  ['Dockerfile', from('reg.acme.io:5000/node:20'), from('reg.acme.io:5000/node:22'), null],
  ['Dockerfile', from('$REGISTRY/node:20'), from('node:22'), null],
  ['compose.yaml', compose('postgres:16'), compose('localhost:5000/postgres:16'), SOURCE],
  ['compose.yaml', compose('"ghcr.io/acme/db:1"'), compose('"ghcr.io/acme/db:2"'), null],
  ['Dockerfile', from('a', 'ARG BASE=node:20\n'), from('a', 'ARG BASE=evil.io/node:20\n'), SOURCE],
  ['Dockerfile', from('a', 'ARG LEVEL=node:20\n'), from('a', 'ARG LEVEL=evil.io/node:20\n'), null],
  ...['COPY --link --from=box:1 /a /b', 'RUN --mount=type=bind,from=box:1,target=/a make'].map(
    (line): Case => [
      'Dockerfile',
      from('a', `${line}\n`),
      from('a', `${line.replace('box', 'evil.io/box')}\n`),
      SOURCE,
    ],
  ),
  ['values.yaml', 'repository: acme/api\n', 'repository: evil.io/acme/api\n', SOURCE],
  [WORKFLOW, step('docker://alpine:3'), step('docker://evil.io/alpine:3'), SOURCE],
  [WORKFLOW, '    container: node:20\n', '    container: evil.io/node:20\n', SOURCE],
  // Actions and repositories of pre-commit from another owner.
  [WORKFLOW, step('actions/checkout@v4'), step('evil/checkout@v4'), SOURCE],
  [
    WORKFLOW,
    step('acme/ci/.github/workflows/a.yml@v1'),
    step('evil/ci/.github/workflows/a.yml@v1'),
    SOURCE,
  ],
  [WORKFLOW, step(`acme/lint@${'a'.repeat(40)}`), step(`more/lint@${'a'.repeat(40)}`), null],
  [WORKFLOW, step('actions/checkout@v4'), step('actions/checkout@v5'), null],
  [WORKFLOW, step('./tools/a'), step('./other/a'), null],
  [
    '.pre-commit-config.yaml',
    '- repo: https://github.com/psf/black\n',
    '- repo: https://github.com/evil/black\n',
    SOURCE,
  ],
  [
    '.pre-commit-config.yaml',
    '- repo: https://github.com/psf/black\n',
    '- repo: https://github.com/PSF/black.git\n',
    null,
  ],
];

test('an image that comes from another registry is found', async (t) => {
  for (const one of IMAGES) {
    const found = await gravest(one, false);
    // Other rules look at images as well.
    t.is(found?.includes(SOURCE) ?? false, one[3] !== null, `${one.join('\n')}${found}`);
  }
});

const SUMS = ['a', 'b'].map((digit) => `distributionSha256Sum=${digit.repeat(64)}\n`);
const wrapper = (version: string, sum = '') =>
  `distributionUrl=https\\://services.gradle.org/distributions/gradle-${version}.zip\n${sum}`;
const GRADLE = 'gradle/wrapper/gradle-wrapper.properties';
const maven = (sum: string) =>
  `wrapperUrl=https://repo.maven.apache.org/maven2/maven-wrapper-3.2.0.jar\nwrapperSha256Sum=${sum}\n`;
const WRAPPERS: readonly Case[] = [
  [
    GRADLE,
    wrapper('8.9-bin', SUMS[0]),
    wrapper('8.9-bin', SUMS[1]),
    'risk-lock-integrity-changed critical',
  ],
  [GRADLE, wrapper('8.9-bin', SUMS[0]), wrapper('8.9-bin'), 'risk-lock-integrity-removed high'],
  [GRADLE, wrapper('8.9-bin', SUMS[0]), wrapper('8.10-bin'), 'risk-lock-integrity-removed medium'],
  [GRADLE, wrapper('8.9-bin', SUMS[0]), wrapper('8.10-bin', SUMS[1]), null],
  [GRADLE, wrapper('8.9-bin', SUMS[0]), wrapper('8.9-all', SUMS[1]), null],
  [GRADLE, wrapper('8.9-bin'), wrapper('8.10-bin'), null],
  [
    '.mvn/wrapper/maven-wrapper.properties',
    maven('a'.repeat(64)),
    maven('b'.repeat(64)),
    'risk-lock-integrity-changed critical',
  ],
];

test('the checksum of a wrapper of Gradle or Maven goes with its version', async (t) => {
  for (const one of WRAPPERS) {
    for (const isWhole of [true, false]) t.is(await gravest(one, isWhole), one[3], one.join('\n'));
  }
});

const provider = (address: string, digit = 'a') =>
  `provider "${address}" {\n  version = "5.0.0"\n  hashes = [\n    "h1:${digit.repeat(43)}=",\n  ]\n}\n`;
const AWS = provider('registry.terraform.io/hashicorp/aws');
const LOCK = '.terraform.lock.hcl';
const PROVIDERS: readonly Case[] = [
  [LOCK, AWS, provider('registry.evil.io/hashicorp/aws'), 'risk-lock-source-changed high'],
  [LOCK, AWS, provider('registry.opentofu.org/hashicorp/aws'), null],
  // OpenTofu builds providers itself.
  [LOCK, AWS, provider('registry.opentofu.org/hashicorp/aws', 'b'), null],
  [
    LOCK,
    AWS,
    'provider "registry.opentofu.org/hashicorp/aws" {\n  version = "5.0.0"\n}\n',
    'risk-lock-integrity-removed high',
  ],
  [
    LOCK,
    provider('registry.opentofu.org/hashicorp/aws'),
    provider('registry.opentofu.org/hashicorp/aws', 'b'),
    'risk-lock-integrity-changed critical',
  ],
  [LOCK, AWS, `${AWS}\n${provider('registry.terraform.io/hashicorp/tls')}`, null],
  [LOCK, AWS, `${AWS}\n${provider('registry.evil.io/acme/tls')}`, 'risk-lock-foreign-source high'],
  [
    'main.tf',
    'terraform {\n  required_providers {\n    aws = { source = "hashicorp/aws", version = "5.0.0" }\n  }\n}\n',
    'terraform {\n  required_providers {\n    aws = { source = "reg.evil.io/hashicorp/aws", version = "5.0.0" }\n  }\n}\n',
    SOURCE,
  ],
];

test('a provider of Terraform that comes from another registry is found', async (t) => {
  for (const one of PROVIDERS) t.is(await gravest(one, true), one[3], one.join('\n'));
});

test('a finding on another source that was accepted hides no move to a third one', async (t) => {
  const npm = (source: string) =>
    `{\n  "lockfileVersion": 3,\n  "packages": {\n    "": {},\n    "node_modules/a": {\n      "version": "1.0.0",\n      "resolved": "${source}"\n    }\n  }\n}\n`;
  const cases = [
    [LOCK, AWS, (host: string) => provider(`${host}/hashicorp/aws`)],
    [LOCK, AWS, (host: string) => `${AWS}\n${provider(`${host}/acme/tls`)}`],
    [
      'package-lock.json',
      npm('https://registry.npmjs.org/a/-/a-1.0.0.tgz'),
      (host: string) => npm(`https://${host}/a/-/a-1.0.0.tgz`),
    ],
  ] as const;
  for (const [path, before, after] of cases) {
    const fingerprintsOf = async (host: string) => {
      const findings = await inChange(path, before, after(host));
      return findings
        .filter(({ id }) => /source-changed|foreign-source/.test(id))
        .map(({ fingerprint }) => fingerprint);
    };
    const [one = '', ...others] = await fingerprintsOf('reg.acme.io');
    t.deepEqual(others, []);
    t.deepEqual(await fingerprintsOf('reg.acme.io'), [one]);
    t.notDeepEqual(await fingerprintsOf('reg.evil.io'), [one]);
  }
});

const repository = (url: string, tag = 'repository') =>
  `    <${tag}>\n      <id>a</id>\n      <url>${url}</url>\n    </${tag}>\n`;
const servers = (list: string, more = '') =>
  `<project>\n  <${list}>\n${repository('https://m2.acme.io')}${more}  </${list}>\n</project>\n`;
const REPOSITORIES: readonly Case[] = [
  [
    'pom.xml',
    servers('repositories'),
    servers('repositories', repository('https://m2.evil.io')),
    SOURCE,
  ],
  [
    'pom.xml',
    servers('pluginRepositories'),
    servers('pluginRepositories', repository('https://m2.evil.io', 'pluginRepository')),
    SOURCE,
  ],
  // Where the own package goes.
  [
    'pom.xml',
    servers('distributionManagement'),
    servers('distributionManagement', repository('https://m2.evil.io')),
    null,
  ],
  [
    'pom.xml',
    servers('repositories'),
    servers('repositories', repository('https://repo.maven.apache.org/maven2')),
    null,
  ],
];

test('a server that joins others in a pom.xml is found', async (t) => {
  for (const one of REPOSITORIES) t.is(await gravest(one, true), one[3], one.join('\n'));
});

const depends = (name: string, range: string) =>
  `{\n  "dependencies": {\n    "${name}": "${range}"\n  }\n}\n`;

test('a manifest that puts a little used package in place of a much used one is found', async (t) => {
  for (const [name, range, expected] of [
    ['lodash', 'npm:acme-lodash-fork@^4.0.0', 'risk-lock-name-mismatch medium'],
    ['lodash', 'npm:lodash-es@^4.0.0', null],
    ['acme', 'npm:acme-lodash-fork@^4.0.0', null],
    ['utils', 'npm:lodahs@^4.0.0', 'risk-lock-imitated-name high'],
  ] as const) {
    t.is(
      await gravest(['package.json', depends('a', '1'), depends(name, range), ''], false),
      expected,
    );
  }
});

const pipfile = (sum: string, index: string, version: string) =>
  `${JSON.stringify(
    {
      _meta: {
        sources: ['pypi.org', 'pypi.acme.io'].map((host) => ({
          name: host,
          url: `https://${host}/simple`,
          verify_ssl: true,
        })),
      },
      default: { 'acme-core': { hashes: [`sha256:${sum.repeat(64)}`], index, version } },
    },
    null,
    4,
  )}\n`;

test('a package of Pipfile.lock that goes to another index is found', async (t) => {
  const before = pipfile('a', 'pypi.acme.io', '==1.0.0');
  const found = async (after: string) =>
    (await inChange('Pipfile.lock', before, after)).map(({ id }) => id);
  t.true((await found(pipfile('b', 'pypi.org', '==9.0.0'))).includes('risk-lock-source-changed'));
  t.false(
    (await found(pipfile('b', 'pypi.acme.io', '==1.0.1'))).includes('risk-lock-source-changed'),
  );
  // The addresses of indexes may stand below the packages.
  const turned = (text: string) => {
    const { _meta, ...rest } = JSON.parse(text) as Record<string, unknown>;
    return `${JSON.stringify({ ...rest, _meta }, null, 4)}\n`;
  };
  const moved = await inChange(
    'Pipfile.lock',
    turned(before),
    turned(pipfile('b', 'pypi.org', '==9.0.0')),
  );
  t.true(moved.some(({ id }) => id === 'risk-lock-source-changed'));
});
