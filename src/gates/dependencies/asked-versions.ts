import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { type Draft, emptyPackage, type LockedPackages, type Remark } from './locked-package.ts';

/** A longer line is not read. Characters. */
const LINE_CHARS_MAX = 1_000;

interface ShortLines {
  lines: [line: number, content: string, indent: number][];
  problem: string | null;
}

/** Lines, with one blank in place of several; `problem`: the first that is too long to be read. */
export function shortLines(text: string): ShortLines {
  const lines: ShortLines['lines'] = [];
  let problem: string | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (raw.length <= LINE_CHARS_MAX) {
      lines.push([line, content.replace(/\s+/g, ' '), raw.length - raw.trimStart().length]);
    } else problem ??= `line ${line + 1} has more than ${LINE_CHARS_MAX} characters`;
  }
  return { lines, problem };
}

/** Packages that are known by their names. */
export const listed = (
  packages: readonly Draft[],
  problem: string | null = null,
): LockedPackages => ({
  packages: packages.map((one) => ({ ...one, key: one.name })),
  roots: null,
  problem,
});

/** A tag, with its attributes or the `/` of an element without content at its end. */
const TAG = /<(\/?)([\w.:-]{1,100})(\s[^<>]{0,1000}|\/)?>/y;
/** Comments and the like, by their beginnings; the content of a CDATA section is text. */
const SECTIONS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;
const POM_PACKAGES: ReadonlySet<string> = new Set(['dependency', 'plugin', 'parent', 'extension']);
/** Servers from which packages come, and elements of servers to which the own one is sent. */
const POM_SERVERS: ReadonlySet<string> = new Set(['repository', 'pluginRepository', 'mirror']);
const POM_PUBLISHING = 'distributionManagement';
/** Servers that Maven asks by itself. */
const MAVEN_CENTRAL = /^https:\/\/(?:repo\.maven\.apache\.org|repo1\.maven\.org)\//;
/** Elements within them whose members are of something else. */
const POM_PARTS: ReadonlySet<string> = new Set(['exclusion', 'configuration', 'executions']);

const POM_ELEMENTS: ReadonlySet<string> = new Set([
  ...POM_PACKAGES,
  ...POM_PARTS,
  ...POM_SERVERS,
  POM_PUBLISHING,
  'properties',
]);

interface PomElement {
  tag: string;
  fields: Map<string, string>;
  line: number;
}

/** Versions in a `pom.xml`, with properties of the same file (maven.apache.org/pom.html). */
export function readPom(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const remarks: Remark[] = [];
  const properties = new Map<string, string>();
  const starts = lineStarts(text);
  const outer = (line: number): PomElement => ({
    tag: isPart ? 'dependency' : '',
    fields: new Map(),
    line,
  });
  let around = [outer(0)];
  let problem: string | null = null;
  /** The member that is open, and where its text goes on. */
  let open: { name: string; value: string } | null = null;
  // A hunk may begin in a comment.
  const ending = isPart ? text.indexOf('-->') : -1;
  const beginning = text.indexOf('<!--');
  let at = ending !== -1 && (beginning === -1 || ending < beginning) ? ending + 3 : 0;
  for (let next = text.indexOf('<', at); next !== -1; next = text.indexOf('<', at)) {
    if (open !== null) open.value += text.slice(at, next);
    const [begin = '', end] = SECTIONS.find(([sign]) => text.startsWith(sign, next)) ?? [];
    const from = next + begin.length;
    if (end !== undefined) {
      const close = text.indexOf(end, from);
      if (open !== null && end === ']]>') open.value += text.slice(from, close);
      at = close + end.length;
      if (close !== -1) continue;
      if (!isPart) problem ??= `${begin} at line ${lineIndex(starts, next) + 1} has no end`;
      break;
    }
    TAG.lastIndex = next;
    const found = TAG.exec(text);
    if (found === null) {
      // A hunk may end in a tag.
      if (isPart && text.indexOf('>', next) === -1) break;
      problem ??= `line ${lineIndex(starts, next) + 1} has a tag that is not read`;
      at = next + 1;
      continue;
    }
    at = TAG.lastIndex;
    const [, slash = '', name = '', attributes = ''] = found;
    const top = around.at(-1);
    if (open !== null) top?.fields.set(open.name, open.value.trim());
    open = null;
    if (attributes.endsWith('/')) continue;
    const isElement = POM_ELEMENTS.has(name);
    const line = lineIndex(starts, next);
    if (slash === '' && isElement) around.push({ tag: name, fields: new Map(), line });
    else if (slash === '') open = { name, value: '' };
    else if (top?.tag === name) {
      around.pop();
      finish(top);
      if (around.length === 0) around = [outer(line)];
    }
  }
  if (open !== null) around.at(-1)?.fields.set(open.name, open.value.trim());
  for (const element of around) finish(element);
  const all = packages.map((one) => ({ ...one, version: resolved(one.version) }));
  return { ...listed(all, problem), remarks };

  function finish({ tag, fields, line }: PomElement): void {
    if (POM_SERVERS.has(tag)) remark(fields.get('url') ?? '', line);
    if (tag === 'properties') for (const [name, value] of fields) properties.set(name, value);
    const artifact = fields.get('artifactId');
    const version = fields.get('version');
    if (!POM_PACKAGES.has(tag) || artifact === undefined || version === undefined) return;
    const group = fields.get('groupId') ?? (tag === 'plugin' ? 'org.apache.maven.plugins' : null);
    if (group === null) return;
    packages.push({ ...emptyPackage(line), name: `${group}:${artifact}`, version });
  }

  function remark(url: string, line: number): void {
    const isTarget = around.some(({ tag }) => tag === POM_PUBLISHING);
    if (isTarget || url === '' || MAVEN_CENTRAL.test(url)) return;
    const text = `Packages come from ${url} as well.`;
    remarks.push({ kind: 'source-changed', text, line: () => line, isLesser: true });
  }

  function resolved(version: string | null): string | null {
    const [, property] = /^\$\{([^{}]+)\}$/.exec(version ?? '') ?? [];
    return property === undefined ? version : (properties.get(property) ?? version);
  }
}

/** Servers in a `settings.xml` of Maven (maven.apache.org/settings.html); others have none. */
export function readMavenSettings(text: string, isPart: boolean): LockedPackages {
  return /<(?:mirror|repository|pluginRepository)[\s>]/.test(text)
    ? readPom(text, isPart)
    : listed([]);
}

const QUOTED = /["']([^"']*)["']/;
/** Tables of one library, plugin or version, and of the version of one. */
const OWN_TABLE = /^\[(libraries|plugins|versions)\.["']?([\w-]+)["']?(\.version)?\]/;
/** Members by which a hunk that does not show its table is known to be in such a one. */
const OWN_MEMBER = /^(?:module|group|name|id|version(?:\.ref)?|strictly|require|prefer)$/;

interface CatalogEntry {
  line: number;
  table: string | null;
  alias: string;
  /** As it would stand behind the `=` of one line. */
  value: string;
}

/** Versions of a catalog of Gradle (docs.gradle.org/current/userguide/version_catalogs.html). */
export function readVersionCatalog(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const versions = new Map<string, Draft>();
  const used: { draft: Draft; ref: string }[] = [];
  const { entries, problem } = catalogEntries(text, isPart);
  for (const { line, table, alias, value } of entries) {
    const [, plain] = QUOTED.exec(value) ?? [];
    const member = (name: string) => new RegExp(`\\b${name} ?= ?["']([^"']*)["']`).exec(value)?.[1];
    const draft = emptyPackage(line);
    const group = member('group');
    const module = member('module') ?? member('id') ?? (group && `${group}:${member('name')}`);
    const ref = member('version\\.ref') ?? member('ref');
    const rich = richVersion(value);
    if (module !== undefined) {
      Object.assign(draft, { name: module, version: member('version') ?? rich });
      packages.push(draft);
      if (ref !== undefined) used.push({ draft, ref });
    } else if (plain?.includes(':')) {
      const at = plain.lastIndexOf(':');
      packages.push({ ...draft, name: plain.slice(0, at), version: plain.slice(at + 1) });
    } else if (plain !== undefined && table !== 'bundles' && table !== 'metadata') {
      versions.set(alias, { ...draft, name: alias, version: rich ?? plain });
    }
  }
  for (const { draft, ref } of used) draft.version = versions.get(ref)?.version ?? null;
  // A hunk shows a version and not what refers to it.
  for (const { ref } of used) versions.delete(ref);
  const shown = isPart ? [...packages, ...versions.values()] : packages;
  return listed(
    shown.filter(({ version }) => version !== null),
    problem,
  );
}

/** Entries of one line each, and tables of one entry. */
function catalogEntries(text: string, isPart: boolean) {
  const entries: CatalogEntry[] = [];
  const { lines, problem } = shortLines(text);
  let table: string | null = null;
  let own: CatalogEntry | null = null;
  let isOfVersion = false;
  for (const [line, content] of lines) {
    const [, holder, name = '', ofVersion] = OWN_TABLE.exec(content) ?? [];
    if (holder !== undefined) {
      table = holder;
      isOfVersion = ofVersion !== undefined;
      const isOpen = isOfVersion && own?.alias === name && own.table === holder;
      if (!isOpen) own = open({ line, table, alias: name, value: '' });
      continue;
    }
    const [, opened] = /^\[([\w-]+)\]/.exec(content) ?? [];
    if (opened !== undefined) [table, own] = [opened, null];
    const [, alias, value] = /^["']?([\w.-]+)["']? ?= ?(.*)$/.exec(content) ?? [];
    if (alias === undefined || value === undefined) continue;
    if (isPart && table === null && OWN_MEMBER.test(alias)) {
      // One entry for what stands together: its name may be above the hunk.
      own ??= open({ line, table, alias: '', value: '' });
    }
    if (own === null) entries.push({ line, table, alias, value });
    else
      own.value += `${own.value === '' ? '' : ', '}${isOfVersion ? 'version.' : ''}${alias} = ${value}`;
  }
  return { entries, problem };

  function open(entry: CatalogEntry): CatalogEntry {
    entries.push(entry);
    return entry;
  }
}

/**
 * A version with conditions (docs.gradle.org/current/userguide/dependency_versions.html): the one
 * that is preferred, and all of them; null: it has none.
 */
function richVersion(value: string): string | null {
  const conditions = [
    ...value.matchAll(/\b(strictly|require|prefer|reject) ?= ?\[?["']([^"']*)["']/g),
  ];
  const of = (name: string) => conditions.find(([, condition]) => condition === name)?.[2];
  const first = of('prefer') ?? of('require') ?? of('strictly');
  if (first === undefined) return null;
  const rest = conditions.map(([, name, version]) => `${name} ${version}`).join(', ');
  return conditions.length === 1 ? first : `${first} (${rest})`;
}

/** Charts that `Chart.yaml` or `Chart.lock` names (helm.sh/docs/topics/charts). */
export function readChart(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let isList = isPart;
  let draft: Draft | null = null;
  const { lines, problem: tooLong } = shortLines(text);
  let problem = tooLong;
  /** Indent of the items of the list: a chart may have lists itself. */
  let itemIndent = Number.POSITIVE_INFINITY;
  for (const [line, content, indent] of lines) {
    const [, opened] = /^["']?([\w-]+)["']? ?:(?: #.*)?$/.exec(content) ?? [];
    if (opened !== undefined && indent === 0) isList = opened === 'dependencies';
    if (opened === undefined && /^["']?dependencies["']? ?:(?! ?\[ ?\]$)/.test(content)) {
      problem ??= `line ${line + 1} has dependencies that are not in lines of their own`;
    }
    const isItem = content.startsWith('- ') && indent <= itemIndent;
    if (isList && isItem) {
      itemIndent = indent;
      draft = emptyPackage(line);
      packages.push(draft);
    } else if (/^digest:/.test(content)) draft = null;
    const field = isItem ? content.slice(2) : content;
    const [, key, value = ''] = /^(name|version|repository): ?["']?([^"' ]+)/.exec(field) ?? [];
    if (draft === null || !isList) continue;
    if (key === 'name') draft.name = value;
    else if (key === 'version') draft.version = value;
    else if (key === 'repository') Object.assign(draft, { source: value, sourceLine: line });
  }
  return listed(
    packages.filter(({ name, version }) => name !== null && version !== null),
    problem,
  );
}
