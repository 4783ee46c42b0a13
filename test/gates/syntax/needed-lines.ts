import { Reporter } from '../../../src/gates/syntax/findings.ts';
import { golang } from '../../../src/gates/syntax/golang/language.ts';
import { java } from '../../../src/gates/syntax/java/language.ts';
import { python } from '../../../src/gates/syntax/python/language.ts';
import { createCatalogue } from '../../../src/gates/syntax/tree/lines.ts';
import { inspectTree, type Language } from '../../../src/gates/syntax/tree/run.ts';
import { loadParser, type Parsed, type TreeParser } from '../../../src/gates/syntax/tree/tree.ts';
import type { Fragment } from '../../../src/rpc/contract.ts';
import { golangPackages, golangSanitizers } from '../../../src/rules/catalogue/golang.ts';
import { javaPackages, javaSanitizers } from '../../../src/rules/catalogue/java.ts';
import type { Package, SanitizerLine } from '../../../src/rules/catalogue/line.ts';
import { pythonPackages, pythonSanitizers } from '../../../src/rules/catalogue/python.ts';
import { KEY, readPackaged } from './code.ts';

const CATALOGUES: Readonly<
  Record<string, readonly [Language, readonly Package[], readonly SanitizerLine[]]>
> = {
  python: [python, pythonPackages, pythonSanitizers],
  golang: [golang, golangPackages, golangSanitizers],
  java: [java, javaPackages, javaSanitizers],
};

/** A line of a catalogue, and the catalogue without it. */
interface Removal {
  readonly name: string;
  /** Last names of what it is about. */
  readonly words: readonly string[];
  readonly packages: readonly Package[];
  readonly sanitizers: readonly SanitizerLine[];
}

const SORTS = ['sinks', 'sources', 'propagators'] as const;

function removalsOf(packages: readonly Package[], sanitizers: readonly SanitizerLine[]): Removal[] {
  const named = (sort: string, entry: { package: string }, exports: string) => {
    const words = exports.split(' ').map((path) => {
      const last = path.replaceAll('()', '').split('.').at(-1) ?? '';
      return last === 'default' ? (entry.package.split(/[./]/).at(-1) ?? '') : last;
    });
    return { name: `${sort} ${entry.package} ${exports}`, words };
  };
  const lines = packages.flatMap((entry, at) =>
    SORTS.flatMap((sort) =>
      (entry[sort] ?? []).map((line, index): Removal => {
        const kept = (entry[sort] ?? []).filter((_, other) => other !== index);
        const less = packages.with(at, { ...entry, [sort]: kept });
        return { ...named(sort, entry, line.exports), packages: less, sanitizers };
      }),
    ),
  );
  const safe = sanitizers.map((line, at): Removal => {
    const less = sanitizers.filter((_, other) => other !== at);
    return { ...named('sanitizers', line, line.exports), packages, sanitizers: less };
  });
  return [...lines, ...safe];
}

/**
 * Lines of a language's catalogue without which the findings of all cases would be the same: each
 * is taken out, and the cases that hold one of its names are looked at again.
 */
export async function linesNotNeeded(
  name: string,
  cases: readonly (readonly Fragment[])[],
): Promise<string[]> {
  const [language, packages, sanitizers] = CATALOGUES[name] ?? [];
  if (language === undefined || packages === undefined || sanitizers === undefined) {
    throw new TypeError(`no catalogue of ${name}`);
  }
  const parser = remembering(await loadParser(language.grammar, readPackaged));
  const findingsOf = (one: Language, fragment: Fragment) => {
    const reporter = new Reporter(fragment, KEY);
    inspectTree(one, parser, fragment, reporter, () => {});
    return reporter.findings.map(({ id, severity, line }) => `${id} ${severity} ${line}`).join();
  };
  // Those of single lines come last, and are seldom in vain.
  const forms = cases.flat().reverse();
  const before = forms.map((form) => findingsOf(language, form));
  const removals = removalsOf(packages, sanitizers);
  const unneeded = removals.filter(({ words, ...rest }) => {
    const word = new RegExp(String.raw`(?<!\w)(?:${words.join('|')})(?!\w)`);
    const catalogue = createCatalogue(rest.packages, rest.sanitizers);
    const less = { ...language, catalogue };
    return !forms.some(
      (form, index) => word.test(form.text) && findingsOf(less, form) !== before[index],
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
