import type { GateFinding } from '../../model/finding.ts';
import type { OwnTable } from '../../model/rules.ts';
import type { Fragment, FragmentResult, Syntax } from '../../rpc/contract.ts';
import type { Implementation } from '../../rpc/service.ts';
import { readTable, type Table } from '../../rules/catalogue/table.ts';
import type { LoweredLanguage } from './engine/inspect.ts';
import { Reporter, unparsedFinding } from './findings.ts';
import {
  type Dialect,
  isTreeLanguage,
  languageOf,
  OWN_LANGUAGES,
  type TreeLanguage,
} from './languages.ts';
import { inspectScript, lowerScript } from './lower/ecmascript/inspect.ts';
import { loadParser, type ReadPackaged } from './parse/tree.ts';
import { type LowerFile, remembering } from './program/view.ts';

/** What an AST child is given by its process. */
interface ServiceTools {
  /** CPU time of the child so far, ms. */
  cpuMs?: () => number;
  /** Reads the files of grammars; asked for with the first text of each language. */
  readPackaged?: ReadPackaged;
}

/**
 * The service of an AST child: syntax trees of fragments and the sinks in them. It is stateless but
 * for the grammars, and synchronous once those are loaded; the process that forked it limits its
 * time and survives its end.
 */
export function createSyntaxService(tools: ServiceTools = {}): Implementation<typeof Syntax> {
  const { cpuMs = () => 0, readPackaged } = tools;
  const readers: Readers = new Map();
  const own = new OwnReaders(readers);
  const loading = new Map<TreeLanguage, Promise<void>>();
  const lowerOther = remembering(lowerScript);
  return {
    inspect({ fragments, fingerprintKey, catalogue = [] }) {
      const before = cpuMs();
      const look = () => {
        const results = fragments.map((fragment) =>
          inspect(fragment, fingerprintKey, lowerOther, (language) => own.get(language, catalogue)),
        );
        return { results, cpuMs: cpuMs() - before };
      };
      const languages = new Set(fragments.map(({ path }) => languageOf(path)));
      const missing = [...languages].filter(isTreeLanguage).filter((name) => !readers.has(name));
      if (missing.length === 0 || readPackaged === undefined) return look();
      const loads = missing.map((name) => {
        const load =
          loading.get(name) ??
          READERS[name](readPackaged).then((reader) => void readers.set(name, reader));
        loading.set(name, load);
        return load;
      });
      return Promise.all(loads).then(look);
    },
  };
}

/** What a language of its own parser needs: a child that reads none of it starts without. */
interface TreeReader {
  look: LookAtTree;
  /** The same with rows of the rules. */
  lookWith(own: Table): LookAtTree;
}
type LookAtTree = (
  fragment: Fragment,
  reporter: Reporter,
  onLost: (line: number, reason: string) => void,
) => Pick<FragmentResult, 'unparsed' | 'work' | 'asked'>;
type Readers = Map<TreeLanguage, TreeReader>;

const READERS: Readonly<Record<TreeLanguage, (read: ReadPackaged) => Promise<TreeReader>>> = {
  async py(read) {
    const { python, pythonWithRows } = await import('./lower/python/language.ts');
    return readerOf(python, pythonWithRows, read);
  },
  async go(read) {
    const { golang, golangWithRows } = await import('./lower/golang/language.ts');
    return readerOf(golang, golangWithRows, read);
  },
  async java(read) {
    const { java, javaWithRows } = await import('./lower/java/language.ts');
    return readerOf(java, javaWithRows, read);
  },
};

async function readerOf(
  language: LoweredLanguage,
  withRows: (own: Table) => LoweredLanguage,
  read: ReadPackaged,
): Promise<TreeReader> {
  const { inspectModule, lowerWith } = await import('./engine/inspect.ts');
  const parser = await loadParser(language.grammar, read);
  const lookIn = (one: LoweredLanguage): LookAtTree => {
    const lower = remembering(lowerWith(one, parser));
    return (...input) => inspectModule(one, parser, ...input, lower);
  };
  return { look: lookIn(language), lookWith: (own) => lookIn(withRows(own)) };
}

/** Rules whose rows a child keeps compiled: tenants take turns. */
const OWN_ROWS_KEPT = 8;

/** Looks at trees with rows of the rules, which are compiled when they are first asked for. */
class OwnReaders {
  readonly #readers: Readers;
  /** By language and rows; the one used longest ago comes first. */
  readonly #known = new Map<string, LookAtTree>();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  /** What looks at a language with its rows of `tables`; undefined: its grammar is not loaded. */
  get(language: TreeLanguage, tables: readonly OwnTable[]): LookAtTree | undefined {
    const reader = this.#readers.get(language);
    const own = tables.find((table) => OWN_LANGUAGES[table.language] === language);
    if (reader === undefined || own === undefined) return reader?.look;
    const key = `${language} ${own.text}`;
    const look = this.#known.get(key) ?? reader.lookWith(readTable(own.text).table);
    this.#known.delete(key);
    this.#known.set(key, look);
    const [oldest] = this.#known.keys();
    if (this.#known.size > OWN_ROWS_KEPT && oldest !== undefined) this.#known.delete(oldest);
    return look;
  }
}

function inspect(
  fragment: Fragment,
  key: Uint8Array,
  lowerOther: LowerFile,
  readerOfTree: (language: TreeLanguage) => LookAtTree | undefined,
): FragmentResult {
  // What has no extension of its own is a script by its first line, which is in another hunk.
  const dialect = languageOf(fragment.path) ?? 'js';
  if (isTreeLanguage(dialect)) return inspectAsTree(fragment, key, readerOfTree(dialect));
  return inspectAsScript(fragment, dialect, key, lowerOther);
}

function inspectAsScript(
  fragment: Fragment,
  dialect: Dialect,
  key: Uint8Array,
  lower: LowerFile,
): FragmentResult {
  const reporter = new Reporter(fragment, key);
  const findings: GateFinding[] = [];
  const onLost = (line: number, reason: string) => findings.push(lost(fragment, key, line, reason));
  const { unparsed, work, asked } = inspectScript(fragment, dialect, reporter, onLost, lower);
  const all = [...reporter.findings, ...findings];
  const flows = all.map((finding) => reporter.flowOf(finding));
  return { findings: all, flows, unparsed: ranges(unparsed), work, asked };
}

function inspectAsTree(
  fragment: Fragment,
  key: Uint8Array,
  look: LookAtTree | undefined,
): FragmentResult {
  if (look === undefined) throw new TypeError('the service was given no grammars');
  const reporter = new Reporter(fragment, key);
  const findings: GateFinding[] = [];
  const onLost = (line: number, reason: string) => findings.push(lost(fragment, key, line, reason));
  const seen = look(fragment, reporter, onLost);
  const all = [...reporter.findings, ...findings];
  return { ...seen, findings: all, flows: all.map((finding) => reporter.flowOf(finding)) };
}

function lost(fragment: Fragment, key: Uint8Array, index: number, reason: string): GateFinding {
  const { path, text, startLine } = fragment;
  const where = { line: startLine + index, excerptLine: index };
  return unparsedFinding(key, { path, text, reason, severity: 'high', ...where });
}

function ranges(lines: readonly number[]): [number, number][] {
  const result: [number, number][] = [];
  for (const line of [...lines].sort((left, right) => left - right)) {
    const last = result.at(-1);
    if (last !== undefined && last[1] === line) last[1] = line + 1;
    else result.push([line, line + 1]);
  }
  return result;
}
