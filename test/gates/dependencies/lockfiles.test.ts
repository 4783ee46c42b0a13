import test from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { readGemfileLock } from '../../../src/gates/dependencies/bundler.ts';
import { inspectDependencies } from '../../../src/gates/dependencies/inspect.ts';
import { readPnpmLock } from '../../../src/gates/dependencies/pnpm.ts';
import { readTomlLock } from '../../../src/gates/dependencies/toml-locks.ts';
import { readYarnLock } from '../../../src/gates/dependencies/yarn.ts';
import type { Severity } from '../../../src/model/finding.ts';
import { findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { someOf } from '../../some-cases.ts';
import { cpuOf, diffOf, inChange, inHunk, inNewFile } from '../configuration/run.ts';
import { newFile } from '../patterns/scan-text.ts';
import * as texts from './lockfile-texts.ts';

const { SHA512 } = texts;
/** Nobody is asked about new packages. */
const ALONE = { trees: null, fingerprintKey: new Uint8Array(32), registry: null, nowMs: 0 };

/** The ids of what gate 1 says of a lockfile, but that it changes alone, as each one here does. */
const idsOf = (findings: readonly { id: string }[]) =>
  [...new Set(findings.map(({ id }) => id))].filter((id) =>
    /^(?:risk-lock-(?!alone)|lockfile)/.test(id),
  );

interface Attack {
  title: string;
  path: string;
  text: string;
  edits: readonly (readonly [from: string | RegExp, to: string])[];
  expected: readonly string[];
  /** What a hunk alone cannot show; absent: the same. */
  inHunk?: readonly string[];
}

const CHANGED = ['risk-lock-integrity-changed'];
const REMOVED = ['risk-lock-integrity-removed'];
const MOVED = ['risk-lock-source-changed'];
const MISMATCH = ['risk-lock-name-mismatch'];

const newNpm = (name: string, more = '') =>
  `    "node_modules/${name}": {
      "version": "1.0.0",
      "resolved": "https://registry.npmjs.org/${name}/-/${name.replace(/^.*\//, '')}-1.0.0.tgz",
      "integrity": "${SHA512('d')}"${more}
    },
    "node_modules/express": {`;
const EXPRESS = '    "node_modules/express": {';
/** What a version depends on never changes. */
const UPDATED = [
  ['"version": "2.1.0"', '"version": "2.2.0"'],
  ['acme-tool-2.1.0.tgz', 'acme-tool-2.2.0.tgz'],
] as const;

const ATTACKS: readonly Attack[] = [
  ...(
    [
      ['package-lock.json', texts.NPM_3, SHA512('a'), SHA512('x')],
      ['npm-shrinkwrap.json', texts.NPM_1, SHA512('b'), SHA512('x')],
      ['yarn.lock', texts.YARN_1, SHA512('b'), SHA512('x')],
      ['yarn.lock', texts.YARN_4, 'b'.repeat(128), 'f'.repeat(128)],
      // The name stands more than three lines above.
      ['yarn.lock', texts.YARN_4, 'a'.repeat(128), 'f'.repeat(128)],
      ['pnpm-lock.yaml', texts.PNPM_9, SHA512('b'), SHA512('x')],
      ['pnpm-lock.yaml', texts.PNPM_5, SHA512('a'), SHA512('x')],
      ['Cargo.lock', texts.CARGO, 'b'.repeat(64), 'f'.repeat(64)],
      ['poetry.lock', texts.POETRY, 'c'.repeat(64), 'f'.repeat(64)],
      ['uv.lock', texts.UV, 'b'.repeat(64), 'f'.repeat(64)],
      ['requirements.txt', texts.REQUIREMENTS, 'd'.repeat(64), 'f'.repeat(64)],
      ['go.sum', texts.GO_SUM, 'b'.repeat(43), 'f'.repeat(43)],
      ['go.sum', texts.GO_SUM, 'c'.repeat(43), 'f'.repeat(43)],
      [
        'composer.lock',
        texts.COMPOSER,
        /1{40}",\n {16}"shasum/,
        `${'2'.repeat(40)}",\n                "shasum`,
      ],
      ['Gemfile.lock', texts.GEMFILE, 'b'.repeat(64), 'f'.repeat(64)],
      ['gradle/verification-metadata.xml', texts.GRADLE, 'b'.repeat(64), 'f'.repeat(64)],
    ] as const
  ).map(([path, text, from, to], index) => ({
    title: `${path} (${index}): another checksum at the same version`,
    path,
    text,
    edits: [[from, to] as const],
    expected: path === 'composer.lock' ? [...CHANGED, ...MISMATCH] : CHANGED,
    // The version of a dist stands too far away.
    ...(path === 'composer.lock' ? { inHunk: [] } : {}),
  })),
  {
    title: 'Pipfile.lock: all checksums are others at the same version',
    path: 'Pipfile.lock',
    text: texts.PIPFILE,
    edits: [
      ['b'.repeat(64), 'f'.repeat(64)],
      ['c'.repeat(64), '9'.repeat(64)],
    ],
    expected: CHANGED,
  },
  {
    title: 'requirements: one more checksum at the same version',
    path: 'requirements.txt',
    text: texts.REQUIREMENTS,
    edits: [[/( {4}--hash=sha256:b+ \\\n)/, `$1    --hash=sha256:${'9'.repeat(64)} \\\n`]],
    expected: ['risk-lock-integrity-added'],
  },
  {
    title: 'package-lock.json: a second checksum of the same algorithm',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [[SHA512('a'), `${SHA512('a')} ${SHA512('x')}`]],
    expected: ['risk-lock-integrity-added'],
  },
  {
    title: 'package-lock.json: a weaker algorithm',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [[SHA512('a'), 'sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaa=']],
    expected: REMOVED,
  },
  ...(
    [
      ['package-lock.json', texts.NPM_3, /\n {6}"integrity": "sha512-a[^\n]*/],
      ['yarn.lock', texts.YARN_1, /\n {2}integrity sha512-b[^\n]*/],
      ['Cargo.lock', texts.CARGO, /\nchecksum[^\n]*/],
      ['pnpm-lock.yaml', texts.PNPM_9, /integrity: [^},]+/],
    ] as const
  ).map(([path, text, from]) => ({
    title: `${path}: the checksum goes`,
    path,
    text,
    edits: [[from, ''] as const],
    expected: REMOVED,
  })),
  {
    title: 'package-lock.json: the tarball of another package under a new version',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"version": "2.1.0"', '"version": "2.1.1"'],
      ['acme-tool/-/acme-tool-2.1.0.tgz', 'evil-tool/-/evil-tool-2.1.1.tgz'],
      [SHA512('a'), SHA512('x')],
    ],
    expected: MISMATCH,
  },
  {
    title: 'package-lock.json: the tarball of a package outside the scope',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [['@acme/core/-/core-1.4.0.tgz', 'core/-/core-1.4.0.tgz']],
    expected: MISMATCH,
  },
  {
    title: 'package-lock.json: the archive of another version',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [['/acme-tool-2.1.0.tgz', '/acme-tool-9.9.9.tgz']],
    expected: MISMATCH,
  },
  {
    title: 'yarn.lock: the tarball of another package',
    path: 'yarn.lock',
    text: texts.YARN_1,
    edits: [['acme-tool/-/acme-tool-2.1.0.tgz', 'evil-tool/-/evil-tool-2.1.0.tgz']],
    expected: MISMATCH,
  },
  ...(
    [
      [
        'package-lock.json',
        texts.NPM_3,
        'https://registry.npmjs.org/acme-tool',
        'https://npm.evil.example/acme-tool',
      ],
      [
        'package-lock.json',
        texts.NPM_3,
        'https://registry.npmjs.org/acme-tool',
        'http://registry.npmjs.org/acme-tool',
      ],
      [
        'package-lock.json',
        texts.NPM_3,
        'https://registry.npmjs.org/acme-tool/-/acme-tool-2.1.0.tgz',
        'git+ssh://git@github.com/evil/acme-tool.git#1111',
      ],
      [
        'yarn.lock',
        texts.YARN_1,
        'https://registry.yarnpkg.com/acme-tool',
        'https://npm.evil.example/acme-tool',
      ],
      [
        'Cargo.lock',
        texts.CARGO,
        'registry+https://github.com/rust-lang/crates.io-index',
        'git+https://github.com/evil/core#1111',
      ],
      ['uv.lock', texts.UV, 'https://pypi.org/simple', 'https://pypi.evil.example/simple'],
      [
        'composer.lock',
        texts.COMPOSER,
        'https://api.github.com/repos',
        'https://evil.example/repos',
      ],
    ] as const
  ).map(([path, text, from, to], index) => ({
    title: `${path} (${index}): the package comes from another server`,
    path,
    text,
    edits: [[from, to] as const],
    expected: MOVED,
  })),
  {
    title: 'package-lock.json: a new package with an install script that nothing asks for',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [[EXPRESS, newNpm('evil-build', ',\n      "hasInstallScript": true')]],
    expected: ['risk-lock-install-script', 'risk-lock-unexplained'],
  },
  {
    title: 'package-lock.json: an update brings an install script',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"version": "2.1.0"', '"version": "2.1.1"'],
      ['acme-tool-2.1.0.tgz', 'acme-tool-2.1.1.tgz'],
      [`"${SHA512('a')}",`, `"${SHA512('x')}",\n      "hasInstallScript": true,`],
    ],
    expected: ['risk-lock-install-script'],
  },
  {
    title: 'package-lock.json: a known install script is no reason to block',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"express": "^4.19.2"', '"esbuild": "^1.0.0",\n        "express": "^4.19.2"'],
      [EXPRESS, newNpm('esbuild', ',\n      "hasInstallScript": true')],
    ],
    expected: ['risk-lock-known-install-script'],
  },
  {
    title: 'pnpm-lock.yaml: a package that must be built',
    path: 'pnpm-lock.yaml',
    text: texts.PNPM_5,
    edits: [
      ['/acme-tool/2.1.0:', '/acme-tool/2.1.1:'],
      [SHA512('a'), SHA512('x')],
      ['requiresBuild: false', 'requiresBuild: true'],
    ],
    expected: ['risk-lock-install-script'],
  },
  {
    title: 'package-lock.json: a package from git that no manifest names',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"express": "^4.19.2"', '"evil-git": "*",\n        "express": "^4.19.2"'],
      [
        EXPRESS,
        newNpm('evil-git').replace(
          /"https:[^"]+"/,
          '"git+ssh://git@github.com/evil/evil-git.git#1111"',
        ),
      ],
    ],
    expected: ['risk-lock-foreign-source'],
  },
  {
    title: 'package-lock.json: the root asks for an imitated name',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"express": "^4.19.2"', '"expres": "^1.0.0",\n        "express": "^4.19.2"'],
      [EXPRESS, newNpm('expres')],
    ],
    expected: ['risk-lock-imitated-name'],
  },
  {
    title: 'package-lock.json: a public name like that of a folder of the repository',
    path: 'package-lock.json',
    text: texts.NPM_3.replace(
      /"resolved": "[^"]+core-1[^"]+",/,
      '"resolved": "packages/core",\n      "link": true,',
    ),
    edits: [
      ['"express": "^4.19.2"', '"acme-core": "^1.0.0",\n        "express": "^4.19.2"'],
      [EXPRESS, newNpm('acme-core')],
    ],
    expected: ['risk-lock-imitated-own-name'],
  },
  {
    title: 'package-lock.json: a public name like that of a package of the own registry',
    path: 'package-lock.json',
    text: texts.NPM_3.replace('registry.npmjs.org/@acme', 'npm.acme.example/@acme'),
    edits: [
      ['"express": "^4.19.2"', '"acme_core": "^1.0.0",\n        "express": "^4.19.2"'],
      [EXPRESS, newNpm('acme_core')],
    ],
    expected: ['risk-lock-imitated-own-name'],
  },
  {
    title: 'uv.lock: a public name like that of a package of the own index',
    path: 'uv.lock',
    text: texts.UV.replaceAll('https://pypi.org', 'https://pypi.acme.example'),
    edits: [
      [
        '[[package]]\n',
        `[[package]]\nname = "acmecore"\nversion = "1.0.0"\nsource = { registry = "https://pypi.org/simple" }\nsdist = { hash = "sha256:${'d'.repeat(64)}" }\n\n[[package]]\n`,
      ],
    ],
    expected: ['risk-lock-imitated-own-name'],
  },
  {
    title: 'package-lock.json: a package of a scope from another registry than the scope',
    path: 'package-lock.json',
    text: texts.NPM_3.replace('registry.npmjs.org/@acme', 'npm.acme.example/@acme'),
    edits: [
      ['"express": "^4.19.2"', '"@acme/more": "^1.0.0",\n        "express": "^4.19.2"'],
      [EXPRESS, newNpm('@acme/more')],
    ],
    expected: ['risk-lock-scope-source'],
  },
  {
    title: 'package-lock.json: an older version',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"version": "2.1.0"', '"version": "2.0.9"'],
      ['acme-tool-2.1.0.tgz', 'acme-tool-2.0.9.tgz'],
      [SHA512('a'), SHA512('x')],
    ],
    expected: ['risk-lock-downgrade'],
  },
  {
    title: 'package-lock.json: a package in one line, where no line of a hunk shows it',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      [
        EXPRESS,
        `    "node_modules/evil": {"version": "1.0.0", "hasInstallScript": true},\n${EXPRESS}`,
      ],
    ],
    expected: ['risk-lock-install-script', 'risk-lock-unexplained'],
    inHunk: ['lockfile-unread'],
  },
  {
    title: 'package-lock.json: an install script at the same version',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [[`"${SHA512('a')}",`, `"${SHA512('a')}",\n      "hasInstallScript": true,`]],
    expected: ['risk-lock-install-script'],
  },
  {
    title: 'package-lock.json: an entry that is no map',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [[EXPRESS, `    "node_modules/evil": "1.0.0",\n${EXPRESS}`]],
    expected: ['lockfile-unread'],
    inHunk: [],
  },
  {
    title: 'package-lock.json: the last of two members of one name counts',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [[`"${SHA512('a')}",`, `"${SHA512('a')}",\n      "integrity": "${SHA512('x')}",`]],
    expected: CHANGED,
    inHunk: ['risk-lock-integrity-added'],
  },
  {
    title: 'Cargo.lock: a package written as an inline table',
    path: 'Cargo.lock',
    text: texts.CARGO,
    edits: [['version = 4', 'version = 4\npackage = [{ name = "evil", version = "1.0.0" }]']],
    expected: ['lockfile-unread'],
  },
  {
    title: 'poetry.lock: a text over several lines',
    path: 'poetry.lock',
    text: texts.POETRY,
    edits: [['lock-version = "2.0"', 'lock-version = """\n[[package]]\n"""']],
    expected: ['lockfile-unread'],
  },
  {
    title: 'yarn.lock: another version of the cache, with a changed checksum',
    path: 'yarn.lock',
    text: texts.YARN_4,
    edits: [
      ['cacheKey: 10c0', 'cacheKey: 11'],
      ['b'.repeat(128), 'f'.repeat(128)],
    ],
    expected: ['lockfile-unread'],
  },
  {
    title: 'pnpm-lock.yaml: a tab, and what follows it',
    path: 'pnpm-lock.yaml',
    text: texts.PNPM_9,
    edits: [['snapshots:', '\t\nsnapshots:\n\tx: 1']],
    expected: ['lockfile-unread'],
  },
];

for (const { title, path, text, edits, expected, ...more } of ATTACKS) {
  test(`attack: ${title}`, async (t) => {
    const after = edits.reduce((now, [from, to]) => now.replace(from, to), text);
    t.not(after, text);
    t.deepEqual(idsOf(await inChange(path, text, after)), [...expected], 'both versions');
    t.deepEqual(idsOf(await inHunk(path, text, after)), [...(more.inHunk ?? expected)], 'hunk');
  });
}

const UNEXPLAINED = ['risk-lock-unexplained'];
const FOREIGN = ['risk-lock-foreign-source'];
const UNREAD = ['lockfile-unread'];
/** The reader ends there. */
const REFUSED = [...UNREAD];
const REMOTE = '  remote: https://rubygems.org/\n';
const PYPI = 'source = { registry = "https://pypi.org/simple" }';
const COMMIT = '1'.repeat(40);
const PNPM_TOOL = `{integrity: ${SHA512('a')}}`;
const pnpmUpdate = (resolution: string): Attack['edits'] => [
  [/2\.1\.0/g, '2.1.1'],
  [PNPM_TOOL, resolution],
];
const berryUpdate = (resolution: string): Attack['edits'] => [
  ['version: 2.1.0', 'version: 2.1.1'],
  ['acme-tool@npm:2.1.0"', `${resolution}"`],
  ['a'.repeat(128), 'f'.repeat(128)],
];
const npmUpdate = (address: string): Attack['edits'] => [
  ['"version": "2.1.0"', '"version": "2.1.1"'],
  ['https://registry.npmjs.org/acme-tool/-/acme-tool-2.1.0.tgz', address],
  [SHA512('a'), SHA512('x')],
];
const newPython = (source: string): Attack['edits'] => [
  [
    '[[package]]\n',
    `[[package]]\nname = "more"\nversion = "1.0.0"\n${source}\nsdist = { hash = "sha256:${'d'.repeat(64)}" }\n\n[[package]]\n`,
  ],
];
const poetrySource = (fields: string): Attack['edits'] => [
  [/1\.4\.0/g, '1.4.1'],
  ['[package.extras]', `[package.source]\n${fields}\n\n[package.extras]`],
];

/** Forms of attacks, by lockfile: of each the findings, and of a hunk alone if these are others. */
const FORMS: Readonly<
  Record<
    string,
    readonly (readonly [text: string, edits: Attack['edits'], ...found: (readonly string[])[]])[]
  >
> = {
  'pnpm-lock.yaml': [
    // Notations that pnpm reads as well, each with another archive in it.
    ...[
      `resolution: {integrity: ${SHA512('a')}, tarball : https://evil.example/a.tgz}`,
      `resolution: {integrity: ${SHA512('a')}, tarball:  https://evil.example/a.tgz}`,
      `resolution: {integrity: ${SHA512('a')}, x: ' tarball: b', integrity: ${SHA512('x')}}`,
      `resolution: {integrity: ${SHA512('x')}} # {integrity: ${SHA512('a')}}`,
      `resolution : {integrity: ${SHA512('x')}}`,
      `&a resolution: {integrity: ${SHA512('x')}}`,
      `  resolution: {integrity: ${SHA512('x')}}`,
    ].map(
      (line) =>
        [texts.PNPM_9, [[`resolution: {integrity: ${SHA512('a')}}`, line]], REFUSED] as const,
    ),
    [
      texts.PNPM_9,
      [
        [
          `    resolution: {integrity: ${SHA512('a')}}`,
          `    resolution:\n      integrity: ${SHA512('a')}\n      tarball: https://evil.example/a.tgz`,
        ],
      ],
      MOVED,
    ],
    [
      texts.PNPM_9,
      [
        [
          `  acme-tool@2.1.0:\n    resolution: {integrity: ${SHA512('a')}}`,
          `  ? acme-tool@2.1.0\n  : resolution: {integrity: ${SHA512('a')}, tarball: https://evil.example/a.tgz}`,
        ],
      ],
      MOVED,
    ],
    ...['link:../../evil', 'link:/evil', 'file:evil.tgz', 'https://evil.example/a.tgz'].map(
      (address) => [texts.PNPM_9, [['version: 2.1.0', `version: ${address}`]], MOVED, []] as const,
    ),
    [texts.PNPM_9, [['version: 2.1.0', 'version: link:packages/tool']]],
    [
      texts.PNPM_9,
      [
        [
          '    deprecated',
          '    <<: {resolution: {tarball: https://evil.example/a}}\n    deprecated',
        ],
      ],
      UNREAD,
    ],
    [
      texts.PNPM_9,
      [[PNPM_TOOL, `${PNPM_TOOL.slice(0, -1)}, "tarb\\u0061ll": https://evil.example/a}`]],
      [...UNREAD, ...REMOVED],
    ],
    [
      texts.PNPM_9,
      pnpmUpdate(`{integrity: ${SHA512('x')}, type: binary, url: https://evil.example/a}`),
      MOVED,
    ],
    [
      texts.PNPM_9,
      pnpmUpdate(`{integrity: ${SHA512('x')}, tarball: https://evil.example/a.tgz}`),
      MOVED,
    ],
    [
      texts.PNPM_9,
      pnpmUpdate(`{integrity: ${SHA512('x')}, "tarball": "https://evil.example/a.tgz"}`),
      MOVED,
    ],
    [texts.PNPM_9, pnpmUpdate(`{integrity: ${SHA512('x')}, tarball: file:evil.tgz}`), MOVED],
    [texts.PNPM_9, pnpmUpdate('{commit: 1, repo: https://git.evil.example/a, type: git}'), MOVED],
    [texts.PNPM_9, pnpmUpdate('{}'), REMOVED],
    [
      texts.PNPM_9,
      pnpmUpdate(`{integrity: ${SHA512('x')},\n      tarball: https://evil.example/a.tgz}`),
      [...UNREAD, ...REMOVED],
    ],
    [
      texts.PNPM_9,
      [
        [
          'snapshots:',
          `packages: {evil@1.0.0: {resolution: {integrity: ${SHA512('x')}}}}\n\nsnapshots:`,
        ],
      ],
      UNREAD,
    ],
    [
      texts.PNPM_9,
      [
        [
          'snapshots:',
          `  more@1.0.0: {resolution: {tarball: 'https://evil.example/a.tgz'}}\n\nsnapshots:`,
        ],
      ],
      UNREAD,
    ],
    [
      texts.PNPM_9,
      [
        [PNPM_TOOL, '*x'],
        [`{integrity: ${SHA512('b')}}`, `&x {integrity: ${SHA512('b')}}`],
      ],
      [...UNREAD, ...REMOVED],
    ],
    [
      texts.PNPM_9,
      [
        ['version: 2.1.0', 'version: evil-tool@2.1.0'],
        [/acme-tool@2\.1\.0/g, 'evil-tool@2.1.0'],
      ],
      [...MISMATCH, ...UNEXPLAINED],
      UNEXPLAINED,
    ],
  ],
  'yarn.lock': [
    [
      texts.YARN_1,
      [['registry.yarnpkg.com/acme', 'registry.yarnpkg.com\\u002eevil.example/acme']],
      MOVED,
    ],
    ...[
      `version "2.1.0" resolved "https://evil.example/a.tgz"`,
      `version :"2.1.0"`,
      `version "2.1.0"\n  version "2.1.0"`,
      `  version "2.1.0"`,
    ].map((line) => [texts.YARN_1, [['version "2.1.0"', line]], REFUSED] as const),
    [
      texts.YARN_4,
      [
        [
          '"acme-tool@npm:2.1.0"',
          '"acme-tool\\u0040npm:2.1.0::__archiveUrl=https%3A%2F%2Fevil.example%2Fa.tgz"',
        ],
      ],
      MOVED,
    ],
    [
      texts.YARN_4,
      [
        [
          '"shop@',
          '"more@portal:../evil::locator=shop%40workspace%3A.":\n  version: 0.0.0-use.local\n  resolution: "more@portal:../evil::locator=shop%40workspace%3A."\n  linkType: soft\n\n"shop@',
        ],
      ],
      FOREIGN,
    ],
    // yarn takes it for none.
    [texts.YARN_4, [[`10c0/${'a'.repeat(128)}`, `10/${'f'.repeat(128)}`]], REMOVED, []],
    [
      texts.YARN_4,
      [
        [
          '"shop@',
          `"lodash@npm:evil@^1.0.0":\n  version: 1.0.0\n  resolution: "evil@npm:1.0.0"\n  checksum: 10c0/${'e'.repeat(128)}\n  linkType: hard\n\n"shop@`,
        ],
        ['acme-tool: "npm:^2.0.0"', 'acme-tool: "npm:^2.0.0"\n    lodash: "npm:evil@^1.0.0"'],
      ],
      MISMATCH,
    ],
    [texts.YARN_4, [[/^[\s\S]*$/, texts.YARN_1.replace(SHA512('a'), SHA512('x'))]], UNREAD, []],
    [texts.YARN_4, berryUpdate('evil-tool@npm:2.1.1'), MISMATCH],
    [texts.YARN_4, berryUpdate('acme-tool@npm:9.9.9'), MISMATCH],
    [texts.YARN_4, berryUpdate('acme-tool@https://evil.example/a.tgz'), MOVED],
    [
      texts.YARN_4,
      berryUpdate('acme-tool@npm:2.1.1::__archiveUrl=https%3A%2F%2Fevil.example%2Fa.tgz'),
      MOVED,
    ],
    [texts.YARN_4, berryUpdate('acme-tool@git@github.com:evil/a.git#commit=1111'), MOVED],
    [texts.YARN_4, [['npm:^1.0.0":', 'npm:^1.0.0, acme-tool@npm:^2.0.0":']], MISMATCH],
    [texts.YARN_4, [['"shop@', '"more@npm:1.0.0": {version: 1.0.0}\n\n"shop@']], UNREAD],
    [texts.YARN_1, [['core@^1.0.0":', 'core@^1.0.0", acme-tool@^2.0.0:']], MISMATCH],
    [
      texts.YARN_1.replace(/\n {2}integrity sha512-a[^\n]*/, ''),
      [['2'.repeat(40), '3'.repeat(40)]],
      CHANGED,
    ],
  ],
  'package-lock.json': [
    // npm skips checksums of algorithms that it does not know.
    ...['sha999-a', SHA512('a').toUpperCase()].map(
      (checksum) => [texts.NPM_3, [[SHA512('a'), checksum]], REMOVED] as const,
    ),
    [
      texts.NPM_3,
      [
        ['"express": "^4.19.2"', '"express": "^4.19.2",\n        "lodash": "npm:evil@^1.0.0"'],
        [
          EXPRESS,
          newNpm('evil')
            .replace('node_modules/evil"', 'node_modules/lodash"')
            .replace('{', '{\n      "name": "evil",'),
        ],
      ],
      MISMATCH,
      [],
    ],
    [
      texts.NPM_3,
      [
        ['"express": "^4.19.2"', '"more": "*",\n        "express": "^4.19.2"'],
        [
          EXPRESS,
          `    "node_modules/more": {\n      "resolved": "/evil",\n      "link": true\n    },\n${EXPRESS}`,
        ],
      ],
      FOREIGN,
      [],
    ],
    ...['git+https://github.com/evil/core.git#1111', 'http://evil.example/a.tgz'].map(
      (address) =>
        [
          texts.NPM_1,
          [
            ['"version": "1.4.0"', `"version": "${address}"`],
            [/\n {10}"resolved": "[^"]*acme-core[^\n]*/, ''],
          ],
          MOVED,
        ] as const,
    ),
    [
      texts.NPM_3,
      npmUpdate('https://registry.npmjs.org/evil-tool/-/evil-tool-2.1.1.tar.gz'),
      MISMATCH,
    ],
    [texts.NPM_3, npmUpdate('../evil/acme-tool-2.1.1.tgz'), MOVED],
    [
      texts.NPM_3,
      npmUpdate('https://evil.example\\\\@registry.npmjs.org/acme-tool/-/acme-tool-2.1.1.tgz'),
      [...MISMATCH, ...MOVED],
    ],
    ...[
      'https:/evil.example/a',
      'https:evil.example/a',
      'https://evil.example#@registry.npmjs.org/',
    ]
      .concat('evil:a', 'github:evil/a')
      .map((address) => [texts.NPM_3, npmUpdate(address), MOVED] as const),
    [texts.NPM_3, npmUpdate(' https://evil.example/a'), [...UNREAD, ...MOVED]],
    [texts.NPM_3, npmUpdate('https:/registry.npmjs.org/evil-tool/-/evil-tool-2.1.1.tgz'), MISMATCH],
    [texts.NPM_3, [...UPDATED, [/\n {6}"integrity": "sha512-a[^\n]*/, '']], REMOVED],
    [
      texts.NPM_3,
      [
        ['"version": "2.1.0"', '"name": "evil-tool",\n      "version": "2.1.0"'],
        [/acme-tool(?=\/-|-2)/g, 'evil-tool'],
      ],
      [...MISMATCH, ...UNEXPLAINED],
      UNEXPLAINED,
    ],
    // A version that is as it was cannot depend on another package.
    [
      texts.NPM_3,
      [
        ['"@acme/core": "^1.0.0"', '"@acme/core": "^1.0.0",\n        "evil-one": "*"'],
        [EXPRESS, newNpm('evil-one')],
      ],
      UNEXPLAINED,
      [],
    ],
    [
      texts.NPM_3,
      [
        ['"express": "^4.19.2"', '"acme-more": "*",\n        "express": "^4.19.2"'],
        [EXPRESS, newNpm('acme-more').replace('registry.npmjs.org', 'evil.example')],
      ],
      FOREIGN,
    ],
    [
      texts.NPM_3,
      [
        ['"express": "^4.19.2"', '"acme-more": "*",\n        "express": "^4.19.2"'],
        [EXPRESS, newNpm('acme-more').replace(/"https:[^"]*"/, '"file:vendor/a.tgz"')],
      ],
      FOREIGN,
    ],
  ],
  'uv.lock': [
    [
      texts.UV,
      [
        [`${PYPI}\n`, ''],
        [/$/, '\n[package.source]\nregistry = "https://evil.example/simple"\n'],
      ],
      MOVED,
    ],
    [texts.UV, [[`, hash = "sha256:${'b'.repeat(64)}"`, '']], REMOVED],
    [
      texts.UV,
      [
        [/1\.4\.0/g, '1.4.1'],
        ['https://files.pythonhosted.org/packages/bb', 'https://evil.example/bb'],
      ],
      MOVED,
    ],
    [
      texts.UV,
      [
        [/1\.4\.0/g, '1.4.1'],
        ['bb/acme_core', 'bb/evil_core'],
      ],
      MISMATCH,
    ],
    [
      texts.UV,
      [
        [PYPI, 'source = { git = "https://git.evil.example/core?rev=1#1" }'],
        [/1\.4\.0/g, '1.4.1'],
      ],
      MOVED,
    ],
    ...['acme_core-9.9.9.tar', 'acme_core_evil-1.4.0.tar', 'acme_core-1.4.0.1.tar'].map(
      (file) =>
        [
          texts.UV,
          [
            ['acme_core-1.4.0.tar', file],
            ['c'.repeat(64), 'f'.repeat(64)],
          ],
          MISMATCH,
          // The name and the version stand above the hunk.
          [],
        ] as const,
    ),
    [
      texts.UV.replace(/, hash = "[^"]*"/g, ''),
      [[/files\.pythonhosted\.org(?=\/packages\/bb)/, 'evil.example']],
      MOVED,
    ],
    [texts.UV, [[PYPI, "source = { registry = 'https://evil.example/simple' }"]], UNREAD],
    // Members that uv skips, and one member twice.
    ...['a = "https://pypi.org/simple", registry', 'registry = "https://pypi.org/simple", url'].map(
      (members) =>
        [
          texts.UV,
          [[PYPI, `source = { ${members} = "https://evil.example/simple" }`]],
          MOVED,
        ] as const,
    ),
    [
      texts.UV,
      [
        [PYPI, 'source = { registry = "https://evil.example/simple" }'],
        [/$/, `\n[package.optional-dependencies]\n${PYPI}\n`],
      ],
      MOVED,
    ],
    [texts.UV, [[PYPI, `${PYPI}\n${PYPI.replace('pypi.org', 'evil.example')}`]], UNREAD],
    [texts.UV, [[/(?=hash = "sha256:c)/, `x-hash = "sha256:${'e'.repeat(64)}", `]], []],
    [
      texts.UV,
      [[/hash = "sha256:c/, `x-hash = "sha256:${'c'.repeat(64)}", hash = "sha256:d`]],
      CHANGED,
    ],
    [texts.UV, newPython('source = { registry = "https://evil.example/simple" }'), FOREIGN],
    [texts.UV, newPython('source = { url = "https://evil.example/more.whl" }'), FOREIGN],
    [texts.UV, newPython('source = { path = "../evil/more.whl" }'), FOREIGN],
  ],
  'poetry.lock': [
    // One more archive, in notations that poetry reads as well.
    ...[
      `{file="acme_core-1.4.0.zip", hash="sha256:${'f'.repeat(64)}"}`,
      `{"file" = "acme_core-1.4.0.zip", "hash" = "sha256:${'f'.repeat(64)}"}`,
    ].map(
      (table) => [texts.POETRY, [['files = [\n', `files = [\n    ${table},\n`]], REFUSED] as const,
    ),
    [
      texts.POETRY,
      [['"},\n    {file', `"}, {file = "b.zip", hash = "sha256:${'f'.repeat(64)}"},\n    {file`]],
      REFUSED,
    ],
    [
      texts.POETRY,
      [
        ['c'.repeat(64), 'f'.repeat(64)],
        [
          '[package.extras]\n',
          `[package.extras]\nfiles = [\n    {file = "acme_core-1.4.0.tar.gz", hash = "sha256:${'c'.repeat(64)}"},\n]\n`,
        ],
      ],
      CHANGED,
    ],
    [
      texts.POETRY,
      [
        [
          '[package.extras]',
          '[package."source"]\nurl = "https://evil.example"\n\n[package.extras]',
        ],
      ],
      UNREAD,
    ],
    [texts.POETRY, [[`sha256:${'b'.repeat(64)}`, 'md5:b']], REMOVED],
    [
      texts.POETRY,
      poetrySource('type = "legacy"\nurl = "https://evil.example/simple"\nreference = "evil"'),
      MOVED,
    ],
    [
      texts.POETRY,
      poetrySource(
        'type = "git"\nurl = "https://git.evil.example/core.git"\nresolved_reference = "1111"',
      ),
      MOVED,
    ],
    [texts.POETRY, poetrySource('type = "file"\nurl = "evil/core.whl"'), MOVED],
    [
      texts.POETRY,
      [
        ...poetrySource('url = "https://evil.example/simple"\ntype = "legacy"'),
        [/(?<=\[package\.extras\]\n)/, 'source = []\n'],
      ],
      MOVED,
    ],
    // Of the last package, as in TOML a table counts for the last element of its list.
    [
      texts.POETRY,
      [[/$/, '\n[package.source]\ntype = "legacy"\nurl = "https://evil.example/simple"\n']],
      UNREAD,
      MOVED,
    ],
    [
      texts.POETRY,
      [
        [/files = \[\n[^\]]*\]/, 'files = []'],
        [/(?<=\[package\.extras\]\n)/, /files = \[\n[^\]]*\]\n/.exec(texts.POETRY)?.[0] ?? ''],
      ],
      REMOVED,
      // The name stands above the hunk.
      [],
    ],
    [
      texts.POETRY,
      [[/files = \[(\n[^\]]*)\]/, 'files = []\n\n[[package.files]]$1']],
      [...UNREAD, ...REMOVED],
      UNREAD,
    ],
    [
      texts.POETRY.replace(/files = \[\n([^\]]*)\]\n/, '').concat(
        `\n[metadata.files]\nacme-core = [\n    {file = "acme_core-1.4.0.tar.gz", hash = "sha256:${'c'.repeat(64)}"},\n]\n`,
      ),
      [['c'.repeat(64), 'f'.repeat(64)]],
      CHANGED,
    ],
  ],
  'pdm.lock': [
    [
      texts.UV.replace(PYPI, 'groups = ["default"]'),
      [['groups', 'git = "https://evil.example/a"\ngroups']],
      MOVED,
    ],
  ],
  'Cargo.lock': [
    [
      texts.CARGO,
      [
        [' "acme-core",\n', ' "acme-core",\n "more",\n'],
        [
          '[[package]]\nname = "shop"',
          `[[package]]\nname = "more"\nversion = "1.0.0"\nsource = "registry+https://evil.example/index"\nchecksum = "${'f'.repeat(64)}"\n\n[[package]]\nname = "shop"`,
        ],
      ],
      FOREIGN,
    ],
    [texts.CARGO, [[/source = [^\n]*\nchecksum = [^\n]*\n/, '']], MOVED, REMOVED],
    [
      texts.CARGO,
      [
        ['registry+https://github.com/rust-lang/crates.io-index', 'registry+https://evil.example/'],
        [
          '\n[[package]]\nname = "shop"',
          '\n[package.x]\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n\n[[package]]\nname = "shop"',
        ],
      ],
      MOVED,
    ],
    [texts.CARGO, [['source = ', 'source = []\nsource = ']], [...UNREAD, ...MOVED]],
    [
      texts.CARGO,
      [
        ['1.4.0', '1.4.1'],
        [/checksum = [^\n]*\n/, ''],
      ],
      REMOVED,
    ],
  ],
  'composer.lock': [
    // A commit of any fork is served under the address of the repository.
    [texts.COMPOSER, [[`zipball/${'1'.repeat(40)}`, `zipball/${'6'.repeat(40)}`]], MISMATCH, []],
    [texts.COMPOSER, [['repos/acme/core/zipball', 'repos/acme/../evil/zipball']], MOVED],
    [
      texts.COMPOSER,
      [
        ['1.4.0', '1.4.1'],
        ['repos/acme/core', 'repos/evil/core'],
        [new RegExp(COMMIT, 'g'), '2'.repeat(40)],
      ],
      MOVED,
    ],
    [
      texts.COMPOSER,
      [
        ['1.4.0', '1.4.1'],
        ['com/acme/core.git', 'com/evil/core.git'],
        [new RegExp(COMMIT, 'g'), '2'.repeat(40)],
      ],
      MOVED,
    ],
    [
      texts.COMPOSER,
      [
        ['1.4.0', '1.4.1'],
        [/https:\/\/api[^"]*/, '../evil'],
      ],
      MOVED,
    ],
    [
      texts.COMPOSER,
      [
        [
          `core.git",\n                "reference": "${COMMIT}`,
          `core.git",\n                "reference": "${'2'.repeat(40)}`,
        ],
      ],
      CHANGED,
      [],
    ],
    [texts.COMPOSER, [['com/acme/core.git', 'com/evil/core.git']], MOVED],
    [
      texts.COMPOSER.replace('"1.4.0"', '"dev-main"').replace(/ {12}"dist": [^}]*\},\n/, ''),
      [
        ['com/acme/core.git', 'com/evil/core.git'],
        [COMMIT, '2'.repeat(40)],
      ],
      MOVED,
    ],
    // The archive of another commit, and addresses that do not say of which.
    ...['acme/core/zipball/', 'evil/core/zipball/'].map(
      (place) =>
        [
          texts.COMPOSER,
          [[`acme/core/zipball/${COMMIT}`, `${place}${'2'.repeat(40)}`]],
          place.startsWith('acme') ? MISMATCH : [...MISMATCH, ...MOVED],
          // The version stands too far away.
          place.startsWith('acme') ? [] : MOVED,
        ] as const,
    ),
    [
      texts.COMPOSER,
      [[/https:\/\/api[^"]*/, `https://github.com/acme/core/archive/main.zip?${COMMIT}`]],
      MISMATCH,
      [],
    ],
    [
      texts.COMPOSER,
      [['"require": {', '"type": "composer-plugin",\n            "require": {']],
      ['risk-lock-install-script'],
      [],
    ],
    // Composer compares names in lower case.
    [
      texts.COMPOSER,
      [
        ['acme/core', 'Acme/Core'],
        [/acme\/core(?=\.git|\/zip)/g, 'evil/core'],
        ['1.4.0', '1.4.1'],
        [/1{40}/g, '6'.repeat(40)],
      ],
      MOVED,
    ],
    [
      texts.COMPOSER,
      [
        [
          '"shasum": ""',
          '"shasum": "",\n                "mirrors": [\n                    {\n                        "url": "https://evil.example/%package%.zip",\n                        "preferred": true\n                    }\n                ]',
        ],
      ],
      MOVED,
    ],
    [
      texts.COMPOSER,
      [
        [
          '"require": {',
          '"transport-options": {\n                "ssl": {\n                    "verify_peer": false\n                }\n            },\n            "require": {',
        ],
      ],
      MOVED,
    ],
    // It reads a map of packages as it reads a list, and the last of two members of one name.
    [
      texts.COMPOSER,
      [
        ['"packages": [\n        {', '"packages": {\n        "a": {'],
        ['        }\n    ],', '        }\n    },'],
        [/acme\/core(?=\.git|\/zip)/g, 'evil/core'],
        [/1{40}/g, '6'.repeat(40)],
        ['1.4.0', '1.4.1'],
      ],
      MOVED,
      [],
    ],
  ],
  'Gemfile.lock': [
    [texts.GEMFILE, [[REMOTE, `  remote: https://evil.example/\n${REMOTE}`]], MOVED],
    [texts.GEMFILE, [[REMOTE, `${REMOTE}  remote: https://evil.example/\n`]], MOVED],
    [
      texts.GEMFILE,
      [['GEM\n', 'PATH\n  remote: ../evil\n  specs:\n    more (1.0.0)\n\nGEM\n']],
      FOREIGN,
    ],
    [
      texts.GEMFILE,
      [
        ['    rack (3.0.9)\n', ''],
        ['GEM\n', 'PATH\n  remote: evil\n  specs:\n    rack (3.0.9)\n\nGEM\n'],
      ],
      MOVED,
    ],
    [texts.GEMFILE, [[/ {2}acme-core \(1\.4\.0\) sha256[^\n]*\n/, '']], REMOVED, []],
    [
      texts.GEMFILE,
      [['CHECKSUMS\n', `CHECKSUMS\n  acme-core (1.4.0) sha256=${'f'.repeat(64)}\n`]],
      ['risk-lock-integrity-added'],
      CHANGED,
    ],
    [
      texts.GEMFILE,
      [['CHECKSUMS\n', `CHECKSUMS\n${'  acme-core (1.4.0) sha256=a\n'.repeat(10)}`]],
      [...UNREAD, ...CHANGED],
      CHANGED,
    ],
    [texts.GEMFILE, [[REMOTE, `${REMOTE.trimEnd()}${'a'.repeat(500)}\n`]], [...UNREAD]],
  ],
  'go.sum': [
    [texts.GO_SUM, [[/$/, `example.com/acme/core v1.4.0 h1:${'f'.repeat(43)}=\n`]], CHANGED],
    [texts.GO_SUM, [['h1:', 'h2:']], UNREAD],
  ],
  'dev-requirements.txt': [
    [texts.REQUIREMENTS, [['acme-core', '-i https://evil.example/simple\nacme-core']], MOVED],
    [texts.REQUIREMENTS, [['acme-core', '--find-links=https://evil.example/\nacme-core']], MOVED],
    [texts.REQUIREMENTS, [['acme-core', '-r https://evil.example/r.txt\nacme-core']], MOVED],
    [texts.REQUIREMENTS, [['acme-core', '--find https://evil.example/\nacme-core']], MOVED],
    [texts.REQUIREMENTS, [['acme-core', '--index-u https://evil.example/\nacme-core']], MOVED],
    [texts.REQUIREMENTS, [['acme-core', '--pypi-url=https://evil.example/\nacme-core']], MOVED],
    [texts.REQUIREMENTS, [['acme-core', '--pre -i    https://evil.example/\nacme-core']], MOVED],
    [
      texts.REQUIREMENTS,
      [['acme-core', '--index-\\\nurl https://evil.example/simple\nacme-core']],
      UNREAD,
    ],
    [texts.REQUIREMENTS, [['acme-core', '--pre "-i" https://evil.example/\nacme-core']], UNREAD],
    [texts.REQUIREMENTS, [['certifi==2024.2.2', 'certifi @ https://evil.example/c.tar.gz']], MOVED],
    [texts.REQUIREMENTS, [['by pip-compile', 'by pip-compile\u2028more==6.6.6']], UNREAD],
    [texts.REQUIREMENTS, [['by pip-compile', 'by pip-compile\rmore==6.6.6']], UNREAD],
    [texts.REQUIREMENTS, [['acme-core==', 'mo\\\nre==6.6.6\nacme-core==']], UNREAD],
    [texts.REQUIREMENTS, [[/ \\\n {4}--hash=sha256:d+/, '']], REMOVED],
    [texts.REQUIREMENTS, [['certifi==', 'сertifi==2024.2.2\ncertifi==']], UNREAD],
    [
      texts.REQUIREMENTS,
      [
        ['acme-core==', 'acme-core==='],
        [/[bc]{64}/g, 'f'.repeat(64)],
      ],
      CHANGED,
    ],
  ],
  'Pipfile.lock': [
    [texts.PIPFILE, [['"verify_ssl": true', '"verify_ssl": false']], MOVED],
    [texts.PIPFILE, [['https://pypi.org/simple', 'https://evil.example/simple']], MOVED],
    [texts.PIPFILE, [[/"hashes": \[[^\]]*\],\n {12}/, '']], REMOVED],
    [
      texts.PIPFILE,
      [['"version": "==1.4.0"', '"git": "https://git.evil.example/x.git"']],
      MOVED,
      [],
    ],
  ],
  'gradle/verification-metadata.xml': [
    [
      texts.GRADLE,
      [
        [
          '   <comp',
          '   <trusted-artifacts><trust group="com.evil"/></trusted-artifacts>\n   <comp',
        ],
      ],
      REMOVED,
    ],
    [
      texts.GRADLE,
      [['   <comp', '   <verify-metadata >false</verify-metadata>\n   <comp']],
      REMOVED,
    ],
    [texts.GRADLE, [['   <comp', '   <trusted-key id="AB" group="com.acme"/>\n   <comp']], REMOVED],
    [texts.GRADLE, [[`"${'b'.repeat(64)}"`, `'${'f'.repeat(64)}'`]], CHANGED],
  ],
};

test('each form of attack is found, in both versions and in a hunk', async (t) => {
  for (const [path, forms] of Object.entries(FORMS)) {
    for (const [index, [text, edits, expected = [], inPart = expected]] of forms.entries()) {
      const after = edits.reduce((now, [from, to]) => now.replace(from, to), text);
      t.not(after, text);
      const label = `${path} (${index}):`;
      if (expected === REFUSED) {
        // What stands below the line is not read.
        t.true(idsOf(await inChange(path, text, after)).includes('lockfile-unread'), label);
        t.true(idsOf(await inHunk(path, text, after)).includes('lockfile-unread'), label);
        continue;
      }
      t.deepEqual(idsOf(await inChange(path, text, after)), [...expected], `${label} whole`);
      t.deepEqual(idsOf(await inHunk(path, text, after)), [...inPart], `${label} hunk`);
    }
  }
});

const HARMLESS: readonly Omit<Attack, 'expected'>[] = [
  ...(
    [
      ['1.4.0b1', 'acme_core-1.4.0-beta.1.tar.gz', 'acme_core-1.4b01-py3-none-any.whl'],
      ['1.4.2', 'acme-core-1.04.02.zip', 'acme_core-1.4.2-1-py3-none-any.whl'],
      ['1.5.0+cpu', 'acme.core-1.5.0+cpu.tar.gz', 'Acme_Core-1.5.0%2Bcpu-py3-none-any.whl'],
      ['1.5', 'acme-core-1.5.tar.bz2', 'acme_core-1.5.win32-py3.8.exe'],
    ] as const
  ).map(([version, source, wheel]) => ({
    title: `names of the files of version ${version} of a Python package`,
    path: 'uv.lock',
    text: texts.UV,
    edits: [
      ['"1.4.0"', `"${version}"`],
      ['acme_core-1.4.0.tar.gz', source],
      ['acme_core-1.4.0-py3-none-any.whl', wheel],
    ] as const,
  })),
  {
    title: 'two versions of one name share the files of earlier versions of poetry',
    path: 'poetry.lock',
    text: '[metadata]\nlock-version = "1.1"\n',
    edits: [
      [
        /^/,
        `${['1.0.0', '2.0.0'].map((version) => `[[package]]\nname = "a"\nversion = "${version}"\n\n`).join('')}[metadata.files]\na = [\n    {file = "a-1.0.0.tar.gz", hash = "sha256:${'a'.repeat(64)}"},\n    {file = "a-2.0.0.tar.gz", hash = "sha256:${'b'.repeat(64)}"},\n]\n\n`,
      ],
    ],
  },
  {
    title: 'one more package of a scope, from the registry of the others',
    path: 'package-lock.json',
    text: texts.NPM_3.replace('registry.npmjs.org/@acme', 'npm.acme.example/@acme'),
    edits: [
      ['"express": "^4.19.2"', '"@acme/more": "^1.0.0",\n        "express": "^4.19.2"'],
      [EXPRESS, newNpm('@acme/more').replace('registry.npmjs.org', 'npm.acme.example')],
    ],
  },
  {
    title: 'an update of one package',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"version": "2.1.0"', '"version": "2.2.0"'],
      ['acme-tool-2.1.0.tgz', 'acme-tool-2.2.0.tgz'],
      [SHA512('a'), SHA512('x')],
    ],
  },
  {
    title: 'checksums of a stronger algorithm',
    path: 'yarn.lock',
    text: texts.YARN_1.replace(SHA512('b'), 'sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaa='),
    edits: [['sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaa=', SHA512('b')]],
  },
  {
    title: 'the same registry under its other name',
    path: 'yarn.lock',
    text: texts.YARN_1,
    edits: [['https://registry.yarnpkg.com/acme-tool', 'https://registry.npmjs.org/acme-tool']],
  },
  {
    title: 'an update whose checksum stands in another hunk',
    path: 'yarn.lock',
    text: texts.YARN_4,
    edits: [
      [/2\.1\.0\n/, '2.2.0\n'],
      ['tool@npm:2.1.0"', 'tool@npm:2.2.0"'],
      ['a'.repeat(128), 'f'.repeat(128)],
    ],
  },
  {
    title: 'another wheel of the same version',
    path: 'poetry.lock',
    text: texts.POETRY,
    edits: [
      [
        '    {file = "acme_core-1.4.0.tar.gz"',
        `    {file = "acme_core-1.4.0-cp312-linux.whl", hash = "sha256:${'9'.repeat(64)}"},\n    {file = "acme_core-1.4.0.tar.gz"`,
      ],
    ],
  },
  {
    title: 'a package that another one asks for',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ...UPDATED,
      ['"@acme/core": "^1.0.0"', '"@acme/core": "^1.0.0",\n        "acme-more": "^1.0.0"'],
      [EXPRESS, newNpm('acme-more')],
    ],
  },
  {
    title: 'a package that moves to another folder',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [['"node_modules/@acme/core"', '"node_modules/acme-tool/node_modules/@acme/core"']],
  },
  {
    title: 'the alias of another package',
    path: 'package-lock.json',
    text: texts.NPM_3,
    edits: [
      ['"express": "^4.19.2"', '"express": "^4.19.2",\n        "ms-cjs": "npm:ms@^1.0.0"'],
      [
        EXPRESS,
        newNpm('ms')
          .replace('node_modules/ms"', 'node_modules/ms-cjs"')
          .replace('{', '{\n      "name": "ms",'),
      ],
    ],
  },
  {
    title: 'an address that npm wrote as false',
    path: 'package-lock.json',
    text: texts.NPM_1.replace(/"resolved": "[^"]+"/, '"resolved": false'),
    edits: [
      [
        '"resolved": false',
        '"resolved": "https://registry.npmjs.org/acme-tool/-/acme-tool-2.1.0.tgz"',
      ],
    ],
  },
  {
    title: 'a branch of composer that moves',
    path: 'composer.lock',
    text: texts.COMPOSER.replace('"1.4.0"', '"dev-main"'),
    edits: [[/1{40}/g, '2'.repeat(40)]],
  },
];

for (const { title, path, text, edits } of HARMLESS) {
  test(`harmless: ${title}`, async (t) => {
    const after = edits.reduce((now, [from, to]) => now.replace(from, to), text);
    t.not(after, text);
    t.deepEqual(idsOf(await inChange(path, text, after)), [], 'both versions');
    t.deepEqual(idsOf(await inHunk(path, text, after)), [], 'hunk');
  });
}

/** The lockfile of Composer with one more package, from a repository of `owner`. */
function withPackageOf(owner: string, list: 'packages' | 'packages-dev'): string {
  const lockfile = JSON.parse(texts.COMPOSER);
  const url = `https://github.com/${owner}/more.git`;
  const one = { name: 'acme/more', version: '1.0.0', source: { type: 'git', url } };
  lockfile[list] = [...(lockfile[list] ?? []), one];
  return `${JSON.stringify(lockfile, null, 4)}\n`;
}

/** Rules that make a finding less grave: of each a harmless example, and an attack beside it. */
const LESSER: readonly (readonly [
  path: string,
  text: string,
  edits: Attack['edits'],
  id: string,
  severity: Severity | null,
])[] = [
  // The same archive over TLS; another archive.
  ...(
    [
      [[], 'risk-lock-source-changed', 'medium'],
      [[[SHA512('a'), SHA512('x')] as const], 'risk-lock-integrity-changed', 'critical'],
    ] as const
  ).map(
    ([edits, id, severity]) =>
      [
        'yarn.lock',
        texts.YARN_1.replace(
          'https://registry.yarnpkg.com/acme',
          'http://registry.yarnpkg.com/acme',
        ),
        [['http://registry.yarnpkg.com/acme', 'https://registry.yarnpkg.com/acme'], ...edits],
        id,
        severity,
      ] as const,
  ),
  // The same commit elsewhere, another commit there, the same owner, a name like it, and a path
  // to another one. Below: an account with the name of the package.
  ...(
    [
      [/acme\/core(?=\.git|\/zip)/g, 'evil/core', '1', 'medium'],
      [/acme\/core(?=\.git|\/zip)/g, 'evil/core', '6', 'high'],
      [/acme\/core(?=\.git|\/zip)/g, 'acme/more', '6', 'medium'],
      [/acme\/core(?=\.git|\/zip)/g, 'acme-/core', '6', 'high'],
      [/acme\/core(?=\.git|\/zip)/g, 'acme/../evil/core', '6', 'high'],
    ] as const
  ).map(
    ([from, to, commit, severity]) =>
      [
        'composer.lock',
        texts.COMPOSER,
        [
          [from, to],
          [/1{40}/g, commit.repeat(40)],
        ],
        'risk-lock-source-changed',
        severity,
      ] as const,
  ),
  [
    'composer.lock',
    texts.COMPOSER.replace(/acme\/core(?=\.git|\/zip)/g, 'acme-inc/core'),
    [
      [/acme-inc/g, 'acme'],
      [/1{40}/g, '6'.repeat(40)],
    ],
    'risk-lock-source-changed',
    'high',
  ],
  // An owner from whom a package came before, and one whose package is for development alone.
  ...(
    [
      ['packages', 'medium'],
      ['packages-dev', 'high'],
    ] as const
  ).map(
    ([list, severity]) =>
      [
        'composer.lock',
        withPackageOf('evil', list),
        [
          [/acme\/core(?=\.git|\/zip)/g, 'evil/core'],
          [/1{40}/g, '6'.repeat(40)],
        ],
        'risk-lock-source-changed',
        severity,
      ] as const,
  ),
  // pnpm installs nothing where `packages` says nothing of a snapshot.
  ...(
    [
      [/\n {2}acme-tool@2\.1\.0:\n {4}resolution[\s\S]*?better\n/, 'medium'],
      [/integrity: sha512-a[^}]+/, 'high'],
    ] as const
  ).map(
    ([from, severity]) =>
      [
        'pnpm-lock.yaml',
        texts.PNPM_9,
        [[from, '']],
        'risk-lock-integrity-removed',
        severity,
      ] as const,
  ),
  // npm 6 said no scripts: of a version that was there, and of a new package.
  ...(
    [
      ['acme-tool', '2.1.0', null],
      ['evil-one', '1.0.0', 'high'],
    ] as const
  ).map(
    ([name, version, severity]) =>
      [
        'package-lock.json',
        texts.NPM_1,
        [
          [
            texts.NPM_1,
            JSON.stringify(
              {
                lockfileVersion: 3,
                packages: {
                  '': { dependencies: { [name]: '*' } },
                  [`node_modules/${name}`]: { version, hasInstallScript: true },
                },
              },
              null,
              2,
            ),
          ],
        ],
        'risk-lock-install-script',
        severity,
      ] as const,
  ),
];

test('what makes a finding less grave does not do so for an attack like it', async (t) => {
  for (const [index, [path, text, edits, id, severity]] of LESSER.entries()) {
    const after = edits.reduce((now, [from, to]) => now.replace(from, to), text);
    t.not(after, text);
    const found = (await inChange(path, text, after)).find((one) => one.id === id);
    t.is(found?.severity ?? null, severity, `${path} (${index})`);
  }
});

test('a manifest explains a package in place of another one where it asks for that', async (t) => {
  const path = 'pnpm-lock.yaml';
  const after = texts.PNPM_9.replace('version: 2.1.0', 'version: evil-one@1.0.0');
  for (const [manifest, expected] of [
    ['{"dependencies": {"acme-tool": "npm:evil-one@^1.0.0"}}', false],
    ['{"dependencies": {"acme-tool": "^2.0.0"}, "keywords": ["evil-one"]}', true],
    ['{"dependencies": {"acme-tool": "^2.0.0", "evil-one": "^1.0.0"}}', true],
  ] as const) {
    const bytes = Buffer.from(
      diffOf(path, texts.PNPM_9, after, 0) + diffOf('package.json', '{}\n', `${manifest}\n`, 0),
    );
    const trees = [
      { side: 'base', path, state: 'read', bytes: Buffer.from(texts.PNPM_9) },
      { side: 'head', path, state: 'read', bytes: Buffer.from(after) },
    ] as const;
    const input = { bytes, files: parseDiff(bytes).files, ...ALONE, trees };
    const { findings } = await inspectDependencies(input);
    t.is(
      findings.some(({ id }) => id === 'risk-lock-name-mismatch'),
      expected,
      manifest,
    );
  }
});

test('a manifest names a source by its whole address', async (t) => {
  const severityOf = async (
    path: string,
    edits: Attack['edits'],
    text: string,
    manifest: string,
  ) => {
    const after = edits.reduce((now, [from, to]) => now.replace(from, to), text);
    const name = path === 'Cargo.lock' ? 'Cargo.toml' : 'package.json';
    const bytes = Buffer.from(diffOf(path, text, after, 0));
    const trees = [
      { side: 'base', path, state: 'read', bytes: Buffer.from(text) },
      { side: 'head', path, state: 'read', bytes: Buffer.from(after) },
      { side: 'head', path: name, state: 'read', bytes: Buffer.from(manifest) },
    ] as const;
    const input = { bytes, files: parseDiff(bytes).files, ...ALONE, trees };
    const { findings } = await inspectDependencies(input);
    const found = findings.find(({ id }) => /source-changed|foreign-source/.test(id));
    return found?.severity ?? null;
  };
  const adding = (address: string): Attack['edits'] => [
    ['"express": "^4.19.2"', '"more": "*",\n        "express": "^4.19.2"'],
    [EXPRESS, newNpm('more').replace(/"https:[^"]+"/, `"${address}"`)],
  ];
  const asks = (spec: string) => `{"main": "dist/index.js", "more": "${spec}", "@types/node": "^20",
    "homepage": "https:\\/\\/github.com\\/acme\\/shop"}`;
  const git = 'git+ssh://git@github.com/types/node.git#1';
  for (const [address, spec, added, moved] of [
    [git, '^1', 'high', 'high'],
    [git, 'types/node', null, 'high'],
    [git, 'github:types/node#v1', null, 'medium'],
    [git, 'git@github.com:types/node.git', null, 'medium'],
    [git, 'https:\\/\\/github.com\\/types\\/node.git', null, 'medium'],
    [git, 'https://github.com/types/node-more', 'high', 'high'],
    ['https://ithub.com/a.tgz', '^1', 'high', 'high'],
    ['https://ithub.com/a.tgz', 'https://ithub.com/b.tgz', null, 'medium'],
    // Reviewers read a folder of the repository, and no archive.
    ['file:x', '^1', 'medium', 'high'],
    ['file:x.tgz', '^1', 'high', 'high'],
    ['file:test/fixtures/x.tgz', '^1', 'high', 'high'],
    ['file:vendor/x.tgz', '^1', 'high', 'high'],
    ['file:lib:x.tgz', '^1', 'high', 'high'],
    ['file:lib/x#.tgz', '^1', 'high', 'high'],
    ['file:x.tgz#x.tgz::hash=1', '^1', 'high', 'high'],
    ['file:x.tbz', '^1', 'high', 'high'],
    ['file:x.txz', '^1', 'high', 'high'],
    ['file:x.tlz', '^1', 'high', 'high'],
    ['file:x-py3.egg', '^1', 'high', 'high'],
    ['file:C:/tmp/x', '^1', 'high', 'high'],
    ['file:%2e%2e/x', '^1', 'high', 'high'],
    ['file:../x', '^1', 'high', 'high'],
    ['file:a/../../x', '^1', 'high', 'high'],
    ['file:/x', '^1', 'high', 'high'],
    ['file:dist/index.js', '^1', 'medium', 'high'],
    ['file:x', 'file:./x', null, 'medium'],
  ] as const) {
    const label = `${address} ${spec}`;
    t.is(
      await severityOf('package-lock.json', adding(address), texts.NPM_3, asks(spec)),
      added,
      label,
    );
    t.is(
      await severityOf('package-lock.json', npmUpdate(address), texts.NPM_3, asks(spec)),
      moved,
      label,
    );
  }
  const cargo: Attack['edits'] = [
    [
      'registry+https://github.com/rust-lang/crates.io-index',
      'git+https://github.com/serde-rs/json#1',
    ],
  ];
  const depends = (name: string) => `a = { git = "https://github.com/serde-rs/${name}" }`;
  t.is(await severityOf('Cargo.lock', cargo, texts.CARGO, depends('json5')), 'high');
  t.is(await severityOf('Cargo.lock', cargo, texts.CARGO, depends('json')), 'medium');
  const composer = (dist: string, source: string): Attack['edits'] => [
    [/https:\/\/api[^"]*/, dist],
    ['https://github.com/acme/core.git', source],
    ['1.4.0', '1.4.1'],
  ];
  const zipball = (repository: string) =>
    `https://api.github.com/repos/${repository}/zipball/${COMMIT}`;
  for (const [dist, source, severity] of [
    [zipball('acme/other'), 'https://github.com/acme/other.git', 'medium'],
    [zipball('acme/other'), 'https://git.evil.example/core.git', 'high'],
    [zipball('evil/core'), 'https://github.com/acme/core.git', 'high'],
    [zipball('acme/core2'), 'https://github.com/acme/core2.git', 'medium'],
    [zipball('evil/acme-core'), 'https://github.com/evil/acme-core.git', 'high'],
    [zipball('acme/core'), 'https://gitlab.com/acme/core.git', 'high'],
  ] as const) {
    const edits = composer(dist, source);
    t.is(await severityOf('composer.lock', edits, texts.COMPOSER, ''), severity, dist + source);
  }
  const sameCommit = composer(zipball('evil/core'), 'https://github.com/acme/core.git').slice(0, 2);
  t.is(await severityOf('composer.lock', sameCommit, texts.COMPOSER, ''), 'medium');
  const archive = composer(
    'https://github.com/evil/core/x.zip',
    'https://github.com/acme/core.git',
  );
  t.is(await severityOf('composer.lock', archive.slice(0, 2), texts.COMPOSER, ''), 'high');
  const index: Attack['edits'] = [
    [
      'registry+https://github.com/rust-lang/crates.io-index',
      'registry+https://acme.example/index',
    ],
  ];
  const registry = (name: string) => `[registries]\nb = { index = "https://acme.example/${name}" }`;
  t.is(await severityOf('Cargo.lock', index, texts.CARGO, registry('index/')), 'medium');
  t.is(await severityOf('Cargo.lock', index, texts.CARGO, registry('index2')), 'high');
});

test('readGemfileLock takes the last revision of a repository, and not all of them', (t) => {
  const specs = '  revision: 1111\n    a (1.0)\n'.repeat(100);
  const { packages } = readGemfileLock(`GIT\n  remote: https://a.example/a\n${specs}`, false);
  t.is(packages.at(-1)?.source, 'git+https://a.example/a#1111');
});

test('lockfiles that come with the repository bring no finding', async (t) => {
  const files = Object.entries({
    'package-lock.json': texts.NPM_3,
    'yarn.lock': texts.YARN_4,
    'pnpm-lock.yaml': texts.PNPM_9,
    'Cargo.lock': texts.CARGO,
    'poetry.lock': texts.POETRY,
    'uv.lock': texts.UV,
    'Pipfile.lock': texts.PIPFILE,
    'composer.lock': texts.COMPOSER,
    'Gemfile.lock': texts.GEMFILE,
    'go.sum': texts.GO_SUM,
  });
  for (const [path, text] of files) t.deepEqual(idsOf(await inNewFile(path, text)), [], path);
});

test('a manifest that asks for an imitated name is found without a lockfile', async (t) => {
  const asks = async (path: string, line: string, old = '') =>
    idsOf(await inHunk(path, `{\n${old}\n}\n`, `{\n${old}\n${line}\n}\n`));
  const imitated = ['risk-lock-imitated-name'];
  t.deepEqual(await asks('package.json', '    "expresss": "^4.0.0",'), imitated);
  t.deepEqual(await asks('package.json', '    "lodahs": "~1.0"'), imitated);
  t.deepEqual(await asks('package.json', '    "cross_env": "7.0.3"'), imitated);
  t.deepEqual(await asks('requirements.txt', 'reqeusts==2.31.0'), imitated);
  t.deepEqual(await asks('pyproject.toml', '  "numpyy>=1.0",'), imitated);
  t.deepEqual(await asks('pyproject.toml', 'djago = "^4.0"'), imitated);
  t.deepEqual(await asks('package.json', '    "express": "^4.0.0",'), []);
  t.deepEqual(await asks('package.json', '    "expresss": "see the readme",'), []);
  t.deepEqual(await asks('package.json', '    "expresss": "^5",', '    "expresss": "^4",'), []);
});

test('an action or image that goes from its digest to a tag is found', async (t) => {
  const sha = '1'.repeat(40);
  const digest = `sha256:${'2'.repeat(64)}`;
  const ids = async (path: string, before: string, after: string) => {
    const found = await inHunk(path, before, after);
    return found
      .filter(({ id }) => id === 'risk-pin-removed')
      .map(({ line, message }) => [line, message]);
  };
  const workflow = '.github/workflows/ci.yml';
  const uses = (ref: string) => `jobs:\n  a:\n    steps:\n      - uses: acme/build@${ref}\n`;
  t.deepEqual(await ids(workflow, uses(sha), uses('v1')), [
    [4, 'acme/build is named by v1 now. A tag can be moved to other code, which then runs here.'],
  ]);
  t.deepEqual(await ids(workflow, uses(sha), uses('3'.repeat(40))), []);
  t.deepEqual(await ids(workflow, uses('v1'), uses('v2')), []);
  const two = (one: string, other: string) =>
    uses(one) + uses(other).slice(uses('').indexOf('      - '));
  const moved = two('3'.repeat(40), 'v1');
  t.is((await ids(workflow, two(sha, sha), moved)).length, 1, 'one of two keeps a digest');
  t.is((await ids('Dockerfile', `FROM node:20@${digest}\n`, 'FROM node:20\n')).length, 1);
  const image = (name: string) => `services:\n  a:\n    image: ${name}\n`;
  t.is(
    (await ids('compose.yaml', image(`reg.io:5000/a/b@${digest}`), image('reg.io:5000/a/b:1')))
      .length,
    1,
  );
  for (const [path, before, after] of [
    ['compose.yaml', image(`a/b@${digest}`), image('a/c:1')],
    [workflow, uses(sha), uses('v1').replace('uses', '"uses"')],
    [workflow, uses(sha), uses('v1').replace('acme', 'Acme')],
    [workflow, uses(sha), uses('v1').replace(/uses: (.*)/, '{uses: $1}')],
    ['Dockerfile', `FROM node:20@${digest}\n`, 'ARG BASE=node:20\nFROM $BASE\n'],
    ['Dockerfile', `COPY --from=a@${digest} /x /x\n`, 'COPY --from=a:1 /x /x\n'],
  ] as const) {
    t.is((await ids(path, before, after)).length, 1, after);
  }
  t.deepEqual(await ids('Dockerfile', `FROM a@${digest}\n`, `FROM b@${digest}\n`), []);
});

test('another commit of an action under the same version is found', async (t) => {
  const uses = (digit: string, version: string) =>
    `steps:\n  - uses: acme/build@${digit.repeat(40)} # ${version}\n`;
  for (const [version, expected] of [
    ['v4.2.2', 1],
    ['v4.2.3', 0],
  ] as const) {
    const found = await inHunk('.github/workflows/a.yml', uses('1', 'v4.2.2'), uses('2', version));
    const moved = found.filter(({ id }) => id === 'risk-pin-moved');
    t.is(moved.length, expected);
    if (expected === 1) t.like(moved[0], { severity: 'high', line: 2 });
  }
  // The new line stands above the hunk in which the old one goes.
  const path = '.github/workflows/a.yml';
  const line = (digit: string) => `  - uses: acme/build@${digit.repeat(40)} # v4.2.2`;
  const above = [
    ...[`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`],
    ...['@@ -1,2 +1,3 @@', ' steps:', `+${line('2')}`, '   - run: a'],
    ...['@@ -10,3 +11,2 @@', '   - run: b', `-${line('1')}`, '   - run: c', ''],
  ];
  const found = await findingsOf(above.join('\n'));
  t.is(found.filter(({ id }) => id === 'risk-pin-moved').length, 1);
  const major = await inHunk('.github/workflows/a.yml', uses('1', 'v4'), uses('2', 'v4'));
  t.false(
    major.some(({ id }) => id === 'risk-pin-moved'),
    'v4 is many versions',
  );
});

test('a file that becomes a lockfile by its new name is read as new', async (t) => {
  const path = 'npm-shrinkwrap.json';
  const text = texts.NPM_3.replace('acme-tool/-/acme-tool-2.1.0', 'evil/-/evil-2.1.0');
  const bytes = Buffer.from(
    `diff --git a/data.json b/${path}\nsimilarity index 100%\nrename from data.json\nrename to ${path}\n`,
  );
  const { files } = parseDiff(bytes);
  const head = { side: 'head', path, state: 'read', bytes: Buffer.from(text) } as const;
  const base = { ...head, side: 'base', path: 'data.json' } as const;
  const trees = [head, base];
  const whole = await inspectDependencies({ bytes, files, ...ALONE, trees });
  t.deepEqual(idsOf(whole.findings), MISMATCH);
  const posted = await inspectDependencies({ bytes, files, ...ALONE });
  t.deepEqual(idsOf(posted.findings), UNREAD);
});

test('lockfiles of other tools are said to be unread, and case does not hide one', async (t) => {
  const bun = await inChange('bun.lock', 'a\n', 'b\n');
  t.like(
    bun.find(({ id }) => id === 'lockfile-unread'),
    { severity: 'low' },
  );
  const bytes = Buffer.from(
    ['bun.lock', 'a/bun.lock'].map((path) => diffOf(path, 'a\n', 'b\n', 0)).join(''),
  );
  const both = await inspectDependencies({ bytes, files: parseDiff(bytes).files, ...ALONE });
  t.deepEqual(
    both.findings.filter(({ id }) => id === 'lockfile-unread').map(({ file }) => file),
    ['bun.lock', 'a/bun.lock'],
  );
  const after = texts.NPM_3.replace(SHA512('a'), SHA512('x'));
  t.deepEqual(idsOf(await inChange('Package-Lock.json', texts.NPM_3, after)), CHANGED);
});

test('a checksum that changes is not hidden by an added one', async (t) => {
  const after = texts.POETRY.replace(
    '    {file = "acme_core-1.4.0.tar.gz"',
    `    {file = "acme_core-1.4.0-py3-none-any.whl", hash = "sha256:${'9'.repeat(64)}"},\n    {file = "acme_core-1.4.0.tar.gz"`,
  ).replace('c'.repeat(64), 'f'.repeat(64));
  t.deepEqual(idsOf(await inChange('poetry.lock', texts.POETRY, after)), CHANGED);
});

const POM = `<project>
  <version>9.0.0</version>
  <properties>
    <jackson.version>2.15.2</jackson.version>
  </properties>
  <!-- <dependency><groupId>no</groupId><artifactId>one</artifactId><version>1</version></dependency> -->
  <dependencies>
    <dependency>
      <groupId>com.fasterxml</groupId>
      <artifactId>jackson</artifactId>
      <version>\${jackson.version}</version>
      <exclusions>
        <exclusion><groupId>a</groupId><artifactId>b</artifactId></exclusion>
      </exclusions>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-api</artifactId>
      <version>2.0.9</version>
    </dependency>
  </dependencies>
</project>
`;
const CATALOG = `[versions]
kotlin = "1.9.20"
[libraries]
stdlib = { module = "org.jetbrains.kotlin:kotlin-stdlib", version.ref = "kotlin" }
okio = "com.squareup.okio:okio:3.6.0"
junit = { group = "junit", name = "junit", version = "4.13.2" }
[bundles]
all = ["stdlib", "okio"]
`;
const CHART = `apiVersion: v2
name: shop
version: 1.0.0
dependencies:
  - name: redis
    version: 18.1.0
    repository: https://charts.example.com/stable
`;
const TERRAFORM = `terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.20"
    }
    null = { source = "hashicorp/null", version = "3.2.1" }
  }
}
module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.1.0"
}
module "net" {
  source = "git::https://git.example.com/net.git//sub?ref=v1.2.0"
}
module "own" {
  source = "./own"
}
`;
const TERRAFORM_LOCK = `provider "registry.terraform.io/hashicorp/aws" {
  version     = "5.20.0"
  constraints = "~> 5.20"
  hashes = [
    "h1:${'a'.repeat(43)}=",
    "zh:${'b'.repeat(64)}",
  ]
}
`;

const PLUGIN = (between: string) => `<project>
  <build><plugins><plugin>
    <groupId>a</groupId><artifactId>b</artifactId>
    ${between}
    <version>2.0.0</version>
  </plugin></plugins></build>
</project>
`;
const HASH = `    "h1:${'a'.repeat(43)}=",\n`;
const EVIL = `h1:${'e'.repeat(43)}=`;
const downgraded = (name: string) => [`${name} 2.0.0 1.0.0`, ['downgrade']] as const;
const MERGED = `module "net" { # of the firm
  tags = merge(var.tags, {
    a = "b"
  })
  source  = "acme/net/aws"
  version = "2.0.0"
}
`;

const GO_MOD = `module shop

go 1.24

toolchain go1.24.1

require (
\texample.com/acme/core v1.4.0
\texample.com/acme/more v0.2.0 // indirect
)

require example.com/acme/one v1.0.0

exclude example.com/acme/core v1.9.0

retract v0.1.0

replace example.com/acme/more => example.com/fork/more v0.2.1
`;

const VERSIONS: (readonly [
  path: string,
  text: string,
  from: string,
  to: string,
  changes: string,
  ids: readonly string[],
])[] = [
  [
    'go.mod',
    GO_MOD,
    'core v1.4.0',
    'core v1.3.0',
    'example.com/acme/core v1.4.0 v1.3.0',
    ['downgrade'],
  ],
  ['go.mod', GO_MOD, 'one v1.0.0', 'one v2.0.0', 'example.com/acme/one v1.0.0 v2.0.0', ['major']],
  ['go.mod', GO_MOD, 'go1.24.1', 'go1.23.0', 'toolchain 1.24.1 1.23.0', ['downgrade']],
  ['go.mod', GO_MOD, 'v1.9.0', 'v1.8.0', '', []],
  ['go.mod', GO_MOD, 'v0.1.0', 'v0.0.1', '', []],
  ['go.mod', GO_MOD, 'fork/more', 'evil/more', '', ['source-changed']],
  [
    'go.mod',
    GO_MOD,
    '\nreplace',
    '\nreplace example.com/acme/core => ../core\n\nreplace',
    '',
    ['source-changed'],
  ],
  [
    'go.work',
    'go 1.24\n\nuse ./a\n',
    'use ./a\n',
    'use (\n\t./a\n\t../evil\n)\n',
    '../evil null folder',
    [],
  ],
  ['pom.xml', POM, '2.15.2', '2.14.0', 'com.fasterxml:jackson 2.15.2 2.14.0', ['downgrade']],
  ['pom.xml', POM, '2.0.9', '1.0.0', 'org.slf4j:slf4j-api 2.0.9 1.0.0', ['downgrade']],
  ['pom.xml', POM, '<version>9.0.0', '<version>9.1.0', '', []],
  [
    'gradle/libs.versions.toml',
    CATALOG,
    '1.9.20',
    '2.0.0',
    'org.jetbrains.kotlin:kotlin-stdlib 1.9.20 2.0.0',
    ['major'],
  ],
  [
    'gradle/libs.versions.toml',
    CATALOG,
    '3.6.0',
    '3.5.0',
    'com.squareup.okio:okio 3.6.0 3.5.0',
    ['downgrade'],
  ],
  ['gradle/libs.versions.toml', CATALOG, '4.13.2', '4.13.3', 'junit:junit 4.13.2 4.13.3', []],
  ['charts/a/Chart.yaml', CHART, '18.1.0', '17.0.0', 'redis 18.1.0 17.0.0', ['downgrade']],
  ['charts/a/Chart.yaml', CHART, 'charts.example.com', 'evil.example', '', ['source-changed']],
  ['charts/a/Chart.yaml', CHART, 'version: 1.0.0', 'version: 2.0.0', '', []],
  ['main.tf', TERRAFORM, '~> 5.20', '~> 4.0', 'hashicorp/aws ~> 5.20 ~> 4.0', ['downgrade']],
  ['main.tf', TERRAFORM, '3.2.1', '3.2.2', 'hashicorp/null 3.2.1 3.2.2', []],
  ['main.tf', TERRAFORM, '5.1.0', '6.0.0', 'module.vpc 5.1.0 6.0.0', ['major']],
  ['main.tf', TERRAFORM, 'v1.2.0', 'main', 'module.net v1.2.0 main', ['risk-pin-removed']],
  ['main.tf', TERRAFORM, 'v1.2.0', 'v1.1.0', 'module.net v1.2.0 v1.1.0', ['downgrade']],
  ['main.tf', TERRAFORM, 'git.example.com/net', 'git.example.com/evil', '', ['source-changed']],
  [
    'main.tf',
    TERRAFORM,
    'terraform-aws-modules/vpc/aws',
    'git::https://evil.example/vpc.git',
    '',
    ['source-changed'],
  ],
  [
    '.terraform.lock.hcl',
    TERRAFORM_LOCK,
    'a'.repeat(43),
    'c'.repeat(43),
    '',
    ['integrity-changed', 'alone'],
  ],
  [
    '.terraform.lock.hcl',
    TERRAFORM_LOCK,
    '5.20.0',
    '5.21.0',
    'hashicorp/aws 5.20.0 5.21.0',
    ['alone'],
  ],
  [
    '.terraform.lock.hcl',
    TERRAFORM_LOCK,
    'registry.terraform.io',
    'evil.io',
    'hashicorp/aws 5.20.0 5.20.0 from evil.io',
    ['source-changed', 'alone'],
  ],
  [
    '.terraform.lock.hcl',
    TERRAFORM_LOCK,
    'registry.terraform.io',
    'registry.opentofu.org',
    'hashicorp/aws 5.20.0 5.20.0 from registry.opentofu.org',
    ['alone'],
  ],
  ['main.tf', MERGED, '2.0.0', '1.0.0', ...downgraded('module.net')],
  ['main.tf', TERRAFORM, 'terraform-aws-modules/vpc', 'evil/vpc', '', ['source-changed']],
  ['pom.xml', PLUGIN('<configuration />'), '2.0.0', '1.0.0', ...downgraded('a:b')],
  [
    'pom.xml',
    PLUGIN('<configuration combine.self="override" />'),
    '2.0.0',
    '1.0.0',
    ...downgraded('a:b'),
  ],
  [
    'pom.xml',
    PLUGIN('<configuration><a><![CDATA[ <!-- ]]></a></configuration>'),
    '2.0.0',
    '1.0.0',
    ...downgraded('a:b'),
  ],
  [
    'pom.xml',
    PLUGIN('').replace('2.0.0', '<![CDATA[2.0.0]]>'),
    '2.0.0',
    '1.0.0',
    ...downgraded('a:b'),
  ],
  [
    'a.versions.toml',
    "[libraries]\nb = { module = 'a:b', version = '2.0.0' }\n",
    '2.0.0',
    '1.0.0',
    ...downgraded('a:b'),
  ],
  [
    'Chart.yaml',
    'dependencies: # all\n  - name: a\n    tags:\n      - b\n    version: 2.0.0\n',
    '2.0.0',
    '1.0.0',
    ...downgraded('a'),
  ],
];

const RICH = `[versions]
b = { strictly = "[1.7, 1.8[", prefer = "1.7.25" }
[libraries]
c = { module = "a:c", version.ref = "b" }
d = { module = "a:d", version = { require = "2.0.0" } }
e = { module = "a:e", version = "[2.1.0, 3.0[" }
[libraries.f]
module = "a:f"
version = "2.2.0"
[libraries.g]
group = "a"
name = "g"
[libraries.g.version]
strictly = "2.3.0"
`;
const CATALOG_PATH = 'gradle/libs.versions.toml';
const strict = (version: string, to = '1.8') =>
  `${version} (strictly [1.7, ${to}[, prefer ${version})`;
VERSIONS.push(
  [
    CATALOG_PATH,
    RICH,
    '1.7.25',
    '1.7.20',
    `a:c ${strict('1.7.25')} ${strict('1.7.20')}`,
    ['downgrade'],
  ],
  [CATALOG_PATH, RICH, '1.8[', '1.9[', `a:c ${strict('1.7.25')} ${strict('1.7.25', '1.9')}`, []],
  [CATALOG_PATH, RICH, '2.0.0', '1.0.0', 'a:d 2.0.0 1.0.0', ['downgrade']],
  [CATALOG_PATH, RICH, '[2.1.0', '[1.1.0', 'a:e [2.1.0, 3.0[ [1.1.0, 3.0[', ['downgrade']],
  [CATALOG_PATH, RICH, '2.2.0', '1.2.0', 'a:f 2.2.0 1.2.0', ['downgrade']],
  [CATALOG_PATH, RICH, '2.3.0', '1.3.0', 'a:g 2.3.0 1.3.0', ['downgrade']],
);

const UNREAD_FORMS: readonly (readonly [path: string, text: string, from: string, to: string])[] = [
  ['.terraform.lock.hcl', TERRAFORM_LOCK, HASH, `    "${EVIL}",${' '.repeat(1_001)}\n`],
  ['.terraform.lock.hcl', TERRAFORM_LOCK, HASH, `    "zh:1", "${EVIL}",\n`],
  ['.terraform.lock.hcl', 'provider "a" {\n  hashes = [\n  ]\n}\n', '[\n  ]', `["${EVIL}"]`],
  ['.terraform.lock.hcl', TERRAFORM_LOCK, 'aws" {', 'aws" { # x'],
  ['.terraform.lock.hcl', TERRAFORM_LOCK, HASH, `    /*\n${HASH}    */ "${EVIL}",\n`],
  ['pom.xml', PLUGIN(''), '<version>', `<version a="${'x'.repeat(1_000)}">`],
  ['pom.xml', PLUGIN(''), '<project>', '<!DOCTYPE a><project>'],
  ['pom.xml', PLUGIN(''), '<project>', '<project><!--'],
  ['a.versions.toml', '[versions]\na = "1"\n', '"1"', `"1" #${'x'.repeat(1_000)}`],
  ['Chart.yaml', 'a: 1\n', 'a: 1', 'dependencies: [{name: a, version: 1.0.0}]'],
];

test('what is not read of lockfiles and manifests is a finding', async (t) => {
  for (const [path, text, from, to] of UNREAD_FORMS) {
    const found = await inChange(path, text, text.replace(from, to));
    const grade = path.startsWith('.terraform') ? 'high' : 'low';
    const unread = found.filter(({ id }) => id === 'lockfile-unread');
    t.deepEqual(
      unread.map(({ severity }) => severity),
      [grade],
      `${path}: ${to}`,
    );
  }
  const hunk = await inHunk(
    '.terraform.lock.hcl',
    TERRAFORM_LOCK,
    TERRAFORM_LOCK.replace('",', '"'),
  );
  t.true(idsOf(hunk).includes('lockfile-unread'));
});

test('lockfiles beside manifests are asked for after files that are judged', (t) => {
  const manifest = '{\n  "dependencies": {\n    "a": "1.0.0"\n  }\n}\n';
  const bump = diffOf('web/package.json', manifest, manifest.replace('1.0.0', '2.0.0'), 3);
  const code = diffOf('app.py', 'import os\n', 'import os\nos.system(x)\n', 3);
  const wants = wantedFiles(Buffer.from(bump + code), gateTools().rules).map(({ path }) => path);
  t.true(wants.includes('web/yarn.lock'));
  t.true(wants.lastIndexOf('app.py') < wants.findIndex((path) => path.endsWith('-lock.json')));
});

test('versions of manifests are compared as versions of lockfiles are', async (t) => {
  for (const [path, text, from, to, changes, ids] of VERSIONS) {
    const after = text.replace(from, to);
    const bytes = Buffer.from(diffOf(path, text, after, 3));
    const { files } = parseDiff(bytes);
    const side = (name: 'base' | 'head', content: string) =>
      ({ side: name, path, state: 'read', bytes: Buffer.from(content) }) as const;
    const trees = [side('base', text), side('head', after)];
    const { findings, summary } = await inspectDependencies({ bytes, files, ...ALONE, trees });
    const label = `${path}: ${from}`;
    const shown = (summary?.packages ?? []).map(
      ({ name, from: was, to: is }) => `${name} ${was} ${is}`,
    );
    t.is(shown.join(', '), changes, label);
    t.deepEqual(
      findings.map(({ id }) => id.replace('risk-lock-', '')).sort(),
      [...ids].sort(),
      label,
    );
  }
});

test('a posted diff shows versions of manifests as far as its hunks do', async (t) => {
  for (const [path, text, from, to] of VERSIONS.filter(([, , , , changes]) => changes !== '')) {
    const bytes = Buffer.from(diffOf(path, text, text.replace(from, to), 3));
    const { files } = parseDiff(bytes);
    const { summary } = await inspectDependencies({ bytes, files, ...ALONE });
    const isProperty = path === 'pom.xml' && from === '2.15.2';
    t.is(summary?.packages.length ?? 0, isProperty ? 0 : 1, `${path}: ${from}`);
    // The name of the module stands above the hunk.
    const isNameless = text === MERGED;
    if (isNameless) t.is(summary?.packages[0]?.name, 'registry.terraform.io/acme/net/aws');
  }
});

test('a lockfile that changes without its manifest is found, and the reverse', async (t) => {
  const lockfile = diffOf(
    'app/package-lock.json',
    texts.NPM_3,
    texts.NPM_3.replace('">=18"', '">=20"'),
    3,
  );
  const manifest = (from: string, to: string) =>
    diffOf(
      'app/package.json',
      `{\n  "dependencies": {\n${from}\n  }\n}\n`,
      `{\n  "dependencies": {\n${to}\n  }\n}\n`,
      3,
    );
  const asks = manifest('    "acme-tool": "^1.0.0"', '    "acme-tool": "^2.0.0"');
  const unpaired = async (diff: string, path: string) => {
    const bytes = Buffer.from(diff);
    const { files } = parseDiff(bytes);
    const trees = [{ side: 'head', path, state: 'read', bytes: Buffer.from('{}') }] as const;
    const { findings } = await inspectDependencies({ bytes, files, ...ALONE, trees });
    return findings.map(({ id }) => id).filter((id) => /alone|stale/.test(id));
  };
  t.deepEqual(await unpaired(lockfile, 'x'), ['risk-lock-alone']);
  t.deepEqual(await unpaired(lockfile + asks, 'x'), []);
  t.deepEqual(await unpaired(asks, 'app/yarn.lock'), ['risk-lock-stale']);
  t.deepEqual(await unpaired(asks, 'yarn.lock'), ['risk-lock-stale'], 'of the workspace');
  t.deepEqual(await unpaired(asks, 'other/yarn.lock'), []);
  const version = manifest('    "version": "1.0.0"', '    "version": "2.0.0"');
  t.deepEqual(await unpaired(version, 'app/yarn.lock'), [], 'no package');
});

test('a name that a manifest asks for in one line is compared in the lockfile', async (t) => {
  const after = texts.NPM_3.replace(EXPRESS, newNpm('lodahs'));
  const manifest = newFile('{"dependencies":{"lodahs":"1"}}', 'package.json').toString();
  const diff = diffOf('package-lock.json', texts.NPM_3, after, 3) + manifest;
  t.deepEqual(idsOf(await findingsOf(diff, {})), ['risk-lock-imitated-name']);
});

test('more new packages than are compared are said', async (t) => {
  const lines = Array.from({ length: 1_001 }, (_, n) => `acme-part-${n}==1.0`).join('\n');
  const found = await inNewFile('requirements.in', `${lines}\n`);
  t.deepEqual(idsOf(found), ['lockfile-unread']);
});

test('findings above the limit are said, and are as grave as the gravest of them', async (t) => {
  const text = (version: string, digit: string) =>
    Array.from({ length: 201 }, (_, at) => {
      return `acme-${at}==${version} --hash=sha256:${digit.repeat(64)}`;
    }).join('\n');
  const severityOf = async (after: string) => {
    const found = await inChange('requirements.txt', text('2.0.1', 'a'), after);
    return found.filter(({ id }) => id === 'lockfile-unread').map(({ severity }) => severity);
  };
  t.deepEqual(await severityOf(text('2.0.0', 'b')), ['low'], 'older versions');
  t.deepEqual(await severityOf(text('2.0.1', 'b')), ['critical'], 'other checksums');
});

test('steps to another major version are one finding, which blocks nothing', async (t) => {
  const after = texts.NPM_3.replace('"version": "2.1.0"', '"version": "3.0.0"')
    .replace('acme-tool-2.1.0.tgz', 'acme-tool-3.0.0.tgz')
    .replace('"version": "1.4.0"', '"version": "2.0.0"')
    .replace('core-1.4.0.tgz', 'core-2.0.0.tgz');
  const found = await inChange('package-lock.json', texts.NPM_3, after);
  const majors = found.filter(({ id }) => id === 'risk-lock-major');
  t.is(majors.length, 1);
  t.like(majors[0], { severity: 'info', line: 15, excerpt: '"node_modules/acme-tool": {' });
  t.regex(majors[0]?.message ?? '', /acme-tool from 2\.1\.0 to 3\.0\.0/);
  t.regex(majors[0]?.message ?? '', /@acme\/core from 1\.4\.0 to 2\.0\.0/);
});

test('a lockfile whose old version cannot be read does not count as new', async (t) => {
  const after = texts.NPM_3.replace(SHA512('a'), SHA512('x'));
  const path = 'package-lock.json';
  const head = { side: 'head', path, state: 'read', bytes: Buffer.from(after) } as const;
  const base = { side: 'base', path, state: 'too-large', bytes: null } as const;
  const diff = diffOf(path, texts.NPM_3, after, 3);
  t.deepEqual(idsOf(await findingsOf(diff, { files: [head, base] })).sort(), [
    'lockfile-unread',
    ...CHANGED,
  ]);
});

test('a name with more entries than are compared is a finding', async (t) => {
  const entries = (from: number) =>
    Array.from({ length: 1_001 }, (_, n) => {
      const entry = { version: `1.0.${n + from}`, resolved: `https://a.example/${n + from}` };
      return [`node_modules/d${n}/node_modules/ms`, entry];
    });
  const text = (from: number) =>
    JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(entries(from)) }, null, 2);
  const found = await inChange('package-lock.json', text(0), text(5_000));
  t.true(idsOf(found).includes('lockfile-unread'));
});

test.serial('many entries of one name, and findings behind many lines, cost little', async (t) => {
  const lines = (count: number, from: number) =>
    Array.from({ length: count }, (_, n) => `a.example/a v1.${n + from}.0 h1:a=\n`).join('');
  const entries = Array.from({ length: 200 }, (_, n) => {
    const source = `git+https://github.com/a/a${n}.git`;
    return `"a${n}@${source}":\n  version "1.0.0"\n  resolved "${source}#1"\n`;
  });
  const manyFromGit = Array.from({ length: 5_000 }, (_, n) => {
    return `"a${n}@*":\n  version "1.0.0"\n  resolved "git+https://github.com/a/a${n}.git#1"\n`;
  }).join('\n');
  const images = (nameOf: (n: number) => string) =>
    Array.from({ length: 2_500 }, (_, n) => `image: ${nameOf(n)}\n`).join('');
  const cases = [
    ['go.sum', lines(1_000, 0), lines(20_000, 5_000), 'lockfile-unread'],
    [
      'yarn.lock',
      texts.YARN_1,
      '\n'.repeat(3_000_000) + entries.join('\n'),
      'risk-lock-foreign-source',
    ],
    ['yarn.lock', texts.YARN_1, manyFromGit, 'risk-lock-foreign-source'],
    [
      'compose.yaml',
      images((n) => `a${n}@sha256:${'2'.repeat(64)}`),
      images((n) => `b${n}:1`),
      'risk-pin-removed',
    ],
  ] as const;
  for (const [path, before, after, expected] of someOf(cases)) {
    const isPin = path === 'compose.yaml';
    const bytes = Buffer.from(
      isPin ? diffOf(path, before, after, 0) : diffOf(path, 'a\n', 'b\n', 0),
    );
    const { files } = parseDiff(bytes);
    const trees = (['base', 'head'] as const).map((side) => {
      const text = Buffer.from(side === 'base' ? before : after);
      return { side, path, state: 'read', bytes: text } as const;
    });
    const bytesBeside = Buffer.from(
      path === 'yarn.lock' ? `{"a": "${'B'.repeat(1_500_000)}"}` : '',
    );
    const beside = {
      side: 'head',
      path: 'package.json',
      state: 'read',
      bytes: bytesBeside,
    } as const;
    const input = { bytes, files, ...ALONE, trees: [...trees, beside] };
    const start = process.cpuUsage();
    const { findings } = await inspectDependencies(input);
    const { user } = process.cpuUsage(start);
    t.true(findings.some(({ id }) => id === expected));
    // A busy machine is slow at both.
    const steps = (user / 1000 / cpuOf(countUp)) * COUNTED;
    t.true(steps < 3_000_000_000, `${path}: the time of ${steps} steps`);
  }
});

const COUNTED = 50_000_000;

/** A step of it takes about a cycle of the processor. */
function countUp(): number {
  let sum = 0;
  for (let at = 0; at < COUNTED; at += 1) sum = (sum + at) | 0;
  return sum;
}

test('a posted diff says that the packages were compared by hunks', async (t) => {
  const after = texts.NPM_3.replace('"node": ">=18"', '"node": ">=20"');
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);
  const only = 'dependencies-hunks-only';
  t.true(ids(await inHunk('package-lock.json', texts.NPM_3, after)).includes(only));
  t.false(ids(await inChange('package-lock.json', texts.NPM_3, after)).includes(only));
});

test('names that no registry takes do not fill the record', async (t) => {
  const long = 'x'.repeat(15_000);
  const many = Array.from({ length: 300 }, (_, n) => `example.com/${n}${long} v1.0.0 h1:a=`);
  const bytes = Buffer.from(diffOf('go.sum', '', `${many.join('\n')}\n`, 0));
  const { files } = parseDiff(bytes);
  const found = await inspectDependencies({ bytes, files, ...ALONE });
  t.true(JSON.stringify(found).length < 100_000);
  t.true(idsOf(found.findings).includes('lockfile-unread'));
});

test('the packages of a change are counted, direct ones first', async (t) => {
  const after = texts.NPM_3.replace('"version": "2.1.0"', '"version": "2.2.0"')
    .replace('acme-tool-2.1.0.tgz', 'acme-tool-2.2.0.tgz')
    .replace(EXPRESS, newNpm('ms'))
    .replace('"@acme/core": "^1.0.0"', '"@acme/core": "^1.0.0",\n        "ms": "1.0.0"');
  const bytes = Buffer.from(diffOf('package-lock.json', texts.NPM_3, after, 3));
  const { files } = parseDiff(bytes);
  const { summary } = await inspectDependencies({ bytes, files, ...ALONE });
  const file = 'package-lock.json';
  t.deepEqual(summary, {
    added: 1,
    transitive: 1,
    removed: 0,
    changed: 1,
    packages: [
      { file, name: 'acme-tool', from: '2.1.0', to: '2.2.0', direct: false, required_by: null },
      { file, name: 'ms', from: null, to: '1.0.0', direct: false, required_by: 'acme-tool' },
    ],
  });
});

test.serial('hostile lockfiles take time that is linear in their size', async (t) => {
  const forms: readonly ((size: number) => readonly [path: string, text: string])[] = [
    (size) => ['package-lock.json', `{\n${'    "a": {\n'.repeat(size / 12)}`],
    (size) => ['package-lock.json', `${' '.repeat(size)}"x`],
    (size) => ['package-lock.json', `"${'\\"'.repeat(size / 2)}`],
    (size) => ['yarn.lock', `${'\n'.repeat(size)}version`],
    (size) => ['yarn.lock', 'a@1:\n'.repeat(size / 5)],
    (size) => ['pnpm-lock.yaml', 'a:b:'.repeat(size / 4)],
    (size) => ['pnpm-lock.yaml', `packages:\n${'  ? a\n'.repeat(size / 6)}`],
    (size) => ['Cargo.lock', `[${'a.'.repeat(size / 2)}`],
    (size) => ['poetry.lock', `[[package]]\n${'files = [\n'.repeat(size / 10)}`],
    (size) => ['poetry.lock', `[metadata.files]\na = [\n${'{hash = "a:b"},\n'.repeat(size / 10)}`],
    (size) => ['uv.lock', `[[package]]\nwheels = [\n${'{ url = "https:b" }\n'.repeat(size / 10)}`],
    (size) => ['requirements.txt', `a==1 ${'--hash=sha256:a '.repeat(size / 16)}`],
    (size) => ['verification-metadata.xml', '<component name="'.repeat(size / 17)],
    (size) => ['package.json', `${' '.repeat(size)}"x": "1`],
  ];
  for (const form of someOf(forms)) {
    const costs: number[] = [];
    for (const size of [100_000, 400_000]) {
      const [path, text] = form(size);
      const bytes = Buffer.from(diffOf(path, '', text, 0));
      const { files } = parseDiff(bytes);
      const before = process.cpuUsage();
      await inspectDependencies({ bytes, files, ...ALONE });
      const { user, system } = process.cpuUsage(before);
      costs.push((user + system) / 1000);
    }
    const [small = 0, large = 0] = costs;
    t.true(large < 100 + small * 10, `${form(20)[0]}: ${small} and ${large} ms`);
  }
});

test('odd texts that the tools write themselves are read', (t) => {
  const engines = ['^6 ||  >=8', "please don't", 'use "yarn"', '">=8\\t"'];
  for (const text of engines) {
    const lock = `packages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-a}\n    engines: {node: ${text}}\n`;
    t.is(readPnpmLock(lock, false).problem, null, text);
  }
  const long = `a@1.0.0(${'b@1.0.0)('.repeat(150)}c@1.0.0)`;
  const folded = [
    ...['packages:', '', `  ? ${long}`, '  : resolution: {integrity: sha512-a}'],
    ...[
      '    peerDependencies:',
      '      d: >-',
      '        ^1.0.0 ||',
      '        ^2.0.0',
      '      e: ^1.0.0',
      "      g: '>3'",
    ],
    ...['', '  f@1.0.0:', '    resolution: {integrity: sha512-b}', ''],
  ].join('\n');
  const { problem, packages } = readPnpmLock(folded, false);
  t.is(problem, null);
  t.deepEqual(
    packages.map(({ name, hashes }) => `${name} ${hashes[0]?.value}`),
    ['a a', 'f b'],
  );
  // Another text of several lines could hide an address.
  for (const text of ['|-', '>', '>2-', '>-  ']) {
    t.not(readPnpmLock(folded.replace('>-', text), false).problem, null, text);
  }
  const hidden = folded.replace(
    '{integrity: sha512-b}',
    '\n      tarball: >-\n        https://evil.io/f.tgz',
  );
  t.deepEqual(
    readPnpmLock(hidden, false).packages.map(({ source }) => source),
    [null, 'https://evil.io/f.tgz'],
  );
  // A blank line within is a line break, which clients leave out of an address.
  for (const [more, isRead] of [
    ['\n', true],
    ['\n\n      id: 1', true],
    ['\n\n        .evil.io', false],
    ['\n  \n          .evil.io', false],
    ['\n\n        # evil', false],
    ['\n# evil\n        .evil.io', false],
    ['\n        a'.repeat(200), false],
  ] as const) {
    t.is(readPnpmLock(`${hidden.trimEnd()}${more}\n`, false).problem === null, isRead, more);
  }
  const path = String.raw`a@file:..\\lib\\a`;
  const yarn1 = `# yarn lockfile v1\n\n"${path}":\n  version "1.0.0"\n`;
  const yarn4 = `"${path}":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n`;
  for (const text of [yarn1, yarn4]) {
    const read = readYarnLock(text, false);
    t.is(read.problem, null, text);
    t.is(read.packages[0]?.name, 'a');
    t.not(readYarnLock(text.replace(/\\\\lib/, '\\u002c'), false).problem, null);
  }
  const runtime = [
    ...['packages:', '', '  node@runtime:22.0.0:', '    resolution:', '      type: variations'],
    ...['      variants:', '        - resolution:', '            type: binary'],
    ...['          targets:', '            - cpu: ppc64', '              os: aix', ''],
  ];
  t.is(readPnpmLock(runtime.join('\n'), false).problem, null);
  for (const text of ['"a\\\\example"', '"path \\\\users"', `"a ''' b"`]) {
    const lock = `[[package]]\nname = "a"\nversion = "1.0"\ndescription = ${text}\n`;
    t.is(readTomlLock(lock, false).problem, null, text);
  }
});
