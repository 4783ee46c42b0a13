/** What data can be misused for; an encoder or a check makes it safe for some of these only. */
export const USES = [
  'html',
  'path',
  'url',
  'redirect',
  'regex',
  'key',
  'sql',
  'command',
  'xpath',
  'ldap',
  'line',
] as const;
export type Use = (typeof USES)[number];

/**
 * Exports of a package and what they do to data: a fact of the package's documentation. One line
 * may name several exports that its documentation treats alike.
 */
export interface CatalogueLine {
  /** npm package or Node module (without `node:`); `global` for what every program has. */
  readonly package: string;
  /** Names of exports, separated by spaces; `default` for the package itself. */
  readonly exports: string;
  /** Names that the package is imported as, for hunks whose import is out of sight. */
  readonly aliases?: string;
  /** Versions that it holds for, as a semver range; all of them where it is missing. */
  readonly versions?: string;
  /** The documentation that says so. */
  readonly link: string;
}

/** A function whose result is safe for some uses, whatever text it is given. */
export interface SanitizerLine extends CatalogueLine {
  readonly safeFor: readonly Use[];
}

/** A function that looks at its first argument and gives a boolean. */
export interface CheckLine extends CatalogueLine {
  /** What the argument is safe for where the result is true, and where it is false. */
  readonly whenTrue?: readonly Use[];
  readonly whenFalse?: readonly Use[];
}

/** A function that starts a shell or a program. */
export interface CommandLine extends CatalogueLine {
  /**
   * `shell`: the first argument is the text of a command. `program`: it is a program, and the
   * second holds its arguments. `list`: one list holds both. `tag`: a template tag that starts
   * what the template's text names.
   */
  readonly takes: 'shell' | 'program' | 'list' | 'tag';
}

/** A method that gives messages of other parties to a function of the program. */
export interface ConsumerLine extends CatalogueLine {
  /** Last names of what the method is called on; any where it is missing. */
  readonly receivers?: string;
  /** The event that the function is registered for: the method's first argument. */
  readonly event?: string;
  /** The option under which the function stands; else it is an argument of its own. */
  readonly option?: string;
  /** The function's parameter that holds the message, from 0. */
  readonly parameter: number;
}

/** What data does where it arrives; the grades of each are in `gates/syntax/sinks/kinds.ts`. */
export const SINK_KINDS = [
  'shell', // text of a shell
  'program', // name of a program that is started
  'code', // text of a program, in whatever language runs in this process or its browser
  'template', // text of a template whose language can run code
  'locals', // values of a template that may set options of its engine
  'module', // name of a module that is loaded
  'sql', // a statement, or a part of one
  'filter', // an object that a document store takes for operators
  'script', // code that a database runs
  'html', // markup that becomes elements
  'markup', // the same where it usually is the program's own: only data from outside counts
  'page', // text of an answer that a browser takes for a page
  'answer', // text of an answer that a browser takes for a page where it holds markup
  'view', // name of a view, which `redirect:` makes an address
  'link', // an address that a person follows: `javascript:` runs there
  'render', // markup that a browser or converter on the server renders
  'path', // name of a file that is read, written or removed
  'look', // name of a file that is only looked at
  'archive', // an archive whose entries are written where their names say
  'request', // address of a request that the server sends
  'host', // name of a host that the server connects to
  'redirect', // where a browser is sent
  'deserialise', // text of a reader that runs what it reads
  'objects', // text of a reader that makes objects of classes that the text names
  'entities', // XML of a reader that resolves entities
  'xpath',
  'ldap',
  'query', // text of another query language: GraphQL, Cypher, a search engine's
  'regex', // a regular expression
  'merge', // an object whose keys are written into another one, `__proto__` and all
  'keys', // a path of keys under which a value is written
  'fields', // an object all of whose fields are stored
  'header', // name or value of a header
  'log', // text of a log
  'trust', // a value of the session, which the program takes for checked later
  'mail', // a recipient or header of a mail
  'format', // size, count or pattern by which one request can use up memory or time
  'origin', // the origin that may read answers
  // From here on what is wrong is a fixed value, or that it is missing.
  'certificate', // certificates are not verified
  'tls', // an old or weak protocol
  'cipher', // a broken cipher or mode
  'hash', // a hash too fast or broken for what it is for
  'random', // a value that can be guessed
  'secret', // a literal that must not be in the program
  'token', // a token that is not verified, or accepted by a weak check
  'cookie', // a cookie that scripts or others can read
  'dtd', // a reader of XML that resolves external entities
  'escaping', // escaping that is switched off
  'exposure', // a protection that is switched off
] as const;
export type SinkKind = (typeof SINK_KINDS)[number];

/** The position of the last argument of a call, however many it has. */
export const LAST_ARGUMENT = -2;

/** One fact of a package's documentation. */
interface Entry {
  /**
   * Paths of names from the package, separated by spaces: `query` an export, `default` the package
   * itself, `Client.query` a method of what `Client` is or makes, `*.query` a method of anything
   * that comes of the package in however many steps, `compile()` what the result is called with.
   */
  readonly exports: string;
  /** The place in the documentation: what follows the package's link (`#x`, `/x`), or a URL. */
  readonly link?: string;
  readonly versions?: string;
}

/** A place where data from outside does harm, or a fixed value does. */
export interface SinkLine extends Entry {
  readonly kind: SinkKind;
  /**
   * `call` (default: calls and `new`); `tag` a template tag; `assign` the export is a property that
   * is assigned to; `property` it is a property of any object literal or element.
   */
  readonly how?: 'call' | 'tag' | 'assign' | 'property';
  /** Arguments that hold the danger, from 0; the first one where there are no `options` either. */
  readonly args?: readonly number[];
  /** Names of options that hold it, in any argument that is an object: `url proxy.host`. */
  readonly options?: string;
  /**
   * What the fixed value is that is wrong: a literal, one of a list, or the last name of a
   * package's constant. An option or argument of any other is harmless.
   */
  readonly value?: RegExp;
  /** It is wrong that the `options` are missing; with `value` where the first argument is that. */
  readonly missing?: true;
  /** A danger only where this option is given and not false: `shell`, `noent`. */
  readonly when?: string;
  /** Harmless where one of these options is given and not false: `root`. */
  readonly unless?: string;
  /** Data itself or a text with it, not what a function out of view makes of data. */
  readonly direct?: true;
  /** A danger only where the first argument is of one of these types: what is written to. */
  readonly writer?: string;
  /** Of a page: the argument that names its media type, which may be one without scripts. */
  readonly type?: number;
  /** A danger only where a call before it, or the function's annotations, say that it is HTML. */
  readonly page?: true;
  /** A danger only where the program that is started is a shell or runs what it is given. */
  readonly shell?: true;
  /** Less than the kind has. Never more: a `vuln-NN` is what the kind says. */
  readonly severity?: 'high' | 'medium' | 'low';
  /**
   * Usual last names of what the method is called on: they count where nothing in view says what it
   * is. Missing: the package's; '': none.
   */
  readonly receivers?: string;
  /** The last name alone says it, where nothing declares it: `execa(x)` without the import. */
  readonly free?: true;
}

/** Where data from outside comes in. */
export interface SourceLine extends Entry {
  /**
   * Without `callback`: paths whose members are data (`Request.body`), or with `()` whose result
   * is (`getQuery()`). With it: methods that give the data to a function.
   */
  readonly callback?: {
    /** The parameter, from 0. */
    readonly parameter: number;
    /** The event: the method's first argument. */
    readonly event?: string;
    /** The option under which the function stands. */
    readonly option?: string;
    /** It is no data itself, but what the package calls so: `Request`, with lines of its own. */
    readonly is?: string;
    /** The parameters behind it are data as well. */
    readonly rest?: true;
  };
  /** The exports are decorators of a parameter. */
  readonly decorator?: true;
  /** The sender makes the whole object, keys and all. */
  readonly whole?: true;
  /** It may be an object where the program expects text. */
  readonly object?: true;
  /** What it is safe for although it is from outside. */
  readonly safeFor?: readonly Use[];
  /** The argument that is filled with it, from 0: Go's decoders write into variables. */
  readonly into?: number;
  readonly receivers?: string;
}

/** A function that hands data on. */
export interface PropagatorLine extends Entry {
  /** Arguments that it comes from, from 0; all of them where missing. */
  readonly from?: readonly number[];
  /** The parameter of the given function that gets elements of them; else the result is it. */
  readonly callback?: number;
  /** The argument that gets it instead of the result, from 0; -1: what it is called on. Go's. */
  readonly into?: number;
  /** The result is an object of the sender's making: parsed text. */
  readonly whole?: true;
  /** It undoes an encoding: what was safe before may not be now. Parsers do so as well. */
  readonly decodes?: true;
  readonly free?: true;
}

/** What is known of a package. */
export interface Package {
  /** npm package or Node module (without `node:`); its subpaths count as the package. */
  readonly package: string;
  /** Its documentation. */
  readonly link: string;
  readonly versions?: string;
  /** Names that the package is imported as, for hunks whose import is out of sight. */
  readonly aliases?: string;
  /** Usual last names of what it makes, for the same: `pool db`; `userPool` counts as well. */
  readonly receivers?: string;
  /** Functions whose results have other methods of the same names: `prepare`. */
  readonly closed?: string;
  /** Types that no other package has: a parameter `x: DataSource` is known without the import. */
  readonly types?: string;
  readonly sinks?: readonly SinkLine[];
  readonly sources?: readonly SourceLine[];
  readonly propagators?: readonly PropagatorLine[];
}

/** Facts of a language that are lists of words; docs/reference/catalogue.md explains each. */
export const LISTS = [
  'known',
  'converts',
  'asserts',
  'harmless',
  'textual',
  'route',
  'handler',
  'limits',
  'bound',
  'statement',
  'action',
  'ends',
  'raises',
  'trait',
] as const;

/** Facts of a language whose words say more in their order. */
export const ROWS = [
  'answers',
  'operator',
  'decorates',
  'registers',
  'serves',
  'routed',
  'called',
  'usual',
  'value',
] as const;
export type RowSort = (typeof ROWS)[number];

/** Facts that are about a name: what is behind it, or what goes by it. */
export const NAMED = [
  'kind',
  'function',
  'static',
  'is',
  'counts',
  'guard',
  'set',
  'word',
  'role',
  'leads',
  'free',
  // What values are whose methods a language names: `list append add addLast`.
  'list',
  'table',
  'builder',
  'cell',
  'sections',
  'text',
  'any',
] as const;

/** Facts with a regular expression. */
export const PATTERNS = ['pattern', 'typed'] as const;

/** One fact of a language itself: of its values, checks, types and handlers. */
export interface Operation {
  readonly sort:
    | (typeof LISTS)[number]
    | RowSort
    | (typeof NAMED)[number]
    | (typeof PATTERNS)[number];
  /** What follows the sort: the words of a list, else what it is about and then names or paths. */
  readonly words: readonly string[];
  /** Of `PATTERNS`, whose name is the only word. */
  readonly pattern?: RegExp;
}

/** A set of words, written with white space between them. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
