import type { LockedPackage } from './locked-package.ts';
import type { Ecosystem } from './lockfiles.ts';
import { isFileOf } from './python-names.ts';

const FOLDER = 'a folder of the repository';

/** Registries that serve the same packages under several names. */
const NPM_REGISTRIES = /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|registry\.npmmirror\.com)$/;

/** Both serve the same modules and providers under the same names. */
const TERRAFORM = 'registry.terraform.io';
const OPENTOFU = 'registry.opentofu.org';

/** Where tools look first, and for Composer the hosts that Packagist names. */
const PUBLIC_ORIGINS: Partial<Record<Ecosystem, RegExp>> = {
  npm: /^registry\.npmjs\.org$/,
  pypi: /(?:^| )(?:files\.pythonhosted\.org|pypi\.org)/,
  cargo: /^the registry (?:github\.com\/rust-lang\/crates\.io-index|index\.crates\.io\/)$/,
  rubygems: /^rubygems\.org$/,
  terraform: /^the registry registry\.terraform\.io(?:\/|$)/,
  composer: /^(?:github\.com|gitlab\.com|bitbucket\.org)\//,
};

/** Hosts that serve a repository under several addresses; its owner and name come first. */
const REPOSITORY =
  /^(?:(?:codeload\.|api\.|raw\.)?(github)(?:usercontent)?\.com(?:\/repos)?|(gitlab)\.com(?:\/api\/v4\/projects)?|(bitbucket)\.org)\/([^/]+\/[^/]+)/;

const DOTS = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** Nothing in it has another form, as in nearly all addresses of registries. */
const PLAIN_ADDRESS = /^https:\/\/[^\s\\/][^\s\\]*$/;

/**
 * An address in one form. Browsers and Node.js read both slashes as one, and take any number of
 * them after `https:` (url.spec.whatwg.org, special schemes).
 */
function plainAddress(source: string): string {
  if (PLAIN_ADDRESS.test(source)) return source;
  return source
    .trim()
    .replaceAll('\\', '/')
    .replace(/^((?:git\+|registry\+|sparse\+)?https?):\/*/i, '$1://')
    .replace(/^git@([^:/]+):/, 'git+ssh://git@$1/')
    .replace(/^(github|gitlab):/, 'git+https://$1.com/')
    .replace(/^bitbucket:/, 'git+https://bitbucket.org/');
}

/**
 * The host, or for git the repository, that a package comes from; null: the lockfile does not say.
 */
export function originOf(source: string | null): string | null {
  const plain = source === null ? '' : plainAddress(source);
  if (plain === '' || plain.startsWith('workspace:')) return null;
  if (/^(?:link:|file:|\.{0,2}\/)/.test(plain)) return FOLDER;
  const url =
    /^(?:(git|registry|sparse)\+)?([a-z+]+):\/\/(?:[^/@\s?#]*@)?([^/\s?#]+)([^?#\s]*)/i.exec(plain);
  // A client takes such a segment for the folder above, which may be another owner.
  if (url === null || DOTS.test(plain)) return `the address ${plain}`;
  const [, kind, scheme = '', host = '', path = ''] = url;
  const isGit = kind === 'git' || scheme.startsWith('git') || scheme === 'ssh';
  const name = host.toLowerCase();
  if (kind !== undefined && !isGit) {
    const server = name === OPENTOFU ? TERRAFORM : name;
    return `the registry ${server}${path}`;
  }
  const address = `${name}${path}`.toLowerCase().replaceAll('%2f', '/');
  const [, github, gitlab, bitbucket, repository] = REPOSITORY.exec(address) ?? [];
  if (repository !== undefined) {
    const site = github ? 'github.com' : gitlab ? 'gitlab.com' : bitbucket && 'bitbucket.org';
    return `${site}/${repository.replace(/\.git$/, '')}`;
  }
  if (isGit) return address.replace(/\.git$/, '');
  if (scheme === 'http') return `http://${name}`;
  return NPM_REGISTRIES.test(name) ? 'registry.npmjs.org' : name;
}

/** The host of a registry of Terraform that is not the usual one; null: the usual one, or git. */
export function terraformHost(source: string | null): string | null {
  const [, host = TERRAFORM] = /^registry\+https:\/\/([^/]+)/.exec(source ?? '') ?? [];
  return host === TERRAFORM ? null : host;
}

/**
 * Whether two entries are of the registries of Terraform and of OpenTofu. OpenTofu builds
 * providers itself, so one version has other checksums there.
 */
export function isBuiltTwice(one: LockedPackage, other: LockedPackage): boolean {
  const hosts = [terraformHost(one.source), terraformHost(other.source)];
  return (
    hosts.includes(OPENTOFU) &&
    originOf(one.source) === originOf(other.source) &&
    hosts[0] !== hosts[1]
  );
}

/** Of all addresses of a package. */
export function originsOf({ source, alsoFrom = [] }: LockedPackage): string[] {
  return [source, ...alsoFrom].flatMap((address) => originOf(address) ?? []);
}

/** Whether packages of an ecosystem come from there when nobody names a server. */
export function isPublic(origin: string, ecosystem: Ecosystem): boolean {
  return PUBLIC_ORIGINS[ecosystem]?.test(origin) === true;
}

/** Whether it is known where packages of an ecosystem come from when nobody names a server. */
export const hasPublicOrigin = (ecosystem: Ecosystem) => PUBLIC_ORIGINS[ecosystem] !== undefined;

/** The part of an origin that a manifest has when it asks for it. */
export const namedPart = (origin: string) =>
  origin.replace(/^(?:the registry |(?:github\.com|gitlab\.com|bitbucket\.org)\/|http:\/\/)/, '');

/** Whether the repository or this machine holds a package. */
export const isLocal = ({ source }: LockedPackage) =>
  source !== null && /^(?:link|file|workspace):/.test(source);

/** Whether no registry holds a package: git, or an archive of a host of source code. */
export function isForeign({ source }: LockedPackage): boolean {
  if (source === null) return false;
  return (
    /^(?:git[+:@]|git\+|ssh:|http:|github:|gitlab:|bitbucket:|gist:)/i.test(source) ||
    /^https:\/\/(?:codeload\.github\.com|github\.com|gitlab\.com|bitbucket\.org|raw\.githubusercontent\.com)\//i.test(
      source,
    )
  );
}

/**
 * The package and version in the address of a tarball (`/name/-/name-1.0.0.tgz`), in the names
 * of the files of a Python package, or the commit in the address of a package of Composer, if these
 * are not the package and version of the entry; null: they are, or nothing names a package.
 */
export function archiveMismatch(one: LockedPackage, ecosystem: Ecosystem): string | null {
  if (ecosystem === 'npm') return tarballMismatch(one);
  if (ecosystem === 'composer') return commitMismatch(one);
  const { name, version, hashes } = one;
  if (ecosystem !== 'pypi' || name === null) return null;
  const other = hashes.find(({ file }) => file !== '' && !isFileOf(file, name, version));
  return other === undefined ? null : `the archive ${other.file}`;
}

function tarballMismatch({ name, version, source }: LockedPackage): string | null {
  if (source === null || name === null) return null;
  const [, path = '', file] =
    /^https?:\/\/[^/]+\/([^?#]*?)\/-\/([^/?#]+)\.tgz/i.exec(plainAddress(source)) ?? [];
  if (file === undefined) {
    const isOfNpm = originOf(source) === 'registry.npmjs.org' && /^https?:/i.test(source);
    return isOfNpm ? 'an address that the registry has for no package' : null;
  }
  const [scope = '', last = ''] = path
    .replace(/%40/, '@')
    .replace(/%2f/i, '/')
    .split('/')
    .slice(-2);
  const real = last === '' ? scope : scope.startsWith('@') ? `${scope}/${last}` : last;
  const base = name.slice(name.lastIndexOf('/') + 1);
  const isName = real.toLowerCase() === name.toLowerCase();
  if (isName && (version === null || file === `${base}-${version.split('+')[0]}`)) return null;
  if (isName && file.startsWith(`${base}-`) && file.includes(version ?? '')) return null;
  return isName ? `the archive ${file} of ${real}` : `the package ${real}`;
}

/** Addresses of the archive of a commit, as Composer writes them (`Repository/Vcs`). */
const COMMIT_ARCHIVE =
  /^https:\/\/(?:(?:(?:api\.|codeload\.)?github\.com\/(?:repos\/)?[^/?#]+\/[^/?#]+\/(?:zipball|tarball|legacy\.zip|zip|archive)|bitbucket\.org\/[^/?#]+\/[^/?#]+\/get)\/([0-9a-f]{40})(?:\.zip|\.tar\.gz)?|gitlab\.com\/api\/v4\/projects\/[^/?#]+\/repository\/archive\.(?:zip|tar\.gz)\?sha=([0-9a-f]{40}))$/;

/** Composer downloads `dist.url`, and does not compare it with `dist.reference`. */
function commitMismatch({ source, hashes }: LockedPackage): string | null {
  const commits = hashes.filter(({ file, value }) => {
    return file === 'dist.reference' && /^[0-9a-f]{40}$/.test(value);
  });
  const origin = originOf(source);
  if (source === null || commits.length === 0 || origin === null) return null;
  if (!isPublic(origin, 'composer')) return null;
  const [, plain, ofGitlab] = COMMIT_ARCHIVE.exec(source) ?? [];
  const commit = plain ?? ofGitlab;
  if (commits.every(({ value }) => value === commit)) return null;
  return `${commit === undefined ? 'an address without its commit' : `commit ${commit}`}, and not to ${commits[0]?.value}`;
}
