import { SETTINGS_KINDS, type SettingsKind } from '../../model/rules.ts';
import { readApache } from './apache.ts';
import type { Document, Node } from './document.ts';
import { readNginx } from './nginx.ts';
import { readPythonSettings } from './python-settings.ts';
import type { Resolve, Resource } from './resources/resource.ts';
import {
  channels,
  placeholdersOf,
  settings,
  settingsInBlocks,
  springProperties,
} from './resources/settings.ts';
import { type LineNotation, readHba, readSettingLines } from './setting-lines.ts';

/** Settings of a server, a tool or a framework. */
interface Settings {
  /** As findings name such a file. */
  readonly name: string;
  /** Their paths: a file that another program reads is noise. */
  readonly files: RegExp;
  /** What stands in a file of another program in such a place. */
  readonly foreign?: RegExp;
  /** Null: the file is YAML. */
  read(text: string, path: string): Document | null;
  declaredIn(root: Node): Resource[];
  resolver?(roots: readonly Node[]): Resolve;
}

/** Settings of servers, tools and frameworks; the first whose path fits counts. */
export const SETTINGS: Readonly<Record<SettingsKind, Settings>> = {
  nginx: {
    name: 'settings of nginx',
    files: named([String.raw`nginx(?:[-_.][^/]*)?\.conf`], ['nginx', 'conf']),
    foreign: beginsWith(String.raw`\[[^\]\n]*\]|<\w`),
    read: readNginx,
    declaredIn: settingsInBlocks,
  },
  apache: {
    name: 'settings of Apache',
    files: named(
      [String.raw`\.htaccess`, String.raw`(?:apache2?|httpd)(?:[-_.][^/]*)?\.conf`],
      ['(?:apache2?|httpd)', 'conf'],
    ),
    foreign: beginsWith(String.raw`\[[^\]\n]*\]`),
    read: readApache,
    declaredIn: settingsInBlocks,
  },
  haproxy: {
    name: 'settings of HAProxy',
    files: named([String.raw`haproxy(?:[-_.][^/]*)?\.(?:cfg|conf)`]),
    ...lines('haproxy', settingsInBlocks),
  },
  sshd: {
    name: 'settings of sshd',
    files: named([String.raw`sshd_config(?:\.d/[^/]+)?`, 'sshd_config(?:[-_.][^/]*)?']),
    ...lines('sshd', settingsInBlocks),
  },
  systemd: {
    name: 'a unit of systemd',
    files: named([
      String.raw`[^/]+\.(?:service|socket|timer|mount)`,
      String.raw`[^/]+\.(?:service|socket)\.d/[^/]+\.conf`,
    ]),
    // XML, in which no section of systemd begins; systemd passes over lines that it cannot read.
    foreign: /^(?![\s\S]*\n[ \t]*\[)\s*</,
    ...lines('systemd', settingsInBlocks),
  },
  spring: {
    name: 'properties of Spring',
    // What development and tests alone use may be weak.
    files:
      /^(?!.*src\/(?:\w*[Tt]est)\/)(?:.*\/)?(?:application|bootstrap)(?:-(?!(?:[\w-]*-)?(?:dev|local|test|demo|docker|example|sample)[^/]*\.|(?:it|ci|h2)\.)[\w-]+)?\.(?:properties|ya?ml)$/i,
    read: (text, path) => {
      return /\.properties$/i.test(path) ? readSettingLines(text, 'properties') : null;
    },
    declaredIn: springProperties,
    resolver: placeholdersOf,
  },
  django: {
    name: 'settings of Django',
    files:
      /(?:^|\/)(?:settings|production_settings|prod_settings)\.py$|(?:^|\/)settings[/_](?!(?:[^/]*_)?(?:dev|local|test|ci|debug|example|sample|demo|docker)[^/]*\.py$)[^/]+\.py$/i,
    read: readPythonSettings,
    declaredIn: settings,
  },
  npm: {
    name: 'settings of npm',
    files: named([String.raw`\.npmrc`]),
    ...lines('npm', settings),
    resolver: placeholdersOf,
  },
  yarn: {
    name: 'settings of Yarn',
    files: named([String.raw`\.yarnrc\.yml`]),
    read: () => null,
    declaredIn: settings,
    resolver: placeholdersOf,
  },
  pip: {
    name: 'settings of pip',
    files: named([String.raw`pip\.(?:conf|ini)`]),
    ...lines('pip', settingsInBlocks),
  },
  conda: {
    name: 'an environment or settings of conda',
    files: /(?:^|\/)(?:environment[^/]*\.ya?ml|\.condarc)$/i,
    read: () => null,
    declaredIn: channels,
  },
  php: {
    name: 'settings of PHP',
    files: named(
      [String.raw`php(?:[-_.][^/]*)?\.ini(?:-production)?`, String.raw`\.user\.ini`],
      [String.raw`php[\d.]*`, 'ini'],
    ),
    ...lines('php', settings),
  },
  mysql: {
    name: 'settings of MySQL',
    files: named(
      [String.raw`\.?(?:my|mysqld?|mariadb)(?:[-_.][^/]*)?\.cnf`],
      ['(?:mysql|mariadb)', 'cnf'],
    ),
    ...lines('mysql', settingsInBlocks),
  },
  postgresql: {
    name: 'settings of PostgreSQL',
    files: named([String.raw`(?:postgres(?:ql)?|pg_hba)(?:[-_.][^/]*)?\.conf`]),
    read: (text) => (HBA.test(text) ? readHba(text) : readSettingLines(text, 'postgresql')),
    declaredIn: settingsInBlocks,
  },
  redis: {
    name: 'settings of Redis',
    files: named([String.raw`(?:redis|valkey)(?:[-_.][^/]*)?\.conf`]),
    ...lines('redis', settings),
  },
  helm: {
    name: 'values of a chart of Helm',
    files: /(?:^|\/)(?:[^/]*[-_.])?values(?:[-_.][^/]*)?\.ya?ml$/i,
    read: () => null,
    declaredIn: settingsInBlocks,
  },
  kustomize: {
    name: 'a file of Kustomize',
    files: /(?:^|\/)kustomization(?:\.ya?ml)?$/i,
    read: () => null,
    declaredIn: settings,
  },
  cargo: {
    name: 'settings of Cargo',
    files: /(?:^|\/)(?:\.cargo\/(?:config|credentials)(?:\.toml)?|Cargo\.toml)$/i,
    ...lines('toml', settingsInBlocks),
  },
  pyproject: {
    name: 'settings of a project of Python',
    files: /(?:^|\/)(?:pyproject\.toml|uv\.toml|poetry\.toml|Pipfile)$/i,
    ...lines('toml', settingsInBlocks),
  },
  traefik: {
    name: 'settings of Traefik',
    files: named([String.raw`traefik(?:[-_.][^/]*)?\.(?:toml|ya?ml)`], ['traefik', 'toml']),
    read: (text, path) => (/\.ya?ml/i.test(path) ? null : readSettingLines(text, 'toml')),
    declaredIn: settingsInBlocks,
  },
  'gitlab-runner': {
    name: 'settings of a runner of GitLab',
    files: named(
      [String.raw`(?:gitlab-?)?runner[-_.]config(?:[-_.][^/]*)?\.toml`],
      ['(?:[^/]*[-_.])?gitlab-?runner[^/]*', 'toml'],
    ),
    ...lines('toml', settingsInBlocks),
  },
  containerd: {
    name: 'settings of containerd',
    files: named(
      [String.raw`containerd(?:[-_.][^/]*)?\.toml`],
      [String.raw`(?:containerd|certs\.d)[^/]*`, 'toml'],
    ),
    ...lines('toml', settingsInBlocks),
  },
};

/** Whether files of a kind are settings. */
export function isSettings(kind: string): kind is SettingsKind {
  return SETTINGS_KINDS.some((own) => own === kind);
}

/** The server that a `.conf` file is for, by what stands in it; null: another program's. */
export function serverOf(text: string): 'nginx' | 'apache' | null {
  if (NGINX_BLOCK.test(text) && NGINX_DIRECTIVE.test(text)) return 'nginx';
  return APACHE_SECTION.test(text) ? 'apache' : null;
}

const NGINX_BLOCK = /^[ \t]*(?:(?:server|http|events)\s*|(?:location|upstream)[ \t][^;{}\n]+)\{/m;
const NGINX_DIRECTIVE =
  /^[ \t]*(?:listen|server_name|server|root|proxy_pass|return|rewrite|include|add_header|worker_connections)[ \t][^\n]*;/m;
const APACHE_SECTION = /^[ \t]*<(?:VirtualHost|Directory|Location|Files|IfModule|Proxy)\b/im;

/** A line of the file of logins; no setting has such a name. */
const HBA = /^[ \t]*(?:local|host(?:no)?(?:ssl|gssenc)?)[ \t]+\S+[ \t]+\S+/m;

/**
 * Paths that end in one of these names, or with this extension anywhere below a folder of this
 * name; perhaps as a template. The extension is looked for first, so that each path is read a fixed
 * number of times, however often the folder stands in it.
 */
function named(
  names: readonly string[],
  [folder, extension]: readonly [folder: string, extension: string] | [] = [],
): RegExp {
  const template = String.raw`(?:\.(?:j2|jinja2?|erb|epp|tpl|tmpl|template|in|dist))?$`;
  const ends = `(?:^|/)(?:${names.join('|')})${template}`;
  if (folder === undefined) return new RegExp(ends, 'i');
  const below = String.raw`^(?=.*[^/]\.${extension}${template})(?:.*/)?${folder}/`;
  return new RegExp(`${ends}|${below}`, 'i');
}

/** The first line that is neither empty nor a comment. */
function beginsWith(text: string): RegExp {
  return new RegExp(String.raw`^(?:[ \t\r]*(?:[#;].*)?\n)*[ \t]*(?:${text})`);
}

function lines(notation: LineNotation, declaredIn: Settings['declaredIn']) {
  return { read: (text: string) => readSettingLines(text, notation), declaredIn };
}
