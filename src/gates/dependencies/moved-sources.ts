import { posix } from 'node:path';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { Fact } from './compare.ts';
import { TABLE } from './guards.ts';
import { originOf } from './origins.ts';
import type { LineFact } from './pins.ts';

/** What a line of a manifest says of where a dependency comes from. */
interface Said {
  name: string;
  /** A repository or archive; null: the registry. */
  source: string | null;
  /** The map around it is not in view: it may as well name a file. */
  mayBeFile?: boolean;
}

/** A manifest in which people name sources of dependencies. */
interface Manifest {
  file: RegExp;
  /** The table that a line stands in, by the one before it. */
  tableOf?(text: string, before: string): string;
  /** The end of a line that goes on in the next one. */
  goesOn?: RegExp;
  said?(text: string, table: string): Said | null;
  /** The first group is a path whose code is built or installed. */
  path?: RegExp;
}

const OPTION = String.raw`["']?\s*(?:=>|:)\s*["']([^"']+)["']`;
const GEM = /^\s*gem\s*\(?\s*["']([\w.-]+)["']/;
const GEM_SOURCE = new RegExp(`[\\s,({:"'](git|github|gitlab|bitbucket|gist)${OPTION}`);

const MANIFESTS: readonly Manifest[] = [
  {
    // bundler.io/man/gemfile.5.html
    file: /(?:^|\/)(?:Gemfile|gems\.rb)$/,
    goesOn: /(?:[,({:]|=>|\\)$/,
    said(text) {
      const [, name] = GEM.exec(text) ?? [];
      if (name === undefined) return null;
      const [, site, given = ''] = GEM_SOURCE.exec(text) ?? [];
      const isShort = site !== 'git' && site !== undefined && !given.includes('://');
      if (site === undefined) return { name, source: null };
      return { name, source: isShort ? `${site}:${given}` : repositoryAt(given) };
    },
    path: new RegExp(`[\\s,({:"']path${OPTION}`),
  },
  {
    // doc.rust-lang.org/cargo/reference/specifying-dependencies.html,
    // docs.astral.sh/uv/concepts/projects/dependencies,
    // python-poetry.org/docs/dependency-specification
    file: /(?:^|\/)(?:Cargo\.toml|pyproject\.toml|uv\.toml|Pipfile)$/,
    tableOf: (text, before) => TABLE.exec(text)?.[1] ?? before,
    said: saidInToml,
    path: /(?:^|[{,.\s"'])path["']?\s*=\s*["']([^"']+)["']/,
  },
  {
    // docs.npmjs.com/cli/configuring-npm/package-json#dependencies
    file: /(?:^|\/)package\.json$/,
    tableOf(text, before) {
      if (text.startsWith('}')) return UNKNOWN;
      const [, opened] = /^"([^"]+)"\s*:\s*\{$/.exec(text) ?? [];
      // An override may hold overrides of what one package asks for.
      const isWithin = before !== UNKNOWN && isOfDependencies(before);
      return opened === undefined || isWithin ? before : opened;
    },
    said(text, table) {
      if (!isOfDependencies(table)) return null;
      const [, name, value] = /^\s*"((?:@[\w.-]+\/)?[\w.-]+)"\s*:\s*"([^"]*)"/.exec(text) ?? [];
      if (name === undefined || value === undefined) return null;
      if (table === UNKNOWN && NO_DEPENDENCY.test(name)) return null;
      if (/^(?:[~^<>=v\s]*\d|\*|latest$|workspace:|npm:)/.test(value))
        return { name, source: null };
      const isForeign =
        /^(?:git[+:@]|github:|gitlab:|bitbucket:|gist:)|^https?:.*\.(?:tgz|tar\.gz)$/;
      if (isForeign.test(value)) return { name, source: value };
      if (!/^[\w-]+\/[\w.-]+(?:#|$)/.test(value)) return null;
      const mayBeFile = table === UNKNOWN && /\.\w{1,5}$/.test(value);
      return { name, source: `github:${value}`, mayBeFile };
    },
    path: /"(?:file|link|portal):([^"]+)"/,
  },
  // docs.gradle.org/current/userguide/composite_builds.html
  {
    file: /(?:^|\/)settings\.gradle(?:\.kts)?$/,
    path: /\bincludeBuild\s*\(?\s*(?:file\s*\(\s*)?["'](?:\$\{?(?:rootDir|settingsDir)\}?\/)?([^"']+)["']/,
  },
];
/** Members of package.json with addresses of the project itself. */
const NO_DEPENDENCY =
  /^(?:url|homepage|repository|bugs|funding|type|author|email|version|node|npm|yarn|pnpm|preset|extends|\$schema)$/;
const GRADLE = /\.gradle(?:\.kts)?$/;
/** Of a line, without the blanks around it. Characters. */
const LINE_CHARS_MAX = 500;
/** Sources and paths of one file that are compared; that there are more is a finding. */
const SOURCES_MAX = 1_000;

/** A table whose members are one dependency: `[dependencies.serde]`, `[tool.uv.sources.httpx]`. */
const OWN_TABLE = /(?:^|\.)(?:(?:dev-|build-)?dependencies|sources)\.["']?([\w.-]+?)["']?$/;

/** Tables of dependencies, and of what is taken in their place. */
const DEPENDENCIES =
  /(?:^|[.-])(?:\w*[dD]ependencies|sources|patch|replace|(?:dev-)?packages|overrides|resolutions)(?:\.|$)/;
const isOfDependencies = (table: string) => table === UNKNOWN || DEPENDENCIES.test(table);

/** As npm writes the address of a repository, and not of a file. */
const repositoryAt = (address: string) => (/^https?:/i.test(address) ? `git+${address}` : address);

/** Of a table or an inline table of TOML; before a dot it is a part of one. */
const QUOTED_KEY = /(?<=^|[{,.\s])["']([\w-]+)["'](?=\s{0,100}[.=])/g;

/** A dependency in TOML: `name = "1"`, `name = { git = "..." }`, `name.git = "..."`. */
function saidInToml(written: string, table: string): Said | null {
  if (!isOfDependencies(table)) return null;
  const text = written.replace(QUOTED_KEY, '$1');
  const [, key = '', value = ''] = /^\s*["']?([\w.-]+)["']?\s*=\s*(\S.*)$/.exec(text) ?? [];
  const [, own] = OWN_TABLE.exec(table) ?? [];
  const [, plain] = /^["']([^"']*)["']/.exec(value) ?? [];
  if (own !== undefined) {
    if (plain === undefined || !/^(?:git|url|version)$/.test(key)) return null;
    return { name: own, source: sourceOf(key, plain) };
  }
  const [, dotted, member] = /^([\w-]+)\.(git|url|version)$/.exec(key) ?? [];
  if (dotted !== undefined) {
    return plain === undefined ? null : { name: dotted, source: sourceOf(member, plain) };
  }
  if (plain !== undefined)
    return key === 'url' || key === 'git' ? null : { name: key, source: null };
  if (!/^[[{]/.test(value)) return null;
  const [, by, source] = /[{,\s](git|url)\s*=\s*["']([^"']+)["']/.exec(value) ?? [];
  return { name: key, source: source === undefined ? null : sourceOf(by, source) };
}

function sourceOf(key: string | undefined, value: string): string | null {
  if (key === 'version') return null;
  return key === 'git' ? repositoryAt(value) : value;
}

/** A line of one side, and the table of TOML that it stands in, as far as the hunk shows it. */
interface ShownLine {
  text: string;
  table: string;
  /** In the new file, from 1. */
  line: number;
  kind: number;
}

/**
 * Dependencies of manifests that come from another repository or archive than before, folders
 * outside of the repository, modules of Gradle in place of modules of another group, and indexes of
 * Python that serve packages which nobody asks them for.
 */
export function movedSourceFacts(bytes: Uint8Array, file: DiffFile): LineFact[] {
  const path = file.path.trimEnd();
  if (file.change === 'deleted') return [];
  const isGradle = GRADLE.test(path);
  const manifest = MANIFESTS.find((one) => one.file.test(path));
  if (manifest === undefined && !isGradle) return [];
  const lines = shownLines(bytes, file, manifest);
  return [
    ...(manifest === undefined ? [] : sourcesMoved(manifest, lines)),
    ...(manifest === undefined ? [] : foldersOutside(manifest, path, lines)),
    ...(isGradle ? modulesReplaced(lines) : []),
    ...(path.endsWith('pyproject.toml') || path.endsWith('uv.toml') ? indexesOpened(lines) : []),
  ];
}

function shownLines(bytes: Uint8Array, file: DiffFile, manifest?: Manifest): ShownLine[] {
  const lines: ShownLine[] = [];
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    let table = hunk.newStart <= 1 ? '' : UNKNOWN;
    /** What goes on in the next line, of both sides or of one. */
    let open = { text: '', kind: 0 };
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine: line } = cursor;
      const whole = asBuffer(bytes).toString('utf8', start, end).trim().slice(0, LINE_CHARS_MAX);
      const own = whole.replace(COMMENT, (_, quoted?: string) => quoted ?? '').trimEnd();
      table = manifest?.tableOf?.(own, table) ?? table;
      const isOpen = open.text !== '' && (open.kind === LINE.CONTEXT || open.kind === kind);
      const text = isOpen ? `${open.text} ${own}`.slice(0, LINE_CHARS_MAX) : own;
      lines.push({ text, table, line: Math.max(1, line), kind });
      if (manifest?.goesOn === undefined) continue;
      const isContinued = manifest.goesOn.test(own);
      open = { text: isContinued ? text.replace(/\\$/, '') : '', kind };
    }
  }
  return lines;
}

/** A text in quotes, which stays, or a comment. */
const COMMENT = /("[^"]*"|'[^']*')|(?:(?<=\s)|^)(?:#|\/\/).*$/g;

/** A table whose name stands above the hunk. */
const UNKNOWN = '?';
/** Tables that only say where packages come from that others ask for. */
const SOURCES = /^tool\.uv\.sources(?:\.|$)/;

function sourcesMoved({ said }: Manifest, lines: readonly ShownLine[]): LineFact[] {
  if (said === undefined) return [];
  const before = new Map<string, Set<string | null>>();
  const come: (Said & ShownLine)[] = [];
  for (const one of lines) {
    const found = said(one.text, one.table);
    if (found === null) continue;
    if (one.kind === LINE.ADDED) {
      if (found.source !== null) come.push({ ...one, ...found });
    } else if (!found.mayBeFile)
      before.set(found.name, (before.get(found.name) ?? new Set()).add(found.source));
  }
  const asked = new Set(
    lines.flatMap(({ kind, text }) =>
      kind === LINE.ADDED ? (/^["']([\w.-]+)/.exec(text)?.[1] ?? []) : [],
    ),
  );
  return bounded(come, ({ name, source, line, text, table }) => {
    const were = before.get(name) ?? new Set(SOURCES.test(table) && !asked.has(name) ? [null] : []);
    const origin = originOf(source) ?? '';
    const isKept = [...were].some((was) => was !== null && ownerOf(was) === ownerOf(source ?? ''));
    if (were.size === 0 || isKept) return null;
    const [was] = [...were].map((one) => (one === null ? 'a registry' : (originOf(one) ?? one)));
    return factOf(
      name,
      `${name} came from ${was}, and comes from ${origin} now.`,
      origin,
      line,
      text,
    );
  });
}

/** The site of a repository and its owner, who may give it another name. */
const ownerOf = (source: string) => (originOf(source) ?? source).split('/').slice(0, 2).join('/');

function foldersOutside(
  { path, tableOf }: Manifest,
  file: string,
  lines: readonly ShownLine[],
): LineFact[] {
  if (path === undefined) return [];
  const folder = posix.dirname(file);
  const pathOf = ({ text }: Pick<ShownLine, 'text'>) => path.exec(text)?.[1] ?? '';
  const before = new Set(lines.filter(({ kind }) => kind === LINE.REMOVED).map(pathOf));
  const come = lines.filter(({ kind, table, ...one }) => {
    const isOfTable = tableOf === undefined || isOfDependencies(table);
    return kind === LINE.ADDED && isOfTable && !before.has(pathOf(one));
  });
  const outside = come.filter((one) => {
    const plain = pathOf(one).replaceAll('\\', '/');
    const isAbsolute = /^(?:\/|~|[a-zA-Z]:\/)/.test(plain);
    return isAbsolute || /^\.\.(?:\/|$)/.test(posix.join(folder, plain));
  });
  return bounded(outside, (one) => {
    const detail = `Code of the folder ${pathOf(one)}, outside of the repository, is built.`;
    return factOf(pathOf(one), detail, pathOf(one), one.line, one.text);
  });
}

const MODULE = /\bmodule\s*\(\s*["']([^"':]+):[^"']*["']/g;
/** Groups with modules that are made to stand in for others, such as bridges of logs. */
const STAND_INS =
  /^(?:org\.slf4j|ch\.qos\.(?:logback|reload4j)|org\.apache|jakarta|org\.springframework|org\.bouncycastle|org\.jetbrains|com\.google|androidx|org\.hamcrest)(?:\.|$)/;

/** docs.gradle.org/current/userguide/resolution_rules.html */
function modulesReplaced(lines: readonly ShownLine[]): LineFact[] {
  let from: string | undefined;
  const come: (ShownLine & { from: string; to: string })[] = [];
  for (const one of lines) {
    if (one.kind === LINE.REMOVED) continue;
    const modules = [...one.text.matchAll(MODULE)].flatMap(({ 1: group }) => group ?? []);
    const isNew = /\bsubstitute\b/.test(one.text);
    if (isNew) from = modules[0];
    const isTarget = /\b(?:using|with)\b/.test(one.text);
    const [, target] = /\buseTarget\s*\(?\s*["']([^"':$]+):/.exec(one.text) ?? [];
    const to = target ?? (isTarget ? modules.at(-1) : undefined);
    if (one.kind !== LINE.ADDED || to === undefined || STAND_INS.test(to)) continue;
    const was = target === undefined ? from : 'another group';
    if (was !== undefined && was !== to) come.push({ ...one, from: was, to });
  }
  return bounded(come, ({ from: was, to, line, text }) =>
    factOf(to, `Modules of ${to} stand in for modules of ${was}.`, to, line, text),
  );
}

interface Index {
  name: string;
  isExplicit: boolean;
  line: number;
  text: string;
}

/**
 * Indexes that only served packages that name them: uv and Poetry now ask them for others, too
 * (docs.astral.sh/uv/concepts/indexes, python-poetry.org/docs/repositories).
 */
function indexesOpened(lines: readonly ShownLine[]): LineFact[] {
  const before = indexesOf(lines.filter(({ kind }) => kind !== LINE.ADDED));
  const after = indexesOf(lines.filter(({ kind }) => kind !== LINE.REMOVED));
  const closed = new Set(before.flatMap(({ name, isExplicit }) => (isExplicit ? name : [])));
  const open = after.filter(({ name, isExplicit }) => !isExplicit && closed.has(name));
  return bounded(open, ({ name, line, text }) => {
    const detail = `The index ${name} was explicit, and is asked for all packages now.`;
    const fact: Fact = { kind: 'guard-removed', name, version: '', detail, isLesser: false };
    return { fact, line, text };
  });
}

function indexesOf(lines: readonly ShownLine[]): Index[] {
  const indexes: Index[] = [];
  let open: Index | null = null;
  for (const { text, table, line } of lines) {
    if (/^\[/.test(text)) open = null;
    if (!/^(?:(?:tool\.uv\.)?index|tool\.poetry\.source)$/.test(table)) continue;
    const [, key, value = ''] = /^(name|explicit|priority)\s*=\s*["']?([\w.-]+)/.exec(text) ?? [];
    if (open === null) {
      open = { name: '', isExplicit: false, line, text };
      indexes.push(open);
    }
    if (key === 'name') Object.assign(open, { name: value, line, text });
    else if (key !== undefined) open.isExplicit = value === 'true' || value === 'explicit';
  }
  return indexes;
}

function factOf(
  name: string,
  detail: string,
  origin: string,
  line: number,
  text: string,
): LineFact {
  const fact = {
    kind: 'source-changed',
    name,
    version: '',
    detail,
    origin,
    isLesser: true,
  } as const;
  return { fact, line, text };
}

/** The facts of at most `SOURCES_MAX` items, and that there are more. */
function bounded<T extends { line: number; text: string }>(
  items: readonly T[],
  fact: (one: T) => LineFact | null,
): LineFact[] {
  const facts = items.slice(0, SOURCES_MAX).flatMap((one) => fact(one) ?? []);
  const [more] = items.slice(SOURCES_MAX);
  if (more === undefined) return facts;
  const detail = `More than ${SOURCES_MAX} lines name sources, and gate 1 compares no more.`;
  return [...facts, factOf('sources', detail, 'sources', more.line, more.text)];
}
