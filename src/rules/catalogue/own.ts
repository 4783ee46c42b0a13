import type { OwnRows, OwnTable } from '../../model/rules.ts';
import type { Package } from './line.ts';
import { type Problem, readTable, type Table } from './table.ts';

/** Sorts of rows that rules may have; the others are about how the engine reads a language. */
const SORTS = ['sink', 'source', 'propagator', 'sanitizer'];
const HANDLER_SORTS = ['called', 'registers', 'decorates', 'serves', 'routed', 'harmless'];
const OWN_SORTS: Readonly<Record<OwnRows['language'], readonly string[]>> = {
  javascript: [...SORTS, 'check', 'consumer', ...HANDLER_SORTS],
  python: [...SORTS, 'route', 'handler', ...HANDLER_SORTS, 'converts', 'asserts'],
  go: [...SORTS, 'route', 'handler', ...HANDLER_SORTS, 'converts', 'asserts'],
  java: [...SORTS, 'route', 'handler', ...HANDLER_SORTS, 'converts', 'asserts'],
  csharp: [...SORTS, 'route', 'handler', ...HANDLER_SORTS, 'converts', 'asserts'],
  kotlin: [...SORTS, 'route', 'handler', ...HANDLER_SORTS, 'converts', 'asserts'],
};

/** Rows of rules have no documentation of their own to link to. */
const ADDRESS = 'https://rules.invalid/';

/** What is wrong with the form of rows, as sentences that name the entry and the row. */
export function ownProblems(entries: readonly OwnRows[]): string[] {
  return entries.flatMap((entry, index) => {
    const at = `ast.catalogue[${index}]`;
    const problems = formProblems(entry);
    // A table of rows that are no rows would say nothing of use.
    const all = problems.length > 0 ? problems : readTable(textOf(entry)).problems;
    return all.map(
      ({ line, text }) => `${at}.${line === 1 ? 'package' : `lines[${line - 2}]`}: ${text}`,
    );
  });
}

function formProblems({ language, package: name = '', lines }: OwnRows): Problem[] {
  const problems: Problem[] = [];
  const sorts = OWN_SORTS[language];
  for (const [index, text] of [name, ...lines].entries()) {
    const line = index + 1;
    const [sort = ''] = text.split(' ', 1);
    // One string is one row: a line break in it would begin another one.
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) {
      problems.push({ line, text: 'it holds a line break or a control character' });
    } else if (line > 1 && !sorts.includes(sort)) {
      problems.push({ line, text: `"${sort}" is none of: ${sorts.join(' ')}` });
    } else if (line > 1 && /\svalue=\//.test(text)) {
      problems.push({
        line,
        text: 'value: words with commas; rules have no regular expression here',
      });
    }
  }
  return problems;
}

/** The rows as a table: the package on the first line, each row on one of its own. */
function textOf({ package: name, lines }: OwnRows): string {
  const [first = '', ...keys] = name?.split(' ') ?? [];
  const head = name === undefined ? '' : ['package', first, ADDRESS, ...keys].join(' ');
  return [head, ...lines].join('\n');
}

/** The rows of rules that have no problem, a table a language. */
export function ownTables(entries: readonly OwnRows[]): OwnTable[] {
  const texts = new Map<OwnRows['language'], string[]>();
  for (const entry of entries) {
    texts.set(entry.language, [...(texts.get(entry.language) ?? []), textOf(entry)]);
  }
  return [...texts].map(([language, own]) => ({ language, text: own.join('\n') }));
}

/** Sorts of facts of a language after which a text may have data from outside. */
const HANDLERS = /^(?:route|handler|called|registers|decorates|serves|routed)$/;

/** Last names of what may make a finding in a text: of sinks, sources and handlers. */
export function namesOf({ packages, consumers, operations }: Table): string[] {
  const paths = packages.flatMap((entry) => [
    ...pathsOf(entry, entry.sinks ?? []),
    ...pathsOf(entry, entry.sources ?? []),
  ]);
  const words = operations.filter(({ sort }) => HANDLERS.test(sort)).flatMap((row) => row.words);
  const waiting = consumers.flatMap(({ exports, option }) => option ?? exports.split(' '));
  const names = [...paths, ...waiting, ...words].map((path) =>
    path.replaceAll('()', '').split(/[./]/).at(-1),
  );
  return [...new Set(names)].filter(
    (name) => name !== undefined && name !== '' && name !== '*',
  ) as string[];
}

function pathsOf({ package: name }: Package, lines: readonly { exports: string }[]): string[] {
  return lines.flatMap(({ exports }) =>
    exports.split(' ').map((path) => (path === 'default' ? name : path)),
  );
}
