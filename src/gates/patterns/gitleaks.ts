import { CraError } from '../../model/errors.ts';
import type { Allowlist, Pattern, RuleSet, RulesFile } from '../../model/rules.ts';

/** A construct of a gitleaks configuration that is not done here as gitleaks does it. */
export interface ImportProblem {
  /** Id of the rule in the file; null: the file as a whole. */
  rule: string | null;
  message: string;
  /** `error`: a rule is left out or wrong, less would be found. `note`: nothing is missed. */
  level: 'error' | 'note';
}

interface GitleaksImport {
  file: RulesFile;
  problems: ImportProblem[];
}

/**
 * Converts a gitleaks configuration (https://github.com/gitleaks/gitleaks#configuration), parsed
 * from TOML, to a rules file. Its rules take the place of our rules for secrets, or come on top of
 * them with `extend.useDefault`; our other rules stay, as gitleaks has none of their kind. Rules
 * without a severity of their own are `high`. What cannot be converted is named, never dropped in
 * silence. Throws INVALID_ARGUMENT for what is not a table.
 */
export function importGitleaks(config: unknown, defaults: RuleSet): GitleaksImport {
  if (!isTable(config)) throw new CraError('INVALID_ARGUMENT', 'is not a TOML table');
  return new Importer(config, defaults).run();
}

/**
 * A diff is looked at line by line, but rules that can match line breaks see the joined lines of a
 * hunk: rules that name a line end, a run of blanks (`\s*`, `[\s:=]+`) or a run of all but some
 * characters (`[^"]+`) without a bound. A bounded run (`\s{0,5}`) mostly means blanks on a line.
 */
const LINE_BREAK = new RegExp(
  String.raw`(?<!\\)(?:\\\\)*(?:\\[nr]|\\x0[aAdD]|\\x\{0*[aAdD]\}|` +
    String.raw`\[\^?(?:\\s\\S|\\S\\s|\\w\\W|\\W\\w|\\d\\D|\\D\\d)|\(\?[a-zA-Z]*s|` +
    String.raw`(?:\\s|\[(?!\^)(?:\\[^\]]|[^\]\\])*\\s(?:\\[^\]]|[^\]\\])*\]|` +
    String.raw`\[\^(?:\\[^\]nsrW]|[^\]\\\n])+\])(?:[*+]|\{\d+,\}))`,
);

const FIX = 'Revoke the secret, take it out of the change, and keep it in a secret store.';

class Importer {
  private readonly problems: ImportProblem[] = [];
  private readonly root: TomlTable;
  /** Our rules that `extend.useDefault` brings, by id, less the disabled ones. */
  private readonly base = new Map<string, Pattern>();
  private readonly own = new Map<string, Pattern>();
  private readonly disabled: string[] = [];
  private isExtended = false;

  constructor(config: object, defaults: RuleSet) {
    this.root = readTable(config, (message) => this.error(null, message));
    this.readExtend(defaults);
  }

  run(): GitleaksImport {
    const { root } = this;
    for (const name of ['title', 'description', 'minVersion']) root.text(name);
    for (const rule of root.tables('rules')) this.addRule(rule);
    const allowlists = this.globalAllowlists();
    this.noteUnknown(null, root);
    const disabled = this.disabled.filter((id) => !this.own.has(id));
    const file: RulesFile = {
      version: 1,
      extends: this.isExtended ? 'default' : 'default-no-secrets',
      ...(disabled.length === 0 ? {} : { disabled_rules: disabled }),
      secret_patterns: genericLast([...this.own.values()]),
      ...(allowlists.length === 0 ? {} : { allowlists }),
    };
    return { file, problems: this.problems };
  }

  private readExtend(defaults: RuleSet): void {
    const extend = this.root.table('extend');
    if (extend === null) return;
    this.isExtended = extend.flag('useDefault');
    for (const name of ['path', 'url']) {
      if (extend.text(name) === '') continue;
      this.error(null, `extend.${name} is not followed; import that file, too`);
    }
    if (this.isExtended) {
      for (const pattern of defaults.secret_patterns) this.base.set(pattern.id, pattern);
      this.note(null, "extend.useDefault adds cra's own rules for secrets, no rules of gitleaks");
    }
    for (const id of extend.texts('disabledRules')) {
      const own = ruleId(id);
      if (this.base.delete(own)) this.disabled.push(own);
      else this.note(id, 'extend.disabledRules names it, but the extended rules have no such rule');
    }
    this.noteUnknown(null, extend);
  }

  private addRule(table: TomlTable): void {
    const id = table.text('id').trim();
    if (id === '') {
      this.error(null, `a rule has no id: ${table.text('description').slice(0, 100)}`);
      return;
    }
    const fields = this.fieldsOf(id, table);
    const required = table.tables('required');
    const isSilent = table.flag('skipReport');
    this.noteUnknown(id, table);
    if (required.length > 0) {
      this.error(id, 'is left out: composite rules (required) are not supported');
      return;
    }
    if (isSilent) {
      this.note(id, 'is left out: with skipReport it reports nothing by itself');
      return;
    }
    const base = this.base.get(ruleId(id));
    if (base === undefined && fields.regex === undefined && fields.path === undefined) {
      this.error(id, 'is left out: it has neither regex nor path, and no rule of cra to change');
      return;
    }
    if (this.own.has(ruleId(id))) this.note(id, 'stands there twice; the last one counts');
    this.own.set(ruleId(id), base === undefined ? newPattern(id, fields) : merge(base, fields));
  }

  private fieldsOf(id: string, table: TomlTable): Partial<Pattern> {
    const regex = table.text('regex');
    const path = table.text('path');
    const description = table.text('description');
    const secretGroup = table.number('secretGroup');
    const entropy = table.number('entropy');
    const tags = table.texts('tags');
    const words = table.texts('keywords').map((word) => word.toLowerCase());
    // An empty keyword is in every text: the rule always runs.
    const keywords = words.includes('') ? [] : [...new Set(words)];
    const allowlists = this.allowlistsOf(id, table);
    return {
      ...(description === '' ? {} : { description, message: description }),
      ...(regex === '' ? {} : { regex }),
      ...(LINE_BREAK.test(regex) ? { target: 'hunk' } : {}),
      ...(path === '' ? {} : { path }),
      ...(keywords.length === 0 ? {} : { keywords }),
      ...(secretGroup === 0 ? {} : { secretGroup }),
      ...(entropy === 0 ? {} : { entropy }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(allowlists.length === 0 ? {} : { allowlists }),
    };
  }

  /** `allowlist` is the older form of `allowlists`. */
  private allowlistsOf(id: string, table: TomlTable): Allowlist[] {
    const single = table.table('allowlist');
    const lists = [...table.tables('allowlists'), ...(single === null ? [] : [single])];
    return lists.flatMap((list) => this.convert(id, list));
  }

  /** Allowlists with targetRules go to their rules, the others are for all. */
  private globalAllowlists(): Allowlist[] {
    const single = this.root.table('allowlist');
    const lists = [...this.root.tables('allowlists'), ...(single === null ? [] : [single])];
    return lists.flatMap((list) => {
      const targets = list.texts('targetRules');
      const converted = this.convert(null, list);
      if (targets.length === 0) return converted;
      for (const id of targets) this.attach(id, converted);
      return [];
    });
  }

  private attach(id: string, allowlists: readonly Allowlist[]): void {
    const pattern = this.own.get(ruleId(id)) ?? this.base.get(ruleId(id));
    if (pattern === undefined) this.note(id, 'an allowlist targets it, but there is no such rule');
    else this.own.set(pattern.id, merge(pattern, { allowlists }));
  }

  private convert(id: string | null, table: TomlTable): Allowlist[] {
    const converted = convertAllowlist(table, {
      error: (message) => this.error(id, message),
      note: (message) => this.note(id, message),
    });
    this.noteUnknown(id, table);
    return converted === null ? [] : [converted];
  }

  private noteUnknown(rule: string | null, table: TomlTable): void {
    const keys = table.unknown();
    if (keys.length > 0) this.note(rule, `no meaning here: ${keys.join(', ')}`);
  }

  private error(rule: string | null, message: string): void {
    this.problems.push({ rule, message, level: 'error' });
  }

  private note(rule: string | null, message: string): void {
    this.problems.push({ rule, message, level: 'note' });
  }
}

/** Our ids say of what kind a rule is, and have no signs that a report would have to escape. */
function ruleId(id: string): string {
  const plain = id.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[._-]+/, '');
  return plain.startsWith('secret-') ? plain : `secret-${plain}`;
}

function newPattern(id: string, fields: Partial<Pattern>): Pattern {
  const message = `matches the rule ${id}`;
  return {
    id: ruleId(id),
    description: message,
    severity: 'high',
    message,
    fix: FIX,
    cwe: 'CWE-798',
    source: `gitleaks rule ${id}`,
    imported_from: 'gitleaks',
    examples: { match: [], noMatch: [] },
    ...fields,
  };
}

/** A rule changed by a later one: lists grow, other fields are replaced (config.go, "extend"). */
function merge(base: Pattern, fields: Partial<Pattern>): Pattern {
  const joined = <T>(left: readonly T[] = [], right: readonly T[] = []) => [...left, ...right];
  const keywords = joined(base.keywords, fields.keywords);
  const tags = joined(base.tags, fields.tags);
  const allowlists = joined(base.allowlists, fields.allowlists);
  const isChanged = fields.regex !== undefined && fields.regex !== base.regex;
  return {
    ...base,
    // The examples are of the expression that they came with.
    ...(isChanged ? { imported_from: 'gitleaks', examples: { match: [], noMatch: [] } } : {}),
    ...fields,
    ...(keywords.length === 0 ? {} : { keywords }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(allowlists.length === 0 ? {} : { allowlists }),
  };
}

/**
 * gitleaks leaves out what a rule with "generic" in its id finds where another one found something
 * (detect/utils.go, "filter"). Of two rules that find the same secret here the earlier one speaks.
 */
function genericLast(patterns: readonly Pattern[]): Pattern[] {
  const isGeneric = ({ id }: Pattern) => id.includes('generic');
  return [...patterns.filter((one) => !isGeneric(one)), ...patterns.filter(isGeneric)];
}

/** Receives what an allowlist does differently here: an error makes the file wrong, a note not. */
interface AllowlistReport {
  error(message: string): void;
  note(message: string): void;
}

/**
 * An allowlist of gitleaks as ours; null when nothing of it can hold here. A diff has no commits,
 * so what is allowed for some commits only is not allowed.
 */
function convertAllowlist(table: TomlTable, report: AllowlistReport): Allowlist | null {
  const condition = conditionOf(table.text('condition'), report);
  const regexTarget = targetOf(table.text('regexTarget'), report);
  const description = table.text('description');
  const commits = table.texts('commits');
  const paths = table.texts('paths');
  const regexes = table.texts('regexes');
  const stopwords = table.texts('stopwords').map((word) => word.toLowerCase());
  const hasTexts = paths.length + regexes.length + stopwords.length > 0;
  if (commits.length > 0) {
    report.note('allowlist commits: a diff names no commit, so these do not apply');
    if (condition === 'AND' || !hasTexts) return null;
  }
  if (!hasTexts) {
    report.error('an allowlist holds none of commits, paths, regexes, stopwords');
    return null;
  }
  return {
    ...(description === '' ? {} : { description }),
    ...(condition === 'AND' ? { condition } : {}),
    ...(paths.length === 0 ? {} : { paths }),
    ...(regexes.length === 0 ? {} : { regexes }),
    ...(regexTarget === 'secret' ? {} : { regexTarget }),
    ...(stopwords.length === 0 ? {} : { stopwords }),
  };
}

function conditionOf(text: string, report: AllowlistReport): 'OR' | 'AND' {
  switch (text.toUpperCase()) {
    case '':
    case 'OR':
    case '||':
      return 'OR';
    case 'AND':
    case '&&':
      return 'AND';
    default:
      report.error(`allowlist condition "${text}" is neither AND nor OR`);
      return 'AND';
  }
}

function targetOf(text: string, report: AllowlistReport): 'secret' | 'match' | 'line' {
  if (text === 'match' || text === 'line') return text;
  if (text !== '' && text !== 'secret') {
    report.error(`allowlist regexTarget "${text}" must be secret, match or line`);
  }
  return 'secret';
}

/**
 * A table of a TOML file, read as gitleaks reads it (by viper and mapstructure): keys in any case,
 * a number for a text and a text for a list of one are taken as they are meant.
 */
interface TomlTable {
  text(name: string): string;
  number(name: string): number;
  flag(name: string): boolean;
  texts(name: string): string[];
  table(name: string): TomlTable | null;
  tables(name: string): TomlTable[];
  /** Keys that none of the methods was asked for. */
  unknown(): string[];
}

/** Wraps a parsed table. `onProblem` receives values of another type than asked for. */
function readTable(value: object, onProblem: (message: string) => void): TomlTable {
  const entries = new Map(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each]));
  const asked = new Set<string>();

  function get<T>(name: string, expected: string, convert: (value: unknown) => T | null): T | null {
    const key = name.toLowerCase();
    asked.add(key);
    const found: unknown = entries.get(key);
    if (found === undefined) return null;
    const converted = convert(found);
    if (converted === null) onProblem(`${name} is not ${expected}`);
    return converted;
  }

  const wrap = (table: unknown) => (isTable(table) ? readTable(table, onProblem) : null);
  return {
    text: (name) => get(name, 'a text', asText) ?? '',
    number: (name) => get(name, 'a number', asNumber) ?? 0,
    flag: (name) => get(name, 'true or false', (each) => (each === !!each ? each : null)) ?? false,
    texts: (name) => get(name, 'a list of texts', asTexts) ?? [],
    table: (name) => get(name, 'a table', wrap),
    tables: (name) => get(name, 'a list of tables', (each) => asList(each, wrap)) ?? [],
    unknown: () => [...entries.keys()].filter((key) => !asked.has(key)),
  };
}

/** Whether a value is a table and no list, date or the like. */
function isTable(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function asText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : null;
}

function asNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function asTexts(value: unknown): string[] | null {
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return asList(value, asText);
}

function asList<T>(value: unknown, convert: (value: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null;
  const list = value.map(convert).filter((each) => each !== null);
  return list.length === value.length ? list : null;
}
