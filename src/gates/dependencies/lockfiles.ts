import { readChart, readMavenSettings, readPom, readVersionCatalog } from './asked-versions.ts';
import { readGemfileLock } from './bundler.ts';
import { readComposerLock } from './composer.ts';
import { readGoMod, readGoSum } from './go.ts';
import { readGradleVerification, readWrapper } from './gradle.ts';
import type { ReadLockfile } from './locked-package.ts';
import { readNpmLock } from './npm.ts';
import { readPnpmLock } from './pnpm.ts';
import { readPipfileLock, readRequirements } from './python.ts';
import { readTerraform, readTerraformLock } from './terraform.ts';
import { readCargoLock, readTomlLock } from './toml-locks.ts';
import { readYarnLock } from './yarn.ts';

/** Whose packages a lockfile holds. */
export type Ecosystem =
  | 'npm'
  | 'pypi'
  | 'cargo'
  | 'go'
  | 'composer'
  | 'rubygems'
  | 'maven'
  | 'helm'
  | 'terraform';

interface LockfileKind {
  ecosystem: Ecosystem;
  read: ReadLockfile;
  /** Names of the files in which people ask for packages, and of the one beside the lockfile. */
  manifest: RegExp;
  beside: string;
  /** People write it: it is compared as a lockfile is, and asks for all that it names. */
  isManifest?: true;
}

const NPM = {
  ecosystem: 'npm',
  manifest: /^package\.json$|^pnpm-workspace\.yaml$/,
  beside: 'package.json',
} as const;
const PYTHON = {
  ecosystem: 'pypi',
  beside: 'pyproject.toml',
  manifest: /^(?:pyproject\.toml|Pipfile|setup\.(?:py|cfg)|requirements[^/]*\.(?:in|txt))$/,
} as const;

const asked = (ecosystem: Ecosystem, read: ReadLockfile): LockfileKind => {
  return { ecosystem, read, manifest: /^$/, beside: '', isManifest: true };
};
const TERRAFORM = asked('terraform', readTerraform);

/** Lockfiles by their names in lower case, and manifests that say versions. */
const KINDS: ReadonlyMap<string, LockfileKind> = new Map<string, LockfileKind>([
  ['package-lock.json', { ...NPM, read: readNpmLock }],
  ['npm-shrinkwrap.json', { ...NPM, read: readNpmLock }],
  ['yarn.lock', { ...NPM, read: readYarnLock }],
  ['pnpm-lock.yaml', { ...NPM, read: readPnpmLock }],
  ['poetry.lock', { ...PYTHON, read: readTomlLock }],
  ['uv.lock', { ...PYTHON, read: readTomlLock }],
  ['pdm.lock', { ...PYTHON, read: readTomlLock }],
  ['pipfile.lock', { ...PYTHON, read: readPipfileLock }],
  [
    'cargo.lock',
    { ecosystem: 'cargo', manifest: /^Cargo\.toml$/, beside: 'Cargo.toml', read: readCargoLock },
  ],
  [
    'go.sum',
    { ecosystem: 'go', manifest: /^go\.(?:mod|work)$/, beside: 'go.mod', read: readGoSum },
  ],
  [
    'go.work.sum',
    { ecosystem: 'go', manifest: /^go\.(?:mod|work)$/, beside: 'go.mod', read: readGoSum },
  ],
  [
    'composer.lock',
    {
      ecosystem: 'composer',
      manifest: /^composer\.json$/,
      beside: 'composer.json',
      read: readComposerLock,
    },
  ],
  [
    'gemfile.lock',
    {
      ecosystem: 'rubygems',
      manifest: /^Gemfile$|\.gemspec$/,
      beside: 'Gemfile',
      read: readGemfileLock,
    },
  ],
  [
    'gems.locked',
    { ecosystem: 'rubygems', manifest: /^gems\.rb$/, beside: 'gems.rb', read: readGemfileLock },
  ],
  [
    'verification-metadata.xml',
    {
      ecosystem: 'maven',
      manifest: /\.gradle(?:\.kts)?$|^libs\.versions\.toml$/,
      beside: 'build.gradle',
      read: readGradleVerification,
    },
  ],
  ['go.mod', asked('go', readGoMod)],
  ['go.work', asked('go', readGoMod)],
  ['pom.xml', asked('maven', readPom)],
  ['settings.xml', asked('maven', readMavenSettings)],
  ['gradle-wrapper.properties', asked('maven', readWrapper)],
  ['maven-wrapper.properties', asked('maven', readWrapper)],
  ['chart.yaml', asked('helm', readChart)],
  ['chart.lock', asked('helm', readChart)],
  [
    '.terraform.lock.hcl',
    { ecosystem: 'terraform', manifest: /\.tf$/, beside: '', read: readTerraformLock },
  ],
]);
/** Lockfiles of other tools, which nothing here reads. */
const UNREAD: ReadonlySet<string> = new Set([
  ...['bun.lock', 'bun.lockb', 'deno.lock', 'packages.lock.json', 'gradle.lockfile'],
  ...['mix.lock', 'pubspec.lock', 'podfile.lock', 'package.resolved', 'pixi.lock', 'flake.lock'],
  ...['cabal.project.freeze', 'stack.yaml.lock', 'conan.lock', 'pylock.toml', 'rebar.lock'],
]);

/** Whether a file is a lockfile that is not compared. */
export const isUnreadLockfile = (path: string) => UNREAD.has(nameOf(path));

/** Without blanks at the end, and as file systems that ignore the case compare it. */
const nameOf = (path: string) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .trimEnd()
    .toLowerCase();

const REQUIREMENTS = /(?:^|\/)(?:[^/]*(?:requirements|constraints)[^/]*|requirements\/[^/]+)\.txt$/;

/** The kind of a lockfile by its path; null for any other file. */
export function lockfileOf(path: string): LockfileKind | null {
  const trimmed = path.trimEnd();
  const kind = KINDS.get(nameOf(path));
  if (kind !== undefined) return kind;
  // Each file of each change is asked for.
  if (trimmed.endsWith('.tf')) return TERRAFORM;
  if (trimmed.endsWith('.versions.toml')) return asked('maven', readVersionCatalog);
  if (!trimmed.endsWith('.txt') || !REQUIREMENTS.test(trimmed)) return null;
  return { ...PYTHON, read: readRequirements };
}
