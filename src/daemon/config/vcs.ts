import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AUTH } from '../../auth/limits.ts';
import { isSafeUrl } from '../../core/credentials.ts';
import { gitHost, hasCredentials } from '../../hosts/hosts.ts';
import { isRef } from '../../hosts/push-payload.ts';
import type {
  FindingsSetting,
  GitHubApp,
  GitProxy,
  VcsHost,
  VcsSettings,
} from '../../hosts/settings.ts';
import { SEVERITIES } from '../../model/finding.ts';
import { DEFAULT_TENANT } from '../../model/principal.ts';
import { BRANCH_PREFIX, PROVIDERS, type Provider } from '../../model/push.ts';
import { PUSHES } from '../../pushes/limits.ts';
import {
  createJsonFields,
  isObject,
  type JsonFields,
  type Reader,
  secretFrom,
  unreadable,
  VCS,
} from './reader.ts';

/** How the way to the hosts is: proxies of the environment, certificate authorities of files. */

/** As curl has it: the lower case counts first. */
const PROXIES = [
  ['https_proxy', 'HTTPS_PROXY'],
  ['http_proxy', 'HTTP_PROXY'],
] as const;

const IS_PROXY = /^(?:https?|socks4a?|socks5h?):\/\/[^/?#]+\/?$/;

/** The proxies that git shall take; null without proxies. An address may hold a password. */
function readProxy(reader: Reader): GitProxy | null {
  const found: Record<string, string> = {};
  for (const [name, upper] of PROXIES) {
    const value = reader.text(name, reader.text(upper, ''));
    if (value === '') continue;
    const url = value.includes('://') ? value : `http://${value}`;
    reader.noteSecret(url);
    if (IS_PROXY.test(url) && URL.canParse(url)) found[name] = url;
    else reader.problem(upper, 'must be the address of a proxy, as http://proxy.example.com:3128');
  }
  if (Object.keys(found).length === 0) return null;
  const others = reader.text('no_proxy', reader.text('NO_PROXY', ''));
  return Object.freeze(others === '' ? found : { ...found, no_proxy: others });
}

/** The file of a host's certificate authority as a full path; null: it is absent. */
function readCaFile(entry: JsonFields, folder: string, url: string | null): string | null {
  const value = entry.text('ca_file');
  if (value === null) return null;
  if (url !== null && !url.startsWith('https:')) entry.problem('ca_file', 'is for https alone');
  const path = resolve(folder, value);
  const problem = problemOfCa(path);
  if (problem !== null) entry.problem('ca_file', `names a file that ${problem}`);
  return path;
}

/**
 * The folder of a host's bare repositories as a full path; null: it is absent. A file system of the
 * network may come later or hang, so nothing looks at it here.
 */
function readMirrorPath(entry: JsonFields, folder: string): string | null {
  const value = entry.text('mirror_path');
  if (value === null) return null;
  const path = resolve(folder, value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git reads the path from a line
  if (/[\x00-\x1f]/.test(path)) entry.problem('mirror_path', 'must not hold control characters');
  return path;
}

/** The problem of a file that should hold certificates in PEM; null when it is valid. */
function problemOfCa(path: string): string | null {
  let text: string;
  try {
    if (statSync(path).size > VCS.CA_BYTES_MAX) return `is larger than ${VCS.CA_BYTES_MAX} bytes`;
    text = readFileSync(path, 'utf8');
  } catch {
    return 'cannot be read';
  }
  const found = text.match(CERTIFICATE) ?? [];
  return found.length > 0 && found.every(isCertificate) ? null : 'holds no certificate in PEM';
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== null;
  } catch {
    return false;
  }
}

/**
 * Statuses go over Node's own connections, for which authorities and proxies are settings of the
 * whole process; Node ignores a file that it can't read. Warns where they would not get through.
 */
export function checkStatusWays(
  reader: Reader,
  hosts: readonly VcsHost[],
  nodeVersion: string = process.versions.node,
): void {
  const posting = hosts.filter((host) => host.apiUrl?.startsWith('https:') && hasCredentials(host));
  const extra = reader.text('NODE_EXTRA_CA_CERTS', '');
  const problem = extra === '' ? null : problemOfCa(resolve(extra));
  if (problem !== null) reader.warning('NODE_EXTRA_CA_CERTS', `names a file that ${problem}`);
  const own = posting.find(({ caFile }) => caFile !== undefined);
  if (own !== undefined && extra === '') {
    const why = `its statuses need the authority in NODE_EXTRA_CA_CERTS, too: ca_file is for git`;
    reader.warning('SERVICE_VCS_CONFIG', `host ${own.id}: ${why}`);
  }
  if (!posting.some(({ proxy }) => proxy !== undefined)) return;
  if (!knowsProxies(nodeVersion)) {
    const why =
      'is taken by git alone: statuses go without it, as Node has no proxies before 22.21';
    reader.warning('HTTPS_PROXY', why);
  } else if (reader.text('NODE_USE_ENV_PROXY', '') !== '1') {
    reader.warning('HTTPS_PROXY', 'is taken for statuses with NODE_USE_ENV_PROXY=1 alone');
  }
}

/** https://nodejs.org/api/cli.html#node_use_env_proxy1 */
function knowsProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
}

/** The settings of Git hosts, and the variables that hold their tokens. */
interface VcsConfig {
  readonly settings: VcsSettings;
  /** What the file names as `token_env`. */
  readonly tokenVariables: readonly string[];
}

const FILE = 'SERVICE_VCS_CONFIG';

/**
 * Reads the file that SERVICE_VCS_CONFIG names, if any. Every problem is reported with its place in
 * the file, as `hosts[0].url`, and never with a value: the file holds credentials.
 */
export function readVcsConfig(reader: Reader, isAuthEnabled: boolean): VcsConfig {
  const path = reader.text(FILE, '');
  const file = path === '' ? {} : readObject(reader, path);
  const problem = (at: string, message: string) => reader.problem(FILE, `${at} ${message}`);
  const warning = (at: string, message: string) => reader.warning(FILE, `${at} ${message}`);
  const fields = createJsonFields(file, '', problem);
  const tokenVariables: string[] = [];
  const place: HostPlace = {
    reader,
    warning,
    tokenVariables,
    folder: dirname(resolve(path)),
    weak: isAuthEnabled ? problem : warning,
    proxy: readProxy(reader),
  };
  const hosts = fields.has('hosts') ? readHosts(fields, place) : publicHosts(place);
  checkStatusWays(reader, hosts);
  const sweepSeconds = fields.integer(
    'sweep_interval_s',
    VCS.SWEEP_SECONDS_MIN,
    VCS.SWEEP_SECONDS_MAX,
  );
  const mirrorGib = fields.integer('mirror_gib', 1, VCS.MIRROR_GIB_MAX);
  const settings: VcsSettings = Object.freeze({
    hosts: Object.freeze(hosts),
    defaultHost: readDefaultHost(fields, hosts),
    adopt: fields.oneOf('adopt', ['baseline', 'scan']) ?? 'baseline',
    judgesTags: fields.boolean('judge_tags') ?? true,
    sweepIntervalMs: 1_000 * (sweepSeconds ?? PUSHES.SWEEP_INTERVAL_SECONDS_DEFAULT),
    mirrorBytesMax: 2 ** 30 * (mirrorGib ?? VCS.MIRROR_GIB_DEFAULT),
  });
  fields.finish();
  return { settings, tokenVariables };
}

/** Without a file: whose pushes are taken is known, but no token for what is not public. */
function publicHosts({ proxy }: HostPlace): readonly VcsHost[] {
  return [publicHost('github', proxy), publicHost('gitlab', proxy)];
}

function readObject(reader: Reader, path: string): object {
  let text = '';
  try {
    const { size, mode } = statSync(path);
    if (size > VCS.CONFIG_BYTES_MAX) {
      reader.problem(FILE, `must not be larger than ${VCS.CONFIG_BYTES_MAX} bytes`);
      return {};
    }
    text = readFileSync(path, 'utf8');
    if ((mode & 0o004) !== 0 && /"(?:token|webhook_secrets)"/.test(text)) {
      reader.warning(FILE, 'holds credentials and can be read by everybody on this machine');
    }
  } catch (thrown) {
    reader.problem(FILE, unreadable(thrown));
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // What the parser says quotes the text.
  }
  reader.problem(FILE, 'names a file that is not a JSON object');
  return {};
}

function readHosts(fields: JsonFields, place: HostPlace): VcsHost[] {
  const entries = fields.objects('hosts', VCS.HOSTS_MAX);
  const ids = new Set<string>();
  return entries.map((entry) => {
    const host = readHost(entry, place);
    if (ids.has(host.id)) entry.problem('id', 'is that of another host, too');
    ids.add(host.id);
    return host;
  });
}

/** Of one host it goes without saying. */
function readDefaultHost(fields: JsonFields, hosts: readonly VcsHost[]): string | null {
  const [first, ...others] = hosts;
  const id = fields.text('default_host');
  if (id === null) return others.length === 0 ? (first?.id ?? null) : null;
  if (hosts.some((host) => host.id === id)) return id;
  fields.problem('default_host', 'must be the id of one of the hosts');
  return null;
}

/** Where the files of an entry are, and who gets its warnings. */
interface HostPlace {
  reader: Reader;
  /** Paths in the file are relative to it. */
  folder: string;
  warning(at: string, message: string): void;
  /** What ends the start with authentication on, and is a warning without. */
  weak(at: string, message: string): void;
  /** Null when absent. */
  proxy: GitProxy | null;
  /** Is given the variables that tokens were read from. */
  tokenVariables: string[];
}

/** github.com or gitlab.com without credentials. */
function publicHost(provider: 'github' | 'gitlab', proxy: GitProxy | null): VcsHost {
  const url = `https://${provider}.com`;
  return Object.freeze({
    id: provider,
    provider,
    url,
    apiUrl: apiUrlOf(provider, url),
    token: null,
    username: gitHost(provider).cloneUsername,
    webhookSecrets: [],
    tenantId: DEFAULT_TENANT,
    ...(proxy === null ? {} : { proxy }),
  });
}

/** Reads one entry of `hosts`; problems are reported, and the entry is then ignored. */
function readHost(entry: JsonFields, place: HostPlace): VcsHost {
  for (const key of ['id', 'provider', 'url']) {
    if (!entry.has(key)) entry.problem(key, 'is required');
  }
  const id = entry.text('id') ?? '';
  if (id !== '' && !/^[a-z0-9][a-z0-9-]{0,62}$/.test(id)) {
    entry.problem('id', 'must be lower-case letters, digits and -, at most 63');
  }
  const provider = entry.oneOf('provider', PROVIDERS) ?? 'github';
  const isInsecure = entry.boolean('insecure') ?? false;
  const url = readUrl(entry, 'url', isInsecure, place) ?? '';
  const apiUrl = readUrl(entry, 'api_url', isInsecure, place);
  const caFile = readCaFile(entry, place.folder, url || null);
  const mirrorPath = readMirrorPath(entry, place.folder);
  const app = readApp(entry, provider, place);
  const findings = readFindings(entry, provider, app !== null);
  const protectedBranches = readProtectedBranches(entry);
  const owners = readOwners(entry);
  const host: VcsHost = Object.freeze({
    id,
    provider,
    url,
    apiUrl: apiUrl ?? apiUrlOf(provider, url),
    token: readToken(entry, place),
    ...(app === null ? {} : { app }),
    ...(findings === null ? {} : { findings }),
    ...(protectedBranches.length === 0 ? {} : { protectedBranches }),
    ...(owners.length === 0 ? {} : { owners }),
    username: readUsername(entry) ?? gitHost(provider).cloneUsername,
    webhookSecrets: Object.freeze(readWebhookSecrets(entry, place)),
    tenantId: entry.text('tenant') ?? DEFAULT_TENANT,
    ...(caFile === null ? {} : { caFile }),
    ...(mirrorPath === null ? {} : { mirrorPath }),
    ...(place.proxy === null ? {} : { proxy: place.proxy }),
  });
  if (host.tenantId.length > AUTH.TENANT_CHARS_MAX) {
    entry.problem('tenant', `must have at most ${AUTH.TENANT_CHARS_MAX} characters`);
  }
  entry.finish();
  return host;
}

/** Where the API of a host is; null: a folder has none. */
function apiUrlOf(provider: Provider, url: string): string | null {
  return url === '' || url.startsWith('file:') ? null : gitHost(provider).apiUrl(url);
}

function readUrl(
  entry: JsonFields,
  key: 'url' | 'api_url',
  isInsecure: boolean,
  { warning }: HostPlace,
): string | null {
  const text = entry.text(key);
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    entry.problem(key, 'must be a URL without user, password, ? and #');
    return null;
  }
  const address = url.href.replace(/\/+$/, '');
  if (url.protocol === 'file:' && key === 'url' && url.host === '') {
    warning(`${entry.path}.url`, 'is a folder of this machine: who writes there need not push');
    return address;
  }
  if (isSafeUrl(url)) return address;
  if (url.protocol !== 'http:' || !isInsecure) {
    entry.problem(key, 'must be https (http on loopback, or with "insecure": true)');
    return null;
  }
  warning(
    `${entry.path}.${key}`,
    'is plain http: tokens and code can be read and changed on the way',
  );
  return address;
}

/** From the one place that the entry names. */
function readToken(
  entry: JsonFields,
  { reader, folder, tokenVariables }: HostPlace,
): string | null {
  const keys = ['token', 'token_file', 'token_env'] as const;
  const given = keys.filter((key) => entry.has(key));
  const [key] = given;
  const value = given.map((name) => entry.text(name)).at(0) ?? null;
  if (given.length > 1) entry.problem('token', `is given twice: ${given.join(' and ')}`);
  if (key === undefined || value === null || given.length > 1) return null;
  if (key === 'token_env') {
    if (!/^[A-Z][A-Z0-9_]{0,99}$/.test(value)) {
      entry.problem(key, 'must be the name of a variable in upper case');
      return null;
    }
    tokenVariables.push(value);
  }
  const token = secretFrom(entry, key, value, { reader, folder });
  if (token === null || /^[!-~]+$/.test(token)) return token;
  entry.problem(key, 'must give a token of printable ASCII without spaces');
  return null;
}

/** A GitHub App in place of a token; null: absent, or wrong and reported. */
function readApp(
  entry: JsonFields,
  provider: Provider,
  { reader, folder }: HostPlace,
): GitHubApp | null {
  const appId = entry.text('app_id');
  const file = entry.text('private_key_file');
  if (appId === null && file === null) return null;
  if (appId === null || file === null) {
    entry.problem(appId === null ? 'app_id' : 'private_key_file', 'is required with the other');
    return null;
  }
  if (provider !== 'github') entry.problem('app_id', 'is for provider github alone');
  if (['token', 'token_file', 'token_env'].some((key) => entry.has(key))) {
    entry.problem('app_id', 'stands in place of a token: give one of them');
  }
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(appId)) {
    entry.problem('app_id', 'must be the App ID or client ID that GitHub shows');
  }
  const privateKey = secretFrom(entry, 'private_key_file', file, { reader, folder });
  if (privateKey === null) return null;
  const problem = problemOfRsaKey(privateKey);
  if (problem !== null) entry.problem('private_key_file', `names a file that ${problem}`);
  return problem === null ? Object.freeze({ appId, privateKey }) : null;
}

/** RS256 needs an RSA key of at least 2,048 bits: RFC 7518, 3.3. */
function problemOfRsaKey(pem: string): string | null {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType !== 'rsa') return 'holds a key of another kind than RSA';
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= VCS.APP_KEY_BITS_MIN
      ? null
      : `holds a key of fewer than ${VCS.APP_KEY_BITS_MIN} bits`;
  } catch {
    return 'holds no private key in PEM without a passphrase';
  }
}

/** Comments in pull requests notify people: they have to be asked for, unlike check runs. */
function readFindings(
  entry: JsonFields,
  provider: Provider,
  isApp: boolean,
): FindingsSetting | null {
  const show = entry.oneOf('findings', ['off', 'summary', 'lines']) ?? (isApp ? 'lines' : 'off');
  const leastSeverity = entry.oneOf('findings_severity', SEVERITIES) ?? 'low';
  const always = entry.boolean('findings_always') ?? false;
  if (provider === 'github' && !isApp) {
    for (const key of ['findings', 'findings_severity', 'findings_always']) {
      if (entry.has(key)) entry.problem(key, 'needs a GitHub App (app_id) on github');
    }
    return null;
  }
  if (show === 'off') return null;
  return Object.freeze({ show, leastSeverity, ...(always ? { always } : {}) });
}

function readProtectedBranches(entry: JsonFields): readonly string[] {
  const names = entry.texts('protected_branches');
  if (names.some((name) => !isRef(`${BRANCH_PREFIX}${name.replace(/\*$/, 'x')}`))) {
    entry.problem('protected_branches', 'must be names of branches, which may end with *');
  }
  return Object.freeze(names);
}

function readOwners(entry: JsonFields): readonly string[] {
  const owners = entry.texts('owners');
  if (owners.some((owner) => !/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/.test(owner))) {
    entry.problem('owners', 'must be names of organizations, groups or users');
  }
  return Object.freeze(owners);
}

function readUsername(entry: JsonFields): string | null {
  const name = entry.text('username');
  if (name === null || /^[!-9;-~]{1,255}$/.test(name)) return name;
  entry.problem('username', 'must be printable ASCII without spaces and :');
  return null;
}

function readWebhookSecrets(entry: JsonFields, place: HostPlace): string[] {
  const found = (['webhook_secrets', 'webhook_secret_files'] as const).flatMap((key) =>
    entry.texts(key).map((value) => ({ key, secret: secretFrom(entry, key, value, place) })),
  );
  return found.flatMap(({ key, secret }) => {
    if (secret === null) return [];
    if (secret.length < VCS.WEBHOOK_SECRET_CHARS_MIN) {
      const must = `must have at least ${VCS.WEBHOOK_SECRET_CHARS_MIN} characters each`;
      place.weak(`${entry.path}.${key}`, must);
    }
    return [secret];
  });
}
