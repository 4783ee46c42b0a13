import {
  type CheckLine,
  type CommandLine,
  type ConsumerLine,
  LAST_ARGUMENT,
  LISTS,
  NAMED,
  type Operation,
  PATTERNS,
  type Package,
  type PropagatorLine,
  ROWS,
  type SanitizerLine,
  SINK_KINDS,
  type SinkLine,
  type SourceLine,
  USES,
} from './line.ts';

/**
 * What a table of the catalogue says. A table is text, a row a fact; docs/reference/catalogue.md
 * describes each sort of row for people who write them.
 *
 * ```
 * # What starts programs.
 * package child_process https://nodejs.org/api/child_process.html aliases=cp,child
 * sink shell exec execSync
 * sink program spawn execFile args=0,1 link=#child_processspawncommand-args-options
 * ```
 *
 * A row is words between white space: its sort, what the sort asks for, names, then `key=value` and
 * `+flag`. A line that begins with white space goes on with the row above it. A line that begins
 * with `#` is a comment. Rows belong to the package above them, but for those about a language
 * itself: `route GetMapping`.
 */
export interface Table {
  readonly packages: readonly Package[];
  readonly sanitizers: readonly SanitizerLine[];
  readonly checks: readonly CheckLine[];
  readonly commands: readonly CommandLine[];
  readonly consumers: readonly ConsumerLine[];
  readonly operations: readonly Operation[];
}

/** All that the tables of a language say, the topics in the order of their names. */
export function allOf(tables: Readonly<Record<string, Table>>): Table {
  const all = Object.values(tables);
  return {
    packages: all.flatMap(({ packages }) => packages),
    sanitizers: all.flatMap(({ sanitizers }) => sanitizers),
    checks: all.flatMap(({ checks }) => checks),
    commands: all.flatMap(({ commands }) => commands),
    consumers: all.flatMap(({ consumers }) => consumers),
    operations: all.flatMap(({ operations }) => operations),
  };
}

/** What is wrong with a row. */
export interface Problem {
  /** The line on which the row begins, from 1. */
  readonly line: number;
  /** What is wrong and what is allowed. */
  readonly text: string;
}

/** Reads a table; rows with a problem are left out. */
export function readTable(text: string): { table: Table; problems: readonly Problem[] } {
  const builder = new TableBuilder();
  const problems: Problem[] = [];
  for (const { line, words } of rowsOf(text, problems)) {
    try {
      builder.add(words, line);
    } catch (thrown) {
      if (!(thrown instanceof Wrong)) throw thrown;
      problems.push({ line, text: thrown.message });
    }
  }
  problems.push(...builder.emptyPackages());
  problems.sort((left, right) => left.line - right.line);
  return { table: builder.table(), problems };
}

/** What is wrong with a row; `readTable` knows on which line. */
class Wrong extends Error {}

interface Row {
  readonly line: number;
  readonly words: readonly string[];
}

function rowsOf(text: string, problems: Problem[]): Row[] {
  const rows: { line: number; text: string }[] = [];
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    if (written.trim() === '' || written.startsWith('#')) continue;
    const last = rows.at(-1);
    if (!/^\s/.test(written)) rows.push({ line, text: written });
    else if (last !== undefined) last.text += ` ${written.trim()}`;
    else problems.push({ line, text: 'a line that begins with white space has no row above it' });
  }
  return rows.map((row) => ({ line: row.line, words: wordsOf(row.text) }));
}

/** A word, or a regular expression between slashes, which may hold white space. */
const WORD = /(?:value=)?\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/[a-z]*(?=\s|$)|\S+/g;

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Reads what stands after `key=`. Throws `Wrong`. */
type Reader = (text: string) => unknown;

/** What a row of one sort may hold. */
interface Format {
  /** What the word after the sort is, and the field that it fills; some sorts have none. */
  readonly lead?: { readonly field: string; readonly read: Reader };
  /** Keys with the fields that they fill where these have other names. */
  readonly keys: Readonly<Record<string, Reader>>;
  readonly flags: readonly string[];
  /** What else must hold for the fields together. */
  readonly check?: (fields: Fields) => void;
}

type Fields = Record<string, unknown>;

const ARGUMENT_MAX = 31;

function name(text: string): string {
  if (/^[\w$@*.:/()-]+$/.test(text)) return text;
  throw new Wrong(`"${text}" is no name and no path of names`);
}

/** Names with commas between them; `none`: no name. The result has blanks between them. */
function names(text: string): string {
  return text === 'none' ? '' : text.split(',').map(name).join(' ');
}

function versions(text: string): string {
  if (/^(?:[<>]=?|=)\d+(?:\.\d+){0,2}$/.test(text)) return text;
  throw new Wrong(`"${text}" is no range of versions: "<4.2.1", ">=6"`);
}

/** The position of an argument from 0; -1 is what the method is called on. */
function argument(text: string): number {
  if (text === 'last') return LAST_ARGUMENT;
  const position = Number(text);
  if (/^(?:\d+|-1)$/.test(text) && position <= ARGUMENT_MAX) return position;
  throw new Wrong(`"${text}" is no argument: 0 to ${ARGUMENT_MAX}, last, or -1 for the receiver`);
}

function argumentList(text: string): number[] {
  return text === 'none' ? [] : text.split(',').map(argument);
}

function oneOf(allowed: readonly string[]): Reader {
  return (text) => {
    if (allowed.includes(text)) return text;
    throw new Wrong(`"${text}" is none of: ${allowed.join(' ')}`);
  };
}

/** What data is safe for: uses with commas between them, `all` or `none`. */
function uses(text: string): readonly unknown[] {
  if (text === 'all') return USES;
  return text === 'none' ? [] : text.split(',').map(oneOf([...USES, 'all', 'none']));
}

/** The wrong values: words with commas between them, or a regular expression between slashes. */
function fixedValue(text: string): RegExp {
  if (text.startsWith('/')) return regex(text);
  const words = text.split(',');
  if (words.every((word) => /^\w+$/.test(word))) {
    return new RegExp(words.length === 1 ? `^${text}$` : `^(?:${words.join('|')})$`);
  }
  throw new Wrong(`"${text}" is neither words with commas nor a regular expression: /^a b$/i`);
}

function regex(text: string): RegExp {
  const [, source = '', flags] = /^\/(.+)\/([a-z]*)$/.exec(text) ?? [];
  if (source === '') throw new Wrong(`"${text}" is no regular expression between slashes`);
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    throw new Wrong(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function address(text: string): string {
  if (/^https:\/\/[\w.-]+\.\w+(?:[/#].*)?$/.test(text)) return text;
  throw new Wrong(`"${text}" is no address that begins with https://`);
}

/** An address, or what follows the address of the package. */
function link(text: string): string {
  return /^[#/]/.test(text) ? text : address(text);
}

const SEVERITY = oneOf(['high', 'medium', 'low']);

/** Keys of a package, which stand on its row. */
const PACKAGE: Format = {
  keys: { versions, aliases: names, receivers: names, closed: names, types: names },
  flags: [],
};

const FACTS = {
  sink: {
    lead: { field: 'kind', read: oneOf(SINK_KINDS) },
    keys: {
      how: oneOf(['call', 'tag', 'assign', 'property']),
      args: argumentList,
      options: names,
      value: fixedValue,
      when: name,
      unless: names,
      writer: names,
      type: argument,
      severity: SEVERITY,
      receivers: names,
      versions,
      link,
    },
    flags: ['missing', 'free', 'shell', 'direct', 'page'],
  },
  source: {
    keys: {
      callback: argument,
      event: name,
      option: name,
      is: name,
      into: argument,
      'safe-for': uses,
      receivers: names,
      versions,
      link,
    },
    flags: ['decorator', 'whole', 'object', 'rest'],
    check(fields) {
      const isLoose = ['event', 'option', 'is', 'rest'].find((key) => fields[key] !== undefined);
      if (fields['callback'] === undefined && isLoose !== undefined) {
        throw new Wrong(`"${isLoose}" needs "callback", the parameter that gets the data`);
      }
    },
  },
  propagator: {
    keys: { from: argumentList, callback: argument, into: argument, versions, link },
    flags: ['whole', 'decodes', 'free'],
  },
  sanitizer: { lead: { field: 'safeFor', read: uses }, keys: { versions, link }, flags: [] },
  check: {
    keys: { 'when-true': uses, 'when-false': uses, versions, link },
    flags: [],
    check(fields) {
      if (fields['when-true'] === undefined && fields['when-false'] === undefined) {
        throw new Wrong('a check needs "when-true" or "when-false"');
      }
    },
  },
  command: {
    lead: { field: 'takes', read: oneOf(['shell', 'program', 'list', 'tag']) },
    keys: { versions, link },
    flags: [],
  },
  consumer: {
    keys: { parameter: argument, event: name, option: name, receivers: names, versions, link },
    flags: [],
    check(fields) {
      if (fields['parameter'] === undefined) {
        throw new Wrong('a consumer needs "parameter", which gets the message');
      }
    },
  },
} satisfies Record<string, Format>;
type FactSort = keyof typeof FACTS;

/** First words of rows about a language itself. */
const OPERATIONS: readonly string[] = [...LISTS, ...ROWS, ...NAMED, ...PATTERNS];

/** A package as it is read, row by row. */
interface OpenPackage {
  readonly line: number;
  readonly fields: Fields & { package: string; link: string };
  readonly sinks: SinkLine[];
  readonly sources: SourceLine[];
  readonly propagators: PropagatorLine[];
  /** Its rows as they are written. */
  readonly written: Set<string>;
}

class TableBuilder {
  readonly #packages: OpenPackage[] = [];
  readonly #sanitizers: SanitizerLine[] = [];
  readonly #checks: CheckLine[] = [];
  readonly #commands: CommandLine[] = [];
  readonly #consumers: ConsumerLine[] = [];
  readonly #operations: Operation[] = [];

  /** Takes the words of a row. Throws `Wrong`. */
  add(words: readonly string[], line: number): void {
    const [sort = '', ...rest] = words;
    if (sort === 'package') this.#addPackage(rest, line);
    else if (isFact(sort)) this.#addFact(sort, rest);
    else if (OPERATIONS.includes(sort)) this.#operations.push(operationOf(sort, rest));
    else {
      const allowed = ['package', ...Object.keys(FACTS), ...OPERATIONS].join(' ');
      throw new Wrong(`"${sort}" is no sort of row: ${allowed}`);
    }
  }

  #addPackage([text = '', where = '', ...rest]: readonly string[], line: number): void {
    // Rows behind a package that cannot be read belong to no other one.
    const own: OpenPackage = {
      line,
      fields: { package: text, link: where },
      sinks: [],
      sources: [],
      propagators: [],
      written: new Set(),
    };
    this.#packages.push(own);
    if (text === '' || text.includes('=')) throw new Wrong('a package needs its name');
    name(text);
    if (where === '' || (where.includes('=') && !where.startsWith('https://'))) {
      throw new Wrong('a package needs the address of its documentation');
    }
    address(where);
    const { names: more, fields } = readWords(PACKAGE, 'package', rest);
    if (more.length > 0) throw new Wrong(`"${more[0]}" is neither key=value nor +flag`);
    Object.assign(own.fields, fields);
  }

  #addFact(sort: FactSort, rest: readonly string[]): void {
    const own = this.#packages.at(-1);
    if (own === undefined) throw new Wrong(`"${sort}" needs a "package" row above it`);
    const written = [sort, ...rest].join(' ');
    if (own.written.has(written)) throw new Wrong(`the package has this row already: ${written}`);
    own.written.add(written);
    const fields = factOf(FACTS[sort], sort, rest);
    // The format of the sort has checked each field.
    if (sort === 'sink') own.sinks.push(fields as unknown as SinkLine);
    else if (sort === 'source') own.sources.push(sourceOf(fields));
    else if (sort === 'propagator') own.propagators.push(fields as unknown as PropagatorLine);
    else this.#addFlat(sort, own, fields);
  }

  /** Rows whose lines say themselves which package they are of. */
  #addFlat(sort: FactSort, own: OpenPackage, fields: Fields): void {
    const { package: ofPackage, aliases, link: base } = own.fields;
    const where = fields['link'] as string | undefined;
    const line: Fields = { ...fields, package: ofPackage, link: absolute(base, where) };
    if (aliases !== undefined) line['aliases'] = aliases;
    if (sort === 'sanitizer') this.#sanitizers.push(line as unknown as SanitizerLine);
    else if (sort === 'command') this.#commands.push(line as unknown as CommandLine);
    else if (sort === 'consumer') this.#consumers.push(line as unknown as ConsumerLine);
    else this.#checks.push(checkOf(line));
  }

  /** Packages of which a table says nothing. */
  emptyPackages(): Problem[] {
    return this.#packages
      .filter(({ written, fields }) => written.size === 0 && fields['types'] === undefined)
      .map(({ line }) => ({ line, text: 'the package has no row' }));
  }

  table(): Table {
    const packages = this.#packages
      .filter((own) => own.written.size === 0 || countOf(own) > 0)
      .map(packageOf);
    return {
      packages,
      sanitizers: this.#sanitizers,
      checks: this.#checks,
      commands: this.#commands,
      consumers: this.#consumers,
      operations: this.#operations,
    };
  }
}

function isFact(sort: string): sort is FactSort {
  return Object.hasOwn(FACTS, sort);
}

function countOf({ sinks, sources, propagators }: OpenPackage): number {
  return sinks.length + sources.length + propagators.length;
}

function packageOf({ fields, sinks, sources, propagators }: OpenPackage): Package {
  return {
    ...fields,
    ...(sinks.length > 0 && { sinks }),
    ...(sources.length > 0 && { sources }),
    ...(propagators.length > 0 && { propagators }),
  };
}

/** An address that may be what follows another one. */
function absolute(base: string, where: string | undefined): string {
  if (where === undefined) return base;
  return where.startsWith('https://') ? where : base + where;
}

/** The names of a row, and its keys and flags as fields. Throws `Wrong`. */
function readWords(
  format: Format,
  sort: string,
  words: readonly string[],
): { names: string[]; fields: Fields } {
  const found: string[] = [];
  const fields: Fields = {};
  for (const word of words) {
    const end = word.indexOf('=');
    const key = word.startsWith('+') ? word.slice(1) : word.slice(0, Math.max(0, end));
    if (key === '' && end < 0) found.push(word);
    else if (Object.hasOwn(fields, key)) throw new Wrong(`"${key}" stands twice`);
    else
      fields[key] = word.startsWith('+') ? flagOf(format, sort, key) : fieldOf(format, sort, word);
  }
  return { names: found, fields };
}

function flagOf({ flags }: Format, sort: string, key: string): true {
  if (flags.includes(key)) return true;
  const allowed = flags.length === 0 ? 'no flags' : flags.map((flag) => `+${flag}`).join(' ');
  throw new Wrong(`"+${key}" is no flag of "${sort}": ${allowed}`);
}

function fieldOf({ keys }: Format, sort: string, word: string): unknown {
  const end = word.indexOf('=');
  const key = word.slice(0, end);
  if (!Object.hasOwn(keys, key)) {
    throw new Wrong(`"${key}" is no key of "${sort}": ${Object.keys(keys).join(' ')}`);
  }
  try {
    return keys[key]?.(word.slice(end + 1));
  } catch (thrown) {
    throw thrown instanceof Wrong ? new Wrong(`${key}: ${thrown.message}`) : thrown;
  }
}

function factOf(format: Format, sort: string, words: readonly string[]): Fields {
  const { lead } = format;
  const rest = lead === undefined ? words : words.slice(1);
  const own: Fields = {};
  if (lead !== undefined) own[lead.field] = lead.read(words[0] ?? '');
  const { names: exports, fields } = readWords(format, sort, rest);
  if (exports.length === 0) throw new Wrong(`"${sort}" needs the names of exports`);
  format.check?.(fields);
  return { exports: exports.map(name).join(' '), ...own, ...fields };
}

function sourceOf({
  callback,
  event,
  option,
  is,
  rest: isRest,
  'safe-for': safeFor,
  ...rest
}: Fields): SourceLine {
  const fields: Fields = { ...rest };
  if (safeFor !== undefined) fields['safeFor'] = safeFor;
  if (callback !== undefined) {
    const own: Fields = { parameter: callback };
    if (event !== undefined) own['event'] = event;
    if (option !== undefined) own['option'] = option;
    if (is !== undefined) own['is'] = is;
    if (isRest !== undefined) own['rest'] = isRest;
    fields['callback'] = own;
  }
  return fields as unknown as SourceLine;
}

function checkOf({ 'when-true': whenTrue, 'when-false': whenFalse, ...rest }: Fields): CheckLine {
  const fields: Fields = { ...rest };
  if (whenTrue !== undefined) fields['whenTrue'] = whenTrue;
  if (whenFalse !== undefined) fields['whenFalse'] = whenFalse;
  return fields as unknown as CheckLine;
}

function operationOf(sort: string, words: readonly string[]): Operation {
  const [first = ''] = words;
  if (PATTERNS.some((known) => known === sort)) {
    const [, pattern = ''] = words;
    if (words.length !== 2) throw new Wrong(`"${sort}" needs a name and one regular expression`);
    return { sort: sort as Operation['sort'], words: [name(first)], pattern: regex(pattern) };
  }
  const isList = LISTS.some((known) => known === sort) || sort === 'called';
  const least = isList ? 1 : 2;
  if (words.length < least)
    throw new Wrong(`"${sort}" needs ${least === 1 ? 'a word' : 'two words'} or more`);
  return { sort: sort as Operation['sort'], words };
}
