/**
 * A table of a TOML file, read as gitleaks reads it (by viper and mapstructure): keys in any case,
 * a number for a text and a text for a list of one are taken as they are meant.
 */
export interface TomlTable {
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
export function readTable(value: object, onProblem: (message: string) => void): TomlTable {
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
export function isTable(value: unknown): value is object {
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
