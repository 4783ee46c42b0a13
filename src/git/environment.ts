import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FULL_SHA, REPO_FULL_NAME, type VcsHost } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { FIELDS } from '../model/limits.ts';
import type { SourceRepository } from '../rpc/source-contract.ts';
import { GIT } from './limits.ts';

/** How a repository names its objects. */
export type ObjectFormat = 'sha1' | 'sha256';

const SHA256_CHARS = 64;

/** Which format an id is of. */
export function formatOf(id: string): ObjectFormat {
  return id.length === SHA256_CHARS ? 'sha256' : 'sha1';
}

/** The tree without entries, which git knows in every repository. */
export const EMPTY_TREES: Readonly<Record<ObjectFormat, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/**
 * What a host's old repositories have and a mirror, which is never checked out, can live with:
 * odd names and dates of people, files that only mean something in a work tree. What would make
 * a diff unreliable (entries twice, out of order, without name, of unknown kind, broken links)
 * stays an error. https://git-scm.com/docs/git-fsck#_fsck_messages
 */
export const HARMLESS = [
  'badDate',
  'badDateOverflow',
  'badEmail',
  'badName',
  'badTagName',
  'badTimezone',
  'gitattributesLarge',
  'gitattributesLineLength',
  'gitmodulesName',
  'gitmodulesParse',
  'gitmodulesPath',
  'gitmodulesSymlink',
  'gitmodulesUpdate',
  'gitmodulesUrl',
  'largePathname',
  'missingEmail',
  'missingNameBeforeEmail',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingTaggerEntry',
  'multipleAuthors',
  'nulInCommit',
  'zeroPaddedDate',
  'zeroPaddedFilemode',
];

const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  // Nothing that a repository or user brings runs, hides or renames anything.
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.quotePath', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.logAllRefUpdates', 'false'],
  ['credential.helper', ''],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.renames', 'true'],
  ['diff.renameLimit', String(GIT.RENAMES_MAX)],
  ['diff.suppressBlankEmpty', 'false'],
  // Mirrors are kept in order by us alone, under their lock.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // Of a repository that lends objects a mirror keeps heads of its own; it may have 100,000 refs.
  ['core.alternateRefsPrefixes', 'refs/none'],
  // A pack is there as a whole or not at all; loose objects could be a commit without its tree.
  ['fetch.unpackLimit', '1'],
  ['fetch.fsckObjects', 'true'],
  ...HARMLESS.map((name) => [`fetch.fsck.${name}`, 'ignore'] as const),
  ['protocol.version', '2'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', String(GIT.STALL_BYTES_PER_SECOND)],
  ['http.lowSpeedTime', String(GIT.STALL_SECONDS)],
];

/** The environment of every git, made from nothing: what the daemon was given does not reach it. */
export const PLAIN = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Refs are files: that is how a fetch is checked.
  GIT_DEFAULT_REF_FORMAT: 'files',
  GIT_PROTOCOL_FROM_USER: '0',
};

/** For commands in a mirror, which speak to nobody. */
export function localEnvironment(gitDir: string, format: ObjectFormat): Record<string, string> {
  const empty = EMPTY_TREES[format];
  return {
    ...PLAIN,
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_DIR: gitDir,
    // Newer versions read attributes from a tree: from an empty one.
    GIT_ATTR_SOURCE: empty,
    ...configVariables([...SETTINGS, ['attr.tree', empty]]),
  };
}

/** For commands that speak to the host of an address; `gitDir` null: outside of any mirror. */
export function remoteEnvironment(
  address: Address,
  gitDir: string | null,
  more: readonly (readonly [name: string, value: string])[] = [],
): Record<string, string> {
  const header = authorization(address.host);
  const credentials = header === null ? [] : ([['http.extraHeader', header]] as const);
  const { caFile, proxy } = address.host;
  const trust = caFile === undefined ? [] : ([['http.sslCAInfo', caFile]] as const);
  return {
    ...PLAIN,
    ...proxy,
    GIT_ALLOW_PROTOCOL: address.protocol,
    ...(gitDir === null ? {} : { GIT_DIR: gitDir }),
    ...configVariables([...SETTINGS, ...credentials, ...trust, ...more]),
  };
}

/** What must not be said of a host, whatever git says. */
export function secretsOf(host: VcsHost): string[] {
  const own = host.token === null ? [] : [host.token, basicOf(host.username, host.token)];
  return [...own, ...proxySecrets(host)];
}

/** Git and curl name a proxy as it was given, or its parts. */
function proxySecrets({ proxy = {} }: VcsHost): string[] {
  return [proxy.https_proxy, proxy.http_proxy].flatMap((address) => {
    if (address === undefined) return [];
    const { username, password } = new URL(address);
    const parts = [`${username}:${password}`, password, decode(password), username];
    return [address, ...parts].filter((part) => part !== '' && part !== ':');
  });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function authorization({ username, token }: VcsHost): string | null {
  return token === null ? null : `Authorization: Basic ${basicOf(username, token)}`;
}

function basicOf(username: string, token: string): string {
  return Buffer.from(`${username}:${token}`).toString('base64');
}

/** https://git-scm.com/docs/git-config#Documentation/git-config.txt-GITCONFIGCOUNT */
function configVariables(
  settings: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  settings.forEach(([name, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = name;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}

/**
 * Options of every patch: its text depends on the commits alone, not on anybody's settings, and
 * no program of the repository's choice (external diff, textconv) makes it. Content that is binary
 * stays a marker: no gate could read the data of a binary patch.
 * https://git-scm.com/docs/diff-options
 */
export const PATCH_OPTIONS: readonly string[] = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--full-index',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--ignore-submodules=none',
  '--diff-algorithm=default',
];

/**
 * Context for rules over several lines: an RSA key of 16,384 bits has 200 lines of PEM. It is
 * bounded, so that one long file costs no more than its changes.
 */
export const WIDE_CONTEXT = '--unified=400';

/**
 * What a diff takes for text. Attributes of a mirror stand above the attributes of any tree, so no
 * pushed `.gitattributes` hides anything. https://git-scm.com/docs/gitattributes
 */
type TextChoice =
  /** What git finds by looking at the content: no NUL among its first 8,000 bytes. */
  | { kind: 'content' }
  /** All but what is binary by its name, and these paths (one character a byte). */
  | { kind: 'all'; but: readonly string[] };

const NEUTRAL =
  '* !diff !binary !text !eol !ident !filter !merge !working-tree-encoding !export-subst\n';

/** Sets the attributes of a mirror, all at once. */
export function setAttributes(gitDir: string, choice: TextChoice): void {
  const path = join(gitDir, 'info', 'attributes');
  // Not named like a leftover of git: it is replaced by the next write at the latest.
  writeFileSync(`${path}.new`, Buffer.from(attributesOf(choice), 'latin1'));
  renameSync(`${path}.new`, path);
}

function attributesOf(choice: TextChoice): string {
  if (choice.kind === 'content') return NEUTRAL;
  const names = BINARY_EXTENSIONS.map((extension) => `*.${eitherCase(extension)} !diff\n`);
  const paths = choice.but.map((path) => `${quoted(path)} !diff\n`);
  return [NEUTRAL, '* diff\n', ...names, ...paths].join('');
}

function eitherCase(extension: string): string {
  return extension.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** A path as a pattern that fits it alone, in the quotes of C. */
function quoted(path: string): string {
  const pattern = `/${path.replace(/[*?[\\]/g, '\\$&')}`;
  const text = pattern.replace(/[^\x20-\x7e]|["\\]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${text}"`;
}

/** Whether a path ends like a format that is binary by design. */
export function hasBinaryName(path: string): boolean {
  const name = path.toLowerCase();
  return BINARY_EXTENSIONS.some((extension) => name.endsWith(`.${extension}`));
}

/**
 * Extensions of formats that are binary by design. As text they would be noise to every rule, so
 * they stay a marker in the diff, which the gates report; any other file with a NUL is shown.
 */
const BINARY_EXTENSIONS: readonly string[] = [
  // images and fonts
  ...['avif', 'bmp', 'eot', 'gif', 'heic', 'icns', 'ico', 'jpeg', 'jpg', 'otf', 'png', 'psd'],
  ...['tif', 'tiff', 'ttc', 'ttf', 'webp', 'woff', 'woff2', 'svgz'],
  // sound and video
  ...['aac', 'avi', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'wav', 'webm'],
  // archives and packages
  ...['7z', 'apk', 'bz2', 'deb', 'ear', 'gem', 'gz', 'iso', 'jar', 'lz4', 'nupkg', 'rar', 'rpm'],
  ...['tar', 'tbz2', 'tgz', 'txz', 'war', 'whl', 'xz', 'zip', 'zst'],
  // programs
  ...['a', 'class', 'dll', 'dylib', 'elf', 'exe', 'lib', 'node', 'o', 'obj', 'pdb', 'pyc', 'so'],
  'wasm',
  // documents and data
  ...['avro', 'db', 'doc', 'docx', 'h5', 'npy', 'npz', 'odt', 'onnx', 'parquet', 'pdf', 'ppt'],
  ...['pptx', 'sqlite', 'sqlite3', 'xls', 'xlsx', 'jks', 'keystore', 'p12', 'pfx', 'mo'],
];

/** A repository on a configured host. */
export interface Address {
  host: VcsHost;
  /** Full name, as `owner/repo`. */
  repo: string;
  /** The configured URL and the repository's name, nothing else; without credentials. */
  url: string;
  /** The one protocol that git may speak. */
  protocol: 'https' | 'http' | 'file';
  /** Name of its mirrors: a hash of host and name. */
  key: string;
}

const PROTOCOLS = ['https', 'http', 'file'] as const;

/**
 * Where a repository is. Throws NOT_FOUND for a host that is not configured, INVALID_ARGUMENT for
 * a name or URL that git must not see.
 */
export function addressOf(hosts: readonly VcsHost[], repository: SourceRepository): Address {
  const { host: id, repo_full_name: name } = repository;
  const host = hosts.find((one) => one.id === id);
  if (host === undefined) throw refuse('NOT_FOUND', 'the host is not configured');
  if (name.length > FIELDS.REPO_NAME_CHARS_MAX || !REPO_FULL_NAME.test(name)) {
    throw refuse('INVALID_ARGUMENT', 'the name of the repository is not valid at a host');
  }
  const protocol = PROTOCOLS.find((one) => host.url.startsWith(`${one}://`));
  // `file://host/path` is a path, too; a name or token in a URL would be in command lines.
  const isPlain = /^[^@?#\s]+$/.test(host.url) && !/^file:\/\/[^/]/.test(host.url);
  if (protocol === undefined || !isPlain) {
    throw refuse(
      'INVALID_ARGUMENT',
      `the URL of host ${id} must begin with https://, http:// or file:///`,
    );
  }
  const key = createHash('sha256').update(`${id}\0${name}`).digest('hex');
  return { host, repo: name, url: `${host.url}/${name}.git`, protocol, key };
}

/** Throws INVALID_ARGUMENT unless all are full ids of commits. */
export function checkIds(ids: readonly (string | null)[]): void {
  if (ids.some((id) => id !== null && !FULL_SHA.test(id))) {
    throw refuse('INVALID_ARGUMENT', 'a commit must be named by its full id');
  }
}

/** Throws INVALID_ARGUMENT unless all are full names of refs. */
export function checkRefs(refs: readonly string[]): void {
  if (!refs.every(isRefName)) {
    throw refuse('INVALID_ARGUMENT', 'a ref must be named in full, as refs/heads/main');
  }
}

function refuse(code: 'NOT_FOUND' | 'INVALID_ARGUMENT', reason: string): CraError {
  return new CraError(code, reason, { details: { reason } });
}

/** No part of a ref's name holds these: https://git-scm.com/docs/git-check-ref-format */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git's rule names them
const FORBIDDEN = /\.\.|@\{|\/\/|[\x00-\x20\x7f~^:?*[\\]|\/$|\.$/;

/** Whether a text is the full name of a ref, `refs/heads/main`, by git's own rules. */
export function isRefName(name: string): boolean {
  if (name.length > GIT.REF_CHARS_MAX || !name.startsWith('refs/') || FORBIDDEN.test(name)) {
    return false;
  }
  const parts = name.split('/');
  return (
    parts.length > 2 && parts.every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
  );
}
