import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { GitProxy, VcsHost } from '../../hosts/settings.ts';
import type { JsonFields, Reader } from './reader.ts';
import { VCS } from './reader.ts';

/** How the way to the hosts is: proxies of the environment, certificate authorities of files. */

/** As curl has it: the lower case counts first. */
const PROXIES = [
  ['https_proxy', 'HTTPS_PROXY'],
  ['http_proxy', 'HTTP_PROXY'],
] as const;

const IS_PROXY = /^(?:https?|socks4a?|socks5h?):\/\/[^/?#]+\/?$/;

/** The proxies that git shall take; null: none. An address may hold a password. */
export function readProxy(reader: Reader): GitProxy | null {
  const found: Record<string, string> = {};
  for (const [name, upper] of PROXIES) {
    const value = reader.text(name, reader.text(upper, ''));
    if (value === '') continue;
    const url = value.includes('://') ? value : `http://${value}`;
    if (IS_PROXY.test(url) && URL.canParse(url)) found[name] = url;
    else reader.problem(upper, 'must be the address of a proxy, as http://proxy.example.com:3128');
  }
  if (Object.keys(found).length === 0) return null;
  const others = reader.text('no_proxy', reader.text('NO_PROXY', ''));
  return Object.freeze(others === '' ? found : { ...found, no_proxy: others });
}

/** The file of a host's certificate authority as a full path; null: it is absent. */
export function readCaFile(entry: JsonFields, folder: string, url: string | null): string | null {
  const value = entry.text('ca_file');
  if (value === null) return null;
  if (url !== null && !url.startsWith('https:')) entry.problem('ca_file', 'is for https alone');
  const path = resolve(folder, value);
  const problem = problemOfCa(path);
  if (problem !== null) entry.problem('ca_file', `names a file that ${problem}`);
  return path;
}

/** What is wrong with a file that should hold certificates in PEM; null: nothing. */
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
  const posting = hosts.filter(
    ({ apiUrl, token }) => apiUrl?.startsWith('https:') && token !== null,
  );
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
