import {
  inspectModule,
  type LoweredLanguage,
  languageOf,
} from '../../../src/gates/syntax/engine/inspect.ts';
import { knowledgeOf } from '../../../src/gates/syntax/engine/knowledge.ts';
import { csharp } from '../../../src/gates/syntax/lower/csharp/language.ts';
import { golang } from '../../../src/gates/syntax/lower/golang/language.ts';
import { java } from '../../../src/gates/syntax/lower/java/language.ts';
import { kotlin } from '../../../src/gates/syntax/lower/kotlin/language.ts';
import { python } from '../../../src/gates/syntax/lower/python/language.ts';
import { loadParser, type Parsed, type TreeParser } from '../../../src/gates/syntax/parse/tree.ts';
import { Reporter } from '../../../src/gates/syntax/report/findings.ts';
import type { Fragment } from '../../../src/rpc/contract.ts';
import { javaTable } from '../../../src/rules/catalogue/java.ts';
import type { Package, SanitizerLine } from '../../../src/rules/catalogue/line.ts';
import { KEY, readPackaged } from './code.ts';

/** Looks at a fragment with a catalogue. */
type Look = (parser: TreeParser, fragment: Fragment, reporter: Reporter) => unknown;

interface Tested {
  readonly grammar: string;
  readonly packages: readonly Package[];
  readonly sanitizers: readonly SanitizerLine[];
  lookWith(packages: readonly Package[], sanitizers: readonly SanitizerLine[]): Look;
}

const CATALOGUES: Readonly<Record<string, Tested>> = {
  python: testedOf(python),
  golang: testedOf(golang),
  csharp: testedOf(csharp),
  java: testedOf(java),
  kotlin: testedOf(kotlin),
};

function testedOf(language: LoweredLanguage): Tested {
  const { grammar, table } = language;
  return {
    grammar,
    packages: table.packages,
    sanitizers: table.sanitizers,
    lookWith(packages, sanitizers) {
      const own = languageOf(language, knowledgeOf({ ...table, packages, sanitizers }));
      return (parser, fragment, reporter) =>
        inspectModule(own, parser, fragment, reporter, () => {});
    },
  };
}

/** A line of a catalogue, and the catalogue without it. */
interface Removal {
  readonly name: string;
  /** Last names of what it is about. */
  readonly words: readonly string[];
  readonly packages: readonly Package[];
  readonly sanitizers: readonly SanitizerLine[];
}

const SORTS = ['sinks', 'sources', 'propagators'] as const;

function removalsOf(
  packages: readonly Package[],
  sanitizers: readonly SanitizerLine[],
  shared: ReadonlySet<unknown>,
): Removal[] {
  const named = (sort: string, entry: { package: string }, exports: string) => {
    const words = exports.split(' ').map((path) => {
      const last = path.replaceAll('()', '').split('.').at(-1) ?? '';
      return last === 'default' ? (entry.package.split(/[./]/).at(-1) ?? '') : last;
    });
    // A getter is a property in Kotlin.
    const properties = words.flatMap((word) => /^get([A-Z]\w*)$/.exec(word)?.[1] ?? []);
    words.push(...properties.map((word) => word.charAt(0).toLowerCase() + word.slice(1)));
    return { name: `${sort} ${entry.package} ${exports}`, words };
  };
  const lines = packages.flatMap((entry, at) =>
    (shared.has(entry) ? [] : SORTS).flatMap((sort) =>
      (entry[sort] ?? []).map((line, index): Removal => {
        const kept = (entry[sort] ?? []).filter((_, other) => other !== index);
        const less = packages.with(at, { ...entry, [sort]: kept });
        return { ...named(sort, entry, line.exports), packages: less, sanitizers };
      }),
    ),
  );
  const safe = sanitizers.flatMap((line, at): Removal[] => {
    if (shared.has(line)) return [];
    const less = sanitizers.filter((_, other) => other !== at);
    return [{ ...named('sanitizers', line, line.exports), packages, sanitizers: less }];
  });
  return [...lines, ...safe];
}

/**
 * Lines of a language's catalogue without which the findings of all cases would be the same: one of
 * `every` is taken out, and the cases that hold one of its names are looked at again.
 */
export async function linesNotNeeded(
  name: string,
  cases: readonly (readonly Fragment[])[],
  every: number,
): Promise<string[]> {
  const tested = CATALOGUES[name];
  if (tested === undefined) throw new TypeError(`no catalogue of ${name}`);
  const { grammar, packages, sanitizers } = tested;
  const parser = remembering(await loadParser(grammar, readPackaged));
  const findingsOf = (look: Look, fragment: Fragment) => {
    const reporter = new Reporter(fragment, KEY);
    look(parser, fragment, reporter);
    return reporter.findings.map(({ id, severity, line }) => `${id} ${severity} ${line}`).join();
  };
  // Those of single lines come last, and are seldom in vain.
  const forms = cases.flat().reverse();
  const all = tested.lookWith(packages, sanitizers);
  // Few lines are taken out, so few forms are looked at.
  const known: string[] = [];
  const before = (form: Fragment, index: number) => {
    known[index] ??= findingsOf(all, form);
    return known[index];
  };
  // Rows of Java have their cases there.
  const shared = new Set<unknown>(
    name === 'kotlin' ? [...javaTable.packages, ...javaTable.sanitizers] : [],
  );
  const removals = removalsOf(packages, sanitizers, shared).filter((_, at) => at % every === 0);
  const unneeded = removals.filter(({ words, ...rest }) => {
    const word = new RegExp(String.raw`(?<!\w)(?:${words.join('|')})(?!\w)`);
    const less = tested.lookWith(rest.packages, rest.sanitizers);
    return !forms.some(
      (form, index) => word.test(form.text) && findingsOf(less, form) !== before(form, index),
    );
  });
  return unneeded.map((one) => one.name);
}

/** Parses each text once. */
function remembering(parser: TreeParser): TreeParser {
  const known = new Map<string, Parsed>();
  return {
    parse(text) {
      const parsed = known.get(text) ?? parser.parse(text);
      known.set(text, parsed);
      return parsed;
    },
  };
}
