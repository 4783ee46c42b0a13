import type { GateFinding } from '../../model/finding.ts';
import type { OwnTable } from '../../model/rules.ts';
import type { Fragment, FragmentResult, Offered, Syntax } from '../../rpc/contract.ts';
import type { Implementation } from '../../rpc/service.ts';
import { javascriptTable } from '../../rules/catalogue/javascript.ts';
import { readTable, type Table } from '../../rules/catalogue/table.ts';
import type { LoweredLanguage, OnLost, Seen } from './engine/inspect.ts';
import { type Knowledge, knowledgeOf } from './engine/knowledge.ts';
import {
  type Family,
  familyOf,
  isTreeLanguage,
  languageOf,
  OWN_LANGUAGES,
  type TreeLanguage,
} from './languages.ts';
import { inspectScript, lowerScript } from './lower/ecmascript/inspect.ts';
import { ecmascriptKnowledge, ecmascriptWith } from './lower/ecmascript/knowledge.ts';
import { TREE_LANGUAGES } from './lower/tree-languages.ts';
import { loadParser, type ReadPackaged } from './parse/tree.ts';
import { remembering } from './program/view.ts';
import { Reporter, unparsedFinding } from './report/findings.ts';

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
  const readers: Readers = new Map([['js', scripts()]]);
  const own = new OwnReaders(readers);
  const loading = new Map<TreeLanguage, Promise<void>>();
  return {
    inspect({ fragments, fingerprintKey, catalogue = [] }) {
      const before = cpuMs();
      const look = () => {
        const results = fragments.map((fragment) => {
          const family = familyOf(languageOf(fragment.path) ?? 'js');
          return inspect(fragment, fingerprintKey, own.get(family, catalogue));
        });
        return { results, cpuMs: cpuMs() - before };
      };
      const languages = new Set(fragments.map(({ path }) => languageOf(path)));
      const missing = [...languages].filter(isTreeLanguage).filter((name) => !readers.has(name));
      if (missing.length === 0 || readPackaged === undefined) return look();
      const loads = missing.map((name) => {
        const load =
          loading.get(name) ??
          loadReader(name, readPackaged).then((reader) => void readers.set(name, reader));
        loading.set(name, load);
        return load;
      });
      return Promise.all(loads).then(look);
    },
  };
}

/** What looks at the texts of a family. */
interface FamilyReader {
  look: Look;
  /** The same with rows of the rules. */
  lookWith(own: Table): Look;
}
type Look = (fragment: Fragment, reporter: Reporter, onLost: OnLost) => Seen;
type Readers = Map<Family, FamilyReader>;

function scripts(): FamilyReader {
  const lower = remembering(lowerScript);
  const lookIn = (knowledge: Knowledge): Look => {
    return (...input) => inspectScript(knowledge, ...input, lower);
  };
  return {
    look: lookIn(ecmascriptKnowledge),
    lookWith: (own) => lookIn(ecmascriptWith(javascriptTable, own)),
  };
}

/** The reader of a language that needs a parser of its own. */
async function loadReader(name: TreeLanguage, read: ReadPackaged): Promise<FamilyReader> {
  const language = await TREE_LANGUAGES[name]();
  const { inspectModule, languageOf, lowerWith } = await import('./engine/inspect.ts');
  const parser = await loadParser(language.grammar, read, language.repaired);
  const lookIn = (one: LoweredLanguage): Look => {
    const lower = remembering(lowerWith(one, parser));
    return (...input) => inspectModule(one, parser, ...input, lower);
  };
  return {
    look: lookIn(language),
    lookWith: (own) => lookIn(languageOf(language, knowledgeOf(language.table, own))),
  };
}

/** Rules whose rows a child keeps compiled: tenants take turns. */
const OWN_ROWS_KEPT = 8;

/** Looks at texts with rows of the rules, which are compiled when they are first asked for. */
class OwnReaders {
  readonly #readers: Readers;
  /** By language and rows; the one used longest ago comes first. */
  readonly #known = new Map<string, Look>();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  /** What looks at a family with its rows of `tables`; undefined: its grammar is not loaded. */
  get(language: Family, tables: readonly OwnTable[]): Look | undefined {
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

function inspect(fragment: Fragment, key: Uint8Array, look: Look | undefined): FragmentResult {
  if (look === undefined) throw new TypeError('the service was given no grammars');
  const reporter = new Reporter(fragment, key);
  const findings: GateFinding[] = [];
  const onLost = (line: number, reason: string) => findings.push(lost(fragment, key, line, reason));
  const seen = look(fragment, reporter, onLost);
  const all = [...reporter.findings, ...findings];
  const offered = seen.offered ?? [];
  const isInOne = ({ line }: GateFinding) => offered.some((one) => isWithin(line, one));
  // What stands in a function that others cannot call is there for any that they can.
  const shared = reporter.findings.filter((one) => !isInOne(one));
  for (const one of offered) {
    const own = reporter.findings.filter(({ line }) => isWithin(line, one));
    one.does += [...new Set([...own, ...shared].map(dangerText))].sort().join('');
  }
  return { ...seen, findings: all, flows: all.map((finding) => reporter.flowOf(finding)) };
}

function isWithin(line: number | null, { first, last }: Offered): boolean {
  return line !== null && first <= line && line <= last;
}

/** What the parameters of a function reach is reported where it stands. */
function dangerText({ id, severity }: GateFinding): string {
  return ` ${id} ${severity}`;
}

function lost(fragment: Fragment, key: Uint8Array, index: number, reason: string): GateFinding {
  const { path, text, startLine } = fragment;
  const where = { line: startLine + index, excerptLine: index };
  return unparsedFinding(key, { path, text, reason, severity: 'high', ...where });
}
