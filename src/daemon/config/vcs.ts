import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { VcsHost, VcsSettings } from '../../hosts/settings.ts';
import { PUSHES, VCS } from '../../limits.ts';
import { createJsonFields, isObject, type JsonFields } from './json.ts';
import { checkStatusWays, readProxy } from './network.ts';
import type { Reader } from './reader.ts';
import { type HostPlace, publicHost, readHost } from './vcs-host.ts';

/** The settings of Git hosts, and the variables that hold their tokens. */
export interface VcsConfig {
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
    ...{ reader, warning, tokenVariables, folder: dirname(resolve(path)) },
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
  } catch {
    reader.problem(FILE, 'names a file that cannot be read');
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // What the parser says quotes the text.
  }
  reader.problem(FILE, 'names a file that is no JSON object');
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
