import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { type Draft, emptyPackage, hashesIn, type LockedPackages } from './locked-package.ts';

/** A longer line names no version. Characters. */
const LINE_CHARS_MAX = 1_000;

/** Lines with one blank in place of several, without those that are too long. */
function* shortLines(text: string): Generator<[line: number, content: string]> {
  for (const [line, raw] of text.split('\n').entries()) {
    if (raw.length <= LINE_CHARS_MAX) yield [line, raw.trim().replace(/\s+/g, ' ')];
  }
}

const listed = (packages: readonly Draft[]): LockedPackages => ({
  packages: packages.map((one) => ({ ...one, key: one.name })),
  roots: null,
  problem: null,
});

/** Either end of a comment, or a tag. */
const TAG = /<!--|-->|<(\/?)([\w.:-]{1,100})(?:\s[^<>]{0,500})?>/g;
const POM_PACKAGES: ReadonlySet<string> = new Set(['dependency', 'plugin', 'parent', 'extension']);
/** Elements within them whose members are of something else. */
const POM_PARTS: ReadonlySet<string> = new Set(['exclusion', 'configuration', 'executions']);

interface PomElement {
  tag: string;
  fields: Map<string, string>;
  line: number;
}

/** Versions in a `pom.xml`, with properties of the same file (maven.apache.org/pom.html). */
export function readPom(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const properties = new Map<string, string>();
  const starts = lineStarts(text);
  const outer = (line: number): PomElement => ({
    tag: isPart ? 'dependency' : '',
    fields: new Map(),
    line,
  });
  let around = [outer(0)];
  let isComment = false;
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(TAG)) {
    if (tag === '<!--' || tag === '-->') isComment = tag === '<!--';
    if (isComment || name === '') continue;
    const line = lineIndex(starts, index);
    const top = around.at(-1);
    const isElement = POM_PACKAGES.has(name) || POM_PARTS.has(name) || name === 'properties';
    if (slash === '' && isElement) around.push({ tag: name, fields: new Map(), line });
    else if (slash === '') top?.fields.set(name, textBehind(index + tag.length));
    else if (top?.tag === name) {
      around.pop();
      finish(top);
      if (around.length === 0) around = [outer(line)];
    }
  }
  for (const element of around) finish(element);
  return listed(packages.map((one) => ({ ...one, version: resolved(one.version) })));

  function textBehind(start: number): string {
    const end = text.indexOf('<', start);
    return text
      .slice(start, Math.min(end === -1 ? text.length : end, start + LINE_CHARS_MAX))
      .trim();
  }

  function finish({ tag, fields, line }: PomElement): void {
    if (tag === 'properties') for (const [name, value] of fields) properties.set(name, value);
    const artifact = fields.get('artifactId');
    const version = fields.get('version');
    if (!POM_PACKAGES.has(tag) || artifact === undefined || version === undefined) return;
    const group = fields.get('groupId') ?? (tag === 'plugin' ? 'org.apache.maven.plugins' : null);
    if (group === null) return;
    packages.push({ ...emptyPackage(line), name: `${group}:${artifact}`, version });
  }

  function resolved(version: string | null): string | null {
    const [, property] = /^\$\{([^{}]+)\}$/.exec(version ?? '') ?? [];
    return property === undefined ? version : (properties.get(property) ?? version);
  }
}

const QUOTED = /"([^"]*)"/;

/** Versions of a catalog of Gradle (docs.gradle.org/current/userguide/version_catalogs.html). */
export function readVersionCatalog(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const versions = new Map<string, Draft>();
  const used: { draft: Draft; ref: string }[] = [];
  let table: string | null = null;
  for (const [line, content] of shortLines(text)) {
    const [, opened] = /^\[([\w-]+)\]/.exec(content) ?? [];
    table = opened ?? table;
    const [, alias, value] = /^([\w.-]+) ?= ?(.*)$/.exec(content) ?? [];
    if (alias === undefined || value === undefined) continue;
    const [, plain] = QUOTED.exec(value) ?? [];
    const member = (name: string) => new RegExp(`\\b${name} ?= ?"([^"]*)"`).exec(value)?.[1];
    const draft = emptyPackage(line);
    const group = member('group');
    const module = member('module') ?? member('id') ?? (group && `${group}:${member('name')}`);
    const ref = member('version\\.ref') ?? member('ref');
    if (module !== undefined) {
      Object.assign(draft, { name: module, version: member('version') ?? null });
      packages.push(draft);
      if (ref !== undefined) used.push({ draft, ref });
    } else if (plain?.includes(':')) {
      const at = plain.lastIndexOf(':');
      packages.push({ ...draft, name: plain.slice(0, at), version: plain.slice(at + 1) });
    } else if (plain !== undefined && table !== 'bundles' && table !== 'metadata') {
      versions.set(alias, { ...draft, name: alias, version: plain });
    }
  }
  for (const { draft, ref } of used) draft.version = versions.get(ref)?.version ?? null;
  // A hunk shows a version and not what refers to it.
  for (const { ref } of used) versions.delete(ref);
  const shown = isPart ? [...packages, ...versions.values()] : packages;
  return listed(shown.filter(({ version }) => version !== null));
}

/** Charts that `Chart.yaml` or `Chart.lock` names (helm.sh/docs/topics/charts). */
export function readChart(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  let isList = isPart;
  let draft: Draft | null = null;
  for (const [line, content] of shortLines(text)) {
    if (/^[\w-]+:$/.test(content)) isList = content === 'dependencies:';
    const isItem = content.startsWith('- ');
    if (isList && isItem) {
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
  return listed(packages.filter(({ name, version }) => name !== null && version !== null));
}

interface Block {
  keyword: string;
  label: string | null;
  draft: Draft;
}

/**
 * Versions of modules and providers in Terraform, and `.terraform.lock.hcl`
 * (developer.hashicorp.com/terraform/language/modules/sources, files/dependency-lock).
 */
export function readTerraform(text: string, isPart: boolean): LockedPackages {
  const packages: Draft[] = [];
  const outer = (line: number): Block => ({ keyword: '', label: null, draft: emptyPackage(line) });
  let around = [outer(0)];
  for (const [line, content] of shortLines(text)) {
    const [, keyword, label = null] =
      /^([\w-]+)(?: "([^"]*)")?(?: "[^"]*")? ?=? ?\{$/.exec(content) ?? [];
    const [, alias, members = ''] = /^([\w-]+) ?= ?\{(.*)\},?$/.exec(content) ?? [];
    if (keyword !== undefined) around.push({ keyword, label, draft: emptyPackage(line) });
    else if (alias !== undefined) {
      const draft = emptyPackage(line);
      for (const one of members.split(',')) readMember(draft, one.trim(), line);
      finish({ keyword: alias, label: null, draft });
    } else if (/^\}/.test(content)) {
      const closed = around.pop();
      if (closed !== undefined) finish(closed);
      if (around.length === 0) around = [outer(line)];
    } else readMember(around.at(-1)?.draft, content, line);
  }
  for (const block of around) finish(block);
  return listed(packages);

  function finish({ keyword, label, draft }: Block): void {
    const isModule = keyword === 'module' || (keyword === '' && isPart);
    const isLocked = keyword === 'provider' && draft.hashes.length > 0;
    const holder = around.at(-1)?.keyword;
    const isOfPart = isPart && holder === '' && keyword !== '' && draft.version !== null;
    const isProvider = holder === 'required_providers' || (isOfPart && keyword !== 'module');
    if (isLocked) packages.push({ ...draft, name: label });
    else if (isProvider && draft.source !== null) packages.push({ ...draft, name: draft.source });
    else if (isModule && draft.source !== null && !/^\.{1,2}\//.test(draft.source)) {
      packages.push({ ...moduleOf(draft), name: label === null ? null : `module.${label}` });
    }
  }
}

function readMember(draft: Draft | undefined, content: string, line: number): void {
  const [, key, value = ''] = /^(source|version) ?= ?"([^"]*)"/.exec(content) ?? [];
  const [, hash] = /^"((?:h1|zh):[^"]+)"/.exec(content) ?? [];
  if (draft === undefined) return;
  if (hash !== undefined) draft.hashes.push(...hashesIn(hash, line, '', ':'));
  if (key === 'version') draft.version = value;
  else if (key === 'source') Object.assign(draft, { source: value, sourceLine: line });
}

/** Git and archives have their version as `?ref=`; other sources are of a registry. */
function moduleOf(draft: Draft): Draft {
  const [address = '', query = ''] = (draft.source ?? '').split('?');
  const [, ref = null] = /(?:^|&)ref=([^&]+)/.exec(query) ?? [];
  const version = draft.version ?? ref;
  if (
    /^[\w.-]+(?:\/[\w.-]+){2,3}$/.test(address) &&
    !/^(?:github|bitbucket)\.(?:com|org)\//.test(address)
  ) {
    const host = address.split('/').length === 4 ? '' : 'registry.terraform.io/';
    return { ...draft, version, source: `https://${host}${address}` };
  }
  const plain = address.replace(/^git::/, '').replace(/^git@([^:/]+):/, 'ssh://$1/');
  const isUrl = plain.includes('://');
  const source = `${address.startsWith('git') ? 'git+' : ''}${isUrl ? plain : `https://${plain}`}`;
  return { ...draft, version, source };
}
