import type { VcsHost } from '../hosts/settings.ts';
import type { Address } from './address.ts';
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
const HARMLESS = [
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
    // Newer versions read attributes from a tree: from one that has none.
    GIT_ATTR_SOURCE: empty,
    ...configVariables([...SETTINGS, ['attr.tree', empty]]),
  };
}

/** For commands that speak to the host of an address; `gitDir` null: outside of any mirror. */
export function remoteEnvironment(address: Address, gitDir: string | null): Record<string, string> {
  const header = authorization(address.host);
  const credentials = header === null ? [] : ([['http.extraHeader', header]] as const);
  const { caFile, proxy } = address.host;
  const trust = caFile === undefined ? [] : ([['http.sslCAInfo', caFile]] as const);
  return {
    ...PLAIN,
    ...proxy,
    GIT_ALLOW_PROTOCOL: address.protocol,
    ...(gitDir === null ? {} : { GIT_DIR: gitDir }),
    ...configVariables([...SETTINGS, ...credentials, ...trust]),
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
