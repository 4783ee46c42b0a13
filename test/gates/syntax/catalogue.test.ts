import { readFileSync } from 'node:fs';
import test from 'ava';
import { mayHoldSink } from '../../../src/gates/syntax/languages.ts';
import { golangTable } from '../../../src/rules/catalogue/golang.ts';
import { javaTable } from '../../../src/rules/catalogue/java.ts';
import { topics } from '../../../src/rules/catalogue/javascript.ts';
import type { Package, SinkKind } from '../../../src/rules/catalogue/line.ts';
import { pythonTable } from '../../../src/rules/catalogue/python.ts';
import { someOf } from '../../some-cases.ts';
import { fragmentOf, inspect } from './code.ts';

/** The class of mistakes that findings of a kind belong to. */
const CWES: Readonly<Record<SinkKind, string>> = {
  shell: 'CWE-78',
  program: 'CWE-78',
  code: 'CWE-94 CWE-95',
  template: 'CWE-1336',
  locals: 'CWE-1336',
  module: 'CWE-829',
  sql: 'CWE-89',
  filter: 'CWE-943',
  script: 'CWE-943',
  html: 'CWE-79',
  markup: 'CWE-79',
  page: 'CWE-79',
  answer: 'CWE-79',
  view: 'CWE-601',
  link: 'CWE-79',
  render: 'CWE-918',
  path: 'CWE-22',
  look: 'CWE-22',
  archive: 'CWE-22',
  request: 'CWE-918',
  host: 'CWE-918',
  redirect: 'CWE-601',
  deserialise: 'CWE-502',
  objects: 'CWE-502',
  entities: 'CWE-611',
  xpath: 'CWE-643',
  ldap: 'CWE-90',
  query: 'CWE-943',
  regex: 'CWE-1333',
  merge: 'CWE-1321',
  keys: 'CWE-1321',
  fields: 'CWE-915',
  header: 'CWE-113',
  log: 'CWE-117',
  trust: 'CWE-501',
  mail: 'CWE-93',
  format: 'CWE-400',
  origin: 'CWE-942',
  certificate: 'CWE-295',
  tls: 'CWE-326',
  cipher: 'CWE-327',
  hash: 'CWE-916',
  random: 'CWE-338',
  secret: 'CWE-798',
  token: 'CWE-347 CWE-345',
  cookie: 'CWE-614',
  dtd: 'CWE-611',
  escaping: 'CWE-79',
  exposure: 'CWE-693',
};

/** A line of the catalogue, as the table needs it. */
interface Line {
  readonly sort: 'sink' | 'source' | 'propagator';
  readonly key: string;
  /** Further words that tell it from lines with the same key. */
  readonly extra: readonly string[];
  readonly kind: SinkKind | null;
  /** It is known where the import is out of sight. */
  readonly isUsual: boolean;
}

function linesOf(entry: Package): Line[] {
  const key = (exports: string) => `${entry.package} ${exports.split(' ', 1)[0] ?? ''}`;
  const sinks = (entry.sinks ?? []).map((line): Line => {
    const isNamed = line.free === true || line.how === 'property';
    const isMethod = line.exports.split(' ', 1)[0]?.includes('.') === true;
    const isUsual = (isMethod && (line.receivers ?? entry.receivers ?? '') !== '') || isNamed;
    const extra = [line.kind, ...(line.options?.split(' ') ?? [])];
    return { sort: 'sink', key: key(line.exports), extra, kind: line.kind, isUsual };
  });
  const sources = (entry.sources ?? []).map((line): Line => {
    const extra = ['source', ...Object.values(line.callback ?? {}).map(String)];
    const isUsual = line.decorator === true;
    return { sort: 'source', key: key(line.exports), extra, kind: null, isUsual };
  });
  const propagators = (entry.propagators ?? []).map((line): Line => {
    const extra = ['propagator'];
    return { sort: 'propagator', key: key(line.exports), extra, kind: null, isUsual: false };
  });
  return [...sinks, ...sources, ...propagators];
}

interface Example {
  readonly name: string;
  readonly bad: string;
  readonly good: string;
}

/** `=== package export [kind or option]`, the harmful code, `---`, the harmless code. */
function examplesOf(topic: string): Example[] {
  const url = new URL(`../../../../test/gates/syntax/catalogue/${topic}.txt`, import.meta.url);
  return readFileSync(url, 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      const [bad = '', good = ''] = text.slice(end + 1).split(/^---\n/m);
      return { name: text.slice(0, end).trim(), bad, good };
    });
}

/** The examples that name a line: by an option of it, else its kind, else the export alone. */
function examplesFor(line: Line, examples: readonly Example[]): Example[] {
  const names = [...line.extra.slice(1), ...line.extra.slice(0, 1)].map(
    (word) => `${line.key} ${word}`,
  );
  for (const wanted of [...names, line.key]) {
    const own = examples.filter(({ name }) => name === wanted);
    if (own.length > 0) return own;
  }
  return [];
}

const IMPORT = /^(?:import\b[^;]*;|(?:const|let|var)\b[^;=]*= require\([^;]*;)\n/gm;

/** The code as a hunk from the middle of a file: findings and whether the prefilter lets it by. */
function asHunk(code: string, isUsual: boolean): { text: string; added: [number, number][] } {
  if (isUsual) {
    const text = `    level = 1;\n  }\n}\n\n${code.replace(IMPORT, '')}\nif (level) {\n  other(\n`;
    return { text, added: [[0, text.split('\n').length]] };
  }
  const imports = (code.match(IMPORT) ?? []).join('');
  const rest = code.replace(IMPORT, '');
  const first = imports.split('\n').length - 1;
  const text = `${imports}${rest}\nexport function later(id) {\n  if (id) {\n    other(\n`;
  return { text, added: [[first, first + rest.split('\n').length]] };
}

function findingsIn(text: string, added?: [number, number][]): string[] {
  if (!mayHoldSink(Buffer.from(text))) return ['(the prefilter sees nothing)'];
  const { findings, unparsed } = inspect(fragmentOf(text, added === undefined ? {} : { added }));
  const lost = unparsed.length > 0 ? ['(not parsed)'] : [];
  return [...lost, ...findings.map(({ id, cwe, severity }) => `${id} ${severity} ${cwe ?? ''}`)];
}

/** What is wrong with a line's examples, as whole files and `inHunks`, as sentences. */
function problems(line: Line, { bad, good }: Example, inHunks: boolean): string[] {
  const isFound = (found: string[]) =>
    line.kind === null
      ? found.some((finding) => !finding.startsWith('('))
      : found.some((finding) =>
          CWES[line.kind ?? 'log'].split(' ').includes(finding.split(' ')[2] ?? ''),
        );
  const hunksOf = (code: string) => {
    const { text, added } = asHunk(code, line.isUsual);
    return inHunks ? [findingsIn(text, added)] : [];
  };
  const wrong: string[] = [];
  const tell = (what: string, found: string[]) =>
    wrong.push(`${line.key} ${line.extra.join(' ')}: ${what}: ${found.join(', ') || 'nothing'}`);
  const bads = [findingsIn(bad), ...hunksOf(bad)];
  for (const [at, found] of bads.entries()) {
    if (!isFound(found)) tell(at === 0 ? 'harmful file' : 'harmful hunk', found);
  }
  const goods = [findingsIn(good), ...hunksOf(good)];
  for (const [at, found] of goods.entries()) {
    const said = found.filter((finding) => !finding.startsWith('(the'));
    if (said.length > 0) tell(at === 0 ? 'harmless file' : 'harmless hunk', said);
  }
  return wrong;
}

for (const [topic, entries] of Object.entries(topics)) {
  test(`catalogue: each line on ${topic} finds its harmful example, and leaves the other alone`, (t) => {
    const examples = examplesOf(topic);
    const used = new Set<Example>();
    const wrong: string[] = [];
    const lines = entries.flatMap(linesOf);
    const inHunks = new Set(someOf(lines));
    for (const line of lines) {
      const own = examplesFor(line, examples);
      const [example] = own;
      if (example === undefined || own.length > 1) {
        wrong.push(`${line.key} ${line.extra.join(' ')}: ${own.length} examples, expected one`);
        continue;
      }
      if (used.has(example)) wrong.push(`${line.key}: its example is another line's too`);
      used.add(example);
      wrong.push(...problems(line, example, inHunks.has(line)));
    }
    for (const example of examples) {
      if (!used.has(example)) wrong.push(`${example.name}: no line has this example`);
    }
    t.deepEqual(wrong, []);
  });
}

test('catalogue: no two examples are the same but for names', (t) => {
  const seen = new Map<string, string>();
  const same: string[] = [];
  for (const topic of Object.keys(topics)) {
    for (const { name, bad } of examplesOf(topic)) {
      const words = name.split(/[ .*/@]+/).filter(Boolean);
      const shape = words.reduce((text, word) => text.replaceAll(word, '_'), bad);
      const plain = shape.replace(/\s+/g, ' ');
      const other = seen.get(plain);
      if (other !== undefined) same.push(`${name} repeats ${other}`);
      seen.set(plain, name);
    }
  }
  t.deepEqual(same, []);
});

test('catalogue: every line has a link to its documentation', (t) => {
  const trees = [...pythonTable.packages, ...golangTable.packages, ...javaTable.packages];
  const safe = [...pythonTable.sanitizers, ...golangTable.sanitizers, ...javaTable.sanitizers];
  const all = [...Object.values(topics).flat(), ...trees];
  for (const entry of [...all, ...safe])
    t.regex(entry.link, /^https:\/\/[\w.-]+\.\w+(?:\/|$)/, entry.package);
  const own = all.flatMap(({ sinks, sources, propagators }) => [
    ...(sinks ?? []),
    ...(sources ?? []),
    ...(propagators ?? []),
  ]);
  // What follows the link of the package, or an address of its own.
  for (const { exports, link } of own)
    t.regex(link ?? '#', /^(?:[#/]|https:\/\/[\w.-]+\.\w+\/)/, exports);
});
